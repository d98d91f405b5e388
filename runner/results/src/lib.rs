//! Results of runs: test cases and their verdicts, the files that hold them, and everything that is
//! computed from results alone (comparison, history, reports, expectations, imports, merges).
//!
//! The crate depends on no compiler and executes nothing.
//!
//! ```
//! use results::verdict::{Counts, Status, TestResult};
//!
//! let result = TestResult::plain("fp64/add", "ivb", Status::Pass);
//! let mut counts = Counts::default();
//! counts.add(result.status);
//! assert!(result.is_good());
//! assert_eq!(counts.to_string(), "pass: 1");
//! ```

pub mod annotations;
pub mod coverage;
pub mod diff;
pub mod event;
pub mod expect;
pub mod history;
pub mod names;
pub mod passes;
pub mod place;
pub mod report;
pub mod stage_name;
pub mod threads;
pub mod verdict;

mod file;
mod files;
mod import;
mod repeat;
mod result_ref;

pub use file::{OPTION_BYTES, RESULTS_BYTES, TEST_BYTES, WriteError, read_regular, replace_file};
pub use files::error::ReadError;
pub use files::folder::{RunFolder, refuse_tests};
pub use files::jsonl::{DriverHeader, Header, RESULTS_FILE, ShardHeader, uses_driver};
pub use files::junit::Junit;
pub use files::merge::{MergeError, copy_bundles, merge, merged_record};
pub use files::read::{Run, RunFile, RunResults};
pub use files::record::RunRecord;
pub use files::writer::{JUNIT_FILE, ResultsWriter};
pub use files::{bundle, shard};
pub use import::{ImportError, ImportedRun, Origin, decompress, import};
pub use repeat::{Repeat, RepeatTest};
pub use result_ref::{Code, Part, ResultRef, Text};
