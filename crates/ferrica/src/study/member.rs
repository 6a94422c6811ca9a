//! One run of a study.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ferrica_codegen::Slot;
use ferrica_ir::print::brief;
use ferrica_sim::{Sink, ValueSource, result_variables};
use rustc_hash::FxHashMap;

use super::Study;
use super::measure::Gauge;
use crate::engines::solving;
use crate::failure::Failure;
use crate::options::{Assignment, SolverOptions};
use crate::stages::pipeline::{self, Compiled};
use crate::stages::stats::Stats;

/// Gives the rows of a run to the gauges.
struct Gauges {
    list: Vec<(Slot, bool, Gauge)>,
    stop: Arc<AtomicBool>,
}

impl Sink for Gauges {
    fn row(&mut self, time: f64, slots: &[f64]) -> std::io::Result<()> {
        for (slot, negated, gauge) in &mut self.list {
            let v = slots.get(*slot as usize).copied().unwrap_or(f64::NAN);
            gauge.take(time, if *negated { -v } else { v });
        }
        Ok(())
    }

    fn interrupted(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Study {
    /// The model with the values of one run, as `run -p` has it; what there is to warn of has been said of the first one.
    fn compile(&self, values: &[Assignment]) -> Result<Compiled, Failure> {
        if let Some(values) = self.first.numbers_at_run_time(values) {
            return Ok(Compiled {
                values,
                ..self.first.clone()
            });
        }
        let flat = pipeline::with_values(&self.loaded, values)?;
        if let Some(imbalance) = flat.imbalance {
            return Err(Failure::model(imbalance));
        }
        let kept = (self.plan.solver.solver.bond_graph_order().is_some())
            .then(|| Arc::new(flat.model.clone()));
        let options = ferrica_structure::Options::default();
        let causal = ferrica_structure::compile(flat.model, &options).map_err(Failure::Model)?;
        let model = pipeline::generate(causal.model, &self.plan.model, &mut Stats::default())?;
        Ok(Compiled {
            model,
            name: self.loaded.name.clone(),
            texts: 0,
            values: Vec::new(),
            dae: Arc::default(),
            flat: kept,
            inlined: false,
            asks_for_formula: self.first.asks_for_formula,
            driven: self.loaded.driven.clone(),
        })
    }

    /// The cells of a run, or why there are none: the code of the message first.
    pub(super) fn simulate(&self, values: &[Assignment]) -> Result<Vec<f64>, String> {
        let compiled = self.compile(values).map_err(|e| coded(&e, ""))?;
        let places: FxHashMap<String, ValueSource> = (result_variables(&compiled.model)
            .into_iter())
        .map(|v| (v.name, v.source))
        .collect();
        let times = Arc::new(self.grid.times());
        let place = |column: &super::Measure| match places.get(&column.pattern) {
            Some(ValueSource::Slot(slot, negated) | ValueSource::Parameter(slot, negated)) => {
                Ok((*slot, *negated, Gauge::new(column.kind, &times)))
            }
            None => {
                let name = &column.pattern;
                Err(format!("with these values the model has no `{name}`"))
            }
        };
        let list: Vec<_> = self.columns.iter().map(place).collect::<Result<_, _>>()?;
        let wanted = Some(list.iter().map(|c| c.0).collect());
        let mut gauges = Gauges {
            list,
            stop: Arc::clone(&self.plan.stop),
        };
        let alone = solving::Stage {
            alone: true,
            ..solving::Stage::default()
        };
        // Nobody would hear of it.
        let solver = SolverOptions {
            trust_step: true,
            ..self.plan.solver.clone()
        };
        let ended = solving::simulate_stage(
            &compiled,
            &self.grid,
            &solver,
            wanted,
            alone,
            &mut gauges,
            &mut Stats::default(),
        );
        match ended {
            Ok(_) => Ok((gauges.list.into_iter())
                .flat_map(|(_, _, gauge)| gauge.cells())
                .collect()),
            Err(broken) => {
                let at = format!("at {}: ", brief(broken.time));
                Err(coded(&broken.reason, &at))
            }
        }
    }
}

/// The message with its code, if it has one.
fn coded(failure: &Failure, at: &str) -> String {
    match failure {
        Failure::Model(list) if !list.is_empty() => format!("{}: {at}{failure}", list[0].code),
        _ => format!("{at}{failure}"),
    }
}
