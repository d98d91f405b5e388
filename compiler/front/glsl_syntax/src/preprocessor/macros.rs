//! Macro expansion by C++'s rules (GLSL 4.60 section 3.3).

use super::condition::is_defined;
use super::{Frame, MAX_ARGUMENT_NESTING, MAX_EXPANDED_TOKENS, MAX_PASTED_BYTES, Preprocessor};
use crate::intern::{Symbol, words};
use crate::lex;
use crate::source::Span;
use crate::token::{Token, TokenKind, flags};

/// The arguments of one call, raw, and fully expanded where needed.
struct Arguments {
    raw: Vec<Vec<Token>>,
    expanded: Vec<Option<Vec<Token>>>,
}

impl Preprocessor<'_> {
    /// Expands a name if it is a macro to be expanded here: its replacement is read next. Returns
    /// false if the name stays, also for a name that must not be expanded again.
    #[inline]
    pub(super) fn try_expand(&mut self, name: Token) -> bool {
        match self.buffers.macros.lookup(name.symbol) {
            Some(index) if !name.has(flags::NO_EXPAND) => self.expand(name, index),
            _ => false,
        }
    }

    fn expand(&mut self, mut name: Token, index: u32) -> bool {
        let Some(entry) = self.buffers.macros.get(index) else { return false };
        if entry.active {
            name.flags |= flags::NO_EXPAND;
            self.unread(name);
            // Names that must not be expanded again do not return here: `try_expand` passes them.
            return true;
        }
        let dynamic =
            matches!(name.symbol, words::MACRO_LINE | words::MACRO_FILE | words::MACRO_VERSION);
        if dynamic && entry.predefined {
            self.expand_dynamic(name);
            return true;
        }
        let Some(params) = &entry.params else {
            let tokens = if entry.pastes {
                self.substitute(
                    index,
                    name,
                    &mut Arguments { raw: Vec::new(), expanded: Vec::new() },
                )
            } else {
                self.copy_body(index, name)
            };
            self.push_expansion(tokens, Some(index));
            return true;
        };
        let count = params.len();
        let next = self.next();
        if next.kind != TokenKind::LeftParen {
            // The end is returned again on the next read.
            if next.kind != TokenKind::End {
                self.unread(next);
            }
            return false;
        }
        let Some(mut arguments) = self.collect_arguments(name, count) else { return true };
        let tokens = self.substitute(index, name, &mut arguments);
        for list in arguments.raw.into_iter().chain(arguments.expanded.into_iter().flatten()) {
            self.recycle(list);
        }
        self.push_expansion(tokens, Some(index));
        true
    }

    fn copy_body(&mut self, index: u32, name: Token) -> Vec<Token> {
        let mut tokens = self.buffers.spare.pop().unwrap_or_default();
        if let Some(entry) = self.buffers.macros.get(index) {
            tokens.extend(entry.body.iter().map(|&token| relocated(token, name)));
        }
        inherit_space(&mut tokens, name);
        tokens
    }

    /// `__LINE__`, `__FILE__`, `__VERSION__`. A replacement list is read where its call ends, which
    /// is the line of its `__LINE__`.
    fn expand_dynamic(&mut self, name: Token) {
        let pos = if name.has(flags::EXPANDED) { self.cursor.pos as u32 } else { name.pos };
        let value = match name.symbol {
            words::MACRO_LINE => self.unit.sources.locate(pos).line,
            words::MACRO_FILE => self.unit.sources.string_at(name.pos),
            _ => u32::from(self.unit.version.number),
        };
        let spelled = value.to_string();
        self.pasted += spelled.len();
        let span = self.unit.sources.add_text(spelled.as_bytes());
        let (Some(span), true) = (span, self.pasted <= MAX_PASTED_BYTES) else {
            self.too_much(name);
            return;
        };
        let token = Token {
            kind: TokenKind::Int,
            flags: name.flags & (flags::SPACE | flags::LINE_START) | flags::EXPANDED,
            len: (span.end - span.start) as u16,
            pos: name.pos,
            symbol: Symbol::EMPTY,
            text: span.start,
        };
        self.unread(token);
    }

    fn too_much(&mut self, name: Token) {
        self.error_at(name, "macro expansion produces too much text");
        self.stop();
    }

    /// Makes `tokens` the next tokens to read.
    fn push_expansion(&mut self, tokens: Vec<Token>, active: Option<u32>) {
        if !self.may_make(&tokens) {
            return;
        }
        if let Some(index) = active {
            self.buffers.macros.set_active(index, true);
        }
        self.frames.push(Frame { tokens, next: 0, active });
    }

    /// Counts tokens that expansion makes or moves. Too many are an error.
    fn may_make(&mut self, tokens: &[Token]) -> bool {
        self.expanded += tokens.len() + 1;
        let fits = self.expanded <= MAX_EXPANDED_TOKENS;
        if !fits && !self.fatal {
            let span =
                tokens.first().map_or(Span::default(), |t| t.span(self.unit.sources.bytes()));
            self.error(span, "macro expansion produces too many tokens");
            self.stop();
        }
        fits
    }

    pub(super) fn unread(&mut self, token: Token) {
        let mut tokens = self.buffers.spare.pop().unwrap_or_default();
        tokens.push(token);
        self.frames.push(Frame { tokens, next: 0, active: None });
    }

    pub(super) fn pop_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if let Some(index) = frame.active {
            self.buffers.macros.set_active(index, false);
        }
        self.recycle(frame.tokens);
    }

    fn recycle(&mut self, mut tokens: Vec<Token>) {
        if self.buffers.spare.len() < 64 {
            tokens.clear();
            self.buffers.spare.push(tokens);
        }
    }

    /// Reads the arguments of a call up to its `)`. None after an error.
    fn collect_arguments(&mut self, name: Token, count: usize) -> Option<Arguments> {
        let mut raw = Vec::with_capacity(count.max(1));
        let mut current = self.buffers.spare.pop().unwrap_or_default();
        let mut depth = 0u32;
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::End => {
                    self.error_at(name, "this macro call has no closing parenthesis");
                    return None;
                }
                TokenKind::RightParen if depth == 0 => break,
                TokenKind::Comma if depth == 0 => {
                    raw.push(std::mem::replace(
                        &mut current,
                        self.buffers.spare.pop().unwrap_or_default(),
                    ));
                    continue;
                }
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                _ => {}
            }
            current.push(token);
        }
        raw.push(current);
        if count == 0 && raw.len() == 1 && raw[0].is_empty() {
            raw.clear();
        }
        if raw.len() != count {
            let message = format!("macro takes {count} arguments, but {} are given", raw.len());
            self.error_at(name, message);
            return None;
        }
        let expanded = vec![None; count];
        Some(Arguments { raw, expanded })
    }

    /// The replacement list with arguments in place and `##` done.
    fn substitute(&mut self, index: u32, name: Token, arguments: &mut Arguments) -> Vec<Token> {
        let mut out = self.buffers.spare.pop().unwrap_or_default();
        let length = self.buffers.macros.get(index).map_or(0, |m| m.body.len());
        let body = |this: &Self, i: usize| {
            this.buffers.macros.get(index).and_then(|m| m.body.get(i)).copied()
        };
        let mut i = 0;
        while let Some(token) = body(self, i) {
            let next = body(self, i + 1).map(|t| t.kind);
            if token.kind == TokenKind::HashHash && i > 0 && i + 1 < length {
                let right_start = out.len();
                if let Some(right) = body(self, i + 1) {
                    self.append_operand(&mut out, right, name, arguments, true);
                }
                self.paste(&mut out, right_start, name);
                i += 2;
                continue;
            }
            self.append_operand(
                &mut out,
                token,
                name,
                arguments,
                next == Some(TokenKind::HashHash),
            );
            i += 1;
            if self.fatal || out.len() > MAX_EXPANDED_TOKENS {
                break;
            }
        }
        out.retain(|t| t.kind != TokenKind::Placemarker);
        inherit_space(&mut out, name);
        out
    }

    /// Appends the replacement of one token of a body. Beside `##` arguments stay unexpanded and
    /// empty ones leave a placemarker.
    fn append_operand(
        &mut self,
        out: &mut Vec<Token>,
        token: Token,
        name: Token,
        arguments: &mut Arguments,
        beside_paste: bool,
    ) {
        if token.kind != TokenKind::Param {
            out.push(relocated(token, name));
            return;
        }
        let param = token.symbol.index();
        let first = out.len();
        if beside_paste {
            out.extend_from_slice(arguments.raw.get(param).map_or(&[][..], |a| a));
            if out.len() == first {
                out.push(Token { kind: TokenKind::Placemarker, len: 0, ..relocated(token, name) });
            }
        } else {
            if let (Some(raw), Some(slot)) =
                (arguments.raw.get(param), arguments.expanded.get_mut(param))
                && slot.is_none()
            {
                let expanded = self.expand_isolated(raw, name);
                *slot = Some(expanded);
            }
            if let Some(Some(expanded)) = arguments.expanded.get(param) {
                out.extend_from_slice(expanded);
            }
        }
        if let Some(t) = out.get_mut(first) {
            t.flags = t.flags & !(flags::SPACE | flags::LINE_START) | token.flags & flags::SPACE;
        }
    }

    /// Joins `out[right - 1]` and `out[right]` into one token.
    fn paste(&mut self, out: &mut Vec<Token>, right: usize, name: Token) {
        let Some(left) = right.checked_sub(1) else { return };
        let (Some(&a), Some(&b)) = (out.get(left), out.get(right)) else { return };
        if a.kind == TokenKind::Placemarker || b.kind == TokenKind::Placemarker {
            out.remove(if a.kind == TokenKind::Placemarker { left } else { right });
            return;
        }
        let text = self.unit.sources.bytes();
        let joined = [a.spelling(text), b.spelling(text)].concat();
        if joined.len() >= usize::from(u16::MAX) {
            return self.error_at(name, "## produces a token that is too long");
        }
        self.pasted += joined.len();
        let span = self.unit.sources.add_text(&joined);
        let (Some(span), true) = (span, self.pasted <= MAX_PASTED_BYTES) else {
            self.too_much(name);
            return;
        };
        let (token, end) = lex::scan(
            self.unit.sources.bytes(),
            span.start as usize,
            a.flags & (flags::SPACE | flags::LINE_START) | flags::EXPANDED,
            &mut self.unit.interner,
        );
        if end != span.end as usize || token.kind == TokenKind::Unknown {
            let shown = String::from_utf8_lossy(&joined[..joined.len().min(40)]).into_owned();
            let message = format!("## produces `{shown}`, which is not a token");
            self.error_at(name, message);
            return;
        }
        out[left] = Token { pos: name.pos, ..token };
        out.remove(right);
    }

    /// Fully expands `tokens` as if nothing followed them.
    pub(super) fn expand_isolated(&mut self, tokens: &[Token], site: Token) -> Vec<Token> {
        let mut out = self.buffers.spare.pop().unwrap_or_default();
        let has_macro = tokens
            .iter()
            .any(|t| t.kind == TokenKind::Ident && self.buffers.macros.lookup(t.symbol).is_some());
        if !has_macro {
            out.extend_from_slice(tokens);
            return out;
        }
        if !self.may_make(tokens) {
            return out;
        }
        if self.argument_nesting >= MAX_ARGUMENT_NESTING {
            self.error_at(site, "macro calls are nested too deeply");
            self.stop();
            return out;
        }
        self.argument_nesting += 1;
        let (floor, isolated) = (self.floor, self.isolated);
        self.floor = self.frames.len();
        self.isolated = true;
        let mut input = self.buffers.spare.pop().unwrap_or_default();
        input.extend_from_slice(tokens);
        self.frames.push(Frame { tokens: input, next: 0, active: None });
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::End => break,
                _ if self.in_condition && is_defined(token) => {
                    let next =
                        |this: &mut Self| Some(this.next()).filter(|t| t.kind != TokenKind::End);
                    out.extend(self.defined_operator(token, next));
                }
                TokenKind::Ident if self.try_expand(token) => {}
                _ => out.push(token),
            }
        }
        (self.floor, self.isolated) = (floor, isolated);
        self.argument_nesting -= 1;
        out
    }
}

/// A body's token at the position of the macro's name.
fn relocated(token: Token, name: Token) -> Token {
    Token { pos: name.pos, flags: token.flags & flags::SPACE | flags::EXPANDED, ..token }
}

/// The first token of an expansion has the white space that was before the macro's name.
fn inherit_space(tokens: &mut [Token], name: Token) {
    if let Some(first) = tokens.first_mut() {
        let mask = flags::SPACE | flags::LINE_START;
        first.flags = first.flags & !mask | name.flags & mask;
    }
}
