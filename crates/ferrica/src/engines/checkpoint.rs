//! `--checkpoint FILE --every T` and `--resume FILE`: a run in stages, each of which ends with a stored state.
//!
//! A stage begins with a fresh solver from the state that the last one ended with, whether that comes from memory or
//! from the file: a killed run that is resumed ends with the same results as one that was not. Beside the
//! checkpoint there is a journal of the rows so far (`FILE.rows`), from which a resumed run writes its results anew, in
//! any format. Of several ranks the first one keeps the files; all of them read the checkpoint.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferrica_codegen::{Evaluator, Slot};
use ferrica_results::Beside;
use ferrica_sim::{Sink, Snapshot};

use crate::engines::ranks;
use crate::engines::recorder::Recorder;
use crate::engines::solving::{self, Broken, Ended};
use crate::failure::Failure;
use crate::fingerprint;
use crate::options::{SolverOptions, StageOptions};
use crate::stages::grid::Grid;
use crate::stages::pipeline::Compiled;
use crate::stages::stats::Stats;

const MAGIC: &[u8; 16] = b"ferrica stages 2";
/// How every checkpoint begins, of whatever version.
pub const SIGNATURE: &[u8] = b"ferrica stages";

/// Wrong or missing words, before anything is compiled.
///
/// ```
/// use ferrica::{engines::checkpoint::supported, options::StageOptions};
/// let nowhere = StageOptions { every: Some(1.0), ..StageOptions::default() };
/// assert!(supported(&nowhere, &Default::default()).is_err());
/// ```
pub fn supported(stages: &StageOptions, solver: &SolverOptions) -> Result<(), Failure> {
    if let Some(every) = stages.every
        && !(every > 0.0 && every.is_finite())
    {
        return Err(Failure::usage(format!(
            "--every {every} is not a positive time"
        )));
    }
    if stages.every.is_some() && stages.checkpoint.is_none() {
        return Err(Failure::usage_with_hint(
            "--every says how often the state is stored, but not where",
            "add --checkpoint FILE",
        ));
    }
    if stages.checkpoint.is_some() && stages.every.is_none() && stages.resume.is_none() {
        return Err(Failure::usage_with_hint(
            "--checkpoint needs to know how often",
            "add --every T",
        ));
    }
    let is_staged = stages.checkpoint.is_some() || stages.resume.is_some();
    if is_staged && solver.solver.bond_graph_order().is_some() {
        let word = solver.solver.word();
        return Err(Failure::usage_with_hint(
            format!("--solver {word} has no state that could be stored"),
            "leave --checkpoint and --resume away, or take another solver",
        ));
    }
    Ok(())
}

/// What the file holds.
#[derive(Clone, Debug, Default)]
struct Stored {
    /// A state only fits the run it came from.
    fingerprint: u64,
    every: f64,
    /// Stages done, and rows in the journal.
    stages: u64,
    rows: u64,
    /// Checksum of these rows.
    journal: u64,
    snapshot: Snapshot,
}

impl Stored {
    fn write(&self, path: &Path) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        for n in [self.fingerprint, self.stages, self.rows, self.journal] {
            bytes.extend(n.to_le_bytes());
        }
        let s = &self.snapshot;
        let numbers = [
            self.every,
            s.origin,
            s.time,
            s.slots.len() as f64,
            s.memory.len() as f64,
        ];
        for v in numbers.iter().chain(&s.slots).chain(&s.memory) {
            bytes.extend(v.to_bits().to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        // A run that dies here leaves the old file or the new one, never half of one.
        let mut beside = Beside::new(path)?;
        beside.begin()?;
        beside.file().write_all(&bytes)?;
        beside.file().sync_all()?;
        beside.complete()
    }

    fn read(path: &Path) -> io::Result<Stored> {
        let bytes = fs::read(path)?;
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "this is no checkpoint");
        let (whole, sum) = bytes.split_last_chunk::<8>().ok_or_else(wrong)?;
        let body = whole.strip_prefix(MAGIC).ok_or_else(wrong)?;
        if u64::from_le_bytes(*sum) != checksum(whole) {
            let text = "the checkpoint is damaged: its checksum does not fit";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let mut words = body
            .chunks_exact(8)
            .map(|c| u64::from_le_bytes(c.try_into().unwrap_or_default()));
        let mut word = || words.next().ok_or_else(wrong);
        let (fingerprint, stages, rows, journal) = (word()?, word()?, word()?, word()?);
        let mut number = || word().map(f64::from_bits);
        let (every, origin, time) = (number()?, number()?, number()?);
        let (slots, memory) = (number()? as usize, number()? as usize);
        let mut list = |n: usize| (0..n).map(|_| number()).collect::<io::Result<Vec<f64>>>();
        let snapshot = Snapshot {
            origin,
            time,
            slots: list(slots)?,
            memory: list(memory)?,
        };
        Ok(Stored {
            fingerprint,
            every,
            stages,
            rows,
            journal,
            snapshot,
        })
    }
}

fn journal_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".rows");
    PathBuf::from(name)
}

