//! Programs and their translation to GLSL.

use super::*;

fn vertex(text: &str) -> Result<String, Error> {
    translate(&format!("!!ARBvp1.0\n{text}\nEND"), ProgramTarget::Vertex)
}

fn fragment(text: &str) -> Result<String, Error> {
    translate(&format!("!!ARBfp1.0\n{text}\nEND"), ProgramTarget::Fragment)
}

fn body(glsl: &str) -> Vec<&str> {
    glsl.lines().map(str::trim).filter(|l| l.contains('=') && !l.starts_with('#')).collect()
}

#[test]
fn moves_swizzles_and_masks() {
    let glsl = vertex(
        "TEMP a;\nMOV a.xz, -vertex.position.yxwz;\nADD result.color, a, {1, 2};\nRCP a.x, {4}.x;",
    )
    .unwrap();
    assert_eq!(
        body(&glsl),
        [
            "t0.xz = ((-gl_Vertex.yxwz)).xz;",
            "r0.xyzw = ((t0 + vec4(1.0, 2.0, 0.0, 1.0))).xyzw;",
            "t0.x = (vec4(1.0 / vec4(4.0, 0.0, 0.0, 1.0).x)).x;",
            "gl_FrontColor = r0.xyzw;"
        ]
    );
}

#[test]
fn relative_addresses_stay_inside_their_array() {
    let text = "PARAM v[] = { program.local[1..3], 0.5 };\nADDRESS A0;\nARL A0.x, program.env[2].y;\n\
                MOV result.color, v[A0.x - 1];";
    let glsl = vertex(text).unwrap();
    assert!(glsl.contains("uniform vec4 arb_vertex_env[3];"), "{glsl}");
    assert!(glsl.contains("uniform vec4 arb_vertex_local[4];"), "{glsl}");
    assert!(glsl.contains("p0[2] = arb_vertex_local[3];"), "{glsl}");
    assert!(glsl.contains("p0[3] = vec4(0.5);"), "{glsl}");
    assert!(glsl.contains("a0 = int(floor(arb_vertex_env[2].y));"), "{glsl}");
    assert!(glsl.contains("(p0[clamp(a0 - 1, 0, 3)]).xyzw;"), "{glsl}");
}

#[test]
fn rows_of_matrices_are_columns_of_transposes() {
    let glsl =
        vertex("PARAM m[4] = { state.matrix.mvp };\nDP4 result.position.x, m[1], vertex.position;")
            .unwrap();
    assert!(glsl.contains("p0[1] = gl_ModelViewProjectionMatrixTranspose[1];"), "{glsl}");
    let glsl = vertex("MOV result.color, state.matrix.texture[2].inverse.row[3];").unwrap();
    assert!(glsl.contains("gl_TextureMatrixInverseTranspose[2][3]"), "{glsl}");
}

#[test]
fn textures_and_saturation() {
    let text = "OPTION ARB_fragment_program_shadow;\nTXP_SAT result.color.rg, fragment.texcoord[1], texture[3], SHADOW2D;\nKIL fragment.color;";
    let glsl = fragment(text).unwrap();
    assert!(glsl.contains("layout(binding = 3) uniform sampler2DShadow arb_texture3;"), "{glsl}");
    let call = "r0.xy = clamp(shadow2DProj(arb_texture3, (gl_TexCoord[1]).xyzw), 0.0, 1.0).xy;";
    assert!(glsl.contains(call), "{glsl}");
    assert!(glsl.contains("if (any(lessThan(gl_Color, vec4(0.0)))) discard;"), "{glsl}");
    assert!(
        fragment("SWZ result.color, fragment.color, -x, 0, 1, w;")
            .unwrap()
            .contains("vec4(-gl_Color.x, 0.0, 1.0, gl_Color.w)")
    );
}

#[test]
fn errors_have_places() {
    let place = |result: Result<String, Error>| result.map_err(|e| (e.line, e.column)).unwrap_err();
    assert_eq!(place(vertex("MOV result.color, nothing;")), (2, 19));
    assert_eq!(place(vertex("FOO result.color, vertex.color;")), (2, 1));
    assert_eq!(place(vertex("TEMP a, a;")), (2, 9));
    assert_eq!(place(vertex("MOV result.color.yx, vertex.color;")), (2, 5));
    assert_eq!(place(vertex("RCP result.color, vertex.color;")), (2, 19));
    assert_eq!(place(vertex("PARAM v[2] = { 1.0 };")), (2, 7));
    assert_eq!(place(vertex("MOV result.color, program.local[100000];")), (2, 19));
    assert_eq!(
        place(vertex("OPTION ARB_position_invariant;\nMOV result.position, vertex.color;")),
        (3, 5)
    );
    assert_eq!(place(fragment("ARL a, fragment.color;")), (2, 1));
    assert_eq!(place(fragment("MOV result.color, @;")), (2, 19));
    assert_eq!(place(translate("!!ARBvp1.0\nMOV", ProgramTarget::Vertex)), (2, 4));
    assert_eq!(place(translate("!!ARBfp1.0 END", ProgramTarget::Vertex)), (1, 1));
    assert_eq!(place(vertex("PARAM v[] = { 1 };\nMOV result.color, v[1];")), (3, 21));
}

