//! Requests as drivers make them, with a virtual GPU that executes nothing.

use submission::{Place, Request};

use crate::testing::{address, ask, device};

/// Maps an object, submits two buffers of commands, and reads the number of the submission.
#[test]
fn submissions_have_the_whole_address_space() {
    let (mut kernel, messages) = device("vi");
    let handle = ask(&mut kernel, 0x40, [8192, 0, 4, 0]).expect("an object")[0] & 0xffff_ffff;
    let [offset] = ask(&mut kernel, 0x41, [handle]).expect("an offset");
    let context = ask(&mut kernel, 0x42, [1, 0]).expect("a context")[0] & 0xffff_ffff;
    let map = |operation: u64, at: u64| [handle, operation, at, 4096, 4096];
    ask(&mut kernel, 0x48, map(1, 0x20_0000)).expect("an address");
    assert_eq!(ask(&mut kernel, 0x48, map(1, 0x20_0000)), Err(libc::EINVAL), "occupied");
    assert_eq!(ask(&mut kernel, 0x48, [handle, 1, 0x30_0000, 8192, 4096]), Err(libc::EINVAL));
    // Buffers: nothing, flags; address; bytes and engine; instance and ring. A fence: handle,
    // offset.
    let mut graphics = [0_u64, 0x20_0000, 64, 0];
    let mut compute = [0_u64, 0x20_0100, 1 << 32 | 32, 0];
    let mut fence = [8 << 32 | handle];
    let mut parts = [
        [8 << 32 | 1, address(&mut graphics)],
        [8 << 32 | 1, address(&mut compute)],
        [2 << 32 | 2, address(&mut fence)],
    ];
    let mut list = [0, 1, 2].map(|i| address(&mut parts[i]));
    let submission = [1 << 32 | context, 3, address(&mut list)];
    let [number, ..] = ask(&mut kernel, 0x44, submission).expect("a submission");
    let mut engines = Vec::new();
    for _ in 0..2 {
        let Ok(Request::Submit(submission)) = messages.recv() else { panic!("no submission") };
        let [object] = submission.objects[..] else { panic!("{submission:?}") };
        assert_eq!((object.address, object.size), (0x20_0000, 4096));
        assert_eq!(object.place, Place::Heap(offset + 4096));
        engines.push((submission.engine, submission.batch, submission.length));
    }
    assert_eq!(engines, [(0, 0x20_0000, 64), (1, 0x20_0100, 32)]);
    let mut written = [0; 8];
    std::os::unix::fs::FileExt::read_exact_at(&kernel.file, &mut written, offset + 8)
        .expect("memory");
    assert_eq!(u64::from_le_bytes(written), number);
    ask(&mut kernel, 0x48, map(2, 0x20_0000)).expect("an end");
    assert_eq!(ask(&mut kernel, 0x48, map(2, 0x20_0000)), Err(libc::ENOENT));
}

/// Imported objects have the description of the original, and how it was made.
#[test]
fn imported_objects_are_described() {
    let (mut kernel, _messages) = device("vi");
    let handle = ask(&mut kernel, 0x40, [8192, 0, 4, 0]).expect("an object")[0] & 0xffff_ffff;
    let mut words = [0; 35];
    (words[0], words[2], words[34]) = (1 << 32 | handle, 0x1234, 7);
    assert!(ask(&mut kernel, 0x46, words).is_ok());
    let [_, file] = ask(&mut kernel, 0x2d, [handle, 0]).expect("a file");
    let imported = ask(&mut kernel, 0x2e, [0, file]).expect("the object")[0] & 0xffff_ffff;
    // SAFETY: the request has created the descriptor for its caller.
    assert_eq!(unsafe { libc::close(i32::try_from(file).expect("a descriptor")) }, 0);
    let mut question = [0; 35];
    question[0] = 2 << 32 | imported;
    let answer = ask(&mut kernel, 0x46, question).expect("a description");
    assert_eq!((answer[2], answer[34]), (0x1234, 7));
    let mut made = [1_u64; 4];
    assert!(ask(&mut kernel, 0x50, [imported, address(&mut made)]).is_ok());
    assert_eq!(made, [8192, 4096, 4, 0]);
}

/// Sparse resources reserve addresses: nothing is there until an object is mapped.
#[test]
fn addresses_without_memory() {
    let (mut kernel, _messages) = device("vi");
    let handle = ask(&mut kernel, 0x40, [8192, 0, 4, 0]).expect("an object")[0] & 0xffff_ffff;
    let change = |handle: u64, operation: u64, flags: u64| {
        [handle, flags << 32 | operation, 0x20_0000, 0, 8192]
    };
    assert!(ask(&mut kernel, 0x48, change(0, 1, 1 << 4)).is_ok());
    assert_eq!(kernel.mappings.iter().count(), 0);
    assert!(ask(&mut kernel, 0x48, change(handle, 4, 0)).is_ok());
    assert_eq!(kernel.mappings.iter().count(), 1);
    assert!(ask(&mut kernel, 0x48, change(0, 4, 1 << 4)).is_ok());
    assert_eq!(kernel.mappings.iter().count(), 0);
    assert!(ask(&mut kernel, 0x48, change(0, 3, 0)).is_ok());
}

#[test]
fn questions() {
    let (mut kernel, messages) = device("si");
    let mut answer = [0_u32; 4];
    let at = address(&mut answer);
    // Tile modes 8 and 9.
    let registers = [at, 0x15 << 32 | 8, 2 << 32 | 0x264c, 0xffff_ffff];
    ask(&mut kernel, 0x45, registers).expect("registers");
    assert_eq!(answer[..3], [4, 0x288, 0]);
    let unknown = [at, 0x15 << 32 | 8, 1 << 32 | 0x1234, 0xffff_ffff];
    assert_eq!(ask(&mut kernel, 0x45, unknown), Err(libc::EFAULT));
    let Ok(Request::Log(text)) = messages.recv() else { panic!("no line") };
    assert_eq!(text, "unknown register 0x1234 of instance 0xffffffff");
    assert_eq!(ask(&mut kernel, 0x45, [at, 0x77 << 32 | 8, 0, 0]), Err(libc::EINVAL));
}
