//! Typed elements: offsets and sizes by the rules of std140 and std430 (GLSL 4.60, 7.6.2.2).

use std::sync::Arc;

use super::PART_LIMIT;
use crate::model::{Format, MemoryLayout, Numeric, Part};

/// A type of elements.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    /// A number, vector or matrix.
    Number(NumberType),
    /// A structure.
    Structure(Arc<Structure>),
}

/// A number, vector or matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberType {
    pub(crate) numeric: Numeric,
    /// Bits of a component: 8, 16, 32 or 64.
    pub(crate) bits: u32,
    /// 1 for numbers and vectors.
    pub(crate) columns: u32,
    /// Components of a column.
    pub(crate) rows: u32,
    /// The type was written with `[]`: elements of an array.
    pub(crate) array: bool,
    /// Rows, not columns, are contiguous.
    pub(crate) row_major: bool,
}

/// A structure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Structure {
    /// Bytes from one element to the next, if the script says so.
    pub(crate) stride: Option<u32>,
    pub(crate) members: Vec<StructureMember>,
    /// Levels of structures inside of this one.
    pub(crate) depth: u32,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub(crate) struct StructureMember {
    pub(crate) ty: Type,
    pub(crate) offset: Option<u32>,
    pub(crate) matrix_stride: Option<u32>,
}

/// Reasons why a type has no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayoutFault {
    /// More than [`PART_LIMIT`] values, or more than [`SIZE_LIMIT`] bytes.
    TooLarge,
    /// A member begins before the end of the one before it.
    Overlap,
    /// The stride is smaller than the members.
    Stride,
}

impl LayoutFault {
    pub(crate) fn message(self) -> &'static str {
        match self {
            LayoutFault::TooLarge => "too large type",
            LayoutFault::Overlap => "OFFSET before the end of the previous member",
            LayoutFault::Stride => "STRIDE smaller than the members",
        }
    }
}

/// Largest size of an element in bytes.
const SIZE_LIMIT: u64 = 1 << 20;

impl NumberType {
    pub(crate) fn scalar(numeric: Numeric, bits: u32) -> NumberType {
        NumberType { numeric, bits, columns: 1, rows: 1, array: false, row_major: false }
    }

    /// Components that are contiguous, and the number of such groups.
    fn vectors(self) -> (u32, u32) {
        if self.row_major && self.columns > 1 {
            (self.columns, self.rows)
        } else {
            (self.rows, self.columns)
        }
    }

    /// Alignment of a contiguous group: that of four components for three.
    fn vector_alignment(self, layout: MemoryLayout) -> u64 {
        let (length, count) = self.vectors();
        let components = if length == 3 { 4 } else { length };
        let natural = u64::from(components) * u64::from(self.bits / 8);
        let padded = self.array || count > 1;
        if padded && layout == MemoryLayout::Std140 {
            natural.next_multiple_of(16)
        } else {
            natural
        }
    }

    fn place(self, layout: MemoryLayout, matrix_stride: Option<u32>, start: u64) -> Placed {
        let (length, count) = self.vectors();
        let bytes = u64::from(self.bits / 8);
        let alignment = self.vector_alignment(layout);
        let stride = matrix_stride.map_or(alignment, u64::from);
        let by_columns = !(self.row_major && self.columns > 1);
        let mut parts = Vec::new();
        for column in 0..self.columns {
            for row in 0..self.rows {
                let (group, index) = if by_columns { (column, row) } else { (row, column) };
                let offset = start + u64::from(group) * stride + u64::from(index) * bytes;
                parts.push((offset, self.bits, self.numeric));
            }
        }
        // The last group may be followed by other members where its padding would be, except in
        // matrices and arrays.
        let size = if count > 1 || self.array {
            u64::from(count) * stride.max(u64::from(length) * bytes)
        } else {
            u64::from(length) * bytes
        };
        Placed { parts, alignment, size }
    }

