//! The machine with hand-made programs and a device made of closures.

use crate::support::{Mock, ProgramBuilder, capabilities, center, paint, pass_through, smooth};
use gl_machine::machine::draw::RectangleDraw;
use gl_machine::machine::state::Capability;
use gl_machine::machine::uniforms::UniformValue;
use gl_machine::machine::{Machine, MachineOptions};
use gl_machine::probe::{Agreement, Expectation};
use program::variable::InterpolationMode;
use program::{Api, BuiltinVariable, FragmentOutput, Scalar, Slot};
use raster::assemble::{PrimitiveMode, ProvokingVertex};
use raster::deferred::ShadeMode;
use raster::device::ProgramId;
use raster::pipeline::draw_call::DrawCall;
use raster::pipeline::vertex_data::{AttributeSlot, VertexData};
use raster::rasterize::Rect;
use raster::shader_io::{AtomicOp, BufferRef};

fn options(shade: ShadeMode) -> MachineOptions {
    MachineOptions { shade, ..MachineOptions::default() }
}

fn machine(api: Api, builder: ProgramBuilder, options: MachineOptions) -> Machine {
    let mut machine = Machine::new(capabilities(api), options);
    let id = machine.create_program(builder.build(), Vec::new());
    machine.use_program(Some(id));
    machine
}

fn rgba(values: [f32; 4]) -> Expectation {
    Expectation { channels: 4, values, tolerance: [0.01; 4] }
}

fn full_screen() -> RectangleDraw {
    RectangleDraw { rectangle: [-1.0, -1.0, 2.0, 2.0], ..RectangleDraw::default() }
}

fn rectangle_program() -> ProgramBuilder {
    let mut builder = ProgramBuilder::new();
    builder.attribute("piglit_vertex", 0, Scalar::Float, 4);
    builder
}

#[test]
fn clears_cover_the_window() {
    let mut m = machine(Api::Core, rectangle_program(), MachineOptions::default());
    let mut device = Mock::new(pass_through, |_, _| {});
    m.state.clear_color = [0.0, 1.0, 0.5, 1.0];
    m.clear(true, false, &mut device).unwrap();
    assert!(m.probe_all(&rgba([0.0, 1.0, 0.5, 1.0]), &mut device).unwrap().passed());
    assert!(!m.probe_all(&rgba([0.0, 0.9, 0.5, 1.0]), &mut device).unwrap().passed());
}

#[test]
fn a_uniform_color_is_shaded_once() {
    for (mode, quads) in [(ShadeMode::Deferred, 1), (ShadeMode::Immediate, 125 * 125 + 125)] {
        let mut m = machine(Api::Core, rectangle_program(), options(mode));
        let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| [0.25, 0.5, 0.75, 1.0]));
        m.draw_rect(&full_screen(), &mut device).unwrap();
        assert!(m.probe_all(&rgba([0.25, 0.5, 0.75, 1.0]), &mut device).unwrap().passed());
        // Quads on the diagonal belong to both triangles.
        assert_eq!(device.quads, quads, "{mode:?}");
        assert_eq!(device.vertices, 4);
    }
}

#[test]
fn stages_that_see_their_inputs_only_are_not_shaded_again() {
    for (uniform, shadings) in [(false, 1), (true, 3)] {
        let mut builder = rectangle_program();
        if uniform {
            let float = builder.program.types.scalar(Scalar::Float);
            builder.uniform("u", float, None, 0, [0, 0, 0]);
        }
        let mut m = machine(Api::Core, builder, MachineOptions::default());
        let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| [1.0; 4]));
        for x in 0..3 {
            m.draw_rect(&full_screen(), &mut device).unwrap();
            assert_eq!(m.pixel(x * 2, 0, &mut device).unwrap(), [1.0; 4]);
        }
        assert_eq!((device.vertices, device.quads), (4 * shadings, shadings), "uniform {uniform}");
        let smaller =
            RectangleDraw { rectangle: [-1.0, -1.0, 1.0, 1.0], ..RectangleDraw::default() };
        m.draw_rect(&smaller, &mut device).unwrap();
        assert_eq!(device.vertices, 4 * shadings + 4, "other inputs");
    }
}

