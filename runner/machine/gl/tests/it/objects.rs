//! Textures, framebuffers, images, compute, geometry stages and transform feedback through the
//! machine.

use std::sync::Arc;

use crate::support::{Mock, ProgramBuilder, capabilities, center, paint, pass_through, smooth};
use gl_machine::machine::draw::RectangleDraw;
use gl_machine::machine::framebuffers::{FramebufferError, FramebufferKind, FramebufferTarget};
use gl_machine::machine::state::Capability;
use gl_machine::machine::textures::TextureParameter;
use gl_machine::machine::uniforms::UniformValue;
use gl_machine::machine::{GlError, Machine, MachineOptions};
use gl_machine::probe::Expectation;
use program::resource::{
    FeedbackVarying, OpaqueSlot, OpaqueSlots, SlotSource, StageMask, Uniform, Varying,
};
use program::shader::LayoutPrimitive;
use program::types::{Dim, ImageType, MatrixOrder, SamplerType};
use program::variable::InterpolationMode;
use program::{Api, FragmentOutput, LinkedStage, Program, Scalar, Shader, Slot, Stage, Type};
use raster::assemble::{PrimitiveMode, ProvokingVertex};
use raster::deferred::ShadeMode;
use raster::device::{Batch, Device, DeviceError, DrawState, EmittedVertex, Steps, VertexBatch};
use raster::format::Format;
use raster::pipeline::draw_call::DrawCall;
use raster::pipeline::vertex_data::{AttributeSlot, VertexData};
use raster::primitive::PrimitiveKind;
use raster::rasterize::Rect;
use raster::shader_io::{BufferRef, ImageOp, ImageRef, Lod, ShaderIo, TextureOp, TextureRef};
use raster::texture::fill::TextureFill;
use raster::texture::{Filter, TextureTarget, Wrap};

fn machine(program: Arc<Program>) -> Machine {
    let mut m = Machine::new(
        capabilities(Api::Core),
        MachineOptions { width: 16, height: 16, ..MachineOptions::default() },
    );
    let id = m.create_program(program, Vec::new());
    m.use_program(Some(id));
    m
}

fn opaque(b: &mut ProgramBuilder, name: &str, ty: Type, slots: OpaqueSlots) {
    let ty = b.program.types.intern(ty);
    let uniform = b.program.uniforms.len() as u32;
    b.program.uniforms.push(Uniform {
        name: name.into(),
        ty,
        array: None,
        location: Some(uniform),
        block: None,
        offset: 0,
        array_stride: 0,
        matrix_stride: 0,
        order: MatrixOrder::ColumnMajor,
        opaque: Some(slots),
        builtin: None,
        atomic_binding: None,
        stages: StageMask::default(),
    });
    let slot = OpaqueSlot { uniform, element: 0, source: SlotSource::Unit(0) };
    match slots {
        OpaqueSlots::Sampler(_) => b.program.samplers.push(slot),
        OpaqueSlots::Image(_) => b.program.images.push(slot),
    }
}

fn rectangle_program() -> ProgramBuilder {
    let mut b = ProgramBuilder::new();
    b.attribute("piglit_vertex", 0, Scalar::Float, 4);
    b
}

fn textured_program() -> ProgramBuilder {
    let mut b = rectangle_program();
    let sampler = SamplerType { result: Scalar::Float, dim: Dim::D2, array: false, shadow: false };
    opaque(&mut b, "tex", Type::Sampler(sampler), OpaqueSlots::Sampler(0));
    // Sampling depends on the position here.
    b.builtin_input(1, program::BuiltinVariable::FragCoord);
    b
}

/// Samples slot 0 over the whole window.
fn sampling_device(size: f32) -> Mock {
    Mock::new(pass_through, move |b, io| {
        let colors: Vec<[f32; 4]> = (0..b.quads.len() * 4)
            .map(|lane| {
                let (x, y) = center(b, lane);
                let op = TextureOp::Sample {
                    coordinates: [x as f32 / size, y as f32 / size, 0.0, 0.0],
                    reference: None,
                    lod: Lod::Explicit(0.0),
                    offset: [0; 3],
                    min_lod: f32::NEG_INFINITY,
                };
                io.texture(TextureRef::Slot(0), &op).expect("supported").map(f32::from_bits)
            })
            .collect();
        paint(b, |_, lane| colors[lane]);
    })
}

fn full() -> RectangleDraw {
    RectangleDraw { rectangle: [-1.0, -1.0, 2.0, 2.0], ..RectangleDraw::default() }
}

