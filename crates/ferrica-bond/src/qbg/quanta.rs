//! The quanta of sources and storages, and how far functions may be from their polynomials: parts of how far each moves.

use super::assemble::Assembler;
use super::drive::Drive;
use super::ports::Side;
use super::quantizer::Quantizer;
use super::waveform::Piece;
use crate::dual::Moving;
use crate::graph::{Domain, Kind};
use crate::independence::Quantity;
use crate::signals::SignalId;

/// Places at which a function of time is looked at to know how far it moves.
const LOOKS: usize = 200;

impl Assembler<'_> {
    /// How far a polynomial may be from what is not linear.
    pub(super) fn tolerance(&self, signal: SignalId) -> f64 {
        let g = self.graph();
        let bond = &g.bonds[signal / 2];
        let q = match signal % 2 {
            0 => Quantity::Effort,
            _ => Quantity::Flow,
        };
        let ends = [bond.from, bond.to].into_iter();
        let own = ends.filter(|&n| !matches!(g.nodes[n].kind, Kind::Tf | Kind::Gy));
        let scale = own.map(|n| self.scales.domain(g.nodes[n].domain, q));
        let scale = scale.flatten().fold(f64::INFINITY, f64::min);
        self.options.relative_quantum() * if scale.is_finite() { scale } else { 1.0 }
    }

    /// How far a function of time moves in the run; of one that stands still its size.
    pub fn amplitude(&self, drive: &mut Drive) -> f64 {
        let (start, stop) = (self.options.start, self.options.stop);
        let span = stop - start;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut next = start;
        for k in 0..=LOOKS {
            // Also right after events, for what is short.
            let mut times = vec![start + span * k as f64 / LOOKS as f64];
            if next < stop {
                next = drive.next_event(next);
                times.push(next.min(stop));
            }
            for x in times
                .into_iter()
                .map(|t| drive.value(t))
                .filter(|x| x.is_finite())
            {
                (low, high) = (low.min(x), high.max(x));
            }
        }
        if high > low {
            return high - low;
        }
        let until = drive.next_event(start);
        let piece: Piece = drive.piece(start, until);
        piece.amplitude(span)
    }

    pub fn quantizer(
        &self,
        node: usize,
        x: f64,
        amplitudes: &[(Domain, Quantity, f64)],
    ) -> Quantizer {
        let n = &self.graph().nodes[node];
        let quantum = self.options.quantum_for(&n.name).unwrap_or_else(|| {
            let q = Quantity::preferred(n.kind).unwrap_or(Quantity::Effort);
            let driven = amplitudes
                .iter()
                .filter(|(d, p, _)| *d == n.domain && *p == q)
                .fold(0.0f64, |a, s| a.max(s.2));
            let nominal = self.nominal(node, q);
            let guessed = [nominal.unwrap_or(0.0), x.abs(), driven];
            let guess = || guessed.into_iter().fold(0.0f64, f64::max);
            let scale = self.scales.node(node).unwrap_or_else(guess);
            self.options.relative_quantum() * if scale > 0.0 { scale } else { 1.0 }
        });
        Quantizer {
            quantum,
            hysteresis: self.options.hysteresis,
            levels: self.options.levels,
        }
    }

    pub fn source_quantum(&self, node: usize, amplitude: f64) -> f64 {
        let given = self.options.quantum_for(&self.graph().nodes[node].name);
        let scale = if amplitude > 0.0 { amplitude } else { 1.0 };
        given.unwrap_or(self.options.relative_quantum() * scale)
    }

    pub fn amplitude_of(&self, node: usize, amplitude: f64) -> (Domain, Quantity, f64) {
        let n = &self.graph().nodes[node];
        let q = Quantity::preferred(n.kind).unwrap_or(Quantity::Effort);
        (n.domain, q, amplitude)
    }

    /// The largest nominal value of the element's variables with the unit of its state.
    fn nominal(&self, node: usize, q: Quantity) -> Option<f64> {
        let built = &self.analysis.built;
        let e = built.graph.nodes[node].element?;
        let element = &built.network.elements[e];
        let side = Side::of_one_port(element, false);
        let Moving::Value(v) = side.quantity(q).0 else {
            return None;
        };
        let unit = &self.flat.vars[v].unit;
        let vars = crate::extract::variables(self.flat, &element.equations);
        vars.iter()
            .filter(|v| self.flat.vars[**v].unit == *unit)
            .filter_map(|v| self.flat.vars[*v].nominal)
            .filter_map(|e| self.flat.exprs.as_f64(e))
            .map(f64::abs)
            .reduce(f64::max)
    }
}
