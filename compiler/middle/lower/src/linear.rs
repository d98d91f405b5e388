//! Linear algebra: products, constructors, transposes, determinants, inverses. Matrices are lists
//! of columns.

use ir::Value;
use program::{BinaryOp, Scalar, TypeId};

use crate::error::LowerError;
use crate::lowerer::Lowerer;
use crate::value::Val;

impl Lowerer<'_, '_> {
    /// Matrix and vector products; those of float16_t are summed in float.
    pub(crate) fn linear(
        &mut self,
        op: BinaryOp,
        a: &Val,
        b: &Val,
        ty: TypeId,
    ) -> Result<Val, LowerError> {
        if self.scalar_of(ty)? != Scalar::Float16 {
            return self.products(op, a, b);
        }
        let (a, b) = (self.widened(a)?, self.widened(b)?);
        self.products(op, &a, &b)?.try_map(&mut |v| Ok(self.builder.f2f16(v)))
    }

    fn products(&mut self, op: BinaryOp, a: &Val, b: &Val) -> Result<Val, LowerError> {
        match op {
            BinaryOp::MatrixTimesVector => {
                let vector = b.leaf()?;
                Ok(self.matrix_times_vector(a.list()?, vector)?.into())
            }
            BinaryOp::VectorTimesMatrix => {
                let vector = a.leaf()?;
                let mut sums = Vec::new();
                for column in b.list()? {
                    let column = column.leaf()?;
                    sums.push(self.sum_of_products(vector, column));
                }
                Ok(self.builder.vec(&sums).into())
            }
            _ => {
                let columns = b.list()?.iter().map(|column| {
                    let column = column.leaf()?;
                    Ok(self.matrix_times_vector(a.list()?, column)?.into())
                });
                Ok(Val::List(columns.collect::<Result<_, LowerError>>()?))
            }
        }
    }

    /// Σ columnᵢ · vectorᵢ, from the first column on.
    fn matrix_times_vector(&mut self, columns: &[Val], vector: Value) -> Result<Value, LowerError> {
        let mut sum: Option<Value> = None;
        for (i, column) in columns.iter().enumerate() {
            let factor = self.builder.channel(vector, i as u8);
            let product = self.builder.fmul(column.leaf()?, factor);
            sum = Some(match sum {
                Some(so_far) => self.builder.fadd(so_far, product),
                None => product,
            });
        }
        sum.ok_or(LowerError::Malformed("matrix without columns"))
    }

    /// Σ aᵢ · bᵢ, from the first component on.
    fn sum_of_products(&mut self, a: Value, b: Value) -> Value {
        let product = self.builder.fmul(a, b);
        let products = self.builder.channels(product);
        let first = products[0];
        products[1..].iter().fold(first, |sum, &p| self.builder.fadd(sum, p))
    }

    /// Matrix with a value on its diagonal.
    pub(crate) fn diagonal_matrix(&mut self, ty: TypeId, value: Value) -> Result<Val, LowerError> {
        let (columns, rows) = self.types.shape(ty).ok_or(LowerError::Malformed("not a matrix"))?;
        let zero = self.builder.zero(self.builder.shader.bits(value), 1);
        let column = |l: &mut Self, c: u8| {
            let scalars: Vec<Value> =
                (0..rows).map(|r| if r == c { value } else { zero }).collect();
            Val::from(l.builder.vec(&scalars))
        };
        Ok(Val::List((0..columns).map(|c| column(self, c)).collect()))
    }

    /// Matrix of another shape: the common part, the rest from the identity.
    pub(crate) fn resize_matrix(&mut self, ty: TypeId, from: &Val) -> Result<Val, LowerError> {
        let (columns, rows) = self.types.shape(ty).ok_or(LowerError::Malformed("not a matrix"))?;
        let source = from.list()?;
        let scalar = self.scalar_of(ty)?;
        let (zero, one) = (self.number(scalar, 0.0), self.number(scalar, 1.0));
        let mut result = Vec::new();
        for c in 0..columns {
            let old = source.get(usize::from(c)).map(Val::leaf).transpose()?;
            let old = old.map(|v| self.builder.channels(v)).unwrap_or_default();
            let scalars: Vec<Value> = (0..rows)
                .map(|r| {
                    old.get(usize::from(r)).copied().unwrap_or(if r == c { one } else { zero })
                })
                .collect();
            result.push(self.builder.vec(&scalars).into());
        }
        Ok(Val::List(result))
    }

