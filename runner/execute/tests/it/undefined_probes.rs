//! Failures of probes say whether the specification determines the observed value.

use execute::{Devices, RunOptions, TestCase, run_text};
use results::verdict::{Phase, Status};
use vocabulary::Target;

/// Vertices of a patch or a fan that is the window, which has another color before.
const CORNERS: &str = "[vertex data]
piglit_vertex/float/2
-1 -1
 1 -1
 1  1
-1  1

[test]
clear color 0.5 0.5 0.5 0.5
clear
";

/// A patch whose control shader executes `control`; the color is the sum of what it may write.
fn patch(control: &str) -> String {
    format!(
        "[require]
GLSL >= 4.00

[vertex shader]
#version 400
in vec4 piglit_vertex;
void main() {{ gl_Position = piglit_vertex; }}

[tessellation control shader]
#version 400
layout(vertices = 4) out;
out float of_vertex[];
patch out float of_patch;
void main() {{ {control} }}

[tessellation evaluation shader]
#version 400
layout(quads) in;
in float of_vertex[];
patch in float of_patch;
out float value;
void main() {{
    gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.0, 1.0);
    value = of_vertex[0] + of_patch;
}}

[fragment shader]
#version 400
in float value;
out vec4 color;
void main() {{ color = vec4(value); }}

{CORNERS}patch parameter vertices 4
draw arrays GL_PATCHES 0 4
probe rgba 5 5 0.25 0.25 0.25 0.25
"
    )
}

const LEVELS: &str = "gl_TessLevelOuter = float[4](1.0, 1.0, 1.0, 1.0); \
                      gl_TessLevelInner = float[2](1.0, 1.0);";
const VALUES: &str = "of_vertex[gl_InvocationID] = 0.5; of_patch = 0.5;";

/// A triangle over the window whose geometry shader executes `emission` for each vertex.
fn emitted(before: &str, emission: &str) -> String {
    format!(
        "[require]
GLSL >= 1.50

[vertex shader]
#version 150
in vec4 piglit_vertex;
void main() {{ gl_Position = piglit_vertex; }}

[geometry shader]
#version 150
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
flat out float value;
void main() {{
    {before}
    for (int i = 0; i < 3; i++) {{
        gl_Position = vec4(i == 1 ? 3.0 : -1.0, i == 2 ? 3.0 : -1.0, 0.0, 1.0);
        {emission}
        EmitVertex();
    }}
}}

[fragment shader]
#version 150
flat in float value;
out vec4 color;
void main() {{ color = vec4(value); }}

{CORNERS}draw arrays GL_TRIANGLES 0 3
probe rgba 5 5 0.25 0.25 0.25 0.25
"
    )
}

/// A fan over the window whose vertices are captured with a variable of two components, which
/// `write` writes.
fn captured(write: &str) -> String {
    format!(
        "[require]
GLSL >= 4.20
GL_ARB_enhanced_layouts

[vertex shader]
#version 420
#extension GL_ARB_enhanced_layouts : enable
in vec4 piglit_vertex;
layout(xfb_buffer = 0, xfb_offset = 0) out vec2 pair;
void main() {{ gl_Position = piglit_vertex; {write} }}

[fragment shader]
#version 420
out vec4 color;
void main() {{ color = vec4(0.5); }}

{CORNERS}draw arrays GL_TRIANGLE_FAN 0 4
probe rgba 5 5 0.25 0.25 0.25 0.25
"
    )
}

/// Returns true if the failing probe reads a value that is marked as undefined.
fn is_undefined(control: &str) -> bool {
    fails_undefined(&patch(control))
}

fn fails_undefined(test: &str) -> bool {
    let (options, devices) = (RunOptions::default(), Devices::default());
    let case = TestCase::new("undefined", Target::SKL, &options, &devices);
    let verdict = run_text(test.as_bytes(), &case);
    assert_eq!(verdict.status, Status::Fail, "{test}: {:?}", verdict.cause);
    assert_eq!(verdict.cause.as_ref().map(|(phase, _)| *phase), Some(Phase::Probe), "{test}");
    verdict.is_undefined()
}

