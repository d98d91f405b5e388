//! The decoded instruction.

use crate::opcode::Opcode;
use crate::operand::Operand;

/// Register access mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// Regions of elements.
    Align1,
    /// Rows of four components with swizzles and writemasks.
    Align16,
}

/// Defines an enum with hardware codes and assembly names; codes not listed are reserved.
macro_rules! coded_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant = $code,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Hardware code.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The value with hardware code `code`.
            pub fn from_code(code: u64) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| u64::from(value.code()) == code)
            }

            /// Name in assembly text.
            pub const fn text(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// The value called `text` in assembly text.
            pub fn from_text(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.text() == text)
            }
        }
    };
}

pub(crate) use coded_enum;

coded_enum! {
    /// Conditional modifier.
    CondMod {
        /// Zero or equal.
        Z = 1 "z",
        /// Not zero or not equal.
        Nz = 2 "nz",
        /// Greater.
        G = 3 "g",
        /// Greater or equal.
        Ge = 4 "ge",
        /// Less.
        L = 5 "l",
        /// Less or equal.
        Le = 6 "le",
        /// Overflow.
        O = 8 "o",
        /// Unordered (NaN).
        U = 9 "u",
    }
}

impl CondMod {
    /// The condition that holds for exchanged operands.
    #[must_use]
    pub const fn swapped(self) -> CondMod {
        match self {
            CondMod::G => CondMod::L,
            CondMod::Ge => CondMod::Le,
            CondMod::L => CondMod::G,
            CondMod::Le => CondMod::Ge,
            other => other,
        }
    }

    /// The complement for ordered operands (not valid for floats that may be NaN, except Z and Nz).
    #[must_use]
    pub const fn negated(self) -> Option<CondMod> {
        Some(match self {
            CondMod::Z => CondMod::Nz,
            CondMod::Nz => CondMod::Z,
            CondMod::G => CondMod::Le,
            CondMod::Ge => CondMod::L,
            CondMod::L => CondMod::Ge,
            CondMod::Le => CondMod::G,
            CondMod::O | CondMod::U => return None,
        })
    }
}

/// Expands the list of predicate modes: code in Align1, code in Align16 (0: the access mode lacks
/// it), name.
macro_rules! predicate_modes {
    ($($(#[$doc:meta])* $variant:ident $align1:literal $align16:literal $text:literal,)*) => {
        /// Combination of flag bits that predicates a channel. The access modes have different
        /// ones.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PredMode {
            $($(#[$doc])* $variant,)*
        }

        impl PredMode {
            /// Every mode.
            pub const ALL: &'static [PredMode] = &[$(PredMode::$variant,)*];

            /// Hardware code in `access`; `None` if that access mode lacks this one.
            pub const fn code(self, access: AccessMode) -> Option<u8> {
                let code: u8 = match (self, access) {
                    $((PredMode::$variant, AccessMode::Align1) => $align1,)*
                    $((PredMode::$variant, AccessMode::Align16) => $align16,)*
                };
                if code == 0 { None } else { Some(code) }
            }

            /// Name in assembly text.
            pub const fn text(self) -> &'static str {
                match self {
                    $(PredMode::$variant => $text,)*
                }
            }
        }
    };
}

predicate_modes! {
    /// Each channel by its own bit.
    Normal 1 1 "",
    /// OR of f0 and f1.
    AnyV 2 0 "anyv",
    /// AND of f0 and f1.
    AllV 3 0 "allv",
    /// Any of a group of 2.
    Any2h 4 0 "any2h",
    /// All of a group of 2.
    All2h 5 0 "all2h",
    /// Any of a group of 4.
    Any4h 6 6 "any4h",
    /// All of a group of 4.
    All4h 7 7 "all4h",
    /// Any of a group of 8.
    Any8h 8 0 "any8h",
    /// All of a group of 8.
    All8h 9 0 "all8h",
    /// Any of a group of 16.
    Any16h 10 0 "any16h",
    /// All of a group of 16.
    All16h 11 0 "all16h",
    /// Any of 32.
    Any32h 12 0 "any32h",
    /// All of 32.
    All32h 13 0 "all32h",
    /// The x bit of each group of 4.
    ReplicateX 0 2 "x",
    /// The y bit of each group of 4.
    ReplicateY 0 3 "y",
    /// The z bit of each group of 4.
    ReplicateZ 0 4 "z",
    /// The w bit of each group of 4.
    ReplicateW 0 5 "w",
}

impl PredMode {
    /// The mode with hardware code `code` in `access`.
    pub fn from_code(code: u64, access: AccessMode) -> Option<PredMode> {
        PredMode::ALL
            .iter()
            .copied()
            .find(|mode| mode.code(access).is_some_and(|c| u64::from(c) == code))
    }

    /// The mode of `access` called `text` in assembly text.
    pub fn from_text(text: &str, access: AccessMode) -> Option<PredMode> {
        PredMode::ALL
            .iter()
            .copied()
            .find(|mode| mode.text() == text && mode.code(access).is_some())
    }
}

/// A predicate on the instruction's flag register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Predicate {
    /// Combination of flag bits.
    pub mode: PredMode,
    /// Inverted (`-f0.0`).
    pub inverse: bool,
}

/// A flag subregister: 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct FlagReg {
    /// f0 or f1.
    pub nr: u8,
    /// Low (0) or high (1) half.
    pub sub: u8,
}

