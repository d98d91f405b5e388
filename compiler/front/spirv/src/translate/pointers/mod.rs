//! Pointers: expressions of places, pointers as values, parameters that share a variable.

mod alias;
mod block_element;
mod place_expression;
mod pointer;
mod table;
mod variable_pointer;
