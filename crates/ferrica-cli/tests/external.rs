//! Users' own C code: only when it is allowed, and with the types of the language.

use ferrica_test_tools::needs;
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
    String::from_utf8_lossy(bytes).into_owned()
}

/// A package with C sources in its resources: an accumulator as an external object, arrays, integers and strings.
fn package(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let include = folder.join("Foreign/Resources/Include");
    fs::create_dir_all(&include).unwrap();
    fs::write(
        include.join("foreign.h"),
        r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ModelicaUtilities.h"
typedef struct { double sum; char file[200]; } Accumulator;
static void *accumulator_new(const char *file, double start)
{
    Accumulator *a = malloc(sizeof *a);
    a->sum = start;
    snprintf(a->file, sizeof a->file, "%s", file);
    return a;
}
static double accumulator_add(void *object, double x)
{
    Accumulator *a = object;
    if (x < 0.0) ModelicaFormatError("cannot add %g", x);
    a->sum += x;
    return a->sum;
}
static void accumulator_free(void *object)
{
    Accumulator *a = object;
    FILE *f = fopen(a->file, "w");
    if (f) { fprintf(f, "%g\n", a->sum); fclose(f); }
    free(a);
}
/* y = A x; count of negative elements; a text that says so */
static void multiply(const double *a, const double *x, size_t n, size_t m, double *y, int *negative, const char **what)
{
    size_t i, j;
    char *t;
    *negative = 0;
    for (i = 0; i < n; i++) {
        y[i] = 0.0;
        for (j = 0; j < m; j++) y[i] += a[i * m + j] * x[j];
        if (y[i] < 0.0) ++*negative;
    }
    t = ModelicaAllocateString(40);
    sprintf(t, "%d negative", *negative);
    *what = t;
}
"#,
    )
    .unwrap();
    fs::write(
        folder.join("Foreign/package.mo"),
        r##"
package Foreign
  class Accumulator
    extends ExternalObject;
    function constructor
      input String file;
      input Real start;
      output Accumulator a;
      external "C" a = accumulator_new(file, start) annotation(Include="#include \"foreign.h\"");
    end constructor;
    function destructor
      input Accumulator a;
      external "C" accumulator_free(a) annotation(Include="#include \"foreign.h\"");
    end destructor;
  end Accumulator;
  impure function add
    input Accumulator a;
    input Real x;
    output Real sum;
    external "C" sum = accumulator_add(a, x) annotation(Include="#include \"foreign.h\"");
  end add;
  function multiply
    input Real A[:, :];
    input Real x[size(A, 2)];
    output Real y[size(A, 1)];
    output Integer negative;
    output String what;
    external "C" multiply(A, x, size(A, 1), size(A, 2), y, negative, what)
      annotation(Include="#include \"foreign.h\"");
  end multiply;
  model Test
    parameter Real first = 1;
    Accumulator a = Accumulator("sum.txt", 10);
    discrete Real sum(start=0, fixed=true);
    Real y[2];
    Integer negative;
    String what;
  equation
    when sample(0.25, 0.25) then
      sum = add(a, first*time);
    end when;
    (y, negative, what) = multiply([1, 2, 3; -4, -5, -6], {1, time, 1});
    assert(what == "1 negative", "the text is " + what);
    annotation(experiment(StopTime=1));
  end Test;
end Foreign;
"##,
    )
    .unwrap();
    folder
}

#[test]
fn external_code_runs_only_when_it_is_allowed() {
    let folder = package("external-refused");
    let refused = ferrica(&folder, &["run", "-m", "Foreign.Test", "--lib", "."]);
    assert_eq!(refused.status.code(), Some(1));
    let why = text(&refused.stderr);
    assert!(why.contains("--allow-external"), "{why}");
    assert!(!folder.join("sum.txt").exists());
}

#[needs("cc")]
#[test]
fn arrays_strings_and_objects_pass_to_c_and_back() {
    let folder = package("external-allowed");
    let args = [
        "run",
        "-m",
        "Foreign.Test",
        "--lib",
        ".",
        "--allow-external",
        "-o",
        "-",
    ];
    let done = ferrica(&folder, &args);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let out = text(&done.stdout);
    let header: Vec<&str> = out.lines().next().unwrap().split(',').collect();
    let last: Vec<f64> = out
        .lines()
        .last()
        .unwrap()
        .split(',')
        .map(|v| v.parse().unwrap())
        .collect();
    let value = |name: &str| last[header.iter().position(|h| *h == name).unwrap()];
    // 1 + 2t + 3 and −(4 + 5t + 6) at t = 1.
    assert_eq!(value("y[1]"), 6.0);
    assert_eq!(value("y[2]"), -15.0);
    assert_eq!(value("negative"), 1.0);
    // 10 + 0.25 + 0.5 + 0.75 + 1, and the destructor writes it at the end.
    assert_eq!(value("sum"), 12.5);
    assert_eq!(
        fs::read_to_string(folder.join("sum.txt")).unwrap(),
        "12.5\n"
    );

    let args = [
        "run",
        "-m",
        "Foreign.Test",
        "--lib",
        ".",
        "--allow-external",
        "-p",
        "first=-1",
    ];
    let failed = ferrica(&folder, &args);
    assert_eq!(failed.status.code(), Some(1));
    let why = text(&failed.stderr);
    assert!(why.contains("cannot add -0.25"), "{why}");
}

