//! Connectors have as many flow variables as other non-causal variables (chapter 9.3.1).

use ferrica_ir::Diagnostic;
use ferrica_ir::flat::{ConnectorRole, Variability};

use crate::flattener::Flattener;
use crate::instance::{Content, ScopeId};

#[derive(Default)]
struct Count {
    flows: usize,
    potentials: usize,
    streams: usize,
    /// Overconstrained types and nested buses count in another way.
    special: bool,
}

impl<'a> Flattener<'a> {
    /// Checks a connector whose members are ready.
    pub(crate) fn check_connector_balance(&mut self, scope: ScopeId) {
        let s = &self.tree.scopes[scope];
        if s.class.def.kind != ferrica_syntax::ast::ClassKind::Connector || s.class.def.partial {
            return;
        }
        // `flow C c`: all of it is a flow, which the connector around it answers for.
        let around = s.owner.and_then(|(e, _)| self.tree.component(e));
        if around.is_some_and(|c| c.role != ConnectorRole::None) {
            return;
        }
        let mut count = Count::default();
        self.count_connector(scope, &mut count);
        if count.special {
            return;
        }
        let span = match self.tree.scopes[scope].owner {
            Some((e, _)) => self.tree.component(e).map(|c| c.span()),
            None => None,
        };
        let span = span.unwrap_or(self.tree.scopes[scope].class.def.name_span);
        let name = self.class_name(scope);
        if count.streams > 0 && count.flows != 1 {
            self.violation(
                "E0359",
                span,
                format!(
                    "the connector `{name}` has stream variables and {} flow variables",
                    count.flows
                ),
                "a connector with stream variables has exactly one scalar flow variable",
            );
        } else if count.flows == 0 && count.potentials > 0 {
            // Without flows a connection says one thing: the values are equal.
            let text = format!(
                "the connector `{name}` has no flow variable: whose value is given and whose is taken is open"
            );
            let d = Diagnostic::warning("W0305", span, text).with_hint(
                "write `input` or `output` for signals, or add a flow variable for each potential",
            );
            self.report(Box::new(d));
        } else if count.flows != count.potentials {
            self.violation(
                "E0359",
                span,
                format!(
                    "the connector `{name}` has {} flow variables and {} potential variables",
                    count.flows, count.potentials
                ),
                "the numbers must be equal; use `input` or `output` for signals",
            );
        }
    }

    fn count_connector(&mut self, scope: ScopeId, count: &mut Count) {
        let equality = self.names.equality_constraint;
        for e in self.tree.scopes[scope].order.clone() {
            let Some(c) = self.tree.component(e) else {
                if self.tree.name(e) == equality {
                    count.special = true;
                }
                continue;
            };
            let n: usize = c.dims.iter().product();
            let (role, causal) = (c.role, c.causality.is_some());
            let fixed = c.variability <= Variability::Parameter;
            count.special |= c.overdetermined.is_some();
            match &c.content {
                Content::Scalar(_) if fixed => {}
                Content::Scalar(_) => match role {
                    ConnectorRole::Flow => count.flows += n,
                    ConnectorRole::Stream => count.streams += n,
                    _ if causal => {}
                    _ => count.potentials += n,
                },
                Content::Class(scopes) => {
                    for &s in scopes.clone().iter() {
                        let kind = self.tree.scopes[s].class.def.kind;
                        if kind == ferrica_syntax::ast::ClassKind::ExpandableConnector {
                            count.special = true;
                        }
                        let streams = count.streams;
                        self.count_connector(s, count);
                        if kind.is_connector() {
                            // A connector inside answers for its own stream variables.
                            count.streams = streams;
                        }
                    }
                }
                Content::Family(_) | Content::Outer(_) | Content::None => count.special = true,
            }
        }
    }
}
