//! Programs in graphics memory, with their work.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use amd_isa::{Chip, Format, Instruction, Operand, Register, accesses};
use gcn_simulator::{Program, Wave};
use gpu_service::{CommandError, Outcome};
use packets::Memory;
use rustc_hash::FxHashMap;
use submission::KernelUse;
use vocabulary::{Stage, Width};

/// Most double words of a program.
const MOST_WORDS: u64 = 1 << 18;
/// Double words that are read at first.
const FIRST_WORDS: u64 = 1 << 10;

/// A decoded program with its words.
#[derive(Debug)]
pub(crate) struct Kernel {
    words: Vec<u32>,
    pub(crate) program: Program,
    /// Vector registers that the instructions name.
    pub(crate) vectors: usize,
    /// Waves that ended, and the instructions that they executed.
    counts: Cell<(u64, u64)>,
}

/// Decoded programs by address. One whose words have changed is decoded again.
#[derive(Debug, Default)]
pub(crate) struct Kernels {
    known: RefCell<FxHashMap<u64, Rc<Kernel>>>,
    /// Those that draws and dispatches used, in the order of their first use.
    used: RefCell<Vec<(Stage, Rc<Kernel>)>>,
}

impl Kernel {
    /// Counts a number of waves that are like one that ended.
    pub(crate) fn count(&self, wave: &Wave, number: u64) {
        let (waves, executed) = self.counts.get();
        self.counts.set((waves + number, executed + number * wave.steps));
    }

    /// Facts of the program, and its counts since the last call.
    fn take_use(&self, stage: Stage) -> KernelUse {
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let located = self.program.instructions();
        let count = |is_one: &dyn Fn(&amd_isa::Located) -> bool| {
            located.iter().filter(|located| is_one(located)).count() as u64
        };
        let (threads, executed) = self.counts.take();
        KernelUse {
            stage: stage.name().to_owned(),
            width: Width::Wave64.name().to_owned(),
            hash: blake3::hash(&bytes).to_hex().to_string(),
            instructions: located.len() as u64,
            loops: count(&jumps_back),
            sends: count(&|located| is_message(located.instruction.format)),
            threads,
            executed,
            ..KernelUse::default()
        }
    }
}

/// Number of vector registers up to the last one that an instruction names. It can be beyond those
/// that the driver asks for, such as one without a value in an export.
fn named_vectors(program: &Program) -> usize {
    let number = |located: &amd_isa::Located| {
        let Instruction { format, opcode, .. } = located.instruction;
        let row = program.chip().row(format, opcode)?;
        let vectors = accesses(row, &located.instruction).into_iter();
        let number = |access: amd_isa::Access| match access.register {
            Register::Vector(number) => Some(usize::from(number) + 1),
            Register::Scalar(_) => None,
        };
        vectors.filter_map(number).max()
    };
    program.instructions().iter().filter_map(number).max().unwrap_or(0)
}

/// True if an instruction is a jump to one before it.
fn jumps_back(located: &amd_isa::Located) -> bool {
    match located.instruction.operands.first() {
        Some(Operand::Jump(distance)) => {
            let end = located.offset + located.dwords;
            end.checked_add_signed(*distance as isize).is_some_and(|to| to <= located.offset)
        }
        _ => false,
    }
}

/// True if instructions of a format go to memory, textures or exports.
fn is_message(format: Format) -> bool {
    use Format::{Ds, Exp, Flat, Mimg, Mtbuf, Mubuf, Smem};
    matches!(format, Ds | Exp | Flat | Mimg | Mtbuf | Mubuf | Smem)
}

impl Kernels {
    /// Decodes the program at an address, and notes its use by a stage.
    pub(crate) fn load(
        &self,
        chip: Chip,
        memory: &dyn Memory,
        address: u64,
        stage: Stage,
    ) -> Outcome<Rc<Kernel>> {
        let kernel = self.find(chip, memory, address)?;
        let mut used = self.used.borrow_mut();
        if !used.iter().any(|(known, other)| *known == stage && Rc::ptr_eq(other, &kernel)) {
            used.push((stage, kernel.clone()));
        }
        Ok(kernel)
    }

    fn find(&self, chip: Chip, memory: &dyn Memory, address: u64) -> Outcome<Rc<Kernel>> {
        if let Some(known) = self.known.borrow().get(&address)
            && memory.read_words(address, known.words.len()).is_ok_and(|w| w == known.words)
        {
            return Ok(known.clone());
        }
        let (words, program) = decode(chip, memory, address)?;
        let vectors = named_vectors(&program);
        let kernel = Rc::new(Kernel { words, program, vectors, counts: Cell::default() });
        self.known.borrow_mut().insert(address, kernel.clone());
        Ok(kernel)
    }

    /// Instructions of the programs in use.
    pub(crate) fn listings(&self) -> Vec<(Stage, Vec<String>)> {
        let lines = |kernel: &Kernel| {
            let count = kernel.program.instructions().len();
            (0..count).map(|i| kernel.program.text(i)).collect()
        };
        self.used.borrow().iter().map(|(stage, kernel)| (*stage, lines(kernel))).collect()
    }

    /// Returns the programs that were used since the last call.
    pub(crate) fn take_used(&self) -> Vec<KernelUse> {
        let used = self.used.take();
        used.iter().map(|(stage, kernel)| kernel.take_use(*stage)).collect()
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