#[test]
fn a_defined_value_has_no_note() {
    assert!(!is_undefined(&format!("{LEVELS} {VALUES}")));
    let written_again = "if (gl_InvocationID == 9) of_patch = 1.0;";
    assert!(!is_undefined(&format!("{LEVELS} {VALUES} {written_again}")));
}

/// `gl_in` has all of its members, of which the vertex shader writes the position.
#[test]
fn only_members_of_a_block_that_are_read_have_to_be_written() {
    let read = |member: &str| {
        is_undefined(&format!("{LEVELS} {VALUES} of_vertex[gl_InvocationID] += {member};"))
    };
    assert!(!read("0.0 * gl_in[gl_InvocationID].gl_Position.x"));
    assert!(read("0.0 * gl_in[0].gl_PointSize"));
}

/// GLSL 4.60, section 4.3.6: invocations of a patch execute in any order between barriers.
#[test]
fn outputs_that_depend_on_the_order_of_invocations() {
    let of = |body: &str| is_undefined(&format!("{LEVELS} {VALUES} {body}"));
    let read = "float other = of_vertex[(gl_InvocationID + 1) % 4];";
    let write = "of_vertex[gl_InvocationID] += 0.0 * other;";
    assert!(of(&format!("{read} barrier(); {write}")));
    assert!(of(&format!("barrier(); {read} {write}")));
    assert!(!of(&format!("barrier(); {read} barrier(); {write}")));
    assert!(of("of_patch = float(gl_InvocationID);"));
    assert!(!of("of_patch = float(gl_InvocationID); barrier(); of_patch = 0.5;"));
}

#[test]
fn vertices_that_a_patch_lacks() {
    let read = |vertex: u32| {
        let value = format!("0.0 * gl_in[{vertex}].gl_Position.x");
        is_undefined(&format!("{LEVELS} {VALUES} of_vertex[gl_InvocationID] += {value};"))
    };
    assert!(!read(3));
    assert!(read(4));
}

/// A work group that stores what its invocations read of shared variables after `before`.
fn shared(before: &str) -> String {
    format!(
        "[require]
GLSL >= 4.30

[compute shader]
#version 430
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results {{ uint results[4]; }};
shared uint each[4];
void main() {{
    uint id = gl_LocalInvocationIndex, other = 0u;
    each[id] = id;
    {before}
    results[id] = other;
}}

[test]
ssbo 0 16
compute 1 1 1
probe ssbo uint 0 0 == 9
"
    )
}

/// GLSL 4.60, section 8.16.
#[test]
fn shared_variables_of_other_invocations() {
    let read = "other = each[(id + 1u) % 4u];";
    assert!(!fails_undefined(&shared(&format!("barrier(); {read}"))));
    assert!(fails_undefined(&shared(read)));
    assert!(fails_undefined(&shared(&format!("barrier(); {read} each[id] = 7u;"))));
    assert!(!fails_undefined(&shared(&format!("barrier(); {read} barrier(); each[id] = 7u;"))));
}

/// GLSL 4.60, section 8.13: the values of outputs are undefined after `EmitVertex`.
#[test]
fn outputs_that_are_not_written_again_after_a_vertex() {
    assert!(!fails_undefined(&emitted("", "value = 0.5;")));
    assert!(fails_undefined(&emitted("value = 0.5;", "")));
}

/// Of a slot only the components count that transform feedback captures.
#[test]
fn captured_variables_are_smaller_than_their_slot() {
    assert!(!fails_undefined(&captured("pair = vec2(0.5);")));
    assert!(fails_undefined(&captured("pair.x = 0.5;")));
}

#[test]
fn outputs_that_no_invocation_writes() {
    assert!(is_undefined(&format!("{LEVELS} of_patch = 0.5;")));
    assert!(is_undefined(&format!("{LEVELS} of_vertex[gl_InvocationID] = 0.5;")));
}

