//! Recorded batches: a batch and the memory that it reads, in one file.
//!
//! The file begins with a line `batch ADDRESS len BYTES ring CONTEXT ver VERSION n OBJECTS`, in
//! which the address is hexadecimal. Records follow, all numbers little-endian:
//!
//! * `PAGE`, an address of 8 bytes, and 4096 bytes of contents. Pages of zeros are left out.
//! * `OBJ.`, then address, size and handle of a buffer object, 8 bytes each.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use crate::memory::{Fault, Memory};

const PAGE: u64 = 4096;

/// A buffer object of a recorded address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Graphics address.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Number of the object in its process.
    pub handle: u64,
}

/// Why a file is not a recorded batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// The first line does not describe a batch.
    #[error("line 1 is not `batch ADDRESS len BYTES ring CONTEXT ver VERSION n OBJECTS`: `{0}`")]
    Header(String),
    /// A record is neither a page nor an object.
    #[error("unknown or incomplete record at byte {0}")]
    Record(usize),
}

/// A recorded batch. Writes go to a copy in memory.
#[derive(Debug, Default)]
pub struct Recording {
    /// Address of the first command.
    pub address: u64,
    /// Bytes of the batch, up to its first jump.
    pub length: u64,
    /// Number of the hardware context.
    pub context: u32,
    /// Ten times the version of the hardware.
    pub version: u32,
    /// Buffer objects in ascending order of addresses.
    pub objects: Vec<Object>,
    pages: RefCell<BTreeMap<u64, Vec<u8>>>,
}

impl Recording {
    /// Reads the contents of a file.
    ///
    /// # Errors
    /// Names the first thing that is not in the format.
    pub fn parse(bytes: &[u8]) -> Result<Recording, RecordingError> {
        let end = bytes.iter().take(200).position(|&b| b == b'\n').unwrap_or(0);
        let line = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        let header = || RecordingError::Header(line.clone());
        let ["batch", address, "len", length, "ring", context, "ver", version, "n", _] = words[..]
        else {
            return Err(header());
        };
        let mut recording = Recording {
            address: u64::from_str_radix(address, 16).map_err(|_| header())?,
            length: length.parse().map_err(|_| header())?,
            context: context.parse().map_err(|_| header())?,
            version: version.parse().map_err(|_| header())?,
            ..Recording::default()
        };
        let mut at = end + 1;
        while at < bytes.len() {
            at += recording.record(&bytes[at..]).ok_or(RecordingError::Record(at))?;
        }
        recording.objects.sort_by_key(|object| object.address);
        Ok(recording)
    }

    /// Creates the recorded memory of a buffer of packets: a line with address and size of each
    /// object, both hexadecimal, and pages, each an address of 8 bytes with 4096 bytes of contents.
    /// `None` if a line or a page is in another form.
    #[must_use]
    pub fn of_parts(address: u64, length: u64, map: &str, pages: &[u8]) -> Option<Recording> {
        let mut recording = Recording { address, length, ..Recording::default() };
        for (handle, line) in (1..).zip(map.lines()) {
            let (address, size) = line.split_once(' ')?;
            let number = |text: &str| u64::from_str_radix(text.trim(), 16).ok();
            let object = Object { address: number(address)?, size: number(size)?, handle };
            recording.objects.push(object);
        }
        recording.objects.sort_by_key(|object| object.address);
        let (records, rest) = pages.as_chunks::<{ 8 + PAGE as usize }>();
        for record in records {
            let (address, contents) = record.split_first_chunk()?;
            let address = u64::from_le_bytes(*address);
            recording.pages.get_mut().insert(address, contents.to_vec());
        }
        rest.is_empty().then_some(recording)
    }

