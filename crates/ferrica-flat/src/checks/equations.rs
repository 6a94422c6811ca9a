//! Statements and equations that stand where they must not (chapters 8, 11 and 12).

use ferrica_ir::flat::Variability;
use ferrica_ir::{Diagnostic, Expr, ExprId, Span, Symbol, Ty};
use ferrica_syntax::ast::{self, StatementKind};
use rustc_hash::FxHashSet;

use crate::eval::Env;
use crate::flattener::{Flattener, R};
use crate::instance::Content;

/// What surrounds a statement.
#[derive(Clone, Copy, Default)]
struct Place<'b> {
    function: bool,
    in_loop: bool,
    in_when: bool,
    /// A function, statement or section in which a when-statement cannot stand.
    no_when: Option<&'static str>,
    /// The innermost loop variables, and those around them.
    variables: Option<&'b LoopVariables<'b>>,
}

struct LoopVariables<'b> {
    own: &'b [ast::ForIterator],
    around: Option<&'b LoopVariables<'b>>,
}

impl LoopVariables<'_> {
    fn contains(&self, name: Symbol) -> bool {
        self.own.iter().any(|i| i.name == name) || self.around.is_some_and(|a| a.contains(name))
    }
}

impl<'a> Flattener<'a> {
    pub(crate) fn check_statements(&mut self, def: &ast::ClassDef, body: &ast::LongBody) {
        let place = Place {
            function: def.kind.is_function(),
            no_when: def.kind.is_function().then_some("a function"),
            ..Place::default()
        };
        for section in &body.algorithms {
            self.check_block(&section.statements, place);
        }
        let initial = Place {
            no_when: Some("an initial algorithm"),
            ..place
        };
        for section in &body.initial_algorithms {
            self.check_block(&section.statements, initial);
        }
        self.check_equation_list(&body.equations);
        self.check_no_when(&body.initial_equations);
        if place.function {
            let inputs: FxHashSet<Symbol> = body
                .elements
                .iter()
                .filter_map(|e| match &e.kind {
                    ast::ElementKind::Component(c)
                        if c.prefixes.causality == Some(ast::Causality::Input) =>
                    {
                        Some(c.name)
                    }
                    _ => None,
                })
                .collect();
            for section in &body.algorithms {
                self.check_assigned_inputs(&section.statements, &inputs);
            }
        }
    }

    fn check_block(&mut self, list: &[ast::Statement], place: Place<'_>) {
        for s in list {
            if let StatementKind::Assign(_, value) | StatementKind::TupleAssign(_, value) = &s.kind
            {
                self.check_no_tuple(value);
            }
            self.check_loop_variables(s, place);
            match &s.kind {
                StatementKind::Break if !place.in_loop => self.violation(
                    "E0361",
                    s.span,
                    "`break` stands outside of a loop",
                    "it leaves the innermost for- or while-loop; remove it here",
                ),
                StatementKind::Return if !place.function => self.violation(
                    "E0362",
                    s.span,
                    "`return` stands outside of a function",
                    "use if-statements to skip the rest of the section",
                ),
                StatementKind::Call(call) if !place.in_when => self.check_no_reinit(call),
                StatementKind::When(branches) => {
                    if place.in_when {
                        self.violation(
                            "E0363",
                            s.span,
                            "a when-statement stands inside another one",
                            "combine the conditions, or use `elsewhen`",
                        );
                    } else if let Some(what) = place.no_when {
                        self.violation(
                            "E0369",
                            s.span,
                            format!(
                                "a when-statement stands inside of {what}, where it never acts"
                            ),
                            "write the when-statement outside, with `if` or `for` inside of it",
                        );
                    }
                    let inner = Place {
                        in_when: true,
                        ..place
                    };
                    for b in branches {
                        self.check_block(&b.statements, inner);
                    }
                }
                StatementKind::If(i) => {
                    let inner = Place {
                        no_when: place.no_when.or(Some("an if-statement")),
                        ..place
                    };
                    for b in &i.branches {
                        self.check_block(&b.statements, inner);
                    }
                    self.check_block(&i.else_statements, inner);
                }
                StatementKind::For(f) => {
                    let variables = LoopVariables {
                        own: &f.iterators,
                        around: place.variables,
                    };
                    let inner = Place {
                        in_loop: true,
                        no_when: place.no_when.or(Some("a for-loop")),
                        variables: Some(&variables),
                        ..place
                    };
                    self.check_block(&f.statements, inner);
                }
                StatementKind::While(w) => {
                    let inner = Place {
                        in_loop: true,
                        no_when: place.no_when.or(Some("a while-loop")),
                        ..place
                    };
                    self.check_block(&w.statements, inner);
                }
                _ => {}
            }
        }
    }

