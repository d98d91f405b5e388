//! The back-end IR's opcodes: one list with name, number of sources and properties.

/// Properties of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpInfo {
    /// Mnemonic in dumps.
    pub name: &'static str,
    /// Number of sources (sends: of payload operands).
    pub sources: u8,
    /// First two sources may be exchanged.
    pub commutative: bool,
    /// Three-source instruction: Align16, registers only.
    pub three_source: bool,
    /// May saturate a float destination.
    pub can_saturate: bool,
    /// May set flags by a conditional modifier on its result.
    pub can_cmod: bool,
    /// Sources take negate and abs.
    pub can_modify_sources: bool,
    /// Uses the math unit.
    pub math: bool,
    /// Changes the control flow or masks.
    pub control_flow: bool,
}

impl OpInfo {
    const NONE: OpInfo = OpInfo {
        name: "",
        sources: 0,
        commutative: false,
        three_source: false,
        can_saturate: false,
        can_cmod: false,
        can_modify_sources: false,
        math: false,
        control_flow: false,
    };
}

macro_rules! ops {
    ($($(#[$meta:meta])* $variant:ident $name:literal $sources:literal [$($flag:ident)*];)*) => {
        /// Opcode of a back-end instruction. All but those marked *virtual* are instructions of the
        /// execution unit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op { $($(#[$meta])* $variant,)* }

        impl Op {
            /// Every opcode.
            pub const ALL: &'static [Op] = &[$(Op::$variant,)*];
        }

        /// Properties in the order of the opcodes.
        static INFO: [OpInfo; Op::ALL.len()] = [$(
            OpInfo { name: $name, sources: $sources, $($flag: true,)* ..OpInfo::NONE },
        )*];
    };
}

ops! {
    /// Move with conversion.
    Mov "mov" 1 [can_saturate can_cmod can_modify_sources];
    /// Select by predicate, or minimum/maximum with a conditional modifier.
    Sel "sel" 2 [can_saturate can_modify_sources];
    /// Bitwise complement.
    Not "not" 1 [can_cmod];
    /// Bitwise and.
    And "and" 2 [commutative can_cmod];
    /// Bitwise or.
    Or "or" 2 [commutative can_cmod];
    /// Bitwise exclusive or.
    Xor "xor" 2 [commutative can_cmod];
    /// Logical shift right.
    Shr "shr" 2 [can_cmod];
    /// Shift left.
    Shl "shl" 2 [can_cmod];
    /// Arithmetic shift right.
    Asr "asr" 2 [can_cmod];
    /// Compare: flags, and 0 or −1 of the execution type's size.
    Cmp "cmp" 2 [can_modify_sources];
    /// Compare with the other treatment of NaN.
    Cmpn "cmpn" 2 [can_modify_sources];
    /// Three-source predicate-free select (gen8+).
    Csel "csel" 3 [three_source can_saturate can_modify_sources];
    /// Float to half, bits in the low word.
    F32to16 "f32to16" 1 [];
    /// Half (low word) to float.
    F16to32 "f16to32" 1 [];
    /// Bit reversal.
    Bfrev "bfrev" 1 [];
    /// Bit-field extract: bits, offset, value.
    Bfe "bfe" 3 [three_source];
    /// Bit-field mask: bits, offset.
    Bfi1 "bfi1" 2 [];
    /// Bit-field insert: mask, insert, base.
    Bfi2 "bfi2" 3 [three_source];
    /// Addition.
    Add "add" 2 [commutative can_saturate can_cmod can_modify_sources];
    /// Multiplication.
    Mul "mul" 2 [commutative can_saturate can_cmod can_modify_sources];
    /// Average.
    Avg "avg" 2 [commutative can_modify_sources];
    /// Fraction (F only).
    Frc "frc" 1 [can_saturate can_cmod can_modify_sources];
    /// Round up (F only).
    Rndu "rndu" 1 [can_saturate can_cmod can_modify_sources];
    /// Round down (F only).
    Rndd "rndd" 1 [can_saturate can_cmod can_modify_sources];
    /// Round to nearest even (F only).
    Rnde "rnde" 1 [can_saturate can_cmod can_modify_sources];
    /// Round toward zero (F only).
    Rndz "rndz" 1 [can_saturate can_cmod can_modify_sources];
    /// Multiply and add to the accumulator.
    Mac "mac" 2 [can_saturate can_modify_sources];
    /// High half of a product through the accumulator.
    Mach "mach" 2 [can_modify_sources];
    /// Leading zeros.
    Lzd "lzd" 1 [];
    /// Find first bit from the top.
    Fbh "fbh" 1 [];
    /// Find first bit from the bottom.
    Fbl "fbl" 1 [];
    /// Count bits.
    Cbit "cbit" 1 [];
    /// Addition, carry to the accumulator.
    Addc "addc" 2 [commutative];
    /// Subtraction, borrow to the accumulator.
    Subb "subb" 2 [];
    /// Four-component dot product (Align16).
    Dp4 "dp4" 2 [can_saturate can_cmod can_modify_sources];
    /// Homogeneous dot product (Align16).
    Dph "dph" 2 [can_saturate can_cmod can_modify_sources];
    /// Three-component dot product (Align16).
    Dp3 "dp3" 2 [can_saturate can_cmod can_modify_sources];
    /// Two-component dot product (Align16).
    Dp2 "dp2" 2 [can_saturate can_cmod can_modify_sources];
    /// Line equation.
    Line "line" 2 [can_saturate];
    /// Plane equation: setup, barycentrics (b1, b2 in consecutive registers).
    Pln "pln" 2 [can_saturate];
    /// Multiply-add: src0 + src1 × src2.
    Mad "mad" 3 [three_source can_saturate can_cmod can_modify_sources];
    /// Linear interpolation: src0·src1 + (1 − src0)·src2.
    Lrp "lrp" 3 [three_source can_saturate can_cmod can_modify_sources];
    /// Reciprocal (math unit).
    MathInv "math.inv" 1 [can_saturate can_modify_sources math];
    /// Base-2 logarithm.
    MathLog "math.log" 1 [can_saturate can_modify_sources math];
    /// Base-2 exponential.
    MathExp "math.exp" 1 [can_saturate can_modify_sources math];
    /// Square root.
    MathSqrt "math.sqrt" 1 [can_saturate can_modify_sources math];
    /// Reciprocal square root.
    MathRsq "math.rsq" 1 [can_saturate can_modify_sources math];
    /// Sine.
    MathSin "math.sin" 1 [can_saturate can_modify_sources math];
    /// Cosine.
    MathCos "math.cos" 1 [can_saturate can_modify_sources math];
    /// Power.
    MathPow "math.pow" 2 [can_saturate can_modify_sources math];
    /// Integer quotient.
    MathIntDivQuotient "math.intdiv" 2 [math];
    /// Integer remainder.
    MathIntDivRemainder "math.intmod" 2 [math];
    /// Message to a shared function; operands: payload.
    Send "send" 1 [];
    /// As `Send`, after earlier threads' writes to the same pixels.
    Sendc "sendc" 1 [];
    /// As `Send`, of a payload in two parts (skl); operands: both parts.
    Sends "sends" 2 [];
    /// As `Sends`, after earlier threads' writes to the same pixels.
    Sendsc "sendsc" 2 [];
    /// Load of a DF immediate (hsw).
    Dim "dim" 1 [];
    /// Waits for a notification, the destination's.
    Wait "wait" 0 [];
    /// Reads its operand and does nothing with it, so that the thread waits for a message's
    /// response.
    Await "await" 1 [];
    /// No operation.
    Nop "nop" 0 [];
    /// Begin of a predicated region.
    If "if" 0 [control_flow];
    /// Other arm.
    Else "else" 0 [control_flow];
    /// Join.
    Endif "endif" 0 [control_flow];
    /// *Virtual*: loop header, nothing is encoded.
    Do "do" 0 [control_flow];
    /// Loop end, back to the instruction after `Do`.
    While "while" 0 [control_flow];
    /// Leave the innermost loop.
    Break "break" 0 [control_flow];
    /// Next iteration of the innermost loop.
    Continue "cont" 0 [control_flow];
    /// Stop channels until the `HaltTarget`.
    Halt "halt" 0 [control_flow];
    /// *Virtual* before encoding: where halted channels resume (encodes a HALT to itself when any
    /// `Halt` exists).
    HaltTarget "halt_target" 0 [control_flow];
    /// *Virtual*: defines its destination with an undefined value, nothing is encoded.
    Undef "undef" 0 [];
}

impl Op {
    /// Properties of the opcode.
    #[must_use]
    pub fn info(self) -> &'static OpInfo {
        &INFO[self as usize]
    }

    /// Uses the math unit.
    #[must_use]
    pub fn is_math(self) -> bool {
        self.info().math
    }

    /// SEND-like.
    #[must_use]
    pub fn is_send(self) -> bool {
        matches!(self, Op::Send | Op::Sendc | Op::Sends | Op::Sendsc)
    }

    /// Ends a basic block (the next instruction starts another).
    #[must_use]
    pub fn ends_block(self) -> bool {
        matches!(self, Op::If | Op::Else | Op::While | Op::Break | Op::Continue | Op::Halt)
    }

    /// Starts a basic block: a jump may lead to it (CONTINUE leads to the WHILE itself).
    #[must_use]
    pub fn starts_block(self) -> bool {
        matches!(self, Op::Do | Op::Endif | Op::While | Op::HaltTarget)
    }

    /// Emits no machine instruction.
    #[must_use]
    pub fn is_virtual(self) -> bool {
        matches!(self, Op::Do | Op::Undef)
    }
}
