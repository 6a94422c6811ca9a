//! A run ends where a state, what it depends on, or a variable that was asked for is not a number, where an equation does not determine its unknown, or
//! where events accumulate.
//!
//! In: the rows of a run on their way to its sink. Out: the same rows up to the first one with such a value, and what
//! was found. Every engine gives its rows to a sink, so that the rule holds for all of them.

use std::cell::OnceCell;
use std::io;
use std::sync::Arc;

use ferrica_codegen::model::shorten;
use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{Expr, ExprId, VarId};
use ferrica_ir::print::{self, brief};
use ferrica_ir::{Diagnostic, Span};
use ferrica_sim::{SimError, Sink};

use crate::dependence::{Dependence, Nothing, Operands, is_computed};
use crate::undetermined::{Open, is_undetermined, open, quotients};
use crate::zeno::Zeno;

/// Letters of an expression in a message.
const MOST_TEXT: usize = 160;
/// Open unknowns that are named.
const MAX_TOLD: usize = 5;

/// See the module comment.
pub struct Guard<'a> {
    inner: &'a mut dyn Sink,
    model: &'a CompiledModel,
    watched: Watched,
    zeno: Option<Zeno>,
    /// Made where a value that is not a number is first seen.
    dependence: OnceCell<Dependence>,
    /// The value without meaning that something depends on in the last row, and the time of that row.
    read_since: Option<(Nothing, f64)>,
    /// The values of discrete variables in the last row.
    before: Vec<f64>,
    /// Where operands are computed.
    room: Vec<Option<f64>>,
    /// Unknowns that an equation has left open, and when first.
    left_open: Vec<(Slot, f64)>,
    pub found: Option<Found>,
}

/// What is looked at in each row.
#[derive(Clone)]
pub struct Watched {
    /// States and outputs of the model; what was asked for.
    numbers: Arc<[Slot]>,
    /// What is computed from others: it must be a number where these depend on it.
    computed: Arc<[Slot]>,
    /// What comparisons and the like ask about and can have no value where all variables have one.
    operands: Arc<Operands>,
    /// Unknowns that have their start value where their equation leaves them open.
    open: Arc<[Open]>,
    /// Unknowns that a division gives which the model's text does not have.
    quotients: Arc<[Slot]>,
    /// What changes at events only: when-clauses have given it its value.
    discrete: Arc<[(Slot, VarId)]>,
}

/// Why a run cannot go on.
#[derive(Clone, Copy, Debug)]
pub enum Found {
    /// The first value that is not a number: its slot and the time.
    NotANumber(Nothing, f64),
    /// The first unknown that its equation does not determine: its slot and the time.
    Undetermined(Slot, f64),
    /// A relation whose events accumulate, when they do, and the time of the row.
    Accumulation(usize, f64, f64),
}

impl Watched {
    /// What is wanted must be a number, or all states and outputs; in a model that has neither, everything.
    pub fn new(model: &CompiledModel, wanted: Option<&Vec<Slot>>) -> Watched {
        let source = &model.source;
        let own = || source.states.iter().chain(&source.outputs);
        let place = |v| model.layout.place(v).map(|(slot, _)| slot);
        let mut numbers: Vec<Slot> = match wanted {
            // Other slots are not up to date, but for those that are computed beside them.
            Some(wanted) => wanted.clone(),
            // What the compiler has made besides, as the derivatives for a loop that was then solved otherwise, is nobody's.
            None if own().next().is_none() => {
                let of_the_model = source.vars.iter().filter(|(_, v)| !v.var.hidden);
                of_the_model.filter_map(|(v, _)| place(v)).collect()
            }
            None => own().filter_map(|&v| place(v)).collect(),
        };
        numbers.sort_unstable();
        numbers.dedup();
        let is_known = |s: &Slot| wanted.is_none() || numbers.binary_search(s).is_ok();
        let quotients = quotients(model).filter(is_known).collect();
        let open = open(model).filter(|o| is_known(&o.slot)).collect();
        let operands = Dependence::doubtful_operands(source);
        let slots = |v: VarId| place(v);
        let computed = match wanted {
            Some(wanted) => {
                let variables = wanted.iter().filter_map(|&s| model.variable(s));
                let mut doubtful = Dependence::doubtful(source, variables);
                source.exprs.postorder(&operands.list, |e| {
                    if let Expr::Var(v) = source.exprs.get(e) {
                        doubtful.push(v);
                    }
                });
                doubtful.into_iter().filter_map(slots).collect()
            }
            None => {
                let computed = source.vars.iter().filter(|(_, v)| is_computed(v));
                computed.filter_map(|(v, _)| place(v)).collect()
            }
        };
        let discrete = source.vars.iter().filter(|(_, v)| v.kind == Kind::Discrete);
        let discrete = discrete.filter_map(|(v, _)| Some((place(v)?, v)));
        Watched {
            numbers: numbers.into(),
            computed,
            operands: Arc::new(operands),
            open,
            quotients,
            discrete: discrete.collect(),
        }
    }

