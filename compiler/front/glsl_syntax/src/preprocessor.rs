//! Preprocessor (GLSL 4.60 section 3.3): source strings to one vector of tokens.
//!
//! It lexes, executes directives and expands macros in one pass. Tokens from a macro's body carry
//! the position of the expansion site. Errors are collected; after a fatal one (a limit) the rest
//! of the text is dropped.

mod condition;
mod directive;
mod macro_table;
mod macros;

use crate::ast::TranslationUnit;
use crate::diagnostic::Diagnostic;
use crate::environment::Environment;
use crate::intern::Symbol;
use crate::lex;
use crate::source::Span;
use crate::token::{Token, TokenKind, flags};
use macro_table::Macros;

/// Maximum tokens from macro expansion in one shader.
const MAX_EXPANDED_TOKENS: usize = 1 << 22;
/// Maximum text from `##` and `__LINE__` in one shader.
const MAX_PASTED_BYTES: usize = 1 << 24;
/// Maximum nesting of macro calls in macro arguments.
const MAX_ARGUMENT_NESTING: u32 = 100;
/// Maximum nesting of `#if` and relatives.
const MAX_CONDITIONALS: usize = 1000;
/// Maximum parameters of a macro.
const MAX_PARAMETERS: usize = 1024;
/// Maximum nesting of `#include`.
const MAX_INCLUDES: usize = 64;
/// Maximum errors before the rest of the shader is skipped.
const MAX_ERRORS: usize = 100;

/// Buffer position of the spelling of the literal 0.
const TEXT_ZERO: u32 = 1;

/// Memory reused from compilation to compilation.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// The result.
    pub tokens: Vec<Token>,
    pub macros: Macros,
    line: Vec<Token>,
    spare: Vec<Vec<Token>>,
}

/// Position of the lexer in one file (the source strings together are one file).
#[derive(Clone, Debug)]
struct Cursor {
    pos: usize,
    end: usize,
    /// Include path; empty in the source strings.
    path: String,
    /// Number of open conditionals when the file began.
    conditionals: usize,
    /// Flags for the next token in addition to those of the skipped space.
    pending: u8,
}

/// An open `#if`.
#[derive(Clone, Copy, Debug)]
struct Conditional {
    span: Span,
    /// A group was taken, or none can be because the conditional is in a skipped group.
    done: bool,
    seen_else: bool,
}

/// Tokens to read before the rest of the file.
#[derive(Debug)]
struct Frame {
    tokens: Vec<Token>,
    next: usize,
    /// The macro that is disabled while these tokens are read.
    active: Option<u32>,
}

/// One run of the preprocessor.
pub(crate) struct Preprocessor<'a> {
    env: &'a Environment,
    unit: &'a mut TranslationUnit,
    buffers: &'a mut Buffers,
    cursor: Cursor,
    outer: Vec<Cursor>,
    conditionals: Vec<Conditional>,
    frames: Vec<Frame>,
    /// Reading stops at this frame: frames below belong to the caller.
    floor: usize,
    /// True during an isolated expansion, which reads no file.
    isolated: bool,
    /// True if the isolated expansion is that of a condition, in which `defined` is an operator.
    in_condition: bool,
    argument_nesting: u32,
    expanded: usize,
    pasted: usize,
    fatal: bool,
    errors: Vec<Diagnostic>,
}

/// Preprocesses `sources` into `buffers.tokens` (ending in [`TokenKind::End`]) and the unit's
/// version, extensions, pragmas, warnings and source map, which must be empty. Returns the errors.
pub(crate) fn run(
    env: &Environment,
    unit: &mut TranslationUnit,
    buffers: &mut Buffers,
    sources: &[&[u8]],
) -> Vec<Diagnostic> {
    buffers.tokens.clear();
    buffers.line.clear();
    let _ = unit.sources.add_text(b"10");
    let start = unit.sources.bytes().len();
    for (i, source) in sources.iter().enumerate() {
        if unit.sources.add_file(source, "", i as u32, i + 1 == sources.len()).is_none() {
            return vec![Diagnostic::error(
                &unit.sources,
                Span::default(),
                "the shader is too long",
            )];
        }
    }
    let end = unit.sources.bytes().len();
    let cursor = Cursor {
        pos: start,
        end,
        path: String::new(),
        conditionals: 0,
        pending: flags::LINE_START,
    };
    let mut run = Preprocessor {
        env,
        unit,
        buffers,
        cursor,
        outer: Vec::new(),
        conditionals: Vec::new(),
        frames: Vec::new(),
        floor: 0,
        isolated: false,
        in_condition: false,
        argument_nesting: 0,
        expanded: 0,
        pasted: 0,
        fatal: false,
        errors: Vec::new(),
    };
    run.begin();
    run.translate();
    run.errors
}

