//! The one list of opcodes: names, numbers, generations, operands, properties.
//!
//! Numbers and operand counts are those of the opcode table in Mesa's `brw_eu.c`.

use crate::devinfo::{DevInfo, GfxVersion};

/// How an instruction's operand bits are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One destination, up to two sources.
    Basic,
    /// Align16 with three sources.
    ThreeSource,
    /// SEND, SENDC.
    Send,
    /// SENDS, SENDSC.
    SplitSend,
    /// MATH: basic, with the function where others have the condition.
    Math,
    /// JMPI: the distance is src1.
    Jmpi,
    /// Branch with JIP and perhaps UIP.
    Branch,
    /// Branch with a destination that receives the return address, and JIP.
    Call,
    /// WAIT: one notification register, read and written.
    Wait,
    /// No operands at all.
    Bare,
}

/// One row of the opcode list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeInfo {
    /// Name in assembly text.
    pub mnemonic: &'static str,
    /// Number in bits 6:0.
    pub code: u8,
    /// First generation that has it.
    pub first: GfxVersion,
    /// Last generation that has it.
    pub last: GfxVersion,
    /// Operand layout.
    pub form: Form,
    /// Number of sources (MATH: the most a function has; JMPI: the distance).
    pub sources: u8,
    /// True if there is a destination.
    pub has_dst: bool,
    /// True if a conditional modifier is allowed.
    pub cond_mod: bool,
    /// True if `.sat` is allowed.
    pub saturate: bool,
}

