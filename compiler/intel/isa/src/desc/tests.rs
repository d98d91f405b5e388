use super::*;

fn device(name: &str) -> &'static DevInfo {
    DevInfo::get(name).expect("a known device")
}

/// Descriptors seen in compiled shaders, with what they ask for.
#[test]
fn known_descriptors() {
    let surface = 1;
    let sample = SamplerMessage {
        surface,
        sampler: 0,
        op: SamplerOp::Sample,
        simd: SamplerSimd::Simd16,
        half_return: false,
    };
    let urb = UrbMessage {
        op: UrbOp::WriteHword,
        offset: 0,
        interleave: true,
        per_slot_offset: false,
        complete: true,
        channel_mask: false,
    };
    let dual_write = DataPortMessage {
        port: Sfid::DataCache,
        surface: 255,
        op: DataOp::OwordDualBlockWrite { four: false },
    };
    let barrier = GatewayMessage { function: GatewayFn::Barrier, notify: 1 };
    let read_slots = UrbMessage {
        op: UrbOp::ReadOword,
        offset: 2,
        per_slot_offset: true,
        complete: false,
        ..urb
    };
    for (desc, message, lengths) in [
        (0x0608_c000, Message::Urb(urb), Lengths::new(3, 0).with_header()),
        (0x0219_4013, Message::Urb(read_slots), Lengths::new(1, 1).with_header()),
        (0x0c84_0001, Message::Sampler(sample), Lengths::new(6, 8)),
        (0x060a_80ff, Message::DataPort(dual_write), Lengths::new(3, 0).with_header()),
        (0x0200_8004, Message::Gateway(barrier), Lengths::new(1, 0)),
    ] {
        assert_eq!(encode(device("ivb"), &message, lengths), Ok(desc), "{message:?}");
        assert_eq!(decode(device("ivb"), sfid(&message), desc), Ok((message, lengths)));
    }
    let typed = DataPortMessage {
        port: Sfid::DataCache1,
        surface,
        op: DataOp::TypedWrite { slots: SlotGroup::Low, mask: 0 },
    };
    assert_eq!(
        encode(device("skl"), &Message::DataPort(typed), Lengths::new(2, 0)),
        Ok(0x0403_5001)
    );
    let global = DataPortMessage {
        port: Sfid::DataCache1,
        surface: 253,
        op: DataOp::A64Read { simd16: false, mask: 0 },
    };
    for name in ["bdw", "chv", "skl"] {
        let message = Message::DataPort(global);
        assert_eq!(encode(device(name), &message, Lengths::new(2, 4)), Ok(0x0444_60fd), "{name}");
        assert_eq!(
            decode(device(name), Sfid::DataCache1, 0x0444_60fd),
            Ok((message, Lengths::new(2, 4)))
        );
    }
    assert_eq!(
        describe(device("skl"), Sfid::DataCache1, 0x0444_60fd),
        "(DC A64 untyped surface read, Surface = 253, SIMD8, Mask = 0x0)"
    );
    // As a driver has it: two owords at an address that is a multiple of four.
    let block = DataPortMessage {
        op: DataOp::A64BlockRead { size: BlockSize::Two, aligned: false },
        ..global
    };
    assert_eq!(
        decode(device("skl"), Sfid::DataCache1, 0x021d_0afd).map(|(message, _)| message),
        Ok(Message::DataPort(block))
    );
    assert_eq!(
        describe(device("skl"), Sfid::DataCache1, 0x021d_0afd),
        "(DC A64 OWORD block read, Surface = 253, unaligned, owords = 2)"
    );
}

