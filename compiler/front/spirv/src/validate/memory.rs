//! Variables, loads, stores, access chains, atomics.

use rspirv::spirv::{Capability, Decoration, MemorySemantics, Op, Scope, StorageClass as C};

use super::view::Kind;
use crate::error::Error;
use crate::module::{Instruction, Module};

pub(crate) fn check(module: &Module, i: &Instruction) -> Result<(), Error> {
    match i.op {
        Op::Variable => {
            let is_local = i.literal_at(0) == Some(C::Function as u32);
            module.demand(i, is_local, "a variable of a function has storage class Function")?;
            variable(module, i)
        }
        Op::Load => {
            let (_, pointee) = module.operand_pointer(i, 0)?;
            module.demand(i, pointee == i.ty, "the result has not the type of the place")?;
            module.demand(
                i,
                !matches!(module.kind(i.ty), Kind::RuntimeArray { .. }),
                "a runtime array is no value",
            )?;
            logical(module, i, 0)?;
            access(module, i, &[0], 1)
        }
        Op::Store => store(module, i),
        Op::CopyMemory => {
            let (to, from) = (module.operand_pointer(i, 0)?, module.operand_pointer(i, 1)?);
            module.demand(i, to.1 == from.1, "the types of the places differ")?;
            module.demand(i, module.kind(to.1) != Kind::Void, "the place has no value")?;
            access(module, i, &[0, 1], 2)
        }
        Op::AccessChain | Op::InBoundsAccessChain => access_chain(module, i, 1),
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
            pointer_value(module, i, i.ty)?;
            strided(module, i)?;
            access_chain(module, i, 2)
        }
        Op::ArrayLength => array_length(module, i),
        Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => {
            let (class, _) = module.operand_pointer(i, 0)?;
            let ty = module.operand_type(i, 0)?;
            module.demand(i, ty == module.operand_type(i, 1)?, "the pointers have other types")?;
            pointer_value(module, i, ty)?;
            let is_memory = matches!(class, C::StorageBuffer | C::Workgroup);
            module.demand(i, is_memory, "pointers of the storage class are not compared")?;
            let result = module.kind(i.ty);
            let fits = match i.op {
                Op::PtrDiff => matches!(result, Kind::Int { .. }),
                _ => result == Kind::Bool,
            };
            module.demand(i, fits, "the result has another type")
        }
        op if is_atomic(op) => atomic(module, i),
        Op::Select | Op::Phi | Op::FunctionCall => pointer_value(module, i, i.ty),
        _ => Ok(()),
    }
}

/// The pointer of an access is a place, not a constant or an undefined value.
fn logical(module: &Module, i: &Instruction, index: usize) -> Result<(), Error> {
    let definition = i.id_at(index).and_then(|id| module.get(id));
    let is_none = definition.is_some_and(|d| matches!(d.op, Op::Undef | Op::ConstantNull));
    let has = |capability| module.capabilities.contains(&capability);
    let is_value = has(Capability::VariablePointers)
        || has(Capability::VariablePointersStorageBuffer)
        || !module.is_logical;
    module.demand(i, is_value || !is_none, "the pointer is no place")
}

/// The operands that say how an access takes place. `pointers` are those of its pointers; from
/// version 1.4 on copies may have operands for each.
fn access(
    module: &Module,
    i: &Instruction,
    pointers: &[usize],
    mut index: usize,
) -> Result<(), Error> {
    use rspirv::spirv::MemoryAccess as M;
    let (mut copies, mut seen) = (i.op == Op::CopyMemory, 0);
    while let Some(mask) = i.literal_at(index) {
        let mask = M::from_bits_truncate(mask);
        let is_whole = mask.contains(M::NON_PRIVATE_POINTER);
        let ordered = M::MAKE_POINTER_AVAILABLE | M::MAKE_POINTER_VISIBLE;
        let is_shared = !mask.intersects(ordered) || is_whole;
        module.demand(i, is_shared, "a private place is not made available or visible")?;
        let (is_second, has_second) = (seen == 1, seen == 1 || copies && has_more(i, index, mask));
        let reads = i.op == Op::Load || copies && is_second;
        let writes = i.op == Op::Store || copies && has_second && !is_second;
        let is_written = !(reads && mask.contains(M::MAKE_POINTER_AVAILABLE));
        let is_read = !(writes && mask.contains(M::MAKE_POINTER_VISIBLE));
        module.demand(i, is_written && is_read, "the access is of the other direction")?;
        for &pointer in pointers.iter().filter(|_| is_whole) {
            let (class, _) = module.operand_pointer(i, pointer)?;
            let is_memory = matches!(
                class,
                C::Uniform
                    | C::Workgroup
                    | C::CrossWorkgroup
                    | C::Generic
                    | C::Image
                    | C::StorageBuffer
                    | C::PhysicalStorageBuffer
            );
            module.demand(i, is_memory, "the place is private by its storage class")?;
        }
        index += 1;
        if mask.contains(M::ALIGNED) {
            let alignment = i.literal_at(index).unwrap_or(0);
            module.demand(i, alignment.is_power_of_two(), "the alignment is no power of two")?;
            index += 1;
        }
        for _ in (mask & ordered).iter() {
            scope(module, i, index)?;
            index += 1;
        }
        seen += 1;
        copies &= module.version >= 0x10400;
        let is_last = copies && seen < 2 || i.literal_at(index).is_none();
        module.demand(i, is_last, "there are operands for two accesses")?;
    }
    Ok(())
}

