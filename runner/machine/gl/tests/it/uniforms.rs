//! Uniform and vertex-data writes against layouts worked out by hand from the specification.

use crate::support::{Mock, ProgramBuilder, capabilities};
use gl_machine::machine::draw::RectangleDraw;
use gl_machine::machine::uniforms::{UniformError, UniformValue};
use gl_machine::machine::{GlError, Machine, MachineError, MachineOptions};
use program::resource::{ActiveBlock, OpaqueSlot, OpaqueSlots, SlotSource, StageMask};
use program::types::MatrixOrder;
use program::variable::Packing;
use program::{Api, Scalar};
use raster::assemble::PrimitiveMode;
use raster::pipeline::draw_call::DrawCall;
use raster::pipeline::vertex_data::{
    ArrayType, AttributeClass, AttributeSlot, CurrentAttributes, FetchAttributes, VertexArray,
    VertexData, VertexFetch,
};
use raster::shader_io::{BufferRef, ShaderIo};
use std::cell::RefCell;
use std::rc::Rc;

/// Every type in one default block, std140 offsets by hand.
fn builder() -> ProgramBuilder {
    let mut b = ProgramBuilder::new();
    let types = &mut b.program.types;
    let float = types.scalar(Scalar::Float);
    let boolean = types.vector(Scalar::Bool, 2);
    let double = types.vector(Scalar::Double, 3);
    let mat = types.matrix(Scalar::Float, 2, 3);
    let dmat = types.matrix(Scalar::Double, 2, 3);
    let long = types.scalar(Scalar::Int64);
    b.uniform("f", float, None, 0, [0, 0, 0]);
    b.uniform("b", boolean, None, 1, [8, 0, 0]);
    b.uniform("d", double, None, 2, [32, 0, 0]);
    b.uniform("a", float, Some(3), 3, [64, 16, 0]);
    b.uniform("s[1].m", mat, Some(2), 6, [112, 32, 16]);
    b.uniform("dm", dmat, None, 8, [192, 0, 32]);
    b.uniform("i64", long, None, 9, [256, 0, 0]);
    b.program.default_block_size = 264;
    b
}

fn machine(builder: ProgramBuilder) -> Machine {
    let mut m = Machine::new(capabilities(Api::Core), MachineOptions::default());
    let id = m.create_program(builder.build(), Vec::new());
    m.use_program(Some(id));
    m
}

