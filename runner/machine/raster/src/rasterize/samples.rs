//! Sample positions: the standard patterns of Direct3D 11 (`D3D11_STANDARD_MULTISAMPLE_PATTERN`),
//! which Mesa's Intel drivers use too.

/// Largest number of samples of a pixel.
pub const MAX_SAMPLES: u32 = 16;

const X1: [[u8; 2]; 1] = [[8, 8]];
const X2: [[u8; 2]; 2] = [[12, 12], [4, 4]];
const X4: [[u8; 2]; 4] = [[6, 2], [14, 6], [2, 10], [10, 14]];
const X8: [[u8; 2]; 8] = [[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]];
const X16: [[u8; 2]; 16] = [
    [9, 9],
    [7, 5],
    [5, 10],
    [12, 7],
    [3, 6],
    [10, 13],
    [13, 11],
    [11, 3],
    [6, 14],
    [8, 1],
    [4, 2],
    [2, 12],
    [0, 8],
    [15, 4],
    [14, 15],
    [1, 0],
];

/// Returns the position of each sample from a pixel's corner, in pixels. For numbers of samples
/// without a pattern the result is one sample in the center.
pub fn positions(samples: u32) -> Vec<[f32; 2]> {
    let sixteenths: &[[u8; 2]] = match samples {
        2 => &X2,
        4 => &X4,
        8 => &X8,
        16 => &X16,
        _ => &X1,
    };
    sixteenths.iter().map(|sample| sample.map(|c| f32::from(c) / 16.0)).collect()
}

/// Returns the number of samples of a renderbuffer for a request of at least `wanted`: the next
/// power of two, or `u32::MAX` if there is none.
pub fn supported(wanted: u32) -> u32 {
    wanted.max(1).checked_next_power_of_two().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the standard patterns no two samples share a column or a row, and the mean is the pixel's
    /// center. The pattern of 16 is the exception: it leaves out a row and a column of 17.
    #[test]
    fn samples_are_spread_evenly() {
        for samples in [2, 4, 8, 16] {
            let all = positions(samples);
            assert_eq!(all.len(), samples as usize);
            for axis in 0..2 {
                let mut places: Vec<f32> = all.iter().map(|p| p[axis]).collect();
                places.sort_by(f32::total_cmp);
                assert!(places.windows(2).all(|w| w[0] < w[1]), "{samples}: {places:?}");
                let mean = places.iter().sum::<f32>() / samples as f32;
                assert!((mean - 0.5).abs() <= 1.0 / 32.0, "{samples}: {mean}");
            }
        }
        assert_eq!((positions(1), positions(0)), (vec![[0.5; 2]], vec![[0.5; 2]]));
    }

    #[test]
    fn numbers_are_rounded_up() {
        assert_eq!([0, 1, 2, 3, 5, 16].map(supported), [1, 1, 2, 4, 8, 16]);
        assert_eq!(
            [1 << 31, (1 << 31) + 1, u32::MAX].map(supported),
            [1 << 31, u32::MAX, u32::MAX]
        );
    }
}
