//! Typed forms of valid snippets per version, and messages with their positions for invalid ones.
//! Expected forms are derived from the language specification's rules for conversions, overloads
//! and operators.

use super::*;
use program::print::ShaderText;

fn compile_all(source: &str, stage: Stage) -> Result<String, String> {
    let mut types = TypeTable::default();
    match compile(&[source], stage, CompileOptions::default(), &mut types) {
        Ok(shader) => Ok(ShaderText { shader: &shader, types: &types }.to_string()),
        Err(e) => Err(e.to_string()),
    }
}

/// The printed statements of `main` with `statement` as its last statement, without what comes
/// before.
fn typed(stage: Stage, version: &str, declarations: &str, statement: &str) -> String {
    let source = format!("#version {version}\n{declarations}\nvoid main() {{ {statement} }}\n");
    let text = match compile_all(&source, stage) {
        Ok(text) => text,
        Err(e) => return format!("{statement}: {e}"),
    };
    let body = text.split_once("void main() {\n").map_or("", |(_, body)| body);
    let lines: Vec<&str> = body.lines().take_while(|l| *l != "}").map(str::trim).collect();
    lines.join(" ")
}

fn fragment(version: &str, declarations: &str, statement: &str) -> String {
    typed(Stage::Fragment, version, declarations, statement)
}

