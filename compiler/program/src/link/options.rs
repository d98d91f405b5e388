//! Options of linking.

use crate::capabilities::Capabilities;

/// Options of linking.
#[derive(Clone, Copy, Debug)]
pub struct LinkOptions<'a> {
    /// Limits and extensions of the context.
    pub capabilities: &'a Capabilities,
    /// True if the program is separable: unmatched interfaces at its ends are allowed.
    pub separable: bool,
    /// True if the stages are separate programs of one pipeline: what does not match between them
    /// is undefined, not an error, and inputs find their outputs as in programs linked on their
    /// own.
    pub pipeline: bool,
    /// Attribute names bound to locations before linking (`glBindAttribLocation`).
    pub attributes: &'a [(&'a str, u32)],
    /// Geometry parameters set outside the shader (`glProgramParameteri`, ARB_geometry_shader4).
    pub geometry: GeometryParameters,
}

/// Geometry layout set by the API instead of the shader.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeometryParameters {
    /// Input primitive.
    pub input: Option<crate::shader::LayoutPrimitive>,
    /// Output primitive.
    pub output: Option<crate::shader::LayoutPrimitive>,
    /// Largest number of emitted vertices.
    pub max_vertices: Option<u32>,
}

impl<'a> LinkOptions<'a> {
    /// Attribute bindings that every script makes before linking.
    pub const SCRIPT_ATTRIBUTES: &'static [(&'static str, u32)] =
        &[("piglit_vertex", 0), ("piglit_texcoord", 1)];

    /// Options of an ordinary program.
    pub fn new(capabilities: &'a Capabilities) -> LinkOptions<'a> {
        LinkOptions {
            capabilities,
            separable: false,
            pipeline: false,
            attributes: LinkOptions::SCRIPT_ATTRIBUTES,
            geometry: GeometryParameters::default(),
        }
    }
}
