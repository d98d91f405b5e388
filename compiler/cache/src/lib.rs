//! Caches of bounded size for results that are expensive to compute.
//!
//! * [`GenerationTable`]: values by key, for one thread. Values are stored in a [`Store`], so that
//!   readers may refer to them by index.
//! * [`SharedTable`]: results by key, for several threads; each result is computed once.
//! * [`CheckoutPool`]: objects that one thread at a time uses, such as a table of the first kind.
//! * [`user_folder`]: the place of results that outlive a process.
//!
//! Both tables evict by generations: a value that is used joins the young generation. When that is
//! full, the old generation is dropped and the young one becomes the old one. The crate knows
//! nothing of compilers.
//!
//! ```
//! let squares = cache::SharedTable::new(1000);
//! let weight = 1;
//! assert_eq!(squares.get(12, weight, |n| n * n), 144);
//! assert_eq!(squares.get(12, weight, |_| unreachable!("already computed")), 144);
//! ```

#![forbid(unsafe_code)]

mod checkout_pool;
mod generation_table;
mod shared_table;
mod user_folder;

pub use checkout_pool::CheckoutPool;
pub use generation_table::{Entry, GenerationTable, Store};
pub use shared_table::SharedTable;
pub use user_folder::user_folder;
