//! Units for Co-Simulation that are led together: between two communication points of the model they exchange values as often as the error asks for.
//!
//! In: units with their links, the values of inputs that come from elsewhere, and a time to go to. Out: all units at that time.
//!
//! In each step a unit sees, as its input, the value that a straight line through the last two points has in the middle of the step. That is exact to
//! second order, for an integral over the step sees nothing of what is odd around its middle. Where all units can go back (`canGetAndSetFMUstate`) a
//! step is taken twice, whole and in two halves: what the halves are off is a third of the difference in the outputs (Richardson). What jumps can be missed by
//! both; so the values that were expected at the end are compared with those that came, too: where signals are smooth that difference goes with the square of the
//! step, the error with its cube. Where either is more than the tolerance allows all units go back to where the step began. Where one cannot, each step stands, and
//! the next one is as long as would have kept the difference to what was expected within the tolerance. Without a tolerance a step goes from one
//! communication point of the model to the next, with the values at its beginning.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::unit::Unit;

/// The value of a variable of one unit, as an input of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Number of the input in the flat list of the unit's inputs.
    pub input: usize,
    /// Name of the unit that it comes from, and of its variable.
    pub unit: String,
    pub variable: String,
    pub factor: f64,
    pub offset: f64,
}

impl Link {
    /// As the text of a system has it: input, unit, variable, factor and offset, with tabulators between them.
    pub fn to_text(&self) -> String {
        let Link {
            input,
            unit,
            variable,
            factor,
            offset,
        } = self;
        format!("{input}\t{unit}\t{variable}\t{factor:?}\t{offset:?}")
    }

    fn parse(text: &str) -> Option<Link> {
        let mut parts = text.split('\t');
        let link = Link {
            input: parts.next()?.parse().ok()?,
            unit: parts.next()?.to_owned(),
            variable: parts.next()?.to_owned(),
            factor: parts.next()?.parse().ok()?,
            offset: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(link)
    }
}

/// A signal from unit to unit.
struct Signal {
    from: usize,
    /// Number of the variable in the description of the unit.
    variable: usize,
    /// Does it move along a line? Others jump.
    continuous: bool,
    /// Is it an input of another unit? Others are only compared.
    linked: bool,
    /// Its magnitude: what the description tells, and the largest value so far.
    scale: f64,
}

struct Member {
    unit: Arc<Unit>,
    name: String,
    links: Vec<Link>,
    /// Inputs as the model has set them last.
    held: Vec<f64>,
}

/// The present point: values of all signals, and how fast they change.
#[derive(Clone, Default)]
struct Point {
    values: Vec<f64>,
    slopes: Vec<f64>,
}

#[derive(Default)]
struct Inner {
    tolerance: f64,
    members: Vec<Member>,
    /// Made when the first step begins.
    signals: Option<Vec<Signal>>,
    /// Of each link of each member: number of the signal.
    of_links: Vec<Vec<usize>>,
    point: Point,
    time: Option<f64>,
    begun: bool,
    /// Length of the next step.
    step: f64,
}

/// See the module comment. Its units are asked one at a time.
#[derive(Default)]
pub struct Master(Mutex<Inner>);

/// Part of the way between two communication points of the model below which a step is taken whatever its error: signals jump there.
const SMALLEST_PART: f64 = 1.0 / 1_048_576.0;
/// Part of that way which the first step takes where units cannot go back.
const FIRST_PART: f64 = 1.0 / 1024.0;
/// A step aims at less than the error that is allowed.
const SAFETY: f64 = 0.9;
/// Bounds on the change of a step's length.
const SHORTER: f64 = 0.2;
const LONGER: f64 = 3.0;

/// Rounds of the initialization after which it has no end, and what counts as no change.
const MOST_ROUNDS: usize = 100;
const SETTLED: f64 = 1e-10;

/// Order of the error in one step, where units go back and where they do not.
const LOCAL_ORDER: f64 = 3.0;
const ORDER_OF_INPUTS: f64 = 2.0;

impl Master {
    /// With a tolerance of 0 steps are those of the model.
    pub fn new(tolerance: f64) -> Result<Master, String> {
        if !(0.0..1.0).contains(&tolerance) {
            return Err(format!(
                "the step tolerance {tolerance} is not between 0 and 1"
            ));
        }
        Ok(Master(Mutex::new(Inner {
            tolerance,
            ..Inner::default()
        })))
    }

    fn lock(&self) -> Result<MutexGuard<'_, Inner>, String> {
        (self.0.lock()).map_err(|_| "the system has failed before".to_owned())
    }

    /// Adds a unit under its name in the system; its number.
    pub fn join(&self, unit: Arc<Unit>, name: &str, links: &[String]) -> Result<usize, String> {
        let parsed = links.iter().map(|text| Link::parse(text));
        let links: Option<Vec<Link>> = parsed.collect();
        let links = links.ok_or_else(|| format!("`{name}` has links that cannot be read"))?;
        let mut inner = self.lock()?;
        inner.members.push(Member {
            unit,
            name: name.to_owned(),
            links,
            held: Vec::new(),
        });
        inner.signals = None;
        Ok(inner.members.len())
    }