/// (version, declarations, statement, typed form)
const VALID: &[(&str, &str, &str, &str)] = &[
    // Implicit conversions (4.1.10).
    ("120", "uniform int i;", "float f = i;", "float f = float(i);"),
    ("400", "uniform int i;", "uint u = i;", "uint u = uint(i);"),
    ("400", "uniform ivec3 v;", "dvec3 d = v;", "dvec3 d = dvec3(v);"),
    ("400", "uniform mat3 m;", "dmat3 d = m;", "dmat3 d = dmat3(m);"),
    ("130", "uniform uint u;", "float f = u;", "float f = float(u);"),
    ("400", "uniform int i; uniform uint u;", "bool b = i < u;", "bool b = (uint(i) < u);"),
    // Operators (5.9).
    ("110", "uniform vec3 v; uniform float f;", "vec3 r = v * f;", "vec3 r = (v * splat vec3(f));"),
    ("110", "uniform vec3 v; uniform float f;", "vec3 r = f / v;", "vec3 r = (splat vec3(f) / v);"),
    ("120", "uniform vec3 v;", "vec3 r = 1 + v;", "vec3 r = (splat vec3(float(1)) + v);"),
    ("110", "uniform mat3 m; uniform vec3 v;", "vec3 r = m * v;", "vec3 r = (m ** v);"),
    ("120", "uniform mat2x3 m; uniform vec3 v;", "vec2 r = v * m;", "vec2 r = (v ** m);"),
    ("120", "uniform mat2x3 a; uniform mat4x2 b;", "mat4x3 r = a * b;", "mat4x3 r = (a ** b);"),
    ("110", "uniform mat2 m;", "mat2 r = m + 1.0;", "mat2 r = (m + splat mat2(1.0));"),
    ("400", "uniform dvec2 d; uniform vec2 v;", "dvec2 r = d * v;", "dvec2 r = (d * dvec2(v));"),
    (
        "130",
        "uniform ivec2 a; uniform uint s;",
        "ivec2 r = a << s;",
        "ivec2 r = (a << splat uvec2(s));",
    ),
    ("130", "uniform ivec2 a;", "ivec2 r = ~a % 3;", "ivec2 r = (~a % splat ivec2(3));"),
    ("110", "uniform mat3 m;", "vec3 v = vec3(1.0); v *= m;", "vec3 v = splat vec3(1.0); v **= m;"),
    (
        "110",
        "uniform vec2 v;",
        "bool b = v == vec2(1.0) || !true;",
        "bool b = ((v == splat vec2(1.0)) || !true);",
    ),
    ("120", "uniform bool c;", "float f = c ? 1 : 2.5;", "float f = (c ? float(1) : 2.5);"),
    // Constructors (5.4).
    ("110", "uniform float f;", "mat3 m = mat3(f);", "mat3 m = diagonal mat3(f);"),
    ("120", "uniform mat4 a;", "mat2x3 m = mat2x3(a);", "mat2x3 m = resize mat2x3(a);"),
    ("110", "uniform vec3 v;", "vec2 r = vec2(v);", "vec2 r = vec2(v);"),
    ("110", "uniform vec3 v;", "float r = float(v);", "float r = v.x;"),
    (
        "110",
        "uniform vec3 v;",
        "ivec4 r = ivec4(v, true);",
        "ivec4 r = ivec4(ivec3(v), int(true));",
    ),
    ("120", "", "float a[2] = float[](1, 2.0);", "float[2] a = float[2]{float(1), 2.0};"),
    (
        "120",
        "struct S { vec2 v; int i; };",
        "S s = S(vec2(0.0), 1);",
        "S s = S{splat vec2(0.0), 1};",
    ),
    (
        "420",
        "",
        "vec2 a[] = { { 1, 2 }, vec2(3) };",
        "vec2[2] a = vec2[2]{vec2(float(1), float(2)), splat vec2(float(3))};",
    ),
    // Constant expressions in array sizes.
    ("120", "const int N = 2 * 3;", "float a[N + 1]; a[0] = 1.0;", "float[7] a; a[0] = 1.0;"),
    (
        "130",
        "const ivec2 v = ivec2(1, 4);",
        "float a[max(v.x, v.y)]; a[3] = 0.0;",
        "float[4] a; a[3] = 0.0;",
    ),
    ("120", "", "float a[3]; int n = a.length();", "float[3] a; int n = 3;"),
    ("120", "", "float a[int(dot(vec2(1, 2), vec2(3, 4)))];", "float[11] a;"),
    ("150", "", "float a[int(determinant(mat3(2, 0, 0, 0, 3, 0, 0, 0, 4)))];", "float[24] a;"),
    ("150", "", "float a[int(inverse(mat2(0, 0.5, 0.25, 0))[0].y)];", "float[4] a;"),
    ("120", "", "float a[int((mat2(1, 2, 3, 4) * vec2(5, 6)).y)];", "float[34] a;"),
    ("120", "", "float a[int((vec2(5, 6) * mat2(1, 2, 3, 4)).y)];", "float[39] a;"),
    ("120", "", "float a[int(cross(vec3(0, 3, 0), vec3(0, 0, 2)).x)];", "float[6] a;"),
    ("120", "", "float a[any(lessThan(vec2(1, 4), vec2(1, 5))) ? 2 : 1];", "float[2] a;"),
    ("120", "", "float a[int(length(vec2(3, 4)) + distance(1.0, 4.0))];", "float[8] a;"),
    ("130", "", "float a[int(smoothstep(0.0, 2.0, 1.0) * 8.0)];", "float[4] a;"),
    // Overload resolution (6.1).
    (
        "400",
        "uniform float f; uniform double d;",
        "double r = max(f, d);",
        "double r = max(double(f), d);",
    ),
    ("400", "uniform int i;", "float r = sqrt(i);", "float r = sqrt(float(i));"),
    ("130", "uniform ivec2 v;", "ivec2 r = min(v, 1);", "ivec2 r = min(v, 1);"),
    (
        "400",
        "float g(float x) { return x; } double g(double x) { return x; }",
        "double r = g(1);",
        "double r = double(g(float(1)));",
    ),
    ("110", "void h(out float x) { x = 1.0; }", "vec2 v; h(v.y);", "vec2 v; h(v.y);"),
    ("150", "uniform mat3 m;", "mat3 r = inverse(m);", "mat3 r = inverse(m);"),
    (
        "120",
        "",
        "mat2x3 m = outerProduct(vec3(1.0), vec2(2.0));",
        "mat2x3 m = outerProduct(splat vec3(1.0), splat vec2(2.0));",
    ),
    // Textures.
    (
        "110",
        "uniform sampler2D s; varying vec4 c;",
        "vec4 r = texture2DProj(s, c);",
        "vec4 r = texture sample(s, proj c.xyw);",
    ),
    (
        "110",
        "uniform sampler2DShadow s; varying vec3 c;",
        "vec4 r = shadow2D(s, c, 0.5);",
        "vec4 r = texture sample(s, c.xy, compare c.z, bias 0.5);",
    ),
    (
        "130",
        "uniform isampler2DArray s; in vec3 c;",
        "ivec4 r = textureLod(s, c, 1);",
        "ivec4 r = texture sample(s, c, lod float(1));",
    ),
    (
        "130",
        "uniform sampler2D s;",
        "vec4 r = texelFetch(s, ivec2(3), 0);",
        "vec4 r = texture fetch(s, splat ivec2(3), lod 0);",
    ),
    (
        "130",
        "uniform samplerCube s;",
        "ivec2 r = textureSize(s, 0);",
        "ivec2 r = texture size(s, lod 0);",
    ),
    (
        "400",
        "uniform sampler2D s;",
        "vec4 r = textureGatherOffset(s, vec2(0.5), ivec2(1), 2);",
        "vec4 r = texture gather(s, splat vec2(0.5), offset ivec2(1, 1), component 2);",
    ),
    (
        "130",
        "uniform sampler2D s;",
        "vec4 r = textureGradOffset(s, vec2(0), vec2(1), vec2(2), ivec2(3));",
        "vec4 r = texture sample(s, splat vec2(float(0)), grad splat vec2(float(1)) splat vec2(float(2)), offset ivec2(3, 3));",
    ),
    // A shadow coordinate with effects is evaluated once.
    (
        "130",
        "uniform sampler2DShadow s; vec3 f() { return vec3(1.0); }",
        "float r = texture(s, f());",
        "vec3 .0; float r = (.0 = f(), texture sample(s, .0.xy, compare .0.z));",
    ),
    // Statements.
    (
        "130",
        "uniform int i;",
        "switch (i) { case 1: case 2: break; default: discard; }",
        "switch (i) { case 1: case 2: break; default: discard; }",
    ),
    (
        "110",
        "",
        "for (int i = 0; i < 3; i++) { if (i == 1) continue; }",
        "loop { int i = 0; } while ((i < 3)) step i++ { if ((i == 1)) { continue; } }",
    ),
    // Precise propagates backwards through locals.
    (
        "400",
        "uniform float a, b; out vec4 c;",
        "float t = a * b; precise float r = t + a; c = vec4(r);",
        "float t = (a *! b); float r = (t +! a); c = splat vec4(r);",
    ),
    // ES.
    (
        "300 es",
        "precision mediump float; uniform uint u; out vec4 c;",
        "c = vec4(float(u));",
        "c = splat vec4(float(u));",
    ),
    (
        "100",
        "precision mediump float; varying vec2 v;",
        "gl_FragColor = vec4(v, 0.0, 1.0);",
        "gl_FragColor = vec4(v, 0.0, 1.0);",
    ),
];

