//! Values of the symbolic evaluation: scalars are expressions of the flat model's arena, arrays and
//! records are made of them.

use std::rc::Rc;

use ferrica_ir::{ExprId, Symbol};

use crate::instance::ScopeId;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Scalar(ExprId),
    Array(Rc<Array>),
    Record(Rc<Record>),
    /// Result of a function with several outputs.
    Tuple(Vec<Value>),
    /// A function as an argument, with the arguments that are already given.
    Function(Rc<FunctionValue>),
}

/// Row-major; elements are scalars or records.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub dims: Vec<usize>,
    pub items: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Scope of the record class, for operators and constructors; none for anonymous ones.
    pub class: Option<ScopeId>,
    pub fields: Vec<(Symbol, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionValue {
    pub scope: ScopeId,
    pub given: Vec<(Symbol, Value)>,
}

impl Value {
    pub fn array(dims: Vec<usize>, items: Vec<Value>) -> Value {
        debug_assert_eq!(dims.iter().product::<usize>(), items.len());
        if dims.is_empty()
            && let Some(one) = items.first()
        {
            return one.clone();
        }
        Value::Array(Rc::new(Array { dims, items }))
    }

    pub fn dims(&self) -> &[usize] {
        match self {
            Value::Array(a) => &a.dims,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Value] {
        match self {
            Value::Array(a) => &a.items,
            one => std::slice::from_ref(one),
        }
    }

    /// A record, or an array of records?
    pub fn is_of_records(&self) -> bool {
        matches!(self.items().first().unwrap_or(self), Value::Record(_))
    }

    pub fn scalar(&self) -> Option<ExprId> {
        match self {
            Value::Scalar(e) => Some(*e),
            _ => None,
        }
    }

    pub fn field(&self, name: Symbol) -> Option<Value> {
        match self {
            Value::Record(r) => r
                .fields
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.clone()),
            Value::Array(a) => {
                let items: Option<Vec<Value>> = a.items.iter().map(|v| v.field(name)).collect();
                let items = items?;
                let inner = items.first().map(|v| v.dims().to_vec()).unwrap_or_default();
                let mut dims = a.dims.clone();
                dims.extend(&inner);
                let flat = items.iter().flat_map(|v| v.items().to_vec()).collect();
                Some(Value::array(dims, flat))
            }
            _ => None,
        }
    }

    /// Element k of the first `rank` dimensions taken together (row-major, from 0).
    pub fn element(&self, k: usize, rank: usize) -> Option<Value> {
        let Value::Array(a) = self else { return None };
        if a.dims.len() < rank {
            return None;
        }
        let rest = &a.dims[rank..];
        let size: usize = rest.iter().product();
        let items = a.items.get(k * size..(k + 1) * size)?;
        Some(Value::array(rest.to_vec(), items.to_vec()))
    }

    /// An array of the last of these dimensions, once for each element of the others.
    pub fn repeated(self, dims: &[usize]) -> Value {
        let Value::Array(a) = &self else { return self };
        if a.dims.len() >= dims.len() || !dims.ends_with(&a.dims) {
            return self;
        }
        let times = dims[..dims.len() - a.dims.len()].iter().product();
        let items = std::iter::repeat_n(&a.items, times).flatten().cloned();
        Value::array(dims.to_vec(), items.collect())
    }

    /// All scalars below, in order.
    pub fn scalars(&self, out: &mut Vec<ExprId>) {
        match self {
            Value::Scalar(e) => out.push(*e),
            Value::Array(a) => a.items.iter().for_each(|v| v.scalars(out)),
            Value::Record(r) => r.fields.iter().for_each(|(_, v)| v.scalars(out)),
            Value::Tuple(items) => items.iter().for_each(|v| v.scalars(out)),
            // What a function argument has captured is passed along with it.
            Value::Function(f) => f.given.iter().for_each(|(_, v)| v.scalars(out)),
        }
    }

    /// The same shape with each scalar replaced.
    pub fn map_scalars(&self, f: &mut dyn FnMut(ExprId) -> ExprId) -> Value {
        match self {
            Value::Scalar(e) => Value::Scalar(f(*e)),
            Value::Array(a) => Value::Array(Rc::new(Array {
                dims: a.dims.clone(),
                items: a.items.iter().map(|v| v.map_scalars(f)).collect(),
            })),
            Value::Record(r) => Value::Record(Rc::new(Record {
                class: r.class,
                fields: r
                    .fields
                    .iter()
                    .map(|(n, v)| (*n, v.map_scalars(f)))
                    .collect(),
            })),
            Value::Tuple(items) => Value::Tuple(items.iter().map(|v| v.map_scalars(f)).collect()),
            Value::Function(v) => Value::Function(Rc::new(FunctionValue {
                scope: v.scope,
                given: v
                    .given
                    .iter()
                    .map(|(n, v)| (*n, v.map_scalars(f)))
                    .collect(),
            })),
        }
    }

    /// The description with its article.
    pub fn a_shape(&self) -> String {
        match self {
            Value::Array(_) => format!("an {}", self.shape()),
            Value::Tuple(_) => self.shape(),
            _ => format!("a {}", self.shape()),
        }
    }

    /// A human description: `Real[3]`-like without the element type.
    pub fn shape(&self) -> String {
        match self {
            Value::Scalar(_) => "scalar".into(),
            Value::Array(a) => {
                let list: Vec<String> = a.dims.iter().map(usize::to_string).collect();
                format!("array of size [{}]", list.join(", "))
            }
            Value::Record(_) => "record".into(),
            Value::Tuple(t) => format!("{} results", t.len()),
            Value::Function(_) => "function".into(),
        }
    }
}

/// A component and a value for it that differ in size.
pub fn wrong_size(name: Symbol, dims: &[usize], value: &Value) -> String {
    let value = value.a_shape();
    match dims {
        [] => format!("`{name}` is a scalar, but its value is {value}"),
        _ => format!("`{name}` has size {dims:?}, but its value is {value}"),
    }
}
