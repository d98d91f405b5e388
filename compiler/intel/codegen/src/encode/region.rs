//! Operands with their encoded regions.

use crate::error::CompileError;
use crate::lir::{File, Inst, Op, Operand, REG_SIZE, Region, RowStep, Rows, Swizzle, Type};
use crate::model::{Model, Quirk};

/// The instruction around an operand.
pub(super) struct Context<'a> {
    pub inst: &'a Inst,
    pub model: &'a Model,
    /// The instruction encodes twice its channels (ivb, 64-bit).
    pub doubled: bool,
}

impl Context<'_> {
    /// Align1 regions of this instruction count 32-bit units.
    fn dword_regions(&self) -> bool {
        self.doubled && self.model.handles(Quirk::IvbDfRegions)
    }
}

/// Register file and number of an allocated operand; type and region at their defaults.
pub(super) fn file(operand: &Operand) -> Result<intel_isa::Operand, CompileError> {
    let mut o = intel_isa::Operand::NULL;
    match operand.file {
        File::Null | File::None => {}
        File::Grf(nr) => {
            let byte = u32::from(nr) * 32 + operand.offset;
            o.file = intel_isa::RegFile::Grf;
            o.nr = u8::try_from(byte / 32).ok().filter(|n| *n < 128).ok_or_else(|| {
                CompileError::encode(format!("register number {} out of range", byte / 32))
            })?;
            o.subnr = (byte % 32) as u8;
        }
        File::Arf(arf) => {
            o.file = intel_isa::RegFile::Arf;
            o.nr = arf.number();
            o.subnr = operand.offset as u8;
        }
        File::Imm(bits) => {
            o.file = intel_isa::RegFile::Imm;
            o.imm = if operand.ty.size() == 2 && !matches!(operand.ty, Type::V | Type::UV) {
                (bits & 0xffff) | (bits & 0xffff) << 16
            } else {
                bits
            };
        }
        File::Vgrf(v) => return Err(CompileError::encode(format!("{v} has no register"))),
    }
    Ok(o)
}

/// The destination.
pub(super) fn destination(c: &Context<'_>) -> Result<intel_isa::Operand, CompileError> {
    let dst = &c.inst.dst;
    let mut o = file(dst)?;
    o.ty = dst.ty;
    if c.inst.align16 || c.inst.op.info().three_source {
        // Of DF components exactly XY and ZW would act on dwords; `lower_df_writemask` has removed
        // them.
        o.writemask = intel_isa::WriteMask(dst.writemask);
        o.region = intel_isa::Region::dst(1);
        if dst.is_reg() && o.subnr % 16 != 0 {
            return Err(CompileError::encode("Align16 destination off the 16-byte grid"));
        }
        return Ok(o);
    }
    let stride = dst.stride().unwrap_or(1).max(1);
    let hstride = match (c.dword_regions(), dst.ty.size()) {
        // Both dwords of each channel are written; stride 2 is what the packed encoding does.
        (true, 4) if dst.is_reg() => {
            if stride != 2 && c.inst.exec_size > 1 {
                return Err(CompileError::encode(
                    "a 32-bit result of a DF instruction needs stride 2",
                ));
            }
            1
        }
        (true, 8) if stride != 1 => return Err(CompileError::encode("strided DF destination")),
        _ => stride,
    };
    if !matches!(hstride, 1 | 2 | 4) {
        return Err(CompileError::encode(format!("destination stride {hstride}")));
    }
    o.region = intel_isa::Region::dst(hstride);
    Ok(o)
}

/// Source `index`.
pub(super) fn source(
    c: &Context<'_>,
    src: &Operand,
    index: usize,
) -> Result<intel_isa::Operand, CompileError> {
    let folded = src.fold_modifiers();
    let mut o = file(&folded)?;
    o.ty = src.ty;
    o.negate = folded.negate;
    o.abs = folded.abs;
    if folded.is_imm() {
        if c.inst.op == Op::Dim {
            o.ty = intel_isa::Type::F;
        }
        return Ok(o);
    }
    if c.inst.op.info().three_source {
        return three_source(c, src, o);
    }
    if c.inst.align16 {
        return align16(c, src, o);
    }
    o.region = match c.inst.op {
        Op::Pln | Op::Line if index == 0 => intel_isa::Region::SCALAR,
        Op::Pln | Op::Line => intel_isa::Region::PACKED8,
        _ => align1(c, src)?,
    };
    Ok(o)
}

