//! Capabilities that instructions and enumerants need.

use rspirv::spirv::{Capability, Decoration, ExecutionMode, LoopControl, Op};
use rustc_hash::FxHashSet;

use super::view::Kind;
use crate::error::Error;
use crate::grammar::{self, OperandKind, row_of};
use crate::module::{Instruction, Module, Operand};

/// Capabilities with those that they declare.
fn declared(module: &Module) -> FxHashSet<Capability> {
    let mut all = FxHashSet::default();
    let mut open: Vec<Capability> = module.capabilities.iter().copied().collect();
    while let Some(capability) = open.pop() {
        if all.insert(capability) {
            open.extend(grammar::capabilities(OperandKind::Capability, capability as u32));
        }
    }
    all
}

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let all = declared(module);
    let has_any =
        |needed: &[Capability]| needed.is_empty() || needed.iter().any(|c| all.contains(c));
    for i in &module.instructions {
        if i.op == Op::Capability {
            extension(module, i)?;
            continue;
        }
        let needed = row_of(i.op as u32).map_or(&[][..], |row| row.capabilities);
        if !has_any(needed) {
            return Err(module.error(i, format!("needs one of the capabilities {needed:?}")));
        }
        for operand in &i.operands {
            let &Operand::Enumerant(kind, word) = operand else { continue };
            if is_free(kind, word) {
                continue;
            }
            let needed = grammar::capabilities(kind, word);
            if !has_any(&needed) {
                let message = format!("a {kind:?} needs one of the capabilities {needed:?}");
                return Err(module.error(i, message));
            }
        }
        newer(module, i)?;
        widths(module, i, &all)?;
    }
    Ok(())
}

/// Word of a version of SPIR-V 1.
const fn minor(version: u32) -> u32 {
    0x1_0000 | version << 8
}

/// A capability of an extension comes with it, or with the version that took it over.
fn extension(module: &Module, i: &Instruction) -> Result<(), Error> {
    use Capability as C;
    let capability = i.literal_at(0).and_then(C::from_u32);
    let (core, names): (Option<u32>, &[&str]) = match capability {
        Some(C::VariablePointers | C::VariablePointersStorageBuffer) => {
            (Some(3), &["SPV_KHR_variable_pointers"])
        }
        Some(
            C::StorageBuffer16BitAccess
            | C::UniformAndStorageBuffer16BitAccess
            | C::StoragePushConstant16
            | C::StorageInputOutput16,
        ) => (Some(3), &["SPV_KHR_16bit_storage"]),
        Some(
            C::StorageBuffer8BitAccess
            | C::UniformAndStorageBuffer8BitAccess
            | C::StoragePushConstant8,
        ) => (Some(5), &["SPV_KHR_8bit_storage"]),
        Some(C::DrawParameters) => (Some(3), &["SPV_KHR_shader_draw_parameters"]),
        Some(C::MultiView) => (Some(3), &["SPV_KHR_multiview"]),
        Some(C::SubgroupBallotKHR) => (None, &["SPV_KHR_shader_ballot"]),
        Some(C::SubgroupVoteKHR) => (None, &["SPV_KHR_subgroup_vote"]),
        Some(C::ComputeDerivativeGroupQuadsKHR | C::ComputeDerivativeGroupLinearKHR) => {
            (None, &["SPV_KHR_compute_shader_derivatives", "SPV_NV_compute_shader_derivatives"])
        }
        Some(C::WorkgroupMemoryExplicitLayoutKHR) => {
            (None, &["SPV_KHR_workgroup_memory_explicit_layout"])
        }
        Some(C::VulkanMemoryModel | C::VulkanMemoryModelDeviceScope) => {
            (Some(5), &["SPV_KHR_vulkan_memory_model"])
        }
        Some(
            C::ShaderNonUniform
            | C::RuntimeDescriptorArray
            | C::InputAttachmentArrayDynamicIndexing
            | C::UniformTexelBufferArrayDynamicIndexing
            | C::StorageTexelBufferArrayDynamicIndexing
            | C::UniformBufferArrayNonUniformIndexing
            | C::SampledImageArrayNonUniformIndexing
            | C::StorageBufferArrayNonUniformIndexing
            | C::StorageImageArrayNonUniformIndexing
            | C::InputAttachmentArrayNonUniformIndexing
            | C::UniformTexelBufferArrayNonUniformIndexing
            | C::StorageTexelBufferArrayNonUniformIndexing,
        ) => (Some(5), &["SPV_EXT_descriptor_indexing"]),
        Some(
            C::DenormPreserve
            | C::DenormFlushToZero
            | C::SignedZeroInfNanPreserve
            | C::RoundingModeRTE
            | C::RoundingModeRTZ,
        ) => (Some(4), &["SPV_KHR_float_controls"]),
        Some(C::ShaderClockKHR) => (None, &["SPV_KHR_shader_clock"]),
        Some(C::IntegerFunctions2INTEL) => (None, &["SPV_INTEL_shader_integer_functions2"]),
        Some(C::AtomicStorageOps) => (None, &["SPV_KHR_shader_atomic_counter_ops"]),
        Some(C::StencilExportEXT) => (None, &["SPV_EXT_shader_stencil_export"]),
        Some(C::MeshShadingEXT) => (None, &["SPV_EXT_mesh_shader"]),
        Some(C::DemoteToHelperInvocation) => (Some(6), &["SPV_EXT_demote_to_helper_invocation"]),
        Some(
            C::FragmentShaderPixelInterlockEXT
            | C::FragmentShaderSampleInterlockEXT
            | C::FragmentShaderShadingRateInterlockEXT,
        ) => (None, &["SPV_EXT_fragment_shader_interlock"]),
        _ => return Ok(()),
    };
    let has = is_new(module, core, names);
    module.demand(i, has, "the capability needs an extension")
}

