//! Compute stage.

use crate::machine::{Arg, File, M0, Part, bits, int};
use crate::output::{ComputeInterface, UserValue};
use crate::select::control::StageSelection;
use crate::select::{Held, Selection, Step};
use amd_isa::Opcode;
use ir::{AluOp, DerivativeGroup, Intrinsic, IntrinsicOp, Value};

/// Invocations of the largest group whose size the dispatch chooses.
const MOST_INVOCATIONS: u32 = 1024;
/// Lanes of a wave, and SIMDs that share the waves of a group.
const LANES: u32 = 64;
const SIMDS: u32 = 4;

/// Waves of a group that are on one SIMD: all waves of a group run at the same time. A size of zero
/// is chosen by the dispatch.
fn waves_on_simd([width, height, depth]: [u32; 3]) -> u16 {
    let fixed = width.saturating_mul(height).saturating_mul(depth);
    let invocations = if width == 0 { MOST_INVOCATIONS } else { fixed.min(MOST_INVOCATIONS) };
    invocations.div_ceil(LANES).div_ceil(SIMDS) as u16
}

/// State of the compute stage.
pub(crate) struct Compute {
    interface: ComputeInterface,
    group: Part,
    local: [Part; 3],
}

impl Compute {
    /// Lays out the initial registers; `next` is the first scalar register after the driver's.
    pub(crate) fn new(s: &mut Selection<'_>, next: u8) -> Compute {
        let local = [0, 1, 2].map(|number| s.e.fixed(File::Vector, number, 1));
        // Dwords of their own: they are no aligned group.
        let group = s.e.fixed(File::Scalar, next, 3);
        let info = &s.shader.info;
        let interface = ComputeInterface {
            workgroup_id: next,
            local_size: info.local_size,
            shared_size: info.shared_size,
        };
        if info.shared_size > 0 {
            s.e.sop1(Opcode::SMovB32, M0, int(-1));
        }
        s.e.program.fit_waves(waves_on_simd(info.local_size));
        let mut compute = Compute { interface, group, local };
        if info.derivative_group == DerivativeGroup::Quads {
            compute.local = compute.quads(s, info.local_size);
        }
        compute
    }

    /// Numbers of invocations such that four consecutive lanes are two by two neighbors in x and y:
    /// the hardware counts row by row. Width and height are even.
    fn quads(&self, s: &mut Selection<'_>, [width, height, depth]: [u32; 3]) -> [Part; 3] {
        let [x, y, z] = self.local;
        let chip = s.chip();
        let [w, h, half_width] = [width, height, width / 2].map(|value| bits(chip, value));
        let row = s.e.valu1(Opcode::VMadU32U24, &[z.into(), h.into(), y.into()]);
        let lane = s.e.valu1(Opcode::VMadU32U24, &[row.into(), w.into(), x.into()]);
        let quad = s.e.valu1(Opcode::VLshrrevB32, &[int(2).into(), lane.into()]);
        let column = s.divide(AluOp::Umod, quad.into(), half_width);
        let row = s.divide(AluOp::Udiv, quad.into(), half_width);
        let low = s.e.valu1(Opcode::VAndB32, &[int(1).into(), lane.into()]);
        let high = s.e.valu1(Opcode::VBfeU32, &[lane.into(), int(1).into(), int(1).into()]);
        let two = int(2);
        let x = s.e.valu1(Opcode::VMadU32U24, &[column.into(), two.into(), low.into()]);
        let y = s.e.valu1(Opcode::VMadU32U24, &[row.into(), two.into(), high.into()]);
        if depth == 1 {
            return [x, y, z];
        }
        [x, s.divide(AluOp::Umod, y.into(), h), s.divide(AluOp::Udiv, y.into(), h)]
    }

    /// The number of the invocation: (z · height + y) · width + x.
    fn index(&self, s: &mut Selection<'_>) -> Step<Part> {
        let [width, height]: [Arg; 2] = match s.shader.info.local_size {
            [0, ..] => {
                let size = s.user_value(UserValue::WorkgroupSize)?;
                [size.into(), size.at(1).into()]
            }
            [width, height, _] => [bits(s.chip(), width), bits(s.chip(), height)],
        };
        let [x, y, z] = self.local;
        let row = s.e.valu1(Opcode::VMadU32U24, &[z.into(), height.into(), y.into()]);
        Ok(s.e.valu1(Opcode::VMadU32U24, &[row.into(), width.into(), x.into()]))
    }

    pub(crate) fn finish(self, s: &mut Selection<'_>) -> ComputeInterface {
        s.start_epilogue();
        s.e.sopp(Opcode::SEndpgm, &[]);
        self.interface
    }
}

impl StageSelection for Compute {
    fn intrinsic(
        &mut self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (WorkgroupId, Some(result)) => s.set_parts(result, self.group),
            (LocalInvocationId, Some(result)) => {
                let held: Held = self.local.iter().map(|&part| part.into()).collect();
                s.set(result, held);
            }
            (LocalInvocationIndex, Some(result)) => {
                let index = self.index(s)?;
                s.set_parts(result, index);
            }
            (Barrier, _) => {
                s.wait_for_memory();
                s.e.sopp(Opcode::SBarrier, &[]);
            }
            (_, result) => return s.shared_memory(intrinsic, result),
        }
        Ok(true)
    }
}
