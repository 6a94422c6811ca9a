//! `ferrica import`: an FMU as a block of Modelica, a system of FMUs as a model.

use crate::Outcome;
use crate::cli::{ImportArgs, ImportKind};
use crate::reporter::Reporter;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind};
use ferrica::results::write_file;
use ferrica::sources::imported;

pub fn import(args: &ImportArgs, reporter: &mut Reporter) -> Outcome {
    let file = &args.file;
    if !file.is_file() {
        return Err(Failure::usage(format!("{}: no such file", file.display())));
    }
    outputs::fits(&args.output, Kind::Class)?;
    // Beside its archive a block can go with it anywhere.
    let folder = |path: &std::path::Path| {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
        parent
            .unwrap_or(std::path::Path::new("."))
            .canonicalize()
            .ok()
    };
    let beside = folder(file).is_some() && folder(file) == folder(&args.output);
    let name = match (beside, file.file_name()) {
        (true, Some(name)) => name.to_string_lossy().into_owned(),
        _ => {
            let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
            whole.to_string_lossy().into_owned()
        }
    };
    let exchange = args.kind.map(|kind| kind == ImportKind::Me);
    let text = match imported::is_system(file) {
        true if exchange.is_some() => {
            return Err(Failure::usage(
                "--type is for one FMU: a system says itself which interfaces it wants",
            ));
        }
        true => imported::system(file, &name),
        false => imported::text(file, &name, exchange),
    };
    let text = text.map_err(Failure::Model)?;
    let written = write_file(&args.output, &[file.as_path()], text.as_bytes());
    written.map_err(|e| Failure::unwritten(&e))?;
    reporter.note(&format!("{} → {}", file.display(), args.output.display()));
    Ok(())
}
