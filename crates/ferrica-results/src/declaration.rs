//! What the model says of a variable: unit, display unit, description, type.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What is said for the type of a parameter that is a text.
pub const TEXT: &str = "String";

/// The kind of values; all are stored as numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ValueType {
    #[default]
    Real,
    Integer,
    /// 0 and 1.
    Boolean,
    /// 1 for the first of these literals.
    Enumeration(Arc<[String]>),
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Real => f.write_str("Real"),
            ValueType::Integer => f.write_str("Integer"),
            ValueType::Boolean => f.write_str("Boolean"),
            ValueType::Enumeration(literals) => write!(f, "enumeration({})", literals.join(",")),
        }
    }
}

impl FromStr for ValueType {
    type Err = ();

    fn from_str(word: &str) -> Result<ValueType, ()> {
        match word {
            "Real" => Ok(ValueType::Real),
            "Integer" => Ok(ValueType::Integer),
            "Boolean" => Ok(ValueType::Boolean),
            _ => {
                let list = word.strip_prefix("enumeration(");
                let list = list.and_then(|l| l.strip_suffix(')')).ok_or(())?;
                let literals = list.split(',').map(|l| l.trim().to_owned());
                Ok(ValueType::Enumeration(literals.collect()))
            }
        }
    }
}

/// All of it; empty texts where the model says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    pub unit: String,
    pub display_unit: String,
    pub description: String,
    pub ty: ValueType,
}

impl Declaration {
    /// One line as result files of other tools have it: `description [unit|displayUnit]`, with the type unless it is Real:
    /// `closed [:#(type=Boolean)]`.
    pub fn to_line(&self) -> String {
        let mut bracket = self.unit.clone();
        if !self.display_unit.is_empty() && self.display_unit != self.unit {
            bracket += &format!("|{}", self.display_unit);
        }
        if self.ty != ValueType::Real {
            bracket += &format!(":#(type={})", self.ty);
        }
        match (self.description.as_str(), bracket.as_str()) {
            (text, "") => text.to_owned(),
            ("", bracket) => format!("[{bracket}]"),
            (text, bracket) => format!("{text} [{bracket}]"),
        }
    }

    /// Reads such a line.
    pub fn from_line(line: &str) -> Declaration {
        let bracket = line.strip_suffix(']').and_then(|l| l.rsplit_once('['));
        let Some((text, inner)) = bracket else {
            return Declaration {
                description: line.to_owned(),
                ..Declaration::default()
            };
        };
        // Tools note attributes of the variable behind the units.
        let (units, notes) = inner.split_once(":#(").unwrap_or((inner, ""));
        let (unit, display_unit) = units.split_once('|').unwrap_or((units, ""));
        let ty = notes.split_once("type=").map(|(_, rest)| rest);
        let ty = ty.and_then(|rest| type_at_start(rest).parse().ok());
        Declaration {
            unit: unit.trim().to_owned(),
            display_unit: display_unit.trim().to_owned(),
            description: text.trim_end().to_owned(),
            ty: ty.unwrap_or_default(),
        }
    }
}

/// The word of a type, with its parentheses if it has some.
fn type_at_start(text: &str) -> &str {
    match text.strip_prefix("enumeration(") {
        Some(rest) => rest
            .find(')')
            .map_or(text, |k| &text[..text.len() - rest.len() + k + 1]),
        None => text.split([')', ',', ';']).next().unwrap_or(text).trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back() {
        let literals: Arc<[String]> = ["a".to_owned(), "b".to_owned()].into();
        let all = [
            ("", "", "", ValueType::Real),
            ("V", "", "voltage", ValueType::Real),
            ("rad", "deg", "", ValueType::Real),
            ("", "", "closed", ValueType::Boolean),
            ("1", "", "number [of things]", ValueType::Integer),
            ("", "", "", ValueType::Enumeration(literals)),
        ];
        for (unit, display_unit, description, ty) in all {
            let declared = Declaration {
                unit: unit.into(),
                display_unit: display_unit.into(),
                description: description.into(),
                ty,
            };
            let line = declared.to_line();
            assert_eq!(Declaration::from_line(&line), declared, "{line}");
        }
    }

    #[test]
    fn lines_of_other_tools() {
        let read = Declaration::from_line;
        assert_eq!(read("voltage [V]").unit, "V");
        assert_eq!(read("angle [rad|deg]").display_unit, "deg");
        assert_eq!(read("closed [:#(type=Boolean)]").ty, ValueType::Boolean);
        assert_eq!(read("closed [:#(type=Boolean)]").unit, "");
        assert_eq!(read("no unit").description, "no unit");
    }
}
