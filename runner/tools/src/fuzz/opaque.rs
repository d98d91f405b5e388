//! Textures, images, and subroutines, which code reads by lookups. Texels are read at their
//! centers, gathers are at their corners, and all values are 0, 1 or whole numbers, so that nothing
//! depends on filtering.

use std::fmt::Write;

use program::Stage;
use program::types::Scalar;

use super::generator::Generator;
use super::resources::{Lookup, Resource, Resources};
use super::script;
use spirv_rewrite::Random;

/// A kind of texture with the lookups of a sampler, which is `T` there.
struct TextureForm {
    /// Sampler type without the letter of the component type.
    sampler: &'static str,
    /// Arguments of the `texture` command; `U` is the slot's number.
    fill: &'static str,
    /// Component type.
    scalar: Scalar,
    lookups: &'static [(&'static str, u8)],
}

const TEXTURES: [TextureForm; 8] = [
    TextureForm {
        sampler: "sampler2D",
        fill: "rgbw U (16, 16)",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, ivec2({16}, {16}), 0)", 4),
            ("texelFetchOffset(T, ivec2({8}, {8}) + 4, 0, ivec2(3, -4))", 4),
            ("textureLod(T, (vec2({16}, {16}) + 0.5) * 0.0625, 0.0)", 4),
            ("textureLodOffset(T, (vec2({8}, {8}) + 4.5) * 0.0625, 0.0, ivec2(-2, 1))", 4),
            ("textureProjLod(T, vec3((vec2({16}, {16}) + 0.5) * 0.125, 2.0), 0.0)", 4),
            ("textureGrad(T, (vec2({16}, {16}) + 0.5) * 0.0625, vec2(0.0), vec2(0.0))", 4),
            ("textureGather(T, (vec2({8}, {8}) + 5.0) * 0.0625)", 4),
            ("textureGather(T, (vec2({8}, {8}) + 5.0) * 0.0625, 2)", 4),
            ("textureGatherOffset(T, (vec2({8}, {8}) + 5.0) * 0.0625, ivec2(-3, 2), 1)", 4),
        ],
    },
    TextureForm {
        sampler: "sampler2D",
        fill: "miptree U",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, ivec2(0), int({4}))", 4),
            ("textureLod(T, vec2(0.5), float({4}))", 4),
        ],
    },
    TextureForm {
        sampler: "sampler1D",
        fill: "rgbw 1D U",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, int({4}), 0)", 4),
            ("textureLod(T, (float({4}) + 0.5) * 0.25, 0.0)", 4),
            ("textureProjLod(T, vec2(float({4}) + 0.5, 4.0), 0.0)", 4),
        ],
    },
    TextureForm {
        sampler: "sampler1DArray",
        fill: "rgbw 1DArray U (4, 4)",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, ivec2({4}, {4}), 0)", 4),
            ("textureLod(T, vec2((float({4}) + 0.5) * 0.25, float({4})), 0.0)", 4),
        ],
    },
    TextureForm {
        sampler: "sampler2DArray",
        fill: "rgbw 2DArray U (4, 4, 4)",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, ivec3({4}, {4}, {4}), 0)", 4),
            ("textureLod(T, vec3((vec2({4}, {4}) + 0.5) * 0.25, float({4})), 0.0)", 4),
            ("textureGather(T, vec3((vec2({2}, {2}) + 1.0) * 0.25, float({4})))", 4),
        ],
    },
    TextureForm {
        sampler: "sampler3D",
        fill: "rgbw 3D U",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, ivec3({2}, {2}, {2}), 0)", 4),
            ("textureLod(T, (vec3({2}, {2}, {2}) + 0.5) * 0.5, 0.0)", 4),
        ],
    },
    TextureForm {
        sampler: "sampler2DShadow",
        fill: "shadow2D U (16, 16)",
        scalar: Scalar::Float,
        // The depth of a texel is its column's number in fifteenths.
        lookups: &[
            (
                "textureLod(T, vec3((vec2({16}, {16}) + 0.5) * 0.0625, (float({14}) + 0.5) / 15.0), 0.0)",
                1,
            ),
            ("textureGather(T, (vec2({8}, {8}) + 5.0) * 0.0625, (float({14}) + 0.5) / 15.0)", 4),
        ],
    },
    TextureForm {
        sampler: "isampler2D",
        fill: "integer U (16, 16) (-7, 9) GL_RGBA32I",
        scalar: Scalar::Int,
        lookups: &[
            ("texelFetch(T, ivec2({16}, {16}), 0)", 4),
            ("textureLod(T, (vec2({16}, {16}) + 0.5) * 0.0625, 0.0)", 4),
            ("textureGather(T, (vec2({8}, {8}) + 5.0) * 0.0625, 1)", 4),
        ],
    },
];

