//! A line for every pattern with its arguments; order of trial; malformed arguments.

use arbtest::arbtest;

use super::*;

fn read(line: &str) -> Result<Option<(Pattern, Command<'_>)>, Fault<'_>> {
    Reader::new(Bounds { rows: Some(8), elements: 6 }).line(line.as_bytes())
}

fn command(line: &str) -> Command<'_> {
    match read(line) {
        Ok(Some((_, command))) => command,
        other => panic!("{line}: {other:?}"),
    }
}

fn error(line: &str) -> (ErrorKind, String) {
    match read(line) {
        Err(fault) => (fault.kind, String::from_utf8_lossy(fault.at).into_owned()),
        other => panic!("{line}: {other:?}"),
    }
}

/// One line per pattern, in table order. `resident texture 1D D` cannot be reached: `resident
/// texture D` reads the 1 of `1D`.
const SAMPLES: &[&str] = &[
    "active shader program GL_FRAGMENT_SHADER",
    "atomic counter buffer 1 2",
    "atomic counters 3",
    "atomic counter 0 1 2",
    "clear color 0 0 0 1",
    "clear depth 0.5",
    "clear",
    "clip plane 7 1 0 0 -0.5",
    "color 1 0 0 1",
    "compute 1 2 3",
    "compute group size 1 2 3 4 5 6",
    "draw rect tex -1 -1 2 2 0 0 1 1",
    "draw rect ortho patch 0 0 4 4",
    "draw rect ortho 0 0 4 4",
    "draw rect patch -1 -1 2 2",
    "draw rect -1 -1 2 2",
    "draw instanced rect ortho patch 3 0 0 4 4",
    "draw instanced rect ortho 3 0 0 4 4",
    "draw instanced rect 3 0 0 4 4",
    "draw arrays instanced GL_TRIANGLES 0 3 5",
    "draw arrays instanced base GL_POINTS 0 1 2 3",
    "draw arrays GL_TRIANGLE_FAN 4 4",
    "draw elements GL_POINTS 1 0",
    "multidraw arrays GL_POINTS 1 0 1",
    "disable GL_DEPTH_TEST",
    "enable GL_CLIP_PLANE3",
    "depthfunc GL_LEQUAL",
    "fb tex 2d 0 1",
    "blit color nearest",
    "frontface cw",
    "frontface ccw",
    "frustum -1 1 -1 1 1 10",
    "hint GL_FRAGMENT_SHADER_DERIVATIVE_HINT GL_NICEST",
    "image texture 3 GL_RGBA8",
    "memory barrier GL_FRAMEBUFFER_BARRIER_BIT",
    "blend barrier",
    "fbfetch barrier",
    "ortho 0 1 0 1",
    "ortho",
    "viewport indexed 1 0 0 10 20",
    "probe rgba 1.9 2 0 0.5 1 1",
    "probe depth 1 2 0.5",
    "probe atomic counter buffer 1 4 == 7",
    "probe atomic counter 2 >= 7",
    "probe ssbo uint 1 4 == 0xff",
    "probe ssbo uint 1 4 == 255",
    "probe ssbo uint64 1 4 == 18446744073709551615",
    "probe ssbo int 1 4 < -5",
    "probe ssbo int64 1 4 < -5000000000",
    "probe ssbo double 1 8 == 0.1",
    "probe ssbo float 1 4 == 0.1",
    "relative probe rgba (0.5, 0.25) (0, 1, 0, 1)",
    "probe rgb 1 2 0.25 0.5 1 ignored",
    "relative probe rgb ( 0.5 , 0.25 ) ( 0 , 1 , 0 )",
    "probe rect rgba (1, 2, 3, 4) (0.0, 1.0, 0.0, 1.0)",
    "relative probe rect rgb (0, 0, 1, 1) (0, 1, 0)",
    "relative probe rect rgba (0, 0, 1, 1) (0, 1, 0, 1)",
    "relative probe rect rgba int (0, 0, 1, 1) (-1, 2, 3, 4)",
    "polygon mode GL_FRONT_AND_BACK GL_LINE",
    "probe all rgba 0 1 0 1",
    "probe warn all rgba 0 1 0 1",
    "probe all rgb 0 1 0",
    "tolerance 0.1 0.2 0.3 0.4",
    "shade model smooth",
    "shade model flat",
    "ssbo 2 64",
    "xfb buffer object 1 64",
    "xfb draw arrays GL_POINTS 0 8",
    "probe xfb buffer float 1 2 0.5",
    "probe xfb buffer double 1 2 0.1",
    "ssbo 1 subdata float 4 0x3f800000",
    "ssbo 1 subdata double 8 0x3ff0000000000000",
    "ssbo 1 subdata int64 8 -1",
    "ssbo 1 subdata uint64 8 0xffffffffffffffff",
    "ssbo 1 subdata int 4 0xffffffff",
    "texture rgbw 0 (4, 1) GL_RGBA8",
    "resident texture 3",
    "resident texture 1D 0",
    "resident image texture 3 GL_R32F",
    "texture integer 1 (8, 4) (2, 1) GL_RG32I",
    "texture miptree 0",
    "texture checkerboard 0 2 (8, 4) (1, 0, 0, 1) (0, 1, 0, 1)",
    "texture quads 0 0 (8, 8) (4, 4) (1, 0, 0, 1) (0, 1, 0, 1) (0, 0, 1, 1) (1, 1, 1, 1)",
    "texture junk 2DArray 0 (4, 4, 2)",
    "texture storage 0 2DArray GL_RGBA8 ( 1 4 4 2 )",
    "texture rgbw 1D 0",
    "texture rgbw 3D 0",
    "texture rgbw 2DArray 0 (4, 4, 2)",
    "texture rgbw 1DArray 0 (4, 2)",
    "texture shadow2D 0 (8, 4)",
    "texture shadowRect 0 (8, 4)",
    "texture shadow1D 0 (8)",
    "texture shadow1DArray 0 (8, 2)",
    "texture shadow2DArray 0 (8, 4, 2)",
    "texcoord 1 (0, 0.5, 1, 1)",
    "texparameter 2D min linear_mipmap_nearest",
    "uniform float a 1.0",
    "subuniform GL_VERTEX_SHADER GetChan1[1][0] chan1_full",
    "parameter env_vp 3 (INF, -INF, NAN, 1)",
    "patch parameter vertices 3",
    "program binary save restore",
    "provoking vertex first",
    "link error",
    "link success",
    "ubo array index 1",
    "block array index 2",
    "block binding 3",
    "block offset 16",
    "block matrix stride 32",
    "block row major 1",
    "active uniform s[0].m GL_UNIFORM_TYPE GL_FLOAT_MAT4x2",
    "verify program_query GL_ACTIVE_UNIFORMS 4",
    "verify program_interface_query GL_UNIFORM_BLOCK B GL_BUFFER_DATA_SIZE 16",
    "verify query_object GL_PRIMITIVES_GENERATED 8",
    "vertex attrib handle tex 2",
    "newlist GL_COMPILE",
    "endlist",
    "calllist",
    "deletelist",
    "viewport swizzle 1 POSITIVE_X NEGATIVE_Y POSITIVE_Z NEGATIVE_W",
    "light 1 GL_POSITION float 0.5 0.1 0.4 0.6",
];

