//! A part with a variable-step solver of its own.
//!
//! The part gives its samples away on a grid, as all do. Between two points of the grid its solver takes the steps it
//! wants: what arrives is read from the samples of the others, interpolated, and all of it is known before the interval
//! begins, because no delay is shorter than the interval. Conditions are located where they change. Method and
//! history of the solver go on from one interval to the next; they begin anew at events.

use ferrica_codegen::model::CompiledModel;
use ferrica_codegen::{Evaluator, Failure};
use ferrica_hybrid::{Crossings, Side, SolverKind, Watch};
use ferrica_solvers::auto::Auto;
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::integrator::{Integrator, Options, Solution, SolverError, StepOutcome};
use ferrica_solvers::radau::RadauOde;
use ferrica_solvers::started::BdfStarted;
use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};

use crate::exchange::Exchange;
use crate::plan::ClusterPlan;
use crate::receive::receive;

enum Method {
    Auto(Box<Auto>),
    Bdf(Box<BdfStarted>),
    Radau(Box<RadauOde>),
    Dopri5(Box<Dopri5>),
}

/// See the module comment.
pub struct OwnSolver {
    method: Method,
    begun: bool,
    /// The conditions of the part.
    pub crossings: Crossings,
    /// Of each condition of the part: side and width of its hysteresis.
    sides: Vec<Side>,
    /// One of them that perhaps chatters.
    pub watch: Option<Watch>,
    y: Vec<f64>,
    pub evaluations: u64,
}

/// How an advance ended.
pub enum Advanced {
    /// At the end of the interval.
    Done,
    /// Conditions changed, at this time: numbers of their crossings.
    Event(f64, Vec<usize>),
}

/// The cluster and the interval that it is in.
pub struct Interval<'s> {
    pub plan: &'s ClusterPlan,
    pub exchange: &'s Exchange,
    pub done: u64,
    pub begin: f64,
    pub end: f64,
    /// Go on to here: the end, or where a condition of time changes.
    pub until: f64,
}

impl OwnSolver {
    /// Nothing for methods with a fixed step.
    pub fn new(
        kind: SolverKind,
        tolerance: f64,
        model: &CompiledModel,
        plan: &ClusterPlan,
    ) -> Option<OwnSolver> {
        let nominal: Vec<f64> = plan.states.iter().map(|s| model.nominal(s.0)).collect();
        let tolerance = if tolerance > 0.0 { tolerance } else { 1e-6 };
        let options = Options::with_nominal(tolerance, &nominal);
        let method = match kind {
            SolverKind::Auto => Method::Auto(Box::new(Auto::new(options))),
            SolverKind::Bdf => Method::Bdf(Box::new(BdfStarted::new(options))),
            SolverKind::Radau => Method::Radau(Box::new(RadauOde::new(options))),
            SolverKind::Dopri5 => Method::Dopri5(Box::new(Dopri5::new(options))),
            SolverKind::Rk4 | SolverKind::Euler => return None,
        };
        Some(OwnSolver {
            method,
            begun: false,
            crossings: Crossings::new(relations(plan).map(|k| k as usize).collect(), tolerance),
            sides: vec![Side::default(); relations(plan).count()],
            watch: None,
            y: Vec::new(),
            evaluations: 0,
        })
    }

    /// An event has changed something.
    pub fn begin_anew(&mut self) {
        self.begun = false;
    }

    /// Goes on from `t` towards the end of the interval. The slots hold the solution at `t` before, and where it ended after.
    pub fn advance(
        &mut self,
        t: f64,
        ev: &mut Evaluator,
        interval: &Interval<'_>,
    ) -> Result<Advanced, Failure> {
        if !self.begun {
            self.set_sides(ev);
        }
        let mut system = PartSystem {
            ev,
            interval,
            sides: &self.sides,
            watch: &mut self.watch,
            failure: None,
            evaluations: 0,
        };
        let done = match &mut self.method {
            Method::Auto(m) => march(&mut **m, &mut system, t, self.begun, &mut self.y),
            Method::Bdf(m) => march(&mut **m, &mut system, t, self.begun, &mut self.y),
            Method::Radau(m) => march(&mut **m, &mut system, t, self.begun, &mut self.y),
            Method::Dopri5(m) => march(&mut **m, &mut system, t, self.begun, &mut self.y),
        };
        self.begun = true;
        self.evaluations += system.evaluations;
        let failure = system.failure.take();
        let (at, hits) = done.map_err(|e| {
            let name = interval.plan.states.get(worst(&e)).map(|s| s.0);
            let name = name.map_or("", |slot| ev.model.var_name(slot));
            failure.unwrap_or_else(|| {
                let mut failure = Failure::new(format!("the solver of a partition stopped: {e}"));
                failure
                    .details
                    .push(format!("the error of `{name}` is largest"));
                failure
            })
        })?;
        ev.set_time(at);
        Ok(hits.map_or(Advanced::Done, |hits| Advanced::Event(at, hits)))
    }

