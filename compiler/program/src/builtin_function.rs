//! Table of the built-in functions, one row for all overloads of a name: the types of the arguments
//! choose among them.
//!
//! A row has the GLSL identifier, the section of the GLSL 4.60 specification or the extension that
//! defines the function, and two properties: `constant` if a call with constant arguments is a
//! constant expression, `exact` if the result is determined bit for bit for operands of any type.
//! Rows are grouped by family. Lowering and interpreter match each family exhaustively, so that a
//! function without a meaning does not compile.
//!
//! Texture, image and memory-atomic functions have their own expression kinds.

macro_rules! flag {
    (constant) => {
        true
    };
    (run_time) => {
        false
    };
    (exact) => {
        true
    };
    (inexact) => {
        false
    };
}

macro_rules! builtin_functions {
    ($($(#[$doc:meta])* $family:ident($enum:ident) {
        $($name:ident $text:literal $section:literal $constant:ident $exact:ident;)*
    })*) => {
        /// A built-in function (GLSL 4.60 chapter 8 and extensions).
        #[allow(missing_docs, reason = "the rows of the table name the functions")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum BuiltinFunction { $($($name,)*)* }

        $(
            $(#[$doc])*
            #[allow(missing_docs, reason = "the rows of the table name the functions")]
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            pub enum $enum { $($name,)* }
        )*

        /// A built-in function by family.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum BuiltinFamily { $($(#[$doc])* $family($enum),)* }

        impl BuiltinFunction {
            /// Every function, in the order of the table.
            pub const ALL: &[BuiltinFunction] = &[$($(BuiltinFunction::$name,)*)*];

            /// Returns the GLSL identifier.
            pub const fn name(self) -> &'static str {
                match self { $($(BuiltinFunction::$name => $text,)*)* }
            }

            /// Returns the function of an identifier.
            pub fn from_name(name: &str) -> Option<BuiltinFunction> {
                match name { $($($text => Some(BuiltinFunction::$name),)*)* _ => None }
            }

            /// Returns the function as a member of its family.
            pub const fn family(self) -> BuiltinFamily {
                match self {
                    $($(BuiltinFunction::$name => BuiltinFamily::$family($enum::$name),)*)*
                }
            }

            /// Returns the section of the GLSL 4.60 specification, or the extension, that defines
            /// the function.
            pub const fn section(self) -> &'static str {
                match self { $($(BuiltinFunction::$name => $section,)*)* }
            }

            /// Returns true if a call with constant arguments is a constant expression.
            pub const fn is_const(self) -> bool {
                match self { $($(BuiltinFunction::$name => flag!($constant),)*)* }
            }

            /// Returns true if the result is determined bit for bit for operands of any type.
            pub const fn is_exact(self) -> bool {
                match self { $($(BuiltinFunction::$name => flag!($exact),)*)* }
            }
        }
    };
}

