//! The server, with a process that speaks its protocol.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use intel_gpu::{Event, Server, Settings};
use submission::{BufferObject, Reply, Request, Submission, receive, send};
use vocabulary::Generation;

/// Sends a request and returns the status of the reply.
fn call(stream: &mut UnixStream, request: &Request) -> u32 {
    send(stream, &request.encode()).expect("a server");
    let frame = receive(stream).expect("a server").expect("a reply");
    Reply::decode(&frame).expect("a reply").status
}

#[test]
fn batches_are_executed_in_the_memory_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let observer = move |event| seen.lock().expect("no panic").push(event);
    let generation = Generation::Ivb;
    let settings =
        Settings { generation, record: None, counts_kernels: false, observer: Box::new(observer) };
    let server = Server::start(&socket, settings).expect("a server");

    // MI_STORE_DATA_IMM of 42 to the second page; then the end.
    let heap = tempfile::tempfile().expect("a file");
    let batch = [0x1000_0002_u32, 0, 0x11000, 42, 0x0500_0000];
    let bytes: Vec<u8> = batch.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::os::unix::fs::FileExt::write_all_at(&heap, &bytes, 0).expect("room");
    heap.set_len(8192).expect("room");

    let mut stream = UnixStream::connect(&socket).expect("a server");
    let pid = std::process::id();
    let descriptor = u32::try_from(heap.as_raw_fd()).expect("a descriptor");
    let hello = Request::Hello { pid, heap: descriptor, generation: "ivb".to_string() };
    assert_eq!(call(&mut stream, &hello), 0);
    let object = BufferObject { address: 0x10000, size: 8192, offset: 0, handle: 1, flags: 0 };
    let submission = Submission { context: 1, batch: 0x10000, length: 20, objects: vec![object] };
    assert_eq!(call(&mut stream, &Request::Submit(submission.clone())), 0);
    let mut stored = [0; 4];
    std::os::unix::fs::FileExt::read_exact_at(&heap, &mut stored, 4096).expect("the file");
    assert_eq!(u32::from_le_bytes(stored), 42);

    // Without its objects the batch is nowhere: an input/output error.
    let lost = Submission { objects: Vec::new(), ..submission };
    assert_eq!(call(&mut stream, &Request::Submit(lost)), 5);
    drop(stream);
    let summary = server.finish(Duration::from_secs(10));
    assert_eq!((summary.processes, summary.batches, summary.failed), (1, 2, 1));
    assert_eq!(summary.open, 0);
    let events = events.lock().expect("no panic");
    let Some(Event::Failed { batch: 2, text, .. }) = events.first() else {
        panic!("{events:?}");
    };
    assert_eq!(text, "batch at 0x10000: no buffer object at address 0x10000");
}

/// The end of a server waits for connections, for a limited time, and counts those that stay open.
#[test]
fn open_connections_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let settings = Settings {
        generation: Generation::Skl,
        record: None,
        counts_kernels: true,
        observer: Box::new(|_| {}),
    };
    let server = Server::start(&socket, settings).expect("a server");
    let mut question = UnixStream::connect(&socket).expect("a server");
    send(&mut question, &Request::Kernels(std::process::id()).encode()).expect("a server");
    assert_eq!(receive(&mut question).expect("a server").as_deref(), Some(&[][..]));
    assert_eq!(server.finish(Duration::from_millis(20)).open, 1);
}
