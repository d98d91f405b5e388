//! Linking GLSL: layouts with the offsets of the GL specification, locations, and the rules between
//! shaders.

use program::link::LinkOptions;
use program::{
    Api, Capabilities, CapabilityTable, FragmentOutput, Placement, Program, Slot, Stage, TypeTable,
};
use std::collections::{BTreeMap, BTreeSet};

fn capabilities() -> Capabilities {
    capabilities_of("reference")
}

fn capabilities_of(generation: &str) -> Capabilities {
    Capabilities::from(CapabilityTable {
        generation: generation.into(),
        api: Api::Compatibility,
        gl_version: 46,
        glsl_version: 460,
        extensions: glsl::known_extensions()
            .into_iter()
            .chain(["GL_ARB_ES3_compatibility".to_owned()])
            .collect::<BTreeSet<_>>(),
        limits: BTreeMap::new(),
    })
}

fn link(shaders: &[(Stage, &str)]) -> Result<Program, String> {
    link_for(&capabilities(), shaders)
}

fn link_for(capabilities: &Capabilities, shaders: &[(Stage, &str)]) -> Result<Program, String> {
    let mut types = TypeTable::default();
    let mut list = Vec::new();
    for (stage, source) in shaders {
        let options = glsl::CompileOptions::new(capabilities);
        list.push(
            glsl::compile(&[source], *stage, options, &mut types)
                .map_err(|e| format!("compile: {e}"))?,
        );
    }
    program::link(list, types, &LinkOptions::new(capabilities)).map_err(|e| e.to_string())
}

fn vertex_and_fragment(vertex: &str, fragment: &str) -> Result<Program, String> {
    link(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)])
}

const MEMBERS: &str = "float a; vec2 b; vec3 c; F f; float g; float h[2]; mat2x3 i; O o[2];";
const STRUCTS: &str =
    "struct F { int d; bvec2 e; }; struct O { uvec3 j; vec2 k; float l[2]; vec2 m; mat3 n[2]; };";

/// The example of GL 4.6 section 7.6.2.2 with its offsets.
#[test]
fn std140_offsets_are_the_specifications() {
    let source = format!(
        "#version 150\n{STRUCTS}\nlayout(std140) uniform Example {{ {MEMBERS} }};\nout vec4 r;\nvoid main() {{ r = vec4(a); }}"
    );
    let program = link(&[(Stage::Fragment, &source)]).unwrap();
    let expected = [
        ("a", 0),
        ("b", 8),
        ("c", 16),
        ("f.d", 32),
        ("f.e", 40),
        ("g", 48),
        ("h", 64),
        ("i", 96),
        ("o[0].j", 128),
        ("o[0].k", 144),
        ("o[0].l", 160),
        ("o[0].m", 192),
        ("o[0].n", 208),
        ("o[1].j", 304),
        ("o[1].k", 320),
        ("o[1].l", 336),
        ("o[1].m", 368),
        ("o[1].n", 384),
    ];
    let offsets: Vec<(&str, u32)> =
        program.uniforms.iter().map(|u| (u.name.as_str(), u.offset)).collect();
    assert_eq!(offsets, expected);
    let block = &program.uniform_blocks[0];
    assert_eq!((block.name.as_str(), block.size), ("Example", 480));
    let h = program.uniforms.iter().find(|u| u.name == "h").unwrap();
    assert_eq!((h.array, h.array_stride), (Some(2), 16));
    let n = program.uniforms.iter().find(|u| u.name == "o[0].n").unwrap();
    assert_eq!((n.array_stride, n.matrix_stride), (48, 16));
}

