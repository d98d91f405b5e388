//! The contents of buffers before the first command.

use crate::model::{Buffer, Contents};
use crate::tokens::Number;
use crate::values::{encode_cut, write};

impl Buffer {
    /// The bytes before the first command, [`Buffer::size`] of them.
    pub fn initial_bytes(&self) -> Vec<u8> {
        let size = self.size() as usize;
        let mut bytes = match &self.contents {
            Contents::Bytes(bytes) => bytes.clone(),
            _ => Vec::new(),
        };
        bytes.resize(size, 0);
        let stride = (self.format.size as usize).max(1);
        match &self.contents {
            Contents::Zero | Contents::Bytes(_) => {}
            Contents::Fill(element) => {
                for target in bytes.chunks_exact_mut(stride) {
                    target.copy_from_slice(element);
                }
            }
            Contents::IntegerSeries { start, step } => {
                let mut value = *start;
                for target in bytes.chunks_exact_mut(stride) {
                    self.put(Number::Integer { bits: value, negative: false }, target);
                    value = value.wrapping_add(*step);
                }
            }
            Contents::FloatSeries { start, step } => {
                let mut value = *start;
                for target in bytes.chunks_exact_mut(stride) {
                    self.put(Number::Real(value), target);
                    value += step;
                }
            }
        }
        bytes
    }

    /// Writes the only value of an element.
    fn put(&self, value: Number, element: &mut [u8]) {
        let Some(part) = self.format.parts.first() else {
            return;
        };
        if let Some(bits) = encode_cut(value, part.numeric, part.bits) {
            write(bits, part, 0, element);
        }
    }
}
