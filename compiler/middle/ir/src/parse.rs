//! The text form, read: the inverse of the printer. Comments run from `;` to the end of the line.
//!
//! Value, block and local numbers are kept, so printing a parsed text gives the text back. Numbers
//! may not exceed the length of the text, which bounds the tables. Control flow is parsed without
//! recursion.

use crate::ids::{Block, Local, Node, Value};
use crate::info::Dim;
use crate::info::{
    DepthLayout, DerivativeGroup, Interpolation, Location, Primitive, ShaderInfo, Spacing, Stage,
    Varying,
};
use crate::inst::{Alu, IDENTITY, InstKind, Jump, PhiSrc, Src, Tex, TexOp, TexSrcKind};
use crate::intrinsics::{AtomicOp, Field, Fields, Intrinsic, IntrinsicOp};
pub use crate::lex::ParseError;
use crate::lex::{Token, TokenKind, tokens};
use crate::ops::AluOp;
use crate::shader::{BlockData, LocalData, MAX_NESTING, NodeData, Shader, ValueData};
use crate::slot::Slot;
use cranelift_entity::{EntityRef, SecondaryMap};
use smallvec::SmallVec;
use std::str::FromStr;
use vocabulary::SourceLine;

type Result<T> = std::result::Result<T, ParseError>;

/// Reads one shader. The result is well-formed but not validated.
///
/// # Errors
/// The first syntax error, undefined value or number out of range.
pub fn parse(text: &str) -> Result<Shader> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens,
        position: 0,
        limit: text.len() + 1,
        shader: Shader::new(Stage::Vertex),
        defined: SecondaryMap::new(),
        placed: SecondaryMap::new(),
        uses: Vec::new(),
        block_uses: Vec::new(),
        local_uses: Vec::new(),
    };
    parser.shader.body.clear();
    parser.shader.nodes.clear();
    parser.shader.blocks.clear();
    parser.header()?;
    parser.body()?;
    parser.check_uses()?;
    Ok(parser.shader)
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    position: usize,
    /// Exclusive bound of ids.
    limit: usize,
    shader: Shader,
    defined: SecondaryMap<Value, bool>,
    placed: SecondaryMap<Block, bool>,
    /// Values, blocks and locals mentioned, with the token that does.
    uses: Vec<(Value, usize)>,
    block_uses: Vec<(Block, usize)>,
    local_uses: Vec<(Local, usize)>,
}

/// A control-flow construct whose closing brace has not come yet.
enum Frame {
    Then { outer: Vec<Node>, cond: Value },
    Else { outer: Vec<Node>, cond: Value, then_body: Vec<Node> },
    Loop { outer: Vec<Node> },
}

impl<'a> Parser<'a> {
    // Tokens.

