//! The operators and built-in functions of GLSL that a fragment shader of an fp64 generation
//! computes, as data.
//!
//! A line is `result | expression | parameters | rule domains`. Types are letters (`F` float, `D`
//! double, `I` int, `U` uint, `B` bool) with a size; `gen` is the scalar and the vectors, `vec` the
//! vectors, `mat` every matrix, `sq` the square ones, `t` after `mat` the transpose's type, `col`
//! and `row` a column and a row of it. An expression is a function's name, or GLSL over the
//! parameters a, b, c, d; `out` parameters are results too. A `%` means F and D.
//!
//! Rules: `exact` bit for bit; a number, so many units in the last place; `abs`, an absolute error
//! of 2⁻¹¹ or 4096 units, for functions whose precision the specification leaves open; `exp` and
//! `log`, the bounds of GLSL 4.60 section 4.7.1; `sum N`, 16 units of the N-th power of the largest
//! operand, for sums of products of N factors; `fieldsN`, normalized integers of N bits. Domains,
//! one per parameter, the last one repeated: see [`Domain`].

/// The values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Anything, special values often.
    Any,
    /// Moderate magnitude, no cancellation beyond reason.
    Moderate,
    /// Between −1 and 1.
    Unit,
    /// Moderate and positive.
    Positive,
    /// Integers from 0 to 16.
    Small,
    /// Integers from 0 to 31.
    Shift,
    /// Matrices with a dominant diagonal.
    Dominant,
    /// Integers other than 0 and −1.
    Divisor,
    /// Integers that are not negative.
    Natural,
    /// Floats within the range of int.
    IntRange,
    /// Floats within the range of uint.
    UintRange,
    /// Exponents that keep or leave the range.
    Exponent,
    /// Floats from −80 to 80: their exponentials are in range.
    Eighty,
}

impl Domain {
    /// By name.
    pub(crate) fn parse(name: &str) -> Domain {
        match name {
            "any" => Domain::Any,
            "moderate" => Domain::Moderate,
            "unit" => Domain::Unit,
            "positive" => Domain::Positive,
            "small" => Domain::Small,
            "shift" => Domain::Shift,
            "dominant" => Domain::Dominant,
            "divisor" => Domain::Divisor,
            "natural" => Domain::Natural,
            "int" => Domain::IntRange,
            "uint" => Domain::UintRange,
            "exponent" => Domain::Exponent,
            "eighty" => Domain::Eighty,
            other => panic!("no domain {other}"),
        }
    }
}

