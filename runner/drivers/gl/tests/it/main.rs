//! Scripts on the driver of the machine. Without one the tests say so and check nothing; CI
//! installs one.

use gl_driver::{Driver, EndKind, Observe, Options, Outcome, PixelValues};
use vocabulary::Phase;

/// Returns the driver, or says why there is none.
fn driver() -> Option<Driver> {
    match Driver::open(&Options::default()) {
        Ok(driver) => Some(driver),
        Err(error) => {
            eprintln!("SKIPPED: this test needs an OpenGL driver: {error}");
            None
        }
    }
}

/// Executes a script of a fragment shader and commands.
fn run(driver: &mut Driver, require: &str, shader: &str, commands: &str) -> Outcome {
    let text = format!(
        "[require]\n{require}\n[vertex shader passthrough]\n[fragment shader]\n{shader}\n[test]\n{commands}\n"
    );
    let script = script::parse(text.as_bytes()).expect("a script");
    let context = driver.context(script.require.context).expect("a context");
    driver.run(&script, context, Observe::default())
}

const UNIFORM: &str = "uniform vec4 color;\nvoid main() { gl_FragColor = color; }";

fn is_good(outcome: &Outcome) -> bool {
    outcome.end.is_none() && outcome.failures.is_empty()
}

#[test]
fn probes_pass_and_fail() {
    let Some(mut driver) = driver() else { return };
    let draw = "uniform vec4 color 0 1 0 1\ndraw rect -1 -1 2 2\n";
    let mut of = |probe: &str| run(&mut driver, "GLSL >= 1.10", UNIFORM, &format!("{draw}{probe}"));
    assert!(is_good(&of("probe all rgba 0 1 0 1")));
    let outcome = of("probe all rgba 1 0 0 1\nprobe rgba 3 4 0 1 0 1");
    assert_eq!(outcome.failures.len(), 1);
    let failure = &outcome.failures[0];
    assert_eq!((failure.line, failure.phase), (Some(10), Phase::Probe));
    let text = "Probe color at (0,0)\n  Expected: 255 0 0 255\n  Observed: 0 255 0 255";
    assert_eq!(failure.text, text);
    assert_eq!(outcome.readings.len(), 2);
}

#[test]
fn probes_far_outside_of_the_window_survive() {
    let Some(mut driver) = driver() else { return };
    let mut of = |probe: &str| run(&mut driver, "GLSL >= 1.10", UNIFORM, probe);
    for probe in ["probe rgba 3 inf 0 0 0 0", "probe rgba -inf 3 0 0 0 0", "probe depth 3 1e10 0"] {
        let end = of(probe).end.expect("an end");
        assert_eq!(end.reason, "nothing to read: the area leaves the framebuffer");
    }
}

#[test]
fn early_ends() {
    let Some(mut driver) = driver() else { return };
    let mut of = |shader: &str, commands: &str| {
        let end = run(&mut driver, "GLSL >= 1.10", shader, commands).end.expect("an early end");
        (end.line, end.kind, end.reason)
    };
    let (line, kind, reason) = of("void main() { gl_FragColor = 1; }", "clear");
    assert_eq!((line, kind), (None, EndKind::Fail(Phase::Frontend)));
    assert!(reason.starts_with("Failed to compile FS: "), "{reason}");
    let (line, kind, reason) = of(UNIFORM, "clear\nuniform vec4 tint 1 1 1 1");
    assert_eq!((line, kind), (Some(9), EndKind::Fail(Phase::Link)));
    assert_eq!(reason, "cannot get location of uniform \"tint\"");
    let (_, kind, reason) = of(UNIFORM, "link error");
    assert_eq!(kind, EndKind::Fail(Phase::Link));
    assert_eq!(reason, "shader link error expected, but it was successful!");
}

/// The values after a missing uniform can be compared, although it ends the script.
#[test]
fn values_beyond_a_missing_uniform() {
    let Some(mut driver) = driver() else { return };
    let commands = "uniform vec4 color 0 1 0 1\nuniform float none 1\ndraw rect -1 -1 2 2\n\
        probe all rgba 0 1 0 1";
    let text = format!(
        "[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n{UNIFORM}\n\
         [test]\n{commands}\n"
    );
    let script = script::parse(text.as_bytes()).expect("a script");
    let context = driver.context(script.require.context).expect("a context");
    let observe = Observe { beyond: true, image: true };
    let outcome = driver.run(&script, context, observe);
    let end = outcome.end.expect("an early end");
    assert_eq!((end.line, end.kind), (Some(9), EndKind::Fail(Phase::Link)));
    assert_eq!(outcome.readings.len(), 1);
    let green = PixelValues::Bytes(vec![[0, 255, 0, 255]; 250 * 250]);
    assert!(outcome.image.is_some_and(|image| image.values == green));
    let outcome = driver.run(&script, context, Observe::default());
    assert!(outcome.end.is_some() && outcome.readings.is_empty() && outcome.image.is_none());
}

