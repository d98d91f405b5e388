//! Tests that draw: one stage has most of the code; the others carry its results to the
//! framebuffer.

use std::fmt::Write;

use program::Stage;
use program::layout::{attribute_locations, varying_slots};
use program::types::{Scalar, TypeId, TypeTable};

use super::capture::{self, Capture, Distances};
use super::defects::{self, Defect};
use super::generator::Variable;
use super::maker::{Maker, Size};
use super::names::{any_scalar, array, parts, vector_of};
use super::resources::value;
use super::script::{self, OFF_THE_EDGES, POSITIONS};
use super::stage::{HASH_VECTOR, HASHES, StageShader};
use super::stored::{self, Commands};
use super::wide::HALF_FLOAT;

/// A varying: an output of one stage and an input of the next.
#[derive(Clone, Debug)]
struct Varying {
    name: String,
    ty: TypeId,
    /// Interpolation qualifier in a fragment shader.
    interpolation: &'static str,
}

impl Varying {
    fn is_flat(&self) -> bool {
        self.interpolation == "flat "
    }
}

/// Returns random varyings in a limited number of slots.
fn varyings(maker: &mut Maker, prefix: &str, count: usize, slots: u32) -> Vec<Varying> {
    varyings_of(maker, prefix, count, slots, |_, _| true)
}

/// Returns random varyings of types for which `fits` is true.
fn varyings_of(
    maker: &mut Maker,
    prefix: &str,
    count: usize,
    mut slots: u32,
    fits: impl Fn(&TypeTable, TypeId) -> bool,
) -> Vec<Varying> {
    let mut all = Vec::new();
    for k in 0..maker.plan.random.between(0, count) {
        let nesting = if maker.plan.random.chance(30) { 2 } else { 1 };
        let fits = |types: &TypeTable, ty| {
            !any_scalar(types, ty, &|scalar| scalar == Scalar::Bool) && fits(types, ty)
        };
        let ty = maker.plan.type_where(nesting, 24, fits);
        let types = &maker.plan.types;
        let needed = varying_slots(types, ty);
        if needed > slots {
            continue;
        }
        slots -= needed;
        let smooth = !any_scalar(types, ty, &|scalar| scalar != Scalar::Float)
            && maker.plan.random.chance(40);
        let how = ["", "smooth ", "noperspective ", "centroid ", "sample "];
        let interpolation = if smooth { maker.plan.random.pick(&how) } else { "flat " };
        all.push(Varying { name: format!("{prefix}{k}"), ty, interpolation });
    }
    all
}

/// Declares a stage's outputs of hashes and varyings, and writes their values at the end of `main`.
/// Interpolated varyings have one value.
fn outputs(stage: &mut StageShader, hashes: &str, varyings: &[Varying], interpolated: bool) {
    let vector = stage.generator.vector(Scalar::Int, HASHES as u8);
    stage.output(if interpolated { "flat " } else { "" }, hashes, vector, false);
    stage.end(&format!("{hashes} = {HASH_VECTOR};"));
    for varying in varyings {
        let interpolation = if interpolated { varying.interpolation } else { "" };
        stage.output(interpolation, &varying.name, varying.ty, false);
        let value = if varying.is_flat() {
            stage.value(varying.ty)
        } else {
            stage.uniform_value(varying.ty)
        };
        stage.end(&format!("{} = {value};", varying.name));
    }
}

/// Declares inputs that are arrays over the vertices of a primitive or patch. The code sees single
/// elements, since arrays of patches have the length of the largest patch; `vertex` selects one of
/// them, unless computed indices are left out.
fn array_inputs(
    stage: &mut StageShader,
    hashes: &str,
    varyings: &[Varying],
    vertices: usize,
    vertex: &str,
) {
    let vector = stage.generator.vector(Scalar::Int, HASHES as u8);
    let inputs = varyings.iter().map(|v| (&*v.name, v.ty)).chain([(hashes, vector)]);
    for (name, ty) in inputs {
        let whole = array(&mut stage.generator.types, ty, vertices);
        stage.array_input(name, whole);
        (0..vertices).for_each(|k| stage.generator.declare(&format!("{name}[{k}]"), ty, false));
        if !stage.generator.avoids(Defect::IndexComponent) {
            stage.generator.declare(&format!("{name}[{vertex} % {vertices}]"), ty, false);
        }
    }
}

