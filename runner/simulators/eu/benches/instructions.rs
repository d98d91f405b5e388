//! Instructions per second in loops of typical arithmetic.
//!
//! `cargo bench -p simulator`. The yardstick is 25 million SIMD16 instructions per second on one
//! core in the group `fract`, on every generation: the inner loop of `a = fract(a * a.yzwx + c)`.

#![allow(missing_docs, reason = "what criterion's macros generate has none")]
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use eu_simulator::{Kernel, NoHost, Outcome, Thread};
use intel_isa::{DevInfo, Opcode, Quirk, Sfid, build};

const ROUNDS: u64 = 1000;

/// A loop of `body`, run [`ROUNDS`] times, and the number of instructions one run executes.
fn looped(device: &'static DevInfo, body: &str) -> (Kernel, u64) {
    let mut insts =
        intel_isa::assemble_insts(device, "mov(8) g100<1>UD 0UD { align1 WE_all 1Q };").unwrap();
    let body = intel_isa::assemble_insts(device, body).unwrap();
    let count = body.len() as i32;
    insts.extend(body);
    let control = format!(
        "add(8) g100<1>UD g100<8,8,1>UD 1UD {{ align1 1Q }};
         cmp.l.f0.0(8) null<1>UD g100<8,8,1>UD {ROUNDS}UD {{ align1 1Q switch }};"
    );
    insts.extend(intel_isa::assemble_insts(device, &control).unwrap());
    let unit = 16 / i32::from(device.jump_unit_bytes);
    insts.push(build::inst(Opcode::While).jumps(-(count + 2) * unit, 0).pred(0, 0, false));
    insts.push(build::send(Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25).eot());
    let kernel =
        Kernel::decode(device, &intel_isa::encode_program(device, &insts).unwrap()).unwrap();
    (kernel, 2 + ROUNDS * (count as u64 + 3))
}

fn measure(c: &mut Criterion) {
    let float = "mad(8) g10<1>F g2<4,4,1>F g3<4,4,1>F g4<4,4,1>F { align16 1Q };
                 add(8) g11<1>F g10<8,8,1>F -g5<8,8,1>F { align1 1Q };
                 mul(8) g12<1>F g11<8,8,1>F g6.2<0,1,0>F { align1 1Q };
                 add(8) g13<1>F g12<8,8,1>F 0x3f800000F { align1 1Q };";
    let wide = "mul(16) g20<1>F g2<8,8,1>F g4<8,8,1>F { align1 1H };
                add(16) g22<1>F g20<8,8,1>F g4<8,8,1>F { align1 1H };";
    let integer = "and(8) g10<1>UD g2<8,8,1>UD g3<8,8,1>UD { align1 1Q };
                   shl(8) g11<1>D g10<8,8,1>D 3UD { align1 1Q };
                   cmp.nz.f0.1(8) g12<1>D g11<8,8,1>D 7D { align1 1Q switch };
                   (+f0.1) sel(8) g13<1>UD g11<8,8,1>UD g3<8,8,1>UD { align1 1Q };";
    let double = "mul(4) g10<1>DF g2<4,4,1>DF g3<4,4,1>DF { align1 1N };
                  add(4) g11<1>DF g10<4,4,1>DF g4<4,4,1>DF { align1 1N };
                  mad(4) g12<1>DF g2<4,4,1>DF g3<4,4,1>DF g4<4,4,1>DF { align16 1N };";
    let generic = "mach(8) g10<1>D g2<8,8,1>D g3<8,8,1>D { align1 1Q AccWrEnable };
                   mov(8) g11<1>W g2<8,8,1>F { align1 1Q };";
    let mut group = c.benchmark_group("instructions");
    for (name, device, body) in [
        ("float", "ivb", float),
        ("float16", "hsw", wide),
        ("integer", "ivb", integer),
        ("double", "hsw", double),
        ("generic", "ivb", generic),
    ] {
        let device = DevInfo::get(device).unwrap();
        let (kernel, count) = looped(device, body);
        let mut thread = Thread::new(device, 1);
        group.throughput(Throughput::Elements(count));
        group.bench_function(name, |bencher| {
            bencher.iter(|| run(&kernel, &mut thread));
        });
    }
    group.finish();
}

/// Four components of `fract(a * a.yzwx + c)` in SIMD16, with SIMD8 instructions where the device
/// has no wider MAD.
fn fract(device: &'static DevInfo) -> String {
    let mut body = String::new();
    for component in 0..4 {
        let [a, b, c, d] = [20 + 2 * component, 20 + 2 * ((component + 1) % 4), 4, 30];
        if device.hardware_has_quirk(Quirk::Ivb3srcSimd8) {
            body += &format!(
                "mad(8) g{d}<1>F g{c}<4,4,1>F g{a}<4,4,1>F g{b}<4,4,1>F {{ align16 1Q }};
                 mad(8) g{}<1>F g{}<4,4,1>F g{}<4,4,1>F g{}<4,4,1>F {{ align16 2Q }};\n",
                d + 1,
                c + 1,
                a + 1,
                b + 1
            );
        } else {
            body += &format!(
                "mad(16) g{d}<1>F g{c}<4,4,1>F g{a}<4,4,1>F g{b}<4,4,1>F {{ align16 1H }};\n"
            );
        }
        body += &format!("frc(16) g{a}<1>F g{d}<8,8,1>F {{ align1 1H }};\n");
    }
    body
}

/// The loop of [`fract`] on every device, and its like in Align16: one vec4 of two vertices.
fn measure_fract(c: &mut Criterion) {
    let swizzled =
        "mad(8) g30<1>.xyzwF g4<4,4,1>.xyzwF g20<4,4,1>.xyzwF g20<4,4,1>.yzwxF { align16 1Q };
                    frc(8) g20<1>.xyzwF g30<4>.xyzwF { align16 1Q };";
    let mut group = c.benchmark_group("fract");
    for device in DevInfo::all() {
        for (name, body) in [("SIMD16", fract(device)), ("vec4", swizzled.into())] {
            let (kernel, count) = looped(device, &body);
            let mut thread = Thread::new(device, 1);
            group.throughput(Throughput::Elements(count));
            group.bench_function(format!("{name}/{}", device.name), |bencher| {
                bencher.iter(|| run(&kernel, &mut thread));
            });
        }
    }
    group.finish();
}

/// Runs a kernel in a new thread with floats in its registers.
fn run(kernel: &Kernel, thread: &mut Thread) -> Outcome {
    thread.reset(1);
    thread.set_dispatch_mask(0xffff);
    for nr in 0..32 {
        thread.set_register(nr, &[1.5f32.to_bits(); 8]);
    }
    kernel.run(thread, &mut NoHost, u64::MAX).unwrap()
}

criterion_group!(benches, measure, measure_fract);
criterion_main!(benches);
