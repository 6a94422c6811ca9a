//! Ctrl-C: the first one asks the run to stop and keep its results, the second one ends the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A flag that the first interrupt sets. Where signals cannot be watched it stays unset.
pub fn watch() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the second signal finds the flag set and ends the process at once. The launcher of several ranks
        // repeats its signal, and has a stronger one.
        if ferrica::engines::ranks::size() == 1 {
            let _ = flag::register_conditional_shutdown(signal, 130, Arc::clone(&asked));
        }
        let _ = flag::register(signal, Arc::clone(&asked));
    }
    ferrica::engines::interruption::stop_when(Arc::clone(&asked));
    asked
}
