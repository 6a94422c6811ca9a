//! Runs as bytes, to be sent to other processes: names, units, times and values.

use std::sync::Arc;

use ferrica_results::Declaration;

use crate::columns::{Columns, Kept, Named, Place};
use crate::error::Error;
use crate::run::Run;
use crate::stages::stats::Stats;

const MAGIC: &[u8; 16] = b"ferrica run   01";

impl Run {
    /// The run as bytes, without its warnings and statistics.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; Real y = -x; end M;")?.simulate(&Experiment::default())?;
    /// let again = Run::from_bytes(&run.to_bytes())?;
    /// assert_eq!((again.time(), &again["y"]), (run.time(), &run["y"]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        text(&mut out, &self.model);
        text(&mut out, self.terminated.as_deref().unwrap_or_default());
        number(&mut out, u64::from(self.terminated.is_some()));
        number(&mut out, self.kept.variables.len() as u64);
        for v in &self.kept.variables {
            text(&mut out, &v.name);
            text(&mut out, &v.declared.unit);
            text(&mut out, &v.declared.display_unit);
            text(&mut out, &v.declared.description);
            text(&mut out, &v.declared.ty.to_string());
            number(&mut out, u64::from(v.is_parameter));
            let (kind, k) = match v.place {
                Place::Column(k, negated) => (u64::from(negated), k),
                Place::Constant(k) => (2, k),
            };
            number(&mut out, kind);
            number(&mut out, k as u64);
        }
        values(&mut out, &self.constants);
        values(&mut out, &self.time);
        number(&mut out, self.columns.len() as u64);
        for column in &self.columns {
            values(&mut out, column);
        }
        out
    }

    /// The run behind bytes of [`Run::to_bytes`].
    ///
    /// ```
    /// assert_eq!(ferrica::Run::from_bytes(b"something else").unwrap_err().code(), "E0733");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Run, Error> {
        let wrong = || Error::usage("E0733", "these bytes are no run");
        let mut reader = Reader(bytes.strip_prefix(MAGIC).ok_or_else(wrong)?);
        reader.run().ok_or_else(wrong)
    }
}

fn number(out: &mut Vec<u8>, n: u64) {
    out.extend(n.to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    number(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn values(out: &mut Vec<u8>, values: &[f64]) {
    number(out, values.len() as u64);
    out.extend(values.iter().flat_map(|v| v.to_bits().to_le_bytes()));
}

/// Takes things from the front; none where the bytes end too early or make no sense.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, n: usize) -> Option<&[u8]> {
        let (front, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(front)
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of things that take a byte each at least.
    fn count(&mut self) -> Option<usize> {
        let n = usize::try_from(self.number()?).ok()?;
        (n <= self.0.len()).then_some(n)
    }

    fn text(&mut self) -> Option<String> {
        let n = self.count()?;
        String::from_utf8(self.take(n)?.to_vec()).ok()
    }

    fn values(&mut self) -> Option<Vec<f64>> {
        let n = self.count()?;
        let bytes = self.take(n.checked_mul(8)?)?;
        let words = bytes
            .chunks_exact(8)
            .map(|c| c.try_into().unwrap_or_default());
        Some(
            words
                .map(|w| f64::from_bits(u64::from_le_bytes(w)))
                .collect(),
        )
    }

    fn run(&mut self) -> Option<Run> {
        let (model, message) = (self.text()?, self.text()?);
        let terminated = (self.number()? != 0).then_some(message);
        let mut kept = Kept::default();
        for k in 0..self.count()? {
            let name = self.text()?;
            let declared = Declaration {
                unit: self.text()?,
                display_unit: self.text()?,
                description: self.text()?,
                ty: self.text()?.parse().ok()?,
            };
            let is_parameter = self.number()? != 0;
            let (kind, at) = (self.number()?, self.number()? as usize);
            let place = match kind {
                0 | 1 => Place::Column(at, kind == 1),
                _ => Place::Constant(at),
            };
            kept.index.insert(name.clone(), k);
            kept.variables.push(Named {
                name,
                declared,
                place,
                is_parameter,
            });
        }
        let (constants, time) = (self.values()?, self.values()?);
        let count = self.count()?;
        let list: Vec<Vec<f64>> = (0..count).map(|_| self.values()).collect::<Option<_>>()?;
        let fits = kept.variables.iter().all(|v| match v.place {
            Place::Column(k, _) => k < list.len(),
            Place::Constant(k) => k < constants.len(),
        });
        if !fits || list.iter().any(|c| c.len() != time.len()) {
            return None;
        }
        let mut columns = Columns::new(Arc::new(kept), true, None);
        (columns.time, columns.columns, columns.constants) = (time, list, constants);
        let stats = Stats::default();
        Some(Run::new(&model, columns, Vec::new(), terminated, stats))
    }
}
