//! Assembler: text to words, by the grammar tables.

use rspirv::grammar::ext_inst_table;
use rspirv::spirv::{self, Op};
use rustc_hash::FxHashMap;

use crate::error::AssemblyError;
use crate::grammar::{self, OperandKind as K, OperandQuantifier, Row, row_called};
use crate::lexer::{Token, TokenKind, tokens, unescaped};
use crate::number::{self, Kind, Numeric};

/// A module made from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// Words of the module.
    pub words: Vec<u32>,
    /// The line of each instruction, by the number of its first word, in order.
    pub lines: Vec<(usize, u32)>,
}

impl Assembled {
    /// Returns the line, from 1, of the instruction that has a word.
    pub fn line_of(&self, offset: usize) -> Option<u32> {
        let after = self.lines.partition_point(|&(first, _)| first <= offset);
        after.checked_sub(1).map(|index| self.lines[index].1)
    }
}

/// Assembles a text as `spirv-as` does. Results have numbers in the order in which their names
/// appear. A comment `; Version: 1.3` gives the version, otherwise it is 1.0. A text of hexadecimal
/// words that begins with the magic number is taken as it is.
///
/// # Errors
/// The first token that is wrong.
pub fn assemble(text: &[u8]) -> Result<Assembled, AssemblyError> {
    let invalid = |error: std::str::Utf8Error| {
        let before = &text[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() as u32 + 1;
        AssemblyError { line, column, message: "the text is not UTF-8".to_owned() }
    };
    let text = std::str::from_utf8(text).map_err(invalid)?;
    let list = tokens(text)?;
    if list.first().is_some_and(|token| token.text == MAGIC) {
        return hexadecimal(&list);
    }
    let mut assembler = Assembler { tokens: &list, ..Assembler::default() };
    assembler.result.words = vec![spirv::MAGIC_NUMBER, version(text), 0, 0, 0];
    while let Some(first) = assembler.peek() {
        assembler.instruction(first)?;
    }
    assembler.result.words[3] = assembler.ids.len() as u32 + 1;
    Ok(assembler.result)
}

/// The magic number in text.
const MAGIC: &str = "0x07230203";

/// Returns the words of a text of hexadecimal numbers.
fn hexadecimal(list: &[Token<'_>]) -> Result<Assembled, AssemblyError> {
    let word = |token: &Token<'_>| {
        let digits = token.text.strip_prefix("0x");
        let word = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        word.ok_or_else(|| token.error(format!("`{}` is no word", token.text)))
    };
    let words = list.iter().map(word).collect::<Result<_, _>>()?;
    Ok(Assembled { words, lines: Vec::new() })
}

/// Returns the word of the version that a comment tells.
fn version(text: &str) -> u32 {
    let comments = text.lines().map_while(|line| line.strip_prefix(';'));
    let told = comments.filter_map(|line| line.trim().strip_prefix("Version:")).next();
    let numbers = told.and_then(|version| version.trim().split_once('.'));
    match numbers.map(|(major, minor)| (major.parse::<u8>(), minor.parse::<u8>())) {
        Some((Ok(major), Ok(minor))) => u32::from(major) << 16 | u32::from(minor) << 8,
        _ => 0x0001_0000,
    }
}

#[derive(Default)]
struct Assembler<'a> {
    tokens: &'a [Token<'a>],
    result: Assembled,
    ids: FxHashMap<&'a str, u32>,
    /// Numeric types by their ids.
    numeric: FxHashMap<u32, Numeric>,
    /// Types of results.
    types: FxHashMap<u32, u32>,
    /// Sets of extended instructions by their ids.
    sets: FxHashMap<u32, String>,
}

/// An instruction in the making.
struct Making<'a> {
    row: &'static Row<'static>,
    /// The name of the instruction.
    opcode: Token<'a>,
    result: Option<Token<'a>>,
    words: Vec<u32>,
    result_type: u32,
}

