//! The C interface of FMI 2.0.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use libloading::Library;

use crate::archive::Unpacked;
use crate::description::{Description, Type, Variable};
use crate::interface::{After, Interface, Messages, Update, function};
use crate::shared::{Loaded, Plain, Shared, This, Version};

const VERSION: Version = Version {
    prefix: "fmi2",
    derivatives: "GetDerivatives",
    state: "FMUstate",
};

type Get<T> = unsafe extern "C" fn(This, *const u32, usize, *mut T) -> c_int;
type Set<T> = unsafe extern "C" fn(This, *const u32, usize, *const T) -> c_int;
/// The arguments behind the format are left alone.
type Logger = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char);

#[repr(C)]
struct Callbacks {
    logger: Logger,
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    finished: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
    environment: *const c_void,
}

#[repr(C)]
#[derive(Default)]
struct EventInfo {
    again: c_int,
    terminate: c_int,
    nominals_changed: c_int,
    values_changed: c_int,
    next_defined: c_int,
    next: f64,
}

unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

unsafe extern "C" fn listen(
    environment: *mut c_void,
    _name: *const c_char,
    status: c_int,
    _category: *const c_char,
    format: *const c_char,
) {
    if status > 1 {
        // SAFETY: the environment is the list that this instance was made with, and formats end with a zero.
        unsafe { (*environment.cast::<Messages>()).add_format(format) };
    }
}

struct Calls {
    setup: unsafe extern "C" fn(This, c_int, f64, f64, c_int, f64) -> c_int,
    enter_initialization: Plain,
    get_real: Get<f64>,
    get_integer: Get<c_int>,
    get_boolean: Get<c_int>,
    set_real: Set<f64>,
    set_integer: Set<c_int>,
    set_boolean: Set<c_int>,
    set_string: Set<*const c_char>,
    exchange: Option<Exchange>,
    do_step: Option<unsafe extern "C" fn(This, f64, f64, c_int) -> c_int>,
    /// Optional in the standard.
    boolean_status: Option<unsafe extern "C" fn(This, c_int, *mut c_int) -> c_int>,
}

/// A step that is not taken to its end: does the FMU end the run?
const DISCARD: c_int = 2;
const TERMINATED: c_int = 3;

struct Exchange {
    new_discrete_states: unsafe extern "C" fn(This, *mut EventInfo) -> c_int,
    completed: unsafe extern "C" fn(This, c_int, *mut c_int, *mut c_int) -> c_int,
}

pub struct Instance {
    /// First, so that the instance ends before what it points to.
    shared: Shared,
    calls: Calls,
    /// The instance keeps a pointer to it.
    _callbacks: Box<Callbacks>,
}

// SAFETY: an instance is used by one thread at a time, which FMI allows; the pointers belong to it alone.
unsafe impl Send for Instance {}

fn load(library: &Library, exchange: bool) -> Result<Calls, String> {
    Ok(Calls {
        setup: function!(library, "fmi2SetupExperiment", _)?,
        enter_initialization: function!(library, "fmi2EnterInitializationMode", _)?,
        get_real: function!(library, "fmi2GetReal", _)?,
        get_integer: function!(library, "fmi2GetInteger", _)?,
        get_boolean: function!(library, "fmi2GetBoolean", _)?,
        set_real: function!(library, "fmi2SetReal", _)?,
        set_integer: function!(library, "fmi2SetInteger", _)?,
        set_boolean: function!(library, "fmi2SetBoolean", _)?,
        set_string: function!(library, "fmi2SetString", _)?,
        exchange: match exchange {
            false => None,
            true => Some(Exchange {
                new_discrete_states: function!(library, "fmi2NewDiscreteStates", _)?,
                completed: function!(library, "fmi2CompletedIntegratorStep", _)?,
            }),
        },
        do_step: match exchange {
            true => None,
            false => Some(function!(library, "fmi2DoStep", _)?),
        },
        boolean_status: function!(library, "fmi2GetBooleanStatus", _).ok(),
    })
}

impl Instance {
    pub fn new(
        files: Unpacked,
        d: &Description,
        name: &CStr,
        exchange: bool,
    ) -> Result<Instance, String> {
        // SAFETY: the user allowed the code of this library to run, or it is our own.
        let library = unsafe { Library::new(&files.binary) };
        let library = library.map_err(|e| format!("the binary cannot be loaded: {e}"))?;
        let offer = if exchange { &d.exchange } else { &d.steps };
        let states = offer.as_ref().is_some_and(|o| o.states);
        let loaded = Loaded::new(&library, &VERSION, exchange, states)?;
        let calls = load(&library, exchange)?;
        let messages = Box::<Messages>::default();
        let callbacks = Box::new(Callbacks {
            logger: listen,
            allocate: calloc,
            free,
            finished: None,
            environment: std::ptr::from_ref(&*messages).cast(),
        });
        type Make = unsafe extern "C" fn(
            *const c_char,
            c_int,
            *const c_char,
            *const c_char,
            *const Callbacks,
            c_int,
            c_int,
        ) -> This;
        let make: Make = function!(library, "fmi2Instantiate", _)?;
        let text = |s: String| CString::new(s).map_err(|_| "a name has a zero in it".to_owned());
        let token = text(d.token.clone())?;
        let place = text(format!("file://{}", files.resources().display()))?;
        let kind = c_int::from(!exchange);
        // SAFETY: all texts live during the call, the callbacks as long as the instance.
        let this = unsafe {
            make(
                name.as_ptr(),
                kind,
                token.as_ptr(),
                place.as_ptr(),
                &*callbacks,
                0,
                0,
            )
        };
        if this.is_null() {
            messages.answer("fmi2Instantiate", 3)?;
        }
        Ok(Instance {
            shared: loaded.with(this, messages, library, files),
            calls,
            _callbacks: callbacks,
        })
    }

