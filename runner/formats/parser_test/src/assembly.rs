//! Assembly programs that are loaded alone.

use std::path::Path;

use script::{ContextFacts, ContextRequest};

use crate::error::ParseError;
use crate::shader::Verdict;

/// Comment of a program that must not load.
const FAILS: &[u8] = b"# FAIL";
/// Comment that names an extension.
const REQUIRES: &[u8] = b"# REQUIRE ";

/// Target of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssemblyTarget {
    /// ARB_vertex_program.
    ArbVertex,
    /// ARB_fragment_program.
    ArbFragment,
    /// NV_vertex_program.
    NvVertex,
    /// NV_fragment_program.
    NvFragment,
}

impl AssemblyTarget {
    /// Every target.
    const ALL: [AssemblyTarget; 4] = [
        AssemblyTarget::ArbVertex,
        AssemblyTarget::ArbFragment,
        AssemblyTarget::NvVertex,
        AssemblyTarget::NvFragment,
    ];

    /// Returns the name of folders with programs of the target.
    fn folder(self) -> &'static str {
        match self {
            AssemblyTarget::ArbVertex => "ARBvp1.0",
            AssemblyTarget::ArbFragment => "ARBfp1.0",
            AssemblyTarget::NvVertex => "NVvp1.0",
            AssemblyTarget::NvFragment => "NVfp1.0",
        }
    }

    /// Returns the first word of a program.
    fn header(self) -> &'static [u8] {
        match self {
            AssemblyTarget::ArbVertex => b"!!ARBvp1.0",
            AssemblyTarget::ArbFragment => b"!!ARBfp1.0",
            AssemblyTarget::NvVertex => b"!!VP1.0",
            AssemblyTarget::NvFragment => b"!!FP1.0",
        }
    }

    /// Returns the extension that has the target.
    pub fn extension(self) -> &'static str {
        match self {
            AssemblyTarget::ArbVertex => "GL_ARB_vertex_program",
            AssemblyTarget::ArbFragment => "GL_ARB_fragment_program",
            AssemblyTarget::NvVertex => "GL_NV_vertex_program",
            AssemblyTarget::NvFragment => "GL_NV_fragment_program",
        }
    }

    /// Returns the target of a file: by the name of its folder, as piglit does, or else by the
    /// first word of the text.
    fn of(path: &Path, text: &[u8]) -> Option<AssemblyTarget> {
        let folder = path.parent().and_then(Path::file_name);
        let named =
            AssemblyTarget::ALL.into_iter().find(|t| folder.is_some_and(|f| f == t.folder()));
        let text = text.trim_ascii_start();
        named.or_else(|| AssemblyTarget::ALL.into_iter().find(|t| text.starts_with(t.header())))
    }
}

/// An assembly program and what a driver must say to it.
#[derive(Debug)]
pub struct AssemblyTest<'a> {
    /// The target.
    pub target: AssemblyTarget,
    /// The text.
    pub source: &'a [u8],
    /// The expected answer.
    pub expected: Verdict,
    /// Extensions that the context must have.
    pub extensions: Vec<&'a str>,
}

impl<'a> AssemblyTest<'a> {
    /// Returns true if a file is a program: its folder or the first word of the text says so.
    pub fn is_one(path: &Path, text: &[u8]) -> bool {
        AssemblyTarget::of(path, text).is_some()
    }

