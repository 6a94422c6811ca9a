//! Operations of the kernel IR as C expressions, and the helper functions that some of them need.
//!
//! In: an operation and the C names of its operands. Out: a C expression. [`Operations`] remembers which helpers
//! were used; their definitions must come before the expressions.

use std::collections::BTreeSet;

use ferrica_ir::elementary::{CForm, Elementary, TABLE};
use ferrica_ir::expr::Builtin;
use ferrica_ir::print::builtin_name;

use crate::kernel::{Bin, Op, Reg, Un};

/// A helper function of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Helper {
    /// Whole power by repeated squaring; before the others, which use it.
    PowI,
    Power,
    /// An elementary function that C has not: its row.
    Function(usize),
    /// Elimination with partial pivoting on a dense matrix.
    Eliminate,
    /// The same with full pivoting, for a matrix that is singular.
    Consistent,
}

impl Helper {
    fn name(self) -> &'static str {
        match self {
            Helper::PowI => "powi",
            Helper::Power => "power",
            Helper::Function(k) => TABLE[k].name,
            Helper::Eliminate => "eliminate",
            Helper::Consistent => "consistent",
        }
    }

    fn definition(self, prefix: &str) -> String {
        let text = match self {
            Helper::PowI => {
                "static double P_powi(double x, int n)\n{\n    \
                 const int inverse = n < 0;\n    double r = 1.0;\n    \
                 for (;;) {\n        if (n & 1) r *= x;\n        n /= 2;\n        \
                 if (n == 0) break;\n        x *= x;\n    }\n    \
                 return inverse ? 1.0 / r : r;\n}\n\n"
            }
            Helper::Power => {
                "static double P_power(double x, double y)\n{\n    \
                 return y == trunc(y) && fabs(y) <= 64.0 ? P_powi(x, (int)y) : pow(x, y);\n}\n\n"
            }
            Helper::Function(k) => &own_function(&TABLE[k]),
            Helper::Eliminate => ELIMINATE,
            Helper::Consistent => CONSISTENT,
        };
        text.replace("P_", &format!("{prefix}_"))
    }
}

/// Definition of an elementary function with a body of our own.
fn own_function(row: &Elementary) -> String {
    let CForm::Own(body) = row.c else {
        return String::new();
    };
    let parameters = ["double x", "double x, double y"][row.value.arity() - 1];
    let name = row.name;
    format!("static double P_{name}({parameters})\n{{\n    return {body};\n}}\n\n")
}

/// Solves A·x = b in place (A row by row, b becomes x; `weight` is of the same length); not 0 where A is singular. The operations and their order are those of
/// `ferrica_solvers::dense`, so that the code gives the bits of a run.
const ELIMINATE: &str = "\
static int P_eliminate(double *a, double *b, double *weight, int n)
{
    int i, j, k;
    if (n == 1) {
        b[0] /= a[0];
        return !(fabs(a[0]) > 0.0) || !isfinite(a[0]);
    }
    for (i = 0; i < n; i++) {
        double largest = 0.0;
        for (j = 0; j < n; j++) largest = fmax(largest, fabs(a[i * n + j]));
        weight[i] = largest > 0.0 && isfinite(largest) ? 1.0 / largest : 1.0;
    }
    for (k = 0; k < n; k++) {
        int p = k, finite = 1;
        double largest = 0.0, t;
        for (i = k; i < n; i++) {
            const double size = fabs(a[i * n + k]) * weight[i];
            finite = finite && isfinite(size);
            if (size > largest) { largest = size; p = i; }
        }
        if (!(largest > 0.0) || !finite) return 1;
        if (p != k) {
            for (j = 0; j < n; j++) { t = a[p * n + j]; a[p * n + j] = a[k * n + j]; a[k * n + j] = t; }
            t = b[p]; b[p] = b[k]; b[k] = t;
            t = weight[p]; weight[p] = weight[k]; weight[k] = t;
        }
        a[k * n + k] = 1.0 / a[k * n + k];
        for (i = k + 1; i < n; i++) {
            a[i * n + k] *= a[k * n + k];
            for (j = k + 1; j < n; j++)
                if (a[k * n + j] != 0.0) a[i * n + j] -= a[i * n + k] * a[k * n + j];
            b[i] -= a[i * n + k] * b[k];
        }
    }
    for (k = n - 1; k >= 0; k--) {
        b[k] *= a[k * n + k];
        for (i = 0; i < k; i++) b[i] -= a[i * n + k] * b[k];
    }
    return 0;
}

";

/// A solution of a singular system A·d = r in place with the unknowns that are not determined zero (r becomes d); not 0 where the equations
/// contradict each other. `columns` and `y` are of the same length.
const CONSISTENT: &str = "\
static int P_consistent(double *m, double *b, int *columns, double *y, int n)
{
    double largest = 0.0, size = 1e-10, t;
    int i, j, k, rank;
    for (i = 0; i < n * n; i++) largest = fmax(largest, fabs(m[i]));
    for (i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        columns[i] = i;
        y[i] = 0.0;
        if (!isfinite(b[i])) return 1;
    }
    if (!isfinite(largest)) return 1;
    for (rank = 0; rank < n; rank++) {
        int p = rank, q = rank;
        double best = 0.0;
        for (i = rank; i < n; i++)
            for (j = rank; j < n; j++)
                if (fabs(m[i * n + j]) > best) { best = fabs(m[i * n + j]); p = i; q = j; }
        if (best <= 1e-13 * largest) break;
        for (j = 0; j < n; j++) { t = m[p * n + j]; m[p * n + j] = m[rank * n + j]; m[rank * n + j] = t; }
        t = b[p]; b[p] = b[rank]; b[rank] = t;
        for (i = 0; i < n; i++) { t = m[i * n + q]; m[i * n + q] = m[i * n + rank]; m[i * n + rank] = t; }
        k = columns[q]; columns[q] = columns[rank]; columns[rank] = k;
        for (i = rank + 1; i < n; i++) {
            const double f = m[i * n + rank] / m[rank * n + rank];
            if (f != 0.0) {
                for (j = rank; j < n; j++) m[i * n + j] -= f * m[rank * n + j];
                b[i] -= f * b[rank];
            }
        }
    }
    for (i = rank; i < n; i++)
        if (fabs(b[i]) > 1e-10 * size) return 1;
    for (k = rank - 1; k >= 0; k--) {
        t = b[k];
        for (j = k + 1; j < rank; j++) t -= m[k * n + j] * y[j];
        y[k] = t / m[k * n + k];
    }
    for (k = 0; k < n; k++) b[columns[k]] = y[k];
    return 0;
}

