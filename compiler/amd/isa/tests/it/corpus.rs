//! Instructions that another compiler made, with text and dwords: `../shared/anchors` beside the
//! workspace. Skipped with a warning where the files are missing.

use std::fs;
use std::path::PathBuf;

use amd_isa::{Chip, assemble, decode_program, print_instruction};
use libtest_mimic::Failed;

/// A file of recorded material, if there is one. `GCN_CORPUS` names another folder.
pub(crate) fn file(name: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/anchors");
    let folder = std::env::var_os("GCN_CORPUS").map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("WARNING: {} is missing: its instructions were not tried", path.display());
    None
}

/// Text that the words do not determine: jumps to labels and addresses of symbols.
fn is_symbolic(text: &str) -> bool {
    text.contains(".L")
        || text.contains('@')
        || text.contains("SCRATCH_RSRC")
        || text.contains("BB")
}

/// Text gives the dwords, and the dwords give text that gives the dwords.
pub(crate) fn instructions() -> Result<(), Failed> {
    for (chip, name) in [(Chip::Si, "tahiti"), (Chip::Vi, "polaris10")] {
        let Some(path) = file(&format!("radeonsi-{name}-instructions.tsv")) else { continue };
        let text = fs::read_to_string(path)?;
        let mut counts = [0; 4];
        let mut failures = Vec::new();
        for row in text.lines().skip(1) {
            let [_, text, words] = row.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!("no row of three: {row}").into());
            };
            let words: Vec<u32> = words
                .split(' ')
                .map(|word| u32::from_str_radix(word, 16))
                .collect::<Result<_, _>>()?;
            if is_symbolic(text) {
                counts[0] += 1;
                continue;
            }
            counts[1] += 1;
            let program = decode_program(chip, &words)?;
            let printed = print_instruction(chip, &program[0].instruction);
            if program.len() != 1 || assemble(chip, &printed).as_ref() != Ok(&words) {
                failures.push(format!("{words:x?}: {printed}: {:x?}", assemble(chip, &printed)));
            }
            counts[2] += usize::from(printed.replace(" & ", " ") == text);
            // The registers that a disabled channel of an export names are not in the text.
            let ours = assemble(chip, text);
            let disabled = text.starts_with("exp ") && text.contains("off");
            if ours.as_ref() != Ok(&words) && !(disabled && ours.is_ok()) {
                failures.push(format!("{text}: {words:x?}, not {ours:x?}"));
            }
            counts[3] += usize::from(ours.as_ref() == Ok(&words));
        }
        println!(
            "{chip}: {} symbolic, {} others; same text {}, same words {}",
            counts[0], counts[1], counts[2], counts[3]
        );
        if !failures.is_empty() {
            let count = failures.len();
            failures.truncate(40);
            return Err(format!("{count} failures:\n{}", failures.join("\n")).into());
        }
    }
    Ok(())
}
