//! Pass lists of the back end.
//!
//! [`compile`](crate::compile()) runs them; nothing else lists passes of machine programs. Passes
//! with the prefix `opt_` are optional: they count towards the limits of
//! [`CodegenOptions`](vocabulary::CodegenOptions) and can be disabled by name.

use crate::machine::Program;
use crate::opt::*;
use crate::physical::{Physical, insert_islands, insert_wait_states, insert_waits, opt_jumps};
use ir::{Pass, passes};
use vocabulary::InternalError;

/// A pass on virtual registers: its function returns whether it changed the program.
pub type MachinePass = Pass<fn(&mut Program) -> bool>;

/// A pass on physical registers.
pub type PhysicalPass = Pass<fn(&mut Physical) -> bool>;

/// The passes of the back end, in their order.
#[derive(Clone, Debug)]
pub struct PassList {
    /// Optional passes on the selected program, once each.
    pub selected: Vec<MachinePass>,
    /// Optional changes of the order of instructions that save registers, from the one that costs
    /// least time. They run as long as registers limit the number of waves, each on the program
    /// after the passes above, and the allocation that fits most waves stays.
    pub reorder: Vec<MachinePass>,
    /// Optional passes on the allocated program, once each.
    pub allocated: Vec<PhysicalPass>,
}

const SELECTED: [MachinePass; 4] = passes![opt_join_blocks, opt_dce, opt_copy_propagation, opt_dce];
const REORDER: [MachinePass; 2] = passes![opt_sink, opt_schedule];
const ALLOCATED: [PhysicalPass; 1] = passes![opt_jumps];

impl Default for PassList {
    fn default() -> PassList {
        PassList {
            selected: SELECTED.to_vec(),
            reorder: REORDER.to_vec(),
            allocated: ALLOCATED.to_vec(),
        }
    }
}

/// A pass on physical registers that may fail.
type RequiredPass = Pass<fn(&mut Physical) -> Result<bool, InternalError>>;

/// Required passes on the allocated program: the hardware needs what they insert.
pub(crate) const REQUIRED: [RequiredPass; 3] = [
    Pass { name: "insert_waits", run: |program| Ok(insert_waits(program)) },
    Pass { name: "insert_wait_states", run: |program| Ok(insert_wait_states(program)) },
    Pass { name: "insert_islands", run: insert_islands },
];

/// Returns the names of the optional passes; some more than once.
pub fn optional() -> impl Iterator<Item = &'static str> {
    let machine = SELECTED.into_iter().chain(REORDER).map(|pass| pass.name);
    machine.chain(ALLOCATED.into_iter().map(|pass| pass.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use amd_isa::Chip;

    #[test]
    fn required_passes_are_not_optional() {
        assert!(optional().all(ir::pass::is_optional));
        assert!(!REQUIRED.iter().any(|pass| ir::pass::is_optional(pass.name)));
    }

    /// Passes leave an empty program as it is.
    #[test]
    fn empty_programs_do_not_change() {
        let mut program = Program::new(Chip::Si);
        for pass in SELECTED.into_iter().chain(REORDER) {
            assert!(!(pass.run)(&mut program), "{}", pass.name);
        }
        let mut physical = Physical::of_blocks(Chip::Si, vec![Vec::new()]);
        for pass in ALLOCATED {
            assert!(!(pass.run)(&mut physical), "{}", pass.name);
        }
        for pass in REQUIRED {
            assert_eq!((pass.run)(&mut physical), Ok(false), "{}", pass.name);
        }
    }
}
