//! Arguments held by value: for the evaluator of constants and for tests.

use std::path::{Path, PathBuf};

use crate::call::{Call, Object};

/// One argument or result.
#[derive(Clone, Debug)]
pub enum Value {
    Real(f64),
    Text(String),
    Array { data: Vec<f64>, dims: Vec<usize> },
    Texts(Vec<String>),
    Object(Object),
}

impl Value {
    pub fn vector(data: Vec<f64>) -> Value {
        let dims = vec![data.len()];
        Value::Array { data, dims }
    }

    pub fn matrix(rows: usize, columns: usize, data: Vec<f64>) -> Value {
        Value::Array {
            data,
            dims: vec![rows, columns],
        }
    }
}

/// A call whose outputs replace the values given for them.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    pub values: Vec<Value>,
    pub result: Option<Value>,
    pub printed: Vec<String>,
    pub may_change_system: bool,
    pub folder: Option<PathBuf>,
}

impl Arguments {
    pub fn new(values: Vec<Value>) -> Arguments {
        Arguments {
            values,
            ..Arguments::default()
        }
    }

    fn at(&self, k: usize) -> Result<&Value, String> {
        self.values.get(k).ok_or_else(|| other_kind(k))
    }

    fn at_mut(&mut self, k: usize) -> Result<&mut Value, String> {
        self.values.get_mut(k).ok_or_else(|| other_kind(k))
    }
}

fn other_kind(k: usize) -> String {
    format!("argument {} is missing or of another kind", k + 1)
}

impl Call for Arguments {
    fn real(&self, k: usize) -> Result<f64, String> {
        match self.at(k)? {
            Value::Real(x) => Ok(*x),
            Value::Array { data, .. } => data.first().copied().ok_or_else(|| other_kind(k)),
            _ => Err(other_kind(k)),
        }
    }

    fn text(&self, k: usize) -> Result<&str, String> {
        match self.at(k)? {
            Value::Text(s) => Ok(s),
            _ => Err(other_kind(k)),
        }
    }

    fn array(&self, k: usize) -> Result<&[f64], String> {
        match self.at(k)? {
            Value::Array { data, .. } => Ok(data),
            _ => Err(other_kind(k)),
        }
    }

    fn array_mut(&mut self, k: usize) -> Result<&mut [f64], String> {
        match self.at_mut(k)? {
            Value::Array { data, .. } => Ok(data),
            _ => Err(other_kind(k)),
        }
    }

    fn dims(&self, k: usize) -> Result<Vec<usize>, String> {
        match self.at(k)? {
            Value::Array { dims, .. } => Ok(dims.clone()),
            Value::Texts(list) => Ok(vec![list.len()]),
            _ => Err(other_kind(k)),
        }
    }

    fn object(&self, k: usize) -> Result<Object, String> {
        match self.at(k)? {
            Value::Object(o) => Ok(o.clone()),
            _ => Err(other_kind(k)),
        }
    }

    fn set(&mut self, k: usize, value: f64) -> Result<(), String> {
        *self.at_mut(k)? = Value::Real(value);
        Ok(())
    }

    fn set_text(&mut self, k: usize, text: &str) -> Result<(), String> {
        *self.at_mut(k)? = Value::Text(text.to_string());
        Ok(())
    }

    fn set_texts(&mut self, k: usize, texts: &[String]) -> Result<(), String> {
        *self.at_mut(k)? = Value::Texts(texts.to_vec());
        Ok(())
    }

    fn return_real(&mut self, value: f64) {
        self.result = Some(Value::Real(value));
    }

    fn return_text(&mut self, text: &str) {
        self.result = Some(Value::Text(text.to_string()));
    }

    fn return_object(&mut self, object: Object) {
        self.result = Some(Value::Object(object));
    }

    fn print(&mut self, line: &str) {
        self.printed.push(line.to_string());
    }

    fn may_change_system(&self) -> bool {
        self.may_change_system
    }

    fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}
