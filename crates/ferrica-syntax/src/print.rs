//! Expressions and modifiers as Modelica text.
//!
//! In: tree nodes. Out: text that parses to the same tree, with parentheses only where the grammar
//! needs them. Layout and comments of the original are not in the tree; [`Parsed::print`] has
//! them.
//!
//! [`Parsed::print`]: crate::Parsed::print

use std::fmt::{Display, Formatter, Result, Write};

use crate::ast::*;

/// The level of an operator, as in the grammar: a tighter operator has a higher level.
fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::If(_) | ExprKind::Range(_) => 0,
        ExprKind::Binary(op, _) => binary_level(*op),
        ExprKind::Unary(UnaryOp::Not, _) => 3,
        ExprKind::Unary(..) => 5,
        ExprKind::Int(value) if *value < 0 => 5,
        ExprKind::Real(value) if value.is_sign_negative() => 5,
        _ => 8,
    }
}

fn binary_level(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Or => 1,
        And => 2,
        Lt | Le | Gt | Ge | Eq | Ne => 4,
        Add | Sub | ElementwiseAdd | ElementwiseSub => 5,
        Mul | Div | ElementwiseMul | ElementwiseDiv => 6,
        Pow | ElementwisePow => 7,
    }
}

/// Writes `expr`, in parentheses if its operator is looser than `lowest`.
fn expression(f: &mut Formatter<'_>, expr: &Expr, lowest: u8) -> Result {
    if level(&expr.kind) < lowest {
        f.write_char('(')?;
        bare(f, expr)?;
        return f.write_char(')');
    }
    bare(f, expr)
}

fn bare(f: &mut Formatter<'_>, expr: &Expr) -> Result {
    match &expr.kind {
        ExprKind::Int(value) => write!(f, "{value}"),
        ExprKind::Real(value) => write!(f, "{value:?}"),
        ExprKind::Str(text) => string(f, text),
        ExprKind::Bool(value) => write!(f, "{value}"),
        ExprKind::Ref(reference) => reference.fmt(f),
        ExprKind::Call(call) => call.fmt(f),
        ExprKind::FunctionPartial(call) => write!(f, "function {call}"),
        ExprKind::Unary(op, operand) => {
            f.write_str(op.symbol())?;
            if *op == UnaryOp::Not {
                f.write_char(' ')?;
            }
            expression(f, operand, if *op == UnaryOp::Not { 4 } else { 6 })
        }
        ExprKind::Binary(op, operands) => {
            let own = binary_level(*op);
            // Relations and powers do not chain.
            let left = if matches!(own, 4 | 7) { own + 1 } else { own };
            expression(f, &operands.0, left)?;
            match own {
                7 => f.write_str(op.symbol())?,
                _ => write!(f, " {} ", op.symbol())?,
            }
            expression(f, &operands.1, own + 1)
        }
        ExprKind::If(branches) => {
            let mut word = "if";
            for (condition, value) in &branches.branches {
                write!(f, "{word} ")?;
                expression(f, condition, 0)?;
                f.write_str(" then ")?;
                expression(f, value, 0)?;
                word = " elseif";
            }
            f.write_str(" else ")?;
            // Without parentheses the branches would join these; that is the same value.
            expression(f, &branches.otherwise, 0)
        }
        ExprKind::Range(range) => {
            expression(f, &range.start, 1)?;
            f.write_char(':')?;
            if let Some(step) = &range.step {
                expression(f, step, 1)?;
                f.write_char(':')?;
            }
            expression(f, &range.stop, 1)
        }
        ExprKind::Array(elements) => {
            f.write_char('{')?;
            list(f, elements)?;
            f.write_char('}')
        }
        ExprKind::ArrayComprehension(comprehension) => {
            f.write_char('{')?;
            expression(f, &comprehension.element, 0)?;
            iterators(f, &comprehension.iterators)?;
            f.write_char('}')
        }
        ExprKind::Matrix(rows) => {
            f.write_char('[')?;
            for (i, row) in rows.iter().enumerate() {
                f.write_str(if i > 0 { "; " } else { "" })?;
                list(f, row)?;
            }
            f.write_char(']')
        }
        ExprKind::Tuple(items) => {
            f.write_char('(')?;
            for (i, item) in items.iter().enumerate() {
                f.write_str(if i > 0 { ", " } else { "" })?;
                if let Some(item) = item {
                    expression(f, item, 0)?;
                }
            }
            f.write_char(')')
        }
        ExprKind::Index(indexed) => {
            f.write_char('(')?;
            expression(f, &indexed.0, 0)?;
            f.write_char(')')?;
            subscripts(f, &indexed.1)
        }
        ExprKind::Field(record, field) => {
            f.write_char('(')?;
            expression(f, record, 0)?;
            write!(f, ").{field}")
        }
        ExprKind::End => f.write_str("end"),
    }
}

