//! Equations of connection sets, and the operators that ask about connections (sections 9.2 and 15.2).

use ferrica_ir::flat::{Assertion, ConnectorRole, Origin, Variability};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, Span, VarId};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::ElementId;
use crate::value::Value;

/// The signs that a flow variable never has.
#[derive(Clone, Copy, Default)]
pub struct FlowLimits {
    pub never_negative: bool,
    pub never_positive: bool,
}

impl<'a> Flattener<'a> {
    pub fn connection_equations(&mut self) {
        self.unused_bus_flows();
        for k in 0..self.graph.sets.len() {
            let set = self.graph.sets[k].clone();
            let Some(&(first, _)) = set.first() else {
                continue;
            };
            let role = self.flat.vars[first].role;
            if self.flat.vars[first].variability == Variability::Constant {
                // Members of buses that are not there.
                continue;
            }
            let n = self.graph.nodes.get(&set[0]).copied().unwrap_or(0) as usize;
            let (span, component) = (self.graph.spans[n], self.graph.components[n]);
            self.current = component;
            let ty = self.flat.vars[first].ty;
            match role {
                ConnectorRole::Flow => {
                    let terms: Vec<ExprId> = set
                        .iter()
                        .map(|&(v, outside)| {
                            let e = self.flat.exprs.var(v, ty);
                            if outside { self.flat.exprs.neg(e) } else { e }
                        })
                        .collect();
                    let sum = self.flat.exprs.sum(&terms);
                    let zero = self.flat.exprs.real(0.0);
                    let origin = if set.len() == 1 {
                        Origin::Unconnected
                    } else {
                        Origin::Connection
                    };
                    if set.len() == 1
                        && self.flat.vars[first].causality == ferrica_ir::flat::Causality::Input
                    {
                        continue;
                    }
                    self.push_equation(sum, zero, span, origin);
                }
                ConnectorRole::Stream => self.outside_stream_equations(&set, span),
                _ => {
                    for &(v, _) in &set[1..] {
                        let (a, b) = (self.flat.exprs.var(first, ty), self.flat.exprs.var(v, ty));
                        if a != b {
                            self.push_equation(a, b, span, Origin::Connection);
                        }
                    }
                }
            }
        }
    }

    /// Assertions that connected parameters are equal.
    pub fn connected_parameters(&mut self) {
        for (p, q, span, component) in std::mem::take(&mut self.graph.equal_parameters) {
            let names = [p, q].map(|v| self.flat.vars[v].name.clone());
            let [a, b] = [p, q].map(|v| {
                let ty = self.flat.vars[v].ty;
                self.flat.exprs.var(v, ty)
            });
            let x = &mut self.flat.exprs;
            let condition = x.binary(BinaryOp::Eq, a, b);
            let message = x.str(&format!(
                "the parameters `{}` and `{}` are connected, but differ",
                names[0], names[1]
            ));
            self.flat.assertions.push(Assertion {
                guard: None,
                condition,
                message,
                is_error: true,
                of_numbers: false,
                span,
                component,
            });
        }
    }

    fn outside_stream_equations(&mut self, set: &[(VarId, bool)], span: Span) {
        for &(v, outside) in set {
            if !outside {
                continue;
            }
            let value = self.stream_mix(set, v, true);
            let lhs = self.flat.exprs.var(v, ferrica_ir::Ty::Real);
            self.push_equation(lhs, value, span, Origin::Generated);
        }
    }

    /// The mixing value that reaches member `v` of a stream set from all other members.
    fn stream_mix(&mut self, set: &[(VarId, bool)], v: VarId, outside: bool) -> ExprId {
        let others: Vec<(VarId, bool)> =
            set.iter().copied().filter(|&m| m != (v, outside)).collect();
        let mut terms = Vec::new();
        for &(w, w_outside) in &others {
            let Some(flow) = self.flow_of_stream(w) else {
                continue;
            };
            // An element whose flow can never go into the set contributes nothing.
            let direction = self.flow_limits.get(&flow).copied().unwrap_or_default();
            let never = if w_outside {
                direction.never_positive
            } else {
                direction.never_negative
            };
            if never && others.len() > 1 {
                continue;
            }
            let value = if w_outside {
                self.in_stream_of(w)
            } else {
                self.flat.exprs.var(w, ferrica_ir::Ty::Real)
            };
            let m = self.flat.exprs.var(flow, ferrica_ir::Ty::Real);
            let towards = if w_outside { m } else { self.flat.exprs.neg(m) };
            terms.push((towards, value));
        }
        match terms.as_slice() {
            [] => self.flat.exprs.var(v, ferrica_ir::Ty::Real),
            [(_, only)] => *only,
            _ => {
                let eps = self.flat.exprs.real(1e-10);
                let (mut above, mut below) = (Vec::new(), Vec::new());
                for (flow, value) in terms {
                    let weight = self.flat.exprs.builtin(Builtin::Max, &[flow, eps]);
                    above.push(self.flat.exprs.mul(weight, value));
                    below.push(weight);
                }
                let (a, b) = (self.flat.exprs.sum(&above), self.flat.exprs.sum(&below));
                self.flat.exprs.div(a, b)
            }
        }
    }

    /// The flow variable of the connector that a stream variable belongs to.
    fn flow_of_stream(&mut self, v: VarId) -> Option<VarId> {
        if self.stream_flows.is_empty() {
            self.index_stream_flows();
        }
        self.stream_flows.get(&v).copied()
    }

