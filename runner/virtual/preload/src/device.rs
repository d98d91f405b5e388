//! Facts that the driver reads from the kernel.

use crate::chips::{Chip, PITCAIRN, POLARIS10};

/// Facts of a generation.
#[derive(Debug)]
pub(crate) struct Device {
    /// Name of the generation.
    pub(crate) name: &'static str,
    /// PCI device number.
    pub(crate) pci: u32,
    /// PCI revision.
    pub(crate) revision: u32,
    /// Bytes of a context's address space.
    pub(crate) address_space: u64,
    /// The kernel's driver.
    pub(crate) driver: Driver,
}

/// A driver of the kernel with its own facts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Driver {
    I915(&'static I915),
    Amdgpu(&'static Chip),
}

/// Facts of an Intel GPU.
#[derive(Debug)]
pub(crate) struct I915 {
    /// Ticks of the timestamp in a second.
    pub(crate) frequency: u32,
    /// Bytes of a relocated address.
    pub(crate) address_bytes: usize,
    /// True if the processor and the device share the last-level cache.
    pub(crate) shares_cache: bool,
    /// Slices, subslices and execution units of each; `None` if the kernel does not say.
    pub(crate) topology: Option<[u16; 3]>,
}

/// Version of a driver of the kernel.
pub(crate) struct Version {
    /// Major, minor, patch.
    pub(crate) numbers: [u32; 3],
    /// Name, date, description.
    pub(crate) texts: [&'static str; 3],
}

impl Driver {
    pub(crate) fn version(self) -> Version {
        match self {
            Driver::I915(_) => {
                Version { numbers: [1, 6, 0], texts: ["i915", "20201103", "Intel Graphics"] }
            }
            Driver::Amdgpu(_) => {
                Version { numbers: [3, 49, 0], texts: ["amdgpu", "20150101", "AMD GPU"] }
            }
        }
    }

    /// PCI number of the vendor.
    fn vendor(self) -> u32 {
        match self {
            Driver::I915(_) => 0x8086,
            Driver::Amdgpu(_) => 0x1002,
        }
    }
}

/// One row for each generation: of Intel's all of the GT2 size, of AMD's pitcairn and polaris10.
const DEVICES: [Device; 7] = [
    Device {
        name: "ivb",
        pci: 0x0166,
        revision: 9,
        address_space: 1 << 31,
        driver: Driver::I915(&I915 {
            frequency: 12_500_000,
            address_bytes: 4,
            shares_cache: true,
            topology: None,
        }),
    },
    Device {
        name: "hsw",
        pci: 0x0412,
        revision: 6,
        address_space: 1 << 31,
        driver: Driver::I915(&I915 {
            frequency: 12_500_000,
            address_bytes: 4,
            shares_cache: true,
            topology: None,
        }),
    },
    Device {
        name: "bdw",
        pci: 0x1616,
        revision: 9,
        address_space: 1 << 48,
        driver: Driver::I915(&I915 {
            frequency: 12_500_000,
            address_bytes: 8,
            shares_cache: true,
            topology: Some([1, 3, 8]),
        }),
    },
    Device {
        name: "chv",
        pci: 0x22b1,
        revision: 33,
        address_space: 1 << 32,
        driver: Driver::I915(&I915 {
            frequency: 12_500_000,
            address_bytes: 8,
            shares_cache: false,
            topology: Some([1, 2, 8]),
        }),
    },
    Device {
        name: "skl",
        pci: 0x1912,
        revision: 9,
        address_space: 1 << 48,
        driver: Driver::I915(&I915 {
            frequency: 12_000_000,
            address_bytes: 8,
            shares_cache: true,
            topology: Some([1, 3, 8]),
        }),
    },
    Device {
        name: "si",
        pci: 0x6818,
        revision: 0,
        address_space: 1 << 36,
        driver: Driver::Amdgpu(&PITCAIRN),
    },
    Device {
        name: "vi",
        pci: 0x67df,
        revision: 0xe7,
        address_space: 1 << 37,
        driver: Driver::Amdgpu(&POLARIS10),
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
            "vendor" | "subsystem_vendor" => format!("{:#06x}\n", self.driver.vendor()),
            "device" | "subsystem_device" => format!("0x{:04x}\n", self.pci),
            "revision" => format!("0x{:02x}\n", self.revision),
            "uevent" => {
                let (pci, vendor) = (self.pci, self.driver.vendor());
                let driver = self.driver.version().texts[0];
                format!(
                    "DRIVER={driver}\nPCI_ID={vendor:04X}:{pci:04X}\nPCI_SLOT_NAME=0000:00:02.0\n"
                )
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
        let device = Device::named("vi").expect("a generation");
        assert_eq!(device.attribute("vendor").as_deref(), Some("0x1002\n"));
        assert!(device.attribute("uevent").is_some_and(|text| text.contains("PCI_ID=1002:67DF")));
    }
}
