//! Lexer: bytes to [`Token`]s.
//!
//! The lexer is two functions over a byte slice and a position: [`skip_space`] and [`scan`]. It
//! keeps no state, so that the preprocessor can stop at line ends, start anywhere and switch
//! between files.

use crate::intern::{Interner, Symbol};
use crate::token::{Token, TokenKind, flags};

/// Result of [`skip_space`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Position of the next token, or the end.
    pub pos: usize,
    /// [`flags::SPACE`] and [`flags::LINE_START`].
    pub flags: u8,
    /// Start of a `/*` without `*/`.
    pub unterminated: Option<usize>,
}

const OTHER: u8 = 0;
const BLANK: u8 = 1;
const NEWLINE: u8 = 2;
const LETTER: u8 = 4;
const DIGIT: u8 = 8;

/// Classes of bytes.
static CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut b = 0;
    while b < 256 {
        class[b] = match b as u8 {
            b' ' | b'\t' | 0x0b | 0x0c => BLANK,
            b'\n' | b'\r' => NEWLINE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT,
            _ => OTHER,
        };
        b += 1;
    }
    class
};

#[inline]
fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

#[inline]
fn at(text: &[u8], pos: usize) -> u8 {
    text.get(pos).copied().unwrap_or(0)
}

/// Position of the line end at or after `pos` (the newline itself), or the end of the text.
#[inline]
pub fn line_end(text: &[u8], pos: usize) -> usize {
    let rest = text.get(pos..).unwrap_or_default();
    // Eight bytes at a time: a byte is CR or LF exactly if XOR with the repeated pattern makes it
    // zero.
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let zero = |x: u64| x.wrapping_sub(ONES) & !x & HIGHS;
    let mut chunks = rest.chunks_exact(8);
    let mut offset = 0;
    for c in &mut chunks {
        let word = u64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]]);
        let hits = zero(word ^ (ONES * b'\n' as u64)) | zero(word ^ (ONES * b'\r' as u64));
        if hits != 0 {
            // The lowest hit is exact; borrows only make false hits above a true one.
            return pos + offset + (hits.trailing_zeros() / 8) as usize;
        }
        offset += 8;
    }
    let tail = chunks.remainder().iter().position(|&b| is(b, NEWLINE));
    pos + offset + tail.unwrap_or(chunks.remainder().len())
}

/// Skips blanks, comments and line ends from `pos`. With `stop_at_line_end` it stops before
/// the line end that would finish a directive (a line end inside `/* */` does not).
#[inline]
pub fn skip_space(text: &[u8], mut pos: usize, stop_at_line_end: bool) -> Skipped {
    let mut passed = 0;
    while let Some(&byte) = text.get(pos) {
        if is(byte, BLANK) {
            passed |= flags::SPACE;
            pos += 1;
        } else if is(byte, NEWLINE) {
            if stop_at_line_end {
                break;
            }
            passed |= flags::SPACE | flags::LINE_START;
            pos += 1;
        } else if byte == b'/' {
            match at(text, pos + 1) {
                b'/' => pos = line_end(text, pos + 2),
                b'*' => match comment_end(text, pos + 2) {
                    Some(end) => pos = end,
                    None => {
                        return Skipped { pos: text.len(), flags: passed, unterminated: Some(pos) };
                    }
                },
                _ => break,
            }
            passed |= flags::SPACE;
        } else {
            break;
        }
    }
    Skipped { pos, flags: passed, unterminated: None }
}

/// Position after the `*/` that ends a comment whose inside starts at `pos`.
pub fn comment_end(text: &[u8], pos: usize) -> Option<usize> {
    let rest = text.get(pos..)?;
    rest.windows(2).position(|w| w == b"*/").map(|i| pos + i + 2)
}

/// Scans the token at `pos`, which must not be white space; `flags` become the token's. Returns it
/// and the position after it; past the end, [`TokenKind::End`]. Tokens too long for a [`Token`]
/// become [`TokenKind::Unknown`].
#[inline]
pub fn scan(text: &[u8], pos: usize, flags: u8, interner: &mut Interner) -> (Token, usize) {
    let Some(&first) = text.get(pos) else {
        return (token(TokenKind::End, flags, pos, pos, Symbol::EMPTY), pos);
    };
    if is(first, LETTER) {
        let end = word_end(text, pos + 1);
        let symbol = interner.intern_bytes(&text[pos..end]);
        return (token(TokenKind::Ident, flags, pos, end, symbol), end);
    }
    let (kind, end) = if is(first, DIGIT) || (first == b'.' && is(at(text, pos + 1), DIGIT)) {
        number(text, pos)
    } else {
        punctuation(text, pos, first)
    };
    (token(kind, flags, pos, end, Symbol::EMPTY), end)
}

#[inline]
fn token(kind: TokenKind, flags: u8, start: usize, end: usize, symbol: Symbol) -> Token {
    match u16::try_from(end - start) {
        Ok(len) => Token { kind, flags, len, pos: start as u32, symbol, text: start as u32 },
        Err(_) => Token {
            kind: TokenKind::Unknown,
            flags,
            len: u16::MAX,
            pos: start as u32,
            symbol,
            text: start as u32,
        },
    }
}