/// The journal of a run that has no checkpoint yet.
fn new_journal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".rows.partial");
    PathBuf::from(name)
}

/// Slots whose values rows are made of.
fn row_slots(compiled: &Compiled, wanted: Option<&Vec<Slot>>) -> Vec<Slot> {
    let mut slots = match wanted {
        Some(wanted) => wanted.clone(),
        None => (0..compiled.model.layout.vars.len() as Slot).collect(),
    };
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// Of the run, of the slots that its rows hold, and of which rows there are.
fn fingerprint(
    compiled: &Compiled,
    experiment: &Grid,
    solver: &SolverOptions,
    slots: &[Slot],
    recorder: &Recorder,
) -> u64 {
    let mut h = DefaultHasher::new();
    let run = fingerprint::of_run(compiled, experiment, solver);
    (run, slots, recorder.event_rows().word()).hash(&mut h);
    h.finish()
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut h = DefaultHasher::new();
    h.write(bytes);
    h.finish()
}

/// The rows so far, with a checksum of all of them.
struct Journal {
    file: BufWriter<File>,
    sum: DefaultHasher,
}

impl Journal {
    fn row(&mut self, time: f64, slots: &[Slot], values: &[f64]) -> io::Result<()> {
        let of = |&s: &Slot| values.get(s as usize).copied().unwrap_or(f64::NAN);
        let numbers = std::iter::once(time).chain(slots.iter().map(of));
        let bytes: Vec<u8> = numbers.flat_map(|v| v.to_bits().to_le_bytes()).collect();
        self.sum.write(&bytes);
        self.file.write_all(&bytes)
    }
}

/// The sink of a stage.
struct Stage<'a> {
    recorder: &'a mut Recorder,
    slots: &'a [Slot],
    journal: Option<Journal>,
    /// The first row of a stage is the last one of the stage before.
    repeated: bool,
    rows: u64,
    end: Option<(Vec<f64>, Vec<f64>)>,
}

impl Sink for Stage<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        if std::mem::take(&mut self.repeated) {
            return Ok(());
        }
        self.rows += 1;
        if let Some(journal) = &mut self.journal {
            journal.row(time, self.slots, slots)?;
        }
        self.recorder.row(time, slots)
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        if self.recorder.takes_event_row(time) {
            self.row(time, slots)
        } else {
            Ok(())
        }
    }

    fn wants_event_rows(&self) -> bool {
        self.recorder.wants_event_rows()
    }

    fn interrupted(&mut self) -> bool {
        self.recorder.interrupted()
    }

    fn progress(&mut self, time: f64) {
        self.recorder.progress(time);
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.end = Some((ev.slots.clone(), memory.to_vec()));
    }
}

