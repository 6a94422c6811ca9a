//! One's own atomic DEVS model beside a Modelica model.
//!
//! The Modelica model is a tank that runs empty, `der(x) = -x`. The atomic model, written in Rust, is a pump
//! that listens to the tank and adds a portion every half second, but only if the level is below a limit.
//! `cargo run --release -p ferrica-qss --example own_atomic`

#[path = "../tests/pipeline/mod.rs"]
mod pipeline;

use ferrica_qss::compiled::CompiledQss;
use ferrica_qss::devs::blocks::Signal;
use ferrica_qss::devs::{Atomic, CoupledRun, Port, couple};
use ferrica_qss::{Method, Settings};

/// ⟨X, S, Y, δint, δext, λ, ta⟩ of the pump. Input 0: the level as a polynomial. Output 0: a new level.
pub struct Pump {
    pub period: f64,
    pub portion: f64,
    pub limit: f64,
    next: f64,
    /// Last polynomial of the level, and when it came.
    level: ([f64; 5], f64),
    now: f64,
}

impl Pump {
    pub fn new(period: f64, portion: f64, limit: f64) -> Pump {
        Pump {
            period,
            portion,
            limit,
            next: period,
            level: ([f64::INFINITY, 0.0, 0.0, 0.0, 0.0], 0.0),
            now: 0.0,
        }
    }

    fn level_at(&self, time: f64) -> f64 {
        let (c, since) = self.level;
        c.iter().rev().fold(0.0, |v, c| v * (time - since) + c)
    }
}

impl Atomic<Signal> for Pump {
    fn time_advance(&self) -> f64 {
        self.next - self.now
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Signal)) {
        let level = self.level_at(time);
        if level < self.limit {
            send(0, Signal::Value(level + self.portion));
        }
    }

    fn internal(&mut self, time: f64) {
        self.now = time;
        self.next += self.period;
    }

    fn external(&mut self, time: f64, _: f64, _: Port, value: &Signal) {
        self.now = time;
        if let Signal::Polynomial(c) = value {
            self.level = (*c, time);
        }
    }
}

/// The coupled model of the tank and the pump.
pub fn tank_and_pump(tolerance: f64, stop: f64) -> CoupledRun {
    let model = pipeline::compile(
        "model Tank Real x(start = 2, fixed = true, nominal = 1); equation der(x) = -x; end Tank;",
    );
    let experiment = pipeline::experiment(&model, stop, tolerance, 1);
    let started = ferrica_sim::start(&model, &experiment).expect("a start");
    let method = Method::parse("qss3").expect("a method");
    let tank = CompiledQss::new(started.problem.ev, method.order).expect("a quantizable model");
    let mut run = couple(tank, &Settings::new(method, tolerance, stop)).expect("a coupled model");
    let (tank, coupled) = (run.integrators[0], &mut run.root.model);
    let pump = coupled.add(Pump::new(0.5, 1.0, 1.5));
    // Port 1 of an integrator: out, its trajectory; in, a new value.
    coupled.connect((tank, 1), (pump, 0));
    coupled.connect((pump, 0), (tank, 1));
    run
}

#[allow(dead_code)]
fn main() {
    let mut run = tank_and_pump(1e-6, 3.0);
    for k in 1..=12 {
        let time = 0.25 * f64::from(k) + 0.01;
        run.run_until(time).expect("a run");
        println!("{time:.2} {:.6}", run.state(0, time));
    }
}