#[inline]
fn word_end(text: &[u8], mut pos: usize) -> usize {
    while pos < text.len() && is(text[pos], LETTER | DIGIT) {
        pos += 1;
    }
    pos
}

#[inline]
fn digits_end(text: &[u8], mut pos: usize) -> usize {
    while is(at(text, pos), DIGIT) {
        pos += 1;
    }
    pos
}

/// A number and all letters and digits after it; the parser checks the suffix.
fn number(text: &[u8], start: usize) -> (TokenKind, usize) {
    if at(text, start) == b'0' && matches!(at(text, start + 1), b'x' | b'X') {
        return (TokenKind::Int, word_end(text, start + 2));
    }
    let mut kind = TokenKind::Int;
    let mut pos = digits_end(text, start);
    if at(text, pos) == b'.' {
        kind = TokenKind::Float;
        pos = digits_end(text, pos + 1);
    }
    if matches!(at(text, pos), b'e' | b'E') {
        let sign = usize::from(matches!(at(text, pos + 1), b'+' | b'-'));
        if is(at(text, pos + 1 + sign), DIGIT) {
            kind = TokenKind::Float;
            pos = digits_end(text, pos + 1 + sign);
        }
    }
    let end = word_end(text, pos);
    // `1f` and `2lf` are floating-point without a point; decimal digits never contain these
    // letters.
    if kind == TokenKind::Int && end > pos && matches!(at(text, end - 1), b'f' | b'F') {
        kind = TokenKind::Float;
    }
    (kind, end)
}

#[inline]
fn punctuation(text: &[u8], pos: usize, first: u8) -> (TokenKind, usize) {
    use TokenKind::*;
    let second = at(text, pos + 1);
    let third = at(text, pos + 2);
    let (kind, len) = match (first, second) {
        (b'(', _) => (LeftParen, 1),
        (b')', _) => (RightParen, 1),
        (b'[', _) => (LeftBracket, 1),
        (b']', _) => (RightBracket, 1),
        (b'{', _) => (LeftBrace, 1),
        (b'}', _) => (RightBrace, 1),
        (b'.', _) => (Dot, 1),
        (b',', _) => (Comma, 1),
        (b';', _) => (Semicolon, 1),
        (b':', _) => (Colon, 1),
        (b'?', _) => (Question, 1),
        (b'~', _) => (Tilde, 1),
        (b'+', b'+') => (PlusPlus, 2),
        (b'+', b'=') => (PlusEqual, 2),
        (b'+', _) => (Plus, 1),
        (b'-', b'-') => (MinusMinus, 2),
        (b'-', b'=') => (MinusEqual, 2),
        (b'-', _) => (Minus, 1),
        (b'*', b'=') => (StarEqual, 2),
        (b'*', _) => (Star, 1),
        (b'/', b'=') => (SlashEqual, 2),
        (b'/', _) => (Slash, 1),
        (b'%', b'=') => (PercentEqual, 2),
        (b'%', _) => (Percent, 1),
        (b'<', b'<') if third == b'=' => (ShiftLeftEqual, 3),
        (b'<', b'<') => (ShiftLeft, 2),
        (b'<', b'=') => (LessEqual, 2),
        (b'<', _) => (Less, 1),
        (b'>', b'>') if third == b'=' => (ShiftRightEqual, 3),
        (b'>', b'>') => (ShiftRight, 2),
        (b'>', b'=') => (GreaterEqual, 2),
        (b'>', _) => (Greater, 1),
        (b'&', b'&') => (AmpAmp, 2),
        (b'&', b'=') => (AmpEqual, 2),
        (b'&', _) => (Amp, 1),
        (b'|', b'|') => (BarBar, 2),
        (b'|', b'=') => (BarEqual, 2),
        (b'|', _) => (Bar, 1),
        (b'^', b'^') => (CaretCaret, 2),
        (b'^', b'=') => (CaretEqual, 2),
        (b'^', _) => (Caret, 1),
        (b'!', b'=') => (BangEqual, 2),
        (b'!', _) => (Bang, 1),
        (b'=', b'=') => (EqualEqual, 2),
        (b'=', _) => (Equal, 1),
        (b'#', b'#') => (HashHash, 2),
        (b'#', _) => (Hash, 1),
        _ => return (Unknown, unknown_end(text, pos)),
    };
    (kind, pos + len)
}

/// A whole UTF-8 character is one unknown token, as is a byte outside of any.
fn unknown_end(text: &[u8], pos: usize) -> usize {
    let character = (2..=4).filter_map(|length| text.get(pos..pos + length));
    let length =
        character.filter(|bytes| std::str::from_utf8(bytes).is_ok()).map(<[u8]>::len).next();
    pos + if text[pos].is_ascii() { 1 } else { length.unwrap_or(1) }
}
