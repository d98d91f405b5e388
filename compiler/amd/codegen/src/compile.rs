//! Compilation of a shader: the phases in their order.

use crate::allocate::spill::{Failure, Scratch, allocate_and_spill};
use crate::allocate::{Allocation, checker, most_waves};
use crate::copies::remove_copies;
use crate::join_blocks::join_blocks;

use crate::long_jumps::insert_islands;
use crate::machine::{Part, Program};
use crate::output::{Descriptor, Interface, Output, Resource, Statistics, UserData, UserValue};
use crate::physical::Physical;
use crate::remove_dead::remove_dead;
use crate::schedule::schedule;
use crate::select::control::StageSelection;
use crate::select::{Selection, accesses_scratch, used_operations};
use crate::sink::sink;
use crate::stage::compute::Compute;
use crate::stage::fragment::Fragment;
use crate::stage::geometry::Geometry;
use crate::stage::tess_control::TessControl;
use crate::stage::tess_evaluation::TessEvaluation;
use crate::stage::vertex::Vertex;
use crate::stage::{barycentric, copy, geometry, tess_control, tess_evaluation};
use crate::stage_key::{NextStage, StageKey};
use crate::wait_states::insert_wait_states;
use crate::waits::insert_waits;
use amd_isa::{Chip, Format, HardwareStage};
use ir::{CompileError, IntrinsicOp, Shader, Slot, Stage};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use vocabulary::{InternalError, Phase};

/// Most bytes of scratch memory per lane: the stride of a descriptor has 14 bits.
const MAX_SCRATCH: u32 = (1 << 14) - 4;

/// Compiles one shader stage for a chip.
///
/// # Errors
/// The phase that failed and the reason.
pub fn compile(shader: &Shader, key: &StageKey, chip: Chip) -> Result<Output, CompileError> {
    let scratch = shader.info.scratch_size.next_multiple_of(4);
    let mut form = Form { spills: scratch > 0, wide_loads: true };
    loop {
        match encode(select(shader, key, chip, form)?, chip, scratch) {
            Err(Failure::NeedsScratch(_)) if !form.spills => form.spills = true,
            Err(Failure::Error(error))
                if form.wide_loads
                    && error.phase == Phase::Allocate
                    && error.internal.is_none() =>
            {
                form.wide_loads = false;
            }
            other => return other.map_err(Failure::error),
        }
    }
}

/// Properties of the code that depend on whether registers suffice.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// The descriptor of scratch memory stays in registers.
    spills: bool,
    /// Uniform loads are merged: they take groups of registers.
    wide_loads: bool,
}

/// Takes a selected program through the phases behind selection; it uses `scratch` bytes of scratch
/// memory per lane.
fn encode(mut selected: Selected, chip: Chip, scratch: u32) -> Result<Output, Failure> {
    let mut scratch = Scratch { descriptor: selected.scratch, bytes: scratch, spills: 0, fills: 0 };
    let kept = scratch.descriptor.map(|part| part.reg);
    join_blocks(&mut selected.program);
    remove_dead(&mut selected.program, kept);
    remove_copies(&mut selected.program, kept);
    remove_dead(&mut selected.program, kept);
    let allocation = allocate_for_waves(&mut selected.program, &mut scratch)?;
    if scratch.bytes > MAX_SCRATCH {
        let message = format!("{} bytes of scratch memory per lane", scratch.bytes);
        return Err(CompileError::allocate(message).into());
    }
    checker::check(&selected.program, &allocation)?;
    let mut physical = Physical::new(&selected.program, &allocation)?;
    physical.simplify();
    insert_waits(&mut physical);
    insert_wait_states(&mut physical);
    insert_islands(&mut physical)?;
    let words = physical.encode()?;
    let output = Output {
        chip,
        stage: selected.stage,
        words,
        scalars: allocation.scalars.max(selected.initial_scalars),
        vectors: allocation.vectors.max(selected.initial_vectors),
        scratch_bytes: scratch.bytes,
        user_data: selected.user_data,
        descriptors: selected.descriptors,
        interface: selected.interface,
        statistics: statistics(&physical, &allocation, &scratch),
    };
    validate(&output)?;
    Ok(output)
}

/// Changes of the order of instructions that save registers, from the one that costs least time.
const REORDERINGS: [fn(&mut Program); 2] = [sink, schedule];

