//! Programs that are tests.
//!
//! A kind of tests whose cases come from a *profile* of piglit and not from the text of a file. A
//! test case has the path of the profile, and its name selects an entry there:
//!
//! | entry | becomes |
//! |---|---|
//! | command line | executable below the piglit's `bin`, arguments, `-auto` and `-fbo` by class |
//! | environment | that of the worker, `PIGLIT_PLATFORM`, `PIGLIT_SOURCE_DIR`, then the entry's |
//! | working directory | the piglit's folder, or the entry's `cwd` below it |
//! | `run_concurrent` | a flag of the test: the supervisor executes one of the others at a time |
//! | platforms | skips, decided before the program is started |
//! | name | `programs/`, then the entry's with `/` for `@` |
//!
//! Entries that name a file with a kind of its own are tests of that kind. The selection replaces
//! them by their files, so that they have the names that a run over the folder gives them.
//!
//! The program is a child of the worker, in a process group of its own (`external_program`), and
//! inherits the worker's driver: that of the system, of a folder, or of a virtual GPU. Its lines
//! that begin with `PIGLIT:` are collected while it runs, and piglit's rules make a result of them
//! and of the way in which it ended (`piglit_profile`).

mod explanation;
mod options;
mod profiles;
mod run;
mod transcript;
mod verdict;

pub use explanation::ProgramExplanation;
pub use options::ProgramOptions;
pub use profiles::{ProfileError, ProfileFile, read_profile};

pub(crate) use profiles::entry;
pub(crate) use run::{ProgramTest, commands, run};
