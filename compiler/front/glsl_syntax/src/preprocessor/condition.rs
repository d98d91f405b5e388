//! Expressions of `#if`, `#elif` and `#line`: integers, the operators of C without assignment, `?:`
//! and comma, `defined`.

use super::macro_table::TEXT_ONE;
use super::{Preprocessor, TEXT_ZERO};
use crate::intern::words;
use crate::token::{Token, TokenKind, flags};

/// Maximum nesting of parentheses and unary operators.
const MAX_NESTING: u32 = 200;

/// An error with the index of its token (the number of tokens for the end of the line).
type Evaluated = Result<i64, (usize, &'static str)>;

/// Evaluates expanded tokens.
struct Evaluator<'a> {
    tokens: &'a [Token],
    text: &'a [u8],
    next: usize,
    nesting: u32,
    /// Nesting of operands whose value does not matter: errors of value are ignored there.
    dead: u32,
    /// Indices of names that are not macros and evaluate to 0.
    undefined: Vec<usize>,
}

impl Preprocessor<'_> {
    /// Evaluates the rest of the directive's line. Errors are reported and count as false.
    pub(super) fn condition(&mut self, hash: Token) -> bool {
        let mut tokens = self.buffers.spare.pop().unwrap_or_default();
        while let Some(token) = self.next_on_line() {
            if is_defined(token) {
                match self.defined_operator(token, Self::next_on_line) {
                    Some(value) => tokens.push(value),
                    None => return false,
                }
            } else {
                tokens.push(token);
            }
        }
        if tokens.is_empty() {
            self.error_at(hash, "this directive needs an expression");
            return false;
        }
        self.in_condition = true;
        let expanded = self.expand_isolated(&tokens, hash);
        self.in_condition = false;
        let text = self.unit.sources.bytes();
        let mut evaluator = Evaluator::new(&expanded, text);
        let result = evaluator.binary(0).and_then(|value| match evaluator.peek() {
            None => Ok(value),
            Some(_) => Err((evaluator.next, "unexpected token in a preprocessor expression")),
        });
        let undefined = std::mem::take(&mut evaluator.undefined);
        for index in undefined {
            let Some(&token) = expanded.get(index) else { continue };
            if self.unit.version.es {
                self.error_at(token, "undefined name in a preprocessor expression");
            } else {
                let span = token.span(self.unit.sources.bytes());
                self.warning(span, "undefined name in a preprocessor expression, taken as 0");
            }
        }
        let value = match result {
            Ok(value) => value != 0,
            Err((index, message)) => {
                let token = expanded.get(index).or(expanded.last()).copied().unwrap_or(hash);
                self.error_at(token, message);
                false
            }
        };
        self.buffers.spare.push(expanded);
        self.buffers.spare.push(tokens);
        self.buffers.spare.iter_mut().for_each(Vec::clear);
        value
    }

    /// The values of consecutive expressions, each as long as possible; `None` after an error in
    /// one of them.
    pub(super) fn values(&self, tokens: &[Token]) -> Option<Vec<i64>> {
        let text = self.unit.sources.bytes();
        let mut evaluator = Evaluator::new(tokens, text);
        let mut values = Vec::new();
        while evaluator.peek().is_some() {
            values.push(evaluator.binary(0).ok()?);
        }
        evaluator.undefined.is_empty().then_some(values)
    }

    /// `defined X` or `defined(X)` as the literal 1 or 0; `next` returns its unexpanded tokens.
    pub(super) fn defined_operator(
        &mut self,
        operator: Token,
        next: fn(&mut Self) -> Option<Token>,
    ) -> Option<Token> {
        let mut name = next(self);
        let parenthesis = name.is_some_and(|t| t.kind == TokenKind::LeftParen);
        if parenthesis {
            name = next(self);
        }
        let Some(name) = name.filter(|t| t.kind == TokenKind::Ident) else {
            self.error_at(name.unwrap_or(operator), "`defined` needs a name");
            return None;
        };
        if parenthesis && next(self).is_none_or(|t| t.kind != TokenKind::RightParen) {
            self.error_at(name, "expected `)` after the name");
            return None;
        }
        let text =
            if self.buffers.macros.lookup(name.symbol).is_some() { TEXT_ONE } else { TEXT_ZERO };
        Some(Token {
            kind: TokenKind::Int,
            flags: operator.flags | flags::EXPANDED,
            len: 1,
            text,
            ..operator
        })
    }
}

/// The word of the operator.
pub(super) fn is_defined(token: Token) -> bool {
    token.symbol == words::DEFINED && token.kind == TokenKind::Ident
}

