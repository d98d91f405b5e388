//! Primitives as set up for interpolation.

/// `a·x + b·y + c` over window coordinates (pixel (0, 0) has its center at (0.5, 0.5)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneEquation {
    /// Change per pixel to the right.
    pub a: f64,
    /// Change per pixel upwards.
    pub b: f64,
    /// Value at the window's lower left corner.
    pub c: f64,
}

impl PlaneEquation {
    /// Creates a plane with the same value everywhere.
    pub fn constant(c: f64) -> PlaneEquation {
        PlaneEquation { a: 0.0, b: 0.0, c }
    }

    /// Returns the value at a window position.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        self.a * x + (self.b * y + self.c)
    }
}

/// Kind of a rasterized primitive, after polygon mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimitiveKind {
    /// One vertex.
    Point,
    /// Two vertices.
    Line,
    /// Three vertices.
    Triangle,
}

/// Primitive as set up for interpolation.
///
/// A point has one vertex and a line two; the unused entries of `values` repeat vertex 0 and their
/// barycentric coordinates are zero, so that the same evaluation works for all kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct PrimitiveSetup {
    /// Its shape.
    pub kind: PrimitiveKind,
    /// `values[slot * 4 + component][vertex]`: raw values, `slot` being the index in the fragment
    /// stage's [`program::LinkedStage::inputs`]. Two-sided colors are already selected by facing.
    pub values: Vec<[u32; 3]>,
    /// The vertex that gives flat inputs their value: index into the three vertices.
    pub provoking: usize,
    /// Barycentric coordinates of vertices 0, 1, 2, linear in window space; they sum to 1.
    pub linear: [PlaneEquation; 3],
    /// Barycentric coordinates divided by the vertices' clip-space w: the perspective coordinate of
    /// vertex i is `perspective[i] / one_over_w`.
    pub perspective: [PlaneEquation; 3],
    /// 1/w, the sum of `perspective`: `gl_FragCoord.w`.
    pub one_over_w: PlaneEquation,
    /// Window-space depth before clamping and polygon offset: `gl_FragCoord.z`.
    pub depth: PlaneEquation,
    /// `gl_FrontFacing`.
    pub front_facing: bool,
    /// `gl_PrimitiveID`.
    pub primitive_id: u32,
    /// `gl_Layer`.
    pub layer: u32,
    /// `gl_ViewportIndex`.
    pub viewport_index: u32,
    /// `gl_PointCoord` over the window, s and t; meaningful for points.
    pub point_coord: [PlaneEquation; 2],
}

impl PrimitiveSetup {
    /// Moves all interpolated inputs by (`dx`, `dy`) pixels; depth stays.
    pub fn shift_inputs(&mut self, dx: f64, dy: f64) {
        let planes =
            self.linear.iter_mut().chain(&mut self.perspective).chain(&mut self.point_coord);
        for plane in planes.chain([&mut self.one_over_w]) {
            plane.c -= plane.a * dx + plane.b * dy;
        }
    }

    /// Returns the barycentric coordinates for `noperspective` inputs at a window position.
    pub fn barycentric_linear(&self, x: f64, y: f64) -> [f64; 3] {
        self.linear.map(|plane| plane.at(x, y))
    }

    /// Returns the perspective-correct barycentric coordinates at a window position.
    pub fn barycentric_perspective(&self, x: f64, y: f64) -> [f64; 3] {
        let w = 1.0 / self.one_over_w.at(x, y);
        self.perspective.map(|plane| plane.at(x, y) * w)
    }
}
