//! Patch entries of the URB: where the tessellation stages find their inputs and outputs, for both
//! back ends.

use super::vue;
use crate::error::CompileError;
use crate::output::{PatchMap, TessControlInterface, TessDomain, Varying};
use crate::stage_key::StageKey;
use ir::{IntrinsicOp, Shader, Slot};
use std::collections::BTreeSet;

/// Maximum number of slots of the patch that evaluation threads get in registers.
const MAX_PUSHED_SLOTS: u32 = 32;

/// Slots of the patch, from the first one on, that evaluation threads get in registers: an even
/// number.
pub fn pushed_slots(inputs: &PatchMap, key: &StageKey) -> u32 {
    let slots = inputs.slots(key.patch_vertices as usize) as u32;
    slots.min(MAX_PUSHED_SLOTS).next_multiple_of(2)
}

/// Place of an interface slot in a patch entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Dword of a slot of the patch, the header included.
    Patch {
        /// Slot.
        slot: u32,
        /// Dword of the first component.
        dword: u32,
    },
    /// Dword of a slot of each vertex; the number is vertex 0's.
    Vertex {
        /// Slot.
        slot: u32,
        /// Dword of the first component.
        dword: u32,
    },
}

/// A tessellation level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `gl_TessLevelOuter`.
    Outer,
    /// `gl_TessLevelInner`.
    Inner,
}

impl Level {
    /// Returns the array of levels that a slot is.
    #[must_use]
    pub fn of(slot: Slot) -> Option<Level> {
        match slot {
            Slot::TessLevelOuter => Some(Level::Outer),
            Slot::TessLevelInner => Some(Level::Inner),
            _ => None,
        }
    }

    /// Slot and dword of level `n` in the header; `None` if the domain has no such level.
    #[must_use]
    pub fn place(self, domain: TessDomain, n: u32) -> Option<(u32, u32)> {
        let dword = match self {
            Level::Outer => domain.outer_dword(n),
            Level::Inner => domain.inner_dword(n),
        };
        dword.map(|d| (d / 4, d % 4))
    }
}

/// The place of an interface slot other than a level.
///
/// # Errors
/// The slot does not travel between the tessellation stages.
pub fn place(map: &PatchMap, slot: Slot) -> Result<Place, CompileError> {
    let missing = || CompileError::lower(format!("{slot} is missing from the patch"));
    if let Slot::Patch(n) = slot {
        let slot = map.patch_slot(Varying::Patch(n.into())).ok_or_else(missing)? as u32;
        return Ok(Place::Patch { slot, dword: 0 });
    }
    let (varying, dword) = vue::place(slot)?.ok_or_else(missing)?;
    let slot = map.vertex_slot(varying).ok_or_else(missing)? as u32;
    Ok(Place::Vertex { slot, dword: dword.into() })
}

/// Maximum number of vertices of an input or output patch.
pub const MAX_VERTICES: u32 = 32;

/// The interface of a control shader whose threads run `per_thread` invocations each.
///
/// # Errors
/// Too many or no vertices, or a slot that does not travel between these stages.
pub fn control_interface(
    shader: &Shader,
    key: &StageKey,
    per_thread: u32,
) -> Result<TessControlInterface, CompileError> {
    let vertices_out = shader.info.tess.vertices_out;
    for count in [vertices_out, key.patch_vertices] {
        if count == 0 || count > MAX_VERTICES {
            return Err(CompileError::lower(format!("{count} vertices in a patch")));
        }
    }
    Ok(TessControlInterface {
        inputs: vue::input_map(shader)?,
        vertices_in: key.patch_vertices,
        outputs: output_map(shader, &key.outputs_needed)?,
        vertices_out,
        threads: vertices_out.div_ceil(per_thread),
        domain: key.tess_domain,
    })
}

/// The layout of the patches that a control shader writes: what it declares and writes, what the
/// next stage needs.
///
/// # Errors
/// A slot that does not travel between the tessellation stages.
pub fn output_map(shader: &Shader, needed: &[Varying]) -> Result<PatchMap, CompileError> {
    use IntrinsicOp::{LoadOutput, LoadPerVertexOutput, StoreOutput, StorePerVertexOutput};
    let accesses = [StoreOutput, StorePerVertexOutput, LoadOutput, LoadPerVertexOutput];
    map_of(shader, shader.info.outputs.iter().map(|v| v.slot), &accesses, needed)
}

/// The layout of the patches that an evaluation shader reads.
///
/// # Errors
/// A slot that does not travel between the tessellation stages.
pub fn input_map(shader: &Shader) -> Result<PatchMap, CompileError> {
    let accesses = [IntrinsicOp::LoadInput, IntrinsicOp::LoadPerVertexInput];
    map_of(shader, shader.info.inputs.iter().map(|v| v.slot), &accesses, &[])
}

fn map_of(
    shader: &Shader,
    declared: impl Iterator<Item = Slot>,
    accesses: &[IntrinsicOp],
    needed: &[Varying],
) -> Result<PatchMap, CompileError> {
    let mut slots: Vec<Slot> = declared.collect();
    vue::for_each_intrinsic(shader, |intrinsic| {
        if accesses.contains(&intrinsic.op) {
            slots.push(intrinsic.fields.slot);
        }
    });
    let (mut patch, mut vertex) = (BTreeSet::new(), BTreeSet::new());
    let travels = |v: &&Varying| !matches!(v, Varying::TessLevelOuter | Varying::TessLevelInner);
    for &varying in needed.iter().filter(travels) {
        if matches!(varying, Varying::Patch(_)) { &mut patch } else { &mut vertex }.insert(varying);
    }
    for slot in slots {
        if let Slot::Patch(n) = slot {
            patch.insert(Varying::Patch(n.into()));
        } else if Level::of(slot).is_none()
            && let Some((varying, _)) = vue::place(slot)?
        {
            vertex.insert(varying);
        }
    }
    Ok(PatchMap {
        per_patch: patch.into_iter().collect(),
        per_vertex: vertex.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_where_the_tessellator_reads_them() {
        let dwords = |level: Level, domain, n: u32| {
            (0..n)
                .map(|i| level.place(domain, i).map(|(slot, dword)| slot * 4 + dword))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            dwords(Level::Outer, TessDomain::Quads, 4),
            [Some(7), Some(6), Some(5), Some(4)]
        );
        assert_eq!(dwords(Level::Inner, TessDomain::Quads, 2), [Some(3), Some(2)]);
        assert_eq!(
            dwords(Level::Outer, TessDomain::Triangles, 4),
            [Some(7), Some(6), Some(5), None]
        );
        assert_eq!(dwords(Level::Inner, TessDomain::Triangles, 2), [Some(4), None]);
        assert_eq!(dwords(Level::Outer, TessDomain::Isolines, 4), [Some(6), Some(7), None, None]);
        assert_eq!(dwords(Level::Inner, TessDomain::Isolines, 2), [None, None]);
    }

    #[test]
    fn vertices_follow_the_patch() {
        let map = PatchMap {
            per_patch: vec![Varying::Patch(1), Varying::Patch(4)],
            per_vertex: vec![Varying::Header, Varying::Generic(3)],
        };
        assert_eq!(place(&map, Slot::Patch(4)), Ok(Place::Patch { slot: 3, dword: 0 }));
        assert_eq!(place(&map, Slot::Var(3)), Ok(Place::Vertex { slot: 5, dword: 0 }));
        assert_eq!(place(&map, Slot::PointSize), Ok(Place::Vertex { slot: 4, dword: 3 }));
        assert!(place(&map, Slot::Patch(0)).is_err());
        assert_eq!(map.slots(3), 10);
    }
}
