//! Flattening: a class of the libraries → a flat, scalar, typed hybrid model.
//!
//! In: a [`ferrica_classes::Library`] and a class name. Out: a [`ferrica_ir::flat::FlatModel`] and
//! diagnostics. Reading order:
//!
//! - the instance tree, made on demand: `instance`, `expand`, `declare`, `lookup`, `component`,
//!   `modifier`; arrays of equal components by their first one: `family`;
//! - expressions, evaluated symbolically over the scalar arena: `eval`, `references`, `constants`,
//!   `subscripts`, `iterators`, `operators`, `builtins`, `array_functions`, `clocked_operators`;
//! - functions and algorithms: `call`, `signature`, `locals`, `records`, `overloading`, `exec`, `assign`,
//!   `effects`; what must run later: `lower` and its parts, `external`, `derivative_annotations`;
//! - the flat model: `variables`, `equations`, `loops`, `when_equations`, `connect`, `connection_sets`,
//!   `connection_equations`, `expandable`, `overconstrained`, `state_machines`, `state_machine_equations`;
//! - questions of editors and of pictures: `query`, `instances`;
//! - checks: `checks`, `balance`, `units`, `limits`; messages: `report`.

mod array_functions;
mod assign;
mod balance;
mod builtins;
mod call;
mod checks;
mod clocked_operators;
mod component;
mod connect;
mod connection_equations;
mod connection_loops;
mod connection_sets;
mod constants;
mod declare;
mod derivative_annotations;
mod effects;
mod equations;
mod eval;
mod exec;
mod expand;
mod expandable;
mod external;
mod family;
mod flattener;
mod foreign_names;
mod function_events;
mod instance;
mod instances;
mod iterators;
mod jumps;
mod late_arrays;
mod limits;
mod locals;
mod lookup;
mod loops;
mod lower;
mod lower_algorithms;
mod lower_assignments;
mod lower_ranges;
mod lower_statements;
mod modifier;
mod native;
mod operators;
mod overconstrained;
mod overloading;
mod partial_derivatives;
mod query;
mod records;
mod references;
mod report;
mod signature;
mod spatial_distribution;
mod state_machine_equations;
mod state_machines;
mod subscripts;
mod text;
mod units;
mod value;
mod variables;
mod when_equations;

use ferrica_classes::{ClassId, Library};
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, Span};

pub use balance::{Balance, count};
use flattener::Flattener;
pub use flattener::Observed;
use instance::ClassRef;
pub use instances::{Connection, Instance, Instances, Joints, Known, Part, Transition};
pub use lookup::closest;
pub use query::{Declaration, DeclarationKind, Query};
pub use units::{BaseUnit, base_unit};

/// Stack of the thread that flattens: syntax trees may be deep.
const STACK: usize = 512 << 20;

/// A flat model with the warnings found on the way.
pub struct Flattened {
    pub model: FlatModel,
    pub warnings: Vec<Diagnostic>,
    /// Places where units do not fit.
    pub unit_warnings: Vec<Diagnostic>,
    /// Why the model cannot be solved, if it has not as many equations as unknowns.
    pub imbalance: Option<Diagnostic>,
}

/// Flattens the class with the given full name.
pub fn flatten(lib: &Library, name: &str) -> Result<Flattened, Vec<Diagnostic>> {
    match lib.find(name) {
        Some(class) => flatten_class(lib, class),
        None => {
            let mut found = lib.take_diagnostics();
            if !found.iter().any(Diagnostic::is_error) {
                found.push(
                    Diagnostic::error("E0201", Span::NONE, format!("there is no class `{name}`"))
                        .with_hint(
                            "give the folder of its library with --lib DIR, or set MODELICAPATH",
                        ),
                );
            }
            Err(found)
        }
    }
}

/// Flattens a class, on a thread with a large stack.
pub fn flatten_class(lib: &Library, class: ClassId) -> Result<Flattened, Vec<Diagnostic>> {
    on_a_large_stack(lib, class, class, false)
}

/// Flattens a class with an instance for each element of an array and an evaluation for each pass of a loop: what families and regular
/// loops are measured by.
pub fn flatten_one_by_one(lib: &Library, class: ClassId) -> Result<Flattened, Vec<Diagnostic>> {
    on_a_large_stack(lib, class, class, true)
}

/// Flattens a class that only stands for another one, which it extends with other values: it has that one's
/// name and `experiment`, although annotations are not inherited.
pub fn flatten_variant(
    lib: &Library,
    class: ClassId,
    of: ClassId,
) -> Result<Flattened, Vec<Diagnostic>> {
    on_a_large_stack(lib, class, of, false)
}

fn on_a_large_stack(
    lib: &Library,
    class: ClassId,
    named: ClassId,
    one_by_one: bool,
) -> Result<Flattened, Vec<Diagnostic>> {
    std::thread::scope(|s| {
        let spawned = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(s, || run(lib, class, named, one_by_one));
        match spawned.map(|t| t.join()) {
            Ok(Ok(result)) => result,
            _ => Err(vec![Diagnostic::error(
                "E0300",
                Span::NONE,
                "the compiler failed on this model; this is a defect of the compiler",
            )]),
        }
    })
}

fn run(
    lib: &Library,
    class: ClassId,
    named: ClassId,
    one_by_one: bool,
) -> Result<Flattened, Vec<Diagnostic>> {
    let mut f = Flattener::new(lib);
    f.one_by_one = one_by_one;
    let outcome = build(&mut f, class, named);
    if let Err(d) = outcome {
        f.report(d);
    }
    let mut diagnostics = lib.take_diagnostics();
    diagnostics.append(&mut f.take_messages());
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let unit_warnings = units::check(&f.flat);
    Ok(Flattened {
        model: f.flat,
        warnings: diagnostics,
        unit_warnings,
        imbalance: f.imbalance,
    })
}

fn build(f: &mut Flattener<'_>, class: ClassId, named: ClassId) -> flattener::R<()> {
    let def = f.lib.def(class);
    f.flat.name = f.lib.full_name(named);
    f.flat.description = f
        .lib
        .def(named)
        .comment
        .as_deref()
        .unwrap_or("")
        .to_string();
    if def.partial {
        return flattener::error(
            "E0306",
            def.name_span,
            format!("`{}` is partial and cannot be simulated", f.flat.name),
        );
    }
    if f.predefined(def.name).is_some() {
        return flattener::error(
            "E0219",
            def.name_span,
            format!("`{}` is the name of a predefined type", def.name),
        );
    }
    let parent = f.enclosing_scope(class)?;
    let class_ref = ClassRef {
        def,
        id: Some(class),
        parent,
        modifier: std::rc::Rc::default(),
        inherited: None,
    };
    let root = f.new_scope(class_ref, "".into());
    f.model = Some(root);
    if let Err(d) = f.expand(root) {
        f.report(d);
    }
    f.instantiate(root, 0);
    f.collect_connections(root);
    f.elaborate_expandable();
    f.build_connection_sets();
    f.drop_unused_members();
    f.flatten_instance(root);
    f.check_replacements();
    f.check_cyclic_parameters();
    f.check_discrete();
    f.check_bounds();
    f.check_imports_exist(root);
    f.connection_equations();
    f.connected_parameters();
    f.broken_connection_equations();
    f.events_of_functions();
    f.state_machine_equations(root);
    let base = f.tree.scopes[root].bases.first().copied();
    f.experiment(base.filter(|_| named != class).unwrap_or(root));
    f.imbalance = f.explain_imbalance(root);
    f.judge_two_sources();
    Ok(())
}
