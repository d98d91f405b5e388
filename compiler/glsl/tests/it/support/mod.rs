//! Capabilities that several tests of the front end use.

pub(crate) mod piglit;

use program::{Api, Capabilities, CapabilityTable};
use std::collections::BTreeMap;

/// The newest compatibility context with every extension and no limits of its own.
pub(crate) fn everything() -> Capabilities {
    Capabilities::from(CapabilityTable {
        generation: "reference".into(),
        api: Api::Compatibility,
        gl_version: 46,
        glsl_version: 460,
        extensions: glsl::check::known_extensions().into_iter().collect(),
        limits: BTreeMap::new(),
    })
}
