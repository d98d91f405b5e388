//! Barycentric coordinates at samples and offsets: those at the pixel's center and their
//! derivatives. I/w, J/w and 1/w are linear in window space, so this is exact but for rounding.

use crate::machine::{Arg, File, Part, ZERO, bits, int};
use crate::output::{PixelValue, Resource};
use crate::select::{BufferAddress, Held, Selection, Step};
use amd_isa::Opcode;
use ir::{Intrinsic, IntrinsicOp, Value};

/// Bytes of the position of a sample.
const POSITION_BYTES: u32 = 8;

/// Resources that the fragment stage needs for positions of samples.
pub(crate) fn resources(used: &[IntrinsicOp], samples: u32) -> Vec<Resource> {
    let is_reader =
        |op| matches!(op, &IntrinsicOp::LoadBarycentricAtSample | &IntrinsicOp::SamplePos);
    let wanted = samples > 1 && used.iter().any(is_reader);
    if wanted { vec![Resource::SamplePositions] } else { Vec::new() }
}

/// Selects the coordinates at the sample or offset that an intrinsic names, from the registers of
/// `center`.
pub(super) fn elsewhere(
    s: &mut Selection<'_>,
    intrinsic: &Intrinsic,
    value: PixelValue,
    center: Part,
    result: Value,
) -> Step {
    let [x, y] = match intrinsic.op {
        IntrinsicOp::LoadBarycentricAtSample => sample_position(s, intrinsic.srcs[0])?,
        _ => [s.dword(intrinsic.srcs[0], 0)?, s.dword(intrinsic.srcs[0], 1)?],
    };
    let mut moved = Held::new();
    for dword in 0..value.registers() {
        let here: Arg = center.at(dword).into();
        let corner = s.quad_permutation(here, [0; 4]);
        let mut sum = here;
        for (neighbor, distance) in [(1, x), (2, y)] {
            let neighbor = s.quad_permutation(here, [neighbor; 4]);
            let slope = s.e.valu1(Opcode::VSubF32, &[neighbor.into(), corner.into()]);
            let sources = [slope.into(), distance.into(), sum.into()];
            sum = s.e.valu1(Opcode::VMadF32, &sources).into();
        }
        moved.push(sum);
    }
    if let [i, j, one_over_w] = moved[..] {
        let w = s.e.valu1(Opcode::VRcpF32, &[one_over_w.into()]);
        let times_w = |x: Arg| s.e.valu1(Opcode::VMulF32, &[x.into(), w.into()]).into();
        moved = [i, j].map(times_w).into_iter().collect();
    }
    s.set(result, moved);
    Ok(())
}

/// The position of a sample, relative to the center.
fn sample_position(s: &mut Selection<'_>, sample: Value) -> Step<[Arg; 2]> {
    let descriptor = s.descriptor(Resource::SamplePositions)?;
    if let Some(sample) = s.constant(sample) {
        let offset = int(sample.wrapping_mul(POSITION_BYTES) as i32);
        let to = s.e.reg(File::Scalar, 2);
        s.e.scalar_load(Opcode::SBufferLoadDwordx2, to, descriptor, offset);
        return Ok([to.into(), to.at(1).into()]);
    }
    let sample = s.dword(sample, 0)?;
    let lane = s.e.in_vector(sample);
    Ok(position_of(s, descriptor, lane))
}

/// The position of each lane's sample, relative to the center.
fn position_of(s: &mut Selection<'_>, descriptor: Part, sample: Part) -> [Arg; 2] {
    let shift = int(POSITION_BYTES.trailing_zeros() as i32);
    let lane = s.e.valu1(Opcode::VLshlrevB32, &[shift.into(), sample.into()]);
    let address = BufferAddress { descriptor, lane: Some(lane), wave: ZERO, constant: 0 };
    let to = s.e.reg(File::Vector, 2);
    s.load_dwords(&address, to, 0, 2, false);
    [to.into(), to.at(1).into()]
}

/// Selects the position of the lane's own sample in its pixel, from the register that holds the
/// sample's number; the center without multisampling.
pub(super) fn own_position(s: &mut Selection<'_>, ancillary: Option<Part>, result: Value) -> Step {
    let half = bits(s.chip(), 0.5f32.to_bits());
    let Some(ancillary) = ancillary else {
        s.set(result, [half, half].into_iter().collect());
        return Ok(());
    };
    let descriptor = s.descriptor(Resource::SamplePositions)?;
    let sample = s.e.valu1(Opcode::VBfeU32, &[ancillary.into(), int(8).into(), int(4).into()]);
    let from_center = position_of(s, descriptor, sample);
    let sum = |at: Arg| s.e.valu1(Opcode::VAddF32, &[half.into(), at.into()]).into();
    let from_corner: Held = from_center.into_iter().map(sum).collect();
    s.set(result, from_corner);
    Ok(())
}
