//! Context state that scripts can change, with OpenGL's initial values.

use std::collections::BTreeMap;

use raster::assemble::ProvokingVertex;
use raster::pipeline::primitive_setup::{VIEWPORTS, ViewportSwizzle};
use raster::pipeline::vertex_data::CurrentAttributes;
use raster::setup::{PolygonMode, Viewport};
use raster::texture::CompareFunction;

/// A 4×4 matrix in column-major order.
pub type Matrix = [f64; 16];

/// The identity matrix.
pub const IDENTITY: Matrix =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Capabilities of `enable` and `disable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// `GL_CLIP_PLANEi`, the same as `GL_CLIP_DISTANCEi`.
    ClipDistance(u8),
    /// `GL_VERTEX_PROGRAM_TWO_SIDE`.
    TwoSide,
    /// `GL_PROGRAM_POINT_SIZE`.
    ProgramPointSize,
    /// `GL_DEPTH_TEST`.
    DepthTest,
    /// `GL_DEPTH_CLAMP`.
    DepthClamp,
    /// `GL_SAMPLE_ALPHA_TO_COVERAGE`.
    SampleAlphaToCoverage,
    /// `GL_SAMPLE_ALPHA_TO_ONE`.
    SampleAlphaToOne,
    /// `GL_CULL_FACE`.
    CullFace,
    /// `GL_RASTERIZER_DISCARD`.
    RasterizerDiscard,
}

/// A fixed-function light source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Ambient color.
    pub ambient: [f32; 4],
    /// Diffuse color.
    pub diffuse: [f32; 4],
    /// Specular color.
    pub specular: [f32; 4],
    /// Position in eye coordinates.
    pub position: [f32; 4],
    /// Spot direction in eye coordinates.
    pub spot_direction: [f32; 3],
    /// Spot exponent.
    pub spot_exponent: f32,
    /// Spot cutoff angle in degrees.
    pub spot_cutoff: f32,
    /// Constant, linear and quadratic attenuation.
    pub attenuation: [f32; 3],
}

impl Light {
    /// Creates the initial values; only light 0 shines.
    fn new(index: usize) -> Light {
        let color = if index == 0 { [1.0; 4] } else { [0.0, 0.0, 0.0, 1.0] };
        Light {
            ambient: [0.0, 0.0, 0.0, 1.0],
            diffuse: color,
            specular: color,
            position: [0.0, 0.0, 1.0, 0.0],
            spot_direction: [0.0, 0.0, -1.0],
            spot_exponent: 0.0,
            spot_cutoff: 180.0,
            attenuation: [1.0, 0.0, 0.0],
        }
    }
}

/// Parameters of ARB assembly programs of one target; missing ones are zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramParameters {
    /// Environment parameters, by index.
    pub environment: BTreeMap<u32, [f32; 4]>,
    /// Local parameters, by index.
    pub local: BTreeMap<u32, [f32; 4]>,
}

/// The state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// `glClearColor`.
    pub clear_color: [f32; 4],
    /// `glClearDepth`.
    pub clear_depth: f32,
    /// Depth test enabled.
    pub depth_test: bool,
    /// `glDepthFunc`.
    pub depth_function: CompareFunction,
    /// Depth clamp enabled.
    pub depth_clamp: bool,
    /// In a multisample framebuffer, a fragment's alpha determines the number of covered samples.
    pub alpha_to_coverage: bool,
    /// In a multisample framebuffer, alpha is 1 instead of the shader's.
    pub alpha_to_one: bool,
    /// `glFrontFace(GL_CW)`.
    pub front_clockwise: bool,
    /// Face culling enabled. Back faces are culled.
    pub cull_face: bool,
    /// Two-sided colors enabled.
    pub two_side: bool,
    /// Point sizes come from the shader.
    pub program_point_size: bool,
    /// Rasterizer discard enabled.
    pub rasterizer_discard: bool,
    /// Bit i: clip distance (or plane) i enabled.
    pub clip_enabled: u8,
    /// Clip planes in eye coordinates.
    pub clip_planes: [[f64; 4]; 8],
    /// `glShadeModel(GL_FLAT)`.
    pub flat_shade: bool,
    /// Provoking-vertex convention.
    pub provoking: ProvokingVertex,
    /// Polygon modes of front and back faces.
    pub polygon_mode: [PolygonMode; 2],
    /// Viewports and depth ranges.
    pub viewports: [Viewport; VIEWPORTS],
    /// Viewport swizzles.
    pub viewport_swizzles: [[ViewportSwizzle; 4]; VIEWPORTS],
    /// Modelview matrix.
    pub modelview: Matrix,
    /// Projection matrix.
    pub projection: Matrix,
    /// Current attributes.
    pub current: CurrentAttributes,
    /// Light sources.
    pub lights: [Light; 8],
    /// Parameters of the vertex program.
    pub vertex_parameters: ProgramParameters,
    /// Parameters of the fragment program.
    pub fragment_parameters: ProgramParameters,
    /// Vertices per patch.
    pub patch_vertices: u32,
    /// Default outer tessellation levels.
    pub default_outer: [f32; 4],
    /// Default inner tessellation levels.
    pub default_inner: [f32; 2],
}

impl State {
    /// Creates the initial state for a window.
    pub fn new(width: u32, height: u32) -> State {
        let viewport = Viewport {
            x: 0.0,
            y: 0.0,
            width: width as f32,
            height: height as f32,
            near: 0.0,
            far: 1.0,
        };
        State {
            clear_color: [0.0; 4],
            clear_depth: 1.0,
            depth_test: false,
            depth_function: CompareFunction::Less,
            depth_clamp: false,
            alpha_to_coverage: false,
            alpha_to_one: false,
            front_clockwise: false,
            cull_face: false,
            two_side: false,
            program_point_size: false,
            rasterizer_discard: false,
            clip_enabled: 0,
            clip_planes: [[0.0; 4]; 8],
            flat_shade: false,
            provoking: ProvokingVertex::Last,
            polygon_mode: [PolygonMode::Fill; 2],
            viewports: [viewport; VIEWPORTS],
            viewport_swizzles: [[0, 1, 2, 3]
                .map(|component| ViewportSwizzle { component, negative: false });
                VIEWPORTS],
            modelview: IDENTITY,
            projection: IDENTITY,
            current: CurrentAttributes::default(),
            lights: std::array::from_fn(Light::new),
            vertex_parameters: ProgramParameters::default(),
            fragment_parameters: ProgramParameters::default(),
            patch_vertices: 3,
            default_outer: [1.0; 4],
            default_inner: [1.0; 2],
        }
    }

    /// Executes `glEnable` and `glDisable`.
    pub fn set(&mut self, capability: Capability, enabled: bool) {
        match capability {
            Capability::ClipDistance(i) if i < 8 => {
                self.clip_enabled = self.clip_enabled & !(1 << i) | u8::from(enabled) << i;
            }
            Capability::ClipDistance(_) => {}
            Capability::CullFace => self.cull_face = enabled,
            Capability::TwoSide => self.two_side = enabled,
            Capability::ProgramPointSize => self.program_point_size = enabled,
            Capability::DepthTest => self.depth_test = enabled,
            Capability::DepthClamp => self.depth_clamp = enabled,
            Capability::SampleAlphaToCoverage => self.alpha_to_coverage = enabled,
            Capability::SampleAlphaToOne => self.alpha_to_one = enabled,
            Capability::RasterizerDiscard => self.rasterizer_discard = enabled,
        }
    }

    /// Executes `glClipPlane`: the plane is transformed by the inverse of the modelview matrix of
    /// this moment.
    pub fn set_clip_plane(&mut self, index: usize, plane: [f64; 4]) {
        if let (Some(slot), Some(inverse)) =
            (self.clip_planes.get_mut(index), inverse(&self.modelview))
        {
            *slot = row_times(&plane, &inverse);
        }
    }

    /// Sets the projection of `glOrtho`; the modelview matrix becomes the identity.
    pub fn set_ortho(&mut self, left: f64, right: f64, bottom: f64, top: f64, near: f64, far: f64) {
        let mut m = IDENTITY;
        m[0] = 2.0 / (right - left);
        m[5] = 2.0 / (top - bottom);
        m[10] = -2.0 / (far - near);
        m[12] = -(right + left) / (right - left);
        m[13] = -(top + bottom) / (top - bottom);
        m[14] = -(far + near) / (far - near);
        self.projection = m;
        self.modelview = IDENTITY;
    }

    /// Sets the projection of `glFrustum`; the modelview matrix becomes the identity.
    pub fn set_frustum(
        &mut self,
        left: f64,
        right: f64,
        bottom: f64,
        top: f64,
        near: f64,
        far: f64,
    ) {
        let mut m = [0.0; 16];
        m[0] = 2.0 * near / (right - left);
        m[5] = 2.0 * near / (top - bottom);
        m[8] = (right + left) / (right - left);
        m[9] = (top + bottom) / (top - bottom);
        m[10] = -(far + near) / (far - near);
        m[11] = -1.0;
        m[14] = -2.0 * far * near / (far - near);
        self.projection = m;
        self.modelview = IDENTITY;
    }
}

/// Returns a row vector times a matrix.
fn row_times(row: &[f64; 4], m: &Matrix) -> [f64; 4] {
    std::array::from_fn(|column| (0..4).map(|i| row[i] * m[column * 4 + i]).sum())
}

/// Returns the product of two matrices.
pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| {
        let (column, row) = (i / 4, i % 4);
        (0..4).map(|k| a[k * 4 + row] * b[column * 4 + k]).sum()
    })
}

/// Returns the transposed matrix.
pub fn transpose(m: &Matrix) -> Matrix {
    std::array::from_fn(|i| m[i % 4 * 4 + i / 4])
}

/// Returns the inverse matrix by Gauss–Jordan elimination with pivoting; `None` when singular.
pub fn inverse(m: &Matrix) -> Option<Matrix> {
    // Rows of the matrix and of the identity beside it.
    let mut rows: [[f64; 8]; 4] = std::array::from_fn(|r| {
        std::array::from_fn(|c| if c < 4 { m[c * 4 + r] } else { f64::from(c - 4 == r) })
    });
    for column in 0..4 {
        let pivot =
            (column..4).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let scale = rows[column][column];
        if scale == 0.0 || !scale.is_finite() {
            return None;
        }
        rows[column] = rows[column].map(|v| v / scale);
        let pivot_row = rows[column];
        for (_, row) in rows.iter_mut().enumerate().filter(|(r, _)| *r != column) {
            let factor = row[column];
            for (value, pivot) in row.iter_mut().zip(pivot_row) {
                *value -= factor * pivot;
            }
        }
    }
    Some(std::array::from_fn(|i| rows[i % 4][4 + i / 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(m: &Matrix, v: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|row| (0..4).map(|c| m[c * 4 + row] * v[c]).sum())
    }

    #[test]
    fn ortho_maps_corners_to_the_view_volume() {
        let mut state = State::new(10, 10);
        state.set_ortho(0.0, 250.0, 0.0, 100.0, -1.0, 1.0);
        assert_eq!(apply(&state.projection, [0.0, 0.0, 1.0, 1.0]), [-1.0, -1.0, -1.0, 1.0]);
        assert_eq!(apply(&state.projection, [250.0, 100.0, -1.0, 1.0]), [1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn frustum_maps_the_near_corners() {
        let mut state = State::new(10, 10);
        state.set_frustum(-1.0, 3.0, -2.0, 2.0, 2.0, 6.0);
        let near = apply(&state.projection, [3.0, 2.0, -2.0, 1.0]);
        assert_eq!(near.map(|c| c / near[3]), [1.0, 1.0, -1.0, 1.0]);
        let far = apply(&state.projection, [-3.0, -6.0, -6.0, 1.0]);
        assert_eq!(far.map(|c| c / far[3]), [-1.0, -1.0, 1.0, 1.0]);
    }

    #[test]
    fn inverses() {
        let mut state = State::new(10, 10);
        state.set_frustum(-1.0, 3.0, -2.0, 2.0, 2.0, 6.0);
        let product = multiply(&state.projection, &inverse(&state.projection).expect("regular"));
        for (value, expected) in product.iter().zip(IDENTITY) {
            assert!((value - expected).abs() < 1e-12);
        }
        assert_eq!(inverse(&[0.0; 16]), None);
        assert_eq!(transpose(&transpose(&state.projection)), state.projection);
    }

    #[test]
    fn clip_planes_follow_the_modelview_matrix() {
        let mut state = State::new(10, 10);
        state.modelview[12] = 5.0;
        // x ≥ 1 in object space is x ≥ 6 in eye space.
        state.set_clip_plane(2, [1.0, 0.0, 0.0, -1.0]);
        assert_eq!(state.clip_planes[2], [1.0, 0.0, 0.0, -6.0]);
    }
}
