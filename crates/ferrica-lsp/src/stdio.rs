//! Messages over standard input and output. A message that is no JSON is answered with an error, and the next one is read.

use std::io::{BufRead, Write};
use std::thread::JoinHandle;

use lsp_server::{Connection, ErrorCode, Message};
use serde_json::json;

/// More than any editor sends in one message.
const LONGEST: usize = 1 << 30;

/// The two ends of a connection: the server's, and the threads that read and write.
pub fn connection() -> (Connection, JoinHandle<()>) {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let writer = std::thread::spawn(move || {
        for message in receiver {
            // A message that cannot be written has no reader.
            if message.write(&mut std::io::stdout().lock()).is_err() {
                return;
            }
        }
    });
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(body) = next(&mut input) {
            let text = String::from_utf8_lossy(&body);
            match serde_json::from_str::<Message>(&text) {
                Ok(message) => {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
                Err(e) => {
                    let error =
                        json!({"code": ErrorCode::ParseError as i32, "message": e.to_string()});
                    let answer = json!({"jsonrpc": "2.0", "id": null, "error": error});
                    if send(&mut std::io::stdout().lock(), &answer.to_string()).is_err() {
                        return;
                    }
                }
            }
        }
    });
    (server, writer)
}

fn send(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

/// The body of the next message; nothing at the end.
fn next(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            // Lines that are no header are passed over.
            match length {
                Some(length) => {
                    let mut body = vec![0; length];
                    input.read_exact(&mut body).ok()?;
                    return Some(body);
                }
                None => continue,
            }
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok().filter(|n| *n <= LONGEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_passed_over() {
        let text = b"nonsense\r\n\r\nContent-Length: 2\r\nX: y\r\n\r\n{}Content-Length: 3\r\n\r\n\xff\xfeA";
        let mut input = std::io::Cursor::new(&text[..]);
        assert_eq!(next(&mut input), Some(b"{}".to_vec()));
        assert_eq!(next(&mut input), Some(b"\xff\xfeA".to_vec()));
        assert_eq!(next(&mut input), None);
    }
}
