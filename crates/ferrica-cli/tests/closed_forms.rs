//! Models with closed-form or published answers, from Modelica text to the result file, with every solver that marches by steps.

mod common;

use common::{Table, folder, launch, run};

const VARIABLE: [&str; 4] = ["auto", "bdf", "radau", "dopri5"];
const ALL: [&str; 6] = ["auto", "bdf", "radau", "dopri5", "rk4", "euler"];

fn each(name: &str, text: &str, solvers: &[&str], args: &[&str], check: impl Fn(&str, &Table)) {
    for &solver in solvers {
        let args = [args, &["--solver", solver]].concat();
        check(solver, &run(&format!("{name}-{solver}"), text, &args));
    }
}

/// Torricelli: √h falls by 0.05 a second until the tank is empty at 20 s, where the slope of √h is infinite; below, max(h, 0)
/// does not vary and contributes nothing.
#[test]
fn a_tank_runs_empty() {
    let text = "model Tank Real h(start=1, fixed=true), p(start=1, fixed=true);
        equation der(h) = -0.1*sqrt(max(h, 0)); der(p) = -0.1*max(p, 0)^0.5; annotation(experiment(StopTime=30)); end Tank;";
    let real_time = ["rt-tr", "rt-bdf1", "rt-bdf2", "rt-bdf3"];
    each(
        "tank",
        text,
        &[&ALL[..], &real_time].concat(),
        &[],
        |solver, r| {
            for (t, (h, p)) in r["time"].iter().zip(r["h"].iter().zip(&r["p"])) {
                let exact = (1.0 - 0.05 * t).max(0.0).powi(2);
                assert!((h - exact).abs() < 2e-3, "{solver} {t}: {h} {exact}");
                assert!((p - exact).abs() < 2e-3, "{solver} {t}: {p} {exact}");
            }
        },
    );
}

/// A tank that begins empty: with s = √h, 2·s·ṡ = 1 − s, so t = −2·(s + ln(1 − s)). At the start the slope of √h is infinite.
#[test]
fn a_tank_fills_from_empty() {
    let text = "model Tank Real h(start=0, fixed=true); equation der(h) = 1 - sqrt(max(h, 0)); annotation(experiment(StopTime=3)); end Tank;";
    each("tank-fills", text, &ALL, &[], |solver, r| {
        let allowed = if solver == "euler" { 0.05 } else { 1e-3 };
        for (t, h) in r["time"].iter().zip(&r["h"]).skip(1) {
            let s = h.sqrt();
            let at = -2.0 * (s + (-s).ln_1p());
            assert!(
                (at - t).abs() < allowed,
                "{solver}: {h} belongs to {at}, not {t}"
            );
        }
    });
}

/// An unknown of a loop that begins where its slope is infinite: a correction of zero is no solution there. Each written value is
/// put into the equation; the second loop has the same slope in one of two unknowns.
#[test]
fn a_loop_begins_where_its_slope_is_infinite() {
    let text = "model Loop Real q(start=0), u(start=0), v(start=0);
        equation 10*time + 1 = sqrt(max(q, 0)) + q^3; 1 + time = sqrt(abs(u)) + v; 3 + time = u + v + 0.1*v^3; end Loop;";
    each("steep-loop", text, &ALL, &["--verify"], |solver, r| {
        for (k, t) in r["time"].iter().enumerate() {
            let [q, u, v] = ["q", "u", "v"].map(|n| r[n][k]);
            let left = [
                10.0 * t + 1.0 - q.max(0.0).sqrt() - q.powi(3),
                1.0 + t - u.abs().sqrt() - v,
                3.0 + t - u - v - 0.1 * v.powi(3),
            ];
            assert!(
                left.iter().all(|r| r.abs() < 1e-6),
                "{solver} {t}: {left:?}"
            );
        }
    });
}

