//! `tests/rules/*.txt`: sentences of the language specifications as programs that are legal, and the same made illegal.

use glsl::{CompileOptions, compile};
use program::{Stage, TypeTable};

/// Stage and language of a word: `es` is an ES fragment shader, `esv` an ES vertex shader.
fn stage(word: &str) -> (Stage, bool) {
    match word {
        "vs" => (Stage::Vertex, false),
        "tcs" => (Stage::TessControl, false),
        "tes" => (Stage::TessEvaluation, false),
        "gs" => (Stage::Geometry, false),
        "fs" => (Stage::Fragment, false),
        "cs" => (Stage::Compute, false),
        "es" => (Stage::Fragment, true),
        "esv" => (Stage::Vertex, true),
        other => panic!("`{other}` is no stage"),
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

fn check(line: &str) -> Result<(), String> {
    let (head, source) = line.split_once(" : ").expect("STAGE VERSION : source");
    let (word, version) = head.split_once(' ').expect("stage and version");
    let (stage, es) = stage(word);
    let suffix = if es && version != "100" { " es" } else { "" };
    let main = if source.contains("main") { "" } else { "\nvoid main() {}" };
    let text = format!("#version {version}{suffix}\n{}{main}\n", source.replace("\\n", "\n"));
    let mut types = TypeTable::default();
    compile(&[&text], stage, CompileOptions::default(), &mut types).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn legal_programs_compile_and_illegal_ones_do_not() {
    let text = [include_str!("rules/pairs.txt"), include_str!("rules/declarations.txt")];
    let lines =
        text.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut wrong = Vec::new();
    for line in lines {
        assert!(line.matches('⟦').count() == line.matches('‖').count(), "{line}");
        if let Err(error) = check(&choose(line, false)) {
            wrong.push(format!("legal, but refused: {line}\n    {error}"));
        }
        if check(&choose(line, true)).is_ok() {
            wrong.push(format!("illegal, but accepted: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
