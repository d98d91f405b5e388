//! `junit.xml` against a schema written from GitLab's and Jenkins' documentation, hostile names
//! included.
//!
//! GitLab (Unit test reports): `testsuites/testsuite/testcase` with `name`, `classname`, `file`,
//! `time`; at most one of `failure`, `error`, `skipped` per case, whose text is shown. Jenkins
//! (JUnit plugin's XSD): which attributes and children each element may have, and the types of
//! numbers and times.

use std::collections::BTreeSet;
use std::fs;

use crate::support::Sandbox;

/// An element of a document.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| &**value)
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Reads what XML 1.0 allows of declarations, elements, attributes, entities, text and CDATA;
/// anything else panics.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn document(text: &'a str) -> Element {
        for c in text.chars() {
            let allowed = matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
            assert!(allowed, "{c:?} is no character of XML 1.0");
        }
        let mut reader = Reader { rest: text };
        let declaration = reader.until("?>");
        assert!(
            declaration.starts_with("<?xml version=\"1.0\" encoding=\"utf-8\""),
            "{declaration}"
        );
        reader.rest = reader.rest.trim_start();
        let root = reader.element();
        assert!(reader.rest.trim().is_empty(), "one root");
        root
    }

    fn until(&mut self, end: &str) -> &'a str {
        let at = self.rest.find(end).unwrap_or_else(|| panic!("no `{end}`"));
        let found = &self.rest[..at];
        self.rest = &self.rest[at + end.len()..];
        found
    }

    fn element(&mut self) -> Element {
        let tag = self.rest.strip_prefix('<').expect("an element");
        let end = tag
            .find(|c: char| c.is_whitespace() || c == '>' || c == '/')
            .expect("an end of the name");
        let mut element = Element { name: tag[..end].to_owned(), ..Element::default() };
        self.rest = &tag[end..];
        loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                return element;
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                break;
            }
            let name = self.until("=\"").to_owned();
            assert!(
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
                "attribute `{name}`"
            );
            assert!(element.attribute(&name).is_none(), "`{name}` twice");
            let value = unescaped(self.until("\""));
            element.attributes.push((name, value));
        }
        loop {
            let at = self.rest.find('<').expect("an end tag");
            element.text += &unescaped(&self.rest[..at]);
            self.rest = &self.rest[at..];
            if let Some(rest) = self.rest.strip_prefix("<![CDATA[") {
                self.rest = rest;
                element.text += self.until("]]>");
            } else if let Some(rest) = self.rest.strip_prefix("</") {
                self.rest = rest;
                assert_eq!(self.until(">"), element.name);
                return element;
            } else {
                let child = self.element();
                element.children.push(child);
            }
        }
    }
}

fn unescaped(text: &str) -> String {
    assert!(!text.contains('<') && !text.contains("]]>"), "{text}");
    let mut out = String::new();
    let mut parts = text.split('&');
    out += parts.next().unwrap_or_default();
    for part in parts {
        let (entity, rest) = part.split_once(';').expect("an entity");
        out.push(match entity {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let digits = entity.strip_prefix('#').expect("a known entity");
                let code = match digits.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                char::from_u32(code.expect("a number")).expect("a character")
            }
        });
        out += rest;
    }
    out
}

/// The required form of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    Text,
    Count,
    Seconds,
    Time,
}

impl Type {
    fn accepts(self, value: &str) -> bool {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match self {
            Type::Text => true,
            Type::Count => digits(value),
            Type::Seconds => match value.split_once('.') {
                Some((whole, part)) => digits(whole) && digits(part),
                None => digits(value),
            },
            Type::Time => {
                let shape: String =
                    value.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
                shape == "0000-00-00T00:00:00Z" || shape == "0000-00-00T00:00:00"
            }
        }
    }
}

type Attributes = &'static [(&'static str, Type, bool)];

