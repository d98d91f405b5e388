//! CHECK lines: accepted forms and errors.

use super::*;
use crate::{ParseError, Script, parse};

/// A file whose `[test]` has these lines from line 3.
fn file(lines: &[&str]) -> Vec<u8> {
    format!("[require]\n[test]\n{}\n", lines.join("\n")).into_bytes()
}

fn with_blocks<T>(lines: &[&str], check: impl FnOnce(&Script<'_>) -> T) -> T {
    let file = file(lines);
    check(&parse(&file).unwrap_or_else(|error| panic!("{error}: {lines:?}")))
}

fn error(lines: &[&str]) -> ParseError {
    parse(&file(lines)).expect_err(lines[0])
}

#[test]
fn blocks_and_scopes() {
    let lines = [
        "# CHECK(ivb,hsw fragment SIMD8 eu): mov(8)",
        "  #\tCHECK-NOT:  mul(8) ",
        "clear",
        "#CHECK-NEXT: add\r",
        "# CHECK-COUNT-2(intel tessellation-control ir): x",
        "# CHECKED, CHECK and a CHECK-LABEL: are ordinary comments",
        "# CHECKSUM: too",
    ];
    with_blocks(&lines, |script| {
        let [first, second] = &script.checks[..] else { panic!("{:?}", script.checks) };
        assert_eq!(first.scope.generations, [Generation::Ivb, Generation::Hsw]);
        assert_eq!((first.scope.stage, first.scope.form), (Stage::Fragment, CodeForm::Eu));
        assert_eq!(first.scope.width, Some(Width::Simd8));
        let seen: Vec<_> = first.checks.iter().map(|c| (c.line, c.kind, c.text)).collect();
        let expected = [
            (3, CheckKind::Plain, "mov(8)"),
            (4, CheckKind::Not, "mul(8)"),
            (6, CheckKind::Next, "add"),
        ];
        assert_eq!(seen, expected);
        assert_eq!(script.slice(first.checks[1].span), "CHECK-NOT:  mul(8)");
        assert_eq!(second.scope.generations, Generation::INTEL);
        assert_eq!((second.scope.stage, second.scope.width), (Stage::TessControl, None));
        assert_eq!(second.checks[0].kind, CheckKind::Count(2));
        // The commands are those without the comments.
        assert_eq!(script.test.as_deref().map(<[_]>::len), Some(1));
    });
}

#[test]
fn patterns() {
    use PatternPart::{Define, Literal, Regex, Use};
    let text = |t: &str| t.to_owned();
    for (pattern, parts) in [
        ("mov(8) g1<1>F", vec![Literal(text("mov(8) g1<1>F"))]),
        ("a {{x|y}}b", vec![Literal(text("a ")), Regex(text("x|y")), Literal(text("b"))]),
        (
            "[[R:g[0-9]+]] [[R2:[x]y]]",
            vec![
                Define(text("R"), text("g[0-9]+")),
                Literal(text(" ")),
                Define(text("R2"), text("[x]y")),
            ],
        ),
        ("[not special] {x}", vec![Literal(text("[not special] {x}"))]),
    ] {
        // A pattern is parsed alone: whether its variables exist is another question.
        let parsed = parse_pattern(pattern, pattern).map(|pattern| pattern.parts);
        match parsed {
            Ok(parsed) => assert_eq!(parsed, parts, "{pattern}"),
            Err(fault) => panic!("{pattern}: {}", fault.message),
        }
    }
    let used = parse_pattern("", "[[R]] +").expect("a pattern");
    assert_eq!(used.parts, [Use(text("R")), Literal(text(" +"))]);
    let source = used.source(|name| Some(format!("{name}.1")));
    assert_eq!(source, "R\\.1[ \\t]+\\+");
}

#[test]
fn malformed_lines() {
    let block = "# CHECK(ivb fragment eu): a";
    for (lines, line, column, message) in [
        (&["# CHECK: a"][..], 3, 3, "the first CHECK line needs a scope"),
        (&["# CHECK-NXT(ivb fragment eu): a"], 3, 3, "unknown CHECK line"),
        (&["# CHECK(ivb fragment eu) a"], 3, 3, "`:` is expected after `)`"),
        (&["# CHECK(ivb fragment eu: a"], 3, 3, "`(` is not closed"),
        (&["# CHECK-NOT a"], 3, 3, "there is no `:`"),
        (&["# CHECK(ivb eu): a"], 3, 9, "a scope has generations, stage"),
        (&["# CHECK(ivy fragment eu): a"], 3, 9, "unknown generation `ivy`"),
        (&["# CHECK(ivb pixel eu): a"], 3, 13, "unknown stage"),
        (&["# CHECK(ivb fragment SIMD9 eu): a"], 3, 22, "unknown width"),
        (&["# CHECK(ivb fragment asm): a"], 3, 22, "`ir` or `eu`"),
        (&["# CHECK(ivb fragment SIMD8 ir): a"], 3, 9, "IR has no width"),
        (&["# CHECK(ivb fragment eu):  "], 3, 3, "the pattern matches empty text"),
        (&["# CHECK(ivb fragment eu): {{x*}}"], 3, 27, "the pattern matches empty text"),
        (&["# CHECK(ivb fragment eu): {{(x}}"], 3, 27, "no regular expression: unclosed group"),
        (&["# CHECK(ivb fragment eu): {{x"], 3, 27, "`{{` is not closed"),
        (&["# CHECK(ivb fragment eu): a [[X"], 3, 29, "`[[` is not closed"),
        (&["# CHECK(ivb fragment eu): [[1:x]]"], 3, 29, "a variable is named by"),
        (&["# CHECK(ivb fragment eu): [[X:(]]"], 3, 27, "no regular expression"),
        (&["# CHECK(ivb fragment eu): [[X]]"], 3, 3, "no line before defines the variable `X`"),
        (&["# CHECK(ivb fragment eu): [[X:a]] [[X]]"], 3, 3, "no line before defines"),
        (&["# CHECK-NEXT(ivb fragment eu): a"], 3, 3, "CHECK-NEXT needs a match before it"),
        (&["# CHECK-NOT(ivb fragment eu): [[X:a]]"], 3, 3, "CHECK-NOT cannot define a variable"),
        (&["# CHECK-COUNT-0(ivb fragment eu): a"], 3, 3, "a number from 1 to"),
        (&["# CHECK-COUNT-x(ivb fragment eu): a"], 3, 3, "a number from 1 to"),
        (&[block, "# CHECK-COUNT-2: [[X:a]]"], 4, 3, "CHECK-COUNT-2 cannot define a variable"),
        (&[block, "# CHECK-LABEL: [[X:a]]"], 4, 3, "CHECK-LABEL cannot define a variable"),
        (
            &["# CHECK(ivb fragment eu): [[X:a]]", "# CHECK-LABEL: [[X]]"],
            4,
            3,
            "CHECK-LABEL cannot use the variable `X`",
        ),
        // Variables belong to their block.
        (
            &["# CHECK(ivb fragment eu): [[X:a]]", "# CHECK(hsw fragment eu): [[X]]"],
            4,
            3,
            "no line before defines the variable `X`",
        ),
    ] {
        let error = error(lines);
        assert_eq!(
            (error.line, error.column, error.kind),
            (line, column, ErrorKind::Check),
            "{error}"
        );
        assert!(error.message.starts_with(message), "{error} instead of {message}");
    }
}

#[test]
fn lines_in_other_sections_are_errors() {
    for text in [
        "# CHECK(ivb fragment eu): a\n[require]\n[test]\n",
        "[require]\n# CHECK-NOT(ivb fragment eu): a\n[test]\n",
        "[require]\nGLSL >= 1.10\n[fragment shader]\nvoid main() {}\n  // CHECK(ivb fragment eu): a\n[test]\n",
    ] {
        let error = parse(text.as_bytes()).expect_err(text);
        assert_eq!(error.kind, ErrorKind::Check, "{error}");
        assert!(error.message.contains("[test]") && error.text.contains("eu): a"), "{error}");
    }
    // Words that only look alike.
    let text = "# CHECK: this\n[require]\n# CHECK(this\n[vertex data]\n[test]\n";
    assert!(parse(text.as_bytes()).is_ok());
}

#[test]
fn comments_of_any_bytes_are_no_errors() {
    assert!(parse(b"[require]\n[test]\n# CHECK \xff\n").is_ok());
    let error = parse(b"[require]\n[test]\n# CHECK(ivb fragment eu): \xff\n").expect_err("bytes");
    assert_eq!(error.message, "a CHECK line is not valid UTF-8");
}
