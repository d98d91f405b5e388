//! Parser: statements with their operands resolved to GLSL expressions.

use std::collections::{BTreeMap, BTreeSet};

use crate::binding::{self, Part, ResultTarget};
use crate::instruction::{Form, Lookup, Operation, TARGETS, TextureTarget};
use crate::lexer::{Lexer, Token, error};
use crate::{Error, MAX_PARAMETERS, Target};

/// How fog options blend fragment colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fog {
    /// `ARB_fog_linear`
    Linear,
    /// `ARB_fog_exp`
    Exp,
    /// `ARB_fog_exp2`
    Exp2,
}

/// `OPTION` statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The position is that of fixed-function processing.
    pub position_invariant: bool,
    /// Fog.
    pub fog: Option<Fog>,
    /// Window origin in the upper left corner.
    pub origin_upper_left: bool,
    /// Pixel centres are integers.
    pub pixel_center_integer: bool,
}

/// Where an instruction writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// Temporary by number.
    Temporary(usize),
    /// Result.
    Result(ResultTarget),
}

/// One step of the program.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Writes the masked components of a vec4 expression.
    Assign {
        /// Where.
        destination: Destination,
        /// Components written: a non-empty part of `xyzw` in order.
        mask: String,
        /// Clamp to 0 … 1 first.
        saturate: bool,
        /// GLSL expression of type vec4.
        value: String,
    },
    /// Loads an address register with the floor of a float expression.
    Address {
        /// Which register.
        register: usize,
        /// GLSL expression of type float.
        value: String,
    },
    /// Discards where any component of a vec4 expression is negative.
    Kill(String),
}

/// A parsed program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Options.
    pub options: Options,
    /// Number of temporaries.
    pub temporaries: usize,
    /// Number of address registers.
    pub addresses: usize,
    /// Parameter arrays: expressions of their elements.
    pub arrays: Vec<Vec<String>>,
    /// Environment parameters named: one more than the highest.
    pub environment: u32,
    /// Local parameters named: one more than the highest.
    pub local: u32,
    /// Generic vertex attributes other than 0.
    pub attributes: BTreeSet<u32>,
    /// Textures by unit.
    pub textures: BTreeMap<u32, TextureTarget>,
    /// Results in order of their names.
    pub results: BTreeSet<ResultTarget>,
    /// The instructions.
    pub statements: Vec<Statement>,
}

/// What a declared name means.
#[derive(Clone, Debug)]
enum Named {
    Temporary(usize),
    Address(usize),
    /// A vec4 expression.
    Value(String),
    /// A parameter array by number.
    Array(usize),
    Result(ResultTarget),
}

/// Parses a whole program.
pub fn program(text: &str, target: Target) -> Result<Program, Error> {
    let header = target.header();
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with(header) {
        return Err(error(text, start, format!("the program does not begin with `{header}`")));
    }
    let mut lexer = Lexer::new(text, start + header.len());
    let (token, at) = lexer.next()?;
    let mut parser =
        Parser { text, target, lexer, token, at, names: BTreeMap::new(), program: Program::default() };
    parser.statements()?;
    Ok(parser.program)
}

struct Parser<'a> {
    text: &'a str,
    target: Target,
    lexer: Lexer<'a>,
    token: Token<'a>,
    at: usize,
    names: BTreeMap<&'a str, Named>,
    program: Program,
}

type Parsed<T> = Result<T, Error>;

impl<'a> Parser<'a> {
    // Tokens.

    fn advance(&mut self) -> Parsed<()> {
        (self.token, self.at) = self.lexer.next()?;
        Ok(())
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(error(self.text, self.at, message))
    }