/// Element, its attributes (name, type, required), its children.
const SCHEMA: [(&str, Attributes, &[&str]); 8] = [
    (
        "testsuites",
        &[
            ("name", Type::Text, false),
            ("tests", Type::Count, true),
            ("failures", Type::Count, true),
            ("errors", Type::Count, true),
            ("time", Type::Seconds, true),
        ],
        &["testsuite"],
    ),
    (
        "testsuite",
        &[
            ("name", Type::Text, true),
            ("tests", Type::Count, true),
            ("failures", Type::Count, false),
            ("errors", Type::Count, false),
            ("skipped", Type::Count, true),
            ("time", Type::Seconds, true),
            ("timestamp", Type::Time, true),
            ("hostname", Type::Text, false),
            ("id", Type::Text, false),
            ("package", Type::Text, false),
        ],
        &["testcase", "system-out", "system-err"],
    ),
    (
        "testcase",
        &[
            ("name", Type::Text, true),
            ("classname", Type::Text, true),
            ("time", Type::Seconds, false),
            ("file", Type::Text, false),
        ],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("failure", &[("type", Type::Text, false), ("message", Type::Text, false)], &[]),
    ("error", &[("type", Type::Text, false), ("message", Type::Text, false)], &[]),
    ("skipped", &[("type", Type::Text, false), ("message", Type::Text, true)], &[]),
    ("system-out", &[], &[]),
    ("system-err", &[], &[]),
];

fn check(element: &Element) {
    let (_, attributes, children) = SCHEMA
        .iter()
        .find(|(name, ..)| *name == element.name)
        .unwrap_or_else(|| panic!("<{}>", element.name));
    for (name, value) in &element.attributes {
        let known = attributes.iter().find(|(n, ..)| n == name);
        let (_, kind, _) = known.unwrap_or_else(|| panic!("<{} {name}>", element.name));
        assert!(kind.accepts(value), "<{} {name}={value:?}> is no {kind:?}", element.name);
    }
    for (name, ..) in attributes.iter().filter(|(_, _, required)| *required) {
        assert!(element.attribute(name).is_some(), "<{}> has no {name}", element.name);
    }
    for child in &element.children {
        assert!(children.contains(&&*child.name), "<{}> in <{}>", child.name, element.name);
        check(child);
    }
    let results =
        element.children.iter().filter(|c| matches!(&*c.name, "failure" | "error" | "skipped"));
    assert!(element.name != "testcase" || results.count() <= 1, "one result per case");
    if element.name == "testsuite" {
        let with = |name: &str| {
            element.all("testcase").filter(|case| case.all(name).next().is_some()).count()
        };
        let count = |name: &str| {
            element.attribute(name).map_or(0, |n| n.parse::<usize>().expect("a number"))
        };
        assert_eq!(count("tests"), element.all("testcase").count());
        assert_eq!((count("failures"), count("errors")), (with("failure"), with("error")));
        assert_eq!(count("skipped"), with("skipped"));
        let name = element.attribute("name").expect("a name");
        assert!(!name.is_empty(), "a suite without a name");
        for case in element.all("testcase") {
            let class = case.attribute("classname").expect("a class");
            assert_eq!(class, name.replace('/', "."));
        }
    }
    if element.name == "testsuites" {
        for total in ["tests", "failures", "errors"] {
            let of = |element: &Element| {
                element.attribute(total).map_or(0, |n| n.parse::<usize>().expect("a number"))
            };
            assert_eq!(of(element), element.children.iter().map(of).sum::<usize>(), "{total}");
        }
    }
    if !children.is_empty() {
        assert!(element.text.trim().is_empty(), "text in <{}>", element.name);
    }
}

/// The report of a run, checked: every case by class and name, which are unique.
fn report(sandbox: &Sandbox, folder: &str) -> Element {
    let text = fs::read_to_string(sandbox.path(folder).join("junit.xml")).expect("junit.xml");
    let root = Reader::document(&text);
    check(&root);
    let mut seen = BTreeSet::new();
    for suite in root.all("testsuite") {
        for case in suite.all("testcase") {
            let key = (case.attribute("classname"), case.attribute("name"));
            assert!(seen.insert(key), "{key:?} twice");
        }
    }
    root
}

/// The case whose name starts with this, and the element that says how it ended, if it did not
/// pass.
fn case<'a>(root: &'a Element, name: &str) -> (&'a Element, Option<&'a Element>) {
    let mut cases = root.children.iter().flat_map(|suite| suite.all("testcase"));
    let found = cases.find(|case| case.attribute("name").is_some_and(|n| n.starts_with(name)));
    let found = found.unwrap_or_else(|| panic!("no case {name}"));
    (
        found,
        found.children.iter().find(|child| matches!(&*child.name, "failure" | "error" | "skipped")),
    )
}

