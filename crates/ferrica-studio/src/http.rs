//! Requests and answers of HTTP/1.1; a connection carries one of each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Bytes of all header lines together, and of a body.
const LONGEST_HEAD: u64 = 16 << 10;
const LONGEST_BODY: usize = 8 << 20;
/// A client that says nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// None for what is no request, or is too long.
    pub fn read(stream: &TcpStream) -> Option<Request> {
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut reader = BufReader::new(stream);
        let mut head = (&mut reader).take(LONGEST_HEAD);
        let mut first = String::new();
        head.read_line(&mut first).ok()?;
        let mut words = first.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        words.next()?.strip_prefix("HTTP/1.")?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if head.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                line => {
                    let (name, value) = line.split_once(':')?;
                    headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
                }
            }
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Request {
            method,
            path: path.to_owned(),
            query: pairs(query),
            headers,
            body: Vec::new(),
        };
        let length = request.header("content-length").unwrap_or("0");
        let length: usize = length.parse().ok().filter(|n| *n <= LONGEST_BODY)?;
        request.body = vec![0; length];
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map(|(_, v)| v.as_str())
    }

    pub fn query(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(n, _)| n == name);
        found.map(|(_, v)| v.as_str())
    }
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let parts = query.split('&').filter(|p| !p.is_empty());
    parts
        .map(|p| {
            let (name, value) = p.split_once('=').unwrap_or((p, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

fn decoded(text: &str) -> String {
    let hex = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        match bytes[at..] {
            [b'%', high, low, ..] if hex(high).is_some() && hex(low).is_some() => {
                out.push(hex(high).unwrap_or(0) * 16 + hex(low).unwrap_or(0));
                at += 3;
            }
            [b'+', ..] => {
                out.push(b' ');
                at += 1;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A page may only talk to its own server, and nobody may put it into a frame.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; \
     frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

fn head(out: &mut TcpStream, status: &str, kind: &str, length: Option<usize>) -> io::Result<()> {
    let length = length.map_or(String::new(), |n| format!("Content-Length: {n}\r\n"));
    write!(
        out,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Content-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
         Connection: close\r\n\r\n"
    )
}

pub fn answer(out: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    head(out, status, kind, Some(body.len()))?;
    out.write_all(body)?;
    out.flush()
}

pub fn json(out: &mut TcpStream, value: &serde_json::Value) -> io::Result<()> {
    let text = value.to_string();
    answer(out, "200 OK", "application/json", text.as_bytes())
}

/// An answer whose end is the end of the connection.
pub fn stream(out: &mut TcpStream, kind: &str) -> io::Result<()> {
    out.set_write_timeout(Some(PATIENCE))?;
    head(out, "200 OK", kind, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        assert_eq!(
            pairs("a=1%2B2&b=x+y&c"),
            [("a", "1+2"), ("b", "x y"), ("c", "")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }
}
