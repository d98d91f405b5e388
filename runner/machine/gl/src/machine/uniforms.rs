//! Uniform values: lookup by name or location, type rules, layout writes (OpenGL 4.6 section 7.6).

use std::sync::Arc;

use program::resource::{OpaqueSlots, SlotSource, Uniform, unit_handle};
use program::types::MatrixOrder;
use program::{Program, Scalar, Stage, Type};
use smallvec::SmallVec;

use raster::resources::write_clipped;
use vocabulary::half;

/// Value of a `uniform` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformValue {
    /// Component type: `Int`, `Uint`, `Int64`, `Uint64`, `Float` or `Double`.
    pub scalar: Scalar,
    /// Columns; 1 for scalars and vectors.
    pub columns: u8,
    /// Components of a column.
    pub rows: u8,
    /// Raw values in column-major order.
    pub components: SmallVec<[u64; 16]>,
}

impl UniformValue {
    /// Creates a scalar or vector.
    pub fn vector(scalar: Scalar, components: &[u64]) -> UniformValue {
        UniformValue {
            scalar,
            columns: 1,
            rows: components.len() as u8,
            components: SmallVec::from_slice(components),
        }
    }

    /// Creates a value of floats.
    pub fn floats(values: &[f32]) -> UniformValue {
        let components: SmallVec<[u64; 16]> =
            values.iter().map(|v| u64::from(v.to_bits())).collect();
        UniformValue { scalar: Scalar::Float, columns: 1, rows: values.len() as u8, components }
    }

    fn component(&self, column: u8, row: u8) -> u64 {
        self.components
            .get(usize::from(column) * usize::from(self.rows) + usize::from(row))
            .copied()
            .unwrap_or(0)
    }
}

/// Error of a uniform command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UniformError {
    /// No active uniform of that name.
    #[error("cannot get location of uniform \"{0}\"")]
    NoLocation(String),
    /// The program has blocks, and no uniform or block member of that name is active.
    #[error("cannot get index of uniform \"{0}\"")]
    NoIndex(String),
}

/// One element of an active uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformElement {
    /// Index in [`Program::uniforms`].
    pub uniform: usize,
    /// Array element.
    pub element: u32,
}

/// Splits a final `[k]` off a name.
pub fn split_index(name: &str) -> Option<(&str, u32)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((base, index.trim().parse().ok()?))
}

/// Finds a uniform by its path: `a`, `a[3]`, `s[1].m[2].n`.
pub fn find(program: &Program, name: &str) -> Option<UniformElement> {
    let exact = |name: &str| program.uniforms.iter().position(|u| u.name == name);
    if let Some(uniform) = exact(name) {
        return Some(UniformElement { uniform, element: 0 });
    }
    let (base, element) = split_index(name)?;
    let uniform = exact(base)?;
    program.uniforms[uniform]
        .array
        .is_some_and(|n| element < n)
        .then_some(UniformElement { uniform, element })
}

/// Finds a default-block uniform that has a location.
pub fn find_located(program: &Program, name: &str) -> Option<UniformElement> {
    find(program, name).filter(|e| program.uniforms[e.uniform].location.is_some())
}

/// Finds the uniform element at a location.
pub fn find_location(program: &Program, location: u32) -> Option<UniformElement> {
    program.uniforms.iter().enumerate().find_map(|(uniform, u)| {
        let element = location.checked_sub(u.location?)?;
        (element < u.array.unwrap_or(1)).then_some(UniformElement { uniform, element })
    })
}