/// Three-source operands: packed rows, or one replicated dword.
fn three_source(
    c: &Context<'_>,
    src: &Operand,
    mut o: intel_isa::Operand,
) -> Result<intel_isa::Operand, CompileError> {
    let no_replication = src.ty.size() == 8 && c.model.handles(Quirk::ThreeSourceNoDfRep);
    if src.is_scalar() && no_replication && !c.inst.align16 {
        return Err(CompileError::encode("scalar DF source of a three-source instruction"));
    }
    if src.is_scalar() && !no_replication {
        if c.inst.align16 {
            // All channels that are written read the same component; others may select another.
            let channel = c.inst.dst.writemask.trailing_zeros().min(3) as u8;
            o.subnr += src.ty.size() as u8 * src.swizzle.get(channel);
        }
        o.rep_ctrl = true;
        o.swizzle = intel_isa::Swizzle(0);
        return Ok(o);
    }
    if !o.subnr.is_multiple_of(16) || (!c.inst.align16 && src.stride() != Some(1)) {
        return Err(CompileError::encode("three-source operand is not packed"));
    }
    o.swizzle = physical_swizzle(c, src)?.0;
    o.region = intel_isa::Region::ALIGN16;
    Ok(o)
}

fn align16(
    c: &Context<'_>,
    src: &Operand,
    mut o: intel_isa::Operand,
) -> Result<intel_isa::Operand, CompileError> {
    if o.file == intel_isa::RegFile::Grf && !o.subnr.is_multiple_of(16) {
        return Err(CompileError::encode("Align16 source off the 16-byte grid"));
    }
    let (swizzle, step) = physical_swizzle(c, src)?;
    o.swizzle = swizzle;
    let vstride = match step {
        RowStep::Next => 4,
        RowStep::Same(oword) => {
            let byte = u32::from(o.subnr) + 16 * u32::from(oword);
            o.nr += (byte / REG_SIZE) as u8;
            o.subnr = (byte % REG_SIZE) as u8;
            0
        }
    };
    o.region = intel_isa::Region::new(vstride, 4, 1);
    Ok(o)
}

/// The swizzle as encoded, and how rows follow each other. A DF row is one oword of two components,
/// and its swizzle selects dwords, the same ones in both rows.
fn physical_swizzle(
    c: &Context<'_>,
    src: &Operand,
) -> Result<(intel_isa::Swizzle, RowStep), CompileError> {
    if src.ty.size() != 8 || !src.is_reg() || !c.model.handles(Quirk::Align16DfSwizzle) {
        let step = if src.is_scalar() { RowStep::Same(0) } else { RowStep::Next };
        return Ok((intel_isa::Swizzle(src.swizzle.0), step));
    }
    let no_encoding =
        || CompileError::encode(format!("DF swizzle {:#04x} has no encoding", src.swizzle.0));
    let rows = Rows::of(src.swizzle, c.inst.dst.writemask).ok_or_else(no_encoding)?;
    let step = c.inst.row_step(src).ok_or_else(no_encoding)?;
    let [a, b] = rows.columns.map(|column| 2 * column);
    Ok((intel_isa::Swizzle(Swizzle::new([a, a + 1, b, b + 1]).0), step))
}

/// The Align1 region of a register source.
fn align1(c: &Context<'_>, src: &Operand) -> Result<intel_isa::Region, CompileError> {
    let n = u32::from(c.inst.exec_size);
    if let File::Arf(_) = src.file
        && (src.is_scalar() || n == 1)
    {
        return Ok(intel_isa::Region::SCALAR);
    }
    if c.dword_regions() && src.ty.size() == 8 {
        return df_in_dwords(src, n);
    }
    if c.dword_regions() && src.ty == Type::F || c.dword_regions() && src.ty.size() == 4 {
        // Each source element is read twice: once per dword of the channel.
        return match src.stride() {
            Some(0) => Ok(intel_isa::Region::SCALAR),
            _ if n == 1 => Ok(intel_isa::Region::SCALAR),
            Some(s) if matches!(s, 1 | 2 | 4 | 8 | 16 | 32) => Ok(intel_isa::Region::new(s, 2, 0)),
            _ => Err(CompileError::encode("32-bit source region of a DF instruction")),
        };
    }
    match src.region {
        Region::Exact { vstride, width, hstride } => {
            Ok(intel_isa::Region::new(vstride, width, hstride))
        }
        _ if n == 1 => Ok(intel_isa::Region::SCALAR),
        Region::Stride(0) => Ok(intel_isa::Region::SCALAR),
        Region::Stride(stride) => strided(src, u32::from(stride), n),
    }
}

