//! GLSL types, interned in one table per program so that equality is identity.

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

use crate::builtin_variable::BuiltinVariable;
use crate::explicit_layout::ExplicitLayout;
use crate::ids::LayoutId;
pub use crate::ids::TypeId;
use crate::qualifier::{Interpolation, MemoryQualifiers};

/// Component types of scalars, vectors and matrices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `int8_t`.
    Int8,
    /// `uint8_t`.
    Uint8,
    /// `int16_t`.
    Int16,
    /// `uint16_t`.
    Uint16,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `int64_t`.
    Int64,
    /// `uint64_t`.
    Uint64,
    /// `float16_t`.
    Float16,
    /// `float`.
    Float,
    /// `double`.
    Double,
}

impl Scalar {
    /// Width in bits of a value in memory; `bool` is stored as a 32-bit integer.
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Int8 | Scalar::Uint8 => 8,
            Scalar::Int16 | Scalar::Uint16 | Scalar::Float16 => 16,
            Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float => 32,
            Scalar::Int64 | Scalar::Uint64 | Scalar::Double => 64,
        }
    }

    /// Width in bytes of a value in memory.
    pub const fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// Returns true if this is `float16_t`, `float` or `double`.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::Float16 | Scalar::Float | Scalar::Double)
    }

    /// Returns true if this is an integer type of any width (not `bool`).
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned_integer()
    }

    /// Returns true if this is a signed integer type of any width.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, Scalar::Int8 | Scalar::Int16 | Scalar::Int | Scalar::Int64)
    }

    /// Returns true if this is an unsigned integer type of any width.
    pub const fn is_unsigned_integer(self) -> bool {
        matches!(self, Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint | Scalar::Uint64)
    }

    /// The GLSL keyword.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Int8 => "int8_t",
            Scalar::Uint8 => "uint8_t",
            Scalar::Int16 => "int16_t",
            Scalar::Uint16 => "uint16_t",
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Int64 => "int64_t",
            Scalar::Uint64 => "uint64_t",
            Scalar::Float16 => "float16_t",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }

    /// The prefix of vector type names (`i` of `ivec3`, nothing for `float`).
    pub const fn vector_prefix(self) -> &'static str {
        match self {
            Scalar::Bool => "b",
            Scalar::Int8 => "i8",
            Scalar::Uint8 => "u8",
            Scalar::Int16 => "i16",
            Scalar::Uint16 => "u16",
            Scalar::Int => "i",
            Scalar::Uint => "u",
            Scalar::Int64 => "i64",
            Scalar::Uint64 => "u64",
            Scalar::Float16 => "f16",
            Scalar::Float => "",
            Scalar::Double => "d",
        }
    }
}

/// Dimensionality of a sampler or image type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dim {
    /// One-dimensional.
    D1,
    /// Two-dimensional.
    D2,
    /// Three-dimensional.
    D3,
    /// Cube map.
    Cube,
    /// Rectangle, unnormalized coordinates.
    Rect,
    /// Buffer texture.
    Buffer,
    /// Two-dimensional multisample.
    D2Ms,
    /// `samplerExternalOES`.
    External,
    /// `subpassInput`-like framebuffer fetch; reserved.
    Subpass,
}

impl Dim {
    /// Number of coordinate components without array layer, projection or comparison value.
    pub const fn coordinates(self) -> u8 {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::D2Ms | Dim::External | Dim::Subpass => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}

/// Shape of a sampler type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SamplerType {
    /// Component type of a lookup's result (float, int or uint).
    pub result: Scalar,
    /// Dimensionality.
    pub dim: Dim,
    /// True if there is an array layer coordinate.
    pub array: bool,
    /// True if lookups compare against a reference value.
    pub shadow: bool,
}

/// Shape of an image type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageType {
    /// Component type of loads and stores (float, int or uint).
    pub result: Scalar,
    /// Dimensionality.
    pub dim: Dim,
    /// True if there is an array layer coordinate.
    pub array: bool,
}

/// Matrix memory order of a block member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum MatrixOrder {
    /// Columns are contiguous vectors (the default).
    #[default]
    ColumnMajor,
    /// Rows are contiguous vectors.
    RowMajor,
}

