//! Waves of vertices and fragments with the registers that radeonsi's shaders expect.

use gcn_simulator::{Export, Host, LANES, Outcome, Wave};
use program::Stage;
use raster::device::{DeviceError, FragmentBatch, PrimitiveSetup, VertexBatch};
use raster::shader_io::ShaderIo;

use super::interface::{DEPTH, Draw, NULL, PARAMETER, Pairs};
use super::memory::{
    BUFFER_TABLE, ForeignMemory, IMAGE_TABLE, UNIFORMS, VERTEX_TABLE, attribute_words,
    has_only_uniforms,
};
use crate::fragment::{pixels, weights};

/// Scalar registers: tables, then those of the stage.
const BUFFERS: usize = 2;
const IMAGES: usize = 3;
const PRIMITIVE_MASK: usize = 5;
const BASE_VERTEX: usize = 5;
const DRAW: usize = 6;
const BASE_INSTANCE: usize = 7;
const VERTEX_BUFFERS: usize = 8;
const FIRST_VERTEX_BUFFER: usize = 12;
/// Vector registers of fragments behind six pairs of coordinates: components of the window position
/// that are needed, facing, sample and layer, covered samples.
const WINDOW: usize = 12;

struct ForeignHost<'a> {
    memory: ForeignMemory<'a>,
    exports: Vec<Export>,
    /// The attribute of interpolation, per lane and channel.
    parameter: &'a dyn Fn(u8, u8, usize) -> Option<[u32; 3]>,
}

impl Host for ForeignHost<'_> {
    fn memory(&mut self) -> &mut dyn gcn_simulator::Memory {
        &mut self.memory
    }

    fn export(&mut self, export: Export) {
        self.exports.push(export);
    }

    fn parameter(&mut self, attribute: u8, channel: u8, lane: usize) -> Option<[u32; 3]> {
        (self.parameter)(attribute, channel, lane)
    }
}

/// A wave with the registers that all stages have; others hold a pattern.
fn start(draw: &Draw<'_>, stage: Stage, lanes: u64) -> Wave {
    let mut wave = Wave::new();
    for (number, register) in wave.scalar[..104].iter_mut().enumerate() {
        *register = 0x5bad_0000 | number as u32;
    }
    for (number, register) in wave.vector.iter_mut().enumerate() {
        register.fill(0x7fb0_0000 | number as u32);
    }
    wave.set_pair(amd_isa::Scalar::EXEC, lanes);
    let direct = has_only_uniforms(draw.program, stage);
    wave.scalar[BUFFERS] = if direct { UNIFORMS } else { BUFFER_TABLE };
    wave.scalar[IMAGES] = IMAGE_TABLE;
    wave
}

fn run(draw: &Draw<'_>, wave: &mut Wave, host: &mut dyn Host) -> Result<u64, DeviceError> {
    let outcome = wave.run(draw.code, host, draw.limit);
    match outcome {
        Ok(Outcome::Done) => Ok(wave.steps),
        Ok(other) => Err(DeviceError::Execution(format!("the wave stops: {other:?}"))),
        Err(error) => Err(DeviceError::Execution(format!("radeonsi's shader: {error}"))),
    }
}

/// Runs a batch of vertices.
pub(super) fn vertices(
    draw: &Draw<'_>,
    batch: &mut VertexBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let lanes = batch.lanes.min(LANES);
    let mut wave = start(draw, Stage::Vertex, batch.mask);
    for lane in 0..lanes {
        wave.vector[0][lane] = batch.vertex_id[lane].wrapping_sub(batch.base_vertex);
        wave.vector[1][lane] = batch.instance_id[lane];
    }
    wave.scalar[4] = 0;
    wave.scalar[BASE_VERTEX] = batch.base_vertex;
    wave.scalar[DRAW] = batch.draw_id;
    wave.scalar[BASE_INSTANCE] = batch.base_instance;
    wave.scalar[VERTEX_BUFFERS] = VERTEX_TABLE;
    let attributes = &draw.known.attributes;
    let first = attribute_words(attributes.first().copied().unwrap_or(0));
    wave.scalar[FIRST_VERTEX_BUFFER..][..4].copy_from_slice(&first);
    let (inputs, ids) = (&batch.inputs, &batch.vertex_id);
    let attribute = |number: u32, record: usize, component: usize| {
        let lane = ids.iter().position(|&id| id as usize == record);
        lane.and_then(|lane| inputs.find(number as usize * 4 + component, lane)).unwrap_or(0)
    };
    let memory = ForeignMemory::new(io, draw, Stage::Vertex, &attribute);
    let mut host = ForeignHost { memory, exports: Vec::new(), parameter: &|_, _, _| None };
    let steps = run(draw, &mut wave, &mut host)?;
    let parameters = (PARAMETER..).zip(draw.known.carriers.iter().map(|(from, _)| *from));
    let positions = draw.known.positions.iter().map(|&(from, target)| (target, from));
    for (target, output) in positions.chain(parameters) {
        let Some(export) = host.exports.iter().find(|export| export.target == target) else {
            return Err(DeviceError::Execution(format!("no export to target {target}")));
        };
        for component in 0..4 {
            let Some(values) = &export.channels[component] else { continue };
            for lane in (0..lanes).filter(|lane| batch.mask >> lane & 1 != 0) {
                batch.outputs.set(output * 4 + component, lane, values[lane]);
            }
        }
    }
    Ok(steps)
}

