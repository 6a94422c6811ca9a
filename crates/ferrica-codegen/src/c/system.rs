//! Linear and nonlinear systems as C: `static int PREFIX_solve3(double *s)`.
//!
//! Linear systems are eliminated with partial pivoting; in a singular but consistent one what is not determined keeps its value. Nonlinear ones are solved by Newton's method from the present
//! values, damped so that the weighted residual falls, with the symbolic Jacobian or exact tangents; where that fails, one equation in one
//! unknown is bracketed around the present value. The number of evaluations is bounded. There are no restarts and no Levenberg–Marquardt steps.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::CUnit;
use crate::layout::Slot;
use crate::model::{System, SystemKind};
use crate::program::SystemId;
use crate::tape::{Tape, TapeStep};

/// Elimination is dense: beyond this the code would be too slow and too large.
const MAX_UNKNOWNS: usize = 200;

/// Newton's method; N unknowns, residuals from RHS on, the matrix from MATRIX on. Where nothing descends, a full step may lead out of a flat
/// place, once.
const NEWTON: &str = "\
static int NAME(double *s)
{
    double a[SQUARE], x[N], dx[N], w[N], scale[N];
    double before, after, size, damping;
    int i, k, it, stalls = 0;
    { const int e = FUNCTION(s); if (e) return e; }
    for (it = 0; it < 60; it++) {
        { const int e = JACOBIAN(s); if (e) return e; }
        for (i = 0; i < N; i++) {
            x[i] = s[UNKNOWNS[i]];
            scale[i] = fmax(fabs(x[i]), 1e-6);
            w[i] = 0.0;
            dx[i] = s[RHS + i];
            if (!isfinite(dx[i])) return FAILURE;
        }
        for (i = 0; i < SQUARE; i++) a[i] = 0.0;
        for (k = 0; k < NNZ; k++) {
            const int r = PLACES[k] / N, c = PLACES[k] % N;
            a[r * N + c] = s[MATRIX + k];
            w[r] += fabs(s[MATRIX + k]) * scale[c];
        }
        before = 0.0;
        for (i = 0; i < N; i++) {
            w[i] = w[i] > 0.0 ? 1.0 / w[i] : 1.0;
            before = fmax(before, fabs(dx[i]) * w[i]);
        }
        if (before <= 64.0 * 2.220446049250313e-16) return 0;
        if (ELIMINATE(a, dx, N)) return FAILURE;
        size = 0.0;
        for (i = 0; i < N; i++) size = fmax(size, fabs(dx[i] / scale[i]));
        if (!isfinite(size)) return FAILURE;
        for (damping = 1.0; damping >= 1.0 / 4096.0; damping *= 0.5) {
            for (i = 0; i < N; i++) s[UNKNOWNS[i]] = x[i] - damping * dx[i];
            if (FUNCTION(s)) continue;
            after = 0.0;
            for (i = 0; i < N; i++) {
                const double r = fabs(s[RHS + i]) * w[i];
                after = r <= after ? after : r;
            }
            if (size <= 1e-8 && isfinite(after)) return 0;
            if (after <= (1.0 - 0.25 * damping) * before) break;
        }
        if (damping < 1.0 / 4096.0) {
            for (i = 0; i < N; i++) s[UNKNOWNS[i]] = x[i];
            if (FUNCTION(s)) return FAILURE;
            if (size <= 1e-5 && before <= 1e-11) return 0;
            if (++stalls > 1) return FAILURE;
            for (i = 0; i < N; i++) s[UNKNOWNS[i]] = x[i] - dx[i];
            if (FUNCTION(s)) return FAILURE;
        }
    }
    return FAILURE;
}

";

