//! `ferrica list`: the classes of the libraries, with kind and description.

use std::fmt::Write;

use crate::Outcome;
use crate::cli::ListArgs;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::sources::listing::{self, ListedClass};

pub fn list(args: &ListArgs, reporter: &mut Reporter) -> Outcome {
    if let Some(folder) = args.libs.iter().find(|f| !f.exists()) {
        let text = format!("--lib {}: no such folder", folder.display());
        return Err(Failure::usage(text));
    }
    let pattern = args.pattern.as_deref();
    let chosen = listing::classes(args.libs.clone(), pattern, reporter);
    if chosen.is_empty() {
        let pattern = pattern.unwrap_or_default();
        return Err(Failure::usage_with_hint(
            format!("no class matches `{pattern}`"),
            "a part of a name or of a description, or a pattern with `*`: `ferrica list 'Modelica.*Resistor'`",
        ));
    }
    print_out(&lines(&chosen))
}

fn lines(classes: &[ListedClass]) -> String {
    let width = |of: fn(&ListedClass) -> &String| {
        let widths = classes.iter().map(|c| of(c).chars().count());
        widths.max().unwrap_or(0)
    };
    let (name_width, kind_width) = (width(|c| &c.name), width(|c| &c.kind));
    let mut out = String::new();
    for c in classes {
        let (name, kind, about) = (&c.name, &c.kind, &c.description);
        let line = format!("{name:name_width$}  {kind:kind_width$}  {about}");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}
