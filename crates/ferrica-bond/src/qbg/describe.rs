//! Functions of time in words: which of the usual sources a drive is, with its parameters.

use std::cell::RefCell;
use std::rc::Rc;

use ferrica_qss::devs::Atomic;

use super::atoms::{Board, Source};
use super::drive::Drive;
use super::waveform::Piece;

/// Times are absolute; values are those of the effort or flow given.
#[derive(Clone, Debug, PartialEq)]
pub enum Waveform {
    Constant(f64),
    Step {
        offset: f64,
        height: f64,
        start: f64,
    },
    Ramp {
        offset: f64,
        height: f64,
        duration: f64,
        start: f64,
    },
    Sine {
        offset: f64,
        amplitude: f64,
        frequency: f64,
        phase: f64,
        start: f64,
    },
    ExpSine {
        offset: f64,
        amplitude: f64,
        frequency: f64,
        phase: f64,
        damping: f64,
        start: f64,
    },
    /// Towards a final value from `start` on, and back again from `fall` on.
    Exponential {
        offset: f64,
        height: f64,
        rise: f64,
        start: f64,
        fall: Option<(f64, f64)>,
    },
    Pulse {
        offset: f64,
        amplitude: f64,
        /// In percent of the period.
        width: f64,
        period: f64,
        start: f64,
    },
    /// Straight lines: where each begins, its value there and its slope.
    Lines(Vec<[f64; 3]>),
    Other,
}

impl Waveform {
    /// The word for it in names of models.
    pub fn name(&self) -> &'static str {
        match self {
            Waveform::Constant(_) => "Constant",
            Waveform::Step { .. } => "Step",
            Waveform::Ramp { .. } => "Ramp",
            Waveform::Sine { .. } => "Sine",
            Waveform::ExpSine { .. } => "ExpSine",
            Waveform::Exponential { .. } => "Exponential",
            Waveform::Pulse { .. } => "Pulse",
            Waveform::Lines(_) => "Lines",
            Waveform::Other => "Function",
        }
    }

    /// Its parameters by the names that `Modelica.Blocks.Sources` has for them (of an exponential, which is there in another form, by
    /// names in their manner).
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Waveform::Constant(v) => vec![("k", v)],
            Waveform::Step {
                offset,
                height,
                start,
            } => vec![("offset", offset), ("height", height), ("startTime", start)],
            Waveform::Ramp {
                offset,
                height,
                duration,
                start,
            } => vec![
                ("offset", offset),
                ("height", height),
                ("duration", duration),
                ("startTime", start),
            ],
            Waveform::Sine {
                offset,
                amplitude,
                frequency,
                phase,
                start,
            } => vec![
                ("offset", offset),
                ("amplitude", amplitude),
                ("f", frequency),
                ("phase", phase),
                ("startTime", start),
            ],
            Waveform::ExpSine {
                offset,
                amplitude,
                frequency,
                phase,
                damping,
                start,
            } => vec![
                ("offset", offset),
                ("amplitude", amplitude),
                ("f", frequency),
                ("phase", phase),
                ("damping", damping),
                ("startTime", start),
            ],
            Waveform::Exponential {
                offset,
                height,
                rise,
                start,
                fall,
            } => {
                let mut list = vec![
                    ("offset", offset),
                    ("height", height),
                    ("riseTimeConstant", rise),
                    ("startTime", start),
                ];
                if let Some((at, constant)) = fall {
                    list.extend([("fallTime", at), ("fallTimeConstant", constant)]);
                }
                list
            }
            Waveform::Pulse {
                offset,
                amplitude,
                width,
                period,
                start,
            } => vec![
                ("offset", offset),
                ("amplitude", amplitude),
                ("width", width),
                ("period", period),
                ("startTime", start),
            ],
            Waveform::Lines(_) | Waveform::Other => Vec::new(),
        }
    }
}

