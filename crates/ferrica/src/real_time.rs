//! The flags of the real-time solvers, and their runs; quantized-state methods against the clock.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use ferrica_codegen::{CompiledModel, Failure as Failed};
use ferrica_qss::simulate::{Door, QssOptions, QssRun};
use ferrica_results::plot::{Axis, Figure, Mark, Series};
use ferrica_results::{ResultFile, ResultWriter, Source, VariableInfo, glob_matches};
use ferrica_rt::{Method, Pace, Peers, RealTime, RtOptions, Timing, exchange};
use ferrica_sim::{SimError, Sink, ValueSource, result_variables};

use crate::failure::Failure;
use crate::options::{BdfStart, Formulation, RealTimeOptions, SolverOptions};
use crate::results::pictures::write_picture;
use crate::stages::pipeline::Compiled;
use crate::stages::stats::Stats;

impl RealTimeOptions {
    /// The first flag that was given and that only these solvers know.
    fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.formulation.is_some(), "--formulation"),
            (self.refactor, "--refactor"),
            (self.residual_tolerance.is_some(), "--residual-tolerance"),
            (self.stage_times, "--stage-times"),
            (self.constraint_rates.is_some(), "--constraint-rates"),
        ];
        flags.iter().find(|f| f.0).map(|f| f.1)
    }
}

/// Says early which flags do not go together.
pub fn supported(args: &SolverOptions) -> Result<(), Failure> {
    let own = &args.real_time;
    let word = args.solver.word();
    let method = Method::from_name(word);
    let quantized = ferrica_qss::Method::parse(word).is_some() && args.partition.is_none();
    if method.is_none() {
        if let Some(flag) = own.given() {
            return Err(Failure::usage(format!(
                "{flag} belongs to the real-time solvers: add --solver rt-bdf2 or another rt- one"
            )));
        }
        if own.realtime && !quantized {
            return Err(Failure::usage(
                "--realtime belongs to the real-time solvers and the quantized-state methods: add --solver rt-bdf2 or liqss2, or another one of these",
            ));
        }
        if own.realtime && (args.verify || args.steps) {
            let flag = if args.verify { "--verify" } else { "--steps" };
            return Err(Failure::usage(format!(
                "{flag} does not go with --realtime and a quantized-state method"
            )));
        }
    }
    if let Some(tolerance) = own.residual_tolerance
        && !(tolerance >= 0.0 && tolerance.is_finite())
    {
        return Err(Failure::usage(format!(
            "--residual-tolerance {tolerance} is not a number from zero on"
        )));
    }
    if let Some(seconds) = own.listen_timeout
        && Duration::try_from_secs_f64(seconds).is_err()
    {
        return Err(Failure::usage(format!(
            "--listen-timeout {seconds} is not a time from zero on"
        )));
    }
    let full = [
        (own.refactor, "--refactor"),
        (own.stage_times, "--stage-times"),
        (own.constraint_rates.is_some(), "--constraint-rates"),
    ];
    if own.formulation == Some(Formulation::Causal)
        && let Some(flag) = full.iter().find(|f| f.0)
    {
        return Err(Failure::usage(format!(
            "{} needs --formulation full",
            flag.1
        )));
    }
    if method == Some(Method::Ode) && own.constraint_rates.is_some() {
        return Err(Failure::usage(
            "--constraint-rates has nothing to tell with rt-ode, which solves the differentiated constraints",
        ));
    }
    Ok(())
}

/// The options of a run.
pub fn options(method: Method, args: &SolverOptions) -> RtOptions {
    let mut options = RtOptions::new(method);
    if let Some(iterations) = args.iterations {
        options.iterations = iterations;
    }
    if args.bdf_start == Some(BdfStart::Constant) {
        options.start = ferrica_rt::BdfStart::Constant;
    }
    let own = &args.real_time;
    options.watch_constraints = own.constraint_rates.is_some();
    let full = own.refactor || own.stage_times || options.watch_constraints;
    if own.formulation == Some(Formulation::Full) || full {
        options.formulation = ferrica_rt::Formulation::Full;
    }
    options.always_factor = own.refactor;
    if let Some(tolerance) = own.residual_tolerance {
        options.residual_tolerance = tolerance;
    }
    options.stage_times = own.stage_times;
    options.real_time = own.realtime.then(|| clock(own));
    options
}

