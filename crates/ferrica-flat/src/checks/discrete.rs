//! What changes at events only, and what has no value, in the flat model (sections 3.7.5, 4.5 and 8.3.6).

use ferrica_ir::flat::{Equation, Origin, Variability};
use ferrica_ir::{BinaryOp, Diagnostic, Expr, Span, Ty, VarId};
use rustc_hash::FxHashSet;

use crate::flattener::Flattener;

impl Flattener<'_> {
    pub(crate) fn check_discrete(&mut self) {
        let differentiated = self.differentiated();
        let assigned = self.assigned();
        let mut found = Vec::new();
        let x = &self.flat.exprs;
        let left_limits = x.ids().any(|id| matches!(x.get(id), Expr::Pre(_)));
        for e in &self.flat.equations {
            if e.origin == Origin::When {
                found.extend(self.state_of_a_when_clause(e, &differentiated));
            }
            let written = matches!(e.origin, Origin::Equation | Origin::Binding);
            if left_limits && (written || e.origin == Origin::Generated) {
                found.extend(self.left_limit_of_a_state(e, &differentiated));
            }
            if !written {
                continue;
            }
            if left_limits {
                found.extend(self.continuous_left_limit(e));
            }
            found.extend(self.continuous_discrete(e, &differentiated, &assigned));
        }
        found.extend(self.values_that_are_no_numbers());
        for d in found {
            self.report(Box::new(d));
        }
        self.check_equalities(&differentiated);
    }

    /// Variables whose derivative is in an equation.
    fn differentiated(&self) -> FxHashSet<VarId> {
        let roots = self.flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]);
        let mut out = FxHashSet::default();
        self.flat.exprs.sweep(roots, |id| {
            if let Expr::Der(v) = self.flat.exprs.get(id) {
                out.insert(v);
            }
        });
        out
    }

    /// What a when-clause determines keeps its value between events: it has no derivative.
    fn state_of_a_when_clause(
        &self,
        e: &Equation,
        differentiated: &FxHashSet<VarId>,
    ) -> Option<Diagnostic> {
        let Expr::Var(v) = self.flat.exprs.get(e.lhs) else {
            return None;
        };
        let name = &self.flat.vars[v].name;
        let d = Diagnostic::error(
            "E0368",
            e.span,
            format!("`{name}` has a derivative, but a when-clause determines it"),
        );
        let hint =
            format!("write `reinit({name}, value)` to give the state another value at an event");
        differentiated.contains(&v).then(|| d.with_hint(hint))
    }

    /// Variables that when-clauses and algorithms determine.
    fn assigned(&self) -> FxHashSet<VarId> {
        let of = |e: &Equation| match self.flat.exprs.get(e.lhs) {
            Expr::Var(v) if matches!(e.origin, Origin::When | Origin::Algorithm) => Some(v),
            _ => None,
        };
        self.flat.equations.iter().filter_map(of).collect()
    }

    /// Outside of when-clauses only what keeps its value between events has a value before the event.
    fn continuous_left_limit(&self, e: &Equation) -> Option<Diagnostic> {
        let x = &self.flat.exprs;
        let mut of = None;
        x.postorder(&[e.lhs, e.rhs], |id| {
            if let Expr::Pre(v) = x.get(id)
                && self.flat.vars[v].ty == Ty::Real
                && self.flat.vars[v].variability == Variability::Continuous
                && is_equation_of(x.get(e.lhs), x.get(e.rhs), v)
            {
                of = Some(v);
            }
        });
        let name = &self.flat.vars[of?].name;
        Some(
            Diagnostic::error(
                "E0377",
                e.span,
                format!("`{name}` is no discrete variable, so that `pre({name})` has no meaning in its own equation"),
            )
            .with_related(self.flat.vars[of?].span, "declared here")
            .with_hint(format!("write `{name} = …` in a when-clause; `delay({name}, T)` is an earlier value")),
        )
    }

    /// The left limit of a state has a meaning in the body of a when-clause only (section 3.7.5): elsewhere it would be asked for between events, too.
    fn left_limit_of_a_state(
        &self,
        e: &Equation,
        differentiated: &FxHashSet<VarId>,
    ) -> Option<Diagnostic> {
        let x = &self.flat.exprs;
        let mut of = None;
        x.postorder(&[e.lhs, e.rhs], |id| {
            if let Expr::Pre(v) = x.get(id)
                && differentiated.contains(&v)
                && self.flat.vars[v].ty == Ty::Real
            {
                of = Some(v);
            }
        });
        let name = &self.flat.vars[of?].name;
        let text = format!(
            "`{name}` changes all the time, so that `pre({name})` has a meaning in the body of a when-clause only"
        );
        Some(
            Diagnostic::error("E0377", e.span, text)
                .with_related(self.flat.vars[of?].span, "declared here")
                .with_hint(format!(
                    "write `{name}`, or keep its value in a when-clause"
                )),
        )
    }

    /// A discrete Real does not follow what changes all the time.
    fn continuous_discrete(
        &self,
        e: &Equation,
        differentiated: &FxHashSet<VarId>,
        assigned: &FxHashSet<VarId>,
    ) -> Option<Diagnostic> {
        let x = &self.flat.exprs;
        let open = |v: VarId| self.is_discrete_real(v) && !assigned.contains(&v);
        let (v, value) = match (x.get(e.lhs), x.get(e.rhs)) {
            (Expr::Var(v), _) if open(v) => (v, e.rhs),
            (_, Expr::Var(v)) if open(v) => (v, e.lhs),
            _ => return None,
        };
        // What is compared or rounded changes at events; look only at what is added and multiplied.
        let mut stack = vec![value];
        while let Some(id) = stack.pop() {
            let moves = match x.get(id) {
                Expr::Time | Expr::Der(_) => true,
                Expr::Var(w) => differentiated.contains(&w),
                Expr::Binary(op, a, b) if !op.is_relation() => {
                    stack.extend([a, b]);
                    false
                }
                Expr::Unary(_, a) => {
                    stack.push(a);
                    false
                }
                _ => false,
            };
            if moves {
                let var = &self.flat.vars[v];
                return Some(
                    Diagnostic::error(
                        "E0378",
                        e.span,
                        format!(
                            "the discrete variable `{}` gets a value that changes between events",
                            var.name
                        ),
                    )
                    .with_related(var.span, "declared here")
                    .with_hint("assign it in a when-clause, or declare it without `discrete`"),
                );
            }
        }
        None
    }

    fn is_discrete_real(&self, v: VarId) -> bool {
        let var = &self.flat.vars[v];
        var.ty == Ty::Real && var.variability == Variability::Discrete && !var.hidden
    }

    /// `constant Real c = 0/0`: a quotient of numbers that is none.
    fn values_that_are_no_numbers(&self) -> Vec<Diagnostic> {
        let x = &self.flat.exprs;
        let mut out = Vec::new();
        for var in self.flat.vars.values() {
            let Some(value) = var
                .binding
                .filter(|_| var.variability <= Variability::Parameter)
            else {
                continue;
            };
            if let Expr::Binary(BinaryOp::Div, a, b) = x.get(value)
                && x.as_f64(a).is_some()
                && x.as_f64(b) == Some(0.0)
            {
                let span = if var.span.is_none() {
                    Span::NONE
                } else {
                    var.span
                };
                out.push(
                    Diagnostic::error(
                        "E0366",
                        span,
                        format!("the value of `{}` is divided by zero", var.name),
                    )
                    .with_hint(
                        "change the divisor; the largest number is `Modelica.Constants.inf`",
                    ),
                );
            }
        }
        out
    }
}

fn is_equation_of(lhs: Expr, rhs: Expr, v: VarId) -> bool {
    lhs == Expr::Var(v) || rhs == Expr::Var(v)
}
