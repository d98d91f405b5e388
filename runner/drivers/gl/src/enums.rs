//! Numbers of GL enums by name, from the Khronos registry.

use script::GlEnum;

/// Every enum of the bindings without `GL_`, sorted by name.
const ENUMS: &[(&str, u32)] = &include!(concat!(env!("OUT_DIR"), "/enums.rs"));

/// Returns the number of an enum by its name without `GL_`.
pub(crate) fn number(short_name: &str) -> Option<u32> {
    let index = ENUMS.binary_search_by(|(name, _)| (*name).cmp(short_name)).ok()?;
    ENUMS.get(index).map(|&(_, value)| value)
}

/// Returns the number of an enum of a script.
pub(crate) fn value_of(name: GlEnum) -> Option<u32> {
    number(name.short_name())
}
