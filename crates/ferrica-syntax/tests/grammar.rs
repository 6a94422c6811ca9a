//! The rules of the grammar (Modelica 3.6, appendix A) and what is outside it.

use ferrica_ir::FileId;
use ferrica_syntax::ast::*;
use ferrica_syntax::{dump, parse, parse_tree};

const EVERY_RULE: &str = include_str!("data/every_rule.mo");

#[test]
fn every_rule_is_read_and_printed_back() {
    let parsed = parse(FileId(0), EVERY_RULE);
    assert_eq!(parsed.errors, []);
    assert_eq!(parsed.print(), EVERY_RULE);
}

/// The dump of a text, whose lines are in the notation of the printer.
fn dumped(text: &str) -> String {
    let (ast, errors) = parse_tree(FileId(0), text);
    assert_eq!(errors, [], "{text}");
    dump(&ast)
}

#[test]
fn the_tree_has_what_the_text_says() {
    let all = dumped(EVERY_RULE);
    for line in [
        "within Some.Package",
        "encapsulated package Everything \"All of it\"",
        "  import A.B.{E, F}",
        "  extends Base(x = 1, redeclare model M = N)",
        "    break y",
        "    break connect(a.b, c[1].d)",
        "  type Color = enumeration(red \"Red\", green, blue)",
        "  type Any = enumeration(:)",
        "  type Vector = input Real[3]",
        "    component stream Real h",
        "  expandable connector Bus",
        "    component discrete Real d[n, :](each start = 0, final fixed = {true, false})",
        "  operator record Number",
        "    encapsulated operator function '+'",
        "    protected component Integer i",
        "      for i in 1:10, j",
        "      (y, , i) := g(x, a = 2)",
        "    external \"C\" y = ext_e(x, size(x, 1))",
        "  function df = der(f, x, z)",
        "  final replaceable model R = S(p = 1) constrainedby T(q = 2)",
        "  redeclare replaceable component Gain g[3](each k = 2) if use_g constrainedby Gain \"gain\"",
        "  inner outer component World world",
        "    component Real 'quoted \\' name' := 3",
        "    component .Modelica.Units.SI.Voltage v = break",
        "    component Tank tank(redeclare each final Pipe p = q, replaceable package M = N, a.b(c = 1) = 2)",
        "    component parameter Real p = if a then 1 elseif b then 2 else 3",
        "    protected component parameter Real m[2, 2] = [1, -2.5e-3; 0.5, 4.0]",
        "      der(x) = -x^2 + 3 * (a - b) / c .* d ./ e.^f .+ g .- h",
        "        y[i] = sum(j * z[end, :, 1:end - 1] for j in 1:n, k in {a, b})",
        "        (u, , w) = h(function q(a = 1), b = (z)[1], c = (r).s)",
        "  model extends N(a = 1) \"More\"",
    ] {
        let line = line.replace("-2.5e-3", "-0.0025");
        assert!(all.lines().any(|l| l == line), "no line `{line}` in\n{all}");
    }
}

#[test]
fn one_element_per_component() {
    let (ast, _) = parse_tree(
        FileId(0),
        "model M parameter Real[3] a \"A\", b[2] = c; end M;",
    );
    let elements = ast.classes[0].elements();
    assert_eq!(elements.len(), 2);
    let ElementKind::Component(b) = &elements[1].kind else {
        panic!()
    };
    assert_eq!((b.type_subscripts.len(), b.subscripts.len()), (1, 1));
    assert_eq!(b.prefixes.variability, Some(Variability::Parameter));
    assert_eq!(elements[0].comment.text.as_deref(), Some("A"));
    assert!(elements[1].comment.text.is_none());
}

#[test]
fn spans_cover_the_text_of_a_node() {
    let text = "model M Real x = 1 + f(2); end M;";
    let (ast, _) = parse_tree(FileId(0), text);
    let class = &ast.classes[0];
    let ElementKind::Component(x) = &class.elements()[0].kind else {
        panic!()
    };
    let value = x.modification.as_ref().unwrap().value.as_ref().unwrap();
    let shown = |span: ferrica_ir::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(shown(class.span), "model M Real x = 1 + f(2); end M");
    assert_eq!(shown(class.elements()[0].span), "Real x = 1 + f(2)");
    assert_eq!(shown(value.span), "1 + f(2)");
    assert_eq!(shown(x.name_span), "x");
}

#[test]
fn precedence() {
    // (text, fully parenthesized by hand from the table of operator precedence)
    for (text, meaning) in [
        ("a + b * c", "a + (b * c)"),
        ("-a ^ b", "-(a ^ b)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c", "(a / b) * c"),
        ("not a == b", "not (a == b)"),
        ("a and b or c and d", "(a and b) or (c and d)"),
        ("a < b + c", "a < (b + c)"),
        ("-a + b", "(-a) + b"),
        ("a .* b ^ c", "a .* (b ^ c)"),
    ] {
        let same = |t: &str| dumped(&format!("model M equation x = {t}; end M;"));
        assert_eq!(same(text), same(meaning), "{text}");
    }
}

#[test]
fn outside_the_grammar() {
    for (text, code) in [
        ("model M equation x = a * -b; end M;", "E0106"),
        ("model M equation x = a ^ b ^ c; end M;", "E0106"),
        ("model M equation x = a < b < c; end M;", "E0106"),
        ("model M equation x = f(a = 1, 2); end M;", "E0113"),
        ("model M equation x = f(1,); end M;", "E0101"),
        ("model M equation x = f(1)[2]; end M;", "E0106"),
        ("model M equation x = f(1).y; end M;", "E0106"),
        ("model M equation x = end; end M;", "E0101"),
        ("model M equation x = 1e999; end M;", "E0110"),
        ("model M equation x = if a then 1; end M;", "E0101"),
        ("model M equation x = \"\\q\"; end M;", "E0107"),
        ("model M equation x == 1; end M;", "E0101"),
        ("model M algorithm x = 1; end M;", "E0112"),
        ("model M equation x := 1; end M;", "E0112"),
        ("model M algorithm connect(a, b); end M;", "E0101"),
        ("model M Real x; end N;", "E0104"),
        ("model M Real x;", "E0104"),
        ("model M equation if a then x = 1; end M;", "E0104"),
        ("model M parameter final Real x; end M;", "E0111"),
        ("model M input output Real x; end M;", "E0111"),
        ("model M Real each; end M;", "E0108"),
        ("model M Real é; end M;", "E0103"),
        ("model M Real x[1](y[1] = 2); end M;", "E0101"),
        ("model M x = 1; end M;", "E0101"),
        ("model M extends N(break x) end M;", "E0109"),
        ("model M A a(break x); end M;", "E0101"),
        ("model M A a(redeclare model B end B); end M;", "E0101"),
        ("x = 1;", "E0101"),
        ("model M /* end M;", "E0102"),
    ] {
        let (_, errors) = parse_tree(FileId(0), text);
        let codes: Vec<_> = errors.iter().map(|e| e.code).collect();
        assert!(
            codes.contains(&code),
            "{text}: expected {code}, got {errors:?}"
        );
    }
}
