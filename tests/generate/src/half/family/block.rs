//! 16-bit members of storage and uniform blocks: odd offsets, arrays, structures and matrices under both packings.
//!
//! Storage buffers are filled and looked at by byte offsets from [`crate::half::layout`]; every word of a buffer that is written to is
//! looked at, so that a store must not touch its neighbours. Uniform blocks are filled by the names of their members.

use super::{HALF, matrix_of, vectors};
use crate::half::ieee;
use crate::half::layout::{Item, Layout, Rules};
use crate::memory::{Memory, Store};
use crate::operation::{Interface, Signature};
use crate::pool::Pool;
use crate::shader::Stage;
use crate::value::{Accept, Component, DOUBLE, Scalar, Type};

const GROUP: &str = "block";
const STORAGE: &str = "GL_ARB_shader_storage_buffer_object";
const INT: Type = Type::vector(Scalar::Int, 1);
const STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for (number, members) in blocks().into_iter().enumerate() {
        for (packing, layout) in layouts(&members) {
            let block = Block { number, members: members.clone(), packing, layout };
            for leaf in block.leaves() {
                list.push(block.load(&leaf));
                list.push(block.store(&leaf));
            }
        }
    }
    for scalar in [Scalar::Half, Scalar::Int16, Scalar::Uint16] {
        for ty in vectors(scalar) {
            for (packing, layout) in layouts(&[]) {
                list.push(load_element(ty, packing, layout));
                list.push(store_element(ty, packing, layout));
            }
            list.push(uniform_members(ty));
            list.push(uniform_array(ty));
        }
        list.push(runtime_length(Type::vector(scalar, 3)));
        list.push(runtime_length(Type::vector(scalar, 1)));
    }
    for ty in [matrix_of(2, 2), matrix_of(3, 4), matrix_of(4, 3)] {
        list.push(uniform_members(ty));
        list.push(uniform_array(ty));
    }
    list.push(accumulated());
    list
}

/// Row-major ones only where there are matrices.
fn layouts(members: &[Item]) -> Vec<(&'static str, Layout)> {
    let has_matrix = members.iter().any(|member| match member {
        Item::Value(ty) => ty.is_matrix(),
        Item::Array(element, _) => matches!(**element, Item::Value(ty) if ty.is_matrix()),
        Item::Structure(_) => false,
    });
    let layout = |rules, row_major| Layout { rules, row_major };
    let mut list =
        vec![("std140", layout(Rules::Std140, false)), ("std430", layout(Rules::Std430, has_matrix))];
    if has_matrix {
        list[1].0 = "std430, row_major";
    }
    list
}

fn value(scalar: Scalar, rows: usize) -> Item {
    Item::Value(Type::vector(scalar, rows))
}

fn array(item: Item, count: usize) -> Item {
    Item::Array(Box::new(item), count)
}

/// Members of the blocks.
fn blocks() -> Vec<Vec<Item>> {
    use Scalar::{Double, Float, Half, Int, Int16, Uint16};
    let structure = |scalar| Item::Structure([1, 2, 3].map(|n| value(scalar, n)).to_vec());
    let matrix = |columns, rows| Item::Value(matrix_of(columns, rows));
    vec![
        vec![value(Half, 1), value(Half, 2), value(Half, 3), array(value(Half, 1), 2), value(Int16, 1)],
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
        vec![value(Int16, 1), array(value(Int16, 3), 3), value(Int16, 1), array(value(Uint16, 2), 2)],
        vec![value(Half, 1), matrix(2, 3), array(matrix(3, 2), 2), matrix(4, 4), value(Half, 1)],
        vec![value(Half, 1), structure(Half), array(structure(Uint16), 2), value(Half, 1)],
    ]
}

/// A storage block.
struct Block {
    number: usize,
    members: Vec<Item>,
    packing: &'static str,
    layout: Layout,
}

/// A scalar, vector or matrix in a block.
struct Leaf {
    /// As in GLSL.
    name: String,
    ty: Type,
    offset: usize,
}