/// State that one script changes must not reach the next one; debug builds also compare all state.
#[test]
fn scripts_are_independent() {
    let Some(mut driver) = driver() else { return };
    let changes = "uniform vec4 color 1 0 0 1\nclear color 1 1 1 1\nclear\ndraw rect -1 -1 2 2\n\
        enable GL_DEPTH_TEST\nenable GL_CLIP_PLANE0\northo 0 1 0 1\npolygon mode GL_FRONT_AND_BACK GL_POINT\n\
        shade model flat\nprovoking vertex first\ntexture rgbw 3 (8, 8) GL_RGBA8\nfb tex 2d 3\n\
        clip plane 0 1 0 0 -5\ntolerance 1 1 1 1\natomic counters 2\nssbo 1 64";
    assert!(is_good(&run(&mut driver, "GLSL >= 1.10", UNIFORM, changes)));
    // Before the first `clear color`, nothing is cleared; the window begins black.
    let fresh = "clear\nprobe all rgba 0 0 0 0\nuniform vec4 color 0 1 0 1\ndraw rect -1 -1 2 2\n\
        probe all rgba 0 1 0 1";
    let outcome = run(&mut driver, "GLSL >= 1.10", UNIFORM, fresh);
    assert!(is_good(&outcome), "{outcome:?}");
}

#[test]
fn open_lists_end_with_their_script() {
    let Some(mut driver) = driver() else { return };
    let mut of = |commands: &str| run(&mut driver, "GLSL >= 1.10", UNIFORM, commands);
    let draw = "uniform vec4 color 0 1 0 1\ndraw rect -1 -1 2 2\nprobe all rgba";
    assert!(of("newlist GL_COMPILE\nuniform float missing 1\nendlist").end.is_some());
    assert!(is_good(&of(&format!("{draw} 0 1 0 1"))));
    of("newlist GL_COMPILE\ndeletelist");
    assert_eq!(of(&format!("{draw} 0 0 0 0")).failures.len(), 1);
}

#[test]
fn reads_that_are_errors_fail() {
    let Some(mut driver) = driver() else { return };
    let mut of = |commands: &str| run(&mut driver, "GL >= 3.0\nGLSL >= 1.30", UNIFORM, commands);
    for probe in ["probe depth 3 3 0", "relative probe rect rgba int (0, 0, 1, 1) (0, 0, 0, 0)"] {
        let end = of(probe).end.expect("an end");
        assert_eq!(end.reason, "GL error InvalidOperation", "{probe}");
    }
}

#[test]
fn channels_without_a_tolerance_keep_theirs() {
    let Some(mut driver) = driver() else { return };
    let draw = "uniform vec4 color 0.5 0.5 0.5 0.5\ndraw rect -1 -1 2 2\n";
    let mut of = |rest: &str| run(&mut driver, "GLSL >= 1.10", UNIFORM, &format!("{draw}{rest}"));
    assert!(is_good(&of("tolerance 0.2\nprobe rgba 3 3 0.6 0.5 0.5 0.5")));
    assert!(!is_good(&of("tolerance 0.2\nprobe rgba 3 3 0.6 0.6 0.5 0.5")));
}

#[test]
fn contexts_of_all_kinds() {
    let Some(mut driver) = driver() else { return };
    let core = "out vec4 result;\nvoid main() { result = vec4(0.0, 1.0, 0.0, 1.0); }";
    let embedded =
        "precision mediump float;\nvoid main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }";
    let draw = "draw rect -1 -1 2 2\nprobe all rgba 0 1 0 1";
    assert!(is_good(&run(&mut driver, "GLSL >= 1.50", core, draw)));
    assert!(is_good(&run(&mut driver, "GL ES >= 2.0\nGLSL ES >= 1.00", embedded, draw)));
}

/// A slice of a 1D array is a line: the second size of the texture counts its layers.
#[test]
fn slices_of_1d_arrays_are_lines() {
    let Some(mut driver) = driver() else { return };
    let commands = "texture storage 0 1DArray GL_RGBA8 (1 8 4)\n\
        fb tex slice 1DArray 0 0 1\nclear color 0 1 0 1\nclear\n\
        fb tex slice 1DArray 0 0 0\nclear color 1 0 0 1\nclear\n\
        relative probe rect rgba (0.0, 0.0, 1.0, 1.0) (1.0, 0.0, 0.0, 1.0)\n\
        fb tex slice 1DArray 0 0 1\n\
        relative probe rect rgba (0.0, 0.0, 1.0, 1.0) (0.0, 1.0, 0.0, 1.0)";
    let outcome = run(&mut driver, "GLSL >= 1.10\nGL_ARB_texture_storage", UNIFORM, commands);
    assert!(is_good(&outcome), "{outcome:?}");
}

/// EGL has one display per process; the end of one driver must not end the contexts of another.
#[test]
fn drivers_end_alone() {
    let (Some(first), Some(mut second)) = (driver(), driver()) else { return };
    let green = "clear color 0 1 0 1\nclear\nprobe all rgba 0 1 0 1";
    drop(first);
    assert!(is_good(&run(&mut second, "GLSL >= 1.10", UNIFORM, green)));
}
