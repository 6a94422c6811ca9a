//! Draws many classes and checks the pictures: `cargo run --release -p ferrica-diagram --example gallery -- --lib DIR [options] [CLASS…]`
//!
//! --table FILE   classes from the first column of a table
//! --keep DIR     write NAME.svg for each, and NAME.png with --png
//! --sample N     only so many, evenly through the list; by --seed S, drawn from it
//! --texts FILE   a table of the texts: class, text, bold, size of letters, width of the box
//!
//! Told are: time for each class with nothing read before (the whole library again each time), connections whose line ends more than
//! one unit from its connector, components of the class whose icon is not in the picture, texts wider than their box, and images that cannot be read.

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
    let (mut seed, mut texts, mut table) = (None, None, String::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--lib" => libs.push(PathBuf::from(value()?)),
            "--keep" => keep = Some(PathBuf::from(value()?)),
            "--png" => png = true,
            "--seed" => seed = Some(value()?.parse().map_err(|_| "--seed needs a number")?),
            "--texts" => texts = Some(PathBuf::from(value()?)),
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
    let mut every = classes.len().div_ceil(sample.min(classes.len()).max(1));
    if let Some(seed) = seed {
        shuffle(&mut classes, seed);
        classes.truncate(sample);
        every = 1;
    }
    let (mut seconds, mut slowest) = (0.0, (0.0, String::new()));
    let (mut drawn, mut wires, mut led, mut far) = (0, 0, 0, Vec::new());
    let (mut icons, mut written) = (0, 0);
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
        icons += drawing.components.len();
        for name in not_drawn(&svg, &drawing) {
            println!("{class}: no icon of {name}");
        }
        for t in &drawing.texts {
            let wide = ferrica_draw::font::width(&t.text, t.size);
            written += 1;
            if t.room.is_some_and(|room| wide > room * (1.0 + 1e-9)) {
                println!("{class}: `{}` is wider than its box", t.text);
            }
            if let Some(room) = t.room {
                let text = t.text.replace(['\t', '\n'], " ");
                table += &format!("{class}\t{text}\t{}\t{}\t{room}\n", t.bold, t.size);
            }
        }
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
    if let Some(path) = texts {
        std::fs::write(&path, table).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    println!(
        "{drawn} drawn, {:.1} ms each, the slowest {:.0} ms ({}); {icons} icons, {written} texts, {wires} connections, {led} led on to their connectors, {} end beside them",
        1e3 * seconds / f64::from(drawn.max(1)),
        1e3 * slowest.0,
        slowest.1,
        far.len()
    );
    Ok(())
}

/// Fisher and Yates, with a linear congruential generator: the same for the same seed.
fn shuffle(list: &mut [String], seed: u64) {
    let mut state = seed;
    for k in (1..list.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        list.swap(k, (state >> 33) as usize % (k + 1));
    }
}

/// Components that have no group of their own with shapes in it.
fn not_drawn<'d>(svg: &str, drawing: &'d Drawing) -> Vec<&'d String> {
    let has_shapes = |name: &&String| {
        let group = format!(
            "<g id=\"{}\" class=\"component\">",
            ferrica_draw::escape(name)
        );
        let rest = svg.split_once(&group).map(|s| s.1);
        let inside = rest.and_then(|r| r.find("</g>").map(|end| &r[..end]));
        inside.is_some_and(|r| {
            ["<path", "<text", "<image", "<g "]
                .iter()
                .any(|s| r.contains(s))
        })
    };
    drawing
        .components
        .iter()
        .filter(|n| !has_shapes(n))
        .collect()
}

fn far_ends(class: &str, drawing: &Drawing) -> Vec<String> {
    let far = |w: &&ferrica_diagram::Wire| w.gaps.0.max(w.gaps.1) > NEAR;
    let text = |w: &ferrica_diagram::Wire| {
        let (a, b) = w.gaps;
        format!("{class}: connect({}, {}) {a:.1} {b:.1}", w.from, w.to)
    };
    drawing.wires.iter().filter(far).map(text).collect()
}
