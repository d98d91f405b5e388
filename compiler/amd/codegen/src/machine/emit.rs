//! Emission of instructions that obey the rules of operands: encodings are chosen, and operands
//! that an encoding cannot have are copied to registers.

use super::{Arg, EXEC, File, Inst, Label, M0, Part, Program, RegData, VCC, ZERO};
use amd_isa::{Chip, Format, InlineFloat, Kind, Modifiers, Opcode, Operand, Property};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use vocabulary::SourceLine;

/// Returns the constant of an integer.
pub(crate) fn int(value: i32) -> Arg {
    Arg::Fixed(Operand::integer(value))
}

/// Returns the constant with these 32 bits, inline where there is one.
pub(crate) fn bits(chip: Chip, value: u32) -> Arg {
    let operand = Operand::integer(value as i32);
    if !matches!(operand, Operand::Literal(_)) {
        return Arg::Fixed(operand);
    }
    let constants = InlineFloat::ALL.into_iter().filter(|c| is_on(chip, *c));
    let inline = constants.into_iter().find(|c| c.single_bits() == value);
    Arg::Fixed(inline.map_or(operand, Operand::Float))
}

/// Returns the inline constant of a double with these bits.
pub(crate) fn inline_double(chip: Chip, value: u64) -> Option<Arg> {
    if value == 0 {
        return Some(ZERO);
    }
    let mut constants = InlineFloat::ALL.into_iter().filter(|c| is_on(chip, *c));
    constants.find(|c| c.double_bits() == value).map(|c| Arg::Fixed(Operand::Float(c)))
}

fn is_on(chip: Chip, constant: InlineFloat) -> bool {
    chip == Chip::Vi || constant != InlineFloat::InverseTwoPi
}

/// A source of a vector operation with its signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedArg {
    /// The value.
    pub arg: Arg,
    /// Negated.
    pub neg: bool,
    /// Absolute value, before the negation.
    pub abs: bool,
}

impl<T: Into<Arg>> From<T> for SignedArg {
    fn from(arg: T) -> SignedArg {
        SignedArg { arg: arg.into(), neg: false, abs: false }
    }
}

impl SignedArg {
    /// Returns the negated source.
    pub fn negated(self) -> SignedArg {
        SignedArg { neg: !self.neg, ..self }
    }

    /// Returns the absolute value of the source.
    pub fn magnitude(self) -> SignedArg {
        SignedArg { abs: true, neg: false, ..self }
    }
}

/// Writes instructions into a program.
#[derive(Debug)]
pub struct Emitter {
    /// The program.
    pub program: Program,
    /// The current block.
    pub label: Label,
    /// Source line of the instructions written from now on.
    pub line: SourceLine,
    /// Literals of the current block that are in scalar registers.
    literals: FxHashMap<u32, Part>,
    /// Constants and scalar registers of the current block that are in vector registers, too.
    copies: Vec<(Arg, Part)>,
    /// Registers of the current block, and values that they hold.
    held: Vec<(Part, Arg)>,
    /// The same as `copies` of pairs of scalar registers.
    pairs: Vec<(Part, Part)>,
    /// Constants of two dwords of the current block that are in scalar registers.
    wide_literals: FxHashMap<u64, Part>,
    /// Mask that the scalar condition code belongs to: true if it is not zero.
    condition: Option<Arg>,
    /// Content of M0.
    memory: Option<Arg>,
}

/// Maximum number of entries of [`Emitter::copies`]: they live longer for it.
const MAX_COPIES: usize = 16;

impl Emitter {
    /// Returns an emitter at the beginning of an empty program.
    pub fn new(chip: Chip) -> Emitter {
        let mut program = Program::new(chip);
        let label = program.blocks.push(Default::default());
        program.order.push(label);
        Emitter {
            program,
            label,
            line: SourceLine::UNKNOWN,
            literals: FxHashMap::default(),
            copies: Vec::new(),
            held: Vec::new(),
            pairs: Vec::new(),
            wide_literals: FxHashMap::default(),
            condition: None,
            memory: None,
        }
    }

    /// Returns the chip.
    pub fn chip(&self) -> Chip {
        self.program.chip
    }

