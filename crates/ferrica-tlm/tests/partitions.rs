//! Cuts at delays, and runs of the parts.

mod pipeline;

use ferrica_sim::{SolverKind, Warning};
use ferrica_tlm::{Options, channels, partitions};
use pipeline::{compile, run, run_on, threads};

/// A chain of lines with a nonlinear restriction between neighbours, a driven end and a storage at the
/// other end, whose valve opens by events.
const CHAIN: &str = "
model Chain
  constant Integer N = 12;
  parameter Real T = 1e-3;
  parameter Real Z = 1;
  Real ca[N], cb[N], qa[N], qb[N];
  Real x(start = 0, fixed = true);
  Boolean open(start = false, fixed = true);
  discrete Real n(start = 0, fixed = true);
  Real total;
equation
  qa[1] = 0.5*(1 + sin(300*time));
  for k in 1:N loop
    ca[k] = delay(cb[k] + 2*Z*qb[k], T);
    cb[k] = delay(ca[k] + 2*Z*qa[k], T);
  end for;
  for k in 1:N - 1 loop
    qb[k] + qa[k + 1] = 0;
    qa[k + 1] + 0.3*qa[k + 1]^3 = cb[k] + Z*qb[k] - ca[k + 1] - Z*qa[k + 1];
  end for;
  open = x > 0.3;
  when open then
    n = pre(n) + 1;
  end when;
  0.01*der(x) = -qb[N] - (if open then x else 0);
  cb[N] + Z*qb[N] = x;
  total = qa[1] + x + ca[3];
end Chain;
";

/// A line between a source and a load of its own impedance: the far end sees half of the source,
/// one travelling time ago.
const MATCHED: &str = "
model Matched
  parameter Real T = 0.1;
  Real u = if time > 0 then sin(time)^2 else 0;
  Real ca, cb, q1, q2, p1, p2;
equation
  ca = delay(cb + 2*q2, T);
  cb = delay(ca + 2*q1, T);
  p1 = ca + q1;
  p2 = cb + q2;
  q1 = u - p1;
  q2 = -p2;
end Matched;
";

#[test]
fn delays_cut_the_chain() {
    let model = compile(CHAIN);
    let cut = partitions(&model);
    // Both ends and the eleven restrictions; the sum `total` only looks at three of them.
    assert_eq!(cut.parts.len(), 13);
    assert_eq!(cut.lines.len(), 24);
    let crossing = cut
        .lines
        .iter()
        .filter(|l| l.to.len() == 1 && l.to[0] != l.from);
    assert_eq!(crossing.count(), 24);
    assert_eq!(cut.parts.iter().map(|p| p.states.len()).sum::<usize>(), 1);
}

/// Conditions of time alone, as lines have them for their start, join nothing and make no part.
#[test]
fn conditions_of_time_are_shared() {
    let model =
        compile("model Network extends Ferrica.Benchmarks.HydraulicNetwork(N = 4); end Network;");
    let cut = partitions(&model);
    let names: Vec<&str> = cut.parts.iter().map(|p| p.name.as_str()).collect();
    let expected = [
        "orifice[1]",
        "orifice[2]",
        "orifice[3]",
        "orifice[4]",
        "orifice[5]",
    ];
    assert_eq!(names, expected);
    assert_eq!(cut.shared_relations.len(), 4);
    let (rows, end) = run(
        &model,
        &threads(2, 1e-4),
        2.0,
        1.0,
        &[],
        &["orifice[1].q", "orifice[5].q"],
    );
    assert!(end.is_ok());
    // In the steady state what goes in comes out.
    let last = &rows.last().expect("rows").1;
    assert!(
        last[0] > 1e-4 && (last[0] - last[1]).abs() < 1e-3 * last[0],
        "{last:?}"
    );
}

#[test]
fn results_do_not_depend_on_threads() {
    let model = compile(CHAIN);
    let names = [
        "x", "n", "total", "qa[1]", "qa[6]", "qb[12]", "ca[1]", "open",
    ];
    let mut first = None;
    for n in [1, 2, 3, 5] {
        let (rows, end) = run(&model, &threads(n, 1e-3), 0.5, 5e-3, &[], &names);
        let stats = end.unwrap_or_else(|e| panic!("{e}"));
        assert!(stats.state_events >= 1, "the valve opens");
        assert_eq!(rows.len(), 101);
        assert!(rows[100].1[1] >= 1.0, "the counter has counted");
        let bits: Vec<Vec<u64>> = rows
            .iter()
            .map(|r| r.1.iter().map(|v| v.to_bits()).collect())
            .collect();
        match &first {
            None => first = Some(bits),
            Some(one) => {
                for (k, (a, b)) in one.iter().zip(&bits).enumerate() {
                    assert_eq!(a, b, "{n} threads differ from one at row {k}");
                }
            }
        }
    }
}

