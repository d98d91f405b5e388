//! Interface blocks.

use crate::checker::{Check, Checker};
use crate::qualifiers::layout_target::LayoutTarget;
use crate::qualifiers::qualifier::{Qualifiers, StorageQualifier};
use crate::scope::Entity;
use glsl_syntax::ast;
use glsl_syntax::source::Span;
use program::layout::Rules;
use program::types::{MatrixOrder, Member, StructType};
use program::variable::{
    BlockQualifiers, Interpolation, InterpolationMode, LayoutQualifiers, MemoryQualifiers, Packing,
    Precision as LinkPrecision,
};
use program::{ArrayLength, Scalar, Stage, Storage, Type, TypeId, TypeTable};
use rustc_hash::FxHashSet;

impl<'a> Checker<'a> {
    pub(crate) fn block_declaration(&mut self, id: ast::BlockId, span: Span) -> Check<()> {
        let block = self.unit.blocks[id];
        let outcome = self.declare_block(block, span);
        if outcome.is_err() {
            match block.instance {
                Some(instance) => self.declare_unknown(instance),
                None => self.member_names(&block).for_each(|name| self.declare_unknown(name)),
            }
        }
        outcome
    }

    fn declare_block(&mut self, block: ast::InterfaceBlock, span: Span) -> Check<()> {
        let qualifiers = self.qualifiers(block.qualifiers)?;
        let name = self.text(block.name.symbol);
        let (storage, word) = self.block_storage(&qualifiers, block.name.span)?;
        self.check_block_qualifiers(storage, &qualifiers)?;
        self.check_instance_name(block.instance)?;
        if name == "gl_PerVertex" {
            return self.redeclare_per_vertex(&block, storage, span);
        }
        if name.starts_with("gl_") {
            return self.error(
                block.name.span,
                format!("`{name}`: names that start with gl_ are reserved"),
            );
        }
        self.check_no_type(block.name)?;
        self.check_layout_target(&qualifiers, LayoutTarget::Block)?;
        let (packing, order) = self.block_defaults(word);
        let packing = qualifiers.layout.packing.unwrap_or(packing);
        let order = qualifiers.layout.order.unwrap_or(order);
        if packing == Packing::Std430 && storage != Storage::Buffer {
            return self.error(qualifiers.span, "std430 is for storage blocks");
        }
        let (members, precisions) = self.block_members(&block, storage, &qualifiers, order)?;
        let scope = self.struct_scopes.get(name).copied().unwrap_or(0);
        let content = Type::Struct(StructType { name: name.into(), members, scope });
        let content = self.types.intern(content);
        let members = self.types.members(content).unwrap_or_default().to_vec();
        self.check_weight(&members, content, block.name.span)?;
        let declared = qualifiers.layout.packing.is_some()
            || storage == Storage::Buffer && self.defaults.buffer_packing_declared;
        // Without a declaration the packing is `shared`, of which std430 is a case.
        let declared =
            if declared || storage == Storage::Uniform { packing } else { Packing::Shared };
        self.check_offsets(content, declared, block.name.span)?;
        let ty = self.array_type(content, block.dims, span)?;
        if self.blocks.contains(&(storage, block.name.symbol)) {
            return self.error(block.name.span, format!("block `{name}` is already declared"));
        }
        let is_block = self.block_names.contains(&block.name.symbol);
        if self.scopes.find_global(block.name.symbol).is_some() && !is_block {
            return self
                .error(block.name.span, format!("`{name}` is already declared in this scope"));
        }
        self.check_block_array(storage, &qualifiers, ty, block.name.span)?;
        let instance = block.instance.map_or(name, |n| self.text(n.symbol));
        let mut global = self.new_global(instance, ty, storage, &qualifiers, block.name.span);
        global.block = Some(BlockQualifiers {
            name: name.into(),
            has_instance: block.instance.is_some(),
            packing,
            order,
            align: qualifiers.layout.align,
        });
        if storage == Storage::Output && global.layout.xfb_buffer.is_none() {
            global.layout.xfb_buffer = self.defaults.xfb_buffer;
        }
        self.set_xfb_stride(&qualifiers.layout.variable, block.name.span)?;
        self.check_captured(content, global.layout.xfb_offset, block.name.span)?;
        let id = self.shader.globals.push(global);
        self.note_unsized_members(&block, id, &members);
        self.blocks.insert((storage, block.name.symbol));
        self.block_names.insert(block.name.symbol);
        self.size_per_vertex(id, span)?;
        self.shader.precisions[id] = precisions;
        match block.instance {
            Some(instance) => {
                self.check_new_name(instance)?;
                self.check_no_block_name(instance)?;
                self.declare_global(instance, Entity::Global(id))
            }
            None => self.declare_members(&block, id),
        }
    }

