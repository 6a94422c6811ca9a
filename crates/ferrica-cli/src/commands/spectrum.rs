//! `ferrica spectrum`: frequencies in a variable of a result file.

use std::fmt::Write;

use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;
use ferrica::{Spectrum, Window, pictures};

use crate::Outcome;
use crate::cli::SpectrumArgs;
use crate::inputs::read_result;
use crate::library::{told, write};
use crate::reporter::Reporter;
use crate::terminal::print_out;

/// Harmonics that are shown.
const SHOWN: usize = 10;

pub fn spectrum(args: &SpectrumArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = (args.picture.iter().map(|p| Output::new(p, Kind::Picture)))
        .chain(args.written.iter().map(|p| Output::new(p, Kind::Table)))
        .collect();
    outputs::check(&target, std::slice::from_ref(&args.result))?;
    let table = read_result(&args.result, reporter)?;
    let Some(values) = table.series(&args.y) else {
        return Err(Failure::usage_with_hint(
            format!(
                "{}: there is no variable `{}`",
                args.result.display(),
                args.y
            ),
            "`ferrica vars RESULT` lists them",
        ));
    };
    let window = Window::from_word(&args.window).unwrap_or_default();
    let found = Spectrum::new(&table.time, &values, window, args.fundamental);
    let found = found.map_err(|e| told(&e, reporter))?;
    if let Some(path) = &args.picture {
        write_picture(&pictures::spectrum(&args.y, &found), path)?;
    }
    if let Some(path) = &args.written {
        let rows = found.frequency.iter().zip(&found.amplitude);
        let rows: Vec<String> = rows.map(|(f, a)| format!("{f},{a}\n")).collect();
        write(path, &format!("frequency,amplitude\n{}", rows.concat()))?;
    }
    print_out(&text(&found))
}

fn text(found: &Spectrum) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let mean = found.amplitude.first().copied().unwrap_or(0.0);
    let _ = writeln!(out, "mean {mean:.6e}");
    for (k, a) in found.harmonics.iter().take(SHOWN).enumerate() {
        let f = found.fundamental * (k + 1) as f64;
        let _ = writeln!(out, "{f:>14.6e} Hz  {a:.6e}");
    }
    let _ = writeln!(out, "distortion {:.4} %", 100.0 * found.distortion);
    out
}
