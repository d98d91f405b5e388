//! Waves of fragments: registers from quads and primitive setup, results from exports.

use compiler::amd_codegen::output::{FragmentInterface, Interface, PixelValue, Resource};
use gcn_simulator::{Export, Host, Wave};
use program::resource::Varying;
use raster::device::{DeviceError, FragmentBatch, FragmentOutputs, PrimitiveSetup, Quad};
use raster::shader_io::ShaderIo;

use crate::launch::Launch;
use crate::memory::{Memory, StageBuffer};
use shader_device::vertex_values;

/// Target of the export of depth.
const DEPTH: u8 = 8;

/// Runs a batch of fragments and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    batch: &mut FragmentBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let output = &launch.prepared.output;
    let Interface::Fragment(interface) = &output.interface else {
        return Err(DeviceError::Execution("no fragment program".into()));
    };
    let stage = launch.state.program.stage(launch.stage);
    let inputs = stage.map_or(&[][..], |stage| &stage.inputs);
    let pixels = pixels(&batch.quads, &batch.primitives)?;
    let lanes = pixels.len();
    let mut wave = launch.wave(batch.live);
    launch.set_user_data(&mut wave, |_| [0; 3]);
    write_values(&mut wave, interface, batch, &pixels);
    let positions = sample_positions(&batch.sample_positions);
    let positions = StageBuffer::new(Resource::SamplePositions, positions);
    let memory = Memory::new(io, launch, &|_, _, _| 0, vec![positions]);
    memory.set_descriptors(launch, &mut wave);
    let mut host = FragmentHost { memory, exports: Vec::new(), interface, inputs, pixels: &pixels };
    launch.trace_pixels(pixels.iter().map(|pixel| (pixel.x, pixel.y)), batch.live);
    let steps = launch.run(&mut wave, &mut host, 0)?;
    let exports = host.exports;
    let mut written = 0;
    for export in &exports {
        write_export(&mut batch.outputs, interface, export, lanes);
        if export.done {
            written = export.exec;
        }
    }
    batch.outputs.killed = batch.live & !written;
    Ok(steps)
}

/// Bytes of the positions of samples, relative to the pixel's center.
fn sample_positions(positions: &[[f64; 2]]) -> Vec<u8> {
    let coordinates = positions.iter().flatten();
    coordinates.flat_map(|&at| ((at - 0.5) as f32).to_le_bytes()).collect()
}

/// A lane's primitive, and the window coordinates of its pixel's lower left corner.
pub(crate) struct Pixel<'a> {
    pub setup: &'a PrimitiveSetup,
    pub x: f64,
    pub y: f64,
}

pub(crate) fn pixels<'a>(
    quads: &[Quad],
    primitives: &'a [PrimitiveSetup],
) -> Result<Vec<Pixel<'a>>, DeviceError> {
    let mut pixels = Vec::new();
    for quad in quads {
        let setup = primitives
            .get(quad.primitive as usize)
            .ok_or_else(|| DeviceError::Execution("quad without a primitive".into()))?;
        for i in 0..4 {
            let (x, y) = (f64::from(quad.x + (i & 1)), f64::from(quad.y + (i >> 1)));
            pixels.push(Pixel { setup, x, y });
        }
    }
    Ok(pixels)
}

