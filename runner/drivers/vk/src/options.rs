//! Choice of a device, and its names.

use std::fmt;

/// Choice of the driver and its device. The defaults are the first device that the loader lists,
/// without validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VkOptions {
    /// The device.
    pub device: Option<DeviceChoice>,
    /// Load the validation layers; each of their messages is a failure.
    pub validate: bool,
    /// The device must be an Intel or AMD GPU: the driver of a virtual one. Software that takes its
    /// place is an error.
    pub must_be_virtual: bool,
}

/// A device of a machine with several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// By its position in the loader's list, from 0.
    Index(usize),
    /// By a part of its name, in any case.
    Name(String),
}

impl DeviceChoice {
    /// Returns the choice that a text means: a number is a position, anything else a name.
    #[must_use]
    pub fn parse(text: &str) -> DeviceChoice {
        text.parse().map_or_else(|_| DeviceChoice::Name(text.to_owned()), DeviceChoice::Index)
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Index(index) => write!(f, "{index}"),
            DeviceChoice::Name(name) => f.write_str(name),
        }
    }
}

/// Names of the device and its driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Name of the device.
    pub renderer: String,
    /// Name of the driver, such as `Intel open-source Mesa driver`, or the vendor's number.
    pub vendor: String,
    /// Version of Vulkan that the device has, and the driver's own version.
    pub version: String,
}

/// The reason why there is no driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The loader cannot be loaded.
    #[error("there is no Vulkan loader: {0}")]
    NoLoader(String),
    /// No instance can be created.
    #[error("the Vulkan loader creates no instance: {0}")]
    NoInstance(String),
    /// The validation layers are not installed.
    #[error("--vk-validate: the layer {0} is not installed")]
    NoValidation(&'static str),
    /// No device is listed.
    #[error("the Vulkan loader lists no device")]
    NoDevice,
    /// The chosen device is not listed.
    #[error("there is no Vulkan device `{choice}`; known: {}", known.join(", "))]
    UnknownDevice {
        /// The choice.
        choice: String,
        /// Names of the listed devices.
        known: Vec<String>,
    },
    /// The device is not that of the virtual GPU.
    #[error("the Vulkan device is {0}: the driver of the virtual GPU was not used")]
    NotVirtual(String),
    /// The device has no queue for the work.
    #[error("the Vulkan device {0} has no queue for graphics or compute")]
    NoQueue(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        assert_eq!(DeviceChoice::parse("1"), DeviceChoice::Index(1));
        let name = DeviceChoice::parse("llvmpipe");
        assert_eq!(name, DeviceChoice::Name("llvmpipe".into()));
        assert_eq!(name.to_string(), "llvmpipe");
    }
}
