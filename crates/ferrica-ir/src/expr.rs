//! The scalar expression arena.
//!
//! Expressions are hash-consed: structurally equal expressions have equal ids, so a model is a
//! directed acyclic graph and equality is a comparison of `u32`s. Every expression is scalar;
//! arrays and records are expanded before they get here, and calls of functions with array
//! arguments take their elements one by one (see [`crate::function`]).
//!
//! Invariants: children have smaller ids than their parents; every node has a type; literals are
//! folded by the constructors (see `simplify.rs`).

use cranelift_entity::{PrimaryMap, entity_impl};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;

use crate::entity::entity_with_room;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExprId(NonZeroU32);
entity_with_room!(ExprId, "e");

/// A scalar variable of the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VarId(NonZeroU32);
entity_with_room!(VarId, "v");

/// A function that stayed a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionId(u32);
entity_impl!(FunctionId, "fn");

/// An enumeration type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EnumId(u32);
entity_impl!(EnumId, "enum");

/// An interned string literal of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StrId(u32);
entity_impl!(StrId, "str");

/// An interned list of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ExprList(u32);
entity_impl!(ExprList, "args");

/// Type of a scalar expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Ty {
    Real,
    Integer,
    Boolean,
    String,
    Enum(EnumId),
    /// A handle made by the constructor of an `ExternalObject`.
    External,
    Clock,
    /// A call with several outputs: only [`Expr::Proj`] may use it.
    Tuple,
}