/// The same members by the rules of std430: no rounding of arrays and structures up to 16 bytes.
#[test]
fn std430_offsets_follow_its_rules() {
    let source = format!(
        "#version 430\n{STRUCTS}\nlayout(std430) buffer Example {{ {MEMBERS} }};\nout vec4 r;\nvoid main() {{ r = vec4(a); }}"
    );
    let program = link(&[(Stage::Fragment, &source)]).unwrap();
    let offsets: Vec<(&str, u32)> =
        program.buffer_variables.iter().map(|u| (u.name.as_str(), u.offset)).collect();
    let expected = [
        ("a", 0),
        ("b", 8),
        ("c", 16),
        ("f.d", 32),
        ("f.e", 40),
        ("g", 48),
        ("h", 52),
        ("i", 64),
        ("o[0].j", 96),
        ("o[0].k", 112),
        ("o[0].l", 120),
        ("o[0].m", 128),
        ("o[0].n", 144),
    ];
    assert_eq!(offsets, expected);
    let j = program.buffer_variables.iter().find(|v| v.name == "o[0].j").unwrap();
    assert_eq!((j.top_level_size, j.top_level_stride), (2, 144));
    assert_eq!(program.storage_blocks[0].size, 384);
}

#[test]
fn row_major_explicit_offsets_and_runtime_arrays() {
    let program = link(&[(
        Stage::Fragment,
        "#version 440\nlayout(std430, row_major) buffer B { layout(offset = 16) mat2x3 m; layout(align = 32) float f; vec4 t[]; };\nout vec4 r; void main() { r = t[1] + vec4(f); }",
    )])
    .unwrap();
    // Row-major mat2x3: three rows of two floats, 8 bytes apart. 16 + 24 = 40 is aligned up to 64.
    let of = |name: &str| program.buffer_variables.iter().find(|v| v.name == name).unwrap();
    assert_eq!((of("m").offset, of("m").matrix_stride), (16, 8));
    assert_eq!(of("f").offset, 64);
    assert_eq!((of("t").offset, of("t").array, of("t").array_stride), (80, Some(0), 16));
    assert!(!program.stages[0].side_effects);
}

#[test]
fn attributes_are_dense_with_upper_halves() {
    let program = vertex_and_fragment(
        "#version 410\nin vec4 piglit_vertex; layout(location = 3) in mat2 m; in dvec3 d; in float unused;\nout vec4 c;\n\
         void main() { gl_Position = piglit_vertex; c = vec4(m[0], float(d.z), 1.0); }",
        "#version 410\nin vec4 c; out vec4 r; void main() { r = c; }",
    )
    .unwrap();
    let slots: Vec<(u32, String, bool)> = program
        .attributes
        .iter()
        .map(|a| (a.location, program.types.name(a.ty), a.upper))
        .collect();
    let expected = [
        (0, "vec4".to_owned(), false),
        (1, "dvec3".to_owned(), false),
        (1, "dvec3".to_owned(), true),
        (3, "vec2".to_owned(), false),
        (4, "vec2".to_owned(), false),
    ];
    assert_eq!(slots, expected);
}

#[test]
fn varyings_match_by_name_or_location_and_fragment_outputs_are_placed() {
    let program = vertex_and_fragment(
        "#version 410\nout vec4 a; layout(location = 0) out float b; flat out ivec2 i; out dvec3 unread;\n\
         void main() { gl_Position = vec4(0); a = vec4(1); b = 2.0; i = ivec2(3); unread = dvec3(1); }",
        "#version 410\nflat in ivec2 i; layout(location = 0) in float renamed; in vec4 a;\n\
         layout(location = 2) out vec4 x; out vec4 y;\nvoid main() { x = a + renamed; y = vec4(i, i); }",
    )
    .unwrap();
    let place = |stage: usize, name: &str| {
        let shader = &program.stages[stage].shader;
        shader.globals.values().find(|g| &*g.name == name).unwrap().placement
    };
    assert_eq!(place(0, "b"), Placement::Varying { slot: Slot::Var(0), component: 0 });
    assert_eq!(place(0, "b"), place(1, "renamed"));
    assert_eq!(place(0, "a"), place(1, "a"));
    assert_eq!(place(0, "i"), place(1, "i"));
    assert_eq!(place(0, "gl_Position"), Placement::Varying { slot: Slot::Position, component: 0 });
    let color = |location| FragmentOutput::Color { location, index: 0 };
    assert_eq!(place(1, "x"), Placement::FragmentOutput { output: color(2), component: 0 });
    assert_eq!(place(1, "y"), Placement::FragmentOutput { output: color(0), component: 0 });
    let inputs: Vec<(Slot, u8, bool)> =
        program.stages[1].inputs.iter().map(|v| (v.slot, v.mask, v.integer)).collect();
    assert_eq!(
        inputs,
        [(Slot::Var(0), 1, false), (Slot::Var(1), 15, false), (Slot::Var(2), 3, true)]
    );
}

