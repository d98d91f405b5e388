//! Lowers the typed program to the SSA intermediate representation.
//!
//! One stage becomes one function: every call is inlined, early returns become structured control flow, structures and arrays are split
//! into local variables of scalars and vectors (later passes build SSA from them), interface variables become slot and memory accesses.
//! Nothing is optimised here.

#![forbid(unsafe_code)]

mod arithmetic;
mod builtins;
mod expression;
mod info;
mod interface;
mod linear;
mod memory;
mod place;
mod statement;
mod storage;
mod texture;
mod trigonometry;
mod value;

use cranelift_entity::SecondaryMap;
use ir::Builder;
use program::shader::StageLayout;
use program::{
    Function, FunctionId, GlobalId, LinkedStage, LocalId, Program, Shader, Stage, StageKey, TypeId, TypeTable,
};
use thiserror::Error;
use vocabulary::InternalError;

use place::Place;
use storage::{StorageId, Storages};

/// Why a stage could not be lowered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LowerError {
    /// The program has no such stage.
    #[error("the program has no {0} stage")]
    NoStage(Stage),
    /// The typed program breaks one of its own rules: a defect of the front end.
    #[error("malformed program: {0}")]
    Malformed(&'static str),
    /// A built-in function without a lowering.
    #[error("built-in function `{0}` is not supported")]
    Unsupported(&'static str),
    /// Inlining grew past any sensible size.
    #[error("shader grows past {0} instructions when its calls are inlined")]
    TooLarge(usize),
    /// Calls or statements nest too deeply.
    #[error("calls or statements nest deeper than {0} levels")]
    TooDeep(usize),
    /// An internal error.
    #[error(transparent)]
    Internal(#[from] InternalError),
}

/// Most instructions that a stage may have before optimisation.
const MAX_INSTRUCTIONS: usize = 2_000_000;
/// Deepest nesting of expressions and statements, those of inlined calls included: what the lowerer recurses through.
const MAX_NESTING: usize = 4000;

/// Lowers one stage of a linked program, for draws with the given key.
pub fn lower(program: &Program, stage: Stage, key: &StageKey) -> Result<ir::Shader, LowerError> {
    let linked = program.stage(stage).ok_or(LowerError::NoStage(stage))?;
    let mut shader = ir::Shader::new(stage);
    // About what an expression becomes.
    shader.reserve(2 * linked.shader.exprs.len());
    shader.info = info::shader_info(program, linked, key);
    let mut lowerer = Lowerer::new(program, linked, key, &mut shader);
    lowerer.run()?;
    lowerer.builder.finish();
    Ok(shader)
}

/// What a local of an inlined function stands for.
#[derive(Clone)]
enum Binding {
    Variable(StorageId),
    Alias(Place),
}

/// One inlined call.
struct Frame {
    function: FunctionId,
    locals: SecondaryMap<LocalId, Option<Binding>>,
    result: Option<StorageId>,
    /// Set when the call has returned, where that is not plain from control flow.
    returned: Option<StorageId>,
    /// Enclosing loops and switches of this call, innermost last.
    breakables: Vec<Breakable>,
}

/// What `break` and `continue` mean at a place.
#[derive(Clone)]
enum Breakable {
    /// A loop: what runs before the next iteration.
    Loop { step: Option<program::ExprId>, test: Option<Test> },
    /// A switch made of a loop that runs once; the flag asks the enclosing loop to continue.
    Switch { continued: StorageId },
}

/// A loop test that stands at the loop's end.
#[derive(Clone)]
struct Test {
    declaration: Vec<program::Statement>,
    condition: program::ExprId,
}

struct Lowerer<'a, 's> {
    types: &'a TypeTable,
    linked: &'a LinkedStage,
    shader: &'a Shader,
    key: &'a StageKey,
    builder: Builder<'s>,
    storages: Storages,
    globals: SecondaryMap<GlobalId, Option<StorageId>>,
    frames: Vec<Frame>,
    /// Expressions and statements being lowered, one inside the other.
    nesting: usize,
}

impl<'a, 's> Lowerer<'a, 's> {
    fn new(
        program: &'a Program,
        linked: &'a LinkedStage,
        key: &'a StageKey,
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
            nesting: 0,
        }
    }

    fn run(&mut self) -> Result<(), LowerError> {
        let entry = self.shader.entry.ok_or(LowerError::Malformed("no entry point"))?;
        self.push_frame(entry)?;
        self.initialize_globals()?;
        let function: &'a Function = &self.shader.functions[entry];
        let body = function.body.as_ref().ok_or(LowerError::Malformed("main has no body"))?;
        self.body(body)?;
        self.frames.pop();
        self.store_outputs()
    }

    fn push_frame(&mut self, function: FunctionId) -> Result<(), LowerError> {
        if self.builder.shader.insts.len() > MAX_INSTRUCTIONS {
            return Err(LowerError::TooLarge(MAX_INSTRUCTIONS));
        }
        let result_ty = self.shader.functions[function].result;
        let result =
            if result_ty == TypeTable::VOID { None } else { Some(self.new_storage(result_ty, "result")) };
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
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, LowerError>) -> Result<T, LowerError> {
        if self.nesting >= MAX_NESTING {
            return Err(LowerError::TooDeep(MAX_NESTING));
        }
        self.nesting += 1;
        let result = part(self);
        self.nesting -= 1;
        result
    }

    fn frame(&mut self) -> Result<&mut Frame, LowerError> {
        self.frames.last_mut().ok_or(LowerError::Malformed("code outside a function"))
    }

    fn stage_layout(&self) -> &'a StageLayout {
        &self.shader.layout
    }

    fn expr_type(&self, id: program::ExprId) -> TypeId {
        self.shader.exprs[id].ty
    }
}