    /// Inputs of a unit from here on.
    pub fn hold(&self, member: usize, inputs: &[f64]) -> Result<(), String> {
        let mut inner = self.lock()?;
        let member = inner.members.get_mut(member.wrapping_sub(1));
        let member = member.ok_or("there is no such unit in the system")?;
        inputs.clone_into(&mut member.held);
        Ok(())
    }

    /// Takes all units to a time.
    pub fn advance(&self, time: f64) -> Result<(), String> {
        self.lock()?.advance(time)
    }
}

impl Inner {
    /// Finds the ends of all links.
    fn connect(&mut self) -> Result<(), String> {
        let mut signals: Vec<Signal> = Vec::new();
        let mut of_links = Vec::new();
        for member in &self.members {
            let mut own = Vec::new();
            for link in &member.links {
                let from = self.members.iter().position(|m| m.name == link.unit);
                let from = from.ok_or_else(|| format!("there is no unit `{}`", link.unit))?;
                let source = self.members[from].unit.source(&link.variable)?;
                let known =
                    (signals.iter()).position(|s| s.from == from && s.variable == source.variable);
                own.push(known.unwrap_or_else(|| {
                    signals.push(Signal {
                        from,
                        variable: source.variable,
                        continuous: source.continuous,
                        linked: true,
                        scale: source.nominal.unwrap_or(0.0),
                    });
                    signals.len() - 1
                }));
            }
            of_links.push(own);
        }
        for (from, member) in self.members.iter().enumerate() {
            for source in member.unit.outputs()? {
                let is_it = |s: &Signal| s.from == from && s.variable == source.variable;
                if source.continuous && !signals.iter().any(is_it) {
                    signals.push(Signal {
                        from,
                        variable: source.variable,
                        continuous: true,
                        linked: false,
                        scale: source.nominal.unwrap_or(0.0),
                    });
                }
            }
        }
        (self.signals, self.of_links) = (Some(signals), of_links);
        Ok(())
    }

    /// Signals as the units have them now.
    fn read(&self) -> Result<Vec<f64>, String> {
        let all = self.signals.iter().flatten();
        all.map(|s| self.members[s.from].unit.read(s.variable))
            .collect()
    }

    /// Inputs of a unit: those that are held, and signals at so long after a point.
    fn inputs(&self, member: usize, from: &Point, ahead: f64) -> Vec<f64> {
        let (unit, signals) = (&self.members[member], &self.of_links[member]);
        let mut inputs = unit.held.clone();
        for (link, &k) in unit.links.iter().zip(signals) {
            let x = from.values[k] + ahead * from.slopes[k];
            if let Some(input) = inputs.get_mut(link.input) {
                *input = link.factor * x + link.offset;
            }
        }
        inputs
    }

    /// Initializes units again until each has the inputs that the others give it.
    fn settle_start(&mut self) -> Result<(), String> {
        let mut values = self.read()?;
        for _ in 0..MOST_ROUNDS {
            let slopes = vec![0.0; values.len()];
            let point = Point { values, slopes };
            for k in 0..self.members.len() {
                let inputs = self.inputs(k, &point, 0.0);
                self.members[k].unit.begin_with(&inputs)?;
            }
            values = self.read()?;
            let mut both = values.iter().zip(&point.values);
            if both.all(|(a, b)| (a - b).abs() <= SETTLED * a.abs().max(b.abs())) {
                return Ok(());
            }
        }
        Err("the values that the units tell each other at the start do not settle".to_owned())
    }

    /// A step of all units from a point, each with the inputs that hold there; the point at its end.
    fn go(&self, from: &Point, time: f64, step: f64, ahead: f64) -> Result<Point, String> {
        for (k, member) in self.members.iter().enumerate() {
            let inputs = self.inputs(k, from, ahead);
            member.unit.step_to(time + step, &inputs)?;
        }
        let values = self.read()?;
        let signals = self.signals.iter().flatten();
        let slopes = (values.iter().zip(&from.values).zip(signals))
            .map(|((new, old), s)| {
                if s.continuous {
                    (new - old) / step
                } else {
                    0.0
                }
            })
            .collect();
        Ok(Point { values, slopes })
    }

    /// The largest difference of signals in parts of their magnitudes; infinite where one jumps.
    fn distance(&mut self, a: &[f64], b: &[f64], linked: bool) -> f64 {
        let mut worst: f64 = 0.0;
        let all = self.signals.iter_mut().flatten().zip(a).zip(b);
        for ((s, &a), &b) in all.filter(|((s, _), _)| s.linked || !linked) {
            s.scale = s.scale.max(b.abs());
            let off = (a - b).abs();
            worst = worst.max(match s.continuous {
                _ if off == 0.0 => 0.0,
                true => off / s.scale,
                false => f64::INFINITY,
            });
        }
        worst
    }

