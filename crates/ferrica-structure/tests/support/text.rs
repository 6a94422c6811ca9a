//! Flat models from a line-oriented text: declarations and equations in Modelica syntax, scalar
//! variables with dotted names. Only what the tests of this crate need; it panics on errors.

use std::collections::HashMap;

use ferrica_ir::elementary;
use ferrica_ir::flat::{
    Component, Equation, FlatModel, Origin, Reinit, StateSelect, Variability, Variable,
};
use ferrica_ir::{BinaryOp, Builtin, ExprId, Span, Ty, VarId};

struct Parser<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    flat: FlatModel,
    names: HashMap<String, VarId>,
    conditions: usize,
}

fn tokenize(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        if c.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        let start = i;
        if c.is_ascii_alphabetic() || c == b'_' {
            while i < bytes.len()
                && (bytes[i].is_ascii_alphanumeric() || matches!(bytes[i], b'_' | b'.'))
            {
                i += 1;
            }
        } else if c.is_ascii_digit() {
            while i < bytes.len()
                && (bytes[i].is_ascii_alphanumeric()
                    || bytes[i] == b'.'
                    || (matches!(bytes[i], b'-' | b'+') && matches!(bytes[i - 1], b'e' | b'E')))
            {
                i += 1;
            }
        } else {
            i += 1;
            if i < bytes.len() && matches!(&text[start..i + 1], "<=" | ">=" | "<>" | "==") {
                i += 1;
            }
        }
        out.push(&text[start..i]);
    }
    out
}

