//! The disassembly of the suite's machine code assembles to the same bytes.

use std::path::{Path, PathBuf};

use compiler::Binary;
use execute::{Linked, build, context_for, stage_keys};
use vocabulary::Target;

const TARGET: Target = Target::IVB;

/// Every test of the suite.
fn suite() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fp64");
    let files = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(|e| e.expect("a readable folder"));
    let tests = files.filter(|e| e.path().extension().is_some_and(|x| x == "shader_test"));
    tests.map(walkdir::DirEntry::into_path).collect()
}

/// The binaries of every stage that a test draws with; none when it expects a link error.
fn binaries(path: &Path) -> Vec<Binary> {
    let bytes = std::fs::read(path).expect("a readable test");
    let script = script::parse(&bytes).expect("the suite parses");
    let capabilities =
        context_for(&script, TARGET).expect("the suite needs nothing Ivy Bridge lacks");
    let Ok(Linked::Program(program)) = build(&script, capabilities) else { return Vec::new() };
    let devinfo = execute::devinfo(TARGET).expect("a hardware generation");
    let compile = |(stage, key): (&program::Stage, &program::StageKey)| {
        compiler::compile(&program, *stage, key, devinfo, &compiler::CodegenOptions::default())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    stage_keys(&script, "test", TARGET).iter().map(compile).collect()
}

#[test]
fn disassembly_assembles_to_the_same_bytes() {
    let devinfo = execute::devinfo(TARGET).expect("a hardware generation");
    let mut kernels = 0;
    for path in suite() {
        for kernel in binaries(&path).iter().flat_map(|b| &b.compiled.kernels) {
            let program =
                intel_isa::decode_program(devinfo, &kernel.code).expect("our own code decodes");
            let text = intel_isa::print_program(devinfo, &program);
            let again = intel_isa::assemble(devinfo, &text)
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(again, kernel.code, "{} {}", path.display(), kernel.width.name());
            kernels += 1;
        }
    }
    // Three kernels a test: the vertex stage's one, and two widths of the fragment stage.
    assert!(kernels > 5000, "only {kernels} kernels were checked");
}
