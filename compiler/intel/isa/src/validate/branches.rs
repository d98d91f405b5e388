//! Controls of jumps and branches.

use super::context::{Context, Rule, rules};
use crate::opcode::{Form, Opcode};

pub(super) static RULES: &[Rule] = rules! {
    "jmpi-width": jmpi_width, "JMPI has one channel";
    "branch-predicate": branch_predicate, "ELSE and ENDIF have no predicate";
};

/// Jumps and the ends of branches.
pub(super) fn concern(c: &Context) -> bool {
    is_jmpi(c) || matches!(c.inst.opcode, Opcode::Else | Opcode::Endif)
}

fn is_jmpi(c: &Context) -> bool {
    c.form == Form::Jmpi
}

fn jmpi_width(c: &Context) -> bool {
    is_jmpi(c) && c.exec_size != 1
}

fn branch_predicate(c: &Context) -> bool {
    matches!(c.inst.opcode, Opcode::Else | Opcode::Endif) && c.inst.predicate.is_some()
}
