//! Functions of the C library that are replaced.
//!
//! Each handles the device's paths and descriptors and hands everything else to the system: with
//! the system call where one exists, because these functions are called before and while the C
//! library initializes others, else with the next definition of the function.
//!
//! Functions with variable arguments are defined with all that they can take; on Linux the calling
//! convention is the same.

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use libc::{DIR, FILE, dirent, mode_t, size_t, ssize_t};

use crate::files::{self, Path};
use crate::ioctl;
use crate::kernel;
use crate::memory::Argument;

/// Sets the error number and returns -1.
fn fail(error: c_int) -> c_int {
    // SAFETY: the location is that of this thread.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// Result of a system call as that of a function.
#[allow(clippy::cast_possible_truncation, reason = "descriptors and status are 32 bits")]
fn result(value: c_long) -> c_int {
    value as c_int
}

/// The device's path, if it is one.
///
/// # Safety
/// `path` is null or a string.
unsafe fn classify(path: *const c_char) -> Option<Path> {
    if path.is_null() {
        return None;
    }
    // SAFETY: not null, so a string.
    files::classify(unsafe { CStr::from_ptr(path) })
}

/// The next definition of a function, which is looked up once.
struct Next {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    const fn new(name: &'static CStr) -> Next {
        Next { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    fn get(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name is a string.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// Calls the next definition of a function. It has the given type.
macro_rules! next {
    ($name:literal as fn($($arg:expr => $type:ty),*) -> $result:ty) => {{
        static NEXT: Next = Next::new($name);
        let address = NEXT.get();
        // SAFETY: the C library defines the function with this type, as the replacement has.
        let function = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>(address)
        };
        // SAFETY: the caller fulfills the contract of the function.
        unsafe { function($($arg),*) }
    }};
}

/// Opens the device.
fn open_device() -> c_int {
    let opened = kernel::with(|kernel| {
        let heap = kernel.file.as_raw_fd();
        // SAFETY: duplicates a descriptor that is open. It maps the memory of all objects.
        result(unsafe { libc::syscall(libc::SYS_fcntl, heap, libc::F_DUPFD_CLOEXEC, 0) })
    });
    match opened {
        Ok(descriptor) => {
            files::set_device(descriptor, true);
            descriptor
        }
        Err(error) => {
            eprintln!("runner gpu: the virtual GPU does not answer: {error}");
            fail(libc::EIO)
        }
    }
}

/// Opens a file with these contents for reading.
fn open_text(text: &str) -> c_int {
    // SAFETY: the name is a string.
    let descriptor = unsafe { libc::memfd_create(c"gpu-text".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor >= 0 {
        // SAFETY: the text is valid for its length; the descriptor is open.
        unsafe {
            libc::write(descriptor, text.as_ptr().cast(), text.len());
            libc::lseek(descriptor, 0, libc::SEEK_SET);
        }
    }
    descriptor
}

/// Opens a path.
///
/// # Safety
/// As `open`.
unsafe fn open_path(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the caller's contract.
    match unsafe { classify(path) } {
        Some(Path::Node) => open_device(),
        Some(Path::File(text)) => open_text(&text),
        Some(Path::Missing) => fail(libc::ENOENT),
        // SAFETY: the caller's contract.
        _ => result(unsafe {
            libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, flags, c_ulong::from(mode))
        }),
    }
}

/// Replaces `open`.
///
/// # Safety
/// As `open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { open_path(path, flags, mode) }
}

/// Replaces `open64`.
///
/// # Safety
/// As `open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { open_path(path, flags, mode) }
}

/// Replaces the checked form of `open`.
///
/// # Safety
/// As `open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __open_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { open_path(path, flags, 0) }
}

/// Replaces the checked form of `open64`.
///
/// # Safety
/// As `open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __open64_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { open_path(path, flags, 0) }
}

/// Replaces `close`.
#[unsafe(no_mangle)]
pub extern "C" fn close(descriptor: c_int) -> c_int {
    files::set_device(descriptor, false);
    // SAFETY: closes what the caller wants closed.
    result(unsafe { libc::syscall(libc::SYS_close, descriptor) })
}

/// Opens a stream.
///
/// # Safety
/// As `fopen`.
unsafe fn open_stream(path: *const c_char, mode: *const c_char) -> Option<*mut FILE> {
    // SAFETY: the caller's contract.
    match unsafe { classify(path) }? {
        Path::File(text) => {
            let descriptor = open_text(&text);
            // SAFETY: the descriptor is new; the stream owns it.
            Some(unsafe { libc::fdopen(descriptor, mode) })
        }
        _ => {
            fail(libc::ENOENT);
            Some(std::ptr::null_mut())
        }
    }
}

/// Replaces `fopen`.
///
/// # Safety
/// As `fopen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: the caller's contract.
    match unsafe { open_stream(path, mode) } {
        Some(stream) => stream,
        None => {
            next!(c"fopen" as fn(path => *const c_char, mode => *const c_char) -> *mut FILE)
        }
    }
}

