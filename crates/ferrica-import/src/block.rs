//! The Modelica text of an FMU: a block with its parameters, inputs and other variables.
//!
//! Model Exchange: the states are states of the block, the indicators are relations of it, and an event of the block is one of the FMU. What a
//! variable depends on decides which inputs it is computed from, so that a loop through the block is one only where the FMU says so. Co-Simulation: a
//! block that is sampled with the communication step; inputs hold from one sample to the next.

use std::fmt::Write;

use crate::description::{Causality, Description, Type, Variability, Variable};

/// What a block is made for.
pub struct Wish<'a> {
    /// The archive, as the text names it.
    pub file: &'a str,
    pub exchange: bool,
    /// Name of the block; without it that of the model.
    pub class: Option<String>,
    /// Of a unit for Co-Simulation that is led together with others: its name among them, and the expression of its links.
    pub together: Option<(&'a str, &'a str)>,
}

/// Variables that are computed from the same inputs.
pub struct Group {
    pub variables: Vec<usize>,
    pub inputs: Vec<usize>,
}

/// The variables of a description by what a block does with them; the instance and its block agree on this.
pub struct Lists {
    /// Parameters and start values that are numbers.
    pub numbers: Vec<usize>,
    pub texts: Vec<usize>,
    pub inputs: Vec<usize>,
    pub discrete: Vec<usize>,
    pub groups: Vec<Group>,
}

pub(crate) fn is_start(v: &Variable) -> bool {
    v.exact
        && v.ty.is_number()
        && !v.start.is_empty()
        && matches!(v.causality, Causality::Local | Causality::Output)
        && v.variability != Variability::Constant
}

/// Nothing depends on fixed parameters while time goes on: a list that names one was made for other variables.
fn is_credible(d: &Description, dependencies: &[usize]) -> bool {
    let fixed = |v: &Variable| {
        v.causality == Causality::Parameter
            && matches!(v.variability, Variability::Fixed | Variability::Constant)
    };
    !dependencies.iter().any(|&k| fixed(&d.variables[k]))
}

impl Lists {
    pub fn new(d: &Description, exchange: bool) -> Lists {
        let all = || d.variables.iter().enumerate();
        let parameter = |v: &Variable| {
            v.causality == Causality::Parameter && v.variability != Variability::Constant
        };
        let inputs: Vec<usize> = all()
            .filter(|(_, v)| v.causality == Causality::Input && v.ty.is_number())
            .map(|(k, _)| k)
            .collect();
        let mut made = Lists {
            numbers: all()
                .filter(|(_, v)| {
                    (parameter(v) && v.ty.is_number() && !v.start.is_empty()) || is_start(v)
                })
                .map(|(k, _)| k)
                .collect(),
            texts: all()
                .filter(|(_, v)| parameter(v) && v.ty == Type::Text && v.dims.is_empty())
                .map(|(k, _)| k)
                .collect(),
            inputs,
            discrete: Vec::new(),
            groups: Vec::new(),
        };
        for (k, v) in all() {
            let computed = matches!(
                v.causality,
                Causality::Output | Causality::Local | Causality::CalculatedParameter
            );
            let constant = v.variability == Variability::Constant;
            if !computed || constant || !v.ty.is_number() {
                continue;
            }
            if !(exchange && made.is_continuous(v)) {
                made.discrete.push(k);
                continue;
            }
            let known = d.outputs.iter().find(|u| u.variable == k);
            let told = known.and_then(|u| u.dependencies.as_ref());
            let inputs: Vec<usize> = match told.filter(|list| is_credible(d, list)) {
                Some(list) => (made.inputs.iter().copied())
                    .filter(|i| list.contains(i))
                    .collect(),
                None => made.inputs.clone(),
            };
            match made.groups.iter_mut().find(|g| g.inputs == inputs) {
                Some(group) => group.variables.push(k),
                None => made.groups.push(Group {
                    variables: vec![k],
                    inputs,
                }),
            }
        }
        made
    }

    pub fn is_continuous(&self, v: &Variable) -> bool {
        v.ty.is_float() && v.variability == Variability::Continuous
    }
}

/// Words of the language that are no names.
const WORDS: &str = " algorithm and annotation block break class connect connector constant constrainedby der discrete each else elseif elsewhen \
    encapsulated end enumeration equation expandable extends external false final flow for function if import impure in initial inner input loop \
    model not operator or outer output package parameter partial protected public pure record redeclare replaceable return stream then true type \
    when while within time ";

