//! Between a run and its result: takes rows of slots, writes rows of variables.
//!
//! Several variables may stand in one slot (aliases); each slot is one column of the result.
//! Parameters get their values with the first row, when the run has computed them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The place of a variable in a compiled model.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// let options = ModelOptions { text: Some("model M Real x = time; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut Log::default(), &mut Stats::default())?;
/// let (slot, negated): (ferrica::engines::recorder::Slot, bool) = compiled.model.find("x").unwrap();
/// assert!(!negated && compiled.model.var_name(slot) == "x");
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
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
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; Real y = 2*x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// use ferrica::engines::recorder::Recording;
/// assert_eq!(Recording::new(&compiled, &["y".to_owned()]).slots().len(), 1);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Recording {
    pub(crate) selection: Selection,
    /// Variables whose value is known with the first row: index in the selection, slot, negated.
    pub(crate) constants: Vec<(usize, Slot, bool)>,
}

impl Recording {
    /// The variables that match one of the patterns, all if there is none.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// assert!(!ferrica::engines::recorder::Recording::new(&compiled, &[]).is_empty());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn new(compiled: &Compiled, patterns: &[String]) -> Recording {
        Recording::limited(compiled, patterns, None)
    }

    /// Of the matching variables those in the given slots, and parameters.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// use ferrica::engines::recorder::Recording;
    /// let none = Default::default();
    /// assert!(Recording::limited(&compiled, &["x".to_owned()], Some(&none)).is_empty());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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

    /// The slots that must be up to date in every row.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// use ferrica::engines::recorder::Recording;
    /// let (slot, _) = compiled.model.find("x").unwrap();
    /// assert_eq!(Recording::new(&compiled, &["x".to_owned()]).slots(), [slot]);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn slots(&self) -> Vec<Slot> {
        self.selection
            .columns
            .iter()
            .map(|c| c.index as Slot)
            .collect()
    }

    /// Is nothing recorded?
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// assert!(ferrica::engines::recorder::Recording::new(&compiled, &["nothing".to_owned()]).is_empty());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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
///
/// ```
/// let show: ferrica::engines::recorder::Progress = Box::new(|time, steps| println!("{time}: {steps} steps"));
/// let recorder = ferrica::engines::recorder::Recorder::default().show(show);
/// ```
pub type Progress = Box<dyn FnMut(f64, u64) + Send>;

