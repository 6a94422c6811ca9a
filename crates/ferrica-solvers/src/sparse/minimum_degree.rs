//! Fill-reducing order: approximate minimum degree on the pattern of A + Aᵀ.
//!
//! In: an undirected graph as adjacency lists. Out: an elimination order.
//!
//! Amestoy, Davis, Duff: An approximate minimum degree ordering algorithm, SIAM J. Matrix Anal. Appl. 17 (1996). The
//! eliminated part is kept as a quotient graph: an eliminated pivot becomes an *element*, the clique of its
//! remaining neighbours. Indistinguishable variables are merged, elements inside others are absorbed, and the degree is
//! the upper bound |A_i| + |L_p \ i| + Σ |L_e \ L_p|. Very dense vertices are put last beforehand. The elements'
//! tree is postordered, which keeps the columns that a factorization needs together close in memory.

const NONE: u32 = u32::MAX;

/// A vertex is dense when its degree exceeds this many times √n; such vertices spoil the degree bound and fill anyway.
const DENSE_FACTOR: f64 = 10.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Variable,
    Element,
    /// Merged into another variable, absorbed into another element, or dense.
    Gone,
}

struct Quotient {
    kind: Vec<Kind>,
    /// Number of original vertices that a variable stands for.
    weight: Vec<u32>,
    /// Adjacent variables of a variable; members of an element.
    vars: Vec<Vec<u32>>,
    /// Adjacent elements of a variable.
    elems: Vec<Vec<u32>>,
    degree: Vec<u32>,
    parent: Vec<u32>,
    head: Vec<u32>,
    tail: Vec<u32>,
    next: Vec<u32>,
    prev: Vec<u32>,
}

impl Quotient {
    /// Appends to the list of its degree: first come, first served.
    fn insert(&mut self, i: u32) {
        let d = self.degree[i as usize] as usize;
        let last = self.tail[d];
        self.prev[i as usize] = last;
        self.next[i as usize] = NONE;
        if last != NONE {
            self.next[last as usize] = i;
        } else {
            self.head[d] = i;
        }
        self.tail[d] = i;
    }

    fn remove(&mut self, i: u32) {
        let d = self.degree[i as usize] as usize;
        let (p, s) = (self.prev[i as usize], self.next[i as usize]);
        if s != NONE {
            self.prev[s as usize] = p;
        } else {
            self.tail[d] = p;
        }
        if p != NONE {
            self.next[p as usize] = s;
        } else {
            self.head[d] = s;
        }
    }
}