/// Replaces `fopen64`.
///
/// # Safety
/// As `fopen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: the caller's contract.
    match unsafe { open_stream(path, mode) } {
        Some(stream) => stream,
        None => {
            next!(c"fopen64" as fn(path => *const c_char, mode => *const c_char) -> *mut FILE)
        }
    }
}

/// Describes the node, or a folder.
///
/// # Safety
/// `buffer` is valid for writes.
unsafe fn describe(buffer: *mut libc::stat, node: bool) -> c_int {
    // SAFETY: zeros are a valid value of the structure.
    let mut description: libc::stat = unsafe { std::mem::zeroed() };
    description.st_nlink = 1;
    if node {
        description.st_mode = libc::S_IFCHR | 0o666;
        description.st_rdev = libc::makedev(files::NUMBERS.0, files::NUMBERS.1);
    } else {
        description.st_mode = libc::S_IFDIR | 0o755;
    }
    // SAFETY: the caller's contract.
    unsafe { buffer.write(description) };
    0
}

/// Describes a path.
///
/// # Safety
/// As `fstatat`.
unsafe fn describe_path(path: *const c_char, buffer: *mut libc::stat, flags: c_int) -> c_int {
    // SAFETY: the caller's contract.
    match unsafe { classify(path) } {
        // SAFETY: the caller's contract.
        Some(Path::Node) => unsafe { describe(buffer, true) },
        // SAFETY: the caller's contract.
        Some(Path::Folder | Path::Nodes) => unsafe { describe(buffer, false) },
        Some(Path::Missing) => fail(libc::ENOENT),
        // SAFETY: the caller's contract.
        _ => result(unsafe {
            libc::syscall(libc::SYS_newfstatat, libc::AT_FDCWD, path, buffer, flags)
        }),
    }
}

/// Defines replacements of `stat` and its relatives, which describe a path.
macro_rules! path_descriptions {
    ($($name:ident: $flags:expr;)*) => {$(
        /// Replaces the function of this name.
        ///
        /// # Safety
        /// As `stat`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(path: *const c_char, buffer: *mut libc::stat) -> c_int {
            // SAFETY: the caller's contract.
            unsafe { describe_path(path, buffer, $flags) }
        }
    )*};
}

path_descriptions! {
    stat: 0;
    stat64: 0;
    lstat: libc::AT_SYMLINK_NOFOLLOW;
    lstat64: libc::AT_SYMLINK_NOFOLLOW;
}

/// Defines replacements of `fstat` and its relatives, which describe a descriptor.
macro_rules! descriptor_descriptions {
    ($($name:ident)*) => {$(
        /// Replaces the function of this name.
        ///
        /// # Safety
        /// As `fstat`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(descriptor: c_int, buffer: *mut libc::stat) -> c_int {
            if files::is_device(descriptor) {
                // SAFETY: the caller's contract.
                return unsafe { describe(buffer, true) };
            }
            // SAFETY: the caller's contract.
            result(unsafe { libc::syscall(libc::SYS_fstat, descriptor, buffer) })
        }
    )*};
}

