//! `ssbo`, `ubo`, `uniform` and `push`: contents and sizes of buffers.

use std::sync::Arc;

use super::reader::{Bound, Reader, Sized, ValueLayout};
use crate::amber::literals;
use crate::formats::{Type, glsl_type, typed_format};
use crate::model::{Buffer, BufferId, CommandKind, DescriptorKind, Format, Literal, Part};
use crate::rules::Rules;
use crate::text::Step;
use crate::tokens::{Cursor, Kind, Number, Token};
use crate::values::{encode, write};

impl<'a> Reader<'a> {
    /// Reads `set:binding` or `binding`.
    pub(super) fn place(&mut self, cursor: &mut Cursor<'a>) -> Step<(u32, u32)> {
        let first = cursor.unsigned("a binding")?;
        let token = cursor.peek();
        let Kind::Word(word) = token.kind else {
            return Ok((0, first));
        };
        let Some(digits) = word.strip_prefix(':') else {
            return Ok((0, first));
        };
        cursor.next();
        if digits.is_empty() {
            return Ok((first, cursor.unsigned("a binding")?));
        }
        let binding = digits.parse().map_err(|_| token.fault("expected a binding"))?;
        Ok((first, binding))
    }

    /// Reads a type of GLSL, in a layout.
    pub(super) fn value_format(
        &mut self,
        cursor: &mut Cursor<'a>,
        layout: ValueLayout,
    ) -> Step<Arc<Format>> {
        let (name, token) = cursor.word("a type")?;
        let mut ty = glsl_type(name).ok_or_else(|| token.fault("unknown type"))?;
        ty.array = self.rules == Rules::VkRunner;
        ty.row_major = layout.row_major;
        let format = typed_format(&Type::Number(ty), name, layout.memory);
        Ok(Arc::new(format.map_err(|fault| token.fault(fault.message()))?))
    }

    /// Reads `ssbo` or `ubo` behind its first word.
    pub(super) fn buffer(
        &mut self,
        cursor: &mut Cursor<'a>,
        start: &Token<'a>,
        uniform: bool,
    ) -> Step<()> {
        let kind = if uniform { DescriptorKind::Uniform } else { DescriptorKind::Storage };
        let place = self.place(cursor)?;
        if cursor.accept("subdata") {
            return self.subdata(cursor, start, place, kind);
        }
        let size = cursor.unsigned("`subdata` or a size")?;
        self.bound(place, kind, start)?;
        if let Some(bound) = self.bound.get_mut(&place) {
            bound.sized.size = bound.sized.size.max(size.into());
        }
        cursor.end_of_line("ssbo")
    }

    /// Reads `uniform ubo` behind its words.
    pub(super) fn uniform_buffer(
        &mut self,
        cursor: &mut Cursor<'a>,
        start: &Token<'a>,
    ) -> Step<()> {
        let place = self.place(cursor)?;
        self.subdata(cursor, start, place, DescriptorKind::Uniform)
    }

    fn subdata(
        &mut self,
        cursor: &mut Cursor<'a>,
        start: &Token<'a>,
        place: (u32, u32),
        kind: DescriptorKind,
    ) -> Step<()> {
        let layout = match kind {
            DescriptorKind::Uniform => self.layouts.uniform,
            _ => self.layouts.storage,
        };
        let buffer = self.bound(place, kind, start)?;
        let (offset, bytes, element) = self.values(cursor, start, layout)?;
        if let Some(bound) = self.bound.get_mut(&place) {
            bound.sized.grow(offset, bytes.len(), element);
        }
        let span = self.span(start, cursor);
        self.push_command(span, CommandKind::Write { buffer, offset, bytes });
        Ok(())
    }

    /// Reads `uniform` or `push` behind its first word.
    pub(super) fn push_constants(
        &mut self,
        cursor: &mut Cursor<'a>,
        start: &Token<'a>,
    ) -> Step<()> {
        let (offset, bytes, element) = self.values(cursor, start, self.layouts.push)?;
        let mut sized = match self.push {
            Some(known) => known,
            None => {
                let buffer = self.byte_buffer("push constants", start.span());
                Sized::new(self.add_buffer(buffer))
            }
        };
        sized.grow(offset, bytes.len(), element);
        self.push = Some(sized);
        let (span, buffer) = (self.span(start, cursor), sized.buffer);
        self.push_command(span, CommandKind::Write { buffer, offset, bytes });
        Ok(())
    }

    /// Reads type, offset and values. Returns the offset, the bytes without padding at the end, and
    /// the size of an element.
    fn values(
        &mut self,
        cursor: &mut Cursor<'a>,
        start: &Token<'a>,
        layout: ValueLayout,
    ) -> Step<(u32, Vec<u8>, u32)> {
        let format = self.value_format(cursor, layout)?;
        let offset = cursor.unsigned("an offset in bytes")?;
        let values = literals(cursor, &format)?;
        if !values.len().is_multiple_of(format.parts.len()) {
            return Err(start.fault("incomplete last value"));
        }
        let mut bytes = vec![0; values.len() / format.parts.len() * format.size as usize];
        self.budget.contents(bytes.len()).map_err(|message| start.fault(message))?;
        for (index, value) in values.iter().enumerate() {
            let (element, part) = (index / format.parts.len(), index % format.parts.len());
            let part = &format.parts[part];
            write(bits(*value, part), part, element * format.size as usize, &mut bytes);
        }
        bytes.truncate(used(&format, bytes.len()));
        if u64::from(offset) + bytes.len() as u64 > Buffer::LIMIT {
            return Err(start.fault(format!("offset beyond {} bytes", Buffer::LIMIT)));
        }
        Ok((offset, bytes, format.size))
    }

    /// Returns the buffer at a place, a new one if there is none.
    pub(super) fn bound(
        &mut self,
        place: (u32, u32),
        kind: DescriptorKind,
        start: &Token<'a>,
    ) -> Step<BufferId> {
        if let Some(bound) = self.bound.get(&place) {
            if bound.kind != kind {
                return Err(start.fault("a binding that is both uniform and storage buffer"));
            }
            return Ok(bound.sized.buffer);
        }
        let (set, binding) = place;
        let word = if kind == DescriptorKind::Uniform { "ubo" } else { "ssbo" };
        let buffer = self.byte_buffer(&format!("{word} {set}:{binding}"), start.span());
        let buffer = self.add_buffer(buffer);
        self.bound.insert(place, Bound { kind, sized: Sized::new(buffer) });
        self.bound_order.push(place);
        Ok(buffer)
    }
}

/// The bits of a value in a part.
fn bits(value: Literal, part: &Part) -> u64 {
    match value {
        Literal::Integer(bits) => bits,
        Literal::Real(real) => encode(Number::Real(real), part.numeric, part.bits).unwrap_or(0),
    }
}

/// Bytes up to the end of the last value, of whole elements.
fn used(format: &Format, bytes: usize) -> usize {
    let size = format.size as usize;
    let end = format.parts.iter().map(|part| part.offset + part.bits / 8).max().unwrap_or(0);
    bytes.saturating_sub(size) + end as usize
}

impl Sized {
    fn new(buffer: BufferId) -> Sized {
        Sized { buffer, end: 0, size: 0, element: 1 }
    }

    fn grow(&mut self, offset: u32, bytes: usize, element: u32) {
        self.end = self.end.max(u64::from(offset) + bytes as u64);
        self.element = element.into();
    }
}
