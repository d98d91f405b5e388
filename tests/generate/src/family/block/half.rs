//! 16-bit members of storage and uniform blocks: odd offsets, arrays, structures and matrices under
//! both packings.
//!
//! Storage buffers are filled and probed by byte offsets from [`crate::layout`]. Every word of a
//! buffer that is written to is probed, so a store that touches its neighbors fails. Uniform blocks
//! are filled by the names of their members.

use crate::accept::Accept;
use crate::format::Format;
use crate::layout::{BlockLayout, Item, Rules};
use crate::memory::Memory;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::INT;
use crate::shared::{HALF, SCALARS_16, half_matrix, vectors};
use crate::stage::TestStage;
use crate::storage::{
    Group, STORAGE, StorageBlock, accumulated, array, element_block, layouts, load_element,
    store_element, value,
};
use crate::value::{Component, DOUBLE, Scalar, Type};

const GROUP: &str = "block";
const STAGES: &[TestStage] = &[TestStage::Vertex, TestStage::Fragment];
const TESTS: Group =
    Group { name: GROUP, stages: STAGES, tested: |scalar| scalar.extension().is_some() };

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for (number, members) in blocks().into_iter().enumerate() {
        for (packing, layout) in layouts(&members) {
            let block =
                StorageBlock { group: TESTS, number, members: members.clone(), packing, layout };
            list.extend(block.signatures());
        }
    }
    for scalar in SCALARS_16 {
        for ty in vectors(scalar) {
            for (packing, layout) in layouts(&[]) {
                let before = Type::vector(scalar, 1);
                list.push(load_element(TESTS, before, ty, (packing, layout)));
                list.push(store_element(TESTS, before, ty, (packing, layout)));
            }
            list.push(uniform_members(ty));
            list.push(uniform_array(ty));
        }
        list.push(runtime_length(Type::vector(scalar, 3)));
        list.push(runtime_length(Type::vector(scalar, 1)));
    }
    for ty in [half_matrix(2, 2), half_matrix(3, 4), half_matrix(4, 3)] {
        list.push(uniform_members(ty));
        list.push(uniform_array(ty));
    }
    let declarations = "\tfloat16_t first, middle, last;\n";
    list.push(accumulated(TESTS, HALF, (HALF, Pool::Related), declarations));
    list
}

/// Members of the blocks.
fn blocks() -> Vec<Vec<Item>> {
    use Scalar::{Double, Float, Half, Int, Int16, Uint16};
    let structure = |scalar| Item::Structure([1, 2, 3].map(|n| value(scalar, n)).to_vec());
    let matrix = |columns, rows| Item::Value(half_matrix(columns, rows));
    vec![
        vec![
            value(Half, 1),
            value(Half, 2),
            value(Half, 3),
            array(value(Half, 1), 2),
            value(Int16, 1),
        ],
        vec![
            value(Int16, 1),
            value(Half, 1),
            value(Uint16, 1),
            value(Float, 1),
            value(Half, 4),
            value(Uint16, 2),
        ],
        vec![
            value(Half, 1),
            value(Double, 1),
            value(Half, 1),
            value(Int, 1),
            value(Uint16, 3),
            value(Half, 1),
        ],
        vec![
            value(Int16, 1),
            array(value(Int16, 3), 3),
            value(Int16, 1),
            array(value(Uint16, 2), 2),
        ],
        vec![value(Half, 1), matrix(2, 3), array(matrix(3, 2), 2), matrix(4, 4), value(Half, 1)],
        vec![value(Half, 1), structure(Half), array(structure(Uint16), 2), value(Half, 1)],
    ]
}

/// The number of elements that fit, and a uniform more.
fn runtime_length(ty: Type) -> Signature {
    let layout = BlockLayout { rules: Rules::Std430, row_major: false };
    let start =
        layout.offsets(&[Item::Value(Type::vector(ty.scalar, 1)), array(Item::Value(ty), 1)])[1];
    let size = 4 * 23;
    let count = (size - start) / layout.stride(&Item::Value(ty));
    let mut signature = Signature::elementwise(
        GROUP,
        "length",
        &[(INT, Pool::Below(100))],
        INT,
        "list.length() + a",
        move |x| Some(Accept::exactly(Component::Int(count as i32 + x[0].integer() as i32))),
    )
    .types(ty.glsl())
    .globals(element_block(Type::vector(ty.scalar, 1), ty, "std430"))
    .memory(Memory { size, operands: Vec::new(), store: None })
    .require(STORAGE)
    .stages(STAGES);
    signature.requires.extend(ty.scalar.extension());
    signature
}

/// A value between a half, a double and a 16-bit integer of a uniform block.
fn uniform_members(ty: Type) -> Signature {
    let name = ty.glsl();
    let int16 = Type::vector(Scalar::Int16, 1);
    let arguments =
        [(HALF, Pool::Small), (ty, Pool::Any), (int16, Pool::Small), (DOUBLE, Pool::Small)];
    Signature::whole(GROUP, "uniform", &arguments, ty, "y", |x| {
        let kept = x[0][0].half().order() > 0 && x[2][0].integer() > 3 && x[3][0].double() < 5.0;
        let minus = |x: Component| match x {
            Component::Half(x) => Component::Half(x.negated()),
            other => crate::value::wrapped(other.scalar(), other.integer().wrapping_neg() as u64),
        };
        Some(x[1].iter().map(|&x| Accept::exactly(if kept { x } else { minus(x) })).collect())
    })
    .types(name.clone())
    .uniform_names(&["a", "b", "c", "d"])
    .globals(format!(
        "layout(std140) uniform Block {{\n\tfloat16_t a;\n\t{name} b;\n\tint16_t c;\n\tdouble d;\n}};\n\n"
    ))
    .statements(format!("{name} y = -b;\nif (a > 0.0hf && c > 3s && d < 5.0lf)\n\ty = b;"))
}

/// An element of an array that a 16-bit integer precedes and the index follows.
fn uniform_array(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    Signature::whole(GROUP, "uniform_array", &arguments, ty, "a[b]", |x| {
        Some(x[x[3][0].integer() as usize].iter().map(|&x| Accept::exactly(x)).collect())
    })
    .types(name.clone())
    .uniform_names(&["a[0]", "a[1]", "a[2]", "b"])
    .globals(format!(
        "layout(std140) uniform Block {{\n\t{} z;\n\t{name} a[3];\n\tint b;\n}};\n\n",
        Type::vector(ty.scalar, 1).glsl()
    ))
}
