//! Selection ranges: from the word under the cursor outwards over expressions, equations and classes to the text.

use lsp_types::{Position, Range, SelectionRange};

use crate::analysis::{Analysis, contains};
use crate::documents::Document;
use crate::occurrences::{occurrences, spans};

pub fn ranges(document: &Document, analysis: &Analysis, at: &[Position]) -> Vec<SelectionRange> {
    let text = &document.text;
    let (library, classes) = (&analysis.library, &analysis.classes);
    let names = occurrences(library, classes, &text.content);
    let all = spans(library, classes, &text.content);
    let of = |&position: &Position| {
        let offset = text.offset(position);
        let mut around: Vec<(usize, usize)> = (all.iter())
            .filter(|s| contains(**s, offset))
            .map(|s| (s.start as usize, s.end as usize))
            .collect();
        let words = names.iter().filter(|o| o.has(offset));
        around.extend(words.map(|o| (o.start as usize, o.end as usize)));
        around.push((0, text.content.len()));
        around.sort_by_key(|(start, end)| std::cmp::Reverse(end - start));
        around.dedup();
        // Each must lie in the one before it.
        let mut chain: Vec<Range> = Vec::new();
        let mut last: Option<(usize, usize)> = None;
        for (start, end) in around {
            if last.is_none_or(|(s, e)| s <= start && end <= e) {
                chain.push(text.range(start, end));
                last = Some((start, end));
            }
        }
        let mut found: Option<Box<SelectionRange>> = None;
        for range in chain {
            found = Some(Box::new(SelectionRange {
                range,
                parent: found,
            }));
        }
        found.map_or(
            SelectionRange {
                range: Range::new(position, position),
                parent: None,
            },
            |b| *b,
        )
    };
    at.iter().map(of).collect()
}