/// OpenGL 4.6 section 11.1.2.1: 128 components are 32 slots, for components of all types.
#[test]
fn as_many_components_fit_as_the_limit_says() {
    let program = |floats: u32| {
        let list = format!("float a; {{}} float b[{floats}];");
        let vertex = list
            .replace("float", "out float")
            .replace("{}", "flat out uint u; flat out int i[63];");
        let fragment =
            list.replace("float", "in float").replace("{}", "flat in uint u; flat in int i[63];");
        vertex_and_fragment(
            &format!("#version 410\n{vertex} void main() {{ a = 1.0; b[0] = 1.0; u = 1u; i[0] = 1; }}"),
            &format!(
                "#version 410\n{fragment} out vec4 c; void main() {{ c = vec4(a + b[1], u, i[2], 1); }}"
            ),
        )
        .unwrap()
    };
    let packed = program(63);
    let masks: Vec<u8> = packed.stages[1].inputs.iter().map(|v| v.mask).collect();
    assert_eq!(masks, [15; 32]);
    let variables = |stage: usize| -> Vec<(String, Placement, bool)> {
        let globals = packed.stages[stage].shader.globals.values();
        globals
            .filter(|g| g.name.len() == 1 && &*g.name != "c")
            .map(|g| (g.name.to_string(), g.placement, g.packed))
            .collect()
    };
    assert_eq!(variables(0), variables(1));
    let place = |slot, component| Placement::Varying { slot: Slot::Var(slot), component };
    assert!(variables(0).contains(&("b".into(), place(0, 0), true)));
    assert!(variables(0).contains(&("a".into(), place(15, 3), false)));
    assert!(variables(0).contains(&("u".into(), place(31, 3), false)));
    // Where there is room, nothing is packed.
    let vertex =
        "#version 130\nout float a[2]; void main() { gl_Position = vec4(a[0] = a[1] = 1.0); }";
    let fragment = "#version 130\nin float a[2]; void main() { gl_FragColor = vec4(a[0] + a[1]); }";
    let roomy = vertex_and_fragment(vertex, fragment).unwrap();
    assert!(roomy.stages[1].inputs.iter().map(|v| v.mask).eq([1, 1]));
}

/// A driver may make a program fit that exceeds a limit (OpenGL 4.6 section 11.1.2.1).
#[test]
fn only_drivers_may_exceed_a_limit_of_components() {
    let vertex = "#version 150\nout B { vec4 a[33]; } b; void main() { b.a[0] = vec4(1); }";
    let geometry = "#version 150\nlayout(points) in; layout(points, max_vertices = 1) out;\n\
        in B { vec4 a[33]; } b[]; uniform int i; void main() { gl_Position = b[0].a[i]; EmitVertex(); }";
    let shaders = [(Stage::Vertex, vertex), (Stage::Geometry, geometry)];
    let error = link(&shaders).expect_err("132 components");
    assert!(error.contains("132 input components; 128 are available"), "{error}");
    assert!(link_for(&capabilities_of("gl"), &shaders).is_ok());
}