    /// What is to be computed in each row beside what was asked for: other variables change at events, and are known.
    pub fn computed(&self, model: &CompiledModel) -> impl Iterator<Item = Slot> {
        let kind = |s: &Slot| model.variable(*s).map(|v| model.source.vars[v].kind);
        let all = self.computed.iter().copied();
        all.filter(move |s| matches!(kind(s), Some(Kind::Algebraic | Kind::Derivative)))
    }

    /// The same for an engine that does not compute all variables.
    pub fn of_some_variables(mut self) -> Watched {
        self.quotients = Arc::default();
        self.computed = Arc::default();
        self.operands = Arc::default();
        self.open = Arc::default();
        self.discrete = Arc::default();
        self
    }
}

impl<'a> Guard<'a> {
    pub fn new(
        model: &'a CompiledModel,
        watched: Watched,
        zeno: Option<Zeno>,
        inner: &'a mut dyn Sink,
    ) -> Guard<'a> {
        Guard {
            inner,
            model,
            watched,
            zeno,
            dependence: OnceCell::new(),
            read_since: None,
            before: Vec::new(),
            room: Vec::new(),
            left_open: Vec::new(),
            found: None,
        }
    }

    fn check(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        let infinite = |&&s: &&Slot| values.get(s as usize).is_some_and(|v| !v.is_finite());
        let mut quotients = self.watched.quotients.iter().filter(infinite);
        if let Some(&slot) = quotients.find(|&&s| is_undetermined(self.model, s, values)) {
            self.found.get_or_insert(Found::Undetermined(slot, time));
            return Err(io::Error::other("an unknown is not determined"));
        }
        let nan = |&&s: &&Slot| values.get(s as usize).is_some_and(|v| v.is_nan());
        if let Some(&slot) = self.watched.numbers.iter().find(nan) {
            let nothing = Nothing::Variable(slot);
            self.found.get_or_insert(Found::NotANumber(nothing, time));
            return Err(io::Error::other("a value is not a number"));
        }
        self.look_for_open(time, values);
        let any = self.watched.computed.iter().any(|s| nan(&s)) || self.asked(values);
        let given = self.changed(values, any);
        if let Some(nothing) = given {
            self.found.get_or_insert(Found::NotANumber(nothing, time));
            return Err(io::Error::other(
                "a when-clause has read a value that is not a number",
            ));
        }
        let read = any.then(|| self.read(values)).flatten();
        // Right behind a threshold what its condition guards has no value, until the event that is due there.
        self.read_since = match (read, self.read_since) {
            (Some(_), Some((nothing, since))) if time > since => {
                self.found.get_or_insert(Found::NotANumber(nothing, since));
                return Err(io::Error::other(
                    "something depends on a value that is not a number",
                ));
            }
            (Some(nothing), None) => Some((nothing, time)),
            (read, since) => read.and(since),
        };
        let zeno = self.zeno.as_mut().and_then(|z| z.look(time, values));
        if let Some((relation, at)) = zeno {
            let found = Found::Accumulation(relation, at, time);
            self.found.get_or_insert(found);
            return Err(io::Error::other("events accumulate"));
        }
        Ok(())
    }
}

