//! One passing and one failing line per rule and generation.

use super::context::Context;
use super::rule_sets::RULES;
use super::{jumps, rule_names, validate_inst, validate_program};
use crate::devinfo::DevInfo;
use crate::inst::Inst;
use crate::opcode::Opcode;
use crate::text::{assemble, assemble_insts};
use crate::types::Type;

/// The rules' lines; the file says how it is to be read.
const CASES: &str = include_str!("cases.eu");

const GEN8: &str = "bdw chv skl";
const ALL: &str = "ivb hsw bdw chv skl";

/// A rule's lines on some devices.
struct Case {
    rule: &'static str,
    devices: &'static str,
    pass: &'static str,
    fail: &'static str,
}

fn cases() -> Vec<Case> {
    let mut lines = CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut cases = Vec::new();
    while let Some(head) = lines.next() {
        let (rule, devices) =
            head.split_once(": ").unwrap_or_else(|| panic!("no rule and devices in {head}"));
        let mut line = |sign| {
            let line = lines.next().unwrap_or_else(|| panic!("{rule}: a line is missing"));
            line.strip_prefix(sign).unwrap_or_else(|| panic!("{rule}: no {sign} in {line}"))
        };
        cases.push(Case { rule, devices, pass: line("+ "), fail: line("- ") });
    }
    cases
}

/// Failing cases that text cannot express: `@name` before the text says what to change in the parsed instruction.
fn parse_line(devinfo: &DevInfo, line: &str) -> Inst {
    let (change, text) = match line.strip_prefix('@') {
        Some(rest) => rest.split_once(' ').expect("a change and a line"),
        None => ("", line),
    };
    let insts =
        assemble_insts(devinfo, text).unwrap_or_else(|error| panic!("{}: {line}: {error}", devinfo.name));
    let mut inst = insts[0];
    match change {
        "" => {
            assemble(devinfo, text).unwrap_or_else(|error| panic!("{}: {line}: {error}", devinfo.name));
        }
        "imm-src0" => inst.src[0] = inst.src[1],
        "imm64-src1" => inst.src[1] = crate::build::imm_q(1),
        "a0-16" => inst.src[0].addressing = crate::operand::Addressing::Indirect { subreg: 16, offset: 0 },
        "no-mask" => inst.dst.writemask = crate::operand::WriteMask(0),
        other => panic!("no change {other}"),
    }
    inst
}

fn devices(list: &str) -> impl Iterator<Item = &'static DevInfo> + '_ {
    list.split(' ').map(|name| DevInfo::get(name).expect("a known device"))
}

