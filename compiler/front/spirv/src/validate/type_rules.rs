//! Types: parts, sizes, and no type twice.

use rspirv::spirv::{Capability, Dim, Op};
use rustc_hash::FxHashMap;

use super::view::{Kind, is_type};
use crate::error::Error;
use crate::module::{Instruction, Module};

/// Most types inside each other (SPIR-V 1.6 section 2.17).
const MAX_DEPTH: u32 = 255;
/// Most members of a structure with those of its members; elements of arrays count once.
const MAX_PARTS: u32 = 1 << 16;
/// Most members of a structure, and parameters of a function.
const MAX_MEMBERS: usize = 16383;
const MAX_PARAMETERS: usize = 255;

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    let mut depths: FxHashMap<u32, u32> = FxHashMap::default();
    let mut parts: FxHashMap<u32, u32> = FxHashMap::default();
    for i in module.globals() {
        if !is_type(i.op) {
            continue;
        }
        if i.op != Op::TypePointer {
            let inner = i.ids_from(0).filter_map(|part| depths.get(&part)).max();
            let depth = inner.map_or(0, |inner| inner + 1);
            module.demand(i, depth <= MAX_DEPTH, "too many types inside each other")?;
            depths.insert(i.id, depth);
            let own = i.ids_from(0).map(|part| parts.get(&part).copied().unwrap_or(1));
            let own = own.fold(0, u32::saturating_add).max(1);
            module.demand(i, own <= MAX_PARTS, "the type has too many parts")?;
            parts.insert(i.id, own);
        }
        one(module, i)?;
        let may_repeat =
            matches!(i.op, Op::TypeArray | Op::TypeRuntimeArray | Op::TypeStruct | Op::TypePointer);
        let key = format!("{:?} {:?}", i.op, i.operands);
        if !may_repeat && let Some(first) = seen.insert(key, i.id) {
            return Err(module.error(i, format!("{} is the same type", module.name(first))));
        }
    }
    Ok(())
}

fn one(module: &Module, i: &Instruction) -> Result<(), Error> {
    let word = |index| i.literal_at(index).unwrap_or(u32::MAX);
    match module.kind(i.id) {
        Kind::Int { .. } => module.demand(i, word(1) <= 1, "signedness is 0 or 1"),
        Kind::Vector { component, .. } => {
            let is_scalar = matches!(
                module.kind(component),
                Kind::Bool | Kind::Int { .. } | Kind::Float { .. }
            );
            module.demand(i, is_scalar, "components are scalars")
        }
        Kind::Matrix { column, count } => {
            let is_vector = matches!(module.kind(column), Kind::Vector { .. });
            let is_float = module.shape(column).is_some_and(|shape| shape.is_float());
            module.demand(i, is_vector && is_float, "columns are vectors of floats")?;
            module.demand(i, (2..=4).contains(&count), "matrices have 2 to 4 columns")
        }
        Kind::Array { element, length } => {
            data_type(module, i, element)?;
            array_length(module, i, length)
        }
        Kind::RuntimeArray { element } => data_type(module, i, element),
        Kind::Struct => structure(module, i),
        Kind::Pointer { pointee, .. } => {
            let is_known = module.get(pointee).is_some_and(|definition| is_type(definition.op));
            module.demand(i, is_known, "the pointee is no type")
        }
        Kind::Function => function(module, i),
        Kind::Image => image(module, i),
        Kind::SampledImage { image } => {
            module.demand(i, module.kind(image) == Kind::Image, "the operand is no image type")?;
            let definition = module.get(image);
            let dim = definition.and_then(|d| d.literal_at(1)).and_then(Dim::from_u32);
            let sampled = definition.and_then(|d| d.literal_at(5));
            module.demand(
                i,
                matches!(sampled, Some(0 | 1)),
                "the image is none that is sampled",
            )?;
            let is_buffer = dim == Some(Dim::DimBuffer) && module.version >= 0x10600;
            module.demand(
                i,
                dim != Some(Dim::DimSubpassData) && !is_buffer,
                "the dimension cannot be sampled",
            )
        }
        _ => Ok(()),
    }
}

