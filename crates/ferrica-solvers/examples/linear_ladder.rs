//! Factorization and solution of the RLC ladder's Jacobian: analysis, pivot search, refactorization and solution, in µs.
//!
//! Usage: linear_ladder N...

#[allow(dead_code)]
#[path = "rlc_ladder/ladder.rs"]
mod ladder;

use ferrica_solvers::sparse::SparseLu;
use ferrica_solvers::system::DaeSystem;
use ladder::Ladder;
use std::time::Instant;

/// Best of several runs, in µs.
fn best(mut f: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        f();
        least = least.min(start.elapsed().as_secs_f64());
    }
    1e6 * least
}

fn main() {
    for argument in std::env::args().skip(1) {
        let mut system = Ladder::new(argument.parse().unwrap_or(100));
        let Some(pattern) = system.jacobian_pattern() else {
            return;
        };
        let n = pattern.n();
        let mut a = vec![0.0; pattern.nnz()];
        let zero = vec![0.0; n];
        if system.jacobian(0.0, 1000.0, &zero, &zero, &mut a).is_err() {
            return;
        }
        let start = Instant::now();
        let mut lu = SparseLu::new(pattern.clone());
        let analysis = 1e6 * start.elapsed().as_secs_f64();
        let start = Instant::now();
        if let Err(e) = lu.factor_full(&a) {
            eprintln!("{e}");
            return;
        }
        let search = 1e6 * start.elapsed().as_secs_f64();
        let mut good = true;
        let refactor = best(|| good &= lu.refactor(&a));
        let mut x = vec![1.0; n];
        let solve = best(|| lu.solve(&mut x));
        println!(
            "n {n}  nnz {}  factors {}  blocks {}  analysis {analysis:.0}  pivot search {search:.0}  \
             refactor {refactor:.1}  solve {solve:.1}  sum {:.1} µs{}",
            pattern.nnz(),
            lu.factor_nnz(),
            lu.block_count(),
            refactor + solve,
            if good { "" } else { "  (pivots refused)" },
        );
    }
}
