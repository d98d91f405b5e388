//! Depth and stencil tests on the buffers in memory.

use fixed_function::{Comparison, DepthFormat, StencilOperation};
use gpu_service::{Outcome, not_modeled};

use super::call::Draw;
use crate::registers::RegisterField;
use crate::texels::{Level, TileMode};

/// Bits of an address.
const ADDRESS_MASK: u64 = (1 << 48) - 1;

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
    first_layer: u32,
    tests_depth: bool,
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
    pub(super) fn depth_stencil(&self, samples: u32) -> Outcome<Option<DepthStencil<'_>>> {
        let fields = &self.fields().depth;
        let get = |field: RegisterField| field.get(self.registers);
        let flag = |field: RegisterField| field.flag(self.registers);
        for (field, what) in [
            (fields.copies_depth, "copies of depth"),
            (fields.copies_stencil, "copies of stencil"),
            (fields.clears_depth, "clears of depth"),
            (fields.clears_stencil, "clears of stencil"),
            (fields.tests_bounds, "bounds of depth"),
        ] {
            if flag(field) {
                return not_modeled(what);
            }
        }
        let (tests_depth, tests_stencil) = (flag(fields.tests_depth), flag(fields.tests_stencil));
        if !tests_depth && !tests_stencil {
            return Ok(None);
        }
        let format = match get(fields.format) {
            0 => None,
            1 => Some(DepthFormat::Unorm16),
            2 => Some(DepthFormat::Unorm24),
            _ => Some(DepthFormat::Float32),
        };
        if flag(fields.has_metadata) && (format.is_some() || flag(fields.stencil_format)) {
            return not_modeled("depth buffers with metadata");
        }
        let level = |base: RegisterField, mode: RegisterField, bytes: u64| -> Outcome<Level> {
            Ok(Level {
                base: u64::from(get(base)) << 8,
                mode: TileMode::of(self.hardware.chip, get(mode))?,
                pitch: 8 * (u64::from(get(fields.pitch)) + 1),
                slice: 64 * (u64::from(get(fields.slice)) + 1),
                bytes,
                samples,
            })
        };
        let depth = match format {
            Some(format) => {
                let level = level(fields.depth_base, fields.tile_mode, format.bytes())?;
                Some((level, format))
            }
            None => None,
        };
        let stencil = match flag(fields.stencil_format) {
            true => Some(level(fields.stencil_base, fields.stencil_tile_mode, 1)?),
            false => None,
        };
        let front = self.stencil_face(false);
        let is_two_sided = flag(fields.is_two_sided);
        Ok(Some(DepthStencil {
            draw: self,
            depth: depth.filter(|_| tests_depth),
            stencil,
            first_layer: get(fields.first_layer),
            tests_depth,
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

impl DepthStencil<'_> {
    /// Tests a sample and updates the buffers; true if it passes.
    pub(super) fn test(&self, sample: &Tested) -> Outcome<bool> {
        let memory = self.draw.memory;
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
            memory.write(address, &[new & face.write_mask | stored & !face.write_mask])?;
        }
        Ok(is_near)
    }

    /// Tests and writes the depth.
    fn test_depth(&self, sample: &Tested) -> Outcome<bool> {
        let Some((level, format)) = &self.depth else { return Ok(true) };
        if !self.tests_depth {
            return Ok(true);
        }
        let address = self.address(level, sample);
        let memory = self.draw.memory;
        let mut bytes = [0; 4];
        let count = format.bytes() as usize;
        memory.read(address, &mut bytes[..count])?;
        let old = u32::from_le_bytes(bytes);
        let (passes, new) = format.test(self.function, sample.depth, old);
        if passes && self.writes_depth {
            memory.write(address, &new.to_le_bytes()[..count])?;
        }
        Ok(passes)
    }

    fn address(&self, level: &Level, sample: &Tested) -> u64 {
        let layer = sample.layer + self.first_layer;
        level.address(sample.x, sample.y, layer, sample.sample) & ADDRESS_MASK
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
