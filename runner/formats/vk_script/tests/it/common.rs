//! Scripts with every command, and short ways to parse.

use vk_script::{ParseError, Rules, Script};

/// Every command of graphics in AmberScript.
pub(crate) const GRAPHICS: &str = include_str!("../scripts/graphics.amber");
/// Commands that are unsupported.
pub(crate) const RAYS: &str = include_str!("../scripts/rays.amber");
/// Every section and command of VkScript.
pub(crate) const SECTIONS: &str = include_str!("../scripts/sections.vk_shader_test");

/// Parses a text that names no files.
pub(crate) fn parse(text: &str, rules: Rules) -> Result<Script, ParseError> {
    vk_script::parse(text.as_bytes(), rules, &|_| Err("no files here".to_owned()))
}

/// Parses a correct text of AmberScript, whose first line is added.
pub(crate) fn amber(text: &str) -> Script {
    parse(&format!("#!amber\n{text}"), Rules::Amber).unwrap_or_else(|error| panic!("{error}"))
}

/// Parses a correct text of VkScript.
pub(crate) fn vkscript(text: &str) -> Script {
    parse(text, Rules::VkRunner).unwrap_or_else(|error| panic!("{error}"))
}
