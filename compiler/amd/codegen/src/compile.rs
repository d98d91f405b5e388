//! Compilation of a shader: the phases in their order.

use crate::allocate::spill::{Failure, Scratch, allocate_and_spill};
use crate::allocate::{Allocation, checker, most_waves};
use crate::machine::{Part, Program};
use crate::output::{
    Descriptor, Interface, MAX_PLAIN_SCRATCH, MAX_SCRATCH, Output, Resource, SPILL_AREA,
    Statistics, UserData, UserValue,
};
use crate::passes::{PassList, REQUIRED};
use crate::physical::Physical;
use crate::select::control::StageSelection;
use crate::select::{Selection, accesses_scratch, used_operations};
use crate::stage::compute::Compute;
use crate::stage::fragment::Fragment;
use crate::stage::geometry::Geometry;
use crate::stage::tess_control::TessControl;
use crate::stage::tess_evaluation::TessEvaluation;
use crate::stage::vertex::Vertex;
use crate::stage::{barycentric, copy, geometry, tess_control, tess_evaluation};
use crate::stage_key::{NextStage, StageKey};
use amd_isa::{Chip, Format, HardwareStage};
use ir::{CompileError, IntrinsicOp, IrUnit, PassLog, PassManager, PassOptions, PassRecord};
use ir::{Shader, Slot, Stage};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use vocabulary::{CodegenOptions, InternalError, Phase, Width};

/// Maximum number of bytes of arrays per lane in scratch memory that is not interleaved.
const MAX_PLAIN_ARRAYS: u32 = MAX_PLAIN_SCRATCH - SPILL_AREA;

/// Compiles one shader stage for a chip.
///
/// # Errors
/// The phase that failed and the reason.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    chip: Chip,
    options: &CodegenOptions,
) -> Result<Output, CompileError> {
    compile_recorded(shader, key, chip, options, &PassRecord::default())
}

/// As [`compile`], after the runs of optional passes that `record` counts, and records those on
/// machine programs there: of each attempt, and of the program that exports the vertices of a
/// geometry stage.
///
/// # Errors
/// As [`compile`]; the record is complete even then.
pub fn compile_recorded(
    shader: &Shader,
    key: &StageKey,
    chip: Chip,
    options: &CodegenOptions,
    record: &PassRecord,
) -> Result<Output, CompileError> {
    compile_with(shader, key, chip, options, record, &PassList::default())
}

