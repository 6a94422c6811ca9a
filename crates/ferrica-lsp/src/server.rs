//! The loop of the server: requests are answered in order, changes are taken, checks are sent to their thread.

use std::path::PathBuf;
use std::sync::mpsc;

use ferrica::formatting::{FormatOptions, format_text};
use ferrica_ir::SourceMap;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use lsp_types::{
    CompletionOptions, CompletionParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentFormattingParams, DocumentSymbolParams,
    DocumentSymbolResponse, FoldingRangeParams, FoldingRangeProviderCapability,
    GotoDefinitionParams, GotoDefinitionResponse, HoverParams, HoverProviderCapability,
    InitializeParams, InitializeResult, OneOf, Position, PositionEncodingKind,
    PublishDiagnosticsParams, SemanticTokens, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, SemanticTokensParams, ServerCapabilities, ServerInfo,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit,
    TypeDefinitionProviderCapability, Uri, notification, request,
};
use serde_json::Value;

use crate::analysis::Analysis;
use crate::documents::{Document, Documents};
use crate::position::Encoding;
use crate::{checking, completion, navigation, outline, tokens};

/// Serves a client over standard input and output until it says goodbye. `libs`: folders of libraries beside those of the client.
pub fn serve(libs: &[PathBuf]) -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let done = serve_over(&connection, libs);
    // The writer ends when nobody can send any more.
    drop(connection);
    threads.join().map_err(|e| e.to_string())?;
    done
}

/// The same over any connection.
pub fn serve_over(connection: &Connection, libs: &[PathBuf]) -> Result<(), String> {
    let (id, params) = connection.initialize_start().map_err(|e| e.to_string())?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|e| e.to_string())?;
    let encoding = encoding(&params);
    let result = InitializeResult {
        capabilities: capabilities(encoding),
        server_info: Some(ServerInfo {
            name: "ferrica".into(),
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
    };
    let result = serde_json::to_value(result).map_err(|e| e.to_string())?;
    connection
        .initialize_finish(id, result)
        .map_err(|e| e.to_string())?;
    let (jobs, queue) = mpsc::channel();
    let sender = connection.sender.clone();
    let checker = std::thread::Builder::new()
        .name("checks".into())
        .spawn(move || {
            checking::work(&queue, |uri, version, diagnostics| {
                // A client that is gone needs no messages.
                let _ = sender.send(Message::Notification(published(uri, version, diagnostics)));
            });
        });
    let checker = checker.map_err(|e| e.to_string())?;
    let mut server = Server {
        connection,
        encoding,
        libs: libs.iter().cloned().chain(settings(&params)).collect(),
        documents: Documents::default(),
        jobs,
    };
    let done = server.run();
    drop(server);
    let _ = checker.join();
    done
}

fn encoding(params: &InitializeParams) -> Encoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|g| g.position_encodings.as_ref());
    match offered {
        Some(kinds) if kinds.contains(&PositionEncodingKind::UTF8) => Encoding::Utf8,
        _ => Encoding::Utf16,
    }
}

/// Folders of libraries in the client's settings: `{"libraries": ["…"]}`.
fn settings(params: &InitializeParams) -> Vec<PathBuf> {
    let list = params
        .initialization_options
        .as_ref()
        .and_then(|o| o.get("libraries"));
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(PathBuf::from).collect()
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".into()]),
            ..CompletionOptions::default()
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: tokens::LEGEND.to_vec(),
                    token_modifiers: Vec::new(),
                },
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        ..ServerCapabilities::default()
    }
}

fn published(uri: &Uri, version: i32, diagnostics: Vec<lsp_types::Diagnostic>) -> Notification {
    let params = PublishDiagnosticsParams::new(uri.clone(), diagnostics, Some(version));
    Notification::new(notification::PublishDiagnostics::METHOD.into(), params)
}

struct Server<'c> {
    connection: &'c Connection,
    encoding: Encoding,
    libs: Vec<PathBuf>,
    documents: Documents,
    jobs: mpsc::Sender<checking::Job>,
}

