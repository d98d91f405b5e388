//! Surfaces of a stage's binding table, and accesses of the data port to them.

use std::cell::RefCell;
use std::rc::Rc;

use eu_simulator::host::AtomicOp;
use gpu_service::{Outcome, not_modeled};
use rustc_hash::FxHashMap;
use surfaces::{Surface, SurfaceFormat, SurfaceKind};

use super::sampler_state::Sampler;
use crate::draw::command::Draw;

/// A surface with the storage of its texels.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) surface: Surface,
    /// Storage of texels; `None` for formats that are not known.
    pub(crate) format: Option<&'static SurfaceFormat>,
}

impl Bound {
    /// Bytes of a buffer.
    fn bytes(&self) -> u64 {
        u64::from(self.surface.elements) * self.surface.pitch
    }

    /// Storage of the texels of an uncompressed format.
    pub(crate) fn texel_format(&self) -> Outcome<&'static SurfaceFormat> {
        let format = self.sampled_format()?;
        if format.blocks.is_some() {
            return not_modeled(format!("accesses of surfaces of format {}", format.name));
        }
        Ok(format)
    }

    /// Storage of the texels of a format that is sampled.
    pub(crate) fn sampled_format(&self) -> Outcome<&'static SurfaceFormat> {
        let number = self.surface.format;
        let Some(format) = self.format else {
            let name = packets::format_name(number).unwrap_or("?");
            return not_modeled(format!("surfaces of format {number} ({name})"));
        };
        Ok(format)
    }

    /// Address of a texel by the coordinates of an image access; `None` outside.
    fn place(&self, [u, v, r, _]: [u32; 4], bytes: u64) -> Outcome<Option<u64>> {
        let surface = &self.surface;
        let (x, y, layer) = match surface.kind {
            SurfaceKind::Null => return Ok(None),
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => {
                let inside = u < surface.elements;
                return Ok(inside.then(|| surface.base + u64::from(u) * surface.pitch));
            }
            SurfaceKind::OneD => (u, 0, v),
            _ => (u, v, r),
        };
        let layer = if surface.is_array || surface.kind == SurfaceKind::ThreeD { layer } else { 0 };
        // Image accesses have the level that lookups begin with, not that of render targets.
        let level = surface.first_level;
        let (width, height) = surface.size(level);
        if x >= width || y >= height || layer >= surface.layers_of(level) {
            return Ok(None);
        }
        if surface.samples > 1 {
            return not_modeled("image accesses of multisampled surfaces");
        }
        Ok(Some(surface.address(x, y, layer + surface.first_layer, level, bytes)))
    }
}

/// Surfaces and samplers of a stage.
pub(crate) struct Resources<'a> {
    pub(crate) draw: &'a Draw<'a>,
    table: u64,
    samplers: u64,
    known: RefCell<FxHashMap<u8, Rc<Bound>>>,
    known_samplers: RefCell<FxHashMap<u64, Rc<Sampler>>>,
}

impl<'a> Resources<'a> {
    /// Creates the resources of a stage: with binding table at `table`, sampler states at
    /// `samplers`.
    pub(crate) fn new(draw: &'a Draw<'a>, table: u64, samplers: u64) -> Self {
        let (known, known_samplers) = (RefCell::default(), RefCell::default());
        Resources { draw, table, samplers, known, known_samplers }
    }

    /// Returns the surface of an entry of the binding table.
    pub(crate) fn surface(&self, entry: u8) -> Outcome<Rc<Bound>> {
        if let Some(known) = self.known.borrow().get(&entry) {
            return Ok(known.clone());
        }
        let draw = self.draw;
        let pointer = draw.memory.read_u32(self.table + 4 * u64::from(entry))?;
        let address = draw.context.surface_base + u64::from(pointer);
        let Some(surface) = Surface::load(draw.table, draw.memory, address)? else {
            return not_modeled(format!("the surface state at {address:#x}"));
        };
        let bound = Rc::new(Bound { format: surface.texel_format(), surface });
        self.known.borrow_mut().insert(entry, bound.clone());
        Ok(bound)
    }

    /// Returns a sampler state; `header` is the third double word of a message's header.
    pub(crate) fn sampler(&self, index: u8, header: Option<u32>) -> Outcome<Rc<Sampler>> {
        let start = match header.map_or(0, |pointer| pointer & !0x1f) {
            0 => self.samplers,
            pointer => self.draw.context.dynamic_base + u64::from(pointer),
        };
        let address = start + 16 * u64::from(index);
        if let Some(known) = self.known_samplers.borrow().get(&address) {
            return Ok(known.clone());
        }
        let sampler = Rc::new(Sampler::load(self.draw, address)?);
        self.known_samplers.borrow_mut().insert(address, sampler.clone());
        Ok(sampler)
    }

    /// Offset of the sampler states from the dynamic base, as payloads have it.
    pub(crate) fn sampler_offset(&self) -> u32 {
        let offset = self.samplers.saturating_sub(self.draw.context.dynamic_base);
        u32::try_from(offset).unwrap_or(0)
    }

    /// Reads bytes of a surface. Bytes outside are 0.
    pub(crate) fn read(&self, entry: u8, offset: u32, data: &mut [u8]) -> Outcome<()> {
        data.fill(0);
        let Some((address, count)) = self.range(entry, offset, data.len())? else { return Ok(()) };
        Ok(self.draw.memory.read(address, &mut data[..count])?)
    }

