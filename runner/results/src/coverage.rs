//! Records of what one test case exercised: compiler, instruction set and hardware quirks.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// A kind of coverage item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// GLSL built-in functions in linked programs, except access to textures, images and memory.
    Functions,
    /// Built-in functions with their argument types, and accesses to textures, images and memory.
    Overloads,
    /// Arithmetic operations and intrinsics of the IR, before, between and after passes.
    IrOperations,
    /// Opcodes in executed kernels.
    Opcodes,
    /// Opcodes with destination type, execution size and access mode.
    Instructions,
    /// Messages of send instructions, without surfaces, samplers and offsets.
    Messages,
    /// Optional passes that changed something.
    Passes,
    /// Hardware quirks whose handling changes some kernel.
    Quirks,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 8] = [
        Kind::Functions,
        Kind::Overloads,
        Kind::IrOperations,
        Kind::Opcodes,
        Kind::Instructions,
        Kind::Messages,
        Kind::Passes,
        Kind::Quirks,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Functions => "functions",
            Kind::Overloads => "overloads",
            Kind::IrOperations => "ir-operations",
            Kind::Opcodes => "opcodes",
            Kind::Instructions => "instructions",
            Kind::Messages => "messages",
            Kind::Passes => "passes",
            Kind::Quirks => "quirks",
        }
    }

    /// Returns the title in tables.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Functions => "GLSL functions",
            Kind::Overloads => "GLSL overloads",
            Kind::IrOperations => "IR operations",
            Kind::Opcodes => "opcodes",
            Kind::Instructions => "instructions with types",
            Kind::Messages => "EU messages",
            Kind::Passes => "passes with progress",
            Kind::Quirks => "quirks handled",
        }
    }
}

/// Items that one test case exercised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageSample(BTreeMap<Kind, BTreeSet<String>>);

impl CoverageSample {
    /// Adds an item.
    pub fn insert(&mut self, kind: Kind, item: impl Into<String>) {
        self.0.entry(kind).or_default().insert(item.into());
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the items of a kind.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, &BTreeSet<String>)> {
        self.0.iter().map(|(&kind, items)| (kind, items))
    }

    /// The items of a kind.
    pub fn items(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.0.get(&kind).into_iter().flatten().map(String::as_str)
    }
}
