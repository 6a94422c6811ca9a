//! Foreign functions that have a form in C: those of `math.h`, tables, random numbers.
//!
//! In: a call by its C name and the C names of its operands. Out: statements. Tables are external objects that exist when the code is written:
//! their abscissae, values, slopes and events become constant arrays, and the number of the object in its slot finds them.
//! The operations are those of `ferrica-natives`, in their order, so that the numbers are the same.

use std::collections::BTreeSet;
use std::fmt::Write;

use ferrica_natives::tables::one_d::Table1D;
use ferrica_natives::tables::time::{NEVER, TimeTable};
use ferrica_natives::tables::two_d::Table2D;
use ferrica_natives::tables::{EPSILON, Extrapolation};

use super::CUnit;
use super::expression::{literal, literals};
use super::function::Frame;
use crate::function::{ExternalCall, NativeArg};
use crate::runtime::{Object, Runtime};

/// Functions of `math.h` with one and with two arguments.
const ONE: [&str; 25] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "expm1", "log", "log10", "log2", "log1p", "sqrt", "cbrt", "fabs", "floor",
    "ceil", "erf",
];
const TWO: [&str; 7] = ["atan2", "pow", "fmod", "hypot", "fmin", "fmax", "copysign"];

/// A part of the text that calls need, in the order of their definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Table,
    Count,
    Interpolate,
    Curve,
    OneD,
    Time,
    NextEvent,
    TwoD,
    Halves,
    Unit,
    Xorshift64Star,
    Xorshift128Plus,
    Xorshift1024Star,
    RealToIntegers,
}

impl Part {
    fn text(self) -> &'static str {
        match self {
            Part::Table => include_str!("native/table.c"),
            Part::Count => include_str!("native/count.c"),
            Part::Interpolate => include_str!("native/interpolate.c"),
            Part::Curve => include_str!("native/curve.c"),
            Part::OneD => include_str!("native/one_d.c"),
            Part::Time => include_str!("native/time.c"),
            Part::NextEvent => include_str!("native/next_event.c"),
            Part::TwoD => include_str!("native/two_d.c"),
            Part::Halves => include_str!("native/halves.c"),
            Part::Unit => include_str!("native/unit.c"),
            Part::Xorshift64Star => include_str!("native/xorshift64star.c"),
            Part::Xorshift128Plus => include_str!("native/xorshift128plus.c"),
            Part::Xorshift1024Star => include_str!("native/xorshift1024star.c"),
            Part::RealToIntegers => include_str!("native/real_to_integers.c"),
        }
    }

    /// What must be there before it.
    fn needs(self) -> &'static [Part] {
        match self {
            Part::OneD | Part::Time => &[Part::Table, Part::Count, Part::Interpolate, Part::Curve],
            Part::NextEvent => &[Part::Table, Part::Count],
            Part::TwoD => &[Part::Table, Part::Count, Part::Interpolate],
            Part::Xorshift64Star | Part::Xorshift128Plus | Part::Xorshift1024Star => {
                &[Part::Unit, Part::Halves]
            }
            Part::RealToIntegers => &[Part::Halves],
            _ => &[],
        }
    }
}

/// What a failed call of a table says, by the number that it returns.
const TABLE_FAILURES: [&str; 3] = [
    "the argument is outside of the table, and extrapolation is not allowed",
    "the table has no such output",
    "the table was never constructed",
];

