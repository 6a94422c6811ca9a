//! Smaller models that still show a fault.

use super::model::{Action, Condition, Expr, Model};

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
    for k in 0..m.whens.len() {
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
                let (Action::Set(_, e) | Action::Reinit(_, e)) = &actions[i];
                for simpler in simpler_expressions(e) {
                    push(&|c| {
                        let (Action::Set(_, e) | Action::Reinit(_, e)) =
                            &mut c.whens[k].branches[b].1[i];
                        *e = simpler.clone();
                    });
                }
            }
        }
    }
    for k in 0..m.states.len() {
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
    push(&|c| c.has_array = false);
    last_unused(m, &mut out);
    out
}

/// The last variable of a kind, if nothing reads or sets it.
fn last_unused(m: &Model, out: &mut Vec<Model>) {
    let (mut x, mut y, mut n, mut d) = (0, 0, 0, 0);
    m.visit(&mut |e| match e {
        Expr::State(k) | Expr::PreState(k) => x = x.max(k + 1),
        Expr::Algebraic(k) => y = y.max(k + 1),
        Expr::Discrete(k) | Expr::Pre(k) => n = n.max(k + 1),
        Expr::Delayed(k) => d = d.max(k + 1),
        _ => {}
    });
    for c in super::reference::conditions(m) {
        if let Condition::AtLeast(k, _) = c {
            n = n.max(k + 1);
        }
    }
    for a in m.whens.iter().flat_map(|w| &w.branches).flat_map(|b| &b.1) {
        match a {
            Action::Set(k, _) => n = n.max(k + 1),
            Action::Reinit(k, _) => x = x.max(k + 1),
        }
    }
    if d < m.delays.len() {
        let mut c = m.clone();
        c.delays.pop();
        out.push(c);
    }
    for (source, _) in &m.delays {
        match source {
            super::model::Source::State(k) => x = x.max(k + 1),
            super::model::Source::Discrete(k) => n = n.max(k + 1),
        }
    }
    if y < m.algebraics.len() {
        let mut c = m.clone();
        c.algebraics.pop();
        out.push(c);
    }
    if n < m.discretes.len() {
        let mut c = m.clone();
        c.discretes.pop();
        out.push(c);
    }
    if x < m.states.len() && m.states.len() > 1 {
        let mut c = m.clone();
        c.states.pop();
        out.push(c);
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
