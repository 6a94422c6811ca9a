//! The runs of a study on threads, and on the ranks of an MPI job.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ferrica_tlm::Transport;

use super::Study;
use super::rows::{Lines, Rows, write_all};
use crate::engines::ranks;
use crate::failure::Failure;

/// Told how many runs are done.
///
/// ```
/// let mut most = 0;
/// let _told: ferrica::study::Progress = Box::new(move |done| most = most.max(done));
/// ```
pub type Progress = Box<dyn FnMut(usize) + Send>;

/// All runs that are not done yet, on threads.
///
/// Each rank has the runs whose number it leaves when divided by the number of ranks, so the table is the same for any number.
///
/// ```
/// # use std::sync::{Arc, atomic::AtomicBool};
/// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
/// # use ferrica::stages::report::Log;
/// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
/// # let plan = Plan {
/// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
/// #     solver: Default::default(),
/// #     experiment: Default::default(),
/// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
/// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
/// #     stop: Arc::new(AtomicBool::new(false)),
/// # };
/// let study = Study::new(plan, &mut Log::default())?;
/// let file = std::env::temp_dir().join(format!("ferrica-doc-march-{}.csv", std::process::id()));
/// let rows = ferrica::study::Rows::new(&study, file.clone());
/// let lines = ferrica::study::march(&study, &rows, Some(2), Default::default(), Box::new(|_| ()))?;
/// assert!(lines.len() == 2 && lines[&0].starts_with("0,1,0.3678"));
/// # for name in [file.clone(), file.with_extension("csv.study")] { let _ = std::fs::remove_file(name); }
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn march(
    study: &Study,
    rows: &Rows,
    jobs: Option<usize>,
    done: Lines,
    progress: Progress,
) -> Result<Lines, Failure> {
    let (path, partial) = (&rows.path, &rows.partial);
    let io = |e: &std::io::Error| Failure::io(path.display(), e);
    let (rank, size) = (ranks::rank(), ranks::size());
    let mut transport = ranks::transport();
    if rank == 0 {
        write_all(partial, study, &done).map_err(|e| io(&e))?;
    }
    if let Some(t) = &mut transport {
        meet(t.as_mut());
    }
    let file = OpenOptions::new()
        .append(true)
        .open(partial)
        .map_err(|e| io(&e))?;
    // Held until the table is complete, which then is not written over these rows.
    let _ = file.try_lock();
    let own = |k: &usize| !done.contains_key(k) && k % size == rank;
    let todo: Vec<usize> = (0..study.count()).filter(own).collect();
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((done, file, None, progress));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = jobs
        .unwrap_or(cores / ranks::local_size())
        .clamp(1, todo.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&k) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(line) = study.run(k) else { return };
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(e) = shared.1.write_all(line.as_bytes()) {
                        shared.2 = Some(e);
                        return;
                    }
                    shared.0.insert(k, line);
                    let so_far = shared.0.len();
                    (shared.3)(so_far);
                }
            });
        }
    });
    let (mut lines, _rows, failure, _) =
        shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(t) = &mut transport {
        gather(t.as_mut(), &mut lines);
        if rank > 0 {
            return Ok(lines);
        }
    }
    match failure {
        Some(e) => Err(io(&e)),
        // Interrupted: what is there waits for `--resume`.
        None if study.is_stopped() => Ok(lines),
        None => {
            write_all(path, study, &lines).map_err(|e| io(&e))?;
            fs::remove_file(partial).map_err(|e| io(&e))?;
            Ok(lines)
        }
    }
}

/// No rank goes on before the first one has made the file.
fn meet(t: &mut dyn Transport) {
    if t.rank() == 0 {
        for to in 1..t.size() {
            t.send(to, vec![MEET]);
        }
        t.flush(&mut || false);
    } else {
        wait(t);
    }
}

/// Messages that are no rows.
const MEET: f64 = -1.0;
const END: f64 = -2.0;

fn wait(t: &mut dyn Transport) -> Vec<f64> {
    loop {
        match t.receive() {
            Some(message) => return message,
            None => std::thread::sleep(std::time::Duration::from_micros(200)),
        }
    }
}

/// All rows to the first rank.
fn gather(t: &mut dyn Transport, lines: &mut Lines) {
    if t.rank() > 0 {
        for (&k, line) in lines.iter() {
            let mut message = vec![k as f64];
            message.extend(line.bytes().map(f64::from));
            t.send(0, message);
        }
        t.send(0, vec![END]);
        t.flush(&mut || false);
        return;
    }
    let mut ended = 1;
    while ended < t.size() {
        let message = wait(t);
        if message[0] == END {
            ended += 1;
        } else {
            let bytes: Vec<u8> = message[1..].iter().map(|&b| b as u8).collect();
            let line = String::from_utf8_lossy(&bytes).into_owned();
            lines.insert(message[0] as usize, line);
        }
    }
}
