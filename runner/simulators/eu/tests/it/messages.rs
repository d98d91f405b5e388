//! Messages: descriptors and payloads in, typed requests out.

mod direct;
mod scratch;
mod two_vertices;

use crate::common::{COUNT, device, set_floats};
use eu_simulator::host::{
    AtomicOp, Host, HostError, Param, RenderKind, RenderRead, RenderState, RenderWrite, Reply,
    SamplerOp, SamplerRequest, Surface, Texels, UrbWrite,
};
use eu_simulator::{Kernel, Reason, SimError, Thread};
use intel_isa::{Inst, Operand, Sfid, build};
use std::collections::BTreeMap;

/// Remembers everything and answers from simple tables.
#[derive(Default)]
struct Recorder {
    urb: BTreeMap<(u16, u32), u32>,
    state: RenderState,
    pixels: Vec<RenderWrite>,
    samples: Vec<SamplerRequest>,
    memory: BTreeMap<(Surface, u32), u8>,
    /// The start of scratch space, if it is plain.
    scratch: Option<Vec<u8>>,
    /// Offsets of reads.
    reads: Vec<u32>,
    global: BTreeMap<u64, u8>,
    texels: BTreeMap<[u32; 4], [u32; 4]>,
}

impl Recorder {
    /// The dword at a 64-bit address.
    fn global_dword(&mut self, address: u64) -> u32 {
        let mut bytes = [0; 4];
        self.global_read(address, &mut bytes).unwrap();
        u32::from_le_bytes(bytes)
    }

    fn dword(&mut self, surface: Surface, offset: u32) -> u32 {
        let mut bytes = [0; 4];
        self.read(surface, offset, &mut bytes).unwrap();
        u32::from_le_bytes(bytes)
    }
}

