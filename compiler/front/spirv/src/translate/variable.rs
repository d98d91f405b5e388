//! Global variables and their decorations.

use program::layout::varying_slots;
use program::variable::{
    BlockQualifiers, DepthLayout, ImageFormat, InterpolationMode, LayoutQualifiers,
    MemoryQualifiers, Packing, SampleLocation,
};
use program::{
    ArrayLength, BuiltinVariable, Global, GlobalId, Interpolation, Stage, Storage, Type, TypeId,
};
use rspirv::spirv::{self, Decoration as D, ExecutionMode, Op, StorageClass as C};

use super::place::{Computed, Parts, Place, Root};
use super::state::{ShaderBuilder, Value};
use crate::entry::Api;
use crate::error::Error;
use crate::module::{Decorated, Instruction, Module, literal};

/// Word of SPIR-V 1.6.
const VERSION_1_6: u32 = 0x1_0600;
/// Largest location, and largest number of a feedback buffer.
const MOST_NUMBER: u32 = 1 << 16;

/// Decorations of a variable, or of a member with those of its block.
#[derive(Clone, Copy)]
struct Decorations<'m> {
    own: &'m [Decorated],
    outer: &'m [Decorated],
}

impl Decorations<'_> {
    fn has(&self, decoration: D) -> bool {
        self.own.iter().chain(self.outer).any(|d| d.decoration == decoration)
    }

    fn literal(&self, decoration: D) -> Option<u32> {
        literal(self.own, decoration).or_else(|| literal(self.outer, decoration))
    }
}

