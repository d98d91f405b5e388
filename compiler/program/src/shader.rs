//! One checked shader: globals, functions, statements, and the stage's layout declarations.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use vocabulary::SourceLine;

use crate::builtin_variable::BuiltinVariable;
use crate::conversion::Conversions;
use crate::expression::{Expr, ExprId, ExprKind};
pub use crate::ids::FunctionId;
use crate::span::{SourceText, Span};
use crate::stage::Stage;
use crate::types::TypeId;
use crate::variable::{Global, GlobalId, Local, LocalId, Precision};

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// Evaluate and drop the value.
    Expression(ExprId),
    /// A local comes into scope; without initializer its value is undefined.
    Declare {
        /// The local.
        local: LocalId,
        /// Initial value.
        value: Option<ExprId>,
    },
    /// `if`.
    If {
        /// Bool scalar.
        condition: ExprId,
        /// Statements when true.
        then: Vec<Statement>,
        /// Statements when false.
        otherwise: Vec<Statement>,
    },
    /// Any loop. Each iteration: test `condition` (absent: true) before the body, or after it for
    /// `do … while`; `continue` jumps to `step`, then to the test.
    Loop {
        /// Statements before the first iteration (`for`'s initialization).
        init: Vec<Statement>,
        /// Statements that compute the condition's declared variable, run at each test
        /// (`while (bool b = f())`).
        condition_declaration: Vec<Statement>,
        /// Bool scalar.
        condition: Option<ExprId>,
        /// Test after the body.
        test_after: bool,
        /// `for`'s loop expression.
        step: Option<ExprId>,
        /// Body.
        body: Vec<Statement>,
    },
    /// `switch`; control falls through from one case to the next.
    Switch {
        /// `int` or `uint` scalar.
        selector: ExprId,
        /// Cases in order.
        cases: Vec<Case>,
    },
    /// `{ … }` where it matters (locals are already unique).
    Block(Vec<Statement>),
    /// `break` out of the innermost loop or switch.
    Break,
    /// `continue` of the innermost loop.
    Continue,
    /// `return`.
    Return(Option<ExprId>),
    /// `discard`.
    Discard,
    /// `demote` (EXT_demote_to_helper_invocation).
    Demote,
}

/// A run of case labels and the statements after it.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Label values (as the selector's 32 bits).
    pub labels: Vec<u32>,
    /// True if `default:` is among the labels.
    pub default: bool,
    /// Statements up to the next label.
    pub body: Vec<Statement>,
}

/// Direction of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Copied in.
    In,
    /// Copied out; undefined at entry.
    Out,
    /// Copied in and out.
    InOut,
    /// An opaque argument (sampler, image, atomic counter): passed as a place.
    Opaque,
}

/// A function parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The local that holds it in the body.
    pub local: LocalId,
    /// Direction.
    pub direction: Direction,
}

/// A user function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Identifier.
    pub name: Box<str>,
    /// Return type.
    pub result: TypeId,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// All locals of the body, parameters included.
    pub locals: PrimaryMap<LocalId, Local>,
    /// Body; `None` for a prototype whose definition another shader of the stage provides.
    pub body: Option<Vec<Statement>>,
    /// Subroutine types this function implements.
    pub subroutine_types: Vec<Box<str>>,
    /// `layout(index=)` of a subroutine function.
    pub subroutine_index: Option<u32>,
    /// Declaration.
    pub span: Span,
}

/// Primitive types of geometry and tessellation layouts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum LayoutPrimitive {
    Points,
    Lines,
    LinesAdjacency,
    Triangles,
    TrianglesAdjacency,
    LineStrip,
    TriangleStrip,
    Quads,
    Isolines,
}

impl LayoutPrimitive {
    /// Vertices of one primitive, as a geometry shader gets them.
    pub const fn vertices(self) -> u32 {
        match self {
            LayoutPrimitive::Points => 1,
            LayoutPrimitive::Lines | LayoutPrimitive::LineStrip | LayoutPrimitive::Isolines => 2,
            LayoutPrimitive::Triangles | LayoutPrimitive::TriangleStrip => 3,
            LayoutPrimitive::LinesAdjacency | LayoutPrimitive::Quads => 4,
            LayoutPrimitive::TrianglesAdjacency => 6,
        }
    }
}

/// Tessellation spacing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum Spacing {
    Equal,
    FractionalEven,
    FractionalOdd,
}

/// Declarations that make all samplers or images of a compilation unit bindless or bound
/// (ARB_bindless_texture section 4.4.6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct HandleDefaults {
    /// `layout(bindless_sampler) uniform;`
    pub bindless_sampler: bool,
    /// `layout(bound_sampler) uniform;`
    pub bound_sampler: bool,
    /// `layout(bindless_image) uniform;`
    pub bindless_image: bool,
    /// `layout(bound_image) uniform;`
    pub bound_image: bool,
}

impl HandleDefaults {
    /// Adds the declarations of another unit.
    pub fn merge(&mut self, other: HandleDefaults) {
        self.bindless_sampler |= other.bindless_sampler;
        self.bound_sampler |= other.bound_sampler;
        self.bindless_image |= other.bindless_image;
        self.bound_image |= other.bound_image;
    }
}

/// Order of the fragments' critical sections (ARB_fragment_shader_interlock).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum Interlock {
    PixelOrdered,
    PixelUnordered,
    SampleOrdered,
    SampleUnordered,
}

