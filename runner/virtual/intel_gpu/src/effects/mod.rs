//! Effects of registers and state commands: what is modeled, what cannot change a result, and why.
//!
//! A driver may write what these tables have. Anything else stops its batch: nothing is skipped in
//! silence. Names, offsets and fields are those of the Programmer's Reference Manuals (volume 2,
//! "Command Reference") and of the driver's own description (genxml).

pub(crate) mod commands;
pub(crate) mod registers;