/// Returns a machine with a program that paints a pixel's position, and one that paints a constant;
/// the position's quads are counted by the device.
fn position_and_constant(depth: bool) -> (Machine, [ProgramId; 2]) {
    let mut positions = rectangle_program();
    positions.builtin_input(1, BuiltinVariable::FragCoord);
    let mut m = Machine::new(
        capabilities(Api::Core),
        MachineOptions { depth, ..MachineOptions::default() },
    );
    let ids = [positions, rectangle_program()]
        .map(|builder| m.create_program(builder.build(), Vec::new()));
    (m, ids)
}

#[test]
fn what_a_known_draw_hides_is_not_shaded() {
    let (mut m, [positions, constant]) = position_and_constant(false);
    let mut device =
        Mock::new(pass_through, |b, _| paint(b, |b, lane| [(center(b, lane).0 as f32) / 250.0; 4]));
    m.use_program(Some(positions));
    m.draw_rect(&full_screen(), &mut device).unwrap();
    m.use_program(Some(constant));
    m.draw_rect(&full_screen(), &mut device).unwrap();
    let overwritten = m.pixel(0, 0, &mut device).unwrap();
    assert_eq!(device.quads, 2, "nothing was known of the second draw");
    assert_eq!(m.pixel(100, 100, &mut device).unwrap(), overwritten);
    assert_eq!(device.quads, 2, "the second draw hides the first");
    // A draw that leaves pixels out overwrites nothing.
    let left = RectangleDraw {
        rectangle: [0.0, 0.0, 125.0, 250.0],
        ortho: true,
        ..RectangleDraw::default()
    };
    m.use_program(Some(positions));
    m.draw_rect(&full_screen(), &mut device).unwrap();
    m.use_program(Some(constant));
    m.draw_rect(&left, &mut device).unwrap();
    m.pixel(20, 20, &mut device).unwrap();
    assert_eq!(device.quads, 3);
    assert_ne!(m.pixel(200, 200, &mut device).unwrap(), overwritten);
    assert_eq!(device.quads, 4);
}

#[test]
fn a_hidden_draw_still_writes_depth() {
    let (mut m, [positions, constant]) = position_and_constant(true);
    let mut device =
        Mock::new(pass_through, |b, _| paint(b, |b, lane| [(center(b, lane).0 as f32) / 250.0; 4]));
    m.clear(true, true, &mut device).unwrap();
    m.use_program(Some(positions));
    m.state.set(Capability::DepthTest, true);
    m.draw_rect(&full_screen(), &mut device).unwrap();
    m.state.set(Capability::DepthTest, false);
    m.use_program(Some(constant));
    m.draw_rect(&full_screen(), &mut device).unwrap();
    m.pixel(0, 0, &mut device).unwrap();
    assert!(m.probe_depth(100, 100, 0.5, &mut device).unwrap().passed());
}

#[test]
fn a_single_pixel_needs_a_single_quad() {
    let mut builder = rectangle_program();
    builder.builtin_input(1, BuiltinVariable::FragCoord);
    let mut m = machine(Api::Core, builder, MachineOptions::default());
    let mut device = Mock::new(pass_through, |b, _| {
        paint(b, |b, lane| {
            let (x, y) = center(b, lane);
            [x as f32 / 250.0, y as f32 / 250.0, 0.0, 1.0]
        })
    });
    m.draw_rect(&full_screen(), &mut device).unwrap();
    let pixel = m.pixel(100, 20, &mut device).unwrap();
    assert_eq!(device.quads, 1);
    assert_eq!(
        pixel,
        [
            (100.5f32 / 250.0 * 255.0 + 0.5).floor() / 255.0,
            (20.5f32 / 250.0 * 255.0 + 0.5).floor() / 255.0,
            0.0,
            1.0
        ]
    );
    m.pixel(101, 21, &mut device).unwrap();
    assert_eq!(device.quads, 1, "the other pixels of the quad are known");
    m.pixel(102, 21, &mut device).unwrap();
    assert_eq!(device.quads, 2);
}