    fn exchange(&self) -> Result<&Exchange, String> {
        (self.calls.exchange.as_ref()).ok_or_else(|| "this is no Model Exchange".to_owned())
    }
}

// SAFETY of the calls below: the instance lives, and pointers are to as many numbers as are told.
impl Interface for Instance {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn set(&mut self, v: &Variable, values: &[f64]) -> Result<(), String> {
        let (this, vr) = (self.shared.this, &v.reference);
        let whole = || values.iter().map(|&x| x as c_int).collect::<Vec<c_int>>();
        // SAFETY: see above.
        let status = unsafe {
            match v.ty {
                Type::Float64 => (self.calls.set_real)(this, vr, 1, values.as_ptr()),
                Type::Boolean => (self.calls.set_boolean)(this, vr, 1, whole().as_ptr()),
                _ => (self.calls.set_integer)(this, vr, 1, whole().as_ptr()),
            }
        };
        self.shared
            .answer(format_args!("setting `{}`", v.name), status)
    }

    fn set_text(&mut self, v: &Variable, value: &str) -> Result<(), String> {
        let text = CString::new(value).map_err(|_| "a text has a zero in it".to_owned())?;
        // SAFETY: see above.
        let status =
            unsafe { (self.calls.set_string)(self.shared.this, &v.reference, 1, &text.as_ptr()) };
        self.shared
            .answer(format_args!("setting `{}`", v.name), status)
    }

    fn get(&mut self, ty: Type, references: &[u32], out: &mut [f64]) -> Result<(), String> {
        let (this, vr, n) = (self.shared.this, references.as_ptr(), references.len());
        debug_assert_eq!(n, out.len());
        if ty == Type::Float64 {
            // SAFETY: see above.
            let status = unsafe { (self.calls.get_real)(this, vr, n, out.as_mut_ptr()) };
            return self.shared.answer("fmi2GetReal", status);
        }
        let mut whole: Vec<c_int> = vec![0; n];
        let (call, name) = match ty {
            Type::Boolean => (self.calls.get_boolean, "fmi2GetBoolean"),
            _ => (self.calls.get_integer, "fmi2GetInteger"),
        };
        // SAFETY: see above.
        let status = unsafe { call(this, vr, n, whole.as_mut_ptr()) };
        for (x, &value) in out.iter_mut().zip(&whole) {
            *x = f64::from(value);
        }
        self.shared.answer(name, status)
    }

    fn enter_initialization(&mut self, tolerance: Option<f64>, start: f64) -> Result<(), String> {
        let given = c_int::from(tolerance.is_some());
        // SAFETY: see above.
        let status = unsafe {
            (self.calls.setup)(
                self.shared.this,
                given,
                tolerance.unwrap_or(0.0),
                start,
                0,
                0.0,
            )
        };
        self.shared.answer("fmi2SetupExperiment", status)?;
        // SAFETY: see above.
        let status = unsafe { (self.calls.enter_initialization)(self.shared.this) };
        self.shared.answer("fmi2EnterInitializationMode", status)
    }

    fn update_discrete_states(&mut self) -> Result<Update, String> {
        let mut info = EventInfo::default();
        // SAFETY: see above.
        let status = unsafe { (self.exchange()?.new_discrete_states)(self.shared.this, &mut info) };
        self.shared.answer("fmi2NewDiscreteStates", status)?;
        Ok(Update {
            again: info.again != 0,
            terminate: info.terminate != 0,
            next: (info.next_defined != 0).then_some(info.next),
        })
    }

    fn completed_step(&mut self) -> Result<After, String> {
        let (mut event, mut end) = (0, 0);
        // SAFETY: see above.
        let status =
            unsafe { (self.exchange()?.completed)(self.shared.this, 1, &mut event, &mut end) };
        self.shared.answer("fmi2CompletedIntegratorStep", status)?;
        Ok(After {
            event: event != 0,
            ended: end != 0,
        })
    }

    fn do_step(&mut self, time: f64, step: f64) -> Result<bool, String> {
        let call = self.calls.do_step.ok_or("this is no Co-Simulation")?;
        // SAFETY: see above.
        let status = unsafe { call(self.shared.this, time, step, 1) };
        if let (DISCARD, Some(ask)) = (status, self.calls.boolean_status) {
            let mut ended = 0;
            // SAFETY: see above.
            if unsafe { ask(self.shared.this, TERMINATED, &mut ended) } == 0 && ended != 0 {
                return Ok(true);
            }
        }
        self.shared.answer("fmi2DoStep", status)?;
        Ok(false)
    }
}
