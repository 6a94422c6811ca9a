//! The functions of FMI 3.0; those of Co-Simulation alone are in [`crate::fmi3_steps`].

#![allow(non_snake_case)]

use std::borrow::Cow;
use std::ffi::{c_char, c_void};

use crate::fmu::Fmu;
use crate::guard::{call, free, input, instantiate, output, put, text};
use crate::handles;
use crate::instance::{Agreement, Answer, Instance, Interface, Phase};
use crate::log::{Listener, Log, Logger3, Status};
use crate::payload::Type;

pub(crate) type This = *mut c_void;
/// `bool` of C, which a caller may have filled in by hand.
pub(crate) type Bool = u8;

const READABLE: &[Phase] = &[
    Phase::Instantiated,
    Phase::Initialization,
    Phase::Event,
    Phase::Continuous,
    Phase::Step,
    Phase::Terminated,
    Phase::Intermediate,
];
const WRITABLE: &[Phase] = &[
    Phase::Instantiated,
    Phase::Initialization,
    Phase::Event,
    Phase::Continuous,
    Phase::Step,
];
const POINTS: &[Phase] = &[
    Phase::Initialization,
    Phase::Event,
    Phase::Continuous,
    Phase::Terminated,
];

/// The scalars of variables, which must be as many as there are values.
fn scalars<'a>(i: &Instance, vr: *const u32, n: usize, values: usize) -> Answer<Cow<'a, [u32]>> {
    let all = i.fmu.scalars(input(vr, n)?)?;
    match all.len() == values {
        true => Ok(all),
        false => Err(format!("the variables have {} values, not {values}", all.len()).into()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetDebugLogging(
    c: This,
    on: Bool,
    count: usize,
    categories: *const *const c_char,
) -> Status {
    call(c, "fmi3SetDebugLogging", |i| {
        i.log.on = on != 0;
        let list = input(categories, count)?;
        i.log.wanted = list.iter().map(|&c| text(c).to_owned()).collect();
        Ok(())
    })
}

pub(crate) fn made(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    logging: Bool,
    environment: *mut c_void,
    logger: Option<Logger3>,
    interface: Interface,
    agreement: Agreement,
) -> This {
    let listener = logger.map_or(Listener::None, |l| Listener::Fmi3(l, environment));
    instantiate(Log::new(text(name), listener, logging != 0), |log| {
        let exchange = interface == Interface::ModelExchange;
        match Fmu::load(text(resources), text(token), exchange) {
            Ok(fmu) => {
                let mut instance = Instance::new(fmu, interface, log);
                instance.agreement = agreement;
                Ok(instance)
            }
            Err(e) => Err((log, format!("instantiation: {e}"))),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateModelExchange(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: Bool,
    logging: Bool,
    environment: *mut c_void,
    logger: Option<Logger3>,
) -> This {
    let interface = Interface::ModelExchange;
    made(
        name,
        token,
        resources,
        logging,
        environment,
        logger,
        interface,
        Agreement::default(),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3FreeInstance(c: This) {
    free(c);
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterInitializationMode(
    c: This,
    tolerance_defined: Bool,
    tolerance: f64,
    start: f64,
    stop_defined: Bool,
    stop: f64,
) -> Status {
    call(c, "fmi3EnterInitializationMode", |i| {
        i.require("the call", &[Phase::Instantiated])?;
        let tolerance = (tolerance_defined != 0 && tolerance > 0.0).then_some(tolerance);
        i.setup(tolerance, start, (stop_defined != 0).then_some(stop))?;
        i.phase = Phase::Initialization;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitInitializationMode(c: This) -> Status {
    call(c, "fmi3ExitInitializationMode", |i| {
        i.require("the call", &[Phase::Initialization])?;
        i.exit_initialization()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterEventMode(c: This) -> Status {
    call(c, "fmi3EnterEventMode", |i| {
        match i.agreement.event_mode {
            true => i.require("the call", &[Phase::Step, Phase::Event])?,
            false => i.require("the call", &[Phase::Continuous, Phase::Event])?,
        }
        i.phase = Phase::Event;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3Terminate(c: This) -> Status {
    call(c, "fmi3Terminate", |i| {
        let running = [Phase::Event, Phase::Continuous, Phase::Step];
        i.require("the call", &running)?;
        i.phase = Phase::Terminated;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3Reset(c: This) -> Status {
    call(c, "fmi3Reset", |i| {
        i.reset();
        Ok(())
    })
}

/// Get and set of the numbers of one type of C, which variables of some types of ours have.
macro_rules! numbers {
    ($($get:ident $set:ident $ty:ty, $own:expr, $out:expr, $in:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $get(c: This, vr: *const u32, n: usize, out: *mut $ty, count: usize) -> Status {
            call(c, stringify!($get), |i| {
                i.require("the call", READABLE)?;
                let all = scalars(i, vr, n, count)?;
                let out = output(out, count)?;
                let convert: fn(f64) -> $ty = $out;
                i.get(&all, $own, |k, x| out[k] = convert(x))
            })
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $set(c: This, vr: *const u32, n: usize, values: *const $ty, count: usize) -> Status {
            call(c, stringify!($set), |i| {
                i.require("the call", WRITABLE)?;
                let all = scalars(i, vr, n, count)?;
                let values = input(values, count)?;
                let convert: fn($ty) -> f64 = $in;
                i.set(&all, $own, |k| convert(values[k]))
            })
        }
    )*};
}

numbers! {
    fmi3GetFloat64 fmi3SetFloat64 f64, &[Type::Real], |x| x, |x| x;
    fmi3GetFloat32 fmi3SetFloat32 f32, &[], |x| x as f32, f64::from;
    fmi3GetInt8 fmi3SetInt8 i8, &[], |x| x as i8, f64::from;
    fmi3GetUInt8 fmi3SetUInt8 u8, &[], |x| x as u8, f64::from;
    fmi3GetInt16 fmi3SetInt16 i16, &[], |x| x as i16, f64::from;
    fmi3GetUInt16 fmi3SetUInt16 u16, &[], |x| x as u16, f64::from;
    fmi3GetInt32 fmi3SetInt32 i32, &[Type::Integer], |x| x as i32, f64::from;
    fmi3GetUInt32 fmi3SetUInt32 u32, &[], |x| x as u32, f64::from;
    fmi3GetInt64 fmi3SetInt64 i64, &[Type::Enumeration], |x| x as i64, |x| x as f64;
    fmi3GetUInt64 fmi3SetUInt64 u64, &[], |x| x as u64, |x| x as f64;
    fmi3GetBoolean fmi3SetBoolean Bool, &[Type::Boolean], |x| Bool::from(x != 0.0), |x| f64::from(u8::from(x != 0));
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetString(
    c: This,
    vr: *const u32,
    n: usize,
    out: *mut *const c_char,
    count: usize,
) -> Status {
    call(c, "fmi3GetString", |i| {
        i.require("the call", READABLE)?;
        let all = scalars(i, vr, n, count)?;
        i.get_texts(&all, output(out, count)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetFMUState(c: This, out: *mut *mut c_void) -> Status {
    call(c, "fmi3GetFMUState", |i| handles::keep(i, out))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetFMUState(c: This, from: *mut c_void) -> Status {
    call(c, "fmi3SetFMUState", |i| i.load(handles::state(from)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3FreeFMUState(c: This, from: *mut *mut c_void) -> Status {
    call(c, "fmi3FreeFMUState", |_| handles::forget(from))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SerializedFMUStateSize(
    c: This,
    from: *mut c_void,
    size: *mut usize,
) -> Status {
    call(c, "fmi3SerializedFMUStateSize", |_| {
        handles::size(from, size)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SerializeFMUState(
    c: This,
    from: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> Status {
    call(c, "fmi3SerializeFMUState", |_| {
        handles::write(from, bytes, size)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3DeserializeFMUState(
    c: This,
    bytes: *const u8,
    size: usize,
    out: *mut *mut c_void,
) -> Status {
    call(c, "fmi3DeserializeFMUState", |_| {
        handles::read(bytes, size, out)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetDirectionalDerivative(
    c: This,
    unknowns: *const u32,
    n_unknowns: usize,
    knowns: *const u32,
    n_knowns: usize,
    seed: *const f64,
    n_seed: usize,
    out: *mut f64,
    n_out: usize,
) -> Status {
    call(c, "fmi3GetDirectionalDerivative", |i| {
        let known = scalars(i, knowns, n_knowns, n_seed)?;
        let unknown = scalars(i, unknowns, n_unknowns, n_out)?;
        i.directional(&unknown, &known, input(seed, n_seed)?, output(out, n_out)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetAdjointDerivative(
    c: This,
    unknowns: *const u32,
    n_unknowns: usize,
    knowns: *const u32,
    n_knowns: usize,
    seed: *const f64,
    n_seed: usize,
    out: *mut f64,
    n_out: usize,
) -> Status {
    call(c, "fmi3GetAdjointDerivative", |i| {
        let unknown = scalars(i, unknowns, n_unknowns, n_seed)?;
        let known = scalars(i, knowns, n_knowns, n_out)?;
        i.adjoint(&unknown, &known, input(seed, n_seed)?, output(out, n_out)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EvaluateDiscreteStates(c: This) -> Status {
    call(c, "fmi3EvaluateDiscreteStates", |i| {
        i.require("the call", &[Phase::Initialization, Phase::Event])
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3UpdateDiscreteStates(
    c: This,
    needs_update: *mut Bool,
    terminate: *mut Bool,
    nominals_changed: *mut Bool,
    values_changed: *mut Bool,
    next_defined: *mut Bool,
    next: *mut f64,
) -> Status {
    call(c, "fmi3UpdateDiscreteStates", |i| {
        i.require("the call", &[Phase::Event])?;
        let settled = i.event()?;
        put(needs_update, Bool::from(settled.again))?;
        put(terminate, Bool::from(settled.terminated))?;
        put(nominals_changed, 0)?;
        put(values_changed, Bool::from(settled.states_changed))?;
        put(next_defined, Bool::from(settled.next.is_some()))?;
        put(next, settled.next.unwrap_or(0.0))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterContinuousTimeMode(c: This) -> Status {
    call(c, "fmi3EnterContinuousTimeMode", |i| {
        i.require("the call", &[Phase::Event])?;
        i.exchange()?;
        i.phase = Phase::Continuous;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3CompletedIntegratorStep(
    c: This,
    _no_going_back: Bool,
    enter_event_mode: *mut Bool,
    terminate: *mut Bool,
) -> Status {
    call(c, "fmi3CompletedIntegratorStep", |i| {
        i.require("the call", &[Phase::Continuous])?;
        let wants_event = i.completed_step()?;
        put(enter_event_mode, Bool::from(wants_event))?;
        put(terminate, Bool::from(i.has_ended()))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetTime(c: This, time: f64) -> Status {
    call(c, "fmi3SetTime", |i| {
        i.require("the call", &[Phase::Continuous, Phase::Event])?;
        i.exchange()?.set_time(time);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetContinuousStates(c: This, x: *const f64, n: usize) -> Status {
    call(c, "fmi3SetContinuousStates", |i| {
        i.require("the call", &[Phase::Continuous, Phase::Event])?;
        i.set_states(input(x, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetContinuousStateDerivatives(c: This, out: *mut f64, n: usize) -> Status {
    call(c, "fmi3GetContinuousStateDerivatives", |i| {
        i.require("the call", POINTS)?;
        i.derivatives(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetEventIndicators(c: This, out: *mut f64, n: usize) -> Status {
    call(c, "fmi3GetEventIndicators", |i| {
        i.require("the call", POINTS)?;
        i.indicators(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetContinuousStates(c: This, out: *mut f64, n: usize) -> Status {
    call(c, "fmi3GetContinuousStates", |i| {
        i.require("the call", POINTS)?;
        i.continuous_states(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNominalsOfContinuousStates(c: This, out: *mut f64, n: usize) -> Status {
    call(c, "fmi3GetNominalsOfContinuousStates", |i| {
        i.require("the call", READABLE)?;
        i.nominals(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfEventIndicators(c: This, out: *mut usize) -> Status {
    call(c, "fmi3GetNumberOfEventIndicators", |i| {
        put(out, i.fmu.crossings.len())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfContinuousStates(c: This, out: *mut usize) -> Status {
    call(c, "fmi3GetNumberOfContinuousStates", |i| {
        put(out, i.states())
    })
}
