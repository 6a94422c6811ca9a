//! `-p NAME=VALUE`: a model as if its text had these values.
//!
//! In: a flat model and assignments to parameters and start values. A value that flattening has not looked at is
//! written into the flat model ([`set`]), before any later stage can take a decision from the old one. A value
//! that shaped the flat model asks for another flattening, of a class that extends the model with it
//! ([`wrapper`]). Either way the result is that of the edited text.

use std::collections::BTreeMap;

use ferrica_ir::expr::{Expr, ExprId, Ty, VarId};
use ferrica_ir::flat::{Causality, FlatModel, Variability, Variable};
use ferrica_ir::similar::closest_variable;
use ferrica_ir::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::failure::Failure;
use crate::options::Assignment;

/// How many bindings the value of another element of an array may go through.
const MAX_BINDING_DEPTH: usize = 32;

/// What a name on the command line means.
#[derive(Clone, Copy)]
enum Target {
    Parameter(VarId),
    /// `NAME.start` of a variable.
    Start(VarId),
}

impl Target {
    fn variable(self) -> VarId {
        let (Target::Parameter(v) | Target::Start(v)) = self;
        v
    }
}

/// The last assignment to each name, in the order of the names' first appearance.
pub fn last_of_each(params: &[Assignment]) -> Vec<Assignment> {
    let mut list: Vec<Assignment> = Vec::new();
    for p in params {
        match list.iter_mut().find(|q| q.name == p.name) {
            Some(q) => q.value.clone_from(&p.value),
            None => list.push(p.clone()),
        }
    }
    list
}

/// So many parameters are told in a message.
const SHOWN: usize = 8;

