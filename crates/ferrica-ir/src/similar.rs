//! Names that a wrong one may have been meant to be.

/// The most similar name, if one is near enough to be a slip.
pub fn closest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    // Of two letters, only their case can be wrong.
    let limit = match length {
        0..3 => 0,
        _ => (length / 3).clamp(1, 3),
    };
    let mut distance = EditDistance::from(name);
    let mut best: Option<(usize, &str)> = None;
    for n in names.into_iter().filter(|n| *n != name) {
        let cap = best.map_or(limit, |b| b.0);
        let d = distance.to(n, cap);
        if d <= cap && best.is_none_or(|b| (d, n) < b) {
            best = Some((d, n));
        }
    }
    best.map(|b| b.1)
}

/// The same for names of variables; one that has the same last part in another component is also similar.
pub fn closest_variable<'a>(
    name: &str,
    names: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    closest(name, names.clone()).or_else(|| {
        fn last(n: &str) -> impl Iterator<Item = char> {
            let last = n.rsplit('.').next().unwrap_or(n);
            last.chars().flat_map(char::to_lowercase)
        }
        let fits = names.into_iter().filter(|n| last(n).eq(last(name)));
        fits.min_by_key(|n| (n.len().abs_diff(name.len()), *n))
    })
}

/// Letters inserted, left out, changed or swapped with their neighbour, from one name to many others; case does not count.
struct EditDistance {
    from: Vec<char>,
    to: Vec<char>,
    /// The last three rows of the table of distances between beginnings.
    rows: [Vec<usize>; 3],
}

impl EditDistance {
    fn from(name: &str) -> EditDistance {
        EditDistance {
            from: name.chars().collect(),
            to: Vec::new(),
            rows: Default::default(),
        }
    }

    /// The distance if it is at most `cap`; more than that otherwise.
    fn to(&mut self, name: &str, cap: usize) -> usize {
        let a = &self.from;
        // A letter has up to four bytes.
        if name.len() + cap < a.len() || name.len() > 4 * (a.len() + cap) {
            return cap + 1;
        }
        self.to.clear();
        self.to.extend(name.chars());
        let b = &self.to;
        if a.len().abs_diff(b.len()) > cap {
            return cap + 1;
        }
        let same = |x: char, y: char| x.eq_ignore_ascii_case(&y);
        let [before, above, row] = &mut self.rows;
        above.clear();
        above.extend(0..=b.len());
        for i in 1..=a.len() {
            row.clear();
            row.push(i);
            for j in 1..=b.len() {
                let change = above[j - 1] + usize::from(!same(a[i - 1], b[j - 1]));
                let mut best = change.min(above[j] + 1).min(row[j - 1] + 1);
                if i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) {
                    best = best.min(before[j - 2] + 1);
                }
                row.push(best);
            }
            // What follows is at least as far as the nearer of two rows.
            if row.iter().chain(above.iter()).all(|&d| d > cap) {
                return cap + 1;
            }
            std::mem::swap(before, above);
            std::mem::swap(above, row);
        }
        above[b.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_names_are_not() {
        let names = ["Resistor", "Capacitor", "R1.R", "x"];
        assert_eq!(closest("resistro", names), Some("Resistor"));
        assert_eq!(closest("X", names), Some("x"));
        assert_eq!(closest("y", names), None);
        assert_eq!(closest("Inductor", names), None);
        assert_eq!(closest_variable("R2.R", ["R1.R", "C.v"]), Some("R1.R"));
        assert_eq!(closest_variable("load.v", ["R1.R", "C.v"]), Some("C.v"));
        assert_eq!(closest_variable("load.w", ["R1.R", "C.v"]), None);
    }
}
