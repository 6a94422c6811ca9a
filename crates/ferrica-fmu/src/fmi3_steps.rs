//! The functions of FMI 3.0 for Co-Simulation: steps, event mode between them, and the importer's looks inside of them.

#![allow(non_snake_case)]

use std::ffi::{c_char, c_void};

use crate::fmi3::{Bool, This, made};
use crate::guard::{call, free, input, put};
use crate::instance::{Agreement, Interface, Phase, Stepped, Update};
use crate::log::{Logger3, Status};
use crate::payload::Type;

#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateCoSimulation(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: Bool,
    logging: Bool,
    event_mode: Bool,
    early_return: Bool,
    intermediate: *const u32,
    count: usize,
    environment: *mut c_void,
    logger: Option<Logger3>,
    update: Option<Update>,
) -> This {
    let agreement = Agreement {
        event_mode: event_mode != 0,
        early_return: early_return != 0,
        updates: update.is_some(),
    };
    let interface = Interface::CoSimulation;
    let this = made(
        name,
        token,
        resources,
        logging,
        environment,
        logger,
        interface,
        agreement,
    );
    if this.is_null() {
        return this;
    }
    let known = call(this, "instantiation", |i| {
        i.updates = update.map(|f| (f, environment));
        for &reference in input(intermediate, count)? {
            if i.fmu.variable(reference)?.ty != Type::Real {
                let text = format!("the variable {reference} cannot be read inside of a step");
                return Err(text.into());
            }
        }
        Ok(())
    });
    if known != Status::Ok {
        free(this);
        return std::ptr::null_mut();
    }
    this
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterStepMode(c: This) -> Status {
    call(c, "fmi3EnterStepMode", |i| {
        if i.interface != Interface::CoSimulation {
            return Err("this is no instance for Co-Simulation".into());
        }
        i.require("the call", &[Phase::Event])?;
        // Inputs that were set and not settled jump now.
        i.event()?;
        i.phase = Phase::Step;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3DoStep(
    c: This,
    time: f64,
    step: f64,
    _no_going_back: Bool,
    event_needed: *mut Bool,
    terminate: *mut Bool,
    early: *mut Bool,
    last: *mut f64,
) -> Status {
    let mut stepped = Stepped::default();
    let done = call(c, "fmi3DoStep", |i| {
        i.require("the call", &[Phase::Step])?;
        stepped = i.do_step(time, step)?;
        Ok(())
    });
    let seen = match done {
        Status::Ok => look(c, stepped.points),
        _ => Ok(None),
    };
    let told = call(c, "fmi3DoStep", |i| {
        let returned = matches!(seen, Ok(Some(_)));
        put(event_needed, Bool::from(stepped.at_event && !returned))?;
        put(terminate, Bool::from(i.has_ended()))?;
        put(early, Bool::from(stepped.at_event || returned))?;
        put(last, i.time())
    });
    match seen {
        _ if done != Status::Ok => done,
        Err(status) => status,
        Ok(_) => told,
    }
}

/// Shows the importer the points of a step, one after the other, while nothing of the instance is borrowed: it may read there. The time at which it asks
/// to return, if it does.
fn look(c: This, points: usize) -> Result<Option<f64>, Status> {
    if points == 0 {
        return Ok(None);
    }
    let mut early = None;
    for k in 0..points {
        let (mut at, mut end, mut allowed, mut listener) = (0.0, 0.0, false, None);
        let placed = call(c, "fmi3DoStep", |i| {
            at = i.look_at(k)?;
            (end, allowed, listener) = (i.time(), i.agreement.early_return, i.updates);
            Ok(())
        });
        if placed != Status::Ok {
            return Err(placed);
        }
        let (mut wanted, mut until) = (0, at);
        if let Some((tell, environment)) = listener {
            let may = Bool::from(allowed);
            // SAFETY: the callback and its environment come from the importer, who keeps them as long as the instance lives; the places live during the call.
            unsafe { tell(environment, at, 0, 1, 1, may, &mut wanted, &mut until) };
        }
        if wanted != 0 && allowed && until >= at && until < end {
            early = Some(until);
            break;
        }
    }
    match call(c, "fmi3DoStep", |i| i.end_looking(early)) {
        Status::Ok => Ok(early),
        status => Err(status),
    }
}