fn expect(values: [f32; 4]) -> Expectation {
    Expectation { channels: 4, values, tolerance: [0.01; 4] }
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const WHITE: [f32; 4] = [1.0; 4];

#[test]
fn a_sampler_reads_the_texture_of_its_unit() {
    let mut m = machine(textured_program().build());
    let mut device = sampling_device(16.0);
    assert!(m.fill_texture(5, &TextureFill::Rgbw { width: 4, height: 4, format: Format::Rgba8 }));
    m.set_uniform("tex", &UniformValue::vector(Scalar::Int, &[5]), 0).unwrap();
    m.draw_rect(&full(), &mut device).unwrap();
    let quarter = |x, y| Rect { x0: x, y0: y, x1: x + 8, y1: y + 8 };
    for (x, y, color) in [(0, 0, RED), (8, 0, GREEN), (0, 8, BLUE), (8, 8, WHITE)] {
        assert!(m.probe_rect(quarter(x, y), &expect(color), &mut device).unwrap().passed());
    }
    assert!(!m.fill_texture(32, &TextureFill::Miptree));
}

/// A recorded draw samples the contents of the texture at the time it was issued.
#[test]
fn recorded_draws_keep_their_textures() {
    let mut m = machine(textured_program().build());
    let mut device = sampling_device(16.0);
    m.fill_texture(0, &TextureFill::Rgbw { width: 4, height: 4, format: Format::Rgba8 });
    m.draw_rect(&full(), &mut device).unwrap();
    m.set_texture_parameter(TextureTarget::D2, TextureParameter::Wrap(0, Wrap::Repeat));
    m.fill_texture(0, &TextureFill::Rgbw2DArray { width: 1, height: 1, layers: 1 });
    assert_eq!(m.pixel(12, 2, &mut device).unwrap(), GREEN);
    m.set_texture_parameter(TextureTarget::Cube, TextureParameter::MaxLevel(0));
    assert_eq!(m.take_error(), Some(GlError::InvalidOperation));
}

#[test]
fn rendering_to_a_texture_and_sampling_it() {
    let mut m = machine(textured_program().build());
    m.fill_texture(0, &TextureFill::Rgbw { width: 4, height: 4, format: Format::Rgba8 });
    m.fill_texture(1, &TextureFill::Rgbw { width: 4, height: 4, format: Format::Rgba8 });
    m.bind_framebuffer(FramebufferTarget::Both, &FramebufferKind::Textures(vec![Some(1)])).unwrap();
    assert_eq!((m.render_size(), m.read_size()), ((4, 4), (4, 4)));
    // The viewport is still 16 × 16, so only a quarter of the rectangle lands on the texture.
    let mut device = sampling_device(16.0);
    m.draw_rect(&full(), &mut device).unwrap();
    assert!(m.probe_all(&expect(RED), &mut device).unwrap().passed());
    m.state.clear_color = BLUE;
    m.bind_framebuffer(FramebufferTarget::Draw, &FramebufferKind::Window).unwrap();
    m.clear(true, false, &mut device).unwrap();
    assert!(
        m.probe_all(&expect(RED), &mut device).unwrap().passed(),
        "the read framebuffer is the texture"
    );
    m.set_uniform("tex", &UniformValue::vector(Scalar::Int, &[1]), 0).unwrap();
    m.draw_rect(&full(), &mut device).unwrap();
    m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Window).unwrap();
    assert!(m.probe_all(&expect(RED), &mut device).unwrap().passed());
}

#[test]
fn several_attachments_take_their_locations() {
    let mut b = rectangle_program();
    b.fragment_output(FragmentOutput::Color { location: 1, index: 0 });
    let mut m = machine(b.build());
    for (slot, format) in [(0, Format::Rgba8), (1, Format::Rgba32f)] {
        m.fill_texture(slot, &TextureFill::Rgbw { width: 8, height: 8, format });
    }
    m.bind_framebuffer(FramebufferTarget::Draw, &FramebufferKind::Textures(vec![Some(0), Some(1)]))
        .unwrap();
    let mut device = Mock::new(pass_through, |b, _| {
        for lane in 0..b.quads.len() * 4 {
            for (row, value) in [(0, 1.0f32), (3, 1.0), (4, -7.5), (5, 1000.0)] {
                b.outputs.color.set(row, lane, value.to_bits());
            }
        }
    });
    m.draw_rect(&full(), &mut device).unwrap();
    for (slot, expected) in [(0, RED), (1, [-7.5, 1000.0, 0.0, 0.0])] {
        m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Textures(vec![Some(slot)]))
            .unwrap();
        assert!(m.probe_all(&expect(expected), &mut device).unwrap().passed(), "{slot}");
    }
}