/// Allocates registers. If they limit the number of waves, and more fit with another order of the
/// instructions, that is the order.
fn allocate_for_waves(program: &mut Program, scratch: &mut Scratch) -> Result<Allocation, Failure> {
    let chip = program.chip;
    let quality = |allocation: &Allocation, scratch: &Scratch| {
        (Reverse(scratch.spills + scratch.fills), allocation.waves(chip))
    };
    let (original, scratch_of_original) = (program.clone(), *scratch);
    let mut best = allocate_and_spill(program, scratch);
    for reorder in REORDERINGS {
        let reached = best.as_ref().ok().map(|best| quality(best, scratch));
        if reached.is_some_and(|reached| reached >= (Reverse(0), most_waves(chip))) {
            break;
        }
        let (mut reordered, mut its_scratch) = (original.clone(), scratch_of_original);
        reorder(&mut reordered);
        let Ok(allocation) = allocate_and_spill(&mut reordered, &mut its_scratch) else { continue };
        if reached.is_none_or(|reached| quality(&allocation, &its_scratch) > reached) {
            (*program, *scratch) = (reordered, its_scratch);
            best = Ok(allocation);
        }
    }
    best
}

/// Result of instruction selection.
struct Selected {
    program: Program,
    stage: HardwareStage,
    user_data: Vec<UserData>,
    descriptors: Vec<Descriptor>,
    interface: Interface,
    /// Descriptor of scratch memory, if it is there for spilling.
    scratch: Option<Part>,
    /// Registers with values at the start.
    initial_scalars: u8,
    initial_vectors: u16,
}

impl Selected {
    /// `system` is the number of scalar registers behind those of the driver.
    fn new(s: Selection<'_>, stage: HardwareStage, interface: Interface, system: u8) -> Selected {
        let end = |data: &UserData| data.register + data.value.dwords();
        let user: u8 = s.user_data.iter().map(end).max().unwrap_or(0);
        let initial_vectors = match &interface {
            Interface::Vertex(_) | Interface::TessEvaluation(_) => 4,
            Interface::TessControl(_) => 2,
            Interface::Geometry(_) => 8,
            Interface::Compute(_) => 3,
            Interface::Fragment(fragment) => {
                fragment.values.iter().map(|value| u16::from(value.registers())).sum()
            }
        };
        Selected {
            stage,
            descriptors: s.descriptors().to_vec(),
            scratch: s.scratch,
            user_data: s.user_data,
            interface,
            initial_scalars: user + system,
            initial_vectors,
            program: s.e.program,
        }
    }
}

fn select(
    shader: &Shader,
    key: &StageKey,
    chip: Chip,
    form: Form,
) -> Result<Selected, CompileError> {
    let stream_outputs = geometry::stream_outputs(shader);
    let used = used_operations(shader);
    let mut of_stage = match (shader.info.stage, key.next) {
        (Stage::Vertex, NextStage::Geometry) => vec![Resource::VertexRing],
        (Stage::TessControl, _) => tess_control::RESOURCES.to_vec(),
        (Stage::TessEval, next) => tess_evaluation::resources(next),
        (Stage::Geometry, _) => geometry::resources(&stream_outputs),
        (Stage::Fragment, _) => barycentric::resources(&used, key.samples),
        _ => Vec::new(),
    };
    if form.spills && !accesses_scratch(&used) {
        of_stage.push(Resource::Scratch);
    }
    let mut s = Selection::new(shader, &of_stage, chip);
    s.spills = form.spills;
    s.wide_loads = form.wide_loads;
    let mut values = user_values(shader, &used);
    let plain: u8 = values.iter().map(|value| value.dwords()).sum();
    let (inline, table) = s.inline_descriptors(plain, &of_stage);
    values.extend(table.then_some(UserValue::Table));
    values.extend(inline.into_iter().map(UserValue::Descriptor));
    let next = s.lay_out_user_data(values);
    let (stage, interface, system) = match shader.info.stage {
        Stage::Vertex => {
            let mut vertex = Vertex::new(&mut s, key.next, next);
            run(&mut s, &mut vertex)?;
            let stage = match key.next {
                NextStage::Rasterization => HardwareStage::Vs,
                NextStage::Geometry => HardwareStage::Es,
                NextStage::TessControl => HardwareStage::Ls,
            };
            let system = u8::from(key.next == NextStage::Geometry);
            (stage, Interface::Vertex(vertex.finish(&mut s)?), system)
        }
        Stage::TessControl => {
            let mut control = TessControl::new(&mut s, key, next)?;
            run(&mut s, &mut control)?;
            (HardwareStage::Hs, Interface::TessControl(control.finish(&mut s)?), 2)
        }
        Stage::TessEval => {
            let mut evaluation = TessEvaluation::new(&mut s, &used, key.next, next)?;
            run(&mut s, &mut evaluation)?;
            let stage = match key.next {
                NextStage::Geometry => HardwareStage::Es,
                _ => HardwareStage::Vs,
            };
            let system = tess_evaluation::system_registers(key.next);
            (stage, Interface::TessEvaluation(evaluation.finish(&mut s)?), system)
        }
        Stage::Geometry => {
            let copy = copy_program(&stream_outputs[0], shader.info.geometry.max_vertices, chip)?;
            let mut geometry = Geometry::new(&mut s, stream_outputs, next)?;
            run(&mut s, &mut geometry)?;
            (HardwareStage::Gs, Interface::Geometry(geometry.finish(&mut s, copy)), 2)
        }
        Stage::Fragment => {
            let mut fragment = Fragment::new(&mut s, key, next)?;
            run(&mut s, &mut fragment)?;
            (HardwareStage::Ps, Interface::Fragment(fragment.finish(&mut s)?), 1)
        }
        Stage::Compute => {
            let mut compute = Compute::new(&mut s, next);
            run(&mut s, &mut compute)?;
            (HardwareStage::Cs, Interface::Compute(compute.finish(&mut s)), 3)
        }
    };
    Ok(Selected::new(s, stage, interface, system))
}