/// DF regions of ivb, in 32-bit units.
fn df_in_dwords(src: &Operand, n: u32) -> Result<intel_isa::Region, CompileError> {
    if n == 1 {
        // The two dwords of the only channel are a full row.
        return Ok(intel_isa::Region::new(2, 2, 1));
    }
    if src.is_scalar() {
        return Ok(intel_isa::Region::new(0, 2, 1));
    }
    match src.region {
        Region::Stride(1) if n >= 4 => Ok(intel_isa::Region::new(8, 8, 1)),
        Region::Stride(1) => Ok(intel_isa::Region::new(4, 4, 1)),
        Region::Stride(s @ (2 | 4 | 8 | 16)) => Ok(intel_isa::Region::new(2 * s, 2, 1)),
        Region::Exact { vstride, width, hstride: 1 } if width <= 8 => {
            Ok(intel_isa::Region::new(2 * vstride, 2 * width, 1))
        }
        Region::Exact { vstride, width: 1, .. } => Ok(intel_isa::Region::new(2 * vstride, 2, 1)),
        _ => Err(CompileError::encode("DF source region")),
    }
}

/// The widest rows that do not cross a register.
fn strided(src: &Operand, stride: u32, n: u32) -> Result<intel_isa::Region, CompileError> {
    let size = src.ty.size();
    let step = stride * size;
    let offset = src.offset % REG_SIZE;
    if stride > 4 {
        if !matches!(stride, 8 | 16 | 32) {
            return Err(CompileError::encode(format!("source stride {stride}")));
        }
        return Ok(intel_isa::Region::new(stride as u8, 1, 0));
    }
    let mut width = n.min(16).min((REG_SIZE / step).max(1));
    let crosses = |width: u32| {
        (0..n / width).any(|row| {
            let first = offset + row * width * step;
            let last = first + (width - 1) * step + size - 1;
            first / REG_SIZE != last / REG_SIZE
        })
    };
    while width > 1 && (crosses(width) || width * stride > 32) {
        width /= 2;
    }
    if width == 1 {
        return Ok(intel_isa::Region::new(stride as u8, 1, 0));
    }
    Ok(intel_isa::Region::new((width * stride) as u8, width as u8, stride as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Model, QuirkSet};

    fn region_of(device: &str, ty: Type, exec: u8, operand: Operand) -> intel_isa::Region {
        let model = Model::new(intel_isa::DevInfo::get(device).unwrap(), QuirkSet::default());
        let inst = Inst::new(Op::Mov, exec, Operand::grf(10, ty), &[operand]);
        let doubled = ty.size() == 8 && model.handles(Quirk::IvbDfExecSize);
        source(&Context { inst: &inst, model: &model, doubled }, &operand, 0).unwrap().region
    }

    #[test]
    fn df_regions_of_both_gen7s() {
        let packed = Operand::grf(2, Type::DF);
        assert_eq!(region_of("ivb", Type::DF, 4, packed), intel_isa::Region::new(8, 8, 1));
        assert_eq!(region_of("hsw", Type::DF, 8, packed), intel_isa::Region::new(4, 4, 1));
        assert_eq!(region_of("ivb", Type::DF, 4, packed.scalar()), intel_isa::Region::new(0, 2, 1));
        assert_eq!(region_of("hsw", Type::DF, 4, packed.scalar()), intel_isa::Region::new(0, 1, 0));
        let float = Operand::grf(2, Type::F);
        assert_eq!(region_of("ivb", Type::DF, 4, float), intel_isa::Region::new(1, 2, 0));
        let half = packed.subscript(Type::UD, 1);
        assert_eq!(half.offset, 4);
        assert_eq!(region_of("ivb", Type::UD, 8, half), intel_isa::Region::new(8, 4, 2));
    }

    #[test]
    fn rows_do_not_cross_registers() {
        let mut op = Operand::grf(2, Type::F);
        assert_eq!(region_of("ivb", Type::F, 16, op), intel_isa::Region::new(8, 8, 1));
        op.offset = 16;
        assert_eq!(region_of("ivb", Type::F, 8, op), intel_isa::Region::new(4, 4, 1));
        // Two elements per row would cross a register inside the first row.
        assert_eq!(region_of("ivb", Type::F, 8, op.strided(4)), intel_isa::Region::new(4, 1, 0));
    }
}
