//! Names of the parts: that of the component most of whose equations are in it, else that of a variable in it.

use ferrica_codegen::model::CompiledModel;

use crate::parts::Partitions;

/// Echoes count, but give no part its name.
pub(crate) fn give_names(
    model: &CompiledModel,
    out: &mut Partitions,
    components: &[Vec<u32>],
    echoed: &[Vec<u32>],
) {
    let mut taken = std::collections::HashMap::new();
    for (k, part) in out.parts.iter_mut().enumerate() {
        part.equations = components[k].len() + echoed[k].len();
        // Components by top-level name, the most frequent first.
        let mut names: Vec<(String, usize)> = Vec::new();
        let own = components[k].iter().map(|&c| (c, 1000));
        for (c, weight) in own.chain(echoed[k].iter().map(|&c| (c, 1))) {
            let path = model
                .source
                .components
                .get(c as usize)
                .map_or("", |c| c.path.as_str());
            let top = top_level(path);
            match names.iter_mut().find(|n| n.0 == top) {
                Some(n) => n.1 += weight,
                None => names.push((top.to_string(), weight)),
            }
        }
        names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        part.components = names
            .into_iter()
            .map(|n| n.0)
            .filter(|n| !n.is_empty())
            .collect();
        let name = match part.components.first() {
            Some(first) => first.clone(),
            None => {
                let states = part.states.iter().map(|s| model.layout.states + s);
                let blocks = part.blocks.iter();
                let written = blocks.flat_map(|&b| model.block_writes(&model.main, b));
                let slots = states.chain(written.copied());
                let variables = slots.filter_map(|slot| model.variable(slot));
                let mut names = variables.map(|v| &model.source.vars[v].var.name);
                // Not one that the compiler made, if there is another.
                let first = names.clone().next();
                let name = names.find(|n| !n.starts_with('$')).or(first);
                name.map_or_else(|| format!("part{}", k + 1), String::clone)
            }
        };
        let count = taken.entry(name.clone()).or_insert(0usize);
        *count += 1;
        part.name = if *count == 1 {
            name
        } else {
            format!("{name}#{count}")
        };
    }
}

/// `a` of `a.b.c`; subscripts may hold dots.
pub(crate) fn top_level(path: &str) -> &str {
    let mut depth = 0;
    for (at, c) in path.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            '.' if depth == 0 => return &path[..at],
            _ => {}
        }
    }
    path
}
