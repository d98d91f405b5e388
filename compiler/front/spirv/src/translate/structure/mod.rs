//! Structured control flow (SPIR-V 1.6 section 2.11.2): blocks become statements.

mod control;
mod flow;
mod leaving;
mod switch;
