//! Rules of single instructions.

use super::facts::{HardwareStage, ProgramFacts, Violation};
use crate::access::accesses;
use crate::chip::Chip;
use crate::encoding::Located;
use crate::format::Format;
use crate::instruction::Instruction;
use crate::opcode::{Kind, Opcode};
use crate::operand::{Operand, Scalar, Status};
use crate::slot::{Place, Role, Row, source_index};

/// A rule of one instruction.
pub(super) struct Rule {
    pub name: &'static str,
    /// Description of the problem, if the instruction breaks the rule.
    broken: fn(&Context<'_>) -> Option<String>,
}

/// An instruction and its surroundings.
pub(super) struct Context<'a> {
    chip: Chip,
    facts: &'a ProgramFacts,
    row: &'a Row,
    instruction: &'a Instruction,
}

impl Context<'_> {
    fn mnemonic(&self) -> &'static str {
        self.row.opcode.mnemonic()
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule { name: "constant-bus", broken: constant_bus },
    Rule { name: "scalar-alignment", broken: scalar_alignment },
    Rule { name: "scalar-allocation", broken: scalar_allocation },
    Rule { name: "vector-allocation", broken: vector_allocation },
    Rule { name: "privileged-register", broken: privileged_register },
    Rule { name: "lds-direct", broken: lds_direct },
    Rule { name: "integer-modifier", broken: integer_modifier },
    Rule { name: "image-dmask", broken: image_dmask },
    Rule { name: "image-unorm", broken: image_unorm },
    Rule { name: "export-compr", broken: export_compr },
    Rule { name: "export-target", broken: export_target },
    Rule { name: "mrtz-x", broken: mrtz_x },
    Rule { name: "global-share", broken: global_share },
    Rule { name: "interpolation-stage", broken: interpolation_stage },
];

/// Adds the violations of one instruction.
pub(super) fn check(
    chip: Chip,
    facts: &ProgramFacts,
    located: &Located,
    violations: &mut Vec<Violation>,
) {
    let instruction = &located.instruction;
    let Some(row) = chip.row(instruction.format, instruction.opcode) else { return };
    let context = Context { chip, facts, row, instruction };
    for rule in RULES {
        if let Some(message) = (rule.broken)(&context) {
            violations.push(Violation { offset: located.offset * 4, rule: rule.name, message });
        }
    }
}

/// The vector ALU reads one scalar register or one literal. Inline constants are free; implicit
/// reads of VCC count.
fn constant_bus(context: &Context<'_>) -> Option<String> {
    let Context { row, instruction, .. } = context;
    if !row.format.is_vector_alu() || row.format == Format::Vintrp {
        return None;
    }
    let mut distinct: Vec<Operand> = Vec::new();
    let read = row.slots.iter().zip(&instruction.operands).filter(|(s, _)| s.role != Role::Write);
    let mut add = |operand| {
        if !distinct.contains(&operand) {
            distinct.push(operand);
        }
    };
    for (_, operand) in read {
        if matches!(operand, Operand::Scalar(_) | Operand::Status(_) | Operand::Literal(_)) {
            add(*operand);
        }
    }
    if matches!(row.opcode, Opcode::VDivFmasF32 | Opcode::VDivFmasF64) {
        add(Operand::Scalar(Scalar::VCC));
    }
    (distinct.len() > 1).then(|| {
        format!("{} reads {} scalars, the bus has one", context.mnemonic(), distinct.len())
    })
}

/// Pairs of scalar registers begin at an even one, larger groups at a multiple of four.
fn scalar_alignment(context: &Context<'_>) -> Option<String> {
    let Context { row, instruction, .. } = context;
    row.slots.iter().zip(&instruction.operands).find_map(|(slot, operand)| {
        let Operand::Scalar(Scalar(first)) = *operand else { return None };
        let unit = match slot.dwords(&instruction.modifiers, row.opcode) {
            0 | 1 => 1,
            2 => 2,
            _ => 4,
        };
        (first % unit != 0)
            .then(|| format!("the group at s{first} begins at no multiple of {unit}"))
    })
}

/// No scalar register is past the allocation. VCC has its own name: the two registers of the
/// allocation that it occupies are not named by number.
fn scalar_allocation(context: &Context<'_>) -> Option<String> {
    let limit = context.facts.scalars;
    let numbers = context.chip.scalar_registers();
    accesses(context.row, context.instruction).iter().find_map(|access| match access.register {
        crate::access::Register::Scalar(code) if code < numbers && code >= limit => {
            Some(format!("s{code} is past the {limit} scalar registers"))
        }
        _ => None,
    })
}

/// No vector register is past the allocation.
fn vector_allocation(context: &Context<'_>) -> Option<String> {
    let limit = context.facts.vectors;
    accesses(context.row, context.instruction).iter().find_map(|access| match access.register {
        crate::access::Register::Vector(number) if u16::from(number) >= limit => {
            Some(format!("v{number} is past the {limit} vector registers"))
        }
        _ => None,
    })
}

