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
mod vulkan;

pub(crate) use link::link;
pub(crate) use parsed::{Reading, SharedTest};
pub(crate) use transcript::{Recorded, ReferenceRecord, record, replay};
pub use vulkan::VkTest;

use std::collections::VecDeque;
use std::path::Path;
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

/// Recent tests of one form, newest last.
#[derive(Debug)]
struct Recent<T>(Mutex<VecDeque<Arc<T>>>);

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent(Mutex::default())
    }
}

impl<T> Recent<T> {
    /// Returns the test that `is` knows, or a new one; keeps the last `capacity` ones.
    fn get<E>(
        &self,
        capacity: usize,
        is: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().iter().find(|test| is(test)) {
            return Ok(found.clone());
        }
        let new = Arc::new(make()?);
        let mut tests = lock();
        tests.push_back(new.clone());
        let excess = tests.len().saturating_sub(capacity);
        tests.drain(..excess);
        Ok(new)
    }
}

/// Recent tests of a process, whose cases follow each other closely.
#[derive(Debug, Default)]
pub struct SharedTests {
    tests: Recent<SharedTest>,
    vk_tests: Recent<VkTest>,
    checks: SharedChecks,
    /// Number of tests of each form that are kept.
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
        let parse = || SharedTest::parse(text, reading, self.capacity > 0);
        self.tests.get(self.capacity, |test| test.is(text, reading), parse)
    }

    /// Returns the test of Vulkan that a file has.
    pub(crate) fn vk_test(
        &self,
        text: &[u8],
        path: Option<&Path>,
        parse: impl FnOnce() -> Result<vk_script::Script, vk_script::ParseError>,
    ) -> Result<Arc<VkTest>, vk_script::ParseError> {
        let make = || match self.capacity {
            0 => parse().map(VkTest::alone),
            _ => parse().map(|script| VkTest::shared(script, text, path)),
        };
        self.vk_tests.get(self.capacity, |test| test.is(text, path), make)
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
}

#[cfg(test)]
mod tests;
