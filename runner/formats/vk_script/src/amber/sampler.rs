//! `SAMPLER`.

use super::parser::Parser;
use super::state::compare_op_named;
use crate::error::Span;
use crate::model::{AddressMode, BorderColor, CompareOp, Filter, Sampler, SamplerId};
use crate::text::{Step, saturate};
use crate::tokens::{Kind, Token};

impl<'a> Parser<'a> {
    pub(super) fn sampler(&mut self, start: &Token<'a>) -> Step<()> {
        let (name, name_token) = self.cursor.word("the name of the sampler")?;
        let mut sampler = Sampler {
            name: name.to_owned(),
            span: Span::default(),
            mag_filter: Filter::Nearest,
            min_filter: Filter::Nearest,
            address: [AddressMode::Repeat; 3],
            border: BorderColor::FloatTransparentBlack,
            min_lod: 0.0,
            max_lod: 1.0,
            normalized: true,
            compare: None,
        };
        let (mut compare, mut compare_op) = (false, CompareOp::Never);
        while !self.cursor.peek().ends_line() {
            let token = self.cursor.next();
            match token.kind {
                Kind::Word("COMPARE") => compare = self.switch()?,
                Kind::Word("COMPARE_OP") => {
                    let (word, token) = self.cursor.word("a comparison")?;
                    compare_op =
                        compare_op_named(word).ok_or_else(|| token.fault("unknown comparison"))?;
                }
                Kind::Word(word) => self.sampler_property(&mut sampler, word, &token)?,
                _ => return Err(token.fault("unknown property of a sampler")),
            }
        }
        if sampler.max_lod < sampler.min_lod {
            return Err(name_token.fault("`MAX_LOD` is less than `MIN_LOD`"));
        }
        sampler.compare = compare.then_some(compare_op);
        sampler.span = self.span_from(start);
        self.cursor.end_of_line("SAMPLER")?;
        if self.names.samplers.contains_key(name) {
            return Err(name_token.fault("a sampler of this name exists"));
        }
        let id = SamplerId(saturate(self.script.samplers.len()));
        self.names.samplers.insert(name.to_owned(), id);
        self.script.samplers.push(sampler);
        Ok(())
    }

    fn sampler_property(
        &mut self,
        sampler: &mut Sampler,
        word: &str,
        token: &Token<'a>,
    ) -> Step<()> {
        match word {
            "MAG_FILTER" => sampler.mag_filter = self.choice("a filter", FILTERS)?,
            "MIN_FILTER" => sampler.min_filter = self.choice("a filter", FILTERS)?,
            "ADDRESS_MODE_U" => sampler.address[0] = self.choice("an address mode", MODES)?,
            "ADDRESS_MODE_V" => sampler.address[1] = self.choice("an address mode", MODES)?,
            "ADDRESS_MODE_W" => sampler.address[2] = self.choice("an address mode", MODES)?,
            "BORDER_COLOR" => sampler.border = self.choice("a border color", COLORS)?,
            "MIN_LOD" => sampler.min_lod = self.cursor.real("a level of detail")? as f32,
            "MAX_LOD" => sampler.max_lod = self.cursor.real("a level of detail")? as f32,
            "NORMALIZED_COORDS" => sampler.normalized = true,
            "UNNORMALIZED_COORDS" => {
                sampler.normalized = false;
                sampler.min_lod = 0.0;
                sampler.max_lod = 0.0;
            }
            _ => return Err(token.fault("unknown property of a sampler")),
        }
        Ok(())
    }

    /// Reads one of some words.
    pub(super) fn choice<T: Copy>(&mut self, expected: &str, choices: &[(&str, T)]) -> Step<T> {
        let (word, token) = self.cursor.word(expected)?;
        match choices.iter().find(|(name, _)| *name == word) {
            Some((_, value)) => Ok(*value),
            None => {
                let names: Vec<String> =
                    choices.iter().take(8).map(|(name, _)| format!("`{name}`")).collect();
                let dots = if choices.len() > 8 { ", …" } else { "" };
                Err(token.fault(format!("expected {expected}: {}{dots}", names.join(", "))))
            }
        }
    }
}

const FILTERS: &[(&str, Filter)] = &[("nearest", Filter::Nearest), ("linear", Filter::Linear)];

const MODES: &[(&str, AddressMode)] = &[
    ("repeat", AddressMode::Repeat),
    ("mirrored_repeat", AddressMode::MirroredRepeat),
    ("clamp_to_edge", AddressMode::ClampToEdge),
    ("clamp_to_border", AddressMode::ClampToBorder),
    ("mirror_clamp_to_edge", AddressMode::MirrorClampToEdge),
    ("mirrored_clamp_to_edge", AddressMode::MirrorClampToEdge),
];

const COLORS: &[(&str, BorderColor)] = &[
    ("float_transparent_black", BorderColor::FloatTransparentBlack),
    ("int_transparent_black", BorderColor::IntTransparentBlack),
    ("float_opaque_black", BorderColor::FloatOpaqueBlack),
    ("int_opaque_black", BorderColor::IntOpaqueBlack),
    ("float_opaque_white", BorderColor::FloatOpaqueWhite),
    ("int_opaque_white", BorderColor::IntOpaqueWhite),
];
