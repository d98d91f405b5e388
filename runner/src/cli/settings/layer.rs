//! Values of options from one source.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command};

use super::error::SettingsError;
use super::grammar::{PATHS, key, options, variable};

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A flag.
    Flag {
        /// True if the flag is given.
        on: bool,
        /// The source, for people.
        origin: String,
    },
    /// The values of an option, of which most take one.
    Texts {
        /// The values.
        texts: Vec<String>,
        /// The source, for people.
        origin: String,
    },
}

/// The values of one source, by key.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub(super) values: BTreeMap<String, Value>,
}

impl Value {
    /// Returns the source, for people.
    pub(super) fn origin(&self) -> &str {
        match self {
            Value::Flag { origin, .. } | Value::Texts { origin, .. } => origin,
        }
    }

    /// Returns true for a flag that is not given.
    pub(super) fn is_off(&self) -> bool {
        matches!(self, Value::Flag { on: false, .. })
    }

    /// Returns the value as words of a command line.
    pub(super) fn words(&self, arg: &Arg) -> Vec<String> {
        let key = key(arg);
        match self {
            Value::Flag { on, .. } => on.then(|| format!("--{key}")).into_iter().collect(),
            Value::Texts { texts, .. } if arg.get_id() == PATHS => {
                texts.iter().map(|text| plain_path(text)).collect()
            }
            Value::Texts { texts, .. } => {
                texts.iter().map(|text| format!("--{key}={text}")).collect()
            }
        }
    }
}

/// Returns a path in a form that is neither an option nor a command.
fn plain_path(text: &str) -> String {
    if text.starts_with(['/', '.']) { text.to_owned() } else { format!("./{text}") }
}

/// Returns true if an option is a flag.
pub(super) fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Returns true if an option may be given several times.
pub(super) fn is_repeatable(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// Returns true if the value of an option is a comma list.
pub(super) fn is_list(arg: &Arg) -> bool {
    value_name(arg) == Some("LIST")
}

/// Returns the placeholder of an option's value.
pub(super) fn value_name(arg: &Arg) -> Option<&str> {
    arg.get_value_names().and_then(<[_]>::first).map(|name| name.as_str())
}

/// Checks a value alone.
///
/// # Errors
/// Returns the description of the parser.
pub(super) fn check(command: &Command, arg: &Arg, value: &Value) -> Result<(), String> {
    let words = std::iter::once("runner".to_owned()).chain(value.words(arg));
    let checked = command.clone().try_get_matches_from(words).map(drop);
    checked.map_err(|error| {
        let text = error.to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines = lines.take_while(|line| !line.starts_with("For more information"));
        let lines: Vec<&str> = lines.map(|line| line.trim_start_matches("error: ")).collect();
        lines.join("; ")
    })
}

/// Returns the options that the environment sets.
///
/// # Errors
/// Fails on a value that the option does not take.
pub(super) fn environment(command: &Command) -> Result<Layer, SettingsError> {
    let mut layer = Layer::default();
    for arg in options(command) {
        let name = variable(key(arg));
        let Ok(text) = std::env::var(&name) else { continue };
        if text.is_empty() {
            continue;
        }
        let error = |message| SettingsError::Variable { name: name.clone(), message };
        let origin = format!("variable {name}");
        let value = if is_flag(arg) {
            let on = match text.as_str() {
                "true" | "1" => true,
                "false" | "0" => false,
                _ => return Err(error(format!("`{text}` is neither true nor false"))),
            };
            Value::Flag { on, origin }
        } else if is_repeatable(arg) {
            // A list of paths or names has one on each line.
            let texts = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            Value::Texts { texts, origin }
        } else {
            Value::Texts { texts: vec![text], origin }
        };
        check(command, arg, &value).map_err(error)?;
        layer.values.insert(key(arg).to_owned(), value);
    }
    Ok(layer)
}
