//! Directives: lines that begin with `#`.

use super::macro_table::Macro;
use super::{
    Conditional, Cursor, MAX_CONDITIONALS, MAX_INCLUDES, MAX_PARAMETERS, Preprocessor, condition,
};
use crate::ast::{Behavior, Extension, Pragma, Profile, Version};
use crate::intern::{Symbol, words};
use crate::lex;
use crate::source::Span;
use crate::token::{Token, TokenKind, flags};

/// Existing desktop versions.
const DESKTOP_VERSIONS: [u16; 12] = [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450];
/// Existing ES versions.
const ES_VERSIONS: [u16; 4] = [100, 300, 310, 320];
/// Message for `#elif` and `#else` after `#else`.
const AFTER_ELSE: &str = "this conditional already has its #else";

impl Preprocessor<'_> {
    /// Executes the directive whose `#` was just read, and reads its line.
    pub(super) fn directive(&mut self, hash: Token) {
        let Some(name) = self.next_on_line() else { return };
        match name.symbol {
            _ if name.kind != TokenKind::Ident => {
                self.error_at(name, "expected the name of a directive after #")
            }
            words::DEFINE => self.define(name),
            words::UNDEF => self.undef(name),
            words::IF => self.open_conditional(name, Self::condition),
            words::IFDEF => {
                self.open_conditional(name, |this, at| this.name_is_macro(at).unwrap_or(false))
            }
            words::IFNDEF => {
                self.open_conditional(name, |this, at| this.name_is_macro(at) == Some(false))
            }
            // A group was being read, so the groups after it are skipped, and `#elif` needs no
            // expression.
            words::ELIF | words::ELSE => self.alternative_after_group(name),
            words::ENDIF => self.close_conditional(name),
            words::ERROR => {
                let message = format!("#error {}", self.rest_of_line().trim());
                self.error(Span::new(hash.pos, self.cursor.pos as u32), message.trim_end());
            }
            words::PRAGMA => {
                let start = self.cursor.pos;
                self.finish_line();
                let text = Span::new(start as u32, self.cursor.pos as u32);
                self.unit.pragmas.push(Pragma { text });
            }
            words::EXTENSION => self.extension(hash, name),
            words::VERSION => {
                self.error_at(name, "#version must come before everything else");
                self.finish_line();
            }
            words::LINE => self.line(name),
            words::INCLUDE => self.include(name),
            _ => {
                self.error_at(name, "unknown directive");
                self.finish_line();
            }
        }
        self.expect_line_end();
    }

    /// Reports tokens left on a directive's line, and skips them.
    fn expect_line_end(&mut self) {
        if self.fatal || self.cursor.pending != 0 {
            return;
        }
        if let Some(extra) = self.next_on_line() {
            self.error_at(extra, "extra text after the directive");
            self.finish_line();
        }
    }

    /// Moves to the end of the line. Comments may hold line ends.
    fn finish_line(&mut self) {
        let text = &self.unit.sources.bytes()[..self.cursor.end];
        self.cursor.pos = directive_end(text, self.cursor.pos);
    }

    /// The text up to the end of the line.
    fn rest_of_line(&mut self) -> String {
        let start = self.cursor.pos as u32;
        self.finish_line();
        self.unit.sources.text(Span::new(start, self.cursor.pos as u32))
    }

    // ---- - ----
    // version

    /// `#version`, its `#` and name read.
    pub(super) fn version_directive(&mut self, hash: Token) {
        let number = self.next_on_line();
        let profile = self.next_on_line();
        let span = Span::new(hash.pos, self.cursor.pos as u32);
        self.expect_line_end();
        let Some(number) = number.filter(|t| t.kind == TokenKind::Int) else {
            return self.error(span, "#version needs a number");
        };
        let spelling = number.spelling(self.unit.sources.bytes());
        if !spelling.iter().all(u8::is_ascii_digit) || spelling.starts_with(b"0") {
            return self.error(span, "#version needs a decimal number");
        }
        let value =
            condition::integer(spelling).ok().and_then(|v| u16::try_from(v).ok()).unwrap_or(0);
        let profile = match profile.map(|t| t.symbol) {
            None if value == 100 => Profile::Es,
            None => Profile::None,
            Some(words::ES) if value != 100 => Profile::Es,
            Some(words::CORE) if value >= 150 => Profile::Core,
            Some(words::COMPATIBILITY) if value >= 150 => Profile::Compatibility,
            Some(_) => return self.error(span, "this version does not have this profile"),
        };
        let es = profile == Profile::Es;
        let exists = if es {
            ES_VERSIONS.contains(&value)
        } else {
            DESKTOP_VERSIONS.contains(&value) || value == 460
        };
        let newest = if es { self.env.newest_es_version } else { self.env.newest_version };
        if !exists || value > newest {
            let language = if es { "GLSL ES" } else { "GLSL" };
            let message = format!("{language} {}.{:02} is not supported", value / 100, value % 100);
            return self.error(span, message);
        }
        self.unit.version = Version { number: value, es, profile, span: Some(span) };
    }

    /// Defines the macros that depend on the version.
    pub(super) fn predefine(&mut self) {
        let version = self.unit.version;
        let mut define = |name: &str| {
            let symbol = self.unit.interner.intern(name);
            self.buffers.macros.define_one(symbol);
        };
        if version.es {
            define("GL_ES");
            if version.number >= 300 {
                define("GL_es_profile");
            }
        } else if version.number >= 150 {
            define("GL_core_profile");
            if version.profile == Profile::Compatibility {
                define("GL_compatibility_profile");
            }
        }
        if version.es || version.number >= 130 {
            define("GL_FRAGMENT_PRECISION_HIGH");
        }
    }

    // ---- - ----
    // macros

    fn define(&mut self, directive: Token) {
        let Some(name) = self.macro_name(directive) else { return self.finish_line() };
        if let Some(message) = self.reserved_macro(name.symbol) {
            self.error_at(name, message);
            return self.finish_line();
        }
        if self.text_of(name.symbol).contains("__") {
            let span = name.span(self.unit.sources.bytes());
            self.warning(span, "macro names with two consecutive underscores are reserved");
        }
        let mut body = Vec::new();
        let mut params = None;
        // A parenthesis right after the name, without a space, opens a parameter list.
        let mut token = self.next_on_line();
        if token.is_some_and(|t| t.kind == TokenKind::LeftParen && !t.has(flags::SPACE)) {
            match self.parameters(name) {
                Some(names) => params = Some(names),
                None => return self.finish_line(),
            }
            token = self.next_on_line();
        }
        while let Some(mut t) = token {
            let index =
                params.as_ref().and_then(|p: &Vec<Symbol>| p.iter().position(|&s| s == t.symbol));
            if let (TokenKind::Ident, Some(index)) = (t.kind, index) {
                t.kind = TokenKind::Param;
                t.symbol = Symbol(index as u32);
            }
            body.push(t);
            token = self.next_on_line();
        }
        if let Some(&hash) = body.iter().find(|t| t.kind == TokenKind::Hash) {
            return self.error_at(hash, "macros cannot produce strings: there is no # operator");
        }
        let pastes = body.iter().any(|t| t.kind == TokenKind::HashHash);
        if let Some(message) = self.misplaced_paste(&body, pastes) {
            return self.error_at(name, message);
        }
        let definition = Macro { params, body, pastes, active: false, predefined: false };
        let old = self.buffers.macros.lookup(name.symbol).and_then(|i| self.buffers.macros.get(i));
        match old {
            Some(old) if old.predefined || !self.same_macro(old, &definition) => {
                self.error_at(name, "this macro is already defined differently");
            }
            Some(_) => {}
            None => self.buffers.macros.define(name.symbol, definition),
        }
    }

    fn macro_name(&mut self, directive: Token) -> Option<Token> {
        let name = self.next_on_line();
        let found = name.filter(|t| t.kind == TokenKind::Ident);
        if found.is_none() {
            self.error_at(name.unwrap_or(directive), "expected the name of a macro");
        }
        found
    }

    /// The reason why a name cannot be defined.
    fn reserved_macro(&self, name: Symbol) -> Option<&'static str> {
        match name {
            words::DEFINED => Some("`defined` cannot be a macro"),
            // Desktop versions allow macros whose names have two underscores (GLSL 4.60 section
            // 3.3).
            words::MACRO_LINE | words::MACRO_FILE | words::MACRO_VERSION
                if self.unit.version.es =>
            {
                Some("predefined macros cannot be redefined or undefined")
            }
            _ if self.text_of(name).starts_with("GL_") => {
                Some("macro names that begin with GL_ are reserved")
            }
            _ => None,
        }
    }

    /// True if a name is `__LINE__`, `__FILE__` or `__VERSION__`.
    fn is_predefined(&self, name: Symbol) -> bool {
        matches!(name, words::MACRO_LINE | words::MACRO_FILE | words::MACRO_VERSION)
    }

    /// Reads `a, b)` after the opening parenthesis.
    fn parameters(&mut self, name: Token) -> Option<Vec<Symbol>> {
        let mut names = Vec::new();
        let mut token = self.next_on_line();
        if token.is_some_and(|t| t.kind == TokenKind::RightParen) {
            return Some(names);
        }
        loop {
            let Some(param) = token.filter(|t| t.kind == TokenKind::Ident) else {
                self.error_at(token.unwrap_or(name), "expected the name of a macro parameter");
                return None;
            };
            if names.contains(&param.symbol) {
                self.error_at(param, "two macro parameters have this name");
                return None;
            }
            if names.len() >= MAX_PARAMETERS {
                self.error_at(param, "this macro has too many parameters");
                return None;
            }
            names.push(param.symbol);
            token = self.next_on_line();
            match token.map(|t| t.kind) {
                Some(TokenKind::Comma) => token = self.next_on_line(),
                Some(TokenKind::RightParen) => return Some(names),
                _ => {
                    self.error_at(
                        token.unwrap_or(name),
                        "expected `,` or `)` in a macro's parameters",
                    );
                    return None;
                }
            }
        }
    }

    fn misplaced_paste(&self, body: &[Token], pastes: bool) -> Option<&'static str> {
        if !pastes {
            return None;
        }
        let at_edge = |t: Option<&Token>| t.is_some_and(|t| t.kind == TokenKind::HashHash);
        if self.unit.version.es {
            Some("## does not exist in GLSL ES")
        } else if at_edge(body.first()) || at_edge(body.last()) {
            Some("## cannot be at either end of a macro's body")
        } else {
            None
        }
    }

    /// Returns whether a redefinition equals the definition (C++: same tokens, same parameters,
    /// white space in the same places).
    fn same_macro(&self, a: &Macro, b: &Macro) -> bool {
        let text = self.unit.sources.bytes();
        a.params == b.params
            && a.body.len() == b.body.len()
            && a.body.iter().zip(&b.body).enumerate().all(|(i, (x, y))| {
                let same_space = i == 0 || x.has(flags::SPACE) == y.has(flags::SPACE);
                x.kind == y.kind && same_space && x.spelling(text) == y.spelling(text)
            })
    }

    fn undef(&mut self, directive: Token) {
        let Some(name) = self.macro_name(directive) else { return self.finish_line() };
        match self.reserved_macro(name.symbol) {
            Some(message) => self.error_at(name, message),
            // C++ leaves that undefined (GLSL 4.60 section 3.3: "as is standard for C++").
            None if self.is_predefined(name.symbol) => {
                self.error_at(name, "a predefined macro cannot be undefined");
            }
            None => self.buffers.macros.undefine(name.symbol),
        }
    }

    /// Reads the name of `#ifdef`. Returns whether it is a macro; `None` after an error.
    fn name_is_macro(&mut self, directive: Token) -> Option<bool> {
        let name = self.macro_name(directive)?;
        Some(self.buffers.macros.lookup(name.symbol).is_some())
    }

    // ---- - ----
    // conditionals

    fn open_conditional(&mut self, directive: Token, test: impl FnOnce(&mut Self, Token) -> bool) {
        let span = directive.span(self.unit.sources.bytes());
        if self.conditionals.len() >= MAX_CONDITIONALS {
            self.error(span, "conditionals are nested too deeply");
            return self.stop();
        }
        let taken = test(self, directive);
        self.expect_line_end();
        self.conditionals.push(Conditional { span, done: taken, seen_else: false });
        if !taken {
            self.skip_groups();
        }
    }

    /// The innermost conditional of this file; reports `directive` if there is none.
    fn innermost(&mut self, directive: Token) -> Option<&mut Conditional> {
        if self.conditionals.len() <= self.cursor.conditionals {
            self.error_at(directive, "there is no matching #if");
            return None;
        }
        self.conditionals.last_mut()
    }

    /// `#else` or `#elif` at the end of a group that was read.
    fn alternative_after_group(&mut self, directive: Token) {
        self.enter_alternative(directive);
        if directive.symbol == words::ELSE {
            self.expect_line_end();
        }
        self.finish_line();
        if !self.fatal && self.conditionals.len() > self.cursor.conditionals {
            self.skip_groups();
        }
    }

    /// Checks that `#else` or `#elif` is allowed here, and records `#else`.
    fn enter_alternative(&mut self, directive: Token) {
        let is_else = directive.symbol == words::ELSE;
        let Some(conditional) = self.innermost(directive) else { return };
        let after_else = conditional.seen_else;
        conditional.seen_else |= is_else;
        if after_else {
            self.error_at(directive, AFTER_ELSE);
        }
    }

    fn close_conditional(&mut self, directive: Token) {
        if self.innermost(directive).is_some() {
            self.conditionals.pop();
        }
    }

    /// Skips text until a group of the innermost conditional is to be read, or the conditional
    /// ends.
    fn skip_groups(&mut self) {
        // Of each conditional inside the skipped text: its #else was seen.
        let mut nested: Vec<bool> = Vec::new();
        while let Some(directive) = self.next_skipped_directive() {
            match directive.symbol {
                words::IF | words::IFDEF | words::IFNDEF => nested.push(false),
                words::ENDIF if nested.pop().is_some() => {}
                words::ENDIF => {
                    self.conditionals.pop();
                    return;
                }
                words::ELSE | words::ELIF => {
                    if let Some(seen_else) = nested.last_mut() {
                        if std::mem::replace(
                            seen_else,
                            *seen_else || directive.symbol == words::ELSE,
                        ) {
                            self.error_at(directive, AFTER_ELSE);
                        }
                        continue;
                    }
                    self.enter_alternative(directive);
                    let done = self.conditionals.last().is_none_or(|c| c.done);
                    let take =
                        !done && (directive.symbol == words::ELSE || self.condition(directive));
                    if take {
                        if let Some(conditional) = self.conditionals.last_mut() {
                            conditional.done = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
            if self.fatal {
                return;
            }
        }
    }

    /// The name of the next directive in text that is skipped; none at the end of the file.
    fn next_skipped_directive(&mut self) -> Option<Token> {
        loop {
            let text = &self.unit.sources.bytes()[..self.cursor.end];
            let end = directive_end(text, self.cursor.pos);
            let skipped = lex::skip_space(text, end, false);
            self.cursor.pos = skipped.pos;
            if skipped.pos >= text.len() {
                return None;
            }
            if text[skipped.pos] == b'#' && skipped.flags & flags::LINE_START != 0 {
                self.cursor.pos += 1;
                if let Some(name) = self.next_on_line() {
                    return Some(name);
                }
            }
        }
    }

    // ---- - ----
    // others

    fn extension(&mut self, hash: Token, directive: Token) {
        let parts = [(); 3].map(|()| self.next_on_line());
        let span = Span::new(hash.pos, self.cursor.pos as u32);
        let [Some(name), Some(colon), Some(behavior)] = parts else {
            return self.error_at(directive, "#extension needs `name : behavior`");
        };
        if name.kind != TokenKind::Ident || colon.kind != TokenKind::Colon {
            return self.error_at(name, "#extension needs `name : behavior`");
        }
        let kind = match behavior.symbol {
            words::REQUIRE => Behavior::Require,
            words::ENABLE => Behavior::Enable,
            words::WARN => Behavior::Warn,
            words::DISABLE => Behavior::Disable,
            _ => return self.error_at(behavior, "expected require, enable, warn or disable"),
        };
        if let Some(extra) = self.next_on_line() {
            return self.error_at(extra, "unexpected text after #extension");
        }
        let required = matches!(kind, Behavior::Require | Behavior::Enable);
        if name.symbol == words::ALL && required {
            return self.error_at(name, "`all` can only be warned about or disabled");
        }
        if !self.buffers.tokens.is_empty() && self.outer.is_empty() {
            return self.error(span, "#extension must come before the first declaration");
        }
        if name.symbol != words::ALL && !self.env.has_extension(self.text_of(name.symbol)) {
            if kind == Behavior::Require {
                self.error_at(name, "this extension is not supported");
            } else {
                let span = name.span(self.unit.sources.bytes());
                self.warning(span, "this extension is not supported");
            }
            return;
        }
        self.unit.extensions.push(Extension { name: name.symbol, behavior: kind, span });
    }

    /// `#line line` or `#line line string`, macros expanded: both are constant expressions (GLSL
    /// 4.60 section 3.3).
    fn line(&mut self, directive: Token) {
        let mut tokens = Vec::new();
        while let Some(token) = self.next_on_line() {
            tokens.push(token);
        }
        // ARB_shading_language_include names a path instead of the string's number.
        let quote = |t: &Token| {
            t.kind == TokenKind::Unknown
                && self.unit.sources.bytes().get(t.pos as usize) == Some(&b'"')
        };
        if let Some(path) = tokens.iter().position(quote)
            && self.unit.extension_on("GL_ARB_shading_language_include", u32::MAX)
        {
            tokens.truncate(path);
        }
        let tokens = self.expand_isolated(&tokens, directive);
        let number = |&value: &i64| u32::try_from(value).ok();
        let numbers: Option<Vec<u32>> =
            self.values(&tokens).and_then(|values| values.iter().map(number).collect());
        let (line, string) = match numbers.as_deref() {
            Some([line]) => (*line, self.unit.sources.string_at(directive.pos)),
            Some([line, string]) => (*line, *string),
            _ => {
                return self
                    .error_at(directive, "#line needs a line number and perhaps a string number");
            }
        };
        // Before 3.30 the number was that of the directive's own line (sections 3.3 of 1.10 to
        // 1.50).
        let version = self.unit.version;
        let own_line = u32::from(!version.at_least(Some(330), Some(100)));
        let next_line = self.after_line_end();
        self.unit.sources.set_line(next_line, line.saturating_add(own_line), string);
    }

    /// Position after the line end at the cursor.
    fn after_line_end(&self) -> u32 {
        let text = self.unit.sources.bytes();
        let pos = self.cursor.pos;
        let length = match (text.get(pos), text.get(pos + 1)) {
            (Some(b'\r'), Some(b'\n')) | (Some(b'\n'), Some(b'\r')) => 2,
            (Some(_), _) => 1,
            (None, _) => 0,
        };
        (pos + length) as u32
    }

    fn include(&mut self, directive: Token) {
        let text = &self.unit.sources.bytes()[..self.cursor.end];
        let start = lex::skip_space(text, self.cursor.pos, true).pos;
        let end = lex::line_end(text, start);
        let close = match text.get(start) {
            Some(b'"') => Some(b'"'),
            Some(b'<') => Some(b'>'),
            _ => None,
        };
        let length = close.and_then(|close| text[start + 1..end].iter().position(|&b| b == close));
        let (Some(close), Some(length)) = (close, length) else {
            self.error_at(directive, "#include needs a path in quotes or angle brackets");
            return self.finish_line();
        };
        let path = String::from_utf8_lossy(&text[start + 1..start + 1 + length]).into_owned();
        self.cursor.pos = start + length + 2;
        let span = Span::new(start as u32, self.cursor.pos as u32);
        self.expect_line_end();
        const EXTENSION: &str = "GL_ARB_shading_language_include";
        if !self.unit.extension_on(EXTENSION, u32::MAX) {
            return self.error(span, "#include needs GL_ARB_shading_language_include");
        }
        if self.outer.len() >= MAX_INCLUDES {
            self.error(span, "#include is nested too deeply");
            return self.stop();
        }
        let from = (!self.cursor.path.is_empty()).then_some(self.cursor.path.as_str());
        let found = self.env.includes.as_ref().and_then(|r| r.resolve(&path, close == b'"', from));
        let Some(found) = found else {
            return self.error(span, "there is no such string to include");
        };
        let string = self.unit.sources.string_at(directive.pos);
        let Some(file) = self.unit.sources.add_file(&found.text, &found.path, string, true) else {
            self.error(span, "the shader is too long");
            return self.stop();
        };
        let range = self.unit.sources.file_span(file);
        let inner = Cursor {
            pos: range.start as usize,
            end: range.end as usize,
            path: found.path,
            conditionals: self.conditionals.len(),
            pending: flags::LINE_START,
        };
        self.outer.push(std::mem::replace(&mut self.cursor, inner));
    }
}

/// End of the line at or after `pos`, not counting line ends inside `/* */`.
fn directive_end(text: &[u8], mut pos: usize) -> usize {
    while let Some(&byte) = text.get(pos) {
        match (byte, text.get(pos + 1)) {
            (b'\n' | b'\r', _) => return pos,
            (b'/', Some(b'/')) => return lex::line_end(text, pos),
            (b'/', Some(b'*')) => match lex::comment_end(text, pos + 2) {
                Some(end) => pos = end,
                None => return text.len(),
            },
            _ => pos += 1,
        }
    }
    text.len()
}
