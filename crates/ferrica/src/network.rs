//! What is odd about the network of a model, in the words of `ferrica bond`: parts without a ground, ports that are connected
//! to nothing. In: the flat model and the user's file. Out: warnings at lines of that file.
//!
//! Costs a pass over the equations; only where the user's own components have open ports, or the number of equations is
//! wrong, the network is built.

use std::collections::HashSet;

use ferrica_ir::flat::{FlatModel, Origin};
use ferrica_ir::{Diagnostic, Expr, FileId, VarId};

use crate::grounds;

/// The warnings.
pub fn findings(flat: &FlatModel, own: FileId, equations_are_missing: bool) -> Vec<Diagnostic> {
    let mut out = grounds::missing(flat, own);
    out.extend(open_ports(flat, own, equations_are_missing));
    out
}

fn open_ports(flat: &FlatModel, own: FileId, equations_are_missing: bool) -> Vec<Diagnostic> {
    let alone = (flat.equations.iter()).filter(|e| e.origin == Origin::Unconnected);
    let open: HashSet<VarId> = alone
        .filter_map(|e| match flat.exprs.get(e.lhs) {
            Expr::Var(v) => Some(v),
            _ => None,
        })
        .collect();
    let suspicious = flat.connectors.iter().any(|c| {
        let around = flat.components[c.component as usize].parent;
        let is_open = c.flows.iter().any(|v| open.contains(v));
        flat.components[around as usize].span.file == own && (equations_are_missing || is_open)
    });
    if !suspicious {
        return Vec::new();
    }
    let found = ferrica_bond::analyse(flat, ferrica_bond::build::LAST_STEP).diagnostics;
    // Of the elements of an array the first: the others have the same line.
    let mut told = HashSet::new();
    let here = found.into_iter().filter(|d| d.span.file == own);
    let here = here.filter(|d| told.insert((d.code, d.span)));
    here.filter(|d| d.code == "W0412").collect()
}