#[test]
fn incomplete_framebuffers_are_refused() {
    let mut m = machine(rectangle_program().build());
    let bind = |m: &mut Machine, kind| m.bind_framebuffer(FramebufferTarget::Both, &kind);
    assert_eq!(
        bind(&mut m, FramebufferKind::Textures(vec![Some(3)])),
        Err(FramebufferError::NoTexture(3))
    );
    let fill = TextureFill::Shadow { target: TextureTarget::D2, width: 4, height: 4, layers: 1 };
    m.fill_texture(3, &fill);
    assert_eq!(
        bind(&mut m, FramebufferKind::Textures(vec![Some(3)])),
        Err(FramebufferError::Incomplete)
    );
    m.fill_texture(4, &TextureFill::Miptree);
    let slice = FramebufferKind::Slice { slot: 4, level: 9, layer: 0 };
    assert_eq!(bind(&mut m, slice), Err(FramebufferError::Incomplete));
    bind(&mut m, FramebufferKind::Slice { slot: 4, level: 2, layer: 0 }).unwrap();
    assert_eq!(m.read_size(), (2, 2));
    let mut device = Mock::new(pass_through, |_, _| {});
    assert!(m.probe_all(&expect(BLUE), &mut device).unwrap().passed());
}

#[test]
fn layers_go_to_their_images() {
    let mut b = rectangle_program();
    b.output(Slot::Layer);
    let mut m = machine(b.build());
    m.fill_texture(0, &TextureFill::Rgbw2DArray { width: 8, height: 8, layers: 3 });
    m.bind_framebuffer(FramebufferTarget::Draw, &FramebufferKind::Layered(0)).unwrap();
    let mut device = Mock::new(
        |b, s| {
            pass_through(b, s);
            (0..b.lanes).for_each(|lane| b.outputs.set(4, lane, 1));
        },
        |b, _| paint(b, |b, _| [b.primitives[0].layer as f32, 1.0, 1.0, 1.0]),
    );
    m.draw_rect(&full(), &mut device).unwrap();
    for (layer, expected) in [(0, RED), (1, WHITE), (2, BLUE)] {
        let slice = FramebufferKind::Slice { slot: 0, level: 0, layer };
        m.bind_framebuffer(FramebufferTarget::Read, &slice).unwrap();
        assert!(m.probe_all(&expect(expected), &mut device).unwrap().passed(), "{layer}");
    }
}

#[test]
fn blits_scale_to_the_whole_target() {
    let mut m = machine(rectangle_program().build());
    m.fill_texture(0, &TextureFill::Rgbw { width: 2, height: 2, format: Format::Rgba8 });
    m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Textures(vec![Some(0)])).unwrap();
    let mut device = Mock::new(pass_through, |_, _| {});
    m.blit_color(Filter::Nearest, &mut device).unwrap();
    m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Window).unwrap();
    assert_eq!(m.pixel(7, 7, &mut device).unwrap(), RED);
    assert_eq!(m.pixel(8, 7, &mut device).unwrap(), GREEN);
    assert_eq!(m.pixel(15, 15, &mut device).unwrap(), WHITE);
    m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Textures(vec![Some(0)])).unwrap();
    m.blit_color(Filter::Linear, &mut device).unwrap();
    m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Window).unwrap();
    // The center of pixel 8 is 9/16 of the way from the left texel's center to the right one's.
    let pixel = m.pixel(8, 0, &mut device).unwrap();
    assert!(
        (pixel[1] - 9.0 / 16.0).abs() < 0.003 && (pixel[0] - 7.0 / 16.0).abs() < 0.003,
        "{pixel:?}"
    );
    m.fill_texture(1, &TextureFill::Rgbw { width: 2, height: 2, format: Format::Rgba32i });
    m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Textures(vec![Some(1)])).unwrap();
    m.blit_color(Filter::Nearest, &mut device).unwrap();
    assert_eq!(m.take_error(), Some(GlError::InvalidOperation));
}