/// Writes the values that the metadata lists, register by register.
fn write_values(
    wave: &mut Wave,
    interface: &FragmentInterface,
    batch: &FragmentBatch,
    pixels: &[Pixel<'_>],
) {
    let sample = batch.sample_id.unwrap_or(0);
    let sample_position = batch.sample_positions.get(sample as usize).copied().unwrap_or([0.5; 2]);
    let mut register = 0;
    for &value in &interface.values {
        for (lane, pixel) in pixels.iter().enumerate().take(gcn_simulator::LANES) {
            let center = [pixel.x + 0.5, pixel.y + 0.5];
            let at_sample = [pixel.x + sample_position[0], pixel.y + sample_position[1]];
            let setup = pixel.setup;
            let dword = |value: f64| [(value as f32).to_bits(), 0, 0];
            let values = match value {
                PixelValue::PullModel => pull_model(setup, center),
                PixelValue::PerspectiveCenter => weights(setup, false, center),
                // A covered sample is inside the primitive, as a centroid must be.
                PixelValue::PerspectiveSample | PixelValue::PerspectiveCentroid => {
                    weights(setup, false, at_sample)
                }
                PixelValue::LinearCenter => weights(setup, true, center),
                PixelValue::LinearSample | PixelValue::LinearCentroid => {
                    weights(setup, true, at_sample)
                }
                PixelValue::PositionX => dword(center[0]),
                PixelValue::PositionY => dword(center[1]),
                PixelValue::PositionZ => dword(setup.depth.at(center[0], center[1])),
                PixelValue::PositionW => dword(1.0 / setup.one_over_w.at(center[0], center[1])),
                PixelValue::FrontFace => [if setup.front_facing { u32::MAX } else { 0 }, 0, 0],
                PixelValue::Ancillary => [sample << 8 | setup.layer << 16, 0, 0],
                PixelValue::Coverage => {
                    [batch.sample_mask_in.get(lane).copied().unwrap_or(0), 0, 0]
                }
            };
            for (offset, dword) in values.iter().enumerate().take(value.registers().into()) {
                wave.vector[register + offset][lane] = *dword;
            }
        }
        register += usize::from(value.registers());
    }
}

/// The coordinates of vertices 1 and 2.
pub(crate) fn weights(setup: &PrimitiveSetup, linear: bool, [x, y]: [f64; 2]) -> [u32; 3] {
    let [_, i, j] =
        if linear { setup.barycentric_linear(x, y) } else { setup.barycentric_perspective(x, y) };
    [(i as f32).to_bits(), (j as f32).to_bits(), 0]
}

/// The coordinates of vertices 1 and 2 divided by w, and 1/w.
fn pull_model(setup: &PrimitiveSetup, [x, y]: [f64; 2]) -> [u32; 3] {
    let [_, i, j] = setup.barycentric_perspective(x, y);
    let one_over_w = setup.one_over_w.at(x, y);
    [i * one_over_w, j * one_over_w, one_over_w].map(|value| (value as f32).to_bits())
}

/// Takes over an export.
fn write_export(
    outputs: &mut FragmentOutputs,
    interface: &FragmentInterface,
    export: &Export,
    lanes: usize,
) {
    let lanes =
        || (0..lanes.min(gcn_simulator::LANES)).filter(|&lane| export.exec >> lane & 1 != 0);
    if export.target == DEPTH {
        let places = [
            (interface.writes_depth, &mut outputs.depth),
            (interface.writes_stencil, &mut outputs.stencil),
            (interface.writes_sample_mask, &mut outputs.sample_mask),
        ];
        for ((written, place), channel) in places.into_iter().zip(&export.channels) {
            let Some(values) = channel.filter(|_| written) else { continue };
            for lane in lanes() {
                if let Some(place) = place.get_mut(lane) {
                    *place = values[lane];
                }
            }
        }
        return;
    }
    let Some(color) = interface.colors.iter().find(|color| color.target == export.target) else {
        return;
    };
    let (table, first) = match color.index {
        0 => (&mut outputs.color, usize::from(color.location) * 4),
        _ => (&mut outputs.dual_source, 0),
    };
    for (c, channel) in export.channels.iter().enumerate() {
        let Some(values) = channel.as_ref().filter(|_| first + c < table.rows()) else { continue };
        for lane in lanes() {
            table.set(first + c, lane, values[lane]);
        }
    }
}

struct FragmentHost<'a> {
    memory: Memory<'a>,
    exports: Vec<Export>,
    interface: &'a FragmentInterface,
    inputs: &'a [Varying],
    pixels: &'a [Pixel<'a>],
}

impl Host for FragmentHost<'_> {
    fn memory(&mut self) -> &mut dyn gcn_simulator::Memory {
        &mut self.memory
    }

    fn export(&mut self, export: Export) {
        self.exports.push(export);
    }

    fn parameter(&mut self, attribute: u8, channel: u8, lane: usize) -> Option<[u32; 3]> {
        let input = self.interface.inputs.get(usize::from(attribute))?;
        // Lanes without a quad have anything.
        let Some(pixel) = self.pixels.get(lane) else { return Some([0; 3]) };
        let is_input = |slot| compiler::ir_slot(slot, 0) == input.slot;
        let values = vertex_values(self.inputs, pixel.setup, channel.into(), is_input);
        if input.flat {
            return Some([values[pixel.setup.provoking.min(2)], 0, 0]);
        }
        let [a, b, c] = values.map(f32::from_bits);
        Some([values[0], (b - a).to_bits(), (c - a).to_bits()])
    }
}
