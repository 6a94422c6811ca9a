//! Continuous models against closed forms and published values.

mod common;

use common::{Build, experiment, run};
use ferrica_codegen::Form;
use ferrica_ir::causal::*;
use ferrica_ir::expr::*;
use ferrica_sim::{Experiment, SolverKind};

/// v' = (u − v)/RC: v = u (1 − exp(−t/RC)).
fn rc() -> std::sync::Arc<ferrica_codegen::CompiledModel> {
    let mut b = Build::default();
    let (v, dv) = b.state("v", 0.0);
    let r = b.var("R", Kind::Parameter, 2.0);
    let c = b.var("C", Kind::Parameter, 0.5);
    let u = b.var("u", Kind::Parameter, 3.0);
    let (v, r, c, u) = (b.e(v), b.e(r), b.e(c), b.e(u));
    let a = &mut b.m.exprs;
    let diff = a.sub(u, v);
    let tau = a.mul(r, c);
    let rhs = a.div(diff, tau);
    b.assign(dv, rhs, true);
    b.compile()
}

#[test]
fn rc_follows_the_exponential_with_every_solver() {
    let model = rc();
    for (solver, tolerance) in [
        (SolverKind::Auto, 1e-6),
        (SolverKind::Bdf, 1e-4),
        (SolverKind::Radau, 1e-5),
        (SolverKind::Dopri5, 1e-6),
        (SolverKind::Rk4, 1e-6),
        (SolverKind::Euler, 0.05),
    ] {
        let e = Experiment {
            solver,
            ..experiment(&model, 3.0, 1e-7)
        };
        let (rows, stats) = run(&model, &["v"], &e);
        stats.expect("runs");
        assert_eq!(rows.len(), 101, "{solver:?}");
        for row in rows {
            let exact = 3.0 * (1.0 - (-row[0]).exp());
            assert!(
                (row[1] - exact).abs() < tolerance,
                "{solver:?} {row:?} {exact}"
            );
        }
    }
}

#[test]
fn parameters_are_set_without_compiling() {
    let model = rc();
    let mut e = experiment(&model, 1.0, 1e-8);
    e.values.push(("R".to_string(), 4.0));
    let (rows, stats) = run(&model, &["v"], &e);
    stats.expect("runs");
    let exact = 3.0 * (1.0 - (-0.5f64).exp());
    assert!((rows[100][1] - exact).abs() < 1e-6);
    e.values.push(("nothing".to_string(), 4.0));
    let (_, stats) = run(&model, &["v"], &e);
    assert!(stats.unwrap_err().to_string().contains("nothing"));
}

/// Robertson's kinetics; reference at t = 40 from Hairer and Wanner, Solving ODEs II.
#[test]
fn robertson() {
    let mut b = Build::default();
    let (y1, d1) = b.state("y1", 1.0);
    let (y2, d2) = b.state("y2", 0.0);
    let (y3, d3) = b.state("y3", 0.0);
    let (x1, x2, x3) = (b.e(y1), b.e(y2), b.e(y3));
    let (k1, k2, k3) = (b.real(0.04), b.real(3e7), b.real(1e4));
    let a = &mut b.m.exprs;
    let r1 = a.mul(k1, x1);
    let p23 = a.mul(x2, x3);
    let r3 = a.mul(k3, p23);
    let p22 = a.mul(x2, x2);
    let r2 = a.mul(k2, p22);
    let f1 = a.sub(r3, r1);
    let s = a.sub(r1, r3);
    let f2 = a.sub(s, r2);
    b.assign(d1, f1, true);
    b.assign(d2, f2, true);
    b.assign(d3, r2, true);
    let model = b.compile();
    let e = Experiment {
        solver: SolverKind::Bdf,
        ..experiment(&model, 40.0, 1e-9)
    };
    let (rows, stats) = run(&model, &["y1", "y2", "y3"], &e);
    stats.expect("runs");
    let last = rows.last().unwrap();
    for (v, exact) in last[1..]
        .iter()
        .zip([0.7158270688, 9.185534765e-6, 0.2841637457])
    {
        assert!((v - exact).abs() < 1e-5 * exact.max(1e-4), "{last:?}");
    }
}

