//! Times the stages of this crate on an RLC ladder written as connectors and connections would
//! flatten it: 18 equations a section. `cargo run --release -p ferrica-structure --example structure_ladder -- 5000`

use std::time::Instant;

use ferrica_ir::flat::{Component, Equation, FlatModel, Origin, Variability, Variable};
use ferrica_ir::{Builtin, ExprId, Span, Ty, VarId};

struct Ladder {
    flat: FlatModel,
}

struct OnePort {
    pv: ExprId,
    nv: ExprId,
    pi: ExprId,
    ni: ExprId,
    v: ExprId,
    i: ExprId,
    v_id: VarId,
    i_id: VarId,
}

impl Ladder {
    fn var(&mut self, name: String) -> (VarId, ExprId) {
        let mut var = Variable::new(name, Ty::Real, Variability::Continuous);
        var.start = Some(self.flat.exprs.real(0.0));
        let id = self.flat.vars.push(var);
        (id, self.flat.exprs.var(id, Ty::Real))
    }

    fn parameter(&mut self, name: String, value: f64) -> ExprId {
        let mut var = Variable::new(name, Ty::Real, Variability::Parameter);
        var.binding = Some(self.flat.exprs.real(value));
        let id = self.flat.vars.push(var);
        self.flat.exprs.var(id, Ty::Real)
    }

    fn equation(&mut self, lhs: ExprId, rhs: ExprId) {
        self.flat.equations.push(Equation {
            lhs,
            rhs,
            span: Span::NONE,
            component: 0,
            origin: Origin::Equation,
        });
    }

    fn one_port(&mut self, name: &str) -> OnePort {
        let mut var = |n: &str| self.var(format!("{name}.{n}"));
        let ((_, pv), (_, nv), (_, pi), (_, ni)) = (var("p.v"), var("n.v"), var("p.i"), var("n.i"));
        let ((v_id, v), (i_id, i)) = (var("v"), var("i"));
        let difference = self.flat.exprs.sub(pv, nv);
        self.equation(v, difference);
        let sum = self.flat.exprs.add(pi, ni);
        let zero = self.flat.exprs.real(0.0);
        self.equation(zero, sum);
        self.equation(i, pi);
        OnePort {
            pv,
            nv,
            pi,
            ni,
            v,
            i,
            v_id,
            i_id,
        }
    }

    fn node(&mut self, voltages: &[ExprId], currents: &[ExprId]) {
        for pair in voltages.windows(2) {
            self.equation(pair[0], pair[1]);
        }
        let sum = self.flat.exprs.sum(currents);
        let zero = self.flat.exprs.real(0.0);
        self.equation(sum, zero);
    }
}

fn ladder(n: usize) -> FlatModel {
    let mut l = Ladder {
        flat: FlatModel {
            name: format!("ladder{n}"),
            ..FlatModel::default()
        },
    };
    l.flat.components.push(Component {
        path: String::new(),
        class: "Ladder".into(),
        parent: 0,
        is_connector: false,
        protected: false,
        inline: None,
        description: Default::default(),
        span: Span::NONE,
    });
    let source = l.one_port("source");
    let time = l.flat.exprs.time();
    let wave = l.flat.exprs.builtin(Builtin::Sin, &[time]);
    l.equation(source.v, wave);
    let zero = l.flat.exprs.real(0.0);
    let (mut ground_v, mut ground_i) = (vec![source.nv], vec![source.ni]);
    let (mut open_v, mut open_i) = (vec![source.pv], vec![source.pi]);
    for k in 1..=n {
        let r = l.one_port(&format!("R[{k}]"));
        let value = l.parameter(format!("R[{k}].R"), 1.0);
        let drop = l.flat.exprs.mul(value, r.i);
        l.equation(r.v, drop);
        let ind = l.one_port(&format!("L[{k}]"));
        let value = l.parameter(format!("L[{k}].L"), 1.0);
        let der = l.flat.exprs.der(ind.i_id);
        let drop = l.flat.exprs.mul(value, der);
        l.equation(drop, ind.v);
        let c = l.one_port(&format!("C[{k}]"));
        let value = l.parameter(format!("C[{k}].C"), 1.0);
        let der = l.flat.exprs.der(c.v_id);
        let current = l.flat.exprs.mul(value, der);
        l.equation(c.i, current);
        open_v.push(r.pv);
        open_i.push(r.pi);
        l.node(&open_v, &open_i);
        l.node(&[r.nv, ind.pv], &[r.ni, ind.pi]);
        ground_v.push(c.nv);
        ground_i.push(c.ni);
        open_v = vec![ind.nv, c.pv];
        open_i = vec![ind.ni, c.pi];
    }
    l.node(&open_v, &open_i);
    let (_, gv) = l.var("ground.p.v".into());
    let (_, gi) = l.var("ground.p.i".into());
    l.equation(gv, zero);
    ground_v.push(gv);
    ground_i.push(gi);
    l.node(&ground_v, &ground_i);
    l.flat
}

fn main() {
    let n = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(5000);
    let flat = ladder(n);
    println!("{} equations", flat.equations.len());
    let mut warnings = Vec::new();
    let start = Instant::now();
    let aliases = ferrica_dae::without_aliases(flat, &mut warnings);
    println!("aliases    {:.3} s", start.elapsed().as_secs_f64());
    let Ok(mut dae) = aliases else {
        println!("failed");
        return;
    };
    println!("{} equations left", dae.equations.len());
    let start = Instant::now();
    let events = ferrica_dae::events::extract(&mut dae);
    println!("events     {:.3} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let options = ferrica_structure::Options::default();
    let causal = ferrica_structure::causalize(dae, &options, &mut warnings);
    println!("structure  {:.3} s", start.elapsed().as_secs_f64());
    match (events, causal) {
        (Ok(()), Ok(model)) => println!(
            "{} blocks, {} states",
            model.blocks.len(),
            model.states.len()
        ),
        (_, Err(errors)) | (Err(errors), _) => errors.iter().for_each(|e| println!("{e}")),
    }
}
