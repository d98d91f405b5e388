//! Translated programs against the definition, on random programs with branches.

use std::collections::BTreeSet;

use amd_isa::{
    Chip, Format, Instruction, Kind, Opcode, Operand, Row, Scalar, Slot, decode, encode,
    print_instruction,
};
use gcn_simulator::{Program, Recorder, Wave};

use crate::random::Random;
use crate::rows::difference;

/// Random programs of a chip.
struct Programs<'r> {
    random: &'r mut Random,
    chip: Chip,
    vector: Vec<&'static Row>,
    scalar: Vec<&'static Row>,
    /// Operations of instructions that have a translation.
    seen: BTreeSet<&'static str>,
}

fn words(chip: Chip, instruction: &Instruction) -> Vec<u32> {
    encode(chip, instruction).expect("it has an encoding")
}

fn assembled(chip: Chip, text: &str) -> Vec<u32> {
    amd_isa::assemble(chip, text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// True if an instruction has a translation.
fn is_translated(chip: Chip, instruction: &Instruction) -> bool {
    let mut all = words(chip, instruction);
    all.extend(assembled(chip, "v_mov_b32 v0, v1\ns_endpgm"));
    Program::new(chip, &all).is_ok_and(|program| program.native_instructions() == 2)
}

impl Programs<'_> {
    fn new(random: &mut Random, chip: Chip) -> Programs<'_> {
        let rows = |accept: fn(&Row) -> bool| chip.rows().iter().filter(move |row| accept(row));
        let vector = |row: &Row| row.format.is_vector_alu() && row.format != Format::Vintrp;
        let scalar = |row: &Row| {
            matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk)
        };
        let mut vector: Vec<&Row> = rows(vector).collect();
        // Programs without doubles are translated in another way.
        if random.chance(2) {
            vector.retain(|row| !row.opcode.mnemonic().contains("f64"));
        }
        Programs { random, chip, vector, scalar: rows(scalar).collect(), seen: BTreeSet::new() }
    }

    fn scalar_operand(&mut self, slot: &Slot, is_destination: bool) -> Operand {
        if slot.kind == Kind::Imm {
            return Operand::Immediate(self.random.word() & 0xffff);
        }
        match self.random.below(12) {
            0 | 1 => Operand::Scalar(Scalar::VCC),
            2 if !is_destination || self.random.chance(4) => Operand::Scalar(Scalar::EXEC),
            3 if !is_destination => Operand::integer(self.random.below(81) as i32 - 16),
            4 if !is_destination => Operand::Literal(self.random.bits()),
            _ => Operand::s(2 * self.random.below(8) as u8),
        }
    }

    fn scalar_instruction(&mut self) -> Option<Instruction> {
        let row = self.scalar[self.random.below(self.scalar.len())];
        let results = row.opcode.info().destinations.len();
        let operands: Vec<Operand> = row
            .slots
            .iter()
            .enumerate()
            .map(|(index, slot)| self.scalar_operand(slot, index < results))
            .collect();
        let instruction = Instruction::new(row.format, row.opcode, &operands);
        let words = encode(self.chip, &instruction).ok()?;
        decode(self.chip, &words).ok()
    }

    /// Instructions without jumps, most of them translated.
    fn straight(&mut self) -> Vec<u32> {
        let count = 1 + self.random.below(8);
        let mut all = Vec::new();
        for _ in 0..count {
            loop {
                let next = match self.random.below(4) {
                    0 => self.scalar_instruction(),
                    _ => {
                        let row = self.vector[self.random.below(self.vector.len())];
                        // Most rows are comparisons.
                        let name = row.opcode.mnemonic();
                        let rarity = match name {
                            _ if name.starts_with("v_cmpx") || name.starts_with("v_cmpsx") => 20,
                            _ if name.starts_with("v_cmp") => 4,
                            _ => 1,
                        };
                        if !self.random.chance(rarity) {
                            continue;
                        }
                        self.random.instruction(self.chip, row)
                    }
                };
                let Some(next) = next else { continue };
                let jumps = matches!(
                    next.opcode,
                    Opcode::SSetpcB64 | Opcode::SSwappcB64 | Opcode::SSetregB32
                );
                let is_other = self.random.chance(200) && !jumps;
                let is_translated = is_translated(self.chip, &next);
                if is_translated {
                    self.seen.insert(next.opcode.mnemonic());
                }
                if is_other || is_translated {
                    all.extend(words(self.chip, &next));
                    break;
                }
            }
        }
        match self.random.below(12) {
            // Too close to each other.
            0 => all.extend(assembled(
                self.chip,
                "v_readfirstlane_b32 s4, v1\nv_mov_b32 v1, s4\nv_readlane_b32 s5, v2, s4",
            )),
            // Far enough.
            1 | 2 => {
                all.extend(assembled(self.chip, "v_readfirstlane_b32 s4, v1\nv_mov_b32 v1, s4"));
                all.extend(assembled(self.chip, "s_nop 3\nv_readlane_b32 s5, v2, s4"));
            }
            _ => {}
        }
        all
    }

    fn jump(&self, opcode: Opcode, distance: usize, back: bool) -> Vec<u32> {
        let distance = if back { -(distance as i32) } else { distance as i32 };
        let distance = distance.try_into().expect("a short way");
        words(self.chip, &Instruction::new(Format::Sopp, opcode, &[Operand::Jump(distance)]))
    }

    fn branch(&mut self) -> Opcode {
        use Opcode::*;
        let all = [
            SCbranchScc0,
            SCbranchScc1,
            SCbranchVccz,
            SCbranchVccnz,
            SCbranchExecz,
            SCbranchExecnz,
        ];
        all[self.random.below(all.len())]
    }

    fn program(&mut self, depth: usize) -> Vec<u32> {
        let mut all = self.straight();
        if depth == 0 {
            return all;
        }
        let inner = self.program(depth - 1);
        match self.random.below(4) {
            0 => {
                let opcode = self.branch();
                all.extend(self.jump(opcode, inner.len(), false));
                all.extend(inner);
            }
            1 => {
                let other = self.program(depth - 1);
                let opcode = self.branch();
                all.extend(self.jump(opcode, inner.len() + 1, false));
                all.extend(inner);
                all.extend(self.jump(Opcode::SBranch, other.len(), false));
                all.extend(other);
            }
            2 => {
                all.extend(assembled(self.chip, "s_and_saveexec_b64 s[14:15], vcc"));
                all.extend(self.jump(Opcode::SCbranchExecz, inner.len(), false));
                all.extend(inner);
                all.extend(assembled(self.chip, "s_mov_b64 exec, s[14:15]"));
            }
            _ => {
                let counter = 20 + depth;
                let turns = 2 + self.random.below(20);
                all.extend(assembled(self.chip, &format!("s_mov_b32 s{counter}, 0")));
                let text = format!("s_add_u32 s{counter}, s{counter}, 1");
                let mut body = assembled(self.chip, &text);
                body.extend(inner);
                let opcode = self.branch();
                let rest = self.straight();
                // Out of the loop.
                body.extend(self.jump(opcode, rest.len() + 2, false));
                body.extend(rest);
                body.extend(assembled(self.chip, &format!("s_cmp_lt_u32 s{counter}, {turns}")));
                let back = body.len() + 1;
                body.extend(self.jump(Opcode::SCbranchScc1, back, true));
                all.extend(body);
            }
        }
        all.extend(self.straight());
        all
    }
}