fn list(f: &mut Formatter<'_>, items: &[Expr]) -> Result {
    for (i, item) in items.iter().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        expression(f, item, 0)?;
    }
    Ok(())
}

fn iterators(f: &mut Formatter<'_>, iterators: &[ForIterator]) -> Result {
    for (i, iterator) in iterators.iter().enumerate() {
        f.write_str(if i == 0 { " for " } else { ", " })?;
        iterator.fmt(f)?;
    }
    Ok(())
}

pub(crate) fn subscripts(f: &mut Formatter<'_>, subscripts: &[Subscript]) -> Result {
    if subscripts.is_empty() {
        return Ok(());
    }
    f.write_char('[')?;
    for (i, subscript) in subscripts.iter().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        subscript.fmt(f)?;
    }
    f.write_char(']')
}

/// A string literal with its quotes.
pub(crate) fn string(f: &mut Formatter<'_>, text: &str) -> Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        expression(f, self, 0)
    }
}

impl Display for Subscript {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Subscript::Expr(e) => e.fmt(f),
            Subscript::Colon(_) => f.write_char(':'),
        }
    }
}

impl Display for ComponentRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (i, part) in self.parts.iter().enumerate() {
            f.write_str(if i > 0 || self.global { "." } else { "" })?;
            part.name.fmt(f)?;
            subscripts(f, &part.subscripts)?;
        }
        Ok(())
    }
}

impl Display for ForIterator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.name.fmt(f)?;
        match &self.range {
            Some(range) => write!(f, " in {range}"),
            None => Ok(()),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}(", self.function)?;
        list(f, &self.args.positional)?;
        for (i, arg) in self.args.named.iter().enumerate() {
            let first = i == 0 && self.args.positional.is_empty();
            write!(
                f,
                "{}{} = {}",
                if first { "" } else { ", " },
                arg.name,
                arg.value
            )?;
        }
        iterators(f, &self.args.iterators)?;
        f.write_char(')')
    }
}

impl Display for Modification {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if !self.args.is_empty() {
            arguments(f, &self.args)?;
        }
        let sign = if self.assigned { ":=" } else { "=" };
        match &self.value {
            Some(value) => write!(f, " {sign} {value}"),
            None if self.is_break => write!(f, " {sign} break"),
            None => Ok(()),
        }
    }
}

pub(crate) fn arguments(f: &mut Formatter<'_>, args: &[Argument]) -> Result {
    f.write_char('(')?;
    for (i, arg) in args.iter().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        arg.fmt(f)?;
    }
    f.write_char(')')
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Argument::Modifier(modifier) => modifier.fmt(f),
            Argument::RedeclareClass(r) | Argument::RedeclareComponent(r) => {
                let prefixes = &r.element.prefixes;
                let words = [
                    (prefixes.redeclare, "redeclare "),
                    (r.each, "each "),
                    (prefixes.is_final, "final "),
                    (prefixes.replaceable, "replaceable "),
                ];
                for (present, word) in words {
                    f.write_str(if present { word } else { "" })?;
                }
                match &r.element.kind {
                    ElementKind::Class(class) => write!(f, "{}", class.header())?,
                    ElementKind::Component(component) => component.fmt(f)?,
                    ElementKind::Import(_) | ElementKind::Extends(_) => {}
                }
                if let Some(text) = &r.element.comment.text {
                    f.write_char(' ')?;
                    string(f, text)?;
                }
                match r.element.constraint() {
                    Some(constraint) => write!(f, " {constraint}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Display for Modifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(if self.each { "each " } else { "" })?;
        f.write_str(if self.is_final { "final " } else { "" })?;
        for (i, part) in self.path.iter().enumerate() {
            f.write_str(if i > 0 { "." } else { "" })?;
            part.fmt(f)?;
        }
        if let Some(modification) = &self.modification {
            modification.fmt(f)?;
        }
        if let Some(comment) = &self.comment {
            f.write_char(' ')?;
            string(f, comment)?;
        }
        Ok(())
    }
}

impl Display for ConstrainedBy {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "constrainedby {}", self.name)?;
        match &self.modification {
            Some(modification) => modification.fmt(f),
            None => Ok(()),
        }
    }
}

impl Display for TypePrefixes {
    /// Each word with a space behind it.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self.flow {
            Some(FlowPrefix::Flow) => "flow ",
            Some(FlowPrefix::Stream) => "stream ",
            None => "",
        })?;
        f.write_str(match self.variability {
            Some(Variability::Constant) => "constant ",
            Some(Variability::Parameter) => "parameter ",
            Some(Variability::Discrete) => "discrete ",
            None => "",
        })?;
        f.write_str(match self.causality {
            Some(Causality::Input) => "input ",
            Some(Causality::Output) => "output ",
            None => "",
        })
    }
}

