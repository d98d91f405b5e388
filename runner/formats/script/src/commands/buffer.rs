//! Atomic counter buffers, shader storage buffers and transform feedback buffers.

use super::arguments::Arguments;
use crate::error::Fault;
use crate::numbers::{float64, signed32, signed64, unsigned64};
use crate::patterns::Pattern;

/// Storage buffers of the interpreter.
pub(super) const SSBO_BUFFERS: u32 = 32;
/// Atomic counter buffers of the interpreter.
pub(super) const ATOMIC_BUFFERS: u32 = 8;
/// Feedback buffers of the interpreter.
pub(super) const XFB_BUFFERS: u32 = 4;
/// Maximum size in bytes of a script's buffer (the corpus stays below 5,000).
pub(super) const MAX_BYTES: u32 = 1 << 28;

/// A value in a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SsboValue {
    /// 32-bit unsigned.
    Uint(u32),
    /// 64-bit unsigned.
    Uint64(u64),
    /// 32-bit signed.
    Int(i32),
    /// 64-bit signed.
    Int64(i64),
    /// 32-bit float.
    Float(f32),
    /// 64-bit float.
    Double(f64),
}

impl SsboValue {
    /// Returns the bytes in memory, little-endian.
    pub fn bytes(self) -> Vec<u8> {
        match self {
            SsboValue::Uint(v) => v.to_le_bytes().to_vec(),
            SsboValue::Uint64(v) => v.to_le_bytes().to_vec(),
            SsboValue::Int(v) => v.to_le_bytes().to_vec(),
            SsboValue::Int64(v) => v.to_le_bytes().to_vec(),
            SsboValue::Float(v) => v.to_le_bytes().to_vec(),
            SsboValue::Double(v) => v.to_le_bytes().to_vec(),
        }
    }
}

/// Creates or fills a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BufferCommand {
    /// `atomic counters`, `atomic counter buffer`: a zeroed buffer, bound at its own index.
    AtomicCounters {
        /// Buffer and binding, below 8.
        buffer: u32,
        /// Number of 32-bit counters.
        count: u32,
    },
    /// `atomic counter`: sets one counter and binds the buffer at its own index.
    SetAtomicCounter {
        /// Buffer and binding, below 8.
        buffer: u32,
        /// Counter, 4 bytes each.
        counter: u32,
        /// New value.
        value: u32,
    },
    /// `ssbo`: a zeroed storage buffer, bound at its own index.
    Ssbo {
        /// Buffer and binding, below 32.
        buffer: u32,
        /// Size in bytes.
        size: u32,
    },
    /// `ssbo … subdata`.
    SsboSubdata {
        /// Buffer, below 32.
        buffer: u32,
        /// Offset in bytes.
        offset: u32,
        /// The stored value; never `Uint`, since `int` serves for both.
        data: SsboValue,
    },
    /// `xfb buffer object`: a zeroed feedback buffer, bound at its own index.
    Feedback {
        /// Buffer and binding, below 4.
        buffer: u32,
        /// Size in bytes.
        size: u32,
    },
}

pub(super) fn command<'a>(
    pattern: Pattern,
    arguments: &Arguments<'a, '_>,
) -> Result<BufferCommand, Fault<'a>> {
    use Pattern as P;
    let captures = arguments.captures;
    let atomic =
        |index| arguments.bounded(captures.unsigned(index), ATOMIC_BUFFERS, "atomic buffer");
    let counters =
        |index| arguments.size(captures.signed(index), MAX_BYTES / 4, "number of counters");
    Ok(match pattern {
        P::AtomicCounters => BufferCommand::AtomicCounters { buffer: 0, count: counters(0)? },
        P::AtomicCounterBuffer => {
            BufferCommand::AtomicCounters { buffer: atomic(0)?, count: counters(1)? }
        }
        P::AtomicCounter => BufferCommand::SetAtomicCounter {
            buffer: atomic(0)?,
            counter: captures.unsigned(1),
            value: captures.unsigned(2),
        },
        P::Ssbo => {
            BufferCommand::Ssbo { buffer: ssbo(arguments)?, size: bytes(arguments, "size")? }
        }
        P::SsboSubdataFloat => subdata(arguments, SsboValue::Float(captures.single(2)))?,
        P::SsboSubdataDouble => {
            let value = float64(captures.text(2)).map_or(0.0, |(_, real)| real.value);
            subdata(arguments, SsboValue::Double(value))?
        }
        P::SsboSubdataInt => subdata(
            arguments,
            SsboValue::Int(signed32(captures.text(2)).map_or(0, |(_, value)| value)),
        )?,
        P::SsboSubdataInt64 => {
            let (value, outside) =
                signed64(captures.text(2)).map_or((0, false), |(_, value)| value);
            subdata(arguments, fitting(arguments, SsboValue::Int64(value), outside)?)?
        }
        P::SsboSubdataUint64 => {
            let (value, outside) =
                unsigned64(captures.text(2)).map_or((0, false), |(_, value)| value);
            subdata(arguments, fitting(arguments, SsboValue::Uint64(value), outside)?)?
        }
        P::XfbBufferObject => BufferCommand::Feedback {
            buffer: arguments.bounded(captures.unsigned(0), XFB_BUFFERS, "feedback buffer")?,
            size: bytes(arguments, "size")?,
        },
        _ => return Err(arguments.malformed("not a buffer command")),
    })
}

fn ssbo<'a>(arguments: &Arguments<'a, '_>) -> Result<u32, Fault<'a>> {
    arguments.bounded(arguments.captures.signed(0) as u32, SSBO_BUFFERS, "storage buffer")
}

fn bytes<'a>(arguments: &Arguments<'a, '_>, what: &str) -> Result<u32, Fault<'a>> {
    arguments.size(arguments.captures.signed(1), MAX_BYTES, what)
}

fn subdata<'a>(arguments: &Arguments<'a, '_>, data: SsboValue) -> Result<BufferCommand, Fault<'a>> {
    Ok(BufferCommand::SsboSubdata {
        buffer: ssbo(arguments)?,
        offset: bytes(arguments, "offset")?,
        data,
    })
}

fn fitting<'a>(
    arguments: &Arguments<'a, '_>,
    data: SsboValue,
    outside: bool,
) -> Result<SsboValue, Fault<'a>> {
    if outside { Err(arguments.out_of_range("integer does not fit 64 bits")) } else { Ok(data) }
}
