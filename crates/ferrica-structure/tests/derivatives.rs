//! Symbolic derivatives against central differences: y = f(time) has to be differentiated because
//! der(y) is used.

mod support;

use support::causal;
use support::eval::Machine;

/// Value of `name` at a time.
fn at(model: &ferrica_ir::causal::CausalModel, name: &str, time: f64) -> f64 {
    let mut m = Machine::new(model);
    m.time = time;
    m.update_relations();
    m.event();
    m.get(name)
}

#[test]
fn every_function_of_the_language_is_differentiated() {
    let cases = [
        "sin(2*time)",
        "cos(time)",
        "tan(time)",
        "asin(time/2)",
        "acos(time/2)",
        "atan(time)",
        "atan2(time, 2 - time)",
        "sinh(time)",
        "cosh(time)",
        "tanh(time)",
        "exp(-time)",
        "log(1 + time)",
        "log10(1 + time)",
        "sqrt(1 + time^2)",
        "abs(time - 2)",
        "time^3",
        "(1 + time)^2.5",
        "2^time",
        "(1 + time)^time",
        "time/(1 + time)",
        "3/(2 + sin(time))",
        "min(time, 0.3)",
        "max(time, 0.3)",
        "min(sin(time), cos(time))",
        "-time*exp(time)",
        "noEvent(if time > 0.2 then time^2 else time)",
        "if time > 0.2 then time^2 else time",
        "semiLinear(time - 0.2, 3, 5)",
        "semiLinear(0.2 - time, 3*time, 5*time)",
        "mod(time, 0.3)",
        "homotopy(time^2, time)",
        "time*time*time - 2*time + 1",
    ];
    for f in cases {
        let model = causal(&format!("Real y, v; equation y = {f}; v = der(y);"));
        for time in [0.45, 0.77] {
            let h = 1e-5;
            let difference = (at(&model, "y", time + h) - at(&model, "y", time - h)) / (2.0 * h);
            let v = at(&model, "v", time);
            assert!(
                (v - difference).abs() < 1e-6 * (1.0 + difference.abs()),
                "{f} at {time}: {v} but {difference}"
            );
        }
    }
}
