//! Rows of a run as columns in memory.

use std::io;
use std::sync::Arc;

use ferrica_codegen::{Evaluator, Slot};
use ferrica_results::{Declaration, Source};
use ferrica_sim::Sink;
use rustc_hash::FxHashMap;

use crate::engines::recorder::Recording;
use crate::experiment::{Interrupt, Watch};
use crate::undefined::Undefined;

/// Where the values of a variable are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A column, or its negative.
    Column(usize, bool),
    /// One value for all times.
    Constant(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub name: String,
    pub declared: Declaration,
    pub place: Place,
    pub is_parameter: bool,
}

/// Which variables a run keeps; shared by all runs that keep the same.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub variables: Vec<Named>,
    pub index: FxHashMap<String, usize>,
    /// Slot and sign of each column and of each constant.
    pub columns: Vec<(Slot, bool)>,
    pub constants: Vec<(Slot, bool)>,
}

impl Kept {
    pub fn new(recording: &Recording) -> Kept {
        let mut kept = Kept::default();
        let columns = recording.selection.columns.iter();
        kept.columns = columns.map(|c| (c.index as Slot, c.negated)).collect();
        let constants = recording.constants.iter();
        kept.constants = constants.map(|&(_, slot, neg)| (slot, neg)).collect();
        let (mut next_column, mut next_constant) = (0, 0);
        for v in &recording.selection.variables {
            let place = match v.source {
                Source::Column => {
                    next_column += 1;
                    Place::Column(next_column - 1, false)
                }
                Source::Alias { of, negated } => match kept.variables[of].place {
                    Place::Column(k, sign) => Place::Column(k, sign != negated),
                    constant => constant,
                },
                Source::Parameter(_) | Source::Constant(_) => {
                    next_constant += 1;
                    Place::Constant(next_constant - 1)
                }
            };
            kept.index.insert(v.name.clone(), kept.variables.len());
            kept.variables.push(Named {
                name: v.name.clone(),
                declared: v.declared.clone(),
                place,
                is_parameter: matches!(v.source, Source::Parameter(_)),
            });
        }
        kept
    }

    pub fn slots(&self) -> Vec<Slot> {
        self.columns.iter().map(|c| c.0).collect()
    }
}

/// The sink of a run.
pub(crate) struct Columns {
    pub kept: Arc<Kept>,
    pub time: Vec<f64>,
    pub columns: Vec<Vec<f64>>,
    pub constants: Vec<f64>,
    pub undefined: Undefined,
    pub event_rows: bool,
    pub interrupt: Option<Interrupt>,
    pub watch: Option<Watch>,
    /// All slots and the memory of delays at the end of a stage.
    pub end: Option<(Vec<f64>, Vec<f64>)>,
    row: Vec<f64>,
}

impl Columns {
    pub fn new(kept: Arc<Kept>, event_rows: bool, interrupt: Option<Interrupt>) -> Columns {
        Columns {
            columns: vec![Vec::new(); kept.columns.len()],
            kept,
            time: Vec::new(),
            constants: Vec::new(),
            undefined: Undefined::default(),
            event_rows,
            interrupt,
            watch: None,
            end: None,
            row: Vec::new(),
        }
    }
}

fn signed(slots: &[f64], &(slot, negated): &(Slot, bool)) -> f64 {
    let value = slots.get(slot as usize).copied().unwrap_or(f64::NAN);
    if negated { -value } else { value }
}

impl Sink for Columns {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        if self.time.is_empty() {
            let constants = self.kept.constants.iter();
            self.constants = constants.map(|c| signed(slots, c)).collect();
            for (c, &value) in self.kept.constants.iter().zip(&self.constants) {
                self.undefined.constant(c.0, value);
            }
        }
        if let Some(watch) = &self.watch {
            watch.tell(time);
        }
        self.time.push(time);
        self.row.clear();
        self.row
            .extend(self.kept.columns.iter().map(|c| signed(slots, c)));
        let columns = &self.kept.columns;
        self.undefined.row(time, &self.row, |k| columns[k].0);
        for (column, value) in self.columns.iter_mut().zip(&self.row) {
            column.push(*value);
        }
        Ok(())
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        match self.event_rows {
            true => self.row(time, slots),
            false => Ok(()),
        }
    }

    fn wants_event_rows(&self) -> bool {
        self.event_rows
    }

    fn interrupted(&mut self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::asked)
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.end = Some((ev.slots.clone(), memory.to_vec()));
    }
}
