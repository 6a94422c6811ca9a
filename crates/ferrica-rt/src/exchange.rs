//! Top-level inputs and outputs exchanged with another process, one UDP datagram a step and direction.
//!
//! A record is little-endian: magic `FRT1` (4 bytes), number of values n (u32), number of the step (u64), time (f64), then
//! n values (f64): inputs in the order of their declaration towards Ferrica, outputs from it. Before a step all datagrams that
//! have come are read and the newest one counts; without one the last values hold and the step is counted as missing.
//! A datagram of another size or magic is rejected, and so is one with a value that the input cannot have: not finite, not
//! whole for an Integer, not 0 or 1 for a Boolean. One with a step number not above the last one is late, unless it goes on
//! from one that was: a network turns the order of neighbours round, but where two such numbers ascend the peer counts anew
//! (after a restart, or after a number that was wrong), as in the sequence numbers of RFC 3550, appendix A.1.
//!
//! **Invariant**: neither reading nor writing waits or allocates.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use ferrica_codegen::{CompiledModel, Failure, Slot};
use ferrica_ir::expr::Ty;

const MAGIC: [u8; 4] = *b"FRT1";
const HEADER: usize = 24;

/// Where to listen and where to send to.
#[derive(Clone, Debug, PartialEq)]
pub struct Peers {
    pub listen: Option<SocketAddr>,
    pub send_to: Option<SocketAddr>,
    /// Silence after which the run ends.
    pub listen_timeout: Option<Duration>,
}

/// Top-level inputs with their types.
pub fn inputs(model: &CompiledModel) -> Vec<(Slot, Ty)> {
    let own = |v| (model.layout.slot(v)).map(|s| (s, model.source.vars[v].var.ty));
    model.source.inputs.iter().filter_map(|&v| own(v)).collect()
}

/// Top-level outputs, and whether they have the other sign.
pub fn outputs(model: &CompiledModel) -> Vec<(Slot, bool)> {
    let all = model.source.outputs.iter();
    all.filter_map(|&v| model.layout.place(v)).collect()
}

/// What happened to datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    pub received: u64,
    pub sent: u64,
    /// Steps before which no new datagram had come.
    pub missing: u64,
    pub late: u64,
    pub rejected: u64,
    /// Times at which the peer began to count its steps anew.
    pub restarts: u64,
    /// Datagrams that the system did not take.
    pub unsent: u64,
}

pub struct Exchange {
    socket: UdpSocket,
    send_to: Option<SocketAddr>,
    /// Slots of inputs and their types; a change of one that is not Real is an event.
    inputs: Vec<(Slot, Ty)>,
    outputs: Vec<(Slot, bool)>,
    packet: Vec<u8>,
    newest: Vec<u8>,
    order: Order,
    pub listens: bool,
    listen_timeout: Option<Duration>,
    /// When the last datagram came, or the loop began.
    heard: Instant,
    pub traffic: Traffic,
}