/// Parses `declarations [initial equation …] [equation …]`.
pub fn model(text: &str) -> FlatModel {
    let mut p = Parser {
        tokens: tokenize(text),
        at: 0,
        flat: FlatModel {
            name: "test".into(),
            ..FlatModel::default()
        },
        names: HashMap::new(),
        conditions: 0,
    };
    p.flat.components.push(Component {
        path: String::new(),
        class: "test".into(),
        parent: 0,
        is_connector: false,
        protected: false,
        inline: None,
        description: Default::default(),
        span: Span::NONE,
    });
    p.declarations();
    p.sections();
    p.flat
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn next(&mut self) -> &'a str {
        let t = self.peek();
        self.at += 1;
        t
    }

    fn lookup(&mut self) -> VarId {
        let name = self.next();
        *self
            .names
            .get(name)
            .unwrap_or_else(|| panic!("unknown name {name}"))
    }

    fn eat(&mut self, t: &str) -> bool {
        if self.peek() == t {
            self.at += 1;
            return true;
        }
        false
    }

    fn expect(&mut self, t: &str) {
        assert!(
            self.eat(t),
            "expected {t}, found {} at {}",
            self.peek(),
            self.at
        );
    }

    /// Declarations in two passes, so that bindings may refer to later names.
    fn declarations(&mut self) {
        let start = self.at;
        let mut depth = 0;
        let (mut variability, mut ty, mut fresh) = (Variability::Continuous, Ty::Real, true);
        while !matches!(self.peek(), "equation" | "initial" | "") || depth > 0 {
            let t = self.next();
            match t {
                "(" => depth += 1,
                ")" => depth -= 1,
                ";" => (variability, ty, fresh) = (Variability::Continuous, Ty::Real, true),
                "parameter" => variability = Variability::Parameter,
                "constant" => variability = Variability::Constant,
                "discrete" => variability = Variability::Discrete,
                "Real" | "Boolean" | "Integer" if depth == 0 => {
                    ty = match t {
                        "Real" => Ty::Real,
                        "Boolean" => Ty::Boolean,
                        _ => Ty::Integer,
                    };
                }
                "," if depth == 0 => fresh = true,
                name if depth == 0 && fresh => {
                    let v = if ty != Ty::Real && variability == Variability::Continuous {
                        Variability::Discrete
                    } else {
                        variability
                    };
                    let id = self.flat.vars.push(Variable::new(name, ty, v));
                    self.names.insert(name.to_string(), id);
                    fresh = false;
                }
                _ => {}
            }
        }
        self.at = start;
        while !matches!(self.peek(), "equation" | "initial" | "") {
            while matches!(
                self.peek(),
                "parameter" | "constant" | "discrete" | "Real" | "Boolean" | "Integer"
            ) {
                self.next();
            }
            loop {
                let v = self.lookup();
                if self.eat("(") {
                    self.modifiers(v);
                }
                if self.eat("=") {
                    let e = self.expression();
                    if self.flat.vars[v].variability <= Variability::Parameter {
                        self.flat.vars[v].binding = Some(e);
                    } else {
                        let ty = self.flat.vars[v].ty;
                        let lhs = self.flat.exprs.var(v, ty);
                        self.push(lhs, e, Origin::Binding);
                    }
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";");
        }
    }

    fn modifiers(&mut self, v: VarId) {
        loop {
            let name = self.next();
            self.expect("=");
            if name == "stateSelect" {
                self.flat.vars[v].state_select = match self.next() {
                    "never" => StateSelect::Never,
                    "avoid" => StateSelect::Avoid,
                    "prefer" => StateSelect::Prefer,
                    "always" => StateSelect::Always,
                    _ => StateSelect::Default,
                };
            } else {
                let e = Some(self.expression());
                let var = &mut self.flat.vars[v];
                match name {
                    "start" => var.start = e,
                    "fixed" => var.fixed = e,
                    "nominal" => var.nominal = e,
                    other => panic!("attribute {other}"),
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")");
    }

    fn push(&mut self, lhs: ExprId, rhs: ExprId, origin: Origin) {
        self.flat.equations.push(Equation {
            lhs,
            rhs,
            span: Span::NONE,
            component: 0,
            origin,
        });
    }

    fn sections(&mut self) {
        let mut initial = false;
        while self.at < self.tokens.len() {
            if self.eat("initial") {
                self.expect("equation");
                initial = true;
            } else if self.eat("equation") {
                initial = false;
            } else if self.eat("when") {
                self.when();
            } else {
                let lhs = self.expression();
                self.expect("=");
                let rhs = self.expression();
                self.expect(";");
                if initial {
                    self.flat.initial_equations.push(Equation {
                        lhs,
                        rhs,
                        span: Span::NONE,
                        component: 0,
                        origin: Origin::Equation,
                    });
                } else {
                    self.push(lhs, rhs, Origin::Equation);
                }
            }
        }
    }

    /// `when c then v = e; reinit(x, e); end when;`
    fn when(&mut self) {
        let first = self.at;
        let condition = self.expression();
        let names_initial = self.tokens[first..self.at].contains(&"initial");
        self.expect("then");
        self.conditions += 1;
        let b = self.flat.vars.push(Variable::new(
            format!("$when{}", self.conditions),
            Ty::Boolean,
            Variability::Discrete,
        ));
        self.flat.vars[b].hidden = true;
        let b = self.flat.exprs.var(b, Ty::Boolean);
        self.push(b, condition, Origin::When);
        let i = self.flat.exprs.bool(names_initial);
        let fires = self.flat.exprs.builtin(Builtin::WhenFires, &[b, i]);
        while !self.eat("end") {
            if self.eat("reinit") {
                self.expect("(");
                let state = self.lookup();
                self.expect(",");
                let value = self.expression();
                self.expect(")");
                self.flat.reinits.push(Reinit {
                    condition: fires,
                    state,
                    value,
                    span: Span::NONE,
                    component: 0,
                });
            } else {
                let v = self.lookup();
                self.flat.vars[v].variability = Variability::Discrete;
                self.expect("=");
                let e = self.expression();
                let ty = self.flat.vars[v].ty;
                let (lhs, pre) = (self.flat.exprs.var(v, ty), self.flat.exprs.pre(v, ty));
                let rhs = self.flat.exprs.if_then_else(fires, e, pre);
                self.push(lhs, rhs, Origin::When);
            }
            self.expect(";");
        }
        self.expect("when");
        self.expect(";");
    }

    fn expression(&mut self) -> ExprId {
        if self.eat("if") {
            let c = self.expression();
            self.expect("then");
            let a = self.expression();
            self.expect("else");
            let b = self.expression();
            return self.flat.exprs.if_then_else(c, a, b);
        }
        self.binary(0)
    }

    fn binary(&mut self, level: usize) -> ExprId {
        const LEVELS: [&[(&str, BinaryOp)]; 6] = [
            &[("or", BinaryOp::Or)],
            &[("and", BinaryOp::And)],
            &[
                ("<", BinaryOp::Lt),
                ("<=", BinaryOp::Le),
                (">", BinaryOp::Gt),
                (">=", BinaryOp::Ge),
                ("==", BinaryOp::Eq),
                ("<>", BinaryOp::Ne),
            ],
            &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
            &[("*", BinaryOp::Mul), ("/", BinaryOp::Div)],
            &[("^", BinaryOp::Pow)],
        ];
        if level == LEVELS.len() {
            return self.primary();
        }
        let minus = level == 3 && self.eat("-");
        let mut a = self.binary(level + 1);
        if minus {
            a = self.flat.exprs.neg(a);
        }
        while let Some(&(_, op)) = LEVELS[level].iter().find(|(t, _)| *t == self.peek()) {
            self.next();
            let b = self.binary(level + 1);
            a = self.flat.exprs.binary(op, a, b);
        }
        a
    }

    fn primary(&mut self) -> ExprId {
        let t = self.next();
        match t {
            "(" => {
                let e = self.expression();
                self.expect(")");
                return e;
            }
            "true" | "false" => return self.flat.exprs.bool(t == "true"),
            "time" => return self.flat.exprs.time(),
            "not" => {
                let e = self.primary();
                return self.flat.exprs.not(e);
            }
            _ => {}
        }
        if t.as_bytes()[0].is_ascii_digit() {
            return match t.parse::<i64>() {
                Ok(i) => self.flat.exprs.real(i as f64),
                Err(_) => self.flat.exprs.real(t.parse().unwrap()),
            };
        }
        if self.peek() == "(" {
            self.next();
            if matches!(t, "der" | "pre") {
                let v = self.lookup();
                self.expect(")");
                let ty = self.flat.vars[v].ty;
                return if t == "der" {
                    self.flat.exprs.der(v)
                } else {
                    self.flat.exprs.pre(v, ty)
                };
            }
            let mut args = Vec::new();
            while !self.eat(")") {
                args.push(self.expression());
                self.eat(",");
            }
            let f = match t {
                "noEvent" => Builtin::NoEvent,
                "semiLinear" => Builtin::SemiLinear,
                "homotopy" => Builtin::Homotopy,
                "sample" => Builtin::Sample,
                "delay" => Builtin::Delay,
                "edge" => Builtin::Edge,
                "initial" => Builtin::Initial,
                other => match elementary::named(other) {
                    Some(row) => row.builtin,
                    None => panic!("function {other}"),
                },
            };
            return self.flat.exprs.builtin(f, &args);
        }
        let v = *self
            .names
            .get(t)
            .unwrap_or_else(|| panic!("unknown name {t}"));
        let ty = self.flat.vars[v].ty;
        self.flat.exprs.var(v, ty)
    }
}