/// Operations that only 16-bit types have, or with literals of their own; `S` and `T` are int16_t
/// and uint16_t, `L` and `M` int64_t and uint64_t. Those of [`OPERATIONS`] whose types have 16-bit
/// counterparts come on top.
pub(crate) const SIXTEEN_BIT: &str = "
genH | TYPE(a) | genF | exact any
genH | TYPE(a) | genD | exact any
genH | TYPE(a) | genI | exact any
genH | TYPE(a) | genU | exact any
genH | TYPE(a) | genL | exact any
genH | TYPE(a) | genM | exact any
genH | TYPE(a) | genS | exact any
genH | TYPE(a) | genT | exact any
genH | TYPE(a) | genB | exact any
genF | TYPE(a) | genH | exact any
genD | TYPE(a) | genH | exact any
genI | TYPE(a) | genH | exact any
genU | TYPE(a) | genH | exact any
genL | TYPE(a) | genH | exact any
genM | TYPE(a) | genH | exact any
genB | TYPE(a) | genH | exact any
genS | TYPE(a) | genF | exact any
genS | TYPE(a) | genD | exact any
genS | TYPE(a) | genH | exact any
genS | TYPE(a) | genI | exact any
genS | TYPE(a) | genU | exact any
genS | TYPE(a) | genL | exact any
genS | TYPE(a) | genT | exact any
genS | TYPE(a) | genB | exact any
genT | TYPE(a) | genF | exact any
genT | TYPE(a) | genD | exact any
genT | TYPE(a) | genH | exact any
genT | TYPE(a) | genI | exact any
genT | TYPE(a) | genM | exact any
genT | TYPE(a) | genS | exact any
genT | TYPE(a) | genB | exact any
genF | TYPE(a) | genS | exact any
genF | TYPE(a) | genT | exact any
genD | TYPE(a) | genS | exact any
genD | TYPE(a) | genT | exact any
genI | TYPE(a) | genS | exact any
genI | TYPE(a) | genT | exact any
genU | TYPE(a) | genS | exact any
genU | TYPE(a) | genT | exact any
genL | TYPE(a) | genS | exact any
genM | TYPE(a) | genT | exact any
genL | TYPE(a) | genT | exact any
genB | TYPE(a) | genS | exact any
matH | TYPE(a) | matF | exact any
matH | TYPE(a) | matD | exact any
matF | TYPE(a) | matH | exact any
matD | TYPE(a) | matH | exact any
genF | a + b | genH,genF | exact any
genI | a + b | genT,genI | exact any
genT | a + b | genS,genT | exact any
genH | a * b | genH,genS | exact any
genS | a << b | genS,genI | exact any shift
genT | a >> b | genT,genU | exact any shift
genH | clamp(a, 0.0hf, 1.0hf) | genH | exact any
genH | smoothstep(-2.0hf, a, b) | H,genH | sum1 unit
genH | refract(a, normalize(b), c * 0.5hf) | genH,genH,H | sum1 unit
genH | frexp | genH,out genS | exact any
genH | ldexp | genH,genS | exact any exponent
genS | float16BitsToInt16 | genH | exact any
genT | float16BitsToUint16 | genH | exact any
genH | int16BitsToFloat16 | genS | exact any
genH | uint16BitsToFloat16 | genT | exact any
U | packFloat2x16 | H2 | exact any
H2 | unpackFloat2x16 | U | exact any
I | packInt2x16 | S2 | exact any
S2 | unpackInt2x16 | I | exact any
U | packUint2x16 | T2 | exact any
T2 | unpackUint2x16 | U | exact any
L | packInt4x16 | S4 | exact any
S4 | unpackInt4x16 | L | exact any
M | packUint4x16 | T4 | exact any
T4 | unpackUint4x16 | M | exact any
U | packHalf2x16 | F2 | exact any
F2 | unpackHalf2x16 | U | exact any
";

/// Functions of 32-bit integers that 16-bit ones do not have.
const ONLY_32_BIT: &[&str] =
    &["bit", "find", "Bits", "uadd", "usub", "mulExtended", "dFd", "fwidth"];

/// The lines of [`OPERATIONS`] with float as float16_t and 32-bit integers as 16-bit ones, where
/// they exist so.
pub(crate) fn narrowed() -> Vec<String> {
    let narrow = |types: &str| types.replace('F', "H").replace('I', "S").replace('U', "T");
    let lines = OPERATIONS.lines().filter(|line| !line.is_empty());
    let lines = lines.filter_map(|line| {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [result, expression, parameters, rule] = parts[..] else { panic!("{line}") };
        let wide = [result, parameters].iter().any(|t| t.contains('D'));
        let packs = expression.starts_with("pack") || expression.starts_with("unpack");
        let literal = expression.contains('.') || expression.contains('1');
        let converts = expression == "TYPE(a)" && !line.contains('%');
        if wide
            || packs
            || literal
            || converts
            || ONLY_32_BIT.iter().any(|word| expression.contains(word))
        {
            return None;
        }
        // Exponents stay integers of 32 bits.
        let keep = ["frexp", "ldexp"].contains(&expression);
        let parameters = if keep { parameters.to_string() } else { narrow(parameters) };
        Some(format!("{} | {expression} | {parameters} | {rule}", narrow(result)))
    });
    lines.collect()
}

