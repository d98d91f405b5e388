//! Built-in functions, one name for all overloads: arguments' types choose.
//!
//! Texture, image and memory-atomic functions have their own expression kinds.

macro_rules! builtin_functions {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// A built-in function (GLSL 4.60 chapter 8 and extensions).
        #[allow(missing_docs)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum BuiltinFunction { $($name),* }

        impl BuiltinFunction {
            /// Every function, in declaration order.
            pub const ALL: &[BuiltinFunction] = &[$(BuiltinFunction::$name),*];

            /// The GLSL identifier.
            pub const fn name(self) -> &'static str {
                match self { $(BuiltinFunction::$name => $text),* }
            }

            /// The function of an identifier.
            pub fn from_name(name: &str) -> Option<BuiltinFunction> {
                match name { $($text => Some(BuiltinFunction::$name),)* _ => None }
            }
        }
    };
}

builtin_functions! {
    // 8.1 Angle and trigonometry.
    Radians = "radians", Degrees = "degrees", Sin = "sin", Cos = "cos", Tan = "tan", Asin = "asin", Acos = "acos",
    Atan = "atan", Sinh = "sinh", Cosh = "cosh", Tanh = "tanh", Asinh = "asinh", Acosh = "acosh", Atanh = "atanh",
    // 8.2 Exponential.
    Pow = "pow", Exp = "exp", Log = "log", Exp2 = "exp2", Log2 = "log2", Sqrt = "sqrt", InverseSqrt = "inversesqrt",
    // 8.3 Common.
    Abs = "abs", Sign = "sign", Floor = "floor", Trunc = "trunc", Round = "round", RoundEven = "roundEven",
    Ceil = "ceil", Fract = "fract", Mod = "mod", Modf = "modf", Min = "min", Max = "max", Clamp = "clamp",
    Mix = "mix", Step = "step", Smoothstep = "smoothstep", IsNan = "isnan", IsInf = "isinf",
    FloatBitsToInt = "floatBitsToInt", FloatBitsToUint = "floatBitsToUint", IntBitsToFloat = "intBitsToFloat",
    UintBitsToFloat = "uintBitsToFloat", DoubleBitsToInt64 = "doubleBitsToInt64",
    DoubleBitsToUint64 = "doubleBitsToUint64", Int64BitsToDouble = "int64BitsToDouble",
    Uint64BitsToDouble = "uint64BitsToDouble", Float16BitsToInt16 = "float16BitsToInt16",
    Float16BitsToUint16 = "float16BitsToUint16", Int16BitsToFloat16 = "int16BitsToFloat16",
    Uint16BitsToFloat16 = "uint16BitsToFloat16", Fma = "fma", Frexp = "frexp", Ldexp = "ldexp",
    // 8.4 Packing.
    PackUnorm2x16 = "packUnorm2x16", PackSnorm2x16 = "packSnorm2x16", PackUnorm4x8 = "packUnorm4x8",
    PackSnorm4x8 = "packSnorm4x8", UnpackUnorm2x16 = "unpackUnorm2x16", UnpackSnorm2x16 = "unpackSnorm2x16",
    UnpackUnorm4x8 = "unpackUnorm4x8", UnpackSnorm4x8 = "unpackSnorm4x8", PackHalf2x16 = "packHalf2x16",
    UnpackHalf2x16 = "unpackHalf2x16", PackDouble2x32 = "packDouble2x32", UnpackDouble2x32 = "unpackDouble2x32",
    PackInt2x32 = "packInt2x32", UnpackInt2x32 = "unpackInt2x32", PackUint2x32 = "packUint2x32",
    UnpackUint2x32 = "unpackUint2x32", PackFloat2x16 = "packFloat2x16", UnpackFloat2x16 = "unpackFloat2x16",
    PackInt2x16 = "packInt2x16", UnpackInt2x16 = "unpackInt2x16", PackInt4x16 = "packInt4x16",
    UnpackInt4x16 = "unpackInt4x16", PackUint2x16 = "packUint2x16", UnpackUint2x16 = "unpackUint2x16",
    PackUint4x16 = "packUint4x16", UnpackUint4x16 = "unpackUint4x16",
    // 8.5 Geometric.
    Length = "length", Distance = "distance", Dot = "dot", Cross = "cross", Normalize = "normalize",
    Ftransform = "ftransform", Faceforward = "faceforward", Reflect = "reflect", Refract = "refract",
    // 8.6 Matrix.
    MatrixCompMult = "matrixCompMult", OuterProduct = "outerProduct", Transpose = "transpose",
    Determinant = "determinant", Inverse = "inverse",
    // 8.7 Vector relational.
    LessThan = "lessThan", LessThanEqual = "lessThanEqual", GreaterThan = "greaterThan",
    GreaterThanEqual = "greaterThanEqual", Equal = "equal", NotEqual = "notEqual", Any = "any", All = "all",
    Not = "not",
    // 8.8 Integer.
    UaddCarry = "uaddCarry", UsubBorrow = "usubBorrow", UmulExtended = "umulExtended",
    ImulExtended = "imulExtended", BitfieldExtract = "bitfieldExtract", BitfieldInsert = "bitfieldInsert",
    BitfieldReverse = "bitfieldReverse", BitCount = "bitCount", FindLsb = "findLSB", FindMsb = "findMSB",
    // INTEL_shader_integer_functions2.
    CountLeadingZeros = "countLeadingZeros", CountTrailingZeros = "countTrailingZeros",
    AbsoluteDifference = "absoluteDifference", AddSaturate = "addSaturate", SubtractSaturate = "subtractSaturate",
    Average = "average", AverageRounded = "averageRounded", Multiply32x16 = "multiply32x16",
    // AMD_shader_trinary_minmax.
    Min3 = "min3", Max3 = "max3", Mid3 = "mid3",
    // 8.10 Atomic counters.
    AtomicCounterIncrement = "atomicCounterIncrement", AtomicCounterDecrement = "atomicCounterDecrement",
    AtomicCounter = "atomicCounter", AtomicCounterAdd = "atomicCounterAdd",
    AtomicCounterSubtract = "atomicCounterSubtract", AtomicCounterMin = "atomicCounterMin",
    AtomicCounterMax = "atomicCounterMax", AtomicCounterAnd = "atomicCounterAnd",
    AtomicCounterOr = "atomicCounterOr", AtomicCounterXor = "atomicCounterXor",
    AtomicCounterExchange = "atomicCounterExchange", AtomicCounterCompSwap = "atomicCounterCompSwap",
    // 8.13 Geometry.
    EmitVertex = "EmitVertex", EndPrimitive = "EndPrimitive", EmitStreamVertex = "EmitStreamVertex",
    EndStreamPrimitive = "EndStreamPrimitive",
    // 8.14 Fragment.
    DFdx = "dFdx", DFdy = "dFdy", DFdxFine = "dFdxFine", DFdyFine = "dFdyFine", DFdxCoarse = "dFdxCoarse",
    DFdyCoarse = "dFdyCoarse", Fwidth = "fwidth", FwidthFine = "fwidthFine", FwidthCoarse = "fwidthCoarse",
    InterpolateAtCentroid = "interpolateAtCentroid", InterpolateAtSample = "interpolateAtSample",
    InterpolateAtOffset = "interpolateAtOffset", HelperInvocation = "helperInvocationEXT",
    // 8.15 Noise.
    Noise1 = "noise1", Noise2 = "noise2", Noise3 = "noise3", Noise4 = "noise4",
    // 8.16, 8.17 Control and memory.
    Barrier = "barrier", MemoryBarrier = "memoryBarrier", MemoryBarrierAtomicCounter = "memoryBarrierAtomicCounter",
    MemoryBarrierBuffer = "memoryBarrierBuffer", MemoryBarrierImage = "memoryBarrierImage",
    MemoryBarrierShared = "memoryBarrierShared", GroupMemoryBarrier = "groupMemoryBarrier",
    BeginInvocationInterlock = "beginInvocationInterlockARB", EndInvocationInterlock = "endInvocationInterlockARB",
    // 8.19 Shader invocation group; ARB_shader_group_vote, ARB_shader_ballot, ARB_shader_clock.
    AnyInvocation = "anyInvocationARB", AllInvocations = "allInvocationsARB",
    AllInvocationsEqual = "allInvocationsEqualARB", Ballot = "ballotARB", ReadInvocation = "readInvocationARB",
    ReadFirstInvocation = "readFirstInvocationARB", Clock2x32 = "clock2x32ARB", Clock = "clockARB",
}