#[test]
fn passing_and_failing_lines() {
    let mut failures = Vec::new();
    for Case { rule, devices: list, pass, fail } in cases() {
        for devinfo in devices(list) {
            let broken = validate_inst(devinfo, &parse_line(devinfo, pass));
            if !broken.is_empty() {
                failures.push(format!("{} {rule}: should pass: {pass}\n    {broken:?}", devinfo.name));
            }
            let broken = validate_inst(devinfo, &parse_line(devinfo, fail));
            if !broken.iter().any(|(name, _)| *name == rule) {
                failures.push(format!("{} {rule}: should fail: {fail}\n    {broken:?}", devinfo.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let cases = cases();
    for name in rule_names() {
        let covered = cases.iter().any(|case| case.rule == name) || jumps::NAMES.contains(&name);
        assert!(covered, "no case for {name}");
    }
    for case in cases {
        assert!(rule_names().any(|name| name == case.rule), "no rule {}", case.rule);
    }
}

/// Half-float conversions by MOV in SIMD4: destination type, source type, destination stride, destination byte,
/// legal on bdw, legal on chv and skl.
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

/// What the project promises: lines for at least 150 rules and generations on which each holds.
#[test]
fn rules_are_many() {
    let rules: std::collections::BTreeSet<&str> = cases().iter().map(|case| case.rule).collect();
    assert!(rules.len() >= 150, "{}", rules.len());
    let names: Vec<&str> = rule_names().collect();
    let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), distinct.len(), "two rules of one name");
}

/// Names of the rules a program breaks.
fn broken(device: &str, text: &str) -> Vec<&'static str> {
    let devinfo = DevInfo::get(device).expect("a known device");
    let bytes = assemble(devinfo, text).unwrap_or_else(|error| panic!("{device}: {error}: {text}"));
    validate_program(devinfo, &bytes).iter().map(|violation| violation.rule).collect()
}

const END: &str = "\nsend(8) null<1>UD g112<8,8,1>UD 0x84080000 urb MsgDesc: { align1 1Q EOT };";

#[test]
fn jumps_inside_the_program() {
    for device in ALL.split(' ') {
        let good = "(+f0.0) if(8) JIP: MIDDLE UIP: END { align1 1Q };\n\
             else(8) JIP: END UIP: END { align1 1Q };\n\
             MIDDLE: mov(8) g10<1>F g2<8,8,1>F { align1 1Q };\n\
             END: endif(8) JIP: NEXT { align1 1Q };\n\
             NEXT: nop;";
        let version = DevInfo::get(device).expect("a known device").version;
        let has_uip = Opcode::Else.has_uip(version);
        let good = if has_uip {
            good.to_owned()
        } else {
            good.replace("else(8) JIP: END UIP: END", "else(8) JIP: END")
        };
        assert_eq!(broken(device, &format!("{good}{END}")), [""; 0], "{device}");
        let outside = format!("endif(8) JIP: 4000 {{ align1 1Q }};{END}");
        assert_eq!(broken(device, &outside), ["jump-target"], "{device}");
        let before = format!("nop;\nwhile(8) JIP: -400 {{ align1 1Q }};{END}");
        assert_eq!(broken(device, &before), ["jump-target"], "{device}");
        let between = format!("endif(8) JIP: 9 {{ align1 1Q }};\nnop;{END}");
        assert_eq!(broken(device, &between), ["jump-target"], "{device}");
        let forwards = format!("while(8) JIP: L {{ align1 1Q }};\nL: nop;{END}");
        assert_eq!(broken(device, &forwards), ["while-backwards"], "{device}");
        let nowhere = format!("(+f0.0) if(8) JIP: L UIP: L {{ align1 1Q }};\nL: nop;{END}");
        assert_eq!(broken(device, &nowhere), ["if-endif"], "{device}");
        assert_eq!(broken(device, "nop;"), ["thread-end"], "{device}");
        let around = |jump: &str| {
            format!(
                "TOP: {jump}\nmov(8) g10<1>F g2<8,8,1>F {{ align1 1Q }};\nEND: while(8) JIP: TOP {{ align1 1Q }};{END}"
            )
        };
        for name in ["break", "cont"] {
            let good = around(&format!("(+f0.0) {name}(8) JIP: END UIP: END {{ align1 1Q }};\nPAST: nop;"));
            assert_eq!(broken(device, &good), [""; 0], "{device}: {name}");
            let short =
                around(&format!("(+f0.0) {name}(8) JIP: PAST UIP: PAST {{ align1 1Q }};\nPAST: nop;"));
            assert_eq!(broken(device, &short), ["break-while"], "{device}: {name}");
        }
        let back = format!("TOP: nop;\nendif(8) JIP: TOP {{ align1 1Q }};{END}");
        assert_eq!(broken(device, &back), ["branch-forwards"], "{device}");
        assert_eq!(
            broken(device, &format!("jmpi(1) 400D {{ align1 WE_all 1N }};{END}")),
            ["jump-target"],
            "{device}"
        );
    }
}

/// What stands behind the last end-of-thread message is padding, unless something leads there.
#[test]
fn kernels_end() {
    for devinfo in DevInfo::all() {
        let padded = |text: &str| {
            let mut bytes = assemble(devinfo, text).expect(text);
            bytes.extend_from_slice(&[0xff; 20]);
            validate_program(devinfo, &bytes).iter().map(|violation| violation.rule).collect::<Vec<_>>()
        };
        assert_eq!(padded(END), [""; 0], "{}", devinfo.name);
        let predicated = END.trim().replacen("send", "(+f0.0) send", 1);
        assert_eq!(padded(&predicated), ["decode"], "{}", devinfo.name);
        // The subroutine behind the thread's end is part of the kernel and has the padding behind it.
        let distance = 32 / devinfo.call_unit_bytes;
        let call = format!("call(2) g10<1>UD JIP: {distance} {{ align1 1N }};");
        assert_eq!(padded(&format!("{call}{END}\nret(2) null<1>D g10<2,2,1>UD {{ align1 1N }};")), [""; 0]);
        let illegal = format!("{call}{END}\nillegal;\nret(2) null<1>D g10<2,2,1>UD {{ align1 1N }};");
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

/// Whatever the bits: an instruction breaks no rule of a set that it does not concern.
#[test]
fn sets_concern_all_that_break_their_rules() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
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
                assert!(broken.is_none(), "{}: {inst:?} breaks {:?}", devinfo.name, broken.map(|r| r.name));
            }
        }
    }
    // Sets that are not for all instructions were tried.
    assert_eq!(unconcerned.iter().filter(|count| **count > 100).count(), 8);
}