#[test]
fn a_discarded_constant_leaves_the_pixels_alone() {
    let mut m = machine(Api::Core, rectangle_program(), MachineOptions::default());
    let mut device = Mock::new(pass_through, |b, _| {
        paint(b, |_, _| [1.0; 4]);
        b.outputs.killed = !0;
    });
    m.state.clear_color = [0.0, 0.0, 1.0, 1.0];
    m.clear(true, false, &mut device).unwrap();
    m.draw_rect(&full_screen(), &mut device).unwrap();
    assert!(m.probe_all(&rgba([0.0, 0.0, 1.0, 1.0]), &mut device).unwrap().passed());
}

#[test]
fn a_recorded_draw_keeps_its_uniforms() {
    let mut builder = rectangle_program();
    let vec4 = builder.program.types.vector(Scalar::Float, 4);
    builder.uniform("c", vec4, None, 0, [0, 0, 0]);
    builder.program.default_block_size = 16;
    let mut m = machine(Api::Core, builder, MachineOptions::default());
    let mut device = Mock::new(pass_through, |b, io| {
        let color = [0, 4, 8, 12].map(|o| f32::from_bits(io.load32(BufferRef::Default, o)));
        paint(b, |_, _| color);
    });
    m.set_uniform("c", &UniformValue::floats(&[1.0, 0.0, 0.0, 1.0]), 0).unwrap();
    m.draw_rect(&full_screen(), &mut device).unwrap();
    m.set_uniform("c", &UniformValue::floats(&[0.0, 1.0, 0.0, 1.0]), 0).unwrap();
    let left = RectangleDraw {
        rectangle: [0.0, 0.0, 125.0, 250.0],
        ortho: true,
        ..RectangleDraw::default()
    };
    m.draw_rect(&left, &mut device).unwrap();
    m.set_uniform("c", &UniformValue::floats(&[0.0; 4]), 0).unwrap();
    let half = |x0, x1| Rect { x0, y0: 0, x1, y1: 250 };
    assert!(m.probe_rect(half(0, 125), &rgba([0.0, 1.0, 0.0, 1.0]), &mut device).unwrap().passed());
    assert!(
        m.probe_rect(half(125, 250), &rgba([1.0, 0.0, 0.0, 1.0]), &mut device).unwrap().passed()
    );
    let failure = m.probe_all(&rgba([0.0, 1.0, 0.0, 1.0]), &mut device).unwrap().failure.unwrap();
    assert_eq!((failure.x, failure.y), (125, 0));
}

#[test]
fn ortho_rectangles_hit_exact_pixels() {
    for x in [0, 1, 17, 249] {
        for y in [0, 5, 200] {
            let mut m = machine(Api::Core, rectangle_program(), MachineOptions::default());
            let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| [1.0; 4]));
            let rectangle = [x as f32, y as f32, 1.0, 3.0];
            m.draw_rect(
                &RectangleDraw { rectangle, ortho: true, ..Default::default() },
                &mut device,
            )
            .unwrap();
            for py in 0..250 {
                for px in 0..250 {
                    let inside = px == x && (y..y + 3).contains(&py);
                    assert_eq!(
                        m.pixel(px, py, &mut device).unwrap()[0] == 1.0,
                        inside,
                        "{px},{py}"
                    );
                }
            }
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn signed(&mut self) -> f32 {
        self.below(2001) as f32 / 1000.0 - 1.0
    }
}

