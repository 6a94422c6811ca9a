//! The causal graph as signals: who computes which effort and flow from which others.
//!
//! The stroke of a bond says that the element at the other end computes the effort and the one at the
//! stroke computes the flow. Every signal therefore has one function; functions that depend on each other in a
//! circle are an algebraic loop.

use crate::graph::{BondGraph, Kind};
use crate::independence::Quantity;

/// Effort of bond b is signal 2b, its flow 2b + 1.
pub type SignalId = usize;

pub fn effort(b: usize) -> SignalId {
    2 * b
}

pub fn flow(b: usize) -> SignalId {
    2 * b + 1
}

/// How a node computes a signal.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Weighted sum of the inputs.
    Linear(Vec<f64>),
    /// Resistor without a constant value.
    Resistor(Quantity),
    /// Storage with integral causality: the input is integrated.
    State,
    /// Storage with derivative causality.
    Derivative,
    Source,
    /// A multiport's port: any function of what reaches it.
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub node: usize,
    pub role: Role,
    pub inputs: Vec<SignalId>,
    pub output: SignalId,
}

impl Function {
    /// Does the output follow the inputs without delay?
    pub fn is_direct(&self) -> bool {
        matches!(
            self.role,
            Role::Linear(_) | Role::Resistor(_) | Role::Unknown
        )
    }
}

/// The functions of all signals; signals of bonds without a stroke have none.
pub fn functions(g: &BondGraph) -> Vec<Function> {
    let mut out = Vec::new();
    for n in 0..g.nodes.len() {
        if !g.nodes[n].removed {
            of_node(g, n, &mut out);
        }
    }
    out
}

fn of_node(g: &BondGraph, n: usize, out: &mut Vec<Function>) {
    let node = &g.nodes[n];
    let bonds = g.bonds_of(n);
    let into = |b: usize| if g.bonds[b].to == n { 1.0 } else { -1.0 };
    // The signal that the node computes on a bond, and the one that it is told.
    let computes = |b: usize| {
        g.bonds[b]
            .effort_into(n)
            .map(|told| if told { flow(b) } else { effort(b) })
    };
    let told = |b: usize| {
        g.bonds[b]
            .effort_into(n)
            .map(|told| if told { effort(b) } else { flow(b) })
    };
    let mut push = |role: Role, inputs: Vec<SignalId>, output: SignalId| {
        out.push(Function {
            node: n,
            role,
            inputs,
            output,
        });
    };
    match node.kind {
        Kind::Zero | Kind::One => {
            let (common, balanced): (fn(usize) -> SignalId, fn(usize) -> SignalId) =
                if node.kind == Kind::Zero {
                    (effort, flow)
                } else {
                    (flow, effort)
                };
            let decides = |&b: &usize| g.bonds[b].effort_into(n) == Some(node.kind == Kind::Zero);
            let Some(d) = bonds.iter().copied().find(decides) else {
                return;
            };
            let others: Vec<usize> = bonds.iter().copied().filter(|&b| b != d).collect();
            for &b in &others {
                push(Role::Linear(vec![1.0]), vec![common(d)], common(b));
            }
            let weights = others.iter().map(|&b| -into(d) * into(b)).collect();
            let inputs = others.iter().map(|&b| balanced(b)).collect();
            push(Role::Linear(weights), inputs, balanced(d));
        }
        Kind::Tf | Kind::Gy => {
            let &[x, y] = bonds.as_slice() else { return };
            let (a, b) = if g.bonds[x].port == 0 { (x, y) } else { (y, x) };
            let m = node.value.unwrap_or(1.0);
            let pairs = if node.kind == Kind::Tf {
                // e_a = m·e_b, f_b = m·f_a
                [(effort(a), effort(b), m), (flow(b), flow(a), m)]
            } else {
                // e_a = r·f_b, e_b = r·f_a
                [(effort(a), flow(b), m), (effort(b), flow(a), m)]
            };
            for (left, right, m) in pairs {
                let mine = |s: SignalId| computes(s / 2) == Some(s);
                if mine(left) {
                    push(Role::Linear(vec![m]), vec![right], left);
                } else if mine(right) {
                    push(Role::Linear(vec![1.0 / m]), vec![left], right);
                }
            }
        }
        Kind::R => {
            for b in bonds {
                let (Some(output), Some(input)) = (computes(b), told(b)) else {
                    continue;
                };
                let effort_out = output == effort(b);
                let role = match node.value {
                    Some(r) if !node.nonlinear && !node.modulated => {
                        let gain = if effort_out { r } else { 1.0 / r };
                        Role::Linear(vec![into(b) * gain])
                    }
                    _ if effort_out => Role::Resistor(Quantity::Effort),
                    _ => Role::Resistor(Quantity::Flow),
                };
                push(role, vec![input], output);
            }
        }
        Kind::C | Kind::I => {
            for b in bonds {
                let (Some(output), Some(input)) = (computes(b), told(b)) else {
                    continue;
                };
                let integral = (output == effort(b)) == (node.kind == Kind::C);
                let role = if integral {
                    Role::State
                } else {
                    Role::Derivative
                };
                push(role, vec![input], output);
            }
        }
        Kind::Se | Kind::Sf if node.is_controlled() => {
            let output = |b: usize| {
                if node.kind == Kind::Se {
                    effort(b)
                } else {
                    flow(b)
                }
            };
            let heard = |m: usize| {
                let given: fn(usize) -> SignalId = if g.nodes[m].kind == Kind::Se {
                    flow
                } else {
                    effort
                };
                g.bonds_of(m).first().map(|&b| given(b))
            };
            let inputs: Option<Vec<SignalId>> =
                node.control.iter().map(|&(m, _)| heard(m)).collect();
            let weights = node.control.iter().map(|c| c.1).collect();
            if let (Some(inputs), Some(&b)) = (inputs, bonds.first()) {
                push(Role::Linear(weights), inputs, output(b));
            }
        }
        Kind::Se | Kind::Sf => {
            for b in bonds {
                let output = if node.kind == Kind::Se {
                    effort(b)
                } else {
                    flow(b)
                };
                push(Role::Source, Vec::new(), output);
            }
        }
        Kind::Multiport => {
            let inputs: Vec<SignalId> = bonds.iter().filter_map(|&b| told(b)).collect();
            for b in bonds {
                if let Some(output) = computes(b) {
                    push(Role::Unknown, inputs.clone(), output);
                }
            }
        }
        Kind::Block => {}
    }
}

