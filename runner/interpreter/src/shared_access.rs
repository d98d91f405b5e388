//! Accesses to what invocations share: outputs of tessellation control shaders, and the shared
//! variables of a work group.

use program::GlobalId;

use crate::environment::{AddressSpace, Error};
use crate::invocation_group::InvocationGroup;
use crate::lanes::{Mask, Value};
use crate::place::{Place, PlaceRoot};
use crate::shared_cells::Change;
use crate::shared_storage::outputs;

impl InvocationGroup<'_> {
    /// Marks components that lanes read from a place of an output although another invocation may
    /// write them.
    pub(crate) fn read_outputs(&mut self, global: GlobalId, place: &Place, value: &mut Value) {
        let Some(shared) = self.shared.as_mut() else { return };
        for lane in self.active.minus(&place.outside).iter() {
            for c in 0..value.components() {
                let cell = shared.output(global, place.offsets[lane] as usize + c, lane);
                if shared.cells.read(cell, lane) {
                    value.mark_undefined(c, lane);
                }
            }
        }
    }

    /// Writes outputs that all invocations of a patch share. Of several lanes that write one
    /// component the last one wins.
    pub(crate) fn store_outputs(
        &mut self,
        place: &Place,
        value: &Value,
        active: &Mask,
        target: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        let PlaceRoot::Global(global) = place.root else { return Ok(()) };
        for c in 0..value.components() {
            for lane in active.minus(&place.undefined).iter() {
                let to = place.offsets[lane] as usize + target(c);
                self.store_output(
                    global,
                    to,
                    lane,
                    value.get(c, lane),
                    value.is_undefined(c, lane),
                );
            }
        }
        // A write to an element that is unknown, or none, may be one to any element.
        for lane in self.active.and(&place.outside.or(&place.undefined)).iter() {
            for to in 0..self.globals[global].components() {
                let bits = self.globals[global].get(to, lane);
                self.store_output(global, to, lane, bits, true);
            }
        }
        Ok(())
    }

    fn store_output(
        &mut self,
        global: GlobalId,
        component: usize,
        lane: usize,
        bits: u64,
        undefined: bool,
    ) {
        let patch = self.patch_lanes(lane);
        let destination = &mut self.globals[global];
        for shared_lane in patch {
            destination.set(component, shared_lane, bits);
            if undefined {
                destination.mark_undefined(component, shared_lane);
            }
        }
        if let Some(shared) = self.shared.as_mut() {
            let cell = shared.output(global, component, lane);
            shared.cells.write(cell, lane, bits, undefined);
        }
    }

    /// Marks the outputs for whose values the order of invocations matters.
    pub(crate) fn finish_outputs(&mut self) {
        let Some(shared) = self.shared.as_ref() else { return };
        for (global, _) in outputs(self.shader) {
            let value = &mut self.globals[global];
            for c in 0..value.components() {
                for lane in 0..self.lanes {
                    if shared.cells.is_open(shared.output(global, c, lane)) {
                        value.mark_undefined(c, lane);
                    }
                }
            }
        }
    }

    /// Marks a component that some lanes read from one place of memory although another invocation
    /// may write it.
    pub(crate) fn read_shared_together(
        &mut self,
        (space, offset, bytes): (AddressSpace, u32, u32),
        component: usize,
        value: &mut Value,
    ) {
        let Some(shared) = self.shared.as_mut().filter(|_| space == AddressSpace::Shared) else {
            return;
        };
        for cell in shared.memory(offset, bytes) {
            let mark = |lane| value.mark_undefined(component, lane);
            shared.cells.read_together(cell, &self.active, mark);
        }
    }

    /// True if a lane reads from memory what another invocation may write.
    pub(crate) fn reads_open(
        &mut self,
        (space, offset, bytes): (AddressSpace, u32, u32),
        lane: usize,
    ) -> bool {
        let Some(shared) = self.shared.as_mut().filter(|_| space == AddressSpace::Shared) else {
            return false;
        };
        let mut open = false;
        for cell in shared.memory(offset, bytes) {
            open |= shared.cells.read(cell, lane);
        }
        open
    }

    /// Records a write to shared variables; returns false if the memory is not shared.
    pub(crate) fn write_shared(
        &mut self,
        (space, offset, bytes): (AddressSpace, u32, u32),
        lane: usize,
        bits: u64,
        undefined: bool,
    ) -> bool {
        let Some(shared) = self.shared.as_mut().filter(|_| space == AddressSpace::Shared) else {
            return false;
        };
        for cell in shared.memory(offset, bytes) {
            shared.cells.write(cell, lane, bits, undefined);
        }
        true
    }

    /// Records an atomic operation on shared variables; returns true if the old value is undefined,
    /// `None` if the memory is not shared.
    pub(crate) fn modify_shared(
        &mut self,
        (space, offset, bytes): (AddressSpace, u32, u32),
        lane: usize,
        change: Change,
    ) -> Option<bool> {
        let shared = self.shared.as_mut().filter(|_| space == AddressSpace::Shared)?;
        let mut open = false;
        for cell in shared.memory(offset, bytes) {
            open |= shared.cells.modify(cell, lane, change);
        }
        Some(open)
    }
}
