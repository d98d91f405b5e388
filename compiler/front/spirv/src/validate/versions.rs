//! Versions and extensions that instructions and enumerants come with (the tables of SPIR-V 1.6,
//! chapter 3). The extensions are in the grammar; the versions that took things over are here.

use rspirv::spirv::{
    AddressingModel as A, BuiltIn as B, Capability as C, Decoration as D, ExecutionMode as M,
    GroupOperation as G, ImageOperands as I, LoopControl as L, MemoryAccess, MemoryModel,
    MemorySemantics as S, Op, Scope, StorageClass,
};

use crate::error::Error;
use crate::grammar::{OperandKind as K, extensions, has_bits, row_of};
use crate::module::{Instruction, Module, Operand};

/// Enumerants of a version of SPIR-V 1 later than 1.0.
const ENUMERANTS: &[(K, u32, &[u32])] = &[
    (K::AddressingModel, 5, &[A::PhysicalStorageBuffer64 as u32]),
    (K::MemoryModel, 5, &[MemoryModel::Vulkan as u32]),
    (K::Scope, 5, &[Scope::QueueFamily as u32]),
    (K::GroupOperation, 3, &[G::ClusteredReduce as u32]),
    (K::PackedVectorFormat, 6, &[0]),
    (K::StorageClass, 3, &[StorageClass::StorageBuffer as u32]),
    (K::StorageClass, 4, &[StorageClass::TaskPayloadWorkgroupEXT as u32]),
    (K::StorageClass, 5, &[StorageClass::PhysicalStorageBuffer as u32]),
    (
        K::ExecutionMode,
        1,
        &[
            M::Initializer as u32,
            M::Finalizer as u32,
            M::SubgroupSize as u32,
            M::SubgroupsPerWorkgroup as u32,
        ],
    ),
    (
        K::ExecutionMode,
        2,
        &[M::SubgroupsPerWorkgroupId as u32, M::LocalSizeId as u32, M::LocalSizeHintId as u32],
    ),
    (
        K::ExecutionMode,
        4,
        &[
            M::DenormPreserve as u32,
            M::DenormFlushToZero as u32,
            M::SignedZeroInfNanPreserve as u32,
            M::RoundingModeRTE as u32,
            M::RoundingModeRTZ as u32,
        ],
    ),
    (K::Decoration, 1, &[D::MaxByteOffset as u32]),
    (K::Decoration, 2, &[D::AlignmentId as u32, D::MaxByteOffsetId as u32]),
    (
        K::Decoration,
        4,
        &[
            D::UniformId as u32,
            D::NoSignedWrap as u32,
            D::NoUnsignedWrap as u32,
            D::CounterBuffer as u32,
            D::UserSemantic as u32,
        ],
    ),
    (
        K::Decoration,
        5,
        &[D::NonUniform as u32, D::RestrictPointer as u32, D::AliasedPointer as u32],
    ),
    (
        K::BuiltIn,
        3,
        &[
            B::SubgroupEqMask as u32,
            B::SubgroupGeMask as u32,
            B::SubgroupGtMask as u32,
            B::SubgroupLeMask as u32,
            B::SubgroupLtMask as u32,
            B::BaseVertex as u32,
            B::BaseInstance as u32,
            B::DrawIndex as u32,
            B::DeviceIndex as u32,
            B::ViewIndex as u32,
        ],
    ),
    (K::Capability, 0, &[C::Groups as u32]),
    (
        K::Capability,
        1,
        &[C::SubgroupDispatch as u32, C::NamedBarrier as u32, C::PipeStorage as u32],
    ),
    (
        K::Capability,
        3,
        &[
            C::GroupNonUniform as u32,
            C::GroupNonUniformVote as u32,
            C::GroupNonUniformArithmetic as u32,
            C::GroupNonUniformBallot as u32,
            C::GroupNonUniformShuffle as u32,
            C::GroupNonUniformShuffleRelative as u32,
            C::GroupNonUniformClustered as u32,
            C::GroupNonUniformQuad as u32,
            C::DrawParameters as u32,
            C::StorageBuffer16BitAccess as u32,
            C::UniformAndStorageBuffer16BitAccess as u32,
            C::StoragePushConstant16 as u32,
            C::StorageInputOutput16 as u32,
            C::DeviceGroup as u32,
            C::MultiView as u32,
            C::VariablePointersStorageBuffer as u32,
            C::VariablePointers as u32,
        ],
    ),
    (
        K::Capability,
        4,
        &[
            C::DenormPreserve as u32,
            C::DenormFlushToZero as u32,
            C::SignedZeroInfNanPreserve as u32,
            C::RoundingModeRTE as u32,
            C::RoundingModeRTZ as u32,
        ],
    ),
    (
        K::Capability,
        5,
        &[
            C::ShaderLayer as u32,
            C::ShaderViewportIndex as u32,
            C::StorageBuffer8BitAccess as u32,
            C::UniformAndStorageBuffer8BitAccess as u32,
            C::StoragePushConstant8 as u32,
            C::ShaderNonUniform as u32,
            C::RuntimeDescriptorArray as u32,
            C::InputAttachmentArrayDynamicIndexing as u32,
            C::UniformTexelBufferArrayDynamicIndexing as u32,
            C::StorageTexelBufferArrayDynamicIndexing as u32,
            C::UniformBufferArrayNonUniformIndexing as u32,
            C::SampledImageArrayNonUniformIndexing as u32,
            C::StorageBufferArrayNonUniformIndexing as u32,
            C::StorageImageArrayNonUniformIndexing as u32,
            C::InputAttachmentArrayNonUniformIndexing as u32,
            C::UniformTexelBufferArrayNonUniformIndexing as u32,
            C::StorageTexelBufferArrayNonUniformIndexing as u32,
            C::VulkanMemoryModel as u32,
            C::VulkanMemoryModelDeviceScope as u32,
            C::PhysicalStorageBufferAddresses as u32,
        ],
    ),
    (
        K::Capability,
        6,
        &[
            C::UniformDecoration as u32,
            C::DemoteToHelperInvocation as u32,
            C::DotProductInputAll as u32,
            C::DotProductInput4x8Bit as u32,
            C::DotProductInput4x8BitPacked as u32,
            C::DotProduct as u32,
        ],
    ),
    (K::ImageOperands, 4, &[I::SIGN_EXTEND.bits(), I::ZERO_EXTEND.bits()]),
    (
        K::ImageOperands,
        5,
        &[
            I::MAKE_TEXEL_AVAILABLE.bits(),
            I::MAKE_TEXEL_VISIBLE.bits(),
            I::NON_PRIVATE_TEXEL.bits(),
            I::VOLATILE_TEXEL.bits(),
        ],
    ),
    (K::ImageOperands, 6, &[I::NONTEMPORAL.bits()]),
    (K::LoopControl, 1, &[L::DEPENDENCY_INFINITE.bits(), L::DEPENDENCY_LENGTH.bits()]),
    (
        K::LoopControl,
        4,
        &[
            L::MIN_ITERATIONS.bits(),
            L::MAX_ITERATIONS.bits(),
            L::ITERATION_MULTIPLE.bits(),
            L::PEEL_COUNT.bits(),
            L::PARTIAL_COUNT.bits(),
        ],
    ),
    (
        K::MemorySemantics,
        5,
        &[
            S::OUTPUT_MEMORY.bits(),
            S::MAKE_AVAILABLE.bits(),
            S::MAKE_VISIBLE.bits(),
            S::VOLATILE.bits(),
        ],
    ),
    (
        K::MemoryAccess,
        5,
        &[
            MemoryAccess::MAKE_POINTER_AVAILABLE.bits(),
            MemoryAccess::MAKE_POINTER_VISIBLE.bits(),
            MemoryAccess::NON_PRIVATE_POINTER.bits(),
        ],
    ),
];

