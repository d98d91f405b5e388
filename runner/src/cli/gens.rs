//! `runner gens`: capabilities of each generation.

use std::fmt::Write;

use program::{Api, CapabilityTable};

use super::args::DriverArgs;
use super::exit::EXPECTED;
use super::install;
use super::options::configure_drivers;
use super::output::print;
use execute::capabilities::{ContextSet, TableError};
use execute::executor;
use vocabulary::Target;

/// Prints a line per context, or all capabilities of the given generations.
pub(super) fn gens(full: Option<&[Target]>, driver: &DriverArgs) -> anyhow::Result<u8> {
    anyhow::ensure!(!driver.is_virtual(), "--driver mesa: only runs of tests have a virtual GPU");
    super::choices::driver(driver, full.unwrap_or_default())?;
    install::enter(driver.folder())?;
    configure_drivers(driver);
    let mut text = String::new();
    match full {
        None => {
            writeln!(text, "gen        context  GL   GLSL  extensions")?;
            let tables = Target::ALL.into_iter().filter(|&t| !executor(t).may_take_process_along());
            for generation in tables {
                for context in contexts(context_set(generation)?) {
                    summary(&mut text, generation, context)?;
                }
            }
        }
        Some(generations) => {
            for &generation in generations {
                for context in contexts(context_set(generation)?) {
                    details(&mut text, generation, context)?;
                }
            }
        }
    }
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

/// Returns the contexts that a target offers.
fn context_set(target: Target) -> Result<&'static ContextSet, &'static TableError> {
    executor(target).contexts(target)
}

fn contexts(set: &ContextSet) -> impl Iterator<Item = &CapabilityTable> {
    [&set.core, &set.compat, &set.es].into_iter().flatten().map(|context| context.table())
}

fn api_name(api: Api) -> &'static str {
    match api {
        Api::Core => "core",
        Api::Compatibility => "compat",
        Api::Es => "es",
    }
}

fn summary(text: &mut String, generation: Target, c: &CapabilityTable) -> std::fmt::Result {
    let (gl, glsl) = (c.gl_version, c.glsl_version);
    let gl = format!("{}.{}", gl / 10, gl % 10);
    let glsl = format!("{}.{:02}", glsl / 100, glsl % 100);
    writeln!(text, "{generation:10} {:8} {gl:4} {glsl:5} {}", api_name(c.api), c.extensions.len())
}

fn details(text: &mut String, generation: Target, c: &CapabilityTable) -> std::fmt::Result {
    summary(text, generation, c)?;
    for (name, value) in &c.limits {
        writeln!(text, "    {name} = {value}")?;
    }
    for extension in &c.extensions {
        writeln!(text, "    {extension}")?;
    }
    Ok(())
}
