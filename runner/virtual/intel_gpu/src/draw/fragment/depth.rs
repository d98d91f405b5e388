//! Depth and stencil tests on the buffers in memory.

use std::cell::Cell;

use fixed_function::{Comparison, DepthFormat, StencilOperation};
use gpu_service::{Outcome, not_modeled};
use surfaces::{DepthLayout, Plane, Surface};

use crate::draw::command::Draw;

/// Stencil state of a facing.
#[derive(Clone, Copy, Debug)]
struct StencilFace {
    function: Comparison,
    fail: StencilOperation,
    depth_fail: StencilOperation,
    pass: StencilOperation,
    test_mask: u8,
    write_mask: u8,
    reference: u8,
}

/// Depth and stencil tests of a draw.
pub(crate) struct DepthStencil<'a> {
    draw: &'a Draw<'a>,
    depth: Option<(Surface, DepthFormat)>,
    stencil: Option<Surface>,
    tests_depth: bool,
    writes_depth: bool,
    depth_function: Comparison,
    tests_stencil: bool,
    writes_stencil: bool,
    /// Front, then back.
    faces: [StencilFace; 2],
    offset: (i64, i64),
    samples: u32,
    /// The layer that was accessed last, and its place in the buffers of depth and stencil.
    planes: [Cell<Option<(u32, Plane)>>; 2],
}

/// A sample to test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) layer: u32,
    pub(crate) sample: u32,
    pub(crate) is_front: bool,
    pub(crate) depth: f32,
    /// Stencil reference of the fragment shader.
    pub(crate) stencil: Option<u8>,
}

impl Draw<'_> {
    /// Words of the depth and stencil state: a packet, or a structure in memory.
    fn depth_words(&self) -> Outcome<Vec<u32>> {
        if !self.fields.depth_pointer.offset.exists() {
            return Ok(self.context.packet("3DSTATE_WM_DEPTH_STENCIL").to_vec());
        }
        let pointer = self.context.packet("3DSTATE_DEPTH_STENCIL_STATE_POINTERS");
        if pointer.is_empty() {
            return Ok(vec![0; 3]);
        }
        let address = self.context.dynamic_base + self.fields.depth_pointer.offset.get(pointer);
        Ok(self.memory.read_words(address, 3)?)
    }

    /// Loads the state and the buffers; `None` if nothing is tested.
    pub(crate) fn depth_stencil(&self, samples: u32) -> Outcome<Option<DepthStencil<'_>>> {
        let words = self.depth_words()?;
        let fields = self.fields.depth;
        let tests_depth = fields.tests_depth.flag(&words);
        let tests_stencil = fields.tests_stencil.flag(&words);
        // Depths are written without a test, too: drivers clear so.
        let writes_depth = fields.writes_depth.flag(&words);
        if !tests_depth && !writes_depth && !tests_stencil {
            return Ok(None);
        }
        let (front_reference, back_reference) = self.stencil_references(&words)?;
        let front = StencilFace {
            function: Comparison::of(fields.function.get(&words)),
            fail: StencilOperation::of(fields.fail.get(&words)),
            depth_fail: StencilOperation::of(fields.depth_fail.get(&words)),
            pass: StencilOperation::of(fields.pass.get(&words)),
            test_mask: byte(fields.test_mask, &words),
            write_mask: byte(fields.write_mask, &words),
            reference: front_reference,
        };
        let back = StencilFace {
            function: Comparison::of(fields.back_function.get(&words)),
            fail: StencilOperation::of(fields.back_fail.get(&words)),
            depth_fail: StencilOperation::of(fields.back_depth_fail.get(&words)),
            pass: StencilOperation::of(fields.back_pass.get(&words)),
            test_mask: byte(fields.back_test_mask, &words),
            write_mask: byte(fields.back_write_mask, &words),
            reference: back_reference,
        };
        let is_two_sided = fields.is_two_sided.flag(&words);
        let buffer = self.fields.depth_buffer;
        let packet = self.context.packet("3DSTATE_DEPTH_BUFFER");
        let offset = (buffer.x_offset.signed(packet), buffer.y_offset.signed(packet));
        Ok(Some(DepthStencil {
            draw: self,
            depth: self.depth_surface(samples)?,
            stencil: self.stencil_surface(samples)?,
            tests_depth,
            writes_depth: writes_depth && buffer.writes_depth.flag(packet),
            depth_function: Comparison::of(fields.depth_function.get(&words)),
            tests_stencil,
            writes_stencil: fields.writes_stencil.flag(&words)
                && buffer.writes_stencil.flag(packet),
            faces: [front, if is_two_sided { back } else { front }],
            offset,
            samples,
            planes: Default::default(),
        }))
    }

    /// Reference values of the front and the back.
    fn stencil_references(&self, words: &[u32]) -> Outcome<(u8, u8)> {
        let fields = self.fields.depth;
        if fields.reference.exists() {
            return Ok((byte(fields.reference, words), byte(fields.back_reference, words)));
        }
        let words = self.color_calc()?;
        let fields = self.fields.color_calc;
        Ok((byte(fields.stencil, &words), byte(fields.back_stencil, &words)))
    }

    /// Words of the color calculator's state.
    pub(crate) fn color_calc(&self) -> Outcome<Vec<u32>> {
        let pointer = self.context.packet("3DSTATE_CC_STATE_POINTERS");
        if pointer.is_empty() {
            return Ok(vec![0; 6]);
        }
        let address = self.context.dynamic_base + self.fields.cc_pointer.offset.get(pointer);
        Ok(self.memory.read_words(address, 6)?)
    }

    pub(crate) fn depth_surface(&self, samples: u32) -> Outcome<Option<(Surface, DepthFormat)>> {
        let fields = self.fields.depth_buffer;
        let words = self.context.packet("3DSTATE_DEPTH_BUFFER");
        if words.is_empty() || fields.kind.get(words) == 7 {
            return Ok(None);
        }
        let format = match fields.format.get(words) {
            1 => DepthFormat::Float32,
            3 => DepthFormat::Unorm24,
            5 => DepthFormat::Unorm16,
            format => return not_modeled(format!("depth buffers of format {format}")),
        };
        let layout = self.depth_layout(words, fields.pitch, fields.base, fields.qpitch, words);
        let wide = if format == DepthFormat::Unorm16 { 8 } else { 4 };
        let layout = DepthLayout { alignment: (wide, 4), samples, ..layout };
        Ok(Some((Surface::of_depth(&layout), format)))
    }

    pub(crate) fn stencil_surface(&self, samples: u32) -> Outcome<Option<Surface>> {
        let fields = self.fields.stencil_buffer;
        let words = self.context.packet("3DSTATE_STENCIL_BUFFER");
        let is_absent = fields.is_enabled.exists() && !fields.is_enabled.flag(words);
        if words.is_empty() || is_absent || fields.base.get(words) == 0 {
            return Ok(None);
        }
        let depth = self.context.packet("3DSTATE_DEPTH_BUFFER");
        let layout = self.depth_layout(words, fields.pitch, fields.base, fields.qpitch, depth);
        let layout = DepthLayout { alignment: (8, 8), is_stencil: true, samples, ..layout };
        Ok(Some(Surface::of_depth(&layout)))
    }

    /// Layout of a buffer; sizes are those of the depth buffer.
    fn depth_layout(
        &self,
        words: &[u32],
        pitch: packets::Field,
        base: packets::Field,
        qpitch: packets::Field,
        depth: &[u32],
    ) -> DepthLayout {
        let fields = self.fields.depth_buffer;
        DepthLayout {
            base: base.get(words) & 0xffff_ffff_ffff,
            pitch: pitch.get(words) + 1,
            width: fields.width.get_u32(depth) + 1,
            height: fields.height.get_u32(depth) + 1,
            depth: fields.depth.get_u32(depth) + 1,
            is_volume: fields.kind.get(depth) == 2 && self.facts.version < 9,
            level: fields.level.get_u32(depth),
            first_layer: fields.min_array_element.get_u32(depth),
            layer_rows: qpitch.exists().then(|| 4 * qpitch.get(words)),
            alignment: (4, 4),
            samples: 1,
            is_stencil: false,
        }
    }
}

