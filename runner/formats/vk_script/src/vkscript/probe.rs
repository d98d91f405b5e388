//! `probe`.

use super::reader::Reader;
use crate::amber::{FLOAT_TOLERANCE, TEXEL_TOLERANCE, literals};
use crate::model::{
    Area, CommandKind, Comparison, Expectation, Expected, Format, Literal, Tolerance,
};
use crate::rules::Rules;
use crate::text::Step;
use crate::tokens::{Cursor, Kind, Token};
use crate::values::is_float;

/// VkRunner's tolerance if a script gives none.
const DEFAULT_TOLERANCE: Tolerance = Tolerance::Absolute(0.01);

impl<'a> Reader<'a> {
    pub(super) fn probe(
        &mut self,
        cursor: &mut Cursor<'a>,
        start: &Token<'a>,
        relative: bool,
    ) -> Step<()> {
        if !relative && cursor.accept("ssbo") {
            return self.probe_ssbo(cursor, start);
        }
        let (whole, rect) =
            if cursor.accept("all") { (true, false) } else { (false, cursor.accept("rect")) };
        if whole && relative {
            return Err(start.fault("`relative` with `all`"));
        }
        let (channels, token) = cursor.word("`rgb` or `rgba`")?;
        let alpha = match channels {
            "rgb" => false,
            "rgba" => true,
            _ => return Err(token.fault("expected `rgb` or `rgba`")),
        };
        let area = if whole { Area::Whole } else { self.area(cursor, start, relative, rect)? };
        let mut color = [0.0; 4];
        let values = list(cursor, if alpha { 4 } else { 3 }, "a channel of a color")?;
        for (channel, value) in color.iter_mut().zip(values) {
            *channel = value;
        }
        let span = self.span(start, cursor);
        cursor.end_of_line("probe")?;
        let default = match self.rules {
            Rules::VkRunner => DEFAULT_TOLERANCE,
            Rules::Amber => TEXEL_TOLERANCE,
        };
        let tolerances = self.tolerances.clone().unwrap_or_else(|| vec![default]);
        let expected = Expected::Texels { area, color, alpha, tolerances };
        let buffer = self.color;
        self.push_command(span, CommandKind::Expect(Expectation { buffer, expected }));
        Ok(())
    }

    /// Reads a position, and a size for rectangles, as texels.
    fn area(
        &mut self,
        cursor: &mut Cursor<'a>,
        start: &Token<'a>,
        relative: bool,
        rect: bool,
    ) -> Step<Area> {
        let values = list(cursor, if rect { 4 } else { 2 }, "a coordinate")?;
        let mut texels = [0, 0, 1, 1];
        for (index, (texel, value)) in texels.iter_mut().zip(values).enumerate() {
            let size = self.framebuffer[index % 2] as f32;
            let scaled = if relative { f64::from(value as f32 * size) } else { value };
            if !(0.0..4_294_967_296.0).contains(&scaled) {
                return Err(start.fault("coordinate outside of 0 to 4294967295"));
            }
            *texel = scaled as u32;
        }
        Ok(Area::Texels(texels))
    }

    fn probe_ssbo(&mut self, cursor: &mut Cursor<'a>, start: &Token<'a>) -> Step<()> {
        let format = self.value_format(cursor, self.layouts.storage)?;
        let token = cursor.peek();
        let place = self.place(cursor)?;
        let offset = cursor.unsigned("an offset in bytes")?;
        let (mut comparison, fuzzy) = comparison(cursor)?;
        let mut values = literals(cursor, &format)?;
        if !values.len().is_multiple_of(format.parts.len()) {
            return Err(start.fault("incomplete last value"));
        }
        let half = format.parts.iter().any(|part| is_float(part.numeric) && part.bits == 16);
        if self.rules == Rules::VkRunner && half {
            values.iter_mut().for_each(round_to_half);
        }
        let span = self.span(start, cursor);
        let bound = self.bound.get_mut(&place);
        let bound = bound.ok_or_else(|| token.fault("no buffer is bound here"))?;
        bound.sized.element = format.size.into();
        let buffer = bound.sized.buffer;
        let floats = format.parts.iter().any(|part| is_float(part.numeric));
        let tolerances = match self.rules {
            Rules::Amber if !fuzzy && floats => vec![FLOAT_TOLERANCE],
            Rules::Amber if fuzzy => {
                // Amber uses the first tolerance for all values.
                let first = self.tolerances.as_ref().and_then(|list| list.first());
                vec![*first.unwrap_or(&FLOAT_TOLERANCE)]
            }
            Rules::VkRunner if fuzzy && !floats => {
                comparison = Comparison::Equal;
                Vec::new()
            }
            Rules::VkRunner if fuzzy => self.part_tolerances(&format),
            _ => Vec::new(),
        };
        let expected = Expected::Values { offset, format, comparison, values, tolerances };
        self.push_command(span, CommandKind::Expect(Expectation { buffer, expected }));
        Ok(())
    }

    /// The tolerance of each value of an element: the rows of a column have one each.
    fn part_tolerances(&self, format: &Format) -> Vec<Tolerance> {
        let Some(list) = self.tolerances.as_ref().filter(|list| list.len() == 4) else {
            let one = self.tolerances.as_ref().and_then(|list| list.first());
            return vec![*one.unwrap_or(&DEFAULT_TOLERANCE)];
        };
        let rows = rows(&format.name, format.parts.len());
        (0..format.parts.len()).map(|part| list[part % rows.max(1)]).collect()
    }
}

/// VkRunner compares with the half float that is nearest to the number.
fn round_to_half(value: &mut Literal) {
    if let Literal::Real(real) = value {
        *real = vocabulary::half::to_f64(vocabulary::half::from_f64(*real));
    }
}

/// Rows of a type of GLSL: of a matrix the last digit of the name, else all values.
fn rows(name: &str, parts: usize) -> usize {
    if !name.contains("mat") {
        return parts;
    }
    name.chars().last().and_then(|c| c.to_digit(10)).map_or(4, |digit| digit as usize)
}

/// Reads numbers, in parentheses or not, with commas between them or not.
fn list(cursor: &mut Cursor<'_>, count: usize, expected: &str) -> Step<Vec<f64>> {
    let parenthesis = cursor.accept("(");
    let mut values = Vec::with_capacity(count);
    for index in 0..count {
        if index > 0 {
            cursor.accept(",");
        }
        values.push(cursor.real(expected)?);
    }
    if parenthesis {
        cursor.keyword(")")?;
    }
    Ok(values)
}

/// Reads a comparison, and whether it is `~=`. The first value may follow without a blank.
fn comparison(cursor: &mut Cursor<'_>) -> Step<(Comparison, bool)> {
    let token = cursor.next();
    let Kind::Word(word) = token.kind else {
        return Err(token.fault("expected a comparison"));
    };
    let symbols = [
        ("==", Comparison::Equal),
        ("~=", Comparison::FuzzyEqual),
        ("!=", Comparison::NotEqual),
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];
    let known = symbols.iter().find(|(symbol, _)| word.starts_with(symbol));
    let (symbol, comparison) = known.ok_or_else(|| token.fault("unknown comparison"))?;
    cursor.jump(token.start + symbol.len());
    Ok((*comparison, *comparison == Comparison::FuzzyEqual))
}
