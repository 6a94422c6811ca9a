//! What delayed signals were before a stage of a run began.
//!
//! For each delay: its value before the start of the whole run, and the last samples of its source. A stage ends by writing
//! them down as numbers and the next one reads them, on any number of threads.

use ferrica_codegen::Evaluator;

/// First of the numbers: what follows are lists of samples.
const SAMPLES: f64 = 2.0;

#[derive(Clone, Debug, Default)]
pub struct History {
    /// Before the start of the run.
    pub first: Vec<f64>,
    /// Latest sample first; empty at the start of the run, where the present value is the only one.
    pub samples: Vec<Vec<f64>>,
}

impl History {
    /// At the start of a run.
    pub fn none(ev: &Evaluator) -> History {
        let delays = &ev.model.delays;
        History {
            first: delays.iter().map(|d| ev.get(d.result)).collect(),
            samples: vec![Vec::new(); delays.len()],
        }
    }

    /// From the numbers of [`History::numbers`].
    pub fn read(numbers: &[f64], ev: &Evaluator) -> History {
        let mut history = History::none(ev);
        history.replace(numbers);
        history
    }

    /// Becomes what these numbers say, if they say anything.
    pub fn replace(&mut self, numbers: &[f64]) {
        let mut rest = numbers.iter().copied();
        if rest.next() != Some(SAMPLES) {
            return;
        }
        for (own, samples) in self.first.iter_mut().zip(&mut self.samples) {
            let (Some(first), Some(count)) = (rest.next(), rest.next()) else {
                break;
            };
            *own = first;
            *samples = rest.by_ref().take(count as usize).collect();
        }
    }

    pub fn numbers(&self) -> Vec<f64> {
        let mut out = vec![SAMPLES];
        for (first, samples) in self.first.iter().zip(&self.samples) {
            out.extend([*first, samples.len() as f64]);
            out.extend_from_slice(samples);
        }
        out
    }

    /// The same before the start, with nothing known since.
    pub fn emptied(&self) -> History {
        History {
            first: self.first.clone(),
            samples: vec![Vec::new(); self.first.len()],
        }
    }

    /// Sample so many steps ago.
    pub fn sample(&self, delay: u32, ago: u64) -> Option<f64> {
        self.samples[delay as usize].get(ago as usize).copied()
    }

    /// Keeps the longer of two lists.
    pub fn add(&mut self, delay: u32, samples: Vec<f64>) {
        let kept = &mut self.samples[delay as usize];
        if samples.len() > kept.len() {
            *kept = samples;
        }
    }
}
