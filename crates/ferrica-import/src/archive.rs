//! Archives: the description alone, or unpacked with the binary for this machine.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;
use zip::ZipArchive;

use crate::description::{Description, Offer, Version};
use crate::platform;
use crate::ssp::INSIDE;

/// Our own run-time library, with which FMUs are no foreign code, and the name of files with machine code in their resources, which are.
static OWN: OnceLock<(&'static [u8], String)> = OnceLock::new();

/// Says which library is our own, and which of the resources hold machine code.
pub fn trust(library: &'static [u8], code: String) {
    let _ = OWN.set((library, code));
}

/// The largest description that is read: a larger one is no description.
const MOST_XML: u64 = 1 << 30;

/// Bytes of an archive, wherever they are.
pub(crate) trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

/// Opens an archive: a file, or one inside of the archive of a system.
pub(crate) fn open(file: &Path) -> Result<ZipArchive<Box<dyn Source>>, String> {
    let name = file.display();
    let whole = name.to_string();
    let at = whole.find(INSIDE).filter(|_| !file.is_file());
    let source: Box<dyn Source> = match at.map(|at| whole.split_at(at + INSIDE.len())) {
        None => Box::new(File::open(file).map_err(|e| format!("{name}: {e}"))?),
        Some((system, inner)) => {
            let mut system = open(Path::new(system.trim_end_matches('!')))?;
            let mut bytes = Vec::new();
            let entry = system.by_name(inner);
            let mut entry = entry.map_err(|_| format!("{name} is not in the archive"))?;
            let read = entry.read_to_end(&mut bytes);
            read.map_err(|e| format!("{name}: {e}"))?;
            Box::new(Cursor::new(bytes))
        }
    };
    ZipArchive::new(source).map_err(|e| format!("{name} is no archive: {e}"))
}

/// What an archive says of its model.
pub fn describe(file: &Path) -> Result<Description, String> {
    let name = file.display();
    let mut archive = open(file)?;
    let entry = archive.by_name("modelDescription.xml");
    let entry = entry.map_err(|_| format!("{name} is no FMU: it has no modelDescription.xml"))?;
    let mut xml = String::new();
    let read = entry.take(MOST_XML).read_to_string(&mut xml);
    read.map_err(|e| format!("{name}: modelDescription.xml: {e}"))?;
    Description::parse(&xml).map_err(|e| format!("{name}: modelDescription.xml: {e}"))
}

/// An unpacked archive; its files go with it.
pub struct Unpacked {
    folder: TempDir,
    pub binary: PathBuf,
}

impl Unpacked {
    /// Folder of the model's files.
    pub fn resources(&self) -> PathBuf {
        self.folder.path().join("resources")
    }
}

/// Unpacks an archive for one of its interfaces. Binaries of others only with consent.
pub fn unpack(
    file: &Path,
    version: Version,
    offer: &Offer,
    consent: bool,
) -> Result<Unpacked, String> {
    let name = file.display();
    let mut archive = open(file)?;
    let folder = tempfile::Builder::new().prefix("ferrica-fmu-").tempdir();
    let folder = folder.map_err(|e| format!("there is no room to unpack {name}: {e}"))?;
    let unpacked = archive.extract(folder.path());
    unpacked.map_err(|e| format!("{name} cannot be unpacked: {e}"))?;
    let folders = platform::folders().ok_or("this machine has no name in FMI")?;
    let machine = match version {
        Version::Fmi2 => folders.0,
        Version::Fmi3 => folders.1,
    };
    let library = format!("{}{}", offer.identifier, std::env::consts::DLL_SUFFIX);
    let binary = folder.path().join("binaries").join(machine).join(library);
    if !binary.is_file() {
        return Err(format!("{name} has no binary for this machine ({machine})"));
    }
    if !consent {
        let bytes = std::fs::read(&binary).map_err(|e| format!("{name}: {e}"))?;
        let own = OWN.get().filter(|own| own.0 == bytes);
        let Some((_, code)) = own else {
            return Err(format!(
                "{name} brings machine code of others, which is run only with --allow-external"
            ));
        };
        let code = folder.path().join("resources").join(code);
        if code.exists() {
            let removed = std::fs::remove_file(&code);
            removed.map_err(|e| format!("{name}: {}: {e}", code.display()))?;
        }
    }
    Ok(Unpacked { folder, binary })
}
