//! Pictures of analyses: what the command line writes to files and notebooks show.
//!
//! In: what an analysis has found. Out: a [`Figure`], which [`crate::results::plot`] makes SVG, PNG or text of.

use ferrica_results::plot::{Axis, Figure, Mark, Panel, Series};

use crate::error::Error;
use crate::experiment::Experiment;
use crate::fit::{Fit, Measured};
use crate::linearize::Linear;
use crate::model::Model;
use crate::modes::Mode;
use crate::run::Run;
use crate::sensitivity::Sensitivities;
use crate::spectrum::Spectrum;
use crate::study::bands;

fn empty(title: &str) -> Figure {
    let mut figure = Figure::new(title, Axis::new("time [s]"), Axis::default());
    figure.panels.clear();
    figure
}

/// Amplitudes above, phases below, from each input to each output at all points; none without an input and an output.
///
/// ```
/// use ferrica::{Experiment, Model, pictures};
/// let model = Model::from_text("model M input Real u; output Real y(start = 0); equation 0.1*der(y) = u - y; end M;")?;
/// let linear = model.linearize(None, None, None, &Experiment::default())?;
/// assert_eq!(pictures::frequency_response(&[&linear]).unwrap().panels.len(), 2);
/// # Ok::<(), ferrica::Error>(())
/// ```
pub fn frequency_response(points: &[&Linear]) -> Option<Figure> {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for linear in points {
        let f = linear.frequencies();
        for (i, output) in linear.outputs.iter().enumerate() {
            for (j, input) in linear.inputs.iter().enumerate() {
                let label = at(format!("{output} / {input}"), linear, points.len());
                let (a, p) = linear.response(i, j, &f).into_iter().unzip();
                above.push(Series::line(label.clone(), f.clone(), a));
                below.push(Series::line(label, f.clone(), p));
            }
        }
    }
    if above.is_empty() {
        return None;
    }
    let x = Axis::new("frequency [Hz]").log();
    let mut figure = Figure::new("frequency response", x, Axis::new("amplitude").log());
    figure.panels[0].series = above;
    figure.panels.push(Panel {
        y: Axis::new("phase [deg]"),
        series: below,
        ..Panel::default()
    });
    Some(figure)
}

/// A label that tells the point where there are several.
fn at(label: String, linear: &Linear, points: usize) -> String {
    match points {
        1 => label,
        _ => format!("{label} at t = {}", linear.time),
    }
}

/// The eigenvalues of linear models and the zeros from each input to each output.
///
/// ```
/// use ferrica::{Experiment, Model, pictures};
/// let model = Model::from_text("model M input Real u; Real x; output Real y = u - x; equation der(x) = u - 2*x; end M;")?;
/// let linear = model.linearize(None, None, None, &Experiment::default())?;
/// let modes = linear.modes().unwrap();
/// let figure = pictures::poles_and_zeros(&[(&linear, &modes)]);
/// // s = -2 and s = -1
/// assert_eq!((figure.panels[0].series[0].x[0], figure.panels[0].series[1].x[0]), (-2.0, -1.0));
/// # Ok::<(), ferrica::Error>(())
/// ```
pub fn poles_and_zeros(points: &[(&Linear, &[Mode])]) -> Figure {
    let (x, y) = (
        Axis::new("real part [1/s]"),
        Axis::new("imaginary part [1/s]"),
    );
    let mut figure = Figure::new("poles and zeros", x, y);
    for (linear, modes) in points {
        let (re, im) = modes.iter().map(|m| (m.real, m.imaginary)).unzip();
        let label = at("poles".to_owned(), linear, points.len());
        figure = figure.with(Series::new(label, re, im, Mark::Markers));
        for (i, output) in linear.outputs.iter().enumerate() {
            for (j, input) in linear.inputs.iter().enumerate() {
                let zeros = linear.zeros(i, j).unwrap_or_default();
                if !zeros.is_empty() {
                    let label = format!("zeros of {output} / {input}");
                    let (re, im) = zeros.into_iter().unzip();
                    let label = at(label, linear, points.len());
                    figure = figure.with(Series::new(label, re, im, Mark::Markers));
                }
            }
        }
    }
    figure
}

