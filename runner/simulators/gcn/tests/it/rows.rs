//! Implementations on whole registers against those lane by lane, on random instructions.

use std::collections::BTreeMap;

use amd_isa::{
    Chip, Format, Instruction, Kind, Operand, Place, Row, Scalar, Slot, decode, encode,
    print_instruction,
};
use gcn_simulator::{Program, Quirks, Recorder, Wave};

use crate::VALUES;
use crate::random::Random;

/// Instructions and registers.
impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.word() as usize % bound
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// Bits that are interesting as single, as a half of a double, or as an integer.
    pub(crate) fn bits(&mut self) -> u32 {
        let raw = self.word();
        match self.below(8) {
            0 => VALUES[self.below(VALUES.len())],
            1 => raw & 0x807f_ffff,
            2 => raw | 0x7f80_0000,
            3 | 4 => raw & 0x80ff_ffff | 0x3f00_0000,
            5 => raw & 0x800f_ffff | 0x3ff0_0000,
            6 => raw & 63,
            _ => raw,
        }
    }

    fn operand(&mut self, slot: &Slot, format: Format) -> Operand {
        let constant = |random: &mut Random| match random.below(4) {
            0 => Operand::integer(random.below(81) as i32 - 16),
            1 if format != Format::Vop3 => Operand::Literal(random.bits()),
            2 => Operand::Float(amd_isa::InlineFloat::ALL[random.below(8)]),
            _ => Operand::s(2 * random.below(8) as u8),
        };
        match slot.place {
            Place::Literal => Operand::Literal(self.bits()),
            Place::Vcc => Operand::Scalar(Scalar::VCC),
            Place::Vector(_) => Operand::v(self.below(8) as u8),
            Place::Source(_) if slot.kind != Kind::Mask && !self.chance(3) => {
                Operand::v(self.below(8) as u8)
            }
            Place::Source(_) if slot.kind != Kind::Mask => constant(self),
            _ => Operand::s(2 * self.below(8) as u8),
        }
    }

    /// An instruction of a row of the opcode table; `None` if no encoding has the operands.
    pub(crate) fn instruction(&mut self, chip: Chip, row: &Row) -> Option<Instruction> {
        let operands: Vec<Operand> =
            row.slots.iter().map(|slot| self.operand(slot, row.format)).collect();
        let mut instruction = Instruction::new(row.format, row.opcode, &operands);
        if row.format == Format::Vop3 {
            let modifiers = &mut instruction.modifiers;
            modifiers.neg = self.word() as u8 & 7 & row.signed_sources();
            modifiers.abs = self.word() as u8 & 7 & row.signed_sources();
            if self.chance(2) {
                (modifiers.neg, modifiers.abs) = (0, 0);
            }
            if self.chance(4) {
                modifiers.omod = self.below(4) as u8;
                modifiers.clamp = self.chance(2);
            }
        }
        let words = encode(chip, &instruction).ok()?;
        decode(chip, &words).ok()
    }

    pub(crate) fn wave(&mut self, chip: Chip) -> Wave {
        let mut wave = Wave::with_registers(10);
        wave.quirks = Some(Quirks { hazards: false, ..Quirks::of(chip) });
        for register in &mut wave.vector {
            *register = std::array::from_fn(|_| self.bits());
        }
        for register in &mut wave.scalar {
            *register = self.bits();
        }
        let mut lanes = || u64::from(self.word()) << 32 | u64::from(self.word());
        let (exec, mask) = (lanes(), lanes());
        wave.set_pair(Scalar::EXEC, [u64::MAX, exec, 0xffff][self.below(3)]);
        wave.set_pair(Scalar::VCC, mask);
        // The mode that a wave starts with, mostly.
        let modes = [wave.mode, wave.mode, wave.mode, 0x1f0, 0xc0, 0x30];
        wave.mode = modes[self.below(modes.len())];
        wave
    }
}

/// Describes the lanes that differ.
pub(crate) fn difference(before: &Wave, generic: &Wave, fast: &Wave) -> String {
    let mut text = format!("mode {:#x} exec {:#x}\n", before.mode, before.exec());
    for register in 0..10 {
        for lane in 0..64 {
            let (expected, got) = (generic.vector[register][lane], fast.vector[register][lane]);
            if expected != got && text.len() < 2000 {
                let sources: Vec<u32> = (0..10).map(|v| before.vector[v][lane]).collect();
                text += &format!(
                    "v{register}[{lane}]: {expected:#010x}, got {got:#010x}; {sources:x?}\n"
                );
            }
        }
    }
    for register in 0..128 {
        let (expected, got) = (generic.scalar[register], fast.scalar[register]);
        if expected != got {
            text += &format!("s{register}: {expected:#010x}, got {got:#010x}\n");
        }
    }
    text
}

