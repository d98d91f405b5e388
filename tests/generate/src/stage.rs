//! The stages that tests run in.

/// Stage that computes the result of a test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TestStage {
    /// Vertex shader.
    Vertex,
    /// Geometry shader, from points to points.
    Geometry,
    /// Fragment shader.
    Fragment,
}

impl TestStage {
    /// All of them, in pipeline order.
    pub const ALL: [TestStage; 3] = [TestStage::Vertex, TestStage::Geometry, TestStage::Fragment];
    /// Stages whose outputs transform feedback captures.
    pub const CAPTURED: [TestStage; 2] = [TestStage::Vertex, TestStage::Geometry];

    /// Prefix of file names.
    pub fn prefix(self) -> &'static str {
        match self {
            TestStage::Vertex => "vs",
            TestStage::Geometry => "gs",
            TestStage::Fragment => "fs",
        }
    }

    /// Name in section headers.
    pub fn name(self) -> &'static str {
        match self {
            TestStage::Vertex => "vertex",
            TestStage::Geometry => "geometry",
            TestStage::Fragment => "fragment",
        }
    }
}
