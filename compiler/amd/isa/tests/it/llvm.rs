//! LLVM's assembler as a second opinion. Skipped with a warning where it is not installed.

use std::io::Write;
use std::process::{Command, Stdio};

use amd_isa::{Chip, decode, print_instruction};
use libtest_mimic::Failed;

use crate::round_trip::instructions_of_rows;

/// The dwords of each line, in order; nothing where LLVM refuses it. `None` without LLVM.
fn assemble_with_llvm(
    chip: Chip,
    lines: &[String],
) -> Result<Option<Vec<Option<Vec<u32>>>>, Failed> {
    let child = Command::new("llvm-mc")
        .args(["-arch=amdgcn", &format!("-mcpu={}", chip.llvm_name()), "-show-encoding"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("WARNING: llvm-mc is not installed: the comparison with it did not run");
        return Ok(None);
    };
    // A label before each line: a refused line has no output.
    let text: String =
        lines.iter().enumerate().map(|(index, line)| format!("mark{index}:\n{line}\n")).collect();
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer panicked")??;
    let mut words = vec![None; lines.len()];
    let mut at = None;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mark = line.strip_prefix("mark").and_then(|rest| rest.strip_suffix(':'));
        match (mark, encoding_of_line(line), at) {
            (Some(index), _, _) => at = index.parse::<usize>().ok(),
            (_, Some(encoding), Some(index)) => words[index] = Some(encoding),
            _ => {}
        }
    }
    Ok(Some(words))
}

/// The dwords of `… encoding: [0x00,…]`.
fn encoding_of_line(line: &str) -> Option<Vec<u32>> {
    let (_, list) = line.split_once("encoding: [")?;
    let bytes: Vec<u8> = list
        .trim_end_matches(']')
        .split(',')
        .map(|byte| u8::from_str_radix(byte.trim().trim_start_matches("0x"), 16).ok())
        .collect::<Option<_>>()?;
    Some(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// Text that LLVM reads differently: half of a pair of exported values, and floating-point
/// constants of 16-bit integers, which have no inline constant for it.
fn is_ambiguous(line: &str) -> bool {
    let pair = line.contains("compr") && line.contains("off");
    let short = line.contains("_u16_e") || line.contains("_i16_e");
    pair || short && ["0.5", "1.0", "2.0", "4.0", "0.159"].iter().any(|text| line.contains(text))
}

/// LLVM reads the text of instructions of every row as the same dwords, or refuses it: it knows
/// more restrictions than the encoding has.
pub(crate) fn random_instructions() -> Result<(), Failed> {
    for chip in Chip::ALL {
        let instructions: Vec<Vec<u32>> =
            instructions_of_rows(chip).into_iter().flat_map(|(_, words)| words).collect();
        let lines: Vec<String> = instructions
            .iter()
            .map(|words| Ok(print_instruction(chip, &decode(chip, words)?)))
            .collect::<Result<_, amd_isa::DecodeError>>()?;
        let Some(theirs) = assemble_with_llvm(chip, &lines)? else { return Ok(()) };
        let mut accepted = 0;
        let mut failures = Vec::new();
        for ((line, ours), theirs) in lines.iter().zip(&instructions).zip(theirs) {
            let Some(theirs) = theirs.filter(|_| !is_ambiguous(line)) else { continue };
            accepted += 1;
            if *ours != theirs {
                failures.push(format!("{line}: {ours:x?}, LLVM has {theirs:x?}"));
            }
        }
        println!("{chip}: LLVM accepts {accepted} of {} random instructions", lines.len());
        if !failures.is_empty() {
            let count = failures.len();
            failures.truncate(40);
            return Err(format!("{count} differences:\n{}", failures.join("\n")).into());
        }
        if accepted * 3 < lines.len() {
            return Err(format!("{chip}: LLVM accepts only {accepted} of {}", lines.len()).into());
        }
    }
    Ok(())
}

/// LLVM confirms a plain instruction of every row.
pub(crate) fn every_row() -> Result<(), Failed> {
    for chip in Chip::ALL {
        let samples = crate::samples::samples(chip)?;
        let lines: Vec<String> = samples.iter().map(|(_, line, _)| line.clone()).collect();
        let Some(theirs) = assemble_with_llvm(chip, &lines)? else { return Ok(()) };
        let wrong: Vec<String> = samples
            .iter()
            .zip(theirs)
            .filter(|((_, _, words), theirs)| Some(words) != theirs.as_ref())
            .map(|((name, line, words), theirs)| {
                format!("{name}: {line}: {words:x?}, LLVM has {theirs:x?}")
            })
            .collect();
        println!("{chip}: LLVM confirms {} of {} rows", lines.len() - wrong.len(), lines.len());
        if !wrong.is_empty() {
            return Err(format!("{} differences:\n{}", wrong.len(), wrong.join("\n")).into());
        }
    }
    Ok(())
}
