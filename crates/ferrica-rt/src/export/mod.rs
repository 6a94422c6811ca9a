//! A model with a fixed-step solver as self-contained C99, for machines without this program.
//!
//! In: a model, an experiment and options. Out: files, for a program of its own or for the source of an FMU ([`fmu`]): `NAME.h`, `NAME.c` (`init`, `step`, inputs, parameters, results), `main.c` (a demo that prints CSV),
//! `realtime.c` (a loop by the clock), `NAME_sfun.c` (a block of Simulink), `NAME.json` (what goes in and out: [`channels`]; how much a step does at most: [`work`]) and a `Makefile`. The code is that of the causal formulation as
//! straight-line kernels, with the events of a run ([`hybrid`]); the model is initialized here, and its values
//! at the start are part of the code. No heap, no recursion, all sizes known at compile time.
//!
//! States that are chosen at run time, calls for their effect and models that are too long for straight-line code are
//! refused with a reason.

mod channels;
mod fmu;
mod formula;
mod frame;
mod hybrid;
mod messages;
mod programs;
mod step;
mod watch;
mod work;
mod writer;

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Failure};
use ferrica_sim::{Experiment, Sampler, SimError, TimeEvents, start};

pub use self::channels::{Channel, Channels};
pub use self::fmu::{Role, TOKEN, references};
use self::hybrid::Hybrid;
pub(crate) use self::hybrid::has_events;
use self::programs::start_values;
pub use self::work::Work;
use self::writer::Writer;
use crate::causal::Causal;
use crate::march::check_samplers;
use crate::method::{Method, RtOptions};
use crate::simulate::{check, dae_form};
use crate::step::causal_error;

/// Operations that straight-line code may have: compilers are superlinear in the length of a function.
const LIMIT: usize = 40_000;

/// A file to be written.
pub struct File {
    pub name: String,
    pub text: String,
}

/// What the code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A program of its own.
    Program,
    /// The source of an FMU for co-simulation, by the version of the interface.
    Fmu2,
    Fmu3,
}

/// The code, and what goes in and out.
pub struct Exported {
    pub files: Vec<File>,
    pub channels: Channels,
    pub step: f64,
    pub work: Work,
}

/// A variable that the code knows by name: name, slot, negated.
pub type Monitored = (String, u32, bool);

/// See the module comment. `name` is the prefix of all that is visible; `rows` steps lie between two rows of the demo.
pub fn export_c(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &RtOptions,
    name: &str,
    variables: &[Monitored],
    purpose: Purpose,
) -> Result<Exported, SimError> {
    let at = experiment.start;
    let grid = check(experiment, options)?;
    let refuse = |text: String| SimError::new("E0713", at, Failure::new(text));
    if options.method == Method::Ode {
        let text = "rt-ode has no form in C: use rt-bdf2 or rt-tr";
        return Err(refuse(text.to_string()));
    }
    let model = dae_form(model).map_err(|errors| {
        let why = errors.first().map_or("", |d| d.message.as_str());
        refuse(format!("the model has no DAE form: {why}"))
    })?;
    supported(&model).map_err(|what| refuse(format!("{what} cannot be written as C")))?;
    let mut p = start(&model, experiment)?.problem;
    let times = TimeEvents::new(&p.ev, at).map_err(|e| SimError::new("E0505", at, e))?;
    check_samplers(times.shortest_interval(), &grid, at)?;
    let methods = options.method.formulas(has_events(&model));
    let mut causal = Causal::new(&mut p, &methods, grid.step, LIMIT, None)
        .map_err(|e| causal_error(&mut p, at, e))?;
    if !causal.is_fused() {
        return Err(refuse(format!(
            "a step of the model is longer than {LIMIT} operations: too long for straight-line code"
        )));
    }
    causal.begin(&mut p);
    let tolerance = experiment.tolerance;
    let samplers = Sampler::after_start(&p.ev).map_err(|e| SimError::new("E0505", at, e))?;
    let writer = Writer {
        model: &model,
        causal: &causal,
        p: &p,
        grid,
        options,
        name,
        variables,
        hybrid: has_events(&model)
            .then(|| Hybrid::new(&model, &causal, &p, grid, options, tolerance, samplers)),
        starts: start_values(&p.ev),
        purpose,
    };
    writer.files(experiment).map_err(refuse)
}

fn supported(model: &CompiledModel) -> Result<(), &'static str> {
    let refused = [
        (
            !model.dynamic_states.is_empty(),
            "states that are chosen at run time",
        ),
        (!model.effects.is_empty(), "calls for their effect"),
    ];
    match refused.iter().find(|r| r.0) {
        Some(r) => Err(r.1),
        None => Ok(()),
    }
}