/// Measurements, and runs before and after: one panel a variable.
///
/// ```
/// use ferrica::{Experiment, Measured, Model, Unknown, pictures};
/// let model = Model::from_text("model M parameter Real k = 1; Real y = k*time; end M;")?;
/// let seen = Measured::new(vec![0.0, 0.5, 1.0]).column("y", vec![0.0, 1.0, 2.0]);
/// let k = Unknown { name: "k".to_owned(), low: 0.1, high: 10.0 };
/// let plan = Experiment::default();
/// let found = model.fit(std::slice::from_ref(&seen), &[k], &plan)?;
/// assert_eq!(pictures::fit(&model, &seen, &found, &plan)?.panels[0].series.len(), 3);
/// # Ok::<(), ferrica::Error>(())
/// ```
pub fn fit(
    model: &Model,
    data: &Measured,
    found: &Fit,
    plan: &Experiment,
) -> Result<Figure, Error> {
    let stop = data.time.last().copied().unwrap_or(1.0);
    let mut plan = plan.clone().stop(stop);
    let inputs: Vec<String> = model.inputs().into_iter().map(|v| v.name).collect();
    for (name, _) in &data.columns {
        if inputs.contains(name) {
            plan = plan.input(name, data.signal(name)?);
        }
    }
    // The search need not have begun at the model's own values: with these it may not run at all.
    let before = model.simulate(&plan).ok();
    let mut better = model.clone();
    for e in &found.estimates {
        better = better.set(&e.name, e.value)?;
    }
    let after = better.simulate(&plan)?;
    let mut figure = empty(model.name());
    for (name, values) in data.columns.iter().filter(|c| !inputs.contains(&c.0)) {
        let measured = Series::new("measured", data.time.clone(), values.clone(), Mark::Markers);
        let mut panel = Panel {
            y: Axis::new(name.clone()),
            series: vec![measured],
            ..Panel::default()
        };
        for (label, run) in [("before", before.as_ref()), ("after", Some(&after))] {
            if let Some(run) = run {
                let line = Series::line(label, run.time().to_vec(), run.get(name)?.to_vec());
                panel.series.push(line);
            }
        }
        figure.panels.push(panel);
    }
    Ok(figure)
}

/// How each variable moves where each parameter moves by all of its value: one panel a variable.
///
/// ```
/// use ferrica::{Experiment, Model, pictures};
/// let model = Model::from_text("model M parameter Real a = 2; Real y = a*time; end M;")?;
/// let s = model.sensitivities(&["y"], &["a"], &Experiment::default())?;
/// assert_eq!(pictures::sensitivities(&s).panels[0].series[0].y.last(), Some(&2.0));
/// # Ok::<(), ferrica::Error>(())
/// ```
pub fn sensitivities(found: &Sensitivities) -> Figure {
    let mut figure = empty("sensitivities");
    for (of, derivatives) in found.of.iter().zip(&found.derivatives) {
        let mut panel = Panel {
            y: Axis::new(format!("change of {of}")),
            ..Panel::default()
        };
        for ((to, at), list) in found.to.iter().zip(&found.at).zip(derivatives) {
            let (size, label) = match *at {
                0.0 => (1.0, format!("{to} by one")),
                at => (at.abs(), to.clone()),
            };
            let values = list.iter().map(|v| v * size).collect();
            panel
                .series
                .push(Series::line(label, found.time.clone(), values));
        }
        figure.panels.push(panel);
    }
    figure
}

/// Amplitudes over frequency.
///
/// ```
/// use ferrica::{Spectrum, Window, pictures};
/// let s = Spectrum::new(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 0.0, 1.0], Window::Hann, None)?;
/// assert_eq!(pictures::spectrum("i", &s).panels.len(), 1);
/// # Ok::<(), ferrica::Error>(())
/// ```
pub fn spectrum(name: &str, found: &Spectrum) -> Figure {
    let (f, a) = (found.frequency.clone(), found.amplitude.clone());
    let series = Series::new(name, f, a, Mark::Line);
    Figure::new("spectrum", Axis::new("frequency [Hz]"), Axis::new(name)).with(series)
}

/// Bands between quantiles of a variable over several runs, at the times of the first one.
///
/// ```
/// use ferrica::{Experiment, Model, pictures};
/// let model = Model::from_text("model M parameter Real a = 2; Real y = a*time; end M;")?;
/// let runs: Vec<_> = [1.0, 2.0, 3.0].iter().map(|&a| model.set("a", a)?.simulate(&Experiment::default())).collect::<Result<_, _>>()?;
/// let figure = pictures::bands(&runs.iter().collect::<Vec<_>>(), &["y"])?;
/// assert_eq!(figure.panels[0].series[2].y.last(), Some(&2.0));
/// # Ok::<(), ferrica::Error>(())
/// ```
pub fn bands(runs: &[&Run], names: &[&str]) -> Result<Figure, Error> {
    let [first, ..] = runs else {
        return Err(Error::usage(
            "E0730",
            "there is no run to make bands of".to_owned(),
        ));
    };
    let mut times = first.time().to_vec();
    times.dedup();
    let mut figure = empty(first.model());
    for &name in names {
        let mut at_times = Vec::with_capacity(times.len());
        for &t in &times {
            let ends = |run: &&&Run| run.time().last().is_some_and(|last| *last >= t);
            let there = runs.iter().filter(ends).map(|run| run.at(name, t));
            let mut values = there.collect::<Result<Vec<f64>, Error>>()?;
            values.retain(|v| v.is_finite());
            values.sort_by(f64::total_cmp);
            at_times.push(values);
        }
        let label = match first.unit(name)? {
            "" => name.to_owned(),
            unit => format!("{name} [{unit}]"),
        };
        figure.panels.push(bands::panel(label, &times, &at_times));
    }
    Ok(figure)
}
