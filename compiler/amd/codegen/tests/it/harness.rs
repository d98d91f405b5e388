//! Runs a fragment shader on both: flat inputs var0 to var3 go in, frag_color0 to 7 come out.

use amd_codegen::output::Interface;
use amd_codegen::{CodegenOptions, Output, StageKey, compile};
use amd_isa::Chip;
use gcn_simulator::{Export, Host, Memory, Outcome, Program, Wave};
use ir::eval::{EvalOptions, Io, Space, TestServices, run};
use ir::passes;
use ir::{Shader, Slot};
use std::collections::BTreeMap;

pub(crate) const LANES: usize = 64;
/// Address of the descriptor table, and distance of the buffers after it.
const TABLE: u64 = 0x1_0000;
const BUFFER: u64 = 0x10_0000;
/// Address of scratch memory.
const SCRATCH: u64 = 0x4000_0000;

/// Dwords of the inputs: lane, slot, component.
pub(crate) type Inputs = Vec<[[u32; 4]; 4]>;
/// Dwords written: lane, color, component.
pub(crate) type Colors = BTreeMap<(usize, u8, u8), u32>;

/// Lowers what the back end does not take.
pub(crate) fn lower(shader: &mut Shader) {
    passes::opt_promote_locals(shader);
    passes::lower_pack(shader);
    passes::lower_bitfield(shader);
    passes::lower_float_ops(shader);
    passes::lower_int64(shader, false);
    passes::lower_doubles(shader);
    passes::lower_vectors_to_scalar(shader);
    for _ in 0..4 {
        passes::opt_copy_propagation(shader);
        passes::opt_dce(shader);
    }
    ir::validate(shader).expect("a valid shader");
}

pub(crate) fn compiled(shader: &Shader, chip: Chip) -> Output {
    let (key, options) = (StageKey::default(), CodegenOptions::default());
    compile(shader, &key, chip, &options).unwrap_or_else(|e| panic!("{chip}: {e}\n{shader}"))
}

/// The assembly text of a program.
pub(crate) fn text(output: &Output) -> String {
    let program = amd_isa::decode_program(output.chip, &output.words).expect("a program");
    amd_isa::print_program(output.chip, &program)
}

struct TestHost<'a> {
    inputs: &'a Inputs,
    slots: Vec<u8>,
    memory: BTreeMap<u64, Vec<u8>>,
    exports: Vec<Export>,
}

impl TestHost<'_> {
    fn at(&mut self, address: u64, count: usize) -> Option<&mut [u8]> {
        let (start, bytes) = self.memory.range_mut(..=address).next_back()?;
        let offset = (address - start) as usize;
        bytes.get_mut(offset..offset + count)
    }
}

impl Memory for TestHost<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        match self.at(address, bytes.len()) {
            Some(from) => {
                bytes.copy_from_slice(from);
                true
            }
            None => false,
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        match self.at(address, bytes.len()) {
            Some(to) => {
                to.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }
}

impl Host for TestHost<'_> {
    fn memory(&mut self) -> &mut dyn Memory {
        self
    }

    fn export(&mut self, export: Export) {
        self.exports.push(export);
    }

    fn parameter(&mut self, attribute: u8, channel: u8, lane: usize) -> Option<[u32; 3]> {
        let slot = *self.slots.get(usize::from(attribute))?;
        Some([self.inputs[lane][usize::from(slot)][usize::from(channel)], 0, 0])
    }
}

