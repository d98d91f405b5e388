//! Random bytes: errors are fine, panics are not. Each form of a kernel gives the same error.

use eu_simulator::host::{
    Host, RenderState, RenderWrite, Reply, SamplerRequest, Surface, Texels, UrbWrite,
};
use eu_simulator::{Kernel, Outcome, SimError, Thread};
use intel_isa::DevInfo;
use rand_pcg::{Pcg64Mcg, rand_core::RngCore};

/// Serves everything with zeros.
struct Obliging;

impl Host for Obliging {
    fn urb_write(&mut self, _: &UrbWrite) -> Reply<()> {
        Ok(())
    }
    fn urb_read(&mut self, _: u16, _: u32, data: &mut [u32]) -> Reply<()> {
        data.fill(0);
        Ok(())
    }
    fn render_state(&self) -> RenderState {
        RenderState { omask: true, depth: true, stencil: true }
    }
    fn render_write(&mut self, _: &RenderWrite) -> Reply<()> {
        Ok(())
    }
    fn sample(&mut self, _: &SamplerRequest) -> Reply<Texels> {
        Ok([[0; 16]; 4])
    }
    fn read(&mut self, _: Surface, _: u32, data: &mut [u8]) -> Reply<()> {
        data.fill(0);
        Ok(())
    }
    fn write(&mut self, _: Surface, _: u32, _: &[u8]) -> Reply<()> {
        Ok(())
    }
}

/// Decodes `bytes` one instruction at a time and runs what decodes.
fn attack(device: &'static DevInfo, bytes: &[u8], thread: &mut Thread) -> bool {
    let Ok(kernel) = Kernel::decode(device, bytes) else { return false };
    run(&kernel, thread, 64).ok();
    true
}

