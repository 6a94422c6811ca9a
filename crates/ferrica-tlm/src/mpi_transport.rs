//! Ranks as processes of an MPI job.

use std::collections::VecDeque;

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, MatchedReceiveVec, Source};

use crate::transport::{Place, Transport};

const TAG: i32 = 8;
/// Messages on their way, after which a sender waits for the oldest: a rank cannot run away from a slower one.
const MAX_PENDING: usize = 4096;

/// The library, from the begin of the program to its end.
pub struct Job {
    _universe: mpi::environment::Universe,
}

impl Job {
    /// Joins the job that this process was started in.
    pub fn join() -> Option<Job> {
        let (universe, _) = mpi::initialize_with_threading(mpi::Threading::Serialized)?;
        Some(Job {
            _universe: universe,
        })
    }

    /// Ends all processes of the job.
    pub fn abort(code: i32) -> ! {
        SimpleCommunicator::world().abort(code)
    }
}

pub struct MpiTransport {
    world: SimpleCommunicator,
    pending: VecDeque<(Box<ffi::MPI_Request>, Vec<f64>)>,
    places: Vec<Place>,
}

// SAFETY: the library was initialized for calls from several threads, one at a time; a transport is used by one
// thread at a time.
unsafe impl Send for MpiTransport {}

impl MpiTransport {
    /// All ranks of the job. Every rank must make one.
    pub fn new() -> MpiTransport {
        let world = SimpleCommunicator::world();
        let size = world.size() as usize;
        let mut name = mpi::environment::processor_name()
            .unwrap_or_default()
            .into_bytes();
        name.resize(64, 0);
        let mut names = vec![0u8; 64 * size];
        world.all_gather_into(&name[..], &mut names[..]);
        let mut processes = vec![0u32; size];
        world.all_gather_into(&std::process::id(), &mut processes[..]);
        let places = (names.chunks(64).zip(processes))
            .map(|(name, process)| Place {
                host: String::from_utf8_lossy(name)
                    .trim_end_matches('\0')
                    .to_owned(),
                process,
            })
            .collect();
        MpiTransport {
            world,
            pending: VecDeque::new(),
            places,
        }
    }

    /// Forgets messages that are on their way; waits until at most `left` are pending, or somebody gives up.
    fn complete(&mut self, left: usize, give_up: &mut dyn FnMut() -> bool) {
        while let Some((request, _)) = self.pending.front_mut() {
            let mut done = 0;
            // SAFETY: the request was started by `send` and has not completed; its message is kept beside it.
            unsafe { ffi::MPI_Test(&mut **request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
            if done != 0 {
                self.pending.pop_front();
            } else if self.pending.len() <= left || give_up() {
                return;
            } else {
                std::thread::yield_now();
            }
        }
    }
}

impl Drop for MpiTransport {
    fn drop(&mut self) {
        // The library may still read what a rank that has died has not taken.
        std::mem::forget(std::mem::take(&mut self.pending));
    }
}

impl Default for MpiTransport {
    fn default() -> Self {
        MpiTransport::new()
    }
}

impl Transport for MpiTransport {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn send(&mut self, to: usize, message: Vec<f64>) {
        self.complete(MAX_PENDING, &mut || false);
        // SAFETY: a null request is one that has not been started.
        let mut request = Box::new(unsafe { ffi::RSMPI_REQUEST_NULL });
        // SAFETY: the message is kept, unchanged, until the request has completed; moving the vector does not move
        // its numbers.
        unsafe {
            ffi::MPI_Isend(
                message.as_ptr().cast(),
                message.len() as i32,
                ffi::RSMPI_DOUBLE,
                to as i32,
                TAG,
                ffi::RSMPI_COMM_WORLD,
                &mut *request,
            );
        }
        self.pending.push_back((request, message));
    }

    fn receive(&mut self) -> Option<Vec<f64>> {
        let probed = (self.world.any_process()).immediate_matched_probe_with_tag(TAG)?;
        let (numbers, _) = probed.matched_receive_vec::<f64>();
        Some(numbers)
    }

    fn flush(&mut self, give_up: &mut dyn FnMut() -> bool) {
        self.complete(0, give_up);
    }

    fn places(&self) -> Vec<Place> {
        self.places.clone()
    }
}
