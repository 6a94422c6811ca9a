//! The C interface of FMI 3.0.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use libloading::Library;

use crate::archive::Unpacked;
use crate::description::{Description, Type, Variable};
use crate::interface::{After, Interface, Messages, Update, function};
use crate::shared::{Loaded, Shared, This, Version};

const VERSION: Version = Version {
    prefix: "fmi3",
    derivatives: "GetContinuousStateDerivatives",
    state: "FMUState",
};

type Get<T> = unsafe extern "C" fn(This, *const u32, usize, *mut T, usize) -> c_int;
type Set<T> = unsafe extern "C" fn(This, *const u32, usize, *const T, usize) -> c_int;
type Logger = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

unsafe extern "C" fn listen(
    environment: *mut c_void,
    status: c_int,
    _category: *const c_char,
    text: *const c_char,
) {
    if status > 1 {
        // SAFETY: the environment is the list that this instance was made with, and texts end with a zero.
        unsafe { (*environment.cast::<Messages>()).add(text) };
    }
}

/// Get and set of a type of numbers.
#[derive(Clone, Copy)]
struct Access<T> {
    get: Get<T>,
    set: Set<T>,
}

struct Calls {
    enter_initialization: unsafe extern "C" fn(This, bool, f64, f64, bool, f64) -> c_int,
    float64: Access<f64>,
    float32: Access<f32>,
    int8: Access<i8>,
    uint8: Access<u8>,
    int16: Access<i16>,
    uint16: Access<u16>,
    int32: Access<i32>,
    uint32: Access<u32>,
    int64: Access<i64>,
    uint64: Access<u64>,
    boolean: Access<u8>,
    set_string: Set<*const c_char>,
    exchange: Option<Exchange>,
    do_step: Option<DoStep>,
}

type DoStep =
    unsafe extern "C" fn(This, f64, f64, bool, *mut u8, *mut u8, *mut u8, *mut f64) -> c_int;

struct Exchange {
    update:
        unsafe extern "C" fn(This, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut f64) -> c_int,
    completed: unsafe extern "C" fn(This, bool, *mut u8, *mut u8) -> c_int,
}

pub struct Instance {
    shared: Shared,
    calls: Calls,
}

// SAFETY: an instance is used by one thread at a time, which FMI allows; the pointers belong to it alone.
unsafe impl Send for Instance {}

macro_rules! access {
    ($library:expr, $get:literal, $set:literal) => {
        Access {
            get: function!($library, $get, _)?,
            set: function!($library, $set, _)?,
        }
    };
}

