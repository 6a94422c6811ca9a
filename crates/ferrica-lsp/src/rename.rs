//! Rename: one edit for every place of the workspace that names a declaration.
//!
//! Refused with a reason: what is declared in a library, what is found by its name (`inner`, `outer`), names that are none, and names
//! that something else has where the old one is used. A class with a file of its own takes the file along.

use std::path::{Path, PathBuf};

use ferrica_flat::DeclarationKind;
use ferrica_ir::{FileId, Symbol};
use ferrica_syntax::parse;
use ferrica_syntax::token::TokenKind;
use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    PrepareRenameResponse, RenameFile, ResourceOp, TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use crate::analysis::Analysis;
use crate::documents::{Document, Documents, uri_of};
use crate::navigation::{declaration_at, occurrence_at};
use crate::position::Text;
use crate::references::{Found, InFile, find};
use crate::world::World;

/// The identifier that would be renamed.
pub fn prepare(
    document: &Document,
    analysis: &Analysis,
    world: &World,
    offset: usize,
) -> Result<PrepareRenameResponse, String> {
    let here = occurrence_at(document, analysis, offset);
    let (at, name) = here.ok_or("there is no name here")?;
    let found = declaration_at(document, analysis, offset);
    let found = found.ok_or_else(|| format!("it is not known what `{name}` is"))?;
    let source = analysis.library.sources().get(found.span.file);
    let file = source.map(|s| PathBuf::from(&s.name)).unwrap_or_default();
    if found.span.file != analysis.file && !world.is_own(&file, &document.path) {
        return Err(in_library(name, &file));
    }
    if found.name != name {
        return Err(format!(
            "`{name}` is another name for `{}` here: an import gives it",
            found.name
        ));
    }
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: document.text.range(at.start as usize, at.end as usize),
        placeholder: name.as_str().to_string(),
    })
}

fn in_library(name: Symbol, file: &Path) -> String {
    format!(
        "`{name}` is declared in a library, which is not changed: {}",
        file.display()
    )
}

pub fn rename(
    document: &Document,
    analysis: &Analysis,
    documents: &Documents,
    world: &World,
    offset: usize,
    new: &str,
) -> Result<WorkspaceEdit, String> {
    prepare(document, analysis, world, offset)?;
    if !is_identifier(new) {
        return Err(format!("`{new}` is not a name"));
    }
    let found = find(document, analysis, world, offset, Some(Symbol::intern(new)));
    let found = found.ok_or("it is not known what this is")?;
    let shared = matches!(
        found.declaration.kind,
        DeclarationKind::Component {
            is_shared: true,
            ..
        }
    );
    if shared {
        return Err(format!(
            "`{}` is inner or outer: others find it by this name",
            found.name
        ));
    }
    for identity in &found.declared {
        let file = Path::new(&identity.file);
        if file != document.path && !world.is_own(file, &document.path) {
            return Err(in_library(found.name, file));
        }
    }
    if let Some(file) = found
        .files
        .iter()
        .find(|f| !world.is_own(&f.path, &document.path))
    {
        return Err(format!("{} cannot be written", file.path.display()));
    }
    if let Some(at) = &found.taken {
        return Err(format!(
            "`{new}` is the name of something else here, at {at}"
        ));
    }
    let mut operations: Vec<DocumentChangeOperation> = Vec::new();
    for file in &found.files {
        operations.push(DocumentChangeOperation::Edit(edit(file, documents, new)?));
    }
    operations.extend(moved(&found, documents, new)?);
    Ok(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    })
}

fn is_identifier(word: &str) -> bool {
    let parsed = parse(FileId(0), word);
    let one = parsed.tokens.len() == 2 && parsed.tokens[0].kind == TokenKind::Ident;
    let is_type = ["Real", "Integer", "Boolean", "String"].contains(&word);
    one && !is_type
}

fn edit(file: &InFile, documents: &Documents, new: &str) -> Result<TextDocumentEdit, String> {
    let uri = uri_of(&file.path).ok_or_else(|| format!("{}", file.path.display()))?;
    let version = documents.get(&uri).map(|d| d.version);
    let places = file.places.iter().filter(|p| !p.other_name);
    let edits = places.map(|p| {
        let range = file.text.range(p.start as usize, p.end as usize);
        OneOf::Left(TextEdit::new(range, new.to_string()))
    });
    Ok(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
        edits: edits.collect(),
    })
}

/// A class with a file or folder of its own: its line in `package.order`, and the move.
fn moved(
    found: &Found,
    documents: &Documents,
    new: &str,
) -> Result<Vec<DocumentChangeOperation>, String> {
    let mut out = Vec::new();
    if !matches!(found.declaration.kind, DeclarationKind::Class(_)) {
        return Ok(out);
    }
    let old = found.name.as_str();
    for identity in &found.declared {
        let file = Path::new(&identity.file);
        let own = file.file_name().and_then(|n| n.to_str()) == Some(&format!("{old}.mo"));
        let folder = file.parent().filter(|f| {
            file.ends_with("package.mo") && f.file_name().and_then(|n| n.to_str()) == Some(old)
        });
        let (from, to) = match folder {
            Some(folder) => (folder.to_path_buf(), folder.with_file_name(new)),
            None if own => (file.to_path_buf(), file.with_file_name(format!("{new}.mo"))),
            None => continue,
        };
        let Some(around) = from.parent() else {
            continue;
        };
        if to.exists() {
            return Err(format!("{} is there already", to.display()));
        }
        let order = around.join("package.order");
        if let Ok(text) = std::fs::read_to_string(&order) {
            let start: usize = (text.lines().take_while(|l| l.trim() != old))
                .map(|l| l.len() + 1)
                .sum();
            if text.get(start..start + old.len()) == Some(old) {
                let text = Text::new(text, crate::position::Encoding::Utf16);
                let place = InFile {
                    places: vec![crate::references::Place {
                        start: start as u32,
                        end: (start + old.len()) as u32,
                        declares: false,
                        other_name: false,
                    }],
                    path: order,
                    text,
                };
                out.push(DocumentChangeOperation::Edit(edit(&place, documents, new)?));
            }
        }
        if let (Some(old_uri), Some(new_uri)) = (uri_of(&from), uri_of(&to)) {
            out.push(DocumentChangeOperation::Op(ResourceOp::Rename(
                RenameFile {
                    old_uri,
                    new_uri,
                    options: None,
                    annotation_id: None,
                },
            )));
        }
    }
    Ok(out)
}
