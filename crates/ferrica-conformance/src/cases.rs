//! Cases in Markdown: a fence ` ```modelica ` begins a case, the fences below it say what must come out.

/// A model text and what is expected of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Of the model's fence, from 1.
    pub line: usize,
    /// The last heading above the model.
    pub heading: String,
    pub model: String,
    /// The words behind a fence and its text.
    pub expected: Vec<(String, String)>,
}

pub fn cases(text: &str) -> Vec<Case> {
    let mut out: Vec<Case> = Vec::new();
    let mut heading = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((n, l)) = lines.next() {
        if l.starts_with('#') {
            heading = l.trim_start_matches('#').trim().to_string();
        }
        let Some(kind) = l.strip_prefix("```") else {
            continue;
        };
        let mut body = String::new();
        for (_, l) in lines.by_ref() {
            if l == "```" {
                break;
            }
            body.push_str(l);
            body.push('\n');
        }
        if kind == "modelica" {
            out.push(Case {
                line: n + 1,
                heading: heading.clone(),
                model: body,
                expected: Vec::new(),
            });
        } else if let Some(c) = out.last_mut() {
            c.expected.push((kind.to_string(), body));
        }
    }
    out
}