/// A name as Modelica writes it.
pub(crate) fn identifier(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && !WORDS.contains(&format!(" {name} "));
    match plain {
        true => name.to_owned(),
        false => {
            let inner = name.replace('\\', "\\\\").replace('\'', "\\'");
            format!("'{inner}'")
        }
    }
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let inner = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{inner}\"")
}

/// The name of the block.
pub fn name(d: &Description) -> String {
    let last = d.name.rsplit('.').next().unwrap_or(&d.name);
    let mut out: String = (last.chars())
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "m_");
    }
    out
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Float64 | Type::Float32 => "Real",
        Type::Boolean => "Boolean",
        Type::Text => "String",
        _ => "Integer",
    }
}

pub(crate) fn start_name(v: &Variable) -> String {
    match identifier(&v.name).starts_with('\'') {
        true => identifier(&format!("start of {}", v.name)),
        false => format!("{}_start", v.name),
    }
}

/// All elements of a variable by name, row by row.
fn elements(name: &str, dims: &[usize]) -> Vec<String> {
    let mut out = vec![String::new()];
    for &n in dims {
        let longer = |prefix: &String| (1..=n).map(|k| format!("{prefix},{k}")).collect::<Vec<_>>();
        out = out.iter().flat_map(longer).collect();
    }
    let index = |i: &String| match i.strip_prefix(',') {
        Some(i) => format!("{name}[{i}]"),
        None => name.to_owned(),
    };
    out.iter().map(index).collect()
}

/// A list of numbers; Modelica must know the type of an empty one.
fn list(items: &[String]) -> String {
    match items.is_empty() {
        true => "fill(0.0, 0)".to_owned(),
        false => format!("{{{}}}", items.join(", ")),
    }
}

/// Elements as numbers.
fn numbers(v: &Variable, name: &str) -> Vec<String> {
    let all = elements(name, &v.dims).into_iter();
    match v.ty {
        Type::Boolean => all.map(|e| format!("(if {e} then 1.0 else 0.0)")).collect(),
        _ => all.collect(),
    }
}

/// A value of the description as a literal of Modelica.
fn literal(v: &Variable, text: &str) -> String {
    match v.ty {
        Type::Boolean => match text {
            "1" | "true" => "true".to_owned(),
            _ => "false".to_owned(),
        },
        Type::Text => quoted(text),
        _ => text.trim().trim_start_matches('+').to_owned(),
    }
}

