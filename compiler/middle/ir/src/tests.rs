//! Tests of the data structures: builder, graph, validator.

use crate::testing::{numbers, shaders};
use crate::*;
use vocabulary::{InternalError, Phase};

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
    assert!(
        text.contains("32x1 v0 = const 0x0\n  32x1 v1 = load_input v0 slot=var0 component=0"),
        "{text}"
    );
    assert!(text.contains("phi b1: v4, b2: v1"), "{text}");
}

#[test]
fn graph_of_if_and_loop() {
    let shader = sample();
    let cfg = Cfg::new(&shader);
    let block = Block::from_u32;
    let entry = cfg.order[0];
    // Block numbers follow creation: then, else, merge, header, then (break), else, merge in loop,
    // exit.
    let [then, other, merge, header, brk, latch, exit] = [
        cfg.order[1],
        cfg.order[2],
        cfg.order[3],
        cfg.order[4],
        cfg.order[5],
        cfg.order[7],
        cfg.order[8],
    ];
    assert_ne!(entry, block(99));
    assert_eq!(cfg.preds[merge][..], [then, other]);
    assert_eq!(cfg.preds[header][..], [merge, latch]);
    assert_eq!(cfg.preds[exit][..], [brk]);
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
    for part in
        ["other unsized operands 32", "reads component 1", "impossible", "does not dominate"]
    {
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

#[test]
fn text_round_trips() {
    let text = sample().to_string();
    let parsed = parse(&text).unwrap();
    validate(&parsed).unwrap();
    assert_eq!(parsed.to_string(), text);
}

/// Every part of the information, every intrinsic and a texture instruction survive the text form.
#[test]
fn everything_round_trips() {
    let mut shader = Shader::new(Stage::Geometry);
    shader.info.name = "all".into();
    shader
        .info
        .inputs
        .push(Varying { interpolation: Interpolation::Flat, ..Varying::new(Slot::Var(3)) });
    shader.info.outputs.push(Varying {
        stream: 2,
        components: 3,
        ..Varying::new(Slot::ClipDistance(1))
    });
    shader.info.ubos = 2;
    shader.info.clip_distances = 5;
    shader.info.float_controls.flush_f32 = true;
    shader.info.local_size = [8, 4, 1];
    shader.info.derivative_group = crate::DerivativeGroup::Quads;
    shader.info.fragment.early_tests = true;
    shader.info.geometry.max_vertices = 12;
    shader.info.tess.point_mode = true;
    let local = shader.create_local(64, 3, 7, "matrix");
    let mut b = Builder::new(&mut shader);
    for &op in IntrinsicOp::ALL {
        let any = |fixed: u8, open: u8| if fixed != 0 { fixed } else { open };
        let srcs: Vec<Value> =
            op.info().srcs.iter().map(|s| b.zero(any(s.bits, 32), any(s.components, 1))).collect();
        let fields = Fields { write_mask: 1, local: Some(local), base: 4, ..Fields::default() };
        b.intrinsic(op, &srcs, fields, Some((32, 1)));
    }
    for &op in AluOp::ALL {
        let any = |fixed: u8, open: u8| if fixed != 0 { fixed } else { open };
        let srcs: Vec<Value> = op
            .info()
            .inputs
            .iter()
            .map(|s| b.zero(any(s.bits, 32), any(s.components, 3)))
            .collect();
        b.exact = !b.exact;
        b.alu(op, &srcs);
    }
    let coord = b.zero(32, 2);
    let mut tex = Tex::new(TexOp::Tg4, Dim::D2, 3, 4);
    tex.srcs.push((TexSrcKind::Coord, coord));
    tex.gather_offsets = Some([[1, -2], [3, 4], [-8, 7], [0, 0]]);
    b.tex(tex, 32, 4);
    b.finish();
    let text = shader.to_string();
    let parsed = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(parsed.to_string(), text);
    assert_eq!(parsed.info, shader.info);
}

#[test]
fn bad_text_is_an_error_with_a_place() {
    for (text, place) in [
        ("", "1:1"),
        ("shader nothing", "1:8"),
        ("shader vertex\nblock b0 {\n  32x1 v0 = fadd v1, v0\n}", "3:18"),
        ("shader vertex\nblock b0 {\n  32x1 v0 = iadd v0\n}", "3:20"),
        ("shader vertex\nblock b0 {\n  32x1 v99999999 = undef\n}", "3:8"),
        ("shader vertex\nblock b0 {\n  32x5 v0 = undef\n}", "3:3"),
        ("shader vertex\nblock b0 {", "3:1"),
        ("shader vertex\nloop { #", "2:8"),
        ("shader vertex\nblock b0 {}\nblock b0 {}", "3:7"),
        ("shader vertex\nblock b0 {\n  32x1 v0 = const 0x1ffffffffffffffff\n}", "3:19"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.starts_with(place), "{text:?}: {error}");
    }
    let deep = format!("shader vertex\n{}", "loop {\n".repeat(100_000));
    assert!(parse(&deep).unwrap_err().message.contains("nested"));
}

#[test]
fn evaluator_runs_control_flow() {
    let shader = sample();
    let mut services = eval::TestServices::default();
    for (lane, value) in [-2.5f32, 3.0].into_iter().enumerate() {
        services.set_input(lane, Slot::Var(0), &[value.to_bits()]);
    }
    let outcome = eval::run(&shader, 2, &mut services, eval::EvalOptions::default()).unwrap();
    let color = Slot::FragColor { location: 0, index: 0 };
    assert_eq!(services.output(0, color, 0), Some(2.5f32.to_bits()));
    assert_eq!(services.output(1, color, 0), Some(3.0f32.to_bits()));
    assert_eq!(services.output(0, color, 1), Some(4.0f32.to_bits()));
    assert!(outcome.steps > 20);
    let few = eval::EvalOptions { max_steps: 20, ..Default::default() };
    assert_eq!(eval::run(&shader, 2, &mut services, few), Err(eval::EvalError::Steps(20)));
}

#[test]
fn evaluator_takes_quad_derivatives_and_discards() {
    let text = "shader fragment
block b0 {
  32x1 v0 = const 0
  32x1 v1 = load_input v0 slot=var0 component=0
  32x1 v2 = fddx v1
  32x1 v3 = fddy v1
  1x1 v4 = flt v1, v0
  discard_if v4
  store_output v2, v0 slot=frag_color0 component=0 mask=1 stream=0
  store_output v3, v0 slot=frag_color0 component=1 mask=1 stream=0
}
";
    let shader = parse(text).unwrap();
    validate(&shader).unwrap();
    let mut services = eval::TestServices::default();
    for (lane, value) in [1.0f32, 3.0, 11.0, -1.0].into_iter().enumerate() {
        services.set_input(lane, Slot::Var(0), &[value.to_bits()]);
    }
    let outcome = eval::run(&shader, 4, &mut services, eval::EvalOptions::default()).unwrap();
    let color = Slot::FragColor { location: 0, index: 0 };
    let read = |lane, c| services.output(lane, color, c).map(f32::from_bits);
    assert_eq!(read(0, 0), Some(2.0));
    assert_eq!(read(2, 0), Some(-12.0));
    assert_eq!(read(1, 1), Some(-4.0));
    assert_eq!(read(3, 0), None);
    assert_eq!(outcome.discarded, [false, false, false, true]);
}

#[test]
fn pass_manager_limits_names_and_validates() {
    let mut shader = sample();
    let options = PassOptions { limit: Some(2), log: true, validate: true, ..Default::default() };
    let mut manager = PassManager::new(options);
    let nothing = |name| Pass { name, run: |_: &mut Shader| true };
    assert_eq!(manager.run(&mut shader, nothing("opt_a")), Ok(true));
    assert_eq!(manager.run_required(&mut shader, nothing("opt_a")), Ok(true));
    assert_eq!(manager.run(&mut shader, nothing("opt_b")), Ok(true));
    assert_eq!(manager.run(&mut shader, nothing("opt_c")), Ok(false));
    assert_eq!(manager.run(&mut shader, nothing("lower_x")), Ok(true));
    let log = manager.log().clone();
    assert_eq!(log.runs.iter().map(|run| &*run.name).collect::<Vec<_>>(), ["opt_a", "opt_b"]);
    assert_eq!(log.refused.as_deref(), Some("opt_c"));
    let lower_bad = |shader: &mut Shader| {
        let block = shader.block_order()[0];
        shader.blocks[block].insts.reverse();
        true
    };
    let error = manager.run(&mut shader, pass!(lower_bad)).unwrap_err();
    assert!(error.to_string().starts_with("after lower_bad: "), "{error}");
}

/// Passes of repeated lists that had nothing to do are executed again only after a change.
#[test]
fn settled_passes_are_not_executed_again() {
    let mut shader = sample();
    let executed = std::cell::Cell::new(0);
    let idle = |_: (), _: &mut Shader| {
        executed.set(executed.get() + 1);
        false
    };
    let list = ["opt_a", "opt_b"].map(|name| Pass { name, run: () });
    let options = PassOptions { log: true, validate: false, ..Default::default() };
    let mut manager = PassManager::new(options.clone());
    let mut after = |manager: &mut PassManager<'_, Shader>, list: &[Pass<()>]| {
        executed.set(0);
        manager.run_to_fixpoint(&mut shader, list, 2, idle).unwrap();
        executed.get()
    };
    assert_eq!(after(&mut manager, &list[..1]), 1);
    assert_eq!(after(&mut manager, &list), 1, "the other pass");
    assert_eq!(after(&mut manager, &list), 0);
    assert_eq!(manager.log().runs.len(), 5, "runs count all the same");
    let change = |changed| Pass { name: "lower_x", run: move |_: &mut Shader| changed };
    let mut other = sample();
    manager.run(&mut other, change(false)).unwrap();
    assert_eq!(after(&mut manager, &list), 0);
    manager.run_required(&mut other, change(true)).unwrap();
    assert_eq!(after(&mut manager, &list), 2, "after a change");
    // Where programs are validated, all are executed.
    let mut manager = PassManager::new(PassOptions { validate: true, ..options });
    assert_eq!((after(&mut manager, &list), after(&mut manager, &list)), (2, 2));
    let late = |_: (), _: &mut Shader| true;
    let error = manager.run_to_fixpoint(&mut shader, &list, 2, late).unwrap_err();
    assert!(error.to_string().contains("opt_a"), "{error}");
}

/// With validation, a pass that changes a program and reports no change is an internal error.
#[test]
fn passes_report_their_changes() {
    let quiet = |shader: &mut Shader| {
        let block = shader.block_order()[0];
        shader.blocks[block].insts.pop();
        false
    };
    let run = |validate| {
        let options = PassOptions { validate, ..Default::default() };
        PassManager::new(options).run(&mut sample(), Pass { name: "lower_x", run: quiet })
    };
    assert!(!run(false).unwrap());
    let error = run(true).unwrap_err().to_string();
    assert!(error.contains("lower_x") && error.contains("reports no change"), "{error}");
}

/// A replacement that is given up leaves nothing behind.
#[test]
fn instructions_without_a_replacement_stay_alone() {
    let text = "shader vertex \"kept\"\nblock b0 {\n  64x1 v0 = const 0x1\n  \
                64x2 v1 = vec2 v0, v0\n  1x1 v2 = const 0x1\n  \
                64x2 v3 = bcsel v2.xx, v1, v1\n}\n";
    let mut shader = parse(text).expect("a shader");
    let before = shader.to_string();
    assert!(!passes::lower_int64(&mut shader, false));
    assert_eq!(shader.to_string(), before);
}

#[test]
fn disabled_passes_are_those_of_the_representation() {
    let mut shader = sample();
    let disabled = ["opt_a", "ir:opt_b", "lir:opt_c", "lower_d"].map(str::to_owned).to_vec();
    let mut manager = PassManager::new(PassOptions { disabled, ..Default::default() });
    let mut run =
        |name| manager.run(&mut shader, Pass { name, run: |_: &mut Shader| true }).unwrap();
    assert_eq!(["opt_a", "opt_b", "opt_c", "lower_d"].map(&mut run), [false, false, true, true]);
}

#[test]
fn internal_errors_name_the_pass() {
    let mut shader = sample();
    let mut manager = PassManager::new(PassOptions::default());
    let error = || InternalError::new(Phase::Ir, "a value is missing");
    let opt_fallible = |_: &mut Shader| Err::<bool, _>(error());
    let opt_raising = |_: &mut Shader| -> bool { error().raise() };
    for result in [
        manager.run(&mut shader, pass!(opt_fallible)),
        manager.run(&mut shader, pass!(opt_raising)),
    ] {
        let Err(PassError::Internal(error)) = result else { panic!("{result:?}") };
        assert!(error.pass.is_some_and(|pass| pass.starts_with("opt_")), "{error}");
    }
}

/// Random edits of valid text: parsing and validating give an error or a shader, never a panic, and
/// what is valid also prints, runs and survives the passes.
#[test]
fn damaged_text_never_panics() {
    let mut rng = numbers::Rng::new(42);
    let mut accepted = 0;
    for seed in 0..1500 {
        let limits = shaders::Limits { instructions: 20, ..Default::default() };
        let text = shaders::random_shader(&mut numbers::Rng::new(seed), limits).to_string();
        let mut bytes = text.into_bytes();
        for _ in 0..1 + rng.below(2) {
            let (at, other) = (rng.below(bytes.len()), rng.below(bytes.len()));
            match rng.below(8) {
                0 => bytes[at] = bytes[other],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"0123456789vbl.,{}x"[rng.below(18)]),
                3 => bytes.truncate(at.max(20)),
                // A digit for a digit keeps most texts well-formed.
                _ => {
                    let digit = (at..bytes.len()).find(|&i| bytes[i].is_ascii_digit());
                    if let Some(i) = digit {
                        bytes[i] = b'0' + rng.below(10) as u8;
                    }
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let Ok(mut shader) = parse(&text) else { continue };
        if validate(&shader).is_err() {
            continue;
        }
        accepted += 1;
        let _ = shader.to_string();
        let options = eval::EvalOptions { max_steps: 10_000, ..Default::default() };
        let _ = eval::run(&shader, 4, &mut eval::TestServices::default(), options);
        for Pass { name, run } in passes::ALL {
            run(&mut shader);
            validate(&shader).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        }
    }
    assert!(accepted > 20, "{accepted}");
}

#[test]
fn uses_are_counted_per_operand_and_condition() {
    let text = "shader fragment \"uses\"\nblock b0 {\n  32x1 v0 = const 0x0\n  \
        32x2 v1 = load_input v0 slot=var0 component=0\n  32x1 v2 = fadd v1.x, v1.x\n  \
        1x1 v3 = flt v1.x, v1.y\n  32x1 v4 = const 0x1\n}\nif v3 {\n  block b1 {}\n} else {\n  \
        block b2 {}\n}\nblock b3 {\n  32x1 v5 = phi b1: v2, b2: v0\n  \
        store_output v5, v0 slot=frag_color0 component=0 mask=1 stream=0\n}\n";
    let shader = parse(text).unwrap();
    let counts = cfg::use_counts(&shader);
    let of = |number| counts[Value::from_u32(number)];
    assert_eq!([0, 1, 2, 3, 4, 5].map(of), [3, 4, 1, 1, 0, 1]);
}

#[test]
fn positions_are_block_and_index() {
    let shader = sample();
    let positions = cfg::positions(&shader);
    let mut placed = 0;
    for block in shader.block_order() {
        for (index, &inst) in shader.blocks[block].insts.iter().enumerate() {
            assert_eq!(positions[inst], Some((block, index as u32)));
            placed += 1;
        }
    }
    assert_eq!(placed, positions.values().flatten().count());
    assert!(placed > 5);
}

/// An IF whose arms join in a phi.
const JOIN: &str = "shader fragment \"join\"
block b0 {
  32x1 v0 = const 0x0
  32x1 v1 = iadd v0, v0
  1x1 v2 = ieq v1, v0
}
if v2 {
block b1 {
  32x1 v3 = iadd v1, v1
}
} else {
block b2 {
}
}
block b3 {
  32x1 v4 = phi b1: v3, b2: v0
  store_output v4, v0 slot=frag_color0 component=0 mask=1 stream=0
}
";

#[test]
fn uses_are_counted_in_sources_phis_and_conditions() {
    let shader = parse(JOIN).unwrap();
    let uses = cfg::use_counts(&shader);
    let counts: Vec<u32> = (0..5).map(|v| uses[Value::from_u32(v)]).collect();
    // v0: both sources of the sum, the comparison, the phi, the offset of the store.
    assert_eq!(counts, [5, 3, 1, 1, 1]);
}

#[test]
fn positions_are_those_in_the_listing() {
    let mut shader = parse(JOIN).unwrap();
    let found = |shader: &Shader| -> Vec<Option<(u32, u32)>> {
        let positions = cfg::positions(shader);
        let place = |inst| positions[inst].map(|(block, index)| (block.as_u32(), index));
        shader.insts.keys().map(place).collect()
    };
    let listed = [(0, 0), (0, 1), (0, 2), (1, 0), (3, 0), (3, 1)].map(Some);
    assert_eq!(found(&shader), listed);
    shader.blocks[Block::from_u32(1)].insts.clear();
    let mut left = listed;
    left[3] = None;
    assert_eq!(found(&shader), left, "an instruction in no list has no position");
}
