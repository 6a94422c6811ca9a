//! `ferrica lsp` as a process: its messages are those of `ferrica check`, and nothing that is sent to it ends it.

mod common;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ferrica_conformance::cases::cases;
use serde_json::{Value, json};

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: i64,
    version: i64,
    told: Vec<Value>,
}

impl Server {
    fn start(options: Value) -> Server {
        Server::start_with(&[], options)
    }

    fn start_with(args: &[&str], options: Value) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .arg("lsp")
            .args(args)
            .env_remove("MODELICAPATH")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut server = Server {
            child,
            input,
            output: BufReader::new(output),
            number: 0,
            version: 0,
            told: Vec::new(),
        };
        let params = json!({"capabilities": {}, "initializationOptions": options});
        server.ask("initialize", params);
        server.tell("initialized", json!({}));
        server
    }

    fn send(&mut self, body: &[u8]) {
        let head = format!("Content-Length: {}\r\n\r\n", body.len());
        self.input.write_all(head.as_bytes()).unwrap();
        self.input.write_all(body).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send(message.to_string().as_bytes());
    }

    fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended");
            match line.trim().split_once(": ") {
                Some((_, number)) => length = number.parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The whole answer, an error included.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let message = json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params});
        self.send(message.to_string().as_bytes());
        loop {
            let message = self.next();
            if message["id"] == number && message.get("method").is_none() {
                return message;
            }
            self.told.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn open(&mut self, path: &Path, text: &str) -> String {
        self.version += 1;
        let uri = format!("file://{}", path.display());
        let document =
            json!({"uri": uri, "languageId": "modelica", "version": self.version, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        uri
    }

    /// The messages about the present version, once all checks are done.
    fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            let told = self.next();
            if told["method"] == "textDocument/publishDiagnostics"
                && told["params"]["version"] == self.version
            {
                return told["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.child.wait().unwrap().success());
    }
}

/// Code, message with hint, and the line where it is in the file.
type Told = (String, String, Option<u64>);

/// What `ferrica check` says of a model in a file.
fn checked(file: &Path, model: &str) -> BTreeSet<Told> {
    let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["check", "--format", "json", "-m", model])
        .arg(file)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
    let list = answer["diagnostics"].as_array().unwrap().iter();
    list.map(|d| {
        let text = |key: &str| d[key].as_str().map(str::to_owned);
        let message = match text("hint") {
            Some(hint) => format!("{}\nhelp: {hint}", text("message").unwrap()),
            None => text("message").unwrap(),
        };
        let here = d["place"]["file"].as_str() == file.to_str();
        let line = d["place"]["line"].as_u64().filter(|_| here);
        (text("code").unwrap(), message, line)
    })
    .collect()
}

#[test]
fn messages_equal_those_of_check_on_the_language_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/language");
    let place = common::folder("language_server");
    let mut server = Server::start(json!({}));
    let (mut texts, mut messages) = (0, 0);
    let mut wrong = Vec::new();
    let mut chapters: Vec<_> = (std::fs::read_dir(folder).unwrap())
        .map(|f| f.unwrap().path())
        .collect();
    chapters.sort();
    for chapter in chapters {
        let name = chapter.file_stem().unwrap().to_string_lossy().into_owned();
        for case in cases(&std::fs::read_to_string(&chapter).unwrap()) {
            let file = place.join(format!("{name}-{}.mo", case.line));
            std::fs::write(&file, &case.model).unwrap();
            let uri = server.open(&file, &case.model);
            let mut found = server.diagnostics();
            // Mistakes of syntax come twice: at once, and with the checks.
            let syntax = |d: &Value| d["code"].as_str().is_some_and(|c| c.starts_with("E01"));
            if found.iter().any(syntax) {
                found = server.diagnostics();
            }
            let lenses = server.ask(
                "textDocument/codeLens",
                json!({"textDocument": {"uri": uri}}),
            );
            let models: BTreeSet<&str> = (lenses.as_array().unwrap().iter())
                .filter_map(|l| l["command"]["arguments"][1].as_str())
                .collect();
            if models.is_empty() {
                continue;
            }
            texts += 1;
            let mut wanted: BTreeSet<Told> =
                models.iter().flat_map(|m| checked(&file, m)).collect();
            // What a model says of itself is not said again where it is a component of another one.
            let all = wanted.clone();
            wanted.retain(|(code, text, line)| {
                let head = text.lines().next().unwrap_or_default();
                !all.iter().any(|(c, other, l)| {
                    let first = other.lines().next().unwrap_or_default();
                    let rest = head.strip_prefix(first);
                    let again = |r: &str| r.starts_with(" (in `") || r.starts_with("; the same ");
                    (c, l) == (code, line) && rest.is_some_and(again)
                })
            });
            let said: BTreeSet<Told> = (found.iter())
                .map(|d| {
                    let text = |key: &str| d[key].as_str().unwrap().to_owned();
                    let line = d["range"]["start"]["line"].as_u64().unwrap() + 1;
                    let elsewhere = |w: &&Told| w.1 == text("message") && w.2.is_none();
                    let line = (!wanted.iter().any(|w| elsewhere(&w))).then_some(line);
                    (text("code"), text("message"), line)
                })
                .collect();
            messages += said.len();
            if said != wanted {
                let only = |a: &BTreeSet<Told>, b: &BTreeSet<Told>| {
                    format!("{:?}", a.difference(b).collect::<Vec<_>>())
                };
                let (more, less) = (only(&said, &wanted), only(&wanted, &said));
                wrong.push(format!(
                    "{name}.md:{}: only the server {more}; only check {less}",
                    case.line
                ));
            }
            server.tell(
                "textDocument/didClose",
                json!({"textDocument": {"uri": uri}}),
            );
        }
    }
    server.end();
    assert!(
        texts > 100 && messages > 100,
        "{texts} texts, {messages} messages"
    );
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A text of a thousand lines that is deleted byte by byte from its end.
#[test]
fn a_text_cut_at_every_byte_is_answered() {
    let mut text = String::from("model M\n");
    for k in 0..499 {
        text.push_str(&format!("Real x{k};\n"));
    }
    text.push_str("equation\n");
    for k in 0..499 {
        text.push_str(&format!("x{k} = sin({k});\n"));
    }
    text.push_str("end M;\n");
    assert!(text.lines().count() >= 1000);
    let folder = common::folder("language_server_cut");
    let mut server = Server::start(json!({}));
    let uri = server.open(&folder.join("M.mo"), &text);
    for end in (0..text.len()).rev() {
        server.version += 1;
        let line = text[..end].matches('\n').count();
        let column = end - text[..end].rfind('\n').map_or(0, |n| n + 1);
        let start = json!({"line": line, "character": column});
        let change =
            json!({"range": {"start": start, "end": {"line": 2000, "character": 0}}, "text": ""});
        let document = json!({"uri": uri, "version": server.version});
        server.tell(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [change]}),
        );
        // Now and then what an editor asks while one types.
        if end % 97 == 0 {
            let at = json!({"textDocument": {"uri": uri}, "position": start});
            server.ask("textDocument/completion", at.clone());
            server.ask("textDocument/hover", at.clone());
            server.ask("textDocument/signatureHelp", at);
            server.ask(
                "textDocument/documentSymbol",
                json!({"textDocument": {"uri": uri}}),
            );
        }
    }
    server.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": uri}}),
    );
    server.end();
}

