//! Metadata of foreign binaries for AMD's chips against what waves can hold: numbers beyond that
//! would have a device work or allocate without end.

use crate::plausible::{
    Checked, EMITTED_VERTICES, PATCH_VERTICES, PRIMITIVE_VERTICES, SHARED_BYTES, at_most,
};
use amd_codegen::Output;
use amd_codegen::output::{
    FragmentInterface, GeometryInterface, Interface, MAX_SCRATCH, PatchLayout, Resource,
    TessControlInterface, TessEvaluationInterface, UserValue, VertexInterface,
};

/// Scalar registers that programs can name, with VCC and its neighbors.
const SCALARS: u32 = 104;
/// Vector registers of a wave.
const VECTORS: u32 = 256;
/// Scalar registers that the driver sets.
const USER_REGISTERS: u32 = 16;
/// Entries and bytes of the descriptor table.
const DESCRIPTORS: u32 = 1024;
const TABLE_BYTES: u32 = 1 << 17;
/// Slots of a vertex or a patch.
const SLOTS: u32 = 256;
/// Resources of a kind: attributes, blocks, images.
const RESOURCES: u32 = 1024;

/// Checks every number that sizes something or names a register.
///
/// # Errors
/// The first number that no wave could mean, in words.
pub(crate) fn check(output: &Output) -> Checked {
    at_most("scalars", output.scalars, SCALARS)?;
    at_most("vectors", output.vectors, VECTORS)?;
    at_most("scratch_bytes", output.scratch_bytes, MAX_SCRATCH)?;
    if !output.scratch_bytes.is_multiple_of(4) {
        return Err(format!("scratch_bytes: {} is no number of dwords", output.scratch_bytes));
    }
    for data in &output.user_data {
        let end = u32::from(data.register) + u32::from(data.value.dwords());
        at_most("register of a driver's value", end, USER_REGISTERS)?;
        if let UserValue::Descriptor(resource) = data.value {
            number_of(resource)?;
        }
    }
    at_most("descriptors", output.descriptors.len() as u32, DESCRIPTORS)?;
    for entry in &output.descriptors {
        at_most("offset of a descriptor", entry.offset, TABLE_BYTES)?;
        number_of(entry.resource)?;
    }
    match &output.interface {
        Interface::Vertex(interface) => vertex(interface),
        Interface::TessControl(interface) => tess_control(interface),
        Interface::TessEvaluation(interface) => tess_evaluation(interface),
        Interface::Geometry(interface) => geometry(interface),
        Interface::Fragment(interface) => fragment(interface, output.vectors),
        Interface::Compute(interface) => {
            at_most("shared_size", interface.shared_size, SHARED_BYTES)?;
            register("workgroup_id", interface.workgroup_id, 3)
        }
    }
}

/// Checks that `count` scalar registers from `first` on exist.
fn register(what: &str, first: u8, count: u32) -> Checked {
    at_most(what, u32::from(first) + count, SCALARS)
}

fn slots(what: &str, count: usize) -> Checked {
    at_most(what, u32::try_from(count).unwrap_or(u32::MAX), SLOTS)
}

fn number_of(resource: Resource) -> Checked {
    match resource {
        Resource::UniformBlock(number)
        | Resource::StorageBlock(number)
        | Resource::AtomicBuffer(number)
        | Resource::Texture(number)
        | Resource::Image(number)
        | Resource::Attribute(number) => at_most("number of a resource", number, RESOURCES),
        Resource::OutputRing(stream) => at_most("stream", stream, 3u32),
        _ => Ok(()),
    }
}

fn vertex(interface: &VertexInterface) -> Checked {
    slots("parameters", interface.parameters.len())?;
    at_most("position exports", interface.positions.len() as u32, 4u32)?;
    slots("slots of a vertex", interface.memory.len())?;
    interface.ring_offset.map_or(Ok(()), |first| register("ring_offset", first, 1))
}

fn patch(layout: &PatchLayout) -> Checked {
    slots("slots of a patch", layout.patch.len())?;
    slots("slots of a vertex", layout.vertex.len())
}

