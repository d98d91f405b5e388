//! Text in both directions, and errors.

use super::{assemble, print_program};
use crate::chip::Chip;
use crate::encoding::decode_program;

/// Lines of text with their dwords on si, as LLVM's assembler gives them.
const SI: &[(&str, &[u32])] = &[
    ("v_bfi_b32 v0, v1, v2, v3", &[0xd294_0000, 0x040e_0501]),
    ("s_waitcnt vmcnt(0) & expcnt(1) & lgkmcnt(2)", &[0xbf8c_0210]),
    ("s_getreg_b32 s1, hwreg(HW_REG_MODE, 4, 8)", &[0xb901_3901]),
    ("s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)", &[0xbf90_0122]),
    ("exp pos1 v0, off, v2, off", &[0xf800_00d5, 0x0002_0000]),
];

#[test]
fn known_words() {
    for (text, words) in SI {
        assert_eq!(assemble(Chip::Si, text).as_deref(), Ok(*words), "{text}");
    }
}

#[test]
fn labels() {
    let text = "start: s_nop 0\n s_cbranch_scc0 end\ns_branch start\nend:\ns_endpgm\n";
    for chip in Chip::ALL {
        let words = assemble(chip, text).expect(text);
        assert_eq!(words[1] & 0xffff, 1);
        assert_eq!(words[2] & 0xffff, 0xfffd);
        let printed = print_program(chip, &decode_program(chip, &words).expect("valid words"));
        assert_eq!(assemble(chip, &printed), Ok(words), "{printed}");
        assert!(printed.contains("s_branch L0000"), "{printed}");
    }
}

/// Text, and the message with line and column.
const ERRORS: &[(&str, &str)] = &[
    ("s_nop 0\n  s_frob s1", "2:3: `s_frob` is not an instruction of si"),
    ("s_mov_b32 s1", "1:13: expected `,` at the end of the line"),
    ("s_mov_b32 s1, s104", "1:15: si has no such register: `s104`"),
    ("s_mov_b64 s[0:1], s2", "1:19: the operand has 2 registers, not those of `s2`"),
    ("s_movk_i32 s1, 0x12345", "1:16: not within -32768 to 65535 `0x12345`"),
    ("s_waitcnt vmcnt(16)", "1:17: vmcnt is within 0 to 15 `16)`"),
    ("s_branch nowhere", "1:10: there is no label `nowhere`"),
    ("s_load_dword s0, s[2:3], 0x100", "1:1: s_load_dword: offset 256 does not fit its field"),
    ("v_add_f32 v0, v1, v2 frob", "1:22: no modifier `frob`"),
    ("v_and_b32_e32 v0, v1, s2", "1:1: v_and_b32: operand 3 cannot be Scalar(Scalar(2))"),
    ("buffer_load_dword v0, v1, s[0:3], 0", "1:23: the operand has 0 registers, not those of `v1`"),
    ("a: s_nop 0\na: s_nop 0", "2:1: label `a` is there twice"),
];

#[test]
fn errors_have_place_and_text() {
    for (text, message) in ERRORS {
        let error = assemble(Chip::Si, text).expect_err(text);
        assert_eq!(error.to_string(), *message, "{text}");
    }
}
