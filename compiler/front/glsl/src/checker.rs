//! State of the checker: the shader that it builds, its tables, and the recording of errors.

use crate::constants::value::Value;
use crate::language::Language;
use crate::scope::Scopes;
use crate::state::{
    BuiltinInstances, Colors, DefaultQualifiers, ParameterQualifiers, Root, SubroutineType,
};
use crate::type_names::TypeAvailability;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use glsl_syntax::ast::{self, Behavior, TranslationUnit};
use glsl_syntax::diagnostic::{Diagnostic, Diagnostics, Severity};
use glsl_syntax::intern::Symbol;
use glsl_syntax::source::{FileId, Span};
use program::variable::{MemoryQualifiers, Precision};
use program::{
    Capabilities, ExprId, ExprKind, FunctionId, GlobalId, Local, LocalId, Shader, SourceText,
    Stage, Storage, TypeId, TypeTable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::ops::Range;

/// Marker for an error that is already recorded; callers add nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// Result of a step whose errors are already recorded.
pub(crate) type Check<T> = Result<T, Reported>;

/// Maximum errors kept, so that a broken shader does not fill the memory.
const MAX_ERRORS: usize = 100;

/// The function being checked.
pub(crate) struct CurrentFunction {
    pub(crate) id: FunctionId,
    pub(crate) result: TypeId,
    pub(crate) locals: PrimaryMap<LocalId, Local>,
    /// Locals that may not be written: `const` variables and parameters.
    pub(crate) constants: FxHashMap<LocalId, Option<ExprId>>,
    /// Loops and switches around the current statement.
    pub(crate) loops: u32,
    pub(crate) switches: u32,
    /// Never-taken branches around the current statement.
    pub(crate) dead: u32,
    /// Statements and operators around the current expression that may skip it.
    pub(crate) flow: u32,
    /// True if a `return` was seen.
    pub(crate) returned: bool,
    /// Ends of critical sections so far: 1 within one, 2 after it.
    pub(crate) interlocks: u32,
    /// True if a `return` with a value was seen.
    pub(crate) returns: bool,
    /// Memory qualifiers of image parameters.
    pub(crate) memory: FxHashMap<LocalId, MemoryQualifiers>,
    /// Locals of which something is written.
    pub(crate) written: FxHashSet<LocalId>,
    /// Unnamed locals, declared at the start of the body.
    pub(crate) temporaries: Vec<LocalId>,
}

/// State of checking one shader.
pub(crate) struct Checker<'a> {
    pub(crate) unit: &'a TranslationUnit,
    pub(crate) language: Language<'a>,
    pub(crate) types: &'a mut TypeTable,
    pub(crate) shader: Shader,
    pub(crate) scopes: Scopes,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) function: Option<CurrentFunction>,
    pub(crate) defaults: DefaultQualifiers,
    /// `#extension` directives already applied.
    pub(crate) extensions_applied: usize,
    pub(crate) builtins: BuiltinInstances,
    /// Number of structures declared per name, for [`program::types::StructType::scope`].
    pub(crate) struct_scopes: FxHashMap<Box<str>, u32>,
    /// Leaves and depth of structures.
    pub(crate) struct_weights: FxHashMap<TypeId, (u32, u32)>,
    /// ES: precisions of the leaves of structures.
    pub(crate) struct_precisions: FxHashMap<TypeId, Vec<Precision>>,
    /// Explicit or implied offsets of the next atomic counter, by binding.
    pub(crate) counter_offsets: FxHashMap<u32, u32>,
    /// Bytes that atomic counters take, by binding.
    pub(crate) counter_bytes: FxHashMap<u32, Vec<Range<u32>>>,
    /// Values of constant variables by initializer.
    pub(crate) constant_values: RefCell<FxHashMap<ExprId, Option<Value>>>,
    pub(crate) file_starts: Vec<Span>,
    pub(crate) type_names: FxHashMap<Symbol, Option<(TypeId, TypeAvailability)>>,
    /// INTEL_conservative_rasterization: true after `layout(inner_coverage) in;`.
    pub(crate) inner_coverage: bool,
    /// The last layout declaration of inputs or outputs.
    pub(crate) layout_span: Span,
    /// Globals used in an expression.
    pub(crate) used: SecondaryMap<GlobalId, bool>,
    /// Built-in variables that were redeclared.
    pub(crate) redeclared: FxHashSet<GlobalId>,
    /// Qualifiers of parameters, per function.
    pub(crate) parameter_qualifiers: FxHashMap<FunctionId, Vec<ParameterQualifiers>>,
    /// Fragment colors written so far.
    pub(crate) colors_written: Colors,
    /// Subroutine types by name.
    pub(crate) subroutine_types: FxHashMap<Box<str>, SubroutineType>,
    /// User functions by name and types of parameters.
    pub(crate) signatures: FxHashMap<(Symbol, Vec<TypeId>), FunctionId>,
    /// Names of functions with an error in their header: a call may mean the broken overload.
    pub(crate) broken_functions: FxHashSet<Symbol>,
    /// Blocks by kind and name, and their names.
    pub(crate) blocks: FxHashSet<(Storage, Symbol)>,
    pub(crate) block_names: FxHashSet<Symbol>,
    /// Sizes of arrays with an element per vertex.
    pub(crate) per_vertex_sizes: FxHashMap<Storage, u32>,
    /// Largest constant indices of arrays without a size.
    pub(crate) largest_indices: FxHashMap<Root, i64>,
    /// Members of uniform and storage blocks without a size, and those that a constant indexes.
    pub(crate) unsized_members: Vec<(GlobalId, u32, Span)>,
    pub(crate) indexed_members: FxHashSet<(GlobalId, u32)>,
    /// Members of structures by name.
    pub(crate) member_indices: FxHashMap<TypeId, FxHashMap<Box<str>, u32>>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
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
            defaults: DefaultQualifiers::default(),
            extensions_applied: 0,
            builtins: Default::default(),
            struct_scopes: FxHashMap::default(),
            struct_weights: FxHashMap::default(),
            struct_precisions: FxHashMap::default(),
            counter_offsets: FxHashMap::default(),
            counter_bytes: FxHashMap::default(),
            constant_values: RefCell::default(),
            file_starts,
            type_names: FxHashMap::default(),
            inner_coverage: false,
            layout_span: Span::default(),
            used: SecondaryMap::new(),
            redeclared: FxHashSet::default(),
            parameter_qualifiers: FxHashMap::default(),
            colors_written: Default::default(),
            subroutine_types: FxHashMap::default(),
            signatures: FxHashMap::default(),
            broken_functions: FxHashSet::default(),
            blocks: FxHashSet::default(),
            block_names: FxHashSet::default(),
            per_vertex_sizes: FxHashMap::default(),
            largest_indices: FxHashMap::default(),
            unsized_members: Vec::new(),
            indexed_members: FxHashSet::default(),
            member_indices: FxHashMap::default(),
        }
    }

    pub(crate) fn translation_unit(&mut self) {
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
                .and_then(|()| self.check_layouts())
                .and_then(|()| self.check_unsized_members());
        }
    }

    pub(crate) fn finish(mut self) -> Result<Shader, Diagnostics> {
        if self.diagnostics.iter().any(|d| d.severity == Severity::Error) {
            self.diagnostics.sort_by_key(|d| d.span.start);
            return Err(Diagnostics(self.diagnostics));
        }
        self.finish_layout();
        self.shader.conversions = self.language.conversions;
        self.shader.free_outputs = self.language.extension("EXT_blend_func_extended");
        self.shader.sources = self.source_texts();
        Ok(self.shader)
    }

    /// The files of the unit; the last source string, which is the shader's own text, has lines.
    fn source_texts(&self) -> Vec<SourceText> {
        let sources = &self.unit.sources;
        let files = (0..self.file_starts.len() as u32).map(FileId);
        let strings = files.clone().take_while(|&file| sources.file_name(file).is_empty());
        let own = strings.last();
        let text = |file: FileId| {
            let lines = Some(file) == own;
            let line_starts = lines.then(|| sources.line_starts(file).into());
            SourceText { unit: 0, line_starts }
        };
        files.map(text).collect()
    }

    /// Applies the `#extension` directives before `pos`.
    pub(crate) fn apply_extensions(&mut self, pos: u32) {
        while let Some(directive) = self.unit.extensions.get(self.extensions_applied) {
            if directive.span.end > pos {
                return;
            }
            self.extensions_applied += 1;
            let name = self.unit.interner.text(directive.name);
            self.language.set_extension(name, directive.behavior != Behavior::Disable);
        }
    }

    /// Records an error.
    #[cold]
    pub(crate) fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Check<T> {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(&self.unit.sources, span, message));
        }
        Err(Reported)
    }

    /// Declares the name of a declaration with an error, so that its uses are not reported too.
    pub(crate) fn declare_unknown(&mut self, name: ast::Name) {
        if !self.text(name.symbol).starts_with("gl_") {
            self.scopes.declare_unknown(name.symbol);
        }
    }

    /// Text of a name.
    pub(crate) fn text(&self, symbol: Symbol) -> &'a str {
        self.unit.interner.text(symbol)
    }

    /// A span of the typed program.
    pub(crate) fn span(&self, span: Span) -> program::Span {
        let file = self.file_starts.partition_point(|f| f.start <= span.start).saturating_sub(1);
        let start = self.file_starts.get(file).map_or(0, |f| f.start);
        program::Span {
            source: file as u16,
            start: span.start - start.min(span.start),
            len: (span.end - span.start).min(u32::from(u16::MAX)) as u16,
        }
    }

    /// Adds an expression.
    pub(crate) fn push(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        let span = self.span(span);
        if let ExprKind::Global(id) = kind {
            self.used[id] = true;
        }
        self.shader.exprs.push(program::Expr { kind, ty, precise: false, span })
    }

    /// Type of an expression.
    pub(crate) fn ty(&self, id: ExprId) -> TypeId {
        self.shader.exprs[id].ty
    }

    /// Spelling of a type.
    pub(crate) fn type_name(&self, id: TypeId) -> String {
        self.types.name(id)
    }
}
