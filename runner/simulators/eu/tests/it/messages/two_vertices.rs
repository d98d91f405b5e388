//! Messages of Align16 threads with two vertices.

use super::*;

#[test]
fn atomics_of_two_vertices() {
    let mut host = Recorder::default();
    let surface = Surface::Bti(3);
    host.write(surface, 0x40, &70u32.to_le_bytes()).unwrap();
    host.write(surface, 0x80, &80u32.to_le_bytes()).unwrap();
    // Compare and exchange: the operands are x and y of the register after the addresses.
    let control = 3 << 14 | 14 << 8 | 1 << 13 | 3;
    let inst = message(Sfid::DataCache1, build::grf(10), 2, desc(2, 1, false, control)).align16();
    let thread = send("hsw", &mut host, inst, |thread| {
        thread.set_register(2, &[0x40, 0, 0, 0, 0x80, 0, 0, 0]);
        thread.set_register(3, &[70, 71, 0, 0, 70, 81, 0, 0]);
    })
    .unwrap();
    assert_eq!((thread.register(10)[0], thread.register(10)[4]), (70, 80), "the old values");
    assert_eq!(
        (host.dword(surface, 0x40), host.dword(surface, 0x80)),
        (71, 80),
        "only the first was equal"
    );
    // The second vertex is off.
    let exchange =
        message(Sfid::DataCache1, build::null(), 2, desc(2, 0, false, 3 << 14 | 4 << 8 | 3))
            .align16();
    send("hsw", &mut host, exchange, |thread| {
        thread.set_dispatch_mask(0x0f);
        thread.set_register(2, &[0x40, 0, 0, 0, 0x80, 0, 0, 0]);
        thread.set_register(3, &[1; 8]);
    })
    .unwrap();
    assert_eq!((host.dword(surface, 0x40), host.dword(surface, 0x80)), (1, 80));
}

#[test]
fn typed_messages_of_two_vertices() {
    let mut host = Recorder::default();
    let setup = |thread: &mut Thread| {
        thread.set_register(2, &[1, 2, 3, 4, 5, 6, 7, 8]);
        thread.set_register(3, &COUNT);
    };
    let write = message(Sfid::DataCache1, build::null(), 2, desc(2, 0, false, 13 << 14)).align16();
    send("hsw", &mut host, write, setup).unwrap();
    assert_eq!(
        host.texels,
        BTreeMap::from([([1, 2, 3, 4], [0, 1, 2, 3]), ([5, 6, 7, 8], [4, 5, 6, 7])])
    );
    let read = message(Sfid::DataCache1, build::grf(10), 2, desc(1, 1, false, 5 << 14)).align16();
    let thread = send("hsw", &mut host, read, setup).unwrap();
    assert_eq!(thread.register(10), COUNT);
    let exchange =
        message(Sfid::DataCache1, build::grf(10), 2, desc(2, 1, false, 7 << 14 | 4 << 8 | 1 << 13));
    let thread = send("hsw", &mut host, exchange.align16(), setup).unwrap();
    assert_eq!((thread.register(10)[0], thread.register(10)[4]), (0, 4));
    assert_eq!(host.texels[&[5, 6, 7, 8]], [4, 0, 0, 0]);
}
