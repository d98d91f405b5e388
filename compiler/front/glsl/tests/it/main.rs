//! Integration tests of `glsl`.

mod check_hostile;
mod corpus;
mod link;
mod parser_corpus;
mod rules;
mod support;