    /// Returns a new block that is not placed yet.
    pub fn new_label(&mut self) -> Label {
        self.program.blocks.push(Default::default())
    }

    /// Places a block here and continues in it.
    pub fn place(&mut self, label: Label) {
        self.program.order.push(label);
        self.label = label;
        self.literals.clear();
        self.copies.clear();
        self.held.clear();
        self.pairs.clear();
        self.wide_literals.clear();
        self.condition = None;
        self.memory = None;
    }

    /// Ends the block and continues in a new one, where every lane goes on.
    pub fn split(&mut self) {
        let next = self.new_label();
        self.program.blocks[self.label].logical.push(next);
        self.place(next);
    }

    /// Returns a new register.
    pub fn reg(&mut self, file: File, dwords: u8) -> Part {
        // There are no groups of three scalar registers.
        let dwords = if file == File::Scalar && dwords == 3 { 4 } else { dwords };
        let data = RegData { file, dwords, fixed: None, whole: false };
        Part { reg: self.program.regs.push(data), dword: 0 }
    }

    /// Returns a register of the start of the program.
    pub fn fixed(&mut self, file: File, first: u8, dwords: u8) -> Part {
        let data = RegData { file, dwords, fixed: Some(first), whole: false };
        Part { reg: self.program.regs.push(data), dword: 0 }
    }

    /// Returns a new vector register.
    pub fn vector(&mut self) -> Part {
        self.reg(File::Vector, 1)
    }

    /// Returns a new scalar register.
    pub fn scalar(&mut self) -> Part {
        self.reg(File::Scalar, 1)
    }

    /// Returns a new pair of scalar registers: a mask of lanes.
    pub fn mask(&mut self) -> Part {
        self.reg(File::Scalar, 2)
    }

    /// Returns true for a vector register.
    pub fn is_vector(&self, arg: Arg) -> bool {
        matches!(arg, Arg::Part(part) if self.program.regs[part.reg].file == File::Vector)
    }

    /// Adds an instruction as it is.
    pub fn push(&mut self, format: Format, opcode: Opcode, args: &[Arg], modifiers: Modifiers) {
        self.note_effects(opcode, args);
        let args = SmallVec::from_slice(args);
        let inst = Inst { opcode, format, args, modifiers, line: self.line };
        self.program.blocks[self.label].insts.push(inst);
    }

    /// Forgets what the instruction changes.
    fn note_effects(&mut self, opcode: Opcode, args: &[Arg]) {
        if opcode.has(Property::SetsScc) {
            self.condition = None;
        }
        if args.contains(&EXEC) || opcode.has(Property::SavesExec) {
            self.copies.clear();
            self.held.clear();
            self.pairs.clear();
        }
        match args.first() {
            Some(&M0) => self.memory = None,
            Some(Arg::Part(written)) => {
                let same = |arg: &Arg| matches!(arg, Arg::Part(part) if part.reg == written.reg);
                self.copies.retain(|(from, _)| !same(from));
                self.held.retain(|(to, from)| to.reg != written.reg && !same(from));
                self.pairs.retain(|(from, _)| from.reg != written.reg);
            }
            _ => {}
        }
    }

    /// Notes that a register has a value until the register or the value changes, or the block
    /// ends.
    pub fn note_copy(&mut self, to: Part, from: Arg) {
        self.held.push((to, from));
    }

    /// True if the register is known to have the value.
    pub fn holds(&self, to: Part, from: Arg) -> bool {
        self.held.contains(&(to, from))
    }

    /// Notes that the scalar condition code is true if the mask is not zero.
    pub fn note_condition(&mut self, mask: impl Into<Arg>) {
        self.condition = Some(mask.into());
    }

    /// True if the scalar condition code is that of the mask.
    pub fn has_condition(&self, mask: Arg) -> bool {
        self.condition == Some(mask)
    }

    /// Sets M0, unless it has the value.
    pub fn set_m0(&mut self, value: impl Into<Arg>) {
        let value = value.into();
        if self.memory != Some(value) {
            self.sop1(Opcode::SMovB32, M0, value);
            self.memory = Some(value);
        }
    }

    fn plain(&mut self, format: Format, opcode: Opcode, args: &[Arg]) {
        self.push(format, opcode, args, Modifiers::default());
    }