    /// The Vulkan format of a number or vector.
    fn format(self) -> Option<Format> {
        if self.columns > 1 {
            return None;
        }
        let letters = ["R", "RG", "RGB", "RGBA"].get(self.rows as usize - 1)?;
        let encoding = match self.numeric {
            Numeric::Uint => "UINT",
            Numeric::Sint => "SINT",
            _ => "SFLOAT",
        };
        let channels: String = letters.chars().map(|c| format!("{c}{}", self.bits)).collect();
        super::format_by_name(&format!("{channels}_{encoding}"))
    }
}

/// Values of a type at an offset.
struct Placed {
    parts: Vec<(u64, u32, Numeric)>,
    alignment: u64,
    /// Bytes without the padding that follows.
    size: u64,
}

fn place(
    ty: &Type,
    layout: MemoryLayout,
    matrix_stride: Option<u32>,
    start: u64,
) -> Result<Placed, LayoutFault> {
    match ty {
        Type::Number(number) => Ok(number.place(layout, matrix_stride, start)),
        Type::Structure(structure) => place_structure(structure, layout, start),
    }
}

fn alignment(ty: &Type, layout: MemoryLayout) -> u64 {
    match ty {
        Type::Number(number) => number.vector_alignment(layout),
        Type::Structure(structure) => structure_alignment(structure, layout),
    }
}

fn place_structure(
    structure: &Structure,
    layout: MemoryLayout,
    start: u64,
) -> Result<Placed, LayoutFault> {
    let mut parts = Vec::new();
    let mut end = 0;
    for member in &structure.members {
        let offset = match member.offset.map(u64::from) {
            Some(offset) if offset < end => return Err(LayoutFault::Overlap),
            Some(offset) => offset,
            None => u64::next_multiple_of(end, alignment(&member.ty, layout)),
        };
        let placed = place(&member.ty, layout, member.matrix_stride, start + offset)?;
        end = offset + placed.size;
        parts.extend(placed.parts);
        if parts.len() > PART_LIMIT || start + end > SIZE_LIMIT {
            return Err(LayoutFault::TooLarge);
        }
    }
    let alignment = structure_alignment(structure, layout);
    let size = match structure.stride.map(u64::from) {
        Some(stride) if stride < end => return Err(LayoutFault::Stride),
        Some(stride) => stride,
        None => end.next_multiple_of(alignment),
    };
    Ok(Placed { parts, alignment, size })
}

fn structure_alignment(structure: &Structure, layout: MemoryLayout) -> u64 {
    let members = structure.members.iter().map(|m| alignment(&m.ty, layout));
    let largest = members.max().unwrap_or(1);
    match layout {
        MemoryLayout::Std140 => largest.next_multiple_of(16),
        MemoryLayout::Std430 => largest,
    }
}

/// Builds the format of elements of a type.
pub(crate) fn typed_format(
    ty: &Type,
    name: &str,
    layout: MemoryLayout,
) -> Result<Format, LayoutFault> {
    let placed = place(ty, layout, None, 0)?;
    let vulkan = match ty {
        Type::Number(number) => number.format(),
        Type::Structure(_) => None,
    };
    // Explicit offsets may leave less than the alignment: an explicit stride counts as it is.
    let explicit = matches!(ty, Type::Structure(s) if s.stride.is_some());
    let size =
        if explicit { placed.size } else { placed.size.next_multiple_of(placed.alignment.max(1)) };
    let size = match u32::try_from(size) {
        Ok(fits) if size <= SIZE_LIMIT => fits,
        _ => return Err(LayoutFault::TooLarge),
    };
    let part = |&(offset, bits, numeric): &(u64, u32, Numeric)| {
        let offset = u32::try_from(offset).map_err(|_| LayoutFault::TooLarge)?;
        Ok(Part { offset, bits, numeric })
    };
    let parts = placed.parts.iter().map(part).collect::<Result<Vec<Part>, LayoutFault>>()?;
    let channels = vulkan.as_ref().map_or_else(Vec::new, |format| format.channels.clone());
    Ok(Format {
        vk: vulkan.and_then(|format| format.vk),
        name: name.to_owned(),
        layout,
        parts,
        channels,
        size,
    })
}
