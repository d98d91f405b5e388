//! Known defects of drivers: random programs leave the constructs out on which they would only
//! find the same defect again.

use program::types::{Scalar, TypeId, TypeTable};

/// A defect of a driver, named by the construct that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Defect {
    /// Mesa 22.3: doubles in structures of the default uniform block that follow an odd number of
    /// words have wrong values.
    UniformStructDouble,
    /// Mesa 22.3: constant matrices that are made of other matrices have wrong components.
    MatrixFromMatrix,
    /// Mesa 22.3: `continue` in a `switch` inside of another leaves the loop.
    NestedSwitchContinue,
    /// Mesa 22.3: the last column of a matrix of four columns and two rows is not 0 if the matrix
    /// is made of one scalar.
    MatrixFromScalar,
    /// Mesa 22.3: computed indices of `out` arguments are evaluated after the call.
    OutArgumentIndex,
    /// Mesa 22.3: loads from shared memory move over `barrier()`.
    SharedLoadBarrier,
    /// Mesa 22.3: a component of a swizzle of a block's member is another one if it is indexed.
    BlockSwizzleIndex,
    /// Mesa 22.3: `ldexp` of the double 0 is not 0.
    LdexpDoubleZero,
    /// Mesa 22.3: the division of the least integer by -1 ends the process, even if it is not
    /// evaluated.
    DivisionByMinusOne,
    /// Mesa 22.3, drivers of Intel's GPUs: an earlier store to a vector of an array or matrix moves
    /// behind a store at a computed index.
    ComputedVectorStore,
    /// Mesa 22.3, drivers of ivb and hsw: booleans of arrays with a computed index overlap.
    BooleanArray,
    /// Mesa 22.3, drivers of ivb and hsw: the sign of an unsigned result is lost.
    SignOfUnsigned,
    /// Mesa 22.3, drivers of ivb and hsw: products with negative 16-bit constants lose the sign.
    NegativeFactor,
    /// Mesa 22.3, drivers of ivb and hsw: control shaders of more than two vertices access scratch
    /// space at wrong offsets.
    ControlVertices,
    /// Mesa 22.3, drivers of Intel's GPUs: a double times the sign of a double 0 is not 0.
    SignOfDouble,
    /// Mesa 22.3, drivers of ivb and hsw: comparisons of integers whose difference is also computed
    /// are wrong if the difference overflows.
    ComparedDifference,
    /// Mesa 22.3: both results of `imulExtended` and `umulExtended` of constant vectors are wrong.
    MulExtendedVector,
    /// Mesa 22.3: the upper half of `imulExtended` and `umulExtended` of constants is 0, and that
    /// of products with 1 and -1 is wrong.
    MulExtendedConstant,
    /// LLVM 15: the upper half of a product with a constant of all ones ends the process.
    MulExtendedAllOnes,
    /// Mesa 22.3, llvmpipe: `floor` of a double becomes a difference, which is not computed first.
    DoubleFloorSum,
    /// Mesa 22.3, drivers of ivb and hsw: the second component of `unpackHalf2x16` of a value that
    /// becomes a constant is 0.
    UnpackUpperHalf,
    /// Mesa 22.3, drivers of ivb and hsw: computed indices of inputs of tessellation shaders are
    /// another component, or another uniform.
    IndexComponent,
}

impl Defect {
    /// Every known defect.
    pub const ALL: [Defect; 22] = [
        Defect::UniformStructDouble,
        Defect::MatrixFromMatrix,
        Defect::NestedSwitchContinue,
        Defect::MatrixFromScalar,
        Defect::OutArgumentIndex,
        Defect::SharedLoadBarrier,
        Defect::BlockSwizzleIndex,
        Defect::LdexpDoubleZero,
        Defect::DivisionByMinusOne,
        Defect::ComputedVectorStore,
        Defect::BooleanArray,
        Defect::SignOfUnsigned,
        Defect::NegativeFactor,
        Defect::ControlVertices,
        Defect::SignOfDouble,
        Defect::ComparedDifference,
        Defect::MulExtendedVector,
        Defect::MulExtendedConstant,
        Defect::MulExtendedAllOnes,
        Defect::DoubleFloorSum,
        Defect::UnpackUpperHalf,
        Defect::IndexComponent,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Defect::UniformStructDouble => "uniform-struct-double",
            Defect::MatrixFromMatrix => "matrix-from-matrix",
            Defect::NestedSwitchContinue => "nested-switch-continue",
            Defect::MatrixFromScalar => "matrix-from-scalar",
            Defect::OutArgumentIndex => "out-argument-index",
            Defect::SharedLoadBarrier => "shared-load-barrier",
            Defect::BlockSwizzleIndex => "block-swizzle-index",
            Defect::LdexpDoubleZero => "ldexp-double-zero",
            Defect::DivisionByMinusOne => "division-by-minus-one",
            Defect::ComputedVectorStore => "computed-vector-store",
            Defect::BooleanArray => "boolean-array",
            Defect::SignOfUnsigned => "sign-of-unsigned",
            Defect::NegativeFactor => "negative-factor",
            Defect::ControlVertices => "control-vertices",
            Defect::SignOfDouble => "sign-of-double",
            Defect::ComparedDifference => "compared-difference",
            Defect::MulExtendedVector => "mul-extended-vector",
            Defect::MulExtendedConstant => "mul-extended-constant",
            Defect::MulExtendedAllOnes => "mul-extended-all-ones",
            Defect::DoubleFloorSum => "double-floor-sum",
            Defect::UnpackUpperHalf => "unpack-upper-half",
            Defect::IndexComponent => "index-component",
        }
    }
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
