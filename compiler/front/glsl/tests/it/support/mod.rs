//! Capabilities that several tests of the front end use.

pub(crate) mod piglit;

use program::{Api, Capabilities, CapabilityTable};
use std::collections::{BTreeMap, BTreeSet};

/// The newest compatibility context with every extension and no limits of its own.
pub(crate) fn everything() -> Capabilities {
    everything_but(&[])
}

/// The same without some extensions.
pub(crate) fn everything_but(missing: &[&str]) -> Capabilities {
    let mut extensions: BTreeSet<String> = glsl::known_extensions().into_iter().collect();
    extensions.retain(|name| !missing.contains(&&**name));
    Capabilities::from(CapabilityTable {
        generation: "reference".into(),
        api: Api::Compatibility,
        gl_version: 46,
        glsl_version: 460,
        extensions,
        limits: BTreeMap::new(),
    })
}
