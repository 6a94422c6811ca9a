//! States in the hands of an importer: pointers to what this library made.

use std::ffi::c_void;

use crate::guard::{input, output, put};
use crate::instance::{Answer, Instance, Phase};
use crate::state::State;

/// A state that this library handed out.
pub fn state<'a>(pointer: *mut c_void) -> Answer<&'a State> {
    // SAFETY: the caller hands back a state of this library, and keeps it during the call.
    let state = unsafe { pointer.cast::<State>().as_ref() };
    state.ok_or_else(|| "there is no state".into())
}

/// The present state, in a new place or in that of an older one.
pub fn keep(i: &mut Instance, out: *mut *mut c_void) -> Answer {
    let place = &mut output(out, 1)?[0];
    if i.phase == Phase::Intermediate {
        return Err("inside of a communication step there is no state to keep".into());
    }
    let state = i.save();
    // SAFETY: a pointer that is not null is a state that this library handed out, to be written over.
    match unsafe { place.cast::<State>().as_mut() } {
        Some(old) => *old = state,
        None => *place = Box::into_raw(Box::new(state)).cast(),
    }
    Ok(())
}

pub fn forget(from: *mut *mut c_void) -> Answer {
    if from.is_null() {
        return Ok(());
    }
    let place = &mut output(from, 1)?[0];
    if !place.is_null() {
        // SAFETY: the caller hands back a state of this library, once: the place is emptied.
        drop(unsafe { Box::from_raw(place.cast::<State>()) });
        *place = std::ptr::null_mut();
    }
    Ok(())
}

pub fn size(from: *mut c_void, size: *mut usize) -> Answer {
    put(size, state(from)?.to_bytes()?.len())
}

pub fn write(from: *mut c_void, bytes: *mut u8, size: usize) -> Answer {
    let stored = state(from)?.to_bytes()?;
    if stored.len() > size {
        return Err("there is no room for the state".into());
    }
    output(bytes, size)?[..stored.len()].copy_from_slice(&stored);
    Ok(())
}

pub fn read(bytes: *const u8, size: usize, out: *mut *mut c_void) -> Answer {
    let state = State::from_bytes(input(bytes, size)?)?;
    put(out, Box::into_raw(Box::new(state)).cast())
}
