//! Values of function bodies where they are wanted.
//!
//! In: the statements of a body. Out: the same, where a value that only some branches read is computed in those branches: `h := f(p); if p < 1 then
//! y := 0; else y := h; end if` calls `f` in the second one only. No way through the body computes anything twice, and what could fail, warn, or
//! loop stays where it is.

use ferrica_ir::causal::CausalModel;
use ferrica_ir::expr::{Expr, ExprArena, ExprId};
use ferrica_ir::function::{Function, FunctionBody, Stmt};
use rustc_hash::FxHashMap;

/// Nodes below which an expression is not worth a move.
const FEWEST_NODES: usize = 12;
/// Values of one body that are looked at, the last ones first: each is a walk through the body.
const MOST_VALUES: usize = 200;

/// Which functions have nothing but results, for all arguments: no assertion, no index that may be outside, no loop, no effect.
pub fn total_functions(model: &CausalModel) -> Vec<bool> {
    // A function is what its callees are; one that calls itself stays out.
    let mut total = vec![false; model.functions.len()];
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (k, f) in model.functions.values().enumerate() {
        if let Some(callees) = plain_callees(&model.exprs, f) {
            open.push((k, callees));
        }
    }
    loop {
        let before = open.len();
        open.retain(|(k, callees)| {
            let is_total = callees.iter().all(|&c| total[c]);
            total[*k] |= is_total;
            !is_total
        });
        if open.len() == before {
            return total;
        }
    }
}

/// The functions that a body calls, if they are all that could make it fail.
fn plain_callees(x: &ExprArena, f: &Function) -> Option<Vec<usize>> {
    let FunctionBody::Code(body) = &f.body else {
        return None;
    };
    let mut roots = Vec::new();
    if !f.pure || !collect_plain(body, &mut roots) {
        return None;
    }
    let (mut callees, mut fails) = (Vec::new(), false);
    x.postorder(&roots, |e| match x.get(e) {
        Expr::Call(g, _) => callees.push(g.as_u32() as usize),
        Expr::Load(..) => fails = true,
        _ => {}
    });
    (!fails).then_some(callees)
}

fn collect_plain(body: &[Stmt], roots: &mut Vec<ExprId>) -> bool {
    body.iter().all(|s| match s {
        Stmt::Assign(_, e) | Stmt::CallAssign(e, _) => {
            roots.push(*e);
            true
        }
        Stmt::If(c, yes, no) => {
            roots.push(*c);
            collect_plain(yes, roots) && collect_plain(no, roots)
        }
        Stmt::Return => true,
        Stmt::Store(..) | Stmt::While(..) | Stmt::Break | Stmt::Assert(..) => false,
    })
}

/// See the module comment. `total` is of [`total_functions`].
pub fn sink(x: &ExprArena, function: &Function, body: &[Stmt], total: &[bool]) -> Vec<Stmt> {
    let first = function.inputs + function.outputs;
    let mut list: Vec<Node> = body.iter().map(|s| node(x, s, first, total)).collect();
    let mut readers = Readers::default();
    collect_movable(&list, &mut readers.slots);
    if readers.slots.0.is_empty() {
        return body.to_vec();
    }
    readers.slots.merge();
    readers.left = MOST_VALUES;
    list.iter().for_each(|n| readers.count_all(n));
    sink_in(&mut list, &mut readers);
    list.into_iter().map(Node::into_statement).collect()
}

/// How many statements and conditions read each slot that a movable statement writes.
#[derive(Default)]
struct Readers {
    slots: Slots,
    counts: FxHashMap<u32, i32>,
    /// Values that may still be looked at.
    left: usize,
}

impl Readers {
    fn count(&mut self, reads: &Slots, change: i32) {
        for slot in reads.common(&self.slots) {
            *self.counts.entry(slot).or_default() += change;
        }
    }

