//! Indices into the vectors of a script.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index into the vector of the script.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index into [`Script::shaders`](crate::Script::shaders).
    ShaderId,
    /// Index into [`Script::buffers`](crate::Script::buffers).
    BufferId,
    /// Index into [`Script::samplers`](crate::Script::samplers).
    SamplerId,
    /// Index into [`Script::pipelines`](crate::Script::pipelines).
    PipelineId,
}
