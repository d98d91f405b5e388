//! States of tests and subtests, as piglit names and orders them.

/// State of a test or subtest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Announced, but without a result.
    NotRun,
    /// Left out.
    Skip,
    /// Passed.
    Pass,
    /// Passed with a warning.
    Warn,
    /// Passed, with a message of the kernel.
    DmesgWarn,
    /// Failed.
    Fail,
    /// Failed, with a message of the kernel.
    DmesgFail,
    /// Ended for lack of time.
    Timeout,
    /// Ended by a signal.
    Crash,
    /// Not finished.
    Incomplete,
}

impl State {
    const ALL: [State; 10] = [
        State::NotRun,
        State::Skip,
        State::Pass,
        State::Warn,
        State::DmesgWarn,
        State::Fail,
        State::DmesgFail,
        State::Timeout,
        State::Crash,
        State::Incomplete,
    ];

    /// Returns the name in results of piglit.
    pub fn name(self) -> &'static str {
        match self {
            State::NotRun => "notrun",
            State::Skip => "skip",
            State::Pass => "pass",
            State::Warn => "warn",
            State::DmesgWarn => "dmesg-warn",
            State::Fail => "fail",
            State::DmesgFail => "dmesg-fail",
            State::Timeout => "timeout",
            State::Crash => "crash",
            State::Incomplete => "incomplete",
        }
    }

    /// Returns the state with this name.
    pub fn from_name(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Returns the rank by which the worst subtest decides about a test. Subtests without a result
    /// count least, and equally.
    fn rank(self) -> u8 {
        match self {
            State::NotRun | State::Skip => 0,
            State::Pass => 1,
            State::Warn => 2,
            State::DmesgWarn => 3,
            State::Fail => 4,
            State::DmesgFail => 5,
            State::Timeout => 6,
            State::Crash => 7,
            State::Incomplete => 8,
        }
    }

    /// Returns the worst of several states, the first of equal ones.
    pub(crate) fn worst(states: impl IntoIterator<Item = State>) -> Option<State> {
        states.into_iter().reduce(
            |worst, state| {
                if state.rank() > worst.rank() { state } else { worst }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for state in State::ALL {
            assert_eq!(State::from_name(state.name()), Some(state));
        }
        assert_eq!(State::from_name("Pass"), None);
    }

    #[test]
    fn the_worst_decides() {
        assert_eq!(State::worst([State::Pass, State::Skip]), Some(State::Pass));
        assert_eq!(State::worst([State::NotRun, State::Skip]), Some(State::NotRun));
        assert_eq!(State::worst([State::Skip, State::NotRun]), Some(State::Skip));
        assert_eq!(State::worst([State::Warn, State::Crash, State::Fail]), Some(State::Crash));
        assert_eq!(State::worst([]), None);
    }
}