impl Guard<'_> {
    /// A value that is not a number from which a when-clause has given a discrete variable another one since the last row.
    fn changed(&mut self, values: &[f64], any: bool) -> Option<Nothing> {
        let now = |s: Slot| values.get(s as usize).copied().unwrap_or(0.0);
        let discrete = &self.watched.discrete;
        let mut changed = Vec::new();
        if any {
            let old = discrete.iter().zip(&self.before);
            let moved = old.filter(|((slot, _), before)| now(*slot) != **before);
            changed = moved.map(|((_, v), _)| *v).collect();
        }
        self.before.clear();
        self.before.extend(discrete.iter().map(|&(s, _)| now(s)));
        if changed.is_empty() {
            return None;
        }
        self.dependence().given_nothing(self.model, values, changed)
    }

    /// A value that is not a number and that derivatives, outputs or conditions of reinits read in this row.
    fn read(&self, values: &[f64]) -> Option<Nothing> {
        self.dependence().on_nothing(self.model, values)
    }

    /// Is something asked about that is not a number?
    fn asked(&mut self, values: &[f64]) -> bool {
        let operands = self.watched.operands.clone();
        if operands.list.is_empty() {
            return false;
        }
        let mut room = std::mem::take(&mut self.room);
        let found = (self.dependence()).is_nothing(self.model, values, &operands, &mut room);
        self.room = room;
        found
    }

    fn dependence(&self) -> &Dependence {
        (self.dependence).get_or_init(|| Dependence::new(&self.model.source))
    }

    /// Unknowns that their equation leaves open in this row.
    fn look_for_open(&mut self, time: f64, values: &[f64]) {
        for o in self.watched.open.iter() {
            let now = values.get(o.slot as usize).copied();
            let value = |e| self.dependence().value(self.model, values, e);
            if value(o.start) == now
                && value(o.condition) == Some(1.0)
                && self.left_open.len() < MAX_TOLD
                && self.left_open.iter().all(|t| t.0 != o.slot)
            {
                self.left_open.push((o.slot, time));
            }
        }
    }

    /// What is to be told of a run that goes on.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let of = |&(slot, time): &(Slot, f64)| {
            let (formula, span) = self.model.formula(slot);
            let name = self.model.var_name(slot);
            let message = format!(
                "any value of `{name}` satisfies its equation at time {}: it has its start value there\n  in {formula}",
                brief(time)
            );
            Diagnostic::warning("W0607", span, message)
        };
        self.left_open.iter().map(of).collect()
    }
}

impl Sink for Guard<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.check(time, slots)?;
        self.inner.row(time, slots)
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.check(time, slots)?;
        self.inner.event_row(time, slots)
    }

    fn wants_event_rows(&self) -> bool {
        self.inner.wants_event_rows()
    }

    fn instant(&mut self, slots: &[f64], forced: &[(usize, bool)], samplers: &[usize]) {
        if let (Some(zeno), Some(&time)) = (&mut self.zeno, slots.first()) {
            zeno.changed(time, forced);
        }
        self.inner.instant(slots, forced, samplers);
    }

    fn interrupted(&mut self) -> bool {
        self.found.is_some() || self.inner.interrupted()
    }

    fn progress(&mut self, time: f64) {
        self.inner.progress(time);
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.inner.end(ev, memory);
    }
}

impl Found {
    /// Where the run has ended, and what to tell.
    pub fn told(self, model: &CompiledModel) -> (f64, Diagnostic) {
        match self {
            Found::NotANumber(Nothing::Variable(slot), time) => {
                (time, not_a_number(model, slot, time))
            }
            Found::NotANumber(Nothing::Operand(e, of), time) => {
                (time, undecided(model, e, of, time))
            }
            Found::Undetermined(slot, time) => (time, undetermined(model, slot, time)),
            Found::Accumulation(relation, at, time) => {
                let (failure, hint) = ferrica_sim::accumulate(model, relation, at);
                let error = SimError {
                    hint: Some(hint),
                    ..SimError::new("E0614", time, failure)
                };
                (time, error.diagnostic())
            }
        }
    }
}

fn not_a_number(model: &CompiledModel, slot: Slot, time: f64) -> Diagnostic {
    let (formula, span) = model.formula(slot);
    let message = format!(
        "`{}` is not a number at time {}\n  from {formula}",
        model.var_name(slot),
        brief(time)
    );
    Diagnostic::error("E0613", span, message)
        .with_hint("guard the argument of the function, or the divisor, that has no value there")
}

fn undecided(model: &CompiledModel, e: ExprId, of: Option<VarId>, time: f64) -> Diagnostic {
    let mut text = print::expr(&model.source.exprs, &*model.source, e);
    shorten(&mut text, MOST_TEXT);
    let place = of.and_then(|v| model.layout.place(v));
    let (what, span) = match place {
        Some((slot, _)) => {
            let what = format!("and `{}` depends on it", model.var_name(slot));
            (what, model.formula(slot).1)
        }
        None => (
            "and the condition of a `reinit` depends on it".into(),
            Span::NONE,
        ),
    };
    let message = format!("`{text}` is not a number at time {}, {what}", brief(time));
    Diagnostic::error("E0613", span, message)
        .with_hint("guard the argument of the function, or the divisor, that has no value there")
}

fn undetermined(model: &CompiledModel, slot: Slot, time: f64) -> Diagnostic {
    let (formula, span) = model.formula(slot);
    let name = model.var_name(slot);
    let message = format!(
        "no equation determines `{name}` at time {}: its coefficient is zero\n  in {formula}",
        brief(time)
    );
    Diagnostic::error("E0613", span, message).with_hint(
        "the equations say the same twice, or contradict each other, with these parameters or at this time",
    )
}
