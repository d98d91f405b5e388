//! Record of the capabilities that parsing consults: versions, and extensions that a text mentions.
//! The checker consults capabilities through their methods, which record themselves.

use program::{Api, Capabilities};

use glsl_syntax::ast::TranslationUnit;

/// Extensions by which a desktop context accepts an ES language, and its newest version.
const ES_COMPATIBILITY: [(&str, u16); 4] = [
    ("GL_ARB_ES3_2_compatibility", 320),
    ("GL_ARB_ES3_1_compatibility", 310),
    ("GL_ARB_ES3_compatibility", 300),
    ("GL_ARB_ES2_compatibility", 100),
];

/// Returns the newest versions of the desktop and of the ES language that `#version` may request; 0
/// for none. Leaves no record: see [`record`].
pub(crate) fn newest_versions(capabilities: &Capabilities) -> (u16, u16) {
    let table = capabilities.table();
    let version = table.glsl_version as u16;
    let exported = |&&(name, _): &&(&str, u16)| table.extensions.contains(name);
    match table.api {
        Api::Es => (0, version),
        Api::Core | Api::Compatibility => {
            (version, ES_COMPATIBILITY.iter().find(exported).map_or(0, |&(_, version)| version))
        }
    }
}

/// Records the capabilities that the parsing of a shader consulted. `unit` is the result, unless
/// there are errors.
pub(crate) fn record<Text: AsRef<[u8]>>(
    capabilities: &Capabilities,
    sources: &[Text],
    unit: Option<&TranslationUnit>,
) {
    let Some(unit) = unit else { return capabilities.consult_all() };
    if unit.version.es && capabilities.api() != Api::Es {
        for (name, _) in ES_COMPATIBILITY {
            capabilities.has(name);
        }
    } else {
        capabilities.glsl_at_least(unit.version.number.into());
    }
    sources.iter().for_each(|text| mentions(capabilities, text.as_ref()));
}

/// Records the extensions that a text mentions: each is a macro, and `#extension` looks it up.
/// Texts that assemble words consult the whole table.
pub fn mentions(capabilities: &Capabilities, text: &[u8]) {
    if assembles_words(text) {
        return capabilities.consult_all();
    }
    for start in memchr::memmem::find_iter(text, b"GL_") {
        let word = &text[start..];
        let length = word.iter().take_while(|&&byte| is_of_word(byte)).count();
        if let (false, Ok(name)) =
            (start > 0 && is_of_word(text[start - 1]), std::str::from_utf8(&word[..length]))
        {
            capabilities.has(name);
        }
    }
}

/// Returns true if a text may have words that it does not spell: by `##`, or by a line that
/// continues within a word.
fn assembles_words(text: &[u8]) -> bool {
    let ends_line = |at: usize| matches!(text.get(at + 1), Some(b'\r' | b'\n'));
    let continues_word = |at: usize| ends_line(at) && at > 0 && is_of_word(text[at - 1]);
    memchr::memmem::find(text, b"##").is_some()
        || memchr::memchr_iter(b'\\', text).any(continues_word)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