/// Random draws, clears and probes: pixels never depend on the time of shading.
#[test]
fn deferred_shading_changes_nothing() {
    let build = |shade| {
        let mut builder = ProgramBuilder::new();
        builder.attribute("piglit_vertex", 0, Scalar::Float, 4);
        builder.attribute("color", 1, Scalar::Float, 4);
        builder.varying(Slot::Var(0), InterpolationMode::Smooth);
        let options = MachineOptions { width: 50, height: 37, depth: true, shade, nudge: 0 };
        machine(Api::Core, builder, options)
    };
    let device = || {
        Mock::new(pass_through, |b, _| paint(b, |b, lane| [0, 1, 2, 3].map(|c| smooth(b, lane, c))))
    };
    let (mut lazy_quads, mut all_quads) = (0, 0);
    for seed in 0..30 {
        let mut random = Random(seed);
        let (mut deferred, mut immediate) =
            (build(ShadeMode::Deferred), build(ShadeMode::Immediate));
        let (mut d1, mut d2) = (device(), device());
        for _ in 0..25 {
            match random.below(8) {
                0 => {
                    let (color, depth) = (random.below(2) == 0, random.below(2) == 0);
                    let value = random.signed().abs();
                    for (m, d) in [(&mut deferred, &mut d1), (&mut immediate, &mut d2)] {
                        m.state.clear_color = [value; 4];
                        m.clear(color, depth, d).unwrap();
                    }
                }
                1..=4 => {
                    let constant = random.below(2) == 0;
                    let depth = random.below(3) == 0;
                    let color = [random.signed().abs(), random.signed().abs(), 0.5, 1.0];
                    let rows: Vec<Vec<f32>> = (0..6)
                        .map(|_| {
                            let mut row = vec![
                                random.signed() * 1.5,
                                random.signed() * 1.5,
                                random.signed(),
                                1.0,
                            ];
                            row.extend(if constant {
                                color
                            } else {
                                [0; 4].map(|_| random.signed().abs())
                            });
                            row
                        })
                        .collect();
                    let columns = [(AttributeSlot::Generic(0), 4), (AttributeSlot::Generic(1), 4)];
                    let slices: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
                    let mode = if random.below(2) == 0 {
                        PrimitiveMode::TriangleStrip
                    } else {
                        PrimitiveMode::Triangles
                    };
                    let call = DrawCall { mode, first: 0, count: 6, instances: 1 };
                    for (m, d) in [(&mut deferred, &mut d1), (&mut immediate, &mut d2)] {
                        m.set_vertex_data(VertexData::of_floats(&columns, &slices));
                        m.state.set(Capability::DepthTest, depth);
                        m.draw_arrays(&call, d).unwrap();
                    }
                }
                5 | 6 => {
                    let (x, y) = (random.below(50) as i32, random.below(37) as i32);
                    assert_eq!(
                        deferred.pixel(x, y, &mut d1).unwrap(),
                        immediate.pixel(x, y, &mut d2).unwrap()
                    );
                }
                _ => {
                    let (x0, y0) = (random.below(40) as i32, random.below(30) as i32);
                    let rect = Rect {
                        x0,
                        y0,
                        x1: x0 + 1 + random.below(20) as i32,
                        y1: y0 + 1 + random.below(20) as i32,
                    };
                    let (a, b) = (
                        deferred.read_back(rect, &mut d1).unwrap(),
                        immediate.read_back(rect, &mut d2).unwrap(),
                    );
                    assert_eq!(a.mismatch(&b, Agreement::Exact), None, "seed {seed}");
                }
            }
        }
        let whole = Rect::of_size(50, 37);
        let (a, b) = (
            deferred.read_back(whole, &mut d1).unwrap(),
            immediate.read_back(whole, &mut d2).unwrap(),
        );
        assert_eq!(a.mismatch(&b, Agreement::Exact), None, "seed {seed}");
        lazy_quads += d1.quads;
        all_quads += d2.quads;
    }
    assert!(lazy_quads < all_quads, "{lazy_quads} {all_quads}");
}

