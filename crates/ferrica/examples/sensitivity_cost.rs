//! What sensitivities to five parameters cost, in runs of the same model with the same solver.
//!
//! Time of the processor of this thread, median of several; both have run before, so that nothing is compiled any more. An argument selects models by a part
//! of their names.

use ferrica::{Experiment, Model};

const SERIES: usize = 5;
/// Nanoseconds of a series.
const SERIES_TIME: f64 = 6e7;

/// Name, text, variables, five parameters, stop time.
type Case = (
    &'static str,
    &'static str,
    &'static [&'static str],
    [&'static str; 5],
    f64,
);

const CASES: [Case; 8] = [
    (
        "motor",
        "model M parameter Real R = 1; parameter Real k = 0.1; parameter Real J = 0.01; parameter Real L = 0.01; parameter Real d = 0.002;
          Real i(start = 0, fixed = true); Real w(start = 0, fixed = true); Real p = 12*i;
          equation L*der(i) = 12 - R*i - k*w; J*der(w) = k*i - d*w - 1e-4*w^2; end M;",
        &["i", "w", "p"],
        ["R", "k", "J", "L", "d"],
        5.0,
    ),
    (
        "oscillator",
        "model M parameter Real mu = 20; parameter Real a = 1; parameter Real b = 1; parameter Real c = 0; parameter Real d = 0;
          Real x(start = 2, fixed = true); Real y(start = 0, fixed = true);
          equation der(x) = a*y + c; der(y) = mu*(1 - x^2)*y - b*x + d; end M;",
        &["x", "y"],
        ["mu", "a", "b", "c", "d"],
        100.0,
    ),
    (
        "bouncing ball",
        "model M parameter Real e = 0.8; parameter Real g = 9.81; parameter Real c = 0.1; parameter Real m = 1; parameter Real f = 0;
          Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
          equation der(h) = v; m*der(v) = -m*g - c*v + f; when h <= 0 then reinit(v, -e*pre(v)); end when; end M;",
        &["h", "v"],
        ["e", "g", "c", "m", "f"],
        2.0,
    ),
    (
        "rectifier",
        "model M Modelica.Electrical.Analog.Sources.SineVoltage S(V = 10, f = 50);
          Modelica.Electrical.Analog.Ideal.IdealDiode D(Ron = 0.1, Goff = 1e-5, Vknee = 0.6); Modelica.Electrical.Analog.Basic.Resistor R(R = 50);
          Modelica.Electrical.Analog.Basic.Inductor L(L = 1e-3, i(start = 0, fixed = true));
          Modelica.Electrical.Analog.Basic.Capacitor C(C = 2e-3, v(start = 0, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G;
          equation connect(S.p, L.p); connect(L.n, D.p); connect(D.n, C.p); connect(C.p, R.p); connect(R.n, G.p); connect(C.n, G.p); connect(S.n, G.p); end M;",
        &["C.v", "L.i", "R.i"],
        ["C.C", "R.R", "D.Vknee", "L.L", "D.Ron"],
        0.5,
    ),
    (
        "sampled PID",
        "model M parameter Real k = 3; parameter Real Ti = 0.4; parameter Real Td = 0.05; parameter Real J = 0.5; parameter Real d = 0.8;
          Real w(start = 0, fixed = true); Real phi(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);
          discrete Real s(start = 0, fixed = true); discrete Real e(start = 0, fixed = true);
          equation der(phi) = w; J*der(w) = u - d*w;
          when sample(0.025, 0.05) then e = 1 - phi; s = pre(s) + 0.05*e/Ti; u = k*(e + s + Td*(e - pre(e))/0.05); end when; end M;",
        &["phi", "w", "u"],
        ["k", "Ti", "Td", "J", "d"],
        10.0,
    ),
    (
        "heat rod of 100 points",
        "model M parameter Integer n = 100; parameter Real a = 4000; parameter Real q = 100; parameter Real h = 2; parameter Real T0 = 20; parameter Real r = 1e-3;
          Real T[n](each start = 20, each fixed = true); Real end_ = T[n];
          equation der(T[1]) = a*(T[2] - T[1]) + q; for i in 2:n-1 loop der(T[i]) = a*(T[i-1] - 2*T[i] + T[i+1]) - r*T[i]^2; end for;
          der(T[n]) = a*(T[n-1] - T[n]) - h*(T[n] - T0); end M;",
        &["T[1]", "end_"],
        ["a", "q", "h", "T0", "r"],
        1.0,
    ),
    (
        "diode in a loop",
        "model M parameter Real R = 100; parameter Real Is = 1e-9; parameter Real C = 1e-4; parameter Real V = 5; parameter Real G = 1e-3;
          Real v(start = 0); Real i = Is*(exp(v/0.025) - 1); Real u(start = 0, fixed = true);
          equation V*sin(314.16*time) = u + R*i + v; C*der(u) = i - G*u; end M;",
        &["u", "i"],
        ["R", "Is", "C", "V", "G"],
        0.1,
    ),
    (
        "chain of 20 masses",
        "model M parameter Integer n = 20; parameter Real k = 100; parameter Real m = 0.1; parameter Real d = 0.5; parameter Real c = 50; parameter Real F = 1;
          Real x[n](each start = 0, each fixed = true); Real v[n](each start = 0, each fixed = true); Real f[n+1];
          equation f[1] = -k*x[1] - c*x[1]^3; for i in 2:n loop f[i] = k*(x[i-1] - x[i]) + c*(x[i-1] - x[i])^3 + d*(v[i-1] - v[i]); end for; f[n+1] = F*sin(5*time);
          for i in 1:n loop der(x[i]) = v[i]; m*der(v[i]) = f[i] + (if i == n then f[n+1] else -f[i+1]); end for; end M;",
        &["x[1]", "x[20]"],
        ["k", "m", "d", "c", "F"],
        5.0,
    ),
];

/// Nanoseconds of the processor that this thread has had.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|v| v.parse().ok()).unwrap_or(0.0)
}

/// Time of one call: the median of several series, each so long that the clock's tick does not matter.
fn median(mut of: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..SERIES)
        .map(|_| {
            let begin = processor_time();
            let (mut calls, mut taken) = (0.0, 0.0);
            while taken < SERIES_TIME {
                of();
                calls += 1.0;
                taken = processor_time() - begin;
            }
            taken / calls
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[SERIES / 2]
}

fn main() -> Result<(), ferrica::Error> {
    println!(
        "{:24} {:8} {:>10} {:>14} {:>6}",
        "model", "solver", "run/µs", "derivatives/µs", "ratio"
    );
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for (name, text, of, to, stop) in CASES {
        if !name.contains(&wanted) {
            continue;
        }
        let model = Model::from_text(text)?;
        for solver in ["auto", "bdf", "radau"] {
            let plan = Experiment::default().stop(stop).solver(solver)?;
            for _ in 0..5 {
                model.simulate(&plan)?;
                model.sensitivities(of, &to, &plan)?;
            }
            std::thread::sleep(std::time::Duration::from_millis(300));
            let run = median(|| drop(model.simulate(&plan)));
            let derivatives = median(|| drop(model.sensitivities(of, &to, &plan)));
            println!(
                "{name:24} {:8} {:10.1} {:14.1} {:6.2}",
                solver,
                run / 1e3,
                derivatives / 1e3,
                derivatives / run
            );
        }
    }
    Ok(())
}
