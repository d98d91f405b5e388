//! Tests of storage blocks: every member of a block, and elements of a runtime-sized array.
//!
//! Buffers are filled and probed by byte offsets from [`crate::layout`]. Every word of a buffer
//! that is written to is probed, so a store that touches its neighbors fails.

use crate::accept::Accept;
use crate::layout::{BlockLayout, Item, Rules};
use crate::memory::{Memory, Store};
use crate::number;
use crate::operation::{Interface, Signature};
use crate::pool::Pool;
use crate::shared::INT;
use crate::stage::TestStage;
use crate::value::{Component, Scalar, Type};

/// Extension that every test of storage blocks requires.
pub const STORAGE: &str = "GL_ARB_shader_storage_buffer_object";

/// Packings by name; row-major ones only where there are matrices.
pub fn layouts(members: &[Item]) -> Vec<(&'static str, BlockLayout)> {
    let has_matrix = members.iter().any(|member| match member {
        Item::Value(ty) => ty.is_matrix(),
        Item::Array(element, _) => matches!(**element, Item::Value(ty) if ty.is_matrix()),
        Item::Structure(_) => false,
    });
    let layout = |rules, row_major| BlockLayout { rules, row_major };
    let mut list = vec![
        ("std140", layout(Rules::Std140, false)),
        ("std430", layout(Rules::Std430, has_matrix)),
    ];
    if has_matrix {
        list[1].0 = "std430, row_major";
    }
    list
}

/// A scalar or vector.
pub fn value(scalar: Scalar, rows: usize) -> Item {
    Item::Value(Type::vector(scalar, rows))
}

/// Elements of one kind.
pub fn array(item: Item, count: usize) -> Item {
    Item::Array(Box::new(item), count)
}

/// The tests of a directory.
#[derive(Clone, Copy)]
pub struct Group {
    /// Directory below the suite.
    pub name: &'static str,
    /// Stages that access the memory.
    pub stages: &'static [TestStage],
    /// Component types whose members are tested; other members only separate them.
    pub tested: fn(Scalar) -> bool,
}

/// A storage block.
pub struct StorageBlock {
    /// Its tests.
    pub group: Group,
    /// Its number among the group's, in file names.
    pub number: usize,
    /// Members.
    pub members: Vec<Item>,
    /// Packing, as in a layout qualifier.
    pub packing: &'static str,
    /// The same for offsets.
    pub layout: BlockLayout,
}

/// A scalar, vector or matrix in a block.
struct Leaf {
    /// Name or symbol in GLSL.
    name: String,
    ty: Type,
    offset: usize,
}

impl StorageBlock {
    /// A load and a store of every member that is tested.
    pub fn signatures(&self) -> Vec<Signature> {
        self.leaves().iter().flat_map(|leaf| [self.load(leaf), self.store(leaf)]).collect()
    }

    /// The values in it; of arrays the last element.
    fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for (i, (member, offset)) in
            self.members.iter().zip(self.layout.offsets(&self.members)).enumerate()
        {
            self.collect(member, format!("m{i}"), offset, &mut leaves);
        }
        leaves.retain(|leaf| (self.group.tested)(leaf.ty.scalar));
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
                for (i, (member, inner)) in
                    members.iter().zip(self.layout.offsets(members)).enumerate()
                {
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
                    let fields = members
                        .iter()
                        .enumerate()
                        .map(|(j, m)| format!("\t{} f{j};\n", type_name(m)));
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
        signature.require(STORAGE).stages(self.group.stages).globals(self.declaration())
    }

    /// A member as result.
    fn load(&self, leaf: &Leaf) -> Signature {
        let components = self.layout.components(leaf.ty, leaf.offset);
        let signature = Signature::elementwise(
            self.group.name,
            "load",
            &[(leaf.ty, Pool::Any)],
            leaf.ty,
            leaf.name.clone(),
            |x| Some(Accept::exactly(x[0])),
        )
        .types(self.types(leaf))
        .uniform_names(&["member"])
        .memory(Memory { size: self.size(), operands: vec![components], store: None });
        self.requiring(signature)
    }

    /// A uniform stored to a member.
    fn store(&self, leaf: &Leaf) -> Signature {
        let components = self.layout.components(leaf.ty, leaf.offset);
        let store =
            Store { target: leaf.name.clone(), places: Box::new(move |_| components.clone()) };
        let signature = Signature::elementwise(
            self.group.name,
            "store",
            &[(leaf.ty, Pool::Any)],
            leaf.ty,
            "a",
            stored,
        )
        .types(self.types(leaf))
        .interface(Interface::Storage)
        .memory(Memory { size: self.size(), operands: Vec::new(), store: Some(store) });
        self.requiring(signature)
    }
}

