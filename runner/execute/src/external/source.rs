//! An external compiler as a source of binaries.

use std::sync::Arc;

use compiler::{Binary, amd_codegen};
use program::{Stage, StageKey};
use raster::device::DeviceError;
use script::Script;

use super::client::{Compiler, ExternalCompiler, Failure, compiler};
use super::protocol::{Answer, Section, sections};
use results::verdict::Phase;
use shader_device::BinarySource;
use vocabulary::{Target, Width};

/// Returns an external compiler as the source of a test's binaries, of some widths if there are
/// any.
pub fn source(
    external: &ExternalCompiler,
    test: &str,
    target: Target,
    script: &Script<'_>,
    widths: &[Width],
) -> Box<dyn BinarySource> {
    Box::new(Source {
        compiler: compiler(external),
        test: test.to_owned(),
        generation: target.name(),
        sections: sections(script),
        widths: widths.iter().map(|width| width.name().to_owned()).collect(),
    })
}

struct Source {
    compiler: Arc<Compiler>,
    test: String,
    generation: &'static str,
    sections: Vec<Section>,
    widths: Vec<String>,
}

impl Source {
    fn answer(&self, stage: Stage, key: &StageKey) -> Result<Answer, DeviceError> {
        let (test, generation, widths) = (&self.test, self.generation, self.widths.clone());
        let answer = self.compiler.answer(test, generation, (stage, key), &self.sections, widths);
        answer.map_err(failure)
    }
}

impl BinarySource for Source {
    fn binary(&self, stage: Stage, key: &StageKey) -> Result<Binary, DeviceError> {
        let answer = self.answer(stage, key)?;
        answer.into_binary(stage).map_err(|what| failure(Failure::Malformed(what)))
    }

    fn amd_program(
        &self,
        stage: Stage,
        key: &StageKey,
    ) -> Result<amd_codegen::Output, DeviceError> {
        let answer = self.answer(stage, key)?;
        answer.into_amd_program(stage).map_err(|what| failure(Failure::Malformed(what)))
    }
}

/// Converts a failure of an external compiler: the phase that the compiler reports, otherwise
/// encoding.
pub fn failure(failure: Failure) -> DeviceError {
    let phase = Phase::Encode;
    match failure {
        Failure::Refused(phase, message) => {
            let phase = Phase::from_name(&phase).unwrap_or(Phase::Lower);
            DeviceError::Rejected { phase, message }
        }
        Failure::Malformed(what) => {
            DeviceError::Rejected { phase, message: format!("the compiler's answer: {what}") }
        }
        Failure::Died(message) => DeviceError::Crashed { phase, message },
        Failure::TimedOut(limit) => {
            let message = format!("the compiler did not answer within {} s", limit.as_secs());
            DeviceError::TimedOut { phase, message }
        }
    }
}
