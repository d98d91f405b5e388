//! Named behavior of the hardware that a program has to work around.

use amd_isa::Chip;

/// Quirks that are modeled. Each has a test that fails without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// VCCZ is wrong after a scalar load, until VCC is written (si).
    pub vccz_after_smrd: bool,
    /// Missing wait states of `amd_isa::hazards` are errors.
    pub hazards: bool,
    /// An offset in a DS instruction is added without carry to a negative base: the access is out
    /// of range (si).
    pub ds_negative_base: bool,
    /// The range check of a buffer access with an address in vector registers ignores a scalar
    /// offset (si).
    pub soffset_clamp: bool,
    /// Vector instructions take the number of records as bytes if addresses are not swizzled, even
    /// with a stride (vi).
    pub records_in_bytes: bool,
    /// `v_fract_f64` can give 1.0 (si).
    pub fract_f64: bool,
    /// The exponent of infinities and of what is not a number is -1 instead of 0 (si).
    pub frexp_infinite: bool,
    /// Stores and atomics hold their data registers until EXPCNT says otherwise (si).
    pub store_data_held: bool,
}

impl Quirks {
    /// The quirks of a chip.
    pub fn of(chip: Chip) -> Quirks {
        let si = chip == Chip::Si;
        Quirks {
            vccz_after_smrd: si,
            hazards: true,
            ds_negative_base: si,
            soffset_clamp: si,
            records_in_bytes: chip == Chip::Vi,
            fract_f64: si,
            frexp_infinite: si,
            store_data_held: si,
        }
    }
}