/// The table.
pub(crate) const OPERATIONS: &str = "
gen% | a + b | gen%,gen% | exact any
gen% | a + b | gen%,% | exact any
gen% | a + b | %,gen% | exact any
gen% | a - b | gen%,gen% | exact any
gen% | a - b | %,gen% | exact any
gen% | a * b | gen%,gen% | exact any
gen% | a * b | gen%,% | exact any
gen% | a / b | gen%,gen% | 16 any
gen% | a / b | %,gen% | 16 any
gen% | -a | gen% | exact any
gen% | +a | gen% | exact any
gen% | a++ * 1 | gen% | exact any
gen% | --a | gen% | exact any
mat% | a + b | mat%,mat% | exact any
mat% | a - b | mat%,% | exact any
mat% | a / b | mat%,mat% | 16 any
mat% | a * b | mat%,% | exact any
mat% | -a | mat% | exact any
mat% | ++a | mat% | exact any
sq% | a * b | sq%,sq% | sum2 moderate
col% | a * b | mat%,row% | sum2 moderate
row% | a * b | col%,mat% | sum2 moderate
B | a < b | %,% | exact any
B | a <= b | %,% | exact any
B | a > b | %,% | exact any
B | a >= b | %,% | exact any
B | a == b | gen%,gen% | exact any
B | a != b | gen%,gen% | exact any
B | a == b | mat%,mat% | exact any
B | a != b | mat%,mat% | exact any
B | a == matrixCompMult(a, b) | mat%,mat% | exact any
gen% | a < b ? c : d | %,%,gen%,gen% | exact any
genI | a + b | genI,genI | exact any
genI | a - b | genI,genI | exact any
genI | a * b | genI,genI | exact any
genI | a * b | genI,I | exact any
genI | a / b | genI,genI | exact any
genI | a / b | genI,I | exact any divisor
genI | a % b | genI,genI | exact natural
genI | -a | genI | exact any
genI | ~a | genI | exact any
genI | a++ + a | genI | exact any
genI | --a | genI | exact any
genI | a << b | genI,genI | exact any shift
genI | a >> b | genI,genI | exact any shift
genI | a >> b | genI,genU | exact any shift
genI | a & b | genI,genI | exact any
genI | a \\| b | genI,genI | exact any
genI | a ^ b | genI,I | exact any
genU | a + b | genU,genU | exact any
genU | a - b | genU,genU | exact any
genU | a * b | genU,genU | exact any
genU | a / b | genU,genU | exact any
genU | a % b | genU,genU | exact any
genU | -a | genU | exact any
genU | ~a | genU | exact any
genU | a << b | genU,genU | exact any shift
genU | a >> b | genU,genI | exact any shift
genU | a & b | genU,U | exact any
genU | a \\| b | genU,genU | exact any
genU | a ^ b | genU,genU | exact any
B | a < b | I,I | exact any
B | a <= b | I,I | exact any
B | a > b | I,I | exact any
B | a >= b | I,I | exact any
B | a == b | genI,genI | exact any
B | a != b | genI,genI | exact any
B | a < b | U,U | exact any
B | a <= b | U,U | exact any
B | a > b | U,U | exact any
B | a >= b | U,U | exact any
B | a == b | genU,genU | exact any
B | a != b | genU,genU | exact any
B | a == b | genB,genB | exact any
B | a != b | genB,genB | exact any
B | a && b | B,B | exact any
B | a \\|\\| b | B,B | exact any
B | a ^^ b | B,B | exact any
B | !a | B | exact any
genF | TYPE(a) | genI | exact any
genF | TYPE(a) | genU | exact any
genF | TYPE(a) | genB | exact any
genF | TYPE(a) | genD | exact any
genD | TYPE(a) | genI | exact any
genD | TYPE(a) | genU | exact any
genD | TYPE(a) | genB | exact any
genD | TYPE(a) | genF | exact any
genI | TYPE(a) | gen% | exact any
genI | TYPE(a) | gen% | exact int
genI | TYPE(a) | genU | exact any
genI | TYPE(a) | genB | exact any
genU | TYPE(a) | gen% | exact uint
genU | TYPE(a) | genI | exact any
genU | TYPE(a) | genB | exact any
genB | TYPE(a) | gen% | exact any
genB | TYPE(a) | genI | exact any
genB | TYPE(a) | genU | exact any
matF | TYPE(a) | matD | exact any
matD | TYPE(a) | matF | exact any
mat% | TYPE(a) | % | exact any
%4x4 | TYPE(a) | mat% | exact any
%2x2 | TYPE(a) | mat% | exact any
%3x3 | TYPE(a) | mat% | exact any
genF | radians | genF | 16 any
genF | degrees | genF | 16 any
genF | sin | genF | abs moderate
genF | cos | genF | abs moderate
genF | tan | genF | abs unit
genF | asin | genF | abs unit
genF | acos | genF | abs unit
genF | atan | genF,genF | abs moderate
genF | atan | genF | abs moderate
genF | atan | genF | abs any
genF | sinh | genF | exp eighty
genF | cosh | genF | exp eighty
genF | tanh | genF | abs any
genF | asinh | genF | abs moderate
genF | acosh | genF | abs positive
genF | atanh | genF | abs unit
genF | pow | genF,genF | exp positive unit
genF | exp | genF | exp any
genF | log | genF | log any
genF | exp2 | genF | exp any
genF | log2 | genF | log any
gen% | sqrt | gen% | 16 any
gen% | inversesqrt | gen% | 16 any
gen% | abs | gen% | exact any
gen% | sign | gen% | exact any
gen% | floor | gen% | exact any
gen% | trunc | gen% | exact any
gen% | round | gen% | exact any
gen% | roundEven | gen% | exact any
gen% | ceil | gen% | exact any
gen% | fract | gen% | 16 any
gen% | mod | gen%,gen% | sum1 moderate
gen% | mod | gen%,% | sum1 moderate
gen% | modf | gen%,out gen% | exact any
gen% | min | gen%,gen% | exact any
gen% | min | gen%,% | exact any
gen% | max | gen%,gen% | exact any
gen% | max | gen%,% | exact any
gen% | clamp | gen%,gen%,gen% | exact any
gen% | clamp | gen%,%,% | exact any
gen% | clamp(a, 0.0, 1.0) | gen% | exact any
gen% | mix | gen%,gen%,gen% | sum2 moderate
gen% | mix | gen%,gen%,% | sum2 moderate unit
gen% | mix | gen%,gen%,genB | exact any
gen% | step | gen%,gen% | exact any
gen% | step | %,gen% | exact any
gen% | smoothstep | gen%,gen%,gen% | sum1 unit
gen% | smoothstep(-2.0, a, b) | %,gen% | sum1 unit
genB | isnan | gen% | exact any
genB | isinf | gen% | exact any
gen% | fma | gen%,gen%,gen% | sum2 moderate
gen% | frexp | gen%,out genI | exact any
gen% | ldexp | gen%,genI | exact moderate exponent
gen% | ldexp | gen%,genI | exact any exponent
% | length | gen% | 16 moderate
% | distance | gen%,gen% | 16 unit
% | dot | gen%,gen% | sum2 moderate
%3 | cross | %3,%3 | sum2 moderate
gen% | normalize | gen% | 16 moderate
gen% | faceforward | gen%,gen%,gen% | sum1 moderate
gen% | reflect | gen%,gen% | sum3 moderate
gen% | refract(a, normalize(b), c * 0.5) | gen%,gen%,% | sum1 unit
mat% | matrixCompMult | mat%,mat% | exact any
mat% | outerProduct | col%,row% | exact any
mat%t | transpose | mat% | exact any
% | determinant | sq% | sum4 moderate
sq% | inverse | sq% | sum0 dominant
vecB | lessThan | vec%,vec% | exact any
vecB | lessThanEqual | vec%,vec% | exact any
vecB | greaterThan | vec%,vec% | exact any
vecB | greaterThanEqual | vec%,vec% | exact any
vecB | equal | vec%,vec% | exact any
vecB | notEqual | vec%,vec% | exact any
vecB | lessThan | vecI,vecI | exact any
vecB | lessThanEqual | vecI,vecI | exact any
vecB | greaterThan | vecI,vecI | exact any
vecB | greaterThanEqual | vecI,vecI | exact any
vecB | equal | vecI,vecI | exact any
vecB | notEqual | vecI,vecI | exact any
vecB | lessThan | vecU,vecU | exact any
vecB | lessThanEqual | vecU,vecU | exact any
vecB | greaterThan | vecU,vecU | exact any
vecB | greaterThanEqual | vecU,vecU | exact any
vecB | equal | vecU,vecU | exact any
vecB | notEqual | vecU,vecU | exact any
vecB | equal | vecB,vecB | exact any
vecB | notEqual | vecB,vecB | exact any
B | any | vecB | exact any
B | all | vecB | exact any
vecB | not | vecB | exact any
genI | abs | genI | exact any
genI | sign | genI | exact any
genI | min | genI,genI | exact any
genI | min | genI,I | exact any
genU | min | genU,genU | exact any
genU | min | genU,U | exact any
genI | max | genI,genI | exact any
genI | max | genI,I | exact any
genU | max | genU,genU | exact any
genU | max | genU,U | exact any
genI | clamp | genI,genI,genI | exact any
genI | clamp | genI,I,I | exact any
genU | clamp | genU,genU,genU | exact any
genU | clamp | genU,U,U | exact any
genI | mix | genI,genI,genB | exact any
genU | mix | genU,genU,genB | exact any
genB | mix | genB,genB,genB | exact any
genI | floatBitsToInt | genF | exact any
genU | floatBitsToUint | genF | exact any
genF | intBitsToFloat | genI | exact any
genF | uintBitsToFloat | genU | exact any
genI | bitfieldExtract | genI,I,I | exact any small
genU | bitfieldExtract | genU,I,I | exact any small
genI | bitfieldExtract(a, 0, 32) | genI | exact any
genI | bitfieldInsert | genI,genI,I,I | exact any any small
genU | bitfieldInsert | genU,genU,I,I | exact any any small
genU | bitfieldInsert(a, b, 0, 32) | genU,genU | exact any
genI | bitfieldReverse | genI | exact any
genU | bitfieldReverse | genU | exact any
genI | bitCount | genI | exact any
genI | bitCount | genU | exact any
genI | findLSB | genI | exact any
genI | findLSB | genU | exact any
genI | findMSB | genI | exact any
genI | findMSB | genU | exact any
genU | uaddCarry | genU,genU,out genU | exact any
genU | usubBorrow | genU,genU,out genU | exact any
V | umulExtended | genU,genU,out genU,out genU | exact any
V | imulExtended | genI,genI,out genI,out genI | exact any
U | packUnorm2x16 | F2 | fields16 unit
U | packSnorm2x16 | F2 | fields16 unit
U | packUnorm4x8 | F4 | fields8 unit
U | packSnorm4x8 | F4 | fields8 moderate
F2 | unpackUnorm2x16 | U | 16 any
F2 | unpackSnorm2x16 | U | 16 any
F4 | unpackUnorm4x8 | U | 16 any
F4 | unpackSnorm4x8 | U | 16 any
U | packHalf2x16 | F2 | exact moderate
F2 | unpackHalf2x16 | U | exact any
D | packDouble2x32 | U2 | exact any
U2 | unpackDouble2x32 | D | exact any
genF | dFdx(a * gl_FragCoord.x) | genF | exact moderate
genF | dFdy(a * gl_FragCoord.y) | genF | exact moderate
genF | fwidth(a * (gl_FragCoord.x - 1.0)) | genF | exact moderate
genF | dFdxFine(a * gl_FragCoord.x) | genF | exact moderate
genF | dFdyCoarse(a * gl_FragCoord.y) | genF | exact moderate
";
