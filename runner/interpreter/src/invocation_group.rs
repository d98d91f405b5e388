//! Group of invocations in execution.

use cranelift_entity::SecondaryMap;
use program::{
    Function, FunctionId, Global, GlobalId, Placement, Program, Shader, Stage, Storage, Type,
    TypeId, TypeTable,
};
use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::call::{Call, CallFrame};
use crate::environment::{Environment, Error};
use crate::flat::FlatCode;
use crate::lanes::{Mask, Value};
use crate::scalar_layout::ScalarLayout;
use crate::shared_storage::{SharedStorage, control_invocations};

/// Uses of undefined values that make results undefined.
#[derive(Debug)]
pub(crate) struct UndefinedUses {
    /// Lanes whose control flow depended on an undefined value.
    pub(crate) control_flow: Mask,
    /// Lanes that wrote something undefined to memory.
    pub(crate) writes: Mask,
    /// Of each output slot the components with which some vertex was emitted undefined.
    pub(crate) emitted: Vec<u8>,
}

/// Invocations of one stage running in lockstep.
pub(crate) struct InvocationGroup<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// Its types.
    pub(crate) types: &'a TypeTable,
    /// The stage's code.
    pub(crate) shader: &'a Shader,
    /// Component counts of all types.
    pub(crate) layout: &'a ScalarLayout,
    /// Types of globals that are arrays of blocks.
    pub(crate) block_array_types: FxHashSet<TypeId>,
    /// Environment.
    pub(crate) environment: &'a mut dyn Environment,
    /// Number of lanes.
    pub(crate) lanes: usize,
    /// Lanes executing now.
    pub(crate) active: Mask,
    /// Lanes that ran `discard` or `demote`.
    pub(crate) killed: Mask,
    /// Helper lanes of quads: their writes have no effect.
    pub(crate) helpers: Mask,
    /// Uses of undefined values.
    pub(crate) undefined: UndefinedUses,
    /// Accesses to what the invocations share.
    pub(crate) shared: Option<SharedStorage>,
    /// Globals held by value.
    pub(crate) globals: SecondaryMap<GlobalId, Value>,
    /// The current call.
    pub(crate) call: Call,
    /// Work and its limits.
    pub(crate) budget: Budget,
    /// Flat code of the stage.
    pub(crate) flat: FlatCode,
}

impl<'a> InvocationGroup<'a> {
    /// Creates a group that is ready to run a stage.
    pub(crate) fn new(
        program: &'a Program,
        shader: &'a Shader,
        layout: &'a ScalarLayout,
        environment: &'a mut dyn Environment,
        active: Mask,
        lanes: usize,
        limit: u64,
    ) -> InvocationGroup<'a> {
        let types = &program.types;
        let mut block_array_types = FxHashSet::default();
        for global in shader.globals.values().filter(|g| g.block.is_some()) {
            let mut ty = global.ty;
            while let Type::Array { element, .. } = *types.get(ty) {
                block_array_types.insert(ty);
                ty = element;
            }
        }
        InvocationGroup {
            program,
            types,
            shader,
            layout,
            block_array_types,
            environment,
            lanes,
            active,
            killed: Mask::none(lanes),
            helpers: Mask::none(lanes),
            undefined: UndefinedUses {
                control_flow: Mask::none(lanes),
                writes: Mask::none(lanes),
                emitted: Vec::new(),
            },
            shared: None,
            globals: SecondaryMap::with_default(Value::zero(0, lanes)),
            call: Call::outside(lanes),
            budget: Budget::new(limit),
            flat: FlatCode::default(),
        }
    }

    /// Runs a recursive part of the execution.
    pub(crate) fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.budget.enter()?;
        let result = part(self);
        self.budget.leave();
        result
    }

    /// Runs `main` from global initializers to its end.
    pub(crate) fn run_main(&mut self) -> Result<(), Error> {
        let entry = self.shader.entry.ok_or(Error::Malformed("no entry point"))?;
        if self.shader.stage == Stage::Fragment {
            for lane in 0..self.lanes {
                let helper = self.environment.system_value(
                    program::BuiltinVariable::HelperInvocation,
                    0,
                    lane,
                );
                self.helpers.set(lane, helper != 0);
            }
        }
        self.initialize_globals()?;
        self.call_body(entry, CallFrame::default())?;
        self.finish_outputs();
        Ok(())
    }

    /// Evaluates the initializers of uniforms and stores their values.
    pub(crate) fn store_uniform_initializers(&mut self) -> Result<(), Error> {
        self.initialize_globals()?;
        for (id, global) in self.shader.globals.iter() {
            if let (Storage::Uniform, Some(initializer)) = (global.storage, global.initializer) {
                let Some(placement) = self.uniform_placement(global) else { continue };
                let value = self.eval(initializer)?;
                let place = self.place_at(id, placement);
                self.store(&place, &value)?;
            }
        }
        Ok(())
    }

    /// Returns the placement of a uniform. A stage may initialize a uniform that only another stage
    /// uses.
    fn uniform_placement(&self, global: &Global) -> Option<Placement> {
        let same = |other: &&Global| {
            other.storage == Storage::Uniform
                && other.name == global.name
                && matches!(other.placement, Placement::Uniform { .. })
        };
        let all = self.program.stages.iter().flat_map(|stage| stage.shader.globals.values());
        std::iter::once(global).chain(all).find(same).map(|found| found.placement)
    }

    /// True if a lane's writes to memory and images have an effect.
    pub(crate) fn writes(&self, lane: usize) -> bool {
        !self.helpers.contains(lane) && !self.killed.contains(lane)
    }

    /// Runs a function's body in a prepared frame. Returns the frame, from which the caller copies
    /// out parameters.
    pub(crate) fn call_body(
        &mut self,
        id: FunctionId,
        frame: CallFrame,
    ) -> Result<(CallFrame, Option<Value>), Error> {
        let function: &'a Function = &self.shader.functions[id];
        let body =
            function.body.as_ref().ok_or(Error::Malformed("call of a function without body"))?;
        let components = self.layout.component_count(function.result);
        let result = (components > 0).then(|| Value::undefined(components, self.lanes));
        let callee = Call { function: Some(id), frame, result, ..Call::outside(self.lanes) };
        let caller = std::mem::replace(&mut self.call, callee);
        let outcome = self.statements(body);
        let callee = std::mem::replace(&mut self.call, caller);
        outcome?;
        self.active = self.active.or(&callee.returned);
        Ok((callee.frame, callee.result))
    }

    fn initialize_globals(&mut self) -> Result<(), Error> {
        for (id, global) in self.shader.globals.iter() {
            let value = match global.storage {
                Storage::Input => self.read_input(global),
                Storage::Private | Storage::Const | Storage::Output => match global.initializer {
                    Some(init) if global.storage != Storage::Output || global.active => {
                        self.eval(init)?
                    }
                    _ => Value::undefined(self.layout.component_count(global.ty), self.lanes),
                },
                Storage::Uniform | Storage::Buffer | Storage::Shared => continue,
            };
            self.globals[id] = value;
        }
        Ok(())
    }

    /// Returns the lanes that share their outputs with a lane: the invocations of its patch in the
    /// tessellation control stage.
    pub(crate) fn patch_lanes(&self, lane: usize) -> std::ops::Range<usize> {
        let size = match self.shader.stage {
            Stage::TessControl => control_invocations(self.shader),
            _ => 1,
        };
        let first = lane / size * size;
        first..(first + size).min(self.lanes)
    }
}
