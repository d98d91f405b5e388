//! Programs and the GLSL that they become.

use super::*;

fn vertex(text: &str) -> Result<String, Error> {
    translate(&format!("!!ARBvp1.0\n{text}\nEND"), Target::Vertex)
}

fn fragment(text: &str) -> Result<String, Error> {
    translate(&format!("!!ARBfp1.0\n{text}\nEND"), Target::Fragment)
}

fn body(glsl: &str) -> Vec<&str> {
    glsl.lines().map(str::trim).filter(|l| l.contains('=') && !l.starts_with('#')).collect()
}

#[test]
fn moves_swizzles_and_masks() {
    let glsl =
        vertex("TEMP a;\nMOV a.xz, -vertex.position.yxwz;\nADD result.color, a, {1, 2};\nRCP a.x, {4}.x;")
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
        vertex("PARAM m[4] = { state.matrix.mvp };\nDP4 result.position.x, m[1], vertex.position;").unwrap();
    assert!(glsl.contains("p0[1] = gl_ModelViewProjectionMatrixTranspose[1];"), "{glsl}");
    let glsl = vertex("MOV result.color, state.matrix.texture[2].inverse.row[3];").unwrap();
    assert!(glsl.contains("gl_TextureMatrixInverseTranspose[2][3]"), "{glsl}");
}

#[test]
fn textures_and_saturation() {
    let text = "TXP_SAT result.color.rg, fragment.texcoord[1], texture[3], SHADOW2D;\nKIL fragment.color;";
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
    assert_eq!(place(vertex("OPTION ARB_position_invariant;\nMOV result.position, vertex.color;")), (3, 5));
    assert_eq!(place(fragment("ARL a, fragment.color;")), (2, 1));
    assert_eq!(place(fragment("MOV result.color, @;")), (2, 19));
    assert_eq!(place(translate("!!ARBvp1.0\nMOV", Target::Vertex)), (2, 4));
    assert_eq!(place(translate("!!ARBfp1.0 END", Target::Vertex)), (1, 1));
    assert_eq!(place(vertex("PARAM v[] = { 1 };\nMOV result.color, v[1];")), (3, 21));
}

/// Whatever the text: an answer, never a panic.
#[test]
fn rubbish_is_refused() {
    let source =
        "!!ARBvp1.0\nPARAM v[4] = { state.matrix.mvp };TEMP a;\nDP4 a.x, v[0], -vertex.position.xyzw;END";
    for at in (0..source.len()).filter(|&at| source.is_char_boundary(at)) {
        let _ = translate(&source[..at], Target::Vertex);
        for c in ["é", "{", "[", ".", "..", ";", "-", "1e", "#"] {
            let _ = translate(&format!("{}{c}{}", &source[..at], &source[at..]), Target::Vertex);
        }
    }
}
