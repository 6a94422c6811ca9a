//! Parts of an electrical or magnetic network without a ground: no equation there changes where all potentials of the part rise by the same amount, so
//! nothing determines them.
//!
//! In: the flat model and the user's file. Out: a warning for each such part in which a component of that file takes part. What an equation gains from such a
//! rise is worked out for sums and differences; where it cannot be worked out the part counts as grounded. One pass over the expressions.

use ferrica_ir::flat::FlatModel;
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, FileId, UnaryOp, VarId};
use rustc_hash::FxHashSet;

/// Units of potential and flow.
const DOMAINS: [(&str, &str); 2] = [("V", "A"), ("A", "Wb")];

pub fn missing(flat: &FlatModel, own: FileId) -> Vec<Diagnostic> {
    let parent = |component: u32| flat.components[component as usize].parent;
    let of_user = |component: u32| flat.components[parent(component) as usize].span.file == own;
    if !(flat.connectors.iter()).any(|c| parent(c.component) != 0 && of_user(c.component)) {
        return Vec::new();
    }
    let potentials = potentials(flat);
    if !potentials.contains(&true) {
        return Vec::new();
    }
    let mut parts = Parts::new(&potentials);
    // The pins of the model itself are connected where it is used.
    for c in flat.connectors.iter().filter(|c| parent(c.component) == 0) {
        for v in &c.potentials {
            parts.ground(*v);
        }
    }
    let rises = Rises::new(flat, &potentials);
    let (mut found, mut walk) = (Vec::new(), Walk::default());
    for e in &flat.equations {
        rises.potentials_in(flat, &[e.lhs, e.rhs], &mut walk, &mut found);
        let stays = matches!((rises.of(e.lhs), rises.of(e.rhs)), (Some(a), Some(b)) if a == b);
        for pair in found.windows(2) {
            parts.join(pair[0], pair[1]);
        }
        if let (false, Some(&v)) = (stays, found.first()) {
            parts.ground(v);
        }
    }
    let mut told = FxHashSet::default();
    let mut out = Vec::new();
    for c in flat.connectors.iter().filter(|c| of_user(c.component)) {
        let floating = |v: &&VarId| potentials[index(**v)] && parts.floats(**v);
        let Some(&v) = c.potentials.iter().find(floating) else {
            continue;
        };
        if told.insert(parts.root(v)) {
            let name = &flat.components[c.component as usize].path;
            let place = flat.components[parent(c.component) as usize].span;
            let text = format!("the part of the network around `{name}` has no ground");
            out.push(
                Diagnostic::warning("W0411", place, text)
                    .with_hint("connect a ground to this part of the network"),
            );
        }
    }
    out
}

fn index(v: VarId) -> usize {
    v.as_u32() as usize
}

/// Which variables are potentials.
fn potentials(flat: &FlatModel) -> Vec<bool> {
    let unit = |v: VarId| flat.vars[v].unit.as_str();
    let mut out = vec![false; flat.vars.len()];
    for c in &flat.connectors {
        for (potential, flow) in DOMAINS {
            if c.flows.iter().any(|&f| unit(f) == flow) {
                for &p in c.potentials.iter().filter(|&&p| unit(p) == potential) {
                    out[index(p)] = true;
                }
            }
        }
    }
    out
}

/// By how much expressions rise where all potentials rise by one; none where it is not known.
struct Rises {
    rise: Vec<Option<f64>>,
    /// Does it read a potential?
    reads: Vec<bool>,
    potentials: Vec<bool>,
}

/// Room for a walk through one equation: what is still to be looked at, and which walk has seen an expression.
#[derive(Default)]
struct Walk {
    open: Vec<ExprId>,
    seen: Vec<u32>,
    number: u32,
}

