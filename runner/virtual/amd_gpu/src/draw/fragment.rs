//! Fragments: waves of pixel shaders, tests, stores.

use fixed_function::{Quad, QuadSlot, SampleSpans, Samples, quads};
use gcn_simulator::{Export, LANES, Wave};
use gpu_service::{Outcome, not_modeled};

use super::call::Draw;
use super::color::Colors;
use super::coverage::{sharing, stored};
use super::depth::{Copied, DepthStencil, Tested};
use super::inputs::Inputs;
use super::shaded::Primitive;
use super::uniform::{Channel, needed_channels};
use crate::state::HardwareStage;
use crate::statistics::Count;
use crate::wave::{Shader, WaveHost, WaveMemory};

/// Target of exports of depth.
const DEPTH: u8 = 8;
/// Format of depth exports in pairs of 16 bits.
const PAIRS: u32 = 7;

/// The fragment stage of a draw.
pub(super) struct Fragments<'a> {
    pub(super) draw: &'a Draw<'a>,
    pub(super) shader: Shader,
    pub(super) system: Vec<u32>,
    inputs: Inputs,
    memory: WaveMemory<'a>,
    pub(super) samples: Samples,
    pub(super) colors: Colors<'a>,
    pub(super) depth: Option<DepthStencil<'a>>,
    pub(super) tests_early: bool,
    /// One lane for each sample.
    per_sample: bool,
    /// Channels that must be the same at all corners for all pixels to have the same results.
    needed: Option<Vec<Channel>>,
}

/// Outputs of a lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extra {
    depth: Option<f32>,
    stencil: Option<u8>,
    pub(super) mask: Option<u32>,
}

