#![allow(dead_code)]

pub mod eval;
pub mod text;

use ferrica_ir::causal::CausalModel;
use ferrica_ir::flat::FlatModel;
use ferrica_structure::{Compiled, Options, compile};

pub fn compiled(flat: FlatModel) -> Compiled {
    match compile(flat, &Options::default()) {
        Ok(c) => c,
        Err(errors) => panic!(
            "{}",
            errors
                .iter()
                .map(|e| e.message.as_str())
                .collect::<Vec<_>>()
                .join("\n")
        ),
    }
}

pub fn causal(text: &str) -> CausalModel {
    compiled(text::model(text)).model
}

pub fn errors(text: &str) -> Vec<String> {
    match compile(text::model(text), &Options::default()) {
        Ok(_) => Vec::new(),
        Err(e) => e
            .iter()
            .map(|e| format!("{}: {}", e.code, e.message))
            .collect(),
    }
}
