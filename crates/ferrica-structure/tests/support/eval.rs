//! A slow evaluator of causal models: the oracle of these tests.

use std::collections::HashMap;

use ferrica_ir::causal::{Assign, Block, CausalModel, Kind};
use ferrica_ir::elementary::{binary_value, unary_value};
use ferrica_ir::simplify::power;
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, UnaryOp, VarId};

pub struct Machine<'a> {
    pub model: &'a CausalModel,
    pub values: HashMap<VarId, f64>,
    pub pre: HashMap<VarId, f64>,
    pub time: f64,
}

impl<'a> Machine<'a> {
    /// Parameters evaluated, every variable at its start value.
    pub fn new(model: &'a CausalModel) -> Machine<'a> {
        let mut m = Machine {
            model,
            values: HashMap::new(),
            pre: HashMap::new(),
            time: 0.0,
        };
        for (v, var) in &model.vars {
            if var.kind == Kind::Parameter
                && let Some(b) = var.var.binding
                && model.exprs.is_literal(b)
            {
                let value = m.eval(b);
                m.values.insert(v, value);
            }
        }
        for b in &model.parameter_blocks {
            m.block(b);
        }
        for (v, var) in &model.vars {
            if !m.values.contains_key(&v) && var.kind != Kind::Eliminated {
                let value = var.var.start.map_or(0.0, |e| m.eval(e));
                m.values.insert(v, value);
                m.pre.insert(v, value);
            }
        }
        m
    }

    pub fn var(&self, name: &str) -> VarId {
        self.model
            .vars
            .iter()
            .find(|(_, v)| v.var.name == name)
            .map(|(id, _)| id)
            .unwrap_or_else(|| panic!("no variable {name}"))
    }

    /// Value by name, through aliases.
    pub fn get(&self, name: &str) -> f64 {
        let v = self.var(name);
        match self.model.aliases.iter().find(|a| a.0 == v) {
            Some(&(_, k, neg)) => {
                let x = self.values[&k];
                if neg { -x } else { x }
            }
            None => self.values[&v],
        }
    }

    pub fn set(&mut self, name: &str, value: f64) {
        let v = self.var(name);
        self.values.insert(v, value);
    }

    /// Solves the initial system, relations iterated to a fixed point.
    pub fn initialize(&mut self) {
        for _ in 0..50 {
            for b in &self.model.initial.blocks {
                self.block(b);
            }
            if !self.update_relations() {
                return;
            }
        }
        panic!("no fixed point at the start");
    }

    /// Evaluates all blocks and iterates relations and left limits.
    pub fn event(&mut self) {
        for _ in 0..50 {
            self.evaluate();
            let mut changed = self.update_relations();
            for (v, var) in &self.model.vars {
                if matches!(var.kind, Kind::Discrete | Kind::Relation) {
                    let now = self.values[&v];
                    changed |= self.pre.insert(v, now) != Some(now);
                }
            }
            if !changed {
                return;
            }
        }
        panic!("no fixed point");
    }

    /// Left limits are the present values, of continuous variables too.
    pub fn hold_left_limits(&mut self) {
        self.pre = self.values.clone();
    }

    pub fn update_relations(&mut self) -> bool {
        let mut changed = false;
        for r in &self.model.relations {
            let (a, b) = (self.eval(r.lhs), self.eval(r.rhs));
            let value = f64::from(u8::from(compare(r.op, a, b)));
            changed |= self.values.insert(r.memory, value) != Some(value);
        }
        changed
    }

    pub fn evaluate(&mut self) {
        for b in &self.model.blocks {
            self.block(b);
        }
    }

    fn assign(&mut self, a: &Assign) {
        let value = self.eval(a.expr);
        self.values.insert(a.var, value);
    }

    pub fn block(&mut self, b: &Block) {
        match b {
            Block::Assign(a) => self.assign(a),
            Block::Linear(l) => {
                let n = l.unknowns.len();
                let mut a = vec![vec![0.0; n]; n];
                for &(i, j, e) in &l.matrix {
                    a[i as usize][j as usize] = self.eval(e);
                }
                let rhs = l.rhs.iter().map(|&e| self.eval(e)).collect();
                for (v, x) in l.unknowns.iter().zip(solve(a, rhs)) {
                    self.values.insert(*v, x);
                }
                l.then.iter().for_each(|a| self.assign(a));
            }
            Block::Nonlinear(n) => {
                for _ in 0..100 {
                    n.inner.iter().for_each(|a| self.assign(a));
                    let r: Vec<f64> = n.residuals.iter().map(|&e| -self.eval(e)).collect();
                    let norm = r.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                    if norm < 1e-13 {
                        return;
                    }
                    n.jacobian_inner.iter().for_each(|a| self.assign(a));
                    let size = n.unknowns.len();
                    let mut a = vec![vec![0.0; size]; size];
                    for &(i, j, e) in n.jacobian.as_ref().expect("symbolic Jacobian") {
                        a[i as usize][j as usize] = self.eval(e);
                    }
                    for (v, dx) in n.unknowns.iter().zip(solve(a, r)) {
                        *self.values.get_mut(v).unwrap() += dx;
                    }
                }
                n.inner.iter().for_each(|a| self.assign(a));
            }
        }
    }

    pub fn eval(&self, e: ExprId) -> f64 {
        let arena = &self.model.exprs;
        let truth = |b: bool| f64::from(u8::from(b));
        match arena.get(e) {
            Expr::Time => self.time,
            Expr::Var(v) => match self.values.get(&v) {
                Some(&x) => x,
                None => panic!("{} has no value", self.model.vars[v].var.name),
            },
            Expr::Pre(v) => self.pre[&v],
            Expr::Unary(UnaryOp::Neg, a) => -self.eval(a),
            Expr::Unary(UnaryOp::Not, a) => 1.0 - self.eval(a),
            Expr::If(c, a, b) => {
                if self.eval(c) != 0.0 {
                    self.eval(a)
                } else {
                    self.eval(b)
                }
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = (self.eval(a), self.eval(b));
                match op {
                    BinaryOp::Add => x + y,
                    BinaryOp::Sub => x - y,
                    BinaryOp::Mul => x * y,
                    BinaryOp::Div => x / y,
                    BinaryOp::Pow => power(x, y),
                    BinaryOp::And => truth(x != 0.0 && y != 0.0),
                    BinaryOp::Or => truth(x != 0.0 || y != 0.0),
                    _ => truth(compare(op, x, y)),
                }
            }
            Expr::Builtin(f, list) => {
                let args = arena.args(list);
                if f == Builtin::SemiLinear {
                    let x = self.eval(args[0]);
                    return x * self.eval(args[if x >= 0.0 { 1 } else { 2 }]);
                }
                let x = self.eval(args[0]);
                unary_value(f, x)
                    .or_else(|| binary_value(f, x, self.eval(args[1])))
                    .unwrap_or_else(|| panic!("builtin {f:?}"))
            }
            _ => arena
                .as_f64(e)
                .unwrap_or_else(|| panic!("{:?}", arena.get(e))),
        }
    }
}

pub fn compare(op: BinaryOp, a: f64, b: f64) -> bool {
    match op {
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        _ => panic!("no relation"),
    }
}

/// Gaussian elimination with partial pivoting.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n)
            .max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))
            .unwrap();
        a.swap(k, p);
        b.swap(k, p);
        assert!(a[k][k] != 0.0, "singular system");
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            for (x, p) in a[i].iter_mut().zip(&pivot).skip(k) {
                *x -= f * p;
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    b
}
