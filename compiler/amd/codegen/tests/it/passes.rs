//! Limits on passes lead to the pass with a fault, as `runner bisect` looks for it.

use super::harness::{LANES, Rng, lower, on_evaluator, on_wave};
use super::operations::{input, shader};
use amd_codegen::machine::Program;
use amd_codegen::passes::PassList;
use amd_codegen::physical::Physical;
use amd_codegen::{CodegenOptions, Output, StageKey, compile_with};
use amd_isa::{Chip, Format};
use ir::{Builder, PassLog, PassRecord, Shader, Slot, Value};
use vocabulary::{PassLimit, Width};

/// Values that are ready long before their readers, so that they limit the number of waves.
fn waiting_values() -> Shader {
    let mut shader = shader();
    let mut b = Builder::new(&mut shader);
    let first = input(&mut b, 0, 32);
    let values: Vec<Value> = (1..60)
        .map(|number| {
            let number = b.imm(number);
            b.iadd(first, number)
        })
        .collect();
    let mut sum = b.imm(0);
    for value in values {
        let three = b.imm(3);
        let scaled = b.imul(sum, three);
        sum = b.ixor(scaled, value);
    }
    let color = b.vec(&[sum, first]);
    b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, color);
    b.finish();
    lower(&mut shader);
    shader
}

/// Lets exports write their first channel to the second, too.
fn plant(program: &mut Program) {
    for label in program.order.clone() {
        let insts = &mut program.blocks[label].insts;
        insts.iter_mut().filter(|inst| inst.format == Format::Exp).for_each(|inst| {
            inst.args[2] = inst.args[1];
        });
    }
}

fn faulty_selected<const INDEX: usize>(program: &mut Program) -> bool {
    (PassList::default().selected[INDEX].run)(program);
    plant(program);
    true
}

fn faulty_reorder<const INDEX: usize>(program: &mut Program) -> bool {
    (PassList::default().reorder[INDEX].run)(program);
    plant(program);
    true
}

fn faulty_jumps(program: &mut Physical) -> bool {
    (PassList::default().allocated[0].run)(program);
    for placed in program.blocks.iter_mut().flatten() {
        if placed.instruction.format == Format::Exp {
            placed.instruction.operands[2] = placed.instruction.operands[1];
        }
    }
    true
}

/// The lists with a fault in one pass, and the name of the pass.
fn lists_with_a_fault() -> Vec<(&'static str, PassList)> {
    let selected: [fn(&mut Program) -> bool; 4] =
        [faulty_selected::<0>, faulty_selected::<1>, faulty_selected::<2>, faulty_selected::<3>];
    let reorder: [fn(&mut Program) -> bool; 2] = [faulty_reorder::<0>, faulty_reorder::<1>];
    let mut all = Vec::new();
    let PassList { selected: passes, reorder: reorderings, allocated } = PassList::default();
    assert_eq!((passes.len(), reorderings.len(), allocated.len()), (4, 2, 1));
    for (index, run) in selected.into_iter().enumerate() {
        let mut list = PassList::default();
        list.selected[index].run = run;
        all.push((passes[index].name, list));
    }
    for (index, run) in reorder.into_iter().enumerate() {
        let mut list = PassList::default();
        list.reorder[index].run = run;
        all.push((reorderings[index].name, list));
    }
    let mut list = PassList::default();
    list.allocated[0].run = faulty_jumps;
    all.push((allocated[0].name, list));
    all
}

struct Bisection<'a> {
    shader: &'a Shader,
    passes: &'a PassList,
    disabled: Vec<String>,
}

impl Bisection<'_> {
    fn compiled(&self, options: &CodegenOptions) -> (Output, PassLog) {
        let record = PassRecord::after_ir(0);
        let key = StageKey::default();
        let output = compile_with(self.shader, &key, Chip::Si, options, &record, self.passes);
        let [(Width::Wave64, log)] = &record.into_kernels()[..] else { panic!("one program") };
        (output.expect("a program"), log.clone())
    }

    fn options(&self) -> CodegenOptions {
        CodegenOptions { disabled_passes: self.disabled.clone(), ..CodegenOptions::default() }
    }

    fn is_right(&self, options: &CodegenOptions) -> bool {
        let (output, _) = self.compiled(options);
        let inputs = Rng(5).inputs();
        let (expected, _) = on_evaluator(self.shader, &inputs, &[], LANES);
        let (got, _) = on_wave(&output, &inputs, &[], LANES);
        expected.iter().all(|(place, value)| got.get(place) == Some(value))
    }

    /// The pass whose run, as the last one, makes the result wrong.
    fn culprit(&self) -> String {
        let (_, log) = self.compiled(&self.options());
        assert_eq!(log.refused, None);
        let is_right = |limit: usize| {
            let pass_limits = vec![PassLimit::all(limit as u32)];
            self.is_right(&CodegenOptions { pass_limits, ..self.options() })
        };
        let (mut right, mut wrong) = (0, log.runs.len());
        assert!(is_right(right) && !is_right(wrong));
        while wrong - right > 1 {
            let middle = (right + wrong) / 2;
            *if is_right(middle) { &mut right } else { &mut wrong } = middle;
        }
        let (_, before) = self.compiled(&CodegenOptions {
            pass_limits: vec![PassLimit::all(right as u32)],
            ..self.options()
        });
        assert_eq!(before.refused.as_ref(), Some(&log.runs[right].name));
        log.runs[right].name.clone()
    }
}

#[test]
fn limits_lead_to_the_pass_with_a_fault() {
    let shader = waiting_values();
    for (name, passes) in lists_with_a_fault() {
        // Registers do not limit the waves any more after the first change of the order.
        let disabled = if name == "opt_schedule" { vec!["opt_sink".to_owned()] } else { vec![] };
        let bisection = Bisection { shader: &shader, passes: &passes, disabled };
        assert_eq!(bisection.culprit(), name);
        let mut options = bisection.options();
        options.disabled_passes.push(format!("gcn:{name}"));
        assert!(bisection.is_right(&options), "without {name}");
    }
}

#[test]
fn runs_on_the_ir_count_towards_limits() {
    let shader = waiting_values();
    let record = PassRecord::after_ir(7);
    let options =
        CodegenOptions { pass_limits: vec![PassLimit::all(9)], ..CodegenOptions::default() };
    let (key, passes) = (StageKey::default(), PassList::default());
    compile_with(&shader, &key, Chip::Vi, &options, &record, &passes).expect("a program");
    let kernels = record.into_kernels();
    let names: Vec<&str> = kernels[0].1.runs.iter().map(|run| &*run.name).collect();
    assert_eq!(names, ["opt_join_blocks", "opt_dce"]);
    assert_eq!(kernels[0].1.refused.as_deref(), Some("opt_copy_propagation"));
}
