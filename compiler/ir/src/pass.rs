//! The pass driver. Every pass runs through [`PassManager::run`], which names, counts, limits, dumps and
//! validates; the lists of passes themselves live in the `compiler` crate.

use crate::shader::Shader;
use crate::validate::{ValidationError, validate};

/// Options of the driver.
#[derive(Clone, Debug)]
pub struct PassOptions {
    /// Number of optional pass runs (names starting with `opt_`) allowed before the rest is skipped; `None` is no
    /// limit. Lowerings always run.
    pub limit: Option<u64>,
    /// Names of passes never to run.
    pub disabled: Vec<String>,
    /// Validate after each pass that made progress.
    pub validate: bool,
}

impl Default for PassOptions {
    /// No limit, nothing disabled, validation in debug builds.
    fn default() -> Self {
        PassOptions { limit: None, disabled: Vec::new(), validate: cfg!(debug_assertions) }
    }
}

/// A pass: gives whether it changed the shader.
pub type Pass = fn(&mut Shader) -> bool;

/// Called after each pass with its name, whether it made progress, and the shader.
pub type Hook<'a> = Box<dyn FnMut(&str, bool, &Shader) + 'a>;

/// Runs passes.
pub struct PassManager<'a> {
    options: PassOptions,
    optional_runs: u64,
    last_optional: Option<String>,
    hook: Option<Hook<'a>>,
}

impl<'a> PassManager<'a> {
    /// A driver with these options and no hook.
    pub fn new(options: PassOptions) -> Self {
        PassManager { options, optional_runs: 0, last_optional: None, hook: None }
    }

    /// Installs the hook, for dumps.
    pub fn set_hook(&mut self, hook: impl FnMut(&str, bool, &Shader) + 'a) {
        self.hook = Some(Box::new(hook));
    }

    /// Optional passes run so far: the range for bisecting with the limit.
    pub fn optional_runs(&self) -> u64 {
        self.optional_runs
    }

    /// Name of the last optional pass that ran: the culprit when bisecting.
    pub fn last_optional(&self) -> Option<&str> {
        self.last_optional.as_deref()
    }

    /// Runs one pass unless it is disabled or beyond the limit; gives whether it changed the shader.
    ///
    /// # Errors
    /// All failures of the validator, naming the pass.
    pub fn run(
        &mut self,
        shader: &mut Shader,
        name: &str,
        pass: impl FnOnce(&mut Shader) -> bool,
    ) -> Result<bool, ValidationError> {
        if !self.admit(name) {
            return Ok(false);
        }
        let progress = pass(shader);
        if let Some(hook) = &mut self.hook {
            hook(name, progress, shader);
        }
        if progress && self.options.validate {
            validate(shader).map_err(|error| ValidationError { pass: name.to_owned(), ..error })?;
        }
        Ok(progress)
    }

    fn admit(&mut self, name: &str) -> bool {
        if self.options.disabled.iter().any(|d| d == name) {
            return false;
        }
        if name.starts_with("opt_") {
            if self.options.limit.is_some_and(|limit| self.optional_runs >= limit) {
                return false;
            }
            self.optional_runs += 1;
            let last = self.last_optional.get_or_insert_default();
            last.clear();
            last.push_str(name);
        }
        true
    }

    /// Runs a list of passes again and again until none changes anything any more; gives whether any did. A pass is not repeated while the
    /// shader is still what it left. `rounds` bounds it, since a pair of passes could undo each other's work for ever.
    ///
    /// # Errors
    /// All failures of the validator, naming the pass.
    pub fn run_to_fixpoint(
        &mut self,
        shader: &mut Shader,
        passes: &[(&str, Pass)],
        rounds: usize,
    ) -> Result<bool, ValidationError> {
        let mut unchanged = 0;
        let mut any = false;
        for &(name, pass) in passes.iter().cycle().take(rounds * passes.len()) {
            if self.run(shader, name, pass)? {
                unchanged = 0;
                any = true;
            } else {
                unchanged += 1;
                if unchanged == passes.len() {
                    break;
                }
            }
        }
        Ok(any)
    }
}
