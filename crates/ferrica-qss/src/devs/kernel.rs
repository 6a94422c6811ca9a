//! The DEVS formalism: atomic models, coupled models, the root coordinator.
//!
//! An atomic model ⟨X, S, Y, δint, δext, λ, ta⟩ stays in its state for ta(s) unless an input
//! arrives; when the time is over it sends λ(s) and goes to δint(s); an input x after the elapsed
//! time e puts it into δext(s, e, x). A coupled model is a set of components with their couplings
//! and a rule, `select`, that says which of several imminent components goes first: here the one
//! added first. A coupled model is itself an atomic model (closure under coupling), so couplings nest.
//!
//! Beyond the letter of the formalism the transitions are told the absolute time, so that a block
//! that works with polynomials need not sum up elapsed times and their rounding errors.

use crate::scheduler::Scheduler;

/// A port of a model, numbered from 0.
pub type Port = usize;

/// ⟨X, S, Y, δint, δext, λ, ta⟩ with values of type V on all ports.
pub trait Atomic<V> {
    /// ta(s): how long the present state lasts, counted from the last transition.
    fn time_advance(&self) -> f64;

    /// λ(s): what is sent just before the internal transition.
    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, V));

    /// δint(s).
    fn internal(&mut self, time: f64);

    /// δext(s, e, x).
    fn external(&mut self, time: f64, elapsed: f64, port: Port, value: &V);
}

/// A component's end of a coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target {
    component: usize,
    port: Port,
}

struct Component<V> {
    model: Box<dyn Atomic<V>>,
    /// Couplings of each output port.
    internal: Vec<Vec<Target>>,
    /// Output ports of the coupled model that each output port is led to.
    external: Vec<Vec<Port>>,
    last: f64,
}

/// A coupled model. Components added earlier go first in a tie.
pub struct Coupled<V> {
    components: Vec<Component<V>>,
    inputs: Vec<Vec<Target>>,
    /// Next times; rebuilt when components are added.
    schedule: Scheduler,
    ready: bool,
    /// Time of the last transition of the whole.
    time: f64,
}

impl<V> Coupled<V> {
    /// An empty coupled model whose clock starts at `time`.
    pub fn new(time: f64) -> Coupled<V> {
        Coupled {
            components: Vec::new(),
            inputs: Vec::new(),
            schedule: Scheduler::new(1),
            ready: false,
            time,
        }
    }

    /// Adds a component and returns its number.
    pub fn add(&mut self, model: impl Atomic<V> + 'static) -> usize {
        self.components.push(Component {
            model: Box::new(model),
            internal: Vec::new(),
            external: Vec::new(),
            last: self.time,
        });
        self.ready = false;
        self.components.len() - 1
    }

    /// Internal coupling: an output port of one component to an input port of another.
    pub fn connect(&mut self, from: (usize, Port), to: (usize, Port)) {
        let list = &mut self.components[from.0].internal;
        if list.len() <= from.1 {
            list.resize_with(from.1 + 1, Vec::new);
        }
        list[from.1].push(Target {
            component: to.0,
            port: to.1,
        });
    }

    /// External input coupling.
    pub fn connect_input(&mut self, port: Port, to: (usize, Port)) {
        if self.inputs.len() <= port {
            self.inputs.resize_with(port + 1, Vec::new);
        }
        self.inputs[port].push(Target {
            component: to.0,
            port: to.1,
        });
    }

    /// External output coupling.
    pub fn connect_output(&mut self, from: (usize, Port), port: Port) {
        let list = &mut self.components[from.0].external;
        if list.len() <= from.1 {
            list.resize_with(from.1 + 1, Vec::new);
        }
        list[from.1].push(port);
    }

    pub fn len(&self) -> usize {
        self.components.len()
    }

    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Number of internal couplings.
    pub fn couplings(&self) -> usize {
        let of = |c: &Component<V>| c.internal.iter().map(Vec::len).sum::<usize>();
        self.components.iter().map(of).sum()
    }

    fn prepare(&mut self) {
        if self.ready {
            return;
        }
        self.schedule = Scheduler::new(self.components.len());
        for (k, c) in self.components.iter().enumerate() {
            self.schedule.set(k, c.last + c.model.time_advance());
        }
        self.ready = true;
    }

    fn deliver(&mut self, time: f64, to: Target, value: &V) {
        let component = &mut self.components[to.component];
        let elapsed = time - component.last;
        component.model.external(time, elapsed, to.port, value);
        component.last = time;
        let next = time + component.model.time_advance();
        self.schedule.set(to.component, next);
    }

    /// One transition of the selected imminent component; returns what leaves the coupled model.
    fn transition(&mut self, time: f64) -> Vec<(Port, V)> {
        self.prepare();
        let (selected, due) = self.schedule.next();
        debug_assert!(due <= time);
        let mut sent: Vec<(Port, V)> = Vec::new();
        let component = &mut self.components[selected];
        component
            .model
            .output(time, &mut |port, value| sent.push((port, value)));
        component.model.internal(time);
        component.last = time;
        let next = time + component.model.time_advance();
        self.schedule.set(selected, next);
        let mut leaving = Vec::new();
        for (port, value) in sent {
            let targets = self.components[selected].internal.get(port).cloned();
            for to in targets.unwrap_or_default() {
                self.deliver(time, to, &value);
            }
            if let Some(ports) = self.components[selected].external.get(port) {
                // A value that leaves by several ports would have to be cloned: one port is enough.
                if let Some(&p) = ports.first() {
                    leaving.push((p, value));
                }
            }
        }
        self.time = time;
        leaving
    }
}

