//! Formats of tests, which decide how a text can shrink.

use std::path::Path;

use vk_script::{Removal, RemovalLevel, Rules, Script};

use super::shader::{Source, of_shader_test, of_vulkan_script};
use results::verdict::{Phase, Verdict};
use vocabulary::Target;

/// The format of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Sections and commands of `.shader_test` files, also for texts that have neither.
    ShaderTest,
    /// Vulkan scripts by the rules of a program.
    Vulkan(Rules),
}

impl Syntax {
    /// Returns the format of a file.
    #[must_use]
    pub fn of(path: &Path) -> Syntax {
        match execute::kind_of(path).driver() == Target::VK {
            true => Syntax::Vulkan(execute::vk_rules(Some(path))),
            false => Syntax::ShaderTest,
        }
    }

    /// Returns true if a text is one that no executor may refuse: the modules of a Vulkan script
    /// are valid. Drivers may do anything with others.
    pub(super) fn is_valid(self, text: &str, path: &Path) -> bool {
        match self {
            Syntax::ShaderTest => true,
            Syntax::Vulkan(_) => execute::validate_vk_modules(text.as_bytes(), path).is_ok(),
        }
    }

    /// Returns true if a verdict is about what an executor did. An expectation of a Vulkan script
    /// that fails without a command says nothing.
    pub(super) fn is_about_results(self, text: &str, verdict: &Verdict) -> bool {
        let (Syntax::Vulkan(rules), Some((Phase::Probe, reason))) = (self, &verdict.cause) else {
            return true;
        };
        let line = reason.strip_prefix("line ").and_then(|rest| rest.split(':').next());
        let Some(line) = line.and_then(|line| line.parse().ok()) else { return true };
        vulkan_script(text, rules).is_none_or(|script| script.expects_results(line))
    }

    /// Returns the parts of a Vulkan script that a level removes.
    pub(super) fn removals(self, text: &str, level: RemovalLevel) -> Vec<Removal> {
        match self {
            Syntax::ShaderTest => Vec::new(),
            Syntax::Vulkan(rules) => vk_script::removals(text, rules, level),
        }
    }

    /// Returns the GLSL of a test.
    pub(super) fn shaders(self, text: &str) -> Vec<Source<'_>> {
        match self {
            Syntax::ShaderTest => of_shader_test(text),
            Syntax::Vulkan(rules) => vulkan_script(text, rules)
                .map_or_else(Vec::new, |script| of_vulkan_script(text, &script)),
        }
    }
}

/// Parses a Vulkan script without the files that it names; `None` if it is malformed.
fn vulkan_script(text: &str, rules: Rules) -> Option<Script> {
    vk_script::parse(text.as_bytes(), rules, &|_| Err("no files".to_owned())).ok()
}

/// Returns the name of the parts that a level removes.
pub(super) fn name(level: RemovalLevel) -> &'static str {
    match level {
        RemovalLevel::Commands => "commands",
        RemovalLevel::Declarations => "declarations",
        RemovalLevel::Options => "options",
        RemovalLevel::Functions => "functions",
        RemovalLevel::Instructions => "instructions",
        RemovalLevel::Lines => "lines",
    }
}
