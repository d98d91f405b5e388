//! Compiles, executes and judges `.shader_test` files on simulated Intel hardware.

pub mod devices;