fn agree(chip: Chip, rounds: usize, seed: u64) -> BTreeMap<&'static str, usize> {
    let mut random = Random(seed);
    let rows: Vec<&Row> = chip
        .rows()
        .iter()
        .filter(|row| row.format.is_vector_alu() && row.format != Format::Vintrp)
        .collect();
    let mut seen = BTreeMap::new();
    let mut before = random.wave(chip);
    for round in 0..rounds {
        let row = rows[random.below(rows.len())];
        let Some(instruction) = random.instruction(chip, row) else { continue };
        let words = encode(chip, &instruction).expect("it was decoded");
        let program = Program::new(chip, &words).expect("an instruction");
        if program.fast_instructions() == 0 {
            continue;
        }
        *seen.entry(row.opcode.mnemonic()).or_default() += 1;
        if round % 16 == 0 {
            before = random.wave(chip);
        }
        let run = |program: &Program| {
            let mut wave = before.clone();
            let error = wave.run(program, &mut Recorder::default(), 1).expect_err("no end");
            (wave, error)
        };
        let (generic, expected) = run(&program.clone().generic());
        let (fast, error) = run(&program);
        let text = || print_instruction(chip, &instruction);
        let difference = || difference(&before, &generic, &fast);
        assert_eq!(error, expected, "{chip} round {round}: {}", text());
        assert!(
            fast.vector == generic.vector && fast.scalar == generic.scalar,
            "{chip} round {round}: {}\n{}",
            text(),
            difference()
        );
        assert_eq!((fast.scc, fast.mode, fast.steps), (generic.scc, generic.mode, generic.steps));
    }
    seen
}

#[test]
fn rows_agree_with_lanes() {
    for (chip, least) in [(Chip::Si, 170), (Chip::Vi, 170)] {
        let seen = agree(chip, 60_000, 0x0a57);
        assert!(seen.len() >= least, "{chip}: only {} operations: {seen:?}", seen.len());
        let rare: Vec<_> = seen.iter().filter(|(_, count)| **count < 20).collect();
        assert!(rare.is_empty(), "{chip}: {rare:?}");
    }
}

/// A loop over vector and scalar instructions with bits flipped: the same results, the same error
/// at the same instruction.
#[test]
fn damaged_programs_fail_alike() {
    let text = "s_mov_b32 s0, 0
head:
s_cmp_ge_i32 s0, 7
s_cbranch_scc1 out
v_mad_f32 v3, v0, v1, -v2
v_floor_f32 v4, v3
v_sub_f32 v0, v3, v4
v_cmp_gt_f32 vcc, 0.5, v0
v_cndmask_b32 v1, v1, v0, vcc
v_lshlrev_b32 v5, 2, v4
v_xor_b32 v2, v5, v2
v_mul_f64 v[6:7], v[0:1], v[2:3]
v_cvt_f32_i32 v5, v5
s_and_saveexec_b64 s[2:3], vcc
s_add_i32 s0, s0, 1
s_branch head
out:
s_endpgm";
    let mut random = Random(0xdead);
    for chip in Chip::ALL {
        let good = amd_isa::assemble(chip, text).expect("a program");
        let (mut failed, mut ended) = (0, 0);
        for _ in 0..2_000 {
            let mut words = good.clone();
            for _ in 0..1 + random.below(3) {
                let bit = random.below(words.len() * 32);
                words[bit / 32] ^= 1 << (bit % 32);
            }
            let Ok(program) = Program::new(chip, &words) else { continue };
            let mut before = Wave::new();
            for register in 0..8 {
                before.vector[register] = std::array::from_fn(|_| random.bits());
            }
            let run = |program: &Program| {
                let mut wave = before.clone();
                let outcome = wave.run(program, &mut Recorder::default(), 300);
                (outcome.map_err(|error| error.to_string()), wave)
            };
            let (expected, generic) = run(&program.clone().generic());
            let (outcome, fast) = run(&program);
            assert_eq!(outcome, expected, "{chip}");
            let same = fast.vector == generic.vector && fast.scalar == generic.scalar;
            assert!(same, "{chip}: {}", difference(&before, &generic, &fast));
            assert_eq!((fast.scc, fast.steps), (generic.scc, generic.steps), "{chip}");
            let (outcome, native) = run(&program.native_after(0));
            assert_eq!(outcome, expected, "{chip}, translated");
            let same = native.vector == generic.vector && native.scalar == generic.scalar;
            assert!(same, "{chip}, translated: {}", difference(&before, &generic, &native));
            assert_eq!((native.scc, native.steps), (generic.scc, generic.steps), "{chip}");
            failed += usize::from(outcome.is_err());
            ended += usize::from(outcome.is_ok());
        }
        assert!(failed > 100 && ended > 100, "{chip}: {failed} failed, {ended} ended");
    }
}