/// Closure under coupling. The output of a coupled model is that of its selected component, so λ
/// and δint of the whole are one step: λ makes it, δint has nothing left to do.
impl<V> Atomic<V> for Coupled<V> {
    fn time_advance(&self) -> f64 {
        if self.ready {
            return self.schedule.next().1 - self.time;
        }
        let next = self
            .components
            .iter()
            .map(|c| c.last + c.model.time_advance())
            .fold(f64::INFINITY, f64::min);
        next - self.time
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, V)) {
        for (port, value) in self.transition(time) {
            send(port, value);
        }
    }

    fn internal(&mut self, time: f64) {
        self.time = time;
    }

    fn external(&mut self, time: f64, _: f64, port: Port, value: &V) {
        self.prepare();
        let targets = self.inputs.get(port).cloned().unwrap_or_default();
        for to in targets {
            self.deliver(time, to, value);
        }
        self.time = time;
    }
}

/// The root coordinator: runs one coupled model by itself.
pub struct Root<V> {
    pub model: Coupled<V>,
    pub transitions: u64,
}

impl<V> Root<V> {
    pub fn new(model: Coupled<V>) -> Root<V> {
        Root {
            model,
            transitions: 0,
        }
    }

    /// Time of the next transition.
    pub fn next_time(&mut self) -> f64 {
        self.model.prepare();
        self.model.schedule.next().1
    }

    /// Runs all transitions up to and including `stop`.
    pub fn run_until(&mut self, stop: f64) {
        while self.step(stop) {}
    }

    /// One transition, if there is one not after `stop`.
    pub fn step(&mut self, stop: f64) -> bool {
        let next = self.next_time();
        if next > stop || next.is_infinite() {
            return false;
        }
        self.model.transition(next);
        self.transitions += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// Sends its number every period.
    struct Clock {
        period: f64,
        number: u32,
    }

    impl Atomic<u32> for Clock {
        fn time_advance(&self) -> f64 {
            self.period
        }
        fn output(&mut self, _: f64, send: &mut dyn FnMut(Port, u32)) {
            send(0, self.number);
        }
        fn internal(&mut self, _: f64) {}
        fn external(&mut self, _: f64, _: f64, _: Port, _: &u32) {}
    }

    /// Passes a value on after a delay; a value that arrives meanwhile is lost.
    struct Server {
        delay: f64,
        holding: Option<u32>,
        rest: f64,
    }

    impl Atomic<u32> for Server {
        fn time_advance(&self) -> f64 {
            self.rest
        }
        fn output(&mut self, _: f64, send: &mut dyn FnMut(Port, u32)) {
            if let Some(v) = self.holding {
                send(0, v);
            }
        }
        fn internal(&mut self, _: f64) {
            self.holding = None;
            self.rest = f64::INFINITY;
        }
        fn external(&mut self, _: f64, elapsed: f64, _: Port, value: &u32) {
            if self.holding.is_none() {
                self.holding = Some(*value);
                self.rest = self.delay;
            } else {
                self.rest -= elapsed;
            }
        }
    }

    struct Log(Rc<RefCell<Vec<(f64, u32)>>>);

    impl Atomic<u32> for Log {
        fn time_advance(&self) -> f64 {
            f64::INFINITY
        }
        fn output(&mut self, _: f64, _: &mut dyn FnMut(Port, u32)) {}
        fn internal(&mut self, _: f64) {}
        fn external(&mut self, time: f64, _: f64, _: Port, value: &u32) {
            self.0.borrow_mut().push((time, *value));
        }
    }

    fn server(delay: f64) -> Server {
        Server {
            delay,
            holding: None,
            rest: f64::INFINITY,
        }
    }

    #[test]
    fn busy_server_loses_values() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let mut m = Coupled::new(0.0);
        let clock = m.add(Clock {
            period: 1.0,
            number: 7,
        });
        let s = m.add(server(1.5));
        let l = m.add(Log(log.clone()));
        m.connect((clock, 0), (s, 0));
        m.connect((s, 0), (l, 0));
        Root::new(m).run_until(6.0);
        // Taken at 1, sent at 2.5; the one of 2 is lost; taken at 3, sent at 4.5; and so on.
        assert_eq!(*log.borrow(), [(2.5, 7), (4.5, 7)]);
    }

    /// The same system with the server inside a coupled model of its own gives the same log.
    #[test]
    fn coupled_model_is_a_component() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let mut inner = Coupled::new(0.0);
        let first = inner.add(server(0.5));
        let second = inner.add(server(0.25));
        inner.connect((first, 0), (second, 0));
        inner.connect_input(0, (first, 0));
        inner.connect_output((second, 0), 0);
        let mut m = Coupled::new(0.0);
        let clock = m.add(Clock {
            period: 1.0,
            number: 3,
        });
        let s = m.add(inner);
        let l = m.add(Log(log.clone()));
        m.connect((clock, 0), (s, 0));
        m.connect((s, 0), (l, 0));
        Root::new(m).run_until(3.8);
        assert_eq!(*log.borrow(), [(1.75, 3), (2.75, 3), (3.75, 3)]);
    }

    #[test]
    fn ties_go_to_the_component_added_first() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let mut m = Coupled::new(0.0);
        let a = m.add(Clock {
            period: 1.0,
            number: 1,
        });
        let b = m.add(Clock {
            period: 0.5,
            number: 2,
        });
        let l = m.add(Log(log.clone()));
        m.connect((a, 0), (l, 0));
        m.connect((b, 0), (l, 0));
        Root::new(m).run_until(1.0);
        assert_eq!(*log.borrow(), [(0.5, 2), (1.0, 1), (1.0, 2)]);
    }
}