/// Binding strength of a binary operator, from 1; 0 for other tokens.
fn strength(kind: TokenKind) -> u8 {
    match kind {
        TokenKind::BarBar => 1,
        TokenKind::AmpAmp => 2,
        TokenKind::Bar => 3,
        TokenKind::Caret => 4,
        TokenKind::Amp => 5,
        TokenKind::EqualEqual | TokenKind::BangEqual => 6,
        TokenKind::Less | TokenKind::Greater | TokenKind::LessEqual | TokenKind::GreaterEqual => 7,
        TokenKind::ShiftLeft | TokenKind::ShiftRight => 8,
        TokenKind::Plus | TokenKind::Minus => 9,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 10,
        _ => 0,
    }
}

impl<'a> Evaluator<'a> {
    fn new(tokens: &'a [Token], text: &'a [u8]) -> Evaluator<'a> {
        Evaluator { tokens, text, next: 0, nesting: 0, dead: 0, undefined: Vec::new() }
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).copied()
    }

    /// Operators stronger than `above`, left to right.
    fn binary(&mut self, above: u8) -> Evaluated {
        let mut left = self.unary()?;
        while let Some(operator) = self.peek() {
            let strength = strength(operator.kind);
            if strength <= above {
                break;
            }
            let index = self.next;
            self.next += 1;
            let skips = matches!(
                (operator.kind, left != 0),
                (TokenKind::AmpAmp, false) | (TokenKind::BarBar, true)
            );
            self.dead += u32::from(skips);
            let right = self.binary(strength);
            self.dead -= u32::from(skips);
            let right = right?;
            left = match apply(operator.kind, left, right) {
                Ok(value) => value,
                Err(_) if self.dead > 0 => 0,
                Err(message) => return Err((index, message)),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Evaluated {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err((self.next, "preprocessor expression is nested too deeply"));
        }
        let Some(token) = self.peek() else {
            return Err((self.next, "preprocessor expression ends too early"));
        };
        let index = self.next;
        self.next += 1;
        let value = match token.kind {
            TokenKind::Plus => self.unary()?,
            TokenKind::Minus => self.unary()?.wrapping_neg(),
            TokenKind::Tilde => !self.unary()?,
            TokenKind::Bang => i64::from(self.unary()? == 0),
            TokenKind::LeftParen => {
                let value = self.binary(0)?;
                if self.peek().is_none_or(|t| t.kind != TokenKind::RightParen) {
                    return Err((self.next, "expected `)` in a preprocessor expression"));
                }
                self.next += 1;
                value
            }
            TokenKind::Int => {
                integer(token.spelling(self.text)).map_err(|message| (index, message))?
            }
            TokenKind::Ident => {
                if self.dead == 0 {
                    self.undefined.push(index);
                }
                0
            }
            _ => return Err((index, "unexpected token in a preprocessor expression")),
        };
        self.nesting -= 1;
        Ok(value)
    }
}

fn apply(operator: TokenKind, a: i64, b: i64) -> Result<i64, &'static str> {
    Ok(match operator {
        TokenKind::BarBar => i64::from(a != 0 || b != 0),
        TokenKind::AmpAmp => i64::from(a != 0 && b != 0),
        TokenKind::Bar => a | b,
        TokenKind::Caret => a ^ b,
        TokenKind::Amp => a & b,
        TokenKind::EqualEqual => i64::from(a == b),
        TokenKind::BangEqual => i64::from(a != b),
        TokenKind::Less => i64::from(a < b),
        TokenKind::Greater => i64::from(a > b),
        TokenKind::LessEqual => i64::from(a <= b),
        TokenKind::GreaterEqual => i64::from(a >= b),
        TokenKind::ShiftLeft => a.wrapping_shl(b as u32),
        TokenKind::ShiftRight => a.wrapping_shr(b as u32),
        TokenKind::Plus => a.wrapping_add(b),
        TokenKind::Minus => a.wrapping_sub(b),
        TokenKind::Star => a.wrapping_mul(b),
        TokenKind::Slash if b != 0 => a.wrapping_div(b),
        TokenKind::Percent if b != 0 => a.wrapping_rem(b),
        _ => return Err("division by zero in a preprocessor expression"),
    })
}

/// Value of an integer literal: decimal, octal or hexadecimal, optionally with `u`.
pub(super) fn integer(spelling: &[u8]) -> Result<i64, &'static str> {
    let digits = spelling.strip_suffix(b"u").or(spelling.strip_suffix(b"U")).unwrap_or(spelling);
    let (digits, radix) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16),
        [b'0', rest @ ..] if !rest.is_empty() => (rest, 8),
        _ => (digits, 10),
    };
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    if digits.starts_with(['+', '-']) {
        return Err("malformed integer");
    }
    u64::from_str_radix(digits, radix).map(|value| value as i64).map_err(|_| "malformed integer")
}
