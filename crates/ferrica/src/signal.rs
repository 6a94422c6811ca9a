//! What a top-level input does over time, and how a model gets it.
//!
//! A number is a value of the compiled model. Values over time become a table of the model: a class extends it by the tables, and in
//! its flat model each input, which may be one element of an array, equals the value of a column. So every solver sees the same equations, events where
//! the curve jumps or has a kink, and its derivative where that is needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ferrica_classes::ClassId;
use ferrica_codegen::CompiledModel;
use ferrica_ir::expr::{Ty, VarId};
use ferrica_ir::flat::{Causality, Equation, FlatModel, Origin, Variability, Variable};
use ferrica_ir::print::string_literal;
use ferrica_ir::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::failure::Failure;
use crate::options::ModelOptions;
use crate::stages::pipeline::{Loaded, with_values};

/// What a top-level input does.
///
/// ```
/// use ferrica::Signal;
/// assert_eq!(Signal::from(2.0), Signal::Constant(2.0));
/// assert_eq!(Signal::hold(vec![0.0, 1.0], vec![5.0]).unwrap_err().code(), "E0735");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// The same value all the time.
    Constant(f64),
    /// Values at ascending times; the first and the last one hold outside of them.
    Samples {
        /// The times.
        times: Vec<f64>,
        /// The values there.
        values: Vec<f64>,
        /// A value stays until the next one; straight lines between them otherwise.
        hold: bool,
    },
}

impl From<f64> for Signal {
    fn from(value: f64) -> Signal {
        Signal::Constant(value)
    }
}

impl Signal {
    /// Straight lines between values; two values at one time are a jump.
    ///
    /// ```
    /// let ramp = ferrica::Signal::linear(vec![0.0, 1.0], vec![0.0, 2.0])?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn linear(times: Vec<f64>, values: Vec<f64>) -> Result<Signal, Error> {
        Signal::samples(times, values, false)
    }

    /// Values that stay until the next one.
    ///
    /// ```
    /// let steps = ferrica::Signal::hold(vec![0.0, 1.0], vec![0.0, 2.0])?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn hold(times: Vec<f64>, values: Vec<f64>) -> Result<Signal, Error> {
        Signal::samples(times, values, true)
    }

    /// Times, values, and whether a value stays until the next one.
    pub(crate) fn parts(&self) -> (&[f64], &[f64], bool) {
        match self {
            Signal::Constant(x) => (&[0.0], std::slice::from_ref(x), true),
            Signal::Samples {
                times,
                values,
                hold,
            } => (times, values, *hold),
        }
    }

    fn samples(times: Vec<f64>, values: Vec<f64>, hold: bool) -> Result<Signal, Error> {
        match fault(&times, &values) {
            Some(text) => Err(Error::usage("E0735", text)),
            None => Ok(Signal::Samples {
                times,
                values,
                hold,
            }),
        }
    }
}

/// What is wrong with values over time.
fn fault(times: &[f64], values: &[f64]) -> Option<String> {
    if times.len() != values.len() || times.is_empty() {
        let (n, m) = (times.len(), values.len());
        return Some(format!(
            "an input needs as many values as times: {m} and {n}"
        ));
    }
    if let Some(x) = times.iter().chain(values).find(|x| !x.is_finite()) {
        return Some(format!("an input cannot be {x}"));
    }
    let k = (1..times.len()).find(|&k| times[k] < times[k - 1])?;
    let (a, b) = (times[k - 1], times[k]);
    Some(format!("the times of an input go back from {a} to {b}"))
}

/// What is wrong with values of an input of this type.
pub(crate) fn misfit(name: &str, ty: Ty, values: &[f64]) -> Option<String> {
    let (fits, kind): (fn(f64) -> bool, &str) = match ty {
        Ty::Boolean => (|x| x == 0.0 || x == 1.0, "true (1) or false (0)"),
        Ty::Integer | Ty::Enum(_) => (|x| x == x.round(), "a whole number"),
        _ => return None,
    };
    let wrong = values.iter().find(|x| !fits(**x))?;
    Some(format!("`{name}` is {kind}, not {wrong}"))
}

/// A class that extends a model and drives its inputs.
pub struct Driven {
    pub class: ClassId,
    pub name: String,
    /// Of the model.
    pub experiment: ferrica_ir::flat::Experiment,
    /// Which tables in memory it reads: see [`in_memory`].
    pub tables: u64,
    /// The inputs that it drives, in the order of the tables.
    inputs: Vec<String>,
    /// Read when the model is initialized.
    _files: Vec<TableFile>,
}

