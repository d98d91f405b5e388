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
    /// Arguments of the `texture` command; `U` is the slot's number. Without any, the unit has no
    /// texture: lookups give black. Fetches have no value then (OpenGL 4.6, section 11.1.3.2), and
    /// implementations differ in that of gathers: programs have them and do not execute them.
    fill: &'static str,
    /// Component type.
    scalar: Scalar,
    lookups: &'static [(&'static str, u8)],
    /// Lookups with a computed level of detail, which is 0 in all stages but the fragment stage.
    implicit: &'static [(&'static str, u8)],
    /// Lookups that only fragment shaders have.
    biased: &'static [(&'static str, u8)],
}

const TEXTURES: [TextureForm; 18] = [
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
            ("textureProjLod(T, vec4((vec2({16}, {16}) + 0.5) * 0.25, 9.0, 4.0), 0.0)", 4),
            ("textureGrad(T, (vec2({16}, {16}) + 0.5) * 0.0625, vec2(0.0), vec2(0.0))", 4),
            (
                "textureGradOffset(T, (vec2({8}, {8}) + 4.5) * 0.0625, vec2(0.0), vec2(0.0), ivec2(1, -2))",
                4,
            ),
            (
                "textureProjGrad(T, vec3((vec2({16}, {16}) + 0.5) * 0.125, 2.0), vec2(0.0), vec2(0.0))",
                4,
            ),
            ("textureGather(T, (vec2({8}, {8}) + 5.0) * 0.0625)", 4),
            ("textureGather(T, (vec2({8}, {8}) + 5.0) * 0.0625, 2)", 4),
            ("textureGatherOffset(T, (vec2({8}, {8}) + 5.0) * 0.0625, ivec2(-3, 2), 1)", 4),
            (
                "textureGatherOffsets(T, (vec2({8}, {8}) + 5.0) * 0.0625, ivec2[4](ivec2(-3, 2), ivec2(0, 1), ivec2(3, -2), ivec2(2, 2)), 3)",
                4,
            ),
        ],
        implicit: &[
            ("texture(T, (vec2({16}, {16}) + 0.5) * 0.0625)", 4),
            ("textureOffset(T, (vec2({8}, {8}) + 4.5) * 0.0625, ivec2(2, -3))", 4),
            ("textureProj(T, vec3((vec2({16}, {16}) + 0.5) * 0.125, 2.0))", 4),
        ],
        biased: &[
            ("texture(T, (vec2({16}, {16}) + 0.5) * 0.0625, 0.5)", 4),
            ("textureOffset(T, (vec2({8}, {8}) + 4.5) * 0.0625, ivec2(-1, 3), 1.0)", 4),
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
        implicit: &[],
        biased: &[],
    },
    TextureForm {
        sampler: "sampler1D",
        fill: "rgbw 1D U",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, int({4}), 0)", 4),
            ("textureLod(T, (float({4}) + 0.5) * 0.25, 0.0)", 4),
            ("textureProjLod(T, vec2(float({4}) + 0.5, 4.0), 0.0)", 4),
            ("textureGrad(T, (float({4}) + 0.5) * 0.25, 0.0, 0.0)", 4),
        ],
        implicit: &[("texture(T, (float({4}) + 0.5) * 0.25)", 4)],
        biased: &[("texture(T, (float({4}) + 0.5) * 0.25, 1.0)", 4)],
    },
    TextureForm {
        sampler: "sampler1DArray",
        fill: "rgbw 1DArray U (4, 4)",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, ivec2({4}, {4}), 0)", 4),
            ("textureLod(T, vec2((float({4}) + 0.5) * 0.25, float({4})), 0.0)", 4),
        ],
        implicit: &[("texture(T, vec2((float({4}) + 0.5) * 0.25, float({4})))", 4)],
        biased: &[("texture(T, vec2((float({4}) + 0.5) * 0.25, float({4})), 1.0)", 4)],
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
        implicit: &[("texture(T, vec3((vec2({4}, {4}) + 0.5) * 0.25, float({4})))", 4)],
        biased: &[("texture(T, vec3((vec2({4}, {4}) + 0.5) * 0.25, float({4})), 1.0)", 4)],
    },
    TextureForm {
        sampler: "sampler3D",
        fill: "rgbw 3D U",
        scalar: Scalar::Float,
        lookups: &[
            ("texelFetch(T, ivec3({2}, {2}, {2}), 0)", 4),
            ("textureLod(T, (vec3({2}, {2}, {2}) + 0.5) * 0.5, 0.0)", 4),
            ("textureGrad(T, (vec3({2}, {2}, {2}) + 0.5) * 0.5, vec3(0.0), vec3(0.0))", 4),
        ],
        implicit: &[
            ("texture(T, (vec3({2}, {2}, {2}) + 0.5) * 0.5)", 4),
            ("textureProj(T, vec4(vec3({2}, {2}, {2}) + 0.5, 2.0))", 4),
        ],
        biased: &[("texture(T, (vec3({2}, {2}, {2}) + 0.5) * 0.5, 1.0)", 4)],
    },
    // The depth of a texel is its column's number in fifteenths.
    TextureForm {
        sampler: "sampler2DShadow",
        fill: "shadow2D U (16, 16)",
        scalar: Scalar::Float,
        lookups: &[
            (
                "textureLod(T, vec3((vec2({16}, {16}) + 0.5) * 0.0625, (float({14}) + 0.5) / 15.0), 0.0)",
                1,
            ),
            (
                "textureGrad(T, vec3((vec2({16}, {16}) + 0.5) * 0.0625, (float({14}) + 0.5) / 15.0), vec2(0.0), vec2(0.0))",
                1,
            ),
            ("textureGather(T, (vec2({8}, {8}) + 5.0) * 0.0625, (float({14}) + 0.5) / 15.0)", 4),
            (
                "textureGatherOffset(T, (vec2({8}, {8}) + 5.0) * 0.0625, (float({14}) + 0.5) / 15.0, ivec2(2, -1))",
                4,
            ),
        ],
        implicit: &[
            ("texture(T, vec3((vec2({16}, {16}) + 0.5) * 0.0625, (float({14}) + 0.5) / 15.0))", 1),
            (
                "textureProj(T, vec4((vec2({16}, {16}) + 0.5) * 0.125, (float({14}) + 0.5) / 7.5, 2.0))",
                1,
            ),
        ],
        biased: &[(
            "texture(T, vec3((vec2({16}, {16}) + 0.5) * 0.0625, (float({14}) + 0.5) / 15.0), 1.0)",
            1,
        )],
    },
    TextureForm {
        sampler: "sampler1DShadow",
        fill: "shadow1D U (16)",
        scalar: Scalar::Float,
        lookups: &[(
            "textureLod(T, vec3((float({16}) + 0.5) * 0.0625, 7.0, (float({14}) + 0.5) / 15.0), 0.0)",
            1,
        )],
        implicit: &[(
            "texture(T, vec3((float({16}) + 0.5) * 0.0625, 7.0, (float({14}) + 0.5) / 15.0))",
            1,
        )],
        biased: &[],
    },
    TextureForm {
        sampler: "sampler1DArrayShadow",
        fill: "shadow1DArray U (16, 4)",
        scalar: Scalar::Float,
        lookups: &[(
            "textureLod(T, vec3((float({16}) + 0.5) * 0.0625, float({4}), (float({14}) + 0.5) / 15.0), 0.0)",
            1,
        )],
        implicit: &[(
            "texture(T, vec3((float({16}) + 0.5) * 0.0625, float({4}), (float({14}) + 0.5) / 15.0))",
            1,
        )],
        biased: &[],
    },
    TextureForm {
        sampler: "sampler2DArrayShadow",
        fill: "shadow2DArray U (16, 16, 4)",
        scalar: Scalar::Float,
        lookups: &[(
            "textureGather(T, vec3((vec2({8}, {8}) + 5.0) * 0.0625, float({4})), (float({14}) + 0.5) / 15.0)",
            4,
        )],
        implicit: &[(
            "texture(T, vec4((vec2({16}, {16}) + 0.5) * 0.0625, float({4}), (float({14}) + 0.5) / 15.0))",
            1,
        )],
        biased: &[],
    },
    TextureForm {
        sampler: "sampler2DRectShadow",
        fill: "shadowRect U (16, 16)",
        scalar: Scalar::Float,
        lookups: &[
            ("texture(T, vec3(vec2({16}, {16}) + 0.5, (float({14}) + 0.5) / 15.0))", 1),
            ("textureGather(T, vec2({8}, {8}) + 5.0, (float({14}) + 0.5) / 15.0)", 4),
        ],
        implicit: &[],
        biased: &[],
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
        implicit: &[("texture(T, (vec2({16}, {16}) + 0.5) * 0.0625)", 4)],
        biased: &[],
    },
    TextureForm {
        sampler: "usampler2D",
        fill: "",
        scalar: Scalar::Uint,
        lookups: &[
            ("(int({16}) > 16 ? texelFetch(T, ivec2({16}, {16}), 0) : uvec4(1u, 2u, 3u, 4u))", 4),
            ("textureLod(T, vec2(0.5), 0.0)", 4),
        ],
        implicit: &[("texture(T, vec2(0.5))", 4)],
        biased: &[],
    },
    TextureForm {
        sampler: "sampler2DRect",
        fill: "",
        scalar: Scalar::Float,
        lookups: &[
            ("(int({16}) > 16 ? texelFetch(T, ivec2({16}, {16})) : vec4(1.0, 2.0, 3.0, 4.0))", 4),
            ("texture(T, vec2({16}, {16}))", 4),
        ],
        implicit: &[],
        biased: &[],
    },
    TextureForm {
        sampler: "samplerCube",
        fill: "",
        scalar: Scalar::Float,
        lookups: &[
            ("textureLod(T, vec3({16}, {16}, {16}) - 7.5, 0.0)", 4),
            ("textureGrad(T, vec3({16}, {16}, {16}) - 7.5, vec3(0.0), vec3(0.0))", 4),
            ("(int({16}) > 16 ? textureGather(T, vec3({16}, {16}, {16}) - 7.5) : vec4(0.5))", 4),
        ],
        implicit: &[("texture(T, vec3({16}, {16}, {16}) - 7.5)", 4)],
        biased: &[("texture(T, vec3({16}, {16}, {16}) - 7.5, 1.0)", 4)],
    },
    TextureForm {
        sampler: "samplerCubeArray",
        fill: "",
        scalar: Scalar::Float,
        lookups: &[
            ("textureLod(T, vec4(vec3({16}, {16}, {16}) - 7.5, 0.0), 0.0)", 4),
            ("(int({16}) > 16 ? textureGather(T, vec4(vec3({16}) - 7.5, 0.0)) : vec4(0.5))", 4),
        ],
        implicit: &[("texture(T, vec4(vec3({16}, {16}, {16}) - 7.5, 0.0))", 4)],
        biased: &[],
    },
    TextureForm {
        sampler: "sampler2DMS",
        fill: "",
        scalar: Scalar::Float,
        lookups: &[("(int({16}) > 16 ? texelFetch(T, ivec2(0), 0) : vec4(0.5))", 4)],
        implicit: &[],
        biased: &[],
    },
    TextureForm {
        sampler: "sampler2DMSArray",
        fill: "",
        scalar: Scalar::Float,
        lookups: &[("(int({16}) > 16 ? texelFetch(T, ivec3(0), 0) : vec4(0.5))", 4)],
        implicit: &[],
        biased: &[],
    },
];

