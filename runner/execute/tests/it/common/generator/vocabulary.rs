//! Parts of random programs: types, uniforms, a structure, guards, literals.
//!
//! Letters stand for component types: `F` float, `D` double, `H` float16_t, `I` int, `U` uint, `S`
//! int16_t, `T` uint16_t, `B` bool.

/// The types that a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Vocabulary {
    /// 32 and 64 bits.
    Wide,
    /// Mostly 16 bits, and those.
    Narrow,
}

/// A uniform: name, letter, columns, rows, array length (0: none).
pub(super) type Uniform = (&'static str, char, usize, usize, usize);

/// A member of the structure: name, letter, components, array length.
pub(super) type Member = (&'static str, char, usize, Option<usize>);

const WIDE_UNIFORMS: &[Uniform] = &[
    ("uf", 'F', 1, 4, 0),
    ("ui", 'I', 1, 4, 0),
    ("uu", 'U', 1, 3, 0),
    ("ud", 'D', 1, 3, 0),
    ("ub", 'B', 1, 2, 0),
    ("um", 'F', 3, 2, 0),
    ("un", 'D', 2, 2, 0),
    ("ua", 'F', 1, 1, 5),
    ("uk", 'I', 1, 2, 4),
    ("ue", 'D', 1, 1, 3),
];

const NARROW_UNIFORMS: &[Uniform] = &[
    ("uh", 'H', 1, 4, 0),
    ("us", 'S', 1, 3, 0),
    ("ut", 'T', 1, 2, 0),
    ("um", 'H', 3, 2, 0),
    ("ua", 'H', 1, 1, 5),
    ("uk", 'S', 1, 2, 4),
    ("uf", 'F', 1, 3, 0),
    ("ui", 'I', 1, 2, 0),
    ("uu", 'U', 1, 1, 0),
    ("ud", 'D', 1, 2, 0),
    ("ub", 'B', 1, 2, 0),
];

/// Guards for operations whose operands GLSL restricts.
const WIDE_HELPERS: &str = "\
int quotient(int a, int b) { return b == 0 || b == -1 ? a : a / b; }
int remainder(int a, int b) { return (a & 0x7fffffff) % ((b & 0xff) + 1); }
uint quotient(uint a, uint b) { return b == 0u ? a : a / b; }
uint remainder(uint a, uint b) { return b == 0u ? a : a % b; }
int whole(float x) { return abs(x) < 1e6 ? int(x) : 7; }
int whole(double x) { return abs(x) < 1e6LF ? int(x) : 9; }
uint natural(float x) { return x >= 0.0 && x < 1e6 ? uint(x) : 5u; }
uint natural(double x) { return x >= 0.0LF && x < 1e6LF ? uint(x) : 3u; }
float tame(float x) { return abs(x) < 1000.0 ? x : 0.5; }
double tame(double x) { return abs(x) < 1000.0LF ? x : 0.5LF; }
bool bump(inout int x) { x += 3; return (x & 1) != 0; }
bool bump(inout uint x) { x ^= 5u; return x > 7u; }
bool bump(inout float x) { x += 0.25; return x > 1.0; }
bool bump(inout double x) { x -= 0.25LF; return x < 1.0LF; }
bool bump(inout bool x) { x = !x; return x; }
";

/// The same for 16-bit types.
const NARROW_HELPERS: &str = "\
int16_t quotient(int16_t a, int16_t b) { return b == 0s || b == -1s ? a : a / b; }
int16_t remainder(int16_t a, int16_t b) { return (a & 0x7fffs) % ((b & 0xffs) + 1s); }
uint16_t quotient(uint16_t a, uint16_t b) { return b == 0us ? a : a / b; }
uint16_t remainder(uint16_t a, uint16_t b) { return b == 0us ? a : a % b; }
int whole(float16_t x) { return abs(x) < 60000.0hf ? int(x) : 4; }
uint natural(float16_t x) { return x >= 0.0hf && x < 60000.0hf ? uint(x) : 6u; }
int16_t short_whole(float x) { return abs(x) < 30000.0 ? int16_t(x) : 7s; }
int16_t short_whole(double x) { return abs(x) < 30000.0LF ? int16_t(x) : 9s; }
int16_t short_whole(float16_t x) { return abs(x) < 30000.0hf ? int16_t(x) : 4s; }
uint16_t short_natural(float x) { return x >= 0.0 && x < 60000.0 ? uint16_t(x) : 5us; }
uint16_t short_natural(double x) { return x >= 0.0LF && x < 60000.0LF ? uint16_t(x) : 3us; }
uint16_t short_natural(float16_t x) { return x >= 0.0hf && x < 60000.0hf ? uint16_t(x) : 6us; }
float16_t tame(float16_t x) { return abs(x) < 1000.0hf ? x : 0.5hf; }
bool bump(inout int16_t x) { x += 3s; return (x & 1s) != 0s; }
bool bump(inout uint16_t x) { x ^= 5us; return x > 7us; }
bool bump(inout float16_t x) { x += 0.25hf; return x > 1.0hf; }
";

const WIDE_MEMBERS: &[Member] = &[
    ("f", 'F', 1, None),
    ("d", 'D', 2, None),
    ("i", 'I', 1, None),
    ("v", 'F', 3, Some(2)),
    ("b", 'B', 1, None),
    ("u", 'U', 1, None),
];

const NARROW_MEMBERS: &[Member] = &[
    ("f", 'H', 1, None),
    ("d", 'D', 2, None),
    ("i", 'S', 1, None),
    ("v", 'H', 3, Some(2)),
    ("b", 'B', 1, None),
    ("u", 'T', 1, None),
    ("w", 'F', 1, None),
];

impl Vocabulary {
    /// Version and extensions.
    pub(crate) fn preamble(self) -> &'static str {
        match self {
            Vocabulary::Wide => "#version 460\n",
            Vocabulary::Narrow => {
                "#version 460\n#extension GL_AMD_gpu_shader_half_float : enable\n#extension GL_AMD_gpu_shader_int16 : enable\n"
            }
        }
    }

    /// Uniforms of every program.
    pub(crate) fn uniforms(self) -> &'static [Uniform] {
        match self {
            Vocabulary::Wide => WIDE_UNIFORMS,
            Vocabulary::Narrow => NARROW_UNIFORMS,
        }
    }

    /// Functions that every program has.
    pub(crate) fn helpers(self) -> String {
        match self {
            Vocabulary::Wide => WIDE_HELPERS.to_string(),
            Vocabulary::Narrow => format!("{WIDE_HELPERS}{NARROW_HELPERS}"),
        }
    }

    /// Members of the structure.
    pub(crate) fn members(self) -> &'static [Member] {
        match self {
            Vocabulary::Wide => WIDE_MEMBERS,
            Vocabulary::Narrow => NARROW_MEMBERS,
        }
    }

    /// Letters of variables.
    pub(crate) fn scalars(self) -> &'static [char] {
        match self {
            Vocabulary::Wide => &['F', 'F', 'D', 'D', 'I', 'I', 'U', 'B'],
            Vocabulary::Narrow => &['H', 'H', 'H', 'S', 'S', 'T', 'T', 'F', 'D', 'I', 'U', 'B'],
        }
    }

    /// Letters of what is stepped by `bump`.
    pub(crate) fn stepped(self) -> &'static [char] {
        match self {
            Vocabulary::Wide => &['I', 'U', 'F', 'D'],
            Vocabulary::Narrow => &['S', 'T', 'H', 'I', 'F'],
        }
    }

    /// Letters of what is compared.
    pub(crate) fn compared(self) -> &'static [char] {
        match self {
            Vocabulary::Wide => &['F', 'D', 'I', 'U'],
            Vocabulary::Narrow => &['H', 'S', 'T', 'H', 'S', 'F', 'D', 'I', 'U'],
        }
    }

    /// Letters of integers and booleans, which convert to anything.
    pub(crate) fn countable(self) -> &'static [char] {
        match self {
            Vocabulary::Wide => &['I', 'U', 'B'],
            Vocabulary::Narrow => &['I', 'U', 'B', 'S', 'T'],
        }
    }

    /// Letters of floating-point types, to convert to integers.
    pub(crate) fn reals(self) -> &'static [char] {
        match self {
            Vocabulary::Wide => &['F', 'D'],
            Vocabulary::Narrow => &['F', 'D', 'H', 'H'],
        }
    }

    /// Letters of the other floating-point types.
    pub(crate) fn other_reals(self, letter: char) -> &'static [char] {
        match (self, letter) {
            (_, 'H') => &['F', 'D'],
            (Vocabulary::Wide, 'F') => &['D'],
            (Vocabulary::Wide, _) => &['F'],
            (Vocabulary::Narrow, 'F') => &['D', 'H', 'H'],
            (Vocabulary::Narrow, _) => &['F', 'H', 'H'],
        }
    }
}

