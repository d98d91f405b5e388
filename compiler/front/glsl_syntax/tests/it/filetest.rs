//! Runs the cases of `tests/syntax/*.txt`: source, action, expected text.
//!
//! ```text
//! ==== name: ast GL_SOME_extension
//! source
//! ----
//! expected
//! ```
//! `ast` prints the syntax tree, `preprocess` the preprocessed text, `error` the diagnostics (and
//! fails if there are none), `warning` the warnings of a shader that parses. `GLSL_BLESS=1 cargo
//! test -p glsl_syntax` rewrites the expectations.

use glsl_syntax::ast_print;
use glsl_syntax::diagnostic::Diagnostic;
use glsl_syntax::{Environment, parse, preprocess};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

struct Case<'a> {
    header: &'a str,
    source: &'a str,
    expected: &'a str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.split("==== ")
        .skip(1)
        .map(|case| {
            let (header, rest) = case.split_once('\n').expect("a case has a header line");
            let (source, expected) = rest.split_once("----\n").expect("a case has a ---- line");
            Case { header, source, expected: expected.trim_end() }
        })
        .collect()
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| format!("{d}\n")).collect()
}

fn actual(case: &Case<'_>) -> String {
    let (_, command) = case.header.split_once(": ").expect("a header is `name: mode`");
    let mut words = command.split_whitespace();
    let mode = words.next().unwrap_or_default();
    let extensions = Arc::new(words.map(str::to_owned).collect());
    let env = Environment { extensions, ..Environment::all_versions() };
    let result = match mode {
        "preprocess" => preprocess(&[case.source], &env),
        "ast" => parse(&[case.source], &env).map(|unit| ast_print::print(&unit)),
        "warning" => parse(&[case.source], &env).map(|unit| lines(&unit.warnings)),
        "error" => match parse(&[case.source], &env) {
            Ok(_) => Ok("no error".to_owned()),
            Err(errors) => return lines(&errors).trim_end().to_owned(),
        },
        _ => panic!("unknown mode {mode}"),
    };
    let text = result.unwrap_or_else(|errors| format!("failed\n{}", lines(&errors)));
    text.trim_end().to_owned()
}

#[test]
fn syntax_files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
    let bless = std::env::var_os("GLSL_BLESS").is_some();
    let mut failures = String::new();
    let mut count = 0;
    for entry in std::fs::read_dir(directory).expect("tests/syntax exists") {
        let path = entry.expect("readable entry").path();
        let text = std::fs::read_to_string(&path).expect("readable case file");
        let mut blessed = text.split("==== ").next().unwrap_or_default().to_owned();
        for case in cases(&text) {
            count += 1;
            let actual = actual(&case);
            if actual != case.expected {
                let name = path.file_name().unwrap_or_default().display();
                let _ = writeln!(
                    failures,
                    "{name}: {}\nexpected:\n{}\nactual:\n{actual}\n",
                    case.header, case.expected
                );
            }
            let _ = write!(blessed, "==== {}\n{}----\n{actual}\n\n", case.header, case.source);
        }
        if bless {
            std::fs::write(&path, blessed.trim_end().to_owned() + "\n")
                .expect("writable case file");
        }
    }
    assert!(count > 50, "only {count} cases were found");
    assert!(bless || failures.is_empty(), "{failures}");
}