/// Groups of functions in an order in which each only needs the outputs of earlier ones; a group of more than
/// one function, or one that needs its own output, is an algebraic loop.
///
/// Tarjan's algorithm with an explicit stack over the functions `direct`, where the others cut.
pub fn strong_components(
    functions: &[Function],
    direct: impl Fn(&Function) -> bool,
) -> Vec<Vec<usize>> {
    let signals = functions.iter().map(|f| f.output + 1).max().unwrap_or(0);
    let mut producer = vec![usize::MAX; signals];
    for (k, f) in functions.iter().enumerate() {
        producer[f.output] = k;
    }
    let needs: Vec<Vec<usize>> = functions
        .iter()
        .map(|f| {
            if !direct(f) {
                return Vec::new();
            }
            let made = |s: &SignalId| producer.get(*s).copied().filter(|&k| k != usize::MAX);
            f.inputs.iter().filter_map(made).collect()
        })
        .collect();
    let n = functions.len();
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let mut on_stack = vec![false; n];
    let mut stack = Vec::new();
    let mut next = 0;
    let mut out = Vec::new();
    for root in 0..n {
        if index[root] != usize::MAX {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (v, ref mut at)) = work.last_mut() {
            if *at == 0 {
                index[v] = next;
                low[v] = next;
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = needs[v].get(*at) {
                *at += 1;
                if index[w] == usize::MAX {
                    work.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some(&(u, _)) = work.last() {
                low[u] = low[u].min(low[v]);
            }
            if low[v] == index[v] {
                let mut group = Vec::new();
                while let Some(w) = stack.pop() {
                    on_stack[w] = false;
                    group.push(w);
                    if w == v {
                        break;
                    }
                }
                group.reverse();
                out.push(group);
            }
        }
    }
    out
}

/// Is a group of [`strong_components`] a loop?
pub fn is_loop(functions: &[Function], group: &[usize]) -> bool {
    match group {
        [one] => {
            let f = &functions[*one];
            f.is_direct() && f.inputs.contains(&f.output)
        }
        _ => true,
    }
}
