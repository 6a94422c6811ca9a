//! `ferrica explain CODE`: what a message means and what to do, from the book.

use crate::Outcome;
use crate::cli::ExplainArgs;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::words::closest;

/// The pages of the book that list message codes.
const PAGES: [&str; 5] = [
    include_str!("../../../../docs/src/errors/syntax-and-libraries.md"),
    include_str!("../../../../docs/src/errors/names-and-types.md"),
    include_str!("../../../../docs/src/errors/structure.md"),
    include_str!("../../../../docs/src/errors/initialization-and-simulation.md"),
    include_str!("../../../../docs/src/errors/results-and-usage.md"),
];

/// Code, meaning and advice of every message.
pub fn messages() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let rows = PAGES.iter().flat_map(|page| page.lines());
    rows.filter_map(|line| {
        let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let (code, rest) = row.split_once(" | ")?;
        let (meaning, advice) = rest.rsplit_once(" | ").unwrap_or((rest, ""));
        let digits = code.strip_prefix(['E', 'W'])?;
        let is_code = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit());
        is_code.then_some((code, meaning, advice))
    })
}

pub fn explain(args: &ExplainArgs) -> Outcome {
    let code = args.code.trim().to_ascii_uppercase();
    let Some((code, meaning, advice)) = messages().find(|m| m.0 == code) else {
        let message = format!("there is no message `{}`", args.code);
        let codes = messages().map(|m| m.0);
        return Err(match closest(&code, codes) {
            Some(near) => Failure::usage_with_hint(message, format!("did you mean `{near}`?")),
            None => Failure::usage_with_hint(message, "codes look like E0401 or W0602"),
        });
    };
    let kind = if code.starts_with('E') {
        "error"
    } else {
        "warning"
    };
    print_out(&format!(
        "{code} ({kind}): {meaning}\n\nWhat to do: {advice}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_pages_is_read() {
        let rows = PAGES.iter().flat_map(|page| page.lines());
        let rows = rows.filter(|l| l.starts_with("| E") || l.starts_with("| W"));
        assert_eq!(messages().count(), rows.count());
        let found = messages().find(|m| m.0 == "E0402");
        let (_, meaning, advice) = found.expect("a row");
        assert!(meaning.contains("circle") && advice.contains("value of its own"));
    }
}
