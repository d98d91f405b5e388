//! Runner of `filetests/**/*.spvasm`: a module in assembly text, then comments with the typed
//! shaders of its entry points, or the error. `BLESS=1` writes them.

use std::fs;
use std::path::{Path, PathBuf};

use program::TypeTable;
use program::print::ShaderText;
use spirv_front::{Module, assemble};

/// The line before the expected text.
const EXPECTED: &str = "; expected:";

fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of filetests").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, list);
        } else if path.extension().is_some_and(|extension| extension == "spvasm") {
            list.push(path);
        }
    }
}

/// The typed shaders of a module's entry points, or its first error.
fn result(text: &str) -> String {
    let assembled = match assemble(text.as_bytes()) {
        Ok(assembled) => assembled,
        Err(error) => return format!("error: {error}\n"),
    };
    let at_line = |error: spirv_front::Error| {
        let line = assembled.line_of(error.offset).unwrap_or(0);
        format!("error: line {line}: {}\n", error.message)
    };
    let module = match Module::checked(&assembled.words) {
        Ok(module) => module,
        Err(error) => return at_line(error),
    };
    let mut all = String::new();
    for entry in module.entry_points() {
        let mut types = TypeTable::default();
        match module.shader(entry, &[], &mut types) {
            Ok(shader) => all += &ShaderText { shader: &shader, types: &types }.to_string(),
            Err(error) => all += &at_line(error),
        }
    }
    all
}

#[test]
fn modules_become_the_expected_shaders() {
    let mut list = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests"), &mut list);
    list.sort();
    assert!(!list.is_empty());
    let is_blessing = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in list {
        let text = fs::read_to_string(&path).expect("a file test");
        let (module, expected) = text.split_once(EXPECTED).unwrap_or((&text, ""));
        let lines: String = result(module).lines().map(|line| format!("; {line}\n")).collect();
        if is_blessing {
            fs::write(&path, format!("{module}{EXPECTED}\n{lines}")).expect("a file to bless");
        } else if expected.trim_start_matches('\n') != lines {
            wrong.push(format!("{}:\n{lines}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