/// A linear block and a nonlinear block on the way to a derivative.
///
/// Linear: p + q = 3x, p − q = x, so p = 2x, q = x. Nonlinear: z³ + z = p + q − 3x + 10 = 10, so z = 2.
/// x' = −p + z − 2 = −2x.
#[test]
fn blocks_are_solved_on_the_way() {
    for (symbolic, form) in [
        (false, Form::Ode),
        (true, Form::Ode),
        (true, Form::Dae),
        (true, Form::Auto),
    ] {
        let mut b = Build::default();
        let (x, dx) = b.state("x", 1.0);
        let p = b.var("p", Kind::Algebraic, 0.0);
        let q = b.var("q", Kind::Algebraic, 0.0);
        let z = b.var("z", Kind::Algebraic, 0.5);
        let (ex, ep, eq, ez) = (b.e(x), b.e(p), b.e(q), b.e(z));
        let (one, minus, three) = (b.real(1.0), b.real(-1.0), b.real(3.0));
        let (ten, two) = (b.real(10.0), b.real(2.0));
        let a = &mut b.m.exprs;
        let x3 = a.mul(three, ex);
        let p_of_q = a.sub(x3, eq);
        let q_of_p = a.sub(ep, ex);
        let z3 = a.binary(BinaryOp::Pow, ez, three);
        let pq = a.add(ep, eq);
        let s = a.sub(pq, x3);
        let s = a.add(s, ten);
        let z_of_z = a.sub(s, z3);
        let residual = a.sub(ez, z_of_z);
        let zz = a.mul(ez, ez);
        let slope = a.mul(three, zz);
        let slope = a.add(slope, one);
        let f = a.sub(ez, ep);
        let f = a.sub(f, two);
        let e0 = b.equation(p, p_of_q, true);
        let e1 = b.equation(q, q_of_p, true);
        let e2 = b.equation(z, z_of_z, true);
        let linear = Block::Linear(Box::new(LinearBlock {
            unknowns: vec![p, q],
            matrix: vec![(0, 0, one), (1, 0, one), (0, 1, one), (1, 1, minus)],
            rhs: vec![x3, ex],
            constant: true,
            then: vec![],
            equations: vec![e0, e1],
        }));
        let nonlinear = Block::Nonlinear(Box::new(NonlinearBlock {
            unknowns: vec![z],
            inner: vec![],
            residuals: vec![residual],
            jacobian: symbolic.then(|| vec![(0, 0, slope)]),
            jacobian_inner: vec![],
            equations: vec![e2],
            other: None,
        }));
        for block in [linear, nonlinear] {
            b.m.blocks.push(block.clone());
            b.m.continuous.push(true);
            b.m.initial.blocks.push(block);
        }
        b.assign(dx, f, true);
        let model = b.compile_as(form);
        // A nonlinear block on the way makes the DAE form the better one.
        assert_eq!(model.dae.is_some(), form != Form::Ode);
        if let Some(jacobian) = &model.ode_jacobian {
            assert_eq!(jacobian.pattern.nnz(), 1);
        }
        let e = Experiment {
            solver: SolverKind::Bdf,
            ..experiment(&model, 2.0, 1e-8)
        };
        let (rows, stats) = run(&model, &["x", "z", "q"], &e);
        stats.expect("runs");
        for row in rows {
            let exact = (-2.0 * row[0]).exp();
            assert!((row[1] - exact).abs() < 1e-6, "{form:?} {row:?}");
            assert!((row[2] - 2.0).abs() < 1e-6, "{form:?} {row:?}");
            assert!((row[3] - exact).abs() < 1e-6, "{form:?} {row:?}");
        }
    }
}

/// x' = −x(t − 1), x = 1 before 0: 1 − t on [0, 1], then 1 − t + (t − 1)²/2, and so on (method of steps).
#[test]
fn delay_equation() {
    let mut b = Build::default();
    let (x, dx) = b.state("x", 1.0);
    let d = b.var("d", Kind::Algebraic, 1.0);
    let (ex, ed, one) = (b.e(x), b.e(d), b.real(1.0));
    b.m.delays.push(Delay {
        result: d,
        source: ex,
        delay: one,
        max: one,
        constant: true,
    });
    let f = b.m.exprs.neg(ed);
    b.assign(dx, f, true);
    let model = b.compile();
    for solver in [SolverKind::Dopri5, SolverKind::Bdf] {
        let e = Experiment {
            solver,
            ..experiment(&model, 3.0, 1e-8)
        };
        let (rows, stats) = run(&model, &["x"], &e);
        stats.expect("runs");
        for row in rows {
            let t = row[0];
            let mut exact = 1.0 - t;
            if t > 1.0 {
                exact += (t - 1.0).powi(2) / 2.0;
            }
            if t > 2.0 {
                exact -= (t - 2.0).powi(3) / 6.0;
            }
            assert!((row[1] - exact).abs() < 2e-6, "{solver:?} {row:?} {exact}");
        }
    }
}

/// A nonlinear equation without a solution is reported with its residual and unknown.
#[test]
fn failure_names_equation_and_values() {
    let mut b = Build::default();
    let (x, dx) = b.state("x", 1.0);
    let z = b.var("z", Kind::Algebraic, 0.5);
    let (ex, ez) = (b.e(x), b.e(z));
    let two = b.real(2.0);
    let a = &mut b.m.exprs;
    let zz = a.mul(ez, ez);
    let shifted = a.sub(ex, two);
    // z² = x − 2 has no solution while x < 2.
    let residual = a.sub(zz, shifted);
    let equation = b.equation(z, shifted, true);
    let block = Block::Nonlinear(Box::new(NonlinearBlock {
        unknowns: vec![z],
        inner: vec![],
        residuals: vec![residual],
        jacobian: None,
        jacobian_inner: vec![],
        equations: vec![equation],
        other: None,
    }));
    b.m.blocks.push(block.clone());
    b.m.continuous.push(true);
    b.m.initial.blocks.push(block);
    b.assign(dx, ez, true);
    let model = b.compile();
    let (_, result) = run(&model, &["x"], &experiment(&model, 1.0, 1e-6));
    let text = result.unwrap_err().to_string();
    assert!(text.contains("z = x - 2.0"), "{text}");
    assert!(text.contains("residual"), "{text}");
}
