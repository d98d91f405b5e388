//! The server side of the protocol: this project's compiler for other programs (`runner
//! serve-compiler`).

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use compiler::output::Width;

use crate::executors::context_for;
use crate::external::{Answer, PROTOCOL, Request, stage_of_name};
use crate::front::{Linked, build};
use crate::hardware::{chip, devinfo};
use results::verdict::Verdict;
use vocabulary::Target;

/// Answers requests until the end of the input. A line that is no request gets an answer with id 0
/// and a message.
///
/// # Errors
/// Fails if input or output fails.
pub fn serve(input: &mut impl BufRead, output: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let answer = match serde_json::from_slice::<Request>(&line) {
            Ok(request) => answer(&request),
            Err(error) => Answer::refusal(0, "script", format!("not a request: {error}")),
        };
        let mut text = serde_json::to_vec(&answer)?;
        text.push(b'\n');
        output.write_all(&text)?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

fn answer(request: &Request) -> Answer {
    match compile(request) {
        Ok(answer) => answer,
        Err((phase, message)) => Answer::refusal(request.id, &phase, message),
    }
}

/// Phase and message.
type Refusal = (String, String);

fn compile(request: &Request) -> Result<Answer, Refusal> {
    let bad = |message: String| ("script".to_owned(), message);
    if request.protocol != PROTOCOL {
        return Err(bad(format!("protocol {} is not protocol {PROTOCOL}", request.protocol)));
    }
    let generation = match Target::parse_list(&request.generation).as_deref() {
        Ok(&[generation]) => generation,
        _ => return Err(bad(format!("`{}` is no generation", request.generation))),
    };
    let stage = stage_of_name(&request.stage)
        .ok_or_else(|| bad(format!("`{}` is no stage", request.stage)))?;
    let key = request.key.stage_key().map_err(bad)?;
    let text = file(request);
    let script = script::parse(text.as_bytes()).map_err(|error| bad(error.to_string()))?;
    let capabilities = context_for(&script, generation).map_err(refusal)?;
    let program = match build(&script, capabilities).map_err(refusal)? {
        Linked::Program(program) | Linked::Pipeline(program, _) => program,
        Linked::Failed(log) => return Err(("link".to_owned(), log)),
        Linked::Nothing => return Err(("link".to_owned(), "there are no GLSL shaders".to_owned())),
    };
    let options = compiler::CodegenOptions {
        widths: widths(request).map_err(bad)?,
        ..compiler::CodegenOptions::default()
    };
    let refused = |error: compiler::CompileError| (error.phase().name().to_owned(), error.reason());
    let unwritten = |message| ("encode".to_owned(), message);
    if let Some(chip) = chip(generation) {
        let output = compiler::compile_amd(&program, stage, &key, chip, &options);
        let output = output.map_err(refused)?;
        return Answer::amd_program(request.id, &output, stage).map_err(unwritten);
    }
    let devinfo =
        devinfo(generation).ok_or_else(|| bad(format!("{generation} has no instruction set")))?;
    let binary = compiler::compile(&program, stage, &key, devinfo, &options).map_err(refused)?;
    Answer::binary(request.id, &binary).map_err(unwritten)
}

/// Returns the request's sections as a test file.
fn file(request: &Request) -> String {
    let mut text = String::new();
    for section in &request.sections {
        // Writing to a string cannot fail.
        let _ = write!(text, "[{}]\n{}", section.section, section.text);
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

fn widths(request: &Request) -> Result<Vec<Width>, String> {
    let width = |name: &String| {
        let all = [Width::Vec4, Width::Simd8, Width::Simd16, Width::Simd32, Width::Wave64];
        all.into_iter()
            .find(|width| width.name() == name)
            .ok_or_else(|| format!("`{name}` is no width"))
    };
    request.widths.iter().map(width).collect()
}

fn refusal(verdict: Verdict) -> Refusal {
    let (phase, reason) = verdict.cause.unzip();
    (phase.map_or("frontend", |phase| phase.name()).to_owned(), reason.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::{Key, sections};
    use program::StageKey;

    const TEST: &str = "[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\nuniform vec4 c;\n\
                        void main() { gl_FragColor = c; }\n[test]\ndraw rect -1 -1 2 2\n";

    fn request() -> Request {
        let script = script::parse(TEST.as_bytes()).unwrap();
        Request {
            protocol: PROTOCOL,
            id: 3,
            test: "a".into(),
            generation: "ivb".into(),
            stage: "fragment".into(),
            sections: sections(&script),
            key: Key::new(&StageKey { samples: 1, ..crate::plain_key() }),
            widths: vec!["SIMD8".into()],
        }
    }

    fn answers(text: &[u8]) -> Vec<Answer> {
        let mut output = Vec::new();
        serve(&mut &text[..], &mut output).unwrap();
        output
            .split(|&b| b == b'\n')
            .filter(|l| !l.is_empty())
            .map(|l| serde_json::from_slice(l).unwrap())
            .collect()
    }

    #[test]
    fn a_binary_comes_back() {
        let [answer] = &answers(&serde_json::to_vec(&request()).unwrap())[..] else {
            panic!("one answer")
        };
        assert_eq!((answer.id, &answer.error), (3, &None));
        let binary = answer.clone().into_binary(program::Stage::Fragment).unwrap();
        assert_eq!((binary.generation.as_str(), binary.compiled.kernels.len()), ("ivb", 1));
        assert!(compiler::validate(devinfo(Target::IVB).unwrap(), &binary).is_ok());
        assert!(answer.clone().into_binary(program::Stage::Vertex).is_err());
    }

    #[test]
    fn refusals_name_the_layer() {
        let with = |change: &dyn Fn(&mut Request)| {
            let mut request = request();
            change(&mut request);
            serde_json::to_vec(&request).unwrap()
        };
        let table: [(Vec<u8>, &str, &str); 7] = [
            (b"nonsense\n".to_vec(), "script", "not a request"),
            (with(&|r| r.protocol = 2), "script", "protocol 2"),
            (with(&|r| r.generation = "gen7".into()), "script", "`gen7`"),
            (with(&|r| r.stage = "pixel".into()), "script", "`pixel`"),
            (with(&|r| r.widths = vec!["SIMD4".into()]), "script", "`SIMD4`"),
            (with(&|r| r.sections[2].text = "void mean() {}".into()), "link", "main"),
            (
                with(&|r| r.sections[2].text = "void main() { x; }".into()),
                "frontend",
                "Failed to compile FS",
            ),
        ];
        for (line, phase, message) in table {
            let [answer] = &answers(&line)[..] else { panic!("one answer") };
            let error = answer.error.as_ref().unwrap();
            assert_eq!(error.phase, phase, "{error:?}");
            assert!(error.message.contains(message), "{message} in {error:?}");
        }
    }
}