#[test]
fn valid_snippets_have_their_typed_form() {
    for (version, declarations, statement, expected) in VALID {
        assert_eq!(
            fragment(version, declarations, statement),
            *expected,
            "{version}: {declarations} {statement}"
        );
    }
}

/// (stage, source, string:line:column, part of the message)
const INVALID: &[(Stage, &str, &str, &str)] = &[
    (Stage::Fragment, "#version 110\nvoid main() {\n  x = 1.0;\n}", "0:3:3", "`x` is not declared"),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { float f = 1; }",
        "0:2:25",
        "cannot convert from int to float",
    ),
    (
        Stage::Fragment,
        "#version 120\nvoid main() { int i = 1.0; }",
        "0:2:23",
        "cannot convert from float to int",
    ),
    (
        Stage::Fragment,
        "#version 110\nuniform vec2 u;\nvoid main() { u = vec2(1.0); }",
        "0:3:15",
        "is a uniform and cannot be assigned",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { const float f = 1.0; f = 2.0; }",
        "0:2:36",
        "is constant and cannot be assigned",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { vec2 v; v.xx = vec2(1.0); }",
        "0:2:23",
        "repeated in an assigned swizzle",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { vec2 v; v.z; }",
        "0:2:25",
        "selects a component that the value does not have",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { vec3 v = vec2(1.0) + vec3(1.0); }",
        "0:2:24",
        "operator + cannot be applied to vec2 and vec3",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { int i = 5 % 2; }",
        "0:2:23",
        "operator % needs GLSL 1.30",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid f(float x) {}\nvoid main() { f(true); }",
        "0:3:15",
        "no overload of `f` takes (bool)",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { f(1.0); }",
        "0:2:15",
        "function `f` is not declared",
    ),
    (
        Stage::Fragment,
        "#version 400\nvoid f(int a, float b) {} void f(float a, int b) {}\nvoid main() { f(1, 1); }",
        "0:3:15",
        "is ambiguous",
    ),
    (
        Stage::Fragment,
        "#version 150\nvoid f(int a, float b) {} void f(float a, int b) {}\nvoid main() { f(1, 1); }",
        "0:3:15",
        "is ambiguous",
    ),
    (
        Stage::Fragment,
        "#version 150\nstruct S { struct T { int a; } b; };\nvoid main() {}",
        "0:2:12",
        "structures cannot be defined inside structures",
    ),
    (
        Stage::Fragment,
        "#version 150\nvoid main() { for (int i = 0; i < 1; i++) { int i; } }",
        "0:2:49",
        "`i` is already declared in this scope",
    ),
    (
        Stage::Fragment,
        "#version 400\nsubroutine float T(float x);\nsubroutine(T) float f(int x) { return 1.0; }\nvoid main() {}",
        "0:3:12",
        "`f` differs from subroutine type `T`",
    ),
    (
        Stage::Vertex,
        "#version 440\nlayout(xfb_offset = 4) out double d;\nvoid main() {}",
        "0:2:35",
        "xfb_offset 4 must be a multiple of 8",
    ),
    (
        Stage::Fragment,
        "#version 110\nfloat f() { }\nvoid main() {}",
        "0:2:7",
        "must return a value",
    ),
    (
        Stage::Fragment,
        "#version 110\nint a; float a;\nvoid main() {}",
        "0:2:14",
        "already declared in this scope",
    ),
    (
        Stage::Fragment,
        "#version 110\nfloat gl_foo;\nvoid main() {}",
        "0:2:7",
        "names that start with gl_ are reserved",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { if (1.0) {} }",
        "0:2:19",
        "a condition must be bool, not float",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { break; }",
        "0:2:15",
        "outside of a loop or switch",
    ),
    (
        Stage::Vertex,
        "#version 110\nvoid main() { discard; }",
        "0:2:15",
        "only fragment shaders can discard",
    ),
    (
        Stage::Fragment,
        "#version 110\nattribute vec4 a;\nvoid main() {}",
        "0:2:1",
        "for vertex shaders only",
    ),
    (Stage::Fragment, "#version 130\nin int i;\nvoid main() {}", "0:2:8", "must be flat"),
    (
        Stage::Fragment,
        "#version 120\nuniform float u; const float c = u;\nvoid main() {}",
        "0:2:34",
        "must be a constant expression",
    ),
    (
        Stage::Fragment,
        "#version 120\nuniform int n;\nvoid main() { float a[n]; }",
        "0:3:23",
        "must be a constant expression",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { float a[2]; a[2] = 1.0; }",
        "0:2:29",
        "index 2 is out of range of 2",
    ),
    (Stage::Fragment, "#version 110\nsampler2D s;\nvoid main() {}", "0:2:11", "must be uniform"),
    (
        Stage::Fragment,
        "#version 330\nvoid main() { double d; }",
        "0:2:15",
        "type `double` is not available",
    ),
    (Stage::Fragment, "#version 330\nvoid main() { gl_Vertex; }", "0:2:15", "not available"),
    (
        Stage::Vertex,
        "#version 330 core\nvoid main() { gl_Position = gl_Vertex; }",
        "0:2:29",
        "not available",
    ),
    (
        Stage::Fragment,
        "#version 130\nvoid main() { switch (1) { case 1: case 1: break; } }",
        "0:2:36",
        "duplicate case label",
    ),
    (
        Stage::Fragment,
        "#version 300 es\nfloat f;\nvoid main() {}",
        "0:2:7",
        "no default precision for type float",
    ),
    (
        Stage::Fragment,
        "#version 140\nuniform B { sampler2D s; };\nvoid main() {}",
        "0:2:23",
        "cannot have this type",
    ),
    (
        Stage::Fragment,
        "#version 140\nlayout(std430) uniform B { float f; };\nvoid main() {}",
        "0:2:1",
        "std430 is for storage blocks",
    ),
    (
        Stage::Fragment,
        "#version 440\nlayout(std140) uniform B { layout(offset=2) float f; };\nvoid main() {}",
        "0:2:24",
        "is not a multiple of 4",
    ),
    (
        Stage::Fragment,
        "#version 110\nint main() { return 1; }",
        "0:2:1",
        "main must be `void main()`",
    ),
    (
        Stage::Fragment,
        "#version 120\nvoid main() { mat3 m = mat3(mat2(1.0), 1.0); }",
        "0:2:24",
        "from a matrix and other values",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { vec3 v = vec3(1.0, 2.0); }",
        "0:2:24",
        "too few components",
    ),
    (
        Stage::Fragment,
        "#version 110\nvoid main() { vec2 v = vec2(1.0, 2.0, 3.0); }",
        "0:2:24",
        "too many arguments",
    ),
    (
        Stage::Fragment,
        "#version 310 es\nprecision highp float; layout(binding=0) uniform highp atomic_uint a; void main() { a = 1u; }",
        "0:2:85",
        "cannot be assigned",
    ),
];