/// Text that is no C: the compiler's words, not a panic.
#[needs("cc")]
#[test]
fn wrong_c_code_is_a_diagnostic() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("external-wrong");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("Wrong.mo"),
        "model Wrong\n  function f\n    input Real x;\n    output Real y;\n    external \"C\" y = no_such(x) annotation(Include=\"double no_such(double x) { return }\");\n  end f;\n  Real y = f(time);\nend Wrong;\n",
    )
    .unwrap();
    let failed = ferrica(&folder, &["run", "Wrong.mo", "--allow-external"]);
    assert_eq!(failed.status.code(), Some(1));
    let why = text(&failed.stderr);
    assert!(why.contains("the C compiler refuses"), "{why}");
}

/// A record is a pointer to a structure, or a structure that is returned; functions may have the names of C's own
/// variables in the bridge; a header may lie beside the model; a destructor may bring its own code.
#[needs("cc")]
#[test]
fn records_and_names_pass_to_c_and_back() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("external-records");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("beside.h"),
        r#"
typedef struct { int n; double x; } Inner;
typedef struct { int k; Inner part; const char *word; } Outer;
static double f(const Outer *r, double t) { return r->k + 10*r->part.n + 100*r->part.x + 1000*(r->word[0] == 'a') + t; }
static void t(double x, Inner *out) { out->n = 3; out->x = 2*x; }
static Inner o(double x) { Inner r; r.n = 7; r.x = x + 1; return r; }
static void *object_new(void) { static int object; return &object; }
"#,
    )
    .unwrap();
    fs::write(
        folder.join("Records.mo"),
        r##"
model Records
  record Inner Integer n; Real x; end Inner;
  record Outer Integer k; Inner part; String word; end Outer;
  function f
    input Outer r; input Real y; output Real z;
    external "C" z = f(r, y) annotation(Include="#include \"beside.h\"");
  end f;
  function t
    input Real x; output Inner r;
    external "C" t(x, r) annotation(Include="#include \"beside.h\"");
  end t;
  function o
    input Real x; output Inner r;
    external "C" annotation(Include="#include \"beside.h\"");
  end o;
  class Thing
    extends ExternalObject;
    function constructor
      output Thing a;
      external "C" a = object_new() annotation(Include="#include \"beside.h\"");
    end constructor;
    function destructor
      input Thing a;
      external "C" object_end(a) annotation(Include="static void object_end(void *a) { (void)a; }");
    end destructor;
  end Thing;
  Thing thing = Thing();
  Real y = f(Outer(4, Inner(5, 6), "abc"), time);
  Inner a = t(time);
  Inner b = o(time);
end Records;
"##,
    )
    .unwrap();
    let args = [
        "run",
        "Records.mo",
        "--allow-external",
        "--stop",
        "1",
        "-o",
        "-",
    ];
    let done = ferrica(&folder, &args);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let out = text(&done.stdout);
    let header: Vec<&str> = out.lines().next().unwrap().split(',').collect();
    let last = out.lines().last().unwrap().split(',');
    let last: Vec<f64> = last.map(|v| v.parse().unwrap()).collect();
    let value = |name: &str| last[header.iter().position(|h| *h == name).unwrap()];
    // 4 + 10·5 + 100·6 + 1000 + t at t = 1.
    assert_eq!(value("y"), 1655.0);
    assert_eq!((value("a.n"), value("a.x")), (3.0, 2.0));
    assert_eq!((value("b.n"), value("b.x")), (7.0, 2.0));
}

/// Tables of the C function `usertab`: row by row and column by column, and a name that it does not know.
#[test]
#[needs("cc")]
fn tables_compiled_into_c() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("usertab");
    fs::create_dir_all(&folder).unwrap();
    let model = |table: &str| {
        r##"
model Tables
  function there
    input Real x;
    output Real y;
    external "C" y = there(x) annotation(Include = "
#include <string.h>
#include \"ModelicaUtilities.h\"
static double rows[] = {0, 0, 1, 10, 2, 40};
static double columns[] = {0, 1, 2, 0, 10, 40};
int usertab(char *name, int kind, int dim[], int *by_columns, double **table)
{
    if (kind != 1) return 1;
    dim[0] = 3; dim[1] = 2;
    *by_columns = strcmp(name, \"columns\") == 0;
    if (!*by_columns && strcmp(name, \"rows\") != 0) ModelicaFormatError(\"no table %s\", name);
    *table = *by_columns ? columns : rows;
    return 0;
}
double there(double x) { return x; }
");
  end there;
  Modelica.Blocks.Tables.CombiTable1Ds t(tableOnFile = true, tableName = "TABLE");
equation
  t.u = there(1.5);
end Tables;
"##
        .replace("TABLE", table)
    };
    let run = |table: &str, args: &[&str]| {
        fs::write(folder.join("Tables.mo"), model(table)).unwrap();
        let all = [&["run", "Tables.mo", "--stop", "1", "-o", "-"], args].concat();
        ferrica(&folder, &all)
    };
    for table in ["rows", "columns"] {
        let done = run(table, &["--allow-external"]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let out = text(&done.stdout);
        let header: Vec<&str> = out.lines().next().unwrap().split(',').collect();
        let last: Vec<&str> = out.lines().last().unwrap().split(',').collect();
        let y = header.iter().position(|h| *h == "t.y[1]").unwrap();
        // Half way from 10 to 40.
        assert_eq!(last[y].parse::<f64>().unwrap(), 25.0, "{table}");
    }
    let unknown = run("other", &["--allow-external"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("no table other"));
    let refused = run("rows", &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--allow-external"));
}
