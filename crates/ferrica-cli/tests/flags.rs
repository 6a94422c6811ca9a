//! Every flag of every command acts, or is refused with a reason: none is taken and forgotten.
//!
//! A row of [`ROWS`] is a command line and what is added to it, beginning with the flag in question. Both lines are run, each in a
//! folder of its own with the same files, and must differ in what they print, write or answer. The flags are those that `--help` shows:
//! a new one without a row fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const MODEL: &str = "model Other
  parameter Real f[2] = {1, 2};
  Real z(start=2, fixed=true);
equation
  der(z) = -f[1]*z;
end Other;
model M \"decays\"
  parameter Real k(min=0) = 1;
  parameter Integer n = 2;
  Real v[n] = fill(x, n);
  input Real u(start=0.5);
  output Real y(unit=\"V\");
  Real x(start=1, fixed=true);
  Real w(start=2, fixed=true);
equation
  der(x) = -k*x + u;
  der(w) = if x > 0.8 then -w else -2*w;
  y = 2*x;
  assert(k < 5, \"too fast\");
end M;
";
const SHAFT: &str = "model Shaft
  parameter Real a = 1;
  input Real torque(start=0);
  Real angle(start=3, fixed=true);
  Real speed(start=1, fixed=true);
equation
  der(angle) = speed;
  der(speed) = torque - a*speed - speed^2;
end Shaft;
";
const CIRCUIT: &str = "model Circuit
  Modelica.Electrical.Analog.Sources.ConstantVoltage source(V=5);
  Modelica.Electrical.Analog.Basic.Resistor R(R=100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=1e-3, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(source.p, R.p);
  connect(R.n, C.p);
  connect(C.n, ground.p);
  connect(source.n, ground.p);
end Circuit;
model Two
  Circuit inside;
end Two;
";
const RINGING: &str = "model Ringing
  Modelica.Electrical.Analog.Basic.Inductor L(L=1e-2, i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Resistor R(R=1);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=1e-3, v(start=5, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(L.p, C.p);
  connect(L.n, R.p);
  connect(R.n, C.n);
  connect(C.n, ground.p);
end Ringing;
";
const LIBRARY: &str = "package Vendor \"parts\"
  model Part \"a part\"
    parameter Real k = 1;
    Real x(start=1, fixed=true);
  equation
    der(x) = -k*x;
  end Part;
end Vendor;
";
/// Writes a file, which not every model may.
const OUTSIDE: &str = "model Outside
  function write
    input String text;
    input String file;
    external \"C\" ModelicaInternal_print(text, file);
  end write;
  function told
    input Real x;
    output Real y;
  algorithm
    write(\"told\", \"told.txt\");
    y := x;
  end told;
  parameter Real k = told(1);
  Real x(start=1, fixed=true);
equation
  der(x) = -k*x;
end Outside;
";
/// Steps that are a little too long for it, which only half of them show.
const RELAY: &str = "model Relay
  Real T(start=20, fixed=true);
  Boolean on(start=true, fixed=true);
equation
  der(T) = (if on then 80 else 0) - (T - 10);
  on = pre(on) and T < 22 or T < 18;
  annotation(experiment(StopTime=20));
end Relay;
";
/// Text that no C compiler takes: it is looked at only where C is allowed.
const FOREIGN: &str = "model Foreign
  function f
    input Real x;
    output Real y;
    external \"C\" y = no_such(x) annotation(Include=\"double no_such(double x) { return }\");
  end f;
  Real y = f(time);
end Foreign;
";
const UNTIDY: &str = "model  Untidy
 Real x( start=1, fixed = true) annotation(Dialog(group=\"States of a long name\", tab=\"General\", enable=true));
equation
   der(x)=-x;
end Untidy;
";

include!("flags/rows.rs");

/// Acts where a program that has ended cannot show it; the test that looks.
const ELSEWHERE: [(&str, &str, &str); 4] = [
    ("run", "--progress", "a bar, which only a terminal is shown"),
    (
        "studio",
        "--allow-external",
        "ferrica-studio/tests/guards.rs",
    ),
    ("studio", "--model", "ferrica-studio/tests/guards.rs"),
    ("lsp", "--lib", "ferrica-cli/tests/language_server.rs"),
];

/// Flags of all commands: `--quiet` has nothing to keep silent about in some.
const EVERYWHERE: [&str; 4] = ["--help", "--version", "--quiet", "--verbose"];

/// What a command line comes to: exit code, standard output, standard error, files.
type Effect = (Option<i32>, String, String, BTreeMap<String, Vec<u8>>);

fn prepared(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("flags")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("lib")).unwrap();
    for (file, text) in [
        ("M.mo", MODEL),
        ("Shaft.mo", SHAFT),
        ("Circuit.mo", CIRCUIT),
        ("Ringing.mo", RINGING),
        ("Relay.mo", RELAY),
        ("Outside.mo", OUTSIDE),
        ("Foreign.mo", FOREIGN),
        ("Untidy.mo", UNTIDY),
        ("early.csv", "time,x\n0,0\n1,0\n1,1\n1.005,1\n2,1\n"),
        ("late.csv", "time,x\n0,0\n1.01,0\n1.01,1\n2,1\n"),
        ("lib/Vendor.mo", LIBRARY),
        ("u.csv", "time,u\n0,0\n0.5,1\n1,0\n"),
        ("torque.csv", "time,torque\n0,0\n0.5,1\n1,0\n"),
        ("a.csv", "time,x,y,p\n0,0,1,7\n1,1,2,7\n2,2,4,7\n3,10,1,7\n"),
        ("b.csv", "time,x,y\n0,0,1\n1,1,3\n2,2.1,5\n3,10,1\n"),
        ("data.csv", "time,x,u\n0,1,0\n0.5,0.7,0.1\n1,0.45,0\n"),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// Times differ from run to run; they are no effect of a flag.
fn without_times(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for k in 1..words.len() {
        let unit = words[k].trim_end_matches(['\n', ',', '.', ')']);
        if matches!(unit, "s" | "ms" | "µs") && words[k - 1].parse::<f64>().is_ok() {
            words[k - 1] = "…";
        }
    }
    words.join(" ")
}

fn effect(line: &str, folder: &Path) -> Effect {
    let (before, line) = line.rsplit_once(" ; ").unwrap_or(("", line));
    for line in before.split(" ; ").filter(|l| !l.is_empty()) {
        let done = effect(line, folder);
        assert_eq!(done.0, Some(0), "{line}: {}", done.2);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
    command
        .args(line.split(' '))
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .stdin(Stdio::null());
    if line.starts_with("studio ") {
        return serving(command);
    }
    let done = command.output().unwrap();
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().display().to_string();
                    files.insert(name, fs::read(&path).unwrap());
                }
            }
        }
    }
    (
        done.status.code(),
        without_times(&String::from_utf8_lossy(&done.stdout)),
        without_times(&String::from_utf8_lossy(&done.stderr)),
        files,
    )
}

/// A program that serves: what it says first, without the token.
fn serving(mut command: Command) -> Effect {
    use std::io::{BufRead, BufReader};
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let _ = BufReader::new(child.stdout.take().unwrap()).read_line(&mut line);
    let _ = child.kill();
    let done = child.wait_with_output().unwrap();
    let address = line.split(['?', '#']).next().unwrap_or("").to_owned();
    (
        None,
        address,
        String::from_utf8_lossy(&done.stderr).into_owned(),
        BTreeMap::new(),
    )
}

fn help(args: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_ferrica");
    let done = Command::new(program)
        .args(args)
        .arg("--help")
        .output()
        .unwrap();
    String::from_utf8(done.stdout).unwrap()
}

/// The words of the list of commands, and the long flags of each.
fn flags() -> BTreeSet<(String, String)> {
    let overview = help(&[]);
    let lines = overview.lines().skip_while(|l| *l != "Commands:").skip(1);
    let lines = lines.take_while(|l| !l.is_empty());
    let commands = lines.filter_map(|l| l.split_whitespace().next());
    let mut all = BTreeSet::new();
    for command in commands.filter(|c| *c != "help") {
        for line in help(&[command]).lines() {
            // Flags stand at the left; their descriptions are farther to the right.
            let inset = line.len() - line.trim_start().len();
            let flag = line.split([' ', ',']).find(|w| w.starts_with("--"));
            if let (2..=6, true, Some(flag)) = (inset, line.trim_start().starts_with('-'), flag) {
                all.insert((command.to_owned(), flag.to_owned()));
            }
        }
    }
    all
}

#[test]
fn every_flag_acts_or_is_refused() {
    let known: BTreeSet<(String, String)> = ROWS
        .iter()
        .map(|(base, added)| {
            let first = |text: &str| text.split(' ').next().unwrap().to_owned();
            let last = base.rsplit(" ; ").next().unwrap();
            (first(last), first(added))
        })
        .chain(
            ELSEWHERE
                .iter()
                .map(|(c, f, _)| (c.to_string(), f.to_string())),
        )
        .collect();
    let shown = flags();
    assert!(shown.len() > 150, "the help is read: {shown:?}");
    let mut faults: Vec<String> = shown
        .iter()
        .filter(|(_, flag)| !EVERYWHERE.contains(&flag.as_str()))
        .filter(|pair| !known.contains(pair))
        .map(|(command, flag)| format!("no row shows what {flag} of `{command}` does"))
        .collect();
    faults.extend(
        known
            .iter()
            .filter(|pair| !shown.contains(pair))
            .map(|(command, flag)| format!("`{command}` has no {flag}")),
    );
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let bases: Mutex<BTreeMap<&str, Effect>> = Mutex::default();
    let work = || {
        while let Some((base, added)) = ROWS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let number = ROWS.iter().position(|row| row == &(*base, *added)).unwrap();
            let stored = bases.lock().unwrap().get(base).cloned();
            let plain = stored.unwrap_or_else(|| {
                let plain = effect(base, &prepared(&format!("{number}-base")));
                bases.lock().unwrap().insert(base, plain.clone());
                plain
            });
            let flagged = effect(&format!("{base} {added}"), &prepared(&number.to_string()));
            if plain == flagged {
                let fault = format!(
                    "`{base}` does the same with `{added}`: {:?} {}",
                    plain.0, plain.2
                );
                found.lock().unwrap().push(fault);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(work);
        }
    });
    faults.extend(found.into_inner().unwrap());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
