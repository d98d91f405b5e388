//! A script of Vulkan, and the transcript of the reference executor.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use vk_script::Script;

use super::transcript::Transcript;

/// A script of Vulkan, and what the test cases of its test share. The interpreter executes the same
/// programs for each target that does not skip the test.
#[derive(Debug)]
pub struct VkTest {
    /// The script.
    pub script: Script,
    text: Vec<u8>,
    path: Option<PathBuf>,
    transcript: Mutex<Option<Arc<Transcript>>>,
    /// False if no other test case uses the results.
    is_shared: bool,
}

impl VkTest {
    /// Returns a script whose test cases share nothing.
    pub(crate) fn alone(script: Script) -> VkTest {
        VkTest {
            script,
            text: Vec::new(),
            path: None,
            transcript: Mutex::default(),
            is_shared: false,
        }
    }

    /// Returns the script that a file has, for several test cases.
    pub(super) fn shared(script: Script, text: &[u8], path: Option<&Path>) -> VkTest {
        let (text, path) = (text.to_vec(), path.map(Path::to_owned));
        VkTest { text, path, is_shared: true, ..VkTest::alone(script) }
    }

    /// Returns true if this is the script of a file.
    pub(super) fn is(&self, text: &[u8], path: Option<&Path>) -> bool {
        self.text == text && self.path.as_deref() == path
    }

    /// Returns true if other test cases use the results.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the transcript of the reference, if there is one.
    pub(crate) fn transcript(&self) -> Option<Arc<Transcript>> {
        self.transcript.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a transcript of the reference.
    pub(crate) fn keep(&self, transcript: Transcript) {
        let mut kept = self.transcript.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Arc::new(transcript));
    }
}
