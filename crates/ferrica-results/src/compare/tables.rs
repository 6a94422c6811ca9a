//! Compares all variables that two results have in common.

use super::{SignalVerdict, TubeOptions, tube};
use crate::{Column, ResultTable};

#[derive(Clone, Debug, Default)]
pub struct TableVerdict {
    /// By name, in the order of the reference.
    pub signals: Vec<(String, SignalVerdict)>,
    /// Names of the reference that the result does not have.
    pub missing: Vec<String>,
}

impl TableVerdict {
    /// All signals in the tube; names that are missing do not count here.
    pub fn passed(&self) -> bool {
        self.signals.iter().all(|(_, verdict)| verdict.passed)
    }

    pub fn failures(&self) -> impl Iterator<Item = &(String, SignalVerdict)> {
        self.signals.iter().filter(|(_, verdict)| !verdict.passed)
    }
}

/// Judges each variable of the reference that `keep` accepts.
pub fn tables(
    reference: &ResultTable,
    result: &ResultTable,
    options: &TubeOptions,
    keep: impl Fn(&str) -> bool,
) -> TableVerdict {
    let mut verdict = TableVerdict::default();
    // What stands beside the file is not part of it.
    let own = reference.names.len() - reference.aside;
    for (i, name) in reference.names[..own].iter().enumerate() {
        if !keep(name) {
            continue;
        }
        let Some(other) = result.find(name) else {
            verdict.missing.push(name.clone());
            continue;
        };
        let signal = match (&reference.columns[i], &result.columns[other]) {
            (Column::Constant(a), Column::Constant(b)) => {
                tube(&[0.0], &[*a], &[0.0], &[*b], options)
            }
            _ => tube(
                &reference.time,
                &reference.series_at(i),
                &result.time,
                &result.series_at(other),
                options,
            ),
        };
        verdict.signals.push((name.clone(), signal));
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_names_are_judged_and_others_listed() {
        let mut a = ResultTable::new(vec![0.0, 1.0]);
        a.push("x".into(), Column::Series(vec![0.0, 1.0].into()));
        a.push("p".into(), Column::Constant(2.0));
        a.push("q".into(), Column::Constant(2.0));
        let mut b = ResultTable::new(vec![0.0, 0.5, 1.0]);
        b.push("x".into(), Column::Series(vec![0.0, 0.5, 1.1].into()));
        b.push("p".into(), Column::Series(vec![2.0, 2.0, 2.0].into()));
        let verdict = tables(&a, &b, &TubeOptions::default(), |_| true);
        assert_eq!(verdict.missing, ["q"]);
        assert_eq!(
            verdict
                .failures()
                .map(|(n, _)| n.as_str())
                .collect::<Vec<_>>(),
            ["x"]
        );
        assert_eq!(verdict.signals[0].1.max_at, 1.0);
        assert!(verdict.signals[1].1.passed);
        assert!(tables(&a, &b, &TubeOptions::default(), |n| n == "p").passed());
    }
}
