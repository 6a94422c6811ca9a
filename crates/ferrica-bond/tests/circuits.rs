//! The circuits of "Using a Discrete-Event System Specifications (DEVS) for designing a Modelica compiler": the graph after
//! each step, the diagnosis, and quantized trajectories against the variable-step solver.
//!
//! The graphs were checked by hand against the steps of the paper (Karnopp's construction): a 0-junction for each node, a
//! 1-junction for each element, power out of sources and into the others, the ground node removed, junctions that only pass
//! power through left out and like neighbours joined.

mod common;

use std::sync::Arc;

use common::{Rows, analysis, at, compile, experiment, flat, recorded};
use ferrica_bond::analyse;
use ferrica_bond::qbg;
use ferrica_bond::qbg::{Levels, Options, prepare};

const BASIC: &str = "Modelica.Electrical.Analog.Basic";
const SOURCES: &str = "Modelica.Electrical.Analog.Sources";

fn sine_r() -> String {
    format!(
        "{SOURCES}.SineVoltage V(V=15, f=50); {BASIC}.Resistor R1(R=10); {BASIC}.Ground G;
equation
  connect(V.p, R1.p); connect(R1.n, V.n); connect(V.n, G.p);"
    )
}

fn pulse_rc() -> String {
    format!(
        "{SOURCES}.PulseVoltage V(V=10, width=50, period=2); {BASIC}.Resistor R1(R=1);
  {BASIC}.Capacitor C1(C=0.5, v(start=0, fixed=true)); {BASIC}.Ground G;
equation
  connect(V.p, R1.p); connect(R1.n, C1.p); connect(C1.n, V.n); connect(V.n, G.p);"
    )
}

fn pulse_rlc() -> String {
    format!(
        "{SOURCES}.PulseVoltage V(V=10, width=50, period=5); {BASIC}.Resistor R1(R=1);
  {BASIC}.Inductor I1(L=0.5, i(start=0, fixed=true)); {BASIC}.Capacitor C1(C=0.5, v(start=0, fixed=true)); {BASIC}.Ground G;
equation
  connect(V.p, R1.p); connect(R1.n, I1.p); connect(I1.n, C1.p); connect(C1.n, V.n); connect(V.n, G.p);"
    )
}

/// Structural singularity (figure 19): two capacitors on one node.
fn singular() -> String {
    format!(
        "{SOURCES}.SineVoltage V(V=5, f=1); {BASIC}.Resistor R1(R=1);
  {BASIC}.Capacitor C1(C=0.1, v(start=0, fixed=true)), C2(C=0.3); {BASIC}.Ground G;
equation
  connect(V.p, R1.p); connect(R1.n, C1.p); connect(R1.n, C2.p);
  connect(C1.n, G.p); connect(C2.n, G.p); connect(V.n, G.p);"
    )
}

/// Algebraic loop (figure 21): a divider feeds a capacitor.
fn divider() -> String {
    format!(
        "{SOURCES}.SineVoltage V(V=5, f=1); {BASIC}.Resistor R1(R=1), R2(R=2), R3(R=1);
  {BASIC}.Capacitor C1(C=0.2, v(start=0, fixed=true)); {BASIC}.Ground G;
equation
  connect(V.p, R1.p); connect(R1.n, R2.p); connect(R1.n, R3.p); connect(R3.n, C1.p);
  connect(R2.n, G.p); connect(C1.n, G.p); connect(V.n, G.p);"
    )
}

fn steps(body: &str) -> String {
    let model = flat(body);
    (1..=5)
        .map(|k| format!("step {k}\n{}", analyse(&model, k).built.graph))
        .collect()
}

