//! Versions in folder names (`Modelica 4.1.0`) and in `uses` annotations.

use std::cmp::Ordering;

/// Splits `Modelica 4.1.0` into name and version; a name without a space has no version.
pub fn split_folder_name(folder: &str) -> (&str, Option<&str>) {
    match folder.split_once(' ') {
        Some((name, version)) => (name, Some(version.trim())),
        None => (folder, None),
    }
}

/// Number by number; text behind the numbers (`4.0.0-beta.1`) sorts before its absence.
pub fn compare(a: &str, b: &str) -> Ordering {
    let numbers = |v: &str| -> Vec<u64> {
        v.split(['-', '+', ' '])
            .next()
            .unwrap_or("")
            .split('.')
            .map(|n| n.parse().unwrap_or(0))
            .collect()
    };
    let is_release = |v: &str| !v.contains('-');
    numbers(a)
        .cmp(&numbers(b))
        .then(is_release(a).cmp(&is_release(b)))
        .then_with(|| a.cmp(b))
}

/// The first number.
pub fn major(version: &str) -> &str {
    version.split(['.', '-', ' ']).next().unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_names() {
        assert_eq!(
            split_folder_name("Modelica 4.1.0"),
            ("Modelica", Some("4.1.0"))
        );
        assert_eq!(split_folder_name("Complex"), ("Complex", None));
        assert_eq!(compare("4.1.0", "4.0.0"), Ordering::Greater);
        assert_eq!(compare("3.10.0", "3.9.1"), Ordering::Greater);
        assert_eq!(compare("4.0.0-beta.1", "4.0.0"), Ordering::Less);
        assert_eq!(major("4.1.0"), "4");
    }
}