#[test]
fn stores_happen_once_per_pixel() {
    let mut builder = rectangle_program();
    builder.program.stages[1].side_effects = true;
    builder.program.atomic_buffers = vec![(0, 4)];
    let mut m = machine(
        Api::Core,
        builder,
        MachineOptions { width: 31, height: 17, ..MachineOptions::default() },
    );
    let buffer = m.create_atomic_buffer(0, 1);
    let mut device = Mock::new(pass_through, |b, io| {
        for _ in 0..b.live.count_ones() {
            io.atomic32(BufferRef::AtomicCounter(0), 0, AtomicOp::Increment, [0; 2]);
        }
        paint(b, |_, _| [1.0; 4]);
    });
    m.draw_rect(&full_screen(), &mut device).unwrap();
    assert_eq!(m.buffer(buffer), (31u32 * 17).to_le_bytes());
    m.draw_rect(&full_screen(), &mut device).unwrap();
    assert_eq!(m.buffer(buffer), (2 * 31u32 * 17).to_le_bytes());
}

#[test]
fn the_depth_test_keeps_the_nearest() {
    let mut builder = rectangle_program();
    let float = builder.program.types.scalar(Scalar::Float);
    builder.uniform("z", float, None, 0, [0, 0, 0]);
    builder.program.default_block_size = 16;
    let mut m =
        machine(Api::Core, builder, MachineOptions { depth: true, ..MachineOptions::default() });
    let mut device = Mock::new(
        |b, s| {
            pass_through(b, s);
            let z = s.load32(BufferRef::Default, 0);
            (0..b.lanes).for_each(|lane| b.outputs.set(2, lane, z));
        },
        |b, _| {
            let depth = b.primitives[0].depth.c as f32;
            paint(b, |_, _| [depth, 0.0, 0.0, 1.0]);
        },
    );
    m.clear(true, true, &mut device).unwrap();
    m.state.set(Capability::DepthTest, true);
    for (z, expected) in [(0.0, 0.5), (0.5, 0.5), (-0.5, 0.25)] {
        m.set_uniform("z", &UniformValue::floats(&[z]), 0).unwrap();
        m.draw_rect(&full_screen(), &mut device).unwrap();
        assert!(
            m.probe_all(&rgba([expected, 0.0, 0.0, 1.0]), &mut device).unwrap().passed(),
            "{expected}"
        );
        assert!(m.probe_depth(7, 9, expected, &mut device).unwrap().passed());
    }
    assert!(!m.probe_depth(7, 9, 0.27, &mut device).unwrap().passed());
}

#[test]
fn flat_inputs_come_from_the_provoking_vertex() {
    for (convention, expected) in [(ProvokingVertex::First, 0.0), (ProvokingVertex::Last, 1.0)] {
        let mut builder = ProgramBuilder::new();
        builder.attribute("position", 0, Scalar::Float, 4);
        builder.attribute("color", 1, Scalar::Float, 4);
        builder.varying(Slot::Var(0), InterpolationMode::Flat);
        let mut m = machine(Api::Core, builder, MachineOptions::default());
        let mut device = Mock::new(pass_through, |b, _| {
            let primitive = &b.primitives[0];
            let value = f32::from_bits(primitive.values[0][primitive.provoking]);
            paint(b, |_, _| [value, 0.0, 0.0, 1.0]);
        });
        let columns = [(AttributeSlot::Generic(0), 4), (AttributeSlot::Generic(1), 1)];
        let rows: [&[f32]; 3] = [
            &[-1.0, -1.0, 0.0, 1.0, 0.0],
            &[3.0, -1.0, 0.0, 1.0, 0.5],
            &[-1.0, 3.0, 0.0, 1.0, 1.0],
        ];
        m.set_vertex_data(VertexData::of_floats(&columns, &rows));
        m.state.provoking = convention;
        let call = DrawCall { mode: PrimitiveMode::Triangles, first: 0, count: 3, instances: 1 };
        m.draw_arrays(&call, &mut device).unwrap();
        assert!(m.probe_all(&rgba([expected, 0.0, 0.0, 1.0]), &mut device).unwrap().passed());
        assert_eq!(device.quads, 1);
    }
}

