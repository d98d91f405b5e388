//! Modules on disk, for later processes.
//!
//! A module depends on its source and on the versions of the programs alone, and half of the time
//! of a run on a software driver was spent in making the same ones again. A file has the words of
//! the module and a hash of them; one that is damaged is made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::words::{bytes_of, words_of};

/// Environment variable: the folder, or `none`.
const VARIABLE: &str = "RUNNER_MODULES";
/// Most bytes of all files, as counted when a process begins.
const MOST: u64 = 64 << 20;
/// Bytes of a hash.
const HASH: usize = 32;

/// A folder of modules.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// Returns the user's folder of modules, without the oldest ones if they are many; none if
    /// there can be no such folder.
    pub(crate) fn open() -> Option<Disk> {
        let folder = match std::env::var_os(VARIABLE) {
            Some(none) if none == "none" => return None,
            Some(folder) => PathBuf::from(folder),
            None => cache::user_folder()?.join("modules"),
        };
        Disk::in_folder(folder, MOST)
    }

    fn in_folder(folder: PathBuf, most: u64) -> Option<Disk> {
        fs::create_dir_all(&folder).ok()?;
        forget_oldest(&folder, most);
        Some(Disk(folder))
    }

    /// The name of a module's file.
    pub(crate) fn name(identity: &str, key: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(identity.len() as u64).to_le_bytes());
        hasher.update(identity.as_bytes()).update(key);
        hasher.finalize().to_hex().to_string()
    }

    /// Reads a module, if it is there and whole.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u32>> {
        let bytes = fs::read(self.0.join(name)).ok()?;
        let (module, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
        (blake3::hash(module).as_bytes() == hash).then(|| words_of(module).ok())?
    }

    /// Writes a module. Others may write the same one at the same time. A module that cannot be
    /// written is made again the next time.
    pub(crate) fn write(&self, name: &str, words: &[u32]) {
        let mut bytes = bytes_of(words);
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        let draft = self.0.join(format!("{name}.{}", std::process::id()));
        let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, self.0.join(name)));
        if written.is_err() {
            let _ = fs::remove_file(draft);
        }
    }
}

/// Removes the files that were written first until few enough bytes are left.
fn forget_oldest(folder: &Path, most: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let file = |entry: fs::DirEntry| {
        let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len(), entry.path()))
    };
    let mut files: Vec<_> = entries.flatten().filter_map(file).collect();
    files.sort();
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    for (_, size, path) in files {
        if total <= most {
            break;
        }
        // Another process may have removed it.
        let _ = fs::remove_file(path);
        total -= size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_back_unless_they_are_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Disk::in_folder(folder.path().join("modules"), MOST).expect("the folder");
        let name = Disk::name("version 1", b"text");
        assert_ne!(name, Disk::name("version 2", b"text"));
        assert_ne!(name, Disk::name("version 1", b"other"));
        assert_eq!(disk.read(&name), None);
        disk.write(&name, &[1, 2, 3]);
        assert_eq!(disk.read(&name), Some(vec![1, 2, 3]));
        let path = folder.path().join("modules").join(&name);
        let mut bytes = fs::read(&path).expect("the file");
        bytes[4] ^= 1;
        fs::write(&path, &bytes).expect("the damaged file");
        assert_eq!(disk.read(&name), None);
        fs::write(&path, &bytes[..7]).expect("the short file");
        assert_eq!(disk.read(&name), None);
    }

    #[test]
    fn the_oldest_modules_go_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Disk::in_folder(folder.path().to_owned(), MOST).expect("the folder");
        for (age, name) in [(30, "old"), (20, "middle"), (10, "new")] {
            disk.write(name, &[0; 8]);
            let file = fs::File::options().write(true).open(folder.path().join(name));
            let time = SystemTime::now() - std::time::Duration::from_secs(age);
            file.and_then(|file| file.set_modified(time)).expect("a time");
        }
        let size = (HASH + 4 * 8) as u64;
        let disk = Disk::in_folder(folder.path().to_owned(), 2 * size).expect("the folder");
        let kept = ["old", "middle", "new"].map(|name| disk.read(name).is_some());
        assert_eq!(kept, [false, true, true]);
    }
}