/// The driver's values that a shader wants, in the order of their registers.
fn user_values(shader: &Shader, used: &[IntrinsicOp]) -> BTreeSet<UserValue> {
    let mut values: BTreeSet<UserValue> = used.iter().filter_map(|&op| UserValue::of(op)).collect();
    let wants = |op: IntrinsicOp| used.contains(&op);
    match shader.info.stage {
        Stage::Vertex if wants(IntrinsicOp::VertexId) => {
            values.insert(UserValue::BaseVertex);
        }
        Stage::TessControl => {
            values.insert(UserValue::SharedOutputs);
        }
        Stage::TessEval => {
            values.insert(UserValue::PatchStride);
            values.extend(wants(IntrinsicOp::PatchVerticesIn).then_some(UserValue::PatchVertices));
        }
        Stage::Compute if wants(IntrinsicOp::LocalInvocationIndex) => {
            let is_variable = shader.info.local_size[0] == 0;
            values.extend(is_variable.then_some(UserValue::WorkgroupSize));
        }
        _ => {}
    }
    values
}

/// Selects the code of the shader itself.
fn run(s: &mut Selection<'_>, stage: &mut dyn StageSelection) -> Result<(), CompileError> {
    s.start_lanes();
    if s.spills {
        s.scratch = Some(s.resident_descriptor(Resource::Scratch)?);
    }
    s.load_resident_descriptors()?;
    s.body(stage)
}

/// Compiles the program that exports the vertices of a geometry stage.
fn copy_program(
    outputs: &[(Slot, u8)],
    max_vertices: u32,
    chip: Chip,
) -> Result<Output, CompileError> {
    let shader = Shader::new(Stage::Vertex);
    let of_stage: &[Resource] = if outputs.is_empty() { &[] } else { &[Resource::CopyRing] };
    let mut s = Selection::new(&shader, of_stage, chip);
    s.lay_out_user_data(of_stage.iter().map(|&resource| UserValue::Descriptor(resource)));
    let interface = Interface::Vertex(copy::select(&mut s, outputs, max_vertices)?);
    let selected = Selected::new(s, HardwareStage::Vs, interface, 0);
    encode(selected, chip, 0).map_err(Failure::error)
}

fn statistics(physical: &Physical, allocation: &Allocation, scratch: &Scratch) -> Statistics {
    let mut statistics = Statistics {
        scalars: allocation.scalars.into(),
        vectors: allocation.vectors.into(),
        spills: scratch.spills,
        fills: scratch.fills,
        ..Statistics::default()
    };
    for placed in physical.blocks.iter().flatten() {
        let format = placed.instruction.format;
        statistics.instructions += 1;
        let class = match format {
            Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk | Format::Sopp => {
                &mut statistics.scalar
            }
            format if format.is_vector_alu() => &mut statistics.vector,
            _ => &mut statistics.memory,
        };
        *class += 1;
        statistics.waits += u32::from(placed.instruction.opcode == amd_isa::Opcode::SWaitcnt);
    }
    statistics
}

fn validate(output: &Output) -> Result<(), CompileError> {
    let violations = amd_isa::validate(output.chip, &output.facts(), &output.words);
    match violations.first() {
        Some(first) => {
            let message = format!("{first} ({} in all)", violations.len());
            Err(InternalError::new(Phase::Validate, message).into())
        }
        None => Ok(()),
    }
}
