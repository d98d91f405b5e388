//! Operands: sources with their swizzles, destinations with their masks.

use super::{Destination, Named, Parsed, Parser};
use crate::arb::binding::Part;
use crate::arb::error::error;
use crate::arb::lexer::Token;
use crate::arb::target::{MAX_PARAMETERS, ProgramTarget};

impl Parser<'_> {
    /// One to four of `xyzw`, in fragment programs also of `rgba`, as `xyzw`.
    pub(super) fn components(&self, name: &str) -> Option<String> {
        let from = |set: &str| {
            let letters: Option<String> =
                name.chars().map(|c| set.find(c).map(|at| char::from(b"xyzw"[at]))).collect();
            letters.filter(|s| (1..=4).contains(&s.len()))
        };
        from("xyzw").or_else(|| from("rgba").filter(|_| self.target == ProgramTarget::Fragment))
    }

    /// A source: its expression, sign and suffix.
    pub(super) fn source(&mut self) -> Parsed<SourceOperand> {
        let negative = self.sign()?;
        let (value, suffix) = match self.token {
            Token::Name(name) => match self.names.get(name).cloned() {
                Some(meaning) => self.declared(name, meaning)?,
                None => self.bound()?,
            },
            _ => (self.constant()?, self.suffix()?),
        };
        Ok(SourceOperand { value, suffix, negative })
    }

    /// A declared name as a source.
    pub(super) fn declared(
        &mut self,
        name: &str,
        meaning: Named,
    ) -> Parsed<(String, Option<String>)> {
        let at = self.at;
        self.advance()?;
        let value = match meaning {
            Named::Temporary(n) => format!("t{n}"),
            Named::Value(value) => value,
            Named::Array(n) => self.element(n)?,
            Named::Address(_) | Named::Result(_) => {
                return Err(error(self.text, at, format!("`{name}` cannot be read")));
            }
        };
        Ok((value, self.suffix()?))
    }

    /// `.xyzw`, if there is one.
    pub(super) fn suffix(&mut self) -> Parsed<Option<String>> {
        if !self.accept('.')? {
            return Ok(None);
        }
        let at = self.at;
        let name = self.name()?;
        match self.components(name) {
            Some(suffix) => Ok(Some(suffix)),
            None => Err(error(self.text, at, format!("`{name}` is not a swizzle"))),
        }
    }

    /// `[3]`, `[A0.x]`, `[A0.x + 3]`: an element of a parameter array.
    pub(super) fn element(&mut self, array: usize) -> Parsed<String> {
        self.expect('[')?;
        let length = self.program.arrays[array].len();
        let at = self.at;
        let index = if let Token::Name(name) = self.token {
            let Some(&Named::Address(register)) = self.names.get(name) else {
                return self.fail(format!("`{name}` is not an address register"));
            };
            self.advance()?;
            if self.suffix()?.as_deref() != Some("x") {
                return Err(error(self.text, at, "address registers have the component x only"));
            }
            let offset = match (self.is('+'), self.is('-')) {
                (false, false) => String::new(),
                (_, minus) => {
                    self.advance()?;
                    let at = self.at;
                    let distance = self.integer()?;
                    if distance >= MAX_PARAMETERS {
                        return Err(error(self.text, at, "no array is that long"));
                    }
                    format!(" {} {distance}", if minus { '-' } else { '+' })
                }
            };
            self.relative.entry(array).or_insert(at);
            // An index outside of the array may read any element, but no other memory.
            format!("clamp(a{register}{offset}, 0, {})", length - 1)
        } else {
            let n = self.integer()?;
            if n as usize >= length {
                return Err(error(self.text, at, format!("the array has {length} elements")));
            }
            n.to_string()
        };
        self.expect(']')?;
        Ok(format!("p{array}[{index}]"))
    }

    /// A source that names its binding: the whole dotted name, or the name without a swizzle at its
    /// end.
    pub(super) fn bound(&mut self) -> Parsed<(String, Option<String>)> {
        let at = self.at;
        let mut parts = self.parts()?;
        if let Some(value) = self.single(&parts, at) {
            return Ok((value, None));
        }
        let suffix =
            parts.pop().filter(|p| p.index.is_none()).and_then(|p| self.components(&p.name));
        match (self.single(&parts, at), suffix) {
            (Some(value), Some(suffix)) => Ok((value, Some(suffix))),
            _ => Err(error(self.text, at, "neither a declared name nor a binding")),
        }
    }

    /// An attribute, or a parameter of one value.
    pub(super) fn single(&mut self, parts: &[Part], at: usize) -> Option<String> {
        if parts.is_empty() {
            return None;
        }
        if let Some(value) = self.attribute(parts, at) {
            return Some(value);
        }
        let mut values = self.parameter(parts)?;
        values.pop().filter(|_| values.is_empty())
    }

    pub(super) fn vector(&mut self) -> Parsed<String> {
        let at = self.at;
        let source = self.source()?;
        let value = match source.suffix.as_deref() {
            None | Some("xyzw") => source.value,
            Some(one) if one.len() == 1 => format!("{}.{one}{one}{one}{one}", source.value),
            Some(four) if four.len() == 4 => format!("{}.{four}", source.value),
            Some(other) => return Err(error(self.text, at, format!("`{other}` is not a swizzle"))),
        };
        Ok(if source.negative { format!("(-{value})") } else { value })
    }

    pub(super) fn scalar(&mut self) -> Parsed<String> {
        let at = self.at;
        let source = self.source()?;
        let component = match source.suffix.as_deref() {
            Some(one) if one.len() == 1 => one,
            _ => return Err(error(self.text, at, "a scalar operand needs one component")),
        };
        let value = format!("{}.{component}", source.value);
        Ok(if source.negative { format!("(-{value})") } else { value })
    }

    /// Destination and write mask of an instruction.
    pub(super) fn destination(&mut self) -> Parsed<(Destination, String)> {
        let at = self.at;
        let Token::Name(name) = self.token else { return self.unexpected("a destination") };
        let (destination, suffix) = match self.names.get(name).cloned() {
            Some(Named::Temporary(n)) => {
                self.advance()?;
                (Destination::Temporary(n), self.suffix()?)
            }
            Some(Named::Result(result)) => {
                self.advance()?;
                (Destination::Result(result), self.suffix()?)
            }
            Some(_) => return self.fail(format!("`{name}` cannot be written")),
            None => {
                let mut parts = self.parts()?;
                let whole = self.result(&parts);
                let (result, suffix) = match whole {
                    Some(result) => (Some(result), None),
                    None => {
                        let suffix = parts
                            .pop()
                            .filter(|p| p.index.is_none())
                            .and_then(|p| self.components(&p.name));
                        let known = suffix.is_some() && !parts.is_empty();
                        (known.then(|| self.result(&parts)).flatten(), suffix)
                    }
                };
                let Some(result) = result else {
                    return Err(error(self.text, at, "neither a declared name nor a result"));
                };
                (Destination::Result(result), suffix)
            }
        };
        if let Destination::Result(result) = &destination {
            if result.glsl == "gl_Position" && self.program.options.position_invariant {
                return Err(error(
                    self.text,
                    at,
                    "position-invariant programs do not write the position",
                ));
            }
            self.program.results.insert(result.clone());
        }
        let mask = suffix.unwrap_or_else(|| "xyzw".into());
        let rising = mask.bytes().map(order).is_sorted_by(|a, b| a < b);
        if !rising {
            return Err(error(self.text, at, format!("`{mask}` is not a writemask")));
        }
        Ok((destination, mask))
    }
}

/// A source operand.
pub(super) struct SourceOperand {
    pub value: String,
    pub suffix: Option<String>,
    pub negative: bool,
}

/// Index of a component.
fn order(component: u8) -> usize {
    b"xyzw".iter().position(|&c| c == component).unwrap_or(0)
}
