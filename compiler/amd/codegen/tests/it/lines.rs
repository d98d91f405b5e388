//! Source lines of machine code.

use amd_codegen::{CodegenOptions, StageKey, compile};
use amd_isa::{Chip, Opcode};
use vocabulary::SourceLine;

/// Line 3 reads an input, 5 decides, 6 and 8 are the branches, 10 divides.
const SHADER: &str = "shader fragment
input var0 mask=15 flat pixel stream=0
output frag_color0 mask=15 smooth pixel stream=0
info flush_f32 1
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=var0 component=0 @3
  1x1 v2 = flt v1.x, v1.y @5
}
if v2 {
  block b1 {
    32x1 v3 = fsqrt v1.z @6
  }
} else {
  block b2 {
    32x1 v4 = frsq v1.w @8
  }
}
block b3 {
  32x1 v5 = phi b1: v3, b2: v4
  32x1 v6 = frcp v5 @10
  store_output v6, v0 slot=frag_color0 component=0 mask=1 stream=0 @4
}
";

fn lines(chip: Chip) -> Vec<(Opcode, SourceLine)> {
    let shader = ir::parse(SHADER).expect("a shader");
    let output = compile(&shader, &StageKey::default(), chip, &CodegenOptions::default());
    let output = output.expect("a program");
    let program = amd_isa::decode_program(chip, &output.words).expect("instructions");
    let line = |l: &amd_isa::Located| (l.instruction.opcode, output.lines.at(4 * l.offset as u32));
    program.iter().map(line).collect()
}

#[test]
fn instructions_have_the_lines_of_the_ir() {
    for chip in Chip::ALL {
        let lines = lines(chip);
        let line_of = |opcode: Opcode| {
            let found = lines.iter().find(|(o, _)| *o == opcode).expect("the instruction");
            found.1.line()
        };
        assert_eq!(line_of(Opcode::VInterpMovF32), Some(3));
        assert_eq!(line_of(Opcode::VCmpLtF32), Some(5));
        assert_eq!(line_of(Opcode::VSqrtF32), Some(6));
        assert_eq!(line_of(Opcode::VRsqF32), Some(8));
        assert_eq!(line_of(Opcode::VRcpF32), Some(10));
        assert_eq!(line_of(Opcode::SEndpgm), None, "the epilogue");
    }
}

#[test]
fn no_instruction_between_has_no_line() {
    for chip in Chip::ALL {
        let lines = lines(chip);
        assert!(lines.iter().all(|(_, line)| !line.is_unknown()), "{lines:?}");
        let first = lines.iter().position(|(_, line)| line.line().is_some()).expect("a line");
        let last = lines.iter().rposition(|(_, line)| line.line().is_some()).expect("a line");
        let between = lines[first..=last].iter().filter(|(_, line)| line.line().is_none());
        assert_eq!(between.count(), 0, "{lines:?}");
    }
}
