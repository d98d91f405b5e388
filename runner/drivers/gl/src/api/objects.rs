//! Creation and deletion of objects, and queries of the context.

use std::ffi::CStr;

use super::Api;
use crate::bindings::gl;

/// Defines pairs of functions that create one object and delete one.
macro_rules! objects {
    ($($create:ident = $generate:ident, $delete:ident = $remove:ident;)*) => {
        impl Api {
            $(
                #[doc = concat!("Returns a new name of `gl", stringify!($generate), "`.")]
                pub(crate) fn $create(&self) -> u32 {
                    let mut name = 0;
                    // SAFETY: the driver writes one name.
                    unsafe { self.raw.$generate(1, &raw mut name) };
                    name
                }

                #[doc = concat!("Executes `gl", stringify!($remove), "` for one name.")]
                pub(crate) fn $delete(&self, name: u32) {
                    // SAFETY: the driver reads one name.
                    unsafe { self.raw.$remove(1, &raw const name) }
                }
            )*
        }
    };
}

objects! {
    create_buffer = GenBuffers, delete_buffer = DeleteBuffers;
    create_framebuffer = GenFramebuffers, delete_framebuffer = DeleteFramebuffers;
    create_pipeline = GenProgramPipelines, delete_pipeline = DeleteProgramPipelines;
    create_program_arb = GenProgramsARB, delete_program_arb = DeleteProgramsARB;
    create_query = GenQueries, delete_query = DeleteQueries;
    create_renderbuffer = GenRenderbuffers, delete_renderbuffer = DeleteRenderbuffers;
    create_texture = GenTextures, delete_texture = DeleteTextures;
    create_vertex_array = GenVertexArrays, delete_vertex_array = DeleteVertexArrays;
}

/// Maximum number of values of any queried state: a matrix.
const VALUES: usize = 16;

impl Api {
    /// Returns a text of the context, empty if there is none.
    pub(crate) fn get_string(&self, name: u32) -> String {
        // SAFETY: the command takes a number.
        let text = unsafe { self.raw.GetString(name) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: the driver returns text that ends in a zero byte and lives as long as the
        // context.
        unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned()
    }

    /// Returns an extension by its index in a list: `EXTENSIONS` or `SPIR_V_EXTENSIONS`.
    pub(crate) fn get_extension(&self, list: u32, index: u32) -> String {
        // SAFETY: the command takes numbers.
        let text = unsafe { self.raw.GetStringi(list, index) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: as in `get_string`.
        unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned()
    }

    /// Returns integer state of up to 16 values, zeros where there are fewer.
    pub(crate) fn get_integers(&self, name: u32) -> [i32; VALUES] {
        let mut values = [0; VALUES];
        // SAFETY: the queried state has at most 16 values: callers never query lists of variable
        // length.
        unsafe { self.raw.GetIntegerv(name, values.as_mut_ptr()) };
        values
    }

    /// Returns the first value of integer state.
    pub(crate) fn get_integer(&self, name: u32) -> i32 {
        self.get_integers(name)[0]
    }

    /// Returns float state of up to 16 values, zeros where there are fewer.
    pub(crate) fn get_floats(&self, name: u32) -> [f32; VALUES] {
        let mut values = [0.0; VALUES];
        // SAFETY: as in `get_integers`.
        unsafe { self.raw.GetFloatv(name, values.as_mut_ptr()) };
        values
    }

    /// Returns integer state of an indexed binding point.
    pub(crate) fn get_indexed_integer(&self, name: u32, index: u32) -> i32 {
        let mut values = [0; VALUES];
        // SAFETY: as in `get_integers`.
        unsafe { self.raw.GetIntegeri_v(name, index, values.as_mut_ptr()) };
        values[0]
    }

    /// Returns a property of a color attachment of the read framebuffer.
    pub(crate) fn get_attachment(&self, target: u32, attachment: u32, property: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the command writes one number.
        unsafe {
            self.raw.GetFramebufferAttachmentParameteriv(
                target,
                attachment,
                property,
                &raw mut value,
            );
        }
        value
    }

    /// Returns the result of a query, waiting for it.
    pub(crate) fn get_query_result(&self, query: u32) -> u32 {
        let mut value = 0;
        // SAFETY: the command writes one number: no buffer is bound for query results.
        unsafe { self.raw.GetQueryObjectuiv(query, gl::QUERY_RESULT, &raw mut value) };
        value
    }

    /// Returns the current value of a generic attribute.
    pub(crate) fn get_attribute(&self, index: u32) -> [f32; 4] {
        let mut value = [0.0; 4];
        // SAFETY: a current value has four numbers.
        unsafe {
            self.raw.GetVertexAttribfv(index, gl::CURRENT_VERTEX_ATTRIB, value.as_mut_ptr());
        }
        value
    }

    /// Returns integer state of a generic attribute.
    pub(crate) fn get_attribute_integer(&self, index: u32, name: u32) -> i32 {
        let mut values = [0; 4];
        // SAFETY: no state of an attribute has more than four values.
        unsafe { self.raw.GetVertexAttribiv(index, name, values.as_mut_ptr()) };
        values[0]
    }

    /// Returns a parameter of a fixed-function light.
    pub(crate) fn get_light(&self, light: u32, parameter: u32) -> [f32; 4] {
        let mut values = [0.0; 4];
        // SAFETY: no parameter of a light has more than four values.
        unsafe { self.raw.GetLightfv(light, parameter, values.as_mut_ptr()) };
        values
    }

    /// Returns a clip plane.
    pub(crate) fn get_clip_plane(&self, plane: u32) -> [f64; 4] {
        let mut equation = [0.0; 4];
        // SAFETY: a plane has four numbers.
        unsafe { self.raw.GetClipPlane(plane, equation.as_mut_ptr()) };
        equation
    }
}