impl Server<'_> {
    fn run(&mut self) -> Result<(), String> {
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) => {
                    if self
                        .connection
                        .handle_shutdown(&request)
                        .map_err(|e| e.to_string())?
                    {
                        return Ok(());
                    }
                    let response = self.answer(request);
                    self.send(Message::Response(response))?;
                }
                Message::Notification(n) => self.take(n)?,
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn send(&self, message: Message) -> Result<(), String> {
        self.connection
            .sender
            .send(message)
            .map_err(|e| e.to_string())
    }

    // ---- what the client tells ----

    fn take(&mut self, n: Notification) -> Result<(), String> {
        match n.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let Ok(p) = serde_json::from_value::<DidOpenTextDocumentParams>(n.params) else {
                    return Ok(());
                };
                let d = p.text_document;
                self.documents
                    .open(&d.uri, d.version, d.text, self.encoding);
                self.check(&d.uri)
            }
            notification::DidChangeTextDocument::METHOD => {
                let Ok(p) = serde_json::from_value::<DidChangeTextDocumentParams>(n.params) else {
                    return Ok(());
                };
                let d = p.text_document;
                self.documents
                    .change(&d.uri, d.version, p.content_changes, self.encoding);
                self.check(&d.uri)
            }
            notification::DidCloseTextDocument::METHOD => {
                let Ok(p) = serde_json::from_value::<DidCloseTextDocumentParams>(n.params) else {
                    return Ok(());
                };
                self.documents.close(&p.text_document.uri);
                self.send(Message::Notification(published(
                    &p.text_document.uri,
                    0,
                    Vec::new(),
                )))
            }
            _ => Ok(()),
        }
    }

    /// Tells mistakes of syntax at once and asks for the rest.
    fn check(&self, uri: &Uri) -> Result<(), String> {
        let Some(document) = self.documents.get(uri) else {
            return Ok(());
        };
        let found = checking::syntax(document);
        if !found.is_empty() {
            self.send(Message::Notification(published(
                uri,
                document.version,
                found,
            )))?;
        }
        let job = checking::Job {
            uri: uri.clone(),
            version: document.version,
            text: document.text.content.clone(),
            encoding: self.encoding,
            libs: self.libs.clone(),
        };
        self.jobs.send(job).map_err(|e| e.to_string())
    }

    // ---- what the client asks ----

    fn answer(&self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let encoding = self.encoding;
        match method.as_str() {
            request::HoverRequest::METHOD => self.at(
                id,
                params,
                |p: &HoverParams| &p.text_document_position_params,
                |d, a, o, _| navigation::hover(d, a, o).map(to_value),
            ),
            request::GotoDefinition::METHOD => self.at(
                id,
                params,
                |p: &GotoDefinitionParams| &p.text_document_position_params,
                |d, a, o, _| {
                    navigation::definition(d, a, o, encoding)
                        .map(|l| to_value(GotoDefinitionResponse::Scalar(l)))
                },
            ),
            request::GotoTypeDefinition::METHOD => self.at(
                id,
                params,
                |p: &GotoDefinitionParams| &p.text_document_position_params,
                |d, a, o, _| {
                    navigation::type_definition(d, a, o, encoding)
                        .map(|l| to_value(GotoDefinitionResponse::Scalar(l)))
                },
            ),
            request::Completion::METHOD => self.at(
                id,
                params,
                |p: &CompletionParams| &p.text_document_position,
                |d, a, o, _| Some(to_value(completion::complete(d, a, o))),
            ),
            request::DocumentSymbolRequest::METHOD => self.of(
                id,
                params,
                |p: &DocumentSymbolParams| &p.text_document.uri,
                |d, _| {
                    Some(to_value(DocumentSymbolResponse::Nested(outline::symbols(
                        d,
                    ))))
                },
            ),
            request::FoldingRangeRequest::METHOD => self.of(
                id,
                params,
                |p: &FoldingRangeParams| &p.text_document.uri,
                |d, _| Some(to_value(outline::folds(d))),
            ),
            request::SemanticTokensFullRequest::METHOD => self.of(
                id,
                params,
                |p: &SemanticTokensParams| &p.text_document.uri,
                |d, _| {
                    let data = tokens::tokens(d);
                    Some(to_value(SemanticTokens {
                        result_id: None,
                        data,
                    }))
                },
            ),
            request::Formatting::METHOD => self.of(
                id,
                params,
                |p: &DocumentFormattingParams| &p.text_document.uri,
                |d, p| formatted(d, p).map(to_value),
            ),
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
        answer: impl Fn(&Document, &Analysis, usize, Position) -> Option<Value>,
    ) -> Response {
        self.of(
            id,
            params,
            |p: &P| &place(p).text_document.uri,
            |document, p| {
                let at = place(p).position;
                let analysis = Analysis::new(document, &self.libs);
                answer(document, &analysis, document.text.offset(at), at)
            },
        )
    }

    /// A question about a text. What cannot be answered is null.
    fn of<P: serde::de::DeserializeOwned>(
        &self,
        id: RequestId,
        params: Value,
        uri: impl Fn(&P) -> &Uri,
        answer: impl Fn(&Document, &P) -> Option<Value>,
    ) -> Response {
        match serde_json::from_value::<P>(params) {
            Ok(p) => {
                let document = self.documents.get(uri(&p));
                let value = document.and_then(|d| answer(d, &p)).unwrap_or(Value::Null);
                Response::new_ok(id, value)
            }
            Err(e) => Response::new_err(id, ErrorCode::InvalidParams as i32, e.to_string()),
        }
    }
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

fn to_value(answer: impl serde::Serialize) -> Value {
    serde_json::to_value(answer).unwrap_or(Value::Null)
}
