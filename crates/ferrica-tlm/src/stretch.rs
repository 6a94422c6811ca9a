//! Lines that are shorter than the step: what lengthening them means.

use ferrica_codegen::Evaluator;
use ferrica_codegen::model::CompiledModel;
use ferrica_ir::expr::VarId;
use ferrica_ir::print::brief;
use rustc_hash::FxHashMap;

use crate::parts::{Line, NONE, Partitions};

/// Speed of sound in oil, for lines that do not say.
pub const TYPICAL_SPEED: f64 = 1000.0;

/// Kinds of lengthened lines that are told one by one.
const TOLD: usize = 8;

/// A line that is made as long as the step.
pub struct Lengthened {
    /// Which one, and why.
    pub text: String,
    /// Travelling time that is added, and how many times as long it becomes.
    pub time: f64,
    pub times: f64,
    /// Wave speed, and where it comes from.
    pub speed: f64,
    pub origin: &'static str,
}

/// The modelling error in the user's words: equal lines once, and no more than a few.
pub fn told(lines: &[Lengthened]) -> Vec<String> {
    let mut kinds: Vec<(&Lengthened, usize)> = Vec::new();
    let mut known: FxHashMap<(&str, u64), usize> = FxHashMap::default();
    for line in lines {
        let key = (line.text.as_str(), line.speed.to_bits());
        let k = *known.entry(key).or_insert_with(|| {
            kinds.push((line, 0));
            kinds.len() - 1
        });
        kinds[k].1 += 1;
    }
    let one = |&(line, count): &(&Lengthened, usize)| {
        let (subject, end) = match count {
            1 => ("it is".to_owned(), String::new()),
            n => (format!("{n} such lines are"), " each".to_owned()),
        };
        format!(
            "{}: {subject} lengthened by {} s of travelling time{end}, {} m at {} wave speed {:.0} m/s ({:.3} times)",
            line.text,
            brief(line.time),
            short(line.time * line.speed),
            line.origin,
            line.speed,
            line.times
        )
    };
    let mut texts: Vec<String> = kinds.iter().take(TOLD).map(one).collect();
    let rest = &kinds[texts.len()..];
    if !rest.is_empty() {
        let count: usize = rest.iter().map(|k| k.1).sum();
        let longest = rest.iter().map(|k| k.0.time * k.0.speed);
        texts.push(format!(
            "{count} more lines are lengthened, by at most {} m",
            short(longest.fold(0.0, f64::max))
        ));
    }
    texts
}

fn short(x: f64) -> String {
    format!("{x:.4}")
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

/// Looks wave speeds up.
pub struct Speeds<'a> {
    model: &'a CompiledModel,
    ev: &'a Evaluator,
    cut: &'a Partitions,
    variables: FxHashMap<&'a str, VarId>,
}

impl<'a> Speeds<'a> {
    pub fn new(model: &'a CompiledModel, ev: &'a Evaluator, cut: &'a Partitions) -> Speeds<'a> {
        let all = model.source.vars.iter();
        Speeds {
            model,
            ev,
            cut,
            variables: all.map(|(v, var)| (var.var.name.as_str(), v)).collect(),
        }
    }

    /// √(β/ρ) of the component whose equations read a delayed value, if it has such parameters.
    pub fn of(&self, line: &Line) -> Option<f64> {
        let (model, cut) = (self.model, self.cut);
        let result = model.delays[line.delay].result;
        let parts = line.to.iter().chain([&line.from]).filter(|&&p| p != NONE);
        let blocks = parts.flat_map(|&p| &cut.parts[p as usize].blocks);
        let reader = blocks
            .copied()
            .find(|&b| model.block_reads(&model.main, b).contains(&result))?;
        let component = *crate::parts::components_of(model, reader).first()?;
        let path = &model.source.components.get(component as usize)?.path;
        let value = |names: &[&str]| {
            let mut paths = names.iter().map(|n| format!("{path}.{n}"));
            let v = paths.find_map(|p| self.variables.get(p.as_str()))?;
            let (slot, _) = model.layout.place(*v)?;
            Some(self.ev.get(slot))
        };
        let (bulk, density) = (value(&["beta", "Be"])?, value(&["rho"])?);
        Some((bulk / density).sqrt()).filter(|a| a.is_finite() && *a > 0.0)
    }
}

pub fn reader_name(cut: &Partitions, line: &Line, cluster_of: &[usize], cluster: usize) -> String {
    let part = line.to.iter().find(|&&p| cluster_of[p as usize] == cluster);
    let part = part.copied().unwrap_or(line.from);
    cut.parts[part as usize].name.clone()
}