/// Registers of the trap handler are not for programs.
fn privileged_register(context: &Context<'_>) -> Option<String> {
    let trap = Scalar::TBA.0..Scalar::M0.0;
    context.instruction.operands.iter().find_map(|operand| match operand {
        Operand::Scalar(Scalar(code)) if trap.contains(code) => {
            Some("registers of the trap handler are privileged".to_string())
        }
        _ => None,
    })
}

/// Reading the local data share as an operand depends on more than the program shows.
fn lds_direct(context: &Context<'_>) -> Option<String> {
    let direct = context.instruction.operands.contains(&Operand::Status(Status::LdsDirect));
    direct.then(|| "the local data share as an operand is not supported".to_string())
}

/// Signs belong to floating-point sources. Selection and copy take them as such.
fn integer_modifier(context: &Context<'_>) -> Option<String> {
    let Context { row, instruction, .. } = context;
    let modifiers = &instruction.modifiers;
    if matches!(row.opcode, Opcode::VCndmaskB32 | Opcode::VMovB32) || row.format == Format::Vintrp {
        return None;
    }
    let signs = modifiers.neg | modifiers.abs;
    let signed = row.slots.iter().find_map(|slot| {
        let index = source_index(slot.place)?;
        let integer = !slot.kind.is_float() && slot.kind != Kind::Vgpr;
        (signs >> index & 1 != 0 && integer).then(|| format!("source {index} is an integer"))
    });
    let result = row.slots.iter().find(|slot| slot.role != Role::Read);
    let float = result.is_none_or(|slot| slot.kind.is_float() || packs_floats(row.opcode))
        || row.opcode.mnemonic().starts_with("v_interp");
    let output = modifiers.omod != 0 && !float;
    signed.or_else(|| output.then(|| "the result is an integer".to_string()))
}

/// True for operations with several floating-point numbers in one result.
fn packs_floats(opcode: Opcode) -> bool {
    opcode == Opcode::VCvtPkrtzF16F32
}

/// An image operation has a channel; a gather has exactly one.
fn image_dmask(context: &Context<'_>) -> Option<String> {
    if context.row.format != Format::Mimg {
        return None;
    }
    let channels = context.instruction.modifiers.dmask.count_ones();
    let gathers = context.row.opcode.gathers();
    match channels {
        0 => Some("DMASK has no channel".to_string()),
        2.. if gathers => Some(format!("a gather has one channel, not {channels}")),
        _ => None,
    }
}

/// Loads, stores and atomics of images have coordinates that are not normalized.
fn image_unorm(context: &Context<'_>) -> Option<String> {
    let name = context.mnemonic();
    let texels = ["image_load", "image_store", "image_atomic"];
    let needs = texels.iter().any(|prefix| name.starts_with(prefix));
    (needs && !context.instruction.modifiers.unorm).then(|| format!("{name} lacks unorm"))
}

/// Compressed exports enable both channels of a pair or none.
fn export_compr(context: &Context<'_>) -> Option<String> {
    let Context { row, instruction, .. } = context;
    if row.format != Format::Exp || !instruction.modifiers.compr {
        return None;
    }
    let off = |index: usize| instruction.operands[index] == Operand::Off;
    (off(1) != off(2) || off(3) != off(4)).then(|| "half of a pair is off".to_string())
}

/// Exports have a target that exists, and that of the stage where it is known.
fn export_target(context: &Context<'_>) -> Option<String> {
    use HardwareStage::{Ps, Vs};
    let Operand::Target(target) = context.instruction.operands[0] else { return None };
    let stage = context.facts.stage;
    match target {
        0..=8 if stage.is_none_or(|stage| stage == Ps) => None,
        9 => None,
        12..=15 | 32..=63 if stage.is_none_or(|stage| stage == Vs) => None,
        0..=8 | 12..=15 | 32..=63 => Some(format!("the stage does not export to target {target}")),
        _ => Some(format!("target {target} does not exist")),
    }
}

/// The unit for depth looks only at the enable bit of channel x (si).
fn mrtz_x(context: &Context<'_>) -> Option<String> {
    let Context { chip, instruction, .. } = context;
    let mrtz = instruction.operands[0] == Operand::Target(8);
    (*chip == Chip::Si && mrtz && instruction.operands[1] == Operand::Off)
        .then(|| "an export to mrtz without channel x is ignored".to_string())
}

/// Operations of the global data share say so.
fn global_share(context: &Context<'_>) -> Option<String> {
    let name = context.mnemonic();
    let only = name.starts_with("ds_gws") || name == "ds_ordered_count";
    (only && !context.instruction.modifiers.gds).then(|| format!("{name} lacks gds"))
}

/// Only fragment shaders interpolate.
fn interpolation_stage(context: &Context<'_>) -> Option<String> {
    let interpolates = context.row.slots.iter().any(|slot| slot.place == Place::Attribute);
    let other = context.facts.stage.is_some_and(|stage| stage != HardwareStage::Ps);
    (interpolates && other).then(|| "only fragment shaders interpolate".to_string())
}