impl CUnit<'_> {
    fn part(&mut self, part: Part) {
        self.native_parts.extend(part.needs());
        self.native_parts.insert(part);
    }

    /// Statements of a call; `None`: the function has no form in C.
    pub(super) fn native_call(
        &mut self,
        function: &str,
        call: &ExternalCall,
        frame: &Frame,
    ) -> Option<String> {
        let name = call.name.as_str();
        if let Some(rest) = name.strip_prefix("ModelicaStandardTables_Combi") {
            self.objects?;
            return self.table_call(function, rest, call, frame);
        }
        if let Some(rest) = name.strip_prefix("ModelicaRandom_") {
            return self.random_call(rest, call, frame);
        }
        let fits = (ONE.contains(&name) && call.args.len() == 1)
            || (TWO.contains(&name) && call.args.len() == 2);
        if !fits {
            return None;
        }
        let args: Option<Vec<String>> = (0..call.args.len())
            .map(|k| value(call, k, frame))
            .collect();
        let to = frame.reg(call.result?.0);
        Some(format!("    {to} = {name}({});\n", args?.join(", ")))
    }

    /// A call that fails with one of [`TABLE_FAILURES`].
    fn checked(&mut self, function: &str, call: &str) -> String {
        let codes =
            TABLE_FAILURES.map(|what| self.failure(format!("function `{function}`: {what}")));
        let [outside, column, object] = codes;
        format!(
            "const int e = {call}; if (e != 0) return e == 1 ? {outside} : e == 2 ? {column} : {object};"
        )
    }

    /// The functions of tables, by what follows `Combi`.
    fn table_call(
        &mut self,
        function: &str,
        name: &str,
        call: &ExternalCall,
        frame: &Frame,
    ) -> Option<String> {
        let p = self.prefix.clone();
        let a = |k: usize| value(call, k, frame);
        let to = call.result.map(|r| frame.reg(r.0));
        let (table, what) = name.split_once('_')?;
        let (kind, part) = match table {
            "TimeTable" => (0, Part::Time),
            "Table1D" => (1, Part::OneD),
            "Table2D" => (2, Part::TwoD),
            _ => return None,
        };
        // Tables were read when they were made.
        if what == "read" {
            return Some(format!("    {} = 1.0;\n", to?));
        }
        if let Some(end) = match what {
            "minimumTime" | "minimumAbscissa" => Some("0"),
            "maximumTime" | "maximumAbscissa" => Some("t->n - 1"),
            _ => None,
        } {
            self.part(Part::Table);
            let checks = self.checked(function, "t != 0 ? 0 : 3");
            let reads = match kind {
                2 => {
                    let NativeArg::Array { first, .. } = *call.args.get(1)? else {
                        return None;
                    };
                    let end2 = end.replace("n ", "n2 ");
                    let [one, two] = [first, first + 1].map(|r| frame.reg(r));
                    format!("{one} = t->x[{end}]; {two} = t->x2[{end2}];")
                }
                _ => format!("{} = t->x[{end}];", to?),
            };
            let object = a(0)?;
            return Some(format!(
                "    {{ const {p}_table *const t = {p}_table_of({object}, {kind}); {checks} {reads} }}\n"
            ));
        }
        if what == "nextTimeEvent" {
            self.part(Part::NextEvent);
            let checks = self.checked(
                function,
                &format!("{p}_table_next_event({}, {}, &at)", a(0)?, a(1)?),
            );
            return Some(format!("    {{ double at; {checks} {} = at; }}\n", to?));
        }
        let order = ["getValue", "getDerValue", "getDer2Value"];
        let order = order.iter().position(|w| *w == what)?;
        self.part(part);
        // Arguments of the table, then the speeds of what varies, then their derivatives.
        let (arguments, varying) = [(5, 1), (3, 1), (3, 2)][kind];
        let mut list: Vec<String> = (0..arguments).map(a).collect::<Option<_>>()?;
        let mut moves: Vec<String> = (arguments..arguments + order * varying)
            .map(a)
            .collect::<Option<_>>()?;
        if kind == 2 {
            let still = vec!["0.0".to_string(); 2];
            list.extend(moves.get(..2).map_or(still, <[String]>::to_vec));
        }
        let list = list.join(", ");
        moves.resize(4, String::new());
        let [v, w, dv, dw] = &moves[..] else {
            return None;
        };
        let (declared, called, result) = if kind == 2 {
            let curvature =
                format!("j.d11 * {v} * {v} + 2.0 * j.d12 * {v} * {w} + j.d22 * {w} * {w}");
            let result = match order {
                0 => "j.y".to_string(),
                1 => format!("j.d1 * {v} + j.d2 * {w}"),
                _ => format!("{curvature} + j.d1 * {dv} + j.d2 * {dw}"),
            };
            (
                format!("{p}_jet2 j"),
                format!("{p}_table_2d({list}, &j)"),
                result,
            )
        } else {
            let result = match order {
                0 => "j[0]".to_string(),
                1 => format!("j[1] * {v}"),
                _ => format!("j[2] * ({v} * {v}) + j[1] * {w}"),
            };
            let name = ["table_time", "table_1d"][kind];
            (
                "double j[3]".to_string(),
                format!("{p}_{name}({list}, j)"),
                result,
            )
        };
        let checks = self.checked(function, &called);
        Some(format!(
            "    {{ {declared}; {checks} {} = {result}; }}\n",
            to?
        ))
    }

    /// The functions of random numbers that keep nothing outside of the model.
    fn random_call(&mut self, name: &str, call: &ExternalCall, frame: &Frame) -> Option<String> {
        let (part, size) = match name {
            "xorshift64star" => (Part::Xorshift64Star, 2),
            "xorshift128plus" => (Part::Xorshift128Plus, 4),
            "xorshift1024star" => (Part::Xorshift1024Star, 33),
            "convertRealToIntegers" => (Part::RealToIntegers, 2),
            _ => return None,
        };
        let array = |k: usize| match call.args.get(k)? {
            NativeArg::Array { first, dims, .. } if dims.iter().product::<u32>() == size => Some(
                (*first..*first + size)
                    .map(|r| frame.reg(r))
                    .collect::<Vec<_>>(),
            ),
            _ => None,
        };
        self.part(part);
        let p = &self.prefix;
        let out = array(1)?;
        let mut text = format!("    {{ double out[{size}]; ");
        let mut end = String::new();
        if part == Part::RealToIntegers {
            let x = value(call, 0, frame)?;
            let _ = write!(text, "{p}_real_to_integers({x}, out);");
        } else {
            let state = array(0)?.join(", ");
            let Some(NativeArg::Out(number, _)) = call.args.get(2) else {
                return None;
            };
            let _ = write!(
                text,
                "const double in[{size}] = {{{state}}}; double number; {p}_{name}(in, out, &number);"
            );
            let _ = write!(end, " {} = number;", frame.reg(*number));
        }
        for (k, to) in out.iter().enumerate() {
            let _ = write!(text, " {to} = out[{k}];");
        }
        Some(format!("{text}{end} }}\n"))
    }

    /// Definitions that the calls need.
    pub(super) fn native_definitions(&self) -> String {
        let mut out = String::new();
        for part in &self.native_parts {
            out.push_str(part.text());
        }
        if self.native_parts.contains(&Part::RealToIntegers) {
            out.insert_str(0, "#include <string.h>\n\n");
        }
        let objects = self.objects.map_or(&[][..], Runtime::objects);
        out.replace("@TABLES@", &tables(objects))
            .replace("@COUNT@", &objects.len().to_string())
            .replace("@EPSILON@", &literal(EPSILON))
            .replace("@NEVER@", &literal(NEVER))
            .replace("P_", &format!("{}_", self.prefix))
    }
}

