//! Buffer objects, contexts and submissions.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use submission::{Place, Reply, Request, Submission};

use crate::device::Device;
use crate::errors::error_number;
use crate::exports::Exports;
use crate::fences::Fences;
use crate::heap::{Heap, PAGE};
use crate::mappings::Mappings;
use crate::memory::Argument;

/// Address of the first object that the kernel places. Address 0 is never used.
const FIRST_ADDRESS: u64 = 1 << 20;

/// A buffer object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// First byte of its range of the memory file, from which its address follows.
    pub(crate) offset: u64,
    /// Place of its bytes: this range, or memory that the process already had.
    pub(crate) place: Place,
    /// Bytes.
    pub(crate) size: u64,
    /// Tiling mode and stride, which the driver stores with the object.
    pub(crate) tiling: (u32, u32),
    /// True if a file represents it, or it was imported from one. Its memory stays.
    is_shared: bool,
}

impl Object {
    fn new(offset: u64, place: Place, size: u64) -> Object {
        Object { offset, place, size, tiling: (0, 0), is_shared: false }
    }

    /// The address that the kernel gives the object, if the driver does not.
    pub(crate) fn address(&self) -> u64 {
        FIRST_ADDRESS + self.offset
    }
}

/// The device of this process.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Facts of the generation.
    pub(crate) device: &'static Device,
    /// The memory of all objects.
    pub(crate) file: File,
    heap: Heap,
    objects: BTreeMap<u32, Object>,
    next_handle: u32,
    next_context: u32,
    next_address_space: u32,
    last_submission: u64,
    /// Address space of the process, where the driver arranges it.
    pub(crate) mappings: Mappings,
    /// Synchronization objects.
    pub(crate) fences: Fences,
    exports: Exports<Object>,
    /// Descriptions of objects, which drivers leave for those who import them, by offset.
    pub(crate) descriptions: BTreeMap<u64, Vec<u64>>,
    socket: UnixStream,
}

static KERNEL: Mutex<Option<Kernel>> = Mutex::new(None);

/// Returns the device, which is created at the first call.
///
/// # Errors
/// Fails when the virtual GPU cannot be reached.
pub(crate) fn with<R>(work: impl FnOnce(&mut Kernel) -> R) -> io::Result<R> {
    let mut kernel: MutexGuard<'_, Option<Kernel>> =
        KERNEL.lock().unwrap_or_else(PoisonError::into_inner);
    if kernel.is_none() {
        *kernel = Some(Kernel::new()?);
    }
    kernel.as_mut().map(work).ok_or_else(|| io::ErrorKind::NotFound.into())
}

impl Kernel {
    fn new() -> io::Result<Kernel> {
        let device = crate::files::device().ok_or(io::ErrorKind::NotFound)?;
        let path = std::env::var_os(submission::SOCKET_VARIABLE).ok_or(io::ErrorKind::NotFound)?;
        let kernel = Kernel::connect(device, UnixStream::connect(path)?);
        // The driver shows only that there is no device.
        kernel.inspect_err(|error| eprintln!("the virtual GPU: {error}"))
    }

