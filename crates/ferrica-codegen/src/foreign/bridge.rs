//! The C text of bridges: from the frame of the interpreter to the types of C and back.
//!
//! Real is `double`, Integer, Boolean and enumerations are `int`, String is `const char *`, an external object is `void *`; arrays are
//! pointers to their elements row by row; outputs are pointers. The functions of `ModelicaUtilities.h` are part of the same file:
//! `ModelicaError` leaves the bridge with the error, strings of `ModelicaAllocateString` live until the next call.

use std::fmt::Write;

use ferrica_ir::expr::Ty;

use super::Foreign;
use crate::function::NativeArg;

/// Text of `ModelicaUtilities.h`.
pub(super) const UTILITIES: &str = r#"#ifndef MODELICA_UTILITIES_H
#define MODELICA_UTILITIES_H
#include <stdarg.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void ModelicaMessage(const char *text);
void ModelicaFormatMessage(const char *format, ...);
void ModelicaVFormatMessage(const char *format, va_list args);
void ModelicaWarning(const char *text);
void ModelicaFormatWarning(const char *format, ...);
void ModelicaVFormatWarning(const char *format, va_list args);
void ModelicaError(const char *text);
void ModelicaFormatError(const char *format, ...);
void ModelicaVFormatError(const char *format, va_list args);
char *ModelicaAllocateString(size_t length);
char *ModelicaAllocateStringWithErrorReturn(size_t length);
char *ModelicaDuplicateString(const char *text);
char *ModelicaDuplicateStringWithErrorReturn(const char *text);
#ifdef __cplusplus
}
#endif
#endif
"#;

/// What the functions of `ModelicaUtilities.h` do, and what bridges need.
const SUPPORT: &str = r#"#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ModelicaUtilities.h"

static jmp_buf *ferrica_way_out;
static char ferrica_error[4096];
typedef struct ferrica_text { struct ferrica_text *next; } ferrica_text;
static ferrica_text *ferrica_texts;

static void ferrica_forget(void)
{
    while (ferrica_texts) { ferrica_text *t = ferrica_texts; ferrica_texts = t->next; free(t); }
}

void ModelicaVFormatMessage(const char *format, va_list args) { vfprintf(stderr, format, args); }
void ModelicaMessage(const char *text) { fputs(text, stderr); }
void ModelicaFormatMessage(const char *format, ...)
{ va_list args; va_start(args, format); ModelicaVFormatMessage(format, args); va_end(args); }
void ModelicaVFormatWarning(const char *format, va_list args) { fputs("warning: ", stderr); vfprintf(stderr, format, args); fputc('\n', stderr); }
void ModelicaWarning(const char *text) { fprintf(stderr, "warning: %s\n", text); }
void ModelicaFormatWarning(const char *format, ...)
{ va_list args; va_start(args, format); ModelicaVFormatWarning(format, args); va_end(args); }
static void ferrica_leave(void)
{
    if (!ferrica_way_out) { fprintf(stderr, "%s\n", ferrica_error); abort(); }
    longjmp(*ferrica_way_out, 1);
}
void ModelicaVFormatError(const char *format, va_list args)
{ vsnprintf(ferrica_error, sizeof ferrica_error, format, args); ferrica_leave(); }
void ModelicaError(const char *text)
{ snprintf(ferrica_error, sizeof ferrica_error, "%s", text); ferrica_leave(); }
void ModelicaFormatError(const char *format, ...)
{ va_list args; va_start(args, format); vsnprintf(ferrica_error, sizeof ferrica_error, format, args); va_end(args); ferrica_leave(); }
char *ModelicaAllocateStringWithErrorReturn(size_t length)
{
    ferrica_text *t = malloc(sizeof *t + length + 1);
    if (!t) return NULL;
    t->next = ferrica_texts;
    ferrica_texts = t;
    memset(t + 1, 0, length + 1);
    return (char *)(t + 1);
}
char *ModelicaAllocateString(size_t length)
{
    char *text = ModelicaAllocateStringWithErrorReturn(length);
    if (!text) ModelicaError("out of memory");
    return text;
}
char *ModelicaDuplicateStringWithErrorReturn(const char *text)
{
    char *copy = ModelicaAllocateStringWithErrorReturn(strlen(text));
    return copy ? strcpy(copy, text) : NULL;
}
char *ModelicaDuplicateString(const char *text) { return strcpy(ModelicaAllocateString(strlen(text)), text); }

"#;

pub(super) fn name(number: usize) -> String {
    format!("ferrica_call_{number}")
}

pub(super) fn destructor(number: usize) -> String {
    format!("ferrica_free_{number}")
}

/// Collects the C text.
#[derive(Default)]
pub(super) struct Bridge {
    includes: Vec<String>,
    declared: Vec<String>,
    declarations: String,
    body: String,
}

fn c_type(ty: Ty) -> &'static str {
    match ty {
        Ty::Real => "double",
        Ty::String => "const char *",
        Ty::External => "void *",
        _ => "int",
    }
}

impl Bridge {
    pub(super) fn text(&self) -> String {
        let mut out = SUPPORT.to_string();
        for include in &self.includes {
            out.push_str(include);
            out.push('\n');
        }
        out.push_str(&self.declarations);
        out.push_str(&self.body);
        out
    }

