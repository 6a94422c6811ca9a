//! Tables over two arguments.
//!
//! The matrix has u₂ in its first row, u₁ in its first column. A table with one row or one column of
//! values depends on the other argument only. Smooth tables are Akima's bivariate surfaces (Commun.
//! ACM 17 (1974) 18): on each cell the bicubic with the values, slopes and twists of its corners.
//! Beyond the table, a surface goes on along its slopes at the nearest point of the table:
//! z + z₁ δ₁ + z₂ δ₂ + z₁₂ δ₁ δ₂.

use super::{Extrapolation, Smoothness, find_towards, outside, spline, wrap};
use crate::data::Matrix;

/// Value and partial derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet2 {
    pub y: f64,
    pub d1: f64,
    pub d2: f64,
    pub d11: f64,
    pub d12: f64,
    pub d22: f64,
}

#[derive(Debug)]
pub struct Table2D {
    x1: Vec<f64>,
    x2: Vec<f64>,
    /// Row by row over x1.
    z: Vec<f64>,
    surface: Option<Surface>,
    constant: bool,
    extrapolation: Extrapolation,
}

/// Slopes and twists at the grid points.
#[derive(Debug)]
struct Surface {
    z1: Vec<f64>,
    z2: Vec<f64>,
    z12: Vec<f64>,
}

impl Table2D {
    pub fn new(
        matrix: &Matrix,
        smoothness: Smoothness,
        extrapolation: Extrapolation,
    ) -> Result<Table2D, String> {
        if matrix.rows < 2 || matrix.columns < 2 {
            return Err(format!(
                "a table of {} rows and {} columns cannot be interpolated in two dimensions: \
                 the first row and the first column are its arguments",
                matrix.rows, matrix.columns
            ));
        }
        let x1 = matrix.column(0)[1..].to_vec();
        let x2 = matrix.data[1..matrix.columns].to_vec();
        for (x, which) in [(&x1, "column"), (&x2, "row")] {
            if let Some(i) = (1..x.len()).find(|&i| x[i] <= x[i - 1]) {
                return Err(format!(
                    "the first {which} of the table is not strictly increasing: {} follows {}",
                    x[i],
                    x[i - 1]
                ));
            }
        }
        let z = (1..matrix.rows)
            .flat_map(|i| matrix.data[i * matrix.columns + 1..(i + 1) * matrix.columns].to_vec())
            .collect::<Vec<_>>();
        let small = x1.len() <= 2 && x2.len() <= 2;
        let surface = match smoothness {
            Smoothness::Akima if !small => Some(Surface::new(&x1, &x2, &z)),
            Smoothness::Linear | Smoothness::Constant | Smoothness::Akima => None,
            _ => {
                return Err(
                    "a table in two dimensions can be linear, constant or with continuous \
                     derivative; monotone and modified curves are for one dimension"
                        .to_string(),
                );
            }
        };
        Ok(Table2D {
            x1,
            x2,
            z,
            surface,
            constant: smoothness == Smoothness::Constant,
            extrapolation,
        })
    }

    pub fn abscissae(&self) -> [&[f64]; 2] {
        [&self.x1, &self.x2]
    }

    /// Row by row over the first argument.
    pub fn values(&self) -> &[f64] {
        &self.z
    }

    /// Of a smooth table at the same places: slopes along both arguments, twists.
    pub fn slopes(&self) -> Option<[&[f64]; 3]> {
        let s = self.surface.as_ref()?;
        Some([&s.z1, &s.z2, &s.z12])
    }

    pub fn is_constant(&self) -> bool {
        self.constant
    }

    pub fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    pub fn minimum(&self) -> [f64; 2] {
        [self.x1[0], self.x2[0]]
    }

    pub fn maximum(&self) -> [f64; 2] {
        [self.x1[self.x1.len() - 1], self.x2[self.x2.len() - 1]]
    }