#[test]
fn used_results_of_atomics_depend_on_the_order() {
    let depends = |statements: &str| {
        let source = format!(
            "#version 430\nbuffer B {{ uint u; }}; layout(binding = 0) uniform atomic_uint c;\n\
             layout(r32ui) uniform uimage2D i; out vec4 r;\n\
             void main() {{ {statements} r = vec4(1); }}"
        );
        link(&[(Stage::Fragment, &source)]).unwrap().stages[0].order_dependent
    };
    assert!(!depends("atomicAdd(u, 1u); if (u > 1u) { atomicCounterIncrement(c); }"));
    assert!(!depends("for (int k = 0; k < 2; k++) { imageAtomicMax(i, ivec2(0), 1u); }"));
    assert!(!depends("uint a = atomicCounter(c);"));
    assert!(depends("uint a = atomicAdd(u, 1u);"));
    assert!(depends("if (atomicCounterIncrement(c) > 5u) return;"));
    assert!(depends("r.x = float(imageAtomicMax(i, ivec2(0), 1u)) + 1.0;"));
}

#[test]
fn uniforms_get_locations_and_the_default_block_std140_offsets() {
    let program = vertex_and_fragment(
        "#version 430\nuniform float f; layout(location = 1) uniform mat4 m[2]; uniform sampler2D t[2];\n\
         uniform float unused;\nvoid main() { gl_Position = m[1] * vec4(f) + textureLod(t[0], vec2(0), 0.0); }",
        "#version 430\nstruct S { vec3 v; sampler2D s; double d; }; uniform S s; uniform float f; out vec4 r;\n\
         void main() { r = vec4(s.v, f) * float(s.d) + texture(s.s, vec2(0)); }",
    )
    .unwrap();
    let list: Vec<(&str, Option<u32>, u32)> =
        program.uniforms.iter().map(|u| (u.name.as_str(), u.location, u.offset)).collect();
    let expected = [
        ("f", Some(0), 0),
        ("m", Some(1), 16),
        ("t", Some(3), 0),
        ("s.v", Some(5), 144),
        ("s.s", Some(6), 0),
        ("s.d", Some(7), 160),
    ];
    assert_eq!(list, expected);
    assert_eq!(program.samplers.len(), 3);
    let f = &program.uniforms[0];
    assert!(f.stages.contains(Stage::Vertex) && f.stages.contains(Stage::Fragment));
}

#[test]
fn exactness_is_decided_statically() {
    let exact = |body: &str| {
        let source = format!(
            "#version 400\nuniform float a, b, c; uniform double x, y; out vec4 r;\nvoid main() {{ {body} }}"
        );
        link(&[(Stage::Fragment, &source)]).unwrap().stages[0].exact
    };
    assert!(exact("r = vec4(a * b);"));
    assert!(exact("r = vec4(a + b, a - b, max(a, b), floor(c));"));
    assert!(exact("r = vec4(float(x + y));"));
    assert!(exact("r = vec4(fma(a, b, c));"));
    assert!(exact("precise float t = a * b; t = t + c; r = vec4(t);"));
    assert!(!exact("r = vec4(a * b + c);"));
    assert!(!exact("float t = a * b; r = vec4(t - c);"));
    assert!(!exact("r = vec4(a / b);"));
    assert!(!exact("r = vec4(sin(a));"));
    assert!(!exact("r = vec4(dot(vec2(a), vec2(b)));"));
}

#[test]
fn unsized_arrays_take_the_largest_index_and_functions_merge() {
    let program = link(&[
        (
            Stage::Vertex,
            "#version 120\nvarying vec4 v[3]; void f(); void main() { f(); gl_Position = v[1]; }",
        ),
        (
            Stage::Vertex,
            "#version 120\nvarying vec4 v[]; void f() { v[0] = v[1] = v[2] = vec4(1.0); }",
        ),
        (Stage::Fragment, "#version 120\nvarying vec4 v[]; void main() { gl_FragColor = v[2]; }"),
    ])
    .unwrap();
    for stage in &program.stages {
        let v = stage.shader.globals.values().find(|g| &*g.name == "v").unwrap();
        assert_eq!(program.types.name(v.ty), "vec4[3]");
    }
    assert_eq!(program.stages[0].shader.functions.len(), 2);
}