#[test]
fn sine_and_resistor_step_by_step() {
    let expected = "\
step 1
0(V.p) (alone)
0(V.n) (alone)
step 2
0(V.n) --- 1(V)
1(V) --- 0(V.p)
Se:V --- 1(V)
0(V.p) --- 1(R1)
1(R1) --- 0(V.n)
1(R1) --- R:R1
Se:G --- 0(V.n)
step 3
0(V.n) --> 1(V)
1(V) --> 0(V.p)
Se:V --> 1(V)
0(V.p) --> 1(R1)
1(R1) --> 0(V.n)
1(R1) --> R:R1
Se:G --> 0(V.n)
step 4
1(V) --> 0(V.p)
Se:V --> 1(V)
0(V.p) --> 1(R1)
1(R1) --> R:R1
step 5
1(R1) -->| R:R1
Se:V -->| 1(R1)
";
    assert_eq!(steps(&sine_r()), expected);
}

#[test]
fn the_other_circuits_step_by_step() {
    let circuits = [
        ("pulse and RC", pulse_rc()),
        ("pulse and RLC", pulse_rlc()),
        ("figure 19", singular()),
        ("figure 21", divider()),
    ];
    let found: String = circuits
        .iter()
        .map(|(title, body)| format!("# {title}\n{}", steps(body)))
        .collect();
    assert_eq!(found, include_str!("circuits_step_by_step.txt"));
}

#[test]
fn diagnosis_in_words() {
    let report = analysis(&pulse_rlc()).report;
    assert_eq!(
        report,
        "Elements: 1 R, 1 C, 1 I, 1 Se, 0 Sf, 0 TF, 0 GY; 0 0-junctions, 1 1-junctions, 4 bonds
Order of the system: 2
  state: voltage (charge) of C1
  state: current (flux) of I1
All storages are independent and there is no algebraic loop: an explicit ordinary differential equation.
Causal paths:
  V → I1
  I1 → C1
  I1 → R1 → I1
  C1 → I1
"
    );
    let report = analysis(&singular()).report;
    assert!(
        report.contains(
            "Dependent storage: C2 cannot have a state of its own, its effort is that of C1.
  To separate them physically: a small resistance in series with it."
        ),
        "{report}"
    );
    let report = analysis(&divider()).report;
    assert!(
        report.contains("Algebraic loop: R1, R2, R3 depend on each other without delay.\n  A storage between them"),
        "{report}"
    );
}

/// A capacitor straight across a source that changes is refused, with the cure.
#[test]
fn a_capacitor_across_a_changing_source_is_refused() {
    let model = Arc::new(flat(&format!(
        "{SOURCES}.SineVoltage V(V=5, f=1); {BASIC}.Capacitor C1(C=0.1); {BASIC}.Resistor R1(R=1); {BASIC}.Ground G;
equation
  connect(V.p, C1.p); connect(R1.p, C1.p); connect(C1.n, V.n); connect(R1.n, V.n); connect(V.n, G.p);"
    )));
    let compiled = compile(&model);
    let plan = experiment(&compiled, 1.0, 100.0);
    let prepared = prepare(&model, &compiled, &plan).unwrap_or_else(|e| panic!("{:?}", e.code));
    let refused = qbg::simulate(
        &prepared,
        &plan,
        &Options::new(&plan),
        &mut |_: f64, _: &[f64]| {},
    );
    let d = refused.err().map(|e| e.diagnostic()).unwrap();
    assert_eq!(d.code, "E0413");
    assert!(
        d.message.contains("`C1` must follow the source `V`"),
        "{}",
        d.message
    );
    assert!(
        d.hint
            .unwrap()
            .contains("a small resistance in series with `C1`")
    );
}

/// Rows of the quantized graph with one quantum for everything.
fn quantized(body: &str, stop: f64, names: &[String], options: impl Fn(&mut Options)) -> Rows {
    let model = Arc::new(flat(body));
    let compiled = compile(&model);
    let plan = experiment(&compiled, stop, 1000.0);
    let prepared =
        prepare(&model, &compiled, &plan).unwrap_or_else(|e| panic!("{}", e.diagnostic().message));
    let mut chosen = Options::new(&plan);
    options(&mut chosen);
    recorded(&compiled, names, |sink| {
        if let Err(e) = qbg::simulate(&prepared, &plan, &chosen, sink) {
            panic!("{}", e.diagnostic().message);
        }
    })
}