    /// Adds a scalar operation with one source.
    pub fn sop1(&mut self, opcode: Opcode, to: impl Into<Arg>, from: impl Into<Arg>) {
        let (to, from) = (to.into(), from.into());
        self.plain(Format::Sop1, opcode, &[to, from]);
    }

    /// Adds a scalar operation with two sources.
    pub fn sop2(
        &mut self,
        opcode: Opcode,
        to: impl Into<Arg>,
        a: impl Into<Arg>,
        b: impl Into<Arg>,
    ) {
        let (to, a, b) = (to.into(), a.into(), b.into());
        let b = self.one_literal(a, b);
        self.plain(Format::Sop2, opcode, &[to, a, b]);
    }

    /// Adds a scalar comparison.
    pub fn sopc(&mut self, opcode: Opcode, a: impl Into<Arg>, b: impl Into<Arg>) {
        let (a, b) = (a.into(), b.into());
        let b = self.one_literal(a, b);
        self.plain(Format::Sopc, opcode, &[a, b]);
    }

    /// Adds an instruction of program control.
    pub fn sopp(&mut self, opcode: Opcode, args: &[Arg]) {
        self.plain(Format::Sopp, opcode, args);
    }

    /// Adds a jump.
    pub fn jump(&mut self, opcode: Opcode, to: Label) {
        self.sopp(opcode, &[Arg::Label(to)]);
    }

    /// The second of two sources, in a register if both are different literals.
    fn one_literal(&mut self, a: Arg, b: Arg) -> Arg {
        match (a, b) {
            (Arg::Fixed(Operand::Literal(x)), Arg::Fixed(Operand::Literal(y))) if x != y => {
                self.literal(y).into()
            }
            _ => b,
        }
    }

    /// Returns a scalar register with a literal.
    pub fn literal(&mut self, value: u32) -> Part {
        if let Some(&part) = self.literals.get(&value) {
            return part;
        }
        let part = self.scalar();
        self.sop1(Opcode::SMovB32, part, bits(self.chip(), value));
        self.literals.insert(value, part);
        part
    }

    /// Copies a dword into a register of any file.
    pub fn copy(&mut self, to: Part, from: impl Into<Arg>) {
        let from = from.into();
        let vector = self.program.regs[to.reg].file == File::Vector;
        match (vector, self.is_vector(from)) {
            (true, _) => self.plain(Format::Vop1, Opcode::VMovB32, &[to.into(), from]),
            (false, true) => {
                self.plain(Format::Vop1, Opcode::VReadfirstlaneB32, &[to.into(), from]);
            }
            (false, false) => self.sop1(Opcode::SMovB32, to, from),
        }
    }

    /// Returns the dword in a vector register.
    pub fn in_vector(&mut self, arg: Arg) -> Part {
        match arg {
            Arg::Part(part) if self.is_vector(arg) => part,
            _ => {
                let part = self.vector();
                self.copy(part, arg);
                part
            }
        }
    }

    /// Returns the dword in a vector register that may be another source's, too.
    pub fn shared_vector(&mut self, arg: Arg) -> Part {
        if let Some((_, part)) = self.copies.iter().find(|(from, _)| *from == arg) {
            return *part;
        }
        let part = self.in_vector(arg);
        if !self.is_vector(arg) {
            if self.copies.len() == MAX_COPIES {
                self.copies.remove(0);
            }
            self.copies.push((arg, part));
        }
        part
    }

    /// Returns the pair of dwords in vector registers that may be another source's, too.
    fn shared_pair(&mut self, pair: Part) -> Part {
        let known = self.pairs.iter().find(|(from, _)| *from == pair);
        if let Some((_, copy)) = known {
            return *copy;
        }
        let copy = self.reg(File::Vector, 2);
        self.copy(copy, pair);
        self.copy(copy.at(1), pair.at(1));
        if self.pairs.len() == MAX_COPIES {
            self.pairs.remove(0);
        }
        self.pairs.push((pair, copy));
        copy
    }

    /// Returns a pair of scalar registers with a constant.
    pub fn wide_literal(&mut self, value: u64) -> Part {
        if let Some(&pair) = self.wide_literals.get(&value) {
            return pair;
        }
        let pair = self.mask();
        let chip = self.chip();
        self.sop1(Opcode::SMovB32, pair, bits(chip, value as u32));
        self.sop1(Opcode::SMovB32, pair.at(1), bits(chip, (value >> 32) as u32));
        self.wide_literals.insert(value, pair);
        pair
    }

