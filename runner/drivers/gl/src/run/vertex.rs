//! `[vertex data]` and `[elements]`: one buffer each, and the vertex array.

use script::{Attribute, AttributeFormat, Column, ComponentType};
use vocabulary::Phase;

use super::session::Run;
use crate::api::{AttributeSource, Conversion};
use crate::bindings::gl;
use crate::outcome::{Flow, fail};

impl Run<'_> {
    /// Returns true if the context has vertex array objects.
    pub(super) fn has_vertex_arrays(&self) -> bool {
        self.capabilities.has_version(
            30,
            30,
            &["GL_ARB_vertex_array_object", "GL_OES_vertex_array_object"],
        )
    }

    /// Uploads `[vertex data]`, if there is a program.
    pub(super) fn vertex_data(&mut self) -> Flow {
        let Some(data) = &self.script.vertex_data else { return Ok(()) };
        if !self.linked.is_linked() {
            return Ok(());
        }
        self.bind_array();
        let buffer = self.api.create_buffer();
        self.objects.buffers.push(buffer);
        self.api.bind_buffer(gl::ARRAY_BUFFER, buffer);
        self.api.buffer_data(gl::ARRAY_BUFFER, &data.data, gl::STATIC_DRAW);
        for column in &data.columns {
            self.column(column, data.stride)?;
        }
        Ok(())
    }

    fn column(&mut self, column: &Column<'_>, stride: u32) -> Flow {
        let conversion = match column.format {
            AttributeFormat::Float => Conversion::Float,
            AttributeFormat::Integer => Conversion::Integer,
            AttributeFormat::Double => Conversion::Double,
            AttributeFormat::Unset => return Ok(()),
        };
        let location = match column.attribute {
            Attribute::Location(location) => location,
            Attribute::Name(name) => {
                let found = self.api.attribute_location(self.linked.program(), name);
                let missing =
                    |_| fail(Phase::Script, format!("Unexpected vbo column name.  Got: {name}"));
                u32::try_from(found).map_err(missing)?
            }
        };
        let integers = self.capabilities.offers(30, &["GL_EXT_gpu_shader4"]);
        if !matches!(conversion, Conversion::Float) && !integers {
            let reason = "integer and double attributes need desktop GL 3.0";
            return Err(fail(Phase::Script, reason));
        }
        let index = location + column.slot();
        if index >= self.attributes {
            let reason = format!("attribute {index} of [vertex data] is beyond the limit");
            return Err(fail(Phase::Script, reason));
        }
        self.api.attribute_pointer(&AttributeSource {
            index,
            components: i32::from(column.components),
            kind: component(column.component),
            stride: stride as i32,
            offset: column.offset as usize,
            conversion,
        });
        self.api.enable_vertex_attrib_array(index);
        Ok(())
    }

    /// Binds the script's vertex array, which is created with the first use.
    pub(super) fn bind_array(&mut self) {
        if self.vertex_array == 0 && self.has_vertex_arrays() {
            self.vertex_array = self.api.create_vertex_array();
            self.objects.vertex_arrays.push(self.vertex_array);
            self.api.bind_vertex_array(self.vertex_array);
        }
    }

    /// Binds a vertex array where draws without one are errors.
    pub(super) fn bind_array_of_core(&mut self) {
        if self.is_core() {
            self.bind_array();
        }
    }

    /// Binds a buffer with the indices of `[elements]`.
    pub(super) fn bind_elements(&mut self) {
        if self.elements == 0 {
            self.bind_array();
            self.elements = self.api.create_buffer();
            self.objects.buffers.push(self.elements);
            let bytes: Vec<u8> =
                self.script.elements.iter().flat_map(|index| index.to_ne_bytes()).collect();
            self.api.bind_buffer(gl::ELEMENT_ARRAY_BUFFER, self.elements);
            self.api.buffer_data(gl::ELEMENT_ARRAY_BUFFER, &bytes, gl::STATIC_DRAW);
        }
    }
}

fn component(component: ComponentType) -> u32 {
    match component {
        ComponentType::Byte => gl::BYTE,
        ComponentType::UByte => gl::UNSIGNED_BYTE,
        ComponentType::Short => gl::SHORT,
        ComponentType::UShort => gl::UNSIGNED_SHORT,
        ComponentType::Int => gl::INT,
        ComponentType::UInt => gl::UNSIGNED_INT,
        ComponentType::Half => gl::HALF_FLOAT,
        ComponentType::Float => gl::FLOAT,
        ComponentType::Double => gl::DOUBLE,
    }
}
