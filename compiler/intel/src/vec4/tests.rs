//! Small shaders and the code that they become.

use crate::output::{Compiled, Interface};
use crate::{Backend, CodegenOptions, CompileError, StageKey};
use eu::DevInfo;
use ir::Shader;

fn compile_vec4(shader: &Shader, devinfo: &'static DevInfo) -> Result<Compiled, CompileError> {
    let options = CodegenOptions { backend: Some(Backend::Vec4), ..CodegenOptions::default() };
    crate::compile(shader, &StageKey::default(), devinfo, &options)
}

fn compile(gen_name: &str, text: &str) -> Compiled {
    let shader = ir::parse(text).unwrap_or_else(|e| panic!("{e}"));
    ir::validate(&shader).unwrap_or_else(|e| panic!("{e}"));
    let devinfo = DevInfo::get(gen_name).expect("a device");
    compile_vec4(&shader, devinfo).expect("compiles")
}

fn listing(gen_name: &str, text: &str) -> Vec<String> {
    let devinfo = DevInfo::get(gen_name).expect("a device");
    let compiled = compile(gen_name, text);
    let code = &compiled.kernels[0].code;
    assert_eq!(eu::validate::validate_program(devinfo, code), []);
    let program = eu::decode_program(devinfo, code).expect("decodes");
    let text = eu::print_program(devinfo, &program);
    text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

const PASSTHROUGH: &str = "shader vertex
input attribute0 mask=15 smooth pixel stream=0
output position mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  store_output v1, v0 slot=position component=0 mask=15 stream=0
}
";

/// The five instructions that Mesa's vec4 compiler needs too: position, header slot, message
/// header, its channel masks, and the URB write from g112 or above.
#[test]
fn passthrough() {
    for gen_name in ["ivb", "hsw"] {
        let lines = listing(gen_name, PASSTHROUGH);
        assert_eq!(lines.len(), 5, "{lines:#?}");
        assert_eq!(lines[0], "mov(8) g127<1>UD g1<4>UD { align16 1Q };");
        assert_eq!(lines[1], "mov(8) g126<1>UD 0x00000000UD { align16 1Q };");
        assert_eq!(lines[2], "mov(8) g125<1>UD g0<8,8,1>UD { align1 WE_all 1Q };");
        assert!(lines[3].starts_with("or(1) g125.5<1>UD g0.5<0,1,0>UD 0x0000ff00UD"));
        assert!(
            lines[4].contains("0x8608c000 urb") && lines[4].ends_with("EOT };"),
            "{}",
            lines[4]
        );
    }
}

#[test]
fn interface_of_passthrough() {
    let compiled = compile("ivb", PASSTHROUGH);
    let Interface::Vertex(interface) = &compiled.interface else { panic!("a vertex shader") };
    assert_eq!(interface.inputs, [crate::output::VertexInput::Attribute { location: 0 }]);
    let slots = [crate::output::Varying::Header, crate::output::Varying::Position];
    assert_eq!(interface.outputs.slots, slots);
    assert_eq!(compiled.kernels[0].dispatch_grf_start, 1);
    assert_eq!(compiled.kernels[0].statistics.sends, 1);
}

/// Uniform rows are sources, shared by both vertices.
#[test]
fn dot_products_read_uniforms_in_place() {
    let text = "shader vertex
info ubos 1
input attribute0 mask=15 smooth pixel stream=0
output position mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  32x4 v2 = load_ubo v0, v0 base=0 align=0
  32x4 v3 = load_ubo v0, v0 base=16 align=0
  32x1 v4 = fdot4 v1, v2
  32x1 v5 = fdot4 v1, v3
  32x4 v6 = vec4 v4, v5, v4, v5
  store_output v6, v0 slot=position component=0 mask=15 stream=0
}
";
    let lines = listing("ivb", text);
    // Both dot products go straight to the components of the output that want them.
    assert_eq!(lines[0], "dp4(8) g127<1>.xzF g2<4>F g1<0>F { align16 1Q };");
    assert_eq!(lines[1], "dp4(8) g127<1>.ywF g2<4>F g1.4<0>F { align16 1Q };");
    assert_eq!(lines.len(), 6, "{lines:#?}");
}

/// A comparison that only a select needs stays a flag.
#[test]
fn comparisons_become_flags() {
    let text = "shader vertex
input attribute0 mask=15 smooth pixel stream=0
input attribute1 mask=15 smooth pixel stream=0
output position mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  32x4 v2 = load_input v0 slot=attribute1 component=0
  1x4 v3 = flt v1, v2
  1x4 v4 = inot v3
  32x4 v5 = bcsel v4, v1, v2
  store_output v5, v0 slot=position component=0 mask=15 stream=0
}
";
    let lines = listing("hsw", text);
    assert_eq!(lines[0], "cmp.l.f0.0(8) null<1>F g1<4>F g2<4>F { align16 1Q switch };");
    assert_eq!(lines[1], "(-f0.0) sel(8) g127<1>UD g1<4>UD g2<4>UD { align16 1Q };");
    assert_eq!(lines.len(), 6);
}

