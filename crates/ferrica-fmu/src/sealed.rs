//! Files of ours in an archive: a magic word, a digest of the rest, and the rest in a compact binary form.
//!
//! A file that is damaged is recognised by its digest before anything is made of it.

use ferrica_codegen::digest::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub type Magic = [u8; 16];

const DIGEST: usize = 16;

/// The file, and its digest.
pub fn seal<T: Serialize>(magic: &Magic, what: &T) -> Result<(Vec<u8>, u128), String> {
    let body = postcard::to_stdvec(what).map_err(|e| format!("it cannot be stored: {e}"))?;
    let digest = Digest::of(&body);
    let mut bytes = Vec::with_capacity(magic.len() + DIGEST + body.len());
    bytes.extend_from_slice(magic);
    bytes.extend_from_slice(&digest.to_le_bytes());
    bytes.extend(body);
    Ok((bytes, digest))
}

/// Digest and body of an undamaged file.
pub struct Opened<'a> {
    pub digest: u128,
    body: &'a [u8],
}

impl<'a> Opened<'a> {
    pub fn of(magic: &Magic, bytes: &'a [u8]) -> Result<Opened<'a>, String> {
        let Some(rest) = bytes.strip_prefix(magic) else {
            return Err("is not one of this version of the run-time library".to_owned());
        };
        let Some((head, body)) = rest.split_at_checked(DIGEST) else {
            return Err("is cut off".to_owned());
        };
        let digest = Digest::of(body);
        if head != digest.to_le_bytes() {
            return Err("is damaged".to_owned());
        }
        Ok(Opened { digest, body })
    }

    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        postcard::from_bytes(self.body).map_err(|e| format!("cannot be read: {e}"))
    }
}
