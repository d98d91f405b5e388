//! Fields of the state that draws read, and state that is decoded once for each draw.

pub(crate) mod fields;
