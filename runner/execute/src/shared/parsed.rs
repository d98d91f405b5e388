//! A parsed test file with its text, and the programs of its contexts.

use std::sync::{Arc, Mutex, PoisonError};

use program::Capabilities;
use script::{Content, ParseError, Script};
use self_cell::self_cell;

use super::link::{SharedLink, link};

self_cell!(
    /// A script and the text that it borrows.
    struct ParsedText {
        owner: Vec<u8>,
        #[covariant]
        dependent: Script,
    }

    impl { Debug }
);

/// Ways to read the text of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The shaders are files of their own.
    pub is_bare: bool,
    /// The GLSL sections are translated to SPIR-V.
    pub is_translated: bool,
}

impl Reading {
    /// Parses a script.
    ///
    /// # Errors
    /// Fails if the text is malformed.
    pub(crate) fn parse(self, text: &[u8]) -> Result<Script<'_>, ParseError> {
        let mut script = script::parse(text)?;
        if self.is_bare {
            count_lines_in_shaders(&mut script);
        }
        if self.is_translated {
            script.require.translate();
        }
        Ok(script)
    }
}

/// A parsed test.
#[derive(Debug)]
pub(crate) struct SharedTest {
    parsed: ParsedText,
    reading: Reading,
    /// Programs by the capabilities that they consulted.
    links: Mutex<Vec<Arc<SharedLink>>>,
    /// False if no other test case uses the results.
    is_shared: bool,
}

impl SharedTest {
    /// Parses a test file.
    ///
    /// # Errors
    /// Fails if the file is malformed.
    pub(super) fn parse(
        text: &[u8],
        reading: Reading,
        is_shared: bool,
    ) -> Result<SharedTest, ParseError> {
        let parsed = ParsedText::try_new(text.to_vec(), |text| reading.parse(text))?;
        Ok(SharedTest { parsed, reading, links: Mutex::default(), is_shared })
    }

    /// Returns true if this is the test with a text.
    pub(super) fn is(&self, text: &[u8], reading: Reading) -> bool {
        self.reading == reading && *self.parsed.borrow_owner() == text
    }

    /// Returns the script.
    pub(crate) fn script(&self) -> &Script<'_> {
        self.parsed.borrow_dependent()
    }

    /// Returns true if other test cases use the results.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the program for a context: that of another context that gives the same answers, or a
    /// new one.
    pub(crate) fn link(&self, context: &Capabilities) -> Arc<SharedLink> {
        let lock = || self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().iter().find(|link| link.fits(context)) {
            return found.clone();
        }
        let recorded = context.recorded();
        let linked = link(self.script(), &recorded);
        let new = Arc::new(SharedLink::new(recorded.consulted(), linked));
        lock().push(new.clone());
        new
    }
}

/// Makes messages count lines from the start of each shader, which is a file of its own.
fn count_lines_in_shaders(script: &mut Script<'_>) {
    for section in &mut script.sections {
        match &mut section.content {
            Content::Shader(shader) => shader.first_line = 1,
            Content::Spirv { .. } => section.line = 0,
            _ => {}
        }
    }
}
