//! Text form of shaders and programs, for people and for tests: GLSL's look, with everything
//! explicit.
//!
//! A conversion prints as `float(x)`, a repeated scalar as `splat vec3(x)`, a matrix from a scalar
//! or another matrix as `diagonal mat3(x)` and `resize mat3(x)`, arrays and structures as
//! `S{a, b}`. Linear algebra is `a ** b`. An operator that must not be fused has `!` after it.
//! Globals show where linking put them after `@`.

use std::fmt::{self, Write};

use crate::builtin_function::AtomicOp;
use crate::expression::{
    BinaryOp, ExprId, ExprKind, ImageOp, Literal, TextureCall, TextureLod, TextureOp, UnaryOp,
};
use crate::program::{LinkedStage, Program};
use crate::resource::{Placement, Varying};
use crate::shader::{Case, Direction, Function, Shader, Statement};
use crate::types::{Scalar, TypeId, TypeTable};
use crate::variable::{Global, Interpolation, InterpolationMode, SampleLocation, Storage};

/// A shader with the table its types are in; its `Display` is the text.
#[derive(Clone, Copy, Debug)]
pub struct ShaderText<'a> {
    /// Shader.
    pub shader: &'a Shader,
    /// Types.
    pub types: &'a TypeTable,
}

impl fmt::Display for ShaderText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.shader;
        match s.nameless {
            true => writeln!(f, "{} shader, SPIR-V", s.stage)?,
            false => {
                let es = if s.es { "ES " } else { "" };
                writeln!(f, "{} shader, GLSL {es}{}", s.stage, s.version)?;
            }
        }
        for global in s.globals.values() {
            let value = Printer { types: self.types, shader: s, function: None };
            value.global(global, f)?;
        }
        for function in s.functions.values() {
            Printer { types: self.types, shader: s, function: Some(function) }
                .function(function, f)?;
        }
        Ok(())
    }
}

struct Printer<'a> {
    types: &'a TypeTable,
    shader: &'a Shader,
    function: Option<&'a Function>,
}

fn storage_word(storage: Storage) -> &'static str {
    match storage {
        Storage::Private => "",
        Storage::Const => "const ",
        Storage::Uniform => "uniform ",
        Storage::Buffer => "buffer ",
        Storage::Input => "in ",
        Storage::Output => "out ",
        Storage::Shared => "shared ",
    }
}

fn interpolation_words(i: Interpolation) -> String {
    let mode = match i.mode {
        InterpolationMode::Default => "",
        InterpolationMode::Smooth => "smooth ",
        InterpolationMode::Flat => "flat ",
        InterpolationMode::NoPerspective => "noperspective ",
    };
    let location = match i.location {
        SampleLocation::Center => "",
        SampleLocation::Centroid => "centroid ",
        SampleLocation::Sample => "sample ",
    };
    format!("{mode}{location}{}", if i.patch { "patch " } else { "" })
}

fn placement(p: Placement) -> String {
    match p {
        Placement::None => String::new(),
        Placement::Uniform { offset, sampler, image } => {
            format!(" @uniform {offset} sampler {sampler} image {image}")
        }
        Placement::UniformBlock { index } => format!(" @uniform block {index}"),
        Placement::StorageBlock { index } => format!(" @storage block {index}"),
        Placement::AtomicCounter { binding, offset } => format!(" @counter {binding}:{offset}"),
        Placement::Subroutine { location, offset } => format!(" @subroutine {location} +{offset}"),
        Placement::Attribute { first, component } => format!(" @attribute {first}.{component}"),
        Placement::Varying { slot, component } => format!(" @{slot:?}.{component}"),
        Placement::FragmentOutput { output, component } => format!(" @{output:?}.{component}"),
        Placement::Shared { offset } => format!(" @shared {offset}"),
        Placement::System => " @system".into(),
        Placement::PerMember => " @members".into(),
    }
}

