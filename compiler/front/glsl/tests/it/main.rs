//! Integration tests of `glsl`.

mod check_hostile;
mod corpus;
mod filetest;
mod link;
mod parser_corpus;
mod robustness;
mod rules;
mod support;
