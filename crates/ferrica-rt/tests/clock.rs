//! Runs against the clock: what a step allocates, what goes over the wire.

mod pipeline;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Mutex;
use std::time::Duration;

use ferrica_rt::{Method, Peers, RealTime, RtOptions};
use pipeline::{compile, run};

/// Counts allocations.
struct Counting;

thread_local! {
    /// Of this thread: the test harness has threads of its own.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}
/// One test at a time: they keep to the clock.
static ALONE: Mutex<()> = Mutex::new(());

// SAFETY: all calls are handed to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the contract of this function is that of the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PENDULUM: &str =
    "model M Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); Real f;
  equation der(x) = v; der(v) = f; f = -sin(x) - 0.1*v*abs(v); end M;";

/// A run of 2000 steps allocates exactly as often as one of 20: nothing in the loop does. The rows are kept in memory of one
/// piece, and handed out at the end.
#[test]
fn steps_allocate_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let model = compile(PENDULUM);
    for method in [Method::Bdf2, Method::Trapezoid] {
        for fuse_limit in [0, 4000] {
            let count = |steps: u32| {
                let mut options = RtOptions::new(method);
                options.fuse_limit = fuse_limit;
                options.real_time = Some(RealTime::default());
                let h = 2e-6;
                let before = COUNT.get();
                // One row at the end.
                let stop = h * f64::from(steps);
                let t = run(&model, &options, stop, h, stop, &["x"]);
                assert_eq!(t.run().stats.steps, u64::from(steps));
                let timing = t.run().timing.as_ref().expect("paced");
                assert_eq!(timing.work.len(), u64::from(steps));
                assert_eq!(t.rows.len(), 2);
                COUNT.get() - before
            };
            count(20);
            let (few, many) = (count(20), count(2000));
            assert_eq!(few, many, "{method:?} {fuse_limit}");
        }
    }
}

/// A run against the clock gives the rows of a run without, and takes as long as the model's time.
#[test]
fn paced_rows_are_the_same() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let model = compile(PENDULUM);
    let mut options = RtOptions::new(Method::Bdf3);
    let free = run(&model, &options, 0.05, 1e-3, 5e-3, &["x", "f"]);
    options.real_time = Some(RealTime::default());
    let paced = run(&model, &options, 0.05, 1e-3, 5e-3, &["x", "f"]);
    assert_eq!(free.rows, paced.rows);
    assert!(paced.run().stats.simulate_seconds >= 0.049);
}

fn record(step: u64, values: &[f64]) -> Vec<u8> {
    let mut out = b"FRT1".to_vec();
    out.extend((values.len() as u32).to_le_bytes());
    out.extend(step.to_le_bytes());
    out.extend(0f64.to_le_bytes());
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    out
}

/// y' = u with u = 3 from a datagram that the peer sends after the first step (and one late, two wrong): the value holds until y has passed 0.1 and
/// the model ends the run, however long the peer took; the outputs of every step before come to the peer.
#[test]
fn inputs_hold_and_outputs_are_sent() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let model = compile(
        "model M input Real u; output Real y(start = 0, fixed = true); output Real twice;
         equation der(y) = u; twice = 2*y; when y > 0.1 then terminate(\"enough\"); end when; end M;",
    );
    let local = SocketAddr::from(([127, 0, 0, 1], 0));
    let peer = UdpSocket::bind(local).expect("a socket");
    peer.set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a timeout");
    // A free port, found by asking for one.
    let listen = UdpSocket::bind(local)
        .and_then(|s| s.local_addr())
        .expect("a port");
    let mut options = RtOptions::new(Method::Bdf1);
    options.real_time = Some(RealTime {
        peers: Some(Peers {
            listen_timeout: None,
            listen: Some(listen),
            send_to: peer.local_addr().ok(),
        }),
    });
    let sender = std::thread::spawn(move || {
        let mut got: Vec<(f64, f64, f64)> = Vec::new();
        let mut buffer = [0u8; 100];
        // The last step that is sent has y = 33 · 3 · 0.001.
        while got.last().is_none_or(|g| g.1 < 0.0985) {
            let Ok(n) = peer.recv(&mut buffer) else { break };
            if got.is_empty() {
                let late = record(6, &[9.0]);
                let no_number = record(8, &[f64::NAN]);
                for packet in [record(7, &[3.0]), late, no_number, vec![1, 2, 3]] {
                    peer.send_to(&packet, listen).expect("sent");
                }
            }
            assert_eq!(n, 24 + 16);
            let number = |at: usize| f64::from_le_bytes(std::array::from_fn(|k| buffer[at + k]));
            got.push((number(16), number(24), number(32)));
        }
        got
    });
    let t = run(&model, &options, 60.0, 1e-3, 60.0, &["y"]);
    let done = t.run();
    let traffic = done.timing.as_ref().and_then(|t| t.traffic);
    let traffic = traffic.expect("traffic");
    let got = sender.join().expect("a peer");
    assert_eq!(done.stats.terminated.as_deref(), Some("enough"));
    assert_eq!(
        (traffic.received, traffic.late, traffic.rejected),
        (1, 1, 2)
    );
    assert_eq!(traffic.missing, done.stats.steps - 1);
    // The step that ends the run is not sent.
    assert_eq!(traffic.sent, done.stats.steps - 1);
    assert_eq!(got.len() as u64, traffic.sent);
    let began = got.iter().position(|g| g.1 > 0.0).expect("a change");
    for (k, &(time, y, twice)) in got.iter().enumerate() {
        assert!((time - 1e-3 * (k + 1) as f64).abs() < 1e-12);
        assert!((twice - 2.0 * y).abs() < 1e-12);
        let steps = if k < began { 0 } else { k - began + 1 };
        assert!((y - 3e-3 * steps as f64).abs() < 1e-12, "{k}: {y}");
    }
}
