//! The program as scripts see it: exit codes, standard output, standard error, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A fresh folder with two results: `b.csv` deviates from `a.csv` by 1 % of the range at t = 2.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("a.csv"),
        "time,x,p\n0,0,7\n1,1,7\n2,2,7\n3,10,7\n",
    )
    .unwrap();
    fs::write(folder.join("b.csv"), "time,x\n0,0\n1,1\n2,2.1\n3,10\n").unwrap();
    folder
}

#[test]
fn diff_answers_with_its_exit_code() {
    let folder = folder("diff");
    let same = ferrica(&folder, &["diff", "a.csv", "a.csv"]);
    assert_eq!(same.status.code(), Some(0));
    assert!(text(&same.stdout).ends_with("2 variables compared: no difference\n"));

    let other = ferrica(&folder, &["diff", "a.csv", "b.csv"]);
    assert_eq!(other.status.code(), Some(1));
    let out = text(&other.stdout);
    assert!(out.contains("0.01000     0.10000     2.00000"), "{out}");
    assert!(out.contains("1 variable not in B: p"), "{out}");
    assert!(other.stderr.is_empty());

    let wide = ferrica(&folder, &["diff", "a.csv", "b.csv", "--tol", "0.02"]);
    assert_eq!(wide.status.code(), Some(0));
    let strict = ferrica(
        &folder,
        &["diff", "a.csv", "b.csv", "--tol", "0.02", "--strict"],
    );
    assert_eq!(strict.status.code(), Some(1));
    let missing = ferrica(&folder, &["diff", "a.csv", "none.csv"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(missing.stdout.is_empty());
}

#[test]
fn plot_draws_lists_and_refuses() {
    let folder = folder("plot");
    for name in ["p.svg", "p.png", "p.html"] {
        let done = ferrica(&folder, &["plot", "a.csv", "-y", "x;p", "-o", name]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        assert!(done.stdout.is_empty());
        assert!(fs::metadata(folder.join(name)).unwrap().len() > 1000);
    }
    let drawn = ferrica(&folder, &["plot", "a.csv", "-y", "x"]);
    let out = text(&drawn.stdout);
    assert!(out.contains("time [s]") && !out.contains('\x1b'), "{out}");

    let listed = ferrica(&folder, &["plot", "a.csv"]);
    assert_eq!(text(&listed.stdout), "x    0 … 10\np    7 … 7\n");

    for wrong in [
        &["plot", "a.csv", "-y", "nothing"][..],
        &["plot", "a.csv", "-y", "x", "-o", "p.gif"],
        &["plot", "a.csv", "-y", ""],
    ] {
        let refused = ferrica(&folder, wrong);
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}");
        assert!(text(&refused.stderr).starts_with("error: "));
    }
}

#[test]
fn errors_in_a_model_name_the_place() {
    let folder = folder("errors");
    fs::write(
        folder.join("bad.mo"),
        "model Bad\n  Real x\n  Real y;\nend Bad;\n",
    )
    .unwrap();
    let checked = ferrica(&folder, &["check", "bad.mo"]);
    assert_eq!(checked.status.code(), Some(1));
    let message = text(&checked.stderr);
    assert!(message.contains("--> bad.mo:2:9"), "{message}");
    assert!(message.contains("^"), "{message}");
    assert!(checked.stdout.is_empty());

    assert_eq!(ferrica(&folder, &["run"]).status.code(), Some(2));
    assert_eq!(
        ferrica(&folder, &["run", "missing.mo"]).status.code(),
        Some(2)
    );
    assert_eq!(
        ferrica(&folder, &["run", "bad.mo", "--solver", "magic"])
            .status
            .code(),
        Some(2)
    );
    let unknown = ferrica(&folder, &["check", "-m", "Modelica.Nothing"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("`Modelica` exists but has no such member"));
}

#[test]
fn the_built_in_library_is_inside() {
    let folder = folder("library");
    let dumped = ferrica(
        &folder,
        &[
            "dump",
            "--stage",
            "classes",
            "-m",
            "Modelica.Blocks.Interfaces",
        ],
    );
    assert_eq!(dumped.status.code(), Some(0), "{}", text(&dumped.stderr));
    assert!(text(&dumped.stdout).contains("RealInput"));
}

/// An RC circuit written out: v' = (10 - v)/(R*C), v(0) = 0, so v = 10 (1 - exp(-t/(R*C))).
const RC: &str = "\
model RC
  parameter Real R(unit = \"Ohm\") = 100;
  parameter Integer n = 2 \"size\";
  Real v(unit = \"V\", start = 0, fixed = true) \"voltage\";
  Real i(unit = \"A\");
  Real back = -i;
  Real w[n] = {k*v for k in 1:n};
equation
  i = (10 - v)/R;
  0.01*der(v) = i;
  annotation(experiment(StopTime = 2, Interval = 0.5));
end RC;
";

#[test]
fn run_writes_what_was_asked_for() {
    let folder = folder("run");
    fs::write(folder.join("rc.mo"), RC).unwrap();
    let done = ferrica(&folder, &["run", "rc.mo", "--tol", "1e-9"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(done.stdout.is_empty());
    assert!(text(&done.stderr).contains("→ RC.csv"));
    let table = ferrica_results::read(&folder.join("RC.csv")).unwrap();
    assert_eq!(table.time, [0.0, 0.5, 1.0, 1.5, 2.0]);
    for (t, v) in table.time.iter().zip(table.series("v").unwrap().iter()) {
        assert!((v - 10.0 * (1.0 - (-t).exp())).abs() < 1e-7);
    }
    assert_eq!(
        table.series("back").unwrap().to_vec(),
        table
            .series("i")
            .unwrap()
            .iter()
            .map(|i| -i)
            .collect::<Vec<_>>()
    );
    let written = fs::read_to_string(folder.join("RC.csv")).unwrap();
    let mut columns = written.lines().next().unwrap().split(',');
    assert!(
        columns.all(|name| name != "R"),
        "parameters are not columns"
    );

    // On standard output, only the variables named; a parameter if it is named.
    let printed = ferrica(
        &folder,
        &[
            "run", "rc.mo", "-q", "-o", "-", "--vars", "v", "--vars", "R",
        ],
    );
    assert!(text(&printed.stdout).starts_with("time,R,v\n0,100,0\n"));
    assert!(printed.stderr.is_empty(), "{}", text(&printed.stderr));

    // A picture of what is not stored, and of names that mean nothing.
    let drawn = ferrica(
        &folder,
        &[
            "run", "rc.mo", "-q", "-o", "v.csv", "--vars", "v", "--plot", "i",
        ],
    );
    assert_eq!(drawn.status.code(), Some(0), "{}", text(&drawn.stderr));
    assert!(text(&drawn.stdout).contains("i [A]"));
    let stored = fs::read_to_string(folder.join("v.csv")).unwrap();
    assert!(stored.starts_with("time,v\n"));
    for wrong in [["--plot", "v,nothing"], ["--vars", "nothing"]] {
        let refused = ferrica(&folder, &["run", "rc.mo", "-o", "-", wrong[0], wrong[1]]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(refused.stdout.is_empty());
    }

    // Other formats have units, aliases and parameters.
    for name in ["rc.mat", "rc.parquet"] {
        let done = ferrica(&folder, &["run", "rc.mo", "-o", name, "--tol", "1e-9"]);
        assert_eq!(done.status.code(), Some(0));
        let table = ferrica_results::read(&folder.join(name)).unwrap();
        assert_eq!(table.unit("v"), "V");
        assert_eq!(table.series("R").unwrap()[0], 100.0);
        let same = ferrica(&folder, &["diff", "RC.csv", name]);
        assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    }
}

#[test]
fn parameters_change_from_the_command_line() {
    let folder = folder("parameters");
    fs::write(folder.join("rc.mo"), RC).unwrap();
    let end = |args: &[&str], name: &str| -> f64 {
        let mut all = vec!["run", "rc.mo", "-o", "-", "-q", "--vars", name];
        all.extend(args);
        let done = ferrica(&folder, &all);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        text(&done.stdout)
            .trim_end()
            .rsplit(',')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!((end(&[], "v") - 10.0 * (1.0 - (-2f64).exp())).abs() < 1e-4);
    assert!((end(&["-p", "R=50"], "v") - 10.0 * (1.0 - (-4f64).exp())).abs() < 1e-4);
    assert!((end(&["-p", "v.start=10"], "v") - 10.0).abs() < 1e-9);
    // This one shapes the model: there is no w[3] without it.
    assert!((end(&["-p", "n=3"], "w[3]") - 30.0 * (1.0 - (-2f64).exp())).abs() < 1e-3);

    for wrong in ["r=50", "R=much", "v=1", "n=2.5"] {
        let refused = ferrica(&folder, &["run", "rc.mo", "-p", wrong]);
        assert_eq!(
            refused.status.code(),
            Some(2),
            "{wrong}: {}",
            text(&refused.stderr)
        );
    }
}

#[test]
fn statistics_are_json_with_the_promised_words() {
    let folder = folder("stats");
    fs::write(folder.join("rc.mo"), RC).unwrap();
    let done = ferrica(
        &folder,
        &["run", "rc.mo", "--stats", "cost.json", "--solver", "bdf"],
    );
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let json = fs::read_to_string(folder.join("cost.json")).unwrap();
    for word in [
        "\"solver\": \"bdf\"",
        "\"stages\": {\"parse\": ",
        "\"simulate\": ",
        "\"steps\": ",
    ] {
        assert!(json.contains(word), "{word} is missing in {json}");
    }
}

#[test]
fn a_failing_run_keeps_what_it_computed() {
    let folder = folder("failing");
    // x = 1/(1 - t) leaves all bounds at t = 1; the assertion stops it at t = 0.9.
    let model = "model Blow\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x^2;\n  \
                 assert(x < 10, \"x is too large\");\nend Blow;\n";
    fs::write(folder.join("blow.mo"), model).unwrap();
    let done = ferrica(&folder, &["run", "blow.mo", "--stop", "2"]);
    assert_eq!(done.status.code(), Some(1));
    let message = text(&done.stderr);
    assert!(message.contains("x is too large"), "{message}");
    assert!(
        message.contains("what was computed until then is in Blow.partial.csv"),
        "{message}"
    );
    let table = ferrica_results::read(&folder.join("Blow.partial.csv")).unwrap();
    let last = table.time[table.time.len() - 1];
    assert!(last > 0.88 && last < 0.95, "{last}");
}

#[test]
fn check_compare_and_dump_use_the_whole_pipeline() {
    let folder = folder("stages");
    fs::write(folder.join("rc.mo"), RC).unwrap();
    let checked = ferrica(&folder, &["check", "rc.mo"]);
    assert_eq!(checked.status.code(), Some(0));
    assert!(text(&checked.stderr).starts_with("RC: no errors"));
    for stage in ["syntax", "classes", "flat", "dae", "blocks", "kernels"] {
        let dumped = ferrica(&folder, &["dump", "--stage", stage, "rc.mo"]);
        assert_eq!(
            dumped.status.code(),
            Some(0),
            "{stage}: {}",
            text(&dumped.stderr)
        );
        assert!(text(&dumped.stdout).contains("RC") || text(&dumped.stdout).contains("der(v)"));
    }
    let compared = ferrica(
        &folder,
        &[
            "compare",
            "rc.mo",
            "--solvers",
            "bdf,dopri5,rk4",
            "--steps",
            "0.1",
            "-o",
            "work.svg",
        ],
    );
    assert_eq!(
        compared.status.code(),
        Some(0),
        "{}",
        text(&compared.stderr)
    );
    let out = text(&compared.stdout);
    assert!(
        out.lines()
            .any(|l| l.starts_with("rk4") && l.contains("h = 1e-1")),
        "{out}"
    );
    assert!(fs::metadata(folder.join("work.svg")).unwrap().len() > 1000);
}

#[test]
fn when_initial_asserts_and_prints_once() {
    let folder = folder("initial");
    fs::write(
        folder.join("Greeting.mo"),
        "model Greeting\n  parameter Real limit = 2;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n  \
         when initial() then\n    assert(x < limit, \"x starts too high\");\n    \
         Modelica.Utilities.Streams.print(\"start\");\n  end when;\n  \
         when time > 0.5 then\n    Modelica.Utilities.Streams.print(\"half\");\n  end when;\nend Greeting;\n",
    )
    .unwrap();
    let fine = ferrica(&folder, &["run", "Greeting.mo", "-o", "-"]);
    assert_eq!(fine.status.code(), Some(0), "{}", text(&fine.stderr));
    let printed = text(&fine.stderr);
    assert_eq!(printed.matches("start\n").count(), 1, "{printed}");
    assert!(printed.contains("start\nhalf\n"), "{printed}");
    let quiet = ferrica(&folder, &["run", "Greeting.mo", "-q", "-o", "-"]);
    assert_eq!(text(&quiet.stderr), "");
    let low = ferrica(&folder, &["run", "Greeting.mo", "-p", "limit=0.5"]);
    assert_eq!(low.status.code(), Some(1));
    let message = text(&low.stderr);
    assert!(message.contains("x starts too high"), "{message}");
}

/// An option that the solver would not look at is an error that names the solvers that do, in both directions.
#[test]
fn options_must_fit_the_solver() {
    let folder = folder("fitting");
    fs::write(
        folder.join("M.mo"),
        "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend M;\n",
    )
    .unwrap();
    for (solver, option, others) in [
        ("bdf", vec!["--steps"], "liqss2"),
        ("auto", vec!["--quantum", "x=1e-3"], "liqss2"),
        ("liqss2", vec!["--hysteresis", "0.5"], "qbg"),
        ("rk4", vec!["--quantum-growth", "0.1"], "qbg"),
        ("qss3", vec!["--step", "0.1"], "rk4"),
        ("liqss2", vec!["--iterations", "3"], "rt-bdf2"),
        ("qss1", vec!["--bdf-start", "tr"], "rt-bdf2"),
    ] {
        let args = [&["run", "M.mo", "-o", "-", "--solver", solver], &option[..]].concat();
        let out = ferrica(&folder, &args);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        let expected = format!("{} has no meaning for `{solver}`", option[0]);
        assert!(said.contains(&expected), "{args:?}: {said}");
        assert!(said.contains(others), "{args:?}: {said}");
    }
    let quantized = ["run", "M.mo", "-o", "-", "--solver", "liqss2"];
    let fine = [&quantized[..], &["--steps", "--quantum", "x=1e-3"]].concat();
    assert_eq!(ferrica(&folder, &fine).status.code(), Some(0));
    let own = ["run", "M.mo", "-o", "-", "--solver", "bdf", "--step", "0.1"];
    let out = ferrica(&folder, &own);
    assert_eq!(out.status.code(), Some(0));
    assert!(text(&out.stderr).contains("--step has no effect with `bdf`"));
}

/// The standard error of a command that must end with an exit code.
fn refusal(folder: &Path, args: &[&str], code: i32) -> String {
    let done = ferrica(folder, args);
    assert_eq!(done.status.code(), Some(code), "{args:?}");
    text(&done.stderr)
}

#[test]
fn negative_numbers_are_told_in_words_of_the_flag() {
    let folder = folder("negative");
    let model = ["run", "-m", "Ferrica.Benchmarks.HalfWave"];
    for (flag, words) in [
        ("--step", "--step -1 is not a positive step"),
        ("--tol", "--tol -1 is not between 0 and 1"),
        ("--interval", "an output interval of -1"),
        ("--threads", "a whole number is needed"),
        ("--points", "a whole number is needed"),
    ] {
        let told = refusal(&folder, &[&model[..], &[flag, "-1"]].concat(), 2);
        assert!(told.contains(words), "{flag}: {told}");
    }
}

#[test]
fn a_misspelled_model_gets_a_suggestion() {
    let folder = folder("misspelled");
    for (name, near) in [
        (
            "Modelica.Blocks.Sources.Stpe",
            "`Modelica.Blocks.Sources.Step`",
        ),
        ("Modelica.Bloks.Sources.Step", "`Modelica.Blocks`"),
        ("Ferica.TLM", "`Ferrica`"),
    ] {
        let told = refusal(&folder, &["check", "-m", name], 1);
        assert!(told.contains(&format!("did you mean {near}?")), "{told}");
    }
}

/// One cause, one message: the count, and what the structural analysis knows.
#[test]
fn missing_and_superfluous_equations_are_told_once() {
    let folder = folder("unbalanced");
    let few = "model Few Real x, y; equation x = 2*y; end Few;";
    let many = "model Many Real x; equation x = time; 2*x = 3; end Many;";
    for (model, code, detail) in [
        (few, "E0301", "under-determined: only one equation for"),
        (
            many,
            "E0301",
            "over-determined: 2 equations for the one unknown `x`",
        ),
    ] {
        fs::write(folder.join("M.mo"), model).unwrap();
        let told = refusal(&folder, &["check", "M.mo"], 1);
        assert_eq!(told.matches("error[").count(), 1, "{told}");
        assert!(told.contains(code) && told.contains(detail), "{told}");
    }
}

#[test]
fn a_folder_that_is_no_package_does_not_run() {
    let folder = folder("no-package");
    let told = refusal(&folder, &["run", "."], 2);
    assert!(told.contains("without package.mo"), "{told}");
}

#[test]
fn values_that_are_not_numbers_are_told() {
    let folder = folder("undefined");
    let model = "model M
  parameter Real k = 0;
  Real x(start = 1, fixed = true);
  output Real y = sqrt(x - 0.5);
  Real z = 1/k;
equation
  der(x) = -1;
end M;";
    fs::write(folder.join("M.mo"), model).unwrap();
    // x falls below 0.5 between the points 0.5 and 0.502; y is an output of the model.
    let done = ferrica(&folder, &["run", "M.mo"]);
    assert_eq!(done.status.code(), Some(1));
    let told = text(&done.stderr);
    assert!(
        told.contains("error[E0613]: `y` is not a number at time 0.502"),
        "{told}"
    );
    assert!(told.contains("from y = sqrt(x - 0.5)"), "{told}");
    let rows = fs::read_to_string(folder.join("M.partial.csv")).unwrap();
    assert!(rows.lines().last().unwrap().starts_with("0.5,"), "{rows}");
    // Nobody has asked for y and z any more.
    fs::write(folder.join("M.mo"), model.replace("output", "")).unwrap();
    let done = ferrica(&folder, &["run", "M.mo"]);
    assert_eq!(done.status.code(), Some(0));
    let told = text(&done.stderr);
    assert!(
        told.contains("warning[W0602]: `y` is NaN at time 0.502"),
        "{told}"
    );
    assert!(
        told.contains("`z` is inf") && told.contains("from z = 1 / k"),
        "{told}"
    );
    assert_eq!(
        ferrica(&folder, &["run", "M.mo", "--vars", "y"])
            .status
            .code(),
        Some(1)
    );
}

/// The last model or block of a file is meant; of other classes is said what to do with them.
#[test]
fn a_model_is_simulated_and_nothing_else() {
    let folder = folder("kinds");
    fs::write(
        folder.join("kinds.mo"),
        "model A Real x = f(time); end A;\nfunction f input Real u; output Real y; algorithm y := 2*u; end f;\n\
         type T = Real;\nrecord R Real x = 1; end R;\nconnector C Real p; flow Real i; end C;\n\
         package P model Inside Real x = 1; end Inside; end P;\n",
    )
    .unwrap();
    let run = ferrica(&folder, &["run", "kinds.mo", "--stop", "1", "-o", "-"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(text(&run.stdout).lines().last().unwrap().starts_with("1,2"));
    for (class, kind, hint) in [
        ("f", "a function", "call it in a model"),
        ("T", "a type", "declare a component of it in a model"),
        ("R", "a record", "declare a component of it in a model"),
        ("C", "a connector", "declare a component of it in a model"),
        ("P", "a package", "-m: P.Inside"),
    ] {
        for command in ["run", "check"] {
            let refused = ferrica(&folder, &[command, "kinds.mo", "-m", class]);
            assert_eq!(refused.status.code(), Some(1));
            let why = text(&refused.stderr);
            assert!(
                why.contains("E0302") && why.contains(kind) && why.contains(hint),
                "{why}"
            );
        }
    }
}

/// Sixty open resistors are warned of, not all are shown; the error is.
#[test]
fn warnings_do_not_hide_an_error() {
    let folder = folder("hidden");
    let resistor = |k: usize| format!("  Modelica.Electrical.Analog.Basic.Resistor R{k};\n");
    let resistors: String = (0..60).map(resistor).collect();
    let model = format!("model Open\n{resistors}end Open;\n");
    fs::write(folder.join("open.mo"), model).unwrap();
    let done = ferrica(&folder, &["check", "open.mo"]);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("further warnings are not shown"), "{said}");
    assert!(said.contains("error[E04"), "{said}");
}
