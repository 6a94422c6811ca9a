//! What an FMU keeps of a model: its sorted equations, the table of its variables, and how co-simulation solves it.
//!
//! In a file: a magic word, a digest of the rest, and the rest in a compact binary form. The digest is the instantiation token (the GUID), so that a
//! payload that is damaged, or belongs to another description, is recognised before anything is made of it.

use ferrica_ir::VarId;
use ferrica_ir::causal::CausalModel;
use serde::{Deserialize, Serialize};

/// Name of the file in `resources/`.
pub const FILE: &str = "model.ferrica";
/// In a text of the model: stands for the folder of the resources.
pub const RESOURCES: &str = "\u{1}resources\u{1}/";

const MAGIC: &[u8; 16] = b"ferrica model 02";
const DIGEST: usize = 16;

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
        let body =
            postcard::to_stdvec(self).map_err(|e| format!("the model cannot be stored: {e}"))?;
        let digest = digest(&body);
        let mut bytes = Vec::with_capacity(MAGIC.len() + DIGEST + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&digest.to_le_bytes());
        bytes.extend(body);
        Ok((bytes, token(digest)))
    }

    /// The model that a token promises.
    pub fn from_bytes(bytes: &[u8], wanted: &str) -> Result<Payload, String> {
        let wrong = |what: &str| Err(format!("the stored model {what}"));
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return wrong("is not one of this version of the run-time library");
        };
        let Some((head, body)) = rest.split_at_checked(DIGEST) else {
            return wrong("is cut off");
        };
        let digest = digest(body);
        if head != digest.to_le_bytes() {
            return wrong("is damaged");
        }
        if token(digest) != wanted {
            return wrong(&format!(
                "belongs to another description: its token is {}, not {wanted}",
                token(digest)
            ));
        }
        postcard::from_bytes(body).map_err(|e| format!("the stored model cannot be read: {e}"))
    }
}

/// The token of what has these bytes.
pub fn token_of(bytes: &[u8]) -> String {
    token(digest(bytes))
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

/// Fowler, Noll and Vo's hash of 128 bits, variant 1a.
fn digest(bytes: &[u8]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = (1 << 88) + 0x13b;
    bytes
        .iter()
        .fold(OFFSET, |h, &b| (h ^ u128::from(b)).wrapping_mul(PRIME))
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

    /// The value of the empty text is the offset basis in the authors' tables.
    #[test]
    fn digest_of_the_empty_text() {
        assert_eq!(token(digest(b"")), "{6c62272e-07bb-0142-62b8-21756295c58d}");
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
