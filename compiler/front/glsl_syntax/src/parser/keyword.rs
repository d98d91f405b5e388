//! Keywords and reserved words of a shader, which depend on its version and its extensions.

use crate::ast::{Behavior, TranslationUnit};
use crate::extension;
use crate::intern::{Symbol, words::*};

/// Class of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Class {
    /// A name like any other.
    #[default]
    Free,
    /// A name here, a keyword in later versions or with extensions.
    Later,
    /// A keyword.
    Keyword,
    /// Neither keyword nor usable as a name.
    Reserved,
    /// A built-in type: usable, but not declarable.
    Type,
}

/// A version that no shader reaches.
const NEVER: u16 = u16::MAX;

struct Word {
    word: Symbol,
    class: Class,
    /// First desktop version in which the word has the class.
    desktop: u16,
    /// First ES version.
    es: u16,
    /// Extensions that assign the class earlier.
    extensions: &'static [&'static str],
}

const fn always(word: Symbol) -> Word {
    Word { word, class: Class::Keyword, desktop: 0, es: 0, extensions: &[] }
}

const fn from(word: Symbol, desktop: u16, es: u16, extensions: &'static [&'static str]) -> Word {
    Word { word, class: Class::Keyword, desktop, es, extensions }
}

const fn reserved(word: Symbol, desktop: u16, es: u16) -> Word {
    Word { word, class: Class::Reserved, desktop, es, extensions: &[] }
}

const fn free(word: Symbol, desktop: u16, es: u16, extensions: &'static [&'static str]) -> Word {
    Word { word, class: Class::Free, desktop, es, extensions }
}

const fn ty(word: Symbol, desktop: u16, es: u16) -> Word {
    Word { word, class: Class::Type, desktop, es, extensions: &[] }
}

const GPU_SHADER4: &[&str] = &["GL_EXT_gpu_shader4"];
const GPU_SHADER5: &[&str] =
    &["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5", "GL_NV_gpu_shader5"];
const SAMPLE_EXTENSIONS: &[&str] =
    &["GL_ARB_gpu_shader5", "GL_OES_shader_multisample_interpolation", "GL_NV_gpu_shader5"];
const TESSELLATION: &[&str] =
    &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"];
const STORAGE: &[&str] = &["GL_ARB_shader_storage_buffer_object"];
const MEMORY: &[&str] = &[
    "GL_ARB_shader_image_load_store",
    "GL_EXT_shader_image_load_store",
    "GL_ARB_shader_storage_buffer_object",
];
const LAYOUT_EXTENSIONS: &[&str] = &[
    "GL_AMD_conservative_depth",
    "GL_ARB_conservative_depth",
    "GL_ARB_bindless_texture",
    "GL_ARB_compute_shader",
    "GL_ARB_enhanced_layouts",
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_explicit_uniform_location",
    "GL_ARB_fragment_coord_conventions",
    "GL_ARB_gpu_shader5",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_shader_atomic_counters",
    "GL_ARB_shader_image_load_store",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_shader_subroutine",
    "GL_ARB_shading_language_420pack",
    "GL_ARB_tessellation_shader",
    "GL_ARB_uniform_buffer_object",
    "GL_EXT_blend_func_extended",
    "GL_EXT_separate_shader_objects",
    "GL_EXT_shader_framebuffer_fetch",
    "GL_EXT_shader_framebuffer_fetch_non_coherent",
    "GL_EXT_shader_image_load_store",
    "GL_EXT_shader_io_blocks",
    "GL_OES_shader_io_blocks",
];
const PIXEL_LOCAL_STORAGE: &[&str] = &["GL_EXT_shader_pixel_local_storage"];

