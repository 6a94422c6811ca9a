//! The model seen from other sides: diagram, bond graph, sorted blocks.

use std::sync::Arc;

use ferrica::Run;
use ferrica::stages::pipeline;
use ferrica::stages::report::Report;
use ferrica::stages::stats::Stats;
use ferrica_diagram::{Drawing, Observed, diagram_along_run};
use ferrica_draw::Theme;
use ferrica_ir::causal::{Assign, Block, CausalModel};
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, SourceMap, Symbol, VarId};
use ferrica_results::ValueType;
use serde_json::{Value, json};

use crate::tab::Good;

/// Blocks that a page shows.
const MOST_BLOCKS: usize = 4000;

struct Silent(Arc<SourceMap>);

impl Report for Silent {
    fn sources(&self) -> Arc<SourceMap> {
        Arc::clone(&self.0)
    }

    fn diagnostics(&mut self, _: &[Diagnostic]) {}
}

fn flat(good: &Good) -> Option<FlatModel> {
    let mut silent = Silent(Arc::clone(good.loaded.library.sources()));
    pipeline::flatten(&good.loaded, &[], &mut silent, &mut Stats::default()).ok()
}

/// The diagram of the model or of a component in it, at an instant of a run if there is one.
pub fn diagram(good: &Good, component: &str, at: Option<(&Run, f64)>) -> Value {
    let drawn = match at {
        None => draw(good, component, None),
        Some((run, time)) => draw(good, component, Some(&|name| value_at(run, name, time))),
    };
    match drawn {
        Some(drawing) => json!({
            "svg": ferrica_draw::print(&drawing.scene),
            "title": drawing.scene.title,
            "components": drawing.components,
            "moves": drawing.moves_with_run,
        }),
        None => json!({"failed": {"message": format!("there is no component `{component}`")}}),
    }
}

/// Between rows, numbers follow a straight line and everything else holds.
fn value_at(run: &Run, name: &str, time: f64) -> Option<f64> {
    let values = run.get(name).ok()?;
    let times = run.time();
    let after = times.partition_point(|t| *t <= time);
    let before = after.saturating_sub(1);
    let value = *values.get(before)?;
    let is_real = run.declared(name).is_ok_and(|d| d.ty == ValueType::Real);
    let Some(next) = values.get(after).filter(|_| is_real) else {
        return Some(value);
    };
    let part = (time - times[before]) / (times[after] - times[before]);
    Some(value + (next - value) * part.clamp(0.0, 1.0))
}

/// The picture, with these values for variables or as it is without a run.
pub fn draw(good: &Good, component: &str, values: Option<&Observed<'_>>) -> Option<Drawing> {
    let parts = component.split('.').filter(|p| !p.is_empty());
    // An array is drawn once: its elements are alike.
    let name = |p: &str| Symbol::intern(p.split('[').next().unwrap_or(p));
    let path: Vec<Symbol> = parts.map(name).collect();
    let (library, class) = (&good.loaded.library, good.loaded.class);
    match values {
        Some(values) => diagram_along_run(library, class, &path, Theme::Both, values),
        None => ferrica_diagram::diagram(library, class, &path, Theme::Both),
    }
}

pub fn bond(good: &Good) -> Value {
    let Some(flat) = flat(good) else {
        return json!({"failed": {"message": "the model cannot be flattened"}});
    };
    let analysis = ferrica_bond::analyse(&flat, ferrica_bond::build::LAST_STEP);
    if let Some(error) = analysis.diagnostics.iter().find(|d| d.is_error()) {
        return json!({"failed": {"code": error.code, "message": error.message, "hint": error.hint}});
    }
    let title = format!("Bond graph of {}", good.model.name());
    let graph = &analysis.built.graph;
    json!({
        "svg": ferrica_bond::draw::svg(graph, &analysis.causality, &title),
        "report": analysis.report,
    })
}

/// What is solved, in which order: each block with its unknowns, what a loop iterates over, and its equations.
pub fn blocks(good: &Good) -> Value {
    let mut silent = Silent(Arc::clone(good.loaded.library.sources()));
    let sorted = flat(good).map(|f| pipeline::analyse(f, &mut silent, &mut Stats::default()));
    let Some(Ok(causal)) = sorted else {
        return json!({"failed": {"message": "the model cannot be sorted"}});
    };
    let list = causal.blocks.iter().take(MOST_BLOCKS);
    let list: Vec<Value> = list.map(|b| block(&causal, b)).collect();
    let states = causal.states.iter().map(|v| &causal.vars[*v].var.name);
    json!({
        "blocks": list,
        "count": causal.blocks.len(),
        "initial": causal.initial.blocks.len(),
        "states": states.collect::<Vec<_>>(),
    })
}

fn block(causal: &CausalModel, block: &Block) -> Value {
    let name = |v: &VarId| causal.vars[*v].var.name.as_str();
    let of = |list: &[Assign]| list.iter().map(|a| a.var).collect::<Vec<VarId>>();
    let (kind, iterated, follow) = match block {
        Block::Assign(a) => ("assignment", Vec::new(), vec![a.var]),
        Block::Linear(l) => ("linear", l.unknowns.clone(), of(&l.then)),
        Block::Nonlinear(n) => ("nonlinear", n.unknowns.clone(), of(&n.inner)),
    };
    json!({
        "kind": kind,
        "iterates": iterated.iter().map(name).collect::<Vec<_>>(),
        "follow": follow.iter().map(name).collect::<Vec<_>>(),
        "text": ferrica_structure::dump::one_block(causal, block),
    })
}
