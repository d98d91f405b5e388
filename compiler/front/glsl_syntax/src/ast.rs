//! The syntax tree: dense tables of nodes with typed ids, children as ids, child lists as ranges of
//! pools.
//!
//! The tree is purely syntactic. The parser knows no types: a name before `(` is a [`Callee`]
//! whether it turns out to be a function, a type or a structure, and `a[2](x)` is one form for
//! array constructors and calls through subroutine arrays. Types are names plus array dimensions.
//! Everything keeps source order.

use crate::intern::{Interner, Symbol};
use crate::source::{SourceMap, Span};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use std::marker::PhantomData;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    )* };
}

/// No path from a global declaration or statement to a leaf is longer than this: deeper shaders are
/// errors, so walks over the tree may recurse. Left operands of binary operators and of commas do
/// not count, if the operand is of the same kind: walks follow such chains in a loop.
pub const MAX_DEPTH: u32 = 1000;

ids! {
    /// An [`Expr`].
    ExprId "expr"
    /// A [`Stmt`].
    StmtId "stmt"
    /// A [`Decl`].
    DeclId "decl"
    /// A [`TypeSpec`].
    TypeSpecId "type"
    /// A [`Struct`].
    StructId "struct"
    /// A [`Function`].
    FunctionId "fn"
    /// A [`InterfaceBlock`].
    BlockId "block"
    /// A [`Declarator`].
    DeclaratorId "declarator"
    /// A [`Qualifier`].
    QualifierId "qualifier"
    /// A [`LayoutEntry`].
    LayoutEntryId "layout"
    /// A [`Member`].
    MemberId "member"
    /// A [`Param`].
    ParamId "param"
}

/// A list of children: a range of the pool that belongs to `T`. Read it with
/// [`TranslationUnit::list`].
#[derive(Debug, PartialEq, Eq)]
pub struct List<T> {
    start: u32,
    len: u32,
    item: PhantomData<T>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { start: 0, len: 0, item: PhantomData }
    }
}

impl<T> List<T> {
    /// Number of items.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A word with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub symbol: Symbol,
    /// Position.
    pub span: Span,
}

/// An array dimension: the size expression, or none for `[]`.
pub type Dim = PackedOption<ExprId>;

/// An item that has a pool in [`Pools`], so that [`List`]s of it exist.
pub trait Pooled: Sized + Copy {
    /// The pool to read from.
    fn pool(pools: &Pools) -> &Vec<Self>;
    /// The pool to append to.
    fn pool_mut(pools: &mut Pools) -> &mut Vec<Self>;
}

macro_rules! pools {
    ($($field:ident: $ty:ty),* $(,)?) => {
        /// Storage of [`List`]s.
        #[derive(Clone, Debug, Default)]
        pub struct Pools { $($field: Vec<$ty>),* }

        impl Pools {
            fn clear(&mut self) { $(self.$field.clear();)* }
        }

        $(impl Pooled for $ty {
            fn pool(pools: &Pools) -> &Vec<Self> { &pools.$field }
            fn pool_mut(pools: &mut Pools) -> &mut Vec<Self> { &mut pools.$field }
        })*
    };
}

pools! {
    exprs: ExprId,
    stmts: StmtId,
    decls: DeclId,
    declarators: DeclaratorId,
    qualifiers: QualifierId,
    layouts: LayoutEntryId,
    members: MemberId,
    params: ParamId,
    dims: Dim,
    names: Name,
}

// ---- - ----
// expressions

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Form.
    pub kind: ExprKind,
    /// From its first to its last token, without parentheses around it.
    pub span: Span,
}

/// Forms of expressions.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// A name on its own: a variable, or `gl_…`.
    Name(Symbol),
    /// An integer literal: its bits (already range-checked for the type) and the type of its
    /// suffix.
    Int(u64, IntType),
    /// A floating-point literal. One of type `float` is already rounded, once, from the decimal
    /// spelling to f32; the others hold the nearest f64.
    Float(f64, FloatType),
    /// `true` or `false`.
    Bool(bool),
    /// A prefix or postfix operator.
    Unary(UnaryOp, ExprId),
    /// A binary operator, the short-circuit ones included.
    Binary(BinaryOp, ExprId, ExprId),
    /// `target = value` (no operator) or `target op= value`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `condition ? a : b`.
    Ternary(ExprId, ExprId, ExprId),
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// `base[index]`.
    Index(ExprId, ExprId),
    /// `base.name`: a member or a swizzle.
    Field(ExprId, Name),
    /// `base.name(args)`; only `.length()` has a meaning.
    Method(ExprId, Name, List<ExprId>),
    /// `callee(args)`: function call, constructor or subroutine call. `f(void)` has no arguments.
    Call(Callee, List<ExprId>),
    /// `{ a, b }`, in initializers only; it nests.
    InitList(List<ExprId>),
}

