//! Internal compiler errors.

use std::any::Any;
use std::error::Error;
use std::fmt::{self, Display};
use std::panic::{self, AssertUnwindSafe, Location};

use crate::Phase;

/// An internal compiler error: the compiler met a state that cannot occur. The result of the test
/// has the status `crash` and names the phase.
///
/// Fallible code returns the error; code whose callers expect plain values
/// [raises](InternalError::raise) it.
///
/// ```
/// use vocabulary::{InternalError, Phase};
///
/// fn register_of(registers: &[u32], value: usize) -> Result<u32, InternalError> {
///     let register = registers.get(value).copied();
///     register.ok_or_else(|| InternalError::new(Phase::Lower, format!("v{value} has no register")))
/// }
/// let error = register_of(&[], 3).unwrap_err().at("32x1 v4 = fadd v3, v3");
/// assert!(error.to_string().starts_with(
///     "internal compiler error: v3 has no register at `32x1 v4 = fadd v3, v3` ("
/// ));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InternalError {
    /// The phase that found the error.
    pub phase: Phase,
    /// The pass, if one was running.
    pub pass: Option<&'static str>,
    /// Text of the instruction, if the error concerns one.
    pub instruction: Option<String>,
    /// The state that cannot occur.
    pub message: String,
    /// Source location of the check.
    pub location: &'static Location<'static>,
}

/// Returns the text of a panic: its message, or that of a raised [`InternalError`].
pub fn panic_text(payload: &(dyn Any + Send)) -> String {
    let error = || payload.downcast_ref::<InternalError>().map(InternalError::to_string);
    let literal = payload.downcast_ref::<&str>().map(ToString::to_string);
    let text = literal.or_else(|| payload.downcast_ref::<String>().cloned()).or_else(error);
    text.unwrap_or_else(|| "no message".to_owned())
}

impl InternalError {
    /// Returns an error located at the caller.
    #[cold]
    #[track_caller]
    pub fn new(phase: Phase, message: impl Into<String>) -> InternalError {
        InternalError {
            phase,
            pass: None,
            instruction: None,
            message: message.into(),
            location: Location::caller(),
        }
    }

    /// Adds the instruction, unless the error already names one.
    #[cold]
    #[must_use]
    pub fn at(mut self, instruction: impl Display) -> InternalError {
        self.instruction.get_or_insert_with(|| instruction.to_string());
        self
    }

    /// Adds the pass, unless the error already names one.
    #[cold]
    #[must_use]
    pub fn in_pass(mut self, pass: &'static str) -> InternalError {
        self.pass.get_or_insert(pass);
        self
    }

    /// Panics with this error as the payload, for [`InternalError::catch`] to return.
    #[cold]
    pub fn raise(self) -> ! {
        panic::panic_any(self)
    }

    /// Calls `body` and returns its result, or the error that it raised. Other panics continue.
    ///
    /// # Errors
    /// The raised error.
    pub fn catch<T>(body: impl FnOnce() -> T) -> Result<T, InternalError> {
        panic::catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
            match payload.downcast::<InternalError>() {
                Ok(error) => *error,
                Err(payload) => panic::resume_unwind(payload),
            }
        })
    }
}

impl Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal compiler error")?;
        if let Some(pass) = self.pass {
            write!(f, " in {pass}")?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(instruction) = &self.instruction {
            write!(f, " at `{instruction}`")?;
        }
        write!(f, " ({}:{})", self.location.file(), self.location.line())
    }
}

impl Error for InternalError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_errors_are_caught_and_other_panics_are_not() {
        assert_eq!(InternalError::catch(|| 7), Ok(7));
        let raise = || InternalError::new(Phase::Encode, "no offset").raise();
        let caught: Result<(), InternalError> = InternalError::catch(raise);
        let error = caught.unwrap_err().in_pass("opt_a").in_pass("opt_b").at("add").at("mul");
        let expected = "internal compiler error in opt_a: no offset at `add` (";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(error.location.file().ends_with("internal_error.rs"));
        let other = panic::catch_unwind(|| InternalError::catch(|| panic!("other")));
        assert!(other.is_err());
    }

    #[test]
    fn panics_have_a_text() {
        assert_eq!(panic_text(&"literal"), "literal");
        assert_eq!(panic_text(&"formatted".to_owned()), "formatted");
        assert_eq!(panic_text(&7), "no message");
        let error = InternalError::new(Phase::Lower, "broken");
        assert_eq!(panic_text(&error), error.to_string());
    }
}
