//! Common parts of the requests of all drivers.

use crate::errors::Answer;
use crate::heap::PAGE;
use crate::kernel::Kernel;
use crate::memory::Argument;

/// An object in memory of the process: address, size, flags of which these are permitted, handle.
pub(crate) fn adopt(kernel: &mut Kernel, argument: Argument, permitted: u32) -> Answer {
    let (address, size): (u64, u64) = (argument.get(0), argument.get(8));
    if argument.get::<u32>(16) & !permitted != 0 {
        return Err(libc::EINVAL);
    }
    let is_whole = address != 0 && size != 0 && (address | size) % PAGE == 0;
    if !is_whole || address.checked_add(size).is_none() {
        return Err(libc::EINVAL);
    }
    argument.set(20, kernel.adopt(address, size).ok_or(libc::ENOMEM)?);
    Ok(())
}

/// Creates a file of a fence that is signaled and returns its descriptor.
pub(crate) fn fence_file() -> Result<u32, i32> {
    // SAFETY: creates a descriptor.
    let descriptor = unsafe { libc::eventfd(1, libc::EFD_CLOEXEC) };
    u32::try_from(descriptor).map_err(|_| libc::EMFILE)
}
