//! Decoded binaries, shared among the tests of a worker.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use vocabulary::Phase;

use cache::CheckoutPool;
use compiler::output::{Interface, Width};
use compiler::{Binary, CachedCompiler};
use eu_simulator::Kernel;
use intel_isa::DevInfo;
use raster::device::DeviceError;

use crate::errors::rejected;
use crate::kernel_cache::KernelCache;

/// Maximum size of machine code that is kept decoded: about the size of the compiler's cache.
const CAPACITY: usize = 1 << 18;

/// A decoded binary.
pub(crate) struct Prepared {
    pub binary: Arc<Binary>,
    pub kernels: Vec<(Width, Kernel)>,
    /// BLAKE3 of each kernel's bytes, in hexadecimal.
    pub hashes: Vec<String>,
}

impl Prepared {
    /// Returns every width, or one if the widths need not agree.
    pub(crate) fn kernels_to_run(&self) -> &[(Width, Kernel)] {
        let order_dependent = match self.binary.interface() {
            Interface::Fragment(interface) => interface.order_dependent,
            Interface::Compute(interface) => interface.order_dependent,
            _ => false,
        };
        if order_dependent { &self.kernels[..self.kernels.len().min(1)] } else { &self.kernels }
    }

    /// Returns the metadata of the kernel of a width.
    pub(crate) fn metadata(&self, width: Width) -> Result<&compiler::output::Kernel, DeviceError> {
        self.binary
            .kernel(width)
            .ok_or_else(|| rejected(Phase::Encode, "kernel without metadata".into()))
    }
}

/// Cache of decoded instructions, and of whole binaries that came from the compiler's cache.
#[derive(Default)]
pub struct Decoders {
    decoders: CheckoutPool<&'static str, KernelCache>,
    prepared: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    /// Decoded binaries by the address of the binary, which is unique while the entry exists.
    binaries: HashMap<usize, Arc<Prepared>>,
    /// Total size of their code in bytes.
    bytes: usize,
}

impl Table {
    fn insert(&mut self, address: usize, prepared: &Arc<Prepared>) {
        let bytes: usize =
            prepared.binary.compiled.kernels.iter().map(|kernel| kernel.code.len()).sum();
        if self.bytes + bytes > CAPACITY {
            *self = Table::default();
        }
        if bytes <= CAPACITY && self.binaries.insert(address, prepared.clone()).is_none() {
            self.bytes += bytes;
        }
    }
}

impl Decoders {
    /// Returns the decoded kernels of a binary from the compiler's cache.
    pub(crate) fn known(
        &self,
        binary: Arc<Binary>,
        cache: &CachedCompiler,
        devinfo: &'static DevInfo,
    ) -> Result<Arc<Prepared>, DeviceError> {
        let address = Arc::as_ptr(&binary).addr();
        let table = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = table().binaries.get(&address) {
            return Ok(found.clone());
        }
        let prepared = self.decode(binary, cache, devinfo)?;
        table().insert(address, &prepared);
        Ok(prepared)
    }

    /// Decodes a binary that is used only once.
    pub(crate) fn decode(
        &self,
        binary: Arc<Binary>,
        cache: &CachedCompiler,
        devinfo: &'static DevInfo,
    ) -> Result<Arc<Prepared>, DeviceError> {
        let mut kernels = Vec::new();
        let mut hashes = Vec::new();
        for kernel in &binary.compiled.kernels {
            let decode = |decoder: &mut KernelCache| {
                cache.with_validation_cache(devinfo, |insts| decoder.kernel(insts, &kernel.code))
            };
            let decoded =
                self.decoders.with(devinfo.name, || KernelCache::new(devinfo), decode).map_err(
                    |e| rejected(Phase::Simulate, format!("{} kernel: {e}", kernel.width.name())),
                )?;
            kernels.push((kernel.width, decoded));
            hashes.push(blake3::hash(&kernel.code).to_hex().to_string());
        }
        Ok(Arc::new(Prepared { binary, kernels, hashes }))
    }
}
