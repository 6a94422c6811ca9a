//! Modelica text to a compiled model, for the tests and examples of the crates that run models.

use std::sync::Arc;

use ferrica_classes::{Library, SearchPath};
use ferrica_codegen::{CompileOptions, CompiledModel};
use ferrica_ir::SourceMap;

/// The last class of a text.
pub fn compile_with(text: &str, options: &CompileOptions) -> Arc<CompiledModel> {
    let sources = Arc::new(SourceMap::new());
    let show = |errors: Vec<ferrica_ir::Diagnostic>| -> ! {
        for e in &errors {
            eprintln!("{}", sources.render(e));
        }
        panic!("the model does not compile");
    };
    let library = Library::new(sources.clone(), SearchPath::from_environment(vec![], None));
    let own = match library.add_source("test.mo", text) {
        Ok(own) => own,
        Err(e) => show(e),
    };
    let class = *own.last().expect("a class");
    let flat = match ferrica_flat::flatten_class(&library, class) {
        Ok(f) => f.model,
        Err(e) => show(e),
    };
    let causal = match ferrica_structure::compile(flat, &ferrica_structure::Options::default()) {
        Ok(c) => c.model,
        Err(e) => show(e),
    };
    match ferrica_codegen::compile(causal, options) {
        Ok(m) => Arc::new(m),
        Err(e) => show(e),
    }
}