/// One member of a structure or interface block.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Identifier.
    pub name: Box<str>,
    /// Type.
    pub ty: TypeId,
    /// Set for members of `gl_PerVertex`-like blocks.
    pub builtin: Option<BuiltinVariable>,
    /// Matrix order after inheriting the block's default.
    pub order: MatrixOrder,
    /// `layout(offset=)`, in bytes.
    pub offset: Option<u32>,
    /// `layout(align=)`, in bytes.
    pub align: Option<u32>,
    /// `layout(location=)` of an input or output block's member.
    pub location: Option<u32>,
    /// `layout(component=)` of an input or output block's member.
    pub component: Option<u32>,
    /// `layout(xfb_offset=)`, in bytes.
    pub xfb_offset: Option<u32>,
    /// Interpolation of an input or output block's member.
    pub interpolation: Interpolation,
    /// Memory qualifiers of a buffer block's member.
    pub memory: MemoryQualifiers,
}

impl Member {
    /// A plain structure member.
    pub fn new(name: &str, ty: TypeId) -> Member {
        Member {
            name: name.into(),
            ty,
            builtin: None,
            order: MatrixOrder::default(),
            offset: None,
            align: None,
            location: None,
            component: None,
            xfb_offset: None,
            interpolation: Interpolation::default(),
            memory: MemoryQualifiers::default(),
        }
    }
}

/// A structure or the contents of an interface block.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructType {
    /// Structure or block name; empty for an anonymous structure.
    pub name: Box<str>,
    /// Members in declaration order.
    pub members: Vec<Member>,
    /// Distinguishes separately declared structures with equal names and members inside one shader
    /// (0 for the first).
    pub scope: u32,
}

/// Number of elements of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLength {
    /// Known number of elements, at least 1.
    Fixed(u32),
    /// Declared without a size: fixed by linking from the largest constant index, or by the input
    /// primitive.
    Unsized,
    /// Last member of a storage block: known only from the buffer's size.
    Runtime,
}

/// A GLSL type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// A vector of 2 to 4 components.
    Vector {
        /// Component type.
        scalar: Scalar,
        /// Number of components, 2 to 4.
        size: u8,
    },
    /// A matrix of 2 to 4 columns and rows.
    Matrix {
        /// Component type (a floating-point type).
        scalar: Scalar,
        /// Number of columns.
        columns: u8,
        /// Number of rows.
        rows: u8,
    },
    /// A combined texture and sampler.
    Sampler(SamplerType),
    /// An image.
    Image(ImageType),
    /// `atomic_uint`.
    AtomicCounter,
    /// A structure or block contents.
    Struct(StructType),
    /// An array.
    Array {
        /// Element type.
        element: TypeId,
        /// Number of elements.
        length: ArrayLength,
    },
    /// A subroutine uniform's type, by the subroutine type's name.
    Subroutine(Box<str>),
}

/// Interner of types. One table serves all stages of a program.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: PrimaryMap<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
    layouts: PrimaryMap<LayoutId, ExplicitLayout>,
    layout_ids: FxHashMap<ExplicitLayout, LayoutId>,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut table = TypeTable {
            types: PrimaryMap::new(),
            ids: FxHashMap::default(),
            layouts: PrimaryMap::new(),
            layout_ids: FxHashMap::default(),
        };
        table.intern(Type::Void);
        // Both executors need it for conditions, whether or not a shader names it.
        table.scalar(Scalar::Bool);
        table
    }
}

impl TypeTable {
    /// `void`, always the first entry.
    pub const VOID: TypeId = TypeId(0);

    /// The id of `ty`, adding it when new. Types of columns and components are added with it, so
    /// that [`TypeTable::find`] finds them.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        match ty {
            Type::Matrix { scalar, rows, .. } => drop(self.vector(scalar, rows)),
            Type::Vector { scalar, .. } => drop(self.scalar(scalar)),
            _ => {}
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The id of an explicit layout, adding it when new.
    pub fn intern_layout(&mut self, layout: ExplicitLayout) -> LayoutId {
        let layouts = &mut self.layouts;
        *self.layout_ids.entry(layout).or_insert_with_key(|layout| layouts.push(layout.clone()))
    }

    /// The explicit layout of an id.
    pub fn layout(&self, id: LayoutId) -> &ExplicitLayout {
        &self.layouts[id]
    }

    /// The id of a type that is already in the table.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }

