//! Draws one picture of each kind: `cargo run -p ferrica-results --example gallery FOLDER`.

use std::f64::consts::PI;
use std::fs;
use std::path::PathBuf;

use ferrica_results::plot::{
    Axis, Figure, Mark, Series, TerminalOptions, histogram, to_html, to_png, to_svg, to_terminal,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    fs::create_dir_all(&folder)?;
    let pictures = [
        ("circuit", circuit()),
        ("buck", buck()),
        ("orbit", orbit()),
        ("precision", precision()),
        ("latency", latency()),
        ("tail", tail()),
        ("bars", bars()),
    ];
    for (name, figure) in &pictures {
        fs::write(folder.join(name).with_extension("svg"), to_svg(figure))?;
        fs::write(folder.join(name).with_extension("png"), to_png(figure)?)?;
        fs::write(folder.join(name).with_extension("html"), to_html(figure))?;
        println!("{}", to_terminal(figure, &TerminalOptions::default()));
    }
    Ok(())
}

/// A charging capacitor and a damped oscillation, volts above and amperes below.
fn circuit() -> Figure {
    let t: Vec<f64> = (0..=1000).map(|i| f64::from(i) * 1e-4).collect();
    let of = |f: &dyn Fn(f64) -> f64| t.iter().map(|t| f(*t)).collect::<Vec<_>>();
    Figure::new(
        "RLC circuit after switching on",
        Axis::new("time [s]"),
        Axis::new("[V]"),
    )
    .with(Series::line(
        "capacitor.v",
        t.clone(),
        of(&|t| 10.0 * (1.0 - (-t / 0.02).exp())),
    ))
    .with(Series::line(
        "inductor.v",
        t.clone(),
        of(&|t| 8.0 * (-t / 0.03).exp() * (2.0 * PI * 60.0 * t).cos()),
    ))
    .with(Series::line(
        "source.p.v",
        t.clone(),
        of(&|t| if t < 0.01 { 0.0 } else { 5.0 }),
    ))
    .panel(Axis::new("[A]"))
    .with(Series::line(
        "inductor.i",
        t.clone(),
        of(&|t| 2e-6 * (-t / 0.03).exp() * (2.0 * PI * 60.0 * t).sin()),
    ))
    .with(Series::line(
        "resistor.i",
        t.clone(),
        of(&|t| 3e-6 * (-t / 0.02).exp()),
    ))
}

/// A switched signal with two rows at each event, many points.
fn buck() -> Figure {
    let (mut t, mut u, mut i) = (Vec::new(), Vec::new(), Vec::new());
    let (mut current, mut on) = (0.0, false);
    for k in 0..100_000 {
        let time = f64::from(k) * 1e-7;
        let now = k % 1000 < 500;
        if now != on {
            t.push(time);
            u.push(if on { 24.0 } else { 0.0 });
            i.push(current);
            on = now;
        }
        current += 1e-7 * (if on { 24.0 } else { 0.0 } - 12.0 - current * 2.0) / 1e-4;
        t.push(time);
        u.push(if on { 24.0 } else { 0.0 });
        i.push(current);
    }
    Figure::new(
        "Buck converter",
        Axis::new("time [s]"),
        Axis::new("switch.v [V]"),
    )
    .with(Series::line("switch.v", t.clone(), u))
    .panel(Axis::new("L.i [A]"))
    .with(Series::line("L.i", t, i))
}

/// One variable over another.
fn orbit() -> Figure {
    let of = |f: &dyn Fn(f64) -> f64| (0..800).map(|i| f(f64::from(i) / 20.0)).collect::<Vec<_>>();
    let mut figure = Figure::new(
        "Pendulum in the plane",
        Axis::new("x [m]"),
        Axis::new("y [m]"),
    )
    .with(Series::line(
        "body.r",
        of(&|t| (-t / 40.0).exp() * t.cos()),
        of(&|t| (-t / 40.0).exp() * (t * 1.02).sin()),
    ));
    figure.width = 560.0;
    figure
}

/// Error over cost, both logarithmic.
fn precision() -> Figure {
    let steps: Vec<f64> = (0..7).map(|k| 1e2 * 3f64.powi(k)).collect();
    let mut figure = Figure::new(
        "Work and precision",
        Axis::new("time [s]").log(),
        Axis::new("error").log(),
    );
    for (name, order, cost) in [
        ("bdf", 3, 2e-5),
        ("radau", 5, 6e-5),
        ("rk4", 4, 5e-6),
        ("qss3", 3, 8e-6),
    ] {
        let x = steps.iter().map(|n| n * cost).collect();
        let y = steps
            .iter()
            .map(|n| 40.0 * (20.0 / n).powi(order))
            .collect();
        figure = figure.with(Series::new(name, x, y, Mark::LineMarkers));
    }
    figure
}

fn samples() -> Vec<f64> {
    let mut state = 42u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..20_000)
        .map(|_| 8.0 + (0..12).map(|_| next()).sum::<f64>() + 0.4 / (next() + 0.01))
        .collect()
}

fn latency() -> Figure {
    let few: Vec<f64> = samples().into_iter().filter(|v| *v < 22.0).collect();
    histogram(
        "Latency of a step",
        Axis::new("latency [µs]"),
        "1 kHz, 20 s",
        &few,
        60,
    )
}

fn tail() -> Figure {
    histogram(
        "Latency of a step",
        Axis::new("latency [µs]").log(),
        "1 kHz, 20 s",
        &samples(),
        60,
    )
}

fn bars() -> Figure {
    let stages = [
        "parse",
        "flatten",
        "structure",
        "codegen",
        "initialize",
        "simulate",
        "output",
    ];
    let axis = Axis::default().categories(stages.map(str::to_owned).to_vec());
    let x: Vec<f64> = (0..stages.len()).map(|i| i as f64).collect();
    let left = x.iter().map(|x| x - 0.2).collect();
    let right = x.iter().map(|x| x + 0.2).collect();
    Figure::new("Where the time goes", axis, Axis::new("time [ms]"))
        .with(Series::new(
            "N = 500",
            left,
            vec![0.8, 3.1, 2.0, 4.4, 0.6, 9.0, 1.5],
            Mark::Bars { width: 0.38 },
        ))
        .with(Series::new(
            "N = 5000",
            right,
            vec![0.8, 21.0, 18.0, 6.1, 5.0, 82.0, 14.0],
            Mark::Bars { width: 0.38 },
        ))
}
