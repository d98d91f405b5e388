//! Depth and stencil tests on the buffers in memory.

use amd_isa::Chip;
use fixed_function::{Comparison, DepthFormat, StencilOperation};
use gpu_service::{CommandError, Outcome};

use super::call::Draw;
use super::depth_metadata::{Htile, Pixel};
use crate::registers::RegisterField;
use crate::tiling::{ADDRESS_MASK, DepthTiles, Level, TileMode};

/// A change of a stencil: an operation, and the value that it takes.
#[derive(Clone, Copy, Debug)]
enum Change {
    Operation(StencilOperation),
    /// The operand replaces the stencil.
    Operand,
}

/// Stencil state of a facing.
#[derive(Clone, Copy, Debug)]
struct StencilFace {
    function: Comparison,
    fail: Change,
    depth_fail: Change,
    pass: Change,
    test_mask: u8,
    write_mask: u8,
    reference: u8,
    /// Steps of increments, and the value of the operation that replaces by it.
    operand: u8,
}

/// Depth and stencil tests of a draw.
pub(super) struct DepthStencil<'a> {
    draw: &'a Draw<'a>,
    depth: Option<(Level, DepthFormat)>,
    stencil: Option<Level>,
    /// Samples of the buffers.
    pub(super) samples: u32,
    htile: Option<Htile>,
    /// First and last layer.
    layers: [u32; 2],
    /// The sample whose depth or stencil a color target gets.
    copied_sample: Option<u32>,
    copies: [bool; 2],
    tests_depth: bool,
    /// Limits of stored depths.
    bounds: Option<[f32; 2]>,
    /// Values that samples get instead of their own.
    cleared_depth: Option<f32>,
    cleared_stencil: Option<u8>,
    writes_depth: bool,
    function: Comparison,
    tests_stencil: bool,
    writes_stencil: bool,
    /// Front, then back.
    faces: [StencilFace; 2],
}

/// A sample to test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) layer: u32,
    pub(super) sample: u32,
    pub(super) is_front: bool,
    pub(super) depth: f32,
    /// Stencil reference of the fragment shader.
    pub(super) stencil: Option<u8>,
}

