//! Results of analyses, kept with the program until it changes.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// Results of analyses of one program, one of each type. A copy starts without any.
#[derive(Default)]
pub(super) struct Analyses(RefCell<Vec<Rc<dyn Any>>>);

impl Analyses {
    /// Returns the result of type `A`.
    pub(super) fn get<A: Any>(&self) -> Option<Rc<A>> {
        self.0.borrow().iter().find_map(|kept| kept.clone().downcast::<A>().ok())
    }

    /// Adds a result.
    pub(super) fn keep(&self, result: Rc<dyn Any>) {
        self.0.borrow_mut().push(result);
    }
}

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
