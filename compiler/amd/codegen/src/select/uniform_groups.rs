//! Groups of uniform loads that become one.

use ir::Value;
use rustc_hash::FxHashMap;

/// Maximum number of dwords of a load.
const MAX_DWORDS: u32 = 16;
/// Maximum number of dwords between two loads that become one.
const MAX_GAP: u32 = 3;
/// Loads of the current block.
#[derive(Debug, Default)]
pub(super) struct UniformLoads {
    pub groups: Vec<Group>,
    pub group_of: FxHashMap<Value, usize>,
}

/// Loads that become one.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub block: u32,
    /// The first dword and the dword after the last.
    pub start: u32,
    pub end: u32,
    pub members: Vec<Member>,
    pub done: bool,
}

/// A load of the shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub value: Value,
    pub start: u32,
    pub end: u32,
    /// Components have 64 bits: pairs of registers.
    pub wide: bool,
    /// Place in the order of the code.
    pub place: usize,
}

impl Group {
    pub(super) fn new(block: u32, member: Member) -> Group {
        Group { block, start: member.start, end: member.end, members: vec![member], done: false }
    }

    /// True if the load can become part of the group.
    pub(super) fn takes(&self, member: &Member) -> bool {
        // Doubles need an even distance from the start.
        let shifts = member.wide && !(member.start - self.start).is_multiple_of(2);
        let start = self.start - u32::from(shifts && self.start > 0);
        let odd = shifts && (self.start == 0 || self.members.iter().any(|member| member.wide));
        !odd && member.start <= self.end + MAX_GAP && member.end.max(self.end) - start <= MAX_DWORDS
    }

    pub(super) fn add(&mut self, member: Member) {
        if member.wide && !(member.start - self.start).is_multiple_of(2) {
            self.start -= 1;
        }
        self.end = self.end.max(member.end);
        self.members.push(member);
    }

    /// Dwords of the instruction.
    pub(super) fn size(&self) -> u32 {
        (self.end - self.start).next_power_of_two()
    }
}
