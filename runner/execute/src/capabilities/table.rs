//! The tables in `generations/*.yaml`, one per generation: versions, limits and extensions per kind
//! of context.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::{Api, Capabilities, CapabilityTable};
use serde::Deserialize;

use gl_driver::OpenError;
use vocabulary::{Generation, Target};

/// A table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Not YAML of the expected shape.
    #[error("generation table {name}: {source}")]
    Syntax {
        /// The generation.
        name: &'static str,
        /// The parser's error.
        source: serde_yaml::Error,
    },
    /// There is no OpenGL driver.
    #[error(transparent)]
    Driver(#[from] OpenError),
    /// A version that is not `major.minor`.
    #[error("generation table {name}: `{version}` is not a version")]
    Version {
        /// The generation.
        name: &'static str,
        /// The offending text.
        version: String,
    },
    /// The file describes another generation.
    #[error("generation table {name} says it describes `{found}`")]
    Name {
        /// The generation.
        name: &'static str,
        /// The generation in the table.
        found: String,
    },
}

/// The contexts of one generation; `None` where it has none of the kind.
#[derive(Clone, Debug, Default)]
pub struct ContextSet {
    /// Core profile.
    pub core: Option<Arc<Capabilities>>,
    /// Compatibility profile.
    pub compat: Option<Arc<Capabilities>>,
    /// OpenGL ES.
    pub es: Option<Arc<Capabilities>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    r#gen: String,
    core: Option<Context>,
    compat: Option<Context>,
    es: Option<Context>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Context {
    #[serde(alias = "gles")]
    gl: String,
    glsl: String,
    limits: BTreeMap<String, f64>,
    extensions: BTreeSet<String>,
}

fn text(generation: Generation) -> &'static str {
    match generation {
        Generation::Ivb => include_str!("../../generations/ivb.yaml"),
        Generation::Hsw => include_str!("../../generations/hsw.yaml"),
        Generation::Bdw => include_str!("../../generations/bdw.yaml"),
        Generation::Chv => include_str!("../../generations/chv.yaml"),
        Generation::Skl => include_str!("../../generations/skl.yaml"),
        Generation::Si => include_str!("../../generations/si.yaml"),
        Generation::Vi => include_str!("../../generations/vi.yaml"),
    }
}

/// Returns the text of the table of what a generation offers to Vulkan.
pub(crate) fn vulkan_text(generation: Generation) -> &'static str {
    match generation {
        Generation::Ivb => include_str!("../../generations/vulkan/ivb.yaml"),
        Generation::Hsw => include_str!("../../generations/vulkan/hsw.yaml"),
        Generation::Bdw => include_str!("../../generations/vulkan/bdw.yaml"),
        Generation::Chv => include_str!("../../generations/vulkan/chv.yaml"),
        Generation::Skl => include_str!("../../generations/vulkan/skl.yaml"),
        Generation::Si => include_str!("../../generations/vulkan/si.yaml"),
        Generation::Vi => include_str!("../../generations/vulkan/vi.yaml"),
    }
}

/// Reads the contexts of a hardware generation.
///
/// # Errors
/// Fails if the embedded table is malformed, which the tests rule out.
pub(crate) fn load(generation: Generation) -> Result<ContextSet, TableError> {
    parse(generation.name(), text(generation))
}

/// Parses one table.
pub(super) fn parse(name: &'static str, text: &str) -> Result<ContextSet, TableError> {
    let table: Table =
        serde_yaml::from_str(text).map_err(|source| TableError::Syntax { name, source })?;
    if table.r#gen != name {
        return Err(TableError::Name { name, found: table.r#gen });
    }
    let context = |context: Option<Context>, api| {
        context.map(|context| capabilities(name, api, context).map(Arc::new)).transpose()
    };
    Ok(ContextSet {
        core: context(table.core, Api::Core)?,
        compat: context(table.compat, Api::Compatibility)?,
        es: context(table.es, Api::Es)?,
    })
}

fn capabilities(
    name: &'static str,
    api: Api,
    context: Context,
) -> Result<Capabilities, TableError> {
    let version = |text: &str, scale: u32| {
        let parsed = text.split_once('.').and_then(|(major, minor)| {
            Some(major.parse::<u32>().ok()? * scale + minor.parse::<u32>().ok()?)
        });
        parsed.ok_or_else(|| TableError::Version { name, version: text.to_owned() })
    };
    let table = CapabilityTable {
        generation: name.to_owned(),
        api,
        gl_version: version(&context.gl, 10)?,
        glsl_version: version(&context.glsl, 100)?,
        extensions: context.extensions,
        limits: context.limits,
    };
    Ok(table.into())
}

/// Returns the union of the contexts of all generations, which the reference offers.
///
/// # Errors
/// Fails if an embedded table is malformed, which the tests rule out.
pub(crate) fn union() -> Result<ContextSet, TableError> {
    let mut all = ContextSet::default();
    for generation in Generation::ALL {
        let set = load(generation)?;
        for (into, from) in
            [(&mut all.core, set.core), (&mut all.compat, set.compat), (&mut all.es, set.es)]
        {
            if let Some(from) = from {
                let old = into.as_deref().map(Capabilities::table);
                *into = Some(Arc::new(merge(old, from.table()).into()));
            }
        }
    }
    Ok(all)
}

/// Combines two contexts: the higher version, all extensions, the wider limits.
fn merge(old: Option<&CapabilityTable>, new: &CapabilityTable) -> CapabilityTable {
    let generation = Target::REFERENCE.name().to_owned();
    let Some(old) = old else { return CapabilityTable { generation, ..new.clone() } };
    let mut limits = old.limits.clone();
    for (name, &value) in &new.limits {
        let entry = limits.entry(name.clone()).or_insert(value);
        *entry = if name.starts_with("GL_MIN_") { entry.min(value) } else { entry.max(value) };
    }
    CapabilityTable {
        generation,
        api: old.api,
        gl_version: old.gl_version.max(new.gl_version),
        glsl_version: old.glsl_version.max(new.glsl_version),
        extensions: old.extensions.union(&new.extensions).cloned().collect(),
        limits,
    }
}