descriptor_descriptions! { fstat fstat64 }

/// Replaces `access`, which newer versions of libdrm ask for the kind of a node.
///
/// # Safety
/// As `access`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: the caller's contract.
    match unsafe { classify(path) } {
        None => {
            // SAFETY: the caller's contract.
            result(unsafe { libc::syscall(libc::SYS_faccessat, libc::AT_FDCWD, path, mode) })
        }
        Some(Path::Missing) => fail(libc::ENOENT),
        Some(_) => 0,
    }
}

/// Replaces `readlink`.
///
/// # Safety
/// As `readlink`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlink(
    path: *const c_char,
    buffer: *mut c_char,
    size: size_t,
) -> ssize_t {
    const BUS: &[u8] = b"../../../bus/pci";
    // SAFETY: the caller's contract.
    match unsafe { classify(path) } {
        Some(Path::Subsystem) => {
            let count = BUS.len().min(size);
            // SAFETY: the buffer has room for `size` bytes.
            unsafe { std::ptr::copy_nonoverlapping(BUS.as_ptr().cast(), buffer, count) };
            count.cast_signed()
        }
        // SAFETY: the caller's contract.
        _ => unsafe {
            libc::syscall(libc::SYS_readlinkat, libc::AT_FDCWD, path, buffer, size) as ssize_t
        },
    }
}

/// Replaces `realpath`.
///
/// # Safety
/// As `realpath`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char {
    // SAFETY: the caller's contract.
    if unsafe { classify(path) } != Some(Path::Folder) {
        return next!(
            c"realpath" as fn(path => *const c_char, resolved => *mut c_char) -> *mut c_char
        );
    }
    if resolved.is_null() {
        // SAFETY: duplicates a string.
        return unsafe { libc::strdup(files::PCI.as_ptr()) };
    }
    // SAFETY: the buffer has room for the longest path.
    unsafe { libc::strcpy(resolved, files::PCI.as_ptr()) }
}

/// The folder of nodes, while it is read.
struct Nodes {
    entry: dirent,
    is_read: bool,
}

/// Open folders of nodes; they are few.
static FOLDERS: [AtomicUsize; 16] = [const { AtomicUsize::new(0) }; 16];

/// True if the stream is a folder of nodes.
fn is_nodes(stream: *mut DIR) -> bool {
    FOLDERS.iter().any(|folder| folder.load(Ordering::Relaxed) == stream as usize)
}

/// Replaces `opendir`.
///
/// # Safety
/// As `opendir`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut DIR {
    // SAFETY: the caller's contract.
    if unsafe { classify(path) } != Some(Path::Nodes) {
        return next!(c"opendir" as fn(path => *const c_char) -> *mut DIR);
    }
    // SAFETY: zeros are a valid value of the structure.
    let mut entry: dirent = unsafe { std::mem::zeroed() };
    entry.d_ino = 1;
    entry.d_type = libc::DT_CHR;
    for (to, from) in entry.d_name.iter_mut().zip(files::NODE_NAME.to_bytes()) {
        *to = from.cast_signed();
    }
    let nodes = Box::into_raw(Box::new(Nodes { entry, is_read: false }));
    let free = FOLDERS.iter().find(|folder| {
        let swap = folder.compare_exchange(0, nodes as usize, Ordering::Relaxed, Ordering::Relaxed);
        swap.is_ok()
    });
    if free.is_none() {
        // SAFETY: nothing else has the pointer.
        drop(unsafe { Box::from_raw(nodes) });
        fail(libc::EMFILE);
        return std::ptr::null_mut();
    }
    nodes.cast()
}

/// Next entry of the folder of nodes.
///
/// # Safety
/// `stream` comes from [`opendir`] and [`is_nodes`].
unsafe fn next_node(stream: *mut DIR) -> *mut dirent {
    // SAFETY: the caller's contract.
    let nodes = unsafe { &mut *stream.cast::<Nodes>() };
    if std::mem::replace(&mut nodes.is_read, true) {
        return std::ptr::null_mut();
    }
    &raw mut nodes.entry
}