impl Ty {
    /// Integer, Boolean, enumeration and string values change only at events.
    pub fn is_discrete(self) -> bool {
        !matches!(self, Ty::Real | Ty::Tuple)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum UnaryOp {
    Neg,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    And,
    Or,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl BinaryOp {
    pub fn is_relation(self) -> bool {
        matches!(
            self,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
        )
    }
}

/// Operators and functions of the language that are not plain arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Builtin {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Log10,
    Sqrt,
    Abs,
    Sign,
    /// `floor(x)`: Real result; an event when it changes, unless inside `noEvent`.
    Floor,
    Ceil,
    /// `integer(x)`: the largest Integer not above x.
    Integer,
    /// `div(x, y)`: truncated quotient.
    Div,
    Mod,
    Rem,
    Min,
    Max,
    /// `noEvent(e)`: relations inside generate no events.
    NoEvent,
    /// The result of an inlined function: relations of its body generate no events, those below [`Builtin::Argument`] do.
    Body,
    /// An argument of an inlined function, with relations of its own.
    Argument,
    /// `smooth(p, e)`.
    Smooth,
    /// `homotopy(actual, simplified)`.
    Homotopy,
    /// `semiLinear(x, kPositive, kNegative)`.
    SemiLinear,
    /// `delay(e, T)` or `delay(e, T, Tmax)`.
    Delay,
    /// `spatialDistribution(in0, in1, x, positiveVelocity, n, initialPoints…, initialValues…)`:
    /// two outputs.
    SpatialDistribution,
    /// `sample(start, interval)`: true at the sample instants.
    Sample,
    Initial,
    Terminal,
    /// `edge(b)` of a Boolean expression.
    Edge,
    /// `change(v)`.
    Change,
    /// True in the event iteration in which a when-condition has become true (see `flat.rs`).
    WhenFires,
    /// `String(x)` with the default format.
    StringOf,
    /// `String(x, significantDigits, minimumLength, leftJustified)`.
    StringOfDigits,
    /// `String(x, format)`.
    StringOfFormat,
    /// `Integer(e)` of an enumeration value.
    EnumToInt,
    /// Integer to enumeration (`E(i)`).
    IntToEnum,
    // Synchronous language elements (chapter 16), for clocked partitions.
    /// `Clock()` inferred.
    ClockInferred,
    /// `Clock(intervalCounter, resolution)`.
    ClockRational,
    /// `Clock(interval)`.
    ClockReal,
    /// `Clock(condition, startInterval)`.
    ClockEvent,
    /// `Clock(c, solverMethod)`.
    ClockSolver,
    /// `sample(u, clock)`; one argument when the clock is inferred.
    ClockedSample,
    Hold,
    Previous,
    SubSample,
    SuperSample,
    ShiftSample,
    BackSample,
    NoClock,
    Interval,
    FirstTick,
    /// `e` as an expression of the given clock: equations of a clocked when-clause.
    OnClock,
    /// `[e, active]`: the equation `x = e` of a state of a state machine; while it is not active, `x` keeps its value.
    InState,
}

/// A scalar expression. Children are ids of the same arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Expr {
    /// Bits of an `f64`.
    Real(u64),
    Int(i64),
    Bool(bool),
    Str(StrId),
    /// Literal of an enumeration, ordinal from 1.
    Enum(EnumId, u32),
    Time,
    Var(VarId),
    /// Time derivative of a variable.
    Der(VarId),
    /// Left limit of a variable at an event.
    Pre(VarId),
    /// Scalar local of a function body.
    Local(u32),
    /// Element of a local array of a function body: first slot, number of slots, index from 0.
    Load(u32, u32, ExprId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    If(ExprId, ExprId, ExprId),
    Builtin(Builtin, ExprList),
    Call(FunctionId, ExprList),
    /// Scalar number k of the flattened outputs of a call.
    Proj(ExprId, u32),
}

impl Builtin {
    /// Has the operator the same value for the same arguments, whenever it is asked?
    pub fn is_pure(self) -> bool {
        use Builtin::*;
        let plain = matches!(
            self,
            NoEvent
                | Body
                | Argument
                | Smooth
                | SemiLinear
                | StringOf
                | StringOfDigits
                | StringOfFormat
                | EnumToInt
                | IntToEnum
        );
        plain || crate::elementary::row(self).is_some()
    }
}

/// See the module comment.
#[derive(Default, Clone)]
pub struct ExprArena {
    nodes: PrimaryMap<ExprId, Expr>,
    types: Vec<Ty>,
    /// Each expression with its hash, so that a table that grows does not look at the expressions again. Without those of `leaves`.
    table: HashTable<(u32, ExprId)>,
    /// Variables, their derivatives and left limits as expressions, by their numbers.
    leaves: [Vec<Option<ExprId>>; 3],
    /// Both of them are missing.
    resting: bool,
    lists: PrimaryMap<ExprList, (u32, u32)>,
    pool: Vec<ExprId>,
    list_table: HashTable<ExprList>,
    strings: PrimaryMap<StrId, Box<str>>,
    string_ids: FxHashMap<Box<str>, StrId>,
}

impl std::fmt::Debug for ExprArena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ExprArena({} expressions)", self.nodes.len())
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What the arena keeps of a hash: its lower half, into which the hasher turns the bits that all of the input has reached.
fn short_hash(hash: u64) -> u32 {
    hash as u32
}

/// A hash for the table, which takes places from the lower bits and marks from the upper ones.
fn long_hash(hash: u32) -> u64 {
    u64::from(hash) | u64::from(hash.wrapping_mul(0x9E37_79B9)) << 32
}

/// The arena as it is stored: without the tables that find equal expressions again.
#[derive(Serialize, Deserialize)]
struct StoredArena {
    nodes: Vec<Expr>,
    types: Vec<Ty>,
    lists: Vec<Vec<ExprId>>,
    strings: Vec<String>,
}

impl Serialize for ExprArena {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = StoredArena {
            nodes: self.nodes.values().copied().collect(),
            types: self.types.clone(),
            lists: self.lists.keys().map(|l| self.args(l).to_vec()).collect(),
            strings: self.strings().map(str::to_owned).collect(),
        };
        stored.serialize(serializer)
    }
}

/// All ids are those of the arena that was stored; what breaks its invariants is an error.
impl<'de> Deserialize<'de> for ExprArena {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ExprArena, D::Error> {
        use serde::de::Error;
        let stored = StoredArena::deserialize(deserializer)?;
        let mut arena = ExprArena::new();
        let wrong =
            |what: &str| D::Error::custom(format!("{what} of a stored model are not in order"));
        for (k, text) in stored.strings.iter().enumerate() {
            if arena.string_id(text).as_u32() as usize != k {
                return Err(wrong("texts"));
            }
        }
        let mut lists = stored.lists.iter();
        if stored.types.len() != stored.nodes.len() {
            return Err(wrong("types"));
        }
        // Lists come back in the order of their ids, each before the first expression that has it.
        for (k, (&expr, &ty)) in stored.nodes.iter().zip(&stored.types).enumerate() {
            if let Expr::Builtin(_, list) | Expr::Call(_, list) = expr {
                while arena.lists.len() <= list.as_u32() as usize {
                    let next = lists.next().ok_or_else(|| wrong("lists"))?;
                    arena.list(next);
                }
            }
            let mut behind = false;
            if let Expr::Str(s) = expr {
                behind |= s.as_u32() as usize >= stored.strings.len();
            }
            if arena.intern(expr, ty).as_u32() as usize != k {
                return Err(wrong("expressions"));
            }
            arena.for_each_child(ExprId::from_u32(k as u32), |c| {
                behind |= c.as_u32() as usize >= k
            });
            if behind {
                return Err(wrong("operands"));
            }
        }
        for list in lists {
            arena.list(list);
        }
        Ok(arena)
    }
}

/// Nodes that a walk has met. Most walks are through one small equation: a short list is searched faster than a table is made. A walk through
/// the whole model has a bit for each node.
enum Seen {
    Few {
        list: Vec<ExprId>,
        rest: rustc_hash::FxHashSet<ExprId>,
    },
    Most(Vec<u64>),
}

impl Seen {
    /// So many nodes are searched one by one.
    const FEW: usize = 24;
    /// A walk from one node in so many, or more, has bits.
    const DENSE: usize = 64;

