//! Checking: a syntax tree becomes a typed [`program::Shader`].
//!
//! Everything that a reader of GLSL must infer is written down here: types, overloads, implicit conversions, built-in
//! variables, array sizes. Values are computed only where the language needs a number ([`constant`]).

mod access;
mod atomic;
mod block;
mod builtin_constants;
mod builtin_variables;
mod call;
mod constant;
mod constant_vector;
mod construct;
mod convert;
mod declaration;
mod expression;
mod function;
mod half;
mod image;
mod language;
mod layout_target;
mod operator;
mod per_vertex;
mod per_vertex_block;
mod place;
mod pragma;
mod precise;
mod qualifier;
mod recursion;
mod redeclaration;
mod scope;
mod signature;
mod signatures;
mod statement;
mod structure;
#[cfg(test)]
mod tests;
mod texture;
mod texture_names;
mod type_names;

pub use language::known_extensions;

use crate::ast::{self, Behaviour, TranslationUnit};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{FileId, Span};
use crate::syntax::{Environment, ExtensionNames, IncludeResolver};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use language::Language;
use program::variable::MemoryQualifiers;
use program::{
    Api, Capabilities, ExprId, ExprKind, FunctionId, GlobalId, Local, LocalId, Shader, Stage, Storage,
    TypeId, TypeTable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scopes;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// How a shader is compiled.
#[derive(Default)]
pub struct CompileOptions<'a> {
    /// What the context offers; `None` checks against every version and extension.
    pub capabilities: Option<&'a Capabilities>,
    /// Language of shaders without `#version`.
    pub default_version: ast::Version,
    /// Where `#include` looks.
    pub includes: Option<Box<dyn IncludeResolver + Send + Sync>>,
    /// The names of the capabilities' extensions, if they are at hand.
    pub extensions: Option<Arc<ExtensionNames>>,
}