impl BuiltinFunction {
    /// Whether the result has the operand's bits, each component by itself: `floatBitsToInt` and the like.
    pub const fn is_bit_cast(self) -> bool {
        use BuiltinFunction as F;
        matches!(
            self,
            F::FloatBitsToInt
                | F::FloatBitsToUint
                | F::IntBitsToFloat
                | F::UintBitsToFloat
                | F::DoubleBitsToInt64
                | F::DoubleBitsToUint64
                | F::Int64BitsToDouble
                | F::Uint64BitsToDouble
                | F::Float16BitsToInt16
                | F::Float16BitsToUint16
                | F::Int16BitsToFloat16
                | F::Uint16BitsToFloat16
        )
    }

    /// Whether the result has the operand's bits, in components of another size: the `pack…` and `unpack…` that convert nothing.
    pub const fn is_repacking(self) -> bool {
        use BuiltinFunction as F;
        matches!(
            self,
            F::PackDouble2x32
                | F::UnpackDouble2x32
                | F::PackInt2x32
                | F::UnpackInt2x32
                | F::PackUint2x32
                | F::UnpackUint2x32
                | F::PackFloat2x16
                | F::UnpackFloat2x16
                | F::PackInt2x16
                | F::UnpackInt2x16
                | F::PackUint2x16
                | F::UnpackUint2x16
                | F::PackInt4x16
                | F::UnpackInt4x16
                | F::PackUint4x16
                | F::UnpackUint4x16
        )
    }
}

/// Read-modify-write operations on memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
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
