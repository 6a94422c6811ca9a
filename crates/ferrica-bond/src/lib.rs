//! Bond graphs: a flat model → its bond graph, causality, a diagnosis in words, pictures.
//!
//! In: a [`ferrica_ir::flat::FlatModel`]. Out: a [`graph::BondGraph`] built in the steps of
//! [`build`], its causality by [`scap`], the text of [`diagnose`], and drawings by [`draw`].
//! Elements are known by their equations (see [`recognise`]), never by their names.

mod active;
pub mod build;
pub mod cdpp;
pub mod diagnose;
pub mod draw;
mod dual;
pub mod extract;
pub mod graph;
pub mod independence;
pub mod isomorphism;
mod layout;
mod linear;
pub mod modelica;
pub mod qbg;
pub mod recognise;
pub mod scap;
pub mod signals;
mod simplify;
mod steps;

use ferrica_ir::Diagnostic;
use ferrica_ir::flat::FlatModel;

/// The bond graph of a model with everything that is said about it.
pub struct Analysis {
    pub built: build::Built,
    pub causality: scap::Causality,
    pub diagnostics: Vec<Diagnostic>,
    pub report: String,
}

/// Builds, assigns causality and diagnoses; `step` 1 to 5 stops the construction early.
pub fn analyse(flat: &FlatModel, step: u8) -> Analysis {
    let mut built = build::build(flat, step);
    let causality = if step >= build::LAST_STEP {
        scap::assign(&mut built.graph)
    } else {
        scap::Causality::default()
    };
    let mut diagnostics = diagnose::check(flat, &built);
    let mut report = diagnose::counts(&built.graph);
    if step >= build::LAST_STEP {
        report.push_str(&diagnose::report(&built.graph, &causality));
    } else {
        // Elements come in later steps: that a source is missing cannot be said yet.
        diagnostics.retain(|d| d.code != diagnose::NO_SOURCE);
    }
    Analysis {
        built,
        causality,
        diagnostics,
        report,
    }
}
