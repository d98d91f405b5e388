//! Programs in graphics memory.

use std::cell::RefCell;
use std::rc::Rc;

use amd_isa::Chip;
use gcn_simulator::Program;
use gpu_service::{CommandError, Outcome};
use packets::Memory;
use rustc_hash::FxHashMap;

/// Most double words of a program.
const MOST_WORDS: u64 = 1 << 18;
/// Double words that are read at first.
const FIRST_WORDS: u64 = 1 << 10;

/// A decoded program with its words.
#[derive(Debug)]
struct Known {
    words: Vec<u32>,
    program: Rc<Program>,
}

/// Decoded programs by address. One whose words have changed is decoded again.
#[derive(Debug, Default)]
pub(crate) struct Kernels(RefCell<FxHashMap<u64, Known>>);

impl Kernels {
    /// Decodes the program at an address.
    pub(crate) fn load(
        &self,
        chip: Chip,
        memory: &dyn Memory,
        address: u64,
    ) -> Outcome<Rc<Program>> {
        if let Some(known) = self.0.borrow().get(&address)
            && memory.read_words(address, known.words.len()).is_ok_and(|w| w == known.words)
        {
            return Ok(known.program.clone());
        }
        let (words, program) = decode(chip, memory, address)?;
        let program = Rc::new(program);
        self.0.borrow_mut().insert(address, Known { words, program: program.clone() });
        Ok(program)
    }
}

/// Decodes a program, which ends where no jump goes past an end.
fn decode(chip: Chip, memory: &dyn Memory, address: u64) -> Outcome<(Vec<u32>, Program)> {
    let end = memory.object(address).map_or(address, |object| object.end);
    let most = ((end - address) / 4).min(MOST_WORDS);
    let mut count = most.min(FIRST_WORDS);
    loop {
        let length = usize::try_from(count).unwrap_or(0);
        let mut words = memory.read_words(address, length)?;
        match Program::first(chip, &words) {
            Ok((program, length)) => {
                words.truncate(length);
                return Ok((words, program));
            }
            // The end may be further on.
            Err(_) if count < most => count = (4 * count).min(most),
            Err(error) => return Err(CommandError::kernel(address, &error)),
        }
    }
}
