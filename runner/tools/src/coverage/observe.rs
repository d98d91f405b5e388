//! What one test exercises on one generation.

use std::fmt::Write;

use eu::{Desc, DevInfo, Inst};
use ir::InstKind;
use program::{ExprId, ExprKind, Program};
use script::Script;

use execute::explain::Explanation;
use execute::{Devices, ExecutedKernel, Linked, RunOptions};
use results::coverage::{Kind, Seen};
use results::verdict::{Status, Verdict};
use vocabulary::Generation;

/// Executes a test and says what it exercised; nothing if it was skipped or is no test at all.
pub fn observe(
    text: &[u8],
    test: &str,
    target: Generation,
    options: &RunOptions,
    devices: &Devices,
) -> (Verdict, Seen) {
    let Ok(script) = script::parse(text) else {
        return (execute::run_text(text, test, target, options, devices), Seen::default());
    };
    let mut explanation = Explanation::default();
    let verdict = execute::run_explained(&script, test, target, options, devices, &mut explanation);
    let mut seen = Seen::default();
    if verdict.status == Status::Skip {
        return (verdict, seen);
    }
    for run in verdict.passes.iter().flat_map(|scope| &scope.runs).filter(|run| run.changed) {
        seen.insert(Kind::Passes, run.name.clone());
    }
    if let Some(devinfo) = execute::devinfo(target) {
        explanation.kernels.iter().for_each(|kernel| instructions(kernel, devinfo, &mut seen));
    }
    program(&script, test, target, options, &mut seen);
    (verdict, seen)
}

/// The linked program and its IR.
fn program(script: &Script<'_>, test: &str, target: Generation, options: &RunOptions, seen: &mut Seen) {
    let built =
        execute::context_for(script, target).and_then(|capabilities| execute::build(script, capabilities));
    let Ok(Linked::Program(program) | Linked::Pipeline(program, _)) = built else { return };
    for stage in &program.stages {
        for expr in stage.shader.exprs.values() {
            functions(&program, &stage.shader, &expr.kind, seen);
        }
    }
    let Some(devinfo) = execute::devinfo(target) else { return };
    let keys = execute::stage_keys(script, test, target);
    let options = execute::compiler_options(&options.device);
    for stage in program.stages.iter().map(|stage| stage.shader.stage) {
        let key = keys.get(&stage).cloned().unwrap_or_else(execute::plain_key);
        let mut note = |event: ir::PassEvent, shader: &ir::Shader| {
            if event.changed {
                operations(shader, seen);
            }
        };
        let _ = compiler::ir_after(&program, stage, &key, devinfo, &options, &mut note)
            .map(|shader| operations(&shader, seen));
    }
}

fn functions(program: &Program, shader: &program::Shader, kind: &ExprKind, seen: &mut Seen) {
    match kind {
        ExprKind::Builtin { function, arguments } => {
            let name = |argument: &ExprId| program.types.name(shader.exprs[*argument].ty);
            let types: Vec<String> = arguments.iter().map(name).collect();
            seen.insert(Kind::Functions, function.name());
            seen.insert(Kind::Overloads, format!("{}({})", function.name(), types.join(", ")));
        }
        ExprKind::Texture(call) => seen.insert(Kind::Overloads, format!("texture {:?}", call.op)),
        ExprKind::Image(call) => seen.insert(Kind::Overloads, format!("image {:?}", call.op)),
        ExprKind::Atomic { op, .. } => seen.insert(Kind::Overloads, format!("atomic {op:?}")),
        _ => {}
    }
}

fn operations(shader: &ir::Shader, seen: &mut Seen) {
    for &inst in shader.blocks.values().flat_map(|block| &block.insts) {
        match &shader.insts[inst].kind {
            InstKind::Alu(alu) => seen.insert(Kind::IrOperations, alu.op.name()),
            InstKind::Intrinsic(intrinsic) => seen.insert(Kind::IrOperations, intrinsic.op.name()),
            InstKind::Const(_) | InstKind::Undef | InstKind::Phi(_) | InstKind::Tex(_) => {}
        }
    }
}

fn instructions(kernel: &ExecutedKernel, devinfo: &'static DevInfo, seen: &mut Seen) {
    // What does not decode was refused before.
    let Ok(code) = eu::decode_program(devinfo, &kernel.code) else { return };
    for located in code {
        instruction(&located.inst, devinfo, seen);
    }
}

fn instruction(inst: &Inst, devinfo: &'static DevInfo, seen: &mut Seen) {
    let mnemonic = inst.opcode.mnemonic();
    seen.insert(Kind::Opcodes, mnemonic);
    let mut form = format!("{mnemonic}({})", inst.exec_size);
    if !inst.opcode.is_control_flow() {
        let _ = write!(form, " {:?} {:?}", inst.dst.ty, inst.access_mode);
    }
    seen.insert(Kind::Instructions, form);
    if let Some(send) = inst.send.as_ref()
        && let Desc::Imm(bits) = send.desc
    {
        let text = eu::desc::describe(devinfo, send.sfid, bits);
        seen.insert(Kind::Messages, format!("{:?}: {}", send.sfid, without_numbers(&text)));
    }
}

/// A message's description without surfaces, samplers and offsets.
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