/// Returns a first stage that is not under test.
fn small_vertex(
    maker: &mut Maker,
    hashes: &str,
    varyings: &[Varying],
    distances: Option<Distances>,
) -> String {
    let mut stage = maker.stage(0);
    if let Some(distances) = distances {
        distances.output(&mut stage);
    }
    stage.declare("in vec4 piglit_vertex;\n");
    stage.seed(Scalar::Int, "id", "gl_VertexID");
    stage.fill(3);
    outputs(&mut stage, hashes, varyings, false);
    stage.end("gl_Position = piglit_vertex;");
    format!("[vertex shader]\n{}\n", stage.text())
}

/// Returns a last stage that outputs the hashes and combines the varyings.
fn final_fragment(
    maker: &mut Maker,
    number: usize,
    hashes: &str,
    varyings: &[Varying],
    statements: usize,
    system: &[SystemInput],
) -> String {
    let mut stage = maker.stage(number);
    stage.declare(&script::color_outputs());
    let vector = stage.generator.vector(Scalar::Int, HASHES as u8);
    stage.input("flat ", hashes, vector);
    for varying in varyings {
        stage.input(varying.interpolation, &varying.name, varying.ty);
        if !varying.is_flat() {
            interpolants(&mut stage, varying);
        }
    }
    stage.look_up_first();
    for (scalar, name, value) in system {
        if maker.has_extensions() && stage.generator.random.chance(25) {
            stage.seed(*scalar, name, value);
        }
    }
    if statements > 0 {
        stage.fill(statements);
    } else {
        stage.look_up();
        let all: Vec<Variable> = stage.generator.variables.clone();
        stage.hash(HASHES - 1, &all);
    }
    for (k, letter) in ["x", "y", "z", "w"].iter().enumerate() {
        stage.end(&format!("hash[{k}] ^= {hashes}.{letter};"));
    }
    script::write_colors().iter().for_each(|line| stage.end(line));
    format!("[fragment shader]\n{}\n", stage.text())
}

/// A value that the fragment stage has of its own: type, name, expression.
type SystemInput = (Scalar, &'static str, &'static str);

const FRONT: SystemInput = (Scalar::Bool, "front", "gl_FrontFacing");
const PRIMITIVE: SystemInput = (Scalar::Int, "primitive", "gl_PrimitiveID");
/// The center of a pixel is nowhere near these places of a point of one pixel ([`OFF_THE_EDGES`]).
const POINT: SystemInput = (Scalar::Float, "point", "floor(gl_PointCoord.x * 4.0)");

/// Declares the components of an interpolated varying at other places in the pixel: it has one
/// value.
fn interpolants(stage: &mut StageShader, varying: &Varying) {
    let mut all = Vec::new();
    parts(&stage.generator.types, &varying.name, varying.ty, &mut |path, ty| {
        all.push((path.to_owned(), ty));
    });
    for (path, ty) in all {
        if vector_of(&stage.generator.types, ty).is_none() {
            continue;
        }
        let call = stage.generator.random.pick(&[
            "",
            "interpolateAtCentroid({})",
            "interpolateAtOffset({}, vec2(0.25, -0.375))",
            "interpolateAtSample({}, 0)",
        ]);
        if !call.is_empty() {
            stage.generator.declare(&call.replace("{}", &path), ty, false);
        }
    }
}

/// Returns sections and commands of a test that draws.
fn drawn(
    maker: &Maker,
    extensions: &[&str],
    shaders: &str,
    data: &str,
    draw: &str,
    after: &str,
) -> String {
    let mut text = script::require(&[extensions, &maker.resources.extensions].concat());
    if shaders.contains(" compatibility\n") {
        text = text.replace("GL >=", "GL COMPAT >=");
    }
    text += shaders;
    if !data.is_empty() {
        let _ = writeln!(text, "[vertex data]\n{data}");
    }
    text + &script::begin_test()
        + &maker.resources.commands
        + &script::framebuffer()
        + draw
        + "\n"
        + &script::probe_framebuffer()
        + after
}

fn vertex_data(maker: &mut Maker, attributes: &[(String, TypeId)]) -> String {
    let mut header = "piglit_vertex/float/vec4".to_owned();
    let mut rows: Vec<String> = POSITIONS.iter().map(|(x, y)| format!("{x} {y} 0 1")).collect();
    for (name, ty) in attributes {
        let types = &maker.plan.types;
        let (Some(scalar), Some((columns, count))) = (types.scalar_of(*ty), types.shape(*ty))
        else {
            continue;
        };
        for column in 0..columns {
            let _ = write!(header, "  {name}/{}/{}", scalar.name(), types.name(*ty));
            if columns > 1 {
                let _ = write!(header, "/{column}");
            }
            for row in &mut rows {
                row.push(' ');
                for _ in 0..count {
                    let _ = write!(row, " {}", value(&mut maker.plan.random, scalar));
                }
            }
        }
    }
    format!("{header}\n{}\n", rows.join("\n"))
}