fn load(library: &Library, exchange: bool) -> Result<Calls, String> {
    Ok(Calls {
        enter_initialization: function!(library, "fmi3EnterInitializationMode", _)?,
        float64: access!(library, "fmi3GetFloat64", "fmi3SetFloat64"),
        float32: access!(library, "fmi3GetFloat32", "fmi3SetFloat32"),
        int8: access!(library, "fmi3GetInt8", "fmi3SetInt8"),
        uint8: access!(library, "fmi3GetUInt8", "fmi3SetUInt8"),
        int16: access!(library, "fmi3GetInt16", "fmi3SetInt16"),
        uint16: access!(library, "fmi3GetUInt16", "fmi3SetUInt16"),
        int32: access!(library, "fmi3GetInt32", "fmi3SetInt32"),
        uint32: access!(library, "fmi3GetUInt32", "fmi3SetUInt32"),
        int64: access!(library, "fmi3GetInt64", "fmi3SetInt64"),
        uint64: access!(library, "fmi3GetUInt64", "fmi3SetUInt64"),
        boolean: access!(library, "fmi3GetBoolean", "fmi3SetBoolean"),
        set_string: function!(library, "fmi3SetString", _)?,
        exchange: match exchange {
            false => None,
            true => Some(Exchange {
                update: function!(library, "fmi3UpdateDiscreteStates", _)?,
                completed: function!(library, "fmi3CompletedIntegratorStep", _)?,
            }),
        },
        do_step: match exchange {
            true => None,
            false => Some(function!(library, "fmi3DoStep", _)?),
        },
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
        let environment = std::ptr::from_ref(&*messages).cast_mut().cast::<c_void>();
        let text = |s: String| CString::new(s).map_err(|_| "a name has a zero in it".to_owned());
        let token = text(d.token.clone())?;
        let place = text(format!("{}/", files.resources().display()))?;
        let (name, token, place) = (name.as_ptr(), token.as_ptr(), place.as_ptr());
        let this = if exchange {
            type Make = unsafe extern "C" fn(
                *const c_char,
                *const c_char,
                *const c_char,
                bool,
                bool,
                *mut c_void,
                Logger,
            ) -> This;
            let make: Make = function!(library, "fmi3InstantiateModelExchange", _)?;
            // SAFETY: all texts live during the call, the list of messages as long as the instance.
            unsafe { make(name, token, place, false, false, environment, listen) }
        } else {
            type Make = unsafe extern "C" fn(
                *const c_char,
                *const c_char,
                *const c_char,
                bool,
                bool,
                bool,
                bool,
                *const u32,
                usize,
                *mut c_void,
                Logger,
                *const c_void,
            ) -> This;
            let make: Make = function!(library, "fmi3InstantiateCoSimulation", _)?;
            let none = std::ptr::null();
            // SAFETY: as above; no event mode, no early return, no intermediate update.
            unsafe {
                make(
                    name,
                    token,
                    place,
                    false,
                    false,
                    false,
                    false,
                    std::ptr::null(),
                    0,
                    environment,
                    listen,
                    none,
                )
            }
        };
        if this.is_null() {
            messages.answer("instantiation", 3)?;
        }
        Ok(Instance {
            shared: loaded.with(this, messages, library, files),
            calls,
        })
    }

    fn exchange(&self) -> Result<&Exchange, String> {
        (self.calls.exchange.as_ref()).ok_or_else(|| "this is no Model Exchange".to_owned())
    }

    /// Numbers of one type, as they are in C.
    fn write<T>(&self, access: Access<T>, v: &Variable, values: Vec<T>) -> c_int {
        // SAFETY: the instance lives, and the pointers are to as many numbers as are told.
        unsafe {
            (access.set)(
                self.shared.this,
                &v.reference,
                1,
                values.as_ptr(),
                values.len(),
            )
        }
    }

    fn read<T: Copy + Default>(
        &self,
        access: Access<T>,
        references: &[u32],
        out: &mut [f64],
        number: impl Fn(T) -> f64,
    ) -> c_int {
        let mut values = vec![T::default(); out.len()];
        let (vr, n) = (references.as_ptr(), references.len());
        // SAFETY: as above.
        let status =
            unsafe { (access.get)(self.shared.this, vr, n, values.as_mut_ptr(), out.len()) };
        for (x, &value) in out.iter_mut().zip(&values) {
            *x = number(value);
        }
        status
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
        macro_rules! all {
            ($access:expr, $ty:ty) => {
                self.write($access, v, values.iter().map(|&x| x as $ty).collect())
            };
        }
        let c = &self.calls;
        let status = match v.ty {
            Type::Float64 => self.write(c.float64, v, values.to_vec()),
            Type::Float32 => all!(c.float32, f32),
            Type::Int8 => all!(c.int8, i8),
            Type::UInt8 => all!(c.uint8, u8),
            Type::Int16 => all!(c.int16, i16),
            Type::UInt16 => all!(c.uint16, u16),
            Type::Int32 => all!(c.int32, i32),
            Type::UInt32 => all!(c.uint32, u32),
            Type::Int64 => all!(c.int64, i64),
            Type::UInt64 => all!(c.uint64, u64),
            Type::Boolean => {
                let bits = values.iter().map(|&x| u8::from(x != 0.0)).collect();
                self.write(c.boolean, v, bits)
            }
            Type::Text | Type::Binary | Type::Clock => return Err(no_number(v)),
        };
        self.shared
            .answer(format_args!("setting `{}`", v.name), status)
    }

    fn set_text(&mut self, v: &Variable, value: &str) -> Result<(), String> {
        let text = CString::new(value).map_err(|_| "a text has a zero in it".to_owned())?;
        // SAFETY: see above.
        let status = unsafe {
            (self.calls.set_string)(self.shared.this, &v.reference, 1, &text.as_ptr(), 1)
        };
        self.shared
            .answer(format_args!("setting `{}`", v.name), status)
    }

    fn get(&mut self, ty: Type, references: &[u32], out: &mut [f64]) -> Result<(), String> {
        let c = &self.calls;
        let status = match ty {
            Type::Float64 => self.read(c.float64, references, out, |x| x),
            Type::Float32 => self.read(c.float32, references, out, f64::from),
            Type::Int8 => self.read(c.int8, references, out, f64::from),
            Type::UInt8 => self.read(c.uint8, references, out, f64::from),
            Type::Int16 => self.read(c.int16, references, out, f64::from),
            Type::UInt16 => self.read(c.uint16, references, out, f64::from),
            Type::Int32 => self.read(c.int32, references, out, f64::from),
            Type::UInt32 => self.read(c.uint32, references, out, f64::from),
            Type::Int64 => self.read(c.int64, references, out, |x| x as f64),
            Type::UInt64 => self.read(c.uint64, references, out, |x| x as f64),
            Type::Boolean => self.read(c.boolean, references, out, f64::from),
            Type::Text | Type::Binary | Type::Clock => return Err("a text is no number".to_owned()),
        };
        self.shared.answer(format_args!("fmi3Get{ty:?}"), status)
    }

    fn enter_initialization(&mut self, tolerance: Option<f64>, start: f64) -> Result<(), String> {
        let (given, tolerance) = (tolerance.is_some(), tolerance.unwrap_or(0.0));
        let call = self.calls.enter_initialization;
        // SAFETY: see above.
        let status = unsafe { call(self.shared.this, given, tolerance, start, false, 0.0) };
        self.shared.answer("fmi3EnterInitializationMode", status)
    }

    fn update_discrete_states(&mut self) -> Result<Update, String> {
        let (mut flags, mut next) = ([0u8; 5], 0.0);
        let [again, end, nominals, values, defined] = &mut flags;
        let call = self.exchange()?.update;
        // SAFETY: see above.
        let status = unsafe {
            call(
                self.shared.this,
                again,
                end,
                nominals,
                values,
                defined,
                &mut next,
            )
        };
        self.shared.answer("fmi3UpdateDiscreteStates", status)?;
        Ok(Update {
            again: flags[0] != 0,
            terminate: flags[1] != 0,
            next: (flags[4] != 0).then_some(next),
        })
    }

    fn completed_step(&mut self) -> Result<After, String> {
        let (mut event, mut end) = (0, 0);
        // SAFETY: see above.
        let status =
            unsafe { (self.exchange()?.completed)(self.shared.this, true, &mut event, &mut end) };
        self.shared.answer("fmi3CompletedIntegratorStep", status)?;
        Ok(After {
            event: event != 0,
            ended: end != 0,
        })
    }

    fn do_step(&mut self, time: f64, step: f64) -> Result<bool, String> {
        let call = self.calls.do_step.ok_or("this is no Co-Simulation")?;
        let (mut flags, mut last) = ([0u8; 3], 0.0);
        let [event, end, early] = &mut flags;
        // SAFETY: see above.
        let status = unsafe {
            call(
                self.shared.this,
                time,
                step,
                !self.shared.can_go_back(),
                event,
                end,
                early,
                &mut last,
            )
        };
        self.shared.answer("fmi3DoStep", status)?;
        Ok(flags[1] != 0)
    }
}

fn no_number(v: &Variable) -> String {
    format!("`{}` is no number", v.name)
}
