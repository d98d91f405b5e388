//! Bit-field functions and their open-coded forms, down to machine instructions.

use compiler::CodegenOptions;
use compiler::output::Width;
use program::{Stage, StageKey, TargetKind};

/// Returns the mnemonics, in order, of a fragment shader that computes `expression` of unsigned
/// integers.
fn mnemonics(generation: &str, expression: &str) -> Vec<&'static str> {
    let source = format!(
        "#version 430\nuniform uint base, x, o, n, m;\nout uint result;\nvoid main() {{ result = {expression}; }}\n"
    );
    let vertex = "#version 430\nvoid main() { gl_Position = vec4(0.0); }\n";
    let program = crate::common::program(&[(Stage::Vertex, vertex), (Stage::Fragment, &source)]);
    let devinfo = intel_isa::DevInfo::get(generation).expect("a generation");
    let key = StageKey {
        targets: [TargetKind::Uint].into_iter().collect(),
        samples: 1,
        ..StageKey::default()
    };
    let options = CodegenOptions { widths: vec![Width::Simd8], ..CodegenOptions::default() };
    let binary = compiler::compile(&program, Stage::Fragment, &key, devinfo, &options)
        .unwrap_or_else(|e| panic!("{generation}: {expression}: {e}"));
    let insts =
        intel_isa::decode_program(devinfo, &binary.compiled.kernels[0].code).expect("our own code");
    insts.iter().map(|located| located.inst.opcode.mnemonic()).collect()
}

fn count(mnemonics: &[&str], wanted: &str) -> usize {
    mnemonics.iter().filter(|m| **m == wanted).count()
}

const GENERATIONS: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];

/// A function, how often it takes `bfe`, `bfi1` and `bfi2`, and open-coded forms of the same.
const FORMS: &[(&str, [usize; 3], &[&str])] = &[
    (
        "bitfieldExtract(x, 8, 8)",
        [1, 0, 0],
        &["(x >> 8) & 0xffu", "0xffu & (x >> 8u)", "uint((int(x) >> 8) & 0xff)"],
    ),
    ("bitfieldExtract(x, int(o), 5)", [1, 0, 0], &["(x >> o) & 31u"]),
    (
        "bitfieldInsert(base, x, int(o), 8)",
        [0, 1, 1],
        &[
            "(base & ~(0xffu << o)) | ((x << o) & (0xffu << o))",
            "((x & 0xffu) << o) | (base & ~(0xffu << o))",
            "(base & ~(((1u << 8) - 1u) << o)) | ((x << o) & (((1u << 8) - 1u) << o))",
        ],
    ),
    (
        "bitfieldInsert(base, x, 8, 8)",
        [0, 0, 1],
        &["(base & 0xffff00ffu) | ((x << 8) & 0xff00u)", "((x & 0xffu) << 8) | (base & ~0xff00u)"],
    ),
    (
        "bitfieldInsert(base, x, 0, 16)",
        [0, 0, 1],
        &[
            "(base & 0xffff0000u) | (x & 0xffffu)",
            "(0xffffu & x) | (0xffff0000u & base)",
            "(x & 65535u) | (base & ~65535u)",
        ],
    ),
    (
        "bitfieldInsert(base, x, 24, 8)",
        [0, 0, 1],
        &["(base & 0x00ffffffu) | (x << 24)", "((x << 24u) & 0xff000000u) | (base & 0xffffffu)"],
    ),
    (
        "bitfieldInsert(base, x >> 4, 8, 8)",
        [0, 0, 1],
        &["(base & 0xffff00ffu) | ((x << 4) & 0xff00u)"],
    ),
    (
        "bitfieldInsert(base, x << 3, 8, 8)",
        [0, 0, 1],
        &["(base & 0xffff00ffu) | ((x << 11) & 0xff00u)"],
    ),
    (
        "bitfieldInsert(base, x >> 8, 0, 16)",
        [0, 0, 1],
        &["(base & 0xffff0000u) | ((x >> 8) & 0xffffu)"],
    ),
    (
        "uint(bitfieldInsert(int(base), int(x), 4, 8))",
        [0, 0, 1],
        &["uint((int(base) & ~0xff0) | ((int(x) << 4) & 0xff0))"],
    ),
];