    fn peek(&self) -> TokenKind<'a> {
        self.tokens.get(self.position).map_or(TokenKind::End, |t| t.kind)
    }

    fn next(&mut self) -> TokenKind<'a> {
        let kind = self.peek();
        self.position += 1;
        kind
    }

    fn error_at<T>(&self, position: usize, message: impl Into<String>) -> Result<T> {
        let (line, column) =
            self.tokens.get(position).or(self.tokens.last()).map_or((1, 1), |t| (t.line, t.column));
        Err(ParseError { line, column, message: message.into() })
    }

    /// An error at the token just consumed.
    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_at(self.position.saturating_sub(1), message)
    }

    fn skip_newlines(&mut self) {
        while self.peek() == TokenKind::Newline {
            self.position += 1;
        }
    }

    fn accept(&mut self, kind: TokenKind<'_>) -> bool {
        let found = self.peek() == kind;
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, c: char) -> Result<()> {
        match self.next() {
            TokenKind::Punct(p) if p == c => Ok(()),
            other => self.error(format!("`{c}` expected, found {other}")),
        }
    }

    fn word(&mut self) -> Result<&'a str> {
        match self.next() {
            TokenKind::Word(word) => Ok(word),
            other => self.error(format!("word expected, found {other}")),
        }
    }

    fn number<T: FromStr>(&mut self) -> Result<T> {
        let word = self.word()?;
        word.parse().or_else(|_| self.error(format!("number in range expected, found `{word}`")))
    }

    fn flag(&mut self) -> Result<bool> {
        Ok(self.number::<u8>()? != 0)
    }

    fn named<T>(&mut self, from_name: impl Fn(&str) -> Option<T>, what: &str) -> Result<T> {
        let word = self.word()?;
        from_name(word).map_or_else(|| self.error(format!("unknown {what} `{word}`")), Ok)
    }

    /// `name=`
    fn key(&mut self, name: &str) -> Result<()> {
        let word = self.word()?;
        if word != name {
            return self.error(format!("`{name}=` expected, found `{word}`"));
        }
        self.expect('=')
    }

    fn end_of_line(&mut self) -> Result<()> {
        match self.peek() {
            TokenKind::Newline | TokenKind::End | TokenKind::Punct('}') => Ok(()),
            other => self.error_at(self.position, format!("end of line expected, found {other}")),
        }
    }

    /// The number of an id with this prefix.
    fn id_number(&self, word: &str, prefix: char) -> Result<usize> {
        let number = word.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
        match number {
            Some(number) if number < self.limit => Ok(number),
            Some(_) => self.error(format!("`{word}`: number too large")),
            None => self.error(format!("`{prefix}` and a number expected, found `{word}`")),
        }
    }

    fn value_from(&mut self, word: &str) -> Result<Value> {
        let number = self.id_number(word, 'v')?;
        while self.shader.values.len() <= number {
            let def = crate::ids::Inst::new(0);
            self.shader.values.push(ValueData { bits: 32, components: 1, def });
        }
        Ok(Value::new(number))
    }

    fn value(&mut self) -> Result<Value> {
        let word = self.word()?;
        let value = self.value_from(word)?;
        self.uses.push((value, self.position - 1));
        Ok(value)
    }

    fn block_id(&mut self) -> Result<Block> {
        let word = self.word()?;
        let number = self.id_number(word, 'b')?;
        while self.shader.blocks.len() <= number {
            self.shader.blocks.push(BlockData::default());
        }
        Ok(Block::new(number))
    }

    /// `32x4`
    fn shape_from(&self, word: &str) -> Result<(u8, u8)> {
        let parts =
            word.split_once('x').and_then(|(b, c)| Some((b.parse().ok()?, c.parse().ok()?)));
        match parts {
            Some((bits @ (1 | 8 | 16 | 32 | 64), components @ 1..=4)) => Ok((bits, components)),
            _ => self.error(format!("shape such as `32x4` expected, found `{word}`")),
        }
    }

    // Header.

    fn header(&mut self) -> Result<()> {
        self.skip_newlines();
        let word = self.word()?;
        if word != "shader" {
            return self.error(format!("`shader` expected, found `{word}`"));
        }
        self.shader.info = ShaderInfo::new(self.named(Stage::from_identifier, "stage")?);
        if let TokenKind::Text(name) = self.peek() {
            self.position += 1;
            self.shader.info.name = name.to_owned();
        }
        loop {
            self.end_of_line()?;
            self.skip_newlines();
            match self.peek() {
                TokenKind::Word("input" | "output") => self.varying()?,
                TokenKind::Word("info") => self.info_number()?,
                TokenKind::Word("local_size") => {
                    self.position += 1;
                    self.shader.info.local_size = [self.number()?, self.number()?, self.number()?];
                }
                TokenKind::Word("derivative_group") => {
                    self.position += 1;
                    self.shader.info.derivative_group =
                        self.named(DerivativeGroup::from_name, "group")?;
                }
                TokenKind::Word("fragment") => self.fragment()?,
                TokenKind::Word("geometry") => self.geometry()?,
                TokenKind::Word("tess") => self.tess()?,
                TokenKind::Word("local") => self.local()?,
                _ => return Ok(()),
            }
        }
    }

    fn varying(&mut self) -> Result<()> {
        let is_input = self.word()? == "input";
        let slot = self.named(Slot::from_name, "slot")?;
        self.key("mask")?;
        let components = self.number()?;
        let interpolation = self.named(Interpolation::from_name, "interpolation")?;
        let location = self.named(Location::from_name, "location")?;
        self.key("stream")?;
        let varying = Varying { slot, components, interpolation, location, stream: self.number()? };
        let info = &mut self.shader.info;
        if is_input {
            info.inputs.push(varying)
        } else {
            info.outputs.push(varying)
        }
        Ok(())
    }

    fn info_number(&mut self) -> Result<()> {
        self.position += 1;
        let name = self.word()?;
        let at = self.position - 1;
        let value: u32 = self.number()?;
        let narrow =
            |parser: &Self| u8::try_from(value).or_else(|_| parser.error("number too large"));
        match name {
            "default_block_size" => self.shader.info.default_block_size = value,
            "ubos" => self.shader.info.ubos = value,
            "ssbos" => self.shader.info.ssbos = value,
            "samplers" => self.shader.info.samplers = value,
            "images" => self.shader.info.images = value,
            "atomic_buffers" => self.shader.info.atomic_buffers = value,
            "shared_size" => self.shader.info.shared_size = value,
            "scratch_size" => self.shader.info.scratch_size = value,
            "clip_distances" => self.shader.info.clip_distances = narrow(self)?,
            "cull_distances" => self.shader.info.cull_distances = narrow(self)?,
            "flush_f32" => self.shader.info.float_controls.flush_f32 = value != 0,
            _ => return self.error_at(at, format!("unknown info `{name}`")),
        }
        Ok(())
    }

    fn fragment(&mut self) -> Result<()> {
        self.position += 1;
        self.key("depth")?;
        self.shader.info.fragment.depth_layout =
            self.named(DepthLayout::from_name, "depth layout")?;
        while let TokenKind::Word(word) = self.peek() {
            self.position += 1;
            let fragment = &mut self.shader.info.fragment;
            match word {
                "early_tests" => fragment.early_tests = true,
                "sample_shading" => fragment.sample_shading = true,
                "uses_discard" => fragment.uses_discard = true,
                "origin_upper_left" => fragment.origin_upper_left = true,
                "pixel_center_integer" => fragment.pixel_center_integer = true,
                _ => return self.error(format!("unknown fragment mode `{word}`")),
            }
        }
        Ok(())
    }

    fn geometry(&mut self) -> Result<()> {
        self.position += 1;
        self.shader.info.geometry.input = self.named(Primitive::from_name, "primitive")?;
        self.shader.info.geometry.output = self.named(Primitive::from_name, "primitive")?;
        self.key("max_vertices")?;
        self.shader.info.geometry.max_vertices = self.number()?;
        self.key("invocations")?;
        self.shader.info.geometry.invocations = self.number()?;
        self.key("streams")?;
        self.shader.info.geometry.streams = self.number()?;
        Ok(())
    }

    fn tess(&mut self) -> Result<()> {
        self.position += 1;
        self.shader.info.tess.domain = self.named(Primitive::from_name, "primitive")?;
        self.shader.info.tess.spacing = self.named(Spacing::from_name, "spacing")?;
        self.key("vertices_out")?;
        self.shader.info.tess.vertices_out = self.number()?;
        self.key("ccw")?;
        self.shader.info.tess.ccw = self.flag()?;
        self.key("point_mode")?;
        self.shader.info.tess.point_mode = self.flag()?;
        Ok(())
    }

    fn local(&mut self) -> Result<()> {
        self.position += 1;
        let word = self.word()?;
        let number = self.id_number(word, 'l')?;
        if number != self.shader.locals.len() {
            return self.error(format!("locals must be numbered in order, found `{word}`"));
        }
        let shape = self.word()?;
        let (bits, components) = self.shape_from(shape)?;
        self.expect('[')?;
        let length = self.number()?;
        self.expect(']')?;
        let mut name = String::new();
        if let TokenKind::Text(text) = self.peek() {
            self.position += 1;
            name = text.to_owned();
        }
        let in_memory = self.peek() == TokenKind::Word("memory");
        self.position += usize::from(in_memory);
        self.shader.locals.push(LocalData { bits, components, length, name, in_memory });
        Ok(())
    }

    // Control flow.

    fn body(&mut self) -> Result<()> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut list: Vec<Node> = Vec::new();
        loop {
            self.skip_newlines();
            match self.next() {
                TokenKind::Word("block") => {
                    let block = self.block()?;
                    list.push(self.shader.nodes.push(NodeData::Block(block)));
                }
                TokenKind::Word("if") => {
                    let cond = self.value()?;
                    self.expect('{')?;
                    frames.push(Frame::Then { outer: std::mem::take(&mut list), cond });
                }
                TokenKind::Word("loop") => {
                    self.expect('{')?;
                    frames.push(Frame::Loop { outer: std::mem::take(&mut list) });
                }
                TokenKind::Punct('}') => list = self.close(&mut frames, list)?,
                TokenKind::End if frames.is_empty() => {
                    self.shader.body = list;
                    return Ok(());
                }
                other => return self.error(format!("block, if or loop expected, found {other}")),
            }
            if frames.len() > MAX_NESTING {
                return self.error(format!("control flow nested deeper than {MAX_NESTING}"));
            }
        }
    }

    /// A closing brace has been read: gives the list that goes on.
    fn close(&mut self, frames: &mut Vec<Frame>, list: Vec<Node>) -> Result<Vec<Node>> {
        let (mut outer, node) = match frames.pop() {
            Some(Frame::Then { outer, cond }) => {
                if self.accept(TokenKind::Word("else")) {
                    self.expect('{')?;
                    frames.push(Frame::Else { outer, cond, then_body: list });
                    return Ok(Vec::new());
                }
                return self.error("`else` expected: every if has both lists");
            }
            Some(Frame::Else { outer, cond, then_body }) => {
                (outer, NodeData::If { cond, then_body, else_body: list })
            }
            Some(Frame::Loop { outer }) => (outer, NodeData::Loop { body: list }),
            None => return self.error("`}` without a construct"),
        };
        outer.push(self.shader.nodes.push(node));
        Ok(outer)
    }

    fn block(&mut self) -> Result<Block> {
        let block = self.block_id()?;
        if std::mem::replace(&mut self.placed[block], true) {
            return self.error(format!("{block} is defined twice"));
        }
        self.expect('{')?;
        loop {
            self.skip_newlines();
            if self.accept(TokenKind::Punct('}')) {
                return Ok(block);
            }
            let word = self.word()?;
            if let Some(jump) = Jump::from_name(word) {
                self.shader.blocks[block].jump = Some(jump);
                self.skip_newlines();
                self.expect('}')?;
                return Ok(block);
            }
            self.instruction(block, word)?;
            self.end_of_line()?;
        }
    }

    // Instructions.

    fn instruction(&mut self, block: Block, first: &'a str) -> Result<()> {
        let mut result = None;
        let mut name = first;
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            let (bits, components) = self.shape_from(first)?;
            let word = self.word()?;
            let value = self.value_from(word)?;
            if std::mem::replace(&mut self.defined[value], true) {
                return self.error(format!("{value} is defined twice"));
            }
            self.expect('=')?;
            result = Some((value, bits, components));
            name = self.word()?;
        }
        let kind = self.kind(name)?;
        let line = self.line_mark()?;
        let inst = self.shader.create_inst(kind, None, line);
        if let Some((value, bits, components)) = result {
            self.shader.values[value] = ValueData { bits, components, def: inst };
            self.shader.insts[inst].result = Some(value);
        }
        self.shader.blocks[block].insts.push(inst);
        Ok(())
    }

    /// The source line of an instruction: `@12`, or `@1:12` for unit 1.
    fn line_mark(&mut self) -> Result<SourceLine> {
        if !self.accept(TokenKind::Punct('@')) {
            return Ok(SourceLine::UNKNOWN);
        }
        let (mut unit, mut line) = (0, self.number()?);
        if self.accept(TokenKind::Punct(':')) {
            (unit, line) = (line as usize, self.number()?);
        }
        Ok(SourceLine::new(unit, line))
    }

    fn kind(&mut self, name: &str) -> Result<InstKind> {
        let (base, exact) = name.strip_suffix('!').map_or((name, false), |base| (base, true));
        if let Some(op) = AluOp::from_name(base) {
            return self.alu(op, exact);
        }
        if let Some(op) = IntrinsicOp::from_name(name) {
            return self.intrinsic(op);
        }
        match name {
            "const" => self.constant(),
            "undef" => Ok(InstKind::Undef),
            "phi" => self.phi(),
            _ => match name.strip_prefix("tex.").and_then(TexOp::from_name) {
                Some(op) => self.tex(op),
                None => self.error(format!("unknown operation `{name}`")),
            },
        }
    }

    fn alu(&mut self, op: AluOp, exact: bool) -> Result<InstKind> {
        let mut srcs = SmallVec::new();
        for i in 0..op.info().inputs.len() {
            if i > 0 {
                self.expect(',')?;
            }
            srcs.push(self.src()?);
        }
        Ok(InstKind::Alu(Alu { op, srcs, exact }))
    }

    fn src(&mut self) -> Result<Src> {
        let word = self.word()?;
        let (id, letters) =
            word.split_once('.').map_or((word, None), |(id, letters)| (id, Some(letters)));
        let value = self.value_from(id)?;
        self.uses.push((value, self.position - 1));
        let mut swizzle = IDENTITY;
        if let Some(letters) = letters {
            if letters.is_empty() || letters.len() > 4 {
                return self.error(format!("swizzle `{letters}` is too short or too long"));
            }
            for (out, letter) in swizzle.iter_mut().zip(letters.chars()) {
                match "xyzw".find(letter) {
                    Some(component) => *out = component as u8,
                    None => return self.error(format!("`{letter}` is not a component")),
                }
            }
        }
        Ok(Src { value, swizzle })
    }

    fn constant(&mut self) -> Result<InstKind> {
        let mut data = [0; 4];
        for (i, out) in data.iter_mut().enumerate() {
            if i > 0 && !self.accept(TokenKind::Punct(',')) {
                break;
            }
            let word = self.word()?;
            let parsed = match word.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok(),
                None => word.parse().ok(),
            };
            match parsed {
                Some(number) => *out = number,
                None => return self.error(format!("constant expected, found `{word}`")),
            }
        }
        Ok(InstKind::Const(data))
    }

    fn phi(&mut self) -> Result<InstKind> {
        let mut srcs = SmallVec::new();
        while let TokenKind::Word(_) = self.peek() {
            let pred = self.block_id()?;
            self.block_uses.push((pred, self.position - 1));
            self.expect(':')?;
            srcs.push(PhiSrc { pred, value: self.value()? });
            if !self.accept(TokenKind::Punct(',')) {
                break;
            }
        }
        Ok(InstKind::Phi(srcs))
    }

    fn intrinsic(&mut self, op: IntrinsicOp) -> Result<InstKind> {
        let info = op.info();
        let mut srcs = SmallVec::new();
        for i in 0..info.srcs.len() {
            if i > 0 {
                self.expect(',')?;
            }
            srcs.push(self.value()?);
        }
        let mut fields = Fields::default();
        for &field in info.fields {
            self.key(field.name())?;
            self.field(field, &mut fields)?;
        }
        Ok(InstKind::Intrinsic(Intrinsic { op, srcs, fields: Box::new(fields) }))
    }

    fn field(&mut self, field: Field, fields: &mut Fields) -> Result<()> {
        match field {
            Field::Base => fields.base = self.number()?,
            Field::Align => fields.align = self.number()?,
            Field::Slot => fields.slot = self.named(Slot::from_name, "slot")?,
            Field::Component => fields.component = self.number()?,
            Field::WriteMask => fields.write_mask = self.number()?,
            Field::Stream => fields.stream = self.number()?,
            Field::Atomic => fields.atomic = self.named(AtomicOp::from_name, "atomic operation")?,
            Field::Dim => fields.dim = self.named(Dim::from_name, "dimension")?,
            Field::Array => fields.array = self.flag()?,
            Field::Format => fields.format = self.number()?,
            Field::Access => fields.access = self.number()?,
            Field::Location => fields.location = self.named(Location::from_name, "location")?,
            Field::Linear => fields.linear = self.flag()?,
            Field::Local => {
                let word = self.word()?;
                let local = Local::new(self.id_number(word, 'l')?);
                self.local_uses.push((local, self.position - 1));
                fields.local = Some(local);
            }
            Field::Scope => fields.scope = self.number()?,
        }
        Ok(())
    }

    fn tex(&mut self, op: TexOp) -> Result<InstKind> {
        let dim = self.named(Dim::from_name, "dimension")?;
        let mut tex = Tex::new(op, dim, 0, 0);
        self.key("texture")?;
        tex.texture = self.number()?;
        self.key("sampler")?;
        tex.sampler = self.number()?;
        self.key("array")?;
        tex.array = self.flag()?;
        self.key("shadow")?;
        tex.shadow = self.flag()?;
        self.key("gather")?;
        tex.gather = self.number()?;
        while let TokenKind::Word(name) = self.peek() {
            self.position += 1;
            let kind = TexSrcKind::from_name(name);
            self.expect('=')?;
            match kind {
                Some(kind) => {
                    let value = self.value()?;
                    tex.srcs.push((kind, value));
                }
                None if name == "offsets" => tex.gather_offsets = Some(self.gather_offsets()?),
                None => return self.error(format!("unknown texture source `{name}`")),
            }
        }
        Ok(InstKind::Tex(Box::new(tex)))
    }

    fn gather_offsets(&mut self) -> Result<[[i8; 2]; 4]> {
        let mut offsets = [[0; 2]; 4];
        for (i, offset) in offsets.iter_mut().flatten().enumerate() {
            if i > 0 {
                self.expect(',')?;
            }
            *offset = self.number()?;
        }
        Ok(offsets)
    }

    /// Every value, block and local mentioned exists.
    fn check_uses(&mut self) -> Result<()> {
        for &(value, at) in &self.uses {
            if !self.defined[value] {
                return self.error_at(at, format!("{value} is not defined"));
            }
        }
        for &(block, at) in &self.block_uses {
            if !self.placed[block] {
                return self.error_at(at, format!("{block} is not defined"));
            }
        }
        for &(local, at) in &self.local_uses {
            if self.shader.locals.get(local).is_none() {
                return self.error_at(at, format!("{local} is not declared"));
            }
        }
        if self.shader.insts.is_empty() && !self.shader.values.is_empty() {
            return self.error("value without definition");
        }
        Ok(())
    }
}
