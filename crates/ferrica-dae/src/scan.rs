//! Sweeps over the arena that use its order: children have smaller ids than their parents, so a
//! property that is passed upwards is one loop over the nodes, and a rewrite of the whole model is
//! one loop as well. No hash map, no recursion.

use ferrica_ir::{ExprArena, ExprId};

/// A dense map from old to new expressions.
pub struct Sweep {
    map: Vec<Option<ExprId>>,
}

impl Sweep {
    /// Rewrites everything reachable from `roots`. `leaf` may replace a node; other nodes are
    /// rebuilt from their rewritten children.
    pub fn new(
        arena: &mut ExprArena,
        roots: &[ExprId],
        leaf: &mut dyn FnMut(&mut ExprArena, ExprId) -> Option<ExprId>,
    ) -> Sweep {
        let n = arena.len();
        let mut needed = vec![false; n];
        for r in roots {
            needed[r.as_u32() as usize] = true;
        }
        for i in (0..n).rev() {
            if needed[i] {
                arena.for_each_child(ExprId::from_u32(i as u32), |c| {
                    needed[c.as_u32() as usize] = true;
                });
            }
        }
        let mut map: Vec<Option<ExprId>> = vec![None; n];
        for i in 0..n {
            if !needed[i] {
                continue;
            }
            let id = ExprId::from_u32(i as u32);
            let new = leaf(arena, id).unwrap_or_else(|| {
                arena.map_children(id, |c| map[c.as_u32() as usize].unwrap_or(c))
            });
            map[i] = Some(new);
        }
        Sweep { map }
    }

    pub fn get(&self, id: ExprId) -> ExprId {
        self.map
            .get(id.as_u32() as usize)
            .copied()
            .flatten()
            .unwrap_or(id)
    }
}

/// Collects the distinct nodes below some roots, children first, with reusable memory.
#[derive(Default)]
pub struct Reach {
    stamp: Vec<u32>,
    current: u32,
    stack: Vec<ExprId>,
    pub nodes: Vec<ExprId>,
}

impl Reach {
    /// Fills `nodes` with everything below `roots` for which `enter` says so, in order of ids.
    pub fn collect(
        &mut self,
        arena: &ExprArena,
        roots: &[ExprId],
        mut enter: impl FnMut(ExprId) -> bool,
    ) {
        self.nodes.clear();
        self.stack.clear();
        if self.stamp.len() < arena.len() {
            self.stamp.resize(arena.len() + arena.len() / 4, 0);
        }
        self.current = self.current.wrapping_add(1);
        if self.current == 0 {
            self.stamp.fill(0);
            self.current = 1;
        }
        self.stack.extend_from_slice(roots);
        while let Some(id) = self.stack.pop() {
            let at = id.as_u32() as usize;
            if self.stamp[at] == self.current {
                continue;
            }
            self.stamp[at] = self.current;
            if !enter(id) {
                continue;
            }
            self.nodes.push(id);
            arena.for_each_child(id, |c| {
                if self.stamp[c.as_u32() as usize] != self.current {
                    self.stack.push(c);
                }
            });
        }
        if self.nodes.len() > arena.len() / DENSE {
            self.sort_by_bits(arena.len());
        } else {
            self.nodes.sort_unstable();
        }
    }

    /// Sorts by a bit for each of so many nodes.
    fn sort_by_bits(&mut self, nodes: usize) {
        let mut bits = vec![0u64; nodes.div_ceil(64)];
        for id in &self.nodes {
            bits[id.as_u32() as usize / 64] |= 1 << (id.as_u32() % 64);
        }
        self.nodes.clear();
        for (k, &word) in bits.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let id = 64 * k as u32 + rest.trailing_zeros();
                self.nodes.push(ExprId::from_u32(id));
                rest &= rest - 1;
            }
        }
    }
}

/// A collection of one node of the arena in so many is dense.
const DENSE: usize = 64;

/// A property of nodes that is the union over their children and themselves, kept up to date as
/// the arena grows.
#[derive(Default)]
pub struct Flags {
    flags: Vec<u16>,
}

impl Flags {
    /// Computes the flags of nodes made since the last call. `own` gives a node's own bits.
    pub fn update(&mut self, arena: &ExprArena, mut own: impl FnMut(ExprId) -> u16) {
        for i in self.flags.len()..arena.len() {
            let id = ExprId::from_u32(i as u32);
            let mut bits = own(id);
            arena.for_each_child(id, |c| bits |= self.flags[c.as_u32() as usize]);
            self.flags.push(bits);
        }
    }

    pub fn get(&self, id: ExprId) -> u16 {
        self.flags.get(id.as_u32() as usize).copied().unwrap_or(0)
    }
}

/// Has an expression more nodes than this when shared parts are counted each time they occur, as text has them? No more are looked at.
pub fn is_longer(arena: &ExprArena, e: ExprId, limit: usize) -> bool {
    let (mut stack, mut nodes) = (vec![e], 0);
    while let Some(id) = stack.pop() {
        nodes += 1;
        if nodes > limit {
            return true;
        }
        arena.for_each_child(id, |c| stack.push(c));
    }
    false
}