fn bits(rows: &pipeline::Rows) -> Vec<Vec<u64>> {
    (rows.iter())
        .map(|r| r.1.iter().map(|v| v.to_bits()).collect())
        .collect()
}

/// Ranks share no memory: all they know of each other came by messages.
#[test]
fn results_do_not_depend_on_ranks() {
    let model = compile(CHAIN);
    let names = ["x", "n", "total", "qa[1]", "qa[6]", "qb[12]", "open"];
    let mut options = threads(1, 1e-3);
    options.rates = vec![(partitions(&model).parts[12].name.clone(), 2.5e-4)];
    let (one, end) = run(&model, &options, 0.5, 5e-3, &[], &names);
    assert!(end.is_ok());
    for size in [2, 3] {
        let all: Vec<_> = std::thread::scope(|scope| {
            let (model, options, names) = (&model, &options, &names);
            let ranks: Vec<_> = channels(size)
                .into_iter()
                .map(|mut rank| {
                    let run =
                        move || run_on(model, options, 0.5, 5e-3, &[], names, Some(&mut rank));
                    scope.spawn(run)
                })
                .collect();
            ranks
                .into_iter()
                .map(|r| r.join().expect("no panic"))
                .collect()
        });
        for (rank, (rows, end)) in all.iter().enumerate() {
            assert!(end.is_ok(), "rank {rank}");
            assert_eq!(rows.is_empty(), rank > 0);
        }
        assert_eq!(bits(&all[0].0), bits(&one), "{size} ranks differ from one");
    }
}

#[test]
fn own_steps_of_parts() {
    let model = compile(CHAIN);
    let cut = partitions(&model);
    let store = cut
        .parts
        .iter()
        .find(|p| !p.states.is_empty())
        .expect("a part with a state");
    let fine = threads(2, 1e-5);
    let (reference, end) = run(&model, &fine, 0.2, 0.01, &[], &["x", "qa[6]"]);
    assert!(end.is_ok());
    let mut mixed = threads(2, 1e-3);
    mixed.rates = vec![(store.name.clone(), 1e-5)];
    let (rows, end) = run(&model, &mixed, 0.2, 0.01, &[], &["x", "qa[6]"]);
    let stats = end.unwrap_or_else(|e| panic!("{e}"));
    // 200 steps of twelve parts in one or two clusters, 20000 of the store.
    assert!(
        stats.steps >= 20_200 && stats.steps <= 20_400,
        "{}",
        stats.steps
    );
    // What enters the store is interpolated between coarse samples of a signal of 300 rad/s.
    for (a, b) in rows.iter().zip(&reference) {
        assert!((a.1[0] - b.1[0]).abs() < 2e-2, "{a:?} {b:?}");
    }
}

#[test]
fn matched_line_in_closed_form() {
    let model = compile(MATCHED);
    let exact = |t: f64| {
        if t < 0.1 {
            0.0
        } else {
            0.5 * (t - 0.1).sin().powi(2)
        }
    };
    // A step that divides the delay: to rounding. Another one: by interpolation between samples.
    for (step, tolerance) in [(0.02, 1e-14), (0.1, 1e-14), (0.03, 2e-5)] {
        let (rows, end) = run(&model, &threads(2, step), 3.0, 0.3, &[], &["p2"]);
        assert!(end.is_ok());
        for (t, v) in rows {
            assert!(
                (v[0] - exact(t)).abs() <= tolerance,
                "step {step}, time {t}: {}",
                v[0]
            );
        }
    }
}

