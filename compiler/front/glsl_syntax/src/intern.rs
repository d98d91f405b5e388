//! Interned names. Words of the language come first, in the order of [`words`], so that the parser
//! compares numbers and keywords need no table.

use std::sync::LazyLock;

/// A name. Equal names of one [`Interner`] have equal symbols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The empty name.
    pub const EMPTY: Symbol = Symbol(0);

    /// The number as an index into dense tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! words {
    ($($name:ident $text:literal)*) => {
        #[allow(
            non_camel_case_types, clippy::upper_case_acronyms, dead_code,
            reason = "the variants are the words themselves"
        )]
        enum Order { EMPTY, $($name),* }

        /// Symbols of the words that every interner contains.
        pub mod words {
            use crate::intern::{Order, Symbol};
            $(#[doc = concat!("`", $text, "`")] pub const $name: Symbol = Symbol(Order::$name as u32);)*
        }

        /// Texts of the predefined words, in symbol order.
        const WORDS: &[&str] = &["", $($text),*];
    };
}

words! {
    // Qualifiers.
    CONST "const" IN "in" OUT "out" INOUT "inout" ATTRIBUTE "attribute" VARYING "varying" UNIFORM "uniform"
    BUFFER "buffer" SHARED "shared" CENTROID "centroid" SAMPLE "sample" PATCH "patch"
    SMOOTH "smooth" FLAT "flat" NOPERSPECTIVE "noperspective" EXPLICIT_INTERP "__explicitInterpAMD"
    HIGHP "highp" MEDIUMP "mediump" LOWP "lowp"
    COHERENT "coherent" VOLATILE "volatile" RESTRICT "restrict" READONLY "readonly" WRITEONLY "writeonly"
    INVARIANT "invariant" PRECISE "precise" SUBROUTINE "subroutine" LAYOUT "layout"
    PIXEL_LOCAL "__pixel_localEXT" PIXEL_LOCAL_IN "__pixel_local_inEXT" PIXEL_LOCAL_OUT "__pixel_local_outEXT"
    // Statements and declarations.
    STRUCT "struct" PRECISION "precision" IF "if" ELSE "else" SWITCH "switch" CASE "case" DEFAULT "default"
    WHILE "while" DO "do" FOR "for" RETURN "return" BREAK "break" CONTINUE "continue" DISCARD "discard"
    DEMOTE "demote" TRUE "true" FALSE "false"
    // Preprocessor.
    DEFINE "define" UNDEF "undef" IFDEF "ifdef" IFNDEF "ifndef" ELIF "elif" ENDIF "endif" ERROR "error"
    PRAGMA "pragma" EXTENSION "extension" VERSION "version" LINE "line" INCLUDE "include" DEFINED "defined"
    REQUIRE "require" ENABLE "enable" WARN "warn" DISABLE "disable" ALL "all"
    CORE "core" COMPATIBILITY "compatibility" ES "es"
    MACRO_LINE "__LINE__" MACRO_FILE "__FILE__" MACRO_VERSION "__VERSION__"
    // Reserved for later in every version, or in all versions of one language (sections 3.6).
    ASM "asm" CLASS "class" UNION "union" ENUM "enum" TYPEDEF "typedef" TEMPLATE "template" THIS "this"
    PACKED "packed" GOTO "goto" INLINE "inline" NOINLINE "noinline" PUBLIC "public" STATIC "static"
    EXTERN "extern" EXTERNAL "external" INTERFACE "interface" LONG "long" SHORT "short" HALF "half"
    FIXED "fixed" UNSIGNED "unsigned" INPUT "input" OUTPUT "output" HVEC2 "hvec2" HVEC3 "hvec3" HVEC4 "hvec4"
    FVEC2 "fvec2" FVEC3 "fvec3" FVEC4 "fvec4" SAMPLER3D_RECT "sampler3DRect" FILTER "filter" SIZEOF "sizeof"
    CAST "cast" NAMESPACE "namespace" USING "using" SUPERP "superp" COMMON "common" PARTITION "partition"
    ACTIVE "active" RESOURCE "resource" ATOMIC_UINT "atomic_uint" ROW_MAJOR "row_major"
    IMAGE1D_SHADOW "image1DShadow" IMAGE2D_SHADOW "image2DShadow"
    IMAGE1D_ARRAY_SHADOW "image1DArrayShadow" IMAGE2D_ARRAY_SHADOW "image2DArrayShadow"
    // Names that the front end compares with.
    LENGTH "length" MAIN "main" VOID "void" FLOAT "float" INT "int" UINT "uint" BOOL "bool" DOUBLE "double"
    VEC2 "vec2" VEC3 "vec3" VEC4 "vec4" IVEC2 "ivec2" IVEC3 "ivec3" IVEC4 "ivec4"
    UVEC2 "uvec2" UVEC3 "uvec3" UVEC4 "uvec4" BVEC2 "bvec2" BVEC3 "bvec3" BVEC4 "bvec4"
    DVEC2 "dvec2" DVEC3 "dvec3" DVEC4 "dvec4" MAT2 "mat2" MAT3 "mat3" MAT4 "mat4"
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    len: u32,
    hash: u32,
}

/// The table from text to [`Symbol`] and back.
#[derive(Clone, Debug)]
pub struct Interner {
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// Open addressing, linear probing; hash in the high half, symbol in the low half, 0 for a free
    /// slot.
    slots: Vec<u64>,
    /// Names that [`Self::reset`] keeps.
    sealed: usize,
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

impl Interner {
    const FIRST_SLOTS: usize = 1024;

