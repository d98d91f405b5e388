//! Profiles as piglit writes them.

use std::path::{Path, PathBuf};

use piglit_profile::{Argument, Profile, ProfileError, Program, Work};

fn list(tests: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<PiglitTestList name=\"p\">{tests}</PiglitTestList>"
    )
}

fn works(tests: &str) -> Vec<Work> {
    let profile = Profile::parse(&list(tests)).unwrap_or_else(|error| panic!("{error}"));
    profile.tests.into_iter().map(|test| test.work).collect()
}

fn program(test: &str) -> Program {
    match works(test).remove(0) {
        Work::Program(program) => program,
        other => panic!("{other:?}"),
    }
}

fn test(class: &str, options: &[(&str, &str)]) -> String {
    let option = |(name, value): &(&str, &str)| {
        let value = value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        format!("<option name=\"{name}\" value=\"{value}\" />")
    };
    let options: String = options.iter().map(option).collect();
    format!("<Test type=\"{class}\" name=\"spec@x@&lt;y&gt;\">{options}</Test>")
}

#[test]
fn files() {
    let glsl = [("command", "['glslparsertest', 'tests/a.frag', 'pass', '1.10']")];
    let assembly = [("type_", "'ARBvp1.0'"), ("filename", "'tests/b.txt'")];
    let both = [("prog", "'shader_runner'"), ("files", "['c/d.shader_test', 'c/e.shader_test']")];
    let tests = [
        test("shader", &[("command", "['shader_runner', 'tests/a.shader_test']")]),
        test("glsl_parser", &glsl),
        test("asm_parser", &assembly),
        test("vkrunner", &[("filename", "'f.vk_shader_test'")]),
        test("multi_shader", &both),
    ];
    let files = |names: &[&str]| Work::Files(names.iter().map(PathBuf::from).collect());
    let expected = [
        files(&["tests/a.shader_test"]),
        files(&["tests/a.frag"]),
        files(&["tests/b.txt"]),
        files(&["f.vk_shader_test"]),
        files(&["c/d.shader_test", "c/e.shader_test"]),
    ];
    assert_eq!(works(&tests.concat()), expected);
}

#[test]
fn programs() {
    let line = |test: &str| -> Vec<String> {
        let line = program(test).line(Path::new("/p"));
        line.into_iter().map(|word| word.into_string().expect("text")).collect()
    };
    let command = ("command", r#"['a', '', "it's <&"]"#);
    assert_eq!(line(&test("gl", &[command])), ["/p/bin/a", "", "it's <&", "-auto", "-fbo"]);
    let serial = [command, ("run_concurrent", "False")];
    assert_eq!(line(&test("gl", &serial)), ["/p/bin/a", "", "it's <&", "-auto"]);
    assert!(!program(&test("gl", &serial)).is_concurrent);
    assert_eq!(line(&test("cl", &[command])), ["/p/bin/a", "", "it's <&"]);
    let constants = test("gl_builtin", &[("command", "['c', 'spec/m.txt']")]);
    assert_eq!(line(&constants), ["/p/bin/c", "/p/tests/spec/m.txt"]);
    let kernel = test("cl_prog", &[("filename", "'tests/cl/a.cl'")]);
    assert_eq!(line(&kernel), ["/p/bin/cl-program-tester", "/p/tests/cl/a.cl"]);
    let checked = test("shader", &[("command", "['/q/s', 'a.shader_test', '-khr_no_error']")]);
    assert_eq!(line(&checked), ["/q/s", "/p/a.shader_test", "-auto", "-fbo"]);
}

#[test]
fn environment_and_platforms() {
    let text = "<Test type=\"gl\" name=\"a\"><option name=\"command\" value=\"['a']\" />\
        <option name=\"require_platforms\" value=\"['glx', 'gbm']\" />\
        <option name=\"cwd\" value=\"'tests'\" />\
        <environment><env name=\"vblank_mode\" value=\"0\" /></environment></Test>";
    let program = program(text);
    assert_eq!(program.environment, [("vblank_mode".to_owned(), "0".to_owned())]);
    assert_eq!(program.required_platforms, ["glx", "gbm"]);
    assert_eq!(program.directory.as_deref(), Some(Path::new("tests")));
    assert_eq!(program.arguments[0], Argument::Word("-auto".to_owned()));
}

/// Options inside of `Skips` are those of the parts.
#[test]
fn skips_of_parts() {
    let text = "<Test type=\"multi_shader\" name=\"a\"><option name=\"files\" value=\"['b']\" />\
        <Skips><Skip><option name=\"files\" value=\"['c']\" /></Skip></Skips></Test>";
    assert_eq!(works(text), [Work::Files(vec!["b".into()])]);
}

#[test]
fn unknown_classes_are_named() {
    assert_eq!(works(&test("xts", &[])), [Work::Unsupported("xts".to_owned())]);
}

#[test]
fn meta_profiles_list_others() {
    let text = "<?xml version=\"1.0\"?>\n<PiglitMetaProfile>\n<!-- both -->\n  \
        <Profile>quick_gl</Profile>\n  <Profile> a.no_isolation </Profile></PiglitMetaProfile>\n";
    let profile = Profile::parse(text).expect("a profile");
    assert_eq!(profile.profiles, ["quick_gl", "a.no_isolation"]);
    assert!(profile.tests.is_empty());
}

#[test]
fn errors_have_lines() {
    for (text, line, message) in [
        ("", 1, "an empty file"),
        ("\n<html></html>", 2, "no profile of piglit: the file begins with `<html>`"),
        ("<PiglitTestList>\n<Test type=\"gl\"/>", 2, "`<Test>` has no attribute `name`"),
        (
            "<PiglitTestList>\n\n<Test type=\"gl\" name=\"a\"/>",
            3,
            "`a`: the option `command` is missing",
        ),
    ] {
        let error = Profile::parse(text).expect_err(text);
        let message = message.to_owned();
        assert_eq!(error, ProfileError::Malformed { line, message });
    }
    for text in ["<PiglitTestList><Test", "<PiglitTestList>\n</Test>", "plain"] {
        assert!(Profile::parse(text).is_err(), "{text}");
    }
}