/// Returns random vertex attributes.
fn attributes(maker: &mut Maker) -> Vec<(String, TypeId)> {
    let (mut all, mut left) = (Vec::new(), 12);
    for k in 0..maker.plan.random.between(0, 4) {
        let ty = maker.plan.type_where(0, 16, |types, ty| {
            types.scalar_of(ty).is_some_and(|scalar| scalar != Scalar::Bool)
        });
        let wide = maker.plan.types.scalar_of(ty) == Some(Scalar::Double);
        let slots = attribute_locations(&maker.plan.types, ty) * if wide { 2 } else { 1 };
        if slots <= left {
            left -= slots;
            all.push((format!("a{k}"), ty));
        }
    }
    all
}

/// Returns a test of the vertex shader.
pub(super) fn vertex(maker: &mut Maker, size: Size) -> String {
    maker.make_resources(&[Stage::Vertex, Stage::Fragment]);
    let (attributes, varyings) = (attributes(maker), varyings(maker, "v", 4, 12));
    let mut stage = maker.stage(0);
    stage.declare("in vec4 piglit_vertex;\n");
    attributes.iter().for_each(|(name, ty)| stage.input("", name, *ty));
    stage.seed(Scalar::Int, "id", "gl_VertexID");
    stage.seed(Scalar::Int, "other", "gl_VertexID * 3 - 4");
    let mut extensions = Vec::new();
    let draw = draws(maker, &mut stage, &mut extensions);
    let mut memory = Commands::default();
    // Each vertex of other draws has several invocations, or may have.
    let is_single = draw == "draw arrays GL_TRIANGLES 4 6" && maker.has_extensions();
    if is_single && stage.generator.random.chance(40) {
        memory = stored::own_element(&mut stage, "id", POSITIONS.len());
    }
    stage.fill(size.statements());
    outputs(&mut stage, "hashes", &varyings, true);
    stage.end(&format!(
        "gl_Position = piglit_vertex{};",
        if draw.contains("instanced") {
            " + vec4(0.125 * float(gl_InstanceID), 0, 0, 0)"
        } else {
            ""
        }
    ));
    let capture = stage.generator.random.chance(25).then(|| Capture::vertices(&mut stage));
    let system: &[SystemInput] =
        if draw.contains("GL_POINTS") { &[PRIMITIVE, POINT] } else { &[FRONT, PRIMITIVE] };
    let heavy = if maker.plan.random.chance(30) { 3 } else { 0 };
    let shaders = format!("[vertex shader]\n{}\n", stage.text())
        + &final_fragment(maker, 1, "hashes", &varyings, heavy, system);
    let data = vertex_data(maker, &attributes);
    let after = capture.as_ref().map_or(String::new(), |all| all.commands("GL_LINES 4 6", 6));
    if capture.is_some() {
        extensions.extend(capture::EXTENSIONS);
    }
    maker.resources.commands += &memory.before;
    drawn(maker, &extensions, &shaders, &data, &draw, &(memory.after + &after))
}

const DRAW_PARAMETERS: &str = "GL_ARB_shader_draw_parameters";

/// Returns a draw command; the shader reads what the command counts.
fn draws(maker: &mut Maker, stage: &mut StageShader, extensions: &mut Vec<&'static str>) -> String {
    let primitives = [
        "GL_TRIANGLE_STRIP 0 4",
        "GL_TRIANGLES 4 6",
        "GL_TRIANGLES 4 6",
        "GL_POINTS 4 6",
        "GL_LINES 4 6",
        "GL_LINE_STRIP 4 6",
    ];
    let primitive = maker.plan.random.pick(&primitives);
    if !maker.has_extensions() || maker.plan.random.chance(70) {
        return format!("draw arrays {primitive}");
    }
    stage.seed(Scalar::Int, "instance", "gl_InstanceID");
    let has_parameters = maker.plan.random.chance(40);
    if has_parameters {
        stage.enable(DRAW_PARAMETERS);
        extensions.push(DRAW_PARAMETERS);
        stage.seed(Scalar::Int, "base", "gl_BaseInstanceARB * 8 + gl_BaseVertexARB");
        stage.seed(Scalar::Int, "draw", "gl_DrawIDARB");
    }
    match maker.plan.random.below(3) {
        0 => format!("draw arrays instanced {primitive} {}", maker.plan.random.between(1, 3)),
        1 if has_parameters => "multidraw arrays GL_TRIANGLES 2 4 7 3 3".to_owned(),
        _ => format!("draw arrays instanced base {primitive} 2 {}", maker.plan.random.below(9)),
    }
}

