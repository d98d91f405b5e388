//! Uniform commands.

use program::{Program, Stage};

use super::uniforms::{self, MemberPlace, UniformElement, UniformError, UniformValue};
use super::{GlError, Machine, MachineError};

impl Machine {
    /// Sets one element of a uniform of the current program by its path. If the program has uniform
    /// blocks, members are found first; `block_array_index` picks the block of an array of blocks.
    /// A value of the wrong type raises `InvalidOperation` and changes nothing.
    ///
    /// # Errors
    /// No program is in use, or it has no such uniform.
    pub fn set_uniform(
        &mut self,
        name: &str,
        value: &UniformValue,
        block_array_index: u32,
    ) -> Result<(), MachineError> {
        let program = self.object()?.1.program.clone();
        if !program.uniform_blocks.is_empty()
            && self.set_member(&program, name, value, block_array_index)?
        {
            return Ok(());
        }
        let element = uniforms::find_located(&program, name)
            .ok_or_else(|| UniformError::NoLocation(name.into()))?;
        self.set_element(&program, element, value)
    }

    /// Sets a uniform of the current program by location; an unknown one raises `InvalidOperation`.
    ///
    /// # Errors
    /// No program is in use.
    pub fn set_uniform_location(
        &mut self,
        location: u32,
        value: &UniformValue,
    ) -> Result<(), MachineError> {
        let program = self.object()?.1.program.clone();
        match uniforms::find_location(&program, location) {
            Some(element) => self.set_element(&program, element, value),
            None => {
                self.raise(GlError::InvalidOperation);
                Ok(())
            }
        }
    }

    /// Selects the function of a subroutine uniform of the current program.
    ///
    /// # Errors
    /// There is no such subroutine uniform in the stage, or it cannot select that function.
    pub fn select_subroutine(
        &mut self,
        stage: Stage,
        uniform: &str,
        function: &str,
    ) -> Result<(), MachineError> {
        let object = self.object_mut()?;
        let program = object.program.clone();
        if object.uniforms.select_subroutine(&program, stage, uniform, function) {
            Ok(())
        } else {
            Err(UniformError::NoLocation(uniform.into()).into())
        }
    }

    fn set_element(
        &mut self,
        program: &Program,
        element: UniformElement,
        value: &UniformValue,
    ) -> Result<(), MachineError> {
        if uniforms::accepts(program, &program.uniforms[element.uniform], value) {
            self.object_mut()?.uniforms.set(program, element, value);
        } else {
            self.raise(GlError::InvalidOperation);
        }
        Ok(())
    }

    /// Writes a block member. Returns `false` if the name is no block member.
    fn set_member(
        &mut self,
        program: &Program,
        name: &str,
        value: &UniformValue,
        block_array_index: u32,
    ) -> Result<bool, MachineError> {
        let found = uniforms::find(program, name);
        let at = match (found, uniforms::split_index(name)) {
            (Some(at), _) => at,
            // A member index past the end is no error here; the lookup in the default block fails
            // too.
            (None, Some((base, _))) if uniforms::find(program, base).is_some() => return Ok(false),
            (None, _) => return Err(UniformError::NoIndex(name.into()).into()),
        };
        let uniform = &program.uniforms[at.uniform];
        let Some(block) = uniform.block.filter(|&b| b > 0) else { return Ok(false) };
        let index = u32::from(block) - 1 + block_array_index;
        let Some(&buffer) = self.object()?.1.block_buffers.get(index as usize) else {
            return Ok(false);
        };
        let offset = uniform.offset + at.element.saturating_mul(uniform.array_stride);
        if let Some(bytes) = self.objects.buffers.get_mut(buffer.0 as usize) {
            let value = uniforms::narrowed(program, uniform, value);
            uniforms::write(bytes, MemberPlace::new(offset, uniform), &value);
        }
        Ok(true)
    }

    /// Writes a value to the uniform block of a binding, or to one behind it in an array of blocks:
    /// blocks of SPIR-V need not have names. Returns `false` if there is no such block.
    ///
    /// # Errors
    /// No program is in use.
    pub fn set_bound_member(
        &mut self,
        binding: u32,
        block_array_index: u32,
        place: MemberPlace,
        value: &UniformValue,
    ) -> Result<bool, MachineError> {
        let object = self.object()?.1;
        let first = object.program.uniform_blocks.iter().position(|b| b.binding == binding);
        let index = first.map(|first| first + block_array_index as usize);
        let buffer = index.and_then(|index| object.block_buffers.get(index)).copied();
        let bytes = buffer.and_then(|buffer| self.objects.buffers.get_mut(buffer.0 as usize));
        let Some(bytes) = bytes else { return Ok(false) };
        uniforms::write(bytes, place, value);
        Ok(true)
    }
}
