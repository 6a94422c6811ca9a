//! The server over the protocol's own messages, without a process: what an editor asks and what it is told.

use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};

const URI: &str = "file:///tmp/ferrica-lsp-test/rc.mo";

const RC: &str = "\
model RC \"Charges a capacitor\"
  Modelica.Electrical.Analog.Sources.StepVoltage source(V = 5);
  Modelica.Electrical.Analog.Basic.Resistor R(R = 100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
  Modelica.Electrical.Analog.Basic.Ground ground;
  parameter Real gain = 2 \"How much\";
  Real y = gain*C.v;
equation
  connect(source.p, R.p);
  connect(R.n, C.p);
  connect(C.n, ground.p);
  connect(source.n, ground.p);
end RC;
";

/// An editor with a server at the other end.
struct Editor {
    connection: Connection,
    server: Option<JoinHandle<Result<(), String>>>,
    requests: i32,
    version: i32,
    told: Vec<Notification>,
}

impl Editor {
    fn new() -> Editor {
        let (server, connection) = Connection::memory();
        let server = std::thread::spawn(move || ferrica_lsp::serve_over(&server, &[]));
        let mut editor = Editor {
            connection,
            server: Some(server),
            requests: 0,
            version: 0,
            told: Vec::new(),
        };
        let answer = editor.ask("initialize", json!({"capabilities": {}}));
        assert_eq!(answer["serverInfo"]["name"], "ferrica");
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        editor.tell("initialized", json!({}));
        editor
    }

    fn tell(&self, method: &str, params: Value) {
        let n = Notification::new(method.into(), params);
        self.connection
            .sender
            .send(Message::Notification(n))
            .unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request::new(id.clone(), method.into(), params);
        self.connection
            .sender
            .send(Message::Request(request))
            .unwrap();
        loop {
            match self
                .connection
                .receiver
                .recv_timeout(Duration::from_secs(60))
                .unwrap()
            {
                Message::Response(r) if r.id == id => {
                    let r = serde_json::to_value(r).unwrap();
                    assert!(r.get("error").is_none(), "{r}");
                    return r["result"].clone();
                }
                Message::Notification(n) => self.told.push(n),
                _ => {}
            }
        }
    }

    fn open(&mut self, text: &str) {
        self.version += 1;
        let document =
            json!({"uri": URI, "languageId": "modelica", "version": self.version, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn replace(&mut self, text: &str) {
        self.version += 1;
        let document = json!({"uri": URI, "version": self.version});
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        );
    }

    /// The messages about the present version that come after the checks.
    fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            for n in std::mem::take(&mut self.told) {
                if n.method == "textDocument/publishDiagnostics"
                    && n.params["version"] == self.version
                {
                    return n.params["diagnostics"].as_array().unwrap().clone();
                }
            }
            match self
                .connection
                .receiver
                .recv_timeout(Duration::from_secs(60))
                .unwrap()
            {
                Message::Notification(n) => self.told.push(n),
                other => panic!("{other:?}"),
            }
        }
    }

    /// A question about the place of a word in a text.
    fn at(&mut self, method: &str, text: &str, word: &str, skip: usize) -> Value {
        let offset = text.find(word).unwrap() + skip;
        let line = text[..offset].matches('\n').count();
        let character = offset - text[..offset].rfind('\n').map_or(0, |n| n + 1);
        let position = json!({"line": line, "character": character});
        self.ask(
            method,
            json!({"textDocument": {"uri": URI}, "position": position}),
        )
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        let server = self.server.take().unwrap();
        assert_eq!(server.join().unwrap(), Ok(()));
    }
}

#[test]
fn messages_are_those_of_check() {
    let mut editor = Editor::new();
    editor.open(RC);
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());
    // A misspelled class: at its place, with the code and the hint of `ferrica check`.
    editor.replace(&RC.replace("Basic.Resistor", "Basic.Resistr"));
    let found = editor.diagnostics();
    assert_eq!(found[0]["code"], "E0202");
    assert_eq!(
        found[0]["range"]["start"],
        json!({"line": 2, "character": 2})
    );
    assert!(
        found[0]["message"]
            .as_str()
            .unwrap()
            .contains("did you mean `Resistor`?")
    );
    // A missing semicolon: told at once.
    editor.replace(&RC.replace("= gain*C.v;", "= gain*C.v"));
    assert_eq!(editor.diagnostics()[0]["code"], "E0109");
    editor.replace(RC);
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());
}

