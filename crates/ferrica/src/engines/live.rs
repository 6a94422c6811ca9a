//! A compiled model that is led from one communication point to the next, with the solver it has.
//!
//! In: the state where it begins, then times and inputs. Out: rows, and the state at each time. Engines that begin each stage anew are not led like this.

use std::sync::Arc;

use ferrica_ir::Diagnostic;
use ferrica_sim::{Initialized, Session, Sink, Snapshot, Target};

use crate::engines::solving::{Engine, engine};
use crate::failure::Failure;
use crate::guard::{Guard, Watched};
use crate::options::SolverOptions;
use crate::stages::grid::Grid;
use crate::stages::pipeline::Compiled;

/// See the module comment.
pub struct Live {
    session: Session,
    watched: Watched,
}

impl Live {
    /// Takes up a run; none where the engine, or what the model remembers, asks for stages.
    pub fn begin(
        compiled: &Compiled,
        grid: &Grid,
        args: &SolverOptions,
        from: Arc<Snapshot>,
        initialized: &Initialized,
    ) -> Result<Option<Live>, Failure> {
        let Engine::Classic(kind) = engine(compiled, args)? else {
            return Ok(None);
        };
        if args.partition.is_some() || args.verify {
            return Ok(None);
        }
        let plan = ferrica_sim::Experiment {
            start: from.time,
            stop: grid.stop,
            tolerance: grid.tolerance,
            interval: grid.interval,
            solver: kind,
            step: args.step,
            values: compiled.values.clone(),
            wanted: None,
            from: Some(from),
            arriving: Vec::new(),
            more: true,
            initialized: Some(initialized.clone()),
        };
        let session = Session::new(&compiled.model, plan);
        let session = session.map_err(|e| Failure::model(e.diagnostic()))?;
        Ok(session.map(|session| Live {
            session,
            watched: Watched::new(&compiled.model, None),
        }))
    }

    /// Goes on. True if an event ended the step. After an error there is nothing to go on with.
    pub fn step(
        &mut self,
        compiled: &Compiled,
        target: &Target,
        sink: &mut dyn Sink,
    ) -> Result<bool, Failure> {
        let mut guard = Guard::new(&compiled.model, self.watched.clone(), None, sink);
        let done = self.session.step(target, &mut guard);
        if let Some(found) = guard.found {
            return Err(Failure::model(found.told(&compiled.model).1));
        }
        done.map_err(|e| Failure::model(e.diagnostic()))
    }

    pub fn time(&self) -> f64 {
        self.session.time()
    }

    /// All slots at the present time.
    pub fn slots(&self) -> &[f64] {
        self.session.slots()
    }

    /// Why the model has ended the run.
    pub fn terminated(&self) -> Option<&String> {
        self.session.terminated()
    }

    /// Warnings since the last call.
    pub fn warnings(&mut self) -> impl Iterator<Item = Diagnostic> {
        let all = self.session.warnings().iter();
        all.map(|w| Diagnostic::warning("W0601", w.span, w.message.clone()))
    }
}
