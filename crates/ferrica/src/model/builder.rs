//! Which model to load, and with what around it.

use std::path::PathBuf;

use super::Model;
use crate::error::{Diagnostic, Error};
use crate::options::ModelOptions;
use crate::value::Value;

/// Says which model to load, and with what around it.
///
/// ```
/// use ferrica::Model;
/// let text = "package P model A Real x = time; end A; model B extends A; Real y = n*x; parameter Integer n = 2; end B; end P;";
/// let model = Model::builder().text(text).model("P.B").set("n", 3).load()?;
/// assert_eq!(model.name(), "P.B");
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    options: ModelOptions,
}

impl ModelBuilder {
    /// The file with the model: the last class in it, unless [`ModelBuilder::model`] says otherwise.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().file("rc.mo");
    /// ```
    pub fn file(mut self, path: impl Into<PathBuf>) -> ModelBuilder {
        self.options.file = Some(path.into());
        self
    }

    /// The text of the model; a file that is given too only lends its name to messages.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().text("model M Real x = time; end M;");
    /// ```
    pub fn text(mut self, text: impl Into<String>) -> ModelBuilder {
        self.options.text = Some(text.into());
        self
    }

    /// The full name of the model, from the file, a library or the built-in library.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().model("Modelica.Blocks.Sources.Sine");
    /// ```
    pub fn model(mut self, name: impl Into<String>) -> ModelBuilder {
        self.options.model = Some(name.into());
        self
    }

    /// A folder with libraries, or a library; may be called again.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().library("libraries");
    /// ```
    pub fn library(mut self, folder: impl Into<PathBuf>) -> ModelBuilder {
        self.options.libs.push(folder.into());
        self
    }

    /// A parameter or start value.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().file("rc.mo").set("R.R", 50.0).set("C.v.start", 1.0);
    /// ```
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> ModelBuilder {
        self.options.params.push(value.into().assign(name));
        self
    }

    /// May `external "C"` code of users' libraries run? It may not unless this says so.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().file("pump.mo").allow_external(true);
    /// ```
    pub fn allow_external(mut self, allowed: bool) -> ModelBuilder {
        self.options.allow_external = allowed;
        self
    }

    /// Compiles the model.
    ///
    /// ```
    /// let model = ferrica::Model::builder().model("Modelica.Blocks.Sources.Sine").set("f", 50).load()?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn load(self) -> Result<Model, Error> {
        Model::compile(self.options)
    }

    /// What was asked for so far, as data.
    ///
    /// ```
    /// let builder = ferrica::Model::builder().model("A.B");
    /// assert_eq!(builder.options().model.as_deref(), Some("A.B"));
    /// ```
    pub fn options(&self) -> &ModelOptions {
        &self.options
    }

    /// All that is wrong with the model or worth a warning, as `ferrica check` tells it; nothing is run.
    ///
    /// ```
    /// let found = ferrica::Model::builder().text("model M Real x = 1 + \"a\"; end M;").check();
    /// assert!(found.iter().any(|d| d.is_error));
    /// ```
    pub fn check(self) -> Vec<Diagnostic> {
        match self.load() {
            Ok(model) => model.core.diagnostics.clone(),
            Err(error) => error.diagnostics().to_vec(),
        }
    }
}

impl From<ModelOptions> for ModelBuilder {
    fn from(options: ModelOptions) -> ModelBuilder {
        ModelBuilder { options }
    }
}
