//! Compiled programs, ready to run.

use std::sync::Arc;

use compiler::amd::Output;
use compiler::amd::output::Interface;
use softgl::device::DeviceError;
use wave::Program;

/// A compiled and decoded program.
pub(super) struct Prepared {
    pub output: Arc<Output>,
    pub program: Program,
    /// Program that exports the vertices of a geometry program.
    pub copy: Option<Box<Prepared>>,
}

impl Prepared {
    /// Decodes a program.
    pub(super) fn new(output: &Arc<Output>) -> Result<Prepared, DeviceError> {
        let program = Program::new(output.chip, &output.words)
            .map_err(|error| DeviceError::Execution(error.to_string()))?;
        let copy = match &output.interface {
            Interface::Geometry(geometry) => {
                Some(Prepared::new(&Arc::new((*geometry.copy).clone()))?)
            }
            _ => None,
        };
        Ok(Prepared { output: output.clone(), program, copy: copy.map(Box::new) })
    }
}
