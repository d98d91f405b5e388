//! Messages between the device library in a GL process and the virtual GPU.
//!
//! Both sides hold a Unix stream socket. The process sends a [`Request`] and waits for a [`Reply`]
//! before it continues. A message is a frame: its length as 4 bytes, then that many bytes. All
//! numbers are little-endian.
//!
//! | request | first byte | contents |
//! |---|---|---|
//! | [`Request::Hello`] | 1 | process id (4), heap's descriptor (4), [`BUILD`] (8), generation |
//! | [`Request::Submit`] | 2 | context (4), engine (4), batch address (8), length (8), objects (40 each) |
//! | [`Request::Timestamp`] | 3 | – |
//! | [`Request::DestroyContext`] | 4 | context (4) |
//! | [`Request::Log`] | 5 | text |
//! | [`Request::Kernels`] | 6 | process id (4) |
//!
//! An object is address, size, place, handle and flags, 8 bytes each. A place is an offset in the
//! heap, or an address of the process with bit 63 set. A reply is a status (4) and a value
//! (8). The value of the reply to [`Request::Hello`] is [`BUILD`]; the reply to
//! [`Request::Kernels`] is text, see [`KernelUse`].
//!
//! Both sides are built from the same sources: each refuses another build.
//!
//! ```
//! use submission::{Request, receive, send};
//!
//! let mut wire = Vec::new();
//! send(&mut wire, &Request::Timestamp.encode()).unwrap();
//! let frame = receive(&mut wire.as_slice()).unwrap().unwrap();
//! assert_eq!(Request::decode(&frame), Some(Request::Timestamp));
//! ```

use std::io::{self, Read, Write};

pub mod tile_modes;

/// Environment variable with the path of the socket.
pub const SOCKET_VARIABLE: &str = "RUNNER_GPU_SOCKET";
/// Environment variable with the name of the generation.
pub const GENERATION_VARIABLE: &str = "RUNNER_GPU_GENERATION";
/// Number of the sources of the device library.
pub const BUILD: u64 = match u64::from_str_radix(env!("RUNNER_DEVICE_BUILD"), 16) {
    Ok(number) => number,
    Err(_) => panic!("the build script sets a number"),
};
/// Text before the digits of [`BUILD`] in the file of a device library.
const STAMP_START: &str = "runner device library of build ";
/// Text in the file of a device library by which a program knows its build.
pub const STAMP: &str =
    concat!("runner device library of build ", env!("RUNNER_DEVICE_BUILD"), ";");
/// Largest frame in bytes.
const LARGEST: u32 = 1 << 26;

/// Bit of a place in a message that makes it an address of the process. No offset has it.
const PROCESS_BIT: u64 = 1 << 63;

/// Place of an object's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// From this byte of the heap on.
    Heap(u64),
    /// From this address of the process on: memory that the process already had.
    Process(u64),
}

impl Place {
    fn encode(self) -> u64 {
        match self {
            Place::Heap(offset) => offset,
            Place::Process(address) => address | PROCESS_BIT,
        }
    }

    fn decode(number: u64) -> Place {
        if number & PROCESS_BIT == 0 {
            Place::Heap(number)
        } else {
            Place::Process(number & !PROCESS_BIT)
        }
    }
}

/// A buffer object of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferObject {
    /// Graphics address, 48 bits.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// First byte.
    pub place: Place,
    /// Number of the object in its process.
    pub handle: u64,
    /// Flags of the kernel's interface.
    pub flags: u64,
}

/// A batch to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Hardware context, whose state persists between batches.
    pub context: u32,
    /// Engine, by the number of the kernel's interface; 0 draws.
    pub engine: u32,
    /// Address of the first command.
    pub batch: u64,
    /// Bytes up to the end or to the first jump.
    pub length: u64,
    /// The address space.
    pub objects: Vec<BufferObject>,
}

/// A message of a GL process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// First message: who is there.
    Hello {
        /// Process.
        pid: u32,
        /// File descriptor of the heap in that process.
        heap: u32,
        /// Build of the device library.
        build: u64,
        /// Name of the generation.
        generation: String,
    },
    /// Execute a batch. The reply comes after its last write.
    Submit(Submission),
    /// Read the time of the GPU. The reply's value has it in ticks.
    Timestamp,
    /// Forget the state of a context.
    DestroyContext(u32),
    /// Show a line to the user.
    Log(String),
    /// Return the kernels that a process has used since the last such request. The reply is a
    /// line of text for each, see [`KernelUse`].
    Kernels(u32),
}

