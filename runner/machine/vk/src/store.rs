//! Contents of a script's buffers: bytes, or the samples of an attachment that are newer.

use std::sync::Arc;

use raster::surface::Surface;
use vk_script::{Buffer, BufferId, Script};

use crate::error::{Flow, lacks};
use crate::texels::Codec;

/// A buffer of the script.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    bytes: Arc<Vec<u8>>,
    /// Number of the contents; a change increments it.
    version: u64,
    /// The buffer as an attachment: a surface for each sample.
    attachment: Option<Attachment>,
}

#[derive(Clone, Debug)]
struct Attachment {
    samples: Vec<Surface>,
    /// The bytes are older.
    is_newer: bool,
    /// Version of the bytes that the surfaces have.
    version: u64,
}

/// The buffers of a script.
#[derive(Clone, Debug)]
pub(crate) struct Store<'s> {
    script: &'s Script,
    buffers: Vec<Stored>,
}

impl<'s> Store<'s> {
    /// Returns the buffers with their first contents.
    pub(crate) fn new(script: &'s Script) -> Store<'s> {
        let stored = |buffer: &Buffer| Stored {
            bytes: Arc::new(buffer.initial_bytes()),
            version: 1,
            attachment: None,
        };
        Store { script, buffers: script.buffers.iter().map(stored).collect() }
    }

    pub(crate) fn script(&self) -> &'s Script {
        self.script
    }

    /// Returns the newest bytes. [`Store::update`] made them so.
    pub(crate) fn bytes(&self, id: BufferId) -> &Arc<Vec<u8>> {
        &self.buffers[id.index()].bytes
    }

    /// Replaces the bytes.
    pub(crate) fn set_bytes(&mut self, id: BufferId, bytes: Arc<Vec<u8>>) {
        let stored = &mut self.buffers[id.index()];
        if !Arc::ptr_eq(&stored.bytes, &bytes) {
            stored.bytes = bytes;
            stored.version += 1;
        }
    }

    /// Changes the bytes.
    pub(crate) fn change(&mut self, id: BufferId, change: impl FnOnce(&mut Vec<u8>)) {
        let stored = &mut self.buffers[id.index()];
        change(Arc::make_mut(&mut stored.bytes));
        stored.version += 1;
    }

    /// Brings the newest contents to the bytes. Attachments with several samples keep theirs.
    pub(crate) fn update(&mut self, id: BufferId) {
        let script = self.script;
        let stored = &mut self.buffers[id.index()];
        let Some(attachment) = &mut stored.attachment else { return };
        if !std::mem::take(&mut attachment.is_newer) {
            return;
        }
        if let ([surface], Some(codec)) =
            (&attachment.samples[..], Codec::of(&script.buffer(id).format))
        {
            let bytes: &mut Vec<u8> = Arc::make_mut(&mut stored.bytes);
            write_surface(&codec, surface, bytes);
        }
        stored.version += 1;
        attachment.version = stored.version;
    }

    /// Takes the surfaces of an attachment with its newest contents, which [`Store::put`] puts
    /// back.
    pub(crate) fn take(&mut self, id: BufferId, [width, height]: [u32; 2]) -> Flow<Vec<Surface>> {
        let buffer = self.script.buffer(id);
        let codec = Codec::of(&buffer.format)
            .ok_or_else(|| lacks(format!("attachments of format {}", buffer.format.name)))?;
        let samples = buffer.image.map_or(1, |image| image.samples);
        let fits = |attachment: &&mut Attachment| {
            let size = |surface: &Surface| (surface.width(), surface.height());
            attachment.samples.iter().all(|surface| size(surface) == (width, height))
        };
        let has_other_size =
            self.buffers[id.index()].attachment.as_mut().is_some_and(|a| !fits(&a));
        if has_other_size {
            self.update(id);
            self.buffers[id.index()].attachment = None;
        }
        let stored = &mut self.buffers[id.index()];
        if let Some(attachment) = &mut stored.attachment
            && (attachment.is_newer || attachment.version == stored.version || samples > 1)
        {
            return Ok(std::mem::take(&mut attachment.samples));
        }
        let old = stored.attachment.take();
        let mut surface = Surface::new(width, height, codec.format);
        if samples == 1 {
            read_surface(&codec, &stored.bytes, 0, &mut surface);
            // The bytes may have no room for stencils, which stay as they are.
            if let Some([old]) = old.as_ref().map(|old| &old.samples[..])
                && codec.has_planes()
            {
                keep_stencils(old, &mut surface);
            }
        }
        Ok(vec![surface; samples as usize])
    }

    /// Puts the surfaces of an attachment back, with new contents.
    pub(crate) fn put(&mut self, id: BufferId, samples: Vec<Surface>) {
        let stored = &mut self.buffers[id.index()];
        stored.version += 1;
        let version = stored.version;
        stored.attachment = Some(Attachment { samples, is_newer: true, version });
    }
}

/// Fills a surface with the texels of some bytes, from an index on.
pub(crate) fn read_surface(codec: &Codec, bytes: &[u8], first: usize, surface: &mut Surface) {
    let (width, height) = (surface.width(), surface.height());
    let at = |x: u32, y: u32| first + (y * width + x) as usize;
    for (x, y) in pixels(width, height) {
        surface.set(x as i32, y as i32, codec.decode(bytes, at(x, y)));
    }
    (0..surface.tile_count()).for_each(|tile| surface.compact(tile));
}

/// Writes the texels of a surface to some bytes.
fn write_surface(codec: &Codec, surface: &Surface, bytes: &mut [u8]) {
    for (index, (x, y)) in pixels(surface.width(), surface.height()).enumerate() {
        codec.encode(surface.get(x as i32, y as i32), bytes, index);
    }
}

/// Writes the texels that are not those of an older surface, from an index on: other descriptors of
/// the buffer may have changed the others.
pub(crate) fn write_changes(
    codec: &Codec,
    (old, new): (&Surface, &Surface),
    bytes: &mut [u8],
    first: usize,
) {
    for (index, (x, y)) in pixels(new.width(), new.height()).enumerate() {
        let texel = new.get(x as i32, y as i32);
        if texel != old.get(x as i32, y as i32) {
            codec.encode(texel, bytes, first + index);
        }
    }
}

fn keep_stencils(old: &Surface, new: &mut Surface) {
    for (x, y) in pixels(new.width(), new.height()) {
        let (x, y) = (x as i32, y as i32);
        let [depth, ..] = new.get(x, y);
        new.set(x, y, [depth, old.get(x, y)[1], 0, 0]);
    }
}

fn pixels(width: u32, height: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}
