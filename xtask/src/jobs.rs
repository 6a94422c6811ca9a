//! Many independent runs, some at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// After so many the count is shown.
const SHOWN_EVERY: usize = 50;

/// What `run` makes of each item, in the order of the items; the first error ends it.
pub fn all<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    run: impl Fn(usize, &T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Ok(Vec::with_capacity(items.len())));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(k) else { break };
                    let result = run(k, item);
                    let Ok(mut done) = done.lock() else { break };
                    let Ok(list) = done.as_mut() else { break };
                    match result {
                        Ok(r) => list.push((k, r)),
                        Err(e) => *done = Err(e),
                    }
                    if let Ok(list) = done.as_ref()
                        && list.len().is_multiple_of(SHOWN_EVERY)
                    {
                        eprintln!("{} of {}", list.len(), items.len());
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|e| e.to_string())??;
    done.sort_by_key(|(k, _)| *k);
    Ok(done.into_iter().map(|(_, r)| r).collect())
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let squares = all(4, &items, |k, n| Ok(k * n)).unwrap();
        assert!(squares.iter().enumerate().all(|(k, s)| *s == k * k));
        let failed = all(4, &items, |_, n| match n {
            7 => Err("seven".to_string()),
            _ => Ok(()),
        });
        assert_eq!(failed, Err("seven".to_string()));
    }
}