#[test]
fn a_report_of_everything() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[
        ("a/pass", "pass"),
        ("a/skip", "skip"),
        ("a/warn", "warn"),
        ("b/fail", "fail"),
    ]);
    sandbox.mocks(&[
        ("b/known", "fail"),
        ("b/better", "pass"),
        ("b/crash", "abort"),
        ("c/d/steps", "steps"),
    ]);
    sandbox.file("fails", "suite/b/known,Fail\nsuite/b/better,Crash\nsuite/b/gone,Fail\n");
    sandbox
        .run(&["suite", "--mock", "--gen", "ivb,skl", "--out", "out", "--baseline", "fails"])
        .expect(1, &[]);
    let root = report(&sandbox, "out");
    let suites: Vec<_> = root.children.iter().filter_map(|suite| suite.attribute("name")).collect();
    assert_eq!(suites, ["suite/a", "suite/b", "suite/c/d"]);
    let result = |name: &str| case(&root, name).1.map(|element| &*element.name);
    assert_eq!(result("pass [ivb]"), None);
    assert_eq!((result("skip [skl]"), result("known [ivb]")), (Some("skipped"), Some("skipped")));
    assert_eq!((result("fail [ivb]"), result("better [skl]")), (Some("failure"), Some("failure")));
    assert_eq!((result("crash [ivb]"), result("steps [ivb]")), (Some("error"), Some("error")));
    assert_eq!(result("gone [ivb]"), Some("failure"), "a test that is missing is a failure");
    let (fail, failure) = case(&root, "fail [skl]");
    let failure = failure.expect("a failure");
    assert_eq!(fail.attribute("classname"), Some("suite.b"));
    assert_eq!(
        (failure.attribute("type"), failure.attribute("message")),
        (Some("probe"), Some("probe: line 1: pretended"))
    );
    assert!(failure.text.contains("\n  Expected: 1.0\n  Observed: 0.5"), "{}", failure.text);
    let repeat = "\n\nTo repeat: runner suite/b/fail.shader_test --gen skl --mock";
    assert!(failure.text.ends_with(repeat), "{}", failure.text);
    let skipped = |name: &str| case(&root, name).1.and_then(|skip| skip.attribute("message"));
    assert_eq!(skipped("skip [skl]"), Some("require: pretended"));
    assert_eq!(skipped("known [ivb]"), Some("expected fail: probe: line 1: pretended"));
    // A test without a file is repeated by its name.
    let gone = &case(&root, "gone [skl]").1.expect("a failure").text;
    let repeat = "To repeat: runner --gen skl -t '^suite/b/gone$' suite --mock --baseline fails";
    assert!(gone.ends_with(repeat), "{gone}");
    // The time is that of the run.
    let year = |suite: &Element| suite.attribute("timestamp").map(|time| time[..4].to_owned());
    assert!(root.children.iter().all(|suite| year(suite).is_some_and(|year| *year >= *"2025")));
}

/// Tests without a directory in their name have a suite and a class.
#[test]
fn tests_at_the_root() {
    let sandbox = Sandbox::new();
    sandbox.file("tests/alone.shader_test", "mock fail\n");
    sandbox.run(&["tests", "--mock", "--gen", "ivb", "--out", "out"]).expect(1, &[]);
    let root = report(&sandbox, "out");
    assert_eq!(root.children[0].attribute("name"), Some("(root)"));
    assert_eq!(case(&root, "alone [ivb]").0.attribute("classname"), Some("(root)"));
}