/// Video messages, and messages that share the codes of others.
#[test]
fn described_in_words() {
    for (name, sfid, desc, words) in [
        ("ivb", Sfid::DpSampler, 0x0239_0001, "(DC media block read, Surface = 1, lines = 0)"),
        ("hsw", Sfid::RenderCache, 0x120a_8018, "(DC media block write, Surface = 24, lines = 0)"),
        ("bdw", Sfid::DataCache1, 0x0289_0003, "(DC media block read, Surface = 3, lines = 0)"),
        ("ivb", Sfid::Vme, 0x0a68_2000, "(Surface = 0, type 1, tables 0x0 streams 0)"),
        ("skl", Sfid::RenderCache, 0x044b_4100, "RT read SIMD8 Surface = 0"),
        ("skl", Sfid::RenderCache, 0x0203_1100, "RT write SIMD16/RepData LastRT Surface = 0"),
        ("hsw", Sfid::Sampler, 0x0456_8000, "media 8 SIMD32/64 Surface = 0 Sampler = 0"),
    ] {
        assert_eq!(describe(device(name), sfid, desc), words);
    }
    assert_eq!(describe(device("ivb"), Sfid::Cre, 0x0e78_2000), "unknown");
}

/// Every descriptor that decodes encodes to itself.
#[test]
fn decoding_is_strict() {
    let mut bits = 0x1234_5678u32;
    for devinfo in DevInfo::all() {
        for &sfid in Sfid::ALL {
            let mut decoded = 0;
            for index in 0..20_000 {
                let mut next = || {
                    bits ^= bits << 13;
                    bits ^= bits >> 17;
                    bits ^= bits << 5;
                    bits
                };
                // Some receivers use few bits: every other descriptor has few.
                let sparse = if index % 2 == 0 { u32::MAX } else { next() & next() & next() };
                let desc = next() & sparse & 0x7fff_ffff;
                let _ = describe(devinfo, sfid, desc);
                if let Ok((message, lengths)) = decode(devinfo, sfid, desc) {
                    decoded += 1;
                    assert_eq!(super::sfid(&message), sfid);
                    assert_eq!(
                        encode(devinfo, &message, lengths),
                        Ok(desc),
                        "{} {message:?}",
                        devinfo.name
                    );
                }
            }
            let exists = match sfid {
                Sfid::Null => false,
                Sfid::DataCache1 => devinfo.has_data_port_1,
                Sfid::Cre => devinfo.has_cre,
                _ => true,
            };
            assert_eq!(decoded > 0, exists, "{} {}", devinfo.name, sfid.text());
        }
    }
}

#[test]
fn missing_messages_are_errors() {
    let simd8 = UrbMessage {
        op: UrbOp::Simd8Write,
        offset: 0,
        interleave: false,
        per_slot_offset: false,
        complete: false,
        channel_mask: true,
    };
    assert!(encode(device("hsw"), &Message::Urb(simd8), Lengths::new(2, 0)).is_err());
    assert!(encode(device("bdw"), &Message::Urb(simd8), Lengths::new(2, 0)).is_ok());
    let scratch = ScratchMessage {
        write: false,
        dword: false,
        invalidate_after_read: false,
        registers: 8,
        offset: 0,
    };
    assert!(encode(device("ivb"), &Message::Scratch(scratch), Lengths::new(1, 8)).is_err());
    let too_far = ScratchMessage { registers: 1, offset: 4096, ..scratch };
    assert!(encode(device("ivb"), &Message::Scratch(too_far), Lengths::new(1, 1)).is_err());
    assert!(encode(device("ivb"), &Message::Scratch(scratch), Lengths::new(16, 0)).is_err());
    let read = DataPortMessage {
        port: Sfid::DataCache1,
        surface: 0,
        op: DataOp::UntypedRead { simd: SurfaceSimd::Simd8, mask: 0xe },
    };
    assert!(encode(device("ivb"), &Message::DataPort(read), Lengths::new(1, 1)).is_err());
    assert_eq!(default_port(crate::GfxVersion::Gfx7, &read.op), Some(Sfid::DataCache));
    assert_eq!(default_port(crate::GfxVersion::Gfx75, &read.op), Some(Sfid::DataCache1));
}
