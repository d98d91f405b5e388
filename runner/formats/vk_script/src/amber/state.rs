//! Fixed-function state in a pipeline: `DEPTH`, `STENCIL`, `BLEND`, `POLYGON_MODE`, `VIEWPORT`.

use super::parser::Parser;
use crate::model::{
    BlendFactor, BlendOp, CompareOp, DepthBias, PolygonMode, State, StencilFace, StencilOp,
    Viewport,
};
use crate::text::Step;
use crate::tokens::{Kind, Token};

/// The comparison with a name of AmberScript.
pub(super) fn compare_op_named(name: &str) -> Option<CompareOp> {
    CompareOp::from_vk_name(&upper(name)?)
}

fn stencil_op_named(name: &str) -> Option<StencilOp> {
    StencilOp::from_vk_name(&upper(name)?)
}

fn blend_factor_named(name: &str) -> Option<BlendFactor> {
    BlendFactor::from_vk_name(&upper(name)?)
}

fn blend_op_named(name: &str) -> Option<BlendOp> {
    let upper = match name {
        // Amber's spellings of four operations.
        "substract" => "SUBTRACT".to_owned(),
        "reverse_substract" => "REVERSE_SUBTRACT".to_owned(),
        "invert_org" => "INVERT_OVG".to_owned(),
        _ => upper(name)?,
    };
    let extension =
        upper.replace("COLOR_", "COLOR").replace("HARD_", "HARD").replace("SOFT_", "SOFT");
    let extension = extension.replace("LINEAR_", "LINEAR").replace("VIVID_", "VIVID");
    let extension = extension.replace("PIN_", "PIN");
    [upper.clone(), format!("{upper}_EXT"), format!("{extension}_EXT")]
        .iter()
        .find_map(|name| BlendOp::from_vk_name(name))
}

/// A name in lower case as Vulkan writes it; `None` for other spellings.
fn upper(name: &str) -> Option<String> {
    let lower = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    lower.then(|| name.to_ascii_uppercase())
}

