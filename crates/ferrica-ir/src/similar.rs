//! Names that a wrong one may have been meant to be.

/// The most similar name, if one is near enough to be a slip.
pub fn closest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    // Of two letters, only their case can be wrong.
    let limit = match length {
        0..3 => 0,
        _ => (length / 3).clamp(1, 3),
    };
    names
        .into_iter()
        .filter(|n| *n != name)
        .map(|n| (edit_distance(name, n, limit + 1), n))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, n)| n)
}

/// The same for names of variables; one that has the same last part in another component is also similar.
pub fn closest_variable<'a>(
    name: &str,
    names: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    closest(name, names.clone()).or_else(|| {
        let last = |n: &str| n.rsplit('.').next().unwrap_or(n).to_lowercase();
        let wanted = last(name);
        let fits = names.into_iter().filter(|n| last(n) == wanted);
        fits.min_by_key(|n| (n.len().abs_diff(name.len()), *n))
    })
}

/// Letters inserted, left out, changed or swapped with their neighbour; case does not count.
fn edit_distance(a: &str, b: &str, cap: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > cap {
        return cap + 1;
    }
    let same = |x: char, y: char| x.eq_ignore_ascii_case(&y);
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = above[j - 1] + usize::from(!same(a[i - 1], b[j - 1]));
            let mut best = change.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
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
