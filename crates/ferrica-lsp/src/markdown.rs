//! Declarations as Markdown: what hover shows.

use ferrica_classes::Library;
use ferrica_flat::{Declaration, DeclarationKind};
use ferrica_ir::Span;
use ferrica_syntax::ast::{Causality, FlowPrefix, TypePrefixes, Variability};

/// The declaration as a line of Modelica, its description, and where it is.
pub fn declaration(of: &Declaration, library: &Library) -> String {
    let mut out = format!("```modelica\n{}\n```", line(of, library));
    if !of.description.is_empty() {
        out.push_str(&format!("\n\n{}", of.description));
    }
    if let Some(class) = of.class {
        let name = library.full_name(class);
        out.push_str(&format!("\n\n`{name}`"));
    }
    out
}

/// One line, as completion shows it beside the name.
pub fn line(of: &Declaration, library: &Library) -> String {
    match &of.kind {
        DeclarationKind::Literal => of.name.to_string(),
        DeclarationKind::Class(kind) => format!("{} {}", kind.keywords(), of.name),
        DeclarationKind::Component {
            type_name,
            prefixes,
            is_replaceable,
            binding,
            ..
        } => {
            let replaceable = if *is_replaceable { "replaceable " } else { "" };
            let value = binding.and_then(|span| text(library, span));
            let value = value.map_or(String::new(), |v| format!(" = {v}"));
            format!(
                "{replaceable}{}{type_name} {}{value}",
                words(prefixes),
                of.name
            )
        }
    }
}

fn words(prefixes: &TypePrefixes) -> String {
    let mut out = String::new();
    match prefixes.flow {
        Some(FlowPrefix::Flow) => out.push_str("flow "),
        Some(FlowPrefix::Stream) => out.push_str("stream "),
        None => {}
    }
    match prefixes.variability {
        Some(Variability::Constant) => out.push_str("constant "),
        Some(Variability::Parameter) => out.push_str("parameter "),
        Some(Variability::Discrete) => out.push_str("discrete "),
        None => {}
    }
    match prefixes.causality {
        Some(Causality::Input) => out.push_str("input "),
        Some(Causality::Output) => out.push_str("output "),
        None => {}
    }
    out
}

/// The source text of a short expression.
fn text(library: &Library, span: Span) -> Option<String> {
    const LONGEST: usize = 60;
    let source = library.sources().get(span.file)?;
    let text = source
        .text
        .get(span.start as usize..span.end as usize)?
        .trim();
    (text.len() <= LONGEST && !text.contains('\n')).then(|| text.to_string())
}
