//! Outputs of the interpreter, copied to batches.

use interpreter::{Outputs, Value};
use program::{FragmentOutput, LinkedStage, Slot};
use raster::device::{FragmentBatch, LaneMask, SoaTable, TessControlBatch};

/// Copies the outputs of vertices or points.
pub(crate) fn put_varyings(to: &mut SoaTable, outputs: &Outputs) {
    for (slot, value) in outputs.varyings.iter().enumerate() {
        for c in 0..4 {
            if slot * 4 + c < to.rows() {
                value.lower_halves(c, to.row_mut(slot * 4 + c));
            }
        }
    }
}

/// Copies the patch outputs that the invocations of each patch agree on.
pub(crate) fn put_patches(
    batch: &mut TessControlBatch,
    linked: &LinkedStage,
    outputs: &Outputs,
    invocations: usize,
) {
    let patches = batch.lanes;
    let put = |to: &mut SoaTable, first: usize, value: &Value| {
        for c in 0..4.min(to.rows().saturating_sub(first)) {
            (0..patches).for_each(|p| to.set(first + c, p, value.get(c, p * invocations) as u32));
        }
    };
    for (to, vertex) in batch.outputs.iter_mut().zip(&outputs.vertices) {
        vertex.iter().enumerate().for_each(|(slot, value)| put(to, slot * 4, value));
    }
    for (slot, (value, varying)) in outputs.varyings.iter().zip(&linked.outputs).enumerate() {
        put(&mut batch.patch_outputs, slot * 4, value);
        match varying.slot {
            Slot::TessLevelOuter => put(&mut batch.outer, 0, value),
            Slot::TessLevelInner => put(&mut batch.inner, 0, value),
            _ => {}
        }
    }
}

/// Copies fragment outputs and marks covered lanes with undefined visible values.
pub(crate) fn put_fragments(batch: &mut FragmentBatch, outputs: &Outputs) {
    let lanes = batch.quads.len() * 4;
    let covered = || (0..lanes).filter(|&lane| batch.live >> lane & 1 != 0);
    let mask =
        |lanes: &mut dyn Iterator<Item = usize>| lanes.fold(0, |mask, lane| mask | 1u64 << lane);
    let live: Vec<usize> = covered().filter(|&lane| !outputs.killed.contains(lane)).collect();
    let mut undefined =
        mask(&mut covered().filter(|&lane| outputs.undefined_control_flow.contains(lane)));
    let mut colors = vec![0; batch.outputs.color.rows()];
    for (output, value) in &outputs.fragment {
        let of_component = |c: usize| {
            let lanes = if value.all_defined() { &[] } else { &live[..] };
            mask(&mut lanes.iter().copied().filter(|&lane| value.is_undefined(c, lane)))
        };
        let mut put_single = |to: &mut Vec<u32>| {
            *to = (0..lanes).map(|lane| value.get(0, lane) as u32).collect();
            undefined |= of_component(0);
        };
        let mut put_location = |location: u8| {
            put_color(&mut batch.outputs.color, location, value);
            mark_color(&mut colors, location, of_component);
        };
        match *output {
            FragmentOutput::Color { location, index: 0 } => put_location(location),
            FragmentOutput::AllColors => put_location(0),
            FragmentOutput::Color { .. } => {
                put_color(&mut batch.outputs.dual_source, 0, value);
                undefined |= (0..4).fold(0, |all, c| all | of_component(c));
            }
            FragmentOutput::Depth => put_single(&mut batch.outputs.depth),
            FragmentOutput::Stencil => put_single(&mut batch.outputs.stencil),
            FragmentOutput::SampleMask => put_single(&mut batch.outputs.sample_mask),
        }
    }
    batch.outputs.killed =
        outputs.killed.iter().filter(|&lane| lane < 64).fold(0, |mask, lane| mask | 1 << lane);
    batch.outputs.undefined = undefined;
    let is_any = colors.iter().any(|&lanes| lanes != 0);
    batch.outputs.undefined_colors = if is_any { colors } else { Vec::new() };
}

/// Adds the lanes whose components of a color are undefined.
fn mark_color(rows: &mut [LaneMask], location: u8, lanes: impl Fn(usize) -> LaneMask) {
    for (c, row) in rows.iter_mut().skip(usize::from(location) * 4).take(4).enumerate() {
        *row |= lanes(c);
    }
}

fn put_color(to: &mut SoaTable, location: u8, value: &Value) {
    for c in 0..4 {
        let row = usize::from(location) * 4 + c;
        if row < to.rows() {
            value.lower_halves(c, to.row_mut(row));
        }
    }
}
