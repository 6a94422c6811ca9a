//! The first steps behind an event.
//!
//! In: states and derivatives behind an event. Out: does the trapezoidal rule turn around what the event has left?
//!
//! An event at a grid point finds states where the equations behind it do not hold them: a current that has just passed zero in a diode that now blocks. It should
//! vanish at once, λ = −R/L with the resistance of the blocking diode; but the trapezoidal rule multiplies it by (1 + z/2)/(1 − z/2), z = hλ, which is negative from
//! z = −2 on: the current comes back, the diode conducts again, and the run chatters. Circuit simulators take two steps of the backward
//! Euler formula there (critical damping adjustment: Marti and Lin, 1989). They are of first order, so that they are taken only where they are needed: z is estimated along the
//! slopes f behind the event, in which a stiff rest shows itself λ times, as the Rayleigh quotient h ⟨J f, f⟩/⟨f, f⟩. The bends J f are those of the curves of the
//! next step ([`super::curve`]).

use super::March;
use super::divergence::state_sizes;
use crate::method::Method;

/// Part of the largest movement, in sizes of states, over which derivatives are differenced.
pub(crate) const APART: f64 = 1e-6;
/// From this z on the trapezoidal rule turns a rest around.
pub(crate) const TURNS: f64 = -2.0;

impl March<'_> {
    /// States and derivatives stand in their slots. The bends, if it does.
    pub(crate) fn turns_around(&mut self) -> Option<Vec<f64>> {
        let layout = &self.model.layout;
        let (n, h) = (layout.n_states, self.grid.step);
        let (first, rates) = (layout.states as usize, layout.derivatives as usize);
        if self.options.method == Method::Ode || n == 0 {
            return None;
        }
        let kept = self.p.ev.slots.clone();
        let (x, f) = (&kept[first..first + n], &kept[rates..rates + n]);
        let size = |k: usize| self.sizes[k].max(x[k].abs());
        let mut largest = 0.0;
        for (k, f) in f.iter().enumerate() {
            largest = f64::max(largest, (h * f).abs() / size(k));
        }
        if largest.is_nan() || largest <= 0.0 {
            return None;
        }
        let part = (APART / largest).min(1.0);
        let states = &mut self.p.ev.slots[first..first + n];
        for ((state, x), f) in states.iter_mut().zip(x).zip(f) {
            *state = x + part * (h * f);
        }
        self.p.ev.invalidate();
        let model = self.model.clone();
        let known = self.p.ev.run(&model.continuous_program).is_ok();
        let (mut product, mut square) = (0.0, 0.0);
        let mut bends = Vec::with_capacity(n);
        for (k, f) in f.iter().enumerate() {
            let d = h * f / size(k);
            let bend = (self.p.ev.slots[rates + k] - f) / part / h;
            product += h * h * bend / size(k) * d;
            square += d * d;
            bends.push(bend);
        }
        self.p.ev.slots.copy_from_slice(&kept);
        self.p.ev.invalidate();
        (known && product < TURNS * square).then_some(bends)
    }

    /// At the start.
    pub(super) fn begin_sizes(&mut self) {
        self.sizes = state_sizes(&self.p.ev);
    }
}
