//! The loop of the server: requests are answered in order, changes are taken, checks and commands are sent to threads of their own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use ferrica_classes::{FileCache, SearchPath};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use lsp_types::{
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    ExecuteCommandParams, InitializeParams, InitializeResult, MessageType,
    PublishDiagnosticsParams, ServerInfo, ShowMessageParams, Uri, notification, request,
};
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::capabilities::{self, capabilities};
use crate::documents::{Document, Documents, path_of};
use crate::symbols::Index;
use crate::world::World;
use crate::{checking, commands, stdio};

/// Stack of the threads that walk over syntax trees, which may be deep.
const STACK: usize = 512 << 20;

/// Serves a client over standard input and output until it says goodbye. `libs`: folders of libraries beside those of the client.
pub fn serve(libs: &[PathBuf]) -> Result<(), String> {
    let (connection, writer) = stdio::connection();
    let done = serve_over(&connection, libs);
    // The writer ends when nobody can send any more.
    drop(connection);
    writer.join().map_err(|_| "the writer failed".to_string())?;
    done
}

/// The same over any connection.
pub fn serve_over(connection: &Connection, libs: &[PathBuf]) -> Result<(), String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("server".into())
            .stack_size(STACK);
        let server = thread.spawn_scoped(scope, || converse(connection, libs));
        let server = server.map_err(|e| e.to_string())?;
        server.join().map_err(|_| "the server failed".to_string())?
    })
}

fn converse(connection: &Connection, libs: &[PathBuf]) -> Result<(), String> {
    let (id, params) = connection.initialize_start().map_err(|e| e.to_string())?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|e| e.to_string())?;
    let encoding = capabilities::encoding(&params);
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
    let outlet = Outlet::new(connection);
    let messages = outlet.clone();
    let checker = std::thread::Builder::new()
        .name("checks".into())
        .stack_size(STACK);
    let checker = checker.spawn(move || {
        checking::work(&queue, |uri, version, diagnostics| {
            messages.send(Message::Notification(published(uri, version, diagnostics)));
        });
    });
    checker.map_err(|e| e.to_string())?;
    let options = params.initialization_options.clone().unwrap_or_default();
    let fixed: Vec<PathBuf> = libs.to_vec();
    let mut server = Server {
        connection,
        world: World {
            cache: Arc::new(FileCache::default()),
            libs: Vec::new(),
            roots: capabilities::roots(&params),
            encoding,
        },
        fixed,
        documents: Documents::default(),
        index: Arc::new(Index::default()),
        known: RefCell::new(None),
        jobs,
        outlet: outlet.clone(),
    };
    server.set_libraries(capabilities::libraries(&options))?;
    if capabilities::watches(&params) {
        server.watch()?;
    }
    let done = server.run();
    // A check or a simulation that still goes on keeps nobody waiting.
    outlet.close();
    done
}

/// By what threads beside the conversation send, until it ends.
#[derive(Clone)]
struct Outlet(Arc<Mutex<Option<Box<dyn Fn(Message) + Send>>>>);

impl Outlet {
    fn new(connection: &Connection) -> Outlet {
        let sender = connection.sender.clone();
        // A client that is gone needs no messages.
        let send = move |message| drop(sender.send(message));
        Outlet(Arc::new(Mutex::new(Some(Box::new(send)))))
    }