impl Driven {
    /// Gives the inputs the values of their tables, which are no part of the model that the user knows.
    pub(crate) fn join(&self, flat: &mut FlatModel) -> Result<(), Failure> {
        let values: Vec<String> = (0..self.inputs.len()).map(value_name).collect();
        let mut places: FxHashMap<&str, VarId> = FxHashMap::default();
        for var in flat.vars.values_mut() {
            var.hidden |= var.name.starts_with(TABLE);
        }
        for (v, var) in &flat.vars {
            if var.hidden || var.causality == Causality::Input {
                places.insert(&var.name, v);
            }
        }
        let pairs: Vec<(&String, Option<(VarId, VarId)>)> = (self.inputs.iter().zip(&values))
            .map(|(input, value)| {
                let of = |name: &String| places.get(name.as_str()).copied();
                (input, of(input).zip(of(value)))
            })
            .collect();
        for (name, pair) in pairs {
            let Some((input, value)) = pair else {
                let text = format!("`{name}` is no input of the model with these values");
                return Err(wrong(text, None));
            };
            flat.vars[input].causality = Causality::Local;
            let ty = flat.vars[input].ty;
            flat.equations.push(Equation {
                lhs: flat.exprs.var(input, ty),
                rhs: flat.exprs.var(value, ty),
                span: flat.vars[input].span,
                component: 0,
                origin: Origin::Binding,
            });
        }
        Ok(())
    }
}

impl Driven {
    /// Does a table drive this input?
    pub(crate) fn drives(&self, input: &str) -> bool {
        self.inputs.iter().any(|n| n == input)
    }

    /// A further variable that is added to the value that a table has for an input: the deviation from it.
    pub(crate) fn shift(&self, flat: &mut FlatModel, input: &str) -> Option<VarId> {
        let k = self.inputs.iter().position(|n| n == input)?;
        let of = |name: &str| flat.vars.iter().find(|(_, v)| v.name == name);
        let (value, _) = of(&value_name(k))?;
        let (input, var) = of(input)?;
        let (name, ty) = (format!("$shift of {}", var.name), var.ty);
        let u = flat.exprs.var(input, ty);
        let value = flat.exprs.var(value, ty);
        let ours = |e: &Equation| e.lhs == u && e.rhs == value;
        let at = flat.equations.iter().position(ours)?;
        let mut shift = Variable::new(name, ty, Variability::Continuous);
        shift.hidden = true;
        let shift = flat.vars.push(shift);
        let deviation = flat.exprs.var(shift, ty);
        flat.equations[at].rhs = flat.exprs.add(value, deviation);
        Some(shift)
    }
}

/// What the name of a component with a table begins with.
const TABLE: &str = "'input ";

/// The variable with the value that a table has for an input.
fn value_name(k: usize) -> String {
    format!("{TABLE}{k} value'")
}

/// A table file that lives as long as the model that reads it.
struct TableFile(PathBuf);

impl Drop for TableFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn wrong(text: String, hint: Option<String>) -> Failure {
    let mut d = Diagnostic::error("E0735", Span::NONE, text);
    d.hint = hint;
    Failure::model(d)
}

fn undriven(input: &Variable) -> Diagnostic {
    let name = &input.name;
    let text = format!("nothing drives the input `{name}`: it keeps its start value");
    Diagnostic::warning("W0603", input.span, text)
}

/// A message for each top-level input of a compiled model that keeps its start value, and that nobody has given another one.
pub(crate) fn undriven_inputs(
    model: &CompiledModel,
    given: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let inputs = model.source.inputs.iter();
    let inputs = inputs.map(|&v| &model.source.vars[v].var);
    let kept = inputs.filter(|v| !given(&v.name) && !given(&format!("{}.start", v.name)));
    kept.map(undriven).collect()
}

/// The class for what the options say of inputs.
pub fn drive(loaded: &Loaded, options: &ModelOptions) -> Result<Driven, Failure> {
    let flat = with_values(loaded, &options.params)?.model;
    let inputs: Vec<&Variable> = (flat.vars.values())
        .filter(|v| v.causality == Causality::Input)
        .collect();
    let mut signals = options.signals.clone();
    let in_memory = signals.len();
    if let Some(path) = &options.input_file {
        signals.extend(from_file(path, options.hold_inputs, &inputs)?);
    }
    let tables = options.tables;
    let (text, files) = wrapper(&loaded.name, &signals, in_memory, tables, &inputs)?;
    let own = loaded.library.add_source("<inputs>", text);
    let own = own.map_err(Failure::Model)?;
    let class = own.last().copied().unwrap_or(loaded.class);
    Ok(Driven {
        class,
        name: loaded.library.full_name(class),
        experiment: flat.experiment.clone(),
        tables,
        inputs: signals.into_iter().map(|(name, _)| name).collect(),
        _files: files,
    })
}