/// A heater that switches at 18 and 22 degrees; nothing in it is delayed.
#[test]
fn a_model_without_lines_is_told_of_its_events() {
    let model = compile(
        "model M discrete Boolean on(start = true, fixed = true); Real T(start = 20, fixed = true);
         equation der(T) = (if on then 40 else 10) - T;
         when T > 22 then on = false; elsewhen T < 18 then on = true; end when; end M;",
    );
    let told = |options: &Options| {
        let (_, end) = run(&model, options, 2.0, 0.1, &[], &["T"]);
        let warnings = end.expect("runs").warnings.into_iter();
        warnings.filter(|w| w.message.contains("no line")).count()
    };
    let steps = threads(1, 0.01);
    assert_eq!(told(&steps), 1);
    let mut own = steps.clone();
    own.solver = Some(SolverKind::Bdf);
    assert_eq!(told(&own), 0);
}

#[test]
fn short_lines_are_refused_or_stretched() {
    let model = compile(MATCHED);
    let (_, end) = run(&model, &threads(1, 0.2), 1.0, 0.2, &[], &["p2"]);
    let error = end
        .expect_err("the line is shorter than the step")
        .to_string();
    assert!(error.contains("shorter than its step"), "{error}");
    let mut longer = threads(1, 0.2);
    longer.stretch = true;
    let (rows, end) = run(&model, &longer, 1.0, 0.2, &[], &["p2"]);
    assert_eq!(end.expect("runs").warnings.len(), 2);
    // A travelling time of 0.2 s now.
    let last = rows.last().expect("rows");
    assert!((last.1[0] - 0.5 * 0.8f64.sin().powi(2)).abs() < 1e-14);
}

/// Independent reference run of the relief valve with differences over the delay T = 1e-4 s: pressure and
/// opening at some instants.
const RELIEF: [(f64, f64, f64); 2] = [
    (0.0001, 2000.0, 0.0),
    (2.0, 10005687.9128653, 1.89689042298616e-06),
];

#[test]
fn relief_valve_on_the_grid_of_its_delay() {
    let model = compile(
        "model Relief extends Ferrica.Benchmarks.ReliefValve.DerInline.DelayEuler; end Relief;",
    );
    assert_eq!(model.layout.n_states, 0);
    let names = ["hydr.left.p", "hydr.x"];
    let (rows, end) = run(&model, &threads(1, 1e-4), 2.0, 1e-4, &[], &names);
    assert!(end.is_ok());
    assert_eq!(rows.len(), 20001);
    for (t, p, x) in RELIEF {
        let row = &rows[(t / 1e-4).round() as usize];
        assert!((row.0 - t).abs() < 1e-12);
        assert!((row.1[0] - p).abs() <= 1e-9 * p, "p({t}) = {}", row.1[0]);
        assert!((row.1[1] - x).abs() <= 1e-9 * x, "x({t}) = {}", row.1[1]);
    }
}

/// A volume in the middle of a chain of orifices and volumes has half of the equations on each side. The first and the last one have
/// only an orifice behind them, which moves nothing.
#[test]
fn a_line_in_the_middle_splits_best() {
    let model = compile(
        "model Network extends Ferrica.Benchmarks.HydraulicNetworkODE(N = 7); end Network;",
    );
    let list = ferrica_tlm::suggest_lines(&model);
    assert_eq!(list.len(), 5);
    assert_eq!(list[0].component, "volume[4]");
    assert_eq!(list[0].parts.len(), 2);
    assert!(list[0].parts[0] - list[0].parts[1] <= 2, "{list:?}");
}

/// Nine instants after the one at the start, within a part that also reads a delay.
#[test]
fn samplers_fire_in_their_part() {
    let model = compile(
        "model Sampled
           discrete Real n(start = 0, fixed = true);
           Real y = delay(n + time, 0.01);
         equation
           when sample(0, 0.1) then
             n = pre(n) + 1;
           end when;
         end Sampled;",
    );
    let (rows, end) = run(&model, &threads(1, 0.01), 0.95, 0.95, &[], &["n", "y"]);
    assert!(end.is_ok());
    let last = &rows.last().expect("rows").1;
    assert_eq!(last[0], 10.0);
    assert!((last[1] - 10.94).abs() < 1e-12, "{last:?}");
}

/// A stiff part, x = sin t, that notes when it passes 1/2, and one that integrates what it sent 0.1 s ago.
const STIFF: &str = "
model Fast
  Real x(start = 0, fixed = true);
  discrete Real at(start = -1, fixed = true);
equation
  der(x) = -1e5*(x - sin(time)) + cos(time);
  when x > 0.5 then
    at = time;
  end when;
end Fast;
model Slow
  Real u;
  Real y(start = 0, fixed = true);
equation
  der(y) = u;