    /// For a walk from so many roots through an arena of so many nodes.
    fn new(roots: usize, nodes: usize) -> Seen {
        if roots > Seen::FEW && roots > nodes / Seen::DENSE {
            return Seen::Most(vec![0; nodes.div_ceil(64)]);
        }
        Seen::Few {
            list: Vec::new(),
            rest: Default::default(),
        }
    }

    /// False: it was there.
    fn insert(&mut self, id: ExprId) -> bool {
        match self {
            Seen::Most(bits) => {
                let (word, bit) = (id.as_u32() as usize / 64, 1 << (id.as_u32() % 64));
                let new = bits[word] & bit == 0;
                bits[word] |= bit;
                new
            }
            Seen::Few { list, .. } if list.contains(&id) => false,
            Seen::Few { list, .. } if list.len() < Seen::FEW => {
                list.push(id);
                true
            }
            Seen::Few { rest, .. } => rest.insert(id),
        }
    }
}

impl ExprArena {
    pub fn new() -> ExprArena {
        ExprArena::default()
    }

    /// Few or no expressions will come: the tables that find equal ones again are given up. The first that comes makes them anew.
    pub fn rest(&mut self) {
        self.table = HashTable::new();
        self.leaves = Default::default();
        self.resting = !self.nodes.is_empty();
    }

    fn wake(&mut self) {
        self.resting = false;
        self.table
            .reserve(self.nodes.len(), |&(of, _)| long_hash(of));
        for (id, &expr) in &self.nodes {
            let ty = self.types[id.as_u32() as usize];
            let leaf = match expr {
                Expr::Var(v) => Some((0, v)),
                Expr::Der(v) => Some((1, v)),
                Expr::Pre(v) => Some((2, v)),
                _ => None,
            };
            if let Some((kind, v)) = leaf {
                let (leaves, at) = (&mut self.leaves[kind], v.as_u32() as usize);
                if leaves.len() <= at {
                    leaves.resize(at + 1, None);
                }
                if leaves[at].is_none() {
                    leaves[at] = Some(id);
                    continue;
                }
            }
            let hash = short_hash(hash_of((expr, ty)));
            self.table
                .insert_unique(long_hash(hash), (hash, id), |&(of, _)| long_hash(of));
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline]
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id]
    }