/// The version of SPIR-V 1 that has an enumerant; `None` if an extension alone has it.
fn enumerant_version(kind: K, word: u32) -> Option<u32> {
    let mut rows = ENUMERANTS.iter();
    rows.find(|row| row.0 == kind && row.2.contains(&word)).map(|row| row.1)
}

/// The version of SPIR-V 1 that has an instruction. Most come with their capabilities.
fn instruction_version(op: Op) -> Option<u32> {
    match op {
        Op::ModuleProcessed => Some(1),
        Op::ExecutionModeId | Op::DecorateId => Some(2),
        Op::CopyLogical | Op::PtrEqual | Op::PtrNotEqual => Some(4),
        Op::DecorateString | Op::MemberDecorateString => Some(4),
        Op::TerminateInvocation => Some(6),
        _ => None,
    }
}

/// Version and extensions of a module.
pub(crate) struct Versions<'m> {
    minor: u32,
    extensions: Vec<&'m str>,
}

/// A version that has something, if any, and extensions that have it.
struct Needed<'a> {
    version: Option<u32>,
    extensions: &'a [&'static str],
}

impl<'m> Versions<'m> {
    /// Those of a module. `least` is the version that it has at least, though its header may say
    /// less.
    pub(crate) fn new(module: &'m Module, least: u32) -> Versions<'m> {
        let minor = (module.version >> 8 & 0xff).max(least);
        let named = module.globals().iter().filter(|i| i.op == Op::Extension);
        Versions { minor, extensions: named.filter_map(|i| i.text_at(0)).collect() }
    }

    /// Checks an instruction and its operands.
    pub(crate) fn check(&self, module: &Module, i: &Instruction) -> Result<(), Error> {
        if let Some(version) = instruction_version(i.op) {
            let extensions = row_of(i.op as u32).map_or(&[][..], |row| row.extensions);
            self.demand(module, i, "it", &Needed { version: Some(version), extensions })?;
        }
        let is_extra = i.op == Op::ExtInstImport
            && i.text_at(0).is_some_and(|name| name.starts_with("NonSemantic."));
        if is_extra {
            let extensions = &["SPV_KHR_non_semantic_info"];
            self.demand(module, i, "the set", &Needed { version: Some(6), extensions })?;
        }
        for operand in &i.operands {
            let &Operand::Enumerant(kind, word) = operand else { continue };
            let is_old = kind == K::Decoration && word == D::BufferBlock as u32;
            module.demand(i, !is_old || self.minor <= 3, "BufferBlock ends with version 1.3")?;
            let mut bits = word;
            loop {
                let bit = if has_bits(kind) { bits & bits.wrapping_neg() } else { word };
                let extensions = &extensions(kind, bit);
                let version = enumerant_version(kind, bit);
                let version = version.or(extensions.is_empty().then_some(0));
                self.demand(module, i, &format!("a {kind:?}"), &Needed { version, extensions })?;
                bits ^= bit;
                if !has_bits(kind) || bits == 0 {
                    break;
                }
            }
        }
        Ok(())
    }

    fn demand(
        &self,
        module: &Module,
        i: &Instruction,
        what: &str,
        needed: &Needed<'_>,
    ) -> Result<(), Error> {
        let is_core = needed.version.is_some_and(|version| version <= self.minor);
        if is_core || self.extensions.iter().any(|name| needed.extensions.contains(name)) {
            return Ok(());
        }
        let names = needed.extensions.join(" or ");
        let message = match needed.version {
            None => format!("{what} needs the extension {names}"),
            Some(version) if names.is_empty() => format!("{what} needs version 1.{version}"),
            Some(version) => format!("{what} needs version 1.{version} or the extension {names}"),
        };
        Err(module.error(i, message))
    }
}
