//! Consumption: which outputs of a stage the rest of the pipeline reads.

use program::shader::LayoutPrimitive;
use program::{LinkedStage, Program, Slot, Stage};

/// The part of the pipeline after a stage.
pub(crate) struct Consumer<'a> {
    next: Option<&'a LinkedStage>,
    /// The stage feeds the rasterizer.
    rasterized: bool,
    /// Transform feedback may capture any output.
    captured: bool,
}

impl Consumer<'_> {
    /// Returns the consumer of a stage.
    pub(crate) fn of<'a>(program: &'a Program, stage: &LinkedStage) -> Consumer<'a> {
        let next = program.stages.iter().find(|s| s.shader.stage > stage.shader.stage);
        let rasterized = next.is_none_or(|next| next.shader.stage == Stage::Fragment);
        Consumer { next, rasterized, captured: rasterized && !program.feedback.is_empty() }
    }

    /// Returns the components of a slot that are read (bit n: component n).
    pub(crate) fn reads(&self, slot: Slot) -> u8 {
        if self.captured || slot == Slot::Position && self.rasterized {
            return 0xf;
        }
        let Some(next) = self.next else { return 0 };
        let input = next.inputs.iter().find(|v| v.slot == slot);
        input.map_or(0, |v| v.mask) | levels_of(next, slot)
    }

    /// Returns true if the next stage reads an output that a stage never writes, or the tessellator
    /// a level. Outputs that the pipeline supplies (layer, point coordinates, texture coordinates
    /// of point sprites) do not count.
    pub(crate) fn misses(&self, stage: &LinkedStage) -> bool {
        let supplied = |slot: Slot| match slot {
            Slot::TessLevelOuter | Slot::TessLevelInner | Slot::Patch(_) => {
                stage.shader.stage != Stage::TessControl
            }
            Slot::Position => self.rasterized,
            Slot::PointSize | Slot::ClipDistance(_) | Slot::Var(_) => false,
            _ => true,
        };
        let written = |slot: Slot| stage.outputs.iter().any(|v| v.slot == slot);
        let inputs = self.next.map_or(&[][..], |next| &next.inputs);
        let levels = [Slot::TessLevelOuter, Slot::TessLevelInner];
        let slots = inputs.iter().map(|v| v.slot).chain(levels);
        slots.filter(|&slot| !supplied(slot)).any(|slot| self.reads(slot) != 0 && !written(slot))
    }
}

/// Returns the components of the tessellation levels that the tessellator reads before an
/// evaluation stage (OpenGL 4.6, section 11.2.2).
fn levels_of(next: &LinkedStage, slot: Slot) -> u8 {
    let domain = next.shader.layout.input_primitive;
    if next.shader.stage != Stage::TessEval {
        return 0;
    }
    match (slot, domain) {
        (Slot::TessLevelOuter, Some(LayoutPrimitive::Isolines)) => 0b11,
        (Slot::TessLevelOuter, Some(LayoutPrimitive::Triangles)) => 0b111,
        (Slot::TessLevelOuter, _) => 0b1111,
        (Slot::TessLevelInner, Some(LayoutPrimitive::Isolines)) => 0,
        (Slot::TessLevelInner, Some(LayoutPrimitive::Triangles)) => 0b1,
        (Slot::TessLevelInner, _) => 0b11,
        _ => 0,
    }
}
