//! `runner gens`: capabilities of each generation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use clap::Args;
use program::{Api, CapabilityTable};
use serde::Serialize;

use super::args::DriverArgs;
use super::exit::EXPECTED;
use super::install;
use super::options::configure_drivers;
use super::output::{Format, print, print_json};
use super::values::{Generations, generations};
use execute::capabilities::{ContextSet, TableError};
use execute::executor;
use vocabulary::Target;

#[derive(Debug, Args)]
pub(super) struct GensArgs {
    /// Print limits and extensions of these generations in full.
    #[arg(value_name = "GEN", value_parser = generations)]
    full: Option<Generations>,
    /// Format; JSON has limits and extensions in any case.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
    #[command(flatten)]
    driver: DriverArgs,
}

/// A context in JSON.
#[derive(Serialize)]
struct Context<'a> {
    #[serde(rename = "gen")]
    generation: Target,
    context: &'static str,
    gl: String,
    glsl: String,
    extensions: &'a BTreeSet<String>,
    limits: &'a BTreeMap<String, f64>,
}

/// Prints a line per context, or all capabilities of the given generations.
pub(super) fn gens(args: &GensArgs) -> anyhow::Result<u8> {
    let driver = &args.driver;
    let full = args.full.as_ref().map(|Generations(list)| list.as_slice());
    anyhow::ensure!(!driver.is_virtual(), "--driver mesa: only runs of tests have a virtual GPU");
    super::choices::driver(driver, full.unwrap_or_default())?;
    install::enter(driver.folder())?;
    configure_drivers(driver);
    let shown: Vec<Target> = match full {
        Some(generations) => generations.to_vec(),
        None => {
            Target::ALL.into_iter().filter(|&t| !executor(t).may_take_process_along()).collect()
        }
    };
    let mut tables = Vec::new();
    for generation in shown {
        tables.extend(contexts(context_set(generation)?).map(|context| (generation, context)));
    }
    if args.format == Format::Json {
        let contexts: Vec<Context<'_>> = tables.into_iter().map(Context::of).collect();
        print_json("gens", &BTreeMap::from([("contexts", contexts)]))?;
        return Ok(EXPECTED);
    }
    let mut text = String::new();
    if full.is_none() {
        writeln!(text, "gen        context  GL   GLSL  extensions")?;
    }
    for (generation, context) in tables {
        match full {
            Some(_) => details(&mut text, generation, context)?,
            None => summary(&mut text, generation, context)?,
        }
    }
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

impl<'a> Context<'a> {
    fn of((generation, table): (Target, &'a CapabilityTable)) -> Context<'a> {
        Context {
            generation,
            context: api_name(table.api),
            gl: gl(table),
            glsl: glsl(table),
            extensions: &table.extensions,
            limits: &table.limits,
        }
    }
}

fn gl(c: &CapabilityTable) -> String {
    format!("{}.{}", c.gl_version / 10, c.gl_version % 10)
}

fn glsl(c: &CapabilityTable) -> String {
    format!("{}.{:02}", c.glsl_version / 100, c.glsl_version % 100)
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
    let (gl, glsl) = (gl(c), glsl(c));
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
