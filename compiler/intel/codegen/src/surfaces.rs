//! Binding table: the index of each surface, the same in both back ends.

use crate::output::Surface;
use ir::Shader;

/// First binding table index of each kind of surface; the kinds follow each other in the order of
/// the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BindingTable {
    /// Uniform block 0.
    pub uniform: u32,
    /// Texture unit 0.
    pub texture: u32,
    /// Storage block 0.
    pub storage: u32,
    /// Atomic counter buffer 0.
    pub atomic: u32,
    /// Image unit 0.
    pub image: u32,
    /// The number of work groups (compute shaders only).
    pub groups: u32,
}

impl BindingTable {
    /// The table of a shader whose first `first` entries are taken (by render targets).
    #[must_use]
    pub fn after(first: u32, shader: &Shader) -> BindingTable {
        let info = &shader.info;
        let texture = first + info.ubos;
        let storage = texture + info.samplers;
        let atomic = storage + info.ssbos;
        let image = atomic + info.atomic_buffers;
        BindingTable {
            uniform: first,
            texture,
            storage,
            atomic,
            image,
            groups: image + info.images,
        }
    }

    /// The entries after those that are taken.
    #[must_use]
    pub fn surfaces(shader: &Shader) -> Vec<Surface> {
        let info = &shader.info;
        let mut table: Vec<Surface> = (0..info.ubos).map(Surface::UniformBlock).collect();
        table.extend((0..info.samplers).map(Surface::Texture));
        table.extend((0..info.ssbos).map(Surface::StorageBlock));
        table.extend((0..info.atomic_buffers).map(Surface::AtomicBuffer));
        table.extend((0..info.images).map(Surface::Image));
        if info.stage == ir::Stage::Compute {
            table.push(Surface::WorkGroupCount);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_those_of_the_surfaces() {
        let mut shader = Shader::new(ir::Stage::Compute);
        let info = &mut shader.info;
        (info.ubos, info.samplers, info.ssbos) = (2, 3, 1);
        (info.atomic_buffers, info.images) = (2, 4);
        let surfaces = BindingTable::surfaces(&shader);
        let table = BindingTable::after(0, &shader);
        for (index, surface) in [
            (table.uniform, Surface::UniformBlock(0)),
            (table.texture, Surface::Texture(0)),
            (table.storage, Surface::StorageBlock(0)),
            (table.atomic, Surface::AtomicBuffer(0)),
            (table.image, Surface::Image(0)),
            (table.groups, Surface::WorkGroupCount),
        ] {
            assert_eq!(surfaces[index as usize], surface);
        }
        assert_eq!(surfaces.len(), 13);
        let moved = BindingTable::after(4, &shader);
        assert_eq!((moved.uniform, moved.groups), (4, 16));
    }
}
