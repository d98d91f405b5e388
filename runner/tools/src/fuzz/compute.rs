//! Tests of compute shaders: shared memory, barriers, and atomics whose results are independent of
//! their order.

use std::fmt::Write;

use program::Stage;
use program::types::{Scalar, TypeId, TypeTable};

use super::defects::Defect;
use super::generator::Variable;
use super::maker::{Maker, Size};
use super::names::{any_scalar, array};
use super::script;
use super::stage::{HASHES, StageShader};
use super::stored::{self, Commands};

const EXTENSION: &str = "GL_ARB_compute_shader";
/// Number of words of the result buffer for atomics.
const ATOMIC_WORDS: usize = 64;
/// Binding and number of words of the buffer with vectors for atomics.
const VECTORS: u32 = 2;
const VECTOR_WORDS: usize = 64;
/// Maximum number of probed words.
const PROBES: usize = 600;
/// Maximum number of scalars in shared memory.
const SHARED: usize = 2_000;

const ATOMICS: [&str; 6] =
    ["atomicAdd", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor"];

/// Returns a test of the compute shader.
pub(super) fn compute(maker: &mut Maker, size: Size) -> String {
    maker.make_resources(&[Stage::Compute]);
    let mut stage = maker.stage(0);
    stage.enable(EXTENSION);
    let (x, y) = stage.generator.random.pick(&[
        (1, 1),
        (4, 1),
        (8, 1),
        (8, 2),
        (16, 1),
        (3, 5),
        (16, 4),
        (33, 1),
    ]);
    let groups = stage.generator.random.pick(&[(1, 1), (2, 1), (3, 2)]);
    let (invocations, total) = (x * y, x * y * groups.0 * groups.1);
    let mut extensions = vec![EXTENSION];
    let is_variable = maker.has_extensions() && stage.generator.random.chance(8);
    if is_variable {
        stage.enable(VARIABLE_GROUPS);
        extensions.push(VARIABLE_GROUPS);
        stage.declare("layout(local_size_variable) in;\n");
        stage.seed(Scalar::Int, "width", "int(gl_LocalGroupSizeARB.x)");
    } else {
        stage.declare(&format!("layout(local_size_x = {x}, local_size_y = {y}) in;\n"));
    }
    stage.declare("layout(std430, binding = 1) buffer Results { uint results[]; };\n");
    stage.seed(Scalar::Int, "id", "int(gl_LocalInvocationIndex)");
    stage.seed(Scalar::Int, "group", "int(gl_WorkGroupID.x + 7u * gl_WorkGroupID.y)");
    stage.seed(Scalar::Int, "global", "int(gl_GlobalInvocationID.x) - 3");
    stage.seed(Scalar::Int, "row", "int(gl_LocalInvocationID.y + gl_GlobalInvocationID.y)");
    if maker.has_extensions() && !is_variable && stage.generator.random.chance(15) {
        derivatives(&mut stage, (x, y), &mut extensions);
    }
    let mut memory = Commands::default();
    if maker.has_extensions() {
        let group = "gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x";
        stage.seed(Scalar::Int, "own", &format!("int({group}) * {invocations} + id"));
        if stage.generator.random.chance(30) {
            memory.add(stored::own_element(&mut stage, "own", total));
        }
        if stage.generator.random.chance(20) {
            stored::own_shared(&mut stage, invocations, SHARED / 2);
        }
    }
    stage.fill(size.statements());
    if maker.has_extensions() {
        memory.add(other_memory(&mut stage, &mut extensions));
    }
    if stage.generator.random.chance(70) {
        shared(&mut stage, invocations);
    }
    let mut commands = maker.resources.commands.clone() + &memory.before;
    let mut after = memory.after;
    // Vulkan's uniforms outside of blocks need bindings.
    let has_uniforms = !maker.in_blocks;
    if has_uniforms && stage.generator.random.chance(30) {
        commands += &image_atomics(&mut stage);
    }
    results(&mut stage, invocations);
    if stage.generator.random.chance(40) {
        commands += &component_atomics(&mut stage);
        after += &script::probe_words(VECTORS, (0..VECTOR_WORDS).map(|k| 4 * k));
    }
    let counts = extensions.contains(&stored::COUNTER_OPERATIONS);
    if has_uniforms && !counts && stage.generator.random.chance(20) {
        let (declared, probed) = script::counters(&mut stage);
        commands += &declared;
        after += &probed;
    }
    let words = ATOMIC_WORDS + HASHES * total;
    let _ = writeln!(commands, "ssbo 1 {}", 4 * words);
    let _ = match is_variable {
        true => writeln!(commands, "compute group size {} {} 1 {x} {y} 1", groups.0, groups.1),
        false => writeln!(commands, "compute {} {} 1", groups.0, groups.1),
    };
    let step = (words - ATOMIC_WORDS).div_ceil(PROBES);
    let probed = (0..ATOMIC_WORDS).chain((ATOMIC_WORDS..words).step_by(step));
    script::require(&[&extensions[..], &maker.resources.extensions].concat())
        + &format!("[compute shader]\n{}\n", stage.text())
        + &script::begin_test()
        + &commands
        + &script::probe_words(1, probed.map(|word| 4 * word))
        + &after
}

const VARIABLE_GROUPS: &str = "GL_ARB_compute_variable_group_size";
const DERIVATIVES: &str = "GL_NV_compute_shader_derivatives";

/// Computes derivatives between the four invocations of a square or of a row.
fn derivatives(
    stage: &mut StageShader,
    (x, y): (usize, usize),
    extensions: &mut Vec<&'static str>,
) {
    let is_square = (x % 2, y % 2) == (0, 0) && stage.generator.random.chance(50);
    if !is_square && x * y % 4 != 0 {
        return;
    }
    stage.enable(DERIVATIVES);
    extensions.push(DERIVATIVES);
    let group = if is_square { "quads" } else { "linear" };
    stage.declare(&format!("layout(derivative_group_{group}NV) in;\n"));
    let value = match is_square {
        true => "int(gl_LocalInvocationID.x * 3u + gl_LocalInvocationID.y * 5u)",
        false => "id * 2",
    };
    let function = stage.generator.random.pick(&["dFdx", "dFdy", "fwidth"]);
    stage.seed(Scalar::Float, "slope", &format!("{function}(float({value}))"));
}

/// Adds accesses to a texel of the invocation's own, atomics and barriers at the end of `main`.
fn other_memory(stage: &mut StageShader, extensions: &mut Vec<&'static str>) -> Commands {
    let mut all = Commands::default();
    match stage.generator.random.below(20) {
        0..=3 => {
            all.add(stored::own_texel(stage, "own"));
            extensions.push(stored::IMAGE_SIZE);
        }
        4 => {
            all.add(stored::counter_operations(stage));
            extensions.push(stored::COUNTER_OPERATIONS);
        }
        5 => {
            all.add(stored::long_atomics(stage));
            extensions.extend(stored::LONG_ATOMICS);
            stored::shared_long_atomics(stage, barrier(stage));
        }
        6 => {
            all.add(stored::float_atomics(stage));
            extensions.push(stored::FLOAT_ATOMICS);
        }
        _ => {}
    }
    if stage.generator.random.chance(25) {
        let all = [
            "memoryBarrier();",
            "memoryBarrierBuffer();",
            "memoryBarrierAtomicCounter();",
            "memoryBarrierImage();",
            "memoryBarrierShared();",
            "groupMemoryBarrier();",
        ];
        let barrier = stage.generator.random.pick(&all);
        stage.end(barrier);
    }
    all
}

/// Lets the invocations of a group meet in the texels of an image, a row for each group and an
/// operation for each half of it. Returns the commands.
fn image_atomics(stage: &mut StageShader) -> String {
    stage.declare("layout(r32i) coherent uniform iimage2D cells;\n");
    stage.end("int row = int(gl_WorkGroupID.x + 4u * gl_WorkGroupID.y);");
    for half in 0..2 {
        let operation = stage.generator.random.pick(&["Add", "Min", "Max", "And", "Or", "Xor"]);
        let column = format!("{} + (hash[{half}] & 7)", 8 * half);
        stage.end(&format!(
            "imageAtomic{operation}(cells, ivec2({column}, row), hash[{}]);",
            half + 1
        ));
    }
    let barrier = barrier(stage);
    stage.end(&format!("memoryBarrierImage(); {barrier}"));
    stage.end("hash[3] ^= imageLoad(cells, ivec2(id & 15, row)).x;");
    script::image(7, "integer 7 (16, 16) (0, 0) GL_R32I", "GL_R32I", "cells")
}

/// Lets invocations meet in components of vectors, at constant and at computed indices. Returns the
/// commands.
fn component_atomics(stage: &mut StageShader) -> String {
    let packing = stage.generator.random.pick(&["std430", "std140"]);
    stage.declare(&format!(
        "layout({packing}, binding = {VECTORS}) buffer Vectors {{ uvec4 vectors[8]; ivec3 triples[8]; }};\n"
    ));
    // An operation for each element, so that their order does not matter.
    for k in 0..8 {
        let random = &mut stage.generator.random;
        let operation = random.pick(&ATOMICS);
        let (source, from) = (random.below(HASHES), random.below(HASHES));
        let (vector, value, rows) = match random.chance(50) {
            true => ("vectors", format!("uint(hash[{source}])"), 4),
            false => ("triples", format!("hash[{source}]"), 3),
        };
        let component = match random.chance(50) {
            true => format!(".{}", random.pick(&["x", "y", "z"])),
            false => format!("[uint(hash[{from}]) % {rows}u]"),
        };
        stage.end(&format!("{operation}({vector}[{k}]{component}, {value});"));
    }
    format!("ssbo {VECTORS} {}\n", 4 * VECTOR_WORDS)
}

/// Declares shared variables that pass values between the invocations of a group.
fn shared(stage: &mut StageShader, invocations: usize) {
    let mut variables = Vec::new();
    for k in 0..stage.generator.random.between(0, 3) {
        let no_bool =
            |types: &TypeTable, ty| !any_scalar(types, ty, &|scalar| scalar == Scalar::Bool);
        let ty = stage.generator.type_where(1, SHARED / invocations, no_bool);
        let name = format!("shared{k}");
        let whole = array(&mut stage.generator.types, ty, invocations);
        let declaration = format!("shared {} {name};\n", stage.generator.types.name(whole));
        stage.declare(&declaration);
        let value = stage.value(ty);
        stage.end(&format!("{name}[id] = {value};"));
        variables.push((name, ty));
    }
    let barrier = barrier(stage);
    stage.declare("shared int sums[4];\nshared uint bits[4];\n");
    // A group may have a single invocation.
    stage.end(&format!(
        "for (int k = id; k < 4; k += {invocations}) {{ sums[k] = k; bits[k] = 5u; }}"
    ));
    stage.end(barrier);
    let meets_once = stage.generator.random.chance(30);
    if meets_once {
        stage.declare("shared uint once[2];\n");
        stage.end(&format!("if (id == 0) {{ once[0] = 3u; once[1] = 0u; }} {barrier}"));
        stage.end("atomicExchange(once[0], 77u);");
        stage.end("atomicCompSwap(once[1], 0u, 5u);");
    }
    let (a, b) = (stage.generator.random.pick(&ATOMICS), stage.generator.random.pick(&ATOMICS));
    stage.end(&format!("{a}(sums[hash[0] & 3], hash[1]);"));
    let condition = if stage.generator.random.chance(50) { "if ((hash[2] & 1) != 0) " } else { "" };
    stage.end(&format!("{condition}{b}(bits[hash[3] & 3], uint(hash[1]));"));
    let neighbors = variables.iter().map(|(name, ty)| {
        let by = stage.generator.random.below(invocations);
        Variable { name: format!("{name}[(id + {by}) % {invocations}]"), ty: *ty, writable: false }
    });
    let neighbors: Vec<Variable> = neighbors.collect();
    stage.hash(3, &neighbors);
    stage.end(barrier);
    if stage.generator.random.chance(50) {
        rotate(stage, &variables, invocations);
    }
    if meets_once {
        stage.end("hash[2] += int(once[0] * 3u + once[1]);");
    }
    stage.end("hash[3] ^= sums[id & 3] * 7 + int(bits[id >> 2 & 3]);");
}

/// Returns the statement that orders the accesses to shared memory.
fn barrier(stage: &StageShader) -> &'static str {
    if stage.generator.avoids(Defect::SharedLoadBarrier) {
        "memoryBarrierShared(); barrier();"
    } else {
        "barrier();"
    }
}

