//! Machine code beside the stored model, made where it was exported: of the programs that both interfaces execute again and again.
//!
//! It is a file of its own for each kind of machine. Where it does not fit, is damaged or missing, or where memory must not become executable, the interpreter takes its place.

use std::path::Path;

use ferrica_codegen::CompiledModel;
use ferrica_codegen::jit::StoredCode;

use crate::fmu::Fmu;
use crate::payload::Payload;
use crate::sealed::{Magic, Opened, seal};

const MAGIC: &Magic = b"ferrica  code 01";

/// Name of the file in `resources/`, on this kind of machine.
pub fn file() -> String {
    let (arch, system) = (std::env::consts::ARCH, std::env::consts::OS);
    format!("code.{arch}-{system}.ferrica")
}

/// The file for a model that is led through the interfaces that are named; nothing where there is no machine code to be had.
pub fn of(payload: &Payload, exchange: bool, steps: bool) -> Result<Option<Vec<u8>>, String> {
    let Some(mut code) = StoredCode::for_this_machine() else {
        return Ok(None);
    };
    let kinds = [exchange.then_some(true), steps.then_some(false)];
    for kind in kinds.into_iter().flatten() {
        let fmu = Fmu::of(payload.clone(), Path::new(""), kind)?;
        code.add(&fmu.model);
    }
    if code.is_empty() {
        return Ok(None);
    }
    Ok(Some(seal(MAGIC, &code)?.0))
}

/// Gives a model the code in a folder. What is told is why there is some and it is not used.
pub fn install(folder: &Path, model: &CompiledModel) -> Option<String> {
    let bytes = std::fs::read(folder.join(file())).ok()?;
    let read = Opened::of(MAGIC, &bytes).and_then(|file| file.read::<StoredCode>());
    let done = read.and_then(|code| {
        let done = code.install(model);
        done.map_err(|e| format!("is not used: {e}"))
    });
    done.err()
        .map(|why| format!("the stored machine code {why}"))
}