impl Host for Recorder {
    fn urb_write(&mut self, write: &UrbWrite) -> Reply<()> {
        for (index, &dword) in
            write.data.iter().enumerate().filter(|(index, _)| write.mask >> index & 1 != 0)
        {
            self.urb.insert((write.handle, write.offset * 4 + index as u32), dword);
        }
        Ok(())
    }
    fn urb_read(&mut self, handle: u16, offset: u32, data: &mut [u32]) -> Reply<()> {
        (handle != 0xdead).then_some(()).ok_or_else(|| HostError("no entry".into()))?;
        for (index, dword) in data.iter_mut().enumerate() {
            *dword = u32::from(handle) << 16 | (offset * 4 + index as u32);
        }
        Ok(())
    }
    fn render_state(&self) -> RenderState {
        self.state
    }
    fn render_read(&mut self, read: &RenderRead) -> Reply<Texels> {
        let start = 1000 * u32::from(read.target) + u32::from(read.first_slot);
        Ok(std::array::from_fn(|c| std::array::from_fn(|i| start + (100 * c + i) as u32)))
    }
    fn render_write(&mut self, write: &RenderWrite) -> Reply<()> {
        self.pixels.push(write.clone());
        Ok(())
    }
    fn sample(&mut self, request: &SamplerRequest) -> Reply<Texels> {
        self.samples.push(request.clone());
        Ok(std::array::from_fn(|component| {
            std::array::from_fn(|channel| (component * 100 + channel) as u32)
        }))
    }
    fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        self.reads.push(offset);
        for (index, byte) in data.iter_mut().enumerate() {
            let at = offset + index as u32;
            *byte = self.memory.get(&(surface, at)).copied().unwrap_or(at as u8);
        }
        Ok(())
    }
    fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        for (index, &byte) in data.iter().enumerate() {
            self.memory.insert((surface, offset + index as u32), byte);
        }
        Ok(())
    }
    fn scratch(&mut self) -> Option<&mut [u8]> {
        self.scratch.as_deref_mut()
    }
    fn atomic(
        &mut self,
        surface: Surface,
        offset: u32,
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Reply<u32> {
        let old = self.dword(surface, offset);
        match op {
            AtomicOp::Add => Ok(offset + operands[0]),
            AtomicOp::Mov => self.write(surface, offset, &operands[0].to_le_bytes()).map(|()| old),
            AtomicOp::CmpWr if old == operands[0] => {
                self.write(surface, offset, &operands[1].to_le_bytes()).map(|()| old)
            }
            AtomicOp::CmpWr => Ok(old),
            _ => Err(HostError("no".into())),
        }
    }
    fn global_read(&mut self, address: u64, data: &mut [u8]) -> Reply<()> {
        for (at, byte) in (address..).zip(data) {
            *byte = self.global.get(&at).copied().unwrap_or(at as u8);
        }
        Ok(())
    }
    fn global_write(&mut self, address: u64, data: &[u8]) -> Reply<()> {
        self.global.extend((address..).zip(data.iter().copied()));
        Ok(())
    }
    fn typed_read(&mut self, _: u8, coordinates: [u32; 4]) -> Reply<[u32; 4]> {
        Ok(self.texels.get(&coordinates).copied().unwrap_or(coordinates))
    }
    fn typed_write(&mut self, _: u8, coordinates: [u32; 4], texel: [u32; 4]) -> Reply<()> {
        self.texels.insert(coordinates, texel);
        Ok(())
    }
    fn typed_atomic(
        &mut self,
        _: u8,
        coordinates: [u32; 4],
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Reply<u32> {
        let [old, ..] = self.typed_read(0, coordinates)?;
        if op == AtomicOp::Mov {
            self.texels.insert(coordinates, [operands[0], 0, 0, 0]);
        }
        Ok(old)
    }
}

/// Message length, response length, header; function control in the low bits.
fn desc(mlen: u32, rlen: u32, header: bool, control: u32) -> u32 {
    mlen << 25 | rlen << 20 | u32::from(header) << 19 | control
}

fn send(
    name: &str,
    host: &mut Recorder,
    message: Inst,
    setup: impl FnOnce(&mut Thread),
) -> Result<Thread, SimError> {
    let device = device(name);
    let end =
        build::send(Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25).no_mask().eot();
    let bytes = intel_isa::encode_program(device, &[message, end]).unwrap();
    let mut thread = Thread::new(device, 9);
    thread.set_dispatch_mask(0xffff);
    setup(&mut thread);
    Kernel::decode(device, &bytes).unwrap().run(&mut thread, host, 10)?;
    Ok(thread)
}

fn message(sfid: Sfid, dst: Operand, payload: u8, bits: u32) -> Inst {
    build::send(sfid, dst, build::grf(payload), bits)
}

#[test]
fn gen7_interleaved_urb_write() {
    let mut host = Recorder::default();
    // Hword write, interleaved, global offset 1 (32 bytes): header, position, color.
    let inst = message(Sfid::Urb, build::null(), 2, desc(3, 0, true, 1 << 3 | 1 << 14));
    send("ivb", &mut host, inst, |thread| {
        thread.set_register(2, &[5, 6, 0, 0, 0, 0xff00, 0, 0]);
        thread.set_register(3, &COUNT);
        thread.set_register(4, &COUNT.map(|x| x + 10));
    })
    .unwrap();
    let entry = |handle| {
        host.urb.range((handle, 0)..(handle, 100)).map(|(at, &x)| (at.1, x)).collect::<Vec<_>>()
    };
    assert_eq!(
        entry(5),
        [(8, 0), (9, 1), (10, 2), (11, 3), (12, 10), (13, 11), (14, 12), (15, 13)]
    );
    assert_eq!(
        entry(6),
        [(8, 4), (9, 5), (10, 6), (11, 7), (12, 14), (13, 15), (14, 16), (15, 17)]
    );
}

#[test]
fn gen7_urb_read_of_a_slot_that_is_off() {
    let mut host = Recorder::default();
    let inst = message(Sfid::Urb, build::grf(9), 2, desc(1, 1, true, 3 | 1 << 14));
    let mut read = |mask| {
        send("ivb", &mut host, inst, |thread| {
            thread.set_register(2, &[5, 0xdead, 0, 0, 0, 0xff00, 0, 0]);
            thread.set_dispatch_mask(mask);
        })
    };
    assert_eq!(read(0x0f).unwrap().register(9)[..2], [0x5_0000, 0x5_0001]);
    assert!(read(0xff).is_err());
}

#[test]
fn gen7_urb_oword_write_obeys_slot_offsets_and_masks() {
    let mut host = Recorder::default();
    let inst =
        message(Sfid::Urb, build::null(), 2, desc(2, 0, true, 1 | 2 << 3 | 1 << 14 | 1 << 16));
    send("hsw", &mut host, inst, |thread| {
        thread.set_register(2, &[5, 6, 0, 1, 3, 0x3100, 0, 0]);
        thread.set_register(3, &COUNT);
    })
    .unwrap();
    assert_eq!(
        host.urb.into_iter().collect::<Vec<_>>(),
        [((5, 12), 0), ((6, 20), 4), ((6, 21), 5)]
    );
}

#[test]
fn gen7_urb_reads() {
    let mut host = Recorder::default();
    let inst = message(Sfid::Urb, build::grf(10), 2, desc(1, 1, true, 3 | 4 << 3 | 1 << 14));
    let header = |thread: &mut Thread| thread.set_register(2, &[5, 6, 0, 0, 0, 0xff00, 0, 0]);
    let thread = send("ivb", &mut host, inst, header).unwrap();
    assert_eq!(thread.register(10)[3..6], [0x5_0013, 0x6_0010, 0x6_0011]);
    let inst = message(Sfid::Urb, build::grf(10), 2, desc(1, 2, true, 2 | 4 << 3));
    let thread = send("ivb", &mut host, inst, header).unwrap();
    assert_eq!(
        (thread.register(10)[0], thread.register(11)[7]),
        (0x5_0020, 0x5_002f),
        "hwords count 32 bytes"
    );
}

#[test]
fn gen8_simd8_urb_messages() {
    let mut host = Recorder::default();
    // Handles, slot offsets, masks, three components.
    let inst =
        message(Sfid::Urb, build::null(), 2, desc(6, 0, true, 7 | 2 << 4 | 1 << 15 | 1 << 17));
    send("bdw", &mut host, inst, |thread| {
        thread.set_dispatch_mask(0x05);
        thread.set_register(2, &COUNT.map(|x| x + 40));
        thread.set_register(3, &COUNT);
        thread.set_register(4, &[0x5 << 16; 8]);
        for nr in 5..8 {
            thread.set_register(nr, &COUNT.map(|x| x + nr as u32 * 10));
        }
    })
    .unwrap();
    let written: Vec<_> = host.urb.iter().map(|(&at, &x)| (at, x)).collect();
    assert_eq!(written, [((40, 8), 50), ((40, 10), 70), ((42, 16), 52), ((42, 18), 72)]);
    let inst = message(Sfid::Urb, build::grf(10), 2, desc(1, 2, true, 8 | 3 << 4));
    let thread = send("skl", &mut host, inst, |thread| {
        thread.set_dispatch_mask(0x82);
        thread.set_register(2, &COUNT);
        thread.set_register(10, &[0; 8]);
    })
    .unwrap();
    assert_eq!(thread.register(10), [0, 0x1_000c, 0, 0, 0, 0, 0, 0x7_000c]);
    assert_eq!(thread.register(11)[7], 0x7_000d);
}

#[test]
fn simd8_and_simd16_render_target_writes() {
    let mut host = Recorder::default();
    let fill = |thread: &mut Thread| {
        thread.set_dispatch_mask(0x0ff3);
        for nr in 0..12 {
            thread.set_register(2 + nr, &COUNT.map(|x| x + nr as u32 * 100));
        }
    };
    let control = 12 << 14 | 1 << 12;
    let inst =
        message(Sfid::RenderCache, build::null(), 2, desc(4, 0, false, control | 4 << 8 | 3));
    send("ivb", &mut host, inst, fill).unwrap();
    let write = host.pixels.pop().unwrap();
    assert_eq!(
        (write.kind, write.target, write.last, write.count),
        (RenderKind::Simd8, 3, true, 8)
    );
    assert_eq!((write.mask, write.color[2][7]), (0xf3, 207));
    let inst = message(Sfid::RenderCache, build::null(), 2, desc(8, 0, false, control)).exec(16);
    send("ivb", &mut host, inst, fill).unwrap();
    let write = host.pixels.pop().unwrap();
    assert_eq!((write.kind, write.mask, write.color[1][8]), (RenderKind::Simd16, 0x0ff3, 300));
    // With depth by state, and a predicate that ivb ignores and hsw does not.
    host.state.depth = true;
    for (name, mask) in [("ivb", 0xf3), ("hsw", 0x03)] {
        let inst =
            message(Sfid::RenderCache, build::null(), 2, desc(5, 0, false, control | 4 << 8))
                .pred(0, 1, false);
        send(name, &mut host, inst, |thread| {
            fill(thread);
            thread.regs.flags[0] = 0x000f_0000;
        })
        .unwrap();
        let write = host.pixels.pop().unwrap();
        assert_eq!((write.mask, write.depth.unwrap()[1]), (mask, 401), "{name}");
    }
}

#[test]
fn headers_carry_the_pixel_mask_and_optional_parts() {
    let mut host = Recorder {
        state: RenderState { omask: true, ..RenderState::default() },
        ..Recorder::default()
    };
    let inst = message(Sfid::RenderCache, build::null(), 2, desc(8, 0, true, 12 << 14 | 4 << 8));
    send("ivb", &mut host, inst, |thread| {
        thread.set_register(2, &[1 << 11, 0, 0, 0, 0, 0, 0, 0]);
        thread.set_register(3, &[0, 0, 0, 0, 0, 0, 0, 0xff_0035]);
        thread.set_register(4, &[77; 8]);
        thread.set_register(5, &[0x0002_0001; 8]);
        set_floats(thread, 6, [0.5; 8]);
    })
    .unwrap();
    let write = host.pixels.pop().unwrap();
    assert_eq!(
        (write.mask, write.source0_alpha.unwrap()[0], write.color[0][0]),
        (0x35, 77, 0.5f32.to_bits())
    );
    assert_eq!(write.omask.unwrap()[..2], [1, 2]);
    // Without the alpha seven registers fit; eight or six contradict the state.
    for (length, fits) in [(6, false), (7, true), (8, false)] {
        let inst =
            message(Sfid::RenderCache, build::null(), 2, desc(length, 0, true, 12 << 14 | 4 << 8));
        let result =
            send("ivb", &mut host, inst, |thread| thread.set_register(2, &[0; 8])).map(|_| ());
        match result {
            Ok(()) => assert!(fits),
            Err(error) => assert!(!fits && matches!(error.reason, Reason::Message(_)), "{error}"),
        }
    }
}

#[test]
fn dual_source_writes() {
    let mut host = Recorder::default();
    let inst = message(Sfid::RenderCache, build::null(), 2, desc(10, 0, true, 12 << 14 | 3 << 8));
    send("hsw", &mut host, inst, |thread| {
        thread.set_register(2, &[0; 8]);
        thread.set_register(3, &[0, 0, 0, 0, 0, 0, 0, 0xa5ff]);
        thread.set_register(4, &[1; 8]);
        thread.set_register(8, &[2; 8]);
    })
    .unwrap();
    let write = host.pixels.pop().unwrap();
    assert_eq!(
        (write.first_slot, write.mask, write.color[0][0], write.color1.unwrap()[0][0]),
        (8, 0xa5, 1, 2)
    );
}

#[test]
fn sampler_messages() {
    let mut host = Recorder::default();
    // LD SIMD8: u, lod, v on gen7, u, v, lod on gen9.
    let inst = message(Sfid::Sampler, build::grf(10), 2, desc(3, 4, false, 7 << 12 | 1 << 17 | 9));
    for (name, lod) in [("ivb", 3), ("skl", 4)] {
        let thread = send(name, &mut host, inst, |thread| {
            thread.set_dispatch_mask(0x81);
            thread.set_register(10, &[55; 8]);
            for nr in 2..5 {
                thread.set_register(nr, &COUNT.map(|x| x + nr as u32 * 100));
            }
        })
        .unwrap();
        let request = host.samples.pop().unwrap();
        assert_eq!(
            (request.op, request.surface, request.mask, request.count),
            (SamplerOp::Load, 9, 0x81, 8)
        );
        assert_eq!(request.param(Param::Lod).unwrap()[7], lod * 100 + 7, "{name}");
        assert_eq!(thread.register(10), [0, 55, 55, 55, 55, 55, 55, 7]);
        assert_eq!(thread.register(13)[7], 307);
    }
    // SIMD16 sample with a header that drops green and alpha.
    let inst =
        message(Sfid::Sampler, build::grf(20), 2, desc(5, 4, true, 2 << 17 | 3 << 8)).exec(16);
    let thread = send("ivb", &mut host, inst, |thread| {
        thread.set_register(2, &[0, 0, 0xa000, 0, 0, 0, 0, 0])
    })
    .unwrap();
    let request = host.samples.pop().unwrap();
    assert_eq!((request.count, request.sampler, request.params.len()), (16, 3, 2));
    assert_eq!((thread.register(21)[7], thread.register(22)[0]), (15, 200));
    // SIMD4x2 LD, one register for two vertices.
    let inst = message(Sfid::Sampler, build::grf(20), 2, desc(1, 1, false, 7 << 12)).align16();
    let thread = send("ivb", &mut host, inst, |thread| thread.set_register(2, &COUNT)).unwrap();
    let request = host.samples.pop().unwrap();
    assert!(request.simd4x2);
    assert_eq!(request.param(Param::U).unwrap()[..2], [0, 4]);
    assert_eq!(thread.register(20), [0, 100, 200, 300, 1, 101, 201, 301]);
}

/// Words of 8 channels fill the lower half of a register for each component, those of 16 one.
#[test]
fn sampler_messages_return_words() {
    let mut host = Recorder::default();
    let ld = |length, simd: u32| desc(length, 4, false, 1 << 30 | 7 << 12 | simd << 17);
    let eight = message(Sfid::Sampler, build::grf(10), 2, ld(3, 1));
    let thread = send("skl", &mut host, eight, |thread| {
        thread.set_dispatch_mask(0x86);
        thread.set_register(10, &[0x7777_7777; 8]);
    })
    .unwrap();
    assert!(host.samples.pop().unwrap().has_half_return);
    let old = 0x7777_7777;
    assert_eq!(
        thread.register(10),
        [0x0001_7777, 0x7777_0002, old, 0x0007_7777, old, old, old, old]
    );
    assert_eq!(thread.register(13)[0] >> 16, 301);
    let sixteen = message(Sfid::Sampler, build::grf(20), 2, ld(6, 2)).exec(16);
    let thread = send("skl", &mut host, sixteen, |_| {}).unwrap();
    assert_eq!((thread.register(20)[7], thread.register(21)[0]), (15 << 16 | 14, 101 << 16 | 100));
}

#[test]
fn constant_and_scratch_blocks() {
    let mut host = Recorder::default();
    // Four owords at oword 3 through the constant cache.
    let inst =
        message(Sfid::ConstantCache, build::grf(10), 2, desc(1, 2, true, 3 << 8 | 1)).exec(8);
    let thread =
        send("ivb", &mut host, inst, |thread| thread.set_register(2, &[0, 0, 3, 0, 0, 0, 0, 0]))
            .unwrap();
    assert_eq!((thread.register(10)[0], thread.register(11)[7]), (0x3332_3130, 0x6f6e_6d6c));
    // Scratch block: two registers out, two back.
    let write = message(
        Sfid::DataCache,
        build::null(),
        2,
        desc(3, 0, true, 1 << 18 | 1 << 17 | 1 << 12 | 5),
    );
    send("ivb", &mut host, write, |thread| {
        thread.set_register(3, &COUNT);
        thread.set_register(4, &COUNT.map(|x| x + 50));
    })
    .unwrap();
    assert_eq!(host.memory[&(Surface::Scratch, 5 * 32 + 4)], 1);
    let read = message(Sfid::DataCache, build::grf(10), 2, desc(1, 2, true, 1 << 18 | 1 << 12 | 5));
    let thread = send("ivb", &mut host, read, |_| {}).unwrap();
    assert_eq!((thread.register(10), thread.register(11)[1]), (COUNT, 51));
    // Dual block: offsets in owords in dwords 0 and 4.
    let read = message(Sfid::DataCache, build::grf(10), 2, desc(2, 1, true, 2 << 14 | 255));
    let thread = send("hsw", &mut host, read, |thread| {
        thread.set_register(2, &[0; 8]);
        thread.set_register(3, &[20, 0, 0, 0, 21, 0, 0, 0]);
    })
    .unwrap();
    assert_eq!(
        thread.register(10),
        [
            0x4342_4140,
            0x4746_4544,
            0x4b4a_4948,
            0x4f4e_4d4c,
            0x5352_5150,
            0x5756_5554,
            0x5b5a_5958,
            0x5f5e_5d5c
        ]
    );
}

/// Threads of one vertex leave the offset of the second undefined.
#[test]
fn dual_blocks_read_nothing_for_a_half_that_is_off() {
    let read = message(Sfid::DataCache, build::grf(10), 2, desc(2, 1, true, 2 << 14 | 255));
    for (mask, offsets) in [(0x0f, vec![32]), (0xff, vec![32, 144])] {
        let mut host = Recorder::default();
        send("ivb", &mut host, read, |thread| {
            thread.set_dispatch_mask(mask);
            thread.set_register(2, &[0; 8]);
            thread.set_register(3, &[2, 0, 0, 0, 9, 0, 0, 0]);
        })
        .unwrap();
        assert_eq!(host.reads, offsets);
    }
}

/// Spilling code writes parts of vectors: the writemask of the destination selects components.
#[test]
fn writemasks_select_what_a_dual_block_writes() {
    let mut host = Recorder::default();
    let destination = build::grf(0).masked(0b0010);
    let write = message(Sfid::DataCache, destination, 2, desc(3, 0, true, 10 << 14 | 255));
    send("hsw", &mut host, write.align16(), |thread| {
        thread.set_register(2, &[0; 8]);
        thread.set_register(3, &[1, 0, 0, 0, 2, 0, 0, 0]);
        thread.set_register(4, &COUNT);
    })
    .unwrap();
    let offsets: Vec<u32> = host.memory.keys().map(|(_, offset)| *offset).collect();
    assert_eq!(offsets, [20, 21, 22, 23, 36, 37, 38, 39]);
    assert_eq!((host.dword(Surface::Scratch, 20), host.dword(Surface::Scratch, 36)), (1, 5));
}

/// Spilling code writes the registers of the enabled channels.
#[test]
fn channels_select_what_a_block_writes() {
    let mut host = Recorder::default();
    let write =
        message(Sfid::DataCache, build::null(), 2, desc(2, 0, true, 8 << 14 | 2 << 8 | 255));
    send("skl", &mut host, write, |thread| {
        thread.set_register(2, &[0; 8]);
        thread.set_register(3, &COUNT);
        thread.set_dispatch_mask(0b1000_0001);
    })
    .unwrap();
    let offsets: Vec<u32> = host.memory.keys().map(|(_, offset)| *offset).collect();
    assert_eq!(offsets, [0, 1, 2, 3, 28, 29, 30, 31]);
}

#[test]
fn render_target_reads() {
    let mut host = Recorder::default();
    let read = |control: u32, rlen| {
        message(Sfid::RenderCache, build::grf(10), 2, desc(2, rlen, true, 13 << 14 | control | 3))
    };
    // Eight pixels of target 3: a register for each component.
    let thread = send("skl", &mut host, read(1 << 8, 4), |_| {}).unwrap();
    assert_eq!(thread.register(10), COUNT.map(|x| x + 3000));
    assert_eq!(thread.register(13), COUNT.map(|x| x + 3300));
    // Sixteen pixels, the upper half of thirty-two.
    let thread = send("skl", &mut host, read(1 << 11, 8).exec(16), |_| {}).unwrap();
    assert_eq!(thread.register(11), COUNT.map(|x| x + 3024));
    assert_eq!(thread.register(17), COUNT.map(|x| x + 3324));
}

#[test]
fn untyped_surface_messages() {
    let mut host = Recorder::default();
    // Two components, SIMD8; ivb in the data cache, hsw in port 1.
    for (name, sfid, read, write) in
        [("ivb", Sfid::DataCache, 5, 13), ("hsw", Sfid::DataCache1, 1, 9)]
    {
        let control = 0xc << 8 | 2 << 12;
        let inst = message(sfid, build::null(), 2, desc(3, 0, false, write << 14 | control | 7));
        let fill = |thread: &mut Thread| {
            thread.set_dispatch_mask(0x0f);
            thread.set_register(2, &COUNT.map(|x| x * 8));
            thread.set_register(3, &COUNT.map(|x| x + 1));
            thread.set_register(4, &COUNT.map(|x| x + 11));
        };
        send(name, &mut host, inst, fill).unwrap();
        let inst = message(sfid, build::grf(10), 2, desc(1, 2, false, read << 14 | control | 7));
        let thread = send(name, &mut host, inst, fill).unwrap();
        assert_eq!((thread.register(10)[3], thread.register(11)[3]), (4, 14), "{name}");
        assert!(
            !host.memory.contains_key(&(Surface::Bti(7), 32)),
            "{name}: disabled channels write nothing"
        );
    }
    let inst = message(
        Sfid::DataCache1,
        build::grf(10),
        2,
        desc(2, 1, false, 2 << 14 | 7 << 8 | 1 << 12 | 1 << 13),
    );
    let thread = send("skl", &mut host, inst, |thread| {
        thread.set_register(2, &COUNT.map(|x| x * 4));
        thread.set_register(3, &[1000; 8]);
    })
    .unwrap();
    assert_eq!(thread.register(10)[5], 1020);
}

#[test]
fn byte_scattered_messages() {
    let mut host = Recorder::default();
    let inst =
        message(Sfid::DataCache, build::null(), 2, desc(2, 0, false, 12 << 14 | 1 << 10 | 6));
    send("hsw", &mut host, inst, |thread| {
        thread.set_dispatch_mask(0x3);
        thread.set_register(2, &COUNT.map(|x| x * 3));
        thread.set_register(3, &[0xaabb_ccdd; 8]);
    })
    .unwrap();
    let written: Vec<_> = host.memory.iter().map(|(at, &byte)| (at.1, byte)).collect();
    assert_eq!(written, [(0, 0xdd), (1, 0xcc), (3, 0xdd), (4, 0xcc)]);
}

#[test]
fn refusals_and_nonsense_are_errors() {
    let mut host = Recorder::default();
    let sub =
        message(Sfid::DataCache1, build::grf(10), 2, desc(2, 1, false, 2 << 14 | 1 << 12 | 8 << 8));
    let error = send("hsw", &mut host, sub, |_| {}).map(|_| ()).unwrap_err();
    assert!(matches!(error.reason, Reason::Host(_)), "{error}");
    let short = message(Sfid::Urb, build::null(), 2, desc(0, 0, true, 1));
    assert!(matches!(
        send("ivb", &mut host, short, |_| {}).map(|_| ()).unwrap_err().reason,
        Reason::Message(_)
    ));
    let past = message(Sfid::Urb, build::null(), 127, desc(3, 0, true, 1));
    assert!(matches!(
        send("ivb", &mut host, past, |_| {}).map(|_| ()).unwrap_err().reason,
        Reason::Message(_)
    ));
    let unknown = message(Sfid::Vme, build::null(), 2, desc(1, 0, true, 1));
    assert!(matches!(
        send("ivb", &mut host, unknown, |_| {}).map(|_| ()).unwrap_err().reason,
        Reason::NotModeled(_)
    ));
}

#[test]
fn gen8_r127() {
    let mut host = Recorder::default();
    let inst = message(Sfid::ConstantCache, build::grf(126), 126, desc(1, 2, true, 3 << 8));
    let set = |thread: &mut Thread| thread.set_register(126, &[0; 8]);
    let good = [0x0302_0100, 0x0706_0504];
    assert_eq!(send("skl", &mut host, inst, set).unwrap().register(126)[..2], good);
    assert_ne!(send("bdw", &mut host, inst, set).unwrap().register(126)[..2], good);
}

/// Qwords from 0x1_0000_0000 on in steps of `step`, channels 4–7 in the second register.
fn set_addresses(thread: &mut Thread, nr: usize, step: u32) {
    for half in 0..2 {
        thread.set_register(
            nr + half,
            &COUNT.map(|lane| if lane % 2 == 0 { (lane / 2 + half as u32 * 4) * step } else { 1 }),
        );
    }
}

const HIGH: u64 = 1 << 32;

#[test]
fn reads_and_writes_at_64bit_addresses() {
    let mut host = Recorder::default();
    // Red and blue of eight channels.
    let inst = message(
        Sfid::DataCache1,
        build::grf(10),
        2,
        desc(2, 2, false, 0x11 << 14 | 2 << 12 | 0xa << 8),
    );
    let thread = send("bdw", &mut host, inst, |thread| {
        thread.set_dispatch_mask(0x41);
        set_addresses(thread, 2, 16);
        thread.set_register(10, &[7; 8]);
    })
    .unwrap();
    assert_eq!(thread.register(10), [0x0302_0100, 7, 7, 7, 7, 7, 0x6362_6160, 7]);
    assert_eq!(thread.register(11)[6], 0x6b6a_6968, "blue is two dwords on");
    let inst = message(
        Sfid::DataCache1,
        build::null(),
        2,
        desc(4, 0, false, 0x19 << 14 | 2 << 12 | 0xc << 8),
    );
    send("skl", &mut host, inst, |thread| {
        thread.set_dispatch_mask(0x20);
        set_addresses(thread, 2, 16);
        thread.set_register(4, &COUNT);
        thread.set_register(5, &COUNT.map(|x| x + 100));
    })
    .unwrap();
    assert_eq!(
        (host.global_dword(HIGH + 80), host.global_dword(HIGH + 84), host.global.len()),
        (5, 105, 8)
    );
    // Scattered bytes, then two neighboring qwords per channel.
    let inst =
        message(Sfid::DataCache1, build::grf(10), 2, desc(2, 1, false, 0x10 << 14 | 1 << 10));
    let thread = send("bdw", &mut host, inst, |thread| set_addresses(thread, 2, 3)).unwrap();
    assert_eq!(thread.register(10)[..3], [0x0100, 0x0403, 0x0706], "two bytes each");
    let inst = message(
        Sfid::DataCache1,
        build::grf(10),
        2,
        desc(2, 4, false, 0x10 << 14 | 2 << 8 | 1 << 10),
    );
    let thread = send("bdw", &mut host, inst, |thread| {
        thread.set_dispatch_mask(0x10);
        set_addresses(thread, 2, 32);
        thread.set_register(10, &[7; 8]);
    })
    .unwrap();
    assert_eq!(thread.register(10), [7; 8], "channels 0–3 are off");
    assert_eq!(thread.register(11)[..2], [0x8382_8180, 0x8786_8584]);
    assert_eq!(thread.register(13)[..2], [0x8b8a_8988, 0x8f8e_8d8c]);
    // A block's address is in its header.
    let inst = message(Sfid::DataCache1, build::grf(10), 2, desc(1, 1, true, 0x14 << 14 | 2 << 8));
    let thread =
        send("skl", &mut host, inst, |thread| thread.set_register(2, &[0x20, 1, 0, 0, 0, 0, 0, 0]))
            .unwrap();
    assert_eq!(thread.register(10)[7], 0x3f3e_3d3c);
    // A host without such memory says so.
    let kernel = intel_isa::encode_program(device("skl"), &[inst]).unwrap();
    let error = Kernel::decode(device("skl"), &kernel)
        .unwrap()
        .run(&mut Thread::new(device("skl"), 1), &mut eu_simulator::NoHost, 10)
        .unwrap_err();
    assert_eq!(
        error.reason,
        Reason::Host("the host does not serve reads at 64-bit addresses".into())
    );
}

#[test]
fn atomics_at_64bit_addresses() {
    let mut host = Recorder::default();
    host.global_write(HIGH, &u64::MAX.to_le_bytes()).unwrap();
    let first = |thread: &mut Thread| {
        thread.set_dispatch_mask(1);
        set_addresses(thread, 2, 8);
        thread.set_register(4, &[2, 0, 0, 0, 0, 0, 0, 0]);
    };
    // A qword addition carries into the upper dword.
    let add = 0x12 << 14 | 7 << 8;
    let inst =
        message(Sfid::DataCache1, build::grf(10), 2, desc(4, 2, false, add | 1 << 12 | 1 << 13));
    let thread = send("bdw", &mut host, inst, first).unwrap();
    assert_eq!(thread.register(10)[..2], [u32::MAX; 2], "the old value");
    assert_eq!((host.global_dword(HIGH), host.global_dword(HIGH + 4)), (1, 0));
    // A dword one does not; signed maximum.
    host.global_write(HIGH, &u64::MAX.to_le_bytes()).unwrap();
    send(
        "bdw",
        &mut host,
        message(Sfid::DataCache1, build::null(), 2, desc(3, 0, false, add)),
        first,
    )
    .unwrap();
    assert_eq!((host.global_dword(HIGH), host.global_dword(HIGH + 4)), (1, u32::MAX));
    host.global_write(HIGH, &(-5i32).to_le_bytes()).unwrap();
    let imax = message(Sfid::DataCache1, build::null(), 2, desc(3, 0, false, 0x12 << 14 | 10 << 8));
    send("skl", &mut host, imax, first).unwrap();
    assert_eq!(host.global_dword(HIGH), 2);
    // Float minimum.
    host.global_write(HIGH, &1.0f32.to_le_bytes()).unwrap();
    let fmin = message(Sfid::DataCache1, build::null(), 2, desc(3, 0, false, 0x1d << 14 | 2 << 8));
    for (operand, left) in [(2.0f32, 1.0f32), (-2.0, -2.0), (f32::NAN, -2.0)] {
        send("skl", &mut host, fmin, |thread| {
            first(thread);
            thread.set_register(4, &[operand.to_bits(); 8]);
        })
        .unwrap();
        assert_eq!(host.global_dword(HIGH), left.to_bits(), "{operand}");
    }
}

/// Operations that hosts do not have are done by reading and exchanging.
#[test]
fn float_atomics_and_reverse_subtraction() {
    let surface = Surface::Bti(1);
    let float = |op: u32| 0x1b << 14 | 1 << 12 | 1 << 13 | op << 8 | 1;
    let (one, two, nan) = (1.0f32.to_bits(), 2.0f32.to_bits(), f32::NAN.to_bits());
    let (zero, negative_zero) = (0, (-0.0f32).to_bits());
    for (control, operands, old, new) in [
        (float(1), [two, 0], one, two),
        (float(1), [one, 0], two, two),
        (float(1), [nan, 0], one, one),
        (float(1), [one, 0], nan, one),
        (float(2), [two, 0], one, one),
        (float(2), [one, 0], two, one),
        (float(3), [one, two], one, two),
        (float(3), [zero, two], negative_zero, two),
        (float(3), [nan, two], nan, nan),
        (2 << 14 | 1 << 12 | 1 << 13 | 9 << 8 | 1, [10, 0], 3, 7),
    ] {
        let mut host = Recorder::default();
        host.write(surface, 0x40, &old.to_le_bytes()).unwrap();
        let inst = message(Sfid::DataCache1, build::grf(10), 2, desc(3, 1, false, control));
        let thread = send("skl", &mut host, inst, |thread| {
            thread.set_dispatch_mask(1);
            thread.set_register(2, &[0x40; 8]);
            thread.set_register(3, &[operands[0]; 8]);
            thread.set_register(4, &[operands[1]; 8]);
        })
        .unwrap();
        assert_eq!(
            (thread.register(10)[0], host.dword(surface, 0x40)),
            (old, new),
            "{control:#x} {operands:x?}"
        );
    }
}
