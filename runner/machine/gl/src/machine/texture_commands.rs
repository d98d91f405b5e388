//! Texture and image commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use program::resource::{FIRST_HANDLE, OpaqueSlot, RESIDENT_HANDLES, SlotSource};
use program::types::{Dim, SamplerType};
use program::{Api, Program, Type};

use super::textures::{Resident, TEXTURE_SLOTS, TextureParameter, TextureSlot};
use super::{GlError, Machine, MachineError, ProgramObject};
use raster::format::Format;
use raster::resources::{ImageUnit, TextureId};
use raster::texture::fill::TextureFill;
use raster::texture::image::ImageView;
use raster::texture::{DepthMode, Texture, TextureTarget};

/// The highest level of a texture.
const MAX_LEVEL: u32 = 14;

/// Largest number of texels of a level: a limit on the cost of a test, not of GL.
const MAX_TEXELS: u64 = 1 << 24;

/// Returns the target of a sampler type, `None` for kinds that are not implemented.
fn sampler_target(sampler: &SamplerType) -> Option<TextureTarget> {
    Some(match (sampler.dim, sampler.array) {
        (Dim::D1, false) => TextureTarget::D1,
        (Dim::D1, true) => TextureTarget::D1Array,
        (Dim::D2 | Dim::External, false) => TextureTarget::D2,
        (Dim::D2, true) => TextureTarget::D2Array,
        (Dim::D3, _) => TextureTarget::D3,
        (Dim::Rect, _) => TextureTarget::Rect,
        (Dim::Cube, false) => TextureTarget::Cube,
        (Dim::Cube, true) => TextureTarget::CubeArray,
        _ => return None,
    })
}

impl Machine {
    /// Returns a texture slot of the script.
    pub fn texture_slot(&self, slot: u32) -> Option<TextureSlot> {
        self.textures.slots.get(slot as usize).copied().flatten()
    }

    /// Executes a `texture …` fill command: creates the texture, binds it to the unit of the slot's
    /// number, and makes that unit active. Returns `false` when the slot does not exist. A texture
    /// too large raises `InvalidValue` and has no images.
    pub fn fill_texture(&mut self, slot: u32, fill: &TextureFill) -> bool {
        let index = slot as usize;
        if index >= TEXTURE_SLOTS {
            return false;
        }
        let (width, height, layers) = fill.dimensions();
        let too_deep = matches!(fill, TextureFill::Tiles { level, .. } if *level > MAX_LEVEL);
        let mut texture =
            if too_deep || u64::from(width) * u64::from(height) * u64::from(layers) > MAX_TEXELS {
                self.raise(GlError::InvalidValue);
                Texture::new(TextureTarget::D2, Format::Rgba8)
            } else {
                fill.create()
            };
        // Core contexts have no depth texture mode: depth reads as red.
        if self.capabilities.api() != Api::Compatibility {
            texture.parameters.depth_mode = DepthMode::Red;
        }
        let target = texture.target;
        let id = self.add_texture(texture);
        self.textures.slots[index] = Some(TextureSlot { texture: id, width, height, layers });
        self.textures.bound[index][target as usize] = Some(id);
        self.textures.active = index;
        true
    }

    pub(super) fn add_texture(&mut self, texture: Texture) -> TextureId {
        self.objects.textures.push(Arc::new(texture));
        TextureId(self.objects.textures.len() as u32 - 1)
    }

