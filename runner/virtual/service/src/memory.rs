//! Graphics memory of a process: buffer objects in its memory file or in memory that it already
//! had, with a cache of pages.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use packets::{Fault, Memory};
use rustc_hash::FxHashMap;
use submission::{BufferObject, Place};

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Pages that are found without a search, by the low bits of their number.
const RECENT: usize = 64;

/// Files that hold the bytes of objects.
#[derive(Clone, Copy)]
pub struct Files<'f> {
    /// The memory file.
    pub heap: &'f File,
    /// The memory of the process, by its addresses, if it can be accessed.
    pub process: Option<&'f File>,
}

impl<'f> Files<'f> {
    /// The file of a place, and the offset in it.
    fn find(self, place: Place) -> io::Result<(&'f File, u64)> {
        match place {
            Place::Heap(offset) => Ok((self.heap, offset)),
            Place::Process(address) => {
                let process = self.process.ok_or(io::ErrorKind::PermissionDenied)?;
                Ok((process, address))
            }
        }
    }
}

/// A page of an object.
struct Page {
    /// Place of its first byte.
    place: Place,
    bytes: Box<[u8; PAGE as usize]>,
    /// Bytes that were changed lie in this range. Other threads of the process may change others.
    dirty: Range<usize>,
}

impl Page {
    /// Notes that a range was changed.
    fn change(&mut self, range: Range<usize>) {
        self.dirty = if self.dirty.is_empty() {
            range
        } else {
            self.dirty.start.min(range.start)..self.dirty.end.max(range.end)
        };
    }
}

/// Pages that were accessed.
struct Pages {
    list: Vec<Page>,
    /// Indices by place.
    known: FxHashMap<Place, usize>,
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
/// While the batch executes the thread that submitted it waits. Other threads of the process may
/// write other bytes: only ranges that the batch changed are written back.
pub struct BatchMemory<'f> {
    files: Files<'f>,
    /// Objects in ascending order of addresses.
    objects: Vec<BufferObject>,
    pages: RefCell<Pages>,
}

impl<'f> BatchMemory<'f> {
    /// Creates the address space of a submission.
    #[must_use]
    pub fn new(files: Files<'f>, objects: &[BufferObject]) -> Self {
        let mut objects = objects.to_vec();
        objects.sort_by_key(|object| object.address);
        BatchMemory { files, objects, pages: RefCell::default() }
    }

    /// Writes what was changed to the files.
    ///
    /// # Errors
    /// Fails when a file cannot be written.
    pub fn flush(&self) -> io::Result<()> {
        let mut pages = self.pages.borrow_mut();
        for page in pages.list.iter_mut().filter(|page| !page.dirty.is_empty()) {
            let (file, offset) = self.files.find(page.place)?;
            let dirty = std::mem::take(&mut page.dirty);
            file.write_all_at(&page.bytes[dirty.clone()], offset + dirty.start as u64)?;
        }
        Ok(())
    }

    /// Numbers of pages that were read and that were changed.
    #[must_use]
    pub fn touched(&self) -> (usize, usize) {
        let pages = self.pages.borrow();
        (pages.list.len(), pages.list.iter().filter(|page| !page.dirty.is_empty()).count())
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
            let (place, start) = page_of(object.place, at - object.address);
            let room = (PAGE - start).min(object.address + object.size - at);
            let count = usize::try_from(room).map_or(length - done, |n| n.min(length - done));
            let index = pages.index(self.files, place);
            let number = at / PAGE;
            let is_whole = at % PAGE == start
                && object.address <= number * PAGE
                && (number + 1) * PAGE <= object.address + object.size;
            if is_whole {
                pages.recent[recent(number)] = (number, index);
            }
            let page = &mut pages.list[index];
            #[allow(clippy::cast_possible_truncation, reason = "less than a page")]
            let start = start as usize;
            if writes {
                page.change(start..start + count);
            }
            access(&mut page.bytes[start..start + count], done..done + count);
            done += count;
        }
        Ok(())
    }
}

/// The page that holds a byte of an object, and the byte's number in it.
fn page_of(first: Place, offset: u64) -> (Place, u64) {
    match first {
        Place::Heap(first) => {
            let start = (first + offset) % PAGE;
            (Place::Heap(first + offset - start), start)
        }
        Place::Process(first) => {
            let start = first.wrapping_add(offset) % PAGE;
            (Place::Process(first.wrapping_add(offset) - start), start)
        }
    }
}

impl Pages {
    /// Index of the page at a place.
    fn index(&mut self, files: Files<'_>, place: Place) -> usize {
        let Pages { list, known, .. } = self;
        *known.entry(place).or_insert_with(|| {
            let mut bytes = Box::new([0; PAGE as usize]);
            // Beyond the end of the file, and after an error, pages are zeros.
            if let Ok((file, offset)) = files.find(place) {
                let _ = file.read_exact_at(&mut bytes[..], offset);
            }
            list.push(Page { place, bytes, dirty: 0..0 });
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
            let range = start..start + bytes.len();
            page.bytes[range.clone()].copy_from_slice(bytes);
            page.change(range);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_changed_is_written_back() {
        let heap = tempfile::tempfile().expect("a file");
        heap.set_len(3 * PAGE).expect("room");
        let place = Place::Heap(PAGE);
        let object = BufferObject { address: 1 << 20, size: 2 * PAGE, place, handle: 1, flags: 0 };
        let files = Files { heap: &heap, process: None };
        let memory = BatchMemory::new(files, &[object]);
        memory.write((1 << 20) + 8, &[1, 2]).expect("an object");
        memory.write((1 << 20) + 4, &[3]).expect("an object");
        memory.write((1 << 20) + PAGE - 1, &[4, 5]).expect("an object");
        // Another thread of the process writes meanwhile.
        heap.write_all_at(&[9], PAGE).expect("room");
        heap.write_all_at(&[9], 2 * PAGE + 1).expect("room");
        memory.flush().expect("a file");
        let mut bytes = vec![0; 3 * 4096];
        heap.read_exact_at(&mut bytes, 0).expect("a file");
        assert_eq!(bytes[4096..4108], [9, 0, 0, 0, 3, 0, 0, 0, 1, 2, 0, 0]);
        assert_eq!(bytes[2 * 4096 - 2..2 * 4096 + 3], [0, 4, 5, 9, 0]);
    }

    #[test]
    fn the_memory_of_the_process_needs_its_file() {
        let heap = tempfile::tempfile().expect("a file");
        let place = Place::Process(0x7fff_0000);
        let object = BufferObject { address: 1 << 20, size: PAGE, place, handle: 1, flags: 0 };
        let memory = BatchMemory::new(Files { heap: &heap, process: None }, &[object]);
        memory.write(1 << 20, &[1]).expect("an object");
        assert!(memory.flush().is_err());
    }
}
