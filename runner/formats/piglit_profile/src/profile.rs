//! Profiles: lists of tests.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::class::{self, ClassOptions};
use crate::error::ProfileError;
use crate::work::Work;

/// A profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Its tests, in the order of the file.
    pub tests: Vec<Test>,
    /// Names of other profiles whose tests belong to it, in the order of the file.
    pub profiles: Vec<String>,
}

/// A test of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its name, with `@` between parts.
    pub name: String,
    /// Its work.
    pub work: Work,
}

impl Profile {
    /// Parses the text of a profile or a meta profile.
    ///
    /// # Errors
    /// Fails on malformed XML, on other XML, and if a test lacks an option that it needs.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        let mut reader = Reader::from_str(text);
        let mut parser = Parser::default();
        loop {
            let event = reader.read_event().map_err(|error| error.to_string());
            let outcome = event.and_then(|event| parser.event(event));
            match outcome {
                Ok(true) => {}
                Ok(false) => return Ok(parser.profile),
                Err(message) => {
                    let position = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
                    let before = &text.as_bytes()[..position.min(text.len())];
                    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
                    return Err(ProfileError::Malformed { line, message });
                }
            }
        }
    }
}

/// State of a parser: the elements that are open.
#[derive(Default)]
struct Parser {
    profile: Profile,
    /// True if the outermost element has begun.
    has_begun: bool,
    /// The open test: name, class and options.
    test: Option<(String, String, ClassOptions)>,
    /// The text of an open element `Profile`.
    name: Option<String>,
    /// True inside of `Skips`, whose options are those of parts of the test.
    is_in_skips: bool,
}

impl Parser {
    /// Takes an event; returns false at the end of the file.
    fn event(&mut self, event: Event<'_>) -> Result<bool, String> {
        match event {
            Event::Start(element) => self.start(&element)?,
            Event::Empty(element) => {
                self.start(&element)?;
                self.end(element.name().as_ref())?;
            }
            Event::End(element) => self.end(element.name().as_ref())?,
            Event::Text(text) => {
                if let Some(name) = &mut self.name {
                    name.push_str(&text.xml10_content().map_err(|error| error.to_string())?);
                }
            }
            Event::Eof if !self.has_begun => return Err("an empty file".to_owned()),
            Event::Eof => return Ok(false),
            _ => {}
        }
        Ok(true)
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let name = element.name();
        if !self.has_begun {
            if !matches!(name.as_ref(), b"PiglitTestList" | b"PiglitMetaProfile") {
                let name = String::from_utf8_lossy(name.as_ref()).into_owned();
                return Err(format!("no profile of piglit: the file begins with `<{name}>`"));
            }
            self.has_begun = true;
        }
        match name.as_ref() {
            b"Test" => {
                let [name, class] = attributes(element, ["name", "type"])?;
                self.test = Some((name, class, ClassOptions::default()));
            }
            b"Profile" => self.name = Some(String::new()),
            b"Skips" => self.is_in_skips = true,
            b"option" | b"env" if !self.is_in_skips => {
                let [name, value] = attributes(element, ["name", "value"])?;
                if let Some((_, _, options)) = &mut self.test {
                    let list = match element.name().as_ref() {
                        b"env" => &mut options.environment,
                        _ => &mut options.values,
                    };
                    list.push((name, value));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, element: &[u8]) -> Result<(), String> {
        match element {
            b"Test" => {
                let Some((name, class, options)) = self.test.take() else { return Ok(()) };
                let work =
                    class::work(&class, &options).map_err(|error| format!("`{name}`: {error}"))?;
                self.profile.tests.push(Test { name, work });
            }
            b"Profile" => {
                let name = self.name.take().unwrap_or_default();
                self.profile.profiles.push(name.trim().to_owned());
            }
            b"Skips" => self.is_in_skips = false,
            _ => {}
        }
        Ok(())
    }
}

/// Returns the values of two attributes.
fn attributes(element: &BytesStart<'_>, names: [&str; 2]) -> Result<[String; 2], String> {
    let mut values = [None, None];
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let known = names.iter().position(|name| name.as_bytes() == attribute.key.as_ref());
        if let Some(index) = known {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            values[index] = Some(value.map_err(|error| error.to_string())?.into_owned());
        }
    }
    let [first, second] = values;
    let missing = |name: &str| {
        let element = String::from_utf8_lossy(element.name().as_ref()).into_owned();
        format!("`<{element}>` has no attribute `{name}`")
    };
    Ok([first.ok_or_else(|| missing(names[0]))?, second.ok_or_else(|| missing(names[1]))?])
}
