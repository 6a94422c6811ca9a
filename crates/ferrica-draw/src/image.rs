//! Pictures of other programs inside of a scene.

/// The bytes of an image file, with the kind that they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub bytes: Vec<u8>,
    pub kind: &'static str,
}

impl Image {
    /// Only what begins like an image is one.
    pub fn new(bytes: Vec<u8>) -> Option<Image> {
        let head = &bytes[..bytes.len().min(256)];
        let text = String::from_utf8_lossy(head);
        let kind = match head {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', ..] => "image/gif",
            [b'B', b'M', ..] => "image/bmp",
            _ if text.contains("<svg") => "image/svg+xml",
            _ => return None,
        };
        Some(Image { bytes, kind })
    }

    /// From the text of a Modelica `imageSource`.
    pub fn from_base64(text: &str) -> Option<Image> {
        let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
        let (mut buffer, mut bits) = (0u32, 0);
        for c in text.bytes().filter(|c| !c.is_ascii_whitespace()) {
            let digit = match c {
                b'=' => break,
                _ => DIGITS.iter().position(|d| *d == c)? as u32,
            };
            buffer = buffer << 6 | digit;
            bits += 6;
            if bits >= 8 {
                bits -= 8;
                bytes.push((buffer >> bits) as u8);
            }
        }
        Image::new(bytes)
    }

    /// As an address that needs no file.
    pub fn data_uri(&self) -> String {
        format!("data:{};base64,{}", self.kind, base64(&self.bytes))
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The letters of RFC 4648, with padding.
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            out.push(match k <= group.len() {
                true => char::from(DIGITS[(word >> (18 - 6 * k)) as usize & 63]),
                false => '=',
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_its_standard() {
        // RFC 4648, section 10.
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        let image = Image::from_base64(&base64(b"\x89PNG\r\n")).unwrap();
        assert_eq!((image.kind, image.bytes.len()), ("image/png", 6));
        assert!(Image::new(b"root:x:0:0".to_vec()).is_none());
    }
}