/// `adjacency[i]` holds the neighbours of `i`, without `i` itself and without repetitions; the relation must be
/// symmetric. The result lists the vertices in elimination order.
pub fn minimum_degree(adjacency: Vec<Vec<u32>>) -> Vec<u32> {
    let n = adjacency.len();
    let dense = ((DENSE_FACTOR * (n as f64).sqrt()) as usize).max(16);
    let mut q = Quotient {
        kind: vec![Kind::Variable; n],
        weight: vec![1; n],
        degree: adjacency.iter().map(|a| a.len() as u32).collect(),
        vars: adjacency,
        elems: vec![Vec::new(); n],
        parent: vec![NONE; n],
        head: vec![NONE; n + 1],
        tail: vec![NONE; n + 1],
        next: vec![NONE; n],
        prev: vec![NONE; n],
    };
    let mut last: Vec<u32> = Vec::new();
    for i in 0..n {
        if q.vars[i].len() > dense {
            q.kind[i] = Kind::Gone;
            q.weight[i] = 0;
            last.push(i as u32);
        }
    }
    let total = n - last.len();
    for i in 0..n as u32 {
        if q.kind[i as usize] == Kind::Variable {
            q.insert(i);
        }
    }
    let mut eliminated = 0usize;
    let mut min_degree = 0usize;
    let mut sequence: Vec<u32> = Vec::new();
    let mut pivot = vec![false; n];
    let mut in_pivot = vec![0u32; n];
    // |L_e \ L_p| for the elements seen in this pass, valid where `stamp` equals the pass.
    let mut outside = vec![0i64; n];
    let mut stamp = vec![0u32; n];
    let mut compare = vec![0u64; n];
    let mut compare_tag = 0u64;
    let mut hashes: Vec<(u64, u32)> = Vec::new();
    let mut pass = 0u32;
    while eliminated < total {
        while q.head[min_degree] == NONE {
            min_degree += 1;
        }
        let p = q.head[min_degree];
        q.remove(p);
        pass += 1;
        in_pivot[p as usize] = pass;

        // The new element: neighbours of p, directly and through its elements, which it absorbs.
        let mut members: Vec<u32> = Vec::new();
        let mut members_weight = 0u32;
        let direct = std::mem::take(&mut q.vars[p as usize]);
        let through = std::mem::take(&mut q.elems[p as usize]);
        {
            let mut gather = |list: &[u32], q: &mut Quotient| {
                for &i in list {
                    if q.kind[i as usize] == Kind::Variable && in_pivot[i as usize] != pass {
                        in_pivot[i as usize] = pass;
                        members.push(i);
                        members_weight += q.weight[i as usize];
                        q.remove(i);
                    }
                }
            };
            gather(&direct, &mut q);
            for &e in &through {
                if q.kind[e as usize] == Kind::Element {
                    let list = std::mem::take(&mut q.vars[e as usize]);
                    gather(&list, &mut q);
                    q.kind[e as usize] = Kind::Gone;
                    q.parent[e as usize] = p;
                }
            }
        }
        q.kind[p as usize] = Kind::Element;
        pivot[p as usize] = true;
        let mut pivot_weight = q.weight[p as usize];

        for &i in &members {
            let w = q.weight[i as usize] as i64;
            for &e in &q.elems[i as usize] {
                let e = e as usize;
                if q.kind[e] != Kind::Element {
                    continue;
                }
                if stamp[e] != pass {
                    stamp[e] = pass;
                    outside[e] = q.degree[e] as i64;
                }
                outside[e] -= w;
            }
        }

        hashes.clear();
        for &i in &members {
            let v = i as usize;
            let mut bound = 0i64;
            let mut hash = 0u64;
            let mut elems = std::mem::take(&mut q.elems[v]);
            elems.retain(|&e| {
                let e = e as usize;
                if q.kind[e] != Kind::Element {
                    return false;
                }
                if outside[e] <= 0 {
                    // Aggressive absorption: e lies inside the new element.
                    q.kind[e] = Kind::Gone;
                    q.parent[e] = p;
                    return false;
                }
                bound += outside[e];
                hash = hash.wrapping_add(e as u64);
                true
            });
            let mut vars = std::mem::take(&mut q.vars[v]);
            vars.retain(|&j| {
                let keep = q.kind[j as usize] == Kind::Variable && in_pivot[j as usize] != pass;
                if keep {
                    bound += q.weight[j as usize] as i64;
                    hash = hash.wrapping_add(j as u64);
                }
                keep
            });
            if elems.is_empty() && vars.is_empty() {
                // Mass elimination: i has no neighbour outside of the new element.
                q.kind[v] = Kind::Gone;
                q.parent[v] = p;
                pivot_weight += q.weight[v];
                members_weight -= q.weight[v];
                q.weight[v] = 0;
            } else {
                q.degree[v] = (q.degree[v] as i64).min(bound) as u32;
                elems.push(p);
                hashes.push((hash, i));
            }
            q.elems[v] = elems;
            q.vars[v] = vars;
        }

        // Variables with the same neighbours are one variable from now on.
        hashes.sort_unstable();
        let mut a = 0;
        while a < hashes.len() {
            let mut b = a + 1;
            while b < hashes.len() && hashes[b].0 == hashes[a].0 {
                b += 1;
            }
            for x in a..b {
                let i = hashes[x].1 as usize;
                if q.kind[i] != Kind::Variable || x + 1 == b {
                    continue;
                }
                compare_tag += 1;
                for &e in q.elems[i].iter().chain(&q.vars[i]) {
                    compare[e as usize] = compare_tag;
                }
                for &(_, other) in &hashes[x + 1..b] {
                    let j = other as usize;
                    let same = q.kind[j] == Kind::Variable
                        && q.elems[j].len() == q.elems[i].len()
                        && q.vars[j].len() == q.vars[i].len()
                        && q.elems[j]
                            .iter()
                            .chain(&q.vars[j])
                            .all(|&e| compare[e as usize] == compare_tag);
                    if same {
                        q.weight[i] += q.weight[j];
                        q.weight[j] = 0;
                        q.kind[j] = Kind::Gone;
                        q.parent[j] = i as u32;
                        q.elems[j] = Vec::new();
                        q.vars[j] = Vec::new();
                    }
                }
            }
            a = b;
        }

        eliminated += pivot_weight as usize;
        members.retain(|&i| q.kind[i as usize] == Kind::Variable);
        for &i in &members {
            let v = i as usize;
            let w = q.weight[v];
            let bound = (q.degree[v] + members_weight - w) as usize;
            let left = total - eliminated - w as usize;
            q.degree[v] = bound.min(left) as u32;
            min_degree = min_degree.min(q.degree[v] as usize);
            q.insert(i);
        }
        q.degree[p as usize] = members_weight;
        sequence.push(p);
        q.vars[p as usize] = members;
    }
    let mut order = level_order(&q.parent, &pivot, &sequence);
    order.extend(last);
    order
}

