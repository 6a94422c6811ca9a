//! The flat model as legal flat Modelica, so that another tool (or this one) can read it.
//!
//! In: a flat model. Out: one `model` with scalar variables; names with dots or subscripts are quoted
//! identifiers. Functions that stayed calls are declared in the model. What the flat form has beyond
//! the language is written back in the language: discrete equations of when-clauses as `when`,
//! equations of a clock as clocked `when`, one result of several as a function of its own.
//!
//! Limits: an expression longer than a megabyte is cut; the destructors of external objects are not
//! known here and are declared without their C name.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::expr::{Builtin, EnumId, Expr, ExprId, FunctionId, Ty, UnaryOp, VarId};
use crate::flat::{Causality, Equation, FlatModel, StateSelect, Variability, Variable};
use crate::function_text;
use crate::print::{self, Names, quoted, state_select_name, string_literal};

/// Names of functions and external object classes as they are declared in the text.
pub(crate) struct Declared<'m> {
    pub flat: &'m FlatModel,
    functions: Vec<String>,
    /// Class of each external object.
    classes: FxHashMap<VarId, String>,
}

impl Names for Declared<'_> {
    fn var(&self, var: VarId) -> String {
        quoted(&self.flat.vars[var].name)
    }

    fn function(&self, function: FunctionId) -> String {
        quoted(&self.functions[function.as_u32() as usize])
    }

    fn enum_literal(&self, of: EnumId, ordinal: u32) -> String {
        self.flat.enum_literal(of, ordinal)
    }

    fn result(&self, function: FunctionId, k: u32) -> Option<String> {
        let name = &self.functions[function.as_u32() as usize];
        Some(match self.flat.functions[function].outputs {
            1 => quoted(name),
            _ => quoted(&format!("{name}.{}", k + 1)),
        })
    }

    fn is_source(&self) -> bool {
        true
    }
}

impl<'m> Declared<'m> {
    fn new(flat: &'m FlatModel) -> Declared<'m> {
        let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
        let functions = flat
            .functions
            .values()
            .map(|f| {
                let n = seen.entry(f.name.as_str()).or_default();
                *n += 1;
                match *n {
                    1 => f.name.clone(),
                    n => format!("{}${n}", f.name),
                }
            })
            .collect();
        let mut classes = FxHashMap::default();
        for (v, var) in &flat.vars {
            if let (Ty::External, Some(b)) = (var.ty, var.binding)
                && let Expr::Call(f, _) = flat.exprs.get(b)
            {
                let name = &flat.functions[f].name;
                let class = name.strip_suffix(".constructor").unwrap_or(name);
                classes.insert(v, class.to_string());
            }
        }
        Declared {
            flat,
            functions,
            classes,
        }
    }

    pub fn text(&self, e: ExprId) -> String {
        print::expr(&self.flat.exprs, self, e)
    }

    pub fn function_name(&self, f: FunctionId) -> &str {
        &self.functions[f.as_u32() as usize]
    }

    /// The class of an external object that is handed to a function: that of the first such object.
    pub fn external_class(&self) -> String {
        let class = self.classes.iter().min_by_key(|(v, _)| v.as_u32());
        class.map_or("ExternalObject".into(), |(_, c)| quoted(c))
    }
}

/// See the module comment.
pub fn flat_model(flat: &FlatModel) -> String {
    let names = Declared::new(flat);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "model {}{}",
        quoted(&flat.name),
        comment(&flat.description)
    );
    // The two predefined enumerations come first and need no declaration.
    for e in flat.enums.values().skip(2) {
        let _ = writeln!(
            out,
            "  type {} = enumeration({});",
            quoted(&e.name),
            e.literals.join(", ")
        );
    }
    function_text::functions(&mut out, &names);
    for (v, var) in &flat.vars {
        if is_left_out(var) {
            continue;
        }
        variable(&mut out, &names, v, var);
    }
    for (title, list) in [
        ("initial equation", &flat.initial_equations),
        ("equation", &flat.equations),
    ] {
        if !list.is_empty() {
            let _ = writeln!(out, "{title}");
        }
        for e in list {
            equation(&mut out, &names, e);
        }
    }
    let effects =
        flat.reinits.len() + flat.assertions.len() + flat.terminates.len() + flat.effects.len();
    if flat.equations.is_empty() && effects > 0 {
        let _ = writeln!(out, "equation");
    }
    side_effects(&mut out, &names);
    let _ = writeln!(out, "end {};", quoted(&flat.name));
    out
}

