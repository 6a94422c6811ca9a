//! A compiled model that is led from one communication point to the next, with the solver it has.
//!
//! In: the state where it begins, then times and inputs. Out: rows, and the state at each time. Engines that begin each stage anew are not led like this.

use std::sync::Arc;

use ferrica_ir::Diagnostic;
use ferrica_sim::{Session, Sink};

/// Where a run begins, what has been initialized for it, and how far a step goes.
///
/// ```
/// use ferrica::engines::live::{Snapshot, Target};
/// let from = Snapshot { origin: 0.0, time: 2.0, slots: Vec::new(), memory: Vec::new() };
/// let step = Target { stop: from.time + 0.1, interval: 0.1, arriving: &[], to_event: true };
/// assert!(step.stop > from.time);
/// ```
pub use ferrica_sim::{Initialized, Snapshot, Target};

use crate::engines::solving::{Engine, engine};
use crate::failure::Failure;
use crate::guard::{Guard, Watched};
use crate::options::SolverOptions;
use crate::stages::grid::Grid;
use crate::stages::pipeline::Compiled;

/// See the module comment.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::engines::live::{Initialized, Live, Snapshot, Target};
/// # use ferrica::engines::recorder::Recorder;
/// # use std::sync::Arc;
/// let plan = ferrica_sim::Experiment::of(&compiled.model);
/// let problem = ferrica_sim::start(&compiled.model, &plan).unwrap().problem;
/// let (slots, memory) = (problem.ev.slots.clone(), problem.memory());
/// let from = Arc::new(Snapshot { origin: 0.0, time: 0.0, slots, memory });
/// let initialized = Initialized(Arc::new(problem.ev));
/// let mut live = Live::begin(&compiled, &grid, &Default::default(), from, &initialized)?.unwrap();
/// live.step(&compiled, &Target { stop: 0.5, interval: 0.1, arriving: &[], to_event: false }, &mut Recorder::default())?;
/// assert_eq!(live.time(), 0.5);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Live {
    session: Session,
    watched: Watched,
}

impl Live {
    /// Takes up a run; none where the engine, or what the model remembers, asks for stages.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::engines::live::{Initialized, Live, Snapshot, Target};
    /// # use ferrica::engines::recorder::Recorder;
    /// # use std::sync::Arc;
    /// let plan = ferrica_sim::Experiment::of(&compiled.model);
    /// let problem = ferrica_sim::start(&compiled.model, &plan).unwrap().problem;
    /// let (slots, memory) = (problem.ev.slots.clone(), problem.memory());
    /// let from = Arc::new(Snapshot { origin: 0.0, time: 0.0, slots, memory });
    /// let initialized = Initialized(Arc::new(problem.ev));
    /// let mut live = Live::begin(&compiled, &grid, &Default::default(), from, &initialized)?.unwrap();
    /// assert_eq!(live.time(), 0.0);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// # let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// # let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// # let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// # use ferrica::engines::live::{Initialized, Live, Snapshot, Target};
    /// # use ferrica::engines::recorder::Recorder;
    /// # use std::sync::Arc;
    /// # let plan = ferrica_sim::Experiment::of(&compiled.model);
    /// # let problem = ferrica_sim::start(&compiled.model, &plan).unwrap().problem;
    /// # let (slots, memory) = (problem.ev.slots.clone(), problem.memory());
    /// # let from = Arc::new(Snapshot { origin: 0.0, time: 0.0, slots, memory });
    /// # let initialized = Initialized(Arc::new(problem.ev));
    /// # let mut live = Live::begin(&compiled, &grid, &Default::default(), from, &initialized)?.unwrap();
    /// live.step(&compiled, &Target { stop: 0.5, interval: 0.1, arriving: &[], to_event: false }, &mut Recorder::default())?;
    /// let (x, _) = compiled.model.find("x").unwrap();
    /// assert!((live.slots()[x as usize] - (-0.5f64).exp()).abs() < 1e-5);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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

