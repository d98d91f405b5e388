//! Tests of the data structures: builder, graph, validator.

use crate::*;

/// `if (v < 0) x = -v else x = v`, then a loop that counts to four.
fn sample() -> Shader {
    let mut shader = Shader::new(Stage::Fragment);
    let mut b = Builder::new(&mut shader);
    let v = b.load_input(Slot::Var(0), 0, 1);
    let zero = b.fconst(32, 0.0);
    let negative = b.flt(v, zero);
    b.push_if(negative);
    let flipped = b.fneg(v);
    b.push_else();
    let ends = b.pop_if();
    let x = b.if_phi(ends, flipped, v);
    let start = b.imm(0);
    let entry = b.block();
    b.push_loop();
    let i = b.loop_phi(entry, start);
    let four = b.imm(4);
    let done = b.uge(i, four);
    b.push_if(done);
    b.jump(Jump::Break);
    b.pop_if();
    let one = b.imm(1);
    let next = b.iadd(i, one);
    let latch = b.pop_loop();
    b.add_phi_src(i, latch, next);
    let count = b.u2f32(i);
    let out = b.vec(&[x, count, v, v]);
    b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, out);
    b.finish();
    shader
}

#[test]
fn builder_makes_valid_code() {
    let shader = sample();
    validate(&shader).unwrap();
    let text = shader.to_string();
    assert!(text.contains("32x1 v0 = const 0x0\n  32x1 v1 = load_input v0 slot=var0 component=0"), "{text}");
    assert!(text.contains("phi b1: v4, b2: v1"), "{text}");
}

#[test]
fn graph_of_if_and_loop() {
    let shader = sample();
    let cfg = Cfg::new(&shader);
    let block = Block::from_u32;
    let entry = cfg.order[0];
    // Block numbers follow creation: then, else, merge, header, then (break), else, merge in loop, exit.
    let [then, other, merge, header, brk, latch, exit] =
        [cfg.order[1], cfg.order[2], cfg.order[3], cfg.order[4], cfg.order[5], cfg.order[7], cfg.order[8]];
    assert_ne!(entry, block(99));
    assert_eq!(cfg.preds[merge], [then, other]);
    assert_eq!(cfg.preds[header], [merge, latch]);
    assert_eq!(cfg.preds[exit], [brk]);
    assert!(cfg.dominates(entry, exit) && cfg.dominates(header, exit) && cfg.dominates(brk, exit));
    assert!(!cfg.dominates(then, merge) && !cfg.dominates(latch, exit));
    assert_eq!(cfg.loop_depth[latch], 1);
    assert_eq!(cfg.loop_depth[exit], 0);
}

#[test]
fn validator_reports_every_failure() {
    let mut shader = Shader::new(Stage::Vertex);
    let block = shader.block_order()[0];
    let mut b = Builder::at_end(&mut shader, block);
    let a = b.fconst(32, 1.0);
    let d = b.fconst(64, 1.0);
    // Widths differ; a component that does not exist; a boolean where a number must be.
    b.fadd(a, d);
    b.alu_src(AluOp::Fadd, &[Src::splat(a, 1), Src::new(a)], 1);
    let t = b.bool(true);
    b.iadd(t, t);
    shader.blocks[block].insts.rotate_left(1);
    shader.blocks[block].jump = Some(Jump::Break);
    let error = validate(&shader).unwrap_err();
    assert_eq!(error.failures.len(), 1, "structure first: {error}");
    shader.blocks[block].jump = None;
    let error = validate(&shader).unwrap_err().to_string();
    for part in ["other unsized operands 32", "reads component 1", "impossible", "does not dominate"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn names_are_unique_and_found() {
    for &op in AluOp::ALL {
        assert_eq!(AluOp::from_name(op.name()), Some(op));
        assert!(IntrinsicOp::from_name(op.name()).is_none(), "{op:?}");
    }
    for &op in IntrinsicOp::ALL {
        assert_eq!(IntrinsicOp::from_name(op.name()), Some(op));
    }
}
