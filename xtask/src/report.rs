//! Counts by domain, and failures by cause.

use std::collections::BTreeMap;

use crate::msl::{Outcome, Stage};
use crate::options::Goal;

/// How many examples of a group of failures are named.
const NAMED: usize = 4;

pub fn print(outcomes: &[Outcome], goal: Goal) {
    let stages: &[Stage] = match goal {
        Goal::Flat => &Stage::ALL[..1],
        Goal::Compile => &Stage::ALL[..2],
        Goal::Simulate => &Stage::ALL,
    };
    let mut domains: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for o in outcomes {
        domains.entry(&o.domain).or_default().push(o);
    }
    header("domain", stages);
    for (domain, list) in &domains {
        row(domain, list, stages);
    }
    let all: Vec<&Outcome> = outcomes.iter().collect();
    row("all", &all, stages);
    let mut rungs: BTreeMap<u32, Vec<&Outcome>> = BTreeMap::new();
    for o in outcomes {
        if let Some(r) = o.rung {
            rungs.entry(r).or_default().push(o);
        }
    }
    if !rungs.is_empty() {
        println!();
        header("rung", stages);
        for (rung, list) in &rungs {
            row(&rung.to_string(), list, stages);
        }
    }
    failures(outcomes);
    let broken: Vec<&str> = outcomes
        .iter()
        .filter(|o| o.diagnosis.as_ref().is_some_and(|d| d.broken))
        .map(|o| o.class.as_str())
        .collect();
    let slow = outcomes
        .iter()
        .filter(|o| o.diagnosis.as_ref().is_some_and(|d| d.code == "TIMEOUT"))
        .count();
    let seconds: f64 = outcomes.iter().map(|o| o.seconds).sum();
    println!(
        "\n{} crashed, {slow} not finished in time; {seconds:.0} s in all",
        broken.len()
    );
}

fn header(first: &str, stages: &[Stage]) {
    print!("{first:<32}{:>8}", "models");
    for s in stages {
        print!("{:>13}", s.word());
    }
    println!();
}

fn row(name: &str, list: &[&Outcome], stages: &[Stage]) {
    print!("{name:<32}{:>8}", list.len());
    for s in stages {
        print!("{:>13}", list.iter().filter(|o| o.stage >= *s).count());
    }
    println!();
}

fn failures(outcomes: &[Outcome]) {
    let mut groups: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for o in outcomes {
        if let Some(d) = &o.diagnosis {
            groups.entry(&d.group).or_default().push(o);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, list)| std::cmp::Reverse(list.len()));
    if !groups.is_empty() {
        println!("\nfailures, biggest group first");
    }
    for (group, list) in groups {
        println!("{:>5}  {group}", list.len());
        for o in list.iter().take(NAMED) {
            let message = o.diagnosis.as_ref().map_or("", |d| &d.message);
            let message: String = message.chars().take(220).collect();
            println!("         {}: {message}", o.class);
        }
    }
}
