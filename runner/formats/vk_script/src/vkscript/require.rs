//! `[require]`.

use super::reader::Reader;
use super::sections::{Section, SectionKind};
use crate::features;
use crate::formats::format_by_name;
use crate::model::{Buffer, Feature, Format, Unsupported};
use crate::text::{Fault, Step};
use crate::tokens::{Cursor, Kind, Token};

/// The only extension of the instance that `[require]` can name.
const INSTANCE_EXTENSION: &str = "VK_KHR_get_physical_device_properties2";

impl<'a> Reader<'a> {
    pub(super) fn requirements(&mut self, sections: &[Section]) -> Step<()> {
        for section in sections.iter().filter(|s| s.kind == SectionKind::Require) {
            let mut cursor = Cursor::part(self.text, section.body);
            loop {
                let token = cursor.next();
                match token.kind {
                    Kind::LineEnd => {}
                    Kind::End => break,
                    Kind::Word(word) => self.requirement(&mut cursor, word, &token)?,
                    _ => return Err(token.fault("expected a requirement")),
                }
            }
        }
        Ok(())
    }

    fn requirement(&mut self, cursor: &mut Cursor<'a>, word: &str, token: &Token<'a>) -> Step<()> {
        match word {
            "framebuffer" => {
                let format = format(cursor)?;
                self.set_color_format(format);
            }
            "depthstencil" => {
                if self.depth_stencil.is_some() {
                    return Err(token.fault("a second `depthstencil`"));
                }
                let format = format(cursor)?;
                self.set_depth_format(format);
            }
            "fbsize" => {
                let (width, height) = (cursor.unsigned("a width")?, cursor.unsigned("a height")?);
                let pixels = u64::from(width) * u64::from(height);
                if pixels == 0 || pixels > Buffer::LIMIT / 4 {
                    return Err(token.fault("unusable size of the framebuffer"));
                }
                self.framebuffer = [width, height];
            }
            "fence_timeout" => {
                let limit = cursor.unsigned("milliseconds")?;
                self.script.requirements.fence_timeout_ms = Some(limit);
            }
            "vulkan" => self.version(cursor)?,
            "cooperative_matrix" => {
                let (span, reason) = (token.span(), "cooperative matrices are not supported");
                let line = self.lines.number(span.start);
                self.script.unsupported.push(Unsupported { span, line, reason: reason.to_owned() });
                while !cursor.peek().ends_line() {
                    cursor.next();
                }
            }
            _ => self.feature_or_extension(word, token)?,
        }
        cursor.end_of_line(word)
    }

    /// Reads `major.minor`, with `.patch` or not; of several versions the highest counts.
    fn version(&mut self, cursor: &mut Cursor<'a>) -> Step<()> {
        let start = cursor.peek();
        let line = cursor.rest().lines().next().unwrap_or("");
        let text = line.split('#').next().unwrap_or("").trim();
        let numbers: Vec<u32> = text.split('.').filter_map(|n| n.parse().ok()).collect();
        let version = match numbers.as_slice() {
            [major, minor] if text.split('.').count() == 2 => [*major, *minor, 0],
            [major, minor, patch] if text.split('.').count() == 3 => [*major, *minor, *patch],
            _ => return Err(start.fault("expected a version such as `1.1.0`")),
        };
        let requirements = &mut self.script.requirements;
        requirements.version = Some(requirements.version.map_or(version, |v| v.max(version)));
        while !cursor.peek().ends_line() {
            cursor.next();
        }
        Ok(())
    }

    fn feature_or_extension(&mut self, word: &str, token: &Token<'a>) -> Step<()> {
        let requirements = &mut self.script.requirements;
        let known = features::bare_feature(word)
            .or_else(|| features::feature(word).map(|member| (member, "")));
        if let Some((member, extension)) = known {
            let (structure, member) = (member.structure, member.member);
            requirements.features.push(Feature { span: token.span(), structure, member });
            if !extension.is_empty() {
                requirements.device_extensions.push(extension.to_owned());
            }
            return Ok(());
        }
        if !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Fault::at(token.span(), "unknown feature or extension"));
        }
        if word == INSTANCE_EXTENSION {
            requirements.instance_extensions.push(word.to_owned());
        } else {
            requirements.device_extensions.push(word.to_owned());
        }
        Ok(())
    }
}

fn format(cursor: &mut Cursor<'_>) -> Step<Format> {
    let (name, token) = cursor.word("a format")?;
    format_by_name(name).ok_or_else(|| token.fault("unknown format"))
}
