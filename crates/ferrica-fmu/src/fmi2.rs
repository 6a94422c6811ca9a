//! The functions of FMI 2.0.

#![allow(non_snake_case)]

use std::ffi::{c_char, c_int, c_void};

use crate::fmu::Fmu;
use crate::guard::{call, free, input, instantiate, output, put, text};
use crate::handles;
use crate::instance::{Instance, Interface, Phase, discard};
use crate::log::{Listener, Log, Logger2, Status};
use crate::payload::Type;

type Component = *mut c_void;
type Bool = c_int;

/// Of these only the logger is used: memory comes from our own allocator.
#[repr(C)]
pub struct CallbackFunctions {
    logger: Option<Logger2>,
    allocate_memory: *const c_void,
    free_memory: *const c_void,
    step_finished: *const c_void,
    environment: *mut c_void,
}

#[repr(C)]
pub struct EventInfo {
    new_discrete_states_needed: Bool,
    terminate_simulation: Bool,
    nominals_changed: Bool,
    values_changed: Bool,
    next_event_time_defined: Bool,
    next_event_time: f64,
}

const INTEGERS: &[Type] = &[Type::Integer, Type::Enumeration];
const READABLE: &[Phase] = &[
    Phase::Instantiated,
    Phase::Initialization,
    Phase::Event,
    Phase::Continuous,
    Phase::Step,
    Phase::Terminated,
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

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetDebugLogging(
    c: Component,
    on: Bool,
    count: usize,
    categories: *const *const c_char,
) -> Status {
    call(c, "fmi2SetDebugLogging", |i| {
        i.log.on = on != 0;
        let list = input(categories, count)?;
        i.log.wanted = list.iter().map(|&c| text(c).to_owned()).collect();
        Ok(())
    })
}

fn listener(functions: *const CallbackFunctions) -> Listener {
    // SAFETY: the caller keeps its functions as long as the instance lives, or gives none.
    match unsafe { functions.as_ref() } {
        Some(f) => (f.logger).map_or(Listener::None, |l| Listener::Fmi2(l, f.environment)),
        None => Listener::None,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    guid: *const c_char,
    location: *const c_char,
    functions: *const CallbackFunctions,
    _visible: Bool,
    logging: Bool,
) -> Component {
    let log = Log::new(text(name), listener(functions), logging != 0);
    instantiate(log, |log| {
        let interface = match kind {
            0 => Interface::ModelExchange,
            1 => Interface::CoSimulation,
            _ => return Err((log, format!("fmi2Instantiate: there is no type {kind}"))),
        };
        let exchange = interface == Interface::ModelExchange;
        match Fmu::load(text(location), text(guid), exchange) {
            Ok(fmu) => Ok(Instance::new(fmu, interface, log)),
            Err(e) => Err((log, format!("fmi2Instantiate: {e}"))),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2FreeInstance(c: Component) {
    free(c);
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetupExperiment(
    c: Component,
    tolerance_defined: Bool,
    tolerance: f64,
    start: f64,
    stop_defined: Bool,
    stop: f64,
) -> Status {
    call(c, "fmi2SetupExperiment", |i| {
        i.require("the call", &[Phase::Instantiated])?;
        let tolerance = (tolerance_defined != 0 && tolerance > 0.0).then_some(tolerance);
        i.setup(tolerance, start, (stop_defined != 0).then_some(stop))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterInitializationMode(c: Component) -> Status {
    call(c, "fmi2EnterInitializationMode", |i| {
        i.require("the call", &[Phase::Instantiated])?;
        i.phase = Phase::Initialization;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2ExitInitializationMode(c: Component) -> Status {
    call(c, "fmi2ExitInitializationMode", |i| {
        i.require("the call", &[Phase::Initialization])?;
        i.exit_initialization()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Terminate(c: Component) -> Status {
    call(c, "fmi2Terminate", |i| {
        let running = [Phase::Event, Phase::Continuous, Phase::Step];
        i.require("the call", &running)?;
        i.phase = Phase::Terminated;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Reset(c: Component) -> Status {
    call(c, "fmi2Reset", |i| {
        i.reset();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetReal(c: Component, vr: *const u32, n: usize, out: *mut f64) -> Status {
    call(c, "fmi2GetReal", |i| {
        i.require("the call", READABLE)?;
        let out = output(out, n)?;
        i.get(input(vr, n)?, &[Type::Real], |k, x| out[k] = x)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetInteger(
    c: Component,
    vr: *const u32,
    n: usize,
    out: *mut c_int,
) -> Status {
    call(c, "fmi2GetInteger", |i| {
        i.require("the call", READABLE)?;
        let out = output(out, n)?;
        i.get(input(vr, n)?, INTEGERS, |k, x| out[k] = x as c_int)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetBoolean(c: Component, vr: *const u32, n: usize, out: *mut Bool) -> Status {
    call(c, "fmi2GetBoolean", |i| {
        i.require("the call", READABLE)?;
        let out = output(out, n)?;
        i.get(input(vr, n)?, &[Type::Boolean], |k, x| {
            out[k] = Bool::from(x != 0.0);
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetString(
    c: Component,
    vr: *const u32,
    n: usize,
    out: *mut *const c_char,
) -> Status {
    call(c, "fmi2GetString", |i| {
        i.require("the call", READABLE)?;
        i.get_texts(input(vr, n)?, output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetReal(
    c: Component,
    vr: *const u32,
    n: usize,
    values: *const f64,
) -> Status {
    call(c, "fmi2SetReal", |i| {
        i.require("the call", WRITABLE)?;
        let values = input(values, n)?;
        i.set(input(vr, n)?, &[Type::Real], |k| values[k])
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetInteger(
    c: Component,
    vr: *const u32,
    n: usize,
    values: *const c_int,
) -> Status {
    call(c, "fmi2SetInteger", |i| {
        i.require("the call", WRITABLE)?;
        let values = input(values, n)?;
        i.set(input(vr, n)?, INTEGERS, |k| f64::from(values[k]))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetBoolean(
    c: Component,
    vr: *const u32,
    n: usize,
    values: *const Bool,
) -> Status {
    call(c, "fmi2SetBoolean", |i| {
        i.require("the call", WRITABLE)?;
        let values = input(values, n)?;
        i.set(input(vr, n)?, &[Type::Boolean], |k| {
            f64::from(u8::from(values[k] != 0))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetString(
    c: Component,
    _vr: *const u32,
    n: usize,
    _values: *const *const c_char,
) -> Status {
    call(c, "fmi2SetString", |_| match n {
        0 => Ok(()),
        _ => Err("texts are built into the model and cannot be set".into()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetFMUstate(c: Component, out: *mut *mut c_void) -> Status {
    call(c, "fmi2GetFMUstate", |i| handles::keep(i, out))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetFMUstate(c: Component, from: *mut c_void) -> Status {
    call(c, "fmi2SetFMUstate", |i| i.load(handles::state(from)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2FreeFMUstate(c: Component, from: *mut *mut c_void) -> Status {
    call(c, "fmi2FreeFMUstate", |_| handles::forget(from))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SerializedFMUstateSize(
    c: Component,
    from: *mut c_void,
    size: *mut usize,
) -> Status {
    call(c, "fmi2SerializedFMUstateSize", |_| {
        handles::size(from, size)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SerializeFMUstate(
    c: Component,
    from: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> Status {
    call(c, "fmi2SerializeFMUstate", |_| {
        handles::write(from, bytes, size)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2DeSerializeFMUstate(
    c: Component,
    bytes: *const u8,
    size: usize,
    out: *mut *mut c_void,
) -> Status {
    call(c, "fmi2DeSerializeFMUstate", |_| {
        handles::read(bytes, size, out)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetDirectionalDerivative(
    c: Component,
    unknowns: *const u32,
    n_unknowns: usize,
    knowns: *const u32,
    n_knowns: usize,
    seed: *const f64,
    out: *mut f64,
) -> Status {
    call(c, "fmi2GetDirectionalDerivative", |i| {
        i.directional(
            input(unknowns, n_unknowns)?,
            input(knowns, n_knowns)?,
            input(seed, n_knowns)?,
            output(out, n_unknowns)?,
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterEventMode(c: Component) -> Status {
    call(c, "fmi2EnterEventMode", |i| {
        i.require("the call", &[Phase::Continuous, Phase::Event])?;
        i.phase = Phase::Event;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2NewDiscreteStates(c: Component, info: *mut EventInfo) -> Status {
    call(c, "fmi2NewDiscreteStates", |i| {
        i.require("the call", &[Phase::Event])?;
        let settled = i.event()?;
        put(
            info,
            EventInfo {
                new_discrete_states_needed: Bool::from(settled.again),
                terminate_simulation: Bool::from(settled.terminated),
                nominals_changed: 0,
                values_changed: Bool::from(settled.states_changed),
                next_event_time_defined: Bool::from(settled.next.is_some()),
                next_event_time: settled.next.unwrap_or(0.0),
            },
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterContinuousTimeMode(c: Component) -> Status {
    call(c, "fmi2EnterContinuousTimeMode", |i| {
        i.require("the call", &[Phase::Event])?;
        i.phase = Phase::Continuous;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2CompletedIntegratorStep(
    c: Component,
    _no_going_back: Bool,
    enter_event_mode: *mut Bool,
    terminate: *mut Bool,
) -> Status {
    call(c, "fmi2CompletedIntegratorStep", |i| {
        i.require("the call", &[Phase::Continuous])?;
        let wants_event = i.completed_step()?;
        put(enter_event_mode, Bool::from(wants_event))?;
        put(terminate, Bool::from(i.has_ended()))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetTime(c: Component, time: f64) -> Status {
    call(c, "fmi2SetTime", |i| {
        i.require("the call", &[Phase::Continuous, Phase::Event])?;
        i.exchange()?.set_time(time);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetContinuousStates(c: Component, x: *const f64, n: usize) -> Status {
    call(c, "fmi2SetContinuousStates", |i| {
        i.require("the call", &[Phase::Continuous, Phase::Event])?;
        i.set_states(input(x, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetDerivatives(c: Component, out: *mut f64, n: usize) -> Status {
    call(c, "fmi2GetDerivatives", |i| {
        i.require("the call", POINTS)?;
        i.derivatives(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetEventIndicators(c: Component, out: *mut f64, n: usize) -> Status {
    call(c, "fmi2GetEventIndicators", |i| {
        i.require("the call", POINTS)?;
        i.indicators(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetContinuousStates(c: Component, out: *mut f64, n: usize) -> Status {
    call(c, "fmi2GetContinuousStates", |i| {
        i.require("the call", POINTS)?;
        i.continuous_states(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetNominalsOfContinuousStates(
    c: Component,
    out: *mut f64,
    n: usize,
) -> Status {
    call(c, "fmi2GetNominalsOfContinuousStates", |i| {
        i.require("the call", READABLE)?;
        i.nominals(output(out, n)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetRealInputDerivatives(
    c: Component,
    _vr: *const u32,
    n: usize,
    _order: *const c_int,
    _values: *const f64,
) -> Status {
    call(c, "fmi2SetRealInputDerivatives", |_| match n {
        0 => Ok(()),
        _ => Err("inputs are held during a step: they have no derivatives to set".into()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetRealOutputDerivatives(
    c: Component,
    _vr: *const u32,
    n: usize,
    _order: *const c_int,
    _values: *mut f64,
) -> Status {
    call(c, "fmi2GetRealOutputDerivatives", |_| match n {
        0 => Ok(()),
        _ => Err("derivatives of outputs are not provided".into()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2DoStep(c: Component, time: f64, step: f64, _no_going_back: Bool) -> Status {
    call(c, "fmi2DoStep", |i| {
        i.require("the call", &[Phase::Step])?;
        i.do_step(time, step)?;
        if i.has_ended() {
            // The master asks then whether the model has ended the run, and when.
            return Err(discard(format!(
                "the model has ended the run at {}",
                i.time()
            )));
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2CancelStep(c: Component) -> Status {
    call(c, "fmi2CancelStep", |_| Err("no step is under way".into()))
}

/// Kinds of statuses that can be asked for.
const LAST_SUCCESSFUL_TIME: c_int = 2;
const TERMINATED: c_int = 3;

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStatus(c: Component, _kind: c_int, out: *mut c_int) -> Status {
    call(c, "fmi2GetStatus", |_| put(out, Status::Ok as c_int))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetRealStatus(c: Component, kind: c_int, out: *mut f64) -> Status {
    call(c, "fmi2GetRealStatus", |i| match kind {
        LAST_SUCCESSFUL_TIME => put(out, i.time()),
        _ => Err("there is no such status".into()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetIntegerStatus(c: Component, _kind: c_int, _out: *mut c_int) -> Status {
    call(c, "fmi2GetIntegerStatus", |_| {
        Err("there is no such status".into())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetBooleanStatus(c: Component, kind: c_int, out: *mut Bool) -> Status {
    call(c, "fmi2GetBooleanStatus", |i| match kind {
        TERMINATED => put(out, Bool::from(i.has_ended())),
        _ => Err("there is no such status".into()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStringStatus(
    c: Component,
    _kind: c_int,
    _out: *mut *const c_char,
) -> Status {
    call(c, "fmi2GetStringStatus", |_| {
        Err("there is no such status".into())
    })
}