    fn set_sides(&mut self, ev: &Evaluator) {
        for (k, side) in self.sides.iter_mut().enumerate() {
            *side = self.crossings.side(ev, k);
        }
    }
}

fn worst(e: &SolverError) -> usize {
    match *e {
        SolverError::ErrorTest { variable, .. } | SolverError::Convergence { variable, .. } => {
            variable
        }
        _ => usize::MAX,
    }
}

/// Steps until the end or an event; where it ended, and the crossings of the event.
fn march<'s, M>(
    method: &mut M,
    system: &mut PartSystem<'s>,
    t: f64,
    begun: bool,
    y: &mut Vec<f64>,
) -> Result<(f64, Option<Vec<usize>>), SolverError>
where
    M: Integrator<PartSystem<'s>> + Solution,
{
    if !begun {
        y.clear();
        y.extend((system.interval.plan.states.iter()).map(|&(x, _)| system.ev.slots[x as usize]));
        if method.y().len() == y.len() && method.t() > f64::NEG_INFINITY && !method.y().is_empty() {
            method.reinit(system, t, y, &[])?;
        } else {
            method.init(system, t, y, &[])?;
        }
    }
    let end = system.interval.until;
    loop {
        let outcome = method.step(system, end)?;
        let event = matches!(outcome, StepOutcome::RootFound { .. });
        if event || outcome == StepOutcome::ReachedTstop {
            for (&(x, _), &v) in system.interval.plan.states.iter().zip(method.y()) {
                system.ev.set(x, v);
            }
            let hits = || method.roots_found().iter().map(|h| h.index).collect();
            return Ok((method.t(), event.then(hits)));
        }
    }
}

fn relations(plan: &ClusterPlan) -> impl Iterator<Item = u32> {
    plan.eventful
        .iter()
        .flat_map(|p| p.scope.relations.iter().copied())
}

/// The part as the integrators see it.
struct PartSystem<'s> {
    ev: &'s mut Evaluator,
    interval: &'s Interval<'s>,
    sides: &'s [Side],
    watch: &'s mut Option<Watch>,
    failure: Option<Failure>,
    evaluations: u64,
}

impl PartSystem<'_> {
    fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        let i = self.interval;
        for (&(x, _), &v) in i.plan.states.iter().zip(y) {
            self.ev.set(x, v);
        }
        let fraction = ((t - i.begin) / (i.end - i.begin)).clamp(0.0, 1.0);
        for link in &i.plan.links {
            let table = &i.exchange.samples[link.from];
            receive(link, &link.reads, table, i.done, fraction, |slot, v| {
                self.ev.set(slot, v);
            });
        }
        self.ev.set_time(t);
        self.evaluations += 1;
        self.ev.run(&i.plan.core).map_err(|e| {
            self.failure = Some(e);
            EvalError::Recoverable(0)
        })
    }
}

impl RootFunctions for PartSystem<'_> {
    fn n_roots(&self) -> usize {
        self.sides.len()
    }

    fn roots(&mut self, t: f64, y: &[f64], _yp: &[f64], g: &mut [f64]) -> Result<(), EvalError> {
        self.evaluate(t, y)?;
        let model = &self.ev.model;
        for ((g, k), side) in g
            .iter_mut()
            .zip(relations(self.interval.plan))
            .zip(self.sides)
        {
            let r = &model.relations[k as usize];
            let z = self.ev.get(r.lhs) - self.ev.get(r.rhs);
            *g = side.root_at_begin(z);
        }
        if let Some(watch) = self.watch {
            watch.see(g, self.sides);
        }
        Ok(())
    }
}

impl OdeSystem for PartSystem<'_> {
    fn n(&self) -> usize {
        self.interval.plan.states.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
        self.evaluate(t, y)?;
        for (d, &(_, dx)) in ydot.iter_mut().zip(&self.interval.plan.states) {
            *d = self.ev.get(dx);
        }
        if ydot.iter().all(|d| d.is_finite()) {
            Ok(())
        } else {
            let text = format!("a derivative is not finite at time {t}");
            self.failure = Some(Failure::new(text));
            Err(EvalError::Recoverable(0))
        }
    }
}