impl Printer<'_> {
    fn global(&self, g: &Global, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut layout = Vec::new();
        for (name, value) in [
            ("location", g.layout.location),
            ("component", g.layout.component),
            ("index", g.layout.index),
            ("binding", g.layout.binding),
            ("offset", g.layout.offset),
            ("stream", g.layout.stream),
            ("xfb_buffer", g.layout.xfb_buffer),
            ("xfb_offset", g.layout.xfb_offset),
        ] {
            layout.extend(value.map(|v| format!("{name}={v}")));
        }
        layout.extend(g.layout.image_format.map(|i| i.name().to_owned()));
        if !layout.is_empty() {
            write!(f, "layout({}) ", layout.join(", "))?;
        }
        let flags = [(g.invariant, "invariant "), (g.precise, "precise ")];
        flags.iter().filter(|(on, _)| *on).try_for_each(|(_, word)| f.write_str(word))?;
        write!(f, "{}{}", interpolation_words(g.interpolation), storage_word(g.storage))?;
        let block = if g.block.is_some() { "block " } else { "" };
        write!(f, "{block}{} {}", self.types.name(g.ty), g.name)?;
        if let Some(value) = g.initializer {
            write!(f, " = {}", self.expr(value))?;
        }
        writeln!(f, "{}", placement(g.placement))
    }

    fn function(&self, function: &Function, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> = function
            .parameters
            .iter()
            .map(|p| {
                let local = &function.locals[p.local];
                let direction = match p.direction {
                    Direction::In | Direction::Opaque => "",
                    Direction::Out => "out ",
                    Direction::InOut => "inout ",
                };
                format!("{direction}{} {}", self.types.name(local.ty), self.local(p.local))
            })
            .collect();
        let head = format!(
            "{} {}({})",
            self.types.name(function.result),
            function.name,
            parameters.join(", ")
        );
        match &function.body {
            None => writeln!(f, "{head};"),
            Some(body) => {
                let mut text = String::new();
                self.block(body, 1, &mut text)?;
                writeln!(f, "{head} {{\n{text}}}")
            }
        }
    }

    fn local(&self, id: crate::LocalId) -> String {
        let name = self.function.and_then(|f| f.locals.get(id)).map_or("", |l| &l.name);
        // Locals of different scopes may share a name; a number tells them apart.
        let twin = self
            .function
            .is_some_and(|f| f.locals.iter().any(|(i, l)| i != id && *l.name == *name));
        if twin || name.is_empty() { format!("{name}.{}", id.as_u32()) } else { name.to_owned() }
    }

    fn block(&self, body: &[Statement], depth: usize, out: &mut String) -> fmt::Result {
        body.iter().try_for_each(|s| self.statement(s, depth, out))
    }

    fn statement(&self, statement: &Statement, depth: usize, out: &mut String) -> fmt::Result {
        let pad = "    ".repeat(depth);
        match statement {
            Statement::Expression(e) => writeln!(out, "{pad}{};", self.expr(*e)),
            Statement::Declare { local, value } => {
                let ty = self
                    .function
                    .and_then(|f| f.locals.get(*local))
                    .map_or(TypeTable::VOID, |l| l.ty);
                let value = value.map_or(String::new(), |v| format!(" = {}", self.expr(v)));
                writeln!(out, "{pad}{} {}{value};", self.types.name(ty), self.local(*local))
            }
            Statement::If { condition, then, otherwise } => {
                writeln!(out, "{pad}if ({}) {{", self.expr(*condition))?;
                self.block(then, depth + 1, out)?;
                if !otherwise.is_empty() {
                    writeln!(out, "{pad}}} else {{")?;
                    self.block(otherwise, depth + 1, out)?;
                }
                writeln!(out, "{pad}}}")
            }
            Statement::Loop { init, condition_declaration, condition, test_after, step, body } => {
                writeln!(out, "{pad}loop {{")?;
                self.block(init, depth + 1, out)?;
                let test = condition.map_or("true".to_owned(), |c| self.expr(c));
                let when = if *test_after { "until after" } else { "while" };
                self.block(condition_declaration, depth + 1, out)?;
                let step = step.map_or(String::new(), |s| format!(" step {}", self.expr(s)));
                writeln!(out, "{pad}}} {when} ({test}){step} {{")?;
                self.block(body, depth + 1, out)?;
                writeln!(out, "{pad}}}")
            }
            Statement::Switch { selector, cases } => {
                writeln!(out, "{pad}switch ({}) {{", self.expr(*selector))?;
                cases.iter().try_for_each(|c| self.case(c, depth, out))?;
                writeln!(out, "{pad}}}")
            }
            Statement::Block(body) => {
                writeln!(out, "{pad}{{")?;
                self.block(body, depth + 1, out)?;
                writeln!(out, "{pad}}}")
            }
            Statement::Break => writeln!(out, "{pad}break;"),
            Statement::Continue => writeln!(out, "{pad}continue;"),
            Statement::Return(None) => writeln!(out, "{pad}return;"),
            Statement::Return(Some(e)) => writeln!(out, "{pad}return {};", self.expr(*e)),
            Statement::Discard => writeln!(out, "{pad}discard;"),
            Statement::Demote => writeln!(out, "{pad}demote;"),
        }
    }

    fn case(&self, case: &Case, depth: usize, out: &mut String) -> fmt::Result {
        let mut labels: Vec<String> =
            case.labels.iter().map(|&l| format!("case {}:", l as i32)).collect();
        labels.extend(case.default.then(|| "default:".to_owned()));
        writeln!(out, "{}{}", "    ".repeat(depth), labels.join(" "))?;
        self.block(&case.body, depth + 1, out)
    }

    fn list(&self, items: &[ExprId]) -> String {
        let items: Vec<String> = items.iter().map(|&e| self.expr(e)).collect();
        items.join(", ")
    }

    /// Binary operators and commas down the left side.
    fn chain(&self, id: ExprId) -> String {
        let (first, chain) = self.shader.left_chain(id);
        let mut text = "(".repeat(chain.len()) + &self.expr(first);
        for id in chain {
            let expr = &self.shader.exprs[id];
            let exact = if expr.precise { "!" } else { "" };
            match &expr.kind {
                ExprKind::Binary(op, _, b) => {
                    text.push_str(&format!(" {}{exact} {})", binary(*op), self.expr(*b)));
                }
                ExprKind::Sequence(_, b) => text.push_str(&format!(", {})", self.expr(*b))),
                _ => {}
            }
        }
        text
    }

    fn expr(&self, id: ExprId) -> String {
        let Some(expr) = self.shader.exprs.get(id) else { return "?".into() };
        let name = |ty: TypeId| self.types.name(ty);
        let exact = if expr.precise { "!" } else { "" };
        match &expr.kind {
            ExprKind::Literal(l) => literal(l, self.types.scalar_of(expr.ty)),
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Global(id) => {
                self.shader.globals.get(*id).map_or("?".into(), |g| g.name.to_string())
            }
            ExprKind::Unary(op, a) => {
                let sign = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::LogicalNot => "!",
                    UnaryOp::BitNot => "~",
                };
                format!("{sign}{}", self.expr(*a))
            }
            ExprKind::Binary(..) | ExprKind::Sequence(..) => self.chain(id),
            ExprKind::Assign { place, value } => {
                format!("{} = {}", self.expr(*place), self.expr(*value))
            }
            ExprKind::CompoundAssign { op, place, value } => {
                format!("{} {}{exact}= {}", self.expr(*place), binary(*op), self.expr(*value))
            }
            ExprKind::PreIncrement { place, decrement } => {
                format!("{}{}", step(*decrement), self.expr(*place))
            }
            ExprKind::PostIncrement { place, decrement } => {
                format!("{}{}", self.expr(*place), step(*decrement))
            }
            ExprKind::Select { condition, if_true, if_false } => {
                format!(
                    "({} ? {} : {})",
                    self.expr(*condition),
                    self.expr(*if_true),
                    self.expr(*if_false)
                )
            }
            ExprKind::Convert(a) => format!("{}({})", name(expr.ty), self.expr(*a)),
            ExprKind::Splat(a) => format!("splat {}({})", name(expr.ty), self.expr(*a)),
            ExprKind::Compose(items) => format!("{}({})", name(expr.ty), self.list(items)),
            ExprKind::DiagonalMatrix(a) => format!("diagonal {}({})", name(expr.ty), self.expr(*a)),
            ExprKind::ResizeMatrix(a) => format!("resize {}({})", name(expr.ty), self.expr(*a)),
            ExprKind::Aggregate(items) => format!("{}{{{}}}", name(expr.ty), self.list(items)),
            ExprKind::Swizzle { base, components } => {
                let letters: String = components
                    .as_slice()
                    .iter()
                    .filter_map(|&c| "xyzw".chars().nth(usize::from(c)))
                    .collect();
                format!("{}.{letters}", self.expr(*base))
            }
            ExprKind::Index { base, index } => {
                format!("{}[{}]", self.expr(*base), self.expr(*index))
            }
            ExprKind::Member { base, member } => {
                let members = self.shader.exprs.get(*base).and_then(|b| self.types.members(b.ty));
                let name = members.and_then(|m| m.get(*member as usize)).map_or("?", |m| &m.name);
                format!("{}.{name}", self.expr(*base))
            }
            ExprKind::RuntimeLength(a) => format!("{}.length()", self.expr(*a)),
            ExprKind::Call { function, arguments } => {
                let name = self.shader.functions.get(*function).map_or("?", |f| &f.name);
                format!("{name}({})", self.list(arguments))
            }
            ExprKind::CallSubroutine { place, arguments } => {
                format!("{}({})", self.expr(*place), self.list(arguments))
            }
            ExprKind::Builtin { function, arguments } => {
                format!("{}{exact}({})", function.name(), self.list(arguments))
            }
            ExprKind::Texture(call) => self.texture(call),
            ExprKind::Image(call) => {
                let mut parts = vec![self.expr(call.image)];
                parts.extend(call.coordinate.map(|c| self.expr(c)));
                parts.extend(call.sample.map(|s| format!("sample {}", self.expr(s))));
                parts.extend(call.data.iter().map(|&d| self.expr(d)));
                let op = match call.op {
                    ImageOp::Load => "load".into(),
                    ImageOp::Store => "store".into(),
                    ImageOp::Size => "size".into(),
                    ImageOp::Samples => "samples".into(),
                    ImageOp::Atomic(op) => format!("atomic {}", atomic(op)),
                };
                format!("image {op}({})", parts.join(", "))
            }
            ExprKind::Atomic { op, place, operands } => {
                format!("atomic {}({}, {})", atomic(*op), self.expr(*place), self.list(operands))
            }
        }
    }

    fn texture(&self, call: &TextureCall) -> String {
        let mut parts = vec![self.expr(call.sampler)];
        if let Some(c) = call.coordinate {
            parts.push(format!("{}{}", if call.projective { "proj " } else { "" }, self.expr(c)));
        }
        parts.extend(call.compare.map(|c| format!("compare {}", self.expr(c))));
        match call.lod {
            TextureLod::Implicit => {}
            TextureLod::Bias(e) => parts.push(format!("bias {}", self.expr(e))),
            TextureLod::Explicit(e) => parts.push(format!("lod {}", self.expr(e))),
            TextureLod::Gradient(x, y) => {
                parts.push(format!("grad {} {}", self.expr(x), self.expr(y)))
            }
        }
        parts.extend(call.offsets.iter().map(|&o| format!("offset {}", self.expr(o))));
        parts.extend(call.component.map(|c| format!("component {}", self.expr(c))));
        parts.extend(call.sample.map(|s| format!("sample {}", self.expr(s))));
        let op = match call.op {
            TextureOp::Sample => "sample",
            TextureOp::Fetch => "fetch",
            TextureOp::Gather => "gather",
            TextureOp::Size => "size",
            TextureOp::QueryLod => "query lod",
            TextureOp::QueryLevels => "query levels",
            TextureOp::QuerySamples => "query samples",
        };
        format!("texture {op}({})", parts.join(", "))
    }
}

