//! The variables of a result: where each one's values come from, and which are stored.
//!
//! In: what the compiler knows of each variable. Out: a [`Layout`] that says for each variable which
//! column of the row stream it reads (and with which sign) or which constant it has; and a
//! [`Selection`] of variables by glob patterns.

use std::io;

use crate::Declaration;
use crate::plot::split_names;

/// Where the values of a variable come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The next value in every row: the k-th variable with this source reads `values[k]`.
    Column,
    /// A variable that the compiler found to be constant over the run.
    Constant(f64),
    /// A parameter: stored once where the format can, for CSV in its partner unless asked for.
    Parameter(f64),
    /// The same as another variable of the list, or its negative.
    Alias { of: usize, negated: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub struct VariableInfo {
    pub name: String,
    pub declared: Declaration,
    pub source: Source,
}

impl VariableInfo {
    pub fn new(name: impl Into<String>, source: Source) -> Self {
        VariableInfo {
            name: name.into(),
            declared: Declaration::default(),
            source,
        }
    }

    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.declared.unit = unit.into();
        self
    }

    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.declared.description = description.into();
        self
    }
}

/// A parameter whose value is a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextParameter {
    pub name: String,
    pub description: String,
    pub value: String,
}

/// A variable with its aliases followed to the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolved {
    Column { index: usize, negated: bool },
    Constant { value: f64, parameter: bool },
}

/// All variables of a result, resolved.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub resolved: Vec<Resolved>,
    /// The number of values in a row.
    pub columns: usize,
}

impl Layout {
    /// Fails on an alias that points outside the list or round in a circle.
    pub fn new(variables: &[VariableInfo]) -> io::Result<Layout> {
        let mut columns = 0;
        let mut own_column = vec![usize::MAX; variables.len()];
        for (i, variable) in variables.iter().enumerate() {
            if variable.source == Source::Column {
                own_column[i] = columns;
                columns += 1;
            }
        }
        let mut resolved = Vec::with_capacity(variables.len());
        for (start, variable) in variables.iter().enumerate() {
            let mut at = start;
            let mut negated = false;
            let mut hops = 0;
            let target = loop {
                match variables[at].source {
                    Source::Column => {
                        break Resolved::Column {
                            index: own_column[at],
                            negated,
                        };
                    }
                    Source::Constant(v) => {
                        break Resolved::Constant {
                            value: sign(v, negated),
                            parameter: false,
                        };
                    }
                    Source::Parameter(v) => {
                        break Resolved::Constant {
                            value: sign(v, negated),
                            // A variable that equals a parameter is still a variable.
                            parameter: at == start,
                        };
                    }
                    Source::Alias { of, negated: n } => {
                        hops += 1;
                        if of >= variables.len() || hops > variables.len() {
                            return Err(io::Error::new(
                                io::ErrorKind::InvalidInput,
                                format!("the alias `{}` leads nowhere", variable.name),
                            ));
                        }
                        negated ^= n;
                        at = of;
                    }
                }
            };
            resolved.push(target);
        }
        Ok(Layout { resolved, columns })
    }
}

fn sign(value: f64, negated: bool) -> f64 {
    if negated { -value } else { value }
}

/// A column of a selection: a column of the full row, perhaps with the other sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedColumn {
    pub index: usize,
    pub negated: bool,
}

/// The variables to store, and the columns of the full row that they need.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub variables: Vec<VariableInfo>,
    pub columns: Vec<SelectedColumn>,
    pub texts: Vec<TextParameter>,
}