/// Callee of a call: a name, with dimensions for `float[2](…)`, `S[](…)` and
/// `subroutine_array[i](…)`.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    /// Function, type, structure or subroutine uniform.
    pub name: Name,
    /// The brackets between name and parenthesis.
    pub dims: List<Dim>,
}

/// Type of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntType {
    /// No suffix. Value up to 0xffffffff is kept as 32-bit pattern in the low half.
    Int,
    /// `u`.
    Uint,
    /// `s`.
    Int16,
    /// `us`.
    Uint16,
    /// `l`.
    Int64,
    /// `ul`.
    Uint64,
}

/// Type of a floating-point literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatType {
    /// No suffix or `f`.
    Float,
    /// `lf`.
    Double,
    /// `hf`.
    Half,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum UnaryOp {
    Plus,
    Neg,
    /// `!`.
    Not,
    /// `~`.
    BitNot,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
    BitAnd,
    BitXor,
    BitOr,
    /// `&&`.
    And,
    /// `^^`.
    Xor,
    /// `||`.
    Or,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
}

// ---- - ----
// types, qualifiers

/// A type without qualifiers.
#[derive(Clone, Copy, Debug)]
pub struct TypeSpec {
    /// The name or the structure.
    pub kind: TypeKind,
    /// Dimensions written after the type, outermost first: `float[2][3]`.
    pub dims: List<Dim>,
    /// Name or structure and dimensions.
    pub span: Span,
}

/// The base of a type.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind {
    /// Built-in type (`void` included), structure, or subroutine type.
    Name(Symbol),
    /// A structure defined in place.
    Struct(StructId),
}

/// `struct name { members }`.
#[derive(Clone, Copy, Debug)]
pub struct Struct {
    /// None for an anonymous structure.
    pub name: Option<Name>,
    /// Its members.
    pub members: List<MemberId>,
    /// From `struct` to `}`.
    pub span: Span,
}

/// One declaration inside a structure or an interface block.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Qualifiers in source order.
    pub qualifiers: List<QualifierId>,
    /// The type.
    pub ty: TypeSpecId,
    /// One or more names; no initializers.
    pub declarators: List<DeclaratorId>,
    /// Up to the `;`.
    pub span: Span,
}

/// One qualifier.
#[derive(Clone, Copy, Debug)]
pub struct Qualifier {
    /// Kind of qualifier.
    pub kind: QualifierKind,
    /// Its word, for layout and subroutine with the parentheses.
    pub span: Span,
}

/// Qualifiers.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum QualifierKind {
    Const,
    In,
    Out,
    Inout,
    Attribute,
    Varying,
    Uniform,
    Buffer,
    Shared,
    Centroid,
    Sample,
    Patch,
    Smooth,
    Flat,
    Noperspective,
    /// `__explicitInterpAMD`.
    ExplicitInterp,
    Precision(Precision),
    Coherent,
    Volatile,
    Restrict,
    Readonly,
    Writeonly,
    Invariant,
    Precise,
    /// `subroutine` (empty list) or `subroutine(type, …)`.
    Subroutine(List<Name>),
    Layout(List<LayoutEntryId>),
    /// `__pixel_localEXT`, with `in` or `out` in the other two spellings.
    PixelLocal {
        input: bool,
        output: bool,
    },
}

/// Precision qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum Precision {
    High,
    Medium,
    Low,
}

/// `name` or `name = value` inside `layout( )`.
#[derive(Clone, Copy, Debug)]
pub struct LayoutEntry {
    /// As written; layout names are case-insensitive before GLSL 4.20, the checker decides.
    pub name: Name,
    /// The value, a constant expression.
    pub value: PackedOption<ExprId>,
}

// ---- - ----
// declarations

/// A declaration, global or local.
#[derive(Clone, Copy, Debug)]
pub struct Decl {
    /// Form.
    pub kind: DeclKind,
    /// Up to the `;` or `}`.
    pub span: Span,
}

