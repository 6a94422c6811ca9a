//! What a payload tells of a model: nothing but numbers and operators, if that is wished.

use ferrica_ir::Span;
use ferrica_ir::causal::CausalModel;
use ferrica_ir::expr::Expr;
use ferrica_ir::flat::WHEN;
use ferrica_ir::function::FunctionBody;

use crate::roots::roots;

/// Places in source files say nothing where there are none, and neither do those of C libraries: what runs in an FMU is part of its run-time library.
pub fn forget_places(model: &mut CausalModel) {
    for v in model.vars.values_mut() {
        v.var.span = Span::NONE;
    }
    for e in (model.equations.iter_mut())
        .chain(&mut model.initial.equations)
        .chain(&mut model.initial.redundant)
    {
        e.span = Span::NONE;
    }
    for r in &mut model.relations {
        r.span = Span::NONE;
    }
    for t in &mut model.transports {
        t.span = Span::NONE;
    }
    for r in &mut model.reinits {
        r.span = Span::NONE;
    }
    for a in &mut model.assertions {
        a.span = Span::NONE;
    }
    for t in &mut model.terminates {
        t.span = Span::NONE;
    }
    for e in &mut model.effects {
        e.span = Span::NONE;
    }
    for f in model.functions.values_mut() {
        f.span = Span::NONE;
        if let FunctionBody::External(external) = &mut f.body {
            external.libraries.clear();
            external.library_directories.clear();
            external.include_directories.clear();
            external.includes.clear();
            external.destructor_includes.clear();
        }
    }
    for c in &mut model.components {
        c.span = Span::NONE;
    }
}

/// Begins a text that nothing uses; no text of a model does.
const UNUSED: char = '\u{1}';

/// Texts that no expression of the model has any more, such as units and quantities that were evaluated, become numbers: each text of a table is another.
fn forget_texts(model: &mut CausalModel) {
    let roots = roots(model);
    let mut used = vec![false; model.exprs.strings().count()];
    model.exprs.postorder(&roots, |e| {
        if let Expr::Str(s) = model.exprs.get(e) {
            used[s.as_u32() as usize] = true;
        }
    });
    let mut numbered = used.into_iter().enumerate();
    model.exprs.rename_strings(|_| {
        let (k, _) = numbered.next().filter(|(_, used)| !used)?;
        Some(format!("{UNUSED}{k}"))
    });
}

/// Names, descriptions and units of all variables and functions become numbers. Those that begin with a dollar mean something to the
/// engines, and are ours.
pub fn forget_names(model: &mut CausalModel) {
    forget_texts(model);
    model.name = "model".to_owned();
    for (id, v) in model.vars.iter_mut() {
        let number = id.as_u32();
        v.var.name = match &v.var.name {
            name if name.starts_with(WHEN) => format!("{WHEN}{number}"),
            name if name == "$homotopy" => name.clone(),
            _ => format!("v{number}"),
        };
        for text in [
            &mut v.var.description,
            &mut v.var.unit,
            &mut v.var.display_unit,
            &mut v.var.quantity,
        ] {
            *text = Default::default();
        }
    }
    for (id, f) in model.functions.iter_mut() {
        f.name = format!("f{}", id.as_u32());
        for (k, slot) in f.slots.iter_mut().enumerate() {
            slot.name = format!("s{k}");
        }
    }
    for c in &mut model.components {
        (c.path, c.class, c.description) = Default::default();
        c.inline = None;
    }
    for (id, e) in model.enums.iter_mut() {
        e.name = format!("e{}", id.as_u32());
        for (k, literal) in e.literals.iter_mut().enumerate() {
            *literal = format!("l{k}");
        }
    }
}
