//! Atomic counters, storage buffers, and the probes of their contents.

use probes::Condition;
use script::{AtomicPosition, BufferCommand, Comparison, Probe, SsboValue};
use vocabulary::Phase;

use super::session::Run;
use crate::bindings::gl;
use crate::outcome::{Flow, ReadValues, Reading, fail, skip};

impl Run<'_> {
    pub(super) fn buffer(&mut self, command: &BufferCommand) -> Flow {
        match *command {
            BufferCommand::AtomicCounters { buffer, count } => {
                self.needs_atomic()?;
                let name = self.bound_buffer(gl::ATOMIC_COUNTER_BUFFER, buffer, count * 4);
                put(&mut self.buffers.atomic, buffer, name);
            }
            BufferCommand::SetAtomicCounter { buffer, counter, value } => {
                self.needs_atomic()?;
                let name = at(&self.buffers.atomic, buffer);
                self.api.bind_buffer_base(gl::ATOMIC_COUNTER_BUFFER, buffer, name);
                let (target, offset) = (gl::ATOMIC_COUNTER_BUFFER, counter as usize * 4);
                self.api.buffer_sub_data(target, offset, &value.to_ne_bytes());
            }
            BufferCommand::Ssbo { buffer, size } => {
                self.needs_storage_buffers()?;
                let name = self.bound_buffer(gl::SHADER_STORAGE_BUFFER, buffer, size);
                put(&mut self.buffers.storage, buffer, name);
            }
            BufferCommand::SsboSubdata { buffer, offset, data } => {
                self.needs_storage_buffers()?;
                let target = gl::SHADER_STORAGE_BUFFER;
                self.api.bind_buffer(target, at(&self.buffers.storage, buffer));
                self.api.buffer_sub_data(target, offset as usize, &data.bytes());
            }
            BufferCommand::Feedback { buffer, size } => {
                let name = self.bound_buffer(gl::TRANSFORM_FEEDBACK_BUFFER, buffer, size);
                put(&mut self.buffers.feedback, buffer, name);
            }
        }
        Ok(())
    }

    fn needs_atomic(&self) -> Flow {
        let has = self.capabilities.has_version(42, 31, &["GL_ARB_shader_atomic_counters"]);
        if has { Ok(()) } else { Err(skip("needs GL 4.2 or GL_ARB_shader_atomic_counters")) }
    }

    fn needs_storage_buffers(&self) -> Flow {
        let has = self.capabilities.has_version(43, 31, &["GL_ARB_shader_storage_buffer_object"]);
        if has { Ok(()) } else { Err(skip("needs GL 4.3 or GL_ARB_shader_storage_buffer_object")) }
    }

    /// Creates a buffer of zeros at an indexed binding point.
    fn bound_buffer(&mut self, target: u32, index: u32, size: u32) -> u32 {
        let name = self.api.create_buffer();
        self.objects.buffers.push(name);
        self.api.bind_buffer_base(target, index, name);
        self.api.buffer_data(target, &vec![0; size as usize], gl::STATIC_DRAW);
        name
    }

    /// Executes probes of buffers.
    pub(super) fn probe_buffer(&mut self, probe: &Probe) -> Flow {
        match *probe {
            Probe::AtomicCounter { buffer, position, comparison, value } => {
                self.needs_atomic()?;
                let (number, offset) = match position {
                    AtomicPosition::Counter(counter) => (counter, counter as usize * 4),
                    AtomicPosition::Offset(offset) => (offset, offset as usize),
                };
                let name = at(&self.buffers.atomic, buffer);
                let value = SsboValue::Uint(value);
                let bytes = self.read(gl::ATOMIC_COUNTER_BUFFER, name, offset, value)?;
                let condition = Condition { comparison, value, near: None };
                self.judge(bytes, &format!("Atomic counter {number}"), &condition);
            }
            Probe::Ssbo { buffer, offset, comparison, value } => {
                self.needs_storage_buffers()?;
                let name = at(&self.buffers.storage, buffer);
                // A side effect of the probe in piglit.
                self.api.bind_buffer_base(gl::SHADER_STORAGE_BUFFER, 0, name);
                let bytes = self.read(gl::SHADER_STORAGE_BUFFER, name, offset as usize, value)?;
                let near = matches!(comparison, Comparison::Equal).then_some(f64::EPSILON);
                let condition = Condition { comparison, value, near };
                self.judge(bytes, &format!("SSBO {offset}"), &condition);
            }
            Probe::Feedback { buffer, index, value } => {
                let name = at(&self.buffers.feedback, buffer);
                let offset = index as usize * value.bytes().len();
                let bytes = self.read(gl::TRANSFORM_FEEDBACK_BUFFER, name, offset, value)?;
                let near = Some(f64::from(self.tolerance[0]));
                let condition = Condition { comparison: Comparison::Equal, value, near };
                self.judge(bytes, &format!("xfb buffer {buffer}[{index}]"), &condition);
            }
            Probe::Pixels { .. } => {}
        }
        Ok(())
    }

    /// Reads a value of a buffer.
    fn read(&mut self, target: u32, name: u32, offset: usize, value: SsboValue) -> Flow<Vec<u8>> {
        let size = value.bytes().len();
        let missing =
            || fail(Phase::Probe, "there is no such buffer, or it is too small".to_owned());
        if name == 0 {
            return Err(missing());
        }
        self.api.bind_buffer(target, name);
        if offset + size > self.api.buffer_size(target) {
            return Err(missing());
        }
        self.api.read_buffer_range(target, offset, size).ok_or_else(missing)
    }

    fn judge(&mut self, bytes: Vec<u8>, what: &str, condition: &Condition) {
        let bits = probes::bits_of(&bytes);
        if !condition.holds(bits) {
            self.fail_line(Phase::Probe, condition.failure(what, bits));
        }
        let values = ReadValues::Bytes(bytes);
        self.outcome.readings.push(Reading { line: self.line, values });
    }
}

fn put(names: &mut [u32], index: u32, name: u32) {
    if let Some(slot) = names.get_mut(index as usize) {
        *slot = name;
    }
}

fn at(names: &[u32], index: u32) -> u32 {
    names.get(index as usize).copied().unwrap_or(0)
}