/// One unknown: Newton's method, then the nearest change of sign around the present value and halving. Search and sizes are those of the
/// evaluator.
const BRACKETED: &str = "\
static int NAME(double *s)
{
    const double begin = s[UNKNOWNS[0]];
    double near[2], sign[2], reach = 1e-7 * fmax(fabs(begin), 1e-3);
    double first, value = 0.0, low = 0.0, high = 0.0;
    int i, k, found = 0, lost[2] = { 0, 0 };
    if (NEWTON(s) == 0) return 0;
    s[UNKNOWNS[0]] = begin;
    if (!isfinite(begin) || FUNCTION(s) || !isfinite(s[RHS])) return FAILURE;
    first = s[RHS];
    for (k = 0; k < 2; k++) { near[k] = begin; sign[k] = first; }
    for (i = 0; i < 70 && !found; i++) {
        for (k = 0; k < 2 && !found; k++) {
            const double at = k == 0 ? begin + reach : begin - reach;
            if (lost[k]) continue;
            s[UNKNOWNS[0]] = at;
            if (FUNCTION(s) || !isfinite(s[RHS])) {
                lost[k] = 1;
            } else if ((s[RHS] > 0.0) != (sign[k] > 0.0)) {
                low = near[k];
                high = at;
                first = sign[k];
                found = 1;
            } else {
                near[k] = at;
                sign[k] = s[RHS];
            }
        }
        reach *= 1.7;
    }
    s[UNKNOWNS[0]] = begin;
    if (!found) return FAILURE;
    for (i = 0; i < 2000; i++) {
        const double at = 0.5 * (low + high);
        if (fabs(high - low) <= 4.440892098500626e-16 * fmax(fabs(low), fabs(high))) break;
        if (at == low || at == high) break;
        s[UNKNOWNS[0]] = at;
        if (FUNCTION(s) || !isfinite(s[RHS])) return FAILURE;
        value = s[RHS];
        if (value == 0.0) break;
        if ((value > 0.0) == (first > 0.0)) low = at; else high = at;
    }
    /* A jump over zero is no solution. */
    if (!(fabs(value) <= 1e-6 * fabs(first))) return FAILURE;
    if (NEWTON(s) == 0) return 0;
    s[UNKNOWNS[0]] = low;
    return FUNCTION(s);
}

";

/// Undamped with limited exponentials where the other methods fail; COUNT tangents at PLACE and their arguments.
const LIMITED: &str = "\
static int NAME(double *s)
{
    double a[SQUARE], dx[N], begin[N];
    int i, k, it;
    for (i = 0; i < N; i++) begin[i] = s[UNKNOWNS[i]];
    if (INNER(s) == 0) return 0;
    for (i = 0; i < N; i++) s[UNKNOWNS[i]] = begin[i];
    for (k = 0; k < COUNT; k++) s[PLACE + k] = 0.0;
    for (it = 0; it < 200; it++) {
        double size = 0.0;
        int near = 1;
        if (MOVING(s) || TANGENT(s)) break;
        for (i = 0; i < SQUARE; i++) a[i] = 0.0;
        for (k = 0; k < NNZ; k++) a[PLACES[k]] = s[MATRIX + k];
        for (i = 0; i < N; i++) dx[i] = s[RHS + i];
        if (ELIMINATE(a, dx, N)) break;
        for (i = 0; i < N; i++) {
            const double x = s[UNKNOWNS[i]] - dx[i];
            size = fmax(size, fabs(dx[i]) / fmax(fabs(x), 1e-6));
            near = near && isfinite(x);
            s[UNKNOWNS[i]] = x;
        }
        if (!near) break;
        for (k = 0; k < COUNT; k++) {
            const double u = s[ARGUMENT + k];
            near = near && fabs(u - s[PLACE + k]) <= 64.0 * 2.220446049250313e-16 * fmax(fabs(u), 1.0);
        }
        if (near && size <= 1e-3) {
            if (NEWTON(s) == 0) return 0;
            break;
        }
    }
    for (i = 0; i < N; i++) s[UNKNOWNS[i]] = begin[i];
    return FAILURE;
}

";

