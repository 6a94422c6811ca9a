//! What may be connected with what (chapter 9.3).

use ferrica_ir::flat::{ConnectorRole, Variability};
use ferrica_ir::{Diagnostic, Span};
use ferrica_syntax::ast;

use crate::connect::{End, Port, Side};
use crate::family::Shift;
use crate::flattener::Flattener;
use crate::instance::{Content, ElementId, ScopeId};

impl<'a> Flattener<'a> {
    /// Both ends of a connection are connectors.
    pub(crate) fn check_is_connector(&mut self, end: &End, r: &ast::ComponentRef, span: Span) {
        let ok = match end.port {
            Port::Scalar(e, ..) => self.tree.component(e).is_none_or(|c| c.in_connector),
            Port::Class(s, _) => {
                let kind = self.tree.scopes[s].class.def.kind;
                kind.is_connector() || kind.is_record() || kind == ast::ClassKind::Class
            }
        };
        if !ok {
            self.violation(
                "E0351",
                span,
                format!("`{r}` is not a connector and cannot be connected"),
                "write an equation, or declare it with a connector class",
            );
        }
    }

    /// Constants of connected connectors have the same value.
    fn check_equal_constants(&mut self, a: ElementId, b: ElementId, ax: Side, span: Span) {
        let name = self.element_path(a, ax.shift);
        let (Ok(x), Ok(y)) = (self.parameter_value(a), self.parameter_value(b)) else {
            return;
        };
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        x.scalars(&mut xs);
        y.scalars(&mut ys);
        let exprs = &self.flat.exprs;
        let differ = xs.iter().zip(&ys).any(
            |(&p, &q)| matches!((exprs.as_f64(p), exprs.as_f64(q)), (Some(p), Some(q)) if p != q),
        );
        if differ {
            self.violation(
                "E0357",
                span,
                format!("the constant `{name}` has different values in the connected connectors"),
                "connect connectors with equal constants",
            );
        }
    }

    /// Full name of a component, for messages.
    pub(crate) fn element_path(&self, e: ElementId, shift: Shift) -> String {
        let name = self.tree.name(e);
        match self.tree.component(e) {
            Some(c) => match self.path_of(self.most_derived(c.owner), shift) {
                "" => name.to_string(),
                path => format!("{path}.{name}"),
            },
            None => name.to_string(),
        }
    }

    /// Path of an instance that a scope is or stands for.
    pub(crate) fn path_of(&self, scope: ScopeId, shift: Shift) -> &str {
        let s = &self.tree.scopes[scope];
        let twin = (self.flat.components).get((s.component + shift.components) as usize);
        match twin {
            Some(c) if shift != Shift::NONE => &c.path,
            _ => &s.path,
        }
    }

    /// Is the variable, or the connector around it, protected?
    fn is_hidden(&self, e: ElementId) -> bool {
        let Some(c) = self.tree.component(e) else {
            return false;
        };
        if c.protected {
            return true;
        }
        let owner = &self.tree.scopes[self.most_derived(c.owner)];
        let kind = owner.class.def.kind;
        (kind.is_connector() || kind.is_record())
            && owner.owner.is_some_and(|(o, _)| self.is_hidden(o))
    }

    fn is_bus_member(&self, e: ElementId) -> bool {
        let owner = self.tree.component(e).map(|c| self.most_derived(c.owner));
        owner.is_some_and(|s| self.is_expandable(s))
    }

