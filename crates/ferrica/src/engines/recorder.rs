//! Between a run and its result: takes rows of slots, writes rows of variables.
//!
//! Several variables may stand in one slot (aliases); each slot is one column of the result.
//! Parameters get their values with the first row, when the run has computed them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use ferrica_codegen::Slot;
use ferrica_codegen::{CompiledModel, Evaluator};
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::Ty;
use ferrica_ir::flat::{Variability, Variable};
use ferrica_results::plot::split_names;
use ferrica_results::{
    Declaration, MemoryWriter, ResultFile, ResultTable, ResultWriter, SelectedColumn, Selection,
    Source, TextParameter, ValueType, VariableInfo, glob_matches,
};
use ferrica_sim::{ResultVariable, Sink, ValueSource, result_variables_where};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::failure::Failure;
use crate::options::EventRows;
use crate::stages::pipeline::Compiled;
use crate::undefined::Undefined;

/// Which variables are recorded, and where their values stand.
pub struct Recording {
    pub(crate) selection: Selection,
    /// Variables whose value is known with the first row: index in the selection, slot, negated.
    pub(crate) constants: Vec<(usize, Slot, bool)>,
}

impl Recording {
    /// The variables that match one of the patterns, all if there is none.
    pub fn new(compiled: &Compiled, patterns: &[String]) -> Recording {
        Recording::limited(compiled, patterns, None)
    }

    /// Of the matching variables those in the given slots, and parameters.
    pub fn limited(
        compiled: &Compiled,
        patterns: &[String],
        slots: Option<&FxHashSet<Slot>>,
    ) -> Recording {
        let model = &compiled.model;
        let mut recording = Recording {
            selection: Selection::default(),
            constants: Vec::new(),
        };
        let mut holder: FxHashMap<Slot, (usize, bool)> = FxHashMap::default();
        let single: Vec<String> = patterns.iter().flat_map(|list| split_names(list)).collect();
        let wanted =
            |name: &str| patterns.is_empty() || single.iter().any(|p| glob_matches(p, name));
        for variable in result_variables_where(model, wanted) {
            if let (ValueSource::Slot(slot, _), Some(slots)) = (&variable.source, slots)
                && !slots.contains(slot)
            {
                continue;
            }
            recording.add(model, variable, !patterns.is_empty(), &mut holder);
        }
        recording.selection.texts = text_parameters(compiled, wanted);
        recording
    }

    fn add(
        &mut self,
        model: &CompiledModel,
        variable: ResultVariable,
        asked_for: bool,
        holder: &mut FxHashMap<Slot, (usize, bool)>,
    ) {
        let index = self.selection.variables.len();
        let declared = &model.source.vars[variable.var].var;
        let source = match variable.source {
            ValueSource::Parameter(slot, negated) => {
                self.constants.push((index, slot, negated));
                let is_parameter = declared.variability <= Variability::Parameter;
                // A parameter that is asked for by name shows up in every format, a variable that turned out to be constant
                // does in any case.
                if asked_for || !is_parameter {
                    Source::Constant(f64::NAN)
                } else {
                    Source::Parameter(f64::NAN)
                }
            }
            ValueSource::Slot(slot, negated) => match holder.get(&slot) {
                Some(&(of, held)) => Source::Alias {
                    of,
                    negated: negated != held,
                },
                None => {
                    holder.insert(slot, (index, negated));
                    self.selection.columns.push(SelectedColumn {
                        index: slot as usize,
                        negated,
                    });
                    Source::Column
                }
            },
        };
        self.selection.variables.push(VariableInfo {
            name: variable.name,
            declared: declaration(model, declared),
            source,
        });
    }

    /// Names, slots and signs of all variables that change.
    pub fn named_slots(&self) -> Vec<(String, Slot, bool)> {
        let columns = &self.selection.columns;
        let mut of: Vec<Option<(Slot, bool)>> = Vec::new();
        let mut next = 0;
        let mut list = Vec::new();
        for v in &self.selection.variables {
            let place = match v.source {
                Source::Column => {
                    let c = &columns[next];
                    next += 1;
                    Some((c.index as Slot, c.negated))
                }
                Source::Alias { of: k, negated } => {
                    of.get(k).copied().flatten().map(|(s, n)| (s, n != negated))
                }
                _ => None,
            };
            of.push(place);
            list.extend(place.map(|(slot, negated)| (v.name.clone(), slot, negated)));
        }
        list
    }

    /// The slots that must be up to date in every row.
    pub fn slots(&self) -> Vec<Slot> {
        self.selection
            .columns
            .iter()
            .map(|c| c.index as Slot)
            .collect()
    }

    pub fn is_empty(&self) -> bool {
        self.selection.variables.is_empty()
    }
}

