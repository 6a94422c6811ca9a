//! Elements recognised by their constitutive equations.
//!
//! The equations of a component are linearised at an operating point. With derivatives written as
//! multiplications by s and internal variables eliminated, what remains is a linear relation between
//! the port variables for each s. Its form over several s says what the element is: an impedance
//! that is constant is R, one that grows with s is I, one that falls with s is C; a relation that
//! fixes the effort alone is Se, the flow alone Sf; two ports whose efforts are proportional are TF,
//! crosswise proportional GY. Names play no part.

mod classify;
mod laws;
mod operating;
mod relation;
mod switching;

use ferrica_ir::flat::FlatModel;

use operating::Operating;
pub use operating::inputs;

use crate::extract::Element;
use crate::graph::Kind;
use classify::classify;
use switching::{Switching, switching};

/// A one-port law between effort e and flow f.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    pub kind: Kind,
    pub value: Option<f64>,
}

/// A side of a two-port: a port against another one, or against the reference.
pub type Side = (usize, Option<usize>);

/// What a component is.
#[derive(Clone, Debug, PartialEq)]
pub enum Recognised {
    /// Between two nodes, or (one port) between a node and the reference. Several laws together
    /// share the flow (`series`) or the effort.
    OnePort {
        laws: Vec<Law>,
        series: bool,
    },
    /// The nodes are one; each law acts between the node and the reference.
    Rigid {
        laws: Vec<Law>,
        series: bool,
    },
    /// Holds a node at the reference value: a ground.
    Ground,
    /// Two port pairs (or two ports against the reference).
    TwoPort {
        kind: Kind,
        /// m of TF (e₀ = m·e₁, f₁ = m·f₀), r of GY (e₀ = r·f₁, e₁ = r·f₀).
        modulus: f64,
        sides: [Side; 2],
    },
    /// Each side gives an effort or a flow that is a weighted sum of what the others are given: controlled sources, amplifiers.
    Controlled {
        sides: Vec<Controlled>,
    },
    /// Common through variable (up to sign) in all ports, potentials sum to zero.
    Junction {
        signs: Vec<f64>,
    },
    Multiport,
}

/// A side of an element that gives power as it likes.
#[derive(Clone, Debug, PartialEq)]
pub struct Controlled {
    pub side: Side,
    /// Se or Sf.
    pub kind: Kind,
    /// Of the flow into another side that gives an effort, or the effort at one that gives a flow: side and weight. None: a detector, which gives nothing.
    pub weights: Vec<(usize, f64)>,
}

pub struct Recognition {
    pub what: Recognised,
    /// Takes no power and gives none: it only measures.
    pub detects: bool,
    pub modulated: bool,
    pub nonlinear: bool,
}

/// Recognises the elements of one model; the operating points are shared between them.
pub struct Recogniser<'f> {
    flat: &'f FlatModel,
    base: Operating,
    moved: Operating,
}

