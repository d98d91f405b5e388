//! Heavy draws on several threads: results are those of one thread.

use execute::{Devices, RunOptions, TestCase, run_script, run_text};
use results::verdict::{Status, Verdict};
use shader_device::Cores;
use vocabulary::Target;

use crate::step_limit::Limited;

/// A window of 250 × 250 pixels whose shader loops, with two overlapping triangles and a discard.
/// The probe fails, so that the reason names a computed value.
fn heavy(iterations: &str) -> String {
    format!(
        "[require]\nGLSL >= 1.30\n[vertex shader]\n#version 130\nin vec4 piglit_vertex;\n\
         out vec2 p;\nvoid main() {{ gl_Position = piglit_vertex; p = piglit_vertex.xy; }}\n\
         [fragment shader]\n#version 130\nin vec2 p;\nout vec4 color;\nvoid main() {{\n\
         vec4 a = vec4(p, p.y, 1.0);\n\
         for (int i = 0; i < {iterations}; i++) a = fract(a * a.yzwx + p.xxyy);\n\
         if (a.x < 0.1) discard;\ncolor = a;\n}}\n[test]\nclear color 0 0 1 1\nclear\n\
         draw rect -1 -1 2 2\ndraw rect -0.5 -0.5 1 1\nrelative probe rgb (0.3, 0.7) (7, 7, 7)\n\
         probe all rgba 7 7 7 7\n"
    )
}

fn judge(text: &str, generation: Target, devices: &Devices) -> Verdict {
    let options = RunOptions::default();
    run_text(text.as_bytes(), &TestCase::new("heavy", generation, &options, devices))
}

#[test]
fn threads_do_not_change_results() {
    let text = heavy("50");
    let generations = [Target::SKL, Target::IVB, Target::SI, Target::REFERENCE];
    for generation in generations {
        let alone = judge(&text, generation, &Devices::default());
        assert_eq!(alone.status, Status::Fail, "{alone:?}");
        let shared = Devices::on_cores(Cores::new(4));
        assert_eq!(judge(&text, generation, &shared), alone);
    }
}

#[test]
fn a_limit_reached_on_several_threads_is_that_of_one_thread() {
    // The first batches are heavy enough to start threads; later ones reach the limit.
    let text = heavy("(p.x > 0.5 ? 3000 : 100)");
    let script = script::parse(text.as_bytes()).expect("a valid script");
    let options = RunOptions::default();
    let verdict = |devices| {
        let limited = Limited { devices, step_limit: 20_000 };
        run_script(&script, &TestCase::new("heavy", Target::SKL, &options, &limited))
    };
    let alone = verdict(Devices::default());
    assert_eq!(alone.status, Status::Timeout, "{alone:?}");
    let cores = Cores::new(4);
    assert_eq!(verdict(Devices::on_cores(cores.clone())), alone);
    assert_eq!(cores.idle(), 4, "all cores are returned");
}