/// Doubles: whole vectors on hsw, a vertex at a time with its own enables on ivb.
#[test]
fn double_widths() {
    let text = "shader vertex
info ubos 1
input attribute0 mask=15 smooth pixel stream=0
output var0 mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  64x4 v2 = f2f64 v1
  64x4 v3 = fmul v2, v2
  32x4 v4 = unpack_64_2x32_split_x v3
  store_output v4, v0 slot=var0 component=0 mask=15 stream=0
}
";
    let products = |gen_name: &str| -> Vec<String> {
        listing(gen_name, text).into_iter().filter(|l| l.starts_with("mul(8)")).collect()
    };
    let hsw = products("hsw");
    assert_eq!(hsw.len(), 1);
    assert!(hsw[0].ends_with("{ align16 1Q };"), "{hsw:?}");
    let ivb = products("ivb");
    assert_eq!(ivb.len(), 2);
    assert!(ivb[0].ends_with("{ align16 1Q };") || ivb[0].ends_with("{ align16 1N };"), "{ivb:?}");
    assert!(ivb[1].ends_with("{ align16 2N };"), "{ivb:?}");
}

/// A sample at an explicit level: coordinates in one register, the level in a second, the texel
/// straight to the output.
#[test]
fn texture_at_a_level() {
    let mut shader = Shader::new(ir::Stage::Vertex);
    shader.info.samplers = 1;
    let mut b = ir::Builder::new(&mut shader);
    let coord = b.load_input(ir::Slot::Attribute(0), 0, 2);
    let level = b.fconst(32, 1.0);
    let mut tex = ir::Tex::new(ir::TexOp::Txl, ir::Dim::D2, 0, 0);
    tex.srcs.push((ir::TexSrcKind::Coord, coord));
    tex.srcs.push((ir::TexSrcKind::Lod, level));
    let texel = b.push(ir::InstKind::Tex(Box::new(tex)), Some((32, 4))).expect("a result");
    b.store_output(ir::Slot::Position, 0, texel);
    b.finish();
    let lines = listing("ivb", &shader.to_string());
    assert_eq!(lines.len(), 8, "{lines:#?}");
    let send = &lines[3];
    assert!(send.starts_with("send(8) g127<1>UD") && send.contains("sample_l SIMD4x2"), "{send}");
    assert!(send.contains("mlen 2 rlen 1"), "{send}");
}

/// Types that vec4 code has no registers for are named.
#[test]
fn types_that_vec4_lacks() {
    for (op, width, lacks) in
        [("i2i64", 64, "no 64-bit integers (i2i64)"), ("i2i16", 16, "8- and 16-bit types (i2i16)")]
    {
        let text = format!(
            "shader vertex\ninput attribute0 mask=15 smooth pixel stream=0\noutput position mask=15 smooth pixel stream=0\n\
             block b0 {{\n  32x1 v0 = const 0x0\n  32x4 v1 = load_input v0 slot=attribute0 component=0\n  \
             {width}x4 v2 = {op} v1\n  32x4 v3 = i2i32 v2\n  store_output v3, v0 slot=position component=0 mask=15 stream=0\n}}\n"
        );
        let shader = ir::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let devinfo = DevInfo::get("bdw").expect("a device");
        let error = compile_vec4(&shader, devinfo).expect_err(&text);
        assert!(error.message.contains(lacks), "{error}");
    }
}

/// Conversions to and from doubles keep to one stride and offset where the hardware wants it
/// (`chv-64bit-regions`): parts of vectors, in any order, too. `listing` checks the rules.
#[test]
fn conversions_on_cherryview() {
    let text = "shader vertex
info ubos 1
input attribute0 mask=15 smooth pixel stream=0
output var0 mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  64x4 v2 = f2f64 v1
  64x3 v3 = i2f64 v1.wxy
  64x2 v4 = u2f64 v1.zz
  64x3 v5 = fmul v2.yzw, v3
  64x2 v6 = fadd v4, v5.zx
  32x3 v7 = f2f32 v5
  32x1 v8 = f2i32 v6.y
  32x4 v9 = vec4 v7.x, v7.y, v7.z, v8
  store_output v9, v0 slot=var0 component=0 mask=15 stream=0
}
";
    let spreads =
        |gen_name: &str| listing(gen_name, text).iter().filter(|l| l.contains("<2>UD")).count();
    assert!(spreads("chv") > spreads("bdw"));
}
