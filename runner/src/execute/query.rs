//! Introspection of the linked program.

use std::fmt::Display;

use program::resource::Uniform;
use program::types::MatrixOrder;
use program::{Program, Stage};
use script::{ActiveUniformProperty, GlEnum, ProgramProperty, QueryCommand, QueryValue};

use super::buffers;
use super::front::unsupported;
use super::session::{Flow, Session};
use crate::verdict::{Layer, Verdict};

/// `active uniform`, `verify …`.
pub(super) fn execute(session: &mut Session<'_>, command: &QueryCommand<'_>) -> Flow {
    if let QueryCommand::Object { object, count } = *command {
        buffers::verify_count(session, object, count);
        return Ok(());
    }
    if matches!(command, QueryCommand::Interface { .. })
        && session.needs(43, &["GL_ARB_program_interface_query"]).is_err()
    {
        // The interpreter prints a note and goes on.
        return Ok(());
    }
    let Some(program) = session.program.clone() else {
        return Err(Verdict::fail(Layer::Link, "there is no linked program to query"));
    };
    match *command {
        QueryCommand::ActiveUniform { name, property, value } => {
            expect(active_uniform(&program, name, property)?, value, &format!("{name} {property:?}"))
        }
        QueryCommand::Program { property, value } => {
            expect(program_property(&program, property)?, value, &format!("{property:?}"))
        }
        QueryCommand::Interface { interface, name, property, value } => {
            let found = interface_property(&program, interface, name, property)?;
            expect(found, value, &format!("{interface} {name} {property}"))
        }
        QueryCommand::Object { .. } => Ok(()),
    }
}

/// What a query answered.
enum Answer {
    Integer(i64),
    Name(&'static str),
}

impl Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::Integer(n) => write!(f, "{n}"),
            Answer::Name(name) => write!(f, "GL_{name}"),
        }
    }
}

fn expect(found: Answer, wanted: QueryValue, what: &str) -> Flow {
    let (equal, wanted) = match wanted {
        QueryValue::Integer(n) => (matches!(found, Answer::Integer(m) if m == i64::from(n)), n.to_string()),
        QueryValue::Name(name) => {
            (matches!(found, Answer::Name(m) if m == name.short_name()), name.to_string())
        }
    };
    if equal {
        return Ok(());
    }
    Err(Verdict::fail(Layer::Probe, format!("{what}: expected {wanted}, got {found}")))
}

fn count(n: usize) -> Answer {
    Answer::Integer(i64::try_from(n).unwrap_or(i64::MAX))
}

fn program_property(program: &Program, property: ProgramProperty) -> Flow<Answer> {
    use ProgramProperty as P;
    Ok(match property {
        P::DeleteStatus => Answer::Integer(0),
        P::LinkStatus => Answer::Integer(1),
        P::ActiveUniforms => count(program.uniforms.len()),
        P::ActiveUniformBlocks => count(program.uniform_blocks.len()),
        P::ActiveAtomicCounterBuffers => count(program.atomic_buffers.len()),
        P::TransformFeedbackVaryings => count(program.feedback.len()),
        P::ActiveUniformMaxLength => {
            count(program.uniforms.iter().map(|u| reported_name(u).len() + 1).max().unwrap_or(0))
        }
        P::ActiveUniformBlockMaxNameLength => {
            count(program.uniform_blocks.iter().map(|b| b.name.len() + 1).max().unwrap_or(0))
        }
        P::TransformFeedbackVaryingMaxLength => {
            count(program.feedback.iter().map(|f| f.name.len() + 1).max().unwrap_or(0))
        }
        other => return Err(unsupported(&format!("the program query {other:?} is"))),
    })
}

/// The name as GL reports it: arrays end in `[0]`.
fn reported_name(uniform: &Uniform) -> String {
    if uniform.array.is_some() { format!("{}[0]", uniform.name) } else { uniform.name.clone() }
}

fn active_uniform(program: &Program, name: &str, property: ActiveUniformProperty) -> Flow<Answer> {
    use ActiveUniformProperty as P;
    let uniform = program
        .uniforms
        .iter()
        .find(|uniform| reported_name(uniform) == name)
        .ok_or_else(|| Verdict::fail(Layer::Probe, format!("there is no active uniform `{name}`")))?;
    // Members of the default block have no block, offset or strides.
    let in_block = uniform.block.is_some_and(|block| block > 0);
    let member = |value: i64| if in_block { value } else { -1 };
    Ok(match property {
        P::Size => Answer::Integer(uniform.array.unwrap_or(1).into()),
        P::NameLength => count(reported_name(uniform).len() + 1),
        P::BlockIndex => Answer::Integer(uniform.block.map_or(-1, |block| i64::from(block) - 1)),
        P::Offset if uniform.atomic_binding.is_some() => Answer::Integer(uniform.offset.into()),
        P::Offset => Answer::Integer(member(uniform.offset.into())),
        P::ArrayStride if uniform.atomic_binding.is_some() => Answer::Integer(uniform.array_stride.into()),
        P::ArrayStride => Answer::Integer(member(uniform.array_stride.into())),
        P::MatrixStride => Answer::Integer(member(uniform.matrix_stride.into())),
        P::IsRowMajor => Answer::Integer(
            (in_block && uniform.matrix_stride > 0 && uniform.order == MatrixOrder::RowMajor).into(),
        ),
        P::AtomicCounterBufferIndex => {
            let index = uniform
                .atomic_binding
                .and_then(|binding| program.atomic_buffers.iter().position(|&(b, _)| b == binding));
            Answer::Integer(index.map_or(-1, |index| index as i64))
        }
        P::Type => match gl_type(program, uniform) {
            Some(name) => Answer::Name(name),
            None => return Err(unsupported("this uniform's GL type name is")),
        },
    })
}

