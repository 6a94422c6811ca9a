//! The model seen from other sides: diagram, bond graph, sorted blocks.

use std::sync::Arc;

use ferrica::pipeline;
use ferrica::report::Report;
use ferrica::stats::Stats;
use ferrica_draw::Theme;
use ferrica_ir::causal::{Assign, Block, CausalModel};
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, SourceMap, Symbol, VarId};
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

/// The diagram of the model or of a component in it.
pub fn diagram(good: &Good, component: &str) -> Value {
    let parts = component.split('.').filter(|p| !p.is_empty());
    // An array is drawn once: its elements are alike.
    let name = |p: &str| Symbol::intern(p.split('[').next().unwrap_or(p));
    let path: Vec<Symbol> = parts.map(name).collect();
    let loaded = &good.loaded;
    match ferrica_diagram::diagram(&loaded.library, loaded.class, &path, Theme::Both) {
        Some(drawing) => json!({
            "svg": ferrica_draw::print(&drawing.scene),
            "title": drawing.scene.title,
            "components": drawing.components,
        }),
        None => json!({"failed": {"message": format!("there is no component `{component}`")}}),
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