/// True if `glUniform*` accepts the value for the uniform; otherwise the error is
/// GL_INVALID_OPERATION.
pub fn accepts(program: &Program, uniform: &Uniform, value: &UniformValue) -> bool {
    let shape = (value.columns, value.rows);
    match *program.types.get(uniform.ty) {
        Type::Sampler(_) | Type::Image(_) => {
            matches!(value.scalar, Scalar::Int | Scalar::Uint64) && shape == (1, 1)
        }
        Type::Scalar(Scalar::Bool) | Type::Vector { scalar: Scalar::Bool, .. } => {
            program.types.shape(uniform.ty) == Some(shape)
                && matches!(value.scalar, Scalar::Int | Scalar::Uint | Scalar::Float)
        }
        _ => {
            program.types.shape(uniform.ty) == Some(shape)
                && program.types.scalar_of(uniform.ty).map(set_as) == Some(value.scalar)
        }
    }
}

/// Returns the value type of the commands for a component type: 16-bit uniforms are set by the
/// 32-bit commands.
fn set_as(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Float16 => Scalar::Float,
        Scalar::Int16 => Scalar::Int,
        Scalar::Uint16 => Scalar::Uint,
        other => other,
    }
}

/// Values of one program's uniforms.
#[derive(Clone, Debug, Default)]
pub struct UniformStorage {
    /// The default block's bytes.
    pub default_block: Arc<Vec<u8>>,
    /// Source of each sampler slot.
    pub samplers: Vec<SlotSource>,
    /// Source of each image slot.
    pub images: Vec<SlotSource>,
}

impl UniformStorage {
    /// Creates the initial values. `default_block` holds the values of initializers, evaluated by
    /// the caller; it is padded with zeros.
    pub fn new(program: &Program, mut default_block: Vec<u8>) -> UniformStorage {
        default_block.resize(program.default_block_size as usize, 0);
        select_first_subroutines(program, &mut default_block);
        let mut storage = UniformStorage {
            default_block: Arc::new(default_block),
            samplers: program.samplers.iter().map(|s| s.source).collect(),
            images: program.images.iter().map(|s| s.source).collect(),
        };
        for slot in program.samplers.iter().chain(&program.images) {
            let uniform = &program.uniforms[slot.uniform as usize];
            storage.set_handle(uniform, slot.element, slot.source);
        }
        storage
    }

    /// Writes the handle of a sampler or image to the default block, if that holds it.
    fn set_handle(&mut self, uniform: &Uniform, element: u32, source: SlotSource) {
        if uniform.block != Some(0) {
            return;
        }
        let handle = match source {
            SlotSource::Unit(unit) => unit_handle(unit).unwrap_or(0),
            SlotSource::Handle(handle) => handle,
        };
        let offset = uniform.offset + element.saturating_mul(uniform.array_stride);
        write_clipped(&mut self.default_block, offset as usize, &handle.to_le_bytes());
    }

    /// Selects the function of a subroutine uniform (or an element of one, `name[k]`). `false` when
    /// there is no such uniform, element or compatible function.
    pub fn select_subroutine(
        &mut self,
        program: &Program,
        stage: Stage,
        name: &str,
        function: &str,
    ) -> bool {
        let (base, element) = split_index(name).unwrap_or((name, 0));
        let found = program.subroutine_uniforms.iter().find(|u| u.stage == stage && u.name == base);
        let Some(uniform) = found.filter(|u| element < u.array.unwrap_or(1)) else { return false };
        let Some((_, index)) = uniform.compatible.iter().find(|(f, _)| f == function) else {
            return false;
        };
        write_clipped(
            &mut self.default_block,
            (uniform.offset + 4 * element) as usize,
            &index.to_le_bytes(),
        );
        true
    }

    /// Writes a value that [`accepts`] allowed.
    pub fn set(&mut self, program: &Program, at: UniformElement, value: &UniformValue) {
        let uniform = &program.uniforms[at.uniform];
        let bits = value.component(0, 0);
        let source = match value.scalar {
            Scalar::Uint64 => SlotSource::Handle(bits),
            _ => SlotSource::Unit(bits as u32),
        };
        if uniform.opaque.is_some() {
            self.set_handle(uniform, at.element, source);
        }
        match uniform.opaque {
            Some(OpaqueSlots::Sampler(first)) => {
                if let Some(slot) = self.samplers.get_mut(usize::from(first) + at.element as usize)
                {
                    *slot = source;
                }
            }
            Some(OpaqueSlots::Image(first)) => {
                if let Some(slot) = self.images.get_mut(usize::from(first) + at.element as usize) {
                    *slot = source;
                }
            }
            None => {
                let converted = as_stored(program, uniform, value);
                let offset = uniform.offset + at.element.saturating_mul(uniform.array_stride);
                write(&mut self.default_block, MemberPlace::new(offset, uniform), &converted);
            }
        }
    }
}

