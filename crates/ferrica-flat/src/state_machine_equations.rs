//! State machines as clocked equations (section 17.3).
//!
//! In: the transitions and states of [`crate::state_machines`]. Out, in the flat model:
//!
//! - for each machine the equations of section 17.3.4, which tell the active state from the conditions at this tick and
//!   those at the tick before;
//! - each equation of a state as `lhs = inState(rhs, active)`: while the state is not active, its unknown keeps
//!   its value;
//! - `previous(x)` of a variable of a state as its start value where the state is reset;
//! - for each inner variable that states determine, the value of the active one.

use ferrica_ir::flat::{Equation, Origin};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Span, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ScopeId};
use crate::state_machines::Transition;

/// States that transitions join, the initial one first.
struct Machine {
    states: Vec<ScopeId>,
    /// In the order of rising precedence.
    transitions: Vec<Transition>,
    span: Span,
    /// The state that contains the machine.
    parent: Option<ScopeId>,
}

/// Variables of a machine that others read.
struct MachineVariables {
    /// Number of the transition that fires at this tick, or zero.
    fired: VarId,
    reset: ExprId,
    /// It is in a state that no transition leaves.
    is_final: VarId,
}

impl<'a> Flattener<'a> {
    /// See the module comment; nothing happens in a model without state machines.
    pub fn state_machine_equations(&mut self, root: ScopeId) {
        if self.machines.order.is_empty() {
            return;
        }
        let mut places = Places::default();
        self.find_places(root, None, &mut places);
        self.merge_outputs(&mut places);
        self.reset_previous(&places);
        let machines = match self.group_states() {
            Ok(machines) => machines,
            Err(d) => return self.report(d),
        };
        self.hold_inactive(&places);
        let mut made = Vec::new();
        for (k, machine) in machines.iter().enumerate() {
            made.push(self.machine_variables(machine, k));
        }
        for k in 0..machines.len() {
            self.machine_equations(&machines, &made, k);
        }
        self.durations(&machines, &made);
    }

    /// The machines: sets of states that transitions join.
    fn group_states(&mut self) -> R<Vec<Machine>> {
        let order = self.machines.order.clone();
        let mut group: FxHashMap<ScopeId, usize> =
            order.iter().enumerate().map(|(i, &s)| (s, i)).collect();
        for t in &self.machines.transitions {
            let (a, b) = (group[&t.from], group[&t.to]);
            if a != b {
                group.values_mut().filter(|g| **g == b).for_each(|g| *g = a);
            }
        }
        let mut machines: Vec<Machine> = Vec::new();
        let mut number: FxHashMap<usize, usize> = FxHashMap::default();
        for (s, span) in self.machines.initial.clone() {
            if number.insert(group[&s], machines.len()).is_some() {
                return error("E0372", span, "the state machine has two initial states");
            }
            let holder = self.around(s).nth(1);
            machines.push(Machine {
                states: vec![s],
                transitions: Vec::new(),
                span,
                parent: holder.and_then(|h| self.state_around(h)),
            });
        }
        for &s in &order {
            let Some(&m) = number.get(&group[&s]) else {
                let left = self.machines.transitions.iter().find(|t| t.from == s);
                let span = left.map_or(Span::NONE, |t| t.span);
                let path = self.tree.scopes[s].path.clone();
                let text = format!("the state machine of `{path}` has no initial state");
                return error("E0372", span, text);
            };
            if !machines[m].states.contains(&s) {
                machines[m].states.push(s);
            }
        }
        let mut transitions = self.machines.transitions.clone();
        transitions.sort_by_key(|t| std::cmp::Reverse(t.priority));
        let mut taken = FxHashSet::default();
        for t in &transitions {
            if !taken.insert((t.from, t.priority)) {
                let path = self.tree.scopes[t.from].path.clone();
                let text = format!("two transitions from `{path}` have the same priority");
                return error("E0372", t.span, text);
            }
        }
        for t in transitions {
            machines[number[&group[&t.from]]].transitions.push(t);
        }
        Ok(machines)
    }

    /// Which state each component and variable belongs to.
    fn find_places(&mut self, scope: ScopeId, state: Option<ScopeId>, places: &mut Places) {
        let state = match self.machines.variables.contains_key(&scope) {
            true => Some(scope),
            false => state,
        };
        if let Some(s) = state {
            places
                .components
                .insert(self.tree.scopes[scope].component, s);
        }
        for e in self.tree.scopes[scope].order.clone() {
            let Some(c) = self.tree.component(e) else {
                continue;
            };
            match (&c.content, c.first_var) {
                (Content::Class(_) | Content::Family(_), _) => {
                    for &s in self.fall_apart(e).unwrap_or_default().iter() {
                        self.find_places(s, state, places);
                    }
                }
                (Content::Scalar(_), Some(first)) if state.is_some() => {
                    let count: usize = c.dims.iter().product();
                    for k in 0..count {
                        let v = VarId::from_u32(first.as_u32() + k as u32);
                        places.variables.extend(state.map(|s| (v, s)));
                    }
                }
                _ => {}
            }
        }
    }

