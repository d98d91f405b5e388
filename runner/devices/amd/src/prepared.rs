//! Compiled programs, ready to run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use amd_isa::Chip;
use compiler::amd_codegen::Output;
use compiler::amd_codegen::output::Interface;
use gcn_simulator::{Program, ProgramError};
use raster::device::DeviceError;

/// A compiled and decoded program.
pub(crate) struct Prepared {
    pub output: Arc<Output>,
    pub program: Arc<Program>,
    /// Program that exports the vertices of a geometry program.
    pub copy: Option<Box<Prepared>>,
}

/// Most decoded programs that are kept.
const CAPACITY: usize = 2000;

/// Decoded programs, for several threads.
#[derive(Default)]
pub struct Programs(Mutex<ProgramTable>);

/// Decoded programs by chip and code.
type ProgramTable = HashMap<(Chip, Vec<u32>), Arc<Program>>;

impl Programs {
    fn table(&self) -> MutexGuard<'_, ProgramTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the program of dwords.
    fn get(&self, chip: Chip, words: &[u32]) -> Result<Arc<Program>, ProgramError> {
        let key = (chip, words.to_vec());
        if let Some(known) = self.table().get(&key) {
            return Ok(known.clone());
        }
        let program = Arc::new(Program::new(chip, words)?);
        let mut table = self.table();
        if table.len() >= CAPACITY {
            table.clear();
        }
        table.insert(key, program.clone());
        Ok(program)
    }
}

impl Prepared {
    /// Returns the bytes of the program.
    pub(crate) fn code(&self) -> Vec<u8> {
        self.output.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Decodes a program.
    pub(crate) fn new(output: &Arc<Output>, programs: &Programs) -> Result<Prepared, DeviceError> {
        let program = programs
            .get(output.chip, &output.words)
            .map_err(|error| DeviceError::Execution(error.to_string()))?;
        let copy = match &output.interface {
            Interface::Geometry(geometry) => {
                Some(Prepared::new(&Arc::new((*geometry.copy).clone()), programs)?)
            }
            _ => None,
        };
        Ok(Prepared { output: output.clone(), program, copy: copy.map(Box::new) })
    }
}