/// Without the rounding of a fit.
fn round(x: f64) -> f64 {
    let digits = format!("{x:.9e}");
    digits.parse().unwrap_or(x)
}

/// Zero where it is rounding against a scale.
fn against(x: f64, scale: f64) -> f64 {
    if x.abs() < 1e-9 * scale.abs() {
        0.0
    } else {
        round(x)
    }
}

impl Waveform {
    fn rounded(self) -> Waveform {
        match self {
            Waveform::Sine {
                offset,
                amplitude,
                frequency,
                phase,
                start,
            } => Waveform::Sine {
                offset: against(offset, amplitude),
                amplitude: round(amplitude),
                frequency: round(frequency),
                phase: against(phase, 1.0),
                start: round(start),
            },
            Waveform::ExpSine {
                offset,
                amplitude,
                frequency,
                phase,
                damping,
                start,
            } => Waveform::ExpSine {
                offset: against(offset, amplitude),
                amplitude: round(amplitude),
                frequency: round(frequency),
                phase: against(phase, 1.0),
                damping: round(damping),
                start: round(start),
            },
            Waveform::Exponential {
                offset,
                height,
                rise,
                start,
                fall,
            } => Waveform::Exponential {
                offset: against(offset, height),
                height: round(height),
                rise: round(rise),
                start: round(start),
                fall: fall.map(|(at, constant)| (round(at), round(constant))),
            },
            Waveform::Ramp {
                offset,
                height,
                duration,
                start,
            } => Waveform::Ramp {
                offset: against(offset, height),
                height: round(height),
                duration: round(duration),
                start: round(start),
            },
            Waveform::Pulse {
                offset,
                amplitude,
                width,
                period,
                start,
            } => Waveform::Pulse {
                offset,
                amplitude,
                width: round(width),
                period: round(period),
                start: round(start),
            },
            w => w,
        }
    }
}

/// Pieces looked at.
const PIECES: usize = 8;
/// How often the time looked at is doubled to find them.
const DOUBLINGS: u32 = 6;

struct Part {
    from: f64,
    until: f64,
    piece: Piece,
}

pub fn describe(mut drive: Drive, start: f64, stop: f64) -> Waveform {
    let mut parts: Vec<Part> = Vec::new();
    let mut from = start;
    for _ in 0..PIECES {
        let mut until = drive.next_event(from);
        // What has a memory must be looked at to be known.
        for k in 1..=DOUBLINGS {
            if until.is_finite() || !drive.has_memory() {
                break;
            }
            if !drive.extend(start + (stop - start) * f64::from(1 << k)) {
                return Waveform::Other;
            }
            until = drive.next_event(from);
        }
        // The form does not depend on how long the experiment lasts: a pulse may be longer.
        drive.extend(if until.is_finite() {
            until
        } else {
            from + stop - start
        });
        let piece = drive.piece(from, until);
        match parts.last_mut() {
            Some(last) if continues(last, from, &piece) => last.until = until,
            _ => parts.push(Part { from, until, piece }),
        }
        if until.is_infinite() {
            break;
        }
        from = until;
    }
    classify(&parts).rounded()
}

/// Any function as straight lines that stay within a quantum of it until `stop`.
pub fn lines(mut drive: Drive, start: f64, stop: f64, quantum: f64) -> Waveform {
    if !drive.extend(stop) {
        return Waveform::Other;
    }
    let board = Rc::new(RefCell::new(Board::new(1, start)));
    let mut source = Source::new(board, 0, SECOND, drive, start, quantum);
    let (mut out, mut time): (Vec<[f64; 3]>, f64) = (Vec::new(), start);
    while time < stop {
        let [value, slope, _] = source.told();
        if !(value.is_finite() && slope.is_finite()) {
            return Waveform::Other;
        }
        out.push([time, value, slope]);
        time += source.time_advance();
        source.output(time, &mut |_, _| ());
    }
    Waveform::Lines(out)
}

/// The order of a source that tells straight lines.
const SECOND: usize = 2;