impl<'a> CompileOptions<'a> {
    /// Options for one context.
    pub fn new(capabilities: &'a Capabilities) -> CompileOptions<'a> {
        CompileOptions { capabilities: Some(capabilities), ..CompileOptions::default() }
    }

    /// The names of the extensions that can be enabled.
    fn extension_names(&self) -> Arc<ExtensionNames> {
        match (&self.extensions, self.capabilities) {
            (Some(names), _) => names.clone(),
            (None, Some(capabilities)) => ExtensionNames::remembered(&capabilities.extensions),
            (None, None) => ExtensionNames::remembered(&known_extensions().into_iter().collect()),
        }
    }
}

/// Every error of a shader that does not compile, in source order (warnings before them in the list do not count).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            write!(f, "{}{diagnostic}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

/// Parses and checks one shader object given as one or more source strings.
///
/// # Errors
/// All errors of the first phase (preprocessing and parsing, or checking) that found one.
pub fn compile<Source: AsRef<[u8]>>(
    sources: &[Source],
    stage: Stage,
    options: CompileOptions<'_>,
    types: &mut TypeTable,
) -> Result<Shader, Diagnostics> {
    let mut env = Environment::all_versions();
    env.extensions = options.extension_names();
    env.default_version = options.default_version;
    env.includes = options.includes;
    if let Some(capabilities) = options.capabilities {
        let version = capabilities.glsl_version as u16;
        match capabilities.api {
            Api::Es => (env.newest_version, env.newest_es_version) = (0, version),
            Api::Core | Api::Compatibility => {
                env.newest_version = version;
                env.newest_es_version = es_version(capabilities);
            }
        }
    }
    let unit = crate::syntax::parse(sources, &env).map_err(Diagnostics)?;
    check(&unit, stage, options.capabilities, types)
}

/// Newest ES language that a desktop context accepts through the ES compatibility extensions.
fn es_version(capabilities: &Capabilities) -> u16 {
    let by_extension = [
        ("GL_ARB_ES3_2_compatibility", 320),
        ("GL_ARB_ES3_1_compatibility", 310),
        ("GL_ARB_ES3_compatibility", 300),
        ("GL_ARB_ES2_compatibility", 100),
    ];
    by_extension.iter().find(|(name, _)| capabilities.has(name)).map_or(0, |&(_, version)| version)
}

/// Checks a parsed shader.
///
/// # Errors
/// Every semantic error, in source order.
pub fn check(
    unit: &TranslationUnit,
    stage: Stage,
    capabilities: Option<&Capabilities>,
    types: &mut TypeTable,
) -> Result<Shader, Diagnostics> {
    let mut checker = Checker::new(unit, stage, capabilities, types);
    checker.translation_unit();
    checker.finish()
}

/// An error was found and recorded; whoever gets this adds nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// Result of a step whose errors are already recorded.
pub(crate) type Check<T> = Result<T, Reported>;

/// Most errors kept: a broken shader does not fill the memory.
const MAX_ERRORS: usize = 100;

/// The function being checked.
struct CurrentFunction {
    id: FunctionId,
    result: TypeId,
    locals: PrimaryMap<LocalId, Local>,
    /// Locals that may not be written: `const` variables and parameters.
    constants: FxHashMap<LocalId, Option<ExprId>>,
    /// Loops and switches around the current statement.
    loops: u32,
    switches: u32,
    /// Branches around the current statement that are never taken.
    dead: u32,
    /// Statements and operators around the current place that may skip it.
    flow: u32,
    /// Whether a `return` was seen.
    returned: bool,
    /// Ends of critical sections that were seen: 1 within one, 2 after it.
    interlocks: u32,
    /// Whether a `return` with a value was seen.
    returns: bool,
    /// Memory qualifiers of image parameters.
    memory: FxHashMap<LocalId, MemoryQualifiers>,
    /// Locals that no name refers to, declared at the start of the body.
    temporaries: Vec<LocalId>,
}

/// State of checking one shader.
struct Checker<'a> {
    unit: &'a TranslationUnit,
    language: Language<'a>,
    types: &'a mut TypeTable,
    shader: Shader,
    scopes: Scopes,
    diagnostics: Vec<Diagnostic>,
    function: Option<CurrentFunction>,
    defaults: qualifier::Defaults,
    /// `#extension` directives already applied.
    extensions_applied: usize,
    builtins: builtin_variables::Instances,
    /// Number of structures declared per name, for [`program::types::StructType::scope`].
    struct_scopes: FxHashMap<Box<str>, u32>,
    /// Leaves and depth of structures.
    struct_weights: FxHashMap<TypeId, (u32, u32)>,
    /// ES: precisions of the leaves of structures.
    struct_precisions: FxHashMap<TypeId, Vec<program::variable::Precision>>,
    /// Explicit or implied offsets of the next atomic counter, by binding.
    counter_offsets: FxHashMap<u32, u32>,
    /// Values of constant variables by initialiser.
    constant_values: RefCell<FxHashMap<ExprId, Option<constant::Value>>>,
    file_starts: Vec<Span>,
    type_names: FxHashMap<crate::intern::Symbol, Option<(TypeId, type_names::Availability)>>,
    /// INTEL_conservative_rasterization: `layout(inner_coverage) in;` was there.
    inner_coverage: bool,
    /// The last layout declaration of inputs or outputs.
    layout_span: Span,
    /// Globals that an expression has named.
    used: SecondaryMap<GlobalId, bool>,
    /// Built-in variables that were redeclared.
    redeclared: FxHashSet<GlobalId>,
    /// What is known of parameters beside their types, per function.
    parameter_notes: FxHashMap<FunctionId, Vec<function::Notes>>,
    /// Fragment colours written so far.
    colors_written: place::Colors,
    /// Subroutine types by name.
    subroutine_types: FxHashMap<Box<str>, function::SubroutineType>,
    /// User functions by name and types of parameters.
    signatures: FxHashMap<(crate::intern::Symbol, Vec<TypeId>), FunctionId>,
    /// Names of functions with an error in their header: another overload was meant, perhaps.
    broken_functions: FxHashSet<crate::intern::Symbol>,
    /// Blocks by kind and name, and their names.
    blocks: FxHashSet<(Storage, crate::intern::Symbol)>,
    block_names: FxHashSet<crate::intern::Symbol>,
    /// Sizes of arrays with an element per vertex.
    per_vertex_sizes: FxHashMap<Storage, u32>,
    /// Largest constant indices of arrays without a size.
    largest_indices: FxHashMap<place::Root, i64>,
    /// Members of structures by name.
    member_indices: FxHashMap<TypeId, FxHashMap<Box<str>, u32>>,
}

