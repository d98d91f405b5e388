//! Answers to the question for facts of the device.

use submission::Request;

use crate::chips::Chip;
use crate::errors::{Answer, error_number};
use crate::kernel::Kernel;
use crate::memory::Argument;

/// Bytes of video memory, and of the memory of the system that the device can use.
const MEMORY: u64 = 3 << 30;
/// Number of the kind of memory: GDDR5.
const MEMORY_KIND: u32 = 5;

/// Questions, by their numbers in the kernel's interface.
mod question {
    pub(super) const WORKS: u32 = 0;
    pub(super) const ENGINE: u32 = 2;
    pub(super) const ENGINE_COUNT: u32 = 3;
    pub(super) const TIMESTAMP: u32 = 5;
    pub(super) const FIRMWARE: u32 = 0xe;
    pub(super) const DATA_SHARE: u32 = 0x13;
    pub(super) const MEMORY_SIZES: u32 = 0x14;
    pub(super) const REGISTERS: u32 = 0x15;
    pub(super) const DEVICE: u32 = 0x16;
    pub(super) const MEMORY: u32 = 0x19;
    pub(super) const VIDEO: u32 = 0x21;
}

/// Bytes of an answer, without gaps.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn words(&mut self, words: &[u32]) -> &mut Bytes {
        words.iter().for_each(|word| self.0.extend(word.to_le_bytes()));
        self
    }

    fn long(&mut self, numbers: &[u64]) -> &mut Bytes {
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
        self
    }
}

/// Answers a question: the address and the size of the answer, the question, its parameters.
pub(super) fn answer(kernel: &mut Kernel, chip: &Chip, argument: Argument) -> Answer {
    let parameter = |i: u64| argument.get::<u32>(16 + 4 * i);
    let mut bytes = Bytes::default();
    match argument.get::<u32>(12) {
        question::WORKS => bytes.words(&[1]),
        question::ENGINE => engine(chip, parameter(0), &mut bytes),
        question::ENGINE_COUNT => bytes.words(&[u32::from(parameter(0) < 2)]),
        question::TIMESTAMP => {
            let ticks = kernel.call(&Request::Timestamp).map_err(|error| error_number(&error))?;
            bytes.long(&[ticks])
        }
        question::FIRMWARE => {
            // ME, PFP, MEC; others are not there.
            let index = match parameter(0) {
                4 => Some(0),
                5 => Some(1),
                8 => Some(2),
                _ => None,
            };
            let (version, feature) = index.map_or((0, 0), |index: usize| chip.firmware[index]);
            bytes.words(&[version, feature])
        }
        question::DATA_SHARE => bytes.words(&[0; 8]),
        question::MEMORY_SIZES => bytes.long(&[MEMORY; 3]),
        question::REGISTERS => registers(kernel, chip, argument, &mut bytes)?,
        question::DEVICE => device(chip, kernel.device.pci, kernel.device.revision, &mut bytes),
        question::MEMORY => {
            for _ in 0..3 {
                // Size, usable, used, largest object.
                bytes.long(&[MEMORY, MEMORY, 0, MEMORY / 4 * 3]);
            }
            &mut bytes
        }
        // No codec.
        question::VIDEO => bytes.words(&[0; 48]),
        // Use of memory, losses of it.
        0xf | 0x10 | 0x11 | 0x17 | 0x18 | 0x1e | 0x1f => bytes.long(&[0]),
        // Video firmware, sensors, faults, limits of submissions.
        0x1a..=0x1d | 0x20 | 0x22 | 0x23 => return Err(libc::EINVAL),
        number => {
            kernel.log(format!("unknown question {number:#x}"));
            return Err(libc::EINVAL);
        }
    };
    let to = argument.follow(0);
    let room: u32 = argument.get(8);
    for (i, byte) in (0..u64::from(room)).zip(bytes.0) {
        to.set(i, byte);
    }
    Ok(())
}