fn value(call: &ExternalCall, k: usize, frame: &Frame) -> Option<String> {
    match call.args.get(k)? {
        NativeArg::Value(r, _) => Some(frame.reg(*r)),
        _ => None,
    }
}

/// All external objects, those that are no tables with the kind −1.
fn tables(objects: &[Object]) -> String {
    let mut out = String::new();
    let mut rows = Vec::new();
    for (k, object) in objects.iter().enumerate() {
        let mut array = |name: &str, values: &[f64]| {
            if values.is_empty() {
                return "0".to_string();
            }
            let numbers = literals(values);
            let _ = write!(
                out,
                "static const double P_table{k}_{name}[] = {{\n    {numbers}\n}};\n"
            );
            format!("P_table{k}_{name}")
        };
        let mut row = Record::default();
        if let Some(t) = object.downcast_ref::<TimeTable>() {
            let o = t.options();
            row = Record {
                kind: 0,
                n: t.abscissae().len(),
                columns: t.curves().len(),
                constant: !t.curves().is_empty() && t.curves()[0].is_constant(),
                extrapolation: number(o.extrapolation),
                start: o.start_time,
                shift: o.shift_time,
                events: t.events().len(),
                ..Record::default()
            };
            row.arrays[0] = array("x", t.abscissae());
            let y: Vec<f64> = t.curves().iter().flat_map(|c| &c.y).copied().collect();
            row.arrays[2] = array("y", &y);
            let slopes = t.curves().iter().flat_map(|c| c.slopes());
            row.arrays[3] = array("slope", &slopes.copied().collect::<Vec<_>>());
            let times: Vec<f64> = t.events().iter().map(|e| e.time).collect();
            row.event = array("event", &times);
            let pairs: Vec<String> = (t.events().iter())
                .map(|e| format!("{}, {}", e.before, e.after))
                .collect();
            let _ = writeln!(
                out,
                "static const int P_table{k}_rows[] = {{ {} }};",
                pairs.join(", ")
            );
            row.rows = format!("P_table{k}_rows");
        } else if let Some(t) = object.downcast_ref::<Table1D>() {
            row = Record {
                kind: 1,
                n: t.abscissae().len(),
                columns: t.curves().len(),
                constant: !t.curves().is_empty() && t.curves()[0].is_constant(),
                extrapolation: number(t.extrapolation()),
                ..Record::default()
            };
            row.arrays[0] = array("x", t.abscissae());
            let y: Vec<f64> = t.curves().iter().flat_map(|c| &c.y).copied().collect();
            row.arrays[2] = array("y", &y);
            let slopes = t.curves().iter().flat_map(|c| c.slopes());
            row.arrays[3] = array("slope", &slopes.copied().collect::<Vec<_>>());
        } else if let Some(t) = object.downcast_ref::<Table2D>() {
            let [x1, x2] = t.abscissae();
            row = Record {
                kind: 2,
                n: x1.len(),
                n2: x2.len(),
                columns: 1,
                constant: t.is_constant(),
                extrapolation: number(t.extrapolation()),
                ..Record::default()
            };
            row.arrays[0] = array("x", x1);
            row.arrays[1] = array("x2", x2);
            row.arrays[2] = array("y", t.values());
            if let Some([z1, z2, z12]) = t.slopes() {
                row.arrays[3] = array("slope", z1);
                row.arrays[4] = array("slope2", z2);
                row.arrays[5] = array("twist", z12);
            }
        }
        rows.push(row.text());
    }
    if rows.is_empty() {
        rows.push(Record::default().text());
    }
    let _ = write!(
        out,
        "static const P_table P_tables[] = {{\n    {}\n}};\n",
        rows.join(",\n    ")
    );
    out
}