/// Draws white over the left `edge` pixels of a multisampled framebuffer and resolves; pixels 7 to
/// 9 of a row.
fn resolved(samples: u32, edge: f32) -> [f32; 3] {
    let mut m = machine(rectangle_program().build());
    let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| WHITE));
    let format = Format::Rgba32f;
    let target = FramebufferKind::Renderbuffer { format, width: 16, height: 16, samples };
    m.bind_framebuffer(FramebufferTarget::Both, &target).unwrap();
    m.clear(true, false, &mut device).unwrap();
    let left =
        RectangleDraw { rectangle: [-1.0, -1.0, edge / 8.0, 2.0], ..RectangleDraw::default() };
    m.draw_rect(&left, &mut device).unwrap();
    assert!(m.pixel(8, 3, &mut device).is_err(), "glReadPixels reads no samples");
    m.fill_texture(0, &TextureFill::Rgbw { width: 16, height: 16, format });
    m.bind_framebuffer(FramebufferTarget::Draw, &FramebufferKind::Textures(vec![Some(0)])).unwrap();
    m.blit_color(Filter::Linear, &mut device).unwrap();
    m.bind_framebuffer(FramebufferTarget::Read, &FramebufferKind::Textures(vec![Some(0)])).unwrap();
    assert_eq!(m.take_error(), None);
    [7, 8, 9].map(|x| m.pixel(x, 3, &mut device).unwrap()[0])
}

#[test]
fn multisampled_framebuffers_resolve_to_the_share_of_covered_samples() {
    // Half a pixel covers half of the samples of the standard patterns. One sample of two is at a
    // quarter, on the edge: edges to the right are open.
    assert_eq!(resolved(2, 8.5), [1.0, 0.5, 0.0]);
    assert_eq!(resolved(3, 8.5), [1.0, 0.5, 0.0]);
    assert_eq!(resolved(4, 8.5), [1.0, 0.5, 0.0]);
    assert_eq!(resolved(4, 8.25), [1.0, 0.25, 0.0]);
    assert_eq!(resolved(2, 8.25), [1.0, 0.0, 0.0]);
    assert_eq!(resolved(2, 8.75), [1.0, 0.5, 0.0]);
}

/// Draws a gradient over a framebuffer of four samples. Returns the number of shaded quads and the
/// resolved pixels.
fn gradient(shade: ShadeMode, tells_samples_apart: bool) -> (usize, Vec<[f32; 4]>) {
    let mut builder = rectangle_program();
    builder.varying(Slot::Var(0), InterpolationMode::Smooth);
    if tells_samples_apart {
        builder.builtin_input(1, program::BuiltinVariable::SampleId);
    }
    let options = MachineOptions { width: 16, height: 16, shade, ..MachineOptions::default() };
    let mut m = Machine::new(capabilities(Api::Core), options);
    let id = m.create_program(builder.build(), Vec::new());
    m.use_program(Some(id));
    let vertex = |b: &mut VertexBatch, io: &mut dyn ShaderIo| {
        pass_through(b, io);
        for (c, lane) in (0..4).flat_map(|c| (0..b.lanes).map(move |lane| (c, lane))) {
            b.outputs.set(4 + c, lane, b.inputs.get(c, lane));
        }
    };
    let mut device = Mock::new(vertex, |b, _| paint(b, |b, lane| [smooth(b, lane, 0); 4]));
    let format = Format::Rgba32f;
    let target = FramebufferKind::Renderbuffer { format, width: 16, height: 16, samples: 4 };
    m.bind_framebuffer(FramebufferTarget::Both, &target).unwrap();
    m.draw_rect(&full(), &mut device).unwrap();
    m.fill_texture(0, &TextureFill::Rgbw { width: 16, height: 16, format });
    let texture = FramebufferKind::Textures(vec![Some(0)]);
    m.bind_framebuffer(FramebufferTarget::Draw, &texture).unwrap();
    m.blit_color(Filter::Linear, &mut device).unwrap();
    m.bind_framebuffer(FramebufferTarget::Read, &texture).unwrap();
    let places = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
    let pixels = places.map(|(x, y)| m.pixel(x, y, &mut device).unwrap()).collect();
    (device.quads, pixels)
}

#[test]
fn equal_samples_are_shaded_once() {
    let (all, expected) = gradient(ShadeMode::Immediate, false);
    let (shared, pixels) = gradient(ShadeMode::Deferred, false);
    assert_eq!(pixels, expected);
    // Quads on the diagonal are covered differently at each sample.
    assert!(shared < all / 2, "{shared} {all}");
    let (quads, pixels) = gradient(ShadeMode::Deferred, true);
    assert_eq!((quads, pixels), (all, expected));
}

