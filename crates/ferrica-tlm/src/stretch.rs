//! Lines that are shorter than the step: what lengthening them means.

use ferrica_codegen::Evaluator;
use ferrica_codegen::model::CompiledModel;

use crate::parts::{Line, NONE, Partitions};

/// Speed of sound in oil, for lines that do not say.
pub const TYPICAL_SPEED: f64 = 1000.0;

pub fn short(x: f64) -> String {
    format!("{:.4}", x)
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

/// √(β/ρ) of the component whose equations read a delayed value, if it has such parameters.
pub fn wave_speed(
    model: &CompiledModel,
    ev: &Evaluator,
    cut: &Partitions,
    line: &Line,
) -> Option<f64> {
    let result = model.delays[line.delay].result;
    let parts = line.to.iter().chain([&line.from]).filter(|&&p| p != NONE);
    let blocks = parts.flat_map(|&p| &cut.parts[p as usize].blocks);
    let reader = blocks
        .copied()
        .find(|&b| model.block_reads(&model.main, b).contains(&result))?;
    let component = *crate::parts::components_of(model, reader).first()?;
    let path = &model.source.components.get(component as usize)?.path;
    let value = |names: &[&str]| {
        let found = names
            .iter()
            .find_map(|n| model.find(&format!("{path}.{n}")));
        found.map(|(slot, _)| ev.get(slot))
    };
    let (bulk, density) = (value(&["beta", "Be"])?, value(&["rho"])?);
    Some((bulk / density).sqrt()).filter(|a| a.is_finite() && *a > 0.0)
}

pub fn reader_name(cut: &Partitions, line: &Line, cluster_of: &[usize], cluster: usize) -> String {
    let part = line.to.iter().find(|&&p| cluster_of[p as usize] == cluster);
    let part = part.copied().unwrap_or(line.from);
    cut.parts[part as usize].name.clone()
}