/// Answer to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// 0, or an error number of the operating system.
    pub status: u32,
    /// Result.
    pub value: u64,
}

impl Request {
    /// Returns the bytes of the message.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Request::Hello { pid, heap, build, generation } => {
                bytes.push(1);
                bytes.extend(pid.to_le_bytes());
                bytes.extend(heap.to_le_bytes());
                bytes.extend(build.to_le_bytes());
                bytes.extend(generation.as_bytes());
            }
            Request::Submit(submission) => {
                bytes.push(2);
                bytes.extend(submission.context.to_le_bytes());
                bytes.extend(submission.engine.to_le_bytes());
                bytes.extend(submission.batch.to_le_bytes());
                bytes.extend(submission.length.to_le_bytes());
                for object in &submission.objects {
                    let BufferObject { address, size, place, handle, flags } = *object;
                    for number in [address, size, place.encode(), handle, flags] {
                        bytes.extend(number.to_le_bytes());
                    }
                }
            }
            Request::Timestamp => bytes.push(3),
            Request::DestroyContext(context) => {
                bytes.push(4);
                bytes.extend(context.to_le_bytes());
            }
            Request::Log(text) => {
                bytes.push(5);
                bytes.extend(text.as_bytes());
            }
            Request::Kernels(pid) => {
                bytes.push(6);
                bytes.extend(pid.to_le_bytes());
            }
        }
        bytes
    }

    /// Reads a message; `None` if it is none.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Request> {
        let (kind, mut rest) = bytes.split_first()?;
        let rest = &mut rest;
        Some(match kind {
            1 => Request::Hello {
                pid: u32::from_le_bytes(take(rest)?),
                heap: u32::from_le_bytes(take(rest)?),
                build: number(rest)?,
                generation: String::from_utf8(rest.to_vec()).ok()?,
            },
            2 => {
                let context = u32::from_le_bytes(take(rest)?);
                let engine = u32::from_le_bytes(take(rest)?);
                let (batch, length) = (number(rest)?, number(rest)?);
                let mut objects = Vec::with_capacity(rest.len() / 40);
                while !rest.is_empty() {
                    objects.push(BufferObject {
                        address: number(rest)?,
                        size: number(rest)?,
                        place: Place::decode(number(rest)?),
                        handle: number(rest)?,
                        flags: number(rest)?,
                    });
                }
                Request::Submit(Submission { context, engine, batch, length, objects })
            }
            3 => Request::Timestamp,
            4 => Request::DestroyContext(u32::from_le_bytes(take(rest)?)),
            5 => Request::Log(String::from_utf8_lossy(rest).into_owned()),
            6 => Request::Kernels(u32::from_le_bytes(take(rest)?)),
            _ => return None,
        })
    }
}

/// The build that the file of a device library tells, in hexadecimal; `None` if it tells none, as
/// those of early versions.
#[must_use]
pub fn build_of(library: &[u8]) -> Option<&str> {
    let start = STAMP_START.as_bytes();
    let at = library.windows(start.len()).position(|window| window == start)? + start.len();
    std::str::from_utf8(library.get(at..at + 16)?).ok()
}

/// A kernel that draws or dispatches of a process used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelUse {
    /// Name of the stage.
    pub stage: String,
    /// Name of the width.
    pub width: String,
    /// BLAKE3 of the kernel's bytes, in hexadecimal.
    pub hash: String,
    /// Instructions.
    pub instructions: u64,
    /// Loops.
    pub loops: u64,
    /// Messages that it sends.
    pub sends: u64,
    /// Estimated cycles.
    pub cycles: u64,
    /// Threads that ended.
    pub threads: u64,
    /// Instructions that they executed.
    pub executed: u64,
}

impl KernelUse {
    /// Returns a line of text: stage, width, hash, then the numbers.
    #[must_use]
    pub fn to_line(&self) -> String {
        let KernelUse { stage, width, hash, instructions, loops, sends, cycles, .. } = self;
        let KernelUse { threads, executed, .. } = self;
        let sizes = format!("{instructions} {loops} {sends} {cycles}");
        format!("{stage} {width} {hash} {sizes} {threads} {executed}\n")
    }

