//! Names of the parts: that of the component most of whose equations are in it.

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
            None => part
                .blocks
                .iter()
                .flat_map(|&b| model.block_writes(&model.main, b))
                .find_map(|&w| model.variable(w))
                .map_or_else(
                    || format!("part{}", k + 1),
                    |v| model.source.vars[v].var.name.clone(),
                ),
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
