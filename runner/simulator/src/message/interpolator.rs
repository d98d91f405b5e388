//! Pixel interpolator messages: barycentric coordinates at other positions than the dispatched ones.

use super::{Message, Response, respond_plane};
use crate::error::Reason;
use crate::host::{Host, InterpolateAt, InterpolateRequest};

/// A signed nibble.
fn nibble(bits: u32) -> i8 {
    ((bits << 4) as u8 as i8) >> 4
}

/// Executes a pixel interpolator message. The response is x and y per eight pixels, as PLN reads them.
pub fn execute(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    let count = if message.bit(16) { 16 } else { 8 };
    let data = message.bits(7, 0);
    let at = match message.bits(13, 12) {
        0 => InterpolateAt::Shared { x: nibble(data & 0xf), y: nibble(data >> 4) },
        1 => InterpolateAt::Sample((data >> 4) as u8),
        2 => InterpolateAt::Centroid,
        _ => InterpolateAt::PerSlot([message.plane(0, count)?, message.plane(count / 8, count)?]),
    };
    let request = InterpolateRequest {
        at,
        linear: message.bit(14),
        first_slot: if message.bit(11) { 16 } else { 0 },
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