    /// A loop variable has its value from the loop.
    fn check_loop_variables(&mut self, s: &ast::Statement, place: Place<'_>) {
        let targets: Vec<&ast::ComponentRef> = match &s.kind {
            StatementKind::Assign(r, _) => vec![r],
            StatementKind::TupleAssign(list, _) => list.iter().flatten().collect(),
            _ => return,
        };
        for r in targets {
            let Some(name) = r.as_ident() else { continue };
            if place.variables.is_some_and(|v| v.contains(name)) {
                self.violation(
                    "E0370",
                    s.span,
                    format!("`{name}` is the variable of a loop and cannot be assigned"),
                    "assign another variable, or use a while-loop",
                );
            }
        }
    }

    fn check_equation_list(&mut self, list: &[ast::Equation]) {
        for e in list {
            match &e.kind {
                ast::EquationKind::Eq(_, value) => self.check_no_tuple(value),
                ast::EquationKind::If(i) => {
                    for b in &i.branches {
                        self.check_equation_list(&b.equations);
                    }
                    self.check_equation_list(&i.else_equations);
                }
                ast::EquationKind::For(f) => self.check_equation_list(&f.equations),
                ast::EquationKind::When(branches) => self.check_elsewhen(branches),
                ast::EquationKind::Call(call) => self.check_no_reinit(call),
                _ => {}
            }
        }
    }

    /// `reinit` acts at the events of a when-clause only.
    fn check_no_reinit(&mut self, call: &ast::Expr) {
        if let ast::ExprKind::Call(c) = &call.kind
            && c.function
                .as_ident()
                .is_some_and(|n| n.as_str() == "reinit")
        {
            self.violation(
                "E0344",
                call.span,
                "`reinit` may only be used in a when-clause",
                "write `when condition then reinit(x, value); end when;`",
            );
        }
    }

    /// An initial equation has no when-equation inside.
    fn check_no_when(&mut self, list: &[ast::Equation]) {
        for e in list {
            match &e.kind {
                ast::EquationKind::If(i) => {
                    for b in &i.branches {
                        self.check_no_when(&b.equations);
                    }
                    self.check_no_when(&i.else_equations);
                }
                ast::EquationKind::For(f) => self.check_no_when(&f.equations),
                ast::EquationKind::When(_) => self.violation(
                    "E0369",
                    e.span,
                    "a when-equation stands inside of an initial equation section, where it never acts",
                    "write the initial equations without `when`, or move it to an equation section",
                ),
                _ => {}
            }
        }
    }

    /// All branches of a when-equation determine the same variables.
    fn check_elsewhen(&mut self, branches: &[ast::EquationBranch]) {
        let sets: Vec<_> = branches.iter().map(|b| determined(&b.equations)).collect();
        let Some((Some(first), rest)) = sets.split_first() else {
            return;
        };
        for (set, b) in rest.iter().zip(&branches[1..]) {
            let Some(set) = set else { continue };
            if let Some(name) = first.symmetric_difference(set).min() {
                self.violation(
                    "E0371",
                    b.condition.span,
                    format!("`{name}` is determined in one branch of the when-equation, but not in another"),
                    format!("add `{name} = pre({name})` where it is missing, or use a when-equation for each variable"),
                );
            }
        }
    }

