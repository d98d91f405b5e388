//! Payload on which kernels depend.

use eu_simulator::{Inputs, Kernel, PlaneInput};
use intel_isa::build::{grf, send};
use intel_isa::desc::{self, Lengths, RenderTargetKind, RenderTargetMessage};
use intel_isa::{DevInfo, Sfid, build};

use crate::common::device;

/// Inputs of assembly text that is followed by a write of pixels from r10 on.
fn inputs(device: &'static DevInfo, text: &str) -> Option<Inputs> {
    let mut insts =
        intel_isa::assemble_insts(device, text).unwrap_or_else(|error| panic!("{error}"));
    let message = desc::Message::RenderTarget(RenderTargetMessage {
        surface: 0,
        kind: RenderTargetKind::Simd8,
        high_slots: false,
        last: true,
        per_sample: false,
        read: false,
    });
    let bits = desc::encode(device, &message, Lengths::new(4, 0)).expect("a descriptor");
    insts.push(send(Sfid::RenderCache, build::null(), grf(10), bits).exec(8).eot());
    Kernel::from_insts(device, insts).expect("a kernel").inputs(8)
}

/// Assembly text of moves of constants to four registers.
fn constants() -> String {
    (10..14).map(|r| format!("mov(8) g{r}<1>UD 1UD {{ align1 1Q }};\n")).collect()
}

#[test]
fn constant_colors_depend_on_nothing() {
    for name in ["ivb", "hsw", "bdw", "chv", "skl"] {
        let inputs = inputs(device(name), &constants()).expect("known inputs");
        assert!((0..128).all(|register| inputs.dwords(register) == 0), "{name}");
        assert_eq!(inputs.planes(), []);
    }
}

#[test]
fn registers_that_may_keep_their_contents_are_inputs() {
    let rest = constants();
    let moved = format!("{rest}mov(8) g12<1>F g3.1<0,1,0>F {{ align1 1Q }};\n");
    let found = inputs(device("skl"), &moved).expect("known inputs");
    assert_eq!((found.dwords(3), found.dwords(12)), (2, 0));
    // A predicated write leaves the old value in some channels.
    let first = rest.replacen("mov(8)", "(+f0.0) mov(8)", 1);
    let found = inputs(device("skl"), &first).expect("known inputs");
    assert_eq!((found.dwords(10), found.dwords(11)), (0xff, 0));
}

#[test]
fn planes_name_their_coordinates() {
    let rest = constants();
    let text = format!("{rest}pln(8) g11<1>F g6.4<0,1,0>F g2<8,8,1>F {{ align1 1Q }};\n");
    let found = inputs(device("skl"), &text).expect("known inputs");
    let plane = PlaneInput { register: 6, dword: 4, coordinates: 2, count: 2 };
    assert_eq!(found.planes(), [plane]);
    assert_eq!((found.dwords(6), found.dwords(2)), (0xf0, 0));
}

#[test]
fn other_state_is_unknown() {
    let text = "mov(8) g10<1>UD sr0.2<0,1,0>UD { align1 1Q };\n";
    assert_eq!(inputs(device("skl"), text), None);
}