#[test]
fn two_sided_colors_follow_the_facing() {
    let mut builder = rectangle_program();
    builder.output(Slot::Color(0));
    builder.output(Slot::BackColor(0));
    builder.input(Slot::Color(0), InterpolationMode::Default);
    let mut m = machine(Api::Compatibility, builder, MachineOptions::default());
    let vertex = |b: &mut raster::device::VertexBatch, s: &mut dyn raster::shader_io::ShaderIo| {
        pass_through(b, s);
        for lane in 0..b.lanes {
            b.outputs.set(4, lane, 1.0f32.to_bits());
            b.outputs.set(9, lane, 1.0f32.to_bits());
        }
    };
    let mut device = Mock::new(vertex, |b, _| {
        paint(b, |b, _| [0, 1, 2, 3].map(|c| f32::from_bits(b.primitives[0].values[c][0])))
    });
    let back = RectangleDraw { rectangle: [1.0, -1.0, -2.0, 2.0], ..RectangleDraw::default() };
    for (two_side, draw, expected) in [
        (false, full_screen(), [1.0, 0.0, 0.0, 0.0]),
        (false, back, [1.0, 0.0, 0.0, 0.0]),
        (true, full_screen(), [1.0, 0.0, 0.0, 0.0]),
        (true, back, [0.0, 1.0, 0.0, 0.0]),
    ] {
        m.state.set(Capability::TwoSide, two_side);
        m.draw_rect(&draw, &mut device).unwrap();
        assert!(
            m.probe_all(&rgba(expected), &mut device).unwrap().passed(),
            "{two_side} {expected:?}"
        );
    }
}

#[test]
fn clip_planes_act_on_positions_in_compatibility_contexts() {
    for (api, clipped) in [(Api::Compatibility, true), (Api::Core, false)] {
        let mut m = machine(api, rectangle_program(), MachineOptions::default());
        let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| [1.0; 4]));
        m.state.set_clip_plane(3, [1.0, 0.0, 0.0, 0.0]);
        m.state.set(Capability::ClipDistance(3), true);
        m.draw_rect(&full_screen(), &mut device).unwrap();
        let left = if clipped { [0.0; 4] } else { [1.0; 4] };
        let half = |x0, x1| Rect { x0, y0: 0, x1, y1: 250 };
        assert!(m.probe_rect(half(0, 125), &rgba(left), &mut device).unwrap().passed());
        assert!(m.probe_rect(half(125, 250), &rgba([1.0; 4]), &mut device).unwrap().passed());
    }
}

#[test]
fn clip_and_cull_distances() {
    for (clip, cull, enabled, visible) in
        [(1, 0, true, false), (1, 0, false, true), (0, 1, false, false)]
    {
        let mut builder = rectangle_program();
        builder.output(Slot::ClipDistance(0));
        builder.program.stages[0].clip_distances = clip;
        builder.program.stages[0].cull_distances = cull;
        let mut m = machine(Api::Core, builder, MachineOptions::default());
        let mut device = Mock::new(
            |b, s| {
                pass_through(b, s);
                (0..b.lanes).for_each(|lane| b.outputs.set(4, lane, (-1.0f32).to_bits()));
            },
            |b, _| paint(b, |_, _| [1.0; 4]),
        );
        m.state.set(Capability::ClipDistance(0), enabled);
        m.draw_rect(&full_screen(), &mut device).unwrap();
        let expected = if visible { [1.0; 4] } else { [0.0; 4] };
        assert!(
            m.probe_all(&rgba(expected), &mut device).unwrap().passed(),
            "{clip} {cull} {enabled}"
        );
    }
}

