//! Affine decomposition: an expression as Σ aⱼ·xⱼ + b with aⱼ and b free of the unknowns xⱼ.
//!
//! Exact: returns `None` where the expression is not affine for structural reasons. Sums of many
//! terms cost n·log n. Iterative over the nodes in the order of their ids.

use ferrica_ir::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, UnaryOp};

use crate::scan::Reach;

/// Coefficients by column, sorted, and the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affine {
    pub terms: Vec<(u32, ExprId)>,
    pub rest: Option<ExprId>,
}

/// Memory that decompositions share.
#[derive(Default)]
pub struct Decomposer {
    reach: Reach,
    /// Position in `values` of nodes that contain unknowns, valid where `stamp` is current.
    slot: Vec<u32>,
    stamp: Vec<u32>,
    current: u32,
    values: Vec<Affine>,
}

impl Decomposer {
    /// Decomposes `lhs - rhs`. `column` tells the unknowns (variables or time) apart.
    pub fn residual(
        &mut self,
        arena: &mut ExprArena,
        lhs: ExprId,
        rhs: ExprId,
        column: &dyn Fn(Expr) -> Option<u32>,
    ) -> Option<Affine> {
        self.reach.collect(arena, &[lhs, rhs], |_| true);
        let nodes = std::mem::take(&mut self.reach.nodes);
        self.current += 1;
        self.values.clear();
        let size = nodes.last().map_or(0, |n| n.as_u32() as usize + 1);
        if self.stamp.len() < size {
            self.stamp.resize(size + size / 4, 0);
            self.slot.resize(size + size / 4, 0);
        }
        let mut possible = true;
        for &id in &nodes {
            let Some(found) = self.node(arena, id, column) else {
                possible = false;
                break;
            };
            if let Some(value) = found {
                self.stamp[id.as_u32() as usize] = self.current;
                self.slot[id.as_u32() as usize] = self.values.len() as u32;
                self.values.push(value);
            }
        }
        self.reach.nodes = nodes;
        if !possible {
            return None;
        }
        let (a, b) = (self.get(lhs), self.get(rhs));
        Some(combine(arena, &a, &b, true))
    }

    fn contains(&self, id: ExprId) -> bool {
        self.stamp.get(id.as_u32() as usize) == Some(&self.current)
    }

    fn get(&self, id: ExprId) -> Affine {
        if self.contains(id) {
            self.values[self.slot[id.as_u32() as usize] as usize].clone()
        } else {
            Affine {
                terms: Vec::new(),
                rest: Some(id),
            }
        }
    }

    /// `Some(None)`: free of unknowns. `None`: not affine.
    fn node(
        &self,
        arena: &mut ExprArena,
        id: ExprId,
        column: &dyn Fn(Expr) -> Option<u32>,
    ) -> Option<Option<Affine>> {
        let expr = arena.get(id);
        if let Some(c) = column(expr) {
            let one = arena.real(1.0);
            return Some(Some(Affine {
                terms: vec![(c, one)],
                rest: None,
            }));
        }
        let mut any = false;
        arena.for_each_child(id, |c| any |= self.contains(c));
        if !any {
            return Some(None);
        }
        let value = match expr {
            Expr::Unary(UnaryOp::Neg, a) => {
                let a = self.get(a);
                map(arena, &a, |arena, e| arena.neg(e))
            }
            Expr::Binary(BinaryOp::Add, a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                combine(arena, &a, &b, false)
            }
            Expr::Binary(BinaryOp::Sub, a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                combine(arena, &a, &b, true)
            }
            Expr::Binary(BinaryOp::Mul, a, b) => match (self.contains(a), self.contains(b)) {
                (true, false) => {
                    let x = self.get(a);
                    map(arena, &x, |arena, e| arena.mul(e, b))
                }
                (false, true) => {
                    let x = self.get(b);
                    map(arena, &x, |arena, e| arena.mul(a, e))
                }
                _ => return None,
            },
            Expr::Binary(BinaryOp::Div, a, b) if !self.contains(b) => {
                let x = self.get(a);
                map(arena, &x, |arena, e| arena.div(e, b))
            }
            Expr::If(c, a, b) if !self.contains(c) => {
                let (x, y) = (self.get(a), self.get(b));
                choose(arena, c, &x, &y)
            }
            Expr::Builtin(Builtin::NoEvent | Builtin::Body | Builtin::Argument, list) => {
                self.get(arena.args(list)[0])
            }
            _ => return None,
        };
        Some(Some(value))
    }
}

fn map(arena: &mut ExprArena, a: &Affine, f: impl Fn(&mut ExprArena, ExprId) -> ExprId) -> Affine {
    Affine {
        terms: a.terms.iter().map(|&(c, e)| (c, f(arena, e))).collect(),
        rest: a.rest.map(|e| f(arena, e)),
    }
}

/// Merges two sorted lists of terms.
fn merge(
    arena: &mut ExprArena,
    a: &Affine,
    b: &Affine,
    f: impl Fn(&mut ExprArena, Option<ExprId>, Option<ExprId>) -> ExprId,
) -> Affine {
    let mut terms = Vec::with_capacity(a.terms.len() + b.terms.len());
    let (mut i, mut j) = (0, 0);
    while i < a.terms.len() || j < b.terms.len() {
        let ca = a.terms.get(i).map_or(u32::MAX, |t| t.0);
        let cb = b.terms.get(j).map_or(u32::MAX, |t| t.0);
        let column = ca.min(cb);
        let x = (ca == column).then(|| a.terms[i].1);
        let y = (cb == column).then(|| b.terms[j].1);
        i += usize::from(x.is_some());
        j += usize::from(y.is_some());
        let e = f(arena, x, y);
        if !arena.is_zero(e) {
            terms.push((column, e));
        }
    }
    let rest = match (a.rest, b.rest) {
        (None, None) => None,
        (x, y) => Some(f(arena, x, y)),
    };
    Affine { terms, rest }
}

fn combine(arena: &mut ExprArena, a: &Affine, b: &Affine, minus: bool) -> Affine {
    merge(arena, a, b, |arena, x, y| match (x, y, minus) {
        (Some(x), Some(y), false) => arena.add(x, y),
        (Some(x), Some(y), true) => arena.sub(x, y),
        (Some(x), None, _) | (None, Some(x), false) => x,
        (None, Some(y), true) => arena.neg(y),
        (None, None, _) => arena.real(0.0),
    })
}

fn choose(arena: &mut ExprArena, c: ExprId, a: &Affine, b: &Affine) -> Affine {
    merge(arena, a, b, |arena, x, y| {
        let zero = arena.real(0.0);
        arena.if_then_else(c, x.unwrap_or(zero), y.unwrap_or(zero))
    })
}

/// Is the expression a·time + b with a and b free of time? Both sides of a relation at once.
pub fn is_linear_in_time(
    arena: &mut ExprArena,
    decomposer: &mut Decomposer,
    lhs: ExprId,
    rhs: ExprId,
) -> bool {
    if arena.ty(lhs) == Ty::String {
        return false;
    }
    decomposer
        .residual(arena, lhs, rhs, &|e| matches!(e, Expr::Time).then_some(0))
        .is_some()
}
