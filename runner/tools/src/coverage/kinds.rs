//! All items of each kind of coverage.

use std::collections::BTreeSet;

use compiler::Quirk;
use ir::{AluOp, IntrinsicOp};
use program::BuiltinFunction;
use results::coverage::Kind;
use vocabulary::Target;

/// Returns all items that can occur on a generation; `None` for kinds that cannot be enumerated.
pub fn all(kind: Kind, generation: Target) -> Option<Vec<String>> {
    let owned = |name: &str| name.to_owned();
    match kind {
        Kind::Functions => Some(BuiltinFunction::ALL.iter().map(|f| owned(f.name())).collect()),
        Kind::IrOperations => {
            let operations = AluOp::ALL.iter().map(|op| owned(op.name()));
            Some(operations.chain(IntrinsicOp::ALL.iter().map(|op| owned(op.name()))).collect())
        }
        Kind::Opcodes => {
            if let Some(chip) = execute::chip(generation) {
                let names: BTreeSet<&str> =
                    chip.rows().iter().map(|row| row.opcode.mnemonic()).collect();
                return Some(names.into_iter().map(owned).collect());
            }
            let version = execute::devinfo(generation)?.version;
            let exist = intel_isa::Opcode::ALL.iter().filter(|op| op.exists_on(version));
            Some(exist.map(|op| owned(op.mnemonic())).collect())
        }
        Kind::Passes if execute::chip(generation).is_some() => {
            let names: BTreeSet<&str> = compiler::passes::ir_optional().collect();
            Some(names.into_iter().map(owned).collect())
        }
        Kind::Passes => Some(compiler::passes::optional().into_iter().map(owned).collect()),
        Kind::Quirks => {
            let devinfo = execute::devinfo(generation)?;
            let has = |quirk: &&Quirk| devinfo.has_quirk(**quirk);
            Some(Quirk::ALL.iter().filter(has).map(|quirk| owned(quirk.name())).collect())
        }
        Kind::Overloads | Kind::Instructions | Kind::Messages => None,
    }
}
