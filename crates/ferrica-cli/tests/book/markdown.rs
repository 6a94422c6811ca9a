//! As much of Markdown as the checks need: fenced blocks, links, headings.

use std::path::{Path, PathBuf};

pub struct Page {
    pub file: PathBuf,
    pub blocks: Vec<Block>,
    /// Lines outside of fenced blocks, with their numbers.
    text: Vec<(usize, String)>,
}

pub struct Block {
    /// The words behind the fence.
    pub info: Vec<String>,
    pub line: usize,
    pub lines: Vec<String>,
}

pub struct Link<'a> {
    pub line: usize,
    pub target: &'a str,
}

impl Page {
    pub fn read(file: &Path) -> Page {
        let mut page = Page {
            file: file.to_path_buf(),
            blocks: Vec::new(),
            text: Vec::new(),
        };
        let mut open = false;
        let content = std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (index, line) in content.lines().enumerate() {
            let number = index + 1;
            if let Some(info) = line.trim_start().strip_prefix("```") {
                open = !open;
                if open {
                    page.blocks.push(Block {
                        info: info.split_whitespace().map(str::to_string).collect(),
                        line: number,
                        lines: Vec::new(),
                    });
                }
            } else if let Some(block) = page.blocks.last_mut().filter(|_| open) {
                block.lines.push(line.to_string());
            } else {
                page.text.push((number, line.to_string()));
            }
        }
        assert!(!open, "{}: a block has no end", file.display());
        page
    }

    /// Where a line is, for messages.
    pub fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.file.display())
    }

    /// Lines that markdown shows as code without a fence and that call the program: nobody would run them.
    pub fn unfenced_commands(&self) -> impl Iterator<Item = usize> {
        let code = |line: &str| line.starts_with("    ferrica ") || line.starts_with("    $ ");
        self.text
            .iter()
            .filter(move |(_, line)| code(line))
            .map(|(number, _)| *number)
    }

    pub fn links(&self) -> impl Iterator<Item = Link<'_>> {
        self.text.iter().flat_map(|(line, text)| {
            text.match_indices("](").filter_map(|(at, _)| {
                let rest = &text[at + 2..];
                let target = &rest[..rest.find(')')?];
                Some(Link {
                    line: *line,
                    target,
                })
            })
        })
    }

    fn anchors(&self) -> impl Iterator<Item = String> {
        self.text
            .iter()
            .filter(|(_, line)| line.starts_with('#'))
            .map(|(_, line)| anchor(line.trim_start_matches('#').trim()))
    }

    /// Links to files or headings that do not exist.
    pub fn broken_links(&self) -> Vec<String> {
        let folder = self.file.parent().unwrap();
        let mut broken = Vec::new();
        for link in self.links() {
            if link.target.contains("://") {
                continue;
            }
            let (path, heading) = link.target.split_once('#').unwrap_or((link.target, ""));
            let file = if path.is_empty() {
                self.file.clone()
            } else {
                folder.join(path)
            };
            let found = file.exists()
                && (heading.is_empty() || Page::read(&file).anchors().any(|a| a == heading));
            if !found {
                broken.push(format!(
                    "{}: {} leads nowhere",
                    self.place(link.line),
                    link.target
                ));
            }
        }
        for (line, text) in &self.text {
            if let Some(included) = text.strip_prefix("{{#include ") {
                let path = included.trim_end().trim_end_matches("}}");
                if !folder.join(path).exists() {
                    broken.push(format!("{}: {path} is not there", self.place(*line)));
                }
            }
        }
        broken
    }
}

/// A heading as it stands in an address: lower case, blanks as hyphens, without other signs.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}
