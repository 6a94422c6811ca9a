//! The text of one formula of a step: the iteration over what is left after elimination.

use ferrica_codegen::c::expression::literal;
use ferrica_codegen::c::text::{list, nested};

use super::writer::Writer;
use crate::causal::fused::settles_at_once;
use crate::causal::reduction::Reduction;
use crate::method::Ending;
use crate::step::CONVERGED;

impl Writer<'_> {
    pub(super) fn formula(&self, k: usize, r: &Reduction) -> String {
        let m = r.rest();
        if m == 0 {
            return self.named(&format!(
                "static int @N@_formula{k}(double *s)\n{{\n    return @N@_end{k}(s);\n}}\n\n"
            ));
        }
        let x = &self.causal.extra;
        let pattern = r.lu.pattern();
        let mut dense = vec![0.0; m * m];
        let mut place = Vec::new();
        for (e, (row, col)) in pattern.entries().enumerate() {
            dense[row * m + col] = r.constant[e];
            if r.varying_positions.contains(&(e as u32)) {
                place.push((row * m + col, x.matrix as usize + e));
            }
        }
        let solves = r.code.as_ref().is_some_and(|c| c.solves);
        let at_once = settles_at_once(&self.causal.plan);
        let residual = match self.options.residual_tolerance {
            tolerance if tolerance > 0.0 && !at_once => format!(
                "        i = 0;\n        while (i < @M@ && fabs(s[@RIGHT@ + i]) <= {}) {{\n            i++;\n        }}\n        \
                 if (round > 0 && i == @M@) {{\n            for (i = 0; i < @M@; i++) {{\n                s[@DELTA@ + i] = 0.0;\n            }}\n            \
                 break;\n        }}\n",
                literal(tolerance)
            ),
            _ => String::new(),
        };
        let judged = self.options.until_converged && !at_once;
        let measured = "correction = 0.0;\n        for (i = 0; i < @M@; i++) {\n            \
             const double y = fabs(s[@N@_rest@K@[i]] - s[@CHANGE@ + i]);\n            \
             correction = fmax(correction, fabs(s[@DELTA@ + i]) / fmax(y, 1.0));\n        }\n";
        let only = |wanted: bool, text: &str| if wanted { text } else { "" }.to_string();
        let fill = [
            ("@CONSTANT@", list(dense.iter().map(|v| literal(*v)))),
            (
                "@VARYING@",
                nested(place.iter().map(|(a, b)| format!("{{ {a}, {b} }}"))),
            ),
            (
                "@REST_TABLE@",
                match !at_once {
                    true => format!(
                        "static const unsigned @N@_rest@K@[] = {{ {} }};\n",
                        list(r.slot_at[r.e.rank..].iter())
                    ),
                    false => String::new(),
                },
            ),
            (
                "@CORRECTION@",
                only(!at_once, "    double correction = 0.0;\n"),
            ),
            ("@RESIDUAL@", residual),
            (
                "@SEARCHED@",
                match solves {
                    true => format!("!(fabs(s[{}]) > 0.0)", x.trusted),
                    false => "1".to_string(),
                },
            ),
            (
                "@CONSTANT_ROWS@",
                match r.has_constant_rows {
                    true => format!(
                        "        if (round == 0) {{\n            for (i = 0; i < @M@; i++) {{\n                s[{} + i] = 0.0;\n            }}\n        }}\n",
                        x.constant_right
                    ),
                    false => String::new(),
                },
            ),
            (
                "@JUDGED@",
                match judged {
                    true => format!(
                        "        {measured}        if (correction <= {}) {{\n            break;\n        }}\n",
                        literal(Ending::NEGLIGIBLE)
                    ),
                    false => String::new(),
                },
            ),
            (
                "@LAST@",
                match (at_once, judged) {
                    (true, _) => String::new(),
                    (false, true) => {
                        format!("    s[{}] = correction;\n", self.p.ev.slots.len())
                    }
                    (false, false) => format!(
                        "    if (e == 0) {{\n        {measured}    }}\n    s[{}] = correction;\n",
                        self.p.ev.slots.len()
                    ),
                },
            ),
            (
                "@CONVERGED@",
                match judged {
                    true => format!(
                        "    if (e == 0 && !(correction <= {})) {{\n        e = @UPPER@_NOT_CONVERGED;\n    }}\n",
                        literal(CONVERGED)
                    ),
                    false => String::new(),
                },
            ),
            ("@N_VARYING@", place.len().to_string()),
            (
                "@ROUNDS@",
                self.causal.plan.rounds(self.options.iterations).to_string(),
            ),
            (
                "@BEFORE@",
                if solves { x.previous } else { x.change }.to_string(),
            ),
            ("@CHANGE@", x.change.to_string()),
            ("@DELTA@", x.delta.to_string()),
            ("@RIGHT@", x.rest_right.to_string()),
            ("@MM@", (m * m).to_string()),
            ("@M@", m.to_string()),
            ("@K@", k.to_string()),
        ];
        let mut text = include_str!("c/formula.c").to_string();
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        self.named(&text)
    }
}
