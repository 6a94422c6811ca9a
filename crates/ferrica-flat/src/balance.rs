//! Equations against unknowns (section 4.7 of the language specification).
//!
//! In: a flat model, and for the explanation the instance tree it came from. Out: the two numbers;
//! if they differ, a diagnostic that names the components with too few or too many equations of
//! their own. A component owes an equation for each of its variables and for each flow, stream and
//! output of its connectors, except where a connection inside it provides that equation; an input
//! that is left open in a component counts for the class that holds the component.

use ferrica_ir::flat::{Causality, ConnectorRole, FlatModel, Origin, Variability};
use ferrica_ir::print::counted;
use ferrica_ir::{Diagnostic, Span, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashSet;

use crate::connect::{Identity, Port};
use crate::flattener::Flattener;
use crate::instance::{Content, ElementId, ScopeId, State};

/// Components and open inputs that a message lists.
const SHOWN: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Balance {
    pub equations: usize,
    pub unknowns: usize,
}

/// Counts a whole model. Inputs of the model are known; so are the clocks of clocked when-clauses,
/// which the compiler infers.
pub fn count(model: &FlatModel) -> Balance {
    let unknowns = model.vars.values().filter(|v| {
        v.variability >= Variability::Discrete
            && v.causality != Causality::Input
            && v.ty != Ty::External
            && !(v.hidden && v.ty == Ty::Clock)
    });
    Balance {
        equations: model.equations.len(),
        unknowns: unknowns.count(),
    }
}

/// What one component owes and has.
#[derive(Clone, Default)]
struct Account {
    unknowns: usize,
    equations: usize,
    open_inputs: Vec<(String, Span)>,
}

struct Accounts {
    list: Vec<Account>,
    /// Component that answers for each component: records and connectors belong to what holds them.
    answers: Vec<u32>,
    /// Connectors that a connection names from inside.
    inside: FxHashSet<Identity>,
}

impl<'a> Flattener<'a> {
    pub(crate) fn explain_imbalance(&mut self, root: ScopeId) -> Option<Diagnostic> {
        let Balance {
            equations,
            unknowns,
        } = count(&self.flat);
        if equations == unknowns || self.diagnostics.iter().any(Diagnostic::is_error) {
            return None;
        }
        if let Err(d) = self.fall_apart_below(root) {
            return Some(*d);
        }
        let outside: Vec<Port> = (self.graph.pairs.iter())
            .flat_map(|(x, y, _, _)| [x, y])
            .filter(|end| end.outside)
            .map(|end| end.port)
            .collect();
        let n = self.flat.components.len();
        let mut accounts = Accounts {
            list: vec![Account::default(); n],
            answers: (0..n as u32).collect(),
            inside: outside.into_iter().map(|p| self.port_identity(p)).collect(),
        };
        self.count_instance(root, &mut accounts);
        for e in &self.flat.equations {
            if matches!(
                e.origin,
                Origin::Equation | Origin::Binding | Origin::Algorithm | Origin::When
            ) {
                let owner = accounts.answers[e.component as usize];
                accounts.list[owner as usize].equations += 1;
            }
        }
        let (word, by) = if equations < unknowns {
            ("few", unknowns - equations)
        } else {
            ("many", equations - unknowns)
        };
        let span = self.flat.components.first().map_or(Span::NONE, |c| c.span);
        let mut d = Diagnostic::error(
            "E0301",
            span,
            format!(
                "`{}` has {by} equation{} too {word}: {equations} equations for {unknowns} unknowns",
                self.flat.name,
                if by == 1 { "" } else { "s" },
            ),
        );
        let mut lines = Vec::new();
        for (k, a) in accounts.list.iter().enumerate() {
            if a.unknowns == a.equations {
                continue;
            }
            let c = &self.flat.components[k];
            let who = if c.path.is_empty() {
                "the model itself".to_string()
            } else {
                format!("`{}` of class `{}`", c.path, c.class)
            };
            let difference = if a.equations < a.unknowns {
                format!("{} too few", a.unknowns - a.equations)
            } else {
                format!("{} too many", a.equations - a.unknowns)
            };
            lines.push((
                c.span,
                format!(
                    "{who} needs {} and has {}: {difference}",
                    counted(a.unknowns, "equation"),
                    a.equations
                ),
            ));
        }
        let open: Vec<&(String, Span)> =
            accounts.list.iter().flat_map(|a| &a.open_inputs).collect();
        for (s, text) in lines.iter().take(SHOWN) {
            d = d.with_related(*s, text);
        }
        for (name, s) in open.iter().take(SHOWN) {
            d = d.with_related(*s, format!("nothing is connected to the input `{name}`"));
        }
        let rest = lines.len().saturating_sub(SHOWN) + open.len().saturating_sub(SHOWN);
        if rest > 0 {
            d.message
                .push_str(&format!("; {rest} more places are not shown"));
        }
        Some(d.with_hint(if equations > unknowns {
            "remove an equation or a value that says the same twice"
        } else if open.is_empty() {
            "add the missing equations, or give these variables a value"
        } else {
            "connect these inputs, or give them a value: `block(u = 1)`"
        }))
    }

    fn count_instance(&self, scope: ScopeId, accounts: &mut Accounts) {
        let own = self.tree.scopes[scope].component;
        self.count_members(scope, own, false, accounts);
    }

    /// Members of `scope`, which count for the component `own`; `provided`: a connection inside the
    /// component provides the equations of this connector.
    fn count_members(&self, scope: ScopeId, own: u32, provided: bool, accounts: &mut Accounts) {
        accounts.answers[self.tree.scopes[scope].component as usize] = own;
        for &e in &self.tree.scopes[scope].order {
            let Some(c) = self.tree.component(e) else {
                continue;
            };
            if c.state != State::Ready {
                continue;
            }
            match &c.content {
                Content::Scalar(_) => self.count_scalar(e, own, provided, accounts),
                Content::Class(scopes) => {
                    for &s in scopes.iter() {
                        let kind = self.tree.scopes[s].class.def.kind;
                        if kind.is_connector() || kind.is_record() {
                            let own_number = Identity::Component(self.tree.scopes[s].component);
                            let provided = provided || accounts.inside.contains(&own_number);
                            self.count_members(s, own, provided, accounts);
                        } else {
                            self.count_instance(s, accounts);
                        }
                    }
                }
                Content::Family(_) | Content::Outer(_) | Content::None => {}
            }
        }
    }

    fn count_scalar(&self, e: ElementId, own: u32, provided: bool, accounts: &mut Accounts) {
        let Some(c) = self.tree.component(e) else {
            return;
        };
        if c.variability <= Variability::Parameter
            || matches!(c.content, Content::Scalar(Ty::External))
        {
            return;
        }
        let n: usize = c.dims.iter().product();
        let bound = c.modifier.binding.is_some();
        let first = c.first_var.map_or(0, |v| v.as_u32());
        for k in 0..n as u32 {
            let variable = Identity::Variable(VarId::from_u32(first + k));
            let provided = provided || accounts.inside.contains(&variable);
            let owed = if c.in_connector {
                match (c.role, c.causality) {
                    (ConnectorRole::Flow | ConnectorRole::Stream, _) => !provided,
                    (_, Some(ast::Causality::Output)) => !provided,
                    (_, Some(ast::Causality::Input)) => {
                        let v = VarId::from_u32(first + k);
                        let var = self.flat.vars.get(v);
                        if !bound
                            && own != 0
                            && !self.graph.is_connected(v)
                            && let Some(var) = var
                        {
                            let holder = self.flat.components[own as usize].parent;
                            let account = &mut accounts.list[holder as usize];
                            account.unknowns += 1;
                            account.open_inputs.push((var.name.clone(), var.span));
                        }
                        bound
                    }
                    _ => bound,
                }
            } else {
                c.causality != Some(ast::Causality::Input) || bound
            };
            if owed {
                accounts.list[own as usize].unknowns += 1;
            }
        }
    }
}
