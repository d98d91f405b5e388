//! Loads and stores of waves: lanes whose texels follow each other in a row are one run.

use gcn_simulator::{LANES, LaneValues, TexelAccess};

use super::View;
use super::compression::Texel;
use crate::tiling::ADDRESS_MASK;

/// Most bytes of a run: of texels of 16 bytes.
const MOST_BYTES: usize = 16 * LANES;

/// Lanes whose texels follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: usize,
    count: usize,
}

/// The runs of an access, in the order of lanes.
fn runs(access: &TexelAccess) -> impl Iterator<Item = Run> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let run = next_run(access, from)?;
        from = run.first + run.count;
        Some(run)
    })
}

/// The next run of an access from a lane on.
fn next_run(access: &TexelAccess, from: usize) -> Option<Run> {
    let left = access.lanes.checked_shr(from as u32).filter(|left| *left != 0)?;
    let first = from + left.trailing_zeros() as usize;
    let [x, y, z] = &access.coordinates;
    let rows = [y, z, &access.layers, &access.levels, &access.samples];
    let follows = |lane: &usize| {
        access.lanes >> lane & 1 != 0
            && x[*lane] == x[first].wrapping_add((lane - first) as u32)
            && rows.iter().all(|row| row[*lane] == row[first])
    };
    let count = 1 + (first + 1..LANES).take_while(follows).count();
    Some(Run { first, count })
}

