//! Uniform blocks: a buffer for each, filled by the `uniform` command.

use script::{Scalar, Uniform};
use vocabulary::Phase;

use super::member_layout::MemberLayout;
use super::session::{BlockMember, Linked, Run};
use crate::bindings::gl;
use crate::outcome::{Flow, fail, missing_uniform};

impl Run<'_> {
    /// Creates a zeroed buffer for each active block and binds it to the binding of the block's
    /// index.
    pub(super) fn create_blocks(&mut self) {
        let Linked::Program(program) = self.linked else { return };
        let extension = "GL_ARB_uniform_buffer_object";
        if !self.capabilities.has_version(31, 30, &[extension]) {
            return;
        }
        let count = self.api.get_program(program, gl::ACTIVE_UNIFORM_BLOCKS);
        for block in 0..u32::try_from(count).unwrap_or(0) {
            let size = self.api.uniform_block(program, block, gl::UNIFORM_BLOCK_DATA_SIZE);
            let buffer = self.api.create_buffer();
            self.objects.buffers.push(buffer);
            let binding = if self.spirv {
                let binding = self.api.uniform_block(program, block, gl::UNIFORM_BLOCK_BINDING);
                self.blocks.by_binding.insert(binding, block as usize);
                u32::try_from(binding).unwrap_or(0)
            } else {
                self.api.uniform_block_binding(program, block, block);
                block
            };
            self.api.bind_buffer_base(gl::UNIFORM_BUFFER, binding, buffer);
            let zeros = vec![0; usize::try_from(size).unwrap_or(0)];
            self.api.buffer_data(gl::UNIFORM_BUFFER, &zeros, gl::STATIC_DRAW);
            self.blocks.buffers.push(buffer);
        }
    }

    /// Sets a member of a block; returns false if the name is none.
    pub(super) fn block_member(&mut self, uniform: &Uniform<'_>, name: &str) -> Flow<bool> {
        let Linked::Program(program) = self.linked else { return Ok(false) };
        if self.blocks.buffers.is_empty() {
            return Ok(false);
        }
        if self.spirv {
            let BlockMember { binding, layout } = self.blocks.member;
            let block = binding.and_then(|binding| self.blocks.by_binding.get(&binding));
            let Some(&block) = block else {
                let reason = format!("`{name}`: `block binding` names no uniform block");
                return Err(fail(Phase::Link, reason));
            };
            self.write_member(uniform, block, layout)?;
            return Ok(true);
        }
        let (base, element) = subscript(name);
        let Some(index) = self.api.uniform_index(program, base) else {
            if self.script.require.ignore_missing_uniforms {
                return Ok(true);
            }
            // An element of an array of structures, for example, has only its full name.
            return match self.api.uniform_location(program, name) {
                -1 => Err(missing_uniform(format!("cannot get index of uniform \"{name}\""))),
                _ => Ok(false),
            };
        };
        let property = |property| self.api.active_uniform_property(program, index, property);
        let Ok(block) = usize::try_from(property(gl::UNIFORM_BLOCK_INDEX)) else {
            return Ok(false);
        };
        if i64::from(element) > i64::from(property(gl::UNIFORM_SIZE)) {
            return Ok(false);
        }
        let layout = MemberLayout {
            offset: property(gl::UNIFORM_OFFSET)
                + element as i32 * property(gl::UNIFORM_ARRAY_STRIDE),
            stride: property(gl::UNIFORM_MATRIX_STRIDE),
            row_major: property(gl::UNIFORM_IS_ROW_MAJOR) != 0,
        };
        self.write_member(uniform, block, layout)?;
        Ok(true)
    }

    /// Writes a value to its place in the selected element of a block array.
    fn write_member(&mut self, uniform: &Uniform<'_>, block: usize, layout: MemberLayout) -> Flow {
        let element = block + usize::try_from(self.blocks.array_index).unwrap_or(0);
        let Some(&buffer) = self.blocks.buffers.get(element) else {
            return Err(fail(Phase::Script, format!("there is no uniform block {element}")));
        };
        let scalars = self.scalars(uniform)?;
        self.api.bind_buffer(gl::UNIFORM_BUFFER, buffer);
        let size = self.api.buffer_size(gl::UNIFORM_BUFFER);
        for (offset, bytes) in layout.pieces(uniform, &scalars) {
            // Values beyond the end of the buffer are dropped.
            let room = size.saturating_sub(offset).min(bytes.len());
            self.api.buffer_sub_data(gl::UNIFORM_BUFFER, offset, &bytes[..room]);
        }
        Ok(())
    }

    /// Returns the components of a value as bytes.
    fn scalars(&self, uniform: &Uniform<'_>) -> Flow<Vec<Vec<u8>>> {
        let words = self.script.uniform_words(uniform);
        if uniform.ty.scalar == Scalar::Handle {
            let handle = self.handle(words.first().copied().unwrap_or(0))?;
            return Ok(vec![handle.to_ne_bytes().to_vec()]);
        }
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(words.chunks(uniform.ty.scalar.words()).map(bytes).collect())
    }
}

/// Splits the last subscript off a name; 0 if there is none.
fn subscript(name: &str) -> (&str, u32) {
    let split = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match split.and_then(|(base, index)| Some((base, index.parse().ok()?))) {
        Some(found) => found,
        None => (name, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::subscript;

    #[test]
    fn subscripts() {
        assert_eq!(subscript("a"), ("a", 0));
        assert_eq!(subscript("a[3]"), ("a", 3));
        assert_eq!(subscript("s[1].m[2]"), ("s[1].m", 2));
        assert_eq!(subscript("s[1].m"), ("s[1].m", 0));
    }
}