#[test]
fn hover_and_definition_follow_names() {
    let mut editor = Editor::new();
    editor.open(RC);
    let hover = editor.at("textDocument/hover", RC, "gain*C.v", 1);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(
        text.contains("parameter Real gain = 2") && text.contains("How much"),
        "{text}"
    );
    let place = editor.at("textDocument/definition", RC, "gain*C.v", 1);
    assert_eq!(place["uri"], URI);
    assert_eq!(place["range"]["start"], json!({"line": 5, "character": 17}));
    // The member of a component, whose class is in a library.
    let hover = editor.at("textDocument/hover", RC, "C.v;", 2);
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("Voltage v")
    );
    // A modifier belongs to the class of the component.
    let hover = editor.at("textDocument/hover", RC, "R = 100", 0);
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("Resistance")
    );
    assert_eq!(
        editor.at("textDocument/hover", RC, "equation", 2),
        Value::Null
    );
}

#[test]
fn completion_offers_members_and_names() {
    let mut editor = Editor::new();
    let text = RC.replace("  connect(R.n, C.p);\n", "  connect(R.\n");
    editor.open(&text);
    let labels = |answer: &Value| -> Vec<String> {
        let items = answer.as_array().unwrap().iter();
        items
            .map(|i| i["label"].as_str().unwrap().to_string())
            .collect()
    };
    let members = labels(&editor.at("textDocument/completion", &text, "connect(R.\n", 10));
    for name in ["R", "p", "n", "i", "v"] {
        assert!(members.contains(&name.to_string()), "{name} in {members:?}");
    }
    let text = RC.replace("equation", "  Modelica.Electrical.Analog.Ba\nequation");
    editor.replace(&text);
    let at = editor.at("textDocument/completion", &text, "Analog.Ba\n", 9);
    let classes = labels(&at);
    assert_eq!(classes, ["Basic"]);
}

#[test]
fn structure_and_formatting() {
    let mut editor = Editor::new();
    let text = "package P\nmodel A\nReal x( start=1 );\nend A;\nend P;\n";
    editor.open(text);
    let document = json!({"textDocument": {"uri": URI}});
    let symbols = editor.ask("textDocument/documentSymbol", document.clone());
    assert_eq!(symbols[0]["name"], "P");
    assert_eq!(symbols[0]["children"][0]["children"][0]["name"], "x");
    assert_eq!(
        editor
            .ask("textDocument/foldingRange", document.clone())
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let tokens = editor.ask("textDocument/semanticTokens/full", document);
    assert_eq!(tokens["data"].as_array().unwrap().len() % 5, 0);
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let edits = editor.ask(
        "textDocument/formatting",
        json!({"textDocument": {"uri": URI}, "options": options}),
    );
    let new = "package P\n  model A\n    Real x(start=1);\n  end A;\nend P;\n";
    assert_eq!(edits[0]["newText"], new);
}

/// A text cut at every byte is a text that somebody is typing.
#[test]
fn half_written_texts_are_answered() {
    let mut editor = Editor::new();
    editor.open("");
    for end in (0..RC.len()).filter(|&e| RC.is_char_boundary(e)) {
        editor.replace(&RC[..end]);
        let line = RC[..end].matches('\n').count();
        let character = end - RC[..end].rfind('\n').map_or(0, |n| n + 1);
        let position = json!({"line": line, "character": character});
        editor.ask(
            "textDocument/completion",
            json!({"textDocument": {"uri": URI}, "position": position}),
        );
    }
    editor.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": URI}}),
    );
}