impl Exchange {
    pub fn new(model: &CompiledModel, peers: &Peers) -> io::Result<Exchange> {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let socket = UdpSocket::bind(peers.listen.unwrap_or(any))?;
        socket.set_nonblocking(true)?;
        let inputs = inputs(model);
        let outputs = outputs(model);
        Ok(Exchange {
            socket,
            send_to: peers.send_to,
            packet: vec![0; HEADER + 8 * inputs.len().max(outputs.len()) + 1],
            newest: vec![0; HEADER + 8 * inputs.len()],
            inputs,
            outputs,
            order: Order::default(),
            listens: peers.listen.is_some(),
            listen_timeout: peers.listen_timeout,
            heard: Instant::now(),
            traffic: Traffic::default(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Puts the newest inputs into the slots; true if one changed that is not a real number.
    pub fn receive(&mut self, slots: &mut [f64]) -> bool {
        if !self.listens {
            return false;
        }
        let size = self.newest.len();
        let mut fresh = false;
        while let Ok(n) = self.socket.recv(&mut self.packet) {
            let packet = &self.packet[..n];
            let count = (self.inputs.len() as u32).to_le_bytes();
            if n != size || packet[..4] != MAGIC || packet[4..8] != count {
                self.traffic.rejected += 1;
                continue;
            }
            let value = |k: usize| f64::from_le_bytes(eight(packet, HEADER + 8 * k));
            let mut inputs = self.inputs.iter().enumerate();
            if !inputs.all(|(k, (_, ty))| can_have(*ty, value(k))) {
                self.traffic.rejected += 1;
                continue;
            }
            match self.order.take(u64::from_le_bytes(eight(packet, 8))) {
                Turn::Next => {}
                Turn::Restart => self.traffic.restarts += 1,
                Turn::Late => {
                    self.traffic.late += 1;
                    continue;
                }
            }
            self.newest.copy_from_slice(packet);
            self.traffic.received += 1;
            fresh = true;
        }
        if !fresh {
            self.traffic.missing += 1;
            return false;
        }
        self.heard = Instant::now();
        let mut event = false;
        for (k, &(slot, ty)) in self.inputs.iter().enumerate() {
            let value = f64::from_le_bytes(eight(&self.newest, HEADER + 8 * k));
            event |= ty != Ty::Real && slots[slot as usize] != value;
            slots[slot as usize] = value;
        }
        event
    }

    /// The loop begins.
    pub fn begin(&mut self) {
        self.heard = Instant::now();
    }

    /// An error where nothing has come for longer than it may be.
    pub fn is_heard(&self) -> Result<(), Failure> {
        let limit = self.listen_timeout.filter(|_| self.listens);
        let silent = self.heard.elapsed();
        if limit.is_none_or(|limit| silent <= limit) {
            return Ok(());
        }
        Err(Failure::new(format!(
            "no datagram has come for {:.3} s: the peer is gone, or sends elsewhere",
            silent.as_secs_f64()
        )))
    }

    /// Sends the outputs.
    pub fn send(&mut self, step: u64, time: f64, slots: &[f64]) {
        let Some(to) = self.send_to else { return };
        let size = HEADER + 8 * self.outputs.len();
        let packet = &mut self.packet[..size];
        packet[..4].copy_from_slice(&MAGIC);
        packet[4..8].copy_from_slice(&(self.outputs.len() as u32).to_le_bytes());
        packet[8..16].copy_from_slice(&step.to_le_bytes());
        packet[16..24].copy_from_slice(&time.to_le_bytes());
        for (k, &(slot, negated)) in self.outputs.iter().enumerate() {
            let value = slots[slot as usize];
            let value = if negated { -value } else { value };
            packet[HEADER + 8 * k..][..8].copy_from_slice(&value.to_le_bytes());
        }
        match self.socket.send_to(packet, to) {
            Ok(_) => self.traffic.sent += 1,
            Err(_) => self.traffic.unsent += 1,
        }
    }
}

/// The order of datagrams by their step numbers.
#[derive(Default)]
struct Order {
    last: Option<u64>,
    /// The last one that was late, with nothing newer behind it.
    late: Option<u64>,
}

#[derive(Debug, PartialEq)]
enum Turn {
    Next,
    Late,
    Restart,
}

impl Order {
    fn take(&mut self, step: u64) -> Turn {
        let turn = match (self.last, self.late) {
            (Some(last), Some(late)) if step <= last && step > late => Turn::Restart,
            (Some(last), _) if step <= last => Turn::Late,
            _ => Turn::Next,
        };
        if turn == Turn::Late {
            self.late = Some(step);
        } else {
            (self.last, self.late) = (Some(step), None);
        }
        turn
    }
}

/// Is this a value of the type?
fn can_have(ty: Ty, value: f64) -> bool {
    match ty {
        Ty::Real => value.is_finite(),
        Ty::Boolean => value == 0.0 || value == 1.0,
        // A whole number that fits: 1e300 is none.
        _ => (value as i64) as f64 == value,
    }
}

fn eight(bytes: &[u8], at: usize) -> [u8; 8] {
    std::array::from_fn(|k| bytes[at + k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_counts_anew_is_heard_after_its_second_datagram() {
        let turns = |steps: &[u64]| {
            let mut order = Order::default();
            steps.iter().map(|&s| order.take(s)).collect::<Vec<_>>()
        };
        use Turn::*;
        // Neighbours that changed places, and a repeated one.
        assert_eq!(
            turns(&[1, 3, 2, 4, 4, 5]),
            [Next, Next, Late, Next, Late, Next]
        );
        // After a restart.
        assert_eq!(turns(&[50, 51, 0, 1, 2]), [Next, Next, Late, Restart, Next]);
        // After a number that is too large for any other to follow.
        assert_eq!(turns(&[7, u64::MAX, 8, 9]), [Next, Next, Late, Restart]);
    }

    #[test]
    fn values_that_an_input_cannot_have() {
        assert!(can_have(Ty::Real, -1e300));
        assert!(!can_have(Ty::Real, f64::NAN) && !can_have(Ty::Real, f64::INFINITY));
        assert!(can_have(Ty::Boolean, 1.0) && !can_have(Ty::Boolean, 0.5));
        assert!(can_have(Ty::Integer, -3.0) && !can_have(Ty::Integer, 0.5));
    }
}