impl Selection {
    /// Keeps the variables whose names match one of the patterns; all of them if there is no pattern.
    /// A parameter that a pattern names becomes a constant, so that CSV shows it too.
    pub fn new(variables: &[VariableInfo], patterns: &[String]) -> io::Result<Selection> {
        let layout = Layout::new(variables)?;
        if patterns.is_empty() {
            let columns = (0..layout.columns)
                .map(|index| SelectedColumn {
                    index,
                    negated: false,
                })
                .collect();
            return Ok(Selection {
                variables: variables.to_vec(),
                columns,
                texts: Vec::new(),
            });
        }
        // The first kept variable that reads a column holds it, with that variable's sign.
        let mut holder: Vec<Option<(usize, bool)>> = vec![None; layout.columns];
        let mut selection = Selection::default();
        for (variable, resolved) in variables.iter().zip(&layout.resolved) {
            if !patterns.iter().any(|p| glob_matches(p, &variable.name)) {
                continue;
            }
            let mut kept = variable.clone();
            kept.source = match *resolved {
                Resolved::Constant { value, .. } => Source::Constant(value),
                Resolved::Column { index, negated } => match holder[index] {
                    Some((of, held)) => Source::Alias {
                        of,
                        negated: negated != held,
                    },
                    None => {
                        holder[index] = Some((selection.variables.len(), negated));
                        selection.columns.push(SelectedColumn { index, negated });
                        Source::Column
                    }
                },
            };
            selection.variables.push(kept);
        }
        Ok(selection)
    }

    /// Copies the selected values of a full row into `out`.
    pub fn gather(&self, full: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.columns.iter().map(|c| sign(full[c.index], c.negated)));
    }
}

/// Does `name` match `pattern`, in which `*` stands for any text and `?` for one character?
///
/// `[` is literal: `x[2]` names an element. A subscript may be a range: `T[2:5]`, `T[1:1000:end]` with the step in the middle; there `end` is
/// the last element, whichever that is. Commas outside of brackets separate patterns of which one is to match.
pub fn glob_matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains(',') {
        return one_matches(pattern, name);
    }
    split_names(pattern).iter().any(|p| one_matches(p, name))
}

