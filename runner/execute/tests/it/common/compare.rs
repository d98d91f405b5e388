//! Comparison of what two executors wrote.

use super::executors::{LANES, Pixels};

/// Differences between two executors' pixels, at most a few.
pub(crate) fn differences(
    dwords: &[char],
    expected: &Pixels,
    actual: &Pixels,
    skip: impl Fn(usize, usize) -> bool,
    same: impl Fn(char, u64, u64) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for lane in 0..LANES {
        let mut row = 0;
        while row < dwords.len() {
            let wide = matches!(dwords[row], 'D' | 'L' | 'M');
            let value = |p: &Pixels| {
                let low = u64::from(p[lane][row]);
                if wide { low | u64::from(p[lane][row + 1]) << 32 } else { low }
            };
            let (x, y) = (value(expected), value(actual));
            if !skip(lane, row) && !same(dwords[row], x, y) {
                found.push(format!(
                    "lane {lane} dword {row}: {} against {}",
                    show(dwords[row], x),
                    show(dwords[row], y)
                ));
            }
            row += if wide { 2 } else { 1 };
        }
    }
    found.truncate(4);
    found
}

/// A value for people.
pub(crate) fn show(scalar: char, bits: u64) -> String {
    match scalar {
        'F' => format!("{:?} ({bits:#010x})", f32::from_bits(bits as u32)),
        'D' => format!("{:?} ({bits:#018x})", f64::from_bits(bits)),
        'H' => format!("{:?} ({bits:#06x})", vocabulary::half::to_f32(bits as u16)),
        _ => format!("{bits:#x}"),
    }
}