impl Draw<'_> {
    /// Loads the state and the buffers; `None` if nothing is tested.
    pub(super) fn depth_stencil(&self) -> Outcome<Option<DepthStencil<'_>>> {
        let fields = &self.fields().depth;
        let get = |field: RegisterField| field.get(self.registers);
        let samples = 1 << get(fields.samples);
        let flag = |field: RegisterField| field.flag(self.registers);
        let (tests_depth, tests_stencil) = (flag(fields.tests_depth), flag(fields.tests_stencil));
        let expands = flag(fields.expands_depth) || flag(fields.expands_stencil);
        let tests_bounds = flag(fields.tests_bounds);
        let copies = flag(fields.copies_depth) || flag(fields.copies_stencil);
        if !tests_depth && !tests_stencil && !tests_bounds && !expands && !copies {
            return Ok(None);
        }
        let format = match get(fields.format) {
            0 => None,
            1 => Some(DepthFormat::Unorm16),
            2 => Some(DepthFormat::Unorm24),
            _ => Some(DepthFormat::Float32),
        };
        let level = |base: RegisterField, bytes: u64, modes: [RegisterField; 2]| {
            let chip = self.hardware.chip;
            let [index, split] = modes.map(get);
            let tiles = DepthTiles { word: fields.tiles.word(self.registers), split };
            Ok::<_, CommandError>(Level {
                base: u64::from(get(base)) << 8,
                mode: match chip {
                    Chip::Si => TileMode::of(chip, index, bytes, samples)?,
                    Chip::Vi => TileMode::of_depth(chip, tiles, bytes, samples)?,
                },
                pitch: 8 * (u64::from(get(fields.pitch)) + 1),
                slice: 64 * (u64::from(get(fields.slice)) + 1),
                bytes,
                samples,
            })
        };
        let depth = match format {
            Some(format) => {
                let modes = [fields.tile_mode, fields.split];
                Some((level(fields.depth_base, format.bytes(), modes)?, format))
            }
            None => None,
        };
        let stencil = match flag(fields.stencil_format) {
            true => {
                let modes = [fields.stencil_tile_mode, fields.stencil_split];
                Some(level(fields.stencil_base, 1, modes)?)
            }
            false => None,
        };
        let cleared_depth = fields.depth_clear.number(self.registers);
        let cleared = format.map_or(0, |format| format.stored(cleared_depth));
        let has_buffer = depth.is_some() || stencil.is_some();
        let front = self.stencil_face(false);
        let is_two_sided = flag(fields.is_two_sided);
        Ok(Some(DepthStencil {
            draw: self,
            depth,
            stencil,
            samples,
            htile: Htile::load(self, cleared).filter(|_| has_buffer),
            layers: [get(fields.first_layer), get(fields.last_layer)],
            copied_sample: copies.then(|| get(fields.copied_sample)),
            copies: [fields.copies_depth, fields.copies_stencil].map(flag),
            tests_depth,
            bounds: tests_bounds
                .then(|| [fields.least, fields.most].map(|field| field.number(self.registers))),
            cleared_depth: flag(fields.clears_depth).then_some(cleared_depth),
            cleared_stencil: flag(fields.clears_stencil).then(|| get(fields.stencil_clear) as u8),
            writes_depth: flag(fields.writes_depth) && !flag(fields.is_depth_read_only),
            function: comparison(get(fields.function)),
            tests_stencil,
            writes_stencil: !flag(fields.is_stencil_read_only),
            faces: [front, if is_two_sided { self.stencil_face(true) } else { front }],
        }))
    }

    /// Stencil state of the front or the back.
    fn stencil_face(&self, is_back: bool) -> StencilFace {
        let fields = &self.fields().depth;
        let get = |front: RegisterField, back: RegisterField| {
            if is_back { back.get(self.registers) } else { front.get(self.registers) }
        };
        StencilFace {
            function: comparison(get(fields.stencil_function, fields.back_function)),
            fail: change(get(fields.fail, fields.back_fail)),
            depth_fail: change(get(fields.depth_fail, fields.back_depth_fail)),
            pass: change(get(fields.pass, fields.back_pass)),
            test_mask: get(fields.test_mask, fields.back_test_mask) as u8,
            write_mask: get(fields.write_mask, fields.back_write_mask) as u8,
            reference: get(fields.reference, fields.back_reference) as u8,
            operand: get(fields.operand, fields.back_operand) as u8,
        }
    }
}

impl Change {
    /// New value of a stencil. Increments and decrements have the operand as their step.
    fn apply(self, stored: u8, reference: u8, operand: u8) -> u8 {
        match self {
            Change::Operand => operand,
            Change::Operation(StencilOperation::IncrementAndClamp) => {
                stored.saturating_add(operand)
            }
            Change::Operation(StencilOperation::DecrementAndClamp) => {
                stored.saturating_sub(operand)
            }
            Change::Operation(StencilOperation::IncrementAndWrap) => stored.wrapping_add(operand),
            Change::Operation(StencilOperation::DecrementAndWrap) => stored.wrapping_sub(operand),
            Change::Operation(operation) => operation.apply(stored, reference),
        }
    }
}

/// Stored depth and stencil of a sample, those that are copied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied {
    pub(super) depth: Option<u32>,
    pub(super) stencil: Option<u8>,
}

