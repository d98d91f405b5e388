//! Queries of the linked program.

mod answer;
mod interfaces;
mod questions;
mod types;

use program::shader::LayoutPrimitive;
use program::types::MatrixOrder;
use program::{Program, Stage};
use script::{ActiveUniformProperty, Content, ProgramProperty, QueryCommand};

use super::buffers;
use super::session::{Flow, Session};
use crate::front::unsupported;
use answer::{Answer, active_uniforms, count, expect, longest, reported_name};
use results::verdict::{Phase, Verdict};
use types::gl_type;

/// Executes `active uniform` and `verify …`.
pub(super) fn execute(session: &mut Session<'_>, command: &QueryCommand<'_>) -> Flow {
    if let QueryCommand::Object { object, count } = *command {
        buffers::verify_count(session, object, count);
        return Ok(());
    }
    if matches!(command, QueryCommand::Interface(_))
        && session.needs(43, &["GL_ARB_program_interface_query"]).is_err()
    {
        // piglit's interpreter prints a message and continues.
        return Ok(());
    }
    let Some(program) = session.program.clone() else {
        return Err(Verdict::fail(Phase::Link, "there is no linked program to query"));
    };
    match *command {
        QueryCommand::ActiveUniform { name, property, value } => expect(
            active_uniform(&program, name, property)?,
            value,
            &format!("{name} {property:?}"),
        ),
        QueryCommand::Program { property, value } => {
            expect(program_property(session, &program, property)?, value, &format!("{property:?}"))
        }
        QueryCommand::Interface(ref query) => {
            let binding = session.block_member.0.filter(|_| session.is_spirv);
            questions::ask(&program, query, binding)
        }
        QueryCommand::Object { .. } => Ok(()),
    }
}

fn program_property(
    session: &Session<'_>,
    program: &Program,
    property: ProgramProperty,
) -> Flow<Answer> {
    use ProgramProperty as P;
    let geometry = || match program.stage(Stage::Geometry) {
        Some(stage) => Ok(&stage.shader.layout),
        None => Err(Verdict::fail(Phase::Probe, "the program has no geometry shader")),
    };
    Ok(match property {
        P::DeleteStatus => Answer::Integer(0),
        P::LinkStatus => Answer::Integer(1),
        P::ActiveUniforms => count(active_uniforms(program).count()),
        P::ActiveUniformBlocks => count(program.uniform_blocks.len()),
        P::ActiveAtomicCounterBuffers => count(program.atomic_buffers.len()),
        P::TransformFeedbackVaryings => count(program.feedback.len()),
        P::ActiveUniformMaxLength => longest(program, active_uniforms(program).map(reported_name)),
        P::ActiveUniformBlockMaxNameLength => {
            longest(program, program.uniform_blocks.iter().map(|b| b.name.clone()))
        }
        P::TransformFeedbackVaryingMaxLength => {
            longest(program, program.feedback.iter().map(|f| f.name.clone()))
        }
        P::ActiveAttributes => count(interfaces::attributes(program).len()),
        P::ActiveAttributeMaxLength => {
            longest(program, interfaces::attributes(program).into_iter())
        }
        P::AttachedShaders => count(attached_shaders(session)),
        // Programs are never validated, logged or read back.
        P::ValidateStatus | P::InfoLogLength => Answer::Integer(0),
        P::TransformFeedbackBufferMode => Answer::Name("INTERLEAVED_ATTRIBS".to_owned()),
        P::GeometryVerticesOut => Answer::Integer(geometry()?.max_vertices.unwrap_or(0).into()),
        P::GeometryInputType => primitive(geometry()?.input_primitive),
        P::GeometryOutputType => primitive(geometry()?.output_primitive),
        P::ProgramBinaryLength => return Err(unsupported("the length of program binaries is")),
    })
}

/// Returns the number of shader objects of the script: one per section.
fn attached_shaders(session: &Session<'_>) -> usize {
    let is_shader = |content: &Content<'_>| match content {
        Content::Shader(_) => !session.is_spirv,
        Content::Spirv { .. } => session.is_spirv,
        Content::Passthrough(_) => true,
        _ => false,
    };
    session.script.sections.iter().filter(|section| is_shader(&section.content)).count()
}

fn primitive(primitive: Option<LayoutPrimitive>) -> Answer {
    use LayoutPrimitive as L;
    let name = match primitive {
        Some(L::Points) => "POINTS",
        Some(L::Lines) => "LINES",
        Some(L::LinesAdjacency) => "LINES_ADJACENCY",
        Some(L::TrianglesAdjacency) => "TRIANGLES_ADJACENCY",
        Some(L::LineStrip) => "LINE_STRIP",
        Some(L::TriangleStrip) => "TRIANGLE_STRIP",
        Some(L::Quads) => "QUADS",
        Some(L::Isolines) => "ISOLINES",
        Some(L::Triangles) | None => "TRIANGLES",
    };
    Answer::Name(name.to_owned())
}

fn active_uniform(program: &Program, name: &str, property: ActiveUniformProperty) -> Flow<Answer> {
    use ActiveUniformProperty as P;
    let uniform =
        program.uniforms.iter().find(|uniform| reported_name(uniform) == name).ok_or_else(
            || Verdict::fail(Phase::Probe, format!("there is no active uniform `{name}`")),
        )?;
    // Members of the default block have no block, offset or strides.
    let in_block = uniform.block.is_some_and(|block| block > 0);
    let member = |value: i64| if in_block { value } else { -1 };
    Ok(match property {
        P::Size => Answer::Integer(uniform.array.unwrap_or(1).into()),
        P::NameLength => count(reported_name(uniform).len() + 1),
        P::BlockIndex => Answer::Integer(uniform.block.map_or(-1, |block| i64::from(block) - 1)),
        P::Offset if uniform.atomic_binding.is_some() => Answer::Integer(uniform.offset.into()),
        P::Offset => Answer::Integer(member(uniform.offset.into())),
        P::ArrayStride if uniform.atomic_binding.is_some() => {
            Answer::Integer(uniform.array_stride.into())
        }
        P::ArrayStride => Answer::Integer(member(uniform.array_stride.into())),
        P::MatrixStride if uniform.atomic_binding.is_some() => Answer::Integer(0),
        P::MatrixStride => Answer::Integer(member(uniform.matrix_stride.into())),
        P::IsRowMajor => Answer::Integer(
            (in_block && uniform.matrix_stride > 0 && uniform.order == MatrixOrder::RowMajor)
                .into(),
        ),
        P::AtomicCounterBufferIndex => {
            let index = uniform
                .atomic_binding
                .and_then(|binding| program.atomic_buffers.iter().position(|&(b, _)| b == binding));
            Answer::Integer(index.map_or(-1, |index| index as i64))
        }
        P::Type => match gl_type(&program.types, uniform.ty) {
            Some(name) => Answer::Name(name),
            None => return Err(unsupported("this uniform's GL type name is")),
        },
    })
}