#[test]
fn invalid_snippets_are_refused_at_their_place() {
    for (stage, source, place, message) in INVALID {
        match compile_all(source, *stage) {
            Ok(text) => panic!("accepted: {source}\n{text}"),
            Err(e) => {
                let first = e.lines().next().unwrap_or_default();
                assert!(
                    first.starts_with(&format!("{place}: error: ")),
                    "{source}: wanted {place}, got {first}"
                );
                assert!(first.contains(message), "{source}: wanted {message}, got {first}");
            }
        }
    }
}

#[test]
fn built_in_variables_follow_stage_and_version() {
    let accepted = |stage, version: &str, text: &str| {
        let source = format!("#version {version}\nvoid main() {{ {text} }}");
        compile_all(&source, stage).is_ok()
    };
    assert!(accepted(Stage::Vertex, "130", "int i = gl_VertexID;"));
    assert!(!accepted(Stage::Vertex, "120", "int i = gl_VertexID;"));
    assert!(accepted(Stage::Vertex, "150 compatibility", "gl_FrontColor = gl_Color;"));
    assert!(!accepted(Stage::Vertex, "150", "gl_FrontColor = gl_Color;"));
    assert!(accepted(
        Stage::Vertex,
        "110",
        "gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;"
    ));
    assert!(accepted(Stage::Fragment, "400", "int i = gl_SampleID;"));
    assert!(!accepted(Stage::Fragment, "330", "int i = gl_SampleID;"));
    assert!(accepted(
        Stage::Fragment,
        "110",
        "float f = gl_LightSource[0].spotCutoff + gl_Fog.density;"
    ));
    assert!(accepted(Stage::Fragment, "300 es", "gl_FragDepth = 0.5;"));
    assert!(!accepted(Stage::Fragment, "100", "gl_FragDepth = 0.5;"));
}

