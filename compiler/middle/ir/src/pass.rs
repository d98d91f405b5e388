//! The pass manager: names, counts, limits, dumps and validates every pass run.
//!
//! One [`PassManager`] serves each representation that passes transform ([`IrUnit`]): the IR here
//! and the back end's LIR. The pass lists are in the crates `compiler` and `intel`.
//!
//! A pass is a function that returns whether it changed anything, or an [`InternalError`]. Its
//! name is written once: [`pass!`](crate::pass!) derives the listed name from the function.

use std::cell::RefCell;
use std::fmt::Display;

use thiserror::Error;
use vocabulary::{InternalError, Phase, Width};

/// A representation of a program that passes transform. Its text form serves for dumps.
pub trait IrUnit: Display {
    /// Name of the representation, which qualifies names of passes: `lir:opt_dce`.
    const KIND: &'static str;
    /// The phase that internal errors of the passes name.
    const PHASE: Phase;
    /// The validator's list of failures.
    type Failures: std::error::Error + Clone + PartialEq;

    /// Checks the rules of the representation.
    ///
    /// # Errors
    /// Every broken rule.
    fn validate(&self) -> Result<(), Self::Failures>;

    /// Called after each pass that changed something: results of analyses are no longer right.
    fn changed(&mut self) {}
}

/// An error of a pass run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PassError<F> {
    /// The validator refuses what the pass left.
    #[error("after {pass}: {failures}")]
    Invalid {
        /// The pass.
        pass: &'static str,
        /// The broken rules.
        failures: F,
    },
    /// The pass met a state that cannot occur.
    #[error(transparent)]
    Internal(#[from] InternalError),
}

/// The result of a pass: `bool` is progress, and an `Err` is an internal error.
pub trait PassOutcome {
    /// Returns whether the pass changed anything.
    ///
    /// # Errors
    /// The internal error that ended the pass.
    fn progress(self) -> Result<bool, InternalError>;
}

impl PassOutcome for bool {
    fn progress(self) -> Result<bool, InternalError> {
        Ok(self)
    }
}

impl PassOutcome for Result<bool, InternalError> {
    fn progress(self) -> Result<bool, InternalError> {
        self
    }
}

/// A pass with its name; see [`pass!`](crate::pass!). `F` is usually a function pointer.
#[derive(Clone, Copy, Debug)]
pub struct Pass<F> {
    /// The listed name: that of the function and of its file.
    pub name: &'static str,
    /// The function.
    pub run: F,
}

/// The named pass of a function: `pass!(opt_dce)`, or with arguments after the program:
/// `pass!(lower_half(has_hf_math))`.
///
/// The function must be in scope by its bare name, which becomes the name of the pass.
///
/// ```
/// use ir::passes::{lower_half, opt_dce};
///
/// assert_eq!(ir::pass!(opt_dce).name, "opt_dce");
/// let mut shader = ir::Shader::new(ir::Stage::Vertex);
/// let progress = (ir::pass!(lower_half(true)).run)(&mut shader);
/// assert!(!progress);
/// ```
#[macro_export]
macro_rules! pass {
    ($name:ident) => {
        $crate::pass::Pass { name: stringify!($name), run: $name }
    };
    ($name:ident($($argument:expr),+ $(,)?)) => {
        $crate::pass::Pass { name: stringify!($name), run: |unit: &mut _| $name(unit, $($argument),+) }
    };
}

/// A list of passes of one function type, see [`pass!`](crate::pass!).
///
/// ```
/// use ir::passes::{opt_cse, opt_dce};
///
/// const LIST: &[ir::IrPass] = &ir::passes![opt_cse, opt_dce];
/// assert_eq!(LIST[1].name, "opt_dce");
/// ```
#[macro_export]
macro_rules! passes {
    ($($name:ident $(($($argument:expr),+))?),* $(,)?) => {
        [$($crate::pass!($name $(($($argument),+))?)),*]
    };
}

/// Options of a [`PassManager`].
#[derive(Clone, Debug)]
pub struct PassOptions {
    /// Maximum number of runs of optional passes; the rest are skipped. `None` means no limit.
    pub limit: Option<u64>,
    /// Names of optional passes to skip, plain (`opt_dce`) or of one representation
    /// (`lir:opt_dce`).
    pub disabled: Vec<String>,
    /// Record the runs of optional passes.
    pub log: bool,
    /// Validate after each pass that made progress.
    pub validate: bool,
}

impl Default for PassOptions {
    /// No limit, nothing disabled, validation in debug builds.
    fn default() -> Self {
        PassOptions {
            limit: None,
            disabled: Vec::new(),
            log: false,
            validate: cfg!(debug_assertions),
        }
    }
}

