//! The functions of `ferrica-natives`, called on the frame of the interpreter.

use std::path::Path;
use std::sync::Arc;

use ferrica_natives::data::Matrix;
use ferrica_natives::{Call, Object, TableKind};

use super::{Native, NativeCall};
use crate::function::NativeArg;

pub fn register(add: &mut dyn FnMut(&str, Native)) {
    for name in ferrica_natives::names() {
        if let Some(native) = ferrica_natives::lookup(name) {
            add(name, Arc::new(move |call| native.call(call)));
        }
    }
}

impl Call for NativeCall<'_> {
    fn real(&self, k: usize) -> Result<f64, String> {
        NativeCall::real(self, k)
    }

    fn text(&self, k: usize) -> Result<&str, String> {
        NativeCall::text(self, k)
    }

    fn array(&self, k: usize) -> Result<&[f64], String> {
        NativeCall::array(self, k)
    }

    fn array_mut(&mut self, k: usize) -> Result<&mut [f64], String> {
        NativeCall::array_mut(self, k)
    }

    fn dims(&self, k: usize) -> Result<Vec<usize>, String> {
        Ok(NativeCall::dims(self, k)?
            .iter()
            .map(|&d| d as usize)
            .collect())
    }

    fn object(&self, k: usize) -> Result<Object, String> {
        let handle = NativeCall::real(self, k)?;
        self.rt
            .object(handle)
            .cloned()
            .ok_or_else(|| "the external object was never constructed".to_string())
    }

    fn set(&mut self, k: usize, value: f64) -> Result<(), String> {
        NativeCall::set(self, k, value)
    }

    fn set_text(&mut self, k: usize, text: &str) -> Result<(), String> {
        NativeCall::set_text(self, k, text)
    }

    fn set_texts(&mut self, k: usize, texts: &[String]) -> Result<(), String> {
        let Some(NativeArg::Array { first, dims, .. }) = self.args.get(k) else {
            return Err(NativeCall::missing(k));
        };
        let n: usize = dims.iter().map(|&d| d as usize).product();
        for (i, text) in texts.iter().take(n).enumerate() {
            self.frame[*first as usize + i] = self.rt.handle(text);
        }
        Ok(())
    }

    fn return_real(&mut self, value: f64) {
        self.result = value;
    }

    fn return_text(&mut self, text: &str) {
        NativeCall::return_text(self, text);
    }

    fn return_object(&mut self, object: Object) {
        self.result = self.rt.add_object(object);
    }

    /// To standard error: standard output may be the result table.
    fn print(&mut self, line: &str) {
        if self.rt.prints {
            eprintln!("{line}");
        }
    }

    fn user_table(&self, name: &str, kind: TableKind) -> Result<Matrix, String> {
        match &self.rt.user_tables {
            Some(tables) => tables(name, kind),
            None => ferrica_natives::call::no_user_table(name),
        }
    }

    fn may_change_system(&self) -> bool {
        self.rt.may_change_system
    }

    fn folder(&self) -> Option<&Path> {
        self.rt.folder.as_deref()
    }
}
