//! Messages of the driver's compiler: `GL_KHR_debug` with the type "other". Mesa's drivers report
//! the instructions, cycles and spills of each shader in this way, for the tool `shader-db`.

use crate::api::Api;
use crate::bindings::gl;
use crate::capabilities::Capabilities;

/// Maximum number of messages of a script.
const MOST: usize = 256;

/// Enables the messages for good.
pub(crate) fn enable(api: &Api, capabilities: &Capabilities) {
    if is_offered(capabilities) {
        api.enable(gl::DEBUG_OUTPUT);
        // Compilation in another thread would report after the draw.
        api.enable(gl::DEBUG_OUTPUT_SYNCHRONOUS);
        api.select_debug_messages(gl::DONT_CARE, gl::DONT_CARE, false);
        api.select_debug_messages(gl::DEBUG_SOURCE_SHADER_COMPILER, gl::DEBUG_TYPE_OTHER, true);
        take(api, capabilities);
    }
}

/// Returns the messages since the last call. A driver logs few of them: Mesa ten.
pub(crate) fn take(api: &Api, capabilities: &Capabilities) -> Vec<String> {
    if !is_offered(capabilities) {
        return Vec::new();
    }
    std::iter::from_fn(|| api.debug_message()).take(MOST).collect()
}

fn is_offered(capabilities: &Capabilities) -> bool {
    // The commands of OpenGL ES have other names unless the version has them.
    capabilities.has_version(43, 32, &[])
        || (!capabilities.is_es() && capabilities.has("GL_KHR_debug"))
}
