//! Cases: operands with what a shader accepts for them.

use crate::accept::Accept;
use crate::value::Component;

/// One draw: operands, and the accepted values of each component of the result.
#[derive(Clone, Debug)]
pub struct Case {
    /// `[argument][component]`.
    pub arguments: Vec<Vec<Component>>,
    /// Per component of the result.
    pub accept: Vec<Accept>,
}

impl Case {
    /// The case that accepts, for one component, only a value just outside the accepted interval.
    pub fn perturbed(&self, component: usize) -> Case {
        let mut case = self.clone();
        case.accept[component] = case.accept[component].perturbed();
        case
    }
}
