//! Facts that the driver reads from the kernel.

/// Facts of a generation.
#[derive(Debug)]
pub(crate) struct Device {
    /// Name of the generation.
    pub(crate) name: &'static str,
    /// PCI device number.
    pub(crate) pci: u32,
    /// PCI revision.
    pub(crate) revision: u32,
    /// Ticks of the timestamp in a second.
    pub(crate) frequency: u32,
    /// Bytes of a context's address space.
    pub(crate) address_space: u64,
    /// Bytes of a relocated address.
    pub(crate) address_bytes: usize,
    /// True if the processor and the device share the last-level cache.
    pub(crate) shares_cache: bool,
    /// Slices, subslices and execution units of each; `None` if the kernel does not say.
    pub(crate) topology: Option<[u16; 3]>,
}

/// One row for each generation, all of the GT2 size.
const DEVICES: [Device; 5] = [
    Device {
        name: "ivb",
        pci: 0x0166,
        revision: 9,
        frequency: 12_500_000,
        address_space: 1 << 31,
        address_bytes: 4,
        shares_cache: true,
        topology: None,
    },
    Device {
        name: "hsw",
        pci: 0x0412,
        revision: 6,
        frequency: 12_500_000,
        address_space: 1 << 31,
        address_bytes: 4,
        shares_cache: true,
        topology: None,
    },
    Device {
        name: "bdw",
        pci: 0x1616,
        revision: 9,
        frequency: 12_500_000,
        address_space: 1 << 48,
        address_bytes: 8,
        shares_cache: true,
        topology: Some([1, 3, 8]),
    },
    Device {
        name: "chv",
        pci: 0x22b1,
        revision: 33,
        frequency: 12_500_000,
        address_space: 1 << 32,
        address_bytes: 8,
        shares_cache: false,
        topology: Some([1, 2, 8]),
    },
    Device {
        name: "skl",
        pci: 0x1912,
        revision: 9,
        frequency: 12_000_000,
        address_space: 1 << 48,
        address_bytes: 8,
        shares_cache: true,
        topology: Some([1, 3, 8]),
    },
];

impl Device {
    /// Returns the facts of a generation by its name.
    pub(crate) fn named(name: &str) -> Option<&'static Device> {
        DEVICES.iter().find(|device| device.name == name)
    }

    /// Returns the contents of a file in the device's folder of the system tree.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        Some(match name {
            "vendor" | "subsystem_vendor" => "0x8086\n".to_string(),
            "device" | "subsystem_device" => format!("0x{:04x}\n", self.pci),
            "revision" => format!("0x{:02x}\n", self.revision),
            "uevent" => {
                let pci = self.pci;
                format!("DRIVER=i915\nPCI_ID=8086:{pci:04X}\nPCI_SLOT_NAME=0000:00:02.0\n")
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Device;

    #[test]
    fn attributes() {
        let device = Device::named("skl").expect("a generation");
        assert_eq!(device.attribute("device").as_deref(), Some("0x1912\n"));
        assert_eq!(device.attribute("config"), None);
        assert!(Device::named("gen7").is_none());
    }
}
