//! Image built-ins.

use crate::calls::construct::Argument;
use crate::checker::{Check, Checker};
use crate::qualifiers::qualifier::Qualifiers;
use crate::state::Root;
use glsl_syntax::source::Span;
use program::types::{Dim, ImageType};
use program::variable::MemoryQualifiers;
use program::{AtomicOp, ExprId, ExprKind, ImageCall, ImageOp, Scalar, Type, TypeTable};

/// The operation of a name.
fn operation(name: &str) -> Option<ImageOp> {
    Some(match name {
        "imageLoad" => ImageOp::Load,
        "imageStore" => ImageOp::Store,
        "imageSize" => ImageOp::Size,
        "imageSamples" => ImageOp::Samples,
        "imageAtomicAdd" => ImageOp::Atomic(AtomicOp::Add),
        "imageAtomicMin" => ImageOp::Atomic(AtomicOp::Min),
        "imageAtomicMax" => ImageOp::Atomic(AtomicOp::Max),
        "imageAtomicAnd" => ImageOp::Atomic(AtomicOp::And),
        "imageAtomicOr" => ImageOp::Atomic(AtomicOp::Or),
        "imageAtomicXor" => ImageOp::Atomic(AtomicOp::Xor),
        "imageAtomicExchange" => ImageOp::Atomic(AtomicOp::Exchange),
        "imageAtomicCompSwap" => ImageOp::Atomic(AtomicOp::CompareSwap),
        "imageAtomicIncWrap" => ImageOp::Atomic(AtomicOp::IncrementWrap),
        "imageAtomicDecWrap" => ImageOp::Atomic(AtomicOp::DecrementWrap),
        _ => return None,
    })
}