/// True if the operands of an access are followed by those of another.
fn has_more(i: &Instruction, index: usize, mask: rspirv::spirv::MemoryAccess) -> bool {
    use rspirv::spirv::MemoryAccess as M;
    let counted = M::ALIGNED | M::MAKE_POINTER_AVAILABLE | M::MAKE_POINTER_VISIBLE;
    let count = (mask & counted).iter().count();
    i.operands.len() > index + 1 + count
}

/// Pointers as values come with a capability.
pub(crate) fn pointer_value(module: &Module, i: &Instruction, ty: u32) -> Result<(), Error> {
    let Kind::Pointer { class, .. } = module.kind(ty) else { return Ok(()) };
    let has = |capability| module.capabilities.contains(&capability);
    let of_buffers = class == C::StorageBuffer && has(Capability::VariablePointersStorageBuffer);
    let fits = of_buffers || has(Capability::VariablePointers) || !module.is_logical;
    module.demand(i, fits, "pointers as values need the capability VariablePointers")
}

/// A variable's type and initializer.
pub(crate) fn variable(module: &Module, i: &Instruction) -> Result<(), Error> {
    let class = i.literal_at(0).and_then(C::from_u32);
    let Kind::Pointer { class: own, pointee } = module.kind(i.ty) else {
        return Err(module.error(i, "the type is no pointer"));
    };
    module.demand(i, Some(own) == class, "the storage class is not that of the type")?;
    module.demand(i, class != Some(C::Generic), "no variable is generic")?;
    module.demand(i, module.kind(pointee) != Kind::Void, "the variable has no value")?;
    let Some(initializer) = i.id_at(1) else { return Ok(()) };
    module.demand(i, class != Some(C::Input), "an input has no initializer")?;
    let definition = module.get(initializer);
    let is_variable = definition
        .is_some_and(|d| d.op == Op::Variable && d.literal_at(0) != Some(C::Function as u32));
    let is_constant = module.is_constant_id(initializer) || is_variable;
    module.demand(i, is_constant, "the initializer is no constant")?;
    let is_typed = definition.is_some_and(|d| d.ty == pointee);
    module.demand(i, is_typed, "the initializer has another type")
}

fn store(module: &Module, i: &Instruction) -> Result<(), Error> {
    let (class, pointee) = module.operand_pointer(i, 0)?;
    let is_writable = !matches!(class, C::UniformConstant | C::Input | C::PushConstant);
    module.demand(i, is_writable, "the place is read-only")?;
    let is_void = module.kind(pointee) == Kind::Void;
    module.demand(i, !is_void, "the place has no value")?;
    module.demand(
        i,
        module.operand_type(i, 1)? == pointee,
        "the value has not the type of the place",
    )?;
    logical(module, i, 0)?;
    access(module, i, &[0], 2)
}

/// The element of a pointer is counted by the stride of its type.
fn strided(module: &Module, i: &Instruction) -> Result<(), Error> {
    let (class, _) = module.operand_pointer(i, 0)?;
    let is_explicit = match class {
        C::Uniform | C::StorageBuffer | C::PhysicalStorageBuffer | C::PushConstant => true,
        C::Workgroup => module.capabilities.contains(&Capability::WorkgroupMemoryExplicitLayoutKHR),
        _ => false,
    };
    let has_stride = module.has(module.operand_type(i, 0)?, Decoration::ArrayStride);
    module.demand(i, !is_explicit || has_stride, "the type of the pointer has no ArrayStride")?;
    let element = module.operand_shape(i, 1)?;
    module.demand(i, element.is_int() && element.count == 1, "the element is no integer")
}

