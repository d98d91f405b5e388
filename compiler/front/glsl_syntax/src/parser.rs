//! Parser: recursive descent over the token vector, precedence climbing for binary operators.
//!
//! It knows no types and keeps no symbol table: `name name` and `name [..] name` begin a
//! declaration, everything else that begins with a name is an expression. It stops at the first
//! error.

mod declaration;
mod expression;
mod keyword;
mod literal;
mod statement;

use crate::ast::{
    DeclId, Expr, ExprId, ExprKind, List, MAX_DEPTH, Name, QualifierId, StmtId, TranslationUnit,
};
use crate::diagnostic::Diagnostic;
use crate::intern::Symbol;
use crate::source::Span;
use crate::token::{Token, TokenKind, flags};
use keyword::Keywords;

/// Maximum nesting of the parser's recursive functions.
const MAX_NESTING: u32 = 1000;

/// Maximum length of a name in ES (ES 3.20 section 3.8).
const MAX_ES_NAME: usize = 1024;

/// Parsing stops at the first error; boxed because it travels through every return value.
type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Memory reused from compilation to compilation.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Height of each expression's tree, by [`ExprId`].
    heights: Vec<u16>,
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    decls: Vec<DeclId>,
    qualifiers: Vec<QualifierId>,
    keywords: Keywords,
}

struct Parser<'a> {
    unit: &'a mut TranslationUnit,
    tokens: &'a [Token],
    next: usize,
    buffers: &'a mut Buffers,
    nesting: u32,
    /// Statements around the current place, for the limit on the tree's height.
    depth: u32,
    /// End of the last consumed token.
    last_end: u32,
}

/// Parses `tokens`, which end in [`TokenKind::End`], into the unit's tables.
pub(crate) fn run(
    unit: &mut TranslationUnit,
    tokens: &[Token],
    buffers: &mut Buffers,
) -> Result<(), Diagnostic> {
    buffers.heights.clear();
    buffers.exprs.clear();
    buffers.stmts.clear();
    buffers.decls.clear();
    buffers.qualifiers.clear();
    buffers.keywords.set_up(unit);
    let mut parser = Parser { unit, tokens, next: 0, buffers, nesting: 0, depth: 0, last_end: 0 };
    parser.translation_unit().map_err(|error| *error)
}

