//! Render targets: surfaces of the fragment shader's binding table, blend state, stores.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use surfaces::{Surface, SurfaceFormat, SurfaceKind};

use super::Draw;
use crate::error::{Outcome, not_modeled};

/// A surface with the storage of its texels.
type Texture = (Surface, &'static SurfaceFormat);

/// A render target with its write mask.
struct Target {
    surface: Surface,
    format: &'static SurfaceFormat,
    /// Bits of a texel that are written; `None` if all are.
    mask: Option<Vec<u8>>,
}

/// Render targets of a draw, loaded when they are first written.
pub(super) struct Targets<'a> {
    draw: &'a Draw<'a>,
    /// Targets by entry of the binding table; `None` for null surfaces.
    known: RefCell<FxHashMap<u8, Option<Rc<Target>>>>,
    /// Textures, likewise.
    textures: RefCell<FxHashMap<u8, Option<Rc<Texture>>>>,
}

impl<'a> Targets<'a> {
    /// Creates the targets of a draw.
    pub(super) fn new(draw: &'a Draw<'a>) -> Outcome<Self> {
        Ok(Targets { draw, known: RefCell::default(), textures: RefCell::default() })
    }

    /// Writes a pixel.
    pub(super) fn write(
        &self,
        entry: u8,
        x: u32,
        y: u32,
        layer: u32,
        color: [u32; 4],
    ) -> Outcome<()> {
        let known = self.known.borrow().get(&entry).cloned();
        let target = match known {
            Some(target) => target,
            None => {
                let target = self.load(entry)?.map(Rc::new);
                self.known.borrow_mut().insert(entry, target.clone());
                target
            }
        };
        let Some(target) = target else { return Ok(()) };
        let Target { surface, format, mask } = &*target;
        let (width, height) = surface.size(surface.level);
        if x >= width || y >= height || layer >= surface.layers {
            return Ok(());
        }
        let layer = layer + surface.first_layer;
        let address = surface.address(x, y, layer, surface.level, format.bytes);
        let mut texel = format.encode(color);
        let memory = self.draw.memory;
        if let Some(mask) = mask {
            let mut old = vec![0; texel.len()];
            memory.read(address, &mut old)?;
            for ((new, old), mask) in texel.iter_mut().zip(old).zip(mask) {
                *new = *new & mask | old & !mask;
            }
        }
        memory.write(address, &texel)?;
        Ok(())
    }

    /// Reads a texel of a texture at x, y and layer. Outside the texture all components are 0.
    pub(super) fn read(&self, entry: u8, place: [u32; 3], level: u32) -> Outcome<[u32; 4]> {
        let Some(texture) = self.texture(entry)? else { return Ok([0; 4]) };
        let (surface, format) = &*texture;
        let [x, y, layer] = place;
        let (width, height) = surface.size(level);
        if x >= width || y >= height || layer >= surface.depth || level > surface.level {
            return Ok([0; 4]);
        }
        let address = surface.address(x, y, layer + surface.first_layer, level, format.bytes);
        let mut bytes = [0; 16];
        let count = usize::try_from(format.bytes).unwrap_or(16);
        self.draw.memory.read(address, &mut bytes[..count])?;
        Ok(format.decode(&bytes))
    }

    /// Returns a texture by its entry of the binding table; `None` for null surfaces.
    fn texture(&self, entry: u8) -> Outcome<Option<Rc<Texture>>> {
        if let Some(known) = self.textures.borrow().get(&entry) {
            return Ok(known.clone());
        }
        let texture = self.surface(entry)?.map(Rc::new);
        if let Some(texture) = &texture
            && texture.1.is_srgb
        {
            return not_modeled("textures of sRGB");
        }
        self.textures.borrow_mut().insert(entry, texture.clone());
        Ok(texture)
    }

    /// Loads the surface of an entry of the binding table.
    fn surface(&self, entry: u8) -> Outcome<Option<Texture>> {
        let draw = self.draw;
        let words = draw.context.packet("3DSTATE_BINDING_TABLE_POINTERS_PS");
        let table = draw.context.surface_base + draw.fields.binding_table.offset.get(words);
        let pointer = draw.memory.read_u32(table + 4 * u64::from(entry))?;
        let address = draw.context.surface_base + u64::from(pointer);
        let Some(surface) = Surface::load(draw.table, draw.memory, address)? else {
            return not_modeled(format!("the surface state at {address:#x}"));
        };
        if surface.kind == SurfaceKind::Null {
            return Ok(None);
        }
        if !matches!(surface.kind, SurfaceKind::OneD | SurfaceKind::TwoD) || surface.samples > 1 {
            return not_modeled(format!("surfaces of kind {:?}", surface.kind));
        }
        let Some(format) = surface.texel_format() else {
            return not_modeled(format!("surfaces of format {}", surface.format));
        };
        Ok(Some((surface, format)))
    }

    /// Loads the target of an entry of the binding table.
    fn load(&self, entry: u8) -> Outcome<Option<Target>> {
        let Some((surface, format)) = self.surface(entry)? else { return Ok(None) };
        let mask = self.mask(entry, format)?;
        Ok(Some(Target { surface, format, mask }))
    }

    /// Reads the write mask of a target from the blend state.
    fn mask(&self, entry: u8, format: &SurfaceFormat) -> Outcome<Option<Vec<u8>>> {
        let draw = self.draw;
        let fields = draw.fields.blend;
        let pointer = draw.context.packet("3DSTATE_BLEND_STATE_POINTERS");
        // Later generations have a header before the entries.
        let header = draw.table.structure("BLEND_STATE").map_or(0, |layout| 4 * layout.words);
        let address = draw.context.dynamic_base
            + draw.fields.blend_pointer.offset.get(pointer)
            + u64::from(header)
            + 8 * u64::from(entry);
        let words = draw.memory.read_words(address, 2)?;
        let refused = [fields.blends, fields.has_logic, fields.tests_alpha];
        if refused.iter().any(|field| field.flag(&words)) {
            return not_modeled("blending, logic operations and alpha tests");
        }
        let disabled = [fields.no_red, fields.no_green, fields.no_blue, fields.no_alpha];
        let written = disabled.map(|field| !field.flag(&words));
        Ok((written != [true; 4]).then(|| format.component_mask(written)))
    }
}
