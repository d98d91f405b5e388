//! Grammar tables: instructions by number and name, enumerants by kind.

use std::str::FromStr;
use std::sync::OnceLock;

use rspirv::dr;
use rspirv::grammar::{INSTRUCTION_TABLE, LogicalOperand};
pub(crate) use rspirv::grammar::{Instruction as Row, OperandKind, OperandQuantifier};
use rspirv::spirv;
use rustc_hash::FxHashMap;

/// Suffixes of instructions' names.
const SUFFIXES: [&str; 5] = ["KHR", "EXT", "NV", "GOOGLE", "INTEL"];

/// Returns the row of an instruction by its number.
pub(crate) fn row_of(opcode: u32) -> Option<&'static Row<'static>> {
    static ROWS: OnceLock<FxHashMap<u32, &'static Row<'static>>> = OnceLock::new();
    let rows =
        ROWS.get_or_init(|| INSTRUCTION_TABLE.iter().map(|r| (r.opcode as u32, r)).collect());
    rows.get(&opcode).copied()
}

/// Returns the name of an instruction, without `Op`.
pub(crate) fn name_of(op: spirv::Op) -> &'static str {
    row_of(op as u32).map_or("", |row| row.opname)
}

/// Returns the row of an instruction by its name without `Op`.
pub(crate) fn row_called(name: &str) -> Option<&'static Row<'static>> {
    static ROWS: OnceLock<FxHashMap<&'static str, &'static Row<'static>>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| INSTRUCTION_TABLE.iter().map(|r| (r.opname, r)).collect());
    // Instructions got other suffixes, or none, when another vendor or the core took them over.
    let base = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let spellings = SUFFIXES.iter().map(|suffix| format!("{base}{suffix}"));
    let other = || spellings.chain([base.to_owned()]).find_map(|name| rows.get(name.as_str()));
    rows.get(name).or_else(other).copied()
}

/// Capital letters and digits alone: the masks of the tables are spelled `CONST_OFFSET`.
fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_uppercase()).collect()
}

macro_rules! kinds {
    (enums { $($kind:ident)* } masks { $($mask:ident)* }) => {
        /// Returns the enumerant or mask of a word; `None` if its kind has no such value.
        fn valued(kind: OperandKind, word: u32) -> Option<dr::Operand> {
            match kind {
                $(OperandKind::$kind => spirv::$kind::from_u32(word).map(dr::Operand::$kind),)*
                $(OperandKind::$mask => spirv::$mask::from_bits(word).map(dr::Operand::$mask),)*
                _ => None,
            }
        }

        fn named(kind: OperandKind, name: &str) -> Option<u32> {
            match kind {
                $(OperandKind::$kind => spirv::$kind::from_str(name).ok().map(|v| v as u32),)*
                $(OperandKind::$mask => mask_word(name, |wanted| {
                    let mut all = spirv::$mask::all().iter_names();
                    all.find(|(name, _)| plain(name) == wanted).map(|(_, bit)| bit.bits())
                }),)*
                _ => None,
            }
        }

        /// True if operands of a kind have values with names.
        pub(crate) fn has_names(kind: OperandKind) -> bool {
            matches!(kind, $(OperandKind::$kind)|* $(| OperandKind::$mask)*)
        }

        /// True if the values of a kind are masks.
        pub(crate) fn has_bits(kind: OperandKind) -> bool {
            matches!(kind, $(OperandKind::$mask)|*)
        }
    };
}

kinds! {
    enums {
        SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim
        SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType
        FPRoundingMode FPDenormMode QuantizationModes FPOperationMode OverflowModes LinkageType
        AccessQualifier HostAccessQualifier FunctionParameterAttribute Decoration BuiltIn Scope
        GroupOperation KernelEnqueueFlags Capability RayQueryIntersection
        RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType PackedVectorFormat
        CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier
        LoadCacheControl StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding
        CooperativeVectorMatrixLayout ComponentType
    }
    masks {
        ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics
        MemoryAccess KernelProfilingInfo RayFlags FragmentShadingRate RawAccessChainOperands
        CooperativeMatrixOperands CooperativeMatrixReduce TensorAddressingOperands
        MatrixMultiplyAccumulateOperands TensorOperands
    }
}

/// Returns the word of a name.
pub(crate) fn word_of(kind: OperandKind, name: &str) -> Option<u32> {
    match kind {
        // `2D` begins with a digit.
        OperandKind::Dim => named(kind, &format!("Dim{name}")),
        _ => named(kind, name),
    }
}

/// Returns the mask of names joined by `|`.
fn mask_word(names: &str, bit: impl Fn(String) -> Option<u32>) -> Option<u32> {
    names.split('|').try_fold(0, |mask, name| {
        let name = plain(name);
        let base = name.strip_suffix("KHR").map(str::to_owned);
        let known = match name.as_str() {
            "NONE" | "RELAXED" => Some(0),
            _ => bit(name.clone()).or_else(|| bit(format!("{name}KHR"))),
        };
        Some(mask | known.or_else(|| base.and_then(&bit))?)
    })
}

/// Returns the operands that follow an enumerant or mask; `None` if its kind has no such value.
pub(crate) fn parameters(kind: OperandKind, word: u32) -> Option<Vec<LogicalOperand>> {
    valued(kind, word).map(|value| value.additional_operands())
}

/// Returns the capabilities of which an enumerant needs one; those of a mask's bits together.
pub(crate) fn capabilities(kind: OperandKind, word: u32) -> Vec<spirv::Capability> {
    valued(kind, word).map_or(Vec::new(), |value| value.required_capabilities())
}

/// Returns the extensions of which an enumerant comes with one.
pub(crate) fn extensions(kind: OperandKind, word: u32) -> Vec<&'static str> {
    valued(kind, word).map_or(Vec::new(), |value| value.required_extensions())
}
