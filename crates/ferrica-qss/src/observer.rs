//! What an observer of a run sees: trajectories at one time, and what has happened.

use ferrica_ir::Diagnostic;
use ferrica_sim::Present;

use crate::groups::Couplings;
use crate::integrator::{Node, Rest};
use crate::quantizer::SETTLED;
use crate::taylor::value;

/// Read access to the trajectories at one time.
#[derive(Clone, Copy)]
pub struct Trajectories<'a> {
    nodes: &'a [Node],
    order: usize,
    couplings: Option<&'a Couplings>,
    /// The time they are looked at.
    pub time: f64,
}

impl<'a> Trajectories<'a> {
    pub(crate) fn new(nodes: &'a [Node], order: usize, time: f64) -> Trajectories<'a> {
        Trajectories {
            nodes,
            order,
            couplings: None,
            time,
        }
    }

    /// With the groups of states that share fast motions.
    pub(crate) fn with(mut self, couplings: Option<&'a Couplings>) -> Trajectories<'a> {
        self.couplings = couplings;
        self
    }

    /// Value of a state (or time input) now.
    #[inline]
    pub fn state(&self, i: usize) -> f64 {
        let node = &self.nodes[i];
        value(&node.x, self.time - node.tx) + node.left_out(self.time, self.order + 1)
    }

    /// What conditions, and variables that are functions of states, see of one (see [`Node::seen`] and [`Couplings::seen`]): the difference of two that share a
    /// fast motion, times the large factor that makes it fast, is not decided by what the quanta leave of it.
    #[inline]
    pub fn seen(&self, i: usize) -> f64 {
        let (nodes, t) = (self.nodes, self.time);
        let end = self.couplings.and_then(|c| match self.order {
            1 => c.seen::<1, 2, 2>(nodes, i, t).map(|y| y[0]),
            2 => c.seen::<2, 3, 3>(nodes, i, t).map(|y| y[0]),
            _ => c.seen::<3, 4, 4>(nodes, i, t).map(|y| y[0]),
        });
        if let Some(end) = end {
            return end;
        }
        let node = &self.nodes[i];
        if node.rest != Rest::Near {
            return self.state(i);
        }
        match self.order {
            1 => node.seen::<1, 2, 2>(self.time)[0],
            2 => node.seen::<2, 3, 3>(self.time)[0],
            _ => node.seen::<3, 4, 4>(self.time)[0],
        }
    }

    /// What the quanta leave uncertain of [`Trajectories::seen`], with the error of each state `side`, one or minus one, times what is left of its quantum: a state on its
    /// quasi-steady solution is near it, and fast motions of a group have come to their end.
    pub(crate) fn uncertain(&self, i: usize, side: impl Fn(usize) -> f64) -> f64 {
        let nodes = self.nodes;
        if let Some(c) = self.couplings.filter(|c| c.is_member(i)) {
            return c.uncertain(nodes, i, side);
        }
        let rests = matches!(nodes[i].rest, Rest::Near | Rest::On);
        let left = if rests { SETTLED } else { 1.0 };
        left * nodes[i].quantum * side(i)
    }

    /// Taylor coefficients of a state's trajectory now.
    pub fn polynomial(&self, i: usize) -> [f64; 4] {
        self.nodes[i].trajectory(self.time)
    }

    /// Value of a quantized state now.
    pub fn quantized(&self, i: usize) -> f64 {
        let node = &self.nodes[i];
        value(&node.q, self.time - node.tq)
    }
}

/// What an event sees of the states.
impl Present for Trajectories<'_> {
    const EVALUATED: bool = false;

    #[inline]
    fn state(&self, i: usize, _: f64) -> f64 {
        self.seen(i)
    }
}

/// What has happened at a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    State(usize),
    Input(usize),
    BeforeEvent,
    AfterEvent,
}

/// Receives the results of a run.
pub trait Observer<M> {
    /// The next time at which output is wanted; infinity when no more.
    fn due(&self) -> f64;
    fn output(&mut self, model: &mut M, at: Trajectories<'_>) -> Result<(), Diagnostic>;
    /// Called now and then, however long it takes to the next output: an error ends the run.
    fn look(&mut self, time: f64) -> Result<(), Diagnostic> {
        let _ = time;
        Ok(())
    }
    /// Shall `happening` be called for transitions of states and inputs too?
    fn every_transition(&self) -> bool {
        false
    }
    fn happening(
        &mut self,
        model: &mut M,
        at: Trajectories<'_>,
        what: Happening,
    ) -> Result<(), Diagnostic> {
        let _ = (model, at, what);
        Ok(())
    }
}

/// An observer that wants nothing.
pub struct Silent;

impl<M> Observer<M> for Silent {
    fn due(&self) -> f64 {
        f64::INFINITY
    }
    fn output(&mut self, _: &mut M, _: Trajectories<'_>) -> Result<(), Diagnostic> {
        Ok(())
    }
}