/// Parameters whose values are texts. Most of them are literals; what is computed needs the others.
fn text_parameters(compiled: &Compiled, wanted: impl Fn(&str) -> bool) -> Vec<TextParameter> {
    let model = &compiled.model;
    let source = &model.source;
    let mut computed: Option<Option<Evaluator>> = None;
    let mut texts = Vec::new();
    for (id, v) in &source.vars {
        if v.var.ty != Ty::String
            || v.var.hidden
            || v.kind != Kind::Parameter
            || !wanted(&v.var.name)
        {
            continue;
        }
        let literal = v.var.binding.and_then(|b| source.exprs.as_str(b));
        let value = match literal {
            Some(text) => Some(text.to_owned()),
            None => {
                let known = computed.get_or_insert_with(|| {
                    let mut ev = Evaluator::new(Arc::clone(model));
                    for (name, value) in &compiled.values {
                        if let Some((slot, negated)) = model.find(name) {
                            ev.set_value(slot, if negated { -value } else { *value });
                        }
                    }
                    ev.run_parameters().is_ok().then_some(ev)
                });
                let slot = model.layout.place(id).map(|p| p.0);
                known
                    .as_ref()
                    .zip(slot)
                    .map(|(ev, slot)| ev.text(slot).to_owned())
            }
        };
        texts.extend(value.map(|value| TextParameter {
            name: v.var.name.clone(),
            description: v.var.description.to_string(),
            value,
        }));
    }
    texts
}

/// What the model says of a variable.
fn declaration(model: &CompiledModel, v: &Variable) -> Declaration {
    Declaration {
        unit: v.unit.to_string(),
        display_unit: v.display_unit.to_string(),
        description: v.description.to_string(),
        ty: match v.ty {
            Ty::Integer => ValueType::Integer,
            Ty::Boolean => ValueType::Boolean,
            Ty::Enum(id) => {
                let literals = &model.source.enums[id].literals;
                ValueType::Enumeration(literals.as_slice().into())
            }
            _ => ValueType::Real,
        },
    }
}

/// Rows at events that `auto` takes for each output point, …
const EVENT_ROWS_PER_POINT: u64 = 100;
/// … as if there were so many points at least (as many as a run has if nobody says otherwise) …
const LEAST_POINTS: u64 = 500;
/// … and numbers in them: some 400 MB as text.
const MOST_EVENT_NUMBERS: u64 = 20_000_000;

/// What is recorded, and by whom.
struct Output<W> {
    recording: Recording,
    /// Numbers in a row, aliases included.
    width: u64,
    row: Vec<f64>,
    begun: bool,
    undefined: Undefined,
    writer: W,
}

impl<W: ResultWriter> Output<W> {
    fn new(recording: Recording, writer: W) -> Self {
        let constants = recording.constants.len();
        Output {
            width: (1 + recording.selection.variables.len() - constants) as u64,
            recording,
            row: Vec::new(),
            begun: false,
            undefined: Undefined::default(),
            writer,
        }
    }

    /// Parameters get their values from the first row.
    fn begin(&mut self, slots: &[f64]) -> io::Result<()> {
        self.begun = true;
        let Recording {
            selection,
            constants,
        } = &mut self.recording;
        self.writer.texts(&selection.texts)?;
        for &(index, slot, negated) in constants.iter() {
            let value = slots.get(slot as usize).copied().unwrap_or(f64::NAN);
            let value = if negated { -value } else { value };
            if !slots.is_empty() {
                self.undefined.constant(slot, value);
            }
            let source = &mut selection.variables[index].source;
            *source = match source {
                Source::Parameter(_) => Source::Parameter(value),
                _ => Source::Constant(value),
            };
        }
        self.writer.begin(&selection.variables)?;
        selection.variables = Vec::new();
        Ok(())
    }

    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        if !self.begun {
            self.begin(slots)?;
        }
        self.recording.selection.gather(slots, &mut self.row);
        let columns = &self.recording.selection.columns;
        (self.undefined).row(time, &self.row, |k| columns[k].index as Slot);
        self.writer.row(time, &self.row)
    }

    /// Without a single row, a file holds only the names.
    fn finish(&mut self) -> io::Result<()> {
        if !self.begun {
            self.begin(&[])?;
        }
        self.writer.finish()
    }
}

/// Hears of the time that a run has reached and of its steps; called at every step.
pub type Progress = Box<dyn FnMut(f64, u64) + Send>;