/// Runs the kernel, and its other forms, which have to do the same. The result is an error more
/// often than not; what matters is that there is one.
fn run(kernel: &Kernel, thread: &mut Thread, budget: u64) -> Result<Outcome, SimError> {
    let before = thread.clone();
    let result = kernel.run(thread, &mut Obliging, budget);
    for (name, other) in
        [("hot", kernel.clone().hot_after(0)), ("generic", kernel.clone().generic())]
    {
        let mut again = before.clone();
        let outcome = other.run(&mut again, &mut Obliging, budget);
        let listing = || {
            let text = |inst| intel_isa::print_inst(kernel.devinfo(), inst);
            kernel.instructions().map(text).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(outcome, result, "{name}:\n{}", listing());
        assert!(again.regs == thread.regs, "{name} registers:\n{}", listing());
        assert_eq!(again.steps(), thread.steps(), "{name}");
    }
    result
}

#[test]
fn random_words_never_panic() {
    let mut rng = Pcg64Mcg::new(0xbad);
    for device in DevInfo::all() {
        let mut thread = Thread::new(device, 1);
        let mut ran = 0;
        for round in 0..30_000u64 {
            let mut bytes = [0; 16];
            rng.fill_bytes(&mut bytes);
            // Most random opcodes do not exist: choose one, and let half of the words be full-size.
            let opcodes = intel_isa::Opcode::ALL;
            let opcode = opcodes[(rng.next_u64() % opcodes.len() as u64) as usize];
            bytes[0] = opcode.info().code | bytes[0] & 0x80;
            if round % 2 == 0 {
                bytes[3] &= !0x20;
            }
            thread.reset(round);
            thread.set_dispatch_mask(rng.next_u64() as u32);
            ran += u32::from(attack(device, &bytes, &mut thread));
        }
        assert!(ran > 1000, "{}: only {ran} words decoded", device.name);
    }
}

#[test]
fn damaged_programs_never_panic() {
    let text = "mov(8) g10<1>UD 0UD { align1 1Q };
                add(8) g10<1>UD g10<8,8,1>UD 1UD { align1 1Q };
                cmp.l.f0.0(8) null<1>UD g10<8,8,1>UD g2<8,8,1>UD { align1 1Q switch };
                mad(8) g12<1>F g2<4,4,1>F g3<4,4,1>F g4<4,4,1>F { align16 1Q };
                mov(8) g14<1>DF g6<4>.xyxyDF { align16 1Q };
                math pow(8) g16<1>F g12<8,8,1>F g3<8,8,1>F { align1 1Q };";
    let mut rng = Pcg64Mcg::new(5);
    for device in DevInfo::all() {
        let mut insts = intel_isa::assemble_insts(device, text).unwrap();
        let unit = 16 / i32::from(device.jump_unit_bytes);
        insts.push(
            intel_isa::build::inst(intel_isa::Opcode::While).jumps(-5 * unit, 0).pred(0, 0, false),
        );
        insts.push(
            intel_isa::build::send(
                intel_isa::Sfid::Urb,
                intel_isa::build::null(),
                intel_isa::build::grf(2),
                3 << 25 | 1 << 19 | 1 << 14,
            )
            .eot(),
        );
        let good = intel_isa::encode_program(device, &insts).unwrap();
        let mut thread = Thread::new(device, 1);
        for round in 0..10_000 {
            let mut bytes = good.clone();
            for _ in 0..1 + rng.next_u64() % 3 {
                let bit = (rng.next_u64() % (bytes.len() as u64 * 8)) as usize;
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            if round % 10 == 0 {
                bytes.truncate((rng.next_u64() % bytes.len() as u64) as usize);
            }
            thread.reset(round);
            thread.set_dispatch_mask(0xff);
            attack(device, &bytes, &mut thread);
        }
    }
}

/// One random instruction of `device`, as it decodes.
fn random_instruction(device: &'static DevInfo, rng: &mut Pcg64Mcg) -> intel_isa::Inst {
    loop {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        bytes[0] = intel_isa::Opcode::ALL
            [(rng.next_u64() % intel_isa::Opcode::ALL.len() as u64) as usize]
            .info()
            .code;
        bytes[3] &= !0x20;
        if let Ok((inst, _)) = intel_isa::decode(device, &bytes) {
            return inst;
        }
    }
}

/// Whole programs whose branches lead to random instructions of theirs: loops without end, blocks
/// entered in the middle.
#[test]
fn random_programs_stop_at_the_limit() {
    const LENGTH: i32 = 24;
    const LIMIT: u64 = 500;
    let mut rng = Pcg64Mcg::new(11);
    for device in DevInfo::all() {
        let unit = 16 / i32::from(device.jump_unit_bytes);
        let (mut limited, mut refused) = (0, 0);
        for round in 0..1_500 {
            let mut insts = Vec::new();
            for here in 0..LENGTH {
                let mut inst = random_instruction(device, &mut rng);
                let mut distance = || ((rng.next_u64() % LENGTH as u64) as i32 - here) * unit;
                if matches!(inst.opcode.form(), intel_isa::Form::Branch | intel_isa::Form::Call) {
                    (inst.jip, inst.uip) = (distance(), distance());
                }
                // Sends mostly contradict themselves, which ends a run early.
                if inst.send.is_some() && round % 4 != 0 {
                    inst = intel_isa::build::inst(intel_isa::Opcode::While).jumps(distance(), 0);
                }
                insts.push(inst);
            }
            let Ok(kernel) = Kernel::from_insts(device, insts) else { continue };
            let mut thread = Thread::new(device, round);
            thread.set_dispatch_mask(rng.next_u64() as u32);
            match run(&kernel, &mut thread, LIMIT) {
                Err(error) if error.is_timeout() => limited += 1,
                Err(_) => refused += 1,
                Ok(_) => {}
            }
            assert!(thread.steps() <= LIMIT);
        }
        assert!(
            limited > 20 && refused > 50,
            "{}: {limited} limited, {refused} refused",
            device.name
        );
    }
}
