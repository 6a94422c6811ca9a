//! The C text of bridges: from the frame of the interpreter to the types of C and back.
//!
//! Real is `double`, Integer, Boolean and enumerations are `int`, String is `const char *`, an external object is `void *`; arrays are
//! pointers to their elements row by row; a record is a pointer to a `struct` with its fields in order; outputs are pointers. Names of
//! the bridge begin with `ferrica_`, so that no function of the user is hidden. The functions of `ModelicaUtilities.h` are part of the same file:
//! `ModelicaError` leaves the bridge with the error, strings of `ModelicaAllocateString` live until the next call.

use std::fmt::Write;

use ferrica_ir::expr::Ty;
use ferrica_ir::function::RecordArg;

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
        out.push_str(super::user_tables::TEXT);
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
        for include in external
            .includes
            .iter()
            .chain(&external.destructor_includes)
        {
            if !self.includes.contains(include) {
                self.includes.push(include.clone());
            }
        }
        let mut call = CallText::default();
        let mut k = 0;
        while k < foreign.call.args.len() {
            match external.records.iter().find(|r| r.args.start == k) {
                Some(record) => {
                    let end = record.args.end;
                    call.record(foreign, record)?;
                    k = end;
                }
                None => {
                    call.argument(symbol, k, &foreign.call.args[k])?;
                    k += 1;
                }
            }
        }
        let CallText {
            before,
            mut after,
            args,
            types,
            returned_record,
            structs,
            texts_out,
            ..
        } = call;
        let call = format!("{symbol}({})", args.join(", "));
        let (returned, line) = match (foreign.call.result, returned_record) {
            (_, Some((name, ty))) => {
                // The user's own text may have a name of its own for this structure.
                after.insert_str(
                    0,
                    &format!("        memcpy(&{name}, &ferrica_returned, sizeof {name});\n"),
                );
                (ty, format!("__typeof__({call}) ferrica_returned = {call};"))
            }
            (None, None) => ("void".to_string(), format!("{call};")),
            (Some((_, Ty::String)), None) => (
                "const char *".to_string(),
                format!("ferrica_to[{texts_out}] = {call};"),
            ),
            (Some((_, Ty::External)), None) => {
                ("void *".to_string(), format!("*ferrica_oo = {call};"))
            }
            (Some((r, ty)), None) => (c_type(ty).to_string(), format!("ferrica_f[{r}] = {call};")),
        };
        self.declarations.push_str(&structs);
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
            "\nint {}(double *ferrica_f, const char *const *ferrica_t, const char **ferrica_to, void *const *ferrica_o, \
             void **ferrica_oo, const char **ferrica_why)\n\
             {{\n    jmp_buf ferrica_here;\n    jmp_buf *volatile ferrica_outer = ferrica_way_out;\n    int ferrica_n = 0;\n    \
             (void)ferrica_f; (void)ferrica_t; (void)ferrica_to; (void)ferrica_o; (void)ferrica_oo; (void)ferrica_n;\n    \
             ferrica_forget();\n    \
             if (setjmp(ferrica_here)) {{ ferrica_way_out = ferrica_outer; *ferrica_why = ferrica_error; return 1; }}\n    \
             ferrica_way_out = &ferrica_here;\n    {{\n{before}        {line}\n{after}    }}\n    \
             ferrica_way_out = ferrica_outer;\n    return 0;\n}}\n",
            name(foreign.number)
        );
        if let Some(end) = external.destructor {
            let end = end.as_str();
            if external.destructor_includes.is_empty() {
                self.declare(foreign, end, format!("extern void {end}(void *);\n"));
            }
            let _ = write!(
                self.body,
                "\nvoid {}(void *ferrica_object)\n{{\n    {end}(ferrica_object);\n}}\n",
                destructor(foreign.number)
            );
        }
        Ok(())
    }
}

/// The text of one call: lines before and after it, arguments and their types.
#[derive(Default)]
struct CallText {
    before: String,
    after: String,
    args: Vec<String>,
    types: Vec<String>,
    /// Definitions of the structures of records.
    structs: String,
    /// The variable and the type of a record that the function returns.
    returned_record: Option<(String, String)>,
    /// Strings and objects so far, in the order in which the caller hands them over.
    texts: u32,
    texts_out: u32,
    objects: u32,
}

impl CallText {
    /// The expression of a scalar that goes in.
    fn value(&mut self, r: u32, ty: Ty) -> String {
        match ty {
            Ty::Real => format!("ferrica_f[{r}]"),
            Ty::String => {
                self.texts += 1;
                format!("ferrica_t[{}]", self.texts - 1)
            }
            Ty::External => {
                self.objects += 1;
                format!("ferrica_o[{}]", self.objects - 1)
            }
            _ => format!("(int)ferrica_f[{r}]"),
        }
    }

