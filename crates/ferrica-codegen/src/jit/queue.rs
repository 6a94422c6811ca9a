//! Background threads that compile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};

type Job = Box<dyn FnOnce() + Send>;

/// Threads that compile at the same time, at most.
const MAX_THREADS: usize = 4;

static IN_PLACE: AtomicBool = AtomicBool::new(false);

/// From now on no thread is started: what is worth compiling is compiled where it is asked for. For a library in a process of others.
pub fn compile_in_place() {
    IN_PLACE.store(true, Ordering::Relaxed);
}

/// How many jobs run at the same time.
pub(super) fn threads() -> usize {
    if IN_PLACE.load(Ordering::Relaxed) {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, |n| n.get().clamp(1, MAX_THREADS))
}

/// Runs a job on one of the background threads. Where there are none it is dropped: the interpreter goes on.
pub(super) fn submit(job: impl FnOnce() + Send + 'static) {
    if IN_PLACE.load(Ordering::Relaxed) {
        return job();
    }
    static QUEUE: OnceLock<Mutex<mpsc::Sender<Job>>> = OnceLock::new();
    let queue = QUEUE.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        for k in 0..threads() {
            let receiver = receiver.clone();
            // A thread that cannot be started is one less.
            let _ = std::thread::Builder::new()
                .name(format!("ferrica-jit-{k}"))
                .spawn(move || {
                    loop {
                        let next = match receiver.lock() {
                            Ok(jobs) => jobs.recv(),
                            Err(_) => return,
                        };
                        match next {
                            Ok(job) => job(),
                            Err(_) => return,
                        }
                    }
                });
        }
        Mutex::new(sender)
    });
    if let Ok(sender) = queue.lock() {
        // A closed queue only means that the interpreter goes on.
        let _ = sender.send(Box::new(job));
    }
}
