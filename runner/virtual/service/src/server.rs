//! Service of GL processes: one connection each, batches executed in the order of arrival.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use packets::{Object, Recording};
use rustc_hash::FxHashMap;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use submission::{BUILD, KernelUse, Place, Reply, Request, Submission};
use vocabulary::{Generation, panic_text};

use crate::clock::Clock;
use crate::error::GpuError;
use crate::memory::{BatchMemory, Files};
use crate::processor::{Model, Processor, Start};

/// Error number of the operating system for a failed batch.
const INPUT_OUTPUT_ERROR: u32 = 5;

/// Something to show to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line of the device library, such as an unknown request.
    Log {
        /// Process.
        pid: u32,
        /// Text.
        text: String,
    },
    /// A batch could not be executed.
    Failed {
        /// Process.
        pid: u32,
        /// Number of the batch in its process, from 1.
        batch: usize,
        /// Reason.
        text: String,
    },
}

/// Counts over all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Processes that opened the device.
    pub processes: usize,
    /// Batches that arrived.
    pub batches: usize,
    /// Commands in them.
    pub commands: usize,
    /// Batches that failed.
    pub failed: usize,
    /// Processes that have loaded a software renderer beside the driver of the device.
    pub fallbacks: usize,
    /// Connections that were open when the time to wait for their ends was over.
    pub open: usize,
}

/// Settings of a server.
pub struct Settings {
    /// Generation of the device.
    pub generation: Generation,
    /// The GPU.
    pub model: Model,
    /// Folder for recordings of all batches.
    pub record: Option<PathBuf>,
    /// Keep the use of kernels for [`Request::Kernels`].
    pub counts_kernels: bool,
    /// Receives events, from several threads.
    pub observer: Box<dyn Fn(Event) + Send + Sync>,
}

/// State that the connections share.
struct Shared {
    settings: Settings,
    stopped: AtomicBool,
    counts: Mutex<(Summary, usize)>,
    changed: Condvar,
    /// Use of kernels by process.
    kernels: Mutex<FxHashMap<u32, Vec<KernelUse>>>,
}

impl Shared {
    /// Counts, and the number of open connections.
    fn counts(&self) -> MutexGuard<'_, (Summary, usize)> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kernels(&self) -> MutexGuard<'_, FxHashMap<u32, Vec<KernelUse>>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the use of kernels by a process.
    fn add_kernels(&self, pid: u32, used: Vec<KernelUse>) {
        let mut kernels = self.kernels();
        let known = kernels.entry(pid).or_default();
        for kernel in used {
            let is_same = |other: &&mut KernelUse| {
                (&other.hash, &other.stage, &other.width)
                    == (&kernel.hash, &kernel.stage, &kernel.width)
            };
            match known.iter_mut().find(is_same) {
                Some(other) => {
                    other.threads += kernel.threads;
                    other.executed += kernel.executed;
                }
                None => known.push(kernel),
            }
        }
    }

    /// Answers questions about processes until the client closes the stream.
    fn answer_questions(&self, stream: &mut UnixStream, mut pid: u32) -> io::Result<()> {
        loop {
            let used = self.kernels().remove(&pid).unwrap_or_default();
            let text: String = used.iter().map(KernelUse::to_line).collect();
            submission::send(stream, text.as_bytes())?;
            let Some(frame) = submission::receive(stream)? else { return Ok(()) };
            let Some(Request::Kernels(next)) = Request::decode(&frame) else {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "no question"));
            };
            pid = next;
        }
    }
}

/// A service at a socket.
pub struct Server {
    path: PathBuf,
    shared: Arc<Shared>,
}

impl Server {
    /// Starts a service at `path`, which must not exist.
    ///
    /// # Errors
    /// Fails when the socket cannot be created.
    pub fn start(path: &Path, settings: Settings) -> io::Result<Server> {
        let listener = UnixListener::bind(path)?;
        let shared = Arc::new(Shared {
            settings,
            stopped: AtomicBool::new(false),
            counts: Mutex::default(),
            changed: Condvar::new(),
            kernels: Mutex::default(),
        });
        let served = shared.clone();
        thread::Builder::new().name("gpu".to_string()).spawn(move || listen(&listener, &served))?;
        Ok(Server { path: path.to_path_buf(), shared })
    }