fn step(decrement: bool) -> &'static str {
    if decrement { "--" } else { "++" }
}

fn atomic(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "add",
        AtomicOp::Min => "min",
        AtomicOp::Max => "max",
        AtomicOp::And => "and",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Exchange => "exchange",
        AtomicOp::CompareSwap => "compare swap",
        AtomicOp::IncrementWrap => "increment wrap",
        AtomicOp::DecrementWrap => "decrement wrap",
    }
}

/// A literal in the spelling of its type: floats always with a point or exponent.
fn literal(literal: &Literal, scalar: Option<Scalar>) -> String {
    let suffix = match scalar {
        Some(Scalar::Uint) => "u",
        Some(Scalar::Int16) => "s",
        Some(Scalar::Uint16) => "us",
        Some(Scalar::Int64) => "l",
        Some(Scalar::Uint64) => "ul",
        Some(Scalar::Double) => "lf",
        _ => "",
    };
    match *literal {
        Literal::Bool(b) => b.to_string(),
        Literal::Int(i) => format!("{i}{suffix}"),
        Literal::Uint(u) => format!("{u}{suffix}"),
        Literal::Float16(bits) => format!("half({bits:#06x})"),
        Literal::Float(v) => format!("{v:?}"),
        Literal::Double(v) => format!("{v:?}{suffix}"),
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
        BinaryOp::LogicalXor => "^^",
        BinaryOp::MatrixTimesMatrix | BinaryOp::MatrixTimesVector | BinaryOp::VectorTimesMatrix => {
            "**"
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for a in &self.attributes {
            let upper = if a.upper { " upper" } else { "" };
            let kind = if a.conventional.is_some() { "conventional" } else { "attribute" };
            writeln!(f, "{kind} {} {}{upper}", a.location, self.types.name(a.ty))?;
        }
        for u in &self.uniforms {
            write!(f, "uniform {} {}", self.types.name(u.ty), u.name)?;
            u.array.iter().try_for_each(|n| write!(f, "[{n}]"))?;
            u.location.iter().try_for_each(|l| write!(f, " location {l}"))?;
            u.block.iter().try_for_each(|b| write!(f, " block {b} offset {}", u.offset))?;
            let strides = [("array stride", u.array_stride), ("matrix stride", u.matrix_stride)];
            strides
                .iter()
                .filter(|(_, s)| *s != 0)
                .try_for_each(|(name, s)| write!(f, " {name} {s}"))?;
            writeln!(f)?;
        }
        for (kind, blocks) in [("uniform", &self.uniform_blocks), ("storage", &self.storage_blocks)]
        {
            for b in blocks {
                writeln!(f, "{kind} block {} binding {} size {}", b.name, b.binding, b.size)?;
            }
        }
        for v in &self.buffer_variables {
            writeln!(
                f,
                "buffer variable {} {} block {} offset {}",
                self.types.name(v.ty),
                v.name,
                v.block,
                v.offset
            )?;
        }
        for v in &self.feedback {
            writeln!(f, "feedback {} buffer {} offset {}", v.name, v.buffer, v.offset)?;
        }
        self.stages.iter().try_for_each(|stage| self.print_stage(stage, f))
    }
}

impl Program {
    fn print_stage(&self, stage: &LinkedStage, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let varyings = |list: &[Varying]| {
            let items: Vec<String> =
                list.iter().map(|v| format!("{:?}/{:x}", v.slot, v.mask)).collect();
            items.join(" ")
        };
        let exact = if stage.exact { ", exact" } else { "" };
        let effects = if stage.side_effects { ", side effects" } else { "" };
        writeln!(
            f,
            "inputs [{}] outputs [{}]{exact}{effects}",
            varyings(&stage.inputs),
            varyings(&stage.outputs)
        )?;
        write!(f, "{}", ShaderText { shader: &stage.shader, types: &self.types })
    }
}