/// Extensions of fragment shaders.
const DERIVATIVES: &str = "GL_ARB_derivative_control";
const DEMOTE: &str = "GL_EXT_demote_to_helper_invocation";
const INTERLOCK: &str = "GL_ARB_fragment_shader_interlock";
/// Binding of the block whose accesses are in order.
const ORDERED: u32 = 8;
/// Number of the family of critical sections, and of families, most of them empty.
const INTERLOCKED: usize = 4;
const FAMILIES: usize = 30;

/// Computes derivatives of linear functions, before any divergence.
fn derivatives(stage: &mut StageShader, extensions: &[&str]) {
    for k in 0..stage.generator.random.between(1, 3) {
        let name = stage.generator.random.pick(&["dFdx", "dFdy", "fwidth"]);
        let mut kinds = vec![""];
        if extensions.contains(&DERIVATIVES) {
            kinds.extend(["Fine", "Coarse"]);
        }
        let kind = stage.generator.random.pick(&kinds);
        let rows = stage.generator.random.pick(&[1, 1, 2, 3, 4]);
        let is_half = stage.has(HALF_FLOAT) && stage.generator.random.chance(70);
        let ty = stage.generator.vector(Scalar::Float, rows);
        let of = if is_half { Scalar::Float16 } else { Scalar::Float };
        let of = stage.generator.vector(of, rows);
        let types = &stage.generator.types;
        let parts = ["x * 3 - y * 5", "x", "y * 2 + x", "7 - y"];
        let parts = parts[..usize::from(rows)].join(", ");
        let value = format!("{}({name}{kind}({}({parts})))", types.name(ty), types.name(of));
        stage.seed_of(ty, &format!("slope{k}"), &value);
    }
}

/// Appends each fragment's hash to the number of its pixel, one primitive after the other.
fn interlock(stage: &mut StageShader) -> Commands {
    stage.enable(INTERLOCK);
    let mode = stage.generator.random.pick(&["pixel", "sample"]);
    let order = stage.generator.random.pick(&["ordered", "unordered"]);
    stage.declare(&format!(
        "layout({mode}_interlock_{order}) in;\n\
         layout(std430, binding = {ORDERED}) coherent buffer Ordered {{ uint ordered[]; }};\n"
    ));
    stage.end("beginInvocationInterlockARB();");
    stage.end("ordered[own] = ordered[own] * 31u + uint(hash[0]);");
    stage.end("endInvocationInterlockARB();");
    let words = script::SIDE * script::SIDE;
    Commands {
        before: format!("ssbo {ORDERED} {}\n", 4 * words),
        after: script::probe_words(ORDERED, (0..words).step_by(5).map(|word| 4 * word)),
    }
}

/// Adds accesses to a texel of the pixel's own, and atomics, at the end of `main`.
fn fragment_memory(
    stage: &mut StageShader,
    family: usize,
    extensions: &mut Vec<&'static str>,
) -> Commands {
    let mut all = Commands::default();
    match family {
        0..=3 => {
            all.add(stored::own_texel(stage, "own"));
            extensions.push(stored::IMAGE_SIZE);
        }
        INTERLOCKED => {
            all.add(interlock(stage));
            extensions.push(INTERLOCK);
        }
        5 => {
            all.add(stored::counter_operations(stage));
            extensions.push(stored::COUNTER_OPERATIONS);
        }
        6 => {
            all.add(stored::long_atomics(stage));
            extensions.extend(stored::LONG_ATOMICS);
        }
        7 => {
            all.add(stored::float_atomics(stage));
            extensions.push(stored::FLOAT_ATOMICS);
        }
        8..=10 => {
            let (declared, probed) = script::counters(stage);
            all.add(Commands { before: declared, after: probed });
        }
        _ => {}
    }
    all
}

/// Writes the outputs of a fragment that the framebuffers of these tests do not show.
fn unseen_outputs(stage: &mut StageShader) {
    match stage.generator.random.below(12) {
        0 => stage.end("gl_SampleMask[0] = hash[0] | 1;"),
        1 => stage.end("gl_FragDepth = float(hash[0] & 255) * 0.00390625;"),
        2 => {
            stage.declare("layout(depth_any) out float gl_FragDepth;\n");
            stage.enable("GL_ARB_conservative_depth");
            stage.end("gl_FragDepth = gl_FragCoord.z;");
        }
        _ => {}
    }
}