impl<'a> Parser<'a> {
    /// Reads lines of options up to `END`; `option` reads one.
    fn options(
        &mut self,
        start: &Token<'a>,
        command: &str,
        mut option: impl FnMut(&mut Self, &'a str, &Token<'a>) -> Step<()>,
    ) -> Step<()> {
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => return self.cursor.end_of_line(command),
                Kind::Word(word) => option(self, word, &token)?,
                Kind::End => return Err(start.fault(format!("`{command}` without `END`"))),
                _ => return Err(token.fault(format!("unknown option of `{command}`"))),
            }
        }
    }

    fn named<T>(&mut self, expected: &str, find: impl Fn(&str) -> Option<T>) -> Step<T> {
        let (word, token) = self.cursor.word(expected)?;
        find(word).ok_or_else(|| token.fault(format!("expected {expected}")))
    }

    pub(super) fn depth(&mut self, state: &mut State, start: &Token<'a>) -> Step<()> {
        let depth = &mut state.depth;
        self.options(start, "DEPTH", |parser, word, token| {
            match word {
                "TEST" => depth.test = parser.switch()?,
                "WRITE" => depth.write = parser.switch()?,
                "CLAMP" => depth.clamp = parser.switch()?,
                "COMPARE_OP" => depth.compare = parser.named("a comparison", compare_op_named)?,
                "BOUNDS" => {
                    let [min, max] = parser.labeled(["min", "max"])?;
                    depth.bounds = Some([min, max]);
                }
                "BIAS" => {
                    let [constant, clamp, slope] =
                        parser.labeled(["constant", "clamp", "slope"])?;
                    depth.bias = Some(DepthBias { constant, clamp, slope });
                }
                _ => return Err(token.fault("unknown option of `DEPTH`")),
            }
            Ok(())
        })
    }

    /// Reads words, each with a number behind it.
    fn labeled<const N: usize>(&mut self, labels: [&str; N]) -> Step<[f32; N]> {
        let mut values = [0.0; N];
        for (label, value) in labels.iter().zip(&mut values) {
            self.cursor.keyword(label)?;
            *value = self.cursor.real("a number")? as f32;
        }
        Ok(values)
    }

    pub(super) fn stencil(&mut self, state: &mut State, start: &Token<'a>) -> Step<()> {
        let faces =
            [("front", [true, false]), ("back", [false, true]), ("front_and_back", [true; 2])];
        let [front, back] = self.choice("a face", &faces)?;
        self.options(start, "STENCIL", |parser, word, token| {
            if word == "TEST" {
                state.stencil_test = parser.switch()?;
                return Ok(());
            }
            let mut changed = if front { state.front } else { state.back };
            parser.stencil_option(&mut changed, word, token)?;
            let copy = |face: &mut StencilFace| match word {
                "FAIL_OP" => face.fail = changed.fail,
                "PASS_OP" => face.pass = changed.pass,
                "DEPTH_FAIL_OP" => face.depth_fail = changed.depth_fail,
                "COMPARE_OP" => face.compare = changed.compare,
                "COMPARE_MASK" => face.compare_mask = changed.compare_mask,
                "WRITE_MASK" => face.write_mask = changed.write_mask,
                _ => face.reference = changed.reference,
            };
            if front {
                copy(&mut state.front);
            }
            if back {
                copy(&mut state.back);
            }
            Ok(())
        })
    }

    fn stencil_option(
        &mut self,
        face: &mut StencilFace,
        word: &str,
        token: &Token<'a>,
    ) -> Step<()> {
        let operation = "a stencil operation";
        match word {
            "FAIL_OP" => face.fail = self.named(operation, stencil_op_named)?,
            "PASS_OP" => face.pass = self.named(operation, stencil_op_named)?,
            "DEPTH_FAIL_OP" => face.depth_fail = self.named(operation, stencil_op_named)?,
            "COMPARE_OP" => face.compare = self.named("a comparison", compare_op_named)?,
            "COMPARE_MASK" => face.compare_mask = self.cursor.unsigned("a mask")?,
            "WRITE_MASK" => face.write_mask = self.cursor.unsigned("a mask")?,
            "REFERENCE" => face.reference = self.cursor.unsigned("a reference")?,
            _ => return Err(token.fault("unknown option of `STENCIL`")),
        }
        Ok(())
    }

    pub(super) fn blend(&mut self, state: &mut State, start: &Token<'a>) -> Step<()> {
        let blend = &mut state.blend;
        blend.enable = true;
        let (factor, operation) = ("a blend factor", "a blend operation");
        self.options(start, "BLEND", |parser, word, token| {
            match word {
                "SRC_COLOR_FACTOR" => blend.src_color = parser.named(factor, blend_factor_named)?,
                "DST_COLOR_FACTOR" => blend.dst_color = parser.named(factor, blend_factor_named)?,
                "COLOR_OP" => blend.color_op = parser.named(operation, blend_op_named)?,
                "SRC_ALPHA_FACTOR" => blend.src_alpha = parser.named(factor, blend_factor_named)?,
                "DST_ALPHA_FACTOR" => blend.dst_alpha = parser.named(factor, blend_factor_named)?,
                "ALPHA_OP" => blend.alpha_op = parser.named(operation, blend_op_named)?,
                _ => return Err(token.fault("unknown option of `BLEND`")),
            }
            Ok(())
        })
    }

    pub(super) fn polygon_mode(&mut self, state: &mut State) -> Step<()> {
        let modes = [
            ("fill", PolygonMode::Fill),
            ("line", PolygonMode::Line),
            ("point", PolygonMode::Point),
        ];
        state.polygon_mode = self.choice("a polygon mode", &modes)?;
        self.cursor.end_of_line("POLYGON_MODE")
    }

    pub(super) fn viewport(&mut self) -> Step<Viewport> {
        let x = self.cursor.real("an offset")? as f32;
        let y = self.cursor.real("an offset")? as f32;
        self.cursor.keyword("SIZE")?;
        let width = self.cursor.real("a width")? as f32;
        let height = self.cursor.real("a height")? as f32;
        let mut viewport = Viewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 };
        loop {
            if self.cursor.accept("MIN_DEPTH") {
                viewport.min_depth = self.cursor.real("a depth")? as f32;
            } else if self.cursor.accept("MAX_DEPTH") {
                viewport.max_depth = self.cursor.real("a depth")? as f32;
            } else {
                self.cursor.end_of_line("VIEWPORT")?;
                return Ok(viewport);
            }
        }
    }
}