    /// All expressions, parts before what they are parts of.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> {
        self.nodes.keys()
    }

    #[inline]
    pub fn ty(&self, id: ExprId) -> Ty {
        self.types[id.as_u32() as usize]
    }

    /// Interns a node as it is, without simplification.
    pub fn intern(&mut self, expr: Expr, ty: Ty) -> ExprId {
        if self.resting {
            self.wake();
        }
        match expr {
            Expr::Var(v) => return self.leaf(0, v, expr, ty),
            Expr::Der(v) => return self.leaf(1, v, expr, ty),
            Expr::Pre(v) => return self.leaf(2, v, expr, ty),
            _ => {}
        }
        self.find_or_add(expr, ty)
    }

    /// A variable, its derivative or its left limit: found by its number. Of another type than the first time it is an expression of its own.
    fn leaf(&mut self, kind: usize, v: VarId, expr: Expr, ty: Ty) -> ExprId {
        let (leaves, at) = (&mut self.leaves[kind], v.as_u32() as usize);
        if leaves.len() <= at {
            leaves.resize(at + 1, None);
        }
        match leaves[at] {
            Some(id) if self.types[id.as_u32() as usize] == ty => id,
            Some(_) => self.find_or_add(expr, ty),
            None => {
                let id = self.nodes.push(expr);
                self.types.push(ty);
                leaves[at] = Some(id);
                id
            }
        }
    }

    fn find_or_add(&mut self, expr: Expr, ty: Ty) -> ExprId {
        let hash = short_hash(hash_of((expr, ty)));
        let (nodes, types) = (&self.nodes, &self.types);
        let same = |&(of, id): &(u32, ExprId)| {
            of == hash && nodes[id] == expr && types[id.as_u32() as usize] == ty
        };
        if let Some(&(_, id)) = self.table.find(long_hash(hash), same) {
            return id;
        }
        let id = self.nodes.push(expr);
        self.types.push(ty);
        self.table
            .insert_unique(long_hash(hash), (hash, id), |&(of, _)| long_hash(of));
        id
    }

    pub fn list(&mut self, items: &[ExprId]) -> ExprList {
        let hash = hash_of(items);
        let (lists, pool) = (&self.lists, &self.pool);
        let slice = |l: ExprList| {
            let (start, len) = lists[l];
            &pool[start as usize..(start + len) as usize]
        };
        if let Some(&id) = self.list_table.find(hash, |&l| slice(l) == items) {
            return id;
        }
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(items);
        let id = self.lists.push((start, items.len() as u32));
        let (lists, pool) = (&self.lists, &self.pool);
        self.list_table.insert_unique(hash, id, |&l| {
            let (start, len) = lists[l];
            hash_of(&pool[start as usize..(start + len) as usize])
        });
        id
    }

    #[inline]
    pub fn args(&self, list: ExprList) -> &[ExprId] {
        let (start, len) = self.lists[list];
        &self.pool[start as usize..(start + len) as usize]
    }

    pub fn string_id(&mut self, text: &str) -> StrId {
        if let Some(&id) = self.string_ids.get(text) {
            return id;
        }
        let id = self.strings.push(text.into());
        self.string_ids.insert(text.into(), id);
        id
    }

    /// All interned strings, in the order of their ids.
    pub fn strings(&self) -> impl Iterator<Item = &str> {
        self.strings.values().map(|s| &**s)
    }

    /// Puts other texts in the place of string literals, where `other` has one.
    pub fn rename_strings(&mut self, mut other: impl FnMut(&str) -> Option<String>) {
        for text in self.strings.values_mut() {
            if let Some(new) = other(text) {
                *text = new.into();
            }
        }
        let ids = self.strings.iter().map(|(id, text)| (text.clone(), id));
        self.string_ids = ids.collect();
    }

    pub fn string_text(&self, id: StrId) -> &str {
        &self.strings[id]
    }

    // Leaves.

    pub fn real(&mut self, value: f64) -> ExprId {
        // -0.0 and 0.0 are one literal: their difference is never meant in a model.
        let value = if value == 0.0 { 0.0 } else { value };
        self.intern(Expr::Real(value.to_bits()), Ty::Real)
    }

    pub fn int(&mut self, value: i64) -> ExprId {
        self.intern(Expr::Int(value), Ty::Integer)
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.intern(Expr::Bool(value), Ty::Boolean)
    }

    pub fn str(&mut self, text: &str) -> ExprId {
        let id = self.string_id(text);
        self.intern(Expr::Str(id), Ty::String)
    }

    pub fn enum_literal(&mut self, of: EnumId, ordinal: u32) -> ExprId {
        self.intern(Expr::Enum(of, ordinal), Ty::Enum(of))
    }

    pub fn time(&mut self) -> ExprId {
        self.intern(Expr::Time, Ty::Real)
    }

    pub fn var(&mut self, var: VarId, ty: Ty) -> ExprId {
        self.intern(Expr::Var(var), ty)
    }

    pub fn der(&mut self, var: VarId) -> ExprId {
        self.intern(Expr::Der(var), Ty::Real)
    }

    pub fn pre(&mut self, var: VarId, ty: Ty) -> ExprId {
        self.intern(Expr::Pre(var), ty)
    }

    pub fn proj(&mut self, call: ExprId, index: u32, ty: Ty) -> ExprId {
        self.intern(Expr::Proj(call, index), ty)
    }

    pub fn call(&mut self, function: FunctionId, args: &[ExprId], ty: Ty) -> ExprId {
        let list = self.list(args);
        self.intern(Expr::Call(function, list), ty)
    }

    // Literals back.

    /// Numeric value of a literal (Boolean as 0/1, enumeration as its ordinal).
    #[inline]
    pub fn as_f64(&self, id: ExprId) -> Option<f64> {
        match self.get(id) {
            Expr::Real(bits) => Some(f64::from_bits(bits)),
            Expr::Int(v) => Some(v as f64),
            Expr::Bool(b) => Some(f64::from(u8::from(b))),
            Expr::Enum(_, k) => Some(f64::from(k)),
            _ => None,
        }
    }

    pub fn as_int(&self, id: ExprId) -> Option<i64> {
        match self.get(id) {
            Expr::Int(v) => Some(v),
            Expr::Enum(_, k) => Some(i64::from(k)),
            _ => None,
        }
    }

    pub fn as_bool(&self, id: ExprId) -> Option<bool> {
        match self.get(id) {
            Expr::Bool(b) => Some(b),
            _ => None,
        }
    }

    pub fn as_str(&self, id: ExprId) -> Option<&str> {
        match self.get(id) {
            Expr::Str(s) => Some(self.string_text(s)),
            _ => None,
        }
    }

    #[inline]
    pub fn is_literal(&self, id: ExprId) -> bool {
        matches!(
            self.get(id),
            Expr::Real(_) | Expr::Int(_) | Expr::Bool(_) | Expr::Str(_) | Expr::Enum(..)
        )
    }

    // Traversal. The one visitor and the one fold of this stage.

    /// Calls `visit` for each child of a node, in order.
    #[inline]
    pub fn for_each_child(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        match self.get(id) {
            Expr::Unary(_, a) | Expr::Proj(a, _) | Expr::Load(_, _, a) => visit(a),
            Expr::Binary(_, a, b) => {
                visit(a);
                visit(b);
            }
            Expr::If(c, a, b) => {
                visit(c);
                visit(a);
                visit(b);
            }
            Expr::Builtin(_, list) | Expr::Call(_, list) => {
                self.args(list).iter().copied().for_each(visit);
            }
            Expr::Real(_)
            | Expr::Int(_)
            | Expr::Bool(_)
            | Expr::Str(_)
            | Expr::Enum(..)
            | Expr::Time
            | Expr::Var(_)
            | Expr::Der(_)
            | Expr::Pre(_)
            | Expr::Local(_) => {}
        }
    }

    /// Is there a node below `root`, or itself, for which `found` says so? No more are looked at; small expressions take no memory.
    pub fn any(&self, root: ExprId, mut found: impl FnMut(Expr) -> bool) -> bool {
        let mut few = [root; Seen::FEW];
        let (mut open, mut looks) = (1, 0);
        let mut fits = true;
        while open > 0 && fits {
            open -= 1;
            let id = few[open];
            if found(self.get(id)) {
                return true;
            }
            looks += 1;
            self.for_each_child(id, |c| {
                fits &= open < Seen::FEW && looks < 2 * Seen::FEW;
                if fits {
                    few[open] = c;
                    open += 1;
                }
            });
        }
        let mut any = false;
        if !fits {
            self.postorder(&[root], |id| any = any || found(self.get(id)));
        }
        any
    }

    /// Visits every distinct node below `roots` once, parents before children. For walks through a whole model: it looks at each node of
    /// the arena.
    pub fn sweep(&self, roots: impl IntoIterator<Item = ExprId>, mut visit: impl FnMut(ExprId)) {
        let mut below = vec![false; self.len()];
        for root in roots {
            below[root.as_u32() as usize] = true;
        }
        for k in (0..below.len()).rev() {
            if below[k] {
                let id = ExprId::from_u32(k as u32);
                visit(id);
                self.for_each_child(id, |c| below[c.as_u32() as usize] = true);
            }
        }
    }

    /// Visits every distinct node below `roots` once, children before parents. Iterative.
    pub fn postorder(&self, roots: &[ExprId], mut visit: impl FnMut(ExprId)) {
        let mut seen = Seen::new(roots.len(), self.len());
        let mut stack: Vec<(ExprId, bool)> = roots.iter().rev().map(|&r| (r, false)).collect();
        while let Some((id, expanded)) = stack.pop() {
            if expanded {
                visit(id);
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            stack.push((id, true));
            let at = stack.len();
            self.for_each_child(id, |c| stack.push((c, false)));
            stack[at..].reverse();
        }
    }

    /// Rebuilds `root` bottom-up. `leaf` may replace a node before its children are looked at
    /// (return `Some`); other nodes are rebuilt from their rewritten children by the simplifying
    /// constructors. `memo` may be kept between calls with the same `leaf`. Iterative.
    pub fn rewrite(
        &mut self,
        root: ExprId,
        memo: &mut FxHashMap<ExprId, ExprId>,
        leaf: &mut dyn FnMut(&mut ExprArena, ExprId) -> Option<ExprId>,
    ) -> ExprId {
        let mut stack = vec![(root, false)];
        while let Some((id, expanded)) = stack.pop() {
            if memo.contains_key(&id) {
                continue;
            }
            if !expanded {
                if let Some(new) = leaf(self, id) {
                    memo.insert(id, new);
                    continue;
                }
                stack.push((id, true));
                self.for_each_child(id, |c| stack.push((c, false)));
                continue;
            }
            let new = self.map_children(id, |c| memo[&c]);
            memo.insert(id, new);
        }
        memo[&root]
    }

    /// A node with other children, as it is: for children that are what the old ones were with other variables in their place.
    pub fn with_children(&mut self, expr: Expr, ty: Ty, children: &[ExprId]) -> ExprId {
        let new = match (expr, children) {
            (Expr::Unary(op, _), &[a]) => Expr::Unary(op, a),
            (Expr::Proj(_, k), &[a]) => Expr::Proj(a, k),
            (Expr::Load(base, len, _), &[a]) => Expr::Load(base, len, a),
            (Expr::Binary(op, ..), &[a, b]) => Expr::Binary(op, a, b),
            (Expr::If(..), &[c, a, b]) => Expr::If(c, a, b),
            (Expr::Builtin(f, _), _) => Expr::Builtin(f, self.list(children)),
            (Expr::Call(f, _), _) => Expr::Call(f, self.list(children)),
            _ => expr,
        };
        self.intern(new, ty)
    }

    /// The node with its children replaced, through the simplifying constructors.
    pub fn map_children(&mut self, id: ExprId, mut map: impl FnMut(ExprId) -> ExprId) -> ExprId {
        let ty = self.ty(id);
        match self.get(id) {
            Expr::Unary(op, a) => {
                let new = map(a);
                if new == a { id } else { self.unary(op, new) }
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = (map(a), map(b));
                if x == a && y == b {
                    id
                } else {
                    self.binary(op, x, y)
                }
            }
            Expr::If(c, a, b) => {
                let (z, x, y) = (map(c), map(a), map(b));
                if z == c && x == a && y == b {
                    id
                } else {
                    self.if_then_else(z, x, y)
                }
            }
            Expr::Proj(a, k) => {
                let new = map(a);
                if new == a { id } else { self.proj(new, k, ty) }
            }
            Expr::Load(base, len, a) => {
                let new = map(a);
                if new == a {
                    id
                } else {
                    self.intern(Expr::Load(base, len, new), ty)
                }
            }
            Expr::Builtin(f, list) => {
                let old = self.args(list).to_vec();
                let new: Vec<ExprId> = old.iter().map(|&a| map(a)).collect();
                if new == old {
                    id
                } else {
                    self.builtin(f, &new)
                }
            }
            Expr::Call(f, list) => {
                let old = self.args(list).to_vec();
                let new: Vec<ExprId> = old.iter().map(|&a| map(a)).collect();
                if new == old {
                    id
                } else {
                    self.call(f, &new, ty)
                }
            }
            _ => id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal expressions have equal ids, also where the tables were given up in between.
    #[test]
    fn an_arena_that_has_rested_finds_its_expressions() {
        let mut arena = ExprArena::new();
        let vars: Vec<VarId> = (0..5).map(VarId::from_u32).collect();
        let made = |arena: &mut ExprArena| -> Vec<ExprId> {
            let mut out = Vec::new();
            for &v in &vars {
                let (x, dx) = (arena.var(v, Ty::Real), arena.der(v));
                let (before, whole) = (arena.pre(v, Ty::Real), arena.var(v, Ty::Integer));
                let (sum, two) = (arena.add(x, dx), arena.real(2.0));
                let sine = arena.builtin(Builtin::Sin, &[sum]);
                out.extend([x, dx, before, whole, sum, two, arena.mul(two, sine)]);
            }
            out
        };
        let first = made(&mut arena);
        let count = arena.len();
        assert_eq!(made(&mut arena), first);
        arena.rest();
        assert_eq!(made(&mut arena), first);
        assert_eq!(arena.len(), count);
    }

    #[test]
    fn walks_meet_what_is_below_once() {
        let mut arena = ExprArena::new();
        let x = arena.var(VarId::from_u32(0), Ty::Real);
        let y = arena.var(VarId::from_u32(1), Ty::Real);
        // A tree of 2^40 nodes that are 41.
        let mut root = x;
        for _ in 0..40 {
            root = arena.add(root, root);
        }
        assert!(arena.any(root, |e| e == Expr::Var(VarId::from_u32(0))));
        assert!(!arena.any(root, |e| e == Expr::Var(VarId::from_u32(1))));
        let mut met = Vec::new();
        arena.sweep([root, y], |id| met.push(id));
        assert_eq!(met.len(), 42);
        assert!(met.is_sorted_by(|a, b| a > b));
    }
}