    fn count_all(&mut self, n: &Node) {
        match &n.what {
            What::Plain(..) => self.count(&n.reads, 1),
            What::If(_, own, yes, no) => {
                self.count(own, 1);
                yes.iter().chain(no).for_each(|n| self.count_all(n));
            }
            What::While(_, own, body) => {
                self.count(own, 1);
                body.iter().for_each(|n| self.count_all(n));
            }
        }
    }

    /// Does nothing outside of these statements read one of the slots?
    fn are_all_in(&self, list: &[Node], slots: &Slots) -> bool {
        let all = |slot: u32| self.counts.get(&slot).copied().unwrap_or(0);
        slots.each().all(|slot| all(slot) == readers_in(list, slot))
    }
}

fn readers_in(list: &[Node], slot: u32) -> i32 {
    let of = |n: &Node| match &n.what {
        _ if !n.reads.has(slot) => 0,
        What::Plain(..) => 1,
        What::If(_, own, yes, no) => {
            i32::from(own.has(slot)) + readers_in(yes, slot) + readers_in(no, slot)
        }
        What::While(_, own, body) => i32::from(own.has(slot)) + readers_in(body, slot),
    };
    list.iter().map(of).sum()
}

fn collect_movable(list: &[Node], slots: &mut Slots) {
    for n in list {
        match &n.what {
            What::Plain(_, true) => slots.0.extend_from_slice(&n.writes.0),
            What::If(_, _, yes, no) => {
                collect_movable(yes, slots);
                collect_movable(no, slots);
            }
            _ => {}
        }
    }
}

/// Runs of slots, in order and apart.
#[derive(Clone, Default)]
struct Slots(Vec<(u32, u32)>);

impl Slots {
    fn add(&mut self, first: u32, len: u32) {
        self.0.push((first, first + len));
    }

    fn merge(&mut self) {
        self.0.sort_unstable();
        self.0.dedup_by(|b, a| {
            let joined = b.0 <= a.1;
            if joined {
                a.1 = a.1.max(b.1);
            }
            joined
        });
    }

    fn join(&mut self, other: &Slots) {
        self.0.extend_from_slice(&other.0);
        self.merge();
    }

    fn each(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|&(a, b)| a..b)
    }

    fn has(&self, slot: u32) -> bool {
        let k = self.0.partition_point(|run| run.1 <= slot);
        self.0.get(k).is_some_and(|run| run.0 <= slot)
    }

    /// Slots that are in both.
    fn common(&self, other: &Slots) -> Vec<u32> {
        let mut slots = Vec::new();
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            slots.extend(x.0.max(y.0)..x.1.min(y.1));
            if x.1 <= y.1 {
                a.next();
            } else {
                b.next();
            }
        }
        slots
    }

    fn meets(&self, other: &Slots) -> bool {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            if x.0 < y.1 && y.0 < x.1 {
                return true;
            }
            if x.1 <= y.1 {
                a.next();
            } else {
                b.next();
            }
        }
        false
    }
}

/// A statement with the slots that it reads and writes.
#[derive(Clone)]
struct Node {
    what: What,
    reads: Slots,
    writes: Slots,
}

/// Conditions have their own reads beside them.
#[derive(Clone)]
enum What {
    /// And whether it may move.
    Plain(Stmt, bool),
    If(ExprId, Slots, Vec<Node>, Vec<Node>),
    While(ExprId, Slots, Vec<Node>),
}

impl Node {
    fn into_statement(self) -> Stmt {
        let list = |l: Vec<Node>| l.into_iter().map(Node::into_statement).collect();
        match self.what {
            What::Plain(s, _) => s,
            What::If(c, _, yes, no) => Stmt::If(c, list(yes), list(no)),
            What::While(c, _, body) => Stmt::While(c, list(body)),
        }
    }
}

