//! The causal bond graph as a coupled DEVS model.
//!
//! Every signal of [`crate::signals`] becomes the output of one atomic model; algebraic loops become one model each.
//! A dependent storage answers with its value times the weighted sum of the rates of the storages it depends
//! on, which closes a loop that is solved with the others. What cannot be solved is refused with the diagnosis.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ferrica_ir::Diagnostic;
use ferrica_ir::flat::FlatModel;
use ferrica_qss::devs::{Coupled, Root};
use rustc_hash::FxHashMap;

use super::Options;
use super::atoms::{Answer, Beginning, Board, Shared, Source, Static, Storage};
use super::drive::Drive;
use super::law::{Law, Loop, Row};
use super::memory::Memory;
use super::poly::{Poly, constant};
use super::ports::{Side, bond_of, complete_rates, is_rigid, nodes_by_element, shares_flow};
use super::quantizer::Quantizer;
use super::refuse;
use super::scales::Scales;
use super::sources::SignalEquations;
use crate::Analysis;
use crate::dual::Moving;
use crate::graph::{BondGraph, Domain, Kind};
use crate::independence::Quantity;
use crate::signals::{Function, Role, SignalId, is_loop, strong_components};
use crate::steps::Values;

/// A quantized bond graph that is ready to run.
pub struct Assembled {
    pub root: Root<Poly>,
    pub board: Shared,
    pub models: usize,
    pub couplings: usize,
    pub loops: usize,
}

/// Signals that are weighted sums of others, at once: `gain` row by row.
pub struct Sums {
    pub outputs: Vec<SignalId>,
    pub inputs: Vec<SignalId>,
    pub gain: Vec<f64>,
}

/// A graph without elements that are not linear, as signals.
#[derive(Default)]
pub struct Linear {
    /// Each needs no more than what stands before it, sources and states.
    pub sums: Vec<Sums>,
    /// Node, what it is told, what it tells.
    pub states: Vec<(usize, SignalId, SignalId)>,
    pub sources: Vec<(usize, SignalId)>,
}

/// What assembling needs to know.
pub struct Assembler<'a> {
    pub flat: &'a Arc<FlatModel>,
    pub analysis: &'a Analysis,
    /// All variables at the start.
    pub initial: &'a Values,
    pub options: &'a Options,
    pub(super) scales: &'a Scales,
    pub(super) signals: SignalEquations,
    pub(super) memory: Memory,
}

/// Signals beyond those of bonds: modulations.
struct Modulation {
    drive: Drive,
}

