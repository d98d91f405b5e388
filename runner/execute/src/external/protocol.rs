//! Requests and answers of the protocol.

use std::collections::BTreeMap;

use compiler::amd_codegen::Output;
use compiler::binary::stage_folder;
use compiler::{Binary, amd_binary};
use program::{Stage, StageKey, TargetKind};
use script::{Content, Script};
use serde::{Deserialize, Serialize};

use crate::PASSTHROUGH;

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A section of the test file that the compiler needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The text between the brackets: `require`, `vertex shader`, `shader include`, …
    pub section: String,
    /// The contents; GLSL with the `#version` line that applies.
    pub text: String,
}

/// Returns the sections of a script without its commands and vertex data.
pub fn sections(script: &Script<'_>) -> Vec<Section> {
    let section = |section: &script::Section<'_>| {
        let header = script.slice(section.header);
        let name = header.trim().trim_start_matches('[').trim_end_matches(']').to_owned();
        let (name, text) = match &section.content {
            Content::Shader(shader) => {
                let version =
                    script.version_line(shader).map(|line| line.to_string()).unwrap_or_default();
                (name, version + &String::from_utf8_lossy(shader.source))
            }
            Content::Passthrough(version) => {
                ("vertex shader".to_owned(), format!("{version}{PASSTHROUGH}"))
            }
            Content::Test | Content::VertexData => return None,
            _ => (name, script.slice(section.body).into_owned()),
        };
        Some(Section { section: name, text })
    };
    script.sections.iter().filter_map(section).collect()
}

/// Draw-time state that is compiled into a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Colors without an interpolation qualifier are flat.
    pub flat_shade: bool,
    /// Back colors are chosen by facing.
    pub two_sided_color: bool,
    /// Bit i: user clip plane i is enabled.
    pub clip_planes: u8,
    /// Vertices per patch; 0 outside tessellation.
    pub patch_vertices: u8,
    /// `float`, `int`, `uint` or `none` per draw buffer.
    pub targets: Vec<String>,
    /// Number of samples per pixel.
    pub samples: u8,
    /// Bit i: texture coordinate i is the point coordinate.
    pub point_sprite: u8,
    /// Height of the framebuffer if `gl_FragCoord` counts from its upper left corner.
    #[serde(default)]
    pub upper_left_height: u32,
}

const TARGETS: [(TargetKind, &str); 4] = [
    (TargetKind::Float, "float"),
    (TargetKind::Int, "int"),
    (TargetKind::Uint, "uint"),
    (TargetKind::None, "none"),
];

impl Key {
    /// Converts a key to the protocol's form.
    pub fn new(key: &StageKey) -> Key {
        let name = |kind: &TargetKind| {
            TARGETS.iter().find(|(k, _)| k == kind).map_or("none", |(_, name)| name)
        };
        Key {
            flat_shade: key.flat_shade,
            two_sided_color: key.two_sided_color,
            clip_planes: key.clip_planes,
            patch_vertices: key.patch_vertices,
            targets: key.targets.iter().map(|kind| name(kind).to_owned()).collect(),
            samples: key.samples,
            point_sprite: key.point_sprite,
            upper_left_height: key.upper_left_height,
        }
    }

    /// Converts to a key.
    ///
    /// # Errors
    /// Fails on an unknown kind of target.
    pub fn stage_key(&self) -> Result<StageKey, String> {
        let kind = |name: &String| {
            let found = TARGETS.iter().find(|(_, n)| n == name).map(|(kind, _)| *kind);
            found.ok_or_else(|| format!("`{name}` is no kind of target"))
        };
        Ok(StageKey {
            flat_shade: self.flat_shade,
            two_sided_color: self.two_sided_color,
            clip_planes: self.clip_planes,
            patch_vertices: self.patch_vertices,
            targets: self.targets.iter().map(kind).collect::<Result<_, _>>()?,
            samples: self.samples,
            point_sprite: self.point_sprite,
            upper_left_height: self.upper_left_height,
        })
    }
}

/// A request of the runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Version: [`PROTOCOL`].
    pub protocol: u32,
    /// Number of the request, repeated in the answer.
    pub id: u64,
    /// Name of the test, for messages.
    pub test: String,
    /// `ivb`, `hsw`, …
    pub generation: String,
    /// The stage to compile, named like the folders of binaries: `vertex`, `tessellation_control`,
    /// …
    pub stage: String,
    /// Sections of the whole program.
    pub sections: Vec<Section>,
    /// Draw-time state.
    pub key: Key,
    /// Requested widths; empty means the compiler's choice.
    pub widths: Vec<String>,
}

/// An answer of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Number of the request.
    pub id: u64,
    /// `meta.json` of the binary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<serde_json::Value>,
    /// Bytes of each kernel in hexadecimal, by width.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernels: BTreeMap<String, String>,
    /// The error if there is no binary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AnswerError>,
}