/// GLSL 1.30 to 4.10, section 4.3.4: inputs that are "actually read" need to be written; GLSL 4.20
/// and GLSL ES: those that are "statically read".
#[test]
fn inputs_without_outputs() {
    let links = |header: &str| {
        let fragment = format!(
            "{header}\nprecision highp float;\nin vec4 v; out vec4 r; void main() {{ r = v; }}"
        );
        let vertex = format!("{header}\nvoid main() {{ gl_Position = vec4(0.0); }}");
        vertex_and_fragment(&vertex, &fragment).is_ok()
    };
    for header in ["#version 130", "#version 150", "#version 410"] {
        assert!(links(header), "{header}");
    }
    for header in ["#version 420", "#version 300 es", "#version 310 es"] {
        assert!(!links(header), "{header}");
    }
}

#[test]
fn recursion_through_several_shader_objects_does_not_link() {
    let error = link(&[
        (
            Stage::Vertex,
            "#version 130\nvoid a(); void b() { a(); } void main() { gl_Position = vec4(0.0); }",
        ),
        (Stage::Vertex, "#version 130\nvoid b(); void a() { b(); }"),
        (Stage::Fragment, RED),
    ]);
    assert!(error.unwrap_err().contains("function `a` is recursive"));
}

const PASS: &str = "#version 130\nvoid main() { gl_Position = vec4(0.0); }";
const RED: &str = "#version 130\nout vec4 r; void main() { r = vec4(1.0); }";

/// (vertex, fragment, part of the message)
const ERRORS: &[(&str, &str, &str)] = &[
    ("#version 130\nvoid f() {}", RED, "vertex shader has no `main`"),
    (
        "#version 130\nvoid f(); void main() { f(); gl_Position = vec4(0.0); }",
        RED,
        "`f` is called but not defined",
    ),
    (
        "#version 130\nout vec4 v; void main() { v = vec4(0.0); gl_Position = v; }",
        "#version 130\nin vec3 v; out vec4 r; void main() { r = vec4(v, 1.0); }",
        "output `v` of the vertex shader has type vec4",
    ),
    (
        PASS,
        "#version 420\nin vec4 v; out vec4 r; void main() { r = v; }",
        "input `v` has no matching output",
    ),
    (
        "#version 130\nflat out vec4 v; void main() { v = vec4(0.0); gl_Position = v; }",
        "#version 130\nin vec4 v; out vec4 r; void main() { r = v; }",
        "differently interpolated",
    ),
    (
        "#version 130\nuniform vec4 u; void main() { gl_Position = u; }",
        "#version 130\nuniform vec3 u; out vec4 r; void main() { r = vec4(u, 1.0); }",
        "uniform `u` is declared with mismatching types",
    ),
    (
        "#version 300 es\nstruct S { highp vec4 a; }; uniform S s; void main() { gl_Position = s.a; }",
        "#version 300 es\nstruct S { lowp vec4 a; }; uniform S s; out lowp vec4 r; void main() { r = s.a; }",
        "uniform `s` is declared with different precisions",
    ),
    (
        "#version 430\nbuffer A { vec4 n; }; void main() { gl_Position = n; }",
        "#version 430\nbuffer B { vec4 n; }; out vec4 r; void main() { r = n; }",
        "`n` is a member of block `A` and a member of block `B`",
    ),
    (
        "#version 150\nuniform A { vec4 n; }; void main() { gl_Position = n; }",
        "#version 150\nuniform vec4 n; out vec4 r; void main() { r = n; }",
        "`n` is a member of block `A` and a uniform",
    ),
    (
        "#version 150\nuniform B { vec4 a; }; void main() { gl_Position = a; }",
        "#version 150\nuniform B { vec4 b; }; out vec4 r; void main() { r = b; }",
        "member `a` against `b`",
    ),
    (
        "#version 150\nout B { vec4 a; } o; void main() { o.a = gl_Position = vec4(0); }",
        "#version 150\nin B { vec4 a; float b; } i; out vec4 r; void main() { r = i.a; }",
        "1 members against 2",
    ),
    (
        "#version 430\nlayout(location = 0) uniform vec4 a; void main() { gl_Position = a; }",
        "#version 430\nlayout(location = 0) uniform vec4 b; out vec4 r; void main() { r = b; }",
        "overlaps another at location 0",
    ),
    (
        PASS,
        "#version 330\nlayout(location = 1) out vec4 a; layout(location = 1) out vec4 b; void main() { a = b = vec4(0); }",
        "overlap at location 1",
    ),
    (
        "#version 440\nlayout(location = 1) out vec4 a; layout(location = 1, component = 3) out float b; void main() { gl_Position = a = vec4(b = 1); }",
        RED,
        "overlap at location 1",
    ),
    (
        PASS,
        "#version 130\nvoid main() { gl_FragColor = vec4(0.0); gl_FragData[0] = vec4(1.0); }",
        "both gl_FragColor and gl_FragData",
    ),
    (
        "#version 150\nin mat4 a[5]; void main() { gl_Position = a[0][0]; }",
        RED,
        "takes 20 of the 16 locations",
    ),
    ("#version 300 es\nvoid main() { gl_Position = vec4(0.0); }", RED, "ES and desktop shaders"),
    (
        "#version 300 es\nvoid main() { gl_Position = vec4(0.0); }",
        "#version 300 es\nprecision highp float; out vec4 a; layout(location = 1) out vec4 b;\n\
         void main() { a = b = vec4(0.0); }",
        "each needs a location: `a`",
    ),
];