    /// Waits until all processes have closed their connections, at most for `longest`, and returns
    /// the counts.
    #[must_use]
    pub fn finish(self, longest: Duration) -> Summary {
        let counts = self.shared.counts();
        let open = |counts: &mut (Summary, usize)| counts.1 > 0;
        let waited = self.shared.changed.wait_timeout_while(counts, longest, open);
        let (counts, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Summary { open: counts.1, ..counts.0.clone() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // Wakes the listener.
        let _ = UnixStream::connect(&self.path);
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Executes a batch and returns the number of its commands, or why it failed. A panic is a failure,
/// too: other processes go on.
fn execute(
    gpu: &mut dyn Processor,
    submission: &Submission,
    memory: &BatchMemory<'_>,
) -> Result<usize, String> {
    let execute = || gpu.execute(memory, submission);
    match catch_unwind(AssertUnwindSafe(execute)) {
        Ok(result) => result.map_err(|error: GpuError| error.to_string()),
        Err(payload) => Err(format!("internal error: panic: {}", panic_text(&*payload))),
    }
}

/// Returns true if the other side of a stream has ended.
fn is_closed(stream: &UnixStream) -> bool {
    let mut polled = [PollFd::new(stream, PollFlags::RDHUP)];
    let none = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&none)).is_ok_and(|count| count > 0)
}

/// Accepts connections until the server is dropped.
fn listen(listener: &UnixListener, shared: &Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept() {
        if shared.stopped.load(Ordering::Relaxed) {
            return;
        }
        shared.counts().1 += 1;
        let shared = shared.clone();
        thread::spawn(move || {
            let result = Connection::serve(stream, &shared);
            if let Err(error) = result {
                let event = Event::Log { pid: 0, text: format!("connection: {error}") };
                (shared.settings.observer)(event);
            }
            shared.counts().1 -= 1;
            shared.changed.notify_all();
        });
    }
}

/// A connected process.
struct Connection<'s> {
    pid: u32,
    heap: File,
    /// The memory of the process, opened for the first object that is there.
    process: Option<File>,
    gpu: Box<dyn Processor>,
    clock: Clock,
    batches: usize,
    shared: &'s Shared,
}

impl Connection<'_> {
    fn serve(mut stream: UnixStream, shared: &Shared) -> io::Result<()> {
        let bad = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text.to_string());
        let Some(frame) = submission::receive(&mut stream)? else { return Ok(()) };
        let (pid, heap, build, generation) = match Request::decode(&frame) {
            Some(Request::Hello { pid, heap, build, generation }) => (pid, heap, build, generation),
            Some(Request::Kernels(pid)) => return shared.answer_questions(&mut stream, pid),
            _ => return Err(bad("the first message is not a greeting of this build")),
        };
        if build != BUILD {
            let text = format!(
                "the device library in process {pid} is of build {build:016x}, this program of \
                 {BUILD:016x}"
            );
            return Err(bad(&text));
        }
        if generation != shared.settings.generation.name() {
            return Err(bad(&format!("process {pid} expects the generation {generation}")));
        }
        let path = format!("/proc/{pid}/fd/{heap}");
        let heap = OpenOptions::new().read(true).write(true).open(path)?;
        shared.counts().0.processes += 1;
        let own = stream.try_clone()?;
        let model = shared.settings.model;
        let clock = (model.clock)(model.frequency);
        let gpu = (model.create)(Start {
            generation: shared.settings.generation,
            clock: clock.clone(),
            is_abandoned: Box::new(move || is_closed(&own)),
            counts_kernels: shared.settings.counts_kernels,
        });
        let mut connection =
            Connection { pid, heap, process: None, gpu, clock, batches: 0, shared };
        submission::send(&mut stream, &Reply { status: 0, value: BUILD }.encode())?;
        while let Some(frame) = submission::receive(&mut stream)? {
            let request = Request::decode(&frame).ok_or_else(|| bad("unknown message"))?;
            let reply = connection.answer(request);
            submission::send(&mut stream, &reply.encode())?;
        }
        shared.kernels().remove(&pid);
        Ok(())
    }

    fn answer(&mut self, request: Request) -> Reply {
        match request {
            Request::Submit(submission) => return self.submit(&submission),
            Request::Timestamp => {
                return Reply { status: 0, value: self.clock.ticks() };
            }
            Request::DestroyContext(context) => self.gpu.destroy_context(context),
            Request::Log(text) => {
                (self.shared.settings.observer)(Event::Log { pid: self.pid, text });
            }
            Request::Hello { .. } | Request::Kernels(_) => {
                return Reply { status: INPUT_OUTPUT_ERROR, value: 0 };
            }
        }
        Reply::default()
    }

    fn submit(&mut self, submission: &Submission) -> Reply {
        self.batches += 1;
        if self.batches == 1 && self.has_software_renderer() {
            self.shared.counts().0.fallbacks += 1;
        }
        let (commands, failure) = self.execute(submission);
        let used = self.gpu.take_used_kernels();
        if !used.is_empty() {
            self.shared.add_kernels(self.pid, used);
        }
        let mut counts = self.shared.counts();
        counts.0.batches += 1;
        counts.0.commands += commands;
        counts.0.failed += usize::from(failure.is_some());
        drop(counts);
        let Some(text) = failure else { return Reply::default() };
        let event = Event::Failed { pid: self.pid, batch: self.batches, text };
        (self.shared.settings.observer)(event);
        Reply { status: INPUT_OUTPUT_ERROR, value: 0 }
    }

    /// Executes a batch. Returns the number of its commands, and why it failed.
    fn execute(&mut self, submission: &Submission) -> (usize, Option<String>) {
        if let Err(text) = self.open_process(submission) {
            return (0, Some(text));
        }
        let files = Files { heap: &self.heap, process: self.process.as_ref() };
        let memory = BatchMemory::new(files, &submission.objects);
        let mut failure = self.record(submission, &memory).err().map(|error| error.to_string());
        let commands = match execute(&mut *self.gpu, submission, &memory) {
            Ok(commands) => commands,
            Err(text) => {
                failure.get_or_insert(text);
                0
            }
        };
        if let Err(error) = memory.flush() {
            failure.get_or_insert(error.to_string());
        }
        (commands, failure)
    }

    /// Opens the memory of the process, if an object of the submission is there.
    fn open_process(&mut self, submission: &Submission) -> Result<(), String> {
        let is_process = |place| matches!(place, Place::Process(_));
        if self.process.is_some() || !submission.objects.iter().any(|o| is_process(o.place)) {
            return Ok(());
        }
        let path = format!("/proc/{}/mem", self.pid);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        self.process = Some(file.map_err(|error| format!("{path}: {error}"))?);
        Ok(())
    }

    /// True if the process has loaded Mesa's software renderer. Mesa falls back to it in silence
    /// when it cannot use the device.
    fn has_software_renderer(&self) -> bool {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid));
        maps.is_ok_and(|maps| maps.contains("swrast_dri.so"))
    }

    /// Writes a recording of the batch, if wanted.
    fn record(&self, submission: &Submission, memory: &BatchMemory<'_>) -> io::Result<()> {
        let Some(folder) = &self.shared.settings.record else { return Ok(()) };
        std::fs::create_dir_all(folder)?;
        let objects = submission.objects.iter().map(|object| Object {
            address: object.address,
            size: object.size,
            handle: object.handle,
        });
        let version = 10 * self.shared.settings.model.version;
        let name = format!("{}-{:04}.exec", self.pid, self.batches);
        let mut file = io::BufWriter::new(File::create(folder.join(name))?);
        let (address, length) = (submission.batch, submission.length);
        let numbers = (submission.context, version);
        Recording::write(&mut file, memory, address, length, numbers, &objects.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_process_closes_its_stream() {
        let (own, other) = UnixStream::pair().expect("streams");
        assert!(!is_closed(&own));
        drop(other);
        assert!(is_closed(&own));
    }
}
