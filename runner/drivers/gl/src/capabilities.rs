//! Capabilities of a context, as the driver reports them.

use std::collections::{BTreeMap, BTreeSet};

use script::{ContextFacts, GlEnum, Limit};

use crate::api::Api;
use crate::bindings::gl;
use crate::enums::{number, value_of};

/// Limits that scripts and the other executors look up, beside those that `INT` can name.
const LIMITS: [&str; 2] = ["SUBPIXEL_BITS", "FRAGMENT_SHADER_DISCARDS_SAMPLES_EXT"];

/// Extension of contexts that take SPIR-V.
const SPIRV: &str = "GL_ARB_gl_spirv";

/// Kind of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Core profile of OpenGL.
    Core,
    /// Compatibility profile of OpenGL.
    Compatibility,
    /// OpenGL ES.
    Es,
}

/// Capabilities of a context.
#[derive(Clone, Debug, PartialEq)]
pub struct Capabilities {
    /// Kind of the context.
    pub profile: Profile,
    /// GL or ES version as 10 × major + minor.
    pub gl_version: u32,
    /// Highest GLSL or GLSL ES version as 100 × major + minor.
    pub glsl_version: u32,
    /// Exported extensions, `GL_` included.
    pub extensions: BTreeSet<String>,
    /// Extensions of SPIR-V that modules may ask for.
    pub spirv_extensions: BTreeSet<String>,
    /// Integer state by enum name.
    pub limits: BTreeMap<String, f64>,
}

impl Capabilities {
    /// Reads the capabilities of the current context.
    pub(crate) fn read(api: &Api) -> Capabilities {
        let version = api.get_string(gl::VERSION);
        let es = version.starts_with("OpenGL ES");
        let gl_version = packed(&version, 10);
        let glsl = match gl_version {
            0..20 => String::new(),
            _ => api.get_string(gl::SHADING_LANGUAGE_VERSION),
        };
        let extensions = extensions(api, gl_version);
        let core = match gl_version {
            0..31 => false,
            // Profiles exist from 3.2 on.
            31 => !extensions.contains("GL_ARB_compatibility"),
            _ => {
                api.get_integer(gl::CONTEXT_PROFILE_MASK) as u32 & gl::CONTEXT_CORE_PROFILE_BIT != 0
            }
        };
        let profile = match (es, core) {
            (true, _) => Profile::Es,
            (_, true) => Profile::Core,
            _ => Profile::Compatibility,
        };
        let limits = limits(api);
        let spirv_extensions = spirv_extensions(api, &extensions);
        let glsl_version = packed(&glsl, 100);
        Capabilities { profile, gl_version, glsl_version, extensions, spirv_extensions, limits }
    }

    /// Returns the properties that requirements depend on.
    pub fn facts(&self) -> ContextFacts<'_> {
        ContextFacts {
            spirv: self.has(SPIRV) && crate::assembler::is_installed(),
            es: self.is_es(),
            gl_version: self.gl_version,
            glsl_version: self.glsl_version,
            extensions: &self.extensions,
            limits: &self.limits,
        }
    }

    /// Returns true for OpenGL ES.
    pub fn is_es(&self) -> bool {
        self.profile == Profile::Es
    }

    /// Returns true if the extension is exported.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.contains(extension)
    }

    /// Returns true if the context has a desktop version or one of some extensions.
    pub(crate) fn offers(&self, version: u32, extensions: &[&str]) -> bool {
        let new = !self.is_es() && self.gl_version >= version;
        new || extensions.iter().any(|extension| self.has(extension))
    }

    /// Returns true if the context has a desktop version, an ES version or one of some extensions.
    pub(crate) fn has_version(&self, desktop: u32, es: u32, extensions: &[&str]) -> bool {
        self.offers(desktop, extensions) || (self.is_es() && self.gl_version >= es)
    }

    /// Returns integer state by its enum name; 0 if the context has none.
    pub(crate) fn limit(&self, name: &str) -> u32 {
        self.limits.get(name).map_or(0, |&value| value as u32)
    }
}

/// Returns the first version in a text: 45 for `4.5 (Core Profile) Mesa 22.3.6`, in units of
/// `scale` for the major number.
fn packed(text: &str, scale: u32) -> u32 {
    let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let mut numbers = text[start..].split(|c: char| !c.is_ascii_digit());
    let mut next = || numbers.next().and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(0);
    let major = next();
    major * scale + next()
}

fn extensions(api: &Api, gl_version: u32) -> BTreeSet<String> {
    if gl_version < 30 {
        let all = api.get_string(gl::EXTENSIONS);
        return all.split_ascii_whitespace().map(str::to_owned).collect();
    }
    listed(api, gl::EXTENSIONS, gl::NUM_EXTENSIONS)
}

/// Returns a list of extensions, whose length is a state of its own.
fn listed(api: &Api, list: u32, length: u32) -> BTreeSet<String> {
    let count = u32::try_from(api.get_integer(length)).unwrap_or(0);
    (0..count).map(|index| api.get_extension(list, index)).collect()
}

/// Returns the extensions of SPIR-V that the driver takes (ARB_spirv_extensions).
fn spirv_extensions(api: &Api, extensions: &BTreeSet<String>) -> BTreeSet<String> {
    match extensions.contains("GL_ARB_spirv_extensions") {
        true => listed(api, gl::SPIR_V_EXTENSIONS, gl::NUM_SPIR_V_EXTENSIONS),
        false => BTreeSet::new(),
    }
}

/// Returns the integer state that the context has.
fn limits(api: &Api) -> BTreeMap<String, f64> {
    clear_errors(api);
    let states =
        GlEnum::integer_states().filter_map(|state| Some((state.to_string(), value_of(state)?)));
    let limits = Limit::ALL.iter().map(|limit| limit.name());
    let limits = limits.chain(LIMITS).filter_map(|name| {
        let short = name.trim_start_matches("GL_");
        Some((format!("GL_{short}"), number(short)?))
    });
    let read = |(name, number): (String, u32)| {
        let value = api.get_integer(number);
        (!clear_errors(api)).then_some((name, f64::from(value)))
    };
    states.chain(limits).filter_map(read).collect()
}

/// Clears the error flags; returns true if one was set.
pub(crate) fn clear_errors(api: &Api) -> bool {
    // A lost context reports errors forever.
    (0..16).take_while(|_| api.get_error() != gl::NO_ERROR).count() > 0
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn versions() {
        assert_eq!(packed("4.5 (Compatibility Profile) Mesa 22.3.6", 10), 45);
        assert_eq!(packed("OpenGL ES 3.2 Mesa 22.3.6", 10), 32);
        assert_eq!(packed("OpenGL ES GLSL ES 1.0.16", 100), 100);
        assert_eq!(packed("4.60 NVIDIA", 100), 460);
        assert_eq!(packed("", 10), 0);
    }
}