/// `first`: the first slot that is neither input nor output.
fn node(x: &ExprArena, s: &Stmt, first: u32, total: &[bool]) -> Node {
    let mut writes = Slots::default();
    let mut reads = Slots::default();
    let mut below = |list: &[Stmt]| -> Vec<Node> {
        let list: Vec<Node> = list.iter().map(|s| node(x, s, first, total)).collect();
        for n in &list {
            reads.0.extend_from_slice(&n.reads.0);
            writes.0.extend_from_slice(&n.writes.0);
        }
        list
    };
    let what = match s {
        Stmt::If(c, yes, no) => {
            let own = slots_read(x, &[*c]);
            let (yes, no) = (below(yes), below(no));
            reads.0.extend_from_slice(&own.0);
            What::If(*c, own, yes, no)
        }
        Stmt::While(c, body) => {
            let own = slots_read(x, &[*c]);
            let body = below(body);
            reads.0.extend_from_slice(&own.0);
            What::While(*c, own, body)
        }
        plain => {
            let roots = match plain {
                Stmt::Assign(slot, e) => {
                    writes.add(*slot, 1);
                    vec![*e]
                }
                Stmt::CallAssign(e, targets) => {
                    targets.iter().for_each(|t| writes.add(t.1, 1));
                    vec![*e]
                }
                Stmt::Store(first, len, i, v) => {
                    writes.add(*first, *len);
                    vec![*i, *v]
                }
                Stmt::Assert(c, m, _) => vec![*c, *m],
                _ => Vec::new(),
            };
            reads = slots_read(x, &roots);
            What::Plain(plain.clone(), is_movable(x, plain, first, total))
        }
    };
    reads.merge();
    writes.merge();
    Node {
        what,
        reads,
        writes,
    }
}

fn slots_read(x: &ExprArena, roots: &[ExprId]) -> Slots {
    let mut slots = Slots::default();
    x.postorder(roots, |e| match x.get(e) {
        Expr::Local(slot) => slots.add(slot, 1),
        Expr::Load(first, len, _) => slots.add(first, len),
        _ => {}
    });
    slots.merge();
    slots
}

/// Sinks the values of a list, the last ones first, and of the branches below it. Rounds of loops stay as they are: what one leaves, the next may read.
fn sink_in(list: &mut Vec<Node>, readers: &mut Readers) {
    for at in (0..list.len()).rev() {
        match &mut list[at].what {
            What::If(_, _, yes, no) => {
                sink_in(yes, readers);
                sink_in(no, readers);
            }
            What::Plain(_, true) if readers.left > 0 => {
                readers.left -= 1;
                let (rest, writes) = (&list[at + 1..], &list[at].writes);
                let again = rest.iter().any(|n| n.writes.meets(writes));
                if !again && readers.are_all_in(rest, writes) {
                    let value = list.remove(at);
                    readers.count(&value.reads, -1);
                    settle(value, list, at, readers);
                }
            }
            _ => {}
        }
    }
}

/// Puts a value that stood before `list[at]` where it is wanted: in front of the first statement that reads it, or into the branches of that one.
fn settle(value: Node, list: &mut Vec<Node>, mut at: usize, readers: &mut Readers) {
    while at < list.len() {
        let wanted = list[at].reads.meets(&value.writes);
        if !wanted && !list[at].writes.meets(&value.reads) {
            at += 1;
            continue;
        }
        let later = list[at + 1..].iter().any(|n| n.reads.meets(&value.writes));
        if !wanted && !later {
            return;
        }
        let node = &mut list[at];
        if let What::If(_, own, yes, no) = &mut node.what
            && wanted
            && !later
            && !own.meets(&value.writes)
        {
            node.reads.join(&value.reads);
            node.writes.join(&value.writes);
            settle(value.clone(), yes, 0, readers);
            settle(value, no, 0, readers);
        } else {
            readers.count(&value.reads, 1);
            list.insert(at, value);
        }
        return;
    }
}

