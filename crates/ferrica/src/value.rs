//! Values that users give to parameters.

use crate::options::Assignment;

/// A value of a parameter: a number, a truth value, or a text (a string or the name of an enumeration's literal).
///
/// ```
/// use ferrica::Value;
/// assert_eq!(Value::from(2.5), Value::Real(2.5));
/// assert_eq!(Value::from(true), Value::Boolean(true));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; for an Integer it must be a whole one.
    Real(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A Modelica literal such as `Smoothness.LinearSegments`, `3` or `{1, 2}`.
    Literal(String),
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Real(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Real(f64::from(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Boolean(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Literal(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Literal(value)
    }
}

impl Value {
    pub(crate) fn assign(&self, name: &str) -> Assignment {
        let value = match self {
            // The shortest digits that give the same number again.
            Value::Real(x) => format!("{x}"),
            Value::Boolean(b) => format!("{b}"),
            Value::Literal(text) => text.clone(),
        };
        Assignment {
            name: name.to_owned(),
            value,
        }
    }
}
