//! Events: location, iteration, samplers, chattering.

mod common;

use common::{Build, experiment, run};
use ferrica_ir::causal::*;
use ferrica_ir::expr::*;
use ferrica_ir::flat::Reinit;
use ferrica_sim::{Experiment, SolverKind};

/// h' = v, v' = −g; at h ≤ 0 (falling) v is −e times v. Impacts at the times of the geometric series.
#[test]
fn bouncing_ball() {
    let (g, e) = (9.81, 0.7);
    let mut b = Build::default();
    let (h, dh) = b.state("h", 1.0);
    let (v, dv) = b.state("v", 0.0);
    let (eh, ev) = (b.e(h), b.e(v));
    let (zero, minus_g, minus_e) = (b.real(0.0), b.real(-g), b.real(-e));
    let hit = b.relation(BinaryOp::Le, eh, zero, false);
    let hit = b.e(hit);
    let impact = b.boolean("impact");
    b.assign(dh, ev, true);
    b.assign(dv, minus_g, true);
    b.assign(impact, hit, false);
    let b_impact = b.e(impact);
    let no = b.m.exprs.bool(false);
    let fires = b.m.exprs.builtin(Builtin::WhenFires, &[b_impact, no]);
    let pre_v = b.m.exprs.pre(v, Ty::Real);
    let value = b.m.exprs.mul(minus_e, pre_v);
    b.m.reinits.push(Reinit {
        condition: fires,
        state: v,
        value,
        span: ferrica_ir::Span::NONE,
        component: 0,
    });
    let model = b.compile();
    for solver in [SolverKind::Dopri5, SolverKind::Bdf] {
        let x = Experiment {
            solver,
            ..experiment(&model, 2.0, 1e-8)
        };
        let (rows, stats) = run(&model, &["h", "v"], &x);
        let stats = stats.expect("runs");
        assert!(stats.state_events >= 3);
        // Times of the impacts: t1 = sqrt(2/g), then flights of 2 e^k sqrt(2/g).
        let t1 = (2.0f64 / g).sqrt();
        let mut expected = vec![t1];
        let mut flight = 2.0 * e * t1;
        while expected.last().unwrap() + flight < 2.0 {
            expected.push(expected.last().unwrap() + flight);
            flight *= e;
        }
        let jumps: Vec<f64> = rows
            .windows(2)
            .filter(|w| w[0][0] == w[1][0] && (w[0][2] - w[1][2]).abs() > 1e-3)
            .map(|w| w[0][0])
            .collect();
        assert_eq!(
            jumps.len(),
            expected.len(),
            "{solver:?} {jumps:?} {expected:?}"
        );
        for (a, b) in jumps.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-6, "{solver:?} {a} {b}");
        }
    }
}

/// A counter driven by sample(0, 0.1) has counted 1 + floor(t/0.1); instants are exact.
#[test]
fn sampler_counts_at_exact_times() {
    let mut b = Build::default();
    let tick = b.var("$sample", Kind::Relation, 0.0);
    let start = b.real(0.0);
    let interval = b.real(0.1);
    b.m.samplers.push(Sampler {
        memory: tick,
        start,
        interval,
    });
    let n = b.var("n", Kind::Discrete, 0.0);
    let c = b.boolean("c");
    let etick = b.e(tick);
    b.assign(c, etick, false);
    let (ec, no, one) = (b.e(c), b.m.exprs.bool(false), b.real(1.0));
    let fires = b.m.exprs.builtin(Builtin::WhenFires, &[ec, no]);
    let pre = b.m.exprs.pre(n, Ty::Real);
    let next = b.m.exprs.add(pre, one);
    let value = b.m.exprs.if_then_else(fires, next, pre);
    b.assign(n, value, false);
    let model = b.compile();
    let e = Experiment {
        interval: 0.05,
        ..experiment(&model, 1.0, 1e-6)
    };
    let (rows, stats) = run(&model, &["n"], &e);
    assert_eq!(stats.expect("runs").time_events, 10);
    for k in 0..=10 {
        let t = f64::from(k) * 0.1;
        let after = rows
            .iter()
            .rev()
            .find(|r| (r[0] - t).abs() < 1e-12)
            .unwrap();
        assert_eq!(after[1], f64::from(k + 1), "at {t}");
    }
}