/// A pass run, for hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassEvent {
    /// The pass.
    pub name: &'static str,
    /// Number of the run as a limit counts them, from 1; `None` if the run is required.
    pub number: Option<u64>,
    /// True if the pass changed anything.
    pub changed: bool,
}

/// Called after each pass with the changed program.
pub type Hook<'a, T> = Box<dyn FnMut(PassEvent, &T) + 'a>;

/// One run of an optional pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassRun {
    /// The pass.
    pub name: String,
    /// True if it changed anything.
    pub changed: bool,
}

/// The runs of optional passes in their order, as a limit counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassLog {
    /// The runs.
    pub runs: Vec<PassRun>,
    /// The first pass that the limit skipped: the next run under a higher limit.
    pub refused: Option<String>,
}

impl PassLog {
    /// Records a pass that the limit skipped.
    pub fn refuse(&mut self, name: &str) {
        self.refused.get_or_insert_with(|| name.to_owned());
    }

    /// Adds the runs of a later manager of the same compilation.
    pub fn append(&mut self, later: &PassLog) {
        self.runs.extend_from_slice(&later.runs);
        self.refused = self.refused.take().or_else(|| later.refused.clone());
    }

    /// Records a run.
    pub fn ran(&mut self, name: &str, changed: bool) {
        self.runs.push(PassRun { name: name.to_owned(), changed });
    }
}

/// Optional passes of one compilation: those that ran on the IR, and a record of those on kernels.
///
/// By default no pass ran on the IR, and nothing is recorded.
#[derive(Debug, Default)]
pub struct PassRecord {
    ir_runs: u64,
    is_recording: bool,
    kernels: RefCell<Vec<(Width, PassLog)>>,
}

impl PassRecord {
    /// Returns an empty record of kernels whose IR took `ir_runs` runs of optional passes. Limits
    /// count them, too.
    #[must_use]
    pub fn after_ir(ir_runs: u64) -> PassRecord {
        PassRecord { ir_runs, is_recording: true, kernels: RefCell::default() }
    }

    /// Returns the logs of all kernels, in the order of their compilation. Kernels that failed or
    /// were dropped have one, too.
    #[must_use]
    pub fn into_kernels(self) -> Vec<(Width, PassLog)> {
        self.kernels.into_inner()
    }

    /// Returns the runs on a kernel that a limit on a whole compilation leaves.
    #[must_use]
    pub fn left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.ir_runs)
    }

    /// True if logs are wanted.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.is_recording
    }

    /// Records the log of a kernel.
    pub fn push(&self, width: Width, log: &PassLog) {
        if self.is_recording {
            self.kernels.borrow_mut().push((width, log.clone()));
        }
    }
}

/// Runs passes on programs of one representation.
///
/// ```
/// use ir::passes::{opt_dce, opt_undef};
/// use ir::{PassManager, PassOptions};
///
/// let mut shader = ir::parse("shader vertex \"dead\"\nblock b0 {\n  32x1 v0 = const 0x1\n}\n")?;
/// let mut manager = PassManager::new(PassOptions { limit: Some(1), ..PassOptions::default() });
/// assert!(manager.run(&mut shader, ir::pass!(opt_dce))?);
/// assert!(!manager.run(&mut shader, ir::pass!(opt_undef))?, "beyond the limit");
/// assert_eq!(shader.instruction_count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PassManager<'a, T> {
    options: PassOptions,
    optional_runs: u64,
    log: PassLog,
    hook: Option<Hook<'a, T>>,
    /// Passes of repeated lists that had nothing to do since the program changed last.
    settled: Vec<&'static str>,
}

impl<'a, T: IrUnit> PassManager<'a, T> {
    /// Returns a manager with these options and no hook.
    pub fn new(options: PassOptions) -> Self {
        PassManager {
            options,
            optional_runs: 0,
            log: PassLog::default(),
            hook: None,
            settled: Vec::new(),
        }
    }

    /// Installs the hook, for dumps.
    pub fn set_hook(&mut self, hook: impl FnMut(PassEvent, &T) + 'a) {
        self.hook = Some(Box::new(hook));
    }

    /// Returns the runs of optional passes so far; empty unless they are recorded.
    pub fn log(&self) -> &PassLog {
        &self.log
    }

    /// Runs one pass and returns whether it changed the program. An optional pass
    /// ([`is_optional`]) that is disabled or beyond the limit does not run.
    ///
    /// # Errors
    /// The failures of the validator, or an internal error; both name the pass.
    pub fn run<R: PassOutcome>(
        &mut self,
        unit: &mut T,
        pass: Pass<impl FnOnce(&mut T) -> R>,
    ) -> Result<bool, PassError<T::Failures>> {
        self.run_admitted(unit, pass, false)
    }

