//! Files that represent objects: another device of the process imports what one has exported.

use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd};
use std::os::unix::fs::MetadataExt;

/// Exported values with their files, which stay open so that no other file gets their numbers.
#[derive(Debug)]
pub(crate) struct Exports<T> {
    all: Vec<(File, T)>,
}

impl<T> Default for Exports<T> {
    fn default() -> Exports<T> {
        Exports { all: Vec::new() }
    }
}

impl<T> Exports<T> {
    /// Returns a descriptor for the caller of the file that represents a value: the one for which
    /// `is` is true, or else `value`, with a new file of `size` bytes.
    pub(crate) fn export(
        &mut self,
        is: impl Fn(&T) -> bool,
        value: T,
        size: u64,
    ) -> io::Result<u32> {
        let known = self.all.iter().position(|(_, value)| is(value));
        let index = known.unwrap_or(self.all.len());
        if known.is_none() {
            self.all.push((new_file(size)?, value));
        }
        let descriptor = self.all[index].0.try_clone()?.into_raw_fd();
        u32::try_from(descriptor).map_err(|_| io::ErrorKind::InvalidInput.into())
    }

    /// The value that the file of a descriptor represents.
    pub(crate) fn import(&self, descriptor: i32) -> Option<&T> {
        if descriptor < 0 {
            return None;
        }
        // SAFETY: the descriptor is not negative, and only looked at during the request.
        let file = unsafe { BorrowedFd::borrow_raw(descriptor) };
        let number = identity(&File::from(file.try_clone_to_owned().ok()?))?;
        self.all.iter().find(|(file, _)| identity(file) == Some(number)).map(|(_, value)| value)
    }
}

/// Numbers of the file system and of the file.
fn identity(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|data| (data.dev(), data.ino()))
}

fn new_file(size: u64) -> io::Result<File> {
    // SAFETY: the name is a constant string; the result is checked.
    let descriptor = unsafe { libc::memfd_create(c"gpu-object".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and nothing else owns it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.set_len(size)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_represent_values() {
        let mut exports = Exports::default();
        let [first, again, second] = [7, 7, 8]
            .map(|value| exports.export(|known| *known == value, value, 4096).expect("a file"))
            .map(|descriptor| i32::try_from(descriptor).expect("a descriptor"));
        assert_eq!(
            [first, again, second].map(|file| exports.import(file).copied()),
            [Some(7), Some(7), Some(8)]
        );
        assert_eq!(exports.all.len(), 2);
        assert_eq!(exports.import(-1), None);
        let other = File::open("/dev/null").expect("a file").into_raw_fd();
        assert_eq!(exports.import(other), None);
        for descriptor in [first, again, second, other] {
            // SAFETY: the descriptor is this test's.
            drop(unsafe { File::from_raw_fd(descriptor) });
        }
    }
}