    /// Value and derivatives. `direction`: how the arguments are moving, to choose a side on a
    /// grid line of a linear table.
    pub fn at(&self, u1: f64, u2: f64, direction: (f64, f64)) -> Result<Jet2, String> {
        let a = self.axis("u1", &self.x1, u1, direction.0)?;
        let b = self.axis("u2", &self.x2, u2, direction.1)?;
        let beyond = a.rest != 0.0 || b.rest != 0.0;
        if self.constant && !(beyond && self.extrapolation == Extrapolation::LastTwoPoints) {
            let (i, j) = (a.step(&self.x1), b.step(&self.x2));
            return Ok(Jet2 {
                y: self.z[i * self.x2.len() + j],
                ..Jet2::default()
            });
        }
        let mut jet = self.cell(&a, &b);
        if self.extrapolation == Extrapolation::Hold {
            if a.rest != 0.0 {
                (jet.d1, jet.d11, jet.d12) = (0.0, 0.0, 0.0);
            }
            if b.rest != 0.0 {
                (jet.d2, jet.d22, jet.d12) = (0.0, 0.0, 0.0);
            }
            return Ok(jet);
        }
        if beyond {
            jet = self.extend(jet, &a, &b);
        }
        Ok(jet)
    }

    fn axis(&self, name: &str, x: &[f64], u: f64, direction: f64) -> Result<Axis, String> {
        if x.len() == 1 {
            return Ok(Axis {
                i: 0,
                u: x[0],
                rest: 0.0,
            });
        }
        let (a, b) = (x[0], x[x.len() - 1]);
        let clamped = match self.extrapolation {
            Extrapolation::Periodic => wrap(x, u),
            Extrapolation::Forbidden if u < a || u > b => return Err(outside(name, u, a, b)),
            _ if u.is_nan() => return Err(format!("{name} is not a number")),
            _ => u.clamp(a, b),
        };
        let rest = if self.extrapolation == Extrapolation::Periodic {
            0.0
        } else {
            u - clamped
        };
        Ok(Axis {
            i: find_towards(x, clamped, if rest == 0.0 { direction } else { 0.0 }),
            u: clamped,
            rest,
        })
    }

    /// The cell's polynomial at a point of the table.
    fn cell(&self, a: &Axis, b: &Axis) -> Jet2 {
        let n2 = self.x2.len();
        let line = |i: usize, values: &[f64], slopes: Option<&[f64]>| {
            // Along u2 in row i: value, first, second derivative.
            if n2 == 1 {
                return [values[i], 0.0, 0.0];
            }
            let k = i * n2 + b.i;
            let h = self.x2[b.i + 1] - self.x2[b.i];
            let v = b.u - self.x2[b.i];
            match slopes {
                Some(s) => spline::hermite(h, (values[k], values[k + 1]), (s[k], s[k + 1]), v),
                None => {
                    let slope = (values[k + 1] - values[k]) / h;
                    [values[k] + slope * v, slope, 0.0]
                }
            }
        };
        let smooth = self.surface.as_ref();
        let y0 = line(a.i, &self.z, smooth.map(|s| &s.z2[..]));
        if self.x1.len() == 1 {
            return Jet2 {
                y: y0[0],
                d2: y0[1],
                d22: y0[2],
                ..Jet2::default()
            };
        }
        let y1 = line(a.i + 1, &self.z, smooth.map(|s| &s.z2[..]));
        let h = self.x1[a.i + 1] - self.x1[a.i];
        let v = a.u - self.x1[a.i];
        match smooth {
            Some(s) => {
                let s0 = line(a.i, &s.z1, Some(&s.z12));
                let s1 = line(a.i + 1, &s.z1, Some(&s.z12));
                // Each derivative along u2 is again a cubic along u1.
                let [p, q, r] =
                    [0, 1, 2].map(|m| spline::hermite(h, (y0[m], y1[m]), (s0[m], s1[m]), v));
                Jet2 {
                    y: p[0],
                    d1: p[1],
                    d11: p[2],
                    d2: q[0],
                    d12: q[1],
                    d22: r[0],
                }
            }
            None => {
                let w = v / h;
                Jet2 {
                    y: y0[0] + w * (y1[0] - y0[0]),
                    d1: (y1[0] - y0[0]) / h,
                    d2: y0[1] + w * (y1[1] - y0[1]),
                    d12: (y1[1] - y0[1]) / h,
                    ..Jet2::default()
                }
            }
        }
    }