    /// Declares a C function, unless the user's own text does.
    fn declare(&mut self, foreign: &Foreign<'_>, name: &str, text: String) {
        if foreign.external.includes.is_empty() && !self.declared.iter().any(|d| d == name) {
            self.declared.push(name.to_string());
            self.declarations.push_str(&text);
        }
    }

    pub(super) fn function(&mut self, foreign: &Foreign<'_>) -> Result<(), String> {
        let external = foreign.external;
        let symbol = external.symbol.as_str();
        if external.language != "C" {
            return Err(format!(
                "the external function `{symbol}` is written in {}: only C is supported",
                external.language
            ));
        }
        for include in &external.includes {
            if !self.includes.contains(include) {
                self.includes.push(include.clone());
            }
        }
        let (mut before, mut after) = (String::new(), String::new());
        let (mut args, mut types): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let (mut texts, mut texts_out, mut objects) = (0, 0, 0);
        for (k, arg) in foreign.call.args.iter().enumerate() {
            match arg {
                NativeArg::Value(r, ty) => {
                    types.push(c_type(*ty).to_string());
                    args.push(match ty {
                        Ty::Real => format!("f[{r}]"),
                        Ty::String => {
                            texts += 1;
                            format!("t[{}]", texts - 1)
                        }
                        Ty::External => {
                            objects += 1;
                            format!("o[{}]", objects - 1)
                        }
                        _ => format!("(int)f[{r}]"),
                    });
                }
                NativeArg::Out(r, ty) => {
                    types.push(format!("{} *", c_type(*ty)));
                    match ty {
                        Ty::Real => args.push(format!("&f[{r}]")),
                        Ty::String => {
                            args.push(format!("&to[{texts_out}]"));
                            texts_out += 1;
                        }
                        Ty::External => {
                            return Err(format!(
                                "the external function `{symbol}` has an external object as an output that is not its result"
                            ));
                        }
                        _ => {
                            let _ = writeln!(before, "        int i{k} = (int)f[{r}];");
                            let _ = writeln!(after, "        f[{r}] = i{k};");
                            args.push(format!("&i{k}"));
                        }
                    }
                }
                NativeArg::Array {
                    first,
                    dims,
                    ty,
                    output,
                } => {
                    let n: u32 = dims.iter().product();
                    types.push(format!("{} *", c_type(*ty)));
                    match ty {
                        Ty::Real => args.push(format!("f + {first}")),
                        Ty::String if !output => {
                            let list: Vec<String> =
                                (texts..texts + n).map(|j| format!("t[{j}]")).collect();
                            texts += n;
                            let _ = writeln!(
                                before,
                                "        const char *s{k}[{}] = {{{}}};",
                                n.max(1),
                                if n == 0 {
                                    "0".to_string()
                                } else {
                                    list.join(", ")
                                }
                            );
                            args.push(format!("s{k}"));
                        }
                        Ty::String | Ty::External => {
                            return Err(format!(
                                "the external function `{symbol}` has an array of strings or objects as an output"
                            ));
                        }
                        _ => {
                            let _ = writeln!(
                                before,
                                "        int a{k}[{}];\n        for (n = 0; n < {n}; n++) a{k}[n] = (int)f[{first} + n];",
                                n.max(1)
                            );
                            if *output {
                                let _ = writeln!(
                                    after,
                                    "        for (n = 0; n < {n}; n++) f[{first} + n] = a{k}[n];"
                                );
                            }
                            args.push(format!("a{k}"));
                        }
                    }
                }
            }
        }
        let call = format!("{symbol}({})", args.join(", "));
        let (returned, line) = match foreign.call.result {
            None => ("void", format!("{call};")),
            Some((_, Ty::String)) => ("const char *", format!("to[{texts_out}] = {call};")),
            Some((_, Ty::External)) => ("void *", format!("*oo = {call};")),
            Some((r, ty)) => (c_type(ty), format!("f[{r}] = {call};")),
        };
        let list = if types.is_empty() {
            "void".to_string()
        } else {
            types.join(", ")
        };
        self.declare(
            foreign,
            symbol,
            format!("extern {returned} {symbol}({list});\n"),
        );
        let _ = write!(
            self.body,
            "\nint {}(double *f, const char *const *t, const char **to, void *const *o, void **oo, const char **error)\n\
             {{\n    jmp_buf here;\n    jmp_buf *volatile outer = ferrica_way_out;\n    int n = 0;\n    \
             (void)f; (void)t; (void)to; (void)o; (void)oo; (void)n;\n    ferrica_forget();\n    \
             if (setjmp(here)) {{ ferrica_way_out = outer; *error = ferrica_error; return 1; }}\n    \
             ferrica_way_out = &here;\n    {{\n{before}        {line}\n{after}    }}\n    \
             ferrica_way_out = outer;\n    return 0;\n}}\n",
            name(foreign.number)
        );
        if let Some(end) = external.destructor {
            let end = end.as_str();
            self.declare(foreign, end, format!("extern void {end}(void *);\n"));
            let _ = write!(
                self.body,
                "\nvoid {}(void *object)\n{{\n    {end}(object);\n}}\n",
                destructor(foreign.number)
            );
        }
        Ok(())
    }
}