impl View<'_> {
    /// Loads texels of a wave.
    pub(super) fn load_wave(
        &self,
        access: &TexelAccess,
        texels: &mut [LaneValues; 4],
    ) -> Result<(), String> {
        for run in runs(access) {
            if !self.load_run(access, run, texels) {
                for lane in run.first..run.first + run.count {
                    let (coordinates, layer) = access.place(lane);
                    let (level, sample) = (access.levels[lane], access.samples[lane]);
                    let values = self.load(coordinates, layer, level, sample);
                    texels.iter_mut().zip(values).for_each(|(row, value)| row[lane] = value);
                }
            }
        }
        self.finished()
    }

    /// Stores texels of a wave.
    pub(super) fn store_wave(
        &self,
        access: &TexelAccess,
        texels: &[LaneValues; 4],
    ) -> Result<(), String> {
        for run in runs(access) {
            if !self.store_run(access, run, texels) {
                for lane in run.first..run.first + run.count {
                    let (coordinates, layer) = access.place(lane);
                    let (level, sample) = (access.levels[lane], access.samples[lane]);
                    let texel = texels.each_ref().map(|row| row[lane]);
                    self.store((coordinates, sample), layer, level, texel);
                }
            }
        }
        self.finished()
    }

    /// Loads a run. Returns false, with nothing loaded, if its texels are not all plain ones of the
    /// image.
    fn load_run(&self, access: &TexelAccess, run: Run, texels: &mut [LaneValues; 4]) -> bool {
        let Some(first) = self.run_place(access, run) else { return false };
        let bytes = self.format.bytes as usize;
        let mut space = [0; MOST_BYTES];
        let stored = &mut space[..run.count * bytes];
        let memory = self.memory;
        self.pieces(access.samples[run.first], first, run.count, |address, range| {
            memory.read(address, &mut stored[range])
        });
        let stored = &space[..run.count * bytes];
        match bytes {
            1 => self.decode_run::<1>(stored, run.first, texels),
            2 => self.decode_run::<2>(stored, run.first, texels),
            4 => self.decode_run::<4>(stored, run.first, texels),
            8 => self.decode_run::<8>(stored, run.first, texels),
            _ => self.decode_run::<16>(stored, run.first, texels),
        }
        true
    }

    /// Decodes texels of `N` bytes for the lanes from `first` on. Neighbors often have the same
    /// bytes.
    fn decode_run<const N: usize>(
        &self,
        stored: &[u8],
        first: usize,
        [a, b, c, d]: &mut [LaneValues; 4],
    ) {
        let mut last: Option<([u8; N], [u32; 4])> = None;
        for (lane, texel) in (first..).zip(stored.as_chunks::<N>().0) {
            let values = match last {
                Some((known, values)) if known == *texel => values,
                _ => {
                    let mut whole = [0; 16];
                    whole[..N].copy_from_slice(texel);
                    let values = self.selected(self.format.decode(&whole));
                    last = Some((*texel, values));
                    values
                }
            };
            [a[lane], b[lane], c[lane], d[lane]] = values;
        }
    }

    /// Stores a run. Returns false, with nothing stored, if its texels are not all plain ones of
    /// the image.
    fn store_run(&self, access: &TexelAccess, run: Run, texels: &[LaneValues; 4]) -> bool {
        let Some(first) = self.run_place(access, run) else { return false };
        let bytes = self.format.bytes as usize;
        let mut space = [0; MOST_BYTES];
        let stored = &mut space[..run.count * bytes];
        match bytes {
            1 => self.encode_run::<1>(stored, run.first, texels),
            2 => self.encode_run::<2>(stored, run.first, texels),
            4 => self.encode_run::<4>(stored, run.first, texels),
            8 => self.encode_run::<8>(stored, run.first, texels),
            _ => self.encode_run::<16>(stored, run.first, texels),
        }
        let memory = self.memory;
        self.pieces(access.samples[run.first], first, run.count, |address, range| {
            memory.write(address, &space[range])
        });
        true
    }

    /// Encodes texels of `N` bytes of the lanes from `first` on.
    fn encode_run<const N: usize>(
        &self,
        stored: &mut [u8],
        first: usize,
        [a, b, c, d]: &[LaneValues; 4],
    ) {
        let mut last: Option<([u32; 4], [u8; N])> = None;
        for (lane, to) in (first..).zip(stored.as_chunks_mut::<N>().0) {
            let values = [a[lane], b[lane], c[lane], d[lane]];
            *to = match last {
                Some((known, texel)) if known == values => texel,
                _ => {
                    let whole = self.encoder.encode(self.stored_channels(values));
                    let texel = std::array::from_fn(|i| whole[i]);
                    last = Some((values, texel));
                    texel
                }
            };
        }
    }

    /// The first texel of a run whose texels are all in the image and need nothing but their bytes.
    fn run_place(&self, access: &TexelAccess, run: Run) -> Option<Texel<'_>> {
        let is_plain = self.compression.is_none()
            && self.format.blocks.is_none()
            && self.fragment_bits.is_none()
            && matches!(self.format.bytes, 1 | 2 | 4 | 8 | 16);
        let place = |lane: usize| {
            let (coordinates, layer) = access.place(lane);
            self.place(coordinates, layer, access.levels[lane], access.samples[lane])
        };
        place(run.first + run.count - 1).filter(|_| is_plain)?;
        place(run.first)
    }

    /// Calls `transfer` for the pieces of memory of a run of texels: address, range of the run's
    /// bytes.
    fn pieces(
        &self,
        sample: u32,
        texel: Texel<'_>,
        count: usize,
        mut transfer: impl FnMut(u64, std::ops::Range<usize>) -> Result<(), packets::Fault>,
    ) {
        let bytes = self.format.bytes as usize;
        let mut piece = (texel.address, 0, bytes);
        let mut done = |(address, start, end): (u64, usize, usize)| {
            if let Err(fault) = transfer(address, start..end) {
                self.fail(fault.to_string());
            }
        };
        let Texel { level, x, y, slice, .. } = texel;
        let mut tile = None;
        for i in 1..count {
            let column = x + i as u32;
            let address = if level.is_linear() && level.samples == 1 {
                texel.address + (i * bytes) as u64
            } else {
                if column.is_multiple_of(8) || i == 1 {
                    tile = level.tile(column, y, slice, sample);
                }
                match &tile {
                    Some(tile) => tile.address(column, y) & ADDRESS_MASK,
                    None => level.address(column, y, slice, sample) & ADDRESS_MASK,
                }
            };
            let (start_address, start, end) = piece;
            if address == start_address + (end - start) as u64 {
                piece.2 += bytes;
            } else {
                done(piece);
                piece = (address, i * bytes, (i + 1) * bytes);
            }
        }
        done(piece);
    }
}

#[cfg(test)]
mod tests {
    use gcn_simulator::ImageResource;

    use super::*;

    #[test]
    fn runs_end_where_a_texel_does_not_follow() {
        let mut access = TexelAccess {
            resource: ImageResource::decode([0; 8]),
            lanes: 0xffff_ffff_ffff_fff6,
            coordinates: [std::array::from_fn(|lane| lane as u32 % 32), [0; LANES], [0; LANES]],
            layers: [0; LANES],
            levels: [0; LANES],
            samples: [0; LANES],
        };
        access.layers[40] = 1;
        let runs: Vec<_> = runs(&access).map(|run| (run.first, run.count)).collect();
        assert_eq!(runs, [(1, 2), (4, 28), (32, 8), (40, 1), (41, 23)]);
    }
}
