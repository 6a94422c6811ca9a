//! The functions of `Ferrica.FMU`, which the blocks of FMUs call.

use std::path::Path;
use std::sync::Arc;

use ferrica_codegen::natives::{NativeCall, Natives};

use crate::master::Master;
use crate::unit::{Answer, Request, Unit};

/// Adds the functions to those of a model.
pub fn register(natives: &mut Natives) {
    natives.insert("ferrica_fmu_new", Arc::new(new));
    natives.insert("ferrica_fmu_free", Arc::new(|_| Ok(())));
    natives.insert("ferrica_fmu_start", Arc::new(start));
    natives.insert("ferrica_fmu_event", Arc::new(event));
    natives.insert("ferrica_fmu_derivatives", Arc::new(derivatives));
    natives.insert("ferrica_fmu_indicators", Arc::new(indicators));
    natives.insert("ferrica_fmu_values", Arc::new(values));
    natives.insert("ferrica_fmu_step", Arc::new(step));
    natives.insert("ferrica_fmu_master", Arc::new(master));
    natives.insert("ferrica_fmu_join", Arc::new(join));
    natives.insert("ferrica_fmu_begin", Arc::new(begin));
    natives.insert("ferrica_fmu_hold", Arc::new(hold));
    natives.insert("ferrica_fmu_advance", Arc::new(advance));
}

/// file, token, name, exchange, tolerance, numbers, texts
fn new(call: &mut NativeCall<'_>) -> Result<(), String> {
    let beside = call
        .rt
        .folder
        .as_ref()
        .map(|f| f.join(call.text(0).unwrap_or_default()));
    let file = match beside.filter(|p| p.is_file()) {
        Some(path) => path,
        None => Path::new(call.text(0)?).to_owned(),
    };
    let texts: Vec<String> = (call.array(6)?.iter())
        .map(|&handle| call.rt.text(handle).to_owned())
        .collect();
    let unit = Unit::new(&Request {
        file: &file,
        token: call.text(1)?,
        name: call.text(2)?,
        exchange: call.bool(3)?,
        tolerance: call.real(4)?,
        numbers: call.array(5)?,
        texts: &texts,
        consent: call.rt.may_change_system,
    })?;
    let unit = Arc::new(unit);
    call.result = call.rt.add_object(unit.clone());
    call.rt
        .followers
        .push(Arc::new(move |time| unit.step_done(time)));
    Ok(())
}

fn fill(call: &mut NativeCall<'_>, k: usize, values: &[f64]) -> Result<(), String> {
    let out = call.array_mut(k)?;
    if out.len() != values.len() {
        return Err("the block has other sizes than the FMU: import it again".to_owned());
    }
    out.copy_from_slice(values);
    Ok(())
}

/// Hands out states, next time, whether the run ends, and discrete variables from argument k on.
fn answer(call: &mut NativeCall<'_>, k: usize, answer: &Answer) -> Result<(), String> {
    fill(call, k, &answer.states)?;
    call.set(k + 1, answer.next)?;
    call.set(k + 2, f64::from(u8::from(answer.ended)))?;
    fill(call, k + 3, &answer.discrete)
}

/// unit, time, inputs; states, next, end, discrete
fn start(call: &mut NativeCall<'_>) -> Result<(), String> {
    let unit = call.object::<Unit>(0)?;
    let done = unit.start(call.real(1)?, call.array(2)?)?;
    answer(call, 3, &done)
}

/// unit, events before, time, states, inputs, sides of indicators; states, next, end, discrete
fn event(call: &mut NativeCall<'_>) -> Result<(), String> {
    let unit = call.object::<Unit>(0)?;
    let before = call.real(1)? as u64;
    let (x, u, sides) = (call.array(3)?, call.array(4)?, call.array(5)?);
    let done = unit.event(before, call.real(2)?, x, u, sides)?;
    answer(call, 6, &done)
}

/// unit, events, time, states, inputs; derivatives
fn derivatives(call: &mut NativeCall<'_>) -> Result<(), String> {
    let unit = call.object::<Unit>(0)?;
    let mut out = vec![0.0; call.array(5)?.len()];
    let (x, u) = (call.array(3)?, call.array(4)?);
    unit.derivatives(call.real(1)? as u64, call.real(2)?, x, u, &mut out)?;
    fill(call, 5, &out)
}

/// unit, events, time, states, inputs; indicators
fn indicators(call: &mut NativeCall<'_>) -> Result<(), String> {
    let unit = call.object::<Unit>(0)?;
    let mut out = vec![0.0; call.array(5)?.len()];
    let (x, u) = (call.array(3)?, call.array(4)?);
    unit.indicators(call.real(1)? as u64, call.real(2)?, x, u, &mut out)?;
    fill(call, 5, &out)
}

/// unit, events, time, states, inputs of the group, group; values
fn values(call: &mut NativeCall<'_>) -> Result<(), String> {
    let unit = call.object::<Unit>(0)?;
    let mut out = vec![0.0; call.array(6)?.len()];
    let group = call.int(5)? as usize - 1;
    let (x, u) = (call.array(3)?, call.array(4)?);
    unit.values(call.real(1)? as u64, call.real(2)?, x, u, group, &mut out)?;
    fill(call, 6, &out)
}

/// unit, time, inputs; end, values
fn step(call: &mut NativeCall<'_>) -> Result<(), String> {
    let unit = call.object::<Unit>(0)?;
    let done = unit.step(call.real(1)?, call.array(2)?)?;
    call.set(3, f64::from(u8::from(done.ended)))?;
    fill(call, 4, &done.discrete)
}

/// tolerance
fn master(call: &mut NativeCall<'_>) -> Result<(), String> {
    let master = Master::new(call.real(0)?)?;
    call.result = call.rt.add_object(Arc::new(master));
    Ok(())
}

/// master, unit, name, links
fn join(call: &mut NativeCall<'_>) -> Result<(), String> {
    let (master, unit) = (call.object::<Master>(0)?, call.object::<Unit>(1)?);
    let links: Vec<String> = (call.array(3)?.iter())
        .map(|&handle| call.rt.text(handle).to_owned())
        .collect();
    call.result = master.join(unit, call.text(2)?, &links)? as f64;
    Ok(())
}

/// unit, time; end, values
fn begin(call: &mut NativeCall<'_>) -> Result<(), String> {
    let unit = call.object::<Unit>(0)?;
    let done = unit.begin(call.real(1)?)?;
    call.set(2, f64::from(u8::from(done.ended)))?;
    fill(call, 3, &done.discrete)
}

/// master, member, inputs; the same inputs
fn hold(call: &mut NativeCall<'_>) -> Result<(), String> {
    let master = call.object::<Master>(0)?;
    let inputs = call.array(2)?.to_vec();
    master.hold(call.int(1)? as usize, &inputs)?;
    fill(call, 3, &inputs)
}

/// master, member, unit, time, inputs until then; end, values
fn advance(call: &mut NativeCall<'_>) -> Result<(), String> {
    let (master, unit) = (call.object::<Master>(0)?, call.object::<Unit>(2)?);
    master.advance(call.real(3)?)?;
    let done = unit.now()?;
    call.set(5, f64::from(u8::from(done.ended)))?;
    fill(call, 6, &done.discrete)
}
