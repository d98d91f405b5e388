//! From selected instructions to bytes: passes, allocation, encoding, statistics. Shared by both back ends.

use crate::allocate::{self, Allocation};
use crate::bir::{MessageKind, Op, Program};
use crate::encode;
use crate::error::CompileError;
use crate::model::Model;
use crate::options::Options;
use crate::output::{Compiled, Interface, Kernel, PushRange, Statistics, Width};
use crate::passes::{Driver, PassList};
use crate::schedule;
use crate::surfaces::BindingTable;
use eu::encoding::Field;
use ir::Shader;

/// A finished kernel without its place in the metadata.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Machine code.
    pub code: Vec<u8>,
    /// What allocation did.
    pub allocation: Allocation,
    /// Counts.
    pub statistics: Statistics,
    /// One remark per instruction, if asked for.
    pub annotations: Vec<String>,
}

impl Finished {
    /// The kernel of this code.
    #[must_use]
    pub fn kernel(self, width: Width, dispatch_grf_start: u32) -> Kernel {
        Kernel {
            width,
            code: self.code,
            dispatch_grf_start,
            scratch_bytes: self.allocation.scratch_bytes,
            statistics: self.statistics,
            annotations: self.annotations,
        }
    }
}

/// A stage from its kernels; surfaces and samplers are those of the shader's resources.
#[must_use]
pub fn compiled(
    shader: &Shader,
    kernels: Vec<Kernel>,
    push: Vec<PushRange>,
    interface: Interface,
) -> Compiled {
    Compiled {
        stage: interface.stage(),
        kernels,
        push,
        bindings: BindingTable::surfaces(shader),
        samplers: (0..shader.info.samplers).collect(),
        interface,
    }
}

/// Optimises, legalises, allocates and encodes a program with a pass list; scratch memory below `scratch_base` bytes is in use already.
///
/// # Errors
/// Allocation or encoding failed; with `allow_spill` unset also a program that would spill.
pub fn finish_with(
    (mut program, width): (Program, Width),
    model: &dyn Model,
    options: &Options,
    allow_spill: bool,
    list: &PassList,
    scratch_base: u32,
) -> Result<Finished, CompileError> {
    let mut driver = Driver::new(options, width);
    driver.run(&mut program, model, list);
    let settings = allocate::Settings {
        allow_spill: allow_spill || options.spill_all,
        spill_all: options.spill_all,
        check: options.check_allocation,
        granularity: options.liveness,
        payload: options.payload_interference,
    };
    let allocation = allocate::allocate(&mut program, model, settings, scratch_base)?;
    if list.schedule {
        driver.optional("schedule", || schedule::schedule(&mut program, model));
    }
    let (insts, origin) = encode::encode(&program, model)?;
    let mut code = Vec::with_capacity(insts.len() * 16);
    for (inst, &i) in insts.iter().zip(&origin) {
        let bytes = eu::encode(model.devinfo(), inst).map_err(|e| {
            encode_error(model.devinfo(), format!("instruction {i} ({})", program.insts[i]), &e)
        })?;
        code.extend_from_slice(&bytes);
    }
    let statistics = statistics(&program, model, &allocation, insts.len());
    let annotations = if options.annotate {
        origin.iter().map(|&i| program.insts[i].remark.to_owned()).collect()
    } else {
        Vec::new()
    };
    Ok(Finished { code, allocation, statistics, annotations })
}

/// An instruction that has no encoding. Branches before gen8 have 16 bits for each distance: code that is too long for
/// them says so. Nothing else could take their place: JMPI and CALL have 32 bits there, but lead all channels to one
/// place, while channels that wait or have left a loop keep places of their own, which only branches give them.
fn encode_error(devinfo: &eu::DevInfo, instruction: String, error: &eu::EncodeError) -> CompileError {
    let unit = i64::from(devinfo.jump_unit_bytes);
    CompileError::encode(match *error {
        eu::EncodeError::DoesNotFit { field: Field::Jip | Field::Uip, value, bits } => {
            let (far, reach) = (value.abs() * unit, ((1i64 << (bits - 1)) - 1) * unit);
            let name = devinfo.name;
            format!(
                "{instruction} jumps over {far} bytes of code, branches of {name} reach {reach} and have no longer form"
            )
        }
        ref other => format!("{instruction}: {other}"),
    })
}

fn statistics(
    program: &Program,
    model: &dyn Model,
    allocation: &Allocation,
    instructions: usize,
) -> Statistics {
    let count = |f: fn(&crate::bir::Inst) -> bool| program.insts.iter().filter(|i| f(i)).count() as u32;
    Statistics {
        instructions: instructions as u32,
        loops: count(|i| i.op == Op::While),
        cycles: schedule::estimate(program, model),
        spills: allocation.spills,
        fills: allocation.fills,
        sends: count(|i| i.op.is_send()),
        registers: allocate::graph::registers_used(program).min(128),
        max_live: allocation.max_live,
    }
}

/// Messages whose order with each other matters.
#[must_use]
pub fn is_ordered(kind: MessageKind) -> bool {
    !matches!(kind, MessageKind::ConstantLoad | MessageKind::Sample | MessageKind::UrbRead)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40,000 units of 8 bytes; the furthest are 32,767.
    #[test]
    fn far_jumps_are_explained() {
        let devinfo = eu::DevInfo::get("hsw").unwrap();
        let far = eu::build::inst(eu::Opcode::If).jumps(40_000, 40_000);
        let error = eu::encode(devinfo, &far).unwrap_err();
        let message = encode_error(devinfo, "instruction 7 (if(8))".into(), &error).message;
        let expected = "instruction 7 (if(8)) jumps over 320000 bytes of code, branches of hsw reach 262136 \
                        and have no longer form";
        assert_eq!(message, expected);
    }
}
