//! GBM: devices of the platform of the same name.

use std::ffi::{c_int, c_void};
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::Path;

use libloading::Library;

type CreateDevice = unsafe extern "C" fn(c_int) -> *mut c_void;
type DestroyDevice = unsafe extern "C" fn(*mut c_void);

/// An open device.
pub(crate) struct GbmDevice {
    pointer: *mut c_void,
    library: Library,
    _file: File,
}

impl GbmDevice {
    /// Opens a render node.
    pub(crate) fn open(file: &Path) -> Result<GbmDevice, String> {
        let opened = OpenOptions::new().read(true).write(true).open(file);
        let opened = opened.map_err(|error| format!("{}: {error}", file.display()))?;
        // SAFETY: the library of Mesa has no initializers with conditions.
        let library = unsafe { Library::new("libgbm.so.1") }.map_err(|error| error.to_string())?;
        // SAFETY: `gbm.h` declares the function with this type.
        let create = unsafe { library.get::<CreateDevice>(b"gbm_create_device\0") };
        let create = *create.map_err(|error| error.to_string())?;
        // SAFETY: the file stays open as long as the device.
        let pointer = unsafe { create(opened.as_raw_fd()) };
        if pointer.is_null() {
            return Err(format!("{}: no GBM device", file.display()));
        }
        Ok(GbmDevice { pointer, library, _file: opened })
    }

    /// Returns the native display of EGL.
    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for GbmDevice {
    fn drop(&mut self) {
        // SAFETY: `gbm.h` declares the function with this type.
        if let Ok(destroy) = unsafe { self.library.get::<DestroyDevice>(b"gbm_device_destroy\0") } {
            // SAFETY: the device was created once and is destroyed once.
            unsafe { destroy(self.pointer) };
        }
    }
}