    /// Creates a device whose virtual GPU is at the other end of a socket.
    pub(crate) fn connect(device: &'static Device, socket: UnixStream) -> io::Result<Kernel> {
        // Below both limits: the address space of the generation and 4 GiB.
        let size = device.address_space.min(1 << 32) - FIRST_ADDRESS;
        // SAFETY: the name is a constant string; the result is checked.
        let descriptor = unsafe { libc::memfd_create(c"gpu".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nothing else owns it.
        let file = unsafe { File::from_raw_fd(descriptor) };
        file.set_len(size)?;
        let mut kernel = Kernel {
            device,
            file,
            heap: Heap::new(size),
            objects: BTreeMap::new(),
            next_handle: 1,
            next_context: 1,
            // The default address space is 1.
            next_address_space: 2,
            last_submission: 0,
            mappings: Mappings::default(),
            fences: Fences::default(),
            exports: Exports::default(),
            descriptions: BTreeMap::new(),
            socket,
        };
        let heap = u32::try_from(kernel.file.as_raw_fd()).unwrap_or(0);
        let pid = std::process::id();
        let generation = device.name.to_string();
        let build = submission::BUILD;
        match kernel.call(&Request::Hello { pid, heap, build, generation }) {
            Ok(other) if other == build => Ok(kernel),
            Ok(other) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} The virtual GPU is of build {other:016x}.", submission::STAMP),
            )),
            Err(error) => Err(error),
        }
    }

    /// Sends a request to the virtual GPU and returns the value of the reply.
    pub(crate) fn call(&mut self, request: &Request) -> io::Result<u64> {
        submission::send(&mut self.socket, &request.encode())?;
        let frame = submission::receive(&mut self.socket)?;
        let reply = frame.as_deref().and_then(Reply::decode).ok_or(io::ErrorKind::UnexpectedEof)?;
        match reply.status {
            0 => Ok(reply.value),
            status => Err(io::Error::from_raw_os_error(status.cast_signed())),
        }
    }

    /// Shows a line to the user.
    pub(crate) fn log(&mut self, text: String) {
        let _ = self.call(&Request::Log(text));
    }

    /// Creates an object of zeros and returns its handle and size.
    pub(crate) fn create(&mut self, size: u64) -> Option<(u32, u64)> {
        let size = size.max(1).next_multiple_of(PAGE);
        let offset = self.heap.allocate(size)?;
        Some((self.add(Object::new(offset, Place::Heap(offset), size)), size))
    }

    /// Creates an object of whole pages of the process's memory and returns its handle. Its range
    /// of the memory file gives it an address and is not used.
    pub(crate) fn adopt(&mut self, address: u64, size: u64) -> Option<u32> {
        let offset = self.heap.allocate(size)?;
        Some(self.add(Object::new(offset, Place::Process(address), size)))
    }

    fn add(&mut self, object: Object) -> u32 {
        let handle = self.next_handle;
        self.next_handle += 1;
        self.objects.insert(handle, object);
        handle
    }

    /// Returns a descriptor of a file that represents an object.
    pub(crate) fn export(&mut self, handle: u32) -> Result<u32, i32> {
        let object = self.objects.get_mut(&handle).ok_or(libc::ENOENT)?;
        let Place::Heap(offset) = object.place else { return Err(libc::EINVAL) };
        object.is_shared = true;
        let same = |other: &Object| other.offset == offset;
        let descriptor = self.exports.export(same, *object, object.size);
        descriptor.map_err(|error| error_number(&error))
    }

    /// Returns a new handle of the object that a file represents.
    pub(crate) fn import(&mut self, descriptor: i32) -> Result<u32, i32> {
        let object = *self.exports.import(descriptor).ok_or(libc::EINVAL)?;
        Ok(self.add(object))
    }

    /// Frees an object. Its memory reads as zeros when it is used again.
    pub(crate) fn close(&mut self, handle: u32) -> bool {
        let Some(object) = self.objects.remove(&handle) else { return false };
        self.mappings.forget(handle);
        if object.is_shared {
            return true;
        }
        self.descriptions.remove(&object.offset);
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let range = (object.offset.cast_signed(), object.size.cast_signed());
        // SAFETY: the descriptor is open; the call affects only the file.
        let result = unsafe { libc::fallocate(self.file.as_raw_fd(), mode, range.0, range.1) };
        if result == 0 {
            self.heap.release(object.offset, object.size);
        }
        true
    }

    /// Returns an object by its handle.
    pub(crate) fn object(&mut self, handle: u32) -> Option<&mut Object> {
        self.objects.get_mut(&handle)
    }

    /// Returns a new context number.
    pub(crate) fn create_context(&mut self) -> u32 {
        self.next_context += 1;
        self.next_context - 1
    }

    /// Returns a new address space number. All contexts share one space of addresses, in which no
    /// two objects of a submission overlap.
    pub(crate) fn create_address_space(&mut self) -> u32 {
        self.next_address_space += 1;
        self.next_address_space - 1
    }

    /// Returns the number of a submission; they rise.
    pub(crate) fn next_submission(&mut self) -> u64 {
        self.last_submission += 1;
        self.last_submission
    }

    /// Writes bytes into an object.
    pub(crate) fn write(&self, object: &Object, at: u64, bytes: &[u8]) -> io::Result<()> {
        if at.checked_add(bytes.len() as u64).is_none_or(|end| end > object.size) {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        match object.place {
            Place::Heap(offset) => self.file.write_all_at(bytes, offset + at),
            Place::Process(first) => {
                // SAFETY: the driver gave this memory to the device, and waits for the request.
                let memory = unsafe { Argument::new(first + at) };
                for (i, byte) in (0..).zip(bytes) {
                    memory.set(i, *byte);
                }
                Ok(())
            }
        }
    }

    /// Executes a batch. Returns after its last write.
    pub(crate) fn submit(&mut self, submission: Submission) -> io::Result<u64> {
        self.call(&Request::Submit(submission))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::connect;

    #[test]
    fn a_gpu_of_another_build_is_refused() {
        let (kernel, _receiver) = connect("skl", submission::BUILD ^ 1);
        let Err(error) = kernel else { panic!("the other build is accepted") };
        let error = error.to_string();
        let builds = [submission::BUILD, submission::BUILD ^ 1].map(|b| format!("{b:016x}"));
        assert!(builds.iter().all(|build| error.contains(build)), "{error}");
        assert!(connect("skl", submission::BUILD).0.is_ok());
    }
}
