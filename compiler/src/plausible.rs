//! Metadata of foreign binaries against what threads can hold: numbers beyond that would have a
//! device work or allocate without end.

use intel_codegen::output::{
    ComputeInterface, FragmentInterface, GeometryInterface, Interface, Kernel, Output, PatchMap,
    PushRange, TessControlInterface, TessEvaluationInterface, VertexInput, VertexInterface, VueMap,
};

/// General registers of a thread.
const REGISTERS: u64 = 128;
/// Scratch space of a thread in bytes: a mebibyte of local variables, which our own back ends
/// allow, and as much again for spills.
const SCRATCH_BYTES: u32 = 2 << 20;
/// Slots of 16 bytes in the largest entry that a URB message reaches: its offset has 11 bits and
/// counts 16 bytes.
const ENTRY_SLOTS: u64 = 1 << 11;
/// Attributes of a vertex, more than any API offers.
const ATTRIBUTES: u32 = 256;
/// Vertices of the largest input primitive, a triangle with adjacency.
pub(crate) const PRIMITIVE_VERTICES: u32 = 6;
/// Vertices that a geometry shader may emit: as many components as
/// `GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS` has on every generation.
pub(crate) const EMITTED_VERTICES: u32 = 1024;
/// Vertices of a patch (`GL_MAX_PATCH_VERTICES`), for which control threads have handles.
pub(crate) const PATCH_VERTICES: u32 = 32;
/// Shared memory of a work group in bytes (`GL_MAX_COMPUTE_SHARED_MEMORY_SIZE`).
pub(crate) const SHARED_BYTES: u32 = 64 << 10;
/// Binding table indices, of which messages hold eight bits.
const SURFACES: u64 = 256;

/// Result of a check: the number that is beyond its limit, in words.
pub(crate) type Checked = Result<(), String>;

/// Checks every number that sizes something.
///
/// # Errors
/// The first number that no thread could mean, in words.
pub(crate) fn check(compiled: &Output) -> Checked {
    if compiled.interface.stage() != compiled.stage {
        return Err(String::from("has the interface of another stage"));
    }
    compiled.kernels.iter().try_for_each(kernel)?;
    push(&compiled.push)?;
    at_most("bindings", compiled.bindings.len() as u64, SURFACES)?;
    at_most("samplers", compiled.samplers.len() as u64, SURFACES)?;
    match &compiled.interface {
        Interface::Vertex(interface) => vertex(interface),
        Interface::Fragment(interface) => fragment(interface),
        Interface::Geometry(interface) => geometry(interface),
        Interface::Compute(interface) => compute(interface),
        Interface::TessControl(interface) => tess_control(interface),
        Interface::TessEvaluation(interface) => tess_eval(interface),
    }
}

/// Checks a number by its limit.
pub(crate) fn at_most(what: &str, number: impl Into<u64>, limit: impl Into<u64>) -> Checked {
    let (number, limit) = (number.into(), limit.into());
    if number <= limit { Ok(()) } else { Err(format!("{what}: {number} is above {limit}")) }
}

fn kernel(kernel: &Kernel) -> Checked {
    at_most("dispatch_grf_start", kernel.dispatch_grf_start, REGISTERS)?;
    at_most("scratch_bytes", kernel.scratch_bytes, SCRATCH_BYTES)
}

fn push(ranges: &[PushRange]) -> Checked {
    at_most(
        "registers of push constants",
        ranges.iter().map(|r| u64::from(r.length)).sum::<u64>(),
        REGISTERS,
    )?;
    // Offsets in bytes have 32 bits.
    ranges.iter().try_for_each(|r| {
        at_most("end of a push range", u64::from(r.start) + u64::from(r.length), 1u64 << 27)
    })
}

fn vertex(interface: &VertexInterface) -> Checked {
    at_most("inputs", interface.inputs.len() as u64, REGISTERS)?;
    for input in &interface.inputs {
        match *input {
            VertexInput::Attribute { location } => at_most("location", location, ATTRIBUTES)?,
            VertexInput::Attribute64 { location, half } => {
                at_most("location", location, ATTRIBUTES)?;
                at_most("half", half, 1u32)?;
            }
            VertexInput::SystemValues | VertexInput::DrawParameters => {}
        }
    }
    vertex_entry(&interface.outputs)
}

fn vertex_entry(map: &VueMap) -> Checked {
    at_most("slots of a vertex", map.slots.len() as u64, ENTRY_SLOTS)
}

fn fragment(interface: &FragmentInterface) -> Checked {
    at_most("inputs", interface.inputs.len() as u64, REGISTERS)?;
    at_most("barycentrics", interface.barycentrics.len() as u64, 6u64)
}

fn geometry(interface: &GeometryInterface) -> Checked {
    vertex_entry(&interface.inputs)?;
    vertex_entry(&interface.outputs)?;
    at_most("vertices_in", interface.vertices_in, PRIMITIVE_VERTICES)?;
    at_most("max_vertices", interface.max_vertices, EMITTED_VERTICES)?;
    at_most(
        "static_vertex_count",
        interface.static_vertex_count.unwrap_or(0),
        interface.max_vertices,
    )?;
    // Both count 32 bytes.
    at_most("output_vertex_size", interface.output_vertex_size, ENTRY_SLOTS)?;
    at_most("control_header_size", interface.control_header_size, ENTRY_SLOTS)
}

fn compute(interface: &ComputeInterface) -> Checked {
    at_most("shared_size", interface.shared_size, SHARED_BYTES)
}

