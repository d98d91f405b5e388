use super::*;
use crate::devinfo::DevInfo;
use crate::encoding::decode_program;

fn device(name: &str) -> &'static DevInfo {
    DevInfo::get(name).expect("a known device")
}

/// Line, column and message of the error.
fn error(device_name: &str, text: &str) -> (usize, usize, String) {
    let error = assemble(device(device_name), text).expect_err(text);
    (error.line, error.column, error.message)
}

#[test]
fn errors_have_positions() {
    let good = "mov(8) g10<1>F g2<8,8,1>F { align1 1Q };\n";
    for (text, line, column) in [
        ("mvo(8) g10<1>F g2<8,8,1>F { align1 1Q };", 2, 1),
        ("mov(3) g10<1>F g2<8,8,1>F { align1 1Q };", 2, 5),
        ("mov(8) g10<1>F h2<8,8,1>F { align1 1Q };", 2, 16),
        ("mov(8) g10<1>X g2<8,8,1>F { align1 1Q };", 2, 14),
        ("mov(8) g300<1>F g2<8,8,1>F { align1 1Q };", 2, 9),
        ("mov(8) g10.9<1>F g2<8,8,1>F { align1 1Q };", 2, 11),
        ("mov(8) g10<1>F g2<8,8,1>F { align2 1Q };", 2, 29),
        ("mov(8) g10<1>F g2<8,8,1>F { align1 9Q };", 2, 36),
        ("mov(8) g10<1>F g2<8,8,1>F { align1 1Q }", 2, 40),
        ("mov(8) g10<1>W 40000W { align1 1Q };", 2, 16),
        ("mov.huh(8) g10<1>F g2<8,8,1>F { align1 1Q };", 2, 5),
        ("mov(8) g10<1>.xF g2<4>F { align1 1Q };", 2, 15),
        ("if(8) JIP: NOWHERE UIP: 1 { align1 1Q };", 2, 12),
        ("send(8) g1<1>UD g2<8,8,1>UD 0x1 nobody MsgDesc: { align1 1Q };", 2, 33),
    ] {
        let (at_line, at_column, message) = error("ivb", &format!("{good}{text}"));
        assert_eq!((at_line, at_column), (line, column), "{text}: {message}");
    }
}

/// Encoding errors point at the instruction.
#[test]
fn encoding_errors_have_positions() {
    assert_eq!(error("ivb", "nop;\n  mov(8) g10<1>Q g2<4,4,1>Q { align1 1Q };").0, 2);
    assert_eq!(
        error("ivb", "csel.z(8) g1<1>F g2<4,4,1>F g3<4,4,1>F g4<4,4,1>F { align16 1Q };").1,
        1
    );
}

/// Distances are from the instruction, in 8-byte units before gen8 and bytes from then on.
#[test]
fn labels() {
    let text = "TOP: mov(8) g10<1>F g2<8,8,1>F { align1 1Q };\n\
                (+f0.0) break(8) JIP: END UIP: END { align1 1Q };\n\
                END: while(8) JIP: TOP { align1 1Q };";
    for (name, unit) in [("ivb", 8), ("hsw", 8), ("bdw", 1), ("chv", 1), ("skl", 1)] {
        let insts = assemble_insts(device(name), text).expect("valid");
        assert_eq!(
            (insts[1].jip, insts[1].uip, insts[2].jip),
            (16 / unit, 16 / unit, -32 / unit),
            "{name}"
        );
    }
    assert!(assemble(device("ivb"), "A: nop;\nA: nop;").is_err());
}

/// Calls count bytes from hsw on.
#[test]
fn call_labels() {
    let text = "call(2) g10<1>UD JIP: SUB { align1 1N };\nnop;\nSUB: ret(2) null<1>D g10<2,2,1>UD { align1 1N };";
    for (name, distance) in [("ivb", 4), ("hsw", 32), ("bdw", 32), ("chv", 32), ("skl", 32)] {
        let insts = assemble_insts(device(name), text).expect("valid");
        assert_eq!(insts[0].jip, distance, "{name}");
    }
}

/// Mesa's two-line sends, comments, spelled-out or missing parts.
#[test]
fn lenient_input() {
    let ivb = device("ivb");
    let one = "send(8) g2<1>UW g8<8,8,1>UD 0x08427001 sampler MsgDesc: { align1 1Q };";
    let two = "send(8)         g2<1>UW         g8<8,8,1>UD     0x08427001\n\
               \x20    sampler MsgDesc: ld SIMD8 Surface = 1 Sampler = 0 mlen 4 rlen 4 { align1 1Q };";
    assert_eq!(assemble(ivb, one), assemble(ivb, two));
    let plain = "mov(8) g10<1>F 0x3f800000F { align1 1Q };";
    let comments = "/* a */ mov(8) // b\n g10<1>F 0x3f800000F /* 1F */ { align1, 1Q } ;// c";
    assert_eq!(assemble(ivb, plain), assemble(ivb, comments));
    assert_eq!(assemble(ivb, ""), Ok(Vec::new()));
}

#[test]
fn numbers() {
    let ivb = device("ivb");
    for (text, bits) in [
        ("-1D", 0xffff_ffff),
        ("-2147483648D", 0x8000_0000),
        ("4294967295UD", 0xffff_ffff),
        ("0x0000000bUD", 0xb),
        ("-2W", 0xfffe_fffe),
        ("0xfffeUW", 0xfffe_fffe),
        ("0x00010002UW", 0x0001_0002),
        ("0x0F", 0),
    ] {
        let insts =
            assemble_insts(ivb, &format!("mov(8) g10<1>D {text} {{ align1 1Q }};")).expect(text);
        assert_eq!(insts[0].src[0].imm, bits, "{text}");
    }
    for text in
        ["4294967296D", "-2147483649D", "-1UD", "65536UW", "-32769W", "99999999999999999999UD"]
    {
        assert!(
            assemble(ivb, &format!("mov(8) g10<1>D {text} {{ align1 1Q }};")).is_err(),
            "{text}"
        );
    }
}

/// Restricted floats: sign, three exponent bits, four fraction bits.
#[test]
fn restricted_floats() {
    for (byte, value) in
        [(0x00, 0.0), (0x30, 1.0), (0xb0, -1.0), (0x20, 0.5), (0x7f, 31.0), (0x01, 0.132_812_5)]
    {
        assert_eq!(print::vf_to_f32(byte), value, "{byte:#x}");
    }
}

#[test]
fn one_line_per_instruction() {
    let skl = device("skl");
    let text =
        "nop;\nsends(8) nullUD g34UD g36UD a0<0>UD 0x00000100 dp data 1 MsgDesc: { align1 1Q };\n";
    let bytes = assemble(skl, text).expect("valid");
    let printed = print_program(skl, &decode_program(skl, &bytes).expect("valid"));
    assert_eq!(printed.lines().count(), 2);
    assert_eq!(assemble(skl, &printed), Ok(bytes));
}

/// Odd input is an error or an instruction, never a panic.
#[test]
fn fragments_do_not_panic() {
    let text = "(+f0.1.any2h) add.sat.nz.f0.1(8) g10.1<2>F -(abs)g2.3<8,8,1>F g[a0.1 -16]<0,1,0>F { align1 1Q }; // raw 0x1\n";
    for devinfo in DevInfo::all() {
        for end in 0..=text.len() {
            let _ = assemble(devinfo, &text[..end]);
            let _ = assemble(devinfo, &text[end..]);
            let _ = assemble(devinfo, &format!("{}é{}", &text[..end], &text[end..]));
        }
    }
}
