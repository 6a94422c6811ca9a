//! The explicit coupled DEVS model and the engine must give the same trajectories.

mod models;

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
