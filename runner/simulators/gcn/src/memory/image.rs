//! Images: MIMG. The registers of an access are taken apart here; texels are the host's.

use amd_isa::{Opcode, Operand, Register};

use crate::error::Reason;
use crate::host::{ImageAccess, ImageOperation, Level};
use crate::image_resource::{ImageKind, ImageResource, SamplerResource};
use crate::register::LANES;
use crate::run::Step;

/// Parts of an address, in the order of the registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Layout {
    offset: bool,
    bias: bool,
    reference: bool,
    derivatives: bool,
    /// Coordinates of texels, without layer and sample.
    axes: usize,
    layer: bool,
    sample: bool,
    /// Level of a sample or of a load, or lower limit of the level.
    level: bool,
}

impl Layout {
    fn of(name: &str, kind: ImageKind, array: bool) -> Option<Layout> {
        let axes = kind.axes()?;
        if name == "image_get_resinfo" {
            return Some(Layout { level: true, ..Layout::default() });
        }
        let has = |part: &str| name.split('_').any(|word| word == part);
        let texels = !name.contains("sample") && !name.contains("gather4") && !has("lod");
        Some(Layout {
            offset: has("o"),
            bias: has("b"),
            reference: has("c"),
            derivatives: has("d") || has("cd"),
            axes,
            layer: array,
            sample: texels && kind.has_samples(),
            level: has("l") || has("cl") || has("mip"),
        })
    }

    /// Number of registers before the coordinates.
    fn before(&self) -> usize {
        let single = [self.offset, self.bias, self.reference];
        let derivatives = if self.derivatives { 2 * self.axes } else { 0 };
        single.into_iter().filter(|part| *part).count() + derivatives
    }

    fn dwords(&self) -> usize {
        let single = [self.layer, self.sample, self.level];
        self.before() + self.axes + single.into_iter().filter(|part| *part).count()
    }
}

/// Address of one lane.
struct Address {
    /// Registers in their order.
    dwords: Vec<u32>,
    layout: Layout,
}

impl Address {
    fn float(&self, index: usize) -> f32 {
        f32::from_bits(self.dwords[index])
    }

    /// Floats from a register on, one per axis.
    fn floats(&self, first: usize) -> [f32; 3] {
        std::array::from_fn(
            |axis| {
                if axis < self.layout.axes { self.float(first + axis) } else { 0.0 }
            },
        )
    }

    fn offset(&self) -> [i32; 3] {
        let packed = if self.layout.offset { self.dwords[0] } else { 0 };
        [0, 8, 16].map(|low| (packed >> low << 26) as i32 >> 26)
    }

    fn bias(&self) -> f32 {
        if self.layout.bias { self.float(usize::from(self.layout.offset)) } else { 0.0 }
    }

    fn reference(&self) -> Option<f32> {
        let index = usize::from(self.layout.offset) + usize::from(self.layout.bias);
        self.layout.reference.then(|| self.float(index))
    }

    /// Place after the coordinates.
    fn after(&self) -> usize {
        self.layout.before() + self.layout.axes
    }

    /// Coordinate of the layer.
    fn layer(&self) -> Option<u32> {
        self.layout.layer.then(|| self.dwords[self.after()])
    }

    /// The last register.
    fn level(&self) -> u32 {
        if self.layout.level { self.dwords[self.layout.dwords() - 1] } else { 0 }
    }
}

