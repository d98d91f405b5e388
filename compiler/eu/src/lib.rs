//! Intel's execution-unit instruction set: encode, decode, print, assemble and validate.