impl ShaderBuilder<'_> {
    /// Makes the variables that an entry point has.
    pub(crate) fn variables(&mut self, entry: u32) -> Result<(), Error> {
        for id in self.used_variables(entry)? {
            let Some(definition) = self.module.get(id) else { continue };
            let root = self.variable(definition)?;
            self.values.insert(id, Value::Pointer(Place::new(root)));
        }
        Ok(())
    }

    fn variable(&mut self, definition: &Instruction) -> Result<Root, Error> {
        let class = definition.literal_at(0).and_then(C::from_u32);
        let ty = self.pointee(definition, definition.ty)?;
        let storage = match class {
            Some(C::Input) => return self.interface(definition, ty, Storage::Input),
            Some(C::Output) => return self.interface(definition, ty, Storage::Output),
            Some(C::UniformConstant) if self.is_separate(definition, ty) => {
                return Ok(Root::Apart(definition.id, None));
            }
            // glslang makes a constant of `gl_SubGroupSizeARB`, which ARB_shader_ballot has as a
            // uniform.
            Some(C::UniformConstant) if self.module.has(definition.id, D::BuiltIn) => {
                return self.interface(definition, ty, Storage::Input);
            }
            Some(C::UniformConstant) => return self.uniform(definition, ty),
            Some(C::AtomicCounter) => return self.counter(definition, ty),
            Some(C::Uniform) if self.is_buffer(ty) => {
                return self.block(definition, ty, Storage::Buffer);
            }
            Some(C::Uniform) => return self.block(definition, ty, Storage::Uniform),
            Some(C::PushConstant) => return self.block(definition, ty, Storage::Uniform),
            Some(C::StorageBuffer) => return self.block(definition, ty, Storage::Buffer),
            Some(C::Private) => Storage::Private,
            Some(C::Workgroup) if self.module.has(ty, D::Block) => {
                return self.block(definition, ty, Storage::Shared);
            }
            Some(C::Workgroup) => Storage::Shared,
            _ => return Err(self.unsupported(definition, format!("storage class {class:?} is"))),
        };
        let ty = self.type_id(definition, ty)?;
        self.check_size(definition, ty)?;
        let name = self.variable_name(definition.id);
        let mut global = Global::new(&name, ty, storage);
        global.initializer = self.initializer(definition)?;
        Ok(Root::Global(self.shader.globals.push(global)))
    }

    fn initializer(&mut self, definition: &Instruction) -> Result<Option<program::ExprId>, Error> {
        match definition.id_at(1) {
            Some(id) if self.is_constant(id) => Ok(Some(self.constant(id)?)),
            Some(_) => Err(self.unsupported(definition, "a variable as initializer is")),
            None => Ok(None),
        }
    }

    /// True for blocks of storage buffers as SPIR-V 1.0 has them.
    fn is_buffer(&self, ty: u32) -> bool {
        self.module.has(self.innermost(ty), D::BufferBlock)
    }

    /// The type without arrays around it.
    pub(crate) fn innermost(&self, mut ty: u32) -> u32 {
        while let Some(array) = self.module.get(ty)
            && matches!(array.op, Op::TypeArray | Op::TypeRuntimeArray)
            && let Some(element) = array.id_at(0)
        {
            ty = element;
        }
        ty
    }

    fn memory(&self, id: u32) -> MemoryQualifiers {
        let has = |decoration| self.module.has(id, decoration);
        MemoryQualifiers {
            coherent: has(D::Coherent),
            volatile: has(D::Volatile),
            restrict: has(D::Restrict),
            read_only: has(D::NonWritable),
            write_only: has(D::NonReadable),
        }
    }

    /// A uniform or storage block. Blocks of one binding are one block in all stages.
    fn block(
        &mut self,
        definition: &Instruction,
        ty: u32,
        storage: Storage,
    ) -> Result<Root, Error> {
        let contents = self.innermost(ty);
        if !matches!(self.module.get(contents).map(|i| i.op), Some(Op::TypeStruct)) {
            return Err(self.module.error(definition, "a block that is no structure"));
        }
        let layout = self.layout(definition, contents)?;
        let ty = self.type_id(definition, ty)?;
        let binding = self.module.literal(definition.id, D::Binding);
        let is_pushed = definition.literal_at(0).and_then(C::from_u32) == Some(C::PushConstant);
        let (name, has_instance) = self.block_name(definition.id, contents);
        let mut global = Global::new(&name, ty, storage);
        global.block = Some(BlockQualifiers {
            name: name.into(),
            has_instance,
            packing: Packing::Explicit(layout),
            order: program::types::MatrixOrder::ColumnMajor,
            align: None,
        });
        global.layout.binding = binding;
        global.layout.set = self.set(definition.id);
        global.layout.push_constant = is_pushed;
        global.memory = self.memory(definition.id);
        Ok(Root::Global(self.shader.globals.push(global)))
    }

    /// The descriptor set of a variable; none in OpenGL.
    pub(crate) fn set(&self, id: u32) -> Option<u32> {
        let set = self.module.literal(id, D::DescriptorSet);
        (self.api == Api::Vulkan).then(|| set.unwrap_or(0))
    }

    /// A uniform of the default block, a sampler or an image. Uniforms of one location are one
    /// uniform in all stages.
    fn uniform(&mut self, definition: &Instruction, ty: u32) -> Result<Root, Error> {
        let format = self.image_format(self.innermost(ty));
        let ty = self.type_id(definition, ty)?;
        let location = self.module.literal(definition.id, D::Location);
        let binding = self.module.literal(definition.id, D::Binding);
        let name = self.uniform_name(definition.id);
        let mut global = Global::new(&name, ty, Storage::Uniform);
        global.layout = LayoutQualifiers {
            location,
            binding,
            set: self.set(definition.id),
            image_format: format,
            ..LayoutQualifiers::default()
        };
        global.memory = self.memory(definition.id);
        global.initializer = self.initializer(definition)?;
        Ok(Root::Global(self.shader.globals.push(global)))
    }

    /// The initializer of a member of an interface block.
    fn member_initializer(
        &mut self,
        block: InterfaceBlock<'_>,
        member: u32,
        ty: TypeId,
    ) -> Result<Option<program::ExprId>, Error> {
        let definition = block.definition;
        let Some(id) = definition.id_at(1) else { return Ok(None) };
        let value = self.definition(definition, id)?;
        let is_block = matches!(self.module.get(value.ty).map(|ty| ty.op), Some(Op::TypeStruct));
        match value.op {
            Op::ConstantNull => Ok(Some(self.zero(definition, ty)?)),
            Op::ConstantComposite if is_block => {
                let part = self.id(value, member as usize)?;
                Ok(Some(self.constant(part)?))
            }
            _ => Err(self.unsupported(definition, "the initializer of an array of blocks is")),
        }
    }

    fn image_format(&self, ty: u32) -> Option<ImageFormat> {
        let image = self.module.get(ty).filter(|i| i.op == Op::TypeImage)?;
        let format = spirv::ImageFormat::from_u32(image.literal_at(6)?)?;
        let name = match format {
            spirv::ImageFormat::R11fG11fB10f => "r11f_g11f_b10f".to_owned(),
            spirv::ImageFormat::Rgb10A2 => "rgb10_a2".to_owned(),
            spirv::ImageFormat::Rgb10a2ui => "rgb10_a2ui".to_owned(),
            other => {
                let name = format!("{other:?}").to_lowercase();
                name.strip_suffix("snorm").map(|base| format!("{base}_snorm")).unwrap_or(name)
            }
        };
        ImageFormat::from_name(&name)
    }

    /// An atomic counter, which a module declares as an integer.
    fn counter(&mut self, definition: &Instruction, ty: u32) -> Result<Root, Error> {
        let ty = self.type_id(definition, ty)?;
        let ty = self.counter_type(ty);
        let literal = |decoration| self.module.literal(definition.id, decoration);
        let (binding, offset) = (literal(D::Binding).unwrap_or(0), literal(D::Offset).unwrap_or(0));
        let name = self.counter_name(definition.id, binding, offset);
        let mut global = Global::new(&name, ty, Storage::Uniform);
        global.layout.binding = Some(binding);
        global.layout.offset = Some(offset);
        Ok(Root::Global(self.shader.globals.push(global)))
    }

    fn counter_type(&mut self, ty: TypeId) -> TypeId {
        match *self.types.get(ty) {
            Type::Array { element, length } => {
                let element = self.counter_type(element);
                self.types.array(element, length)
            }
            _ => self.types.intern(Type::AtomicCounter),
        }
    }

    /// An input or output.
    fn interface(
        &mut self,
        definition: &Instruction,
        ty: u32,
        storage: Storage,
    ) -> Result<Root, Error> {
        let module = self.module;
        let own = module.decorations(definition.id);
        let decorations = Decorations { own, outer: &[] };
        self.check_numbers(definition, decorations)?;
        if let Some(computed) = computed(decorations, module) {
            return Ok(Root::Computed(computed));
        }
        let contents = self.innermost(ty);
        let is_block = module.has(contents, D::Block);
        if !is_block || self.is_per_vertex_builtin(contents, ty, storage, decorations) {
            let ty = self.type_id(definition, ty)?;
            let name = self.interface_name(definition.id);
            let mut global = self.interface_global(definition, &name, ty, storage, decorations)?;
            if storage == Storage::Output {
                global.initializer = self.initializer(definition)?;
            }
            return Ok(Root::Global(self.shader.globals.push(global)));
        }
        let is_per_vertex = storage.is_per_vertex(self.stage) && !decorations.has(D::Patch);
        let vertices = match self.module.get(ty).map(|i| (i.op, i)) {
            Some((Op::TypeArray, array)) if is_per_vertex => {
                let length = self.id(array, 1)?;
                Some(self.integer_constant(array, length)? as u32)
            }
            _ => None,
        };
        let inner = match vertices {
            Some(_) => module.get(ty).and_then(|array| array.id_at(0)).unwrap_or(ty),
            None => ty,
        };
        let mut location = module.literal(definition.id, D::Location);
        let mut buffer = 0;
        let block = InterfaceBlock { definition, storage, vertices, element: None };
        let parts = self.block_parts(block, inner, &mut location, &mut buffer)?;
        let parts = if vertices.is_some() { Parts::PerVertex(Box::new(parts)) } else { parts };
        Ok(Root::Parts(Box::new(parts)))
    }

    /// True for the array of `gl_PerVertex` that a stage reads, or the control stage writes.
    fn is_per_vertex_builtin(
        &self,
        contents: u32,
        ty: u32,
        storage: Storage,
        decorations: Decorations<'_>,
    ) -> bool {
        let is_array = contents != ty && storage.is_per_vertex(self.stage);
        is_array && !decorations.has(D::Patch) && self.module.member_has(contents, 0, D::BuiltIn)
    }

    /// The variables of a block's members, or of the blocks of an array: each element of such has
    /// the next locations and feedback buffer.
    fn block_parts(
        &mut self,
        block: InterfaceBlock<'_>,
        ty: u32,
        location: &mut Option<u32>,
        buffer: &mut u32,
    ) -> Result<Parts, Error> {
        let definition = self.definition(block.definition, ty)?;
        if definition.op == Op::TypeArray {
            let (element, length) = (self.id(definition, 0)?, self.id(definition, 1)?);
            let length = self.integer_constant(definition, length)?.min(256);
            let mut list = Vec::new();
            for index in 0..length {
                let block = InterfaceBlock { element: Some(index as u32), ..block };
                list.push(self.block_parts(block, element, location, buffer)?);
                *buffer += 1;
            }
            return Ok(Parts::Elements(list));
        }
        let module = self.module;
        let base = module.member_literal(ty, 0, D::Location);
        let first = *location;
        let mut list = Vec::new();
        for (index, member) in (0..).zip(definition.ids_from(0)) {
            let own = module.member_decorations(ty, index);
            let outer = module.decorations(block.definition.id);
            let decorations = Decorations { own, outer };
            self.check_numbers(block.definition, decorations)?;
            let mut ty = self.type_id(definition, member)?;
            let slots = varying_slots(self.types, ty);
            if let Some(vertices) = block.vertices {
                ty = self.types.array(ty, ArrayLength::Fixed(vertices));
            }
            let name =
                self.member_variable_name(block.definition.id, definition, index, block.element);
            let mut global =
                self.interface_global(block.definition, &name, ty, block.storage, decorations)?;
            global.initializer = self.member_initializer(block, index, ty)?;
            let given = literal(own, D::Location);
            let element = first.zip(base).map_or(0, |(first, base)| first.saturating_sub(base));
            let place = given
                .map(|given| given + element)
                .or(*location)
                .filter(|_| global.builtin.is_none());
            global.layout.location = place;
            *location = place.map(|place| place + slots).or(*location);
            global.layout.xfb_buffer = global.layout.xfb_buffer.map(|first| first + *buffer);
            list.push(Parts::Leaf(self.shader.globals.push(global)));
        }
        Ok(Parts::Members(list))
    }

    /// Refuses numbers of the interface that are beyond all limits: sums of others do not overflow.
    fn check_numbers(
        &self,
        definition: &Instruction,
        decorations: Decorations<'_>,
    ) -> Result<(), Error> {
        for decoration in [D::Location, D::XfbBuffer] {
            if let Some(number) = decorations.literal(decoration).filter(|&n| n > MOST_NUMBER) {
                let what = format!("{decoration:?} {number} is");
                return Err(self.unsupported(definition, what));
            }
        }
        Ok(())
    }

    /// A variable of the interface with its decorations.
    fn interface_global(
        &mut self,
        definition: &Instruction,
        name: &str,
        ty: TypeId,
        storage: Storage,
        decorations: Decorations<'_>,
    ) -> Result<Global, Error> {
        let class = if storage == Storage::Input { C::Input } else { C::Output };
        let mut global = Global::new(name, ty, storage);
        global.builtin = match decorations.literal(D::BuiltIn) {
            Some(word) => Some(self.builtin_of(definition, word, Some(class))?),
            None => self.per_vertex(ty, storage),
        };
        match global.builtin {
            Some(builtin) => global.name = builtin.name().into(),
            None if self.stage == Stage::Compute => {
                let what = "an input or output of a compute shader that is not built in is";
                return Err(self.unsupported(definition, what));
            }
            None => {}
        }
        global.interpolation = interpolation(decorations);
        global.invariant = decorations.has(D::Invariant);
        let literal = |decoration| decorations.literal(decoration);
        let is_captured = storage == Storage::Output && self.stage != Stage::Fragment;
        global.layout = LayoutQualifiers {
            location: literal(D::Location).filter(|_| global.builtin.is_none()),
            component: literal(D::Component),
            index: literal(D::Index),
            stream: literal(D::Stream),
            xfb_buffer: literal(D::XfbBuffer).filter(|_| is_captured),
            xfb_offset: literal(D::Offset).filter(|_| is_captured),
            xfb_stride: literal(D::XfbStride).filter(|_| is_captured),
            ..LayoutQualifiers::default()
        };
        if let (Some(buffer), Some(stride)) = (global.layout.xfb_buffer, global.layout.xfb_stride)
            && let Some(place) = self.shader.layout.xfb_stride.get_mut(buffer as usize)
        {
            *place = Some(stride);
        }
        match global.builtin {
            Some(BuiltinVariable::FragCoord) => {
                // Vulkan's rows are counted from the upper one everywhere.
                let is_turned = self.api != Api::Vulkan;
                global.layout.origin_upper_left =
                    is_turned && self.has_mode(ExecutionMode::OriginUpperLeft);
                global.layout.pixel_center_integer =
                    self.has_mode(ExecutionMode::PixelCenterInteger);
            }
            Some(BuiltinVariable::FragDepth) => global.layout.depth = self.depth_layout(),
            _ => {}
        }
        Ok(global)
    }

    fn per_vertex(&self, ty: TypeId, storage: Storage) -> Option<BuiltinVariable> {
        let members = self.types.members(self.types.without_arrays(ty))?;
        members.first()?.builtin?;
        Some(match storage {
            Storage::Input => BuiltinVariable::PerVertexIn,
            _ => BuiltinVariable::PerVertexOut,
        })
    }

    fn depth_layout(&self) -> Option<DepthLayout> {
        [
            (ExecutionMode::DepthGreater, DepthLayout::Greater),
            (ExecutionMode::DepthLess, DepthLayout::Less),
            (ExecutionMode::DepthUnchanged, DepthLayout::Unchanged),
        ]
        .into_iter()
        .find(|(mode, _)| self.has_mode(*mode))
        .map(|(_, layout)| layout)
    }

    /// The variable that an id is.
    pub(crate) fn global_of(&self, id: GlobalId) -> &Global {
        &self.shader.globals[id]
    }
}