fn tess_control(interface: &TessControlInterface) -> Checked {
    vertex_entry(&interface.inputs)?;
    at_most("vertices_in", interface.vertices_in, PATCH_VERTICES)?;
    at_most("vertices_out", interface.vertices_out, PATCH_VERTICES)?;
    at_most("threads", interface.threads, PATCH_VERTICES)?;
    patch(&interface.outputs)
}

fn tess_eval(interface: &TessEvaluationInterface) -> Checked {
    vertex_entry(&interface.outputs)?;
    // Two to a register.
    at_most("pushed_slots", interface.pushed_slots, 2 * REGISTERS)?;
    patch(&interface.inputs)
}

fn patch(map: &PatchMap) -> Checked {
    at_most("slots of a patch", map.per_patch.len() as u64, ENTRY_SLOTS)?;
    at_most("slots of a vertex", map.per_vertex.len() as u64, ENTRY_SLOTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use intel_codegen::output::{Stage, Statistics, Varying, Width};

    fn compiled(interface: Interface) -> Output {
        let kernel = Kernel {
            width: Width::Simd8,
            code: Vec::new(),
            dispatch_grf_start: 2,
            scratch_bytes: 2 << 20,
            statistics: Statistics::default(),
            lines: Default::default(),
        };
        let push = vec![PushRange { block: 0, start: 0, length: 64 }; 2];
        Output {
            stage: interface.stage(),
            kernels: vec![kernel],
            push,
            bindings: Vec::new(),
            samplers: Vec::new(),
            interface,
        }
    }

    /// Returns the error for metadata that a change takes beyond its limits.
    fn refused(interface: Interface, change: impl FnOnce(&mut Output)) -> String {
        let mut compiled = compiled(interface);
        assert_eq!(check(&compiled), Ok(()));
        change(&mut compiled);
        check(&compiled).expect_err("beyond the hardware")
    }

    #[test]
    fn every_stage_shares_limits() {
        let vertex = || Interface::Vertex(VertexInterface::default());
        assert_eq!(
            refused(vertex(), |c| c.stage = Stage::Compute),
            "has the interface of another stage"
        );
        assert_eq!(
            refused(vertex(), |c| c.kernels[0].dispatch_grf_start = 129),
            "dispatch_grf_start: 129 is above 128"
        );
        assert_eq!(
            refused(vertex(), |c| c.kernels[0].scratch_bytes += 1),
            "scratch_bytes: 2097153 is above 2097152"
        );
        assert_eq!(
            refused(vertex(), |c| c.push[1].length = 65),
            "registers of push constants: 129 is above 128"
        );
        // The sum is not taken in 32 bits.
        assert!(
            refused(vertex(), |c| c.push[1].length = u32::MAX)
                .starts_with("registers of push constants: 4294967359 ")
        );
        assert!(
            refused(vertex(), |c| c.push[0].start = u32::MAX).starts_with("end of a push range: ")
        );
        assert!(refused(vertex(), |c| c.samplers = vec![0; 257]).starts_with("samplers: "));
    }

    #[test]
    fn sizes_of_interfaces_are_limited() {
        let inputs = vec![VertexInput::Attribute64 { location: 256, half: 1 }];
        let vertex = Interface::Vertex(VertexInterface { inputs, ..VertexInterface::default() });
        let message = refused(vertex, |c| {
            c.interface = Interface::Vertex(VertexInterface {
                inputs: vec![VertexInput::Attribute { location: u32::MAX }],
                ..VertexInterface::default()
            });
        });
        assert_eq!(message, "location: 4294967295 is above 256");

        let geometry = GeometryInterface {
            vertices_in: 6,
            max_vertices: 1024,
            ..GeometryInterface::default()
        };
        let message = refused(Interface::Geometry(geometry.clone()), |c| {
            c.interface =
                Interface::Geometry(GeometryInterface { vertices_in: 7, ..geometry.clone() });
        });
        assert_eq!(message, "vertices_in: 7 is above 6");
        let message = refused(Interface::Geometry(geometry.clone()), |c| {
            c.interface = Interface::Geometry(GeometryInterface {
                static_vertex_count: Some(1025),
                ..geometry.clone()
            });
        });
        assert_eq!(message, "static_vertex_count: 1025 is above 1024");

        let control = TessControlInterface {
            vertices_in: 32,
            vertices_out: 32,
            threads: 16,
            ..TessControlInterface::default()
        };
        let message = refused(Interface::TessControl(control.clone()), |c| {
            c.interface =
                Interface::TessControl(TessControlInterface { threads: 33, ..control.clone() });
        });
        assert_eq!(message, "threads: 33 is above 32");

        let evaluation =
            TessEvaluationInterface { pushed_slots: 256, ..TessEvaluationInterface::default() };
        let message = refused(Interface::TessEvaluation(evaluation.clone()), |c| {
            let inputs = PatchMap { per_patch: Vec::new(), per_vertex: vec![Varying::Pad; 2049] };
            c.interface =
                Interface::TessEvaluation(TessEvaluationInterface { inputs, ..evaluation.clone() });
        });
        assert_eq!(message, "slots of a vertex: 2049 is above 2048");

        let compute = ComputeInterface { shared_size: 65536, ..ComputeInterface::default() };
        let message = refused(Interface::Compute(compute.clone()), |c| {
            c.interface =
                Interface::Compute(ComputeInterface { shared_size: 65537, ..compute.clone() });
        });
        assert_eq!(message, "shared_size: 65537 is above 65536");
    }
}
