//! One run of the program in a process of its own: what it said, and how it ended.
//!
//! Crashes, endless loops and memory without bound stay in the child: it is interrupted after the
//! limit, killed a second later, and its address space is bounded.

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
}

/// More text than this says nothing new.
const MAX_TEXT: u64 = 1 << 20;

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
    let end = wait(&mut child, began, limits.time)?;
    let seconds = began.elapsed().as_secs_f64();
    let stderr = receive
        .recv_timeout(Duration::from_secs(2))
        .unwrap_or_default();
    Ok(Finished {
        end,
        stderr,
        seconds,
    })
}

fn wait(child: &mut Child, began: Instant, limit: Duration) -> Result<End, String> {
    let mut interrupted = false;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(match status.code() {
                _ if interrupted => End::TimeOut,
                Some(code) => End::Exit(code),
                None => End::Crash,
            });
        }
        let elapsed = began.elapsed();
        if elapsed > limit + Duration::from_secs(1) {
            // Already gone: nothing to kill.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(End::TimeOut);
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