#[test]
fn blits_between_multisampled_framebuffers() {
    let mut m = machine(rectangle_program().build());
    let mut device = Mock::new(pass_through, |b, _| paint(b, |_, _| WHITE));
    let renderbuffer = |samples, width| FramebufferKind::Renderbuffer {
        format: Format::Rgba8,
        width,
        height: 16,
        samples,
    };
    m.bind_framebuffer(FramebufferTarget::Read, &renderbuffer(4, 16)).unwrap();
    // Neither scaled nor to another number of samples.
    for (samples, width, error) in [(4, 16, None), (2, 16, Some(GlError::InvalidOperation))]
        .into_iter()
        .chain([(4, 8, Some(GlError::InvalidOperation)), (1, 8, Some(GlError::InvalidOperation))])
    {
        m.bind_framebuffer(FramebufferTarget::Draw, &renderbuffer(samples, width)).unwrap();
        m.blit_color(Filter::Nearest, &mut device).unwrap();
        assert_eq!(m.take_error(), error, "{samples} {width}");
    }
    // More samples than the implementation has.
    let many = renderbuffer(5, 16);
    assert_eq!(
        m.bind_framebuffer(FramebufferTarget::Both, &many),
        Err(FramebufferError::Incomplete)
    );
}

fn stage(stage: Stage) -> LinkedStage {
    LinkedStage {
        shader: Shader::new(stage, 450, false),
        inputs: Vec::new(),
        outputs: Vec::new(),
        exact: false,
        half_precision: false,
        order_dependent: false,
        clip_distances: 0,
        cull_distances: 0,
        input_clip_distances: 0,
        side_effects: true,
        shared_size: 0,
    }
}

/// Runs any batch through one closure.
struct Any<F>(F);

impl<F: FnMut(Stage, &mut Batch, &mut dyn ShaderIo)> Device for Any<F> {
    fn shade(
        &mut self,
        stage: Stage,
        _state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        (self.0)(stage, batch, io);
        Ok(Steps(1))
    }
}

#[test]
fn compute_writes_images_and_buffers() {
    let mut b = ProgramBuilder::new();
    b.program.stages = vec![stage(Stage::Compute)];
    b.program.stages[0].shader.layout.local_size = Some([2, 1, 1]);
    let image = ImageType { result: Scalar::Float, dim: Dim::D2, array: false };
    opaque(&mut b, "img", Type::Image(image), OpaqueSlots::Image(0));
    b.program.atomic_buffers = vec![(2, 4)];
    let mut m = machine(b.build());
    m.fill_texture(3, &TextureFill::Rgbw { width: 4, height: 4, format: Format::Rgba8 });
    assert!(m.bind_image(3, Format::Rgba8));
    assert!(!m.bind_image(4, Format::Rgba8));
    m.set_uniform("img", &UniformValue::vector(Scalar::Int, &[3]), 0).unwrap();
    let counters = m.create_atomic_buffer(2, 1);
    let mut device = Any(|_, batch: &mut Batch, io: &mut dyn ShaderIo| {
        let Batch::Compute(group) = batch else { panic!("not a work group") };
        for i in 0..group.local_size[0] {
            let x = group.group_id[0] * group.local_size[0] + i;
            let op = ImageOp::Store([0, 1.0f32.to_bits(), 0, 1.0f32.to_bits()]);
            let place = [x as i32, group.group_id[1] as i32, 0];
            io.image(ImageRef::Slot(0), place, 0, &op).expect("supported");
            io.atomic32(
                BufferRef::AtomicCounter(2),
                0,
                raster::shader_io::AtomicOp::Increment,
                [0; 2],
            );
        }
    });
    m.dispatch([2, 3, 1], None, &mut device).unwrap();
    assert_eq!(m.buffer(counters), 12u32.to_le_bytes());
    m.bind_framebuffer(FramebufferTarget::Both, &FramebufferKind::Textures(vec![Some(3)])).unwrap();
    let part = |y0, y1| Rect { x0: 0, y0, x1: 4, y1 };
    assert!(m.probe_rect(part(0, 3), &expect(GREEN), &mut device).unwrap().passed());
    assert!(!m.probe_rect(part(3, 4), &expect(GREEN), &mut device).unwrap().passed());
    m.dispatch([1, 1, 1], Some([4, 1, 1]), &mut device).unwrap();
    assert_eq!(m.take_error(), Some(GlError::InvalidOperation));
}

fn geometry_program(input: LayoutPrimitive, output: LayoutPrimitive) -> ProgramBuilder {
    let mut b = rectangle_program();
    let mut geometry = stage(Stage::Geometry);
    geometry.side_effects = false;
    let varying = Varying {
        slot: Slot::Position,
        mask: 0xf,
        interpolation: program::Interpolation::default(),
        integer: false,
    };
    geometry.inputs.push(varying.clone());
    geometry.outputs.push(varying);
    geometry.shader.layout.input_primitive = Some(input);
    geometry.shader.layout.output_primitive = Some(output);
    b.program.stages.insert(1, geometry);
    b
}

