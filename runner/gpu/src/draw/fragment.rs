//! Fragment threads: payload, execution, messages.

use simulator::host::{
    Host, HostError, Param, RenderWrite, Reply, SamplerOp, SamplerRequest, Surface, Texels,
};
use simulator::{Kernel, Thread};

use super::Draw;
use super::scratch::Scratch;
use super::target::Targets;
use super::triangle::Interpolation;
use super::vertices::Slots;
use crate::error::{CommandError, Outcome, not_modeled};

/// Most bytes of a kernel.
const KERNEL_BYTES: u64 = 1 << 20;
/// Most instructions of a thread.
pub(super) const BUDGET: u64 = 100_000_000;

/// Four pixels of which some are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quad {
    /// Left column.
    pub(super) x: u32,
    /// Upper row.
    pub(super) y: u32,
    /// Pixels that are drawn: bit 0 upper left, 1 upper right, 2 lower left, 3 lower right.
    pub(super) mask: u32,
}

/// A primitive whose fragments are shaded.
pub(super) struct Primitive<'a> {
    /// Data of the corners.
    pub(super) corners: &'a [Slots; 3],
    /// Corner of flat inputs.
    pub(super) provoking: usize,
    /// The front is visible.
    pub(super) is_front: bool,
    /// Interpolation; `None` if all corners have the same data.
    pub(super) interpolation: Option<Interpolation>,
}

/// A kernel with the place of its setup data.
struct FragmentKernel {
    kernel: Kernel,
    address: u64,
    /// Pixels of a thread.
    width: usize,
    /// First register of setup data.
    setup: usize,
}