    /// Every type's id.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + '_ {
        self.types.keys()
    }

    /// The type of an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// Interns a scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    /// Interns a vector type; size 1 gives the scalar.
    pub fn vector(&mut self, scalar: Scalar, size: u8) -> TypeId {
        if size == 1 { self.scalar(scalar) } else { self.intern(Type::Vector { scalar, size }) }
    }

    /// Interns a matrix type.
    pub fn matrix(&mut self, scalar: Scalar, columns: u8, rows: u8) -> TypeId {
        self.intern(Type::Matrix { scalar, columns, rows })
    }

    /// Interns an array type.
    pub fn array(&mut self, element: TypeId, length: ArrayLength) -> TypeId {
        self.intern(Type::Array { element, length })
    }

    /// Component type of a scalar, vector or matrix.
    pub fn scalar_of(&self, id: TypeId) -> Option<Scalar> {
        match *self.get(id) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                Some(scalar)
            }
            _ => None,
        }
    }

    /// (columns, rows): (1, 1) for a scalar, (1, n) for a vector, (c, r) for a matrix; `None` for
    /// other types.
    pub fn shape(&self, id: TypeId) -> Option<(u8, u8)> {
        match *self.get(id) {
            Type::Scalar(_) => Some((1, 1)),
            Type::Vector { size, .. } => Some((1, size)),
            Type::Matrix { columns, rows, .. } => Some((columns, rows)),
            _ => None,
        }
    }

    /// Number of scalar components of a scalar, vector or matrix; 0 for other types.
    pub fn components(&self, id: TypeId) -> u8 {
        self.shape(id).map_or(0, |(c, r)| c * r)
    }

    /// Element type and length of an array.
    pub fn array_of(&self, id: TypeId) -> Option<(TypeId, ArrayLength)> {
        match *self.get(id) {
            Type::Array { element, length } => Some((element, length)),
            _ => None,
        }
    }

    /// Innermost element type of (possibly nested) arrays; the type itself when it is not an array.
    pub fn without_arrays(&self, mut id: TypeId) -> TypeId {
        while let Type::Array { element, .. } = *self.get(id) {
            id = element;
        }
        id
    }

    /// Members of a structure or block.
    pub fn members(&self, id: TypeId) -> Option<&[Member]> {
        match self.get(id) {
            Type::Struct(s) => Some(&s.members),
            _ => None,
        }
    }

    /// Returns true if a type is a subroutine type, or arrays of one.
    pub fn is_subroutine(&self, id: TypeId) -> bool {
        matches!(self.get(self.without_arrays(id)), Type::Subroutine(_))
    }

    /// Returns true if the type is or contains a sampler, image, atomic counter or subroutine.
    pub fn contains_opaque(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Sampler(_) | Type::Image(_) | Type::AtomicCounter | Type::Subroutine(_) => true,
            Type::Struct(s) => s.members.iter().any(|m| self.contains_opaque(m.ty)),
            Type::Array { element, .. } => self.contains_opaque(*element),
            _ => false,
        }
    }

    /// Spelling in GLSL, for diagnostics and interface queries.
    pub fn name(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Void => "void".into(),
            Type::Scalar(s) => s.name().into(),
            Type::Vector { scalar, size } => format!("{}vec{size}", scalar.vector_prefix()),
            Type::Matrix { scalar, columns, rows } if columns == rows => {
                format!("{}mat{columns}", scalar.vector_prefix())
            }
            Type::Matrix { scalar, columns, rows } => {
                format!("{}mat{columns}x{rows}", scalar.vector_prefix())
            }
            Type::Sampler(s) => sampler_name(s),
            Type::Image(i) => opaque_name("image", i.result, i.dim, i.array, false),
            Type::AtomicCounter => "atomic_uint".into(),
            Type::Struct(s) => s.name.to_string(),
            Type::Array { element, .. } => self.array_name(*element, id),
            Type::Subroutine(name) => name.to_string(),
        }
    }

    fn array_name(&self, element: TypeId, id: TypeId) -> String {
        let innermost = self.name(self.without_arrays(element));
        let mut dims = String::new();
        let mut ty = id;
        while let Type::Array { element, length } = *self.get(ty) {
            match length {
                ArrayLength::Fixed(n) => dims.push_str(&format!("[{n}]")),
                ArrayLength::Unsized | ArrayLength::Runtime => dims.push_str("[]"),
            }
            ty = element;
        }
        innermost + &dims
    }
}

fn sampler_name(s: &SamplerType) -> String {
    opaque_name("sampler", s.result, s.dim, s.array, s.shadow)
}

fn opaque_name(kind: &str, result: Scalar, dim: Dim, array: bool, shadow: bool) -> String {
    let dim = match dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "Cube",
        Dim::Rect => "2DRect",
        Dim::Buffer => "Buffer",
        Dim::D2Ms => "2DMS",
        Dim::External => "ExternalOES",
        Dim::Subpass => "Subpass",
    };
    let array = if array { "Array" } else { "" };
    let shadow = if shadow { "Shadow" } else { "" };
    format!("{}{kind}{dim}{array}{shadow}", result.vector_prefix())
}
