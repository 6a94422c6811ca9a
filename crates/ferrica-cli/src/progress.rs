//! A bar on the terminal for runs that take longer than a second.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Short runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const REDRAW_EVERY: Duration = Duration::from_millis(100);
const BAR: usize = 30;

pub struct Progress {
    start: f64,
    stop: f64,
    began: Instant,
    last: Instant,
    active: bool,
    drawn: bool,
}

impl Progress {
    /// For a run from `start` to `stop`; inactive if not wanted or nobody would see it.
    pub fn new(start: f64, stop: f64, wanted: bool) -> Progress {
        let now = Instant::now();
        let active = wanted && io::stderr().is_terminal();
        Progress {
            start,
            stop,
            began: now,
            last: now,
            active,
            drawn: false,
        }
    }

    /// Cheap enough for every step of a solver.
    pub fn update(&mut self, time: f64, steps: u64) {
        if !self.active {
            return;
        }
        let now = Instant::now();
        if now - self.began < PATIENCE || now - self.last < REDRAW_EVERY {
            return;
        }
        let what = format!("t = {time:.4}  {steps} steps");
        self.draw(time, &what, now);
    }

    /// Of a study: so many of its runs are done.
    pub fn runs(&mut self, done: usize, count: usize) {
        let now = Instant::now();
        if self.active && now - self.began >= PATIENCE && now - self.last >= REDRAW_EVERY {
            self.draw(done as f64, &format!("{done} of {count} runs"), now);
        }
    }

    fn draw(&mut self, at: f64, what: &str, now: Instant) {
        self.last = now;
        self.drawn = true;
        let fraction = (at - self.start) / (self.stop - self.start);
        let line = bar(fraction, what, now - self.began);
        let mut err = io::stderr().lock();
        let _ = write!(err, "\r\x1b[2K{line}");
        let _ = err.flush();
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        if self.drawn {
            self.drawn = false;
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\x1b[2K");
            let _ = err.flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

fn bar(fraction: f64, what: &str, elapsed: Duration) -> String {
    let fraction = if fraction.is_finite() {
        fraction.clamp(0.0, 1.0)
    } else {
        0.0
    };
    // Eighths of a character.
    let eighths = (fraction * (BAR * 8) as f64) as usize;
    let mut line: String = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        line.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    let empty = BAR - line.chars().count();
    line.push_str(&" ".repeat(empty));
    let left = if fraction > 0.01 {
        let seconds = elapsed.as_secs_f64() * (1.0 - fraction) / fraction;
        format!(", {} left", duration(seconds))
    } else {
        String::new()
    };
    format!("│{line}│ {:3.0} %  {what}{left}", fraction * 100.0)
}

fn duration(seconds: f64) -> String {
    let s = seconds.round() as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{}:{:02} min", s / 60, s % 60),
        _ => format!("{}:{:02} h", s / 3600, s / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        let line = bar(0.5, "t = 1.0000  100 steps", Duration::from_secs(10));
        assert_eq!(
            line,
            format!(
                "│{}{}│  50 %  t = 1.0000  100 steps, 10 s left",
                "█".repeat(15),
                " ".repeat(15)
            )
        );
        assert!(bar(f64::NAN, "", Duration::ZERO).contains("  0 %"));
        assert!(bar(2.0, "", Duration::ZERO).contains("100 %"));
        assert_eq!(duration(75.0), "1:15 min");
        assert_eq!(duration(7500.0), "2:05 h");
    }
}
