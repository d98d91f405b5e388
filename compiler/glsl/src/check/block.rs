//! Interface blocks, `gl_PerVertex` among them.

use super::layout_target::Target;
use super::qualifier::{Qualifiers, Word};
use super::scope::Entity;
use super::{Check, Checker};
use crate::ast;
use crate::source::Span;
use program::layout::Rules;
use program::types::{MatrixOrder, Member, StructType};
use program::variable::{BlockQualifiers, InterpolationMode, MemoryQualifiers, Packing};
use program::{ArrayLength, BuiltinVariable, Scalar, Stage, Storage, Type, TypeId, TypeTable};

/// Outputs that the redeclared `gl_PerVertex` of AMD_vertex_shader_layer and its like may list.
fn is_per_primitive(builtin: BuiltinVariable) -> bool {
    matches!(builtin, BuiltinVariable::Layer | BuiltinVariable::ViewportIndex)
}

impl Checker<'_> {
    pub(super) fn block_declaration(&mut self, id: ast::BlockId, span: Span) -> Check<()> {
        let block = self.unit.blocks[id];
        let qualifiers = self.qualifiers(block.qualifiers)?;
        let name = self.text(block.name.symbol);
        let (storage, word) = self.block_storage(&qualifiers, block.name.span)?;
        if name == "gl_PerVertex" {
            return self.redeclare_per_vertex(&block, storage, span);
        }
        if name.starts_with("gl_") {
            return self.error(block.name.span, format!("`{name}`: names that start with gl_ are reserved"));
        }
        self.check_layout_target(&qualifiers, Target::Block)?;
        let (packing, order) = self.block_defaults(word);
        let packing = qualifiers.layout.packing.unwrap_or(packing);
        let order = qualifiers.layout.order.unwrap_or(order);
        if packing == Packing::Std430 && storage != Storage::Buffer {
            return self.error(qualifiers.span, "std430 is for storage blocks");
        }
        let members = self.block_members(&block, storage, &qualifiers, order)?;
        let scope = self.struct_scopes.get(name).copied().unwrap_or(0);
        let content = Type::Struct(StructType { name: name.into(), members, scope });
        let content = self.types.intern(content);
        let members = self.types.members(content).unwrap_or_default().to_vec();
        self.check_weight(&members, content, block.name.span)?;
        self.check_offsets(content, packing, block.name.span)?;
        let ty = self.array_type(content, block.dims, span)?;
        if self.block_exists(storage, name) {
            return self.error(block.name.span, format!("block `{name}` is already declared"));
        }
        if self.scopes.find_global(block.name.symbol).is_some() && !self.is_block_name(name) {
            return self.error(block.name.span, format!("`{name}` is already declared in this scope"));
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
        if let (Some(buffer), Some(stride)) = (global.layout.xfb_buffer, global.layout.xfb_stride)
            && let Some(slot) = self.shader.layout.xfb_stride.get_mut(buffer as usize)
        {
            *slot = Some(stride);
        }
        let id = self.shader.globals.push(global);
        self.size_per_vertex(id, span)?;
        match block.instance {
            Some(instance) => {
                self.check_new_name(instance)?;
                self.declare_global(instance, Entity::Global(id))
            }
            None => self.declare_members(&block, id),
        }
    }

    fn declare_global(&mut self, name: ast::Name, entity: Entity) -> Check<()> {
        if self.scopes.find_here(name.symbol).is_some() {
            let text = self.text(name.symbol);
            return self.error(name.span, format!("`{text}` is already declared in this scope"));
        }
        self.scopes.declare(name.symbol, entity);
        Ok(())
    }

    fn declare_members(&mut self, block: &ast::Block, id: program::GlobalId) -> Check<()> {
        let unit = self.unit;
        let mut index = 0;
        for &member in unit.list(block.members) {
            for &declarator in unit.list(unit.members[member].declarators) {
                self.declare_global(unit.declarators[declarator].name, Entity::BlockMember(id, index))?;
                index += 1;
            }
        }
        Ok(())
    }

    /// Whether a block of any kind has this name, which means nothing else then (GLSL 4.60 section 4.3.9).
    pub(super) fn is_block_name(&self, name: &str) -> bool {
        self.shader.globals.values().any(|g| g.block.as_ref().is_some_and(|b| &*b.name == name))
    }

    fn block_exists(&self, storage: Storage, name: &str) -> bool {
        let same =
            |g: &program::Global| g.storage == storage && g.block.as_ref().is_some_and(|b| &*b.name == name);
        self.shader.globals.values().any(same)
    }

    fn block_storage(&mut self, qualifiers: &Qualifiers, span: Span) -> Check<(Storage, Word)> {
        let language = &self.language;
        let uniform = language.at_least(140, 300) || language.extension("ARB_uniform_buffer_object");
        let buffer = language.at_least(430, 310) || language.extension("ARB_shader_storage_buffer_object");
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
        let message = match qualifiers.word {
            Some(Word::Uniform) if uniform => return Ok((Storage::Uniform, Word::Uniform)),
            Some(Word::Buffer) if buffer => return Ok((Storage::Buffer, Word::Buffer)),
            Some(Word::In) if stage == Stage::Vertex => "vertex shaders have no input blocks",
            Some(Word::Out) if stage == Stage::Fragment => "fragment shaders have no output blocks",
            Some(Word::In | Word::Out) if stage == Stage::Compute => {
                "compute shaders have no input and output blocks"
            }
            Some(Word::In) if interface => return Ok((Storage::Input, Word::In)),
            Some(Word::Out) if interface => return Ok((Storage::Output, Word::Out)),
            Some(Word::Uniform | Word::Buffer | Word::In | Word::Out) => {
                "interface blocks of this kind are not available in this version"
            }
            _ => "an interface block must be uniform, buffer, in or out",
        };
        self.error(span, message)
    }

    fn check_block_array(&mut self, storage: Storage, q: &Qualifiers, ty: TypeId, span: Span) -> Check<()> {
        let stage = self.language.stage;
        let per_vertex = storage.is_per_vertex(stage);
        let array = self.types.array_of(ty);
        if per_vertex && !q.interpolation.patch && array.is_none() {
            return self.error(span, "a block with one value per vertex must be an array");
        }
        if matches!(storage, Storage::Uniform | Storage::Buffer)
            && matches!(array, Some((_, ArrayLength::Unsized)))
        {
            return self.error(span, "an array of blocks needs a size");
        }
        if q.layout.variable.binding.is_some() && !matches!(storage, Storage::Uniform | Storage::Buffer) {
            return self.error(span, "`binding` is for opaque uniforms and blocks");
        }
        if let Some(binding) = q.layout.variable.binding {
            let name = match storage {
                Storage::Uniform => "GL_MAX_UNIFORM_BUFFER_BINDINGS",
                _ => "GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS",
            };
            let count = program::layout::block_instances(self.types, ty);
            self.check_binding(binding, count, self.language.limit(name, 84), span)?;
        }
        if q.layout.variable.location.is_some() && matches!(storage, Storage::Uniform | Storage::Buffer) {
            return self.error(span, "`location` is not for uniform and storage blocks");
        }
        Ok(())
    }

    fn block_members(
        &mut self,
        block: &ast::Block,
        storage: Storage,
        outer: &Qualifiers,
        order: MatrixOrder,
    ) -> Check<Vec<Member>> {
        let unit = self.unit;
        let list = unit.list(block.members);
        let mut members: Vec<Member> = Vec::new();
        let mut next_location = outer.layout.variable.location;
        for (i, &id) in list.iter().enumerate() {
            let member = unit.members[id];
            let qualifiers = self.qualifiers(member.qualifiers)?;
            self.check_member_qualifiers(&qualifiers, storage, outer)?;
            self.check_layout_target(&qualifiers, Target::Member)?;
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
                    // Others are sized by their largest constant index when linking.
                    if last {
                        ty = self.types.array(element, ArrayLength::Runtime);
                    }
                }
                self.check_sized(Storage::Private, &qualifiers, ty, span)?;
                if ty == TypeTable::VOID || self.types.contains_opaque(ty) {
                    let bindless = self.language.extension("ARB_bindless_texture") && ty != TypeTable::VOID;
                    if !bindless {
                        return self.error(span, format!("member `{text}` of a block cannot have this type"));
                    }
                }
                if text.starts_with("gl_") {
                    return self.error(span, format!("`{text}`: names that start with gl_ are reserved"));
                }
                if members.iter().any(|m| &*m.name == text) {
                    return self.error(span, format!("member `{text}` is declared twice"));
                }
                self.check_flat_member(storage, ty, &qualifiers, outer, span)?;
                let mut result = Member::new(text, ty);
                result.order = qualifiers.layout.order.unwrap_or(order);
                result.offset = qualifiers.layout.variable.offset;
                result.align = qualifiers.layout.align.or(outer.layout.align);
                next_location = qualifiers.layout.variable.location.or(next_location);
                result.location = next_location;
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
            }
        }
        if let Some(start) = outer.layout.variable.xfb_offset {
            self.place_captured(&mut members, start);
        }
        if members.is_empty() {
            return self.error(block.name.span, "a block needs members");
        }
        Ok(members)
    }

    /// `xfb_offset` on a block gives its members consecutive offsets.
    fn place_captured(&self, members: &mut [Member], start: u32) {
        let mut next = start;
        for member in members {
            let align = self.types.scalar_of(self.types.without_arrays(member.ty)).map_or(4, Scalar::bytes);
            let offset = member.xfb_offset.unwrap_or(next.div_ceil(align).saturating_mul(align));
            member.xfb_offset = Some(offset);
            next = offset.saturating_add(self.captured_bytes(member.ty));
        }
    }

    /// Whether captured values of a type lie at `offset` as they must: at a multiple of 8 bytes with 64-bit components,
    /// of 4 without (GLSL 4.60 section 4.4.2.1).
    pub(super) fn check_captured(&mut self, ty: TypeId, offset: Option<u32>, span: Span) -> Check<()> {
        let align = if self.has_wide_components(ty) { 8 } else { 4 };
        match offset {
            Some(offset) if !offset.is_multiple_of(align) => {
                self.error(span, format!("xfb_offset {offset} must be a multiple of {align} here"))
            }
            _ => Ok(()),
        }
    }

    fn has_wide_components(&self, ty: TypeId) -> bool {
        match self.types.members(self.types.without_arrays(ty)) {
            Some(members) => members.iter().any(|m| self.has_wide_components(m.ty)),
            None => self.types.scalar_of(self.types.without_arrays(ty)).is_some_and(|s| s.bits() == 64),
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
            _ => self.types.scalar_of(ty).map_or(0, Scalar::bytes) * u32::from(self.types.components(ty)),
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

    fn check_member_qualifiers(&mut self, q: &Qualifiers, storage: Storage, outer: &Qualifiers) -> Check<()> {
        let memory_block = matches!(storage, Storage::Uniform | Storage::Buffer);
        let bindless = self.language.extension("ARB_bindless_texture");
        let message =
            if q.word.is_some() && q.word != outer.word && !(q.word == Some(Word::Shared) && memory_block) {
                "a member's storage qualifier must be the block's"
            } else if q.layout.variable.offset.is_some() && !memory_block {
                "`offset` is for members of uniform and storage blocks"
            } else if q.layout.variable.offset.is_some() && !self.language.has_enhanced_layouts() {
                "`offset` of members needs GLSL 4.40 or ARB_enhanced_layouts"
            } else if q.layout.packing.is_some() {
                "members have no packing of their own"
            } else if q.layout.variable.binding.is_some() {
                "members have no binding"
            } else if memory_block && q.interpolation != Default::default() {
                "interpolation qualifiers are for inputs and outputs"
            } else if q.memory != MemoryQualifiers::default() && storage != Storage::Buffer && !bindless {
                "memory qualifiers are for images and storage blocks"
            } else if q.layout.variable.location.is_some() && memory_block {
                "members of uniform and storage blocks have no location"
            } else {
                return Ok(());
            };
        self.error(q.span, message)
    }

    /// Explicit offsets must respect alignment and not go back (GLSL 4.60 section 4.4.5).
    fn check_offsets(&mut self, content: TypeId, packing: Packing, span: Span) -> Check<()> {
        let members: Vec<Member> = self.types.members(content).unwrap_or_default().to_vec();
        if members.iter().all(|m| m.offset.is_none()) {
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
                    let message =
                        format!("offset {offset} of `{}` is not a multiple of {alignment}", member.name);
                    return self.error(span, message);
                }
                if offset < end {
                    return self
                        .error(span, format!("offset {offset} of `{}` lies in another member", member.name));
                }
            }
            let offset = member.offset.unwrap_or(end).div_ceil(alignment).saturating_mul(alignment);
            end = offset.saturating_add(rules.size(self.types, member.ty, member.order));
        }
        Ok(())
    }

    /// `out gl_PerVertex { … };` keeps only the members named; with an instance it is `gl_in` or `gl_out`.
    fn redeclare_per_vertex(&mut self, block: &ast::Block, storage: Storage, span: Span) -> Check<()> {
        let unit = self.unit;
        let outer = self.qualifiers(block.qualifiers)?;
        let mut members: Vec<Member> = Vec::new();
        for &id in unit.list(block.members) {
            let member = unit.members[id];
            let qualifiers = self.qualifiers(member.qualifiers)?;
            let base = self.type_spec(member.ty)?;
            for &declarator in unit.list(member.declarators) {
                let declarator = unit.declarators[declarator];
                let text = self.text(declarator.name.symbol);
                let ty = self.array_type(base, declarator.dims, declarator.name.span)?;
                let builtin = BuiltinVariable::from_name(text)
                    .filter(|b| b.is_per_vertex() || is_per_primitive(*b) && block.instance.is_none());
                let Some(builtin) = builtin else {
                    return self
                        .error(declarator.name.span, format!("`{text}` is not a member of gl_PerVertex"));
                };
                let mut result = Member::new(text, ty);
                result.builtin = Some(builtin);
                result.interpolation = qualifiers.interpolation;
                result.xfb_offset = qualifiers.layout.variable.xfb_offset;
                members.push(result);
                if qualifiers.invariant || outer.invariant {
                    self.builtins.invariant.push(builtin);
                }
            }
        }
        if let Some(start) = outer.layout.variable.xfb_offset {
            self.place_captured(&mut members, start);
        }
        match block.instance {
            None => self.keep_per_vertex(storage, &outer, members, span),
            Some(instance) => {
                let text = self.text(instance.symbol);
                let expected = if storage == Storage::Input { "gl_in" } else { "gl_out" };
                if text != expected {
                    return self
                        .error(instance.span, format!("gl_PerVertex must be called `{expected}` here"));
                }
                let content = StructType { name: "gl_PerVertex".into(), members, scope: 0 };
                let content = self.types.intern(Type::Struct(content));
                let ty = self.array_type(content, block.dims, span)?;
                let Some(id) = self.builtin_variable(text, instance.span)? else {
                    return self.error(instance.span, format!("`{text}` is not available in this stage"));
                };
                if self
                    .shader
                    .exprs
                    .values()
                    .any(|e| matches!(e.kind, program::ExprKind::Global(g) if g == id))
                {
                    return self.error(span, "gl_PerVertex is redeclared after use");
                }
                let names = self.types.members(content).unwrap_or_default();
                let names = names.iter().filter_map(|m| m.builtin).collect();
                self.remember_per_vertex(storage, names);
                self.shader.globals[id].ty = ty;
                self.size_per_vertex(id, span)
            }
        }
    }

    fn remember_per_vertex(&mut self, storage: Storage, names: Vec<BuiltinVariable>) {
        match storage {
            Storage::Input => self.shader.redeclarations.per_vertex_in = Some(names),
            _ => self.shader.redeclarations.per_vertex_out = Some(names),
        }
    }

    fn keep_per_vertex(
        &mut self,
        storage: Storage,
        outer: &Qualifiers,
        members: Vec<Member>,
        span: Span,
    ) -> Check<()> {
        let names: Vec<BuiltinVariable> = members.iter().filter_map(|m| m.builtin).collect();
        let xfb_buffer = outer.layout.variable.xfb_buffer.or(self.defaults.xfb_buffer);
        for member in members {
            let Some(id) = self.builtin_variable(&member.name, span)? else {
                return self.error(span, format!("`{}` is not available in this stage", member.name));
            };
            let global = &mut self.shader.globals[id];
            global.layout.xfb_offset = member.xfb_offset.or(global.layout.xfb_offset);
            if global.layout.xfb_offset.is_some() {
                global.layout.xfb_buffer = xfb_buffer;
            }
            if member.interpolation != Default::default() {
                global.interpolation = member.interpolation;
            }
            if self.types.array_of(member.ty).is_some() {
                self.resize(id, member.ty, span)?;
            }
        }
        if let (Some(buffer), Some(stride)) = (xfb_buffer, outer.layout.variable.xfb_stride)
            && let Some(slot) = self.shader.layout.xfb_stride.get_mut(buffer as usize)
        {
            *slot = Some(stride);
        }
        self.remember_per_vertex(storage, names);
        Ok(())
    }
}