/// Selects the first compatible function for every subroutine uniform.
fn select_first_subroutines(program: &Program, default_block: &mut [u8]) {
    for uniform in &program.subroutine_uniforms {
        let Some(&(_, index)) = uniform.compatible.first() else { continue };
        for element in 0..uniform.array.unwrap_or(1) as usize {
            let at = uniform.offset as usize + 4 * element;
            if let Some(place) = default_block.get_mut(at..at + 4) {
                place.copy_from_slice(&index.to_le_bytes());
            }
        }
    }
}

/// Converts a value to stored form: booleans become 0 or 1, 16-bit values are narrowed.
fn as_stored(program: &Program, uniform: &Uniform, value: &UniformValue) -> UniformValue {
    if program.types.scalar_of(uniform.ty) != Some(Scalar::Bool) {
        return narrowed(program, uniform, value);
    }
    let is_true = |bits: u64| match value.scalar {
        Scalar::Float => f32::from_bits(bits as u32) != 0.0,
        _ => bits as u32 != 0,
    };
    let components = value.components.iter().map(|&c| u64::from(is_true(c))).collect();
    UniformValue { scalar: Scalar::Bool, components, ..value.clone() }
}

/// Converts a value for a 16-bit uniform or block member to its type: floats are rounded to nearest
/// even, integers truncated.
pub fn narrowed(program: &Program, uniform: &Uniform, value: &UniformValue) -> UniformValue {
    let Some(scalar) = program.types.scalar_of(uniform.ty) else { return value.clone() };
    if scalar.bits() != 16 || set_as(scalar) != value.scalar {
        return value.clone();
    }
    let narrow = |&bits: &u64| match scalar {
        Scalar::Float16 => u64::from(half::from_f32(f32::from_bits(bits as u32))),
        _ => bits & 0xffff,
    };
    UniformValue {
        scalar,
        components: value.components.iter().map(narrow).collect(),
        ..value.clone()
    }
}

/// Place of a value in a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberPlace {
    /// First byte.
    pub offset: u32,
    /// Bytes between columns, or rows when row-major; 0 if they follow each other.
    pub matrix_stride: u32,
    /// Order of a matrix.
    pub order: MatrixOrder,
}

impl MemberPlace {
    /// The place of a uniform's value that begins at a byte.
    pub fn new(offset: u32, uniform: &Uniform) -> MemberPlace {
        MemberPlace { offset, matrix_stride: uniform.matrix_stride, order: uniform.order }
    }
}

/// Writes a value to its place: scalars and vectors tightly, matrices by stride and order. The size
/// is that of the value, not of the uniform; bytes past the end of the buffer are dropped.
pub fn write(buffer: &mut Arc<Vec<u8>>, place: MemberPlace, value: &UniformValue) {
    let size = value.scalar.bytes();
    for column in 0..value.columns {
        for row in 0..value.rows {
            let (major, minor) = match place.order {
                _ if value.columns == 1 => (0, row),
                MatrixOrder::ColumnMajor => (column, row),
                MatrixOrder::RowMajor => (row, column),
            };
            let stride = if place.matrix_stride != 0 {
                place.matrix_stride
            } else {
                size * u32::from(value.rows)
            };
            let step = u32::from(major).saturating_mul(stride);
            let at = place.offset as usize + step as usize + (u32::from(minor) * size) as usize;
            write_clipped(buffer, at, &value.component(column, row).to_le_bytes()[..size as usize]);
        }
    }
}
