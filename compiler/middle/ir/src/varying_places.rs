//! Places of generic varyings that fill their slots.

use crate::info::{Interpolation, Location, Stage, Varying};
use crate::inst::InstKind;
use crate::intrinsics::IntrinsicOp;
use crate::shader::Shader;
use crate::slot::Slot;
use crate::varyings::{InputReads, VaryingComponent, generic, slot_at};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Components of a slot.
const SLOT_COMPONENTS: u8 = 4;

/// New places of the components that a fragment shader reads, by their old ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VaryingPlaces {
    places: BTreeMap<VaryingComponent, VaryingComponent>,
    /// The slots that they are in.
    slots: Vec<Varying>,
}

impl VaryingPlaces {
    /// Returns places that take fewer slots than a fragment shader's inputs do now, if there are
    /// any. Components of one varying stay together, those of one slot are interpolated alike.
    pub fn of(consumer: &Shader) -> Option<VaryingPlaces> {
        if consumer.info.stage != Stage::Fragment {
            return None;
        }
        let mut components: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for (varying, component) in InputReads::of(consumer).places()? {
            components.entry(varying).or_default().push(component);
        }
        let mut read: Vec<(u8, Vec<u8>)> = components.into_iter().collect();
        let count = read.len();
        // Large ones first: small ones fill what is left.
        read.sort_by_key(|(varying, components)| (Reverse(components.len()), *varying));
        let mut packed = VaryingPlaces::default();
        for (varying, components) in read {
            packed.add(mode(consumer, varying)?, varying, &components);
        }
        (packed.slots.len() < count).then_some(packed)
    }

    /// Places the components of a varying: in a slot with room, or in its own one. Slots keep their
    /// numbers and interpolation, by which the hardware between the stages knows them.
    fn add(&mut self, mode: (Interpolation, Location), varying: u8, components: &[u8]) {
        let used = |slot: &Varying| slot.components.count_ones() as u8;
        let fits = |slot: &Varying| {
            (slot.interpolation, slot.location) == mode
                && used(slot) + components.len() as u8 <= SLOT_COMPONENTS
        };
        let index = self.slots.iter().position(fits).unwrap_or(self.slots.len());
        if index == self.slots.len() {
            let slot = Varying::new(Slot::Var(varying));
            let (interpolation, location) = mode;
            self.slots.push(Varying { components: 0, interpolation, location, ..slot });
        }
        let slot = &mut self.slots[index];
        for &component in components {
            let at = used(slot);
            slot.components |= 1 << at;
            self.places.extend(generic(slot.slot).map(|to| ((varying, component), (to, at))));
        }
    }

    /// Returns the new place of a component (0 to 3) of a varying that the fragment shader reads.
    pub fn get(&self, varying: u8, component: u8) -> Option<(u8, u8)> {
        self.places.get(&(varying, component)).copied()
    }

    /// Replaces the generic varyings in a list of declarations.
    pub(crate) fn declare(&self, varyings: &mut Vec<Varying>) {
        varyings.retain(|varying| generic(varying.slot).is_none());
        varyings.extend(self.slots.iter().cloned());
    }
}

/// Returns true if a shader writes generic outputs at constant indices only, so that each can get
/// another place.
pub fn has_movable_outputs(shader: &Shader) -> bool {
    let mut stores = shader.block_order().into_iter().flat_map(|b| &shader.blocks[b].insts);
    stores.all(|&inst| match &shader.insts[inst].kind {
        InstKind::Intrinsic(i) if i.op == IntrinsicOp::StoreOutput => {
            let slot = i.srcs.get(1).and_then(|&offset| slot_at(shader, i, offset));
            generic(i.fields.slot).is_none() || slot.and_then(generic).is_some()
        }
        _ => true,
    })
}

/// Interpolation of a declared generic input.
pub(crate) fn mode(shader: &Shader, varying: u8) -> Option<(Interpolation, Location)> {
    let input = shader.info.inputs.iter().find(|input| input.slot == Slot::Var(varying))?;
    Some((input.interpolation, input.location))
}
