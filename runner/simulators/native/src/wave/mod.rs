//! Parts of programs of waves: 64 lanes of vector registers, scalar registers beside them.

mod emit;
mod frame;
mod group;
mod region;
mod registers;
mod run;
mod scalar;
mod translation;
mod vector;

pub use frame::WaveState;
pub use region::{
    LaneOperation, LaneOrders, LanePlace, LaneSource, LaneType, SCALARS, SaveOperation,
    ScalarOperation, ScalarSource, ScalarStep, VectorStep, WaveBlock, WaveEnd, WaveRegion,
    WaveStep, WaveTest,
};
pub use registers::RegisterSet;

use crate::code::{function, fuses};
use crate::control;
use crate::lanes::Subnormals;
use crate::memory::Memory;
use crate::state::Entry;
use frame::Frame;
use translation::Treatment;

#[cfg(test)]
mod tests;

/// Lanes of a wave.
const LANES: usize = 64;

/// A region as a function of the host.
#[derive(Debug)]
pub struct WaveCode {
    memory: Memory,
    subnormals: Subnormals,
    /// Vector registers that a wave must have.
    vectors: usize,
}

impl WaveCode {
    /// Translates a region; `None` if the host or an instruction is unknown. `full`: for waves in
    /// which all lanes are active.
    pub fn translate(region: &WaveRegion, full: bool) -> Option<WaveCode> {
        let steps = || region.blocks.iter().flat_map(|block| &block.steps);
        // The host would take subnormal doubles for zero, too.
        let has_doubles = steps().any(|step| match step {
            WaveStep::Vector(step) => step.operation.is_wide() || step.operation.reads_doubles(),
            WaveStep::Scalar(_) => false,
        });
        let subnormals = match control::TAKES_FOR_ZERO && !has_doubles {
            true => Subnormals::FlushResults,
            false => Subnormals::Flush,
        };
        let hosts_nans = cfg!(target_arch = "x86_64");
        WaveCode::translate_with(region, Treatment { subnormals, hosts_nans }, full)
    }

    pub(crate) fn translate_with(
        region: &WaveRegion,
        treatment: Treatment,
        full: bool,
    ) -> Option<WaveCode> {
        let mut steps = region.blocks.iter().flat_map(|block| &block.steps);
        if !fuses() || !steps.all(WaveStep::is_known) {
            return None;
        }
        let instructions = function(|builder| emit::emit(builder, region, treatment, full))?;
        let memory = Memory::of(&instructions)?;
        Some(WaveCode { memory, subnormals: treatment.subnormals, vectors: region.vectors() })
    }

    /// Executes from a block on; returns the place before which the function ended. Nothing is
    /// executed if the wave has too few registers.
    #[inline]
    pub fn run(
        &self,
        block: u32,
        vectors: &mut [[u32; LANES]],
        scalars: &mut [u32; SCALARS],
        state: &mut WaveState,
    ) -> Option<u32> {
        if vectors.len() < self.vectors {
            return None;
        }
        let takes_for_zero = self.subnormals == Subnormals::FlushResults;
        // SAFETY: The memory holds a function with the signature of `Entry` in the host's calling
        // convention.
        let function =
            unsafe { std::mem::transmute::<*const u8, Entry<Frame>>(self.memory.start()) };
        let mut frame = Frame::new(scalars, state);
        let lanes = vectors.as_mut_ptr().cast();
        // SAFETY: The function reads and writes vector registers below `self.vectors`, scalar
        // registers that `WaveStep::is_known` has checked, and the fields of the frame. It calls
        // nothing. A number of no block ends it at once.
        let place = unsafe { control::call(function, takes_for_zero, lanes, &mut frame, block) };
        frame.save(state);
        Some(place)
    }
}