fn data_type(module: &Module, i: &Instruction, ty: u32) -> Result<(), Error> {
    let is_data = module.get(ty).is_some_and(|definition| is_type(definition.op))
        && !matches!(module.kind(ty), Kind::Void | Kind::Function);
    module.demand(i, is_data, "elements need a type of data")?;
    let is_runtime = matches!(module.kind(ty), Kind::RuntimeArray { .. });
    module.demand(i, !is_runtime, "elements are no runtime arrays")
}

fn array_length(module: &Module, i: &Instruction, length: u32) -> Result<(), Error> {
    let ty = module.get(length).map_or(0, |definition| definition.ty);
    let is_int = matches!(module.kind(ty), Kind::Int { .. });
    module.demand(
        i,
        is_int && module.is_constant_id(length),
        "the length is no constant integer",
    )?;
    let Some(bits) = module.fixed_integer(length) else { return Ok(()) };
    let is_negative = match module.kind(ty) {
        Kind::Int { bits: 64, signed: true } => (bits as i64) < 0,
        Kind::Int { signed: true, .. } => (bits as u32 as i32) < 0,
        _ => false,
    };
    module.demand(i, bits != 0 && !is_negative, "the length is at least 1")
}

fn structure(module: &Module, i: &Instruction) -> Result<(), Error> {
    let members: Vec<u32> = i.ids_from(0).collect();
    module.demand(i, members.len() <= MAX_MEMBERS, "the structure has too many members")?;
    for (index, &member) in members.iter().enumerate() {
        let is_before = module.index_of(member) < module.index_of(i.id);
        let is_announced = |other: &Instruction| {
            other.op == Op::TypeForwardPointer && other.id_at(0) == Some(member)
        };
        let fits = is_before || module.globals().iter().any(is_announced);
        module.demand(i, fits, "a member's type is defined later")?;
        let is_data = module.get(member).is_some_and(|definition| is_type(definition.op))
            && !matches!(module.kind(member), Kind::Void | Kind::Function);
        module.demand(i, is_data, "a member needs a type of data")?;
        let is_runtime = matches!(module.kind(member), Kind::RuntimeArray { .. });
        module.demand(
            i,
            !is_runtime || index + 1 == members.len(),
            "a runtime array is the last member",
        )?;
    }
    Ok(())
}

fn function(module: &Module, i: &Instruction) -> Result<(), Error> {
    module.demand(i, i.operands.len() <= 1 + MAX_PARAMETERS, "there are too many parameters")?;
    for (index, ty) in i.ids_from(0).enumerate() {
        let is_known = module.get(ty).is_some_and(|definition| is_type(definition.op));
        module.demand(i, is_known, "an operand is no type")?;
        module.demand(
            i,
            index == 0 || module.kind(ty) != Kind::Void,
            "a parameter has no value",
        )?;
        module.demand(i, module.kind(ty) != Kind::Function, "functions are no values")?;
    }
    Ok(())
}

fn image(module: &Module, i: &Instruction) -> Result<(), Error> {
    let word = |index| i.literal_at(index).unwrap_or(u32::MAX);
    let sampled = i.id_at(0).map_or(Kind::Other, |ty| module.kind(ty));
    let is_numeric = match sampled {
        Kind::Int { bits, .. } => bits == 32 || bits == 64,
        Kind::Float { bits } => bits == 32 || bits == 16,
        Kind::Void => module.capabilities.contains(&Capability::Kernel),
        _ => false,
    };
    module.demand(i, is_numeric, "texels are numbers of 32 bits")?;
    module.demand(i, word(2) <= 2, "depth is 0, 1 or 2")?;
    module.demand(i, word(3) <= 1, "arrayed is 0 or 1")?;
    module.demand(i, word(4) <= 1, "multisampled is 0 or 1")?;
    module.demand(i, word(5) <= 2, "sampled is 0, 1 or 2")?;
    let is_subpass = word(1) == Dim::DimSubpassData as u32;
    let has_samples = word(4) == 1 && word(5) == 2 && !is_subpass;
    let may_have = module.capabilities.contains(&Capability::StorageImageMultisample);
    module.demand(i, !has_samples || may_have, "needs the capability StorageImageMultisample")?;
    module.demand(i, !is_subpass || word(5) == 2 && word(6) == 0, "subpass data are not sampled")
}