    /// All elements, column by column.
    fn elements(&mut self, matrix: &Val) -> Result<Vec<Vec<Value>>, LowerError> {
        matrix.list()?.iter().map(|c| Ok(self.builder.channels(c.leaf()?).to_vec())).collect()
    }

    fn matrix_of(&mut self, columns: &[Vec<Value>]) -> Val {
        Val::List(columns.iter().map(|c| self.builder.vec(c).into()).collect())
    }

    /// Rows become columns.
    pub(crate) fn transpose(&mut self, matrix: &Val) -> Result<Val, LowerError> {
        let m = self.elements(matrix)?;
        let rows = m.first().map_or(0, Vec::len);
        let flipped: Vec<Vec<Value>> =
            (0..rows).map(|r| m.iter().map(|column| column[r]).collect()).collect();
        Ok(self.matrix_of(&flipped))
    }

    /// cᵢ · rⱼ in column j, row i.
    pub(crate) fn outer_product(&mut self, column: Value, row: Value) -> Val {
        let factors = self.builder.channels(row);
        Val::List(factors.into_iter().map(|f| self.builder.fmul(column, f).into()).collect())
    }

    /// Determinant by expansion along the first row.
    pub(crate) fn determinant(&mut self, matrix: &Val) -> Result<Value, LowerError> {
        let m = self.elements(matrix)?;
        Ok(self.determinant_of(&m))
    }

    fn determinant_of(&mut self, m: &[Vec<Value>]) -> Value {
        if m.len() == 1 {
            return m[0][0];
        }
        if m.len() == 2 {
            let main = self.builder.fmul(m[0][0], m[1][1]);
            let other = self.builder.fmul(m[1][0], m[0][1]);
            return self.builder.fsub(main, other);
        }
        let mut sum: Option<Value> = None;
        for c in 0..m.len() {
            let minor = self.minor(m, c, 0);
            let minor = self.determinant_of(&minor);
            let term = self.builder.fmul(m[c][0], minor);
            sum = Some(match sum {
                None => term,
                Some(so_far) if c % 2 == 0 => self.builder.fadd(so_far, term),
                Some(so_far) => self.builder.fsub(so_far, term),
            });
        }
        sum.unwrap_or(m[0][0])
    }

    fn minor(&self, m: &[Vec<Value>], column: usize, row: usize) -> Vec<Vec<Value>> {
        let without_row = |c: &Vec<Value>| {
            c.iter().enumerate().filter(|&(r, _)| r != row).map(|(_, &v)| v).collect::<Vec<Value>>()
        };
        m.iter().enumerate().filter(|&(c, _)| c != column).map(|(_, c)| without_row(c)).collect()
    }

    /// Adjugate divided by the determinant.
    pub(crate) fn inverse(&mut self, matrix: &Val) -> Result<Val, LowerError> {
        let m = self.elements(matrix)?;
        let n = m.len();
        let mut cofactors = vec![Vec::with_capacity(n); n];
        for (c, column) in cofactors.iter_mut().enumerate() {
            for r in 0..n {
                // Element (column c, row r) of the inverse is the cofactor of column r, row c.
                let minor = self.minor(&m, r, c);
                let value = self.determinant_of(&minor);
                column.push(if (r + c) % 2 == 0 { value } else { self.builder.fneg(value) });
            }
        }
        // The determinant from the cofactors of the first row: Σ m[k][0] · adj[0][k].
        let mut determinant = self.builder.fmul(m[0][0], cofactors[0][0]);
        for k in 1..n {
            let term = self.builder.fmul(m[k][0], cofactors[0][k]);
            determinant = self.builder.fadd(determinant, term);
        }
        let adjugate = self.matrix_of(&cofactors);
        adjugate.try_map(&mut |column| Ok(self.builder.fdiv(column, determinant)))
    }
}
