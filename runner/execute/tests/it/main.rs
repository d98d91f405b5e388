//! Executors and compiler against each other, and whole scripts.

mod bit_flips;
mod bitfields;
mod chain;
mod common;
mod cross_operations;
mod cross_random;
mod file_languages;
mod foreign;
mod half;
mod idle_cores;
mod interpreter;
mod listings;
mod scripts;
mod small_types;
mod step_limit;
mod storage;
mod textures;
mod undefined_probes;
mod vec4_execution;
mod vec4_harness;
mod vec4_swizzles;
mod vulkan;
