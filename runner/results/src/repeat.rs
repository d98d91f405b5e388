//! The command that executes one test case of a run again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::names::{is_program, quoted};
use vocabulary::Target;

/// Options of a run that do not belong to the command of one test case, and whether a value
/// follows.
const DROPPED: [(&str, bool); 15] = [
    ("--out", true),
    ("--shard", true),
    ("--gen", true),
    ("--include", true),
    ("-t", true),
    ("--jobs", true),
    ("-j", true),
    ("--durations", true),
    ("--order", true),
    ("--max-fails", true),
    ("--previous", true),
    ("--color", true),
    ("--reference-only", false),
    ("--junit-failures-only", false),
    ("--git-bisect", false),
];

/// The origin of the commands of a run's test cases.
#[derive(Clone, Debug, Default)]
pub struct Repeat {
    /// Files by test.
    pub files: BTreeMap<String, PathBuf>,
    /// Options of the run that can change verdicts, as they follow a command: empty, or with a
    /// space in front.
    pub options: String,
    /// Arguments of the run, for tests whose file is not known.
    pub arguments: Vec<String>,
}

impl Repeat {
    /// Returns the command for a test case; `None` if neither its file nor the run's arguments are
    /// known.
    pub fn command(&self, test: &str, generation: &str) -> Option<String> {
        Some(self.of_test(test)?.command(&[generation]))
    }

    /// Returns the parts of the commands for a test.
    pub fn of_test(&self, test: &str) -> Option<RepeatTest> {
        if let Some(path) = self.files.get(test).filter(|path| !path.as_os_str().is_empty()) {
            let path = quoted(&path.display().to_string());
            // Programs have the path of the profile that lists them.
            let only =
                if is_program(test) { format!(" -t {}", pattern(test)) } else { String::new() };
            let after = format!("{only}{}", self.options);
            return Some(RepeatTest { before: format!(" {path}"), after });
        }
        if self.arguments.is_empty() {
            return None;
        }
        let name = pattern(test);
        // This command has the options of a run, behind its own name.
        let (command, arguments) = match self.arguments.split_first() {
            Some((first, rest)) if first == "piglit" => (" piglit", rest),
            _ => ("", &*self.arguments),
        };
        let rest: String =
            without(arguments, &DROPPED).iter().map(|word| format!(" {}", quoted(word))).collect();
        Some(RepeatTest { before: command.to_owned(), after: format!(" -t {name}{rest}") })
    }
}

/// Returns the quoted pattern of one test.
fn pattern(test: &str) -> String {
    quoted(&format!("^{}$", regex::escape(test)))
}

/// The command that executes one test again, but for its generations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepeatTest {
    /// The part before the generations: empty, or with a space in front.
    pub before: String,
    /// The part after the generations.
    pub after: String,
}

impl RepeatTest {
    /// Returns the command for some generations, or for the reference alone.
    pub fn command(&self, generations: &[&str]) -> String {
        let which = match generations {
            [reference] if *reference == Target::REFERENCE.name() => "--reference-only".to_owned(),
            _ => format!("--gen {}", quoted(&generations.join(","))),
        };
        format!("runner{} {which}{}", self.before, self.after)
    }
}

/// Returns the arguments of a run without some options and their values. Arguments after `--` are
/// paths.
pub(crate) fn without(arguments: &[String], dropped: &[(&str, bool)]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            kept.push(word.clone());
            kept.extend(rest.cloned());
            break;
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (&**word, false),
        };
        let long = dropped.iter().find(|(option, _)| *option == name);
        // `-j4` has its value attached, too.
        let short = dropped.iter().any(|(option, valued)| {
            *valued && option.len() == 2 && word.len() > 2 && word.starts_with(option)
        });
        match long {
            Some((_, true)) if !attached => {
                rest.next();
            }
            Some(_) => {}
            None if short && !word.starts_with("--") => {}
            None => kept.push(word.clone()),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_of_the_whole_run_are_dropped() {
        let arguments = words("a --out o -j4 --gen=all -t x -tx --baseline b --shard 1/2 -- --out");
        assert_eq!(without(&arguments, &DROPPED), words("a --baseline b -- --out"));
    }

    #[test]
    fn commands() {
        let files = BTreeMap::from([("s/a".to_owned(), PathBuf::from("in/a b.shader_test"))]);
        let arguments = words("in --gen all");
        let repeat = Repeat { files, options: " --width SIMD8".to_owned(), arguments };
        for (test, generation, command) in [
            ("s/a", "ivb", "runner 'in/a b.shader_test' --gen ivb --width SIMD8"),
            ("s/a", "reference", "runner 'in/a b.shader_test' --reference-only --width SIMD8"),
            ("s/b.c", "skl", "runner --gen skl -t '^s/b\\.c$' in"),
        ] {
            assert_eq!(repeat.command(test, generation).as_deref(), Some(command));
        }
        let of_profile = [("programs/a/b c".to_owned(), PathBuf::from("p.xml.gz"))];
        let programs = Repeat { files: of_profile.into(), ..Repeat::default() };
        let command = "runner p.xml.gz --gen gl -t '^programs/a/b c$'";
        assert_eq!(programs.command("programs/a/b c", "gl").as_deref(), Some(command));
        let several = repeat.of_test("s/a").map(|test| test.command(&["ivb", "skl"]));
        let command = "runner 'in/a b.shader_test' --gen ivb,skl --width SIMD8";
        assert_eq!(several.as_deref(), Some(command));
        let piglit = Repeat { arguments: words("piglit gpu -j 2"), ..Repeat::default() };
        let command = "runner piglit --gen gl -t '^s/a$' gpu";
        assert_eq!(piglit.command("s/a", "gl").as_deref(), Some(command));
        assert_eq!(Repeat::default().command("s/a", "ivb"), None);
    }
}
