//! Operations of generated tests, and the operands and accepted results of one run.

use std::collections::BTreeSet;

use crate::accept::Accept;
use crate::memory::Memory;
use crate::pool::Pool;
use crate::stage::TestStage;
use crate::value::{Component, Type};

/// An operand: a uniform that the script sets before each draw.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Name in the shader and in the script.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Source of its values.
    pub pool: Pool,
    /// True if the writer of shaders declares the uniform; otherwise [`Signature::globals`] does.
    pub declared: bool,
}

/// Way of an operand to the code that uses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interface {
    /// As uniforms of the stage that computes.
    Uniforms,
    /// Across `flat` varyings: a fragment shader receives its operands from the vertex shader; the
    /// fragment shader checks the result of a vertex shader.
    Varyings,
    /// The same across interpolated varyings, whose value is the same at every vertex.
    Smooth,
    /// As uniform arrays of 32-bit and wider types of which each of four vertices or pixels picks
    /// an element and converts it.
    PerLane,
    /// As attributes of the vertex shader, which passes them on if another stage computes.
    Attributes,
    /// As uniforms; the result is captured by transform feedback and probed in its buffer.
    Feedback,
    /// As uniforms or in a storage buffer; the result is stored in that buffer and probed there.
    Storage,
}

impl Interface {
    /// True if operands cross to the stage that computes, if that is not the first.
    pub fn sends_operands(self) -> bool {
        matches!(self, Interface::Varyings | Interface::Smooth | Interface::Attributes)
    }

    /// True if the result leaves the stage that computes, unless that is the last.
    pub fn sends_result(self) -> bool {
        matches!(self, Interface::Varyings | Interface::Smooth | Interface::Feedback)
    }

    /// Qualifier of varyings.
    pub fn interpolation(self) -> &'static str {
        if self == Interface::Smooth { "smooth" } else { "flat" }
    }
}

/// Operands as `[argument][component]` → accepted values of each result component; `None` for
/// operands whose result GLSL leaves undefined.
pub type WholeFn = Box<dyn Fn(&[Vec<Component>]) -> Option<Vec<Accept>>>;
/// The same for one component.
pub type ElementFn = Box<dyn Fn(&[Component]) -> Option<Accept>>;

/// The expected results.
pub enum Evaluate {
    /// Each result component depends on the same component of the arguments only (scalar arguments
    /// count for all).
    Elementwise(ElementFn),
    /// Anything else.
    Whole(WholeFn),
}

/// One operation over one choice of types.
pub struct Signature {
    /// Directory below the suite.
    pub group: &'static str,
    /// Operation, as in file names.
    pub name: String,
    /// Types, as in file names.
    pub types: String,
    /// Operands.
    pub arguments: Vec<Argument>,
    /// Type of the result.
    pub result: Type,
    /// Declarations before `main`.
    pub globals: String,
    /// Statements before the result's.
    pub statements: String,
    /// The result.
    pub expression: String,
    /// Accepted results.
    pub evaluate: Evaluate,
    /// Way of the operands to the stage that computes.
    pub interface: Interface,
    /// True if the result is declared `precise`: for expressions of several operations, which a
    /// compiler may otherwise rearrange.
    pub precise: bool,
    /// True if `statements` tell four vertices or pixels apart by `lane`, 0 to 3; each is then
    /// probed.
    pub lanes: bool,
    /// Extensions that the code needs beyond those of the types of operands and result.
    pub requires: Vec<&'static str>,
    /// Stages that compute it.
    pub stages: &'static [TestStage],
    /// Contents of a storage buffer.
    pub memory: Option<Memory>,
    /// Number of cases, where the size of the operands does not decide it.
    pub draws: Option<usize>,
}

/// Names of operands.
const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

impl Signature {
    /// An operation on uniforms `a`, `b`, `c`, … , at most eight.
    pub fn new(
        group: &'static str,
        name: impl Into<String>,
        arguments: &[(Type, Pool)],
        result: Type,
        expression: impl Into<String>,
        evaluate: Evaluate,
    ) -> Signature {
        let arguments: Vec<Argument> = arguments
            .iter()
            .zip(NAMES)
            .map(|(&(ty, pool), name)| Argument {
                name: name.to_string(),
                ty,
                pool,
                declared: true,
            })
            .collect();
        let types: Vec<String> = arguments.iter().map(|a| a.ty.glsl()).collect();
        Signature {
            group,
            name: name.into(),
            types: types.join("-"),
            arguments,
            result,
            globals: String::new(),
            statements: String::new(),
            expression: expression.into(),
            evaluate,
            interface: Interface::Uniforms,
            precise: false,
            lanes: false,
            requires: Vec::new(),
            stages: &TestStage::ALL,
            memory: None,
            draws: None,
        }
    }

