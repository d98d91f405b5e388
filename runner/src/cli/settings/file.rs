//! The settings file: `runner.toml`.
//!
//! ```toml
//! gen = ["ivb", "skl"]
//! baseline = ["fails.csv", "ivb=ivb-fails.csv"]
//!
//! [profile.ci]
//! gen = "all"
//! ```

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::SettingsError;
use super::grammar::{PATHS, key, options};
use super::layer::{Layer, Value, check, is_flag, is_list, is_repeatable, value_name};
use results::names::printable_line;
use results::{OPTION_BYTES, read_regular};
use vocabulary::nearest;

/// Name of the file.
const FILE: &str = "runner.toml";
/// Table of profiles.
const PROFILES: &str = "profile";
/// Key by which a profile names the one that it starts from.
const INHERITS: &str = "inherits";

/// A settings file whose values are checked.
#[derive(Debug)]
pub(super) struct SettingsFile {
    path: PathBuf,
    /// Options outside of profiles.
    base: Layer,
    profiles: BTreeMap<String, Profile>,
}

#[derive(Debug, Default)]
struct Profile {
    layer: Layer,
    /// The inherited profile, with its place in the file.
    inherits: Option<(String, Range<usize>)>,
}

/// The text of a file, for places in messages.
struct Source<'a> {
    path: &'a Path,
    text: &'a str,
    command: &'a Command,
}

impl SettingsFile {
    /// Reads the nearest file, from the working directory upwards.
    ///
    /// # Errors
    /// Fails on a file that cannot be used.
    pub(super) fn find(command: &Command) -> Result<Option<SettingsFile>, SettingsError> {
        let Ok(directory) = std::env::current_dir() else { return Ok(None) };
        let mut path = PathBuf::from(FILE);
        for ancestor in directory.ancestors() {
            if ancestor.join(FILE).is_file() {
                return SettingsFile::read(&path, command).map(Some);
            }
            path = Path::new("..").join(path);
        }
        Ok(None)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Fails on a file that cannot be read, is no TOML, or has an unknown key or a wrong value.
    pub(super) fn read(path: &Path, command: &Command) -> Result<SettingsFile, SettingsError> {
        let error = |source| SettingsError::Read { path: path.display().to_string(), source };
        let bytes = read_regular(path, OPTION_BYTES).map_err(error)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| error(std::io::Error::other("the file is not UTF-8")))?;
        let source = Source { path, text: &text, command };
        let table = DeTable::parse(&text).map_err(|error| {
            source.error(error.span().unwrap_or_default(), error.message().replace('\n', ", "))
        })?;
        source.file(table.get_ref())
    }

    /// Returns the layers of a profile, or of the file without one, the most important first.
    ///
    /// # Errors
    /// Fails if there is no such profile.
    pub(super) fn layers(&self, profile: Option<&str>) -> Result<Vec<Layer>, SettingsError> {
        let mut layers = Vec::new();
        let mut next = profile;
        while let Some(name) = next {
            let Some(profile) = self.profiles.get(name) else {
                return Err(SettingsError::NoProfile {
                    path: self.path.display().to_string(),
                    profile: printable_line(name),
                    hint: self.hint(name),
                });
            };
            layers.push(profile.layer.clone());
            next = profile.inherits.as_ref().map(|(name, _)| name.as_str());
        }
        layers.push(self.base.clone());
        Ok(layers)
    }

    /// Describes the profiles that there are, for a name that is none.
    fn hint(&self, name: &str) -> String {
        let names: Vec<&str> = self.profiles.keys().map(String::as_str).collect();
        match nearest(name, names.iter().copied()) {
            Some(name) => format!(": did you mean `{name}`?"),
            None if names.is_empty() => " (it has none)".to_owned(),
            None => format!(" (known: {})", names.join(", ")),
        }
    }
}

