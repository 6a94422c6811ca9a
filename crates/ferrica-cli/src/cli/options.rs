//! From flags to the options of the library.

use ferrica::options::{
    ExperimentOptions, ModelOptions, RealTimeOptions, SolverOptions, StageOptions,
};

use super::{ExperimentArgs, ModelArgs, RealTimeArgs, SolverArgs, StageArgs};

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
            real_time: self.real_time.options(),
        }
    }
}

impl RealTimeArgs {
    fn options(&self) -> RealTimeOptions {
        RealTimeOptions {
            formulation: self.formulation,
            refactor: self.refactor,
            residual_tolerance: self.residual_tolerance,
            realtime: self.realtime,
            listen: self.listen,
            listen_timeout: self.listen_timeout,
            send_to: self.send_to,
            latency_plot: self.latency_plot.clone(),
            stage_times: self.stage_times,
            constraint_rates: self.constraint_rates.clone(),
            rates_of: self.rates_of.clone(),
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
