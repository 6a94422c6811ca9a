//! Prefixes of components, and variability of their values (chapters 3.8 and 4.4).

use ferrica_ir::flat::Variability;
use ferrica_ir::{Diagnostic, Expr, Span, Symbol, Ty, VarId};
use ferrica_syntax::ast::{self, ExprKind};

use crate::flattener::{Flattener, R};
use crate::instance::{Content, Element, ElementId, ScopeId, State};
use crate::lookup::Found;
use crate::modifier::Binding;
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// Packages and operators have no instances, and a type that stands for none of the predefined types has no values.
    pub(crate) fn check_has_instances(&mut self, id: ElementId, type_scope: ScopeId) {
        let (name, span) = match self.tree.component(id) {
            Some(c) => (c.name, c.span()),
            None => return,
        };
        let def = self.tree.scopes[type_scope].class.def;
        let hint = match def.kind {
            ast::ClassKind::Package | ast::ClassKind::Operator => {
                "name what is in it by its full name, or declare a record or model"
            }
            ast::ClassKind::Type if def.long().is_some_and(|b| b.elements.is_empty()) => {
                "write `type T = Real`, or `extends Real` in it"
            }
            _ => return,
        };
        self.violation(
            "E0212",
            span,
            format!(
                "`{name}` is of the {} `{}`, which has no instances",
                def.kind.keywords(),
                def.name
            ),
            hint,
        );
    }

    /// An `outer` class is the inner one, as it is.
    pub(crate) fn check_outer_class(&mut self, def: &ast::ClassDef) {
        let ast::ClassBody::Short(short) = &def.body else {
            return;
        };
        if let Some(m) = (short.modification.as_ref()).filter(|m| !m.args.is_empty()) {
            let name = def.name;
            self.violation(
                "E0236",
                m.span,
                format!("the `outer` class `{name}` has a modifier"),
                format!("modify the `inner` class `{name}` instead"),
            );
        }
    }

    /// A component of a class has prefixes that its class can take.
    pub(crate) fn check_prefixes(&mut self, id: ElementId, type_scope: ScopeId) {
        let Some(c) = self.tree.component(id) else {
            return;
        };
        let p = c.decl.prefixes;
        let (name, span) = (c.name, c.span());
        let (c_owner, protected) = (c.owner, c.protected);
        let kind = self.tree.scopes[type_scope].class.def.kind;
        let any = p.flow.is_some() || p.variability.is_some() || p.causality.is_some();
        if any && matches!(kind, ast::ClassKind::Model | ast::ClassKind::Block) {
            self.violation(
                "E0230",
                span,
                format!(
                    "`{name}` has a prefix such as `parameter`, `input` or `flow`, but is of a {}",
                    kind.keywords()
                ),
                "such prefixes are for predefined types, records and connectors",
            );
            return;
        }
        if !kind.is_connector() {
            return;
        }
        let fixed = matches!(
            p.variability,
            Some(ast::Variability::Constant | ast::Variability::Parameter)
        );
        if fixed {
            self.violation(
                "E0230",
                span,
                format!("`{name}` is a connector and cannot be a constant or parameter"),
                "use a record",
            );
        }
        let owner = self.most_derived(c_owner);
        let in_block = self.tree.scopes[owner].class.def.kind == ast::ClassKind::Block;
        let flows = self.tree.scopes[type_scope].order.iter().any(|&m| {
            let flow = Some(ast::FlowPrefix::Flow);
            self.tree
                .component(m)
                .is_some_and(|m| m.decl.prefixes.flow == flow)
        });
        if in_block && flows && !protected {
            self.violation(
                "E0231",
                span,
                format!("the connector `{name}` of a block has no direction"),
                "blocks have inputs and outputs only; make it a model",
            );
        }
        let own = self.tree.scopes[type_scope].prefixes;
        let (flow, causality) = (
            p.flow.or(own.flow).is_some(),
            p.causality.or(own.causality).is_some(),
        );
        for m in self.tree.scopes[type_scope].order.clone() {
            let Some(m) = self.tree.component(m) else {
                continue;
            };
            let inner = m.decl.prefixes;
            if (flow && inner.flow.is_some()) || (causality && inner.causality.is_some()) {
                let member = m.name;
                self.violation(
                    "E0231",
                    span,
                    format!("`{name}` has a prefix that its member `{member}` has as well"),
                    "remove one of the two prefixes",
                );
            }
        }
    }

    /// `flow` and `stream` are for Real.
    pub(crate) fn check_flow_type(&mut self, id: ElementId, ty: Ty) {
        let Some(c) = self.tree.component(id) else {
            return;
        };
        if c.decl.prefixes.flow.is_some() && ty != Ty::Real {
            let (name, span) = (c.name, c.span());
            self.violation(
                "E0232",
                span,
                format!("`{name}` is a flow or stream variable but not Real"),
                "declare it as Real, or remove the prefix",
            );
        }
    }

    /// The value of a constant or parameter must not vary more than itself.
    pub(crate) fn check_binding_variability(&mut self, e: ElementId) {
        let Some(c) = self.tree.component(e) else {
            return;
        };
        let limit = c.variability;
        if limit > Variability::Parameter {
            return;
        }
        let Some(b) = c.modifier.binding.clone() else {
            return;
        };
        if !b.picks.is_empty() || !self.in_model(b.scope) {
            return;
        }
        let mut refs = Vec::new();
        collect_refs(b.expr, &mut refs);
        let name = c.name;
        for r in refs {
            let Some(other) = self.component_of(r, b.scope) else {
                self.check_predefined_variability(name, limit, r, &b);
                continue;
            };
            let Some(o) = self.tree.component(other) else {
                continue;
            };
            if o.state != State::Ready || !matches!(o.content, Content::Scalar(_)) {
                continue;
            }
            if o.variability > limit && other != e {
                let text = r.to_string();
                let is = match limit {
                    Variability::Constant => "constant",
                    _ => "parameter",
                };
                self.violation(
                    "E0233",
                    b.expr.span,
                    format!("the {is} `{name}` depends on `{text}`, which varies more"),
                    format!("declare `{text}` as a {is}, or `{name}` without `{is}`"),
                );
                return;
            }
        }
    }

    /// `time` and functions such as `initial()` change during a simulation.
    fn check_predefined_variability(
        &mut self,
        name: Symbol,
        limit: Variability,
        r: &ast::ComponentRef,
        b: &Binding<'a>,
    ) {
        let varies = |n: Symbol| n.as_str() == "time" || varies_by_itself(n.as_str());
        let Some(ident) = r.as_ident().filter(|&n| varies(n)) else {
            return;
        };
        if matches!(self.lookup_simple(b.scope, ident), Ok(None)) {
            let is = match limit {
                Variability::Constant => "constant",
                _ => "parameter",
            };
            self.violation(
                "E0233",
                b.expr.span,
                format!("the {is} `{name}` depends on `{ident}`, which changes with time"),
                format!(
                    "declare `{name}` without `{is}`, or give it its value by an initial equation"
                ),
            );
        }
    }

    /// A conditional component may be used in connections only. What a conditional parameter means where it is there is clear, and libraries read it.
    pub(crate) fn check_conditional_use(&mut self, e: ElementId, span: Span) -> R<()> {
        let Some(c) = self.tree.component(e) else {
            return Ok(());
        };
        if c.condition.is_none() {
            return Ok(());
        }
        if c.variability <= Variability::Parameter {
            let text = format!(
                "`{}` is conditional and used outside of connections, which other tools may refuse",
                c.name
            );
            let warning = Diagnostic::warning("W0310", span, text)
                .with_related(c.span(), "declared here")
                .with_hint("declare the parameter without a condition");
            self.report(Box::new(warning));
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(
                "E0235",
                span,
                format!(
                    "`{}` is conditional and can be used in connections only",
                    c.name
                ),
            )
            .with_related(c.span(), "declared here")
            .with_hint("connect it with an unconditional connector and use that one"),
        ))
    }

    /// `outer` components get everything from the `inner` one.
    pub(crate) fn check_outer(&mut self, id: ElementId) {
        let Some(c) = self.tree.component(id) else {
            return;
        };
        if c.modifier.binding.is_some() || !c.modifier.entries.is_empty() {
            let (name, span) = (c.name, c.span());
            self.violation(
                "E0236",
                span,
                format!("`outer {name}` has a modifier or a value"),
                format!("modify the `inner {name}` instead"),
            );
        }
    }

    /// The `inner` component has the type and the size that the `outer` one asks for.
    pub(crate) fn check_inner_type(&mut self, outer: ElementId, inner: ElementId) {
        if self.ready(inner).is_err() {
            return;
        }
        let Some(o) = self.tree.component(outer) else {
            return;
        };
        let (decl, scope, name, span) = (o.decl, o.scope, o.name, o.span());
        let mut class = None;
        let (ty, mut rank) = match self.lookup_class(scope, &decl.type_name) {
            Ok(Found::Predefined(ty)) => (Some(ty), 0),
            Ok(Found::Element(e)) => {
                let Ok(s) = self.class_scope(e) else {
                    return;
                };
                if self.expand(s).is_err() {
                    return;
                }
                class = Some(s);
                let s = &self.tree.scopes[s];
                (s.builtin, s.type_dims.len())
            }
            Ok(Found::Literal(..)) | Err(_) => return,
        };
        rank += decl.subscripts.len() + decl.type_subscripts.len();
        let Some(i) = self.tree.component(inner) else {
            return;
        };
        if i.state != State::Ready {
            return;
        }
        let same_type = match (&i.content, ty) {
            (Content::Scalar(a), Some(b)) => *a == b,
            (Content::Scalar(_), None) | (Content::Class(_), Some(_)) => false,
            _ => true,
        };
        let mut same_size = i.dims.len() == rank;
        let sizes = i.dims.clone();
        for (k, s) in decl.subscripts.iter().enumerate() {
            if let (ast::Subscript::Expr(e), Some(&n)) = (s, sizes.get(k))
                && let ExprKind::Int(m) = e.kind
            {
                same_size &= m == n as i64;
            }
        }
        let given = match &i.content {
            Content::Class(scopes) => scopes.first().copied(),
            _ => None,
        };
        let same_members = match (class, given) {
            (Some(wanted), Some(given)) => self.has_members_of(given, wanted),
            _ => true,
        };
        if !same_type || !same_size || !same_members {
            self.violation(
                "E0237",
                span,
                format!("`outer {name}` differs in type or size from `inner {name}`"),
                "declare both with the same type",
            );
        }
    }

    /// Has an instance all public components of a class, those of predefined types with the same type?
    fn has_members_of(&mut self, given: ScopeId, wanted: ScopeId) -> bool {
        let def = |s: ScopeId| std::ptr::from_ref(self.tree.scopes[s].class.def);
        if def(given) == def(wanted) {
            return true;
        }
        for e in self.tree.scopes[wanted].order.clone() {
            let Some(c) = self.tree.component(e).filter(|c| !c.protected) else {
                continue;
            };
            let (name, conditional) = (c.name, c.condition.is_some());
            let own = (c.scope, &c.decl.type_name);
            let Ok(Some(found)) = self.member(given, name) else {
                if conditional {
                    continue;
                }
                return false;
            };
            let Some(other) = self.tree.component(found) else {
                continue;
            };
            let other = (other.scope, &other.decl.type_name);
            if let (Ok(Found::Predefined(a)), Ok(Found::Predefined(b))) = (
                self.lookup_class(own.0, own.1),
                self.lookup_class(other.0, other.1),
            ) && a != b
            {
                return false;
            }
        }
        true
    }

    /// A value for every constant.
    pub(crate) fn check_constant_value(&mut self, e: ElementId) {
        let Some(c) = self.tree.component(e) else {
            return;
        };
        if c.variability == Variability::Constant
            && c.decl.prefixes.variability == Some(ast::Variability::Constant)
            && c.modifier.binding.is_none()
            && !c.modifier.broken
            && Some(self.most_derived(c.owner)) == self.model
        {
            let (name, span) = (c.name, c.span());
            self.violation(
                "E0238",
                span,
                format!("the constant `{name}` has no value"),
                "give it one: `constant Real c = 1;`",
            );
        }
    }

    /// What initial equations may give a value is no constant.
    pub(crate) fn check_constant_is_fixed(
        &mut self,
        name: Symbol,
        span: Span,
        fixed: Option<&Value>,
    ) {
        let mut scalars = Vec::new();
        if let Some(v) = fixed {
            v.scalars(&mut scalars);
        }
        let free = scalars
            .iter()
            .any(|&s| self.flat.exprs.as_bool(s) == Some(false));
        if free {
            self.violation(
                "E0238",
                span,
                format!("the constant `{name}` has `fixed = false`"),
                "declare it as a parameter, or remove the attribute",
            );
        }
    }

    /// A discrete Real gets its values in when-clauses.
    pub(crate) fn check_discrete_binding(&mut self, e: ElementId, ty: Ty) {
        let Some(c) = self.tree.component(e) else {
            return;
        };
        let Some(b) = &c.modifier.binding else {
            return;
        };
        let literal = matches!(b.expr.kind, ExprKind::Int(_) | ExprKind::Real(_));
        if c.decl.prefixes.variability == Some(ast::Variability::Discrete)
            && ty == Ty::Real
            && literal
        {
            let (name, span) = (c.name, b.expr.span);
            self.violation(
                "E0238",
                span,
                format!("the discrete variable `{name}` has a fixed value"),
                "assign it in a when-clause, or declare it as a parameter",
            );
        }
    }

    /// A flow variable that is an operator record needs the operators of the sum to zero.
    pub(crate) fn check_flow_record(&mut self, id: ElementId, type_scope: ScopeId) {
        let Some(c) = self.tree.component(id) else {
            return;
        };
        let (name, span) = (c.name, c.span());
        if c.decl.prefixes.flow != Some(ast::FlowPrefix::Flow)
            || self.tree.scopes[type_scope].class.def.kind != ast::ClassKind::OperatorRecord
        {
            return;
        }
        for operator in ["'+'", "'-'", "'0'"] {
            if matches!(self.member(type_scope, operator.into()), Ok(None)) {
                self.violation(
                    "E0239",
                    span,
                    format!(
                        "the flow variable `{name}` is of an operator record without {operator}"
                    ),
                    "define the operators '+', '-' and '0'",
                );
            }
        }
    }

    /// Parameters whose values need each other.
    pub(crate) fn check_cyclic_parameters(&mut self) {
        let n = self.flat.vars.len();
        // 0: not seen, 1: on the path, 2: done.
        let mut state = vec![0u8; n];
        let mut stack = Vec::new();
        for root in self.flat.vars.keys() {
            if self.flat.vars[root].variability > Variability::Parameter {
                continue;
            }
            stack.push((root, false));
            while let Some((v, leave)) = stack.pop() {
                if leave {
                    state[v.as_u32() as usize] = 2;
                    continue;
                }
                let var = &self.flat.vars[v];
                if var.variability > Variability::Parameter || state[v.as_u32() as usize] == 2 {
                    continue;
                }
                if state[v.as_u32() as usize] == 1 {
                    let mut cycle: Vec<VarId> = stack
                        .iter()
                        .filter(|(_, leave)| *leave)
                        .map(|(w, _)| *w)
                        .skip_while(|&w| w != v)
                        .collect();
                    cycle.push(v);
                    let names: Vec<String> = cycle
                        .iter()
                        .map(|&w| format!("`{}`", self.flat.vars[w].name))
                        .collect();
                    let mut d = Diagnostic::error(
                        "E0319",
                        var.span,
                        format!(
                            "the value of the parameter {} depends on itself: {}",
                            names[0],
                            names.join(" needs ")
                        ),
                    )
                    .with_hint("give one of the parameters on the way a value of its own");
                    for &w in &cycle[1..cycle.len() - 1] {
                        d = d.with_related(self.flat.vars[w].span, "on the way");
                    }
                    self.current = 0;
                    self.report(Box::new(d));
                    return;
                }
                state[v.as_u32() as usize] = 1;
                stack.push((v, true));
                if let Some(b) = var.binding {
                    let mut needs = Vec::new();
                    self.flat.exprs.postorder(&[b], |id| {
                        if let Expr::Var(w) = self.flat.exprs.get(id) {
                            needs.push((w, false));
                        }
                    });
                    // One that is on the path already closes a cycle; others are visited once.
                    needs.retain(|(w, _)| state[w.as_u32() as usize] != 2);
                    stack.extend(needs);
                }
            }
        }
    }

    /// The component that a reference names, without evaluating anything.
    pub(crate) fn component_of(
        &mut self,
        r: &ast::ComponentRef,
        scope: ScopeId,
    ) -> Option<ElementId> {
        if r.global {
            return None;
        }
        let Ok(Some(Found::Element(mut e))) = self.lookup_simple(scope, r.parts[0].name) else {
            return None;
        };
        for part in &r.parts[1..] {
            if matches!(self.tree.elements[e], Element::Class(_)) {
                return None;
            }
            let inner = self.component_scope(e).ok()??;
            e = self.member(inner, part.name).ok()??;
        }
        if matches!(self.tree.elements[e], Element::Class(_)) {
            return None;
        }
        self.actual(e).ok()
    }
}