impl Block {
    /// The values in it; of arrays the last element.
    fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for (i, (member, offset)) in self.members.iter().zip(self.layout.offsets(&self.members)).enumerate() {
            self.collect(member, format!("m{i}"), offset, &mut leaves);
        }
        leaves.retain(|leaf| leaf.ty.scalar.extension().is_some());
        leaves
    }

    fn collect(&self, item: &Item, name: String, offset: usize, leaves: &mut Vec<Leaf>) {
        match item {
            Item::Value(ty) => leaves.push(Leaf { name, ty: *ty, offset }),
            Item::Array(element, count) => {
                let last = count - 1;
                let offset = offset + last * self.layout.stride(element);
                self.collect(element, format!("{name}[{last}]"), offset, leaves);
            }
            Item::Structure(members) => {
                for (i, (member, inner)) in members.iter().zip(self.layout.offsets(members)).enumerate() {
                    self.collect(member, format!("{name}.f{i}"), offset + inner, leaves);
                }
            }
        }
    }

    fn size(&self) -> usize {
        self.layout.size(&Item::Structure(self.members.clone())).next_multiple_of(4)
    }

    /// Structures and the block.
    fn declaration(&self) -> String {
        let (mut structures, mut lines) = (String::new(), String::new());
        for (i, member) in self.members.iter().enumerate() {
            let (element, count) = match member {
                Item::Array(element, count) => (&**element, format!("[{count}]")),
                other => (other, String::new()),
            };
            let ty = match element {
                Item::Structure(members) => {
                    let fields =
                        members.iter().enumerate().map(|(j, m)| format!("\t{} f{j};\n", type_name(m)));
                    structures += &format!("struct S{i} {{\n{}}};\n\n", fields.collect::<String>());
                    format!("S{i}")
                }
                other => type_name(other),
            };
            lines += &format!("\t{ty} m{i}{count};\n");
        }
        format!("{structures}layout({}) buffer Block {{\n{lines}}};\n\n", self.packing)
    }

    fn types(&self, leaf: &Leaf) -> String {
        let place: String = leaf.name.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{}-{}{}-{place}", leaf.ty.glsl(), &self.packing[..6], self.number)
    }

    /// Extensions of all members' types.
    fn requiring(&self, mut signature: Signature) -> Signature {
        for leaf in self.leaves() {
            signature.requires.extend(leaf.ty.scalar.extension());
        }
        signature.require(STORAGE).stages(STAGES).globals(self.declaration())
    }

    /// A member as result.
    fn load(&self, leaf: &Leaf) -> Signature {
        let components = self.layout.components(leaf.ty, leaf.offset);
        let signature =
            Signature::elementwise(GROUP, "load", &[(leaf.ty, Pool::Any)], leaf.ty, leaf.name.clone(), |x| {
                Some(Accept::exactly(x[0]))
            })
            .types(self.types(leaf))
            .uniform_names(&["member"])
            .memory(Memory { size: self.size(), operands: vec![components], store: None });
        self.requiring(signature)
    }

    /// A uniform stored to a member.
    fn store(&self, leaf: &Leaf) -> Signature {
        let components = self.layout.components(leaf.ty, leaf.offset);
        let store = Store { target: leaf.name.clone(), places: Box::new(move |_| components.clone()) };
        let signature = Signature::elementwise(GROUP, "store", &[(leaf.ty, Pool::Any)], leaf.ty, "a", stored)
            .types(self.types(leaf))
            .interface(Interface::Storage)
            .memory(Memory { size: self.size(), operands: Vec::new(), store: Some(store) });
        self.requiring(signature)
    }
}

/// The bits of a NaN are not known.
fn stored(x: &[Component]) -> Option<Accept> {
    let is_nan = matches!(x[0], Component::Half(x) if x.is_nan());
    (!is_nan).then(|| Accept::exactly(x[0]))
}

fn type_name(item: &Item) -> String {
    match item {
        Item::Value(ty) => ty.glsl(),
        other => panic!("{other:?} has no simple type"),
    }
}

/// Elements of the arrays that are indexed by a uniform; an odd number of bytes of 16-bit values precedes them.
const COUNT: usize = 3;

fn element_block(ty: Type, packing: &str) -> String {
    format!(
        "layout({packing}) buffer Block {{\n\t{0} before;\n\t{1} list[];\n}};\n\n",
        Type::vector(ty.scalar, 1).glsl(),
        ty.glsl()
    )
}

/// Offsets of the elements' components, and the size of a buffer of all.
fn elements(ty: Type, layout: Layout) -> (Vec<Vec<usize>>, usize) {
    let list = array(Item::Value(ty), COUNT);
    let members = [Item::Value(Type::vector(ty.scalar, 1)), list];
    let start = layout.offsets(&members)[1];
    let stride = layout.stride(&Item::Value(ty));
    let places = (0..COUNT).map(|i| layout.components(ty, start + i * stride)).collect();
    (places, (start + COUNT * stride).next_multiple_of(4))
}

