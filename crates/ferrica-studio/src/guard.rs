//! Who may ask: pages of this server itself, with the token of its address.
//!
//! A page of another site can make a browser send requests here. It cannot read the token, its `Origin` is its own, and a name that it
//! has pointed at this machine is seen in `Host`.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;

use crate::http::Request;

pub struct Guard {
    pub token: String,
    hosts: Vec<String>,
}

impl Guard {
    pub fn new(address: SocketAddr) -> Guard {
        let port = address.port();
        let mut hosts = vec![format!("localhost:{port}"), address.to_string()];
        if address.ip().is_loopback() {
            hosts.push(format!("127.0.0.1:{port}"));
            hosts.push(format!("[::1]:{port}"));
        }
        Guard {
            token: token(),
            hosts,
        }
    }

    /// Does the request come from a page of this server, by its name?
    pub fn is_own(&self, request: &Request) -> bool {
        let host = request.header("host").unwrap_or_default();
        let known = self.hosts.iter().any(|h| h == host);
        let origin = request.header("origin");
        known && origin.is_none_or(|o| o.strip_prefix("http://") == Some(host))
    }

    pub fn has_token(&self, request: &Request) -> bool {
        let given = request
            .header("x-ferrica-token")
            .or_else(|| request.query("token"))
            .unwrap_or_default();
        // All letters are compared, so that the time tells nothing.
        let same = given.len() == self.token.len();
        let differing = given.bytes().zip(self.token.bytes());
        same && differing.fold(0, |d, (a, b)| d | (a ^ b)) == 0
    }
}

/// 128 bits that nobody can guess: a keyed hash whose keys come from the operating system.
fn token() -> String {
    let half = || {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(), half())
}
