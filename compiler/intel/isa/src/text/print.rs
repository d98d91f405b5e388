//! Instructions to text.

use std::fmt::Write;

use crate::desc;
use crate::devinfo::DevInfo;
use crate::encoding::Located;
use crate::inst::{AccessMode, Desc, Inst, Send};
use crate::opcode::{Form, Opcode};
use crate::operand::{Addressing, Arf, Operand, RegFile, Region, Swizzle, WriteMask};
use crate::quirks::Quirk;
use crate::types::Type;

/// Columns where destination, sources and options start.
const COLUMNS: [usize; 4] = [16, 32, 48, 64];

/// One line (without line end) for one instruction.
pub fn print_inst(devinfo: &DevInfo, inst: &Inst) -> String {
    let mut p = Printer { devinfo, inst, out: String::with_capacity(96) };
    p.instruction();
    p.out
}

/// One line per instruction.
pub fn print_program(devinfo: &DevInfo, program: &[Located]) -> String {
    let mut out = String::new();
    for located in program {
        out.push_str(&print_inst(devinfo, &located.inst));
        out.push('\n');
    }
    out
}

struct Printer<'a> {
    devinfo: &'a DevInfo,
    inst: &'a Inst,
    out: String,
}

impl Printer<'_> {
    /// Appends formatted text; writing to a string cannot fail.
    fn put(&mut self, text: std::fmt::Arguments) {
        let _ = self.out.write_fmt(text);
    }

    fn pad(&mut self, column: usize) {
        self.out.push(' ');
        while self.out.len() < column {
            self.out.push(' ');
        }
    }

    fn instruction(&mut self) {
        let inst = self.inst;
        self.predicate();
        self.out.push_str(inst.opcode.mnemonic());
        self.modifiers();
        if inst.opcode.form() != Form::Bare {
            self.put(format_args!("({})", inst.exec_size));
        }
        self.operands();
        if let Some(send) = inst.send {
            self.message(&send);
        }
        self.pad(COLUMNS[3]);
        self.options();
        self.out.push(';');
        if inst.residue != 0 {
            self.put(format_args!(" // raw {:#x}", inst.residue));
        }
    }

    fn predicate(&mut self) {
        let Some(predicate) = self.inst.predicate else { return };
        let sign = if predicate.inverse { '-' } else { '+' };
        let mode = predicate.mode.text();
        let flag = self.inst.flag;
        self.put(format_args!("({sign}f{}.{}", flag.nr, flag.sub));
        if !mode.is_empty() {
            self.put(format_args!(".{mode}"));
        }
        self.out.push_str(") ");
    }

    fn modifiers(&mut self) {
        let inst = self.inst;
        if inst.saturate {
            self.out.push_str(".sat");
        }
        if inst.debug_control {
            self.out.push_str(".breakpoint");
        }
        if let Some(function) = inst.math {
            self.put(format_args!(" {}", function.text()));
        }
        if let Some(cond_mod) = inst.cond_mod {
            self.put(format_args!(".{}", cond_mod.text()));
            if inst.opcode.cond_mod_writes_flag() {
                self.put(format_args!(".f{}.{}", inst.flag.nr, inst.flag.sub));
            }
        }
    }

    fn operands(&mut self) {
        let inst = self.inst;
        match inst.opcode.form() {
            Form::Bare => {}
            Form::Jmpi => {
                self.pad(COLUMNS[0]);
                self.source(&inst.src[0]);
            }
            Form::Branch => self.jumps(COLUMNS[0]),
            Form::Call => {
                self.pad(COLUMNS[0]);
                self.dst();
                self.jumps(COLUMNS[1]);
            }
            Form::Basic
            | Form::Math
            | Form::ThreeSource
            | Form::Send
            | Form::SplitSend
            | Form::Wait => {
                self.pad(COLUMNS[0]);
                self.dst();
                let all = usize::from(inst.opcode.info().sources);
                let sources = if inst.has_one_immediate() { 1 } else { all };
                for (src, column) in inst.src.iter().zip(&COLUMNS[1..]).take(sources) {
                    self.pad(*column);
                    self.source(src);
                }
            }
        }
    }

    fn jumps(&mut self, column: usize) {
        self.pad(column);
        self.put(format_args!("JIP: {}", self.inst.jip));
        if self.inst.opcode.has_uip(self.devinfo.version) {
            self.pad(column + 16);
            self.put(format_args!("UIP: {}", self.inst.uip));
        }
    }

    /// Register name with subregister.
    fn register(&mut self, operand: &Operand) {
        match operand.addressing {
            Addressing::Indirect { subreg, offset } => {
                self.out.push_str(if operand.file == RegFile::Grf { "g" } else { "arf" });
                self.out.push_str("[a0");
                if subreg != 0 {
                    self.put(format_args!(".{subreg}"));
                }
                if offset != 0 {
                    self.put(format_args!(" {offset}"));
                }
                self.out.push(']');
            }
            Addressing::Direct => {
                match operand.file {
                    RegFile::Grf => self.put(format_args!("g{}", operand.nr)),
                    _ => self.put(format_args!("{}", arf_name(operand.nr))),
                }
                self.subregister(operand);
            }
        }
    }

    fn subregister(&mut self, operand: &Operand) {
        let size = operand.ty.size() as u8;
        if !operand.subnr.is_multiple_of(size) {
            self.put(format_args!(".{}b", operand.subnr));
        } else if operand.subnr != 0 || operand.rep_ctrl {
            self.put(format_args!(".{}", operand.subnr / size));
        }
    }

    fn dst(&mut self) {
        let dst = &self.inst.dst;
        self.register(dst);
        if self.inst.opcode.form() != Form::SplitSend {
            self.put(format_args!("<{}>", dst.region.hstride));
        }
        if dst.writemask != WriteMask::XYZW {
            self.out.push('.');
            for (index, name) in (0..).zip("xyzw".chars()) {
                if dst.writemask.contains(index) {
                    self.out.push(name);
                }
            }
        }
        self.out.push_str(dst.ty.name());
    }

    fn source(&mut self, src: &Operand) {
        if src.is_imm() {
            return self.immediate(src);
        }
        if src.negate {
            let is_not = self.devinfo.has_quirk(Quirk::Gen8LogicNot) && self.inst.opcode.is_logic();
            self.out.push(if is_not { '~' } else { '-' });
        }
        if src.abs {
            self.out.push_str("(abs)");
        }
        self.register(src);
        match (self.inst.opcode.form(), self.inst.access_mode) {
            (Form::SplitSend, _) => {}
            (Form::ThreeSource, _) if src.rep_ctrl => self.out.push_str("<0,1,0>"),
            (Form::ThreeSource, _) => {
                self.out.push_str("<4,4,1>");
                self.swizzle(src.swizzle);
            }
            (_, AccessMode::Align1) => {
                let Region { vstride, width, hstride } = src.region;
                self.put(format_args!("<{},{width},{hstride}>", Stride(vstride)));
            }
            (_, AccessMode::Align16) => {
                self.put(format_args!("<{}>", Stride(src.region.vstride)));
                self.swizzle(src.swizzle);
            }
        }
        self.out.push_str(src.ty.name());
    }

    fn swizzle(&mut self, swizzle: Swizzle) {
        if swizzle == Swizzle::XYZW {
            return;
        }
        let component = |index| ['x', 'y', 'z', 'w'][usize::from(swizzle.get(index))];
        self.out.push('.');
        if (1..4).all(|index| swizzle.get(index) == swizzle.get(0)) {
            self.out.push(component(0));
        } else {
            self.out.extend((0..4).map(component));
        }
    }

    fn immediate(&mut self, src: &Operand) {
        let bits = src.imm;
        let low = bits as u32;
        let is_word = low >> 16 == low & 0xffff && bits >> 32 == 0;
        match src.ty {
            Type::D if bits >> 32 == 0 => self.put(format_args!("{}D", low as i32)),
            Type::W if is_word => self.put(format_args!("{}W", low as i16)),
            Type::UW if is_word => self.put(format_args!("{:#06x}UW", low as u16)),
            Type::HF if is_word => self.put(format_args!("{:#06x}HF", low as u16)),
            Type::UD => self.put(format_args!("{bits:#010x}UD")),
            Type::V | Type::UV | Type::W | Type::UW | Type::HF => {
                self.put(format_args!("{bits:#010x}{}", src.ty.name()));
            }
            Type::F if self.inst.opcode == Opcode::Dim => {
                self.put(format_args!("{bits:#x}F /* {}F */", Short(f64::from_bits(bits))));
            }
            Type::F => self
                .put(format_args!("{bits:#x}F /* {}F */", Short(f64::from(f32::from_bits(low))))),
            Type::DF => {
                self.put(format_args!("{bits:#018x}DF /* {}DF */", Short(f64::from_bits(bits))))
            }
            Type::VF => {
                let [a, b, c, d] = low.to_le_bytes().map(|byte| Short(f64::from(vf_to_f32(byte))));
                self.put(format_args!("{bits:#x}VF /* [{a}F, {b}F, {c}F, {d}F]VF */"));
            }
            Type::UB | Type::B | Type::UQ | Type::Q | Type::D => {
                self.put(format_args!("{bits:#018x}{}", src.ty.name()));
            }
        }
    }

    /// Descriptors and what they mean.
    fn message(&mut self, send: &Send) {
        let split = self.inst.opcode.form() == Form::SplitSend;
        self.pad(COLUMNS[if split { 3 } else { 2 }]);
        match send.desc {
            Desc::Imm(desc) => {
                // Before split sends the number is the whole last dword, end-of-thread included.
                let eot = if send.eot && !split { 1 << 31 } else { 0 };
                self.put(format_args!("{:#010x}", desc | eot));
            }
            Desc::Indirect { subreg } => self.indirect_desc(subreg, split),
        }
        if split {
            self.out.push(' ');
            match send.ex_desc {
                Desc::Imm(desc) => self.put(format_args!("{desc:#010x}")),
                Desc::Indirect { subreg } => self.indirect_desc(subreg, split),
            }
        }
        self.put(format_args!(" {} MsgDesc:", send.sfid.text()));
        let lengths = match send.desc {
            Desc::Imm(bits) => {
                self.put(format_args!(" {}", desc::describe(self.devinfo, send.sfid, bits)));
                Some(desc::Lengths::of(self.devinfo, bits))
            }
            Desc::Indirect { .. } => {
                self.out.push_str(" indirect");
                None
            }
        };
        if let Some(lengths) = lengths {
            self.put(format_args!(" mlen {}", lengths.mlen));
        }
        if let (true, Desc::Imm(ex_desc)) = (split, send.ex_desc) {
            self.put(format_args!(" ex_mlen {}", desc::ex_mlen(ex_desc)));
        }
        if let Some(lengths) = lengths {
            self.put(format_args!(" rlen {}", lengths.rlen));
        }
    }

    fn indirect_desc(&mut self, subreg: u8, split: bool) {
        self.out.push_str("a0");
        if subreg != 0 {
            self.put(format_args!(".{subreg}"));
        }
        self.out.push_str(if split { "<0>UD" } else { "<0,1,0>UD" });
    }

    fn options(&mut self) {
        let inst = self.inst;
        if inst.opcode.form() == Form::Bare {
            if inst.compacted {
                self.out.push_str("{ compacted }");
            }
            return;
        }
        let mut words: Vec<String> = Vec::new();
        let mut word = |condition: bool, text: &str| {
            if condition && !text.is_empty() {
                words.push(text.to_owned());
            }
        };
        word(true, if inst.access_mode == AccessMode::Align16 { "align16" } else { "align1" });
        word(inst.no_mask, "WE_all");
        word(inst.no_dd_clear && !inst.no_dd_check, "NoDDClr");
        word(inst.no_dd_check && !inst.no_dd_clear, "NoDDChk");
        word(inst.no_dd_check && inst.no_dd_clear, "NoDDClr,NoDDChk");
        word(true, &channel_group(inst));
        word(inst.compacted, "compacted");
        word(true, inst.thread_control.text());
        word(inst.branch_control, "BranchCtrl");
        word(inst.acc_wr_en, "AccWrEnable");
        word(inst.send.is_some_and(|send| send.eot), "EOT");
        self.put(format_args!("{{ {} }}", words.join(" ")));
    }
}