#[test]
fn geometry_stages_replace_primitives() {
    // Every point becomes two triangles that cover the window.
    let mut b = geometry_program(LayoutPrimitive::Points, LayoutPrimitive::TriangleStrip);
    b.program.stages[1].shader.layout.invocations = Some(2);
    let mut m = machine(b.build());
    let mut lanes = 0;
    let mut device = Any(|stage, batch: &mut Batch, _: &mut dyn ShaderIo| match batch {
        Batch::Vertex(_) => {}
        Batch::Geometry(g) => {
            lanes += g.lanes;
            assert_eq!(stage, Stage::Geometry);
            for lane in 0..g.lanes {
                // Invocation 0 emits one half, invocation 1 the other.
                let corners: [[f32; 2]; 3] = if g.invocation_id[lane] == 0 {
                    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]
                } else {
                    [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                };
                for c in corners {
                    g.outputs[lane].vertices.push(EmittedVertex {
                        values: [c[0], c[1], 0.0, 1.0].map(f32::to_bits).to_vec(),
                        ..EmittedVertex::default()
                    });
                }
            }
        }
        Batch::Fragment(f) => paint(f, |_, _| GREEN),
        _ => panic!("unexpected stage"),
    });
    let points = DrawCall { mode: PrimitiveMode::Points, first: 0, count: 1, instances: 1 };
    m.draw_arrays(&points, &mut device).unwrap();
    assert!(m.probe_all(&expect(GREEN), &mut device).unwrap().passed());
    let lines = DrawCall { mode: PrimitiveMode::Lines, first: 0, count: 2, instances: 1 };
    m.draw_arrays(&lines, &mut device).unwrap();
    assert_eq!(m.take_error(), Some(GlError::InvalidOperation));
    assert_eq!(lanes, 2);
}

#[test]
fn end_primitive_and_streams() {
    let b = geometry_program(LayoutPrimitive::Triangles, LayoutPrimitive::LineStrip);
    let mut m = machine(b.build());
    let mut device = Any(|_, batch: &mut Batch, _: &mut dyn ShaderIo| match batch {
        Batch::Vertex(v) => {
            for row in 0..4 {
                (0..v.lanes).for_each(|lane| v.outputs.set(row, lane, v.inputs.get(row, lane)));
            }
        }
        Batch::Geometry(g) => {
            // The three vertices of the strip's first triangle arrive in order.
            let x: Vec<f32> = g.inputs.iter().map(|v| f32::from_bits(v.get(0, 0))).collect();
            assert_eq!(x, [-1.0, 1.0, -1.0]);
            let vertex = |x: f32, y: f32, ends_primitive, stream| EmittedVertex {
                stream,
                ends_primitive,
                values: [x, y, 0.0, 1.0].map(f32::to_bits).to_vec(),
            };
            // Two separate lines, along rows 0 and 15; the vertex of stream 1 is not drawn.
            let (low, high) = (-1.0 + 1.0 / 16.0, 1.0 - 1.0 / 16.0);
            g.outputs[0].vertices = vec![
                vertex(-1.0, low, false, 0),
                vertex(0.0, 0.0, false, 1),
                vertex(1.0, low, true, 0),
                vertex(-1.0, high, false, 0),
                vertex(1.0, high, false, 0),
            ];
        }
        Batch::Fragment(f) => paint(f, |_, _| WHITE),
        _ => panic!("unexpected stage"),
    });
    m.draw_rect(&full(), &mut device).unwrap();
    for y in 0..16 {
        for x in 0..16 {
            let lit = m.pixel(x, y, &mut device).unwrap() == WHITE;
            // They end on the right corner of the last pixel's diamond, which belongs to the next.
            assert_eq!(lit, y == 0 || y == 15, "{x},{y}");
        }
    }
}

