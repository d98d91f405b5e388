//! Fixed-function state into the typed program.
