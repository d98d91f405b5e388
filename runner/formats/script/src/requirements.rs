//! Requirements of a script against a context.

use std::collections::{BTreeMap, BTreeSet};

use crate::commands::Comparison;
use crate::enums::GlEnum;
use crate::require::{ContextRequest, Limit, Require, Requirement, SpirvMode, Version};
use vocabulary::Stage;

/// A context, as requirements see it.
#[derive(Clone, Copy, Debug)]
pub struct ContextFacts<'a> {
    /// The context is one of OpenGL ES.
    pub es: bool,
    /// GL or ES version as 10 × major + minor.
    pub gl_version: u32,
    /// Highest GLSL or GLSL ES version as 100 × major + minor.
    pub glsl_version: u32,
    /// Exported extensions, `GL_` included.
    pub extensions: &'a BTreeSet<String>,
    /// Integer limits by enum name.
    pub limits: &'a BTreeMap<String, f64>,
    /// SPIR-V sections can be executed.
    pub spirv: bool,
}

impl ContextFacts<'_> {
    fn has(&self, extension: &str) -> bool {
        self.extensions.contains(extension)
    }

    /// Returns true if the context has a version or one of some extensions.
    fn offers(&self, version: u32, extensions: &[&str]) -> bool {
        self.gl_version >= version || extensions.iter().any(|extension| self.has(extension))
    }

    /// Checks that the context has a version of desktop GL or one of some extensions.
    ///
    /// # Errors
    /// Describes the missing feature.
    pub fn needs(&self, version: u32, extensions: &[&str]) -> Result<(), String> {
        if self.offers(version, extensions) {
            return Ok(());
        }
        let alternatives: String =
            extensions.iter().map(|extension| format!(" or {extension}")).collect();
        Err(format!("needs GL {}{alternatives}", dotted(version)))
    }
}

impl ContextRequest {
    /// Describes the context for a message: `GL 3.2 core`.
    pub fn describe(self) -> String {
        match self {
            ContextRequest::AnyCompatibility => "a compatibility context".to_owned(),
            ContextRequest::CoreThenCompatibility(version) => format!("GL {}", dotted(version)),
            ContextRequest::Core(version) => format!("GL {} core", dotted(version)),
            ContextRequest::Compatibility(version) => {
                format!("GL {} compatibility", dotted(version))
            }
            ContextRequest::Es(version) => format!("GL ES {}", dotted(version)),
        }
    }
}

/// Formats a packed GL version.
fn dotted(version: u32) -> String {
    format!("{}.{}", version / 10, version % 10)
}

/// The first requirement that a context does not meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// Line of the requirement in the file.
    pub line: u32,
    /// Description of the missing feature.
    pub reason: String,
}

/// Checks the requirements in file order.
///
/// # Errors
/// Returns the first unmet requirement.
pub fn check_requirements(require: &Require<'_>, context: &ContextFacts<'_>) -> Result<(), Unmet> {
    require.requirements.iter().try_for_each(|line| {
        check(&line.requirement, context).map_err(|reason| Unmet { line: line.line, reason })
    })
}

