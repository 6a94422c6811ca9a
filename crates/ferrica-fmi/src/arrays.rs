//! Arrays of FMI 3.0: elements `x[1]`, `x[2]`, … become one variable `x` with dimensions.
//!
//! In: the table of scalars. Out: the same with the elements of each array side by side, row by row, and the first of them marked. The value reference of an
//! array is that of its first element. Elements that differ in more than their values stay scalars, and so do states that an integrator has in another order.

use rustc_hash::{FxHashMap, FxHashSet};

use ferrica_fmu::payload::{Access, Source};

use crate::table::{Entry, Part, Start, Table};

/// The array that a name is an element of, and its indices: `x[2,1]`, `der(x[2,1])`, `der(x[2,1],2)`.
pub fn element(name: &str) -> Option<(String, Vec<usize>)> {
    let (before, inner, after) = match name.strip_prefix("der(") {
        Some(rest) => {
            let (inner, after) = rest.split_at(rest.rfind(']')? + 1);
            // `der(a[1].b)` is the derivative of a scalar.
            if !after.starts_with([')', ',']) {
                return None;
            }
            ("der(", inner, after)
        }
        None => ("", name, ""),
    };
    let (base, indices) = inner.strip_suffix(']')?.rsplit_once('[')?;
    let indices = indices
        .split(',')
        .map(|i| i.parse().ok().filter(|&i| i > 0));
    let indices = indices.collect::<Option<Vec<usize>>>()?;
    Some((format!("{before}{base}{after}"), indices))
}

/// The array of a name; the name itself if it is no element.
pub fn base(name: &str) -> String {
    element(name).map_or_else(|| name.to_owned(), |(base, _)| base)
}

struct Group {
    name: String,
    dims: Vec<usize>,
    /// Row by row.
    members: Vec<u32>,
}

/// Marks the arrays of a table.
pub fn group(table: &mut Table, black_box: bool) {
    let mut groups = candidates(table, black_box);
    keep_order_of_states(table, &mut groups);
    reorder(table, groups);
}

fn candidates(table: &Table, black_box: bool) -> Vec<Group> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut found: Vec<(String, Vec<(Vec<usize>, u32)>)> = Vec::new();
    for (r, e) in (0..).zip(&table.entries) {
        if matches!(e.exported.source, Source::Indicator(_)) {
            continue;
        }
        let Some((base, indices)) = element(&e.name) else {
            continue;
        };
        // Names of states that nobody shall see.
        if black_box && matches!(base.as_str(), "state" | "der(state)") {
            continue;
        }
        let place = *places.entry(base.clone()).or_insert_with(|| {
            found.push((base, Vec::new()));
            found.len() - 1
        });
        found[place].1.push((indices, r));
    }
    let names: FxHashSet<&str> = (table.entries.iter())
        .flat_map(|e| (e.aliases.iter().map(|a| a.0.as_str())).chain([e.name.as_str()]))
        .collect();
    (found.into_iter())
        .filter(|(base, _)| !names.contains(base.as_str()))
        .filter_map(|(base, members)| whole(table, base, members))
        .collect()
}

/// The array, if all elements are there and alike.
fn whole(table: &Table, name: String, mut members: Vec<(Vec<usize>, u32)>) -> Option<Group> {
    members.sort_unstable();
    let dims = members.last()?.0.clone();
    let complete = members.len() == dims.iter().product::<usize>()
        && members
            .iter()
            .enumerate()
            .all(|(k, m)| m.0 == place(&dims, k));
    let of = |m: &(Vec<usize>, u32)| &table.entries[m.1 as usize];
    let first = of(members.first()?);
    let alike = members.iter().all(|m| are_alike(first, of(m), &m.0));
    let members = members.iter().map(|m| m.1).collect();
    (complete && alike).then_some(Group {
        name,
        dims,
        members,
    })
}

/// The indices of element `k`, row by row.
fn place(dims: &[usize], mut k: usize) -> Vec<usize> {
    let mut out = vec![0; dims.len()];
    for (i, &n) in out.iter_mut().zip(dims).rev() {
        *i = k % n.max(1) + 1;
        k /= n.max(1);
    }
    out
}

fn are_alike(a: &Entry, b: &Entry, indices: &[usize]) -> bool {
    let kind = |e: &Entry| match e.exported.access {
        Access::Read => 0,
        Access::Before(_) => 1,
        Access::Input => 2,
        Access::State(_) => 3,
        Access::Tunable(_) => 4,
    };
    let start = |e: &Entry| match &e.start {
        None => 0,
        Some(Start::Number(_)) => 1,
        Some(Start::Text(_)) => 2,
    };
    let plain = |e: &Entry| {
        (
            (e.exported.ty, e.causality, e.variability, e.initial),
            (e.min, e.max, e.nominal, e.declared, e.reinit),
            (e.derivative_of.is_some(), kind(e), start(e)),
        )
    };
    let texts = |e: &Entry| {
        let words = [&e.description, &e.unit, &e.display_unit, &e.quantity];
        words.map(Clone::clone)
    };
    // Other names are those of another array, element by element.
    let aliases = a.aliases.len() == b.aliases.len()
        && (a.aliases.iter().zip(&b.aliases)).all(|(x, y)| {
            x.1 == y.1
                && element(&y.0).is_some_and(|(base, at)| {
                    at == indices && element(&x.0).is_some_and(|(other, _)| other == base)
                })
        });
    plain(a) == plain(b) && texts(a) == texts(b) && aliases
}

