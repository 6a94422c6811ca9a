//! Whatever the text, the parser returns, prints it back, and does not overflow its stack.

use ferrica_ir::FileId;
use ferrica_syntax::{dump, format, parse};

const EVERY_RULE: &str = include_str!("data/every_rule.mo");

/// SplitMix64 with a fixed seed: the same texts in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn check(text: &str) {
    let parsed = parse(FileId(0), text);
    assert!(parsed.print() == text, "not printed back: {text:?}");
    for error in &parsed.errors {
        assert!(
            error.span.start as usize <= text.len(),
            "{error:?} in {text:?}"
        );
    }
    let _ = dump(&parsed.ast);
}

/// Token texts of the sample, white space included.
fn tokens() -> Vec<String> {
    let parsed = parse(FileId(0), EVERY_RULE);
    (0..parsed.tokens.len())
        .map(|i| parsed.token_text(i).to_owned())
        .collect()
}

#[test]
fn tokens_removed_doubled_swapped_and_replaced() {
    let tokens = tokens();
    let mut random = Random(1);
    for _ in 0..3_000 {
        let mut mutated = tokens.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(mutated.len());
            let other = random.below(mutated.len());
            match random.below(4) {
                0 => {
                    mutated.remove(at);
                }
                1 => mutated.insert(at, tokens[random.below(tokens.len())].clone()),
                2 => mutated.swap(at, other),
                _ => mutated[at] = tokens[random.below(tokens.len())].clone(),
            }
        }
        check(&mutated.concat());
    }
}

#[test]
fn characters_changed_and_text_cut() {
    let alphabet: Vec<char> = "()[]{},;:.=<>+-*/^\"'\\ \n\0aE1é\u{feff}日"
        .chars()
        .collect();
    let chars: Vec<char> = EVERY_RULE.chars().collect();
    let mut random = Random(2);
    for _ in 0..2_000 {
        let mut mutated = chars.clone();
        for _ in 0..=random.below(8) {
            let at = random.below(mutated.len());
            match random.below(4) {
                0 => mutated[at] = alphabet[random.below(alphabet.len())],
                1 => mutated.insert(at, alphabet[random.below(alphabet.len())]),
                2 => {
                    mutated.remove(at);
                }
                _ => {
                    let end = (at + random.below(200)).min(mutated.len());
                    mutated.drain(at..end);
                }
            }
        }
        check(&mutated.into_iter().collect::<String>());
    }
}

#[test]
fn every_prefix_and_suffix() {
    for (at, _) in EVERY_RULE.char_indices() {
        check(&EVERY_RULE[..at]);
        check(&EVERY_RULE[at..]);
    }
}

#[test]
fn formatting_keeps_the_tokens_and_settles() {
    let mut random = Random(3);
    let words = |text: &str| -> Vec<String> {
        let parsed = parse(FileId(0), text);
        let texts = (0..parsed.tokens.len()).map(|i| parsed.token_text(i).trim().to_owned());
        texts.filter(|t| !t.is_empty()).collect()
    };
    for _ in 0..200 {
        // White space between tokens changes at random, with comments thrown in.
        let spaces = ["\n", "\n\n\n", " ", "\t ", " /* c */ ", " // c\n", "\r\n"];
        let text: String = tokens()
            .into_iter()
            .map(|t| match t.trim().is_empty() && random.below(3) == 0 {
                true => spaces[random.below(spaces.len())].to_owned(),
                false => t,
            })
            .collect();
        let once = format(&text);
        assert_eq!(words(&once), words(&text));
        assert_eq!(format(&once), once);
    }
}

#[test]
fn deep_nesting_is_diagnosed() {
    let n = 100_000;
    let equation = |body: String| format!("model M equation x = {body}; end M;");
    let both = |open: &str, close: &str| format!("{}1{}", open.repeat(n), close.repeat(n));
    for text in [
        equation(both("(", ")")),
        equation(both("{", "}")),
        equation(both("[", "]")),
        equation(both("f(", ")")),
        equation(both("x[", "]")),
        equation(both("-(", ")")),
        equation(both("not ", "")),
        equation(both("- ", "")),
        equation(both("if ", "")),
        equation(both("if a then ", " else 2")),
        equation(both("(1, ", ")")),
        equation(format!("1{}", " + 1".repeat(n))),
        equation(format!("1{}", " ^ 1".repeat(n))),
        equation(format!("1{}", ":1".repeat(n))),
        format!("model M Real x{}; end M;", both("(a", ")")),
        format!("model M Real x{}; end M;", both("(redeclare M a", ")")),
        "package P ".repeat(n),
        format!("model M {} end M;", "model = ".repeat(n)),
        format!("model M equation {} end M;", "if a then ".repeat(n)),
        format!("model M equation {} end M;", "for i loop ".repeat(n)),
        format!("model M algorithm {} end M;", "while a loop ".repeat(n)),
        format!("model M annotation{}; end M;", both("(a", ")")),
    ] {
        check(&text);
        let parsed = parse(FileId(0), &text);
        assert!(!parsed.errors.is_empty(), "{}…", &text[..60]);
        assert!(
            parsed.errors.len() <= 101,
            "{}… has {}",
            &text[..60],
            parsed.errors.len()
        );
    }
}

#[test]
fn long_but_flat_is_legal() {
    let n = 1_000_000;
    for text in [
        format!(
            "model M constant Real x[:] = {{{}1}}; end M;",
            "1.5,".repeat(n)
        ),
        format!(
            "model M constant Real x[:, :] = [{}1]; end M;",
            "1, 2;".repeat(n / 2)
        ),
        format!("model M {} end M;", "Real x;".repeat(n / 10)),
        format!("model M equation x = a{}; end M;", ".a".repeat(n)),
        format!("model M equation x = \"{}\"; end M;", "é".repeat(n)),
        format!(
            "model M equation x = if a then 1{} else 1; end M;",
            " elseif b then 2".repeat(n / 10)
        ),
        format!(
            "model M equation x = {}1; end M;",
            "if a then 1 else ".repeat(n / 10)
        ),
        format!("model M equation x = 0.{}1; end M;", "0".repeat(n)),
        format!("model M equation x = {}; end M;", "1".repeat(300)),
    ] {
        let parsed = parse(FileId(0), &text);
        assert_eq!(parsed.errors, [], "{}…", &text[..60]);
        assert!(parsed.print() == text);
    }
    let digits = format!("model M equation x = {}; end M;", "1".repeat(n));
    assert_eq!(parse(FileId(0), &digits).errors[0].code, "E0110");
}