/// Is this a value of locals that costs something, and that is nothing but a value?
fn is_movable(x: &ExprArena, s: &Stmt, first: u32, total: &[bool]) -> bool {
    let e = match s {
        Stmt::Assign(slot, e) if *slot >= first => *e,
        Stmt::CallAssign(e, targets) if targets.iter().all(|t| t.1 >= first) => *e,
        _ => return false,
    };
    let (mut size, mut plain) = (0, true);
    x.postorder(&[e], |e| {
        size += 1;
        match x.get(e) {
            Expr::Call(f, _) => {
                size += FEWEST_NODES;
                plain &= total.get(f.as_u32() as usize) == Some(&true);
            }
            Expr::Load(..) => plain = false,
            _ => {}
        }
    });
    plain && size >= FEWEST_NODES
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_ir::Span;
    use ferrica_ir::expr::{BinaryOp, Ty};

    const INPUTS: u32 = 2;
    const OUTPUTS: u32 = 2;
    const SLOTS: u32 = 9;

    fn function(body: Vec<Stmt>) -> Function {
        Function {
            name: "f".into(),
            slots: Vec::new(),
            inputs: INPUTS,
            outputs: OUTPUTS,
            body: FunctionBody::Code(body),
            pure: true,
            derivatives: Vec::new(),
            span: Span::NONE,
        }
    }

    fn below(random: &mut u64, n: u64) -> u64 {
        *random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*random >> 33) % n
    }

    struct Writer {
        x: ExprArena,
        random: u64,
    }

    impl Writer {
        fn local(&mut self) -> ExprId {
            let slot = below(&mut self.random, u64::from(SLOTS)) as u32;
            self.x.intern(Expr::Local(slot), Ty::Real)
        }

        /// A sum of locals and literals, large ones as often as small ones.
        fn value(&mut self) -> ExprId {
            let mut sum = self.local();
            let terms = if below(&mut self.random, 2) == 0 {
                1
            } else {
                8
            };
            for _ in 0..terms {
                let factor = 0.1 + below(&mut self.random, 9) as f64;
                let (factor, local) = (self.x.real(factor), self.local());
                let product = self.x.binary(BinaryOp::Mul, factor, local);
                sum = self.x.binary(BinaryOp::Add, sum, product);
            }
            sum
        }

        fn condition(&mut self) -> ExprId {
            let (a, b) = (self.local(), self.value());
            self.x.binary(BinaryOp::Lt, a, b)
        }

        fn body(&mut self, depth: u64) -> Vec<Stmt> {
            let n = 2 + below(&mut self.random, 4);
            (0..n).map(|_| self.statement(depth)).collect()
        }

        fn statement(&mut self, depth: u64) -> Stmt {
            match below(&mut self.random, 8) {
                0..=1 if depth < 3 => {
                    let c = self.condition();
                    Stmt::If(c, self.body(depth + 1), self.body(depth + 1))
                }
                2 if depth < 3 => {
                    let c = self.condition();
                    let mut body = self.body(depth + 1);
                    body.push(Stmt::Break);
                    Stmt::While(c, body)
                }
                3 if depth > 0 && below(&mut self.random, 6) == 0 => Stmt::Return,
                _ => {
                    let slot = INPUTS + below(&mut self.random, u64::from(SLOTS - INPUTS)) as u32;
                    let e = self.value();
                    Stmt::Assign(slot, e)
                }
            }
        }
    }

    fn evaluate(x: &ExprArena, e: ExprId, slots: &[f64]) -> f64 {
        match x.get(e) {
            Expr::Local(slot) => slots[slot as usize],
            Expr::Binary(op, a, b) => {
                let (a, b) = (evaluate(x, a, slots), evaluate(x, b, slots));
                match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Mul => a * b,
                    _ => f64::from(a < b),
                }
            }
            _ => x.as_f64(e).expect("a literal"),
        }
    }

    enum End {
        Here,
        Break,
        Return,
    }

    /// Runs a body and counts its assignments.
    fn run(x: &ExprArena, body: &[Stmt], slots: &mut [f64], count: &mut u32) -> End {
        for s in body {
            match s {
                Stmt::Assign(slot, e) => {
                    *count += 1;
                    slots[*slot as usize] = evaluate(x, *e, slots);
                }
                Stmt::If(c, yes, no) => {
                    let list = if evaluate(x, *c, slots) != 0.0 {
                        yes
                    } else {
                        no
                    };
                    match run(x, list, slots, count) {
                        End::Here => {}
                        end => return end,
                    }
                }
                Stmt::While(c, body) => {
                    while evaluate(x, *c, slots) != 0.0 {
                        match run(x, body, slots, count) {
                            End::Here => {}
                            End::Break => break,
                            End::Return => return End::Return,
                        }
                    }
                }
                Stmt::Break => return End::Break,
                Stmt::Return => return End::Return,
                _ => unreachable!(),
            }
        }
        End::Here
    }

    #[test]
    fn bodies_give_the_same_and_do_not_do_more() {
        let (mut before, mut after) = (0, 0);
        for seed in 0..3000 {
            let mut w = Writer {
                x: ExprArena::new(),
                random: seed,
            };
            let body = w.body(0);
            let sunk = sink(&w.x, &function(body.clone()), &body, &[]);
            for input in [-2.0, 0.3, 5.0] {
                let results = |body: &[Stmt]| {
                    let mut slots = vec![0.0; SLOTS as usize];
                    (slots[0], slots[1]) = (input, 1.0 - input);
                    let mut count = 0;
                    run(&w.x, body, &mut slots, &mut count);
                    let end = (INPUTS + OUTPUTS) as usize;
                    let bits: Vec<u64> = slots[..end].iter().map(|x| x.to_bits()).collect();
                    (bits, count)
                };
                let ((a, n), (b, m)) = (results(&body), results(&sunk));
                assert_eq!(a, b, "seed {seed}: {body:?} became {sunk:?}");
                assert!(m <= n, "seed {seed}: {n} assignments became {m}");
                before += n;
                after += m;
            }
        }
        assert!(after < before, "{after} of {before}");
    }

    #[test]
    fn a_value_of_one_branch_is_computed_there() {
        let mut w = Writer {
            x: ExprArena::new(),
            random: 1,
        };
        let mut value = w.x.intern(Expr::Local(0), Ty::Real);
        for k in 0..12 {
            let number = w.x.real(f64::from(k) + 0.5);
            value = w.x.binary(BinaryOp::Mul, value, number);
            value = w.x.binary(BinaryOp::Add, value, number);
        }
        let (zero, c) = (w.x.real(0.0), w.condition());
        let four = w.x.intern(Expr::Local(4), Ty::Real);
        let body = [
            Stmt::Assign(4, zero),
            Stmt::Assign(4, value),
            Stmt::If(c, vec![Stmt::Assign(2, four)], vec![Stmt::Assign(2, zero)]),
        ];
        let sunk = sink(&w.x, &function(body.to_vec()), &body, &[]);
        let [Stmt::Assign(4, _), Stmt::If(_, yes, no)] = &sunk[..] else {
            panic!("{sunk:?}");
        };
        assert!(matches!(yes[..], [Stmt::Assign(4, _), Stmt::Assign(2, _)]));
        assert!(matches!(no[..], [Stmt::Assign(2, _)]));
    }

    #[test]
    fn what_may_fail_stays() {
        let mut w = Writer {
            x: ExprArena::new(),
            random: 1,
        };
        let index = w.x.intern(Expr::Local(0), Ty::Integer);
        let mut value = w.x.intern(Expr::Load(5, 4, index), Ty::Real);
        for k in 0..12 {
            let number = w.x.real(f64::from(k) + 0.5);
            value = w.x.binary(BinaryOp::Add, value, number);
        }
        let c = w.condition();
        let four = w.x.intern(Expr::Local(4), Ty::Real);
        let body = [
            Stmt::Assign(4, value),
            Stmt::If(c, vec![Stmt::Assign(2, four)], Vec::new()),
        ];
        let sunk = sink(&w.x, &function(body.to_vec()), &body, &[]);
        assert!(matches!(sunk[..], [Stmt::Assign(4, _), Stmt::If(..)]));
    }
}
