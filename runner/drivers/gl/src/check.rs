//! Programs that the driver's front end accepts or refuses, as piglit's `glslparsertest` and
//! `asmparsertest` ask it.

use parser_test::{AssemblyTarget, AssemblyTest, Outcome, ParserTest};
use vocabulary::{Phase, Stage};

use crate::api::Api;
use crate::bindings::gl;
use crate::capabilities::clear_errors;
use crate::run::{Objects, stage_enum};

/// Compiles a shader. A shader that compiles is linked in any case, so that the linker is tested,
/// too; its answer counts if the test says so.
pub(crate) fn shader(api: &Api, test: &ParserTest<'_>) -> Outcome {
    let mut objects = Objects::default();
    let outcome = compile_and_link(api, test, &mut objects);
    objects.delete(api);
    outcome
}

fn compile_and_link(api: &Api, test: &ParserTest<'_>, objects: &mut Objects) -> Outcome {
    if let Some(path) = test.named_string() {
        api.named_string(path, b"");
        objects.named_strings.push(path.to_owned());
    }
    let paths: Vec<&str> = test.include_path.into_iter().collect();
    let shader = match compile(api, test.stage, test.source, &paths, objects) {
        Ok(shader) => shader,
        Err(log) => return Outcome::Refused(Phase::Frontend, log),
    };
    let mut shaders = vec![shader];
    for companion in test.companions() {
        match compile(api, companion.stage, companion.text.as_bytes(), &[], objects) {
            Ok(shader) => shaders.push(shader),
            Err(log) => {
                let stage = companion.stage;
                let reason = format!("the {stage} shader that a program needs: {log}");
                return Outcome::Broken(Phase::Frontend, reason);
            }
        }
    }
    let linked = link(api, &shaders, test.vertices_out(), objects);
    match linked {
        _ if !test.check_link => Outcome::Accepted(Phase::Frontend),
        Ok(()) => Outcome::Accepted(Phase::Link),
        Err(log) => Outcome::Refused(Phase::Link, log),
    }
}

/// Returns a compiled shader, or the compiler's messages.
fn compile(
    api: &Api,
    stage: Stage,
    text: &[u8],
    paths: &[&str],
    objects: &mut Objects,
) -> Result<u32, String> {
    let shader = api.create_shader(stage_enum(stage));
    objects.shaders.push(shader);
    api.shader_source(shader, &[text]);
    match paths {
        [] => api.compile_shader(shader),
        paths => api.compile_shader_include(shader, paths),
    }
    match api.get_shader(shader, gl::COMPILE_STATUS) {
        0 => Err(api.shader_log(shader).trim_end().to_owned()),
        _ => Ok(shader),
    }
}

fn link(
    api: &Api,
    shaders: &[u32],
    vertices_out: Option<u32>,
    objects: &mut Objects,
) -> Result<(), String> {
    let program = api.create_program();
    objects.programs.push(program);
    shaders.iter().for_each(|&shader| api.attach_shader(program, shader));
    if let Some(count) = vertices_out {
        api.program_parameteri_arb(program, gl::GEOMETRY_VERTICES_OUT_ARB, count as i32);
    }
    api.link_program(program);
    match api.get_program(program, gl::LINK_STATUS) {
        0 => Err(api.program_log(program).trim_end().to_owned()),
        _ => Ok(()),
    }
}

/// Loads an assembly program, with each kind of line ends.
pub(crate) fn assembly(api: &Api, test: &AssemblyTest<'_>) -> Outcome {
    let target = match test.target {
        AssemblyTarget::ArbVertex => gl::VERTEX_PROGRAM_ARB,
        AssemblyTarget::ArbFragment => gl::FRAGMENT_PROGRAM_ARB,
        AssemblyTarget::NvVertex | AssemblyTarget::NvFragment => {
            let reason = "programs of NV_vertex_program and NV_fragment_program are not supported";
            return Outcome::Broken(Phase::Require, reason.to_owned());
        }
    };
    let mut objects = Objects::default();
    let answers = test.line_ends().map(|text| load(api, target, &text, &mut objects));
    objects.delete(api);
    match answers {
        [Ok(()), Ok(())] => Outcome::Accepted(Phase::Frontend),
        [Err(log), Err(_)] => Outcome::Refused(Phase::Frontend, log),
        [Ok(()), Err(log)] => {
            Outcome::Broken(Phase::Frontend, format!("lines that end in CR LF: {log}"))
        }
        [Err(log), Ok(())] => {
            Outcome::Broken(Phase::Frontend, format!("lines that end in LF alone: {log}"))
        }
    }
}

fn load(api: &Api, target: u32, text: &[u8], objects: &mut Objects) -> Result<(), String> {
    let program = api.create_program_arb();
    objects.programs_arb.push(program);
    api.bind_program_arb(target, program);
    api.program_string(target, text);
    match clear_errors(api) {
        true => Err(api.get_string(gl::PROGRAM_ERROR_STRING_ARB).trim_end().to_owned()),
        false => Ok(()),
    }
}
