//! EGL: the library, a display without windows, and contexts.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsString, c_char, c_void};
use std::fmt;
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use khronos_egl as egl;
use script::ContextRequest;

use crate::gbm::GbmDevice;

type Library = egl::DynamicInstance<egl::EGL1_5>;
/// An `EGLDeviceEXT`.
type Device = *mut c_void;
type QueryDevices = extern "system" fn(egl::Int, *mut Device, *mut egl::Int) -> egl::Boolean;
type QueryDeviceString = extern "system" fn(Device, egl::Int) -> *const c_char;

const PLATFORM_SURFACELESS: egl::Enum = 0x31DD;
const PLATFORM_DEVICE: egl::Enum = 0x313F;
const PLATFORM_GBM: egl::Enum = 0x31D7;
const DRM_DEVICE_FILE: egl::Int = 0x3233;
const DRM_RENDER_NODE_FILE: egl::Int = 0x3377;
/// Attribute of EGL 1.5: a context that a reset of the GPU loses says so.
const REPORTED_RESETS: [egl::Int; 2] = [0x31BD, 0x31BF];
/// Maximum number of devices of a machine.
const MOST_DEVICES: usize = 64;
/// Render node of the GBM platform if no device is given.
const RENDER_NODE: &str = "/dev/dri/renderD128";

/// EGL platforms that need no window system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// `EGL_MESA_platform_surfaceless`: Mesa, on the device that it prefers.
    Surfaceless,
    /// `EGL_EXT_platform_device`: a device of the list that EGL gives.
    Device,
    /// `EGL_KHR_platform_gbm`: a render node.
    Gbm,
}

impl Platform {
    /// Every platform, in the order in which they are tried.
    pub const ALL: [Platform; 3] = [Platform::Surfaceless, Platform::Device, Platform::Gbm];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Platform::Surfaceless => "surfaceless",
            Platform::Device => "device",
            Platform::Gbm => "gbm",
        }
    }
}

/// A device of a machine with several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// By its position in EGL's list, from 0.
    Index(usize),
    /// By its device file.
    File(OsString),
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Index(index) => write!(f, "{index}"),
            DeviceChoice::File(file) => write!(f, "{}", file.display()),
        }
    }
}

/// Choice of the driver. The defaults are the first platform that works, and its own device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The platform.
    pub platform: Option<Platform>,
    /// The device.
    pub device: Option<DeviceChoice>,
}

/// The reason why there is no driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The library cannot be loaded.
    #[error("there is no EGL library: {0}")]
    NoLibrary(String),
    /// No platform has a display.
    #[error("EGL has no display: {0}")]
    NoDisplay(String),
    /// No context can be created.
    #[error("EGL has a display, but no OpenGL: {0}")]
    NoContext(String),
}

/// An initialized display.
pub(crate) struct Display {
    library: Library,
    display: egl::Display,
    /// Configuration of contexts.
    config: egl::Config,
    /// Kept open as long as the display.
    _gbm: Option<GbmDevice>,
}

/// A context of the display.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle(egl::Context);

impl Display {
    /// Opens a display.
    pub(crate) fn open(options: &Options) -> Result<Display, OpenError> {
        let library = load()?;
        let mut failures = Vec::new();
        for platform in Platform::ALL {
            let wanted = match (options.platform, &options.device) {
                (Some(wanted), _) => platform == wanted,
                // Surfaceless displays have no choice of devices.
                (None, Some(_)) => platform != Platform::Surfaceless,
                (None, None) => true,
            };
            if !wanted {
                continue;
            }
            match connect(&library, platform, options.device.as_ref()) {
                Ok((display, gbm)) => {
                    let config = config(&library, display);
                    return Ok(Display { library, display, config, _gbm: gbm });
                }
                Err(reason) => failures.push(format!("{}: {reason}", platform.name())),
            }
        }
        Err(OpenError::NoDisplay(failures.join("; ")))
    }