/// Largest deviation from the reference at times that are no events.
fn error(rows: &Rows, reference: &Rows, stop: f64) -> f64 {
    let mut largest = 0.0f64;
    for k in 0..200 {
        let t = stop * (f64::from(k) + 0.31) / 200.0;
        for c in 0..reference[0].1.len() {
            largest = largest.max((at(rows, t, c) - at(reference, t, c)).abs());
        }
    }
    largest
}

/// First order: halving the quantum halves the error. The error of one quantum depends on where the levels lie, so the
/// mean ratio over five halvings is held against 2.
#[test]
fn halving_the_quantum_halves_the_error() {
    let cases = [
        (pulse_rc(), 6.0, vec!["C1.v".to_owned()]),
        (
            pulse_rlc(),
            10.0,
            vec!["C1.v".to_owned(), "I1.i".to_owned()],
        ),
        (singular(), 2.0, vec!["C1.v".to_owned()]),
        (divider(), 2.0, vec!["C1.v".to_owned()]),
    ];
    for (body, stop, names) in cases {
        let reference = common::simulate(&flat(&body), stop, 4000.0, &names);
        let errors: Vec<f64> = (0..6)
            .map(|k| {
                let quantum = 0.2 / f64::from(1 << k);
                let rows = quantized(&body, stop, &names, |o| {
                    o.quanta = vec![("*".to_owned(), quantum)];
                });
                error(&rows, &reference, stop)
            })
            .collect();
        let mean = (errors[0] / errors[5]).powf(0.2);
        assert!((1.8..2.2).contains(&mean), "{names:?}: {errors:?}");
        // The bound of quantized states for these circuits: a few quanta.
        assert!(errors[5] < 4.0 * 0.2 / 32.0, "{names:?}: {errors:?}");
    }
}

/// A resistor on a sine: i = v/R at every quantum, and the source is never more than a quantum off.
#[test]
fn sine_and_resistor_follow_the_closed_form() {
    let names = ["R1.v".to_owned(), "R1.i".to_owned()];
    let rows = quantized(&sine_r(), 0.04, &names, |o| {
        o.quanta = vec![("V".to_owned(), 0.1)];
    });
    for (t, row) in &rows {
        let v = 15.0 * (100.0 * std::f64::consts::PI * t).sin();
        assert!((row[0] - v).abs() <= 0.1 + 1e-9, "{t}: {} {v}", row[0]);
        assert!((row[1] - row[0] / 10.0).abs() < 1e-12);
    }
}

/// Quanta that grow with the value, and a narrow hysteresis, stay within their own bounds.
#[test]
fn other_quantizers() {
    let names = ["C1.v".to_owned()];
    let reference = common::simulate(&flat(&pulse_rc()), 6.0, 4000.0, &names);
    let grown = quantized(&pulse_rc(), 6.0, &names, |o| {
        o.quanta = vec![("*".to_owned(), 0.01)];
        o.levels = Levels::Growing(0.01);
    });
    assert!(error(&grown, &reference, 6.0) < 0.3);
    let narrow = quantized(&pulse_rc(), 6.0, &names, |o| {
        o.quanta = vec![("*".to_owned(), 0.05)];
        o.hysteresis = 0.3;
    });
    assert!(error(&narrow, &reference, 6.0) < 0.15);
}

