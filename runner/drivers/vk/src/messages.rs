//! Messages of the validation layers.

use std::ffi::{CStr, c_void};
use std::sync::{Mutex, PoisonError};

use ash::vk;

/// Messages since the last look, in their order.
#[derive(Debug, Default)]
pub(crate) struct Messages(Mutex<Vec<String>>);

impl Messages {
    /// Returns the messages and forgets them.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

/// Returns the description of a messenger that adds to some messages, which must outlive it.
pub(crate) fn messenger(messages: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
    use vk::DebugUtilsMessageTypeFlagsEXT as Type;
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::ERROR | Severity::WARNING)
        .message_type(Type::VALIDATION)
        .pfn_user_callback(Some(receive))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast())
}

/// Receives a message of a layer.
unsafe extern "system" fn receive(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
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
    let kind = if is_error { "error" } else { "warning" };
    messages.add(format!("{kind}: {}", text.unwrap_or_default()));
    vk::FALSE
}