#[test]
fn link_errors_name_the_rule() {
    for (vertex, fragment, message) in ERRORS {
        match vertex_and_fragment(vertex, fragment) {
            Ok(_) => panic!("links: {vertex}\n{fragment}"),
            Err(e) => {
                assert!(e.contains(message), "{vertex}\n{fragment}\nwanted {message}, got {e}")
            }
        }
    }
    assert!(vertex_and_fragment(PASS, RED).is_ok());
    let (vertex, fragment, _) = ERRORS[ERRORS.len() - 1];
    assert!(
        vertex_and_fragment(
            vertex,
            &fragment.replace("out vec4 a", "layout(location = 0) out vec4 a")
        )
        .is_ok()
    );
    assert!(vertex_and_fragment(vertex, &fragment.replace("out vec4 a;", "vec4 a;")).is_ok());
}

/// The parameter types of the functions that remain in a vertex stage of two shaders.
fn kept_functions(version: u32, definitions: &str, caller: &str) -> Result<Vec<String>, String> {
    let first = format!("#version {version}\n{definitions}");
    let second = format!("#version {version}\n{caller}");
    let fragment = "#version 130\nvoid main() { gl_FragColor = vec4(1.0); }"
        .replace("130", &version.to_string());
    let program =
        link(&[(Stage::Vertex, &first), (Stage::Vertex, &second), (Stage::Fragment, &fragment)])?;
    let functions = program.stages[0].shader.functions.values().filter(|f| &*f.name != "main");
    let types = |f: &program::Function| -> Vec<String> {
        f.parameters.iter().map(|p| program.types.name(f.locals[p.local].ty).to_string()).collect()
    };
    Ok(functions.map(|f| types(f).join(", ")).collect())
}