/// Runs a batch of fragments.
pub(super) fn fragments(
    draw: &Draw<'_>,
    batch: &mut FragmentBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let pixels = pixels(&batch.quads, &batch.primitives)?;
    let lanes = pixels.len().min(LANES);
    let mut wave = start(draw, Stage::Fragment, batch.live);
    wave.scalar[PRIMITIVE_MASK] = 0;
    let integer = counts_whole_pixels(draw.program);
    for (lane, pixel) in pixels.iter().enumerate().take(lanes) {
        let center = [pixel.x + 0.5, pixel.y + 0.5];
        let window = if integer { [pixel.x, pixel.y] } else { center };
        for (pair, linear) in [false, false, false, true, true, true].into_iter().enumerate() {
            let [i, j, _] = weights(pixel.setup, linear, center);
            wave.vector[2 * pair][lane] = i;
            wave.vector[2 * pair + 1][lane] = j;
        }
        let [x, y] = center;
        for (register, component) in (WINDOW..).zip(&draw.known.window) {
            let value = match component {
                0 | 1 => window[usize::from(*component)],
                2 => pixel.setup.depth.at(x, y),
                _ => 1.0 / pixel.setup.one_over_w.at(x, y),
            };
            wave.vector[register][lane] = (value as f32).to_bits();
        }
        let facing = WINDOW + draw.known.window.len();
        wave.vector[facing][lane] = if pixel.setup.front_facing { u32::MAX } else { 0 };
        wave.vector[facing + 1][lane] = pixel.setup.layer << 16;
        let covered = batch.sample_mask_in.get(lane).copied().unwrap_or(0);
        wave.vector[facing + 2][lane] = covered;
    }
    let parameter = |attribute: u8, channel: u8, lane: usize| {
        let (_, input) = *draw.known.carriers.get(usize::from(attribute))?;
        let Some(pixel) = pixels.get(lane) else { return Some([0; 3]) };
        let flat = draw.interface.flat.contains(&attribute);
        Some(parameter(pixel.setup, input * 4 + usize::from(channel), flat))
    };
    let memory = ForeignMemory::new(io, draw, Stage::Fragment, &|_, _, _| 0);
    let mut host = ForeignHost { memory, exports: Vec::new(), parameter: &parameter };
    let steps = run(draw, &mut wave, &mut host)?;
    let mut written = 0;
    for export in &host.exports {
        if export.done {
            written = export.exec;
        }
        take(batch, export, draw.interface.pairs, lanes)?;
    }
    batch.outputs.killed = batch.live & !written;
    Ok(steps)
}

/// True if the centers of pixels have whole coordinates in the window.
fn counts_whole_pixels(program: &program::Program) -> bool {
    let globals = program.stage(Stage::Fragment).map(|stage| &stage.shader.globals);
    globals.is_some_and(|all| all.values().any(|global| global.layout.pixel_center_integer))
}

/// Values of a row of inputs for interpolation: P0, P10, P20.
fn parameter(setup: &PrimitiveSetup, row: usize, flat: bool) -> [u32; 3] {
    let values = setup.values.get(row).copied().unwrap_or([0; 3]);
    if flat {
        return [values[setup.provoking.min(2)], 0, 0];
    }
    let [a, b, c] = values.map(f32::from_bits);
    [values[0], (b - a).to_bits(), (c - a).to_bits()]
}

/// Takes over an export.
fn take(
    batch: &mut FragmentBatch,
    export: &Export,
    pairs: Pairs,
    lanes: usize,
) -> Result<(), DeviceError> {
    let lanes = || (0..lanes).filter(|&lane| export.exec >> lane & 1 != 0);
    match export.target {
        NULL => return Ok(()),
        DEPTH => {
            let Some(values) = &export.channels[0] else { return Ok(()) };
            for lane in lanes() {
                if let Some(depth) = batch.outputs.depth.get_mut(lane) {
                    *depth = values[lane];
                }
            }
            return Ok(());
        }
        0..DEPTH => {}
        other => return Err(DeviceError::Unsupported(format!("export to target {other}"))),
    }
    let first = usize::from(export.target) * 4;
    for channel in 0..4 {
        let source = if export.compressed { channel / 2 } else { channel };
        let Some(values) = &export.channels[source] else { continue };
        if first + channel >= batch.outputs.color.rows() {
            continue;
        }
        for lane in lanes() {
            let value = match export.compressed {
                true => from_pair((values[lane] >> (16 * (channel % 2))) as u16, pairs),
                false => values[lane],
            };
            batch.outputs.color.set(first + channel, lane, value);
        }
    }
    Ok(())
}

/// The bits of one of a pair of 16 bits.
fn from_pair(bits: u16, pairs: Pairs) -> u32 {
    match pairs {
        Pairs::Half => from_half(bits).to_bits(),
        Pairs::Unorm => (f32::from(bits) / 65535.0).to_bits(),
        Pairs::Snorm => (f32::from(bits as i16) / 32767.0).max(-1.0).to_bits(),
        Pairs::Uint => bits.into(),
        Pairs::Sint => i32::from(bits as i16) as u32,
    }
}

/// The value of a half.
fn from_half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 0x3ff));
    sign * match exponent {
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        0 => fraction * (-24f32).exp2(),
        _ => (1024.0 + fraction) * ((exponent - 25) as f32).exp2(),
    }
}