fn check(requirement: &Requirement<'_>, context: &ContextFacts<'_>) -> Result<(), String> {
    let es = context.es;
    let met = |met: bool, reason: &dyn Fn() -> String| if met { Ok(()) } else { Err(reason()) };
    match *requirement {
        Requirement::Integer { state, comparison, value } => {
            let found = integer_state(state, context)
                .ok_or_else(|| format!("{state} is not a state of this context"))?;
            met(holds(comparison, found, f64::from(value)), &|| {
                format!("needs {state} {} {value}, has {found}", comparison.text())
            })
        }
        Requirement::Limit { limit, comparison, value } => {
            let found = start_up_limit(limit, context);
            met(holds(comparison, found, f64::from(value)), &|| {
                format!("needs {} {} {value}, has {found}", limit.name(), comparison.text())
            })
        }
        Requirement::Extension(name) => met(context.has(name), &|| format!("needs {name}")),
        Requirement::NoExtension(name) => {
            met(!context.has(name), &|| format!("must not have {name}"))
        }
        Requirement::Glsl(version) => {
            met(es == version.es && context.glsl_version >= version.number, &|| {
                let has = context.glsl_version;
                format!(
                    "needs GLSL{} {}.{:02}, has {}.{:02}",
                    es_word(version),
                    version.number / 100,
                    version.number % 100,
                    has / 100,
                    has % 100
                )
            })
        }
        Requirement::Gl { comparison, version } => {
            let (has, needs) = (f64::from(context.gl_version), f64::from(version.number));
            met(es == version.es && holds(comparison, has, needs), &|| {
                format!(
                    "needs GL{} {} {}, has {}",
                    es_word(version),
                    comparison.text(),
                    dotted(version.number),
                    dotted(context.gl_version)
                )
            })
        }
        Requirement::AddressSpace(_) | Requirement::IgnoreMissingUniforms => Ok(()),
        Requirement::SeparateShaderObjects | Requirement::SeparableProgram => {
            let version = if es { 31 } else { 41 };
            let extensions = ["GL_ARB_separate_shader_objects", "GL_EXT_separate_shader_objects"];
            met(context.offers(version, &extensions), &|| {
                "needs separate shader objects".to_owned()
            })
        }
        // Without SPIR-V the GLSL sections run, as with piglit's `-glsl`.
        Requirement::Spirv(mode) => met(mode != SpirvMode::Only || context.spirv, &|| {
            "the stages are given in SPIR-V only: needs GL_ARB_gl_spirv and spirv-as".to_owned()
        }),
    }
}

fn es_word(version: Version) -> &'static str {
    if version.es { " ES" } else { "" }
}

/// Compares in single precision.
fn holds(comparison: Comparison, has: f64, needs: f64) -> bool {
    comparison.holds(has as f32, needs as f32)
}

/// Returns integer state by enum name: a version, or a limit of the generation's table.
fn integer_state(state: GlEnum, context: &ContextFacts<'_>) -> Option<f64> {
    match state.short_name() {
        "MAJOR_VERSION" => Some(f64::from(context.gl_version / 10)),
        "MINOR_VERSION" => Some(f64::from(context.gl_version % 10)),
        _ => context.limits.get(&state.to_string()).copied(),
    }
}

/// Returns a limit that piglit's interpreter reads at its start, with the value that it assumes
/// where a context has none.
fn start_up_limit(limit: Limit, context: &ContextFacts<'_>) -> f64 {
    let es = context.es;
    let table = |name: &str| context.limits.get(name).copied();
    let vectors = |name: &str| table(name).map(|v| 4.0 * v);
    let found = match limit {
        Limit::VertexOutputComponents if context.gl_version < 32 => None,
        Limit::VertexAttribs => return table(limit.name()).unwrap_or(16.0),
        Limit::FragmentUniformComponents if es => vectors("GL_MAX_FRAGMENT_UNIFORM_VECTORS"),
        Limit::VertexUniformComponents if es => vectors("GL_MAX_VERTEX_UNIFORM_VECTORS"),
        Limit::VaryingComponents if es => vectors("GL_MAX_VARYING_VECTORS"),
        _ => table(limit.name()),
    };
    found.unwrap_or(0.0)
}

/// Checks that a context knows a stage; sections of an unknown stage make the test a skip.
///
/// # Errors
/// Describes the missing feature.
pub fn stage_available(stage: Stage, context: &ContextFacts<'_>) -> Result<(), String> {
    let es = context.es;
    let (version, extensions) = stage_requirement(stage, es);
    if context.offers(version, extensions) {
        return Ok(());
    }
    Err(format!("needs {stage} shaders (GL{} {})", if es { " ES" } else { "" }, dotted(version)))
}

/// Returns the version (10 × major + minor) and the extensions of which a context needs one for a
/// stage.
pub fn stage_requirement(stage: Stage, es: bool) -> (u32, &'static [&'static str]) {
    let (desktop, embedded, extensions): (u32, u32, &[&str]) = match stage {
        Stage::Vertex | Stage::Fragment => (20, 20, &[]),
        Stage::TessControl | Stage::TessEval => (
            40,
            32,
            if es { &["GL_OES_tessellation_shader"] } else { &["GL_ARB_tessellation_shader"] },
        ),
        Stage::Geometry => {
            (32, 32, if es { &["GL_OES_geometry_shader"] } else { &["GL_ARB_geometry_shader4"] })
        }
        Stage::Compute => (43, 31, &["GL_ARB_compute_shader"]),
    };
    (if es { embedded } else { desktop }, extensions)
}
