//! Surroundings of a wave: memory, exports, messages, interpolation.

use crate::image_resource::{ImageResource, SamplerResource};
use crate::register::LANES;

/// Values that a wave exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Number of the target.
    pub target: u8,
    /// Values of the channels; none for disabled ones. With `compressed` only the first two of the
    /// array count, with two halves each.
    pub channels: [Option<[u32; LANES]>; 4],
    /// Lanes that export.
    pub exec: u64,
    /// Last export of its kind.
    pub done: bool,
    /// EXEC is the mask of valid lanes.
    pub valid_mask: bool,
    /// Pairs of halves.
    pub compressed: bool,
}

/// A message that a wave sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Bits of the message.
    pub bits: u32,
    /// M0 when it was sent.
    pub m0: u32,
    /// EXEC when it was sent.
    pub exec: u64,
}

/// Source of the level of detail of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Derivatives of the coordinates in x and y, plus a bias.
    Gradients {
        /// In x.
        dx: [f32; 3],
        /// In y.
        dy: [f32; 3],
        /// Added to the level.
        bias: f32,
    },
    /// Given.
    Explicit(f32),
}

/// Operation of a lane on an image. Layers count from 0, faces of cubes as layers. Coordinates on
/// faces go from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImageOperation {
    /// A filtered lookup.
    Sample {
        /// Coordinates.
        coordinates: [f32; 3],
        /// Layer.
        layer: u32,
        /// Value to compare texels with.
        reference: Option<f32>,
        /// Level of detail.
        level: Level,
        /// Added to the coordinates, in texels.
        offset: [i32; 3],
        /// Lowest level of detail.
        min_level: f32,
    },
    /// One channel of the four texels that a linear filter would use.
    Gather {
        /// Coordinates.
        coordinates: [f32; 3],
        /// Layer.
        layer: u32,
        /// Value to compare texels with.
        reference: Option<f32>,
        /// The channel.
        channel: u32,
        /// Added to the coordinates, in texels.
        offset: [i32; 3],
    },
    /// The level of detail that a sample would use, clamped and not.
    QueryLevel {
        /// Coordinates.
        coordinates: [f32; 3],
        /// Derivative in x.
        dx: [f32; 3],
        /// Derivative in y.
        dy: [f32; 3],
    },
    /// Load of a texel.
    Load {
        /// Coordinates.
        coordinates: [i32; 3],
        /// Layer.
        layer: i32,
        /// Level.
        level: u32,
        /// Sample.
        sample: u32,
    },
    /// Store of a texel.
    Store {
        /// Coordinates.
        coordinates: [i32; 3],
        /// Layer.
        layer: i32,
        /// Level.
        level: u32,
        /// Sample.
        sample: u32,
        /// The texel.
        texel: [u32; 4],
    },
    /// Exchange of a texel's first channel; gives the old value.
    Atomic {
        /// Coordinates.
        coordinates: [i32; 3],
        /// Layer.
        layer: i32,
        /// Sample.
        sample: u32,
        /// Name of the operation: the mnemonic after `image_atomic_`.
        operation: &'static str,
        /// The operand, and the value to compare with.
        data: [u32; 2],
    },
    /// Width, height, depth or layers of a level, and the number of levels.
    Size {
        /// Level.
        level: u32,
    },
}

/// Access of a lane to an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageAccess {
    /// The descriptor.
    pub resource: ImageResource,
    /// The sampler, if the operation has one.
    pub sampler: Option<SamplerResource>,
    /// Coordinates are texels.
    pub unnormalized: bool,
    /// The operation.
    pub operation: ImageOperation,
}

/// Values of a register of all lanes.
pub type LaneValues = [u32; LANES];

/// Texels that the lanes of a wave load or store.
#[derive(Clone, Debug, PartialEq)]
pub struct TexelAccess {
    /// The descriptor.
    pub resource: ImageResource,
    /// Lanes that take part.
    pub lanes: u64,
    /// Coordinates.
    pub coordinates: [LaneValues; 3],
    /// Layers.
    pub layers: LaneValues,
    /// Levels.
    pub levels: LaneValues,
    /// Samples.
    pub samples: LaneValues,
}

impl TexelAccess {
    /// Coordinates and layer of a lane.
    #[must_use]
    pub fn place(&self, lane: usize) -> ([i32; 3], i32) {
        (self.coordinates.map(|row| row[lane].cast_signed()), self.layers[lane].cast_signed())
    }

