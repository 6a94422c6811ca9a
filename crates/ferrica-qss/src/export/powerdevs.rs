//! PowerDEVS: the `.pds` structure and the atomic models that its static functions need.
//!
//! In: a compiled model, method, tolerance. Out: two texts. `NAME.pds` couples blocks; integrators and
//! cross detections are those of the PowerDEVS library, static functions, sources and sample blocks
//! are in `NAME_blocks.h`, which holds the exact Taylor form (three coefficients) of every static
//! function. What PowerDEVS blocks cannot express (algebraic systems inside a function, variables set
//! by when-clauses) is refused with the reason.

use std::fmt::Write;
use std::sync::Arc;

use ferrica_codegen::c::expression::{Operations, literal};
use ferrica_codegen::kernel::{Kernel, Op};
use ferrica_codegen::{CompiledModel, Layout, Slot};
use ferrica_ir::{Diagnostic, Span};

use super::structure::{BlockKind, CoupledStructure, parameter_values, structure, whole_kernel};
use crate::fuse::Fused;
use crate::quantizer::Method;
use crate::taylor_kernel::{Motion, taylor_kernel};

/// Coefficients of a signal between PowerDEVS blocks.
const COEFFICIENTS: usize = 3;

/// The files of an export: name and text.
pub type Files = Vec<(String, String)>;

fn refused(what: &str, why: &str) -> Diagnostic {
    Diagnostic::error(
        "E0624",
        Span::NONE,
        format!("`{what}` cannot be written as a PowerDEVS block: {why}"),
    )
}

