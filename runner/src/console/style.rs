//! Colors of the console.

use std::io::IsTerminal;
use std::sync::OnceLock;

/// The choice of colors on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On terminals, unless NO_COLOR is set; elsewhere only if CLICOLOR_FORCE is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

static CHOICE: OnceLock<ColorChoice> = OnceLock::new();

/// Sets the choice of this process, once.
pub fn choose(choice: ColorChoice) {
    CHOICE.get_or_init(|| choice);
}

/// A foreground color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    Red,
    Green,
    Yellow,
    Magenta,
    Cyan,
}

impl Color {
    /// Returns the parameter of the escape sequence SGR (ECMA-48, section 8.3.117).
    fn parameter(self) -> &'static str {
        match self {
            Color::Red => "31",
            Color::Green => "32",
            Color::Yellow => "33",
            Color::Magenta => "35",
            Color::Cyan => "36",
        }
    }
}

/// Painter of text, which leaves text as it is where there are no colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    is_colored: bool,
}

impl Style {
    /// A style without colors.
    pub(super) const PLAIN: Style = Style { is_colored: false };

    /// Returns the style of standard output.
    pub(crate) fn of_output() -> Style {
        Style::of(std::io::stdout().is_terminal())
    }

    /// Returns the style of standard error.
    pub(crate) fn of_errors() -> Style {
        Style::of(std::io::stderr().is_terminal())
    }

    fn of(is_terminal: bool) -> Style {
        let choice = CHOICE.get().copied().unwrap_or_default();
        let variable = |name: &str| std::env::var(name).ok();
        Style { is_colored: is_colored(choice, &variable, is_terminal) }
    }

    /// Returns true if there are colors.
    pub(crate) fn is_colored(self) -> bool {
        self.is_colored
    }

    /// Paints a text.
    pub(super) fn paint(self, color: Color, text: &str) -> String {
        self.escape(color.parameter(), text)
    }

    /// Makes a text bold.
    pub(super) fn bold(self, text: &str) -> String {
        self.escape("1", text)
    }

    /// Makes a text faint.
    pub(super) fn faint(self, text: &str) -> String {
        self.escape("2", text)
    }

    fn escape(self, parameter: &str, text: &str) -> String {
        match self.is_colored && !text.is_empty() {
            true => format!("\u{1b}[{parameter}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// Returns true if output is colored: <https://no-color.org>, <https://bixense.com/clicolors>.
fn is_colored(
    choice: ColorChoice,
    variable: &dyn Fn(&str) -> Option<String>,
    is_terminal: bool,
) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto if is_set("CLICOLOR_FORCE") => {
            variable("CLICOLOR_FORCE").as_deref() != Some("0")
                || (is_terminal && variable("TERM").as_deref() != Some("dumb"))
        }
        ColorChoice::Auto => is_terminal && variable("TERM").as_deref() != Some("dumb"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        use ColorChoice::{Always, Auto, Never};
        for (choice, variables, is_terminal, expected) in [
            (Auto, &[][..], true, true),
            (Auto, &[], false, false),
            (Auto, &[("NO_COLOR", "1")], true, false),
            (Auto, &[("NO_COLOR", "")], true, true),
            (Auto, &[("TERM", "dumb")], true, false),
            (Auto, &[("CLICOLOR_FORCE", "1")], false, true),
            (Auto, &[("CLICOLOR_FORCE", "0")], false, false),
            (Auto, &[("CLICOLOR_FORCE", "0")], true, true),
            (Auto, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false),
            (Always, &[("NO_COLOR", "1")], false, true),
            (Never, &[("CLICOLOR_FORCE", "1")], true, false),
        ] {
            let find = |name: &str| variables.iter().find(|(n, _)| *n == name);
            let variable = |name: &str| find(name).map(|(_, value)| (*value).to_owned());
            let colored = is_colored(choice, &variable, is_terminal);
            assert_eq!(colored, expected, "{choice:?} {variables:?} {is_terminal}");
        }
    }

    #[test]
    fn painted_text() {
        let style = Style { is_colored: true };
        assert_eq!(style.paint(Color::Red, "fail"), "\u{1b}[31mfail\u{1b}[0m");
        assert_eq!((style.bold(""), Style::PLAIN.bold("a")), (String::new(), "a".to_owned()));
    }
}
