//! Scalar vertex and geometry shaders from IR to code that the validator accepts, with the messages
//! one expects.

use intel_codegen::output::{Interface, Output, Varying as Name, VertexInput, Width};
use intel_codegen::{CodegenOptions, StageKey, compile};
use intel_isa::DevInfo;
use ir::{Builder, Fields, IntrinsicOp, Shader, Slot, Stage, Value, Varying};

/// The trials, with their names.
pub(crate) const TRIALS: &[(&str, fn())] = &[
    ("vertex_writes_two_slots_per_message", vertex_writes_two_slots_per_message),
    ("vertex_doubles_obey_every_region_rule", vertex_doubles_obey_every_region_rule),
    (
        "unknown_attributes_and_too_many_inputs_are_errors",
        unknown_attributes_and_too_many_inputs_are_errors,
    ),
    ("known_vertex_counts_need_no_count_message", known_vertex_counts_need_no_count_message),
    (
        "vertices_emitted_under_conditions_are_counted",
        vertices_emitted_under_conditions_are_counted,
    ),
    ("handles_of_instances_are_dwords", handles_of_instances_are_dwords),
];

const GENERATIONS: [&str; 3] = ["bdw", "chv", "skl"];

fn shader(stage: Stage, outputs: &[Slot], build: impl FnOnce(&mut Builder<'_>)) -> Shader {
    let mut shader = Shader::new(stage);
    shader.info.outputs = outputs.iter().map(|&s| Varying::new(s)).collect();
    shader.info.ubos = 1;
    shader.info.default_block_size = 1024;
    let mut b = Builder::new(&mut shader);
    build(&mut b);
    b.finish();
    ir::validate(&shader).unwrap();
    shader
}

/// Compiles, validates and prints.
fn compiled(shader: &Shader, device: &str) -> (Output, String) {
    let devinfo = DevInfo::get(device).unwrap();
    let options = CodegenOptions { paranoid: true, ..CodegenOptions::default() };
    let compiled = compile(shader, &StageKey::default(), devinfo, &options).unwrap();
    assert_eq!(compiled.kernels.len(), 1);
    assert_eq!(compiled.kernels[0].width, Width::Simd8);
    let code = &compiled.kernels[0].code;
    let violations = intel_isa::validate::validate_program(devinfo, code);
    assert!(violations.is_empty(), "{device}: {violations:?}");
    let located = intel_isa::decode_program(devinfo, code).unwrap();
    let text = located.iter().map(|l| intel_isa::print_inst(devinfo, &l.inst) + "\n").collect();
    (compiled, text)
}

fn uniform(b: &mut Builder<'_>, offset: u32, bits: u8, components: u8) -> Value {
    let (block, offset) = (b.imm(0), b.imm(offset));
    b.load_ubo(block, offset, bits, components)
}

fn sends(text: &str) -> usize {
    text.lines().filter(|line| line.contains("send")).count()
}

fn vertex_writes_two_slots_per_message() {
    let slots = [Slot::Position, Slot::PointSize, Slot::Var(0), Slot::Var(1), Slot::Var(2)];
    let s = shader(Stage::Vertex, &slots, |b| {
        let a = b.load_input(Slot::Attribute(1), 0, 4);
        let u = uniform(b, 0, 32, 4);
        let sum = b.fadd(a, u);
        for slot in [Slot::Position, Slot::Var(0), Slot::Var(1), Slot::Var(2)] {
            b.store_output(slot, 0, sum);
        }
        let size = b.fconst(32, 4.0);
        b.store_output(Slot::PointSize, 0, size);
    });
    for device in GENERATIONS {
        let (c, text) = compiled(&s, device);
        let Interface::Vertex(interface) = &c.interface else { panic!() };
        assert_eq!(interface.inputs.len(), 2);
        assert_eq!(interface.inputs[1], VertexInput::Attribute { location: 1 });
        let expected =
            [Name::Header, Name::Position, Name::Generic(0), Name::Generic(1), Name::Generic(2)];
        assert_eq!(interface.outputs.slots, expected);
        assert_eq!(sends(&text), 3, "{text}");
        assert_eq!(c.kernels[0].dispatch_grf_start, 2);
    }
}

fn vertex_doubles_obey_every_region_rule() {
    let s = shader(Stage::Vertex, &[Slot::Position], |b| {
        let a = b.load_input(Slot::Attribute(0), 0, 2);
        let wide = b.f2f64(a);
        let u = uniform(b, 16, 64, 2);
        let product = b.fmul(wide, u);
        let narrow = b.f2f32(product);
        let (x, y) = (b.channel(narrow, 0), b.channel(narrow, 1));
        let position = b.vec(&[x, y, x, y]);
        b.store_output(Slot::Position, 0, position);
    });
    for device in GENERATIONS {
        let (_, text) = compiled(&s, device);
        assert!(text.contains("DF"), "{text}");
    }
}

fn unknown_attributes_and_too_many_inputs_are_errors() {
    let s = shader(Stage::Vertex, &[Slot::Position], |b| {
        for n in 0..40 {
            let a = b.load_input(Slot::Attribute(n), 0, 4);
            b.store_output(Slot::Position, 0, a);
        }
    });
    let devinfo = DevInfo::get("skl").unwrap();
    let error = compile(&s, &StageKey::default(), devinfo, &CodegenOptions::default()).unwrap_err();
    assert!(error.to_string().contains("register file"), "{error}");
}

fn emit(b: &mut Builder<'_>) {
    b.intrinsic(IntrinsicOp::EmitVertex, &[], Fields::default(), None);
}

fn vertex_input(b: &mut Builder<'_>, vertex: u32) -> Value {
    let (vertex, zero) = (b.imm(vertex), b.imm(0));
    let fields = Fields { slot: Slot::Var(0), ..Fields::default() };
    b.intrinsic(IntrinsicOp::LoadPerVertexInput, &[vertex, zero], fields, Some((32, 4))).unwrap()
}

fn known_vertex_counts_need_no_count_message() {
    let mut s = shader(Stage::Geometry, &[Slot::Position], |b| {
        for v in 0..3 {
            let value = vertex_input(b, v);
            b.store_output(Slot::Position, 0, value);
            emit(b);
        }
    });
    s.info.geometry.max_vertices = 3;
    for device in GENERATIONS {
        let (c, text) = compiled(&s, device);
        let Interface::Geometry(interface) = &c.interface else { panic!() };
        assert_eq!(interface.static_vertex_count, Some(3));
        assert_eq!(interface.control_header_size, 0);
        assert_eq!((interface.vertices_in, interface.output_vertex_size), (3, 1));
        // Three reads, three writes of which the last ends the thread.
        assert_eq!(sends(&text), 6, "{text}");
        // g0, g1 and three registers of handles.
        assert_eq!(c.kernels[0].dispatch_grf_start, 5);
    }
}

fn vertices_emitted_under_conditions_are_counted() {
    let mut s = shader(Stage::Geometry, &[Slot::Position], |b| {
        let value = vertex_input(b, 0);
        let x = b.channel(value, 0);
        let zero = b.fconst(32, 0.0);
        let cond = b.flt(zero, x);
        b.push_if(cond);
        b.store_output(Slot::Position, 0, value);
        emit(b);
        b.intrinsic(IntrinsicOp::EndPrimitive, &[], Fields::default(), None);
        b.pop_if();
    });
    s.info.geometry.max_vertices = 200;
    for device in GENERATIONS {
        let (c, text) = compiled(&s, device);
        let Interface::Geometry(interface) = &c.interface else { panic!() };
        assert_eq!(interface.static_vertex_count, None);
        // A bit per vertex.
        assert_eq!(interface.control_header_size, 1);
        assert!(!interface.control_stream_ids);
        // Read; control dword when full; vertex; control dword at the end; count.
        assert_eq!(sends(&text), 5, "{text}");
    }
}

/// The hardware gives a register of input handles per vertex to threads of eight primitives, and a
/// dword per vertex to threads whose channels are instances of one primitive (`brw_fs_nir.cpp` of
/// Mesa, `emit_gs_input_load`). Registers 0 and 1 are the header and the output handles.
fn handles_of_instances_are_dwords() {
    for (invocations, handle) in [(1, "g3"), (2, "g2.1<0,1,0>UD")] {
        let mut s = shader(Stage::Geometry, &[Slot::Position], |b| {
            let value = vertex_input(b, 1);
            b.store_output(Slot::Position, 0, value);
            emit(b);
        });
        s.info.geometry.max_vertices = 1;
        s.info.geometry.invocations = invocations;
        for device in GENERATIONS {
            let (_, text) = compiled(&s, device);
            assert!(text.contains(handle), "{device}, {invocations} invocations: {text}");
            assert_eq!(text.contains("g2.1<"), invocations > 1, "{text}");
        }
    }
}