#[test]
fn a_mistake_is_told_once_for_all_models_that_have_it_inside() {
    let folder = common::folder("language_server_once");
    let mut server = Server::start(json!({}));
    let text =
        "model Part\n  Real x = y;\nend Part;\nmodel Whole\n  Part a;\n  Part b;\nend Whole;\n";
    server.open(&folder.join("Whole.mo"), text);
    let found = server.diagnostics();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["code"], &found[0]["range"]["start"]["line"]),
        (&json!("E0201"), &json!(1))
    );
    server.end();
}

/// A simulation that would take days does not keep the server after its editor has left.
#[test]
fn the_server_ends_although_a_simulation_goes_on() {
    let folder = common::folder("language_server_end");
    let mut server = Server::start(json!({}));
    let text = "model Long\n  Real x(start=0, fixed=true);\nequation\n  der(x) = cos(1e7*time);\n  annotation(experiment(StopTime=1e6));\nend Long;\n";
    let uri = server.open(&folder.join("Long.mo"), text);
    assert!(server.diagnostics().is_empty());
    let command = json!({"command": "ferrica.simulate", "arguments": [uri, "Long"]});
    let message = json!({"jsonrpc": "2.0", "id": "long", "method": "workspace/executeCommand", "params": command});
    server.send(message.to_string().as_bytes());
    server.end();
}

