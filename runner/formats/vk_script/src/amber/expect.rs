//! `EXPECT`.

use super::parser::Parser;
use crate::model::{Area, BufferId, Comparison, Expectation, Expected, Format, Literal, Tolerance};
use crate::text::Step;
use crate::tokens::{Cursor, Kind, Number, Token, number};
use crate::values::is_float;

/// Relative tolerance in percent with which Amber compares floats for equality.
pub(crate) const FLOAT_TOLERANCE: Tolerance = Tolerance::Percent(0.000_001);
/// Tolerance of the channels of a texel if a script gives none.
pub(crate) const TEXEL_TOLERANCE: Tolerance = Tolerance::Absolute(0.002);

const COMPARISONS: &[(&str, Comparison)] = &[
    ("EQ", Comparison::Equal),
    ("NE", Comparison::NotEqual),
    ("LT", Comparison::Less),
    ("LE", Comparison::LessOrEqual),
    ("GT", Comparison::Greater),
    ("GE", Comparison::GreaterOrEqual),
];

impl<'a> Parser<'a> {
    pub(super) fn expect(&mut self) -> Step<Expectation> {
        let (buffer, _) = self.buffer_name()?;
        let (word, token) = self.cursor.word("`IDX` or a comparison with a buffer")?;
        let expected = match word {
            "IDX" => self.expect_at(buffer)?,
            "EQ_BUFFER" | "RMSE_BUFFER" | "EQ_HISTOGRAM_EMD_BUFFER" => {
                self.expect_buffer(word, buffer)?
            }
            _ => return Err(token.fault("expected `IDX` or a comparison with a buffer")),
        };
        Ok(Expectation { buffer, expected })
    }

    fn expect_buffer(&mut self, comparison: &str, buffer: BufferId) -> Step<Expected> {
        let (other, token) = self.buffer_name()?;
        let (left, right) = (self.script.buffer(buffer), self.script.buffer(other));
        let difference = if !same_format(&left.format, &right.format) {
            Some("format")
        } else if left.elements != right.elements {
            Some("number of elements")
        } else if left.width != right.width {
            Some("width")
        } else if left.height != right.height {
            Some("height")
        } else {
            None
        };
        if let Some(difference) = difference {
            return Err(token.fault(format!("comparison of buffers of different {difference}")));
        }
        if comparison == "EQ_BUFFER" {
            self.cursor.end_of_line("EXPECT")?;
            return Ok(Expected::EqualBuffer { other });
        }
        self.cursor.keyword("TOLERANCE")?;
        let tolerance = self.cursor.real("a tolerance")? as f32;
        self.cursor.end_of_line("EXPECT")?;
        Ok(match comparison {
            "RMSE_BUFFER" => Expected::RmseBuffer { other, tolerance },
            _ => Expected::HistogramEmdBuffer { other, tolerance },
        })
    }

    fn expect_at(&mut self, buffer: BufferId) -> Step<Expected> {
        let first = self.cursor.peek();
        let x = self.cursor.unsigned("an offset")?;
        if matches!(self.cursor.peek().kind, Kind::Integer { .. } | Kind::Hex(_)) {
            let y = self.cursor.unsigned("a row")?;
            if !self.cursor.peek().is("SIZE") {
                return Err(first.fault("a row is for comparisons of colors only"));
            }
            return self.expect_texels([x, y]);
        }
        self.expect_values(buffer, x, &first)
    }

    fn expect_texels(&mut self, position: [u32; 2]) -> Step<Expected> {
        self.cursor.keyword("SIZE")?;
        let width = self.positive("a width")?;
        let height = self.positive("a height")?;
        let alpha = self.choice("a comparison", &[("EQ_RGB", false), ("EQ_RGBA", true)])?;
        let mut color = [0.0; 4];
        for channel in color.iter_mut().take(if alpha { 4 } else { 3 }) {
            *channel = f64::from(self.byte()? as f32 / 255.0);
        }
        let mut tolerances = vec![TEXEL_TOLERANCE];
        if self.cursor.peek().is("TOLERANCE") {
            let token = self.cursor.next();
            tolerances = tolerance_list(&mut self.cursor)?;
            if tolerances.is_empty() || tolerances.len() > if alpha { 4 } else { 3 } {
                return Err(token.fault("a tolerance for each channel is needed, or one for all"));
            }
        }
        self.cursor.end_of_line("EXPECT")?;
        let tolerances = complete(tolerances, 4, TEXEL_TOLERANCE);
        let [x, y] = position;
        Ok(Expected::Texels { area: Area::Texels([x, y, width, height]), color, alpha, tolerances })
    }

