//! Errors of linking.

use std::fmt;

/// The rules that shaders break: at least one message, in the order found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct LinkError {
    /// Messages without full stop.
    pub messages: Vec<String>,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("\n"))
    }
}

/// Collects messages; each step of linking runs only when the steps before it found nothing.
#[derive(Default, Debug)]
pub(crate) struct Errors(Vec<String>);

/// Maximum number of messages kept: many variables at one place make as many as there are pairs.
const MAX_MESSAGES: usize = 100;

impl Errors {
    pub(crate) fn push(&mut self, message: impl Into<String>) {
        let message = message.into();
        if self.0.len() < MAX_MESSAGES && !self.0.contains(&message) {
            self.0.push(message);
        }
    }

    pub(super) fn check(&mut self) -> Result<(), LinkError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(LinkError { messages: std::mem::take(&mut self.0) })
        }
    }
}