/// What paces a run.
fn clock(own: &RealTimeOptions) -> RealTime {
    let peers = (own.listen.is_some() || own.send_to.is_some()).then_some(Peers {
        listen: own.listen,
        send_to: own.send_to,
        listen_timeout: own.listen_timeout.map(Duration::from_secs_f64),
    });
    RealTime { peers }
}

/// A quantized-state method against the clock: it runs ahead to the next instant of the grid, and waits there. Its rows are kept until the end, as those of the real-time
/// solvers are. The lines tell what the clock said.
pub fn quantized(
    compiled: &Compiled,
    plan: &ferrica_sim::Experiment,
    options: &QssOptions,
    args: &RealTimeOptions,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<(QssRun, Vec<String>), SimError> {
    let model = &compiled.model;
    let (pace, times) = Pace::beside(model, plan, &clock(args))?;
    let pace = Rc::new(RefCell::new(pace));
    let own = pace.clone();
    let door = Door {
        period: plan.step.unwrap_or(plan.interval),
        times,
        inputs: exchange::inputs(model).iter().map(|i| i.0).collect(),
        outputs: exchange::outputs(model).iter().map(|o| o.0).collect(),
        talk: Box::new(move |k, time, slots| own.borrow_mut().turn((k, times), time, slots)),
    };
    let mut kept = KeptRows {
        pace: &pace,
        inner: sink,
        last: Vec::new(),
    };
    let mut options = options.clone();
    options.event_rows = false;
    let ended = ferrica_qss::simulate::simulate_open(model, plan, &options, Some(door), &mut kept);
    let last = kept.last;
    let mut pace = pace.borrow_mut();
    pace.end();
    let written = pace.write_rows(&last, sink);
    let mut run = ended?;
    written.map_err(|e| SimError::unwritten(run.stats.end_time, &e))?;
    let warnings = &mut run.stats.warnings;
    told_by_the_clock(compiled, plan, &pace.timing, args, (stats, warnings));
    Ok((run, pace.timing.summary()))
}

/// Rows for the end of the run.
struct KeptRows<'a> {
    pace: &'a RefCell<Pace>,
    inner: &'a mut dyn Sink,
    /// Slots of the last row.
    last: Vec<f64>,
}

impl Sink for KeptRows<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.pace.borrow_mut().keep_row(time, slots);
        self.last.resize(slots.len(), 0.0);
        self.last.copy_from_slice(slots);
        Ok(())
    }

    fn interrupted(&mut self) -> bool {
        self.inner.interrupted()
    }
}

