//! Reference interpreter of the typed program, written against the GLSL specification.
//!
//! Invocations of a batch run in lockstep as lanes of a group: each expression is evaluated once
//! for all active lanes, and branches narrow the mask of active lanes. Results of operations that
//! GLSL leaves undefined are computed and marked, and the marks follow the data into the outputs.
//!
//! [`Interpreter::run`] executes a stage in an [`Environment`]. [`default_block`] evaluates the
//! initializers of uniforms and needs none:
//!
//! ```
//! use program::link::{LinkOptions, link};
//! use program::{Api, Capabilities, CapabilityTable, Stage, TypeTable};
//!
//! let source = "#version 120\n\
//!               uniform float scale = sqrt(16.0) / 8.0;\n\
//!               void main() { gl_Position = scale * gl_Vertex; }";
//! let capabilities = Capabilities::from(CapabilityTable {
//!     generation: "reference".into(),
//!     api: Api::Compatibility,
//!     gl_version: 46,
//!     glsl_version: 460,
//!     extensions: Default::default(),
//!     limits: Default::default(),
//! });
//! let mut types = TypeTable::default();
//! let shader = glsl::compile(&[source], Stage::Vertex, Default::default(), &mut types)
//!     .map_err(|errors| errors.to_string())?;
//! let program = link(vec![shader], types, &LinkOptions::new(&capabilities))
//!     .map_err(|error| error.to_string())?;
//! let block = interpreter::default_block(&program).map_err(|error| error.to_string())?;
//! assert_eq!(block[..4], 0.5f32.to_le_bytes());
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod access;
mod budget;
mod builtins;
mod call;
mod effects;
mod environment;
mod expression;
mod flat;
mod flat_execution;
mod half;
mod interface;
mod invocation_group;
mod lanes;
mod place;
mod replay;
mod scalar;
mod scalar_layout;
mod shared_access;
mod shared_cells;
mod shared_storage;
mod statement;
mod uniform_initializers;

pub use environment::{
    AddressSpace, Environment, Error, ImageRequest, InterpolateAt, LodRequest, TextureRequest,
};
pub use lanes::{Mask, Value};
pub use uniform_initializers::default_block;

use flat::FlatCode;
use invocation_group::InvocationGroup;
use program::resource::FragmentOutput;
use program::{LinkedStage, Program, Stage};
use replay::Replay;
use scalar_layout::ScalarLayout;
use shared_cells::Hazards;
use shared_storage::{SharedStorage, control_invocations, shares_storage};

/// Results of a group of invocations.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// One four-component value per slot of [`program::LinkedStage::outputs`]; empty in the
    /// fragment stage. Of the tessellation control stage only the slots of the patch.
    pub varyings: Vec<Value>,
    /// Of the tessellation control stage: for each output vertex its slots, as in `varyings`. All
    /// lanes of a patch hold the same.
    pub vertices: Vec<Vec<Value>>,
    /// Fragment outputs that the shader declares.
    pub fragment: Vec<(FragmentOutput, Value)>,
    /// Lanes that were discarded or demoted.
    pub killed: Mask,
    /// Lanes whose control flow depended on an undefined value: all their results are undefined.
    pub undefined_control_flow: Mask,
    /// Lanes that wrote an undefined value to memory, or to an undefined address.
    pub undefined_writes: Mask,
    /// Of the geometry stage: for each slot of [`program::LinkedStage::outputs`] the components
    /// (bit n: component n) that were undefined in some emitted vertex; empty when no vertex was
    /// emitted.
    pub emitted_undefined: Vec<u8>,
    /// Statements executed.
    pub steps: u64,
}

/// Data that the interpreter derives from a program: layouts, and flat code of what it executed.
#[derive(Debug)]
pub struct Code {
    layout: ScalarLayout,
    /// Flat code by stage.
    stages: Vec<(Stage, FlatCode)>,
}

/// A program prepared for execution.
#[derive(Debug)]
pub struct Interpreter<'a> {
    program: &'a Program,
    code: Code,
}

impl<'a> Interpreter<'a> {
    /// Prepares a linked program.
    pub fn new(program: &'a Program) -> Interpreter<'a> {
        let layout = ScalarLayout::new(&program.types, program.types.ids());
        Interpreter { program, code: Code { layout, stages: Vec::new() } }
    }

    /// Prepares a program by the code of an interpreter that ran it before.
    pub fn with_code(program: &'a Program, code: Code) -> Interpreter<'a> {
        Interpreter { program, code }
    }

    /// Returns the code, for the next execution of the same program.
    pub fn into_code(self) -> Code {
        self.code
    }

    /// Runs one stage for the lanes of `mask`, out of `lanes`. Fragments come in quads of four
    /// consecutive lanes, tessellation control invocations in patches of as many lanes as the
    /// shader declares output vertices.
    ///
    /// At most `limit` statements are executed.
    pub fn run(
        &mut self,
        stage: Stage,
        lanes: usize,
        mask: Mask,
        environment: &mut dyn Environment,
        limit: u64,
    ) -> Result<Outputs, Error> {
        let linked =
            self.program.stage(stage).ok_or(Error::Malformed("the program has no such stage"))?;
        if !shares_storage(linked) {
            return self.run_once(linked, lanes, mask, environment, limit, None).map(|ran| ran.0);
        }
        let mut replay = Replay::new(environment);
        let known = Some(Hazards::default());
        let (outputs, hazards) =
            self.run_once(linked, lanes, mask.clone(), &mut replay, limit, known)?;
        if hazards.is_empty() || !replay.rewind() {
            return Ok(outputs);
        }
        let ran = self.run_once(linked, lanes, mask, &mut replay, limit, Some(hazards))?;
        Ok(ran.0)
    }

    /// Runs one stage. With the hazards of an earlier run of the same group, marks what they leave
    /// undefined, and returns those that it finds itself.
    fn run_once(
        &mut self,
        linked: &'a LinkedStage,
        lanes: usize,
        mask: Mask,
        environment: &mut dyn Environment,
        limit: u64,
        known: Option<Hazards>,
    ) -> Result<(Outputs, Hazards), Error> {
        let stage = linked.shader.stage;
        let place = self.code.stages.iter().position(|(known, _)| *known == stage);
        let flat = place.map(|place| self.code.stages.swap_remove(place).1).unwrap_or_default();
        let mut group = InvocationGroup::new(
            self.program,
            &linked.shader,
            &self.code.layout,
            environment,
            mask,
            lanes,
            limit,
        );
        group.flat = flat;
        group.shared = known.map(|known| {
            SharedStorage::new(&self.program.types, &self.code.layout, linked, lanes, known)
        });
        group.run_main()?;
        let fragment = stage == Stage::Fragment;
        let vertices = match stage {
            Stage::TessControl => control_invocations(&linked.shader),
            _ => 0,
        };
        let outputs = Outputs {
            varyings: if fragment { Vec::new() } else { group.collect_varyings(None) },
            vertices: (0..vertices).map(|vertex| group.collect_varyings(Some(vertex))).collect(),
            fragment: if fragment { group.collect_fragment_outputs() } else { Vec::new() },
            killed: group.killed,
            undefined_control_flow: group.undefined.control_flow,
            undefined_writes: group.undefined.writes,
            emitted_undefined: group.undefined.emitted,
            steps: group.budget.steps,
        };
        let hazards = group.shared.map(SharedStorage::into_hazards).unwrap_or_default();
        self.code.stages.push((stage, group.flat));
        Ok((outputs, hazards))
    }
}
