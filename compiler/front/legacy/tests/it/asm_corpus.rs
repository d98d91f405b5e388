//! Census of the programs that piglit loads alone (`asmparsertest`): each must load, except those
//! with the comment `# FAIL`. Without an installed piglit (Debian's package) the test prints a
//! message and passes.

use legacy::arb::{ProgramTarget, translate};
use std::fs;

const ROOT: &str = "/usr/lib/x86_64-linux-gnu/piglit/tests/asmparsertest/shaders";

/// Programs with NVIDIA's options, which this grammar does not have, count as invalid.
fn must_load(text: &str) -> bool {
    !text.contains("# FAIL") && !text.contains("# REQUIRE GL_NV_")
}

#[test]
fn programs_that_are_loaded_alone() {
    let (mut right, mut wrong) = (0, Vec::new());
    for (folder, target) in
        [("ARBvp1.0", ProgramTarget::Vertex), ("ARBfp1.0", ProgramTarget::Fragment)]
    {
        let Ok(entries) = fs::read_dir(format!("{ROOT}/{folder}")) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
            let outcome = translate(&text, target).map(|_| ());
            if outcome.is_ok() == must_load(&text) {
                right += 1;
            } else {
                wrong.push(format!("{}: {outcome:?}", path.display()));
            }
        }
    }
    wrong.sort();
    println!("{right} as piglit expects");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