/// Returns a test of the fragment shader.
pub(super) fn fragment(maker: &mut Maker, size: Size) -> String {
    maker.make_resources(&[Stage::Fragment]);
    let mut stage = maker.stage(0);
    let mut extensions = Vec::new();
    stage.declare(&script::color_outputs());
    stage.seed(Scalar::Int, "x", "int(gl_FragCoord.x)");
    stage.seed(Scalar::Int, "y", "int(gl_FragCoord.y)");
    // Vulkan needs a feature for samples, and bindings of uniforms outside of blocks.
    let is_opengl = !maker.in_blocks;
    let has_extensions = maker.has_extensions();
    if has_extensions && stage.generator.random.chance(30) {
        stage.enable(DERIVATIVES);
        extensions.push(DERIVATIVES);
    }
    derivatives(&mut stage, &extensions);
    stage.look_up_first();
    let has_halves = stage.has(HALF_FLOAT) && stage.generator.random.chance(40);
    let half_vertex = has_halves.then(|| half_inputs(&mut stage));
    if is_opengl && stage.generator.random.chance(20) {
        stage.seed(Scalar::Int, "sample_id", "gl_SampleID + gl_SampleMaskIn[0]");
        stage.seed(Scalar::Float, "sample_at", "gl_SamplePosition.x");
    }
    let mut memory = Commands::default();
    if has_extensions {
        stage.seed(Scalar::Int, "own", &format!("y * {} + x", script::SIDE));
        match stage.generator.random.below(16) {
            0 => stage.seed(Scalar::Bool, "front", "gl_FrontFacing"),
            1 => {
                stage.enable("GL_ARB_ES3_1_compatibility");
                extensions.push("GL_ARB_ES3_1_compatibility");
                stage.seed(Scalar::Bool, "helps", "gl_HelperInvocation");
            }
            2 => {
                stage.enable("GL_ARB_sample_shading");
                stage.seed(Scalar::Int, "samples", "gl_NumSamples");
            }
            _ => {}
        }
        if stage.generator.random.chance(25) {
            memory.add(stored::own_element(&mut stage, "own", script::SIDE * script::SIDE));
        }
    }
    let family = stage.generator.random.below(FAMILIES);
    // Nothing ends an invocation before its critical section.
    let may_discard = stage.generator.random.chance(50) && family != INTERLOCKED;
    stage.generator.context.may_discard = may_discard.then_some("discard");
    if has_extensions && may_discard && stage.generator.random.chance(25) {
        stage.enable(DEMOTE);
        extensions.push(DEMOTE);
        stage.generator.context.may_discard = Some("demote");
        let bool = stage.generator.scalar(Scalar::Bool);
        stage.generator.declare("helperInvocationEXT()", bool, false);
    }
    stage.fill(size.statements());
    if has_extensions {
        memory.add(fragment_memory(&mut stage, family, &mut extensions));
    }
    script::write_colors().iter().for_each(|line| stage.end(line));
    let mut after = String::new();
    if stage.generator.random.chance(40) {
        const WORDS: usize = 20;
        stage.declare("layout(std430, binding = 3) buffer Sums { uint sums[]; };\n");
        let _ = writeln!(maker.resources.commands, "ssbo 3 {}", 4 * WORDS);
        stage.end("atomicAdd(sums[uint(hash[0]) & 15u], uint(hash[1]));");
        stage.end("atomicXor(sums[16], uint(hash[1]));");
        stage.end("atomicMax(sums[17], uint(hash[2]));");
        stage.end("atomicOr(sums[18], uint(hash[3]));");
        after = script::probe_words(3, (0..WORDS).map(|k| 4 * k));
    }
    if is_opengl && stage.generator.random.chance(25) {
        stage.declare("layout(rgba32f) writeonly uniform image2D stored;\n");
        stage.end("imageStore(stored, ivec2(gl_FragCoord.xy), encode(hash[1], hash[2]));");
        let fill = "rgbw 7 (16, 16) GL_RGBA32F";
        maker.resources.commands += &script::image(7, fill, "GL_RGBA32F", "stored");
        after +=
            "memory barrier GL_FRAMEBUFFER_BARRIER_BIT\nfb read tex 2d 7\nprobe all rgba 0 0 0 0\n";
    }
    if is_opengl {
        unseen_outputs(&mut stage);
    }
    maker.resources.commands += &memory.before;
    after += &memory.after;
    let vertex = half_vertex.unwrap_or_else(|| first_vertex(&mut stage, has_extensions).to_owned());
    let shaders = format!("{vertex}\n[fragment shader]\n{}\n", stage.text());
    drawn(maker, &extensions, &shaders, "", "draw rect -1 -1 2 2", &after)
}

