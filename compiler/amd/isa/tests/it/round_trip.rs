//! Dwords to instruction to dwords, with the text between.

use amd_isa::{Chip, assemble, decode, decode_program, encode, print_instruction};
use libtest_mimic::Failed;

/// Numbers of a linear congruential generator: the same in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn word(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}

/// Random dwords decode without a panic; what decodes has the same dwords again, with and without
/// the text between.
pub(crate) fn random_words() -> Result<(), Failed> {
    let mut random = Random::new();
    for chip in Chip::ALL {
        let mut decoded = 0;
        for _ in 0..1_000_000 {
            let words = [random.word(), random.word(), random.word()];
            let Ok(instruction) = decode(chip, &words) else { continue };
            decoded += 1;
            let encoded = encode(chip, &instruction)?;
            if words[..encoded.len()] != encoded {
                return Err(format!("{chip} {words:x?}: {instruction:?}: {encoded:x?}").into());
            }
            if decoded % 8 != 0 {
                continue;
            }
            let text = print_instruction(chip, &instruction);
            let again = assemble(chip, &text).map_err(|error| format!("{text}: {error}"))?;
            if again != encoded {
                return Err(format!("{chip} {encoded:x?}: {text}: {again:x?}").into());
            }
        }
        if decoded < 300_000 {
            return Err(format!("{chip}: only {decoded} of a million decode").into());
        }
    }
    Ok(())
}

/// Every row of the tables has random instructions that survive the text.
pub(crate) fn every_row() -> Result<(), Failed> {
    for chip in Chip::ALL {
        for (row, instructions) in instructions_of_rows(chip) {
            if instructions.is_empty() {
                return Err(format!("{chip}: no instruction of {row}").into());
            }
            for words in instructions {
                let program = decode_program(chip, &words)?;
                let text = print_instruction(chip, &program[0].instruction);
                let again = assemble(chip, &text).map_err(|error| format!("{text}: {error}"))?;
                if again != words {
                    return Err(format!("{chip}: {text}: {words:x?}, then {again:x?}").into());
                }
            }
        }
    }
    Ok(())
}

/// Name of each row, with random instructions of it that have no residue.
pub(crate) fn instructions_of_rows(chip: Chip) -> Vec<(String, Vec<Vec<u32>>)> {
    let mut random = Random::new();
    let mut rows = Vec::new();
    for row in chip.rows() {
        let name = format!("{:?} {}", row.format, row.opcode.mnemonic());
        let mut found = Vec::new();
        for _ in 0..3000 {
            if found.len() == 3 {
                break;
            }
            let words = [random.word(), random.word(), random.word()];
            let Ok(first) = with_row(chip, row, words) else { continue };
            found.push(first);
        }
        rows.push((name, found));
    }
    rows
}

/// The instruction of random dwords with the prefix and number of a row.
fn with_row(chip: Chip, row: &amd_isa::Row, random: [u32; 3]) -> Result<Vec<u32>, ()> {
    let base = amd_isa::encoding::opcode_bits(chip, row).ok_or(())?;
    let words = [random[0] & !base.mask | base.bits, random[1], random[2]];
    let mut instruction = decode(chip, &words).map_err(drop)?;
    instruction.residue = 0;
    encode(chip, &instruction).map_err(drop)
}