#[test]
fn only_failures() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[
        ("a/pass", "pass"),
        ("a/skip", "skip"),
        ("b/fail", "fail"),
        ("b/known", "fail"),
    ]);
    sandbox.file("fails", "suite/b/known,Fail\n");
    sandbox.mock_run(&["--junit-failures-only", "--baseline", "fails"]).expect(1, &[]);
    let root = report(&sandbox, "out");
    let names: Vec<_> = root
        .children
        .iter()
        .flat_map(|suite| suite.all("testcase"))
        .filter_map(|case| case.attribute("name"))
        .collect();
    assert_eq!(names, ["fail [reference]"]);
    // A report without any case is still one.
    sandbox.mock_run(&["--junit-failures-only", "-t", "a/"]).expect(0, &[]);
    assert!(report(&sandbox, "out").children.is_empty());
}

/// Floating-point values with the bits they are, and how far they are apart.
#[test]
fn floats_in_bits() {
    let sandbox = Sandbox::new();
    let test = "[require]\nGLSL >= 4.30\nGL_ARB_shader_storage_buffer_object\n[vertex shader passthrough]\n[fragment shader]\n\
                #version 430\nlayout(std430, binding = 0) buffer B { float f; };\nout vec4 c;\n\
                void main() { f = 1.5; c = vec4(0); }\n[test]\nssbo 0 4\nclear color 0 0 0 0\nclear\n\
                draw rect -1 -1 2 2\nprobe ssbo float 0 0 == 1.25\n";
    sandbox.file("suite/float.shader_test", test);
    sandbox.run(&["suite", "--reference-only", "--out", "out"]).expect(1, &[]);
    let root = report(&sandbox, "out");
    let text = &case(&root, "float").1.expect("a failure").text;
    for part in ["1.5 (0x3fc00000)", "1.25 (0x3fa00000)", "2097152 ULP"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

/// Names that mean something to XML, CSV and terminals.
#[cfg(unix)]
#[test]
fn hostile_names() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let sandbox = Sandbox::new();
    let names: [&[u8]; 7] = [
        b"<&\"'>",
        b"]]>",
        b"a,b",
        b"esc\x1b[31m\x07",
        b"line\nend",
        b"caf\xe9",
        "\u{fffe}\u{85}\u{202e}".as_bytes(),
    ];
    for name in names {
        let name = OsString::from_vec([name, b".shader_test"].concat());
        let folder = sandbox.path("suite/d<&\"'");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), "mock fail").expect("a test");
    }
    let ran = sandbox.mock_run(&[]);
    ran.expect(1, &["[7/7] fail: 7"]);
    let harmless = |text: &str| text.chars().all(|c| !c.is_control() || c == '\n');
    assert!(harmless(&ran.out) && harmless(&ran.err), "{ran:?}");
    assert_eq!(
        ran.out.lines().filter(|line| line.starts_with("fail ")).count(),
        14,
        "one line each, twice"
    );
    let root = report(&sandbox, "out");
    assert_eq!(root.children[0].attribute("name"), Some("suite/d<&\"'"));
    case(&root, "<&\"'> [reference]");
    case(&root, "]]> [reference]");
    case(&root, "esc\\u{1b}[31m\\u{7} [reference]");
    case(&root, "line\\nend [reference]");
    let csv = fs::read_to_string(sandbox.path("out/results.reference.csv")).expect("a CSV");
    assert_eq!(csv.lines().count(), 7, "{csv}");
    assert!(
        csv.contains("\"suite/d<&\"\"'/a,b\",Fail,")
            && csv.chars().all(|c| !c.is_control() || c == '\n'),
        "{csv}"
    );
    // Every result can be told apart and repeated.
    sandbox.run(&["rerun", "out", "--out", "again"]).expect(1, &["[7/7] fail: 7"]);
    let ran = sandbox.run(&["list", "suite"]);
    assert!(harmless(&ran.out) && ran.out.lines().count() == 7, "{ran:?}");
}