impl<'a> Assembler<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.first().copied()
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    /// True if the next token belongs to the instruction before it.
    fn has_operand(&self) -> bool {
        match self.tokens {
            [first, second, ..] => !first.is_opcode() && second.kind != TokenKind::Equals,
            [first] => !first.is_opcode(),
            [] => false,
        }
    }

    fn instruction(&mut self, first: Token<'a>) -> Result<(), AssemblyError> {
        let mut result = None;
        if first.kind == TokenKind::Id {
            result = self.next();
            match self.next() {
                Some(token) if token.kind == TokenKind::Equals => {}
                _ => return Err(first.error(format!("expected `=` after `{}`", first.text))),
            }
        }
        let Some(opcode) = self.next().filter(Token::is_opcode) else {
            return Err(first.error(format!("expected an instruction at `{}`", first.text)));
        };
        let name = &opcode.text[2..];
        let Some(row) = row_called(name) else {
            return Err(opcode.error(format!("no instruction is called `{}`", opcode.text)));
        };
        let mut making = Making { row, opcode, result, words: Vec::new(), result_type: 0 };
        self.operands(&mut making)?;
        if let Some(result) = making.result.filter(|_| !has(row, K::IdResult)) {
            return Err(result.error(format!("{} has no result", opcode.text)));
        }
        if self.has_operand()
            && let Some(extra) = self.peek()
        {
            return Err(extra.error(format!("{} has no operand `{}`", opcode.text, extra.text)));
        }
        let count = making.words.len() + 1;
        if count > 0xffff {
            return Err(opcode.error(format!("{} has too many operands", opcode.text)));
        }
        self.note(&making);
        self.result.lines.push((self.result.words.len(), opcode.line));
        self.result.words.push((count as u32) << 16 | row.opcode as u32);
        self.result.words.append(&mut making.words);
        Ok(())
    }

    fn operands(&mut self, making: &mut Making<'a>) -> Result<(), AssemblyError> {
        for operand in making.row.operands {
            match operand.quantifier {
                OperandQuantifier::One => self.operand(operand.kind, making)?,
                OperandQuantifier::ZeroOrOne if self.has_operand() => {
                    self.operand(operand.kind, making)?
                }
                OperandQuantifier::ZeroOrOne => {}
                OperandQuantifier::ZeroOrMore => {
                    while self.has_operand() {
                        self.operand(operand.kind, making)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn operand(&mut self, kind: K, making: &mut Making<'a>) -> Result<(), AssemblyError> {
        if kind == K::IdResult {
            let Some(result) = making.result else {
                let message = format!("{} needs a result, `%name =`", making.opcode.text);
                return Err(making.opcode.error(message));
            };
            let id = self.id(result)?;
            making.words.push(id);
            return Ok(());
        }
        if !self.has_operand() {
            let message = format!("{} needs another operand: {kind:?}", making.opcode.text);
            return Err(making.opcode.error(message));
        }
        let Some(token) = self.next() else { return Ok(()) };
        match kind {
            K::IdResultType => {
                making.result_type = self.id(token)?;
                making.words.push(making.result_type);
            }
            K::IdRef | K::IdScope | K::IdMemorySemantics => making.words.push(self.id(token)?),
            K::LiteralInteger => {
                let types = [Kind::Unsigned, Kind::Signed].map(|kind| Numeric { bits: 32, kind });
                let value = types.into_iter().find_map(|ty| number::parse(token.text, ty));
                making.words.push(value.ok_or_else(|| not_a_number(token))? as u32);
            }
            K::LiteralFloat => {
                let value = number::parse(token.text, Numeric { bits: 32, kind: Kind::Float });
                making.words.push(value.ok_or_else(|| not_a_number(token))? as u32);
            }
            K::LiteralString if token.kind == TokenKind::Text => {
                push_text(&mut making.words, &unescaped(token.text));
            }
            K::LiteralString => return Err(token.error(format!("`{}` is no string", token.text))),
            K::LiteralContextDependentNumber => {
                let ty = self.numeric.get(&making.result_type).copied();
                self.number(token, ty, making)?;
            }
            K::PairLiteralIntegerIdRef => {
                let selector = making.words.first().and_then(|id| self.types.get(id));
                let ty = selector.and_then(|ty| self.numeric.get(ty)).copied();
                self.number(token, ty, making)?;
                self.operand(K::IdRef, making)?;
            }
            K::PairIdRefLiteralInteger => {
                making.words.push(self.id(token)?);
                self.operand(K::LiteralInteger, making)?;
            }
            K::PairIdRefIdRef => {
                making.words.push(self.id(token)?);
                self.operand(K::IdRef, making)?;
            }
            K::LiteralExtInstInteger => {
                let set = making.words.last().and_then(|id| self.sets.get(id));
                making.words.push(extended(set, token)?);
            }
            K::LiteralSpecConstantOpInteger => self.constant_operation(token, making)?,
            kind if grammar::has_names(kind) => self.named(kind, token, making)?,
            kind => return Err(token.error(format!("operands of kind {kind:?} have no text"))),
        }
        Ok(())
    }

    fn named(
        &mut self,
        kind: K,
        token: Token<'a>,
        making: &mut Making<'a>,
    ) -> Result<(), AssemblyError> {
        let wrong = || token.error(format!("no {kind:?} is called `{}`", token.text));
        let word = grammar::word_of(kind, token.text).ok_or_else(wrong)?;
        making.words.push(word);
        for parameter in grammar::parameters(kind, word).unwrap_or_default() {
            match parameter.quantifier {
                OperandQuantifier::One => self.operand(parameter.kind, making)?,
                _ => {
                    while self.has_operand() {
                        self.operand(parameter.kind, making)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The instruction that an `OpSpecConstantOp` applies.
    fn constant_operation(
        &mut self,
        token: Token<'a>,
        making: &mut Making<'a>,
    ) -> Result<(), AssemblyError> {
        let Some(row) = row_called(token.text) else {
            return Err(token.error(format!("no instruction is called `Op{}`", token.text)));
        };
        making.words.push(row.opcode as u32);
        let operands =
            row.operands.iter().filter(|o| !matches!(o.kind, K::IdResult | K::IdResultType));
        for operand in operands {
            let many = operand.quantifier == OperandQuantifier::ZeroOrMore;
            while operand.quantifier == OperandQuantifier::One || self.has_operand() {
                self.operand(operand.kind, making)?;
                if !many {
                    break;
                }
            }
        }
        Ok(())
    }

    /// A number of a numeric type, in one or two words.
    fn number(
        &mut self,
        token: Token<'a>,
        ty: Option<Numeric>,
        making: &mut Making<'a>,
    ) -> Result<(), AssemblyError> {
        let Some(ty) = ty else {
            let message = format!("the type of `{}` is not a number's", token.text);
            return Err(token.error(message));
        };
        let bits = number::parse(token.text, ty).ok_or_else(|| not_a_number(token))?;
        making.words.push(bits as u32);
        if ty.bits == 64 {
            making.words.push((bits >> 32) as u32);
        }
        Ok(())
    }

    fn id(&mut self, token: Token<'a>) -> Result<u32, AssemblyError> {
        if token.kind != TokenKind::Id {
            return Err(token.error(format!("expected `%name`, got `{}`", token.text)));
        }
        let next = self.ids.len() as u32 + 1;
        Ok(*self.ids.entry(token.text).or_insert(next))
    }

    /// Notes what later instructions need to know of this one.
    fn note(&mut self, making: &Making<'a>) {
        let words = &making.words;
        match (making.row.opcode, words.as_slice()) {
            (Op::TypeInt, &[id, bits, signed, ..]) => {
                let kind = if signed == 0 { Kind::Unsigned } else { Kind::Signed };
                self.numeric.insert(id, Numeric { bits: bits.clamp(8, 64), kind });
            }
            (Op::TypeFloat, &[id, bits, ..]) => {
                self.numeric.insert(id, Numeric { bits: bits.clamp(16, 64), kind: Kind::Float });
            }
            (Op::ExtInstImport, &[id, ..]) => {
                let name = words[1..].iter().flat_map(|word| word.to_le_bytes());
                let name: Vec<u8> = name.take_while(|&byte| byte != 0).collect();
                self.sets.insert(id, String::from_utf8_lossy(&name).into_owned());
            }
            (_, &[_, id, ..]) if making.result_type != 0 => {
                self.types.insert(id, making.result_type);
            }
            _ => {}
        }
    }
}

fn has(row: &Row<'_>, kind: K) -> bool {
    row.operands.iter().any(|operand| operand.kind == kind)
}

fn not_a_number(token: Token<'_>) -> AssemblyError {
    token.error(format!("`{}` is no number of its type", token.text))
}

/// Returns the number of an extended instruction.
fn extended(set: Option<&String>, token: Token<'_>) -> Result<u32, AssemblyError> {
    if let Ok(number) = token.text.parse() {
        return Ok(number);
    }
    let table = set.and_then(|set| ext_inst_table(set));
    let row = table.and_then(|table| table.iter().find(|row| row.opname == token.text));
    let wrong = || token.error(format!("no extended instruction is called `{}`", token.text));
    row.map(|row| row.opcode.into()).ok_or_else(wrong)
}

/// Appends a string in words, with a zero at the end.
fn push_text(words: &mut Vec<u32>, text: &str) {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let word = |chunk: &[u8]| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
    words.extend(bytes.chunks_exact(4).map(word));
}