    /// Writes a batch with all pages of its objects that are not zero.
    ///
    /// # Errors
    /// Fails when the file cannot be written.
    pub fn write(
        out: &mut dyn Write,
        memory: &dyn Memory,
        address: u64,
        length: u64,
        (context, version): (u32, u32),
        objects: &[Object],
    ) -> io::Result<()> {
        let count = objects.len();
        writeln!(out, "batch {address:x} len {length} ring {context} ver {version} n {count}")?;
        for object in objects {
            let end = object.address + object.size;
            let mut at = object.address;
            while at < end {
                let mut page = [0; 4096];
                // The last page of an object may be incomplete.
                let bytes = usize::try_from(end - at).map_or(4096, |rest| rest.min(4096));
                if memory.read(at, &mut page[..bytes]).is_ok() && page != [0; 4096] {
                    out.write_all(b"PAGE")?;
                    out.write_all(&at.to_le_bytes())?;
                    out.write_all(&page)?;
                }
                at += PAGE;
            }
        }
        for object in objects {
            out.write_all(b"OBJ.")?;
            for number in [object.address, object.size, object.handle] {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        out.flush()
    }

    /// Adds the record that `bytes` begins with and returns its length.
    fn record(&mut self, bytes: &[u8]) -> Option<usize> {
        let number = |at: usize| -> Option<u64> {
            Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
        };
        match bytes.get(..4)? {
            b"PAGE" => {
                let contents = bytes.get(12..12 + 4096)?.to_vec();
                self.pages.get_mut().insert(number(4)?, contents);
                Some(12 + 4096)
            }
            b"OBJ." => {
                let object = Object { address: number(4)?, size: number(12)?, handle: number(20)? };
                self.objects.push(object);
                Some(28)
            }
            _ => None,
        }
    }

    /// Splits an access at the borders of pages: page, offset, range of the bytes.
    fn pieces(&self, address: u64, length: usize) -> Result<Vec<(u64, Range<usize>)>, Fault> {
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < length {
            let at = address + done as u64;
            let object = self.object(at).ok_or(Fault { address: at })?;
            let end = object.end.min((at / PAGE + 1) * PAGE);
            let count = usize::try_from(end - at).map_or(length, |n| n.min(length - done));
            pieces.push((at, done..done + count));
            done += count;
        }
        Ok(pieces)
    }
}

/// Offset of an address in its page.
#[allow(clippy::cast_possible_truncation, reason = "less than 4096")]
fn offset(address: u64) -> usize {
    (address % PAGE) as usize
}

impl Memory for Recording {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let pages = self.pages.borrow();
        for (at, range) in self.pieces(address, bytes.len())? {
            let piece = &mut bytes[range];
            match pages.get(&(at - at % PAGE)) {
                Some(page) => piece.copy_from_slice(&page[offset(at)..offset(at) + piece.len()]),
                None => piece.fill(0),
            }
        }
        Ok(())
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let pieces = self.pieces(address, bytes.len())?;
        let mut pages = self.pages.borrow_mut();
        for (at, range) in pieces {
            let page = pages.entry(at - at % PAGE).or_insert_with(|| vec![0; 4096]);
            page[offset(at)..offset(at) + range.len()].copy_from_slice(&bytes[range]);
        }
        Ok(())
    }

    fn object(&self, address: u64) -> Option<Range<u64>> {
        let after = self.objects.partition_point(|object| object.address <= address);
        let object = self.objects[..after].last()?;
        // Objects end with whole pages.
        let end = (object.address + object.size).next_multiple_of(PAGE);
        (address < end).then_some(object.address..end)
    }
}

#[cfg(test)]
impl Recording {
    /// A page of memory that begins with these double words.
    pub(crate) fn of_words(address: u64, words: &[u32]) -> Recording {
        let mut page = address.to_le_bytes().to_vec();
        page.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        page.resize(8 + 4096, 0);
        Recording::of_parts(address, 8, &format!("{address:x} 1000"), &page).expect("a page")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two objects of a page each, side by side; the first page is recorded.
    fn sample() -> Recording {
        let mut file = b"batch 10000 len 8 ring 1 ver 70 n 2\nPAGE".to_vec();
        file.extend(0x10000_u64.to_le_bytes());
        file.extend([7; 4096]);
        for object in [[0x10000_u64, 4096, 1], [0x11000, 100, 2]] {
            file.extend(b"OBJ.");
            object.iter().for_each(|n| file.extend(n.to_le_bytes()));
        }
        Recording::parse(&file).expect("a recording")
    }

    #[test]
    fn reads_and_writes_cross_objects() {
        let recording = sample();
        assert_eq!((recording.address, recording.version), (0x10000, 70));
        assert_eq!(recording.read_u64(0x10ffc), Ok(0x0707_0707));
        assert_eq!(recording.write(0x10ffe, &[1, 2, 3, 4]), Ok(()));
        assert_eq!(recording.read_u64(0x10ffc), Ok(0x0403_0201_0707));
        assert_eq!(recording.read_u32(0x11ffe), Err(Fault { address: 0x12000 }));
        assert_eq!(recording.object(0xffff), None);
    }

    #[test]
    fn written_recordings_are_read_again() {
        let recording = sample();
        recording.write(0x11000, &[5]).expect("mapped");
        let mut file = Vec::new();
        Recording::write(&mut file, &recording, 0x10000, 8, (1, 70), &recording.objects)
            .expect("room");
        let again = Recording::parse(&file).expect("a recording");
        assert_eq!((again.address, again.length), (0x10000, 8));
        assert_eq!(again.objects, recording.objects);
        assert_eq!(again.read_u64(0x10ffc), Ok(0x0000_0005_0707_0707));
    }

    /// An object that does not begin with the batch, and whose last page is incomplete.
    #[test]
    fn incomplete_pages_are_written() {
        let recording = sample();
        recording.write(0x11060, &[9; 8]).expect("mapped");
        let mut file = Vec::new();
        let objects = [Object { address: 0x11000, size: 100, handle: 2 }];
        Recording::write(&mut file, &recording, 0x11000, 8, (1, 70), &objects).expect("room");
        let again = Recording::parse(&file).expect("a recording");
        // The object ends at 0x11064.
        assert_eq!(again.read_u64(0x11060), Ok(0x0909_0909));
    }

    #[test]
    fn memory_in_parts() {
        let page = [&0x10000_u64.to_le_bytes()[..], &[7; 4096]].concat();
        let map = "10000 1000\n11000 64\n";
        let recording = Recording::of_parts(0x10000, 8, map, &page).expect("memory");
        assert_eq!(recording.read_u32(0x10ffe), Ok(0x0707));
        assert!(Recording::of_parts(0, 0, "1", &[]).is_none());
        assert!(Recording::of_parts(0, 0, map, &page[1..]).is_none());
    }

    #[test]
    fn bad_files_are_errors() {
        assert!(matches!(Recording::parse(b"PAGE"), Err(RecordingError::Header(_))));
        let short = b"batch 1 len 8 ring 1 ver 70 n 2\nPAGE";
        assert_eq!(Recording::parse(short).err(), Some(RecordingError::Record(32)));
    }
}
