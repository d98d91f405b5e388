//! Qualifiers of one declaration, collected and checked.

use super::layout::Layout;
use crate::checker::{Check, Checker};
use glsl_syntax::ast::{self, List, Name, Precision, QualifierKind};
use glsl_syntax::source::Span;
use program::types::MatrixOrder;
use program::variable::{InterpolationMode, MemoryQualifiers, Packing, SampleLocation};
use program::{Interpolation, Stage, Type, TypeId};

/// Storage qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StorageQualifier {
    In,
    Out,
    InOut,
    Attribute,
    Varying,
    Uniform,
    Buffer,
    Shared,
}

/// The qualifiers of one declaration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Qualifiers {
    pub span: Span,
    pub constant: bool,
    pub storage: Option<StorageQualifier>,
    pub interpolation: Interpolation,
    pub memory: MemoryQualifiers,
    pub invariant: bool,
    pub precise: bool,
    pub precision: Option<Precision>,
    /// `subroutine` (with an empty list) or `subroutine(types)`.
    pub subroutine: Option<List<Name>>,
    pub layout: Layout,
}

impl Checker<'_> {
    /// Collects a list of qualifiers.
    pub(crate) fn qualifiers(&mut self, list: List<ast::QualifierId>) -> Check<Qualifiers> {
        let unit = self.unit;
        let mut result = Qualifiers::default();
        let mut last = 0;
        for (i, &id) in unit.list(list).iter().enumerate() {
            let qualifier = unit.qualifiers[id];
            // `layout` may be anywhere among the others, but before the storage qualifier.
            let layout = matches!(qualifier.kind, QualifierKind::Layout(_));
            if layout
                && last >= position_in_order(&QualifierKind::Uniform).unwrap_or(0)
                && !self.language.has_420pack()
            {
                return self.error(qualifier.span, "`layout` must precede the storage qualifier");
            }
            // EXT_gpu_shader4 comes with GLSL 1.10, which has no order yet.
            if let Some(place) = position_in_order(&qualifier.kind)
                && !self.language.has_420pack()
                && !self.language.extension("EXT_gpu_shader4")
            {
                if place < last {
                    return self.error(qualifier.span, "this qualifier must precede the others");
                }
                last = place;
            }
            result.span = if i == 0 { qualifier.span } else { result.span.to(qualifier.span) };
            self.add_qualifier(&mut result, qualifier.kind, qualifier.span)?;
        }
        Ok(result)
    }

    fn add_qualifier(
        &mut self,
        result: &mut Qualifiers,
        kind: QualifierKind,
        span: Span,
    ) -> Check<()> {
        let word = match kind {
            QualifierKind::In => StorageQualifier::In,
            QualifierKind::Out => StorageQualifier::Out,
            QualifierKind::Inout => StorageQualifier::InOut,
            QualifierKind::Attribute => StorageQualifier::Attribute,
            QualifierKind::Varying => StorageQualifier::Varying,
            QualifierKind::Uniform => StorageQualifier::Uniform,
            QualifierKind::Buffer => StorageQualifier::Buffer,
            QualifierKind::Shared => StorageQualifier::Shared,
            _ => return self.add_other_qualifier(result, kind, span),
        };
        let both = match (result.storage, word) {
            (None, word) => Some(word),
            // ARB_geometry_shader4 writes `varying in` and `varying out`, EXT_gpu_shader4 the
            // latter.
            (
                Some(StorageQualifier::Varying),
                word @ (StorageQualifier::In | StorageQualifier::Out),
            )
            | (
                Some(word @ (StorageQualifier::In | StorageQualifier::Out)),
                StorageQualifier::Varying,
            ) if self.language.any_extension(&["ARB_geometry_shader4", "EXT_gpu_shader4"]) => {
                Some(word)
            }
            _ => None,
        };
        let Some(word) = both else { return self.error(span, "more than one storage qualifier") };
        result.storage = Some(word);
        self.check_word(word, span)?;
        let interpolated = result.interpolation.mode != InterpolationMode::Default;
        if word == StorageQualifier::Varying
            && interpolated
            && !self.language.extension("EXT_gpu_shader4")
        {
            return self.error(
                span,
                "an interpolation qualifier needs `in` or `out` instead of `varying`",
            );
        }
        Ok(())
    }

    /// Reports storage qualifiers that this version or stage does not have.
    fn check_word(&mut self, word: StorageQualifier, span: Span) -> Check<()> {
        let (language, stage) = (&self.language, self.language.stage);
        let message = match word {
            StorageQualifier::Attribute if stage != Stage::Vertex => {
                "`attribute` is for vertex shaders only"
            }
            StorageQualifier::Attribute | StorageQualifier::Varying
                if !language.compatibility && !language.at_least(110, 100) =>
            {
                "this storage qualifier needs an older version"
            }
            StorageQualifier::Attribute | StorageQualifier::Varying
                if language.es && language.version >= 300 =>
            {
                "`attribute` and `varying` were removed in GLSL ES 3.00"
            }
            StorageQualifier::Attribute | StorageQualifier::Varying
                if !language.es && language.version >= 420 && !language.compatibility =>
            {
                "`attribute` and `varying` were removed from the core profile in GLSL 4.20"
            }
            StorageQualifier::Varying if stage == Stage::Compute => {
                "compute shaders have no varyings"
            }
            StorageQualifier::Buffer
                if !language.at_least(430, 310)
                    && !language.extension("ARB_shader_storage_buffer_object") =>
            {
                "`buffer` needs GLSL 4.30, ES 3.10 or ARB_shader_storage_buffer_object"
            }
            StorageQualifier::Shared if stage != Stage::Compute => {
                "`shared` is for compute shaders only"
            }
            _ => return Ok(()),
        };
        self.error(span, message)
    }

    fn add_other_qualifier(
        &mut self,
        result: &mut Qualifiers,
        kind: QualifierKind,
        span: Span,
    ) -> Check<()> {
        use QualifierKind as Q;
        let single = |set: &mut bool| repetition(std::mem::replace(set, true), Repetition::Second);
        let memory = |set: &mut bool| repetition(std::mem::replace(set, true), Repetition::Again);
        let interpolation = &mut result.interpolation;
        let added = match kind {
            Q::Const => single(&mut result.constant),
            Q::Invariant => single(&mut result.invariant),
            Q::Precise => single(&mut result.precise),
            Q::Precision(precision) => {
                repetition(result.precision.replace(precision).is_some(), Repetition::Second)
            }
            Q::Smooth => set_mode(interpolation, InterpolationMode::Smooth),
            Q::Flat => set_mode(interpolation, InterpolationMode::Flat),
            Q::Noperspective => set_mode(interpolation, InterpolationMode::NoPerspective),
            Q::Centroid => set_auxiliary(interpolation, SampleLocation::Centroid, false),
            Q::Sample => set_auxiliary(interpolation, SampleLocation::Sample, false),
            Q::Patch => set_auxiliary(interpolation, SampleLocation::Center, true),
            Q::Coherent => memory(&mut result.memory.coherent),
            Q::Volatile => memory(&mut result.memory.volatile),
            Q::Restrict => memory(&mut result.memory.restrict),
            Q::Readonly => memory(&mut result.memory.read_only),
            Q::Writeonly => memory(&mut result.memory.write_only),
            Q::Subroutine(names) => {
                repetition(result.subroutine.replace(names).is_some(), Repetition::Again)
            }
            Q::Layout(entries) => {
                let again = result.layout.present && !self.language.es;
                self.layout(&mut result.layout, entries)?;
                repetition(again, Repetition::Again)
            }
            Q::ExplicitInterp | Q::PixelLocal { .. } => {
                return self.error(span, "this qualifier is not supported");
            }
            Q::In
            | Q::Out
            | Q::Inout
            | Q::Attribute
            | Q::Varying
            | Q::Uniform
            | Q::Buffer
            | Q::Shared => Repetition::First,
        };
        match added {
            Repetition::Second => {
                return self.error(span, "more than one qualifier of the same kind");
            }
            Repetition::Again if !self.language.has_420pack() => {
                return self.error(span, "a qualifier is repeated");
            }
            Repetition::First | Repetition::Again => {}
        }
        let Some((desktop, es, extensions)) = since(&kind) else { return Ok(()) };
        if self.language.at_least(desktop, es) || self.language.any_extension(extensions) {
            return Ok(());
        }
        let text = self.unit.sources.text(span);
        self.error(span, format!("qualifier `{text}` is not available in this version"))
    }

    /// True if memory qualifiers qualify something other than images (GLSL 4.60 section 4.10).
    /// Members of storage blocks, which take them too, are checked as members.
    pub(crate) fn has_misplaced_memory(&self, qualifiers: &Qualifiers, ty: TypeId) -> bool {
        let image = matches!(self.types.get(self.types.without_arrays(ty)), Type::Image(_));
        qualifiers.memory != MemoryQualifiers::default() && !image
    }

    /// Defaults of blocks of one storage: packing and matrix order.
    pub(crate) fn block_defaults(&self, word: StorageQualifier) -> (Packing, MatrixOrder) {
        match word {
            StorageQualifier::Buffer => (self.defaults.buffer_packing, self.defaults.buffer_order),
            _ => (self.defaults.uniform_packing, self.defaults.uniform_order),
        }
    }
}