impl<'f> Recogniser<'f> {
    pub fn new(flat: &'f FlatModel) -> Recogniser<'f> {
        Recogniser {
            flat,
            base: Operating::new(flat, 0.0),
            moved: Operating::new(flat, 0.23),
        }
    }

    pub fn recognise(&mut self, element: &Element) -> Recognition {
        let flat = self.flat;
        self.base.settle(flat, element);
        self.moved.settle(flat, element);
        let mut first = classify(flat, element, &self.base);
        let mut second = classify(flat, element, &self.moved);
        if !same(&first, &second) && first.as_ref().is_some_and(|w| laws_of(w).len() > 1) {
            // The rate of change of a nonlinear storage looks like a second law unless it is at rest.
            let rest = |at: &mut Operating| {
                at.rate = 0.0;
                let found = classify(flat, element, at);
                at.rate = operating::RATE;
                found
            };
            let (a, b) = (rest(&mut self.base), rest(&mut self.moved));
            let single = |w: &Option<Recognised>| w.as_ref().is_some_and(|w| laws_of(w).len() == 1);
            if single(&a) && single(&b) {
                (first, second) = (a, b);
            }
        }
        let switching = switching(flat, element, &self.base);
        let mut nonlinear = !same(&first, &second);
        let mut modulated = inputs(flat, element).next().is_some();
        let mut what = first.unwrap_or(Recognised::Multiport);
        if matches!(what, Recognised::Controlled { .. })
            && (nonlinear || modulated || switching != Switching::Never)
        {
            what = Recognised::Multiport;
        }
        let kinds: Vec<Kind> = laws_of(&what).iter().map(|l| l.kind).collect();
        let resistive = matches!(kinds.as_slice(), [Kind::R]);
        match switching {
            // Friction holds or slips: between effort and flow there is a law, if not a smooth one.
            Switching::Itself
                if what == Recognised::Multiport && classify::passes_flow(flat, element) =>
            {
                what = Recognised::OnePort {
                    laws: vec![RESISTOR],
                    series: true,
                };
                nonlinear = true;
            }
            Switching::Itself if !kinds.is_empty() && kinds.iter().all(|k| k.is_source()) => {
                what = as_resistor(what);
                nonlinear = true;
            }
            Switching::Itself => nonlinear = true,
            Switching::Told if resistive => modulated = true,
            _ => {}
        }
        if resistive && classify::has_offset(flat, element, &self.base) {
            nonlinear = true;
        }
        let constant = !(nonlinear || modulated && resistive);
        let detects = matches!(kinds.as_slice(), [k] if k.is_source())
            && !modulated
            && classify::detects(flat, element, &self.base);
        Recognition {
            detects,
            what: if constant { what } else { without_values(what) },
            modulated,
            nonlinear,
        }
    }
}

/// R without a value.
const RESISTOR: Law = Law {
    kind: Kind::R,
    value: None,
};

fn as_resistor(w: Recognised) -> Recognised {
    let laws = vec![RESISTOR];
    match w {
        Recognised::OnePort { .. } => Recognised::OnePort { laws, series: true },
        Recognised::Rigid { .. } => Recognised::Rigid { laws, series: true },
        w => w,
    }
}

fn laws_of(found: &Recognised) -> &[Law] {
    match found {
        Recognised::OnePort { laws, .. } | Recognised::Rigid { laws, .. } => laws,
        _ => &[],
    }
}

fn without_values(w: Recognised) -> Recognised {
    let clear = |laws: Vec<Law>| laws.into_iter().map(|l| Law { value: None, ..l }).collect();
    match w {
        Recognised::OnePort { laws, series } => Recognised::OnePort {
            laws: clear(laws),
            series,
        },
        Recognised::Rigid { laws, series } => Recognised::Rigid {
            laws: clear(laws),
            series,
        },
        w => w,
    }
}

fn same(a: &Option<Recognised>, b: &Option<Recognised>) -> bool {
    let close = |x: &Law, y: &Law| {
        x.kind == y.kind
            && match (x.value, y.value) {
                (Some(p), Some(q)) => (p - q).abs() <= 1e-6 * p.abs().max(q.abs()).max(1e-12),
                (p, q) => p == q,
            }
    };
    let lists =
        |x: &[Law], y: &[Law]| x.len() == y.len() && x.iter().zip(y).all(|(p, q)| close(p, q));
    match (a, b) {
        (Some(Recognised::OnePort { laws: x, .. }), Some(Recognised::OnePort { laws: y, .. }))
        | (Some(Recognised::Rigid { laws: x, .. }), Some(Recognised::Rigid { laws: y, .. })) => {
            lists(x, y)
        }
        (
            Some(Recognised::TwoPort {
                kind: k,
                modulus: r,
                ..
            }),
            Some(Recognised::TwoPort {
                kind: l,
                modulus: q,
                ..
            }),
        ) => k == l && (r - q).abs() <= 1e-6 * r.abs(),
        (Some(Recognised::Controlled { sides: x }), Some(Recognised::Controlled { sides: y })) => {
            let near = |p: &(usize, f64), q: &(usize, f64)| {
                p.0 == q.0 && (p.1 - q.1).abs() <= 1e-6 * p.1.abs()
            };
            let same = |a: &Controlled, b: &Controlled| {
                let weights = a.weights.iter().zip(&b.weights);
                a.kind == b.kind
                    && a.weights.len() == b.weights.len()
                    && weights.into_iter().all(|(p, q)| near(p, q))
            };
            x.len() == y.len() && x.iter().zip(y).all(|(a, b)| same(a, b))
        }
        (x, y) => x.is_some() == y.is_some(),
    }
}