    fn argument(&mut self, symbol: &str, k: usize, arg: &NativeArg) -> Result<(), String> {
        match arg {
            NativeArg::Value(r, ty) => {
                self.types.push(c_type(*ty).to_string());
                let value = self.value(*r, *ty);
                self.args.push(value);
            }
            NativeArg::Out(r, ty) => {
                self.types.push(format!("{} *", c_type(*ty)));
                match ty {
                    Ty::Real => self.args.push(format!("&ferrica_f[{r}]")),
                    Ty::String => {
                        self.args.push(format!("&ferrica_to[{}]", self.texts_out));
                        self.texts_out += 1;
                    }
                    Ty::External => return Err(object_output(symbol)),
                    _ => {
                        let _ = writeln!(
                            self.before,
                            "        int ferrica_i{k} = (int)ferrica_f[{r}];"
                        );
                        let _ = writeln!(self.after, "        ferrica_f[{r}] = ferrica_i{k};");
                        self.args.push(format!("&ferrica_i{k}"));
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
                self.types.push(format!("{} *", c_type(*ty)));
                match ty {
                    Ty::Real => self.args.push(format!("ferrica_f + {first}")),
                    Ty::String if !output => {
                        let list: Vec<String> = (self.texts..self.texts + n)
                            .map(|j| format!("ferrica_t[{j}]"))
                            .collect();
                        self.texts += n;
                        let list = if n == 0 {
                            "0".to_string()
                        } else {
                            list.join(", ")
                        };
                        let _ = writeln!(
                            self.before,
                            "        const char *ferrica_s{k}[{}] = {{{list}}};",
                            n.max(1)
                        );
                        self.args.push(format!("ferrica_s{k}"));
                    }
                    Ty::String | Ty::External => {
                        return Err(format!(
                            "the external function `{symbol}` has an array of strings or objects as an output"
                        ));
                    }
                    _ => {
                        let _ = writeln!(
                            self.before,
                            "        int ferrica_a{k}[{}];\n        for (ferrica_n = 0; ferrica_n < {n}; ferrica_n++) \
                             ferrica_a{k}[ferrica_n] = (int)ferrica_f[{first} + ferrica_n];",
                            n.max(1)
                        );
                        if *output {
                            let _ = writeln!(
                                self.after,
                                "        for (ferrica_n = 0; ferrica_n < {n}; ferrica_n++) \
                                 ferrica_f[{first} + ferrica_n] = ferrica_a{k}[ferrica_n];"
                            );
                        }
                        self.args.push(format!("ferrica_a{k}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// A record: a variable of its structure, filled before the call and read after it.
    fn record(&mut self, foreign: &Foreign<'_>, record: &RecordArg) -> Result<(), String> {
        let first = record.args.start;
        let ty = format!("struct ferrica_record_{}_{first}", foreign.number);
        let name = format!("ferrica_r{first}");
        let fields = self.fields(foreign, record, &name)?;
        let _ = writeln!(self.structs, "{ty} {{ {fields}}};");
        self.before
            .insert_str(0, &format!("        {ty} {name};\n"));
        if record.result {
            self.returned_record = Some((name, ty));
        } else {
            self.types.push("void *".to_string());
            self.args.push(format!("(void *)&{name}"));
        }
        Ok(())
    }

    /// Members of a structure, in order.
    fn fields(
        &mut self,
        foreign: &Foreign<'_>,
        record: &RecordArg,
        path: &str,
    ) -> Result<String, String> {
        let symbol = foreign.external.symbol.as_str();
        let records = &foreign.external.records;
        let mut out = String::new();
        let mut k = record.args.start;
        while k < record.args.end {
            // Records inside of this one come after it in the list.
            let inner = records
                .iter()
                .find(|r| r.args.start == k && follows(records, record, r));
            if let Some(inner) = inner {
                let body = self.fields(foreign, inner, &format!("{path}.m{k}"))?;
                let _ = write!(out, "struct {{ {body}}} m{k}; ");
                k = inner.args.end;
                continue;
            }
            match &foreign.call.args[k] {
                NativeArg::Value(r, ty) => {
                    let _ = write!(out, "{} m{k}; ", c_type(*ty));
                    let value = self.value(*r, *ty);
                    let _ = writeln!(self.before, "        {path}.m{k} = {value};");
                }
                NativeArg::Out(r, ty) => {
                    let _ = write!(out, "{} m{k}; ", c_type(*ty));
                    match ty {
                        Ty::String => {
                            let _ = writeln!(self.before, "        {path}.m{k} = \"\";");
                            let _ = writeln!(
                                self.after,
                                "        ferrica_to[{}] = {path}.m{k};",
                                self.texts_out
                            );
                            self.texts_out += 1;
                        }
                        Ty::External => return Err(object_output(symbol)),
                        _ => {
                            let _ = writeln!(self.before, "        {path}.m{k} = ferrica_f[{r}];");
                            let _ = writeln!(self.after, "        ferrica_f[{r}] = {path}.m{k};");
                        }
                    }
                }
                NativeArg::Array { .. } => {
                    return Err(format!(
                        "the external function `{symbol}` has a record with an array"
                    ));
                }
            }
            k += 1;
        }
        Ok(out)
    }
}

/// `b` comes after `a` in the list of records.
fn follows(records: &[RecordArg], a: &RecordArg, b: &RecordArg) -> bool {
    let place = |r: &RecordArg| records.iter().position(|x| std::ptr::eq(x, r));
    place(b) > place(a)
}

fn object_output(symbol: &str) -> String {
    format!(
        "the external function `{symbol}` has an external object as an output that is not its result"
    )
}
