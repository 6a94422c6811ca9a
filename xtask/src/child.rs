//! One run of the program in a process of its own: what it said, and how it ended.
//!
//! Crashes, endless loops and memory without bound stay in the child: it is interrupted after the
//! limit, killed soon after, and its address space is bounded. The limit is on processor time where the
//! system tells it, so that a busy machine gives the same verdict; one that only waits is stopped
//! after [`PATIENCE`] times as long.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exit(i32),
    /// By a signal: a crash.
    Crash,
    TimeOut,
}

#[derive(Clone, Debug)]
pub struct Finished {
    pub end: End,
    pub stderr: String,
    pub seconds: f64,
    /// It did not end by itself after the interruption.
    pub killed: bool,
}

/// More text than this says nothing new.
const MAX_TEXT: u64 = 1 << 20;

/// A child may take this many times its processor time.
const PATIENCE: u32 = 12;
/// Time to end after the interruption.
const GRACE: Duration = Duration::from_secs(1);
/// Unit of the times in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time that a process has used, all threads together.
fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses that may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some(Duration::from_secs_f64((user + system) / TICKS_PER_SECOND))
}

/// Limits of a child.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    pub memory_gb: u64,
}

pub fn run(
    program: &Path,
    args: &[String],
    folder: &Path,
    limits: Limits,
) -> Result<Finished, String> {
    let kib = limits.memory_gb << 20;
    let began = Instant::now();
    // The shell sets the bound on memory and becomes the program.
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -c 0; ulimit -v {kib}; exec \"$0\" \"$@\""))
        .arg(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    let (send, receive) = mpsc::channel();
    if let Some(pipe) = child.stderr.take() {
        thread::spawn(move || {
            let mut text = Vec::new();
            // What cannot be read is not there.
            let _ = pipe.take(MAX_TEXT).read_to_end(&mut text);
            let _ = send.send(String::from_utf8_lossy(&text).into_owned());
        });
    }
    let (end, killed) = wait(&mut child, began, limits.time)?;
    let seconds = began.elapsed().as_secs_f64();
    let stderr = receive
        .recv_timeout(Duration::from_secs(2))
        .unwrap_or_default();
    Ok(Finished {
        end,
        stderr,
        seconds,
        killed,
    })
}

fn wait(child: &mut Child, began: Instant, limit: Duration) -> Result<(End, bool), String> {
    let mut interrupted = false;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            let end = match status.code() {
                _ if interrupted => End::TimeOut,
                Some(code) => End::Exit(code),
                None => End::Crash,
            };
            return Ok((end, false));
        }
        let waited = began.elapsed();
        let elapsed = match processor_time(child.id()) {
            Some(used) => used.max(waited / PATIENCE),
            None => waited,
        };
        if elapsed > limit + GRACE {
            // Already gone: nothing to kill.
            let _ = child.kill();
            let _ = child.wait();
            return Ok((End::TimeOut, true));
        }
        if elapsed > limit && !interrupted {
            interrupted = true;
            // A run that is interrupted keeps what it has computed.
            let _ = Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .stderr(Stdio::null())
                .status();
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