    /// Creates a context of exactly one kind: core, compatibility or ES.
    pub(crate) fn create(&self, kind: Kind) -> Result<Handle, String> {
        let (api, attributes) = match kind {
            // Version 3.1 has no profiles to request; the highest version serves it, too.
            Kind::AnyCompatibility | Kind::Compatibility(..=31) => (egl::OPENGL_API, vec![]),
            Kind::Compatibility(version) => {
                let profile = egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT;
                (egl::OPENGL_API, versioned(version, Some(profile)))
            }
            Kind::Core(version) => {
                let mut list = versioned(version, Some(egl::CONTEXT_OPENGL_CORE_PROFILE_BIT));
                if version == 31 {
                    // Only a forward-compatible context of 3.1 is without deprecated features.
                    list.extend([egl::CONTEXT_OPENGL_FORWARD_COMPATIBLE, egl::TRUE as egl::Int]);
                }
                (egl::OPENGL_API, list)
            }
            Kind::Es(version) => (egl::OPENGL_ES_API, versioned(version, None)),
        };
        self.library.bind_api(api).map_err(|error| error.to_string())?;
        let create = |further: &[egl::Int]| {
            let list: Vec<egl::Int> =
                attributes.iter().chain(further).copied().chain([egl::NONE]).collect();
            self.library.create_context(self.display, self.config, None, &list).map(Handle)
        };
        // Not every driver can report resets of the GPU.
        create(&REPORTED_RESETS).or_else(|_| create(&[])).map_err(|error| error.to_string())
    }

    /// Makes a context current on this thread.
    pub(crate) fn make_current(&self, handle: Handle) -> Result<(), String> {
        self.library
            .make_current(self.display, None, None, Some(handle.0))
            .map_err(|error| error.to_string())
    }

    /// Leaves this thread without a context.
    pub(crate) fn release(&self) {
        // Nothing depends on the result: the next test makes its own context current.
        let _ = self.library.make_current(self.display, None, None, None);
    }

    /// Destroys a context.
    pub(crate) fn destroy(&self, handle: Handle) {
        // A context that cannot be destroyed is lost memory, no failure of a test.
        let _ = self.library.destroy_context(self.display, handle.0);
    }

    /// Returns the address of an OpenGL command.
    pub(crate) fn address(&self, name: &str) -> *const c_void {
        self.library
            .get_proc_address(name)
            .map_or(ptr::null(), |function| function as *const c_void)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.release();
        terminate(&self.library, self.display);
    }
}

/// Number of [`Display`]s per `EGLDisplay`, by its address.
///
/// EGL returns one `EGLDisplay` for equal platforms and devices, and it does not count how often
/// that was initialized (EGL 1.5, section 3.2): the first termination ends all contexts.
static OPEN: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

fn open_displays() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Initializes an `EGLDisplay`, which may be initialized already.
fn initialize(library: &Library, display: egl::Display) -> Result<(), String> {
    let mut open = open_displays();
    library.initialize(display).map_err(|error| error.to_string())?;
    *open.entry(display.as_ptr() as usize).or_default() += 1;
    Ok(())
}

/// Terminates an `EGLDisplay` with its last user.
fn terminate(library: &Library, display: egl::Display) {
    let mut open = open_displays();
    let address = display.as_ptr() as usize;
    let users = open.get(&address).copied().unwrap_or(1) - 1;
    if users > 0 {
        open.insert(address, users);
        return;
    }
    open.remove(&address);
    // A display that cannot be terminated is lost memory, no failure of a test.
    let _ = library.terminate(display);
}

/// One attempt to create a context; versions are 10 × major + minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The highest compatibility version.
    AnyCompatibility,
    /// Compatibility profile.
    Compatibility(u32),
    /// Core profile.
    Core(u32),
    /// OpenGL ES.
    Es(u32),
}

impl Kind {
    /// Returns the attempts for a request in their order.
    pub(crate) fn of(request: ContextRequest) -> Vec<Kind> {
        match request {
            ContextRequest::AnyCompatibility => vec![Kind::AnyCompatibility],
            ContextRequest::CoreThenCompatibility(version) => {
                vec![Kind::Core(version), Kind::Compatibility(version)]
            }
            ContextRequest::Core(version) => vec![Kind::Core(version)],
            ContextRequest::Compatibility(version) => vec![Kind::Compatibility(version)],
            ContextRequest::Es(version) => vec![Kind::Es(version)],
        }
    }

    /// Returns the requested version, 0 for any.
    pub(crate) fn version(self) -> u32 {
        match self {
            Kind::AnyCompatibility => 0,
            Kind::Compatibility(version) | Kind::Core(version) | Kind::Es(version) => version,
        }
    }

    /// Returns true if both kinds have the same profile.
    pub(crate) fn is_like(self, other: Kind) -> bool {
        let profile = |kind| match kind {
            Kind::AnyCompatibility | Kind::Compatibility(_) => 0,
            Kind::Core(_) => 1,
            Kind::Es(_) => 2,
        };
        profile(self) == profile(other)
    }
}

fn versioned(version: u32, profile: Option<egl::Int>) -> Vec<egl::Int> {
    let mut list = vec![
        egl::CONTEXT_MAJOR_VERSION,
        (version / 10) as egl::Int,
        egl::CONTEXT_MINOR_VERSION,
        (version % 10) as egl::Int,
    ];
    list.extend(profile.into_iter().flat_map(|p| [egl::CONTEXT_OPENGL_PROFILE_MASK, p]));
    list
}