/// Returns true for the letter of a floating-point type.
pub(super) fn is_real(letter: char) -> bool {
    matches!(letter, 'F' | 'D' | 'H')
}

/// Suffix of a literal with a decimal point, or of an integer.
pub(super) fn suffix(letter: char) -> &'static str {
    match letter {
        'D' => "LF",
        'H' => "hf",
        'U' => "u",
        'S' => "s",
        'T' => "us",
        _ => "",
    }
}

/// Bits of an integer type.
pub(super) fn width(letter: char) -> usize {
    if matches!(letter, 'S' | 'T') { 16 } else { 32 }
}

/// Literals of a component type.
pub(super) fn literals(letter: char) -> &'static [&'static str] {
    match letter {
        'F' => &["0.0", "1.0", "-1.0", "0.5", "2.0", "3.25", "-0.75", "100.0"],
        'D' => &["0.0LF", "1.0LF", "-1.0LF", "0.5LF", "2.0LF", "0.1LF", "-0.3LF", "1e10LF"],
        'H' => &[
            "0.0hf",
            "1.0hf",
            "-1.0hf",
            "0.5hf",
            "2.0hf",
            "0.1hf",
            "-3.25hf",
            "65504.0hf",
            "6.1e-5hf",
            "6e-8hf",
        ],
        'I' => &["0", "1", "-1", "2", "3", "7", "100", "0x7fffffff", "-12345"],
        'U' => &["0u", "1u", "2u", "5u", "255u", "0xffffffffu", "0x80000000u"],
        'S' => &["0s", "1s", "-1s", "2s", "7s", "100s", "0x7fffs", "-12345s"],
        'T' => &["0us", "1us", "2us", "5us", "255us", "0xffffus", "0x8000us"],
        _ => &["true", "false"],
    }
}
