//! Systems of linear equations with a symmetric positive definite matrix.

/// The lower triangle whose product with its transpose is the matrix.
pub(super) struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// None if the matrix is not positive definite, up to rounding.
    pub(super) fn factor(matrix: &[Vec<f64>]) -> Option<Self> {
        let mut lower: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
        for (i, row) in matrix.iter().enumerate() {
            let mut own = Vec::with_capacity(i + 1);
            for j in 0..=i {
                let other = if j == i { &own } else { &lower[j] };
                let product: f64 = own.iter().zip(other).take(j).map(|(a, b)| a * b).sum();
                let rest = row[j] - product;
                if j < i {
                    own.push(rest / lower[j][j]);
                } else if rest > 1e-12 * row[i] {
                    own.push(rest.sqrt());
                } else {
                    return None;
                }
            }
            lower.push(own);
        }
        Some(Self(lower))
    }

    /// The solution of the equations with this right-hand side.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.0.len();
        let mut solved = right.to_vec();
        for i in 0..size {
            let known: f64 = (0..i).map(|j| self.0[i][j] * solved[j]).sum();
            solved[i] = (solved[i] - known) / self.0[i][i];
        }
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|j| self.0[j][i] * solved[j]).sum();
            solved[i] = (solved[i] - known) / self.0[i][i];
        }
        solved
    }

    /// The inverse of the matrix.
    pub(super) fn inverse(&self) -> Vec<Vec<f64>> {
        let size = self.0.len();
        let unit = |at: usize| (0..size).map(|i| f64::from(u8::from(i == at))).collect::<Vec<_>>();
        (0..size).map(|at| self.solve(&unit(at))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[4, 2], [2, 3]] has determinant 8, and the inverse [[3, -2], [-2, 4]] / 8.
    #[test]
    fn a_small_matrix_is_inverted() {
        let cholesky = Cholesky::factor(&[vec![4.0, 2.0], vec![2.0, 3.0]]).expect("definite");
        for (found, wanted) in cholesky.inverse().concat().iter().zip([0.375, -0.25, -0.25, 0.5]) {
            assert!((found - wanted).abs() < 1e-15);
        }
        assert!(Cholesky::factor(&[vec![1.0, 1.0], vec![1.0, 1.0]]).is_none(), "singular");
    }
}
