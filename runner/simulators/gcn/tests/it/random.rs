//! Random instructions on random registers: an outcome or an error, never a panic.

use amd_isa::{Chip, Scalar, decode, encode};
use gcn_simulator::{Program, Quirks, Recorder, Wave};

/// A generator of numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn word(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}

#[test]
fn random_instructions() {
    let mut random = Random(7);
    for chip in Chip::ALL {
        let (mut executed, mut refused) = (0, 0);
        let mut wave = Wave::new();
        wave.local = vec![0; 4096];
        wave.quirks = Some(Quirks { hazards: false, ..Quirks::of(chip) });
        let mut host = Recorder::with_memory(0, &[0x0102_0304; 4096]);
        for step in 0..60_000 {
            let words = [random.word(), random.word(), random.word()];
            let Ok(instruction) = decode(chip, &words) else { continue };
            let words = encode(chip, &instruction).expect("it was decoded");
            let program = Program::new(chip, &words).expect("an instruction");
            if step % 64 == 0 {
                wave.scalar = std::array::from_fn(|_| random.word());
                wave.set_pair(Scalar::EXEC, u64::from(random.word()) << 13);
                for register in 0..8 {
                    wave.vector[register] = std::array::from_fn(|_| random.word());
                }
            }
            match wave.clone().run(&program, &mut host, 3) {
                Ok(_) => executed += 1,
                Err(error) if error.to_string().contains("past the end") => executed += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(executed > 10_000, "{chip}: {executed} executed, {refused} refused");
    }
}
