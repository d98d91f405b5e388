//! Register allocation: virtual registers of both files to physical ones, each in the order of
//! their first places to the first free group. Where they do not suffice, [`spill`] makes room.
//! [`checker`] proves the result again.

pub mod checker;
pub mod spill;

use crate::liveness::{Liveness, Segment, Segments};
use crate::machine::{Arg, File, Program, Reg};
use amd_isa::{Chip, Opcode};
use cranelift_entity::SecondaryMap;
use ir::CompileError;

/// Physical registers by virtual register.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// First physical register; none for registers without uses.
    pub first: SecondaryMap<Reg, Option<u8>>,
    /// Scalar registers in use.
    pub scalars: u8,
    /// Vector registers in use.
    pub vectors: u16,
}

/// Waves that a SIMD holds at most: Polaris holds fewer than other chips of its family.
pub fn most_waves(chip: Chip) -> u16 {
    match chip {
        Chip::Si => 10,
        Chip::Vi => 8,
    }
}

/// Waves whose registers fit into those of a SIMD: 256 vector registers in units of four, and 512
/// scalar registers in units of 8 on si, 800 in units of 16 on vi, with VCC.
pub fn waves(chip: Chip, scalars: u16, vectors: u16) -> u16 {
    let (all, unit) = match chip {
        Chip::Si => (512, 8),
        Chip::Vi => (800, 16),
    };
    let scalars = (scalars + 2).next_multiple_of(unit);
    let vectors = vectors.next_multiple_of(4).max(4);
    most_waves(chip).min(all / scalars).min(256 / vectors)
}

impl Allocation {
    /// Waves whose registers fit into those of a SIMD.
    pub fn waves(&self, chip: Chip) -> u16 {
        waves(chip, self.scalars.into(), self.vectors)
    }
}

/// Segments of the values that a physical register holds, in order.
type Timeline = Vec<Segment>;

fn is_free(timeline: &Timeline, segments: &[Segment]) -> bool {
    segments.iter().all(|&(start, end)| {
        let after = timeline.partition_point(|&(_, other_end)| other_end <= start);
        timeline.get(after).is_none_or(|&(other_start, _)| other_start >= end)
    })
}

fn occupy(timeline: &mut Timeline, segments: &[Segment]) {
    for &segment in segments {
        let at = timeline.partition_point(|&(start, _)| start < segment.0);
        timeline.insert(at, segment);
    }
}

/// The registers of a file do not suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full(pub File);

impl Full {
    /// Returns the error of a program that cannot be allocated.
    pub fn error(self, program: &Program) -> CompileError {
        let Full(file) = self;
        let name = if file == File::Scalar { "scalar" } else { "vector" };
        let limit = program.limit(file);
        CompileError::allocate(format!("more than {limit} {name} registers are live"))
    }
}

/// Allocates the registers of a program.
///
/// # Errors
/// The registers of a file do not suffice.
pub fn allocate(program: &Program) -> Result<Allocation, Full> {
    let liveness = Liveness::new(program);
    let mut allocator = Allocator {
        program,
        liveness: &liveness,
        hints: hints(program),
        timelines: [File::Scalar, File::Vector]
            .map(|file| vec![Timeline::new(); program.limit(file).into()]),
        allocation: Allocation { first: SecondaryMap::new(), scalars: 0, vectors: 0 },
    };
    allocator.run()?;
    Ok(allocator.allocation)
}

struct Allocator<'a> {
    program: &'a Program,
    liveness: &'a Liveness,
    hints: SecondaryMap<Reg, Vec<(Reg, i16)>>,
    timelines: [Vec<Timeline>; 2],
    allocation: Allocation,
}

/// Registers that copies connect, with the distance of their first dwords if both dwords of the
/// copy were in one register.
fn hints(program: &Program) -> SecondaryMap<Reg, Vec<(Reg, i16)>> {
    let mut hints: SecondaryMap<Reg, Vec<(Reg, i16)>> = SecondaryMap::new();
    for &label in &program.order {
        for inst in &program.blocks[label].insts {
            if !matches!(inst.opcode, Opcode::VMovB32 | Opcode::SMovB32 | Opcode::SMovB64) {
                continue;
            }
            let [Arg::Part(to), Arg::Part(from)] = inst.args[..] else { continue };
            if program.regs[to.reg].file != program.regs[from.reg].file {
                continue;
            }
            let distance = i16::from(from.dword) - i16::from(to.dword);
            hints[to.reg].push((from.reg, distance));
            hints[from.reg].push((to.reg, -distance));
        }
    }
    hints
}

impl Allocator<'_> {
    fn run(&mut self) -> Result<(), Full> {
        let begin = |reg: Reg| self.segments(reg).iter().flatten().map(|segment| segment.0).min();
        let mut order: Vec<(bool, u32, Reg)> = Vec::new();
        for (reg, data) in self.program.regs.iter() {
            order.extend(begin(reg).map(|begin| (data.fixed.is_none(), begin, reg)));
        }
        order.sort_unstable();
        for (_, _, reg) in order {
            let first = match self.program.regs[reg].fixed {
                Some(first) => first.into(),
                None => self.find(reg)?,
            };
            self.assign(reg, first);
        }
        Ok(())
    }

    /// Segments of each dword of a register.
    fn segments(&self, reg: Reg) -> &[Segments] {
        self.liveness.of(self.program, reg)
    }

    fn fits(&self, reg: Reg, first: u16) -> bool {
        let data = &self.program.regs[reg];
        let timelines = &self.timelines[data.file as usize];
        let range = usize::from(first)..usize::from(first) + usize::from(data.dwords);
        let is_free = |group: &[Timeline]| {
            group
                .iter()
                .zip(self.segments(reg))
                .all(|(timeline, segments)| is_free(timeline, segments))
        };
        first.is_multiple_of(data.alignment()) && timelines.get(range).is_some_and(is_free)
    }

    fn find(&self, reg: Reg) -> Result<u16, Full> {
        for &(other, distance) in &self.hints[reg] {
            let Some(first) = self.allocation.first[other] else { continue };
            let first = i16::from(first) + distance;
            if first >= 0 && self.fits(reg, first as u16) {
                return Ok(first as u16);
            }
        }
        let data = &self.program.regs[reg];
        let limit = self.program.limit(data.file);
        let found = (0..limit).find(|&first| self.fits(reg, first));
        found.ok_or(Full(data.file))
    }

    fn assign(&mut self, reg: Reg, first: u16) {
        let data = &self.program.regs[reg];
        let end = first + u16::from(data.dwords);
        let group = &mut self.timelines[data.file as usize][usize::from(first)..usize::from(end)];
        for (timeline, segments) in group.iter_mut().zip(self.liveness.of(self.program, reg)) {
            occupy(timeline, segments);
        }
        self.allocation.first[reg] = Some(first as u8);
        match data.file {
            File::Scalar => self.allocation.scalars = self.allocation.scalars.max(end as u8),
            File::Vector => self.allocation.vectors = self.allocation.vectors.max(end),
        }
    }
}
