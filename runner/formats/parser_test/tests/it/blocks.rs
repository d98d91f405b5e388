//! `[config]` blocks, well-formed and malformed.

use parser_test::{Outcome, ParserTest, Verdict};
use script::{ContextFacts, ContextRequest};
use std::collections::{BTreeMap, BTreeSet};
use vocabulary::{Phase, Stage};

fn parse(text: &str) -> Result<ParserTest<'_>, String> {
    ParserTest::parse(text.as_bytes(), Stage::Fragment).map_err(|error| error.to_string())
}

#[test]
fn comments_of_every_form() {
    for text in [
        "// [config]\n// expect_result: pass\n// glsl_version: 1.50\n// [end config]\n",
        "/* [config]\n * expect_result: pass\n * glsl_version: 1.50\n * [end config]\n */\n",
        "/*\n * words\n *\n *[config]\n\n *\n * expect_result:  pass \r\n *glsl_version: 1.50\n\
         * [end config] */",
    ] {
        let test = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((test.expected, test.version.number), (Verdict::Accept, 150), "{text}");
        assert!(ParserTest::is_one(text.as_bytes()), "{text}");
    }
}

#[test]
fn shaders_without_a_block() {
    for text in ["", "void main() {}", "x // [config]\n", "[config]\n", "/ [config]"] {
        assert!(!ParserTest::is_one(text.as_bytes()), "{text}");
        assert_eq!(
            parse(text).unwrap_err(),
            "line 1, column 1: the file has no [config] block",
            "{text}"
        );
    }
}

#[test]
fn every_key() {
    let test = parse(
        "// [config]\n// expect_result: fail\n// glsl_version: 3.0 es\n\
         // require_extensions: GL_A !GL_B  GL_C\n// check_link: True\n\
         // dummy_shader_include: true\n// shader_include_path: /dummy\n// [end config]\n",
    )
    .unwrap();
    assert_eq!(test.expected, Verdict::Refuse);
    assert_eq!(test.context(), ContextRequest::Es(30));
    let extensions: Vec<(&str, bool)> =
        test.extensions.iter().map(|extension| (extension.name, extension.present)).collect();
    assert_eq!(extensions, [("GL_A", true), ("GL_B", false), ("GL_C", true)]);
    assert!(test.check_link);
    assert_eq!(test.named_string(), Some("/dummy/path_to/shader_include"));
    assert_eq!(test.include_path, Some("/dummy"));
}

#[test]
fn errors_have_places() {
    let with = |lines: &str| format!("// [config]\n{lines}// [end config]\n");
    let (pass, version) = ("// expect_result: pass\n", "// glsl_version: 1.10\n");
    for (text, error) in [
        (
            with(&format!("{pass}// color: red\n")),
            "line 3, column 4: unknown key of a [config] block: `color`",
        ),
        (with(&format!("{pass}{pass}")), "line 3, column 4: the key occurs twice: `expect_result`"),
        (
            with("// what\n"),
            "line 2, column 1: a line of a [config] block has the form `// key: value`: `// what`",
        ),
        (
            with(&format!("{pass}// glsl_version: 1.1é\n")),
            "line 3, column 21: values have letters, digits, `_ . ! /` and blanks only: `é`",
        ),
        (with(version), "line 1, column 1: the block has no `expect_result`: `// [config]`"),
        (with(pass), "line 1, column 1: the block has no `glsl_version`: `// [config]`"),
        (
            with(&format!("// expect_result: maybe\n{version}")),
            "line 2, column 19: the result is `pass` or `fail`: `maybe`",
        ),
        (
            with(&format!("{pass}// glsl_version: 1.70\n")),
            "line 3, column 18: there is no such version of GLSL: `1.70`",
        ),
        (
            with(&format!("{pass}{version}// check_link: 1\n")),
            "line 4, column 16: `check_link` is `true` or `false`: `1`",
        ),
        (
            "// [config]\n".to_owned() + pass,
            "line 1, column 1: the block has no [end config]: `// [config]`",
        ),
    ] {
        assert_eq!(parse(&text).unwrap_err(), error, "{text}");
    }
}

fn requirements(text: &str, stage: Stage, glsl_version: u32, names: &[&str]) -> Result<(), String> {
    let test = ParserTest::parse(text.as_bytes(), stage).unwrap();
    let extensions: BTreeSet<String> = names.iter().map(|&name| name.to_owned()).collect();
    test.check_requirements(&ContextFacts {
        es: false,
        gl_version: 33,
        glsl_version,
        extensions: &extensions,
        limits: &BTreeMap::new(),
        spirv: false,
    })
}

#[test]
fn requirements_in_order() {
    let text = "// [config]\n// expect_result: pass\n// glsl_version: 3.30\n\
                // require_extensions: !GL_A GL_B\n// [end config]\n";
    let check = |glsl, names: &[&str]| requirements(text, Stage::Fragment, glsl, names);
    assert_eq!(check(150, &[]), Err("line 3: needs GLSL 3.30, has 1.50".to_owned()));
    assert_eq!(check(330, &["GL_A"]), Err("line 4: must not have GL_A".to_owned()));
    assert_eq!(check(330, &[]), Err("line 4: needs GL_B".to_owned()));
    assert_eq!(check(330, &["GL_B"]), Ok(()));
    let stage = requirements(text, Stage::Compute, 330, &["GL_B"]);
    assert!(stage.is_err_and(|reason| reason.contains("compute shaders")));
}

/// Stages that are added, by the needs of OpenGL (4.6, 7.3) and OpenGL ES (2.0, 2.10.3).
#[test]
fn companions() {
    let added = |version: &str, stage| {
        let text = format!(
            "// [config]\n// expect_result: pass\n// glsl_version: {version}\n// [end config]\n"
        );
        let test = ParserTest::parse(text.as_bytes(), stage).unwrap();
        test.companions().into_iter().map(|added| (added.stage, added.text)).collect::<Vec<_>>()
    };
    let stages = |version: &str, stage| -> Vec<Stage> {
        added(version, stage).into_iter().map(|(stage, _)| stage).collect()
    };
    assert_eq!(stages("1.10", Stage::Vertex), []);
    assert_eq!(stages("1.00", Stage::Vertex), [Stage::Fragment]);
    assert_eq!(stages("3.00", Stage::Fragment), [Stage::Vertex]);
    assert_eq!(stages("3.20", Stage::Geometry), []);
    assert_eq!(stages("1.50", Stage::Geometry), [Stage::Vertex]);
    assert_eq!(stages("4.00", Stage::TessControl), [Stage::Vertex, Stage::TessEval]);
    assert!(added("3.00", Stage::Fragment)[0].1.starts_with("#version 300 es\n"));
    assert!(added("1.00", Stage::Fragment)[0].1.starts_with("#version 100\n"));
    assert!(added("1.50 compat", Stage::Geometry)[0].1.starts_with("#version 150\n"));
}

#[test]
fn answers() {
    let refused = Outcome::Refused(Phase::Frontend, "no".to_owned());
    let broken = Outcome::Broken(Phase::Link, "no".to_owned());
    for (verdict, met) in
        [(Verdict::Accept, [true, false, false]), (Verdict::Refuse, [false, true, false])]
    {
        let outcomes = [&Outcome::Accepted(Phase::Link), &refused, &broken];
        assert_eq!(outcomes.map(|outcome| verdict.is_met_by(outcome)), met);
    }
}
