//! Modules of SPIR-V: words (`.spv`) or assembly text (`.spvasm`). The stages of a module are those
//! of its entry points.

use std::io;
use std::path::Path;

use script::bare;
use spirv_front::{Module, assemble};

use super::shader_test::{explain, run_parsed};
use crate::case::TestCase;
use crate::kind::{Kind, TestFile, read_file};
use crate::mode::Mode;
use results::bundle::Bundle;
use results::verdict::{TestResult, Verdict};
use vocabulary::Stage;

/// The kind.
pub(super) struct SpirvModule;

impl Kind for SpirvModule {
    fn extensions(&self) -> &'static [&'static str] {
        &["spv", "spvasm"]
    }

    fn takes(&self, mode: Mode) -> bool {
        mode == Mode::Compile
    }

    /// Reads a module as the text of a `.shader_test` file, with its words in hexadecimal.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut text = read_file(path)?;
        if path.extension().is_some_and(|extension| extension == "spv") {
            text = hexadecimal(&text);
        }
        Ok(bare::compose_spirv(&stages(&text), &text))
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        run_parsed(file.text, true, case)
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, case: &TestCase<'_>) -> Bundle {
        explain(result, file.text, case)
    }
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
