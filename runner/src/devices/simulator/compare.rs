//! Do two widths of one shader agree?

use softgl::device::{Batch, Channels, FragmentBatch};

/// Floats that differ by at most this many units in the last place are equal: the order of operations may differ between widths
/// nowhere, but fused and unfused forms may.
const ULPS: u32 = 16;

/// Compares what two widths wrote; says what differs.
pub fn same_results(reference: &Batch, other: &Batch) -> Result<(), String> {
    match (reference, other) {
        (Batch::Fragment(a), Batch::Fragment(b)) => same_fragments(a, b),
        (Batch::Vertex(a), Batch::Vertex(b)) => same_channels(&a.outputs, &b.outputs, a.mask, "output"),
        _ => Ok(()),
    }
}

fn same_fragments(a: &FragmentBatch, b: &FragmentBatch) -> Result<(), String> {
    let killed = (a.outputs.killed ^ b.outputs.killed) & a.live;
    if killed != 0 {
        return Err(format!("discarded lanes {:#x} against {:#x}", a.outputs.killed, b.outputs.killed));
    }
    let visible = a.live & !a.outputs.killed;
    same_channels(&a.outputs.colour, &b.outputs.colour, visible, "colour")?;
    same_channels(&a.outputs.dual_source, &b.outputs.dual_source, visible, "second colour")?;
    for (lane, (&x, &y)) in a.outputs.depth.iter().zip(&b.outputs.depth).enumerate() {
        if visible >> lane & 1 != 0 && !close(x, y) {
            return Err(format!("depth of lane {lane}: {x:#010x} against {y:#010x}"));
        }
    }
    Ok(())
}

fn same_channels(a: &Channels, b: &Channels, lanes: u64, what: &str) -> Result<(), String> {
    for row in 0..a.rows() {
        for lane in (0..a.lanes()).filter(|lane| lanes >> lane & 1 != 0) {
            let (x, y) = (a.get(row, lane), b.get(row, lane));
            if !close(x, y) {
                return Err(format!("{what} row {row} lane {lane}: {x:#010x} against {y:#010x}"));
            }
        }
    }
    Ok(())
}

/// Equal bits, both NaN, or floats a few units apart.
fn close(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let ordered = |bits: u32| if bits >> 31 != 0 { -((bits & 0x7fff_ffff) as i64) } else { i64::from(bits) };
    a == b
        || x.is_nan() && y.is_nan()
        || (x.is_finite() && y.is_finite() && (ordered(a) - ordered(b)).unsigned_abs() <= ULPS.into())
}