impl Display for Component {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}{}", self.prefixes, self.type_name)?;
        subscripts(f, &self.type_subscripts)?;
        write!(f, " {}", self.name)?;
        subscripts(f, &self.subscripts)?;
        if let Some(modification) = &self.modification {
            modification.fmt(f)?;
        }
        match &self.condition {
            Some(condition) => write!(f, " if {condition}"),
            None => Ok(()),
        }
    }
}

/// The first line of a class; the whole of it when it is short.
pub struct ClassHeader<'a>(&'a ClassDef);

impl ClassDef {
    /// Kind, name and, for a short class, what it is equal to.
    pub fn header(&self) -> ClassHeader<'_> {
        ClassHeader(self)
    }
}

impl Display for ClassHeader<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let class = self.0;
        f.write_str(if class.encapsulated {
            "encapsulated "
        } else {
            ""
        })?;
        f.write_str(if class.partial { "partial " } else { "" })?;
        f.write_str(match class.purity {
            Some(Purity::Pure) => "pure ",
            Some(Purity::Impure) => "impure ",
            None => "",
        })?;
        write!(f, "{} ", class.kind.keywords())?;
        match &class.body {
            ClassBody::Long(body) => match &body.class_extends {
                Some(modification) => write!(f, "extends {}{modification}", class.name)?,
                None => class.name.fmt(f)?,
            },
            ClassBody::Short(short) => {
                write!(f, "{} = {}{}", class.name, short.prefixes, short.base)?;
                subscripts(f, &short.subscripts)?;
                if let Some(modification) = &short.modification {
                    modification.fmt(f)?;
                }
            }
            ClassBody::Enumeration(literals) => {
                write!(f, "{} = enumeration(", class.name)?;
                for (i, literal) in literals.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { ", " } else { "" }, literal.name)?;
                    if let Some(text) = &literal.comment.text {
                        f.write_char(' ')?;
                        string(f, text)?;
                    }
                }
                f.write_char(')')?;
            }
            ClassBody::UnspecifiedEnumeration => write!(f, "{} = enumeration(:)", class.name)?,
            ClassBody::Der(der) => {
                write!(f, "{} = der({}", class.name, der.function)?;
                for variable in &der.variables {
                    write!(f, ", {variable}")?;
                }
                f.write_char(')')?;
            }
        }
        if let Some(comment) = &class.comment {
            f.write_char(' ')?;
            string(f, comment)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ferrica_ir::FileId;

    use crate::ast::*;
    use crate::parse_tree;

    fn value(text: &str) -> Expr {
        let (ast, errors) = parse_tree(FileId(0), &format!("model M T x = {text}; end M;"));
        assert!(errors.is_empty(), "{text}: {errors:?}");
        let ElementKind::Component(c) = &ast.classes[0].elements()[0].kind else {
            panic!()
        };
        c.modification.clone().unwrap().value.unwrap()
    }

    /// The printed text is the expected one, and printing its tree gives the same again.
    #[test]
    fn parentheses_only_where_needed() {
        for (text, printed) in [
            ("(a + b) + c", "a + b + c"),
            ("a + (b + c)", "a + (b + c)"),
            ("a - (b - c)*d", "a - (b - c) * d"),
            ("-(a)^2", "-a^2"),
            ("(-a)^2", "(-a)^2"),
            ("(-a)*b", "(-a) * b"),
            ("-a*b + c", "-a * b + c"),
            ("(a^b)^c", "(a^b)^c"),
            ("not (a and b) or c", "not (a and b) or c"),
            ("(a < b) == c", "(a < b) == c"),
            ("1:n + 1", "1:n + 1"),
            ("(1:2):3", "(1:2):3"),
            (
                "if a then 1 else if b then 2 else 3",
                "if a then 1 elseif b then 2 else 3",
            ),
            ("1 + (if a then 1 else 2)", "1 + (if a then 1 else 2)"),
            ("{i^2 for i in 1:3, j}", "{i^2 for i in 1:3, j}"),
            ("[1, 2; 3, 4.]", "[1, 2; 3, 4.0]"),
            (
                "f(function g(a = 1), b = x[end, :].y)",
                "f(function g(a = 1), b = x[end, :].y)",
            ),
            ("(a * b)[1] + (r).x", "(a * b)[1] + (r).x"),
            (".A.f(\"q\\\"\")", ".A.f(\"q\\\"\")"),
            ("1e-7 .* 99999999999999999999", "1e-7 .* 1e20"),
            ("sum(i for i in 1:2)", "sum(i for i in 1:2)"),
        ] {
            let once = value(text).to_string();
            assert_eq!(once, printed);
            assert_eq!(value(&once).to_string(), printed);
        }
    }
}
