//! Runs a vertex shader on the simulator as the metadata say, and on the IR's evaluator.

use eu_simulator::host::{
    Host, Param, Reply, SamplerOp, SamplerRequest, Surface, Texels, UrbWrite,
};
use eu_simulator::{Kernel, Thread};
use intel_codegen::output::{Interface, Output, Surface as Bound, Varying, VertexInput};
use intel_codegen::{Backend, CodegenOptions, StageKey};
use intel_isa::DevInfo;
use ir::eval::{EvalOptions, Io, Space, TestServices};
use ir::{Builder, Fields, IntrinsicOp, Shader, Slot, Stage, Value};
use std::collections::BTreeMap;

/// Generations with a vec4 back end; on bdw it must be asked for.
pub(crate) const GENS: [&str; 3] = ["ivb", "hsw", "bdw"];

/// A vertex shader with a uniform block of 512 bytes.
pub(crate) fn build(f: impl FnOnce(&mut Builder<'_>)) -> Shader {
    let mut shader = Shader::new(Stage::Vertex);
    shader.info.float_controls.flush_f32 = true;
    shader.info.ubos = 1;
    shader.info.default_block_size = 512;
    let mut b = Builder::new(&mut shader);
    b.exact = true;
    f(&mut b);
    b.finish();
    ir::validate(&shader).unwrap_or_else(|e| panic!("{e}\n{shader}"));
    shader
}

pub(crate) fn uniform(b: &mut Builder<'_>, offset: u32, bits: u8, components: u8) -> Value {
    let (block, offset) = (b.imm(0), b.imm(offset));
    b.load(IntrinsicOp::LoadUbo, &[block, offset], Fields::default(), bits, components)
}

pub(crate) fn attribute(b: &mut Builder<'_>, slot: u8, components: u8) -> Value {
    b.load_input(Slot::Attribute(slot), 0, components)
}

/// A double vector from two attributes.
pub(crate) fn wide_attribute(b: &mut Builder<'_>, slot: u8) -> Value {
    let raw = attribute(b, slot, 4);
    let second = attribute(b, slot + 1, 4);
    let mut parts = Vec::new();
    for value in [raw, second] {
        for pair in 0..2 {
            let (low, high) = (b.channel(value, 2 * pair), b.channel(value, 2 * pair + 1));
            parts.push(b.pack_64_2x32_split(low, high));
        }
    }
    b.vec(&parts)
}

/// Stores a value, or the low and high halves of a double vector to two slots.
pub(crate) fn output(b: &mut Builder<'_>, slot: u8, value: Value) {
    if b.shader.bits(value) == 64 {
        let (low, high) = (b.unpack_64_2x32_split_x(value), b.unpack_64_2x32_split_y(value));
        b.store_output(Slot::Var(slot), 0, low);
        b.store_output(Slot::Var(slot + 1), 0, high);
    } else {
        b.store_output(Slot::Var(slot), 0, value);
    }
}

/// A small generator (splitmix64), the same everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(17))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Integers small and large, floats moderate and special.
    pub(crate) fn dword(&mut self) -> u32 {
        match self.below(6) {
            0 => self.below(40) as u32,
            1 => (self.below(40) as u32).wrapping_neg(),
            2 => (self.below(2000) as f32 / 8.0 - 100.0).to_bits(),
            3 => 0x3f80_0000 + self.below(3) as u32,
            4 => [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1][self.below(6)],
            _ => self.next() as u32,
        }
    }
}

/// Attributes of two vertices and the contents of uniform block 0.
pub(crate) struct Data {
    attributes: [[[u32; 4]; 6]; 2],
    uniforms: Vec<u8>,
}

impl Data {
    /// Anything.
    pub(crate) fn new(seed: u64) -> Data {
        let mut rng = Rng::new(seed ^ 0x55);
        let attributes = [(); 2].map(|()| [(); 6].map(|()| [(); 4].map(|()| rng.dword())));
        let uniforms = (0..128).flat_map(|_| rng.dword().to_le_bytes()).collect();
        Data { attributes, uniforms }
    }

