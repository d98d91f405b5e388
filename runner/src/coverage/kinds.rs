//! Kinds of what can be exercised, and all there is of each.

use compiler::Quirk;
use ir::{AluOp, IntrinsicOp};
use program::BuiltinFunction;
use serde::{Deserialize, Serialize};

use crate::target::Target;

/// A kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Built-in functions of GLSL in linked programs, but those that access textures, images or memory.
    Functions,
    /// The same with the types of their arguments, and what is done to textures, images and memory.
    Overloads,
    /// Arithmetic operations and intrinsics of the IR, before, between and after passes.
    IrOperations,
    /// Opcodes in kernels that were executed.
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

    /// The name on the command line.
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

    /// The name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Functions => "GLSL functions",
            Kind::Overloads => "GLSL overloads",
            Kind::IrOperations => "IR operations",
            Kind::Opcodes => "EU opcodes",
            Kind::Instructions => "EU instructions with types",
            Kind::Messages => "EU messages",
            Kind::Passes => "passes with progress",
            Kind::Quirks => "quirks handled",
        }
    }

    /// All items that can occur on a generation, where they can be listed.
    pub fn all(self, target: Target) -> Option<Vec<String>> {
        let owned = |name: &str| name.to_owned();
        match self {
            Kind::Functions => Some(BuiltinFunction::ALL.iter().map(|f| owned(f.name())).collect()),
            Kind::IrOperations => {
                let operations = AluOp::ALL.iter().map(|op| owned(op.name()));
                Some(operations.chain(IntrinsicOp::ALL.iter().map(|op| owned(op.name()))).collect())
            }
            Kind::Opcodes => {
                let version = target.devinfo()?.version;
                let exist = eu::Opcode::ALL.iter().filter(|op| op.exists_on(version));
                Some(exist.map(|op| owned(op.mnemonic())).collect())
            }
            Kind::Passes => Some(compiler::passes::optional().into_iter().map(owned).collect()),
            Kind::Quirks => {
                let devinfo = target.devinfo()?;
                let has = |quirk: &&Quirk| compiler::has_quirk(devinfo, **quirk);
                Some(Quirk::ALL.iter().filter(has).map(|quirk| owned(quirk.name())).collect())
            }
            Kind::Overloads | Kind::Instructions | Kind::Messages => None,
        }
    }
}
