//! Do the options fit the solver?
//!
//! In: the words of the command line. Out: an error for the first option that the chosen solver would not look at, with the
//! solvers that do. An option that silently does nothing would be taken for one that has no influence.

use crate::engines::partitioned;
use crate::engines::solving::{Engine, kind};
use crate::failure::Failure;
use crate::options::SolverOptions;

/// Solvers that look at an option, in words.
const QUANTIZED: &str =
    "qss1, qss2, qss3, liqss1, liqss2, liqss3, mliqss1, mliqss2, mliqss3, cqss, qbg, qbg2 and qbg3";
const REAL_TIME: &str = "rt-bdf1, rt-bdf2, rt-bdf3, rt-tr, rt-trnp and rt-ode";
const FIXED: &str = "rk4, euler, the rt- solvers, --realtime, --partition tlm and --inline";

/// The first option that the solver does not look at.
///
/// ```
/// use ferrica::{engines::fitting::fits, options::{Solver, SolverOptions}};
/// let mut options = SolverOptions { solver: Solver::Bdf, steps: true, ..SolverOptions::default() };
/// assert!(fits(&options).is_err());
/// options.solver = Solver::Qss2;
/// assert!(fits(&options).is_ok());
/// ```
pub fn fits(args: &SolverOptions) -> Result<(), Failure> {
    let engine = kind(args.solver)?;
    let bond_graph = matches!(engine, Engine::BondGraph);
    let quantized = bond_graph || matches!(engine, Engine::Quantized(_));
    let real_time = matches!(engine, Engine::FixedStep(_));
    let options = [
        ("--steps", args.steps, quantized, QUANTIZED),
        ("--quantum", !args.quanta.is_empty(), quantized, QUANTIZED),
        (
            "--hysteresis",
            args.hysteresis.is_some(),
            args.solver.bond_graph_order() == Some(1),
            "qbg",
        ),
        (
            "--quantum-growth",
            args.quantum_growth.is_some(),
            bond_graph,
            "qbg, qbg2 and qbg3",
        ),
        (
            "--step",
            args.step.is_some(),
            !quantized || args.real_time.realtime,
            FIXED,
        ),
        (
            "--iterations",
            args.iterations.is_some(),
            real_time,
            REAL_TIME,
        ),
        (
            "--bdf-start",
            args.bdf_start.is_some(),
            real_time,
            REAL_TIME,
        ),
    ];
    match options.iter().find(|(_, given, fits, _)| *given && !fits) {
        Some((option, _, _, solvers)) => Err(Failure::usage_with_hint(
            format!("{option} has no meaning for `{}`", args.solver.word()),
            format!("it is for {solvers}"),
        )),
        None => Ok(()),
    }
}

/// `--step` beside a solver that chooses its own steps: that means something only where derivatives are difference formulas,
/// which the model itself may say (`inlined`).
///
/// ```
/// use ferrica::{engines::fitting::without_effect, options::{Solver, SolverOptions}};
/// let options = SolverOptions { solver: Solver::Bdf, step: Some(1e-3), ..SolverOptions::default() };
/// assert!(without_effect(&options, false).is_some() && without_effect(&options, true).is_none());
/// ```
pub fn without_effect(args: &SolverOptions, inlined: bool) -> Option<String> {
    let Ok(Engine::Classic(solver)) = kind(args.solver) else {
        return None;
    };
    let fixed = solver.has_fixed_steps();
    if args.step.is_none() || fixed || inlined || args.inline.is_some() || partitioned::is_on(args)
    {
        return None;
    }
    Some(format!(
        "--step has no effect with `{}`, which chooses its own steps: it is for {FIXED}",
        args.solver.word()
    ))
}
