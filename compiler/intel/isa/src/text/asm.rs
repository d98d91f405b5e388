//! Text to instructions.

use thiserror::Error;

use super::lexer::{Cursor, Position};
use crate::devinfo::DevInfo;
use crate::encoding::encode_into;
use crate::inst::{
    AccessMode, CondMod, Desc, FlagReg, Inst, MathFn, PredMode, Predicate, Send, Sfid,
    ThreadControl,
};
use crate::opcode::{Form, Opcode};
use crate::operand::{Addressing, Arf, Operand, RegFile, Region, Swizzle, WriteMask};
use crate::types::Type;

/// Why text does not assemble.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{line}:{column}: {message}")]
pub struct AsmError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The text of the line.
    pub text: String,
    /// Description of the error.
    pub message: String,
}

/// Assembles text to instruction bytes.
///
/// # Errors
/// Where the text is not in the syntax, a label is missing, or an instruction has no encoding on
/// this generation.
pub fn assemble(devinfo: &DevInfo, text: &str) -> Result<Vec<u8>, AsmError> {
    let parsed = parse(devinfo, text)?;
    let mut bytes = Vec::with_capacity(parsed.len() * 16);
    for Parsed { inst, start } in &parsed {
        encode_into(devinfo, inst, &mut bytes)
            .map_err(|error| error_at(start, error.to_string()))?;
    }
    Ok(bytes)
}

/// Parses text to instructions, labels resolved, nothing encoded.
///
/// # Errors
/// As [`assemble`], encoding aside.
pub fn assemble_insts(devinfo: &DevInfo, text: &str) -> Result<Vec<Inst>, AsmError> {
    Ok(parse(devinfo, text)?.into_iter().map(|parsed| parsed.inst).collect())
}

fn error_at(cursor: &Cursor, message: impl Into<String>) -> AsmError {
    let Position { line, column } = cursor.position();
    AsmError { line, column, text: cursor.line().to_owned(), message: message.into() }
}

/// An instruction and where its text starts.
struct Parsed<'a> {
    inst: Inst,
    start: Cursor<'a>,
}

/// Jump distance that a label reference sets.
#[derive(Clone, Copy)]
enum Jump {
    Jip,
    Uip,
}

/// A use of a label before all labels are known.
struct Reference<'a> {
    inst: usize,
    jump: Jump,
    label: &'a str,
    at: Cursor<'a>,
}

fn parse<'a>(devinfo: &'a DevInfo, text: &'a str) -> Result<Vec<Parsed<'a>>, AsmError> {
    let mut parser = Parser {
        devinfo,
        cursor: Cursor::new(text),
        insts: Vec::new(),
        labels: Vec::new(),
        references: Vec::new(),
    };
    loop {
        parser.cursor.skip_space();
        if parser.cursor.peek().is_none() {
            break;
        }
        if !parser.label_definition()? {
            let start = parser.cursor;
            let inst = parser.instruction()?;
            parser.insts.push(Parsed { inst, start });
        }
    }
    parser.resolve()?;
    Ok(parser.insts)
}

struct Parser<'a> {
    devinfo: &'a DevInfo,
    cursor: Cursor<'a>,
    insts: Vec<Parsed<'a>>,
    /// Labels with the index of the instruction after them, sorted by position in the text.
    labels: Vec<(&'a str, usize)>,
    references: Vec<Reference<'a>>,
}

type Parse<T> = Result<T, AsmError>;