impl DepthStencil<'_> {
    /// Depth and stencil that a color target gets for a pixel; `None` without copies.
    pub(super) fn copied(&self, (x, y): (u32, u32), layer: u32) -> Outcome<Option<Copied>> {
        let Some(sample) = self.copied_sample else { return Ok(None) };
        let slice = self.slice(layer);
        self.expand(Pixel { x, y, slice })?;
        let memory = self.draw.memory;
        let [copies_depth, copies_stencil] = self.copies;
        let mut copied = Copied { depth: None, stencil: None };
        if let Some((level, format)) = self.depth.as_ref().filter(|_| copies_depth) {
            let mut bytes = [0; 4];
            let address = level.address(x, y, slice, sample) & ADDRESS_MASK;
            memory.read(address, &mut bytes[..format.bytes() as usize])?;
            copied.depth = Some(u32::from_le_bytes(bytes));
        }
        if let Some(level) = self.stencil.as_ref().filter(|_| copies_stencil) {
            let mut byte = [0];
            memory.read(level.address(x, y, slice, sample) & ADDRESS_MASK, &mut byte)?;
            copied.stencil = Some(byte[0]);
        }
        Ok(Some(copied))
    }

    /// The slice of a layer; layers beyond the last one are the last one.
    fn slice(&self, layer: u32) -> u32 {
        let [first, last] = self.layers;
        (layer + first).min(last)
    }

    /// Expands the tile of a pixel in the buffers.
    fn expand(&self, pixel: Pixel) -> Outcome<()> {
        let Some(htile) = &self.htile else { return Ok(()) };
        let depth = self.depth.as_ref().map(|(level, _)| level);
        htile.expand(self.draw, depth, self.stencil.as_ref(), pixel)
    }

    /// Tests a sample and updates the buffers; true if it passes.
    pub(super) fn test(&self, sample: &Tested) -> Outcome<bool> {
        let memory = self.draw.memory;
        self.expand(Pixel { x: sample.x, y: sample.y, slice: self.slice(sample.layer) })?;
        let stencil = self.stencil.as_ref().filter(|_| self.tests_stencil);
        let stencil_at = stencil.map(|level| self.address(level, sample));
        let face = &self.faces[usize::from(!sample.is_front)];
        let reference = sample.stencil.unwrap_or(face.reference);
        let mut stored = [0];
        if let Some(address) = stencil_at {
            memory.read(address, &mut stored)?;
        }
        let [stored] = stored;
        let is_inside = stencil_at.is_none()
            || face.function.passes(reference & face.test_mask, stored & face.test_mask);
        let is_near = is_inside && self.test_depth(sample)?;
        if let (Some(address), true) = (stencil_at, self.writes_stencil) {
            let change = match (is_inside, is_near) {
                (false, _) => face.fail,
                (true, false) => face.depth_fail,
                (true, true) => face.pass,
            };
            let new = change.apply(stored, reference, face.operand);
            let new = self.cleared_stencil.unwrap_or(new);
            memory.write(address, &[new & face.write_mask | stored & !face.write_mask])?;
        }
        Ok(is_near)
    }

    /// Tests and writes the depth.
    fn test_depth(&self, sample: &Tested) -> Outcome<bool> {
        let Some((level, format)) = &self.depth else { return Ok(true) };
        if !self.tests_depth && self.bounds.is_none() {
            return Ok(true);
        }
        let address = self.address(level, sample);
        let memory = self.draw.memory;
        let mut bytes = [0; 4];
        let count = format.bytes() as usize;
        memory.read(address, &mut bytes[..count])?;
        let old = u32::from_le_bytes(bytes);
        if self.bounds.is_some_and(|[least, most]| !(least..=most).contains(&format.number(old))) {
            return Ok(false);
        }
        if !self.tests_depth {
            return Ok(true);
        }
        let depth = self.cleared_depth.unwrap_or(sample.depth);
        let (passes, new) = format.test(self.function, depth, old);
        if passes && self.writes_depth {
            memory.write(address, &new.to_le_bytes()[..count])?;
        }
        Ok(passes)
    }

    fn address(&self, level: &Level, sample: &Tested) -> u64 {
        level.address(sample.x, sample.y, self.slice(sample.layer), sample.sample) & ADDRESS_MASK
    }
}

/// Comparison of a number.
fn comparison(number: u32) -> Comparison {
    match number & 7 {
        0 => Comparison::Never,
        1 => Comparison::Less,
        2 => Comparison::Equal,
        3 => Comparison::LessOrEqual,
        4 => Comparison::Greater,
        5 => Comparison::NotEqual,
        6 => Comparison::GreaterOrEqual,
        _ => Comparison::Always,
    }
}

/// Change of a stencil of a number.
fn change(number: u32) -> Change {
    Change::Operation(match number {
        0 => StencilOperation::Keep,
        1 => StencilOperation::Zero,
        3 => StencilOperation::Replace,
        5 => StencilOperation::IncrementAndClamp,
        6 => StencilOperation::DecrementAndClamp,
        7 => StencilOperation::Invert,
        8 => StencilOperation::IncrementAndWrap,
        9 => StencilOperation::DecrementAndWrap,
        _ => return Change::Operand,
    })
}
