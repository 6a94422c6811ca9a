//! Families and regular loops against one instance for each element and one evaluation for each pass: the flat models are the same text.
//! The expected lines beside them are read off the models by the rules of the language.

use std::sync::Arc;

use ferrica_classes::{Library, SearchPath};
use ferrica_ir::SourceMap;

/// The flat model as text, by families and one by one, or the messages.
fn both_ways(text: &str) -> [Result<String, String>; 2] {
    let sources = Arc::new(SourceMap::new());
    let library = Library::new(sources.clone(), SearchPath::default());
    let render =
        |d: Vec<ferrica_ir::Diagnostic>| d.iter().map(|d| sources.render(d)).collect::<String>();
    let top = match library
        .add_source("case.mo", text)
        .map(|c| c.last().copied())
    {
        Ok(Some(top)) => top,
        Ok(None) => return [(); 2].map(|()| Err("no class".into())),
        Err(d) => return [(); 2].map(|()| Err(render(d.clone()))),
    };
    let dump = |f: ferrica_flat::Flattened| {
        let imbalance: String = f.imbalance.iter().map(|d| sources.render(d)).collect();
        ferrica_ir::print::flat_model(&f.model) + &imbalance
    };
    let family = ferrica_flat::flatten_class(&library, top);
    let single = ferrica_flat::flatten_one_by_one(&library, top);
    [
        family.map(dump).map_err(render),
        single.map(dump).map_err(render),
    ]
}

/// The flat model as text, the same either way, and the messages.
fn flat(text: &str) -> Result<String, String> {
    let [family, single] = both_ways(text);
    assert_eq!(family, single, "in\n{text}");
    family
}

/// The same in any order: flows of what is not connected come family by family.
fn in_any_order(text: &str) {
    let sorted = |flat: Result<String, String>| {
        flat.map(|text| {
            let mut lines: Vec<String> = text.lines().map(String::from).collect();
            lines.sort();
            lines
        })
    };
    let [family, single] = both_ways(text).map(sorted);
    assert_eq!(family, single, "in\n{text}");
}

fn lines(text: &str, expected: &[&str]) {
    let dump = flat(text).unwrap_or_else(|e| panic!("{e}"));
    for line in expected {
        assert!(dump.contains(line), "no `{line}` in\n{dump}");
    }
}

const PARTS: &str = "
connector Pin Real v; flow Real i; end Pin;
connector In = input Real;
connector Out = output Real;
model Cell
  parameter Real C = 2;
  Pin p, n;
  Real u(start = C, fixed = true);
equation
  u = p.v - n.v;
  C*der(u) = p.i;
  p.i + n.i = 0;
end Cell;
";

#[test]
fn an_array_of_components_in_a_chain() {
    let text = format!(
        "{PARTS}
model M
  Cell c[5](each C = 3);
  Pin a, b;
equation
  connect(a, c[1].p);
  for k in 1:4 loop connect(c[k].n, c[k + 1].p); end for;
  connect(c[5].n, b);
  a.v = sin(time);
  b.v = 0;
end M;"
    );
    lines(&text, &["'c[4].C' * der('c[4].u') = 'c[4].p.i'"]);
}

#[test]
fn arrays_in_arrays_and_connections_inside_of_them() {
    let text = format!(
        "{PARTS}
model Row
  parameter Integer n = 3;
  Pin p, n_;
  Cell c[n];
  Real total = sum(c.u);
equation
  connect(p, c[1].p);
  for k in 1:n - 1 loop connect(c[k].n, c[k + 1].p); end for;
  connect(c[n].n, n_);
end Row;
model M
  Row r[2, 2];
  Pin ground;
  Real y = r[2, 1].c[3].u + r[1, 2].total;
  Real z[2, 2, 3] = r.c.u;
equation
  ground.v = 0;
  for i in 1:2 loop
    for j in 1:2 loop
      connect(r[i, j].p, ground);
      connect(r[i, j].n_, ground);
    end for;
  end for;
end M;"
    );
    lines(
        &text,
        &[
            "= 'r[2,1].c[3].u' + 'r[1,2].total'",
            "'z[2,1,3]' = 'r[2,1].c[3].u'",
        ],
    );
}

