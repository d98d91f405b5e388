//! Vector instructions on whole rows of lanes, in loops that the compiler turns into vector
//! instructions of the host.
//!
//! [`Plan::of`] looks at an instruction once and picks an implementation, if its operands are whole
//! registers, constants and masks. The functions of single lanes (`crate::arithmetic`) define the
//! results. Of two operands that are not numbers one gives the result its bits, and how a loop was
//! compiled decides on it: lanes whose result is not a number are computed again by these
//! functions.

mod call;
mod compare;
mod each;
mod machine;
mod native;
mod plan;
mod select;
mod sum;

pub(crate) use plan::{Effect, Input, Plan};
