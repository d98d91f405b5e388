//! Byte offsets in blocks by the rules of OpenGL 4.6 section 7.6.2.2, with 16-bit types of two
//! basic machine units.

use crate::value::{Scalar, Type};

/// `std140` or `std430`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// Arrays, structures and matrices are aligned to 16 bytes.
    Std140,
    /// They are aligned as their parts.
    Std430,
}

/// A member of a block or structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A scalar, vector or matrix.
    Value(Type),
    /// Elements of one kind.
    Array(Box<Item>, usize),
    /// Members in order.
    Structure(Vec<Item>),
}

/// Layout rules and matrix order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockLayout {
    /// Rules.
    pub rules: Rules,
    /// `row_major`.
    pub row_major: bool,
}

fn component_size(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Half | Scalar::Int16 | Scalar::Uint16 => 2,
        Scalar::Double | Scalar::Int64 | Scalar::Uint64 => 8,
        Scalar::Float | Scalar::Int | Scalar::Uint | Scalar::Bool => 4,
    }
}

/// Rules 1 to 3: a vector of three is aligned as one of four.
fn vector_alignment(scalar: Scalar, rows: usize) -> usize {
    component_size(scalar) * if rows == 3 { 4 } else { rows }
}

impl BlockLayout {
    fn aggregate(self, alignment: usize) -> usize {
        if self.rules == Rules::Std140 { alignment.next_multiple_of(16) } else { alignment }
    }

    /// Components of the vectors that a matrix is stored as.
    fn stored_rows(self, ty: Type) -> usize {
        if self.row_major { ty.columns } else { ty.rows }
    }

    /// Alignment of a member in bytes.
    pub fn alignment(self, item: &Item) -> usize {
        match item {
            Item::Value(ty) if ty.is_matrix() => {
                self.aggregate(vector_alignment(ty.scalar, self.stored_rows(*ty)))
            }
            Item::Value(ty) => vector_alignment(ty.scalar, ty.rows),
            Item::Array(element, _) => self.aggregate(self.alignment(element)),
            Item::Structure(members) => self
                .aggregate(members.iter().map(|member| self.alignment(member)).max().unwrap_or(1)),
        }
    }

    /// Bytes from an element of an array to the next.
    pub fn stride(self, element: &Item) -> usize {
        self.size(element).next_multiple_of(self.aggregate(self.alignment(element)))
    }

    /// Bytes of a member, the padding after arrays, structures and matrices included.
    pub fn size(self, item: &Item) -> usize {
        match item {
            Item::Value(ty) if ty.is_matrix() => {
                let vectors = if self.row_major { ty.rows } else { ty.columns };
                vectors * self.alignment(item)
            }
            Item::Value(ty) => component_size(ty.scalar) * ty.rows,
            Item::Array(element, count) => count * self.stride(element),
            Item::Structure(members) => {
                let end = members
                    .iter()
                    .zip(self.offsets(members))
                    .map(|(m, offset)| offset + self.size(m))
                    .next_back();
                end.unwrap_or(0).next_multiple_of(self.alignment(item))
            }
        }
    }

    /// Offset of each member.
    pub fn offsets(self, members: &[Item]) -> Vec<usize> {
        let mut next = 0usize;
        let place = |member: &Item| {
            let offset = next.next_multiple_of(self.alignment(member));
            next = offset + self.size(member);
            offset
        };
        members.iter().map(place).collect()
    }

    /// Offsets of the components of a value, in column-major order.
    pub fn components(self, ty: Type, offset: usize) -> Vec<usize> {
        let size = component_size(ty.scalar);
        let stride = self.alignment(&Item::Value(ty));
        let place = |i: usize| {
            let (column, row) = (i / ty.rows, i % ty.rows);
            match (ty.is_matrix(), self.row_major) {
                (false, _) => offset + size * row,
                (true, false) => offset + stride * column + size * row,
                (true, true) => offset + stride * row + size * column,
            }
        };
        (0..ty.components()).map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(scalar: Scalar, rows: usize) -> Item {
        Item::Value(Type::vector(scalar, rows))
    }

    fn array(item: Item, count: usize) -> Item {
        Item::Array(Box::new(item), count)
    }

    fn structure() -> Item {
        Item::Structure([1, 2, 3].map(|n| value(Scalar::Half, n)).to_vec())
    }

    /// The examples of GL_AMD_gpu_shader_half_float, issue 4.
    fn example() -> Vec<Item> {
        let matrix = Item::Value(Type::matrix(2, 3).with_scalar(Scalar::Half));
        let mut members = [1, 2, 3].map(|n| value(Scalar::Half, n)).to_vec();
        members.extend([array(value(Scalar::Half, 1), 2), matrix.clone(), array(matrix, 2)]);
        members.extend([structure(), array(structure(), 2)]);
        members
    }

    #[test]
    fn offsets_are_those_of_the_extension() {
        let std140 = BlockLayout { rules: Rules::Std140, row_major: false };
        assert_eq!(std140.offsets(&example()), [0, 4, 8, 16, 48, 80, 144, 160]);
        let Item::Structure(members) = structure() else { unreachable!() };
        assert_eq!(std140.offsets(&members), [0, 4, 8]);
        let std430 = BlockLayout { rules: Rules::Std430, row_major: true };
        assert_eq!(std430.offsets(&example()), [0, 4, 8, 14, 20, 32, 56, 72]);
        assert_eq!(std430.stride(&value(Scalar::Half, 1)), 2);
        assert_eq!(std140.stride(&value(Scalar::Half, 1)), 16);
        assert_eq!(std430.stride(&structure()), 16);
    }

    #[test]
    fn matrices_by_columns_and_rows() {
        let ty = Type::matrix(2, 3).with_scalar(Scalar::Half);
        let by_columns = BlockLayout { rules: Rules::Std430, row_major: false };
        assert_eq!(by_columns.components(ty, 8), [8, 10, 12, 16, 18, 20]);
        let by_rows = BlockLayout { rules: Rules::Std140, row_major: true };
        assert_eq!(by_rows.components(ty, 0), [0, 16, 32, 2, 18, 34]);
    }
}
