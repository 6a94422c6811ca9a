//! Random networks of R, L, C, transformers and gyrators: the order that causality finds is the number of states after index
//! reduction, and the bond graph, written as a model of `Ferrica.Bonds`, gives the trajectories of the network.
//!
//! A network is well-posed here if nothing but the choice of states is open: a spanning tree of resistors joins all nodes to
//! one ground, the voltage source has a resistor in series. Capacitors may lie parallel and form rings, through the
//! ground or not; inductors may lie in series.

mod common;

use std::fmt::Write;
use std::sync::Arc;

use common::{at, compile, experiment, flat, flatten, simulate};
use ferrica_bond::isomorphism::isomorphism;
use ferrica_bond::qbg::{Options, Waveform, prepare};
use ferrica_bond::{analyse, modelica};

/// xorshift64*, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// Between a and b.
    fn real(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Network {
    body: String,
    storages: Vec<String>,
}

/// About `size` elements.
fn network(seed: u64, size: usize) -> Network {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let nodes = 2 + size / 3;
    // Beyond these, nodes inside pairs of inductors.
    let mut extra = nodes;
    let mut declared = String::new();
    let mut connected = String::new();
    let mut storages = Vec::new();
    let mut count = 0;
    // Node 0 is the ground; other nodes are named by the first pin on them.
    let mut first: Vec<Option<String>> = vec![None; nodes + size];
    first[0] = Some("G.p".to_owned());
    let join =
        |pin: &str, node: usize, first: &mut Vec<Option<String>>, out: &mut String| match &first
            [node]
        {
            Some(other) => {
                let _ = writeln!(out, "  connect({other}, {pin});");
            }
            None => first[node] = Some(pin.to_owned()),
        };
    let basic = "Modelica.Electrical.Analog.Basic";
    declared.push_str("  Modelica.Electrical.Analog.Basic.Ground G;\n");
    let mut place = |class: &str, args: &str, a: usize, b: usize| {
        count += 1;
        let name = format!("e{count}");
        let _ = writeln!(declared, "  {class} {name}({args});");
        join(&format!("{name}.p"), a, &mut first, &mut connected);
        join(&format!("{name}.n"), b, &mut first, &mut connected);
        name
    };
    // A spanning tree of resistors keeps every node in a bounded network.
    for node in 1..nodes {
        let other = random.below(node);
        let r = random.real(0.5, 3.0);
        place(&format!("{basic}.Resistor"), &format!("R={r}"), node, other);
    }
    let mut two_ports = Vec::new();
    for _ in 0..size.saturating_sub(nodes) {
        let a = random.below(nodes);
        let b = (a + 1 + random.below(nodes - 1)) % nodes;
        match random.below(8) {
            0 | 1 => {
                let r = random.real(0.5, 3.0);
                place(&format!("{basic}.Resistor"), &format!("R={r}"), a, b);
            }
            2 | 3 => {
                let c = random.real(0.5, 2.0);
                let floats = a != 0 && b != 0 && random.below(2) == 0;
                let (a, b) = match (floats, a) {
                    (true, _) => (a, b),
                    (false, 0) => (b, 0),
                    (false, _) => (a, 0),
                };
                let name = place(&format!("{basic}.Capacitor"), &format!("C={c}"), a, b);
                storages.push(format!("{name}.v"));
            }
            4 | 5 => {
                let l = random.real(0.5, 2.0);
                let mut b = b;
                if random.below(3) == 0 {
                    let name = place(&format!("{basic}.Inductor"), "L=0.7", extra, b);
                    storages.push(format!("{name}.i"));
                    b = extra;
                    extra += 1;
                }
                let name = place(&format!("{basic}.Inductor"), &format!("L={l}"), a, b);
                storages.push(format!("{name}.i"));
            }
            _ => two_ports.push((a, b, random.next())),
        }
    }
    // A source behind a resistor of its own drives it all.
    let target = 1 + random.below(nodes - 1);
    let frequency = random.real(0.1, 0.4);
    let source = place(
        "Modelica.Electrical.Analog.Sources.SineVoltage",
        &format!("V=1, f={frequency}"),
        target,
        0,
    );
    // Give the source a node of its own: it is joined through a resistor.
    let mut body = declared;
    let mut equations = connected;
    body = body.replace(
        &format!("  Modelica.Electrical.Analog.Sources.SineVoltage {source}("),
        &format!("  {basic}.Resistor rs(R=1);\n  Modelica.Electrical.Analog.Sources.SineVoltage {source}("),
    );
    equations = equations.replace(&format!("{source}.p);"), "rs.n);");
    let _ = writeln!(equations, "  connect({source}.p, rs.p);");
    for (k, (a, b, bits)) in two_ports.into_iter().enumerate() {
        // Both sides behind resistors, so that no ratio is over-determined.
        let value = 0.5 + (bits % 1000) as f64 / 800.0;
        let (class, port) = if bits & 1024 == 0 {
            (
                format!("Modelica.Electrical.Analog.Ideal.IdealTransformer t{k}(n={value})"),
                "t",
            )
        } else {
            (
                format!("Modelica.Electrical.Analog.Ideal.IdealGyrator t{k}(G={value})"),
                "t",
            )
        };
        let _ = writeln!(
            body,
            "  {class};\n  {basic}.Resistor ta{k}(R=1), tb{k}(R=1.5);"
        );
        let node = |n: usize| first_pin(&first, n);
        let _ = writeln!(
            equations,
            "  connect({}, ta{k}.p); connect(ta{k}.n, {port}{k}.p1); connect({port}{k}.n1, G.p);\n  connect({}, tb{k}.p); connect(tb{k}.n, {port}{k}.p2); connect({port}{k}.n2, G.p);",
            node(a),
            node(b)
        );
    }
    Network {
        body: format!("{body}equation\n{equations}"),
        storages,
    }
}

fn first_pin(first: &[Option<String>], n: usize) -> String {
    first[n].clone().unwrap_or_else(|| "G.p".to_owned())
}

#[test]
fn order_is_the_number_of_states() {
    for seed in 1..=40 {
        let size = [6, 12, 25, 50][seed as usize % 4];
        check_order(seed, size);
    }
    check_order(1001, 200);
    check_order(1002, 200);
}

fn check_order(seed: u64, size: usize) {
    let net = network(seed, size);
    let model = flat(&net.body);
    let a = analyse(&model, 5);
    assert!(
        a.built.multiports.is_empty(),
        "seed {seed}: {:?}",
        a.built.multiports
    );
    assert!(
        a.causality.unsatisfied.is_empty(),
        "seed {seed}\n{}",
        a.built.graph
    );
    assert!(a.causality.conflicts.is_empty(), "seed {seed}");
    let states = compile(&model).layout.n_states;
    assert_eq!(
        a.causality.states.len(),
        states,
        "seed {seed}, {} storages\n{}",
        net.storages.len(),
        a.report
    );
    assert_eq!(
        a.causality.states.len() + a.causality.dependent.len(),
        net.storages.len()
    );
}

#[test]
fn the_graph_gives_the_trajectories_of_the_network() {
    for (seed, size) in [(3, 8), (7, 15), (11, 30), (19, 60), (1001, 200)] {
        let net = network(seed, size);
        let model = Arc::new(flat(&net.body));
        let compiled = compile(&model);
        let plan = experiment(&compiled, 4.0, 200.0);
        let prepared = prepare(&model, &compiled, &plan)
            .unwrap_or_else(|e| panic!("seed {seed}: {}", e.diagnostic().message));
        let described = prepared
            .describe(&Options::new(&plan))
            .unwrap_or_else(|d| panic!("seed {seed}: {}", d.message));
        assert!(
            described
                .sources
                .values()
                .all(|w| matches!(w, Waveform::Sine { .. }))
        );
        let graph = &prepared.analysis.built.graph;
        let text = modelica::modelica(graph, &described, "Graph")
            .unwrap_or_else(|n| panic!("{}", graph.nodes[n].name));
        let back = flatten(&text);
        // The model of the graph has the graph it came from.
        if size <= 60 {
            let mut again = analyse(&back, 5).built.graph;
            // The signal of the source is a block there, part of the source here.
            for n in &mut again.nodes {
                n.removed = n.kind == ferrica_bond::graph::Kind::Block;
            }
            again.compact();
            assert!(isomorphism(graph, &again).is_some(), "{graph}\n{again}");
        }
        // And moves as the network does: states by their names in both.
        let names = modelica::names(graph);
        let states = &prepared.analysis.causality.states;
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for &n in states {
            let node = &graph.nodes[n];
            let effort = node.kind == ferrica_bond::graph::Kind::C;
            here.push(format!("{}.{}", node.name, if effort { "v" } else { "i" }));
            there.push(format!("{}.{}", names[n], if effort { "e" } else { "f" }));
        }
        let a = simulate(&model, 4.0, 200.0, &here);
        let b = simulate(&back, 4.0, 200.0, &there);
        for k in 0..=40 {
            let t = f64::from(k) / 10.0;
            for (c, name) in here.iter().enumerate() {
                let (x, y) = (at(&a, t, c), at(&b, t, c));
                assert!((x - y).abs() < 1e-5, "seed {seed}: {name} at {t}: {x} {y}");
            }
        }
    }
}