/// An element of a runtime-sized array at a dynamic index.
fn load_element(ty: Type, packing: &'static str, layout: Layout) -> Signature {
    let (places, size) = elements(ty, layout);
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(COUNT as u8))];
    Signature::whole(GROUP, "load_element", &arguments, ty, "list[which]", |x| {
        Some(x[x[COUNT][0].integer() as usize].iter().map(|&x| Accept::exactly(x)).collect())
    })
    .types(format!("{}-{packing}", ty.glsl()))
    .uniform_names(&["", "", "", "which"])
    .globals(element_block(ty, packing) + "uniform int which;\n\n")
    .memory(Memory { size, operands: places, store: None })
    .require(STORAGE)
    .stages(STAGES)
}

/// A store to an element at a dynamic index.
fn store_element(ty: Type, packing: &'static str, layout: Layout) -> Signature {
    let (places, size) = elements(ty, layout);
    let arguments = [(ty, Pool::Any), (INT, Pool::Below(COUNT as u8))];
    let places = move |x: &[Vec<Component>]| places[x[1][0].integer() as usize].clone();
    let store = Store { target: String::from("list[b]"), places: Box::new(places) };
    Signature::whole(GROUP, "store_element", &arguments, ty, "a", |x| {
        x[0].iter().map(|&x| stored(&[x])).collect()
    })
    .types(format!("{}-{packing}", ty.glsl()))
    .globals(element_block(ty, packing))
    .interface(Interface::Storage)
    .memory(Memory { size, operands: Vec::new(), store: Some(store) })
    .require(STORAGE)
    .stages(STAGES)
}

/// The number of elements that fit, and a uniform more.
fn runtime_length(ty: Type) -> Signature {
    let layout = Layout { rules: Rules::Std430, row_major: false };
    let start = layout.offsets(&[Item::Value(Type::vector(ty.scalar, 1)), array(Item::Value(ty), 1)])[1];
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
    .globals(element_block(ty, "std430"))
    .memory(Memory { size, operands: Vec::new(), store: None })
    .require(STORAGE)
    .stages(STAGES);
    signature.requires.extend(ty.scalar.extension());
    signature
}

/// A member that is read, changed and stored, between two that stay.
fn accumulated() -> Signature {
    let layout = Layout { rules: Rules::Std430, row_major: false };
    let members = [Item::Value(HALF), Item::Value(HALF), Item::Value(HALF)];
    let offset = layout.offsets(&members)[1];
    let store = Store { target: String::from("middle"), places: Box::new(move |_| vec![offset]) };
    let arguments = [(HALF, Pool::Any), (HALF, Pool::Related)];
    Signature::elementwise(GROUP, "accumulate", &arguments, HALF, "middle + b", |x| {
        let sum = ieee::add(x[0].half(), x[1].half());
        (!sum.is_nan()).then(|| Accept::half(sum))
    })
    .globals("layout(std430) buffer Block {\n\tfloat16_t first, middle, last;\n};\nuniform float16_t b;\n\n")
    .uniform_names(&["middle", "b"])
    .interface(Interface::Storage)
    .memory(Memory { size: 8, operands: vec![vec![offset]], store: Some(store) })
    .require(STORAGE)
    // Every pixel adds once: only one vertex shader invocation's worth of work is defined, a single pixel's.
    .stages(&[Stage::Fragment])
}

/// A value between a half, a double and a 16-bit integer of a uniform block.
fn uniform_members(ty: Type) -> Signature {
    let name = ty.glsl();
    let int16 = Type::vector(Scalar::Int16, 1);
    let arguments = [(HALF, Pool::Small), (ty, Pool::Any), (int16, Pool::Small), (DOUBLE, Pool::Small)];
    Signature::whole(GROUP, "uniform", &arguments, ty, "y", |x| {
        let kept = x[0][0].half().order() > 0 && x[2][0].integer() > 3 && x[3][0].double() < 5.0;
        let minus = |x: Component| match x {
            Component::Half(x) => Component::Half(x.negated()),
            other => crate::half::pool::wrapped(other.scalar(), other.integer().wrapping_neg() as u64),
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