#[test]
fn outputs_that_are_written_under_a_condition() {
    let never = "if (gl_InvocationID == 9) of_patch = 0.5; of_vertex[gl_InvocationID] = 0.5;";
    assert!(is_undefined(&format!("{LEVELS} {never}")));
}

#[test]
fn tessellation_levels_that_are_not_written() {
    assert!(is_undefined(VALUES));
    let outer = "gl_TessLevelOuter = float[4](1.0, 1.0, 1.0, 1.0);";
    assert!(is_undefined(&format!("{outer} {VALUES}")));
    let three = "gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0; \
                 gl_TessLevelInner = float[2](1.0, 1.0);";
    assert!(is_undefined(&format!("{three} {VALUES}")));
}

/// A test whose fragment shader is `fragment`, after a vertex shader that leaves two components of
/// a varying open.
fn window(fragment: &str, probe: &str) -> String {
    format!(
        "[require]
GLSL >= 4.00

[vertex shader]
#version 400
in vec4 piglit_vertex;
out vec4 half_written;
void main() {{ gl_Position = piglit_vertex; half_written.xy = vec2(0.75); }}

[fragment shader]
#version 400
in vec4 half_written;
{fragment}

{CORNERS}draw arrays GL_TRIANGLE_FAN 0 4
{probe}
"
    )
}

/// Only the components that a probe reads excuse its failure.
#[test]
fn components_excuse_themselves() {
    let (all, color) = ("probe rgba 5 5 0.25 0.25 0.25 0.25", "probe rgb 5 5 0.25 0.25 0.25");
    let one = "out vec4 color; void main() { color = vec4(0.5)";
    let pair = "layout(location = 0) out vec4 color; layout(location = 1) out vec2 other; \
                void main() { color = vec4(0.5)";
    let cases = [
        (format!("{one}; }}"), all, false),
        (format!("{one}; gl_FragDepth = 0.5; }}"), all, false),
        (format!("{one}; gl_SampleMask[0] = 1; }}"), all, false),
        (format!("{pair}; other = vec2(0.5); }}"), all, false),
        (format!("{pair}; }}"), all, false),
        ("out vec3 color; void main() { color = vec3(0.5); }".to_owned(), color, false),
        ("out vec3 color; void main() { color = vec3(0.5); }".to_owned(), all, true),
        ("out vec4 color; void main() { color.rgb = vec3(0.5); }".to_owned(), color, false),
        (
            "out vec4 color; void main() { float x; color = vec4(0.5, 0.5, x, 0.5); }".to_owned(),
            color,
            true,
        ),
        (format!("{one} * half_written.x; }}"), all, false),
        (format!("{one} * half_written.z; }}"), all, true),
        (format!("{one} * mix(vec4(0.75), half_written, bvec4(false)); }}"), all, true),
        (
            "out vec4 color; void main() { vec4 x; color = mix(vec4(0.5), x, bvec4(false)); }"
                .to_owned(),
            all,
            false,
        ),
        (
            "out vec4 color; void main() { vec4 x; color = mix(vec4(0.5), x, bvec4(true)); }"
                .to_owned(),
            all,
            true,
        ),
    ];
    for (fragment, probe, expected) in cases {
        assert_eq!(fails_undefined(&window(&fragment, probe)), expected, "{fragment} {probe}");
    }
}

/// Without a texture lookups have a value, and fetches have none.
#[test]
fn texels_of_no_texture() {
    let color = |value: &str| {
        let text =
            format!("uniform sampler2D s; out vec4 color; void main() {{ color = {value}; }}");
        fails_undefined(&window(&text, "probe rgba 5 5 0.25 0.25 0.25 0.25"))
    };
    assert!(!color("textureLod(s, vec2(0.5), 0.0)"));
    assert!(color("texelFetch(s, ivec2(0), 0)"));
    assert!(color("textureGather(s, vec2(0.5))"));
    assert!(!color("vec4(0.5) * (gl_FragCoord.x < 0.0 ? texelFetch(s, ivec2(0), 0) : vec4(1.0))"));
}