/// References whose value an expression uses; those inside comprehensions are left out, since their
/// names may be iterators.
/// Predefined functions whose value changes during a simulation whatever their arguments are.
fn varies_by_itself(function: &str) -> bool {
    matches!(
        function,
        "initial" | "terminal" | "sample" | "edge" | "change" | "der" | "pre" | "delay"
    )
}

pub fn collect_refs<'b>(e: &'b ast::Expr, out: &mut Vec<&'b ast::ComponentRef>) {
    match &e.kind {
        ExprKind::Ref(r) => out.push(r),
        ExprKind::Call(c) => {
            let f = c.function.as_ident().map(|n| n.as_str()).unwrap_or("");
            let of_connections = matches!(
                c.function.parts.as_slice(),
                [package, f] if package.name.as_str() == "Connections"
                    && matches!(f.name.as_str(), "isRoot" | "rooted")
            );
            let shape = of_connections
                || matches!(
                    f,
                    "size"
                        | "ndims"
                        | "cardinality"
                        | "rooted"
                        | "inStream"
                        | "actualStream"
                        | "fill"
                );
            if varies_by_itself(f) {
                out.push(&c.function);
            }
            if !shape && c.args.iterators.is_empty() {
                for a in &c.args.positional {
                    collect_refs(a, out);
                }
                for a in &c.args.named {
                    collect_refs(&a.value, out);
                }
            }
        }
        ExprKind::Unary(_, a) => collect_refs(a, out),
        ExprKind::Binary(_, ab) => {
            collect_refs(&ab.0, out);
            collect_refs(&ab.1, out);
        }
        ExprKind::If(i) => {
            for (c, v) in &i.branches {
                collect_refs(c, out);
                collect_refs(v, out);
            }
            collect_refs(&i.otherwise, out);
        }
        ExprKind::Array(list) => list.iter().for_each(|a| collect_refs(a, out)),
        ExprKind::Matrix(rows) => rows.iter().flatten().for_each(|a| collect_refs(a, out)),
        _ => {}
    }
}
