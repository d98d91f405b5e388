//! Cost of typical script commands without shading: clear, draw, probe of a 250 × 250 window.

#[path = "../tests/it/support/mod.rs"]
mod support;

use criterion::Criterion;
use gl_machine::machine::draw::RectangleDraw;
use gl_machine::machine::uniforms::UniformValue;
use gl_machine::machine::{Machine, MachineOptions};
use gl_machine::probe::Expectation;
use program::variable::InterpolationMode;
use program::{Api, Scalar, Slot};
use support::{Mock, ProgramBuilder, capabilities, paint, pass_through, smooth};

const FULL: RectangleDraw = RectangleDraw {
    rectangle: [-1.0, -1.0, 2.0, 2.0],
    ortho: false,
    patch: false,
    texture: None,
    instances: 1,
    fixed_function: false,
};

fn machine(varying: bool) -> Machine {
    let mut b = ProgramBuilder::new();
    b.attribute("piglit_vertex", 0, Scalar::Float, 4);
    if varying {
        b.varying(Slot::Var(0), InterpolationMode::Smooth);
    }
    let vec4 = b.program.types.vector(Scalar::Float, 4);
    b.uniform("c", vec4, None, 0, [0, 0, 0]);
    b.program.default_block_size = 16;
    let mut m = Machine::new(capabilities(Api::Core), MachineOptions::default());
    let id = m.create_program(b.build(), Vec::new());
    m.use_program(Some(id));
    m
}

fn benchmarks(c: &mut Criterion) {
    let green = Expectation { channels: 4, values: [0.0, 1.0, 0.0, 1.0], tolerance: [0.01; 4] };
    c.bench_function("uniform, clear, draw rect, probe all", |bencher| {
        let mut m = machine(false);
        let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| [0.0, 1.0, 0.0, 1.0]));
        bencher.iter(|| {
            m.set_uniform("c", &UniformValue::floats(&[0.0, 1.0, 0.0, 1.0]), 0).expect("active");
            m.clear(true, false, &mut device).expect("works");
            m.draw_rect(&FULL, &mut device).expect("works");
            assert!(m.probe_all(&green, &mut device).expect("works").passed());
        });
    });
    c.bench_function("clear, draw interpolated rect, probe one pixel", |bencher| {
        let mut m = machine(true);
        let mut device = interpolating();
        bencher.iter(|| {
            m.clear(true, false, &mut device).expect("works");
            m.draw_rect(&FULL, &mut device).expect("works");
            m.pixel(100, 100, &mut device).expect("works")
        });
    });
    c.bench_function("clear, draw interpolated rect, read all", |bencher| {
        let mut m = machine(true);
        let mut device = interpolating();
        bencher.iter(|| {
            m.clear(true, false, &mut device).expect("works");
            m.draw_rect(&FULL, &mut device).expect("works");
            m.probe_all(&green, &mut device).expect("works")
        });
    });
}

/// Different colors at the vertices.
fn interpolating() -> Mock {
    Mock::new(
        |b, s| {
            pass_through(b, s);
            for lane in 0..b.lanes {
                b.outputs.set(4, lane, (lane as f32).to_bits());
            }
        },
        |b, _| paint(b, |b, lane| [smooth(b, lane, 0), 0.0, 0.0, 1.0]),
    )
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    benchmarks(&mut criterion);
    criterion.final_summary();
}
