//! The file of a result, from the first look at its name to the last row.
//!
//! In: a name; its extension decides on the format. Out: rows go to `NAME.partial.EXT` beside it, which takes the name when
//! the run is complete. A run that fails, is interrupted or killed, or fills the disk leaves its rows there, and the result
//! that was there before as it was. `-`, pipes and devices take CSV as it comes.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use crate::{
    Background, Beside, CsvWriter, MatWriter, ParquetWriter, Place, ResultError, ResultFormat,
    ResultWriter, TextParameter, VariableInfo, partner,
};

pub struct ResultFile {
    writer: Option<Background>,
    beside: Option<Beside>,
    /// Of a CSV file.
    partner: Option<Beside>,
    rows: u64,
    begun: bool,
    texts: Vec<TextParameter>,
}

/// Looks at a place for a result and makes ready to write there; `inputs` are what the command reads.
pub fn create(path: &Path, inputs: &[&Path]) -> Result<ResultFile, ResultError> {
    let place = Place::of(path, inputs)?;
    let format = ResultFormat::of(path);
    let io = |e| ResultError::io(path, e);
    let (writer, beside): (Box<dyn ResultWriter + Send>, _) = match (&place, format) {
        (Place::StandardOutput, _) => (Box::new(CsvWriter::new(io::stdout())), None),
        (Place::Stream(stream), None | Some(ResultFormat::Csv)) => {
            let file = File::options().write(true).open(stream).map_err(io)?;
            (Box::new(CsvWriter::new(file)), None)
        }
        (Place::Stream(_), _) => {
            return Err(ResultError::format(path, "a pipe or device takes only CSV"));
        }
        (Place::File(_), None) => {
            let what = "the file name must end in .csv, .mat or .parquet";
            return Err(ResultError::format(path, what));
        }
        (Place::File(target), Some(format)) => {
            let mut beside = Beside::new(target).map_err(io)?;
            let file = beside.file().try_clone().map_err(io)?;
            let writer: Box<dyn ResultWriter + Send> = match format {
                ResultFormat::Csv => Box::new(CsvWriter::new(file)),
                ResultFormat::Mat => Box::new(MatWriter::new(file)),
                ResultFormat::Parquet => Box::new(ParquetWriter::new(BufWriter::new(file))),
            };
            (writer, Some(beside))
        }
    };
    let partner = match (&place, format) {
        (Place::File(target), Some(ResultFormat::Csv)) => {
            let path = partner::partner_of(target);
            if !partner::may_be_replaced(&path) {
                let what = "this would become the partner of the result, but it is another file";
                return Err(ResultError::format(&path, what));
            }
            Some(path)
        }
        _ => None,
    };
    let partner = partner.map(|target| {
        // Beside the file that the rows go to.
        let rows = beside.as_ref().map_or(Path::new(""), Beside::path);
        let at = partner::partner_of(rows);
        Beside::at(at, target)
    });
    Ok(ResultFile {
        writer: Some(Background::new(writer)),
        beside,
        partner: partner.transpose().map_err(io)?,
        rows: 0,
        begun: false,
        texts: Vec::new(),
    })
}

impl ResultFile {
    /// Where the rows stand as long as the run is not complete.
    pub fn partial(&self) -> Option<PathBuf> {
        self.beside.as_ref().map(|b| b.path().to_owned())
    }

    /// Ends a run that is not complete. Its rows stay under the name that is returned; without rows, nothing does.
    pub fn abandon(&mut self) -> (Option<PathBuf>, io::Result<()>) {
        let Some(mut writer) = self.writer.take() else {
            return (None, Ok(()));
        };
        let written = match self.begun {
            true => writer.finish(),
            false => Ok(()),
        };
        drop(writer);
        let beside = self.beside.take();
        let partner = self.partner.take();
        if self.rows == 0 {
            beside.into_iter().chain(partner).for_each(Beside::discard);
            return (None, written);
        }
        (beside.map(|b| b.path().to_owned()), written)
    }
}

impl ResultWriter for ResultFile {
    fn texts(&mut self, texts: &[TextParameter]) -> io::Result<()> {
        self.texts = texts.to_vec();
        self.writer.as_mut().map_or(Ok(()), |w| w.texts(texts))
    }

    fn begin(&mut self, variables: &[VariableInfo]) -> io::Result<()> {
        self.begun = true;
        if let Some(beside) = &mut self.beside {
            beside.begin()?;
        }
        if let Some(partner) = &mut self.partner {
            partner.begin()?;
            partner::begin(partner.file(), variables, &self.texts)?;
        }
        self.writer.as_mut().map_or(Ok(()), |w| w.begin(variables))
    }

    fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        self.rows += 1;
        self.writer.as_mut().map_or(Ok(()), |w| w.row(time, values))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Background::flush)
    }

    /// The result is complete: it replaces what was there. If that fails, the rows stay where they are.
    fn finish(&mut self) -> io::Result<()> {
        let Some(mut writer) = self.writer.take() else {
            return Ok(());
        };
        let written = writer.finish();
        drop(writer);
        let (beside, partner) = (self.beside.take(), self.partner.take());
        written?;
        if let Some(mut partner) = partner {
            partner::complete(partner.file(), self.rows)?;
            partner.complete()?;
        }
        beside.map_or(Ok(()), Beside::complete)
    }
}

impl Drop for ResultFile {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.abandon();
    }
}