end Slow;
model Stiff
  Fast fast;
  Slow slow;
equation
  slow.u = delay(fast.x, 0.1);
end Stiff;
";

/// Each part with its own variable-step solver; exact: y = 1 − cos(t − 0.1), at = π/6.
#[test]
fn parts_have_solvers_of_their_own() {
    let model = compile(STIFF);
    let mut first = None;
    for (n, kind) in [
        (1, SolverKind::Bdf),
        (2, SolverKind::Bdf),
        (1, SolverKind::Radau),
        (1, SolverKind::Auto),
    ] {
        let mut options = threads(n, 0.02);
        options.tolerance = 1e-8;
        options.solver = Some(SolverKind::Dopri5);
        options.solvers = vec![("fast".into(), kind)];
        let names = ["fast.x", "slow.y", "fast.at"];
        let (rows, end) = run(&model, &options, 1.0, 0.1, &[], &names);
        end.unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        let (t, v) = rows.last().expect("rows");
        let near = |value: f64, exact: f64, by: f64| {
            assert!((value - exact).abs() < by, "{kind:?}: {value}, not {exact}");
        };
        near(v[0], t.sin(), 1e-6);
        near(v[1], 1.0 - (t - 0.1).cos(), 1e-6);
        near(v[2], std::f64::consts::FRAC_PI_6, 1e-6);
        if kind == SolverKind::Bdf {
            let one = first.get_or_insert_with(|| bits(&rows));
            assert_eq!(*one, bits(&rows), "{n} threads");
        }
    }
    // An explicit method with this step is far beyond its stability.
    let (_, end) = run(&model, &threads(1, 0.02), 1.0, 0.1, &[], &["fast.x"]);
    assert!(end.is_err_and(|e| e.to_string().contains("`fast.x` grows without bound")));
}

/// Without a given step a solver of its own gives and takes enough samples in a delay; exact: y = 1 − cos(t − 0.1).
#[test]
fn solvers_need_no_step_to_be_given() {
    let model = compile(STIFF);
    let mut options = threads(1, 0.02);
    (options.step, options.tolerance) = (None, 1e-8);
    options.solver = Some(SolverKind::Bdf);
    let (rows, end) = run(&model, &options, 1.0, 0.1, &[], &["slow.y"]);
    end.unwrap_or_else(|e| panic!("{e}"));
    for (t, v) in rows.iter().filter(|r| r.0 > 0.1) {
        assert!((v[0] - (1.0 - (t - 0.1).cos())).abs() < 1e-5, "{t}: {v:?}");
    }
}

/// The step of one part decides those of the others where nothing else does: 33 times 0.003 is the most below the delay.
#[test]
fn steps_that_are_not_given_fit_those_that_are() {
    let model = compile(MATCHED);
    let name = partitions(&model).parts[0].name.clone();
    let mut options = threads(1, 0.02);
    (options.step, options.rates) = (None, vec![(name, 0.003)]);
    let (_, end) = run(&model, &options, 0.99, 0.099, &[], &["p2"]);
    // Ten steps of one part, 330 of the other.
    assert_eq!(end.unwrap_or_else(|e| panic!("{e}")).steps, 340);
    options.step = Some(0.1);
    let (_, end) = run(&model, &options, 0.99, 0.099, &[], &["p2"]);
    let error = end.expect_err("0.003 does not divide 0.1").diagnostic();
    let text = format!("{error:?}");
    assert!(text.contains("does not divide"), "{text}");
    assert!(text.contains("0.0029411764705882"), "0.1/34 would: {text}");
}