    /// `(a, b)` is no value.
    /// A value, or an operand of it, is no list in parentheses.
    pub(crate) fn check_no_tuple(&mut self, e: &ast::Expr) {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            match &e.kind {
                ast::ExprKind::Tuple(items) if items.len() != 1 => self.violation(
                    "E0331",
                    e.span,
                    "a list in parentheses is no value",
                    "write an array as `{a, b}`; `(a, b)` stands left of a call with several results only",
                ),
                ast::ExprKind::Unary(_, a) => stack.push(a),
                ast::ExprKind::Binary(_, pair) => stack.extend([&pair.1, &pair.0]),
                _ => {}
            }
        }
    }

    fn check_assigned_inputs(&mut self, list: &[ast::Statement], inputs: &FxHashSet<Symbol>) {
        for s in list {
            let mut targets: Vec<&ast::ComponentRef> = Vec::new();
            match &s.kind {
                StatementKind::Assign(r, _) => targets.push(r),
                StatementKind::TupleAssign(list, _) => targets.extend(list.iter().flatten()),
                StatementKind::If(i) => {
                    for b in &i.branches {
                        self.check_assigned_inputs(&b.statements, inputs);
                    }
                    self.check_assigned_inputs(&i.else_statements, inputs);
                }
                StatementKind::For(f) => self.check_assigned_inputs(&f.statements, inputs),
                StatementKind::While(w) => self.check_assigned_inputs(&w.statements, inputs),
                _ => {}
            }
            for r in targets {
                if !r.global && inputs.contains(&r.parts[0].name) {
                    self.violation(
                        "E0364",
                        s.span,
                        format!(
                            "`{}` is an input of the function and cannot be assigned",
                            r.parts[0].name
                        ),
                        "copy it to a protected variable first",
                    );
                }
            }
        }
    }

    /// A condition is Boolean.
    pub(crate) fn check_boolean(&self, condition: ExprId, span: Span) -> R<()> {
        let ty = self.flat.exprs.ty(condition);
        if ty == Ty::Boolean {
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(
                "E0365",
                span,
                format!(
                    "a condition must be Boolean, but this is {}",
                    self.type_text(ty)
                ),
            )
            .with_hint("compare it with a value"),
        ))
    }

    /// Only Real variables that vary continuously (and constants) have a derivative.
    pub(crate) fn check_derivative(&mut self, e: &ast::Expr, env: &Env, span: Span) -> R<()> {
        let ast::ExprKind::Ref(r) = &e.kind else {
            return Ok(());
        };
        if env.has_local(r.parts[0].name) {
            return Ok(());
        }
        let Some(c) = self.component_of(r, env.scope) else {
            return Ok(());
        };
        let Some(c) = self.tree.component(c) else {
            return Ok(());
        };
        let discrete = c.decl.prefixes.variability == Some(ast::Variability::Discrete);
        let real = !matches!(c.content, Content::Scalar(ty) if ty != Ty::Real);
        if real && !discrete {
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(
                "E0368",
                span,
                format!("`{r}` is not a continuous Real variable and has no derivative"),
            )
            .with_hint("declare it as Real without `discrete`"),
        ))
    }

    /// A literal argument outside of the domain of a function.
    pub(crate) fn check_domain(&mut self, name: &str, args: &[ast::Expr], span: Span) {
        let Some(x) = args.first().and_then(literal) else {
            return;
        };
        let outside = match name {
            "acos" | "asin" => x.abs() > 1.0,
            "log" | "log10" => x <= 0.0,
            "sqrt" => x < 0.0,
            _ => false,
        };
        if outside {
            self.violation(
                "E0366",
                span,
                format!("`{name}` is not defined at {x}"),
                "change the argument",
            );
        }
    }

    /// An argument that must not change during the simulation.
    pub(crate) fn check_fixed_argument(&mut self, e: ExprId, what: &str, span: Span) {
        let mut varies = false;
        self.flat.exprs.postorder(&[e], |id| {
            varies |= match self.flat.exprs.get(id) {
                Expr::Var(v) => self.flat.vars[v].variability > Variability::Parameter,
                Expr::Time => true,
                _ => false,
            };
        });
        if varies {
            self.violation(
                "E0367",
                span,
                format!("{what} must be a parameter expression, but it changes with time"),
                "use a constant or a parameter",
            );
        }
    }

    /// The range of a for-equation does not change with time.
    pub(crate) fn check_range(&mut self, range: &ast::Expr, env: &Env) {
        let mut refs = Vec::new();
        super::components::collect_refs(range, &mut refs);
        for r in refs {
            if env.has_local(r.parts[0].name) {
                continue;
            }
            let Some(e) = self.component_of(r, env.scope) else {
                continue;
            };
            let varies = self.tree.component(e).is_some_and(|c| {
                matches!(c.content, Content::Scalar(_)) && c.variability > Variability::Parameter
            });
            if varies {
                let text = r.to_string();
                self.violation(
                    "E0367",
                    range.span,
                    format!(
                        "the range of a for-equation depends on `{text}`, which changes with time"
                    ),
                    "use constants and parameters in the range",
                );
            }
        }
    }
}

/// The variables that equations of a when-clause determine, as written; none where that depends on loops.
fn determined(list: &[ast::Equation]) -> Option<FxHashSet<String>> {
    let mut out = FxHashSet::default();
    for e in list {
        match &e.kind {
            ast::EquationKind::Eq(left, _) => match &left.kind {
                ast::ExprKind::Ref(r) => {
                    out.insert(r.to_string());
                }
                ast::ExprKind::Tuple(items) => {
                    for item in items.iter().flatten() {
                        match &item.kind {
                            ast::ExprKind::Ref(r) => out.insert(r.to_string()),
                            _ => return None,
                        };
                    }
                }
                _ => return None,
            },
            ast::EquationKind::If(i) => {
                for b in &i.branches {
                    out.extend(determined(&b.equations)?);
                }
                out.extend(determined(&i.else_equations)?);
            }
            ast::EquationKind::For(_) => return None,
            _ => {}
        }
    }
    Some(out)
}

/// The value of a number written as it is.
fn literal(e: &ast::Expr) -> Option<f64> {
    match &e.kind {
        ast::ExprKind::Int(i) => Some(*i as f64),
        ast::ExprKind::Real(x) => Some(*x),
        ast::ExprKind::Unary(ast::UnaryOp::Neg, a) => literal(a).map(|x| -x),
        _ => None,
    }
}
