//! Parser: statements with their operands resolved to GLSL expressions.

mod operand;

use std::collections::{BTreeMap, BTreeSet};

use crate::arb::binding::{self, Part, ResultTarget};
use crate::arb::error::{Error, error};
use crate::arb::instruction::{self, Form, Lookup, Operation, TEXTURE_TARGETS, TextureTarget};
use crate::arb::lexer::{Lexer, Token};
use crate::arb::target::{MAX_PARAMETERS, ProgramTarget};

/// Fog mode of the fog options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fog {
    /// `ARB_fog_linear`
    Linear,
    /// `ARB_fog_exp`
    Exp,
    /// `ARB_fog_exp2`
    Exp2,
}

/// `OPTION` statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ProgramOptions {
    /// The position is that of fixed-function processing.
    pub position_invariant: bool,
    /// Fog.
    pub fog: Option<Fog>,
    /// Window origin in the upper left corner.
    pub origin_upper_left: bool,
    /// Pixel centers are integers.
    pub pixel_center_integer: bool,
    /// `ARB_draw_buffers`: colors are numbered.
    pub draw_buffers: bool,
    /// `ARB_fragment_program_shadow`: there are shadow targets.
    pub shadow: bool,
    /// `ARB_precision_hint_fastest` or `ARB_precision_hint_nicest`.
    pub precision: Option<bool>,
}

/// Destination of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Destination {
    /// Temporary by number.
    Temporary(usize),
    /// Result.
    Result(ResultTarget),
}

/// One step of the program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Statement {
    /// Writes the masked components of a vec4 expression.
    Assign {
        /// Destination.
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
        /// Register number.
        register: usize,
        /// GLSL expression of type float.
        value: String,
    },
    /// Discards where any component of a vec4 expression is negative.
    Kill(String),
}

/// A parsed program.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// Program options.
    pub options: ProgramOptions,
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

/// Meaning of a declared name.
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
pub(super) fn program(text: &str, target: ProgramTarget) -> Result<Program, Error> {
    let header = target.header();
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with(header) {
        return Err(error(text, start, format!("the program does not begin with `{header}`")));
    }
    let mut lexer = Lexer::new(text, start + header.len());
    let (token, at) = lexer.next()?;
    let mut parser = Parser {
        text,
        target,
        lexer,
        token,
        at,
        names: BTreeMap::new(),
        bound: Default::default(),
        relative: BTreeMap::new(),
        program: Program::default(),
    };
    parser.statements()?;
    parser.check_attributes()?;
    parser.check_relative()?;
    Ok(parser.program)
}

