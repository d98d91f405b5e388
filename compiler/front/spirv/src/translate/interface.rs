//! The entry point, and what the functions reached from it use.

use program::{BuiltinVariable, Stage};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionModel, Op, StorageClass};
use rustc_hash::FxHashSet;

use super::state::ShaderBuilder;
use crate::entry::{Api, EntryPoint};
use crate::error::Error;
use crate::module::{Function, Instruction};

impl ShaderBuilder<'_> {
    /// Returns the function of an entry point.
    pub(crate) fn find_entry(&self, entry: EntryPoint<'_>) -> Result<u32, Error> {
        let module = self.module;
        let is_meant = |i: &&Instruction| {
            i.op == Op::EntryPoint
                && i.literal_at(0).and_then(stage_of) == Some(entry.stage)
                && i.text_at(2) == Some(entry.name)
        };
        let found = module.globals().iter().find(is_meant);
        self.id(found.ok_or_else(|| self.missing_entry(entry))?, 1)
    }

    /// The error of a module that lacks an entry point: it may have others, of stages that are none
    /// here.
    fn missing_entry(&self, entry: EntryPoint<'_>) -> Error {
        let mut points = self.module.globals().iter().filter(|i| i.op == Op::EntryPoint).peekable();
        if points.peek().is_none() {
            return Error::new(0, "the module has no entry point".to_owned());
        }
        let is_other = |i: &&Instruction| i.literal_at(0).and_then(stage_of).is_none();
        if let Some(point) = points.find(is_other)
            && let Some(model) = point.literal_at(0).and_then(ExecutionModel::from_u32)
        {
            return self.unsupported(point, format!("the execution model {model:?} is"));
        }
        let message =
            format!("there is no entry point `{}` of a {} shader", entry.name, entry.stage);
        Error::new(0, message)
    }

    /// The `OpEntryPoint` of a function in this stage.
    pub(crate) fn entry_point(&self, function: u32) -> Option<&Instruction> {
        self.module.globals().iter().find(|i| {
            i.op == Op::EntryPoint
                && i.id_at(1) == Some(function)
                && i.literal_at(0).and_then(stage_of) == Some(self.stage)
        })
    }

    /// The functions that a function may call, it included, callees first.
    pub(crate) fn reached(&self, entry: u32) -> Result<Vec<&Function>, Error> {
        let mut order = Vec::new();
        let (mut seen, mut open) = (FxHashSet::default(), vec![(entry, false)]);
        while let Some((id, is_done)) = open.pop() {
            let Some(function) = self.module.function(id) else {
                return Err(Error::new(0, format!("{} is no function", self.module.name(id))));
            };
            if is_done {
                order.push(function);
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            open.push((id, true));
            for instruction in self.module.body_of(function).filter(|i| i.op == Op::FunctionCall) {
                open.extend(
                    instruction.id_at(0).filter(|id| !seen.contains(id)).map(|id| (id, false)),
                );
            }
        }
        Ok(order)
    }

    /// The variables of a module that an entry point has: those of its interface and those that its
    /// functions name; all of a module with one entry point. Resources of Vulkan are those that
    /// functions name, since others need no descriptor (Vulkan 1.3, section 14.2).
    pub(crate) fn used_variables(&self, entry: u32) -> Result<Vec<u32>, Error> {
        let module = self.module;
        let globals = module.globals();
        let mut named: FxHashSet<u32> = FxHashSet::default();
        for function in self.reached(entry)? {
            module.body_of(function).for_each(|i| named.extend(i.ids_from(0)));
        }
        let listed: FxHashSet<u32> =
            self.entry_point(entry).into_iter().flat_map(|point| point.ids_from(2)).collect();
        let is_only = globals.iter().filter(|i| i.op == Op::EntryPoint).count() == 1;
        let is_resource = |variable: &Instruction| {
            let class = variable.literal_at(0).and_then(StorageClass::from_u32);
            !matches!(class, Some(StorageClass::Input | StorageClass::Output))
        };
        let is_there = |variable: &&Instruction| {
            let is_named = named.contains(&variable.id);
            match self.api == Api::Vulkan && is_resource(variable) {
                true => is_named,
                false => is_named || is_only || listed.contains(&variable.id),
            }
        };
        let variables = globals.iter().filter(|i| i.op == Op::Variable);
        Ok(variables.filter(is_there).map(|i| i.id).collect())
    }

    /// The built-in variable that a member is.
    pub(crate) fn builtin_of_member(
        &self,
        definition: &Instruction,
        member: u32,
    ) -> Result<Option<BuiltinVariable>, Error> {
        match self.module.member_literal(definition.id, member, Decoration::BuiltIn) {
            Some(word) => Ok(Some(self.builtin_of(definition, word, None)?)),
            None => Ok(None),
        }
    }

    /// The built-in variable of a `BuiltIn` decoration.
    pub(crate) fn builtin_of(
        &self,
        user: &Instruction,
        word: u32,
        class: Option<StorageClass>,
    ) -> Result<BuiltinVariable, Error> {
        use BuiltIn as B;
        use BuiltinVariable as V;
        let is_input = class == Some(StorageClass::Input);
        let builtin = BuiltIn::from_u32(word);
        Ok(match builtin.unwrap_or(B::Position) {
            B::Position if is_input && self.stage == Stage::Geometry => V::PositionIn,
            B::PointSize if is_input && self.stage == Stage::Geometry => V::PointSizeIn,
            B::Position => V::Position,
            B::PointSize => V::PointSize,
            B::ClipDistance => V::ClipDistance,
            B::CullDistance => V::CullDistance,
            B::VertexId | B::VertexIndex => V::VertexId,
            B::InstanceId | B::InstanceIndex => V::InstanceId,
            B::BaseVertex => V::BaseVertex,
            B::BaseInstance => V::BaseInstance,
            B::DrawIndex => V::DrawId,
            B::PrimitiveId if is_input && self.stage == Stage::Geometry => V::PrimitiveIdIn,
            B::PrimitiveId => V::PrimitiveId,
            B::InvocationId => V::InvocationId,
            B::Layer => V::Layer,
            B::ViewportIndex => V::ViewportIndex,
            B::TessLevelOuter => V::TessLevelOuter,
            B::TessLevelInner => V::TessLevelInner,
            B::TessCoord => V::TessCoord,
            B::PatchVertices => V::PatchVerticesIn,
            B::FragCoord => V::FragCoord,
            B::PointCoord => V::PointCoord,
            B::FrontFacing => V::FrontFacing,
            B::SampleId => V::SampleId,
            B::SamplePosition => V::SamplePosition,
            B::SampleMask if is_input => V::SampleMaskIn,
            B::SampleMask => V::SampleMask,
            B::FragDepth => V::FragDepth,
            B::FragStencilRefEXT => V::FragStencilRef,
            B::HelperInvocation => V::HelperInvocation,
            B::NumWorkgroups => V::NumWorkGroups,
            B::WorkgroupId => V::WorkGroupId,
            B::LocalInvocationId => V::LocalInvocationId,
            B::GlobalInvocationId => V::GlobalInvocationId,
            B::LocalInvocationIndex => V::LocalInvocationIndex,
            B::SubgroupLocalInvocationId => V::SubGroupInvocation,
            B::SubgroupSize => V::SubGroupSize,
            _ => {
                let name = builtin.map_or(word.to_string(), |builtin| format!("{builtin:?}"));
                return Err(self.unsupported(user, format!("BuiltIn {name} is")));
            }
        })
    }
}

/// The stage of an execution model.
pub(crate) fn stage_of(word: u32) -> Option<Stage> {
    Some(match ExecutionModel::from_u32(word)? {
        ExecutionModel::Vertex => Stage::Vertex,
        ExecutionModel::TessellationControl => Stage::TessControl,
        ExecutionModel::TessellationEvaluation => Stage::TessEval,
        ExecutionModel::Geometry => Stage::Geometry,
        ExecutionModel::Fragment => Stage::Fragment,
        ExecutionModel::GLCompute => Stage::Compute,
        _ => return None,
    })
}