/// A time relation: y = if time >= 0.3 then 1 else 0, found without search; x is its integral.
#[test]
fn time_relation_is_exact() {
    let mut b = Build::default();
    let (x, dx) = b.state("x", 0.0);
    let (t, at) = (b.m.exprs.time(), b.real(0.3));
    let late = b.relation(BinaryOp::Ge, t, at, true);
    let late = b.e(late);
    let (one, zero) = (b.real(1.0), b.real(0.0));
    let f = b.m.exprs.if_then_else(late, one, zero);
    b.assign(dx, f, true);
    let _ = x;
    let model = b.compile();
    let (rows, stats) = run(&model, &["x", "der(x)"], &experiment(&model, 1.0, 1e-6));
    let stats = stats.expect("runs");
    assert_eq!((stats.time_events, stats.state_events), (1, 0));
    assert!((rows.last().unwrap()[1] - 0.7).abs() < 1e-12);
    let pair: Vec<_> = rows.iter().filter(|r| r[0] == 0.3).map(|r| r[2]).collect();
    assert_eq!(pair, [0.0, 1.0]);
}

/// der(x) = if x > 0 then −1 else 1 reaches the surface at t = 0.5 and stays there.
#[test]
fn chattering_slides_or_stops_but_never_hangs() {
    let mut b = Build::default();
    let (x, dx) = b.state("x", 0.5);
    let (ex, zero, one, minus) = (b.e(x), b.real(0.0), b.real(1.0), b.real(-1.0));
    let m = b.relation(BinaryOp::Gt, ex, zero, false);
    let m = b.e(m);
    let f = b.m.exprs.if_then_else(m, minus, one);
    b.assign(dx, f, true);
    let model = b.compile();
    let (rows, stats) = run(&model, &["x"], &experiment(&model, 1.0, 1e-6));
    match stats {
        Ok(stats) => {
            assert!(
                stats.warnings[0].message.contains("x > 0.0"),
                "{:?}",
                stats.warnings
            );
            assert!(rows.last().unwrap()[1].abs() < 1e-3);
        }
        Err(e) => assert!(e.to_string().contains("x > 0.0"), "{e}"),
    }
}

/// x' = v, v' = −x from x = 1, v = 0: x = cos t. A condition on x that no derivative is computed from changes at π/2 + kπ; the
/// steps are those of the model without it.
#[test]
fn events_that_leave_the_solution_alone_cost_no_steps() {
    for solver in [SolverKind::Dopri5, SolverKind::Radau, SolverKind::Bdf] {
        let steps = [false, true].map(|watched| {
            let mut b = Build::default();
            let (x, dx) = b.state("x", 1.0);
            let (v, dv) = b.state("v", 0.0);
            let (ex, ev) = (b.e(x), b.e(v));
            let (zero, minus) = (b.real(0.0), b.real(-1.0));
            let minus_x = b.m.exprs.mul(minus, ex);
            b.assign(dx, ev, true);
            b.assign(dv, minus_x, true);
            if watched {
                let above = b.relation(BinaryOp::Gt, ex, zero, false);
                let above = b.e(above);
                let side = b.boolean("side");
                b.assign(side, above, false);
            }
            let model = b.compile();
            let experiment = Experiment {
                solver,
                interval: 1.0,
                ..experiment(&model, 20.0, 1e-8)
            };
            let (rows, stats) = run(&model, &["x"], &experiment);
            let stats = stats.expect("runs");
            for row in &rows {
                assert!((row[1] - row[0].cos()).abs() < 1e-5, "{row:?}");
            }
            assert_eq!(stats.state_events, if watched { 6 } else { 0 });
            stats.steps
        });
        assert_eq!(steps[0], steps[1], "{solver:?}");
    }
}
