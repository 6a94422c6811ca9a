//! The explicit coupled DEVS model and the engine must give the same trajectories.

mod models;
mod pipeline;

use ferrica_qss::compiled::CompiledQss;
use ferrica_qss::devs::couple;
use ferrica_qss::{Diagnostic, Method, Observer, QssModel, Settings, Trajectories, run};
use models::*;

struct Grid {
    times: Vec<f64>,
    states: usize,
    rows: Vec<Vec<f64>>,
}

impl<M> Observer<M> for Grid {
    fn due(&self) -> f64 {
        self.times
            .get(self.rows.len())
            .copied()
            .unwrap_or(f64::INFINITY)
    }
    fn output(&mut self, _: &mut M, at: Trajectories<'_>) -> Result<(), Diagnostic> {
        self.rows
            .push((0..self.states).map(|i| at.state(i)).collect());
        Ok(())
    }
}

fn compare<M: QssModel + 'static>(make: impl Fn() -> M, method: &str, stop: f64) {
    let settings = Settings::new(Method::parse(method).unwrap(), 1e-3, stop);
    // Times that no transition hits.
    let times: Vec<f64> = (1..40)
        .map(|k| stop * (f64::from(k) + 0.1234) / 41.0)
        .collect();
    let mut model = make();
    let states = model.structure().states;
    let mut grid = Grid {
        times: times.clone(),
        states,
        rows: Vec::new(),
    };
    run(&mut model, &settings, &mut grid).unwrap();
    let mut explicit = couple(make(), &settings).unwrap();
    for (k, &t) in times.iter().enumerate() {
        explicit.run_until(t).unwrap();
        for i in 0..states {
            assert_eq!(
                explicit.state(i, t).to_bits(),
                grid.rows[k][i].to_bits(),
                "{method}: state {i} at {t}: {} and {}",
                explicit.state(i, t),
                grid.rows[k][i]
            );
        }
    }
}

#[test]
fn inverters() {
    for method in ["qss1", "qss2", "qss3", "liqss1", "liqss2", "liqss3", "cqss"] {
        compare(|| Inverters::new(6), method, 12.0);
    }
}

#[test]
fn converter() {
    for method in ["liqss1", "liqss2", "liqss3"] {
        compare(|| Interleaved::new(2), method, 4.1e-4);
    }
}

#[test]
fn line() {
    for method in ["qss2", "qss3", "liqss2", "cqss"] {
        compare(|| LcLine { n: 7, d: 1.0 }, method, 9.0);
    }
}

/// Modelica models of each kind of event, and of each memory.
#[test]
fn compiled_models() {
    let kinds = [
        (
            "a source",
            "model M Real x(start = 0, fixed = true); equation der(x) = sin(3*time) - x; end M;",
        ),
        (
            "an algebraic loop",
            "model M Real x(start = 1, fixed = true), y; equation der(x) = y; y + 0.1*y^3 = - x; end M;",
        ),
        (
            "sources and an algebraic loop",
            "model M Real x(start = 0, fixed = true), y; equation der(x) = y; y + 0.1*y^3 = sin(3*time) - x; end M;",
        ),
        (
            "bouncing ball: when, reinit",
            "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true);
             equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); end when; end M;",
        ),
        (
            "sampled controller",
            "model M Real x(start = 1, fixed = true); discrete Real u(start = 0, fixed = true);
             equation der(x) = -x + u; when sample(0, 0.1) then u = 2 - 1.5*x; end when; end M;",
        ),
        (
            "two samplers of one instant and a counter",
            "model M Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true), m(start = 0, fixed = true);
             equation der(x) = n - m; when sample(0.1, 0.1) then n = pre(n) + 1; end when;
             when sample(0.2, 0.2) then m = pre(m) + n; end when; end M;",
        ),
        (
            "thermostat with hysteresis",
            "model M Real T(start = 18, fixed = true); Boolean on(start = true, fixed = true);
             equation der(T) = -(T - 10)/3 + (if on then 6 else 0); on = T < 20 or (pre(on) and T < 21); end M;",
        ),
        (
            "a condition on a source and a time event",
            "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true);
             equation der(x) = if sin(5*time) > 0.3 then 1 else -x; der(y) = if time > 1.3 then x else -y; end M;",
        ),
        (
            "a constant delay",
            "model M Real x(start = 1, fixed = true); equation der(x) = -2*delay(x, 0.4); end M;",
        ),
        (
            "a jump that comes out of a delay into a condition",
            "model M Boolean b = time > 0.3; Real z(start = 0, fixed = true);
             equation der(z) = if delay(if b then 1.0 else 0.0, 0.5) > 0.5 then 1 - z else z; end M;",
        ),
        (
            "a delay that varies with a state",
            "model M Real x(start = 1, fixed = true), w(start = 0.2, fixed = true);
             equation der(x) = -delay(x, w, 2); der(w) = 0.3*(1 - w); end M;",
        ),
        (
            "integers of states",
            "model M Real x(start = 0.05, fixed = true), y(start = 0, fixed = true);
             equation der(x) = 1 - 0.2*x; der(y) = integer(3*x) - y; end M;",
        ),
        (
            "conditions at zero at the start, of which one holds at once",
            "model M Real x(start = 0, fixed = true), v(start = 0, fixed = true); Integer n(start = 0, fixed = true);
             equation der(x) = v; der(v) = 10 - (if x > 0 then 100*x + v else 0);
             when x < 0 then n = pre(n) + 1; end when; end M;",
        ),
        (
            "a small difference of large states and a large source: their quanta are refined",
            "model M Real p(start = 1000, fixed = true), s(start = 1000.1, fixed = true), v(start = 0, fixed = true);
             equation der(p) = 30 + sin(time); der(s) = 30 + 2*v; der(v) = 40*(p - s) - v + 1000*sin(time) - 1000*sin(0.999*time); end M;",
        ),
        (
            "an array with a switch",
            "model M parameter Integer n = 5; Real x[n](each start = 0, each fixed = true);
             equation der(x[1]) = (if x[n] < 0.5 then 1 else 0) - x[1];
             for i in 2:n loop der(x[i]) = 3*(x[i - 1] - x[i]); end for; end M;",
        ),
    ];
    for (what, text) in kinds {
        let model = pipeline::compile(text);
        for method in ["qss2", "qss3", "liqss2"] {
            println!("{what}, {method}");
            let order = Method::parse(method).unwrap().order;
            let make = || {
                let experiment = pipeline::experiment(&model, 3.0, 1e-3, 10);
                let started = ferrica_sim::start(&model, &experiment).unwrap();
                CompiledQss::new(started.problem.ev, order).unwrap()
            };
            compare(make, method, 3.0);
        }
    }
}