/// Passes values on in a loop with barriers.
fn rotate(stage: &mut StageShader, variables: &[(String, TypeId)], invocations: usize) {
    let barrier = barrier(stage);
    stage.end("for (int round = 0; round < 3; round++) {");
    for (name, ty) in variables {
        let ty = stage.generator.types.name(*ty);
        stage.end(&format!("  {ty} {name}_next = {name}[(id * 3 + 1) % {invocations}];"));
        stage.end(&format!("  {barrier} {name}[id] = {name}_next; {barrier}"));
    }
    stage.end("}");
    let own = variables.iter().map(|(name, ty)| Variable {
        name: format!("{name}[id]"),
        ty: *ty,
        writable: false,
    });
    let own: Vec<Variable> = own.collect();
    stage.hash(2, &own);
}

/// Writes the hashes, some of them with atomics.
fn results(stage: &mut StageShader, invocations: usize) {
    stage.end(&format!(
        "uint place = {ATOMIC_WORDS}u + {HASHES}u * ((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * {invocations}u + uint(id));"
    ));
    stage
        .end(&format!("for (uint k = 0u; k < {HASHES}u; k++) results[place + k] = uint(hash[k]);"));
    // Each invocation has these words alone.
    if stage.generator.random.chance(30) {
        stage.end("results[place] += atomicExchange(results[place + 1u], uint(hash[0])) * 3u;");
        stage
            .end("results[place + 2u] ^= atomicCompSwap(results[place + 3u], uint(hash[3]), 77u);");
    }
    for k in 0..stage.generator.random.between(0, HASHES) {
        let atomic = stage.generator.random.pick(&ATOMICS);
        let index = if stage.generator.random.chance(50) {
            format!("{}", 8 * k)
        } else {
            format!("{}u + (uint(hash[2]) & 7u)", 8 * k)
        };
        stage.end(&format!("{atomic}(results[{index}], uint(hash[{k}]));"));
    }
}