/// An interface block.
#[derive(Clone, Copy)]
struct InterfaceBlock<'m> {
    definition: &'m Instruction,
    storage: Storage,
    /// Number of vertices if it has an element for each.
    vertices: Option<u32>,
    /// Its number in an array of blocks.
    element: Option<u32>,
}

/// The variable as one that is computed. From SPIR-V 1.6 on a demotion changes `HelperInvocation`,
/// which is volatile therefore.
fn computed(decorations: Decorations<'_>, module: &Module) -> Option<Computed> {
    use BuiltinVariable as V;
    use spirv::BuiltIn as B;
    Some(match B::from_u32(decorations.literal(D::BuiltIn)?)? {
        B::SubgroupId => Computed::OwnSubgroup,
        B::NumSubgroups => Computed::SubgroupCount,
        B::HelperInvocation if module.version >= VERSION_1_6 => Computed::Helper,
        B::SubgroupEqMask => Computed::Mask(V::SubGroupEqMask),
        B::SubgroupGeMask => Computed::Mask(V::SubGroupGeMask),
        B::SubgroupGtMask => Computed::Mask(V::SubGroupGtMask),
        B::SubgroupLeMask => Computed::Mask(V::SubGroupLeMask),
        B::SubgroupLtMask => Computed::Mask(V::SubGroupLtMask),
        _ => return None,
    })
}

fn interpolation(decorations: Decorations<'_>) -> Interpolation {
    let mode = if decorations.has(D::Flat) {
        InterpolationMode::Flat
    } else if decorations.has(D::NoPerspective) {
        InterpolationMode::NoPerspective
    } else {
        InterpolationMode::Default
    };
    let location = if decorations.has(D::Sample) {
        SampleLocation::Sample
    } else if decorations.has(D::Centroid) {
        SampleLocation::Centroid
    } else {
        SampleLocation::Center
    };
    Interpolation { mode, location, patch: decorations.has(D::Patch) }
}