coded_enum! {
    /// Thread control.
    ThreadControl {
        /// Nothing special.
        Normal = 0 "",
        /// No thread switch after this instruction.
        Atomic = 1 "atomic",
        /// Switch after this instruction.
        Switch = 2 "switch",
    }
}

coded_enum! {
    /// Functions of MATH.
    MathFn {
        /// Reciprocal.
        Inv = 1 "inv",
        /// Base-2 logarithm.
        Log = 2 "log",
        /// Base-2 exponential.
        Exp = 3 "exp",
        /// Square root.
        Sqrt = 4 "sqrt",
        /// Reciprocal square root.
        Rsq = 5 "rsq",
        /// Sine.
        Sin = 6 "sin",
        /// Cosine.
        Cos = 7 "cos",
        /// Floating-point division.
        Fdiv = 9 "fdiv",
        /// Power.
        Pow = 10 "pow",
        /// Integer quotient and remainder.
        IntDivMod = 11 "intdivmod",
        /// Integer quotient.
        IntDiv = 12 "intdiv",
        /// Integer remainder.
        IntMod = 13 "intmod",
        /// Reciprocal macro step (gen8+).
        Invm = 14 "invm",
        /// Reciprocal square root macro step (gen8+).
        Rsqrtm = 15 "rsqrtm",
    }
}

impl MathFn {
    /// Number of sources.
    pub fn sources(self) -> u8 {
        match self {
            MathFn::Fdiv | MathFn::Pow | MathFn::IntDivMod | MathFn::IntDiv | MathFn::IntMod => 2,
            MathFn::Invm => 2,
            _ => 1,
        }
    }

    /// Integer division functions.
    pub fn is_integer(self) -> bool {
        matches!(self, MathFn::IntDivMod | MathFn::IntDiv | MathFn::IntMod)
    }
}

coded_enum! {
    /// Shared functions a message can go to.
    Sfid {
        /// Null.
        Null = 0 "null",
        /// Sampler.
        Sampler = 2 "sampler",
        /// Message gateway.
        Gateway = 3 "gateway",
        /// Sampler-cache data port.
        DpSampler = 4 "dp_sampler",
        /// Render-cache data port.
        RenderCache = 5 "render",
        /// Unified return buffer.
        Urb = 6 "urb",
        /// Thread spawner.
        ThreadSpawner = 7 "thread_spawner",
        /// Video motion estimation.
        Vme = 8 "vme",
        /// Constant-cache data port.
        ConstantCache = 9 "const",
        /// Data-cache data port 0.
        DataCache = 10 "data",
        /// Pixel interpolator.
        PixelInterpolator = 11 "pixel interp",
        /// Data-cache data port 1 (hsw+).
        DataCache1 = 12 "dp data 1",
        /// Check and refinement engine (hsw+).
        Cre = 13 "cre",
    }
}

/// A message descriptor or extended descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Desc {
    /// In the instruction. Bit 31 of the descriptor is not part of it: that is end-of-thread.
    Imm(u32),
    /// In a dword of a0.
    Indirect {
        /// Dword subregister of a0 (0–7); always 0 for SENDS' descriptor.
        subreg: u8,
    },
}

