//! Files that describe the device, and which descriptors are the device.

use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::Device;

/// Folder of device nodes.
pub(crate) const NODES: &str = "/dev/dri";
/// The render node.
pub(crate) const NODE: &str = "/dev/dri/renderD128";
/// Name of the node in its folder.
pub(crate) const NODE_NAME: &CStr = c"renderD128";
/// Major and minor number of the node.
pub(crate) const NUMBERS: (u32, u32) = (226, 128);
/// Link from the node's numbers to its device.
const LINK: &str = "/sys/dev/char/226:128/device";
/// File that names the node.
const NODE_EVENT: &str = "/sys/dev/char/226:128/uevent";
/// The device in the tree of buses.
pub(crate) const PCI: &CStr = c"/sys/devices/pci0000:00/0000:00:02.0";

/// The device that this process sees, or `None` if it is to see only the system's.
pub(crate) fn device() -> Option<&'static Device> {
    static DEVICE: OnceLock<Option<&'static Device>> = OnceLock::new();
    *DEVICE.get_or_init(|| {
        std::env::var_os(submission::SOCKET_VARIABLE)?;
        Device::named(&std::env::var(submission::GENERATION_VARIABLE).ok()?)
    })
}

/// A path that belongs to the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// The folder of nodes.
    Nodes,
    /// The node.
    Node,
    /// A folder of the system tree.
    Folder,
    /// The link to the bus.
    Subsystem,
    /// A file with these contents.
    File(String),
    /// A path below the device that does not exist.
    Missing,
}

/// Classifies a path; `None` if it is not the device's.
pub(crate) fn classify(path: &CStr) -> Option<Path> {
    let path = path.to_str().ok()?;
    if !path.starts_with("/dev/dri") && !path.starts_with("/sys/dev") {
        // Fast way out for nearly all paths. The tree of buses is the other place of the device.
        if !path.starts_with("/sys/devices/pci0000:00/0000:00:02.0") {
            return None;
        }
    }
    let device = device()?;
    if path.trim_end_matches('/') == NODES {
        return Some(Path::Nodes);
    }
    if path == NODE {
        return Some(Path::Node);
    }
    if path.starts_with(NODES) {
        return Some(Path::Missing);
    }
    if path == NODE_EVENT {
        return Some(Path::File("MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\n".to_string()));
    }
    let pci = PCI.to_str().unwrap_or("");
    let below = path.strip_prefix(LINK).or_else(|| path.strip_prefix(pci))?;
    Some(match below.trim_start_matches('/') {
        "" | "drm" | "drm/renderD128" => Path::Folder,
        "subsystem" => Path::Subsystem,
        name => device.attribute(name).map_or(Path::Missing, Path::File),
    })
}

/// Descriptors that are the device, a bit each. Others than the first 1024 never are.
static DESCRIPTORS: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

fn bit(descriptor: i32) -> Option<(&'static AtomicU64, u64)> {
    let number = usize::try_from(descriptor).ok()?;
    Some((DESCRIPTORS.get(number / 64)?, 1 << (number % 64)))
}

/// True if the descriptor is the device.
pub(crate) fn is_device(descriptor: i32) -> bool {
    bit(descriptor).is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
}

/// Records whether a descriptor is the device.
pub(crate) fn set_device(descriptor: i32, is: bool) {
    if let Some((word, bit)) = bit(descriptor) {
        if is {
            word.fetch_or(bit, Ordering::Relaxed);
        } else if word.load(Ordering::Relaxed) & bit != 0 {
            word.fetch_and(!bit, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_paths_are_the_systems() {
        assert_eq!(classify(c"/proc/meminfo"), None);
        // Without the environment variables there is no device.
        assert_eq!(classify(c"/dev/dri"), None);
    }

    #[test]
    fn descriptors() {
        set_device(70, true);
        assert!(is_device(70) && !is_device(6) && !is_device(-1) && !is_device(5000));
        set_device(70, false);
        assert!(!is_device(70));
    }
}