impl Rises {
    fn new(flat: &FlatModel, potentials: &[bool]) -> Rises {
        let x = &flat.exprs;
        let mut new = Rises {
            rise: Vec::with_capacity(x.len()),
            reads: Vec::with_capacity(x.len()),
            potentials: potentials.to_vec(),
        };
        // Children have smaller numbers than what they are part of.
        for id in x.ids() {
            let (mut reads, mut all_stay) = (false, true);
            x.for_each_child(id, |c| {
                reads |= new.reads[c.as_u32() as usize];
                all_stay &= new.rise[c.as_u32() as usize] == Some(0.0);
            });
            let at = |e: ExprId| new.rise[e.as_u32() as usize];
            let rise = match x.get(id) {
                Expr::Var(v) if potentials[index(v)] => {
                    reads = true;
                    Some(1.0)
                }
                // Its history determines it.
                Expr::Der(v) | Expr::Pre(v) if potentials[index(v)] => {
                    reads = true;
                    None
                }
                Expr::Unary(UnaryOp::Neg, a) => at(a).map(|a| -a),
                Expr::Binary(BinaryOp::Add, a, b) => at(a).zip(at(b)).map(|(a, b)| a + b),
                Expr::Binary(BinaryOp::Sub, a, b) => at(a).zip(at(b)).map(|(a, b)| a - b),
                Expr::If(c, a, b) if at(c) == Some(0.0) && at(a) == at(b) => at(a),
                Expr::Builtin(Builtin::NoEvent, args) => match x.args(args) {
                    &[a] => at(a),
                    _ => None,
                },
                _ if all_stay => Some(0.0),
                _ => None,
            };
            new.rise.push(rise);
            new.reads.push(reads);
        }
        new
    }

    fn of(&self, e: ExprId) -> Option<f64> {
        self.rise[e.as_u32() as usize]
    }

    fn potentials_in(
        &self,
        flat: &FlatModel,
        roots: &[ExprId],
        walk: &mut Walk,
        out: &mut Vec<VarId>,
    ) {
        out.clear();
        walk.seen.resize(flat.exprs.len(), 0);
        walk.number += 1;
        walk.open.extend_from_slice(roots);
        while let Some(e) = walk.open.pop() {
            let seen = &mut walk.seen[e.as_u32() as usize];
            if !self.reads[e.as_u32() as usize] || *seen == walk.number {
                continue;
            }
            *seen = walk.number;
            match flat.exprs.get(e) {
                Expr::Var(v) | Expr::Der(v) | Expr::Pre(v) if self.potentials[index(v)] => {
                    out.push(v);
                }
                _ => flat.exprs.for_each_child(e, |c| walk.open.push(c)),
            }
        }
    }
}

/// Potentials that equations join.
struct Parts<'a> {
    potentials: &'a [bool],
    above: Vec<u32>,
    grounded: Vec<bool>,
}

impl Parts<'_> {
    fn new(potentials: &[bool]) -> Parts<'_> {
        let variables = potentials.len();
        Parts {
            potentials,
            above: (0..variables as u32).collect(),
            grounded: vec![false; variables],
        }
    }

    fn root(&self, v: VarId) -> usize {
        let mut k = index(v);
        while self.above[k] as usize != k {
            k = self.above[k] as usize;
        }
        k
    }

    fn join(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.shorten(a), self.shorten(b));
        let grounded = self.grounded[a] || self.grounded[b];
        self.above[a] = b as u32;
        self.grounded[b] = grounded;
    }

    /// The root, with the way to it halved.
    fn shorten(&mut self, v: VarId) -> usize {
        let mut k = index(v);
        while self.above[k] as usize != k {
            self.above[k] = self.above[self.above[k] as usize];
            k = self.above[k] as usize;
        }
        k
    }

    fn ground(&mut self, v: VarId) {
        if self.potentials[index(v)] {
            let k = self.shorten(v);
            self.grounded[k] = true;
        }
    }

    fn floats(&self, v: VarId) -> bool {
        !self.grounded[self.root(v)]
    }
}