impl<'a> Checker<'a> {
    fn new(
        unit: &'a TranslationUnit,
        stage: Stage,
        capabilities: Option<&'a Capabilities>,
        types: &'a mut TypeTable,
    ) -> Self {
        let file_starts = (0..)
            .map(|i| unit.sources.file_span(FileId(i)))
            .take_while(|span| span.end > span.start)
            .take(usize::from(u16::MAX))
            .collect();
        Checker {
            unit,
            language: Language::new(unit.version, stage, capabilities),
            types,
            shader: Shader::new(stage, unit.version.number, unit.version.es),
            scopes: Scopes::new(!unit.version.es && unit.version.number == 110),
            diagnostics: Vec::new(),
            function: None,
            defaults: qualifier::Defaults::default(),
            extensions_applied: 0,
            builtins: Default::default(),
            struct_scopes: FxHashMap::default(),
            struct_weights: FxHashMap::default(),
            struct_precisions: FxHashMap::default(),
            counter_offsets: FxHashMap::default(),
            constant_values: RefCell::default(),
            file_starts,
            type_names: FxHashMap::default(),
            inner_coverage: false,
            layout_span: Span::default(),
            used: SecondaryMap::new(),
            redeclared: FxHashSet::default(),
            parameter_notes: FxHashMap::default(),
            colors_written: Default::default(),
            subroutine_types: FxHashMap::default(),
            signatures: FxHashMap::default(),
            broken_functions: FxHashSet::default(),
            blocks: FxHashSet::default(),
            block_names: FxHashSet::default(),
            per_vertex_sizes: FxHashMap::default(),
            largest_indices: FxHashMap::default(),
            member_indices: FxHashMap::default(),
        }
    }

    fn translation_unit(&mut self) {
        let unit = self.unit;
        for &id in unit.list(unit.globals) {
            let decl = unit.decls[id];
            self.apply_extensions(decl.span.start);
            // The error is recorded; the next declaration may still be checked.
            let _ = self.global_declaration(id);
            if self.diagnostics.len() >= MAX_ERRORS {
                return;
            }
        }
        if self.diagnostics.is_empty() {
            let _ = self
                .check_pragmas()
                .and_then(|()| self.check_reads())
                .and_then(|()| self.check_recursion())
                .and_then(|()| self.check_layouts());
        }
    }

    fn finish(mut self) -> Result<Shader, Diagnostics> {
        if self.diagnostics.iter().any(|d| d.severity == Severity::Error) {
            self.diagnostics.sort_by_key(|d| d.span.start);
            return Err(Diagnostics(self.diagnostics));
        }
        self.finish_layout();
        self.shader.conversions = self.language.conversions;
        precise::mark(&mut self.shader);
        Ok(self.shader)
    }

    /// Brings the enabled extensions up to date with the directives before `pos`.
    fn apply_extensions(&mut self, pos: u32) {
        while let Some(directive) = self.unit.extensions.get(self.extensions_applied) {
            if directive.span.end > pos {
                return;
            }
            self.extensions_applied += 1;
            let name = self.unit.interner.text(directive.name);
            self.language.set_extension(name, directive.behaviour != Behaviour::Disable);
        }
    }

    /// Records an error.
    #[cold]
    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Check<T> {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(&self.unit.sources, span, message));
        }
        Err(Reported)
    }

    /// What a declaration with an error leaves behind: its name, so that uses of it are not reported too.
    fn declare_unknown(&mut self, name: ast::Name) {
        if !self.text(name.symbol).starts_with("gl_") {
            self.scopes.declare_unknown(name.symbol);
        }
    }

    /// Text of a name.
    fn text(&self, symbol: crate::intern::Symbol) -> &'a str {
        self.unit.interner.text(symbol)
    }

    /// A span of the typed program.
    fn span(&self, span: Span) -> program::Span {
        let file = self.file_starts.partition_point(|f| f.start <= span.start).saturating_sub(1);
        let start = self.file_starts.get(file).map_or(0, |f| f.start);
        program::Span {
            source: file as u16,
            start: span.start - start.min(span.start),
            len: (span.end - span.start).min(u32::from(u16::MAX)) as u16,
        }
    }

    /// Adds an expression.
    fn push(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        let span = self.span(span);
        if let ExprKind::Global(id) = kind {
            self.used[id] = true;
        }
        self.shader.exprs.push(program::Expr { kind, ty, precise: false, span })
    }

    /// Type of an expression.
    fn ty(&self, id: ExprId) -> TypeId {
        self.shader.exprs[id].ty
    }

    /// Spelling of a type.
    fn type_name(&self, id: TypeId) -> String {
        self.types.name(id)
    }
}