/// A motor with a filter, a shaft and a load: the shaft (an elastic connection of two inertias, with relative states) has electrical
/// and mechanical equations on its two sides; a spring without states does the same, and what only closes a node does nothing.
#[test]
fn a_shaft_splits_a_drive() {
    for shaft in [
        "SpringDamper shaft(c = 1e4, d = 1)",
        "Spring shaft(c = 1e4)",
    ] {
        let model = compile(&format!(
            "model Drive
               import Modelica.Mechanics.Rotational.Components.*;
               import Modelica.Electrical.Analog.Basic.*;
               Modelica.Electrical.Analog.Sources.ConstantVoltage s(V = 48);
               Ground g; Resistor R(R = 0.5); Resistor R2(R = 0.1);
               Inductor L(L = 1e-3, i(fixed = true));
               Capacitor C(C = 1e-3, v(fixed = true));
               RotationalEMF emf(k = 0.1);
               Inertia J1(J = 1e-3, phi(fixed = true), w(fixed = true));
               {shaft};
               Inertia J2(J = 1e-2, phi(fixed = true), w(fixed = true));
               Damper brake(d = 1e-3); Fixed f;
             equation
               connect(s.p, R2.p); connect(R2.n, C.p); connect(C.n, g.p); connect(C.p, R.p);
               connect(R.n, L.p); connect(L.n, emf.p); connect(emf.n, g.p); connect(s.n, g.p);
               connect(emf.flange, J1.flange_a); connect(J1.flange_b, shaft.flange_a);
               connect(shaft.flange_b, J2.flange_a); connect(J2.flange_b, brake.flange_a);
               connect(brake.flange_b, f.flange);
             end Drive;"
        ));
        let list = ferrica_tlm::suggest_lines(&model);
        let names: Vec<&str> = list.iter().map(|s| s.component.as_str()).collect();
        assert_eq!(names[..2], ["shaft", "L"], "{list:?}");
        assert!(
            !names.contains(&"C") && !names.contains(&"brake"),
            "{list:?}"
        );
        assert_eq!(list[0].parts.len(), 2);
    }
}

/// A when-clause whose condition reads time alone turns a ramp round at 0.5, and so does a condition of time; beside them a part
/// without events.
const TURNED: &str = "
model Turned
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true);
  discrete Real u(start = 1, fixed = true), before(start = 0, fixed = true);
equation
  when time >= 0.5 then
    u = -pre(u);
    before = pre(y);
  end when;
  der(x) = if time < 0.5 then 1 else -1;
  der(y) = u;
  der(z) = 1;
end Turned;
";

#[test]
fn conditions_of_time_fire_when_clauses() {
    let model = compile(TURNED);
    let mut own = threads(1, 0.3);
    (own.solver, own.tolerance) = (Some(SolverKind::Bdf), 1e-8);
    let names = ["x", "y", "z", "before"];
    // On a grid that meets 0.5, and with solvers that find it between points of the grid.
    for (options, tolerance) in [
        (threads(1, 0.01), 1e-12),
        (threads(2, 0.01), 1e-12),
        (own, 1e-8),
    ] {
        let (rows, end) = run(&model, &options, 0.9, 0.3, &[], &names);
        end.unwrap_or_else(|e| panic!("{e}"));
        let (t, v) = rows.last().expect("rows");
        assert!((t - 0.9).abs() < 1e-12);
        for (value, exact) in v.iter().zip([0.1, 0.1, 0.9, 0.5]) {
            assert!((value - exact).abs() < tolerance, "{v:?}");
        }
    }
}

/// s slides along 0.5: the solver finds each event, until it gives the condition a wider hysteresis.
#[test]
fn a_condition_that_chatters_is_slid_along() {
    let model = compile(
        "model Slide Real s(start = 0, fixed = true);
         equation der(s) = if s < 0.5 then 1 else -1; end Slide;",
    );
    let mut options = threads(1, 0.3);
    (options.solver, options.tolerance) = (Some(SolverKind::Bdf), 1e-6);
    let (rows, end) = run(&model, &options, 0.9, 0.3, &[], &["s"]);
    let stats = end.unwrap_or_else(|e| panic!("{e}"));
    let slides = |w: &Warning| w.message.contains("slides along the condition `s < 0.5`");
    assert!(stats.warnings.iter().any(slides), "{:?}", stats.warnings);
    // The two fields point at each other: s stays at 0.5, up to the width of the hysteresis.
    let last = rows.last().expect("a row");
    assert!((last.1[0] - 0.5).abs() < 2e-4, "{last:?}");
}

/// A part of a model without components has the name of its state, and is found by each of its variables.
#[test]
fn parts_are_named_and_found_by_variables() {
    let model = compile(
        "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true), p, q; Boolean b;
         equation der(x) = 1; b = y < 5; p = if b then 2 else 3; der(y) = p*delay(x, 0.1); q = 2*p; end M;",
    );
    let cut = partitions(&model);
    let mut names: Vec<&str> = cut.parts.iter().map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["x", "y"]);
    let mut options = threads(1, 0.1);
    options.rates = vec![("p".into(), 0.05)];
    let (_, end) = run(&model, &options, 1.0, 0.1, &[], &["x"]);
    assert_eq!(end.unwrap_or_else(|e| panic!("{e}")).steps, 10 + 20);
    options.rates = vec![("r".into(), 0.05)];
    let (_, end) = run(&model, &options, 1.0, 0.1, &[], &["x"]);
    assert!(end.is_err(), "there is no variable r");
}

