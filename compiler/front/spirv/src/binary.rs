//! Reader: words to instructions, by the grammar tables.

use rspirv::spirv::{self, Op};
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::grammar::{self, OperandKind as K, OperandQuantifier, Row, row_of};
use crate::module::{Instruction, Module, Operand};

/// Largest bound of ids (SPIR-V 1.6 section 2.17).
const MAX_BOUND: u32 = 0x3f_ffff;
/// Most words of a module.
const MAX_WORDS: usize = 1 << 24;
/// Words of the header.
const HEADER: usize = 5;

impl Module {
    /// Reads a module's words.
    ///
    /// # Errors
    /// The first word that is malformed.
    pub fn read(words: &[u32]) -> Result<Module, Error> {
        let (version, bound) = header(words)?;
        let mut reader =
            Reader { words, bound, bits: FxHashMap::default(), types: FxHashMap::default() };
        let mut instructions = Vec::new();
        let mut at = HEADER;
        while at < words.len() {
            let instruction = reader.instruction(at)?;
            at += (words[at] >> 16) as usize;
            instructions.push(instruction);
        }
        Module::new(version, bound, instructions)
    }
}

fn header(words: &[u32]) -> Result<(u32, u32), Error> {
    if words.len() > MAX_WORDS {
        return Err(Error::new(0, format!("the module has more than {MAX_WORDS} words")));
    }
    let &[magic, version, _, bound, schema, ..] = words else {
        return Err(Error::new(0, format!("the header has {HEADER} words, not {}", words.len())));
    };
    if magic == spirv::MAGIC_NUMBER.swap_bytes() {
        return Err(Error::new(0, "the bytes of the module's words are swapped"));
    }
    if magic != spirv::MAGIC_NUMBER {
        return Err(Error::new(0, format!("{magic:#010x} is not the magic number")));
    }
    if version & 0xff00_00ff != 0 || !(0x10000..=0x10600).contains(&version) {
        return Err(Error::new(1, format!("{version:#010x} is no version from 1.0 to 1.6")));
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(Error::new(3, format!("the bound {bound} is not from 1 to {MAX_BOUND}")));
    }
    if schema != 0 {
        return Err(Error::new(4, format!("the instruction schema is {schema}, not 0")));
    }
    Ok((version, bound))
}

struct Reader<'a> {
    words: &'a [u32],
    bound: u32,
    /// Bits of numeric types.
    bits: FxHashMap<u32, u32>,
    /// Types of results.
    types: FxHashMap<u32, u32>,
}

/// Words of one instruction that are still to be read.
struct Rest<'a> {
    row: &'static Row<'static>,
    words: &'a [u32],
    /// Number of the first of them in the module.
    at: usize,
    made: Instruction,
}

impl Rest<'_> {
    fn error(&self, message: impl std::fmt::Display) -> Error {
        Error::new(self.at, format!("Op{}: {message}", self.row.opname))
    }

    fn next(&mut self) -> Result<u32, Error> {
        let Some((&first, rest)) = self.words.split_first() else {
            return Err(self.error("an operand is missing"));
        };
        (self.words, self.at) = (rest, self.at + 1);
        Ok(first)
    }
}

