//! Fast clears and resolves of color and depth. Nothing is compressed here: a fast clear stores its
//! value in the surface at once, and a resolve finds nothing to do.

use fixed_function::DepthFormat;
use gpu_service::Outcome;
use surfaces::Surface;

use super::shade::Fragments;
use crate::draw::command::Draw;
use crate::draw::state::clears::Special;

/// Pixels of a rectangle: columns and rows, each from the first to the one after the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub(crate) x: (u32, u32),
    pub(crate) y: (u32, u32),
}

impl Draw<'_> {
    /// Does what a rectangle does instead of being shaded.
    pub(crate) fn do_special(
        &self,
        special: Special,
        fragments: &Fragments<'_>,
        layer: u32,
        area: Area,
    ) -> Outcome<()> {
        match special {
            Special::ClearColor => fragments.clear_target(layer),
            Special::ClearDepth => {
                self.clear_depth(fragments.samples.count(), layer, area, true, None)
            }
            Special::Resolve => Ok(()),
        }
    }

    /// Executes an operation on depth and stencil buffers, which later generations have as a
    /// command.
    pub(crate) fn depth_operation(&self, words: &[u32]) -> Outcome<()> {
        let op = self.fields.hz_op;
        let clears_depth = op.clears_depth.flag(words);
        let value = u8::try_from(op.stencil.get(words) & 0xff).unwrap_or(0);
        let stencil = op.clears_stencil.flag(words).then_some(value);
        if !clears_depth && stencil.is_none() {
            return Ok(());
        }
        let area = Area {
            x: (op.x_min.get_u32(words), op.x_max.get_u32(words)),
            y: (op.y_min.get_u32(words), op.y_max.get_u32(words)),
        };
        self.clear_depth(1 << op.samples.get(words).min(4), 0, area, clears_depth, stencil)
    }

    /// Stores the clear depth, if wanted, and a stencil value in an area of the buffers.
    fn clear_depth(
        &self,
        samples: u32,
        layer: u32,
        area: Area,
        clears_depth: bool,
        stencil: Option<u8>,
    ) -> Outcome<()> {
        if clears_depth && let Some((surface, format)) = self.depth_surface(samples)? {
            let value = self.clear_value(format);
            let keep = if format == DepthFormat::Unorm24 { 0xff00_0000 } else { 0 };
            let count = usize::try_from(format.bytes()).unwrap_or(4);
            each_texel(&surface, samples, layer, area, format.bytes(), |address| {
                let mut bytes = [0; 4];
                self.memory.read(address, &mut bytes[..count])?;
                let new = value | u32::from_le_bytes(bytes) & keep;
                Ok(self.memory.write(address, &new.to_le_bytes()[..count])?)
            })?;
        }
        if let (Some(value), Some(surface)) = (stencil, self.stencil_surface(samples)?) {
            each_texel(&surface, samples, layer, area, 1, |address| {
                Ok(self.memory.write(address, &[value])?)
            })?;
        }
        Ok(())
    }

    /// The clear depth as it is stored.
    fn clear_value(&self, format: DepthFormat) -> u32 {
        let words = self.context.packet("3DSTATE_CLEAR_PARAMS");
        let field = self.fields.clear_params.depth;
        // Before gen8 the state has the stored value.
        match self.facts.version {
            7 => field.get_u32(words),
            _ => format.stored(field.number(words)),
        }
    }
}

/// Calls `store` with the address of each sample of an area of the surface's level.
fn each_texel(
    surface: &Surface,
    samples: u32,
    layer: u32,
    area: Area,
    bytes: u64,
    mut store: impl FnMut(u64) -> Outcome<()>,
) -> Outcome<()> {
    let (width, height) = surface.size(surface.level);
    let plane = surface.plane(layer + surface.first_layer, surface.level);
    for y in area.y.0..area.y.1.min(height) {
        for x in area.x.0..area.x.1.min(width) {
            let places = (0..samples).map(|sample| surfaces::interleave(x, y, sample, samples));
            // Sizes of these surfaces count samples.
            for (x, y) in places.filter(|(x, y)| *x < width && *y < height) {
                store(plane.address(x, y, bytes))?;
            }
        }
    }
    Ok(())
}