/// Outcome of a run, and the wave after it.
fn outcome(program: &Program, before: &Wave, limit: u64) -> (Result<String, String>, Wave) {
    let mut wave = before.clone();
    let mut host = Recorder::with_memory(0x1000, &[0x3f80_0007; 64]);
    let outcome = wave.run(program, &mut host, limit);
    (outcome.map(|outcome| format!("{outcome:?}")).map_err(|error| error.to_string()), wave)
}

fn assert_same(
    what: &str,
    program: &Program,
    before: &Wave,
    expected: &(Result<String, String>, Wave),
    got: &(Result<String, String>, Wave),
) {
    let chip = program.chip();
    let (generic, native) = (&expected.1, &got.1);
    let same = expected.0 == got.0
        && generic.vector == native.vector
        && generic.scalar == native.scalar
        && (generic.scc, generic.mode, generic.steps) == (native.scc, native.mode, native.steps)
        && generic.next_instruction(program) == native.next_instruction(program);
    if !same {
        let text: String = program
            .instructions()
            .iter()
            .map(|located| {
                let text = print_instruction(chip, &located.instruction);
                format!("{:#06x} {text}\n", located.offset * 4)
            })
            .collect();
        panic!(
            "{chip} {what}: {:?} {}, got {:?} {}\nscc {} {}\n{}{text}",
            expected.0,
            generic.steps,
            got.0,
            native.steps,
            generic.scc,
            native.scc,
            difference(before, generic, native)
        );
    }
}