/// Position of a qualifier among the others before GLSL 4.20 (GLSL 4.10 section 4.7): `invariant`,
/// interpolation, auxiliary storage, storage, precision; `const` before the direction of a
/// parameter.
fn position_in_order(kind: &QualifierKind) -> Option<u8> {
    use QualifierKind as Q;
    Some(match kind {
        Q::Invariant | Q::Precise => 0,
        Q::Smooth | Q::Flat | Q::Noperspective => 1,
        Q::Centroid | Q::Sample | Q::Patch | Q::Const => 2,
        Q::In | Q::Out | Q::Inout | Q::Attribute | Q::Varying | Q::Uniform => 3,
        Q::Precision(_) => 4,
        _ => return None,
    })
}

/// A qualifier among those before it in its declaration.
#[derive(Clone, Copy)]
enum Repetition {
    /// None is of its kind.
    First,
    /// One is of its kind, of which a declaration has at most one (GLSL 4.60 section 4.10).
    Second,
    /// It is repeated, which GLSL 4.20 allows.
    Again,
}

fn repetition(repeated: bool, otherwise: Repetition) -> Repetition {
    if repeated { otherwise } else { Repetition::First }
}

fn set_mode(interpolation: &mut Interpolation, mode: InterpolationMode) -> Repetition {
    let former = std::mem::replace(&mut interpolation.mode, mode);
    repetition(former != InterpolationMode::Default, Repetition::Second)
}

