//! Around every function of the C interfaces: pointers become references, panics and refusals become statuses.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::instance::{Answer, Instance, Phase};
use crate::log::{Log, Status};

/// What a panic says, in words.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("internal error: {}", text.unwrap_or("unknown"))
}

/// Standard error belongs to the program around us: what a panic says is told by the log.
fn be_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

/// Runs a call on an instance.
pub fn call(instance: *mut c_void, name: &str, f: impl FnOnce(&mut Instance) -> Answer) -> Status {
    // SAFETY: the caller hands back what `instantiate` gave it, and calls of one instance come one at a time.
    let Some(instance) = (unsafe { instance.cast::<Instance>().as_mut() }) else {
        return Status::Error;
    };
    let done = catch_unwind(AssertUnwindSafe(|| f(instance)));
    match done {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(refusal)) => {
            let text = format!("{name}: {}", refusal.message);
            instance.log.tell(refusal.status, &text);
            refusal.status
        }
        Err(panic) => {
            instance.phase = Phase::Failed;
            instance
                .log
                .tell(Status::Error, &format!("{name}: {}", words(&*panic)));
            Status::Error
        }
    }
}

/// Makes an instance; null with a message if that fails.
pub fn instantiate(
    log: Log,
    make: impl FnOnce(Log) -> Result<Instance, (Log, String)>,
) -> *mut c_void {
    be_quiet();
    ferrica_codegen::jit::compile_in_place();
    let spare = Log::new("", log.listener, true);
    match catch_unwind(AssertUnwindSafe(|| make(log))) {
        Ok(Ok(instance)) => Box::into_raw(Box::new(instance)).cast(),
        Ok(Err((log, message))) => {
            log.tell(Status::Error, &message);
            std::ptr::null_mut()
        }
        Err(panic) => {
            spare.tell(Status::Error, &words(&*panic));
            std::ptr::null_mut()
        }
    }
}

/// Ends an instance.
pub fn free(instance: *mut c_void) {
    if instance.is_null() {
        return;
    }
    // SAFETY: the caller hands back what `instantiate` gave it, once.
    let instance = unsafe { Box::from_raw(instance.cast::<Instance>()) };
    let _ = catch_unwind(AssertUnwindSafe(|| drop(instance)));
}

/// A text of the caller; empty for a null pointer.
pub fn text<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: texts of the C interfaces end with a zero and live during the call.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
}

/// Numbers of the caller.
pub fn input<'a, T>(pointer: *const T, count: usize) -> Answer<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err("a pointer is null".into());
    }
    // SAFETY: the caller says how many there are, and keeps them during the call.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Room of the caller.
pub fn output<'a, T>(pointer: *mut T, count: usize) -> Answer<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() {
        return Err("a pointer is null".into());
    }
    // SAFETY: as above; the room is the call's alone.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Room for one answer.
pub fn put<T>(pointer: *mut T, value: T) -> Answer {
    output(pointer, 1)?[0] = value;
    Ok(())
}