/// Most indices of an access (SPIR-V 1.6 section 2.17).
const MAX_INDICES: usize = 255;

/// The indices, from operand `first` on, lead to the type of the result.
fn access_chain(module: &Module, i: &Instruction, first: usize) -> Result<(), Error> {
    let (class, mut ty) = module.operand_pointer(i, 0)?;
    module.demand(i, i.operands.len() <= first + MAX_INDICES, "there are too many indices")?;
    for (index, id) in (first..).zip(i.ids_from(first)) {
        let is_int = module.operand_shape(i, index).is_ok_and(|s| s.is_int() && s.count == 1);
        module.demand(i, is_int, "an index is no integer")?;
        ty = match module.kind(ty) {
            Kind::Vector { component, .. } => component,
            Kind::Matrix { column, .. } => column,
            Kind::Array { element, .. } | Kind::RuntimeArray { element } => element,
            Kind::Struct => {
                let member =
                    module.get(id).filter(|d| d.op == Op::Constant).and_then(|d| d.literal_at(0));
                let Some(member) = member else {
                    return Err(module.error(i, "the index of a member is no constant"));
                };
                let part = module.get(ty).and_then(|ty| ty.id_at(member as usize));
                part.ok_or_else(|| module.error(i, format!("there is no member {member}")))?
            }
            _ => return Err(module.error(i, "an index of a type without parts")),
        };
    }
    let wanted = Kind::Pointer { class, pointee: ty };
    module.demand(i, module.kind(i.ty) == wanted, "the result is no pointer to the part")
}

fn array_length(module: &Module, i: &Instruction) -> Result<(), Error> {
    let (_, pointee) = module.operand_pointer(i, 0)?;
    let members =
        module.get(pointee).filter(|ty| ty.op == Op::TypeStruct).map_or(0, |ty| ty.operands.len());
    let member = i.literal_at(1).unwrap_or(u32::MAX) as usize;
    module.demand(
        i,
        members > 0 && member == members - 1,
        "the member is not a structure's last",
    )?;
    let last = module.get(pointee).and_then(|ty| ty.id_at(member)).unwrap_or(0);
    let is_runtime = matches!(module.kind(last), Kind::RuntimeArray { .. });
    module.demand(i, is_runtime, "the member is no runtime array")?;
    module.demand(
        i,
        module.kind(i.ty) == Kind::Int { bits: 32, signed: false },
        "the result is not uint",
    )
}

fn is_atomic(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
    )
}

fn atomic(module: &Module, i: &Instruction) -> Result<(), Error> {
    let (class, pointee) = module.operand_pointer(i, 0)?;
    let is_shared = matches!(
        class,
        C::Uniform
            | C::Workgroup
            | C::CrossWorkgroup
            | C::AtomicCounter
            | C::Image
            | C::StorageBuffer
            | C::Generic
            | C::PhysicalStorageBuffer
    );
    module.demand(i, is_shared, "the storage class has no atomics")?;
    let may_be_float = matches!(i.op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange);
    let is_number = match module.kind(pointee) {
        Kind::Int { .. } => true,
        Kind::Float { .. } => may_be_float,
        _ => false,
    };
    module.demand(i, is_number, "the place is no integer")?;
    let is_long = matches!(module.kind(pointee), Kind::Int { bits: 64, .. });
    let has_long = module.capabilities.contains(&Capability::Int64Atomics);
    module.demand(i, !is_long || has_long, "no capability offers atomics of 64 bits")?;
    if i.op != Op::AtomicStore {
        module.demand(i, i.ty == pointee, "the result has not the type of the place")?;
    }
    let is_exchange = i.op == Op::AtomicCompareExchange;
    let ids = if is_exchange { 4 } else { 3 };
    for index in 1..ids {
        scope_or_semantics(module, i, index)?;
    }
    for index in ids..i.operands.len() {
        module.demand(
            i,
            module.operand_type(i, index)? == pointee,
            "an operand has not the type of the place",
        )?;
    }
    Ok(())
}

/// A scope or semantics is an integer of 32 bits, in shaders a constant.
pub(crate) fn scope_or_semantics(
    module: &Module,
    i: &Instruction,
    index: usize,
) -> Result<(), Error> {
    if is_semantics(i.op, index) { semantics(module, i, index) } else { scope(module, i, index) }
}

