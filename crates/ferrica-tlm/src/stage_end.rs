//! The end of a stage over ranks: the first one puts together what each knows, and all leave with the same state.
//!
//! A transport serves one stage: what is still on its way from the steps before is of no use and is dropped here.

use std::time::Duration;

use crate::history::History;
use crate::mail::{HISTORY, STATE};
use crate::transport::Transport;

const PAUSE: Duration = Duration::from_micros(50);

/// Samples of all ranks into the history, and the first rank's slots and history to all. False: there is no next
/// stage, because the first rank has `failed` or, while it waited, was told to `give_up`.
pub fn share(
    transport: &mut dyn Transport,
    history: &mut History,
    slots: &mut [f64],
    failed: bool,
    give_up: &mut dyn FnMut() -> bool,
) -> bool {
    let good = if transport.rank() == 0 {
        let complete = !failed && collect(transport, history, give_up);
        let mut state = vec![STATE];
        if complete {
            state.extend_from_slice(slots);
            state.extend(history.numbers());
        }
        for to in 1..transport.size() {
            transport.send(to, state.clone());
        }
        complete
    } else {
        let mut message = vec![HISTORY];
        message.extend(history.numbers());
        transport.send(0, message);
        let state = next(transport, STATE, &mut || false).unwrap_or_default();
        let there = state.len() > slots.len();
        if there {
            let (given, numbers) = state[1..].split_at(slots.len());
            slots.copy_from_slice(given);
            history.replace(numbers);
        }
        there
    };
    transport.flush(&mut || failed || give_up());
    good
}

/// The histories of all other ranks.
fn collect(
    transport: &mut dyn Transport,
    history: &mut History,
    give_up: &mut dyn FnMut() -> bool,
) -> bool {
    for _ in 1..transport.size() {
        let Some(message) = next(transport, HISTORY, give_up) else {
            return false;
        };
        let mut part = history.emptied();
        part.replace(&message[1..]);
        for (delay, samples) in part.samples.into_iter().enumerate() {
            history.add(delay as u32, samples);
        }
    }
    true
}

/// The next message of a kind.
fn next(
    transport: &mut dyn Transport,
    kind: f64,
    give_up: &mut dyn FnMut() -> bool,
) -> Option<Vec<f64>> {
    while !give_up() {
        match transport.receive() {
            Some(message) if message[0] == kind => return Some(message),
            Some(_) => {}
            None => std::thread::sleep(PAUSE),
        }
    }
    None
}