builtin_functions! {
    /// Angle and trigonometry functions, by component.
    Angle(AngleFunction) {
        Radians "radians" "8.1" constant inexact;
        Degrees "degrees" "8.1" constant inexact;
        Sin "sin" "8.1" constant inexact;
        Cos "cos" "8.1" constant inexact;
        Tan "tan" "8.1" constant inexact;
        Asin "asin" "8.1" constant inexact;
        Acos "acos" "8.1" constant inexact;
        Atan "atan" "8.1" constant inexact;
        Sinh "sinh" "8.1" constant inexact;
        Cosh "cosh" "8.1" constant inexact;
        Tanh "tanh" "8.1" constant inexact;
        Asinh "asinh" "8.1" constant inexact;
        Acosh "acosh" "8.1" constant inexact;
        Atanh "atanh" "8.1" constant inexact;
    }
    /// Exponential functions, by component.
    Exponential(ExponentialFunction) {
        Pow "pow" "8.2" constant inexact;
        Exp "exp" "8.2" constant inexact;
        Log "log" "8.2" constant inexact;
        Exp2 "exp2" "8.2" constant inexact;
        Log2 "log2" "8.2" constant inexact;
        Sqrt "sqrt" "8.2" constant inexact;
        InverseSqrt "inversesqrt" "8.2" constant inexact;
    }
    /// Common functions, by component.
    Common(CommonFunction) {
        Abs "abs" "8.3" constant exact;
        Sign "sign" "8.3" constant exact;
        Floor "floor" "8.3" constant exact;
        Trunc "trunc" "8.3" constant exact;
        Round "round" "8.3" constant inexact;
        RoundEven "roundEven" "8.3" constant exact;
        Ceil "ceil" "8.3" constant exact;
        Fract "fract" "8.3" constant inexact;
        Mod "mod" "8.3" constant inexact;
        Min "min" "8.3" constant exact;
        Max "max" "8.3" constant exact;
        Clamp "clamp" "8.3" constant exact;
        Mix "mix" "8.3" constant inexact;
        Step "step" "8.3" constant exact;
        Smoothstep "smoothstep" "8.3" constant inexact;
        IsNan "isnan" "8.3" constant exact;
        IsInf "isinf" "8.3" constant exact;
        Fma "fma" "8.3" constant exact;
        Ldexp "ldexp" "8.3" constant exact;
        Min3 "min3" "AMD_shader_trinary_minmax" constant exact;
        Max3 "max3" "AMD_shader_trinary_minmax" constant exact;
        Mid3 "mid3" "AMD_shader_trinary_minmax" constant exact;
    }
    /// Functions that write arguments.
    OutParameter(OutParameterFunction) {
        Modf "modf" "8.3" run_time exact;
        Frexp "frexp" "8.3" run_time exact;
        UaddCarry "uaddCarry" "8.8" run_time exact;
        UsubBorrow "usubBorrow" "8.8" run_time exact;
        UmulExtended "umulExtended" "8.8" run_time exact;
        ImulExtended "imulExtended" "8.8" run_time exact;
    }
    /// Functions whose result has the operand's bits, each component by itself.
    BitCast(BitCastFunction) {
        FloatBitsToInt "floatBitsToInt" "8.3" constant exact;
        FloatBitsToUint "floatBitsToUint" "8.3" constant exact;
        IntBitsToFloat "intBitsToFloat" "8.3" constant exact;
        UintBitsToFloat "uintBitsToFloat" "8.3" constant exact;
        DoubleBitsToInt64 "doubleBitsToInt64" "ARB_gpu_shader_int64" constant exact;
        DoubleBitsToUint64 "doubleBitsToUint64" "ARB_gpu_shader_int64" constant exact;
        Int64BitsToDouble "int64BitsToDouble" "ARB_gpu_shader_int64" constant exact;
        Uint64BitsToDouble "uint64BitsToDouble" "ARB_gpu_shader_int64" constant exact;
        Float16BitsToInt16 "float16BitsToInt16" "AMD_gpu_shader_int16" constant exact;
        Float16BitsToUint16 "float16BitsToUint16" "AMD_gpu_shader_int16" constant exact;
        Int16BitsToFloat16 "int16BitsToFloat16" "AMD_gpu_shader_int16" constant exact;
        Uint16BitsToFloat16 "uint16BitsToFloat16" "AMD_gpu_shader_int16" constant exact;
    }
    /// Packing functions that convert.
    Packing(PackingFunction) {
        PackUnorm2x16 "packUnorm2x16" "8.4" constant inexact;
        PackSnorm2x16 "packSnorm2x16" "8.4" constant inexact;
        PackUnorm4x8 "packUnorm4x8" "8.4" constant inexact;
        PackSnorm4x8 "packSnorm4x8" "8.4" constant inexact;
        UnpackUnorm2x16 "unpackUnorm2x16" "8.4" constant inexact;
        UnpackSnorm2x16 "unpackSnorm2x16" "8.4" constant inexact;
        UnpackUnorm4x8 "unpackUnorm4x8" "8.4" constant inexact;
        UnpackSnorm4x8 "unpackSnorm4x8" "8.4" constant inexact;
        PackHalf2x16 "packHalf2x16" "8.4" constant inexact;
        UnpackHalf2x16 "unpackHalf2x16" "8.4" constant exact;
    }
    /// Packing functions whose result has the operand's bits, in components of another size.
    Repacking(RepackingFunction) {
        PackDouble2x32 "packDouble2x32" "8.4" constant exact;
        UnpackDouble2x32 "unpackDouble2x32" "8.4" constant exact;
        PackInt2x32 "packInt2x32" "ARB_gpu_shader_int64" constant exact;
        UnpackInt2x32 "unpackInt2x32" "ARB_gpu_shader_int64" constant exact;
        PackUint2x32 "packUint2x32" "ARB_gpu_shader_int64" constant exact;
        UnpackUint2x32 "unpackUint2x32" "ARB_gpu_shader_int64" constant exact;
        PackFloat2x16 "packFloat2x16" "AMD_gpu_shader_half_float" constant exact;
        UnpackFloat2x16 "unpackFloat2x16" "AMD_gpu_shader_half_float" constant exact;
        PackInt2x16 "packInt2x16" "AMD_gpu_shader_int16" constant exact;
        UnpackInt2x16 "unpackInt2x16" "AMD_gpu_shader_int16" constant exact;
        PackInt4x16 "packInt4x16" "AMD_gpu_shader_int16" constant exact;
        UnpackInt4x16 "unpackInt4x16" "AMD_gpu_shader_int16" constant exact;
        PackUint2x16 "packUint2x16" "AMD_gpu_shader_int16" constant exact;
        UnpackUint2x16 "unpackUint2x16" "AMD_gpu_shader_int16" constant exact;
        PackUint4x16 "packUint4x16" "AMD_gpu_shader_int16" constant exact;
        UnpackUint4x16 "unpackUint4x16" "AMD_gpu_shader_int16" constant exact;
    }
    /// Geometric functions, on all components together.
    Geometric(GeometricFunction) {
        Length "length" "8.5" constant inexact;
        Distance "distance" "8.5" constant inexact;
        Dot "dot" "8.5" constant inexact;
        Cross "cross" "8.5" constant inexact;
        Normalize "normalize" "8.5" constant inexact;
        Ftransform "ftransform" "8.5" run_time inexact;
        Faceforward "faceforward" "8.5" constant inexact;
        Reflect "reflect" "8.5" constant inexact;
        Refract "refract" "8.5" constant inexact;
    }
    /// Matrix functions.
    Matrix(MatrixFunction) {
        MatrixCompMult "matrixCompMult" "8.6" constant exact;
        OuterProduct "outerProduct" "8.6" constant exact;
        Transpose "transpose" "8.6" constant exact;
        Determinant "determinant" "8.6" constant inexact;
        Inverse "inverse" "8.6" constant inexact;
    }
    /// Vector relational functions.
    Relational(RelationalFunction) {
        LessThan "lessThan" "8.7" constant exact;
        LessThanEqual "lessThanEqual" "8.7" constant exact;
        GreaterThan "greaterThan" "8.7" constant exact;
        GreaterThanEqual "greaterThanEqual" "8.7" constant exact;
        Equal "equal" "8.7" constant exact;
        NotEqual "notEqual" "8.7" constant exact;
        Any "any" "8.7" constant exact;
        All "all" "8.7" constant exact;
        Not "not" "8.7" constant exact;
    }
    /// Integer functions, by component.
    Integer(IntegerFunction) {
        BitfieldExtract "bitfieldExtract" "8.8" constant exact;
        BitfieldInsert "bitfieldInsert" "8.8" constant exact;
        BitfieldReverse "bitfieldReverse" "8.8" constant exact;
        BitCount "bitCount" "8.8" constant exact;
        FindLsb "findLSB" "8.8" constant exact;
        FindMsb "findMSB" "8.8" constant exact;
        CountLeadingZeros "countLeadingZeros" "INTEL_shader_integer_functions2" constant exact;
        CountTrailingZeros "countTrailingZeros" "INTEL_shader_integer_functions2" constant exact;
        AbsoluteDifference "absoluteDifference" "INTEL_shader_integer_functions2" constant exact;
        AddSaturate "addSaturate" "INTEL_shader_integer_functions2" constant exact;
        SubtractSaturate "subtractSaturate" "INTEL_shader_integer_functions2" constant exact;
        Average "average" "INTEL_shader_integer_functions2" constant exact;
        AverageRounded "averageRounded" "INTEL_shader_integer_functions2" constant exact;
        Multiply32x16 "multiply32x16" "INTEL_shader_integer_functions2" constant exact;
    }
    /// Atomic counter functions.
    AtomicCounter(AtomicCounterFunction) {
        AtomicCounterIncrement "atomicCounterIncrement" "8.10" run_time exact;
        AtomicCounterDecrement "atomicCounterDecrement" "8.10" run_time exact;
        AtomicCounter "atomicCounter" "8.10" run_time exact;
        AtomicCounterAdd "atomicCounterAdd" "8.10" run_time exact;
        AtomicCounterSubtract "atomicCounterSubtract" "8.10" run_time exact;
        AtomicCounterMin "atomicCounterMin" "8.10" run_time exact;
        AtomicCounterMax "atomicCounterMax" "8.10" run_time exact;
        AtomicCounterAnd "atomicCounterAnd" "8.10" run_time exact;
        AtomicCounterOr "atomicCounterOr" "8.10" run_time exact;
        AtomicCounterXor "atomicCounterXor" "8.10" run_time exact;
        AtomicCounterExchange "atomicCounterExchange" "8.10" run_time exact;
        AtomicCounterCompSwap "atomicCounterCompSwap" "8.10" run_time exact;
    }
    /// Functions of geometry shaders.
    Emission(EmissionFunction) {
        EmitVertex "EmitVertex" "8.13" run_time exact;
        EndPrimitive "EndPrimitive" "8.13" run_time exact;
        EmitStreamVertex "EmitStreamVertex" "8.13" run_time exact;
        EndStreamPrimitive "EndStreamPrimitive" "8.13" run_time exact;
    }
    /// Derivatives.
    Derivative(DerivativeFunction) {
        DFdx "dFdx" "8.14" constant inexact;
        DFdy "dFdy" "8.14" constant inexact;
        DFdxFine "dFdxFine" "8.14" constant inexact;
        DFdyFine "dFdyFine" "8.14" constant inexact;
        DFdxCoarse "dFdxCoarse" "8.14" constant inexact;
        DFdyCoarse "dFdyCoarse" "8.14" constant inexact;
        Fwidth "fwidth" "8.14" constant inexact;
        FwidthFine "fwidthFine" "8.14" constant inexact;
        FwidthCoarse "fwidthCoarse" "8.14" constant inexact;
    }
    /// Functions that evaluate an input elsewhere.
    Interpolation(InterpolationFunction) {
        InterpolateAtCentroid "interpolateAtCentroid" "8.14" run_time inexact;
        InterpolateAtSample "interpolateAtSample" "8.14" run_time inexact;
        InterpolateAtOffset "interpolateAtOffset" "8.14" run_time inexact;
    }
    /// Functions of the invocation and its subgroup.
    Invocation(InvocationFunction) {
        HelperInvocation "helperInvocationEXT" "EXT_demote_to_helper_invocation" run_time exact;
        AnyInvocation "anyInvocationARB" "ARB_shader_group_vote" run_time exact;
        AllInvocations "allInvocationsARB" "ARB_shader_group_vote" run_time exact;
        AllInvocationsEqual "allInvocationsEqualARB" "ARB_shader_group_vote" run_time exact;
        Ballot "ballotARB" "ARB_shader_ballot" run_time inexact;
        ReadInvocation "readInvocationARB" "ARB_shader_ballot" run_time inexact;
        ReadFirstInvocation "readFirstInvocationARB" "ARB_shader_ballot" run_time inexact;
        QuadBroadcast "subgroupQuadBroadcast" "KHR_shader_subgroup" run_time inexact;
        Clock2x32 "clock2x32ARB" "ARB_shader_clock" run_time inexact;
        Clock "clockARB" "ARB_shader_clock" run_time inexact;
    }
    /// Noise functions, which return zero.
    Noise(NoiseFunction) {
        Noise1 "noise1" "8.15" run_time inexact;
        Noise2 "noise2" "8.15" run_time inexact;
        Noise3 "noise3" "8.15" run_time inexact;
        Noise4 "noise4" "8.15" run_time inexact;
    }
    /// Barriers and critical sections.
    Synchronization(SynchronizationFunction) {
        Barrier "barrier" "8.16" run_time exact;
        MemoryBarrier "memoryBarrier" "8.17" run_time exact;
        MemoryBarrierAtomicCounter "memoryBarrierAtomicCounter" "8.17" run_time exact;
        MemoryBarrierBuffer "memoryBarrierBuffer" "8.17" run_time exact;
        MemoryBarrierImage "memoryBarrierImage" "8.17" run_time exact;
        MemoryBarrierShared "memoryBarrierShared" "8.17" run_time exact;
        GroupMemoryBarrier "groupMemoryBarrier" "8.17" run_time exact;
        BeginInvocationInterlock "beginInvocationInterlockARB" "ARB_fragment_shader_interlock" run_time exact;
        EndInvocationInterlock "endInvocationInterlockARB" "ARB_fragment_shader_interlock" run_time exact;
    }
}

impl BuiltinFunction {
    /// Returns true if the result has the operand's bits, each component by itself.
    pub const fn is_bit_cast(self) -> bool {
        matches!(self.family(), BuiltinFamily::BitCast(_))
    }

    /// Returns true if the result has the operand's bits, in components of another size.
    pub const fn is_repacking(self) -> bool {
        matches!(self.family(), BuiltinFamily::Repacking(_))
    }

    /// Returns true if the function writes arguments, memory or vertices.
    pub const fn writes(self) -> bool {
        matches!(
            self.family(),
            BuiltinFamily::OutParameter(_)
                | BuiltinFamily::AtomicCounter(_)
                | BuiltinFamily::Emission(_)
        )
    }
}

/// Read-modify-write operations on memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the specification")]
pub enum AtomicOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    IncrementWrap,
    DecrementWrap,
}
