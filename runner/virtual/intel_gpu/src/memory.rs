//! Graphics memory of a process: buffer objects in its memory file, with a cache of pages.

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

/// Pages that are found without a search, by the low bits of their number.
const RECENT: usize = 64;

/// A page of the memory file.
struct Page {
    /// Offset in the file.
    offset: u64,
    bytes: Box<[u8; PAGE as usize]>,
    is_dirty: bool,
}

/// Pages that were accessed.
struct Pages {
    list: Vec<Page>,
    /// Indices by offset in the file.
    known: FxHashMap<u64, usize>,
    /// Number of a page in the address space and its index.
    recent: [(u64, usize); RECENT],
}

impl Default for Pages {
    fn default() -> Pages {
        let (list, known) = (Vec::new(), FxHashMap::default());
        Pages { list, known, recent: [(u64::MAX, 0); RECENT] }
    }
}

/// The address space of one submission.
///
/// Pages are read when they are first accessed; [`BatchMemory::flush`] writes changed ones back.
/// While the batch executes the process waits, so that nothing else accesses the memory.
pub struct BatchMemory<'f> {
    file: &'f File,
    /// Objects in ascending order of addresses.
    objects: Vec<BufferObject>,
    pages: RefCell<Pages>,
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
        for page in pages.list.iter_mut().filter(|page| page.is_dirty) {
            self.file.write_all_at(&page.bytes[..], page.offset)?;
            page.is_dirty = false;
        }
        Ok(())
    }

    /// Numbers of pages that were read and that were changed.
    #[must_use]
    pub fn touched(&self) -> (usize, usize) {
        let pages = self.pages.borrow();
        (pages.list.len(), pages.list.iter().filter(|page| page.is_dirty).count())
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
            let index = pages.index(self.file, offset - start);
            let number = at / PAGE;
            let is_whole = at % PAGE == start
                && object.address <= number * PAGE
                && (number + 1) * PAGE <= object.address + object.size;
            if is_whole {
                pages.recent[recent(number)] = (number, index);
            }
            let page = &mut pages.list[index];
            page.is_dirty |= writes;
            #[allow(clippy::cast_possible_truncation, reason = "less than a page")]
            let start = start as usize;
            access(&mut page.bytes[start..start + count], done..done + count);
            done += count;
        }
        Ok(())
    }
}

impl Pages {
    /// Index of the page at an offset of the file.
    fn index(&mut self, file: &File, offset: u64) -> usize {
        let Pages { list, known, .. } = self;
        *known.entry(offset).or_insert_with(|| {
            let mut bytes = Box::new([0; PAGE as usize]);
            // Beyond the end of the file, and after an error, pages are zeros.
            let _ = file.read_exact_at(&mut bytes[..], offset);
            list.push(Page { offset, bytes, is_dirty: false });
            list.len() - 1
        })
    }

    /// The page that holds a range, and the place of the range in it; `None` if it was not accessed
    /// recently, or if the range is in several pages.
    fn recent(&mut self, address: u64, length: usize) -> Option<(&mut Page, usize)> {
        let number = address / PAGE;
        #[allow(clippy::cast_possible_truncation, reason = "less than a page")]
        let start = (address % PAGE) as usize;
        let (known, index) = self.recent[recent(number)];
        let is_inside = known == number && start + length <= PAGE as usize;
        is_inside.then(|| (&mut self.list[index], start))
    }
}

/// Place of a page among the recent ones.
fn recent(number: u64) -> usize {
    #[allow(clippy::cast_possible_truncation, reason = "a remainder")]
    let place = (number % RECENT as u64) as usize;
    place
}

impl Memory for BatchMemory<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let length = bytes.len();
        if let Some((page, start)) = self.pages.borrow_mut().recent(address, length) {
            bytes.copy_from_slice(&page.bytes[start..start + length]);
            return Ok(());
        }
        self.pieces(address, length, false, &mut |page, range| {
            bytes[range].copy_from_slice(page);
        })
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        if let Some((page, start)) = self.pages.borrow_mut().recent(address, bytes.len()) {
            page.bytes[start..start + bytes.len()].copy_from_slice(bytes);
            page.is_dirty = true;
            return Ok(());
        }
        self.pieces(address, bytes.len(), true, &mut |page, range| {
            page.copy_from_slice(&bytes[range]);
        })
    }

    fn object(&self, address: u64) -> Option<Range<u64>> {
        let object = self.find(address).ok()?;
        Some(object.address..object.address + object.size)
    }
}
