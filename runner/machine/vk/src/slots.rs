//! Descriptors of a program's blocks, textures and images.

use program::layout::{OpaqueKind, block_instances, opaque_slots};
use program::variable::SeparateSampler;
use program::{Global, Placement, Program, Type};

/// Source of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockSource {
    PushConstants,
    Descriptor(Slot),
}

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    /// Element of the array of descriptors.
    pub(crate) element: u32,
}

/// Descriptors of a sampler slot: the texture, and the sampler if it has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextureSource {
    pub(crate) texture: Slot,
    pub(crate) sampler: Option<Slot>,
}

/// Descriptors of all slots of a program; `None` where a slot has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    pub(crate) uniform: Vec<Option<BlockSource>>,
    pub(crate) storage: Vec<Option<BlockSource>>,
    pub(crate) textures: Vec<Option<TextureSource>>,
    pub(crate) images: Vec<Option<Slot>>,
}

impl Slots {
    /// Finds the descriptors of a program.
    pub(crate) fn of(program: &Program) -> Slots {
        let mut slots = Slots {
            uniform: vec![None; program.uniform_blocks.len()],
            storage: vec![None; program.storage_blocks.len()],
            textures: vec![None; program.samplers.len()],
            images: vec![None; program.images.len()],
        };
        for stage in &program.stages {
            stage.shader.globals.values().for_each(|global| slots.add(program, global));
        }
        slots
    }

    fn add(&mut self, program: &Program, global: &Global) {
        let types = &program.types;
        match global.placement {
            Placement::UniformBlock { index } => {
                fill(&mut self.uniform, index, block_instances(types, global.ty), |element| {
                    block(global, element)
                });
            }
            Placement::StorageBlock { index } => {
                fill(&mut self.storage, index, block_instances(types, global.ty), |element| {
                    block(global, element)
                });
            }
            Placement::Uniform { sampler, image, .. } => {
                let is_image = matches!(types.get(types.without_arrays(global.ty)), Type::Image(_));
                let kind = if is_image { OpaqueKind::Image } else { OpaqueKind::Sampler };
                let count = opaque_slots(types, global.ty, kind);
                if is_image {
                    fill(&mut self.images, image, count, |element| slot(global, element));
                } else {
                    fill(&mut self.textures, sampler, count, |element| texture(global, element));
                }
            }
            _ => {}
        }
    }
}

fn fill<T: Clone>(list: &mut [Option<T>], first: u16, count: u32, of: impl Fn(u32) -> T) {
    let places = list.iter_mut().skip(first.into()).take(count as usize);
    for (element, place) in (0..).zip(places) {
        *place = Some(of(element));
    }
}

fn slot(global: &Global, element: u32) -> Slot {
    let (set, binding) = (global.layout.set.unwrap_or(0), global.layout.binding.unwrap_or(0));
    Slot { set, binding, element }
}

fn block(global: &Global, element: u32) -> BlockSource {
    match global.layout.push_constant {
        true => BlockSource::PushConstants,
        false => BlockSource::Descriptor(slot(global, element)),
    }
}

fn texture(global: &Global, element: u32) -> TextureSource {
    match global.layout.sampler {
        None => TextureSource { texture: slot(global, element), sampler: None },
        Some(SeparateSampler { set, binding, count }) => {
            let count = count.max(1);
            TextureSource {
                texture: slot(global, element / count),
                sampler: Some(Slot { set, binding, element: element % count }),
            }
        }
    }
}
