//! The causal model as readable text.

use std::fmt::Write;

use ferrica_dae::scan::is_longer;
use ferrica_ir::ExprId;
use ferrica_ir::causal::{Assign, Block, CausalModel};
use ferrica_ir::print;

/// Expressions with more nodes, shared ones written out each time, are cut.
const MAX_NODES: usize = 20_000;

fn text(model: &CausalModel, e: ExprId) -> String {
    if is_longer(&model.exprs, e, MAX_NODES) {
        return "…".into();
    }
    print::expr(&model.exprs, model, e)
}

/// States, blocks in order, the initial system, relations.
pub fn blocks(model: &CausalModel) -> String {
    let mut out = format!("causal model {}\n", model.name);
    let name = |v| model.vars[v].var.name.as_str();
    if !model.states.is_empty() {
        let _ = writeln!(out, "\nstates ({})", model.states.len());
        for &x in &model.states {
            let _ = writeln!(out, "  {}", name(x));
        }
    }
    for (title, list) in [
        ("parameters", &model.parameter_blocks),
        ("initial system", &model.initial.blocks),
        ("blocks", &model.blocks),
    ] {
        if list.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{title} ({})", list.len());
        for b in list {
            block(&mut out, model, b);
        }
    }
    if !model.relations.is_empty() {
        let _ = writeln!(out, "\nrelations ({})", model.relations.len());
        for r in &model.relations {
            let _ = writeln!(
                out,
                "  {} := {} {} {}{}",
                name(r.memory),
                text(model, r.lhs),
                print::operator(r.op),
                text(model, r.rhs),
                if r.time_event { "    (time event)" } else { "" }
            );
        }
    }
    for set in &model.dynamic_states {
        let candidates: Vec<&str> = set.candidates.iter().map(|&v| name(v)).collect();
        let _ = writeln!(
            out,
            "\ndynamic states: {} of {}",
            set.n_states,
            candidates.join(", ")
        );
    }
    out
}

fn assign(out: &mut String, model: &CausalModel, indent: &str, a: &Assign) {
    let _ = writeln!(
        out,
        "{indent}{} := {}",
        model.vars[a.var].var.name,
        text(model, a.expr)
    );
}

/// The equations of one block.
pub fn one_block(model: &CausalModel, b: &Block) -> String {
    let mut out = String::new();
    block(&mut out, model, b);
    out
}

fn block(out: &mut String, model: &CausalModel, b: &Block) {
    let text = |e| text(model, e);
    let names = |list: &[ferrica_ir::VarId]| {
        list.iter()
            .map(|&v| model.vars[v].var.name.clone())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match b {
        Block::Assign(a) => assign(out, model, "  ", a),
        Block::Linear(l) => {
            let _ = writeln!(
                out,
                "  linear{} in {}",
                if l.constant { ", constant," } else { "" },
                names(&l.unknowns)
            );
            for (i, &rhs) in l.rhs.iter().enumerate() {
                let terms: Vec<String> = l
                    .matrix
                    .iter()
                    .filter(|t| t.0 as usize == i)
                    .map(|&(_, c, e)| {
                        format!(
                            "({})*{}",
                            text(e),
                            model.vars[l.unknowns[c as usize]].var.name
                        )
                    })
                    .collect();
                let _ = writeln!(out, "    {} = {}", terms.join(" + "), text(rhs));
            }
            for a in &l.then {
                assign(out, model, "    ", a);
            }
        }
        Block::Nonlinear(n) => {
            let _ = writeln!(out, "  nonlinear in {}", names(&n.unknowns));
            for a in &n.inner {
                assign(out, model, "    ", a);
            }
            for &r in &n.residuals {
                let _ = writeln!(out, "    0 = {}", text(r));
            }
        }
    }
}
