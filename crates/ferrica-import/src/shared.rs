//! The functions that FMI 2.0 and 3.0 have with the same signatures, and the instance they are called with.
//!
//! In: a library and an instance of it. Out: calls with our numbers, and messages that name the function of the version.

use std::ffi::{c_int, c_void};
use std::fmt::Display;

use libloading::Library;

use crate::archive::Unpacked;
use crate::interface::Messages;

pub type This = *mut c_void;
pub type Plain = unsafe extern "C" fn(This) -> c_int;
type Fill = unsafe extern "C" fn(This, *mut f64, usize) -> c_int;
/// A state of an instance, as the FMU keeps it.
type Kept = *mut c_void;

/// A function, and what messages call it.
struct Named<F> {
    call: F,
    name: String,
}

/// Everything else about an instance is the same whatever its version.
pub struct Shared {
    pub this: This,
    pub messages: Box<Messages>,
    free: unsafe extern "C" fn(This),
    exit_initialization: Named<Plain>,
    terminate: Named<Plain>,
    reset: Named<Plain>,
    exchange: Option<Exchange>,
    going_back: Option<GoingBack>,
    /// The state that was kept last; null before.
    kept: Kept,
    _library: Library,
    _files: Unpacked,
}

/// What is there where `canGetAndSetFMUstate` says so.
struct GoingBack {
    get: Named<unsafe extern "C" fn(This, *mut Kept) -> c_int>,
    set: Named<unsafe extern "C" fn(This, Kept) -> c_int>,
    free: unsafe extern "C" fn(This, *mut Kept) -> c_int,
}

struct Exchange {
    enter_event_mode: Named<Plain>,
    enter_continuous_time_mode: Named<Plain>,
    set_time: Named<unsafe extern "C" fn(This, f64) -> c_int>,
    set_states: Named<unsafe extern "C" fn(This, *const f64, usize) -> c_int>,
    states: Named<Fill>,
    derivatives: Named<Fill>,
    indicators: Named<Fill>,
}

/// The words in which the versions differ.
pub struct Version {
    /// Names of functions begin with it.
    pub prefix: &'static str,
    /// What asks for derivatives, behind it.
    pub derivatives: &'static str,
    /// What a state is called.
    pub state: &'static str,
}

/// # Safety
/// A function of this name has this type in the header.
unsafe fn named<F: Copy>(library: &Library, v: &Version, name: &str) -> Result<Named<F>, String> {
    let name = format!("{}{name}", v.prefix);
    // SAFETY: as the caller promises.
    match unsafe { library.get::<F>(name.as_bytes()) } {
        Ok(f) => Ok(Named { call: *f, name }),
        Err(_) => Err(format!("the binary has no function {name}")),
    }
}

/// The functions of an instance that is still to be made.
pub struct Loaded {
    free: unsafe extern "C" fn(This),
    exit_initialization: Named<Plain>,
    terminate: Named<Plain>,
    reset: Named<Plain>,
    exchange: Option<Exchange>,
    going_back: Option<GoingBack>,
}

impl Loaded {
    /// `states`: the FMU says that it can go back.
    pub fn new(
        library: &Library,
        v: &Version,
        exchange: bool,
        states: bool,
    ) -> Result<Loaded, String> {
        let of_state = |verb: &str| format!("{verb}{}", v.state);
        // SAFETY: the types are those of both headers.
        unsafe {
            Ok(Loaded {
                free: named(library, v, "FreeInstance")?.call,
                exit_initialization: named(library, v, "ExitInitializationMode")?,
                terminate: named(library, v, "Terminate")?,
                reset: named(library, v, "Reset")?,
                exchange: match exchange {
                    false => None,
                    true => Some(Exchange {
                        enter_event_mode: named(library, v, "EnterEventMode")?,
                        enter_continuous_time_mode: named(library, v, "EnterContinuousTimeMode")?,
                        set_time: named(library, v, "SetTime")?,
                        set_states: named(library, v, "SetContinuousStates")?,
                        states: named(library, v, "GetContinuousStates")?,
                        derivatives: named(library, v, v.derivatives)?,
                        indicators: named(library, v, "GetEventIndicators")?,
                    }),
                },
                going_back: match states {
                    false => None,
                    true => Some(GoingBack {
                        get: named(library, v, &of_state("Get"))?,
                        set: named(library, v, &of_state("Set"))?,
                        free: named(library, v, &of_state("Free"))?.call,
                    }),
                },
            })
        }
    }