/// The sink of a run.
#[derive(Default)]
pub struct Recorder {
    file: Option<Output<ResultFile>>,
    memory: Option<Output<MemoryWriter>>,
    pub rows: u64,
    interrupt: Option<Arc<AtomicBool>>,
    progress: Option<Progress>,
    steps: u64,
    event_rows: EventRows,
    /// Output points of the run, and rows at events so far.
    points: u64,
    rows_at_events: u64,
    /// Time from which on rows at events were left out because there are too many.
    pub events_left_out: Option<f64>,
}

impl Recorder {
    /// Writes to a file, `-` for standard output; `inputs` are files that the run reads.
    pub fn to_file(
        mut self,
        recording: Recording,
        path: &Path,
        inputs: &[PathBuf],
    ) -> Result<Recorder, Failure> {
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        let writer = ferrica_results::create(path, &inputs);
        let writer = writer.map_err(|e| Failure::usage(e.to_string()))?;
        self.file = Some(Output::new(recording, writer));
        Ok(self)
    }

    /// Keeps the rows, for [`Recorder::into_table`].
    pub fn to_memory(mut self, recording: Recording) -> Recorder {
        self.memory = Some(Output::new(recording, MemoryWriter::default()));
        self
    }

    pub fn stop_when(mut self, interrupt: Arc<AtomicBool>) -> Recorder {
        self.interrupt = Some(interrupt);
        self
    }

    /// Which rows at events are taken, in a run of so many output points.
    pub fn with_event_rows(mut self, when: EventRows, points: u64) -> Recorder {
        self.event_rows = when;
        self.points = points;
        self
    }

    /// Which rows at events are taken.
    pub fn event_rows(&self) -> EventRows {
        self.event_rows
    }

    /// Rows at events that `auto` takes.
    fn most_event_rows(&self) -> u64 {
        let widths = [
            self.file.as_ref().map_or(1, |f| f.width),
            self.memory.as_ref().map_or(1, |m| m.width),
        ];
        let width = widths[0].max(widths[1]);
        let by_points = EVENT_ROWS_PER_POINT.saturating_mul(self.points.max(LEAST_POINTS));
        by_points.min(MOST_EVENT_NUMBERS / width)
    }

    /// Is the next row at an event to be taken?
    pub fn takes_event_row(&mut self, time: f64) -> bool {
        match self.event_rows {
            EventRows::On => true,
            EventRows::Off => false,
            EventRows::Auto if self.events_left_out.is_some() => false,
            EventRows::Auto => {
                self.rows_at_events += 1;
                if self.rows_at_events > self.most_event_rows() {
                    self.events_left_out = Some(time);
                }
                self.events_left_out.is_none()
            }
        }
    }

    pub fn show(mut self, progress: Progress) -> Recorder {
        self.progress = Some(progress);
        self
    }

    pub fn was_interrupted(&self) -> bool {
        self.interrupt
            .as_ref()
            .is_some_and(|i| i.load(Ordering::Relaxed))
    }

    /// Ends a run that is not complete: the rows of its file stay under the name that is returned.
    pub fn abandon(&mut self) -> (Option<PathBuf>, io::Result<()>) {
        self.progress = None;
        match &mut self.file {
            Some(file) => file.writer.abandon(),
            None => (None, Ok(())),
        }
    }

    /// Where the rows stand as long as the run is not complete.
    pub fn partial(&self) -> Option<PathBuf> {
        self.file.as_ref().and_then(|f| f.writer.partial())
    }

    /// Completes the file, which takes its place.
    pub fn finish(&mut self) -> io::Result<()> {
        self.progress = None;
        if let Some(memory) = &mut self.memory {
            memory.finish()?;
        }
        match &mut self.file {
            Some(file) => file.finish(),
            None => Ok(()),
        }
    }

    /// Values of the file that are not finite.
    pub fn undefined(&self) -> Option<&Undefined> {
        self.file.as_ref().map(|f| &f.undefined)
    }

    pub fn into_table(self) -> Option<ResultTable> {
        self.memory.map(|m| m.writer.into_table())
    }
}

impl Sink for Recorder {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.rows += 1;
        if let Some(memory) = &mut self.memory {
            memory.row(time, slots)?;
        }
        match &mut self.file {
            Some(file) => file.row(time, slots),
            None => Ok(()),
        }
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        if self.takes_event_row(time) {
            self.row(time, slots)
        } else {
            Ok(())
        }
    }

    fn wants_event_rows(&self) -> bool {
        match self.event_rows {
            EventRows::On => true,
            EventRows::Off => false,
            EventRows::Auto => self.events_left_out.is_none(),
        }
    }

    fn interrupted(&mut self) -> bool {
        self.was_interrupted()
    }

    fn progress(&mut self, time: f64) {
        self.steps += 1;
        if let Some(progress) = &mut self.progress {
            progress(time, self.steps);
        }
    }
}
