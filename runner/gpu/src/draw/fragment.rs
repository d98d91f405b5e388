//! Fragment threads: payload, execution, messages.

use simulator::host::{Host, HostError, RenderWrite, Reply};
use simulator::{Kernel, Thread};

use super::Draw;
use super::target::Targets;
use super::vertices::Slots;
use crate::error::{CommandError, Outcome, not_modeled};

/// Most bytes of a kernel.
const KERNEL_BYTES: u64 = 1 << 20;
/// Most instructions of a thread.
const BUDGET: u64 = 100_000_000;

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
    pub(super) fn shade(&self, corners: &[Slots; 3], quads: &[Quad]) -> Outcome<()> {
        self.check_payload()?;
        let Some(kernel) = self.fragment_kernel()? else { return Ok(()) };
        let setup = self.setup(corners)?;
        let targets = Targets::new(self)?;
        let layer = corners[0].first().map_or(0, |header| header[1]);
        let mut thread = Thread::new(self.devinfo, 0);
        for quads in quads.chunks(kernel.width / 4) {
            thread.reset(0);
            write_payload(&mut thread, quads, layer);
            for (i, attribute) in setup.iter().enumerate() {
                thread.set_register(kernel.setup + 2 * i, &attribute[0]);
                thread.set_register(kernel.setup + 2 * i + 1, &attribute[1]);
            }
            let mut host = FragmentHost { targets: &targets, quads, layer, failure: None };
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
        let words = self.context.packet("3DSTATE_WM");
        let optional = [wm.barycentrics, wm.uses_depth, wm.uses_w, wm.uses_coverage];
        if optional.iter().any(|field| field.flag(words)) {
            return not_modeled("interpolated inputs of fragment shaders");
        }
        let words = self.context.packet("3DSTATE_PS_EXTRA");
        let optional = [extra.uses_depth, extra.uses_w, extra.coverage, extra.uses_coverage];
        if optional.iter().any(|field| field.flag(words)) {
            return not_modeled("inputs of fragment shaders");
        }
        let words = self.context.packet("3DSTATE_PS");
        let clears = [ps.fast_clears, ps.resolves, ps.resolve_type];
        if clears.iter().any(|field| field.flag(words)) {
            return not_modeled("fast clears and resolves");
        }
        if ps.has_constants.flag(words) {
            return not_modeled("push constants of fragment shaders");
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
    fn kernel(&self, address: u64) -> Outcome<Kernel> {
        let object = self.memory.object(address).ok_or(packets::Fault { address })?;
        let length = usize::try_from((object.end - address).min(KERNEL_BYTES)).unwrap_or(0);
        let mut bytes = vec![0; length];
        self.memory.read(address, &mut bytes)?;
        Kernel::decode(self.devinfo, &bytes).map_err(|error| kernel_error(address, &error))
    }

    /// Setup data of the inputs: per component two differences, 0, the value at the first corner.
    fn setup(&self, corners: &[Slots; 3]) -> Outcome<Vec<[[u32; 8]; 2]>> {
        let sbe = self.fields.sbe;
        let words = self.context.packet("3DSTATE_SBE");
        let count = sbe.attributes.get_u32(words);
        if sbe.is_swizzled.flag(words) {
            return not_modeled("swizzled inputs of fragment shaders");
        }
        let constant = sbe.is_constant.get_u32(words);
        // The read offset counts pairs of slots.
        let first = 2 * sbe.read_offset.get_u32(words);
        let mut attributes = Vec::new();
        for i in 0..count {
            let values = [0, 1, 2].map(|corner| {
                let slot = corners[corner as usize].get((first + i) as usize);
                slot.copied().unwrap_or_default()
            });
            let mut registers = [[0; 8]; 2];
            for component in 0..4 {
                let [a, b, c] = values.map(|slot| slot[component]);
                let difference = |to: u32| match constant >> i & 1 {
                    1 => 0,
                    _ => (f32::from_bits(to) - f32::from_bits(a)).to_bits(),
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
fn kernel_error(address: u64, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Kernel { address, text: error.to_string() }
}

/// Writes the registers that every fragment thread has.
fn write_payload(thread: &mut Thread, quads: &[Quad], layer: u32) {
    // The layer of the render target.
    let mut header = [0; 8];
    header[0] = (layer & 0x7ff) << 16;
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
    /// The error of a message, which the kernel's own error only quotes.
    failure: Option<CommandError>,
}

impl Host for FragmentHost<'_> {
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
