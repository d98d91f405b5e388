//! Memory accesses whose effects on registers are not complete.

use amd_isa::Register;
use native::RegisterSet;

use crate::error::Reason;
use crate::register::LANES;

/// Kind of a pending event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Vector memory: VMCNT, in order.
    Vector,
    /// Data share: LGKMCNT, in order.
    Share,
    /// Scalar memory: LGKMCNT, out of order.
    Scalar,
    /// Message: LGKMCNT.
    Message,
    /// Export or store that reads its registers: EXPCNT. The number tells kinds of exports apart.
    Export(u8),
}

/// A pending event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub kind: Kind,
    /// Offset of the instruction in bytes.
    pub by: usize,
    /// Registers that it will write.
    pub writes: Vec<(Register, [u32; LANES])>,
    /// Lanes that it will write.
    pub lanes: u64,
    /// Registers that it has still to read.
    pub holds: Vec<Register>,
}

impl Event {
    pub(crate) fn is_scalar_memory(&self) -> bool {
        self.kind == Kind::Scalar
    }

    fn counter(&self) -> &'static str {
        match self.kind {
            Kind::Vector => "vmcnt",
            Kind::Export(_) => "expcnt",
            _ => "lgkmcnt",
        }
    }
}

/// Pending events in the order of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    events: Vec<Event>,
    /// Registers that an event will write or has still to read, and maybe others.
    registers: RegisterSet,
}

