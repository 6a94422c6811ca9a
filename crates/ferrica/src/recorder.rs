//! Between a run and its result: takes rows of slots, writes rows of variables.
//!
//! Several variables may stand in one slot (aliases); each slot is one column of the result.
//! Parameters get their values with the first row, when the run has computed them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ferrica_codegen::{CompiledModel, Slot};
use ferrica_results::{
    MemoryWriter, ResultTable, ResultWriter, SelectedColumn, Selection, Source, VariableInfo,
    glob_matches,
};
use ferrica_sim::{ResultVariable, Sink, ValueSource, result_variables};
use rustc_hash::FxHashMap;

use crate::failure::Failure;
use crate::progress::Progress;

/// Which variables are recorded, and where their values stand.
pub struct Recording {
    selection: Selection,
    /// Variables whose value is known with the first row: index in the selection, slot, negated.
    constants: Vec<(usize, Slot, bool)>,
}

impl Recording {
    /// The variables that match one of the patterns, all if there is none.
    pub fn new(model: &CompiledModel, patterns: &[String]) -> Recording {
        let mut recording = Recording {
            selection: Selection::default(),
            constants: Vec::new(),
        };
        let mut holder: FxHashMap<Slot, (usize, bool)> = FxHashMap::default();
        for variable in result_variables(model) {
            if !patterns.is_empty() && !patterns.iter().any(|p| glob_matches(p, &variable.name)) {
                continue;
            }
            recording.add(model, variable, !patterns.is_empty(), &mut holder);
        }
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
                // A parameter that is asked for by name shows up in every format.
                if asked_for {
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
            unit: declared.unit.clone(),
            description: declared.description.clone(),
            source,
        });
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

/// The sink of a run.
pub struct Recorder {
    recording: Recording,
    writers: Vec<Box<dyn ResultWriter + Send>>,
    memory: Option<MemoryWriter>,
    row: Vec<f64>,
    begun: bool,
    pub rows: u64,
    interrupt: Option<Arc<AtomicBool>>,
    progress: Option<Progress>,
    steps: u64,
}

impl Recorder {
    pub fn new(recording: Recording) -> Recorder {
        Recorder {
            recording,
            writers: Vec::new(),
            memory: None,
            row: Vec::new(),
            begun: false,
            rows: 0,
            interrupt: None,
            progress: None,
            steps: 0,
        }
    }

    /// Also writes to a file, `-` for standard output.
    pub fn to_file(mut self, path: &Path) -> Result<Recorder, Failure> {
        let writer = ferrica_results::create(path).map_err(|e| Failure::usage(e.to_string()))?;
        self.writers.push(writer);
        Ok(self)
    }

    /// Also keeps the rows, for [`Recorder::into_table`].
    pub fn to_memory(mut self) -> Recorder {
        self.memory = Some(MemoryWriter::default());
        self
    }

    pub fn stop_when(mut self, interrupt: Arc<AtomicBool>) -> Recorder {
        self.interrupt = Some(interrupt);
        self
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

    fn outputs(&mut self) -> impl Iterator<Item = &mut dyn ResultWriter> {
        let files = self
            .writers
            .iter_mut()
            .map(|w| &mut **w as &mut dyn ResultWriter);
        files.chain(self.memory.as_mut().map(|m| m as &mut dyn ResultWriter))
    }

    fn begin(&mut self, slots: &[f64]) -> io::Result<()> {
        self.begun = true;
        for &(index, slot, negated) in &self.recording.constants {
            let value = slots.get(slot as usize).copied().unwrap_or(f64::NAN);
            let value = if negated { -value } else { value };
            let source = &mut self.recording.selection.variables[index].source;
            *source = match source {
                Source::Parameter(_) => Source::Parameter(value),
                _ => Source::Constant(value),
            };
        }
        let variables = std::mem::take(&mut self.recording.selection.variables);
        for output in self.outputs() {
            output.begin(&variables)?;
        }
        Ok(())
    }

    /// Completes the files. Without a single row they hold only the names.
    pub fn finish(&mut self) -> io::Result<()> {
        self.progress = None;
        if !self.begun {
            self.begin(&[])?;
        }
        for output in self.outputs() {
            output.finish()?;
        }
        Ok(())
    }

    pub fn into_table(self) -> Option<ResultTable> {
        self.memory.map(MemoryWriter::into_table)
    }
}

impl Sink for Recorder {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        if !self.begun {
            self.begin(slots)?;
        }
        self.rows += 1;
        let mut row = std::mem::take(&mut self.row);
        self.recording.selection.gather(slots, &mut row);
        let written = self.outputs().try_for_each(|output| output.row(time, &row));
        self.row = row;
        written
    }

    fn interrupted(&mut self) -> bool {
        self.was_interrupted()
    }

    fn progress(&mut self, time: f64) {
        self.steps += 1;
        if let Some(progress) = &mut self.progress {
            progress.update(time, self.steps);
        }
    }
}