";

/// Text for a comment: names of models may hold anything, also the end of a comment or the beginning of another.
pub fn comment(text: &str) -> String {
    let plain = text.chars().map(|c| match c {
        c if c.is_ascii_graphic() || c == ' ' => c,
        _ => '_',
    });
    let plain: String = plain.collect();
    plain.replace("*/", "* /").replace("/*", "/ *")
}

/// Numbers between the braces of an array, eight a line.
pub fn literals(values: &[f64]) -> String {
    let all: Vec<String> = values.iter().map(|v| literal(*v)).collect();
    let lines: Vec<String> = all.chunks(8).map(|c| c.join(", ")).collect();
    lines.join(",\n    ")
}

/// A number as a C literal that reads back to the same bits.
pub fn literal(x: f64) -> String {
    if x.is_nan() {
        return "NAN".to_string();
    }
    if x.is_infinite() {
        return (if x > 0.0 { "INFINITY" } else { "(-INFINITY)" }).to_string();
    }
    let text = format!("{x:?}");
    if x.is_sign_negative() {
        format!("({text})")
    } else {
        text
    }
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Operations {
    /// Names of helpers begin with it.
    prefix: String,
    helpers: BTreeSet<Helper>,
}

impl Operations {
    pub fn new(prefix: &str) -> Operations {
        Operations {
            prefix: prefix.to_string(),
            helpers: BTreeSet::new(),
        }
    }

    /// Definitions of the helpers that were used.
    pub fn definitions(&self) -> String {
        let helpers = self.helpers.iter();
        helpers.map(|h| h.definition(&self.prefix)).collect()
    }

    /// An operation on registers with these names. `None`: it is none of arithmetic.
    pub fn arithmetic<'n>(
        &mut self,
        op: &Op,
        name: impl Fn(Reg) -> &'n str,
    ) -> Option<Result<String, String>> {
        Some(match *op {
            Op::Unary(f, a) => self.unary(f, name(a)),
            Op::Binary(f, a, b) => self.binary(f, name(a), name(b)),
            Op::Select(c, a, b) => Ok(format!("({} != 0.0) ? {} : {}", name(c), name(a), name(b))),
            Op::PowI(a, n) => Ok(self.powi(name(a), n)),
            Op::Load(_) | Op::Const(_) | Op::Call(_) | Op::Result => return None,
        })
    }

    fn helper(&mut self, helper: Helper) -> String {
        if helper == Helper::Power {
            self.helpers.insert(Helper::PowI);
        }
        self.helpers.insert(helper);
        format!("{}_{}", self.prefix, helper.name())
    }

    pub(super) fn eliminate(&mut self) -> String {
        self.helper(Helper::Eliminate)
    }

    pub(super) fn consistent(&mut self) -> String {
        self.helper(Helper::Consistent)
    }

    /// Name of an elementary function.
    fn function(&mut self, f: Builtin) -> Result<String, String> {
        let row = TABLE.iter().position(|row| row.builtin == f);
        let row = row.ok_or_else(|| format!("`{}` has no form in C", builtin_name(f)))?;
        Ok(match TABLE[row].c {
            CForm::Library(name) => name.to_string(),
            CForm::Own(_) => self.helper(Helper::Function(row)),
        })
    }

    pub(super) fn unary(&mut self, op: Un, a: &str) -> Result<String, String> {
        Ok(match op {
            Un::Neg => format!("-({a})"),
            Un::Not => format!("({a} == 0.0) ? 1.0 : 0.0"),
            Un::Math(f) => format!("{}({a})", self.function(f)?),
        })
    }

    pub(super) fn binary(&mut self, op: Bin, a: &str, b: &str) -> Result<String, String> {
        let infix = |op: &str| format!("{a} {op} {b}");
        let compare = |op: &str| format!("({a} {op} {b}) ? 1.0 : 0.0");
        Ok(match op {
            Bin::Add => infix("+"),
            Bin::Sub => infix("-"),
            Bin::Mul => infix("*"),
            Bin::Div => infix("/"),
            Bin::Pow => format!("{}({a}, {b})", self.helper(Helper::Power)),
            Bin::And => format!("({a} != 0.0 && {b} != 0.0) ? 1.0 : 0.0"),
            Bin::Or => format!("({a} != 0.0 || {b} != 0.0) ? 1.0 : 0.0"),
            Bin::Lt => compare("<"),
            Bin::Le => compare("<="),
            Bin::Gt => compare(">"),
            Bin::Ge => compare(">="),
            Bin::Eq => compare("=="),
            Bin::Ne => compare("!="),
            Bin::Math(f) => format!("{}({a}, {b})", self.function(f)?),
        })
    }

    pub(super) fn powi(&mut self, a: &str, n: i32) -> String {
        format!("{}({a}, {n})", self.helper(Helper::PowI))
    }
}