/// GL's name of a scalar, vector or matrix type, without `GL_`.
fn gl_type(program: &Program, uniform: &Uniform) -> Option<&'static str> {
    use program::Scalar as S;
    let (columns, rows) = program.types.shape(uniform.ty)?;
    let names: [&str; 4] = match program.types.scalar_of(uniform.ty)? {
        S::Float => ["FLOAT", "FLOAT_VEC2", "FLOAT_VEC3", "FLOAT_VEC4"],
        S::Double => ["DOUBLE", "DOUBLE_VEC2", "DOUBLE_VEC3", "DOUBLE_VEC4"],
        S::Int => ["INT", "INT_VEC2", "INT_VEC3", "INT_VEC4"],
        S::Uint => ["UNSIGNED_INT", "UNSIGNED_INT_VEC2", "UNSIGNED_INT_VEC3", "UNSIGNED_INT_VEC4"],
        S::Bool => ["BOOL", "BOOL_VEC2", "BOOL_VEC3", "BOOL_VEC4"],
        S::Float16 => ["FLOAT16_NV", "FLOAT16_VEC2_NV", "FLOAT16_VEC3_NV", "FLOAT16_VEC4_NV"],
        _ => return None,
    };
    match (columns, rows) {
        (1, rows) => names.get(usize::from(rows).checked_sub(1)?).copied(),
        (columns, rows) => {
            const FLOAT: [[&str; 3]; 3] = [
                ["FLOAT_MAT2", "FLOAT_MAT2x3", "FLOAT_MAT2x4"],
                ["FLOAT_MAT3x2", "FLOAT_MAT3", "FLOAT_MAT3x4"],
                ["FLOAT_MAT4x2", "FLOAT_MAT4x3", "FLOAT_MAT4"],
            ];
            const DOUBLE: [[&str; 3]; 3] = [
                ["DOUBLE_MAT2", "DOUBLE_MAT2x3", "DOUBLE_MAT2x4"],
                ["DOUBLE_MAT3x2", "DOUBLE_MAT3", "DOUBLE_MAT3x4"],
                ["DOUBLE_MAT4x2", "DOUBLE_MAT4x3", "DOUBLE_MAT4"],
            ];
            const HALF: [[&str; 3]; 3] = [
                ["FLOAT16_MAT2_AMD", "FLOAT16_MAT2x3_AMD", "FLOAT16_MAT2x4_AMD"],
                ["FLOAT16_MAT3x2_AMD", "FLOAT16_MAT3_AMD", "FLOAT16_MAT3x4_AMD"],
                ["FLOAT16_MAT4x2_AMD", "FLOAT16_MAT4x3_AMD", "FLOAT16_MAT4_AMD"],
            ];
            let table = match program.types.scalar_of(uniform.ty)? {
                S::Double => DOUBLE,
                S::Float16 => HALF,
                _ => FLOAT,
            };
            let index = |n: u8| usize::from(n).checked_sub(2);
            table.get(index(columns)?)?.get(index(rows)?).copied()
        }
    }
}

fn interface_property(program: &Program, interface: GlEnum, name: &str, property: GlEnum) -> Flow<Answer> {
    let blocks = match interface.short_name() {
        "UNIFORM_BLOCK" => &program.uniform_blocks,
        "SHADER_STORAGE_BLOCK" => &program.storage_blocks,
        _ => return Err(unsupported(&format!("the program interface {interface} is"))),
    };
    let block = blocks
        .iter()
        .find(|block| block.name == name)
        .ok_or_else(|| Verdict::fail(Layer::Probe, format!("{interface} has no resource `{name}`")))?;
    let stage = |stage: Stage| Answer::Integer(block.stages.contains(stage).into());
    Ok(match property.short_name() {
        "BUFFER_DATA_SIZE" => Answer::Integer(block.size.into()),
        "BUFFER_BINDING" => Answer::Integer(block.binding.into()),
        "NUM_ACTIVE_VARIABLES" => Answer::Integer(block.active_variables.into()),
        "NAME_LENGTH" => count(block.name.len() + 1),
        "REFERENCED_BY_VERTEX_SHADER" => stage(Stage::Vertex),
        "REFERENCED_BY_TESS_CONTROL_SHADER" => stage(Stage::TessControl),
        "REFERENCED_BY_TESS_EVALUATION_SHADER" => stage(Stage::TessEvaluation),
        "REFERENCED_BY_GEOMETRY_SHADER" => stage(Stage::Geometry),
        "REFERENCED_BY_FRAGMENT_SHADER" => stage(Stage::Fragment),
        "REFERENCED_BY_COMPUTE_SHADER" => stage(Stage::Compute),
        _ => return Err(unsupported(&format!("the block property {property} is"))),
    })
}
