//! Who gets an answer: only pages of this server, with its token, to questions that there are.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;

use std::time::Duration;

use ferrica_studio::{Limits, Options, Studio};

struct Served {
    address: SocketAddr,
    token: String,
    file: PathBuf,
}

fn serve(name: &str) -> Served {
    serve_as(name, |_| ())
}

/// With other options.
fn serve_as(name: &str, other: impl FnOnce(&mut Options)) -> Served {
    let folder = std::env::temp_dir().join(format!("ferrica-studio-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("m.mo");
    std::fs::write(
        &file,
        "model M parameter Real k = 2; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;\n",
    )
    .unwrap();
    let mut options = Options {
        file: Some(file.clone()),
        model: None,
        libs: Vec::new(),
        allow_external: false,
        host: Ipv4Addr::LOCALHOST.into(),
        port: 0,
        limits: Limits::default(),
    };
    other(&mut options);
    let studio = Studio::bind(options).unwrap();
    let (address, url) = (studio.address().unwrap(), studio.url().unwrap());
    std::thread::spawn(move || studio.serve());
    let (_, token) = url.split_once("token=").unwrap();
    Served {
        address,
        token: token.to_owned(),
        file,
    }
}

impl Served {
    fn send(&self, head: &str, body: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let text = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        // One that refuses may close before all is sent.
        let _ = stream.write_all(text.as_bytes());
        let mut answer = Vec::new();
        // A server that refuses may close before it has read all.
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    fn status(&self, head: &str) -> String {
        let answer = self.send(head, "");
        let text = String::from_utf8_lossy(&answer).into_owned();
        text.split(' ').nth(1).unwrap_or("none").to_owned()
    }

    fn ask(&self, what: &str, body: &str) -> Vec<u8> {
        let head = format!(
            "POST /api/{what} HTTP/1.1\r\nHost: {}\r\nX-Ferrica-Token: {}",
            self.address, self.token
        );
        let answer = self.send(&head, body);
        let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        answer[end + 4..].to_vec()
    }

    /// The whole answer as text.
    fn ask_raw(&self, what: &str, body: &str) -> String {
        let head = format!(
            "POST /api/{what} HTTP/1.1\r\nHost: {}\r\nX-Ferrica-Token: {}",
            self.address, self.token
        );
        String::from_utf8_lossy(&self.send(&head, body)).into_owned()
    }

    fn json(&self, what: &str, body: &str) -> serde_json::Value {
        serde_json::from_slice(&self.ask(what, body)).unwrap()
    }
}

#[test]
fn only_its_own_pages_are_answered() {
    let s = serve("guards");
    let (at, token) = (s.address, &s.token);
    let get =
        |target: &str, host: &str| s.status(&format!("GET {target} HTTP/1.1\r\nHost: {host}"));
    let own = at.to_string();
    assert_eq!(get(&format!("/?token={token}"), &own), "200");
    assert_eq!(get("/", &own), "403");
    assert_eq!(get("/?token=0123456789abcdef0123456789abcdef", &own), "403");
    assert_eq!(get("/studio.js", &own), "200");
    // A name that somebody has pointed at this machine.
    assert_eq!(get(&format!("/?token={token}"), "evil.example"), "403");
    let origin =
        format!("GET /?token={token} HTTP/1.1\r\nHost: {own}\r\nOrigin: http://evil.example");
    assert_eq!(s.status(&origin), "403");
    for target in [
        "/../etc/passwd",
        "/m.mo",
        "/api/../../etc/passwd",
        "/%2e%2e/x",
    ] {
        assert_eq!(
            get(&format!("{target}?token={token}"), &own),
            "404",
            "{target}"
        );
    }
    assert_eq!(get(&format!("/api/check?token={token}"), &own), "405");
    assert_eq!(s.status("NONSENSE"), "400");
    let long = format!("GET / HTTP/1.1\r\nHost: {own}\r\nX: {}", "a".repeat(40_000));
    assert!(["400", "none"].contains(&s.status(&long).as_str()));
}

#[test]
fn questions_that_are_none_do_no_harm() {
    let s = serve("wrong");
    let head = format!(
        "POST /api/nothing HTTP/1.1\r\nHost: {}\r\nX-Ferrica-Token: {}",
        s.address, s.token
    );
    let status = |body: &str| {
        let answer = s.send(&head, body);
        String::from_utf8_lossy(&answer)
            .split(' ')
            .nth(1)
            .unwrap()
            .to_owned()
    };
    assert_eq!(status("not json"), "400");
    assert_eq!(status("{}"), "404");
    for what in [
        "diagram", "bond", "blocks", "run", "columns", "compare", "events", "spectrum", "values",
    ] {
        assert!(
            String::from_utf8_lossy(&s.ask(what, "{}")).contains("failed"),
            "{what}"
        );
    }
}

#[test]
fn pages_have_models_of_their_own() {
    let s = serve("tabs");
    let good = s.json("check", r#"{"tab": "a", "model": "M"}"#);
    assert_eq!((&good["ok"], &good["model"]), (&true.into(), &"M".into()));
    let bad = s.json(
        "check",
        r#"{"tab": "b", "text": "model M Real x = y; end M;"}"#,
    );
    assert_eq!(bad["diagnostics"][0]["code"], "E0201");
    assert_eq!(bad["diagnostics"][0]["line"], 1);
    assert!(String::from_utf8_lossy(&s.ask("run", r#"{"tab": "b"}"#)).contains("failed"));
    // x(1) = exp(-k) with the value of the request.
    let answer = s.ask(
        "run",
        r#"{"tab": "a", "set": {"k": 3}, "tolerance": 1e-8, "columns": ["x"]}"#,
    );
    let end = answer.iter().position(|b| *b == b'\n').unwrap();
    let head: serde_json::Value = serde_json::from_slice(&answer[..end]).unwrap();
    let last = head["done"]["columns"][0]["final"].as_f64().unwrap();
    assert!((last - (-3.0f64).exp()).abs() < 1e-6, "{last}");
    let rows = head["done"]["rows"].as_u64().unwrap() as usize;
    assert_eq!(answer.len() - end - 1, 16 * rows);
}

/// Lines of an answer.
fn lines(answer: &[u8]) -> Vec<serde_json::Value> {
    let lines = answer.split(|b| *b == b'\n').filter(|l| !l.is_empty());
    lines.map(|l| serde_json::from_slice(l).unwrap()).collect()
}

/// What asks for too much, or does not end, is ended with a reason; the server goes on.
#[test]
fn runs_have_limits() {
    let s = serve_as("limits", |options| {
        options.limits = Limits {
            longest: Duration::from_millis(400),
            rows: 1000,
            numbers: 50_000,
        };
    });
    let failed = |wish: &str| {
        let answer = head(&s.ask("run", wish));
        let message = answer["failed"]["message"].as_str();
        message
            .map(str::to_owned)
            .unwrap_or_else(|| answer.to_string())
    };
    s.json("check", r#"{"tab": "a"}"#);
    // Points beyond the limit are not made.
    let answer = s.ask("run", r#"{"tab": "a", "points": 1e9, "columns": ["x"]}"#);
    assert_eq!(head(&answer)["done"]["rows"], 1001);
    // A model whose rows never end: two a sample, thirty million of them.
    let text = "model M discrete Real d(start = 0, fixed = true); Real x(start = 1, fixed = true); equation der(x) = -x; \
                when sample(0, 1e-7) then d = pre(d) + 1; end when; end M;";
    let wish = serde_json::json!({"tab": "a", "text": text});
    assert_eq!(s.json("check", &wish.to_string())["ok"], true);
    let why = failed(r#"{"tab": "a", "stop": 3, "columns": ["x"]}"#);
    assert!(why.contains("rows") || why.contains("minutes"), "{why}");
    // One that only takes time.
    let text = "model M Real x(start = 1, fixed = true); equation der(x) = cos(1e7*time); end M;";
    let wish = serde_json::json!({"tab": "a", "text": text});
    assert_eq!(s.json("check", &wish.to_string())["ok"], true);
    let why = failed(r#"{"tab": "a", "stop": 1000, "points": 2, "columns": ["x"]}"#);
    assert!(why.contains("minutes"), "{why}");
    // A body that is too long is not read.
    let long = format!("{{\"tab\": \"a\", \"text\": \"{}\"}}", " ".repeat(9 << 20));
    assert!(!s.ask_raw("check", &long).contains("200 OK"));
    let fine = s.json("check", r#"{"tab": "b"}"#);
    assert_eq!(fine["ok"], true);
}

/// 0.1·dy/dt = u - y beside the clock: rows come as time goes by, and the input acts while the run goes on.
#[test]
fn a_live_run_keeps_to_the_clock() {
    let s = serve("live");
    let text = "model M input Real u(start = 0.25); Real y(start = 0.25, fixed = true); equation 0.1*der(y) = u - y; end M;";
    let wish = serde_json::json!({"tab": "a", "text": text});
    let checked = s.json("check", &wish.to_string());
    assert_eq!(checked["inputs"][0]["value"], 0.25, "{checked}");
    let began = std::time::Instant::now();
    let answer = std::thread::scope(|scope| {
        let live = scope.spawn(|| {
            s.ask(
                "live",
                r#"{"tab": "a", "stop": 1.2, "columns": ["u", "y", "nothing"]}"#,
            )
        });
        std::thread::sleep(Duration::from_millis(300));
        let set = s.json("input", r#"{"tab": "a", "name": "u", "value": 2}"#);
        assert_eq!(set, serde_json::json!({}));
        let wrong = s.json("input", r#"{"tab": "a", "name": "y", "value": 2}"#);
        assert!(wrong["failed"].is_object());
        live.join().unwrap()
    });
    // It cannot end before the clock has; how much later depends on the machine.
    assert!(began.elapsed() >= Duration::from_millis(1200));
    let lines = lines(&answer);
    assert_eq!(lines[0]["begun"]["columns"].as_array().unwrap().len(), 2);
    assert_eq!(lines.last().unwrap()["ended"], "done");
    let rows: Vec<[f64; 3]> = lines
        .iter()
        .filter_map(|l| serde_json::from_value(l["row"].clone()).ok())
        .collect();
    assert!(rows.len() > 10, "{}", rows.len());
    let changed = rows.iter().position(|r| r[1] == 2.0).unwrap();
    let at = rows[changed - 1][0];
    assert!(
        rows[..changed].iter().all(|r| r[2] == 0.25),
        "at rest until then"
    );
    let [time, _, y] = rows[rows.len() - 1];
    let exact = 2.0 - 1.75 * (-(time - at) / 0.1).exp();
    assert!(
        (time, (y - exact).abs() < 1e-4) == (1.2, true),
        "{time} {y} {exact}"
    );
    // Stopped, it ends at once.
    let stopped = std::thread::scope(|scope| {
        let live = scope.spawn(|| s.ask("live", r#"{"tab": "a", "stop": 1e6, "columns": ["y"]}"#));
        std::thread::sleep(Duration::from_millis(200));
        s.json("stop", r#"{"tab": "a"}"#);
        live.join().unwrap()
    });
    assert_eq!(self::lines(&stopped).last().unwrap()["ended"], "stopped");
}

/// A model writes a file only where the one who opened the page has agreed; the class to begin with is the one of the command line.
#[test]
fn the_system_is_changed_only_with_consent() {
    for allowed in [false, true] {
        let name = format!("consent-{allowed}");
        let s = serve_as(&name, |options| {
            let file = options.file.as_ref().unwrap();
            let written = file.with_file_name("told.txt");
            let text = format!(
                "model M function write input String text; input String file; external \"C\" ModelicaInternal_print(text, file); \
                 end write; Real x; equation when initial() then write(\"told\", \"{}\"); end when; der(x) = -x; end M; \
                 model Last end Last;",
                written.display()
            );
            std::fs::write(file, text).unwrap();
            options.model = Some("M".to_owned());
            options.allow_external = allowed;
        });
        let written = s.file.with_file_name("told.txt");
        let _ = std::fs::remove_file(&written);
        let checked = s.json("check", r#"{"tab": "a"}"#);
        assert_eq!(checked["model"], "M", "{checked}");
        let answer = head(&s.ask("run", r#"{"tab": "a", "columns": ["x"]}"#));
        assert_eq!(answer.get("done").is_some(), allowed, "{answer}");
        assert_eq!(written.exists(), allowed);
    }
}

fn head(answer: &[u8]) -> serde_json::Value {
    let lines = answer.split(|b| *b == b'\n');
    let parsed = lines.filter_map(|l| serde_json::from_slice::<serde_json::Value>(l).ok());
    let mut found = parsed.filter(|v| v.get("done").is_some() || v.get("failed").is_some());
    found.next_back().unwrap()
}

/// A bouncing Boolean, an enumeration and a sine: what each is follows from the text.
#[test]
fn runs_are_looked_at_from_several_sides() {
    let s = serve("sides");
    let text = "model M type G = enumeration(R, N); Boolean on = time > 0.25; G g = if time < 0.5 then G.R else G.N; \
        Real u(unit = \\\"V\\\") = 3*sin(2*3.141592653589793*10*time); Real x(start = 1, fixed = true); \
        Real T(unit = \\\"K\\\", displayUnit = \\\"degC\\\") = 300; equation der(x) = -x; end M;";
    let checked = s.json(
        "check",
        &format!("{{\"tab\": \"a\", \"text\": \"{text}\"}}"),
    );
    assert_eq!(checked["ok"], true, "{checked}");
    let run =
        r#"{"tab": "a", "points": 1000, "columns": ["on", "g", "u", "T", "x + 1", "x - nothing"]}"#;
    let done = head(&s.ask("run", run))["done"].clone();
    let columns = done["columns"].as_array().unwrap();
    let names: Vec<&str> = columns
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    // A formula is a column, one that cannot be computed is none.
    assert_eq!(names, ["on", "g", "u", "T", "x + 1"]);
    assert_eq!(columns[0]["literals"], serde_json::json!(["false", "true"]));
    assert_eq!(columns[1]["literals"], serde_json::json!(["R", "N"]));
    assert_eq!(
        (&columns[3]["unit"], &columns[3]["offset"]),
        (&"°C".into(), &(-273.15).into())
    );
    let last = columns[4]["final"].as_f64().unwrap();
    assert!((last - 1.0 - (-1.0f64).exp()).abs() < 1e-5, "{last}");

    let log = s.json("events", r#"{"tab": "a", "run": 1}"#);
    assert_eq!(log["count"], 2, "{log}");
    let first = &log["events"][0];
    assert!((first["time"].as_f64().unwrap() - 0.25).abs() < 1e-9);
    assert_eq!(
        first["changes"][0],
        serde_json::json!({"name": "on", "from": "false", "to": "true"})
    );
    assert_eq!(log["events"][1]["changes"][0]["to"], "N");

    // Ten periods of 3 V at 10 Hz; the window spreads the peak over its neighbours, not its place.
    let spectrum = s.json("spectrum", r#"{"tab": "a", "run": 1, "name": "u"}"#);
    let fundamental = spectrum["fundamental"].as_f64().unwrap();
    assert!((fundamental - 10.0).abs() < 0.5, "{fundamental}");
    let gone = s.json("spectrum", r#"{"tab": "a", "run": 7, "name": "u"}"#);
    assert!(
        gone["failed"]["message"]
            .as_str()
            .unwrap()
            .contains("no longer")
    );

    let values = s.json(
        "values",
        r#"{"tab": "a", "run": 1, "names": ["T", "nothing"]}"#,
    );
    assert_eq!(values, serde_json::json!({"T": 300.0}));

    // Euler's error on exp(-t) is of the first order, that of the others far below.
    let wish = r#"{"tab": "a", "step": 0.01, "columns": ["x"], "solvers": ["euler", "bdf", "no such solver"]}"#;
    let compared = head(&s.ask("compare", wish))["done"].clone();
    let table = compared["table"].as_array().unwrap();
    let euler = table[0]["largest"].as_f64().unwrap();
    // (1 - h)^(1/h) differs from exp(-1) by h/2 exp(-1); in parts of the range 1 - exp(-1).
    let expected = 0.005 * (-1.0f64).exp() / (1.0 - (-1.0f64).exp());
    assert!((euler / expected - 1.0).abs() < 0.1, "{euler} {expected}");
    assert!(table[1]["largest"].as_f64().unwrap() < 1e-3 * euler.max(1.0));
    assert!(table[2]["failed"]["message"].is_string());

    let blocks = s.json("blocks", r#"{"tab": "a"}"#);
    let all = blocks["blocks"].as_array().unwrap();
    assert!(
        all.iter()
            .any(|b| b["follow"] == serde_json::json!(["der(x)"])),
        "{blocks}"
    );
}

#[test]
fn loops_are_told_with_what_they_iterate_over() {
    let s = serve("loops");
    let text = "model M Real a; Real b; equation a + b = 2*time; a^3 + b = 1 + time; end M;";
    s.json(
        "check",
        &format!("{{\"tab\": \"a\", \"text\": \"{text}\"}}"),
    );
    let blocks = s.json("blocks", r#"{"tab": "a"}"#);
    let of = |kind: &str| {
        let all = blocks["blocks"].as_array().unwrap().iter();
        all.filter(|b| b["kind"] == kind)
            .cloned()
            .collect::<Vec<_>>()
    };
    let loops = of("nonlinear");
    assert_eq!(loops.len(), 1, "{blocks}");
    assert_eq!(loops[0]["iterates"].as_array().unwrap().len(), 1, "torn");
    assert_eq!(loops[0]["follow"].as_array().unwrap().len(), 1);
}

#[test]
fn saving_writes_the_opened_file() {
    let s = serve("save");
    let saved = s.json(
        "save",
        r#"{"text": "model M end M;", "file": "/tmp/other.mo"}"#,
    );
    assert_eq!(saved["saved"], s.file.display().to_string());
    assert_eq!(std::fs::read_to_string(&s.file).unwrap(), "model M end M;");
}
