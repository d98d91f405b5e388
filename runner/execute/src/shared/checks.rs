//! Answers of the front end that contexts share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use parser_test::{Outcome, ParserTest};
use program::{Capabilities, Consulted};
use vocabulary::Stage;

/// Answers to recent shaders, newest last.
#[derive(Debug, Default)]
pub(super) struct SharedChecks(Mutex<VecDeque<Arc<SharedCheck>>>);

/// A shader with the answers to it, by the capabilities that they depend on.
#[derive(Debug)]
struct SharedCheck {
    stage: Stage,
    text: Vec<u8>,
    answers: Mutex<Vec<(Consulted, Outcome)>>,
}

impl SharedChecks {
    /// Returns the answer to a shader in a context: that of another context in which it depends on
    /// the same capabilities, or a new one. Keeps the answers to `capacity` shaders.
    pub(super) fn answer(
        &self,
        test: &ParserTest<'_>,
        context: &Capabilities,
        capacity: usize,
        check: impl FnOnce(&Capabilities) -> Outcome,
    ) -> Outcome {
        let shared = self.of(test, capacity);
        let lock = || shared.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = lock().iter().find(|(consulted, _)| consulted.same_in(context)) {
            return found.clone();
        }
        let recorded = context.recorded();
        let outcome = check(&recorded);
        lock().push((recorded.consulted(), outcome.clone()));
        outcome
    }

    /// Returns the entry of a shader. The requirements in its text are those of every context that
    /// asks, so that the text decides.
    fn of(&self, test: &ParserTest<'_>, capacity: usize) -> Arc<SharedCheck> {
        let mut checks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is = |check: &&Arc<SharedCheck>| check.stage == test.stage && check.text == test.source;
        if let Some(found) = checks.iter().find(is) {
            return found.clone();
        }
        let new = Arc::new(SharedCheck {
            stage: test.stage,
            text: test.source.to_vec(),
            answers: Mutex::default(),
        });
        checks.push_back(new.clone());
        let excess = checks.len().saturating_sub(capacity);
        checks.drain(..excess);
        new
    }
}
