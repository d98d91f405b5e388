//! Fragment shaders through the whole scalar back end: they compile, decode back to what was
//! encoded, and use the instructions one expects.

use intel_codegen::output::{Interface, Output, Width};
use intel_codegen::{CodegenOptions, StageKey, compile};
use intel_isa::DevInfo;
use ir::{Builder, Shader, Slot, Stage, Value, Varying};

/// The trials, with their names.
pub(crate) const TRIALS: &[(&str, fn())] =
    &[("constant_color", constant_color), ("critical_sections_wait", critical_sections_wait)];

const COLOR: Slot = Slot::FragColor { location: 0, index: 0 };

fn options() -> CodegenOptions {
    CodegenOptions { paranoid: true, ..CodegenOptions::default() }
}

/// A shader whose body `build` emits; its result goes to color 0.
fn shader(inputs: &[Slot], build: impl FnOnce(&mut Builder<'_>) -> Value) -> Shader {
    let mut shader = Shader::new(Stage::Fragment);
    shader.info.inputs = inputs.iter().map(|&s| Varying::new(s)).collect();
    shader.info.outputs = vec![Varying::new(COLOR)];
    shader.info.ubos = 1;
    shader.info.default_block_size = 1024;
    let mut b = Builder::new(&mut shader);
    let value = build(&mut b);
    b.store_output(COLOR, 0, value);
    b.finish();
    ir::validate(&shader).unwrap();
    shader
}

fn compiled(shader: &Shader, device: &str) -> Output {
    compile(shader, &StageKey::default(), DevInfo::get(device).unwrap(), &options()).unwrap()
}

fn listing(compiled: &Output, device: &str, kernel: usize) -> String {
    let devinfo = DevInfo::get(device).unwrap();
    let located = intel_isa::decode_program(devinfo, &compiled.kernels[kernel].code).unwrap();
    located.iter().map(|l| intel_isa::print_inst(devinfo, &l.inst) + "\n").collect()
}

fn constant_color() {
    let s = shader(&[], |b| {
        let (r, g) = (b.fconst(32, 1.0), b.fconst(32, 0.25));
        b.vec(&[r, g, g, r])
    });
    let c = compiled(&s, "ivb");
    assert_eq!(c.kernels.len(), 2);
    assert_eq!(c.kernels[0].width, Width::Simd8);
    assert_eq!(c.kernels[1].width, Width::Simd16);
    for kernel in &c.kernels {
        assert!(kernel.statistics.instructions >= 5);
        assert_eq!(kernel.dispatch_grf_start, 2);
    }
    let Interface::Fragment(interface) = &c.interface else { panic!() };
    assert_eq!(interface.render_targets, 1);
}

/// A critical section begins with a fence that waits for earlier threads of the same pixels, and
/// its end waits for the fence after its writes.
fn critical_sections_wait() {
    use ir::{Fields, IntrinsicOp};
    let mut s = shader(&[], |b| {
        b.intrinsic(IntrinsicOp::BeginInterlock, &[], Fields::default(), None);
        let (block, offset, one) = (b.imm(0), b.imm(16), b.imm(1));
        let old =
            b.intrinsic(IntrinsicOp::LoadSsbo, &[block, offset], Fields::default(), Some((32, 1)));
        let new = b.iadd(old.unwrap(), one);
        let fields = Fields { write_mask: 1, ..Fields::default() };
        b.intrinsic(IntrinsicOp::StoreSsbo, &[new, block, offset], fields, None);
        b.intrinsic(IntrinsicOp::EndInterlock, &[], Fields::default(), None);
        let zero = b.fconst(32, 0.0);
        b.vec(&[zero; 4])
    });
    s.info.ssbos = 1;
    let text = listing(&compiled(&s, "skl"), "skl", 0);
    let at = |what: &str| {
        text.lines().position(|l| l.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"))
    };
    let fences: Vec<usize> = text
        .lines()
        .enumerate()
        .filter(|(_, l)| l.contains("memory fence"))
        .map(|(i, _)| i)
        .collect();
    let [begin, end] = fences[..] else { panic!("{text}") };
    let line = |n: usize| text.lines().nth(n).unwrap();
    assert!(line(begin).starts_with("sendc(8)") && line(end).starts_with("send(8)"), "{text}");
    assert!(begin < at("untyped surface read") && at("untyped surface write") < end, "{text}");
    // The response is read before the thread ends.
    let response = line(end).split_whitespace().nth(1).unwrap().split('<').next().unwrap();
    let reads = |l: &str| l.starts_with("mov(8)") && l.contains("null") && l.contains(response);
    assert!(text.lines().skip(end).any(reads), "{text}");
}