/// The states of an array must follow each other in the vector of states, and their derivatives must be an array as well.
fn keep_order_of_states(table: &Table, groups: &mut Vec<Group>) {
    let position: FxHashMap<u32, usize> = (table.states.iter().enumerate())
        .flat_map(|(k, &(x, dx))| [(x, k), (dx, k)])
        .collect();
    let in_order = |g: &Group| {
        let first = position.get(&g.members[0]);
        (0..).zip(&g.members).all(|(k, r)| match first {
            Some(first) => position.get(r) == Some(&(first + k)),
            None => !position.contains_key(r),
        })
    };
    groups.retain(in_order);
    // Those of the one without the other.
    loop {
        let of: FxHashMap<u32, usize> = (groups.iter().enumerate())
            .flat_map(|(k, g)| g.members.iter().map(move |&r| (r, k)))
            .collect();
        let size = |r: u32| {
            of.get(&r)
                .map(|&k| (groups[k].members.len(), groups[k].members[0]))
        };
        let partner = |r: u32| {
            let k = *position.get(&r)?;
            let (x, dx) = table.states[k];
            Some(if x == r { dx } else { x })
        };
        let lonely = |g: &Group| {
            let heads = partner(g.members[0]).map(|p| (size(p), p));
            heads.is_some_and(|(found, p)| found != Some((g.members.len(), p)))
        };
        let keep: Vec<bool> = groups.iter().map(|g| !lonely(g)).collect();
        if keep.iter().all(|&k| k) {
            return;
        }
        let mut keep = keep.into_iter();
        groups.retain(|_| keep.next() == Some(true));
    }
}

/// Elements side by side, in the place of the first.
fn reorder(table: &mut Table, groups: Vec<Group>) {
    let mut of: FxHashMap<u32, usize> = FxHashMap::default();
    for (k, g) in groups.iter().enumerate() {
        of.extend(g.members.iter().map(|&r| (r, k)));
    }
    let mut order: Vec<u32> = Vec::with_capacity(table.entries.len());
    let mut done = vec![false; groups.len()];
    for r in 0..table.entries.len() as u32 {
        match of.get(&r) {
            None => order.push(r),
            Some(&k) if !std::mem::replace(&mut done[k], true) => {
                order.extend(&groups[k].members);
            }
            Some(_) => {}
        }
    }
    let mut new = vec![0; order.len()];
    for (k, &r) in (0..).zip(&order) {
        new[r as usize] = k;
    }
    let mut old: Vec<Option<Entry>> = table.entries.drain(..).map(Some).collect();
    table.entries = (order.iter())
        .filter_map(|&r| old[r as usize].take())
        .collect();
    let renumber = |r: &mut u32| *r = new[*r as usize];
    table.outputs.iter_mut().for_each(renumber);
    table.indicators.iter_mut().for_each(renumber);
    for (x, dx) in &mut table.states {
        renumber(x);
        renumber(dx);
    }
    for e in &mut table.entries {
        e.derivative_of.iter_mut().for_each(renumber);
    }
    for g in groups {
        let head = new[g.members[0] as usize] as usize;
        for e in &mut table.entries[head..head + g.members.len()] {
            e.part = Part::Inner;
        }
        table.entries[head].part = Part::Head(g.name, g.dims);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_arrays() {
        let of = |name: &str| element(name);
        assert_eq!(of("x[2]"), Some(("x".to_owned(), vec![2])));
        assert_eq!(of("a[1].b[2,3]"), Some(("a[1].b".to_owned(), vec![2, 3])));
        assert_eq!(of("der(x[2])"), Some(("der(x)".to_owned(), vec![2])));
        assert_eq!(of("der(x[2],3)"), Some(("der(x,3)".to_owned(), vec![2])));
        for scalar in ["x", "a[1].b", "'x[1]'", "der(a[1].b)", "x[0]", "x[a]"] {
            assert_eq!(of(scalar), None, "{scalar}");
        }
    }

    #[test]
    fn rows_come_one_after_the_other() {
        let all: Vec<Vec<usize>> = (0..6).map(|k| place(&[2, 3], k)).collect();
        assert_eq!(all, [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]]);
    }
}
