//! A geometry program on a wave: rings as GCN's documents describe them, and messages.

use amd_codegen::output::{GeometryInterface, Interface, Resource, UserValue};
use amd_codegen::{CodegenOptions, StageKey, compile};
use amd_isa::{Chip, HardwareStage};
use gcn_simulator::{Outcome, Program, Recorder, Wave};
use ir::info::Primitive;

const TABLE: u64 = 0x1000;
const INPUTS: u64 = 0x10_0000;
const OUTPUTS: u64 = 0x20_0000;
/// Dwords x, y, z, w of floats, as radeonsi's descriptors of constant buffers have them.
const FORMAT: u32 = 0x27fac;
const LANES: usize = 64;

/// Points in; two vertices with one dword each out: a dword of the input, and 7.
const SHADER: &str = "shader geometry
input var0 mask=15 smooth pixel stream=0
output var0 mask=1 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x1 v1 = const 0x7
  32x1 v2 = load_per_vertex_input v0, v0 slot=var0 component=1
  store_output v2, v0 slot=var0 component=0 mask=1 stream=0
  emit_vertex stream=0
  store_output v1, v0 slot=var0 component=0 mask=1 stream=0
  emit_vertex stream=0
  end_primitive stream=0
}
";

/// Address in the ring of outputs: groups of 16 lanes, whose dwords are side by side.
fn address(lane: usize, stride: usize, offset: usize) -> u64 {
    OUTPUTS + (4 * (lane % 16) + 16 * (lane / 16 * stride + offset)) as u64
}

#[test]
fn vertices_go_through_the_rings() {
    for chip in [Chip::Si, Chip::Vi] {
        let mut shader = ir::parse(SHADER).expect("a shader");
        shader.info.geometry.input = Primitive::Points;
        shader.info.geometry.max_vertices = 2;
        let output = compile(&shader, &StageKey::default(), chip, &CodegenOptions::default())
            .expect("a program");
        assert_eq!(output.stage, HardwareStage::Gs);
        let Interface::Geometry(interface) = &output.interface else { panic!("no geometry") };
        assert_eq!(interface.copy.stage, HardwareStage::Vs);
        let stride = 4 * interface.outputs[0].len() * 2;

        let mut wave = Wave::new();
        let lanes = 0x8000_0000_0001_0003u64;
        wave.set_pair(amd_isa::Scalar::EXEC, lanes);
        let mut table = vec![0u32; 4 * output.descriptors.len()];
        for descriptor in &output.descriptors {
            let words = match descriptor.resource {
                Resource::InputRing => [INPUTS as u32, 0, 0x1000, FORMAT],
                // SWIZZLE_ENABLE; ELEMENT_SIZE 4 bytes, INDEX_STRIDE 16, ADD_TID.
                _ => {
                    let format = if chip == Chip::Vi { FORMAT & 0x7fff } else { FORMAT };
                    let lane = 1 << 19 | 1 << 21 | 1 << 23;
                    let stride = (stride as u32) << 16 | 1 << 31;
                    [OUTPUTS as u32, stride, 64, format | lane]
                }
            };
            table[descriptor.offset as usize / 4..][..4].copy_from_slice(&words);
        }
        for data in &output.user_data {
            let first = usize::from(data.register);
            let entry = |resource| output.descriptors.iter().find(|d| d.resource == resource);
            match data.value {
                UserValue::Table => wave.scalar[first..][..2].copy_from_slice(&[TABLE as u32, 0]),
                UserValue::Descriptor(resource) => {
                    let at = entry(resource).expect("an entry").offset as usize / 4;
                    wave.scalar[first..][..4].copy_from_slice(&table[at..][..4]);
                }
                other => panic!("{other:?}"),
            }
        }
        wave.scalar[usize::from(interface.ring_offset)] = 64;
        wave.scalar[usize::from(interface.ring_offset) + 1] = 9;
        for lane in 0..LANES {
            wave.vector[usize::from(GeometryInterface::VERTICES[0])][lane] = lane as u32;
        }
        let mut host = Recorder::with_memory(TABLE, &table);
        let inputs = (0..0x400).flat_map(|n: u32| (1000 + n).to_le_bytes()).collect();
        host.memory.push((INPUTS, inputs));
        host.memory.push((OUTPUTS, vec![0; 0x1000]));
        let program = Program::new(chip, &output.words).expect("a program");
        assert_eq!(wave.run(&program, &mut host, 1000), Ok(Outcome::Done), "{chip}");

        // Two emissions, a cut, the end; all with the wave's number in M0.
        let bits: Vec<u32> = host.messages.iter().map(|message| message.bits).collect();
        assert_eq!(bits, [0x22, 0x22, 0x12, 0x03]);
        assert!(host.messages.iter().all(|message| message.m0 == 9 && message.exec == lanes));
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
            // Component 1 is in the second row of 64 dwords.
            let first = host.dword(64 + address(lane, stride, 0));
            assert_eq!(first, Some(1000 + 64 + lane as u32), "{chip} lane {lane}");
            assert_eq!(host.dword(64 + address(lane, stride, 4)), Some(7), "{chip} lane {lane}");
        }
        assert_eq!(host.dword(64 + address(5, stride, 0)), Some(0), "an inactive lane");
    }
}

/// The dwords of vertices after the fourth do not fit the constant offset of an access.
#[test]
fn far_rows_have_addresses() {
    let mut shader = ir::parse(SHADER).expect("a shader");
    shader.info.geometry.input = Primitive::TrianglesAdjacency;
    shader.info.geometry.max_vertices = 0x800;
    for chip in [Chip::Si, Chip::Vi] {
        let output = compile(&shader, &StageKey::default(), chip, &CodegenOptions::default())
            .expect("a program");
        let Interface::Geometry(interface) = &output.interface else { panic!("no geometry") };
        assert_eq!((interface.vertices_in, interface.max_vertices), (6, 0x800));
    }
}
