//! Known defects of drivers: random programs leave the constructs out on which they would only
//! find the same defect again.

use program::types::{Scalar, TypeId, TypeTable};

/// Declares the defects with the names of their files.
macro_rules! defects {
    ($($variant:ident $name:literal)*) => {
        /// A defect of a driver, named by the construct that shows it. The file of the same name in
        /// `tests/defects` describes it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Defect {
            $(#[doc = concat!("`", $name, "`.")] $variant),*
        }

        impl Defect {
            /// Every known defect whose construct can be left out.
            pub const ALL: &[Defect] = &[$(Defect::$variant),*];

            /// Returns the name on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Defect::$variant => $name),*
                }
            }
        }
    };
}

defects! {
    UniformStructDouble "uniform-struct-double"
    MatrixFromMatrix "matrix-from-matrix"
    NestedSwitchContinue "nested-switch-continue"
    MatrixFromScalar "matrix-from-scalar"
    OutArgumentIndex "out-argument-index"
    SharedLoadBarrier "shared-load-barrier"
    BlockSwizzleIndex "block-swizzle-index"
    LdexpDoubleZero "ldexp-double-zero"
    DivisionByMinusOne "division-by-minus-one"
    ComputedVectorStore "computed-vector-store"
    BooleanArray "boolean-array"
    SignOfUnsigned "sign-of-unsigned"
    NegativeFactor "negative-factor"
    ControlVertices "control-vertices"
    SignOfDouble "sign-of-double"
    ComparedDifference "compared-difference"
    MulExtendedVector "mul-extended-vector"
    MulExtendedConstant "mul-extended-constant"
    MulExtendedAllOnes "mul-extended-all-ones"
    DoubleFloorSum "double-floor-sum"
    UnpackUpperHalf "unpack-upper-half"
    IndexComponent "index-component"
    ControlDuplicate "control-duplicate"
    Int64Clamp "int64-clamp"
    FindMsbOfFloat "find-msb-of-float"
    MultiplyConstants "multiply-constants"
    CapturedPosition "captured-position"
    SecondStageUniform "second-stage-uniform"
}

impl Defect {
    /// Returns true if programs have the defect as SPIR-V alone.
    pub fn is_of_spirv(self) -> bool {
        self == Defect::SecondStageUniform
    }
}

/// Returns true if a type is a structure, an array of them, or an array of arrays.
pub(super) fn has_parts(types: &TypeTable, ty: TypeId) -> bool {
    let element = super::names::elements(types, ty).map(|(element, _)| element);
    types.members(element.unwrap_or(ty)).is_some()
        || element.is_some_and(|element| super::names::elements(types, element).is_some())
}

/// Returns true if a type is a structure with doubles, or an array of such structures.
pub(super) fn is_struct_with_double(types: &TypeTable, ty: TypeId) -> bool {
    let element = super::names::elements(types, ty).map(|(element, _)| element);
    element.map_or_else(
        || types.members(ty).is_some() && has_double(types, ty),
        |element| is_struct_with_double(types, element),
    )
}

/// Returns true if a type is a vector or matrix, or has one inside.
pub(super) fn has_vector(types: &TypeTable, ty: TypeId) -> bool {
    if let Some((element, _)) = super::names::elements(types, ty) {
        return has_vector(types, element);
    }
    match types.members(ty) {
        Some(members) => members.iter().any(|member| has_vector(types, member.ty)),
        None => types.shape(ty).is_some_and(|shape| shape != (1, 1)),
    }
}

/// Returns true if a type is an array or matrix, or has one inside.
pub(super) fn has_elements(types: &TypeTable, ty: TypeId) -> bool {
    match types.members(ty) {
        Some(members) => members.iter().any(|member| has_elements(types, member.ty)),
        None => types.shape(ty).is_none_or(|(columns, _)| columns > 1),
    }
}

/// Returns true if a type is or has a boolean.
pub(super) fn has_boolean(types: &TypeTable, ty: TypeId) -> bool {
    super::names::any_scalar(types, ty, &|scalar| scalar == Scalar::Bool)
}

fn has_double(types: &TypeTable, ty: TypeId) -> bool {
    if let Some((element, _)) = super::names::elements(types, ty) {
        return has_double(types, element);
    }
    match types.members(ty) {
        Some(members) => members.iter().any(|member| has_double(types, member.ty)),
        None => types.scalar_of(ty) == Some(Scalar::Double),
    }
}