/// The bits of a NaN are not known.
fn stored(x: &[Component]) -> Option<Accept> {
    (!number::is_nan(x[0])).then(|| Accept::exactly(x[0]))
}

fn type_name(item: &Item) -> String {
    match item {
        Item::Value(ty) => ty.glsl(),
        other => panic!("{other:?} has no simple type"),
    }
}

/// Elements of the arrays that are indexed by a uniform.
const COUNT: usize = 3;

/// A block of a runtime-sized array that a scalar precedes.
pub fn element_block(before: Type, ty: Type, packing: &str) -> String {
    format!(
        "layout({packing}) buffer Block {{\n\t{} before;\n\t{} list[];\n}};\n\n",
        before.glsl(),
        ty.glsl()
    )
}

/// Offsets of the elements' components, and the size of a buffer of all.
fn elements(before: Type, ty: Type, layout: BlockLayout) -> (Vec<Vec<usize>>, usize) {
    let list = array(Item::Value(ty), COUNT);
    let members = [Item::Value(before), list];
    let start = layout.offsets(&members)[1];
    let stride = layout.stride(&Item::Value(ty));
    let places = (0..COUNT).map(|i| layout.components(ty, start + i * stride)).collect();
    (places, (start + COUNT * stride).next_multiple_of(4))
}

/// An element of a runtime-sized array at a dynamic index.
pub fn load_element(
    group: Group,
    before: Type,
    ty: Type,
    (packing, layout): (&str, BlockLayout),
) -> Signature {
    let (places, size) = elements(before, ty, layout);
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(COUNT as u8))];
    Signature::whole(group.name, "load_element", &arguments, ty, "list[which]", |x| {
        Some(x[x[COUNT][0].integer() as usize].iter().map(|&x| Accept::exactly(x)).collect())
    })
    .types(format!("{}-{}", ty.glsl(), &packing[..6]))
    .uniform_names(&["", "", "", "which"])
    .globals(element_block(before, ty, packing) + "uniform int which;\n\n")
    .memory(Memory { size, operands: places, store: None })
    .require(STORAGE)
    .stages(group.stages)
}

/// A store to an element at a dynamic index.
pub fn store_element(
    group: Group,
    before: Type,
    ty: Type,
    (packing, layout): (&str, BlockLayout),
) -> Signature {
    let (places, size) = elements(before, ty, layout);
    let arguments = [(ty, Pool::Any), (INT, Pool::Below(COUNT as u8))];
    let places = move |x: &[Vec<Component>]| places[x[1][0].integer() as usize].clone();
    let store = Store { target: String::from("list[b]"), places: Box::new(places) };
    Signature::whole(group.name, "store_element", &arguments, ty, "a", |x| {
        x[0].iter().map(|&x| stored(&[x])).collect()
    })
    .types(format!("{}-{}", ty.glsl(), &packing[..6]))
    .globals(element_block(before, ty, packing))
    .interface(Interface::Storage)
    .memory(Memory { size, operands: Vec::new(), store: Some(store) })
    .require(STORAGE)
    .stages(group.stages)
}

/// A member that is read, changed and stored, between two of type `around` that stay. `added` is
/// its type and the source of the added values; `declarations` name the members `first`, `middle`
/// and `last`.
pub fn accumulated(
    group: Group,
    around: Type,
    added: (Type, Pool),
    declarations: &str,
) -> Signature {
    let (ty, pool) = added;
    let layout = BlockLayout { rules: Rules::Std430, row_major: false };
    let members = [around, ty, around].map(Item::Value);
    let offset = layout.offsets(&members)[1];
    let size = layout.size(&Item::Structure(members.to_vec())).next_multiple_of(4);
    let store = Store { target: String::from("middle"), places: Box::new(move |_| vec![offset]) };
    let arguments = [(ty, Pool::Any), (ty, pool)];
    Signature::elementwise(group.name, "accumulate", &arguments, ty, "middle + b", |x| {
        stored(&[number::add(x[0], x[1])])
    })
    .globals(format!(
        "layout(std430) buffer Block {{\n{declarations}}};\nuniform {} b;\n\n",
        ty.glsl()
    ))
    .uniform_names(&["middle", "b"])
    .interface(Interface::Storage)
    .memory(Memory { size, operands: vec![vec![offset]], store: Some(store) })
    .require(STORAGE)
    // Every invocation adds once: defined for a single pixel's.
    .stages(&[TestStage::Fragment])
}
