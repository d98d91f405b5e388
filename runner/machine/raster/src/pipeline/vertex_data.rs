//! Vertex arrays and fetch: bytes of a buffer become attribute values (OpenGL 4.6 sections 10.2 and
//! 10.3).

use std::collections::BTreeMap;

use program::{BuiltinVariable, Program, Scalar, Type};

use vocabulary::half;

/// Component type of an array in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum ArrayType {
    Byte,
    UnsignedByte,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Half,
    Float,
    Double,
}

impl ArrayType {
    /// Returns the size of a component in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            ArrayType::Byte | ArrayType::UnsignedByte => 1,
            ArrayType::Short | ArrayType::UnsignedShort | ArrayType::Half => 2,
            ArrayType::Int | ArrayType::UnsignedInt | ArrayType::Float => 4,
            ArrayType::Double => 8,
        }
    }
}

/// Variant of `glVertexAttrib*Pointer` that set the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeClass {
    /// No letter, not normalized: converted to float.
    Float,
    /// `I`: integers stay integers.
    Integer,
    /// `L`: doubles stay doubles.
    Double,
}

/// Attribute of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeSlot {
    /// A generic attribute, by location.
    Generic(u32),
    /// A fixed-function array (`gl_Vertex`, `gl_MultiTexCoord0`, …).
    Conventional(BuiltinVariable),
}

/// One vertex array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexArray {
    /// Attribute of the array.
    pub slot: AttributeSlot,
    /// Component type in memory.
    pub ty: ArrayType,
    /// Number of components, 1 to 4.
    pub components: u8,
    /// Conversion.
    pub class: AttributeClass,
    /// First byte of the first vertex.
    pub offset: usize,
}

/// Interleaved arrays over one buffer, as in `[vertex data]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VertexData {
    /// The arrays. A later one replaces an earlier one for the same attribute.
    pub arrays: Vec<VertexArray>,
    /// Bytes from one vertex to the next.
    pub stride: usize,
    /// Number of vertices.
    pub rows: u32,
    /// The buffer, little endian.
    pub bytes: Vec<u8>,
}

impl VertexData {
    /// Creates arrays of floats, one after the other for each vertex: `columns` holds attribute and
    /// component count.
    pub fn of_floats(columns: &[(AttributeSlot, u8)], rows: &[&[f32]]) -> VertexData {
        let mut offset = 0;
        let mut arrays = Vec::with_capacity(columns.len());
        for &(slot, components) in columns {
            arrays.push(VertexArray {
                slot,
                ty: ArrayType::Float,
                components,
                class: AttributeClass::Float,
                offset,
            });
            offset += 4 * usize::from(components);
        }
        let bytes = rows.iter().flat_map(|row| row.iter().flat_map(|v| v.to_le_bytes())).collect();
        VertexData { arrays, stride: offset, rows: rows.len() as u32, bytes }
    }

    fn array(&self, slot: AttributeSlot) -> Option<&VertexArray> {
        self.arrays.iter().rev().find(|a| a.slot == slot)
    }
}

/// Current values of attributes without an array: those of compatibility contexts, and handles.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentAttributes {
    /// `gl_Color`.
    pub color: [f32; 4],
    /// `gl_MultiTexCoord0` to `7`.
    pub texture_coordinates: [[f32; 4]; 8],
    /// Bindless handles that generic attributes were set to, by location.
    pub handles: BTreeMap<u32, u64>,
}

impl Default for CurrentAttributes {
    fn default() -> Self {
        CurrentAttributes {
            color: [1.0; 4],
            texture_coordinates: [[0.0, 0.0, 0.0, 1.0]; 8],
            handles: BTreeMap::new(),
        }
    }
}

impl CurrentAttributes {
    /// Returns the four dwords of an attribute.
    fn words(&self, slot: AttributeSlot, scalar: Scalar) -> [u32; 4] {
        match slot {
            AttributeSlot::Conventional(builtin) => self.value(builtin).map(f32::to_bits),
            AttributeSlot::Generic(location) => match self.handles.get(&location) {
                Some(&handle) => [handle as u32, (handle >> 32) as u32, 0, 0],
                None if scalar.is_integer() => [0, 0, 0, 1],
                None => [0.0, 0.0, 0.0, 1.0f32].map(f32::to_bits),
            },
        }
    }

    fn value(&self, builtin: BuiltinVariable) -> [f32; 4] {
        use BuiltinVariable::*;
        let unit = match builtin {
            Color => return self.color,
            Normal => return [0.0, 0.0, 1.0, 1.0],
            FogCoord => return [0.0; 4],
            MultiTexCoord0 => 0,
            MultiTexCoord1 => 1,
            MultiTexCoord2 => 2,
            MultiTexCoord3 => 3,
            MultiTexCoord4 => 4,
            MultiTexCoord5 => 5,
            MultiTexCoord6 => 6,
            MultiTexCoord7 => 7,
            _ => return [0.0, 0.0, 0.0, 1.0],
        };
        self.texture_coordinates[unit]
    }
}