/// Quarter and nibble control: nibbles below SIMD8 or with nibble control, halves in SIMD16, else
/// quarters (in SIMD32 only if not the first).
fn channel_group(inst: &Inst) -> String {
    let quarter = inst.qtr_control;
    if inst.exec_size < 8 || inst.nib_control {
        return format!("{}N", quarter * 2 + u8::from(inst.nib_control) + 1);
    }
    match (inst.exec_size, quarter) {
        (16, 0 | 2) => format!("{}H", quarter / 2 + 1),
        (32, 0) => String::new(),
        _ => format!("{}Q", quarter + 1),
    }
}

/// The name of an architecture register; numbers without a name become `ARF<n>`.
fn arf_name(nr: u8) -> String {
    let index = nr & 0xf;
    match Arf::from_number(nr) {
        Some(arf @ (Arf::Null | Arf::Ip)) if index == 0 => arf.prefix().to_owned(),
        None | Some(Arf::Null | Arf::Ip) => format!("ARF{nr}"),
        Some(arf) => format!("{}{index}", arf.prefix()),
    }
}

/// A vertical stride.
struct Stride(u8);

impl std::fmt::Display for Stride {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.0 {
            Region::VXH => f.write_str("VxH"),
            stride => write!(f, "{stride}"),
        }
    }
}

/// A float in a comment: plain digits where they are few, else scientific.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let magnitude = self.0.abs();
        if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// The value of a restricted 8-bit float: sign, 3 exponent bits with bias 3, 4 fraction bits; 0x00
/// and 0x80 are zeros.
pub(crate) fn vf_to_f32(byte: u8) -> f32 {
    let sign = u32::from(byte >> 7) << 31;
    if byte & 0x7f == 0 {
        return f32::from_bits(sign);
    }
    let exponent = u32::from(byte >> 4 & 7) + 127 - 3;
    f32::from_bits(sign | exponent << 23 | u32::from(byte & 0xf) << 19)
}