impl Checker<'_> {
    /// Returns whether this version has an image function of this name.
    pub(crate) fn is_image_function(&self, name: &str) -> bool {
        operation(name).is_some_and(|op| self.image_op_available(op))
    }

    /// An image built-in; `None` if the name or the first argument is not of one.
    pub(crate) fn image_call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        span: Span,
    ) -> Check<Option<ExprId>> {
        let (Some(op), Some((first, rest))) = (operation(name), arguments.split_first()) else {
            return Ok(None);
        };
        let Type::Image(image) = *self.types.get(self.ty(first.value)) else { return Ok(None) };
        if !self.image_op_available(op) {
            return self.error(span, format!("`{name}` is not available in this version"));
        }
        self.check_image_access(op, first.value, span)?;
        if matches!(op, ImageOp::Atomic(_)) {
            self.check_atomic_format(first.value, span)?;
        }
        let atomic_operands = match op {
            ImageOp::Atomic(AtomicOp::CompareSwap) => 2,
            ImageOp::Atomic(_) | ImageOp::Store => 1,
            _ => 0,
        };
        let coordinate = !matches!(op, ImageOp::Size | ImageOp::Samples);
        let sample = coordinate && image.dim == Dim::D2Ms;
        if rest.len() != usize::from(coordinate) + usize::from(sample) + atomic_operands {
            return self.no_overload(name, arguments, span);
        }
        let mut call =
            ImageCall { op, image: first.value, coordinate: None, sample: None, data: Vec::new() };
        let mut rest = rest.iter();
        if coordinate && let Some(argument) = rest.next() {
            let ty = self.types.vector(Scalar::Int, coordinates(image));
            call.coordinate =
                Some(self.coerce(argument.value, ty, argument.span, "image coordinate")?);
        }
        if sample && let Some(argument) = rest.next() {
            let ty = self.types.scalar(Scalar::Int);
            call.sample = Some(self.coerce(argument.value, ty, argument.span, "image sample")?);
        }
        let texel = self.types.vector(image.result, 4);
        let scalar = self.types.scalar(image.result);
        for argument in rest {
            let ty = if op == ImageOp::Store { texel } else { scalar };
            call.data.push(self.coerce(argument.value, ty, argument.span, "image data")?);
        }
        let ty = match op {
            ImageOp::Load => texel,
            ImageOp::Store => TypeTable::VOID,
            ImageOp::Atomic(op) => {
                if image.result == Scalar::Float && !self.float_atomic(op) {
                    return self.no_overload(name, arguments, span);
                }
                scalar
            }
            ImageOp::Size => {
                let size = if image.dim == Dim::Cube { 2 } else { image.dim.coordinates() };
                self.types.vector(Scalar::Int, size + u8::from(image.array))
            }
            ImageOp::Samples => self.types.scalar(Scalar::Int),
        };
        Ok(Some(self.push(ExprKind::Image(Box::new(call)), ty, span)))
    }

    fn float_atomic(&self, op: AtomicOp) -> bool {
        match op {
            // GLSL 4.50 has it from GLSL ES 3.10.
            AtomicOp::Exchange => {
                self.language.at_least(450, 310)
                    || self
                        .language
                        .any_extension(&["ARB_ES3_1_compatibility", "NV_shader_atomic_float"])
            }
            AtomicOp::Add => self.language.extension("NV_shader_atomic_float"),
            _ => false,
        }
    }

    fn image_op_available(&self, op: ImageOp) -> bool {
        let language = &self.language;
        let load_store =
            language.any_extension(&["ARB_shader_image_load_store", "EXT_shader_image_load_store"]);
        match op {
            ImageOp::Size => {
                language.at_least(430, 310) || language.extension("ARB_shader_image_size")
            }
            ImageOp::Samples => {
                language.at_least(450, 0) || language.extension("ARB_shader_texture_image_samples")
            }
            ImageOp::Atomic(AtomicOp::IncrementWrap | AtomicOp::DecrementWrap) => {
                language.extension("EXT_shader_image_load_store")
            }
            ImageOp::Atomic(_) if language.es => {
                language.at_least(0, 320) || language.extension("OES_shader_image_atomic")
            }
            _ => language.at_least(420, 310) || load_store,
        }
    }

    /// The format an image is declared with must be one of its component type; only images that are
    /// never read need none (GLSL 4.60 section 4.4.6.2).
    pub(crate) fn check_image_format(
        &mut self,
        image: ImageType,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Check<()> {
        let loads_any = self
            .language
            .any_extension(&["EXT_shader_image_load_formatted", "EXT_shader_image_load_store"]);
        match qualifiers.layout.variable.image_format {
            Some(format) if format.scalar() != image.result && !is_wide(image.result) => self
                .error(
                    span,
                    format!("format {} does not fit the image's components", format.name()),
                ),
            None if self.language.es => self.error(span, "an image needs a format in GLSL ES"),
            None if !qualifiers.memory.write_only && !loads_any => {
                self.error(span, "an image that is not writeonly needs a format")
            }
            Some(format) if !self.has_format(format.name()) => self.error(
                span,
                format!("image format {} is not available here in GLSL ES", format.name()),
            ),
            Some(format)
                if self.language.es
                    && !matches!(format.name(), "r32i" | "r32ui" | "r32f")
                    && !qualifiers.memory.read_only
                    && !qualifiers.memory.write_only =>
            {
                let name = format.name();
                self.error(
                    span,
                    format!("an image of format {name} must be readonly or writeonly in GLSL ES"),
                )
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the language has an image format: GLSL ES by itself has few (GLSL ES 3.20
    /// section 4.4.7); 16-bit normalized ones need EXT_texture_norm16 in the context
    /// (NV_image_formats).
    fn has_format(&self, name: &str) -> bool {
        const EMBEDDED: [&str; 13] = [
            "rgba32f",
            "rgba16f",
            "r32f",
            "rgba8",
            "rgba8_snorm",
            "rgba32i",
            "rgba16i",
            "rgba8i",
            "r32i",
            "rgba32ui",
            "rgba16ui",
            "rgba8ui",
            "r32ui",
        ];
        let norm16 =
            ["rgba16", "rg16", "r16", "rgba16_snorm", "rg16_snorm", "r16_snorm"].contains(&name);
        !self.language.es
            || EMBEDDED.contains(&name)
            || self.language.extension("NV_image_formats")
                && (!norm16 || self.language.offers("EXT_texture_norm16"))
    }

    /// Memory qualifiers of an image.
    pub(crate) fn memory_of(&self, image: ExprId) -> MemoryQualifiers {
        match self.root(image) {
            Some(Root::Global(id)) => self.shader.globals[id].memory,
            Some(Root::Local(id)) => {
                let known = self.function.as_ref().and_then(|f| f.memory.get(&id));
                known.copied().unwrap_or_default()
            }
            None => MemoryQualifiers::default(),
        }
    }

    /// Atomic operations need an image of one 32-bit component (GLSL 4.60 section 8.12).
    fn check_atomic_format(&mut self, image: ExprId, span: Span) -> Check<()> {
        let Some(Root::Global(id)) = self.root(image) else { return Ok(()) };
        match self.shader.globals[id].layout.image_format {
            Some(format)
                if !matches!(format.name(), "r32i" | "r32ui" | "r32f" | "r64i" | "r64ui") =>
            {
                self.error(
                    span,
                    format!("images of format {} have no atomic operations", format.name()),
                )
            }
            _ => Ok(()),
        }
    }

    /// Reports stores to `readonly` images and loads from `writeonly` ones.
    fn check_image_access(&mut self, op: ImageOp, image: ExprId, span: Span) -> Check<()> {
        let memory = self.memory_of(image);
        let reads = matches!(op, ImageOp::Load | ImageOp::Atomic(_));
        let writes = matches!(op, ImageOp::Store | ImageOp::Atomic(_));
        if memory.write_only && reads {
            return self.error(span, "a writeonly image cannot be read");
        }
        if memory.read_only && writes {
            return self.error(span, "a readonly image cannot be written");
        }
        Ok(())
    }
}

/// Returns whether components have 64 bits (EXT_shader_image_int64).
fn is_wide(scalar: Scalar) -> bool {
    scalar.bits() == 64
}

/// Components of an image coordinate: the face of a cube, or face and layer as one number, is the
/// third.
fn coordinates(image: ImageType) -> u8 {
    match image.dim {
        Dim::Cube => 3,
        dim => dim.coordinates() + u8::from(image.array),
    }
}