/// Pivots by their height in the tree of absorption, each right behind the vertices that went with it. Any order with
/// children before parents gives the same fill; this one puts columns that do not depend on each other side by side,
/// so that a processor can work on several at once.
fn level_order(parent: &[u32], pivot: &[bool], sequence: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let mut height = vec![0u32; n];
    let mut highest = 0;
    for &p in sequence {
        let h = height[p as usize];
        highest = highest.max(h);
        let above = parent[p as usize];
        if above != NONE {
            height[above as usize] = height[above as usize].max(h + 1);
        }
    }
    // Vertices that went with a pivot, directly or through others, as lists.
    let mut first = vec![NONE; n];
    let mut sibling = vec![NONE; n];
    for i in (0..n).rev() {
        if !pivot[i] && parent[i] != NONE {
            sibling[i] = first[parent[i] as usize];
            first[parent[i] as usize] = i as u32;
        }
    }
    let mut by_height = sequence.to_vec();
    by_height.sort_by_key(|&p| height[p as usize]);
    let mut order = Vec::with_capacity(n);
    let mut stack: Vec<u32> = Vec::new();
    for p in by_height {
        stack.push(p);
        while let Some(i) = stack.pop() {
            order.push(i);
            let mut child = first[i as usize];
            while child != NONE {
                stack.push(child);
                child = sibling[child as usize];
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<u32>> {
        let mut adjacency = vec![Vec::new(); n];
        for (a, b) in edges {
            adjacency[a].push(b as u32);
            adjacency[b].push(a as u32);
        }
        for list in &mut adjacency {
            list.sort_unstable();
            list.dedup();
        }
        adjacency
    }

    /// Entries of the Cholesky factor below the diagonal, by elimination on sets.
    fn fill(adjacency: &[Vec<u32>], order: &[u32]) -> usize {
        let n = adjacency.len();
        let mut sets: Vec<std::collections::BTreeSet<u32>> = adjacency
            .iter()
            .map(|a| a.iter().copied().collect())
            .collect();
        let mut count = 0;
        for &p in order {
            let around: Vec<u32> = sets[p as usize].iter().copied().collect();
            count += around.len();
            for &i in &around {
                sets[i as usize].remove(&p);
                for &j in &around {
                    if i != j {
                        sets[i as usize].insert(j);
                    }
                }
            }
        }
        assert_eq!(order.len(), n);
        count
    }

    fn is_permutation(order: &[u32]) {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(k, &v)| k == v as usize));
    }

    #[test]
    fn trees_and_arrows_have_no_fill() {
        let path = graph(50, (1..50).map(|i| (i - 1, i)));
        let arrow = graph(60, (1..60).map(|i| (0, i)));
        let tree = graph(127, (1..127).map(|i| ((i - 1) / 2, i)));
        for g in [path, arrow, tree] {
            let order = minimum_degree(g.clone());
            is_permutation(&order);
            assert_eq!(fill(&g, &order), g.len() - 1);
        }
    }

    #[test]
    fn grid_fill_is_far_below_banded() {
        let m = 20;
        let at = |i: usize, j: usize| i * m + j;
        let edges = (0..m).flat_map(|i| {
            (0..m).flat_map(move |j| {
                let right = (j + 1 < m).then_some((at(i, j), at(i, j + 1)));
                let down = (i + 1 < m).then_some((at(i, j), at(i + 1, j)));
                right.into_iter().chain(down)
            })
        });
        let g = graph(m * m, edges);
        let order = minimum_degree(g.clone());
        is_permutation(&order);
        let natural: Vec<u32> = (0..(m * m) as u32).collect();
        let (ours, banded) = (fill(&g, &order), fill(&g, &natural));
        assert!(ours * 2 < banded, "{ours} against {banded}");
    }

    #[test]
    fn dense_vertices_come_last() {
        let n = 3000;
        let edges = (1..n)
            .flat_map(|i| [(0, i), (i - 1, i)])
            .filter(|&(a, b)| a != b);
        let order = minimum_degree(graph(n, edges));
        is_permutation(&order);
        assert_eq!(order.last(), Some(&0));
    }
}
