//! Properties of pipelines, by their names in Vulkan's structures.

use super::reader::Reader;
use crate::model::{
    BlendFactor, BlendOp, CompareOp, CullMode, FrontFace, LogicOp, PolygonMode, StencilOp, Topology,
};
use crate::text::Step;
use crate::tokens::{Cursor, Kind, Token};

impl<'a> Reader<'a> {
    pub(super) fn property(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &'a str,
        start: &Token<'a>,
    ) -> Step<()> {
        let state = &mut self.key.state;
        match name {
            "topology" => {
                // Draws have their own.
                choice(cursor, "VK_PRIMITIVE_TOPOLOGY_", Topology::from_vk_name)?;
            }
            "primitiveRestartEnable" => state.primitive_restart = boolean(cursor)?,
            "patchControlPoints" => {
                state.patch_control_points = cursor.unsigned("a number of points")?;
            }
            "rasterizerDiscardEnable" => state.rasterizer_discard = boolean(cursor)?,
            "polygonMode" => {
                state.polygon_mode = choice(cursor, "VK_POLYGON_MODE_", PolygonMode::from_vk_name)?;
            }
            "cullMode" => state.cull_mode = cull_mode(cursor)?,
            "frontFace" => {
                state.front_face = choice(cursor, "VK_FRONT_FACE_", FrontFace::from_vk_name)?;
            }
            "lineWidth" => state.line_width = float(cursor)?,
            "stencilTestEnable" => state.stencil_test = boolean(cursor)?,
            "colorWriteMask" => state.color_write_mask = write_mask(cursor)?,
            "logicOp" | "logicOpEnable" => self.logic_property(cursor, name)?,
            _ if name.starts_with("front.") || name.starts_with("back.") => {
                self.stencil_property(cursor, name, start)?;
            }
            _ if name.contains("Blend") || name.starts_with("blend") => {
                self.blend_property(cursor, name, start)?;
            }
            _ => self.depth_property(cursor, name, start)?,
        }
        cursor.end_of_line(name)
    }

