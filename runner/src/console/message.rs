//! Messages on standard error.

/// Prints a line to standard error, like `eprintln!`, but ignores a closed output.
macro_rules! message {
    ($($arguments:tt)*) => {{
        // Nothing else can report that standard error is closed.
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("{}\n", format_args!($($arguments)*)),
        );
    }};
}
pub(crate) use message;