/// Members of buses that are not there, and inferred clocks.
fn is_left_out(v: &Variable) -> bool {
    v.hidden && (v.variability == Variability::Constant || v.ty == Ty::Clock)
}

fn variable(out: &mut String, names: &Declared, id: VarId, v: &Variable) {
    let mut line = String::from("  ");
    match v.variability {
        Variability::Constant => line.push_str("constant "),
        Variability::Parameter => line.push_str("parameter "),
        Variability::Discrete if v.ty == Ty::Real => line.push_str("discrete "),
        _ => {}
    }
    match v.causality {
        Causality::Input => line.push_str("input "),
        Causality::Output => line.push_str("output "),
        Causality::Local => {}
    }
    let ty = match (v.ty, names.classes.get(&id)) {
        (Ty::External, Some(class)) => quoted(class),
        (ty, _) => print::type_name(names.flat, ty),
    };
    let _ = write!(line, "{ty} {}", quoted(&v.name));
    let mut attributes = Vec::new();
    for (name, value) in [
        ("quantity", &v.quantity),
        ("unit", &v.unit),
        ("displayUnit", &v.display_unit),
    ] {
        if !value.is_empty() {
            attributes.push(format!("{name} = {}", string_literal(value)));
        }
    }
    for (name, value) in [
        ("min", v.min),
        ("max", v.max),
        ("start", v.start),
        ("fixed", v.fixed),
        ("nominal", v.nominal),
    ] {
        if let Some(value) = value {
            attributes.push(format!("{name} = {}", names.text(value)));
        }
    }
    if v.state_select != StateSelect::Default {
        attributes.push(format!(
            "stateSelect = StateSelect.{}",
            state_select_name(v.state_select)
        ));
    }
    if !attributes.is_empty() {
        let _ = write!(line, "({})", attributes.join(", "));
    }
    if let Some(b) = v.binding {
        let value = match (v.ty, names.flat.exprs.get(b), names.classes.get(&id)) {
            // The class of an external object is called, not its constructor.
            (Ty::External, Expr::Call(_, args), Some(class)) => {
                let args: Vec<String> = (names.flat.exprs.args(args).iter())
                    .map(|&a| names.text(a))
                    .collect();
                format!("{}({})", quoted(class), args.join(", "))
            }
            _ => names.text(b),
        };
        let _ = write!(line, " = {value}");
    }
    let _ = writeln!(out, "{line}{};", comment(&v.description));
}

fn equation(out: &mut String, names: &Declared, e: &Equation) {
    let x = &names.flat.exprs;
    if let Some(text) = when_equation(names, e) {
        out.push_str(&text);
        return;
    }
    if let Expr::Builtin(Builtin::OnClock, args) = x.get(e.rhs)
        && let [value, clock] = x.args(args)
    {
        let clock = match x.get(*clock) {
            Expr::Var(c) if names.flat.vars[c].hidden => "Clock()".to_string(),
            _ => names.text(*clock),
        };
        let _ = writeln!(
            out,
            "  when {clock} then\n    {} = {};\n  end when;",
            left_side(names, e),
            names.text(*value)
        );
        return;
    }
    if let Expr::Builtin(Builtin::InState, args) = x.get(e.rhs)
        && let [value, active] = x.args(args)
    {
        let (lhs, value, active) = (names.text(e.lhs), names.text(*value), names.text(*active));
        let _ = match x.get(e.lhs) {
            Expr::Var(_) => writeln!(
                out,
                "  {lhs} = if {active} then {value} else previous({lhs});"
            ),
            // The language has no words for this.
            _ => writeln!(out, "  {lhs} = {value}; // while {active}"),
        };
        return;
    }
    if let Expr::Proj(call, k) = x.get(e.rhs)
        && let Expr::Builtin(Builtin::SpatialDistribution, args) = x.get(call)
    {
        let lhs = names.text(e.lhs);
        let left = if k == 0 {
            format!("({lhs}, )")
        } else {
            format!("(, {lhs})")
        };
        let _ = writeln!(
            out,
            "  {left} = {};",
            spatial_distribution(names, x.args(args))
        );
        return;
    }
    let _ = writeln!(out, "  {} = {};", left_side(names, e), names.text(e.rhs));
}

/// What stands left of `=`: an `if` without parentheses would begin an if-equation there.
fn left_side(names: &Declared, e: &Equation) -> String {
    let text = names.text(e.lhs);
    match names.flat.exprs.get(e.lhs) {
        Expr::If(..) => format!("({text})"),
        _ => text,
    }
}