    fn logic_property(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Step<()> {
        if name == "logicOp" {
            self.logic_op = choice(cursor, "VK_LOGIC_OP_", LogicOp::from_vk_name)?;
        } else {
            self.logic_op_enable = boolean(cursor)?;
        }
        self.key.state.logic_op = self.logic_op_enable.then_some(self.logic_op);
        Ok(())
    }

    fn depth_property(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        start: &Token<'a>,
    ) -> Step<()> {
        let depth = &mut self.key.state.depth;
        match name {
            "depthTestEnable" => depth.test = boolean(cursor)?,
            "depthWriteEnable" => depth.write = boolean(cursor)?,
            "depthClampEnable" => depth.clamp = boolean(cursor)?,
            "depthCompareOp" => {
                depth.compare = choice(cursor, "VK_COMPARE_OP_", CompareOp::from_vk_name)?;
            }
            "depthBiasEnable" => self.depth_bias_enable = boolean(cursor)?,
            "depthBiasConstantFactor" => self.depth_bias.constant = float(cursor)?,
            "depthBiasClamp" => self.depth_bias.clamp = float(cursor)?,
            "depthBiasSlopeFactor" => self.depth_bias.slope = float(cursor)?,
            "depthBoundsTestEnable" => self.depth_bounds_enable = boolean(cursor)?,
            "minDepthBounds" => self.depth_bounds[0] = float(cursor)?,
            "maxDepthBounds" => self.depth_bounds[1] = float(cursor)?,
            _ => return Err(start.fault("unknown command")),
        }
        let depth = &mut self.key.state.depth;
        depth.bias = self.depth_bias_enable.then_some(self.depth_bias);
        depth.bounds = self.depth_bounds_enable.then_some(self.depth_bounds);
        Ok(())
    }

    fn blend_property(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        start: &Token<'a>,
    ) -> Step<()> {
        let blend = &mut self.key.state.blend;
        let factor =
            |cursor: &mut Cursor<'a>| choice(cursor, "VK_BLEND_FACTOR_", BlendFactor::from_vk_name);
        let operation =
            |cursor: &mut Cursor<'a>| choice(cursor, "VK_BLEND_OP_", BlendOp::from_vk_name);
        match name {
            "blendEnable" => blend.enable = boolean(cursor)?,
            "srcColorBlendFactor" => blend.src_color = factor(cursor)?,
            "dstColorBlendFactor" => blend.dst_color = factor(cursor)?,
            "colorBlendOp" => blend.color_op = operation(cursor)?,
            "srcAlphaBlendFactor" => blend.src_alpha = factor(cursor)?,
            "dstAlphaBlendFactor" => blend.dst_alpha = factor(cursor)?,
            "alphaBlendOp" => blend.alpha_op = operation(cursor)?,
            _ => return Err(start.fault("unknown command")),
        }
        Ok(())
    }

    fn stencil_property(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        start: &Token<'a>,
    ) -> Step<()> {
        let state = &mut self.key.state;
        let (face, name) = match name.split_once('.') {
            Some(("front", name)) => (&mut state.front, name),
            Some((_, name)) => (&mut state.back, name),
            None => return Err(start.fault("unknown command")),
        };
        let operation =
            |cursor: &mut Cursor<'a>| choice(cursor, "VK_STENCIL_OP_", StencilOp::from_vk_name);
        match name {
            "failOp" => face.fail = operation(cursor)?,
            "passOp" => face.pass = operation(cursor)?,
            "depthFailOp" => face.depth_fail = operation(cursor)?,
            "compareOp" => {
                face.compare = choice(cursor, "VK_COMPARE_OP_", CompareOp::from_vk_name)?;
            }
            "compareMask" => face.compare_mask = word(cursor)?,
            "writeMask" => face.write_mask = word(cursor)?,
            "reference" => face.reference = word(cursor)?,
            _ => return Err(start.fault("unknown command")),
        }
        Ok(())
    }
}

fn boolean(cursor: &mut Cursor<'_>) -> Step<bool> {
    let token = cursor.next();
    match token.kind {
        Kind::Word(word) if word.eq_ignore_ascii_case("true") => Ok(true),
        Kind::Word(word) if word.eq_ignore_ascii_case("false") => Ok(false),
        Kind::Integer { magnitude: Some(value), .. } => Ok(value != 0),
        _ => Err(token.fault("expected `true` or `false`")),
    }
}

fn float(cursor: &mut Cursor<'_>) -> Step<f32> {
    Ok(cursor.real("a number")? as f32)
}

/// Reads an integer of 32 bits; -1 is all ones.
fn word(cursor: &mut Cursor<'_>) -> Step<u32> {
    if let Kind::Integer { negative: true, magnitude: Some(value @ 0..=0x8000_0000) } =
        cursor.peek().kind
    {
        cursor.next();
        return Ok((value as u32).wrapping_neg());
    }
    cursor.unsigned("a number")
}

fn choice<T>(cursor: &mut Cursor<'_>, prefix: &str, find: impl Fn(&str) -> Option<T>) -> Step<T> {
    let (word, token) = cursor.word(&format!("a name that begins with `{prefix}`"))?;
    let found = word.strip_prefix(prefix).and_then(find);
    found.ok_or_else(|| token.fault(format!("expected a name that begins with `{prefix}`")))
}

/// Reads names with `|` between them, and ors their values.
fn flags(cursor: &mut Cursor<'_>, find: impl Fn(&str) -> Option<u32>) -> Step<u32> {
    let mut value = 0;
    loop {
        let token = cursor.next();
        let flag = match token.kind {
            Kind::Word(word) => find(word),
            Kind::Integer { negative: false, magnitude } => {
                magnitude.and_then(|value| u32::try_from(value).ok())
            }
            _ => None,
        };
        value |= flag.ok_or_else(|| token.fault("unknown flag"))?;
        if !cursor.accept("|") {
            return Ok(value);
        }
    }
}

fn cull_mode(cursor: &mut Cursor<'_>) -> Step<CullMode> {
    let token = cursor.peek();
    let find = |word: &str| {
        let mode = CullMode::from_vk_name(word.strip_prefix("VK_CULL_MODE_")?)?;
        u32::try_from(mode.value()).ok()
    };
    let value = flags(cursor, find)?;
    let mode = CullMode::ALL.iter().find(|(mode, _)| mode.value() as u32 == value);
    mode.map(|(mode, _)| *mode).ok_or_else(|| token.fault("unknown mode of culling"))
}

fn write_mask(cursor: &mut Cursor<'_>) -> Step<u8> {
    let find = |word: &str| match word {
        "VK_COLOR_COMPONENT_R_BIT" => Some(1),
        "VK_COLOR_COMPONENT_G_BIT" => Some(2),
        "VK_COLOR_COMPONENT_B_BIT" => Some(4),
        "VK_COLOR_COMPONENT_A_BIT" => Some(8),
        _ => None,
    };
    Ok(flags(cursor, find)? as u8 & 0xf)
}
