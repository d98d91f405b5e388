//! Every legal program of the list is accepted, every illegal one is refused.

use super::sections::{Program, all};
use glsl::{CompileOptions, compile};
use program::{LinkOptions, Shader, TypeTable};

/// Compiles a program and links it if its rule asks for that.
pub(crate) fn accept(program: &Program) -> Result<(), String> {
    let mut types = TypeTable::default();
    let compiled = program.shaders.iter().map(|shader| {
        compile(&[&shader.text], shader.stage, CompileOptions::default(), &mut types)
    });
    let shaders: Vec<Shader> = compiled.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    if !program.links {
        return Ok(());
    }
    let capabilities = crate::support::everything();
    let options = LinkOptions { separable: shaders.len() == 1, ..LinkOptions::new(&capabilities) };
    program::link(shaders, types, &options).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn legal_programs_are_accepted_and_illegal_ones_are_refused() {
    let mut wrong = Vec::new();
    for (file, rules) in all() {
        for rule in rules {
            for program in rule.programs(true) {
                if let Err(error) = accept(&program) {
                    let (title, version) = (rule.title(), program.version);
                    wrong.push(format!("{file}: {title} ({version}): legal, but refused: {error}"));
                }
            }
            for program in rule.programs(false) {
                if accept(&program).is_ok() {
                    let (title, version) = (rule.title(), program.version);
                    wrong.push(format!("{file}: {title} ({version}): illegal, but accepted"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