/// Instruction words of identifiers: letters, digits, underscores.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> Parser<'a> {
    fn error<T>(&self, message: impl Into<String>) -> Parse<T> {
        Err(error_at(&self.cursor, message))
    }

    fn space(&mut self) {
        self.cursor.skip_space();
    }

    fn expect(&mut self, token: &str) -> Parse<()> {
        if self.cursor.eat(token) { Ok(()) } else { self.error(format!("expected `{token}`")) }
    }

    /// A decimal number without sign that fits `T`.
    fn number<T: std::str::FromStr>(&mut self) -> Parse<T> {
        let start = self.cursor;
        let digits = self.cursor.take_while(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| error_at(&start, "expected a number in range"))
    }

    /// `NAME:` at the start of an instruction.
    fn label_definition(&mut self) -> Parse<bool> {
        let start = self.cursor;
        let name = self.cursor.take_while(is_word);
        if name.is_empty() || !self.cursor.eat(":") {
            self.cursor = start;
            return Ok(false);
        }
        if self.labels.iter().any(|&(label, _)| label == name) {
            return Err(error_at(&start, format!("label `{name}` is defined twice")));
        }
        self.labels.push((name, self.insts.len()));
        Ok(true)
    }

    /// Replaces label references by distances in jump units.
    fn resolve(&mut self) -> Parse<()> {
        let mut offsets = Vec::with_capacity(self.insts.len() + 1);
        let mut offset = 0i64;
        for parsed in &self.insts {
            offsets.push(offset);
            offset += parsed.inst.len_bytes() as i64;
        }
        offsets.push(offset);
        for reference in &self.references {
            let Some(&(_, target)) =
                self.labels.iter().find(|(label, _)| *label == reference.label)
            else {
                return Err(error_at(&reference.at, format!("no label `{}`", reference.label)));
            };
            let (Some(from), Some(to)) = (offsets.get(reference.inst), offsets.get(target)) else {
                continue;
            };
            if let Some(parsed) = self.insts.get_mut(reference.inst) {
                let unit = i64::from(self.devinfo.jump_unit(parsed.inst.opcode));
                let distance = i32::try_from((to - from) / unit)
                    .map_err(|_| error_at(&reference.at, "the label is too far away"))?;
                match reference.jump {
                    Jump::Jip => parsed.inst.jip = distance,
                    Jump::Uip => parsed.inst.uip = distance,
                }
            }
        }
        Ok(())
    }

    fn instruction(&mut self) -> Parse<Inst> {
        let predicate = self.predicate()?;
        self.space();
        let start = self.cursor;
        let mnemonic = self.cursor.take_while(is_word);
        let Some(opcode) = Opcode::from_mnemonic(mnemonic, self.devinfo.version) else {
            return Err(error_at(
                &start,
                format!("`{mnemonic}` is not an instruction of {}", self.devinfo.name),
            ));
        };
        let mut inst = Inst::new(opcode);
        self.modifiers(&mut inst)?;
        if opcode.form() != Form::Bare {
            self.execution_size(&mut inst)?;
        }
        self.operands(&mut inst)?;
        if opcode.is_send() {
            self.message(&mut inst)?;
        }
        self.options(&mut inst)?;
        self.space();
        self.expect(";")?;
        if let Some((predicate, flag, at)) = predicate {
            self.apply_predicate(&mut inst, predicate, flag, &at)?;
        }
        inst.residue = self.raw_bits()?;
        Ok(inst)
    }

    /// `(+f0.1.any4h)`: sign, flag and control name; the name's meaning waits for the access mode.
    #[allow(clippy::type_complexity, reason = "one parser returns these parts")]
    fn predicate(&mut self) -> Parse<Option<((bool, &'a str), FlagReg, Cursor<'a>)>> {
        let start = self.cursor;
        if !self.cursor.eat("(") {
            return Ok(None);
        }
        self.space();
        let inverse = self.cursor.eat("-");
        if !inverse {
            self.cursor.eat("+");
        }
        let flag = self.flag_register()?;
        let control = if self.cursor.eat(".") { self.cursor.take_while(is_word) } else { "" };
        self.space();
        self.expect(")")?;
        Ok(Some(((inverse, control), flag, start)))
    }

    /// `f0.1`.
    fn flag_register(&mut self) -> Parse<FlagReg> {
        self.expect("f")?;
        let nr = self.number()?;
        self.expect(".")?;
        Ok(FlagReg { nr, sub: self.number()? })
    }

    fn apply_predicate(
        &self,
        inst: &mut Inst,
        (inverse, name): (bool, &str),
        flag: FlagReg,
        at: &Cursor,
    ) -> Parse<()> {
        let Some(mode) = PredMode::from_text(name, inst.access_mode) else {
            return Err(error_at(at, format!("no predicate mode `{name}` in this access mode")));
        };
        if inst.cond_mod.is_some() && inst.opcode.cond_mod_writes_flag() && inst.flag != flag {
            return Err(error_at(at, "predicate and condition must name the same flag register"));
        }
        inst.predicate = Some(Predicate { mode, inverse });
        inst.flag = flag;
        Ok(())
    }

    /// `.sat`, `.breakpoint`, a condition with its flag, MATH's function.
    fn modifiers(&mut self, inst: &mut Inst) -> Parse<()> {
        while self.cursor.eat(".") {
            let start = self.cursor;
            match self.cursor.take_while(is_word) {
                "sat" => inst.saturate = true,
                "breakpoint" => inst.debug_control = true,
                name => match CondMod::from_text(name) {
                    Some(cond_mod) => {
                        inst.cond_mod = Some(cond_mod);
                        if inst.opcode.cond_mod_writes_flag() && self.cursor.eat(".") {
                            inst.flag = self.flag_register()?;
                        }
                    }
                    None => return Err(error_at(&start, format!("no modifier `.{name}`"))),
                },
            }
        }
        if inst.opcode == Opcode::Math {
            self.space();
            let start = self.cursor;
            let name = self.cursor.take_while(is_word);
            let Some(function) = MathFn::from_text(name) else {
                return Err(error_at(&start, format!("no math function `{name}`")));
            };
            inst.math = Some(function);
        }
        Ok(())
    }

    fn execution_size(&mut self, inst: &mut Inst) -> Parse<()> {
        self.space();
        self.expect("(")?;
        let start = self.cursor;
        inst.exec_size = self.number()?;
        if !inst.exec_size.is_power_of_two() || inst.exec_size > 32 {
            return Err(error_at(&start, "the execution size is 1, 2, 4, 8, 16 or 32"));
        }
        self.expect(")")
    }

    fn operands(&mut self, inst: &mut Inst) -> Parse<()> {
        // Swizzles and writemasks depend on the access mode, which comes last: look ahead.
        let mut ahead = self.cursor;
        ahead.take_until("{");
        ahead.eat("{");
        ahead.skip_space();
        if ahead.eat("align16") {
            inst.access_mode = AccessMode::Align16;
        }
        match inst.opcode.form() {
            Form::Bare => {}
            Form::Jmpi => inst.src[0] = self.source(inst)?,
            Form::Branch => self.jumps(inst)?,
            Form::Call => {
                inst.dst = self.dst(inst)?;
                self.jumps(inst)?;
            }
            Form::Basic
            | Form::Math
            | Form::ThreeSource
            | Form::Send
            | Form::SplitSend
            | Form::Wait => {
                inst.dst = self.dst(inst)?;
                for index in 0..usize::from(inst.opcode.info().sources) {
                    if index == 1 && inst.has_one_immediate() {
                        break;
                    }
                    let src = self.source(inst)?;
                    if let Some(slot) = inst.src.get_mut(index) {
                        *slot = src;
                    }
                }
            }
        }
        Ok(())
    }

    fn jumps(&mut self, inst: &mut Inst) -> Parse<()> {
        self.space();
        self.expect("JIP:")?;
        inst.jip = self.jump(Jump::Jip)?;
        if inst.opcode.has_uip(self.devinfo.version) {
            self.space();
            self.expect("UIP:")?;
            inst.uip = self.jump(Jump::Uip)?;
        }
        Ok(())
    }

    /// A distance, or a label to be resolved later.
    fn jump(&mut self, jump: Jump) -> Parse<i32> {
        self.space();
        let start = self.cursor;
        let text = self.cursor.take_while(|c| is_word(c) || c == '-');
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return text
                .parse()
                .map_err(|_| error_at(&start, "expected a jump distance or a label"));
        }
        if text.is_empty() {
            return Err(error_at(&start, "expected a jump distance or a label"));
        }
        self.references.push(Reference { inst: self.insts.len(), jump, label: text, at: start });
        Ok(0)
    }

    /// Register file, number, subregister (its text, since its unit is the type that follows) and
    /// addressing.
    fn register(&mut self) -> Parse<(Operand, Subregister<'a>)> {
        let start = self.cursor;
        let name = self.cursor.take_while(|c| c.is_ascii_alphabetic());
        let mut operand = Operand::NULL;
        if self.cursor.eat("[") {
            operand.file = match name {
                "g" => RegFile::Grf,
                "arf" => RegFile::Arf,
                _ => return Err(error_at(&start, "only `g[…]` is addressed indirectly")),
            };
            operand.addressing = self.indirect()?;
            return Ok((operand, Subregister::None));
        }
        operand.nr = match name {
            "g" | "r" => {
                operand.file = RegFile::Grf;
                self.number()?
            }
            "ARF" => self.number()?,
            _ if name.starts_with("null") => {
                // Split sends run the type into the name: `nullUD`.
                self.cursor = start;
                self.cursor.eat("null");
                0
            }
            _ if name.starts_with("ip") => {
                self.cursor = start;
                self.cursor.eat("ip");
                Arf::Ip.number()
            }
            _ => {
                if Arf::from_prefix(name, 0).is_none() {
                    return Err(error_at(&start, "expected an operand"));
                }
                let index: u8 = self.number()?;
                match Arf::from_prefix(name, index) {
                    Some(arf) if index <= 0xf => arf.number(),
                    _ => return Err(error_at(&start, "register number out of range")),
                }
            }
        };
        let subregister = self.subregister()?;
        Ok((operand, subregister))
    }

    fn subregister(&mut self) -> Parse<Subregister<'a>> {
        let start = self.cursor;
        if !self.cursor.eat(".") {
            return Ok(Subregister::None);
        }
        if !self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            // A swizzle or writemask without region.
            self.cursor = start;
            return Ok(Subregister::None);
        }
        let number: u8 = self.number()?;
        Ok(if self.cursor.eat("b") {
            Subregister::Bytes(number)
        } else {
            Subregister::Elements(number, start)
        })
    }

    /// `a0.2 -16]`, after the bracket.
    fn indirect(&mut self) -> Parse<Addressing> {
        self.expect("a0")?;
        let subreg = if self.cursor.eat(".") { self.number()? } else { 0 };
        self.space();
        let start = self.cursor;
        let negative = self.cursor.eat("-");
        let mut offset: i16 = 0;
        if negative || self.cursor.peek() != Some(']') {
            offset = self.number()?;
        }
        if negative {
            offset = -offset;
        } else if (512..1024).contains(&offset) {
            // The field's ten bits, written unsigned.
            offset -= 1024;
        }
        if !(-512..512).contains(&offset) {
            return Err(error_at(&start, "indirect offsets are −512 to 511"));
        }
        self.expect("]")?;
        Ok(Addressing::Indirect { subreg, offset })
    }

    /// The type suffix.
    fn type_letters(&mut self) -> Parse<Type> {
        let start = self.cursor;
        let letters = self.cursor.take_while(|c| c.is_ascii_uppercase());
        Type::from_name(letters).ok_or_else(|| error_at(&start, format!("no type `{letters}`")))
    }

    fn dst(&mut self, inst: &Inst) -> Parse<Operand> {
        self.space();
        let (mut dst, subregister) = self.register()?;
        dst.region = Region::dst(1);
        if self.cursor.eat("<") {
            let hstride = self.number()?;
            self.expect(">")?;
            dst.region = Region::dst(hstride);
        }
        if self.cursor.eat(".") {
            let start = self.cursor;
            let mut mask = 0;
            for name in self.cursor.take_while(|c| c.is_ascii_lowercase()).chars() {
                match component(name) {
                    Some(index) => mask |= 1 << index,
                    None => return Err(error_at(&start, "a writemask is made of x, y, z and w")),
                }
            }
            dst.writemask = WriteMask(mask);
            if inst.access_mode == AccessMode::Align1 {
                return Err(error_at(&start, "Align1 has no writemasks"));
            }
        }
        dst.ty = self.type_letters()?;
        dst.subnr = self.resolve_subregister(subregister, dst.ty)?;
        Ok(dst)
    }

    fn resolve_subregister(&self, subregister: Subregister, ty: Type) -> Parse<u8> {
        match subregister {
            Subregister::None => Ok(0),
            Subregister::Bytes(bytes) if bytes < 32 => Ok(bytes),
            Subregister::Elements(elements, at) => match u32::from(elements) * ty.size() {
                bytes @ 0..32 => Ok(bytes as u8),
                _ => Err(error_at(&at, "subregister out of range")),
            },
            Subregister::Bytes(_) => self.error("subregister out of range"),
        }
    }

    fn source(&mut self, inst: &Inst) -> Parse<Operand> {
        self.space();
        let start = self.cursor;
        if self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.immediate(inst, false);
        }
        let mut negate = self.cursor.eat("-");
        if negate && self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.immediate(inst, true);
        }
        negate |= self.cursor.eat("~");
        let abs = self.cursor.eat("(abs)");
        let (mut src, subregister) = self.register()?;
        (src.negate, src.abs) = (negate, abs);
        self.source_region(inst, &mut src)?;
        if self.cursor.eat(".") {
            src.swizzle = self.swizzle()?;
            if inst.access_mode == AccessMode::Align1 {
                return Err(error_at(&start, "Align1 has no swizzles"));
            }
        }
        src.ty = self.type_letters()?;
        src.subnr = self.resolve_subregister(subregister, src.ty)?;
        Ok(src)
    }

    /// The region as the instruction's form and access mode read it.
    fn source_region(&mut self, inst: &Inst, src: &mut Operand) -> Parse<()> {
        let form = inst.opcode.form();
        // Split sends have no regions; whole registers are what they read.
        let align16 = inst.access_mode == AccessMode::Align16 && form != Form::SplitSend;
        src.region = if align16 { Region::ALIGN16 } else { Region::PACKED8 };
        let start = self.cursor;
        if !self.cursor.eat("<") {
            return Ok(());
        }
        let vstride = if self.cursor.eat("VxH") { Region::VXH } else { self.number()? };
        let mut rest = None;
        if self.cursor.eat(",") || self.cursor.eat(";") {
            let width = self.number()?;
            self.expect(",")?;
            rest = Some((width, self.number()?));
        }
        self.expect(">")?;
        match (form, inst.access_mode, rest) {
            (Form::ThreeSource, _, Some((width, hstride))) => {
                src.region = Region::new(vstride, width, hstride);
                src.rep_ctrl = src.region.is_scalar();
                if !src.rep_ctrl && src.region != Region::ALIGN16 {
                    return Err(error_at(&start, "three-source regions are <4,4,1> and <0,1,0>"));
                }
            }
            (_, AccessMode::Align1, Some((width, hstride))) => {
                src.region = Region::new(vstride, width, hstride)
            }
            (_, AccessMode::Align16, None) => src.region.vstride = vstride,
            (_, AccessMode::Align16, Some(_)) => {
                return Err(error_at(&start, "an Align16 region is `<vstride>`"));
            }
            (_, AccessMode::Align1, None) => {
                return Err(error_at(&start, "an Align1 region is `<v,w,h>`"));
            }
        }
        Ok(())
    }

    fn swizzle(&mut self) -> Parse<Swizzle> {
        let start = self.cursor;
        let names = self.cursor.take_while(|c| c.is_ascii_lowercase());
        let components: Option<Vec<u8>> = names.chars().map(component).collect();
        match components.as_deref() {
            Some(&[x]) => Ok(Swizzle::new(x, x, x, x)),
            Some(&[x, y, z, w]) => Ok(Swizzle::new(x, y, z, w)),
            _ => Err(error_at(&start, "a swizzle is one or four of x, y, z and w")),
        }
    }

    /// A number with type: decimal or lower-case hexadecimal digits, then the upper-case type.
    fn immediate(&mut self, inst: &Inst, negative: bool) -> Parse<Operand> {
        let start = self.cursor;
        let hex = self.cursor.eat("0x");
        let is_digit = |c: char| c.is_ascii_digit() || hex && ('a'..='f').contains(&c);
        let digits = self.cursor.take_while(is_digit);
        let value = u64::from_str_radix(digits, if hex { 16 } else { 10 });
        let Ok(value) = value else { return Err(error_at(&start, "the number is too large")) };
        let ty = self.type_letters()?;
        let range = || Err(error_at(&start, format!("the immediate does not fit {}", ty.name())));
        let wide = ty.size() == 8 || inst.opcode == Opcode::Dim && ty == Type::F;
        let bits: u64 = if wide { 64 } else { 32 };
        if bits < 64 && value >> bits != 0 {
            return range();
        }
        // Magnitude of the lowest value of a signed type; hexadecimal digits are bits and need no
        // sign.
        let lowest = if ty == Type::W { 1 << 15 } else { 1u64 << (bits - 1) };
        if ty.is_signed_integer() && !hex && value > lowest - u64::from(!negative) {
            return range();
        }
        let mut value = value;
        if negative {
            if !ty.is_signed_integer() || hex {
                return range();
            }
            value = value.wrapping_neg() & (u64::MAX >> (64 - bits));
        }
        // 16-bit values stand in both halves; eight hexadecimal digits give both.
        if ty.size() == 2 && !ty.is_vector_immediate() && !(hex && digits.len() > 4) {
            if !negative && value > u64::from(u16::MAX) {
                return range();
            }
            value = (value & 0xffff) << 16 | value & 0xffff;
        }
        Ok(Operand { file: RegFile::Imm, ty, imm: value, ..Operand::NULL })
    }

    /// `0x…` or decimal, at most 32 bits.
    fn descriptor_number(&mut self) -> Parse<u32> {
        self.space();
        let start = self.cursor;
        let hex = self.cursor.eat("0x");
        let digits = self.cursor.take_while(|c| c.is_ascii_hexdigit());
        u32::from_str_radix(digits, if hex { 16 } else { 10 })
            .map_err(|_| error_at(&start, "expected a message descriptor"))
    }

    /// A descriptor: a number, or a dword of a0.
    fn descriptor(&mut self) -> Parse<Desc> {
        self.space();
        if !self.cursor.eat("a0") {
            return Ok(Desc::Imm(self.descriptor_number()?));
        }
        let subreg = if self.cursor.eat(".") { self.number()? } else { 0 };
        // As an Align1 source, an Align16 source, or a split send's operand.
        if !self.cursor.eat("<0,1,0>UD") && !self.cursor.eat("<0>.xUD") {
            self.expect("<0>UD")?;
        }
        Ok(Desc::Indirect { subreg })
    }

    /// Descriptors, receiver, and the words about them, which are skipped.
    fn message(&mut self, inst: &mut Inst) -> Parse<()> {
        let split = inst.opcode.form() == Form::SplitSend;
        let mut desc = self.descriptor()?;
        let mut eot = false;
        if let (Desc::Imm(bits), false) = (&mut desc, split) {
            eot = *bits >> 31 != 0;
            *bits &= !(1 << 31);
        }
        let ex_desc = if split { self.descriptor()? } else { Desc::Imm(0) };
        self.space();
        if !split && matches!(desc, Desc::Indirect { .. }) && self.cursor.peek() == Some('0') {
            // Mesa repeats the dword that names a0.
            self.descriptor_number()?;
            self.space();
        }
        let start = self.cursor;
        let name = self.cursor.take_until("MsgDesc:").trim();
        let Some(sfid) = Sfid::from_text(name) else {
            return Err(error_at(&start, "expected a shared function and `MsgDesc:`"));
        };
        self.cursor.take_until("{");
        inst.send = Some(Send { sfid, desc, ex_desc, eot });
        Ok(())
    }

    /// `{ align1 WE_all 1Q }`.
    fn options(&mut self, inst: &mut Inst) -> Parse<()> {
        self.space();
        if !self.cursor.eat("{") {
            return Ok(());
        }
        loop {
            self.space();
            self.cursor.eat(",");
            self.space();
            if self.cursor.eat("}") {
                return Ok(());
            }
            let start = self.cursor;
            let word = self.cursor.take_while(is_word);
            match word {
                "align1" => inst.access_mode = AccessMode::Align1,
                "align16" => inst.access_mode = AccessMode::Align16,
                "WE_all" => inst.no_mask = true,
                "NoDDClr" => inst.no_dd_clear = true,
                "NoDDChk" => inst.no_dd_check = true,
                "compacted" => inst.compacted = true,
                "AccWrEnable" => inst.acc_wr_en = true,
                "BranchCtrl" => inst.branch_control = true,
                "EOT" => match &mut inst.send {
                    Some(send) => send.eot = true,
                    None => return Err(error_at(&start, "only sends end the thread")),
                },
                _ => match (ThreadControl::from_text(word), channel_group(word)) {
                    (Some(control), _) if !word.is_empty() => inst.thread_control = control,
                    (_, Some((qtr, nib))) => (inst.qtr_control, inst.nib_control) = (qtr, nib),
                    _ => return Err(error_at(&start, format!("no option `{word}`"))),
                },
            }
        }
    }

    /// `// raw 0x…` on the instruction's line.
    fn raw_bits(&mut self) -> Parse<u128> {
        let mut ahead = self.cursor;
        ahead.skip_blanks();
        if !ahead.eat("// raw 0x") {
            return Ok(0);
        }
        let start = ahead;
        let digits = ahead.take_while(|c| c.is_ascii_hexdigit());
        let bits = u128::from_str_radix(digits, 16)
            .map_err(|_| error_at(&start, "expected hexadecimal bits"))?;
        self.cursor = ahead;
        Ok(bits)
    }
}

/// A subregister as written.
enum Subregister<'a> {
    None,
    /// In elements of the operand's type.
    Elements(u8, Cursor<'a>),
    /// In bytes.
    Bytes(u8),
}

fn component(name: char) -> Option<u8> {
    "xyzw".find(name).and_then(|index| u8::try_from(index).ok())
}

/// `2Q`, `1H`, `3N`: quarter and nibble control.
fn channel_group(word: &str) -> Option<(u8, bool)> {
    let (number, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let index = number.parse::<u8>().ok()?.checked_sub(1)?;
    match unit {
        "Q" if index < 4 => Some((index, false)),
        "H" if index < 2 => Some((index * 2, false)),
        "N" if index < 8 => Some((index / 2, index % 2 != 0)),
        _ => None,
    }
}
