//! Commands and state of Intel's and AMD's GPUs: layouts per generation, and tools that read
//! batches by them.
//!
//! A batch is a sequence of commands in graphics memory. [`Table`] describes every command,
//! structure and register of a generation, under the names that the driver's own tables use.
//! [`Walker`] follows a batch of Intel's command by command, [`PacketWalker`] one of AMD's.
//! [`Field`] is a handle that is resolved by name once and then reads bits. [`Printer`] writes a
//! batch with all its indirect state as text, in the words of the driver's `INTEL_DEBUG=bat`.
//! [`Recording`] is a batch with its memory in a file.
//!
//! ```
//! use packets::{Field, Table};
//! use vocabulary::Generation;
//!
//! let draw = Table::of(Generation::Ivb).command(0x7b00_0005).expect("a known command");
//! assert_eq!((draw.name, draw.length_of(0x7b00_0005)), ("3DPRIMITIVE", 7));
//! // Resolve a field once, read it often.
//! let vertices: Field = draw.field("Vertex Count Per Instance");
//! assert_eq!(vertices.get(&[0x7b00_0005, 4, 3, 0, 1, 0, 0]), 3);
//! ```

mod format;
mod layout;
mod memory;
mod packet_walk;
mod print;
mod recording;
mod table;
mod walk;

pub use format::format_name;
pub use layout::{Enumeration, Field, Item, Kind, PacketLayout};
pub use memory::{Fault, Memory};
pub use packet_walk::{PacketWalker, RegisterWrites};
pub use print::{BaseAddresses, NoKernels, PrintKernel, Printer, StateSize};
pub use recording::{Object, Recording, RecordingError};
pub use table::Table;
pub use walk::{Command, WalkError, Walker};

/// Declares a structure of field handles that are resolved by name for a generation.
///
/// A field that a generation does not have is absent: it reads as 0 and [`Field::exists`] is false.
/// `NAMES` lists all names, so that a test can show that each exists in some generation. A second
/// name of the layout, after `or`, is for generations without the first.
///
/// ```
/// packets::fields! {
///     /// Fields of a draw.
///     pub struct Primitive of "3DPRIMITIVE" {
///         /// Vertices of each instance.
///         vertices: "Vertex Count Per Instance",
///     }
/// }
/// let table = packets::Table::of(vocabulary::Generation::Ivb);
/// let fields = Primitive::resolve(table);
/// assert_eq!(fields.vertices.get(&[0x7b00_0005, 0, 3]), 3);
/// ```
#[macro_export]
macro_rules! fields {
    ($(#[$doc:meta])* $vis:vis struct $name:ident of $layout:literal $(or $other:literal)? {
        $($(#[$field_doc:meta])* $field:ident: $text:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name {
            $($(#[$field_doc])* $vis $field: $crate::Field,)*
        }

        impl $name {
            /// The command or structure.
            #[allow(dead_code, reason = "only some users name the layout")]
            $vis const LAYOUT: &'static str = $layout;
            /// Names of all fields.
            #[allow(dead_code, reason = "read by tests")]
            $vis const NAMES: &'static [&'static str] = &[$($text),*];

            /// Resolves the names in the table of a generation.
            $vis fn resolve(table: &$crate::Table) -> Self {
                let layout = table.named($layout)$(.or_else(|| table.named($other)))?;
                let field = |name| layout.map_or($crate::Field::ABSENT, |l| l.field(name));
                Self { $($field: field($text)),* }
            }
        }
    };
}
