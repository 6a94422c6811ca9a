//! Draws many classes and checks the pictures: `cargo run --release -p ferrica-diagram --example gallery -- --lib DIR [options] [CLASS…]`
//!
//! --table FILE   classes from the first column of a table
//! --keep DIR     write NAME.svg for each, and NAME.png with --png
//! --sample N     only so many, evenly through the list
//!
//! Told are: time for each class with nothing read before (the whole library again each time), connections whose line ends more than
//! one unit from its connector, and images that cannot be read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ferrica_classes::{Library, SearchPath};
use ferrica_diagram::{Drawing, diagram};
use ferrica_draw::Theme;

/// Units of the diagram that a line may end beside its connector.
const NEAR: f64 = 1.0;

fn main() -> Result<(), String> {
    let (mut libs, mut classes) = (Vec::new(), Vec::new());
    let (mut keep, mut png, mut sample) = (None, false, usize::MAX);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--lib" => libs.push(PathBuf::from(value()?)),
            "--keep" => keep = Some(PathBuf::from(value()?)),
            "--png" => png = true,
            "--sample" => sample = value()?.parse().map_err(|_| "--sample needs a number")?,
            "--table" => {
                let path = value()?;
                let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
                let first = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
                classes.extend(text.lines().skip(1).map(first));
            }
            _ => classes.push(arg),
        }
    }
    let every = classes.len().div_ceil(sample.min(classes.len()).max(1));
    let (mut seconds, mut slowest) = (0.0, (0.0, String::new()));
    let (mut drawn, mut wires, mut led, mut far) = (0, 0, 0, Vec::new());
    for class in classes.iter().step_by(every.max(1)) {
        let clock = Instant::now();
        let path = SearchPath::from_environment(libs.clone(), None);
        let library = Library::new(Arc::default(), path);
        let found = library.find(class);
        let drawing = found.and_then(|c| diagram(&library, c, &[], Theme::Both));
        let Some(drawing) = drawing else {
            println!("{class}: not drawn");
            continue;
        };
        let svg = ferrica_draw::print(&drawing.scene);
        let took = clock.elapsed().as_secs_f64();
        seconds += took;
        if took > slowest.0 {
            slowest = (took, class.clone());
        }
        drawn += 1;
        wires += drawing.wires.len();
        led += drawing.wires.iter().filter(|w| w.is_led).count();
        far.extend(far_ends(class, &drawing));
        for name in &drawing.missing_images {
            println!("{class}: no image {name}");
        }
        if let Some(folder) = &keep {
            let write = |ending: &str, bytes: &[u8]| {
                let path = folder.join(format!("{class}.{ending}"));
                std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
            };
            write("svg", svg.as_bytes())?;
            if png {
                write("png", &ferrica_draw::paint(&drawing.scene)?)?;
            }
        }
    }
    for line in &far {
        println!("{line}");
    }
    println!(
        "{drawn} drawn, {:.1} ms each, the slowest {:.0} ms ({}); {wires} connections, {led} led on to their connectors, {} end beside them",
        1e3 * seconds / f64::from(drawn.max(1)),
        1e3 * slowest.0,
        slowest.1,
        far.len()
    );
    Ok(())
}

fn far_ends(class: &str, drawing: &Drawing) -> Vec<String> {
    let far = |w: &&ferrica_diagram::Wire| w.gaps.0.max(w.gaps.1) > NEAR;
    let text = |w: &ferrica_diagram::Wire| {
        let (a, b) = w.gaps;
        format!("{class}: connect({}, {}) {a:.1} {b:.1}", w.from, w.to)
    };
    drawing.wires.iter().filter(far).map(text).collect()
}
