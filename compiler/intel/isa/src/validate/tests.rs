//! Rules that the filetests cannot show.

use super::context::Context;
use super::rule_sets::RULES;
use super::{rule_names, validate_inst, validate_program};
use crate::devinfo::DevInfo;
use crate::inst::Inst;
use crate::opcode::Opcode;
use crate::operand::{Addressing, WriteMask};
use crate::text::{assemble, assemble_insts};
use crate::types::Type;

const GEN8: &str = "bdw chv skl";
const ALL: &str = "ivb hsw bdw chv skl";

fn devices(list: &str) -> impl Iterator<Item = &'static DevInfo> + '_ {
    list.split(' ').map(|name| DevInfo::get(name).expect("a known device"))
}

/// Broken rules that text cannot express. All others have a file in `filetests`.
#[test]
fn inexpressible_lines() {
    let parse = |devinfo, text| assemble_insts(devinfo, text).expect(text)[0];
    for devinfo in devices(ALL) {
        let check = |rule, inst: Inst| {
            let broken = validate_inst(devinfo, &inst);
            assert!(
                broken.iter().any(|(name, _)| *name == rule),
                "{} {rule}: {broken:?}",
                devinfo.name
            );
        };
        let mut inst = parse(devinfo, "add(8) g10<1>D g2<8,8,1>D 1D { align1 1Q };");
        inst.src[0] = inst.src[1];
        check("immediate-last", inst);
        let mut inst = parse(devinfo, "mov(8) g10<1>.xF g2<4>F { align16 1Q };");
        assert_eq!(validate_inst(devinfo, &inst), []);
        inst.dst.writemask = WriteMask(0);
        check("writemask-empty", inst);
        if !devinfo.has_q {
            continue;
        }
        let mut inst = parse(devinfo, "add(4) g10<1>Q g2<4,4,1>Q 1D { align1 WE_all 1N };");
        inst.src[1] = crate::build::imm_q(1);
        check("immediate-64bit", inst);
        let mut inst = parse(devinfo, "mov(8) g10<1>D g[a0.8]<0,1,0>D { align1 1Q };");
        assert_eq!(validate_inst(devinfo, &inst), []);
        inst.src[0].addressing = Addressing::Indirect { subreg: 16, offset: 0 };
        check("address-subregister", inst);
    }
}

#[test]
fn names_of_rules_are_unique() {
    let names: Vec<&str> = rule_names().collect();
    let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), distinct.len(), "two rules of one name");
    assert!(names.len() >= 150, "{}", names.len());
}

/// Half-float conversions by MOV in SIMD4: destination type, source type, destination stride,
/// destination byte, legal on bdw, legal on chv and skl.
const HALF_MOVES: &[(&str, &str, u8, u8, bool, bool)] = &[
    ("HF", "B", 1, 0, false, false),
    ("HF", "W", 1, 0, false, false),
    ("HF", "HF", 1, 0, true, true),
    ("HF", "HF", 1, 2, true, true),
    ("HF", "D", 1, 0, false, false),
    ("HF", "F", 1, 0, false, true),
    ("HF", "Q", 1, 0, false, false),
    ("HF", "DF", 1, 0, false, false),
    ("HF", "B", 2, 0, true, true),
    ("HF", "B", 2, 2, false, false),
    ("HF", "W", 2, 0, true, true),
    ("HF", "W", 2, 2, false, false),
    ("HF", "HF", 2, 0, true, true),
    ("HF", "HF", 2, 2, true, true),
    ("HF", "D", 2, 0, true, true),
    ("HF", "D", 2, 2, false, false),
    ("HF", "F", 2, 0, true, true),
    ("HF", "F", 2, 2, false, true),
    ("HF", "Q", 2, 0, false, false),
    ("HF", "DF", 2, 0, false, false),
    ("HF", "B", 4, 0, false, false),
    ("HF", "W", 4, 0, false, false),
    ("HF", "HF", 4, 0, true, true),
    ("HF", "HF", 4, 2, true, true),
    ("HF", "D", 4, 0, false, false),
    ("HF", "F", 4, 0, false, false),
    ("HF", "Q", 4, 0, false, false),
    ("HF", "DF", 4, 0, false, false),
    ("B", "HF", 1, 0, false, false),
    ("W", "HF", 1, 0, false, false),
    ("D", "HF", 1, 0, true, true),
    ("D", "HF", 1, 4, true, true),
    ("F", "HF", 1, 0, true, true),
    ("F", "HF", 1, 4, true, true),
    ("Q", "HF", 1, 0, false, false),
    ("DF", "HF", 1, 0, false, false),
    ("B", "HF", 2, 0, false, false),
    ("W", "HF", 2, 0, true, true),
    ("W", "HF", 2, 2, false, false),
    ("D", "HF", 2, 0, false, false),
    ("F", "HF", 2, 0, true, true),
    ("B", "HF", 4, 0, true, true),
    ("B", "HF", 4, 1, false, false),
    ("W", "HF", 4, 0, false, false),
];

