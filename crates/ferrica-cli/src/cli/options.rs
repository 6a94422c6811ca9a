//! From flags to the options of the library.

use ferrica::options::{
    ExperimentOptions, ModelOptions, RealTimeOptions, SolverOptions, StageOptions,
};

use super::exports::ExportSolverArgs;
use super::{ExperimentArgs, ModelArgs, RunArgs, SolverArgs, StageArgs};

impl ModelArgs {
    pub fn options(&self) -> ModelOptions {
        ModelOptions {
            file: self.file.clone(),
            text: None,
            model: self.model.clone(),
            libs: self.libs.clone(),
            params: self.params.clone(),
            allow_external: self.allow_external,
            ..ModelOptions::default()
        }
    }

    /// With the inputs of a run.
    pub fn driven_by(&self, run: &ExperimentArgs) -> ModelOptions {
        ModelOptions {
            input_file: run.input_file.clone(),
            hold_inputs: run.hold_inputs,
            ..self.options()
        }
    }
}

impl ExperimentArgs {
    pub fn options(&self) -> ExperimentOptions {
        ExperimentOptions {
            start: self.start,
            stop: self.stop,
            tol: self.tol,
            interval: self.interval,
            points: self.points,
        }
    }
}

impl SolverArgs {
    pub fn options(&self) -> SolverOptions {
        SolverOptions {
            solver: self.solver,
            step: self.step,
            steps: self.steps,
            quanta: self.quanta.clone(),
            hysteresis: self.hysteresis,
            quantum_growth: self.quantum_growth,
            iterations: self.iterations,
            bdf_start: self.bdf_start,
            inline: self.inline,
            partition: self.partition,
            threads: self.threads,
            rates: self.rates.clone(),
            stretch: self.stretch,
            verify: self.verify,
            trust_step: false,
            real_time: RealTimeOptions {
                formulation: self.real_time.formulation,
                refactor: self.real_time.refactor,
                residual_tolerance: self.real_time.residual_tolerance,
                ..RealTimeOptions::default()
            },
        }
    }
}

impl RunArgs {
    /// The solver, and the clock that it runs against.
    pub fn solver_options(&self) -> SolverOptions {
        let (solver, clock) = (self.solver.options(), &self.clock);
        SolverOptions {
            trust_step: self.trust_step,
            real_time: RealTimeOptions {
                realtime: clock.realtime,
                listen: clock.listen,
                listen_timeout: clock.listen_timeout,
                send_to: clock.send_to,
                latency_plot: clock.latency_plot.clone(),
                stage_times: clock.stage_times,
                constraint_rates: clock.constraint_rates.clone(),
                rates_of: clock.rates_of.clone(),
                ..solver.real_time
            },
            ..solver
        }
    }
}

impl ExportSolverArgs {
    pub fn options(&self) -> SolverOptions {
        SolverOptions {
            solver: self.solver,
            step: self.step,
            quanta: self.quanta.clone(),
            iterations: self.iterations,
            bdf_start: self.bdf_start,
            partition: self.partition,
            threads: self.threads,
            ..SolverOptions::default()
        }
    }
}

impl StageArgs {
    pub fn options(&self) -> StageOptions {
        StageOptions {
            checkpoint: self.checkpoint.clone(),
            every: self.every,
            resume: self.resume.clone(),
        }
    }
}