/// The error of a compilation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerError {
    /// The phase that failed, named as in results.
    #[serde(rename = "layer")]
    pub phase: String,
    /// Description of the error.
    pub message: String,
}

impl Answer {
    /// Returns an answer with a binary.
    ///
    /// # Errors
    /// Fails if the metadata cannot be serialized.
    pub fn binary(id: u64, binary: &Binary) -> Result<Answer, String> {
        let meta = binary.metadata().map_err(|error| error.to_string())?;
        let kernels = binary
            .compiled
            .kernels
            .iter()
            .map(|k| (k.width.name().to_owned(), hex(&k.code)))
            .collect();
        Ok(Answer { id, meta: Some(meta), kernels, error: None })
    }

    /// Returns an answer with a binary for AMD's chips.
    ///
    /// # Errors
    /// Fails if the metadata cannot be serialized.
    pub fn amd_program(id: u64, output: &Output, stage: Stage) -> Result<Answer, String> {
        let meta = amd_binary::metadata(output, stage).map_err(|error| error.to_string())?;
        let programs = amd_binary::programs(output).into_iter();
        let kernels = programs.map(|(name, code)| (name.to_owned(), hex(&code))).collect();
        Ok(Answer { id, meta: Some(meta), kernels, error: None })
    }

    /// Returns an answer with an error.
    pub fn refusal(id: u64, phase: &str, message: impl Into<String>) -> Answer {
        let error = AnswerError { phase: phase.to_owned(), message: message.into() };
        Answer { id, error: Some(error), ..Answer::default() }
    }

    /// Returns the binary of a stage.
    ///
    /// # Errors
    /// Describes the problem of the answer.
    pub fn into_binary(self, stage: Stage) -> Result<Binary, String> {
        let meta = self.meta.ok_or(NO_META)?;
        Binary::from_metadata(meta, stage, |width| kernel(&self.kernels, width))
    }

    /// Returns the binary of a stage for AMD's chips.
    ///
    /// # Errors
    /// Describes the problem of the answer.
    pub fn into_amd_program(self, stage: Stage) -> Result<Output, String> {
        let meta = self.meta.ok_or(NO_META)?;
        amd_binary::from_metadata(meta, stage, |name| kernel(&self.kernels, name))
    }
}

/// Error of an answer without a binary.
const NO_META: &str = "it has neither `meta` nor `error`";

/// The bytes of a kernel.
fn kernel(kernels: &BTreeMap<String, String>, name: &str) -> Result<Vec<u8>, String> {
    let text = kernels.get(name).ok_or_else(|| format!("there is no kernel `{name}`"))?;
    bytes(text).ok_or_else(|| format!("kernel `{name}` is not in hexadecimal"))
}

/// Returns the protocol's name of a stage.
pub(super) fn stage_name(stage: Stage) -> &'static str {
    stage_folder(stage)
}

/// Returns the stage with a name.
pub(crate) fn stage_of_name(name: &str) -> Option<Stage> {
    Stage::ALL.into_iter().find(|&stage| stage_name(stage) == name)
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal() {
        assert_eq!(hex(&[0, 0x9f, 0xff]), "009fff");
        assert_eq!(bytes("009fFF"), Some(vec![0, 0x9f, 0xff]));
        assert_eq!((bytes("0"), bytes("0g"), bytes("")), (None, None, Some(Vec::new())));
    }

    #[test]
    fn keys_come_back() {
        let key = StageKey {
            flat_shade: true,
            clip_planes: 5,
            targets: [TargetKind::Uint, TargetKind::None].into_iter().collect(),
            samples: 4,
            upper_left_height: 250,
            ..StageKey::default()
        };
        assert_eq!(Key::new(&key).stage_key(), Ok(key.clone()));
        let bad = Key { targets: vec!["half".into()], ..Key::new(&key) };
        assert!(bad.stage_key().unwrap_err().contains("`half`"));
    }

    #[test]
    fn what_a_compiler_needs_of_a_file() {
        let text = "[require]\nGLSL >= 1.30\n[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n\
                    [vertex data]\nv/float/1\n1\n[test]\ndraw rect -1 -1 2 2\n";
        let script = script::parse(text.as_bytes()).unwrap();
        let sections = sections(&script);
        let names: Vec<&str> = sections.iter().map(|s| &*s.section).collect();
        assert_eq!(names, ["require", "vertex shader", "fragment shader"]);
        assert!(
            sections[1].text.starts_with("#version 130\n")
                && sections[1].text.contains("piglit_vertex")
        );
        assert_eq!(sections[2].text, "#version 130\nvoid main() {}\n");
    }
}
