//! Cost of a step against the size of the RLC ladder: `cargo run --release -p ferrica-rt --example ladder [N …]`.
//!
//! One line a size and method: unknowns, and microseconds a step with the constant tangent factored once and with
//! a factorization in every iteration.

#[path = "../tests/pipeline/mod.rs"]
mod pipeline;

use ferrica_rt::{Method, RtOptions};
use pipeline::{compile, run};

const LADDER: &str = "
connector Pin Real v; flow Real i; end Pin;
partial model Two Pin p, n; Real v; Real i; equation v = p.v - n.v; i = p.i; p.i + n.i = 0; end Two;
model Resistor extends Two; parameter Real R; equation v = R*i; end Resistor;
model Inductor extends Two(i(start = 0, fixed = true)); parameter Real L; equation L*der(i) = v; end Inductor;
model Capacitor extends Two; parameter Real C; equation C*der(v) = i; end Capacitor;
model Source extends Two; equation v = 100*sin(31.41592653589793*time); end Source;
model Ground Pin p; equation p.v = 0; end Ground;
model Ladder
  constant Integer N = SIZE;
  Source E1; Resistor R[N](each R = 10); Inductor L[N](each L = 0.1); Ground g;
  Capacitor C[N](each C = 0.1, each v(start = 0, fixed = true));
equation
  connect(E1.n, g.p); connect(E1.p, R[1].p);
  for k in 2:N loop connect(R[k - 1].n, R[k].p); end for;
  for k in 1:N loop connect(R[k].n, L[k].p); connect(L[k].n, C[k].p); connect(C[k].n, g.p); end for;
end Ladder;";

fn main() {
    let mut sizes: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes = vec![2, 100, 1000];
    }
    println!("     N  method    unknowns   step [s]  factored once [us]  every iteration [us]");
    for n in sizes {
        let model = compile(&LADDER.replace("SIZE", &n.to_string()));
        let unknowns = model.dae.as_ref().map_or(0, |d| d.unknowns.len());
        for (method, step) in [
            (Method::Bdf2, 1e-3),
            (Method::Bdf3, 2.5e-3),
            (Method::Trapezoid, 2.5e-3),
            (Method::TrapezoidUnprojected, 2.5e-3),
        ] {
            let cost = |always: bool| {
                let mut options = RtOptions::new(method);
                options.iterations = 2;
                options.always_factor = always;
                // The fastest of some runs; the first ones compile.
                let seconds = |_| {
                    let table = run(&model, &options, 1.0, step, 1.0, &["L[1].i"]);
                    let stats = &table.run().stats;
                    stats.simulate_seconds / stats.steps as f64
                };
                (0..3).map(seconds).fold(f64::INFINITY, f64::min)
            };
            let (once, always) = (cost(false), cost(true));
            println!(
                "{n:6}  {:8}  {unknowns:8}  {step:9}  {:18.2}  {:20.2}",
                method.name(),
                1e6 * once,
                1e6 * always
            );
        }
    }
}
