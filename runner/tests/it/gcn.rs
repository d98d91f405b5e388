//! AMD's chips from outside: what is shown, and what results have.

use crate::support::{GREEN, Sandbox};

/// Instructions are counted in the listing.
#[test]
fn every_form_is_shown() {
    let sandbox = Sandbox::new();
    sandbox.file("a.shader_test", GREEN);
    for chip in ["si", "vi"] {
        let show = |form: &str| {
            let arguments = ["show", "a.shader_test", "--gen", chip, "--stage", "fragment", form];
            sandbox.run(&arguments)
        };
        let code = show("gcn");
        code.expect(0, &["// fragment wave64\n", "s_waitcnt lgkmcnt(0)", "exp mrt0", "s_endpgm"]);
        let count = code.out.lines().filter(|line| !line.starts_with("//")).count();
        show("stats").expect(0, &[&format!("fragment wave64: {count} instructions")]);
        show("ir").expect(0, &["shader fragment"]);
        show("ir=opt_dce").expect(0, &["; fragment: after opt_dce, run 1 (number "]);
        show("passes").expect(0, &["   1  fragment"]);
        let binary = ["show", "a.shader_test", "--gen", chip, "--stage", "fragment", "binary"];
        let bytes = sandbox.command(&binary).output().expect("a process").stdout;
        assert_eq!(bytes[bytes.len() - 4..], 0xbf81_0000_u32.to_le_bytes());
        let payload = show("payload");
        payload.expect(0, &["// fragment wave64, wave 1\nexec 00000000000", "\ns0  ", "\nv0  "]);
        assert!(!payload.out.contains("s_endpgm"), "{}", payload.out);
        let trace = show("trace");
        // The uniform's green arrives in a register at the wait.
        trace.expect(0, &["] s_waitcnt lgkmcnt(0)\n", " 3f800000\n", "] s_endpgm"]);
        assert!(!trace.out.contains("// vertex"), "{}", trace.out);
        show("eu").expect(2, &["show gcn"]);
    }
    let arguments = ["show", "a.shader_test", "--gen", "skl", "gcn"];
    sandbox.run(&arguments).expect(2, &["skl does not execute GCN"]);
}

#[test]
fn results_have_waves() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox.run(&["suite", "--gen", "si,skl", "--out", "out"]).expect(0, &["pass: 2"]);
    let results = sandbox.results("out");
    let stage = |result: usize| results[result]["stages"][0].clone();
    let wave = stage(1);
    assert_eq!((wave["stage"].as_str(), wave["width"].as_str()), (Some("vertex"), Some("wave64")));
    assert!(wave["scalar_registers"].as_u64() > Some(0) && wave["registers"].as_u64() > Some(0));
    // Results of Intel's generations are as before.
    assert!(stage(2)["scalar_registers"].is_null() && stage(2)["waits"].is_null());
}