/// Returns the alias of the vertex position: generic attribute 0 and the conventional one are the
/// same (OpenGL 4.6 compatibility profile, section 10.2.1).
fn alias(slot: AttributeSlot) -> Option<AttributeSlot> {
    match slot {
        AttributeSlot::Generic(0) => Some(AttributeSlot::Conventional(BuiltinVariable::Vertex)),
        AttributeSlot::Conventional(BuiltinVariable::Vertex) => Some(AttributeSlot::Generic(0)),
        _ => None,
    }
}

/// Fetch of one input slot.
#[derive(Clone, Copy, Debug)]
struct SlotPlan {
    array: Option<VertexArray>,
    /// Component type declared by the shader.
    scalar: Scalar,
    /// Components 2 and 3 of a 64-bit column.
    upper: bool,
    /// Value without an array.
    current: [u32; 4],
}

/// Source of the vertex stage's inputs in one draw.
pub trait FetchAttributes {
    /// Returns the number of input slots.
    fn slots(&self) -> usize;

    /// Returns the four dwords of one input slot of one vertex of an instance.
    fn slot(&self, slot: usize, vertex: u32, instance: u32) -> [u32; 4];
}

/// Prepared fetch for one draw.
#[derive(Clone, Debug)]
pub struct VertexFetch<'a> {
    data: &'a VertexData,
    plan: Vec<SlotPlan>,
}

impl<'a> VertexFetch<'a> {
    /// Matches the program's attributes with the arrays.
    pub fn new(
        program: &Program,
        data: &'a VertexData,
        current: &CurrentAttributes,
    ) -> VertexFetch<'a> {
        let plan = program
            .attributes
            .iter()
            .map(|attribute| {
                let slot = match attribute.conventional {
                    Some(builtin) => AttributeSlot::Conventional(builtin),
                    None => AttributeSlot::Generic(attribute.location),
                };
                let scalar = match *program.types.get(attribute.ty) {
                    Type::Scalar(s) | Type::Vector { scalar: s, .. } => s,
                    _ => Scalar::Float,
                };
                let current = current.words(slot, scalar);
                let array = data.array(slot).or_else(|| data.array(alias(slot)?)).copied();
                SlotPlan { array, scalar, upper: attribute.upper, current }
            })
            .collect();
        VertexFetch { data, plan }
    }

    /// Returns the bytes of a component, when the array has it.
    fn bytes(&self, array: &VertexArray, component: usize, vertex: u32) -> Option<&[u8]> {
        if component >= usize::from(array.components) {
            return None;
        }
        let start =
            array.offset + self.data.stride * vertex as usize + component * array.ty.bytes();
        self.data.bytes.get(start..start + array.ty.bytes())
    }

    fn component32(&self, plan: &SlotPlan, component: usize, vertex: u32) -> u32 {
        let Some(array) = &plan.array else { return plan.current[component] };
        let bytes = self.bytes(array, component, vertex);
        match (array.class, bytes) {
            (AttributeClass::Integer, Some(bytes)) => integer_value(array.ty, bytes) as u32,
            (AttributeClass::Integer, None) => u32::from(component == 3),
            (_, Some(bytes)) => (number(array.ty, bytes) as f32).to_bits(),
            (_, None) => (if component == 3 { 1.0f32 } else { 0.0 }).to_bits(),
        }
    }

    fn component64(&self, plan: &SlotPlan, component: usize, vertex: u32) -> u64 {
        let default = if component == 3 { 1.0 } else { 0.0 };
        let bytes = plan.array.as_ref().and_then(|a| Some((a, self.bytes(a, component, vertex)?)));
        match (plan.scalar, bytes) {
            (Scalar::Double, Some((array, bytes))) => number(array.ty, bytes).to_bits(),
            (Scalar::Double, None) => f64::to_bits(default),
            (_, Some((array, bytes))) => integer_value(array.ty, bytes) as u64,
            (_, None) => default as u64,
        }
    }
}

impl FetchAttributes for VertexFetch<'_> {
    fn slots(&self) -> usize {
        self.plan.len()
    }

    fn slot(&self, slot: usize, vertex: u32, _: u32) -> [u32; 4] {
        let plan = &self.plan[slot];
        let first = if plan.upper { 2 } else { 0 };
        if plan.scalar.bits() == 64 {
            let pair = [first, first + 1].map(|c| self.component64(plan, c, vertex));
            return [
                pair[0] as u32,
                (pair[0] >> 32) as u32,
                pair[1] as u32,
                (pair[1] >> 32) as u32,
            ];
        }
        std::array::from_fn(|c| self.component32(plan, c, vertex))
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Returns the value as a number.
fn number(ty: ArrayType, bytes: &[u8]) -> f64 {
    let bits = little_endian(bytes);
    match ty {
        ArrayType::Double => f64::from_bits(bits),
        ArrayType::Float => f64::from(f32::from_bits(bits as u32)),
        ArrayType::Half => f64::from(half::to_f32(bits as u16)),
        _ => integer_value(ty, bytes) as f64,
    }
}

/// Returns the value as an integer, extended by its own sign; floating-point arrays return their
/// bits.
fn integer_value(ty: ArrayType, bytes: &[u8]) -> i64 {
    let bits = little_endian(bytes);
    match ty {
        ArrayType::Byte => i64::from(bits as i8),
        ArrayType::Short => i64::from(bits as i16),
        ArrayType::Int => i64::from(bits as i32),
        _ => bits as i64,
    }
}
