//! The driver: contexts on demand, each for many scripts.

use std::sync::Arc;

use parser_test::{AssemblyTest, ParserTest};
use script::{ContextRequest, Script};
use vocabulary::Phase;

use crate::address_space::AddressSpaceLimit;
use crate::api::Api;
use crate::bindings::gl;
use crate::capabilities::{Capabilities, Profile, clear_errors};
use crate::check;
use crate::egl::{Display, Handle, Kind, OpenError, Options};
use crate::messages;
use crate::outcome::{End, EndKind, Observe, Outcome};
use crate::reset::reset;
use crate::run::execute;
use crate::snapshot::Snapshot;
use crate::window::Windows;

/// Names of the driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_VERSION`.
    pub version: String,
}

/// A context of the driver; valid as long as the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextId(usize);

/// The system's OpenGL driver. One thread uses it at a time.
pub struct Driver {
    display: Display,
    api: Api,
    contexts: Vec<Context>,
    identity: Identity,
}

// SAFETY: the pointers of EGL belong to no thread. A context belongs to the thread on which it is
// current, and every function that makes one current releases it before it returns.
unsafe impl Send for Driver {}

struct Context {
    handle: Handle,
    /// The attempt that created it.
    kind: Kind,
    capabilities: Arc<Capabilities>,
    windows: Windows,
    /// State before the first script.
    initial: Option<Snapshot>,
    /// A script panicked in the context, which is therefore in an unknown state.
    lost: bool,
}

impl Driver {
    /// Loads EGL, opens a display and creates a first context.
    ///
    /// # Errors
    /// Fails if the machine has no EGL, or no OpenGL.
    pub fn open(options: &Options) -> Result<Driver, OpenError> {
        let display = Display::open(options)?;
        let api = Api::load(|name| display.address(name));
        let identity = Identity::default();
        let mut driver = Driver { display, api, contexts: Vec::new(), identity };
        let requests = [
            ContextRequest::CoreThenCompatibility(31),
            ContextRequest::AnyCompatibility,
            ContextRequest::Es(20),
        ];
        let mut failure = String::new();
        for request in requests {
            match driver.context(request) {
                Ok(id) => {
                    driver.identity = driver.read_identity(id);
                    return Ok(driver);
                }
                Err(reason) => failure = reason,
            }
        }
        Err(OpenError::NoContext(failure))
    }

    /// Returns the names of the driver.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the context for a request: an existing one, or a new one.
    ///
    /// # Errors
    /// Returns the reason of the skip if the driver has no such context.
    pub fn context(&mut self, request: ContextRequest) -> Result<ContextId, String> {
        let missing = || format!("needs {}", request.describe());
        Kind::of(request).into_iter().find_map(|kind| self.context_of(kind)).ok_or_else(missing)
    }

    /// Returns the capabilities of a context.
    pub fn capabilities(&self, ContextId(index): ContextId) -> &Arc<Capabilities> {
        &self.contexts[index].capabilities
    }

    /// Executes a script in a context, which must be that of its request and meet its
    /// requirements.
    pub fn run(
        &mut self,
        script: &Script<'_>,
        ContextId(index): ContextId,
        observe: Observe,
    ) -> Outcome {
        if let Err(reason) = self.enter(index) {
            return Outcome::broken(&reason);
        }
        let context = &mut self.contexts[index];
        // Until the end is reached.
        context.lost = true;
        let api = &self.api;
        if cfg!(debug_assertions) && context.initial.is_none() {
            context.initial = Some(Snapshot::take(api, &context.capabilities));
        }
        let capabilities = &context.capabilities;
        let limit = AddressSpaceLimit::of(&script.require);
        let mut outcome = execute(api, capabilities, &mut context.windows, script, observe);
        drop(limit);
        if let Some(reason) = lost(api, capabilities) {
            // The next script gets a new context.
            let end = End { line: None, kind: EndKind::Reset, reason: reason.to_owned() };
            self.display.release();
            return Outcome { end: Some(end), ..outcome };
        }
        reset(api, &context.capabilities);
        clear_errors(api);
        if let Some(initial) = &context.initial
            && let Some(difference) =
                initial.difference(&Snapshot::take(api, &context.capabilities))
        {
            outcome = Outcome::broken(&format!("the state is not reset: {difference}"));
        }
        context.lost = false;
        self.display.release();
        outcome
    }

    /// Has the driver compile a shader, and link it, in a context, which must be that of the test's
    /// request and meet its requirements.
    pub fn check_shader(&mut self, test: &ParserTest<'_>, id: ContextId) -> parser_test::Outcome {
        self.check(id, |api| check::shader(api, test))
    }

