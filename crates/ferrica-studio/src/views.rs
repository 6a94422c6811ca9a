//! The model seen from other sides: diagram, bond graph, sorted blocks.

use std::sync::Arc;

use ferrica::pipeline;
use ferrica::report::Report;
use ferrica::stats::Stats;
use ferrica_draw::Theme;
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, SourceMap, Symbol};
use serde_json::{Value, json};

use crate::tab::Good;

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

/// What is solved, in which order: the text of `ferrica dump --stage blocks`.
pub fn blocks(good: &Good) -> Value {
    let mut silent = Silent(Arc::clone(good.loaded.library.sources()));
    let sorted = flat(good).map(|f| pipeline::analyse(f, &mut silent, &mut Stats::default()));
    match sorted {
        Some(Ok(causal)) => json!({"text": ferrica_structure::dump::blocks(&causal)}),
        _ => json!({"failed": {"message": "the model cannot be sorted"}}),
    }
}
