//! ARB_vertex_program and ARB_fragment_program text into the typed program.
