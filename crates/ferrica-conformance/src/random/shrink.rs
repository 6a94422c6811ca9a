//! Smaller models that still show a fault.

use super::model::{Action, Condition, Expr, Model, Node, Source};

/// Makes a model smaller as long as the fault stays.
pub fn shrink(model: &Model, is_faulty: impl Fn(&Model) -> bool) -> Model {
    let mut best = model.clone();
    loop {
        let found = smaller(&best).into_iter().find(|m| is_faulty(m));
        match found {
            Some(m) => best = m,
            None => return best,
        }
    }
}

/// Models with one thing less.
fn smaller(m: &Model) -> Vec<Model> {
    let mut out = Vec::new();
    let mut push = |change: &dyn Fn(&mut Model)| {
        let mut c = m.clone();
        change(&mut c);
        if c != *m {
            out.push(c);
        }
    };
    if let Some(family) = &m.family {
        push(&Model::remove_family);
        push(&|c| {
            c.remove_family();
            c.add_family(super::model::Family {
                n: family.n / 2,
                ..family.clone()
            });
        });
    }
    for k in 0..m.before_family()[2] {
        push(&|c| {
            c.whens.remove(k);
        });
        let branches = &m.whens[k].branches;
        for b in 0..branches.len() {
            if branches.len() > 1 {
                push(&|c| {
                    c.whens[k].branches.remove(b);
                });
            }
            let (conditions, actions) = &branches[b];
            for i in 0..conditions.len() {
                if conditions.len() > 1 {
                    push(&|c| {
                        c.whens[k].branches[b].0.remove(i);
                    });
                }
                for simpler in simpler_conditions(&conditions[i]) {
                    push(&|c| c.whens[k].branches[b].0[i] = simpler.clone());
                }
            }
            for i in 0..actions.len() {
                // The same variables must be set in all branches.
                if branches.len() == 1 && actions.len() > 1 {
                    push(&|c| {
                        c.whens[k].branches[b].1.remove(i);
                    });
                }
                for simpler in simpler_actions(&actions[i]) {
                    push(&|c| {
                        c.whens[k].branches[b].1.splice(i..=i, simpler.clone());
                    });
                }
            }
        }
    }
    for k in 0..m.before_family()[0] {
        for simpler in simpler_expressions(&m.states[k].1) {
            push(&|c| c.states[k].1 = simpler.clone());
        }
    }
    for k in 0..m.algebraics.len() {
        push(&|c| {
            c.algebraics[k] = super::model::Algebraic::Plain(c.algebraics[k].right().clone())
        });
        for simpler in simpler_expressions(m.algebraics[k].right()) {
            push(&|c| c.algebraics[k] = c.algebraics[k].with(simpler.clone()));
        }
    }
    for k in 0..m.flags.len() {
        for simpler in simpler_conditions(&m.flags[k]) {
            push(&|c| c.flags[k] = simpler.clone());
        }
    }
    for k in 0..m.delays.len() {
        push(&|c| c.delays[k].swing = 0.0);
    }
    for k in 0..m.whens.len() {
        push(&|c| c.whens[k].is_algorithm = false);
    }
    push(&|c| c.has_array = false);
    push(&|c| c.has_if_equations = false);
    last_unused(m, &mut out);
    out
}

/// The last variable of a kind, if nothing reads or sets it.
fn last_unused(m: &Model, out: &mut Vec<Model>) {
    let used = Used::of(m);
    let mut push = |is_used: bool, drop: &dyn Fn(&mut Model)| {
        if !is_used {
            let mut c = m.clone();
            drop(&mut c);
            if c != *m {
                out.push(c);
            }
        }
    };
    push(used.delays >= m.delays.len(), &|c| {
        c.delays.pop();
    });
    push(used.algebraics >= m.algebraics.len(), &|c| {
        c.algebraics.pop();
    });
    push(used.kept >= m.kept.len(), &|c| {
        c.kept.pop();
    });
    push(used.flags >= m.flags.len(), &|c| {
        c.flags.pop();
    });
    push(used.held >= m.clocked.len(), &|c| {
        c.clocked.pop();
    });
    // Those of a family are the last ones.
    let has_family = m.family.is_some();
    push(has_family || used.discretes >= m.discretes.len(), &|c| {
        c.discretes.pop();
        c.modes.retain(|d| *d < c.discretes.len());
    });
    push(
        has_family || used.states >= m.states.len() || m.states.len() == 1,
        &|c| {
            c.states.pop();
        },
    );
}

/// How many of each kind are needed.
#[derive(Default)]
struct Used {
    states: usize,
    algebraics: usize,
    discretes: usize,
    delays: usize,
    kept: usize,
    flags: usize,
    held: usize,
}

impl Used {
    fn of(m: &Model) -> Used {
        let mut used = Used::default();
        m.visit(&mut |n| used.node(n));
        m.visit_actions(&mut |a| match a {
            Action::Set(k, _) => used.discretes = used.discretes.max(k + 1),
            Action::Reinit(k, _) => used.states = used.states.max(k + 1),
            Action::Keep(k, _) => used.kept = used.kept.max(k + 1),
            Action::Choose(..) => {}
        });
        for d in &m.delays {
            match d.source {
                Source::State(k) => used.states = used.states.max(k + 1),
                Source::Discrete(k) => used.discretes = used.discretes.max(k + 1),
            }
        }
        for c in &m.clocked {
            used.states = used.states.max(c.state + 1);
        }
        used
    }

