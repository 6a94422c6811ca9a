//! Independent mistakes give independent messages, and the rest of the text is still read.

use ferrica_ir::{Diagnostic, FileId};
use ferrica_syntax::{dump, parse_tree};

/// Code and line of each message.
fn messages(text: &str) -> Vec<(&'static str, usize)> {
    let line = |e: &Diagnostic| text[..e.span.start as usize].matches('\n').count() + 1;
    parse_tree(FileId(0), text)
        .1
        .iter()
        .map(|e| (e.code, line(e)))
        .collect()
}

#[test]
fn three_mistakes_three_messages() {
    let text = "model A
  Real x
  Real y = (1 + ;
  Real z;
equation
  x = 1;
  y = z +* 2;
  z = 3;
end A;
model B
  Real ok;
end B;
";
    assert_eq!(messages(text), [("E0109", 2), ("E0101", 3), ("E0101", 7)]);
    let (ast, _) = parse_tree(FileId(0), text);
    let tree = dump(&ast);
    for kept in [
        "component Real x",
        "component Real z",
        "x = 1",
        "z = 3",
        "component Real ok",
    ] {
        assert!(tree.contains(kept), "`{kept}` is lost in\n{tree}");
    }
}

#[test]
fn a_missing_semicolon_is_reported_where_it_belongs() {
    assert_eq!(messages("model A\n  Real x\nend A;"), [("E0109", 2)]);
    assert_eq!(
        messages("model A\nequation\n  x = 1\n  y = 2\nend A;"),
        [("E0109", 3), ("E0109", 4)]
    );
    assert_eq!(messages("model A end A"), [("E0109", 1)]);
}

#[test]
fn open_blocks_do_not_swallow_what_follows() {
    let text = "model A
equation
  if x then
    y = 1;
equation
  z = ;
end A;
model B end C;";
    assert_eq!(messages(text), [("E0104", 5), ("E0101", 6), ("E0104", 8)]);
}

#[test]
fn a_missing_end_is_seen_at_the_end_of_the_outer_class() {
    let text = "package P\n  model A\n    Real x;\n  model B\n  end B;\nend P;";
    let (ast, errors) = parse_tree(FileId(0), text);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].code, "E0104");
    assert_eq!(errors[0].related.len(), 1, "points to the start of A");
    assert_eq!(ast.classes.len(), 1);
}

#[test]
fn an_unterminated_string_ends_with_its_line() {
    let text = "model A\n  String s = \"abc;\n  Real x = ;\nend A;\n";
    assert_eq!(messages(text), [("E0102", 2), ("E0101", 3)]);
}

#[test]
fn garbage_is_not_endless() {
    let text = "model A\n".to_owned() + &"= ;\n".repeat(10_000) + "end A;";
    assert!(messages(&text).len() <= 100);
    assert!(!messages("end end end ; ) ] } then loop else").is_empty());
}

#[test]
fn a_reserved_word_as_a_name_is_reported_once() {
    let text = "model A\n  Real inner;\nequation\n  inner.x = inner;\n  y = 1;\nend A;\n";
    assert_eq!(messages(text), [("E0108", 2)]);
}