/// Replaces `readdir`.
///
/// # Safety
/// As `readdir`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readdir(stream: *mut DIR) -> *mut dirent {
    if is_nodes(stream) {
        // SAFETY: checked.
        return unsafe { next_node(stream) };
    }
    next!(c"readdir" as fn(stream => *mut DIR) -> *mut dirent)
}

/// Replaces `readdir64`.
///
/// # Safety
/// As `readdir64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readdir64(stream: *mut DIR) -> *mut dirent {
    if is_nodes(stream) {
        // SAFETY: checked.
        return unsafe { next_node(stream) };
    }
    next!(c"readdir64" as fn(stream => *mut DIR) -> *mut dirent)
}

/// Replaces `closedir`.
///
/// # Safety
/// As `closedir`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closedir(stream: *mut DIR) -> c_int {
    for folder in &FOLDERS {
        let address = stream as usize;
        let swap = folder.compare_exchange(address, 0, Ordering::Relaxed, Ordering::Relaxed);
        if swap.is_ok() && address != 0 {
            // SAFETY: `opendir` created it, and it is in the list only once.
            drop(unsafe { Box::from_raw(stream.cast::<Nodes>()) });
            return 0;
        }
    }
    next!(c"closedir" as fn(stream => *mut DIR) -> c_int)
}

/// Replaces `ioctl`.
///
/// # Safety
/// As `ioctl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(descriptor: c_int, request: c_ulong, argument: c_ulong) -> c_int {
    if !files::is_device(descriptor) {
        // SAFETY: the caller's contract.
        return result(unsafe { libc::syscall(libc::SYS_ioctl, descriptor, request, argument) });
    }
    // SAFETY: the caller's contract: the argument fits the request.
    let argument = unsafe { Argument::new(argument) };
    match ioctl::answer(request, argument) {
        Ok(()) => 0,
        Err(error) => fail(error),
    }
}

/// Records a duplicate of a descriptor and returns it.
fn duplicated(from: c_int, to: c_int) -> c_int {
    if to >= 0 {
        files::set_device(to, files::is_device(from));
    }
    to
}

/// Controls a descriptor.
///
/// # Safety
/// As `fcntl`.
unsafe fn control(descriptor: c_int, command: c_int, argument: c_ulong) -> c_int {
    // SAFETY: the caller's contract.
    let value = result(unsafe { libc::syscall(libc::SYS_fcntl, descriptor, command, argument) });
    if matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC) {
        return duplicated(descriptor, value);
    }
    value
}

/// Replaces `fcntl`.
///
/// # Safety
/// As `fcntl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl(descriptor: c_int, command: c_int, argument: c_ulong) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { control(descriptor, command, argument) }
}

/// Replaces `fcntl64`.
///
/// # Safety
/// As `fcntl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl64(descriptor: c_int, command: c_int, argument: c_ulong) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { control(descriptor, command, argument) }
}

/// Replaces `dup`.
#[unsafe(no_mangle)]
pub extern "C" fn dup(descriptor: c_int) -> c_int {
    // SAFETY: duplicating has no conditions.
    duplicated(descriptor, result(unsafe { libc::syscall(libc::SYS_dup, descriptor) }))
}

/// Replaces `dup2`.
#[unsafe(no_mangle)]
pub extern "C" fn dup2(from: c_int, to: c_int) -> c_int {
    if from == to {
        // SAFETY: tests whether the descriptor is open.
        let flags = unsafe { libc::syscall(libc::SYS_fcntl, from, libc::F_GETFD) };
        return if flags < 0 { -1 } else { to };
    }
    dup3(from, to, 0)
}

/// Replaces `dup3`.
#[unsafe(no_mangle)]
pub extern "C" fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int {
    // SAFETY: duplicating has no conditions.
    duplicated(from, result(unsafe { libc::syscall(libc::SYS_dup3, from, to, flags) }))
}
