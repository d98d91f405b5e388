//! Output of fragment threads: alpha, depth and stencil tests, blending, stores to render targets.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use eu_simulator::host::{RenderRead, RenderWrite, Texels};
use fixed_function::{
    Colors, Comparison, Equation, Factor, Function, QuadSlot, Samples, clamp_and_blend, join_stored,
};
use gpu_service::{Outcome, not_modeled};
use rustc_hash::FxHashMap;
use surfaces::{Plane, SurfaceFormat, SurfaceKind};

use super::depth::{DepthStencil, Tested};
use super::quad::Primitive;
use crate::draw::command::Draw;
use crate::draw::thread::bindings::{Bound, Resources};

/// A render target with its blend state.
pub(crate) struct RenderTarget {
    pub(crate) bound: Rc<Bound>,
    pub(crate) format: &'static SurfaceFormat,
    /// Bits of a texel that are written; `None` if all are.
    mask: Option<Vec<u8>>,
    /// Equations of color and alpha.
    equations: Option<[Equation; 2]>,
    logic: Option<u64>,
    /// Limits of source colors before blending.
    clamp: Option<[f32; 2]>,
    /// The layer that was written last.
    plane: Cell<Option<(u32, Plane)>>,
    /// The color that was stored last.
    color: Cell<[u32; 4]>,
    /// Its texel.
    texel: Cell<[u8; 16]>,
}

impl RenderTarget {
    /// True if colors replace what is stored, one for each pixel.
    pub(crate) fn is_plain(&self) -> bool {
        let reads = self.mask.is_some() || self.equations.is_some() || self.logic.is_some();
        !reads && self.bound.surface.samples == 1
    }

    /// Address of a texel of the level.
    fn address(&self, x: u32, y: u32, layer: u32) -> u64 {
        let surface = &self.bound.surface;
        let plane = match self.plane.get() {
            Some((known, plane)) if known == layer => plane,
            _ => surface.plane(layer, surface.level),
        };
        self.plane.set(Some((layer, plane)));
        plane.address(x, y, self.format.bytes)
    }

    /// Stored form of a color.
    pub(crate) fn encode(&self, color: [u32; 4]) -> [u8; 16] {
        if self.color.get() == color {
            return self.texel.get();
        }
        let texel = encode(self.format, color);
        self.color.set(color);
        self.texel.set(texel);
        texel
    }
}

/// Stored form of a color.
fn encode(format: &SurfaceFormat, color: [u32; 4]) -> [u8; 16] {
    let bytes = format.encode(color);
    std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
}

/// First and second color of a pixel in a write. A smooth shape scales alpha by its coverage.
fn written_colors(
    primitive: &Primitive<'_>,
    target: &RenderTarget,
    write: &RenderWrite,
    i: usize,
    (x, y): (u32, u32),
) -> ([u32; 4], [u32; 4]) {
    let mut color = write.color.map(|plane| plane[i]);
    if let Some(shape) = primitive.smooth.filter(|_| !target.format.is_integer) {
        let share = shape.coverage(x.cast_signed(), y.cast_signed());
        color[3] = (f32::from_bits(color[3]) * share).to_bits();
    }
    (color, write.color1.map_or([0; 4], |planes| planes.map(|plane| plane[i])))
}

/// State of the output of a draw.
pub(crate) struct Output<'a> {
    draw: &'a Draw<'a>,
    depth: Option<DepthStencil<'a>>,
    /// Function and reference of the alpha test, and whether it compares bytes.
    alpha: Option<(Comparison, f32, bool)>,
    /// Number of samples of which alpha covers a part.
    to_coverage: Option<u32>,
    /// Alpha is 1 after it has selected samples.
    to_one: bool,
    constant: [f32; 4],
    /// Targets by entry of the binding table; `None` for null surfaces.
    targets: RefCell<FxHashMap<u8, Option<Rc<RenderTarget>>>>,
}

/// The fragments of a thread.
pub(crate) struct Work<'a> {
    pub(crate) primitive: &'a Primitive<'a>,
    pub(crate) samples: &'a Samples,
    pub(crate) slots: &'a [QuadSlot],
    /// Depths and stencils are tested already.
    pub(crate) is_tested: bool,
}

