//! Graphics memory of a process: buffer objects in its memory file, behind a cache of pages.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use packets::{Fault, Memory};
use rustc_hash::FxHashMap;
use submission::BufferObject;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// A page of the memory file.
struct Page {
    bytes: Box<[u8; PAGE as usize]>,
    is_dirty: bool,
}

/// The address space of one submission.
///
/// Pages are read when they are first accessed; [`BatchMemory::flush`] writes changed ones back.
/// While the batch executes the process waits, so that nothing else accesses the memory.
pub struct BatchMemory<'f> {
    file: &'f File,
    /// Objects in ascending order of addresses.
    objects: Vec<BufferObject>,
    pages: RefCell<FxHashMap<u64, Page>>,
}

impl<'f> BatchMemory<'f> {
    /// Creates the address space of a submission.
    #[must_use]
    pub fn new(file: &'f File, objects: &[BufferObject]) -> Self {
        let mut objects = objects.to_vec();
        objects.sort_by_key(|object| object.address);
        BatchMemory { file, objects, pages: RefCell::default() }
    }

    /// Writes changed pages to the memory file.
    ///
    /// # Errors
    /// Fails when the file cannot be written.
    pub fn flush(&self) -> io::Result<()> {
        let mut pages = self.pages.borrow_mut();
        for (offset, page) in pages.iter_mut().filter(|(_, page)| page.is_dirty) {
            self.file.write_all_at(&page.bytes[..], *offset)?;
            page.is_dirty = false;
        }
        Ok(())
    }

    /// Numbers of pages that were read and that were changed.
    #[must_use]
    pub fn touched(&self) -> (usize, usize) {
        let pages = self.pages.borrow();
        (pages.len(), pages.values().filter(|page| page.is_dirty).count())
    }

    fn find(&self, address: u64) -> Result<&BufferObject, Fault> {
        let after = self.objects.partition_point(|object| object.address <= address);
        let object = self.objects[..after].last().ok_or(Fault { address })?;
        if address - object.address < object.size { Ok(object) } else { Err(Fault { address }) }
    }

    /// Calls `access` with each piece of a range: bytes of a page, range of the caller's bytes.
    fn pieces(
        &self,
        address: u64,
        length: usize,
        writes: bool,
        access: &mut dyn FnMut(&mut [u8], Range<usize>),
    ) -> Result<(), Fault> {
        let mut pages = self.pages.borrow_mut();
        let mut done = 0;
        while done < length {
            let at = address + done as u64;
            let object = self.find(at)?;
            let offset = object.offset + (at - object.address);
            let start = offset % PAGE;
            let room = (PAGE - start).min(object.address + object.size - at);
            let count = usize::try_from(room).map_or(length - done, |n| n.min(length - done));
            let page = pages.entry(offset - start).or_insert_with(|| {
                let mut bytes = Box::new([0; PAGE as usize]);
                // Beyond the end of the file, and after an error, pages are zeros.
                let _ = self.file.read_exact_at(&mut bytes[..], offset - start);
                Page { bytes, is_dirty: false }
            });
            page.is_dirty |= writes;
            #[allow(clippy::cast_possible_truncation, reason = "less than a page")]
            let start = start as usize;
            access(&mut page.bytes[start..start + count], done..done + count);
            done += count;
        }
        Ok(())
    }
}

impl Memory for BatchMemory<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let length = bytes.len();
        self.pieces(address, length, false, &mut |page, range| {
            bytes[range].copy_from_slice(page);
        })
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.pieces(address, bytes.len(), true, &mut |page, range| {
            page.copy_from_slice(&bytes[range]);
        })
    }

    fn object(&self, address: u64) -> Option<Range<u64>> {
        let object = self.find(address).ok()?;
        Some(object.address..object.address + object.size)
    }
}
