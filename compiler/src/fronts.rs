//! A program's stages as they are before they know of each other.

use std::cell::RefCell;
use std::sync::Arc;

use ir::Shader;
use program::{Stage, StageKey};

use crate::error::CompileError;

/// The stages of one program, compiled with one set of options, after the first half of the passes. Each stage's compilation
/// asks for itself and its neighbours, so that each is asked for several times.
#[derive(Default)]
pub struct Fronts(RefCell<Vec<Front>>);

struct Front {
    stage: Stage,
    key: StageKey,
    shader: Result<Arc<Shader>, CompileError>,
}

impl Fronts {
    /// The shader of a stage: the one that is there, or what `make` gives.
    pub(crate) fn get(
        &self,
        stage: Stage,
        key: &StageKey,
        make: impl FnOnce() -> Result<Arc<Shader>, CompileError>,
    ) -> Result<Arc<Shader>, CompileError> {
        let known =
            self.0.borrow().iter().find(|f| f.stage == stage && f.key == *key).map(|f| f.shader.clone());
        known.unwrap_or_else(|| {
            let shader = make();
            self.0.borrow_mut().push(Front { stage, key: key.clone(), shader: shader.clone() });
            shader
        })
    }
}
