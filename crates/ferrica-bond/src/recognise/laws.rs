//! One-port laws from impedances over several frequencies.

use super::Law;
use crate::graph::{Domain, Kind};
use crate::linear::{Matrix, TOLERANCE};

/// Frequencies at which the relations are compared. The last one checks the fit.
pub const S: [f64; 4] = [0.7, 1.9, 3.3, 5.1];

/// The laws behind a·across + b·through = 0 at the frequencies [`S`], and whether they share the
/// flow. `unit` is the scale of across over that of through, `sigma` that of the frequency.
pub fn laws(
    pairs: &[(f64, f64)],
    domain: Domain,
    unit: f64,
    sigma: f64,
) -> Option<(Vec<Law>, bool)> {
    let zero_a = pairs.iter().all(|(a, _)| a.abs() < TOLERANCE);
    let zero_b = pairs.iter().all(|(_, b)| b.abs() < TOLERANCE);
    let flip = domain.common_is_flow();
    if zero_a || zero_b {
        // Only the through variable occurs: it is given. Only the across variable: that one is.
        let fixes_effort = zero_b != flip;
        let kind = if fixes_effort { Kind::Se } else { Kind::Sf };
        return Some((vec![Law { kind, value: None }], true));
    }
    // effort / flow.
    let z: Vec<f64> = pairs
        .iter()
        .map(|(a, b)| if flip { -a / b } else { -b / a })
        .collect();
    // Back from scaled variables.
    let unit = if flip { 1.0 / unit } else { unit };
    let scaled = |l: Law| Law {
        kind: l.kind,
        value: l.value.map(|v| match l.kind {
            Kind::I => v * unit / sigma,
            Kind::C => v / unit / sigma,
            _ => v * unit,
        }),
    };
    if let Some(l) = fit(&z) {
        return Some((l.into_iter().map(scaled).collect(), true));
    }
    let y: Vec<f64> = z.iter().map(|v| 1.0 / v).collect();
    fit(&y).map(|l| {
        let dual = l
            .into_iter()
            .map(|l| match l.kind {
                Kind::R => Law {
                    kind: Kind::R,
                    value: l.value.map(|v| 1.0 / v),
                },
                Kind::I => Law {
                    kind: Kind::C,
                    value: l.value,
                },
                _ => Law {
                    kind: Kind::I,
                    value: l.value,
                },
            })
            .map(scaled)
            .collect();
        (dual, false)
    })
}

/// z(s) = r + l·s + 1/(c·s), checked at the last frequency.
fn fit(z: &[f64]) -> Option<Vec<Law>> {
    let mut m = Matrix {
        rows: (0..3).map(|k| vec![1.0, S[k], 1.0 / S[k], z[k]]).collect(),
    };
    m.reduce();
    let [r, l, c] = [m.rows.first()?[3], m.rows.get(1)?[3], m.rows.get(2)?[3]];
    let last = S[3];
    let scale = z.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    if (r + l * last + c / last - z[3]).abs() > 1e-6 * scale {
        return None;
    }
    let mut out = Vec::new();
    if r.abs() > 1e-7 * scale {
        out.push(Law {
            kind: Kind::R,
            value: Some(r),
        });
    }
    if l.abs() * last > 1e-7 * scale {
        out.push(Law {
            kind: Kind::I,
            value: Some(l),
        });
    }
    if c.abs() / S[0] > 1e-7 * scale {
        out.push(Law {
            kind: Kind::C,
            value: Some(1.0 / c),
        });
    }
    Some(out)
}