    fn describe(&self) -> String {
        match &self.token {
            Token::Name(name) => format!("`{name}`"),
            Token::Number { value, .. } => format!("`{value}`"),
            Token::Symbol(c) => format!("`{c}`"),
            Token::Range => "`..`".into(),
            Token::End => "the end of the program".into(),
        }
    }

    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        self.fail(format!("expected {wanted}, found {}", self.describe()))
    }

    fn is(&self, symbol: char) -> bool {
        self.token == Token::Symbol(symbol)
    }

    fn accept(&mut self, symbol: char) -> Parsed<bool> {
        let found = self.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: char) -> Parsed<()> {
        if self.accept(symbol)? { Ok(()) } else { self.unexpected(&format!("`{symbol}`")) }
    }

    fn name(&mut self) -> Parsed<&'a str> {
        let Token::Name(name) = self.token else { return self.unexpected("a name") };
        self.advance()?;
        Ok(name)
    }

    fn integer(&mut self) -> Parsed<u32> {
        let Token::Number { integer: Some(n), .. } = self.token else {
            return self.unexpected("an integer");
        };
        self.advance()?;
        Ok(n)
    }

    // Statements.

    fn statements(&mut self) -> Parsed<()> {
        loop {
            let word = match self.token {
                Token::Name("END") => return Ok(()),
                Token::Name(word) => word,
                _ => return self.unexpected("a statement or `END`"),
            };
            let at = self.at;
            self.advance()?;
            match word {
                "OPTION" => self.option()?,
                "TEMP" => self.declare_list(|program| {
                    program.temporaries += 1;
                    Named::Temporary(program.temporaries - 1)
                })?,
                "ADDRESS" if self.target == Target::Vertex => self.declare_list(|program| {
                    program.addresses += 1;
                    Named::Address(program.addresses - 1)
                })?,
                "ATTRIB" => self.declare_attribute()?,
                "PARAM" => self.declare_parameter()?,
                "OUTPUT" => self.declare_output()?,
                "ALIAS" => self.declare_alias()?,
                _ => self.instruction(word, at)?,
            }
            self.expect(';')?;
        }
    }

    fn option(&mut self) -> Parsed<()> {
        let at = self.at;
        let name = self.name()?;
        let options = &mut self.program.options;
        match (name, self.target) {
            ("ARB_position_invariant", Target::Vertex) => options.position_invariant = true,
            ("ARB_fog_linear", Target::Fragment) => options.fog = Some(Fog::Linear),
            ("ARB_fog_exp", Target::Fragment) => options.fog = Some(Fog::Exp),
            ("ARB_fog_exp2", Target::Fragment) => options.fog = Some(Fog::Exp2),
            ("ARB_fragment_coord_origin_upper_left", Target::Fragment) => options.origin_upper_left = true,
            ("ARB_fragment_coord_pixel_center_integer", Target::Fragment) => {
                options.pixel_center_integer = true;
            }
            // Hints, and what needs no permission here.
            ("ARB_precision_hint_fastest" | "ARB_precision_hint_nicest", Target::Fragment)
            | ("ARB_fragment_program_shadow" | "ARB_draw_buffers" | "ATI_draw_buffers", Target::Fragment) => {
            }
            _ => return Err(error(self.text, at, format!("unknown option `{name}`"))),
        }
        Ok(())
    }

    fn declare(&mut self, at: usize, name: &'a str, meaning: Named) -> Parsed<()> {
        if self.names.insert(name, meaning).is_some() {
            return Err(error(self.text, at, format!("`{name}` is declared twice")));
        }
        Ok(())
    }

    fn declare_list(&mut self, make: impl Fn(&mut Program) -> Named) -> Parsed<()> {
        loop {
            let at = self.at;
            let name = self.name()?;
            let meaning = make(&mut self.program);
            self.declare(at, name, meaning)?;
            if !self.accept(',')? {
                return Ok(());
            }
        }
    }

    fn declare_attribute(&mut self) -> Parsed<()> {
        let at = self.at;
        let name = self.name()?;
        self.expect('=')?;
        let binding = self.at;
        let parts = self.parts()?;
        match self.attribute(&parts) {
            Some(value) => self.declare(at, name, Named::Value(value)),
            None => Err(error(self.text, binding, "unknown attribute")),
        }
    }

    fn declare_output(&mut self) -> Parsed<()> {
        let at = self.at;
        let name = self.name()?;
        self.expect('=')?;
        let binding = self.at;
        let parts = self.parts()?;
        match binding::result(&parts, self.target) {
            Some(result) => self.declare(at, name, Named::Result(result)),
            None => Err(error(self.text, binding, "unknown result")),
        }
    }

    fn declare_alias(&mut self) -> Parsed<()> {
        let at = self.at;
        let name = self.name()?;
        self.expect('=')?;
        let meant = self.at;
        let other = self.name()?;
        match self.names.get(other).cloned() {
            Some(meaning) => self.declare(at, name, meaning),
            None => Err(error(self.text, meant, format!("`{other}` is not declared"))),
        }
    }

    fn declare_parameter(&mut self) -> Parsed<()> {
        let at = self.at;
        let name = self.name()?;
        if !self.accept('[')? {
            self.expect('=')?;
            let mut items = self.parameter_items()?;
            return match (items.pop(), items.is_empty()) {
                (Some(value), true) => self.declare(at, name, Named::Value(value)),
                _ => Err(error(self.text, at, format!("`{name}` is no array but gets several values"))),
            };
        }
        let size = if self.is(']') { None } else { Some(self.integer()?) };
        self.expect(']')?;
        self.expect('=')?;
        self.expect('{')?;
        let mut items = self.parameter_items()?;
        while self.accept(',')? {
            items.extend(self.parameter_items()?);
        }
        self.expect('}')?;
        if size.is_some_and(|size| size as usize != items.len()) {
            return Err(error(self.text, at, format!("`{name}` has {} values", items.len())));
        }
        self.program.arrays.push(items);
        self.declare(at, name, Named::Array(self.program.arrays.len() - 1))
    }

    /// One item of a parameter: a constant, or as many values as a range or matrix has.
    fn parameter_items(&mut self) -> Parsed<Vec<String>> {
        if !matches!(self.token, Token::Name(_)) {
            return Ok(vec![self.constant()?]);
        }
        let at = self.at;
        let parts = self.parts()?;
        match self.parameter(&parts) {
            Some(items) => Ok(items),
            None => Err(error(self.text, at, "unknown parameter")),
        }
    }

    /// `1.0` or `{1.0, 2.0}`; missing components are 0, 0, 1.
    fn constant(&mut self) -> Parsed<String> {
        if !self.accept('{')? {
            return Ok(format!("vec4({})", literal(self.signed_number()?)));
        }
        let mut values = vec![self.signed_number()?];
        while values.len() < 4 && self.accept(',')? {
            values.push(self.signed_number()?);
        }
        self.expect('}')?;
        let missing = [0.0, 0.0, 0.0, 1.0];
        values.extend(&missing[values.len()..]);
        let list: Vec<String> = values.into_iter().map(literal).collect();
        Ok(format!("vec4({})", list.join(", ")))
    }

    fn signed_number(&mut self) -> Parsed<f32> {
        let negative = self.sign()?;
        let Token::Number { value, .. } = self.token else { return self.unexpected("a number") };
        self.advance()?;
        Ok(if negative { -value } else { value })
    }

    fn sign(&mut self) -> Parsed<bool> {
        if self.accept('-')? {
            return Ok(true);
        }
        self.accept('+')?;
        Ok(false)
    }

    // Names with dots.

    /// `word[n].word[n..m]…`
    fn parts(&mut self) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            let name = self.name()?.to_owned();
            let (mut index, mut last) = (None, None);
            if self.accept('[')? {
                index = Some(self.integer()?);
                if self.token == Token::Range {
                    self.advance()?;
                    last = Some(self.integer()?);
                }
                self.expect(']')?;
            }
            parts.push(Part { name, index, last });
            if !self.accept('.')? {
                return Ok(parts);
            }
        }
    }

    fn attribute(&mut self, parts: &[Part]) -> Option<String> {
        let value = match self.target {
            Target::Vertex => binding::vertex_attribute(parts),
            Target::Fragment => binding::fragment_attribute(parts),
        }?;
        if let Some(number) = value.strip_prefix("arb_attrib") {
            self.program.attributes.extend(number.parse::<u32>());
        }
        Some(value)
    }

    /// Values of `program.env[…]`, `program.local[…]` and `state.…`.
    fn parameter(&mut self, parts: &[Part]) -> Option<Vec<String>> {
        if let Some(rows) = binding::matrix_rows(parts) {
            return Some(rows);
        }
        let [first, second, ..] = parts else { return None };
        if first.name != "program" || parts.len() != 2 {
            return binding::state(parts).map(|value| vec![value]);
        }
        let from = second.index?;
        let to = second.last.unwrap_or(from);
        if to < from || to >= MAX_PARAMETERS {
            return None;
        }
        let (array, used) = match second.name.as_str() {
            "env" => (self.target.environment(), &mut self.program.environment),
            "local" => (self.target.local(), &mut self.program.local),
            _ => return None,
        };
        *used = (*used).max(to + 1);
        Some((from..=to).map(|n| format!("{array}[{n}]")).collect())
    }

    // Operands.

    /// A source: its expression, whether its sign is turned, and the suffix after it.
    fn source(&mut self) -> Parsed<Source> {
        let negative = self.sign()?;
        let (value, suffix) = match self.token {
            Token::Name(name) => match self.names.get(name).cloned() {
                Some(meaning) => self.declared(name, meaning)?,
                None => self.bound()?,
            },
            _ => (self.constant()?, self.suffix()?),
        };
        Ok(Source { value, suffix, negative })
    }

    /// A declared name as a source.
    fn declared(&mut self, name: &str, meaning: Named) -> Parsed<(String, Option<String>)> {
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
    fn suffix(&mut self) -> Parsed<Option<String>> {
        if !self.accept('.')? {
            return Ok(None);
        }
        let at = self.at;
        let name = self.name()?;
        match components(name) {
            Some(suffix) => Ok(Some(suffix)),
            None => Err(error(self.text, at, format!("`{name}` is no swizzle"))),
        }
    }

    /// `[3]`, `[A0.x]`, `[A0.x + 3]`: an element of a parameter array.
    fn element(&mut self, array: usize) -> Parsed<String> {
        self.expect('[')?;
        let length = self.program.arrays[array].len();
        let at = self.at;
        let index = if let Token::Name(name) = self.token {
            let Some(&Named::Address(register)) = self.names.get(name) else {
                return self.fail(format!("`{name}` is no address register"));
            };
            self.advance()?;
            if self.suffix()?.as_deref() != Some("x") {
                return Err(error(self.text, at, "address registers have the component x only"));
            }
            let offset = match (self.is('+'), self.is('-')) {
                (false, false) => String::new(),
                (_, minus) => {
                    self.advance()?;
                    format!(" {} {}", if minus { '-' } else { '+' }, self.integer()?)
                }
            };
            // Outside of the array anything may be read; nothing outside of it may.
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

    /// A source that names its binding: all of the dotted name, or all but a swizzle at its end.
    fn bound(&mut self) -> Parsed<(String, Option<String>)> {
        let at = self.at;
        let mut parts = self.parts()?;
        if let Some(value) = self.single(&parts) {
            return Ok((value, None));
        }
        let suffix = parts.pop().filter(|p| p.index.is_none()).and_then(|p| components(&p.name));
        match (self.single(&parts), suffix) {
            (Some(value), Some(suffix)) => Ok((value, Some(suffix))),
            _ => Err(error(self.text, at, "not declared, and no known binding")),
        }
    }

    /// An attribute, or a parameter of one value.
    fn single(&mut self, parts: &[Part]) -> Option<String> {
        if parts.is_empty() {
            return None;
        }
        if let Some(value) = self.attribute(parts) {
            return Some(value);
        }
        let mut values = self.parameter(parts)?;
        values.pop().filter(|_| values.is_empty())
    }

    fn vector(&mut self) -> Parsed<String> {
        let at = self.at;
        let source = self.source()?;
        let value = match source.suffix.as_deref() {
            None | Some("xyzw") => source.value,
            Some(one) if one.len() == 1 => format!("{}.{one}{one}{one}{one}", source.value),
            Some(four) if four.len() == 4 => format!("{}.{four}", source.value),
            Some(other) => return Err(error(self.text, at, format!("`{other}` is no swizzle"))),
        };
        Ok(if source.negative { format!("(-{value})") } else { value })
    }

    fn scalar(&mut self) -> Parsed<String> {
        let at = self.at;
        let source = self.source()?;
        let component = match source.suffix.as_deref() {
            Some(one) if one.len() == 1 => one,
            // A plain number is the same in all components.
            None if source.value.starts_with("vec4(") && !source.value.contains(',') => "x",
            _ => return Err(error(self.text, at, "a scalar operand needs one component")),
        };
        let value = format!("{}.{component}", source.value);
        Ok(if source.negative { format!("(-{value})") } else { value })
    }

    /// Where an instruction writes, and which components.
    fn destination(&mut self) -> Parsed<(Destination, String)> {
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
                let whole = binding::result(&parts, self.target);
                let (result, suffix) = match whole {
                    Some(result) => (Some(result), None),
                    None => {
                        let suffix = parts.pop().and_then(|p| components(&p.name));
                        let known = suffix.is_some() && !parts.is_empty();
                        (known.then(|| binding::result(&parts, self.target)).flatten(), suffix)
                    }
                };
                let Some(result) = result else {
                    return Err(error(self.text, at, "not declared, and no known result"));
                };
                (Destination::Result(result), suffix)
            }
        };
        if let Destination::Result(result) = &destination {
            if result.glsl == "gl_Position" && self.program.options.position_invariant {
                return Err(error(self.text, at, "position-invariant programs do not write the position"));
            }
            self.program.results.insert(result.clone());
        }
        let mask = suffix.unwrap_or_else(|| "xyzw".into());
        let rising = mask.bytes().map(order).is_sorted_by(|a, b| a < b);
        if !rising {
            return Err(error(self.text, at, format!("`{mask}` is no writemask")));
        }
        Ok((destination, mask))
    }

    // Instructions.

    fn instruction(&mut self, word: &str, at: usize) -> Parsed<()> {
        let (name, saturate) = match word.strip_suffix("_SAT") {
            Some(name) if self.target == Target::Fragment => (name, true),
            _ => (word, false),
        };
        match (name, self.target) {
            ("ARL", Target::Vertex) => return self.address_load(),
            ("KIL", Target::Fragment) if !saturate => {
                let value = self.vector()?;
                self.program.statements.push(Statement::Kill(value));
                return Ok(());
            }
            _ => {}
        }
        let lookup = match (name, self.target) {
            ("TEX", Target::Fragment) => Some(Lookup::Plain),
            ("TXP", Target::Fragment) => Some(Lookup::Projective),
            ("TXB", Target::Fragment) => Some(Lookup::Biased),
            _ => None,
        };
        let operation = Operation::find(name, self.target);
        if lookup.is_none() && name != "SWZ" && operation.is_none() {
            return Err(error(self.text, at, format!("unknown instruction `{word}`")));
        }
        let (destination, mask) = self.destination()?;
        self.expect(',')?;
        let value = match (lookup, operation) {
            (Some(lookup), _) => self.texture(lookup)?,
            (None, Some(operation)) => self.operands(operation)?,
            (None, None) => self.extended_swizzle()?,
        };
        self.program.statements.push(Statement::Assign { destination, mask, saturate, value });
        Ok(())
    }

    fn operands(&mut self, operation: &Operation) -> Parsed<String> {
        let mut value = operation.glsl.to_owned();
        for (n, form) in operation.operands.iter().enumerate() {
            if n > 0 {
                self.expect(',')?;
            }
            let operand = match form {
                Form::Vector => self.vector()?,
                Form::Scalar => self.scalar()?,
            };
            value = value.replace(&format!("${n}"), &operand);
        }
        Ok(value)
    }

    fn address_load(&mut self) -> Parsed<()> {
        let at = self.at;
        let name = self.name()?;
        let Some(&Named::Address(register)) = self.names.get(name) else {
            return Err(error(self.text, at, format!("`{name}` is no address register")));
        };
        if self.suffix()?.is_some_and(|suffix| suffix != "x") {
            return Err(error(self.text, at, "address registers have the component x only"));
        }
        self.expect(',')?;
        let value = self.scalar()?;
        self.program.statements.push(Statement::Address { register, value });
        Ok(())
    }

    /// `SWZ dst, src, -x, 0, 1, +w`
    fn extended_swizzle(&mut self) -> Parsed<String> {
        let source = self.source()?;
        let mut picked = Vec::new();
        for _ in 0..4 {
            self.expect(',')?;
            let negative = self.sign()?;
            let component = match self.token {
                Token::Number { integer: Some(0), .. } => "0.0".to_owned(),
                Token::Number { integer: Some(1), .. } => "1.0".to_owned(),
                Token::Name(name) => match components(name).filter(|c| c.len() == 1) {
                    Some(component) => format!("{}.{component}", source.value),
                    None => return self.unexpected("a component, 0 or 1"),
                },
                _ => return self.unexpected("a component, 0 or 1"),
            };
            self.advance()?;
            picked.push(format!("{}{component}", if negative != source.negative { "-" } else { "" }));
        }
        Ok(format!("vec4({})", picked.join(", ")))
    }

    /// `coordinate, texture[n], TARGET`
    fn texture(&mut self, lookup: Lookup) -> Parsed<String> {
        let coordinate = self.vector()?;
        self.expect(',')?;
        let at = self.at;
        let unit = match self.parts()?.as_slice() {
            [Part { name, index, last: None }] if name == "texture" => index.unwrap_or(0),
            _ => return Err(error(self.text, at, "expected `texture[n]`")),
        };
        if unit >= binding::MAX_TEXTURES {
            return Err(error(self.text, at, format!("there is no texture unit {unit}")));
        }
        self.expect(',')?;
        let target = self.texture_target()?;
        let known = *self.program.textures.entry(unit).or_insert(target);
        if known != target {
            return Err(error(self.text, at, format!("texture unit {unit} is used with two targets")));
        }
        let info = target.info();
        let call = match lookup {
            Lookup::Projective if !info.projective.is_empty() => {
                format!("{}Proj(arb_texture{unit}, ({coordinate}).{})", info.function, info.projective)
            }
            Lookup::Projective => {
                format!("{}(arb_texture{unit}, ({coordinate}).xyz / ({coordinate}).w)", info.function)
            }
            Lookup::Biased
                if !matches!(target, TextureTarget::Rectangle | TextureTarget::ShadowRectangle) =>
            {
                let (function, parts) = (info.function, info.coordinate);
                format!("{function}(arb_texture{unit}, ({coordinate}).{parts}, ({coordinate}).w)")
            }
            // Rectangles have one level: a bias changes nothing.
            _ => format!("{}(arb_texture{unit}, ({coordinate}).{})", info.function, info.coordinate),
        };
        Ok(call)
    }

    /// `2D` is a number and a name to the lexer.
    fn texture_target(&mut self) -> Parsed<TextureTarget> {
        let at = self.at;
        let mut name = String::new();
        if let Token::Number { integer: Some(n), .. } = self.token {
            name.push_str(&n.to_string());
            self.advance()?;
        }
        name.push_str(self.name()?);
        match TARGETS.iter().find(|t| t.name == name) {
            Some(info) => Ok(info.target),
            None => Err(error(self.text, at, format!("unknown texture target `{name}`"))),
        }
    }
}

/// A source operand.
struct Source {
    value: String,
    suffix: Option<String>,
    negative: bool,
}

/// One to four of `xyzw` or of `rgba`, as `xyzw`.
fn components(name: &str) -> Option<String> {
    let from = |set: &str| {
        let letters: Option<String> =
            name.chars().map(|c| set.find(c).map(|at| char::from(b"xyzw"[at]))).collect();
        letters.filter(|s| (1..=4).contains(&s.len()))
    };
    from("xyzw").or_else(|| from("rgba"))
}

/// Place of a component.
fn order(component: u8) -> usize {
    b"xyzw".iter().position(|&c| c == component).unwrap_or(0)
}

/// A float as GLSL writes it.
fn literal(value: f32) -> String {
    format!("{value:?}")
}