/// A file name made of a class name.
pub fn file_stem(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// The model as PowerDEVS files.
pub fn powerdevs(
    model: &Arc<CompiledModel>,
    method: Method,
    tolerance: f64,
) -> Result<Files, Vec<Diagnostic>> {
    let s = structure(model);
    let stem = file_stem(&s.name);
    let mut operations = Operations::new(&stem);
    let ev = parameter_values(model).map_err(|e| vec![refused(&s.name, &e)])?;
    let mut errors = Vec::new();
    let mut functions = String::new();
    let states = s.split.states;
    let functions_before_sources = states + s.split.crossings.len();
    for k in 0..s.discrete_inputs.len() {
        let name = match k.checked_sub(functions_before_sources) {
            Some(source) => format!("source {}", source + 1),
            None => s.blocks[states + k].name.clone(),
        };
        let done = whole_kernel(model, &s, k)
            .and_then(|f| function(&mut operations, &s, k, &f, &ev.slots, &name));
        match done {
            Ok(text) => functions.push_str(&text),
            Err(why) => errors.push(refused(&name, &why)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let pds = pds(model, &s, &stem, method, tolerance, &ev.slots);
    Ok(vec![
        (format!("{stem}.pds"), pds),
        (
            format!("{stem}_blocks.h"),
            blocks_header(&stem, &operations.definitions(), &functions),
        ),
    ])
}

/// Motion of an operand and its C text by coefficient.
fn operand(
    s: &CoupledStructure,
    reads: &[u32],
    discrete: &[usize],
    slots: &[f64],
    slot: Slot,
) -> (Motion, String) {
    if slot == Layout::TIME {
        return (Motion::Time, "t".to_string());
    }
    if let Some(q) = s.split.quantity(slot) {
        let port = reads.iter().position(|&r| r == q).unwrap_or(0);
        return (Motion::Moving, format!("u[{port}]"));
    }
    if let Some(r) = s.memories.get(&slot) {
        let port = reads.len() + discrete.iter().position(|d| d == r).unwrap_or(0);
        return (Motion::Constant, format!("u[{port}][0]"));
    }
    (Motion::Constant, literal(slots[slot as usize]))
}

/// Statements `const double rK = …;` for all operations; `load(k)` is the C text of operand k.
fn statements(
    operations: &mut Operations,
    kernel: &Kernel,
    load: impl Fn(u32) -> String,
) -> Result<String, String> {
    let names: Vec<String> = (0..kernel.ops.len()).map(|r| format!("r{r}")).collect();
    let mut out = String::new();
    for (r, op) in kernel.ops.iter().enumerate() {
        let text = match *op {
            Op::Load(k) => load(k),
            Op::Const(bits) => literal(f64::from_bits(bits)),
            _ => operations
                .arithmetic(op, |r| names[r as usize].as_str())
                .unwrap_or_else(
                    || Err("it calls a function that has no C form here".to_string()),
                )?,
        };
        let _ = writeln!(out, "      const double r{r} = {text};");
    }
    Ok(out)
}

fn body(
    operations: &mut Operations,
    f: &Fused,
    count: usize,
    place: &dyn Fn(Slot) -> (Motion, String),
) -> Result<String, String> {
    let places: Vec<(Motion, String)> = f.operands.iter().map(|&slot| place(slot)).collect();
    let motion: Vec<Motion> = places.iter().map(|p| p.0).collect();
    let t = taylor_kernel(&f.kernel, &motion, count, count);
    let load = |k: u32| {
        let (operand, c) = t.operands[k as usize];
        let (motion, text) = &places[operand as usize];
        match motion {
            Motion::Moving => format!("{text}[{c}]"),
            _ => text.clone(),
        }
    };
    let mut text = statements(operations, &t.kernel, load)?;
    for (k, r) in t.kernel.results.iter().enumerate() {
        let _ = writeln!(text, "      y[{k}] = r{r};");
    }
    Ok(text)
}

fn function(
    operations: &mut Operations,
    s: &CoupledStructure,
    k: usize,
    f: &Fused,
    slots: &[f64],
    name: &str,
) -> Result<String, String> {
    let reads = quantity_reads(s, k);
    let is_source = k >= s.split.states + s.split.crossings.len();
    // A source has one term more: it says how long the others last.
    let count = COEFFICIENTS + usize::from(is_source);
    let discrete = &s.discrete_inputs[k];
    let place = |slot: Slot| operand(s, reads, discrete, slots, slot);
    let code = body(operations, f, count, &place)?;
    let comment = name.replace("*/", "* /");
    Ok(format!(
        "    case {k}: {{ /* {comment} */\n{code}      break;\n    }}\n"
    ))
}

/// Quantities that a function reads, in the order of its ports.
fn quantity_reads(s: &CoupledStructure, k: usize) -> &[u32] {
    let (states, crossings) = (s.split.states, s.split.crossings.len());
    if k < states {
        &s.split.derivatives[k].reads
    } else if k < states + crossings {
        &s.split.crossings[k - states].reads
    } else {
        &[]
    }
}

fn pds(
    model: &CompiledModel,
    s: &CoupledStructure,
    stem: &str,
    method: Method,
    tolerance: f64,
    slots: &[f64],
) -> String {
    let mut out = String::from("Root-Coordinator\n {\n");
    let states = s.split.states;
    let word = method.name().to_uppercase();
    let word = word.trim_end_matches('1').trim_start_matches('M');
    for block in &s.blocks {
        let (path, parameters) = match block.kind {
            BlockKind::Integrator(i) => {
                let x0 = slots[(s.split.first_state + i as Slot) as usize];
                (
                    "qss/qss_integrator.h".to_string(),
                    format!("\"{word}\",\"{tolerance:e}\",\"{tolerance:e}\",\"{x0:e}\""),
                )
            }
            BlockKind::Derivative(k) => {
                (format!("{stem}/{stem}_blocks.h"), static_parameters(s, k))
            }
            BlockKind::Crossing(z) => (
                format!("{stem}/{stem}_blocks.h"),
                static_parameters(s, states + z),
            ),
            BlockKind::Detection(_) => ("qss/cross_detect.h".to_string(), "\"0\"".to_string()),
            BlockKind::Sample(k) => {
                let (_, first, interval) = model.samplers[k];
                (
                    "sources/pulse_sci.h".to_string(),
                    format!(
                        "\"1\",\"{:e}\",\"0.5\",\"{:e}\"",
                        1.0 / slots[interval as usize],
                        slots[first as usize]
                    ),
                )
            }
            BlockKind::Source(k) => (
                format!("{stem}/{stem}_blocks.h"),
                format!(
                    "{:.6e},{:.6e},\"{tolerance:e}\"",
                    (states + s.split.crossings.len() + k) as f64,
                    s.discrete_inputs[states + s.split.crossings.len() + k].len() as f64
                ),
            ),
        };
        let _ = writeln!(
            out,
            "  Simulator\n   {{\n    Path = {path}\n    Parameters = {parameters}\n   }}"
        );
    }
    out.push_str("  EIC\n   {\n   }\n  EOC\n   {\n   }\n  IC\n   {\n");
    for &((a, p), (b, q)) in &s.couplings {
        let _ = writeln!(out, "    ({a},{p});({b},{q})");
    }
    out.push_str("   }\n }\n");
    out
}

fn static_parameters(s: &CoupledStructure, k: usize) -> String {
    let inputs = quantity_reads(s, k).len() + s.discrete_inputs[k].len();
    format!("{:.6e},{:.6e},\"0\"", k as f64, inputs as f64)
}

fn blocks_header(stem: &str, helpers: &str, functions: &str) -> String {
    format!(
        r#"// Static functions and sources of the model, written by ferrica.
#if !defined {stem}_blocks_h
#define {stem}_blocks_h

#include "simulator.h"
#include "event.h"
#include "stdarg.h"
#include "math.h"
#include <vector>

{helpers}// Parameters: number of the function, number of inputs, quantum of a source (0: not a source).
// A signal is an array of Taylor coefficients about the time of its event.
class {stem}_blocks: public Simulator {{
  int number, inputs;
  double quantum, sigma, clock;
  std::vector<std::vector<double> > signal;
  double y[10];

  void evaluate(double t) {{
    std::vector<std::vector<double> > &u = signal;
    switch (number) {{
{functions}    }}
  }}

public:
  {stem}_blocks(const char *n): Simulator(n) {{}};

  void init(double t, ...) {{
    va_list parameters;
    va_start(parameters, t);
    number = (int)va_arg(parameters, double);
    inputs = (int)va_arg(parameters, double);
    quantum = atof(va_arg(parameters, char*));
    va_end(parameters);
    signal.assign(inputs, std::vector<double>(3, 0.0));
    for (int k = 0; k < 10; k++) y[k] = 0.0;
    clock = t;
    sigma = 0;
  }}

  double ta(double t) {{ return sigma; }}

  void dint(double t) {{
    clock = t;
    if (quantum == 0) {{ sigma = 1e20; return; }}
    // A source lasts until its first omitted term reaches the quantum.
    const double top = fabs(y[3]);
    sigma = top > 0 ? cbrt(quantum / top) : 1e20;
    y[3] = 0.0;
  }}

  void dext(Event x, double t) {{
    const double e = t - clock;
    for (int k = 0; k < inputs; k++) {{
      std::vector<double> &c = signal[k];
      c[0] += e * (c[1] + e * c[2]);
      c[1] += 2 * e * c[2];
    }}
    const double *value = (const double*)x.value;
    for (int k = 0; k < 3; k++) signal[x.port][k] = value[k];
    clock = t;
    sigma = 0;
  }}

  Event lambda(double t) {{
    if (inputs > 0) {{
      const double e = t - clock;
      for (int k = 0; k < inputs; k++) {{
        std::vector<double> &c = signal[k];
        c[0] += e * (c[1] + e * c[2]);
        c[1] += 2 * e * c[2];
      }}
      clock = t;
    }}
    evaluate(t);
    return Event(&y, 0);
  }}

  void exit() {{}}
}};
#endif
"#
    )
}
