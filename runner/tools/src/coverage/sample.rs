//! The coverage sample of one test on one target.

use std::fmt::Write;
use std::sync::Arc;

use amd_isa::{Chip, Format, Modifiers};
use intel_isa::{Desc, DevInfo, Inst};
use ir::InstKind;
use program::{ExprId, ExprKind, Program};
use script::Script;

use execute::Explanation;
use execute::{Linked, StageKeys, TestCase};
use results::coverage::{CoverageSample, Kind};
use results::verdict::{Status, Verdict};
use shader_device::ExecutedKernel;

/// Executes a test and returns its coverage sample, which is empty for a skipped or malformed test.
pub fn sample(text: &[u8], case: &TestCase<'_>) -> (Verdict, CoverageSample) {
    let Ok(script) = script::parse(text) else {
        return (execute::run_text(text, case), CoverageSample::default());
    };
    let mut explanation = Explanation::default();
    let verdict = execute::run_explained(&script, case, &mut explanation);
    let mut sample = CoverageSample::default();
    if verdict.status == Status::Skip {
        return (verdict, sample);
    }
    for run in verdict.passes.iter().flat_map(|scope| &scope.runs).filter(|run| run.changed) {
        sample.insert(Kind::Passes, run.name.clone());
    }
    for kernel in &explanation.kernels {
        if let Some(devinfo) = execute::devinfo(case.target) {
            instructions(kernel, devinfo, &mut sample);
        } else if let Some(chip) = execute::chip(case.target) {
            amd_instructions(kernel, chip, &mut sample);
        }
    }
    program(&script, case, &mut sample);
    (verdict, sample)
}

/// Collects from the linked program and its IR.
fn program(script: &Script<'_>, case: &TestCase<'_>, sample: &mut CoverageSample) {
    let TestCase { test, target, options, .. } = *case;
    let built = execute::context_for(script, target)
        .and_then(|capabilities| execute::build(script, capabilities));
    let Ok(Linked::Program(program) | Linked::Pipeline(program, _)) = built else { return };
    for stage in &program.stages {
        for expr in stage.shader.exprs.values() {
            functions(&program, &stage.shader, &expr.kind, sample);
        }
    }
    let keys = StageKeys::new(&program, script, test, target, options.compile_only);
    let options = &options.execution.codegen;
    for stage in program.stages.iter().map(|stage| stage.shader.stage) {
        let mut collect = |event: ir::PassEvent, shader: &ir::Shader| {
            if event.changed {
                operations(shader, sample);
            }
        };
        let key = keys.get(stage);
        let shader = if let Some(devinfo) = execute::devinfo(target) {
            compiler::ir_after(&program, stage, key, devinfo, options, &mut collect).ok()
        } else if execute::chip(target).is_some() {
            let log = &mut compiler::PassLog::default();
            let shader = compiler::ir_for_amd(&program, stage, key, options, &mut collect, log);
            shader.ok().map(Arc::unwrap_or_clone)
        } else {
            None
        };
        shader.iter().for_each(|shader| operations(shader, sample));
    }
}

fn functions(
    program: &Program,
    shader: &program::Shader,
    kind: &ExprKind,
    sample: &mut CoverageSample,
) {
    match kind {
        ExprKind::Builtin { function, arguments } => {
            let name = |argument: &ExprId| program.types.name(shader.exprs[*argument].ty);
            let types: Vec<String> = arguments.iter().map(name).collect();
            sample.insert(Kind::Functions, function.name());
            sample.insert(Kind::Overloads, format!("{}({})", function.name(), types.join(", ")));
        }
        ExprKind::Texture(call) => sample.insert(Kind::Overloads, format!("texture {:?}", call.op)),
        ExprKind::Image(call) => sample.insert(Kind::Overloads, format!("image {:?}", call.op)),
        ExprKind::Atomic { op, .. } => sample.insert(Kind::Overloads, format!("atomic {op:?}")),
        _ => {}
    }
}

fn operations(shader: &ir::Shader, sample: &mut CoverageSample) {
    for &inst in shader.blocks.values().flat_map(|block| &block.insts) {
        match &shader.insts[inst].kind {
            InstKind::Alu(alu) => sample.insert(Kind::IrOperations, alu.op.name()),
            InstKind::Intrinsic(intrinsic) => {
                sample.insert(Kind::IrOperations, intrinsic.op.name())
            }
            InstKind::Const(_) | InstKind::Undef | InstKind::Phi(_) | InstKind::Tex(_) => {}
        }
    }
}

fn instructions(kernel: &ExecutedKernel, devinfo: &'static DevInfo, sample: &mut CoverageSample) {
    // Code that does not decode was refused before.
    let Ok(code) = intel_isa::decode_program(devinfo, &kernel.code) else { return };
    for located in code {
        instruction(&located.inst, devinfo, sample);
    }
}

fn amd_instructions(kernel: &ExecutedKernel, chip: Chip, sample: &mut CoverageSample) {
    // Code that does not decode was refused before.
    let Ok(words) = amd_isa::words_of_bytes(&kernel.code) else { return };
    let Ok(code) = amd_isa::decode_program(chip, &words) else { return };
    for instruction in code.iter().map(|located| &located.instruction) {
        let mnemonic = instruction.opcode.mnemonic();
        sample.insert(Kind::Opcodes, mnemonic);
        sample.insert(Kind::Instructions, format!("{mnemonic} {:?}", instruction.format));
        let reaches_memory =
            instruction.format.is_vector_memory() || matches!(instruction.format, Format::Ds);
        if reaches_memory || instruction.format == Format::Smem {
            sample.insert(Kind::Messages, without_places(mnemonic, &instruction.modifiers));
        }
    }
}

/// Returns an access to memory without registers and offsets.
fn without_places(mnemonic: &str, modifiers: &Modifiers) -> String {
    let flags = [
        (modifiers.idxen, "idxen"),
        (modifiers.offen, "offen"),
        (modifiers.glc, "glc"),
        (modifiers.da, "da"),
    ];
    let set = flags.into_iter().filter(|(set, _)| *set).map(|(_, name)| name);
    std::iter::once(mnemonic).chain(set).collect::<Vec<_>>().join(" ")
}

fn instruction(inst: &Inst, devinfo: &'static DevInfo, sample: &mut CoverageSample) {
    let mnemonic = inst.opcode.mnemonic();
    sample.insert(Kind::Opcodes, mnemonic);
    let mut form = format!("{mnemonic}({})", inst.exec_size);
    if !inst.opcode.is_control_flow() {
        let _ = write!(form, " {:?} {:?}", inst.dst.ty, inst.access_mode);
    }
    sample.insert(Kind::Instructions, form);
    if let Some(send) = inst.send.as_ref()
        && let Desc::Imm(bits) = send.desc
    {
        let text = intel_isa::desc::describe(devinfo, send.sfid, bits);
        sample.insert(Kind::Messages, format!("{:?}: {}", send.sfid, without_numbers(&text)));
    }
}

/// Returns a message's description without surfaces, samplers and offsets.
fn without_numbers(text: &str) -> String {
    let is_number = |word: &str| word.trim_matches(['(', ')', ',']).parse::<u32>().is_ok();
    let named = ["=", "Surface", "Sampler", "offset", "BTI"];
    let words = text.split_whitespace().filter(|word| !is_number(word) && !named.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_without_their_places() {
        assert_eq!(without_numbers("offset 8 SIMD8 write per-slot"), "SIMD8 write per-slot");
        assert_eq!(without_numbers("RT write SIMD16 LastRT Surface = 0"), "RT write SIMD16 LastRT");
    }
}