impl Parser<'_> {
    /// One declaration at least (GLSL 4.60 chapter 9, `translation_unit`).
    fn translation_unit(&mut self) -> Parsed<()> {
        if self.kind() == TokenKind::End {
            return Err(self.unexpected("a declaration"));
        }
        while self.kind() != TokenKind::End {
            let decl = self.declaration(true)?;
            self.buffers.decls.push(decl);
        }
        self.unit.globals = self.unit.make_list(&self.buffers.decls);
        Ok(())
    }

    // ---- - ----
    // tokens

    #[inline]
    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    #[inline]
    fn peek_at(&self, ahead: usize) -> Token {
        match self.tokens.get(self.next + ahead) {
            Some(&token) => token,
            None => self.end(),
        }
    }

    #[cold]
    fn end(&self) -> Token {
        self.tokens.last().copied().unwrap_or(Token {
            kind: TokenKind::End,
            flags: 0,
            len: 0,
            pos: 0,
            symbol: Symbol::EMPTY,
            text: 0,
        })
    }

    #[inline]
    fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// Consumes a token.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.peek();
        self.next += 1;
        self.last_end = self.span(token).end;
        token
    }

    /// Consumes a token if it is of this kind.
    #[inline]
    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Consumes a token of this kind; anything else is an error.
    #[inline]
    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.kind() == kind {
            Ok(self.bump())
        } else {
            Err(self.unexpected(&format!("`{}`", kind.describe())))
        }
    }

    /// True if the token at `ahead` is the word `word` and the word is a keyword in this shader.
    #[inline]
    fn at_keyword(&self, word: Symbol) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Ident
            && token.symbol == word
            && self.buffers.keywords.is_keyword(word)
    }

    /// Consumes a name that may be declared or used: neither a keyword nor a reserved word.
    #[inline]
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Ident || !self.buffers.keywords.is_free(token.symbol) {
            return Err(self.not_a_name(token, what));
        }
        let token = self.bump();
        let name = Name { symbol: token.symbol, span: self.span(token) };
        if usize::from(token.len) > MAX_ES_NAME && self.unit.version.es {
            return Err(
                self.error(name.span, format!("a name has at most {MAX_ES_NAME} characters"))
            );
        }
        Ok(name)
    }

    #[cold]
    fn not_a_name(&self, token: Token, what: &str) -> Box<Diagnostic> {
        let keywords = &self.buffers.keywords;
        if token.kind != TokenKind::Ident
            || keywords.is_keyword(token.symbol)
            || self.later_keyword_before().is_some()
        {
            self.unexpected(what)
        } else if keywords.is_usable(token.symbol) {
            self.error(self.span(token), format!("expected {what}, found the name of a type"))
        } else {
            self.error(self.span(token), "this word is reserved")
        }
    }

    #[inline]
    fn span(&self, token: Token) -> Span {
        if token.has(flags::EXPANDED) {
            token.span(self.unit.sources.bytes())
        } else {
            Span { start: token.pos, end: token.pos + u32::from(token.len) }
        }
    }

    /// From a token's or node's start to the last consumed token.
    #[inline]
    fn since(&self, start: u32) -> Span {
        Span::new(start, self.last_end)
    }

    // ---- - ----
    // errors

    #[cold]
    fn error(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(&self.unit.sources, span, message))
    }

    /// Reports that the next token does not fit the grammar.
    #[cold]
    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::Ident if self.buffers.keywords.is_keyword(token.symbol) => "keyword",
            kind => kind.describe(),
        };
        let later = self.later_keyword_before();
        let hint = match later {
            Some(word) => format!(" (`{}` is not a keyword here)", self.unit.interner.text(word)),
            None => String::new(),
        };
        let found = if found.chars().all(|c| c.is_ascii_punctuation()) {
            format!("`{found}`")
        } else {
            found.into()
        };
        self.error(self.span(token), format!("expected {wanted}, found {found}{hint}"))
    }

    /// A keyword of later versions among the last words: the likely cause of an unexpected name.
    fn later_keyword_before(&self) -> Option<Symbol> {
        let start = self.next.saturating_sub(2);
        let before = self.tokens.get(start..self.next).unwrap_or_default();
        let word = before
            .iter()
            .find(|t| t.kind == TokenKind::Ident && self.buffers.keywords.is_later(t.symbol))?;
        Some(word.symbol)
    }

    // ---- - ----
    // limits

    /// Runs a recursive part of the parser.
    #[inline]
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.too_deep());
        }
        let result = part(self)?;
        self.nesting -= 1;
        Ok(result)
    }

    #[cold]
    fn too_deep(&self) -> Box<Diagnostic> {
        self.error(self.span(self.peek()), "nested too deeply")
    }

    /// Stores an expression whose highest child has height `below`.
    #[inline]
    fn push_expr(&mut self, kind: ExprKind, span: Span, below: u16) -> Parsed<ExprId> {
        if self.depth + u32::from(below) >= MAX_DEPTH {
            return Err(self.error(span, "nested too deeply"));
        }
        self.buffers.heights.push(below + 1);
        Ok(self.unit.exprs.push(Expr { kind, span }))
    }

    #[inline]
    fn height(&self, expr: ExprId) -> u16 {
        self.buffers.heights.get(expr.as_u32() as usize).copied().unwrap_or(0)
    }

    #[inline]
    fn expr_span(&self, expr: ExprId) -> Span {
        self.unit.exprs[expr].span
    }

    /// Makes a list of the expressions above `mark` on the stack of expressions; also returns the
    /// greatest height.
    fn take_exprs(&mut self, mark: usize) -> (List<ExprId>, u16) {
        let items = self.buffers.exprs.get(mark..).unwrap_or_default();
        let height = items.iter().map(|&e| self.height(e)).max().unwrap_or(0);
        let list = self.unit.make_list(items);
        self.buffers.exprs.truncate(mark);
        (list, height)
    }
}