const LINEAR: &str = "\
static int NAME(double *s)
{
    double a[SQUARE], x[N];
    int i, k;
    { const int e = FUNCTION(s); if (e) return e; }
    { const int e = JACOBIAN(s); if (e) return e; }
    for (i = 0; i < SQUARE; i++) a[i] = 0.0;
    for (k = 0; k < NNZ; k++) a[PLACES[k]] = s[MATRIX + k];
    for (i = 0; i < N; i++) x[i] = s[RHS + i];
    if (ELIMINATE(a, x, N)) {
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
        let part = |what: &str| format!("solve{number}_{what}");
        let function = part("residuals");
        let jacobian = part("matrix");
        let template = match &system.kind {
            SystemKind::Linear {
                matrix, rhs, then, ..
            } => {
                self.program(&function, rhs)?;
                self.program(&jacobian, matrix)?;
                self.program(&part("then"), then)?;
                LINEAR
            }
            SystemKind::Nonlinear {
                residuals,
                jacobian: symbolic,
                tape,
                colors,
                limited,
            } => {
                if let Some(limited) = limited {
                    self.program(&part("moving"), &limited.moving)?;
                    self.tape_matrix(&part("tangent"), system, &limited.tape, colors)?;
                }
                self.program(&function, residuals)?;
                match symbolic {
                    Some(program) => self.program(&jacobian, program)?,
                    None => self.tape_matrix(&jacobian, system, tape, colors)?,
                }
                NEWTON
            }
        };
        let places: Vec<u32> = system
            .pattern
            .entries()
            .map(|(r, c)| (r * n + c) as u32)
            .collect();
        let prefixed = |name: &str| format!("{}_{name}", self.prefix);
        let (unknowns, places_name) = (prefixed(&part("unknowns")), prefixed(&part("places")));
        let (function, jacobian) = (prefixed(&function), prefixed(&jacobian));
        let then = prefixed(&part("then"));
        let (moving, tangent) = (prefixed(&part("moving")), prefixed(&part("tangent")));
        let kind = match system.kind {
            SystemKind::Linear { .. } => "linear",
            SystemKind::Nonlinear { .. } => "nonlinear",
        };
        self.table(&unknowns, &system.unknowns);
        self.table(&places_name, if places.is_empty() { &[0] } else { &places });
        let eliminate = self.operations.eliminate();
        let consistent = match system.kind {
            SystemKind::Linear { .. } => self.operations.consistent(),
            SystemKind::Nonlinear { .. } => String::new(),
        };
        let failure = self.failure(format!(
            "the {kind} system number {number} of {n} unknowns has no solution"
        ));
        let limited = match &system.kind {
            SystemKind::Nonlinear { limited, .. } => limited.as_deref(),
            SystemKind::Linear { .. } => None,
        };
        // Each method calls the one before.
        let bracketed = n == 1 && matches!(system.kind, SystemKind::Nonlinear { .. });
        let mut template = template.to_string();
        let (mut newton, mut inner) = (name.clone(), name.clone());
        if bracketed {
            newton = format!("{name}_newton");
            template = template.replace("NAME", "NEWTON") + BRACKETED;
        }
        if limited.is_some() {
            inner = format!("{name}_inner");
            template = template.replace("NAME", "INNER") + LIMITED;
            if !bracketed {
                newton.clone_from(&inner);
            }
        }
        let place = limited.map_or(0, |l| l.places);
        let argument = limited.map_or(0, |l| l.arguments);
        let count = limited.map_or(0, |l| l.count);
        let text = fill(
            &template,
            &[
                ("NAME", name.clone()),
                ("NEWTON", newton),
                ("INNER", inner),
                ("MOVING", moving),
                ("TANGENT", tangent),
                ("PLACE", place.to_string()),
                ("ARGUMENT", argument.to_string()),
                ("COUNT", count.to_string()),
                ("SQUARE", (n * n).to_string()),
                ("UNKNOWNS", unknowns),
                ("PLACES", places_name),
                ("FUNCTION", function),
                ("JACOBIAN", jacobian),
                ("THEN", then),
                ("ELIMINATE", eliminate),
                ("CONSISTENT", consistent),
                ("FAILURE", failure.to_string()),
                ("MATRIX", system.matrix.to_string()),
                ("RHS", system.rhs.to_string()),
                ("NNZ", system.pattern.nnz().to_string()),
                ("N", n.to_string()),
            ],
        );
        self.text.push_str(&text);
        Ok(name)
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
