//! Ranks of an MPI job: `mpirun -n 4 ferrica run big.mo --partition tlm`.
//!
//! The default build needs no MPI; with the feature `mpi` the program joins the job that it was started in. All ranks
//! compile the model; the first one writes the results and speaks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ferrica_tlm::Transport;

use crate::failure::Failure;

/// Of this process in its job; without one, the only one.
///
/// ```
/// assert!(ferrica::engines::ranks::rank() < ferrica::engines::ranks::size());
/// ```
pub fn rank() -> usize {
    number(&["OMPI_COMM_WORLD_RANK", "PMI_RANK"]).unwrap_or(0)
}

/// Processes in the job.
///
/// ```
/// // The first rank of a job speaks, the others are silent.
/// if ferrica::engines::ranks::size() > 1 && ferrica::engines::ranks::rank() == 0 {
///     println!("{} ranks", ferrica::engines::ranks::size());
/// }
/// ```
pub fn size() -> usize {
    number(&["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]).unwrap_or(1)
}

/// Processes of the job on this machine.
pub(crate) fn local_size() -> usize {
    let names = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];
    number(&names).unwrap_or(1).max(1)
}

fn number(names: &[&str]) -> Option<usize> {
    let value = names.iter().find_map(std::env::var_os)?;
    value.to_str()?.parse().ok()
}

/// Says early what this build cannot do.
///
/// ```
/// // A process that is in no job needs no MPI.
/// if ferrica::engines::ranks::size() == 1 {
///     assert!(ferrica::engines::ranks::supported().is_ok());
/// }
/// ```
pub fn supported() -> Result<(), Failure> {
    if size() > 1 && !cfg!(feature = "mpi") {
        return Err(Failure::usage_with_hint(
            "this build of ferrica has no MPI",
            "with an MPI and libclang installed (Debian: openmpi-bin libopenmpi-dev libclang-dev), `cargo install --path crates/ferrica-cli --features mpi` in its sources makes one that has",
        ));
    }
    Ok(())
}

/// Membership in the job, until it is dropped.
///
/// ```
/// let membership: ferrica::engines::ranks::Membership = ferrica::engines::ranks::join();
/// // … the work of this rank …
/// drop(membership);
/// ```
pub struct Membership {
    #[cfg(feature = "mpi")]
    _job: Option<ferrica_tlm::Job>,
}

/// Joins the job, if there is one.
///
/// ```
/// let _job = ferrica::engines::ranks::join();
/// ```
pub fn join() -> Membership {
    Membership {
        #[cfg(feature = "mpi")]
        _job: if size() > 1 {
            ferrica_tlm::Job::join()
        } else {
            None
        },
    }
}

/// The simulation failed, and all ranks know: they end by themselves, and the first one tells.
static ALL_KNOW: AtomicBool = AtomicBool::new(false);

pub(crate) fn all_know() {
    ALL_KNOW.store(true, Ordering::Relaxed);
}

/// How long another rank than the first waits before it speaks: most failures are those of all, and the first tells them.
const SILENCE: Duration = Duration::from_secs(5);

/// Tells a failure once, and ends the job where others would wait for this rank forever.
///
/// ```
/// let mut told = false;
/// ferrica::engines::ranks::failed(|| told = true, 1);
/// assert!(told || ferrica::engines::ranks::rank() > 0);
/// ```
pub fn failed(tell: impl FnOnce(), code: u8) {
    let others_wait = size() > 1 && !ALL_KNOW.load(Ordering::Relaxed);
    if others_wait && rank() > 0 {
        std::thread::sleep(SILENCE);
    }
    if others_wait || rank() == 0 {
        tell();
    }
    #[cfg(feature = "mpi")]
    if others_wait {
        ferrica_tlm::Job::abort(i32::from(code));
    }
    #[cfg(not(feature = "mpi"))]
    let _ = code;
}

/// The way to the other ranks, if there are any. All ranks must ask for it.
pub(crate) fn transport() -> Option<Box<dyn Transport>> {
    #[cfg(feature = "mpi")]
    if size() > 1 {
        return Some(Box::new(ferrica_tlm::MpiTransport::new()));
    }
    None
}
