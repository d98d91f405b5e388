//! Requests as drivers make them, with a virtual GPU that executes nothing.

use submission::{BufferObject, Place, Request};

use crate::testing::{address, ask, device};

#[test]
fn contexts_take_parameters_when_they_are_created() {
    let (mut kernel, messages) = device("skl");
    let [_, space] = ask(&mut kernel, 0x7a, [0, 0]).expect("an address space");
    assert_eq!(space >> 32, 2);
    // An extension: the next one, its kind, reserved words; context and size, parameter, value.
    let extension = |parameter: u64, value: u64| [0, 0, 0, 0, 0, parameter, value];
    let mut good = extension(9, space >> 32);
    let created = ask(&mut kernel, 0x6d, [1 << 32, address(&mut good)]).expect("a context");
    assert_eq!(created[0], 1 << 32 | 1);
    let mut protected = extension(13, 1);
    assert_eq!(ask(&mut kernel, 0x6d, [1 << 32, address(&mut protected)]), Err(libc::EINVAL));
    assert_eq!(ask(&mut kernel, 0x75, [1, 99, 0]), Err(libc::EINVAL));
    let Ok(Request::Log(text)) = messages.recv() else { panic!("no line") };
    assert_eq!(text, "unknown parameter 99 of a context");
    assert_eq!(ask(&mut kernel, 0x7b, [0, space]), Ok([0, space]));
}

#[test]
fn synchronization_objects_have_no_timelines() {
    let (mut kernel, _messages) = device("bdw");
    assert_eq!(ask(&mut kernel, 0x0c, [0x13, 0]), Ok([0x13, 1]));
    assert_eq!(ask(&mut kernel, 0x0c, [0x14, 7]), Ok([0x14, 0]));
    assert_eq!(ask(&mut kernel, 0x0c, [0x99, 0]), Err(libc::EINVAL));
    // One that is not signaled has no fence to export.
    assert_eq!(ask(&mut kernel, 0xbf, [0]), Ok([1]));
    assert_eq!(ask(&mut kernel, 0xc1, [1 << 32 | 1, 0]), Err(libc::EINVAL));
    let mut handle = 1_u32;
    assert!(ask(&mut kernel, 0xc5, [address(&mut handle), 1]).is_ok());
    let [_, file] = ask(&mut kernel, 0xc1, [1 << 32 | 1, 0]).expect("a file");
    // SAFETY: the request has created the descriptor for its caller.
    assert_eq!(unsafe { libc::close(i32::try_from(file).expect("a descriptor")) }, 0);
    assert!(ask(&mut kernel, 0xc4, [address(&mut handle), 1]).is_ok());
    assert_eq!(kernel.fences.is_signaled(1), Ok(false));
    assert!(ask(&mut kernel, 0xc0, [1]).is_ok());
    assert_eq!(ask(&mut kernel, 0xc0, [1]), Err(libc::EINVAL));
}

/// Two devices of a process share an object and a fence: both outlive the handles of their makers.
#[test]
fn files_share_objects_and_fences() {
    let (mut kernel, messages) = device("skl");
    let close = |file: u64| {
        // SAFETY: the request has created the descriptor for its caller.
        assert_eq!(unsafe { libc::close(i32::try_from(file).expect("a descriptor")) }, 0);
    };
    let [_, handle] = ask(&mut kernel, 0x5b, [8192, 0]).expect("an object");
    let place = ask(&mut kernel, 0x64, [handle, 0, 0, 0]).expect("a place")[1];
    let [_, file] = ask(&mut kernel, 0x2d, [handle, 0]).expect("a file");
    assert!(ask(&mut kernel, 0x09, [handle]).is_ok());
    let [imported, _] = ask(&mut kernel, 0x2e, [0, file]).expect("the object");
    assert_ne!(imported, handle);
    // Another object does not get the memory.
    let [_, other] = ask(&mut kernel, 0x5b, [8192, 0]).expect("an object");
    assert_ne!(ask(&mut kernel, 0x64, [other, 0, 0, 0]).expect("a place")[1], place);
    assert_eq!(ask(&mut kernel, 0x64, [imported, 0, 0, 0]).expect("a place")[1], place);
    assert_eq!(ask(&mut kernel, 0x2d, [handle, 0]), Err(libc::ENOENT));
    close(file);

    assert_eq!(ask(&mut kernel, 0xbf, [0]), Ok([1]));
    let [_, file] = ask(&mut kernel, 0xc1, [1, 0]).expect("a file");
    assert_eq!(ask(&mut kernel, 0xc2, [0, file]).expect("the fence")[0], 2);
    assert!(ask(&mut kernel, 0xc0, [1]).is_ok());
    let mut handle = 2_u32;
    assert_eq!(kernel.fences.is_signaled(2), Ok(false));
    assert!(ask(&mut kernel, 0xc5, [address(&mut handle), 1]).is_ok());
    let again = ask(&mut kernel, 0xc2, [0, file]).expect("the fence")[0];
    assert_eq!(again, 3);
    assert_eq!(kernel.fences.is_signaled(3), Ok(true));
    close(file);
    assert_eq!(ask(&mut kernel, 0xc2, [0, u64::from(u32::MAX)]), Err(libc::EINVAL));
    drop(messages);
}

/// A page of the process's memory becomes an object: relocated, submitted, and not mapped.
#[test]
fn memory_of_the_process_becomes_an_object() {
    #[repr(align(4096))]
    struct Page([u64; 512]);
    let (mut kernel, messages) = device("ivb");
    let mut page = Box::new(Page([7; 512]));
    let first = address(&mut page.0);
    let half = [first + 8, 4096, 0];
    assert_eq!(ask(&mut kernel, 0x73, half), Err(libc::EINVAL), "not whole pages");
    assert_eq!(ask(&mut kernel, 0x73, [first, 4096, 2]), Err(libc::EINVAL), "a probe");
    let [_, _, handle] = ask(&mut kernel, 0x73, [first, 4096, 0]).expect("an object");
    let handle = handle >> 32;
    assert_eq!(ask(&mut kernel, 0x64, [handle, 0, 0, 0]), Err(libc::ENXIO));

    // A relocation: the target's handle and a delta, the place, what is presumed, domains.
    let mut relocation = [16 << 32 | handle, 8, 0, 0];
    // An object: handle and number of relocations, their address, alignment, address, flags.
    let mut object = [1 << 32 | handle, address(&mut relocation), 0, 0, 0, 0, 0];
    let mut fence = 2 << 32 | ask(&mut kernel, 0xbf, [0]).expect("an object")[0];
    // Objects, their number, length, nothing, one fence, its address, flags, context.
    let submission = [address(&mut object), 1, 64, 1 << 32, address(&mut fence), 1 << 19, 3, 0];
    ask(&mut kernel, 0x69, submission).expect("a submission");
    let Ok(Request::Submit(submission)) = messages.recv() else { panic!("no submission") };
    let [BufferObject { address: given, size: 4096, place, .. }] = submission.objects[..] else {
        panic!("{submission:?}")
    };
    assert_eq!(place, Place::Process(first));
    assert_eq!((submission.context, submission.batch), (3, given));
    assert_eq!(kernel.fences.is_signaled(u32::try_from(fence & 0xff).expect("small")), Ok(true));
    // Four bytes on this generation.
    assert_eq!(page.0[1], given + 16);
    assert_eq!((page.0[0], page.0[2]), (7, 7));
    // The end of the object leaves the memory as it is.
    assert!(ask(&mut kernel, 0x09, [handle]).is_ok());
    assert_eq!(page.0[1], given + 16);
}
