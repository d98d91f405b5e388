//! The limit of executed steps, which ends endless loops: it holds for each batch of invocations,
//! so that a test may draw as much as it wants.

use execute::{
    DeviceFactory, DeviceRequest, Devices, ExecutorSelection, RunOptions, TestCase, run_script,
};
use raster::device::DeviceError;
use results::verdict::Status;
use shader_device::ShaderDevice;
use vocabulary::Target;

/// A factory whose devices have a small limit.
pub(crate) struct Limited {
    pub devices: Devices,
    /// Maximum number of steps of a batch.
    pub step_limit: u64,
}

impl DeviceFactory for Limited {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        self.devices.create(&DeviceRequest { step_limit: self.step_limit, ..*request })
    }
}

/// Pixels with a loop of forty rounds whose result depends on the place, so that no work is shared.
const WINDOW: &[u8] = b"[require]\nGLSL >= 1.30\n[vertex shader passthrough]\n[fragment shader]\n\
    #version 130\nuniform int rounds;\nout vec4 color;\n\
    void main() {\n float x = gl_FragCoord.x * gl_FragCoord.y;\n\
    for (int i = 0; i < rounds; i++) x = fract(x * 0.75 + 0.3);\n\
    color = vec4(x < 2.0);\n}\n\
    [test]\nuniform int rounds 40\ndraw rect -1 -1 2 2\nprobe all rgba 1 1 1 1\n";

fn status(generation: Target, executors: ExecutorSelection, step_limit: u64) -> Status {
    let script = script::parse(WINDOW).expect("a valid script");
    let options = RunOptions { executors, ..RunOptions::default() };
    let factory = Limited { devices: Devices::default(), step_limit };
    run_script(&script, &TestCase::new("window", generation, &options, &factory)).status
}

#[test]
fn a_test_may_execute_more_steps_than_a_batch() {
    let executors = [
        (Target::SKL, ExecutorSelection::SimulatorOnly),
        (Target::SI, ExecutorSelection::SimulatorOnly),
        (Target::SKL, ExecutorSelection::ReferenceOnly),
    ];
    for (generation, executors) in executors {
        // Each batch takes some hundreds of steps; there are nearly a thousand batches.
        assert_eq!(
            status(generation, executors, 4_000),
            Status::Pass,
            "{generation} {executors:?}"
        );
        assert_eq!(
            status(generation, executors, 30),
            Status::Timeout,
            "{generation} {executors:?}"
        );
    }
}
