//! Compilation of a shader: the phases in their order.

use crate::allocate::{Allocation, allocate, checker};
use crate::error::CompileError;
use crate::liveness::remove_dead;
use crate::machine::Program;
use crate::output::{Descriptor, Interface, Output, Statistics, UserData, UserValue};
use crate::physical::Physical;
use crate::select::{Selection, used_operations};
use crate::stage::compute::Compute;
use crate::stage::fragment::Fragment;
use crate::stage::vertex::Vertex;
use crate::stage_key::StageKey;
use crate::wait_states::insert_wait_states;
use crate::waits::insert_waits;
use gcn::{Chip, Format, HardwareStage};
use ir::{Shader, Stage};
use vocabulary::Phase;

/// Registers of the driver behind the table's address.
const TABLE: UserValue = UserValue::Table;

/// Compiles one shader stage for a chip.
///
/// # Errors
/// The phase that failed and the reason.
pub fn compile(shader: &Shader, key: &StageKey, chip: Chip) -> Result<Output, CompileError> {
    let mut selected = select(shader, key, chip)?;
    remove_dead(&mut selected.program);
    let allocation = allocate(&selected.program)?;
    if let Some(problem) = checker::check(&selected.program, &allocation) {
        let message = format!("the checker refuses the allocation: {problem}");
        return Err(CompileError { phase: Phase::Allocate, message, internal: true });
    }
    let mut physical = Physical::new(&selected.program, &allocation);
    physical.simplify();
    insert_waits(&mut physical);
    insert_wait_states(&mut physical);
    let words = physical.encode()?;
    let output = Output {
        chip,
        stage: selected.stage,
        words,
        scalars: allocation.scalars.max(selected.initial_scalars),
        vectors: allocation.vectors.max(selected.initial_vectors),
        scratch_bytes: shader.info.scratch_size.next_multiple_of(4),
        user_data: selected.user_data,
        descriptors: selected.descriptors,
        interface: selected.interface,
        statistics: statistics(&physical, &allocation),
    };
    validate(&output)?;
    Ok(output)
}

/// Result of instruction selection.
struct Selected {
    program: Program,
    stage: HardwareStage,
    user_data: Vec<UserData>,
    descriptors: Vec<Descriptor>,
    interface: Interface,
    /// Registers with values at the start.
    initial_scalars: u8,
    initial_vectors: u16,
}

fn select(shader: &Shader, key: &StageKey, chip: Chip) -> Result<Selected, CompileError> {
    let mut s = Selection::new(shader, chip);
    let used = used_operations(shader);
    let mut values = Vec::new();
    if !s.descriptors().is_empty() {
        values.push(TABLE);
    }
    let (stage, interface, system) = match shader.info.stage {
        Stage::Vertex => {
            values.extend(Vertex::user_values(&used));
            s.lay_out_user_data(&values);
            let mut vertex = Vertex::new(&mut s);
            s.start_lanes();
            s.load_resident_descriptors()?;
            s.body(&mut vertex)?;
            (HardwareStage::Vs, Interface::Vertex(vertex.finish(&mut s)?), 0)
        }
        Stage::Fragment => {
            let next = s.lay_out_user_data(&values);
            let mut fragment = Fragment::new(&mut s, key, next)?;
            s.start_lanes();
            s.load_resident_descriptors()?;
            s.body(&mut fragment)?;
            (HardwareStage::Ps, Interface::Fragment(fragment.finish(&mut s)?), 1)
        }
        Stage::Compute => {
            values.extend(Compute::user_values(&used));
            let next = s.lay_out_user_data(&values);
            let mut compute = Compute::new(&mut s, next);
            s.start_lanes();
            s.load_resident_descriptors()?;
            s.body(&mut compute)?;
            (HardwareStage::Cs, Interface::Compute(compute.finish(&mut s)), 3)
        }
        stage => {
            let message = format!("{} shaders are not supported on {chip}", stage.name());
            return Err(CompileError::lower(message));
        }
    };
    let user: u8 = values.iter().map(|value| value.dwords()).sum();
    let initial_vectors = match &interface {
        Interface::Vertex(_) => 4,
        Interface::Compute(_) => 3,
        Interface::Fragment(fragment) => {
            fragment.values.iter().map(|value| u16::from(value.registers())).sum()
        }
    };
    Ok(Selected {
        stage,
        user_data: s.user_data.clone(),
        descriptors: s.descriptors().to_vec(),
        interface,
        initial_scalars: user + system,
        initial_vectors,
        program: s.e.program,
    })
}

fn statistics(physical: &Physical, allocation: &Allocation) -> Statistics {
    let mut statistics = Statistics {
        scalars: allocation.scalars.into(),
        vectors: allocation.vectors.into(),
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
        statistics.waits += u32::from(placed.instruction.opcode == gcn::Opcode::SWaitcnt);
    }
    statistics
}

fn validate(output: &Output) -> Result<(), CompileError> {
    let violations = gcn::validate(output.chip, &output.facts(), &output.words);
    match violations.first() {
        Some(first) => {
            let message = format!("{first} ({} in all)", violations.len());
            Err(CompileError { phase: Phase::Validate, message, internal: true })
        }
        None => Ok(()),
    }
}