    /// An inner variable has the value that the active state gives it, or keeps its own.
    fn merge_outputs(&mut self, places: &mut Places) {
        let mut inner: Vec<VarId> = Vec::new();
        let mut given: FxHashMap<VarId, Vec<(VarId, ScopeId)>> = FxHashMap::default();
        for (output, target) in self.machines.outputs.clone() {
            let first = [output, target].map(|e| self.tree.component(e).and_then(|c| c.first_var));
            let [Some(own), Some(target)] = first else {
                continue;
            };
            let dims = self.tree.component(output).map(|c| c.dims.clone());
            let count: usize = dims.unwrap_or_default().iter().product();
            for k in 0..count as u32 {
                let own = VarId::from_u32(own.as_u32() + k);
                let target = VarId::from_u32(target.as_u32() + k);
                let Some(&state) = places.variables.get(&own) else {
                    continue;
                };
                if !given.contains_key(&target) {
                    inner.push(target);
                }
                given.entry(target).or_default().push((own, state));
                places.inner.insert(own, target);
            }
        }
        for v in inner {
            let mut value = self.previous(places.innermost(v));
            for &(own, state) in given[&v].iter().rev() {
                let own = self.value_of(own);
                let active = self.state_variables(state).active;
                let active = self.value_of(active);
                value = self.flat.exprs.if_then_else(active, own, value);
            }
            let component = match places.variables.get(&v) {
                Some(&s) => self.tree.scopes[s].component,
                None => 0,
            };
            let lhs = self.value_of(v);
            let span = self.flat.vars[v].span;
            self.flat.equations.push(Equation {
                lhs,
                rhs: value,
                span,
                component,
                origin: Origin::Generated,
            });
        }
    }

    fn value_of(&mut self, v: VarId) -> ExprId {
        let ty = self.flat.vars[v].ty;
        self.flat.exprs.var(v, ty)
    }

    /// `previous(x)` in the states: of the inner variable, and the start value after a reset.
    fn reset_previous(&mut self, places: &Places) {
        let mut resets: FxHashMap<VarId, (ExprId, ExprId)> = FxHashMap::default();
        for (&v, &state) in &places.variables {
            let reset = self.state_variables(state).reset;
            let reset = self.value_of(reset);
            let start = match self.flat.vars[v].start {
                Some(start) => start,
                None => self.default_start(v),
            };
            resets.insert(v, (reset, start));
        }
        let mut leaf = |x: &mut ExprArena, id: ExprId| {
            let Expr::Builtin(Builtin::Previous, args) = x.get(id) else {
                return None;
            };
            let Expr::Var(v) = x.get(*x.args(args).first()?) else {
                return None;
            };
            let of = places.innermost(v);
            let ty = x.ty(id);
            let value = x.var(of, ty);
            let previous = x.builtin(Builtin::Previous, &[value]);
            Some(match resets.get(&of) {
                Some(&(reset, start)) => x.if_then_else(reset, start, previous),
                None => previous,
            })
        };
        let mut memo = FxHashMap::default();
        let x = &mut self.flat.exprs;
        for e in &mut self.flat.equations {
            e.lhs = x.rewrite(e.lhs, &mut memo, &mut leaf);
            e.rhs = x.rewrite(e.rhs, &mut memo, &mut leaf);
        }
        for t in &mut self.machines.transitions {
            t.condition = x.rewrite(t.condition, &mut memo, &mut leaf);
        }
    }

    fn default_start(&mut self, v: VarId) -> ExprId {
        let x = &mut self.flat.exprs;
        match self.flat.vars[v].ty {
            Ty::Boolean => x.bool(false),
            Ty::Integer => x.int(0),
            Ty::Enum(of) => x.enum_literal(of, 1),
            Ty::String => x.str(""),
            _ => x.real(0.0),
        }
    }