/// The number of the Modelica enumeration.
fn number(e: Extrapolation) -> u8 {
    match e {
        Extrapolation::Hold => 1,
        Extrapolation::LastTwoPoints => 2,
        Extrapolation::Periodic => 3,
        Extrapolation::Forbidden => 4,
    }
}

/// One element of the array of tables.
struct Record {
    kind: i8,
    n: usize,
    n2: usize,
    columns: usize,
    constant: bool,
    extrapolation: u8,
    /// x, x2, y, slope, slope2, twist.
    arrays: [String; 6],
    start: f64,
    shift: f64,
    events: usize,
    event: String,
    rows: String,
}

impl Default for Record {
    fn default() -> Record {
        let none = || "0".to_string();
        Record {
            kind: -1,
            n: 0,
            n2: 0,
            columns: 0,
            constant: false,
            extrapolation: 0,
            arrays: std::array::from_fn(|_| none()),
            start: 0.0,
            shift: 0.0,
            events: 0,
            event: none(),
            rows: none(),
        }
    }
}

impl Record {
    fn text(&self) -> String {
        format!(
            "{{ {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {} }}",
            self.kind,
            self.n,
            self.n2,
            self.columns,
            u8::from(self.constant),
            self.extrapolation,
            self.arrays.join(", "),
            literal(self.start),
            literal(self.shift),
            self.events,
            self.event,
            self.rows
        )
    }
}

/// The parts that were used.
pub(super) type Parts = BTreeSet<Part>;
