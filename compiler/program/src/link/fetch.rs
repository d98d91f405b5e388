//! Framebuffer fetch (EXT_shader_framebuffer_fetch): reads of what the framebuffer holds become
//! texel fetches.
//!
//! `inout` outputs and `gl_LastFragData` get their values at the start of `main`, from samplers
//! without a declaration: uniforms of the built-in variable `gl_LastFragData`, named after the
//! variable whose values they hold. The draw buffer of each is [`draw_buffer`]; the GL machine
//! puts the framebuffer there.

use crate::builtin_variable::BuiltinVariable;
use crate::expression::{
    Expr, ExprId, ExprKind, Literal, SwizzleMask, TextureCall, TextureLod, TextureOp,
};
use crate::program::Program;
use crate::resource::{FragmentOutput, Placement};
use crate::shader::{Shader, Statement};
use crate::span::Span;
use crate::stage::Stage;
use crate::types::{ArrayLength, Dim, SamplerType, Scalar, Type, TypeId, TypeTable};
use crate::variable::{Global, GlobalId, Storage};

/// Start of the samplers' names.
const PREFIX: &str = "gl_LastFragData:";

/// The draw buffer that a sampler slot of a program reads; `None` for samplers of textures.
pub fn draw_buffer(program: &Program, slot: usize) -> Option<u32> {
    let slot = program.samplers.get(slot)?;
    let uniform = program.uniforms.get(slot.uniform as usize)?;
    let name = uniform.name.strip_prefix(PREFIX)?;
    let mut globals = program.stage(Stage::Fragment)?.shader.globals.values();
    let output = globals.find(|g| g.storage == Storage::Output && &*g.name == name);
    match output.map(|g| g.placement) {
        Some(Placement::FragmentOutput {
            output: FragmentOutput::Color { location, .. }, ..
        }) => Some(u32::from(location) + slot.element),
        // `gl_LastFragData`, whose elements are the draw buffers.
        _ => Some(slot.element),
    }
}

/// Assigns the fetched variables of a fragment shader their values.
pub(super) fn lower(shader: &mut Shader, types: &mut TypeTable) {
    let is_last = |g: &Global| {
        g.builtin == Some(BuiltinVariable::LastFragData) && g.storage == Storage::Input
    };
    let fetched: Vec<GlobalId> =
        shader.globals.iter().filter(|(_, g)| g.fetched || is_last(g)).map(|(id, _)| id).collect();
    let Some(entry) = shader.entry.filter(|_| !fetched.is_empty()) else { return };
    let mut fetch = Fetch { coordinate: None, shader, types };
    let mut statements = Vec::new();
    for id in fetched {
        fetch.variable(id, &mut statements);
    }
    if let Some(body) = &mut shader.functions[entry].body {
        body.splice(0..0, statements);
    }
}

struct Fetch<'a> {
    shader: &'a mut Shader,
    types: &'a mut TypeTable,
    /// The pixel, as integers.
    coordinate: Option<ExprId>,
}

impl Fetch<'_> {
    fn push(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.shader.exprs.push(Expr { kind, ty, precise: false, span: Span::default() })
    }

    fn integer(&mut self, value: u32) -> ExprId {
        let ty = self.types.scalar(Scalar::Int);
        self.push(ExprKind::Literal(Literal::Int(value.into())), ty)
    }

    /// Assigns a variable, element by element when it is an array.
    fn variable(&mut self, id: GlobalId, statements: &mut Vec<Statement>) {
        let Global { name, ty, layout, .. } = self.shader.globals[id].clone();
        let (element, length) = match self.types.array_of(ty) {
            Some((element, ArrayLength::Fixed(n))) => (element, Some(n)),
            _ => (ty, None),
        };
        let Some(scalar) = self.types.scalar_of(element) else { return };
        let result = if scalar.is_integer() { scalar } else { Scalar::Float };
        let sampler = SamplerType { result, dim: Dim::D2, array: false, shadow: false };
        let sampler = self.types.intern(Type::Sampler(sampler));
        let samplers = match length {
            Some(n) => self.types.array(sampler, ArrayLength::Fixed(n)),
            None => sampler,
        };
        let global = Global {
            storage: Storage::Uniform,
            builtin: Some(BuiltinVariable::LastFragData),
            ..Global::new(&format!("{PREFIX}{name}"), samplers, Storage::Uniform)
        };
        let source = self.shader.globals.push(global);
        if self.shader.globals[id].storage == Storage::Input {
            (self.shader.globals[id].storage, self.shader.globals[id].builtin) =
                (Storage::Private, None);
        }
        for i in 0..length.unwrap_or(1) {
            let (mut place, mut from) = (
                self.push(ExprKind::Global(id), ty),
                self.push(ExprKind::Global(source), samplers),
            );
            if length.is_some() {
                let index = self.integer(i);
                place = self.push(ExprKind::Index { base: place, index }, element);
                from = self.push(ExprKind::Index { base: from, index }, sampler);
            }
            let value = self.texel(from, result, element, layout.component.unwrap_or(0));
            let assignment = self.push(ExprKind::Assign { place, value }, element);
            statements.push(Statement::Expression(assignment));
        }
    }

    /// The pixel's components from `first` on, as a value of type `ty`.
    fn texel(&mut self, sampler: ExprId, result: Scalar, ty: TypeId, first: u32) -> ExprId {
        let lod = self.integer(0);
        let call = TextureCall {
            op: TextureOp::Fetch,
            sampler,
            coordinate: Some(self.pixel()),
            projective: false,
            compare: None,
            lod: TextureLod::Explicit(lod),
            offsets: Vec::new(),
            component: None,
            sample: None,
        };
        let whole = self.types.vector(result, 4);
        let texel = self.push(ExprKind::Texture(Box::new(call)), whole);
        let count = self.types.components(ty).clamp(1, 4);
        let components: Vec<u8> = (0..count).map(|c| (c + first.min(3) as u8).min(3)).collect();
        let part =
            if count == 1 { self.types.scalar(result) } else { self.types.vector(result, count) };
        let kind = ExprKind::Swizzle { base: texel, components: SwizzleMask::new(&components) };
        let value = self.push(kind, part);
        if part == ty { value } else { self.push(ExprKind::Convert(value), ty) }
    }

    fn pixel(&mut self) -> ExprId {
        if let Some(known) = self.coordinate {
            return known;
        }
        let vec4 = self.types.vector(Scalar::Float, 4);
        let (vec2, ivec2) =
            (self.types.vector(Scalar::Float, 2), self.types.vector(Scalar::Int, 2));
        let known =
            self.shader.globals.iter().find(|(_, g)| g.builtin == Some(BuiltinVariable::FragCoord));
        let position = known.map(|(id, _)| id).unwrap_or_else(|| {
            let global = Global::new("gl_FragCoord", vec4, Storage::Input);
            self.shader.globals.push(Global { builtin: Some(BuiltinVariable::FragCoord), ..global })
        });
        let position = self.push(ExprKind::Global(position), vec4);
        let components = SwizzleMask::new(&[0, 1]);
        let position = self.push(ExprKind::Swizzle { base: position, components }, vec2);
        let pixel = self.push(ExprKind::Convert(position), ivec2);
        self.coordinate = Some(pixel);
        pixel
    }
}
