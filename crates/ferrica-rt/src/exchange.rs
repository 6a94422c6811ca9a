//! Top-level inputs and outputs exchanged with another process, one UDP datagram a step and direction.
//!
//! A record is little-endian: magic `FRT1` (4 bytes), number of values n (u32), number of the step (u64), time (f64), then
//! n values (f64): inputs in the order of their declaration towards Ferrica, outputs from it. Before a step all datagrams that
//! have come are read and the newest one counts; without one the last values hold and the step is counted as missing.
//! A datagram with a step number not above the last one is late; one of another size or magic is rejected.
//!
//! **Invariant**: neither reading nor writing waits or allocates.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use ferrica_codegen::{CompiledModel, Slot};

const MAGIC: [u8; 4] = *b"FRT1";
const HEADER: usize = 24;

/// Where to listen and where to send to.
#[derive(Clone, Debug, PartialEq)]
pub struct Peers {
    pub listen: Option<SocketAddr>,
    pub send_to: Option<SocketAddr>,
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
    /// Datagrams that the system did not take.
    pub unsent: u64,
}

pub struct Exchange {
    socket: UdpSocket,
    send_to: Option<SocketAddr>,
    /// Slots of inputs; is a change of it an event?
    inputs: Vec<(Slot, bool)>,
    outputs: Vec<(Slot, bool)>,
    packet: Vec<u8>,
    newest: Vec<u8>,
    last_step: Option<u64>,
    listens: bool,
    pub traffic: Traffic,
}

impl Exchange {
    pub fn new(model: &CompiledModel, peers: &Peers) -> io::Result<Exchange> {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let socket = UdpSocket::bind(peers.listen.unwrap_or(any))?;
        socket.set_nonblocking(true)?;
        let real = |v| model.source.vars[v].var.ty == ferrica_ir::expr::Ty::Real;
        let inputs: Vec<(Slot, bool)> = (model.source.inputs.iter())
            .filter_map(|&v| model.layout.slot(v).map(|s| (s, !real(v))))
            .collect();
        let outputs: Vec<(Slot, bool)> = (model.source.outputs.iter())
            .filter_map(|&v| model.layout.place(v))
            .collect();
        Ok(Exchange {
            socket,
            send_to: peers.send_to,
            packet: vec![0; HEADER + 8 * inputs.len().max(outputs.len()) + 1],
            newest: vec![0; HEADER + 8 * inputs.len()],
            inputs,
            outputs,
            last_step: None,
            listens: peers.listen.is_some(),
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
            let step = u64::from_le_bytes(eight(packet, 8));
            if self.last_step.is_some_and(|last| step <= last) {
                self.traffic.late += 1;
                continue;
            }
            self.last_step = Some(step);
            self.newest.copy_from_slice(packet);
            self.traffic.received += 1;
            fresh = true;
        }
        if !fresh {
            self.traffic.missing += 1;
            return false;
        }
        let mut event = false;
        for (k, &(slot, discrete)) in self.inputs.iter().enumerate() {
            let value = f64::from_le_bytes(eight(&self.newest, HEADER + 8 * k));
            event |= discrete && slots[slot as usize] != value;
            slots[slot as usize] = value;
        }
        event
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

fn eight(bytes: &[u8], at: usize) -> [u8; 8] {
    std::array::from_fn(|k| bytes[at + k])
}
