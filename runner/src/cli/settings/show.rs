//! `runner settings`: the effective options of a run with their sources.

use std::ffi::OsString;
use std::fmt::Write;

use clap::Arg;
use clap::parser::ValueSource;

use super::expansion::Expansion;
use super::grammar::{grammar, key, options};
use super::layer::{Value, is_flag, is_repeatable};
use crate::cli::args::SettingsArgs;
use crate::cli::exit::EXPECTED;
use crate::cli::output::print;

/// Width of the column of keys and values.
const COLUMN: usize = 40;

/// Prints the effective options as TOML, each with its source.
pub(in crate::cli) fn show(args: &SettingsArgs) -> anyhow::Result<u8> {
    let Some(expansion) = Expansion::new(&args.run)? else {
        let command = grammar();
        let program = OsString::from("runner");
        // The words are wrong: this reports how.
        command.try_get_matches_from(std::iter::once(&program).chain(&args.run))?;
        return Ok(EXPECTED);
    };
    print(expansion.table()?.as_bytes())?;
    Ok(EXPECTED)
}

impl Expansion {
    /// Returns a line for each option that has a value, and a line with the others.
    fn table(&self) -> Result<String, std::fmt::Error> {
        let applied = self.applied();
        let mut text = String::new();
        let mut unset = Vec::new();
        for arg in options(&self.command) {
            let given = self.given.value_source(arg.get_id().as_str());
            let added = applied.iter().find(|(other, _)| other.get_id() == arg.get_id());
            let (value, origin) = match (given, added) {
                (Some(ValueSource::CommandLine), _) => (self.given_value(arg), "command line"),
                (_, Some((_, value))) => (toml_of(arg, value), value.origin()),
                (Some(ValueSource::DefaultValue), _) if !is_flag(arg) => {
                    (self.given_value(arg), "default")
                }
                _ => {
                    if !arg.is_hide_set() {
                        unset.push(key(arg));
                    }
                    continue;
                }
            };
            writeln!(text, "{:COLUMN$}  # {origin}", format!("{} = {value}", key(arg)))?;
        }
        writeln!(text, "# not set: {}", unset.join(", "))?;
        Ok(text)
    }

    /// Returns a value of the command line, or the default.
    fn given_value(&self, arg: &Arg) -> String {
        if is_flag(arg) {
            return "true".to_owned();
        }
        let raw = self.given.get_raw(arg.get_id().as_str()).into_iter().flatten();
        let texts: Vec<String> = raw.map(|text| text.to_string_lossy().into_owned()).collect();
        toml_of(arg, &Value::Texts { texts, origin: String::new() })
    }
}

/// Writes a value as TOML.
fn toml_of(arg: &Arg, value: &Value) -> String {
    let texts = match value {
        Value::Flag { on, .. } => return on.to_string(),
        Value::Texts { texts, .. } => texts,
    };
    let single = |text: &String| match text.parse::<u64>() {
        Ok(number) if number.to_string() == *text => text.clone(),
        _ => quoted(text),
    };
    let all: Vec<String> = texts.iter().map(single).collect();
    if is_repeatable(arg) { format!("[{}]", all.join(", ")) } else { all.join(", ") }
}

/// Writes a text as a basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
