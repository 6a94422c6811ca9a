//! Measures the writers: `cargo run --release -p ferrica-results --example write_speed FOLDER`.
//!
//! Writes one synthetic result (100 varying columns, 100 aliases, 20 parameters) in each format and
//! prints rows, bytes and nanoseconds a number.

use std::path::PathBuf;
use std::time::Instant;

use ferrica_results::{ResultWriter, Source, VariableInfo, create};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let columns = 100;
    let rows = 20_000;
    let mut variables = Vec::new();
    for i in 0..columns {
        variables.push(
            VariableInfo::new(
                format!("R[{},{}].v", i / 10 + 1, i % 10 + 1),
                Source::Column,
            )
            .with_unit("V")
            .with_description("voltage drop"),
        );
        let alias = Source::Alias {
            of: variables.len() - 1,
            negated: i % 2 == 1,
        };
        variables.push(VariableInfo::new(format!("R{i}.p.v"), alias));
    }
    for i in 0..20 {
        let value = Source::Parameter(f64::from(i) + 0.5);
        variables.push(VariableInfo::new(format!("R{i}.R"), value).with_unit("Ohm"));
    }
    for name in ["speed.csv", "speed.mat", "speed.parquet"] {
        let path = folder.join(name);
        let start = Instant::now();
        let mut writer = create(&path, &[])?;
        writer.begin(&variables)?;
        let mut row = vec![0.0; columns];
        for i in 0..rows {
            let time = i as f64 / rows as f64;
            for (k, value) in row.iter_mut().enumerate() {
                *value = (time * 20.0 + k as f64).sin() * 230.0;
            }
            writer.row(time, &row)?;
        }
        writer.finish()?;
        let seconds = start.elapsed().as_secs_f64();
        let bytes = std::fs::metadata(&path)?.len();
        println!(
            "{name:14} {rows} rows {bytes:>9} bytes {seconds:.3} s, {:.1} ns a varying number",
            seconds * 1e9 / (rows * columns) as f64
        );
    }
    Ok(())
}
