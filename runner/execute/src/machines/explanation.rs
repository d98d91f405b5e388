//! Records of one execution, from which bundles are made.

use gl_machine::probe::Readback;
use raster::rasterize::Rect;

use crate::device::DeviceKind;
use results::bundle::ProbeRecord;
use shader_device::ExecutedKernel;

/// The records of one execution.
#[derive(Debug, Default)]
pub struct Explanation {
    /// Executed probes in order.
    pub probes: Vec<ProbeRecord>,
    /// True once the test has cleared or drawn; there are no framebuffers without.
    pub drawn: bool,
    /// Framebuffers at the first failed probe, or at the end, by executor.
    pub snapshots: Vec<(DeviceKind, Readback)>,
    /// The driver's framebuffer at that time.
    pub driver: Option<gl_driver::Pixels>,
    /// Areas that probes examine while the framebuffers are as in `snapshots`.
    pub areas: Vec<ProbedArea>,
    /// True once a command has changed a framebuffer after the snapshots.
    pub changed: bool,
    /// Machine code that the simulator executed.
    pub kernels: Vec<ExecutedKernel>,
    /// True if `values` are wanted.
    pub keeps_values: bool,
    /// True if `buffers` are wanted.
    pub keeps_buffers: bool,
    /// Buffers at the end of the test.
    pub buffers: Vec<BufferRecord>,
    /// Values that the probes of pixels and buffers read on the first executor, in order.
    pub values: Vec<ProbedValues>,
}

impl Explanation {
    /// Describes each probe by its line of the test file.
    pub fn name_probes(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let lines: Vec<&str> = text.lines().collect();
        for probe in &mut self.probes {
            let line = (probe.line as usize).checked_sub(1).and_then(|index| lines.get(index));
            probe.what = line.map(|line| line.trim().to_owned()).unwrap_or_default();
        }
    }
}

/// Values that a probe read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbedValues {
    /// Texels, row by row from the bottom, in stored form: the bits of floats.
    Texels(Vec<[u32; 4]>),
    /// Bits of a value in a buffer.
    Bits(u64),
}

/// A buffer of one executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferRecord {
    /// The executor.
    pub executor: DeviceKind,
    /// Binding point: `ssbo 0`, `atomic counter buffer 1`.
    pub name: String,
    /// Size of the whole in bytes.
    pub size: usize,
    /// Its first bytes.
    pub bytes: Vec<u8>,
}

/// An area of the framebuffer with the color that a probe expects there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbedArea {
    /// The area, counted from the bottom.
    pub rect: Rect,
    /// Red, green, blue, alpha, as in images.
    pub color: [u8; 4],
}