    /// Returns the dword in a scalar register or as a constant. A vector register has to hold the
    /// same value in all active lanes.
    pub fn in_scalar(&mut self, arg: Arg) -> Arg {
        if !self.is_vector(arg) {
            return arg;
        }
        let part = self.scalar();
        self.copy(part, arg);
        part.into()
    }

    /// Copies the value of one lane of a vector register to a scalar register.
    pub fn read_lane(&mut self, to: Part, from: Arg, lane: Arg) {
        let short = self.chip().row(Format::Vop2, Opcode::VReadlaneB32).is_some();
        let format = if short { Format::Vop2 } else { Format::Vop3 };
        let lane = match lane {
            Arg::Fixed(Operand::Literal(value)) => self.literal(value).into(),
            other => other,
        };
        self.plain(format, Opcode::VReadlaneB32, &[to.into(), from, lane]);
    }

    /// Adds a vector operation.
    pub fn valu(&mut self, opcode: Opcode, to: &[Arg], sources: &[SignedArg]) {
        self.valu_with(opcode, to, sources, Modifiers::default());
    }

    /// Adds a vector operation with modifiers. Sources may be any registers and constants.
    pub fn valu_with(
        &mut self,
        opcode: Opcode,
        to: &[Arg],
        sources: &[SignedArg],
        modifiers: Modifiers,
    ) {
        let mut sources: SmallVec<[SignedArg; 4]> = SmallVec::from_slice(sources);
        let signs = sources.iter().any(|s| s.neg || s.abs) || modifiers != Modifiers::default();
        if !signs && let Some(format) = self.short_format(opcode, to, &mut sources) {
            let args: SmallVec<[Arg; 6]> =
                to.iter().copied().chain(sources.iter().map(|s| s.arg)).collect();
            return self.plain(format, opcode, &args);
        }
        self.legalize_long(opcode, &mut sources);
        let mut modifiers = modifiers;
        for (index, source) in sources.iter().enumerate().take(3) {
            modifiers.neg |= u8::from(source.neg) << index;
            modifiers.abs |= u8::from(source.abs) << index;
        }
        let args: SmallVec<[Arg; 6]> =
            to.iter().copied().chain(sources.iter().map(|s| s.arg)).collect();
        self.push(Format::Vop3, opcode, &args, modifiers);
    }

    /// Returns a short format that can encode the operation with these operands, after exchanging
    /// sources if that helps.
    fn short_format(
        &self,
        opcode: Opcode,
        to: &[Arg],
        sources: &mut SmallVec<[SignedArg; 4]>,
    ) -> Option<Format> {
        let chip = self.chip();
        let format = [Format::Vop1, Format::Vop2, Format::Vopc]
            .into_iter()
            .find(|format| chip.row(*format, opcode).is_some())?;
        let masks = to.iter().chain(sources.iter().map(|s| &s.arg)).zip(opcode_kinds(opcode));
        if masks.into_iter().any(|(arg, kind)| kind == Kind::Mask && *arg != VCC) {
            return None;
        }
        let reads_vcc = sources.iter().any(|s| s.arg == VCC);
        let fits = |first: Arg, second: Option<Arg>| {
            let bus = !self.is_vector(first) && !is_inline(first);
            second.is_none_or(|second| self.is_vector(second)) && !(bus && reads_vcc)
        };
        let second = (format != Format::Vop1).then(|| sources.get(1).map(|s| s.arg)).flatten();
        if fits(sources.first()?.arg, second) {
            return Some(format);
        }
        let swapped = second.is_some_and(|second| fits(second, Some(sources[0].arg)));
        if swapped && commutes(opcode) {
            sources.swap(0, 1);
            return Some(format);
        }
        None
    }

