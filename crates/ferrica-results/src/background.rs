//! Rows printed and written beside the run: in go rows, out comes what the writer behind makes of them.
//!
//! The run leaves its numbers in a shared buffer; a thread takes all that is there, when it is much or after a moment, and gives
//! it to the writer. A run that is much faster than its file waits for it, so that memory stays bounded. What the writer could
//! not do is told with one of the next rows, at the latest at the end.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::{ResultWriter, TextParameter, VariableInfo};

/// So many numbers wake the thread …
const MANY: usize = 1 << 15;
/// … and with so many the run waits for it.
const MOST: usize = 1 << 20;
/// Rows of a slow run are taken this often.
const MOMENT: Duration = Duration::from_millis(100);
/// … and made safe from an end of the process this often.
const SAFE_EVERY: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Buffer {
    /// Time and values, row after row.
    numbers: Vec<f64>,
    ended: bool,
    failed: Option<io::Error>,
}

struct Shared {
    buffer: Mutex<Buffer>,
    /// The buffer is full enough, or this is the end.
    filled: Condvar,
    /// The buffer was taken.
    taken: Condvar,
    writer: Mutex<Box<dyn ResultWriter + Send>>,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// The work of the thread: rows of `width` numbers, until the end or the first failure.
    fn write_rows(&self, width: usize) {
        let mut writer = lock(&self.writer);
        let mut numbers = Vec::new();
        let mut ended = false;
        let (mut safe, mut last_safe) = (true, Instant::now());
        while !ended {
            let waiting = |b: &mut Buffer| b.numbers.len() < MANY && !b.ended;
            let mut buffer = self
                .filled
                .wait_timeout_while(lock(&self.buffer), MOMENT, waiting)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            std::mem::swap(&mut buffer.numbers, &mut numbers);
            ended = buffer.ended;
            drop(buffer);
            self.taken.notify_one();
            safe &= numbers.is_empty();
            let mut rows = numbers.chunks_exact(width);
            let mut written = rows.try_for_each(|row| writer.row(row[0], &row[1..]));
            if written.is_ok() && !safe && last_safe.elapsed() >= SAFE_EVERY {
                written = writer.flush();
                (safe, last_safe) = (true, Instant::now());
            }
            if let Err(e) = written {
                lock(&self.buffer).failed = Some(e);
                self.taken.notify_one();
                return;
            }
            numbers.clear();
        }
    }
}

/// A writer whose rows are written by a thread of its own.
pub struct Background {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub fn new(writer: Box<dyn ResultWriter + Send>) -> Background {
        Background {
            shared: Arc::new(Shared {
                buffer: Mutex::default(),
                filled: Condvar::new(),
                taken: Condvar::new(),
                writer: Mutex::new(writer),
            }),
            thread: None,
        }
    }

    /// Waits for the last row.
    fn end(&mut self) -> io::Result<()> {
        if let Some(thread) = self.thread.take() {
            lock(&self.shared.buffer).ended = true;
            self.shared.filled.notify_one();
            if thread.join().is_err() {
                return Err(io::Error::other("the thread that writes the rows broke"));
            }
        }
        lock(&self.shared.buffer).failed.take().map_or(Ok(()), Err)
    }
}

impl ResultWriter for Background {
    fn texts(&mut self, texts: &[TextParameter]) -> io::Result<()> {
        lock(&self.shared.writer).texts(texts)
    }

    fn begin(&mut self, variables: &[VariableInfo]) -> io::Result<()> {
        lock(&self.shared.writer).begin(variables)
    }

    fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        if self.thread.is_none() {
            let (shared, width) = (self.shared.clone(), values.len() + 1);
            let started = std::thread::Builder::new().name("ferrica-results".into());
            self.thread = Some(started.spawn(move || shared.write_rows(width))?);
        }
        let shared = &*self.shared;
        let mut buffer = lock(&shared.buffer);
        if buffer.numbers.len() >= MOST {
            let full = |b: &mut Buffer| b.numbers.len() >= MOST && b.failed.is_none();
            let waited = shared.taken.wait_while(buffer, full);
            buffer = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(e) = buffer.failed.take() {
            return Err(e);
        }
        let before = buffer.numbers.len();
        buffer.numbers.push(time);
        buffer.numbers.extend_from_slice(values);
        if before < MANY && buffer.numbers.len() >= MANY {
            shared.filled.notify_one();
        }
        Ok(())
    }

    /// The thread does this by itself.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.end()?;
        lock(&self.shared.writer).finish()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsvWriter, Source};

    fn variables() -> Vec<VariableInfo> {
        vec![
            VariableInfo::new("x", Source::Column),
            VariableInfo::new("y", Source::Column),
        ]
    }

    /// Some bytes, and then no more.
    struct Disk {
        room: usize,
        text: Arc<Mutex<Vec<u8>>>,
    }

    impl io::Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut text = lock(&self.text);
            if text.len() + bytes.len() > self.room {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            text.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn rows(n: usize, writer: &mut dyn ResultWriter) -> io::Result<()> {
        writer.begin(&variables())?;
        (0..n).try_for_each(|k| writer.row(k as f64, &[2.0 * k as f64, -(k as f64)]))?;
        writer.finish()
    }

    /// More rows than the buffer has room for: the same text as without the thread.
    #[test]
    fn all_rows_arrive_in_their_order() {
        let n = 2 * MOST / 3;
        let mut expected = Vec::new();
        rows(n, &mut CsvWriter::new(&mut expected)).unwrap();
        let text = Arc::default();
        let disk = Disk {
            room: usize::MAX,
            text: Arc::clone(&text),
        };
        rows(n, &mut Background::new(Box::new(CsvWriter::new(disk)))).unwrap();
        assert!(*lock(&text) == expected);
    }

    /// The run is told of a full disk, and what was written before stays.
    #[test]
    fn a_full_disk_is_told() {
        for n in [10, 3 * MOST] {
            let text = Arc::default();
            let disk = Disk {
                room: 20,
                text: Arc::clone(&text),
            };
            let told = rows(n, &mut Background::new(Box::new(CsvWriter::new(disk))));
            assert_eq!(told.unwrap_err().kind(), io::ErrorKind::StorageFull);
            assert_eq!(*lock(&text), b"time,x,y\n");
        }
    }

    /// A writer that is dropped has written its rows.
    #[test]
    fn nothing_is_lost_without_an_end() {
        let text = Arc::default();
        let disk = Disk {
            room: usize::MAX,
            text: Arc::clone(&text),
        };
        let mut writer = Background::new(Box::new(CsvWriter::new(disk)));
        writer.begin(&variables()).unwrap();
        writer.row(0.5, &[1.0, 2.0]).unwrap();
        drop(writer);
        assert_eq!(*lock(&text), b"time,x,y\n0.5,1,2\n");
    }
}