/// The first of the units that no test fills, counted downwards: samplers of two types must not
/// share a unit (OpenGL 4.6, section 7.11).
const EMPTY: usize = 15;

/// Queries of a texture, by extension.
const QUERIES: [(&[&str], &str); 3] = [
    (&[], "textureSize(T, 0)"),
    (&["GL_ARB_texture_query_levels"], "textureQueryLevels(T)"),
    (&["GL_ARB_texture_query_lod"], "textureQueryLOD(T, vec2(0.5))"),
];

/// Formats of images, whose texels are those of a `rgbw` texture.
pub(super) const COLOR_FORMATS: [&str; 21] = [
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
        let mut unit = 0;
        for _ in 0..generator.random.pick(&[0, 0, 1, 1, 2]) {
            self.texture(&mut generator.random, unit, stages.len());
            self.restrict_last(generator);
            unit += 1;
        }
        let random = &mut generator.random;
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
        if form.fill.is_empty() {
            let _ = writeln!(self.commands, "uniform int {name} {}", EMPTY - unit);
        } else {
            let fill = form.fill.replace('U', &unit.to_string());
            let _ = writeln!(self.commands, "texture {fill}\nuniform int {name} {unit}");
        }
        let of = |&(template, rows): &(&str, u8)| {
            Lookup::new(template.replace("(T,", &format!("({name},")), form.scalar, rows)
        };
        let mut resource = Resource {
            declaration: format!("uniform {} {name};\n", form.sampler),
            variables: Vec::new(),
            lookups: form.lookups.iter().map(of).collect(),
            implicit: form.implicit.iter().map(of).collect(),
            biased: form.biased.iter().map(of).collect(),
            extensions: &[],
            stages: random.between(1, (1 << stages) - 1),
        };
        if form.sampler == "sampler2D" && random.chance(30) {
            self.query(&mut resource, random, &name);
        }
        self.all.push(resource);
    }

    /// Adds a query of a texture with two dimensions.
    fn query(&mut self, resource: &mut Resource, random: &mut Random, name: &str) {
        let (extensions, template) = QUERIES[random.below(QUERIES.len())];
        let call = template.replace('T', name);
        match extensions {
            [] => resource.lookups.push(Lookup::new(call, Scalar::Int, 2)),
            // Coordinates do not vary: the level is none, or the largest.
            _ if call.starts_with("textureQueryLOD") => {
                let call = format!("max({}, 0.0)", call);
                resource.biased.push(Lookup::new(call, Scalar::Float, 2));
            }
            _ => resource.lookups.push(Lookup::new(call, Scalar::Int, 1)),
        }
        resource.extensions = extensions;
        self.extensions.extend(extensions);
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
            lookups: vec![Lookup::new(template, scalar, 4)],
            implicit: Vec::new(),
            biased: Vec::new(),
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
            Lookup::new(format!("chosen[{k}](int({{100}}))"), Scalar::Int, 1)
        });
        let lookups = lookups.collect();
        self.all.push(Resource {
            declaration,
            variables: Vec::new(),
            lookups,
            implicit: Vec::new(),
            biased: Vec::new(),
            extensions: &[],
            stages: 1,
        });
    }
}