#[test]
fn open_coded_forms_reach_the_functions_counts() {
    for generation in GENERATIONS {
        for &(function, expected, forms) in FORMS {
            let built_in = mnemonics(generation, function);
            let counts = ["bfe", "bfi1", "bfi2"].map(|name| count(&built_in, name));
            assert_eq!(counts, expected, "{generation}: {function}: {built_in:?}");
            for form in forms {
                let open = mnemonics(generation, form);
                let counts = ["bfe", "bfi1", "bfi2"].map(|name| count(&open, name));
                assert_eq!(counts, expected, "{generation}: {form}: {open:?}");
                assert_eq!(
                    open.len(),
                    built_in.len(),
                    "{generation}: {form}: {open:?}, {function}: {built_in:?}"
                );
            }
        }
    }
}

/// With a number of bits that is not constant, 32 must mean all: a comparison and a selection more,
/// nothing else. The open-coded form does without.
#[test]
fn variable_widths_compare_and_select() {
    for generation in GENERATIONS {
        let constant = mnemonics(generation, "bitfieldInsert(base, x, int(o), 8)");
        let variable = mnemonics(generation, "bitfieldInsert(base, x, int(o), int(n))");
        assert_eq!(
            (count(&variable, "bfi1"), count(&variable, "bfi2")),
            (1, 1),
            "{generation}: {variable:?}"
        );
        let more = count(&variable, "cmp") + count(&variable, "sel");
        assert!(more == 2 && variable.len() <= constant.len() + 2, "{generation}: {variable:?}");
        let extract = mnemonics(generation, "bitfieldExtract(x, int(o), int(n))");
        assert_eq!(
            (count(&extract, "bfe"), count(&extract, "cmp"), count(&extract, "sel")),
            (1, 1, 1)
        );
        for open in [
            "(base & ~(((1u << n) - 1u) << o)) | ((x << o) & (((1u << n) - 1u) << o))",
            "(base & ~(((1u << n) - 1u) << o)) | ((x & ((1u << n) - 1u)) << o)",
            "base ^ ((base ^ (x << o)) & (((1u << n) - 1u) << o))",
        ] {
            let open = mnemonics(generation, open);
            assert_eq!(
                (count(&open, "bfi1"), count(&open, "bfi2")),
                (1, 1),
                "{generation}: {open:?}"
            );
            assert!(open.len() + 2 <= variable.len(), "{generation}: {open:?}");
        }
        let mask = mnemonics(generation, "((1u << n) - 1u) << o");
        assert_eq!((count(&mask, "bfi1"), count(&mask, "shl")), (1, 0), "{generation}: {mask:?}");
    }
}

/// Similar expressions that are no bit-field operations stay unchanged.
#[test]
fn other_masks_are_left_alone() {
    for generation in GENERATIONS {
        for other in [
            "(x >> o) & m",
            "(x >> 8) & 0xf0u",
            "(base & 0xffff00ffu) | ((x << 8) & 0xfe00u)",
            "(base & 0xffff00ffu) | ((x << 7) & 0xff00u & m)",
            "(base & ~m) | (x & n)",
            "(base & 0xffff0000u) | (x & 0x1ffffu)",
            "(base & 0xffff0001u) | (x & 0xffffu)",
            "(base & 0xfffff0f0u) | (x & 0x0f0fu)",
            "(base & 0x01ffffffu) | (x << 24)",
            "uint((int(x) >> 28) & 0x1f)",
            "((1u << n) - 2u) << o",
            "((2u << n) - 1u) << o",
            "(base & ~(((1u << n) - 1u) << o)) | ((x << n) & (((1u << n) - 1u) << o))",
        ] {
            let code = mnemonics(generation, other);
            let found = ["bfe", "bfi2"].iter().any(|name| count(&code, name) > 0);
            let mask = !other.contains("(1u << n) - 1u") && count(&code, "bfi1") > 0;
            assert!(!found && !mask, "{generation}: {other}: {code:?}");
        }
    }
}
