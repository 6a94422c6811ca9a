//! The questions of a client: each method with the function that answers it.

use ferrica::sources::formatting::{FormatOptions, format_text};
use ferrica_ir::SourceMap;
use lsp_server::{ErrorCode, Request, RequestId, Response};
use lsp_types::request::Request as _;
use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, DocumentFormattingParams,
    DocumentHighlightParams, DocumentLinkParams, DocumentSymbolParams, DocumentSymbolResponse,
    FoldingRangeParams, GotoDefinitionParams, HoverParams, InlayHintParams, Location,
    ReferenceParams, RenameParams, SelectionRangeParams, SemanticTokens, SemanticTokensParams,
    SignatureHelpParams, TextDocumentPositionParams, TextEdit, Uri, WorkspaceSymbolParams, request,
};
use serde_json::Value;

use crate::analysis::Analysis;
use crate::documents::{Document, uri_of};
use crate::references::Found;
use crate::server::Server;
use crate::{
    commands, completion, fixes, hover, inlay, links, navigation, outline, references, rename,
    selection, signature, tokens,
};

/// An answer, or why there is none.
type Answer = Result<Option<Value>, String>;

impl Server<'_> {
    /// Answers a question; what cannot be answered is null.
    pub fn answer(&self, request: Request) -> Response {
        let Request { id, method, params } = request;
        macro_rules! at_place {
            ($params:ty, $($field:ident).+, |$d:ident, $a:ident, $o:ident| $answer:expr) => {
                self.at(id, params, |p: &$params| &p.$($field).+, |$d, $a, $o, _| Ok($answer))
            };
        }
        match method.as_str() {
            request::HoverRequest::METHOD => {
                at_place!(HoverParams, text_document_position_params, |d, a, o| {
                    hover::hover(d, a, o).map(to_value)
                })
            }
            request::GotoDefinition::METHOD => {
                at_place!(
                    GotoDefinitionParams,
                    text_document_position_params,
                    |d, a, o| navigation::definition(d, a, o).map(to_value)
                )
            }
            request::GotoDeclaration::METHOD => {
                at_place!(
                    GotoDefinitionParams,
                    text_document_position_params,
                    |d, a, o| navigation::declaration(d, a, o).map(to_value)
                )
            }
            request::GotoTypeDefinition::METHOD => {
                at_place!(
                    GotoDefinitionParams,
                    text_document_position_params,
                    |d, a, o| navigation::type_definition(d, a, o).map(to_value)
                )
            }
            // Base classes: what a class is made from.
            request::GotoImplementation::METHOD => {
                at_place!(
                    GotoDefinitionParams,
                    text_document_position_params,
                    |d, a, o| Some(to_value(navigation::bases(d, a, o)))
                )
            }
            request::DocumentHighlightRequest::METHOD => {
                at_place!(
                    DocumentHighlightParams,
                    text_document_position_params,
                    |d, a, o| Some(to_value(navigation::highlights(d, a, o)))
                )
            }
            request::SignatureHelpRequest::METHOD => {
                at_place!(
                    SignatureHelpParams,
                    text_document_position_params,
                    |d, a, o| signature::help(d, a, o).map(to_value)
                )
            }
            request::Completion::METHOD => {
                at_place!(CompletionParams, text_document_position, |d, a, o| {
                    Some(to_value(completion::complete(d, a, o)))
                })
            }
            request::References::METHOD => self.at(
                id,
                params,
                |p: &ReferenceParams| &p.text_document_position,
                |d, a, o, p| {
                    let found = references::find(d, a, &self.world, o, None);
                    Ok(found.map(|f| to_value(locations(&f, p.context.include_declaration))))
                },
            ),
            request::PrepareRenameRequest::METHOD => self.at(
                id,
                params,
                |p: &TextDocumentPositionParams| p,
                |d, a, o, _| rename::prepare(d, a, &self.world, o).map(|r| Some(to_value(r))),
            ),
            request::Rename::METHOD => self.at(
                id,
                params,
                |p: &RenameParams| &p.text_document_position,
                |d, a, o, p| {
                    let edit = rename::rename(d, a, &self.documents, &self.world, o, &p.new_name);
                    edit.map(|e| Some(to_value(e)))
                },
            ),
            request::DocumentSymbolRequest::METHOD => self.of(
                id,
                params,
                |p: &DocumentSymbolParams| &p.text_document.uri,
                |d, _| {
                    Ok(Some(to_value(DocumentSymbolResponse::Nested(
                        outline::symbols(d),
                    ))))
                },
            ),
            request::FoldingRangeRequest::METHOD => self.of(
                id,
                params,
                |p: &FoldingRangeParams| &p.text_document.uri,
                |d, _| Ok(Some(to_value(outline::folds(d)))),
            ),
            request::SelectionRangeRequest::METHOD => self.of(
                id,
                params,
                |p: &SelectionRangeParams| &p.text_document.uri,
                |d, p| {
                    Ok(Some(to_value(selection::ranges(
                        d,
                        &self.analysis(d),
                        &p.positions,
                    ))))
                },
            ),
            request::SemanticTokensFullRequest::METHOD => self.of(
                id,
                params,
                |p: &SemanticTokensParams| &p.text_document.uri,
                |d, _| {
                    let data = tokens::tokens(d);
                    Ok(Some(to_value(SemanticTokens {
                        result_id: None,
                        data,
                    })))
                },
            ),
            request::InlayHintRequest::METHOD => self.of(
                id,
                params,
                |p: &InlayHintParams| &p.text_document.uri,
                |d, p| Ok(Some(to_value(inlay::hints(d, &self.analysis(d), p.range)))),
            ),
            request::CodeLensRequest::METHOD => self.of(
                id,
                params,
                |p: &CodeLensParams| &p.text_document.uri,
                |d, _| Ok(Some(to_value(commands::lenses(d, &self.analysis(d))))),
            ),
            request::CodeActionRequest::METHOD => self.of(
                id,
                params,
                |p: &CodeActionParams| &p.text_document.uri,
                |d, p| {
                    Ok(Some(to_value(fixes::actions(
                        d,
                        &self.analysis(d),
                        &p.context.diagnostics,
                    ))))
                },
            ),
            request::DocumentLinkRequest::METHOD => self.of(
                id,
                params,
                |p: &DocumentLinkParams| &p.text_document.uri,
                |d, _| Ok(Some(to_value(links::links(d, &self.analysis(d))))),
            ),
            request::Formatting::METHOD => self.of(
                id,
                params,
                |p: &DocumentFormattingParams| &p.text_document.uri,
                |d, p| Ok(formatted(d, p).map(to_value)),
            ),
            request::WorkspaceSymbolRequest::METHOD => {
                match serde_json::from_value::<WorkspaceSymbolParams>(params) {
                    Ok(p) => Response::new_ok(id, self.index.find(&p.query)),
                    Err(e) => Response::new_err(id, ErrorCode::InvalidParams as i32, e.to_string()),
                }
            }
            _ => Response::new_err(
                id,
                ErrorCode::MethodNotFound as i32,
                format!("`{method}` is not known here"),
            ),
        }
    }

    /// A question about a place.
    fn at<P: serde::de::DeserializeOwned>(
        &self,
        id: RequestId,
        params: Value,
        place: impl Fn(&P) -> &TextDocumentPositionParams,
        answer: impl Fn(&Document, &Analysis, usize, &P) -> Answer,
    ) -> Response {
        self.of(
            id,
            params,
            |p: &P| &place(p).text_document.uri,
            |document, p| {
                let offset = document.text.offset(place(p).position);
                answer(document, &self.analysis(document), offset, p)
            },
        )
    }

    /// A question about a text.
    fn of<P: serde::de::DeserializeOwned>(
        &self,
        id: RequestId,
        params: Value,
        uri: impl Fn(&P) -> &Uri,
        answer: impl Fn(&Document, &P) -> Answer,
    ) -> Response {
        let p = match serde_json::from_value::<P>(params) {
            Ok(p) => p,
            Err(e) => {
                return Response::new_err(id, ErrorCode::InvalidParams as i32, e.to_string());
            }
        };
        let Some(document) = self.documents.get(uri(&p)) else {
            return Response::new_ok(id, Value::Null);
        };
        match answer(document, &p) {
            Ok(value) => Response::new_ok(id, value.unwrap_or(Value::Null)),
            Err(why) => Response::new_err(id, ErrorCode::RequestFailed as i32, why),
        }
    }
}

fn locations(found: &Found, with_declaration: bool) -> Vec<Location> {
    let mut out = Vec::new();
    for file in &found.files {
        let Some(uri) = uri_of(&file.path) else {
            continue;
        };
        for place in file
            .places
            .iter()
            .filter(|p| with_declaration || !p.declares)
        {
            let range = file.text.range(place.start as usize, place.end as usize);
            out.push(Location::new(uri.clone(), range));
        }
    }
    out
}

/// The whole text in the style of the formatter; nothing for a text with mistakes.
fn formatted(document: &Document, params: &DocumentFormattingParams) -> Option<Vec<TextEdit>> {
    let options = FormatOptions {
        indent: params.options.tab_size as usize,
        ..FormatOptions::default()
    };
    let text = &document.text;
    let name = document.path.display().to_string();
    let new = format_text(&name, &text.content, &options, &SourceMap::new()).ok()?;
    if new == text.content {
        return Some(Vec::new());
    }
    Some(vec![TextEdit::new(text.range(0, text.content.len()), new)])
}

pub fn to_value(of: impl serde::Serialize) -> Value {
    serde_json::to_value(of).unwrap_or(Value::Null)
}
