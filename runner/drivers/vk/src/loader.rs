//! The loader of Vulkan drivers, an instance, and the devices that it lists.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char};

use ash::vk;

use crate::messages::{Message, Messages, messenger};
use crate::options::{DeviceChoice, Identity, OpenError, VkOptions};

/// Name of the validation layers.
const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";
/// Numbers of the vendors of virtual GPUs: Intel, AMD.
const VENDORS: [u32; 2] = [0x8086, 0x1002];
/// Highest version of Vulkan that this crate uses.
const WANTED_VERSION: u32 = vk::API_VERSION_1_3;

/// An instance, with everything that it needs to live.
pub(crate) struct Instance {
    /// Messages of the validation layers and the driver. Boxed: the messenger has its address.
    messages: Box<Messages>,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    pub(crate) raw: ash::Instance,
    /// Version of Vulkan that instance and loader have.
    pub(crate) version: u32,
    /// Enabled extensions.
    pub(crate) extensions: BTreeSet<String>,
    /// The loader's library, which must outlive all functions.
    _entry: ash::Entry,
}

impl Instance {
    /// Loads the loader and creates an instance without window systems.
    pub(crate) fn create(options: &VkOptions) -> Result<Instance, OpenError> {
        // SAFETY: the library of the loader has no other effect than to define functions.
        let entry = unsafe { ash::Entry::load() };
        let entry = entry.map_err(|error| OpenError::NoLoader(error.to_string()))?;
        let no_instance = |result: vk::Result| OpenError::NoInstance(result.to_string());
        // SAFETY: the function has no preconditions.
        let known = unsafe { entry.try_enumerate_instance_version() }.map_err(no_instance)?;
        let version = known.unwrap_or(vk::API_VERSION_1_0).min(WANTED_VERSION);
        let layers: &[&CStr] = if options.validate { &[VALIDATION] } else { &[] };
        if options.validate && !has_layer(&entry, VALIDATION) {
            return Err(OpenError::NoValidation("VK_LAYER_KHRONOS_validation"));
        }
        let extensions = extensions(&entry);
        let has_messages = extensions.iter().any(|name| **name == *ash::ext::debug_utils::NAME);
        let messages = Box::<Messages>::default();
        let application = vk::ApplicationInfo::default()
            .application_name(c"runner")
            .engine_name(c"runner")
            .api_version(version);
        let names: Vec<*const c_char> = extensions.iter().map(|name| name.as_ptr()).collect();
        let layers: Vec<*const c_char> = layers.iter().map(|name| name.as_ptr()).collect();
        let mut early = messenger(&messages);
        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&names);
        if options.validate {
            info = info.push_next(&mut early);
        }
        // SAFETY: all pointers of `info` are valid for the call.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(no_instance)?;
        let messenger = has_messages.then(|| {
            let functions = ash::ext::debug_utils::Instance::new(&entry, &raw);
            // SAFETY: the messages live as long as the instance.
            let created =
                unsafe { functions.create_debug_utils_messenger(&messenger(&messages), None) };
            created.ok().map(|handle| (functions, handle))
        });
        let extensions =
            extensions.into_iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let messenger = messenger.flatten();
        Ok(Instance { messages, messenger, raw, version, extensions, _entry: entry })
    }

    /// Returns the messages since the last call.
    pub(crate) fn take_messages(&self) -> Vec<Message> {
        self.messages.take()
    }

    /// Chooses a device.
    pub(crate) fn choose(&self, options: &VkOptions) -> Result<vk::PhysicalDevice, OpenError> {
        // SAFETY: the instance lives.
        let devices = unsafe { self.raw.enumerate_physical_devices() };
        let devices = devices.map_err(|error| OpenError::NoInstance(error.to_string()))?;
        let names: Vec<String> = devices.iter().map(|&device| self.name(device)).collect();
        let unknown = |choice: &DeviceChoice| OpenError::UnknownDevice {
            choice: choice.to_string(),
            known: names.clone(),
        };
        let index = match &options.device {
            None => 0,
            Some(choice @ DeviceChoice::Index(index)) => {
                if *index >= devices.len() {
                    return Err(unknown(choice));
                }
                *index
            }
            Some(choice @ DeviceChoice::Name(part)) => {
                let part = part.to_lowercase();
                let is_named = |name: &String| name.to_lowercase().contains(&part);
                names.iter().position(is_named).ok_or_else(|| unknown(choice))?
            }
        };
        let &device = devices.get(index).ok_or(OpenError::NoDevice)?;
        if options.must_be_virtual && !VENDORS.contains(&self.properties(device).vendor_id) {
            return Err(OpenError::NotVirtual(names[index].clone()));
        }
        Ok(device)
    }

    /// Returns the properties of a device.
    pub(crate) fn properties(&self, device: vk::PhysicalDevice) -> vk::PhysicalDeviceProperties {
        // SAFETY: the handle is one of this instance.
        unsafe { self.raw.get_physical_device_properties(device) }
    }

    /// Returns the version of Vulkan that both instance and device have.
    pub(crate) fn version_of(&self, device: vk::PhysicalDevice) -> u32 {
        self.version.min(self.properties(device).api_version)
    }

    fn name(&self, device: vk::PhysicalDevice) -> String {
        let properties = self.properties(device);
        let name = properties.device_name_as_c_str().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns the names of a device and its driver.
    pub(crate) fn identity(&self, device: vk::PhysicalDevice) -> Identity {
        let api = dotted(self.properties(device).api_version);
        let (mut vendor, mut version) = (format!("{:#x}", self.properties(device).vendor_id), api);
        if self.version_of(device) >= vk::API_VERSION_1_2 {
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            // SAFETY: the structures are of the version that the device has.
            unsafe { self.raw.get_physical_device_properties2(device, &mut all) };
            let text =
                |text: Option<&CStr>| text.unwrap_or_default().to_string_lossy().into_owned();
            vendor = text(driver.driver_name_as_c_str().ok());
            let info = text(driver.driver_info_as_c_str().ok());
            if !info.is_empty() {
                version = format!("{version} {info}");
            }
        }
        Identity { renderer: self.name(device), vendor, version }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: the messenger belongs to this instance; devices are destroyed before.
        unsafe {
            if let Some((functions, handle)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(handle, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

/// Returns a version as text.
pub(crate) fn dotted(version: u32) -> String {
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    format!("{major}.{minor}.{}", vk::api_version_patch(version))
}

fn has_layer(entry: &ash::Entry, wanted: &CStr) -> bool {
    // SAFETY: the function has no preconditions.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap_or_default();
    layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(wanted))
}

/// Returns the extensions to enable: all that the loader has, but for window systems, which
/// scripts do not use, and an older form of messages.
fn extensions(entry: &ash::Entry) -> Vec<CString> {
    // SAFETY: the function has no preconditions.
    let known = unsafe { entry.enumerate_instance_extension_properties(None) }.unwrap_or_default();
    let names = known.iter().filter_map(|extension| extension.extension_name_as_c_str().ok());
    let is_wanted = |name: &&CStr| {
        let text = name.to_string_lossy();
        let is_window = ["surface", "display", "swapchain", "direct_mode", "headless"]
            .iter()
            .any(|word| text.contains(word));
        !is_window && !text.contains("debug_report")
    };
    names.filter(is_wanted).map(CStr::to_owned).collect()
}