    /// Creates an interner that contains [`words`].
    pub fn new() -> Self {
        // Copied: hashing all words again takes longer than reading many shaders.
        static FIRST: LazyLock<Interner> = LazyLock::new(Interner::with_words);
        FIRST.clone()
    }

    fn with_words() -> Self {
        let mut interner = Self {
            text: Vec::new(),
            entries: Vec::new(),
            slots: vec![0; Self::FIRST_SLOTS],
            sealed: 0,
        };
        interner.entries.push(Entry { start: 0, len: 0, hash: 0 });
        for word in &WORDS[1..] {
            interner.intern(word);
        }
        interner.seal();
        interner
    }

    /// Makes [`Self::reset`] keep the present names.
    pub fn seal(&mut self) {
        self.sealed = self.entries.len();
    }

    /// Removes all names but [`words`] and those sealed later, keeping the memory.
    pub fn reset(&mut self) {
        while self.entries.len() > self.sealed {
            self.forget_last();
        }
    }

    /// Removes the newest name. With linear probing the newest name is always the last of its probe
    /// sequence that may be removed without moving others.
    fn forget_last(&mut self) {
        let symbol = self.entries.len() as u64 - 1;
        let Some(entry) = self.entries.pop() else { return };
        self.text.truncate(entry.start as usize);
        let mask = self.slots.len() - 1;
        let key = u64::from(entry.hash) << 32 | symbol;
        let mut slot = entry.hash as usize & mask;
        while self.slots[slot] != key {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = 0;
    }

    /// The symbol of `text`, made if new.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.intern_bytes(text.as_bytes())
    }

    /// As [`Self::intern`]; bytes that are not UTF-8 are kept and printed with replacement
    /// characters.
    pub fn intern_bytes(&mut self, bytes: &[u8]) -> Symbol {
        if bytes.is_empty() {
            return Symbol::EMPTY;
        }
        self.intern_hashed(bytes, hash(bytes))
    }

    #[inline]
    fn intern_hashed(&mut self, bytes: &[u8], hash: u32) -> Symbol {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let value = self.slots[slot];
            if value == 0 {
                break;
            }
            if (value >> 32) as u32 == hash && self.bytes(Symbol(value as u32)) == bytes {
                return Symbol(value as u32);
            }
            slot = (slot + 1) & mask;
        }
        let symbol = self.entries.len() as u32;
        self.entries.push(Entry { start: self.text.len() as u32, len: bytes.len() as u32, hash });
        self.text.extend_from_slice(bytes);
        self.slots[slot] = u64::from(hash) << 32 | u64::from(symbol);
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        Symbol(symbol)
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, 0);
        for (symbol, entry) in self.entries.iter().enumerate().skip(1) {
            let mut slot = entry.hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = u64::from(entry.hash) << 32 | symbol as u64;
        }
    }

    /// The symbol of `text` if it has one.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        let bytes = text.as_bytes();
        if bytes.is_empty() {
            return Some(Symbol::EMPTY);
        }
        let (hash, mask) = (hash(bytes), self.slots.len() - 1);
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let symbol = Symbol(self.slots[slot] as u32);
            if (self.slots[slot] >> 32) as u32 == hash && self.bytes(symbol) == bytes {
                return Some(symbol);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    #[inline]
    fn bytes(&self, symbol: Symbol) -> &[u8] {
        match self.entries.get(symbol.index()) {
            Some(entry) => &self.text[entry.start as usize..(entry.start + entry.len) as usize],
            None => &[],
        }
    }

    /// The text of a symbol; empty for a symbol of another interner that is out of range here.
    pub fn text(&self, symbol: Symbol) -> &str {
        // Names are ASCII unless the source is not; the lexer reports those before they are
        // printed.
        std::str::from_utf8(self.bytes(symbol)).unwrap_or("\u{fffd}")
    }

    /// Number of symbols.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Always false: the predefined words are always present.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// FxHash's multiply-rotate over eight bytes at a time. Never 0 in effect: free slots are 0 as a
/// whole and symbols in the table start at 1.
#[inline]
fn hash(bytes: &[u8]) -> u32 {
    const K: u64 = 0x517c_c1b7_2722_0a95;
    let mut h = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        h = (h.rotate_left(5) ^ word).wrapping_mul(K);
    }
    let rest = chunks.remainder();
    let mut word = 0;
    for &byte in rest {
        word = word << 8 | u64::from(byte);
    }
    h = (h.rotate_left(5) ^ word).wrapping_mul(K);
    (h >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_come_first_and_survive_reset() {
        let mut interner = Interner::new();
        assert_eq!(interner.intern("const"), words::CONST);
        assert_eq!(interner.intern("mat4"), words::MAT4);
        let names: Vec<String> = (0..5000).map(|i| format!("name{i}")).collect();
        let symbols: Vec<Symbol> = names.iter().map(|n| interner.intern(n)).collect();
        for (name, &symbol) in names.iter().zip(&symbols) {
            assert_eq!(interner.get(name), Some(symbol));
            assert_eq!(interner.text(symbol), name);
        }
        interner.reset();
        assert_eq!(interner.get("name17"), None);
        assert_eq!(interner.get("const"), Some(words::CONST));
        assert_eq!(interner.len(), WORDS.len());
        assert_eq!(interner.intern("other").index(), WORDS.len());
    }
}
