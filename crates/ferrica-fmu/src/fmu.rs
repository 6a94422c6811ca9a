//! A stored model, compiled: what all calls of an instance look things up in.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Form, Slot};
use ferrica_ir::VarId;
use ferrica_ir::expr::BinaryOp;

use crate::code;
use crate::payload::{Access, Payload, RESOURCES, Settings, Source, Type};
use crate::resources;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A slot, or its negative.
    Slot(Slot, bool),
    Indicator(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub ty: Type,
    pub place: Place,
    pub access: Access,
    /// Changes between events, so that it may have to be computed first.
    pub moves: bool,
}

pub struct Fmu {
    pub model: Arc<CompiledModel>,
    /// By value reference.
    pub variables: Vec<Variable>,
    /// How many of them each reference stands for, where there are arrays.
    sizes: Vec<u32>,
    /// Relations whose crossing functions are the event indicators.
    pub crossings: Vec<usize>,
    pub solver: Settings,
    pub start: f64,
    pub tolerance: f64,
    /// Why stored machine code is not used.
    note: Option<String>,
}

impl Fmu {
    /// Reads and compiles the model in the resources of an FMU. Model Exchange asks for derivatives, whatever form is best for our own solvers.
    pub fn load(location: &str, token: &str, exchange: bool) -> Result<Fmu, String> {
        let folder = resources::folder(location)?;
        let payload = resources::load(&folder, token)?;
        let mut fmu = Fmu::of(payload, &folder, exchange)?;
        fmu.note = code::install(&folder, &fmu.model);
        Ok(fmu)
    }

    pub fn of(mut payload: Payload, folder: &Path, exchange: bool) -> Result<Fmu, String> {
        let place = format!("{}/", folder.display());
        payload.model.exprs.rename_strings(|text| {
            text.contains(RESOURCES)
                .then(|| text.replace(RESOURCES, &place))
        });
        let mut options = CompileOptions {
            form: if exchange { Form::Ode } else { Form::Auto },
            ..CompileOptions::default()
        };
        // Standard output and error belong to the program around us.
        options.natives.prints = false;
        let model = ferrica_codegen::compile(payload.model, &options).map_err(|errors| {
            let texts: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
            format!("the stored model cannot be compiled: {}", texts.join("; "))
        })?;
        let crossings: Vec<usize> = (0..model.relations.len())
            .filter(|&k| !model.relations[k].time_event)
            .collect();
        let mut variables = Vec::with_capacity(payload.variables.len());
        for v in &payload.variables {
            let (place, moves) = match v.source {
                Source::Time => (Place::Slot(ferrica_codegen::Layout::TIME, false), false),
                Source::Indicator(k) => (Place::Indicator(k as usize), true),
                Source::Var(var) => {
                    let known = (var.as_u32() as usize) < model.source.vars.len();
                    let place = known.then(|| model.layout.place(var)).flatten();
                    let Some((slot, negated)) = place else {
                        return Err("the stored model lacks one of its variables".to_owned());
                    };
                    let continuous = (model.main.writer_of(slot))
                        .is_some_and(|b| model.main.blocks[b].continuous);
                    (Place::Slot(slot, negated), continuous)
                }
            };
            variables.push(Variable {
                ty: v.ty,
                place,
                access: v.access,
                moves,
            });
        }
        Ok(Fmu {
            variables,
            sizes: payload.sizes,
            crossings,
            solver: payload.solver,
            start: payload.start,
            tolerance: payload.tolerance,
            note: None,
            model: Arc::new(model),
        })
    }

    /// What an importer may want to know of the loading, once.
    pub fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// The scalars behind references, of which some may be of arrays.
    pub fn scalars<'a>(&self, references: &'a [u32]) -> Result<Cow<'a, [u32]>, String> {
        let size = |r: u32| self.sizes.get(r as usize).copied();
        if self.sizes.is_empty() || references.iter().all(|&r| size(r) == Some(1)) {
            return Ok(Cow::Borrowed(references));
        }
        let mut all = Vec::new();
        for &r in references {
            match size(r) {
                None | Some(0) => {
                    return Err(format!("there is no variable with the value reference {r}"));
                }
                Some(n) => all.extend(r..r + n),
            }
        }
        Ok(Cow::Owned(all))
    }

    pub fn variable(&self, reference: u32) -> Result<&Variable, String> {
        self.variables
            .get(reference as usize)
            .ok_or_else(|| format!("there is no variable with the value reference {reference}"))
    }

    /// Name by which a run sets the variable.
    pub fn name(&self, v: VarId) -> &str {
        &self.model.source.vars[v].var.name
    }

    /// The crossing function of indicator k, its two sides being known: positive on one side of the crossing and negative on the other one. Equality belongs to
    /// the upper side of `<` and `>=`, to the lower side of the others. A zero there would belong to neither for integrators that look for changes of sign: one
    /// that begins with `sin(time) > 0` would never see it become true.
    pub fn indicator(&self, k: usize, slots: &[f64]) -> f64 {
        let r = &self.model.relations[self.crossings[k]];
        let z = slots[r.zero as usize];
        match r.op {
            _ if z != 0.0 => z,
            BinaryOp::Lt | BinaryOp::Ge => f64::MIN_POSITIVE,
            _ => -f64::MIN_POSITIVE,
        }
    }
}
