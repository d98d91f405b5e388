//! Requests for the devices of a test case.

use script::Script;

use crate::case::TestCase;
use crate::device::{DeviceKind, DeviceRequest};

/// Returns the request for a device of a test case.
pub(super) fn request<'a>(
    case: &TestCase<'a>,
    script: &'a Script<'a>,
    kind: DeviceKind,
    step_limit: u64,
) -> DeviceRequest<'a> {
    let TestCase { test, target, options, .. } = *case;
    let script = Some(script);
    DeviceRequest { kind, target, test, script, options: &options.execution, step_limit }
}
