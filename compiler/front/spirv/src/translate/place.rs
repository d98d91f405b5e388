//! Pointers as places: a variable and the steps to a part of it.

use program::{BuiltinVariable, GlobalId, LocalId};

/// A place in a variable.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) root: Root,
    pub(crate) steps: Vec<Step>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) enum Root {
    Global(GlobalId),
    Local(LocalId),
    /// A texture or sampler of a module (Vulkan), by the module's variable. A texture may have got
    /// its sampler: variable, and the id of the index if that is an array.
    Apart(u32, Option<(u32, Option<u32>)>),
    /// A built-in variable without a place.
    Computed(Computed),
    /// One of two places, by the value of a pointer.
    Choice(Box<Choice>),
    /// An interface block whose members are variables of their own.
    Parts(Box<Parts>),
}

/// Variables that make up one of a module.
#[derive(Clone, Debug)]
pub(crate) enum Parts {
    Leaf(GlobalId),
    /// One for each member.
    Members(Vec<Parts>),
    /// One for each element.
    Elements(Vec<Parts>),
    /// The parts have an element for each vertex.
    PerVertex(Box<Parts>),
}

/// A step to a part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Member(u32),
    /// An element, column or component, by an id.
    Index(u32),
    /// The element of a pair: ids of the indices of texture and sampler, and the number of
    /// samplers.
    Pair(Option<u32>, Option<u32>, u32),
}

impl Place {
    pub(crate) fn new(root: Root) -> Place {
        Place { root, steps: Vec::new() }
    }
}

/// A texture, the sampler that it is used with if it has none of its own, and whether texels are
/// compared: ids of the module's variables.
pub(crate) type Pair = (u32, Option<u32>, bool);

/// A built-in variable that is computed where it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computed {
    /// The number of the invocation's subgroup.
    OwnSubgroup,
    /// The number of subgroups.
    SubgroupCount,
    /// True if the invocation is a helper by now: a demotion changes it.
    Helper,
    /// A bit for each invocation of the subgroup, which a variable of GL has in one integer.
    Mask(BuiltinVariable),
}

/// A pointer that is one of two.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The pointer's value.
    pub(crate) local: LocalId,
    /// Number of the first place's way.
    pub(crate) number: i32,
    pub(crate) places: [Place; 2],
}

impl Choice {
    /// The places with further steps.
    pub(crate) fn with_steps(&self, steps: &[Step]) -> [Place; 2] {
        self.places.clone().map(|mut place| {
            place.steps.extend_from_slice(steps);
            place
        })
    }
}
