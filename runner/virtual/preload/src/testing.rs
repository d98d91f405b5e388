//! A device for tests, with a virtual GPU that executes nothing.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};

use submission::{Reply, Request, receive, send};

use crate::device::Device;
use crate::ioctl::dispatch;
use crate::kernel::Kernel;
use crate::memory::Argument;

/// Connects to a virtual GPU that executes nothing and answers greetings with a build. Returns the
/// messages that it gets, too.
pub(crate) fn connect(name: &str, build: u64) -> (io::Result<Kernel>, Receiver<Request>) {
    let (own, mut other) = UnixStream::pair().expect("streams");
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        while let Ok(Some(frame)) = receive(&mut other) {
            let request = Request::decode(&frame).expect("a message");
            let value = if matches!(request, Request::Hello { .. }) { build } else { 0 };
            let _ = sender.send(request);
            if send(&mut other, &Reply { status: 0, value }.encode()).is_err() {
                return;
            }
        }
    });
    let device = Device::named(name).expect("a generation");
    (Kernel::connect(device, own), receiver)
}

/// A device, and the messages that its GPU gets.
pub(crate) fn device(name: &str) -> (Kernel, Receiver<Request>) {
    let (kernel, receiver) = connect(name, submission::BUILD);
    let kernel = kernel.expect("a device");
    assert!(matches!(receiver.recv(), Ok(Request::Hello { .. })));
    (kernel, receiver)
}

/// Words of an argument, 64 bits each.
pub(crate) fn ask<const N: usize>(
    kernel: &mut Kernel,
    number: u64,
    mut words: [u64; N],
) -> Result<[u64; N], i32> {
    // SAFETY: the array outlives the request and has the extent of its structure.
    let argument = unsafe { Argument::new(words.as_mut_ptr() as u64) };
    let size = u64::try_from(8 * N).expect("a size");
    dispatch(kernel, size << 16 | number, argument).map(|()| words)
}

/// The address of a structure that requests read and write.
pub(crate) fn address<T>(value: &mut T) -> u64 {
    std::ptr::from_mut(value) as u64
}