/// Forms of declarations.
#[derive(Clone, Copy, Debug)]
pub enum DeclKind {
    /// `qualifiers type a, b[2] = …;`, with no declarators for `struct S { … };` and `int;`.
    Variables {
        /// Qualifiers in source order.
        qualifiers: List<QualifierId>,
        /// Type, possibly a structure definition.
        ty: TypeSpecId,
        /// The names.
        declarators: List<DeclaratorId>,
    },
    /// A function prototype or definition.
    Function(FunctionId),
    /// An interface block.
    Block(BlockId),
    /// `precision highp float;`.
    Precision(Precision, TypeSpecId),
    /// `layout(…) in;`, `invariant a, b;`, `precise c;`: qualifiers alone, or applied to names
    /// declared elsewhere.
    Qualifiers(List<QualifierId>, List<Name>),
    /// A lone `;` at global scope.
    Empty,
}

/// One name of a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Name,
    /// Dimensions after the name; those of the type come after them in meaning (GLSL 4.60 section
    /// 4.1.9).
    pub dims: List<Dim>,
    /// The initializer.
    pub init: PackedOption<ExprId>,
}

/// A function prototype or definition.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Qualifiers of the return type (`subroutine`, precision, `invariant`…).
    pub qualifiers: List<QualifierId>,
    /// Return type.
    pub return_type: TypeSpecId,
    /// Its name.
    pub name: Name,
    /// Parameters; `f(void)` has none.
    pub params: List<ParamId>,
    /// The compound statement; none for a prototype.
    pub body: PackedOption<StmtId>,
    /// From the return type to the closing parenthesis.
    pub header: Span,
}

/// A function parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Qualifiers in source order.
    pub qualifiers: List<QualifierId>,
    /// The type.
    pub ty: TypeSpecId,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Dimensions after the name.
    pub dims: List<Dim>,
    /// The whole parameter.
    pub span: Span,
}

/// `qualifiers Name { members } instance[dims];`.
#[derive(Clone, Copy, Debug)]
pub struct InterfaceBlock {
    /// Qualifiers in source order.
    pub qualifiers: List<QualifierId>,
    /// Block name.
    pub name: Name,
    /// Its members.
    pub members: List<MemberId>,
    /// Instance name.
    pub instance: Option<Name>,
    /// Dimensions of the instance.
    pub dims: List<Dim>,
}

// ---- - ----
// statements

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// Form.
    pub kind: StmtKind,
    /// Its whole text; for compound statements up to the closing brace.
    pub span: Span,
}

/// Forms of statements.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `expression;`
    Expr(ExprId),
    /// A local declaration.
    Decl(DeclId),
    /// `{ … }`
    Compound(List<StmtId>),
    /// `if (condition) then else otherwise`
    If {
        /// Condition.
        condition: ExprId,
        /// Taken if true.
        then: StmtId,
        /// Taken if false.
        otherwise: PackedOption<StmtId>,
    },
    /// `switch (selector) { body }`; labels are statements of the body.
    Switch {
        /// Selector.
        selector: ExprId,
        /// Labels and statements in order.
        body: List<StmtId>,
    },
    /// `case value:`
    Case(ExprId),
    /// `default:`
    Default,
    /// `while (condition) body`
    While {
        /// Condition, possibly a declaration.
        condition: Condition,
        /// Loop body.
        body: StmtId,
    },
    /// `do body while (condition);`
    DoWhile {
        /// Loop body.
        body: StmtId,
        /// Condition.
        condition: ExprId,
    },
    /// `for (init condition; step) body`
    For {
        /// [`StmtKind::Empty`], [`StmtKind::Expr`] or [`StmtKind::Decl`].
        init: StmtId,
        /// None means true.
        condition: Option<Condition>,
        /// Runs after each iteration.
        step: PackedOption<ExprId>,
        /// Loop body.
        body: StmtId,
    },
    /// `return;` or `return value;`
    Return(PackedOption<ExprId>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `discard;`
    Discard,
    /// `demote;` (`GL_EXT_demote_to_helper_invocation`)
    Demote,
}

/// Condition of `while` and `for`.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// An expression.
    Expr(ExprId),
    /// `type name = initializer`: a [`DeclKind::Variables`] with one initialized declarator.
    Decl(DeclId),
}

// ---- - ----
// the unit

/// Language and version of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// 110 … 460, or 100, 300, 310, 320 with `es`.
    pub number: u16,
    /// GLSL ES.
    pub es: bool,
    /// Profile after the number. Desktop versions below 150 have none.
    pub profile: Profile,
    /// The directive; `None` if the version is the environment's default.
    pub span: Option<Span>,
}

impl Version {
    /// At least this desktop version (`None`: no desktop version has it) or this ES version.
    pub fn at_least(self, desktop: Option<u16>, es: Option<u16>) -> bool {
        let needed = if self.es { es } else { desktop };
        needed.is_some_and(|needed| self.number >= needed)
    }
}