impl Draw<'_> {
    /// Executes the fragment shader on quads of one primitive.
    pub(super) fn shade(&self, primitive: &Primitive<'_>, quads: &[Quad]) -> Outcome<()> {
        self.check_payload()?;
        let Some(kernel) = self.fragment_kernel()? else { return Ok(()) };
        let setup = self.setup(primitive)?;
        let constants = self.constants("3DSTATE_CONSTANT_PS")?;
        let targets = Targets::new(self)?;
        let layer = primitive.corners[0].first().map_or(0, |header| header[1]);
        let mut thread = Thread::new(self.devinfo, 0);
        for quads in quads.chunks(kernel.width / 4) {
            thread.reset(0);
            write_payload(&mut thread, quads, layer, primitive.is_front);
            self.write_interpolated(&mut thread, kernel.width, quads, primitive)?;
            let registers = constants.iter().chain(setup.iter().flatten());
            for (i, register) in registers.enumerate() {
                thread.set_register(kernel.setup + i, register);
            }
            let mut host = FragmentHost {
                targets: &targets,
                quads,
                layer,
                scratch: Scratch::default(),
                failure: None,
            };
            let result = kernel.kernel.run(&mut thread, &mut host, BUDGET);
            if let Some(failure) = host.failure {
                return Err(failure);
            }
            result.map_err(|error| kernel_error(kernel.address, &error))?;
        }
        Ok(())
    }

    /// Refuses payload that is not modeled yet.
    fn check_payload(&self) -> Outcome<()> {
        let (wm, extra, ps) = (self.fields.wm, self.fields.ps_extra, self.fields.ps);
        let coverage = wm.uses_coverage.flag(self.context.packet("3DSTATE_WM"));
        let words = self.context.packet("3DSTATE_PS_EXTRA");
        if coverage || extra.coverage.flag(words) || extra.uses_coverage.flag(words) {
            return not_modeled("input coverage of fragment shaders");
        }
        let words = self.context.packet("3DSTATE_PS");
        let clears = [ps.fast_clears, ps.resolves, ps.resolve_type];
        if clears.iter().any(|field| field.flag(words)) {
            return not_modeled("fast clears and resolves");
        }
        if ps.is_dual_source.flag(words) || ps.offsets.flag(words) {
            return not_modeled("dual source blending and sample positions");
        }
        Ok(())
    }

    /// Decodes the kernel of the widest modeled width; `None` if no fragments are shaded.
    fn fragment_kernel(&self) -> Outcome<Option<FragmentKernel>> {
        let ps = self.fields.ps;
        let words = self.context.packet("3DSTATE_PS");
        let valid = match self.fields.ps_extra.is_valid.exists() {
            true => self.fields.ps_extra.is_valid.flag(self.context.packet("3DSTATE_PS_EXTRA")),
            false => self.fields.wm.dispatches.flag(self.context.packet("3DSTATE_WM")),
        };
        if !valid {
            return Ok(None);
        }
        let [is_8, is_16, is_32] = [ps.is_8, ps.is_16, ps.is_32].map(|field| field.flag(words));
        // A kernel that is alone has the first pointer; else the order is 8, 32, 16.
        let (width, pointer, setup) = match (is_8, is_16) {
            (_, true) if is_8 || is_32 => (16, ps.kernel_2, ps.setup_2),
            (false, true) => (16, ps.kernel_0, ps.setup_0),
            (true, _) => (8, ps.kernel_0, ps.setup_0),
            _ => return not_modeled("fragment shaders of 32 channels"),
        };
        let address = self.context.instruction_base + pointer.get(words);
        let kernel = self.kernel(address)?;
        let setup = setup.get_u32(words) as usize;
        Ok(Some(FragmentKernel { kernel, address, width, setup }))
    }

    /// Decodes the kernel at an address.
    pub(super) fn kernel(&self, address: u64) -> Outcome<Kernel> {
        let object = self.memory.object(address).ok_or(packets::Fault { address })?;
        let length = usize::try_from((object.end - address).min(KERNEL_BYTES)).unwrap_or(0);
        let mut bytes = vec![0; length];
        self.memory.read(address, &mut bytes)?;
        Kernel::decode(self.devinfo, &bytes).map_err(|error| kernel_error(address, &error))
    }

    /// Writes the values that differ between pixels: weights of the corners, depth, W.
    fn write_interpolated(
        &self,
        thread: &mut Thread,
        width: usize,
        quads: &[Quad],
        primitive: &Primitive<'_>,
    ) -> Outcome<()> {
        let (wm, extra) = (self.fields.wm, self.fields.ps_extra);
        let wm_words = self.context.packet("3DSTATE_WM");
        let extra_words = self.context.packet("3DSTATE_PS_EXTRA");
        let modes = wm.barycentrics.get(wm_words);
        let uses_depth = wm.uses_depth.flag(wm_words) || extra.uses_depth.flag(extra_words);
        let uses_w = wm.uses_w.flag(wm_words) || extra.uses_w.flag(extra_words);
        if modes == 0 && !uses_depth && !uses_w {
            return Ok(());
        }
        let Some(interpolation) = primitive.interpolation else {
            return not_modeled("interpolated inputs of rectangles");
        };
        let mut register = 2;
        for mode in (0..6).filter(|mode| modes >> mode & 1 != 0) {
            // Pixel, centroid and sample are the same place without multisampling.
            for (i, (x, y)) in centers(quads).enumerate() {
                let weights = interpolation.barycentric(x, y, mode < 3);
                let register = register + 2 * (i / 8);
                thread.set_dword(register, i % 8, weights[0].to_bits());
                thread.set_dword(register + 1, i % 8, weights[1].to_bits());
            }
            register += width / 4;
        }
        if uses_depth {
            for (i, (x, y)) in centers(quads).enumerate() {
                thread.set_dword(register + i / 8, i % 8, interpolation.depth(x, y).to_bits());
            }
            register += width / 8;
        }
        if uses_w {
            for (i, (x, y)) in centers(quads).enumerate() {
                thread.set_dword(register + i / 8, i % 8, interpolation.w(x, y).to_bits());
            }
        }
        Ok(())
    }

    /// Routing of an input: source slot and components that are constants.
    fn route(&self, input: u32) -> Outcome<(u32, [Option<u32>; 4])> {
        let sbe = self.fields.sbe;
        let words = self.context.packet("3DSTATE_SBE");
        // Inputs behind the sixteenth are not routed.
        if !sbe.is_swizzled.flag(words) || input >= 16 {
            return Ok((input, [None; 4]));
        }
        let swizzle = self.context.packet("3DSTATE_SBE_SWIZ");
        let details = if swizzle.is_empty() { &words[2..] } else { &swizzle[1..] };
        let pair = details.get(input as usize / 2).copied().unwrap_or(0);
        let detail = [pair >> (16 * (input % 2)) & 0xffff];
        let fields = self.fields.attribute;
        if fields.swizzle.flag(&detail) {
            return not_modeled("inputs that depend on the facing");
        }
        let constants = match fields.constant.get(&detail) {
            0 => [0.0; 4],
            1 => [0.0, 0.0, 0.0, 1.0],
            2 => [1.0_f32; 4],
            _ => [f32::NAN; 4],
        };
        let overrides =
            [fields.overrides_x, fields.overrides_y, fields.overrides_z, fields.overrides_w]
                .map(|field| field.flag(&detail));
        if overrides != [false; 4] && constants[0].is_nan() {
            return not_modeled("primitive numbers as inputs of fragment shaders");
        }
        let constant = |i: usize| overrides[i].then(|| constants[i].to_bits());
        Ok((fields.source.get_u32(&detail), [0, 1, 2, 3].map(constant)))
    }

    /// Setup data of the inputs: per component two differences, 0, the value at the first corner.
    fn setup(&self, primitive: &Primitive<'_>) -> Outcome<Vec<[[u32; 8]; 2]>> {
        let sbe = self.fields.sbe;
        let words = self.context.packet("3DSTATE_SBE");
        let count = sbe.attributes.get_u32(words);
        let constant = sbe.is_constant.get_u32(words);
        // The read offset counts pairs of slots.
        let first = 2 * sbe.read_offset.get_u32(words);
        let mut attributes = Vec::new();
        for i in 0..count {
            let (source, constants) = self.route(i)?;
            let is_constant = constant >> i & 1 != 0;
            let values = [0, 1, 2].map(|corner: usize| {
                let corner = if is_constant { primitive.provoking } else { corner };
                let slot = primitive.corners[corner].get((first + source) as usize);
                let mut slot = slot.copied().unwrap_or_default();
                for (value, constant) in slot.iter_mut().zip(constants) {
                    *value = constant.unwrap_or(*value);
                }
                slot
            });
            let mut registers = [[0; 8]; 2];
            for component in 0..4 {
                let [a, b, c] = values.map(|slot| slot[component]);
                let difference = |to: u32| match is_constant {
                    true => 0,
                    false => (f32::from_bits(to) - f32::from_bits(a)).to_bits(),
                };
                let register = &mut registers[component / 2][component % 2 * 4..][..4];
                register.copy_from_slice(&[difference(b), difference(c), 0, a]);
            }
            attributes.push(registers);
        }
        Ok(attributes)
    }
}