/// The start value, with the shape of the variable.
pub(crate) fn value(v: &Variable) -> String {
    let all: Vec<String> = v.start.iter().map(|s| literal(v, s)).collect();
    // One number stands for all elements.
    let at = |k: usize| {
        all.get(k)
            .or(all.first())
            .cloned()
            .unwrap_or_else(|| "0".to_owned())
    };
    fn nested(dims: &[usize], first: usize, at: &dyn Fn(usize) -> String) -> String {
        match dims.split_first() {
            None => at(first),
            Some((&n, rest)) => {
                let inner: usize = rest.iter().product();
                let parts: Vec<String> = (0..n)
                    .map(|k| nested(rest, first + k * inner, at))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }
    nested(&v.dims, 0, &at)
}

fn attributes(v: &Variable) -> String {
    let mut parts = Vec::new();
    let each = if v.dims.is_empty() { "" } else { "each " };
    if v.ty.is_float() {
        for (name, text) in [
            ("quantity", &v.quantity),
            ("unit", &v.unit),
            ("displayUnit", &v.display_unit),
        ] {
            if !text.is_empty() {
                parts.push(format!("{each}{name}={}", quoted(text)));
            }
        }
    }
    if v.causality == Causality::Input && !v.start.is_empty() {
        let value = v.start.first().map_or(String::new(), |s| literal(v, s));
        parts.push(match v.start.len() {
            1 => format!("{each}start={value}"),
            _ => format!("start={}", self::value(v)),
        });
    }
    if v.ty.is_number() && v.ty != Type::Boolean {
        let nominal = v.nominal.as_ref().filter(|_| v.ty.is_float());
        for (name, text) in [
            ("min", v.min.as_ref()),
            ("max", v.max.as_ref()),
            ("nominal", nominal),
        ] {
            if let Some(text) = text.filter(|t| t.parse::<f64>().is_ok_and(f64::is_finite)) {
                parts.push(format!("{each}{name}={}", literal(v, text)));
            }
        }
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("({})", parts.join(", ")),
    }
}

fn declaration(out: &mut String, prefix: &str, v: &Variable, name: &str, binding: Option<String>) {
    let shape: Vec<String> = v.dims.iter().map(ToString::to_string).collect();
    let shape = match shape.is_empty() {
        true => String::new(),
        false => format!("[{}]", shape.join(", ")),
    };
    let binding = binding.map_or(String::new(), |b| format!(" = {b}"));
    let about = match v.description.is_empty() {
        true => String::new(),
        false => format!(" {}", quoted(&v.description)),
    };
    let ty = type_name(v.ty);
    let _ = writeln!(
        out,
        "  {prefix}{ty} {name}{shape}{}{binding}{about};",
        attributes(v)
    );
}

/// Equations that take variables out of a list of numbers.
fn taken(out: &mut String, d: &Description, variables: &[usize], from: &str) {
    let mut at = 0;
    for &k in variables {
        let v = &d.variables[k];
        for element in elements(&identifier(&v.name), &v.dims) {
            at += 1;
            let x = format!("{from}[{at}]");
            let x = match type_name(v.ty) {
                "Boolean" => format!("{x} > 0.5"),
                "Integer" => format!("integer({x})"),
                _ => x,
            };
            let _ = writeln!(out, "  {element} = {x};");
        }
    }
}

fn size(d: &Description, variables: &[usize]) -> usize {
    variables.iter().map(|&k| d.variables[k].size()).sum()
}

/// Writes the block.
pub fn text(d: &Description, wish: &Wish) -> Result<String, String> {
    let lists = Lists::new(d, wish.exchange);
    let offered = match wish.exchange {
        true => &d.exchange,
        false => &d.steps,
    };
    if offered.is_none() {
        let word = if wish.exchange {
            "Model Exchange"
        } else {
            "Co-Simulation"
        };
        return Err(format!("the FMU has no {word}"));
    }
    let name = wish.class.clone().unwrap_or_else(|| name(d));
    let mut out = format!("block {name}");
    if !d.description.is_empty() {
        let _ = write!(out, " {}", quoted(&d.description));
    }
    out.push('\n');
    for v in &d.variables {
        let own = identifier(&v.name);
        let fixed = matches!(v.causality, Causality::StructuralParameter)
            || v.variability == Variability::Constant;
        match v.causality {
            _ if matches!(v.ty, Type::Binary | Type::Clock) => {}
            Causality::Independent => {}
            _ if fixed && v.start.is_empty() => {}
            _ if fixed => declaration(&mut out, "constant ", v, &own, Some(value(v))),
            Causality::Parameter if !v.start.is_empty() => {
                declaration(&mut out, "parameter ", v, &own, Some(value(v)));
            }
            Causality::Input if v.ty.is_float() && v.variability == Variability::Discrete => {
                declaration(&mut out, "discrete input ", v, &own, None);
            }
            Causality::Input if v.ty != Type::Text => {
                declaration(&mut out, "input ", v, &own, None);
            }
            Causality::Output if v.ty != Type::Text => {
                declaration(&mut out, "output ", v, &own, None)
            }
            Causality::Local | Causality::CalculatedParameter if v.ty != Type::Text => {
                declaration(&mut out, "", v, &own, None);
            }
            _ => {}
        }
        if is_start(v) {
            let about = Variable {
                description: format!("Start value of {}", v.name),
                ..v.clone()
            };
            declaration(
                &mut out,
                "parameter ",
                &about,
                &start_name(v),
                Some(value(v)),
            );
        }
    }
    let given: Vec<String> = (lists.numbers.iter())
        .flat_map(|&k| {
            let v = &d.variables[k];
            match is_start(v) {
                true => numbers(v, &start_name(v)),
                false => numbers(v, &identifier(&v.name)),
            }
        })
        .collect();
    let texts: Vec<String> = (lists.texts.iter())
        .map(|&k| identifier(&d.variables[k].name))
        .collect();
    let texts = match texts.is_empty() {
        true => "fill(\"\", 0)".to_owned(),
        false => list(&texts),
    };
    let unit = format!(
        "Ferrica.FMU.Unit({}, {}, {}, {}, {:e}, {}, {texts})",
        quoted(wish.file),
        quoted(&d.token),
        quoted(&name),
        wish.exchange,
        d.tolerance.unwrap_or(1e-6),
        list(&given),
    );
    match wish.exchange {
        true => exchange(&mut out, d, &lists, &unit),
        false => steps(&mut out, d, &lists, &unit, wish.together),
    }
    let mut experiment = Vec::new();
    for (word, x) in [
        ("StartTime", d.start),
        ("StopTime", d.stop),
        ("Tolerance", d.tolerance),
        ("Interval", d.step),
    ] {
        experiment.extend(x.map(|x| format!("{word}={x:?}")));
    }
    let info = documentation(d);
    let _ = writeln!(
        out,
        "  annotation(Documentation(info={}){});\nend {name};",
        quoted(&info),
        match experiment.is_empty() {
            true => String::new(),
            false => format!(", experiment({})", experiment.join(", ")),
        }
    );
    Ok(out)
}

fn documentation(d: &Description) -> String {
    let escape = |s: &str| {
        s.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let mut info = format!(
        "<html><p>{}</p><p>From the FMU <code>{}</code>",
        escape(&d.description),
        escape(&d.name)
    );
    for (word, text) in [("by", &d.author), ("made with", &d.tool)] {
        if !text.is_empty() {
            let _ = write!(info, " {word} {}", escape(text));
        }
    }
    info.push_str(".</p></html>");
    info
}

/// Inputs as a list of numbers.
fn inputs(d: &Description, wanted: &[usize]) -> String {
    let all = wanted.iter().flat_map(|&k| {
        let v = &d.variables[k];
        numbers(v, &identifier(&v.name))
    });
    list(&all.collect::<Vec<_>>())
}

/// Magnitudes of the states, where the description tells them.
fn nominals(d: &Description) -> String {
    let known = size(d, &d.state_variables) == d.states && d.states > 0;
    let mut states = d.state_variables.iter().map(|&k| &d.variables[k]);
    if !known || states.all(|v| v.nominal.is_none()) {
        return String::new();
    }
    let each: Vec<String> = (d.state_nominals().iter())
        .map(|n| format!("{n:?}"))
        .collect();
    format!("(nominal={})", list(&each))
}

fn exchange(out: &mut String, d: &Description, lists: &Lists, unit: &str) {
    let (nx, nz, nd) = (d.states, d.indicators, size(d, &lists.discrete));
    let u = inputs(d, &lists.inputs);
    let nominal = nominals(d);
    let _ = writeln!(
        out,
        "protected\n  Ferrica.FMU.Unit 'fmu' = {unit} \"Instance\";\n  \
         Real 'fmu.x'[{nx}]{nominal} \"States\";\n  discrete Real 'fmu.xn'[{nx}] \"States after an event\";\n  \
         Real 'fmu.z'[{nz}] \"Event indicators\";\n  Boolean 'fmu.positive'[{nz}] \"Their signs\";\n  \
         discrete Real 'fmu.d'[{nd}] \"Discrete values\";\n  discrete Real 'fmu.next' \"Time of the next event\";\n  \
         discrete Real 'fmu.end'(start=0) \"1 where the FMU ends the run\";\n  \
         Integer 'fmu.events'(start=0, fixed=true) \"Events so far\";"
    );
    for (k, group) in lists.groups.iter().enumerate() {
        let n = size(d, &group.variables);
        let _ = writeln!(out, "  Real 'fmu.v{}'[{n}] \"Values\";", k + 1);
    }
    let _ = writeln!(
        out,
        "initial equation\n  ('fmu.x', 'fmu.next', 'fmu.end', 'fmu.d') = Ferrica.FMU.start('fmu', time, {u}, {nx}, {nd});\nequation"
    );
    let point = "'fmu', pre('fmu.events'), time, 'fmu.x'";
    if nx > 0 {
        let _ = writeln!(
            out,
            "  der('fmu.x') = Ferrica.FMU.derivatives({point}, {u});"
        );
    }
    if nz > 0 {
        let _ = writeln!(
            out,
            "  'fmu.z' = Ferrica.FMU.indicators({point}, {u}, {nz});"
        );
    }
    let mut causes = vec!["time >= pre('fmu.next')".to_owned()];
    let mut sides = Vec::new();
    for k in 1..=nz {
        let now = format!("'fmu.positive'[{k}]");
        sides.push(format!(
            "if {now} == pre({now}) then 0.0 elseif {now} then 1.0 else -1.0"
        ));
        let _ = writeln!(out, "  'fmu.positive'[{k}] = 'fmu.z'[{k}] > 0;");
        causes.push(format!("change('fmu.positive'[{k}])"));
    }
    for &k in &lists.inputs {
        let v = &d.variables[k];
        if !lists.is_continuous(v) {
            let all = elements(&identifier(&v.name), &v.dims).into_iter();
            causes.extend(all.map(|e| format!("change({e})")));
        }
    }
    let _ = writeln!(
        out,
        "  when {{{}}} then\n    'fmu.events' = pre('fmu.events') + 1;\n    \
         ('fmu.xn', 'fmu.next', 'fmu.end', 'fmu.d') = Ferrica.FMU.event({point}, {u}, {nd}, {});",
        causes.join(", "),
        list(&sides)
    );
    for k in 1..=nx {
        let _ = writeln!(out, "    reinit('fmu.x'[{k}], 'fmu.xn'[{k}]);");
    }
    out.push_str("  end when;\n");
    out.push_str(END);
    taken(out, d, &lists.discrete, "'fmu.d'");
    for (k, group) in lists.groups.iter().enumerate() {
        let u = inputs(d, &group.inputs);
        let n = size(d, &group.variables);
        let k = k + 1;
        let _ = writeln!(
            out,
            "  'fmu.v{k}' = Ferrica.FMU.values({point}, {u}, {k}, {n});"
        );
        taken(out, d, &group.variables, &format!("'fmu.v{k}'"));
    }
}

const END: &str =
    "  when 'fmu.end' > 0.5 then\n    terminate(\"the FMU ends the run\");\n  end when;\n";

/// Communication steps of a run, where the FMU does not say how long they are.
const STEPS_OF_A_RUN: f64 = 500.0;

fn steps(
    out: &mut String,
    d: &Description,
    lists: &Lists,
    unit: &str,
    together: Option<(&str, &str)>,
) {
    let (nu, nv) = (size(d, &lists.inputs), size(d, &lists.discrete));
    let u = inputs(d, &lists.inputs);
    let start = d.start.unwrap_or(0.0);
    let span = d.stop.map_or(1.0, |stop| stop - start);
    let step = d.step.unwrap_or(span / STEPS_OF_A_RUN);
    let (member, begun, held, done) = match together {
        None => (
            String::new(),
            format!("Ferrica.FMU.step('fmu', time, {u}, {nv})"),
            u.clone(),
            format!("Ferrica.FMU.step('fmu', time, pre('fmu.u'), {nv})"),
        ),
        Some((name, links)) => (
            format!(
                "  outer parameter Ferrica.FMU.Master 'master' \"Leads all units\";\n  \
                 parameter Integer 'fmu.member' = Ferrica.FMU.join('master', 'fmu', {}, {links}) \"Number of the unit\";\n",
                quoted(name)
            ),
            format!("Ferrica.FMU.begin('fmu', time, {nv})"),
            match nu {
                0 => u.clone(),
                _ => format!("Ferrica.FMU.hold('master', 'fmu.member', {u})"),
            },
            format!("Ferrica.FMU.advance('master', 'fmu.member', 'fmu', time, pre('fmu.u'), {nv})"),
        ),
    };
    let _ = writeln!(
        out,
        "  parameter Real 'communication step'(unit=\"s\") = {step:?} \"Time between two exchanges with the FMU\";\n  \
         parameter Real 'first exchange'(unit=\"s\") = {start:?} \"Time of the first exchange\";\n\
         protected\n  parameter Ferrica.FMU.Unit 'fmu' = {unit} \"Instance\";\n{member}  \
         discrete Real 'fmu.u'[{nu}] \"Inputs until the next exchange\";\n  \
         discrete Real 'fmu.v'[{nv}] \"Values\";\n  discrete Real 'fmu.end'(start=0) \"1 where the FMU ends the run\";\n\
         initial equation\n  ('fmu.end', 'fmu.v') = {begun};\n  'fmu.u' = {held};\n\
         equation\n  when sample('first exchange', 'communication step') then\n    \
         'fmu.u' = {held};\n    ('fmu.end', 'fmu.v') = {done};\n  end when;"
    );
    out.push_str(END);
    taken(out, d, &lists.discrete, "'fmu.v'");
}
