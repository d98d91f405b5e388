//! Parser of LIR text, as [`print`](super::print) describes it.
//!
//! Lines that are empty or begin with `;` are skipped. A comment after an instruction is its
//! remark.

use super::print::{COMPONENTS, MESSAGE_KINDS};
use super::{Arf, CondMod, File, Inst, Message, MessageKind, Op, Operand, PredMode, Predicate};
use super::{Program, Region, Swizzle, Type, VReg};
use cranelift_entity::EntityRef;
use intel_isa::{AccessMode, Sfid};
use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// A line that is not LIR.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}: `{text}`")]
pub struct ParseError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Reason.
    pub message: String,
    /// The line.
    pub text: String,
}

type Result<T> = std::result::Result<T, String>;

/// Reads a program.
///
/// # Errors
/// The first line that is not LIR.
pub fn parse(text: &str) -> std::result::Result<Program, ParseError> {
    let mut program = Program::default();
    for (index, line) in text.lines().enumerate() {
        // A region has a semicolon without a space before it.
        let (code, remark) = line.split_once(" ;").unwrap_or((line, ""));
        let code = code.trim();
        if code.is_empty() || code.starts_with(';') {
            continue;
        }
        parse_line(&mut program, code, remark.trim()).map_err(|message| ParseError {
            line: index + 1,
            message,
            text: code.to_owned(),
        })?;
    }
    Ok(program)
}

fn parse_line(program: &mut Program, code: &str, remark: &str) -> Result<()> {
    if let Some(settings) = code.strip_prefix("program ") {
        return parse_header(program, settings);
    }
    if program.width == 0 {
        return Err("`program width=… payload=…` expected".to_owned());
    }
    if let Some(registers) = code.strip_prefix("vgrf ") {
        return registers.split_whitespace().try_for_each(|entry| parse_registers(program, entry));
    }
    let mut inst = Cursor(code).instruction()?;
    inst.remark = interned(remark);
    let undeclared = |v: &VReg| v.index() >= program.vregs.len();
    let operands = inst.src.iter().chain([&inst.dst]);
    if let Some(v) = operands.filter_map(Operand::vreg).find(undeclared) {
        return Err(format!("{v} is not declared"));
    }
    program.insts.push(inst);
    Ok(())
}

fn parse_header(program: &mut Program, settings: &str) -> Result<()> {
    for setting in settings.split_whitespace() {
        match setting.split_once('=') {
            Some(("width", value)) => program.width = number(value)?,
            Some(("payload", value)) => program.payload_regs = number(value)?,
            _ => return Err(format!("unknown setting {setting}")),
        }
    }
    Ok(())
}

/// `v0`, `v0-v3` or either with the number of registers of each, `[2]`.
fn parse_registers(program: &mut Program, entry: &str) -> Result<()> {
    let (range, size) = match entry.strip_suffix(']').and_then(|e| e.split_once('[')) {
        Some((range, size)) => (range, number::<u8>(size)?),
        None => (entry, 1),
    };
    let index = |name: &str| number::<usize>(name.strip_prefix('v').ok_or("v expected")?);
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (index(first)?, index(last)?);
    if first != program.vregs.len() || last < first || !(1..=127).contains(&size) {
        return Err(format!("{entry} is out of order or empty"));
    }
    for _ in first..=last {
        program.vreg(u32::from(size));
    }
    Ok(())
}

fn number<T: FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| format!("{text} is not a number in range"))
}

/// A remark that lives as long as the process; there are few different ones.
fn interned(remark: &str) -> &'static str {
    static REMARKS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if remark.is_empty() {
        return "";
    }
    let mut remarks = REMARKS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = remarks.get(remark) {
        return known;
    }
    let leaked: &'static str = Box::leak(remark.to_owned().into_boxed_str());
    remarks.insert(leaked);
    leaked
}

