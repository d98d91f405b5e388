//! Pointers as places: a variable and the steps to a part of it.

use program::{GlobalId, LocalId};

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
    /// The number of an invocation's subgroup, or of subgroups.
    Subgroups(Subgroups),
    /// One of two places.
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
    /// An element whose index is the sum of two, by ids.
    Sum(u32, u32),
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

/// A built-in variable of a work group's subgroups that others decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subgroups {
    /// The number of the invocation's subgroup.
    Own,
    /// The number of subgroups.
    Count,
}

/// A pointer that is one of two.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// True: the first one.
    pub(crate) condition: LocalId,
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