    fn expect_values(
        &mut self,
        buffer: BufferId,
        offset: u32,
        place: &Token<'a>,
    ) -> Step<Expected> {
        let format = self.script.buffer(buffer).format.clone();
        let mut tolerances = Vec::new();
        if self.cursor.peek().is("TOLERANCE") {
            let token = self.cursor.next();
            tolerances = tolerance_list(&mut self.cursor)?;
            if tolerances.is_empty() || tolerances.len() > 4 {
                return Err(token.fault("one to four tolerances are needed"));
            }
        }
        let token = self.cursor.peek();
        let mut comparison = self.choice("a comparison", COMPARISONS)?;
        if !tolerances.is_empty() {
            if comparison != Comparison::Equal {
                return Err(token.fault("tolerances are for `EQ` only"));
            }
            comparison = Comparison::FuzzyEqual;
        } else if format.parts.iter().any(|part| is_float(part.numeric)) {
            tolerances.push(FLOAT_TOLERANCE);
        }
        let values = literals(&mut self.cursor, &format)?;
        if !offset.is_multiple_of(format.size.max(1)) {
            let message =
                format!("offset is no multiple of the {} bytes of an element", format.size);
            return Err(place.fault(message));
        }
        let tolerances = complete(tolerances, format.parts.len(), FLOAT_TOLERANCE);
        Ok(Expected::Values { offset, format, comparison, values, tolerances })
    }
}

/// Formats that Amber takes for the same: equal values at equal places.
pub(crate) fn same_format(left: &Format, right: &Format) -> bool {
    left.parts == right.parts && left.size == right.size && left.vk == right.vk
}

/// One tolerance for all, or one for each of some parts, the default for those that have none.
fn complete(mut list: Vec<Tolerance>, parts: usize, default: Tolerance) -> Vec<Tolerance> {
    if list.len() > 1 {
        list.resize(parts, default);
    }
    list
}

/// Reads numbers up to the end of the line as values of a format.
pub(crate) fn literals(cursor: &mut Cursor<'_>, format: &Format) -> Step<Vec<Literal>> {
    let mut values = Vec::new();
    let mut parts = format.parts.iter().cycle();
    loop {
        let token = cursor.next();
        if token.ends_line() {
            break;
        }
        let part = parts.next().ok_or_else(|| token.fault("type without values"))?;
        let value = number(&token).ok_or_else(|| token.fault("expected a number"))?;
        values.push(match value {
            _ if is_float(part.numeric) => Literal::Real(value.real()),
            Number::Integer { bits, .. } => Literal::Integer(bits),
            Number::Real(_) => return Err(token.fault("fraction where an integer belongs")),
        });
    }
    if values.is_empty() {
        return Err(cursor.peek().fault("expected values"));
    }
    Ok(values)
}

/// Reads tolerances: numbers, each with `%` behind it or not.
pub(crate) fn tolerance_list(cursor: &mut Cursor<'_>) -> Step<Vec<Tolerance>> {
    let mut list = Vec::new();
    while let Some(value) = peeked_number(&cursor.peek()) {
        let token = cursor.next();
        if value < 0.0 {
            return Err(token.fault("negative tolerance"));
        }
        if cursor.accept("%") {
            list.push(Tolerance::Percent(value));
        } else {
            list.push(Tolerance::Absolute(value));
        }
        cursor.accept(",");
    }
    Ok(list)
}

fn peeked_number(token: &Token<'_>) -> Option<f64> {
    number(token).map(crate::tokens::Number::real)
}