/// A constant integer of 32 bits; `None` if a specialization may change it.
fn word(module: &Module, i: &Instruction, index: usize) -> Result<Option<u32>, Error> {
    let shape = module.operand_shape(i, index)?;
    let is_word = shape.is_int() && shape.count == 1 && shape.bits() == 32;
    module.demand(i, is_word, "scope and semantics are integers of 32 bits")?;
    let id = i.id_at(index).unwrap_or(0);
    module.demand(i, module.is_constant_id(id), "scope and semantics are constants")?;
    Ok(module.fixed_integer(id).map(|value| value as u32))
}

/// The scope of an instruction.
pub(crate) fn scope(module: &Module, i: &Instruction, index: usize) -> Result<(), Error> {
    let Some(value) = word(module, i, index)? else { return Ok(()) };
    let is_new = module.capabilities.contains(&Capability::VulkanMemoryModel);
    let has_device =
        !is_new || module.capabilities.contains(&Capability::VulkanMemoryModelDeviceScope);
    let is_clock = i.op == Op::ReadClockKHR;
    let is_scope = Scope::from_u32(value).is_some_and(|scope| match scope {
        Scope::QueueFamily => is_new && !is_clock,
        Scope::Device => has_device || is_execution(i.op, index),
        Scope::Subgroup => true,
        _ => !is_clock,
    });
    module.demand(i, is_scope, "there is no such scope")
}

/// Order of memory, and the memory that it is of.
fn semantics(module: &Module, i: &Instruction, index: usize) -> Result<(), Error> {
    use MemorySemantics as S;
    let Some(value) = word(module, i, index)? else { return Ok(()) };
    let value = S::from_bits_truncate(value);
    // Of acquire, release, both and sequentially consistent there is one.
    let order = S::ACQUIRE | S::RELEASE | S::ACQUIRE_RELEASE | S::SEQUENTIALLY_CONSISTENT;
    let orders = (value & order).iter().count();
    module.demand(i, orders <= 1, "the semantics have several orders")?;
    let is_new = module.capabilities.contains(&Capability::VulkanMemoryModel);
    let of_model = S::OUTPUT_MEMORY | S::MAKE_AVAILABLE | S::MAKE_VISIBLE | S::VOLATILE;
    let has_model = is_new || !value.intersects(of_model);
    module.demand(i, has_model, "the semantics are those of the memory model of Vulkan")?;
    let is_atomic_volatile = !value.contains(S::VOLATILE) || is_atomic(i.op);
    module.demand(i, is_atomic_volatile, "barriers are not volatile")?;
    let releases = value.intersects(S::RELEASE | S::ACQUIRE_RELEASE);
    let acquires = value.intersects(S::ACQUIRE | S::ACQUIRE_RELEASE);
    let fits = (releases || !value.contains(S::MAKE_AVAILABLE))
        && (acquires || !value.contains(S::MAKE_VISIBLE));
    module.demand(i, fits, "the order makes nothing available or visible")?;
    let is_unequal = i.op == Op::AtomicCompareExchange && index == 3;
    module.demand(i, !(is_unequal && releases), "nothing is written that could be released")?;
    if !is_new {
        return Ok(());
    }
    let is_sequential = value.contains(S::SEQUENTIALLY_CONSISTENT);
    module.demand(i, !is_sequential, "the memory model of Vulkan has no sequential consistency")?;
    let is_relaxed_fence = i.op == Op::MemoryBarrier && orders == 0;
    module.demand(i, !is_relaxed_fence, "the barrier has no order")?;
    let memory = S::UNIFORM_MEMORY | S::WORKGROUP_MEMORY | S::IMAGE_MEMORY | S::OUTPUT_MEMORY;
    let has_memory = value.intersects(memory);
    module.demand(i, has_memory == (orders > 0), "order and memory go together")
}

/// True if an operand says which invocations take part, not which memory.
fn is_execution(op: Op, index: usize) -> bool {
    let numbers = Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32;
    index == 0 && (op == Op::ControlBarrier || numbers.contains(&(op as u32)))
        || op == Op::ReadClockKHR
}

/// True if an operand is a semantics, not a scope.
fn is_semantics(op: Op, index: usize) -> bool {
    match op {
        Op::ControlBarrier => index == 2,
        Op::MemoryBarrier => index == 1,
        _ => index >= 2,
    }
}
