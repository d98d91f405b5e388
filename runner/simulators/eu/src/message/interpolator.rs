//! Pixel interpolator messages: barycentric coordinates at other positions than the dispatched
//! ones.

use intel_isa::desc::{InterpolatorMode, PixelInterpolatorMessage};

use super::payload::{Message, Response, respond_plane};
use crate::error::Reason;
use crate::host::{Host, InterpolateAt, InterpolateRequest};

/// A signed nibble.
fn nibble(bits: u8) -> i8 {
    ((bits << 4) as i8) >> 4
}

/// Executes a pixel interpolator message. The response is x and y per eight pixels, as PLN reads
/// them.
pub(super) fn execute(
    message: &Message,
    request: &PixelInterpolatorMessage,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = if request.simd16 { 16 } else { 8 };
    let at = match request.mode {
        InterpolatorMode::SharedOffset => {
            InterpolateAt::Shared { x: nibble(request.data), y: nibble(request.data >> 4) }
        }
        InterpolatorMode::Sample => InterpolateAt::Sample(request.data >> 4),
        InterpolatorMode::Centroid => InterpolateAt::Centroid,
        InterpolatorMode::PerSlotOffset => {
            InterpolateAt::PerSlot([message.plane(0, count)?, message.plane(count / 8, count)?])
        }
    };
    let request = InterpolateRequest {
        at,
        linear: request.linear,
        first_slot: if request.high_slots { 16 } else { 0 },
        count: count as u8,
        mask: message.enabled as u16,
    };
    let [x, y] = host.interpolate(&request)?;
    let mut response = Vec::new();
    for half in 0..count / 8 {
        for plane in [&x, &y] {
            let mut eight = [0; 16];
            eight[..8].copy_from_slice(&plane[half * 8..half * 8 + 8]);
            respond_plane(&mut response, &eight, 8, message.enabled >> (half * 8) & 0xff);
        }
    }
    Ok(response)
}
