//! How a native function sees its arguments.
//!
//! Numbers of every Modelica type are `f64` (Boolean: 0 or 1; enumerations count from 1). Arguments
//! are numbered from 0 in the order of the foreign call. An external object is an [`Object`]: made
//! by a constructor, shared afterwards, never changed (what C code keeps as mutable state, these
//! functions compute from their arguments or guard by a lock).

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use crate::data::Matrix;

/// What a table is interpolated over, with the number that `usertab` has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    Time = 0,
    OneD = 1,
    TwoD = 2,
}

/// An external object.
pub type Object = Arc<dyn Any + Send + Sync>;

/// The error of a table that is neither in the model nor in a file nor in C code.
pub fn no_user_table(name: &str) -> Result<Matrix, String> {
    Err(format!(
        "table `{name}` has no file, and the model has no C function `usertab`, which is compiled in with --allow-external"
    ))
}

/// Arguments and results of one call.
pub trait Call {
    fn real(&self, k: usize) -> Result<f64, String>;
    fn text(&self, k: usize) -> Result<&str, String>;
    /// All elements of an array, row by row.
    fn array(&self, k: usize) -> Result<&[f64], String>;
    fn array_mut(&mut self, k: usize) -> Result<&mut [f64], String>;
    fn dims(&self, k: usize) -> Result<Vec<usize>, String>;
    fn object(&self, k: usize) -> Result<Object, String>;

    fn set(&mut self, k: usize, value: f64) -> Result<(), String>;
    fn set_text(&mut self, k: usize, text: &str) -> Result<(), String>;
    fn set_texts(&mut self, k: usize, texts: &[String]) -> Result<(), String>;

    fn return_real(&mut self, value: f64);
    fn return_text(&mut self, text: &str);
    fn return_object(&mut self, object: Object);

    /// Text for the user, a line at a time without its end.
    fn print(&mut self, line: &str);

    /// A table that the user's C function `usertab` knows by name.
    fn user_table(&self, name: &str, _kind: TableKind) -> Result<Matrix, String> {
        no_user_table(name)
    }

    /// May the function change files, folders and the environment? Off unless the user allows it.
    fn may_change_system(&self) -> bool {
        false
    }

    /// Folder of the model's file.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

impl dyn Call + '_ {
    pub fn int(&self, k: usize) -> Result<i64, String> {
        Ok(self.real(k)? as i64)
    }

    /// A size or a count.
    pub fn size(&self, k: usize) -> Result<usize, String> {
        let n = self.real(k)?;
        if n >= 0.0 && n <= f64::from(u32::MAX) {
            Ok(n as usize)
        } else {
            Err(format!("argument {} is not a size: {n}", k + 1))
        }
    }

    pub fn bool(&self, k: usize) -> Result<bool, String> {
        Ok(self.real(k)? != 0.0)
    }

    /// The name of a file or folder to be read: relative to the model's file, or to the working folder if there is none there.
    pub fn readable(&self, k: usize) -> Result<String, String> {
        let name = self.text(k)?;
        let beside = self.folder().map(|folder| folder.join(name));
        let beside = beside.filter(|_| Path::new(name).is_relative() && !name.is_empty());
        Ok(match beside.filter(|path| path.exists()) {
            Some(path) => path.to_string_lossy().replace('\\', "/"),
            None => name.to_string(),
        })
    }

    /// The external object of argument k, as its Rust type.
    pub fn object_of<T: Any + Send + Sync>(&self, k: usize) -> Result<Arc<T>, String> {
        self.object(k)?
            .downcast::<T>()
            .map_err(|_| "the external object is of another kind".to_string())
    }

    /// Copies values into an output array of exactly that many elements.
    pub fn fill(&mut self, k: usize, values: &[f64]) -> Result<(), String> {
        let out = self.array_mut(k)?;
        if out.len() != values.len() {
            return Err(format!(
                "argument {} has {} elements, {} are needed",
                k + 1,
                out.len(),
                values.len()
            ));
        }
        out.copy_from_slice(values);
        Ok(())
    }
}
