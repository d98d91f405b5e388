//! Align1 views of vec4 operands: components of one vertex as regions.
//!
//! A vec4 operand with a unit region holds vertex 0 first and vertex 1 four components later; with
//! a scalar region (uniforms, constants) both vertices read the same four components.

use crate::lir::{File, Operand, Region};

/// Byte offset of component `component` (through the swizzle) of vertex `vertex`, from the
/// operand's register on.
fn address(operand: &Operand, vertex: u32, component: u8) -> u32 {
    let size = operand.ty.size();
    let row = if operand.is_scalar() { 0 } else { vertex * 4 * size };
    operand.offset + row + u32::from(operand.swizzle.get(component)) * size
}

/// Components `first .. first + count` of one vertex as an Align1 source; `None` if no region fits.
pub(super) fn source(operand: &Operand, vertex: u32, first: u8, count: u8) -> Option<Operand> {
    if !matches!(operand.file, File::Grf(_) | File::Vgrf(_)) {
        return Some(*operand);
    }
    let size = operand.ty.size();
    let at: Vec<u32> = (first..first + count).map(|c| address(operand, vertex, c)).collect();
    let base =
        Operand { offset: 0, swizzle: crate::lir::Swizzle::XYZW, ..*operand }.byte_offset(at[0]);
    let packed = |w: &[u32]| w.windows(2).all(|p| p[1] == p[0] + size);
    if at.iter().all(|a| *a == at[0]) {
        return Some(base.scalar());
    }
    if packed(&at) {
        // A row may not cross a register: halve it where it would.
        let last = at[0] + u32::from(count) * size - 1;
        if at[0] / 32 == last / 32 {
            return Some(base.strided(1));
        }
        return (count == 4 && packed(&at[..2]) && at[1] / 32 == at[0] / 32)
            .then(|| base.with_region(2, 2, 1));
    }
    if count == 4
        && at[0] == at[2]
        && at[1] == at[3]
        && packed(&at[..2])
        && at[0] / 32 == at[1] / 32
    {
        return Some(base.with_region(0, 2, 1));
    }
    None
}

/// Splits the components of `mask` into runs that every source can follow with a region that
/// `accept` takes (it takes scalars): (first component, count).
pub(super) fn runs(
    sources: &[Operand],
    mask: u8,
    accept: impl Fn(&Operand) -> bool,
) -> Vec<(u8, u8)> {
    let follows = |s: &Operand, vertex: u32, first: u8, count: u8| {
        source(s, vertex, first, count).is_some_and(|region| accept(&region))
    };
    let fits = |first: u8, count: u8| {
        (0..2).all(|vertex| sources.iter().all(|s| follows(s, vertex, first, count)))
    };
    let mut runs = Vec::new();
    let mut c = 0;
    while c < 4 {
        if mask >> c & 1 == 0 {
            c += 1;
            continue;
        }
        let enabled = |count: u8| (c..c + count).all(|d| mask >> d & 1 != 0);
        let count = if c == 0 && enabled(4) && fits(0, 4) {
            4
        } else if c % 2 == 0 && enabled(2) && fits(c, 2) {
            2
        } else {
            1
        };
        runs.push((c, count));
        c += count;
    }
    runs
}

/// Components `first …` of vertex `vertex` of an Align1 destination with the given stride in
/// elements.
pub(super) fn destination(operand: &Operand, vertex: u32, first: u8, stride: u8) -> Operand {
    let size = operand.ty.size() * u32::from(stride);
    let mut dst = operand.byte_offset((vertex * 4 + u32::from(first)) * size);
    dst.region = Region::Stride(stride);
    dst.writemask = crate::lir::WRITEMASK_XYZW;
    dst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir::{Swizzle, Type};

    #[test]
    fn regions_of_double_components() {
        let v = Operand::vgrf(cranelift_entity::EntityRef::new(0), Type::DF);
        let whole = source(&v, 1, 0, 4).unwrap();
        assert_eq!((whole.offset, whole.region), (32, Region::Stride(1)));
        let splat = source(&v.swizzled(Swizzle::new([2; 4])), 0, 0, 4).unwrap();
        assert_eq!((splat.offset, splat.region), (16, Region::Stride(0)));
        let pairs = source(&v.swizzled(Swizzle::new([2, 3, 2, 3])), 1, 0, 4).unwrap();
        assert_eq!(
            (pairs.offset, pairs.region),
            (48, Region::Exact { vstride: 0, width: 2, hstride: 1 })
        );
        assert!(source(&v.swizzled(Swizzle::new([1, 0, 3, 2])), 0, 0, 4).is_none());
        // A uniform that starts in the middle of a register.
        let mut uniform = Operand::grf(5, Type::DF).scalar();
        uniform.offset = 16;
        let row = source(&uniform, 1, 0, 4).unwrap();
        assert_eq!((row.file, row.offset), (File::Grf(5), 16));
        assert_eq!(row.region, Region::Exact { vstride: 2, width: 2, hstride: 1 });
    }

    #[test]
    fn runs_cover_the_mask() {
        let v = Operand::vgrf(cranelift_entity::EntityRef::new(0), Type::DF);
        let all = |_: &Operand| true;
        assert_eq!(runs(&[v], 0b1111, all), [(0, 4)]);
        assert_eq!(runs(&[v], 0b0111, all), [(0, 2), (2, 1)]);
        assert_eq!(
            runs(&[v.swizzled(Swizzle::new([1, 0, 2, 3]))], 0b1111, all),
            [(0, 1), (1, 1), (2, 2)]
        );
        assert_eq!(runs(&[v], 0b1010, all), [(1, 1), (3, 1)]);
        // Pairs that repeat have a region, but no stride.
        let pairs = v.swizzled(Swizzle::new([0, 1, 0, 1]));
        assert_eq!(runs(&[pairs], 0b1111, all), [(0, 4)]);
        let strided = |region: &Operand| region.stride().is_some();
        assert_eq!(runs(&[pairs], 0b1111, strided), [(0, 2), (2, 2)]);
    }
}