/// Number of random programs: `NATIVE_ROUNDS`, or so many that all operations are met.
fn rounds() -> u64 {
    std::env::var("NATIVE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

#[test]
fn translated_programs_agree_with_the_definition() {
    let mut random = Random(0x9a7e);
    let mut translated = 0;
    let mut failed = 0;
    let mut seen = BTreeSet::new();
    for round in 0..rounds() {
        let chip = Chip::ALL[random.below(2)];
        let mut before = random.wave(chip);
        if !random.chance(10) {
            before.mode = Wave::new().mode;
        }
        if random.chance(2) {
            before.quirks = None;
        }
        let depth = 1 + random.below(3);
        let mut programs = Programs::new(&mut random, chip);
        let mut all = programs.program(depth);
        seen.extend(programs.seen);
        all.extend(assembled(chip, "s_endpgm"));
        let program = Program::new(chip, &all).expect("a program");
        translated += program.native_instructions();
        let limit = 20 + random.below(2000) as u64;
        let expected = outcome(&program.clone().generic(), &before, limit);
        failed += usize::from(expected.0.as_ref().is_err_and(|error| error.contains("hazard")));
        let native = outcome(&program.clone().native_after(0), &before, limit);
        assert_same(&format!("round {round}"), &program, &before, &expected, &native);
        let later = outcome(&program.clone().native_after(limit / 2), &before, limit);
        assert_same(&format!("round {round}, later"), &program, &before, &expected, &later);
    }
    assert!(translated > 10_000, "only {translated} instructions were translated");
    assert!(seen.len() > 250, "only {} operations: {seen:?}", seen.len());
    assert!(failed > 50, "only {failed} programs had a hazard");
}

/// A loop with a comparison that decides on lanes, and one that ends it.
const LOOP: &str = "s_mov_b32 s0, 0
head:
v_mad_f32 v0, v0, v1, v2
v_fract_f32 v0, v0
v_cmp_gt_f32 vcc, 0.5, v0
v_cndmask_b32 v1, v1, v0, vcc
s_and_saveexec_b64 s[2:3], vcc
v_add_f32 v2, 1.0, v2
s_mov_b64 exec, s[2:3]
s_add_u32 s0, s0, 1
s_cmp_lt_u32 s0, 9
s_cbranch_scc1 head
s_endpgm";

#[test]
fn each_budget_ends_at_the_same_instruction() {
    let mut random = Random(0xb0d);
    for chip in Chip::ALL {
        let program = Program::new(chip, &assembled(chip, LOOP)).expect("a program");
        for lanes in [u64::MAX, 0x0f0f] {
            let mut before = random.wave(chip);
            before.mode = Wave::new().mode;
            before.set_pair(Scalar::EXEC, lanes);
            for limit in 0..100 {
                let expected = outcome(&program.clone().generic(), &before, limit);
                for after in [0, limit / 2, limit] {
                    let native = program.clone().native_after(after);
                    let got = outcome(&native, &before, limit);
                    assert_same(
                        &format!("{limit} after {after}"),
                        &program,
                        &before,
                        &expected,
                        &got,
                    );
                    // A part of the budget each.
                    let mut wave = before.clone();
                    let host = &mut Recorder::default();
                    while wave.steps < limit {
                        let part = (limit - wave.steps).min(7);
                        if wave.run(&native, host, part).is_ok() {
                            break;
                        }
                    }
                    assert!(wave.vector == expected.1.vector && wave.scalar == expected.1.scalar);
                }
            }
        }
    }
}

/// A wave remembers the instructions that translated code has executed.
#[test]
fn hazards_reach_over_translated_code() {
    let before = "v_mov_b32 v1, 1\nv_readfirstlane_b32 s4, v1\n";
    // The way that is not taken is too short.
    let fork = "s_cmp_eq_u32 s0, s0\ns_cbranch_scc1 long\ns_branch end\nlong:\n";
    let moves = ["v_mov_b32 v2, v1\n", "v_mov_b32 v3, v1\n", "v_mov_b32 v4, v1\n"].concat();
    let jumps = "s_branch next\nnext:\ns_branch other\nother:\ns_branch third\nthird:\n";
    for (between, fails) in [
        ("v_mov_b32 v2, v1\n".to_string(), true),
        (moves.clone(), true),
        (format!("{moves}v_mov_b32 v5, v1\n"), false),
        (jumps.to_string(), true),
        (format!("{jumps}s_nop 0\n"), false),
        (format!("{fork}v_mov_b32 v2, v1\nend:\n"), true),
        (format!("{fork}v_mov_b32 v2, v1\nv_mov_b32 v3, v1\nend:\n"), false),
    ] {
        let text = format!("{before}{between}v_readlane_b32 s5, v1, s4\ns_endpgm");
        for chip in Chip::ALL {
            let program = Program::new(chip, &assembled(chip, &text)).expect("a program");
            let wave = Wave::new();
            let expected = outcome(&program.clone().generic(), &wave, 50);
            assert_eq!(expected.0.is_err(), fails, "{chip}: {text}");
            let got = outcome(&program.clone().native_after(0), &wave, 50);
            assert_same("between", &program, &wave, &expected, &got);
        }
    }
}

/// Registers that wait for memory are not used in translated code either.
#[test]
fn translated_loops_wait_for_memory() {
    let text = |wait: &str| {
        format!(
            "s_mov_b32 s0, 0
head:
v_add_f32 v1, v1, v2
v_mul_f32 v3, v1, v2
s_load_dword s9, s[10:11], 0x0
v_add_f32 v1, v1, v3
{wait}
v_add_f32 v4, s9, v1
s_add_u32 s0, s0, 1
s_cmp_lt_u32 s0, 9
s_cbranch_scc1 head
s_endpgm"
        )
    };
    for chip in Chip::ALL {
        for (wait, fails) in [("s_nop 0", true), ("s_waitcnt lgkmcnt(0)", false)] {
            let program = Program::new(chip, &assembled(chip, &text(wait))).expect("a program");
            let mut wave = Random(1).wave(chip);
            wave.mode = Wave::new().mode;
            (wave.scalar[10], wave.scalar[11]) = (0x1000, 0);
            let expected = outcome(&program.clone().generic(), &wave, 500);
            assert_eq!(expected.0.is_err(), fails, "{chip}: {:?}", expected.0);
            let got = outcome(&program.clone().native_after(0), &wave, 500);
            assert_same(wait, &program, &wave, &expected, &got);
        }
    }
}

/// VCCZ of si is wrong after a scalar load until VCC is written; translated branches look at it.
#[test]
fn translated_branches_know_the_quirk_of_vccz() {
    let text = |write: &str| {
        format!(
            "s_mov_b64 vcc, 0
s_load_dword s9, s[10:11], 0x0
s_waitcnt lgkmcnt(0)
{write}
v_mov_b32 v1, 1
s_cbranch_vccz out
v_mov_b32 v2, 2
out:
s_endpgm"
        )
    };
    for chip in Chip::ALL {
        let mut ends = Vec::new();
        for write in ["v_mov_b32 v3, 3", "s_mov_b64 vcc, vcc"] {
            let program = Program::new(chip, &assembled(chip, &text(write))).expect("a program");
            let mut wave = Wave::new();
            wave.scalar[10] = 0x1000;
            let expected = outcome(&program.clone().generic(), &wave, 500);
            ends.push(expected.1.vector[2][0]);
            let got = outcome(&program.clone().native_after(0), &wave, 500);
            assert_same(write, &program, &wave, &expected, &got);
        }
        assert_eq!(ends, if chip == Chip::Si { [2, 0] } else { [0, 0] });
    }
}
