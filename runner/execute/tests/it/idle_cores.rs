//! Heavy draws on several threads: results are those of one thread.

use execute::{Cores, Devices, ExecutorSelection, RunOptions, run_text};
use results::verdict::{Status, Verdict};
use vocabulary::Generation;

/// A window of 250 × 250 pixels whose shader loops, with two overlapping triangles and a discard.
/// The probe fails, so that the reason names a computed value.
fn heavy(iterations: u32) -> String {
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

fn judge(text: &str, generation: Generation, devices: &Devices) -> Verdict {
    let options = RunOptions::default();
    run_text(text.as_bytes(), "heavy", generation, &options, devices)
}

#[test]
fn threads_do_not_change_results() {
    let text = heavy(50);
    let generations = [Generation::Skl, Generation::Ivb, Generation::Si, Generation::Reference];
    for generation in generations {
        let alone = judge(&text, generation, &Devices::default());
        assert_eq!(alone.status, Status::Fail, "{alone:?}");
        let shared = Devices::on_cores(Cores::new(4));
        assert_eq!(judge(&text, generation, &shared), alone);
    }
}

#[test]
fn the_limit_of_steps_is_one_for_all_threads() {
    // Some 500 million instructions.
    let text = heavy(3000);
    let options =
        RunOptions { executors: ExecutorSelection::SimulatorOnly, ..RunOptions::default() };
    let cores = Cores::new(4);
    let devices = Devices::on_cores(cores.clone());
    let verdict = run_text(text.as_bytes(), "heavy", Generation::Skl, &options, &devices);
    assert_eq!(verdict.status, Status::Timeout, "{verdict:?}");
    assert_eq!(cores.idle(), 4, "all cores are returned");
}
