//! GLSL front end: preprocess, lex, parse and check into the typed program.
