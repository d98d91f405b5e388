use crate::bir::Program;
use crate::model::Model;
pub fn opt_cmod_propagation(program: &mut Program, model: &dyn Model) -> bool {
    let _ = (program, model);
    false
}
