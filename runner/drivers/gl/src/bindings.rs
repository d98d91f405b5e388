//! The OpenGL bindings that `build.rs` generates from the Khronos registry.

#[allow(
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    missing_docs,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    reason = "generated code"
)]
pub(crate) mod gl {
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}
