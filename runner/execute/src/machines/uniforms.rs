//! `uniform` commands.

use script::{Scalar, Uniform, UniformTarget};

use gl_machine::machine::uniforms::UniformValue;
use gl_machine::machine::{Machine, MachineError};

use super::session::{Flow, Session};
use super::translate::uniform_value;
use results::verdict::{Phase, Verdict};

/// Sets a uniform by name or location on every executor.
pub(super) fn execute(session: &mut Session<'_>, uniform: &Uniform<'_>) -> Flow {
    match uniform.ty.scalar {
        Scalar::Uint => session.needs(30, &["GL_EXT_gpu_shader4"])?,
        Scalar::Double => session.needs(40, &["GL_ARB_gpu_shader_fp64"])?,
        Scalar::Int64 | Scalar::Uint64 => session.needs(u32::MAX, &["GL_ARB_gpu_shader_int64"])?,
        Scalar::Float | Scalar::Int | Scalar::Handle => {}
    }
    let words = session.script.uniform_words(uniform);
    // The script names a handle by its slot.
    let slot = words.first().copied().unwrap_or(0);
    let constant = uniform_value(uniform.ty, words);
    let value = |machine: &Machine| -> Result<UniformValue, MachineError> {
        match &constant {
            Some(value) => Ok(value.clone()),
            None => {
                let handle = machine.handle(slot).ok_or(MachineError::NotResident(slot))?;
                Ok(UniformValue::vector(program::Scalar::Uint64, &[handle]))
            }
        }
    };
    let ignores_missing = session.script.require.ignore_missing_uniforms;
    let index = session.block_array_index;
    // A negative location is silently ignored, as in GL, and so is a location of a pipeline without
    // an active program.
    let location = |location: i32| {
        let location = u32::try_from(location).ok()?;
        match &session.pipeline {
            Some(pipeline) => pipeline.location(session.active_stage?, location),
            None => Some(location),
        }
    };
    let (binding, place) = session.block_member;
    let is_spirv = session.is_spirv;
    let location = if let UniformTarget::Location(l) = uniform.target { location(l) } else { None };
    session.replicas.each(|machine, _| match uniform.target {
        UniformTarget::Location(_) => {
            let value = value(machine)?;
            location.map_or(Ok(()), |l| machine.set_uniform_location(l, &value))
        }
        UniformTarget::Name(name) => {
            let value = value(machine)?;
            if is_spirv && machine.has_uniform_blocks() {
                let is_set = match binding {
                    Some(binding) => machine.set_bound_member(binding, index, place, &value)?,
                    None => false,
                };
                let missing = MachineError::NothingToRead("`block binding` names no uniform block");
                return if is_set { Ok(()) } else { Err(missing) };
            }
            match machine.set_uniform(name, &value, index) {
                Err(MachineError::Uniform(_)) if ignores_missing => Ok(()),
                result => result,
            }
        }
    })?;
    Ok(())
}

/// Sets a generic attribute without an array to the handle of a slot (ARB_bindless_texture section
/// 10.2.2).
pub(super) fn attribute_handle(
    session: &mut Session<'_>,
    target: &UniformTarget<'_>,
    slot: u32,
) -> Flow {
    let location = match *target {
        UniformTarget::Location(location) => u32::try_from(location).ok(),
        UniformTarget::Name(name) => session.replicas.machine().attribute_location(name),
    };
    let location = location
        .ok_or_else(|| Verdict::fail(Phase::Script, "cannot get location of the attribute"))?;
    session.replicas.each(|machine, _| machine.set_attribute_handle(location, slot))?;
    Ok(())
}
