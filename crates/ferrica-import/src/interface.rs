//! What both versions of FMI can be asked for, with numbers of ours.

use std::ffi::{CStr, c_char, c_int};
use std::fmt::Display;
use std::sync::Mutex;

use crate::description::{Type, Variable};
use crate::shared::Shared;

/// What an event has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Update {
    pub again: bool,
    pub terminate: bool,
    pub next: Option<f64>,
}

/// What an FMU asks for after a step of the integrator.
#[derive(Clone, Copy, Debug, Default)]
pub struct After {
    pub event: bool,
    pub ended: bool,
}

/// An instance behind a C interface.
pub trait Interface: Send {
    fn shared(&self) -> &Shared;
    fn shared_mut(&mut self) -> &mut Shared;

    fn set(&mut self, variable: &Variable, values: &[f64]) -> Result<(), String>;
    fn set_text(&mut self, variable: &Variable, value: &str) -> Result<(), String>;
    /// Values of variables of one type, one after the other.
    fn get(&mut self, ty: Type, references: &[u32], out: &mut [f64]) -> Result<(), String>;

    fn enter_initialization(&mut self, tolerance: Option<f64>, start: f64) -> Result<(), String>;
    fn exit_initialization(&mut self) -> Result<(), String> {
        self.shared().exit_initialization()
    }
    fn reset(&mut self) -> Result<(), String> {
        self.shared().reset()
    }
    fn terminate(&mut self) -> Result<(), String> {
        self.shared().terminate()
    }

    fn enter_event_mode(&mut self) -> Result<(), String> {
        self.shared().enter_event_mode()
    }
    fn update_discrete_states(&mut self) -> Result<Update, String>;
    fn enter_continuous_time_mode(&mut self) -> Result<(), String> {
        self.shared().enter_continuous_time_mode()
    }
    /// A step of the integrator is done.
    fn completed_step(&mut self) -> Result<After, String>;
    fn set_time(&mut self, time: f64) -> Result<(), String> {
        self.shared().set_time(time)
    }
    fn set_states(&mut self, states: &[f64]) -> Result<(), String> {
        self.shared().set_states(states)
    }
    fn states(&mut self, out: &mut [f64]) -> Result<(), String> {
        self.shared().states(out)
    }
    fn derivatives(&mut self, out: &mut [f64]) -> Result<(), String> {
        self.shared().derivatives(out)
    }
    fn indicators(&mut self, out: &mut [f64]) -> Result<(), String> {
        self.shared().indicators(out)
    }

    /// True if the FMU ends the run.
    fn do_step(&mut self, time: f64, step: f64) -> Result<bool, String>;
}

/// Messages that are kept until a call fails: the last ones.
const MOST_MESSAGES: usize = 8;

/// What an FMU says while it is called.
#[derive(Debug, Default)]
pub struct Messages(Mutex<Vec<String>>);

impl Messages {
    /// Takes down a message of C.
    ///
    /// # Safety
    /// The text is null or ends with a zero.
    pub unsafe fn add(&self, text: *const c_char) {
        if !text.is_null() {
            // SAFETY: as the caller promises.
            self.keep(unsafe { CStr::from_ptr(text) }.to_string_lossy().trim());
        }
    }

    /// The same for a format of `printf`, whose arguments are not known.
    ///
    /// # Safety
    /// The text is null or ends with a zero.
    pub unsafe fn add_format(&self, format: *const c_char) {
        if !format.is_null() {
            // SAFETY: as the caller promises.
            let format = unsafe { CStr::from_ptr(format) }.to_string_lossy();
            self.keep(&format.trim().replace("%%", "%"));
        }
    }

    fn keep(&self, text: &str) {
        if let Ok(mut list) = self.0.lock() {
            if list.len() == MOST_MESSAGES {
                list.remove(0);
            }
            list.push(text.to_owned());
        }
    }

    /// The answer of a call: statuses up to `warning` are good.
    pub fn answer(&self, call: impl Display, status: c_int) -> Result<(), String> {
        let word = match status {
            0 | 1 => return Ok(()),
            2 => "discard",
            3 => "error",
            _ => "fatal",
        };
        let mut said = match self.0.lock() {
            Ok(mut list) => std::mem::take(&mut *list),
            Err(_) => Vec::new(),
        };
        said.retain(|s| !s.is_empty());
        let why = match said.is_empty() {
            true => String::new(),
            false => format!(": {}", said.join("; ")),
        };
        Err(format!("{call} answers `{word}`{why}"))
    }
}

/// A function of a library by its name.
macro_rules! function {
    ($library:expr, $name:literal, $ty:ty) => {{
        // SAFETY: the signature is that of the header for a function of this name.
        let found = unsafe { $library.get::<$ty>(concat!($name, "\0").as_bytes()) };
        match found {
            Ok(f) => Ok(*f),
            Err(_) => Err(format!("the binary has no function {}", $name)),
        }
    }};
}
pub(crate) use function;