    /// An operation that works component by component.
    pub fn elementwise(
        group: &'static str,
        name: impl Into<String>,
        arguments: &[(Type, Pool)],
        result: Type,
        expression: impl Into<String>,
        evaluate: impl Fn(&[Component]) -> Option<Accept> + 'static,
    ) -> Signature {
        let evaluate = Evaluate::Elementwise(Box::new(evaluate));
        Signature::new(group, name, arguments, result, expression, evaluate)
    }

    /// An operation that needs all components at once.
    pub fn whole(
        group: &'static str,
        name: impl Into<String>,
        arguments: &[(Type, Pool)],
        result: Type,
        expression: impl Into<String>,
        evaluate: impl Fn(&[Vec<Component>]) -> Option<Vec<Accept>> + 'static,
    ) -> Signature {
        Signature::new(
            group,
            name,
            arguments,
            result,
            expression,
            Evaluate::Whole(Box::new(evaluate)),
        )
    }

    /// Other types in the file's name.
    pub fn types(mut self, types: impl Into<String>) -> Signature {
        self.types = types.into();
        self
    }

    /// Statements before the result's.
    pub fn statements(mut self, statements: impl Into<String>) -> Signature {
        self.statements = statements.into();
        self
    }

    /// Declarations before `main`.
    pub fn globals(mut self, globals: impl Into<String>) -> Signature {
        self.globals = globals.into();
        self
    }

    /// Operands and result across varyings.
    pub fn varyings(self) -> Signature {
        self.interface(Interface::Varyings)
    }

    /// Another way of the operands.
    pub fn interface(mut self, interface: Interface) -> Signature {
        self.interface = interface;
        self
    }

    /// Code that needs an extension.
    pub fn require(mut self, extension: &'static str) -> Signature {
        self.requires.push(extension);
        self
    }

    /// Operands as vertex attributes.
    pub fn attributes(mut self) -> Signature {
        self.interface = Interface::Attributes;
        self.requires.push("GL_ARB_vertex_attrib_64bit");
        self
    }

    /// A result that transform feedback captures, from the stages that can.
    pub fn feedback(mut self) -> Signature {
        self.interface = Interface::Feedback;
        self.requires.push("GL_ARB_enhanced_layouts");
        self.stages(&TestStage::CAPTURED)
    }

    /// Some stages only.
    pub fn stages(mut self, stages: &'static [TestStage]) -> Signature {
        self.stages = stages;
        self
    }

    /// Operands or the result in a storage buffer.
    pub fn memory(mut self, memory: Memory) -> Signature {
        self.memory = Some(memory);
        self
    }

    /// Another number of cases.
    pub fn draws(mut self, draws: usize) -> Signature {
        self.draws = Some(draws);
        self
    }

    /// A result whose operations are done as written.
    pub fn precise(mut self) -> Signature {
        self.precise = true;
        self
    }

    /// Four vertices or pixels that differ.
    pub fn lanes(mut self) -> Signature {
        self.lanes = true;
        self
    }

    /// Operands under names that `globals` declare.
    pub fn uniform_names(mut self, names: &[&str]) -> Signature {
        for (argument, name) in self.arguments.iter_mut().zip(names) {
            argument.name = name.to_string();
            argument.declared = false;
        }
        self
    }

    /// All extensions that the test needs, sorted.
    pub fn extensions(&self) -> BTreeSet<&'static str> {
        let types = self.arguments.iter().map(|a| a.ty).chain([self.result]);
        types.filter_map(|ty| ty.scalar.extension()).chain(self.requires.iter().copied()).collect()
    }

    /// True if four vertices or pixels differ.
    pub fn differs_by_lane(&self) -> bool {
        self.lanes || self.interface == Interface::PerLane
    }

    /// Number of cases that one draw runs.
    pub fn cases_per_draw(&self) -> usize {
        if self.interface == Interface::PerLane { 4 } else { 1 }
    }

    /// Accepted results for operands.
    pub fn accept(&self, arguments: &[Vec<Component>]) -> Option<Vec<Accept>> {
        match &self.evaluate {
            Evaluate::Whole(evaluate) => evaluate(arguments),
            Evaluate::Elementwise(evaluate) => {
                (0..self.result.components()).map(|i| evaluate(&element(arguments, i))).collect()
            }
        }
    }
}

/// Component i of every argument; a scalar's only one for all i.
pub fn element(arguments: &[Vec<Component>], i: usize) -> Vec<Component> {
    arguments.iter().map(|a| if a.len() == 1 { a[0] } else { a[i] }).collect()
}
