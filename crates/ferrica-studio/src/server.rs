//! Connections, and which question goes where.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ferrica::{Run, Spectrum, Window};
use ferrica_classes::{Library, SearchPath};
use ferrica_results::plot::to_svg;
use serde_json::{Value, json};

use crate::guard::Guard;
use crate::http::{self, Request, answer};
use crate::tab::Tab;
use crate::{Options, browse, compare, events, live, running, views};

/// Connections and pages at a time; more are turned away, the oldest pages forgotten.
const CONNECTIONS: usize = 48;
const TABS: usize = 24;

const PAGE: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/studio.css");
const SCRIPTS: [(&str, &str); 6] = [
    ("/studio.js", include_str!("../page/studio.js")),
    ("/editor.js", include_str!("../page/editor.js")),
    ("/diagram.js", include_str!("../page/diagram.js")),
    ("/plots.js", include_str!("../page/plots.js")),
    ("/animation.js", include_str!("../page/animation.js")),
    ("/analyses.js", include_str!("../page/analyses.js")),
];

/// A server that has its address but does not answer yet.
pub struct Studio {
    listener: TcpListener,
    shared: Arc<Shared>,
}

struct Shared {
    guard: Guard,
    options: Options,
    tabs: Mutex<Vec<(String, Arc<Tab>)>>,
    open: AtomicUsize,
    /// For browsing; the user's text is not among it.
    library: Library,
}

impl Studio {
    pub fn bind(options: Options) -> io::Result<Studio> {
        let listener = TcpListener::bind((options.host, options.port))?;
        let guard = Guard::new(listener.local_addr()?);
        let built_in = Some(ferrica::sources::library::BUILT_IN);
        let path = SearchPath::from_environment(options.libs.clone(), built_in);
        let shared = Shared {
            guard,
            options,
            tabs: Mutex::default(),
            open: AtomicUsize::new(0),
            library: Library::new(Arc::default(), path),
        };
        Ok(Studio {
            listener,
            shared: Arc::new(shared),
        })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> io::Result<String> {
        let token = &self.shared.guard.token;
        Ok(format!("http://{}/?token={token}", self.address()?))
    }

    /// Answers for ever.
    pub fn serve(&self) {
        for stream in self.listener.incoming().flatten() {
            let shared = Arc::clone(&self.shared);
            std::thread::spawn(move || shared.connection(stream));
        }
    }
}

impl Shared {
    fn connection(&self, mut stream: TcpStream) {
        let others = self.open.fetch_add(1, Ordering::Relaxed);
        // A client that has gone needs no answer.
        let _ = match others < CONNECTIONS {
            true => self.request(&mut stream),
            false => refuse(&mut stream, "503 Service Unavailable"),
        };
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    fn request(&self, out: &mut TcpStream) -> io::Result<()> {
        out.set_nodelay(true)?;
        let Some(request) = Request::read(out) else {
            return refuse(out, "400 Bad Request");
        };
        if !self.guard.is_own(&request) {
            return refuse(out, "403 Forbidden");
        }
        if request.method == "GET" {
            if request.path == "/studio.css" {
                return answer(out, "200 OK", "text/css; charset=utf-8", STYLE.as_bytes());
            }
            if let Some((_, text)) = SCRIPTS.iter().find(|(p, _)| *p == request.path) {
                let kind = "text/javascript; charset=utf-8";
                return answer(out, "200 OK", kind, text.as_bytes());
            }
        }
        let known = request.path == "/" || request.path.starts_with("/api/");
        match known && !request.path.contains("..") {
            false => refuse(out, "404 Not Found"),
            true if !self.guard.has_token(&request) => refuse(out, "403 Forbidden"),
            true if request.path == "/" => {
                answer(out, "200 OK", "text/html; charset=utf-8", PAGE.as_bytes())
            }
            true if request.method != "POST" => refuse(out, "405 Method Not Allowed"),
            true => self.api(out, &request),
        }
    }

    fn api(&self, out: &mut TcpStream, request: &Request) -> io::Result<()> {
        let Ok(wish) = serde_json::from_slice::<Value>(&request.body) else {
            return refuse(out, "400 Bad Request");
        };
        let tab = self.tab(wish["tab"].as_str().unwrap_or_default());
        let text = |name: &str| wish[name].as_str().unwrap_or_default();
        let good = || tab.good();
        let without = || json!({"failed": {"message": "there is no model yet"}});
        let value = match request.path.as_str() {
            "/api/open" => self.opened(),
            "/api/check" => tab.check(&self.options, wish["text"].as_str(), wish["model"].as_str()),
            "/api/diagram" => {
                let run = tab.run(wish["run"].as_u64().unwrap_or(0));
                let at = run.as_deref().zip(wish["time"].as_f64());
                good().map_or_else(without, |g| views::diagram(&g, text("component"), at))
            }
            "/api/bond" => good().map_or_else(without, |g| views::bond(&g)),
            "/api/blocks" => good().map_or_else(without, |g| views::blocks(&g)),
            "/api/run" => return running::run(out, &tab, &wish, self.options.limits),
            "/api/live" => return live::live(out, &tab, &wish, self.options.limits),
            "/api/input" => tab.set_input(text("name"), wish["value"].as_f64()),
            "/api/columns" => return running::columns(out, &tab, &wish),
            "/api/compare" => return compare::compare(out, &tab, &wish, self.options.limits),
            "/api/events" => with_run(&tab, &wish, events::log),
            "/api/spectrum" => with_run(&tab, &wish, |run| spectrum(run, &wish)),
            "/api/values" => with_run(&tab, &wish, |run| {
                let names = running::texts(&wish["names"]);
                let last = |n: &String| Some((n.clone(), json!(run.get(n).ok()?.last())));
                Value::Object(names.iter().filter_map(last).collect())
            }),
            "/api/stop" => {
                tab.end();
                json!({})
            }
            "/api/save" => self.save(text("text")),
            "/api/export" => return self.export(out, &tab, &wish),
            "/api/classes" => browse::children(&self.library, text("package")),
            "/api/search" => browse::search(&self.library, text("words")),
            "/api/about" => browse::about(&self.library, text("class")),
            _ => return refuse(out, "404 Not Found"),
        };
        http::json(out, &value)
    }

    fn tab(&self, name: &str) -> Arc<Tab> {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tab)) = tabs.iter().find(|(n, _)| n == name) {
            return Arc::clone(tab);
        }
        if tabs.len() >= TABS {
            let (_, oldest) = tabs.remove(0);
            oldest.end();
        }
        let tab = Arc::new(Tab::default());
        tabs.push((name.to_owned(), Arc::clone(&tab)));
        tab
    }