/// Returns a vertex shader that passes the position on, in one of two ways.
fn first_vertex(stage: &mut StageShader, has_profiles: bool) -> &'static str {
    if has_profiles && stage.generator.random.chance(3) {
        "[vertex shader]\n#version 420 compatibility\nvoid main() { gl_Position = ftransform(); }\n"
    } else {
        "[vertex shader passthrough]\n"
    }
}

/// Interpolates half floats, which have the same value at all vertices, and returns the vertex
/// shader that writes them.
fn half_inputs(stage: &mut StageShader) -> String {
    let rows = stage.generator.random.pick(&[1, 2, 3, 4]);
    let [ty, own] = [Scalar::Float, Scalar::Float16].map(|s| stage.generator.vector(s, rows));
    let types = &stage.generator.types;
    let (to, own) = (types.name(ty), types.name(own));
    stage.declare(&format!("in {own} halves;\n"));
    let places = ["Centroid(halves", "Sample(halves, 0", "Offset(halves, f16vec2(0.25, -0.375)"];
    for (k, place) in places.iter().enumerate() {
        stage.seed_of(ty, &format!("half{k}"), &format!("{to}(interpolateAt{place}))"));
    }
    let values = ["1.5", "-2.25", "3.0", "0.75"][..usize::from(rows)].join(", ");
    format!(
        "[vertex shader]\n#version 420\n#extension {HALF_FLOAT} : enable\n\
         in vec4 piglit_vertex;\nout {own} halves;\n\
         void main() {{\n  gl_Position = piglit_vertex;\n  halves = {own}({values});\n}}\n"
    )
}

/// Returns a test of the geometry shader.
pub(super) fn geometry(maker: &mut Maker, size: Size) -> String {
    maker.make_resources(&[Stage::Vertex, Stage::Geometry, Stage::Fragment]);
    let (inputs, varyings) = (varyings(maker, "w", 3, 8), varyings(maker, "v", 3, 8));
    let streams = maker.plan.random.chance(20);
    let distances = maker.plan.random.chance(30).then(|| Distances::random(&mut maker.plan.random));
    let (primitive, vertices, draw) = maker.plan.random.pick(&[
        ("points", 1, "GL_POINTS 0 6"),
        ("lines", 2, "GL_LINES 0 6"),
        ("triangles", 3, "GL_TRIANGLES 0 6"),
        ("triangles", 3, "GL_TRIANGLE_STRIP 0 5"),
        ("lines_adjacency", 4, "GL_LINES_ADJACENCY 0 8"),
        ("triangles_adjacency", 6, "GL_TRIANGLES_ADJACENCY 0 6"),
    ]);
    let (primitive, vertices, draw) =
        if streams { ("points", 1, "GL_POINTS 0 6") } else { (primitive, vertices, draw) };
    let first = small_vertex(maker, "input_hashes", &inputs, distances);
    let mut stage = maker.stage(1);
    array_inputs(&mut stage, "input_hashes", &inputs, vertices, "gl_PrimitiveIDIn");
    if let Some(distances) = distances {
        distances.input(&mut stage, vertices, "gl_PrimitiveIDIn");
    }
    let invocations = stage.generator.random.pick(&[1, 1, 2, 3]);
    let emitted = stage.generator.random.between(1, 4);
    let strip = ["points", "line_strip", "triangle_strip", "triangle_strip"][emitted - 1];
    let strip = if streams { "points" } else { strip };
    let max_vertices = if streams { 3 * emitted } else { emitted };
    stage.declare(&format!(
        "layout({primitive}, invocations = {invocations}) in;\nlayout({strip}, max_vertices = {max_vertices}) out;\n"
    ));
    stage.seed(Scalar::Int, "id", "gl_PrimitiveIDIn");
    stage.seed(Scalar::Int, "invocation", "gl_InvocationID");
    stage.fill(size.statements());
    let capture = streams.then(|| Capture::streams(&mut stage));
    let has_number = maker.has_extensions() && stage.generator.random.chance(30);
    emit(&mut stage, &varyings, emitted, (streams, has_number));
    let system: &[SystemInput] = if has_number { &[FRONT, PRIMITIVE] } else { &[FRONT] };
    let shaders = first
        + &format!("[geometry shader]\n{}\n", stage.text())
        + &final_fragment(maker, 2, "hashes", &varyings, 0, system);
    let data = vertex_data(maker, &[]);
    let records = 6 * invocations * emitted;
    let after = capture.map_or(String::new(), |all| all.commands(draw, records));
    let extensions = if streams || distances.is_some() { &capture::EXTENSIONS[..] } else { &[] };
    drawn(maker, extensions, &shaders, &data, &format!("draw arrays {draw}"), &after)
}