/// x = 1/(1 − t) has a pole at 1.
#[test]
fn what_is_no_number_ends_the_run() {
    let model =
        compile("model Pole Real x(start = 1, fixed = true); equation der(x) = x^2; end Pole;");
    let (rows, end) = run(&model, &threads(1, 0.01), 2.0, 0.1, &[], &["x"]);
    let error = end.expect_err("a pole").to_string();
    assert!(error.contains("`x` is"), "{error}");
    assert!(rows.iter().all(|r| r.0 < 1.2 && r.1[0].is_finite()));
}

/// x = 400 t has passed floor(400 t) whole numbers; its delayed copy cuts. From 1000 on they are nearer to each other than the band in which
/// conditions keep their memory.
#[test]
fn large_numbers_are_counted_one_by_one() {
    let model = compile(
        "model Count Real x(start = 0.5, fixed = true); Real z = delay(x, 0.1); discrete Real n(start = 0, fixed = true);
         equation der(x) = 400 + 0*z; when sample(0, 1) then n = floor(x); end when; end Count;",
    );
    let (rows, end) = run(&model, &threads(1, 1e-3), 4.0, 1.0, &[], &["n"]);
    end.unwrap_or_else(|e| panic!("{e}"));
    let counted: Vec<f64> = rows.iter().map(|r| r.1[0]).collect();
    assert_eq!(counted, [0.0, 400.0, 800.0, 1200.0, 1600.0]);
}

/// Left limits of what only they read, of what the parts share (time alone) and of a state's neighbour are those before the event; u(t) = 11 t.
#[test]
fn left_limits_of_algebraic_variables() {
    let model = compile(
        "model M Real x(start = 0, fixed = true); Real u, w; discrete Real y(start = 0, fixed = true), z(start = 0, fixed = true);
         equation der(x) = 1; u = 10*time + x; w = 3*time;
         when sample(0, 0.1) then y = pre(u); z = pre(w); end when; end M;",
    );
    let (rows, end) = run(&model, &threads(1, 0.1), 1.0, 0.1, &[], &["y", "z"]);
    assert!(end.is_ok());
    for (t, v) in &rows[1..] {
        assert!((v[0] - 11.0 * t).abs() < 1e-9, "{t}: {v:?}");
        assert!((v[1] - 3.0 * t).abs() < 1e-9, "{t}: {v:?}");
    }
}

/// Instants that no step is left for are refused with the step that would do.
#[test]
fn instants_between_steps_are_not_lost() {
    for (text, needed) in [
        (
            "when sample(0, 0.01) then n = pre(n) + 1; next = time; end when;",
            "0.01",
        ),
        (
            "when time >= pre(next) then next = pre(next) + 0.01; n = pre(n) + 1; end when;",
            "0.01",
        ),
        ("n = integer(time/0.01); next = time;", "0.01"),
    ] {
        let start = if text.contains("n = integer") {
            ""
        } else {
            "(start = 0.01, fixed = true)"
        };
        let count = if start.is_empty() {
            ""
        } else {
            "(start = 0, fixed = true)"
        };
        let model = compile(&format!(
            "model M Integer n{count}; Real next{start}; Real x(start = 0, fixed = true);
             equation der(x) = 1 + 0*n; {text} end M;"
        ));
        let (_, end) = run(&model, &threads(1, 0.1), 1.0, 0.1, &[], &["n"]);
        let error = end.expect_err(text);
        assert_eq!(error.code, "E0615", "{text}");
        assert!(error.to_string().contains(needed), "{error}");
    }
}

/// An assertion in a when-clause is checked at its event, between rows too.
#[test]
fn assertions_in_when_clauses() {
    let model = compile(
        "model M Real x(start = 0, fixed = true);
         equation der(x) = 1; when time > 0.55 then assert(x < 0.4, \"too large\"); end when; end M;",
    );
    let (_, end) = run(&model, &threads(1, 0.1), 1.0, 1.0, &[], &["x"]);
    let error = end.expect_err("it does not hold");
    assert_eq!(error.code, "E0607");
    assert!(error.to_string().contains("too large"), "{error}");
}