    /// Doubles of moderate size where doubles are read, integers otherwise; vertices differ in
    /// parity.
    pub(crate) fn moderate(seed: u64) -> Data {
        let mut rng = Rng::new(seed ^ 0xaa);
        let mut data = Data::new(seed);
        for (vertex, slots) in data.attributes.iter_mut().enumerate() {
            for (index, slot) in slots.iter_mut().enumerate() {
                for pair in slot.chunks_exact_mut(2) {
                    let bits = (rng.below(100_000) as f64 / 7.0 - 5000.0).to_bits();
                    pair[0] = bits as u32;
                    pair[1] = (bits >> 32) as u32;
                }
                if index == 4 {
                    *slot = [(); 4].map(|()| (rng.next() as u32 >> 8) & !1 | vertex as u32);
                }
                if index == 5 {
                    *slot = [(); 4].map(|()| (rng.below(90_000) as f32 / 3.0).to_bits());
                }
            }
        }
        for chunk in data.uniforms.chunks_exact_mut(8) {
            chunk.copy_from_slice(&(rng.below(1000) as f64 / 3.0).to_le_bytes());
        }
        data
    }
}

/// Outputs by vertex, slot and component.
type Outputs = BTreeMap<(usize, Varying, u8), u32>;

struct Machine<'a> {
    compiled: &'a Output,
    uniforms: &'a [u8],
    scratch: Vec<u8>,
    urb: [BTreeMap<u32, u32>; 2],
}

impl Machine<'_> {
    fn block(&self, bti: u8) -> Option<&[u8]> {
        match self.compiled.bindings.get(usize::from(bti)) {
            Some(Bound::UniformBlock(0)) => Some(self.uniforms),
            _ => None,
        }
    }
}

fn byte(memory: &[u8], offset: u32) -> u8 {
    memory.get(offset as usize).copied().unwrap_or(0)
}

impl Host for Machine<'_> {
    fn urb_write(&mut self, write: &UrbWrite) -> Reply<()> {
        for (i, &dword) in write.data.iter().enumerate() {
            if write.mask >> i & 1 != 0 {
                self.urb[usize::from(write.handle) - 7].insert(write.offset * 4 + i as u32, dword);
            }
        }
        Ok(())
    }

    fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        let memory = match surface {
            Surface::Scratch => &self.scratch[..],
            Surface::Constant(bti) => self.block(bti).expect("a uniform block"),
            other => panic!("read of {other:?}"),
        };
        for (i, to) in data.iter_mut().enumerate() {
            *to = byte(memory, offset + i as u32);
        }
        Ok(())
    }

    fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        assert_eq!(surface, Surface::Scratch);
        for (i, &from) in data.iter().enumerate() {
            let at = offset as usize + i;
            assert!(at < self.scratch.len(), "scratch write at {at}");
            self.scratch[at] = from;
        }
        Ok(())
    }

    fn sample(&mut self, request: &SamplerRequest) -> Reply<Texels> {
        assert_eq!(request.op, SamplerOp::Load);
        let offsets = request.param(Param::U).expect("an offset");
        let memory = self.block(request.surface).expect("a uniform block");
        let mut texels = [[0; 16]; 4];
        for (component, plane) in texels.iter_mut().enumerate() {
            for (value, offset) in plane.iter_mut().zip(offsets) {
                let at = offset.wrapping_add(4 * component as u32);
                *value = u32::from_le_bytes([0, 1, 2, 3].map(|i| byte(memory, at.wrapping_add(i))));
            }
        }
        Ok(texels)
    }
}

fn dwords(bytes: &[u8], start: usize) -> [u32; 8] {
    std::array::from_fn(|i| {
        u32::from_le_bytes([0, 1, 2, 3].map(|b| byte(bytes, (start + 4 * i + b) as u32)))
    })
}

/// Compiles for `gen_name` with the vec4 back end: the metadata, or why not.
pub(crate) fn compile(
    shader: &Shader,
    gen_name: &str,
    options: &CodegenOptions,
) -> Result<Output, String> {
    let devinfo = DevInfo::get(gen_name).expect("a device");
    let options = CodegenOptions { backend: Some(Backend::Vec4), ..options.clone() };
    intel_codegen::compile(shader, &StageKey::default(), devinfo, &options)
        .map_err(|e| e.to_string())
}

/// The code as text, for messages.
pub(crate) fn listing(compiled: &Output, gen_name: &str) -> String {
    let devinfo = DevInfo::get(gen_name).expect("a device");
    match intel_isa::decode_program(devinfo, &compiled.kernels[0].code) {
        Ok(program) => intel_isa::print_program(devinfo, &program),
        Err(e) => e.to_string(),
    }
}