/// Gives the rows of the journal to the recorder again, once all of them are known to be as they were written; the
/// journal goes on beside the checkpoint that is written next.
fn replay(
    from: &Path,
    path: &Path,
    stored: &Stored,
    slots: &[Slot],
    recorder: &mut Recorder,
) -> io::Result<Journal> {
    let stored_at = journal_path(from);
    let damaged = |why: &str| {
        let text = format!("{} {why}", stored_at.display());
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let mut file = File::open(&stored_at)?;
    let width = 8 * (slots.len() + 1);
    let length = stored.rows * width as u64;
    if file.metadata()?.len() < length {
        return Err(damaged("is shorter than its checkpoint says"));
    }
    let mut row = vec![0u8; width];
    let mut sum = DefaultHasher::new();
    let mut reader = io::BufReader::new(&mut file);
    for _ in 0..stored.rows {
        reader.read_exact(&mut row)?;
        sum.write(&row);
    }
    if sum.finish() != stored.journal {
        return Err(damaged("is damaged: its checksum does not fit"));
    }
    let mut values = stored.snapshot.slots.clone();
    file.rewind()?;
    let mut reader = io::BufReader::new(&mut file);
    for _ in 0..stored.rows {
        reader.read_exact(&mut row)?;
        let mut numbers = row
            .chunks_exact(8)
            .map(|c| f64::from_bits(u64::from_le_bytes(c.try_into().unwrap_or_default())));
        let time = numbers.next().unwrap_or(f64::NAN);
        for (&s, v) in slots.iter().zip(numbers) {
            if let Some(value) = values.get_mut(s as usize) {
                *value = v;
            }
        }
        recorder.row(time, &values)?;
    }
    let own = journal_path(path);
    if from != path {
        fs::copy(&stored_at, &own)?;
    }
    let file = OpenOptions::new().append(true).open(&own)?;
    // What came after the checkpoint is computed again.
    file.set_len(length)?;
    Ok(Journal {
        file: BufWriter::new(file),
        sum,
    })
}

/// Length of a stage: whole output intervals, and whole steps if these are fixed.
fn stage_length(every: f64, experiment: &Grid, step: Option<f64>) -> f64 {
    let mut unit = experiment.interval;
    if let Some(step) = step {
        let ratio = unit / step;
        if ratio < 1.0 || (ratio - ratio.round()).abs() > 1e-6 * ratio {
            unit = step * ratio.ceil().max(1.0);
        }
    }
    (every / unit).round().max(1.0) * unit
}

/// Runs a compiled model in stages if that was asked for, else in one go.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::engines::recorder::{Recorder, Recording};
/// let recording = Recording::new(&compiled, &["x".to_owned()]);
/// let wanted = Some(recording.slots());
/// let mut recorder = Recorder::default().to_memory(recording);
/// let stages = ferrica::options::StageOptions::default();
/// let ended = ferrica::engines::checkpoint::simulate(&compiled, &grid, &stages, &Default::default(), wanted, &mut recorder, &mut stats);
/// assert_eq!(ended.map_err(|e| e.reason)?.time, 1.0);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn simulate(
    compiled: &Compiled,
    experiment: &Grid,
    stages: &StageOptions,
    solver: &SolverOptions,
    wanted: Option<Vec<Slot>>,
    recorder: &mut Recorder,
    stats: &mut Stats,
) -> Result<Ended, Broken> {
    let Some(path) = stages.checkpoint.as_ref().or(stages.resume.as_ref()) else {
        return solving::simulate(compiled, experiment, solver, wanted, recorder, stats);
    };
    let broken = |path: &Path, e: &io::Error| Broken {
        time: experiment.start,
        reason: Failure::io(path.display(), e),
    };
    let slots = row_slots(compiled, wanted.as_ref());
    let print = fingerprint(compiled, experiment, solver, &slots, recorder);
    let mut stored = Stored {
        fingerprint: print,
        every: stage_length(stages.every.unwrap_or(1.0), experiment, solver.step),
        ..Stored::default()
    };
    let first = ranks::rank() == 0;
    let mut journal = match &stages.resume {
        Some(from) => {
            stored = Stored::read(from).map_err(|e| broken(from, &e))?;
            if stored.fingerprint != print {
                return Err(Broken {
                    time: experiment.start,
                    reason: Failure::usage_with_hint(
                        format!("{} belongs to another run", from.display()),
                        "resume with the model, parameters, experiment, solver and --vars of the first run",
                    ),
                });
            }
            match first {
                true => Some(
                    replay(from, path, &stored, &slots, recorder).map_err(|e| broken(from, &e))?,
                ),
                false => None,
            }
        }
        // The journal of an earlier run stays as long as its checkpoint does.
        None if first => {
            let file = File::create(new_journal(path)).map_err(|e| broken(path, &e))?;
            Some(Journal {
                file: BufWriter::new(file),
                sum: DefaultHasher::new(),
            })
        }
        None => None,
    };
    let mut total = Stats::default();
    loop {
        let begin = experiment.start + stored.stages as f64 * stored.every;
        let next = experiment.start + (stored.stages + 1) as f64 * stored.every;
        let more = next < experiment.stop - 1e-9 * stored.every;
        let part = Grid {
            start: begin,
            stop: if more { next } else { experiment.stop },
            ..*experiment
        };
        let which = solving::Stage {
            from: (stored.stages > 0).then(|| Arc::new(stored.snapshot.clone())),
            more,
            ..solving::Stage::default()
        };
        let mut stage = Stage {
            recorder,
            slots: &slots,
            journal: journal.take(),
            repeated: stored.stages > 0,
            rows: 0,
            end: None,
        };
        let wanted = wanted.clone();
        let ended =
            solving::simulate_stage(compiled, &part, solver, wanted, which, &mut stage, stats);
        let (rows, end) = (stage.rows, stage.end.take());
        journal = stage.journal.take();
        total.add_work(stats);
        let ended = match ended {
            Ok(ended) => ended,
            Err(e) => {
                stats.set_work(&total);
                return Err(e);
            }
        };
        // What the model has ended is not gone on with.
        let more = more && ended.terminated.is_none();
        let (true, Some((values, memory))) = (more, end) else {
            stats.start = experiment.start;
            stats.set_work(&total);
            if stored.stages == 0 && journal.take().is_some() {
                // Without a checkpoint nobody can use its rows.
                let _ = fs::remove_file(new_journal(path));
            }
            return Ok(ended);
        };
        stored.rows += rows;
        stored.stages += 1;
        stored.snapshot = Snapshot {
            origin: experiment.start,
            time: values.first().copied().unwrap_or(next),
            slots: values,
            memory,
        };
        if let Some(Journal { file, sum }) = &mut journal {
            stored.journal = sum.finish();
            let is_new = stages.resume.is_none() && stored.stages == 1;
            let kept = file
                .flush()
                .and_then(|()| file.get_ref().sync_data())
                .and_then(|()| match is_new {
                    true => fs::rename(new_journal(path), journal_path(path)),
                    false => Ok(()),
                })
                .and_then(|()| stored.write(path));
            kept.map_err(|e| broken(path, &e))?;
        }
    }
}
