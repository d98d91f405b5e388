//! Functions made of regions, and their execution.

use std::sync::OnceLock;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{AbiParam, Function, Signature};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use crate::lanes::Subnormals;
use crate::memory::Memory;
use crate::region::{Operation, Region};
use crate::state::{Entry, State};
use crate::{FILE, control, emit};

/// A region as a function of the host.
#[derive(Debug)]
pub struct Code {
    memory: Memory,
    subnormals: Subnormals,
}

/// The code generator for this machine; `None` if there is none.
fn host() -> Option<&'static OwnedTargetIsa> {
    static HOST: OnceLock<Option<OwnedTargetIsa>> = OnceLock::new();
    let make = || {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
        flags.set("enable_verifier", verifier).ok()?;
        cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
    };
    HOST.get_or_init(make).as_ref()
}

/// True if the host has an instruction for each operation.
fn has_all(region: &Region) -> bool {
    let fuses = fuses();
    let mut steps = region.blocks.iter().flat_map(|block| &block.steps);
    steps.all(|step| step.is_known() && (fuses || step.operation != Operation::MultiplyAdd))
}

/// True if the host has instructions for products and sums that are rounded once.
#[cfg(target_arch = "x86_64")]
pub(crate) fn fuses() -> bool {
    std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("sse4.1")
}

/// True if the host has instructions for products and sums that are rounded once.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn fuses() -> bool {
    true
}

/// The instructions of a function of registers, state and the number of the first block, which
/// returns a place.
pub(crate) fn function(emit: impl FnOnce(FunctionBuilder)) -> Option<Vec<u8>> {
    let isa = host()?;
    let mut signature = Signature::new(isa.default_call_conv());
    let pointer = AbiParam::new(isa.pointer_type());
    signature.params = vec![pointer, pointer, AbiParam::new(I32)];
    signature.returns = vec![AbiParam::new(I32)];
    let mut context = Context::for_function(Function::new());
    context.func.signature = signature;
    let mut builder_context = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut context.func, &mut builder_context);
    emit(builder);
    let code = context.compile(isa.as_ref(), &mut ControlPlane::default()).ok()?;
    // It refers to nothing outside of it.
    let is_closed = code.buffer.relocs().is_empty();
    is_closed.then(|| code.code_buffer().to_vec())
}

impl Code {
    /// Translates a region; `None` if the host or an instruction is unknown. `full`: for threads in
    /// which all channels of all instructions are active.
    pub fn translate(region: &Region, full: bool) -> Option<Code> {
        let subnormals = match (region.flushes, control::TAKES_FOR_ZERO) {
            (false, _) => Subnormals::Keep,
            (true, false) => Subnormals::Flush,
            (true, true) => Subnormals::FlushResults,
        };
        Code::translate_with(region, subnormals, full)
    }

    /// Translates a region with a treatment of subnormal singles.
    pub(crate) fn translate_with(
        region: &Region,
        subnormals: Subnormals,
        full: bool,
    ) -> Option<Code> {
        if !has_all(region) {
            return None;
        }
        let emit = |builder: FunctionBuilder| emit::emit(builder, region, subnormals, full);
        let instructions = function(emit)?;
        Some(Code { memory: Memory::of(&instructions)?, subnormals })
    }

    /// Executes from a block on; returns the place before which the function ended.
    #[inline]
    pub fn run(&self, block: u32, file: &mut [u8; FILE], state: &mut State) -> u32 {
        let takes_for_zero = self.subnormals == Subnormals::FlushResults;
        // SAFETY: The memory holds a function with the signature of `Entry` in the host's calling
        // convention.
        let function =
            unsafe { std::mem::transmute::<*const u8, Entry<State>>(self.memory.start()) };
        // SAFETY: The function reads and writes within the file, at offsets that `Step::is_known`
        // has checked, and the fields of the state. It calls nothing. A number of no block ends it
        // at once.
        unsafe { control::call(function, takes_for_zero, file.as_mut_ptr(), state, block) }
    }
}
