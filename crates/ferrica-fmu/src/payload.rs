//! What an FMU keeps of a model: its sorted equations, the table of its variables, and how co-simulation solves it.
//!
//! The digest of its file ([`crate::sealed`]) is the instantiation token (the GUID), so that a payload that belongs to another description is recognised before anything is made of it.

use ferrica_codegen::digest::Digest;
use ferrica_ir::VarId;
use ferrica_ir::causal::CausalModel;
use serde::{Deserialize, Serialize};

use crate::sealed::{Magic, Opened, seal};

/// Name of the file in `resources/`.
pub const FILE: &str = "model.ferrica";
/// In a text of the model: stands for the folder of the resources.
pub const RESOURCES: &str = "\u{1}resources\u{1}/";

const MAGIC: &Magic = b"ferrica model 02";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Payload {
    pub model: CausalModel,
    /// By value reference.
    pub variables: Vec<Exported>,
    /// Of each variable how many of the list it is, where it is an array; none for elements of one, which have no reference. Empty without arrays.
    pub sizes: Vec<u32>,
    pub solver: Settings,
    pub start: f64,
    pub tolerance: f64,
}

/// Type of a variable in the C interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Type {
    Real,
    Integer,
    Boolean,
    Text,
    Enumeration,
}

/// Where the value of a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    Time,
    Var(VarId),
    /// Crossing function.
    Indicator(u32),
}

/// How a variable can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    Read,
    /// Before the run: a parameter, or one that holds the start value of the variable.
    Before(VarId),
    /// Any time.
    Input,
    /// In Model Exchange by its own function, and before the run as a parameter.
    State(VarId),
    /// A parameter that can be changed in the run too: at events of Model Exchange, between steps of Co-Simulation.
    Tunable(VarId),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    pub ty: Type,
    pub source: Source,
    pub access: Access,
}

/// How co-simulation marches through time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// A word of the command line.
    pub solver: String,
    pub step: Option<f64>,
    pub iterations: Option<usize>,
    pub quanta: Vec<(String, f64)>,
    /// Parts between transmission lines run side by side, on so many threads.
    pub partition: bool,
    pub threads: Option<usize>,
}

impl Payload {
    /// The file, and its token.
    pub fn to_bytes(&self) -> Result<(Vec<u8>, String), String> {
        let (bytes, digest) = seal(MAGIC, self).map_err(|e| format!("the model: {e}"))?;
        Ok((bytes, token(digest)))
    }

    /// The model that a token promises.
    pub fn from_bytes(bytes: &[u8], wanted: &str) -> Result<Payload, String> {
        let told = |what: String| format!("the stored model {what}");
        let file = Opened::of(MAGIC, bytes).map_err(told)?;
        let own = token(file.digest);
        if own != wanted {
            let what = format!("belongs to another description: its token is {own}, not {wanted}");
            return Err(told(what));
        }
        file.read().map_err(told)
    }
}

/// The token of what has these bytes.
pub fn token_of(bytes: &[u8]) -> String {
    token(Digest::of(bytes))
}

/// The digest as GUIDs are written.
fn token(digest: u128) -> String {
    let hex = format!("{digest:032x}");
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    format!("{{{}}}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload() -> Payload {
        Payload {
            model: CausalModel::default(),
            variables: vec![Exported {
                ty: Type::Real,
                source: Source::Time,
                access: Access::Read,
            }],
            sizes: Vec::new(),
            solver: Settings::default(),
            start: 0.0,
            tolerance: 1e-6,
        }
    }

    #[test]
    fn tokens_are_written_as_guids() {
        assert_eq!(token_of(b""), "{6c62272e-07bb-0142-62b8-21756295c58d}");
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let (bytes, token) = payload().to_bytes().unwrap();
        let back = Payload::from_bytes(&bytes, &token).unwrap();
        assert_eq!(back.variables, payload().variables);
        let error = |bytes: &[u8], token: &str| Payload::from_bytes(bytes, token).unwrap_err();
        assert!(error(&bytes, "{other}").contains("another description"));
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(error(&damaged, &token).contains("damaged"));
        assert!(error(&bytes[..20], &token).contains("cut off"));
        assert!(error(b"PK", &token).contains("version"));
    }
}