    /// The access of one lane, which stores the texel if there is one.
    fn of_lane(&self, lane: usize, stored: Option<[u32; 4]>) -> ImageAccess {
        let (coordinates, layer) = self.place(lane);
        let (level, sample) = (self.levels[lane], self.samples[lane]);
        let operation = match stored {
            None => ImageOperation::Load { coordinates, layer, level, sample },
            Some(texel) => ImageOperation::Store { coordinates, layer, level, sample, texel },
        };
        ImageAccess { resource: self.resource, sampler: None, unnormalized: true, operation }
    }
}

/// Memory and images.
pub trait Memory {
    /// Reads bytes of memory. False if there is none at the address.
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool;

    /// Writes bytes of memory. False if there is none at the address.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;

    /// Memory around an address in which accesses copy bytes and do nothing else: the address of
    /// its first byte, and its bytes.
    fn plain(&mut self, address: u64) -> Option<(u64, &mut [u8])> {
        let _ = address;
        None
    }

    /// Performs an operation on an image; the result has four channels.
    ///
    /// # Errors
    /// There is no such image, as without an implementation.
    fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        Err(format!("none at {:#x}", access.resource.base))
    }

    /// Loads texels; channels of lanes that do not take part stay as they are.
    ///
    /// # Errors
    /// There is no such image.
    fn load_texels(
        &mut self,
        access: &TexelAccess,
        texels: &mut [LaneValues; 4],
    ) -> Result<(), String> {
        for lane in (0..LANES).filter(|lane| access.lanes >> lane & 1 != 0) {
            let texel = self.image(&access.of_lane(lane, None))?;
            for (channel, value) in texels.iter_mut().zip(texel) {
                channel[lane] = value;
            }
        }
        Ok(())
    }

    /// Stores texels.
    ///
    /// # Errors
    /// There is no such image.
    fn store_texels(
        &mut self,
        access: &TexelAccess,
        texels: &[LaneValues; 4],
    ) -> Result<(), String> {
        for lane in (0..LANES).filter(|lane| access.lanes >> lane & 1 != 0) {
            let texel = texels.each_ref().map(|channel| channel[lane]);
            self.image(&access.of_lane(lane, Some(texel)))?;
        }
        Ok(())
    }

    /// A clock, which no two reads find at the same time. Without an implementation it does
    /// not move, and the instructions of the wave are its time.
    fn clock(&mut self) -> u64 {
        0
    }
}

/// Surroundings of a wave.
pub trait Host {
    /// The memory.
    fn memory(&mut self) -> &mut dyn Memory;

    /// Takes an export. Without an implementation exports have no effect.
    fn export(&mut self, export: Export) {
        let _ = export;
    }

    /// Takes a message. Without an implementation messages have no effect.
    fn message(&mut self, message: Message) {
        let _ = message;
    }

    /// Parameter of the lane's triangle: P0, P10 and P20 of an attribute's channel. `None` if there
    /// is none, as without an implementation.
    fn parameter(&mut self, attribute: u8, channel: u8, lane: usize) -> Option<[u32; 3]> {
        let _ = (attribute, channel, lane);
        None
    }
}

/// A host with regions of memory that records what the wave does.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Regions of memory with their addresses.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Exports in their order.
    pub exports: Vec<Export>,
    /// Messages in their order.
    pub messages: Vec<Message>,
    /// Parameters by attribute, channel and lane.
    pub parameters: Vec<[[[u32; 3]; LANES]; 4]>,
}

impl Recorder {
    /// A region with dwords as its content.
    pub fn with_memory(address: u64, dwords: &[u32]) -> Recorder {
        let bytes = dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        Recorder { memory: vec![(address, bytes)], ..Recorder::default() }
    }

    /// The dword at an address; none outside of the regions.
    pub fn dword(&mut self, address: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes).then(|| u32::from_le_bytes(bytes))
    }

    fn slice(&mut self, address: u64, count: usize) -> Option<&mut [u8]> {
        self.memory.iter_mut().find_map(|(start, bytes)| {
            let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get_mut(offset..offset.checked_add(count)?)
        })
    }
}

impl Memory for Recorder {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        match self.slice(address, bytes.len()) {
            Some(region) => {
                bytes.copy_from_slice(region);
                true
            }
            None => false,
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        match self.slice(address, bytes.len()) {
            Some(region) => {
                region.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }
}

impl Host for Recorder {
    fn memory(&mut self) -> &mut dyn Memory {
        self
    }

    fn export(&mut self, export: Export) {
        self.exports.push(export);
    }

    fn message(&mut self, message: Message) {
        self.messages.push(message);
    }

    fn parameter(&mut self, attribute: u8, channel: u8, lane: usize) -> Option<[u32; 3]> {
        let channels = self.parameters.get(usize::from(attribute))?;
        channels.get(usize::from(channel))?.get(lane).copied()
    }
}