    /// Writes bytes of a surface. Bytes outside are dropped.
    pub(crate) fn write(&self, entry: u8, offset: u32, data: &[u8]) -> Outcome<()> {
        let Some((address, count)) = self.range(entry, offset, data.len())? else { return Ok(()) };
        Ok(self.draw.memory.write(address, &data[..count])?)
    }

    /// Address and number of the bytes of an access that are inside a surface.
    fn range(&self, entry: u8, offset: u32, length: usize) -> Outcome<Option<(u64, usize)>> {
        let bound = self.surface(entry)?;
        match bound.surface.kind {
            SurfaceKind::Null => return Ok(None),
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => {}
            kind => return not_modeled(format!("untyped accesses of surfaces of kind {kind:?}")),
        }
        let Some(room) = bound.bytes().checked_sub(u64::from(offset)) else { return Ok(None) };
        let count = usize::try_from(room).unwrap_or(length).min(length);
        Ok((count > 0).then(|| (bound.surface.base + u64::from(offset), count)))
    }

    /// Changes a double word of a buffer.
    pub(crate) fn atomic(
        &self,
        entry: u8,
        offset: u32,
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Outcome<u32> {
        match self.range(entry, offset, 4)? {
            Some((address, 4)) => self.change(address, op, operands),
            _ => Ok(0),
        }
    }

    /// Changes a double word in memory and returns what the message returns.
    fn change(&self, address: u64, op: AtomicOp, operands: [u32; 2]) -> Outcome<u32> {
        let old = self.draw.memory.read_u32(address)?;
        let (new, result) = changed(op, old, operands);
        self.draw.memory.write(address, &new.to_le_bytes())?;
        Ok(result)
    }

    /// Reads a texel of an image.
    pub(crate) fn typed_read(&self, entry: u8, coordinates: [u32; 4]) -> Outcome<[u32; 4]> {
        let bound = self.surface(entry)?;
        if bound.surface.kind == SurfaceKind::Null {
            return Ok([0; 4]);
        }
        let format = bound.texel_format()?;
        let Some(address) = bound.place(coordinates, format.bytes)? else { return Ok([0; 4]) };
        if self.draw.facts.has_raw_typed_reads && !format.converts_typed_reads() {
            let bytes = self.element(format, address)?;
            let (words, _) = bytes.as_chunks::<4>();
            return Ok(std::array::from_fn(|i| u32::from_le_bytes(words[i])));
        }
        self.decode(format, address)
    }

    /// Writes a texel of an image.
    pub(crate) fn typed_write(
        &self,
        entry: u8,
        coordinates: [u32; 4],
        texel: [u32; 4],
    ) -> Outcome<()> {
        let bound = self.surface(entry)?;
        if bound.surface.kind == SurfaceKind::Null {
            return Ok(());
        }
        let format = bound.texel_format()?;
        let Some(address) = bound.place(coordinates, format.bytes)? else { return Ok(()) };
        Ok(self.draw.memory.write(address, &format.encode(texel))?)
    }

    /// Changes a texel of an image.
    pub(crate) fn typed_atomic(
        &self,
        entry: u8,
        coordinates: [u32; 4],
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Outcome<u32> {
        let bound = self.surface(entry)?;
        match bound.place(coordinates, 4)? {
            Some(address) => self.change(address, op, operands),
            None => Ok(0),
        }
    }

    /// Reads a texel.
    pub(crate) fn decode(&self, format: &SurfaceFormat, address: u64) -> Outcome<[u32; 4]> {
        Ok(format.decode(&self.element(format, address)?))
    }

    /// Reads the bytes of a texel or block.
    pub(crate) fn element(&self, format: &SurfaceFormat, address: u64) -> Outcome<[u8; 16]> {
        let mut bytes = [0; 16];
        let count = usize::try_from(format.bytes).unwrap_or(16).min(16);
        self.draw.memory.read(address, &mut bytes[..count])?;
        Ok(bytes)
    }
}

/// New value of a double word, and what an atomic operation returns.
pub(crate) fn changed(op: AtomicOp, old: u32, [first, second]: [u32; 2]) -> (u32, u32) {
    let (a, b) = (old.cast_signed(), first.cast_signed());
    let new = match op {
        AtomicOp::And => old & first,
        AtomicOp::Or => old | first,
        AtomicOp::Xor => old ^ first,
        AtomicOp::Mov => first,
        AtomicOp::Inc => old.wrapping_add(1),
        AtomicOp::Dec | AtomicOp::PreDec => old.wrapping_sub(1),
        AtomicOp::Add => old.wrapping_add(first),
        AtomicOp::Sub => old.wrapping_sub(first),
        AtomicOp::IMax => a.max(b).cast_unsigned(),
        AtomicOp::IMin => a.min(b).cast_unsigned(),
        AtomicOp::UMax => old.max(first),
        AtomicOp::UMin => old.min(first),
        AtomicOp::CmpWr if old == first => second,
        AtomicOp::CmpWr => old,
    };
    (new, if op == AtomicOp::PreDec { new } else { old })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_operations() {
        assert_eq!(changed(AtomicOp::IMin, 3, [u32::MAX, 0]), (u32::MAX, 3));
        assert_eq!(changed(AtomicOp::UMin, 3, [u32::MAX, 0]), (3, 3));
        assert_eq!(changed(AtomicOp::PreDec, 3, [0, 0]), (2, 2));
        assert_eq!(changed(AtomicOp::CmpWr, 3, [3, 9]), (9, 3));
        assert_eq!(changed(AtomicOp::CmpWr, 4, [3, 9]), (4, 4));
    }
}
