//! Values of an instance: what an importer asks for and sets, by the numbers of its variables.

use std::ffi::{CString, c_char};

use ferrica_ir::VarId;

use super::{Answer, Engine, Instance, Interface, Phase, Refusal};
use crate::fmu::{Place, Variable};
use crate::log::Status;
use crate::payload::{Access, Type};

impl Instance {
    /// The value of one variable as a number.
    fn value(&mut self, reference: u32, ty: &[Type]) -> Answer<f64> {
        let v = *self.fmu.variable(reference)?;
        if !ty.contains(&v.ty) {
            return Err(format!("the variable {reference} is of another type: {:?}", v.ty).into());
        }
        if self.phase == Phase::Instantiated
            && let Some(x) = self.before_start(&v)
        {
            return Ok(x);
        }
        self.ready()?;
        let fmu = &self.fmu;
        let read = |slots: &[f64]| match v.place {
            Place::Slot(slot, false) => slots[slot as usize],
            Place::Slot(slot, true) => -slots[slot as usize],
            Place::Indicator(k) => fmu.indicator(k, slots),
        };
        match &mut self.engine {
            Engine::None => Err("the model is not initialized".into()),
            Engine::Exchange(e) => {
                if let Place::Slot(slot, negated) = v.place
                    && let Some(a) = e.problem.arriving.iter().find(|a| a.0 == slot)
                {
                    return Ok(if negated { -a.1 } else { a.1 });
                }
                let derivatives = fmu.model.layout.derivatives;
                let rates = derivatives..derivatives + fmu.model.layout.n_states as u32;
                Ok(match v.place {
                    Place::Indicator(_) => read(e.zeros()?),
                    Place::Slot(slot, _) if rates.contains(&slot) => {
                        e.derivatives()?;
                        read(&e.problem.ev.slots)
                    }
                    Place::Slot(..) if v.moves => read(e.all()?),
                    Place::Slot(..) => read(&e.problem.ev.slots),
                })
            }
            Engine::Steps(_) if self.phase == Phase::Intermediate => {
                let point = self.points.get(self.looked_at);
                Ok(read(&point.ok_or("there is no point to look at")?.1))
            }
            Engine::Steps(s) => Ok(read(s.all()?)),
        }
    }

    /// What was set, or the start value, before anything is solved.
    fn before_start(&self, v: &Variable) -> Option<f64> {
        let (Access::Before(of) | Access::State(of) | Access::Tunable(of)) = v.access else {
            let Place::Slot(slot, negated) = v.place else {
                return None;
            };
            let of = self.fmu.model.variable(slot)?;
            let given = self.given.iter().find(|g| g.0 == of)?.1;
            return Some(if negated { -given } else { given });
        };
        let given = self.given.iter().find(|g| g.0 == of).map(|g| g.1);
        let (slot, negated) = self.fmu.model.layout.place(of)?;
        let own = self.fmu.model.layout.initial[slot as usize];
        given.or(Some(if negated { -own } else { own }))
    }

    /// Hands out numbers one by one.
    pub fn get(
        &mut self,
        references: &[u32],
        ty: &[Type],
        mut put: impl FnMut(usize, f64),
    ) -> Answer {
        for (k, &r) in references.iter().enumerate() {
            let value = self.value(r, ty)?;
            put(k, value);
        }
        Ok(())
    }

    /// Hands out texts, which live until the next call.
    pub fn get_texts(&mut self, references: &[u32], out: &mut [*const c_char]) -> Answer {
        let mut texts = Vec::with_capacity(references.len());
        for &r in references {
            let handle = self.value(r, &[Type::Text])?;
            let text = match &self.engine {
                Engine::Exchange(e) => e.problem.ev.rt.text(handle),
                Engine::Steps(s) => match self.fmu.variable(r)?.place {
                    Place::Slot(slot, _) => s.text(slot),
                    Place::Indicator(_) => "",
                },
                Engine::None => "",
            };
            texts.push(CString::new(text.replace('\0', " ")).unwrap_or_default());
        }
        self.texts = texts;
        for (out, text) in out.iter_mut().zip(&self.texts) {
            *out = text.as_ptr();
        }
        Ok(())
    }

    /// Sets numbers.
    pub fn set(&mut self, references: &[u32], ty: &[Type], value: impl Fn(usize) -> f64) -> Answer {
        let mut done = Ok(());
        for (k, &r) in references.iter().enumerate() {
            let v = *self.fmu.variable(r)?;
            if !ty.contains(&v.ty) {
                return Err(format!("the variable {r} is of another type: {:?}", v.ty).into());
            }
            let x = value(k);
            if !x.is_finite() {
                return Err(format!("{x} is no value for the variable {r}").into());
            }
            match self.set_one(r, &v, x) {
                Err(warning) if warning.status == Status::Warning => done = Err(warning),
                other => other?,
            }
        }
        done
    }

    fn set_one(&mut self, reference: u32, v: &Variable, x: f64) -> Answer {
        let before = matches!(self.phase, Phase::Instantiated | Phase::Initialization);
        let refused = |why: &str| {
            let text = format!("the variable {reference} {why}");
            Err(text.into())
        };
        let Place::Slot(slot, negated) = v.place else {
            return refused("cannot be set");
        };
        let own = self.fmu.model.variable(slot);
        let inner = if negated { -x } else { x };
        match v.access {
            Access::Read => refused("cannot be set"),
            Access::Before(of) | Access::Tunable(of) if before => {
                self.give(of, x);
                Ok(())
            }
            Access::State(of) if before => {
                self.give(of, x);
                Ok(())
            }
            Access::Input if before => match own {
                Some(of) => {
                    self.give(of, inner);
                    Ok(())
                }
                None => refused("cannot be set"),
            },
            Access::Before(_) => refused("can only be set before the run begins"),
            Access::Tunable(of) => {
                let (phase, name) = (self.phase, self.fmu.name(of).to_owned());
                match &mut self.engine {
                    Engine::Exchange(e) if phase == Phase::Event => e.tune(slot, inner)?,
                    Engine::Steps(s) => s.tune(&name, slot, inner)?,
                    _ => return refused("changes at events only: set it in event mode"),
                }
                match self.given.iter_mut().find(|g| g.0 == of) {
                    Some(old) => old.1 = x,
                    None => self.given.push((of, x)),
                }
                Ok(())
            }
            Access::State(_) if self.interface == Interface::ModelExchange => {
                self.exchange()?.set(slot, inner);
                Ok(())
            }
            Access::State(_) => refused("can only be set before the run begins"),
            Access::Input => {
                let phase = self.phase;
                match &mut self.engine {
                    Engine::Exchange(e) if phase == Phase::Event => e.jump(slot, inner),
                    // Some importers set all inputs at every point that their integrator looks at, later ones than it will reach too, and again in event mode.
                    Engine::Exchange(e) if v.ty != Type::Real => {
                        if e.problem.ev.get(slot) != inner {
                            let text = "changes at events only, and keeps its value until it is set in event mode";
                            return Err(Refusal {
                                status: Status::Warning,
                                message: format!("the variable {reference} {text}"),
                            });
                        }
                    }
                    Engine::Exchange(e) => e.set(slot, inner),
                    Engine::Steps(s) => s.set(slot, inner),
                    Engine::None => return refused("cannot be set now"),
                }
                Ok(())
            }
        }
    }

    fn give(&mut self, v: VarId, x: f64) {
        match self.given.iter_mut().find(|g| g.0 == v) {
            Some(old) if old.1 == x => return,
            Some(old) => old.1 = x,
            None => self.given.push((v, x)),
        }
        self.engine = Engine::None;
        self.tangents = None;
    }
}