#[test]
fn points_take_their_size_from_the_shader_when_enabled() {
    for (enabled, pixels) in [(false, 1), (true, 49)] {
        let mut builder = ProgramBuilder::new();
        builder.output(Slot::PointSize);
        let mut m = machine(Api::Core, builder, MachineOptions::default());
        m.state.set(Capability::ProgramPointSize, enabled);
        let mut device = Mock::new(
            |b, _| {
                for lane in 0..b.lanes {
                    // The center of pixel (125, 125).
                    for (row, value) in [(0, 0.004f32), (1, 0.004), (3, 1.0), (4, 7.0)] {
                        b.outputs.set(row, lane, value.to_bits());
                    }
                }
            },
            |b, _| paint(b, |_, _| [1.0; 4]),
        );
        let call = DrawCall { mode: PrimitiveMode::Points, first: 0, count: 1, instances: 1 };
        m.draw_arrays(&call, &mut device).unwrap();
        let lit = (0..250 * 250)
            .filter(|i| m.pixel(i % 250, i / 250, &mut device).unwrap()[0] == 1.0)
            .count();
        assert_eq!(lit, pixels);
        assert_eq!(m.pixel(125, 125, &mut device).unwrap(), [1.0; 4]);
    }
}

#[test]
fn instances_and_vertex_ids_reach_the_device() {
    let mut builder = ProgramBuilder::new();
    builder.builtin_input(0, BuiltinVariable::VertexId);
    builder.builtin_input(0, BuiltinVariable::InstanceId);
    let mut m = machine(Api::Core, builder, MachineOptions::default());
    let mut device = Mock::new(
        |b, _| {
            assert_eq!(b.vertex_id, [5, 6, 7, 5, 6, 7]);
            assert_eq!(b.instance_id, [0, 0, 0, 1, 1, 1]);
        },
        |_, _| {},
    );
    let call = DrawCall { mode: PrimitiveMode::Triangles, first: 5, count: 3, instances: 2 };
    m.draw_arrays(&call, &mut device).unwrap();
    assert_eq!(device.vertices, 6);
}

#[test]
fn equal_vertices_are_shaded_once() {
    let mut m = machine(Api::Core, ProgramBuilder::new(), MachineOptions::default());
    let mut device = Mock::new(|_, _| {}, |_, _| {});
    let call = DrawCall { mode: PrimitiveMode::Triangles, first: 0, count: 300, instances: 3 };
    m.draw_arrays(&call, &mut device).unwrap();
    assert_eq!(device.vertices, 1);
}

#[test]
fn unused_attributes_have_initial_values() {
    let mut builder = ProgramBuilder::new();
    builder.attribute("f", 3, Scalar::Float, 4);
    builder.attribute("i", 4, Scalar::Int, 4);
    builder.attribute("d", 5, Scalar::Double, 4);
    let mut m = machine(Api::Core, builder, MachineOptions::default());
    let mut device = Mock::new(
        |b, _| {
            let one = 1.0f64.to_bits();
            let values: Vec<u32> = b.inputs.lane(0).collect();
            let expected = [
                [0, 0, 0, 1.0f32.to_bits()],
                [0, 0, 0, 1],
                [0; 4],
                [0, 0, one as u32, (one >> 32) as u32],
            ];
            assert_eq!(values, expected.concat());
        },
        |_, _| {},
    );
    let call = DrawCall { mode: PrimitiveMode::Points, first: 0, count: 1, instances: 1 };
    m.draw_arrays(&call, &mut device).unwrap();
}

#[test]
fn gl_frag_color_feeds_the_window() {
    let mut builder = ProgramBuilder::new();
    builder.attribute("piglit_vertex", 0, Scalar::Float, 4);
    for global in builder.program.stages[1].shader.globals.values_mut() {
        global.placement = program::resource::Placement::FragmentOutput {
            output: FragmentOutput::AllColors,
            component: 0,
        };
    }
    let mut m = machine(Api::Compatibility, builder, MachineOptions::default());
    let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| [1.0, 0.0, 1.0, 0.0]));
    m.draw_rect(&full_screen(), &mut device).unwrap();
    assert!(m.probe_all(&rgba([1.0, 0.0, 1.0, 0.0]), &mut device).unwrap().passed());
}

