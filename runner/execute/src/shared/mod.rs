//! Work on a test that generations share: the parsed script, linked programs, and transcripts of
//! the reference executor.
//!
//! Neither the front end nor the interpreter knows the generation: they see the capabilities of the
//! context. Each result is kept with the answers that it got from them
//! ([`program::Consulted`]), and used for each generation that gives the same answers.

mod checks;
mod link;
mod parsed;
mod transcript;

pub(crate) use link::link;
pub(crate) use parsed::{Reading, SharedTest};
pub(crate) use transcript::{Recorded, ReferenceRecord, Transcript};

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use checks::SharedChecks;
use parser_test::{Outcome, ParserTest};
use program::Capabilities;
use script::{ParseError, Script};

/// A script, and what the test cases of its test share.
#[derive(Clone, Copy)]
pub struct TestScript<'a> {
    /// The script.
    pub script: &'a Script<'a>,
    /// Shared work, if any.
    pub(crate) shared: Option<&'a SharedTest>,
}

impl<'a> TestScript<'a> {
    /// Returns a script whose test cases share nothing.
    pub fn alone(script: &'a Script<'a>) -> TestScript<'a> {
        TestScript { script, shared: None }
    }

    /// Returns the script of a test.
    pub(crate) fn of(test: &'a SharedTest) -> TestScript<'a> {
        TestScript { script: test.script(), shared: test.is_shared().then_some(test) }
    }
}

/// Recent tests of a process, whose cases follow each other closely.
#[derive(Debug, Default)]
pub struct SharedTests {
    /// The tests, newest last.
    tests: Mutex<VecDeque<Arc<SharedTest>>>,
    checks: SharedChecks,
    /// Number of tests that are kept.
    capacity: usize,
}

impl SharedTests {
    /// Returns a table that keeps the last `capacity` tests. Without capacity, nothing is shared.
    pub fn new(capacity: usize) -> SharedTests {
        SharedTests { capacity, ..SharedTests::default() }
    }

    /// Returns the test with a text.
    pub(crate) fn test(
        &self,
        text: &[u8],
        reading: Reading,
    ) -> Result<Arc<SharedTest>, ParseError> {
        if let Some(found) = self.lock().iter().find(|test| test.is(text, reading)) {
            return Ok(found.clone());
        }
        let new = Arc::new(SharedTest::parse(text, reading, self.capacity > 0)?);
        let mut tests = self.lock();
        tests.push_back(new.clone());
        let excess = tests.len().saturating_sub(self.capacity);
        tests.drain(..excess);
        Ok(new)
    }

    /// Returns the front end's answer to a shader in a context, which contexts share.
    pub(crate) fn check(
        &self,
        test: &ParserTest<'_>,
        context: &Capabilities,
        check: impl FnOnce(&Capabilities) -> Outcome,
    ) -> Outcome {
        match self.capacity {
            0 => check(context),
            capacity => self.checks.answer(test, context, capacity, check),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<SharedTest>>> {
        self.tests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