/// Step response of a series circuit: v = 1 − e^(−at)·(cos ωt + a/ω·sin ωt), a = R/2L, ω² = 1/LC − a².
#[test]
fn series_rlc() {
    let text = "model RLC parameter Real R=0.5, L=1, C=0.25; Real i(start=0, fixed=true), v(start=0, fixed=true);
        equation L*der(i) = 1 - R*i - v; C*der(v) = i; annotation(experiment(StopTime=5)); end RLC;";
    let (a, w) = (0.25f64, (4.0f64 - 0.0625).sqrt());
    each("rlc", text, &ALL, &[], |solver, r| {
        let allowed = if solver == "euler" { 0.05 } else { 1e-4 };
        for (t, v) in r["time"].iter().zip(&r["v"]) {
            let exact = 1.0 - (-a * t).exp() * ((w * t).cos() + a / w * (w * t).sin());
            assert!((v - exact).abs() < allowed, "{solver} {t}: {v} {exact}");
        }
    });
}

/// Arithmetic-geometric mean: K(m) = π / (2·agm(1, √(1 − m))).
fn complete_elliptic(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// Started with ω₀ at the bottom, the pendulum is there again after each period (4/ω₀)·K(4g/Lω₀²), as fast as before.
#[test]
fn cartesian_pendulum_over_the_top() {
    let text = "model Pendulum parameter Real g=9.81, L=1;
        Real x(start=0, fixed=true), y(start=-1), vx(start=8, fixed=true), vy, F;
        equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - g; x^2 + y^2 = L^2; end Pendulum;";
    let period = 4.0 / 8.0 * complete_elliptic(4.0 * 9.81 / 64.0);
    let stop = format!("{}", 3.0 * period);
    let args = ["--stop", &stop, "--tol", "1e-8"];
    each("pendulum", text, &VARIABLE, &args, |solver, r| {
        let highest = r["y"].iter().fold(-1.0f64, |m, y| m.max(*y));
        assert!(highest > 0.99, "{solver}: it does not come to the top");
        let end = ["x", "y", "vx"].map(|n| r.last(n));
        let wrong = (end[0].abs())
            .max((end[1] + 1.0).abs())
            .max((end[2] - 8.0).abs());
        assert!(wrong < 5e-4, "{solver}: {end:?}");
        for (x, y) in r["x"].iter().zip(&r["y"]) {
            assert!((x * x + y * y - 1.0).abs() < 1e-6, "{solver}: {x} {y}");
        }
    });
    let args = ["--stop", &stop, "--step", "0.002"];
    each("pendulum", text, &["rk4"], &args, |_, r| {
        assert!(r.last("x").abs() < 1e-3 && (r.last("y") + 1.0).abs() < 1e-3);
    });
}

/// A load hangs from a trolley that rolls freely (index 3): the centre of mass does not move sideways, energy is kept, and the rope
/// keeps its length.
#[test]
fn crane_of_index_three() {
    let text = "model Crane parameter Real M=2, m=1, L=1, g=9.81;
        Real s(start=0, fixed=true), w(start=0, fixed=true);
        Real x(start=0.6, fixed=true), y(start=-0.8), u(start=0, fixed=true), v, F;
        Real energy = 0.5*M*w^2 + 0.5*m*(u^2 + v^2) + m*g*y;
        equation der(s) = w; M*der(w) = F*(x - s); der(x) = u; der(y) = v;
        m*der(u) = -F*(x - s); m*der(v) = -F*y - m*g; (x - s)^2 + y^2 = L^2;
        annotation(experiment(StopTime=4, Tolerance=1e-7)); end Crane;";
    each("crane", text, &VARIABLE, &[], |solver, r| {
        let lowest = r["y"].iter().fold(0.0f64, |m, y| m.min(*y));
        assert!(
            lowest < -0.999,
            "{solver}: the load passes below the trolley"
        );
        for k in 0..r["time"].len() {
            let at = |name: &str| r[name][k];
            let centre = 2.0 * at("s") + at("x") - 0.6;
            let rope = (at("x") - at("s")).powi(2) + at("y").powi(2) - 1.0;
            let energy = at("energy") + 9.81 * 0.8;
            assert!(centre.abs() < 1e-4, "{solver}: {centre}");
            assert!(rope.abs() < 1e-5, "{solver}: {rope}");
            assert!(energy.abs() < 1e-3, "{solver}: {energy}");
        }
    });
}

/// Two capacitors in parallel are one state: v = e^(−t/R(C₁ + C₂)).
#[test]
fn capacitors_in_parallel() {
    let text = "model Parallel import Modelica.Electrical.Analog.Basic.*;
        Capacitor c1(C=1, v(start=1, fixed=true)), c2(C=3); Resistor r(R=0.5); Ground g;
        equation connect(c1.p, c2.p); connect(c1.p, r.p); connect(c1.n, g.p); connect(c2.n, g.p); connect(r.n, g.p);
        annotation(experiment(StopTime=4)); end Parallel;";
    each("parallel", text, &ALL, &[], |solver, r| {
        let allowed = if solver == "euler" { 1e-2 } else { 1e-5 };
        for (t, v) in r["time"].iter().zip(&r["c2.v"]) {
            assert!((v - (-t / 2.0).exp()).abs() < allowed, "{solver} {t}: {v}");
        }
    });
}

/// Four ideal diodes make |sin| of a sine, up to their resistances (10 µΩ, 10 µS beside 100 Ω).
#[test]
fn ideal_diode_bridge() {
    let text = "model Bridge import Modelica.Electrical.Analog.*;
        Sources.SineVoltage v(V=10, f=1); Ideal.IdealDiode d[4]; Basic.Resistor r(R=100); Basic.Ground g;
        equation connect(v.p, d[1].p); connect(v.p, d[3].n); connect(v.n, d[2].p); connect(v.n, d[4].n);
        connect(d[1].n, r.p); connect(d[2].n, r.p); connect(d[3].p, r.n); connect(d[4].p, r.n); connect(r.n, g.p);
        annotation(experiment(StopTime=2)); end Bridge;";
    each("bridge", text, &ALL, &[], |solver, r| {
        for (t, v) in r["time"].iter().zip(&r["r.v"]) {
            let exact = (10.0 * (2.0 * std::f64::consts::PI * t).sin()).abs();
            assert!((v - exact).abs() < 2e-2, "{solver} {t}: {v} {exact}");
        }
    });
}

/// x + eˣ = y is solved on the way for y' = 1: the state is time itself.
#[test]
fn nonlinear_loop() {
    let text = "model Loop Real y(start=0, fixed=true), x(start=0), z; equation der(y) = 1; x + z = y; z = exp(x);
        annotation(experiment(StopTime=5)); end Loop;";
    each("loop", text, &ALL, &[], |solver, r| {
        for (t, x) in r["time"].iter().zip(&r["x"]) {
            assert!((x + x.exp() - t).abs() < 1e-9, "{solver} {t}: {x}");
        }
    });
}

/// µ = 1000, y(0) = (2, 0): the reference values at t = 2000 are those of the Test Set for Initial Value Problem Solvers. `auto` starts
/// explicit and must notice the stiffness: only an implicit method needs Jacobians.
#[test]
fn van_der_pol() {
    let text = "model VanDerPol Real y(start=2, fixed=true), z(start=0, fixed=true);
        equation der(y) = z; der(z) = 1000*(1 - y^2)*z - y; annotation(experiment(StopTime=2000, Tolerance=1e-7)); end VanDerPol;";
    let args = ["--stats", "stats.json"];
    each(
        "van-der-pol",
        text,
        &["auto", "bdf", "radau"],
        &args,
        |solver, r| {
            let y = r.last("y");
            assert!((y - 1.706167732170483).abs() < 1e-3, "{solver}: {y}");
            let dir = folder(&format!("van-der-pol-{solver}"));
            let stats = std::fs::read_to_string(dir.join("stats.json")).expect("statistics");
            let number = |name: &str| -> f64 {
                let at = stats.find(&format!("\"{name}\": ")).expect("an entry") + name.len() + 4;
                let text: String = stats[at..]
                    .chars()
                    .take_while(char::is_ascii_digit)
                    .collect();
                text.parse().expect("a number")
            };
            assert!(number("jacobians") > 0.0, "{solver} stays explicit");
            assert!(
                number("steps") < 20_000.0,
                "{solver}: {} steps",
                number("steps")
            );
        },
    );
}

/// x' = −x(t − 1) with x = 1 before the start, by the method of steps: 1 − t, then 1 − t + (t − 1)²/2, …
#[test]
fn delay_equation() {
    let text = "model Late Real x(start=1, fixed=true); equation der(x) = -delay(x, 1);
        annotation(experiment(StopTime=3)); end Late;";
    each("late", text, &ALL, &[], |solver, r| {
        let allowed = if solver == "euler" { 2e-2 } else { 1e-4 };
        for (t, x) in r["time"].iter().zip(&r["x"]) {
            let mut exact = 1.0 - t;
            if *t > 1.0 {
                exact += (t - 1.0).powi(2) / 2.0;
            }
            if *t > 2.0 {
                exact -= (t - 2.0).powi(3) / 6.0;
            }
            assert!((x - exact).abs() < allowed, "{solver} {t}: {x} {exact}");
        }
    });
}

/// x' = u − x under u = 2·(1 − x) sampled every 0.1 s: x ← u + (x − u)·e^(−0.1).
#[test]
fn sampled_controller() {
    let text = "model Sampled Real x(start=0, fixed=true); discrete Real u(start=0, fixed=true);
        equation der(x) = u - x; when sample(0, 0.1) then u = 2*(1 - x); end when;
        annotation(experiment(StopTime=1)); end Sampled;";
    let mut exact = 0.0f64;
    for _ in 0..10 {
        let u = 2.0 * (1.0 - exact);
        exact = u + (exact - u) * (-0.1f64).exp();
    }
    each("sampled", text, &ALL, &[], |solver, r| {
        let allowed = if solver == "euler" { 1e-2 } else { 1e-5 };
        let x = r.last("x");
        assert!((x - exact).abs() < allowed, "{solver}: {x} {exact}");
    });
}

/// The slowest mode of a rod of 1000 cells decays with λ = −4·1001²·sin²(π/2002).
#[test]
fn heat_rod() {
    let text = "model Rod parameter Integer n=1000; parameter Real pi=3.141592653589793;
        Real u[n](start={sin(pi*i/(n + 1)) for i in 1:n}, each fixed=true);
        equation der(u[1]) = (n + 1)^2*(u[2] - 2*u[1]); der(u[n]) = (n + 1)^2*(u[n - 1] - 2*u[n]);
        for i in 2:n - 1 loop der(u[i]) = (n + 1)^2*(u[i - 1] - 2*u[i] + u[i + 1]); end for;
        annotation(experiment(StopTime=0.1)); end Rod;";
    let n = 1001.0f64;
    let rate = -4.0 * n * n * (std::f64::consts::PI / (2.0 * n)).sin().powi(2);
    let args = ["--points", "4", "--vars", "u[500]"];
    each(
        "rod",
        text,
        &["auto", "bdf", "radau"],
        &args,
        |solver, r| {
            let start = (std::f64::consts::PI * 500.0 / n).sin();
            for (t, u) in r["time"].iter().zip(&r["u[500]"]) {
                let exact = start * (rate * t).exp();
                assert!((u - exact).abs() < 1e-4, "{solver} {t}: {u} {exact}");
            }
        },
    );
}

/// Bounces at √(2h/g)·(1 + 2e + 2e² + …), to rest after √(2h/g)·(1 + e)/(1 − e).
#[test]
fn bouncing_ball_to_rest() {
    let text = "model Ball Real h(start=1, fixed=true), v(start=0, fixed=true); Boolean flying(start=true, fixed=true);
        Real landed(start=0, fixed=true); Integer n(start=0, fixed=true);
        equation der(h) = if flying then v else 0; der(v) = if flying then -9.81 else 0;
        when h <= 0 and v <= 0 then
          n = pre(n) + 1; flying = v < -1e-3; landed = time;
          reinit(v, if flying then -0.7*v else 0);
        end when;
        annotation(experiment(StopTime=4)); end Ball;";
    let fall = (2.0f64 / 9.81).sqrt();
    let rest = fall * 1.7 / 0.3;
    each("ball", text, &VARIABLE, &[], |solver, r| {
        let landed = r.last("landed");
        assert!((landed - rest).abs() < 1e-2, "{solver}: {landed} {rest}");
        assert_eq!(r.last("flying"), 0.0, "{solver}");
        assert!(r.last("h").abs() < 1e-6, "{solver}");
        // Speed √(2g)·0.7ⁿ falls below 1 mm/s at the 24th bounce.
        let n = r.last("n");
        assert!((24.0..=26.0).contains(&n), "{solver}: {n}");
    });
}

/// Conditions that become true together, in loops, in chains at one instant, and with reinit: counted by hand.
#[test]
fn events_in_all_orders() {
    let text = "model Orders Real x(start=0, fixed=true), y(start=0, fixed=true), z[3](each start=0, each fixed=true);
        Integer n(start=0, fixed=true), m(start=0, fixed=true), k[3](each start=0, each fixed=true), end1(start=0, fixed=true);
        Boolean both(start=false, fixed=true), a(start=false, fixed=true), b(start=false, fixed=true), c(start=false, fixed=true);
        equation der(x) = 1; der(y) = 2;
        when x > 1 then n = pre(n) + 1; end when;
        when y > 2 then m = pre(m) + 1; end when;
        when {x > 1, y > 2} then both = not pre(both); end when;
        for i in 1:3 loop
          der(z[i]) = i;
          when z[i] > 1 then reinit(z[i], 0); k[i] = pre(k[i]) + 1; end when;
        end for;
        when time > 0.5 then a = true; end when;
        when a then b = true; end when;
        when b then c = true; end when;
        when time >= 2 then end1 = pre(end1) + 1; end when;
        annotation(experiment(StopTime=2)); end Orders;";
    each("orders", text, &ALL, &[], |solver, r| {
        let end = ["n", "m", "both", "a", "b", "c", "end1", "time"].map(|n| r.last(n));
        assert_eq!(end, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0], "{solver}");
        let k = [1, 2, 3].map(|i| r.last(&format!("k[{i}]")));
        // z[1] is at 1 for the second time just after the end.
        assert_eq!(k, [1.0, 3.0, 5.0], "{solver}");
    });
}

