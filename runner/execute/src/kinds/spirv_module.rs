//! Modules of SPIR-V: words (`.spv`), assembly text (`.spvasm`), or the work of other programs on
//! WGSL (`.wgsl`) and HLSL (`.vert.hlsl`). The stages of a module are those of its entry points.

use std::io;
use std::path::Path;

use script::bare;
use shader_tools::FileLanguage;
use spirv_front::{Module, assemble};

use super::shader_test::{explain, run_parsed};
use crate::case::TestCase;
use crate::kind::{Kind, TestFile, read_file};
use crate::mode::Mode;
use results::bundle::Bundle;
use results::verdict::{Status, TestResult, Verdict};
use vocabulary::Stage;

/// The kind.
pub(super) struct SpirvModule;

impl Kind for SpirvModule {
    fn extensions(&self) -> &'static [&'static str] {
        &["spv", "spvasm", "wgsl", "hlsl"]
    }

    fn takes(&self, mode: Mode) -> bool {
        mode == Mode::Compile
    }

    /// Files with HLSL for others to include have no stage.
    fn takes_name(&self, path: &Path) -> bool {
        !matches!(FileLanguage::of(path), Some(Err(_)))
    }

    /// Reads a module as the text of a `.shader_test` file, with its words in hexadecimal.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut text = read_file(path)?;
        if let Some(language) = FileLanguage::of(path) {
            let module = language.and_then(|language| language.module(&text));
            text = hexadecimal(&module.map_err(io::Error::other)?);
        } else if path.extension().is_some_and(|extension| extension == "spv") {
            text = hexadecimal(&text);
        }
        Ok(bare::compose_spirv(&stages(&text), &text))
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        let programs = module_programs(file.text);
        let mut verdicts = programs.iter().map(|text| run_parsed(text, true, case));
        let first = verdicts.next().unwrap_or_else(|| run_parsed(file.text, true, case));
        verdicts.fold(first, joined)
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, case: &TestCase<'_>) -> Bundle {
        explain(result, file.text, case)
    }
}

/// The texts of the programs of a module: the stages of graphics, and compute.
pub fn module_programs(text: &[u8]) -> Vec<Vec<u8>> {
    let header = |stage: Stage| format!("\n[{} shader spirv]\n", stage.name()).into_bytes();
    let start = |stage: Stage| {
        let header = header(stage);
        let at = text.windows(header.len()).position(|window| window == header)?;
        Some(at + header.len())
    };
    let stages: Vec<Stage> =
        Stage::ALL.iter().copied().filter(|&stage| start(stage).is_some()).collect();
    let (compute, graphics): (Vec<_>, Vec<_>) =
        stages.iter().partition(|&&stage| stage == Stage::Compute);
    if compute.is_empty() || graphics.is_empty() {
        return vec![text.to_vec()];
    }
    let module = &text[start(stages[0]).unwrap_or(0)..];
    let end = module.windows(2).position(|window| window == b"\n[").unwrap_or(module.len());
    [graphics, compute].iter().map(|stages| bare::compose_spirv(stages, &module[..end])).collect()
}

/// The verdict of two programs: that of the first which does not pass.
fn joined(mut first: Verdict, mut second: Verdict) -> Verdict {
    let passes = first.status == Status::Pass;
    let (kept, other) = if passes { (&mut second, &mut first) } else { (&mut first, &mut second) };
    kept.stages.append(&mut other.stages);
    if passes { second } else { first }
}

/// The words of a binary file, eight in a line.
fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    let mut text = String::new();
    for line in bytes.chunks(32) {
        let word = |c: &[u8]| c.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
        let words: Vec<String> = line.chunks(4).map(|c| format!("0x{}", word(c))).collect();
        text += &(words.join(" ") + "\n");
    }
    text.into_bytes()
}

/// The stages of a module's entry points, in pipeline order. A module without any, or one that is
/// malformed, counts as a vertex shader, whose errors say so.
fn stages(text: &[u8]) -> Vec<Stage> {
    let module = assemble(text).ok().and_then(|module| Module::read(&module.words).ok());
    let entries = module.iter().flat_map(Module::entry_points);
    let mut stages: Vec<Stage> = entries.map(|entry| entry.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    if stages.is_empty() { vec![Stage::Vertex] } else { stages }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_is_a_program_of_its_own() {
        let names = |text: &[u8]| {
            let text = String::from_utf8(text.to_vec()).expect("a text");
            let headers = text.lines().filter(|line| line.ends_with(" shader spirv]"));
            headers.map(str::to_owned).collect::<Vec<_>>()
        };
        let module = b"; a module\nOpNop\n";
        let both = bare::compose_spirv(&[Stage::Fragment, Stage::Compute], module);
        let list = module_programs(&both);
        assert_eq!(list.len(), 2);
        assert_eq!(names(&list[0]), ["[fragment shader spirv]"]);
        assert_eq!(names(&list[1]), ["[compute shader spirv]"]);
        assert_eq!(list[1], bare::compose_spirv(&[Stage::Compute], module));
        let graphics = bare::compose_spirv(&[Stage::Vertex, Stage::Fragment], module);
        assert_eq!(module_programs(&graphics), [graphics]);
    }
}