/// Runs a compiled model.
pub fn simulate(
    compiled: &Compiled,
    plan: &ferrica_sim::Experiment,
    options: &RtOptions,
    args: &RealTimeOptions,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<ferrica_sim::Stats, SimError> {
    let model = match compiled.dae.get() {
        Some(model) => model,
        // One that has none is refused by the run, which says why.
        None => match stats.stage("codegen", || ferrica_rt::dae_form(&compiled.model)) {
            Ok(model) => compiled.dae.get_or_init(|| model),
            Err(_) => &compiled.model,
        },
    };
    let mut rates = match &args.constraint_rates {
        Some(path) => Some(Rates::new(path, &args.rates_of, model, plan)?),
        None => None,
    };
    let mut tell = |time: f64, norm: f64, derivatives: &[f64]| {
        if let Some(rates) = &mut rates {
            rates.row(time, norm, derivatives);
        }
    };
    let watch: Option<ferrica_rt::Watch> = match &args.constraint_rates {
        Some(_) => Some(&mut tell),
        None => None,
    };
    let ended = ferrica_rt::simulate_watched(model, plan, options, sink, watch);
    let mut run = ended?;
    // Of a run that failed, the rows stay under the name of a partial result.
    if let Some(rates) = rates {
        rates.finish(plan.start)?;
    }
    let steps = run.unconverged_steps as f64;
    stats.extra.push(("unconverged_steps", steps));
    let events = run.unsettled_events as f64;
    stats.extra.push(("unsettled_events", events));
    stats.extra.push(("iterated_unknowns", run.iterated as f64));
    let searches = run.pivot_searches as f64;
    stats.extra.push(("pivot_searches", searches));
    if let Some((last, largest)) = run.constraint_rate {
        stats.extra.push(("constraint_rate", last));
        stats.extra.push(("constraint_rate_max", largest));
    }
    let processor = run.processor_seconds;
    stats.extra.push(("processor_seconds", processor));
    if options.stage_times {
        let s = &run.stages;
        let other = s.all - s.residuals - s.tangent - s.linear - s.projection;
        stats.extra.push(("stage_residuals", s.residuals));
        stats.extra.push(("stage_tangent", s.tangent));
        stats.extra.push(("stage_linear_solver", s.linear));
        stats.extra.push(("stage_projection", s.projection));
        stats.extra.push(("stage_other", other));
    }
    if let Some(timing) = &run.timing {
        let warnings = &mut run.stats.warnings;
        told_by_the_clock(compiled, plan, timing, args, (stats, warnings));
    }
    stats.notes.extend(run.summary());
    Ok(run.stats)
}

/// Numbers, a line, a picture and warnings.
fn told_by_the_clock(
    compiled: &Compiled,
    plan: &ferrica_sim::Experiment,
    timing: &Timing,
    args: &RealTimeOptions,
    (stats, warnings): (&mut Stats, &mut Vec<ferrica_sim::Warning>),
) {
    clock_stats(timing, stats);
    stats.told.push(timing.headline());
    let step = plan.step.unwrap_or(plan.interval);
    if let Some(path) = &args.latency_plot
        && let Err(e) = write_picture(&latency_picture(&compiled.name, step, timing), path)
    {
        let text = format!("there is no picture of the latencies: {e}");
        warnings.push(warning(plan.stop, text));
    }
    if let Some(text) = timing.lost() {
        warnings.push(warning(plan.stop, text));
    }
}

fn warning(time: f64, message: String) -> ferrica_sim::Warning {
    ferrica_sim::Warning {
        time,
        message,
        span: ferrica_ir::Span::NONE,
    }
}

/// The file of ‖Φ̇‖ and of derivatives.
struct Rates {
    name: String,
    writer: ResultFile,
    /// Unknowns whose derivatives are written, with their sign.
    columns: Vec<(usize, f64)>,
    values: Vec<f64>,
    failed: Option<io::Error>,
}

impl Rates {
    fn new(
        path: &Path,
        patterns: &[String],
        model: &CompiledModel,
        plan: &ferrica_sim::Experiment,
    ) -> Result<Rates, SimError> {
        let name = path.display().to_string();
        let cannot = |why: String| {
            let text = format!("the file of --constraint-rates cannot be written: {why}");
            SimError::new("E0701", plan.start, Failed::new(text))
        };
        let mut writer = ferrica_results::create(path, &[]).map_err(|e| cannot(e.to_string()))?;
        let mut infos = vec![VariableInfo::new("constraint_rate", Source::Column)];
        let mut columns = Vec::new();
        let unknowns = model.dae.as_ref().map_or(&[][..], |d| &d.unknowns);
        let variables = result_variables(model);
        for pattern in patterns {
            let before = columns.len();
            for v in variables.iter().filter(|v| glob_matches(pattern, &v.name)) {
                let ValueSource::Slot(slot, negated) = v.source else {
                    continue;
                };
                if let Some(k) = unknowns.iter().position(|&u| u == slot) {
                    let name = format!("der({})", v.name);
                    infos.push(VariableInfo::new(name, Source::Column));
                    columns.push((k, if negated { -1.0 } else { 1.0 }));
                }
            }
            if columns.len() == before {
                let text = format!("--rates-of {pattern}: no unknown of the model has such a name");
                return Err(SimError::new("E0708", plan.start, Failed::new(text)));
            }
        }
        writer.begin(&infos).map_err(|e| cannot(e.to_string()))?;
        Ok(Rates {
            name,
            writer,
            columns,
            values: Vec::new(),
            failed: None,
        })
    }

    fn row(&mut self, time: f64, norm: f64, derivatives: &[f64]) {
        self.values.clear();
        self.values.push(norm);
        let columns = self.columns.iter().map(|&(k, sign)| sign * derivatives[k]);
        self.values.extend(columns);
        if self.failed.is_none() {
            self.failed = self.writer.row(time, &self.values).err();
        }
    }

    fn finish(mut self, at: f64) -> Result<(), SimError> {
        let done = match self.failed {
            Some(e) => Err(e),
            None => self.writer.finish(),
        };
        done.map_err(|e| {
            let text = format!("{} cannot be written: {e}", self.name);
            SimError::new("E0701", at, Failed::new(text))
        })
    }
}

fn clock_stats(timing: &Timing, stats: &mut Stats) {
    stats.deadline_misses = timing.deadline_misses;
    let work = &timing.work;
    let response = &timing.response;
    let flag = |b: bool| f64::from(u8::from(b));
    stats.extra.extend([
        ("step_min", work.min()),
        ("step_median", work.percentile(0.5)),
        ("step_p99", work.percentile(0.99)),
        ("step_p999", work.percentile(0.999)),
        ("step_max", work.max()),
        ("response_min", response.min()),
        ("response_median", response.percentile(0.5)),
        ("response_p99", response.percentile(0.99)),
        ("response_p999", response.percentile(0.999)),
        ("response_max", response.max()),
        ("longest_step", timing.longest.0),
        ("longest_step_time", timing.longest.1),
        ("memory_locked", flag(timing.memory_locked)),
        ("real_time_priority", flag(timing.real_time_priority)),
    ]);
    if let Some(t) = &timing.traffic {
        stats.extra.extend([
            ("datagrams_received", t.received as f64),
            ("datagrams_sent", t.sent as f64),
            ("datagrams_missing", t.missing as f64),
            ("datagrams_late", t.late as f64),
            ("datagrams_rejected", t.rejected as f64),
            ("datagrams_unsent", t.unsent as f64),
            ("datagrams_restarts", t.restarts as f64),
        ]);
    }
}

/// Bars of a decade in the picture of latencies.
const BARS_A_DECADE: f64 = 12.0;

/// How many steps took how long, as bars, with the deadline.
fn latency_picture(name: &str, step: f64, timing: &Timing) -> Figure {
    let mut figure = Figure::new(
        format!("{name}: {} deadlines missed", timing.deadline_misses),
        Axis::new("time [µs]").log(),
        Axis::new("steps").log(),
    );
    let mut tallest: f64 = 1.0;
    for (what, histogram) in [
        ("response", &timing.response),
        ("work of a step", &timing.work),
    ] {
        let mut bars: Vec<(f64, f64)> = Vec::new();
        for (seconds, steps) in histogram.bars() {
            let bar = ((seconds * 1e6).log10() * BARS_A_DECADE).floor();
            let middle = 10f64.powf((bar + 0.5) / BARS_A_DECADE);
            match bars.last_mut() {
                Some(last) if last.0 == middle => last.1 += steps as f64,
                _ => bars.push((middle, steps as f64)),
            }
        }
        tallest = bars.iter().fold(tallest, |m, b| m.max(b.1));
        let (x, y) = bars.into_iter().unzip();
        let width = 1.0 / BARS_A_DECADE;
        figure = figure.with(Series::new(what, x, y, Mark::Bars { width }));
    }
    // A single step has a bar that can be seen.
    figure.panels[0].y.range = Some((0.5, 2.0 * tallest));
    figure.with_limit(format!("deadline {} µs", 1e6 * step), 1e6 * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_bars_with_the_deadline() {
        let mut timing = Timing::default();
        for k in 0..1000u64 {
            timing.work.add(20_000 + k);
            timing.response.add(60_000 + 100 * k);
        }
        let figure = latency_picture("M", 1e-3, &timing);
        let panel = &figure.panels[0];
        for series in &panel.series {
            assert!(matches!(series.mark, Mark::Bars { .. }));
            assert_eq!(series.y.iter().sum::<f64>(), 1000.0);
        }
        assert_eq!(panel.limits[0].x, 1000.0);
        assert!(ferrica_results::plot::to_svg(&figure).contains("deadline 1000 µs"));
    }
}
