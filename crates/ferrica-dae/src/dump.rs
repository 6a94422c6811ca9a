//! The hybrid DAE as readable text.

use std::fmt::Write;

use ferrica_ir::ExprId;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::Equation;

use crate::model::Dae;

/// Expressions with more nodes, shared ones written out each time, are cut.
const MAX_NODES: usize = 20_000;

fn text(dae: &Dae, e: ExprId) -> String {
    dae.expr_text_up_to(e, MAX_NODES)
}

fn equation(dae: &Dae, e: &Equation) -> String {
    format!("{} = {}", text(dae, e.lhs), text(dae, e.rhs))
}

/// Variables by kind, equations, relations and aliases, one a line.
pub fn dae(dae: &Dae) -> String {
    let mut out = format!("hybrid DAE {}\n", dae.name);
    for (title, kind) in [
        ("parameters", Kind::Parameter),
        ("states", Kind::State),
        ("algebraic", Kind::Algebraic),
        ("discrete", Kind::Discrete),
        ("inputs", Kind::Input),
    ] {
        let names: Vec<&str> = dae
            .vars
            .iter()
            .filter(|(_, v)| v.kind == kind)
            .map(|(_, v)| v.var.name.as_str())
            .collect();
        if !names.is_empty() {
            let _ = writeln!(out, "\n{title} ({})", names.len());
            for n in names {
                let _ = writeln!(out, "  {n}");
            }
        }
    }
    let _ = writeln!(out, "\nequations ({})", dae.equations.len());
    for e in &dae.equations {
        let _ = writeln!(out, "  {}", equation(dae, e));
    }
    if !dae.initial_equations.is_empty() {
        let _ = writeln!(out, "\ninitial equations ({})", dae.initial_equations.len());
        for e in &dae.initial_equations {
            let _ = writeln!(out, "  {}", equation(dae, e));
        }
    }
    if !dae.relations.is_empty() {
        let _ = writeln!(out, "\nrelations ({})", dae.relations.len());
        for r in &dae.relations {
            let _ = writeln!(
                out,
                "  {} = {} {} {}{}",
                dae.vars[r.memory].var.name,
                text(dae, r.lhs),
                ferrica_ir::print::operator(r.op),
                text(dae, r.rhs),
                if r.time_event { " (time event)" } else { "" }
            );
        }
    }
    if !dae.aliases.is_empty() {
        let _ = writeln!(out, "\naliases ({})", dae.aliases.len());
        for &(v, k, neg) in &dae.aliases {
            let _ = writeln!(
                out,
                "  {} = {}{}",
                dae.vars[v].var.name,
                if neg { "-" } else { "" },
                dae.vars[k].var.name
            );
        }
    }
    out
}
