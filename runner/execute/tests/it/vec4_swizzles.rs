//! All 256 swizzles of 64-bit vectors as sources of instructions with one, two and three sources,
//! on every generation with a vec4 back end, for both vertices and under control flow that only one
//! of them enters.

use crate::vec4_harness::{
    Data, GENS, Rng, agree, attribute, build, output, uniform, wide_attribute,
};
use intel_codegen::CodegenOptions;
use ir::{AluOp, Builder, Shader, Src, Value};

/// Values per shader: each takes two output slots.
const BATCH: u32 = 14;

/// Source of the swizzled vector.
#[derive(Clone, Copy)]
enum Kind {
    /// A register per vertex.
    Varying,
    /// Uniforms at the start of a register, and in its middle.
    Uniform(u32),
}

fn swizzle(code: u32) -> [u8; 4] {
    [0, 2, 4, 6].map(|shift| (code >> shift & 3) as u8)
}

/// A shader that computes `make(vectors, code)` for each of `codes`. When `masked`, vertices whose
/// selector is odd keep the first vector instead.
fn shader(
    codes: &[u32],
    kind: Kind,
    masked: bool,
    make: &dyn Fn(&mut Builder<'_>, [Value; 3], u32) -> Value,
) -> Shader {
    let mut shader = build(|b| {
        let first = match kind {
            Kind::Varying => wide_attribute(b, 0),
            Kind::Uniform(offset) => uniform(b, offset, 64, 4),
        };
        let (second, third) = (wide_attribute(b, 2), uniform(b, 96, 64, 4));
        let selector = attribute(b, 4, 1);
        let (one, zero) = (b.imm(1), b.imm(0));
        let odd = b.iand(selector, one);
        let even = b.ieq(odd, zero);
        for (index, &code) in codes.iter().enumerate() {
            let slot = 2 * index as u8;
            let vectors = [first, second, third];
            if !masked {
                let value = make(b, vectors, code);
                output(b, slot, value);
                continue;
            }
            let local = b.shader.create_local(64, 4, 1, "x");
            b.store_var(local, second);
            b.push_if(even);
            let value = make(b, vectors, code);
            b.store_var(local, value);
            b.pop_if();
            let value = b.load_var(local);
            output(b, slot, value);
        }
    });
    ir::passes::opt_promote_locals(&mut shader);
    shader
}

fn check(codes: &[u32], make: &dyn Fn(&mut Builder<'_>, [Value; 3], u32) -> Value) {
    for kind in [Kind::Varying, Kind::Uniform(64), Kind::Uniform(144)] {
        for masked in [false, true] {
            for batch in codes.chunks(BATCH as usize) {
                let shader = shader(batch, kind, masked, make);
                for gen_name in GENS {
                    agree(
                        &shader,
                        gen_name,
                        &CodegenOptions::default(),
                        &Data::moderate(u64::from(batch[0])),
                    );
                }
            }
        }
    }
}

fn all() -> Vec<u32> {
    (0..256).collect()
}

#[test]
fn one_source() {
    check(&all(), &|b, [a, _, _], code| {
        b.alu_src(AluOp::Fneg, &[Src::with_swizzle(a, swizzle(code))], 4)
    });
}

#[test]
fn two_sources() {
    check(&all(), &|b, [a, other, _], code| {
        b.alu_src(AluOp::Fadd, &[Src::with_swizzle(a, swizzle(code)), Src::new(other)], 4)
    });
    check(&all(), &|b, [a, other, _], code| {
        b.alu_src(AluOp::Fmul, &[Src::new(other), Src::with_swizzle(a, swizzle(code))], 4)
    });
}

/// Comparison and selection: flags go component by component too.
#[test]
fn flags() {
    check(&all(), &|b, [a, other, _], code| {
        let srcs = [Src::with_swizzle(a, swizzle(code)), Src::new(other)];
        let less = b.alu_src(AluOp::Flt, &srcs, 4);
        b.alu_src(AluOp::Bcsel, &[Src::new(less), srcs[0], srcs[1]], 4)
    });
}

#[test]
fn three_sources() {
    for position in 0..3 {
        check(&all(), &|b, [a, second, third], code| {
            let mut srcs = [Src::new(second), Src::new(second), Src::new(third)];
            srcs[position] = Src::with_swizzle(a, swizzle(code));
            b.alu_src(AluOp::Ffma, &srcs, 4)
        });
    }
}

/// All sources swizzled, of two vectors and with fewer components too.
#[test]
fn random_combinations() {
    let mut rng = Rng::new(5);
    let codes: Vec<u32> = (0..10 * BATCH).map(|_| rng.next() as u32).collect();
    check(&codes, &|b, [a, second, third], code| {
        let srcs = [a, second, third].map(|v| v).into_iter().zip([0, 8, 16]);
        let srcs: Vec<Src> =
            srcs.map(|(v, shift)| Src::with_swizzle(v, swizzle(code >> shift & 255))).collect();
        let n = 1 + (code >> 24 & 3) as u8;
        let value = match code >> 26 & 1 {
            0 => b.alu_src(AluOp::Ffma, &srcs, n),
            _ => b.alu_src(AluOp::Fmul, &srcs[..2], n),
        };
        let parts: Vec<Value> = (0..4).map(|c| b.channel(value, c % n)).collect();
        b.vec(&parts)
    });
}