#[test]
fn prototypes_find_definitions_their_arguments_convert_to() {
    let call = "vec4 f(ivec4 a); void main() { gl_Position = f(ivec4(1)); }";
    let floats = "vec4 f(vec4 a) { return a * 0.5; }";
    assert_eq!(kept_functions(120, floats, call).unwrap(), ["vec4"]);
    // GLSL 1.10 has no implicit conversions.
    assert!(
        kept_functions(110, floats, call).unwrap_err().contains("`f` is called but not defined")
    );
    // Neither are there any of results, of out parameters, or from floats to integers.
    for other in ["vec3 f(vec4 a) { return a.xyz; }", "vec4 f(out vec4 a) { return a; }"] {
        assert!(kept_functions(120, other, call).is_err(), "{other}");
    }
    let back = "vec4 f(vec4 a); void main() { gl_Position = f(vec4(1)); }";
    assert!(kept_functions(120, "vec4 f(ivec4 a) { return vec4(a); }", back).is_err());
    // The definition with the fewest conversions, and an exact one before all.
    let call = "vec4 f(int a, int b); void main() { gl_Position = f(1, 2); }";
    let two = "vec4 f(float a, float b) { return vec4(a, b, 0, 0); }";
    let one = "vec4 f(float a, int b) { return vec4(a, b, 0, 1); }";
    let none = "vec4 f(int a, int b) { return vec4(a, b, 1, 1); }";
    assert_eq!(kept_functions(400, &format!("{two}{one}"), call).unwrap(), ["float, int"]);
    assert_eq!(kept_functions(130, &format!("{two}{one}{none}"), call).unwrap(), ["int, int"]);
    // Before GLSL 4.00 no conversion is better than another.
    assert!(kept_functions(130, &format!("{two}{one}"), call).is_err());
    // Extensions bring conversions earlier.
    let fp64 = |text: &str| format!("#extension GL_ARB_gpu_shader_fp64 : enable\n{text}");
    let call = fp64("vec4 f(float a); void main() { gl_Position = f(1.0); }");
    let double = fp64("vec4 f(double a) { return vec4(a); }");
    assert_eq!(kept_functions(150, &double, &call).unwrap(), ["double"]);
    let call = fp64("vec4 f(int a, int b); void main() { gl_Position = f(1, 2); }");
    assert_eq!(kept_functions(150, &fp64(&format!("{two}{one}")), &call).unwrap(), ["float, int"]);
}

/// GLSL 4.60 section 4.3.5: all initializers of a uniform are the same.
#[test]
fn initializers_of_a_uniform_agree() {
    let vertex = |value: &str| {
        format!(
            "#version 150\nuniform float u = {value};\nvoid main() {{ gl_Position = vec4(u); }}"
        )
    };
    let fragment =
        "#version 150\nuniform float u = 2.0;\nout vec4 c;\nvoid main() { c = vec4(u); }";
    assert!(vertex_and_fragment(&vertex("2.0"), fragment).is_ok());
    let error = vertex_and_fragment(&vertex("1.0"), fragment).unwrap_err();
    assert!(error.contains("`u` has different initiali"), "{error}");
}

#[test]
fn subroutine_uniforms_need_a_function() {
    let shader = |body: &str| {
        let head = "#version 400\nsubroutine float T(); subroutine uniform T f;\nout vec4 c;\n";
        link(&[(Stage::Fragment, &format!("{head}{body}\nvoid main() {{ c = vec4(f()); }}"))])
    };
    assert!(shader("subroutine(T) float g() { return 1.0; }").is_ok());
    let error = shader("").unwrap_err();
    assert!(error.contains("no function can be selected for subroutine uniform `f`"), "{error}");
}

/// Returns the mismatch between separate programs of a vertex and a fragment shader.
fn mismatch(api: Api, vertex: &str, fragment: &str) -> Option<String> {
    let capabilities =
        Capabilities::from(CapabilityTable { api, ..capabilities().table().clone() });
    let mut types = TypeTable::default();
    let head = "#version 320 es\nprecision mediump float;\n";
    let vertex = format!("{head}{vertex} void main() {{ gl_Position = vec4(0); }}");
    let fragment = format!("{head}{fragment} out vec4 color; void main() {{ color = vec4(0); }}");
    let list = [(Stage::Vertex, vertex), (Stage::Fragment, fragment)].map(|(stage, source)| {
        let options = glsl::CompileOptions::new(&capabilities);
        glsl::compile(&[&source], stage, options, &mut types).expect("it compiles")
    });
    let options =
        LinkOptions { pipeline: true, separable: true, ..LinkOptions::new(&capabilities) };
    program::link(list.to_vec(), types, &options).expect("it links").mismatch
}

