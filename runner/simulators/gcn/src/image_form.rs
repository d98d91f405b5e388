//! Forms of image instructions, from their mnemonics.

use amd_isa::Opcode;

/// Parts of an address, in the order of the registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AddressLayout {
    pub offset: bool,
    pub bias: bool,
    pub reference: bool,
    pub derivatives: bool,
    /// Coordinates of texels, without layer and sample.
    pub axes: usize,
    pub layer: bool,
    pub sample: bool,
    /// Level of a sample or of a load, or lower limit of the level.
    pub level: bool,
}

impl AddressLayout {
    /// Number of registers before the coordinates.
    pub(crate) fn before(&self) -> usize {
        let single = [self.offset, self.bias, self.reference];
        let derivatives = if self.derivatives { 2 * self.axes } else { 0 };
        single.into_iter().filter(|part| *part).count() + derivatives
    }

    /// Number of registers.
    pub(crate) fn dwords(&self) -> usize {
        let single = [self.layer, self.sample, self.level];
        self.before() + self.axes + single.into_iter().filter(|part| *part).count()
    }
}

/// Effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Size,
    Load,
    Store,
    /// An atomic operation by its name.
    Atomic(&'static str),
    QueryLevel,
    Gather,
    Sample,
}

/// Source of a sample's level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelSource {
    Zero,
    Register,
    Gradients,
}

/// An instruction, taken apart by its mnemonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageForm {
    pub kind: Kind,
    pub level: LevelSource,
    /// The level's register is the lowest level of a sample.
    pub limits_level: bool,
    pub is_modeled: bool,
    /// Parts of the address, for images with samples and without axes.
    parts: AddressLayout,
}

impl ImageForm {
    /// Takes a mnemonic apart.
    pub(crate) fn of(opcode: Opcode) -> ImageForm {
        let name = opcode.mnemonic();
        let has = |part: &str| name.split('_').any(|word| word == part);
        let kind = match () {
            () if name == "image_get_resinfo" => Kind::Size,
            () if name.contains("load") => Kind::Load,
            () if name.contains("store") => Kind::Store,
            () if opcode.is_atomic() => Kind::Atomic(name.trim_start_matches("image_atomic_")),
            () if opcode == Opcode::ImageGetLod => Kind::QueryLevel,
            () if name.starts_with("image_gather4") => Kind::Gather,
            () => Kind::Sample,
        };
        let level = match () {
            () if has("lz") => LevelSource::Zero,
            () if has("l") => LevelSource::Register,
            () => LevelSource::Gradients,
        };
        let parts = AddressLayout {
            offset: has("o"),
            bias: has("b"),
            reference: has("c"),
            derivatives: has("d") || has("cd"),
            sample: matches!(kind, Kind::Load | Kind::Store | Kind::Atomic(_)),
            level: has("l") || has("cl") || has("mip"),
            ..AddressLayout::default()
        };
        let is_modeled = !name.contains("_pck") && !has("cd");
        ImageForm { kind, level, limits_level: has("cl"), is_modeled, parts }
    }

    /// Parts of the address of an access to an image with these axes, layers and samples.
    pub(crate) fn layout(&self, axes: usize, has_layers: bool, has_samples: bool) -> AddressLayout {
        if self.kind == Kind::Size {
            return AddressLayout { level: true, ..AddressLayout::default() };
        }
        let sample = self.parts.sample && has_samples;
        AddressLayout { axes, layer: has_layers, sample, ..self.parts }
    }
}
