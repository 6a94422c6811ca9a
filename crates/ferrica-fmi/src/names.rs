//! Names as the structured naming convention of FMI has them: `motor.coil[2].i`, `der(x)`, `der(x,2)`.

/// Our name of a variable in that convention: a derivative of a derivative counts.
pub fn structured(name: &str) -> String {
    let (mut inner, mut order) = (name, 0);
    while let Some(rest) = inner.strip_prefix("der(").and_then(|r| r.strip_suffix(')')) {
        (inner, order) = (rest, order + 1);
    }
    match order {
        0 | 1 => name.to_owned(),
        n => format!("der({inner},{n})"),
    }
}

/// Does a name follow the convention?
pub fn is_structured(name: &str) -> bool {
    let inner = match name.strip_prefix("der(").and_then(|r| r.strip_suffix(')')) {
        None => name,
        Some(inner) => match inner.rsplit_once(',') {
            Some((x, n)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => x,
            _ => inner,
        },
    };
    let mut rest = inner;
    loop {
        rest = match component(rest) {
            Some(rest) => rest,
            None => return false,
        };
        match rest.strip_prefix('.') {
            Some(more) => rest = more,
            None => return rest.is_empty(),
        }
    }
}

/// Is it a name of the model itself, not of one of its components?
pub fn is_own(name: &str) -> bool {
    component(name) == Some("")
}

/// What follows an identifier with its indices.
fn component(text: &str) -> Option<&str> {
    let rest = if let Some(quoted) = text.strip_prefix('\'') {
        let mut escaped = false;
        let end = quoted.char_indices().find(|&(_, c)| {
            let is_end = c == '\'' && !escaped;
            escaped = c == '\\' && !escaped;
            is_end
        });
        &quoted[end?.0 + 1..]
    } else {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
        if length == 0 || text.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        &text[length..]
    };
    let Some(indices) = rest.strip_prefix('[') else {
        return Some(rest);
    };
    let (inside, rest) = indices.split_once(']')?;
    let is_number = |i: &str| !i.is_empty() && i.bytes().all(|b| b.is_ascii_digit());
    inside.split(',').all(is_number).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_count() {
        assert_eq!(structured("der(der(J.phi))"), "der(J.phi,2)");
        assert_eq!(structured("der(x)"), "der(x)");
        assert_eq!(structured("x"), "x");
    }

    /// Names of the standard's grammar, and others.
    #[test]
    fn what_is_structured() {
        for name in [
            "x",
            "a.b[1,2].c",
            "der(a.x[3])",
            "der(x,2)",
            "'a b\\'c'.d",
            "_u1",
        ] {
            assert!(is_structured(name), "{name}");
        }
        for name in ["", "1x", "a b", "a[i]", "a.", "der(der(x))", "a[1", "$x"] {
            assert!(!is_structured(name), "{name}");
        }
    }
}
