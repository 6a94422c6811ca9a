//! Clocks and what a real-time loop asks of the system.

/// Processor time of the calling thread in seconds, where the system tells; else 0.
pub fn thread_seconds() -> f64 {
    #[cfg(unix)]
    {
        let mut now = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the pointer is to a timespec of this frame.
        if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) } == 0 {
            return now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9;
        }
    }
    0.0
}

/// Priority that is asked for, of those of first-in-first-out scheduling.
#[cfg(target_os = "linux")]
const PRIORITY: i32 = 50;

/// What the system has granted, until dropped.
#[derive(Debug, Default)]
pub struct Privileges {
    /// Memory stays in memory.
    pub locked: bool,
    /// The thread runs before all ordinary ones.
    pub first: bool,
}

impl Privileges {
    /// Asks for both; what is not permitted is left as it is.
    pub fn ask() -> Privileges {
        #[cfg(target_os = "linux")]
        {
            // Memory that is there now: all of the loop's. Future memory may be more than the system lets us lock.
            // SAFETY: both calls take plain values and a pointer to a parameter of this frame.
            unsafe {
                let locked = libc::mlockall(libc::MCL_CURRENT) == 0;
                let mut parameter: libc::sched_param = std::mem::zeroed();
                parameter.sched_priority = PRIORITY;
                let first = libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameter) == 0;
                Privileges { locked, first }
            }
        }
        #[cfg(not(target_os = "linux"))]
        Privileges::default()
    }
}

impl Drop for Privileges {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        // SAFETY: as in `ask`.
        unsafe {
            if self.first {
                let parameter: libc::sched_param = std::mem::zeroed();
                libc::sched_setscheduler(0, libc::SCHED_OTHER, &parameter);
            }
            if self.locked {
                libc::munlockall();
            }
        }
    }
}
