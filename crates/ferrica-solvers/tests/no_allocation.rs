//! Steps do not allocate once a method has its memory: counted by an allocator around the system's.

use ferrica_solvers::bdf::BdfOde;
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::fixed_step::FixedStep;
use ferrica_solvers::integrator::{Integrator, Options, StepOutcome};
use ferrica_solvers::radau::RadauOde;
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Of this thread: the test harness has threads of its own.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: `p` came from `alloc` above.
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A rod of 40 cells with a heat source that is switched by a root function: sparse, stiff, with events.
struct Rod {
    heating: bool,
}

impl RootFunctions for Rod {
    fn n_roots(&self) -> usize {
        1
    }
    fn roots(&mut self, _: f64, y: &[f64], _: &[f64], g: &mut [f64]) -> Result<(), EvalError> {
        g[0] = y[20] - if self.heating { 1.2 } else { 0.8 };
        Ok(())
    }
}

impl OdeSystem for Rod {
    fn n(&self) -> usize {
        40
    }
    fn rhs(&mut self, _: f64, y: &[f64], d: &mut [f64]) -> Result<(), EvalError> {
        let n = d.len();
        for i in 0..n {
            let left = if i > 0 { y[i - 1] } else { 0.0 };
            let right = if i + 1 < n { y[i + 1] } else { 0.0 };
            d[i] = 1600.0 * (left - 2.0 * y[i] + right);
        }
        d[20] += if self.heating { 400.0 } else { 0.0 };
        Ok(())
    }
    fn jacobian_pattern(&self) -> Option<CscPattern> {
        let n = self.n();
        Some(CscPattern::from_entries(
            n,
            (0..n).flat_map(|i| [(i, i), (i + 1, i), (i, i + 1)]),
        ))
    }
}

#[test]
fn steps_and_restarts_do_not_allocate() {
    let options = Options {
        h_fixed: 1e-4,
        ..Options::new(1e-5, 1e-5)
    };
    let methods: [(&str, Box<dyn Integrator<Rod>>); 4] = [
        ("bdf", Box::new(BdfOde::new(options.clone()))),
        ("radau", Box::new(RadauOde::new(options.clone()))),
        ("dopri5", Box::new(Dopri5::new(options.clone()))),
        ("rk4", Box::new(FixedStep::runge_kutta4(options))),
    ];
    for (name, mut i) in methods {
        let mut rod = Rod { heating: true };
        let mut y = vec![0.0; 40];
        i.init(&mut rod, 0.0, &y, &[]).unwrap();
        let mut before = 0;
        let mut events = 0;
        loop {
            match i.step(&mut rod, 0.3).unwrap() {
                StepOutcome::Stepped => {}
                StepOutcome::ReachedTstop => break,
                StepOutcome::RootFound { t } => {
                    rod.heating = !i.roots_found()[0].rising;
                    y.copy_from_slice(i.y());
                    i.reinit(&mut rod, t, &y, &[]).unwrap();
                    events += 1;
                    if events == 1 {
                        // Matrices have been factored once by now.
                        before = COUNT.get();
                    }
                }
            }
        }
        let allocations = COUNT.get() - before;
        assert!(events > 4, "{name}: {events}");
        assert_eq!(
            allocations, 0,
            "{name}: {allocations} allocations after {events} events"
        );
    }
}
