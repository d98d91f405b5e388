//! Checks of the source tree: language, width, spelling, structure.
//!
//! Every check is a function over files in memory that returns [`Offense`]s, so that a unit test
//! can plant one. `cargo test -p tidy` runs all checks over the files that git tracks;
//! `cargo run -p tidy -- [PATH…]` prints the offenses below some folders.
//!
//! ```
//! use tidy::source::File;
//!
//! let files = [File::new("a.rs", "/// Makes it grey.\nfn f() {}\n")];
//! let found: Vec<String> = tidy::check(&files).iter().map(ToString::to_string).collect();
//! assert_eq!(found[0], "a.rs:1: spelling: `grey`: write gray");
//! ```

pub mod arrows;
pub mod circles;
pub mod crates;
pub mod dependencies;
pub mod generations;
pub mod language;
pub mod length;
pub mod lexer;
pub mod links;
pub mod modules;
pub mod offense;
pub mod passes;
pub mod pending;
pub mod prose;
pub mod source;
pub mod spelling;
pub mod vocabulary;
pub mod width;
pub mod words;

pub use offense::Offense;
use source::File;

/// A check: its name and its function over all files of the tree.
pub type Check = (&'static str, fn(&[File]) -> Vec<Offense>);

/// All checks.
pub const CHECKS: &[Check] = &[
    ("language", language::check),
    ("width", width::check),
    ("spelling", spelling::check),
    ("name", language::check_names),
    ("length", length::check),
    ("folder", length::check_folders),
    ("size", length::check_crates),
    ("circle", circles::check_files),
    ("upward", circles::check_folders),
    ("generation", generations::check),
    ("pass", passes::check),
    ("vocabulary", vocabulary::check),
    ("link", links::check),
    ("dependency", dependencies::check),
    ("crate", crates::check),
    ("arrow", arrows::check),
];

/// Runs all checks, sorted by place.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses: Vec<Offense> = CHECKS.iter().flat_map(|(_, check)| check(files)).collect();
    offenses.sort();
    offenses
}
