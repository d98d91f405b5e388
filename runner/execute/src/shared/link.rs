//! A linked program, and transcripts of the reference executor with it.

use std::sync::{Arc, Mutex, PoisonError};

use program::{Capabilities, Consulted};
use script::Script;

use super::transcript::Transcript;
use crate::front::{Linked, build, initial};
use results::verdict::Verdict;

/// A linked test, and the initial contents of its default uniform block.
#[derive(Clone, Debug)]
pub(crate) struct LinkedTest {
    /// The program.
    pub linked: Linked,
    /// Bytes of the default uniform block.
    pub initial: Vec<u8>,
}

/// Compiles and links a script for a context.
///
/// # Errors
/// Returns the verdict that ends the test before its commands.
pub(crate) fn link(
    script: &Script<'_>,
    capabilities: &Capabilities,
) -> Result<LinkedTest, Verdict> {
    let linked = build(script, capabilities)?;
    let initial = match &linked {
        Linked::Program(program) | Linked::Pipeline(program, _) => initial::default_block(program)?,
        Linked::Failed(_) | Linked::Nothing => Vec::new(),
    };
    Ok(LinkedTest { linked, initial })
}

/// A program that several contexts share.
#[derive(Debug)]
pub(crate) struct SharedLink {
    /// Answers of the context that compilation and linking depend on.
    consulted: Consulted,
    /// The program, or the verdict that ends the test before its commands.
    pub linked: Result<LinkedTest, Verdict>,
    transcripts: Mutex<Vec<(Consulted, Arc<Transcript>)>>,
}

impl SharedLink {
    /// Returns a program without transcripts.
    pub(super) fn new(consulted: Consulted, linked: Result<LinkedTest, Verdict>) -> SharedLink {
        SharedLink { consulted, linked, transcripts: Mutex::default() }
    }

    /// Returns true if a context has this program.
    pub(super) fn fits(&self, context: &Capabilities) -> bool {
        self.consulted.same_in(context)
    }

    /// Returns the transcript that a context has, if there is one.
    pub(crate) fn transcript(&self, context: &Capabilities) -> Option<Arc<Transcript>> {
        let transcripts = self.transcripts.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = transcripts.iter().find(|(consulted, _)| consulted.same_in(context))?;
        Some(fitting.1.clone())
    }

    /// Keeps the transcript of a context that gave the answers `consulted`.
    pub(crate) fn keep(&self, consulted: Consulted, transcript: Transcript) {
        let mut transcripts = self.transcripts.lock().unwrap_or_else(PoisonError::into_inner);
        transcripts.push((consulted, Arc::new(transcript)));
    }
}
