//! Programmable pipeline stages.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A programmable pipeline stage, in pipeline order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Tessellation control (hull) shader.
    TessControl,
    /// Tessellation evaluation (domain) shader.
    TessEval,
    /// Geometry shader.
    Geometry,
    /// Fragment (pixel) shader.
    Fragment,
    /// Compute shader.
    Compute,
}

impl Stage {
    /// Every stage in pipeline order.
    pub const ALL: [Stage; 6] = [
        Stage::Vertex,
        Stage::TessControl,
        Stage::TessEval,
        Stage::Geometry,
        Stage::Fragment,
        Stage::Compute,
    ];

    /// Returns the name in results, statistics and test files (`tessellation control`, …).
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::TessControl => "tessellation control",
            Stage::TessEval => "tessellation evaluation",
            Stage::Geometry => "geometry",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
        }
    }

    /// Returns the name as one word (`tess_control`, …): in IR text and in binaries' metadata.
    pub const fn identifier(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::TessControl => "tess_control",
            Stage::TessEval => "tess_eval",
            Stage::Geometry => "geometry",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
        }
    }

    /// Returns the abbreviation that drivers print (`VS`, `TCS`, …).
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Stage::Vertex => "VS",
            Stage::TessControl => "TCS",
            Stage::TessEval => "TES",
            Stage::Geometry => "GS",
            Stage::Fragment => "FS",
            Stage::Compute => "CS",
        }
    }

    /// Returns the stage with this [`Stage::name`].
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// Returns the stage with this [`Stage::identifier`].
    pub fn from_identifier(identifier: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.identifier() == identifier)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn names_and_identifiers_lead_back() {
        for stage in Stage::ALL {
            assert_eq!(Stage::from_name(stage.name()), Some(stage));
            assert_eq!(Stage::from_identifier(stage.identifier()), Some(stage));
        }
        assert_eq!(Stage::from_name("tess_control"), None);
        assert_eq!(Stage::from_identifier("tessellation control"), None);
    }
}
