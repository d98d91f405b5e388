use super::*;
use crate::build::{self, grf};
use crate::devinfo::DevInfo;
use crate::inst::{CondMod, Inst};
use crate::text::{assemble, print_inst};

/// Texts and bytes; the file says how it is to be read.
const KNOWN: &str = include_str!("known.eu");

fn device(name: &str) -> &'static DevInfo {
    DevInfo::get(name).expect("a known device")
}

/// Calls `check` with device, text and bytes of every known encoding.
fn each_known(mut check: impl FnMut(&DevInfo, &str, &[u8])) {
    for line in KNOWN.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [devices, text, bytes] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let bytes: Vec<u8> = bytes
            .split(' ')
            .map(|byte| u8::from_str_radix(byte, 16).expect("hexadecimal"))
            .collect();
        for name in devices.split(' ') {
            check(device(name), text, &bytes);
        }
    }
}

#[test]
fn known_encodings_assemble() {
    each_known(|devinfo, text, bytes| {
        let assembled = assemble(devinfo, text)
            .unwrap_or_else(|error| panic!("{}: {text}: {error}", devinfo.name));
        assert_eq!(assembled, bytes, "{}: {text}", devinfo.name);
    });
}

/// The fields cover every bit that compilers set: nothing is left for the residue.
#[test]
fn known_encodings_decode() {
    each_known(|devinfo, text, bytes| {
        let (inst, len) = decode(devinfo, bytes)
            .unwrap_or_else(|error| panic!("{}: {text}: {error}", devinfo.name));
        assert_eq!((len, inst.residue), (bytes.len(), 0), "{}: {text}", devinfo.name);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let printed = words(&print_inst(devinfo, &inst));
        // Sends and float immediates carry words about their bits.
        if inst.send.is_none() && !printed.contains("/*") {
            assert_eq!(printed, words(text), "{}", devinfo.name);
        }
    });
}

/// An instruction that compilers compact has the same compacted form here, and its full form says
/// the same.
#[test]
fn known_compactions() {
    let mut compacted = 0;
    each_known(|devinfo, text, bytes| {
        let (inst, len) = decode(devinfo, bytes).expect("checked above");
        if len == 8 {
            compacted += 1;
            let full = Inst { compacted: false, ..inst };
            let long = encode(devinfo, &full).expect("a full form");
            assert_eq!(decode(devinfo, &long), Ok((full, 16)), "{}: {text}", devinfo.name);
            let mut short = Vec::new();
            encode_into(devinfo, &Inst { compacted: true, ..full }, &mut short)
                .expect("a compacted form");
            assert_eq!(short, bytes, "{}: {text}", devinfo.name);
        }
    });
    assert!(compacted > 50, "only {compacted} rows are compacted");
}

/// The validator has nothing against what compilers for this hardware emit.
#[test]
fn known_encodings_are_valid() {
    each_known(|devinfo, text, bytes| {
        let (inst, _) = decode(devinfo, bytes).expect("checked above");
        assert_eq!(crate::validate_inst(devinfo, &inst), [], "{}: {text}", devinfo.name);
    });
}

/// `mov(8) g10<1>F g2<8,8,1>F`: control entry 11 (SIMD8), data type entry 8 (F from F, stride 1),
/// subregister entry 0, source entry 28 (`<8,8,1>`), by hand from the tables.
#[test]
fn compacted_mov() {
    let compacted = 1u64 | 11 << 8 | 8 << 13 | 1 << 29 | 28 << 30 | 10 << 40 | 2 << 48;
    for name in ["ivb", "hsw"] {
        let (inst, len) =
            decode(device(name), &compacted.to_le_bytes()).expect("a compacted instruction");
        assert_eq!((len, inst.residue), (8, 0));
        let expected = build::inst(crate::Opcode::Mov).dst(grf(10).f()).srcs(&[grf(2).f()]);
        assert_eq!(inst, Inst { compacted: true, ..expected });
        let mut bytes = Vec::new();
        encode_into(device(name), &inst, &mut bytes).expect("it was compacted before");
        assert_eq!(bytes, compacted.to_le_bytes());
    }
}

/// Immediates of compacted instructions have 12 bits and a sign for the other 20.
#[test]
fn compacted_immediates() {
    for devinfo in DevInfo::all() {
        for (value, fits) in
            [(0, true), (4095, true), (4096, false), (-1, true), (-4096, true), (-4097, false)]
        {
            let mut inst = build::inst(crate::Opcode::Add)
                .dst(grf(10).d())
                .srcs(&[grf(2).d(), build::imm_d(value)]);
            inst.compacted = true;
            let mut bytes = Vec::new();
            let result = encode_into(devinfo, &inst, &mut bytes);
            assert_eq!(result.is_ok(), fits, "{} {value}", devinfo.name);
            if fits {
                assert_eq!(decode(devinfo, &bytes), Ok((inst, 8)), "{} {value}", devinfo.name);
            } else {
                assert_eq!(result, Err(EncodeError::NotCompactable));
            }
        }
    }
}

