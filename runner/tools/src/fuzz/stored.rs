//! Memory that each invocation writes at a place of its own, and memory in which all meet by
//! atomics whose order does not matter.

use std::fmt::Write;

use program::layout::Rules;
use program::types::{Scalar, TypeId};

use super::defects::{Defect, has_boolean, has_vector};
use super::names::{array, declarator, leaves};
use super::opaque::COLOR_FORMATS;
use super::resources::ORDERS;
use super::script;
use super::stage::StageShader;

/// Binding of the block of elements; the first of two, if there is an array of blocks.
const KEPT: u32 = 9;
/// Bindings of the blocks for atomics.
const LONGS: u32 = 6;
const FLOATS: u32 = 7;
/// Unit of the image.
const CELLS: usize = 6;
/// Maximum number of scalars of an element.
const LEAVES: usize = 12;
/// Maximum number of probed words.
const PROBES: usize = 100;

/// Commands of a family: before the draw or dispatch, and after it.
#[derive(Default)]
pub(super) struct Commands {
    pub before: String,
    pub after: String,
}

impl Commands {
    pub(super) fn add(&mut self, other: Commands) {
        self.before += &other.before;
        self.after += &other.after;
    }
}

/// Returns the type of elements, unless their computed indices are left out.
fn element_type(stage: &mut StageShader, leaves_left: usize) -> Option<TypeId> {
    let generator = &mut stage.generator;
    let ty = generator.type_where(1, LEAVES.min(leaves_left), |_, _| true);
    let avoided = generator.avoids(Defect::ComputedVectorStore) && has_vector(&generator.types, ty)
        || generator.avoids(Defect::BooleanArray) && has_boolean(&generator.types, ty)
        || generator.avoids(Defect::OutArgumentIndex);
    (!avoided && leaves(&generator.types, ty) <= leaves_left).then_some(ty)
}

/// Declares a storage block with an element for each of `count` invocations, which code reads and
/// writes like a variable; `own` is the number of the invocation.
pub(super) fn own_element(stage: &mut StageShader, own: &str, count: usize) -> Commands {
    let Some(ty) = element_type(stage, LEAVES) else { return Commands::default() };
    let generator = &mut stage.generator;
    let (rules, packing) =
        generator.random.pick(&[(Rules::Std430, "std430"), (Rules::Std140, "std140")]);
    let (order, order_text) = generator.random.pick(&ORDERS);
    let qualifier = generator.random.pick(&["", "coherent ", "volatile ", "restrict "]);
    let whole = array(&mut generator.types, ty, count);
    let is_unsized = generator.random.chance(50);
    let member = declarator(&generator.types, whole, "kept", is_unsized);
    let size = rules.array_stride(&generator.types, ty, order) as usize * count;
    let value = generator.literal(ty);
    let in_array = generator.random.chance(30);
    let (instance, path) =
        if in_array { (" blocks[2]", "blocks[block_index].kept") } else { ("", "kept") };
    stage.declare(&format!(
        "layout({packing}{order_text}, binding = {KEPT}) {qualifier}buffer Kept {{ {member}; }}{instance};\n"
    ));
    let bytes = size.next_multiple_of(16);
    let mut before = format!("ssbo {KEPT} {bytes}\n");
    if in_array {
        stage.declare("uniform int block_index;\n");
        before += &format!("ssbo {} {bytes}\nuniform int block_index 1\n", KEPT + 1);
    }
    stage.begin(&format!("{path}[{own}] = {value};"));
    if is_unsized {
        stage.seed(Scalar::Int, "kept_length", &format!("{path}.length()"));
    }
    stage.generator.declare(&format!("{path}[{own}]"), ty, true);
    let step = (size / 4).div_ceil(PROBES);
    let words = (0..size / 4).step_by(step).map(|word| 4 * word);
    Commands { before, after: script::probe_words(KEPT + u32::from(in_array), words) }
}

/// Declares shared memory with an element for each invocation of a group, which code reads and
/// writes like a variable.
pub(super) fn own_shared(stage: &mut StageShader, invocations: usize, scalars: usize) {
    let Some(ty) = element_type(stage, scalars / invocations) else { return };
    let whole = array(&mut stage.generator.types, ty, invocations);
    let member = declarator(&stage.generator.types, whole, "held", false);
    let value = stage.generator.literal(ty);
    stage.declare(&format!("shared {member};\n"));
    stage.begin(&format!("held[id] = {value};"));
    stage.generator.declare("held[id]", ty, true);
}

/// A shape of images: target and size of the `texture storage` command, the place of the
/// invocation with a number below 512.
struct Shape {
    image: &'static str,
    target: &'static str,
    size: &'static str,
    place: &'static str,
}

