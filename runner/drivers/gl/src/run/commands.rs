//! Execution of commands: one arm for each, which calls the module of its subject.

use script::Command;
use vocabulary::Phase;

use super::session::{Linked, Run};
use crate::bindings::gl;
use crate::enums::value_of;
use crate::outcome::{Flow, fail};

impl<'a> Run<'a> {
    /// Executes one command.
    pub(super) fn command(&mut self, command: &'a Command<'a>) -> Flow {
        match command {
            &Command::ClearColor([red, green, blue, alpha]) => {
                self.clear_mask |= gl::COLOR_BUFFER_BIT;
                self.api.clear_color(red, green, blue, alpha);
            }
            Command::ClearDepth(depth) => {
                self.clear_mask |= gl::DEPTH_BUFFER_BIT;
                if self.is_es() {
                    self.api.clear_depthf(*depth)
                } else {
                    self.api.clear_depth(f64::from(*depth))
                }
            }
            Command::Clear => self.api.clear(self.clear_mask),
            Command::State(command) => self.state(command)?,
            Command::DrawRect(draw) => self.draw_rect(draw)?,
            Command::DrawArrays(draw) => self.draw_arrays(draw)?,
            Command::MultiDrawArrays(draws) => self.multi_draw(draws)?,
            Command::DrawElements(draw) => self.draw_elements(draw)?,
            Command::Compute { groups, local_size } => self.compute(*groups, *local_size)?,
            Command::Uniform(uniform) => {
                if self.needs_program() {
                    self.uniform(uniform)?;
                }
            }
            Command::BlockArrayIndex(index) => self.blocks.array_index = *index,
            // Without effect where blocks are addressed by name.
            Command::BlockBinding(binding) => self.blocks.member.binding = Some(*binding),
            Command::BlockOffset(offset) => self.blocks.member.layout.offset = *offset,
            Command::BlockMatrixStride(stride) => self.blocks.member.layout.stride = *stride,
            Command::BlockRowMajor(row_major) => self.blocks.member.layout.row_major = *row_major,
            Command::Buffer(command) => self.buffer(command)?,
            Command::Texture(command) => self.texture(command)?,
            Command::Framebuffer(command) => self.framebuffer(command)?,
            Command::Probe(probe) => self.probe(probe)?,
            Command::LinkSuccess => {
                self.needs_program();
            }
            Command::LinkError => {
                self.link_error_expected = true;
                if self.linked.is_linked() {
                    let message = "shader link error expected, but it was successful!";
                    return Err(fail(Phase::Link, message));
                }
            }
            Command::ProgramBinarySaveRestore => self.save_restore()?,
            Command::Query(command) => self.query(command)?,
            Command::NewList(mode) => {
                if self.list == 0 {
                    self.list = self.api.gen_lists(1);
                }
                self.api.new_list(self.list, value_of(*mode).unwrap_or(gl::COMPILE));
            }
            Command::EndList => self.api.end_list(),
            Command::CallList => self.api.call_list(self.list),
            Command::DeleteList => {
                self.api.delete_lists(self.list, 1);
                self.list = 0;
            }
            Command::Subuniform { stage, uniform, function } => {
                self.subuniform(*stage, uniform, function)?;
            }
            Command::VertexAttribHandle { target, slot } => self.attribute_handle(target, *slot)?,
            Command::ActiveShaderProgram(stage) => {
                if let Linked::Pipeline { programs, pipeline } = &self.linked {
                    let found = programs.iter().find(|(s, _)| s == stage);
                    let program = found.map_or(0, |&(_, program)| program);
                    self.api.active_shader_program(*pipeline, program);
                }
            }
        }
        Ok(())
    }

    fn compute(&mut self, [x, y, z]: [u32; 3], local_size: Option<[u32; 3]>) -> Flow {
        if local_size.is_some() {
            self.needs_extension("GL_ARB_compute_variable_group_size")?;
        }
        if self.needs_program() {
            self.api.memory_barrier(gl::ALL_BARRIER_BITS);
            match local_size {
                None => self.api.dispatch_compute(x, y, z),
                Some([a, b, c]) => self.api.dispatch_compute_group_size(x, y, z, a, b, c),
            }
            self.api.memory_barrier(gl::ALL_BARRIER_BITS);
        }
        Ok(())
    }
}