/// Rules of the grammars: a legal program with one alternative, an illegal one with the other, and
/// the position of the error. `v` or `f` is the target.
const RULES: &[(char, &str, (u32, u32))] = &[
    ('f', "⟦OPTION ARB_fog_exp; TEMP a‖TEMP a; OPTION ARB_fog_exp⟧;", (2, 9)),
    ('f', "OPTION ARB_fog_exp; OPTION ARB_fog_⟦exp‖exp2⟧;", (2, 28)),
    ('f', "OPTION ARB_precision_hint_nicest; OPTION ARB_precision_hint_⟦nicest‖fastest⟧;", (2, 42)),
    (
        'f',
        "⟦OPTION ARB_fragment_program_shadow; ‖⟧TEX result.color, fragment.texcoord, texture[0], SHADOW2D;",
        (2, 50),
    ),
    ('f', "⟦OPTION ARB_draw_buffers; ‖⟧MOV result.color[1], fragment.color;", (2, 5)),
    ('f', "OPTION ARB_draw_buffers; MOV result.color[⟦7‖8⟧], fragment.color;", (2, 30)),
    ('f', "TEMP ⟦a‖MOV⟧;", (2, 6)),
    ('f', "TEMP ⟦a‖MUL_SAT⟧;", (2, 6)),
    ('f', "TEMP ⟦vertex‖fragment⟧;", (2, 6)),
    ('v', "TEMP ⟦TEX‖SWZ⟧;", (2, 6)),
    ('v', "TEMP ⟦fragment‖state⟧;", (2, 6)),
    ('v', "MOV result.color, vertex.color.⟦x‖r⟧;", (2, 19)),
    ('v', "MOV result.color.⟦x‖r⟧, vertex.color;", (2, 5)),
    ('f', "MOV result.color, fragment.color.⟦rgba‖rgbx⟧;", (2, 19)),
    ('v', "TEMP a; SWZ result.color, ⟦‖-⟧a, x, y, z, w;", (2, 27)),
    ('v', "TEMP a; SWZ result.color, a⟦‖.yxzw⟧, x, y, z, w;", (2, 27)),
    ('v', "TEMP a; SWZ result.color, a, x, -y, 0, ⟦-1‖2⟧;", (2, 40)),
    ('v', "ADDRESS A0; ARL A0⟦.x‖⟧, vertex.color.x;", (2, 17)),
    ('v', "ADDRESS A0; ARL A0.⟦x‖y⟧, vertex.color.x;", (2, 17)),
    ('v', "ADDRESS A0; ARL A0.x, vertex.color⟦.x‖⟧;", (2, 23)),
    ('v', "PARAM p[] = { 1, 2 }; ADDRESS A0; MOV result.color, p[A0.x + ⟦4095‖4096⟧];", (2, 62)),
    (
        'v',
        "PARAM p[] = { program.env[0..1], program.env[⟦2‖1⟧] }; ADDRESS A0; MOV result.color, p[A0.x];",
        (2, 84),
    ),
    ('v', "PARAM p[] = { 1, 2 }; MOV result.color, p⟦[1]‖⟧;", (2, 42)),
    ('v', "MOV result.color⟦‖[0]⟧, vertex.color;", (2, 5)),
    ('f', "COS result.color, {3.0}⟦.x‖⟧;", (2, 19)),
    ('f', "TEMP a; SWZ a, a, a, b, r, ⟦r‖x⟧;", (2, 28)),
    ('v', "MOV result.color, vertex.attrib⟦[1]‖⟧;", (2, 19)),
    ('v', "MOV result.color, vertex.position⟦‖[0]⟧;", (2, 19)),
    ('v', "MOV result.color, vertex⟦‖[0]⟧.position;", (2, 19)),
    ('v', "MOV result.color, state.light⟦[7]‖⟧.ambient;", (2, 19)),
    ('v', "MOV result.color, state.light[⟦7‖8⟧].ambient;", (2, 19)),
    ('v', "MOV result.color, state.lightprod⟦[0]‖⟧.back.ambient;", (2, 19)),
    ('v', "MOV result.color, state.clip⟦[0]‖⟧.plane;", (2, 19)),
    ('v', "MOV result.color, state.fog⟦‖[1]⟧.color;", (2, 19)),
    ('v', "PARAM p⟦[2]‖⟧ = ⟦{ ‖⟧program.env[0..1]⟦ }‖⟧;", (2, 7)),
    ('v', "PARAM p[2] = { program.env[⟦0..1‖1..0⟧] };", (2, 16)),
    ('v', "PARAM p[4] = { state.matrix.modelview⟦‖[1]⟧ };", (2, 16)),
    ('v', "PARAM p[4] = { state.matrix.program⟦[1]‖⟧ };", (2, 16)),
    ('v', "MOV result.color, state.⟦texgen[1].eye.s‖texenv[1].color⟧;", (2, 19)),
    ('f', "MOV result.color, state.⟦texenv[1].color‖texgen[1].eye.s⟧;", (2, 19)),
    ('f', "MOV result.color, state.⟦depth.range‖point.size⟧;", (2, 19)),
    ('v', "MOV result.color, state.⟦clip[1].plane‖depth.range⟧;", (2, 19)),
    (
        'v',
        "ATTRIB a = vertex.⟦position; ATTRIB b = vertex.attrib[1]‖position; ATTRIB b = vertex.attrib[0]⟧;",
        (2, 40),
    ),
    ('v', "ATTRIB a = vertex.attrib[9]; MOV result.color, vertex.texcoord[⟦0‖1⟧];", (2, 48)),
    ('v', "MOV result.color, vertex.color;⟦‖ END END⟧", (2, 37)),
    ('v', "⟦MOV‖MOV_SAT⟧ result.color, vertex.color;", (2, 1)),
    ('v', "⟦ABS‖CMP⟧ result.color, vertex.color;", (2, 1)),
    ('f', "⟦MOV‖ARL⟧ result.color, fragment.color;", (2, 1)),
    ('f', "KIL⟦‖_SAT⟧ fragment.color;", (2, 1)),
    ('v', "OUTPUT o = result.color; TEMP a; MOV ⟦o, a‖a, o⟧;", (2, 41)),
    ('v', "PARAM p = 1.0; TEMP a; MOV ⟦a, p‖p, a⟧;", (2, 28)),
    ('v', "ATTRIB p = vertex.color; TEMP a; MOV ⟦a, p‖p, a⟧;", (2, 38)),
    ('v', "TEMP a; ALIAS b = a; MOV a, ⟦b‖c⟧;", (2, 29)),
    ('v', "TEMP a; MOV a, {1, 2, 3, 4⟦‖, 5⟧};", (2, 27)),
    ('v', "TEMP a; MOV a, ⟦-‖--⟧a;", (2, 18)),
    ('v', "TEMP a; ADD a, a⟦, a‖⟧;", (2, 17)),
    ('v', "TEMP a; MOV a, a⟦‖, a⟧;", (2, 17)),
    ('f', "TEMP a; TEX a, a, texture[1], 2D; TEX a, a, texture[1], ⟦2D‖3D⟧;", (2, 45)),
];

