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
    /// Note which optional passes run.
    pub log: bool,
    /// Validate after each pass that made progress.
    pub validate: bool,
}

impl Default for PassOptions {
    /// No limit, nothing disabled, validation in debug builds.
    fn default() -> Self {
        PassOptions { limit: None, disabled: Vec::new(), log: false, validate: cfg!(debug_assertions) }
    }
}

/// A pass: gives whether it changed the shader.
pub type Pass = fn(&mut Shader) -> bool;

/// Called after each pass with its name, whether it made progress, and the shader.
pub type Hook<'a> = Box<dyn FnMut(&str, bool, &Shader) + 'a>;

/// One run of an optional pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassRun {
    /// The pass.
    pub name: String,
    /// Whether it changed anything.
    pub changed: bool,
}

/// The runs of optional passes in their order, which are what a limit counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassLog {
    /// What ran.
    pub runs: Vec<PassRun>,
    /// The first pass that the limit kept from running: the next run under a higher limit.
    pub refused: Option<String>,
}

impl PassLog {
    /// Notes that a pass is beyond the limit.
    pub fn refuse(&mut self, name: &str) {
        self.refused.get_or_insert_with(|| name.to_owned());
    }

    /// Notes a run.
    pub fn ran(&mut self, name: &str, changed: bool) {
        self.runs.push(PassRun { name: name.to_owned(), changed });
    }
}

/// Runs passes.
pub struct PassManager<'a> {
    options: PassOptions,
    optional_runs: u64,
    log: PassLog,
    hook: Option<Hook<'a>>,
}

impl<'a> PassManager<'a> {
    /// A driver with these options and no hook.
    pub fn new(options: PassOptions) -> Self {
        PassManager { options, optional_runs: 0, log: PassLog::default(), hook: None }
    }

    /// Installs the hook, for dumps.
    pub fn set_hook(&mut self, hook: impl FnMut(&str, bool, &Shader) + 'a) {
        self.hook = Some(Box::new(hook));
    }

    /// Optional passes run so far, if they are noted.
    pub fn log(&self) -> &PassLog {
        &self.log
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
        if self.options.log && is_optional(name) {
            self.log.ran(name, progress);
        }
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
        if !is_optional(name) {
            return true;
        }
        if self.options.limit.is_some_and(|limit| self.optional_runs >= limit) {
            if self.options.log {
                self.log.refuse(name);
            }
            return false;
        }
        self.optional_runs += 1;
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

/// Whether a pass counts, and may be left out.
pub fn is_optional(name: &str) -> bool {
    name.starts_with("opt_")
}