    /// Has the driver load an assembly program in a context, which must be that of the test's
    /// request and meet its requirements.
    pub fn check_assembly(
        &mut self,
        test: &AssemblyTest<'_>,
        id: ContextId,
    ) -> parser_test::Outcome {
        self.check(id, |api| check::assembly(api, test))
    }

    /// Creates objects in a context, and deletes them; no state of the context changes.
    fn check(
        &mut self,
        ContextId(index): ContextId,
        action: impl FnOnce(&Api) -> parser_test::Outcome,
    ) -> parser_test::Outcome {
        if let Err(reason) = self.enter(index) {
            return parser_test::Outcome::Broken(Phase::Simulate, reason);
        }
        let context = &mut self.contexts[index];
        context.lost = true;
        clear_errors(&self.api);
        let outcome = action(&self.api);
        clear_errors(&self.api);
        context.lost = false;
        self.display.release();
        outcome
    }

    /// Makes a context current, after a panic a new one.
    fn enter(&mut self, index: usize) -> Result<(), String> {
        if self.contexts[index].lost {
            self.replace(index);
        }
        let current = self.display.make_current(self.contexts[index].handle);
        current.map_err(|reason| format!("the context cannot be made current: {reason}"))
    }

    /// Returns an existing context that serves as one of a kind, or a new one.
    fn context_of(&mut self, kind: Kind) -> Option<ContextId> {
        let serves = |context: &Context| {
            let version = context.capabilities.gl_version;
            // Some drivers return exactly the requested version, others the highest one.
            let rounds_up = version > context.kind.version() && context.kind.version() > 0;
            let any = matches!(kind, Kind::AnyCompatibility);
            context.kind == kind
                || (context.kind.is_like(kind) && !any && rounds_up && version >= kind.version())
        };
        if let Some(index) = self.contexts.iter().position(serves) {
            return Some(ContextId(index));
        }
        let context = self.create(kind)?;
        self.contexts.push(context);
        Some(ContextId(self.contexts.len() - 1))
    }

    fn create(&self, kind: Kind) -> Option<Context> {
        let handle = self.display.create(kind).ok()?;
        let wanted = |c: &Capabilities| {
            // A driver may take a compatibility context for one of 3.1 core.
            let profile = matches!(kind, Kind::Compatibility(_) | Kind::AnyCompatibility);
            c.gl_version >= kind.version() && (!profile || c.profile == Profile::Compatibility)
        };
        let created = self.display.make_current(handle).is_ok().then(|| {
            let capabilities = Arc::new(Capabilities::read(&self.api));
            prepare(&self.api);
            messages::enable(&self.api, &capabilities);
            clear_errors(&self.api);
            self.display.release();
            capabilities
        });
        let capabilities = created.filter(|c| wanted(c));
        let Some(capabilities) = capabilities else {
            self.display.destroy(handle);
            return None;
        };
        if kind == Kind::Core(31) && capabilities.profile != Profile::Core {
            self.display.destroy(handle);
            return self.create(Kind::Core(32));
        }
        let windows = Windows::default();
        Some(Context { handle, kind, capabilities, windows, initial: None, lost: false })
    }

    /// Replaces a context whose state is unknown.
    fn replace(&mut self, index: usize) {
        let kind = self.contexts[index].kind;
        self.display.release();
        if let Some(context) = self.create(kind) {
            let old = std::mem::replace(&mut self.contexts[index], context);
            self.display.destroy(old.handle);
        }
    }

    fn read_identity(&self, ContextId(index): ContextId) -> Identity {
        if self.display.make_current(self.contexts[index].handle).is_err() {
            return Identity::default();
        }
        let text = |name| self.api.get_string(name);
        let identity = Identity {
            renderer: text(gl::RENDERER),
            vendor: text(gl::VENDOR),
            version: text(gl::VERSION),
        };
        self.display.release();
        identity
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        for context in &self.contexts {
            self.display.destroy(context.handle);
        }
    }
}

/// Returns the reason if the GPU was reset and the context is lost with it. Contexts report that
/// only if they were created to do so ([`Display::create`]).
fn lost(api: &Api, capabilities: &Capabilities) -> Option<&'static str> {
    if !capabilities.has_version(45, 32, &["GL_KHR_robustness"]) {
        return None;
    }
    match api.reset_status() {
        gl::NO_ERROR => None,
        gl::GUILTY_CONTEXT_RESET => Some("the GPU was reset; this script caused it"),
        gl::INNOCENT_CONTEXT_RESET => Some("the GPU was reset; another context caused it"),
        _ => Some("the GPU was reset for an unknown reason"),
    }
}

/// Sets the state that all scripts share: rows of texels and pixels have no padding.
fn prepare(api: &Api) {
    api.pixel_storei(gl::UNPACK_ALIGNMENT, 1);
    api.pixel_storei(gl::PACK_ALIGNMENT, 1);
}