/// Adds a register to a set.
pub(crate) fn insert(set: &mut RegisterSet, register: Register) {
    match register {
        Register::Vector(number) => set.add_vector(number),
        Register::Scalar(code) => set.add_scalar(code),
    }
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Registers that wait for memory or that memory has still to read; `None` without events.
    pub(crate) fn registers(&self) -> Option<RegisterSet> {
        (!self.events.is_empty()).then_some(self.registers)
    }

    /// Notes the registers of an event.
    fn note(registers: &mut RegisterSet, event: &Event) {
        let written = event.writes.iter().map(|(register, _)| register);
        written.chain(&event.holds).for_each(|register| insert(registers, *register));
    }

    /// Adds an event. EXPCNT counts to 7: an event beyond stalls until the oldest is complete.
    pub(crate) fn add(&mut self, event: Event) {
        let exports = |events: &[Event]| {
            events.iter().filter(|event| matches!(event.kind, Kind::Export(_))).count()
        };
        let kind = event.kind;
        let other = |event: &Event| matches!(event.kind, Kind::Export(_)) && event.kind != kind;
        let stalls = matches!(kind, Kind::Export(_)) && !self.events.iter().any(other);
        if stalls && exports(&self.events) >= 7 {
            let oldest = self.events.iter().position(|event| event.kind == kind);
            oldest.map(|index| self.events.remove(index));
        }
        Pending::note(&mut self.registers, &event);
        self.events.push(event);
    }

    /// Completes events until the counters are not above the limits.
    pub(crate) fn wait(&mut self, vector: u32, export: u32, lgkm: u32) -> Vec<Event> {
        let count = |events: &[Event], accept: fn(Kind) -> bool| {
            events.iter().filter(|event| accept(event.kind)).count()
        };
        let is_vector = |kind| kind == Kind::Vector;
        let is_export = |kind| matches!(kind, Kind::Export(_));
        let is_share = |kind| kind == Kind::Share;
        let excess = |count: usize, limit: u32, most: u32| {
            if limit >= most { 0 } else { count.saturating_sub(limit as usize) }
        };
        let mut vectors = excess(count(&self.events, is_vector), vector, 15);
        // An access of the data share is complete once those behind it are at most the limit: if it
        // were not, it and they would be more, and scalar memory only adds to them.
        let mut shares = excess(count(&self.events, is_share), lgkm, 15);
        // The same of exports: those of a kind complete in order, and other kinds only add to them.
        let exported = |event: &Event| is_export(event.kind).then_some(event.kind);
        let mut exports: Vec<(Kind, usize)> = Vec::new();
        for kind in self.events.iter().filter_map(exported) {
            match exports.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, count)) => *count += 1,
                None => exports.push((kind, 1)),
            }
        }
        exports.iter_mut().for_each(|(_, count)| *count = excess(*count, export, 7));
        let mut unordered = if lgkm == 0 { self.events.len() } else { 0 };
        let mut complete = Vec::new();
        let mut rest = Vec::new();
        let mut completed_stores = Vec::new();
        for event in self.events.drain(..) {
            let left = match event.kind {
                Kind::Vector => &mut vectors,
                Kind::Export(_) => match exports.iter_mut().find(|(kind, _)| *kind == event.kind) {
                    Some((_, count)) => count,
                    None => continue,
                },
                Kind::Share => &mut shares,
                Kind::Scalar | Kind::Message => &mut unordered,
            };
            if *left > 0 {
                *left -= 1;
                if event.kind == Kind::Vector {
                    completed_stores.push(event.by);
                }
                complete.push(event);
            } else {
                rest.push(event);
            }
        }
        // A store that is complete has read its data.
        rest.retain(|event| !(is_export(event.kind) && completed_stores.contains(&event.by)));
        self.registers = RegisterSet::default();
        rest.iter().for_each(|event| Pending::note(&mut self.registers, event));
        self.events = rest;
        complete
    }

    /// Checks that an instruction may use a register in some lanes. `in_order` is the kind of an
    /// instruction that only writes it, in order with earlier ones of the kind.
    pub(crate) fn check(
        &self,
        register: Register,
        lanes: u64,
        writes: bool,
        in_order: Option<Kind>,
    ) -> Result<(), Reason> {
        let mut own = RegisterSet::default();
        insert(&mut own, register);
        if !self.registers.intersects(&own) {
            return Ok(());
        }
        let is_vector = matches!(register, Register::Vector(_));
        // The two ways of a branch have lanes of their own in the same vector registers.
        let concerns = |event: &&Event| !is_vector || event.lanes & lanes != 0;
        for event in self.events.iter().filter(concerns) {
            let written = event.writes.iter().any(|(other, _)| *other == register);
            if written && in_order != Some(event.kind) {
                return Err(Reason::Pending {
                    register: register.to_string(),
                    counter: event.counter(),
                    by: event.by,
                });
            }
            if writes && event.holds.contains(&register) {
                return Err(Reason::Held { register: register.to_string(), by: event.by });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: Kind, by: usize) -> Event {
        Event { kind, by, writes: Vec::new(), lanes: 0, holds: Vec::new() }
    }

    /// A position, then two parameters: with one export left the first parameter is complete for
    /// sure, since without it both would be left. The position may be the one that is left.
    #[test]
    fn exports_of_a_kind_are_in_order_beside_others() {
        let mut pending = Pending::default();
        for (by, kind) in [1, 2, 2].into_iter().enumerate() {
            pending.add(event(Kind::Export(kind), by));
        }
        let mut complete = |export| {
            let events = pending.wait(15, export, 15);
            events.iter().map(|event| event.by).collect::<Vec<_>>()
        };
        assert_eq!(complete(2), [0; 0]);
        assert_eq!(complete(1), [1]);
        assert_eq!(complete(0), [0, 2]);
    }

    /// Two accesses of the data share and one of scalar memory: with one access left, the first is
    /// complete for sure; only a wait for all covers scalar memory.
    #[test]
    fn the_data_share_is_in_order_beside_scalar_memory() {
        let mut pending = Pending::default();
        for (by, kind) in [Kind::Share, Kind::Share, Kind::Scalar].into_iter().enumerate() {
            pending.add(event(kind, by));
        }
        let mut complete = |lgkm| {
            let events = pending.wait(15, 7, lgkm);
            events.iter().map(|event| event.by).collect::<Vec<_>>()
        };
        assert_eq!(complete(15), [0; 0]);
        assert_eq!(complete(2), [0; 0]);
        assert_eq!(complete(1), [0]);
        assert_eq!(complete(0), [1, 2]);
    }
}
