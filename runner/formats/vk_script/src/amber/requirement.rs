//! Requirements, and data for the engine.

use super::parser::Parser;
use crate::features;
use crate::model::{Feature, Property};
use crate::text::Step;

impl Parser<'_> {
    pub(super) fn device_feature(&mut self) -> Step<()> {
        let (name, token) = self.cursor.word("the name of a feature")?;
        let member = features::feature(name).ok_or_else(|| token.fault("unknown feature"))?;
        let (structure, member) = (member.structure, member.member);
        self.script.requirements.features.push(Feature { span: token.span(), structure, member });
        self.cursor.end_of_line("DEVICE_FEATURE")
    }

    pub(super) fn device_property(&mut self) -> Step<()> {
        let (name, token) = self.cursor.word("the name of a property")?;
        let member = features::property(name).ok_or_else(|| token.fault("unknown property"))?;
        let (structure, member) = (member.structure, member.member);
        self.script.requirements.properties.push(Property {
            span: token.span(),
            structure,
            member,
        });
        self.cursor.end_of_line("DEVICE_PROPERTY")
    }

    pub(super) fn device_extension(&mut self) -> Step<()> {
        let (name, _) = self.cursor.word("the name of an extension")?;
        self.script.requirements.device_extensions.push(name.to_owned());
        self.cursor.end_of_line("DEVICE_EXTENSION")
    }

    pub(super) fn instance_extension(&mut self) -> Step<()> {
        let (name, _) = self.cursor.word("the name of an extension")?;
        self.script.requirements.instance_extensions.push(name.to_owned());
        self.cursor.end_of_line("INSTANCE_EXTENSION")
    }

    pub(super) fn engine_data(&mut self) -> Step<()> {
        self.cursor.keyword("ENGINE_DATA")?;
        self.cursor.keyword("fence_timeout_ms")?;
        let limit = self.cursor.unsigned("milliseconds")?;
        self.script.requirements.fence_timeout_ms = Some(limit);
        self.cursor.end_of_line("SET")
    }
}