    /// Reads a line; `None` if it is none.
    #[must_use]
    pub fn of_line(line: &str) -> Option<KernelUse> {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (stage, width, hash) = (words.next()?, words.next()?, words.next()?);
        let mut number = || words.next()?.parse().ok();
        Some(KernelUse {
            stage,
            width,
            hash,
            instructions: number()?,
            loops: number()?,
            sends: number()?,
            cycles: number()?,
            threads: number()?,
            executed: number()?,
        })
    }
}

impl Reply {
    /// Returns the bytes of the message.
    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        [&self.status.to_le_bytes()[..], &self.value.to_le_bytes()].concat()
    }

    /// Reads a message; `None` if it is none.
    #[must_use]
    pub fn decode(mut bytes: &[u8]) -> Option<Reply> {
        let status = u32::from_le_bytes(take(&mut bytes)?);
        Some(Reply { status, value: number(&mut bytes)? })
    }
}

/// Takes the first bytes.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

/// Takes a number of 8 bytes.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes).map(u64::from_le_bytes)
}

/// Writes a frame.
///
/// # Errors
/// Fails when the message is too long or the socket is closed.
pub fn send(stream: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).ok().filter(|length| *length <= LARGEST);
    let Some(length) = length else { return Err(io::ErrorKind::InvalidInput.into()) };
    stream.write_all(&[&length.to_le_bytes()[..], message].concat())
}

/// Reads a frame; `None` at the end of the stream.
///
/// # Errors
/// Fails when the stream ends within a frame, and on a length that no message has.
pub fn receive(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("frame of {length} bytes")));
    }
    let mut message = vec![0; length as usize];
    stream.read_exact(&mut message)?;
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_the_wire() {
        let place = Place::Heap(8192);
        let object = BufferObject { address: 1 << 47, size: 4096, place, handle: 3, flags: 16 };
        let own = BufferObject { place: Place::Process(0x7fff_f000), ..object };
        let submission = Submission {
            context: 1,
            engine: 2,
            batch: 1 << 47,
            length: 64,
            objects: vec![object, own],
        };
        let requests = [
            Request::Hello { pid: 7, heap: 3, build: BUILD, generation: "ivb".into() },
            Request::Submit(submission),
            Request::Timestamp,
            Request::DestroyContext(2),
            Request::Log("unknown request 0x1".into()),
            Request::Kernels(7),
        ];
        for request in requests {
            let bytes = request.encode();
            assert_eq!(Request::decode(&bytes), Some(request));
        }
        let reply = Reply { status: 5, value: u64::MAX };
        assert_eq!(Reply::decode(&reply.encode()), Some(reply));
    }

    #[test]
    fn kernels_survive_as_text() {
        let kernel = KernelUse {
            stage: "fragment".into(),
            width: "SIMD16".into(),
            hash: "ab".into(),
            instructions: 12,
            executed: 24,
            ..KernelUse::default()
        };
        assert_eq!(KernelUse::of_line(&kernel.to_line()), Some(kernel));
        assert_eq!(KernelUse::of_line("fragment SIMD16 ab 12"), None);
    }

    #[test]
    fn files_tell_their_build() {
        let own = format!("\0{STAMP}\0");
        assert_eq!(build_of(own.as_bytes()), Some(format!("{BUILD:016x}").as_str()));
        let other = b"..runner device library of build 0123456789abcdef;..";
        assert_eq!(build_of(other), Some("0123456789abcdef"));
        assert_eq!(build_of(&other[..40]), None);
        assert_eq!(build_of(b"an early library"), None);
    }

    #[test]
    fn incomplete_messages_are_refused() {
        let hello =
            Request::Hello { pid: 7, heap: 3, build: 5, generation: String::new() }.encode();
        assert_eq!(Request::decode(&hello[..8]), None);
        // A greeting without a build, as early libraries sent it.
        assert_eq!(Request::decode(&[&hello[..9], b"ivb"].concat()), None);
        assert_eq!(Request::decode(&[9]), None);
        assert_eq!(Request::decode(&[]), None);
        assert!(receive(&mut &[4, 0, 0, 0, 1][..]).is_err());
        assert!(receive(&mut &[255, 255, 255, 255][..]).is_err());
        assert!(matches!(receive(&mut &[][..]), Ok(None)));
    }
}