/// Returns the bytes that a shader reads of a buffer.
fn bytes(m: &mut Machine, buffer: BufferRef) -> Vec<u8> {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let copy = seen.clone();
    let mut device = Mock::new(
        move |_, io: &mut dyn ShaderIo| *copy.borrow_mut() = io.buffer(buffer).to_vec(),
        |_, _| {},
    );
    let call = DrawCall { mode: PrimitiveMode::Points, first: 0, count: 1, instances: 1 };
    m.draw_arrays(&call, &mut device).unwrap();
    seen.take()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn double_bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn values_land_where_the_layout_says() {
    let mut m = machine(builder());
    let matrix = |scalar, components: &[u64]| UniformValue {
        scalar,
        columns: 2,
        rows: 3,
        components: components.iter().copied().collect(),
    };
    let float_bits: Vec<u64> = (1..=6).map(|v| u64::from((v as f32).to_bits())).collect();
    m.set_uniform("f", &UniformValue::floats(&[7.5]), 0).unwrap();
    m.set_uniform("b", &UniformValue::vector(Scalar::Int, &[5, 0]), 0).unwrap();
    m.set_uniform("d", &UniformValue::vector(Scalar::Double, &double_bits(&[1.0, 2.0, 3.0])), 0)
        .unwrap();
    m.set_uniform("a[2]", &UniformValue::floats(&[9.0]), 0).unwrap();
    m.set_uniform("s[1].m[1]", &matrix(Scalar::Float, &float_bits), 0).unwrap();
    m.set_uniform("dm", &matrix(Scalar::Double, &double_bits(&[1., 2., 3., 4., 5., 6.])), 0)
        .unwrap();
    m.set_uniform("i64", &UniformValue::vector(Scalar::Int64, &[-2i64 as u64]), 0).unwrap();
    assert_eq!(m.take_error(), None);
    let block = bytes(&mut m, BufferRef::Default);
    assert_eq!(block.len(), 264);
    assert_eq!(floats(&block[0..4]), [7.5]);
    assert_eq!(block[8..16], [1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(block[32..56], [1.0f64, 2.0, 3.0].map(f64::to_le_bytes).concat());
    assert_eq!(floats(&block[64..100])[8], 9.0);
    assert_eq!(floats(&block[144..176]), [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0]);
    assert_eq!(block[192..216], [1.0f64, 2.0, 3.0].map(f64::to_le_bytes).concat());
    assert_eq!(block[224..248], [4.0f64, 5.0, 6.0].map(f64::to_le_bytes).concat());
    assert_eq!(block[256..264], (-2i64).to_le_bytes());
}

#[test]
fn locations_address_elements() {
    let mut m = machine(builder());
    m.set_uniform_location(4, &UniformValue::floats(&[2.0])).unwrap();
    assert_eq!(floats(&bytes(&mut m, BufferRef::Default)[80..84]), [2.0]);
    assert_eq!(m.take_error(), None);
    m.set_uniform_location(99, &UniformValue::floats(&[2.0])).unwrap();
    assert_eq!(m.take_error(), Some(GlError::InvalidOperation));
}

#[test]
fn wrong_types_and_names_are_errors() {
    let mut m = machine(builder());
    for value in [
        UniformValue::vector(Scalar::Int, &[1]),
        UniformValue::vector(Scalar::Double, &[1]),
        UniformValue::floats(&[1.0, 2.0]),
    ] {
        m.set_uniform("f", &value, 0).unwrap();
        assert_eq!(m.take_error(), Some(GlError::InvalidOperation));
    }
    assert_eq!(floats(&bytes(&mut m, BufferRef::Default)[0..4]), [0.0]);
    for name in ["g", "f[0]", "a[3]", "s[0].m", "a[", "[1]", "a[-1]", "a[99999999999]"] {
        let error = m.set_uniform(name, &UniformValue::floats(&[1.0]), 0).unwrap_err();
        assert_eq!(error, MachineError::Uniform(UniformError::NoLocation(name.into())));
    }
    m.use_program(None);
    assert_eq!(m.set_uniform("f", &UniformValue::floats(&[1.0]), 0), Err(MachineError::NoProgram));
}

#[test]
fn initial_values_are_kept() {
    let mut m = Machine::new(capabilities(Api::Core), MachineOptions::default());
    let id = m.create_program(builder().build(), 3.0f32.to_le_bytes().to_vec());
    m.use_program(Some(id));
    let block = bytes(&mut m, BufferRef::Default);
    assert_eq!((floats(&block[0..4])[0], block.len()), (3.0, 264));
}

#[test]
fn samplers_take_integers_only() {
    let mut b = builder();
    let sampler = b.program.types.intern(program::Type::Sampler(program::types::SamplerType {
        result: Scalar::Float,
        dim: program::types::Dim::D2,
        array: false,
        shadow: false,
    }));
    b.uniform("tex", sampler, Some(2), 20, [0, 0, 0]);
    let index = b.program.uniforms.len() as u32 - 1;
    b.program.uniforms[index as usize].opaque = Some(OpaqueSlots::Sampler(0));
    b.program.uniforms[index as usize].block = None;
    b.program.samplers = (0..2)
        .map(|element| OpaqueSlot { uniform: index, element, source: SlotSource::Unit(0) })
        .collect();
    let mut m = machine(b);
    m.set_uniform("tex[1]", &UniformValue::vector(Scalar::Int, &[3]), 0).unwrap();
    assert_eq!(m.take_error(), None);
    m.set_uniform("tex", &UniformValue::floats(&[3.0]), 0).unwrap();
    assert_eq!(m.take_error(), Some(GlError::InvalidOperation));
}

/// Returns a block array `B[2]` with a row-major matrix and an array member.
fn with_blocks() -> ProgramBuilder {
    let mut b = builder();
    let float = b.program.types.scalar(Scalar::Float);
    let mat = b.program.types.matrix(Scalar::Float, 2, 3);
    for (name, ty, array, layout) in [
        ("B.x", float, None, [4, 0, 0]),
        ("B.m", mat, None, [16, 0, 16]),
        ("B.a", float, Some(2), [64, 16, 0]),
    ] {
        b.uniform(name, ty, array, 0, layout);
        let uniform = b.program.uniforms.last_mut().expect("just added");
        uniform.location = None;
        uniform.block = Some(1);
        uniform.order = MatrixOrder::RowMajor;
    }
    b.program.uniform_blocks = ["B[0]", "B[1]"]
        .map(|name| ActiveBlock {
            name: name.into(),
            binding: 5,
            explicit_binding: true,
            size: 96,
            ty: float,
            packing: Packing::Std140,
            active_variables: 3,
            stages: StageMask::default(),
        })
        .to_vec();
    b
}

#[test]
fn block_members_go_to_their_buffers() {
    let mut m = machine(with_blocks());
    let matrix = UniformValue {
        scalar: Scalar::Float,
        columns: 2,
        rows: 3,
        components: (1..=6).map(|v| u64::from((v as f32).to_bits())).collect(),
    };
    m.set_uniform("B.x", &UniformValue::floats(&[1.5]), 0).unwrap();
    m.set_uniform("B.m", &matrix, 1).unwrap();
    m.set_uniform("B.a[1]", &UniformValue::floats(&[2.5]), 1).unwrap();
    // The default block is still reachable, array elements included.
    m.set_uniform("a[1]", &UniformValue::floats(&[4.5]), 1).unwrap();
    let (first, second) =
        (bytes(&mut m, BufferRef::Uniform(0)), bytes(&mut m, BufferRef::Uniform(1)));
    assert_eq!(floats(&first)[1], 1.5);
    // Row-major: three rows of two, 16 bytes apart.
    let second = floats(&second);
    assert_eq!(
        [second[4], second[5], second[8], second[9], second[12], second[13]],
        [1., 4., 2., 5., 3., 6.]
    );
    assert_eq!((second[20], second[16]), (2.5, 0.0));
    assert_eq!(floats(&bytes(&mut m, BufferRef::Default)[80..84]), [4.5]);
    let missing = m.set_uniform("nowhere", &matrix, 0).unwrap_err();
    assert_eq!(missing, MachineError::Uniform(UniformError::NoIndex("nowhere".into())));
    let past = m.set_uniform("B.a[2]", &matrix, 0).unwrap_err();
    assert_eq!(past, MachineError::Uniform(UniformError::NoLocation("B.a[2]".into())));
}

#[test]
fn block_writes_have_the_size_of_the_command() {
    let mut m = machine(with_blocks());
    m.set_uniform("B.x", &UniformValue::floats(&[1.0, 2.0, 3.0]), 0).unwrap();
    assert_eq!(floats(&bytes(&mut m, BufferRef::Uniform(0)))[..5], [0.0, 1.0, 2.0, 3.0, 0.0]);
    let huge = UniformValue::vector(Scalar::Double, &double_bits(&[1.0; 4]));
    m.set_uniform("B.a[1]", &huge, 0).unwrap();
    assert_eq!(bytes(&mut m, BufferRef::Uniform(0)).len(), 96);
}

fn fetch(b: &ProgramBuilder, data: &VertexData, slot: usize, vertex: u32) -> [u32; 4] {
    VertexFetch::new(&b.program, data, &CurrentAttributes::default()).slot(slot, vertex, 0)
}

#[test]
fn arrays_convert_by_class() {
    let mut b = ProgramBuilder::new();
    b.attribute("f", 0, Scalar::Float, 4);
    b.attribute("i", 1, Scalar::Int, 4);
    let array = |location, ty, components, class, offset| VertexArray {
        slot: AttributeSlot::Generic(location),
        ty,
        components,
        class,
        offset,
    };
    for (ty, raw, signed, number) in [
        (ArrayType::Byte, &[0xfeu8][..], -2i64, -2.0f64),
        (ArrayType::UnsignedByte, &[0xfe], 254, 254.0),
        (ArrayType::Short, &[0xfe, 0xff], -2, -2.0),
        (ArrayType::UnsignedShort, &[0xfe, 0xff], 65534, 65534.0),
        (ArrayType::Int, &[0xfe, 0xff, 0xff, 0xff], -2, -2.0),
        (ArrayType::UnsignedInt, &[0xfe, 0xff, 0xff, 0xff], 4294967294, 4294967294.0),
    ] {
        let data = VertexData {
            arrays: vec![
                array(0, ty, 1, AttributeClass::Float, 0),
                array(1, ty, 1, AttributeClass::Integer, 0),
            ],
            stride: raw.len(),
            rows: 1,
            bytes: raw.to_vec(),
        };
        assert_eq!(
            fetch(&b, &data, 0, 0),
            [(number as f32).to_bits(), 0, 0, 1.0f32.to_bits()],
            "{ty:?}"
        );
        assert_eq!(fetch(&b, &data, 1, 0), [signed as u32, 0, 0, 1], "{ty:?}");
    }
    let half = VertexData {
        arrays: vec![array(0, ArrayType::Half, 1, AttributeClass::Float, 0)],
        stride: 2,
        rows: 1,
        bytes: vec![0x00, 0xc0],
    };
    assert_eq!(f32::from_bits(fetch(&b, &half, 0, 0)[0]), -2.0);
}

#[test]
fn double_columns_take_two_slots() {
    let mut b = ProgramBuilder::new();
    let narrow = b.attribute("d2", 0, Scalar::Double, 2);
    let wide = b.attribute("d3", 1, Scalar::Double, 3);
    let values: Vec<f64> = (0..10).map(|v| f64::from(v) + 0.1).collect();
    let data = VertexData {
        arrays: vec![
            VertexArray {
                slot: AttributeSlot::Generic(0),
                ty: ArrayType::Double,
                components: 2,
                class: AttributeClass::Double,
                offset: 0,
            },
            VertexArray {
                slot: AttributeSlot::Generic(1),
                ty: ArrayType::Double,
                components: 3,
                class: AttributeClass::Double,
                offset: 16,
            },
        ],
        stride: 40,
        rows: 2,
        bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
    };
    let dwords = |pair: [f64; 2]| {
        let [a, b] = pair.map(f64::to_bits);
        [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
    };
    assert_eq!(fetch(&b, &data, narrow, 1), dwords([5.1, 6.1]));
    assert_eq!(fetch(&b, &data, wide, 1), dwords([7.1, 8.1]));
    // The missing fourth component is 1.
    assert_eq!(fetch(&b, &data, wide + 1, 1), dwords([9.1, 1.0]));
    // Past the end of the buffer there are defaults, not a crash.
    assert_eq!(fetch(&b, &data, narrow, 70), dwords([0.0, 0.0]));
}

#[test]
fn rectangles_feed_generic_or_fixed_function_attributes() {
    for (api, name, location, fed) in [
        (Api::Core, "position", 0, true),
        (Api::Es, "position", 0, true),
        (Api::Compatibility, "piglit_vertex", 0, true),
        // Attribute 0 is an alias of the position.
        (Api::Compatibility, "position", 0, true),
        (Api::Compatibility, "position", 2, false),
    ] {
        let mut b = ProgramBuilder::new();
        b.attribute(name, location, Scalar::Float, 4);
        let mut m = Machine::new(capabilities(api), MachineOptions::default());
        let id = m.create_program(b.build(), Vec::new());
        m.use_program(Some(id));
        let seen = Rc::new(RefCell::new(Vec::new()));
        let copy = seen.clone();
        let mut device = Mock::new(
            move |b, _| {
                let rows = (0..b.lanes)
                    .map(|lane| b.inputs.lane(lane).map(f32::from_bits).collect::<Vec<f32>>());
                copy.borrow_mut().extend(rows);
            },
            |_, _| {},
        );
        let draw = RectangleDraw { rectangle: [1.0, 2.0, 3.0, 4.0], ..RectangleDraw::default() };
        m.draw_rect(&draw, &mut device).unwrap();
        let expected: Vec<Vec<f32>> = if fed {
            [[1.0, 2.0], [4.0, 2.0], [1.0, 6.0], [4.0, 6.0]]
                .map(|p| vec![p[0], p[1], 0.0, 1.0])
                .to_vec()
        } else {
            // Four equal vertices are shaded once.
            vec![vec![0.0, 0.0, 0.0, 1.0]]
        };
        assert_eq!(*seen.borrow(), expected, "{api:?} {name}");
    }
}