/// Message part of SEND, SENDC, SENDS and SENDSC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Send {
    /// Receiver.
    pub sfid: Sfid,
    /// Descriptor: function control, response and message length (see [`crate::desc`]).
    pub desc: Desc,
    /// SENDS, SENDSC: extended descriptor (length of the second part in bits 9:6). Otherwise
    /// `Imm(0)`.
    pub ex_desc: Desc,
    /// End of thread.
    pub eot: bool,
}

/// One decoded instruction. Fields that the opcode lacks hold the defaults of [`Inst::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Operation.
    pub opcode: Opcode,
    /// Encoded number of channels: 1, 2, 4, 8, 16 or 32 (doubled for 64-bit types on ivb).
    pub exec_size: u8,
    /// Align1 or Align16.
    pub access_mode: AccessMode,
    /// `WE_all`: ignore the channel enables.
    pub no_mask: bool,
    /// Predicate, evaluated on `flag`.
    pub predicate: Option<Predicate>,
    /// Flag subregister of the predicate and of the conditional modifier.
    pub flag: FlagReg,
    /// Conditional modifier.
    pub cond_mod: Option<CondMod>,
    /// Saturate the result.
    pub saturate: bool,
    /// `NoDDClr`: leave the destination's dependency in place.
    pub no_dd_clear: bool,
    /// `NoDDChk`: do not wait for the destination's dependency.
    pub no_dd_check: bool,
    /// Thread control.
    pub thread_control: ThreadControl,
    /// Quarter control: which eight channels (0–3).
    pub qtr_control: u8,
    /// Nibble control: the second four of those channels.
    pub nib_control: bool,
    /// `AccWrEnable`: also write the accumulator.
    pub acc_wr_en: bool,
    /// `BranchCtrl` of IF, ELSE and GOTO (gen8+).
    pub branch_control: bool,
    /// `.breakpoint`.
    pub debug_control: bool,
    /// Encoded as an 8-byte compacted instruction.
    pub compacted: bool,
    /// Jump distance from this instruction, in [`crate::DevInfo::jump_unit`].
    pub jip: i32,
    /// Second jump distance, same units.
    pub uip: i32,
    /// Destination.
    pub dst: Operand,
    /// Sources. JMPI's distance is `src[0]`, in the same units, from the next instruction.
    pub src: [Operand; 3],
    /// Message part of a send.
    pub send: Option<Send>,
    /// Function of MATH.
    pub math: Option<MathFn>,
    /// Difference (exclusive or) between the bytes this was decoded from and the encoding of the
    /// other fields: reserved or unused bits that were set. Zero for an instruction that was built.
    /// The low 64 bits if `compacted`.
    pub residue: u128,
}

impl Inst {
    /// An Align1 SIMD8 instruction without operands.
    pub const fn new(opcode: Opcode) -> Inst {
        Inst {
            opcode,
            exec_size: 8,
            access_mode: AccessMode::Align1,
            no_mask: false,
            predicate: None,
            flag: FlagReg { nr: 0, sub: 0 },
            cond_mod: None,
            saturate: false,
            no_dd_clear: false,
            no_dd_check: false,
            thread_control: ThreadControl::Normal,
            qtr_control: 0,
            nib_control: false,
            acc_wr_en: false,
            branch_control: false,
            debug_control: false,
            compacted: false,
            jip: 0,
            uip: 0,
            dst: Operand::NULL,
            src: [Operand::NULL; 3],
            send: None,
            math: None,
            residue: 0,
        }
    }

    /// Number of sources this instruction reads (MATH: by its function).
    pub fn sources(&self) -> usize {
        match self.math {
            Some(function) => usize::from(function.sources()),
            None => usize::from(self.opcode.info().sources),
        }
    }

    /// The sources this instruction reads.
    pub fn used_sources(&self) -> &[Operand] {
        self.src.get(..self.sources()).unwrap_or(&self.src)
    }

    /// Returns whether this is MATH of one source, an immediate: it covers the place of the other
    /// source, which is null otherwise.
    pub(crate) fn has_one_immediate(&self) -> bool {
        self.opcode == Opcode::Math && self.sources() == 1 && self.src[0].is_imm()
    }

    /// Returns whether it can decide where or with which channels execution goes on, or that it
    /// ends.
    pub fn steers(&self) -> bool {
        self.opcode.is_control_flow() || self.send.is_some_and(|send| send.eot)
    }

    /// Bytes this instruction occupies: 16, or 8 if compacted.
    pub fn len_bytes(&self) -> usize {
        if self.compacted { 8 } else { 16 }
    }
}