impl<'a> Output<'a> {
    /// Loads the state of a draw.
    pub(crate) fn load(draw: &'a Draw<'a>, samples: u32) -> Outcome<Output<'a>> {
        let calc = draw.color_calc()?;
        let fields = draw.fields.color_calc;
        let constant = [fields.red, fields.green, fields.blue, fields.alpha]
            .map(|field| f32::from_bits(field.get_u32(&calc)));
        let (header, entry) = draw.blend_words(0)?;
        let (new, old) = (draw.fields.blend_header, draw.fields.blend);
        let tests = new.tests_alpha.flag(&header) || old.tests_alpha.flag(&entry);
        let function = if new.tests_alpha.exists() {
            new.alpha_function.get(&header)
        } else {
            old.alpha_function.get(&entry)
        };
        let is_float = fields.alpha_is_float.flag(&calc);
        let bits = fields.alpha_float.get_u32(&calc);
        let reference = if is_float { f32::from_bits(bits) } else { (bits & 0xff) as f32 };
        let alpha = tests.then_some((Comparison::of(function), reference, !is_float));
        let to_coverage = new.alpha_to_coverage.flag(&header) || old.alpha_to_coverage.flag(&entry);
        let to_one = new.alpha_to_one.flag(&header) || old.alpha_to_one.flag(&entry);
        let depth = draw.depth_stencil(samples)?;
        let to_coverage = (to_coverage && samples > 1).then_some(samples);
        let to_one = to_one && samples > 1;
        let targets = RefCell::default();
        Ok(Output { draw, depth, alpha, to_coverage, to_one, constant, targets })
    }

    /// Tests samples before their pixels are shaded. Returns those that pass.
    pub(crate) fn test_early(
        &self,
        primitive: &Primitive<'_>,
        samples: &Samples,
        place: (u32, u32),
        covered: u16,
    ) -> Outcome<u16> {
        self.test(primitive, samples, place, covered, (None, None))
    }

    /// Tests the depths and stencils of the samples of a pixel.
    fn test(
        &self,
        primitive: &Primitive<'_>,
        samples: &Samples,
        (x, y): (u32, u32),
        covered: u16,
        (depth, stencil): (Option<f32>, Option<u8>),
    ) -> Outcome<u16> {
        let Some(tests) = &self.depth else { return Ok(covered) };
        let mut passed = 0_u16;
        for (sample, position) in (0..).zip(&samples.positions) {
            if covered >> sample & 1 == 0 {
                continue;
            }
            let depth = depth.unwrap_or_else(|| {
                let (x, y) = (f64::from(x) + position[0], f64::from(y) + position[1]);
                primitive.interpolation.map_or(primitive.flat_depth(), |plane| plane.depth(x, y))
            });
            let [low, high] = primitive.depths;
            let depth = depth.max(low.min(high)).min(high.max(low));
            let layer = primitive.layer;
            let is_front = primitive.is_front;
            let tested = Tested { x, y, layer, sample, is_front, depth, stencil };
            if tests.test(&tested)? {
                passed |= 1 << sample;
            }
        }
        Ok(passed)
    }

    /// Executes the writes of a thread in their order.
    pub(crate) fn merge(
        &self,
        resources: &Resources<'_>,
        work: &Work<'_>,
        writes: &[RenderWrite],
    ) -> Outcome<()> {
        // Samples of each pixel that passed all tests, once a write has tested them.
        let mut passed: Vec<Option<u16>> = vec![None; 4 * work.slots.len()];
        for write in writes {
            let mut target = None;
            for i in (0..usize::from(write.count)).filter(|i| write.mask >> i & 1 != 0) {
                let pixel = usize::from(write.first_slot) + i;
                let Some(slot) = work.slots.get(pixel / 4) else { continue };
                let covered = slot.covered(pixel % 4);
                if covered == 0 {
                    continue;
                }
                let place = slot.pixel(pixel % 4);
                let live = match passed[pixel] {
                    Some(live) => live,
                    None => *passed[pixel].insert(self.test_write(work, write, i, place, covered)?),
                };
                if live == 0 {
                    continue;
                }
                let target = match &target {
                    Some(target) => target,
                    None => target.insert(self.target(resources, write.target)?),
                };
                if let Some(target) = target {
                    let colors = written_colors(work.primitive, target, write, i, place);
                    self.store(target, colors, place, work.primitive.layer, live)?;
                }
            }
        }
        Ok(())
    }

    /// Tests the covered samples of a pixel after its shading. Returns those that pass, and counts
    /// them.
    fn test_write(
        &self,
        work: &Work<'_>,
        write: &RenderWrite,
        i: usize,
        place: (u32, u32),
        covered: u16,
    ) -> Outcome<u16> {
        let mut live = 0;
        if self.passes_alpha(write, i) {
            let omask = write.omask.map_or(u16::MAX, |omask| omask[i]);
            live = covered & omask & self.alpha_coverage(write, i);
        }
        if !work.is_tested {
            let depth = write.depth.map(|depth| f32::from_bits(depth[i]));
            let own = (depth, write.stencil.map(|stencil| stencil[i]));
            live = self.test(work.primitive, work.samples, place, live, own)?;
        }
        // Hardware counts here also what it has tested early: pixels that the shader discards do
        // not count (piglit's `early-z` fails on it).
        self.count_passed(live.count_ones());
        Ok(live)
    }

    /// Reads the colors of pixels of a thread. Pixels outside of the target are 0.
    pub(crate) fn read(
        &self,
        resources: &Resources<'_>,
        layer: u32,
        slots: &[QuadSlot],
        read: &RenderRead,
    ) -> Outcome<Texels> {
        let mut texels: Texels = [[0; 16]; 4];
        let Some(target) = self.target(resources, read.target)? else { return Ok(texels) };
        let surface = &target.bound.surface;
        let (width, height) = surface.size(surface.level);
        for i in (0..usize::from(read.count)).filter(|i| read.mask >> i & 1 != 0) {
            let pixel = usize::from(read.first_slot) + i;
            let Some(slot) = slots.get(pixel / 4) else { continue };
            let (x, y) = slot.pixel(pixel % 4);
            if x >= width || y >= height || layer >= surface.layers {
                continue;
            }
            let (first, bytes) = (surface.first_layer, target.format.bytes);
            let address = match (surface.samples, slot.sample) {
                (1, _) => target.address(x, y, layer + first),
                (_, Some(sample)) if read.per_sample => {
                    surface.sample_address((x, y), layer + first, sample, bytes)
                }
                _ => return not_modeled("reads of multisampled targets by whole pixels"),
            };
            let texel = resources.decode(target.format, address)?;
            texels.iter_mut().zip(texel).for_each(|(plane, value)| plane[i] = value);
        }
        Ok(texels)
    }

    /// Samples that the alpha of a pixel covers: as many as its share, the first ones.
    fn alpha_coverage(&self, write: &RenderWrite, i: usize) -> u16 {
        let Some(samples) = self.to_coverage else { return u16::MAX };
        let color = write.source0_alpha.unwrap_or(write.color[3]);
        let alpha = f32::from_bits(color[i]).clamp(0.0, 1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 16")]
        let count = (alpha * samples as f32).round() as u32;
        u16::try_from((1_u32 << count) - 1).unwrap_or(u16::MAX)
    }

    /// True if the alpha of a pixel passes the alpha test.
    fn passes_alpha(&self, write: &RenderWrite, i: usize) -> bool {
        let Some((function, reference, in_bytes)) = self.alpha else { return true };
        let color = write.source0_alpha.unwrap_or(write.color[3]);
        let alpha = f32::from_bits(color[i]);
        let alpha = if in_bytes { (alpha.clamp(0.0, 1.0) * 255.0 + 0.5).floor() } else { alpha };
        function.passes(alpha, reference)
    }

    /// Blends and stores the color of a pixel.
    fn store(
        &self,
        target: &RenderTarget,
        (color, second): ([u32; 4], [u32; 4]),
        (x, y): (u32, u32),
        layer: u32,
        live: u16,
    ) -> Outcome<()> {
        let surface = &target.bound.surface;
        let (width, height) = surface.size(surface.level);
        if x >= width || y >= height || layer >= surface.layers {
            return Ok(());
        }
        let layer = layer + surface.first_layer;
        let mut color = color;
        if self.to_one && !target.format.is_integer {
            color[3] = 1.0_f32.to_bits();
        }
        for sample in (0..surface.samples).filter(|sample| live >> sample & 1 != 0) {
            let address = match surface.samples {
                1 => target.address(x, y, layer),
                _ => surface.sample_address((x, y), layer, sample, target.format.bytes),
            };
            self.store_sample(target, address, color, second)?;
        }
        Ok(())
    }

    fn store_sample(
        &self,
        target: &RenderTarget,
        address: u64,
        color: [u32; 4],
        second: [u32; 4],
    ) -> Outcome<()> {
        let memory = self.draw.memory;
        let format = target.format;
        let reads = target.mask.is_some() || target.equations.is_some() || target.logic.is_some();
        let mut old = [0; 16];
        let count = usize::try_from(format.bytes).unwrap_or(16).min(16);
        if reads {
            memory.read(address, &mut old[..count])?;
        }
        let mut color = color;
        if let Some([low, high]) = target.clamp {
            color = color.map(|bits| f32::from_bits(bits).max(low).min(high).to_bits());
        }
        if let Some(equations) = target.equations {
            let colors = Colors {
                source: color.map(f32::from_bits),
                second: second.map(f32::from_bits),
                destination: format.decode(&old).map(f32::from_bits),
                constant: self.constant,
            };
            let Some(result) = clamp_and_blend(equations, target.clamp, colors) else {
                return not_modeled("a reserved number of blend state");
            };
            color = result;
        }
        let mut texel = target.encode(color);
        join_stored(&mut texel, old, target.logic, target.mask.as_deref());
        Ok(memory.write(address, &texel[..count])?)
    }

    /// True if pixels are tested one by one after their shading.
    pub(crate) fn tests_pixels(&self, is_tested: bool) -> bool {
        let tests_depth = self.depth.is_some() && !is_tested;
        tests_depth || self.alpha.is_some() || self.to_coverage.is_some()
    }

    /// Counts samples that passed all tests.
    pub(crate) fn count_passed(&self, count: u32) {
        self.draw.counts.add_passed(count);
    }

    /// A color of a shader as it is stored in a plain target.
    pub(crate) fn stored_color(&self, target: &RenderTarget, mut color: [u32; 4]) -> [u32; 4] {
        if self.to_one && !target.format.is_integer {
            color[3] = 1.0_f32.to_bits();
        }
        match target.clamp {
            Some([low, high]) => {
                color.map(|bits| f32::from_bits(bits).max(low).min(high).to_bits())
            }
            None => color,
        }
    }

    /// Writes memory.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Outcome<()> {
        Ok(self.draw.memory.write(address, bytes)?)
    }

    /// Returns the target of an entry of the binding table; `None` for null surfaces.
    pub(crate) fn target(
        &self,
        resources: &Resources<'_>,
        entry: u8,
    ) -> Outcome<Option<Rc<RenderTarget>>> {
        if let Some(known) = self.targets.borrow().get(&entry) {
            return Ok(known.clone());
        }
        let target = self.load_target(resources, entry)?.map(Rc::new);
        self.targets.borrow_mut().insert(entry, target.clone());
        Ok(target)
    }

    /// Loads the target of an entry of the binding table.
    fn load_target(&self, resources: &Resources<'_>, entry: u8) -> Outcome<Option<RenderTarget>> {
        let bound = resources.surface(entry)?;
        match bound.surface.kind {
            SurfaceKind::Null => return Ok(None),
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => {
                return not_modeled("buffers as render targets");
            }
            _ => {}
        }
        let format = bound.texel_format()?;
        let (header, words) = self.draw.blend_words(u64::from(entry))?;
        let (fields, shared) = (self.draw.fields.blend, self.draw.fields.blend_header);
        let disabled = [fields.no_red, fields.no_green, fields.no_blue, fields.no_alpha];
        let written = disabled.map(|field| !field.flag(&words));
        let mask = (written != [true; 4]).then(|| format.component_mask(written));
        let get = |field: packets::Field| field.get(&words);
        let color = Equation {
            source: Factor::of(get(fields.source)),
            destination: Factor::of(get(fields.destination)),
            function: Function::of(get(fields.function)),
        };
        let alpha = Equation {
            source: Factor::of(get(fields.source_alpha)),
            destination: Factor::of(get(fields.destination_alpha)),
            function: Function::of(get(fields.alpha_blend_function)),
        };
        let has_own = fields.has_own_alpha.flag(&words) || shared.has_own_alpha.flag(&header);
        let blends = fields.blends.flag(&words) && !format.is_integer;
        let equations = blends.then_some([color, if has_own { alpha } else { color }]);
        // Drivers leave them on for targets on which they have no effect (GL 4.6, section 17.3.9).
        let has_logic = fields.has_logic.flag(&words) && !format.is_srgb && !format.is_float();
        let clamp = match (fields.clamps_source.flag(&words), get(fields.clamp_range)) {
            _ if format.is_integer => None,
            (false, _) => None,
            (true, 0) => Some([0.0, 1.0]),
            (true, 1) => Some([-1.0, 1.0]),
            (true, _) => format.normalized(),
        };
        let logic = has_logic.then(|| get(fields.logic));
        let (plane, color) = (Cell::default(), Cell::default());
        let texel = Cell::new(encode(format, color.get()));
        Ok(Some(RenderTarget { bound, format, mask, equations, logic, clamp, plane, color, texel }))
    }
}

impl Draw<'_> {
    /// Words of the blend state: the header, which later generations have, and an entry.
    fn blend_words(&self, entry: u64) -> Outcome<(Vec<u32>, Vec<u32>)> {
        let pointer = self.context.packet("3DSTATE_BLEND_STATE_POINTERS");
        let length = self.table.structure("BLEND_STATE").map_or(0, |layout| layout.words);
        let address = self.context.dynamic_base + self.fields.blend_pointer.offset.get(pointer);
        if pointer.is_empty() {
            return Ok((vec![0; length as usize], vec![0; 2]));
        }
        let header = self.memory.read_words(address, length as usize)?;
        let entry = address + u64::from(4 * length) + 8 * entry;
        Ok((header, self.memory.read_words(entry, 2)?))
    }
}