/// A partition on a clock with a solver: forward Euler of x' = u − x, u = t, is 2·0.9ᵏ + 0.1·k − 1.
#[test]
fn discretised_partition() {
    let text = "model Clocked Real x(start=1), u = time, us, y;
        equation us = sample(u, Clock(Clock(0.1), solverMethod=\"ExplicitEuler\")); der(x) = us - x; y = hold(x);
        annotation(experiment(StopTime=1)); end Clocked;";
    each("clocked", text, &ALL, &[], |solver, r| {
        let y = r.last("y");
        assert!((y - 2.0 * 0.9f64.powi(10)).abs() < 1e-9, "{solver}: {y}");
    });
}

/// A loop of Booleans without a solution is refused before the run, in the words of the model.
#[test]
fn a_boolean_that_contradicts_itself() {
    let text = "model M Boolean b; equation b = not b; end M;";
    let output = launch("boolean-loop", text, &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.matches("error[E0404]").count(), 1, "{errors}");
    assert!(
        errors.contains("`b`") && errors.contains("pre()"),
        "{errors}"
    );
}

/// With `--event-rows off` only output points are written, also where an event is at one.
#[test]
fn rows_at_events_can_be_left_out() {
    let text = "model Ticks Integer n(start=0, fixed=true); equation when sample(0, 0.05) then n = pre(n) + 1; end when;
        annotation(experiment(StopTime=1, Interval=0.1)); end Ticks;";
    let with = run("ticks", text, &[]);
    let without = run("ticks", text, &["--event-rows", "off"]);
    assert!(with["time"].len() > 40);
    // The row before an event at the last point is there as well.
    let times: Vec<f64> = (0..=10).map(|k| f64::from(k) * 0.1).collect();
    let mut found = without["time"].clone();
    found.dedup();
    assert_eq!(found.len(), times.len(), "{found:?}");
    assert!(found.iter().zip(&times).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(without.last("n"), with.last("n"));
}

/// Two inertias of 0.1 kg·m² on a clutch of 20 N·m, one of them driven with 1 N·m: at equal speeds, after 10/410 s, it sticks at
/// once (1 N·m is less than 20), although sliding forward asks for sliding backward and the other way round. Momentum is kept.
#[test]
fn a_clutch_sticks_at_once() {
    let text = "model Clutch parameter Real J=0.1, t0=20;
        Real w1(start=-10, fixed=true), w2(start=0, fixed=true), w = w1 - w2, sa, tau;
        Integer mode(start=-1, fixed=true); Boolean forward(start=false, fixed=true), backward(start=false, fixed=true), locked;
        Real stuck(start=0, fixed=true);
        equation forward = pre(mode) == 0 and sa > t0; backward = pre(mode) == 0 and sa < -t0;
        locked = not (pre(mode) == 1 or forward or pre(mode) == -1 or backward);
        der(w1) - der(w2) = if locked then 0 else if forward or pre(mode) == 1 and not backward then sa - t0 else sa + t0;
        tau = if locked then sa else if forward or pre(mode) == 1 and not backward then t0 else -t0;
        J*der(w1) = 1 - tau; J*der(w2) = tau;
        mode = if (pre(mode) == 1 or forward) and w > 0 then 1 else if (pre(mode) == -1 or backward) and w < 0 then -1 else 0;
        when mode == 0 then stuck = time; end when;
        annotation(experiment(StopTime=1)); end Clutch;";
    each("clutch", text, &ALL, &[], |solver, r| {
        assert!(
            r["mode"].iter().all(|m| *m < 0.5),
            "{solver} slides forward"
        );
        let stuck = r.last("stuck");
        assert!((stuck - 10.0 / 410.0).abs() < 1e-6, "{solver}: {stuck}");
        // 0.1·(−10) + 1·t = 0.2·ω
        let speed = r.last("w2");
        assert!(speed.abs() < 1e-4, "{solver}: {speed}");
    });
}

/// The derivative of a property comes from its annotation, and what the property is taken from, which follows from x, is not
/// differentiated: the annotation says 3·ẋ here, where the values, x², would have 2·x·ẋ.
#[test]
fn a_given_derivative_takes_the_place_of_the_formula() {
    let text = "model M
        record P Real v; Real s; end P;
        function props
          input Real x; output P p;
        protected
          Integer n;
        algorithm
          n := integer(2.5 + x - x);
          p.v := 1;
          for i in 1:n loop p.v := p.v*x; end for;
          p.s := 3;
        end props;
        function v
          input Real x; input P p; output Real v;
        algorithm
          v := p.v;
          annotation(derivative(noDerivative = p) = v_der, LateInline = true);
        end v;
        function v_der
          input Real x; input P p; input Real x_der; output Real d;
        algorithm
          d := p.s*x_der;
        end v_der;
        Real x = 1 + 2*time;
        Real y = v(x, props(x));
        Real w = der(y);
      end M;";
    let table = run("given-derivative", text, &[]);
    for ((x, y), w) in table["x"].iter().zip(&table["y"]).zip(&table["w"]) {
        assert!((y - x * x).abs() < 1e-12, "{x}: {y}");
        assert!((w - 6.0).abs() < 1e-12, "{x}: {w}");
    }
}

/// Beside a nonlinear loop, too, only states are interpolated: every row satisfies the equations, and conditions on fast algebraic variables
/// turn where the variable says: sin 50t passes 0.5 upwards at (π/6 + 2πk)/50, eight times in a second.
#[test]
fn algebraic_variables_beside_a_loop_are_evaluated() {
    let text = "model A Real w(start=1, fixed=true), d, y = sin(50*time); Integer n(start=0, fixed=true);
        Real at(start=0, fixed=true), late(start=0, fixed=true);
        equation der(w) = -d; d = w - 0.4*sin(d);
        when y > 0.5 then
          n = pre(n) + 1; at = time; late = max(pre(late), abs(time - (asin(1)/3 + 4*asin(1)*(n - 1))/50));
        end when;
        end A;";
    each("beside-loop", text, &VARIABLE, &[], |solver, r| {
        for (k, t) in r["time"].iter().enumerate() {
            let (w, d, y) = (r["w"][k], r["d"][k], r["y"][k]);
            assert!((y - (50.0 * t).sin()).abs() < 1e-9, "{solver} {t}: {y}");
            let loop_residual = d - w + 0.4 * d.sin();
            assert!(loop_residual.abs() < 1e-9, "{solver} {t}: {loop_residual}");
        }
        assert_eq!(r.last("n"), 8.0, "{solver}");
        assert!(r.last("late") < 1e-9, "{solver}: {}", r.last("late"));
    });
}

/// Ladders of nonlinear resistors. What their loops are torn to is a chain of assignments from one end to the other, along which a difference grows by
/// a half from rung to rung, 10^70-fold at the end: the iteration variable alone says nothing about the others.
#[test]
fn ladders_of_nonlinear_resistors() {
    // Right-hand sides for a solution that is given.
    let known = "model L parameter Integer n = N;
        parameter Real vs[n] = {0.97^k for k in 1:n}, js[n+1] = {0.5*0.98^k for k in 0:n};
        Real v[n], j[n+1], x(start=0, fixed=true);
        Real worst = max(max(abs(v[k]/(1+x)/vs[k] - 1) for k in 1:n), max(abs(j[k]/(1+x)/js[k] - 1) for k in 1:n+1));
        equation der(x) = 1;
        j[1] + v[1] = (1+x)*(js[1] + vs[1]);
        for k in 2:n loop
          v[k-1] - v[k] - 2*j[k] - 0.1*j[k]^3 = (1+x)*(vs[k-1] - vs[k] - 2*js[k]) - 0.1*((1+x)*js[k])^3;
        end for;
        j[n+1] - v[n]/3 = (1+x)*(js[n+1] - vs[n]/3);
        for k in 1:n loop j[k] - j[k+1] - v[k]/10 = (1+x)*(js[k] - js[k+1] - vs[k]/10); end for;
        annotation(experiment(StopTime=1, Interval=0.1)); end L;";
    // v[1] from Newton's method on all equations in NumPy, the same for 50, 100 and 1000 rungs.
    let driven = "model D parameter Integer n = N; Real v[n], j[n+1];
        equation j[1] = 1 + 0.5*sin(time) - v[1];
        for k in 2:n loop v[k-1] - v[k] = 2*j[k] + 0.1*j[k]^3; end for;
        j[n+1] = v[n]/3;
        for k in 1:n loop j[k] - j[k+1] = v[k]/10; end for;
        annotation(experiment(StopTime=1, Interval=0.1)); end D;";
    for n in [20, 100, 400] {
        let (known, driven) = (
            known.replace('N', &n.to_string()),
            driven.replace('N', &n.to_string()),
        );
        for solver in ["auto", "radau", "euler", "rt-bdf1"] {
            let args = ["--solver", solver, "--vars", "worst"];
            let fixed = ["--step", "0.1"];
            let steps = matches!(solver, "euler" | "rt-bdf1");
            let args = if steps {
                [&args[..], &fixed].concat()
            } else {
                args.to_vec()
            };
            let r = run(&format!("ladder-{solver}-{n}"), &known, &args);
            assert!(r.last("worst") < 1e-9, "{solver} {n}: {}", r.last("worst"));
        }
        for solver in ["auto", "bdf"] {
            let r = run(
                &format!("driven-{solver}-{n}"),
                &driven,
                &["--solver", solver, "--verify"],
            );
            let off = (r.last("v[1]") - 1.1108381088568484).abs();
            assert!(off < 1e-8, "{solver} {n}: {off}");
        }
    }
}

/// Ladders of resistors of one ohm, all linear: voltages and currents are Fibonacci numbers, counted from the far end. With coefficients that are numbers,
/// and with one that a state gives.
#[test]
fn ladders_of_linear_resistors() {
    let text = |n: usize, ohm: &str| {
        format!(
            "model L parameter Integer n = {n}; Real v[n], j[n+1], w(start=1, fixed=true);
            equation der(w) = 0; j[1] = 1 - v[1];
            for k in 2:n loop v[k-1] - v[k] = {ohm}j[k]; end for;
            j[n+1] = v[n];
            for k in 1:n loop j[k] - j[k+1] = v[k]; end for;
            annotation(experiment(StopTime=1)); end L;"
        )
    };
    for n in [8usize, 40, 200] {
        // Of the numbers from 2 on, in parts of the last one.
        let mut fibonacci = vec![1.0f64, 1.0];
        for k in 2..2 * n + 2 {
            fibonacci.push(fibonacci[k - 1] + fibonacci[k - 2]);
        }
        let last = fibonacci[2 * n + 1];
        for (kind, ohm) in [("number", ""), ("state", "w*")] {
            for solver in ["auto", "radau", "euler", "rt-bdf1", "qss2"] {
                let r = run(
                    &format!("ohm-{kind}-{solver}-{n}"),
                    &text(n, ohm),
                    &["--solver", solver],
                );
                for k in 1..=n {
                    let exact = fibonacci[2 * (n - k) + 1] / last;
                    let value = r.last(&format!("v[{k}]"));
                    let at = format!("{kind} {solver} {n}: v[{k}] = {value}, not {exact}");
                    assert!((value - exact).abs() < 1e-12, "{at}");
                }
            }
        }
    }
}

/// A relay with a hysteresis swings 5,000 times within ten microseconds and then rests: 1 + 4,999·2 nanoseconds of x at a speed of one a nanosecond. What is
/// fast beside the run is no chattering, for x goes far away from its thresholds; the result does not depend on the stop time.
#[test]
fn a_fast_oscillation_in_a_long_run() {
    let text = "model Fast parameter Real T = 1e-9; Real x(start=0, fixed=true); Boolean on(start=true, fixed=true);
        Integer n(start=0, fixed=true);
        equation on = x < -1 or pre(on) and x < 1; when change(on) then n = pre(n) + 1; end when;
        der(x) = if n >= 5000 then 0 elseif on then 1/T else -1/T; end Fast;";
    let quantized = ["qss2", "qss3", "liqss2", "mliqss2"];
    let solvers = [&VARIABLE[..], &quantized].concat();
    for stop in ["2e-5", "100"] {
        each(
            &format!("fast-{stop}"),
            text,
            &solvers,
            &["--stop", stop],
            |solver, r| {
                let (x, n) = (r.last("x"), r.last("n"));
                assert!((x + 1.0).abs() < 1e-6, "{solver} {stop}: x = {x}");
                assert!(n == 5000.0, "{solver} {stop}: n = {n}");
            },
        );
    }
}