    /// Executes `texparameter` on the active unit's texture of that target; raises
    /// `InvalidOperation` when none is bound.
    pub fn set_texture_parameter(&mut self, target: TextureTarget, parameter: TextureParameter) {
        let bound = self.textures.bound[self.textures.active][target as usize];
        let Some(texture) = bound.and_then(|id| self.objects.textures.get_mut(id.0 as usize))
        else {
            self.raise(GlError::InvalidOperation);
            return;
        };
        let p = &mut Arc::make_mut(texture).parameters;
        match parameter {
            TextureParameter::CompareFunction(function) => {
                p.compare_function = function;
                p.compare = p.compare.map(|_| function);
            }
            // Core contexts do not have the parameter.
            TextureParameter::DepthMode(_) if self.capabilities.api() != Api::Compatibility => {
                self.raise(GlError::InvalidEnum);
            }
            TextureParameter::DepthMode(mode) => p.depth_mode = mode,
            TextureParameter::Min(min, mip) => (p.min, p.mip) = (min, mip),
            TextureParameter::Mag(mag) => p.mag = mag,
            TextureParameter::Wrap(axis, wrap) => p.wrap[axis.min(2)] = wrap,
            TextureParameter::LodBias(bias) => p.lod_bias = bias,
            TextureParameter::MaxLevel(level) => p.max_level = level,
            TextureParameter::BaseLevel(level) => p.base_level = level,
            TextureParameter::Border(color) => p.border = color,
            TextureParameter::SwizzleRed(source) => p.swizzle[0] = source,
        }
    }

    /// Executes `image texture`: binds level 0, layer 0 of the slot's texture to the image unit of
    /// the same number. Returns `false` when the slot is empty.
    pub fn bind_image(&mut self, slot: u32, format: Format) -> bool {
        let Some(entry) = self.texture_slot(slot) else { return false };
        let view = ImageView { level: 0, layer: Some(0), format };
        self.textures.images[slot as usize] = Some(ImageUnit { texture: entry.texture, view });
        true
    }

    /// Returns the contents of a texture.
    ///
    /// # Errors
    /// There is no such texture.
    pub fn texture(&self, id: TextureId) -> Result<&Texture, MachineError> {
        let texture = self.objects.textures.get(id.0 as usize);
        texture.map(Arc::as_ref).ok_or(MachineError::NothingToRead("there is no such texture"))
    }

    /// Returns the texture of each sampler slot of a program.
    pub(super) fn sampler_textures(&self, object: &ProgramObject) -> Vec<Option<TextureId>> {
        let sources = object.uniforms.samplers.iter();
        sources
            .zip(&object.program.samplers)
            .enumerate()
            .map(|(slot, (&source, at))| {
                let target = sampler_target(&sampler_type(&object.program, slot)?)?;
                match self.source(object, at, source) {
                    SlotSource::Unit(unit) => {
                        self.textures.bound.get(unit as usize)?[target as usize]
                    }
                    SlotSource::Handle(handle) => match self.resident(handle)? {
                        Resident::Texture(texture) => Some(texture),
                        Resident::Unit(unit) => self.textures.bound.get(unit)?[target as usize],
                        Resident::Image(_) => None,
                    },
                }
            })
            .collect()
    }

    /// True if no texture unit serves active samplers of different types (OpenGL 4.6 section
    /// 11.1.3.11); otherwise draws and dispatches raise `InvalidOperation`.
    pub(super) fn sampler_types_agree(object: &ProgramObject) -> bool {
        let mut types: BTreeMap<u32, SamplerType> = BTreeMap::new();
        object.uniforms.samplers.iter().enumerate().all(|(slot, source)| {
            let SlotSource::Unit(unit) = *source else { return true };
            // Slots of blocks have handles.
            sampler_type(&object.program, slot)
                .filter(|_| block_of(&object.program, &object.program.samplers[slot]).is_none())
                .is_none_or(|ty| *types.entry(unit).or_insert(ty) == ty)
        })
    }

    /// Returns the image unit of each image slot of a program.
    pub(super) fn image_units(&self, object: &ProgramObject) -> Vec<Option<ImageUnit>> {
        let sources = object.uniforms.images.iter().zip(&object.program.images);
        sources
            .map(|(&source, at)| match self.source(object, at, source) {
                SlotSource::Unit(unit) => self.textures.images.get(unit as usize).copied()?,
                SlotSource::Handle(handle) => match self.resident(handle)? {
                    Resident::Image(image) => Some(image),
                    Resident::Unit(unit) => self.textures.images.get(unit).copied()?,
                    Resident::Texture(_) => None,
                },
            })
            .collect()
    }

