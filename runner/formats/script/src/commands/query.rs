//! Introspection: `active uniform`, `verify program_query`, `verify program_interface_query`,
//! `verify query_object`.

use super::arguments::Arguments;
use super::interface_query::{InterfaceQuery, interface_query};
use super::query_value::{QueryValue, value};
use crate::enums::GlEnum;
use crate::error::Fault;
use crate::patterns::Pattern;

/// A property that must have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryCommand<'a> {
    /// `active uniform`.
    ActiveUniform {
        /// Name as the program reports it; arrays end in `[0]`.
        name: &'a str,
        /// The property.
        property: ActiveUniformProperty,
        /// Expected value.
        value: QueryValue,
    },
    /// `verify program_query`.
    Program {
        /// The property.
        property: ProgramProperty,
        /// Expected value.
        value: QueryValue,
    },
    /// `verify program_interface_query`.
    Interface(Box<InterfaceQuery<'a>>),
    /// `verify query_object`.
    Object {
        /// One of the queries that `xfb draw arrays` runs.
        object: QueryObject,
        /// Expected count.
        count: u32,
    },
}

/// Query object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryObject {
    /// `GL_PRIMITIVES_GENERATED`.
    PrimitivesGenerated,
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`.
    PrimitivesWritten,
}

macro_rules! properties {
    ($(#[$doc:meta])* $type:ident { $($variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl $type {
            fn from_enum(name: &str) -> Option<$type> {
                match name {
                    $($name => Some($type::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

properties! {
    /// Property of `active uniform`.
    ActiveUniformProperty {
        Type = "GL_UNIFORM_TYPE",
        Size = "GL_UNIFORM_SIZE",
        NameLength = "GL_UNIFORM_NAME_LENGTH",
        BlockIndex = "GL_UNIFORM_BLOCK_INDEX",
        Offset = "GL_UNIFORM_OFFSET",
        ArrayStride = "GL_UNIFORM_ARRAY_STRIDE",
        MatrixStride = "GL_UNIFORM_MATRIX_STRIDE",
        IsRowMajor = "GL_UNIFORM_IS_ROW_MAJOR",
        AtomicCounterBufferIndex = "GL_UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX",
    }
}

properties! {
    /// Property of `verify program_query`.
    ProgramProperty {
        DeleteStatus = "GL_DELETE_STATUS",
        LinkStatus = "GL_LINK_STATUS",
        ValidateStatus = "GL_VALIDATE_STATUS",
        InfoLogLength = "GL_INFO_LOG_LENGTH",
        AttachedShaders = "GL_ATTACHED_SHADERS",
        ActiveAtomicCounterBuffers = "GL_ACTIVE_ATOMIC_COUNTER_BUFFERS",
        ActiveAttributes = "GL_ACTIVE_ATTRIBUTES",
        ActiveAttributeMaxLength = "GL_ACTIVE_ATTRIBUTE_MAX_LENGTH",
        ActiveUniforms = "GL_ACTIVE_UNIFORMS",
        ActiveUniformBlocks = "GL_ACTIVE_UNIFORM_BLOCKS",
        ActiveUniformBlockMaxNameLength = "GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH",
        ActiveUniformMaxLength = "GL_ACTIVE_UNIFORM_MAX_LENGTH",
        ProgramBinaryLength = "GL_PROGRAM_BINARY_LENGTH",
        TransformFeedbackBufferMode = "GL_TRANSFORM_FEEDBACK_BUFFER_MODE",
        TransformFeedbackVaryings = "GL_TRANSFORM_FEEDBACK_VARYINGS",
        TransformFeedbackVaryingMaxLength = "GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH",
        GeometryVerticesOut = "GL_GEOMETRY_VERTICES_OUT",
        GeometryInputType = "GL_GEOMETRY_INPUT_TYPE",
        GeometryOutputType = "GL_GEOMETRY_OUTPUT_TYPE",
    }
}

/// Names that `verify program_query` takes as values.
const PROGRAM_VALUES: &[&str] = &[
    "SEPARATE_ATTRIBS",
    "INTERLEAVED_ATTRIBS",
    "POINTS",
    "LINES",
    "LINES_ADJACENCY",
    "TRIANGLES",
    "TRIANGLES_ADJACENCY",
    "LINE_STRIP",
    "TRIANGLE_STRIP",
];

pub(super) fn command<'a>(
    pattern: Pattern,
    arguments: &mut Arguments<'a, '_>,
) -> Result<QueryCommand<'a>, Fault<'a>> {
    Ok(match pattern {
        Pattern::ActiveUniform => QueryCommand::ActiveUniform {
            name: arguments.word("a uniform name")?,
            property: arguments.choice("a uniform property", ActiveUniformProperty::from_enum)?,
            value: value(arguments, GlEnum::data_type)?,
        },
        Pattern::VerifyProgramQuery => QueryCommand::Program {
            property: arguments.choice("a program property", ProgramProperty::from_enum)?,
            value: value(arguments, |name| GlEnum::among(name, PROGRAM_VALUES))?,
        },
        Pattern::VerifyProgramInterfaceQuery => {
            QueryCommand::Interface(Box::new(interface_query(arguments)?))
        }
        Pattern::VerifyQueryObject => {
            let object = arguments.choice("a query object", |name| match name {
                "GL_PRIMITIVES_GENERATED" => Some(QueryObject::PrimitivesGenerated),
                "GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN" => Some(QueryObject::PrimitivesWritten),
                _ => None,
            })?;
            let count = arguments.signed("a count")?;
            QueryCommand::Object { object, count: arguments.size(count, i32::MAX as u32, "count")? }
        }
        _ => return Err(arguments.malformed("not a query")),
    })
}