    /// Parses a file.
    ///
    /// # Errors
    /// Fails if the target cannot be told.
    pub fn parse(path: &Path, text: &'a [u8]) -> Result<AssemblyTest<'a>, ParseError> {
        let Some(target) = AssemblyTarget::of(path, text) else {
            let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let message = "the first line of an assembly program is `!!ARBvp1.0` or `!!ARBfp1.0`";
            return Err(ParseError::new(text, first, message));
        };
        let fails = memchr::memmem::find(text, FAILS).is_some();
        let names = memchr::memmem::find_iter(text, REQUIRES).map(|at| {
            let rest = &text[at + REQUIRES.len()..];
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            std::str::from_utf8(&rest[..end]).unwrap_or_default()
        });
        Ok(AssemblyTest {
            target,
            source: text,
            expected: if fails { Verdict::Refuse } else { Verdict::Accept },
            extensions: names.collect(),
        })
    }

    /// Returns the context to create.
    pub fn context(&self) -> ContextRequest {
        ContextRequest::AnyCompatibility
    }

    /// Checks the requirements.
    ///
    /// # Errors
    /// Describes the first one that a context does not meet.
    pub fn check_requirements(&self, context: &ContextFacts<'_>) -> Result<(), String> {
        let mut all =
            std::iter::once(self.target.extension()).chain(self.extensions.iter().copied());
        match all.find(|extension| !context.extensions.contains(*extension)) {
            Some(extension) => Err(format!("needs {extension}")),
            None => Ok(()),
        }
    }

    /// Returns the text with lines that end in LF, then with lines that end in CR LF: the answer to
    /// both must be the same.
    pub fn line_ends(&self) -> [Vec<u8>; 2] {
        let mut unix = Vec::with_capacity(self.source.len());
        let mut bytes = self.source.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            if byte != b'\r' || bytes.peek() != Some(&b'\n') {
                unix.push(byte);
            }
        }
        let mut dos = Vec::with_capacity(unix.len() + unix.len() / 16);
        for &byte in &unix {
            if byte == b'\n' {
                dos.push(b'\r');
            }
            dos.push(byte);
        }
        [unix, dos]
    }

    /// Returns the words after `# FAIL`, which say what is wrong.
    pub fn rule(&self) -> Option<String> {
        let at = memchr::memmem::find(self.source, FAILS)?;
        let rest = self.source[at + FAILS.len()..].split(|&byte| byte == b'\n').next()?;
        let words = String::from_utf8_lossy(rest);
        let words = words.trim_start_matches([' ', '-', ':', '\t']).trim();
        (!words.is_empty()).then(|| words.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn marks() {
        let text = b"!!ARBvp1.0\n# FAIL - no swizzle\n# REQUIRE GL_A_b\n# REQUIRE GL_C\r\nEND\n";
        let test = AssemblyTest::parse(Path::new("a.txt"), text).unwrap();
        assert_eq!(test.target, AssemblyTarget::ArbVertex);
        assert_eq!(test.expected, Verdict::Refuse);
        assert_eq!(test.extensions, ["GL_A_b", "GL_C"]);
        assert_eq!(test.rule().as_deref(), Some("no swizzle"));
    }

    #[test]
    fn folders_before_headers() {
        let of = |path, text| AssemblyTarget::of(Path::new(path), text);
        let header = b"!!ARBfp1.0\nEND";
        assert_eq!(of("shaders/ARBvp1.0/a.txt", header), Some(AssemblyTarget::ArbVertex));
        assert_eq!(of("NVvp1.0/a.txt", b""), Some(AssemblyTarget::NvVertex));
        assert_eq!(of("mine/a.txt", header), Some(AssemblyTarget::ArbFragment));
        assert_eq!(of("mine/a.txt", b"notes\n!!ARBfp1.0"), None);
        assert!(AssemblyTest::parse(Path::new("mine/a.txt"), b"notes").is_err());
    }

    #[test]
    fn both_line_ends() {
        let text = b"a\r\nb\nc\rd";
        let test = AssemblyTest::parse(Path::new("ARBvp1.0/a.txt"), text).unwrap();
        assert_eq!(test.line_ends(), [b"a\nb\nc\rd".to_vec(), b"a\r\nb\r\nc\rd".to_vec()]);
    }

    #[test]
    fn requirements() {
        let test = AssemblyTest::parse(Path::new("a"), b"!!ARBvp1.0\n# REQUIRE GL_X\n").unwrap();
        let check = |names: &[&str]| {
            let extensions: BTreeSet<String> = names.iter().map(|&name| name.to_owned()).collect();
            test.check_requirements(&ContextFacts {
                es: false,
                gl_version: 45,
                glsl_version: 450,
                extensions: &extensions,
                limits: &BTreeMap::new(),
                spirv: false,
            })
        };
        assert_eq!(check(&[]), Err("needs GL_ARB_vertex_program".to_owned()));
        assert_eq!(check(&["GL_ARB_vertex_program"]), Err("needs GL_X".to_owned()));
        assert_eq!(check(&["GL_ARB_vertex_program", "GL_X"]), Ok(()));
    }
}
