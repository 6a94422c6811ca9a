//! A result table: columns over time, read from CSV.

/// Rows in the order of the file; of several at one time the last one is the value after the events there.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    pub names: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

/// How far from the wanted time a row may be, as a part of max(1, |time|).
const NEAR: f64 = 1e-7;

impl Trajectory {
    /// Names may be quoted, because those of array elements have commas.
    pub fn from_csv(text: &str) -> Result<Trajectory, String> {
        let mut lines = text.lines();
        let names = fields(lines.next().ok_or("no result")?);
        let mut rows = Vec::new();
        for line in lines {
            let row: Result<Vec<f64>, _> = line.split(',').map(str::parse).collect();
            let row = row.map_err(|_| format!("not a row of numbers: {line}"))?;
            if row.len() != names.len() {
                return Err(format!("a row of {} numbers: {line}", row.len()));
            }
            rows.push(row);
        }
        Ok(Trajectory { names, rows })
    }

    pub fn column(&self, name: &str) -> Result<usize, String> {
        let place = self.names.iter().position(|n| n == name);
        place.ok_or_else(|| format!("no variable `{name}` in the result"))
    }

    /// The value after what happens at the time.
    pub fn at(&self, column: usize, time: f64) -> Result<f64, String> {
        let near = NEAR * time.abs().max(1.0);
        let row = self.rows.iter().rfind(|r| (r[0] - time).abs() <= near);
        row.map(|r| r[column])
            .ok_or_else(|| format!("no row at {time}"))
    }

    /// The first and the last time.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((self.rows.first()?[0], self.rows.last()?[0]))
    }
}

fn fields(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(String::new()),
            c => out.last_mut().expect("a field").push(c),
        }
    }
    out
}