impl Preprocessor<'_> {
    /// Executes a leading `#version` and predefines the macros that depend on it.
    fn begin(&mut self) {
        self.unit.version = self.env.default_version;
        let first = self.lex();
        if self.starts_directive(first) {
            let before = self.cursor.clone();
            let name = self.next_on_line();
            if name.is_some_and(|t| t.symbol == crate::intern::words::VERSION) {
                self.version_directive(first);
            } else {
                self.cursor = before;
                self.rewind(first);
            }
        } else if first.kind != TokenKind::End {
            self.rewind(first);
        }
        self.predefine();
    }

    /// Puts back the last token of [`Self::lex`].
    fn rewind(&mut self, token: Token) {
        // The lexer will report its errors again.
        self.errors.clear();
        self.cursor.pos = token.pos as usize;
        self.cursor.pending = token.flags;
    }

    /// Translates the text after [`Self::begin`].
    fn translate(&mut self) {
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::End => {
                    self.buffers.tokens.push(token);
                    return;
                }
                TokenKind::Ident if self.try_expand(token) => {}
                _ => self.buffers.tokens.push(token),
            }
        }
    }

    /// The next unexpanded token: of the innermost frame, or of the file with its directives
    /// executed.
    #[inline]
    fn next(&mut self) -> Token {
        if self.frames.len() > self.floor
            && let Some(token) = self.next_of_frames()
        {
            return token;
        }
        if self.isolated {
            return self.end_token();
        }
        self.next_of_file()
    }

    fn next_of_frames(&mut self) -> Option<Token> {
        while self.frames.len() > self.floor {
            let frame = self.frames.last_mut()?;
            if let Some(&token) = frame.tokens.get(frame.next) {
                frame.next += 1;
                return Some(token);
            }
            self.pop_frame();
        }
        None
    }

    #[inline]
    fn next_of_file(&mut self) -> Token {
        loop {
            let token = self.lex();
            if token.kind == TokenKind::Hash && self.starts_directive(token) {
                self.directive(token);
            } else if token.kind == TokenKind::End && self.leave_file() {
                continue;
            } else {
                return token;
            }
        }
    }

    fn starts_directive(&self, token: Token) -> bool {
        token.kind == TokenKind::Hash && token.has(flags::LINE_START)
    }

    fn end_token(&self) -> Token {
        let pos = self.cursor.pos as u32;
        Token { kind: TokenKind::End, flags: 0, len: 0, pos, symbol: Symbol::EMPTY, text: pos }
    }

    /// The next token of the current file, over line ends. After a fatal error the file is over.
    #[inline]
    fn lex(&mut self) -> Token {
        let text = &self.unit.sources.bytes()[..self.cursor.end];
        let skipped = lex::skip_space(text, self.cursor.pos, false);
        let flags = skipped.flags | self.cursor.pending;
        self.cursor.pending = 0;
        let (token, end) = lex::scan(text, skipped.pos, flags, &mut self.unit.interner);
        self.cursor.pos = end;
        if skipped.unterminated.is_some() || token.kind == TokenKind::Unknown {
            self.report_lexical(skipped.unterminated, token);
        }
        token
    }

    /// The next token of the current line of the current file.
    fn next_on_line(&mut self) -> Option<Token> {
        let text = &self.unit.sources.bytes()[..self.cursor.end];
        let skipped = lex::skip_space(text, self.cursor.pos, true);
        self.cursor.pos = skipped.pos;
        if skipped.unterminated.is_some() {
            self.report_lexical(skipped.unterminated, self.end_token());
            return None;
        }
        if matches!(text.get(skipped.pos), None | Some(b'\n' | b'\r')) {
            return None;
        }
        let (token, end) = lex::scan(text, skipped.pos, skipped.flags, &mut self.unit.interner);
        self.cursor.pos = end;
        Some(token)
    }

    #[cold]
    fn report_lexical(&mut self, comment: Option<usize>, token: Token) {
        if let Some(start) = comment {
            let span = Span::new(start as u32, start as u32 + 2);
            self.error(span, "this comment has no end");
        } else {
            let text = self.unit.sources.bytes();
            let span = token.span(text);
            let byte =
                text.get(token.text as usize).copied().filter(|b| token.len == 1 && !b.is_ascii());
            let message = if token.len == u16::MAX {
                "this token is too long"
            } else {
                "unexpected character"
            };
            match byte {
                Some(byte) => self.error(span, format!("byte 0x{byte:02X} is not UTF-8")),
                None => self.error(span, message),
            }
        }
    }

    /// Closes a file at its end and returns to the file that included it, if there is one.
    fn leave_file(&mut self) -> bool {
        while self.conditionals.len() > self.cursor.conditionals {
            if let Some(open) = self.conditionals.pop() {
                self.error(open.span, "this conditional has no #endif");
            }
        }
        match self.outer.pop() {
            Some(cursor) if !self.fatal => {
                self.cursor = cursor;
                true
            }
            _ => false,
        }
    }

    #[cold]
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(&self.unit.sources, span, message));
        if self.errors.len() >= MAX_ERRORS {
            self.stop();
        }
    }

    #[cold]
    fn error_at(&mut self, token: Token, message: impl Into<String>) {
        let span = token.span(self.unit.sources.bytes());
        self.error(span, message);
    }

    fn warning(&mut self, span: Span, message: impl Into<String>) {
        if self.unit.warnings.len() < MAX_ERRORS {
            self.unit.warnings.push(Diagnostic::warning(&self.unit.sources, span, message));
        }
    }

    /// Ends all input.
    fn stop(&mut self) {
        self.fatal = true;
        self.cursor.pos = self.cursor.end;
        self.conditionals.truncate(self.cursor.conditionals);
        for frame in &mut self.frames {
            frame.next = frame.tokens.len();
        }
    }

    fn text_of(&self, symbol: Symbol) -> &str {
        self.unit.interner.text(symbol)
    }
}
