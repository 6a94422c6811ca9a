//! HTML of documentation annotations → Markdown that reads well as plain text.

/// The text of a page; tags that mean nothing here are left out.
///
/// ```
/// assert_eq!(ferrica::sources::documentation::markdown("<p>See <b>me</b></p>").trim(), "See **me**");
/// ```
pub fn markdown(html: &str) -> String {
    let mut out = Writer::default();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        out.text(&rest[..open]);
        let Some(close) = rest[open..].find('>') else {
            out.text(&rest[open..]);
            rest = "";
            break;
        };
        let tag = &rest[open + 1..open + close];
        rest = &rest[open + close + 1..];
        // Comments may hold tags.
        if tag.starts_with("!--") && !tag.ends_with("--") {
            rest = rest.find("-->").map_or("", |end| &rest[end + 3..]);
            continue;
        }
        out.tag(tag);
    }
    out.text(rest);
    out.finish()
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Inside of `<pre>`: white space counts.
    pre: u32,
    lists: Vec<Option<u32>>,
    links: Vec<String>,
}

impl Writer {
    fn text(&mut self, text: &str) {
        let text = entities(text);
        if self.pre > 0 {
            self.out.push_str(&text);
            return;
        }
        for (k, word) in text.split_whitespace().enumerate() {
            let spaced = k > 0 || text.starts_with(char::is_whitespace);
            if spaced && !self.out.is_empty() && !self.out.ends_with([' ', '\n']) {
                self.out.push(' ');
            }
            self.out.push_str(word);
        }
        if text.ends_with(char::is_whitespace)
            && !self.out.is_empty()
            && !self.out.ends_with([' ', '\n'])
        {
            self.out.push(' ');
        }
    }

    fn paragraph(&mut self) {
        self.line();
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn line(&mut self) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn tag(&mut self, tag: &str) {
        let closing = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let name = name
            .split(|c: char| c.is_whitespace() || c == '/')
            .next()
            .unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "p" | "div" | "table" | "blockquote" | "dl" => self.paragraph(),
            "br" => self.line(),
            heading @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                self.paragraph();
                if !closing {
                    let level = heading[1..].parse().unwrap_or(1);
                    self.out.push_str(&format!("{} ", "#".repeat(level)));
                }
            }
            "b" | "strong" => self.out.push_str("**"),
            "i" | "em" | "var" => self.out.push('*'),
            "code" | "tt" | "kbd" if self.pre == 0 => self.out.push('`'),
            "sub" if !closing => self.out.push('_'),
            "sup" if !closing => self.out.push('^'),
            "pre" => {
                self.paragraph();
                self.pre = if closing {
                    self.pre.saturating_sub(1)
                } else {
                    self.pre + 1
                };
                self.out.push_str("```\n");
            }
            "ul" | "ol" if closing => {
                self.lists.pop();
                self.paragraph();
            }
            "ul" => self.lists.push(None),
            "ol" => self.lists.push(Some(0)),
            "li" if !closing => {
                self.line();
                let depth = self.lists.len().saturating_sub(1);
                self.out.push_str(&"  ".repeat(depth));
                match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        self.out.push_str(&format!("{number}. "));
                    }
                    _ => self.out.push_str("- "),
                }
            }
            "tr" => self.line(),
            "td" | "th" if closing => self.out.push_str(" | "),
            "dt" if !closing => self.line(),
            "dd" if !closing => self.out.push_str(": "),
            "a" if closing => {
                if let Some(link) = self.links.pop() {
                    self.out.push_str(&match link.as_str() {
                        "" => String::new(),
                        link => format!("]({link})"),
                    });
                }
            }
            "a" => {
                let link = attribute(tag, "href").unwrap_or_default();
                if !link.is_empty() {
                    self.out.push('[');
                }
                self.links.push(link);
            }
            "img" => {
                let about = attribute(tag, "alt").filter(|a| !a.is_empty());
                self.out
                    .push_str(&format!("({})", about.unwrap_or("picture".into())));
            }
            _ => {}
        }
    }

    fn finish(self) -> String {
        let lines = self.out.lines().map(str::trim_end);
        lines.collect::<Vec<_>>().join("\n").trim().to_owned()
    }
}

/// The value of an attribute of a tag.
pub fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let at = lower.find(&format!("{name}="))? + name.len() + 1;
    let rest = &tag[at..];
    let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'');
    let value = match quote {
        Some(q) => rest[1..].split(q).next()?,
        None => rest.split(char::is_whitespace).next()?,
    };
    Some(value.to_owned())
}

fn entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    const NAMED: [(&str, &str); 22] = [
        ("lt", "<"),
        ("gt", ">"),
        ("quot", "\""),
        ("nbsp", " "),
        ("deg", "°"),
        ("middot", "·"),
        ("times", "×"),
        ("alpha", "α"),
        ("beta", "β"),
        ("gamma", "γ"),
        ("delta", "δ"),
        ("Delta", "Δ"),
        ("eta", "η"),
        ("lambda", "λ"),
        ("mu", "μ"),
        ("nu", "ν"),
        ("pi", "π"),
        ("rho", "ρ"),
        ("phi", "φ"),
        ("omega", "ω"),
        ("tau", "τ"),
        ("amp", "&"),
    ];
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').filter(|&e| e < 10);
        let name = end.map(|e| &rest[1..e]);
        let number =
            name.and_then(|n| n.strip_prefix('#'))
                .and_then(|n| match n.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => n.parse().ok(),
                });
        let named = name.and_then(|n| NAMED.iter().find(|(k, _)| *k == n));
        match (end, number.and_then(char::from_u32), named) {
            (Some(end), Some(c), _) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            (Some(end), None, Some((_, text))) => {
                out.push_str(text);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_read_as_markdown() {
        let html = "<html>\n<p>The <b>heat</b> flow\n <code>Q</code> &le; 3&nbsp;W, see <a href=\"modelica://A.B\">B</a>.</p>\
            <h4>Use</h4><ul><li>one</li><li>two &gt; 1</li></ul><!-- <p>no</p> --><pre>\nx =  1;\n</pre></html>";
        let text = "The **heat** flow `Q` &le; 3 W, see [B](modelica://A.B).\n\n#### Use\n\n- one\n- two > 1\n\n```\n\nx =  1;\n\n```";
        assert_eq!(markdown(html), text);
        assert_eq!(markdown("a < b"), "a < b");
        assert_eq!(markdown("no tags"), "no tags");
    }
}