/// Checks that newer instructions come with their extension. The storage class of buffers, subgroup
/// operations and semantics are left out: scripts of the conformance tests have them without
/// version or extension, and drivers take them.
fn newer(module: &Module, i: &Instruction) -> Result<(), Error> {
    let has = i.op != Op::TerminateInvocation
        || is_new(module, Some(6), &["SPV_KHR_terminate_invocation"]);
    module.demand(i, has, "needs version 1.6 or the extension SPV_KHR_terminate_invocation")?;
    let is_extra = i.op == Op::ExtInstImport
        && i.text_at(0).is_some_and(|name| name.starts_with("NonSemantic."));
    let has = !is_extra || is_new(module, Some(6), &["SPV_KHR_non_semantic_info"]);
    module.demand(i, has, "needs version 1.6 or the extension SPV_KHR_non_semantic_info")?;
    for operand in &i.operands {
        let &Operand::Enumerant(kind, word) = operand else { continue };
        module.demand(i, has_version(module, kind, word), "an operand needs another version")?;
    }
    Ok(())
}

/// True if an enumerant is one of the module's version and extensions.
fn has_version(module: &Module, kind: OperandKind, word: u32) -> bool {
    match kind {
        OperandKind::ExecutionMode => {
            word != ExecutionMode::LocalSizeId as u32 || module.version >= minor(2)
        }
        OperandKind::Decoration => match Decoration::from_u32(word) {
            Some(Decoration::BufferBlock) => module.version <= minor(3),
            Some(Decoration::UniformId) => module.version >= minor(4),
            Some(Decoration::UserSemantic | Decoration::CounterBuffer) => {
                is_new(module, Some(4), &["SPV_GOOGLE_hlsl_functionality1"])
            }
            Some(Decoration::UserTypeGOOGLE) => is_new(module, None, &["SPV_GOOGLE_user_type"]),
            _ => true,
        },
        OperandKind::LoopControl => {
            let version = match LoopControl::from_bits_truncate(word) {
                control if control.intersects(COUNTED) => minor(4),
                control if control.intersects(DEPENDENCY) => minor(1),
                _ => 0,
            };
            module.version >= version
        }
        _ => true,
    }
}

/// Hints of SPIR-V 1.1.
const DEPENDENCY: LoopControl =
    LoopControl::DEPENDENCY_INFINITE.union(LoopControl::DEPENDENCY_LENGTH);
/// Hints of SPIR-V 1.4.
const COUNTED: LoopControl = LoopControl::MIN_ITERATIONS
    .union(LoopControl::MAX_ITERATIONS)
    .union(LoopControl::ITERATION_MULTIPLE)
    .union(LoopControl::PEEL_COUNT)
    .union(LoopControl::PARTIAL_COUNT);

/// True if a module has a version of SPIR-V 1 or one of some extensions.
fn is_new(module: &Module, core: Option<u32>, names: &[&str]) -> bool {
    let is_named = |other: &&Instruction| {
        other.op == Op::Extension && other.text_at(0).is_some_and(|name| names.contains(&name))
    };
    let globals = module.globals();
    let is_core = core.is_some_and(|version| module.version >= minor(version));
    is_core || globals.iter().any(|other| is_named(&other))
}

/// True for built-in variables that `gl_PerVertex` declares in any case: only their use needs a
/// capability.
fn is_free(kind: OperandKind, word: u32) -> bool {
    use rspirv::spirv::BuiltIn as B;
    let builtins = [B::PointSize, B::ClipDistance, B::CullDistance];
    kind == OperandKind::BuiltIn && builtins.iter().any(|&builtin| builtin as u32 == word)
}

fn widths(module: &Module, i: &Instruction, all: &FxHashSet<Capability>) -> Result<(), Error> {
    let has = |list: &[Capability]| list.iter().any(|c| all.contains(c));
    use Capability as C;
    let is_signed = matches!(module.kind(i.id), Kind::Int { signed: true, .. });
    module.demand(i, !(is_signed && has(&[C::Kernel])), "integers of kernels have no sign")?;
    let is_offered = match module.kind(i.id) {
        Kind::Int { bits: 64, .. } => has(&[C::Int64]),
        Kind::Int { bits: 16, .. } => has(&[
            C::Int16,
            C::StorageBuffer16BitAccess,
            C::UniformAndStorageBuffer16BitAccess,
            C::StoragePushConstant16,
            C::StorageInputOutput16,
        ]),
        Kind::Int { bits: 8, .. } => has(&[
            C::Int8,
            C::StorageBuffer8BitAccess,
            C::UniformAndStorageBuffer8BitAccess,
            C::StoragePushConstant8,
        ]),
        Kind::Int { bits, .. } => bits == 32,
        Kind::Float { bits: 64 } => has(&[C::Float64]),
        Kind::Float { bits: 16 } => has(&[
            C::Float16,
            C::Float16Buffer,
            C::StorageBuffer16BitAccess,
            C::UniformAndStorageBuffer16BitAccess,
            C::StoragePushConstant16,
            C::StorageInputOutput16,
        ]),
        Kind::Float { bits } => bits == 32,
        Kind::Vector { count, .. } => (2..=4).contains(&count),
        _ => true,
    };
    module.demand(i, is_offered, "no capability offers the type")
}
