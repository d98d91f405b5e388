use crate::bir::Program;
use crate::model::Model;
pub fn opt_common_subexpressions(program: &mut Program, model: &dyn Model) -> bool {
    let _ = (program, model);
    false
}
