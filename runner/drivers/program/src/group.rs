//! Process groups of programs.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Groups of the programs that run.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A process group, which ends with this value.
pub(crate) struct Group(u32);

impl Group {
    /// Returns the group that a process has started.
    pub(crate) fn of(process: u32) -> Group {
        running().insert(process);
        Group(process)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        kill_group(self.0);
        running().remove(&self.0);
    }
}

/// Lets a command start a process group.
pub fn start_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Kills all processes of the group that a process has started.
pub fn kill_group(process: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw) {
        // An empty group is no error here.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = process;
}

/// Ends all programs that run, with all their processes.
pub fn end_all() {
    running().iter().copied().for_each(kill_group);
}

fn running() -> std::sync::MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
