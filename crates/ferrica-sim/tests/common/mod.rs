//! Small causal models built by hand, and runs of them.

#![allow(dead_code)]

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Form, compile};
use ferrica_ir::causal::*;
use ferrica_ir::expr::*;
use ferrica_ir::flat::{Variability, Variable};
use ferrica_sim::{Experiment, SimError, Stats, simulate};

#[derive(Default)]
pub struct Build {
    pub m: CausalModel,
}

impl Build {
    pub fn var(&mut self, name: &str, kind: Kind, start: f64) -> VarId {
        let ty = match kind {
            Kind::Relation => Ty::Boolean,
            _ => Ty::Real,
        };
        let variability = match kind {
            Kind::Parameter => Variability::Parameter,
            Kind::Discrete | Kind::Relation => Variability::Discrete,
            _ => Variability::Continuous,
        };
        let mut var = Variable::new(name, ty, variability);
        let value = self.m.exprs.real(start);
        if kind == Kind::Parameter {
            var.binding = Some(value);
        } else {
            var.start = Some(value);
        }
        self.m.vars.push(CausalVar {
            var,
            kind,
            partner: None,
        })
    }

    /// A state with its derivative.
    pub fn state(&mut self, name: &str, start: f64) -> (VarId, VarId) {
        let x = self.var(name, Kind::State, start);
        let d = self.var(&format!("der({name})"), Kind::Derivative, 0.0);
        self.m.vars[x].partner = Some(d);
        self.m.vars[d].partner = Some(x);
        self.m.states.push(x);
        self.m.derivatives.push(d);
        self.m.initial.from_start.push((x, false));
        (x, d)
    }

    pub fn boolean(&mut self, name: &str) -> VarId {
        let v = self.var(name, Kind::Discrete, 0.0);
        self.m.vars[v].var.ty = Ty::Boolean;
        v
    }

    pub fn e(&mut self, v: VarId) -> ExprId {
        let ty = self.m.vars[v].var.ty;
        self.m.exprs.var(v, ty)
    }

    pub fn real(&mut self, x: f64) -> ExprId {
        self.m.exprs.real(x)
    }

    /// `v := expr` in the simulation and in the initial system.
    pub fn assign(&mut self, var: VarId, expr: ExprId, continuous: bool) {
        let equation = self.equation(var, expr, continuous);
        let block = Block::Assign(Assign {
            var,
            expr,
            equation,
        });
        self.m.blocks.push(block.clone());
        self.m.continuous.push(continuous);
        self.m.initial.blocks.push(block);
    }

    pub fn equation(&mut self, var: VarId, rhs: ExprId, continuous: bool) -> u32 {
        let lhs = self.e(var);
        let eq = DaeEquation {
            lhs,
            rhs,
            span: ferrica_ir::Span::NONE,
            component: 0,
            unknown: var,
            continuous,
        };
        self.m.equations.push(eq.clone());
        self.m.initial.equations.push(eq);
        self.m.equations.len() as u32 - 1
    }

    pub fn relation(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, time_event: bool) -> VarId {
        let name = format!("$relation{}", self.m.relations.len());
        let memory = self.var(&name, Kind::Relation, 0.0);
        self.m.relations.push(Relation {
            memory,
            op,
            lhs,
            rhs,
            time_event,
            span: ferrica_ir::Span::NONE,
        });
        memory
    }

    pub fn compile(self) -> Arc<CompiledModel> {
        self.compile_as(Form::Auto)
    }

    pub fn compile_as(self, form: Form) -> Arc<CompiledModel> {
        let options = CompileOptions {
            form,
            ..CompileOptions::default()
        };
        Arc::new(compile(self.m, &options).expect("compiles"))
    }
}

/// Rows of a run: time, then the values of the named variables.
pub fn run(
    model: &Arc<CompiledModel>,
    names: &[&str],
    experiment: &Experiment,
) -> (Vec<Vec<f64>>, Result<Stats, SimError>) {
    let slots: Vec<(u32, bool)> = names
        .iter()
        .map(|n| model.find(n).expect("the variable exists"))
        .collect();
    let mut rows = Vec::new();
    let mut sink = |t: f64, s: &[f64]| {
        let mut row = vec![t];
        row.extend(
            slots
                .iter()
                .map(|&(k, neg)| if neg { -s[k as usize] } else { s[k as usize] }),
        );
        rows.push(row);
    };
    let result = simulate(model, experiment, &mut sink);
    (rows, result)
}

pub fn experiment(model: &CompiledModel, stop: f64, tolerance: f64) -> Experiment {
    Experiment {
        stop,
        tolerance,
        interval: stop / 100.0,
        ..Experiment::of(model)
    }
}