#[test]
fn rules_of_the_grammars() {
    for &(kind, line, wrong) in RULES {
        let program = if kind == 'v' { vertex } else { fragment };
        let [legal, illegal] = [0, 1].map(|alternative| {
            let pieces = line.split('⟦').flat_map(|piece| {
                let (pair, rest) = piece.split_once('⟧').unwrap_or(("", piece));
                [pair.split('‖').nth(alternative).unwrap_or(""), rest]
            });
            pieces.collect::<String>()
        });
        assert_eq!(program(&legal).map(|_| ()), Ok(()), "{legal}");
        let place = program(&illegal).map_err(|error| (error.line, error.column));
        assert_eq!(place.err(), Some(wrong), "{illegal}");
    }
}

#[test]
fn numbers_beyond_floats() {
    assert!(
        vertex("MOV result.color, {1e50, -1e50};").unwrap().contains("vec4(1e39, -1e39, 0.0, 1.0)")
    );
}

/// No text causes a panic.
#[test]
fn rubbish_is_refused() {
    let source = "!!ARBvp1.0\nPARAM v[4] = { state.matrix.mvp };TEMP a;\nDP4 a.x, v[0], -vertex.position.xyzw;END";
    for at in (0..source.len()).filter(|&at| source.is_char_boundary(at)) {
        let _ = translate(&source[..at], ProgramTarget::Vertex);
        for c in ["é", "{", "[", ".", "..", ";", "-", "1e", "#"] {
            let _ =
                translate(&format!("{}{c}{}", &source[..at], &source[at..]), ProgramTarget::Vertex);
        }
    }
}