    /// From the nearest point of the table along the slopes there.
    fn extend(&self, at: Jet2, a: &Axis, b: &Axis) -> Jet2 {
        // How the slope in the one direction changes along the other needs a difference of jets
        // only where the other coordinate is inside; there the polynomial gives it exactly.
        let mut jet = Jet2 {
            y: at.y + at.d1 * a.rest + at.d2 * b.rest + at.d12 * a.rest * b.rest,
            d1: at.d1 + at.d12 * b.rest,
            d2: at.d2 + at.d12 * a.rest,
            d12: at.d12,
            d11: 0.0,
            d22: 0.0,
        };
        if a.rest == 0.0 {
            let (_, d112) = self.third(a, b);
            jet.d11 = at.d11 + d112 * b.rest;
        } else if b.rest == 0.0 {
            let (d122, _) = self.third(a, b);
            jet.d22 = at.d22 + d122 * a.rest;
        }
        jet
    }

    /// Third mixed derivatives (1·2·2, 1·1·2) of the cell's polynomial, which is cubic in each
    /// argument, so that a central difference over the cell's own polynomial is exact for the
    /// derivative of a quadratic.
    fn third(&self, a: &Axis, b: &Axis) -> (f64, f64) {
        if self.surface.is_none() || self.x1.len() == 1 || self.x2.len() == 1 {
            return (0.0, 0.0);
        }
        let shifted = |axis: &Axis, by: f64| Axis {
            u: axis.u + by,
            ..*axis
        };
        let (h1, h2) = (
            0.5 * (self.x1[a.i + 1] - self.x1[a.i]),
            0.5 * (self.x2[b.i + 1] - self.x2[b.i]),
        );
        let d122 =
            (self.cell(a, &shifted(b, h2)).d12 - self.cell(a, &shifted(b, -h2)).d12) / (2.0 * h2);
        let d112 =
            (self.cell(&shifted(a, h1), b).d12 - self.cell(&shifted(a, -h1), b).d12) / (2.0 * h1);
        (d122, d112)
    }
}

/// A point on one axis: its segment, its place in the table, how far the argument is beyond.
#[derive(Clone, Copy, Debug)]
struct Axis {
    i: usize,
    u: f64,
    rest: f64,
}

impl Axis {
    /// The grid point whose value a step function has here.
    fn step(&self, x: &[f64]) -> usize {
        if x.len() > 1 && self.u >= x[self.i + 1] {
            self.i + 1
        } else {
            self.i
        }
    }
}

impl Surface {
    fn new(x1: &[f64], x2: &[f64], z: &[f64]) -> Surface {
        let (n1, n2) = (x1.len(), x2.len());
        if n1 == 1 || n2 == 1 {
            let x = if n1 == 1 { x2 } else { x1 };
            let s = spline::slopes(Smoothness::Akima, x, z).unwrap_or_else(|| {
                let d = (z[1] - z[0]) / (x[1] - x[0]);
                vec![d; z.len()]
            });
            let zero = vec![0.0; z.len()];
            let (z1, z2) = if n1 == 1 {
                (zero.clone(), s)
            } else {
                (s, zero.clone())
            };
            return Surface { z1, z2, z12: zero };
        }
        let (e1, e2) = (extend_abscissae(x1), extend_abscissae(x2));
        let m = n2 + 4;
        let mut e = vec![0.0; (n1 + 4) * m];
        for i in 0..n1 {
            let row = extend_values(&e2, &z[i * n2..(i + 1) * n2]);
            e[(i + 2) * m..(i + 3) * m].copy_from_slice(&row);
        }
        for j in 0..m {
            let column: Vec<f64> = (0..n1).map(|i| e[(i + 2) * m + j]).collect();
            for (i, value) in extend_values(&e1, &column).into_iter().enumerate() {
                e[i * m + j] = value;
            }
        }
        let mut s = Surface {
            z1: Vec::with_capacity(z.len()),
            z2: Vec::with_capacity(z.len()),
            z12: Vec::with_capacity(z.len()),
        };
        for i in 2..n1 + 2 {
            for j in 2..n2 + 2 {
                let along1 = |k: usize| (e[(k + 1) * m + j] - e[k * m + j]) / (e1[k + 1] - e1[k]);
                let along2 = |row: usize, k: usize| {
                    (e[row * m + k + 1] - e[row * m + k]) / (e2[k + 1] - e2[k])
                };
                let (z1, w1) = akima_slope([0, 1, 2, 3].map(|k| along1(i - 2 + k)));
                let (z2, w2) = akima_slope([0, 1, 2, 3].map(|k| along2(i, j - 2 + k)));
                // Differences of differences on the four cells around the point.
                let twist =
                    |r: usize, c: usize| (along2(r + 1, c) - along2(r, c)) / (e1[r + 1] - e1[r]);
                let z12 = (w1.0 * (w2.0 * twist(i - 1, j - 1) + w2.1 * twist(i - 1, j))
                    + w1.1 * (w2.0 * twist(i, j - 1) + w2.1 * twist(i, j)))
                    / ((w1.0 + w1.1) * (w2.0 + w2.1));
                s.z1.push(z1);
                s.z2.push(z2);
                s.z12.push(z12);
            }
        }
        s
    }
}