/// GLSL 1.10 … 4.60 and GLSL ES 1.00 … 3.20, sections on keywords. Of two entries for a word, the
/// later one that holds wins.
static WORDS: &[Word] = &[
    always(CONST),
    always(IN),
    always(OUT),
    always(INOUT),
    always(UNIFORM),
    always(ATTRIBUTE),
    always(VARYING),
    always(STRUCT),
    always(IF),
    always(ELSE),
    always(WHILE),
    always(DO),
    always(FOR),
    always(RETURN),
    always(BREAK),
    always(CONTINUE),
    always(DISCARD),
    always(TRUE),
    always(FALSE),
    // Reserved before they had a meaning.
    reserved(SWITCH, 110, 100),
    reserved(DEFAULT, 110, 100),
    reserved(VOLATILE, 110, 100),
    reserved(FLAT, NEVER, 100),
    reserved(HIGHP, 120, 100),
    reserved(MEDIUMP, 120, 100),
    reserved(LOWP, 120, 100),
    reserved(PRECISION, 120, 100),
    reserved(COHERENT, NEVER, 300),
    reserved(RESTRICT, NEVER, 300),
    reserved(READONLY, NEVER, 300),
    reserved(WRITEONLY, NEVER, 300),
    reserved(NOPERSPECTIVE, NEVER, 300),
    reserved(PATCH, NEVER, 300),
    reserved(SAMPLE, NEVER, 300),
    reserved(SUBROUTINE, NEVER, 300),
    // A name again where it is a layout qualifier.
    reserved(PACKED, 110, 100),
    free(PACKED, 140, 300, &["GL_ARB_uniform_buffer_object"]),
    reserved(ROW_MAJOR, 130, NEVER),
    free(ROW_MAJOR, 140, NEVER, &["GL_ARB_uniform_buffer_object"]),
    // Reserved until images came without them; GLSL ES never reserves them.
    reserved(IMAGE1D_SHADOW, 130, NEVER),
    free(IMAGE1D_SHADOW, 420, NEVER, &[]),
    reserved(IMAGE2D_SHADOW, 130, NEVER),
    free(IMAGE2D_SHADOW, 420, NEVER, &[]),
    reserved(IMAGE1D_ARRAY_SHADOW, 130, NEVER),
    free(IMAGE1D_ARRAY_SHADOW, 420, NEVER, &[]),
    reserved(IMAGE2D_ARRAY_SHADOW, 130, NEVER),
    free(IMAGE2D_ARRAY_SHADOW, 420, NEVER, &[]),
    from(SWITCH, 130, 300, GPU_SHADER4),
    from(DEFAULT, 130, 300, GPU_SHADER4),
    from(CASE, 130, 300, GPU_SHADER4),
    from(CENTROID, 120, 300, GPU_SHADER4),
    from(INVARIANT, 120, 100, &[]),
    from(FLAT, 130, 300, GPU_SHADER4),
    from(SMOOTH, 130, 300, GPU_SHADER4),
    from(
        NOPERSPECTIVE,
        130,
        NEVER,
        &["GL_EXT_gpu_shader4", "GL_NV_shader_noperspective_interpolation"],
    ),
    from(EXPLICIT_INTERP, NEVER, NEVER, &["GL_AMD_shader_explicit_vertex_parameter"]),
    from(HIGHP, 130, 100, &[]),
    from(MEDIUMP, 130, 100, &[]),
    from(LOWP, 130, 100, &[]),
    from(PRECISION, 130, 100, &[]),
    from(LAYOUT, 140, 300, LAYOUT_EXTENSIONS),
    from(SAMPLE, 400, 320, SAMPLE_EXTENSIONS),
    from(PATCH, 400, 320, TESSELLATION),
    from(PRECISE, 400, 320, GPU_SHADER5),
    from(SUBROUTINE, 400, NEVER, &["GL_ARB_shader_subroutine"]),
    from(BUFFER, 430, 310, STORAGE),
    from(SHARED, 430, 310, &["GL_ARB_compute_shader"]),
    from(COHERENT, 420, 310, MEMORY),
    from(VOLATILE, 420, 310, MEMORY),
    from(RESTRICT, 420, 310, MEMORY),
    from(READONLY, 420, 310, MEMORY),
    from(WRITEONLY, 420, 310, MEMORY),
    from(DEMOTE, NEVER, NEVER, &["GL_EXT_demote_to_helper_invocation"]),
    from(PIXEL_LOCAL, NEVER, NEVER, PIXEL_LOCAL_STORAGE),
    from(PIXEL_LOCAL_IN, NEVER, NEVER, PIXEL_LOCAL_STORAGE),
    from(PIXEL_LOCAL_OUT, NEVER, NEVER, PIXEL_LOCAL_STORAGE),
    reserved(ASM, 110, 100),
    reserved(CLASS, 110, 100),
    reserved(UNION, 110, 100),
    reserved(ENUM, 110, 100),
    reserved(TYPEDEF, 110, 100),
    reserved(TEMPLATE, 110, 100),
    reserved(THIS, 110, 100),
    reserved(GOTO, 110, 100),
    reserved(INLINE, 110, 100),
    reserved(NOINLINE, 110, 100),
    reserved(PUBLIC, 110, 100),
    reserved(STATIC, 110, 100),
    reserved(EXTERN, 110, 100),
    reserved(EXTERNAL, 110, 100),
    reserved(INTERFACE, 110, 100),
    reserved(LONG, 110, 100),
    reserved(SHORT, 110, 100),
    reserved(HALF, 110, 100),
    reserved(FIXED, 110, 100),
    reserved(UNSIGNED, 110, 100),
    reserved(INPUT, 110, 100),
    reserved(OUTPUT, 110, 100),
    reserved(HVEC2, 110, 100),
    reserved(HVEC3, 110, 100),
    reserved(HVEC4, 110, 100),
    reserved(FVEC2, 110, 100),
    reserved(FVEC3, 110, 100),
    reserved(FVEC4, 110, 100),
    reserved(SAMPLER3D_RECT, 110, 100),
    reserved(SIZEOF, 110, 100),
    reserved(CAST, 110, 100),
    reserved(NAMESPACE, 110, 100),
    reserved(USING, 110, 100),
    reserved(SUPERP, 130, 100),
    reserved(FILTER, 130, 300),
    reserved(COMMON, 130, 300),
    reserved(PARTITION, 130, 300),
    reserved(ACTIVE, 130, 300),
    reserved(RESOURCE, 420, 300),
    ty(VOID, 110, 100),
    ty(FLOAT, 110, 100),
    ty(INT, 110, 100),
    ty(BOOL, 110, 100),
    ty(VEC2, 110, 100),
    ty(VEC3, 110, 100),
    ty(VEC4, 110, 100),
    ty(IVEC2, 110, 100),
    ty(IVEC3, 110, 100),
    ty(IVEC4, 110, 100),
    ty(BVEC2, 110, 100),
    ty(BVEC3, 110, 100),
    ty(BVEC4, 110, 100),
    ty(MAT2, 110, 100),
    ty(MAT3, 110, 100),
    ty(MAT4, 110, 100),
    ty(UINT, 130, 300),
    ty(UVEC2, 130, 300),
    ty(UVEC3, 130, 300),
    ty(UVEC4, 130, 300),
    ty(DOUBLE, 110, 100),
    ty(DVEC2, 110, 100),
    ty(DVEC3, 110, 100),
    ty(DVEC4, 110, 100),
];