/// Formats of images, whose texels are those of a `rgbw` texture.
const COLOR_FORMATS: [&str; 21] = [
    "rgba32f",
    "rgba16f",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r32f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rgba8",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rgba8_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba8",
];

/// Formats of images of integers.
const INTEGER_FORMATS: [&str; 3] = ["r32i", "rg32i", "rgba32i"];

impl Resources {
    /// Adds textures, subroutines and images for a program with these stages, in order. Images are
    /// for programs of one stage: others need not offer any.
    pub(super) fn lookups(&mut self, generator: &mut Generator, stages: &[Stage]) {
        let is_translated = generator.is_translated;
        let random = &mut generator.random;
        let mut unit = 0;
        for _ in 0..random.pick(&[0, 0, 1, 1, 2]) {
            self.texture(random, unit, stages.len());
            unit += 1;
        }
        // Scripts select subroutines for draws of rectangles only, which these tests have.
        if stages == [Stage::Fragment] && random.chance(40) && !is_translated {
            self.subroutine(random);
        }
        if let &[Stage::Fragment | Stage::Compute] = stages {
            for _ in 0..random.pick(&[0, 0, 0, 1, 2]) {
                self.image(random, unit);
                unit += 1;
            }
        }
    }

    fn texture(&mut self, random: &mut Random, unit: usize, stages: usize) {
        let form = &TEXTURES[random.below(TEXTURES.len())];
        let name = format!("texture{unit}");
        let fill = form.fill.replace('U', &unit.to_string());
        let _ = writeln!(self.commands, "texture {fill}\nuniform int {name} {unit}");
        let lookups = form.lookups.iter().map(|&(template, rows)| Lookup {
            template: template.replace("(T,", &format!("({name},")),
            ty: (form.scalar, rows),
        });
        self.all.push(Resource {
            declaration: format!("uniform {} {name};\n", form.sampler),
            variables: Vec::new(),
            lookups: lookups.collect(),
            extensions: &[],
            stages: random.between(1, (1 << stages) - 1),
        });
    }

    fn image(&mut self, random: &mut Random, unit: usize) {
        let is_integer = random.chance(30);
        let (letter, scalar) = if is_integer { ("i", Scalar::Int) } else { ("", Scalar::Float) };
        let format = random.pick(if is_integer { &INTEGER_FORMATS[..] } else { &COLOR_FORMATS });
        let gl = format!("GL_{}", format.to_uppercase());
        let fill = match is_integer {
            true => format!("integer {unit} (16, 16) (3, -12) {gl}"),
            false => format!("rgbw {unit} (16, 16) {gl}"),
        };
        let name = format!("image{unit}");
        let load = format!("imageLoad({name}, ivec2({{16}}, {{16}}))");
        // Texels are zeros and ones. A driver may join the conversion from a normalized format with
        // the arithmetic after it, whose result is then not that of a one.
        let is_normalized = !is_integer && !format.contains('f');
        let template = if is_normalized { format!("round({load})") } else { load };
        self.commands += &script::image(unit, &fill, &gl, &name);
        self.all.push(Resource {
            declaration: format!("layout({format}) readonly uniform {letter}image2D {name};\n"),
            variables: Vec::new(),
            lookups: vec![Lookup { template, ty: (scalar, 4) }],
            extensions: &[],
            stages: 1,
        });
    }

    /// Adds an array of subroutine uniforms for a fragment shader.
    fn subroutine(&mut self, random: &mut Random) {
        let bodies = ["x * 3 + 1", "x ^ 0x155", "x < 40 ? 7 : -x"];
        let mut declaration = String::from("subroutine int Choice(int x);\n");
        for (k, body) in bodies.iter().enumerate() {
            let _ = writeln!(
                declaration,
                "subroutine(Choice) int choice{k}(int x) {{ return {body}; }}"
            );
        }
        declaration += "subroutine uniform Choice chosen[2];\n";
        let lookups = (0..2).map(|k| {
            let function = random.below(bodies.len());
            let _ = writeln!(
                self.commands,
                "subuniform GL_FRAGMENT_SHADER chosen[{k}] choice{function}"
            );
            Lookup { template: format!("chosen[{k}](int({{100}}))"), ty: (Scalar::Int, 1) }
        });
        let lookups = lookups.collect();
        self.all.push(Resource {
            declaration,
            variables: Vec::new(),
            lookups,
            extensions: &[],
            stages: 1,
        });
    }
}
