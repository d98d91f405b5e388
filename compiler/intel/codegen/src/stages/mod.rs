//! Stages of the geometry pipeline: vertex, tessellation and geometry shaders, for both back ends.
//!
//! A stage is written once, over [`slot_access::SlotAccess`] and a trait of its own that has the
//! facts of its payload. The back ends implement both. Geometry shaders count and lay out vertices
//! in a different way in each back end: [`geometry_layout`] is what they share.
//!
//! [`vue`] and [`patch`] lay out the entries of the URB, [`patch_access`] finds places in patches.

pub mod geometry_layout;
pub mod patch;
pub mod patch_access;
pub mod slot_access;
pub mod tess_control;
pub mod tess_evaluation;
pub mod vertex;
pub mod vue;