/// Literal suffixes that may be used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Suffixes {
    pub uint: bool,
    /// `f`; GLSL 1.10 does not have it, but piglit's tests for GLSL 1.10 use it.
    pub float: bool,
    pub double: bool,
    pub int64: bool,
    pub int16: bool,
    pub half: bool,
}

const INT64: &[&str] = &[
    "GL_ARB_gpu_shader_int64",
    "GL_AMD_gpu_shader_int64",
    "GL_NV_gpu_shader5",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
    "GL_EXT_shader_explicit_arithmetic_types",
];
const INT16: &[&str] = &[
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_16bit_storage",
];
const HALF_FLOAT: &[&str] = &[
    "GL_AMD_gpu_shader_half_float",
    "GL_NV_gpu_shader5",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_16bit_storage",
];

/// The words' classes in one shader.
#[derive(Debug, Default)]
pub(super) struct Keywords {
    classes: Vec<Class>,
    /// `unsigned int` means `uint`.
    pub unsigned_int: bool,
    pub suffixes: Suffixes,
}

impl Keywords {
    /// Classifies all words for a shader whose directives have been executed.
    pub(super) fn set_up(&mut self, unit: &TranslationUnit) {
        let version = unit.version;
        let enabled = unit.extensions.iter().filter(|e| e.behavior != Behavior::Disable);
        let enabled: Vec<&str> =
            enabled.flat_map(|e| extension::enabled_by(unit.interner.text(e.name))).collect();
        let on = |list: &[&str]| list.iter().any(|name| enabled.contains(name));
        self.classes.clear();
        self.classes
            .resize(WORDS.iter().map(|w| w.word.index() + 1).max().unwrap_or(0), Class::Free);
        for word in WORDS {
            let first = if version.es { word.es } else { word.desktop };
            let class = match word.class {
                class if version.number >= first || on(word.extensions) => class,
                Class::Keyword if self.class(word.word) == Class::Free => Class::Later,
                _ => continue,
            };
            if let Some(slot) = self.classes.get_mut(word.word.index()) {
                *slot = class;
            }
        }
        self.unsigned_int = on(GPU_SHADER4);
        self.suffixes = Suffixes {
            uint: version.at_least(Some(130), Some(300)) || on(GPU_SHADER4),
            float: version.at_least(Some(110), Some(300)),
            double: version.at_least(Some(400), None)
                || on(&["GL_ARB_gpu_shader_fp64", "GL_NV_gpu_shader5"]),
            int64: on(INT64),
            int16: on(INT16),
            half: on(HALF_FLOAT),
        };
    }

    #[inline]
    fn class(&self, word: Symbol) -> Class {
        self.classes.get(word.index()).copied().unwrap_or_default()
    }

    /// A keyword in this shader.
    #[inline]
    pub(super) fn is_keyword(&self, word: Symbol) -> bool {
        self.class(word) == Class::Keyword
    }

    /// A name that may be declared.
    #[inline]
    pub(super) fn is_free(&self, word: Symbol) -> bool {
        matches!(self.class(word), Class::Free | Class::Later)
    }

    /// A built-in type.
    #[inline]
    pub(super) fn is_type(&self, word: Symbol) -> bool {
        self.class(word) == Class::Type
    }

    /// A name that may be used: declared somewhere, or a built-in type.
    #[inline]
    pub(super) fn is_usable(&self, word: Symbol) -> bool {
        matches!(self.class(word), Class::Free | Class::Later | Class::Type)
    }

    /// A name here that is a keyword elsewhere.
    pub(super) fn is_later(&self, word: Symbol) -> bool {
        self.class(word) == Class::Later
    }
}