/// An engine: graphics and compute exist.
fn engine<'b>(chip: &Chip, number: u32, bytes: &'b mut Bytes) -> &'b mut Bytes {
    let rings = [1, chip.compute_rings].get(number as usize).copied().unwrap_or(0);
    let version = if rings == 0 { 0 } else { chip.version };
    // Version, capabilities, alignment of start and size of buffers, rings.
    bytes.words(&[version, 0]).long(&[0]).words(&[32, 32, rings, 0])
}

fn registers<'b>(
    kernel: &mut Kernel,
    chip: &Chip,
    argument: Argument,
    bytes: &'b mut Bytes,
) -> Result<&'b mut Bytes, i32> {
    /// Most registers of a request.
    const MOST: u32 = 128;
    let [first, count, instance] = [16, 20, 24].map(|offset| argument.get::<u32>(offset));
    if count > MOST {
        return Err(libc::EINVAL);
    }
    for number in (0..count).map(|i| first.wrapping_add(i)) {
        let Some(value) = chip.register(number, instance) else {
            kernel.log(format!("unknown register {number:#x} of instance {instance:#x}"));
            return Err(libc::EFAULT);
        };
        bytes.words(&[value]);
    }
    Ok(bytes)
}

/// The structure of all facts, in the order of the kernel's interface.
fn device<'b>(chip: &Chip, pci: u32, revision: u32, bytes: &'b mut Bytes) -> &'b mut Bytes {
    let pipes = 8;
    bytes
        .words(&[pci, chip.revisions[0], chip.revisions[1], revision, chip.family])
        .words(&chip.engines)
        .words(&[chip.frequency])
        .long(&chip.clocks)
        .words(&[chip.units[0], 0])
        .words(chip.unit_masks.as_flattened())
        // Render back ends, contexts, generation of the bus.
        .words(&[(1 << pipes) - 1, pipes, 8, 3])
        .long(&[0])
        .long(&chip.addresses)
        // Alignment of addresses, fragments of page tables, pages, memory of the constant engine.
        .words(&[4096, 2 << 20, 4096, 32 << 10])
        .words(&[MEMORY_KIND, chip.memory_bits, 0, u32::from(chip.has_double_offchip_buffers)])
        .long(&[0; 4])
        .words(&[0; 4])
        // Lanes, registers, units of an array, blocks of the cache.
        .words(&[64, 256, chip.units[1], 8])
        .words(&[0, 0, 32, 8])
        .words(chip.unit_masks.as_flattened())
        .long(&[0, 0])
        .words(&[0, 0])
        .long(&[0; 3])
        .words(&[0; 6])
        .long(&[0])
        .words(&[0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chips::{PITCAIRN, POLARIS10};

    /// Places of fields in the structure of the kernel's interface.
    #[test]
    fn facts_are_in_their_places() {
        for chip in [&PITCAIRN, &POLARIS10] {
            let mut bytes = Bytes::default();
            device(chip, 0x1234, 7, &mut bytes);
            let word =
                |at: usize| u32::from_le_bytes(bytes.0[at..at + 4].try_into().expect("four bytes"));
            assert_eq!((word(0), word(16), word(28)), (0x1234, chip.family, chip.frequency));
            // The masks of units begin at byte 56, addresses at 144.
            assert_eq!((word(56), word(144)), (chip.unit_masks[0][0], 0x20_0000));
            assert_eq!((word(160), word(176)), (4096, 5));
            assert_eq!(bytes.0.len() % 8, 0);
        }
    }

    #[test]
    fn registers_by_instance() {
        assert_eq!(PITCAIRN.register(0x2644 + 8, u32::MAX), Some(4));
        assert_eq!(POLARIS10.register(0xa0d5, 0xff03), Some(0x2a));
        assert_eq!(POLARIS10.register(0xa0d5, 0xff04), None);
        assert_eq!(PITCAIRN.register(0x2664, u32::MAX), None);
        assert_eq!(POLARIS10.register(0x2644 + 48, u32::MAX), None);
    }
}
