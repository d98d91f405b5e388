//! Messages of the validation layers and of the driver.

use std::ffi::{CStr, c_void};
use std::sync::{Mutex, PoisonError};

use ash::vk;

/// Most messages that are kept.
const MOST: usize = 256;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// It comes from the validation layers.
    pub(crate) is_validation: bool,
    pub(crate) text: String,
}

/// Messages since the last look, in their order.
#[derive(Debug, Default)]
pub(crate) struct Messages(Mutex<Vec<Message>>);

impl Messages {
    /// Returns the messages and forgets them.
    pub(crate) fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, message: Message) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MOST {
            all.push(message);
        }
    }
}

/// Returns the description of a messenger that adds to some messages, which must outlive it:
/// errors of the driver, and everything that the validation layers find.
pub(crate) fn messenger(messages: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
    use vk::DebugUtilsMessageTypeFlagsEXT as Type;
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::ERROR | Severity::WARNING)
        .message_type(Type::VALIDATION | Type::GENERAL)
        .pfn_user_callback(Some(receive))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast())
}

/// Receives a message of a layer.
unsafe extern "system" fn receive(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the pointer is that of `messenger`, whose target outlives the instance.
    let messages = unsafe { &*messages.cast::<Messages>().cast_const() };
    // SAFETY: layers pass a valid structure with a text that ends in a zero.
    let text = unsafe { data.as_ref() }.filter(|data| !data.p_message.is_null()).map(|data| {
        // SAFETY: as above.
        unsafe { CStr::from_ptr(data.p_message) }.to_string_lossy().into_owned()
    });
    let is_error = severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR);
    let is_validation = types.contains(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    if is_validation || is_error {
        let kind = if is_error { "error" } else { "warning" };
        let text = format!("{kind}: {}", text.unwrap_or_default());
        // A driver may crash of what a layer reports.
        if is_validation {
            eprintln!("validation layers: {text}");
        }
        messages.add(Message { is_validation, text });
    }
    vk::FALSE
}
