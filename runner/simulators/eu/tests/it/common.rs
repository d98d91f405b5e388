//! Running assembly text on a device.

use eu_simulator::{Host, Kernel, NoHost, Outcome, SimError, Thread};
use intel_isa::{DevInfo, Sfid, build};

/// The device called `name`.
pub(crate) fn device(name: &str) -> &'static DevInfo {
    DevInfo::get(name).unwrap()
}

/// Assembles `text`, appends an end-of-thread message, and sends the instructions through their
/// bytes.
pub(crate) fn kernel(device: &'static DevInfo, text: &str) -> Kernel {
    let mut insts = intel_isa::assemble_insts(device, text)
        .unwrap_or_else(|error| panic!("{error}\n{}", error.text));
    insts.push(
        build::send(Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25)
            .exec(8)
            .no_mask()
            .eot(),
    );
    let bytes = intel_isa::encode_program(device, &insts).unwrap();
    Kernel::decode(device, &bytes).unwrap()
}

/// Runs `text` on `name` after `setup`.
pub(crate) fn run_with(
    name: &str,
    text: &str,
    host: &mut dyn Host,
    setup: impl FnOnce(&mut Thread),
) -> Result<Thread, SimError> {
    let device = device(name);
    let mut thread = Thread::new(device, 0x5eed);
    setup(&mut thread);
    let outcome = kernel(device, text).run(&mut thread, host, 10_000)?;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    Ok(thread)
}

/// Runs `text` on `name`; it must succeed.
pub(crate) fn run(name: &str, text: &str, setup: impl FnOnce(&mut Thread)) -> Thread {
    run_with(name, text, &mut NoHost, setup).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Register `nr` as floats.
pub(crate) fn floats(thread: &Thread, nr: usize) -> [f32; 8] {
    thread.register(nr).map(f32::from_bits)
}

/// Registers `nr` and following as doubles.
pub(crate) fn doubles<const N: usize>(thread: &Thread, nr: usize) -> [f64; N] {
    std::array::from_fn(|index| f64::from_bits(thread.regs.read(nr * 32 + index * 8, 8)))
}

/// Sets registers from `nr` on to doubles.
pub(crate) fn set_doubles(thread: &mut Thread, nr: usize, values: &[f64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    thread.set_bytes(nr * 32, &bytes);
}

/// Sets register `nr` to floats.
pub(crate) fn set_floats(thread: &mut Thread, nr: usize, values: [f32; 8]) {
    thread.set_register(nr, &values.map(f32::to_bits));
}

/// Eight dwords 0, 1, … 7.
pub(crate) const COUNT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
