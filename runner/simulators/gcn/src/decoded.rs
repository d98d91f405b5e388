//! Decoded instructions and their properties.

use amd_isa::hazards::{HAZARDS, Hazard, HazardView};
use amd_isa::{Access, Chip, Instruction, Located, Row, accesses};

use crate::class::Class;
use crate::rows::Plan;

/// The instructions of a program.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub chip: Chip,
    pub instructions: Vec<Located>,
    pub facts: Vec<Facts>,
    /// Number of the instruction at each offset in dwords.
    pub starts: Vec<Option<usize>>,
}

impl Decoded {
    /// Number of the instruction at an offset in dwords.
    pub(crate) fn at(&self, offset: usize) -> Option<usize> {
        self.starts.get(offset).copied().flatten()
    }
}

/// Properties of an instruction that each execution needs.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub row: &'static Row,
    pub class: Class,
    /// An implementation on rows, if there is one.
    pub plan: Option<Plan>,
    pub accesses: Vec<Access>,
    /// Hazards that the instruction can be the second part of, with their bits.
    pub hazards: Vec<(u32, &'static Hazard)>,
    /// Bits of the hazards that the instruction can be the first part of.
    pub begins: u32,
}

impl Facts {
    pub(crate) fn new(chip: Chip, row: &'static Row, instruction: &Instruction) -> Facts {
        let view = HazardView::new(row, instruction);
        let required = || {
            let bits = (0..).map(|index| 1_u32 << index).zip(HAZARDS);
            bits.filter(|(_, hazard)| hazard.is_required(chip))
        };
        let hazards = required().filter(|(_, hazard)| hazard.concerns(&view)).collect();
        let begun = required().filter(|(_, hazard)| hazard.begins(&view));
        let begins = begun.fold(0, |bits, (bit, _)| bits | bit);
        let class = Class::of(row.format, row.opcode);
        let plan = Plan::of(class, row, instruction);
        Facts { row, class, plan, accesses: accesses(row, instruction), hazards, begins }
    }
}