/// Slope and weights of the differences on the left and on the right.
fn akima_slope(d: [f64; 4]) -> (f64, (f64, f64)) {
    let w = ((d[3] - d[2]).abs(), (d[1] - d[0]).abs());
    let w = if w == (0.0, 0.0) { (1.0, 1.0) } else { w };
    ((w.0 * d[1] + w.1 * d[2]) / (w.0 + w.1), w)
}

/// Two abscissae more at each end, as far apart as the last ones are.
fn extend_abscissae(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    // With two points the distance is theirs, with more it is that of three.
    let (p, q) = if n == 2 {
        (2.0 * x[0] - x[1], 2.0 * x[1] - x[0])
    } else {
        (x[0] + x[1] - x[2], x[n - 1] + x[n - 2] - x[n - 3])
    };
    let (pp, qq) = if n == 2 {
        (3.0 * x[0] - 2.0 * x[1], 3.0 * x[1] - 2.0 * x[0])
    } else {
        (2.0 * x[0] - x[2], 2.0 * x[n - 1] - x[n - 3])
    };
    let mut e = vec![pp, p];
    e.extend_from_slice(x);
    e.extend([q, qq]);
    e
}

/// Two values more at each end, on the parabola of the last three.
fn extend_values(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = y.len();
    if n == 2 {
        let d = y[1] - y[0];
        return vec![
            y[0] - 2.0 * d,
            y[0] - d,
            y[0],
            y[1],
            y[1] + d,
            y[1] + 2.0 * d,
        ];
    }
    let mut e = vec![0.0; 2];
    e.extend_from_slice(y);
    e.extend([0.0; 2]);
    // Each further difference changes by as much as the last two differ.
    let next = |e: &[f64], a: usize, b: usize, c: usize, to: usize| {
        let (d1, d2) = ((e[b] - e[a]) / (x[b] - x[a]), (e[c] - e[b]) / (x[c] - x[b]));
        e[c] + (2.0 * d2 - d1) * (x[to] - x[c])
    };
    e[1] = next(&e, 4, 3, 2, 1);
    e[0] = next(&e, 3, 2, 1, 0);
    e[n + 2] = next(&e, n - 1, n, n + 1, n + 2);
    e[n + 3] = next(&e, n, n + 1, n + 2, n + 3);
    e
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(f: impl Fn(f64, f64) -> f64) -> Matrix {
        let (x1, x2) = ([0.0, 1.0, 2.5, 3.0, 4.0], [-1.0, 0.0, 0.5, 2.0]);
        let mut data = vec![0.0];
        data.extend(x2);
        for a in x1 {
            data.push(a);
            data.extend(x2.map(|b| f(a, b)));
        }
        Matrix {
            rows: 6,
            columns: 5,
            data,
        }
    }

    /// Bilinear surfaces are reproduced by every smooth kind, inside and beyond the table.
    #[test]
    fn a_bilinear_surface_is_exact() {
        let f = |a: f64, b: f64| 1.0 + 2.0 * a - 3.0 * b + 0.5 * a * b;
        for kind in [Smoothness::Linear, Smoothness::Akima] {
            let t = Table2D::new(&sampled(f), kind, Extrapolation::LastTwoPoints).unwrap();
            for (u1, u2) in [(0.3, 0.2), (2.7, 1.9), (-1.0, 0.1), (5.0, 3.0), (1.2, -4.0)] {
                let j = t.at(u1, u2, (1.0, 1.0)).unwrap();
                assert!((j.y - f(u1, u2)).abs() < 1e-12, "{kind:?} {u1} {u2}");
                assert!((j.d1 - (2.0 + 0.5 * u2)).abs() < 1e-12);
                assert!((j.d2 - (-3.0 + 0.5 * u1)).abs() < 1e-12);
                assert!((j.d12 - 0.5).abs() < 1e-12 && j.d11.abs() < 1e-10);
            }
        }
    }

    /// Derivatives against central differences of the values.
    #[test]
    fn derivatives_are_those_of_the_surface() {
        let f = |a: f64, b: f64| (a * 0.7).sin() * (1.0 + b * b);
        let t = Table2D::new(&sampled(f), Smoothness::Akima, Extrapolation::LastTwoPoints).unwrap();
        let h = 1e-5;
        for (u1, u2) in [(0.3, 0.2), (2.7, 1.1), (-1.0, 0.1), (5.0, 3.0), (1.2, -4.0)] {
            let at = |a, b| t.at(a, b, (1.0, 1.0)).unwrap();
            let j = at(u1, u2);
            let (r, l) = (at(u1 + h, u2), at(u1 - h, u2));
            let (o, u) = (at(u1, u2 + h), at(u1, u2 - h));
            assert!((j.d1 - (r.y - l.y) / (2.0 * h)).abs() < 1e-7);
            assert!((j.d2 - (o.y - u.y) / (2.0 * h)).abs() < 1e-7);
            assert!((j.d11 - (r.d1 - l.d1) / (2.0 * h)).abs() < 1e-7);
            assert!((j.d12 - (o.d1 - u.d1) / (2.0 * h)).abs() < 1e-7);
            assert!((j.d22 - (o.d2 - u.d2) / (2.0 * h)).abs() < 1e-7);
        }
    }

    /// A table with one row of values is a curve over u2: the same numbers as in one dimension.
    #[test]
    fn one_row_is_a_curve() {
        let y = [1.0, 3.0, 2.0, 6.0];
        let mut data = vec![0.0, 0.0, 1.0, 3.0, 4.0, 7.0];
        data.extend(y);
        let m = Matrix {
            rows: 2,
            columns: 5,
            data,
        };
        let t = Table2D::new(&m, Smoothness::Akima, Extrapolation::LastTwoPoints).unwrap();
        let x = [0.0, 1.0, 3.0, 4.0];
        let curve = spline::Curve::new(Smoothness::Akima, &x, y.to_vec());
        for u in [0.4, 2.0, 3.9] {
            let expected = curve.inside(&x, super::super::find(&x, u), u);
            let j = t.at(100.0, u, (0.0, 0.0)).unwrap();
            assert!((j.y - expected[0]).abs() < 1e-14 && (j.d2 - expected[1]).abs() < 1e-14);
            assert_eq!(j.d1, 0.0);
        }
        assert!((t.at(0.0, 5.0, (0.0, 0.0)).unwrap().y - curve.beyond(&x, 5.0)[0]).abs() < 1e-14);
    }

    #[test]
    fn steps_hold_to_the_upper_side() {
        let t = Table2D::new(
            &sampled(|a, b| 10.0 * a + b),
            Smoothness::Constant,
            Extrapolation::Hold,
        )
        .unwrap();
        let y = |a, b| t.at(a, b, (0.0, 0.0)).unwrap().y;
        assert_eq!(y(1.5, 0.2), 10.0);
        assert_eq!(y(4.0, 2.0), 42.0);
        assert_eq!(y(9.0, -5.0), 39.0);
    }
}