/// Shaders and the lines of their errors: consequences of an error are not reported.
const CAUSES: &[(&str, &[u32])] = &[
    ("uniform nothing u;\nvoid main() { vec4 a = u; float b = u.x + u[1]; }", &[2]),
    (
        "struct S {\nnothing a; };\nuniform S s; S f(S s) { return s; }\nvoid main() { S t = s; f(t); }",
        &[3],
    ),
    ("const int n = nothing;\nfloat a[n]; int m = n + a.length();", &[2]),
    ("float a = nothing, b = 1.0;\nfloat c = a + b; float d = b + 1;\nbool e = b;", &[2, 4]),
    (
        "float f(nothing a);\nfloat f(int a, int b) { return 1.0; }\nfloat g = f(1.0); float h = f(1, 2);",
        &[2],
    ),
    (
        "uniform B { nothing a; vec4 b; } i;\nuniform C { nothing c; vec4 d; };\nvec4 a = i.b + d; vec4 b = c;",
        &[2, 3],
    ),
    (
        "void f() { nothing a = 1; a = 2; a.x++; { a(); } }\nvoid main() { float x = y; x = x + 1; x++; f(); float w = z; }",
        &[2, 3, 3],
    ),
    ("out nothing v; invariant v; void main() { v = vec4(1.0); }", &[2]),
    ("void main() { uniform float a; a = 1.0; float b = a; }", &[2]),
    ("layout(nothing) uniform vec4 u;\nvoid main() { vec4 v = u; u = v; }", &[2]),
    ("int f() { return g; }\nint h = f();", &[2]),
    ("float a; float a(); void main() { a = 1.0; }\nbool b = a;", &[2, 3]),
];

#[test]
fn one_cause_is_one_error() {
    for (source, lines) in CAUSES {
        let source = format!("#version 430\n{source}\n");
        let mut types = TypeTable::default();
        let errors = compile(&[&source], Stage::Fragment, CompileOptions::default(), &mut types)
            .unwrap_err();
        let found: Vec<u32> = errors.0.iter().map(|d| d.location.line).collect();
        assert_eq!(found, *lines, "{source}\n{errors}");
    }
}

#[test]
fn recursion_is_an_error_at_its_first_call() {
    let cases = [
        (
            "int f(int i) { return i < 1 ? 0 : f(i - 1); }",
            "0:2:35: error: function `f` calls itself",
        ),
        (
            "void g();\nvoid f() { g(); }\nvoid g() { if (false) { f(); } }",
            "0:3:12: error: function `f` calls `g`, which calls it again",
        ),
        (
            "void a(); void d() { a(); }\nvoid b() { a(); }\nvoid a() { b(); d(); }",
            "0:2:22: error: function `d` calls `a`",
        ),
    ];
    for (source, message) in cases {
        let errors =
            compile_all(&format!("#version 430\n{source}\nvoid main() {{}}\n"), Stage::Fragment)
                .unwrap_err();
        assert!(errors.starts_with(message) && errors.lines().count() == 1, "{source}\n{errors}");
    }
    let overloads =
        "#version 430\nvoid f(float x) {}\nvoid f(int i) { f(1.0); }\nvoid main() { f(1); }";
    assert!(compile_all(overloads, Stage::Fragment).is_ok());
}
