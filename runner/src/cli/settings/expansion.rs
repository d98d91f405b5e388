//! Addition of settings to a command line.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::error::SettingsError;
use super::file::SettingsFile;
use super::grammar::{grammar, is_run, key, options, variable};
use super::layer::{self, Layer, Value};
use crate::cli::piglit::is_piglit;

/// Value of `--settings` for no file.
const NO_FILE: &str = "none";

/// The options of a run that the command line leaves to others, with their sources.
pub(super) struct Expansion {
    /// The layers of settings, the most important first.
    layers: Vec<Layer>,
    /// The options of the command line, and the defaults.
    pub(super) given: ArgMatches,
    /// The grammar.
    pub(super) command: Command,
}

/// Returns the words of a command line with the settings of a run in front. Words that are not
/// those of a run are returned unchanged.
///
/// # Errors
/// Fails on a settings file or a variable that cannot be used.
pub(in crate::cli) fn expand(words: Vec<OsString>) -> Result<Vec<OsString>, SettingsError> {
    if is_piglit(&words) {
        let mut all = words;
        let rest = expand(all.split_off(1))?;
        all.extend(rest);
        return Ok(all);
    }
    if !is_run(&words) {
        return Ok(words);
    }
    match Expansion::new(&words)? {
        Some(expansion) => {
            let mut all = expansion.words();
            all.extend(words);
            Ok(all)
        }
        None => Ok(words),
    }
}

impl Expansion {
    /// Reads the settings for a command line; `None` if its own words are wrong, which parsing
    /// reports.
    pub(super) fn new(words: &[OsString]) -> Result<Option<Expansion>, SettingsError> {
        let command = grammar();
        let program = OsString::from("runner");
        let all = std::iter::once(&program).chain(words);
        let Ok(given) = command.clone().try_get_matches_from(all) else { return Ok(None) };
        let choice = |name: &str| {
            let written = given.get_one::<String>(name).cloned();
            written.or_else(|| std::env::var(variable(name)).ok().filter(|text| !text.is_empty()))
        };
        let mut layers = vec![layer::environment(&command)?];
        let file = match choice("settings").as_deref() {
            Some(NO_FILE) => None,
            Some(path) => Some(SettingsFile::read(Path::new(path), &command)?),
            None => SettingsFile::find(&command)?,
        };
        match (file, choice("profile")) {
            (Some(file), profile) => layers.extend(file.layers(profile.as_deref())?),
            (None, Some(profile)) => return Err(SettingsError::NoFile { profile }),
            (None, None) => {}
        }
        Ok(Some(Expansion { layers, given, command }))
    }

    /// Returns the values that apply, each with the name of its source.
    pub(super) fn applied(&self) -> Vec<(&Arg, &Value)> {
        let is_given = |arg: &Arg| {
            self.given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        };
        let mut taken: Vec<&Arg> = options(&self.command).filter(|arg| is_given(arg)).collect();
        let mut applied = Vec::new();
        for layer in &self.layers {
            let keys: BTreeSet<&str> = layer.values.keys().map(String::as_str).collect();
            let free = |arg: &&Arg| {
                keys.contains(key(arg)) && !taken.iter().any(|other| self.excludes(other, arg))
            };
            let args: Vec<&Arg> = options(&self.command).filter(free).collect();
            applied.extend(args.iter().filter_map(|&arg| Some((arg, layer.values.get(key(arg))?))));
            taken.extend(args);
        }
        applied
    }

    /// Returns true if an option cannot be added to another one.
    fn excludes(&self, given: &Arg, added: &Arg) -> bool {
        let conflicts = |a: &Arg, b: &Arg| {
            self.command.get_arg_conflicts_with(a).iter().any(|arg| arg.get_id() == b.get_id())
        };
        // A flag that is switched off excludes nothing.
        given.get_id() == added.get_id() || {
            let is_off = |arg: &Arg| {
                let layer = self.layers.iter().find_map(|layer| layer.values.get(key(arg)));
                layer.is_some_and(|value| value.is_off())
            };
            !is_off(given) && !is_off(added) && (conflicts(given, added) || conflicts(added, given))
        }
    }

    /// Returns the added words.
    fn words(&self) -> Vec<OsString> {
        let words = self.applied().into_iter().flat_map(|(arg, value)| value.words(arg));
        words.map(OsString::from).collect()
    }
}