#[test]
fn every_pattern_catches_its_line() {
    assert_eq!(SAMPLES.len(), Pattern::ALL.len());
    for (&pattern, line) in Pattern::ALL.iter().zip(SAMPLES) {
        let expected =
            if pattern == Pattern::ResidentTexture1D { Pattern::ResidentTexture } else { pattern };
        match read(line) {
            Ok(Some((found, _))) => assert_eq!(found, expected, "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }
}

/// Dispatch as the format defines it: all patterns, in order.
fn ordered(line: &[u8]) -> Option<Pattern> {
    let mut captures = Captures::new();
    Pattern::ALL.iter().copied().find(|pattern| matches(*pattern, line, &mut captures).is_some())
}

#[test]
fn dispatch_by_first_letter_equals_ordered_dispatch() {
    let fast = |line: &[u8]| dispatch(line, &mut Captures::new()).map(|(pattern, _)| pattern);
    for line in SAMPLES {
        // Every beginning of a sample, and the sample with each blank removed or doubled.
        for end in 0..=line.len() {
            let prefix = &line.as_bytes()[..end];
            assert_eq!(fast(prefix), ordered(prefix), "{}", &line[..end]);
        }
        for (at, _) in line.match_indices(' ') {
            for replacement in ["", "  ", "\t"] {
                let changed = format!("{}{replacement}{}", &line[..at], &line[at + 1..]);
                assert_eq!(fast(changed.as_bytes()), ordered(changed.as_bytes()), "{changed}");
            }
        }
    }
    arbtest(|u| {
        // The beginning of one sample with the end of another.
        let (head, tail) = (u.choose(SAMPLES)?, u.choose(SAMPLES)?);
        let (cut, join) = (u.choose_index(head.len())?, u.choose_index(tail.len())?);
        let line = format!("{}{}", &head[..cut], &tail[join..]);
        assert_eq!(fast(line.as_bytes()), ordered(line.as_bytes()), "{line}");
        Ok(())
    });
}

#[test]
fn order_of_trial_matters() {
    let pattern = |line| read(line).map(|found| found.map(|(pattern, _)| pattern));
    assert!(matches!(pattern("clearly"), Ok(Some(Pattern::Clear))));
    assert!(matches!(pattern("clear colors 1 0 0 1"), Ok(Some(Pattern::Clear))));
    assert_eq!(command("resident texture 1D 0"), Command::Texture(TextureCommand::Resident(1)));
    assert!(matches!(pattern("texture rgbw 1D 0"), Ok(Some(Pattern::TextureRgbw1D))));
    assert!(matches!(pattern("ortho 1 2 3"), Ok(Some(Pattern::Ortho))));
    assert!(matches!(pattern("atomic counters 5"), Ok(Some(Pattern::AtomicCounters))));
    // Scan patterns need no blanks, prefix patterns need exactly one.
    assert!(matches!(pattern("ssbo2 64"), Ok(Some(Pattern::Ssbo))));
    assert_eq!(error("draw  rect 0 0 1 1").0, ErrorKind::UnknownCommand);
    assert!(matches!(pattern(""), Ok(None)));
    assert!(matches!(pattern(" \t\r"), Ok(None)));
    assert!(matches!(pattern("  # clear"), Ok(None)));
}

#[test]
fn state_and_draw_arguments() {
    assert_eq!(
        command("\tclear color 0x3f800000 0.5 2e0"),
        Command::ClearColor([1.0, 0.5, 2.0, 0.0])
    );
    assert_eq!(
        command("clip plane 7 0.1 0x10 -1 inf"),
        Command::State(StateCommand::ClipPlane {
            plane: 7,
            equation: [0.1, 16.0, -1.0, f64::INFINITY]
        })
    );
    let rect = DrawRect {
        rect: [1.0, 2.0, 3.0, 4.0],
        texture: None,
        ortho: false,
        patch: false,
        instances: None,
    };
    assert_eq!(command("draw rect 1 2 3 4"), Command::DrawRect(rect));
    assert_eq!(
        command("draw rect tex 1 2 3 4 5 6 7 8"),
        Command::DrawRect(DrawRect { texture: Some([5.0, 6.0, 7.0, 8.0]), ..rect })
    );
    assert_eq!(
        command("draw instanced rect ortho patch 9 1 2 3 4"),
        Command::DrawRect(DrawRect { ortho: true, patch: true, instances: Some(9), ..rect })
    );
    assert_eq!(
        command("draw arrays instanced GL_PATCHES 1 7 3 # all"),
        Command::DrawArrays(DrawArrays {
            primitive: Primitive::Patches,
            first: 1,
            count: 7,
            instances: Some(3),
            base_instance: None,
            capture: false
        })
    );
    assert_eq!(
        command("viewport swizzle 1 POSITIVE_W NEGATIVE_Y POSITIVE_Z NEGATIVE_X"),
        Command::State(StateCommand::ViewportSwizzle {
            index: 1,
            swizzle: [(3, false), (1, true), (2, false), (0, true)]
                .map(|(component, negative)| Swizzle { component, negative }),
        })
    );
    assert_eq!(
        command("patch parameter default level outer 1 2 3 4"),
        Command::State(StateCommand::Patch(PatchParameter::OuterLevel([1.0, 2.0, 3.0, 4.0])))
    );
    assert_eq!(
        command("light 1 GL_SPOT_CUTOFF int 0x10 2"),
        Command::State(StateCommand::Light {
            light: 1,
            parameter: LightParameter::SpotCutoff,
            values: LightValues::Int(vec![16, 2])
        })
    );
}

#[test]
fn probe_arguments() {
    let pixels = |line| match command(line) {
        Command::Probe(Probe::Pixels { area, expected, warn: false }) => (area, expected),
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(
        pixels("probe rgba 1.9 -2.9 0x3f800000 0.5 -inf"),
        (Area::Pixel { x: 1, y: -2 }, Expected::Rgba([1.0, 0.5, f32::NEG_INFINITY, 0.0]))
    );
    // Scan patterns read hexadecimal as a number, not as a pattern.
    assert_eq!(
        pixels("relative probe rgba (0.5, 0.25) (0x3f800000, 1, 0, 1)"),
        (Area::RelativePixel([0.5, 0.25]), Expected::Rgba([1_065_353_216.0, 1.0, 0.0, 1.0]))
    );
    assert_eq!(
        pixels("probe rect rgba(1,2,3,4)(0,1,0,.5"),
        (Area::Rect([1, 2, 3, 4]), Expected::Rgba([0.0, 1.0, 0.0, 0.5]))
    );
    assert_eq!(
        pixels("relative probe rect rgba int (0, 0, 1, 1) (-1, 2, 3, 4)"),
        (Area::RelativeRect([0.0, 0.0, 1.0, 1.0]), Expected::RgbaInt([-1, 2, 3, 4]))
    );
    assert_eq!(pixels("probe all rgb 0 1 0 1"), (Area::All, Expected::Rgb([0.0, 1.0, 0.0])));
    assert!(matches!(
        command("probe warn all rgba 0 1 0 1"),
        Command::Probe(Probe::Pixels { warn: true, .. })
    ));
    let ssbo =
        |comparison, value| Command::Probe(Probe::Ssbo { buffer: 1, offset: 4, comparison, value });
    assert_eq!(
        command("probe ssbo uint 1 4 != 0xfFfFfFfF"),
        ssbo(Comparison::NotEqual, SsboValue::Uint(u32::MAX))
    );
    assert_eq!(
        command("probe ssbo uint 1 4 == 4294967295"),
        ssbo(Comparison::Equal, SsboValue::Uint(u32::MAX))
    );
    assert_eq!(
        command("probe ssbo int64 1 4 <= -5000000000"),
        ssbo(Comparison::LessEqual, SsboValue::Int64(-5_000_000_000))
    );
    assert_eq!(
        command("probe atomic counter 3 > 7"),
        Command::Probe(Probe::AtomicCounter {
            buffer: 0,
            position: AtomicPosition::Counter(3),
            comparison: Comparison::Greater,
            value: 7
        })
    );
    assert_eq!(
        command("probe xfb buffer double 3 2 0.1"),
        Command::Probe(Probe::Feedback { buffer: 3, index: 2, value: SsboValue::Double(0.1) })
    );
}

#[test]
fn texture_and_framebuffer_arguments() {
    let fill = |line| match command(line) {
        Command::Texture(TextureCommand::Fill { unit, image }) => (unit, image),
        other => panic!("{line}: {other:?}"),
    };
    let rgba8 = GlEnum::lookup("GL_RGBA8");
    assert_eq!(
        fill("texture rgbw 3 ( 8 ,4 )GL_RGBA8"),
        (3, TextureImage::Rgbw { width: 8, height: 4, format: rgba8 })
    );
    assert_eq!(
        fill("texture rgbw 3 (8, 4)"),
        (3, TextureImage::Rgbw { width: 8, height: 4, format: None })
    );
    assert_eq!(
        fill("texture rgbw 3 (8"),
        (3, TextureImage::Rgbw { width: 8, height: 0, format: None })
    );
    let (_, TextureImage::Quads(quads)) = fill(
        "texture quads 0 1 (8, 6) (4, 3) (1, 0, 0, 1) (0, 1, 0, 1) (0, 0, 1, 1) (1, 1, 1, .5)",
    ) else {
        panic!("quads")
    };
    assert_eq!(
        (
            quads.level,
            quads.width,
            quads.height,
            quads.tile_width,
            quads.tile_height,
            quads.colors[3]
        ),
        (1, 8, 6, 4, 3, [1.0, 1.0, 1.0, 0.5])
    );
    assert_eq!(
        fill("texture storage 2 2D GL_RGBA8 ( 3 16 8 )"),
        (
            2,
            TextureImage::Storage {
                target: TextureTarget::TwoD,
                format: rgba8.expect("a format"),
                levels: 3,
                size: [Some(16), Some(8), None]
            }
        )
    );
    assert_eq!(
        command("texparameter 2DArray border_color 1 0 0.5 1"),
        Command::Texture(TextureCommand::Parameter {
            target: TextureTarget::TwoDArray,
            parameter: TexParameter::BorderColor([1.0, 0.0, 0.5, 1.0])
        })
    );
    let bind = |target, framebuffer| {
        Command::Framebuffer(FramebufferCommand::Bind { target, framebuffer })
    };
    assert_eq!(
        command("fb draw tex 2d 0 3 # both"),
        bind(FramebufferTarget::Draw, Framebuffer::Textures(vec![Some(0), Some(3)]))
    );
    assert_eq!(
        command("fb tex 2d -1 2"),
        bind(FramebufferTarget::Both, Framebuffer::Textures(vec![None, Some(2)]))
    );
    assert_eq!(
        command("fb tex slice CubeArray 1 2 7"),
        bind(
            FramebufferTarget::Both,
            Framebuffer::Slice { target: TextureTarget::CubeArray, slot: 1, level: 2, layer: 7 }
        )
    );
    assert_eq!(command("fb read winsys"), bind(FramebufferTarget::Read, Framebuffer::Window));
}

#[test]
fn buffer_and_query_arguments() {
    let subdata = |data| Command::Buffer(BufferCommand::SsboSubdata { buffer: 1, offset: 8, data });
    assert_eq!(
        command("ssbo 1 subdata float 8 0x3f800000"),
        subdata(SsboValue::Float(1_065_353_216.0))
    );
    assert_eq!(
        command("ssbo 1 subdata double 8 0x3ff0000000000000"),
        subdata(SsboValue::Double(1.0))
    );
    assert_eq!(command("ssbo 1 subdata int 8 0xffffffff"), subdata(SsboValue::Int(-1)));
    assert_eq!(
        command("ssbo 1 subdata int64 8 0x8000000000000000"),
        subdata(SsboValue::Int64(i64::MIN))
    );
    assert_eq!(
        command("ssbo 1 subdata uint64 8 18446744073709551615"),
        subdata(SsboValue::Uint64(u64::MAX))
    );
    assert_eq!(
        command("verify program_query GL_TRANSFORM_FEEDBACK_BUFFER_MODE GL_INTERLEAVED_ATTRIBS"),
        Command::Query(QueryCommand::Program {
            property: ProgramProperty::TransformFeedbackBufferMode,
            value: QueryValue::Name(
                GlEnum::among("GL_INTERLEAVED_ATTRIBS", &["INTERLEAVED_ATTRIBS"]).expect("it")
            ),
        })
    );
    assert!(matches!(
        command("active uniform a[0] GL_UNIFORM_IS_ROW_MAJOR GL_TRUE"),
        Command::Query(QueryCommand::ActiveUniform {
            name: "a[0]",
            value: QueryValue::Integer(1),
            ..
        })
    ));
}

#[test]
fn uniform_values() {
    let values = |line: &str| {
        let mut reader = Reader::new(Bounds::default());
        match reader.line(line.as_bytes()) {
            Ok(Some((_, Command::Uniform(uniform)))) => {
                let ty = (uniform.ty.scalar, uniform.ty.columns, uniform.ty.rows);
                (ty, format!("{:?}", uniform.target), reader.words)
            }
            other => panic!("{line}: {other:?}"),
        }
    };
    let f = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let d = |values: &[f64]| {
        values
            .iter()
            .flat_map(|v| [v.to_bits() as u32, (v.to_bits() >> 32) as u32])
            .collect::<Vec<_>>()
    };
    let named = |name: &str| format!("Name({name:?})");
    assert_eq!(
        values("uniform vec3 s[1].m 0x3f800000 -inf 2 9 9"),
        ((Scalar::Float, 1, 3), named("s[1].m"), f(&[1.0, f32::NEG_INFINITY, 2.0]))
    );
    assert_eq!(
        values("uniform float 0x11 1"),
        ((Scalar::Float, 1, 1), "Location(17)".into(), f(&[1.0]))
    );
    assert_eq!(
        values("uniform mat3x2 a[2] 1 2 3 4 5 6"),
        ((Scalar::Float, 3, 2), named("a[2]"), f(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    );
    assert_eq!(
        values("uniform dmat2 a 1 2 3 0x7ff0000000000000"),
        ((Scalar::Double, 2, 2), named("a"), d(&[1.0, 2.0, 3.0, f64::INFINITY]))
    );
    // Reading stops at the comma; missing values are 0.
    assert_eq!(values("uniform vec3 a 1.5, 2 3").2, f(&[1.5, 0.0, 0.0]));
    assert_eq!(values("uniform dvec2 a").2, [0; 4]);
    assert_eq!(values("uniform ivec2 a 4294967295 -0x1;").2, [u32::MAX, u32::MAX]);
    assert_eq!(values("uniform uint a 65535u").2, [65535]);
    assert_eq!(values("uniform i64vec2 a -1 0x100000002").2, [u32::MAX, u32::MAX, 2, 1]);
    assert_eq!(values("uniform int64_t a 7").0, (Scalar::Int64, 1, 1));
    assert_eq!(values("uniform u64vec4 a").0, (Scalar::Uint64, 1, 4));
    assert_eq!(values("uniform handle a 31").2, [31]);
    assert_eq!(values("uniform floaty a 1").0, (Scalar::Float, 1, 1));
}

#[test]
fn malformed_commands_say_where() {
    use ErrorKind as E;
    for (line, kind, at) in [
        ("  draw triangle ", E::UnknownCommand, "draw triangle"),
        ("probe rect rgba (0.5, 0, 1, 1) (0, 0, 0, 0)", E::UnknownCommand, ""),
        ("[fragment shader]", E::UnknownCommand, ""),
        ("uniform bvec2 a 1 0", E::Arguments, "bvec2"),
        ("uniform vec5 a 1", E::Arguments, "vec5"),
        ("uniform mat2x5 a 1", E::Arguments, "mat2x5"),
        ("uniform float", E::Arguments, ""),
        ("uniform int64_t a 9223372036854775808", E::Range, ""),
        ("uniform handle a 32", E::Range, ""),
        ("enable GL_BLEND", E::Arguments, "GL_BLEND"),
        ("enable GL_CLIP_PLANE8", E::Arguments, "GL_CLIP_PLANE8"),
        ("clip plane 8 0 0 0 0", E::Range, ""),
        ("clip plane -1 0 0 0 0", E::Range, ""),
        ("draw arrays GL_TRIANGLE 0 3", E::Arguments, "GL_TRIANGLE"),
        ("draw arrays GL_TRIANGLES -1 3", E::Range, ""),
        ("draw arrays GL_TRIANGLES 0 0", E::Range, ""),
        ("draw arrays GL_TRIANGLES 8 1", E::Range, ""),
        ("draw arrays GL_TRIANGLES 2 2147483647", E::Range, ""),
        ("xfb draw arrays GL_QUADS 0 4", E::Arguments, "GL_QUADS"),
        ("texture miptree 32", E::Range, ""),
        ("texture rgbw 0 (99999, 1)", E::Range, ""),
        ("texture rgbw 0 (-4, 1)", E::Range, ""),
        ("texture rgbw 0 (4, 4) GL_RGBA9", E::UnknownEnum, "GL_RGBA9"),
        ("texture integer 0 (4, 4) (1, 1) GL_RGBA8", E::Arguments, "GL_RGBA8"),
        ("texture storage 0 2D GL_RGBA8 (1)", E::Arguments, ""),
        ("texparameter 2D min bilinear", E::Arguments, "bilinear"),
        ("texparameter 2D mag nearest_mipmap_nearest", E::Arguments, "nearest_mipmap_nearest"),
        ("image texture 0 RGBA8", E::UnknownEnum, "RGBA8"),
        ("fb tex cube 0", E::Arguments, ""),
        ("fb tex slice 2D 0 0 1", E::Range, ""),
        ("blit paint nearest", E::Arguments, "paint"),
        ("memory barrier GL_NO_BARRIER_BIT", E::UnknownEnum, "GL_NO_BARRIER_BIT"),
        ("probe ssbo int 0 0 = 5", E::Arguments, "="),
        ("probe ssbo int 40 0 == 5", E::Range, ""),
        ("ssbo 0 -1", E::Range, ""),
        ("xfb buffer object 4 16", E::Range, ""),
        ("subuniform GL_PIXEL_SHADER a b", E::UnknownEnum, "GL_PIXEL_SHADER"),
        ("patch parameter vertices 0", E::Range, ""),
        ("patch parameter level 3", E::Arguments, ""),
        ("verify program_query GL_ACTIVE_UNIFORMS many", E::Arguments, "many"),
        ("verify program_interface_query GL_UNIFORM a GL_SIZE 1", E::Arguments, "GL_SIZE"),
        ("light 0 GL_POSITION double 1", E::Arguments, "double"),
        ("light 0 GL_POSITION float", E::Arguments, ""),
        ("parameter env_vp 0 (1, 2, 3)", E::Arguments, ""),
        ("vertex attrib float a 1", E::Arguments, ""),
    ] {
        let expected = if at.is_empty() { line.trim() } else { at };
        assert_eq!(error(line), (kind, expected.to_string()), "{line}");
    }
}

#[test]
fn lines_stay_small() {
    // Files have thousands of lines; the rare large commands are boxed.
    assert!(size_of::<TestLine<'_>>() <= 96, "{}", size_of::<TestLine<'_>>());
}

#[test]
fn draws_of_newer_files() {
    let draw = DrawArrays {
        primitive: Primitive::Lines,
        first: 1,
        count: 7,
        instances: Some(3),
        base_instance: Some(5),
        capture: false,
    };
    assert_eq!(command("draw arrays instanced base GL_LINES 1 7 3 5"), Command::DrawArrays(draw));
    let plain = DrawArrays { instances: None, base_instance: None, ..draw };
    assert_eq!(
        command("multidraw arrays GL_LINES 2 1 6 7 2"),
        Command::MultiDrawArrays(vec![plain, DrawArrays { first: 6, count: 2, ..plain }])
    );
    assert_eq!(
        command("draw elements GL_LINES 6 4"),
        Command::DrawElements(DrawElements {
            primitive: Primitive::Lines,
            count: 6,
            base_vertex: 4
        })
    );
    for (line, kind) in [
        ("draw arrays instanced base GL_LINES 1 8 3 5", ErrorKind::Range),
        ("multidraw arrays GL_LINES 0", ErrorKind::Range),
        ("multidraw arrays GL_LINES 2 1 6 7", ErrorKind::Arguments),
        ("multidraw arrays GL_LINES 2 1 7 7 2", ErrorKind::Range),
        ("multidraw arrays GL_LINES 2147483647", ErrorKind::Arguments),
        ("multidraw arrays GL_NONE 1 0 1", ErrorKind::Arguments),
        ("draw elements GL_LINES 7 0", ErrorKind::Range),
        ("draw elements GL_LINES 0 0", ErrorKind::Range),
        ("draw elements GL_LINES 1 -1", ErrorKind::Range),
        ("enable GL_CLIP_DISTANCE8", ErrorKind::Arguments),
        ("frontface both", ErrorKind::UnknownCommand),
    ] {
        assert_eq!(error(line).0, kind, "{line}");
    }
}

#[test]
fn faces_and_clip_distances() {
    let state = |line| match command(line) {
        Command::State(state) => state,
        other => panic!("{other:?}"),
    };
    assert_eq!(state("frontface cw"), StateCommand::FrontFace { clockwise: true });
    assert_eq!(state("frontface ccw"), StateCommand::FrontFace { clockwise: false });
    assert_eq!(state("enable GL_CULL_FACE"), StateCommand::Enable(Capability::CullFace));
    assert_eq!(
        state("enable GL_SAMPLE_ALPHA_TO_COVERAGE"),
        StateCommand::Enable(Capability::SampleAlphaToCoverage)
    );
    assert_eq!(
        state("disable GL_SAMPLE_ALPHA_TO_ONE"),
        StateCommand::Disable(Capability::SampleAlphaToOne)
    );
    assert_eq!(state("disable GL_CLIP_DISTANCE7"), StateCommand::Disable(Capability::ClipPlane(7)));
}

#[test]
fn program_interface_queries() {
    let question =
        |line: &str| match command(format!("verify program_interface_query {line}").leak()) {
            Command::Query(QueryCommand::Interface(query)) => {
                (query.interface.short_name(), query.question)
            }
            other => panic!("{other:?}"),
        };
    assert!(matches!(
        question("interface GL_UNIFORM GL_ACTIVE_RESOURCES 3"),
        ("UNIFORM", InterfaceQuestion::Whole { property, value: 3 }) if property.short_name() == "ACTIVE_RESOURCES"
    ));
    let name = |key, name| InterfaceQuestion::Name { resource: key, name };
    let atomic = |atomic| ResourceKey::Member { binding: 1, offset: 4, atomic };
    assert_eq!(
        question("resourceName GL_UNIFORM (var 7) 1 a").1,
        name(ResourceKey::Location(7), "a")
    );
    assert_eq!(question("resourceName GL_UNIFORM (atomic 1 4) 0 \"\"").1, name(atomic(true), ""));
    assert_eq!(
        question("resourceName GL_BUFFER_VARIABLE ( 1 4 ) 3 b.c").1,
        name(atomic(false), "b.c")
    );
    let component = ResourceKey::Component { location: 1, component: 2 };
    assert!(matches!(
        question("resourceByData GL_PROGRAM_INPUT (1 2) GL_TYPE GL_FLOAT").1,
        InterfaceQuestion::Property { resource, .. } if resource == component
    ));
    assert_eq!(
        question("resourceIndex GL_UNIFORM_BLOCK B GL_INVALID_INDEX").1,
        InterfaceQuestion::Index { name: "B", index: None }
    );
    assert_eq!(
        question("resourceLocation GL_UNIFORM a[1] -1").1,
        InterfaceQuestion::Location { name: "a[1]", location: -1 }
    );
    assert_eq!(
        question("resourceLocationIndex GL_PROGRAM_OUTPUT \"\" 1").1,
        InterfaceQuestion::LocationIndex { name: "", index: 1 }
    );
    for line in [
        "interfaces GL_UNIFORM GL_ACTIVE_RESOURCES 3",
        "interface GL_UNIFORM GL_TYPE 3",
        "resourceName GL_UNIFORM (var 7) 2 a",
        "resourceName GL_UNIFORM (var 7 1 a",
        "resourceName GL_UNIFORM var 7 1 a",
        "resourceByData GL_VERTEX_SUBROUTINE (1) GL_LOCATION 1",
        "resourceIndex GL_UNIFORM_BLOCK B GL_TRUE",
        "resourceLocation GL_UNIFORM a",
    ] {
        assert_eq!(
            error(&format!("verify program_interface_query {line}")).0,
            ErrorKind::Arguments,
            "{line}"
        );
    }
}
