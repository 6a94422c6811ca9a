//! FMUs as models and as components: our own, and one of C code. Expected numbers are closed forms.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ferrica_test_tools::needs;

mod common;

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn done(folder: &Path, args: &[&str]) -> String {
    let out = ferrica(folder, args);
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{args:?}: {text}");
    String::from_utf8(out.stdout).unwrap()
}

fn refused(folder: &Path, args: &[&str]) -> String {
    let out = ferrica(folder, args);
    assert_eq!(out.status.code(), Some(1), "{args:?}");
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// The last row of a result on standard output, by name.
fn last(csv: &str, name: &str) -> f64 {
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = names.iter().position(|n| *n == name);
    let column = column.unwrap_or_else(|| panic!("no {name} in {names:?}"));
    let row = csv.lines().last().unwrap();
    row.split(',').nth(column).unwrap().parse().unwrap()
}

const BALL: &str = "model Ball
  parameter Real e = 0.8;
  output Real h(start = 1, fixed = true, unit = \"m\", nominal = 0.5) \"Height\";
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation (experiment(StopTime = 0.8, Tolerance = 1e-9));
end Ball;";

/// Height between the first two bounces of a ball that falls from a height.
fn height(t: f64, from: f64, e: f64) -> f64 {
    let t1 = (2.0 * from / 9.81f64).sqrt();
    e * 9.81 * t1 * (t - t1) - 9.81 / 2.0 * (t - t1).powi(2)
}

/// Events and states of an FMU are those of the run; parameters and start values can be changed.
#[test]
fn a_ball_runs_as_an_fmu() {
    let folder = common::folder("import-ball");
    fs::write(folder.join("Ball.mo"), BALL).unwrap();
    for fmi in ["2", "3"] {
        done(
            &folder,
            &["export", "fmu", "Ball.mo", "--fmi", fmi, "-o", "b.fmu"],
        );
        for solver in ["auto", "bdf", "radau", "dopri5"] {
            let csv = done(&folder, &["run", "b.fmu", "--solver", solver, "-o", "-"]);
            let error = last(&csv, "h") - height(0.8, 1.0, 0.8);
            assert!(error.abs() < 1e-6, "FMI {fmi}, {solver}: {error}");
        }
        // Quantized states stop a rounding before the ground, fixed steps at a grid point behind it.
        for (solver, bound) in [
            ("qss2", 1e-4),
            ("qss3", 1e-4),
            ("liqss2", 1e-4),
            ("rt-tr", 1e-2),
        ] {
            let args = [
                "run", "b.fmu", "--solver", solver, "--tol", "1e-5", "-o", "-",
            ];
            let step: &[&str] = if bound > 1e-3 {
                &["--step", "1e-3"]
            } else {
                &[]
            };
            let csv = done(&folder, &[&args[..], step].concat());
            let error = last(&csv, "h") - height(0.8, 1.0, 0.8);
            assert!(error.abs() < bound, "FMI {fmi}, {solver}: {error}");
        }
        let other = ["-p", "e=0.5", "-p", "h_start=0.9", "-o", "-"];
        let csv = done(&folder, &[&["run", "b.fmu"][..], &other].concat());
        let error = last(&csv, "h") - height(0.8, 0.9, 0.5);
        assert!(error.abs() < 1e-6, "FMI {fmi}: {error}");
        done(&folder, &["import", "b.fmu", "--type", "cs", "-o", "Cs.mo"]);
        let csv = done(&folder, &["run", "Cs.mo", "-o", "-"]);
        let error = last(&csv, "h") - height(0.8, 1.0, 0.8);
        assert!(error.abs() < 1e-5, "FMI {fmi}, co-simulation: {error}");
    }
    let block = fs::read_to_string(folder.join("Cs.mo")).unwrap();
    let declared = "output Real h(unit=\"m\", nominal=0.5) \"Height\"";
    assert!(block.contains(declared), "{block}");
    done(&folder, &["import", "b.fmu", "-o", "Me.mo"]);
    let block = fs::read_to_string(folder.join("Me.mo")).unwrap();
    assert!(block.contains("(nominal={0.5, 1.0})"), "{block}");
}

/// A loop around an FMU: what does not depend on the input makes no system of equations. ẏ = 3 (u - y), u = 2 (1 - y) + 1:
/// y = 1 - exp(-9 t), and w = y + 2 u.
#[test]
fn a_component_in_a_loop() {
    let folder = common::folder("import-loop");
    let plant = "model Plant input Real u(start = 0); output Real y(start = 0, fixed = true); output Real w;
        equation der(y) = 3*(u - y); w = y + 2*u; end Plant;";
    fs::write(folder.join("p.mo"), plant).unwrap();
    let model = "model Closed Plant p; equation p.u = 2*(1 - p.y) + 1;
        annotation(experiment(StopTime = 0.3, Tolerance = 1e-9)); end Closed;";
    for fmi in ["2", "3"] {
        done(
            &folder,
            &["export", "fmu", "p.mo", "--fmi", fmi, "-o", "p.fmu"],
        );
        done(&folder, &["import", "p.fmu", "-o", "Plant.mo"]);
        let block = fs::read_to_string(folder.join("Plant.mo")).unwrap();
        fs::write(folder.join("Closed.mo"), format!("{block}\n{model}")).unwrap();
        let y = 1.0 - (-9.0f64 * 0.3).exp();
        for solver in ["auto", "bdf", "rk4", "rt-tr"] {
            let fixed: &[&str] = match solver {
                "auto" | "bdf" => &[],
                _ => &["--step", "1e-3"],
            };
            let args = ["run", "Closed.mo", "--solver", solver, "-o", "-"];
            let csv = done(&folder, &[&args[..], fixed].concat());
            let found = (last(&csv, "p.y"), last(&csv, "p.w"));
            assert!((found.0 - y).abs() < 1e-5, "{solver}: {found:?}");
            let w = y + 2.0 * (2.0 * (1.0 - y) + 1.0);
            assert!((found.1 - w).abs() < 1e-4, "{solver}: {found:?}");
        }
        let blocks = done(&folder, &["dump", "--stage", "blocks", "Closed.mo"]);
        assert!(blocks.contains("  p.u := 2 * (1 - p.y) + 1"), "{blocks}");
    }
}

/// Delayed signals are a history inside of the FMU: it hears of every step. ẋ = 1 - delay(x, 1/2) from 0: x = t up to 1/2, then
/// x = t - (t - 1/2)²/2 up to 1.
#[test]
fn an_fmu_remembers() {
    let folder = common::folder("import-delay");
    let model =
        "model M output Real x(start = 0, fixed = true); equation der(x) = 1 - delay(x, 0.5);
        annotation(experiment(StopTime = 1, Tolerance = 1e-8)); end M;";
    fs::write(folder.join("M.mo"), model).unwrap();
    done(&folder, &["export", "fmu", "M.mo", "-o", "m.fmu"]);
    for solver in ["auto", "rt-tr", "rt-bdf2", "qss2", "liqss2"] {
        let mut args = vec!["run", "m.fmu", "--interval", "0.01", "-o", "-"];
        args.extend(["--solver", solver, "--tol", "1e-4"]);
        let csv = done(&folder, &args);
        let error = last(&csv, "x") - (1.0 - 0.125);
        assert!(error.abs() < 1e-3, "{solver}: {error}");
    }
}

#[test]
fn what_is_no_fmu_is_refused() {
    let folder = common::folder("import-bad");
    fs::write(folder.join("no.fmu"), "something else").unwrap();
    for args in [&["run", "no.fmu"][..], &["import", "no.fmu", "-o", "No.mo"]] {
        let why = refused(&folder, args);
        assert!(why.contains("E0742") && why.contains("no archive"), "{why}");
    }
    assert!(!folder.join("No.mo").exists());
}

/// FMI 2.0 in C: ẋ = k u - x by the functions of the header, and by Euler steps; `n` counts what is above 1/2.
const FOREIGN: &str = r#"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
typedef struct { double t, x, k, u; int above; } M;
const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
void *fmi2Instantiate(const char *n, int t, const char *guid, const char *r, const void *f, int v, int l)
{ M *m; if (strcmp(guid, "{tiny}")) return NULL; m = calloc(1, sizeof *m); m->k = 1; return m; }
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int d, double tol, double t, int s, double e) { ((M *)c)->t = t; return 0; }
int fmi2EnterInitializationMode(void *c) { return 0; }
int fmi2ExitInitializationMode(void *c) { return 0; }
int fmi2Terminate(void *c) { return 0; }
int fmi2Reset(void *c) { M *m = c; m->t = m->x = m->u = 0; m->k = 1; m->above = 0; return 0; }
int fmi2GetReal(void *c, const unsigned *vr, size_t n, double *v)
{ M *m = c; size_t i; for (i = 0; i < n; i++) v[i] = vr[i] == 0 ? m->x : vr[i] == 1 ? m->k*m->u - m->x : vr[i] == 2 ? m->k : m->u; return 0; }
int fmi2SetReal(void *c, const unsigned *vr, size_t n, const double *v)
{ M *m = c; size_t i; for (i = 0; i < n; i++) if (vr[i] == 2) m->k = v[i]; else if (vr[i] == 3) m->u = v[i]; else return 3; return 0; }
int fmi2GetInteger(void *c, const unsigned *vr, size_t n, int *v) { if (n) v[0] = ((M *)c)->above; return 0; }
int fmi2SetInteger(void *c, const unsigned *vr, size_t n, const int *v) { return 3; }
int fmi2GetBoolean(void *c, const unsigned *vr, size_t n, int *v) { return 3; }
int fmi2SetBoolean(void *c, const unsigned *vr, size_t n, const int *v) { return 3; }
int fmi2SetString(void *c, const unsigned *vr, size_t n, const char *const *v) { return 3; }
int fmi2EnterEventMode(void *c) { return 0; }
int fmi2NewDiscreteStates(void *c, int *i) { ((M *)c)->above = ((M *)c)->x > 0.5; memset(i, 0, 20); return 0; }
int fmi2EnterContinuousTimeMode(void *c) { return 0; }
int fmi2CompletedIntegratorStep(void *c, int p, int *e, int *t) { *e = *t = 0; return 0; }
int fmi2SetTime(void *c, double t) { ((M *)c)->t = t; return 0; }
int fmi2SetContinuousStates(void *c, const double *x, size_t n) { ((M *)c)->x = x[0]; return 0; }
int fmi2GetContinuousStates(void *c, double *x, size_t n) { x[0] = ((M *)c)->x; return 0; }
int fmi2GetDerivatives(void *c, double *d, size_t n) { M *m = c; d[0] = m->k*m->u - m->x; return 0; }
int fmi2GetEventIndicators(void *c, double *z, size_t n) { z[0] = ((M *)c)->x - 0.5; return 0; }
int fmi2DoStep(void *c, double t, double h, int p)
{ M *m = c; int i; for (i = 0; i < 1000; i++) m->x += h/1000*(m->k*m->u - m->x); m->t = t + h; m->above = m->x > 0.5; return 0; }
"#;

const DESCRIPTION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Tiny" guid="{tiny}" numberOfEventIndicators="1">
  <ModelExchange modelIdentifier="tiny"/><CoSimulation modelIdentifier="tiny" canHandleVariableCommunicationStepSize="true"/>
  <TypeDefinitions><SimpleType name="Gain"><Real unit="1" min="0"/></SimpleType></TypeDefinitions>
  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.01"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="1"><Real derivative="1"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="2" causality="parameter" variability="fixed"><Real declaredType="Gain" start="1"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="3" causality="input"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="4" causality="output" variability="discrete"><Integer/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="1" dependencies=""/><Unknown index="5" dependencies="1"/></Outputs>
    <Derivatives><Unknown index="2"/></Derivatives>
  </ModelStructure>
</fmiModelDescription>"#;

/// The tiny FMU as an archive.
fn foreign(folder: &Path) -> PathBuf {
    fs::write(folder.join("tiny.c"), FOREIGN).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o", "tiny.so", "tiny.c"])
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(built.success());
    let path = folder.join("tiny.fmu");
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    let plain = zip::write::SimpleFileOptions::default();
    let machine = ferrica_import::platform::folders().unwrap().0;
    let library = format!("binaries/{machine}/tiny{}", std::env::consts::DLL_SUFFIX);
    let bytes = fs::read(folder.join("tiny.so")).unwrap();
    for (name, bytes) in [
        ("modelDescription.xml", DESCRIPTION.as_bytes()),
        (&library, &bytes),
    ] {
        zip.start_file(name, plain).unwrap();
        std::io::Write::write_all(&mut zip, bytes).unwrap();
    }
    zip.finish().unwrap();
    path
}

/// x = 2 (1 - exp(-t)) passes 1/2 at t = ln(4/3), which is an event of the FMU.
#[needs("cc")]
#[test]
fn foreign_code_runs_with_consent() {
    let folder = common::folder("import-foreign");
    foreign(&folder);
    let why = refused(&folder, &["run", "tiny.fmu"]);
    assert!(why.contains("--allow-external"), "{why}");
    let x = 2.0 * (1.0 - (-1.0f64).exp());
    for (kind, tolerance) in [("me", 1e-5), ("cs", 1e-4)] {
        done(
            &folder,
            &["import", "tiny.fmu", "--type", kind, "-o", "Tiny.mo"],
        );
        let block = fs::read_to_string(folder.join("Tiny.mo")).unwrap();
        let model = "model Use Tiny t(k = 2); equation t.u = 1; annotation(experiment(StopTime = 1)); end Use;";
        fs::write(folder.join("Use.mo"), format!("{block}\n{model}")).unwrap();
        let csv = done(&folder, &["run", "Use.mo", "--allow-external", "-o", "-"]);
        assert!(
            (last(&csv, "t.x") - x).abs() < tolerance,
            "{kind}: {}",
            last(&csv, "t.x")
        );
        assert_eq!(last(&csv, "t.n"), 1.0, "{kind}");
        let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        let n = names.iter().position(|n| *n == "t.n").unwrap();
        let turned = csv.lines().skip(1).map(|row| {
            let cells: Vec<f64> = row.split(',').map(|c| c.parse().unwrap()).collect();
            (cells[0], cells[n])
        });
        let first = turned.filter(|r| r.1 == 1.0).map(|r| r.0).next().unwrap();
        let late = first - (4.0f64 / 3.0).ln();
        let most = if kind == "me" { 1e-5 } else { 0.011 };
        assert!((-1e-6..most).contains(&late), "{kind}: {late}");
    }
    // A block goes with one FMU.
    let block = fs::read_to_string(folder.join("Tiny.mo")).unwrap();
    fs::write(folder.join("Other.mo"), block.replace("{tiny}", "{other}")).unwrap();
    let why = refused(&folder, &["run", "Other.mo", "--allow-external"]);
    assert!(why.contains("import it again"), "{why}");
}

/// A ball falls from 1 m for t1 = √(2/g) and flies for 2·e·t1 after its first bounce; at the second one the FMU jumps and ends the run at once.
#[test]
fn a_run_ends_in_the_instant_of_a_jump() {
    let folder = common::folder("import-ends");
    let model = "model Twice parameter Real e = 0.8; output Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); output Integer n(start = 0, fixed = true);
        equation der(h) = v; der(v) = -9.81; when h <= 0 then n = pre(n) + 1; reinit(v, -e*pre(v)); end when;
        when n >= 2 and v < 0 then terminate(\"twice, 100 %\"); end when; annotation (experiment(StopTime = 3, Tolerance = 1e-9)); end Twice;";
    fs::write(folder.join("Twice.mo"), model).unwrap();
    let t1 = (2.0f64 / 9.81).sqrt();
    for fmi in ["2", "3"] {
        let export = [
            "export",
            "fmu",
            "Twice.mo",
            "--fmi",
            fmi,
            "-q",
            "-o",
            "twice.fmu",
        ];
        done(&folder, &export);
        let csv = done(&folder, &["run", "twice.fmu", "-q", "-o", "-"]);
        assert!(
            (last(&csv, "time") - (t1 + 1.6 * t1)).abs() < 1e-6,
            "FMI {fmi}"
        );
        assert_eq!(last(&csv, "n"), 2.0);
    }
}

/// sin(2.5) half a second late, from the steps of a solver that needs few of them.
#[test]
fn delayed_signals_are_curves_between_steps() {
    let folder = common::folder("import-delay");
    let model = "model Late Real x(start = 0, fixed = true); Real v(start = 1, fixed = true); output Real y = delay(x, 0.5);
        equation der(x) = v; der(v) = -x; annotation (experiment(StopTime = 3, Tolerance = 1e-8)); end Late;";
    fs::write(folder.join("Late.mo"), model).unwrap();
    for fmi in ["2", "3"] {
        done(
            &folder,
            &[
                "export", "fmu", "Late.mo", "--fmi", fmi, "-q", "-o", "late.fmu",
            ],
        );
        for solver in ["bdf", "dopri5"] {
            let csv = done(
                &folder,
                &[
                    "run", "late.fmu", "--solver", solver, "--points", "1", "-q", "-o", "-",
                ],
            );
            let away = last(&csv, "y") - 2.5f64.sin();
            assert!(away.abs() < 1e-5, "FMI {fmi}, {solver}: {away:e}");
        }
    }
}