/// The error of a kernel.
pub(super) fn kernel_error(address: u64, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Kernel { address, text: error.to_string() }
}

/// Centers of the pixels in the order of a thread's channels.
fn centers(quads: &[Quad]) -> impl Iterator<Item = (f64, f64)> {
    quads.iter().flat_map(|quad| {
        let center =
            |i: u32| (f64::from(quad.x + (i & 1)) + 0.5, f64::from(quad.y + (i >> 1)) + 0.5);
        [0, 1, 2, 3].map(center)
    })
}

/// Writes the registers that every fragment thread has.
fn write_payload(thread: &mut Thread, quads: &[Quad], layer: u32, is_front: bool) {
    // The layer of the render target; bit 15 for the back.
    let mut header = [0; 8];
    header[0] = (layer & 0x7ff) << 16 | u32::from(!is_front) << 15;
    thread.set_register(0, &header);
    let mut positions = [0; 8];
    let mut live = 0;
    for (i, quad) in quads.iter().enumerate() {
        positions[2 + i] = quad.x | quad.y << 16;
        live |= quad.mask << (4 * i);
    }
    positions[7] = live;
    thread.set_register(1, &positions);
    // Whole quads execute, so that differences between pixels are defined.
    let lanes = (0..quads.len()).fold(0, |lanes, i| lanes | 0xf << (4 * i));
    thread.set_dispatch_mask(lanes);
}

/// Serves the messages of a fragment thread.
struct FragmentHost<'a> {
    targets: &'a Targets<'a>,
    quads: &'a [Quad],
    layer: u32,
    scratch: Scratch,
    /// The error of a message, which the kernel's own error only quotes.
    failure: Option<CommandError>,
}

impl Host for FragmentHost<'_> {
    fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        self.scratch.read(surface, offset, data)
    }

    fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        self.scratch.write(surface, offset, data)
    }

    fn sample(&mut self, request: &SamplerRequest) -> Reply<Texels> {
        let result = self.load(request);
        result.map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            HostError(text)
        })
    }

    fn render_write(&mut self, write: &RenderWrite) -> Reply<()> {
        let result = self.write_pixels(write);
        result.map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            HostError(text)
        })
    }
}

impl FragmentHost<'_> {
    /// Loads texels without filtering.
    fn load(&self, request: &SamplerRequest) -> Outcome<Texels> {
        if !matches!(request.op, SamplerOp::Load | SamplerOp::LoadLz) || request.header.is_some() {
            return not_modeled(format!("sampler messages of kind {:?}", request.op));
        }
        let zeros = [0; 16];
        let param = |param| request.param(param).unwrap_or(&zeros);
        let (x, y, layer) = (param(Param::U), param(Param::V), param(Param::R));
        let mut texels = [[0; 16]; 4];
        for i in (0..usize::from(request.count)).filter(|i| request.mask >> i & 1 != 0) {
            let level = param(Param::Lod)[i];
            let texel = self.targets.read(request.surface, [x[i], y[i], layer[i]], level)?;
            for (plane, value) in texels.iter_mut().zip(texel) {
                plane[i] = value;
            }
        }
        Ok(texels)
    }

    fn write_pixels(&self, write: &RenderWrite) -> Outcome<()> {
        if write.color1.is_some() || write.omask.is_some() || write.depth.is_some() {
            return not_modeled("second colors, coverage and depth of fragment shaders");
        }
        for i in 0..usize::from(write.count) {
            let slot = usize::from(write.first_slot) + i;
            let Some(quad) = self.quads.get(slot / 4) else { continue };
            let pixel = slot % 4;
            if write.mask >> i & 1 == 0 || quad.mask >> pixel & 1 == 0 {
                continue;
            }
            let (x, y) = (quad.x + (pixel as u32 & 1), quad.y + (pixel as u32 >> 1));
            let color = write.color.map(|plane| plane[i]);
            self.targets.write(write.target, x, y, self.layer, color)?;
        }
        Ok(())
    }
}
