//! Requests for forms of a test.

use serde::{Deserialize, Serialize};

use results::stage_name;
use shader_device::TracedPixel;
use vocabulary::{Stage, Width};

/// A form of a test to answer with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookRequest {
    /// Replacement of the file's text.
    #[serde(default)]
    pub text: Option<String>,
    /// Options of compiler and executors, as words of the command line.
    #[serde(default)]
    pub options: Vec<String>,
    /// The form.
    pub form: Form,
}

/// A form of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Form {
    /// Verdict, machine code with its numbers, probes, framebuffers and buffers.
    Result,
    /// Machine code of all stages with source lines, compiled anew.
    Code,
    /// The IR of a stage after a run of a pass, with the list of all runs.
    Ir {
        /// The stage.
        #[serde(with = "stage_name")]
        stage: Stage,
        /// Index of the run, from 0, which is lowering; `None` means the last one.
        #[serde(default)]
        run: Option<usize>,
    },
    /// The executed instructions of a stage.
    Trace {
        /// The stage.
        #[serde(with = "stage_name")]
        stage: Stage,
        /// The only width, if set.
        #[serde(default)]
        width: Option<Width>,
        /// Only the threads that shade this pixel, if set.
        #[serde(default)]
        pixel: Option<TracedPixel>,
    },
}