impl Step<'_> {
    /// Executes an operation on an image.
    pub(crate) fn image(&mut self) -> Result<(), Reason> {
        let name = self.opcode().mnemonic();
        let modifiers = self.instruction.modifiers;
        let unusual = modifiers.tfe || modifiers.lwe || modifiers.r128 || modifiers.d16;
        if unusual || name.contains("_pck") || name.split('_').any(|word| word == "cd") {
            return Err(self.not_modeled());
        }
        let (resource, sampler) = self.image_descriptors()?;
        let layout = Layout::of(name, resource.kind, modifiers.da).ok_or_else(|| {
            Reason::Descriptor(format!("type {} is not an image", resource.kind.0))
        })?;
        let Operand::Vector(first) = self.operand(1) else { return Err(self.not_modeled()) };
        for index in 0..layout.dwords() {
            let register = Register::Vector(first.wrapping_add(index as u8));
            self.wave.pending.check(register, false, None)?;
        }
        let stores = name.contains("_store");
        let exec = self.wave.exec();
        let count = usize::from(self.slot(0).dwords(&modifiers, self.opcode()));
        let mut loaded = vec![[0; LANES]; count];
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let address = self.image_address(first, layout, lane);
            let data = self.image_data(lane, count);
            let operation = self.image_operation(&resource, &address, first, lane, &data);
            let unnormalized =
                modifiers.unorm || sampler.is_some_and(|sampler| sampler.unnormalized);
            let access = ImageAccess { resource, sampler, unnormalized, operation };
            let texel = self.host.memory().image(&access).map_err(Reason::Image)?;
            let gathers = name.starts_with("image_gather4");
            let channels = (0..4).filter(|c| gathers || modifiers.dmask >> c & 1 != 0);
            for (register, channel) in loaded.iter_mut().zip(channels) {
                register[lane] = texel[channel];
            }
        }
        self.finish_access(stores, loaded);
        Ok(())
    }

    fn image_descriptors(&self) -> Result<(ImageResource, Option<SamplerResource>), Reason> {
        let Operand::Scalar(first) = self.operand(2) else { return Err(self.not_modeled()) };
        let resource = ImageResource::of(self.wave, first);
        let sampler = match self.row.slots.get(3).map(|_| self.operand(3)) {
            Some(Operand::Scalar(first)) => Some(SamplerResource::of(self.wave, first)),
            _ => None,
        };
        Ok((resource, sampler))
    }

    fn image_address(&self, first: u8, layout: Layout, lane: usize) -> Address {
        let dword = |index: usize| {
            let register = (usize::from(first) + index) & 255;
            self.wave.vector[register][lane]
        };
        Address { dwords: (0..layout.dwords()).map(dword).collect(), layout }
    }

    fn image_data(&self, lane: usize, count: usize) -> Vec<u32> {
        let Operand::Vector(first) = self.operand(0) else { return vec![0; count] };
        let value = |index: usize| self.wave.vector[(usize::from(first) + index) & 255][lane];
        (0..count).map(value).collect()
    }

    fn image_operation(
        &self,
        resource: &ImageResource,
        address: &Address,
        first: u8,
        lane: usize,
        data: &[u32],
    ) -> ImageOperation {
        let name = self.opcode().mnemonic();
        let modifiers = self.instruction.modifiers;
        let value = |index: usize| data.get(index).copied().unwrap_or(0);
        if name == "image_get_resinfo" {
            return ImageOperation::Size { level: address.level() };
        }
        let at = address.layout.before();
        if name.contains("load") || name.contains("store") || self.opcode().is_atomic() {
            let axis = |axis: usize| {
                if axis < address.layout.axes { address.dwords[at + axis] } else { 0 }
            };
            let coordinates = [axis(0), axis(1), axis(2)].map(|c| c as i32);
            let layer = address.layer().unwrap_or(0) as i32;
            let level = address.level();
            let after = address.after() + usize::from(address.layout.layer);
            let sample = if address.layout.sample { address.dwords[after] } else { 0 };
            if name.contains("load") {
                return ImageOperation::Load { coordinates, layer, level, sample };
            }
            if name.contains("store") {
                let mut texel = [0; 4];
                let channels = (0..4).filter(|c| modifiers.dmask >> c & 1 != 0);
                for (index, channel) in channels.enumerate() {
                    texel[channel] = value(index);
                }
                return ImageOperation::Store { coordinates, layer, level, sample, texel };
            }
            // The new value comes before the one that is compared.
            let operation = name.trim_start_matches("image_atomic_");
            let data = [value(0), value(1)];
            return ImageOperation::Atomic { coordinates, layer, operation, data };
        }
        let mut coordinates = address.floats(at);
        // The layer is not rounded: programs do that.
        let mut layer = address.layer().map_or(0, |bits| f32::from_bits(bits).max(0.0) as u32);
        if resource.kind == ImageKind::CUBE {
            coordinates = [coordinates[0] - 1.0, coordinates[1] - 1.0, 0.0];
            let cubes =
                (resource.last_array + 1 - resource.base_array.min(resource.last_array)) / 6;
            layer = (layer / 8).min(cubes.max(1) - 1) * 6 + (layer % 8).min(5);
        }
        let gradients = || {
            let (dx, dy) = self.image_gradients(address, first, lane);
            Level::Gradients { dx, dy, bias: address.bias() }
        };
        if self.opcode() == Opcode::ImageGetLod {
            let (dx, dy) = self.image_gradients(address, first, lane);
            return ImageOperation::QueryLevel { coordinates: address.floats(at), dx, dy };
        }
        let has = |part: &str| name.split('_').any(|word| word == part);
        let level = match () {
            () if has("lz") => Level::Explicit(0.0),
            () if has("l") => Level::Explicit(f32::from_bits(address.level())),
            () => gradients(),
        };
        let (reference, offset) = (address.reference(), address.offset());
        if name.starts_with("image_gather4") {
            let channel = modifiers.dmask.trailing_zeros();
            return ImageOperation::Gather { coordinates, layer, reference, channel, offset };
        }
        let min_level = if has("cl") { f32::from_bits(address.level()) } else { 0.0 };
        ImageOperation::Sample { coordinates, layer, reference, level, offset, min_level }
    }

    /// The given derivatives, or the differences from the first lane of the quad to the next in x
    /// and y, whether these lanes are active or not.
    fn image_gradients(&self, address: &Address, first: u8, lane: usize) -> ([f32; 3], [f32; 3]) {
        let at = address.layout.before();
        if address.layout.derivatives {
            let from = at - 2 * address.layout.axes;
            return (address.floats(from), address.floats(from + address.layout.axes));
        }
        let corner = lane & !3;
        let of = |lane: usize| self.image_address(first, address.layout, lane).floats(at);
        let (base, right, down) = (of(corner), of(corner + 1), of(corner + 2));
        let difference = |to: [f32; 3]| std::array::from_fn(|axis| to[axis] - base[axis]);
        (difference(right), difference(down))
    }
}