/// A diode: the law decides itself which branch holds, inside an algebraic loop.
#[test]
fn a_rectifier_runs_quantized() {
    let body = format!(
        "{SOURCES}.SineVoltage V(V=10, f=1); {BASIC}.Resistor R1(R=1), load(R=10);
  Modelica.Electrical.Analog.Ideal.IdealDiode diode(Ron=1e-3, Goff=1e-3, Vknee=0.7);
  {BASIC}.Capacitor C1(C=0.1, v(start=0, fixed=true)); {BASIC}.Ground G;
equation
  connect(V.p, R1.p); connect(R1.n, diode.p); connect(diode.n, C1.p); connect(diode.n, load.p);
  connect(C1.n, G.p); connect(load.n, G.p); connect(V.n, G.p);"
    );
    let names = ["C1.v".to_owned()];
    let reference = common::simulate(&flat(&body), 2.0, 4000.0, &names);
    let rows = quantized(&body, 2.0, &names, |o| {
        o.quanta = vec![("*".to_owned(), 0.02)]
    });
    assert!(error(&rows, &reference, 2.0) < 0.06);
}

/// A source that gives a current between two nodes: i into a capacitor with a resistor, v = R·i·(1 − e^{−t/RC}); the same in mechanics, a force on a damped
/// mass, v = F/d·(1 − e^{−dt/m}). The quantum is the tolerance times the scale.
#[test]
fn what_gives_flow_through_itself_is_followed() {
    let electric = format!(
        "{SOURCES}.ConstantCurrent I(I=2); {BASIC}.Resistor R(R=10); {BASIC}.Capacitor C(C=0.01, v(start=0, fixed=true));
  {BASIC}.Ground G;
equation
  connect(I.n, C.p); connect(C.p, R.p); connect(I.p, G.p); connect(C.n, G.p); connect(R.n, G.p);"
    );
    let mechanic = "Modelica.Mechanics.Translational.Sources.ConstantForce F(f_constant=4);
  Modelica.Mechanics.Translational.Components.Mass m(m=0.5, v(start=0, fixed=true), s(start=0, fixed=true));
  Modelica.Mechanics.Translational.Components.Damper d(d=2);
  Modelica.Mechanics.Translational.Components.Fixed fixed;
equation
  connect(F.flange, m.flange_a); connect(m.flange_b, d.flange_a); connect(d.flange_b, fixed.flange);"
        .to_owned();
    for (body, name, end, rate) in [(electric, "C.v", 20.0, 10.0), (mechanic, "m.v", 2.0, 4.0)] {
        let mut errors = Vec::new();
        for tolerance in [1e-2, 1e-3] {
            let rows = quantized(&body, 1.0, &[name.to_owned()], |o| o.tolerance = tolerance);
            let off = rows.iter().map(|(t, row)| {
                let exact = end * (1.0 - f64::exp(-rate * t));
                (row[0] - exact).abs() / end
            });
            let off = off.fold(0.0, f64::max);
            assert!(off < 10.0 * tolerance, "{name} at {tolerance}: {off}");
            errors.push(off);
        }
        assert!(errors[1] < 0.3 * errors[0], "{name}: {errors:?}");
    }
}

/// What a source is does not depend on how long the experiment lasts.
#[test]
fn a_waveform_is_recognised_beyond_the_end() {
    let body = format!(
        "{SOURCES}.PulseVoltage V(V=3, period=4, width=50); {BASIC}.Resistor R(R=10);
  {BASIC}.Capacitor C(C=0.01, v(start=0, fixed=true)); {BASIC}.Ground G;
equation
  connect(V.p, R.p); connect(R.n, C.p); connect(C.n, G.p); connect(V.n, G.p);"
    );
    let model = Arc::new(flat(&body));
    let compiled = compile(&model);
    let plan = experiment(&compiled, 1.0, 100.0);
    let prepared =
        prepare(&model, &compiled, &plan).unwrap_or_else(|e| panic!("{}", e.diagnostic().message));
    let described = prepared.describe(&Options::new(&plan)).unwrap();
    let waveforms: Vec<_> = described.sources.values().collect();
    let [qbg::Waveform::Pulse { period, width, .. }] = waveforms[..] else {
        panic!("{waveforms:?}");
    };
    assert!((period - 4.0).abs() < 1e-9 && (width - 50.0).abs() < 1e-6);
}