impl<'a> Assembler<'a> {
    pub fn new(
        flat: &'a Arc<FlatModel>,
        analysis: &'a Analysis,
        initial: &'a Values,
        options: &'a Options,
        scales: &'a Scales,
        memory: Memory,
    ) -> Assembler<'a> {
        Assembler {
            flat,
            analysis,
            initial,
            options,
            scales,
            signals: SignalEquations::new(flat, &analysis.built),
            memory,
        }
    }

    pub(super) fn graph(&self) -> &'a BondGraph {
        &self.analysis.built.graph
    }

    pub fn assemble(&self) -> Result<Assembled, Diagnostic> {
        let g = self.graph();
        let causality = &self.analysis.causality;
        self.check()?;
        let (start, order) = (self.options.start, self.options.order);
        let mut functions = causality.functions.clone();
        self.replace_derivatives(&mut functions)?;
        let groups = strong_components(&functions, Function::is_direct);
        let mut modulations: Vec<Modulation> = Vec::new();
        let mut laws: FxHashMap<usize, (Law, Vec<usize>)> = FxHashMap::default();
        for (k, f) in functions.iter().enumerate() {
            if let Role::Resistor(q) = f.role {
                let (law, drives) = self.law(f, q)?;
                let first = modulations.len();
                let extra = (first..first + drives.len()).collect();
                modulations.extend(drives.into_iter().map(|drive| Modulation { drive }));
                laws.insert(k, (law, extra));
            }
        }
        let signals = 2 * g.bonds.len() + modulations.len();
        let board: Shared = Rc::new(RefCell::new(Board::new(signals, start)));
        let first_modulation = 2 * g.bonds.len();

        // Sources and states first: the others need their values.
        let mut sources: Vec<(SignalId, Source)> = Vec::new();
        let mut amplitudes: Vec<(Domain, Quantity, f64)> = Vec::new();
        for f in functions.iter().filter(|f| f.role == Role::Source) {
            let mut drive = self.source_drive(f.node)?;
            let node = &g.nodes[f.node];
            let amplitude = self.amplitude(&mut drive);
            let quantum = self.source_quantum(f.node, amplitude);
            let source = Source::new(board.clone(), f.output, order, drive, start, quantum);
            if !source.told()[0].is_finite() {
                return Err(refuse(
                    self.flat,
                    self.place(f.node),
                    format!("the source `{}` has no value at the start", node.name),
                ));
            }
            board.borrow_mut().set(f.output, source.told(), start);
            amplitudes.push(self.amplitude_of(f.node, amplitude));
            sources.push((f.output, source));
        }
        for (k, m) in modulations.into_iter().enumerate() {
            let signal = first_modulation + k;
            let mut drive = m.drive;
            let quantum = self.options.relative_quantum() * self.amplitude(&mut drive);
            let source = Source::new(board.clone(), signal, order, drive, start, quantum);
            board.borrow_mut().set(signal, source.told(), start);
            sources.push((signal, source));
        }
        let mut states: Vec<(usize, f64, Quantizer)> = Vec::new();
        for (k, f) in functions.iter().enumerate() {
            if f.role == Role::State {
                let x = self.initial_state(f.node)?;
                let quantizer = self.quantizer(f.node, x, &amplitudes);
                let told = Storage::told_at_first(order, &quantizer, x);
                board.borrow_mut().set(f.output, constant(told), start);
                states.push((k, x, quantizer));
            }
        }

        // Select: models without memory in the order of the signals, then sources, then storages.
        let mut coupled = Coupled::new(start);
        let mut producer: Vec<Option<(usize, usize)>> = vec![None; signals];
        let mut wants: Vec<(SignalId, usize, usize)> = Vec::new();
        let mut loops = 0;
        for group in &groups {
            if !functions[group[0]].is_direct() {
                continue;
            }
            let outputs: Vec<SignalId> = group.iter().map(|&k| functions[k].output).collect();
            let (answer, inputs) = if is_loop(&functions, group) {
                loops += 1;
                self.loop_answer(&functions, group, &mut laws, first_modulation)?
            } else {
                let k = group[0];
                let f = &functions[k];
                match (&f.role, laws.remove(&k)) {
                    (Role::Linear(weights), _) => {
                        (Answer::Weighted(weights.clone()), f.inputs.clone())
                    }
                    (_, Some((law, extra))) => {
                        let mut inputs = f.inputs.clone();
                        inputs.extend(extra.iter().map(|m| first_modulation + m));
                        (Answer::Law(Box::new(law)), inputs)
                    }
                    _ => continue,
                }
            };
            let tolerances = outputs.iter().map(|&s| self.tolerance(s)).collect();
            let span = (start, self.options.stop - start);
            let model = Static::new(
                board.clone(),
                outputs.clone(),
                order,
                answer,
                &inputs,
                tolerances,
                span,
            );
            let component = coupled.add(model);
            for (port, s) in outputs.iter().enumerate() {
                producer[*s] = Some((component, port));
            }
            for (port, s) in inputs.iter().enumerate() {
                wants.push((*s, component, port));
            }
        }
        for (signal, source) in sources {
            producer[signal] = Some((coupled.add(source), 0));
        }
        for (k, x, quantizer) in states {
            let f = &functions[k];
            let input = f.inputs[0];
            let begin = Beginning {
                time: start,
                x,
                input: board.borrow().told(input, start),
            };
            let gain = self.storage_gain(f.node);
            let storage = Storage::new(board.clone(), f.output, gain, order, quantizer, &begin);
            let component = coupled.add(storage);
            producer[f.output] = Some((component, 0));
            wants.push((input, component, 0));
        }
        for (signal, component, port) in wants {
            if let Some(from) = producer[signal] {
                coupled.connect(from, (component, port));
            }
        }
        if let Some(text) = board.borrow_mut().failure.take() {
            return Err(refuse(self.flat, ferrica_ir::Span::NONE, text));
        }
        Ok(Assembled {
            models: coupled.len(),
            couplings: coupled.couplings(),
            loops,
            root: Root::new(coupled),
            board,
        })
    }

    /// The graph with its loops and dependent storages solved, or the first element that is not linear.
    pub fn linear(&self) -> Result<Linear, Diagnostic> {
        self.check()?;
        let mut functions = self.analysis.causality.functions.clone();
        self.replace_derivatives(&mut functions)?;
        let mut out = Linear::default();
        for f in &functions {
            match f.role {
                Role::State => out.states.push((f.node, f.inputs[0], f.output)),
                Role::Source => out.sources.push((f.node, f.output)),
                Role::Linear(_) => {}
                _ => {
                    let name = &self.graph().nodes[f.node].name;
                    let text = format!("`{name}` is not linear");
                    return Err(refuse(self.flat, self.place(f.node), text));
                }
            }
        }
        for group in strong_components(&functions, Function::is_direct) {
            let first = &functions[group[0]];
            let outputs = group.iter().map(|&k| functions[k].output).collect();
            if is_loop(&functions, &group) {
                let mut none = FxHashMap::default();
                let (answer, inputs) = self.loop_answer(&functions, &group, &mut none, 0)?;
                if let Answer::Loop(solved) = answer {
                    let gain = solved.gain().unwrap_or_default().to_vec();
                    out.sums.push(Sums {
                        outputs,
                        inputs,
                        gain,
                    });
                }
            } else if let Role::Linear(weights) = &first.role {
                let (inputs, gain) = (first.inputs.clone(), weights.clone());
                out.sums.push(Sums {
                    outputs,
                    inputs,
                    gain,
                });
            }
        }
        Ok(out)
    }

    pub(super) fn place(&self, node: usize) -> ferrica_ir::Span {
        let built = &self.analysis.built;
        match built.graph.nodes[node].element {
            Some(e) => self.flat.components[built.network.elements[e].component as usize].span,
            None => ferrica_ir::Span::NONE,
        }
    }

    /// Refuses what no quantized bond graph can be made of.
    fn check(&self) -> Result<(), Diagnostic> {
        let g = self.graph();
        let causality = &self.analysis.causality;
        let say = |n: usize, text: String| Err(refuse(self.flat, self.place(n), text));
        for (n, node) in g.nodes.iter().enumerate() {
            let name = &node.name;
            match node.kind {
                Kind::Multiport => {
                    return say(
                        n,
                        format!("`{name}` ({}) fits no bond graph element", node.class),
                    );
                }
                Kind::C | Kind::I if node.nonlinear || node.value.is_none() => {
                    return say(n, format!("the storage `{name}` is not linear"));
                }
                Kind::Tf | Kind::Gy if node.nonlinear || node.modulated => {
                    return say(n, format!("the modulus of `{name}` is not constant"));
                }
                _ => {}
            }
        }
        if let Some(d) = causality.conflicts.first() {
            let others: Vec<&str> =
                d.of.iter()
                    .map(|(m, _)| g.nodes[*m].name.as_str())
                    .collect();
            return say(
                d.node,
                format!(
                    "the sources `{}` and {} fix the same quantity",
                    g.nodes[d.node].name,
                    others.join(", ")
                ),
            );
        }
        if let Some(&n) = causality.unsatisfied.first() {
            return say(
                n,
                format!("no causality fits the junction at `{}`", g.nodes[n].name),
            );
        }
        Ok(())
    }

    fn storage_gain(&self, node: usize) -> f64 {
        let g = self.graph();
        let into = match bond_of(g, node) {
            Some(b) if g.bonds[b].from == node => -1.0,
            _ => 1.0,
        };
        into / g.nodes[node].value.unwrap_or(1.0)
    }

    /// Storages with derivative causality answer with the rates of those that determine them.
    fn replace_derivatives(&self, functions: &mut [Function]) -> Result<(), Diagnostic> {
        let g = self.graph();
        let input_of: FxHashMap<usize, SignalId> = functions
            .iter()
            .filter(|f| f.role == Role::State)
            .map(|f| (f.node, f.inputs[0]))
            .collect();
        for f in functions.iter_mut().filter(|f| f.role == Role::Derivative) {
            let dependence = self.analysis.causality.dependent.iter();
            let Some(d) = dependence.clone().find(|d| d.node == f.node) else {
                continue;
            };
            let mut weights = Vec::new();
            let mut inputs = Vec::new();
            for &(m, a) in &d.of {
                if g.nodes[m].kind.is_source() {
                    let stands_still = match g.nodes[m].is_controlled() {
                        true => g.nodes[m].detects,
                        false => self.source_drive(m)?.is_constant(),
                    };
                    if stands_still {
                        continue;
                    }
                    return Err(refuse(
                        self.flat,
                        self.place(f.node),
                        format!(
                            "the storage `{}` must follow the source `{}`, which changes: its answer would be the derivative of a jump",
                            g.nodes[f.node].name, g.nodes[m].name
                        ),
                    )
                    .with_hint(super::cure(g, f.node)));
                }
                if let Some(&input) = input_of.get(&m) {
                    weights.push(a * self.storage_gain(m) / self.storage_gain(f.node));
                    inputs.push(input);
                }
            }
            f.role = Role::Linear(weights);
            f.inputs = inputs;
        }
        Ok(())
    }

    fn loop_answer(
        &self,
        functions: &[Function],
        group: &[usize],
        laws: &mut FxHashMap<usize, (Law, Vec<usize>)>,
        first_modulation: usize,
    ) -> Result<(Answer, Vec<SignalId>), Diagnostic> {
        let unknown: FxHashMap<SignalId, usize> = group
            .iter()
            .enumerate()
            .map(|(k, &f)| (functions[f].output, k))
            .collect();
        let mut inputs: Vec<SignalId> = Vec::new();
        let mut input = |s: SignalId| {
            inputs.iter().position(|&t| t == s).unwrap_or_else(|| {
                inputs.push(s);
                inputs.len() - 1
            })
        };
        let mut rows = Vec::new();
        for &k in group {
            let f = &functions[k];
            match &f.role {
                Role::Linear(weights) => {
                    let (mut own, mut from) = (Vec::new(), Vec::new());
                    for (s, w) in f.inputs.iter().zip(weights) {
                        match unknown.get(s) {
                            Some(&c) => own.push((c, *w)),
                            None => from.push((input(*s), *w)),
                        }
                    }
                    rows.push(Row::Linear(own, from));
                }
                _ => {
                    if let (Some((law, extra)), Some(&c)) =
                        (laws.remove(&k), unknown.get(&f.inputs[0]))
                    {
                        let extra = extra.iter().map(|m| input(first_modulation + m)).collect();
                        rows.push(Row::Law(Box::new(law), c, extra));
                    }
                }
            }
        }
        let Some(solved) = Loop::new(rows, inputs.len()) else {
            let mut names: Vec<&str> = Vec::new();
            let g = self.graph();
            for &k in group {
                let node = &g.nodes[functions[k].node];
                if !node.kind.is_junction() && !names.contains(&node.name.as_str()) {
                    names.push(&node.name);
                }
            }
            let text = format!("the algebraic loop of {} has no solution", names.join(", "));
            return Err(refuse(
                self.flat,
                self.place(functions[group[0]].node),
                text,
            ));
        };
        Ok((Answer::Loop(Box::new(solved)), inputs))
    }

    /// Effort of a C or flow of an I at the start.
    pub fn initial_state(&self, node: usize) -> Result<f64, Diagnostic> {
        let built = &self.analysis.built;
        let g = &built.graph;
        let n = &g.nodes[node];
        let q = Quantity::preferred(n.kind).unwrap_or(Quantity::Effort);
        let Some(e) = n.element else { return Ok(0.0) };
        let element = &built.network.elements[e];
        let what = &built.recognised[e].what;
        let mut at = self.initial.clone();
        complete_rates(self.flat, element, &mut at);
        let mut side = Side::of_one_port(element, false);
        if is_rigid(what) {
            side.against = None;
            if !side.is_across(q) {
                // The flow into all ports together.
                return Ok(element
                    .ports
                    .iter()
                    .map(|p| at.get(Moving::Value(p.flow)))
                    .sum());
            }
        }
        let total = side.value(q, &at);
        let parts = &nodes_by_element(built)[e];
        if parts.len() == 1 || (q == Quantity::Flow) == shares_flow(what) {
            return Ok(total);
        }
        // The total is a sum over the laws: what the resistors take is known, another storage's part is not.
        let other = match q {
            Quantity::Effort => Quantity::Flow,
            Quantity::Flow => Quantity::Effort,
        };
        let shared = side.value(other, &at);
        let mut rest = total;
        for &m in parts.iter().filter(|&&m| m != node) {
            match (g.nodes[m].kind, g.nodes[m].value) {
                (Kind::R, Some(r)) if q == Quantity::Effort => rest -= r * shared,
                (Kind::R, Some(r)) => rest -= shared / r,
                _ => {
                    return Err(refuse(
                        self.flat,
                        self.place(node),
                        format!("the state of `{}` at the start is not known", n.name),
                    ));
                }
            }
        }
        Ok(rest)
    }
}