/// Stage-wide layout declarations (`layout(...) in;` and `layout(...) out;`); `None` where not
/// declared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StageLayout {
    /// Geometry input primitive or tessellation evaluation domain.
    pub input_primitive: Option<LayoutPrimitive>,
    /// Geometry output primitive.
    pub output_primitive: Option<LayoutPrimitive>,
    /// Geometry `max_vertices`.
    pub max_vertices: Option<u32>,
    /// Geometry `invocations`.
    pub invocations: Option<u32>,
    /// Tessellation control `vertices`.
    pub vertices: Option<u32>,
    /// Tessellation spacing.
    pub spacing: Option<Spacing>,
    /// Tessellation winding: true for `cw`.
    pub clockwise: Option<bool>,
    /// Tessellation `point_mode`.
    pub point_mode: bool,
    /// `early_fragment_tests`.
    pub early_fragment_tests: bool,
    /// `post_depth_coverage`.
    pub post_depth_coverage: bool,
    /// Declarations of all samplers and images as bindless or bound.
    pub handles: HandleDefaults,
    /// Fragment interlock mode.
    pub interlock: Option<Interlock>,
    /// Compute `local_size_x/y/z`.
    pub local_size: Option<[u32; 3]>,
    /// `local_size_variable`.
    pub local_size_variable: bool,
    /// NV_compute_shader_derivatives grouping: quads (true) or linear (false).
    pub derivative_group_quads: Option<bool>,
    /// `xfb_stride` per transform feedback buffer, in bytes.
    pub xfb_stride: [Option<u32>; 4],
}

/// Redeclarations of built-in interfaces, which linking compares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Redeclarations {
    /// Members of a redeclared input `gl_PerVertex`.
    pub per_vertex_in: Option<Vec<BuiltinVariable>>,
    /// Members of a redeclared output `gl_PerVertex`.
    pub per_vertex_out: Option<Vec<BuiltinVariable>>,
    /// True if `gl_FragCoord` was redeclared.
    pub frag_coord: bool,
}

/// A checked shader: one shader object before linking, or all of a stage after it.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Stage.
    pub stage: Stage,
    /// `#version` number.
    pub version: u16,
    /// True if the version is an ES one.
    pub es: bool,
    /// Expression arena.
    pub exprs: PrimaryMap<ExprId, Expr>,
    /// Global variables in declaration order.
    pub globals: PrimaryMap<GlobalId, Global>,
    /// Functions.
    pub functions: PrimaryMap<FunctionId, Function>,
    /// `main`, once linked (and in shader objects that define it).
    pub entry: Option<FunctionId>,
    /// Layout declarations.
    pub layout: StageLayout,
    /// Precision of globals in ES shaders, declared or by default: that of each leaf of a
    /// structure.
    pub precisions: SecondaryMap<GlobalId, Vec<Precision>>,
    /// Redeclared built-ins.
    pub redeclarations: Redeclarations,
    /// Calls in branches whose condition is a constant expression that is false: their callees need
    /// no definition.
    pub dead_calls: Vec<ExprId>,
    /// Implicit conversions, for calls of functions that other shader objects define.
    pub conversions: Conversions,
    /// True if several outputs of an ES fragment shader need no locations: the shader enables
    /// EXT_blend_func_extended, with which the API assigns them.
    pub free_outputs: bool,
    /// Source strings, which the spans of expressions name.
    pub sources: Vec<SourceText>,
    /// True if the shader is a SPIR-V module's: its interface has no names that matter, and
    /// differences between stages make values undefined but are no errors (ARB_gl_spirv).
    pub nameless: bool,
}

impl Shader {
    /// The source line where a span begins; unknown for what has no text.
    pub fn line(&self, span: Span) -> SourceLine {
        let text = self.sources.get(usize::from(span.source)).filter(|_| span.len > 0);
        text.map_or(SourceLine::UNKNOWN, |text| text.line(span.start))
    }

    /// Forgets the lines of the text, which was generated: they mean nothing to a user.
    pub fn forget_lines(&mut self) {
        self.sources.iter_mut().for_each(|text| text.line_starts = None);
    }

    /// The functions that a subroutine uniform of each type may select.
    pub(crate) fn functions_by_subroutine_type(&self) -> FxHashMap<&str, Vec<FunctionId>> {
        let mut functions: FxHashMap<&str, Vec<FunctionId>> = FxHashMap::default();
        for (id, function) in self.functions.iter() {
            function
                .subroutine_types
                .iter()
                .for_each(|ty| functions.entry(ty).or_default().push(id));
        }
        functions
    }

    /// An empty shader.
    pub fn new(stage: Stage, version: u16, es: bool) -> Shader {
        Shader {
            stage,
            version,
            es,
            exprs: PrimaryMap::new(),
            globals: PrimaryMap::new(),
            functions: PrimaryMap::new(),
            entry: None,
            layout: StageLayout::default(),
            precisions: SecondaryMap::new(),
            redeclarations: Redeclarations::default(),
            dead_calls: Vec::new(),
            conversions: Conversions::default(),
            free_outputs: false,
            sources: Vec::new(),
            nameless: false,
        }
    }

    /// The first operand of an expression's binary operators and commas down the left side, and
    /// these, innermost first: `a + b, c` gives `a` and [`a + b`, `a + b, c`]. Such chains are as
    /// long as the text allows; nothing else nests deeper than the front end's limit, so walks
    /// follow chains in a loop and recurse otherwise.
    pub fn left_chain(&self, id: ExprId) -> (ExprId, SmallVec<[ExprId; 4]>) {
        let mut chain = SmallVec::new();
        let mut first = id;
        while let ExprKind::Binary(_, left, _) | ExprKind::Sequence(left, _) =
            self.exprs[first].kind
        {
            chain.push(first);
            first = left;
        }
        chain.reverse();
        (first, chain)
    }
}
