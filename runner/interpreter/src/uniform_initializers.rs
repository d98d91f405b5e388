//! Initializers of uniforms: their values after linking.

use program::{BuiltinVariable, Program, Storage};

use crate::environment::{
    AddressSpace, Environment, Error, ImageRequest, InterpolateAt, TextureRequest,
};
use crate::invocation_group::InvocationGroup;
use crate::lanes::Mask;
use crate::scalar_layout::ScalarLayout;

/// Limit on statements of initializers, which are constant expressions.
const STEPS: u64 = 1 << 20;

/// Returns the bytes of the default uniform block with every initializer evaluated; all others are
/// zero.
///
/// # Errors
/// An initializer is not a constant expression that the interpreter can evaluate.
pub fn default_block(program: &Program) -> Result<Vec<u8>, Error> {
    let mut block = DefaultBlock(vec![0; program.default_block_size as usize]);
    let layout = ScalarLayout::new(&program.types, program.types.ids());
    for stage in &program.stages {
        let shader = &stage.shader;
        let initialized = shader
            .globals
            .values()
            .any(|g| g.storage == Storage::Uniform && g.initializer.is_some());
        if initialized {
            InvocationGroup::new(program, shader, &layout, &mut block, Mask::all(1), 1, STEPS)
                .store_uniform_initializers()?;
        }
    }
    Ok(block.0)
}

/// Environment of initializers: only the default block exists before a draw.
struct DefaultBlock(Vec<u8>);

impl Environment for DefaultBlock {
    fn attribute(&mut self, _: usize, _: usize, _: usize) -> u32 {
        0
    }

    fn varying(&mut self, _: usize, _: usize, _: u32, _: usize) -> u32 {
        0
    }

    fn interpolate(&mut self, _: usize, _: usize, _: usize, _: InterpolateAt) -> f64 {
        0.0
    }

    fn system_value(&mut self, _: BuiltinVariable, _: usize, _: usize) -> u32 {
        0
    }

    fn load(&mut self, _: AddressSpace, _: u32, _: u32) -> Option<u64> {
        None
    }

    fn store(&mut self, space: AddressSpace, offset: u32, bytes: u32, value: u64) -> bool {
        let (start, count) = (offset as usize, bytes as usize);
        let target = self.0.get_mut(start..start.saturating_add(count));
        let source = value.to_le_bytes();
        match (space, target, source.get(..count)) {
            (AddressSpace::DefaultBlock, Some(target), Some(source)) => {
                target.copy_from_slice(source);
                true
            }
            _ => false,
        }
    }

    fn size(&mut self, _: AddressSpace) -> u32 {
        0
    }

    fn texture(&mut self, _: &TextureRequest) -> Result<[u32; 4], Error> {
        Err(Error::Malformed("a texture lookup in a constant expression"))
    }

    fn image(&mut self, _: &ImageRequest) -> Result<[u32; 4], Error> {
        Err(Error::Malformed("an image access in a constant expression"))
    }

    fn emit_vertex(&mut self, _: usize, _: u32, _: &[[u32; 4]]) {}

    fn end_primitive(&mut self, _: usize, _: u32) {}
}