    fn index_stream_flows(&mut self) {
        let mut found = Vec::new();
        for scope in self.tree.scopes.values() {
            let mut flow = None;
            let mut streams = Vec::new();
            for &e in &scope.order {
                let Some(c) = self.tree.component(e) else {
                    continue;
                };
                match (c.role, c.first_var) {
                    (ConnectorRole::Flow, Some(v)) if flow.is_none() => flow = Some((v, e)),
                    (ConnectorRole::Stream, Some(v)) => {
                        let n: usize = c.dims.iter().product();
                        streams.extend((0..n as u32).map(|k| VarId::from_u32(v.as_u32() + k)));
                    }
                    _ => {}
                }
            }
            if let Some((f, e)) = flow {
                found.extend(streams.into_iter().map(|s| (s, f, e)));
            }
        }
        let mut elements: Vec<ElementId> = found.iter().map(|&(_, _, e)| e).collect();
        self.stream_flows
            .extend(found.into_iter().map(|(s, f, _)| (s, f)));
        elements.sort_unstable();
        elements.dedup();
        for e in elements {
            self.limit_flow(e);
        }
    }

    /// What `min` and `max` of a flow variable say about its sign, as far as they are known at compile time.
    fn limit_flow(&mut self, e: ElementId) {
        let Some((c, first)) = (self.tree.component(e)).and_then(|c| Some((c, c.first_var?)))
        else {
            return;
        };
        let (attributes, dims) = (c.attributes.clone(), c.dims.clone());
        let mut bound = |name: &str| -> Option<Vec<f64>> {
            let b = attributes.get(name.into())?.binding.clone()?;
            // A bound that is not known at compile time excludes nothing.
            let value = self.eval_binding(&b, true).ok()?;
            let value = self.spread(value, &dims);
            let numbers = value.items().iter();
            numbers
                .map(|v| self.flat.exprs.as_f64(v.scalar()?))
                .collect()
        };
        let (min, max) = (bound("min"), bound("max"));
        for k in 0..dims.iter().product() {
            let at = |b: &Option<Vec<f64>>| b.as_ref().and_then(|b| b.get(k).copied());
            let limits = FlowLimits {
                never_negative: at(&min).is_some_and(|m| m >= 0.0),
                never_positive: at(&max).is_some_and(|m| m <= 0.0),
            };
            let v = VarId::from_u32(first.as_u32() + k as u32);
            self.flow_limits.insert(v, limits);
        }
    }

    fn in_stream_of(&mut self, v: VarId) -> ExprId {
        let Some(&k) = self.graph.set_of.get(&(v, false)) else {
            return self.flat.exprs.var(v, ferrica_ir::Ty::Real);
        };
        let set = self.graph.sets.get(k as usize).cloned().unwrap_or_default();
        self.stream_mix(&set, v, false)
    }

    pub fn connection_operator(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let [arg] = args else {
            return error("E0330", span, format!("`{name}` takes one argument"));
        };
        self.irregular += 1;
        if name == "cardinality" {
            let ast::ExprKind::Ref(r) = &arg.kind else {
                return error("E0353", arg.span, "a connector is needed");
            };
            let ends = self.ends(r, env)?.list().unwrap_or_default();
            if let Some(end) = ends.first() {
                self.check_is_connector(end, r, arg.span);
            }
            let n: u32 = ends
                .iter()
                .map(|e| {
                    let identity = self.port_identity(e.port);
                    let known = self.graph.cardinality.get(&identity);
                    known.copied().unwrap_or(0)
                })
                .sum();
            return Ok(Value::Scalar(self.flat.exprs.int(i64::from(n))));
        }
        let value = self.eval(arg, env)?;
        let mut bad = false;
        let stream = match &arg.kind {
            ast::ExprKind::Ref(r) => self
                .component_of(r, env.scope)
                .is_some_and(|e| self.role_of(e) == ConnectorRole::Stream),
            _ => false,
        };
        let result = value.map_scalars(&mut |s| {
            let Expr::Var(v) = self.flat.exprs.get(s) else {
                bad = true;
                return s;
            };
            if !stream && self.flow_of_stream(v).is_none() {
                bad = true;
                return s;
            }
            let incoming = self.in_stream_of(v);
            if name == "inStream" {
                return incoming;
            }
            let Some(flow) = self.flow_of_stream(v) else {
                bad = true;
                return s;
            };
            let x = &mut self.flat.exprs;
            let m = x.var(flow, ferrica_ir::Ty::Real);
            let zero = x.real(0.0);
            let positive = x.binary(BinaryOp::Gt, m, zero);
            let actual = x.if_then_else(positive, incoming, s);
            self.actual_streams.insert(actual, [m, incoming, s]);
            actual
        });
        if bad {
            return error(
                "E0353",
                arg.span,
                format!("`{name}` needs a stream variable of a connector"),
            );
        }
        Ok(result)
    }

    /// `m*actualStream(h)` with the flow of the same connector is continuous where the flow turns (section 15.3): it makes no event. As an event
    /// it would leave the loops of such equations at a flow of exactly zero, where `m*(h_in - h) = 0` says nothing of `h`.
    pub(crate) fn stream_flow(&mut self, flow: ExprId, stream: ExprId) -> Option<ExprId> {
        let parts = *self.actual_streams.get(&stream)?;
        let same = parts[0] == flow;
        same.then(|| self.flat.exprs.builtin(Builtin::SemiLinear, &parts))
    }
}