/// Variables by name.
pub struct Names<'a>(FxHashMap<&'a str, (VarId, &'a Variable)>);

impl<'a> Names<'a> {
    pub fn new(flat: &'a FlatModel) -> Names<'a> {
        Names(
            flat.vars
                .iter()
                .map(|(id, v)| (v.name.as_str(), (id, v)))
                .collect(),
        )
    }

    fn find(&self, name: &str) -> Result<Target, Failure> {
        if let Some(&(id, variable)) = self.0.get(name) {
            return match variable.variability {
                Variability::Parameter => Ok(Target::Parameter(id)),
                Variability::Constant => Err(Failure::usage(format!(
                    "`{name}` is a constant and cannot be changed"
                ))),
                _ if variable.causality == Causality::Input => Err(Failure::usage_with_hint(
                    format!("`{name}` is an input, not a parameter"),
                    format!(
                        "inputs are driven from outside; `{name}.start` is the value of one that nothing drives"
                    ),
                )),
                _ => Err(Failure::usage_with_hint(
                    format!("`{name}` is not a parameter but computed by the model"),
                    format!("`{name}.start` sets the value it starts with"),
                )),
            };
        }
        let of_start = name.strip_suffix(".start").and_then(|n| self.0.get(n));
        if let Some(&(id, _)) = of_start {
            return Ok(Target::Start(id));
        }
        let failure = format!("the model has no parameter `{name}`");
        let hint = match self.similar(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => self.listed(),
        };
        Err(Failure::coded("E0731", failure, Some(hint)))
    }

    /// The parameters, or how to see them.
    fn listed(&self) -> String {
        let mut names: Vec<&str> = self.parameters().collect();
        names.sort_unstable();
        match names.len() {
            0 => "it has none".to_owned(),
            1..=SHOWN => format!("it has {}", names.join(", ")),
            _ => "`ferrica vars` lists them".to_owned(),
        }
    }

    fn parameters(&self) -> impl Iterator<Item = &'a str> + Clone {
        let parameters = self.0.values().map(|v| v.1);
        let parameters = parameters.filter(|v| v.variability == Variability::Parameter);
        parameters.map(|v| v.name.as_str())
    }

    /// A parameter whose name may have been meant.
    fn similar(&self, name: &str) -> Option<String> {
        if let Some(variable) = name.strip_suffix(".start") {
            let near = closest_variable(variable, self.0.keys().copied());
            return near.map(|n| format!("{n}.start"));
        }
        closest_variable(name, self.parameters()).map(str::to_owned)
    }
}

/// Does the flat model depend on the value? An error if there is no such name.
pub fn shapes_the_model(flat: &FlatModel, names: &Names, p: &Assignment) -> Result<bool, Failure> {
    let target = names.find(&p.name)?;
    let variable = &flat.vars[target.variable()];
    literal(flat, variable.ty, p)?;
    Ok(variable.structural)
}

/// Writes a value that does not shape the model into it.
pub fn set(flat: &mut FlatModel, p: &Assignment) -> Result<(), Failure> {
    let target = Names::new(flat).find(&p.name)?;
    let ty = flat.vars[target.variable()].ty;
    let value = literal(flat, ty, p)?.intern(flat);
    match target {
        Target::Parameter(v) => flat.vars[v].binding = Some(value),
        Target::Start(v) => flat.vars[v].start = Some(value),
    }
    Ok(())
}

/// Writes the number of a parameter, or the start value of a variable, into the model; false if it has no such variable.
pub fn set_number(flat: &mut FlatModel, name: &str, value: f64) -> bool {
    let Some(v) = (flat.vars.iter()).find_map(|(v, var)| (var.name == name).then_some(v)) else {
        return false;
    };
    let e = match flat.vars[v].ty {
        Ty::Integer => flat.exprs.int(value as i64),
        Ty::Boolean => flat.exprs.bool(value != 0.0),
        Ty::Enum(of) => flat.exprs.enum_literal(of, value as u32),
        _ => flat.exprs.real(value),
    };
    match flat.vars[v].variability {
        Variability::Parameter => flat.vars[v].binding = Some(e),
        _ => flat.vars[v].start = Some(e),
    }
    true
}

/// A class that extends the model with these values, as a user would write it. `flat` is the model without them,
/// which says what the other elements of an array are.
pub fn wrapper(
    name: &str,
    model: &str,
    shaping: &[Assignment],
    flat: &mut FlatModel,
) -> Result<String, Failure> {
    let mut tree = Modifiers::default();
    // Elements of one array are one modifier.
    let mut arrays: BTreeMap<Vec<String>, Vec<(Vec<usize>, String)>> = BTreeMap::new();
    for p in shaping {
        let target = Names::new(flat).find(&p.name)?;
        let value = literal(flat, flat.vars[target.variable()].ty, p)?.text(flat);
        let (path, subscripts) = path_of(&p.name);
        if subscripts.is_empty() {
            tree.set(&path, value);
        } else {
            arrays.entry(path).or_default().push((subscripts, value));
        }
    }
    for (path, given) in arrays {
        let value = array_value(flat, &path, &given)?;
        tree.set(&path, value);
    }
    Ok(extending(name, model, &tree))
}

/// The same with the values as they were written, for a model that cannot be looked at without them.
pub fn plain_wrapper(name: &str, model: &str, params: &[Assignment]) -> String {
    let mut tree = Modifiers::default();
    for p in params {
        tree.set(&path_of(&p.name).0, p.value.clone());
    }
    extending(name, model, &tree)
}

fn extending(name: &str, model: &str, modifiers: &Modifiers) -> String {
    format!(
        "model '{name}'\n  extends .{model}{};\nend '{name}';\n",
        modifiers.text()
    )
}

/// Modifiers of a class: a value, or modifiers of members.
#[derive(Default)]
struct Modifiers {
    value: Option<String>,
    members: BTreeMap<String, Modifiers>,
}

impl Modifiers {
    fn set(&mut self, path: &[String], value: String) {
        let mut at = self;
        for part in path {
            at = at.members.entry(part.clone()).or_default();
        }
        at.value = Some(value);
    }

    fn text(&self) -> String {
        let members: Vec<String> = (self.members.iter())
            .map(|(name, inside)| format!("{name}{}", inside.text()))
            .collect();
        let members = match members.is_empty() {
            true => String::new(),
            false => format!("({})", members.join(", ")),
        };
        match &self.value {
            Some(value) => format!("{members} = {value}"),
            None => members,
        }
    }
}

/// The parts of a name without subscripts, and all its subscripts: `a[2].b[1,3].c` is a.b.c and 2, 1, 3.
fn path_of(name: &str) -> (Vec<String>, Vec<usize>) {
    let (mut parts, mut subscripts) = (vec![String::new()], Vec::new());
    let mut letters = name.chars();
    let mut quoted = false;
    while let Some(c) = letters.next() {
        match c {
            '.' if !quoted => parts.push(String::new()),
            '[' if !quoted => {
                let inside: String = letters.by_ref().take_while(|&c| c != ']').collect();
                subscripts.extend(
                    inside
                        .split(',')
                        .filter_map(|s| s.trim().parse::<usize>().ok()),
                );
            }
            _ => {
                quoted ^= c == '\'';
                parts.last_mut().expect("never empty").push(c);
            }
        }
    }
    (parts, subscripts)
}

/// The array constructor of all elements, those that are not given with the values they have.
fn array_value(
    flat: &mut FlatModel,
    path: &[String],
    given: &[(Vec<usize>, String)],
) -> Result<String, Failure> {
    let is_start = path.last().is_some_and(|l| l == "start");
    let mut elements: BTreeMap<Vec<usize>, String> = BTreeMap::new();
    let all: Vec<VarId> = flat.vars.keys().collect();
    for v in all {
        let var = &flat.vars[v];
        let own = [var.name.as_str(), ".start"].concat();
        let name = if is_start { own } else { var.name.clone() };
        if !name.starts_with(path[0].as_str()) {
            continue;
        }
        let (other, subscripts) = path_of(&name);
        if other != path {
            continue;
        }
        let text = match given.iter().find(|(at, _)| *at == subscripts) {
            Some((_, text)) => text.clone(),
            None => {
                let e = if is_start { var.start } else { var.binding };
                match e.and_then(|e| evaluated(flat, e)) {
                    Some(e) => Literal::of(flat, e).text(flat),
                    None => return Err(refused(&name)),
                }
            }
        };
        elements.insert(subscripts, text);
    }
    nested(&elements.iter().collect::<Vec<_>>(), 0).ok_or_else(|| refused(&path.join(".")))
}

/// Nested constructors of elements in order of their subscripts; `None` if one is missing.
fn nested(elements: &[(&Vec<usize>, &String)], depth: usize) -> Option<String> {
    if let [(subscripts, text)] = elements
        && subscripts.len() == depth
    {
        return Some((*text).clone());
    }
    let mut rows = Vec::new();
    let mut rest = elements;
    for k in 1.. {
        let Some((first, _)) = rest.first() else {
            break;
        };
        if first.get(depth) != Some(&k) {
            return None;
        }
        let end = rest.partition_point(|(s, _)| s.get(depth) == Some(&k));
        rows.push(nested(&rest[..end], depth + 1)?);
        rest = &rest[end..];
    }
    Some(format!("{{{}}}", rows.join(", ")))
}

fn refused(name: &str) -> Failure {
    Failure::model(
        Diagnostic::error(
            "E0709",
            Span::NONE,
            format!("one element of an array shapes the model, and the value of `{name}` beside it is not known before"),
        )
        .with_hint("change the array in the text of the model"),
    )
}

/// The literal that an expression of parameters comes to.
fn evaluated(flat: &mut FlatModel, mut e: ExprId) -> Option<ExprId> {
    for _ in 0..MAX_BINDING_DEPTH {
        if flat.exprs.is_literal(e) {
            return Some(e);
        }
        let vars = &flat.vars;
        let next = flat
            .exprs
            .rewrite(e, &mut FxHashMap::default(), &mut |a, id| match a.get(id) {
                Expr::Var(p) => vars[p].binding,
                _ => None,
            });
        if next == e {
            return None;
        }
        e = next;
    }
    None
}

/// A value that was given.
enum Literal {
    Real(f64),
    Integer(i64),
    Boolean(bool),
    Text(String),
    Enum(ferrica_ir::expr::EnumId, u32),
}

impl Literal {
    fn of(flat: &FlatModel, e: ExprId) -> Literal {
        match flat.exprs.get(e) {
            Expr::Int(v) => Literal::Integer(v),
            Expr::Bool(v) => Literal::Boolean(v),
            Expr::Str(s) => Literal::Text(flat.exprs.string_text(s).to_owned()),
            Expr::Enum(of, k) => Literal::Enum(of, k),
            _ => Literal::Real(flat.exprs.as_f64(e).unwrap_or(f64::NAN)),
        }
    }

    fn intern(&self, flat: &mut FlatModel) -> ExprId {
        match self {
            Literal::Real(v) => flat.exprs.real(*v),
            Literal::Integer(v) => flat.exprs.int(*v),
            Literal::Boolean(v) => flat.exprs.bool(*v),
            Literal::Text(t) => flat.exprs.str(t),
            Literal::Enum(of, k) => flat.exprs.enum_literal(*of, *k),
        }
    }

    /// As a Modelica text.
    fn text(&self, flat: &FlatModel) -> String {
        match self {
            Literal::Real(v) => format!("{v:?}"),
            Literal::Integer(v) => v.to_string(),
            Literal::Boolean(v) => v.to_string(),
            Literal::Text(t) => format!("\"{}\"", t.replace('\\', "\\\\").replace('"', "\\\"")),
            Literal::Enum(of, k) => {
                let kind = &flat.enums[*of];
                let literal = kind.literals.get((*k as usize).wrapping_sub(1));
                format!(".{}.{}", kind.name, literal.map_or("", String::as_str))
            }
        }
    }
}

fn literal(flat: &FlatModel, ty: Ty, p: &Assignment) -> Result<Literal, Failure> {
    let Assignment { name, value } = p;
    let parsed = match ty {
        Ty::Real => (value.parse::<f64>().ok())
            .filter(|v| v.is_finite())
            .map(Literal::Real),
        Ty::Integer => value.parse::<i64>().ok().map(Literal::Integer),
        Ty::Boolean => value.parse::<bool>().ok().map(Literal::Boolean),
        Ty::String => Some(Literal::Text(unquoted(value).to_owned())),
        Ty::Enum(id) => {
            let literal = value.rsplit('.').next().unwrap_or(value);
            let found = flat.enums[id].literals.iter().position(|l| l == literal);
            found.map(|k| Literal::Enum(id, k as u32 + 1))
        }
        _ => None,
    };
    parsed.ok_or_else(|| {
        let wanted = match ty {
            Ty::Real => "a number".to_owned(),
            Ty::Integer => "a whole number".to_owned(),
            Ty::Boolean => "true or false".to_owned(),
            Ty::Enum(id) => format!("one of {}", flat.enums[id].literals.join(", ")),
            _ => return Failure::usage(format!("`{name}` cannot be changed on the command line")),
        };
        let message = format!("-p {name}={value}: `{name}` needs {wanted}");
        Failure::coded("E0732", message, None)
    })
}

/// A text may be written with the quotation marks of Modelica.
fn unquoted(value: &str) -> &str {
    let inside = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    inside.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat() -> FlatModel {
        let mut flat = FlatModel::default();
        let mut add = |name: &str, ty, variability, structural| {
            let mut v = Variable::new(name, ty, variability);
            v.structural = structural;
            flat.vars.push(v)
        };
        add("R1.R", Ty::Real, Variability::Parameter, false);
        add("n", Ty::Integer, Variability::Parameter, true);
        add("on", Ty::Boolean, Variability::Parameter, false);
        add("file", Ty::String, Variability::Parameter, true);
        add("x", Ty::Real, Variability::Continuous, false);
        add("x[2]", Ty::Real, Variability::Continuous, false);
        let sizes = ["a[1].m[1]", "a[1].m[2]", "a[2].m[1]", "a[2].m[2]"]
            .map(|name| add(name, Ty::Integer, Variability::Parameter, true));
        for (k, v) in sizes.into_iter().enumerate() {
            flat.vars[v].binding = Some(flat.exprs.int(k as i64));
        }
        flat
    }

    fn given(name: &str, value: &str) -> Assignment {
        Assignment {
            name: name.into(),
            value: value.into(),
        }
    }

    #[test]
    fn values_are_written_into_the_model() {
        let mut flat = flat();
        for p in [
            given("R1.R", "5e1"),
            given("on", "true"),
            given("x[2].start", "-1"),
        ] {
            assert!(!shapes_the_model(&flat, &Names::new(&flat), &p).unwrap());
            set(&mut flat, &p).unwrap();
        }
        let number = |e: Option<ExprId>| flat.exprs.as_f64(e.unwrap()).unwrap();
        let of = |name: &str| flat.vars.values().find(|v| v.name == name).unwrap();
        assert_eq!(number(of("R1.R").binding), 50.0);
        assert_eq!(number(of("on").binding), 1.0);
        assert_eq!(number(of("x[2]").start), -1.0);
        let n = given("n", "3");
        assert!(shapes_the_model(&flat, &Names::new(&flat), &n).unwrap());
    }

    #[test]
    fn the_wrapper_is_modelica() {
        let list = [
            given("n", "3"),
            given("file", "a \"b\"\\c"),
            given("x.start", "2.5"),
            given("a[2].m[1]", "7"),
        ];
        assert_eq!(
            wrapper("W", "Lib.Drive", &list, &mut flat()).unwrap(),
            "model 'W'\n  extends .Lib.Drive(a(m = {{0, 1}, {7, 3}}), file = \"a \\\"b\\\"\\\\c\", n = 3, \
             x(start = 2.5));\nend 'W';\n"
        );
    }

    #[test]
    fn the_last_value_counts() {
        let list = last_of_each(&[given("a", "1"), given("b", "2"), given("a", "3")]);
        let texts: Vec<String> = list
            .iter()
            .map(|p| format!("{}={}", p.name, p.value))
            .collect();
        assert_eq!(texts, ["a=3", "b=2"]);
    }

    #[test]
    fn wrong_names_and_values_are_usage_errors() {
        let message = |p: Assignment| match set(&mut flat(), &p) {
            Err(Failure::Usage { message, hint, .. }) => (message, hint.unwrap_or_default()),
            other => panic!("{other:?}"),
        };
        assert_eq!(message(given("r1.r", "1")).1, "did you mean `R1.R`?");
        assert_eq!(
            message(given("on", "1")).0,
            "-p on=1: `on` needs true or false"
        );
        assert!(message(given("x", "1")).1.contains("x.start"));
        assert!(message(given("R1.R", "nan")).0.contains("needs a number"));
    }
}