    /// Copies sources so that none is a literal and at most one a scalar register.
    fn legalize_long(&mut self, opcode: Opcode, sources: &mut SmallVec<[SignedArg; 4]>) {
        let kinds = opcode.info().sources;
        let mut bus: Option<Arg> = None;
        // Masks have no other place.
        for (source, kind) in sources.iter().zip(kinds) {
            if *kind == Kind::Mask && !is_inline(source.arg) {
                bus = Some(source.arg);
            }
        }
        for (source, kind) in sources.iter_mut().zip(kinds) {
            let wide = kind.dwords() == 2;
            if *kind == Kind::Mask || self.is_vector(source.arg) || is_inline(source.arg) {
                continue;
            }
            if let Arg::Fixed(Operand::Literal(value)) = source.arg {
                let known = self.literals.get(&value).copied();
                let same = known.is_some_and(|part| bus == Some(part.into()));
                if bus.is_none() || same {
                    source.arg = self.literal(value).into();
                    bus = Some(source.arg);
                } else {
                    source.arg = self.shared_vector(source.arg).into();
                }
            } else if bus.is_none() || bus == Some(source.arg) {
                bus = Some(source.arg);
            } else if let (true, Arg::Part(part)) = (wide, source.arg) {
                source.arg = self.shared_pair(part).into();
            } else {
                source.arg = self.shared_vector(source.arg).into();
            }
        }
    }

    /// Adds a vector operation with one dword as its result, and returns that.
    pub fn valu1(&mut self, opcode: Opcode, sources: &[SignedArg]) -> Part {
        let to = self.vector();
        self.valu(opcode, &[to.into()], sources);
        to
    }

    /// Adds a comparison of vectors, and returns the mask.
    pub fn compare(
        &mut self,
        opcode: Opcode,
        a: impl Into<SignedArg>,
        b: impl Into<SignedArg>,
    ) -> Part {
        let to = self.mask();
        self.valu(opcode, &[to.into()], &[a.into(), b.into()]);
        to
    }

    /// Adds a selection: `mask ? yes : no`.
    pub fn select(
        &mut self,
        to: Part,
        mask: Arg,
        yes: impl Into<SignedArg>,
        no: impl Into<SignedArg>,
    ) {
        self.valu(Opcode::VCndmaskB32, &[to.into()], &[no.into(), yes.into(), mask.into()]);
    }

    /// Adds a scalar load; the offset is in bytes.
    pub fn scalar_load(&mut self, opcode: Opcode, to: Part, base: Part, offset: Arg) {
        let limit = if self.chip() == Chip::Si { 255 * 4 } else { (1 << 20) - 4 };
        let offset = match offset {
            Arg::Fixed(operand) => {
                let value = constant(operand);
                if value <= limit && value.is_multiple_of(4) {
                    let unit = if self.chip() == Chip::Si { 4 } else { 1 };
                    Arg::Fixed(Operand::Immediate(value / unit))
                } else {
                    self.literal(value).into()
                }
            }
            other => other,
        };
        self.plain(Format::Smem, opcode, &smallvec_args(&[to.into(), base.into(), offset]));
    }
}

fn smallvec_args(args: &[Arg]) -> SmallVec<[Arg; 6]> {
    let mut all: SmallVec<[Arg; 6]> = smallvec![];
    all.extend_from_slice(args);
    all
}

/// Returns the value of a constant operand.
pub(crate) fn constant(operand: Operand) -> u32 {
    match operand {
        Operand::Integer(value) => i32::from(value) as u32,
        Operand::Float(value) => value.single_bits(),
        Operand::Literal(value) | Operand::Immediate(value) => value,
        _ => 0,
    }
}

fn is_inline(arg: Arg) -> bool {
    matches!(arg, Arg::Fixed(Operand::Integer(_) | Operand::Float(_)))
}

/// Kinds of the operands in the order of the text.
fn opcode_kinds(opcode: Opcode) -> impl Iterator<Item = Kind> {
    let info = opcode.info();
    info.destinations.iter().chain(info.sources).copied()
}

/// True for operations of two sources that may be exchanged.
fn commutes(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        VAddF32
            | VMulF32
            | VMulLegacyF32
            | VMinF32
            | VMaxF32
            | VMinI32
            | VMaxI32
            | VMinU32
            | VMaxU32
            | VAndB32
            | VOrB32
            | VXorB32
            | VAddI32
            | VAddU32
            | VAddcU32
            | VMulU32U24
            | VMulI32I24
    )
}
