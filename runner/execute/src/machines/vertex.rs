//! `[vertex data]` as vertex arrays of the linked program.

use gl_machine::machine::Machine;
use program::{Api, Capabilities, Stage};
use raster::pipeline::vertex_data::{AttributeClass, AttributeSlot, VertexArray, VertexData};
use script::Attribute;

use super::session::Flow;
use super::translate::{array_type, attribute_class};
use results::verdict::{Phase, Verdict};

/// Returns the arrays of a section; attribute names are looked up in the current program, or in the
/// one of a pipeline's last stage.
///
/// # Errors
/// Fails on a name that is no active attribute, and on integer or double attributes in a context
/// without them.
pub(super) fn arrays(
    data: &script::VertexData<'_>,
    machine: &Machine,
    is_pipeline: bool,
    capabilities: &Capabilities,
) -> Flow<VertexData> {
    let mut arrays = Vec::with_capacity(data.columns.len());
    for column in &data.columns {
        let location = match column.attribute {
            Attribute::Location(location) => location,
            Attribute::Name(name) => attribute(machine, name, is_pipeline).ok_or_else(|| {
                Verdict::fail(Phase::Link, format!("Unexpected vbo column name.  Got: {name}"))
            })?,
        };
        // An invalid combination of types leaves the attribute unset.
        let Some(class) = attribute_class(column.format) else { continue };
        available(class, capabilities)?;
        arrays.push(VertexArray {
            slot: AttributeSlot::Generic(location + column.slot()),
            ty: array_type(column.component),
            components: column.components,
            class,
            offset: column.offset as usize,
        });
    }
    Ok(VertexData {
        arrays,
        stride: data.stride as usize,
        rows: data.rows,
        bytes: data.data.clone(),
    })
}

/// Returns the location of an attribute. The program of a pipeline's last stage has attributes only
/// if that is the vertex stage.
fn attribute(machine: &Machine, name: &str, is_pipeline: bool) -> Option<u32> {
    let last = machine.program()?.stages.last()?.shader.stage;
    let is_found = !is_pipeline || last == Stage::Vertex;
    is_found.then(|| machine.attribute_location(name)).flatten()
}

/// Checks that the context has attributes of a class.
fn available(class: AttributeClass, capabilities: &Capabilities) -> Flow {
    let integers = capabilities.api() != Api::Es
        && (capabilities.gl_at_least(30) || capabilities.has("GL_EXT_gpu_shader4"));
    match class {
        AttributeClass::Float => Ok(()),
        _ if !integers => Err(Verdict::fail(
            Phase::Script,
            "this context has no integer or double vertex attributes",
        )),
        AttributeClass::Integer => Ok(()),
        AttributeClass::Double => {
            if capabilities.gl_at_least(41) || capabilities.has("GL_ARB_vertex_attrib_64bit") {
                return Ok(());
            }
            Err(Verdict::skip("needs GL_ARB_vertex_attrib_64bit"))
        }
    }
}