#[test]
fn loops_of_connections() {
    for connections in [
        // Along the array, back along it, over it, from one to all, ports of the model and of a predefined type.
        "for k in 1:5 loop connect(c[k].n, c[k + 1].p); end for; connect(c[6].n, g); connect(c[1].p, g);",
        "for k in 2:6 loop connect(c[k].p, c[k - 1].n); connect(c[7 - k].u2, c[k].u2); end for; connect(c[1].p, g);",
        "for k in 1:6 loop connect(c[k].p, g); connect(c[k].n, ports[k]); end for;",
        "for k in 1:6 loop connect(c[k].y, y[k]); connect(u[k], c[k].x); end for;",
        "for i in 1:2 loop for k in 1:5 loop connect(grid[i, k].n, grid[i, k + 1].p); end for; end for; connect(grid[1, 1].p, g);",
        "for k in 1:5 loop if k > 2 then connect(c[k].n, c[k + 1].p); end if; end for;",
        "for k in 1:2:5 loop connect(c[k].n, c[k + 1].p); end for;",
        "for k in 1:5 loop connect(c[k].n, missing.p); end for;",
        "for k in 1:5 loop connect(row[k].p, c[k].n); connect(row[k + 1].p, g); end for;",
        // Mistakes: behind the end, no connector, arrays of different sizes.
        "for k in 1:6 loop connect(c[k].n, c[k + 1].p); end for;",
        "for k in 1:6 loop connect(c[k], g); end for;",
        "for k in 1:6 loop connect(ports, c[k].p); end for;",
    ] {
        let text = format!(
            "{PARTS}
model Both extends Cell; In x; Out y = 2*x; Pin u2; equation u2.v = p.v; end Both;
model M
  Both c[6](each C = 3);
  Both grid[2, 6];
  Cell row[6](C = {{1, 2, 3, 4, 5, 6}});
  Cell missing if false;
  Pin g;
  Pin ports[6];
  In u[6];
  Out y[6];
equation
  {connections}
end M;"
        );
        in_any_order(&text);
    }
}

#[test]
fn arrays_that_are_filled_with_one_value() {
    for parts in [
        "parameter Real v = 3; Cell c[4](C = fill(v, 4), u(start = zeros(4)))",
        "parameter Real v[2] = {3, 4}; parameter Integer n = 3; Cell c[n](C = fill(v[1], 3))",
        "parameter Real v = 3; Cell c[2, 2](C = fill(v, 2, 2), u(start = ones(2, 2)))",
        // Sizes and types that do not fit.
        "Cell c[4](C = fill(3, 5))",
        "Cell c[2, 2](C = fill(3, 2))",
        "Cell c[4](C = fill(\"three\", 4))",
    ] {
        let one = if parts.contains("2, 2]") {
            "c[1, 2]"
        } else {
            "c[2]"
        };
        let rest = format!("Pin g; equation g.v = 0; connect({one}.p, g); end M;");
        in_any_order(&format!("{PARTS}model M {parts}; {rest}"));
    }
    let filled =
        "model M parameter Real v = 3; Cell c[4](C = fill(2*v, 4)); Pin g; equation g.v = 0;
        for k in 1:4 loop connect(c[k].p, g); connect(c[k].n, g); end for; end M;";
    lines(
        &format!("{PARTS}{filled}"),
        &["parameter Real 'c[3].C' = 2 * v;"],
    );
}