/// The columns of a file that have the names of inputs.
pub(crate) fn from_file(
    path: &Path,
    hold: bool,
    inputs: &[&Variable],
) -> Result<Vec<(String, Signal)>, Failure> {
    let table =
        ferrica_results::read(path).map_err(|e| Failure::coded("E0735", e.to_string(), None))?;
    if let Some(text) = table.incomplete {
        return Err(wrong(format!("{}: {text}", path.display()), None));
    }
    let mut signals = Vec::new();
    for input in inputs {
        let Some(values) = table.series(&input.name) else {
            continue;
        };
        if let Some(text) = fault(&table.time, &values) {
            let text = format!("{}, `{}`: {text}", path.display(), input.name);
            return Err(wrong(text, None));
        }
        if let Some(text) = misfit(&input.name, input.ty, &values) {
            return Err(wrong(format!("{}: {text}", path.display()), None));
        }
        let signal = Signal::Samples {
            times: table.time.clone(),
            values: values.into_owned(),
            hold,
        };
        signals.push((input.name.clone(), signal));
    }
    if signals.is_empty() {
        let names: Vec<&str> = inputs.iter().map(|v| v.name.as_str()).collect();
        let hint = match names.as_slice() {
            [] => "the model has no top-level inputs".to_owned(),
            names => format!("the inputs of the model: {}", names.join(", ")),
        };
        let text = format!("{}: no column has the name of an input", path.display());
        return Err(wrong(text, Some(hint)));
    }
    Ok(signals)
}

/// A number that no other table has.
pub fn next_number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// The name of a table that is in memory.
fn name_in_memory(tables: u64, k: usize) -> String {
    format!("ferrica-input-{tables}-{k}.txt")
}

/// The tables of signals with the names that a model reads them by: the same model reads others next time.
pub fn in_memory(tables: u64, signals: &[(String, Signal)]) -> Vec<(String, Arc<[u8]>)> {
    let table = |(k, signal): (usize, &(String, Signal))| {
        let (times, values, _) = signal.1.parts();
        let bytes = Arc::from(table_text(times, values).into_bytes());
        (name_in_memory(tables, k), bytes)
    };
    signals.iter().enumerate().map(table).collect()
}

/// The file of a signal, for models that other programs read as well.
fn table(times: &[f64], values: &[f64]) -> Result<TableFile, Failure> {
    let name = format!("ferrica-input-{}-{}.txt", std::process::id(), next_number());
    let path = std::env::temp_dir().join(name);
    let text = table_text(times, values);
    fs::write(&path, text).map_err(|e| Failure::io(path.display(), &e))?;
    Ok(TableFile(path))
}

/// Values over time in the text format of table blocks.
fn table_text(times: &[f64], values: &[f64]) -> String {
    // One row is no table for straight lines.
    let again = (times.len() == 1).then(|| (times[0] + 1.0, values[0]));
    let rows = times.iter().copied().zip(values.iter().copied());
    let rows: Vec<(f64, f64)> = rows.chain(again).collect();
    let mut text = format!("#1\ndouble u({},2)\n", rows.len());
    for (t, u) in rows {
        text += &format!("{t:e} {u:e}\n");
    }
    text
}

/// The text of the class that extends a model by the values of tables for its inputs, and the files that it reads.
fn wrapper(
    model: &str,
    signals: &[(String, Signal)],
    in_memory: usize,
    tables_number: u64,
    inputs: &[&Variable],
) -> Result<(String, Vec<TableFile>), Failure> {
    let (mut tables, mut files) = (String::new(), Vec::new());
    for (k, (name, signal)) in signals.iter().enumerate() {
        let (times, values, hold) = signal.parts();
        let input = inputs.iter().find(|v| v.name == *name);
        // A variable that only events change has no straight lines.
        let discrete = input.is_some_and(|v| v.variability == Variability::Discrete);
        let hold = hold || discrete;
        let column = format!("{TABLE}{k}'.y[1]");
        let (ty, value, hold) = match input.map(|v| v.ty) {
            Some(Ty::Boolean) => ("Boolean", format!("{column} > 0.5"), true),
            Some(Ty::Integer) => ("Integer", format!("integer({column} + 0.5)"), true),
            Some(Ty::Real) if discrete => ("discrete Real", column, hold),
            Some(Ty::Real) => ("Real", column, hold),
            _ => return Err(wrong(format!("`{name}` cannot be driven by numbers"), None)),
        };
        let file = match k < in_memory {
            true => name_in_memory(tables_number, k),
            false => {
                let file = table(times, values)?;
                let name = file.0.display().to_string();
                files.push(file);
                name
            }
        };
        let smoothness = if hold {
            "ConstantSegments"
        } else {
            "LinearSegments"
        };
        tables += &format!(
            "  {ty} {} = {value};\n  Modelica.Blocks.Sources.CombiTimeTable {TABLE}{k}'(tableOnFile = true, tableName = \"u\", \
             fileName = {}, columns = {{2}}, extrapolation = Modelica.Blocks.Types.Extrapolation.HoldLastPoint, \
             verboseRead = false, smoothness = Modelica.Blocks.Types.Smoothness.{smoothness});\n",
            value_name(k),
            string_literal(&file)
        );
    }
    let text = format!(
        "model 'with inputs'\n  extends .{model};\nprotected\n{tables}end 'with inputs';\n"
    );
    Ok((text, files))
}
