//! Edits of GLSL tokens, even in shaders that do not parse.

use std::ops::Range;

use glsl_syntax::intern::Interner;
use glsl_syntax::lex;
use glsl_syntax::token::TokenKind;

use super::edit::{Edit, sorted};
use super::shader::{Source, disjoint};

/// Maximum number of tokens removed at once: larger parts were removed by coarser levels.
pub(super) const CHUNK: usize = 8;

/// A token with its position.
pub(super) struct Piece {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
}

/// Returns the tokens of a shader, as far as it can be read.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let (bytes, mut interner) = (text.as_bytes(), Interner::default());
    let (mut pos, mut pieces) = (0, Vec::new());
    loop {
        let skipped = lex::skip_space(bytes, pos, false);
        let (token, end) = lex::scan(bytes, skipped.pos, skipped.flags, &mut interner);
        if token.kind == TokenKind::End || end <= skipped.pos {
            return pieces;
        }
        pieces.push(Piece { kind: token.kind, range: skipped.pos..end });
        pos = end;
    }
}

/// Removes each token.
pub(super) fn tokens(shaders: &[Source<'_>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for source in shaders {
        // Two separate words must not become one.
        let between = |piece: Piece| {
            let byte =
                |at: Option<usize>| at.and_then(|at| source.text.as_bytes().get(at)).copied();
            let is_word =
                |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
            let apart = is_word(byte(piece.range.start.checked_sub(1)))
                && is_word(byte(Some(piece.range.end)));
            Edit { range: piece.range, text: if apart { " " } else { "" }.to_owned() }
        };
        let all = pieces(source.text).into_iter().map(between).filter(Edit::shrinks);
        edits.extend(all.map(|edit| source.in_file(edit)));
    }
    disjoint(edits)
}

/// Removes brackets and their contents, the contents alone, and parentheses alone; items of lists;
/// initializers.
pub(super) fn groups(shaders: &[Source<'_>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for source in shaders {
        let pieces = pieces(source.text);
        let ranges =
            (0..pieces.len()).flat_map(|at| around(&pieces, at)).filter(|range| !range.is_empty());
        let mut here: Vec<Edit> = ranges.map(Edit::delete).collect();
        here.extend(
            (0..pieces.len()).filter_map(|at| without_parentheses(source.text, &pieces, at)),
        );
        edits.extend(sorted(here).into_iter().map(|edit| source.in_file(edit)));
    }
    edits
}

/// Replaces parentheses that follow no name by their contents.
fn without_parentheses(text: &str, pieces: &[Piece], at: usize) -> Option<Edit> {
    let is_open = |at: usize| pieces[at].kind == TokenKind::LeftParen;
    let follows_operator = at.checked_sub(1).is_some_and(|before| {
        !matches!(pieces[before].kind, TokenKind::RightParen | TokenKind::RightBracket)
            && !text.get(..pieces[at].range.start).is_some_and(ends_with_word)
    });
    if !is_open(at) || !follows_operator {
        return None;
    }
    let close = end_of(pieces, at + 1, false)?;
    let inside = pieces[at].range.end..pieces[close].range.start;
    let range = pieces[at].range.start..pieces[close].range.end;
    let text = text.get(inside)?.trim();
    (!text.is_empty()).then(|| Edit { range, text: text.to_owned() })
}

fn ends_with_word(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && !text.ends_with("return")
}

/// Returns ranges around a token that can be removed with it.
fn around(pieces: &[Piece], at: usize) -> Vec<Range<usize>> {
    let start = pieces[at].range.start;
    match pieces[at].kind {
        TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
            let Some(close) =
                end_of(pieces, at + 1, false).filter(|&end| is_close(pieces[end].kind))
            else {
                return Vec::new();
            };
            vec![start..pieces[close].range.end, pieces[at].range.end..pieces[close].range.start]
        }
        TokenKind::Comma => {
            let next = end_of(pieces, at + 1, true).map(|end| start..pieces[end].range.start);
            let before = item_before(pieces, at)
                .map(|first| pieces[first].range.start..pieces[at].range.end);
            next.into_iter().chain(before).collect()
        }
        TokenKind::Equal => {
            let end = end_of(pieces, at + 1, true);
            end.map(|end| start..pieces[end].range.start).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the items of the list in parentheses that starts at a place of a text.
pub(super) fn items(text: &str, from: usize) -> Option<Vec<Range<usize>>> {
    let pieces = pieces(text.get(from..)?);
    if pieces.first()?.kind != TokenKind::LeftParen {
        return None;
    }
    let mut items = Vec::new();
    let mut first = 1;
    loop {
        let end = end_of(&pieces, first, true)?;
        if end > first {
            let (start, end) = (pieces[first].range.start, pieces[end - 1].range.end);
            items.push(from + start..from + end);
        }
        if pieces[end].kind != TokenKind::Comma {
            return Some(items);
        }
        first = end + 1;
    }
}

fn is_open(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace)
}

fn is_close(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace)
}

/// Returns the bracket that closes the group open at `from`; for the end of an item also a comma or
/// a semicolon before it.
fn end_of(pieces: &[Piece], from: usize, item: bool) -> Option<usize> {
    let mut depth = 0usize;
    for (at, piece) in pieces.iter().enumerate().skip(from) {
        match piece.kind {
            kind if is_open(kind) => depth += 1,
            kind if is_close(kind) && depth == 0 => return Some(at),
            kind if is_close(kind) => depth -= 1,
            TokenKind::Comma | TokenKind::Semicolon if item && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the first token of the item that a comma ends.
fn item_before(pieces: &[Piece], comma: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in (0..comma).rev() {
        match pieces[at].kind {
            kind if is_close(kind) => depth += 1,
            kind if is_open(kind) && depth == 0 => return Some(at + 1),
            kind if is_open(kind) => depth -= 1,
            TokenKind::Comma | TokenKind::Semicolon if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}
