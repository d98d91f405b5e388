//! Texture built-ins of every version, normalized to [`TextureCall`]s.

use crate::builtins::texture_names::{LodPart, OffsetPart, TextureName, parse};
use crate::calls::construct::Argument;
use crate::checker::{Check, Checker};
use glsl_syntax::source::Span;
use program::types::{Dim, SamplerType};
use program::{
    ArrayLength, ExprId, ExprKind, Scalar, Stage, SwizzleMask, TextureCall, TextureLod, TextureOp,
    Type, TypeId,
};

/// Arguments not used yet.
struct Rest<'a> {
    arguments: &'a [Argument],
    name: &'a str,
    span: Span,
}

impl<'a> Rest<'a> {
    fn next(&mut self) -> Option<Argument> {
        let (first, rest) = self.arguments.split_first()?;
        self.arguments = rest;
        Some(*first)
    }
}

/// Layout of the coordinate argument of a lookup.
struct Coordinate {
    /// Allowed numbers of components.
    sizes: &'static [u8],
    /// Component that is the comparison value.
    compare: Option<u8>,
}

impl Checker<'_> {
    /// Returns whether this version has a texture function of this name.
    pub(crate) fn is_texture_function(&self, name: &str) -> bool {
        parse(name).is_some_and(|name| name.available(&self.language))
    }

    /// A texture built-in; `None` if the name or the first argument is not of one.
    pub(crate) fn texture_call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        span: Span,
    ) -> Check<Option<ExprId>> {
        if name == "textureSamplesIdenticalEXT"
            && self.language.extension("EXT_shader_samples_identical")
        {
            return self.samples_identical(name, arguments, span).map(Some);
        }
        let Some(parsed) = parse(name) else { return Ok(None) };
        let Some((first, rest)) = arguments.split_first() else { return Ok(None) };
        let Type::Sampler(sampler) = *self.types.get(self.ty(first.value)) else { return Ok(None) };
        if !parsed.available(&self.language) {
            return self.error(span, format!("`{name}` is not available in this version"));
        }
        let without_levels = matches!(parsed.op, TextureOp::QueryLod | TextureOp::QueryLevels);
        if without_levels && !has_levels(sampler.dim) {
            return self.no_overload(name, arguments, span);
        }
        if let Some(shape) = parsed.shape {
            let external = sampler.dim == Dim::External && shape.dim == Dim::D2;
            let fits = (sampler.dim == shape.dim || external)
                && sampler.array == shape.array
                && (sampler.shadow == shape.shadow || parsed.op != TextureOp::Sample);
            if !fits {
                return self.no_overload(name, arguments, span);
            }
        }
        let mut rest = Rest { arguments: rest, name, span };
        let call =
            TextureCall { projective: parsed.projective, ..plain_call(parsed.op, first.value) };
        let value = match parsed.op {
            TextureOp::Size
            | TextureOp::QueryLevels
            | TextureOp::QuerySamples
            | TextureOp::QueryLod => self.texture_query(parsed, sampler, call, &mut rest),
            TextureOp::Fetch => self.texture_fetch(parsed, sampler, call, &mut rest),
            TextureOp::Gather => self.texture_gather(parsed, sampler, call, &mut rest),
            TextureOp::Sample => self.texture_sample(parsed, sampler, call, &mut rest),
        };
        let value = value?;
        if !rest.arguments.is_empty() {
            return self.no_overload(name, arguments, span);
        }
        Ok(Some(value))
    }

    /// `textureSamplesIdentical`: always false, a valid answer that does not depend on the
    /// surface's compression. The sampler stays in use.
    fn samples_identical(
        &mut self,
        name: &str,
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        let (sampler, array) = match arguments {
            [first, _] => match self.types.get(self.ty(first.value)) {
                Type::Sampler(s) if s.dim == Dim::D2Ms => (first.value, s.array),
                _ => return self.no_overload(name, arguments, span),
            },
            _ => return self.no_overload(name, arguments, span),
        };
        let mut rest = Rest { arguments: &arguments[1..], name, span };
        let size = 2 + u8::from(array);
        let place = self.take(&mut rest, Scalar::Int, size)?;
        let ty = self.types.vector(Scalar::Int, size);
        let used = self.finish_texture(plain_call(TextureOp::Size, sampler), ty, span);
        let answer = self.literal(program::Literal::Bool(false), Scalar::Bool, span);
        let ty = self.ty(answer);
        let answer = self.push(ExprKind::Sequence(place, answer), ty, span);
        Ok(self.push(ExprKind::Sequence(used, answer), ty, span))
    }

    pub(crate) fn no_overload<T>(
        &mut self,
        name: &str,
        arguments: &[Argument],
        span: Span,
    ) -> Check<T> {
        let types = self.argument_types(arguments);
        self.error(span, format!("no overload of `{name}` takes ({types})"))
    }

    /// The next argument converted to a scalar or vector type.
    fn take(&mut self, rest: &mut Rest<'_>, scalar: Scalar, size: u8) -> Check<ExprId> {
        let ty = self.types.vector(scalar, size);
        match rest.next() {
            Some(argument) => {
                self.coerce(argument.value, ty, argument.span, "texture function argument")
            }
            None => self.error(rest.span, format!("too few arguments for `{}`", rest.name)),
        }
    }

    fn finish_texture(&mut self, call: TextureCall, ty: TypeId, span: Span) -> ExprId {
        self.push(ExprKind::Texture(Box::new(call)), ty, span)
    }

    fn texture_query(
        &mut self,
        parsed: TextureName,
        sampler: SamplerType,
        mut call: TextureCall,
        rest: &mut Rest<'_>,
    ) -> Check<ExprId> {
        let ty = match parsed.op {
            TextureOp::QueryLod => {
                call.coordinate =
                    Some(self.take(rest, Scalar::Float, sampler.dim.coordinates())?);
                if !self.derivatives() {
                    return self.error(rest.span, format!("`{}` needs derivatives", rest.name));
                }
                self.types.vector(Scalar::Float, 2)
            }
            TextureOp::Size => {
                if has_levels(sampler.dim) {
                    call.lod = TextureLod::Explicit(self.take(rest, Scalar::Int, 1)?);
                }
                let size = match sampler.dim {
                    Dim::Cube => 2,
                    dim => dim.coordinates(),
                };
                self.types.vector(Scalar::Int, size + u8::from(sampler.array))
            }
            _ => self.types.scalar(Scalar::Int),
        };
        Ok(self.finish_texture(call, ty, rest.span))
    }

    fn texture_fetch(
        &mut self,
        parsed: TextureName,
        sampler: SamplerType,
        mut call: TextureCall,
        rest: &mut Rest<'_>,
    ) -> Check<ExprId> {
        if sampler.shadow || sampler.dim == Dim::Cube {
            return self.error(rest.span, format!("`{}` does not take this sampler", rest.name));
        }
        let size = sampler.dim.coordinates() + u8::from(sampler.array);
        call.coordinate = Some(self.take(rest, Scalar::Int, size)?);
        if sampler.dim == Dim::D2Ms {
            call.sample = Some(self.take(rest, Scalar::Int, 1)?);
        } else if has_levels(sampler.dim) {
            call.lod = TextureLod::Explicit(self.take(rest, Scalar::Int, 1)?);
        }
        self.take_offset(parsed, sampler, &mut call, rest)?;
        let ty = self.types.vector(sampler.result, 4);
        Ok(self.finish_texture(call, ty, rest.span))
    }

    fn take_offset(
        &mut self,
        parsed: TextureName,
        sampler: SamplerType,
        call: &mut TextureCall,
        rest: &mut Rest<'_>,
    ) -> Check<()> {
        if parsed.offset != OffsetPart::One {
            return Ok(());
        }
        if matches!(sampler.dim, Dim::Cube | Dim::Buffer | Dim::D2Ms) {
            return self.error(rest.span, format!("`{}` does not take this sampler", rest.name));
        }
        let desktop_only = sampler.shadow && sampler.array && sampler.dim == Dim::D2;
        if desktop_only
            && self.language.es
            && !self.language.extension("EXT_texture_shadow_lod")
            && (parsed.op, parsed.lod) == (TextureOp::Sample, LodPart::None)
        {
            return self
                .error(rest.span, format!("`{}` does not take this sampler in ES", rest.name));
        }
        let offset = self.take(rest, Scalar::Int, sampler.dim.coordinates())?;
        let gather = parsed.op == TextureOp::Gather;
        let may_vary = gather && self.has_dynamic_offsets();
        self.check_offset_range(offset, gather, rest.span)?;
        match self.literals(offset, rest.span) {
            Some(value) => call.offsets.push(value),
            None if may_vary => call.offsets.push(offset),
            None => {
                return self.error(rest.span, "a texel offset must be a constant expression");
            }
        }
        Ok(())
    }

    /// Returns whether the offset of a gather may be any value (GLSL 4.00, GLSL ES 3.20, section
    /// 8.9.4).
    fn has_dynamic_offsets(&self) -> bool {
        let extensions =
            ["ARB_gpu_shader5", "EXT_gpu_shader5", "OES_gpu_shader5", "NV_gpu_shader5"];
        self.language.at_least(400, 320) || self.language.any_extension(&extensions)
    }

    /// Constant offsets must be ones that the hardware has (GLSL 4.60 section 8.9:
    /// `gl_MinProgramTexelOffset` and `gl_MaxProgramTexelOffset`, and the gather's own limits; the
    /// smallest is one below the largest negated).
    fn check_offset_range(&mut self, offset: ExprId, gather: bool, span: Span) -> Check<()> {
        let largest = i64::from(if gather {
            self.language.limit("GL_MAX_PROGRAM_TEXTURE_GATHER_OFFSET", 31)
        } else {
            self.language.limit("GL_MAX_PROGRAM_TEXEL_OFFSET", 7)
        });
        let range = -largest - 1..=largest;
        let outside = self
            .evaluate_integers(offset)
            .unwrap_or_default()
            .into_iter()
            .find(|n| !range.contains(n));
        match outside {
            Some(n) => {
                let (low, high) = (range.start(), range.end());
                self.error(
                    span,
                    format!("texel offset {n} is out of range: {low} to {high} are available"),
                )
            }
            None => Ok(()),
        }
    }

    fn texture_gather(
        &mut self,
        parsed: TextureName,
        sampler: SamplerType,
        mut call: TextureCall,
        rest: &mut Rest<'_>,
    ) -> Check<ExprId> {
        if !matches!(sampler.dim, Dim::D2 | Dim::Cube | Dim::Rect) {
            return self.error(rest.span, format!("`{}` does not take this sampler", rest.name));
        }
        let size = sampler.dim.coordinates() + u8::from(sampler.array);
        call.coordinate = Some(self.take(rest, Scalar::Float, size)?);
        if sampler.shadow {
            call.compare = Some(self.take(rest, Scalar::Float, 1)?);
        }
        self.take_offset(parsed, sampler, &mut call, rest)?;
        if parsed.offset == OffsetPart::Four {
            self.take_four_offsets(&mut call, rest)?;
        }
        if !sampler.shadow && !rest.arguments.is_empty() {
            let component = self.take(rest, Scalar::Int, 1)?;
            let value = self.literals(component, rest.span);
            let number = value.and_then(|value| self.evaluate_integer(value));
            if number.is_none_or(|c| !(0..4).contains(&c)) {
                return self.error(
                    rest.span,
                    "a gather component must be a constant expression from 0 to 3",
                );
            }
            call.component = value;
        }
        let ty = self.types.vector(sampler.result, 4);
        Ok(self.finish_texture(call, ty, rest.span))
    }

    fn take_four_offsets(&mut self, call: &mut TextureCall, rest: &mut Rest<'_>) -> Check<()> {
        let Some(argument) = rest.next() else {
            return self.error(rest.span, format!("too few arguments for `{}`", rest.name));
        };
        let ivec2 = self.types.vector(Scalar::Int, 2);
        if self.types.array_of(self.ty(argument.value)) != Some((ivec2, ArrayLength::Fixed(4))) {
            return self.error(argument.span, "the offsets must be an ivec2[4]");
        }
        for i in 0..4 {
            let index = self.literal(program::Literal::Int(i), Scalar::Int, argument.span);
            let offset =
                self.push(ExprKind::Index { base: argument.value, index }, ivec2, argument.span);
            self.check_offset_range(offset, true, argument.span)?;
            let Some(value) = self.literals(offset, argument.span) else {
                return self.error(argument.span, "the offsets must be a constant expression");
            };
            call.offsets.push(value);
        }
        Ok(())
    }

    fn texture_sample(
        &mut self,
        parsed: TextureName,
        sampler: SamplerType,
        mut call: TextureCall,
        rest: &mut Rest<'_>,
    ) -> Check<ExprId> {
        let Some(layout) = coordinate(sampler, parsed.projective) else {
            return self.error(rest.span, format!("`{}` does not take this sampler", rest.name));
        };
        let Some(argument) = rest.next() else {
            return self.error(rest.span, format!("too few arguments for `{}`", rest.name));
        };
        let size = self.types.components(self.ty(argument.value));
        let size = if layout.sizes.contains(&size) { size } else { layout.sizes[0] };
        let ty = self.types.vector(Scalar::Float, size);
        let value = self.coerce(argument.value, ty, argument.span, "texture coordinate")?;
        let plain = sampler.dim.coordinates() + u8::from(sampler.array);
        let mut parts: Vec<u8> = (0..plain).collect();
        if parsed.projective {
            parts.push(size - 1);
        }
        let mut prefix = None;
        if let Some(compare) = layout.compare {
            let (first, value) = self.reuse(value, argument.span);
            prefix = first;
            call.coordinate = Some(self.components(value, &parts, argument.span));
            call.compare = Some(self.components(value, &[compare], argument.span));
        } else {
            call.coordinate = Some(self.components(value, &parts, argument.span));
            if sampler.shadow {
                call.compare = Some(self.take(rest, Scalar::Float, 1)?);
            }
        }
        self.take_lod(parsed, sampler, &mut call, rest)?;
        let ty = match sampler.shadow {
            // Functions with older names return the depth as a color, by the texture's depth mode.
            true if parsed.shape.is_some() && parsed.suffix != Some("EXT") => {
                self.types.vector(Scalar::Float, 4)
            }
            true => self.types.scalar(Scalar::Float),
            false => self.types.vector(sampler.result, 4),
        };
        let value = self.finish_texture(call, ty, rest.span);
        Ok(match prefix {
            Some(prefix) => self.push(ExprKind::Sequence(prefix, value), ty, rest.span),
            None => value,
        })
    }

    fn take_lod(
        &mut self,
        parsed: TextureName,
        sampler: SamplerType,
        call: &mut TextureCall,
        rest: &mut Rest<'_>,
    ) -> Check<()> {
        match parsed.lod {
            LodPart::Lod => {
                if !has_levels(sampler.dim) || !self.takes_lod(sampler) {
                    return self
                        .error(rest.span, format!("`{}` does not take this sampler", rest.name));
                }
                call.lod = TextureLod::Explicit(self.take(rest, Scalar::Float, 1)?);
            }
            LodPart::Grad => {
                let size = sampler.dim.coordinates();
                let x = self.take(rest, Scalar::Float, size)?;
                let y = self.take(rest, Scalar::Float, size)?;
                call.lod = TextureLod::Gradient(x, y);
            }
            LodPart::None => {}
        }
        self.take_offset(parsed, sampler, call, rest)?;
        let biased = has_levels(sampler.dim) && self.takes_bias(sampler);
        if parsed.lod == LodPart::None && !rest.arguments.is_empty() && biased {
            let bias = self.take(rest, Scalar::Float, 1)?;
            if !self.derivatives() {
                return self.error(rest.span, "a level-of-detail bias needs derivatives");
            }
            call.lod = TextureLod::Bias(bias);
        }
        Ok(())
    }

    /// Returns whether functions with a level of detail exist for a sampler (GLSL 4.60 section
    /// 8.9.2): the extension adds those of shadow samplers whose coordinates leave no room for it.
    fn takes_lod(&self, sampler: SamplerType) -> bool {
        let crowded = matches!((sampler.dim, sampler.array), (Dim::D2, true) | (Dim::Cube, _));
        !(sampler.shadow && crowded) || self.language.extension("EXT_texture_shadow_lod")
    }

    /// Returns whether functions with a bias exist for a sampler.
    fn takes_bias(&self, sampler: SamplerType) -> bool {
        let crowded = sampler.array && matches!(sampler.dim, Dim::D2 | Dim::Cube);
        !(sampler.shadow && crowded) || self.language.extension("EXT_texture_shadow_lod")
    }

    /// Returns whether the stage has implicit derivatives.
    fn derivatives(&self) -> bool {
        match self.language.stage {
            Stage::Fragment => true,
            Stage::Compute => self.language.extension("NV_compute_shader_derivatives"),
            _ => false,
        }
    }

    /// An expression that may be used twice: itself if it has no effect and no cost, else a
    /// temporary and the assignment to evaluate first.
    fn reuse(&mut self, value: ExprId, span: Span) -> (Option<ExprId>, ExprId) {
        if matches!(self.shader.exprs[value].kind, ExprKind::Local(_) | ExprKind::Global(_)) {
            return (None, value);
        }
        let ty = self.ty(value);
        let Some(local) = self.temporary(ty, span) else { return (None, value) };
        let place = self.push(ExprKind::Local(local), ty, span);
        let assign = self.push(ExprKind::Assign { place, value }, ty, span);
        let read = self.push(ExprKind::Local(local), ty, span);
        (Some(assign), read)
    }

    fn components(&mut self, value: ExprId, parts: &[u8], span: Span) -> ExprId {
        let ty = self.ty(value);
        let whole = usize::from(self.types.components(ty)) == parts.len();
        if whole && parts.iter().enumerate().all(|(i, &p)| i == usize::from(p)) {
            return value;
        }
        let ty = self.types.vector(Scalar::Float, parts.len() as u8);
        self.push(ExprKind::Swizzle { base: value, components: SwizzleMask::new(parts) }, ty, span)
    }
}