fn tess_control(interface: &TessControlInterface) -> Checked {
    slots("slots of a vertex", interface.inputs.len())?;
    at_most("vertices_in", interface.vertices_in, PATCH_VERTICES)?;
    at_most("vertices_out", interface.vertices_out, PATCH_VERTICES)?;
    patch(&interface.outputs)?;
    patch(&interface.shared)?;
    for (what, levels, most) in [("outer", &interface.outer, 4u32), ("inner", &interface.inner, 2)]
    {
        at_most(what, levels.len() as u32, most)?;
        levels.iter().try_for_each(|&level| at_most(what, level, most - 1))?;
    }
    register("offsets", interface.offsets, 2)
}

fn tess_evaluation(interface: &TessEvaluationInterface) -> Checked {
    vertex(&interface.vertex)?;
    patch(&interface.inputs)?;
    register("buffer_offset", interface.buffer_offset, 1)
}

fn geometry(interface: &GeometryInterface) -> Checked {
    slots("slots of a vertex", interface.inputs.len())?;
    at_most("vertices_in", interface.vertices_in, PRIMITIVE_VERTICES)?;
    at_most("max_vertices", interface.max_vertices, EMITTED_VERTICES)?;
    for outputs in &interface.outputs {
        slots("components of a vertex", outputs.len().div_ceil(4))?;
    }
    register("ring_offset", interface.ring_offset, 2)?;
    match &interface.copy.interface {
        Interface::Vertex(_) => check(&interface.copy),
        _ => Err("the program that exports vertices has another interface".to_owned()),
    }
}

fn fragment(interface: &FragmentInterface, vectors: u16) -> Checked {
    let registers: u32 = interface.values.iter().map(|value| u32::from(value.registers())).sum();
    at_most("registers of values", registers, vectors)?;
    slots("inputs", interface.inputs.len())?;
    for color in &interface.colors {
        at_most("location of a color", color.location, 7u32)?;
        at_most("index of a color", color.index, 1u32)?;
    }
    register("primitive_mask", interface.primitive_mask, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use amd_codegen::output::{ComputeInterface, Descriptor, Statistics, UserData};
    use amd_isa::{Chip, HardwareStage};

    fn output(interface: Interface) -> Output {
        Output {
            chip: Chip::Si,
            stage: HardwareStage::Cs,
            words: Vec::new(),
            scalars: 104,
            vectors: 256,
            scratch_bytes: 0,
            user_data: Vec::new(),
            descriptors: Vec::new(),
            interface,
            statistics: Statistics::default(),
            lines: Default::default(),
        }
    }

    /// Returns the error for metadata that a change takes beyond its limits.
    fn refused(change: impl FnOnce(&mut Output)) -> String {
        let mut output = output(Interface::Compute(ComputeInterface::default()));
        assert_eq!(check(&output), Ok(()));
        change(&mut output);
        check(&output).expect_err("beyond the hardware")
    }

    #[test]
    fn numbers_are_limited() {
        assert_eq!(refused(|o| o.vectors = 257), "vectors: 257 is above 256");
        assert_eq!(refused(|o| o.scratch_bytes = 2), "scratch_bytes: 2 is no number of dwords");
        let table = |register| UserData { register, value: UserValue::Table };
        assert!(refused(|o| o.user_data = vec![table(15)]).contains("17 is above 16"));
        let resource = Resource::Image(u32::MAX);
        let entry = Descriptor { offset: 0, resource };
        assert!(refused(|o| o.descriptors = vec![entry]).starts_with("number of a resource: "));
        let group = ComputeInterface { workgroup_id: 102, ..ComputeInterface::default() };
        assert_eq!(
            refused(|o| o.interface = Interface::Compute(group)),
            "workgroup_id: 105 is above 104"
        );
        let control = TessControlInterface { outer: vec![4], ..TessControlInterface::default() };
        assert_eq!(
            refused(|o| o.interface = Interface::TessControl(control)),
            "outer: 4 is above 3"
        );
    }
}