/// Emits vertices around a position that depends on the primitive.
fn emit(
    stage: &mut StageShader,
    varyings: &[Varying],
    count: usize,
    (streams, has_number): (bool, bool),
) {
    const CORNERS: [&str; 4] = ["0, 0", "0.875, 0", "0, 0.875", "1.25, 1.5"];
    let vector = stage.generator.vector(Scalar::Int, HASHES as u8);
    stage.output("flat ", "hashes", vector, false);
    let mut same = Vec::new();
    for varying in varyings {
        stage.output(varying.interpolation, &varying.name, varying.ty, false);
        same.push(stage.uniform_value(varying.ty));
    }
    stage.end(&format!(
        "vec4 base = {OFF_THE_EDGES} + vec4(-0.875 + 0.25 * float(id), -0.875 + 0.5 * float(invocation), 0, 1);",
    ));
    for corner in &CORNERS[..count] {
        let (number, more) =
            (stage.generator.random.below(HASHES), stage.generator.random.below(100));
        stage.end(&format!("hash[{number}] += {more};"));
        if streams {
            Capture::emit(stage);
        }
        stage.end(&format!("hashes = {HASH_VECTOR};"));
        for (varying, same) in varyings.iter().zip(&same) {
            let value = if varying.is_flat() { stage.value(varying.ty) } else { same.clone() };
            stage.end(&format!("{} = {value};", varying.name));
        }
        stage.end(&format!("gl_Position = base + vec4({corner}, 0, 0);"));
        if has_number {
            stage.end(&format!("gl_PrimitiveID = hash[{number}];"));
        }
        let condition =
            if stage.generator.random.chance(15) { "if ((hash[2] & 3) != 0) " } else { "" };
        stage.end(&format!("{condition}EmitVertex();"));
    }
    stage.end("EndPrimitive();");
}

/// Returns a test of both tessellation shaders.
pub(super) fn tessellation(maker: &mut Maker, size: Size) -> String {
    maker.make_resources(&[Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Fragment]);
    let no_index = maker.plan.avoids(Defect::IndexComponent);
    let fits = |types: &TypeTable, ty| !(no_index && defects::has_elements(types, ty));
    let inputs = varyings_of(maker, "w", 2, 6, fits);
    let control_outputs = varyings_of(maker, "x", 3, 6, fits);
    let patch_outputs = varyings_of(maker, "c", 3, 6, fits);
    let varyings = varyings(maker, "v", 3, 6);
    let (vertices, mut control_vertices) =
        (maker.plan.random.pick(&[1, 3, 4, 5]), maker.plan.random.pick(&[1, 2, 3, 4, 4, 5]));
    if maker.plan.avoids(Defect::ControlVertices) {
        control_vertices = control_vertices.min(2);
    }
    let first = small_vertex(maker, "input_hashes", &inputs, None);
    let mut control = maker.stage(1);
    array_inputs(&mut control, "input_hashes", &inputs, vertices, "gl_InvocationID");
    control.declare(&format!("layout(vertices = {control_vertices}) out;\n"));
    control.seed(Scalar::Int, "id", "gl_InvocationID");
    control.seed(Scalar::Int, "patch_id", "gl_PrimitiveID + gl_PatchVerticesIn");
    control.fill(size.statements());
    control_end(&mut control, &control_outputs, &patch_outputs, vertices, control_vertices);
    let mut evaluation = maker.stage(2);
    array_inputs(
        &mut evaluation,
        "control_hashes",
        &control_outputs,
        control_vertices,
        "gl_PrimitiveID",
    );
    for varying in &patch_outputs {
        evaluation.input("patch ", &varying.name, varying.ty);
    }
    let int = evaluation.generator.scalar(Scalar::Int);
    evaluation.input("patch ", "patch_hash", int);
    let domain = evaluation.generator.random.pick(&["triangles", "quads", "isolines"]);
    // Fractional spacing leaves the places of the inserted vertices to the implementation.
    let order = evaluation.generator.random.pick(&["cw", "ccw", "cw, point_mode"]);
    evaluation.declare(&format!("layout({domain}, equal_spacing, {order}) in;\n"));
    evaluation.seed(Scalar::Int, "id", "gl_PrimitiveID");
    evaluation.seed(Scalar::Int, "other", "patch_hash * 3 + gl_PatchVerticesIn");
    if evaluation.generator.random.chance(30) {
        let level = ["gl_TessLevelOuter[0]", "gl_TessLevelOuter[1]"];
        let level = evaluation.generator.random.pick(&level);
        evaluation.seed(Scalar::Float, "level", level);
    }
    if domain != "isolines" && evaluation.generator.random.chance(30) {
        evaluation.seed(Scalar::Float, "inner_level", "gl_TessLevelInner[0]");
    }
    evaluation.fill(size.statements() / 2 + 1);
    outputs(&mut evaluation, "hashes", &varyings, true);
    evaluation.end(&format!(
        "gl_Position = {OFF_THE_EDGES} + vec4(gl_TessCoord.xy * 1.5 - 0.75 + 0.125 * float(gl_PrimitiveID), 0, 1);",
    ));
    let shaders = first
        + &format!("[tessellation control shader]\n{}\n", control.text())
        + &format!("[tessellation evaluation shader]\n{}\n", evaluation.text())
        + &final_fragment(maker, 3, "hashes", &varyings, 0, &[FRONT, PRIMITIVE]);
    let patches = maker.plan.random.between(1, POSITIONS.len() / vertices);
    let data = vertex_data(maker, &[]);
    let draw = format!(
        "patch parameter vertices {vertices}\ndraw arrays GL_PATCHES 0 {}",
        patches * vertices
    );
    drawn(maker, &[], &shaders, &data, &draw, "")
}

