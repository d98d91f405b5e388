//! Clip and cull distances, transform feedback and vertex streams: outputs that a test captures,
//! and those that a geometry shader reads of its vertices.

use std::fmt::Write;

use program::types::Scalar;

use super::defects::Defect;
use super::stage::StageShader;
use spirv_rewrite::Random;

/// Extensions of tests that capture.
pub(super) const EXTENSIONS: [&str; 2] = ["GL_ARB_enhanced_layouts", "GL_ARB_cull_distance"];

/// Numbers of distances of a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distances {
    clip: usize,
    cull: usize,
}

impl Distances {
    pub(super) fn random(random: &mut Random) -> Distances {
        let clip = random.between(1, 6);
        Distances { clip, cull: random.between(1, 8 - clip) }
    }

    /// Declares `gl_PerVertex` of a side; `places` are the offsets of captured members.
    fn block(self, side: &str, instance: &str, places: Option<[usize; 3]>) -> String {
        let place = |member: usize| match places {
            Some(places) => format!("layout(xfb_offset = {}) ", places[member]),
            None => String::new(),
        };
        format!(
            "{side} gl_PerVertex {{\n  {}vec4 gl_Position;\n  {}float gl_ClipDistance[{}];\n  \
             {}float gl_CullDistance[{}];\n}}{instance};\n",
            place(0),
            place(1),
            self.clip,
            place(2),
            self.cull,
        )
    }

    /// Writes the distances of a vertex at the end of `main`: none is negative, so that nothing is
    /// clipped or culled. They have few digits.
    fn write(self, stage: &mut StageShader) {
        for (name, count) in [("Clip", self.clip), ("Cull", self.cull)] {
            for k in 0..count {
                let hash = stage.generator.random.below(4);
                stage.end(&format!(
                    "gl_{name}Distance[{k}] = float(hash[{hash}] >> {k} & 63) * 0.5;"
                ));
            }
        }
    }

    /// Declares and writes the distances of a stage that is not captured.
    pub(super) fn output(self, stage: &mut StageShader) {
        stage.enable(EXTENSIONS[1]);
        stage.declare(&self.block("out", "", None));
        self.write(stage);
    }

    /// Declares the distances of the vertices of a primitive, which the code reads.
    pub(super) fn input(self, stage: &mut StageShader, vertices: usize, vertex: &str) {
        stage.enable(EXTENSIONS[1]);
        stage.declare(&self.block("in", " gl_in[]", None));
        let float = stage.generator.scalar(Scalar::Float);
        for (name, count) in [("Clip", self.clip), ("Cull", self.cull)] {
            let (element, last) = (stage.generator.random.below(count), vertices - 1);
            let member = format!("gl_{name}Distance");
            stage.generator.declare(&format!("gl_in[{last}].{member}[{element}]"), float, false);
            if !stage.generator.avoids(Defect::IndexComponent) {
                let place = format!("gl_in[{vertex} % {vertices}].{member}[{vertex} % {count}]");
                stage.generator.declare(&place, float, false);
            }
        }
    }
}

/// Captured floats of the records of each buffer.
pub(super) struct Capture {
    floats: Vec<usize>,
}

impl Capture {
    /// Captures outputs of the last stage before rasterization: members of `gl_PerVertex` in any
    /// order, and a variable in a buffer of its own.
    pub(super) fn vertices(stage: &mut StageShader) -> Capture {
        EXTENSIONS.iter().for_each(|extension| stage.enable(extension));
        let distances = Distances::random(&mut stage.generator.random);
        let sizes = [4, distances.clip, distances.cull];
        let order = stage.generator.random.some_of(&[0, 1, 2], 3);
        let (mut places, mut floats) = ([0; 3], stage.generator.random.below(3));
        for member in order {
            places[member] = 4 * floats;
            floats += sizes[member] + stage.generator.random.below(2);
        }
        if stage.generator.avoids(Defect::CapturedPosition) {
            stage.declare(&distances.block("out", "", None));
            floats = 0;
        } else {
            stage.declare(&distances.block("layout(xfb_buffer = 0) out", "", Some(places)));
        }
        distances.write(stage);
        let length = stage.generator.random.between(1, 3);
        stage.declare(&format!(
            "layout(xfb_buffer = 1, xfb_offset = 4) flat out ivec2 captured[{length}];\n"
        ));
        for k in 0..length {
            stage.end(&format!("captured[{k}] = ivec2(hash[{k}], hash[{}]) & 0xffff;", k + 1));
        }
        Capture { floats: vec![floats, 1 + 2 * length] }
    }

    /// Declares the outputs of three streams of a geometry shader, one of them with two buffers.
    pub(super) fn streams(stage: &mut StageShader) -> Capture {
        stage.enable(EXTENSIONS[0]);
        stage.declare(
            "layout(stream = 0, xfb_buffer = 0, xfb_offset = 0) out float captured0;\n\
             layout(stream = 1, xfb_buffer = 1, xfb_offset = 4) out vec2 captured1;\n\
             layout(stream = 1, xfb_buffer = 3, xfb_offset = 0) flat out ivec2 pair1[2];\n\
             layout(stream = 2, xfb_buffer = 2, xfb_offset = 0) flat out int captured2;\n",
        );
        Capture { floats: vec![1, 3, 1, 4] }
    }

    /// Emits vertices of the other streams, some in some invocations only, and then writes the
    /// output of stream 0: emission leaves the outputs of all streams undefined.
    pub(super) fn emit(stage: &mut StageShader) {
        let condition = stage.generator.random.pick(&["true", "(hash[1] & 1) != 0", "id != 1"]);
        let stream = stage.generator.random.pick(&["1", "2 - 1", "int(1.0)"]);
        stage.end(&format!("if ({condition}) {{"));
        stage.end("  captured1 = vec2(hash[1] & 255, hash[2] & 255);");
        stage.end("  pair1[0] = ivec2(hash[0], hash[3]) & 0xffff;");
        stage.end("  pair1[1] = ivec2(id);");
        stage.end(&format!("  EmitStreamVertex({stream});"));
        stage.end("}");
        stage.end("captured2 = hash[2] & 0xffff;");
        stage.end("EmitStreamVertex(2);");
        stage.end("EndStreamPrimitive(2);");
        stage.end("captured0 = float(hash[0] & 0xffff);");
    }

    /// Returns the commands that draw and capture at most `records` records in each buffer, and
    /// compare them.
    pub(super) fn commands(&self, draw: &str, records: usize) -> String {
        let mut text = String::new();
        let filled = || self.floats.iter().enumerate().filter(|(_, floats)| **floats > 0);
        for (buffer, floats) in filled() {
            let _ = writeln!(text, "xfb buffer object {buffer} {}", 4 * floats * records);
        }
        let _ = writeln!(text, "xfb draw arrays {draw}");
        for (buffer, floats) in filled() {
            for index in 0..floats * records {
                let _ = writeln!(text, "probe xfb buffer float {buffer} {index} 0.0");
            }
        }
        text
    }
}