/// The low byte of a field.
fn byte(field: packets::Field, words: &[u32]) -> u8 {
    field.get_u32(words).to_le_bytes()[0]
}

impl DepthStencil<'_> {
    /// Tests a sample and updates the buffers; true if it passes.
    pub(crate) fn test(&self, sample: &Tested) -> Outcome<bool> {
        let stencil_at = match &self.stencil {
            Some(surface) if self.tests_stencil => Some(self.address(surface, sample, 1, 1)),
            _ => None,
        };
        let face = &self.faces[usize::from(!sample.is_front)];
        let reference = sample.stencil.unwrap_or(face.reference);
        let memory = self.draw.memory;
        let mut stored = [0];
        if let Some(address) = stencil_at {
            memory.read(address, &mut stored)?;
        }
        let [stored] = stored;
        let is_inside = stencil_at.is_none()
            || face.function.passes(reference & face.test_mask, stored & face.test_mask);
        let is_near = is_inside && self.test_depth(sample)?;
        if let (Some(address), true) = (stencil_at, self.writes_stencil) {
            let operation = match (is_inside, is_near) {
                (false, _) => face.fail,
                (true, false) => face.depth_fail,
                (true, true) => face.pass,
            };
            let new = operation.apply(stored, reference);
            memory.write(address, &[new & face.write_mask | stored & !face.write_mask])?;
        }
        Ok(is_near)
    }

    /// Tests and writes the depth.
    fn test_depth(&self, sample: &Tested) -> Outcome<bool> {
        let Some((surface, format)) = &self.depth else { return Ok(true) };
        if !self.tests_depth && !self.writes_depth {
            return Ok(true);
        }
        let function = if self.tests_depth { self.depth_function } else { Comparison::Always };
        let address = self.address(surface, sample, 0, format.bytes());
        let memory = self.draw.memory;
        let mut bytes = [0; 4];
        let count = usize::try_from(format.bytes()).unwrap_or(4);
        memory.read(address, &mut bytes[..count])?;
        let old = u32::from_le_bytes(bytes);
        let (passes, new) = format.test(function, sample.depth, old);
        if passes && self.writes_depth {
            memory.write(address, &new.to_le_bytes()[..count])?;
        }
        Ok(passes)
    }

    /// Address of a sample in buffer 0 or 1: depth or stencil.
    fn address(&self, surface: &Surface, sample: &Tested, buffer: usize, bytes: u64) -> u64 {
        #[allow(clippy::cast_possible_truncation, reason = "coordinates have 16 bits")]
        let moved = |at: u32, offset: i64| (i64::from(at) + offset).max(0) as u32;
        let (x, y) = (moved(sample.x, self.offset.0), moved(sample.y, self.offset.1));
        let layer = sample.layer + surface.first_layer;
        let (x, y) = surfaces::interleave(x, y, sample.sample, self.samples);
        let plane = match self.planes[buffer].get() {
            Some((known, plane)) if known == layer => plane,
            _ => surface.plane(layer, surface.level),
        };
        self.planes[buffer].set(Some((layer, plane)));
        plane.address(x, y, bytes)
    }
}