    /// Blocks have instance names since GLSL 1.50 and GLSL ES 3.00 (section 4.3.7 of both).
    fn check_instance_name(&mut self, instance: Option<ast::Name>) -> Check<()> {
        match instance {
            Some(name) if !self.language.at_least(150, 300) => self.error(
                name.span,
                format!(
                    "instance name `{}`: blocks have none before GLSL 1.50",
                    self.text(name.symbol)
                ),
            ),
            _ => Ok(()),
        }
    }

    /// A block has a storage qualifier, optionally `patch`, memory and layout qualifiers; the
    /// others are for its members (GLSL 4.60 section 4.3.9). Only `precise` applies to each member
    /// of a block (section 4.9.1), which the grammar allows.
    fn check_block_qualifiers(&mut self, storage: Storage, q: &Qualifiers) -> Check<()> {
        let patch = Interpolation { patch: q.interpolation.patch, ..Interpolation::default() };
        self.check_patch(storage, q, q.span)?;
        if q.memory != MemoryQualifiers::default() && q.storage != Some(StorageQualifier::Buffer) {
            return self.error(q.span, "memory qualifiers are for images and storage blocks");
        }
        if q.interpolation != patch
            || q.invariant
            || q.constant
            || q.precision.is_some()
            || q.subroutine.is_some()
        {
            return self
                .error(q.span, "this qualifier is for members of a block, not for the block");
        }
        Ok(())
    }

    fn declare_global(&mut self, name: ast::Name, entity: Entity) -> Check<()> {
        let text = self.text(name.symbol);
        if self.scopes.find_here(name.symbol).is_some() {
            return self.error(name.span, format!("`{text}` is already declared in this scope"));
        }
        self.check_no_block_name(name)?;
        self.scopes.declare(name.symbol, entity);
        Ok(())
    }

    fn declare_members(&mut self, block: &ast::InterfaceBlock, id: program::GlobalId) -> Check<()> {
        for (index, name) in (0..).zip(self.member_names(block)) {
            self.declare_global(name, Entity::BlockMember(id, index))?;
        }
        Ok(())
    }