#[test]
fn feedback_captures_whole_primitives() {
    let mut b = rectangle_program();
    b.varying(Slot::Var(0), InterpolationMode::Smooth);
    let (float, vec3) =
        (b.program.types.scalar(Scalar::Float), b.program.types.vector(Scalar::Float, 3));
    let varying = |name: &str, ty, buffer, offset, slot| FeedbackVarying {
        name: name.into(),
        ty,
        array: None,
        buffer,
        offset,
        slot,
        component: 0,
        packed: false,
        stream: 0,
    };
    b.program.feedback = vec![
        varying("gl_Position", vec3, 0, 4, Slot::Position),
        varying("v", float, 1, 0, Slot::Var(0)),
    ];
    b.program.feedback_strides = [16, 4, 0, 0];
    let mut m = machine(b.build());
    let mut device = Mock::new(
        |b, s| {
            pass_through(b, s);
            (0..b.lanes).for_each(|lane| b.outputs.set(4, lane, 9.0f32.to_bits()));
        },
        |_, _| panic!("the rasterizer is off"),
    );
    // Room for one triangle and a bit.
    let (first, second) = (m.create_buffer(80), m.create_buffer(64));
    m.state.set(Capability::RasterizerDiscard, true);
    let rows: Vec<Vec<f32>> = (0..6).map(|i| vec![i as f32, i as f32 + 0.5, 2.0, 1.0]).collect();
    let slices: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
    m.set_vertex_data(VertexData::of_floats(&[(AttributeSlot::Generic(0), 4)], &slices));
    m.begin_feedback(PrimitiveKind::Triangle, [Some(first), Some(second), None, None]);
    let call = DrawCall { mode: PrimitiveMode::Triangles, first: 0, count: 6, instances: 1 };
    m.draw_arrays(&call, &mut device).unwrap();
    let feedback = m.end_feedback().unwrap();
    assert_eq!((feedback.generated, feedback.written), (2, 1));
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    let expected = [0.0, 0.0, 0.5, 2.0, 0.0, 1.0, 1.5, 2.0, 0.0, 2.0, 2.5, 2.0];
    assert_eq!(floats(m.buffer(first))[..12], expected);
    assert_eq!(floats(m.buffer(first))[12..], [0.0; 8]);
    assert_eq!(floats(m.buffer(second))[..4], [9.0, 9.0, 9.0, 0.0]);
}

#[test]
fn provoking_vertices_of_strips_reach_the_fragments() {
    for (convention, expected) in
        [(ProvokingVertex::First, [0, 1]), (ProvokingVertex::Last, [2, 3])]
    {
        let mut b = ProgramBuilder::new();
        b.attribute("position", 0, Scalar::Float, 4);
        b.attribute("value", 1, Scalar::Float, 1);
        b.varying(Slot::Var(0), InterpolationMode::Flat);
        let mut m = machine(b.build());
        m.state.provoking = convention;
        let mut device = Mock::new(pass_through, |b, _| {
            paint(b, |b, lane| {
                let primitive = &b.primitives[b.quads[lane / 4].primitive as usize];
                [f32::from_bits(primitive.values[0][primitive.provoking]) / 3.0, 0.0, 0.0, 1.0]
            })
        });
        let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
        let rows: Vec<Vec<f32>> =
            (0..4).map(|i| vec![corners[i][0], corners[i][1], 0.0, 1.0, i as f32]).collect();
        let slices: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let columns = [(AttributeSlot::Generic(0), 4), (AttributeSlot::Generic(1), 1)];
        m.set_vertex_data(VertexData::of_floats(&columns, &slices));
        let call =
            DrawCall { mode: PrimitiveMode::TriangleStrip, first: 0, count: 4, instances: 1 };
        m.draw_arrays(&call, &mut device).unwrap();
        for ((x, y), value) in [(1, 1), (14, 14)].into_iter().zip(expected) {
            let pixel = m.pixel(x, y, &mut device).unwrap();
            assert!((pixel[0] - value as f32 / 3.0).abs() < 0.01, "{convention:?}");
        }
    }
}

/// Returns a program with both tessellation stages; the evaluation stage interpolates nothing
/// itself.
fn tessellation_program(control: bool, domain: LayoutPrimitive) -> ProgramBuilder {
    let mut b = rectangle_program();
    let varying = |slot, patch| Varying {
        slot,
        mask: 0xf,
        interpolation: program::Interpolation { patch, ..Default::default() },
        integer: false,
    };
    let mut evaluation = stage(Stage::TessEval);
    evaluation.inputs = vec![varying(Slot::Patch(0), true), varying(Slot::Position, false)];
    evaluation.outputs = vec![varying(Slot::Position, false)];
    evaluation.shader.layout.input_primitive = Some(domain);
    b.program.stages.insert(1, evaluation);
    if control {
        let mut stage = stage(Stage::TessControl);
        stage.inputs = vec![varying(Slot::Position, false)];
        stage.outputs = vec![varying(Slot::Position, false), varying(Slot::Patch(0), true)];
        stage.shader.layout.vertices = Some(4);
        b.program.stages.insert(1, stage);
    }
    b
}

