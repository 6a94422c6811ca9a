//! Partitions in words and as a graph.

use std::fmt::Write;
use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_ir::print::{brief, counted};

use crate::parts::{NONE, Partitions};

/// Parts and lines that are listed before the rest is counted only.
const LISTED: usize = 60;

/// The parameters of a model, for its delay times.
pub(crate) fn parameters(model: &Arc<CompiledModel>) -> Result<Evaluator, Failure> {
    let mut ev = Evaluator::new(model.clone());
    ev.run_parameters()?;
    ev.run(&model.delay_row_program)?;
    Ok(ev)
}

fn name(cut: &Partitions, part: u32) -> &str {
    match cut.parts.get(part as usize) {
        Some(p) => &p.name,
        None => "(results)",
    }
}

/// Delay times of one part's lines in and out: shortest and longest.
struct Span {
    low: f64,
    high: f64,
    lines: usize,
}

/// A list of the parts with their sizes and longest steps, and of the lines between them.
pub fn describe(model: &Arc<CompiledModel>, cut: &Partitions) -> Result<String, Failure> {
    let ev = parameters(model)?;
    let mut spans: Vec<Span> = (cut.parts.iter())
        .map(|_| Span {
            low: f64::INFINITY,
            high: 0.0,
            lines: 0,
        })
        .collect();
    for line in &cut.lines {
        let delay = ev.get(model.delays[line.delay].delay);
        let mut ends = line.to.clone();
        if line.from != NONE && !ends.contains(&line.from) {
            ends.push(line.from);
        }
        for p in ends {
            let span = &mut spans[p as usize];
            span.lines += 1;
            // Only what comes in bounds the step.
            if line.to.contains(&p) {
                span.low = span.low.min(delay);
                span.high = span.high.max(delay);
            }
        }
    }
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}, {}, {} of time",
        counted(cut.parts.len(), "partition"),
        counted(cut.lines.len(), "line"),
        counted(cut.shared.len(), "shared equation")
    );
    for (part, span) in cut.parts.iter().zip(&spans).take(LISTED) {
        let step = if span.low.is_finite() {
            format!("step at most {} s", brief(span.low))
        } else {
            "any step".to_string()
        };
        let _ = writeln!(
            out,
            "  {}: {}, {}, {}, {step} ({})",
            part.name,
            counted(part.equations, "equation"),
            counted(part.states.len(), "state"),
            counted(span.lines, "line"),
            shorten(&part.components)
        );
    }
    rest(&mut out, cut.parts.len(), "partitions");
    for line in cut.lines.iter().take(LISTED) {
        let slots = &model.delays[line.delay];
        let to: Vec<&str> = line.to.iter().map(|&p| name(cut, p)).collect();
        let to = if to.is_empty() {
            "(results)".to_string()
        } else {
            to.join(", ")
        };
        let kind = if slots.constant {
            ""
        } else {
            " (varies: no cut)"
        };
        let _ = writeln!(
            out,
            "  {} → {to}: {} s{kind}",
            name(cut, line.from),
            brief(ev.get(slots.delay))
        );
    }
    rest(&mut out, cut.lines.len(), "lines");
    Ok(out)
}

fn rest(out: &mut String, all: usize, what: &str) {
    if all > LISTED {
        let _ = writeln!(out, "  … and {} more {what}", all - LISTED);
    }
}

fn shorten(names: &[String]) -> String {
    match names.len() {
        0 => "no component".to_string(),
        1..=4 => names.join(", "),
        n => format!("{}, … {} more", names[..3].join(", "), n - 3),
    }
}

/// The graph of partitions in the DOT language.
pub fn dot(model: &Arc<CompiledModel>, cut: &Partitions) -> Result<String, Failure> {
    let ev = parameters(model)?;
    let mut out = String::from("digraph partitions {\n  rankdir=LR;\n  node [shape=box];\n");
    for (k, part) in cut.parts.iter().enumerate() {
        let label = part.name.replace('"', "'");
        let _ = writeln!(
            out,
            "  p{k} [label=\"{label}\\n{} equations\"];",
            part.equations
        );
    }
    for line in cut.lines.iter().filter(|l| l.from != NONE) {
        let delay = ev.get(model.delays[line.delay].delay);
        for to in &line.to {
            let _ = writeln!(out, "  p{} -> p{to} [label=\"{delay} s\"];", line.from);
        }
    }
    out.push_str("}\n");
    Ok(out)
}
