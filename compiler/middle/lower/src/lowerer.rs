//! State of lowering one stage.

use cranelift_entity::SecondaryMap;
use ir::Builder;
use program::shader::StageLayout;
use program::{
    ArrayLength, Function, FunctionId, GlobalId, LinkedStage, LocalId, Program, Scalar, Shader,
    StageKey, Type, TypeId, TypeTable,
};

use crate::error::LowerError;
use crate::place::Place;
use crate::procedures::Procedures;
use crate::storage::{Storage, StorageId, Storages, local_bits};

/// Maximum number of instructions that a stage may have before optimization.
const MAX_INSTRUCTIONS: usize = 2_000_000;
/// Deepest nesting of expressions and statements, those of inlined calls included: what the lowerer
/// recurses through.
const MAX_NESTING: usize = 4000;

/// The meaning of a local of an inlined function.
#[derive(Clone)]
pub(crate) enum Binding {
    Variable(StorageId),
    Alias(Place),
}

/// One inlined call.
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    pub(crate) locals: SecondaryMap<LocalId, Option<Binding>>,
    pub(crate) result: Option<StorageId>,
    /// Set when the call has returned, where that is not plain from control flow.
    pub(crate) returned: Option<StorageId>,
    /// Enclosing loops and switches of this call, innermost last.
    pub(crate) breakables: Vec<Breakable>,
}

/// A statement that `break` or `continue` may leave.
#[derive(Clone)]
pub(crate) enum Breakable {
    /// A loop: what runs before the next iteration.
    Loop { step: Option<program::ExprId>, test: Option<Test> },
    /// A switch made of a loop that runs once; the flag asks the enclosing loop to continue.
    Switch { continued: StorageId },
}

/// A loop test at the loop's end.
#[derive(Clone)]
pub(crate) struct Test {
    pub(crate) declaration: Vec<program::Statement>,
    pub(crate) condition: program::ExprId,
}

pub(crate) struct Lowerer<'a, 's> {
    pub(crate) types: &'a TypeTable,
    pub(crate) linked: &'a LinkedStage,
    pub(crate) shader: &'a Shader,
    pub(crate) key: &'a StageKey,
    pub(crate) builder: Builder<'s>,
    pub(crate) storages: Storages,
    pub(crate) globals: SecondaryMap<GlobalId, Option<StorageId>>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) procedures: Procedures,
    /// Expressions and statements being lowered, one inside the other.
    pub(crate) nesting: usize,
}

impl<'a, 's> Lowerer<'a, 's> {
    pub(crate) fn new(
        program: &'a Program,
        linked: &'a LinkedStage,
        key: &'a StageKey,
        procedures: Procedures,
        shader: &'s mut ir::Shader,
    ) -> Self {
        Lowerer {
            types: &program.types,
            linked,
            shader: &linked.shader,
            key,
            builder: Builder::new(shader),
            storages: Storages::default(),
            globals: SecondaryMap::new(),
            frames: Vec::new(),
            procedures,
            nesting: 0,
        }
    }

    pub(crate) fn run(&mut self) -> Result<(), LowerError> {
        let entry = self.shader.entry.ok_or(LowerError::Malformed("no entry point"))?;
        self.push_frame(entry)?;
        self.initialize_globals()?;
        let function: &'a Function = &self.shader.functions[entry];
        let body = function.body.as_ref().ok_or(LowerError::Malformed("main has no body"))?;
        self.body(body)?;
        self.frames.pop();
        self.store_outputs()
    }

    /// Refuses a stage that grows too large by `more` instructions, before memory is full of them.
    pub(crate) fn check_growth(&self, more: usize) -> Result<(), LowerError> {
        if self.builder.shader.insts.len() + more > MAX_INSTRUCTIONS {
            return Err(LowerError::TooLarge(MAX_INSTRUCTIONS));
        }
        Ok(())
    }

    pub(crate) fn push_frame(&mut self, function: FunctionId) -> Result<(), LowerError> {
        self.check_growth(0)?;
        let result_ty = self.shader.functions[function].result;
        let result = if result_ty == TypeTable::VOID {
            None
        } else {
            Some(self.new_storage(result_ty, "result"))
        };
        self.frames.push(Frame {
            function,
            locals: SecondaryMap::new(),
            result,
            returned: None,
            breakables: Vec::new(),
        });
        Ok(())
    }

    /// Runs a part of the lowerer that may contain itself.
    pub(crate) fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, LowerError>,
    ) -> Result<T, LowerError> {
        if self.nesting >= MAX_NESTING {
            return Err(LowerError::TooDeep(MAX_NESTING));
        }
        self.nesting += 1;
        let result = part(self);
        self.nesting -= 1;
        result
    }

    /// Returns true inside a loop of the current function or of one that calls it.
    pub(crate) fn is_in_loop(&self) -> bool {
        self.procedures.in_loop || self.frames.iter().any(|frame| !frame.breakables.is_empty())
    }

    pub(crate) fn frame(&mut self) -> Result<&mut Frame, LowerError> {
        self.frames.last_mut().ok_or(LowerError::Malformed("code outside a function"))
    }

    pub(crate) fn stage_layout(&self) -> &'a StageLayout {
        &self.shader.layout
    }

    pub(crate) fn expr_type(&self, id: program::ExprId) -> TypeId {
        self.shader.exprs[id].ty
    }
}

impl Lowerer<'_, '_> {
    /// Creates storage for a variable.
    pub(crate) fn new_storage(&mut self, ty: TypeId, name: &str) -> StorageId {
        self.new_storage_of(ty, 1, name)
    }

    fn new_storage_of(&mut self, ty: TypeId, length: u32, name: &str) -> StorageId {
        let types = self.types;
        let node = match types.get(ty) {
            Type::Scalar(scalar) => self.new_leaf(*scalar, 1, length, name),
            Type::Vector { scalar, size } => self.new_leaf(*scalar, *size, length, name),
            Type::Matrix { scalar, columns, rows } => {
                self.new_leaf(*scalar, *rows, length.saturating_mul(u32::from(*columns)), name)
            }
            Type::Array { element, length: ArrayLength::Fixed(n) } => {
                return self.new_storage_of(*element, length.saturating_mul(*n), name);
            }
            Type::Struct(s) => {
                let member = |l: &mut Self, m: &program::types::Member| {
                    l.new_storage_of(m.ty, length, &format!("{name}.{}", m.name))
                };
                Storage::Members(s.members.iter().map(|m| member(self, m)).collect())
            }
            // Opaque or empty: one slot number.
            _ => self.new_leaf(Scalar::Uint, 1, length, name),
        };
        self.storages.nodes.push(node)
    }

    fn new_leaf(&mut self, scalar: Scalar, components: u8, length: u32, name: &str) -> Storage {
        let local = self.builder.shader.create_local(
            local_bits(scalar, length),
            components,
            length.max(1),
            name,
        );
        Storage::Leaf { local, scalar }
    }
}