fn load() -> Result<Library, OpenError> {
    let mut failure = String::new();
    for name in ["libEGL.so.1", "libEGL.so"] {
        // SAFETY: loading EGL runs the initializers of the driver's libraries, which is what the
        // user asks for with this executor.
        match unsafe { Library::load_required_from_filename(name) } {
            Ok(library) => return Ok(library),
            Err(error) => failure = error.to_string(),
        }
    }
    Err(OpenError::NoLibrary(failure))
}

/// Connects to a display of a platform and initializes it.
fn connect(
    library: &Library,
    platform: Platform,
    device: Option<&DeviceChoice>,
) -> Result<(egl::Display, Option<GbmDevice>), String> {
    let attributes = [egl::ATTRIB_NONE];
    let (enumerant, native, gbm) = match platform {
        Platform::Surfaceless => (PLATFORM_SURFACELESS, egl::DEFAULT_DISPLAY, None),
        Platform::Device => (PLATFORM_DEVICE, find_device(library, device)?, None),
        Platform::Gbm => {
            let file = match device {
                Some(DeviceChoice::File(file)) => Path::new(file),
                Some(DeviceChoice::Index(_)) => return Err("devices have no numbers".to_owned()),
                None => Path::new(RENDER_NODE),
            };
            let gbm = GbmDevice::open(file)?;
            (PLATFORM_GBM, gbm.pointer(), Some(gbm))
        }
    };
    // SAFETY: the native display is the default one, a device from EGL's list or an open GBM
    // device, as the platform demands, and the list of attributes is terminated.
    let display = unsafe { library.get_platform_display(enumerant, native, &attributes) }
        .map_err(|error| error.to_string())?;
    initialize(library, display)?;
    Ok((display, gbm))
}

/// Returns the device of a choice, or the first one.
fn find_device(library: &Library, choice: Option<&DeviceChoice>) -> Result<Device, String> {
    let query =
        library.get_proc_address("eglQueryDevicesEXT").ok_or("EGL does not list its devices")?;
    // SAFETY: the extension EGL_EXT_device_enumeration defines the type of this function.
    let query: QueryDevices = unsafe { std::mem::transmute(query) };
    let (mut devices, mut count) = ([ptr::null_mut(); MOST_DEVICES], 0);
    if query(MOST_DEVICES as egl::Int, devices.as_mut_ptr(), &raw mut count) != egl::TRUE {
        return Err("EGL does not list its devices".to_owned());
    }
    let devices = devices.get(..usize::try_from(count).unwrap_or(0)).unwrap_or_default();
    let found = match choice {
        None => devices.first(),
        Some(DeviceChoice::Index(index)) => devices.get(*index),
        Some(DeviceChoice::File(file)) => {
            devices.iter().find(|&&device| files(library, device).contains(file))
        }
    };
    found.copied().ok_or_else(|| format!("no such device ({} in EGL's list)", devices.len()))
}

/// Returns the files of a device.
fn files(library: &Library, device: Device) -> Vec<OsString> {
    let Some(query) = library.get_proc_address("eglQueryDeviceStringEXT") else { return vec![] };
    // SAFETY: the extension EGL_EXT_device_query defines the type of this function.
    let query: QueryDeviceString = unsafe { std::mem::transmute(query) };
    let text = |name| {
        let text = query(device, name);
        // SAFETY: EGL returns no text, or one that ends in a zero byte and lives as long as it.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    };
    [DRM_DEVICE_FILE, DRM_RENDER_NODE_FILE].into_iter().filter_map(text).map(Into::into).collect()
}

/// Returns the configuration of contexts: none if EGL allows that, or else the first one.
fn config(library: &Library, display: egl::Display) -> egl::Config {
    let extensions = library.query_string(Some(display), egl::EXTENSIONS);
    let free = extensions.is_ok_and(|text| {
        text.to_string_lossy().split(' ').any(|name| name == "EGL_KHR_no_config_context")
    });
    let attributes = [egl::RENDERABLE_TYPE, egl::OPENGL_BIT, egl::NONE];
    let first = || library.choose_first_config(display, &attributes).ok().flatten();
    let none = || {
        // SAFETY: EGL_NO_CONFIG_KHR is a null pointer; EGL reports an error if it does not take it.
        unsafe { egl::Config::from_ptr(ptr::null_mut()) }
    };
    if free { none() } else { first().unwrap_or_else(none) }
}
