//! The table of bit-field idioms in docs/internals/gcn-bit-fields.md: instructions on each chip
//! with operands per lane and with operands that all lanes share. `BLESS=1` rewrites it.

use std::fmt::Write;
use std::path::PathBuf;

use amd_isa::Chip;
use ir::{AluOp, Builder, Fields, IntrinsicOp, Shader, Slot, Value};

use super::harness::{compiled, lower, text};
use super::operations::shader;

/// Text before the table.
const HEAD: &str = "\
# Bit fields on GCN

Instructions of GLSL's bit-field functions and of open-coded forms, as `amd_codegen` selects
them. *Lanes*: operands in vector registers. *Shared*: operands that all lanes share, in scalar
registers; loads and the export are left out. All of them are executed in a straight line.

This file is written by a test: `BLESS=1 cargo test -p amd_codegen bit_field_table`. The same tests
execute insertion and extraction with every offset and width whose sum is at most 32 (561 pairs with
six patterns), and the other functions on their edge cases, against GLSL's definition.

";

/// Makes the value of an idiom of four operands.
type Idiom = fn(&mut Builder<'_>, &[Value]) -> Value;

const IDIOMS: [(&str, Idiom); 14] = [
    ("bitfieldInsert(b, i, o, w)", |b, v| b.alu(AluOp::BitfieldInsert, v)),
    ("bitfieldInsert(b, i, o, 7)", |b, v| {
        let width = b.imm(7);
        b.alu(AluOp::BitfieldInsert, &[v[0], v[1], v[2], width])
    }),
    ("bitfieldInsert(b, i, 8, 7)", |b, v| {
        let (offset, width) = (b.imm(8), b.imm(7));
        b.alu(AluOp::BitfieldInsert, &[v[0], v[1], offset, width])
    }),
    ("bitfieldExtract(uint, o, w)", |b, v| b.alu(AluOp::UbitfieldExtract, &v[..3])),
    ("bitfieldExtract(int, o, w)", |b, v| b.alu(AluOp::IbitfieldExtract, &v[..3])),
    ("bitfieldExtract(int, 8, 7)", |b, v| {
        let (offset, width) = (b.imm(8), b.imm(7));
        b.alu(AluOp::IbitfieldExtract, &[v[0], offset, width])
    }),
    ("bitfieldReverse(x)", |b, v| b.alu(AluOp::BitfieldReverse, &v[..1])),
    ("bitCount(x)", |b, v| b.alu(AluOp::BitCount, &v[..1])),
    ("bitCount(x) + y", |b, v| {
        let count = b.alu(AluOp::BitCount, &v[..1]);
        b.alu(AluOp::Iadd, &[v[1], count])
    }),
    ("findLSB(x)", |b, v| b.alu(AluOp::FindLsb, &v[..1])),
    ("findMSB(uint)", |b, v| b.alu(AluOp::UfindMsb, &v[..1])),
    ("findMSB(int)", |b, v| b.alu(AluOp::IfindMsb, &v[..1])),
    ("(x & m) | (y & ~m)", |b, v| {
        let rest = b.inot(v[2]);
        let (yes, no) = (b.iand(v[0], v[2]), b.iand(v[1], rest));
        b.alu(AluOp::Ior, &[yes, no])
    }),
    ("(x >> 8) & 0x7f", |b, v| {
        let (shift, mask) = (b.imm(8), b.imm(0x7f));
        let shifted = b.alu(AluOp::Ushr, &[v[0], shift]);
        b.iand(shifted, mask)
    }),
];

/// A shader of an idiom. `shared` operands come from a uniform block.
fn with(idiom: Idiom, shared: bool) -> Shader {
    let mut shader = shader();
    shader.info.ubos = 1;
    let mut b = Builder::new(&mut shader);
    let loaded = if shared {
        let zero = b.imm(0);
        let fields = Fields::default();
        let block = IntrinsicOp::LoadUbo;
        b.intrinsic(block, &[zero, zero], fields, Some((32, 4))).expect("a value")
    } else {
        b.load_input(Slot::Var(0), 0, 4)
    };
    let operands = b.channels(loaded);
    let value = idiom(&mut b, &operands);
    b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, value);
    b.finish();
    ir::passes::lower_bitfield(&mut shader);
    ir::passes::opt_bitfield(&mut shader);
    lower(&mut shader);
    shader
}

/// Mnemonics of the instructions between loads and export.
fn sequence(shader: &Shader, chip: Chip) -> Vec<String> {
    let text = text(&compiled(shader, chip));
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    let names = names.map(|name| name.trim_end_matches("_e32").trim_end_matches("_e64").to_owned());
    let frame = ["v_interp_mov_f32", "s_buffer_load", "s_waitcnt", "exp", "s_endpgm", "v_mov_b32"];
    let other = |name: &String| !frame.iter().any(|known| name.starts_with(known));
    // M0 of the interpolation comes first.
    names.skip_while(|name| name == "s_mov_b32").filter(other).collect()
}

#[test]
fn bit_field_table() {
    let mut table = HEAD.to_owned();
    table += "| idiom | operands | si | vi |\n|---|---|---|---|\n";
    for (name, idiom) in IDIOMS {
        for (shared, operands) in [(false, "lanes"), (true, "shared")] {
            let cells = Chip::ALL.map(|chip| {
                let names = sequence(&with(idiom, shared), chip);
                format!("{}: `{}`", names.len(), names.join(" "))
            });
            let name = name.replace('|', "\\|");
            let _ = writeln!(table, "| `{name}` | {operands} | {} |", cells.join(" | "));
        }
    }
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/internals/gcn-bit-fields.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &table).expect("the file can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == table, "{} is out of date: BLESS=1 rewrites it", path.display());
}
