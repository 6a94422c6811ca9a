//! Linear and nonlinear systems as C: `static int PREFIX_solve3(double *s)`.
//!
//! Linear systems are eliminated with partial pivoting; in a singular but consistent one what is not determined keeps its value. Nonlinear ones are
//! descriptions for the methods of `newton.c`, which are those of [`crate::solve`]. The number of evaluations is bounded.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::CUnit;
use super::expression::literal;
use crate::layout::Slot;
use crate::model::{System, SystemKind};
use crate::program::{Program, SystemId};
use crate::solve::{
    DETERMINED, FLAT, INNER_SMALL, LM_SOLVED, MAX_RESTLESS, RESTS, ROUNDED, ROUNDING, STALLED,
    STEP_TOLERANCE, UNITS,
};
use crate::tape::{Tape, TapeStep};

/// Elimination is dense: beyond this the code would be too slow and too large.
const MAX_UNKNOWNS: usize = 200;

/// Up to so many unknowns a loop that is torn elsewhere is written too: the methods hold some dense matrices of that size.
const MOST_ELSEWHERE: usize = 64;

/// The methods for nonlinear systems of at most so many unknowns and inner variables, with the sizes that count as small in the numbers of the code.
pub(super) fn newton(prefix: &str, most: usize, most_inner: usize) -> String {
    let constants = [
        ("MOST", most.to_string()),
        ("MOST_INNER", most_inner.max(1).to_string()),
        ("RESTS", literal(RESTS)),
        ("RESTLESS", MAX_RESTLESS.to_string()),
        ("INNER_SMALL", literal(INNER_SMALL)),
        ("DETERMINED", literal(DETERMINED)),
        ("ROUNDED", literal(ROUNDED)),
        ("EPSILON", literal(f64::EPSILON)),
        ("ROUNDING", literal(ROUNDING)),
        ("STEP", literal(STEP_TOLERANCE)),
        ("STALL", literal(STALLED)),
        ("FLAT", literal(FLAT)),
        ("UNITS", literal(UNITS)),
        ("SOLVED", literal(LM_SOLVED)),
    ];
    let mut text = String::new();
    for (name, value) in constants {
        let _ = writeln!(text, "#define P_{name} {value}");
    }
    text.push('\n');
    text.push_str(include_str!("newton.c"));
    text.replace("P_", &format!("{prefix}_"))
}

const LINEAR: &str = "\
static int NAME(double *s)
{
    double a[SQUARE], x[N], weight[N];
    int i, k;
    { const int e = FUNCTION(s); if (e) return e; }
    { const int e = JACOBIAN(s); if (e) return e; }
    for (i = 0; i < SQUARE; i++) a[i] = 0.0;
    for (k = 0; k < NNZ; k++) a[PLACES[k]] = s[MATRIX + k];
    for (i = 0; i < N; i++) x[i] = s[RHS + i];
    k = ELIMINATE(a, x, weight, N);
    for (i = 0; i < N; i++) k = k || !isfinite(x[i]);
    if (k) {
        /* What is not determined keeps its value, if the equations agree. */
        int columns[N];
        double y[N];
        for (i = 0; i < SQUARE; i++) a[i] = 0.0;
        for (k = 0; k < NNZ; k++) a[PLACES[k]] = s[MATRIX + k];
        for (i = 0; i < N; i++) {
            x[i] = s[RHS + i];
            for (k = 0; k < N; k++) x[i] -= a[i * N + k] * s[UNKNOWNS[k]];
        }
        if (CONSISTENT(a, x, columns, y, N)) return FAILURE;
        for (i = 0; i < N; i++) x[i] += s[UNKNOWNS[i]];
    }
    for (i = 0; i < N; i++) s[UNKNOWNS[i]] = x[i];
    return THEN(s);
}

";

