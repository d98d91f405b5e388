//! Decorations: targets, and layouts of blocks.

use rspirv::spirv::{BuiltIn, Capability, Decoration as D, LinkageType, Op, StorageClass as C};

use rustc_hash::FxHashSet;

use super::view::{Kind, has_invocations, is_type};
use crate::error::Error;
use crate::module::{Instruction, Module, Operand};

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let roles = Roles::new(module);
    let (mut seen, mut blocks) = (FxHashSet::default(), FxHashSet::default());
    for i in module.globals() {
        nested(module, i, &mut blocks)?;
        match i.op {
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                target(module, i, &roles)?;
                kind_of_operand(module, i)?;
                let key = (i.id_at(0), u32::MAX, i.literal_at(1));
                once(module, i, 1, seen.insert(key))?;
            }
            Op::MemberDecorate | Op::MemberDecorateString => {
                member(module, i)?;
                let key = (i.id_at(0), i.literal_at(1).unwrap_or(0), i.literal_at(2));
                once(module, i, 2, seen.insert(key))?;
            }
            Op::MemberName => member(module, i)?,
            Op::GroupDecorate => {
                let mut targets = FxHashSet::default();
                let is_new = i.ids_from(1).all(|target| targets.insert(target));
                module.demand(i, is_new, "a target is there already")?;
                let is_group = |id| module.get(id).is_some_and(|i| i.op == Op::DecorationGroup);
                module.demand(i, !i.ids_from(1).any(is_group), "a target is a group")?;
                of_group(module, i, &roles)?;
            }
            Op::GroupMemberDecorate => group_members(module, i)?,
            Op::Variable => {
                block(module, i)?;
                visible(module, i)?;
            }
            Op::TypeStruct => builtins(module, i)?,
            Op::TypeArray | Op::TypeRuntimeArray => {
                let has_stride = module.has(i.id, D::ArrayStride);
                let is_of_blocks = blocks.contains(&i.id);
                module.demand(i, !(has_stride && is_of_blocks), "blocks have no ArrayStride")?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Decorations of which a group is checked at each of its targets.
const OF_TARGETS: [D; 10] = [
    D::Block,
    D::BufferBlock,
    D::Component,
    D::FPRoundingMode,
    D::Location,
    D::NonWritable,
    D::NoSignedWrap,
    D::NoUnsignedWrap,
    D::RelaxedPrecision,
    D::Uniform,
];

/// The targets of a group can have its decorations.
fn of_group(module: &Module, i: &Instruction, roles: &Roles) -> Result<(), Error> {
    let list = module.decorations(i.id_at(0).unwrap_or(0)).iter();
    let list: Vec<_> = list.filter(|d| OF_TARGETS.contains(&d.decoration)).collect();
    for id in i.ids_from(1) {
        for own in &list {
            let decoration = Operand::Literal(own.decoration as u32);
            let word = own.word.map(Operand::Literal);
            let operands = [Operand::Id(id), decoration].into_iter().chain(word).collect();
            let applied = Instruction { op: i.op, ty: 0, id: 0, operands, offset: i.offset };
            target(module, &applied, roles)?;
        }
    }
    Ok(())
}

/// The targets of a group are members of structures.
fn group_members(module: &Module, i: &Instruction) -> Result<(), Error> {
    for pair in i.operands[1..].chunks(2) {
        let &[Operand::Id(ty), Operand::Literal(index)] = pair else {
            return Err(module.error(i, "a target has no member"));
        };
        let definition = module.get(ty).filter(|ty| ty.op == Op::TypeStruct);
        let has_member = definition.is_some_and(|ty| (index as usize) < ty.operands.len());
        module.demand(i, has_member, "there is no such member")?;
    }
    Ok(())
}

/// Most decorations are there once.
fn once(module: &Module, i: &Instruction, index: usize, is_new: bool) -> Result<(), Error> {
    let may_repeat = matches!(decorated(module, i, index)?, D::FuncParamAttr | D::UserSemantic);
    module.demand(i, is_new || may_repeat, "the decoration is there already")
}

/// Decorations that exclude each other.
const EXCLUSIVE: [[D; 2]; 3] = [
    [D::Block, D::BufferBlock],
    [D::Restrict, D::Aliased],
    [D::RestrictPointer, D::AliasedPointer],
];

fn decorated(module: &Module, i: &Instruction, index: usize) -> Result<D, Error> {
    let decoration = i.literal_at(index).and_then(D::from_u32);
    decoration.ok_or_else(|| module.error(i, "there is no such decoration"))
}

fn target(module: &Module, i: &Instruction, roles: &Roles) -> Result<(), Error> {
    let target = i.id_at(0).and_then(|id| module.get(id));
    let target = target.ok_or_else(|| module.error(i, "the target is missing"))?;
    let own = decorated(module, i, 1)?;
    let mut pairs = EXCLUSIVE.iter().filter(|pair| pair.contains(&own));
    let is_double = pairs.any(|pair| pair.iter().all(|&other| module.has(target.id, other)));
    module.demand(i, !is_double, "the target has decorations that exclude each other")?;
    if target.op == Op::DecorationGroup {
        return Ok(());
    }
    let is_variable = matches!(target.op, Op::Variable | Op::FunctionParameter);
    let fits = match own {
        D::NoSignedWrap | D::NoUnsignedWrap => matches!(
            target.op,
            Op::IAdd | Op::ISub | Op::IMul | Op::ShiftLeftLogical | Op::SNegate | Op::ExtInst
        ),
        D::LinkageAttributes => roles.may_be_linked(module, target, i),
        D::Block | D::BufferBlock | D::GLSLShared | D::GLSLPacked | D::CPacked => {
            target.op == Op::TypeStruct
        }
        D::ArrayStride => {
            matches!(target.op, Op::TypeArray | Op::TypeRuntimeArray | Op::TypePointer)
        }
        D::RowMajor | D::ColMajor | D::MatrixStride => false,
        D::SpecId => {
            matches!(target.op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
        }
        D::Location => target.op == Op::Variable,
        D::Component
        | D::Index
        | D::Flat
        | D::NoPerspective
        | D::Patch
        | D::Centroid
        | D::Sample => is_variable,
        D::Binding | D::DescriptorSet | D::InputAttachmentIndex => target.op == Op::Variable,
        D::BuiltIn => {
            let is_size = i.literal_at(2) == Some(BuiltIn::WorkgroupSize as u32);
            if is_size { is_size_of_group(module, target) } else { target.op == Op::Variable }
        }
        D::XfbBuffer | D::XfbStride | D::Stream | D::Invariant => target.op == Op::Variable,
        D::Uniform | D::UniformId => target.ty != 0 && module.kind(target.ty) != Kind::Void,
        D::FPRoundingMode => target.op == Op::FConvert && !roles.kept.contains(&target.id),
        D::RelaxedPrecision => !is_type(target.op),
        D::NoContraction => target.ty != 0 && !is_variable,
        D::NonWritable if is_variable => may_be_read_only(module, target),
        D::NonWritable | D::NonReadable | D::Coherent | D::Volatile | D::Restrict | D::Aliased => {
            is_variable
        }
        _ => true,
    };
    module.demand(i, fits, "the target cannot have the decoration")?;
    not_of_old_model(module, i, 1)?;
    let class = target.literal_at(0).and_then(C::from_u32);
    let is_interface = target.op == Op::Variable && matches!(class, Some(C::Input | C::Output));
    module.demand(i, own != D::Component || is_interface, "the target is no input or output")
}

/// Decorations with ids have an instruction of their own.
fn kind_of_operand(module: &Module, i: &Instruction) -> Result<(), Error> {
    let decoration = decorated(module, i, 1)?;
    let takes_ids =
        matches!(decoration, D::UniformId | D::AlignmentId | D::MaxByteOffsetId | D::CounterBuffer);
    let fits = takes_ids == (i.op == Op::DecorateId);
    module.demand(i, fits, "the instruction is for other decorations")?;
    let target = i.id_at(0).and_then(|id| module.index_of(id));
    if decoration == D::UniformId {
        super::memory::scope(module, i, 2)?;
    }
    let is_before = i.ids_from(1).all(|id| module.index_of(id) < target);
    module.demand(i, is_before, "an operand is defined behind the target")
}

/// The memory model of Vulkan says with each access what these decorations say of all.
fn not_of_old_model(module: &Module, i: &Instruction, index: usize) -> Result<(), Error> {
    let is_old = matches!(decorated(module, i, index)?, D::Coherent | D::Volatile);
    let is_new = module.capabilities.contains(&Capability::VulkanMemoryModel);
    module.demand(i, !(is_old && is_new), "the memory model of Vulkan has no such decoration")
}

fn member(module: &Module, i: &Instruction) -> Result<(), Error> {
    let target = i.id_at(0).and_then(|id| module.get(id));
    let members =
        target.filter(|target| target.op == Op::TypeStruct).map(|target| target.operands.len());
    let index = i.literal_at(1).unwrap_or(u32::MAX) as usize;
    module.demand(i, members.is_some_and(|count| index < count), "there is no such member")?;
    if i.op == Op::MemberName {
        return Ok(());
    }
    not_of_old_model(module, i, 2)?;
    let has = |decoration| module.member_has(target.map_or(0, |t| t.id), index as u32, decoration);
    let is_order = matches!(decorated(module, i, 2)?, D::RowMajor | D::ColMajor);
    let is_ordered = is_order && has(D::RowMajor) && has(D::ColMajor);
    module.demand(i, !is_ordered, "the member has rows and columns in turn")?;
    let wrong = matches!(
        decorated(module, i, 2)?,
        D::Block
            | D::BufferBlock
            | D::ArrayStride
            | D::SpecId
            | D::Binding
            | D::DescriptorSet
            | D::NoContraction
            | D::FPRoundingMode
            | D::FPFastMathMode
            | D::GLSLShared
            | D::GLSLPacked
            | D::CPacked
            | D::Aliased
            | D::Constant
            | D::Uniform
            | D::UniformId
            | D::SaturatedConversion
            | D::Index
            | D::FuncParamAttr
            | D::LinkageAttributes
            | D::InputAttachmentIndex
            | D::Alignment
            | D::MaxByteOffset
            | D::NoSignedWrap
            | D::NoUnsignedWrap
            | D::NonUniform
            | D::CounterBuffer
    );
    module.demand(i, !wrong, "a member cannot have the decoration")
}

/// Uses of the targets of some decorations.
struct Roles {
    /// Values that are other than stored as halves in memory or outputs, or converted again.
    kept: FxHashSet<u32>,
    entry_points: FxHashSet<u32>,
}

impl Roles {
    fn new(module: &Module) -> Roles {
        let globals = module.globals();
        let points = globals.iter().filter(|i| i.op == Op::EntryPoint);
        let has_modes = globals.iter().any(|i| i.literal_at(1) == Some(D::FPRoundingMode as u32));
        let body = if has_modes { &module.instructions[module.first_function..] } else { &[] };
        let others = body.iter().flat_map(|user| {
            let stored = is_store_of_half(module, user).then(|| user.id_at(1)).flatten();
            let is_conversion = user.op == Op::FConvert;
            user.ids_from(0).filter(move |&id| !is_conversion && Some(id) != stored)
        });
        Roles { kept: others.collect(), entry_points: points.filter_map(|i| i.id_at(1)).collect() }
    }

    /// Entry points are not linked, and what is imported is not defined here.
    fn may_be_linked(&self, module: &Module, target: &Instruction, i: &Instruction) -> bool {
        let is_import = i.literal_at(3) == Some(LinkageType::Import as u32);
        let fits = match module.function(target.id) {
            Some(function) => is_import == function.blocks.is_empty(),
            None => !is_import || target.id_at(1).is_none(),
        };
        fits && !self.entry_points.contains(&target.id)
    }
}

/// True for stores to places of memory and interfaces that hold floats of 16 bits.
fn is_store_of_half(module: &Module, user: &Instruction) -> bool {
    let is_place = |(class, pointee): (C, u32)| {
        let is_shared = matches!(
            class,
            C::StorageBuffer
                | C::Uniform
                | C::PushConstant
                | C::Input
                | C::Output
                | C::PhysicalStorageBuffer
        );
        is_shared && module.shape(pointee).is_some_and(|s| s.is_float() && s.bits() == 16)
    };
    user.op == Op::Store && module.operand_pointer(user, 0).is_ok_and(is_place)
}

/// True for constants that are a size of work groups with invocations.
fn is_size_of_group(module: &Module, target: &Instruction) -> bool {
    let mut sizes = target.ids_from(0).map(|part| module.fixed_integer(part));
    let has_invocations = has_invocations(&mut sizes);
    let shape = module.shape(target.ty);
    let has_three = shape.is_some_and(|s| s.is_int() && s.bits() == 32 && s.count == 3);
    let is_zero = target.op == Op::ConstantNull;
    module.is_constant_id(target.id) && !is_zero && has_three && has_invocations
}

/// True for variables that may be declared as read-only: buffers, uniform blocks, storage images,
/// and from SPIR-V 1.4 on variables of functions and invocations.
fn may_be_read_only(module: &Module, target: &Instruction) -> bool {
    let Kind::Pointer { class, pointee } = module.kind(target.ty) else { return false };
    let contents = innermost(module, pointee);
    match class {
        C::Uniform => module.has(contents, D::Block) || module.has(contents, D::BufferBlock),
        C::StorageBuffer => module.has(contents, D::Block),
        C::UniformConstant => {
            let image = module.get(contents).filter(|ty| ty.op == Op::TypeImage);
            image.and_then(|image| image.literal_at(5)) == Some(2)
        }
        C::Function | C::Private => module.version >= 0x10400,
        _ => false,
    }
}

/// No block is inside of another one. `holding` has the types that are or have blocks.
fn nested(module: &Module, i: &Instruction, holding: &mut FxHashSet<u32>) -> Result<(), Error> {
    if !matches!(i.op, Op::TypeArray | Op::TypeRuntimeArray | Op::TypeStruct) {
        return Ok(());
    }
    let is_around = i.ids_from(0).any(|part| holding.contains(&part));
    let is_block = module.has(i.id, D::Block) || module.has(i.id, D::BufferBlock);
    module.demand(i, !(is_block && is_around), "a block is inside of another")?;
    if is_block || is_around {
        holding.insert(i.id);
    }
    Ok(())
}

/// Members of a structure are built-in variables all or none.
fn builtins(module: &Module, i: &Instruction) -> Result<(), Error> {
    let is_builtin = |index| module.member_has(i.id, index, D::BuiltIn);
    let count = (0..i.operands.len() as u32).filter(|&index| is_builtin(index)).count();
    let fits = count == 0 || count == i.operands.len();
    module.demand(i, fits, "some members are built-in variables, others are not")?;
    let has_builtins = |ty| module.member_has(innermost(module, ty), 0, D::BuiltIn);
    let is_around = i.ids_from(0).any(has_builtins);
    module.demand(i, !is_around, "a structure of built-in variables is no member")
}

/// Variables that the outside of the shader sees hold no booleans, and blocks of built-in variables
/// are decorated as such.
fn visible(module: &Module, i: &Instruction) -> Result<(), Error> {
    let Kind::Pointer { class, pointee } = module.kind(i.ty) else { return Ok(()) };
    let is_memory = matches!(
        class,
        C::Uniform | C::StorageBuffer | C::PushConstant | C::AtomicCounter | C::Image
    );
    module.demand(i, !is_memory || !contains_bool(module, pointee), "memory holds no booleans")?;
    let contents = innermost(module, pointee);
    let is_interface =
        matches!(class, C::Input | C::Output) && module.kind(contents) == Kind::Struct;
    let has_builtins = module.member_has(contents, 0, D::BuiltIn);
    let is_plain =
        matches!(class, C::Input | C::Output) && !(has_builtins || module.has(i.id, D::BuiltIn));
    let holds_bool = is_plain && contains_bool(module, pointee);
    module.demand(i, !holds_bool, "inputs and outputs hold no booleans")?;
    let is_block = module.has(contents, D::Block);
    module.demand(i, !(is_interface && has_builtins) || is_block, "built-in members need a Block")
}

/// The type without arrays around it.
pub(crate) fn innermost(module: &Module, mut ty: u32) -> u32 {
    while let Kind::Array { element, .. } | Kind::RuntimeArray { element } = module.kind(ty) {
        ty = element;
    }
    ty
}

fn contains_bool(module: &Module, ty: u32) -> bool {
    match module.kind(ty) {
        Kind::Bool => true,
        Kind::Vector { component: part, .. }
        | Kind::Array { element: part, .. }
        | Kind::RuntimeArray { element: part } => contains_bool(module, part),
        Kind::Struct => module
            .get(ty)
            .is_some_and(|ty| ty.ids_from(0).any(|member| contains_bool(module, member))),
        _ => false,
    }
}

/// Blocks of memory have all offsets and strides.
fn block(module: &Module, i: &Instruction) -> Result<(), Error> {
    let Kind::Pointer { class, pointee } = module.kind(i.ty) else { return Ok(()) };
    let pointee = innermost(module, pointee);
    let has_shared = module.capabilities.contains(&Capability::WorkgroupMemoryExplicitLayoutKHR);
    let is_memory = matches!(class, C::Uniform | C::StorageBuffer | C::PushConstant);
    if !(is_memory || class == C::Workgroup && has_shared) {
        return Ok(());
    }
    let is_block = module.has(pointee, D::Block) || module.has(pointee, D::BufferBlock);
    if !is_block || module.kind(pointee) != Kind::Struct {
        return Ok(());
    }
    structure(module, i, pointee)
}

fn structure(module: &Module, i: &Instruction, ty: u32) -> Result<(), Error> {
    let Some(definition) = module.get(ty) else { return Ok(()) };
    for (index, member) in (0..).zip(definition.ids_from(0)) {
        let has = |decoration| module.member_has(ty, index, decoration);
        let name = module.name(ty);
        module.demand(i, has(D::Offset), &format!("member {index} of {name} has no Offset"))?;
        if contains_matrix(module, member) {
            let is_ordered = has(D::RowMajor) || has(D::ColMajor);
            let message = format!("member {index} of {name} needs MatrixStride and an order");
            module.demand(i, has(D::MatrixStride) && is_ordered, &message)?;
        }
        part(module, i, member)?;
    }
    Ok(())
}

fn part(module: &Module, i: &Instruction, ty: u32) -> Result<(), Error> {
    match module.kind(ty) {
        Kind::Array { element, .. } | Kind::RuntimeArray { element } => {
            let stride = module.literal(ty, D::ArrayStride).unwrap_or(0);
            let message = format!("{} has no ArrayStride", module.name(ty));
            module.demand(i, stride != 0, &message)?;
            part(module, i, element)
        }
        Kind::Struct => structure(module, i, ty),
        _ => Ok(()),
    }
}

fn contains_matrix(module: &Module, ty: u32) -> bool {
    match module.kind(ty) {
        Kind::Matrix { .. } => true,
        Kind::Array { element, .. } | Kind::RuntimeArray { element } => {
            contains_matrix(module, element)
        }
        _ => false,
    }
}