    /// How far what came is from what a point let expect, of that which units see.
    fn surprise(&mut self, from: &Point, step: f64, came: &Point) -> f64 {
        let expected: Vec<f64> = (from.values.iter().zip(&from.slopes))
            .map(|(x, slope)| x + step * slope)
            .collect();
        self.distance(&expected, &came.values, true)
    }

    fn keep(&self) -> Result<(), String> {
        self.members.iter().try_for_each(|m| m.unit.keep())
    }

    fn go_back(&self) -> Result<(), String> {
        self.members.iter().try_for_each(|m| m.unit.go_back())
    }

    fn advance(&mut self, end: f64) -> Result<(), String> {
        if self.signals.is_none() {
            self.connect()?;
        }
        if !self.begun {
            self.settle_start()?;
            self.begun = true;
        }
        let mut time = match (self.time, self.members.first()) {
            (Some(time), _) => time,
            (None, Some(first)) => first.unit.time()?,
            (None, None) => return Ok(()),
        };
        if end <= time {
            self.time = Some(time);
            return Ok(());
        }
        let whole = end - time;
        let values = self.read()?;
        if self.point.values != values {
            // The first step; or the model has changed something here.
            let slopes = vec![0.0; values.len()];
            self.point = Point { values, slopes };
        }
        let controlled = self.tolerance > 0.0 && !self.point.values.is_empty();
        let can_go_back = controlled && self.members.iter().all(|m| m.unit.can_go_back());
        if !controlled {
            self.point = self.go(&self.point, time, whole, 0.0)?;
            self.time = Some(end);
            return Ok(());
        }
        let smallest = SMALLEST_PART * whole;
        if self.step <= 0.0 {
            // A first step that is too long can be taken back, or not.
            self.step = if can_go_back {
                whole
            } else {
                FIRST_PART * whole
            };
        }
        while time < end {
            let parts = ((end - time) / self.step.max(smallest)).ceil().max(1.0);
            let step = (end - time) / parts;
            // The last one ends at the point itself.
            let next = if parts == 1.0 { end } else { time + step };
            let step = next - time;
            match can_go_back {
                true => self.go_with_halves(&mut time, step, smallest)?,
                false => {
                    let reached = self.go(&self.point, time, step, 0.5 * step)?;
                    let from = std::mem::take(&mut self.point);
                    let error = self.surprise(&from, step, &reached) / self.tolerance;
                    self.step = step * factor(error, ORDER_OF_INPUTS);
                    (self.point, time) = (reached, next);
                }
            }
        }
        self.time = Some(end);
        Ok(())
    }

    /// One step by halves, beside a whole one that tells its error.
    fn go_with_halves(&mut self, time: &mut f64, step: f64, smallest: f64) -> Result<(), String> {
        let (begin, half) = (*time, 0.5 * step);
        self.keep()?;
        let whole = self.go(&self.point, begin, step, half);
        self.go_back()?;
        let rest = begin + step - (begin + half);
        let halves = self
            .go(&self.point, begin, half, 0.5 * half)
            .and_then(|middle| {
                let end = self.go(&middle, begin + half, rest, 0.5 * rest)?;
                Ok((middle, end))
            });
        let smaller = step > 2.0 * smallest;
        let (whole, (middle, end)) = match (whole, halves) {
            (Ok(whole), Ok(halves)) => (whole, halves),
            // A step that a unit refuses may be too long for it.
            (Err(_), _) | (_, Err(_)) if smaller => {
                self.go_back()?;
                self.step = half;
                return Ok(());
            }
            (Err(why), _) | (_, Err(why)) => return Err(why),
        };
        let from = self.point.clone();
        let first = self.surprise(&from, half, &middle);
        let surprise = first.max(self.surprise(&middle, rest, &end));
        let smooth = surprise / self.tolerance.powf(ORDER_OF_INPUTS / LOCAL_ORDER);
        let off = self.distance(&whole.values, &end.values, false) / (3.0 * self.tolerance);
        let error = off.max(smooth.powf(LOCAL_ORDER / ORDER_OF_INPUTS));
        self.step = step * factor(error, LOCAL_ORDER);
        if error > 1.0 && smaller {
            return self.go_back();
        }
        (self.point, *time) = (end, begin + step);
        if error > 1.0 {
            // Something has jumped: no line goes through it.
            self.point.slopes.fill(0.0);
        }
        Ok(())
    }
}

/// How much longer a step may be, by the error in parts of what is allowed.
fn factor(error: f64, order: f64) -> f64 {
    match error > 0.0 || error.is_nan() {
        true if error.is_nan() => SHORTER,
        true => (SAFETY * error.powf(-1.0 / order)).clamp(SHORTER, LONGER),
        false => LONGER,
    }
}
