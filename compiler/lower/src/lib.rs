//! Lowers the typed program to the SSA intermediate representation.
