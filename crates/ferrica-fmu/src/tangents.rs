//! Directional and adjoint derivatives: exact, by the chain rule through the sorted equations.

use std::sync::Arc;

use ferrica_codegen::linearize::sensitivities;
use ferrica_codegen::runtime::Runtime;
use ferrica_codegen::tape::Tape;
use ferrica_codegen::{CompileOptions, Evaluator, Form, Slot};

use crate::fmu::{Fmu, Place};
use crate::payload::Type;

/// The model with its derivatives, made when they are first asked for.
pub struct Tangents {
    ev: Evaluator,
    tape: Tape,
    /// May be varied: states and inputs.
    knowns: Vec<Slot>,
}

impl Tangents {
    /// Objects such as tables are those of the run.
    pub fn new(fmu: &Fmu, objects: &Runtime) -> Result<Tangents, String> {
        let source = &fmu.model.source;
        let options = CompileOptions {
            form: Form::Ode,
            natives: fmu.model.functions.natives.clone(),
            ..CompileOptions::default()
        };
        let model = ferrica_codegen::compile((**source).clone(), &options);
        let mut model = model.map_err(|_| "the model has no derivatives".to_owned())?;
        let first = model.layout.states;
        let mut knowns: Vec<Slot> = (first..first + model.layout.n_states as Slot).collect();
        knowns.extend(source.inputs.iter().filter_map(|&v| model.layout.slot(v)));
        let tape = sensitivities(&mut model, &knowns);
        let mut ev = Evaluator::new(Arc::new(model));
        ev.rt = objects.clone();
        Ok(Tangents { ev, tape, knowns })
    }

    /// Goes to the point of the run.
    fn place(&mut self, slots: &[f64]) {
        let common = self.ev.model.common_slots;
        self.ev.slots[..common].copy_from_slice(&slots[..common]);
        self.ev.invalidate();
    }

    fn known(&self, fmu: &Fmu, reference: u32) -> Result<(Slot, f64), String> {
        let v = fmu.variable(reference)?;
        match v.place {
            Place::Slot(slot, negated) if v.ty == Type::Real && self.knowns.contains(&slot) => {
                Ok((slot, if negated { -1.0 } else { 1.0 }))
            }
            _ => Err(format!(
                "nothing can be differentiated by the variable {reference}: it is no state and no input"
            )),
        }
    }

    fn unknown(&self, fmu: &Fmu, reference: u32) -> Result<(Slot, f64), String> {
        let v = fmu.variable(reference)?;
        match v.place {
            _ if v.ty != Type::Real => Err(format!("the variable {reference} is no real number")),
            Place::Slot(slot, negated) => Ok((slot, if negated { -1.0 } else { 1.0 })),
            Place::Indicator(k) => Ok((fmu.model.relations[fmu.crossings[k]].zero, 1.0)),
        }
    }

    pub fn directional(
        &mut self,
        fmu: &Fmu,
        slots: &[f64],
        (unknowns, knowns): (&[u32], &[u32]),
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), String> {
        let mut changes = Vec::with_capacity(knowns.len());
        for (&r, &dx) in knowns.iter().zip(seed) {
            let (slot, sign) = self.known(fmu, r)?;
            changes.push((slot, sign * dx));
        }
        self.place(slots);
        let done = self.ev.changes(&self.tape, &changes);
        done.map_err(|e| e.to_string())?;
        for (&r, dy) in unknowns.iter().zip(out) {
            let (slot, sign) = self.unknown(fmu, r)?;
            *dy = sign * self.ev.change(slot);
        }
        Ok(())
    }

    /// One sweep a known.
    pub fn adjoint(
        &mut self,
        fmu: &Fmu,
        slots: &[f64],
        (unknowns, knowns): (&[u32], &[u32]),
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), String> {
        self.place(slots);
        let none = self.ev.changes(&self.tape, &[]);
        none.map_err(|e| e.to_string())?;
        for (&r, dx) in knowns.iter().zip(out) {
            let change = self.known(fmu, r)?;
            self.ev.changes_here(&self.tape, &[change]);
            *dx = 0.0;
            for (&u, &weight) in unknowns.iter().zip(seed) {
                let (slot, sign) = self.unknown(fmu, u)?;
                *dx += weight * sign * self.ev.change(slot);
            }
        }
        Ok(())
    }
}