    fn node(&mut self, n: Node<'_>) {
        let at_least = |count: &mut usize, k: usize| *count = (*count).max(k + 1);
        match n {
            Node::Expr(e) => match e {
                Expr::State(k) | Expr::PreState(k) => at_least(&mut self.states, *k),
                Expr::Algebraic(k) => at_least(&mut self.algebraics, *k),
                Expr::Discrete(k) | Expr::Pre(k) | Expr::Mod(k, _) => {
                    at_least(&mut self.discretes, *k);
                }
                Expr::Delayed(k) => at_least(&mut self.delays, *k),
                Expr::Kept(k) | Expr::PreKept(k) => at_least(&mut self.kept, *k),
                Expr::Held(k) => at_least(&mut self.held, *k),
                _ => {}
            },
            Node::Condition(c) => match c {
                Condition::AtLeast(k, _) | Condition::Was(k, _) | Condition::Change(k) => {
                    at_least(&mut self.discretes, *k);
                }
                Condition::Flag(k) | Condition::Edge(k) => at_least(&mut self.flags, *k),
                _ => {}
            },
        }
    }
}

/// What an action can be replaced with. The variables of an enumeration have values of their own.
fn simpler_actions(a: &Action) -> Vec<Vec<Action>> {
    let with = |e: &Expr, action: &dyn Fn(Expr) -> Action| {
        let list = simpler_expressions(e).into_iter();
        list.map(|e| vec![action(e)]).collect::<Vec<_>>()
    };
    match a {
        Action::Set(d, e) => with(e, &|e| Action::Set(*d, e)),
        Action::Reinit(s, e) => with(e, &|e| Action::Reinit(*s, e)),
        Action::Keep(k, e) => with(e, &|e| Action::Keep(*k, e)),
        Action::Choose(_, yes, no) => vec![yes.clone(), no.clone()],
    }
}

fn simpler_expressions(e: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    let boxed = |e: &Expr| Box::new(e.clone());
    match e {
        Expr::Number(v) if *v != 0.0 && *v != 1.0 => out.push(Expr::Number(1.0)),
        Expr::Number(_) => {}
        Expr::Add(a, b) => {
            out.extend([(**a).clone(), (**b).clone()]);
            out.extend(
                simpler_expressions(a)
                    .iter()
                    .map(|s| Expr::Add(boxed(s), b.clone())),
            );
            out.extend(
                simpler_expressions(b)
                    .iter()
                    .map(|s| Expr::Add(a.clone(), boxed(s))),
            );
        }
        Expr::Multiply(k, a) => {
            out.push(Expr::Number(1.0));
            out.push((**a).clone());
            out.extend(
                simpler_expressions(a)
                    .iter()
                    .map(|s| Expr::Multiply(*k, boxed(s))),
            );
        }
        Expr::Sin(a) => {
            out.push(Expr::Number(1.0));
            out.extend(simpler_expressions(a).iter().map(|s| Expr::Sin(boxed(s))));
        }
        Expr::Floor(a) | Expr::Abs(a) | Expr::Max(a, _) => out.push((**a).clone()),
        Expr::Call(a) => {
            out.push((**a).clone());
            out.extend(simpler_expressions(a).iter().map(|s| Expr::Call(boxed(s))));
        }
        Expr::If(c, a, b) => {
            out.extend([(**a).clone(), (**b).clone()]);
            let conditions = simpler_conditions(c);
            out.extend(
                conditions
                    .into_iter()
                    .map(|s| Expr::If(Box::new(s), a.clone(), b.clone())),
            );
            out.extend(
                simpler_expressions(a)
                    .iter()
                    .map(|s| Expr::If(c.clone(), boxed(s), b.clone())),
            );
            out.extend(
                simpler_expressions(b)
                    .iter()
                    .map(|s| Expr::If(c.clone(), a.clone(), boxed(s))),
            );
        }
        _ => out.push(Expr::Number(1.0)),
    }
    out
}

fn simpler_conditions(c: &Condition) -> Vec<Condition> {
    let boxed = |c: &Condition| Box::new(c.clone());
    match c {
        Condition::And(a, b) | Condition::Or(a, b) => {
            let mut out = vec![(**a).clone(), (**b).clone()];
            let again = |a: Box<Condition>, b: Box<Condition>| match c {
                Condition::And(..) => Condition::And(a, b),
                _ => Condition::Or(a, b),
            };
            out.extend(
                simpler_conditions(a)
                    .iter()
                    .map(|s| again(boxed(s), b.clone())),
            );
            out.extend(
                simpler_conditions(b)
                    .iter()
                    .map(|s| again(a.clone(), boxed(s))),
            );
            out
        }
        Condition::Not(a) => {
            let mut out = vec![(**a).clone()];
            out.extend(
                simpler_conditions(a)
                    .iter()
                    .map(|s| Condition::Not(boxed(s))),
            );
            out
        }
        Condition::Above(e, v) => {
            let all = simpler_expressions(e).into_iter();
            all.filter(|e| !matches!(e, Expr::Number(_)))
                .map(|e| Condition::Above(e, *v))
                .collect()
        }
        Condition::Below(e, v) => {
            let all = simpler_expressions(e).into_iter();
            all.filter(|e| !matches!(e, Expr::Number(_)))
                .map(|e| Condition::Below(e, *v))
                .collect()
        }
        _ => Vec::new(),
    }
}
