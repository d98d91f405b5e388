//! The server, with a process that speaks its protocol.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gpu_service::{Event, Server, Settings};
use submission::{BUILD, BufferObject, Place, Reply, Request, Submission, receive, send};
use vocabulary::Generation;

/// Sends a request and returns the status of the reply.
fn call(stream: &mut UnixStream, request: &Request) -> u32 {
    send(stream, &request.encode()).expect("a server");
    let frame = receive(stream).expect("a server").expect("a reply");
    Reply::decode(&frame).expect("a reply").status
}

/// The first message of a process.
fn greeting(pid: u32, heap: u32, build: u64) -> Request {
    Request::Hello { pid, heap, build, generation: "ivb".to_string() }
}

#[test]
fn batches_are_executed_in_the_memory_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let observer = move |event| seen.lock().expect("no panic").push(event);
    let generation = Generation::Ivb;
    let settings = Settings {
        generation,
        model: intel_gpu::model(generation),
        record: None,
        counts_kernels: false,
        observer: Box::new(observer),
    };
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
    let hello = greeting(pid, descriptor, BUILD);
    assert_eq!(call(&mut stream, &hello), 0);
    let place = Place::Heap(0);
    let object = BufferObject { address: 0x10000, size: 8192, place, handle: 1, flags: 0 };
    let submission =
        Submission { context: 1, engine: 0, batch: 0x10000, length: 20, objects: vec![object] };
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

/// An object in memory that the process already had: the batch is read there and writes there.
#[test]
fn objects_may_lie_in_the_memory_of_the_process() {
    const WORDS: usize = 1024;
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let settings = Settings {
        generation: Generation::Ivb,
        model: intel_gpu::model(Generation::Ivb),
        record: None,
        counts_kernels: false,
        observer: Box::new(|_| {}),
    };
    let server = Server::start(&socket, settings).expect("a server");
    let memory: Vec<AtomicU32> = (0..2 * WORDS).map(|_| AtomicU32::new(7)).collect();
    let first = memory.as_ptr().addr().next_multiple_of(4096);
    let page = &memory[(first - memory.as_ptr().addr()) / 4..][..WORDS];
    // MI_STORE_DATA_IMM of 42 to word 16; then the end.
    for (word, value) in page.iter().zip([0x1000_0002_u32, 0, 0x10040, 42, 0x0500_0000]) {
        word.store(value, Ordering::Relaxed);
    }

    let heap = tempfile::tempfile().expect("a file");
    let descriptor = u32::try_from(heap.as_raw_fd()).expect("a descriptor");
    let pid = std::process::id();
    let mut stream = UnixStream::connect(&socket).expect("a server");
    let hello = greeting(pid, descriptor, BUILD);
    assert_eq!(call(&mut stream, &hello), 0);
    let place = Place::Process(first as u64);
    let object = BufferObject { address: 0x10000, size: 4096, place, handle: 1, flags: 0 };
    let submission =
        Submission { context: 1, engine: 0, batch: 0x10000, length: 20, objects: vec![object] };
    assert_eq!(call(&mut stream, &Request::Submit(submission)), 0);
    let words = [15, 16, 17].map(|index| page[index].load(Ordering::Relaxed));
    assert_eq!(words, [7, 42, 7]);
    drop(stream);
    assert_eq!(server.finish(Duration::from_secs(10)).failed, 0);
}

/// A device library of another build is refused with a line that says so.
#[test]
fn other_builds_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let (sender, events) = std::sync::mpsc::channel();
    let settings = Settings {
        generation: Generation::Ivb,
        model: intel_gpu::model(Generation::Ivb),
        record: None,
        counts_kernels: false,
        observer: Box::new(move |event| drop(sender.send(event))),
    };
    let server = Server::start(&socket, settings).expect("a server");
    let other = greeting(7, 3, BUILD ^ 1).encode();
    // Early libraries tell no build.
    let early = [&other[..9], b"ivb"].concat();
    for (message, word) in [(other, "is of build"), (early, "greeting of this build")] {
        let mut stream = UnixStream::connect(&socket).expect("a server");
        send(&mut stream, &message).expect("a server");
        assert!(receive(&mut stream).expect("a server").is_none());
        let event = events.recv_timeout(Duration::from_secs(10)).expect("an event");
        let Event::Log { text, .. } = &event else { panic!("{event:?}") };
        assert!(text.contains(word), "{text}");
    }
    assert_eq!(server.finish(Duration::from_secs(10)).processes, 0);
}

/// The end of a server waits for connections, for a limited time, and counts those that stay open.
#[test]
fn open_connections_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let settings = Settings {
        generation: Generation::Skl,
        model: intel_gpu::model(Generation::Skl),
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
