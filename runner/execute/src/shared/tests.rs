//! Tests of shared work: what is kept, and equal verdicts with and without it.

use super::transcript::Transcript;
use super::*;
use crate::case::TestCase;
use crate::device::{DeviceFactory, DeviceKind, DeviceRequest};
use crate::options::RunOptions;
use crate::run::run_text;
use crate::tests::{Mocks, script};
use raster::device::DeviceError;
use results::verdict::{Phase, Status, Verdict};
use shader_device::ShaderDevice;
use vocabulary::Target;

#[test]
fn tests_are_kept_by_their_text() {
    let tests = SharedTests::new(2);
    let reading = |is_bare| Reading { is_bare, is_translated: false };
    let of = |text: &[u8], is_bare| tests.test(text, reading(is_bare)).expect("it parses");
    let (a, b) = (b"[require]\nGLSL >= 1.10\n[test]\n", b"[require]\nGLSL >= 1.20\n[test]\n");
    let first = of(a, false);
    assert!(Arc::ptr_eq(&first, &of(a, false)));
    assert!(!Arc::ptr_eq(&first, &of(a, true)), "lines are counted differently");
    of(b, false);
    assert!(!Arc::ptr_eq(&first, &of(a, false)), "two newer tests replace it");
}

#[test]
fn without_capacity_nothing_is_kept() {
    let tests = SharedTests::default();
    let text = b"[require]\nGLSL >= 1.10\n[test]\n";
    let of = || tests.test(text, Reading::default()).expect("it parses");
    assert!(!Arc::ptr_eq(&of(), &of()));
}

/// Devices that share tests. The kinds of created devices are recorded.
struct Sharing {
    mocks: Mocks,
    tests: SharedTests,
    created: Mutex<Vec<DeviceKind>>,
}

impl Sharing {
    fn of(mocks: Mocks) -> Sharing {
        Sharing { mocks, tests: SharedTests::new(4), created: Mutex::default() }
    }

    /// Executes a test and returns the kinds of its devices, too.
    fn run(&self, text: &str, generation: Target) -> (Verdict, Vec<DeviceKind>) {
        let verdict = run_text(
            text.as_bytes(),
            &TestCase::new("t", generation, &RunOptions::default(), self),
        );
        (verdict, std::mem::take(&mut self.created.lock().unwrap()))
    }
}

impl DeviceFactory for Sharing {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        self.created.lock().unwrap().push(request.kind);
        self.mocks.create(request)
    }

    fn shared_tests(&self) -> Option<&SharedTests> {
        Some(&self.tests)
    }
}

const BOTH: [DeviceKind; 2] = [DeviceKind::Simulator, DeviceKind::Interpreter];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// The second generation takes the reference's answers from the first one's transcript, and has the
/// same verdict as a test case alone.
#[test]
fn the_reference_executes_once() {
    let commands = "clear color 0 0 0 0\nclear\ndraw rect -1 -1 2 2\nprobe all rgba 0 1 0 1\n";
    let mocks: [fn() -> Mocks; 5] = [
        || Mocks::agree(GREEN),
        || Mocks::agree(RED),
        || Mocks::both(Ok(GREEN), Ok(RED)),
        || Mocks { undefined: 1, ..Mocks::both(Ok(RED), Ok(GREEN)) },
        || Mocks { disagreement: Some(3), ..Mocks::agree(GREEN) },
    ];
    for mocks in mocks {
        let (sharing, text) = (Sharing::of(mocks()), script(commands));
        let alone = run_text(
            text.as_bytes(),
            &TestCase::new("t", Target::HSW, &RunOptions::default(), &mocks()),
        );
        let (first, devices) = sharing.run(&text, Target::IVB);
        assert_eq!((first, &devices[..]), (alone.clone(), &BOTH[..]));
        let (second, devices) = sharing.run(&text, Target::HSW);
        // A test that ends before its last command has no transcript.
        let reason = alone.cause.as_ref().map_or("", |(_, reason)| reason);
        let executed = if reason.contains("lane 3 differs") { &BOTH[..] } else { &BOTH[..1] };
        assert_eq!((&devices[..], second), (executed, alone.clone()), "{reason}");
    }
}

/// The consulted capabilities decide which generations share: ivb has fewer texture units than hsw.
#[test]
fn consulted_capabilities_decide() {
    let devices = |declaration: &str| {
        let sharing = Sharing::of(Mocks::agree(GREEN));
        let text = script("clear color 0 0 0 0\nclear\nprobe all rgba 0.0 0.0 0.0 0.0\n")
            .replace("uniform vec4 c;", &format!("{declaration}\nuniform vec4 c;"));
        let of = |generation| sharing.run(&text, generation).1.len();
        [of(Target::IVB), of(Target::HSW), of(Target::BDW)]
    };
    assert_eq!(devices(""), [2, 1, 1]);
    assert_eq!(devices("float units = float(gl_MaxTextureImageUnits);"), [2, 2, 1]);
    assert_eq!(devices("uniform sampler2D s[16];"), [2, 1, 1], "ivb has enough units");
    assert_eq!(devices("#ifdef GL_ARB_gpu_shader_int64\n#endif"), [2, 1, 2]);
    assert_eq!(devices("#extension all : warn"), [2, 2, 2]);
    let pastes = "#define PASTE(a, b) a ## b";
    assert_eq!(devices(pastes), [2, 2, 2], "the text may assemble any name");
    let continues = "#ifdef G\\\nL_ARB_gpu_shader_int64\n#endif";
    assert_eq!(devices(continues), [2, 2, 2], "the text does not spell its words");
}

/// A test that does not fit the transcript executes the reference after all.
#[test]
fn a_transcript_that_does_not_fit() {
    let sharing = Sharing::of(Mocks::agree(GREEN));
    let text = script("clear color 0 0 0 0\nclear\nprobe all rgba 0.0 0.0 0.0 0.0\n");
    let test = sharing.tests.test(text.as_bytes(), Reading::default()).expect("it parses");
    let context = crate::context_for(test.script(), Target::HSW).expect("it has the context");
    test.link(context).keep(context.recorded().consulted(), Transcript::default());
    let (verdict, devices) = sharing.run(&text, Target::HSW);
    assert_eq!(verdict.status, Status::Pass);
    assert_eq!(devices[1..], BOTH, "after the attempt");
}

/// A verdict before the commands is shared, too.
#[test]
fn errors_are_shared() {
    let sharing = Sharing::of(Mocks::agree(GREEN));
    let text = script("clear\n").replace("gl_FragColor = c", "gl_FragColor = d");
    let of = |generation| sharing.run(&text, generation).0;
    let first = of(Target::HSW);
    assert_eq!(first.cause.as_ref().map(|(phase, _)| *phase), Some(Phase::Frontend));
    assert_eq!(of(Target::HSW), first);
}