/// The sink of a run.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::engines::recorder::{Recorder, Recording};
/// let recording = Recording::new(&compiled, &["x".to_owned()]);
/// let wanted = Some(recording.slots());
/// let mut recorder = Recorder::default().to_memory(recording);
/// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
/// assert_eq!(recorder.rows, 501);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
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
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::recorder::{Recorder, Recording};
    /// let recording = Recording::new(&compiled, &["x".to_owned()]);
    /// let wanted = Some(recording.slots());
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-to-file-{}.mat", std::process::id()));
    /// let mut recorder = Recorder::default().to_file(recording, &file, &[])?;
    /// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
    /// recorder.finish().unwrap();
    /// assert!(file.exists());
    /// # std::fs::remove_file(file).unwrap();
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::recorder::{Recorder, Recording};
    /// let recording = Recording::new(&compiled, &["x".to_owned()]);
    /// let wanted = Some(recording.slots());
    /// let mut recorder = Recorder::default().to_memory(recording);
    /// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
    /// recorder.finish().unwrap();
    /// assert!(recorder.into_table().unwrap().series("x").is_some());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn to_memory(mut self, recording: Recording) -> Recorder {
        self.memory = Some(Output::new(recording, MemoryWriter::default()));
        self
    }

    /// A run ends once this flag is set.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::recorder::{Recorder, Recording};
    /// let recording = Recording::new(&compiled, &["x".to_owned()]);
    /// let wanted = Some(recording.slots());
    /// let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    /// let mut recorder = Recorder::default().to_memory(recording).stop_when(stop);
    /// let run = ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats);
    /// assert!(run.is_err() && recorder.was_interrupted());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn stop_when(mut self, interrupt: Arc<AtomicBool>) -> Recorder {
        self.interrupt = Some(interrupt);
        self
    }

    /// Which rows at events are taken, in a run of so many output points.
    ///
    /// ```
    /// use ferrica::{engines::recorder::Recorder, options::EventRows};
    /// let recorder = Recorder::default().with_event_rows(EventRows::Off, 500);
    /// assert_eq!(recorder.events_left_out, None);
    /// ```
    pub fn with_event_rows(mut self, when: EventRows, points: u64) -> Recorder {
        self.event_rows = when;
        self.points = points;
        self
    }

    /// Which rows at events are taken.
    pub(crate) fn event_rows(&self) -> EventRows {
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
    pub(crate) fn takes_event_row(&mut self, time: f64) -> bool {
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

    /// Tells somebody how far the run is.
    ///
    /// ```
    /// use ferrica::engines::recorder::Recorder;
    /// let recorder = Recorder::default().show(Box::new(|time, steps| println!("{time}: {steps} steps")));
    /// ```
    pub fn show(mut self, progress: Progress) -> Recorder {
        self.progress = Some(progress);
        self
    }

    /// Has the flag ended the run?
    ///
    /// ```
    /// assert!(!ferrica::engines::recorder::Recorder::default().was_interrupted());
    /// ```
    pub fn was_interrupted(&self) -> bool {
        self.interrupt
            .as_ref()
            .is_some_and(|i| i.load(Ordering::Relaxed))
    }

    /// Ends a run that is not complete: the rows of its file stay under the name that is returned.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::recorder::{Recorder, Recording};
    /// let recording = Recording::new(&compiled, &["x".to_owned()]);
    /// let wanted = Some(recording.slots());
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-abandon-{}.mat", std::process::id()));
    /// let mut recorder = Recorder::default().to_file(recording, &file, &[])?;
    /// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
    /// let (rows, outcome) = recorder.abandon();
    /// assert!(rows.as_ref().is_some_and(|r| r.exists()) && outcome.is_ok() && !file.exists());
    /// # std::fs::remove_file(rows.unwrap()).unwrap();
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn abandon(&mut self) -> (Option<PathBuf>, io::Result<()>) {
        self.progress = None;
        match &mut self.file {
            Some(file) => file.writer.abandon(),
            None => (None, Ok(())),
        }
    }

    /// Where the rows stand as long as the run is not complete.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::recorder::{Recorder, Recording};
    /// let recording = Recording::new(&compiled, &["x".to_owned()]);
    /// let wanted = Some(recording.slots());
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-partial-{}.mat", std::process::id()));
    /// let mut recorder = Recorder::default().to_file(recording, &file, &[])?;
    /// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
    /// let rows = recorder.partial().unwrap();
    /// assert!(rows.to_string_lossy().contains(".partial."));
    /// # recorder.abandon().1.unwrap();
    /// # let _ = std::fs::remove_file(rows);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn partial(&self) -> Option<PathBuf> {
        self.file.as_ref().and_then(|f| f.writer.partial())
    }

    /// Completes the file, which takes its place.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::recorder::{Recorder, Recording};
    /// let recording = Recording::new(&compiled, &["x".to_owned()]);
    /// let wanted = Some(recording.slots());
    /// let mut recorder = Recorder::default().to_memory(recording);
    /// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
    /// recorder.finish().unwrap();
    /// assert_eq!(recorder.into_table().unwrap().time.len(), 501);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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
    ///
    /// ```
    /// // Without a file nothing of it is undefined.
    /// assert!(ferrica::engines::recorder::Recorder::default().undefined().is_none());
    /// ```
    pub fn undefined(&self) -> Option<&Undefined> {
        self.file.as_ref().map(|f| &f.undefined)
    }

    /// The rows that were kept.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::recorder::{Recorder, Recording};
    /// let recording = Recording::new(&compiled, &["x".to_owned()]);
    /// let wanted = Some(recording.slots());
    /// let mut recorder = Recorder::default().to_memory(recording);
    /// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
    /// recorder.finish().unwrap();
    /// let table = recorder.into_table().unwrap();
    /// assert!((table.series("x").unwrap().last().unwrap() - (-1.0f64).exp()).abs() < 1e-5);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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
