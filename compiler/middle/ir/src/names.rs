//! One macro for enumerations that the text form names: the enum, its names and the way back from a
//! name.

/// Declares a field-less enum with a text name per variant, `ALL`, `name` and `from_name`.
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $ty:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $ty { $($(#[$vmeta])* $variant,)* }

        impl $ty {
            /// Every variant in declaration order.
            pub const ALL: &'static [$ty] = &[$($ty::$variant,)*];

            /// The name used by the text form.
            pub fn name(self) -> &'static str {
                match self { $($ty::$variant => $name,)* }
            }

            /// The variant with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some($ty::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named_enum;
