//! The front end alone: a shader or an assembly program is checked, and linked if the test asks
//! for it.

use glsl::{CompileOptions, ExtensionNames, NamedStrings};
use parser_test::{AssemblyTarget, AssemblyTest, Outcome, ParserTest};
use program::link::GeometryParameters;
use program::{Api, Capabilities, LinkOptions, Shader, Stage, TypeTable};

use super::log;
use results::verdict::Phase;

/// Checks a shader in a context that meets the test's requirements.
pub(crate) fn shader(test: &ParserTest<'_>, capabilities: &Capabilities) -> Outcome {
    let mut types = TypeTable::default();
    let mut strings = NamedStrings::default();
    if let Some(path) = test.named_string() {
        strings.insert(path, b"");
    }
    if let Some(path) = test.include_path {
        strings.add_search_path(path);
    }
    let mut options = options(capabilities);
    options.includes = Some(Box::new(strings));
    let shader = match glsl::compile(&[test.source], test.stage, options, &mut types) {
        Ok(shader) => shader,
        Err(diagnostics) => return Outcome::Refused(Phase::Frontend, log(&diagnostics, 0, 1)),
    };
    if test.check_link {
        link(test, shader, types, capabilities)
    } else {
        Outcome::Accepted(Phase::Frontend)
    }
}

fn link(
    test: &ParserTest<'_>,
    shader: Shader,
    mut types: TypeTable,
    capabilities: &Capabilities,
) -> Outcome {
    let mut shaders = vec![shader];
    for companion in test.companions() {
        let (stage, text) = (companion.stage, companion.text);
        match glsl::compile(&[text], stage, options(capabilities), &mut types) {
            Ok(shader) => shaders.push(shader),
            Err(diagnostics) => {
                let log = log(&diagnostics, 0, 1);
                let reason = format!("the {stage} shader that a program needs: {log}");
                return Outcome::Broken(Phase::Frontend, reason);
            }
        }
    }
    let geometry =
        GeometryParameters { max_vertices: test.vertices_out(), ..GeometryParameters::default() };
    let options = LinkOptions { geometry, ..LinkOptions::new(capabilities) };
    match program::link(shaders, types, &options) {
        Ok(_) => Outcome::Accepted(Phase::Link),
        Err(error) => Outcome::Refused(Phase::Link, error.to_string()),
    }
}

/// Returns the compile options of a context.
fn options(capabilities: &Capabilities) -> CompileOptions<'_> {
    let extensions = &capabilities.table().extensions;
    let mut options = CompileOptions {
        extensions: Some(ExtensionNames::remembered(extensions)),
        ..CompileOptions::new(capabilities)
    };
    if capabilities.api() == Api::Es {
        (options.default_version.number, options.default_version.es) = (100, true);
    }
    options
}

/// Checks an assembly program, with each kind of line ends.
pub(crate) fn assembly(test: &AssemblyTest<'_>, capabilities: &Capabilities) -> Outcome {
    let (target, stage) = match test.target {
        AssemblyTarget::ArbVertex => (legacy::arb::ProgramTarget::Vertex, Stage::Vertex),
        AssemblyTarget::ArbFragment => (legacy::arb::ProgramTarget::Fragment, Stage::Fragment),
        AssemblyTarget::NvVertex | AssemblyTarget::NvFragment => {
            let reason = format!("no program of {} can be checked", test.target.extension());
            return Outcome::Broken(Phase::Require, reason);
        }
    };
    let answers = test.line_ends().map(|text| {
        let text = String::from_utf8_lossy(&text);
        legacy::arb::translate(&text, target).map_err(|error| {
            format!("line {}, column {}: {}", error.line, error.column, error.message)
        })
    });
    match answers {
        [Ok(glsl), Ok(_)] => {
            let mut types = TypeTable::default();
            match glsl::compile(&[glsl], stage, options(capabilities), &mut types) {
                Ok(_) => Outcome::Accepted(Phase::Frontend),
                Err(diagnostics) => {
                    let log = log(&diagnostics, 0, 1);
                    Outcome::Broken(Phase::Frontend, format!("the program as GLSL: {log}"))
                }
            }
        }
        [Err(log), Err(_)] => Outcome::Refused(Phase::Frontend, log),
        [Ok(_), Err(log)] => {
            Outcome::Broken(Phase::Frontend, format!("lines that end in CR LF: {log}"))
        }
        [Err(log), Ok(_)] => {
            Outcome::Broken(Phase::Frontend, format!("lines that end in LF alone: {log}"))
        }
    }
}