    pub(crate) fn member_names(
        &self,
        block: &ast::InterfaceBlock,
    ) -> impl Iterator<Item = ast::Name> + use<'a> {
        let unit = self.unit;
        let members = unit.list(block.members).iter();
        let declarators = members.flat_map(|&member| unit.list(unit.members[member].declarators));
        declarators.map(|&declarator| unit.declarators[declarator].name)
    }

    /// A block's name has no other meaning in global scope (GLSL 4.60 section 4.3.9).
    pub(crate) fn check_no_block_name(&mut self, name: ast::Name) -> Check<()> {
        let text = self.text(name.symbol);
        if self.scopes.is_global() && self.block_names.contains(&name.symbol) {
            return self.error(name.span, format!("`{text}` is the name of a block"));
        }
        Ok(())
    }

    fn block_storage(
        &mut self,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Check<(Storage, StorageQualifier)> {
        let language = &self.language;
        let uniform =
            language.at_least(140, 300) || language.extension("ARB_uniform_buffer_object");
        let buffer =
            language.at_least(430, 310) || language.extension("ARB_shader_storage_buffer_object");
        let interface = language.at_least(150, 320)
            || language.any_extension(&[
                "EXT_shader_io_blocks",
                "OES_shader_io_blocks",
                "EXT_geometry_shader",
                "OES_geometry_shader",
                "EXT_tessellation_shader",
                "OES_tessellation_shader",
                "ARB_tessellation_shader",
            ]);
        let stage = language.stage;
        let message = match qualifiers.storage {
            Some(StorageQualifier::Uniform) if uniform => {
                return Ok((Storage::Uniform, StorageQualifier::Uniform));
            }
            Some(StorageQualifier::Buffer) if buffer => {
                return Ok((Storage::Buffer, StorageQualifier::Buffer));
            }
            Some(StorageQualifier::In) if stage == Stage::Vertex => {
                "vertex shaders have no input blocks"
            }
            Some(StorageQualifier::Out) if stage == Stage::Fragment => {
                "fragment shaders have no output blocks"
            }
            Some(StorageQualifier::In | StorageQualifier::Out) if stage == Stage::Compute => {
                "compute shaders have no input and output blocks"
            }
            Some(StorageQualifier::In) if interface => {
                return Ok((Storage::Input, StorageQualifier::In));
            }
            Some(StorageQualifier::Out) if interface => {
                return Ok((Storage::Output, StorageQualifier::Out));
            }
            Some(
                StorageQualifier::Uniform
                | StorageQualifier::Buffer
                | StorageQualifier::In
                | StorageQualifier::Out,
            ) => "interface blocks of this kind are not available in this version",
            _ => "an interface block must be uniform, buffer, in or out",
        };
        self.error(span, message)
    }

    fn check_block_array(
        &mut self,
        storage: Storage,
        q: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let stage = self.language.stage;
        let per_vertex = storage.is_per_vertex(stage);
        let array = self.types.array_of(ty);
        if per_vertex && !q.interpolation.patch && array.is_none() {
            return self.error(span, "a block with one value per vertex must be an array");
        }
        let sized_by_vertices = per_vertex && !q.interpolation.patch;
        if !sized_by_vertices && matches!(array, Some((_, ArrayLength::Unsized))) {
            return self.error(span, "an array of blocks needs a size");
        }
        let own = array.filter(|_| sized_by_vertices).map_or(ty, |(element, _)| element);
        if self.language.es
            && self.types.array_of(own).is_some_and(|(e, _)| self.types.array_of(e).is_some())
        {
            return self.error(span, "arrays of arrays of blocks are not available in ES");
        }
        if q.layout.variable.binding.is_some()
            && !matches!(storage, Storage::Uniform | Storage::Buffer)
        {
            return self.error(span, "`binding` is for opaque uniforms and blocks");
        }
        if let Some(binding) = q.layout.variable.binding {
            let name = match storage {
                Storage::Uniform => "GL_MAX_UNIFORM_BUFFER_BINDINGS",
                _ => "GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS",
            };
            let count = program::layout::block_instances(self.types, ty);
            self.check_binding(binding, count, (name, 84), span)?;
        }
        if q.layout.variable.location.is_some()
            && matches!(storage, Storage::Uniform | Storage::Buffer)
        {
            return self.error(span, "`location` is not for uniform and storage blocks");
        }
        Ok(())
    }

    /// Returns the members of a block, and the precisions of their leaves.
    fn block_members(
        &mut self,
        block: &ast::InterfaceBlock,
        storage: Storage,
        outer: &Qualifiers,
        order: MatrixOrder,
    ) -> Check<(Vec<Member>, Vec<LinkPrecision>)> {
        let unit = self.unit;
        let list = unit.list(block.members);
        let mut members: Vec<Member> = Vec::new();
        let mut precisions = Vec::new();
        let mut names = FxHashSet::default();
        let mut next_location = outer.layout.variable.location;
        let mut located = 0;
        for (i, &id) in list.iter().enumerate() {
            let member = unit.members[id];
            let qualifiers = self.qualifiers(member.qualifiers)?;
            self.check_member_qualifiers(&qualifiers, storage, outer)?;
            self.check_layout_target(&qualifiers, LayoutTarget::Member)?;
            if matches!(unit.types[member.ty].kind, ast::TypeKind::Struct(_)) {
                return self.error(member.span, "structures cannot be defined inside blocks");
            }
            let base = self.type_spec(member.ty)?;
            let declarators = unit.list(member.declarators);
            for (j, &declarator) in declarators.iter().enumerate() {
                let declarator = unit.declarators[declarator];
                let text = self.text(declarator.name.symbol);
                let span = declarator.name.span;
                let mut ty = self.array_type(base, declarator.dims, span)?;
                let last = i + 1 == list.len() && j + 1 == declarators.len();
                if let Some((element, ArrayLength::Unsized)) = self.types.array_of(ty)
                    && storage == Storage::Buffer
                {
                    // Linking sizes the others by their largest constant index.
                    if last {
                        ty = self.types.array(element, ArrayLength::Runtime);
                    }
                }
                self.check_sized(Storage::Private, &qualifiers, ty, span)?;
                if ty == TypeTable::VOID || self.types.contains_opaque(ty) {
                    let bindless = self.language.has_handles() && ty != TypeTable::VOID;
                    if !bindless {
                        return self.error(
                            span,
                            format!("member `{text}` of a block cannot have this type"),
                        );
                    }
                }
                if text.starts_with("gl_") {
                    return self
                        .error(span, format!("`{text}`: names that start with gl_ are reserved"));
                }
                self.check_no_type(declarator.name)?;
                if !names.insert(declarator.name.symbol) {
                    return self.error(span, format!("member `{text}` is declared twice"));
                }
                self.check_precision(ty, &qualifiers, span)?;
                self.check_flat_member(storage, ty, &qualifiers, outer, span)?;
                let interface = matches!(storage, Storage::Input | Storage::Output);
                if interface && self.contains_bool(ty) {
                    return self.error(span, "inputs and outputs cannot be bool");
                }
                let mut captured = qualifiers.layout.variable;
                captured.xfb_buffer = captured.xfb_buffer.or(outer.layout.variable.xfb_buffer);
                self.set_xfb_stride(&captured, span)?;
                let mut result = Member::new(text, ty);
                result.order = qualifiers.layout.order.unwrap_or(order);
                result.offset = qualifiers.layout.variable.offset;
                result.align = qualifiers.layout.align.or(outer.layout.align);
                located += usize::from(qualifiers.layout.variable.location.is_some());
                next_location = qualifiers.layout.variable.location.or(next_location);
                result.location = next_location;
                if qualifiers.layout.variable.component.is_some() && next_location.is_none() {
                    return self.error(span, "`component` needs a `location`");
                }
                self.check_component(&qualifiers.layout.variable, ty, span)?;
                let slots = program::layout::varying_slots(self.types, ty);
                next_location = next_location.map(|l| l.saturating_add(slots));
                result.component = qualifiers.layout.variable.component;
                result.xfb_offset = qualifiers.layout.variable.xfb_offset;
                self.check_captured(ty, result.xfb_offset, span)?;
                result.interpolation = qualifiers.interpolation;
                result.memory = qualifiers.memory;
                result.memory.read_only |= outer.memory.read_only;
                result.memory.write_only |= outer.memory.write_only;
                result.memory.coherent |= outer.memory.coherent;
                result.memory.volatile |= outer.memory.volatile;
                members.push(result);
                precisions.append(&mut self.precisions_of(ty, &qualifiers));
            }
        }
        if located > 0 {
            self.check_member_locations(block, storage, outer, located == members.len())?;
        }
        if let Some(start) = outer.layout.variable.xfb_offset {
            self.place_captured(&mut members, start);
        }
        if members.is_empty() {
            return self.error(block.name.span, "a block needs members");
        }
        Ok((members, precisions))
    }

    /// Locations of members: of all of them or below the block's, and not where each element of an
    /// array of blocks needs its own (GLSL 4.60 section 4.4.1).
    fn check_member_locations(
        &mut self,
        block: &ast::InterfaceBlock,
        storage: Storage,
        outer: &Qualifiers,
        all: bool,
    ) -> Check<()> {
        let per_vertex = storage.is_per_vertex(self.language.stage) && !outer.interpolation.patch;
        let message = if !all && outer.layout.variable.location.is_none() {
            "all members of a block have a location, or none"
        } else if block.dims.len() > usize::from(per_vertex) {
            "members of an array of blocks cannot have locations"
        } else {
            return Ok(());
        };
        self.error(block.name.span, message)
    }

    /// Sets consecutive offsets of members of a block with `xfb_offset`.
    pub(crate) fn place_captured(&self, members: &mut [Member], start: u32) {
        let mut next = start;
        for member in members {
            let align =
                self.types.scalar_of(self.types.without_arrays(member.ty)).map_or(4, Scalar::bytes);
            let offset = member.xfb_offset.unwrap_or(next.div_ceil(align).saturating_mul(align));
            member.xfb_offset = Some(offset);
            next = offset.saturating_add(self.captured_bytes(member.ty));
        }
    }

    /// Checks the alignment of captured values at `offset`: a multiple of 8 bytes with 64-bit
    /// components, of 4 without (GLSL 4.60 section 4.4.2.1).
    pub(crate) fn check_captured(
        &mut self,
        ty: TypeId,
        offset: Option<u32>,
        span: Span,
    ) -> Check<()> {
        let align = if self.has_wide_components(ty) { 8 } else { 4 };
        if offset.is_some() && matches!(self.types.array_of(ty), Some((_, ArrayLength::Unsized))) {
            return self.error(span, "an array without a size cannot be captured");
        }
        let limit = self.capture_limit();
        match offset {
            Some(offset) if offset.saturating_add(self.captured_bytes(ty)) > limit => self.error(
                span,
                format!("transform feedback captures at most {limit} bytes per buffer"),
            ),
            Some(offset) if !offset.is_multiple_of(align) => {
                self.error(span, format!("xfb_offset {offset} must be a multiple of {align} here"))
            }
            _ => Ok(()),
        }
    }

    /// Maximum bytes per vertex in a transform feedback buffer.
    fn capture_limit(&self) -> u32 {
        let components =
            self.language.limit("GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS", 64);
        components.saturating_mul(4)
    }

    /// `xfb_stride` of a buffer: a multiple of 4 within the limit, and the same in every
    /// declaration (GLSL 4.60 section 4.4.2.1).
    pub(crate) fn set_xfb_stride(&mut self, layout: &LayoutQualifiers, span: Span) -> Check<()> {
        let Some(stride) = layout.xfb_stride else { return Ok(()) };
        let limit = self.capture_limit();
        if stride % 4 != 0 || stride > limit {
            return self
                .error(span, format!("xfb_stride {stride} must be a multiple of 4 up to {limit}"));
        }
        let buffer = layout.xfb_buffer.or(self.defaults.xfb_buffer).unwrap_or(0);
        let Some(slot) = self.shader.layout.xfb_stride.get_mut(buffer as usize) else {
            return Ok(());
        };
        match slot.replace(stride) {
            Some(other) if other != stride => self.error(
                span,
                format!("xfb_stride {stride} where buffer {buffer} has stride {other}"),
            ),
            _ => Ok(()),
        }
    }

    pub(crate) fn contains_bool(&self, ty: TypeId) -> bool {
        let inner = self.types.without_arrays(ty);
        match self.types.members(inner) {
            Some(members) => members.iter().any(|m| self.contains_bool(m.ty)),
            None => self.types.scalar_of(inner) == Some(Scalar::Bool),
        }
    }

    fn has_wide_components(&self, ty: TypeId) -> bool {
        match self.types.members(self.types.without_arrays(ty)) {
            Some(members) => members.iter().any(|m| self.has_wide_components(m.ty)),
            None => {
                self.types.scalar_of(self.types.without_arrays(ty)).is_some_and(|s| s.bits() == 64)
            }
        }
    }

    fn captured_bytes(&self, ty: TypeId) -> u32 {
        match self.types.get(ty) {
            Type::Array { element, length: ArrayLength::Fixed(n) } => {
                n.saturating_mul(self.captured_bytes(*element))
            }
            Type::Struct(s) => {
                s.members.iter().map(|m| self.captured_bytes(m.ty)).fold(0, u32::saturating_add)
            }
            _ => {
                self.types.scalar_of(ty).map_or(0, Scalar::bytes)
                    * u32::from(self.types.components(ty))
            }
        }
    }

    fn check_flat_member(
        &mut self,
        storage: Storage,
        ty: TypeId,
        inner: &Qualifiers,
        outer: &Qualifiers,
        span: Span,
    ) -> Check<()> {
        let whole = self.must_be_flat(ty);
        let flat = [inner, outer].iter().any(|q| q.interpolation.mode == InterpolationMode::Flat);
        if self.language.stage == Stage::Fragment && storage == Storage::Input && whole && !flat {
            let name = self.type_name(ty);
            return self.error(span, format!("a fragment input of type {name} must be flat"));
        }
        Ok(())
    }

    fn check_member_qualifiers(
        &mut self,
        q: &Qualifiers,
        storage: Storage,
        outer: &Qualifiers,
    ) -> Check<()> {
        let memory_block = matches!(storage, Storage::Uniform | Storage::Buffer);
        let bindless = self.language.has_handles();
        let old_input = storage == Storage::Input
            && self.language.stage != Stage::Vertex
            && !self.language.at_least(430, 300);
        // Piglit's tests of the extension rely on drivers, which take the word for nothing.
        let is_ignored = storage == Storage::Buffer
            && q.storage == Some(StorageQualifier::Shared)
            && self.language.extension("NV_shader_atomic_int64");
        let message = if q.constant {
            "a member of a block cannot be `const`"
        } else if q.subroutine.is_some() {
            "a member of a block cannot be a subroutine"
        } else if q.interpolation.patch && !outer.interpolation.patch {
            "a member is `patch` only if its block is"
        } else if q.invariant && storage != Storage::Output && !old_input {
            "only outputs can be invariant"
        } else if q.storage.is_some() && q.storage != outer.storage && !is_ignored {
            "a member's storage qualifier must be the block's"
        } else if q.layout.variable.offset.is_some() && !memory_block {
            "`offset` is for members of uniform and storage blocks"
        } else if q.layout.variable.offset.is_some() && !self.language.has_enhanced_layouts() {
            "`offset` of members needs GLSL 4.40 or ARB_enhanced_layouts"
        } else if q.layout.packing.is_some() {
            "members have no packing of their own"
        } else if q.layout.order.is_some() && !memory_block {
            "row_major and column_major are for uniform and storage blocks"
        } else if q.layout.variable.binding.is_some() {
            "members have no binding"
        } else if memory_block && q.interpolation != Default::default() {
            "interpolation qualifiers are for inputs and outputs"
        } else if q.memory != MemoryQualifiers::default() && storage != Storage::Buffer && !bindless
        {
            "memory qualifiers are for images and storage blocks"
        } else if q.layout.captures() && storage != Storage::Output {
            "transform feedback is for outputs"
        } else if q.layout.variable.stream.is_some_and(|s| s != self.block_stream(outer)) {
            "a member's stream must be the block's"
        } else if q.layout.variable.xfb_buffer.is_some_and(|b| b != self.block_xfb_buffer(outer)) {
            "a member's xfb_buffer must be the block's"
        } else if q.layout.variable.component.is_some() && memory_block {
            "`component` is for inputs and outputs"
        } else if q.layout.variable.location.is_some() && memory_block {
            "members of uniform and storage blocks have no location"
        } else {
            return Ok(());
        };
        self.error(q.span, message)
    }

    fn block_stream(&self, outer: &Qualifiers) -> u32 {
        outer.layout.variable.stream.or(self.defaults.stream).unwrap_or(0)
    }

    fn block_xfb_buffer(&self, outer: &Qualifiers) -> u32 {
        outer.layout.variable.xfb_buffer.or(self.defaults.xfb_buffer).unwrap_or(0)
    }

    /// Explicit offsets must respect alignment and not go back (GLSL 4.60 section 4.4.5).
    fn check_offsets(&mut self, content: TypeId, packing: Packing, span: Span) -> Check<()> {
        let members: Vec<Member> = self.types.members(content).unwrap_or_default().to_vec();
        if members.iter().all(|m| m.offset.is_none() && m.align.is_none()) {
            return Ok(());
        }
        if matches!(packing, Packing::Shared | Packing::Packed) {
            return self.error(span, "`offset` and `align` need std140 or std430");
        }
        let rules = Rules::from(packing);
        let mut end = 0;
        for member in &members {
            let alignment = rules.alignment(self.types, member.ty, member.order).max(1);
            if let Some(offset) = member.offset {
                if offset % alignment != 0 {
                    let message = format!(
                        "offset {offset} of `{}` is not a multiple of {alignment}",
                        member.name
                    );
                    return self.error(span, message);
                }
                if offset < end {
                    return self.error(
                        span,
                        format!("offset {offset} of `{}` overlaps another member", member.name),
                    );
                }
            }
            let alignment = alignment.max(member.align.unwrap_or(1));
            let offset = member.offset.unwrap_or(end).div_ceil(alignment).saturating_mul(alignment);
            end = offset.saturating_add(rules.size(self.types, member.ty, member.order));
        }
        Ok(())
    }
}