#[test]
fn half_float_moves() {
    let mut failures = Vec::new();
    for devinfo in devices(GEN8) {
        for &(dst, src, stride, byte, bdw, later) in HALF_MOVES {
            let types = [dst, src].map(|letters| Type::from_name(letters).expect("a type"));
            // Bytes are read in two rows of two, as the document has it.
            let (width, hstride) = if types[1] == Type::B { (2, 2) } else { (4, 1) };
            let inst = crate::build::inst(Opcode::Mov)
                .exec(4)
                .dst(crate::build::grf(10).typed(types[0]).at_byte(byte).stride(stride))
                .srcs(&[crate::build::grf(20).typed(types[1]).region(4, width, hstride)]);
            let expected = if devinfo.has_packed_mixed_float { later } else { bdw };
            let broken = validate_inst(devinfo, &inst);
            if broken.is_empty() != expected {
                failures.push(format!("{} {dst} {src} {stride} {byte}: {broken:?}", devinfo.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const END: &str = "\nsend(8) null<1>UD g112<8,8,1>UD 0x84080000 urb MsgDesc: { align1 1Q EOT };";

/// Bytes after the last end-of-thread message are padding, unless a jump leads there.
#[test]
fn kernels_end() {
    for devinfo in DevInfo::all() {
        let padded = |text: &str| {
            let mut bytes = assemble(devinfo, text).expect(text);
            bytes.extend_from_slice(&[0xff; 20]);
            validate_program(devinfo, &bytes)
                .iter()
                .map(|violation| violation.rule)
                .collect::<Vec<_>>()
        };
        assert_eq!(padded(END), [""; 0], "{}", devinfo.name);
        let predicated = END.trim().replacen("send", "(+f0.0) send", 1);
        assert_eq!(padded(&predicated), [""; 0], "{}", devinfo.name);
        // The subroutine after the thread's end is part of the kernel and has the padding after
        // it.
        let distance = 32 / devinfo.call_unit_bytes;
        let call = format!("call(2) g10<1>UD JIP: {distance} {{ align1 1N }};");
        assert_eq!(
            padded(&format!("{call}{END}\nret(2) null<1>D g10<2,2,1>UD {{ align1 1N }};")),
            [""; 0]
        );
        let illegal =
            format!("{call}{END}\nillegal;\nret(2) null<1>D g10<2,2,1>UD {{ align1 1N }};");
        assert_eq!(padded(&illegal), ["illegal"], "{}", devinfo.name);
    }
}

#[test]
fn undecodable_bytes_are_a_violation() {
    for devinfo in DevInfo::all() {
        let violations = validate_program(devinfo, &[0xff; 7]);
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].rule, "decode");
    }
}

/// Random instructions break no rule of a set that does not concern them.
#[test]
fn sets_concern_all_that_break_their_rules() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u128::from(state >> 32)
    };
    let mut unconcerned = vec![0; RULES.len()];
    for devinfo in devices(ALL) {
        for _ in 0..20_000 {
            let word = random() << 96 | random() << 64 | random() << 32 | random();
            let Ok((inst, _)) = crate::decode(devinfo, &word.to_le_bytes()) else { continue };
            let context = Context::new(devinfo, &inst);
            for (set, count) in RULES.iter().zip(&mut unconcerned) {
                if (set.concern)(&context) {
                    continue;
                }
                *count += 1;
                let broken = set.rules.iter().find(|rule| (rule.broken)(&context));
                assert!(
                    broken.is_none(),
                    "{}: {inst:?} breaks {:?}",
                    devinfo.name,
                    broken.map(|r| r.name)
                );
            }
        }
    }
    // Sets that are not for all instructions were tried.
    assert_eq!(unconcerned.iter().filter(|count| **count > 100).count(), 8);
}
