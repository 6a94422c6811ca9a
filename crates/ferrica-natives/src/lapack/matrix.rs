//! Dense matrices, row by row.

use std::ops::{Index, IndexMut};

use crate::call::Call;

#[derive(Clone, Debug, PartialEq)]
pub struct Mat {
    pub rows: usize,
    pub columns: usize,
    pub data: Vec<f64>,
}

impl Index<(usize, usize)> for Mat {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Mat {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.columns + j]
    }
}

impl Mat {
    pub fn new(rows: usize, columns: usize, data: Vec<f64>) -> Mat {
        debug_assert_eq!(data.len(), rows * columns);
        Mat {
            rows,
            columns,
            data,
        }
    }

    pub fn zeros(rows: usize, columns: usize) -> Mat {
        Mat::new(rows, columns, vec![0.0; rows * columns])
    }

    pub fn identity(n: usize) -> Mat {
        let mut m = Mat::zeros(n, n);
        for i in 0..n {
            m[(i, i)] = 1.0;
        }
        m
    }

    /// Argument k; a vector is a column.
    pub fn read(call: &dyn Call, k: usize) -> Result<Mat, String> {
        let (rows, columns) = match call.dims(k)?[..] {
            [r, c] => (r, c),
            [n] => (n, 1),
            _ => return Err(format!("argument {} is not a matrix", k + 1)),
        };
        Ok(Mat::new(rows, columns, call.array(k)?.to_vec()))
    }

    pub fn read_square(call: &dyn Call, k: usize) -> Result<Mat, String> {
        let m = Mat::read(call, k)?;
        if m.rows == m.columns {
            Ok(m)
        } else {
            Err(format!("argument {} is not a square matrix", k + 1))
        }
    }

    pub fn write(&self, call: &mut dyn Call, k: usize) -> Result<(), String> {
        call.fill(k, &self.data)
    }

    pub fn transposed(&self) -> Mat {
        let mut t = Mat::zeros(self.columns, self.rows);
        for i in 0..self.rows {
            for j in 0..self.columns {
                t[(j, i)] = self[(i, j)];
            }
        }
        t
    }

    pub fn times(&self, other: &Mat) -> Mat {
        let mut m = Mat::zeros(self.rows, other.columns);
        for i in 0..self.rows {
            for k in 0..self.columns {
                let a = self[(i, k)];
                if a != 0.0 {
                    for j in 0..other.columns {
                        m[(i, j)] += a * other[(k, j)];
                    }
                }
            }
        }
        m
    }

    /// Rows and columns of the half-open ranges.
    pub fn block(&self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Mat {
        let data = rows
            .clone()
            .flat_map(|i| columns.clone().map(move |j| (i, j)))
            .map(|at| self[at])
            .collect();
        Mat::new(rows.len(), columns.len(), data)
    }

    pub fn swap_rows(&mut self, i: usize, j: usize) {
        for k in 0..self.columns {
            self.data.swap(i * self.columns + k, j * self.columns + k);
        }
    }

    /// Largest column sum of magnitudes.
    pub fn norm_1(&self) -> f64 {
        (0..self.columns)
            .map(|j| (0..self.rows).map(|i| self[(i, j)].abs()).sum())
            .fold(0.0, f64::max)
    }

    pub fn norm_frobenius(&self) -> f64 {
        self.data.iter().fold(0.0, |n, x| f64::hypot(n, *x))
    }
}
