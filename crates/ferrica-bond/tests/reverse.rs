//! Models of `Ferrica.Bonds` give their own graph back.

mod common;

use common::flatten;
use ferrica_bond::analyse;
use ferrica_bond::graph::{BondGraph, Domain, Kind};
use ferrica_bond::isomorphism::isomorphism;

/// A graph by its nodes and bonds, with causality.
fn graph(nodes: &[Kind], bonds: &[(usize, usize)]) -> BondGraph {
    let mut g = BondGraph::default();
    for (k, kind) in nodes.iter().enumerate() {
        g.add_node(*kind, format!("n{k}"), Domain::Bond);
    }
    let mut ports = vec![0u8; nodes.len()];
    for &(a, b) in bonds {
        let two_port = [a, b]
            .into_iter()
            .find(|&n| matches!(nodes[n], Kind::Tf | Kind::Gy));
        let port = two_port.map_or(0, |n| {
            ports[n] += 1;
            ports[n] - 1
        });
        g.add_bond(a, b, port);
    }
    for n in &mut g.nodes {
        n.value = Some(1.0);
    }
    ferrica_bond::scap::assign(&mut g);
    g
}

fn of(text: &str) -> BondGraph {
    analyse(&flatten(text), 5).built.graph
}

fn assert_same(a: &BondGraph, b: &BondGraph) {
    assert!(isomorphism(a, b).is_some(), "{a}\n{b}");
}

#[test]
fn series_circuit() {
    use Kind::{C, I, One, R, Se};
    let wanted = graph(&[Se, One, R, I, C], &[(0, 1), (1, 2), (1, 3), (1, 4)]);
    assert_same(
        &wanted,
        &of("model T extends Ferrica.Bonds.Examples.RLC; end T;"),
    );
}

#[test]
fn motor() {
    use Kind::{Gy, I, One, R, Se};
    let wanted = graph(
        &[Se, One, R, I, Gy, One, I, R],
        &[(0, 1), (1, 2), (1, 3), (1, 4), (4, 5), (5, 6), (5, 7)],
    );
    assert_same(
        &wanted,
        &of("model T extends Ferrica.Bonds.Examples.Motor; end T;"),
    );
}

#[test]
fn transformer_between_two_storages_and_a_flow_source() {
    use Kind::{C, One, R, Sf, Tf, Zero};
    let wanted = graph(
        &[Sf, Zero, C, Tf, One, R, C],
        &[(0, 1), (1, 2), (1, 3), (3, 4), (4, 5), (4, 6)],
    );
    let text = "model T
  Ferrica.Bonds.Sf pump(f0=2);
  Ferrica.Bonds.Junction0 node(n=3);
  Ferrica.Bonds.C vessel(C=0.5);
  Ferrica.Bonds.TF piston(m=3);
  Ferrica.Bonds.Junction1 rod(n=3);
  Ferrica.Bonds.R loss(R=2);
  Ferrica.Bonds.C spring(C=0.1);
equation
  connect(pump.p, node.p[1]); connect(node.p[2], vessel.p); connect(node.p[3], piston.p1);
  connect(piston.p2, rod.p[1]); connect(loss.p, rod.p[2]); connect(spring.p, rod.p[3]);
end T;";
    let found = of(text);
    assert_same(&wanted, &found);
    let modulus = found
        .nodes
        .iter()
        .find(|n| n.kind == Tf)
        .and_then(|n| n.value);
    assert!((modulus.unwrap() - 3.0).abs() < 1e-9);
}