    /// Executes `resident texture`: makes the slot's texture resident. Returns `false` when the
    /// slot is empty, or when no handle is left.
    pub fn make_texture_resident(&mut self, slot: u32) -> bool {
        let Some(entry) = self.texture_slot(slot) else { return false };
        self.make_resident(slot, Resident::Texture(entry.texture))
    }

    /// Executes `resident image texture`: makes level 0, layer 0 of the slot's texture resident.
    /// Returns `false` when the slot is empty, or when no handle is left.
    pub fn make_image_resident(&mut self, slot: u32, format: Format) -> bool {
        let Some(entry) = self.texture_slot(slot) else { return false };
        let view = ImageView { level: 0, layer: Some(0), format };
        self.make_resident(slot, Resident::Image(ImageUnit { texture: entry.texture, view }))
    }

    /// Makes a handle for a slot; `false` when there is none left.
    fn make_resident(&mut self, slot: u32, resident: Resident) -> bool {
        let all = &mut self.textures.resident;
        let number = all.iter().position(|known| *known == resident).unwrap_or_else(|| {
            all.push(resident);
            all.len() - 1
        });
        let handle = (number < RESIDENT_HANDLES as usize).then_some(FIRST_HANDLE + number as u64);
        self.textures.handles[slot as usize] = handle;
        handle.is_some()
    }

    /// Returns the handle that `resident …` made of a slot.
    pub fn handle(&self, slot: u32) -> Option<u64> {
        self.textures.handles.get(slot as usize).copied().flatten()
    }

    /// Sets a generic attribute without an array to the handle of a slot.
    ///
    /// # Errors
    /// `resident …` made no handle of the slot.
    pub fn set_attribute_handle(&mut self, location: u32, slot: u32) -> Result<(), MachineError> {
        let handle = self.handle(slot).ok_or(MachineError::NotResident(slot))?;
        self.state.current.handles.insert(location, handle);
        Ok(())
    }

    /// Returns the texture, image or unit of a handle.
    fn resident(&self, handle: u64) -> Option<Resident> {
        let number = usize::try_from(handle.checked_sub(FIRST_HANDLE)?).ok()?;
        match number.checked_sub(RESIDENT_HANDLES as usize) {
            Some(unit) => Some(Resident::Unit(unit)),
            None => self.textures.resident.get(number).copied(),
        }
    }

    /// The source of a slot: slots of uniform blocks have the handles in the block's memory.
    fn source(&self, object: &ProgramObject, at: &OpaqueSlot, default: SlotSource) -> SlotSource {
        let Some(block) = block_of(&object.program, at) else { return default };
        let uniform = &object.program.uniforms[at.uniform as usize];
        let offset = uniform.offset + at.element * uniform.array_stride;
        let buffer = object.block_buffers.get(usize::from(block) - 1);
        let bytes = buffer.map_or(&[][..], |&buffer| self.objects.buffer(buffer));
        let handle = bytes.get(offset as usize..).and_then(|bytes| bytes.first_chunk());
        SlotSource::Handle(handle.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }
}

/// The uniform block that has the handle of a slot, counted from 1.
fn block_of(program: &Program, at: &OpaqueSlot) -> Option<u16> {
    program.uniforms.get(at.uniform as usize)?.block.filter(|&block| block > 0)
}

fn sampler_type(program: &Program, slot: usize) -> Option<SamplerType> {
    let uniform = program.uniforms.get(program.samplers.get(slot)?.uniform as usize)?;
    match program.types.get(program.types.without_arrays(uniform.ty)) {
        Type::Sampler(sampler) => Some(*sampler),
        _ => None,
    }
}