    /// With the instance, which is freed when this ends.
    pub fn with(
        self,
        this: This,
        messages: Box<Messages>,
        library: Library,
        files: Unpacked,
    ) -> Shared {
        Shared {
            this,
            messages,
            free: self.free,
            exit_initialization: self.exit_initialization,
            terminate: self.terminate,
            reset: self.reset,
            exchange: self.exchange,
            going_back: self.going_back,
            kept: std::ptr::null_mut(),
            _library: library,
            _files: files,
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(states) = self.going_back.as_ref().filter(|_| !self.kept.is_null()) {
            // SAFETY: the state is one of this instance, which lives.
            unsafe { (states.free)(self.this, &mut self.kept) };
        }
        // SAFETY: the instance is of this library and freed once.
        unsafe { (self.free)(self.this) };
    }
}

// SAFETY of the calls below: the instance lives, and pointers are to as many numbers as are told.
impl Shared {
    pub fn answer(&self, call: impl Display, status: c_int) -> Result<(), String> {
        self.messages.answer(call, status)
    }

    fn exchange(&self) -> Result<&Exchange, String> {
        (self.exchange.as_ref()).ok_or_else(|| "this is no Model Exchange".to_owned())
    }

    fn plain(&self, f: &Named<Plain>) -> Result<(), String> {
        // SAFETY: see above.
        self.answer(&f.name, unsafe { (f.call)(self.this) })
    }

    fn fill(&self, f: &Named<Fill>, out: &mut [f64]) -> Result<(), String> {
        // SAFETY: see above.
        let status = unsafe { (f.call)(self.this, out.as_mut_ptr(), out.len()) };
        self.answer(&f.name, status)
    }

    pub fn exit_initialization(&self) -> Result<(), String> {
        self.plain(&self.exit_initialization)
    }

    pub fn reset(&self) -> Result<(), String> {
        self.plain(&self.reset)
    }

    pub fn terminate(&self) -> Result<(), String> {
        self.plain(&self.terminate)
    }

    pub fn can_go_back(&self) -> bool {
        self.going_back.is_some()
    }

    /// Keeps the present state in place of the one before.
    pub fn keep(&mut self) -> Result<(), String> {
        let states = self.going_back.as_ref().ok_or("the FMU cannot go back")?;
        // SAFETY: see above; the state is null or one of this instance.
        let status = unsafe { (states.get.call)(self.this, &mut self.kept) };
        self.answer(&states.get.name, status)
    }

    /// To the state that was kept.
    pub fn go_back(&self) -> Result<(), String> {
        let states = self.going_back.as_ref().ok_or("the FMU cannot go back")?;
        if self.kept.is_null() {
            return Err("no state of the FMU was kept".to_owned());
        }
        // SAFETY: see above; the state is one of this instance.
        let status = unsafe { (states.set.call)(self.this, self.kept) };
        self.answer(&states.set.name, status)
    }

    pub fn enter_event_mode(&self) -> Result<(), String> {
        self.plain(&self.exchange()?.enter_event_mode)
    }

    pub fn enter_continuous_time_mode(&self) -> Result<(), String> {
        self.plain(&self.exchange()?.enter_continuous_time_mode)
    }

    pub fn set_time(&self, time: f64) -> Result<(), String> {
        let f = &self.exchange()?.set_time;
        // SAFETY: see above.
        self.answer(&f.name, unsafe { (f.call)(self.this, time) })
    }

    pub fn set_states(&self, x: &[f64]) -> Result<(), String> {
        let f = &self.exchange()?.set_states;
        // SAFETY: see above.
        let status = unsafe { (f.call)(self.this, x.as_ptr(), x.len()) };
        self.answer(&f.name, status)
    }

    pub fn states(&self, out: &mut [f64]) -> Result<(), String> {
        self.fill(&self.exchange()?.states, out)
    }

    pub fn derivatives(&self, out: &mut [f64]) -> Result<(), String> {
        self.fill(&self.exchange()?.derivatives, out)
    }

    pub fn indicators(&self, out: &mut [f64]) -> Result<(), String> {
        self.fill(&self.exchange()?.indicators, out)
    }
}
