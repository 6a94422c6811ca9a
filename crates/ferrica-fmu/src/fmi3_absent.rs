//! Functions of FMI 3.0 about what no FMU of ours has: clocks, binary variables, configuration, scheduled execution.

#![allow(non_snake_case)]

use std::ffi::{c_char, c_int, c_void};

use crate::guard::{call, text};
use crate::log::{Listener, Log, Logger3, Status};

type This = *mut c_void;
type Bool = u8;

const NO_TEXTS: &str = "texts are built into the model and cannot be set";
const NO_BINARIES: &str = "the model has no binary variables";
const NO_CLOCKS: &str = "the model has no clocks that can be seen from outside";
const NO_DEPENDENCIES: &str =
    "dependencies of elements are not provided: they are in the description";
const NO_CONFIGURATION: &str = "the model has no structural parameters";

/// A call about something that no FMU of ours has: fine for none of it.
fn none(c: This, name: &str, count: usize, what: &str) -> Status {
    call(c, name, |_| match count {
        0 => Ok(()),
        _ => Err(what.into()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetString(
    c: This,
    _vr: *const u32,
    n: usize,
    _values: *const *const c_char,
    _count: usize,
) -> Status {
    none(c, "fmi3SetString", n, NO_TEXTS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetBinary(
    c: This,
    _vr: *const u32,
    n: usize,
    _sizes: *mut usize,
    _values: *mut *const u8,
    _count: usize,
) -> Status {
    none(c, "fmi3GetBinary", n, NO_BINARIES)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetBinary(
    c: This,
    _vr: *const u32,
    n: usize,
    _sizes: *const usize,
    _values: *const *const u8,
    _count: usize,
) -> Status {
    none(c, "fmi3SetBinary", n, NO_BINARIES)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetClock(c: This, _vr: *const u32, n: usize, _values: *mut Bool) -> Status {
    none(c, "fmi3GetClock", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetClock(c: This, _vr: *const u32, n: usize, _values: *const Bool) -> Status {
    none(c, "fmi3SetClock", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfVariableDependencies(c: This, _vr: u32, _n: *mut usize) -> Status {
    none(c, "fmi3GetNumberOfVariableDependencies", 1, NO_DEPENDENCIES)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVariableDependencies(
    c: This,
    _dependent: u32,
    _elements: *mut usize,
    _independents: *mut u32,
    _of: *mut usize,
    _kinds: *mut c_int,
    _count: usize,
) -> Status {
    none(c, "fmi3GetVariableDependencies", 1, NO_DEPENDENCIES)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterConfigurationMode(c: This) -> Status {
    none(c, "fmi3EnterConfigurationMode", 1, NO_CONFIGURATION)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitConfigurationMode(c: This) -> Status {
    none(c, "fmi3ExitConfigurationMode", 1, NO_CONFIGURATION)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetIntervalDecimal(
    c: This,
    _vr: *const u32,
    n: usize,
    _intervals: *mut f64,
    _qualifiers: *mut c_int,
) -> Status {
    none(c, "fmi3GetIntervalDecimal", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetIntervalFraction(
    c: This,
    _vr: *const u32,
    n: usize,
    _counters: *mut u64,
    _resolutions: *mut u64,
    _qualifiers: *mut c_int,
) -> Status {
    none(c, "fmi3GetIntervalFraction", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetShiftDecimal(
    c: This,
    _vr: *const u32,
    n: usize,
    _shifts: *mut f64,
) -> Status {
    none(c, "fmi3GetShiftDecimal", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetShiftFraction(
    c: This,
    _vr: *const u32,
    n: usize,
    _counters: *mut u64,
    _resolutions: *mut u64,
) -> Status {
    none(c, "fmi3GetShiftFraction", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetIntervalDecimal(
    c: This,
    _vr: *const u32,
    n: usize,
    _intervals: *const f64,
) -> Status {
    none(c, "fmi3SetIntervalDecimal", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetIntervalFraction(
    c: This,
    _vr: *const u32,
    n: usize,
    _counters: *const u64,
    _resolutions: *const u64,
) -> Status {
    none(c, "fmi3SetIntervalFraction", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetShiftDecimal(
    c: This,
    _vr: *const u32,
    n: usize,
    _shifts: *const f64,
) -> Status {
    none(c, "fmi3SetShiftDecimal", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetShiftFraction(
    c: This,
    _vr: *const u32,
    n: usize,
    _counters: *const u64,
    _resolutions: *const u64,
) -> Status {
    none(c, "fmi3SetShiftFraction", n, NO_CLOCKS)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetOutputDerivatives(
    c: This,
    _vr: *const u32,
    n: usize,
    _orders: *const i32,
    _values: *mut f64,
    _count: usize,
) -> Status {
    none(
        c,
        "fmi3GetOutputDerivatives",
        n,
        "derivatives of outputs are not provided",
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ActivateModelPartition(c: This, _clock: u32, _time: f64) -> Status {
    none(
        c,
        "fmi3ActivateModelPartition",
        1,
        "this FMU has no scheduled execution",
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateScheduledExecution(
    name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: Bool,
    _logging: Bool,
    environment: *mut c_void,
    logger: Option<Logger3>,
    _clock_update: *const c_void,
    _lock: *const c_void,
    _unlock: *const c_void,
) -> This {
    let listener = logger.map_or(Listener::None, |l| Listener::Fmi3(l, environment));
    Log::new(text(name), listener, true).tell(
        Status::Error,
        "instantiation: this FMU has no scheduled execution",
    );
    std::ptr::null_mut()
}
