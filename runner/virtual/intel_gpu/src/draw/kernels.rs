//! Kernels in memory, each decoded once.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use eu_simulator::{Inputs, Kernel};
use gpu_service::{CommandError, Outcome};
use intel_isa::DevInfo;
use packets::{Fault, Memory};
use rustc_hash::FxHashMap;
use submission::KernelUse;

/// Lengths of a kernel that are tried, in bytes.
const LENGTHS: [u64; 4] = [1 << 13, 1 << 15, 1 << 17, 1 << 20];
/// Bytes by which known kernels are found.
const PREFIX: usize = 32;
/// Maximum number of different first bytes of which kernels are kept.
const MOST: usize = 1024;
/// Maximum number of kernels of the same first bytes that are kept. Shaders of a test suite often
/// begin alike.
const MOST_ALIKE: usize = 32;

/// A decoded kernel.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) kernel: Kernel,
    /// The bytes that were decoded.
    bytes: Vec<u8>,
    inputs: RefCell<[Option<Option<Rc<Inputs>>>; 3]>,
    /// Threads that ended, and the instructions that they executed.
    counts: Cell<(u64, u64)>,
    description: OnceCell<KernelUse>,
}

impl Loaded {
    /// Machine code.
    pub(super) fn code(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds threads that executed `steps` instructions each.
    pub(super) fn count(&self, threads: usize, steps: u64) {
        let (before, executed) = self.counts.get();
        let threads = threads as u64;
        self.counts.set((before + threads, executed + threads * steps));
    }

    /// Returns the numbers of threads and of executed instructions since the last call.
    pub(super) fn take_counts(&self) -> (u64, u64) {
        self.counts.take()
    }

    /// Returns the description that `describe` makes of the machine code, once.
    pub(super) fn description(&self, describe: impl FnOnce(&[u8]) -> KernelUse) -> KernelUse {
        self.description.get_or_init(|| describe(&self.bytes)).clone()
    }

    /// Payload on which threads of `width` channels depend; `None` if it is not known.
    pub(super) fn inputs(&self, width: usize) -> Option<Rc<Inputs>> {
        let channels = u8::try_from(width).ok()?;
        let slot = (channels / 16).min(2);
        self.inputs.borrow_mut()[usize::from(slot)]
            .get_or_insert_with(|| self.kernel.inputs(channels).map(Rc::new))
            .clone()
    }
}

/// Kernels by their first bytes, each list from the last one used to the first.
#[derive(Debug, Default)]
pub(super) struct Kernels(RefCell<FxHashMap<[u8; PREFIX], Vec<Rc<Loaded>>>>);

impl Kernels {
    /// Decodes the kernel at an address, or returns the known one of the same bytes.
    pub(super) fn load(
        &self,
        devinfo: &'static DevInfo,
        memory: &dyn Memory,
        address: u64,
    ) -> Outcome<Rc<Loaded>> {
        let object = memory.object(address).ok_or(Fault { address })?;
        let room = object.end - address;
        let mut prefix = [0; PREFIX];
        let first = usize::try_from(room).unwrap_or(PREFIX).min(PREFIX);
        memory.read(address, &mut prefix[..first])?;
        let mut all = self.0.borrow_mut();
        let alike = all.get_mut(&prefix).map_or(&mut [][..], Vec::as_mut_slice);
        let longest = alike.iter().map(|known| known.bytes.len()).max().unwrap_or(0);
        let mut bytes = vec![0; usize::try_from(room).unwrap_or(longest).min(longest)];
        memory.read(address, &mut bytes)?;
        if let Some(place) = alike.iter().position(|known| bytes.starts_with(&known.bytes)) {
            alike[..=place].rotate_right(1);
            return Ok(alike[0].clone());
        }
        let (kernel, mut bytes) = decode(devinfo, memory, address, room)?;
        bytes.truncate(kernel.end());
        let loaded = Rc::new(Loaded {
            kernel,
            bytes,
            inputs: RefCell::default(),
            counts: Cell::default(),
            description: OnceCell::new(),
        });
        if all.len() >= MOST {
            all.clear();
        }
        let alike = all.entry(prefix).or_default();
        alike.truncate(MOST_ALIKE - 1);
        alike.insert(0, loaded.clone());
        Ok(loaded)
    }
}

/// Decodes the kernel at an address and returns it with the bytes that were read.
fn decode(
    devinfo: &'static DevInfo,
    memory: &dyn Memory,
    address: u64,
    room: u64,
) -> Outcome<(Kernel, Vec<u8>)> {
    let mut last = None;
    for most in LENGTHS {
        let length = usize::try_from(room.min(most)).unwrap_or(0);
        let mut bytes = vec![0; length];
        memory.read(address, &mut bytes)?;
        match Kernel::decode(devinfo, &bytes) {
            // A kernel that was cut off has no end.
            Ok(kernel) if ends(&kernel) || most >= room => return Ok((kernel, bytes)),
            Ok(_) => {}
            Err(error) => last = Some(CommandError::kernel(address, &error)),
        }
        if most >= room {
            break;
        }
    }
    Err(last.unwrap_or(CommandError::Fault(Fault { address })))
}

/// True if the last instruction ends the thread.
fn ends(kernel: &Kernel) -> bool {
    kernel.instructions().last().is_some_and(|inst| inst.send.is_some_and(|send| send.eot))
}