/// Scripts bind one layer: other shapes would read and write outside of it.
const SHAPES: [Shape; 3] = [
    Shape { image: "image1D", target: "1D", size: "512", place: "own" },
    Shape { image: "image2D", target: "2D", size: "32 16", place: PLANE },
    Shape { image: "image2DRect", target: "Rect", size: "32 16", place: PLANE },
];
const PLANE: &str = "ivec2(own & 31, own >> 5)";

const INT_FORMATS: [&str; 9] =
    ["r32i", "rg32i", "rgba32i", "r16i", "rg16i", "rgba16i", "r8i", "rg8i", "rgba8i"];
const UINT_FORMATS: [&str; 10] = [
    "r32ui",
    "rg32ui",
    "rgba32ui",
    "r16ui",
    "rg16ui",
    "rgba16ui",
    "r8ui",
    "rg8ui",
    "rgba8ui",
    "rgb10_a2ui",
];
const IMAGE_ATOMICS: [&str; 8] = ["Add", "Min", "Max", "And", "Or", "Xor", "Exchange", "CompSwap"];

/// Extensions of tests that ask for the size of an image.
pub(super) const IMAGE_SIZE: &str = "GL_ARB_shader_image_size";

/// Lets each invocation write, change and read a texel of its own at the end of `main`; `own` is
/// its number.
pub(super) fn own_texel(stage: &mut StageShader, own: &str) -> Commands {
    let random = &mut stage.generator.random;
    let shape = &SHAPES[random.below(SHAPES.len())];
    let (letter, format, value) = match random.below(3) {
        0 => ("", random.pick(&COLOR_FORMATS), "vec4(hash[0] & 1, hash[1] & 1, hash[2] & 1, 1)"),
        1 => (
            "i",
            random.pick(&INT_FORMATS),
            "ivec4(hash[0] & 127, hash[1] & 63, hash[2] & 31, hash[3] & 127) - 64",
        ),
        _ => (
            "u",
            random.pick(&UINT_FORMATS),
            "uvec4(hash[0] & 127, hash[1] & 63, hash[2] & 31, hash[3] & 3)",
        ),
    };
    let qualifier = random.pick(&["", "coherent ", "volatile ", "restrict "]);
    stage.declare(&format!(
        "layout({format}) {qualifier}uniform {letter}{} own_cells;\n",
        shape.image
    ));
    let place = shape.place.replace("own", own);
    stage.end(&format!("imageStore(own_cells, {place}, {value});"));
    if format.starts_with("r32") && !letter.is_empty() {
        let ty = if letter == "u" { "uint" } else { "int" };
        for _ in 0..stage.generator.random.between(0, 3) {
            let operation = stage.generator.random.pick(&IMAGE_ATOMICS);
            let compared =
                if operation == "CompSwap" { format!("{ty}(5), ") } else { String::new() };
            stage.end(&format!(
                "hash[3] += int(imageAtomic{operation}(own_cells, {place}, {compared}{ty}(hash[1]))) * 5;"
            ));
        }
    }
    stage.end(&format!("ivec4 back = ivec4(imageLoad(own_cells, {place}));"));
    stage.end("hash[2] ^= back.x * 3 + back.y * 5 + back.z * 7 + back.w * 11;");
    if stage.generator.random.chance(40) {
        stage.enable(IMAGE_SIZE);
        let first = if shape.target == "1D" { "" } else { ".x" };
        stage.end(&format!("hash[1] += imageSize(own_cells){first} * 7;"));
    }
    let gl = format!("GL_{}", format.to_uppercase());
    let fill = format!("storage {CELLS} {} {gl} (1 {})", shape.target, shape.size);
    Commands { before: script::image(CELLS, &fill, &gl, "own_cells"), after: String::new() }
}

/// Extensions of atomics on 64 bits and on floats.
pub(super) const LONG_ATOMICS: [&str; 2] = ["GL_ARB_gpu_shader_int64", "GL_NV_shader_atomic_int64"];
pub(super) const FLOAT_ATOMICS: &str = "GL_INTEL_shader_atomic_float_minmax";