/// The rest of a line.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.0.strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(format!("`{token}` expected before `{}`", self.0))
        }
    }

    /// The longest prefix of accepted characters.
    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !accept(c)).unwrap_or(self.0.len());
        let (token, rest) = self.0.split_at(end);
        self.0 = rest;
        token
    }

    fn number<T: FromStr>(&mut self) -> Result<T> {
        number(self.take(|c| c.is_ascii_digit()))
    }

    fn instruction(&mut self) -> Result<Inst> {
        let predicate = if self.eat("(") { Some(self.predicate()?) } else { None };
        let mnemonic = self.take(|c| c != '(');
        let mut inst = parse_mnemonic(mnemonic.trim())?;
        if let Some((predicate, flag)) = predicate {
            if inst.cond.is_some() && inst.flag != flag {
                return Err("predicate and conditional modifier use the same flag".to_owned());
            }
            (inst.predicate, inst.flag) = (Some(predicate), flag);
        }
        self.expect("(")?;
        inst.exec_size = self.number()?;
        self.expect(")")?;
        self.take(char::is_whitespace);
        if self.at_operand() {
            inst.dst = self.operand()?;
            while self.eat(",") {
                self.take(char::is_whitespace);
                let src = self.operand()?;
                inst.src.push(src);
            }
        }
        self.attributes(&mut inst)?;
        Ok(inst)
    }

    /// Attributes have no colon before their end; the absent operand is `_`.
    fn at_operand(&self) -> bool {
        let word = self.0.split([' ', ',']).next().unwrap_or_default();
        word == "_" || word.contains(['<', ':'])
    }

    /// The rest of a predicate and its flag.
    fn predicate(&mut self) -> Result<(Predicate, u8)> {
        let inverse = self.eat("-");
        if !inverse {
            self.expect("+")?;
        }
        let flag = self.flag()?;
        let mode = if self.eat(".") { self.take(|c| c.is_ascii_alphanumeric()) } else { "" };
        let known = [AccessMode::Align1, AccessMode::Align16].map(|m| PredMode::from_text(mode, m));
        let mode = known[0].or(known[1]).ok_or_else(|| format!("unknown predicate mode {mode}"))?;
        self.expect(")")?;
        self.take(char::is_whitespace);
        Ok((Predicate { mode, inverse }, flag))
    }

    fn flag(&mut self) -> Result<u8> {
        self.expect("f")?;
        let nr: u8 = self.number()?;
        self.expect(".")?;
        let sub: u8 = self.number()?;
        if nr > 1 || sub > 1 { Err(format!("no flag f{nr}.{sub}")) } else { Ok(2 * nr + sub) }
    }

    fn operand(&mut self) -> Result<Operand> {
        if self.eat("_") {
            return Ok(Operand::none());
        }
        let mut operand = Operand::none();
        operand.negate = self.eat("-");
        operand.abs = self.eat("(abs)");
        operand.file = self.file()?;
        if self.eat("+") {
            operand.offset = self.number()?;
        }
        if self.eat("<") {
            operand.region = self.region()?;
        } else if operand.is_imm() {
            operand.region = Region::Stride(0);
        } else {
            return Err("region expected".to_owned());
        }
        while self.eat(".") {
            let letters = self.take(|c| COMPONENTS.contains(&c));
            let components: Vec<u8> = letters
                .chars()
                .filter_map(|c| COMPONENTS.iter().position(|&n| n == c))
                .map(|i| i as u8)
                .collect();
            if let Ok(components) = <[u8; 4]>::try_from(&components[..]) {
                operand.swizzle = Swizzle::new(components);
            } else {
                operand.writemask = components.iter().fold(0, |mask, c| mask | 1 << c);
            }
        }
        self.expect(":")?;
        let letters = self.take(|c| c.is_ascii_uppercase());
        operand.ty = Type::from_name(letters).ok_or_else(|| format!("unknown type {letters}"))?;
        Ok(operand)
    }

    fn file(&mut self) -> Result<File> {
        if self.eat("0x") {
            let digits = self.take(|c| c.is_ascii_hexdigit());
            let bits =
                u64::from_str_radix(digits, 16).map_err(|_| format!("no immediate: 0x{digits}"))?;
            return Ok(File::Imm(bits));
        }
        let name = self.take(|c| c.is_ascii_alphabetic());
        if name == "null" {
            return Ok(File::Null);
        }
        let index: usize = self.number()?;
        let unknown = || format!("no register {name}{index}");
        let small = u8::try_from(index).map_err(|_| unknown());
        match name {
            "v" => Ok(File::Vgrf(VReg::new(index))),
            "g" => Ok(File::Grf(small?)),
            _ => Arf::from_prefix(name, small?).map(File::Arf).ok_or_else(unknown),
        }
    }

    /// The rest of a region.
    fn region(&mut self) -> Result<Region> {
        let stride = self.number()?;
        if self.eat(">") {
            return Ok(Region::Stride(stride));
        }
        self.expect(";")?;
        let width = self.number()?;
        self.expect(",")?;
        let hstride = self.number()?;
        self.expect(">")?;
        Ok(Region::Exact { vstride: stride, width, hstride })
    }

    fn attributes(&mut self, inst: &mut Inst) -> Result<()> {
        let mut sent: Option<Message> = None;
        for attribute in self.0.split_whitespace() {
            match attribute {
                "align16" => inst.align16 = true,
                "nomask" => inst.no_mask = true,
                "accwr" => inst.acc_write = true,
                _ => {
                    if let Some(group) = attribute.strip_prefix("group") {
                        inst.group = number(group)?;
                    } else if let Some(flag) = attribute.strip_prefix("flag=") {
                        inst.flag = Cursor(flag).flag()?;
                    } else {
                        message_attribute(sent.get_or_insert(NO_MESSAGE), attribute)?;
                    }
                }
            }
        }
        inst.message = sent;
        Ok(())
    }
}

