//! Rules of the language. `tests/rules/sections` has the list with a sentence for each; the pairs
//! in `tests/rules/*.txt` are further cases: legal programs, each with an illegal variant.

mod check;
mod compare;
mod sections;

use glsl::{CompileOptions, compile};
use program::{LinkOptions, Shader, Stage, TypeTable};

/// Stage and language of a word: `es` is an ES fragment shader, `esv` an ES vertex shader.
fn stage(word: &str) -> (Stage, bool) {
    match word {
        "vs" => (Stage::Vertex, false),
        "tcs" => (Stage::TessControl, false),
        "tes" => (Stage::TessEval, false),
        "gs" => (Stage::Geometry, false),
        "fs" => (Stage::Fragment, false),
        "cs" => (Stage::Compute, false),
        "es" => (Stage::Fragment, true),
        "esv" => (Stage::Vertex, true),
        other => panic!("`{other}` is not a stage"),
    }
}

/// The first or second of each pair of alternatives.
fn choose(line: &str, second: bool) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('⟦') {
        let (pair, after) = after.split_once('⟧').expect("a closed pair");
        let (legal, illegal) = pair.split_once('‖').expect("a pair");
        text += before;
        text += if second { illegal } else { legal };
        rest = after;
    }
    text + rest
}

fn compile_one(line: &str, types: &mut TypeTable) -> Result<Shader, String> {
    let (head, source) = line.split_once(" : ").expect("STAGE VERSION : source");
    let (word, version) = head.split_once(' ').expect("stage and version");
    let (stage, es) = stage(word);
    let suffix = if es && version != "100" { " es" } else { "" };
    let main = if source.contains("main") { "" } else { "\nvoid main() {}" };
    let text = format!("#version {version}{suffix}\n{}{main}\n", source.replace("\\n", "\n"));
    compile(&[&text], stage, CompileOptions::default(), types).map_err(|e| e.to_string())
}

fn compiles(line: &str) -> Result<(), String> {
    compile_one(line, &mut TypeTable::default()).map(|_| ())
}

/// Links the shaders of a line, of which every one must compile; one alone is a separable program.
fn links(line: &str) -> Result<(), String> {
    let mut types = TypeTable::default();
    let shaders = line.split(" && ").map(|shader| compile_one(shader, &mut types));
    let shaders: Result<Vec<Shader>, String> = shaders.collect();
    let shaders = shaders.unwrap_or_else(|error| panic!("{line}\n{error}"));
    let capabilities = crate::support::everything();
    let options = LinkOptions { separable: shaders.len() == 1, ..LinkOptions::new(&capabilities) };
    program::link(shaders, types, &options).map(|_| ()).map_err(|e| e.to_string())
}

/// Pairs of which not exactly the legal one is accepted.
fn wrong(text: &str, accept: fn(&str) -> Result<(), String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        assert!(line.matches('⟦').count() == line.matches('‖').count(), "{line}");
        if let Err(error) = accept(&choose(line, false)) {
            wrong.push(format!("legal, but refused: {line}\n    {error}"));
        }
        if accept(&choose(line, true)).is_ok() {
            wrong.push(format!("illegal, but accepted: {line}"));
        }
    }
    wrong
}

#[test]
fn legal_programs_compile_and_illegal_ones_do_not() {
    for text in [
        include_str!("../../rules/preprocessor.txt"),
        include_str!("../../rules/pairs.txt"),
        include_str!("../../rules/declarations.txt"),
        include_str!("../../rules/chapters.txt"),
        include_str!("../../rules/expressions.txt"),
        include_str!("../../rules/builtins.txt"),
        include_str!("../../rules/embedded.txt"),
    ] {
        let wrong = wrong(text, compiles);
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }
}

#[test]
fn legal_programs_link_and_illegal_ones_do_not() {
    let wrong = wrong(include_str!("../../rules/linking.txt"), links);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// ARB_gpu_shader_fp64, section 4.1.10: `int` becomes `uint` if ARB_gpu_shader5 is supported.
#[test]
fn doubles_bring_unsigned_conversions_where_gpu_shader5_is_supported() {
    let source = "#version 150\n#extension GL_ARB_gpu_shader_fp64 : enable\n\
                  uint f(int i) { uint u = i; return u; }\nvoid main() {}\n";
    let compiles = |missing: &[&str]| {
        let capabilities = crate::support::everything_but(missing);
        let options = CompileOptions::new(&capabilities);
        compile(&[source], Stage::Fragment, options, &mut TypeTable::default()).is_ok()
    };
    assert!(compiles(&["GL_NV_gpu_shader5"]));
    assert!(!compiles(&["GL_NV_gpu_shader5", "GL_ARB_gpu_shader5"]));
}