    /// What a state determines keeps its value while it is not active.
    fn hold_inactive(&mut self, places: &Places) {
        let mut equations = std::mem::take(&mut self.flat.equations);
        for e in &mut equations {
            let Some(&state) = places.components.get(&e.component) else {
                continue;
            };
            if self.flat.exprs.ty(e.lhs) == Ty::Clock {
                continue;
            }
            let active = self.state_variables(state).active;
            let active = self.value_of(active);
            e.rhs = self.flat.exprs.builtin(Builtin::InState, &[e.rhs, active]);
        }
        self.flat.equations = equations;
        let mut assertions = std::mem::take(&mut self.flat.assertions);
        for a in &mut assertions {
            let Some(&state) = places.components.get(&a.component) else {
                continue;
            };
            let active = self.state_variables(state).active;
            let active = self.value_of(active);
            a.guard = Some(match a.guard {
                Some(g) => self.flat.exprs.and_all(&[active, g]),
                None => active,
            });
        }
        self.flat.assertions = assertions;
    }

    fn define(&mut self, v: VarId, rhs: ExprId, span: Span) {
        let lhs = self.value_of(v);
        self.flat.equations.push(Equation {
            lhs,
            rhs,
            span,
            component: 0,
            origin: Origin::Generated,
        });
    }

    fn hidden(&mut self, name: &str, machine: usize, ty: Ty) -> VarId {
        let v = self.state_variable(format!("${name}{}", machine + 1), ty);
        self.flat.vars[v].hidden = true;
        v
    }

    fn machine_variables(&mut self, machine: &Machine, k: usize) -> MachineVariables {
        let fired = self.hidden("fired", k, Ty::Integer);
        let is_final = self.hidden("final", k, Ty::Boolean);
        let reset = match machine.parent {
            Some(p) => {
                let v = self.state_variables(p).reset;
                self.value_of(v)
            }
            // True at the first tick.
            None => self.flat.exprs.builtin(Builtin::FirstTick, &[]),
        };
        MachineVariables {
            fired,
            reset,
            is_final,
        }
    }

    /// The equations of section 17.3.4.
    fn machine_equations(&mut self, machines: &[Machine], made: &[MachineVariables], k: usize) {
        let machine = &machines[k];
        let (span, reset) = (machine.span, made[k].reset);
        let active = match machine.parent {
            Some(p) => {
                let v = self.state_variables(p).active;
                self.value_of(v)
            }
            None => self.flat.exprs.bool(true),
        };
        let position = |s: ScopeId| machine.states.iter().position(|&x| x == s).unwrap_or(0);
        let next = self.hidden("nextState", k, Ty::Integer);
        let current = self.hidden("state", k, Ty::Integer);
        let selected = self.hidden("selected", k, Ty::Integer);
        let delayed = self.hidden("delayed", k, Ty::Integer);
        let one = self.flat.exprs.int(1);
        let zero = self.flat.exprs.int(0);
        let before = self.previous(next);
        let rhs = self.flat.exprs.if_then_else(reset, one, before);
        self.define(selected, rhs, span);

        // The transition of the highest precedence that is possible, at once and at the next tick.
        let (mut now, mut later) = (zero, zero);
        for (i, t) in machine.transitions.iter().enumerate() {
            let possible = self.may_fire(machines, made, t);
            let from = if t.immediate { selected } else { next };
            let from = self.value_of(from);
            let x = &mut self.flat.exprs;
            let number = x.int(position(t.from) as i64 + 1);
            let there = x.binary(BinaryOp::Eq, from, number);
            let fires = x.and_all(&[there, possible]);
            let number = x.int(i as i64 + 1);
            let list = if t.immediate { &mut now } else { &mut later };
            *list = x.if_then_else(fires, number, *list);
        }
        self.define(delayed, later, span);
        let before = self.previous(delayed);
        let fired = self.flat.exprs.builtin(Builtin::Max, &[before, now]);
        self.define(made[k].fired, fired, span);

        let fired = self.value_of(made[k].fired);
        let mut state = self.value_of(selected);
        let mut resets = self.flat.exprs.bool(false);
        for (i, t) in machine.transitions.iter().enumerate() {
            let x = &mut self.flat.exprs;
            let number = x.int(i as i64 + 1);
            let this = x.binary(BinaryOp::Eq, fired, number);
            let to = x.int(position(t.to) as i64 + 1);
            state = x.if_then_else(this, to, state);
            if t.reset {
                resets = x.or_all(&[resets, this]);
            }
        }
        let rhs = self.flat.exprs.if_then_else(reset, one, state);
        self.define(current, rhs, span);
        let resets = self.flat.exprs.or_all(&[reset, resets]);
        let state = self.value_of(current);
        let kept = self.previous(next);
        let rhs = self.flat.exprs.if_then_else(active, state, kept);
        self.define(next, rhs, span);

        let mut last = Vec::new();
        for (i, &s) in machine.states.iter().enumerate() {
            let number = self.flat.exprs.int(i as i64 + 1);
            let here = self.flat.exprs.binary(BinaryOp::Eq, state, number);
            let other = self.flat.exprs.not(here);
            let own = self.state_variables(s);
            let rhs = self.flat.exprs.and_all(&[active, here]);
            self.define(own.active, rhs, span);
            // A reset of the machine waits for the state to become active.
            let name = format!("$waits({})", self.tree.scopes[s].path);
            let waits = self.state_variable(name, Ty::Boolean);
            self.flat.vars[waits].hidden = true;
            let before = self.previous(waits);
            let due = self.flat.exprs.or_all(&[reset, before]);
            let still = self.flat.exprs.and_all(&[other, due]);
            let rhs = self.flat.exprs.if_then_else(active, still, before);
            self.define(waits, rhs, span);
            let is_active = self.value_of(own.active);
            let anew = self.flat.exprs.or_all(&[resets, due]);
            let rhs = self.flat.exprs.and_all(&[is_active, anew]);
            self.define(own.reset, rhs, span);
            if !machine.transitions.iter().any(|t| t.from == s) {
                last.push(here);
            }
        }
        let rhs = self.flat.exprs.or_all(&last);
        self.define(made[k].is_final, rhs, span);
    }