/// Writes the outputs of a tessellation control shader.
fn control_end(
    stage: &mut StageShader,
    outputs: &[Varying],
    patch: &[Varying],
    vertices: usize,
    control_vertices: usize,
) {
    let vector = stage.generator.vector(Scalar::Int, HASHES as u8);
    let int = stage.generator.scalar(Scalar::Int);
    for (name, ty) in outputs
        .iter()
        .map(|v| (&*v.name, v.ty))
        .chain([("control_hashes", vector), ("neighbor", int)])
    {
        let ty = array(&mut stage.generator.types, ty, control_vertices);
        stage.output("", name, ty, true);
    }
    for (name, ty) in patch.iter().map(|v| (&*v.name, v.ty)).chain([("patch_hash", int)]) {
        stage.output("patch ", name, ty, false);
    }
    stage.end(&format!(
        "gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % {vertices}].gl_Position;"
    ));
    for varying in outputs {
        let value = stage.value(varying.ty);
        stage.end(&format!("{}[gl_InvocationID] = {value};", varying.name));
    }
    // The other outputs have hashes as they are.
    let own = if stage.generator.avoids(Defect::ControlDuplicate) { "~hash[0]" } else { "hash[0]" };
    stage.end(&format!("neighbor[gl_InvocationID] = {own};"));
    if stage.generator.random.chance(60) {
        let early = stage.generator.random.chance(40);
        if early {
            stage.output("patch ", "early", int, false);
            stage.end("if (gl_InvocationID == 0) early = hash[3];");
        }
        stage.end("barrier();");
        stage.end(&format!("hash[1] ^= neighbor[(gl_InvocationID + 1) % {control_vertices}];"));
        if early {
            stage.end("hash[0] += early * 3;");
        }
    }
    stage.end(&format!("control_hashes[gl_InvocationID] = {HASH_VECTOR};"));
    let writer = stage.generator.random.below(control_vertices);
    stage.end(&format!("if (gl_InvocationID == {writer}) {{"));
    for varying in patch {
        let value = stage.value(varying.ty);
        stage.end(&format!("  {} = {value};", varying.name));
    }
    stage.end("  patch_hash = hash[2];");
    for (name, count) in [("Outer", 4), ("Inner", 2)] {
        for k in 0..count {
            let level = stage.generator.random.pick(&[
                "1.0",
                "2.0",
                "3.0",
                "2.5",
                "1.0 + float(gl_PrimitiveID)",
            ]);
            stage.end(&format!("  gl_TessLevel{name}[{k}] = {level};"));
        }
    }
    stage.end("}");
}
