//! Doubles in storage blocks: every kind of member under both packings, runtime-sized arrays at
//! computed indices, sums in memory.

use crate::layout::Item;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::all_types;
use crate::stage::TestStage;
use crate::storage::{
    Group, StorageBlock, accumulated, array, layouts, load_element, store_element, value,
};
use crate::value::{DOUBLE, MATRICES, Scalar, Type};

const TESTS: Group =
    Group { name: "storage", stages: &TestStage::ALL, tested: |scalar| scalar == Scalar::Double };
/// Draws of a test: each fills and looks at a whole buffer, word by word.
const DRAWS: usize = 5;
const FLOAT: Type = Type::vector(Scalar::Float, 1);

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
    for ty in all_types::<f64>() {
        for packing in layouts(&[Item::Value(ty)]) {
            list.push(load_element(TESTS, FLOAT, ty, packing));
            list.push(store_element(TESTS, FLOAT, ty, packing));
        }
    }
    let declarations = "\tfloat first;\n\tdouble middle;\n\tfloat last;\n";
    list.push(accumulated(TESTS, FLOAT, (DOUBLE, Pool::Any), declarations));
    list.into_iter().map(|signature| signature.draws(DRAWS)).collect()
}

/// Members of the blocks.
fn blocks() -> Vec<Vec<Item>> {
    use Scalar::{Double, Float, Int};
    let structure = || Item::Structure([1, 2, 3].map(|n| value(Double, n)).to_vec());
    let matrix = |i: usize| Item::Value(MATRICES[i]);
    vec![
        vec![
            value(Double, 1),
            value(Double, 2),
            value(Double, 3),
            array(value(Double, 1), 2),
            value(Double, 1),
        ],
        vec![
            value(Float, 1),
            value(Double, 3),
            value(Float, 1),
            value(Double, 1),
            value(Int, 3),
            value(Double, 4),
        ],
        vec![
            value(Int, 1),
            array(value(Double, 3), 3),
            value(Float, 1),
            array(value(Double, 2), 2),
        ],
        vec![value(Float, 1), matrix(1), array(matrix(3), 2), matrix(8), value(Double, 1)],
        vec![value(Float, 1), structure(), array(structure(), 2), value(Double, 1)],
    ]
}