    /// Runs one pass, even if it is optional elsewhere, and returns whether it changed the program.
    /// The run does not count towards the limit.
    ///
    /// # Errors
    /// As [`PassManager::run`].
    pub fn run_required<R: PassOutcome>(
        &mut self,
        unit: &mut T,
        pass: Pass<impl FnOnce(&mut T) -> R>,
    ) -> Result<bool, PassError<T::Failures>> {
        self.run_numbered(unit, pass, None, false)
    }

    /// As [`PassManager::run`]; `is_settled` says that the pass would change nothing.
    fn run_admitted<R: PassOutcome>(
        &mut self,
        unit: &mut T,
        pass: Pass<impl FnOnce(&mut T) -> R>,
        is_settled: bool,
    ) -> Result<bool, PassError<T::Failures>> {
        if is_optional(pass.name) && !self.admit(pass.name) {
            return Ok(false);
        }
        let name = pass.name;
        let number = is_optional(name).then_some(self.optional_runs);
        let changed = self.run_numbered(unit, pass, number, is_settled)?;
        if self.options.log && number.is_some() {
            self.log.ran(name, changed);
        }
        Ok(changed)
    }

    fn run_numbered<R: PassOutcome>(
        &mut self,
        unit: &mut T,
        Pass { name, run }: Pass<impl FnOnce(&mut T) -> R>,
        number: Option<u64>,
        is_settled: bool,
    ) -> Result<bool, PassError<T::Failures>> {
        let mut changed = false;
        let before = self.options.validate.then(|| unit.to_string());
        if !is_settled || self.options.validate {
            changed = InternalError::catch(|| run(unit).progress())
                .flatten()
                .map_err(|error| error.in_pass(name))?;
        }
        let fault = match before {
            _ if changed && is_settled => Some("a settled pass found something to do"),
            Some(before) if !changed && unit.to_string() != before => {
                Some("the pass reports no change of the program that it changed")
            }
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(InternalError::new(T::PHASE, fault).in_pass(name).into());
        }
        if changed {
            unit.changed();
            self.settled.clear();
        }
        if let Some(hook) = &mut self.hook {
            hook(PassEvent { name, number, changed }, unit);
        }
        if changed && self.options.validate {
            unit.validate().map_err(|failures| PassError::Invalid { pass: name, failures })?;
        }
        Ok(changed)
    }

    /// Returns whether an optional pass may run, and counts it.
    fn admit(&mut self, name: &str) -> bool {
        if self.is_disabled(name) {
            return false;
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

    fn is_disabled(&self, name: &str) -> bool {
        self.options.disabled.iter().any(|disabled| match disabled.split_once(':') {
            Some((kind, disabled)) => kind == T::KIND && disabled == name,
            None => disabled == name,
        })
    }

    /// Runs a list of passes again and again until none changes anything, and returns whether any
    /// did. `apply` calls a pass. `rounds` bounds the repetition, because a pair of passes could
    /// undo each other's work forever.
    ///
    /// A pass that had nothing to do in this list or an earlier one is not executed again while
    /// the program is the same: the run counts, and changes nothing. So a name must stand for one
    /// function in all lists of a manager, and apart from the manager's passes only renumbering may
    /// change the program between two lists that share passes. Where programs are validated, such
    /// passes are executed, and must have nothing to do.
    ///
    /// # Errors
    /// As [`PassManager::run`].
    pub fn run_to_fixpoint<F: Copy, R: PassOutcome>(
        &mut self,
        unit: &mut T,
        passes: &[Pass<F>],
        rounds: usize,
        apply: impl Fn(F, &mut T) -> R,
    ) -> Result<bool, PassError<T::Failures>> {
        let mut unchanged = 0;
        let mut any = false;
        for &Pass { name, run } in passes.iter().cycle().take(rounds * passes.len()) {
            let is_settled = self.settled.contains(&name);
            let pass = Pass { name, run: |unit: &mut T| apply(run, unit) };
            if self.run_admitted(unit, pass, is_settled)? {
                unchanged = 0;
                any = true;
            } else {
                if !is_settled {
                    self.settled.push(name);
                }
                unchanged += 1;
                if unchanged == passes.len() {
                    break;
                }
            }
        }
        Ok(any)
    }
}

/// Returns whether a pass is optional: it counts towards the limit and can be disabled.
pub fn is_optional(name: &str) -> bool {
    name.starts_with("opt_")
}
