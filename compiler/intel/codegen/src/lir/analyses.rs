//! Results of analyses, kept with the program until it changes.

use super::Program;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// An analysis of a program.
pub trait Analysis: Any + PartialEq {
    /// Analyzes `program`.
    fn of(program: &Program) -> Self;
}

/// Results of analyses of one program. A copy of the program starts without any.
#[derive(Default)]
pub(super) struct Analyses(RefCell<Vec<Rc<dyn Any>>>);

impl Clone for Analyses {
    fn clone(&self) -> Analyses {
        Analyses::default()
    }
}

impl fmt::Debug for Analyses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} analyses", self.0.borrow().len())
    }
}

impl Program {
    /// Returns the result of an analysis: the kept one, if the program has not changed since. The
    /// pass manager forgets results after each pass that changes something; a pass does not ask
    /// again after its first change, and other code that changes programs calls
    /// [`Program::forget_analyses`].
    ///
    /// Debug builds check that a kept result is that of the present program.
    #[must_use]
    pub fn analysis<A: Analysis>(&self) -> Rc<A> {
        let kept =
            self.analyses.0.borrow().iter().find_map(|kept| kept.clone().downcast::<A>().ok());
        if let Some(kept) = kept {
            debug_assert!(*kept == A::of(self), "an analysis was kept across a change");
            return kept;
        }
        let result = Rc::new(A::of(self));
        self.analyses.0.borrow_mut().push(result.clone());
        result
    }

    /// Forgets the results of analyses, after a change.
    pub fn forget_analyses(&mut self) {
        self.analyses.0.get_mut().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir::{self, Op, cfg::Cfg};
    use ir::{PassManager, PassOptions};

    const TEXT: &str = "program width=8 payload=20
  mov(8) g10<1>:F, g2<1>:F
  (+f0.0) if(8)
    mov(8) g11<1>:F, g2<1>:F
  endif(8)
";

    #[test]
    fn results_are_kept_until_a_pass_changes_something() {
        let mut program = lir::parse(TEXT).expect("a program");
        let mut manager = PassManager::new(PassOptions::default());
        let first = program.analysis::<Cfg>();
        let lower_nothing = |_: &mut Program| false;
        manager.run(&mut program, ir::pass!(lower_nothing)).expect("a pass");
        assert!(Rc::ptr_eq(&first, &program.analysis()), "kept");
        let lower_if = |program: &mut Program| {
            program.insts.retain(|inst| !matches!(inst.op, Op::If | Op::Endif));
            true
        };
        manager.run(&mut program, ir::pass!(lower_if)).expect("a pass");
        let second = program.analysis::<Cfg>();
        assert_eq!((first.blocks.len(), second.blocks.len()), (3, 1), "computed anew");
    }

    #[test]
    fn copies_and_renumbered_programs_start_without_results() {
        let mut program = lir::parse(TEXT).expect("a program");
        let kept = program.analysis::<Cfg>();
        assert!(!Rc::ptr_eq(&kept, &program.clone().analysis()));
        program.compact_registers();
        assert!(!Rc::ptr_eq(&kept, &program.analysis()));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "kept across a change")]
    fn a_change_without_notice_is_noticed() {
        let mut program = lir::parse(TEXT).expect("a program");
        assert_eq!(program.analysis::<Cfg>().blocks.len(), 3);
        program.insts.truncate(1);
        let _ = program.analysis::<Cfg>();
    }
}