impl Reader<'_> {
    fn instruction(&mut self, at: usize) -> Result<Instruction, Error> {
        let (count, opcode) = ((self.words[at] >> 16) as usize, self.words[at] & 0xffff);
        let Some(row) = row_of(opcode) else {
            return Err(Error::new(at, format!("{opcode} is no instruction")));
        };
        let Some(words) = self.words.get(at + 1..at + count.max(1)).filter(|_| count > 0) else {
            let message = format!("Op{}: {count} words do not fit", row.opname);
            return Err(Error::new(at, message));
        };
        let made = Instruction { op: row.opcode, ty: 0, id: 0, operands: Vec::new(), offset: at };
        let mut rest = Rest { row, words, at: at + 1, made };
        for operand in row.operands {
            self.quantified(operand.kind, operand.quantifier, &mut rest)?;
        }
        if !rest.words.is_empty() {
            return Err(rest.error("there are more words than operands"));
        }
        self.note(&rest.made);
        Ok(rest.made)
    }

    fn quantified(
        &self,
        kind: K,
        quantifier: OperandQuantifier,
        rest: &mut Rest<'_>,
    ) -> Result<(), Error> {
        match quantifier {
            OperandQuantifier::One => self.operand(kind, rest),
            OperandQuantifier::ZeroOrOne if rest.words.is_empty() => Ok(()),
            OperandQuantifier::ZeroOrOne => self.operand(kind, rest),
            OperandQuantifier::ZeroOrMore => {
                while !rest.words.is_empty() {
                    self.operand(kind, rest)?;
                }
                Ok(())
            }
        }
    }

    fn operand(&self, kind: K, rest: &mut Rest<'_>) -> Result<(), Error> {
        match kind {
            K::IdResultType => rest.made.ty = self.id(rest)?,
            K::IdResult => rest.made.id = self.id(rest)?,
            K::IdRef | K::IdScope | K::IdMemorySemantics => {
                let id = self.id(rest)?;
                rest.made.operands.push(Operand::Id(id));
            }
            K::LiteralInteger | K::LiteralFloat | K::LiteralExtInstInteger => {
                let word = rest.next()?;
                rest.made.operands.push(Operand::Literal(word));
            }
            K::LiteralString => {
                let text = text(rest)?;
                rest.made.operands.push(Operand::Text(text.into()));
            }
            K::LiteralContextDependentNumber => self.number(rest.made.ty, rest)?,
            K::PairLiteralIntegerIdRef => {
                let selector = rest.made.id_at(0).and_then(|id| self.types.get(&id).copied());
                self.number(selector.unwrap_or(0), rest)?;
                self.operand(K::IdRef, rest)?;
            }
            K::PairIdRefLiteralInteger => {
                self.operand(K::IdRef, rest)?;
                self.operand(K::LiteralInteger, rest)?;
            }
            K::PairIdRefIdRef => {
                self.operand(K::IdRef, rest)?;
                self.operand(K::IdRef, rest)?;
            }
            K::LiteralSpecConstantOpInteger => {
                let word = rest.next()?;
                let Some(row) = row_of(word) else {
                    return Err(rest.error(format!("{word} is no instruction")));
                };
                rest.made.operands.push(Operand::Literal(word));
                for operand in row.operands {
                    if !matches!(operand.kind, K::IdResult | K::IdResultType) {
                        self.quantified(operand.kind, operand.quantifier, rest)?;
                    }
                }
            }
            kind => {
                let word = rest.next()?;
                let Some(parameters) = grammar::parameters(kind, word) else {
                    return Err(rest.error(format!("{word} is no {kind:?}")));
                };
                rest.made.operands.push(Operand::Enumerant(kind, word));
                for parameter in parameters {
                    self.quantified(parameter.kind, parameter.quantifier, rest)?;
                }
            }
        }
        Ok(())
    }

    fn id(&self, rest: &mut Rest<'_>) -> Result<u32, Error> {
        let id = rest.next()?;
        if id == 0 || id >= self.bound {
            return Err(rest.error(format!("id {id} is not from 1 to {}", self.bound - 1)));
        }
        Ok(id)
    }

    /// A number of a type, in as many words as the type has.
    fn number(&self, ty: u32, rest: &mut Rest<'_>) -> Result<(), Error> {
        let Some(&bits) = self.bits.get(&ty) else {
            return Err(rest.error("the type of a number is not numeric"));
        };
        let low = rest.next()?;
        let operand = match bits {
            64 => Operand::Wide(u64::from(low) | u64::from(rest.next()?) << 32),
            _ => Operand::Literal(low),
        };
        rest.made.operands.push(operand);
        Ok(())
    }

    /// Notes what later instructions need to know of this one.
    fn note(&mut self, made: &Instruction) {
        if matches!(made.op, Op::TypeInt | Op::TypeFloat) {
            self.bits.insert(made.id, made.literal_at(0).unwrap_or(0));
        } else if made.ty != 0 {
            self.types.insert(made.id, made.ty);
        }
    }
}

/// A string up to the zero that ends it.
fn text(rest: &mut Rest<'_>) -> Result<String, Error> {
    let mut bytes = Vec::new();
    loop {
        let word = rest.next()?.to_le_bytes();
        let length = word.iter().position(|&byte| byte == 0);
        bytes.extend_from_slice(&word[..length.unwrap_or(4)]);
        if length.is_some() {
            return String::from_utf8(bytes).map_err(|_| rest.error("a string is not UTF-8"));
        }
    }
}
