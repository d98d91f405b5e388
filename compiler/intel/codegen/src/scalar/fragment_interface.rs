//! Interface of fragment shaders: inputs, parts of the payload, outputs, binding table.

use crate::isel::memory_effects::is_order_dependent;
use crate::output::{Barycentric, FragmentInput, FragmentInterface, Surface, Varying};
use crate::stage_key::StageKey;
use crate::surfaces::BindingTable;
use ir::{InstKind, Interpolation, Intrinsic, IntrinsicOp, Location, Shader, Slot};

/// Binding table: render targets (or the null surface), then the surfaces of every stage.
pub(super) fn binding_table(shader: &Shader, interface: &FragmentInterface) -> Vec<Surface> {
    let mut table: Vec<Surface> =
        (0..interface.render_targets).map(Surface::RenderTarget).collect();
    if table.is_empty() {
        table.push(Surface::Null);
    }
    table.extend(BindingTable::surfaces(shader));
    table
}

/// The stage's interface, from the declarations and the intrinsics in use.
pub(super) fn fragment_interface(shader: &Shader, key: &StageKey) -> FragmentInterface {
    let mut interface = FragmentInterface {
        early_tests: shader.info.fragment.early_tests,
        per_sample: shader.info.fragment.sample_shading,
        order_dependent: is_order_dependent(shader),
        ..FragmentInterface::default()
    };
    let mut highest_target = None;
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            match intrinsic.op {
                IntrinsicOp::LoadBarycentric => {
                    let mode = barycentric_mode(intrinsic, &interface, key);
                    if !interface.barycentrics.contains(&mode) {
                        interface.barycentrics.push(mode);
                    }
                }
                IntrinsicOp::LoadBarycentricAtSample | IntrinsicOp::LoadBarycentricAtOffset => {
                    let mode = pixel_barycentric(intrinsic);
                    if !interface.barycentrics.contains(&mode) {
                        interface.barycentrics.push(mode);
                    }
                }
                IntrinsicOp::FragCoord => {
                    interface.source_depth = true;
                    interface.source_w = true;
                }
                IntrinsicOp::SampleMaskIn => interface.input_coverage = true,
                IntrinsicOp::SamplePos => interface.sample_offsets = key.samples > 1,
                IntrinsicOp::Discard
                | IntrinsicOp::DiscardIf
                | IntrinsicOp::Demote
                | IntrinsicOp::DemoteIf => {
                    interface.uses_kill = true;
                }
                IntrinsicOp::StoreOutput => match intrinsic.fields.slot {
                    Slot::FragDepth => interface.writes_depth = true,
                    Slot::FragSampleMask => interface.writes_sample_mask = true,
                    Slot::FragColor { location, index } => {
                        interface.dual_source |= index == 1;
                        highest_target = highest_target.max(Some(u32::from(location)));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
    interface.barycentrics.sort();
    interface.render_targets = match highest_target {
        Some(_) if key.replicate_color => key.render_targets,
        Some(top) => (top + 1).min(key.render_targets),
        None => 0,
    };
    for varying in &shader.info.inputs {
        let Some(name) = input_varying(varying.slot) else { continue };
        let flat = varying.interpolation == Interpolation::Flat
            || matches!(varying.slot, Slot::PrimitiveId | Slot::Layer | Slot::Viewport);
        interface.inputs.push(FragmentInput { varying: name, flat });
    }
    interface
}

/// The varying that an input slot reads; none for system values.
pub(super) fn input_varying(slot: Slot) -> Option<Varying> {
    Some(match slot {
        Slot::ClipDistance(0) => Varying::ClipDistance0,
        Slot::ClipDistance(_) => Varying::ClipDistance1,
        Slot::Color(0) => Varying::Color0,
        Slot::Color(_) => Varying::Color1,
        Slot::BackColor(0) => Varying::BackColor0,
        Slot::BackColor(_) => Varying::BackColor1,
        Slot::TexCoord(n) => Varying::TexCoord(u32::from(n)),
        Slot::FogCoord => Varying::FogCoord,
        Slot::PointCoord => Varying::PointCoord,
        Slot::Var(n) => Varying::Generic(u32::from(n)),
        Slot::PrimitiveId => Varying::PrimitiveId,
        Slot::Layer => Varying::Layer,
        Slot::Viewport => Varying::ViewportIndex,
        _ => return None,
    })
}

/// The barycentrics that an interpolation uses. With one sample per pixel there is only the pixel's
/// center.
pub(super) fn barycentric_mode(
    intrinsic: &Intrinsic,
    interface: &FragmentInterface,
    key: &StageKey,
) -> Barycentric {
    let location = match (key.samples > 1, interface.per_sample) {
        (false, _) => Location::Pixel,
        (true, true) => Location::Sample,
        (true, false) => intrinsic.fields.location,
    };
    match (intrinsic.fields.linear, location) {
        (false, Location::Pixel) => Barycentric::PerspectivePixel,
        (false, Location::Centroid) => Barycentric::PerspectiveCentroid,
        (false, Location::Sample) => Barycentric::PerspectiveSample,
        (true, Location::Pixel) => Barycentric::LinearPixel,
        (true, Location::Centroid) => Barycentric::LinearCentroid,
        (true, Location::Sample) => Barycentric::LinearSample,
    }
}

/// The barycentrics at pixel centers of an interpolation's kind.
pub(super) fn pixel_barycentric(intrinsic: &Intrinsic) -> Barycentric {
    if intrinsic.fields.linear { Barycentric::LinearPixel } else { Barycentric::PerspectivePixel }
}
