//! Accesses of scratch space that the host lends, against those that it serves itself.

use super::*;
use crate::fast::RandomSource;

/// Bytes of scratch space.
const BYTES: usize = 1024;

/// Scratch space, lent or not.
struct Space {
    bytes: Vec<u8>,
    is_lent: bool,
    /// Accesses that the host serves.
    served: usize,
}

impl Space {
    fn new(is_lent: bool) -> Space {
        Space { bytes: (0..BYTES).map(|at| (at * 7) as u8).collect(), is_lent, served: 0 }
    }
}

impl Host for Space {
    fn read(&mut self, _: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        self.served += 1;
        for (at, byte) in (offset as usize..).zip(data) {
            *byte = self.bytes.get(at).copied().unwrap_or(0);
        }
        Ok(())
    }

    fn write(&mut self, _: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        self.served += 1;
        let place = (offset as usize).checked_add(data.len()).map(|end| offset as usize..end);
        let place = place.and_then(|place| self.bytes.get_mut(place));
        let refusal = || HostError(format!("{} bytes at {offset}", data.len()));
        place.ok_or_else(refusal)?.copy_from_slice(data);
        Ok(())
    }

    fn scratch(&mut self) -> Option<&mut [u8]> {
        self.is_lent.then_some(&mut self.bytes)
    }
}

/// A message to scratch space with a payload from r2 on or near the last register; lengths are
/// mostly right.
fn random(source: &mut RandomSource, is_split: bool) -> Inst {
    let at_end = source.chance(6);
    let payload = if at_end { 125 } else { 2 } + source.below(3) as u8;
    let planes = 1 + source.below(2) as u32;
    let header = source.chance(3);
    let first = u32::from(header);
    let surface = source.pick(&[255, 253, 255, 255, 254, 3]);
    let block = 1 + planes;
    let size = block << 8 | surface;
    let scratch = 1 << 18 | (planes - 1) << 12 | source.below(34) as u32;
    let (reads, mut mlen, mut rlen, header, control) = match source.below(7) {
        0 => (true, first + planes, planes, header, 3 << 14 | (1 + planes) << 8 | surface),
        1 => (false, first + 2 * planes, 0, header, 11 << 14 | (1 + planes) << 8 | surface),
        2 => (true, 1, planes, true, size),
        3 => (true, 1, planes, true, 1 << 14 | size),
        4 => (false, 1 + planes, 0, true, 8 << 14 | size),
        5 => (true, 1, planes, true, scratch),
        _ => (false, 1 + planes, 0, true, scratch | 1 << 17 | source.pick(&[0, 1 << 16])),
    };
    if source.chance(12) {
        mlen = (mlen + 2).saturating_sub(source.below(4) as u32).max(1);
        rlen = (rlen + 1).saturating_sub(source.below(3) as u32);
    }
    let near_end = 128 - source.below(4) as u8;
    let dst = match (reads, at_end || source.chance(12)) {
        (true, true) => build::grf(near_end.min(127)),
        (true, false) => build::grf(9 + source.below(4) as u8),
        (false, true) => build::grf(9),
        (false, false) => build::null(),
    };
    let mut inst = message(Sfid::DataCache, dst, payload, desc(mlen, rlen, header, control));
    if is_split && mlen > 1 {
        let second = 1 + source.below(mlen as usize - 1) as u32;
        let bits = desc(mlen - second, rlen, header, control);
        let (from, other) = (build::grf(payload), build::grf(5 + source.below(3) as u8));
        inst = build::sends(Sfid::DataCache, dst, from, other, bits, second << 6);
    }
    inst = inst.exec(source.pick(&[8, 16]));
    if source.chance(3) { inst.pred(0, 0, source.chance(2)) } else { inst }
}

#[test]
fn lent_scratch_space_has_the_same_contents() {
    let mut source = RandomSource::new(0x5c7a);
    let (mut lent_served, mut own_served) = (0, 0);
    for round in 0..6_000 {
        let name = source.pick(&["ivb", "hsw", "bdw", "skl"]);
        let insts: Vec<Inst> = (0..3)
            .map(|_| {
                let is_split = name == "skl" && source.chance(2);
                random(&mut source, is_split)
            })
            .collect();
        let text: String = insts.iter().map(|i| intel_isa::print_inst(device(name), i)).collect();
        let mut before = Thread::new(device(name), round);
        let one = 1 << source.below(16);
        before.set_dispatch_mask(source.pick(&[0xffff, 0xff, 0x5a7f, one]));
        let limit = source.pick(&[30, 30, 250, 262]);
        for register in (2..9).chain(125..128) {
            before.set_register(register, &COUNT.map(|_| source.below(limit) as u32));
        }
        before.regs.flags[0] = source.below(1 << 16) as u32;
        let run = |is_lent| {
            let kernel = Kernel::from_insts(device(name), insts.clone()).unwrap();
            let mut space = Space::new(is_lent);
            // A message is known from its second execution on.
            let [first, second] = [(); 2].map(|()| {
                let mut thread = before.clone();
                space.served = 0;
                let end = kernel.run(&mut thread, &mut space, 100).unwrap_err();
                (end, thread.steps(), thread.regs)
            });
            (first, second, space.bytes, space.served)
        };
        let (lent, own) = (run(true), run(false));
        let what = || format!("round {round} {name}\n{text}");
        assert_eq!((&lent.0.0, lent.0.1), (&own.0.0, own.0.1), "{}", what());
        assert!(lent.0.2 == own.0.2, "{}", what());
        if lent.0.0.reason != Reason::RanOff {
            // How much of the last message was written is not defined.
            continue;
        }
        assert_eq!((&lent.1.0, lent.1.1), (&own.1.0, own.1.1), "{}", what());
        assert!(lent.1.2 == own.1.2 && lent.2 == own.2, "{}", what());
        (lent_served, own_served) = (lent_served + lent.3, own_served + own.3);
    }
    // Accesses outside are served.
    assert!(lent_served * 4 < own_served, "{lent_served} of {own_served} accesses are served");
}

/// Once a message is known, the host serves no block that is inside of what it lends.
#[test]
fn known_blocks_are_not_served() {
    let control = |op: u32| op << 14 | 2 << 8 | 255;
    let read = message(Sfid::DataCache, build::grf(10), 2, desc(1, 1, true, control(0)));
    let write = message(Sfid::DataCache, build::null(), 2, desc(2, 0, true, control(8)));
    let kernel = Kernel::from_insts(device("skl"), vec![read, write]).unwrap();
    let mut space = Space::new(true);
    let mut thread = Thread::new(device("skl"), 1);
    for served in [2, 2, 2] {
        thread.reset(1);
        thread.set_register(2, &[0, 0, 3, 0, 0, 0, 0, 0]);
        kernel.run(&mut thread, &mut space, 10).unwrap_err();
        assert_eq!(space.served, served);
    }
}