    /// The condition of a transition; one that synchronizes waits for the machines of the state it leaves.
    fn may_fire(
        &mut self,
        machines: &[Machine],
        made: &[MachineVariables],
        t: &Transition,
    ) -> ExprId {
        if !t.synchronize {
            return t.condition;
        }
        let mut all = vec![t.condition];
        for (m, v) in machines.iter().zip(made) {
            if m.parent != Some(t.from) {
                continue;
            }
            // What happens at once cannot wait for what the state does at the same tick.
            all.push(match t.immediate {
                true => self.previous(v.is_final),
                false => self.value_of(v.is_final),
            });
        }
        self.flat.exprs.and_all(&all)
    }

    /// How many ticks a state has been active, and since when.
    fn durations(&mut self, machines: &[Machine], made: &[MachineVariables]) {
        for (m, v) in machines.iter().zip(made) {
            for &s in &m.states {
                let own = self.state_variables(s);
                if own.ticks.is_none() && own.since.is_none() {
                    continue;
                }
                let entered = self.entered(machines, made, m, v, s);
                let active = self.value_of(own.active);
                if let Some(ticks) = own.ticks {
                    let before = self.previous(ticks);
                    let x = &mut self.flat.exprs;
                    let (zero, one) = (x.int(0), x.int(1));
                    let more = x.add(before, one);
                    let count = x.if_then_else(entered, one, more);
                    let rhs = x.if_then_else(active, count, zero);
                    self.define(ticks, rhs, m.span);
                }
                if let Some(since) = own.since {
                    let before = self.previous(since);
                    let now = self.sampled_time();
                    let rhs = self.flat.exprs.if_then_else(entered, now, before);
                    self.define(since, rhs, m.span);
                }
            }
        }
    }

    /// The state becomes active at this tick, or a state around it does.
    fn entered(
        &mut self,
        machines: &[Machine],
        made: &[MachineVariables],
        m: &Machine,
        v: &MachineVariables,
        s: ScopeId,
    ) -> ExprId {
        let active = self.state_variables(s).active;
        let before = self.previous(active);
        let active = self.value_of(active);
        let fired = self.value_of(v.fired);
        let x = &mut self.flat.exprs;
        let zero = x.int(0);
        let moved = x.binary(BinaryOp::Gt, fired, zero);
        let fresh = x.not(before);
        let mut any = vec![moved, fresh, v.reset];
        if let Some(p) = m.parent {
            let around = (machines.iter().zip(made)).find(|(m, _)| m.states.contains(&p));
            if let Some((m, v)) = around {
                any.push(self.entered(machines, made, m, v, p));
            }
        }
        let any = self.flat.exprs.or_all(&any);
        self.flat.exprs.and_all(&[active, any])
    }
}

/// Where components and variables belong.
#[derive(Default)]
struct Places {
    components: FxHashMap<u32, ScopeId>,
    variables: FxHashMap<VarId, ScopeId>,
    /// Output of a state to the inner variable.
    inner: FxHashMap<VarId, VarId>,
}

impl Places {
    /// The variable that an output of states ends up in.
    fn innermost(&self, mut v: VarId) -> VarId {
        while let Some(&next) = self.inner.get(&v) {
            v = next;
        }
        v
    }
}