fn simulate(compiled: &Output, gen_name: &str, data: &Data) -> Result<Outputs, String> {
    let devinfo = DevInfo::get(gen_name).expect("a device");
    let kernel = &compiled.kernels[0];
    let violations = intel_isa::validate::validate_program(devinfo, &kernel.code);
    if let Some(first) = violations.first() {
        return Err(format!("validator: {first:?}"));
    }
    let decoded = Kernel::decode(devinfo, &kernel.code).map_err(|e| e.to_string())?;
    let mut thread = Thread::new(devinfo, 99);
    thread.set_dispatch_mask(0xff);
    thread.set_dword(0, 0, 7);
    thread.set_dword(0, 1, 8);
    let mut register = kernel.dispatch_grf_start as usize;
    for range in &compiled.push {
        assert_eq!(range.block, 0);
        for unit in range.start..range.start + range.length {
            thread.set_register(register, &dwords(&data.uniforms, unit as usize * 32));
            register += 1;
        }
    }
    let Interface::Vertex(interface) = &compiled.interface else {
        return Err("not a vertex shader".into());
    };
    for input in &interface.inputs {
        let halves = match input {
            VertexInput::Attribute { location } => {
                [0, 1].map(|v: usize| data.attributes[v][*location as usize])
            }
            _ => [[0; 4]; 2],
        };
        let mut row = [0; 8];
        row[..4].copy_from_slice(&halves[0]);
        row[4..].copy_from_slice(&halves[1]);
        thread.set_register(register, &row);
        register += 1;
    }
    let mut machine = Machine {
        compiled,
        uniforms: &data.uniforms,
        scratch: vec![0xcd; kernel.scratch_bytes as usize],
        urb: Default::default(),
    };
    decoded.run(&mut thread, &mut machine, 100_000).map_err(|e| e.to_string())?;
    let mut outputs = Outputs::new();
    for (vertex, entry) in machine.urb.iter().enumerate() {
        for (&dword, &value) in entry {
            if let Some(&varying) = interface.outputs.slots.get(dword as usize / 4) {
                outputs.insert((vertex, varying, (dword % 4) as u8), value);
            }
        }
    }
    Ok(outputs)
}

fn evaluate(shader: &Shader, data: &Data) -> Outputs {
    let mut services = TestServices::default();
    for (vertex, slots) in data.attributes.iter().enumerate() {
        for (slot, values) in slots.iter().enumerate() {
            services.set_input(vertex, Slot::Attribute(slot as u8), values);
        }
    }
    services.memory.insert(Space::Ubo(0), data.uniforms.clone());
    let result = ir::eval::run(shader, 2, &mut services, EvalOptions::default());
    result.unwrap_or_else(|e| panic!("{e}\n{shader}"));
    let mut outputs = Outputs::new();
    for (&(vertex, Io { slot, offset, component, .. }), &value) in &services.outputs {
        let varying = match slot.advance(offset as u8) {
            Some(Slot::Position) => Varying::Position,
            Some(Slot::Var(n)) => Varying::Generic(n.into()),
            other => panic!("output {other:?}"),
        };
        outputs.insert((vertex, varying, component), value);
    }
    outputs
}

/// Describes the differences between simulator and evaluator. NaN equals NaN, and zeros
/// of either sign are equal: the zero that a minimum by SEL returns is unspecified.
pub(crate) fn differences(
    shader: &Shader,
    gen_name: &str,
    options: &CodegenOptions,
    data: &Data,
) -> Vec<String> {
    let compiled = match compile(shader, gen_name, options) {
        Ok(compiled) => compiled,
        Err(e) => return vec![e],
    };
    let got = match simulate(&compiled, gen_name, data) {
        Ok(outputs) => outputs,
        Err(e) => return vec![e],
    };
    let want = evaluate(shader, data);
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    want.iter()
        .filter(|(key, want)| {
            let got = got.get(key).copied();
            let zeros = got.is_some_and(|g| (g | **want) & 0x7fff_ffff == 0);
            got != Some(**want) && !zeros && !(nan(**want) && got.is_some_and(nan))
        })
        .map(|(key, want)| format!("{key:?}: {want:#010x} expected, {:#010x?} found", got.get(key)))
        .collect()
}

/// Fails with the shader and its code if simulator and evaluator differ.
pub(crate) fn agree(shader: &Shader, gen_name: &str, options: &CodegenOptions, data: &Data) {
    let found = differences(shader, gen_name, options, data);
    if found.is_empty() {
        return;
    }
    let code = compile(shader, gen_name, options).map_or_else(|e| e, |c| listing(&c, gen_name));
    panic!("{gen_name}:\n{}\n{shader}\n{code}", found.join("\n"));
}