/// Gen8 compacts MAD; gen7 compacts no three-source instruction.
#[test]
fn compacted_mad() {
    let mut mad = build::inst(crate::Opcode::Mad).align16().dst(grf(10).f()).srcs(&[
        grf(2).f().vstride(4),
        grf(3).f().vstride(4),
        grf(4).f().vstride(4),
    ]);
    mad.compacted = true;
    for devinfo in DevInfo::all() {
        let mut bytes = Vec::new();
        let result = encode_into(devinfo, &mad, &mut bytes);
        assert_eq!(result.is_ok(), devinfo.has_three_source_compaction, "{}", devinfo.name);
        if result.is_ok() {
            assert_eq!(decode(devinfo, &bytes), Ok((mad, 8)), "{}", devinfo.name);
        }
    }
}

#[test]
fn values_that_do_not_fit() {
    let ivb = device("ivb");
    let mov = build::inst(crate::Opcode::Mov).dst(grf(10).f()).srcs(&[grf(2).f()]);
    assert!(encode(ivb, &mov).is_ok());
    for bad in [
        Inst { exec_size: 3, ..mov },
        Inst { exec_size: 64, ..mov },
        Inst { qtr_control: 4, ..mov },
        mov.srcs(&[grf(2).f().region(8, 32, 1)]),
        mov.srcs(&[grf(2).f().region(64, 8, 1)]),
        mov.srcs(&[grf(2).f().region(8, 8, 8)]),
        mov.srcs(&[grf(2).f().region(3, 8, 1)]),
        mov.srcs(&[grf(2).f().at_byte(32)]),
        mov.srcs(&[build::indirect(8, 0)]),
        mov.srcs(&[build::indirect(0, 512)]),
        mov.srcs(&[build::imm_df(1.0)]),
        mov.dst(grf(10).q()),
        mov.cond(CondMod::Z, 2, 0),
        build::inst(crate::Opcode::Csel),
        build::inst(crate::Opcode::Math),
        build::inst(crate::Opcode::Send),
        build::inst(crate::Opcode::If).jumps(40_000, 0),
        build::send(crate::Sfid::Urb, build::null(), grf(2), 1 << 31),
    ] {
        assert!(encode(ivb, &bad).is_err(), "{bad:?}");
    }
}

#[test]
fn reserved_codes_are_errors() {
    let ivb = device("ivb");
    let mov = encode(ivb, &build::inst(crate::Opcode::Mov).dst(grf(10).f()).srcs(&[grf(2).f()]))
        .expect("valid");
    let with = |byte: usize, set: u8| {
        let mut bytes = mov;
        bytes[byte] |= set;
        decode(ivb, &bytes)
    };
    assert!(matches!(with(0, 0x7e), Err(DecodeError::UnknownOpcode { code: 0x7f })));
    assert!(matches!(
        with(1, 0xc0),
        Err(DecodeError::Reserved { field: Field::ThreadControl, code: 3 })
    ));
    assert!(matches!(
        with(2, 0xe0),
        Err(DecodeError::Reserved { field: Field::ExecSize, code: 7 })
    ));
    assert!(matches!(
        with(3, 0x0f),
        Err(DecodeError::Reserved { field: Field::CondMod, code: 15 })
    ));
    assert!(matches!(with(4, 0x03), Err(DecodeError::Reserved { field: Field::DstFile, code: 3 })));
    let program = decode_program(ivb, &[&mov[..], &[0x7f; 4]].concat());
    assert!(matches!(program, Err(DecodeError::At { offset: 16, .. })));
}

/// Unused bits survive in the residue.
#[test]
fn residue_keeps_unused_bits() {
    for devinfo in DevInfo::all() {
        let mov = build::inst(crate::Opcode::Mov).dst(grf(10).f()).srcs(&[grf(2).f()]);
        let mut bytes = encode(devinfo, &mov).expect("valid");
        bytes[15] |= 0x80;
        bytes[0] |= 0x80;
        let (inst, _) = decode(devinfo, &bytes).expect("unused bits do not matter");
        assert_eq!(inst, Inst { residue: 1 << 127 | 1 << 7, ..mov });
        assert_eq!(encode(devinfo, &inst), Ok(bytes));
        let text = print_inst(devinfo, &inst);
        assert!(text.ends_with("; // raw 0x80000000000000000000000000000080"), "{text}");
        assert_eq!(assemble(devinfo, &text), Ok(bytes.to_vec()));
    }
}
