//! Introspection of the program: `active uniform`, `verify …`.

use script::{ActiveUniformProperty, ProgramProperty, QueryCommand, QueryValue};
use vocabulary::Phase;

use super::session::Run;
use crate::bindings::gl;
use crate::enums::value_of;
use crate::outcome::{Flow, fail};

impl Run<'_> {
    pub(super) fn query(&mut self, command: &QueryCommand<'_>) -> Flow {
        match *command {
            QueryCommand::ActiveUniform { name, property, value } => {
                self.active_uniform(name, property, value)?;
                self.check_gl_error()
            }
            QueryCommand::Program { property, value } => {
                let found = self.api.get_program(self.linked.program(), program_property(property));
                self.check_gl_error()?;
                expect(found, value, &format!("{property:?}"))
            }
            QueryCommand::Interface(ref query) => {
                if !self.capabilities.has_version(43, 31, &["GL_ARB_program_interface_query"]) {
                    // piglit's interpreter prints a message and continues.
                    return Ok(());
                }
                self.interface_query(query)?;
                self.check_gl_error()
            }
            QueryCommand::Object { object, count } => {
                self.verify_count(object, count);
                Ok(())
            }
        }
    }

    fn active_uniform(
        &self,
        name: &str,
        property: ActiveUniformProperty,
        value: QueryValue,
    ) -> Flow {
        use ActiveUniformProperty as P;
        let program = self.linked.program();
        let count = self.api.get_program(program, gl::ACTIVE_UNIFORMS);
        let indices = 0..u32::try_from(count).unwrap_or(0);
        let found = indices
            .map(|index| (index, self.api.active_uniform(program, index)))
            .find(|(_, (reported, _, _))| reported == name);
        let Some((index, (reported, size, kind))) = found else {
            return Err(fail(Phase::Probe, format!("there is no active uniform `{name}`")));
        };
        let numbered = match property {
            P::Type => gl::UNIFORM_TYPE,
            P::Size => gl::UNIFORM_SIZE,
            P::NameLength => gl::UNIFORM_NAME_LENGTH,
            P::BlockIndex => gl::UNIFORM_BLOCK_INDEX,
            P::Offset => gl::UNIFORM_OFFSET,
            P::ArrayStride => gl::UNIFORM_ARRAY_STRIDE,
            P::MatrixStride => gl::UNIFORM_MATRIX_STRIDE,
            P::IsRowMajor => gl::UNIFORM_IS_ROW_MAJOR,
            P::AtomicCounterBufferIndex => gl::UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX,
        };
        let what = format!("{name} {property:?}");
        // Type, size and length have a second query, which must give the same.
        match property {
            P::Type => expect(kind as i32, value, &what)?,
            P::Size => expect(size, value, &what)?,
            P::NameLength => expect(reported.len() as i32 + 1, value, &what)?,
            _ => {}
        }
        expect(self.api.active_uniform_property(program, index, numbered), value, &what)
    }
}

/// Fails unless an answer is as expected.
pub(super) fn expect(found: i32, wanted: QueryValue, what: &str) -> Flow {
    let (number, shown) = match wanted {
        QueryValue::Integer(number) => (Some(number), number.to_string()),
        QueryValue::Name(name) => (value_of(name).map(|number| number as i32), name.to_string()),
    };
    if number == Some(found) {
        return Ok(());
    }
    Err(fail(Phase::Probe, format!("{what}: expected {shown}, got {found}")))
}

fn program_property(property: ProgramProperty) -> u32 {
    use ProgramProperty as P;
    match property {
        P::DeleteStatus => gl::DELETE_STATUS,
        P::LinkStatus => gl::LINK_STATUS,
        P::ValidateStatus => gl::VALIDATE_STATUS,
        P::InfoLogLength => gl::INFO_LOG_LENGTH,
        P::AttachedShaders => gl::ATTACHED_SHADERS,
        P::ActiveAtomicCounterBuffers => gl::ACTIVE_ATOMIC_COUNTER_BUFFERS,
        P::ActiveAttributes => gl::ACTIVE_ATTRIBUTES,
        P::ActiveAttributeMaxLength => gl::ACTIVE_ATTRIBUTE_MAX_LENGTH,
        P::ActiveUniforms => gl::ACTIVE_UNIFORMS,
        P::ActiveUniformBlocks => gl::ACTIVE_UNIFORM_BLOCKS,
        P::ActiveUniformBlockMaxNameLength => gl::ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH,
        P::ActiveUniformMaxLength => gl::ACTIVE_UNIFORM_MAX_LENGTH,
        P::ProgramBinaryLength => gl::PROGRAM_BINARY_LENGTH,
        P::TransformFeedbackBufferMode => gl::TRANSFORM_FEEDBACK_BUFFER_MODE,
        P::TransformFeedbackVaryings => gl::TRANSFORM_FEEDBACK_VARYINGS,
        P::TransformFeedbackVaryingMaxLength => gl::TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH,
        P::GeometryVerticesOut => gl::GEOMETRY_VERTICES_OUT,
        P::GeometryInputType => gl::GEOMETRY_INPUT_TYPE,
        P::GeometryOutputType => gl::GEOMETRY_OUTPUT_TYPE,
    }
}
