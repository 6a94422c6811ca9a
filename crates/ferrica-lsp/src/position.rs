//! Places in a text: byte offsets on our side, lines and columns of the client's encoding on the other.

use lsp_types::{Position, Range};

/// How the client counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16,
}

/// A text with the beginnings of its lines.
#[derive(Clone, Debug)]
pub struct Text {
    pub content: String,
    lines: Vec<usize>,
    encoding: Encoding,
}

impl Text {
    pub fn new(content: String, encoding: Encoding) -> Text {
        let mut lines = vec![0];
        lines.extend(
            content
                .bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i + 1),
        );
        Text {
            content,
            lines,
            encoding,
        }
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The byte of a position; positions beyond a line or the text are at its end.
    pub fn offset(&self, at: Position) -> usize {
        let Some(&start) = self.lines.get(at.line as usize) else {
            return self.content.len();
        };
        let end = self
            .lines
            .get(at.line as usize + 1)
            .map_or(self.content.len(), |&next| next - 1);
        let line = &self.content[start..end];
        let mut column = 0;
        for (i, c) in line.char_indices() {
            if column >= at.character as usize {
                return start + i;
            }
            column += self.width(c);
        }
        end
    }

    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.content.len());
        while !self.content.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|&start| start <= offset) - 1;
        let column: usize = self.content[self.lines[line]..offset]
            .chars()
            .map(|c| self.width(c))
            .sum();
        Position::new(line as u32, column as u32)
    }

    pub fn range(&self, start: usize, end: usize) -> Range {
        Range::new(self.position(start), self.position(end))
    }

    fn width(&self, c: char) -> usize {
        match self.encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
        }
    }

    /// The text with a range replaced.
    pub fn edited(&self, range: Range, with: &str) -> Text {
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        let mut content = self.content.clone();
        content.replace_range(start..end, with);
        Text::new(content, self.encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_encoding() {
        let text = |e| Text::new("aé𝄞b\r\nx\n".into(), e);
        let (short, wide) = (text(Encoding::Utf8), text(Encoding::Utf16));
        let b = "aé𝄞".len();
        assert_eq!(short.position(b), Position::new(0, 7));
        assert_eq!(wide.position(b), Position::new(0, 4));
        assert_eq!(short.offset(Position::new(0, 7)), b);
        assert_eq!(wide.offset(Position::new(0, 4)), b);
        assert_eq!(wide.offset(Position::new(1, 99)), "aé𝄞b\r\nx".len());
        assert_eq!(wide.offset(Position::new(9, 0)), wide.content.len());
    }

    #[test]
    fn edits_replace_ranges() {
        let text = Text::new("one\ntwo\n".into(), Encoding::Utf16);
        let range = Range::new(Position::new(0, 3), Position::new(1, 1));
        assert_eq!(text.edited(range, " T").content, "one Two\n");
    }
}
