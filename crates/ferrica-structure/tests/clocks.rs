//! Clocked partitions as discrete equations.

mod support;

use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Builtin, Ty};
use support::eval::Machine;
use support::{compiled, text};

/// Fires every sampler once: one tick of the common base.
fn tick(m: &mut Machine, time: f64) {
    m.time = time;
    m.evaluate();
    m.hold_left_limits();
    for s in &m.model.samplers {
        m.values.insert(s.memory, 1.0);
    }
    m.event();
    for s in &m.model.samplers {
        m.values.insert(s.memory, 0.0);
    }
    m.event();
}

/// `name = e` as an equation, with the expression made by `f`.
fn define(flat: &mut FlatModel, name: &str, f: impl FnOnce(&mut FlatModel) -> ferrica_ir::ExprId) {
    let e = f(flat);
    let v = flat
        .vars
        .iter()
        .find(|(_, v)| v.name == name)
        .map(|(id, _)| id)
        .unwrap();
    let lhs = flat.exprs.var(v, Ty::Real);
    let template = flat.equations[0].clone();
    flat.equations.push(ferrica_ir::flat::Equation {
        lhs,
        rhs: e,
        ..template
    });
}

fn read(flat: &mut FlatModel, name: &str) -> ferrica_ir::ExprId {
    let v = flat
        .vars
        .iter()
        .find(|(_, v)| v.name == name)
        .map(|(id, _)| id)
        .unwrap();
    flat.exprs.var(v, Ty::Real)
}

#[test]
fn partitions_tick_at_their_rates() {
    // u = time is sampled every 0.1 s, summed up, sub-sampled by 3 and held.
    let mut flat = text::model("Real u, y, s(start = 0), z, h, x; equation u = time; der(x) = h;");
    define(&mut flat, "y", |f| {
        let u = read(f, "u");
        let t = f.exprs.real(0.1);
        let c = f.exprs.builtin(Builtin::ClockReal, &[t]);
        f.exprs.builtin(Builtin::ClockedSample, &[u, c])
    });
    define(&mut flat, "s", |f| {
        let (s, y) = (read(f, "s"), read(f, "y"));
        let before = f.exprs.builtin(Builtin::Previous, &[s]);
        f.exprs.add(before, y)
    });
    define(&mut flat, "z", |f| {
        let s = read(f, "s");
        let three = f.exprs.int(3);
        f.exprs.builtin(Builtin::SubSample, &[s, three])
    });
    define(&mut flat, "h", |f| {
        let z = read(f, "z");
        f.exprs.builtin(Builtin::Hold, &[z])
    });
    let model = compiled(flat).model;
    let mut m = Machine::new(&model);
    m.initialize();
    let mut sum = 0.0;
    let mut held = 0.0;
    for k in 0..10 {
        let time = 0.1 * f64::from(k);
        tick(&mut m, time);
        sum += time;
        if k % 3 == 0 {
            held = sum;
        }
        assert!(
            (m.get("s") - sum).abs() < 1e-12,
            "tick {k}: {} {sum}",
            m.get("s")
        );
        assert!(
            (m.get("h") - held).abs() < 1e-12,
            "tick {k}: {} {held}",
            m.get("h")
        );
    }
}

#[test]
fn implicit_clocked_equations_are_solved_at_a_tick() {
    // y + y^3 = sample(u): a nonlinear equation of a clocked unknown.
    let mut flat =
        text::model("Real u, s, y(start = 1), h, x; equation u = time; s = y + y^3; der(x) = h;");
    define(&mut flat, "s", |f| {
        let u = read(f, "u");
        let t = f.exprs.real(0.5);
        let c = f.exprs.builtin(Builtin::ClockReal, &[t]);
        f.exprs.builtin(Builtin::ClockedSample, &[u, c])
    });
    define(&mut flat, "h", |f| {
        let y = read(f, "y");
        f.exprs.builtin(Builtin::Hold, &[y])
    });
    let model = compiled(flat).model;
    let mut m = Machine::new(&model);
    m.initialize();
    tick(&mut m, 2.0);
    assert!((m.get("y") - 1.0).abs() < 1e-12);
    tick(&mut m, 10.0);
    assert!((m.get("h") - 2.0).abs() < 1e-12);
}

#[test]
fn rates_are_exact_fractions() {
    use ferrica_structure::clocked_partitions::Ratio;
    let r = |n, d| Ratio::new(n, d).unwrap();
    assert_eq!(r(2, 4), r(1, 2));
    assert_eq!(r(1, 2).common(r(1, 3)), Some(r(1, 6)));
    assert_eq!(r(3, 1).common(r(2, 1)), Some(r(1, 1)));
    assert_eq!(r(1, 3).plus(r(1, 6)), Some(r(1, 2)));
}