    /// Two variables that a connection makes equal agree in their prefixes.
    pub(crate) fn check_joined(
        &mut self,
        a: ElementId,
        b: ElementId,
        ax: Side,
        bx: Side,
        span: Span,
    ) {
        let (Some(x), Some(y)) = (self.tree.component(a), self.tree.component(b)) else {
            return;
        };
        if !matches!(x.content, Content::Scalar(_)) || !matches!(y.content, Content::Scalar(_)) {
            return;
        }
        let names = |me: &Self| {
            let (p, q) = (ax.shift, bx.shift);
            (me.element_path(a, p), me.element_path(b, q))
        };
        let fixed = |v: Variability| v <= Variability::Parameter;
        if fixed(x.variability) || fixed(y.variability) {
            if x.variability != y.variability {
                let (name_a, name_b) = names(self);
                self.violation(
                    "E0357",
                    span,
                    format!("`{name_a}` and `{name_b}` are connected, but differ in `constant` and `parameter`"),
                    "give both the same prefix",
                );
            } else if x.variability == Variability::Constant {
                self.check_equal_constants(a, b, ax, span);
            }
            return;
        }
        // Flows add up, whatever direction their declarations have.
        if x.role == ConnectorRole::Flow {
            return;
        }
        // Protected connectors serve as mere names inside the class, members of buses take the direction that the rest of the
        // bus leaves to them.
        if [a, b]
            .iter()
            .any(|&e| self.is_hidden(e) || self.is_bus_member(e))
        {
            return;
        }
        if x.causality.is_some() != y.causality.is_some() {
            let (name_a, name_b) = names(self);
            let (causal, other) = match x.causality {
                Some(_) => (name_a, name_b),
                None => (name_b, name_a),
            };
            self.violation(
                "E0352",
                span,
                format!("`{causal}` is an input or output, `{other}` is neither"),
                "write an equation, or give both connectors a direction",
            );
            return;
        }
        // Seen from the connection, public inputs outside and outputs inside bring a value.
        let source = |causality: Option<ast::Causality>, outside: bool| {
            matches!(
                (causality, outside),
                (Some(ast::Causality::Input), true) | (Some(ast::Causality::Output), false)
            )
        };
        if source(x.causality, ax.outside)
            && source(y.causality, bx.outside)
            && (a != b || ax.shift != bx.shift)
        {
            let (name_a, name_b) = names(self);
            let text = format!("`{name_a}` and `{name_b}` are connected, but both give a value");
            let inside = [(a, ax), (b, bx)].map(|(e, side)| (!side.outside).then_some(e));
            self.two_sources.push((self.current, span, text, inside));
        }
    }

    /// Two connected outputs are wrong, but where one of them only hands a value on: its component connects it with what reads it, and the equations
    /// of the model are as many as its unknowns. Libraries do so.
    pub(crate) fn judge_two_sources(&mut self) {
        let wrong = self.imbalance.is_some() || self.diagnostics.iter().any(Diagnostic::is_error);
        for (component, span, text, inside) in std::mem::take(&mut self.two_sources) {
            self.current = component;
            if wrong || !inside.iter().flatten().any(|&e| self.is_handed_on(e)) {
                self.violation(
                    "E0358",
                    span,
                    text,
                    "connect an output with an input; inputs of the model itself count as sources inside it",
                );
                continue;
            }
            let warning = Diagnostic::warning(
                "W0312",
                span,
                text.replace("but both give a value", "and both are outputs"),
            );
            let hint = "declare the one that takes its value as an input";
            self.report(Box::new(warning.with_hint(hint)));
        }
    }

    /// Does the component that a variable of a connector belongs to connect it with something inside?
    fn is_handed_on(&self, e: ElementId) -> bool {
        let mut connectors = Vec::new();
        let mut at = self.tree.component(e);
        while let Some(c) = at {
            let s = self.most_derived(c.owner);
            let kind = self.tree.scopes[s].class.def.kind;
            if !kind.is_connector() && !kind.is_record() {
                break;
            }
            connectors.push(s);
            at = (self.tree.scopes[s].owner).and_then(|(o, _)| self.tree.component(o));
        }
        let names = |end: &End| match end.port {
            Port::Scalar(other, ..) => other == e,
            Port::Class(s, _) => connectors.contains(&s),
        };
        let pairs = self.graph.pairs.iter();
        (pairs.flat_map(|(x, y, ..)| [x, y])).any(|end| end.outside && names(end))
    }

    /// A connection names a connector of the class itself or of one of its components, no deeper.
    pub(crate) fn check_connect_form(&mut self, first: ElementId, r: &ast::ComponentRef) {
        if r.parts.len() < 3 {
            return;
        }
        let Ok(Some(scope)) = self.component_scope(first) else {
            return;
        };
        let Ok(Some(second)) = self.member(scope, r.parts[1].name) else {
            return;
        };
        let Ok(Some(inner)) = self.component_scope(second) else {
            return;
        };
        let kind = self.tree.scopes[inner].class.def.kind;
        if matches!(kind, ast::ClassKind::Model | ast::ClassKind::Block) {
            self.violation(
                "E0360",
                r.span,
                format!("`{r}` reaches into a component of a component"),
                "connect it inside that component, or give the component a connector of its own",
            );
        }
    }
}