/// Lets invocations meet in words of 64 bits, an operation for each.
pub(super) fn long_atomics(stage: &mut StageShader) -> Commands {
    LONG_ATOMICS.iter().for_each(|extension| stage.enable(extension));
    stage.declare(&format!(
        "layout(std430, binding = {LONGS}) buffer Longs {{ uint64_t longs[8]; int64_t signed_longs[8]; }};\n"
    ));
    let operations = ["Add", "Min", "Max", "And", "Or", "Xor"];
    for k in 0..6 {
        let operation = stage.generator.random.pick(&operations);
        let from = stage.generator.random.below(4);
        let (name, ty) =
            stage.generator.random.pick(&[("longs", "uint64_t"), ("signed_longs", "int64_t")]);
        stage.end(&format!("atomic{operation}({name}[{k}], {ty}(hash[{from}]) * {ty}(65537));"));
    }
    stage.end("atomicExchange(longs[6], uint64_t(77));");
    stage.end("atomicCompSwap(longs[7], uint64_t(0), uint64_t(5));");
    Commands {
        before: format!("ssbo {LONGS} 128\n"),
        after: script::probe_words(LONGS, (0..32).map(|word| 4 * word)),
    }
}

/// Lets the invocations of a group meet in shared words of 64 bits, an operation for each.
/// `barrier` orders the accesses.
pub(super) fn shared_long_atomics(stage: &mut StageShader, barrier: &str) {
    LONG_ATOMICS.iter().for_each(|extension| stage.enable(extension));
    stage.declare("shared uint64_t held_longs[8];\nshared int64_t signed_held[8];\n");
    stage.end("if (id == 0) {");
    stage.end("  for (int k = 0; k < 8; k++) { held_longs[k] = uint64_t(k); signed_held[k] = int64_t(-k); }");
    stage.end("}");
    stage.end(barrier);
    for k in 0..6 {
        let operation = stage.generator.random.pick(&["Add", "Min", "Max", "And", "Or", "Xor"]);
        let from = stage.generator.random.below(4);
        let (name, ty) =
            stage.generator.random.pick(&[("held_longs", "uint64_t"), ("signed_held", "int64_t")]);
        stage.end(&format!("atomic{operation}({name}[{k}], {ty}(hash[{from}]) * {ty}(65537));"));
    }
    stage.end("atomicExchange(held_longs[6], uint64_t(77));");
    stage.end("atomicCompSwap(held_longs[7], uint64_t(7), uint64_t(5));");
    stage.end(barrier);
    stage.end("for (int k = 0; k < 8; k++) {");
    stage.end("  hash[0] = hash[0] * 31 + int(held_longs[k] >> 16) + int(signed_held[k] >> 16);");
    stage.end("}");
}

/// Lets invocations meet in floats, an operation for each.
pub(super) fn float_atomics(stage: &mut StageShader) -> Commands {
    stage.enable(FLOAT_ATOMICS);
    stage.declare(&format!(
        "layout(std430, binding = {FLOATS}) buffer Floats {{ float floats[8]; }};\n"
    ));
    for k in 0..6 {
        let operation = stage.generator.random.pick(&["Min", "Max"]);
        let from = stage.generator.random.below(4);
        stage.end(&format!("atomic{operation}(floats[{k}], float(hash[{from}] & 255) - 99.5);"));
    }
    stage.end("atomicExchange(floats[6], 77.0);");
    stage.end("atomicCompSwap(floats[7], 0.0, 5.0);");
    Commands {
        before: format!("ssbo {FLOATS} 32\n"),
        after: script::probe_words(FLOATS, (0..8).map(|word| 4 * word)),
    }
}

/// Extension of the operations on atomic counters.
pub(super) const COUNTER_OPERATIONS: &str = "GL_ARB_shader_atomic_counter_ops";
const COUNTERS: usize = 10;

/// Changes atomic counters by all operations, one for each counter.
pub(super) fn counter_operations(stage: &mut StageShader) -> Commands {
    stage.enable(COUNTER_OPERATIONS);
    stage.declare(&format!("layout(binding = 0) uniform atomic_uint counters[{COUNTERS}];\n"));
    for (k, operation) in ["Add", "Subtract", "Min", "Max", "And", "Or", "Xor"].iter().enumerate() {
        let condition = stage.generator.random.pick(&["", "if ((hash[1] & 3) != 0) "]);
        let from = stage.generator.random.below(4);
        stage.end(&format!(
            "{condition}atomicCounter{operation}ARB(counters[{k}], uint(hash[{from}]));"
        ));
    }
    stage.end("atomicCounterExchangeARB(counters[7], 77u);");
    stage.end("atomicCounterCompSwapARB(counters[8], 0u, 5u);");
    stage.end("hash[0] ^= int(atomicCounter(counters[9]));");
    let mut commands =
        Commands { before: format!("atomic counters {COUNTERS}\n"), after: String::new() };
    for k in 0..COUNTERS {
        let _ = writeln!(commands.after, "probe atomic counter {k} >= 0");
    }
    commands
}