/// Profile named by `#version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum Profile {
    None,
    Core,
    Compatibility,
    Es,
}

/// Behavior of an `#extension` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum Behavior {
    Require,
    Enable,
    Warn,
    Disable,
}

/// An `#extension` directive that names a supported extension or `all`.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// `GL_…` or `all`.
    pub name: Symbol,
    /// Requested behavior.
    pub behavior: Behavior,
    /// The directive; it holds from its end on.
    pub span: Span,
}

/// A `#pragma` directive.
#[derive(Clone, Copy, Debug)]
pub struct Pragma {
    /// Everything after `pragma`.
    pub text: Span,
}

/// A parsed shader: all nodes, names and positions.
#[derive(Clone, Debug, Default)]
pub struct TranslationUnit {
    /// Language version.
    pub version: Version,
    /// `#extension` directives in order.
    pub extensions: Vec<Extension>,
    /// `#pragma` directives in order.
    pub pragmas: Vec<Pragma>,
    /// Global declarations in order.
    pub globals: List<DeclId>,
    /// Warnings of preprocessor and parser.
    pub warnings: Vec<crate::diagnostic::Diagnostic>,
    /// Names.
    pub interner: Interner,
    /// Text and positions.
    pub sources: SourceMap,
    /// Expressions.
    pub exprs: PrimaryMap<ExprId, Expr>,
    /// Statements.
    pub stmts: PrimaryMap<StmtId, Stmt>,
    /// Declarations.
    pub decls: PrimaryMap<DeclId, Decl>,
    /// Types.
    pub types: PrimaryMap<TypeSpecId, TypeSpec>,
    /// Structures.
    pub structs: PrimaryMap<StructId, Struct>,
    /// Functions.
    pub functions: PrimaryMap<FunctionId, Function>,
    /// Interface blocks.
    pub blocks: PrimaryMap<BlockId, InterfaceBlock>,
    /// Declarators.
    pub declarators: PrimaryMap<DeclaratorId, Declarator>,
    /// Qualifiers.
    pub qualifiers: PrimaryMap<QualifierId, Qualifier>,
    /// Layout entries.
    pub layouts: PrimaryMap<LayoutEntryId, LayoutEntry>,
    /// Members.
    pub members: PrimaryMap<MemberId, Member>,
    /// Parameters.
    pub params: PrimaryMap<ParamId, Param>,
    /// Lists.
    pub pools: Pools,
}

impl Default for Version {
    fn default() -> Self {
        Self { number: 110, es: false, profile: Profile::None, span: None }
    }
}

impl TranslationUnit {
    /// The items of a list.
    pub fn list<T: Pooled>(&self, list: List<T>) -> &[T] {
        let start = list.start as usize;
        T::pool(&self.pools).get(start..start + list.len()).unwrap_or_default()
    }

    /// Stores a list.
    pub fn make_list<T: Pooled>(&mut self, items: &[T]) -> List<T> {
        if items.is_empty() {
            return List::default();
        }
        let pool = T::pool_mut(&mut self.pools);
        let start = pool.len() as u32;
        pool.extend_from_slice(items);
        List { start, len: items.len() as u32, item: PhantomData }
    }

    /// Returns whether `#extension` directives before buffer position `pos` leave `name` on
    /// (require, enable or warn).
    pub fn extension_on(&self, name: &str, pos: u32) -> bool {
        let mut on = false;
        for directive in self.extensions.iter().take_while(|d| d.span.end <= pos) {
            let text = self.interner.text(directive.name);
            if text == name || text == "all" {
                on = directive.behavior != Behavior::Disable;
            }
        }
        on
    }

    /// Empties everything, keeping the memory.
    pub fn clear(&mut self) {
        fn clear<K: EntityRef, V>(map: &mut PrimaryMap<K, V>) {
            map.clear();
        }
        self.version = Version::default();
        self.extensions.clear();
        self.pragmas.clear();
        self.globals = List::default();
        self.warnings.clear();
        self.interner.reset();
        self.sources.clear();
        clear(&mut self.exprs);
        clear(&mut self.stmts);
        clear(&mut self.decls);
        clear(&mut self.types);
        clear(&mut self.structs);
        clear(&mut self.functions);
        clear(&mut self.blocks);
        clear(&mut self.declarators);
        clear(&mut self.qualifiers);
        clear(&mut self.layouts);
        clear(&mut self.members);
        clear(&mut self.params);
        self.pools.clear();
    }
}