#[test]
fn libraries_of_the_command_line_are_known() {
    let folder = common::folder("language_server_library");
    let library = folder.join("libraries");
    std::fs::create_dir_all(&library).unwrap();
    std::fs::write(
        library.join("Vendor.mo"),
        "package Vendor\n  model Part\n    Real x = time;\n  end Part;\nend Vendor;\n",
    )
    .unwrap();
    let text = "model M\n  Vendor.Part part;\nend M;\n";
    for (args, codes) in [
        (vec![], vec!["E0201"]),
        (vec!["--lib", library.to_str().unwrap()], vec![]),
    ] {
        let mut server = Server::start_with(&args, json!({}));
        server.open(&folder.join("M.mo"), text);
        let found = server.diagnostics();
        let found: Vec<&str> = found.iter().filter_map(|d| d["code"].as_str()).collect();
        assert_eq!(found, codes, "{args:?}");
        server.end();
    }
}

#[test]
fn what_is_no_message_and_what_is_missing_is_told() {
    let folder = common::folder("language_server_wrong");
    let mut server = Server::start(json!({"libraries": ["/no/such/folder"]}));
    // The library that is not there.
    let said = loop {
        let found = server
            .told
            .iter()
            .position(|m| m["method"] == "window/showMessage");
        match found {
            Some(k) => break server.told.remove(k),
            None => {
                let next = server.next();
                server.told.push(next);
            }
        }
    };
    assert!(
        said["params"]["message"]
            .as_str()
            .unwrap()
            .contains("/no/such/folder")
    );
    // Bytes that are no text.
    server.send(b"{\"jsonrpc\": \"2.0\", \"method\": \"\xff\xfe");
    assert_eq!(server.next()["error"]["code"], -32700);
    // A file in no encoding that is known, used from a text: old libraries are Latin-1.
    let package = folder.join("P");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("package.mo"), "package P\nend P;\n").unwrap();
    std::fs::write(
        package.join("A.mo"),
        b"within P;\nmodel A \"gr\xfc\xdfe\"\n  Real x = time;\nend A;\n",
    )
    .unwrap();
    let text = "within P;\nmodel B\n  A a;\n  Gone gone;\nend B;\n";
    let file = package.join("B.mo");
    std::fs::write(&file, text).unwrap();
    server.open(&file, text);
    let found = server.diagnostics();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "E0201");
    // A question about a text that was never opened, and one that is not known.
    let document = json!({"textDocument": {"uri": "file:///nowhere.mo"}, "position": {"line": 0, "character": 0}});
    assert_eq!(server.ask("textDocument/hover", document), Value::Null);
    assert_eq!(
        server.answer("textDocument/nonsense", json!({}))["error"]["code"],
        -32601
    );
    assert_eq!(
        server.answer("textDocument/hover", json!({"a": 1}))["error"]["code"],
        -32602
    );
    server.end();
}
