//! "General Restrictions on Regioning Parameters": one region by itself, in Align1.

use super::context::{Context, Rule, rules};
use crate::operand::{Operand, Region};

pub(super) static RULES: &[Rule] = rules! {
    "region-width-exec": width_exec, "the execution size is at least the width";
    "region-full-row": full_row, "if ExecSize = Width and HorzStride ≠ 0, then VertStride = Width × HorzStride";
    "region-width-1": width_1, "if Width = 1, then HorzStride = 0";
    "region-exec-1": exec_1, "if ExecSize = Width = 1, then VertStride = HorzStride = 0";
    "region-no-strides": no_strides, "if VertStride = HorzStride = 0, then Width = 1";
    "region-row-crosses": row_crosses, "only the vertical stride may cross a register boundary";
    "region-dst-stride": dst_stride, "the destination stride is not 0";
    "region-vxh-indirect": vxh_indirect, "Vx1 and VxH regions are for indirect sources";
};

/// Returns whether a region of an Align1 source breaks `test`. VxH regions have no vertical stride
/// of their own.
fn any_region(c: &Context, test: impl Fn(Region, &Operand) -> bool) -> bool {
    c.is_align1()
        && c.register_sources()
            .any(|src| src.region.vstride != Region::VXH && test(src.region, src))
}

fn width_exec(c: &Context) -> bool {
    any_region(c, |region, _| c.exec_size < u32::from(region.width))
}

fn full_row(c: &Context) -> bool {
    any_region(c, |r, _| {
        c.exec_size == u32::from(r.width)
            && r.hstride != 0
            && u32::from(r.vstride) != u32::from(r.width) * u32::from(r.hstride)
    })
}

fn width_1(c: &Context) -> bool {
    any_region(c, |region, _| region.width == 1 && region.hstride != 0)
}

fn exec_1(c: &Context) -> bool {
    any_region(c, |r, _| c.exec_size == 1 && r.width == 1 && (r.vstride != 0 || r.hstride != 0))
}

fn no_strides(c: &Context) -> bool {
    any_region(c, |region, _| region.vstride == 0 && region.hstride == 0 && region.width != 1)
}

/// Returns whether the elements of some row lie in different registers.
fn row_crosses(c: &Context) -> bool {
    any_region(c, |region, src| {
        if src.is_indirect() {
            return false;
        }
        let size = c.element_size(src);
        let rows = c.exec_size / u32::from(region.width).max(1);
        (0..rows).any(|row| {
            let first = u32::from(src.subnr) + row * u32::from(region.vstride) * size;
            let last = first
                + u32::from(region.width.saturating_sub(1)) * u32::from(region.hstride) * size
                + size
                - 1;
            first / 32 != last / 32
        })
    })
}

fn dst_stride(c: &Context) -> bool {
    c.is_align1() && c.real_dst().is_some_and(|dst| dst.region.hstride == 0)
}

fn vxh_indirect(c: &Context) -> bool {
    c.is_align1()
        && c.register_sources().any(|src| src.region.vstride == Region::VXH && !src.is_indirect())
}
