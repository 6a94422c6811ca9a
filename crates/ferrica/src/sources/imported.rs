//! FMUs in the place of models: the text of a block for one, of a model for a system of them.

use std::path::Path;

use ferrica_flat::base_unit;
use ferrica_import::{Wish, archive, block, ssp};
use ferrica_ir::{Diagnostic, Span};

/// An archive, by its name?
///
/// ```
/// use ferrica::sources::imported::is_archive;
/// assert!(is_archive("pump.fmu".as_ref()) && is_archive("plant.ssp".as_ref()) && !is_archive("pump.mo".as_ref()));
/// ```
pub fn is_archive(file: &Path) -> bool {
    let is_fmu = |e: &std::ffi::OsStr| e.eq_ignore_ascii_case("fmu");
    file.extension().is_some_and(is_fmu) || ssp::is_system(file)
}

/// One with a system of FMUs?
///
/// ```
/// use ferrica::sources::imported::is_system;
/// assert!(is_system("plant.ssp".as_ref()) && !is_system("pump.fmu".as_ref()));
/// ```
pub fn is_system(file: &Path) -> bool {
    ssp::is_system(file)
}

fn wrong(message: String) -> Vec<Diagnostic> {
    vec![Diagnostic::error("E0742", Span::NONE, message)]
}

/// The model that runs an archive from where it is. An FMU is a block: its Model Exchange if it has that, else its Co-Simulation.
///
/// ```
/// let told = ferrica::sources::imported::model("nowhere.fmu".as_ref()).unwrap_err();
/// assert_eq!(told[0].code, "E0742");
/// ```
pub fn model(file: &Path) -> Result<String, Vec<Diagnostic>> {
    let whole = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let place = whole.to_string_lossy();
    match ssp::is_system(file) {
        true => system(file, &place),
        false => text(file, &place, None),
    }
}

/// The model of a system of FMUs in an archive that the text calls `name`.
///
/// ```
/// let told = ferrica::sources::imported::system("nowhere.ssp".as_ref(), "nowhere.ssp").unwrap_err();
/// assert_eq!(told[0].code, "E0743");
/// ```
pub fn system(file: &Path, name: &str) -> Result<String, Vec<Diagnostic>> {
    let units = |unit: &str| {
        let known = base_unit(unit)?;
        Some(ssp::Unit {
            exponents: known.exponents,
            factor: known.factor,
            offset: known.offset,
        })
    };
    let text = ssp::text(file, name, &units);
    text.map_err(|e| vec![Diagnostic::error("E0743", Span::NONE, e)])
}

/// The same for an archive that the text calls `name`, with one of the two interfaces.
///
/// ```
/// let told = ferrica::sources::imported::text("nowhere.fmu".as_ref(), "nowhere.fmu", Some(true)).unwrap_err();
/// assert_eq!(told[0].code, "E0742");
/// ```
pub fn text(file: &Path, name: &str, exchange: Option<bool>) -> Result<String, Vec<Diagnostic>> {
    let d = archive::describe(file).map_err(wrong)?;
    let wish = Wish {
        file: name,
        exchange: exchange.unwrap_or(d.exchange.is_some()),
        class: None,
        together: None,
    };
    block::text(&d, &wish).map_err(|e| wrong(format!("{}: {e}", file.display())))
}