/// Expands the list into the enum, the rows and the list of all variants.
macro_rules! opcodes {
    ($($(#[$doc:meta])* $variant:ident $mnemonic:literal $code:literal $first:ident $last:ident
       $form:ident $sources:literal $($flag:ident)*;)*) => {
        /// An operation of the execution unit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode {
            $($(#[$doc])* $variant,)*
        }

        impl Opcode {
            /// Every opcode, in the order of the list.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant,)*];
        }

        /// Rows in the order of [`Opcode::ALL`].
        static ROWS: &[OpcodeInfo] = &[$(OpcodeInfo {
            mnemonic: $mnemonic,
            code: $code,
            first: GfxVersion::$first,
            last: GfxVersion::$last,
            form: Form::$form,
            sources: $sources,
            has_dst: false $(|| flag_is(stringify!($flag), "dst"))*,
            cond_mod: false $(|| flag_is(stringify!($flag), "cmod"))*,
            saturate: false $(|| flag_is(stringify!($flag), "sat"))*,
        },)*];
    };
}

/// Compile-time string comparison for the list's flags.
const fn flag_is(flag: &str, name: &str) -> bool {
    let (a, b) = (flag.as_bytes(), name.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

opcodes! {
    /// Traps.
    Illegal "illegal" 0 Gfx7 Gfx9 Bare 0;
    /// Copy with conversion.
    Mov "mov" 1 Gfx7 Gfx9 Basic 1 dst cmod sat;
    /// Select by predicate, or minimum and maximum by condition.
    Sel "sel" 2 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Indexed copy.
    Movi "movi" 3 Gfx7 Gfx9 Basic 2 dst;
    /// Bitwise NOT.
    Not "not" 4 Gfx7 Gfx9 Basic 1 dst cmod;
    /// Bitwise AND.
    And "and" 5 Gfx7 Gfx9 Basic 2 dst cmod;
    /// Bitwise OR.
    Or "or" 6 Gfx7 Gfx9 Basic 2 dst cmod;
    /// Bitwise exclusive OR.
    Xor "xor" 7 Gfx7 Gfx9 Basic 2 dst cmod;
    /// Logical shift right.
    Shr "shr" 8 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Shift left.
    Shl "shl" 9 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Load a DF immediate.
    Dim "dim" 10 Gfx75 Gfx75 Basic 1 dst;
    /// Scattered move.
    Smov "smov" 10 Gfx8 Gfx9 Basic 2 dst;
    /// Arithmetic shift right.
    Asr "asr" 12 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Compare.
    Cmp "cmp" 16 Gfx7 Gfx9 Basic 2 dst cmod;
    /// Compare, NaN-aware for minimum and maximum.
    Cmpn "cmpn" 17 Gfx7 Gfx9 Basic 2 dst cmod;
    /// Select by comparing src2 with zero.
    Csel "csel" 18 Gfx8 Gfx9 ThreeSource 3 dst cmod sat;
    /// F to HF in the low word.
    F32To16 "f32to16" 19 Gfx7 Gfx75 Basic 1 dst cmod sat;
    /// HF in a word to F.
    F16To32 "f16to32" 20 Gfx7 Gfx75 Basic 1 dst cmod sat;
    /// Bit reverse.
    Bfrev "bfrev" 23 Gfx7 Gfx9 Basic 1 dst;
    /// Bit-field extract.
    Bfe "bfe" 24 Gfx7 Gfx9 ThreeSource 3 dst;
    /// Bit-field mask.
    Bfi1 "bfi1" 25 Gfx7 Gfx9 Basic 2 dst;
    /// Bit-field insert.
    Bfi2 "bfi2" 26 Gfx7 Gfx9 ThreeSource 3 dst;
    /// Indexed jump.
    Jmpi "jmpi" 32 Gfx7 Gfx9 Jmpi 1;
    /// Branch diverging.
    Brd "brd" 33 Gfx7 Gfx9 Branch 0;
    /// If.
    If "if" 34 Gfx7 Gfx9 Branch 0;
    /// Branch converging.
    Brc "brc" 35 Gfx7 Gfx9 Branch 0;
    /// Else.
    Else "else" 36 Gfx7 Gfx9 Branch 0;
    /// End if.
    Endif "endif" 37 Gfx7 Gfx9 Branch 0;
    /// End of loop.
    While "while" 39 Gfx7 Gfx9 Branch 0;
    /// Leave the loop.
    Break "break" 40 Gfx7 Gfx9 Branch 0;
    /// Next iteration.
    Cont "cont" 41 Gfx7 Gfx9 Branch 0;
    /// Disable channels until a later halt target.
    Halt "halt" 42 Gfx7 Gfx9 Branch 0;
    /// Call, absolute address.
    Calla "calla" 43 Gfx75 Gfx9 Call 0 dst;
    /// Call.
    Call "call" 44 Gfx7 Gfx9 Call 0 dst;
    /// Return.
    Ret "ret" 45 Gfx7 Gfx9 Basic 1 dst;
    /// Jump with reconvergence.
    Goto "goto" 46 Gfx8 Gfx9 Branch 0;
    /// Wait for a notification.
    Wait "wait" 48 Gfx7 Gfx9 Wait 0 dst;
    /// Send a message.
    Send "send" 49 Gfx7 Gfx9 Send 1 dst;
    /// Send a message after preceding threads' dependencies cleared.
    Sendc "sendc" 50 Gfx7 Gfx9 Send 1 dst;
    /// Send a message of two parts.
    Sends "sends" 51 Gfx9 Gfx9 SplitSend 2 dst;
    /// Send a message of two parts, conditionally.
    Sendsc "sendsc" 52 Gfx9 Gfx9 SplitSend 2 dst;
    /// Transcendental functions and integer division.
    Math "math" 56 Gfx7 Gfx9 Math 2 dst sat;
    /// Add.
    Add "add" 64 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Multiply.
    Mul "mul" 65 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Integer average.
    Avg "avg" 66 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Fraction.
    Frc "frc" 67 Gfx7 Gfx9 Basic 1 dst cmod sat;
    /// Round up.
    Rndu "rndu" 68 Gfx7 Gfx9 Basic 1 dst cmod sat;
    /// Round down.
    Rndd "rndd" 69 Gfx7 Gfx9 Basic 1 dst cmod sat;
    /// Round to even.
    Rnde "rnde" 70 Gfx7 Gfx9 Basic 1 dst cmod sat;
    /// Round to zero.
    Rndz "rndz" 71 Gfx7 Gfx9 Basic 1 dst cmod sat;
    /// Multiply and add the accumulator.
    Mac "mac" 72 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// High half of a multiplication begun by MUL.
    Mach "mach" 73 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Leading zeros.
    Lzd "lzd" 74 Gfx7 Gfx9 Basic 1 dst cmod sat;
    /// First bit from the high end.
    Fbh "fbh" 75 Gfx7 Gfx9 Basic 1 dst;
    /// First bit from the low end.
    Fbl "fbl" 76 Gfx7 Gfx9 Basic 1 dst;
    /// Count bits.
    Cbit "cbit" 77 Gfx7 Gfx9 Basic 1 dst;
    /// Add with carry out to the accumulator.
    Addc "addc" 78 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Subtract with borrow out to the accumulator.
    Subb "subb" 79 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Sum of absolute differences of two.
    Sad2 "sad2" 80 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Sum of absolute differences of two, accumulated.
    Sada2 "sada2" 81 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Four-component dot product.
    Dp4 "dp4" 84 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Homogeneous dot product.
    Dph "dph" 85 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Three-component dot product.
    Dp3 "dp3" 86 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Two-component dot product.
    Dp2 "dp2" 87 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Line equation: p·u + q.
    Line "line" 89 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Plane equation.
    Pln "pln" 90 Gfx7 Gfx9 Basic 2 dst cmod sat;
    /// Multiply-add: src1 × src2 + src0.
    Mad "mad" 91 Gfx7 Gfx9 ThreeSource 3 dst cmod sat;
    /// Linear interpolation.
    Lrp "lrp" 92 Gfx7 Gfx9 ThreeSource 3 dst cmod sat;
    /// Multiply-add with extra precision, for division macros.
    Madm "madm" 93 Gfx8 Gfx9 ThreeSource 3 dst cmod sat;
    /// Nothing: what Intel's compilers put between the end of a kernel and its padding.
    Nenop "nenop" 125 Gfx8 Gfx9 Bare 0;
    /// Nothing.
    Nop "nop" 126 Gfx7 Gfx9 Bare 0;
}

/// GOTO came together with branch control and ELSE's UIP.
fn has_branch_control(version: GfxVersion) -> bool {
    Opcode::Goto.exists_on(version)
}

impl Opcode {
    /// This opcode's row of the list.
    pub fn info(self) -> &'static OpcodeInfo {
        // The enum and the rows come from the same list, so the discriminant is always in range.
        &ROWS[self as usize]
    }

    /// Name in assembly text.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// Operand layout.
    pub fn form(self) -> Form {
        self.info().form
    }

    /// Returns whether `generation` has this opcode.
    pub fn exists_on(self, version: GfxVersion) -> bool {
        let info = self.info();
        version.is_within(info.first, info.last)
    }

    /// The opcode with number `code` on `generation`.
    pub fn from_code(code: u64, version: GfxVersion) -> Option<Opcode> {
        Opcode::ALL
            .iter()
            .copied()
            .find(|op| u64::from(op.info().code) == code && op.exists_on(version))
    }

    /// The opcode called `mnemonic` on `generation`.
    pub fn from_mnemonic(mnemonic: &str, version: GfxVersion) -> Option<Opcode> {
        Opcode::ALL.iter().copied().find(|op| op.mnemonic() == mnemonic && op.exists_on(version))
    }

    /// SEND, SENDC, SENDS or SENDSC.
    pub fn is_send(self) -> bool {
        matches!(self.form(), Form::Send | Form::SplitSend)
    }

    /// Returns whether the instruction can change which instruction runs next or which channels are
    /// enabled.
    pub fn is_control_flow(self) -> bool {
        matches!(self.form(), Form::Branch | Form::Call | Form::Jmpi) || self == Opcode::Ret
    }

    /// AND, OR, XOR or NOT.
    pub fn is_logic(self) -> bool {
        matches!(self, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
    }

    /// Returns whether the instruction carries JIP.
    pub fn has_jip(self) -> bool {
        matches!(self.form(), Form::Branch | Form::Call)
    }

    /// Returns whether the instruction carries UIP on `generation`: gen8 gave it to ELSE.
    pub fn has_uip(self, version: GfxVersion) -> bool {
        match self {
            Opcode::If
            | Opcode::Break
            | Opcode::Cont
            | Opcode::Halt
            | Opcode::Brc
            | Opcode::Goto => true,
            Opcode::Else => has_branch_control(version),
            _ => false,
        }
    }

    /// Returns whether bit 28 is branch control rather than accumulator write enable.
    pub fn has_branch_control(self, version: GfxVersion) -> bool {
        has_branch_control(version) && matches!(self, Opcode::If | Opcode::Else | Opcode::Goto)
    }

    /// Returns whether a conditional modifier of this opcode writes the flag register (SEL and CSEL
    /// only compare).
    pub fn cond_mod_writes_flag(self) -> bool {
        !matches!(self, Opcode::Sel | Opcode::Csel | Opcode::If | Opcode::While)
    }
}

impl DevInfo {
    /// Bytes in one unit of the jump distances of `opcode`.
    pub fn jump_unit(&self, opcode: Opcode) -> u8 {
        match opcode.form() {
            Form::Jmpi | Form::Call => self.call_unit_bytes,
            _ => self.jump_unit_bytes,
        }
    }
}