    /// The present time.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// # let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// # let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// # let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// # use ferrica::engines::live::{Initialized, Live, Snapshot, Target};
    /// # use ferrica::engines::recorder::Recorder;
    /// # use std::sync::Arc;
    /// # let plan = ferrica_sim::Experiment::of(&compiled.model);
    /// # let problem = ferrica_sim::start(&compiled.model, &plan).unwrap().problem;
    /// # let (slots, memory) = (problem.ev.slots.clone(), problem.memory());
    /// # let from = Arc::new(Snapshot { origin: 0.0, time: 0.0, slots, memory });
    /// # let initialized = Initialized(Arc::new(problem.ev));
    /// # let mut live = Live::begin(&compiled, &grid, &Default::default(), from, &initialized)?.unwrap();
    /// live.step(&compiled, &Target { stop: 0.5, interval: 0.1, arriving: &[], to_event: false }, &mut Recorder::default())?;
    /// assert_eq!(live.time(), 0.5);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn time(&self) -> f64 {
        self.session.time()
    }

    /// All slots at the present time.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// # let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// # let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// # let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// # use ferrica::engines::live::{Initialized, Live, Snapshot, Target};
    /// # use ferrica::engines::recorder::Recorder;
    /// # use std::sync::Arc;
    /// # let plan = ferrica_sim::Experiment::of(&compiled.model);
    /// # let problem = ferrica_sim::start(&compiled.model, &plan).unwrap().problem;
    /// # let (slots, memory) = (problem.ev.slots.clone(), problem.memory());
    /// # let from = Arc::new(Snapshot { origin: 0.0, time: 0.0, slots, memory });
    /// # let initialized = Initialized(Arc::new(problem.ev));
    /// # let mut live = Live::begin(&compiled, &grid, &Default::default(), from, &initialized)?.unwrap();
    /// let (x, _) = compiled.model.find("x").unwrap();
    /// assert_eq!(live.slots()[x as usize], 1.0);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn slots(&self) -> &[f64] {
        self.session.slots()
    }

    /// Why the model has ended the run.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// # let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// # let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// # let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// # use ferrica::engines::live::{Initialized, Live, Snapshot, Target};
    /// # use ferrica::engines::recorder::Recorder;
    /// # use std::sync::Arc;
    /// # let plan = ferrica_sim::Experiment::of(&compiled.model);
    /// # let problem = ferrica_sim::start(&compiled.model, &plan).unwrap().problem;
    /// # let (slots, memory) = (problem.ev.slots.clone(), problem.memory());
    /// # let from = Arc::new(Snapshot { origin: 0.0, time: 0.0, slots, memory });
    /// # let initialized = Initialized(Arc::new(problem.ev));
    /// # let mut live = Live::begin(&compiled, &grid, &Default::default(), from, &initialized)?.unwrap();
    /// assert_eq!(live.terminated(), None);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn terminated(&self) -> Option<&String> {
        self.session.terminated()
    }

    /// Warnings since the last call.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// # let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// # let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// # let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// # use ferrica::engines::live::{Initialized, Live, Snapshot, Target};
    /// # use ferrica::engines::recorder::Recorder;
    /// # use std::sync::Arc;
    /// # let plan = ferrica_sim::Experiment::of(&compiled.model);
    /// # let problem = ferrica_sim::start(&compiled.model, &plan).unwrap().problem;
    /// # let (slots, memory) = (problem.ev.slots.clone(), problem.memory());
    /// # let from = Arc::new(Snapshot { origin: 0.0, time: 0.0, slots, memory });
    /// # let initialized = Initialized(Arc::new(problem.ev));
    /// # let mut live = Live::begin(&compiled, &grid, &Default::default(), from, &initialized)?.unwrap();
    /// assert_eq!(live.warnings().count(), 0);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn warnings(&mut self) -> impl Iterator<Item = Diagnostic> {
        let all = self.session.warnings().iter();
        all.map(|w| Diagnostic::warning("W0601", w.span, w.message.clone()))
    }
}
