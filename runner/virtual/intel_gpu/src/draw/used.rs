//! Kernels of a program's draws and dispatches, with their work.

use std::cell::RefCell;
use std::rc::Rc;

use intel_isa::{DevInfo, Inst, Opcode};
use submission::KernelUse;
use vocabulary::{Stage, Width};

use super::kernels::Loaded;

/// Kernels in the order of their first use.
#[derive(Debug)]
pub(super) struct Used {
    devinfo: &'static DevInfo,
    kernels: RefCell<Vec<(Stage, Width, Rc<Loaded>)>>,
}

impl Used {
    pub(super) fn new(devinfo: &'static DevInfo) -> Used {
        Used { devinfo, kernels: RefCell::default() }
    }

    /// Notes a kernel whose threads follow.
    pub(super) fn add(&self, kernel: &Rc<Loaded>, stage: Stage, width: Width) {
        let mut all = self.kernels.borrow_mut();
        if !all.iter().any(|(_, _, known)| Rc::ptr_eq(known, kernel)) {
            // Threads of the driver's own draws do not count.
            kernel.take_counts();
            all.push((stage, width, kernel.clone()));
        }
    }

    /// Returns the kernels and forgets them.
    pub(super) fn take(&self) -> Vec<KernelUse> {
        let all = self.kernels.take();
        let describe = |(stage, width, kernel): &(Stage, Width, Rc<Loaded>)| {
            let (threads, executed) = kernel.take_counts();
            KernelUse {
                stage: stage.name().to_owned(),
                width: width.name().to_owned(),
                threads,
                executed,
                ..kernel.description(|code| describe(self.devinfo, kernel, code))
            }
        };
        all.iter().map(describe).collect()
    }
}

/// Facts of a kernel that do not depend on its use.
fn describe(devinfo: &'static DevInfo, kernel: &Loaded, code: &[u8]) -> KernelUse {
    let insts: Vec<Inst> = kernel.kernel.instructions().copied().collect();
    let count = |is_one: fn(&Inst) -> bool| insts.iter().filter(|inst| is_one(inst)).count() as u64;
    KernelUse {
        hash: blake3::hash(code).to_hex().to_string(),
        instructions: insts.len() as u64,
        loops: count(|inst| inst.opcode == Opcode::While),
        sends: count(|inst| inst.send.is_some()),
        cycles: intel_isa::estimated_cycles(devinfo, &insts),
        ..KernelUse::default()
    }
}