fn one_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if let Some((after_range, after_number)) = range_matches(pattern, p, name, n) {
            (p, n) = (after_range, after_number);
        } else if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && pattern[p] == b'?' {
            p += 1;
            n = next_character(name, n);
        } else if p < pattern.len() && pattern[p] == name[n] {
            p += 1;
            n += 1;
        } else if let Some((sp, sn)) = star {
            let next = next_character(name, sn);
            p = sp + 1;
            n = next;
            star = Some((sp, next));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

/// Where the next character of a text in UTF-8 begins.
fn next_character(text: &[u8], at: usize) -> usize {
    let inside = |c: &&u8| **c & 0xC0 == 0x80;
    at + 1 + text[at + 1..].iter().take_while(inside).count()
}

/// Where the pattern goes on behind a range of subscripts at `p`, and the name behind the number in it at `n`.
fn range_matches(pattern: &[u8], p: usize, name: &[u8], n: usize) -> Option<(usize, usize)> {
    let opens = |text: &[u8], at: usize| at > 0 && matches!(text[at - 1], b'[' | b',');
    if !opens(pattern, p) || !opens(name, n) {
        return None;
    }
    let length = |text: &[u8]| text.iter().position(|c| matches!(c, b']' | b','));
    let (range, number) = (&pattern[p..], &name[n..]);
    let (range, number) = (&range[..length(range)?], &number[..length(number)?]);
    let text = std::str::from_utf8(range).ok()?;
    let bound = |text: &str| text.trim().parse::<u64>().ok();
    let last = |text: &str| match text.trim() {
        "end" => Some(u64::MAX),
        text => bound(text),
    };
    let parts: Vec<&str> = text.split(':').collect();
    let (first, step, last) = match parts[..] {
        [first, until] => (bound(first)?, 1, last(until)?),
        [first, step, until] => (bound(first)?, bound(step)?.max(1), last(until)?),
        _ => return None,
    };
    let k = bound(std::str::from_utf8(number).ok()?)?;
    let is_in = first <= k && k <= last && (k - first) % step == 0;
    is_in.then_some((p + range.len(), n + number.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<VariableInfo> {
        vec![
            VariableInfo::new("R.v", Source::Column),
            VariableInfo::new("R.R", Source::Parameter(10.0)),
            VariableInfo::new("C.v", Source::Column),
            VariableInfo::new(
                "C.i",
                Source::Alias {
                    of: 4,
                    negated: true,
                },
            ),
            VariableInfo::new(
                "R.i",
                Source::Alias {
                    of: 2,
                    negated: true,
                },
            ),
            VariableInfo::new(
                "one",
                Source::Alias {
                    of: 1,
                    negated: true,
                },
            ),
        ]
    }

    #[test]
    fn aliases_are_followed_with_their_signs() {
        let layout = Layout::new(&list()).unwrap();
        assert_eq!(layout.columns, 2);
        assert_eq!(
            layout.resolved[3],
            Resolved::Column {
                index: 1,
                negated: false
            }
        );
        assert_eq!(
            layout.resolved[4],
            Resolved::Column {
                index: 1,
                negated: true
            }
        );
        assert_eq!(
            layout.resolved[5],
            Resolved::Constant {
                value: -10.0,
                parameter: false
            }
        );
    }

    #[test]
    fn circular_and_dangling_aliases_are_errors() {
        let circle = [
            VariableInfo::new(
                "a",
                Source::Alias {
                    of: 1,
                    negated: false,
                },
            ),
            VariableInfo::new(
                "b",
                Source::Alias {
                    of: 0,
                    negated: false,
                },
            ),
        ];
        assert!(Layout::new(&circle).is_err());
        let dangling = [VariableInfo::new(
            "a",
            Source::Alias {
                of: 7,
                negated: false,
            },
        )];
        assert!(Layout::new(&dangling).is_err());
    }

    #[test]
    fn globs() {
        assert!(glob_matches("*.v", "R1.p.v"));
        assert!(glob_matches("x[2]", "x[2]"));
        assert!(!glob_matches("x[2]", "x2"));
        assert!(glob_matches("x[?]", "x[3]"));
        assert!(glob_matches("*a*b*", "xxaxxbxx"));
        assert!(!glob_matches("*.v", "R1.vx"));
        assert!(glob_matches("**", ""));
        assert!(glob_matches("a.x, m[1,?]", "m[1,2]"));
        assert!(glob_matches("a.x,m[1,?]", "a.x"));
        assert!(!glob_matches("a.x,m[1,?]", "m[2,1]"));
        assert!(glob_matches("?.größe", "ß.größe"));
        assert!(!glob_matches("*x?", "ax"));
    }

    #[test]
    fn ranges_of_subscripts() {
        let chosen = |pattern: &str| -> Vec<u32> {
            let of = |k: &u32| glob_matches(pattern, &format!("T[{k}]"));
            (1..=12).filter(of).collect()
        };
        assert_eq!(chosen("T[2:5]"), [2, 3, 4, 5]);
        assert_eq!(chosen("T[1:5:end]"), [1, 6, 11]);
        assert_eq!(chosen("T[11:end]"), [11, 12]);
        assert!(chosen("T[5:2]").is_empty());
        assert_eq!(chosen("*[10:end]"), [10, 11, 12]);
        assert!(glob_matches("cell[2:3].T[1,4:end]", "cell[3].T[1,7]"));
        assert!(!glob_matches("cell[2:3].T[1,4:end]", "cell[3].T[2,7]"));
        assert!(!glob_matches("cell[2:3].T[1,4:end]", "cell[4].T[1,7]"));
        assert!(glob_matches("x, T[1:2:9]", "T[7]"));
        assert!(!glob_matches("T[1:2]", "T[a]"));
    }

    #[test]
    fn a_selected_alias_brings_its_column_along() {
        let all = list();
        let picked = Selection::new(&all, &["C.i".into()]).unwrap();
        assert_eq!(
            picked.columns,
            [SelectedColumn {
                index: 1,
                negated: false
            }]
        );
        assert_eq!(picked.variables.len(), 1);
        assert_eq!(picked.variables[0].source, Source::Column);

        let picked = Selection::new(&all, &["?.i".into(), "R.R".into()]).unwrap();
        let names: Vec<_> = picked.variables.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["R.R", "C.i", "R.i"]);
        assert_eq!(picked.variables[0].source, Source::Constant(10.0));
        assert_eq!(
            picked.variables[2].source,
            Source::Alias {
                of: 1,
                negated: true
            }
        );

        // Alone, the negative alias holds the column with its own sign.
        let picked = Selection::new(&all, &["R.i".into()]).unwrap();
        let mut row = Vec::new();
        picked.gather(&[5.0, 7.0], &mut row);
        assert_eq!(row, [-7.0]);
    }
}