struct Parser<'a> {
    text: &'a str,
    target: ProgramTarget,
    lexer: Lexer<'a>,
    token: Token<'a>,
    at: usize,
    names: BTreeMap<&'a str, Named>,
    /// Places of conventional and of generic vertex attributes that are bound, by generic number.
    bound: [BTreeMap<u32, usize>; 2],
    /// Places where arrays are first addressed through a register, by array.
    relative: BTreeMap<usize, usize>,
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
        let mut options = true;
        loop {
            let word = match self.token {
                Token::Name("END") => {
                    self.advance()?;
                    return if self.token == Token::End {
                        Ok(())
                    } else {
                        self.unexpected("nothing after `END`")
                    };
                }
                Token::Name(word) => word,
                _ => return self.unexpected("a statement or `END`"),
            };
            let at = self.at;
            self.advance()?;
            if word == "OPTION" && !options {
                return Err(error(self.text, at, "options come before all other statements"));
            }
            options = word == "OPTION";
            match word {
                "OPTION" => self.option()?,
                "TEMP" => self.declare_list(|program| {
                    program.temporaries += 1;
                    Named::Temporary(program.temporaries - 1)
                })?,
                "ADDRESS" if self.target == ProgramTarget::Vertex => {
                    self.declare_list(|program| {
                        program.addresses += 1;
                        Named::Address(program.addresses - 1)
                    })?
                }
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
        let (fog, precision) = (options.fog, options.precision);
        match (name, self.target) {
            ("ARB_position_invariant", ProgramTarget::Vertex) => options.position_invariant = true,
            ("ARB_fog_linear", ProgramTarget::Fragment) => options.fog = Some(Fog::Linear),
            ("ARB_fog_exp", ProgramTarget::Fragment) => options.fog = Some(Fog::Exp),
            ("ARB_fog_exp2", ProgramTarget::Fragment) => options.fog = Some(Fog::Exp2),
            ("ARB_fragment_coord_origin_upper_left", ProgramTarget::Fragment) => {
                options.origin_upper_left = true
            }
            ("ARB_fragment_coord_pixel_center_integer", ProgramTarget::Fragment) => {
                options.pixel_center_integer = true;
            }
            ("ARB_precision_hint_fastest", ProgramTarget::Fragment) => {
                options.precision = Some(false)
            }
            ("ARB_precision_hint_nicest", ProgramTarget::Fragment) => {
                options.precision = Some(true)
            }
            ("ARB_fragment_program_shadow", ProgramTarget::Fragment) => options.shadow = true,
            ("ARB_draw_buffers" | "ATI_draw_buffers", ProgramTarget::Fragment) => {
                options.draw_buffers = true
            }
            _ => return Err(error(self.text, at, format!("unknown option `{name}`"))),
        }
        // One of each kind (ARB_fragment_program).
        if fog.is_some_and(|fog| options.fog != Some(fog)) {
            return Err(error(self.text, at, "more than one fog option"));
        }
        if precision.is_some_and(|precision| options.precision != Some(precision)) {
            return Err(error(self.text, at, "more than one precision option"));
        }
        Ok(())
    }

    fn declare(&mut self, at: usize, name: &'a str, meaning: Named) -> Parsed<()> {
        if instruction::is_reserved(name, self.target) {
            return Err(error(self.text, at, format!("`{name}` is a reserved word")));
        }
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
        match self.attribute(&parts, binding) {
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
        match self.result(&parts) {
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
                _ => Err(error(
                    self.text,
                    at,
                    format!("`{name}` is not an array but has several values"),
                )),
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

    fn result(&self, parts: &[Part]) -> Option<ResultTarget> {
        let draw_buffers = self.program.options.draw_buffers;
        binding::result(parts, self.target, draw_buffers).filter(|_| binding::indices_fit(parts))
    }

    /// A program has one of two attributes that share their place (ARB_vertex_program).
    fn check_attributes(&self) -> Parsed<()> {
        let [conventional, generic] = &self.bound;
        match generic.iter().find_map(|(n, at)| Some((n, at.max(conventional.get(n)?)))) {
            Some((n, &at)) => {
                let message =
                    format!("this attribute and another one are both generic attribute {n}");
                Err(error(self.text, at, message))
            }
            None => Ok(()),
        }
    }

    /// Arrays that are addressed through registers have no parameter twice (ARB_vertex_program;
    /// piglit's param-08).
    fn check_relative(&self) -> Parsed<()> {
        let mut seen = BTreeSet::new();
        for (&array, &at) in &self.relative {
            let parameters = self.program.arrays[array]
                .iter()
                .filter(|item| item.contains("arb_") || item.contains("gl_"));
            for parameter in parameters {
                if !seen.insert(parameter) {
                    return Err(error(
                        self.text,
                        at,
                        "a parameter is twice in what is addressed through registers",
                    ));
                }
            }
        }
        Ok(())
    }

    fn attribute(&mut self, parts: &[Part], at: usize) -> Option<String> {
        if !binding::indices_fit(parts) {
            return None;
        }
        let value = match self.target {
            ProgramTarget::Vertex => binding::vertex_attribute(parts),
            ProgramTarget::Fragment => binding::fragment_attribute(parts),
        }?;
        if let Some(number) = value.strip_prefix("arb_attrib") {
            self.program.attributes.extend(number.parse::<u32>());
        }
        let alias = binding::generic_alias(parts).map(|n| (0, n));
        let generic =
            || parts.last().filter(|p| p.name == "attrib").and_then(|p| Some((1, p.index?)));
        if let Some((kind, n)) = alias.or_else(generic) {
            self.bound[kind].entry(n).or_insert(at);
        }
        Some(value)
    }

    /// Values of `program.env[…]`, `program.local[…]` and `state.…`.
    fn parameter(&mut self, parts: &[Part]) -> Option<Vec<String>> {
        if !binding::indices_fit(parts) {
            return None;
        }
        if let Some(rows) = binding::matrix_rows(parts) {
            return Some(rows);
        }
        let [first, second, ..] = parts else { return None };
        if first.name != "program" || parts.len() != 2 {
            return binding::state(parts, self.target).map(|value| vec![value]);
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

    // Instructions.

    fn instruction(&mut self, word: &str, at: usize) -> Parsed<()> {
        let (name, saturate) = match word.strip_suffix("_SAT") {
            Some(name) if self.target == ProgramTarget::Fragment => (name, true),
            _ => (word, false),
        };
        match (name, self.target) {
            ("ARL", ProgramTarget::Vertex) => return self.address_load(),
            ("KIL", ProgramTarget::Fragment) if !saturate => {
                let value = self.vector()?;
                self.program.statements.push(Statement::Kill(value));
                return Ok(());
            }
            _ => {}
        }
        let lookup = match (name, self.target) {
            ("TEX", ProgramTarget::Fragment) => Some(Lookup::Plain),
            ("TXP", ProgramTarget::Fragment) => Some(Lookup::Projective),
            ("TXB", ProgramTarget::Fragment) => Some(Lookup::Biased),
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
            return Err(error(self.text, at, format!("`{name}` is not an address register")));
        };
        if self.suffix()?.as_deref() != Some("x") {
            return Err(error(self.text, at, "address registers have the component x only"));
        }
        self.expect(',')?;
        let value = self.scalar()?;
        self.program.statements.push(Statement::Address { register, value });
        Ok(())
    }

    /// `SWZ dst, src, -x, 0, 1, +w`
    fn extended_swizzle(&mut self) -> Parsed<String> {
        let at = self.at;
        let source = self.source()?;
        if source.negative || source.suffix.is_some() {
            return Err(error(self.text, at, "the source of SWZ has neither a sign nor a swizzle"));
        }
        let mut picked = Vec::new();
        let mut letters = String::new();
        for _ in 0..4 {
            self.expect(',')?;
            let negative = self.sign()?;
            let component = match self.token {
                Token::Number { integer: Some(0), .. } => "0.0".to_owned(),
                Token::Number { integer: Some(1), .. } => "1.0".to_owned(),
                Token::Name(name) if name.len() == 1 => {
                    letters += name;
                    let Some(component) =
                        self.components(&letters).and_then(|known| known.chars().last())
                    else {
                        return self.unexpected("a component of the same set");
                    };
                    format!("{}.{component}", source.value)
                }
                _ => return self.unexpected("a component, 0 or 1"),
            };
            self.advance()?;
            picked.push(format!("{}{component}", if negative { "-" } else { "" }));
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
            return Err(error(
                self.text,
                at,
                format!("texture unit {unit} is used with two targets"),
            ));
        }
        let info = target.info();
        let call = match lookup {
            Lookup::Projective if !info.projective.is_empty() => {
                format!(
                    "{}Proj(arb_texture{unit}, ({coordinate}).{})",
                    info.function, info.projective
                )
            }
            Lookup::Projective => {
                format!(
                    "{}(arb_texture{unit}, ({coordinate}).xyz / ({coordinate}).w)",
                    info.function
                )
            }
            Lookup::Biased
                if !matches!(target, TextureTarget::Rectangle | TextureTarget::ShadowRectangle) =>
            {
                let (function, parts) = (info.function, info.coordinate);
                format!("{function}(arb_texture{unit}, ({coordinate}).{parts}, ({coordinate}).w)")
            }
            // Rectangles have one level: a bias changes nothing.
            _ => {
                format!("{}(arb_texture{unit}, ({coordinate}).{})", info.function, info.coordinate)
            }
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
        match TEXTURE_TARGETS.iter().find(|t| t.name == name) {
            Some(info) if info.name.starts_with("SHADOW") && !self.program.options.shadow => Err(
                error(self.text, at, "shadow targets need the option ARB_fragment_program_shadow"),
            ),
            Some(info) => Ok(info.target),
            None => Err(error(self.text, at, format!("unknown texture target `{name}`"))),
        }
    }
}

/// A float as GLSL writes it.
fn literal(value: f32) -> String {
    match value {
        f32::INFINITY => "1e39".to_owned(),
        f32::NEG_INFINITY => "-1e39".to_owned(),
        _ => format!("{value:?}"),
    }
}
