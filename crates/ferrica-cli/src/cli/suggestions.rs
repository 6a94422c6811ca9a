//! What a misspelled command or value may have been meant to be.
//!
//! In: an error of the parser of arguments. Out: the same with the nearest word, by the rule that names of variables have. The parser's
//! own measure of similarity finds nothing where two letters of a short word are swapped (`rnu`, `bfd`).

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use ferrica::words::closest;

use super::Cli;

pub fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let (wrong, suggested) = match error.kind() {
        ErrorKind::InvalidSubcommand => (
            ContextKind::InvalidSubcommand,
            ContextKind::SuggestedSubcommand,
        ),
        ErrorKind::InvalidValue => (ContextKind::InvalidValue, ContextKind::SuggestedValue),
        _ => return error,
    };
    let Some(ContextValue::String(word)) = error.get(wrong) else {
        return error;
    };
    if error.get(suggested).is_some() {
        return error;
    }
    let near = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(words)) => nearest(word, words.iter().map(String::as_str)),
        _ => nearest(
            word,
            Cli::command()
                .get_subcommands()
                .map(clap::Command::get_name),
        ),
    };
    if let Some(near) = near {
        let value = match suggested {
            ContextKind::SuggestedSubcommand => ContextValue::Strings(vec![near]),
            _ => ContextValue::String(near),
        };
        error.insert(suggested, value);
    }
    error
}

fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    closest(word, words).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn swapped_letters_are_recognised() {
        for (args, expected) in [
            (vec!["ferrica", "rnu", "a.mo"], "'run'"),
            (vec!["ferrica", "run", "a.mo", "--solver", "bfd"], "'bdf'"),
        ] {
            let error = Cli::try_parse_from(args).unwrap_err();
            let text = with_suggestion(error).to_string();
            assert!(text.contains(expected), "{text}");
        }
    }
}