    fn send(&self, message: Message) {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(send) = held.as_ref() {
            send(message);
        }
    }

    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn published(uri: &Uri, version: i32, diagnostics: Vec<lsp_types::Diagnostic>) -> Notification {
    let params = PublishDiagnosticsParams::new(uri.clone(), diagnostics, Some(version));
    Notification::new(notification::PublishDiagnostics::METHOD.into(), params)
}

pub struct Server<'c> {
    connection: &'c Connection,
    pub world: World,
    /// Libraries of the command line.
    fixed: Vec<PathBuf>,
    pub documents: Documents,
    pub index: Arc<Index>,
    /// The view of the text that was asked about last.
    known: RefCell<Option<(String, Rc<Analysis>)>>,
    jobs: mpsc::Sender<checking::Job>,
    outlet: Outlet,
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
                    if request.method == request::ExecuteCommand::METHOD {
                        self.execute(request)?;
                        continue;
                    }
                    let id = request.id.clone();
                    // A defect in one answer is no reason to leave the editor alone.
                    let response = catch_unwind(AssertUnwindSafe(|| self.answer(request)));
                    let response = response.unwrap_or_else(|_| failed(id));
                    self.send(Message::Response(response))?;
                }
                Message::Notification(n) => {
                    let taken = catch_unwind(AssertUnwindSafe(|| self.take(n)));
                    taken.unwrap_or(Ok(()))?;
                }
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

    fn notify(&self, method: &str, params: impl serde::Serialize) -> Result<(), String> {
        self.send(Message::Notification(Notification::new(
            method.into(),
            params,
        )))
    }

    /// The compiler's view of a text, kept until something changes.
    pub fn analysis(&self, document: &Document) -> Rc<Analysis> {
        let mut known = self.known.borrow_mut();
        let uri = document.uri.as_str();
        if let Some((of, analysis)) = &*known
            && of == uri
        {
            return Rc::clone(analysis);
        }
        let new = Rc::new(Analysis::new(
            &document.path,
            &document.text.content,
            &self.world,
        ));
        *known = Some((uri.to_owned(), Rc::clone(&new)));
        new
    }

    // ---- what the client tells ----

    fn take(&mut self, n: Notification) -> Result<(), String> {
        fn params<P: serde::de::DeserializeOwned>(n: Notification) -> Option<P> {
            serde_json::from_value(n.params).ok()
        }
        *self.known.borrow_mut() = None;
        match n.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let Some(p) = params::<DidOpenTextDocumentParams>(n) else {
                    return Ok(());
                };
                let d = p.text_document;
                self.documents
                    .open(&d.uri, d.version, d.text, self.world.encoding);
                self.changed(&d.uri, 0)
            }
            notification::DidChangeTextDocument::METHOD => {
                let Some(p) = params::<DidChangeTextDocumentParams>(n) else {
                    return Ok(());
                };
                let d = p.text_document;
                let last = p.content_changes.last().and_then(|c| c.range);
                self.documents
                    .change(&d.uri, d.version, p.content_changes, self.world.encoding);
                let document = self.documents.get(&d.uri);
                let at = last
                    .zip(document)
                    .map_or(0, |(r, d)| d.text.offset(r.start));
                self.changed(&d.uri, at)
            }
            notification::DidCloseTextDocument::METHOD => {
                let Some(p) = params::<DidCloseTextDocumentParams>(n) else {
                    return Ok(());
                };
                let uri = p.text_document.uri;
                self.documents.close(&uri);
                self.world.cache.release(&path_of(&uri));
                self.index.read(&path_of(&uri), self.world.encoding);
                self.send(Message::Notification(published(&uri, 0, Vec::new())))
            }
            notification::DidSaveTextDocument::METHOD => self.check_all(),
            notification::DidChangeWatchedFiles::METHOD => {
                let changes = params::<DidChangeWatchedFilesParams>(n).map(|p| p.changes);
                for change in changes.into_iter().flatten() {
                    self.index.read(&path_of(&change.uri), self.world.encoding);
                }
                self.check_all()
            }
            notification::DidChangeConfiguration::METHOD => {
                match params::<DidChangeConfigurationParams>(n) {
                    Some(p) if !capabilities::libraries(&p.settings).is_empty() => {
                        self.set_libraries(capabilities::libraries(&p.settings))?;
                        self.check_all()
                    }
                    _ => Ok(()),
                }
            }
            notification::DidChangeWorkspaceFolders::METHOD => {
                if let Some(p) = params::<DidChangeWorkspaceFoldersParams>(n) {
                    let gone: Vec<PathBuf> =
                        p.event.removed.iter().map(|f| path_of(&f.uri)).collect();
                    self.world.roots.retain(|r| !gone.contains(r));
                    self.world
                        .roots
                        .extend(p.event.added.iter().map(|f| path_of(&f.uri)));
                    self.build_index();
                }
                self.check_all()
            }
            _ => Ok(()),
        }
    }

    /// Folders of libraries from the settings; of one that is missing the client is told.
    fn set_libraries(&mut self, settings: Vec<PathBuf>) -> Result<(), String> {
        self.world.libs = self.fixed.iter().cloned().chain(settings).collect();
        for folder in self.world.libs.iter().filter(|f| !f.exists()) {
            let params = ShowMessageParams {
                typ: MessageType::WARNING,
                message: format!("the library {} is not there", folder.display()),
            };
            self.notify(notification::ShowMessage::METHOD, params)?;
        }
        self.build_index();
        Ok(())
    }

    fn build_index(&self) {
        let mut folders = self.world.roots.clone();
        folders.extend(self.world.libs.iter().cloned());
        folders.extend(SearchPath::from_environment(Vec::new(), None).folders);
        self.index.build(folders, self.world.encoding);
    }

    /// Asks the client to tell of changed files.
    fn watch(&self) -> Result<(), String> {
        let options =
            json!({"watchers": [{"globPattern": "**/*.mo"}, {"globPattern": "**/package.order"}]});
        let method = notification::DidChangeWatchedFiles::METHOD;
        let registration = json!({"id": "files", "method": method, "registerOptions": options});
        let params = json!({"registrations": [registration]});
        let id = RequestId::from("watch".to_string());
        let method = request::RegisterCapability::METHOD.to_string();
        self.send(Message::Request(Request::new(id, method, params)))
    }

    /// Takes a new text: mistakes of syntax are told at once, the rest is asked for.
    fn changed(&self, uri: &Uri, at: usize) -> Result<(), String> {
        let Some(document) = self.documents.get(uri) else {
            return Ok(());
        };
        self.world
            .cache
            .hold(&document.path, &document.text.content);
        let found = checking::syntax(&document.path, &document.text);
        if !found.is_empty() {
            let told = published(uri, document.version, found);
            self.send(Message::Notification(told))?;
        }
        self.check(document, at)
    }

    fn check(&self, document: &Document, at: usize) -> Result<(), String> {
        let job = checking::Job {
            uri: document.uri.clone(),
            version: document.version,
            path: document.path.clone(),
            text: document.text.clone(),
            world: self.world.clone(),
            at,
        };
        self.jobs.send(job).map_err(|e| e.to_string())
    }

    /// Something around the open texts has changed.
    fn check_all(&self) -> Result<(), String> {
        self.documents.all().try_for_each(|d| self.check(d, 0))
    }

    // ---- commands ----

    /// Runs a command on a thread of its own: a simulation may take long.
    fn execute(&self, request: Request) -> Result<(), String> {
        let id = request.id;
        let wrong = |why: &str| {
            let response =
                Response::new_err(id.clone(), ErrorCode::InvalidParams as i32, why.to_string());
            self.send(Message::Response(response))
        };
        let Ok(p) = serde_json::from_value::<ExecuteCommandParams>(request.params) else {
            return wrong("a command and its arguments are expected");
        };
        let word = |k: usize| p.arguments.get(k).and_then(Value::as_str);
        let (Some(uri), Some(class)) = (word(0), word(1)) else {
            return wrong("the arguments are the address of a text and the name of a class");
        };
        let Ok(uri) = uri.parse::<Uri>() else {
            return wrong("the first argument is no address");
        };
        let path = path_of(&uri);
        let held = self.documents.get(&uri).map(|d| d.text.content.clone());
        let Some(text) = held.or_else(|| std::fs::read_to_string(&path).ok()) else {
            return wrong("there is no such text");
        };
        let (world, class, outlet) = (self.world.clone(), class.to_owned(), self.outlet.clone());
        let reply = id.clone();
        let work = move || {
            let run = || commands::execute(&p.command, &path, &text, &class, &world);
            let response = match catch_unwind(AssertUnwindSafe(run)) {
                Ok(Ok(value)) => Response::new_ok(reply, value),
                Ok(Err(why)) => Response::new_err(reply, ErrorCode::RequestFailed as i32, why),
                Err(_) => failed(reply),
            };
            outlet.send(Message::Response(response));
        };
        let thread = std::thread::Builder::new()
            .name("command".into())
            .stack_size(STACK);
        match thread.spawn(work) {
            Ok(_) => Ok(()),
            Err(e) => wrong(&e.to_string()),
        }
    }
}

fn failed(id: RequestId) -> Response {
    let text = "the server failed on this; this is a defect of the server";
    Response::new_err(id, ErrorCode::InternalError as i32, text.into())
}