/// A message before its attributes are read.
const NO_MESSAGE: Message = Message {
    sfid: Sfid::Null,
    control: 0,
    mlen: 0,
    ex_mlen: 0,
    rlen: 0,
    header: false,
    eot: false,
    kind: MessageKind::Memory,
};

fn message_attribute(message: &mut Message, attribute: &str) -> Result<()> {
    let unknown = || format!("unknown attribute {attribute}");
    match attribute.split_once('=') {
        None if attribute == "header" => message.header = true,
        None if attribute == "eot" => message.eot = true,
        None => {
            let kind = MESSAGE_KINDS.iter().find(|(_, name)| *name == attribute);
            message.kind = kind.ok_or_else(unknown)?.0;
        }
        Some(("sfid", name)) => {
            let known = Sfid::ALL.iter().copied().find(|s| s.text().replace(' ', "_") == name);
            message.sfid = known.ok_or_else(unknown)?;
        }
        Some(("control", bits)) => {
            let digits = bits.strip_prefix("0x").ok_or_else(unknown)?;
            message.control = u32::from_str_radix(digits, 16).map_err(|_| unknown())?;
        }
        Some(("mlen", value)) => message.mlen = number(value)?,
        Some(("ex_mlen", value)) => message.ex_mlen = number(value)?,
        Some(("rlen", value)) => message.rlen = number(value)?,
        Some(_) => return Err(unknown()),
    }
    Ok(())
}

/// Opcode, saturation and conditional modifier: `add.sat`, `math.inv`, `cmp.l.f0.0`.
fn parse_mnemonic(text: &str) -> Result<Inst> {
    let known = |name: &str| Op::ALL.iter().copied().find(|op| op.info().name == name);
    let ends = text.match_indices('.').map(|(i, _)| i).chain([text.len()]);
    let (op, end) = ends
        .filter_map(|end| known(&text[..end]).map(|op| (op, end)))
        .next_back()
        .ok_or_else(|| format!("unknown opcode {text}"))?;
    let mut inst = Inst::new(op, 1, Operand::none(), &[]);
    let mut rest = Cursor(&text[end..]);
    while rest.eat(".") {
        let name = rest.take(|c| c != '.');
        if name == "sat" {
            inst.saturate = true;
            continue;
        }
        inst.cond =
            Some(CondMod::from_text(name).ok_or_else(|| format!("unknown condition {name}"))?);
        rest.expect(".")?;
        inst.flag = rest.flag()?;
    }
    Ok(inst)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: &str = "program width=16 payload=4
vgrf v0-v1 v2[2] v3-v5[4] v6
  cmp.l.f0.1(16) null<1>:F, -(abs)v2+4<8;4,2>:F, 0x3f800000:F
  (-f1.0.any4h) mov.sat(8) v0<1>.xy:DF, v3<1>.yxwz:DF align16 group8
  (+f0.0) if(16) ; a condition
    send(16) v3<1>:UD, v2<1>:UD sfid=dp_data_1 control=0x1234 mlen=2 rlen=4 header memory
    send(8) null<1>:UD, g112<1>:UD sfid=urb control=0x0 mlen=2 rlen=0 header eot urb_write nomask
  else(16)
    math.inv(16) v2<1>:F, v2<1>:F
    or(1) cr0<1>:UD, cr0<0>:UD, 0x40:UD nomask
    add.sat.nz.f1.1(8) acc0<1>:D, f0+2<0>:UW, 0x1<1>:UW accwr
  endif(16)
  wait(1) n0<1>:UD
  send(8) _, v0<1>:UD sfid=data control=0x0 mlen=1 rlen=0 byte_scattered_write2
  nop(8) flag=f1.0
";

    #[test]
    fn what_is_printed_is_read_back() {
        let program = parse(EVERYTHING).unwrap();
        assert_eq!(program.to_string(), EVERYTHING);
        assert_eq!(program.insts[2].remark, "a condition");
        assert_eq!(program.vregs[VReg::new(5)].regs, 4);
        let again = parse(&program.to_string()).unwrap();
        assert_eq!((again.insts, again.vregs), (program.insts, program.vregs));
    }

    #[test]
    fn errors_name_the_line() {
        let cases = [
            ("mov(8) g1<1>:F, g2<1>:F", "`program"),
            ("program width=8 payload=1\n  mow(8) g1<1>:F", "unknown opcode mow"),
            ("program width=8 payload=1\n  mov(8) v0<1>:F, g2<1>:F", "v0 is not declared"),
            ("program width=8 payload=1\n  mov(8) g1<1>:G, g2<1>:F", "unknown type"),
            ("program width=8 payload=1\n  mov(8) g1:F, g2<1>:F", "region expected"),
            (
                "program width=8 payload=1\n  mov(8) g1<1>:F, g2<1>:F alined16",
                "unknown attribute alined16",
            ),
            ("program width=8 payload=1\nvgrf v1", "out of order"),
        ];
        for (text, message) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(error.line, text.lines().count());
        }
    }
}