#[test]
fn probes_outside_the_window_read_zero() {
    let mut m = machine(Api::Core, rectangle_program(), MachineOptions::default());
    let mut device = Mock::new(pass_through, |_, _| {});
    m.state.clear_color = [1.0; 4];
    m.clear(true, false, &mut device).unwrap();
    assert_eq!(m.pixel(250, 0, &mut device).unwrap(), [0.0; 4]);
    assert_eq!(m.pixel(i32::MAX, i32::MIN, &mut device).unwrap(), [0.0; 4]);
    let huge = Rect { x0: i32::MIN, y0: 0, x1: i32::MAX, y1: 1 };
    assert!(m.read_back(huge, &mut device).is_err());
}

#[test]
fn built_in_colors_are_clamped_in_compatibility_contexts() {
    for (api, slot, expected) in [
        (Api::Compatibility, Slot::Color(0), 1.0),
        (Api::Core, Slot::Color(0), 3.0),
        (Api::Compatibility, Slot::Var(0), 3.0),
    ] {
        let mut builder = rectangle_program();
        builder.varying(slot, InterpolationMode::Default);
        let mut m = machine(api, builder, MachineOptions::default());
        let seen = std::rc::Rc::new(std::cell::Cell::new(0.0));
        let copy = seen.clone();
        let mut device = Mock::new(
            |b, s| {
                pass_through(b, s);
                (0..b.lanes).for_each(|lane| b.outputs.set(4, lane, 3.0f32.to_bits()));
            },
            move |b, _| copy.set(f32::from_bits(b.primitives[0].values[0][0])),
        );
        m.draw_rect(&full_screen(), &mut device).unwrap();
        m.pixel(0, 0, &mut device).unwrap();
        assert_eq!(seen.get(), expected, "{api:?} {slot:?}");
    }
}

/// State variables reach the default block where the program's layout puts them.
#[test]
fn built_in_uniforms_follow_the_state() {
    let mut builder = rectangle_program();
    let mat4 = builder.program.types.matrix(Scalar::Float, 4, 4);
    let vec4 = builder.program.types.vector(Scalar::Float, 4);
    let float = builder.program.types.scalar(Scalar::Float);
    for (name, ty, array, offset, builtin) in [
        ("gl_ModelViewProjectionMatrix", mat4, None, 0, BuiltinVariable::ModelViewProjectionMatrix),
        ("gl_ClipPlane", vec4, Some(2), 64, BuiltinVariable::ClipPlane),
        ("gl_DepthRange.diff", float, None, 96, BuiltinVariable::DepthRange),
        ("gl_LightSource[1].position", vec4, None, 112, BuiltinVariable::LightSource),
        ("program.local", vec4, Some(2), 128, BuiltinVariable::ProgramLocal),
    ] {
        builder.uniform(name, ty, array, 0, [offset, 16, if ty == mat4 { 16 } else { 0 }]);
        let uniform = builder.program.uniforms.last_mut().expect("just added");
        (uniform.location, uniform.builtin) = (None, Some(builtin));
    }
    builder.program.default_block_size = 160;
    let mut m = machine(Api::Compatibility, builder, MachineOptions::default());
    m.state.set_clip_plane(1, [1.0, 2.0, 3.0, 4.0]);
    m.state.set_ortho(0.0, 2.0, 0.0, 4.0, -1.0, 1.0);
    m.state.viewports[0].near = 0.25;
    m.state.lights[1].position = [5.0, 6.0, 7.0, 8.0];
    m.state.vertex_parameters.local.insert(1, [9.0; 4]);
    let seen = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let copy = seen.clone();
    let mut device = Mock::new(
        move |_, s| {
            let words = (0..40).map(|i| f32::from_bits(s.load32(BufferRef::Default, i * 4)));
            *copy.borrow_mut() = words.collect();
        },
        |_, _| {},
    );
    m.draw_rect(&full_screen(), &mut device).unwrap();
    let block = seen.borrow();
    assert_eq!(block[0..8], [1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0]);
    assert_eq!(block[12..16], [-1.0, -1.0, 0.0, 1.0]);
    assert_eq!(block[16..24], [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(block[24], 0.75);
    assert_eq!(block[28..32], [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(block[32..40], [0.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0]);
}
