//! Native functions: what `external "C"` functions of known names run.
//!
//! A native gets its arguments as the Modelica function passes them to C: values, arrays in
//! row-major order, outputs by position. Registration is by C name.

mod library;

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use ferrica_ir::expr::Ty;
use ferrica_natives::TableKind;
use ferrica_natives::data::Matrix;
use rustc_hash::FxHashMap;

use crate::function::NativeArg;
use crate::runtime::Runtime;

/// A native function. The error is what the user reads after the function's name.
pub type Native = Arc<dyn Fn(&mut NativeCall<'_>) -> Result<(), String> + Send + Sync>;

/// The table of natives.
#[derive(Clone)]
pub struct Natives {
    by_name: Arc<FxHashMap<String, Native>>,
    /// May functions change files, folders and the environment?
    pub may_change_system: bool,
    /// Are lines that the model prints shown?
    pub prints: bool,
    /// The user's C function `usertab`, where it is compiled into the model.
    pub user_tables: Option<UserTables>,
    /// Folder of the model's file: names of files to be read are relative to it.
    pub folder: Option<Arc<Path>>,
}

/// The table of a name and kind.
pub type UserTables = Arc<dyn Fn(&str, TableKind) -> Result<Matrix, String> + Send + Sync>;

impl Default for Natives {
    /// The functions that are always there.
    fn default() -> Natives {
        let mut by_name = FxHashMap::default();
        library::register(&mut |name, native| {
            by_name.insert(name.to_string(), native);
        });
        Natives {
            by_name: Arc::new(by_name),
            may_change_system: false,
            prints: true,
            user_tables: None,
            folder: None,
        }
    }
}

impl Natives {
    pub fn get(&self, name: &str) -> Option<&Native> {
        self.by_name.get(name)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Adds or replaces a native.
    pub fn insert(&mut self, name: &str, native: Native) {
        Arc::make_mut(&mut self.by_name).insert(name.to_string(), native);
    }
}

/// One call: arguments in, outputs out.
pub struct NativeCall<'a> {
    pub frame: &'a mut [f64],
    pub args: &'a [NativeArg],
    pub rt: &'a mut Runtime,
    /// The function's own return value, and its place in the frame.
    pub result: f64,
    pub result_slot: u32,
}

impl NativeCall<'_> {
    fn missing(k: usize) -> String {
        format!(
            "argument {} of the external function is missing or of another kind",
            k + 1
        )
    }

    pub fn len(&self) -> usize {
        self.args.len()
    }

    pub fn is_empty(&self) -> bool {
        self.args.is_empty()
    }

    /// Scalar argument k.
    pub fn real(&self, k: usize) -> Result<f64, String> {
        match self.args.get(k) {
            Some(NativeArg::Value(r, _) | NativeArg::Out(r, _)) => Ok(self.frame[*r as usize]),
            Some(NativeArg::Array { first, .. }) => Ok(self.frame[*first as usize]),
            None => Err(NativeCall::missing(k)),
        }
    }

    pub fn int(&self, k: usize) -> Result<i64, String> {
        Ok(self.real(k)? as i64)
    }

    pub fn bool(&self, k: usize) -> Result<bool, String> {
        Ok(self.real(k)? != 0.0)
    }

    pub fn text(&self, k: usize) -> Result<&str, String> {
        let handle = self.real(k)?;
        Ok(self.rt.text(handle))
    }

    /// Array argument k, row by row.
    pub fn array(&self, k: usize) -> Result<&[f64], String> {
        match self.args.get(k) {
            Some(NativeArg::Array { first, dims, .. }) => {
                let n: usize = dims.iter().map(|&d| d as usize).product();
                Ok(&self.frame[*first as usize..][..n])
            }
            _ => Err(NativeCall::missing(k)),
        }
    }

    pub fn array_mut(&mut self, k: usize) -> Result<&mut [f64], String> {
        match self.args.get(k) {
            Some(NativeArg::Array { first, dims, .. }) => {
                let n: usize = dims.iter().map(|&d| d as usize).product();
                Ok(&mut self.frame[*first as usize..][..n])
            }
            _ => Err(NativeCall::missing(k)),
        }
    }

    pub fn dims(&self, k: usize) -> Result<&[u32], String> {
        match self.args.get(k) {
            Some(NativeArg::Array { dims, .. }) => Ok(dims),
            _ => Err(NativeCall::missing(k)),
        }
    }

    /// Sets scalar output k.
    pub fn set(&mut self, k: usize, value: f64) -> Result<(), String> {
        match self.args.get(k) {
            Some(NativeArg::Out(r, _)) => {
                self.frame[*r as usize] = value;
                Ok(())
            }
            Some(NativeArg::Array { first, .. }) => {
                self.frame[*first as usize] = value;
                Ok(())
            }
            _ => Err(NativeCall::missing(k)),
        }
    }

    pub fn set_text(&mut self, k: usize, text: &str) -> Result<(), String> {
        let handle = self.rt.handle(text);
        self.set(k, handle)
    }

    pub fn return_text(&mut self, text: &str) {
        self.result = self.rt.handle(text);
    }

    /// Type of argument k.
    pub fn ty(&self, k: usize) -> Option<Ty> {
        self.args.get(k).map(|a| match a {
            NativeArg::Value(_, ty) | NativeArg::Out(_, ty) | NativeArg::Array { ty, .. } => *ty,
        })
    }

    /// The external object of argument k.
    pub fn object<T: Any + Send + Sync>(&self, k: usize) -> Result<Arc<T>, String> {
        let handle = self.real(k)?;
        let object = self
            .rt
            .object(handle)
            .ok_or("the external object was never constructed")?;
        object
            .clone()
            .downcast::<T>()
            .map_err(|_| "the external object is of another type".to_string())
    }

    /// Makes an external object the function's return value.
    pub fn return_object<T: Any + Send + Sync>(&mut self, object: T) {
        self.result = self.rt.add_object(Arc::new(object));
    }
}
