//! Stages by [`Stage::name`], as results files of format 1 hold them (`tessellation control`).

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

use vocabulary::Stage;

/// Writes the name of a stage.
///
/// # Errors
/// Returns the error of the serializer.
pub fn serialize<S: Serializer>(stage: &Stage, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(stage.name())
}

/// Reads the name of a stage.
///
/// # Errors
/// Fails on text that is not a name.
pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Stage, D::Error> {
    deserializer.deserialize_str(NameVisitor)
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = Stage;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a stage")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Stage, E> {
        Stage::from_name(name).ok_or_else(|| E::custom(format_args!("unknown stage `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_ref::ResultRef;
    use crate::verdict::{StageStatistics, Status, TestResult};
    use vocabulary::Width;

    /// The names of format 1, written by hand.
    #[test]
    fn every_name_of_format_1() {
        let stages = [
            (Stage::Vertex, "vertex"),
            (Stage::TessControl, "tessellation control"),
            (Stage::TessEval, "tessellation evaluation"),
            (Stage::Geometry, "geometry"),
            (Stage::Fragment, "fragment"),
            (Stage::Compute, "compute"),
        ];
        let widths = [
            (Width::Vec4, "vec4"),
            (Width::Simd8, "SIMD8"),
            (Width::Simd16, "SIMD16"),
            (Width::Simd32, "SIMD32"),
            (Width::Wave64, "wave64"),
        ];
        assert_eq!((stages.len(), widths.len()), (Stage::ALL.len(), Width::ALL.len()));
        for (stage, stage_text) in stages {
            for (width, width_text) in widths {
                let result = TestResult {
                    stages: vec![StageStatistics::new(stage, width)],
                    ..TestResult::plain("a", "ivb", Status::Pass)
                };
                let line = serde_json::to_string(&result).unwrap();
                let code = format!(
                    "\"stages\":[{{\"stage\":\"{stage_text}\",\"width\":\"{width_text}\",\"instructions\":0,"
                );
                assert!(line.contains(&code), "{line}");
                assert_eq!(serde_json::from_str::<TestResult>(&line).unwrap(), result);
                assert_eq!(
                    serde_json::from_str::<ResultRef<'_>>(&line).unwrap().to_result(),
                    result
                );
            }
        }
    }

    #[test]
    fn unknown_names_are_errors() {
        let statistics = StageStatistics::new(Stage::Vertex, Width::Simd8);
        let text = serde_json::to_string(&statistics).unwrap();
        let error = |text: String| serde_json::from_str::<StageStatistics>(&text).unwrap_err();
        assert!(error(text.replace("vertex", "pixel")).to_string().contains("stage `pixel`"));
        assert!(error(text.replace("SIMD8", "SIMD4")).to_string().contains("SIMD4"));
    }
}