/// The points and values of the initial distribution are arrays.
fn spatial_distribution(names: &Declared, args: &[ExprId]) -> String {
    let text = |list: &[ExprId]| -> String {
        let list: Vec<String> = list.iter().map(|&a| names.text(a)).collect();
        list.join(", ")
    };
    match args {
        [a, b, c, d, _, rest @ ..] if !rest.is_empty() => {
            let (points, values) = rest.split_at(rest.len() / 2);
            format!(
                "spatialDistribution({}, {{{}}}, {{{}}})",
                text(&[*a, *b, *c, *d]),
                text(points),
                text(values)
            )
        }
        _ => format!("spatialDistribution({})", text(&args[..args.len().min(4)])),
    }
}

/// `v = if fires(b) then e … else pre(v)` as the when-clause it came from.
fn when_equation(names: &Declared, e: &Equation) -> Option<String> {
    let x = &names.flat.exprs;
    let Expr::Var(v) = x.get(e.lhs) else {
        return None;
    };
    let mut branches = Vec::new();
    let mut rest = e.rhs;
    while let Expr::If(c, a, b) = x.get(rest) {
        branches.push((conditions(names, c)?, a));
        rest = b;
    }
    if branches.is_empty() || x.get(rest) != Expr::Pre(v) {
        return None;
    }
    let mut out = String::new();
    for (k, (condition, value)) in branches.into_iter().enumerate() {
        let _ = writeln!(
            out,
            "  {} {condition} then\n    {} = {};",
            if k == 0 { "when" } else { "elsewhen" },
            names.text(e.lhs),
            names.text(value)
        );
    }
    out.push_str("  end when;\n");
    Some(out)
}

/// The condition of a when-clause, if the expression says that one has fired.
fn conditions(names: &Declared, e: ExprId) -> Option<String> {
    let x = &names.flat.exprs;
    let mut list = Vec::new();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        match x.get(e) {
            Expr::Binary(crate::expr::BinaryOp::Or, a, b) => stack.extend([b, a]),
            Expr::Builtin(Builtin::WhenFires, args) => {
                let &[b, initial] = x.args(args) else {
                    return None;
                };
                if x.as_bool(initial) == Some(true) && !list.contains(&"initial()".to_string()) {
                    list.push("initial()".to_string());
                }
                list.push(names.text(b));
            }
            _ => return None,
        }
    }
    Some(match list.as_slice() {
        [one] => one.clone(),
        _ => format!("{{{}}}", list.join(", ")),
    })
}

fn side_effects(out: &mut String, names: &Declared) {
    let flat = names.flat;
    let mut guarded = |guard: Option<ExprId>, statement: String| {
        let _ = match guard {
            None => writeln!(out, "  {statement};"),
            Some(g) if has_fired(names, g) => {
                let condition = conditions(names, g).unwrap_or_else(|| names.text(g));
                writeln!(
                    out,
                    "  when {condition} then\n    {statement};\n  end when;"
                )
            }
            Some(g) => writeln!(
                out,
                "  if {} then\n    {statement};\n  end if;",
                names.text(g)
            ),
        };
    };
    for r in &flat.reinits {
        let statement = format!("reinit({}, {})", names.var(r.state), names.text(r.value));
        guarded(Some(r.condition), statement);
    }
    for a in &flat.assertions {
        let level = if a.is_error {
            ""
        } else {
            ", AssertionLevel.warning"
        };
        let statement = format!(
            "assert({}, {}{level})",
            names.text(a.condition),
            names.text(a.message)
        );
        guarded(a.guard, statement);
    }
    for t in &flat.terminates {
        guarded(
            Some(t.guard),
            format!("terminate({})", names.text(t.message)),
        );
    }
    for e in &flat.effects {
        guarded(e.guard, names.text(e.call));
    }
}

/// Does the guard come from a when-clause?
fn has_fired(names: &Declared, guard: ExprId) -> bool {
    let x = &names.flat.exprs;
    let mut stack = vec![guard];
    while let Some(e) = stack.pop() {
        match x.get(e) {
            Expr::Builtin(Builtin::WhenFires, _) => return true,
            Expr::Binary(_, a, b) => stack.extend([a, b]),
            Expr::Unary(UnaryOp::Not, a) => stack.push(a),
            _ => {}
        }
    }
    false
}

pub(crate) fn comment(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(" {}", string_literal(text))
    }
}
