//! One stage from source text through both executors: they agree with each other and with values
//! known beforehand.

use crate::common::{fragment, geometry, program, reference, simulator, vertex};
use program::Stage;

/// Runs `main`'s body on both executors and compares the color of every pixel with `expected`.
fn check(declarations: &str, body: &str, uniforms: &[u8], expected: [f32; 4]) {
    let source =
        format!("#version 400\n{declarations}\nout vec4 color;\nvoid main() {{ {body} }}\n");
    let program = program(&[(Stage::Fragment, &source)]);
    let expected = [expected.map(f32::to_bits); 4];
    assert_eq!(fragment(&mut reference(), &program, uniforms), expected, "interpreter: {body}");
    for device in intel_isa::DevInfo::all() {
        let colors = fragment(&mut simulator(device.name), &program, uniforms);
        assert_eq!(colors, expected, "{}: {body}", device.name);
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn a_constant_color() {
    check("", "color = vec4(0.25, 0.5, 0.75, 1.0);", &[], [0.25, 0.5, 0.75, 1.0]);
}

#[test]
fn a_uniform() {
    check(
        "uniform vec4 u;",
        "color = u * 2.0;",
        &floats(&[1.0, 2.0, 3.0, 4.0]),
        [2.0, 4.0, 6.0, 8.0],
    );
}

#[test]
fn doubles_add() {
    check(
        "uniform dvec2 u;",
        "color = vec4(u.x + u.y, u.x - u.y, u.x * u.y, 1.0);",
        &doubles(&[3.0, 0.5]),
        [3.5, 2.5, 1.5, 1.0],
    );
}

#[test]
fn doubles_divide_and_take_roots() {
    let body = "color = vec4(u.x / u.y, sqrt(u.x), floor(u.y), fract(u.y));";
    check("uniform dvec2 u;", body, &doubles(&[9.0, 4.5]), [2.0, 3.0, 4.0, 0.5]);
}

#[test]
fn control_flow() {
    let body = "float s = 0.0; for (int i = 0; i < 5; i++) { if (i == 3) continue; s += float(i); } \
                color = s > 6.5 ? vec4(s, 1.0, 0.0, 0.0) : vec4(0.0);";
    check("", body, &[], [7.0, 1.0, 0.0, 0.0]);
}

/// Runs a vertex shader on nine vertices (two threads, the second one partly empty) and compares
/// `result`.
fn check_vertices(source: &str, uniforms: &[u8], attributes: &[Vec<u32>], expected: &[[f32; 4]]) {
    let program = program(&[(Stage::Vertex, source)]);
    let stage = program.stage(Stage::Vertex).expect("a vertex stage");
    let varying =
        |v: &program::resource::Varying| matches!(v.slot, program::resource::Slot::Var(_));
    let slot = stage.outputs.iter().position(varying).expect("an output");
    let expected: Vec<[u32; 4]> = expected.iter().map(|v| v.map(f32::to_bits)).collect();
    let of = |outputs: Vec<Vec<u32>>| -> Vec<[u32; 4]> {
        outputs.iter().map(|v| std::array::from_fn(|c| v[slot * 4 + c])).collect()
    };
    assert_eq!(
        of(vertex(&mut reference(), &program, uniforms, attributes)),
        expected,
        "interpreter"
    );
    for device in intel_isa::DevInfo::all() {
        let outputs = vertex(&mut simulator(device.name), &program, uniforms, attributes);
        assert_eq!(of(outputs), expected, "{}", device.name);
    }
}

#[test]
fn vertices_with_attributes_and_ids() {
    let source = "#version 400\nin vec4 a;\nuniform vec4 u;\nout vec4 result;\nvoid main() {\n\
                  gl_Position = a; result = a * u + vec4(gl_VertexID, gl_InstanceID, 0.0, 0.0); }\n";
    let attribute = |n: usize| [n as f32, 2.0, 3.0, -1.0];
    let attributes: Vec<Vec<u32>> =
        (0..9).map(|n| attribute(n).map(f32::to_bits).to_vec()).collect();
    // Vertex ids start at 7, the instance is 3.
    let expected: Vec<[f32; 4]> =
        (0..9).map(|n| [n as f32 * 2.0 + n as f32 + 7.0, 4.0 + 3.0, 6.0, -2.0]).collect();
    check_vertices(source, &floats(&[2.0; 4]), &attributes, &expected);
}

#[test]
fn vertices_with_doubles_in_divergent_control_flow() {
    // Three vertices of four go one way, the fourth the other, as in the bug behind `df-exec-mask`.
    let source = "#version 400\nin vec4 a;\nuniform dvec2 u;\nout vec4 result;\nvoid main() {\n\
                  gl_Position = a; dvec2 d = u; if (a.x > 0.5) d = u * 3.0LF + dvec2(a.xy);\n\
                  result = vec4(vec2(d), 0.0, 1.0); }\n";
    let attributes: Vec<Vec<u32>> = (0..9)
        .map(|n| [if n % 4 == 3 { 1.0f32 } else { 0.0 }, 2.0, 0.0, 1.0].map(f32::to_bits).to_vec())
        .collect();
    let expected: Vec<[f32; 4]> = (0..9)
        .map(|n| {
            if n % 4 == 3 {
                [1.0 * 3.0 + 1.0, -4.0 * 3.0 + 2.0, 0.0, 1.0]
            } else {
                [1.0, -4.0, 0.0, 1.0]
            }
        })
        .collect();
    check_vertices(source, &doubles(&[1.0, -4.0]), &attributes, &expected);
}

#[test]
fn vertices_with_double_attributes() {
    let source = "#version 410\nin dvec3 a;\nout vec4 result;\nvoid main() {\n\
                  gl_Position = vec4(0.0); result = vec4(a.zyx, a.x + a.y); }\n";
    let attribute = |n: usize| {
        let values = [n as f64 + 0.5, -2.0, 1.0e10];
        let mut dwords: Vec<u32> =
            values.iter().flat_map(|v| [v.to_bits() as u32, (v.to_bits() >> 32) as u32]).collect();
        dwords.resize(8, 0);
        dwords
    };
    let attributes: Vec<Vec<u32>> = (0..9).map(attribute).collect();
    let expected: Vec<[f32; 4]> =
        (0..9).map(|n| [1.0e10, -2.0, n as f32 + 0.5, n as f32 - 1.5]).collect();
    check_vertices(source, &[], &attributes, &expected);
}

/// Runs a geometry shader on the interpreter and on all generations; they must emit the same, of
/// which `expect` sees each lane's.
fn check_geometry(
    source: &str,
    lanes: usize,
    vertices: usize,
    expect: impl Fn(usize, &raster::device::EmittedVertices),
) {
    // No constants: those would reach the geometry shader in place of the inputs made here.
    let vs = "#version 400\nout vec4 v;\nvoid main() { gl_Position = vec4(gl_VertexID); v = gl_Position; }\n";
    let program = program(&[(Stage::Vertex, vs), (Stage::Geometry, source)]);
    let reference = geometry(&mut reference(), &program, &[], lanes, vertices);
    reference.iter().enumerate().for_each(|(lane, emitted)| expect(lane, emitted));
    for device in intel_isa::DevInfo::all() {
        let emitted = geometry(&mut simulator(device.name), &program, &[], lanes, vertices);
        assert_eq!(emitted, reference, "{}", device.name);
    }
}

#[test]
fn geometry_outside_of_control_flow() {
    let source = "#version 400\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n\
                  in vec4 v[3];\nout vec4 o;\nvoid main() {\n\
                  o = v[2]; gl_Position = v[0]; EmitVertex(); o = v[1]; gl_Position = v[0]; EmitVertex();\n\
                  EndPrimitive(); o = v[0]; gl_Position = v[0]; EmitVertex(); EmitVertex(); }\n";
    check_geometry(source, 11, 3, |_, emitted| {
        // The fourth vertex is one too many.
        let cuts: Vec<bool> = emitted.vertices.iter().map(|v| v.ends_primitive).collect();
        assert_eq!(cuts, [false, true, false]);
    });
}

#[test]
fn geometry_counts_vertices_per_primitive() {
    // Lane l emits l mod 3 · 40 vertices at most 100, a strip after every third: control data over
    // many dwords.
    let source = "#version 400\nlayout(lines) in;\nlayout(line_strip, max_vertices = 100) out;\n\
                  layout(invocations = 3) in;\nin vec4 v[2];\nout vec4 o;\nvoid main() {\n\
                  for (int i = 0; i < gl_InvocationID * 60; i++) {\n\
                  o = v[i & 1] + vec4(i, gl_PrimitiveIDIn, gl_InvocationID, 0.0); gl_Position = vec4(0.0);\n\
                  EmitVertex(); if (i % 3 == 2) EndPrimitive(); } }\n";
    check_geometry(source, 9, 2, |lane, emitted| {
        let count = [0, 60, 100][lane % 3];
        assert_eq!(emitted.vertices.len(), count, "lane {lane}");
        // After the last vertex a strip ends anyway.
        for (i, vertex) in emitted.vertices.iter().enumerate().take(count.saturating_sub(1)) {
            assert_eq!(vertex.ends_primitive, i % 3 == 2, "lane {lane}, vertex {i}");
        }
    });
}

#[test]
fn geometry_streams() {
    let source = "#version 400\nlayout(points) in;\nlayout(points, max_vertices = 40) out;\n\
                  in vec4 v[1];\nlayout(stream = 0) out vec4 o;\nlayout(stream = 2) out vec4 p;\n\
                  void main() {\nfor (int i = 0; i < 17; i++) { o = v[0]; gl_Position = vec4(0.0);\n\
                  EmitStreamVertex(0); p = v[0] + 1.0; EmitStreamVertex(2); } }\n";
    // No constants: those would reach the geometry shader in place of the inputs made here.
    let vs = "#version 400\nout vec4 v;\nvoid main() { gl_Position = vec4(gl_VertexID); v = gl_Position; }\n";
    let program = program(&[(Stage::Vertex, vs), (Stage::Geometry, source)]);
    let streams = |device: &mut dyn raster::device::Device| -> Vec<Vec<u8>> {
        let emitted = geometry(device, &program, &[], 3, 1);
        emitted.iter().map(|e| e.vertices.iter().map(|v| v.stream).collect()).collect()
    };
    let expected: Vec<Vec<u8>> = vec![[0, 2].repeat(17); 3];
    assert_eq!(streams(&mut reference()), expected, "interpreter");
    for device in intel_isa::DevInfo::all() {
        assert_eq!(streams(&mut simulator(device.name)), expected, "{}", device.name);
    }
}

#[test]
fn without_its_handling_the_validator_refuses_cherryview_regions() {
    let quirk = compiler::Quirk::from_name("chv-64bit-regions").expect("a known quirk");
    let options = compiler::CodegenOptions {
        disabled_quirks: compiler::QuirkSet::default().with(quirk),
        ..compiler::CodegenOptions::default()
    };
    let source = "#version 400\nuniform float u;\nuniform dvec2 w;\nout vec4 color;\n\
                  void main() { color = vec4(dvec4(w * double(gl_FragCoord.x), w + double(u))); }\n";
    let program = program(&[(Stage::Fragment, source)]);
    let refused = |name: &str| {
        let state_key = program::StageKey::default();
        let devinfo = intel_isa::DevInfo::get(name).expect("a known generation");
        compiler::compile(&program, Stage::Fragment, &state_key, devinfo, &options).is_err()
    };
    // Exactly the generation that has the quirk.
    let generations: Vec<&str> =
        intel_isa::DevInfo::all().iter().map(|d| d.name).filter(|name| refused(name)).collect();
    assert_eq!(generations, ["chv"]);
}