#[test]
fn what_is_irregular_falls_apart() {
    // Values for single elements, conditions of single elements, when-clauses, own names, what is asked of connections, values of the
    // array itself, algorithms, subscripts that are known at run time.
    for model in [
        "model M Cell c[3](C = {1, 2, 3}); Pin g; equation g.v = 0; for k in 1:3 loop connect(c[k].p, g); connect(c[k].n, g); end for; end M;",
        "model E Boolean b(start = false); Real x(start = 1, fixed = true); equation der(x) = -x; when x < 0.5 then b = not pre(b); reinit(x, 1); end when; end E;
         model M E e[4]; end M;",
        "model E Real x; equation x = 1; assert(x < 2, \"in \" + getInstanceName()); end E; model M E e[3]; end M;",
        "model E Pin p; Real n; equation p.v = 1; if cardinality(p) == 0 then n = 0; else n = 1; end if; end E;
         model M E e[3]; Pin g; equation connect(e[2].p, g); end M;",
        "model E input Real x; Real y = 2*x; end E; model M E e[3](each x = e[1].y - time); end M;",
        "model M Cell c[3]; Pin g; Real s; algorithm s := 0; for k in 1:3 loop s := s + c[k].u; end for; equation g.v = 0;
           for k in 1:3 loop connect(c[k].p, g); connect(c[k].n, g); end for; end M;",
        "model M Cell c[3]; Pin g; Integer k = if time < 1 then 1 else 3; Real s = c[k].u; equation g.v = 0;
           for k in 1:3 loop connect(c[k].p, g); connect(c[k].n, g); end for; end M;",
        "model E parameter Integer n = 2; parameter Real p[n] = fill(1, n); Real x[n] = p*time; end E;
         model M E e[3]; E f(n = e[2].n + 1); Real y[e[3].n] = e[1].x; end M;",
        "model W parameter Real g = 9; Real h = g*time; end W; model E outer W w; Real x = w.h; end E;
         model M inner W w; E e[3]; end M;",
        "model E Real x; equation x = time; end E; model S E e[3]; inner Real z = e[1].x; F f[2]; end S;
         model F outer Real z; Real y = z; end F; model M S s[2]; end M;",
        "model E Real x; Real y; equation x = time; end E; model M E e[3]; end M;",
        "model E Out y; In u; equation y = 2*u; end E;
         model M E e[4]; equation connect(e[1].u, e[2].y); connect(e[2:3].u, e[3:4].y); e[4].u = time; end M;",
    ] {
        let _ = flat(&format!("{PARTS}{model}"));
    }
}

#[test]
fn loops_over_neighbours() {
    let dump = flat(
        "model Rod
  parameter Integer n = 9;
  parameter Real k[n] = {i for i in 1:n};
  Real T[n](each start = 300), q[n + 1], w[n, 4], s[n];
equation
  q[1] = 10*(400 - T[1]);
  for i in 2:n loop q[i] = k[i]*(T[i - 1] - T[i]); end for;
  q[n + 1] = 0;
  for i in 1:n loop der(T[i]) = q[i] - q[1 + i]; end for;
  for i in 1:n loop for j in 1:4 loop w[i, j] = T[i]*j + sin(T[3] - T[i]); end for; end for;
  for i in 1:n loop s[i] = T[i] - T[4] + i; end for;
end Rod;",
    )
    .unwrap_or_else(|e| panic!("{e}"));
    for line in [
        "der('T[7]') = 'q[7]' - 'q[8]'",
        "'k[8]' * ('T[7]' - 'T[8]')",
    ] {
        assert!(dump.contains(line), "no `{line}` in\n{dump}");
    }
}

#[test]
fn variables_that_meet_on_the_way_are_one() {
    let dump = flat("model M Real x[6], y[6]; equation for i in 1:6 loop x[i] = time; y[i] = x[i] - x[4]; end for; end M;")
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(dump.contains("'y[4]' = 0"), "{dump}");
}

#[test]
fn a_mistake_names_its_element() {
    let e = flat(&format!(
        "{PARTS}model M Cell c[7]; Pin g; equation g.v = 0; for k in 1:7 loop connect(c[k].p, g); connect(c[k + 1].n, g); end for; end M;"
    ))
    .unwrap_err();
    assert!(e.contains("E0318") && e.contains('8'), "{e}");
    let e = flat("model M Real x[9]; equation for i in 1:9 loop x[i] = x[i + 1]; end for; end M;")
        .unwrap_err();
    assert!(e.contains("E0318") && e.contains("10"), "{e}");
    let e = flat(
        "connector A Real v; end A; connector B Real v; Real w; end B; model E A a; B b; end E;
         model M E e[5]; equation connect(e[3].a, e[4].b); end M;",
    )
    .unwrap_err();
    assert!(e.contains("`e[3].a`") || e.contains("`e[4].b`"), "{e}");
}