impl Source<'_> {
    /// Returns the error of a part of the text.
    fn error(&self, span: Range<usize>, message: String) -> SettingsError {
        let (line, column) = self.place(span.start);
        SettingsError::Line { path: self.path.display().to_string(), line, column, message }
    }

    /// Returns line and column of a byte, from 1.
    fn place(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    fn file(&self, table: &DeTable<'_>) -> Result<SettingsFile, SettingsError> {
        let mut file = SettingsFile {
            path: self.path.to_owned(),
            base: Layer::default(),
            profiles: BTreeMap::new(),
        };
        for (name, value) in in_order(table) {
            if name.get_ref() != PROFILES {
                let (key, value) = self.option(name, value, None, &[PROFILES])?;
                file.base.values.insert(key, value);
                continue;
            }
            let DeValue::Table(profiles) = value.get_ref() else {
                let message =
                    "`profile` is a table: write [profile.NAME] above the options of a profile";
                return Err(self.error(value.span(), message.to_owned()));
            };
            for (name, value) in in_order(profiles) {
                let profile = self.profile(name.get_ref(), value)?;
                file.profiles.insert(name.get_ref().to_string(), profile);
            }
        }
        self.check_inheritance(&file)?;
        Ok(file)
    }

    fn profile(
        &self,
        profile: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Profile, SettingsError> {
        let DeValue::Table(table) = value.get_ref() else {
            let message = format!("`profile.{profile}` is a table of options");
            return Err(self.error(value.span(), message));
        };
        let mut read = Profile::default();
        for (name, value) in in_order(table) {
            if name.get_ref() != INHERITS {
                let (key, value) = self.option(name, value, Some(profile), &[INHERITS])?;
                read.layer.values.insert(key, value);
                continue;
            }
            let DeValue::String(other) = value.get_ref() else {
                return Err(self.error(value.span(), "`inherits` is the name of a profile".into()));
            };
            read.inherits = Some((other.to_string(), value.span()));
        }
        Ok(read)
    }

    /// Fails if a profile inherits from one that does not exist, or from itself.
    fn check_inheritance(&self, file: &SettingsFile) -> Result<(), SettingsError> {
        for name in file.profiles.keys() {
            let mut seen = vec![name.as_str()];
            let mut next = file.profiles.get(name).and_then(|profile| profile.inherits.as_ref());
            while let Some((other, span)) = next {
                let Some(profile) = file.profiles.get(other) else {
                    let message =
                        format!("no profile `{}`{}", printable_line(other), file.hint(other));
                    return Err(self.error(span.clone(), message));
                };
                if seen.contains(&other.as_str()) {
                    let message = format!("profile `{name}` inherits from itself");
                    return Err(self.error(span.clone(), message));
                }
                seen.push(other);
                next = profile.inherits.as_ref();
            }
        }
        Ok(())
    }

    /// Returns key and value of an option; `others` are the keys that are no options.
    fn option(
        &self,
        name: &Spanned<toml::de::DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
        profile: Option<&str>,
        others: &[&'static str],
    ) -> Result<(String, Value), SettingsError> {
        let written: &str = name.get_ref();
        let Some(arg) = options(self.command).find(|arg| key(arg) == written) else {
            return Err(self.error(name.span(), self.unknown(written, others)));
        };
        let (line, _) = self.place(name.span().start);
        let profile = profile.map(|name| format!(", profile {name}")).unwrap_or_default();
        let origin = format!("{}:{line}{profile}", self.path.display());
        let value_error = |message| self.error(value.span(), message);
        let read = self.value(arg, value, origin).map_err(|(span, expected)| {
            self.error(span, format!("`{written}` takes {expected}"))
        })?;
        check(self.command, arg, &read).map_err(value_error)?;
        Ok((written.to_owned(), read))
    }

    fn unknown(&self, written: &str, others: &[&'static str]) -> String {
        let visible = options(self.command).filter(|arg| !arg.is_hide_set()).map(key);
        let known: Vec<&str> = visible.chain(others.iter().copied()).collect();
        let shown = printable_line(written);
        match nearest(written, known.iter().copied()) {
            Some(name) => format!("unknown key `{shown}`: did you mean `{name}`?"),
            None => format!("unknown key `{shown}` (known: {})", known.join(", ")),
        }
    }

    /// Converts a value, or returns the place and the expected type.
    fn value(
        &self,
        arg: &Arg,
        value: &Spanned<DeValue<'_>>,
        origin: String,
    ) -> Result<Value, (Range<usize>, &'static str)> {
        let may_be_many = is_repeatable(arg) || is_list(arg);
        let texts = match value.get_ref() {
            DeValue::Boolean(on) if is_flag(arg) => return Ok(Value::Flag { on: *on, origin }),
            _ if is_flag(arg) => return Err((value.span(), "true or false")),
            DeValue::Array(array) if may_be_many => {
                let item = |item: &Spanned<DeValue<'_>>| {
                    scalar(item.get_ref()).ok_or((item.span(), "texts"))
                };
                array.iter().map(item).collect::<Result<Vec<_>, _>>()?
            }
            single => {
                let expected =
                    if may_be_many { "a text or an array of texts" } else { "one value" };
                vec![scalar(single).ok_or((value.span(), expected))?]
            }
        };
        let texts: Vec<String> = texts.iter().map(|text| self.placed(arg, text)).collect();
        let texts = if is_list(arg) { vec![texts.join(",")] } else { texts };
        Ok(Value::Texts { texts, origin })
    }

    /// Returns a value whose path, if it is one, is relative to the file instead of the working
    /// directory.
    fn placed(&self, arg: &Arg, text: &str) -> String {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let placed = |path: &str| folder.join(path).display().to_string();
        match value_name(arg) {
            _ if arg.get_id() == PATHS => placed(text),
            Some("FILE" | "DIR" | "RUN") => placed(text),
            Some("[GEN=]FILE") => match results::expect::ScopedFile::parse(text).scope {
                Some(_) => match text.split_once('=') {
                    Some((scope, path)) => format!("{scope}={}", placed(path)),
                    None => placed(text),
                },
                None => placed(text.strip_prefix("all=").unwrap_or(text)),
            },
            _ => text.to_owned(),
        }
    }
}

/// Returns the entries of a table in the order of the file.
fn in_order<'t, 'a>(
    table: &'t DeTable<'a>,
) -> Vec<(&'t Spanned<toml::de::DeString<'a>>, &'t Spanned<DeValue<'a>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

/// Returns a text or a number as a word.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}
