//! `runner gens`: what each generation offers.

use std::fmt::Write;

use program::{Api, Capabilities};

use super::{EXPECTED, print};
use execute::capabilities::{ContextSet, context_set};
use vocabulary::Generation;

/// Prints a line per context, or everything about the generations named.
pub(super) fn gens(full: Option<&[Generation]>) -> anyhow::Result<u8> {
    let mut text = String::new();
    match full {
        None => {
            writeln!(text, "gen        context  GL   GLSL  extensions")?;
            for target in Generation::HARDWARE.into_iter().chain([Generation::Reference]) {
                for context in contexts(context_set(target)?) {
                    summary(&mut text, target, context)?;
                }
            }
        }
        Some(targets) => {
            for &target in targets {
                for context in contexts(context_set(target)?) {
                    details(&mut text, target, context)?;
                }
            }
        }
    }
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

fn contexts(set: &ContextSet) -> impl Iterator<Item = &Capabilities> {
    [&set.core, &set.compat, &set.es].into_iter().flatten().map(|context| &**context)
}

fn api_name(api: Api) -> &'static str {
    match api {
        Api::Core => "core",
        Api::Compatibility => "compat",
        Api::Es => "es",
    }
}

fn summary(text: &mut String, target: Generation, c: &Capabilities) -> std::fmt::Result {
    let (gl, glsl) = (c.gl_version, c.glsl_version);
    let gl = format!("{}.{}", gl / 10, gl % 10);
    let glsl = format!("{}.{:02}", glsl / 100, glsl % 100);
    writeln!(text, "{target:10} {:8} {gl:4} {glsl:5} {}", api_name(c.api), c.extensions.len())
}

fn details(text: &mut String, target: Generation, c: &Capabilities) -> std::fmt::Result {
    summary(text, target, c)?;
    for (name, value) in &c.limits {
        writeln!(text, "    {name} = {value}")?;
    }
    for extension in &c.extensions {
        writeln!(text, "    {extension}")?;
    }
    Ok(())
}