impl<'a> Fragments<'a> {
    /// Loads the state of a draw.
    pub(super) fn load(draw: &'a Draw<'a>) -> Outcome<Fragments<'a>> {
        let hardware = draw.hardware;
        let fields = &hardware.fields.fragment;
        let stage = hardware.fields.stages[HardwareStage::Ps as usize];
        let shader = Shader::load(hardware, draw.memory, draw.registers, HardwareStage::Ps)?;
        // The number of the wave's primitives in the local data share, which the host knows.
        let mut system = vec![0];
        system.extend(draw.scratch_offset(stage.scratch.flag(draw.registers)));
        let samples = draw.samples();
        let inputs = Inputs::load(draw);
        Ok(Fragments {
            draw,
            needed: needed_channels(&shader.kernel.program, inputs.registers()),
            memory: shader.memory(hardware, draw.memory),
            shader,
            system,
            inputs,
            per_sample: fields.iterations.flag(draw.registers) && samples.count() > 1,
            colors: Colors::load(draw)?,
            depth: draw.depth_stencil()?,
            samples,
            tests_early: fields.is_early.flag(draw.registers),
        })
    }

    /// Shades the pixels of one primitive.
    pub(super) fn shade(&self, primitive: &Primitive<'_>, spans: &SampleSpans) -> Outcome<()> {
        let is_uniform = self.is_uniform(primitive);
        if is_uniform && self.fill(primitive, spans)? {
            return Ok(());
        }
        self.shade_each(primitive, &quads(spans), is_uniform)
    }

    /// Shades quads of pixels of one primitive.
    pub(super) fn shade_quads(&self, primitive: &Primitive<'_>, quads: &[Quad]) -> Outcome<()> {
        self.shade_each(primitive, quads, self.is_uniform(primitive))
    }

    fn shade_each(
        &self,
        primitive: &Primitive<'_>,
        quads: &[Quad],
        is_uniform: bool,
    ) -> Outcome<()> {
        let slots: Vec<QuadSlot> = if self.per_sample {
            let samples = 0..self.samples.count();
            quads
                .iter()
                .flat_map(|quad| {
                    samples.clone().map(|sample| QuadSlot { quad: *quad, sample: Some(sample) })
                })
                .filter(|slot| (0..4).any(|pixel| slot.covered(pixel) != 0))
                .collect()
        } else {
            quads.iter().map(|quad| QuadSlot { quad: *quad, sample: None }).collect()
        };
        if slots.is_empty() {
            return Ok(());
        }
        if is_uniform {
            return self.flood(primitive, &slots);
        }
        for group in slots.chunks(LANES / 4) {
            self.draw.hardware.guard.check()?;
            self.wave(primitive, group)?;
        }
        Ok(())
    }

    /// True if all pixels of a primitive, shaded once each, have the same results.
    fn is_uniform(&self, primitive: &Primitive<'_>) -> bool {
        !self.per_sample
            && self.needed.as_ref().is_some_and(|channels| {
                let is_same = |channel: &Channel| self.inputs.is_same(primitive, *channel);
                channels.is_empty()
                    || primitive.interpolation.is_finite() && channels.iter().all(is_same)
            })
    }

    /// Runs a wave and returns its exports.
    pub(super) fn run(&self, primitive: &Primitive<'_>, wave: &mut Wave) -> Outcome<Vec<Export>> {
        let parameters = |attribute: u8, channel: u8, _: usize| {
            Some(self.inputs.parameter(primitive, attribute, channel))
        };
        let hardware = self.draw.hardware;
        let mut host = WaveHost::with_parameters(&self.memory, &parameters);
        self.shader.finish(hardware, wave, &mut host)?;
        Ok(host.exports)
    }

    /// Depth and stencil that a color target gets instead of exports.
    fn copied(&self, place: (u32, u32), layer: u32) -> Outcome<Option<Copied>> {
        self.depth.as_ref().map_or(Ok(None), |tests| tests.copied(place, layer))
    }

    /// Tests and stores the results of a pixel: exports of a lane of a wave.
    pub(super) fn output(
        &self,
        primitive: &Primitive<'_>,
        slots: &[QuadSlot],
        lane: usize,
        passed: u16,
        (exports, from): (&[Export], usize),
    ) -> Outcome<()> {
        let extra = self.extra(exports, from)?;
        let mut samples = passed & self.colors.alpha_coverage(exports, from)?;
        if let Some(mask) = extra.mask {
            samples &= stored(mask as u16, self.samples.count());
        }
        if !self.tests_early {
            samples = self.test(primitive, slots, lane, samples, extra)?;
        }
        let all = (1_u32 << self.samples.count()) - 1;
        let count = u64::from((u32::from(samples) & all).count_ones());
        self.draw.passed.set(self.draw.passed.get() + count);
        if samples != 0 {
            let place = slots[lane / 4].pixel(lane % 4);
            if let Some(copied) = self.copied(place, primitive.layer)? {
                return self.colors.store_copied(&copied, place, primitive.layer, samples);
            }
            self.colors.store(exports, from, place, primitive.layer, samples)?;
        }
        Ok(())
    }

    /// Samples of the buffers that a pixel of a quad covers.
    pub(super) fn covered(&self, slot: &QuadSlot, pixel: usize) -> u16 {
        stored(slot.covered(pixel), self.samples.count())
    }

    /// Shades the pixels of a wave.
    fn wave(&self, primitive: &Primitive<'_>, slots: &[QuadSlot]) -> Outcome<()> {
        let lanes = 4 * slots.len();
        let covered = |lane: usize| self.covered(&slots[lane / 4], lane % 4);
        let mut passed: Vec<u16> = (0..lanes).map(covered).collect();
        if self.tests_early {
            for (lane, passed) in passed.iter_mut().enumerate() {
                *passed = self.test(primitive, slots, lane, *passed, Extra::default())?;
            }
        }
        self.draw.count(Count::Fragments, passed.iter().filter(|samples| **samples != 0).count());
        let live = (0..lanes).fold(0, |all, lane| all | u64::from(passed[lane] != 0) << lane);
        if live == 0 {
            return Ok(());
        }
        let mut wave = self.shader.wave(live, &self.system);
        self.inputs.write(&mut wave, primitive, slots, &self.samples);
        let exports = self.run(primitive, &mut wave)?;
        let valid = valid(&exports, live);
        for lane in (0..lanes).filter(|lane| valid >> lane & 1 != 0) {
            self.output(primitive, slots, lane, passed[lane], (&exports, lane))?;
        }
        Ok(())
    }

    /// Depth, stencil and mask that a lane exports.
    pub(super) fn extra(&self, exports: &[Export], lane: usize) -> Outcome<Extra> {
        let is_depth = |export: &&Export| export.target == DEPTH && export.exec >> lane & 1 != 0;
        let Some(export) = exports.iter().find(is_depth) else { return Ok(Extra::default()) };
        let registers = self.draw.registers;
        let fields = &self.draw.hardware.fields.fragment;
        let channel = |i: usize| export.channels[i].map(|values| values[lane]);
        let format = fields.depth.get(registers);
        let (depth, stencil, mask) = match export.compressed {
            // The stencil is in the upper half of the first pair, the mask in the second pair.
            true if format == PAIRS => (None, channel(0).map(|pair| pair >> 16), channel(1)),
            true => return not_modeled(format!("depth exports of format {format} in pairs")),
            false => (channel(0), channel(1), channel(2)),
        };
        Ok(Extra {
            depth: depth.filter(|_| fields.exports_depth.flag(registers)).map(f32::from_bits),
            stencil: stencil
                .filter(|_| fields.exports_stencil.flag(registers))
                .map(|stencil| stencil as u8),
            mask: mask.filter(|_| fields.exports_mask.flag(registers)),
        })
    }

    /// Tests the samples of a lane. Returns those that pass.
    pub(super) fn test(
        &self,
        primitive: &Primitive<'_>,
        slots: &[QuadSlot],
        lane: usize,
        covered: u16,
        extra: Extra,
    ) -> Outcome<u16> {
        let Some(tests) = &self.depth else { return Ok(covered) };
        let (x, y) = slots[lane / 4].pixel(lane % 4);
        let mut passed = 0;
        for sample in 0..tests.samples {
            let group = covered & sharing(sample, tests.samples, self.samples.count());
            if group == 0 {
                continue;
            }
            let position = self.samples.positions.get(sample as usize).unwrap_or(&[0.5; 2]);
            let depth = extra.depth.unwrap_or_else(|| {
                let (x, y) = (f64::from(x) + position[0], f64::from(y) + position[1]);
                primitive.interpolation.depth(x, y)
            });
            let [low, high] = primitive.depths;
            let depth = depth.max(low.min(high)).min(high.max(low));
            let tested = Tested {
                x,
                y,
                layer: primitive.layer,
                sample,
                is_front: primitive.is_front,
                depth,
                stencil: extra.stencil,
            };
            if tests.test(&tested)? {
                passed |= group;
            }
        }
        Ok(passed)
    }
}

/// Lanes whose pixels are drawn: those of the last export.
pub(super) fn valid(exports: &[Export], live: u64) -> u64 {
    let done = exports.iter().rev().find(|export| export.done);
    done.map_or(live, |export| export.exec & live)
}
