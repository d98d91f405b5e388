//! Local arrays too long for the registers, indexed at run time: right in every stage, on every
//! generation and width.

use crate::support::Sandbox;

/// `total` must be what [`expected`] says.
const BODY: &str = "
	float f[200];
	dvec3 d[80];
	bool b[90];
	mat3 m[12];
	for (int i = 0; i < 200; i++)
		f[(i * 7 + start) % 200] = float(i);
	for (int i = 0; i < 80; i++)
		d[79 - i] = dvec3(i, i + 1, 2 * i);
	for (int i = 0; i < 90; i++)
		b[i] = i % 3 == start;
	for (int i = 0; i < 12; i++)
		m[i] = mat3(i);
	m[start + 4][start][2] = 0.5;
	d[start + 5].y = 1000.0;
	float total = f[start + 20] + float(d[start + 5].x + d[start + 5].y) + m[start + 4][1][2] + m[5][1][1];
	for (int i = start; i < 90; i++)
		total += b[i] ? 1.0 : 0.0;
";

/// The same by hand, for `start` = 1: `f[21]` was written by the i with 7 i + 1 = 21 modulo 200;
/// `d[6]` by i = 73; ones of `b` are 1, 4, … 88.
fn expected() -> f32 {
    let written = (0..200).find(|i| (i * 7 + 1) % 200 == 21).expect("7 is prime to 200");
    written as f32 + (73.0 + 1000.0) + 0.5 + 5.0 + 30.0
}

fn script(stage: &str) -> String {
    let fragment = |body: &str, output: &str| {
        format!(
            "#version 400\nuniform int start;\nuniform float expected;\n{output}\nout vec4 color;\nvoid main() {{ {body} }}\n"
        )
    };
    let shaders = match stage {
        "fragment" => format!(
            "[vertex shader passthrough]\n[fragment shader]\n{}",
            fragment(
                &format!("{BODY} color = vec4(total == expected, total != expected, 0.0, 1.0);"),
                ""
            )
        ),
        "vertex" => format!(
            "[vertex shader]\n#version 400\nuniform int start;\nin vec4 piglit_vertex;\nflat out float v;\n\
             void main() {{ {BODY} v = total; gl_Position = piglit_vertex; }}\n[fragment shader]\n{}",
            fragment("color = vec4(v == expected, v != expected, 0.0, 1.0);", "flat in float v;")
        ),
        _ => format!(
            "[vertex shader passthrough]\n[geometry shader]\n#version 400\nlayout(triangles) in;\n\
             layout(triangle_strip, max_vertices = 3) out;\nuniform int start;\nflat out float v;\nvoid main() {{ {BODY}\n\
             for (int i = 0; i < 3; i++) {{ v = total; gl_Position = gl_in[i].gl_Position; EmitVertex(); }} }}\n\
             [fragment shader]\n{}",
            fragment("color = vec4(v == expected, v != expected, 0.0, 1.0);", "flat in float v;")
        ),
    };
    let value = expected();
    format!(
        "[require]\nGLSL >= 4.00\n{shaders}\n[test]\nuniform int start 1\nuniform float expected {value}\n\
         clear color 0 0 0 0\nclear\ndraw rect -1 -1 2 2\nprobe all rgba 1 0 0 1\n"
    )
}

#[test]
fn in_every_stage() {
    let sandbox = Sandbox::new();
    for stage in ["fragment", "vertex", "geometry"] {
        sandbox.file(&format!("arrays/{stage}.shader_test"), script(stage));
    }
    sandbox.run(&["arrays", "--gen", "intel", "--out", "out"]).expect(0, &[]);
    let results = sandbox.results("out");
    let passed = results.iter().filter(|result| result["status"] == "pass").count();
    assert_eq!(passed, 15, "{results:?}");
}