/// Sets an auxiliary storage qualifier: a location other than the center, or `patch`.
fn set_auxiliary(
    interpolation: &mut Interpolation,
    location: SampleLocation,
    patch: bool,
) -> Repetition {
    let second = interpolation.patch || interpolation.location != SampleLocation::Center;
    (interpolation.location, interpolation.patch) = (location, patch);
    repetition(second, Repetition::Second)
}

/// Versions of the desktop and of the ES language that have a qualifier, and extensions; `None` if
/// that is checked elsewhere. Version 0 is none.
fn since(kind: &QualifierKind) -> Option<(u16, u16, &'static [&'static str])> {
    use QualifierKind as Q;
    Some(match kind {
        Q::Flat | Q::Smooth => (130, 300, &["EXT_gpu_shader4"]),
        Q::Noperspective => (130, 0, &["EXT_gpu_shader4", "NV_shader_noperspective_interpolation"]),
        Q::Centroid => (120, 300, &["EXT_gpu_shader4"]),
        Q::Sample => (400, 320, &["ARB_gpu_shader5", "OES_shader_multisample_interpolation"]),
        Q::Patch => (
            400,
            320,
            &["ARB_tessellation_shader", "EXT_tessellation_shader", "OES_tessellation_shader"],
        ),
        Q::Precise => (400, 320, &["ARB_gpu_shader5", "EXT_gpu_shader5", "OES_gpu_shader5"]),
        Q::Invariant => (120, 100, &[]),
        Q::Precision(_) => (130, 100, &[]),
        Q::Subroutine(_) => (400, 0, &["ARB_shader_subroutine"]),
        _ => return None,
    })
}