/// Does a function go on as before?
fn continues(last: &Part, from: f64, piece: &Piece) -> bool {
    let shift = from - last.from;
    let probe = [0.0, 0.013, 0.37, 1.9];
    probe
        .iter()
        .all(|t| match (last.piece.value(shift + t), piece.value(*t)) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => false,
        })
}

fn constant(p: &Part) -> Option<f64> {
    match p.piece {
        Piece::Affine { value, slope: 0.0 } => Some(value),
        _ => None,
    }
}

fn classify(parts: &[Part]) -> Waveform {
    if let [one] = parts
        && let Some(v) = constant(one)
    {
        return Waveform::Constant(v);
    }
    let constants: Vec<Option<f64>> = parts.iter().map(constant).collect();
    if let [Some(a), Some(b)] = constants.as_slice() {
        return Waveform::Step {
            offset: *a,
            height: b - a,
            start: parts[1].from,
        };
    }
    if constants.iter().all(Option::is_some) {
        return pulse(parts, &constants);
    }
    // A constant before, then one shape.
    let (before, rest) = match constants[0] {
        Some(v) => (Some(v), &parts[1..]),
        None => (None, parts),
    };
    let Some(first) = rest.first() else {
        return Waveform::Other;
    };
    let start = first.from;
    match (first.piece, rest.len()) {
        (Piece::Affine { value, slope }, n) if n <= 2 => {
            let until = first.until;
            let end = rest.get(1).and_then(constant);
            if n == 2 && end.is_none() {
                return Waveform::Other;
            }
            let duration = if until.is_finite() {
                until - start
            } else {
                1.0
            };
            Waveform::Ramp {
                offset: value,
                height: slope * duration,
                duration,
                start,
            }
        }
        (
            Piece::Sine {
                offset,
                amplitude,
                omega,
                phase,
            },
            1,
        ) => Waveform::Sine {
            offset: before.unwrap_or(offset),
            amplitude,
            frequency: omega / std::f64::consts::TAU,
            phase,
            start,
        },
        (
            Piece::ExpSine {
                offset,
                amplitude,
                rate,
                omega,
                phase,
            },
            1,
        ) => Waveform::ExpSine {
            offset: before.unwrap_or(offset),
            amplitude,
            frequency: omega / std::f64::consts::TAU,
            phase,
            damping: -rate,
            start,
        },
        (
            Piece::Exponential {
                offset,
                amplitude,
                rate,
            },
            n,
        ) if n <= 2 && rate < 0.0 => {
            let fall = match rest.get(1) {
                None => None,
                Some(p) => match p.piece {
                    Piece::Exponential { rate, .. } => Some((p.from, -1.0 / rate)),
                    _ => return Waveform::Other,
                },
            };
            Waveform::Exponential {
                offset: offset + amplitude,
                height: -amplitude,
                rise: -1.0 / rate,
                start,
                fall,
            }
        }
        _ => Waveform::Other,
    }
}

fn pulse(parts: &[Part], values: &[Option<f64>]) -> Waveform {
    let v: Vec<f64> = values.iter().flatten().copied().collect();
    // Rising edges: the start of each pulse.
    let rises: Vec<usize> = (0..v.len())
        .filter(|&k| if k == 0 { v[0] > v[1] } else { v[k] > v[k - 1] })
        .collect();
    let [a, b, ..] = rises.as_slice() else {
        return Waveform::Other;
    };
    let (high, low) = (v[*a], v[a + 1]);
    let period = parts[*b].from - parts[*a].from;
    let width = parts[a + 1].from - parts[*a].from;
    let two_levels = v.iter().all(|x| *x == high || *x == low);
    if !two_levels || period <= 0.0 {
        return Waveform::Other;
    }
    Waveform::Pulse {
        offset: low,
        amplitude: high - low,
        width: 100.0 * width / period,
        period,
        start: parts[*a].from,
    }
}
