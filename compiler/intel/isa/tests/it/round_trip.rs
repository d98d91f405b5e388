//! Random words and random instructions survive decode, print, assemble and encode unchanged.

use intel_isa::{
    DevInfo, Inst, assemble, assemble_insts, decode, encode, encode_into, print_inst,
    validate_program,
};

/// Words per device in the normal run; `EU_ROUND_TRIP_WORDS` asks for more.
const WORDS: u32 = 20_000;

/// The tests by name.
pub(crate) const TRIALS: &[(&str, fn())] = &[
    ("random_words", random_words),
    ("random_words_of_each_opcode", random_words_of_each_opcode),
    ("random_compacted_words", random_compacted_words),
    ("truncated_words", truncated_words),
];

/// A 64-bit linear congruential generator with output mixing; its constants are Knuth's and
/// SplitMix's.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn word(&mut self) -> [u8; 16] {
        let (low, high) = (u128::from(self.next()), u128::from(self.next()));
        (low | high << 64).to_le_bytes()
    }
}

fn words() -> u32 {
    std::env::var("EU_ROUND_TRIP_WORDS").ok().and_then(|count| count.parse().ok()).unwrap_or(WORDS)
}

/// The fields of a valid instruction (no stray bits) come back from its bytes and from its text.
fn check_fields(devinfo: &DevInfo, inst: &Inst) {
    let bytes =
        encode(devinfo, inst).unwrap_or_else(|error| panic!("{}: {inst:?}\n{error}", devinfo.name));
    assert_eq!(decode(devinfo, &bytes), Ok((*inst, 16)), "{}", devinfo.name);
    assert_eq!(
        assemble_insts(devinfo, &print_inst(devinfo, inst)),
        Ok(vec![*inst]),
        "{}",
        devinfo.name
    );
}

/// Decodes, prints, assembles; returns whether the bytes decoded.
fn check(devinfo: &'static DevInfo, bytes: &[u8]) -> bool {
    let Ok((inst, len)) = decode(devinfo, bytes) else { return false };
    let text = print_inst(devinfo, &inst);
    assert!(!text.contains('\n'), "{text}");
    let again = assemble(devinfo, &text)
        .unwrap_or_else(|error| panic!("{}: {text}\n{error}", devinfo.name));
    assert_eq!(again, &bytes[..len], "{}: {text}", devinfo.name);
    let mut encoded = Vec::new();
    encode_into(devinfo, &inst, &mut encoded)
        .unwrap_or_else(|error| panic!("{}: {text}\n{error}", devinfo.name));
    assert_eq!(encoded, again);
    let _ = validate_program(devinfo, &bytes[..len]);
    check_fields(devinfo, &Inst { residue: 0, compacted: false, ..inst });
    true
}

fn random_words() {
    for devinfo in DevInfo::all() {
        let mut random = Random(u64::from(devinfo.version.times_ten()));
        let decoded = (0..words()).filter(|_| check(devinfo, &random.word())).count();
        assert!(decoded > words() as usize / 100, "{}: only {decoded} words decode", devinfo.name);
    }
}

/// Words biased to valid ones: an existing opcode, a valid execution size, no compaction.
fn random_words_of_each_opcode() {
    for devinfo in DevInfo::all() {
        let mut random = Random(1 + u64::from(devinfo.version.times_ten()));
        let opcodes: Vec<intel_isa::Opcode> = intel_isa::Opcode::ALL
            .iter()
            .copied()
            .filter(|op| op.exists_on(devinfo.version))
            .collect();
        for &opcode in &opcodes {
            let tries = words() / 20;
            let mut decoded = 0;
            for _ in 0..tries {
                let mut bytes = random.word();
                bytes[0] = opcode.info().code;
                bytes[2] = bytes[2] & 0x1f | ((random.next() % 6) as u8) << 5;
                bytes[3] &= !0x20;
                decoded += u32::from(check(devinfo, &bytes));
            }
            assert!(decoded > 0, "{}: no {} decodes", devinfo.name, opcode.mnemonic());
        }
    }
}

fn random_compacted_words() {
    for devinfo in DevInfo::all() {
        let mut random = Random(2 + u64::from(devinfo.version.times_ten()));
        let mut decoded = 0;
        for _ in 0..words() {
            let mut bytes = random.word();
            bytes[3] |= 0x20;
            decoded += u32::from(check(devinfo, &bytes));
        }
        assert!(decoded > words() / 10, "{}: only {decoded} compacted words decode", devinfo.name);
    }
}

/// Every prefix of an instruction that is too short is an error, not a panic.
fn truncated_words() {
    for devinfo in DevInfo::all() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let mut bytes = random.word();
            bytes[3] &= !0x20;
            for len in 0..16 {
                assert!(decode(devinfo, &bytes[..len]).is_err());
            }
        }
    }
}