/// OpenGL ES 3.2 section 7.4.1, GLSL ES 3.20 section 9.2. The shaders use none of the variables.
#[test]
fn separate_programs_of_es_match_exactly() {
    let matching = [
        ("out vec4 v;", "in vec4 v;"),
        ("smooth out vec4 v;", "in vec4 v;"),
        ("centroid out vec4 v;", "sample in vec4 v;"),
        ("invariant out vec4 v;", "in vec4 v;"),
        ("layout(location = 3) out vec4 v;", "layout(location = 3) in vec4 w;"),
        ("struct S { vec4 a; }; out S v;", "struct S { vec4 a; }; in S v;"),
        ("out B { flat highp int a; vec4 b; } v;", "in B { flat highp int a; vec4 b; } w;"),
    ];
    for (output, input) in matching {
        assert_eq!(mismatch(Api::Es, output, input), None, "{output} {input}");
    }
    let different = [
        ("out vec4 v;", ""),
        ("", "in vec4 v;"),
        ("out vec4 v;", "in vec4 w;"),
        ("out vec3 v;", "in vec4 v;"),
        ("out vec4 v[2];", "in vec4 v[3];"),
        ("out highp vec4 v;", "in vec4 v;"),
        ("flat out vec4 v;", "in vec4 v;"),
        ("out vec4 v;", "layout(location = 0) in vec4 v;"),
        ("layout(location = 0) out vec4 v;", "layout(location = 1) in vec4 v;"),
        ("struct S { vec4 a; }; out S v;", "struct T { vec4 a; }; in T v;"),
        ("struct S { vec4 a; }; out S v;", "struct S { vec4 b; }; in S v;"),
        ("struct S { vec4 a; }; out S v;", "struct S { highp vec4 a; }; in S v;"),
        ("out B { vec4 a; };", "in vec4 a;"),
        ("out B { vec4 a; };", "in C { vec4 a; };"),
        ("out B { vec4 a; };", "in B { vec4 a; vec4 b; };"),
        ("out B { vec4 a; };", "in B { highp vec4 a; };"),
        ("out B { vec4 a; };", "in B { flat vec4 a; };"),
        ("out B { vec4 a; } v[2];", "in B { vec4 a; } v[1];"),
    ];
    for (output, input) in different {
        assert!(mismatch(Api::Es, output, input).is_some(), "{output} {input}");
        assert_eq!(mismatch(Api::Core, output, input), None, "{output} {input}");
    }
    let text = mismatch(Api::Es, "out vec4 v;", "").expect("a mismatch");
    assert_eq!(text, "output `v` of the vertex shader has no match in the fragment shader");
}

/// GLSL ES 3.00 section 4.3.8.2, EXT_blend_func_extended: sections 14.2.3 and 4.4.2.
#[test]
fn outputs_without_locations_in_es() {
    let outputs = |head: &str| {
        let source = format!(
            "#version 300 es\n{head}\nout mediump vec4 a; layout(location = 1) out mediump vec4 b;
             out mediump vec4 c; void main() {{ a = b = c = vec4(1.0); }}"
        );
        let vertex = "#version 300 es\nvoid main() { gl_Position = vec4(0.0); }";
        let program = vertex_and_fragment(vertex, &source)?;
        let globals = &program.stages[1].shader.globals;
        Ok::<_, String>(globals.values().map(|global| global.placement).collect::<Vec<_>>())
    };
    let error = outputs("").unwrap_err();
    assert!(error.contains("each needs a location: `a`, `c`"), "{error}");
    let color = |location| Placement::FragmentOutput {
        output: FragmentOutput::Color { location, index: 0 },
        component: 0,
    };
    let placed = outputs("#extension GL_EXT_blend_func_extended : require").unwrap();
    assert!([0, 1, 2].iter().all(|&location| placed.contains(&color(location))), "{placed:?}");
}