impl CUnit<'_> {
    /// Name of the C function that solves a system, emitted if it was not yet.
    pub(super) fn system(&mut self, id: SystemId) -> Result<String, String> {
        let number = id.as_u32();
        let name = format!("{}_solve{number}", self.prefix);
        if self.system_done.insert(id, ()).is_some() {
            return Ok(name);
        }
        let systems = self.systems;
        let system = &systems[id];
        let n = system.unknowns.len();
        if n > MAX_UNKNOWNS {
            return Err(format!(
                "a system of {n} unknowns is too large for C code with dense elimination (at most {MAX_UNKNOWNS})"
            ));
        }
        match &system.kind {
            SystemKind::Linear {
                matrix, rhs, then, ..
            } => self.linear_system(&name, number, system, [rhs, matrix, then])?,
            SystemKind::Nonlinear { .. } => self.nonlinear_system(&name, number, system)?,
        }
        Ok(name)
    }

    /// Tables of unknowns and of places in the matrix; their names.
    fn system_tables(&mut self, number: u32, system: &System) -> [String; 2] {
        let n = system.unknowns.len();
        let places = system.pattern.entries().map(|(r, c)| (r * n + c) as u32);
        let mut places: Vec<u32> = places.collect();
        if places.is_empty() {
            places.push(0);
        }
        let name = |what: &str| format!("{}_solve{number}_{what}", self.prefix);
        let names = [name("unknowns"), name("places")];
        self.table(&names[0], &system.unknowns);
        self.table(&names[1], &places);
        names
    }

    fn no_solution(&mut self, kind: &str, number: u32, system: &System) -> usize {
        let n = system.unknowns.len();
        self.failure(format!(
            "the {kind} system number {number} of {n} unknowns has no solution"
        ))
    }

    fn linear_system(
        &mut self,
        name: &str,
        number: u32,
        system: &System,
        programs: [&Program; 3],
    ) -> Result<(), String> {
        let n = system.unknowns.len();
        let parts = ["residuals", "matrix", "then"].map(|what| format!("solve{number}_{what}"));
        for (part, program) in parts.iter().zip(programs) {
            self.program(part, program)?;
        }
        let [function, jacobian, then] = parts.map(|part| format!("{}_{part}", self.prefix));
        let [unknowns, places] = self.system_tables(number, system);
        let failure = self.no_solution("linear", number, system);
        let values = [
            ("NAME", name.to_string()),
            ("SQUARE", (n * n).to_string()),
            ("UNKNOWNS", unknowns),
            ("PLACES", places),
            ("FUNCTION", function),
            ("JACOBIAN", jacobian),
            ("THEN", then),
            ("ELIMINATE", self.operations.eliminate()),
            ("CONSISTENT", self.operations.consistent()),
            ("FAILURE", failure.to_string()),
            ("MATRIX", system.matrix.to_string()),
            ("RHS", system.rhs.to_string()),
            ("NNZ", system.pattern.nnz().to_string()),
            ("N", n.to_string()),
        ];
        self.text.push_str(&fill(LINEAR, &values));
        Ok(())
    }

    /// A description of the system, and its solution by the methods of `newton.c`.
    fn nonlinear_system(&mut self, name: &str, number: u32, system: &System) -> Result<(), String> {
        let SystemKind::Nonlinear {
            residuals,
            jacobian,
            tape,
            colors,
            limited,
        } = &system.kind
        else {
            return Ok(());
        };
        let n = system.unknowns.len();
        self.most_unknowns = self.most_unknowns.max(n);
        self.operations.eliminate();
        let part = |what: &str| format!("solve{number}_{what}");
        self.program(&part("residuals"), residuals)?;
        match jacobian {
            Some(program) => self.program(&part("matrix"), program)?,
            None => self.tape_matrix(&part("matrix"), system, tape, colors)?,
        }
        if let Some(limited) = limited {
            self.program(&part("moving"), &limited.moving)?;
            self.tape_matrix(&part("tangent"), system, &limited.tape, colors)?;
        }
        let [unknowns, places] = self.system_tables(number, system);
        let failure = self.no_solution("nonlinear", number, system);
        let p = self.prefix.clone();
        let inner = &system.writes[n..];
        self.most_inner = self.most_inner.max(inner.len());
        let numbers = |slots: &[Slot], value: &dyn Fn(Slot) -> f64| -> String {
            let all: Vec<String> = slots.iter().map(|&u| literal(value(u))).collect();
            all.join(", ")
        };
        let nominal = numbers(&system.unknowns, &|slot| self.values.nominal(slot));
        let start = numbers(&system.unknowns, &|slot| self.values.start(slot));
        let inner_tables = match inner {
            [] => "0, 0".to_string(),
            _ => {
                let least = numbers(inner, &|slot| INNER_SMALL * self.values.nominal(slot));
                let (list, count) = (format!("{p}_solve{number}_inner"), inner.len());
                self.table(&list, inner);
                let _ = writeln!(
                    self.text,
                    "static const double {p}_solve{number}_least[{count}] = {{ {least} }};"
                );
                format!("{list}, {p}_solve{number}_least")
            }
        };
        let checked = i32::from(system.other.is_some());
        let _ = write!(
            self.text,
            "static const double {p}_solve{number}_nominal[{n}] = {{ {nominal} }};\n\
             static const double {p}_solve{number}_start[{n}] = {{ {start} }};\n\n"
        );
        let tangents = match limited {
            Some(l) => format!(
                "{}, {}, {}, {p}_solve{number}_moving, {p}_solve{number}_tangent",
                l.count, l.places, l.arguments
            ),
            None => "0, 0, 0, 0, 0".to_string(),
        };
        let _ = write!(
            self.text,
            "static const {p}_system {p}_system{number} = {{\n    {n}, {nnz}, {unknowns}, {places}, {p}_solve{number}_nominal, {p}_solve{number}_start,\n    \
             {rhs}, {matrix}, {p}_solve{number}_residuals, {p}_solve{number}_matrix, {tangents},\n    \
             {inner}, {inner_tables}, {checked}\n}};\n\n",
            nnz = system.pattern.nnz(),
            rhs = system.rhs,
            matrix = system.matrix,
            inner = inner.len(),
        );
        // The same loop torn elsewhere, from where this one began.
        let small = |id: &SystemId| self.systems[*id].unknowns.len() <= MOST_ELSEWHERE;
        let Some(other) = system.other.filter(small) else {
            let _ = write!(
                self.text,
                "static int {name}(double *s)\n{{\n    return {p}_solve_nonlinear(&{p}_system{number}, s) == 0 ? 0 : {failure};\n}}\n\n"
            );
            return Ok(());
        };
        let solve_other = self.system(other)?;
        let m = self.systems[other].unknowns.len();
        let list = format!("{p}_solve{}_unknowns", other.as_u32());
        let _ = write!(
            self.text,
            "static int {name}(double *s)\n{{\n    double begin[{m}];\n    int i, e;\n    \
             for (i = 0; i < {m}; i++) {{\n        begin[i] = s[{list}[i]];\n    }}\n    \
             e = {p}_solve_nonlinear(&{p}_system{number}, s);\n    if (e != 0) {{\n        \
             for (i = 0; i < {m}; i++) {{\n            s[{list}[i]] = begin[i];\n        }}\n        \
             e = {solve_other}(s);\n    }}\n    return e == 0 ? 0 : {failure};\n}}\n\n"
        );
        Ok(())
    }

    /// The matrix of a nonlinear system by one sweep of tangents for each colour.
    fn tape_matrix(
        &mut self,
        name: &str,
        system: &System,
        tape: &Tape,
        colors: &[Vec<u32>],
    ) -> Result<(), String> {
        self.program(&format!("{name}_partials"), &tape.partials)?;
        let mut places: FxHashMap<Slot, usize> = FxHashMap::default();
        let place = |slot: Slot, places: &mut FxHashMap<Slot, usize>| {
            let next = places.len();
            *places.entry(slot).or_insert(next)
        };
        let mut sweep = String::new();
        for step in &tape.steps {
            let TapeStep::Node { to, first, len } = *step else {
                return Err("a nonlinear system around another system has no form in C".to_string());
            };
            let to = place(to, &mut places);
            let terms: Vec<String> = tape.edges[first as usize..(first + len) as usize]
                .iter()
                .map(|&(from, p)| format!("t[{}] * s[{p}]", place(from, &mut places)))
                .collect();
            let _ = writeln!(sweep, "    t[{to}] = {};", terms.join(" + "));
        }
        let mut seeds = String::new();
        for columns in colors {
            seeds.push_str("    for (i = 0; i < SIZE; i++) t[i] = 0.0;\n");
            for &c in columns {
                let at = place(system.unknowns[c as usize], &mut places);
                let _ = writeln!(seeds, "    t[{at}] = 1.0;");
            }
            let _ = writeln!(seeds, "    {}_{name}_sweep(s, t);", self.prefix);
            for &c in columns {
                let range = system.pattern.col_range(c as usize);
                for (k, &r) in range.zip(system.pattern.col(c as usize)) {
                    let at = place(system.rhs + r, &mut places);
                    let _ = writeln!(seeds, "    s[{}] = t[{at}];", system.matrix as usize + k);
                }
            }
        }
        let size = places.len().max(1);
        let seeds = seeds.replace("SIZE", &size.to_string());
        let (p, unused) = (
            &self.prefix,
            if sweep.is_empty() {
                "    (void)s;\n    (void)t;\n"
            } else {
                ""
            },
        );
        let _ = write!(
            self.text,
            "static void {p}_{name}_sweep(const double *s, double *t)\n{{\n{unused}{sweep}}}\n\n\
             static int {p}_{name}(double *s)\n{{\n    double t[{size}];\n    int i;\n    \
             {{ const int e = {p}_{name}_partials(s); if (e) return e; }}\n{seeds}    return 0;\n}}\n\n"
        );
        Ok(())
    }
}

/// Puts values in place of the words of a template. A word is not part of a longer one.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(is_word) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        match values.iter().find(|(name, _)| *name == word) {
            Some((_, value)) => out.push_str(value),
            None => out.push_str(word),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}