/// Writes a descriptor into the table.
fn set_words(table: &mut [u8], offset: u32, words: [u32; 4]) {
    for (word, value) in words.iter().enumerate() {
        let at = offset as usize + 4 * word;
        table[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}

/// Executes the program on `lanes`; registers hold garbage where the hardware leaves it.
pub(crate) fn on_wave(
    output: &Output,
    inputs: &Inputs,
    memory: &[(Space, Vec<u8>)],
    lanes: usize,
) -> (Colors, Vec<Vec<u8>>) {
    let Interface::Fragment(interface) = &output.interface else { panic!("no fragment shader") };
    let slot = |slot: Slot| if let Slot::Var(n) = slot { n } else { 0 };
    let mut host = TestHost {
        inputs,
        slots: interface.inputs.iter().map(|input| slot(input.slot)).collect(),
        memory: BTreeMap::new(),
        exports: Vec::new(),
    };
    let mut table = vec![0u8; 16 * output.descriptors.len()];
    for descriptor in &output.descriptors {
        use amd_codegen::output::Resource;
        let space = match descriptor.resource {
            Resource::UniformBlock(n) => Space::Ubo(n),
            Resource::StorageBlock(n) => Space::Ssbo(n),
            Resource::Scratch => {
                host.memory.insert(SCRATCH, vec![0xa5; output.scratch_bytes as usize * LANES]);
                // The lane's number is added to the index; vi has bits of the stride for the
                // format, and counts bytes instead of records.
                let lanes = LANES as u32;
                let (format, records) = match output.chip {
                    Chip::Si => (0x27fac, lanes),
                    Chip::Vi => (0x7fac, lanes * output.scratch_bytes),
                };
                let stride = output.scratch_bytes << 16;
                let words = [SCRATCH as u32, stride, records, format | 1 << 23];
                set_words(&mut table, descriptor.offset, words);
                continue;
            }
            other => panic!("{other:?}"),
        };
        let Some(index) = memory.iter().position(|(s, _)| *s == space) else { continue };
        let address = BUFFER * (index as u64 + 1);
        host.memory.insert(address, memory[index].1.clone());
        let words = [address as u32, (address >> 32) as u32, memory[index].1.len() as u32, 0x27fac];
        set_words(&mut table, descriptor.offset, words);
    }
    host.memory.insert(TABLE, table.clone());
    let mut wave = Wave::new();
    for register in 0..104 {
        wave.scalar[register] = 0xdead_0000 | register as u32;
    }
    for (register, lanes) in wave.vector.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = 0x7fb0_0000 | (register as u32) << 8 | lane as u32;
        }
    }
    for data in &output.user_data {
        if data.value == amd_codegen::output::UserValue::Table {
            wave.scalar[usize::from(data.register)] = TABLE as u32;
            wave.scalar[usize::from(data.register) + 1] = 0;
        }
        if let amd_codegen::output::UserValue::Descriptor(resource) = data.value {
            let entry = output.descriptors.iter().find(|d| d.resource == resource);
            let at = entry.expect("an entry").offset as usize;
            for word in 0..4 {
                let bytes = table[at + 4 * word..][..4].try_into().expect("four bytes");
                wave.scalar[usize::from(data.register) + word] = u32::from_le_bytes(bytes);
            }
        }
    }
    let exec = if lanes == 64 { u64::MAX } else { (1 << lanes) - 1 };
    wave.set_pair(amd_isa::Scalar::EXEC, exec);
    let program = Program::new(output.chip, &output.words).expect("a program");
    let outcome = wave.run(&program, &mut host, 1_000_000);
    assert_eq!(outcome, Ok(Outcome::Done), "{}", text(output));
    let mut colors = Colors::new();
    for export in &host.exports {
        for (channel, values) in export.channels.iter().enumerate() {
            let Some(values) = values else { continue };
            for (lane, value) in
                values.iter().enumerate().filter(|(l, _)| export.exec >> l & 1 != 0)
            {
                colors.insert((lane, export.target, channel as u8), *value);
            }
        }
    }
    let after = (0..memory.len()).map(|index| {
        host.memory.get(&(BUFFER * (index as u64 + 1))).cloned().unwrap_or(memory[index].1.clone())
    });
    (colors, after.collect())
}

/// Evaluates the shader.
pub(crate) fn on_evaluator(
    shader: &Shader,
    inputs: &Inputs,
    memory: &[(Space, Vec<u8>)],
    lanes: usize,
) -> (Colors, Vec<Vec<u8>>) {
    let mut services = TestServices::default();
    for (lane, slots) in inputs.iter().enumerate().take(lanes) {
        for (slot, values) in slots.iter().enumerate() {
            services.set_input(lane, Slot::Var(slot as u8), values);
        }
    }
    services.memory.extend(memory.iter().cloned());
    let outcome = run(shader, lanes, &mut services, EvalOptions::default());
    let outcome = outcome.unwrap_or_else(|e| panic!("{e}\n{shader}"));
    let mut colors = Colors::new();
    for ((lane, Io { slot, component, .. }), value) in &services.outputs {
        let Slot::FragColor { location, .. } = slot else { continue };
        if !outcome.discarded[*lane] {
            colors.insert((*lane, *location, *component), *value);
        }
    }
    let after = memory.iter().map(|(space, _)| services.memory[space].clone()).collect();
    (colors, after)
}

/// Numbers that depend on a seed.
pub(crate) struct Rng(pub u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Bits of a number of any kind, often at an edge.
    pub(crate) fn dword(&mut self) -> u32 {
        let edges = [
            0,
            1,
            2,
            31,
            32,
            0x8000_0000,
            0x7fff_ffff,
            0xffff_ffff,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x0000_0010,
            0x8000_0123,
            0x4b00_0001,
            0x3f00_0000,
            0x4020_0000,
            0xc020_0000,
        ];
        match self.below(4) {
            0 => self.pick(&edges),
            1 => ((self.next() as f64 / u64::MAX as f64 * 200.0 - 100.0) as f32).to_bits(),
            2 => self.below(64) as u32,
            _ => self.next() as u32,
        }
    }

    pub(crate) fn inputs(&mut self) -> Inputs {
        (0..LANES).map(|_| [[(); 4]; 4].map(|slot| slot.map(|()| self.dword()))).collect()
    }
}