/// A call with only an operation and a sampler.
fn plain_call(op: TextureOp, sampler: ExprId) -> TextureCall {
    TextureCall {
        op,
        sampler,
        coordinate: None,
        projective: false,
        compare: None,
        lod: TextureLod::Implicit,
        offsets: Vec::new(),
        component: None,
        sample: None,
    }
}

fn has_levels(dim: Dim) -> bool {
    !matches!(dim, Dim::Rect | Dim::Buffer | Dim::D2Ms)
}

/// Components of the coordinate argument; `None` if the sampler cannot be sampled this way.
fn coordinate(sampler: SamplerType, projective: bool) -> Option<Coordinate> {
    let make = |sizes, compare| Some(Coordinate { sizes, compare });
    match (sampler.dim, sampler.array, sampler.shadow, projective) {
        (Dim::Buffer | Dim::D2Ms | Dim::Subpass, ..) => None,
        (Dim::D1, false, false, false) => make(&[1], None),
        (Dim::D1, false, false, true) => make(&[2, 4], None),
        (Dim::D1, false, true, false) => make(&[3], Some(2)),
        (Dim::D1 | Dim::D2 | Dim::Rect, false, true, true) => make(&[4], Some(2)),
        (Dim::D1, true, false, false) => make(&[2], None),
        (Dim::D1, true, true, false) => make(&[3], Some(2)),
        (Dim::D2 | Dim::Rect | Dim::External, false, false, false) => make(&[2], None),
        (Dim::D2 | Dim::Rect | Dim::External, false, false, true) => make(&[3, 4], None),
        (Dim::D2 | Dim::Rect, false, true, false) => make(&[3], Some(2)),
        (Dim::D2, true, false, false) => make(&[3], None),
        (Dim::D2, true, true, false) => make(&[4], Some(3)),
        (Dim::D3, false, false, false) => make(&[3], None),
        (Dim::D3, false, false, true) => make(&[4], None),
        (Dim::Cube, false, false, false) => make(&[3], None),
        (Dim::Cube, false, true, false) => make(&[4], Some(3)),
        (Dim::Cube, true, _, false) => make(&[4], None),
        _ => None,
    }
}