    /// What a page shows at first.
    fn opened(&self) -> Value {
        let file = self.options.file.as_deref();
        let text = file.and_then(|f| std::fs::read_to_string(f).ok());
        let of_class = || self.options.model.as_deref().and_then(|m| self.source(m));
        let solvers: Vec<&str> = ferrica::solvers().collect();
        json!({
            "file": file.map(|f| f.display().to_string()),
            "editable": text.is_some(),
            "text": text.or_else(of_class),
            "model": self.options.model,
            "solvers": solvers,
        })
    }

    /// The text of a class of a library.
    fn source(&self, class: &str) -> Option<String> {
        let span = self.library.def(self.library.find(class)?).span;
        let file = self.library.sources().get(span.file)?;
        let text = file.text.get(span.start as usize..span.end as usize)?;
        Some(format!("{text};\n"))
    }

    /// Writes the file that the user opened, never another one.
    fn save(&self, text: &str) -> Value {
        let Some(file) = self.options.file.as_deref().filter(|f| Path::is_file(f)) else {
            return json!({"failed": {"message": "no file was opened"}});
        };
        match ferrica::results::outputs::write(file, text.as_bytes()) {
            Ok(()) => json!({"saved": file.display().to_string()}),
            Err(_) => {
                json!({"failed": {"message": format!("{} cannot be written", file.display())}})
            }
        }
    }

    fn export(&self, out: &mut TcpStream, tab: &Tab, wish: &Value) -> io::Result<()> {
        let names = running::texts(&wish["columns"]);
        let Some(run) = tab.run(wish["run"].as_u64().unwrap_or(0)) else {
            return refuse(out, "404 Not Found");
        };
        let table = running::table(&run, &names);
        let names: Vec<String> = names
            .into_iter()
            .filter(|n| table.find(n).is_some())
            .collect();
        if wish["format"] == "svg" {
            let figure = ferrica_results::plot::figure_of(&table, run.model(), &names, "time");
            return match figure {
                Ok(f) => answer(out, "200 OK", "image/svg+xml", to_svg(&f).as_bytes()),
                Err(_) => refuse(out, "404 Not Found"),
            };
        }
        let columns: Vec<_> = names.iter().filter_map(|n| table.series(n)).collect();
        let mut csv = String::from("time");
        for name in &names {
            csv.push_str(&format!(",\"{}\"", name.replace('"', "\"\"")));
        }
        csv.push('\n');
        for (k, t) in run.time().iter().enumerate() {
            csv.push_str(&t.to_string());
            for column in &columns {
                csv.push_str(&format!(",{}", column[k]));
            }
            csv.push('\n');
        }
        answer(out, "200 OK", "text/csv; charset=utf-8", csv.as_bytes())
    }
}

/// An answer about a run that is still kept.
fn with_run(tab: &Tab, wish: &Value, answer: impl Fn(&Run) -> Value) -> Value {
    match tab.run(wish["run"].as_u64().unwrap_or(0)) {
        Some(run) => answer(&run),
        None => json!({"failed": {"message": "this run is no longer kept"}}),
    }
}

/// Amplitudes over frequencies of a variable, between two times.
fn spectrum(run: &Run, wish: &Value) -> Value {
    let name = wish["name"].as_str().unwrap_or_default().to_owned();
    let table = running::table(run, std::slice::from_ref(&name));
    let Some(values) = table.series(&name) else {
        return json!({"failed": {"message": format!("there is no variable `{name}`")}});
    };
    let limit = |key: &str, or: f64| wish[key].as_f64().unwrap_or(or);
    let (from, to) = (limit("from", f64::MIN), limit("to", f64::MAX));
    let rows = table.time.iter().zip(values.iter());
    let rows = rows.filter(|(t, _)| (from..=to).contains(*t));
    let (time, values): (Vec<f64>, Vec<f64>) = rows.map(|(t, v)| (*t, *v)).unzip();
    match Spectrum::new(&time, &values, Window::default(), None) {
        Ok(s) => {
            json!({"frequency": s.frequency, "amplitude": s.amplitude, "fundamental": s.fundamental, "distortion": s.distortion})
        }
        Err(error) => json!({"failed": running::failure(&error)}),
    }
}

fn refuse(out: &mut TcpStream, status: &str) -> io::Result<()> {
    answer(out, status, "text/plain; charset=utf-8", status.as_bytes())
}