/// As [`compile_recorded`], with passes of the caller.
///
/// # Errors
/// As [`compile_recorded`].
pub fn compile_with(
    shader: &Shader,
    key: &StageKey,
    chip: Chip,
    options: &CodegenOptions,
    record: &PassRecord,
    passes: &PassList,
) -> Result<Output, CompileError> {
    let generator = CodeGenerator { shader, key, chip, options, record, passes };
    let scratch = shader.info.scratch_size.next_multiple_of(4);
    let interleaved = scratch > MAX_PLAIN_ARRAYS;
    let mut form = Form { spills: scratch > 0, wide_loads: true, interleaved };
    loop {
        match generator.encode(generator.select(form)?, scratch, interleaved) {
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
    /// Scratch memory is interleaved by dwords.
    interleaved: bool,
}

/// Code generation of one shader: the part that its programs share.
#[derive(Clone, Copy)]
struct CodeGenerator<'a> {
    shader: &'a Shader,
    key: &'a StageKey,
    chip: Chip,
    options: &'a CodegenOptions,
    record: &'a PassRecord,
    passes: &'a PassList,
}

impl CodeGenerator<'_> {
    /// Takes a selected program through the phases after selection; it uses `scratch` bytes of
    /// scratch memory per lane.
    fn encode(
        &self,
        selected: Selected,
        scratch: u32,
        interleaved: bool,
    ) -> Result<Output, Failure> {
        let mut log = PassLog::default();
        let output = self.encode_logged(selected, scratch, interleaved, &mut log);
        self.record.push(Width::Wave64, &log);
        output
    }

    /// As [`CodeGenerator::encode`]; `log` is complete even if there is an error.
    fn encode_logged(
        &self,
        mut selected: Selected,
        arrays: u32,
        interleaved: bool,
        log: &mut PassLog,
    ) -> Result<Output, Failure> {
        let descriptor = selected.scratch;
        // Spilled registers follow plain arrays, and precede interleaved ones.
        let (first, most) = if interleaved { (0, SPILL_AREA) } else { (arrays, MAX_PLAIN_SCRATCH) };
        let mut scratch = Scratch { descriptor, bytes: first, spills: 0, fills: 0 };
        let program = &mut selected.program;
        program.kept = descriptor.map(|part| part.reg);
        let allocation =
            self.with_manager(log, |manager| self.allocate(program, &mut scratch, manager))?;
        let bytes = if interleaved { SPILL_AREA.saturating_add(arrays) } else { scratch.bytes };
        if scratch.bytes > most || bytes > MAX_SCRATCH {
            let message = format!("{bytes} bytes of scratch memory per lane");
            return Err(CompileError::allocate(message).into());
        }
        program.spread_lines();
        checker::check(program, &allocation)?;
        let mut physical = Physical::new(program, &allocation)?;
        self.with_manager(log, |manager| self.finish(&mut physical, manager))?;
        let (words, lines) = physical.encode()?;
        let output = Output {
            chip: self.chip,
            stage: selected.stage,
            words,
            lines,
            scalars: allocation.scalars.max(selected.initial_scalars),
            vectors: allocation.vectors.max(selected.initial_vectors),
            scratch_bytes: bytes,
            user_data: selected.user_data,
            descriptors: selected.descriptors,
            interface: selected.interface,
            statistics: statistics(&physical, &allocation, &scratch),
        };
        validate(&output)?;
        Ok(output)
    }

    /// Calls `body` with a pass manager whose runs follow those of `log` and are added to it.
    fn with_manager<T: IrUnit, R>(
        &self,
        log: &mut PassLog,
        body: impl FnOnce(&mut PassManager<'_, T>) -> R,
    ) -> R {
        let limit = self.options.kernel_limit(self.shader.info.stage, Width::Wave64);
        let before = log.runs.len() as u64;
        let mut manager = PassManager::new(PassOptions {
            limit: limit.map(|limit| self.record.left(limit).saturating_sub(before)),
            disabled: self.options.disabled_passes.clone(),
            log: true,
            validate: self.options.paranoid || cfg!(debug_assertions),
        });
        let result = body(&mut manager);
        log.append(manager.log());
        result
    }

    /// Runs the passes on the selected program and allocates its registers.
    fn allocate(
        &self,
        program: &mut Program,
        scratch: &mut Scratch,
        manager: &mut PassManager<'_, Program>,
    ) -> Result<Allocation, Failure> {
        for &pass in &self.passes.selected {
            manager.run(program, pass).map_err(CompileError::from)?;
        }
        self.allocate_for_waves(program, scratch, manager)
    }

    /// Allocates registers. If they limit the number of waves, and more fit with another order of
    /// the instructions, that is the order.
    fn allocate_for_waves(
        &self,
        program: &mut Program,
        scratch: &mut Scratch,
        manager: &mut PassManager<'_, Program>,
    ) -> Result<Allocation, Failure> {
        let quality = |allocation: &Allocation, scratch: &Scratch| {
            (Reverse(scratch.spills + scratch.fills), allocation.waves(self.chip))
        };
        let (original, scratch_of_original) = (program.clone(), *scratch);
        let mut best = allocate_and_spill(program, scratch);
        for &pass in &self.passes.reorder {
            let reached = best.as_ref().ok().map(|best| quality(best, scratch));
            if reached.is_some_and(|reached| reached >= (Reverse(0), most_waves(self.chip))) {
                break;
            }
            let (mut reordered, mut its_scratch) = (original.clone(), scratch_of_original);
            if !manager.run(&mut reordered, pass).map_err(CompileError::from)? {
                continue;
            }
            let Ok(allocation) = allocate_and_spill(&mut reordered, &mut its_scratch) else {
                continue;
            };
            if reached.is_none_or(|reached| quality(&allocation, &its_scratch) > reached) {
                (*program, *scratch) = (reordered, its_scratch);
                best = Ok(allocation);
            }
        }
        best
    }

    /// Runs the passes on the allocated program.
    fn finish(
        &self,
        program: &mut Physical,
        manager: &mut PassManager<'_, Physical>,
    ) -> Result<(), CompileError> {
        for &pass in &self.passes.allocated {
            manager.run(program, pass)?;
        }
        for pass in REQUIRED {
            manager.run_required(program, pass)?;
        }
        Ok(())
    }
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
    /// `system` is the number of scalar registers after those of the driver.
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

impl CodeGenerator<'_> {
    /// Selects the instructions of the shader.
    fn select(&self, form: Form) -> Result<Selected, CompileError> {
        let CodeGenerator { shader, key, chip, .. } = *self;
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
        s.interleaved = form.interleaved;
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
                let copy = self.copy_program(&stream_outputs[0])?;
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

    /// Compiles the program that exports the vertices of a geometry stage.
    fn copy_program(&self, outputs: &[(Slot, u8)]) -> Result<Output, CompileError> {
        let max_vertices = self.shader.info.geometry.max_vertices;
        let shader = Shader::new(Stage::Vertex);
        let of_stage: &[Resource] = if outputs.is_empty() { &[] } else { &[Resource::CopyRing] };
        let mut s = Selection::new(&shader, of_stage, self.chip);
        s.lay_out_user_data(of_stage.iter().map(|&resource| UserValue::Descriptor(resource)));
        let interface = Interface::Vertex(copy::select(&mut s, outputs, max_vertices)?);
        let selected = Selected::new(s, HardwareStage::Vs, interface, 0);
        self.encode(selected, 0, false).map_err(Failure::error)
    }
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
