//! Where threads begin: each on a processor of its own.
//!
//! The system may start all threads where their parent runs and move them apart milliseconds later, when a short run is over. So a thread
//! asks for one processor and then again for all: it has moved, and may still be moved where others need the place.

/// Moves this thread to the k-th processor after `home`.
#[cfg(target_os = "linux")]
pub fn begin_apart(home: usize, k: usize) {
    let size = std::mem::size_of::<libc::cpu_set_t>();
    // SAFETY: both sets are valid bit masks of `size` bytes that live here; thread 0 is the calling one.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size, &raw mut allowed) != 0 {
            return;
        }
        let all = 0..libc::CPU_SETSIZE as usize;
        let processors: Vec<usize> = all.filter(|&c| libc::CPU_ISSET(c, &allowed)).collect();
        if processors.len() < 2 {
            return;
        }
        let first = processors.iter().position(|&c| c == home).unwrap_or(0);
        let mut own: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processors[(first + k) % processors.len()], &mut own);
        if libc::sched_setaffinity(0, size, &raw const own) == 0 {
            libc::sched_setaffinity(0, size, &raw const allowed);
        }
    }
}

/// The processor that this thread runs on.
#[cfg(target_os = "linux")]
pub fn here() -> usize {
    // SAFETY: takes nothing and gives a number.
    usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
pub fn begin_apart(_: usize, _: usize) {}

#[cfg(not(target_os = "linux"))]
pub fn here() -> usize {
    0
}
