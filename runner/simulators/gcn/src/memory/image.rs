//! Images: MIMG. The registers of an access are taken apart here; texels are the host's.

use amd_isa::{Operand, Register};

use crate::buffer_form::BufferForm;
use crate::error::Reason;
use crate::host::{ImageAccess, ImageOperation, LaneValues, Level, TexelAccess};
use crate::image_form::{AddressLayout, ImageForm, Kind, LevelSource};
use crate::image_resource::{ImageKind, ImageResource, SamplerResource};
use crate::register::LANES;
use crate::run::Step;

/// An access taken apart: the same for all its lanes.
struct Form {
    shape: ImageForm,
    layout: AddressLayout,
    /// Number of the first register of addresses.
    first: u8,
}

/// Most registers of an address: an offset, a bias, a reference, six derivatives, three
/// coordinates, a layer, a sample and a level.
const ADDRESS_DWORDS: usize = 15;

/// Address of one lane.
struct Address {
    /// Registers in their order.
    dwords: [u32; ADDRESS_DWORDS],
    layout: AddressLayout,
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

/// An atomic operation on one texel: the new value comes before the one that is compared.
fn texel_operation(operation: &'static str, address: &Address, data: [u32; 2]) -> ImageOperation {
    let (layout, at) = (address.layout, address.layout.before());
    let axis = |axis: usize| if axis < layout.axes { address.dwords[at + axis] } else { 0 };
    let coordinates = [axis(0), axis(1), axis(2)].map(u32::cast_signed);
    let layer = address.layer().unwrap_or(0).cast_signed();
    let after = address.after() + usize::from(layout.layer);
    let sample = if layout.sample { address.dwords[after] } else { 0 };
    ImageOperation::Atomic { coordinates, layer, sample, operation, data }
}

impl Step<'_> {
    /// Executes an operation on an image.
    pub(crate) fn image(&mut self, shape: ImageForm) -> Result<(), Reason> {
        let modifiers = self.instruction.modifiers;
        let unusual = modifiers.tfe || modifiers.lwe || modifiers.r128 || modifiers.d16;
        if unusual || !shape.is_modeled {
            return Err(self.not_modeled());
        }
        let (resource, sampler) = self.image_descriptors()?;
        let axes = resource.kind.axes().ok_or_else(|| {
            Reason::Descriptor(format!("type {} is not an image", resource.kind.0))
        })?;
        let layout = shape.layout(axes, modifiers.da, resource.kind.has_samples());
        let Operand::Vector(first) = self.operand(1) else { return Err(self.not_modeled()) };
        for index in 0..layout.dwords() {
            let register = Register::Vector(first.wrapping_add(index as u8));
            self.wave.pending.check(register, self.wave.exec(), false, None)?;
        }
        let form = Form { shape, layout, first };
        let unnormalized = modifiers.unorm || sampler.is_some_and(|sampler| sampler.unnormalized);
        let exec = self.wave.exec();
        let count = usize::from(self.slot(0).dwords(&modifiers, self.opcode()));
        let channels =
            (0..4).filter(|c| form.shape.kind == Kind::Gather || modifiers.dmask >> c & 1 != 0);
        if matches!(form.shape.kind, Kind::Load | Kind::Store) {
            return self.texels(resource, &form, count);
        }
        let mut loaded = vec![[0; LANES]; count];
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let operation = self.image_operation(&resource, &form, lane, count);
            let access = ImageAccess { resource, sampler, unnormalized, operation };
            let texel = self.host.memory().image(&access).map_err(Reason::Image)?;
            for (register, channel) in loaded.iter_mut().zip(channels.clone()) {
                register[lane] = texel[channel];
            }
        }
        self.finish_access(self.access_form(false), loaded);
        Ok(())
    }

    /// The form of the access to data registers.
    fn access_form(&self, stores: bool) -> BufferForm {
        BufferForm { stores, ..BufferForm::of(self.opcode()) }
    }

    /// Loads or stores texels of all lanes.
    fn texels(&mut self, resource: ImageResource, form: &Form, count: usize) -> Result<(), Reason> {
        let (layout, first) = (form.layout, form.layout.before());
        let register = |from: u8, index: usize| self.wave.vector[(usize::from(from) + index) & 255];
        let address = |index: usize, is_present: bool| match is_present {
            true => register(form.first, index),
            false => [0; LANES],
        };
        let after = first + layout.axes;
        let access = TexelAccess {
            resource,
            lanes: self.wave.exec(),
            coordinates: [0, 1, 2].map(|axis| address(first + axis, axis < layout.axes)),
            layers: address(after, layout.layer),
            levels: address(layout.dwords().saturating_sub(1), layout.level),
            samples: address(after + usize::from(layout.layer), layout.sample),
        };
        let stores = form.shape.kind == Kind::Store;
        let dmask = self.instruction.modifiers.dmask;
        let channels = (0..4).filter(|channel| dmask >> channel & 1 != 0).take(count);
        let mut texels = [[0; LANES]; 4];
        if stores {
            let Operand::Vector(data) = self.operand(0) else { return Err(self.not_modeled()) };
            for (index, channel) in channels.enumerate() {
                texels[channel] = register(data, index);
            }
            self.host.memory().store_texels(&access, &texels).map_err(Reason::Image)?;
            self.finish_access(self.access_form(true), vec![[0; LANES]; count]);
            return Ok(());
        }
        self.host.memory().load_texels(&access, &mut texels).map_err(Reason::Image)?;
        let mut loaded: Vec<LaneValues> = channels.map(|channel| texels[channel]).collect();
        loaded.resize(count, [0; LANES]);
        self.finish_access(self.access_form(false), loaded);
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

    fn image_address(&self, form: &Form, lane: usize) -> Address {
        let mut dwords = [0; ADDRESS_DWORDS];
        for (index, dword) in dwords.iter_mut().take(form.layout.dwords()).enumerate() {
            *dword = self.wave.vector[(usize::from(form.first) + index) & 255][lane];
        }
        Address { dwords, layout: form.layout }
    }

    /// Data of a lane: registers beyond the operation's are 0.
    fn image_data(&self, lane: usize, count: usize) -> [u32; 4] {
        let Operand::Vector(first) = self.operand(0) else { return [0; 4] };
        let value = |index: usize| self.wave.vector[(usize::from(first) + index) & 255][lane];
        std::array::from_fn(|index| if index < count { value(index) } else { 0 })
    }

    fn image_operation(
        &self,
        resource: &ImageResource,
        form: &Form,
        lane: usize,
        count: usize,
    ) -> ImageOperation {
        let address = self.image_address(form, lane);
        match form.shape.kind {
            Kind::Size => ImageOperation::Size { level: address.level() },
            Kind::Atomic(operation) => {
                let data = self.image_data(lane, count);
                texel_operation(operation, &address, [data[0], data[1]])
            }
            _ => self.lookup(resource, form, &address, lane),
        }
    }

    /// A lookup with a sampler.
    fn lookup(
        &self,
        resource: &ImageResource,
        form: &Form,
        address: &Address,
        lane: usize,
    ) -> ImageOperation {
        let at = address.layout.before();
        let mut coordinates = address.floats(at);
        // The layer is not rounded: programs do that.
        let mut layer = address.layer().map_or(0, |bits| f32::from_bits(bits).max(0.0) as u32);
        if resource.kind == ImageKind::CUBE {
            coordinates = [coordinates[0] - 1.0, coordinates[1] - 1.0, 0.0];
            let cubes =
                (resource.last_array + 1 - resource.base_array.min(resource.last_array)) / 6;
            layer = (layer / 8).min(cubes.max(1) - 1) * 6 + (layer % 8).min(5);
        }
        if form.shape.kind == Kind::QueryLevel {
            let (dx, dy) = self.image_gradients(form, address, lane);
            return ImageOperation::QueryLevel { coordinates: address.floats(at), dx, dy };
        }
        let (reference, offset) = (address.reference(), address.offset());
        if form.shape.kind == Kind::Gather {
            let channel = self.instruction.modifiers.dmask.trailing_zeros();
            return ImageOperation::Gather { coordinates, layer, reference, channel, offset };
        }
        let level = match form.shape.level {
            LevelSource::Zero => Level::Explicit(0.0),
            LevelSource::Register => Level::Explicit(f32::from_bits(address.level())),
            LevelSource::Gradients => {
                let (dx, dy) = self.image_gradients(form, address, lane);
                Level::Gradients { dx, dy, bias: address.bias() }
            }
        };
        let min_level = if form.shape.limits_level { f32::from_bits(address.level()) } else { 0.0 };
        ImageOperation::Sample { coordinates, layer, reference, level, offset, min_level }
    }

    /// The given derivatives, or the differences from the first lane of the quad to the next in x
    /// and y, whether these lanes are active or not.
    fn image_gradients(&self, form: &Form, address: &Address, lane: usize) -> ([f32; 3], [f32; 3]) {
        let at = address.layout.before();
        if address.layout.derivatives {
            let from = at - 2 * address.layout.axes;
            return (address.floats(from), address.floats(from + address.layout.axes));
        }
        let corner = lane & !3;
        let of = |lane: usize| self.image_address(form, lane).floats(at);
        let (base, right, down) = (of(corner), of(corner + 1), of(corner + 2));
        let difference = |to: [f32; 3]| std::array::from_fn(|axis| to[axis] - base[axis]);
        (difference(right), difference(down))
    }
}