#[test]
fn patches_cover_what_they_should() {
    for control in [true, false] {
        let mut m = machine(tessellation_program(control, LayoutPrimitive::Quads).build());
        m.state.default_outer = [3.0, 4.0, 5.0, 6.0];
        m.state.default_inner = [4.0, 5.0];
        let mut device = Any(|_, batch: &mut Batch, _: &mut dyn ShaderIo| match batch {
            Batch::Vertex(v) => {
                for row in 0..4 {
                    (0..v.lanes).for_each(|lane| v.outputs.set(row, lane, v.inputs.get(row, lane)));
                }
            }
            Batch::TessControl(c) => {
                assert_eq!((c.inputs.len(), c.outputs.len(), c.lanes), (4, 4, 1));
                for (output, input) in c.outputs.iter_mut().zip(&c.inputs) {
                    (0..4).for_each(|row| output.set(row, 0, input.get(row, 0)));
                }
                c.patch_outputs.set(4, 0, 0.5f32.to_bits());
                (0..4).for_each(|row| c.outer.set(row, 0, 7.0f32.to_bits()));
                (0..2).for_each(|row| c.inner.set(row, 0, 2.0f32.to_bits()));
            }
            Batch::TessEval(e) => {
                assert_eq!(e.outer, if control { [7.0; 4] } else { [3.0, 4.0, 5.0, 6.0] });
                let patch = f32::from_bits(e.patch_inputs[0]);
                assert_eq!(patch, if control { 0.5 } else { 0.0 });
                for lane in 0..e.lanes {
                    // Bilinear over the four control points, which come in the second input slot.
                    let [u, v] = [0, 1].map(|c| f32::from_bits(e.tess_coord.get(c, lane)));
                    for c in 0..4 {
                        let p: Vec<f32> =
                            e.inputs.iter().map(|p| f32::from_bits(p[4 + c])).collect();
                        let (low, high) = (p[0] + (p[1] - p[0]) * u, p[2] + (p[3] - p[2]) * u);
                        e.outputs.set(c, lane, (low + (high - low) * v).to_bits());
                    }
                }
            }
            Batch::Fragment(f) => paint(f, |_, _| GREEN),
            _ => panic!("unexpected stage"),
        });
        let half = RectangleDraw {
            rectangle: [-1.0, -1.0, 1.0, 2.0],
            patch: true,
            ..RectangleDraw::default()
        };
        m.draw_rect(&half, &mut device).unwrap();
        assert_eq!((m.take_error(), m.state.patch_vertices), (None, 3));
        let part = |x0, x1| Rect { x0, y0: 0, x1, y1: 16 };
        assert!(m.probe_rect(part(0, 8), &expect(GREEN), &mut device).unwrap().passed());
        assert!(m.probe_rect(part(8, 16), &expect([0.0; 4]), &mut device).unwrap().passed());
        m.draw_rect(&full(), &mut device).unwrap();
        assert_eq!(
            m.take_error(),
            Some(GlError::InvalidOperation),
            "only patches can be tessellated"
        );
    }
}

/// Absurd sizes are errors, not allocations.
#[test]
fn huge_requests_are_refused() {
    let mut m = machine(textured_program().build());
    let mut device = sampling_device(16.0);
    m.fill_texture(
        0,
        &TextureFill::Rgbw { width: u32::MAX, height: u32::MAX, format: Format::Rgba8 },
    );
    assert_eq!(m.take_error(), Some(GlError::InvalidValue));
    let tiles =
        TextureFill::Tiles { level: u32::MAX, width: 1, height: 1, tile: [1; 2], colors: [RED; 4] };
    m.fill_texture(0, &tiles);
    assert_eq!(m.take_error(), Some(GlError::InvalidValue));
    let texture = FramebufferKind::Textures(vec![Some(0)]);
    assert_eq!(
        m.bind_framebuffer(FramebufferTarget::Both, &texture),
        Err(FramebufferError::Incomplete)
    );
    for (count, instances) in [(u32::MAX, u32::MAX), (1, u32::MAX), (u32::MAX, 1)] {
        let call = DrawCall { mode: PrimitiveMode::Points, first: u32::MAX, count, instances };
        assert!(m.draw_arrays(&call, &mut device).is_err());
    }
    let renderbuffer = FramebufferKind::Renderbuffer {
        format: Format::Rgba8,
        width: u32::MAX,
        height: 1,
        samples: 0,
    };
    assert!(m.bind_framebuffer(FramebufferTarget::Draw, &renderbuffer).is_err());
    let options = MachineOptions { width: u32::MAX, height: 1, ..MachineOptions::default() };
    assert_eq!(Machine::new(capabilities(Api::Core), options).window_size(), (16384, 1));
}
